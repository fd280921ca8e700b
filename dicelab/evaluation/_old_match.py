"""Policies against each other, exactly: chances to win, mean and spread of the number of turns, margin.

The equations and how they are solved are on the page of :mod:`dicelab.evaluation.markov_chain`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import product
from typing import TYPE_CHECKING

import numpy as np

from .._accuracy import ENDLESS, UNLIKELY, check_error, check_residual
from .._limits import check_memory, progress
from .._recorded import CACHE, ask_against, record, record_policies
from .._results import Result
from .._shown import how_read, name_of, title_of
from .._validation import invalid
from ..games.absorption import risk_above
from ..games.model import LAST_TURN, Game, check_game, roles_of
from ..games.named import read_game
from ..games.positions import classes_of
from ..games.registers import scores_of
from ..policies import Policy
from ..solution import MOST_PLAYERS, OptimalPolicy, Solution, turns_in_words
from ..solvers._kernels import rules_of
from ..solvers.turn import WIDTH, farthest, led_to, placed, race_of
from ..strategies import Strategy, read_policies
from .markov_chain import RESTART, MatchChain, distinct, pass_turn, squared_steps
from .turn_outcomes import (
    actions_of,
    bold_actions,
    check_size,
    follow_states,
    follow_turns,
    last_turn_ends,
    outcomes_bytes,
    padded,
    points_above,
    reach_above,
    turn_outcomes,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "Match",
    "OfPlayers",
    "after_last_turns",
    "both_orders",
    "chain_of",
    "chains_of",
    "chance_in_time",
    "evaluate",
    "from_first",
    "in_both_orders",
    "in_roles",
    "names_of",
    "pairs_seen",
    "read_players",
    "record_players",
    "turns_against",
    "turns_alone",
    "turns_bytes",
    "turns_needed",
    "wins_of",
]

MOST_TURNS = 20_000  # in a distribution of the number of turns
STEADY = 1_000  # turns, after which the factor by which the probability still in play shrinks tells how many are left
LEFT = 1e-15  # probability still in play at which the distribution of the number of turns ends


class OfPlayers(Result):
    """What n players achieve: the words for the first two of them, and the line that says who wins."""

    policies: tuple[Policy, ...]
    wins: tuple[float, ...]

    @property
    def first(self) -> Policy:
        """The policy of the player who moves first."""
        return self.policies[0]

    @property
    def second(self) -> Policy:
        """The policy of the next player."""
        return self.policies[1]

    @property
    def first_wins(self) -> float:
        """The probability that the first player wins."""
        return self.wins[0]

    def _who_wins(self, chances):
        """Who wins how often, the chances being texts, and how strategies were read that somebody brought."""
        names = list(map(name_of, self.policies))
        if len(names) == 2:
            said = f"{names[0]} wins {chances[0]} against {names[1]}, moving first"
        else:
            *most, last = map("{} wins {}".format, names, chances)
            said = f"{', '.join(most)} and {last}, in order of play"
        return said + how_read(*self.policies)


@dataclass(frozen=True, eq=False, kw_only=True)
class Match(OfPlayers):
    """The result of policies against each other.

    Attributes
    ----------
    game : Game
    policies : tuple of Policy
        Of the n players, in order of play; `first` and `second` are those of the first two.
    wins : tuple of float
        The probabilities to win, in order of play; `first_wins` is that of the first player. Endless play, where nobody
        can reach the target, counts 1/n for each.
    residual : float
        Largest residual of the equations for the values after resets and penalties; 0 without these.
    error : float
        An estimate of how far `wins` may be off.

    The mean and the deviation of the number of turns and the margin are computed when they are asked for.

    Examples
    --------
    >>> from dicelab import evaluate, hold_at, pig
    >>> match = evaluate(pig(), hold_at(25), hold_at(20))
    >>> round(match.first_wins, 6), round(match.turns_mean, 4)
    (0.543482, 19.4372)
    >>> match = evaluate(pig(30), hold_at(20), hold_at(15), hold_at(10))
    >>> [round(chance, 4) for chance in match.wins]
    [0.5144, 0.3773, 0.1084]
    """

    KEYS = ("game", "policies", "wins", "turns_mean", "turns_sd", "error", "residual")
    COLUMNS = ("policies", "wins")

    game: Game
    policies: tuple[Policy, ...] = field(repr=False)
    wins: tuple[float, ...]
    residual: float
    error: float

    def __repr__(self):
        return f"<Match of {title_of(self.game)}: {self._who_wins(list(map('{:.6f}'.format, self.wins)))}>"

    @property
    def _chain(self):
        return chain_of(self.game, *self.policies)

    def _mean_turns(self):
        """The chain, the states that count, and the mean number of turns from each; None for infinite means."""
        chain = self._chain
        live = chain.reached()
        if (live & ~chain.ending()).any():
            return chain, live, None
        means, _, error = chain.solve(live, chain.answered[:, None], step=1.0)
        check_error(self.game, error, means[0, chain.start[0], 0])
        return chain, live, means[..., 0]

    @cached_property
    def turns_mean(self) -> float:
        """Mean number of turns, all players' together; infinite if play may be endless."""
        chain, _, means = self._mean_turns()
        return np.inf if means is None else float(means[0, chain.start[0]])

    @cached_property
    def turns_sd(self) -> float:
        """Standard deviation of the number of turns, all players' together; nan if play may be endless."""
        chain, live, means = self._mean_turns()
        if means is None:
            return np.nan
        squares = np.zeros(means.shape)
        squared_steps(chain.turns, live, chain.answered, means, squares)
        variances, _, error = chain.solve(live, extra=squares[..., None])
        mean, variance = (part[0, chain.start[0]] for part in (means, variances[..., 0]))
        check_error(self.game, error, max(mean, variance))
        return float(variance**0.5)

    @cached_property
    def margin(self) -> float:
        """The expected gain of the first player, in points, the loser paying the points that the loser still needs.

        ValueError for three and more, of whom several lose; and where the other player has a last turn: then a loser
        may need nothing.
        """
        why = "after a last turn a loser may need nothing" if self.game.finish in LAST_TURN else ""
        why = "of three and more several lose" if len(self.policies) > 2 else why
        if why:
            raise ValueError(
                f"{self.game.name} with finish={self.game.finish!r} has no margin: {why}"
            )
        chain, needs = self._chain, self.game.target - np.array(self.game.scores)
        gain, loss = (
            np.repeat(mine.finish * needs, theirs.memory, axis=1).ravel()
            for mine, theirs in (chain.outcomes, chain.outcomes[::-1])
        )
        paid = np.array([gain, -loss])[..., None]
        margins, _, error = chain.solve(chain.ending(), extra=paid)
        check_error(self.game, error, self.game.target)
        return float(margins[0, chain.start[0], 0])

    def turns_distribution(self) -> pd.Series:
        """The distribution of the number of turns.

        Returns
        -------
        pandas.Series
            Probability by number of turns, 1, 2, …, until at most 1e-15 is left. ``attrs["left"]`` is the probability
            left, and ``attrs["endless"]`` the probability that play never ends.

        Raises
        ------
        ValueError
            If that would take more than 20,000 turns.
        """
        import pandas as pd

        chain = self._chain
        n, ending, waiting = chain.players, chain.ending(), np.zeros(chain.players)
        now = np.zeros(chain.cells)  # probabilities, as the player about to move sees the cells
        probabilities: list[float] = []
        now[chain.start[0]], left, endless = 1.0, [1.0] * n, 0.0
        while left[-1] > LEFT:
            mover, after = len(probabilities) % n, np.zeros(chain.cells)
            then = waiting[int(chain.answered[mover]) :]  # by how many last turns are left
            endless += pass_turn(chain.turns, then, mover, ending, now, after)
            now = after
            probabilities.append(waiting[0])
            waiting = np.append(waiting[1:], 0.0)
            left.append(now.sum() + sum(waiting))
            if len(probabilities) >= STEADY and left[-1] > LEFT:
                decay = np.log(left[-1 - n] / left[-1]) / n  # a turn, over a turn of each player
                # It may shrink faster later, if players need many turns.
                patience = MOST_TURNS / len(probabilities)
                if np.log(left[-1] / LEFT) > (MOST_TURNS - len(probabilities)) * decay * patience:
                    said = f"a game of {self.game.name} lasts too long"
                    raise ValueError(f"{said} for a list of more than {MOST_TURNS:,} turns")
        turns = pd.RangeIndex(1, len(probabilities) + 1, name="turns")
        series = pd.Series(probabilities, index=turns, name="probability")
        series.attrs |= {"left": float(left[-1]), "endless": float(endless)}
        return series


