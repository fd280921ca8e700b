"""Fixed policies of n ≥ 3 players against each other, exactly, and the best response to those of all others.

The players sit in order of play, seats 0, …, n - 1; seat 0 moves first. Every player follows a fixed policy. A policy
for two players plays against the *leader*: it takes the largest score of the others for the opponent's. (With
registers, of leaders with the same points it is the one whose register comes last in the game's list.) A
policy of more players looks at the scores of all others, in order of play. So the turns of every player are
:class:`TurnOutcomes`, whose columns are the leader's scores, or the scores of the others as one number in base N.
Where an equilibrium is mixed, the turn is a mixture of a cautious turn and a bold one.

The chain
---------
A *cell* is the tuple of all players' states (scores, with what a policy remembers). In a cell with player m about to
move, let uₘ be an expected value of the rest of the match, for example the chance that a certain player wins. Let m'
be the player after m. A turn of player m finishes, holds at the state s' with probability q(s'), busts with β or resets
with ρ, so that

    uₘ = Rₘ + βₘ·uₘ',      Rₘ = c + Σ q(s')·uₘ'(the cell with s') + ρ·uₘ'(the cell with the first state).            (1)

c is the probability to finish for the chance of player m to win, 0 for the chances of the others, and 1 for the number
of turns. Holds lead to larger states, so we solve the cells backwards. In one cell the n equations (1) are a cycle of
busts. With L = 1 - β,

    uₘ = Σ over k = 0, …, n - 1 of  βₘ···βₘ₊ₖ₋₁·Rₘ₊ₖ  /  Σ over k of  βₘ···βₘ₊ₖ₋₁·Lₘ₊ₖ.                              (2)

The denominator is 1 - Π β, written as a sum of positive terms, so that no digits are lost where turns nearly always
bust. With n = 2 these are the equations of :mod:`dicelab.evaluation.markov_chain`.

**Registers.** A bust may change the register of the player. Then it leads to another of the cells with the same points,
and the equations (1) of these cells form chains, which :func:`dicelab.solvers.cycle.close_chains` solves. Without
registers there is one such cell, and the chain is the cycle (2).

**Endless play** counts 1/n for each. States from which no end can be reached are found on the graph of the states.

**Resets and penalties.** The values after a reset, and after a bust that costs points, are unknown while the cells are
solved. Call them z: one pass maps z to M·z + b. This is iterated to a fixed point; or if there are penalties, z is
found by GMRES, as for two players.

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
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from .._accuracy import (
    ACCURACY,
    FOREVER,
    RAREST,
    ROUNDING,
    ConvergenceError,
    check_error,
    check_residual,
    check_told_apart,
    settle,
)
from .._compile import compiled, inlined
from .._limits import check_memory
from .._recorded import record_policies
from .._shown import name_of
from .._validation import invalid
from ..games.absorption import may_be_endless
from ..games.model import check_game
from ..games.registers import scores_of
from ..policies import branching_outcomes
from ..solution import MOST_PLAYERS, OptimalPolicy, Solution
from ..solvers._kernels import rules_of
from ..solvers.cycle import close_chains
from ..solvers.more_players import decide, new_room, places_of, race_of, respond_turns
from ..strategies import read_policies
from .markov_chain import RESTART, RESTARTS, costs_points, led_back_to, refine
from .turn_outcomes import follow_states, follow_turns, outcomes_bytes, turn_outcomes

__all__ = [
    "MultiplayerChain",
    "bold_turns",
    "distinct",
]
__all__ += [
    "check_match_ends",
    "evaluate_players",
    "in_order",
    "mean_turns",
    "names_of",
    "record_players",
    "respond_to_players",
]

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
        name: policy for name, policy in policies.items() if getattr(policy, "players", 2) == 2
    }
    once = {
        id(policy): name for name, policy in for_two.items()
    }  # a strategy that sits in two seats is read once
    for name, policy in policies.items():
        if isinstance(policy, Solution) and policy.players > 2:
            raise invalid(name, policy, "a policy; did you mean its .policy?", ())
    read = dict(
        zip(
            once,
            read_policies(game, last_turn=False, **{name: for_two[name] for name in once.values()}),
            strict=True,
        )
    )
    for_two = {name: read[id(policy)] for name, policy in for_two.items()}
    policies = policies | for_two
    for policy in policies.values():
        if policy.players > 2:
            policy.check_is_for(check_game(game, last_turn=False), players)
    cells = len(game.scores) ** players * math.prod(policy.memory for policy in policies.values())
    size = cells * players * (cell + 1) + more
    for policy in distinct(policies.values()):
        many = policy.players > 2
        size += turns_bytes(game, players) if many else 2 * outcomes_bytes(game, policy)
        size += row * len(game.scores) ** (players if many else 2) * policy.memory
    check_memory(size, f"a match of {game.name} to {game.target} with {players} players", SMALLER)
    recorded = dict(zip(for_two, record_policies(game, **for_two), strict=True))
    return tuple(recorded.get(name, policy) for name, policy in policies.items())


def check_number(players):
    """Raise ValueError if more play than arrays have room for."""
    if players > MOST_PLAYERS:
        raise ValueError(
            f"more: policies for {players} players are not allowed; give those for at most {MOST_PLAYERS}"
        )


def check_match_ends(game):
    """Raise ValueError if a player can make sure never to finish."""
    if may_be_endless(game):
        raise ValueError(
            f"{game.name}: a player can make sure never to finish, so that a match need not end, and policy iteration"
            " may stop at a wrong answer"
        )


def turns_bytes(game, players):
    """The approximate size of the turns of a multiplayer policy, with the copy that is made of them."""
    most = game.longest if len(game.modes) > 1 else min(game.longest, 2 * game.most_points)
    return len(game.scores) ** players * (3 * 56 + 16 * most)


def names_of(first, more):
    """The arguments of a caller by name, a dict: those before ``*more``, a dict, and those in it."""
    return first | {f"more[{k}]": policy for k, policy in enumerate(more)}


def in_order(policies, say):
    """A text for each policy, joined: "a, b and c"."""
    *texts, last = [say(k, policy) for k, policy in enumerate(policies)]
    return f"{', '.join(texts)} and {last}"


def distinct(policies):
    """Each policy once, a list, in the order of its first seat."""
    return list({id(policy): policy for policy in policies}.values())


# The turns of all players


class Turns(NamedTuple):
    """The turns of all n players in one table of T turns, and how they lead from one of at most S states to another."""

    finish: np.ndarray  # (T,)
    bust: np.ndarray  # (T,)
    leave: np.ndarray  # (T,)
    reset: np.ndarray  # (T,)
    window: (
        np.ndarray
    )  # (T, 2) holds are at window[…, 0], …, window[…, 1] - 1 above the lowest score
    start: np.ndarray  # (T,) the index in `hold` of the first of these
    hold: np.ndarray  # (L,)
    base: np.ndarray  # (n,) the player's first turn; one state's turns stand side by side
    columns: np.ndarray  # (n,) how many these are
    leads: (
        np.ndarray
    )  # (n,) whether they are numbered by the leader's score, or by the scores of all others
    memory: np.ndarray  # (n,)
    states: np.ndarray  # (n,) scores times memory
    strides: np.ndarray  # (n,) by how much the number of the cell grows with the player's state
    step: np.ndarray  # (n,) as in TurnOutcomes, and the next three
    begin: np.ndarray  # (n,)
    after_hold: np.ndarray  # (n, S)
    after_bust: np.ndarray  # (n, S)
    register: np.ndarray  # (n, S) its number
    back: np.ndarray  # (n,) how many states resets and penalties lead back to, which are numbered
    reset_to: np.ndarray  # (n,) the number of `begin` among these
    penalty: (
        np.ndarray
    )  # (n, S) the number of `after_bust` among these; -1 if a bust costs no points
    first_back: np.ndarray  # (n,) the first row of the values there; see :func:`row_back`


def turns_of(game, policies):
    """The turns of all players, and the states that resets and penalties lead back to, a list of arrays."""
    tables, rows, used = {}, {}, 0
    for policy in distinct(policies):
        of_more = policy.players > 2
        table = multiplayer_outcomes(game, policy) if of_more else turn_outcomes(game, policy)
        tables[id(policy)], rows[id(policy)] = table, used
        used += table.bust.size
    parts = [
        np.concatenate([getattr(table, name).ravel() for table in tables.values()])
        for name in ("finish", "bust", "leave", "reset", "window", "start", "hold")
    ]
    parts[4] = parts[4].reshape(-1, 2)  # window
    holds = np.cumsum([0, *(table.hold.size for table in tables.values())])
    parts[5] += np.repeat(holds[:-1], [table.start.size for table in tables.values()])  # start
    players = [tables[id(policy)] for policy in policies]
    states = np.array([len(table.bust) for table in players])
    backs, numbers = zip(*map(led_back_to, players), strict=True)
    numbered = list(zip(players, numbers, strict=True))
    back = np.array([len(led_back) for led_back in backs])
    sizes = math.prod(states.tolist()) // states * back

    def by_state(rows):
        table = np.full((len(players), states.max()), -1)
        for row, known in zip(table, rows, strict=True):
            row[: len(known)] = known
        return table

    turns = Turns(
        *parts,
        base=np.array([rows[id(policy)] for policy in policies]),
        columns=np.array([table.bust.shape[1] for table in players]),
        leads=np.array([policy.players == 2 for policy in policies]),
        memory=np.array([table.memory for table in players]),
        states=states,
        strides=np.append(np.cumprod(states[:0:-1])[::-1], 1),
        step=np.array([table.step for table in players]),
        begin=np.array([table.begin for table in players]),
        after_hold=by_state(table.after_hold for table in players),
        after_bust=by_state(table.after_bust for table in players),
        register=by_state(
            np.arange(len(table.bust)) % table.step // table.memory for table in players
        ),
        back=back,
        reset_to=np.array([number[table.begin] for table, number in numbered]),
        penalty=by_state(
            np.where(costs_points(table), number[table.after_bust], -1)
            for table, number in numbered
        ),
        first_back=np.cumsum(sizes) - sizes,
    )
    return turns, backs


def multiplayer_outcomes(game, policy):
    """TurnOutcomes by own score, and the scores of the others in order of play as one number in base S."""
    size, shares = len(game.scores), bold_turns(policy)
    cautious, bold_policy = policy.when(bold=False), policy.when(bold=True)
    outcomes = follow_states(game, (cautious.actions_at(game, own) for own in game.scores), 1)
    branches = len(branching_outcomes(game))
    rules = rules_of(game)
    scores = scores_of(game)
    holds = [outcomes.hold]
    used = outcomes.hold.size
    for (own, *others), share in shares.items():
        at = own, np.ravel_multi_index(others, (size,) * len(others))
        *ends, window, _, _, hold = follow_turns(
            rules, scores, own, *bold_policy.decide_all([[own, *others]], branches), 0
        )
        held = np.zeros(game.longest)
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
    """How often the bold turn is played, a dict of float by places of scores, in order of play from the mover on."""
    return {scores: float(share) for scores, share in policy.bold_shares.items() if share > 0}


# The cells


@inlined
def turn_of(turns, mover, cell, scores):
    """The number of a turn of player `mover` in a cell, in a game with so many scores."""
    n, column = len(cell), 0
    for k in range(1, n):
        other = (mover + k) % n
        score = cell[other] // turns.memory[other]
        column = max(column, score) if turns.leads[mover] else column * scores + score
    return turns.base[mover] + cell[mover] * turns.columns[mover] + column


@inlined
def row_back(turns, place, mover, number):
    """The row of the values after player `mover` is led back from a cell to one of the states that have numbers.

    See :meth:`MultiplayerChain.led_back`.
    """
    block = turns.strides[mover] * turns.states[mover]
    row = place // block * turns.back[mover] + number
    return turns.first_back[mover] + row * turns.strides[mover] + place % turns.strides[mover]


@inlined
def read_cell(turns, place, cell):
    """Fill `cell` with the players' states in the cell number `place`."""
    for p in range(len(cell) - 1, -1, -1):
        cell[p], place = place % turns.states[p], place // turns.states[p]


