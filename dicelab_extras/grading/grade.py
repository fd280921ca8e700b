"""A grade: what a strategy achieves against the optimum, what it gives away, and by which decisions, exactly.

The strategy and its opponent sit in the two seats of a race (:mod:`dicelab.engine.race`). The expected number of times
that a decision is met, times its regret (:mod:`dicelab.evaluation.referee`), is what this decision gives away a game.
By the performance difference lemma (Kakade and Langford 2002, Lemma 6.1, without a discount) these numbers sum to the
loss, apart from endless play: a state from which play never ends counts 1/2, not its value under best play.

How often a match is at a position v is expected by the linear equations v = s + Tᵀ·v, for the probabilities s to begin
there and T to pass from one to another by a turn. In "equal turns" the strategy has a role, that of the player who
moves first in the game or of the other one, and each role is a race of its own.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, overload

import numpy as np
import pandas as pd

from dicelab._accuracy import ACCURACY, ConvergenceError, check_not_beaten
from dicelab._limits import check_memory, progress
from dicelab._results import Result
from dicelab._shown import how_read, name_of, title_of
from dicelab.engine.positions import PHASE, ROW
from dicelab.engine.race import led_to
from dicelab.engine.seats import answers, together
from dicelab.engine.turn import BRANCH, FIRST
from dicelab.evaluation.action_values import race_of
from dicelab.evaluation.match import both_orders, races_of, read_players, wins_of
from dicelab.evaluation.referee import Referee, regrets_of
from dicelab.games.model import Game
from dicelab.games.named import read_game
from dicelab.policies import Policy
from dicelab.rules_of_thumb import hold_at

from .folder import standings_of
from .reading import Strategy, read

__all__ = ["Grade", "grade"]

MOST_MAPPED = 300  # scores of a game with a map on its card
WORST = 10  # decisions in `Grade.worst`
DESCRIBED = 3  # decisions in the text
DISTANCE = (
    10  # the least distance of two decisions in the text: own plus opponent's score, in points
)
SEARCHED = 1000  # the decisions that give away most, among which those in the text are chosen
PAIR = 5000  # bytes for each pair of scores, nearly all for the decisions that cost something
NEGLIGIBLE = 1e-17  # wins per game; a decision that gives away less is not listed


@dataclass(frozen=True, eq=False, kw_only=True)
class Grade(Result):
    """What a strategy achieves in a game against a fixed opponent, and what it gives away.

    Attributes
    ----------
    game : Game
    strategy : Policy
        All decisions of the strategy, as they were when it was graded.
    opponent : Policy
        The optimal policy, unless another one was given.
    best : Policy
        The best response to the opponent; against the optimal policy, itself.
    first_wins, second_wins : float
        The probability that the strategy wins against the opponent if it moves first, and if it moves second. Endless
        play counts half.
    best_first, best_second : float
        The same of the best response: the most that is possible.
    endless : float
        The part of the loss that belongs to no decision. Where play never ends it counts 1/2, although the best
        response would have won more.
    error : float
        An estimate of how far probabilities may be off.
    matches : pandas.DataFrame
        The probability to win against some opponents: "first", "second" and their "mean".
    decisions : pandas.DataFrame
        All decisions met that give something away, the worst first. The columns are

        - "own", "opponent" and "turn total", in points (or chips, see ``game.unit``), and in games with registers "own
          register" and "opponent register"; in a last turn "opponent" is the score to beat, the target or more;
        - in "equal turns" also "role", 0 where the strategy is the first in the round and 1 where it is the second;
        - "dice", the mode in which the turn is, and "rolled", the scoring dice of a roll that offers choices, else "";
        - "does" and "best", the decision made and a best one;
        - "cost", the probability to win that the decision gives away each time;
        - "met", how often it is met in a game, in the mean of moving first and second;
        - "given away", the product of "cost" and "met".

        For the decisions that cost most each time: ``grade.decisions.sort_values("cost", ascending=False)``.
    turn_costs : ndarray (target, target)
        What a turn of the strategy gives away, by own and opponent's score at its beginning, [own, opponent]. In "equal
        turns" [role, own, opponent].
    turns_met : ndarray (target, target)
        How often a turn begins there in a game, in the mean of moving first and second.
    last_turns : float
        What the last turns of the strategy give away in a game; the others give away ``turn_costs * turns_met``.

    Examples
    --------
    >>> from dicelab import pig
    >>> mine = grade(pig(40), 20)
    >>> round(mine.first_wins, 4), round(mine.second_wins, 4), round(mine.loss, 4)
    (0.5139, 0.4066, 0.0397)
    """

    KEYS = (
        "game",
        "strategy",
        "opponent",
        "first_wins",
        "second_wins",
        "best_first",
        "best_second",
        "loss",
        "endless",
        "last_turns",
        "error",
        "matches",
        "worst",
    )

    game: Game
    strategy: Policy
    opponent: Policy
    best: Policy = field(repr=False)
    first_wins: float
    second_wins: float
    best_first: float
    best_second: float
    endless: float
    error: float
    matches: pd.DataFrame = field(repr=False)
    decisions: pd.DataFrame = field(repr=False)
    turn_costs: np.ndarray = field(repr=False)
    turns_met: np.ndarray = field(repr=False)
    last_turns: float = 0.0

    @property
    def name(self) -> str:
        """The name of the strategy."""
        return name_of(self.strategy)

    @property
    def loss(self) -> float:
        """What the strategy gives away in a game: the best mean of moving first and second, minus its own."""
        return (self.best_first + self.best_second - self.first_wins - self.second_wins) / 2

    @property
    def worst(self) -> pd.DataFrame:
        """The ten decisions that give away most in a game; see `decisions`."""
        return self.decisions.head(WORST)

    def to_frame(self) -> pd.DataFrame:
        """All decisions that give something away, a DataFrame; see `decisions`."""
        return self.decisions.copy()

    def figure(self) -> Any:
        """Draw where the strategy differs from best play; see :func:`~dicelab_extras.grading.mistakes`.

        Returns
        -------
        matplotlib.figure.Figure
        """
        from .plots import mistakes

        return mistakes(self).figure

    def card(self) -> dict[str, Any]:
        """What a card of it shows: a head, sentences, tables by their titles, and a map with its description."""
        tables = {"": self.matches.map("{:.2%}".format).rename_axis("against").reset_index()}
        if len(self.worst):
            tables["The worst decisions"] = self.worst[told_columns(self)]
        card: dict[str, Any] = {
            "kind": "Grade of",
            "name": f"{self.name}, {title_of(self.game)}",
            "sentences": self.sentences()[1:],
            "tables": tables,
        }
        if len(self.game.scores) <= MOST_MAPPED:
            from .plots import lost_map

            card["map"] = lambda ax: lost_map(ax, self)
            card["described"] = (
                "Map: what is given away in the turns that begin at own score (to the right) and opponent's."
            )
        return card

    def __repr__(self):
        return (
            f"<Grade of {self.name} in {title_of(self.game)}: against {name_of(self.opponent)} "
            f"moving first it wins {self.first_wins:.6f}, moving second {self.second_wins:.6f}; "
            f"it gives away {self.loss:.6f} a game>"
        )

    def __str__(self):
        """The grade in words."""
        return "\n".join(self.sentences())

    def sentences(self) -> list[str]:
        """The grade in words, a list of lines."""
        against = name_of(self.opponent)
        against = f"the {against}" if against.startswith(("optimal", "best")) else against
        read = how_read(self.strategy, self.opponent).strip(" ()")
        lines = [
            f"{self.name} in {title_of(self.game)}, against {against}",
            *([f"R{read[1:]}."] if read else []),
            f"Moving first it wins {self.first_wins:.2%}; the best possible is {self.best_first:.2%}.",
            f"Moving second it wins {self.second_wins:.2%}; the best possible is {self.best_second:.2%}.",
        ]
        if self.loss < ACCURACY:
            return [*lines, "It gives nothing away: no strategy does better."]
        lines.append(f"It gives away {100 * self.loss:.3g}% of games.")
        if count := len(self.decisions):
            share = self.worst["given away"].sum() / self.loss
            most = (
                f"; the {WORST} worst account for {share:.0%} of the loss" if count > WORST else ""
            )
            many = f"{count:,} decisions that it meets give" if count > 1 else "One decision gives"
            lines.append(f"{many} something away{most}.")
            lines += [_in_a_sentence(self.game, row) for row in _spread_out(self.decisions)]
        if self.endless > ACCURACY:
            lines.append(f"{self.endless / self.loss:.0%} of the loss is play that never ends.")
        return lines


def told_columns(grade: Grade) -> list[str]:
    """The columns of a grade's decisions that tell something in its game: "dice" and "rolled" say nothing in Pig."""
    told = [name for name in grade.worst if (grade.worst[name] != "").any()]
    return [name for name in told if name != "dice" or len(grade.game.modes) > 1]