def evaluate(game: Game | str, first: Strategy, second: Strategy, *more: Strategy) -> Match:
    """Play policies against each other, exactly.

    Parameters
    ----------
    game : Game or str
        Or the text of a game of the catalogue: "pig", "two-dice-pig 50".
    first, second : strategy
        Of the player who moves first, and of the next: a policy, a whole number n for *hold at n*, a function, a table,
        or the name of a file with one of these; see :mod:`dicelab.strategies`.
    *more : strategy
        Of more players, in order of play. Then all may be policies of equilibria of so many players. A policy for two
        players plays against the leader: it takes the largest score of the others for its opponent's; in a game with
        registers, of equal points those with the register that is last in the game's list.

    Returns
    -------
    Match

    Raises
    ------
    ValueError
        If an argument is not allowed, or a policy is for another game.
    NotImplementedError
        If a player who must roll beyond the target has a choice between a finish and a reset.
    ConvergenceError
        If the estimated error of the result is more than 1e-12.
    MemoryError
        Beforehand, if the evaluation would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(evaluate(pig(), hold_at(25), hold_at(20)).first_wins, 6)
    0.543482
    >>> round(evaluate("pig", 25, 20).first_wins, 6)
    0.543482
    >>> [round(chance, 4) for chance in evaluate(pig(30), hold_at(20), hold_at(15), hold_at(10)).wins]
    [0.5144, 0.3773, 0.1084]
    """
    rules = read_game(game)
    policies = read_players(rules, **names_of({"first": first, "second": second}, more))
    chain = chain_of(rules, *policies)
    values, residual, error = chain.wins()
    wins = values[0, chain.start[0]].tolist()
    if len(policies) > 2:
        check_residual(rules, residual)
    check_error(rules, error)
    return Match(
        game=rules,
        policies=policies,
        wins=tuple(wins if len(wins) > 1 else (wins[0], 1.0 - wins[0])),
        residual=residual,
        error=error,
    )