@compiled
def mark_ending(turns, scores, ending):
    """Mark in `ending` (cells, n), all False, from which cells and movers an end can be reached.

    Holds lead to larger states: only busts and resets need more than one round.
    """
    cells, n = ending.shape
    cell, more = np.zeros(n, dtype=np.int64), True
    while more:
        more = False
        for place in range(cells - 1, -1, -1):
            read_cell(turns, place, cell)
            for k in range(
                2 * n - 1, -1, -1
            ):  # a bust leads to the next player's turn, usually in the same cell
                m = k % n
                if ending[place, m]:
                    continue
                t = turn_of(turns, m, cell, scores)
                following, own, stride = (m + 1) % n, cell[m], turns.strides[m]
                base = place - own * stride  # the cell with the player's state 0
                bust = base + turns.after_bust[m, own] * stride
                found = turns.finish[t] > 0.0 or (turns.bust[t] > 0.0 and ending[bust, following])
                reset = base + turns.begin[m] * stride
                found = found or (turns.reset[t] > 0.0 and ending[reset, following])
                first, last = turns.window[t]
                for held in range(first, last):
                    if found:
                        break
                    after = base + (held * turns.step[m] + turns.after_hold[m, own]) * stride
                    found = (
                        turns.hold[turns.start[t] + held - first] > 0.0 and ending[after, following]
                    )
                if found:
                    ending[place, m] = more = True