def _spread_out(decisions):
    """The worst decisions that are not close to each other, a list of dicts."""
    chosen = []
    for row in decisions.head(SEARCHED).to_dict("records"):
        distances = (
            sum(abs(row[who] - other[who]) for who in ("own", "opponent")) for other in chosen
        )
        if min(distances, default=DISTANCE) >= DISTANCE:
            chosen.append(row)
    return chosen[:DESCRIBED]


def _in_a_sentence(game, row):
    own, opponent, total = (f"{row[name]:,}" for name in ("own", "opponent", "turn total"))
    if game.registers:
        own = f"{own} ({row['own register']})"
        opponent += f" ({row['opponent register']})" if row["opponent register"] else ""
    dice = (
        f" ({row['dice']}{', rolled ' + row['rolled'] if row['rolled'] else ''})"
        if len(game.modes) > 1
        else ""
    )
    unit = "points" if game.chip == 1 else "chips"
    role = f", {('first', 'second')[row['role']]} in the round" if "role" in row else ""
    state = f"At {own} against {opponent} {unit}{role}"
    if row["opponent"] >= game.target:
        state = f"In a last turn at {own}, with {opponent} {unit} to beat"
    return (
        f"{state}, turn total {total}{dice}: {row['does']}, but best is {row['best']}. "
        f"It costs {row['cost']:.2%} each time, and is met {_often(row['met'])}."
    )


