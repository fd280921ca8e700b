"""Fixed policies of n ≥ 3 players against each other, exactly, and the best response to those of all others.

The players sit in order of play, seats 0, …, n - 1; seat 0 moves first. Every player follows a fixed policy. A policy
for two players plays against the *leader*: it takes the largest score of the others for the opponent's. A
:class:`MultiplayerPolicy` looks at the scores of all others, in order of play. So the turns of every player are
:class:`TurnOutcomes`, whose columns are the leader's scores, or the scores of the others as one number in base N.
Where an equilibrium is mixed, the turn is a mixture of a cautious turn and a bold one.

The chain
---------
A *cell* is the tuple of all players' states (scores, with what a policy remembers). In a cell with player m about to
move, let uₘ be an expected value of the rest of the match, for example the chance that a certain player wins. Let m'
be the player after m. A turn of player m finishes, holds at the state s' with probability q(s'), busts with β or resets
with ρ, so that

    uₘ = Rₘ + βₘ·uₘ',      Rₘ = c + Σ q(s')·uₘ'(the cell with s') + ρ·uₘ'(the cell with state 0).                    (1)

c is the probability to finish for the chance of player m to win, 0 for the chances of the others, and 1 for the number
of turns. Holds lead to larger states, so we solve the cells backwards. In one cell the n equations (1) are a cycle of
busts. With L = 1 - β,

    uₘ = Σ over k = 0, …, n - 1 of  βₘ···βₘ₊ₖ₋₁·Rₘ₊ₖ  /  Σ over k of  βₘ···βₘ₊ₖ₋₁·Lₘ₊ₖ.                              (2)

The denominator is 1 - Π β, written as a sum of positive terms, so that no digits are lost where turns nearly always
bust. With n = 2 these are the equations of :mod:`dicelab.evaluation.markov_chain`.

**Endless play** counts 1/n for each. States from which no end can be reached are found on the graph of the states.

**Resets.** The values after a reset are unknown while the cells are solved. They are iterated to a fixed point.

The best response
-----------------
Seat 0 plays best, the others as given. In a cell, let x be the own chance at the start of the turn, and z after a bust.
The turns of the others are fixed, so (1) makes z = A + B·x, with B the probability that all of them bust. With the turn
operator f of :mod:`dicelab.solvers.more_players`,

    x = f(A + B·x).                                                                                                (3)

f is convex, and policy iteration from below solves (3) cell by cell. In the end the response is evaluated by the chain,
as any other policy. Its own chances must equal x everywhere.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import NamedTuple, TypeAlias

import numpy as np

from .._accuracy import (
    ACCURACY,
    FOREVER,
    ROUNDING,
    ConvergenceError,
    check_error,
    check_residual,
    settle,
)
from .._compile import compiled, inlined
from .._limits import check_memory
from .._recorded import record_policies
from .._shown import Shown, name_of, title_of
from .._validation import invalid
from ..games.model import Game, check_game
from ..games.registers import scores_of
from ..multiplayer import MOST_PLAYERS, MultiplayerPolicy, MultiplayerSolution
from ..policies import Policy
from ..solvers._kernels import rules_of
from ..solvers.more_players import decide, new_room, respond_turns
from ..strategies import Strategy, read_policies
from .turn_outcomes import follow_states, follow_turns, outcomes_bytes, turn_outcomes

__all__ = [
    "AnyPolicy",
    "AnyStrategy",
    "MultiplayerChain",
    "MultiplayerMatch",
    "bold_turns",
    "distinct",
]
__all__ += [
    "evaluate_players",
    "in_order",
    "names_of",
    "number_of",
    "record_players",
    "respond_to_players",
]

AnyPolicy: TypeAlias = Policy | MultiplayerPolicy
AnyStrategy: TypeAlias = Strategy | MultiplayerPolicy
SMALLER = "take a smaller target, or fewer players"


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
    for_two = {
        name: policy
        for name, policy in policies.items()
        if not isinstance(policy, MultiplayerPolicy)
    }
    once = {
        id(policy): name for name, policy in for_two.items()
    }  # a strategy that sits in two seats is read once
    for name, policy in for_two.items():
        if isinstance(getattr(policy, "policy", None), MultiplayerPolicy):
            raise invalid(name, policy, "a policy; did you mean its .policy?", ())
    read = dict(
        zip(
            once,
            read_policies(game, False, **{name: for_two[name] for name in once.values()}),
            strict=True,
        )
    )
    for_two = {name: read[id(policy)] for name, policy in for_two.items()}
    policies = policies | for_two
    for policy in policies.values():
        if isinstance(policy, MultiplayerPolicy):
            policy.check_is_for(game, players)
    cells = game.target**players * math.prod(
        getattr(policy, "memory", 1) for policy in policies.values()
    )
    size = cells * players * (cell + 1) + more
    for policy in distinct(policies.values()):
        many = isinstance(policy, MultiplayerPolicy)
        size += turns_bytes(game, players) if many else 2 * outcomes_bytes(game, policy)
        size += row * (game.target**players if many else game.target**2 * policy.memory)
    check_memory(size, f"a match of {game.name} to {game.target} with {players} players", SMALLER)
    recorded = dict(zip(for_two, record_policies(game, **for_two), strict=True))
    return tuple(recorded.get(name, policy) for name, policy in policies.items())


def check_number(players):
    """Raise ValueError if more play than arrays have room for."""
    if players > MOST_PLAYERS:
        raise ValueError(
            f"more: policies for {players} players are not allowed; give those for at most {MOST_PLAYERS}"
        )


def turns_bytes(game, players):
    """The approximate size of the turns of a multiplayer policy, with the copy that is made of them."""
    most = game.target if len(game.modes) > 1 else min(game.target, 2 * game.most_points)
    return game.target**players * (3 * 56 + 16 * most)


def names_of(first, more):
    """The arguments of a caller by name, a dict: those before ``*more``, a dict, and those in it."""
    return first | {f"more[{k}]": policy for k, policy in enumerate(more)}


def in_order(policies, say):
    """A text for each policy, joined: "a, b and c"."""
    *texts, last = [say(k, policy) for k, policy in enumerate(policies)]
    return f"{', '.join(texts)} and {last}"


def distinct(policies):
    """Each policy once, a list, in the order of its first seat."""
    return list({id(policy): policy for policy in policies if policy is not None}.values())


# The turns of all players


class Turns(NamedTuple):
    """The turns of all players in one table of T turns; the last five are by player."""

    finish: np.ndarray  # (T,)
    bust: np.ndarray  # (T,)
    leave: np.ndarray  # (T,)
    reset: np.ndarray  # (T,)
    window: np.ndarray  # (T, 2) holds are at the scores window[…, 0], …, window[…, 1] - 1
    start: np.ndarray  # (T,) the index in `hold` of the first of these
    hold: np.ndarray  # (L,)
    base: np.ndarray  # (n,) the player's first turn; one state's turns stand side by side
    columns: np.ndarray  # (n,) how many these are
    leads: (
        np.ndarray
    )  # (n,) whether they are numbered by the leader's score, or by the scores of all others
    memory: np.ndarray  # (n,)
    states: np.ndarray  # (n,) N times memory


def turns_of(game, policies):
    """The turns of all players; None instead of a policy stands for a player without turns."""
    leads = np.array([not isinstance(policy, MultiplayerPolicy) for policy in policies])
    tables, rows = [], {None: 0}
    for policy in distinct(policies):
        rows[id(policy)] = sum(table.bust.size for table in tables)
        of_more = isinstance(policy, MultiplayerPolicy)
        tables.append(
            multiplayer_outcomes(game, policy) if of_more else turn_outcomes(game, policy)
        )
    base = [rows[policy and id(policy)] for policy in policies]
    holds = np.cumsum([0, *(table.hold.size for table in tables)])
    parts = [
        [getattr(table, name).ravel() for table in tables]
        for name in ("finish", "bust", "leave", "reset")
    ]
    memory = np.array([getattr(policy, "memory", 1) for policy in policies])
    return Turns(
        *map(np.concatenate, parts),
        np.concatenate([table.window.reshape(-1, 2) for table in tables]),
        np.concatenate(
            [table.start.ravel() + first for table, first in zip(tables, holds, strict=False)]
        ),
        np.concatenate([table.hold for table in tables]),
        np.array(base),
        np.where(leads, game.target, game.target ** (len(policies) - 1)),
        leads,
        memory,
        game.target * memory,
    )


def multiplayer_outcomes(game, policy):
    """TurnOutcomes by own score, and the scores of the others in order of play as one number in base N."""
    target, shares = game.target, bold_turns(policy)
    outcomes = follow_states(game, map(policy.actions_at, range(target)), 1)
    rules = rules_of(game)
    scores = scores_of(game)
    holds = [outcomes.hold]
    used = outcomes.hold.size
    for (own, *others), share in shares.items():
        at = own, number_of(others, target)
        *ends, window, _, _, hold = follow_turns(
            rules, scores, own, *policy.actions([own], [others], [True]), 0
        )
        held = np.zeros(target)
        (first, last), start = outcomes.window[at], outcomes.start[at]
        held[first:last] = (1 - share) * outcomes.hold[start : start + last - first]
        held[slice(*window[0])] += share * hold
        for part, bold in zip(outcomes[:4], ends, strict=True):
            part[at] += share * (bold[0] - part[at])
        if outcomes.leave[at] == 0.0:
            outcomes.bust[at] = 1.0
        holds_at = np.flatnonzero(held)
        first, last = (holds_at[0], holds_at[-1] + 1) if holds_at.size else (0, 0)
        outcomes.window[at], outcomes.start[at] = (first, last), used
        holds.append(held[first:last])
        used += last - first
    return outcomes._replace(hold=np.concatenate(holds))


def bold_turns(policy):
    """How often the bold turn is played, a dict of float by scores in order of play from the player to move on."""
    return {scores: float(share) for scores, share in policy.bold_shares.items() if share > 0}


def number_of(scores, target):
    """The number of a tuple of scores in base `target`."""
    number = 0
    for score in scores:
        number = number * target + score
    return number


# The cells


@inlined
def turn_of(turns, mover, states, target):
    """The number of a turn of player `mover` in a cell."""
    n, column = len(states), 0
    for k in range(1, n):
        other = (mover + k) % n
        score = states[other] // turns.memory[other]
        column = max(column, score) if turns.leads[mover] else column * target + score
    return turns.base[mover] + states[mover] * turns.columns[mover] + column


@inlined
def after_reset(place, mover, states, strides, first):
    """The row of the values after a reset of player `mover` in a cell; see :meth:`MultiplayerChain.after_resets`."""
    block = strides[mover] * states[mover]
    return first[mover] + place // block * strides[mover] + place % strides[mover]


@inlined
def read_cell(place, states, cell):
    """Fill `cell` with the players' states in the cell number `place`."""
    for p in range(len(cell) - 1, -1, -1):
        cell[p], place = place % states[p], place // states[p]