# The chain of a match


def names_of(first, more):
    """The arguments of a caller by name, a dict: those before ``*more``, a dict, and those in it."""
    return first | {f"more[{k}]": policy for k, policy in enumerate(more)}


def in_roles(game, *policies):
    """The policies of all players, each in its role; one for two has the second role in the last seat only."""
    if roles_of(game) == 1:
        return policies
    last, two = len(policies) - 1, [policy.players == 2 for policy in policies]
    return tuple(
        policy.when(role=int(seat == last) if for_two else seat)
        for seat, (policy, for_two) in enumerate(zip(policies, two, strict=True))
    )


def chain_of(game, *policies, begins=0):
    """The :class:`MatchChain` of the policies of all players, each in its role, numbered from the seat `begins` on."""
    n = len(policies)
    policies = in_roles(game, *policies)
    policies = [policies[(begins + k) % n] for k in range(n)]
    more = points_above(game, *policies)
    turns = {
        id(policy): turn_outcomes(game, policy, more)
        if policy.players == 2
        else multiplayer_outcomes(game, policy, more)
        for policy in distinct(policies)
    }
    answered = np.roll(np.resize(classes_of(game, n).answered, n), -begins).astype(float)
    chain = MatchChain(game, *(turns[id(policy)] for policy in policies), answered=answered)
    chain.finishes = after_finishes(chain, policies, more) if more else None
    return chain


def from_first(policies, role):
    """The policies of all players from the role 0 on, if the first of them is in a role; a list."""
    return [*policies[-role:], *policies[:-role]]


def chains_of(game, player, opponent):
    """The chains of a match: the player moves first in the game, and, where roles differ, in another one second."""
    orders = (player, opponent), (opponent, player)
    return [chain_of(game, *policies) for policies in orders[: roles_of(game)]]


def in_both_orders(chains):
    """The chances of a player to win, from the :func:`chains_of` a match.

    Returns
    -------
    first : ndarray (states of the player, states of the opponent)
        If the player, who moves first in the game, is about to move.
    after : ndarray (roles, states of the opponent, states of the player)
        If the opponent is about to move, by the opponent's role.
    error : float
    """
    first, second, _, error = chains[0].win_probability()
    after = [second]
    for chain in chains[1:]:
        other, _, _, more = chain.win_probability()
        after, error = [1.0 - other, second], max(error, more)
    check_error(chains[0].game, error)
    return first, np.array(after), float(error)