def _often(met):
    """How often a decision is met: "twice a game" as "2.0 times a game", "once in 1,200 games"."""
    return (
        f"{met:.2g} times a game"
        if met > 0.095
        else f"once in {float(f'{1 / met:.2g}'):,.0f} games"
    )


@overload
def grade(game: Game | str, strategy: str | os.PathLike, *opponent: Any, **meant: Any) -> Any: ...


@overload
def grade(game: Game | str, strategy: Strategy, *opponent: Any, **meant: Any) -> Grade: ...


def grade(
    game: Game | str,
    strategy: Strategy,
    opponent: Strategy | None = None,
    *,
    true: Literal["roll", "hold"] | None = None,
    none: Literal["roll", "hold"] | None = None,
) -> Any:
    """Grade a strategy exactly: what it wins, what it gives away, and by which decisions; or all those of a folder.

    Parameters
    ----------
    game : Game or str
        For two players. Or the text of a game of the catalogue: "pig", "two-dice-pig 50".
    strategy : strategy
        Whatever plays; the grade says how it was read, in `Grade.strategy.read_as`:

        - a policy, also with a memory; or a whole number n for *hold at n*;
        - a function, called by the names of its parameters in any order: the own score (own, me, player_score), the
          opponent's (opponent, other, op_score), the turn total (turn_total, pending, k), and, if it asks for them, the
          target, the mode (mode or dice: "forced" in Double Trouble, "3 dice" in Ten Thousand), and the own register;
          see :mod:`dicelab.strategies`. It answers "roll" or "hold"; or True and False, if its name says what True
          means, as should_roll or should_hold. A function without a turn total answers the turn total to hold at;
        - an array or nested lists of whole numbers, (target, target): the turn total to hold at, [own, opponent], as
          ``policy.hold_thresholds()``;
        - an array of bool, or of 0 and 1, (target, target, target): True or 1 for roll, [own, opponent,
          turn total], as ``policy.roll_mask()``. In a game with several modes it is for all of them, or it has one more
          axis, [own, opponent, mode, turn total]. In a game with registers scores are places in ``game.scores``;
        - a DataFrame, or a dict of pairs: columns own, opponent and hold at, or the scores as index and columns;
        - the name of a file: ``"mine.py"``, ``"mine.py:name"``, ``"mine.csv"``, ``"mine.json"``; or of a folder of
          them, of which each runs in a process of its own.
    opponent : strategy, optional
        Without a memory; by default the optimal policy. Against another one the loss is what the best response to it
        wins more.
    true, none : {"roll", "hold"}, optional
        What True means, where the name of a function does not say it, and what None means, or no answer at all.

    Returns
    -------
    Grade
        Of a folder a DataFrame, the best first, by the "name" of the file: "first" and "second", the probability to win
        against the opponent; "loss", as of a Grade; "round robin", the mean probability to win against each of the
        others, moving first and second, and its "place"; how it was "read as", or why it was "refused".

    Raises
    ------
    ValueError
        If an argument is not allowed; if a function raises, answers anything else, or does not answer twice the same.
        The message names the state, and where the function raises its line.
    NotImplementedError
        If the opponent has a memory, and as :func:`dicelab.evaluate`.
    ConvergenceError
        If the estimated error is more than 1e-12.
    MemoryError
        Beforehand, if the grade would take more than half of the memory.

    Notes
    -----
    A function is asked where there is a decision: not where one must roll or must hold, not at the target. At a turn
    total of 0 it must roll. It is asked at all pairs of scores, and at every turn total to which its own decisions
    lead; each question twice, the second time in reverse order, which finds most strategies that depend on more than
    the state.

    After a roll that offers choices, of dice to set aside for example, a function and an array take the choice with the
    most points. Another one is taken by an attribute of the function, or a method of an object that can be called,
    ``keep(own, opponent, turn_total, roll)``: it returns the faces to set aside, a list or a tuple, or both these and
    anything else, as :meth:`dicelab.Policy.keep` does. In a game such as Hog, where nothing else is decided, it is
    needed. `turn_total` is before the roll, and `roll` a list of faces; the faces that do not score are those of one
    such roll. Where no dice are set aside, `roll` is a list of the choices' names, and it returns one of them.

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> import numpy as np
    >>> def bold(own, opponent, turn_total):
    ...     return "roll" if turn_total < 2 or opponent > own else "hold"
    >>> print(grade(piglet(4), bold))  # doctest: +ELLIPSIS
    bold in Piglet to 4, against the optimal policy
    Read as: bold: own, opponent and turn_total by name.
    Moving first it wins 52.64%; the best possible is 53.69%.
    Moving second it wins 45.02%; the best possible is 46.31%.
    It gives away 1.17% of games.
    3 decisions that it meets give something away.
    ...
    """
    game, meant = read_game(game), {"true": true, "none": none}
    rival = None if opponent is None else read(game, opponent, "opponent", **meant)
    if isinstance(strategy, str | os.PathLike) and Path(strategy).is_dir():
        return standings_of(game, strategy, Referee(game, rival), **meant)
    return _grade(game, read(game, strategy, **meant), rival)