@compiled
def mark_ending(turns, target, strides, ending):
    """Mark in `ending` (cells, n), all False, from which cells and movers an end can be reached.

    Holds lead to larger states: only busts and resets need more than one round.
    """
    cells, n = ending.shape
    cell, more = np.zeros(n, dtype=np.int64), True
    while more:
        more = False
        for place in range(cells - 1, -1, -1):
            read_cell(place, turns.states, cell)
            for k in range(
                2 * n - 1, -1, -1
            ):  # a bust leads to the next player's turn in the same cell
                m = k % n
                if ending[place, m]:
                    continue
                t = turn_of(turns, m, cell, target)
                following = (m + 1) % n
                memory = turns.memory[m]
                found = turns.finish[t] > 0.0 or (turns.bust[t] > 0.0 and ending[place, following])
                found = found or (
                    turns.reset[t] > 0.0 and ending[place - cell[m] * strides[m], following]
                )
                first = turns.window[t, 0]
                remembered = min(cell[m] % memory + 1, memory - 1)
                for held in range(first, turns.window[t, 1]):
                    if found:
                        break
                    after = place + (held * memory + remembered - cell[m]) * strides[m]
                    found = (
                        turns.hold[turns.start[t] + held - first] > 0.0 and ending[after, following]
                    )
                if found:
                    ending[place, m] = more = True