@compiled
def solve_cells(turns, scores, ending, credit, step, fixed, back, values):
    """Fill `values` by (1): K expected values of the rest of the match.

    The cells with the same points, and all that is remembered but the registers, are solved at once.

    Parameters
    ----------
    turns : Turns
    scores : int
        How many scores the game has.
    ending : ndarray of bool (cells, n)
        All other states have the value `fixed`.
    credit : ndarray (n, K)
        The value of a finish, by player.
    step : float
        The value of a turn.
    fixed : float
    back : ndarray (R, K)
        The values after resets and penalties.
    values : ndarray (cells, n, K)
    """
    cells, n, sides = values.shape
    registers = turns.step[0] // turns.memory[0]
    together = registers**n
    weight = np.ones(n, dtype=np.int64)  # of a register in the number k of a cell of these
    for p in range(n - 2, -1, -1):
        weight[p] = weight[p + 1] * registers
    ahead = np.zeros(together, dtype=np.int64)  # of the first of them
    for k in range(together):
        for p in range(n):
            ahead[k] += k // weight[p] % registers * turns.memory[p] * turns.strides[p]
    cell = np.zeros(n, dtype=np.int64)
    right, solved = np.zeros((together * n, sides)), np.zeros((together * n, sides))
    leave = np.zeros(together * n)
    onward = np.zeros(together * n, dtype=np.int64)
    seen = np.zeros(together * n, dtype=np.int64)
    for lowest in range(cells - 1, -1, -1):
        read_cell(turns, lowest, cell)
        others = 0
        for p in range(n):
            others += turns.register[p, cell[p]]
        if others > 0:
            continue
        for k in range(together):
            place = lowest + ahead[k]
            if k > 0:
                read_cell(turns, place, cell)
            for m in range(n):
                row, following = k * n + m, (m + 1) % n
                if not ending[place, m]:
                    right[row], leave[row], onward[row] = fixed, 1.0, -1
                    continue
                t = turn_of(turns, m, cell, scores)
                own, stride = cell[m], turns.strides[m]
                for p in range(sides):
                    right[row, p] = step + turns.finish[t] * credit[m, p]
                if turns.reset[t] > 0.0:
                    reset = row_back(turns, place, m, turns.reset_to[m])
                    for p in range(sides):
                        right[row, p] += turns.reset[t] * back[reset, p]
                base = place + (turns.after_hold[m, own] - own) * stride
                first = turns.window[t, 0]
                for held in range(first, turns.window[t, 1]):
                    q = turns.hold[turns.start[t] + held - first]
                    after = base + held * turns.step[m] * stride
                    for p in range(sides):
                        right[row, p] += q * values[after, following, p]
                if turns.penalty[m, own] >= 0:
                    bust = row_back(turns, place, m, turns.penalty[m, own])
                    for p in range(sides):
                        right[row, p] += turns.bust[t] * back[bust, p]
                    leave[row], onward[row] = 1.0, -1
                elif turns.after_bust[m, own] >= own - own % turns.step[m] + turns.step[m]:
                    bust = place + (turns.after_bust[m, own] - own) * stride  # it scores
                    for p in range(sides):
                        right[row, p] += turns.bust[t] * values[bust, following, p]
                    leave[row], onward[row] = 1.0, -1
                else:
                    change = turns.register[m, turns.after_bust[m, own]] - turns.register[m, own]
                    leave[row] = turns.leave[t]
                    onward[row] = (k + change * weight[m]) * n + following
        close_chains(right, leave, onward, seen, solved)
        for k in range(together):
            for m in range(n):
                for p in range(sides):
                    values[lowest + ahead[k], m, p] = solved[k * n + m, p]