def _grade(game, strategy, rival):
    """Grade strategies that are read; see :func:`grade`."""
    check_memory(
        PAIR * len(game.scores) ** 2,
        f"a grade of {game.name} to {game.target}",
        "take a smaller target",
    )
    second = {} if rival is None else {"opponent": rival}
    policy, rival = [*read_players(game, strategy=strategy, **second), None][:2]
    referee = Referee(game, rival)
    races = races_of(game, policy, referee.opponent)
    first_wins, second_wins, error = wins_of(races)
    best_first, best_second = float(referee.best.value), referee.second
    check_not_beaten(game, max(first_wins - best_first, second_wins - best_second))
    parts = []
    found = [
        _judge_turns(race, referee, role, parts)
        for race, role in zip(races, referee.roles, strict=True)
    ]
    costs, met, last, endless = zip(*found, strict=True)
    costs, met = (np.array(part) if len(part) > 1 else part[0] for part in (costs, met))
    result = Grade(
        game=game,
        strategy=policy,
        opponent=referee.opponent,
        best=referee.best.policy,
        first_wins=first_wins,
        second_wins=second_wins,
        best_first=best_first,
        best_second=best_second,
        endless=sum(endless),
        error=max(error, referee.best.error),
        matches=_matches(game, policy, referee, rival, (first_wins, second_wins)),
        decisions=_frame(game, parts),
        turn_costs=costs,
        turns_met=met,
        last_turns=sum(last),
    )
    gap = abs((costs * met).sum() + result.last_turns + result.endless - result.loss)
    if not gap <= 100 * ACCURACY:  # the lemma holds; with very many turns roundings add up
        raise ConvergenceError(
            f"{game.name}: the decisions do not explain {gap:.0e} of the loss; play lasts too long"
        )
    return result


def _matches(game, strategy, referee, opponent, result):
    """The probabilities to win against some opponents, a DataFrame."""
    rows = {} if opponent is None else {name_of(opponent): result}
    optimal = Referee(game).opponent if opponent is not None else referee.opponent
    rows |= {name_of(optimal): both_orders(game, strategy, optimal)}
    for n in (20, 25):
        name = f"hold at {n if game.chip == 1 else game.with_unit(n)}"
        rows[name] = rows.get(name) or both_orders(game, strategy, hold_at(n))
    rows["itself"] = both_orders(game, strategy, strategy)
    frame = pd.DataFrame.from_dict(rows, orient="index", columns=["first", "second"]).rename_axis(
        "opponent"
    )
    return frame.assign(mean=frame.mean(axis=1))