def wins_of(chains):
    """The player's chances at the start of the game, moving first and moving second, and the estimated error."""
    first, after, error = in_both_orders(chains)
    begin = chains[0].begin
    return float(first[begin]), float(after[0][begin[::-1]]), error


def both_orders(game, first, second):
    """The win probabilities of the first strategy against the second one, moving first and moving second."""
    return wins_of(chains_of(game, *read_players(game, first=first, second=second)))[:2]


def after_finishes(chain, policies, more):
    """The probabilities that a turn finishes and each player wins then, where others have a last turn.

    Returns
    -------
    ndarray (n, cells, n)
        By mover, by the cells as in a :class:`MatchChain`, and by seat.
    """
    n = chain.players
    found = np.zeros((n, chain.cells, n))
    for m, last in enumerate(chain.answered.astype(int).tolist()):
        order = [(m + k) % n for k in range(1, n)]
        after = after_last_turns(chain.game, [policies[p] for p in order[:last]], more)
        after, column = after.reshape(-1, more, last + 1), chain.columns(m)
        after = after.repeat(len(column) // len(after), axis=0)
        rows = [np.einsum("ck,ckp->cp", lead[column], after) for lead in chain.outcomes[m].lead]
        found[m][:, [*order[:last], m]] = np.concatenate(rows)
    return found


def after_last_turns(game, left, size, holders=1):
    """The chances of those who have a last turn yet, in order of play, and of each of so many who have the best score.

    Parameters
    ----------
    left : list of Policy
        Of those who have a last turn.
    size : int
        The points above the target to beat are 0, …, `size` - 1.
    holders : int

    Returns
    -------
    ndarray (states of the first player, …, `size`, players left + 1)
    """
    if not left:
        return np.full((size, 1), 1 / holders)
    left = [policy if policy.players > 2 else record(game, policy) for policy in left]
    return CACHE.get(
        (game, *left, size, holders),
        lambda: _after_last_turns(game, left, size, holders),
        lambda made: made.nbytes,
    )


def _after_last_turns(game, left, size, holders):
    policy, *rest = left
    counts = (1, holders, holders + (roles_of(game) > 1))
    parts = [after_last_turns(game, rest, 2 * size, c) for c in counts]
    shape = *parts[0].shape[:-2], size, len(left) + 1
    onward, same, joint = (part.reshape(-1, 2 * size, len(left)) for part in parts)
    states, beaten = list(product(game.scores, range(policy.memory))), np.arange(size)
    chances = np.empty((len(states), len(onward), size, len(left) + 1))
    ahead = np.arange(2 * size) > beaten[:, None]
    for row, state in zip(chances, states, strict=True):
        ends = last_turn_ends(game, policy, *state, rest, size, holders)
        beats = (ahead * ends) @ onward
        drawn = ends[:, beaten, beaten, None] * (roles_of(game) > 1)  # who draws shares the win
        fails = 1.0 - (ahead * ends).sum(axis=-1)[..., None] - drawn
        row[..., 0] = beats[..., -1] + (drawn * joint[:, :size])[..., -1]
        row[..., 1:] = fails * same[:, :size] + drawn * joint[:, :size]
        row[..., 1:-1] += beats[..., :-1]
    chances.flags.writeable = False
    return chances.reshape(len(states), *shape)


def multiplayer_outcomes(game, policy, more=0):
    """TurnOutcomes by own score, and the scores of the others in order of play as one number in base S."""
    outcomes, size = follow_states(game, actions_of(game, policy, more), 1, more), len(game.scores)
    holds, used = [outcomes.hold], outcomes.hold.size
    for (own, *others), share, given in bold_actions(game, policy, more):
        at = own, np.ravel_multi_index(others, (size,) * len(others))
        followed = follow_turns(rules_of(game), scores_of(game), own, *given, more)
        *ends, window, _, lead, hold = followed
        held = np.zeros(game.longest)
        (first, last), start = outcomes.window[at], outcomes.start[at]
        held[first:last] = (1 - share) * outcomes.hold[start : start + last - first]
        held[slice(*window[0])] += share * hold
        for part, bold in zip((*outcomes[:4], outcomes.lead), (*ends, lead), strict=True):
            part[at] += share * (bold[0] - part[at])
        if outcomes.leave[at] == 0.0:
            outcomes.bust[at] = 1.0
        holds_at = np.flatnonzero(held)
        first, last = (holds_at[0], holds_at[-1] + 1) if holds_at.size else (0, 0)
        outcomes.window[at], outcomes.start[at] = (first, last), used
        holds.append(held[first:last])
        used += last - first
    return outcomes._replace(hold=np.concatenate(holds))


def read_players(game, **policies):
    """Read the strategies of all players, and record them, a tuple; raises as :func:`evaluate`."""
    n = len(policies)
    check_game(game)
    penalties = {register.after_bust for register in game.registers if register.penalty > 0}
    back = len(penalties) / len(game.registers) if penalties else game.resets / len(game.scores)
    columns, more = n if n > 2 else 1, 0
    if n > 2:  # how far above the target turns end, and everybody's chances there
        above = reach_above(game, max(getattr(p, "above", 0) for p in policies.values()))
        more = 8 * above * len(game.scores) ** (n - 1) * (len(game.scores) + 2**n * n)
    return record_players(game, policies, n, 8 * columns * (1 + (RESTART + 10) * back), more=more)


def record_players(game, policies, players, cell, row=0, more=0):
    """Check the policies of several players, and record those that may change: a tuple.

    Parameters
    ----------
    game : Game
    policies : dict
        By the names of the caller's arguments.
    players : int
        All of them, a best responder included.
    cell, row, more : int
        The bytes that the caller needs for each cell and mover, for each turn of a policy, and besides.

    Raises
    ------
    ValueError
        If one is no policy, or a policy for another game or number of players.
    MemoryError
        If all that takes more than half of the memory.
    """
    if players > MOST_PLAYERS:
        raise ValueError(
            f"more: policies for {players} players are not allowed; give those for at most {MOST_PLAYERS}"
        )
    read_policies(game)  # whether policies can be followed in it at all
    two = players == 2
    read: dict[int, Policy] = {}  # a strategy that sits in two seats is read once
    for name, policy in policies.items():
        many = getattr(policy, "players", 2) > 2
        if many and (isinstance(policy, Solution) or not two):
            check_seat(game, name, policy, players)
        elif id(policy) not in read:
            (read[id(policy)],) = read_policies(game, **{name: policy})
    policies = {name: read.get(id(policy), policy) for name, policy in policies.items()}
    for_two = {name: policy for name, policy in policies.items() if policy.players == 2}
    cells = len(game.scores) ** players * math.prod(policy.memory for policy in policies.values())
    size = cells * (players * (cell + 1) + 8) + more
    for policy in distinct(policies.values()):
        many = policy.players > 2
        size += turns_bytes(game, players) if many else 2 * outcomes_bytes(game, policy)
        size += row * len(game.scores) ** (players if many else 2) * policy.memory
    seats, fewer = ("", "") if two else (f" with {players} players", ", or fewer players")
    said = f"a match of {game.name} to {game.target}{seats}"
    check_memory(size, said, f"take a smaller target{fewer}")
    recorded = dict(zip(for_two, record_policies(game, **for_two), strict=True))
    return tuple(recorded.get(name, policy) for name, policy in policies.items())


def check_seat(game, name, policy, players):
    """Refuse a policy of more than two players that is for another game; and a solution in its place."""
    if isinstance(policy, Solution):
        raise invalid(name, policy, "a policy; did you mean its .policy?", ())
    policy.check_is_for(game, players)


def turns_bytes(game, players):
    """The approximate size of the turns of a multiplayer policy, with the copy that is made of them."""
    most = game.longest if len(game.modes) > 1 else min(game.longest, 2 * game.most_points)
    return len(game.scores) ** players * (3 * 56 + 16 * most)


def turns_alone(game, policy, one_turn=False, more=None):
    """The turns of a policy if the others have no points: TurnOutcomes of one column, with the arguments checked.

    They are followed to `more` points above the target, by default only where they count.
    """
    n = getattr(policy, "players", 2)
    if n > 2:
        check_seat(game, "policy", policy, n)
        check_size(game, turns_bytes(game, n))
        more = points_above(game, policy) if more is None else more
        outcomes = multiplayer_outcomes(game, policy, more)
        seen = sum(outcomes.begin * len(game.scores) ** k for k in range(n - 1))
        columns = {k: x[:, [seen]] for k, x in outcomes._asdict().items() if np.ndim(x) > 1}
        return outcomes._replace(**columns)
    (policy,) = read_policies(game, one_turn=one_turn, policy=policy)
    check_size(game, outcomes_bytes(game, policy) // len(game.scores))
    more = points_above(game, policy) if more is None else more
    begin, states = scores_of(game).begin, list(product(game.scores, range(policy.memory)))
    if type(policy) is OptimalPolicy and not policy.above:  # is asked for these turns alone
        policy.check_is_for(game)
        rows = ask_against(game, policy, begin)
    else:
        (policy,) = record_policies(game, policy=policy)
        rows = ([part[[begin]] for part in policy.actions_at(game, *state)] for state in states)
    turns = zip(states, rows, strict=True)
    actions = (padded(game, own, *turn, more, policy.above) for (own, _), turn in turns)
    return follow_states(game, actions, policy.memory, more)


def turns_needed(game: Game, policy: Strategy) -> np.ndarray:
    """The expected number of turns to the target, for one player; raises as :func:`dicelab.evaluate`.

    The policy decides as against others without points.

    Returns
    -------
    ndarray (target,)
        By own score; with a policy that remembers turns, before one has scored; infinite where the policy may never
        reach the target. In a game with registers, by the place of the score in ``game.scores``.

    Notes
    -----
    A match of one player: see :mod:`dicelab.evaluation.markov_chain`.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(float(turns_needed(pig(), hold_at(20))[0]), 4)
    12.6368
    """
    chain = MatchChain(game, turns_alone(game, policy))
    ending = chain.ending()
    stuck = chain.solve(ending, fixed=1.0)[0] > 0.0
    turns, _, error = chain.solve(ending & ~stuck[..., 0], step=1.0)
    check_error(
        chain.game, error, max(1.0, turns.max()), ", as busts or resets undo nearly all turns"
    )
    memory = chain.outcomes[0].memory
    return np.where(stuck | (turns > ENDLESS), np.inf, turns)[0, ::memory, 0]


def chance_in_time(game, policy, turns):
    """The probability to reach the target within some turns, for one player; raises as :func:`dicelab.evaluate`."""
    clocked = getattr(policy, "clock", None) is not None and policy.turns_left is None
    if clocked and policy.clock < turns:
        said = f"one that knows what to do with {turns_in_words(turns)} left"
        raise invalid("policy", policy, said, ())
    now, reached = np.zeros(0), np.zeros(1)
    for left in progress(range(turns, 0, -1), title_of(game), "turn"):
        if clocked or left == turns:
            asked = policy.when(turns_left=left) if clocked else policy
            chain = MatchChain(game, turns_alone(game, asked, one_turn=clocked))
        if left == turns:
            now = np.zeros(chain.cells)
            now[chain.start[0]] = 1.0
        before, now = now, np.zeros(chain.cells)
        pass_turn(chain.turns, reached, 0, np.ones((1, chain.cells), dtype=bool), before, now)
    return float(reached[0])


def pairs_seen(game: Game, first: Policy, second: Policy) -> np.ndarray:
    """The pairs of scores at which a turn can begin when two policies play; raises as :func:`evaluate`.

    A breadth-first search on the graph of the pairs: a turn leads from (i, j) to (j, i') where it can hold at i', and
    to (j, i) where it can bust.

    Returns
    -------
    ndarray of bool, (2, target, target)
        Indexed [player about to move, that player's score, the other's score]; player 0 has moved first. In a game
        with registers scores are given by their places in ``game.scores``.

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> pairs_seen(piglet(4), hold_at(2), hold_at(3))[1].astype(int)  # the second player holds at 3, the first at 2
    array([[1, 0, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [1, 0, 1, 0]])
    """
    policies = read_players(game, first=first, second=second)
    chain = chain_of(game, *policies)
    memories = [policy.memory for policy in policies]
    size = len(game.scores)
    seen = zip(chain.by_states(chain.reached()), (memories, memories[::-1]), strict=True)
    return np.array(
        [states.reshape(size, mine, size, theirs).any((1, 3)) for states, (mine, theirs) in seen]
    )


# Last turns that are answered by fixed policies


def turns_against(game, players, role, after=None):
    """Where the turns of one player lead, if the others play their last turns by fixed policies.

    Parameters
    ----------
    players : sequence of Policy
        Of all, from the role 0 on; that of the player in `role` is not asked.
    role : int
    after : ndarray (cells,), optional
        The chance of this player when the next one is about to move, or more, by the cells as in a
        :class:`MatchChain`. Without it every finish wins.

    Returns
    -------
    tuple
        As :func:`dicelab.solvers.turn.last_turns_of` returns it.
    above : int
        The most points above the target at which a turn may go on.
    """
    n, last = len(players), game.finish in LAST_TURN
    race, back = race_of(game, n)
    facing = (in_roles(game, *players) * 2)[role + 1 : role + n]
    answered = int(classes_of(game, n).answered[role])
    some = {0, answered * (role > 0)} if roles_of(game) > 1 else set(range((n - 1) * last))
    races = [led_against(game, race, facing[:k]) if k in some else None for k in range(n)]
    spared = None if after is None else 1.0 - after.reshape(-1, len(game.scores)).max(axis=1)
    sure = led_to(race, race.lead[:1], 0, race.cut, 0)
    first = sure if after is None else led_against(game, race, facing[:answered], spared)
    above = max(farthest(one) for one in (first, *races) if one)
    return (first, back, partial(race_against, game, races, facing)), above


def race_against(game, races, facing, left, beaten):
    """The race of a last turn with so many points above the target to beat; kept in `races`."""
    known = races[left].ends[0, WIDTH] - farthest(races[left]) - rules_of(game).beyond.shape[2]
    if left and beaten >= known:
        races[left] = led_against(game, races[0], facing[:left], beaten=int(beaten))
    return races[left]


def led_against(game, race, left, spared=None, beaten=0):
    """The race in which some players have a last turn after a finish, and play it by fixed policies.

    A hold at e points above the target, or above the score to beat, is right if the others' chance to spoil it is then
    at most q·v: q is the least risk of a loss among gains and losses, and v the least chance that a loss leaves to
    them. Where a player must roll on above the target, turns are followed until their chance is below 1e-20.

    Parameters
    ----------
    left : list of Policy
        Of these players, in order of play.
    spared : ndarray, optional
        v by the scores of all others. Without it, the race is that of a last turn, by the scores of those who are left;
        a loss leaves 1 to the others.
    beaten : int
        The points above the target to beat, or more.
    """
    n, k, size = race.players, len(left), len(game.scores)
    rules, (risk, forced) = rules_of(game), risk_above(game)
    last, draws = spared is None, roles_of(game) > 1
    reach = rules.beyond.shape[2] if last and draws else 0
    if not left:
        return led_to(race, race.lead[: n if reach else 1], 0, race.cut, 0, reach)
    spare = rules.beyond.shape[2] + int(race.least_hold.max())
    depth, others = points_above(game, *left) + spare, k if last else n - 1
    more = size ** (others - k)  # rows for those who have no last turn
    v = np.ones(1) if last else placed(game, others, spared[:, None])[:, 0]
    while True:
        holders = range(1, n - k + 1 if reach else 2)
        chances = [after_last_turns(game, left, depth, c) for c in holders]
        spoils = chances[0][..., :-1].sum(axis=-1).reshape(-1, depth)
        spoils = placed(game, k, spoils).repeat(more, axis=0)
        worst = np.minimum(v, spoils[:, : game.most_paid].min(axis=1, initial=1.0))
        enough = UNLIKELY if forced else np.maximum(UNLIKELY, float(risk) * worst)[:, None]
        likely = spoils > enough
        cut = np.where(likely.any(axis=1), depth - likely[:, ::-1].argmax(axis=1), 0)
        if beaten + cut.max() + spare + draws <= depth:
            break
        depth *= 2
    held = [placed(game, k, part.reshape(-1, depth * (k + 1))) for part in chances]
    lead = np.zeros((len(chances) * depth * size**others, n))
    lead[:, [*range(k), -1]] = np.concatenate(held).repeat(more, axis=0).reshape(-1, k + 1)
    return led_to(race, lead, depth, cut, others, reach)