@compiled
def solve_cells(turns, target, strides, ending, credit, step, fixed, first_reset, resets, values):
    """Fill `values` by (2): K expected values of the rest of the match.

    Parameters
    ----------
    turns : Turns
    target : int
    strides : ndarray of int (n,)
        By how much the number of the cell grows with a player's state.
    ending : ndarray of bool (cells, n)
        All other states have the value `fixed`.
    credit : ndarray (n, K)
        The value of a finish, by player.
    step : float
        The value of a turn.
    fixed : float
    first_reset : ndarray of int (n,)
    resets : ndarray (R, K)
        The values after resets; those of player p begin at ``first_reset[p]``.
    values : ndarray (cells, n, K)
    """
    cells, n, size = values.shape
    cell = np.zeros(n, dtype=np.int64)
    right = np.zeros((n, size))
    bust = np.zeros(n)
    leave = np.zeros(n)
    for place in range(cells - 1, -1, -1):
        read_cell(place, turns.states, cell)
        for m in range(n):
            if not ending[place, m]:
                right[m], bust[m], leave[m] = fixed, 0.0, 1.0
                continue
            t = turn_of(turns, m, cell, target)
            following = (m + 1) % n
            memory = turns.memory[m]
            bust[m], leave[m] = turns.bust[t], turns.leave[t]
            for p in range(size):
                right[m, p] = step + turns.finish[t] * credit[m, p]
            if turns.reset[t] > 0.0:
                back = after_reset(place, m, turns.states, strides, first_reset)
                for p in range(size):
                    right[m, p] += turns.reset[t] * resets[back, p]
            first = turns.window[t, 0]
            remembered = min(cell[m] % memory + 1, memory - 1)
            for held in range(first, turns.window[t, 1]):
                q = turns.hold[turns.start[t] + held - first]
                after = place + (held * memory + remembered - cell[m]) * strides[m]
                for p in range(size):
                    right[m, p] += q * values[after, following, p]
        for m in range(n):
            on, away = 1.0, 0.0
            for p in range(size):
                values[place, m, p] = 0.0
            for k in range(n):
                j = (m + k) % n
                for p in range(size):
                    values[place, m, p] += on * right[j, p]
                away += on * leave[j]
                on *= bust[j]
            for p in range(size):
                values[place, m, p] /= away