def _visits(race, starts):
    """How often a match that begins in one of two rows is in each, until no end can be reached any more.

    In the order of the work, backwards, the matrix is triangular but for cycles, and for what resets and penalties lead
    back to. Without these its factors have hardly more numbers than itself, and with these they precondition GMRES.
    """
    from scipy.sparse import eye_array, tril
    from scipy.sparse.linalg import LinearOperator, gmres, splu

    on = np.flatnonzero(led_to(race.steps, starts))
    on = on[np.argsort(-race.positions.where[on])]
    onward = race.steps[on][:, on].multiply(race.ending[on, None]).T
    system = (eye_array(len(on)) - onward).tocsc()
    most = tril(system, race.longest - 1, "csc")
    solve = splu(most, permc_spec="NATURAL", diag_pivot_thresh=0.0).solve
    inverse, begun = LinearOperator(system.shape, solve, dtype=float), np.isin(on, starts) / 2
    met = np.zeros(race.positions.size)
    met[on] = gmres(system, begun, M=inverse, rtol=1e-15, restart=40, maxiter=10)[0].clip(0.0)
    return met


def _turns_met(race, referee, role):
    """How often turns of the strategy begin, and the endless part, all in the mean of moving first and second.

    Returns
    -------
    visits : ndarray (m, memory, m + more)
        By own score and state, and the place of the opponent's score as in :class:`Referee`.
    endless : float
    """
    positions, memory, best = race.positions, race.memory, race_of(referee.best, role)
    size, offset = len(race.game.scores), [positions.offset[phase, 0] for phase in range(2)]
    starts = [positions.start + first - offset[0] for first in offset[: 2 - (role is not None)]]
    rows, once = np.unique(positions.turns[:, ROW], return_index=True)
    phase, asked = positions.turns[once, PHASE], positions.asked[once]
    own, other = np.where(
        asked < positions.scores, asked // memory, asked - positions.scores + size
    ).T
    met, ends, mine = _visits(race, starts)[rows], race.ending[rows], phase == (role or 0)
    visits = np.zeros((size, memory, size + positions.lead + 1))
    np.add.at(visits, (own, asked[:, 0] % memory, other), met * (ends & mine))
    values = np.array([best.starts(k % best.positions.phases) for k in range(2)])
    lost = values[phase, own, other.clip(max=size - 1)] - 0.5  # a last turn ends
    return visits, float((met * ~ends * np.where(mine, lost, -lost)).sum())


def _judge_turns(race, referee, role, parts):
    """What turns give away, and how often they begin, by own and opponent's score; ``parts`` gets the decisions.

    Then what last turns give away in a game, and endless play.
    """
    visits, endless = _turns_met(race, referee, role)
    met, size = visits.sum(axis=1), len(visits)
    costs = np.zeros(met.shape)
    for own in progress(range(size), "judging all decisions", "own score"):
        opponents = np.flatnonzero((np.arange(met.shape[1]) < size) | (met[own] > 0))
        followed = _follow(race, role or 0, own, opponents, visits[own][:, opponents])
        for opponent, *given in zip(opponents.tolist(), *followed, strict=True):
            turn = own, opponent, role, met[own, opponent]
            costs[own, opponent] = _judge(referee, turn, race.rules, given, parts)
    last = (costs * met)[:, size:].sum()
    return costs[:, :size], met[:, :size], float(last), endless


def _follow(race, seat, own, opponents, visits):
    """What happens in turns from one own score, in the mean of the internal states in which they are met.

    Returns
    -------
    states : ndarray (n, memory, modes, totals)
        The chances of an internal state and one of the turn. Where none is met, all internal states weigh the same.
    rolls, picks : ndarray (n, memory, …, totals)
        Whether it rolls there, and what it chooses.
    """
    positions, size, found = race.positions, len(race.game.scores), []
    asked = np.where(opponents < size, opponents * race.memory, opponents - size + positions.scores)
    asked = np.stack([asked, asked], axis=1)
    forced = np.array([not mode.may_hold for mode in race.game.modes])[:, None]
    for k in range(race.memory):
        asked[:, 0] = own * race.memory + k
        _, rolls, picks, index, _ = answers(positions, race.game, race.seats[seat], asked)
        states = race.met(positions.at(asked, seat), rolls[index], picks[index])
        wide = states.shape[2]
        rolls, picks = together([rolls], False, wide), together([picks], True, wide)
        found.append((states, rolls[index, :, :wide] | forced, picks[index, :, :wide]))
    states, rolls, picks = (np.stack(part, axis=1) for part in zip(*found, strict=True))
    share = np.where(visits.any(axis=0), visits, 1.0)
    return states * (share / share.sum(axis=0)).T[..., None, None], rolls, picks