@compiled
def turns_of_others(turns, scores, group, own_places, back, chances, right, bust, leave):
    """The turns of the others in all cells of a group: R, β and L of (1), for the chance of a best responder, seat 0.

    Parameters
    ----------
    group : ndarray of int (G,)
        The numbers of the states of the others, which have the same points.
    own_places : ndarray of int (S,)
        Where the own states are in the results.
    back : ndarray (R,)
    chances : ndarray (cells, n)
        The responder's, by cell and mover; those of larger scores of the others are filled in.
    right, bust, leave : ndarray (G, S, n)
        Filled, by mover. A bust that costs points is a part of R.
    """
    n = chances.shape[1]
    cell = np.zeros(n, dtype=np.int64)
    for g in range(len(group)):
        for own in range(len(own_places)):
            place, row = own * turns.strides[0] + group[g], own_places[own]
            read_cell(turns, place, cell)
            for m in range(1, n):
                t, following = turn_of(turns, m, cell, scores), (m + 1) % n
                total, first = 0.0, turns.window[t, 0]
                if turns.reset[t] > 0.0:
                    total += turns.reset[t] * back[row_back(turns, place, m, turns.reset_to[m])]
                base = place + (turns.after_hold[m, cell[m]] - cell[m]) * turns.strides[m]
                for held in range(first, turns.window[t, 1]):
                    after = base + held * turns.step[m] * turns.strides[m]
                    q = turns.hold[turns.start[t] + held - first]
                    total += q * chances[after, following]
                bust[g, row, m], leave[g, row, m] = turns.bust[t], turns.leave[t]
                if turns.penalty[m, cell[m]] >= 0:
                    busted = row_back(turns, place, m, turns.penalty[m, cell[m]])
                    total += turns.bust[t] * back[busted]
                    bust[g, row, m], leave[g, row, m] = 0.0, 1.0
                right[g, row, m] = total