@compiled
def turns_of_others(
    turns, target, strides, first_reset, resets, line, chances, right, bust, constant, leave
):
    """The own chances of a best responder, seat 0, after the turns of the others: A and 1 - B of (3).

    Parameters
    ----------
    line : int
        The number of the scores of the others.
    resets : ndarray (R,)
    chances : ndarray (cells, n)
        The responder's, by cell and mover; those of larger scores of the others are filled in.
    right, bust : ndarray (N, n)
        Filled with R and β of (1), by own needs less 1 and mover.
    constant, leave : ndarray (N,)
        Filled, by own needs less 1.
    """
    n = chances.shape[1]
    cell = np.zeros(n, dtype=np.int64)
    for own in range(target):
        place, row = own * strides[0] + line, target - own - 1
        read_cell(place, turns.states, cell)
        on, constant[row], leave[row] = 1.0, 0.0, 0.0
        for m in range(1, n):
            t, following = turn_of(turns, m, cell, target), (m + 1) % n
            total, first = 0.0, turns.window[t, 0]
            if turns.reset[t] > 0.0:
                total += (
                    turns.reset[t]
                    * resets[after_reset(place, m, turns.states, strides, first_reset)]
                )
            for held in range(first, turns.window[t, 1]):
                after = place + (held - cell[m]) * strides[m]
                total += turns.hold[turns.start[t] + held - first] * chances[after, following]
            right[row, m], bust[row, m] = total, turns.bust[t]
            constant[row] += on * total
            leave[row] += on * turns.leave[t]
            on *= turns.bust[t]