def _judge(referee, turn, rules, followed, parts):
    """What a turn gives away each time.

    Parameters
    ----------
    turn : tuple
        The places of both scores, as in :class:`Referee`, the role, and how often it is met.
    rules : dicelab.engine.turn.Rules
    followed : tuple
        As :func:`_follow` returns it, of this turn.
    parts : list
        Gets the decisions that cost something.
    """
    (own, opponent, role, often), (states, rolls, picks), total_cost = turn, followed, 0.0
    several = np.flatnonzero(rules.outcomes[:, BRANCH] < rules.outcomes[-1, BRANCH])
    mode = np.searchsorted(rules.modes[:, FIRST], several, side="right") - 1
    branched = (states * rolls)[:, mode] * rules.chance[several, None]
    values, questions = referee.values(own, opponent, role), [(states, rolls), (branched, picks)]
    for kind, (mass, does) in enumerate(questions[: 1 + (len(several) > 0)]):
        at = np.nonzero(mass.any(axis=0))
        options = (referee.choices if kind else referee.rolls_and_holds)(values, *at)
        taken = does[:, *at, None] == np.arange(options.shape[-1])
        regret, done = regrets_of(options), (mass[:, *at, None] * taken).sum(axis=0)
        lost = np.nansum(done * regret, axis=-1)  # nan where there is no such action
        total_cost += lost.sum()
        costly = lost * often > NEGLIGIBLE
        if costly.any():
            place, total = (part[costly] for part in at)
            times = done[costly].sum(axis=-1)
            state = np.full((3, len(times)), [[role or 0], [own], [opponent]])
            best, cost = np.nanargmin(regret[costly], axis=-1), lost[costly] / times
            shares = [*(done[costly] / times[:, None])]
            place = place + kind * states.shape[1]  # branches are numbered behind the modes
            parts.append((*state, place, total, best, cost, often * times, shares))
    return total_cost


def _frame(game, parts):
    """The decisions as a DataFrame, the worst first."""
    *columns, shares = zip(*parts, strict=True) if parts else [[np.empty(0, dtype=int)]] * 9
    role, own, opponent, place, total, best, cost, met = map(np.concatenate, columns)
    asked = [(mode.name, "", ("hold", "roll")) for mode in game.modes]
    rolls = ((mode, o) for mode in game.modes for o in mode.outcomes if len(o.choices) > 1)
    for mode, outcome in rolls:
        rolled = "" if mode.asks else " ".join(map(str, outcome.scoring)) or str(outcome)
        asked.append((mode.name, rolled, tuple(choice.name for choice in outcome.choices)))
    others = np.minimum(opponent, len(game.scores))  # the target, in last turns
    scores = np.append(np.array(game.scores, dtype=int), game.target)
    columns = {"own": scores[own], "opponent": scores[others] + opponent - others}
    columns |= {"role": role} if game.finish == "equal turns" else {}
    if game.registers:
        registers = np.array([*(score.register for score in game.scores), ""], dtype=object)
        columns |= {"own register": registers[own], "opponent register": registers[others]}
    chosen = zip(
        place.tolist(), (share for part in shares for share in part), best.tolist(), strict=True
    )
    texts = [
        (*asked[k][:2], _done(asked[k][2], share), asked[k][2][number])
        for k, share, number in chosen
    ]
    texts = pd.DataFrame(texts, columns=["dice", "rolled", "does", "best"], dtype=object)
    columns |= {"turn total": total} | dict(texts.items())
    frame = pd.DataFrame(columns | {"cost": cost, "met": met, "given away": cost * met})
    return frame.sort_values(
        ["given away", "own", "opponent", "turn total"],
        ascending=[False, True, True, True],
        kind="stable",
        ignore_index=True,
    )


def _done(names, shares):
    """What a strategy does: "roll", or "roll 40%, hold 60%" if that depends on what it remembers."""
    (most, name), *_ = mixed = sorted(zip(shares.tolist(), names, strict=False), reverse=True)
    said = (f"{name} {share:.0%}" for share, name in mixed if share > 0.0)
    return name if most >= 1.0 else ", ".join(said)
