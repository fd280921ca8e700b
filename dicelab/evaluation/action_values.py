"""Action values: what rolling and holding are worth, at every turn total of one turn.

A solution has the values at the start of every turn. One backward pass of the turn operator gives those within a turn.
It is the same for every objective: only the values of what follows the turn differ.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._accuracy import ENDLESS, FOREVER, UNLIKELY, check_error
from .._recorded import CACHE
from .._validation import check_bool, check_int, invalid
from ..games.model import LAST_TURN, read_role, roles_of
from ..games.registers import scores_of
from ..solution import ALONE, OBJECTIVES, Solution, check_solution
from ..solvers._kernels import room_for, rules_of, walk_turn
from ..solvers.last_turn import ladder_alone, ladder_of, leads
from ..solvers.turn import action_chances, last_turns_of
from .match import after_last_turns, chain_of, from_first, turns_against
from .turn_outcomes import points_above

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = [
    "ActionValues",
    "action_values",
    "action_values_at",
    "answered_by",
    "arrays_of",
    "check_race",
    "check_solved",
    "turn_action_values",
    "turn_chances",
]


class ActionValues(NamedTuple):
    """What actions are worth to the player about to act, by turn total 0, 1, …; see :func:`action_values`.

    The totals go beyond the target by the most points of one roll. There the race is decided, except in modes in which
    the player must roll.
    """

    hold: np.ndarray  # (totals,) nan at 0 and wherever there are too few points to hold
    roll: np.ndarray  # (modes, totals) nan in modes in which one must hold
    # (modes, totals) the better of both where the mode allows a hold, else the value of rolling.
    best: np.ndarray


def turn_action_values(solution, own, opponent=0, role=None, turns_left=None):
    """The action values of one turn as arrays; see :func:`action_values`.

    Returns
    -------
    ActionValues
    """
    game, objective = check_solution(solution).game, solution.objective
    alone, last_turn = objective in ALONE, game.finish in LAST_TURN
    place, left = game.index(own), check_clock(solution, turns_left)
    beaten = check_int(opponent, "opponent", game.lowest) if last_turn else 0
    role = read_role(game, role, (beaten,))
    if last_turn and beaten >= game.target:
        opponent += len(game.scores) - game.target
    else:
        opponent = (
            check_int(opponent, "opponent", 0, 0) if alone else game.index(opponent, "opponent")
        )
    if objective == "score":
        race, known = solution.race, len(solution.values) + game.most_points
        found = race.actions(race.positions.at(np.array([[place]]))[0])
        hold, roll, best = (part[..., :known, 0].astype(float) for part in found)
        hold[: game.register(own).least_hold] = np.nan
        roll[rules_of(game).stops] = np.nan
        return ActionValues(hold, roll, best)
    values = np.nan_to_num(solution.values.astype(float), posinf=FOREVER)
    busted = min(scores_of(game).after_bust[place], len(values))
    if objective == "turns" and np.append(values, 0.0)[busted] > ENDLESS:
        raise invalid("own", own, "a score from which the target can be reached after every bust")
    values = values if left is None else values[left - 1]
    # After a turn `total` + `factor` times a value is left to its player; the turn is worth `cost` + `unit` times that.
    total, factor, cost, unit = {
        "win": (1.0, -1.0, 0.0, 1.0),
        "margin": (0.0, -1.0 / game.target, 0.0, game.target),
        "turns": (0.0, -1.0, 1.0, -1.0),
        "deadline": (0.0, 1.0, 0.0, 1.0),
    }[objective]
    after = total + factor * values.reshape(-1, *(1, *values.shape)[-2:])
    ladder = (
        ladder_alone(game, float(objective == "deadline"))
        if alone
        else ladder_of(game, objective, solution.overshoot)
    )
    if solution.against is not None:
        seats, after = after_response(solution, role or 0)
        after = np.broadcast_to(
            after.reshape(values.shape[-2:]), (roles_of(game), *values.shape[-2:])
        )
        ladder = answered_by(game, ladder, solution.against, points_above(game, *seats))
    found = action_values_at(game, after, place, opponent, role or 0, arrays_of(game, ladder))
    return ActionValues(*(cost + unit * np.where(x < -ENDLESS, -np.inf, x) for x in found))


def answered_by(game, ladder, opponent, more):
    """The ladder of a win if a finish is answered by the last turn of this opponent.

    Turns come to `more` points above the target.
    """
    if game.finish not in LAST_TURN:
        return ladder
    rules, last = rules_of(game), ladder.last
    left, size = [opponent.when(role=roles_of(game) - 1 or None)], more + rules.beyond.shape[2]
    chance = np.ascontiguousarray(after_last_turns(game, left, size)[..., 0])
    far = bool(last.far or chance[:, more:].max() <= UNLIKELY)
    lead = np.empty((len(chance), 0, 0)) if far else leads(rules, chance)
    cut = np.full(len(chance), more)
    return ladder._replace(last=last._replace(far=far, chance=chance, lead=lead, cut=cut))


def check_clock(solution, turns_left):
    """Read the turns that are left, by default all; None where there is no deadline."""
    if solution.turns is not None:
        return check_int(
            solution.turns if turns_left is None else turns_left, "turns_left", 1, solution.turns
        )
    if turns_left is not None:
        raise invalid("turns_left", turns_left, "None: there is no deadline", ())
    return None


def arrays_of(game, ladder=None):
    """What :func:`action_values_at` looks up of a game: rules, ladder (by default of a win), and scores as arrays."""
    return rules_of(game), ladder or ladder_of(game), scores_of(game)


def action_values_at(game, after, own, opponent, role=0, arrays=None):
    """The action values of one turn, by the places of scores; ActionValues.

    ``after[role, opponent, own]`` are the values if the opponent moves next in this role. In a last turn `opponent` is
    the number of scores, plus the points above the target that are to be beaten. Who asks for many turns gives the
    :func:`arrays_of` the game.
    """
    rules, ladder, scores = arrays or arrays_of(game)
    hold, turn = room_for(game, ladder, opponent - len(game.scores))
    after = np.ascontiguousarray(after)
    bust, steps = walk_turn(rules, ladder, scores, after, role, own, opponent, hold, turn)
    # from right to left, for the turn totals 0, 1, …
    totals = slice(rules.beyond.shape[2] - 1 + steps, None, -1)
    best, roll = bust + turn.value[:, totals], bust + turn.roll[:, totals]
    roll[rules.stops] = np.nan
    held = np.append(np.nan, hold[steps - 1 : 0 : -1])
    held[held == -np.inf] = np.nan
    held = np.append(held, best[np.argmax(rules.may_hold), steps:])
    c, most = ladder.payoffs.constant_sum, ladder.payoffs.most or np.inf
    # Rounding: off by 1e-12.
    return ActionValues(*(np.clip(values, c - most, most) for values in (held, roll, best)))


def turn_chances(solution, own, others, bold=None, role=None):
    """Everybody's chances by action, in one turn of several players; see :func:`action_values`.

    Returns
    -------
    ActionValues
        The arrays have one more axis: the chances by seat, then the probability that the turn does not bust any more.
    """
    policy = solution.policy
    place, *places = policy.places_of(solution.game, own, others)
    role = read_role(solution.game, role, others)
    if bold is None:
        bold = bool(policy.when(role=role).bold_turns.get((place, *places), 0) > 0.5)
    bold = check_bool(bold, "bold")
    game, role, n = solution.game, role or 0, solution.players
    if solution.against is None:
        after = solution.values.reshape(-1, *solution.values.shape[-n - 1 :])
        after, turns = after[(role + 1) % len(after)], last_turns_of(game, n)
    else:
        seats, after = after_response(solution, role)
        turns, _ = turns_against(game, seats, role, after[:, 0])
        after = np.roll(after, -1, axis=1).reshape(*(len(game.scores),) * n, n)
    return ActionValues(*action_chances(game, after, turns, place, tuple(places), bold, role))


def after_response(solution, role):
    """What follows a turn of a best response in a role.

    Returns
    -------
    seats : list of Policy
        Of all players, from the role 0 on.
    after : ndarray (cells, n)
        Everybody's chances when the next player is about to move, by seat: first the one who responds, of two players
        alone. The cells are by the scores of the others in order of play and of this one.
    """
    game, against = solution.game, solution.against
    seats = [solution.policy, *([against] if solution.players == 2 else against)]
    seats = from_first(seats, role)

    def compute():
        wins, _, error = chain_of(game, *seats, begins=role).wins()
        check_error(game, error)
        return wins[1]

    return seats, CACHE.get((game, *seats, role), compute, lambda made: made.nbytes)


def check_solved(solution, objectives=OBJECTIVES, field="solution"):
    """Read `solution` as one of any number of players, for some objectives."""
    if getattr(solution, "players", 2) == 2 or not isinstance(solution, Solution):
        check_solution(solution, objectives, field)
    return solution


def check_race(solution):
    """Read `solution` as that of a race, of any number of players, that is no best response."""
    check_solved(solution, ("win",))
    if solution.against is not None:
        raise invalid(
            "solution",
            solution,
            "what dicelab.solve(game) returns; a best response says what one player does, not what all do",
        )
    return solution


def action_values(
    solution: Solution,
    own: int = 0,
    opponent: int | Sequence[int] = 0,
    *,
    bold: bool | None = None,
    role: int | None = None,
    turns_left: int | None = None,
) -> pd.DataFrame:
    """What rolling and holding are worth, at every turn total of one turn.

    For "win" that is the probability to win, for "margin" the points that the player can expect to win, for "turns" the
    expected number of turns from this one on, for "deadline" the probability to be in time, and for "score" the
    expected points of the turn.

    Parameters
    ----------
    solution : Solution
        What :func:`dicelab.solve` or :func:`dicelab.best_response` returns.
    own : int
        Banked points, in 0, …, target - 1; in a game with registers a :class:`dicelab.Score`. For "score" the register
        alone makes a difference.
    opponent : int or sequence of int
        Those of the opponent, in a last turn the score to beat; with more players those of all others, in order of
        play. For one player it stays 0.
    bold : bool, optional
        With more players: which of two turns the player goes on with, where the player mixes two or is indifferent
        between them. By default the one that is played more often. It makes a difference to the others alone.
    role : int, optional
        In "equal turns": 0 for the player who is first in the round, as by default, 1 for the next one, …
    turns_left : int, optional
        For "deadline": this turn and those after it, by default all.

    Returns
    -------
    pandas.DataFrame
        Indexed by turn total, 0, …, target - own - 1, or, in a game with registers, ``game.missing(own)`` - 1; where
        the other player has a last turn, up to where every hold is right; for "score" up to the largest total at which
        a roll may be right, or the least hold. Column "hold" is nan at 0 and wherever there are too few points to hold,
        so that one must roll. In games with one mode "roll" is the value of a roll and "best" the better of both. With
        several modes, each has a column with its name, the value of a roll in it, and a column "best" with its name:
        "best, 3 dice". Both are nan where no turn can be in the mode. All values are with optimal play afterwards, or
        with the best play against fixed opponents. With more than two players each action has a column for each other
        seat, too: "hold, seat 2" is the chance of the next player if the player to move, in seat 1, holds.

    Raises
    ------
    ValueError
        If a score is out of range; for "turns", if a bust leads to where the target may never be reached; and if a mode
        has a name, such as "hold", with which two columns would be called the same.

    Examples
    --------
    >>> import dicelab as dl
    >>> dl.action_values(dl.solve(dl.piglet(3)), own=0, opponent=0).round(4).values.tolist()
    [[nan, 0.5455, 0.5455], [0.6364, 0.6162, 0.6364], [0.7778, 0.7273, 0.7778]]
    >>> dl.action_values(dl.solve(dl.pig(), "turns")).loc[[20, 25], ["hold", "roll"]].round(3).values.tolist()
    [[11.075, 11.112], [10.521, 10.569]]

    With three players a decision that hardly matters to oneself can matter to the others: here holding leaves more to
    the next player, and less to the third one.

    >>> chances = dl.action_values(dl.solve(dl.pig(50), players=3), own=7, opponent=(8, 0)).loc[20].round(4)
    >>> chances[["hold", "hold, seat 2", "hold, seat 3"]].tolist()
    [0.5335, 0.2915, 0.175]
    >>> chances[["roll", "roll, seat 2", "roll, seat 3"]].tolist()
    [0.5384, 0.2845, 0.177]
    """
    import pandas as pd

    game = check_solved(solution).game
    names = [mode.name for mode in game.modes]
    if solution.players > 2:
        check_clock(solution, turns_left)
        found = turn_chances(solution, own, opponent, bold, role)
    elif bold is not None:
        raise invalid("bold", bold, "None; it is a choice for more than two players")
    else:
        values = turn_action_values(solution, own, opponent, role, turns_left)
        found = ActionValues(*(each[..., None] for each in values))
    for m in (m for m, name in enumerate(names) if name not in game.reached_with_points):
        for array in (found.roll, found.best):
            array[m, int(names[m] in game.reached()) :] = np.nan
    best = [f"best, {name}" for name in names]
    if len(names) == 1:
        names, best = ["roll"], ["best"]
    actions = list(zip(["hold", *names], [found.hold, *found.roll], strict=True))
    chosen = zip(best, found.best, strict=True)
    columns = [(name, chances[:, 0]) for name, chances in (*actions, *chosen)]
    columns += [
        (f"{action}, seat {s + 1}", chances[:, s])
        for action, chances in actions
        for s in range(1, found.hold.shape[1] - 1)
    ]
    if len(dict(columns)) < len(columns):
        raise ValueError(
            f"{game.name}: two columns would have one name, of {', '.join(name for name, _ in columns)}; give the modes"
            " other names"
        )
    return (
        pd.DataFrame(dict(columns))
        .rename_axis("turn total")
        .iloc[: len(found.hold) - game.most_points]
    )