class MultiplayerChain:
    """The Markov chain of a match of n players.

    Parameters
    ----------
    game : Game
    policies : tuple
        Of the players, in order of play.
    """

    def __init__(self, game, policies):
        self.game, self.players, self.turns = game, len(policies), turns_of(game, policies)
        states = self.turns.states
        self.strides = np.append(np.cumprod(states[:0:-1])[::-1], 1)
        self.cells = math.prod(states.tolist())
        sizes = self.cells // states
        self.first_reset = np.cumsum(sizes) - sizes
        self.reset_states = int(sizes.sum())

    @cached_property
    def ending(self):
        """Whether an end can be reached, (cells, n) of bool, by cell and mover."""
        ending = np.zeros((self.cells, self.players), dtype=bool)
        mark_ending(self.turns, self.game.target, self.strides, ending)
        return ending

    def after_resets(self, values):
        """The values after a reset of each player in turn, where that player's state is 0 and the next one moves."""
        n = self.players
        table = values.reshape(*self.turns.states.tolist(), n, -1)
        return np.concatenate(
            [
                table.take(0, axis=p)[..., (p + 1) % n, :].reshape(-1, table.shape[-1])
                for p in range(n)
            ]
        )

    def solve(self, credit, step=0.0, fixed=0.0):
        """Solve the equations (1).

        Parameters
        ----------
        credit : ndarray (n, K)
            The value of a finish by player, of K expected values.
        step : float
            The value of a turn.
        fixed : float
            The value of endless play.

        Returns
        -------
        values : ndarray (cells, n, K)
            By cell and mover.
        residual : float
            Of the values after a reset, relative to their size; 0 without resets.
        error : float
            An estimate of how far values may be off.
        """
        values = np.empty((self.cells, self.players, credit.shape[1]))
        resets = np.full((self.reset_states, credit.shape[1]), fixed)
        residual = 0.0
        repeats = 0.0
        unit = 1.0

        def sweep(resets):
            self.solve_given(
                resets.reshape(-1, credit.shape[1]) * unit, credit, step, fixed, values
            )
            return (self.after_resets(values) / unit).ravel() - resets

        if not self.game.resets:
            sweep(resets.ravel())
            unit = values[0, 0].max() if step else 1.0
        else:
            repeats = self.resets_expected
            if step:
                sweep(resets.ravel())
                unit = self.after_resets(values).max()  # the turns before the first reset
            resets = resets.ravel()
            resets = settle(sweep, resets + sweep(resets), self.game)
            residual = float(abs(sweep(resets)).max())
        rounded = ROUNDING * (int(self.turns.states.sum()) ** 0.5 + repeats)
        return values, residual, unit * (residual * (1 + repeats) + rounded)

    def solve_given(self, resets, credit, step, fixed, values):
        """Fill `values`, given those after resets; see :func:`solve_cells`."""
        arrays = self.turns, self.game.target, self.strides, self.ending
        solve_cells(*arrays, credit, step, fixed, self.first_reset, resets, values)

    @cached_property
    def resets_expected(self):
        """At most how many resets a match can expect."""
        values = np.empty((self.cells, self.players, 1))
        self.solve_given(
            np.zeros((self.reset_states, 1)), np.ones((self.players, 1)), 0.0, 1.0, values
        )
        least = float(self.after_resets(values).min())
        return min(1 / least, FOREVER) if least > 0.0 else FOREVER

    def wins(self):
        """Everybody's chance to win, (cells, n, n) by cell, mover and player; the residual; the error."""
        wins, residual, error = self.solve(np.eye(self.players), fixed=1 / self.players)
        wrong = np.abs(wins[0].sum(axis=-1) - 1.0).max()  # of the match, whoever begins
        return wins, residual, max(error, float(wrong) if not wrong <= ACCURACY else 0.0)


# The match


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiplayerMatch(Shown):
    """The result of a match of three and more players.

    Attributes
    ----------
    game : Game
    policies : tuple of Policy or MultiplayerPolicy
        In order of play.
    wins : tuple of float
        The probabilities to win, in order of play. Endless play, where nobody can reach the target, counts 1/n each.
    residual : float
        Largest residual of the values after a reset; 0 without resets.
    error : float
        An estimate of how far `wins` may be off.

    The mean number of turns is computed when it is asked for.

    Examples
    --------
    >>> from dicelab import evaluate, hold_at, pig
    >>> match = evaluate(pig(30), hold_at(20), hold_at(15), hold_at(10))
    >>> [round(chance, 4) for chance in match.wins]
    [0.5144, 0.3773, 0.1084]
    """

    game: Game
    policies: tuple = field(repr=False)
    wins: tuple
    residual: float
    error: float

    def __repr__(self):
        said = in_order(
            self.policies, lambda k, policy: f"{name_of(policy)} wins {self.wins[k]:.6f}"
        )
        return f"<MultiplayerMatch of {title_of(self.game)}: {said}, in order of play>"

    @cached_property
    def turns_mean(self) -> float:
        """Mean number of turns, all players' together; infinite if play may be endless."""
        chain = MultiplayerChain(self.game, self.policies)
        none = np.zeros((chain.players, 1))
        if not chain.ending.all() and chain.solve(none, fixed=1.0)[0][0, 0, 0] > 0:
            return np.inf
        values, _, error = chain.solve(none, step=1.0)
        mean = float(values[0, 0, 0])
        check_error(self.game, error, mean)
        return mean