class MultiplayerChain:
    """The Markov chain of a match of n players.

    Parameters
    ----------
    game : Game
    policies : tuple
        Of the players, in order of play.
    """

    def __init__(self, game, policies):
        self.game, self.players = game, len(policies)
        self.turns, self.backs = turns_of(game, policies)
        self.cells = math.prod(self.turns.states.tolist())
        self.begin = int(self.turns.begin @ self.turns.strides)
        self.rows = int((self.cells // self.turns.states) @ self.turns.back)
        self.penalties = bool((self.turns.penalty >= 0).any())
        self.repeats = game.resets or self.penalties

    @cached_property
    def ending(self):
        """Whether an end can be reached, (cells, n) of bool, by cell and mover."""
        ending = np.zeros((self.cells, self.players), dtype=bool)
        mark_ending(self.turns, len(self.game.scores), ending)
        return ending

    def led_back(self, values):
        """The values after a reset or penalty of each player in turn, in a state led back to; the next one moves."""
        n = self.players
        table = values.reshape(*self.turns.states.tolist(), n, -1)
        return np.concatenate(
            [
                table.take(back, axis=p)[..., (p + 1) % n, :].reshape(-1, table.shape[-1])
                for p, back in enumerate(self.backs)
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
            Of the values after resets and penalties, relative to their size; 0 without these.
        error : float
            An estimate of how far values may be off.
        """
        values = np.empty((self.cells, self.players, credit.shape[1]))
        residual = 0.0
        repeats = 0.0
        unit = 1.0

        def change(back):
            return self.after(back * unit, credit, step, fixed, values) / unit - back

        back = np.zeros(self.rows * credit.shape[1])
        gap = change(back)
        if not self.repeats:
            unit = values[self.begin, 0].max() if step else 1.0
        else:
            repeats = self.repeats_expected
            if step:
                unit = gap.max() or 1.0  # the turns before the first return
                gap /= unit
            if self.penalties:
                with np.errstate(all="ignore"):
                    back = refine(change, self.system(values), gap)
            else:
                back = settle(change, gap, self.game)
            residual = float(abs(change(back)).max())
        rounded = ROUNDING * (int(self.turns.states.sum()) ** 0.5 + repeats)
        return values, residual, unit * (residual * (1 + repeats) + rounded)

    def after(self, back, credit, step, fixed, values):
        """M·z + b of z, the values after resets and penalties; fills `values`, see :func:`solve_cells`."""
        arrays = self.turns, len(self.game.scores), self.ending
        solve_cells(*arrays, credit, step, fixed, back.reshape(self.rows, -1), values)
        return self.led_back(values).ravel()

    def system(self, values):
        """z - M·z of z, a linear operator; `values` are overwritten."""
        none = np.zeros((self.players, values.shape[2]))
        return LinearOperator(
            (self.rows * values.shape[2],) * 2,
            matvec=lambda back: back - self.after(back, none, 0.0, 0.0, values),
            dtype=float,
        )

    @cached_property
    def repeats_expected(self):
        """At most how many resets and penalties a match can expect, from the state after one of them on.

        There are at most 1/p, p being the least probability that the match ends before the next one. If that is too
        much, the equations z = M·z + 1 are solved roughly: where z - M·z is at least c, there are at most z/c.
        """
        values = np.empty((self.cells, self.players, 1))
        ends = self.after(np.zeros(self.rows), np.ones((self.players, 1)), 0.0, 1.0, values)
        least = float(ends.min())
        most = min(1 / least, FOREVER) if least > 0.0 else FOREVER
        if most * ROUNDING > 0.1 * ACCURACY:
            system = self.system(values)
            rough = {"rtol": 0.5 / self.rows**0.5, "restart": RESTART, "maxiter": RESTARTS}
            with np.errstate(all="ignore"):
                expected = gmres(system, np.ones(self.rows), **rough)[0]
                least = float(system.matvec(expected).min())
                most = min(most, float(expected.max()) / least) if least > 0.0 else most
        return most

    def wins(self):
        """Everybody's chance to win, (cells, n, n) by cell, mover and player; the residual; the error."""
        wins, residual, error = self.solve(np.eye(self.players), fixed=1 / self.players)
        wrong = np.abs(wins[self.begin].sum(axis=-1) - 1.0).max()  # of the match, whoever begins
        return wins, residual, max(error, float(wrong) if not wrong <= ACCURACY else 0.0)


# The match


def mean_turns(game, policies):
    """The mean number of turns, all players' together; infinite if play may be endless."""
    chain = MultiplayerChain(game, policies)
    none = np.zeros((chain.players, 1))
    if not chain.ending.all() and chain.solve(none, fixed=1.0)[0][chain.begin, 0, 0] > 0:
        return np.inf
    values, _, error = chain.solve(none, step=1.0)
    mean = float(values[chain.begin, 0, 0])
    check_error(game, error, mean)
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
    policies : tuple
        As they were recorded.
    wins : ndarray (n,)
    residual, error : float
    """
    check_number(len(policies))
    after_penalty = {register.after_bust for register in game.registers if register.penalty > 0}
    vectors = RESTART + 10 if after_penalty else 0  # that GMRES keeps of the values there
    cell = 8 * len(policies) * (1 + vectors * len(after_penalty) / (len(game.registers) or 1))
    policies = record_players(game, policies, len(policies), cell)
    chain = MultiplayerChain(game, policies)
    values, residual, error = chain.wins()
    check_residual(game, residual)
    check_error(game, error)
    return policies, values[chain.begin, 0], residual, error


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
    Solution
    """
    n = len(policies) + 1
    check_number(n)
    check_game(game, last_turn=False)
    if game.registers:
        check_match_ends(game)
    if game.most_paid:
        raise NotImplementedError(
            f"{game.name}: the best response of three and more is not computed where a bust scores"
        )
    if game.registers or game.resets:
        check_told_apart(game, RAREST)
    others = record_players(game, policies, n, cell=8 * n + 24, more=turns_bytes(game, n))
    for name, policy in policies.items():
        if getattr(policy, "memory", 1) > 1:
            raise NotImplementedError(
                f"{name}: {policy} remembers its turns; the best response would have to, too"
            )
    chain = MultiplayerChain(game, (others[0], *others))  # the first seat's turns are not used
    chances = np.zeros((chain.cells, n))
    back, residual = np.full(chain.rows, 1 / n), 0.0

    def sweep(back):
        nonlocal residual
        residual = respond_given(chain, np.clip(back, 0.0, 1.0), chances)
        return chain.led_back(chances).ravel() - back

    change = sweep(back)
    if chain.repeats:
        back = settle(sweep, back + change, game)
        residual = max(residual, abs(sweep(back)).max())
    check_residual(game, residual)
    shape, places = (len(game.scores),) * n, places_of(game)
    by_places = chances[:, 1].reshape(shape)[np.ix_(*(places,) * n)]
    after = np.zeros((chain.cells, 2))
    after[:, 1] = np.moveaxis(by_places, 0, -1).ravel()
    name = f"best response to {in_order(others, lambda _, policy: name_of(policy))}"
    policy = OptimalPolicy(game, partial(decide, game, n, after), name, players=n)
    values, _, error = MultiplayerChain(game, (policy, *others)).wins()
    check_error(game, error)
    short = abs(values[:, 0, 0] - chances[:, 0]).max()
    if not short <= ACCURACY:
        raise ConvergenceError(
            f"{game.name}: the best response falls short of its value by {short:.1e}"
        )
    return Solution(
        game=game,
        objective="win",
        players=n,
        values=(values[:, 0] if n > 2 else values[:, 0, 0]).reshape(*shape, *(n,) * (n > 2)).copy(),
        policy=policy,
        residual=float(residual),
        error=error,
        against=others if n > 2 else others[0],
    )


def respond_given(chain, back, chances):
    """Fill `chances`, the responder's by cell and mover, given those after resets; return the residual of (3)."""
    game, n = chain.game, chain.players
    rules, room = rules_of(game), new_room(game, 2, float)
    places, turns = places_of(game), chain.turns
    race = race_of(game, n)[0]._replace(
        back=int(turns.back[0]), reset=int(turns.reset_to[0]), number=turns.penalty[0, places]
    )
    size, registers = race.places, race.registers
    lines = size ** (n - 1)
    table = chances.reshape(size, lines, n)
    own_back = np.zeros((lines, race.back, 2))
    own_back[..., 1] = back[: race.back * lines].reshape(race.back, lines).T  # seat 0 is first
    seats = np.indices((registers,) * (n - 1)).reshape(n - 1, -1).T  # the others' registers
    weights = size ** np.arange(n - 1)[::-1]
    after_bust = scores_of(game).after_bust[:registers] % registers
    after_busts = np.zeros((len(seats), n), dtype=int)
    for m in range(1, n):
        busted = seats.copy()
        busted[:, m - 1] = after_bust[busted[:, m - 1]]
        after_busts[:, m] = busted @ registers ** np.arange(n - 1)[::-1]
    right, bust, leave = np.zeros((3, len(seats), size, n))
    after, own = np.zeros((len(seats), size, 2)), np.zeros((len(seats), size))
    workspace = room.turn, room.pieces[0, 0], after, own
    points = np.indices((size // registers,) * (n - 1)).reshape(n - 1, -1).T
    worst = 0.0
    for line in points[::-1] * registers:
        group = (line + seats) @ weights
        turns_of_others(
            chain.turns, len(game.scores), group, places, back, chances, right, bust, leave
        )
        worst = max(
            worst,
            respond_turns(
                rules, race, right, bust, leave, after_busts, 1 / n, own_back[group], *workspace
            ),
        )
        chance = own[:, places]
        table[:, group, 0] = chance.T
        for m in range(n - 1, 0, -1):
            onward = chance[after_busts[:, m]]
            chance = right[:, places, m] + bust[:, places, m] * onward
            table[:, group, m] = chance.T
    return worst