def evaluate_players(game, policies):
    """Play several policies against each other, exactly; see :func:`dicelab.evaluate`.

    Parameters
    ----------
    game : Game
    policies : dict
        In order of play, by the names of the caller's arguments.

    Returns
    -------
    MultiplayerMatch
    """
    check_number(len(policies))
    policies = record_players(game, policies, len(policies), cell=8 * len(policies))
    chain = MultiplayerChain(game, policies)
    values, residual, error = chain.wins()
    check_residual(game, residual)
    check_error(game, error)
    return MultiplayerMatch(
        game=game,
        policies=policies,
        wins=tuple(values[0, 0].tolist()),
        residual=residual,
        error=error,
    )


# The best response


def respond_to_players(game, policies):
    """The best response to the fixed policies of all others; see :func:`dicelab.best_response`.

    Parameters
    ----------
    game : Game
    policies : dict
        Of the others in order of play, by the names of the caller's arguments.

    Returns
    -------
    MultiplayerSolution
    """
    n = len(policies) + 1
    check_number(n)
    check_game(game, last_turn=False, registers=False)
    others = record_players(game, policies, n, cell=8 * n + 24, more=turns_bytes(game, n))
    for name, policy in policies.items():
        if getattr(policy, "memory", 1) > 1:
            raise NotImplementedError(
                f"{name}: {policy} remembers its turns; the best response would have to, too"
            )
    target = game.target
    chain = MultiplayerChain(game, (None, *others))
    chances = np.zeros((chain.cells, n))
    resets, residual = np.full(chain.reset_states, 1 / n), 0.0

    def sweep(resets):
        nonlocal residual
        residual = respond_given(chain, np.clip(resets, 0.0, 1.0), chances)
        return chain.after_resets(chances).ravel() - resets

    change = sweep(resets)
    if game.resets:
        resets = settle(sweep, resets + change, game)
        residual = max(residual, abs(sweep(resets)).max())
    check_residual(game, residual)
    by_needs = chances[:, 1].reshape((target,) * n)[(slice(None, None, -1),) * n]
    after = np.zeros((target**n, 2))
    after[:, 1] = np.moveaxis(by_needs, 0, -1).ravel()
    name = f"best response to {in_order(others, lambda _, policy: name_of(policy))}"
    policy = MultiplayerPolicy(game, n, partial(decide, game, n, after), {}, name)
    values, _, error = MultiplayerChain(game, (policy, *others)).wins()
    check_error(game, error)
    short = abs(values[:, 0, 0] - chances[:, 0]).max()
    if not short <= ACCURACY:
        raise ConvergenceError(
            f"{game.name}: the best response falls short of its value by {short:.1e}"
        )
    return MultiplayerSolution(
        game=game,
        players=n,
        values=values[:, 0].reshape((target,) * n + (n,)).copy(),
        policy=policy,
        residual=float(residual),
        error=error,
        against=others,
    )


def respond_given(chain, resets, chances):
    """Fill `chances`, the responder's by cell and mover, given those after resets; return the residual of (3)."""
    game = chain.game
    n = chain.players
    target = chain.game.target
    rules = rules_of(game)
    room = new_room(game, 2, float)
    lines = target ** (n - 1)
    worst = 0.0
    table = chances.reshape(target, lines, n)[::-1]  # by own needs less 1
    right, bust = np.zeros((target, n)), np.zeros((target, n))
    constant = np.zeros(target)
    leave = np.zeros(target)
    own = np.zeros(target)
    after = np.zeros((target, 2))
    reset = np.zeros((1, 2))
    arrays = chain.turns, target, chain.strides, chain.first_reset, resets
    workspace = room.turn, room.pieces[0, 0], after, own
    for line in range(lines - 1, -1, -1):
        turns_of_others(*arrays, line, chances, right, bust, constant, leave)
        reset[0, 1] = resets[line]  # seat 0 is first
        worst = max(worst, respond_turns(rules, constant, leave, 1 / n, reset, *workspace))
        table[:, line, 0] = chance = own
        for m in range(n - 1, 0, -1):
            table[:, line, m] = chance = right[:, m] + bust[:, m] * chance
    return worst
