"""The Markov chain of a match between fixed policies of n players: expected values, solved backwards from the target.

The players sit in order of play, seats 0, …, n - 1; seat 0 moves first. A *cell* is the tuple of all players' states
(scores, with what a policy remembers). The turns of a player are `TurnOutcomes`. Their columns are the scores of the
*leader* among the others, the largest one (with registers, of leaders with the same points the one whose register comes
last in the game's list); or, for a policy of more than two players, the scores of the others in order of play, as one
number in base N. In a cell with player m about to move, let uₘ be an expected value of the rest of the match, and m'
the player after m. A turn of player m finishes, holds at the state s' with probability q(s'), busts with β or resets
with ρ, so that

    uₘ = Rₘ + βₘ·uₘ',      Rₘ = c + Σ q(s')·uₘ'(the cell with s') + ρ·uₘ'(the cell with the first state).            (1)

The constants c determine which expected value it is:

- probability that player p wins: for m = p the probability to reach the target in this turn, for others c = 0;
- number of turns m: c = 1;
- variance of the number of turns: c = expected square of 1 + m' - m, where m' is the mean m after the turn;
- margin of two: c = probability to reach the target, times the points that the loser needs, negative for player 2.

**One cell.** Holds lead to larger states, so we solve the cells from the target backwards. With L = 1 - β, the
probability to leave the cell, its n equations (1) are a cycle of busts:

    uₘ = Σ over k = 0, …, n - 1 of  βₘ···βₘ₊ₖ₋₁·Rₘ₊ₖ  /  Σ over k of  βₘ···βₘ₊ₖ₋₁·Lₘ₊ₖ.                              (2)

The denominator is 1 - Π β, written as a sum of positive terms, so that no digits are lost where turns nearly always
bust. For two it is L₁ + L₂ - L₁·L₂.

**Registers.** A bust may score, and lead to larger states as a hold does. It may change the register of the player.
Then it leads to another of the cells with the same points, whose equations form chains, and cycles as (2). One equation
is substituted into another along the chain, by :func:`dicelab.solvers.cycle.close_chains`: with u = K + (1 - E)·u″,
where u″ = R + (1 - L)·u‴ comes next,

    K ← K + (1 - E)·R,      E ← E + L - E·L.                                                                  (3)

The chain ends at a known value, or where it began: then u = K / E, which is (2) for a cycle of n.

**Layout.** The values of player m are numbered in order of play from m on. A turn of player m leads to values of m',
and there m is the last in the order: all holds of a turn read one row that lies in one piece.

**Two ways to solve.** :func:`solve_cells` solves the cells of any number of players, and :func:`solve_pairs` those of
two. All else is one: the graph of the states, the constants, the errors, visits. The kernel of two is kept because a
match of recorded policies would take 1.4 times as long for Pig to 100, and 1.6 times for Pig to 400: to find a turn
among those of n players takes as long as a short turn itself, and all turns must be copied into one table. A test holds
both against each other.

**Endless play.** From some states no end can be reached, whatever is rolled. We find them on the graph of the states,
and give them a fixed value: a draw counts 1/n.

**Resets and penalties.** The values after a reset, and after a bust that costs points, are unknown while the cells are
solved. Call them z: a backward pass finds z where it will fill in values later, and reads it there. It maps z to
M·z + b, so that z solves the linear equations z = M·z + b. We use GMRES (scipy). If there are penalties, z is long:
then GMRES is restarted after a limited number of steps, and its solution is refined until the residual does not get
smaller any more. The relative residual counts once for every expected reset, and so do roundings; there are at most 1/p
expected resets, p being the least probability, over all states after a reset, that the match ends before the next
reset. (A penalty counts as a reset.) If the error so estimated is too large and there are at most 1000 equations, we
solve them by an elimination that loses no digits. If there are more, the equations z = M·z + 1 are solved roughly:
where z - M·z is at least c, at most z/c resets are expected.

**Expected visits.** How often a match is in each state follows from the transposed equations,

    v(next cell, m') = s(next cell, m') + Σ v(cell, m)·(probability that the turn of player m leads there),          (4)

where s is the probability to start there. They are solved forwards, cell by cell from the beginning of the match. All
terms are positive. What returns by resets and penalties is unknown again: the vector z of these flows solves z = Mᵀ·z +
d, where d is what returns of the start.
"""

import math
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from .._accuracy import ACCURACY, FOREVER, ROUNDING
from .._compile import bare, compiled, inlined
from ..solvers.cycle import close_chains

__all__ = [
    "RESTART",
    "MatchChain",
    "pass_turn",
    "squared_steps",
    "turns_of_others",
]

ELIMINATED = 1000  # the most equations for resets that are solved by elimination, which takes their number cubed
RESTART, RESTARTS = (
    40,
    10,
)  # of GMRES: steps before a restart, and how many restarts at most
REFINED, ROUNDS = (
    1e-8,
    10,
)  # by how much one such solution reduces the residual, and how often that is done at most


FINISH, BUST, LEAVE, RESET = range(4)


class Turns(NamedTuple):
    """The turns of all n players in one table of T turns, and how they lead from one of at most S states to another."""

    ends: np.ndarray  # (T, 4) the probabilities of FINISH, BUST, LEAVE and RESET, see TurnOutcomes
    window: np.ndarray  # (T, 3) holds are at window[…, 0], …, window[…, 1] - 1 above the lowest score; and window[…, 2]
    # is where the first of these would be in `hold`, less its score
    hold: np.ndarray  # (L,)
    base: np.ndarray  # (n,) the player's first turn; one state's turns stand side by side
    columns: np.ndarray  # (n,) how many these are
    leads: (
        np.ndarray
    )  # (n,) whether they are numbered by the leader's score, or by the scores of all others
    memory: np.ndarray  # (n,)
    states: np.ndarray  # (n,) scores times memory
    strides: (
        np.ndarray
    )  # (n, n) by how much a cell's number, in order from a player on, grows with each one's state
    step: np.ndarray  # (n,) as in TurnOutcomes, and the next three
    begin: np.ndarray  # (n,)
    after_hold: np.ndarray  # (n, S)
    after_bust: np.ndarray  # (n, S)
    score: np.ndarray  # (n, S) the place of the score
    lowest: np.ndarray  # (n, S) the first state with the same points


def turns_of(players):
    """The turns of all players in one table."""
    tables = list({id(table): table for table in players}.values())
    rows = np.cumsum([0, *(table.bust.size for table in tables)]).tolist()
    ends, window, used = np.empty((rows[-1], 4)), np.empty((rows[-1], 3), np.int64), 0
    for first, last, table in zip(rows[:-1], rows[1:], tables, strict=True):
        for k, part in enumerate((table.finish, table.bust, table.leave, table.reset)):
            ends[first:last, k] = part.ravel()
        window[first:last, :2] = table.window.reshape(-1, 2)
        window[first:last, 2] = (table.start - table.window[..., 0]).ravel() + used
        used += table.hold.size
    rows = dict(zip(map(id, tables), rows, strict=False))
    states = np.array([len(table.bust) for table in players])
    memory, step, begin = (
        np.array([getattr(table, name) for table in players])
        for name in ("memory", "step", "begin")
    )

    def by_state(parts):
        table = np.full((len(players), states.max()), -1)
        for row, part in zip(table, parts, strict=True):
            row[: len(part)] = part
        return table

    n, cells, own = len(players), math.prod(states.tolist()), np.arange(states.max())
    width = np.array([table.bust.shape[1] for table in players])
    strides = np.empty((n, n), dtype=np.int64)
    for m in range(n):
        order = (m + np.arange(n)) % n
        strides[m, order] = cells // np.cumprod(states[order])
    return Turns(
        ends=ends,
        window=window,
        hold=np.concatenate([table.hold for table in tables]),
        base=np.array([rows[id(table)] for table in players]),
        columns=width,
        leads=width == states // memory,
        memory=memory,
        states=states,
        strides=strides,
        step=step,
        begin=begin,
        after_hold=by_state([table.after_hold for table in players]),
        after_bust=by_state([table.after_bust for table in players]),
        score=own // memory[:, None],
        lowest=own - own % step[:, None],
    )


@inlined
def next_cell(turns, cell, first, way):
    """Count a cell on by 1 or by -1, in the order from the `first` player on."""
    p = first
    for _ in range(len(cell)):
        p = p - 1 if p > 0 else len(cell) - 1
        cell[p] += way
        if 0 <= cell[p] < turns.states[p]:
            break
        cell[p] = 0 if way > 0 else turns.states[p] - 1


@inlined
def place_of(turns, first, cell):
    """The number of a cell in the order from the `first` player on."""
    place = 0
    for p in range(len(cell)):
        place += cell[p] * turns.strides[first, p]
    return place


@inlined
def turn_of(turns, mover, cell):
    """The number of a turn of player `mover` in a cell, and who is next."""
    column, other = 0, mover
    for _ in range(1, len(cell)):
        other = other + 1 if other + 1 < len(cell) else 0
        score = turns.score[other, cell[other]]
        if turns.leads[mover]:
            column = max(column, score)
        else:
            column = column * (turns.score[other, turns.states[other] - 1] + 1) + score
    following = mover + 1 if mover + 1 < len(cell) else 0
    return turns.base[mover] + cell[mover] * turns.columns[mover] + column, following


@inlined
def end_of(turns, t, mover, own, base, number):
    """The chance of an end of turn `t` but a finish, and the cell to which it leads: a bust, a reset, then the holds.

    `base` is the cell with the own state 0, in the order from the next player on.
    """
    if number == 0:
        return turns.ends[t, BUST], base + turns.after_bust[mover, own]
    if number == 1:
        return turns.ends[t, RESET], base + turns.begin[mover]
    held = turns.window[t, 0] + number - 2
    chance = turns.hold[turns.window[t, 2] + held]
    return chance, base + turns.after_hold[mover, own] + held * turns.step[mover]


@inlined
def ends_of(turns, t):
    """How many such ends a turn has."""
    return 2 + turns.window[t, 1] - turns.window[t, 0]


@inlined
def results_of(turns, t, mover, own, base, right, known, after, p):
    """`right`, and what is expected of the holds and a reset, and of a bust whose value is `known`.

    Column p of `after` are the values with the next player to move.
    """
    if turns.ends[t, RESET] > 0.0:
        right += turns.ends[t, RESET] * after[base + turns.begin[mover], p]
    start, onto, step = turns.window[t, 2], base + turns.after_hold[mover, own], turns.step[mover]
    expected = 0.0
    for held in range(turns.window[t, 0], turns.window[t, 1]):
        expected += turns.hold[start + held] * after[onto + held * step, p]
    right += expected
    if known:
        right += turns.ends[t, BUST] * after[base + turns.after_bust[mover, own], p]
    return right


@inlined
def is_lowest(turns, cell):
    """Whether a cell is the first of those with the same points and turns remembered."""
    above = 0
    for p in range(len(cell)):
        above += cell[p] - turns.lowest[p, cell[p]] >= turns.memory[p]
    return above == 0


def new_room(turns, sides=1):
    """What kernels work in: the equations of the cells that are solved together, numbered by cell and mover.

    Returns
    -------
    cell : ndarray (n,)
        The players' states.
    place : ndarray (C, n)
        The number of each cell, in order from each player on.
    lowest : ndarray (n,)
        The first cell with the same points and turns remembered; here the first of all.
    ahead : ndarray (C, n)
        How far the states of each cell with these are ahead of it.
    weight : ndarray (n,)
        Of a player's register in the number of such a cell.
    right, solved : ndarray (C·n, `sides`)
        By expected value.
    leave, onward, seen : ndarray (C·n,)
    """
    n = len(turns.states)
    registers = int(turns.step[0] // turns.memory[0])
    ahead = np.indices((registers,) * n).reshape(n, -1).T * turns.memory
    equations = len(ahead) * n
    return (
        np.zeros(n, dtype=np.int64),
        np.zeros((len(ahead), n), dtype=np.int64),
        np.zeros(n, dtype=np.int64),
        np.ascontiguousarray(ahead),
        registers ** np.arange(n)[::-1],
        *np.empty((2, equations, sides)),
        np.empty(equations),
        *np.empty((2, equations), dtype=np.int64),
    )


@inlined
def look_at(turns, lowest, ahead, k, cell, place):
    """Fill in cell `k` of those that are solved together, and its place."""
    for p in range(len(cell)):
        cell[p] = lowest[p] + ahead[k, p]
    for p in range(len(cell)):
        place[k, p] = place_of(turns, p, cell)


@inlined
def is_known(turns, mover, own):
    """Whether a bust leads to other points, so that its value is known, or that of a state led back to."""
    lowest = turns.lowest[mover, own]
    return not lowest <= turns.after_bust[mover, own] < lowest + turns.step[mover]


@inlined
def onward_from(turns, mover, own, k, following, weight):
    """The number of the equation that a bust leads to, of those solved together; -1 if its value is known."""
    busted = turns.after_bust[mover, own]
    if busted == own:
        return k * len(weight) + following
    if is_known(turns, mover, own):
        return -1
    change = (busted - own) // turns.memory[mover]
    return (k + change * weight[mover]) * len(weight) + following


@inlined
def results_of_pair(outcomes, others, own, opponent, first_own, c, u):
    """R and L of a turn, as :func:`results_of`, and the state after a bust, counted from `first_own`; -1 if known.

    `first_own` is the first state with the same score.
    """
    score, busted = opponent // others.memory, outcomes.after_bust[own]
    leave, after_bust = outcomes.leave[own, score], busted - first_own
    right = c[own, opponent]
    if outcomes.reset[own, score] > 0.0:
        right += outcomes.reset[own, score] * u[opponent, outcomes.begin]
    first, last = outcomes.window[own, score, 0], outcomes.window[own, score, 1]
    offset, onward = outcomes.start[own, score] - first, outcomes.after_hold[own]
    expected = 0.0
    for held in range(first, last):
        expected += outcomes.hold[offset + held] * u[opponent, held * outcomes.step + onward]
    right += expected
    if not 0 <= after_bust < outcomes.step:  # it costs points, or scores
        right += outcomes.bust[own, score] * u[opponent, busted]
        leave, after_bust = 1.0, -1
    return right, leave, after_bust


@compiled
def solve_pairs(outcomes_1, outcomes_2, c_1, c_2, live_1, live_2, fixed, u_1, u_2):
    """Fill the values of two players, `u_1` and `u_2`, by (2) and (3), as :func:`solve_cells` does."""
    step_1, step_2 = outcomes_1.step, outcomes_2.step
    half = step_1 * step_2
    right = np.empty((2 * half, 1))
    leave = np.empty(2 * half)
    values = np.empty((2 * half, 1))
    onward = np.empty(2 * half, np.int64)
    seen = np.empty(2 * half, np.int64)
    for first_1 in range(len(u_1) - step_1, -1, -step_1):
        for first_2 in range(len(u_2) - step_2, -1, -step_2):
            for a in range(step_1):
                for b in range(step_2):
                    i = first_1 + a
                    j = first_2 + b
                    k = a * step_2 + b
                    n = half + k
                    right[k, 0], leave[k], onward[k] = fixed, 1.0, -1
                    if live_1[i, j]:
                        more = results_of_pair(outcomes_1, outcomes_2, i, j, first_1, c_1, u_2)
                        right[k, 0], leave[k], after = more
                        onward[k] = half + after * step_2 + b if after >= 0 else -1
                    right[n, 0], leave[n], onward[n] = fixed, 1.0, -1
                    if live_2[j, i]:
                        more = results_of_pair(outcomes_2, outcomes_1, j, i, first_2, c_2, u_1)
                        right[n, 0], leave[n], after = more
                        onward[n] = a * step_2 + after if after >= 0 else -1
            close_chains(right, leave, onward, seen, values)
            for a in range(step_1):
                for b in range(step_2):
                    u_1[first_1 + a, first_2 + b] = values[a * step_2 + b, 0]
                    u_2[first_2 + b, first_1 + a] = values[half + a * step_2 + b, 0]


@bare
def solve_cells(turns, room, live, credit, step, extra, fixed, values):
    """Fill `values` by (2) and (3): K expected values of the rest of the match.

    The cells with the same points, and all that is remembered but the registers, are solved at once.

    Parameters
    ----------
    turns : Turns
    room : tuple
        Of :func:`new_room`.
    live : ndarray of bool (n, cells)
        By mover; all other states have the value `fixed`.
    credit : ndarray (n, K)
        The value of a finish, by player.
    step : float
        The value of a turn.
    extra : ndarray (n, cells, K)
        What is added to the constants c; (n, 0, K) for nothing.
    fixed : float
    values : ndarray (n, cells, K)
        Those after resets and penalties are read before they are filled in.
    """
    n, cells, sides = values.shape
    cell, place, lowest, ahead, weight, right, solved, leave, onward, seen = room
    for _ in range(cells):
        next_cell(turns, lowest, 0, -1)
        if is_lowest(turns, lowest):
            for k in range(len(ahead)):
                look_at(turns, lowest, ahead, k, cell, place)
                for m in range(n):
                    row, own = k * n + m, cell[m]
                    leave[row], onward[row] = 1.0, -1
                    for p in range(sides):
                        right[row, p] = fixed
                    if live[m, place[k, m]]:
                        t, following = turn_of(turns, m, cell)
                        base, after = place[k, following] - own, values[following]
                        onward[row] = onward_from(turns, m, own, k, following, weight)
                        known = onward[row] < 0
                        leave[row] = 1.0 if known else turns.ends[t, LEAVE]
                        for p in range(sides):
                            c = step + turns.ends[t, FINISH] * credit[m, p]
                            if extra.shape[1] > 0:
                                c += extra[m, place[k, m], p]
                            right[row, p] = results_of(turns, t, m, own, base, c, known, after, p)
            close_chains(right, leave, onward, seen, solved)
            for k in range(len(ahead)):
                for m in range(n):
                    for p in range(sides):
                        values[m, place[k, m], p] = solved[k * n + m, p]


@inlined
def add_up_chains(visits, leave, onward, arriving):
    """Solve v(n) = `visits` + Σ (1 - leave(k))·v(k), over all k with onward(k) = n, in place; -1 leads nowhere."""
    size = len(visits)
    arriving[:] = 0
    for k in range(size):
        if onward[k] >= 0:
            arriving[onward[k]] += 1
    for k in range(size):  # chains: a state is complete when all that leads to it is
        at = k
        while at >= 0 and arriving[at] == 0:
            arriving[at], after = -1, onward[at]
            if after >= 0:
                visits[after] += (1.0 - leave[at]) * visits[at]
                arriving[after] -= 1
            at = after
    for k in range(size):  # cycles: v(k) = K / E, as in (3), with K what comes back to k
        if arriving[k] > 0:
            returning = 0.0
            away = leave[k]
            at = onward[k]
            while at != k:
                returning = (returning + visits[at]) * (1.0 - leave[at])
                away = away + leave[at] - away * leave[at]
                at = onward[at]
            visits[k] = (visits[k] + returning) / away
            arriving[k] = -1
            while onward[at] != k:
                visits[onward[at]] += (1.0 - leave[at]) * visits[at]
                at = onward[at]
                arriving[at] = -1


@bare
def add_up_visits(turns, room, live, visits, returned):
    """Solve (4) but for resets and penalties: `visits` (n, cells) are the starts, and the expected visits afterwards.

    What resets and penalties return is added to `returned` (n, cells). A state not `live` is the end.
    """
    n, cells = visits.shape
    cell, place, lowest, ahead, weight, right, _, leave, onward, arriving = room
    here = right[:, 0]
    for _ in range(cells):
        if is_lowest(turns, lowest):
            for k in range(len(ahead)):
                look_at(turns, lowest, ahead, k, cell, place)
                for m in range(n):
                    row = k * n + m
                    here[row], leave[row], onward[row] = visits[m, place[k, m]], 1.0, -1
                    if live[m, place[k, m]]:
                        t, following = turn_of(turns, m, cell)
                        onward[row] = onward_from(turns, m, cell[m], k, following, weight)
                        leave[row] = turns.ends[t, LEAVE] if onward[row] >= 0 else 1.0
            add_up_chains(here, leave, onward, arriving)
            for k in range(len(ahead)):
                look_at(turns, lowest, ahead, k, cell, place)
                for m in range(n):
                    row, own = k * n + m, cell[m]
                    mass = here[row]
                    visits[m, place[k, m]] = mass
                    if not live[m, place[k, m]] or mass == 0.0:
                        continue
                    t, following = turn_of(turns, m, cell)
                    for number in range(0 if onward[row] < 0 else 1, ends_of(turns, t)):
                        chance, to = end_of(turns, t, m, own, place[k, following] - own, number)
                        back = number == 1 or (number == 0 and turns.after_bust[m, own] < own)
                        (returned if back else visits)[following, to] += mass * chance
        next_cell(turns, lowest, 0, 1)


@bare
def squared_steps(turns, cell, live, answered, mean, squares):
    """Fill `squares` (n, cells) with the expected square of 1 + m' - m for a turn, where it is `live`.

    A finish ends the match, or after one more turn where it is `answered` (n,). `cell` (n,) are zeros.
    """
    n, cells = squares.shape
    for _ in range(cells):
        for m in range(n):
            place, own = place_of(turns, m, cell), cell[m]
            squares[m, place] = 0.0
            if live[m, place]:
                short = 1.0 - mean[m, place]
                t, following = turn_of(turns, m, cell)
                base = place_of(turns, following, cell) - own
                total = turns.ends[t, FINISH] * (short + answered[m]) ** 2
                for number in range(ends_of(turns, t)):
                    chance, to = end_of(turns, t, m, own, base, number)
                    total += chance * (short + mean[following, to]) ** 2
                squares[m, place] = total
        next_cell(turns, cell, 0, 1)


@bare
def pass_turn(turns, cell, mover, ending, now, after):
    """Play one turn of player `mover`, `now` being the probabilities of the cells in the order from the mover on.

    `cell` (n,) and `after` (cells,) are zeros; `after` is filled, in the order from the next player on.

    Returns
    -------
    finished, endless : float
        The probabilities to finish in this turn, and to have been in a state that is not `ending` (n, cells).
    """
    finished = 0.0
    endless = 0.0
    for place in range(len(now)):
        mass, own = now[place], cell[mover]
        if mass > 0.0 and not ending[mover, place]:
            endless += mass
        elif mass > 0.0:
            t, following = turn_of(turns, mover, cell)
            base = place_of(turns, following, cell) - own
            for number in range(ends_of(turns, t)):
                chance, to = end_of(turns, t, mover, own, base, number)
                after[to] += mass * chance
            finished += mass * turns.ends[t, FINISH]
        next_cell(turns, cell, mover, 1)
    return finished, endless


@bare
def turns_of_others(turns, cell, group, own_places, extra, chances, right, bust, leave):
    """The turns of the others in all cells of a group: R, β and L of (1), for the chance of a best responder, seat 0.

    Parameters
    ----------
    cell : ndarray of int (n,)
        To work in.
    group : ndarray of int (G, n - 1)
        States of the others, which have the same points.
    own_places : ndarray of int (S,)
        Where the own states are in the results.
    extra : ndarray (n, cells)
        The chance after a finish of the mover, times that of the finish.
    chances : ndarray (n, cells, 1)
        The responder's, by mover and cell; those of larger scores of the others, and after resets, are filled in.
    right, bust, leave : ndarray (G, S, n)
        Filled, by mover. A bust that costs points, or scores, is a part of R.
    """
    n = len(chances)
    for g in range(len(group)):
        for m in range(1, n):
            cell[m] = group[g, m - 1]
        for state in range(len(own_places)):
            cell[0], row = state, own_places[state]
            for m in range(1, n):
                t, following = turn_of(turns, m, cell)
                own, base = cell[m], place_of(turns, following, cell) - cell[m]
                known = is_known(turns, m, own)
                c, after = extra[m, place_of(turns, m, cell)], chances[following]
                right[g, row, m] = results_of(turns, t, m, own, base, c, known, after, 0)
                bust[g, row, m] = 0.0 if known else turns.ends[t, BUST]
                leave[g, row, m] = 1.0 if known else turns.ends[t, LEAVE]


@inlined
def look_ahead(turns, mover, cell, marked, forwards):
    """Whether a turn may finish or lead to a marked state; or, `forwards`, mark the states it may lead to.

    Forwards, returns whether some of these were not marked yet.
    """
    t, following = turn_of(turns, mover, cell)
    base = place_of(turns, following, cell) - cell[mover]
    found = not forwards and turns.ends[t, FINISH] > 0.0
    for number in range(ends_of(turns, t)):
        if found and not forwards:
            break
        chance, place = end_of(turns, t, mover, cell[mover], base, number)
        if chance > 0.0 and marked[following, place] != forwards:
            marked[following, place], found = True, True
    return found


@bare
def mark_states(turns, cell, marked, left, forwards):
    """Mark all states from which an end can be reached; or, `forwards`, all that can be reached from marked ones.

    Holds lead to larger states: in this order, only busts and resets need more than one round. `cell` are zeros, and
    `left` is how many are not marked yet.
    """
    n, cells = marked.shape
    more = True
    while more and left > 0:
        more = False
        for _ in range(cells):
            if not forwards:
                next_cell(turns, cell, 0, -1)
            for k in range(
                2 * n
            ):  # a bust leads to the next player's turn, usually in the same cell
                m = k if k < n else k - n
                m = m if forwards else n - 1 - m
                place = place_of(turns, m, cell)
                if marked[m, place] == forwards and look_ahead(turns, m, cell, marked, forwards):
                    marked[m, place] = more = True
                    left -= not forwards
                if k >= n - 1 and not more:
                    break
            if forwards:
                next_cell(turns, cell, 0, 1)


def eliminate(matrix, excess, constant):
    """Solve z = matrix·z + constant for probabilities `matrix` whose rows sum to 1 - `excess`, without a difference.

    Grassmann, Taksar and Heyman (1985). We remove one state after the other and replace it by its successors. The
    probability to leave a state is a sum of positive terms, not 1 minus the probability to stay, so that no digits are
    lost even if the state is hardly ever left. The arguments are overwritten.
    """
    leave = np.empty(len(excess))
    states = range(len(excess) - 1, -1, -1)
    for k in states:
        leave[k] = excess[k] + matrix[k, :k].sum()
        if leave[k] == 0.0:  # this state is never left, and nobody asks for it
            continue
        share = matrix[:k, k] / leave[k]
        matrix[:k, :k] += np.outer(share, matrix[k, :k])
        excess[:k] += share * excess[k]
        constant[:k] += share * constant[k]
    z = np.zeros(len(excess))
    for k in reversed(states):
        z[k] = (constant[k] + matrix[k, :k] @ z[:k]) / leave[k] if leave[k] else 0.0
    return z


class MatchChain:
    """The Markov chain of a match of n players. Cells are numbered in order of play from the player about to move.

    Parameters
    ----------
    game : Game
    players : TurnOutcomes
        Of the players' policies, in order of play.
    finishes : ndarray (n, cells, n), optional
        Where others have a last turn: the probabilities that a turn finishes and each player wins then.
    answered : ndarray (n,), optional
        How many last turns follow a finish by a player; by default none.

    Attributes
    ----------
    begin : tuple of int
        The players' states at the beginning of the match.
    """

    def __init__(self, game, *players, finishes=None, answered=None):
        self.game, self.outcomes, self.players = game, players, len(players)
        self.finishes = finishes
        self.states = [len(table.bust) for table in players]
        self.cells = math.prod(self.states)
        self.begin = tuple(table.begin for table in players)
        costs = [table.after_bust[costs_points(table)] for table in players]
        self.penalties = any(part.size for part in costs)
        self.backs = [
            np.unique(np.append(part, table.begin))
            for part, table in zip(costs, players, strict=True)
        ]
        self.returns = self.led_back(np.arange(len(players) * self.cells).reshape(-1, self.cells))
        self.rows = len(self.returns)
        self.repeats = game.resets or self.penalties
        self.answered = np.zeros(self.players) if answered is None else answered

    @cached_property
    def turns(self):
        """The turns of all players in one table."""
        return turns_of(self.outcomes)

    @property
    def start(self):
        """The cell at the beginning of the match, by mover, an array."""
        n, turned = self.players, (*self.begin, *self.begin)
        shapes = [(*self.states[m:], *self.states[:m]) for m in range(n)]
        return np.array([np.ravel_multi_index(turned[m : m + n], shapes[m]) for m in range(n)])

    @property
    def zeros(self):
        """The first cell, for a kernel that counts on from there."""
        return np.zeros(self.players, dtype=np.int64)

    def by_states(self, values):
        """An array by mover and cell as a list of arrays, [the mover's state; the next player's state; …]."""
        states = self.states
        return [part.reshape(*states[m:], *states[:m]) for m, part in enumerate(values)]

    def ending(self):
        """Whether an end can be reached, an array of bool (n, cells).

        It can from everywhere if each turn may finish or hold, as holds lead to larger states.
        """
        may_go_on = (
            (table.finish > 0.0) | (table.window[..., 0] < table.window[..., 1])
            for table in self.outcomes
        )
        ending = np.full((self.players, self.cells), all(may.all() for may in may_go_on))
        if not ending.all():
            mark_states(self.turns, self.zeros, ending, ending.size, False)
        return ending

    def reached(self):
        """Whether a state can be reached from the start of the match, an array of bool (n, cells)."""
        reached = np.zeros((self.players, self.cells), dtype=bool)
        reached[0, self.start[0]] = True
        mark_states(self.turns, self.zeros, reached, reached.size, True)
        return reached

    def wins(self):
        """The probabilities to win from everywhere, endless play counting 1/n each; see :meth:`solve`.

        Of two players those of player 1 alone, (2, cells, 1); of more those of all, (n, cells, n).
        """
        n, extra = self.players, None
        credit = np.eye(n)[:, : n if n > 2 else 1]
        if self.finishes is not None:
            credit, extra = 0.0 * credit, self.finishes[..., : credit.shape[1]]
        wins, residual, error = self.solve(self.ending(), credit, extra=extra, fixed=1 / n)
        if n > 2:  # of the match, whoever begins
            starts = wins[np.arange(n), self.start]
            wrong = float(abs(starts.sum(axis=-1) - 1.0).max())
            error = max(error, wrong if not wrong <= ACCURACY else 0.0)
        return wins, residual, error

    def win_probability(self):
        """The probability that player 1 of two wins: by states, a pair of arrays; the residual and the error."""
        wins, residual, error = self.wins()
        return *self.by_states(wins[..., 0]), residual, error

    def margins(self):
        """The expected gain of player 1 of two, the loser paying the points that the loser still needs."""
        needs = self.game.target - np.array(self.game.scores)
        gain, loss = (
            np.repeat(mine.finish * needs, theirs.memory, axis=1).ravel()
            for mine, theirs in (self.outcomes, self.outcomes[::-1])
        )
        return self.solve(self.ending(), extra=np.array([gain, -loss])[..., None])

    def solve(self, live, credit=None, step=0.0, extra=None, fixed=0.0):
        """Solve the equations (1) of the module's page, for K expected values.

        Parameters
        ----------
        live : ndarray of bool (n, cells)
            The states to be solved for; all others have the value `fixed`.
        credit : ndarray (n, K) or None
            The value of a finish by player; None for none.
        step : float
            The value of a turn.
        extra : ndarray (n, cells, K) or None
            What is added to c; None for nothing.
        fixed : float

        Returns
        -------
        values : ndarray (n, cells, K)
        residual : float
            Of the equations for resets and penalties, relative to the largest value after these; 0 without them.
        error : float
            An estimate of how far values may be off.
        """
        credit = np.zeros((self.players, 1)) if credit is None else credit
        nothing = np.zeros((self.players, 0, credit.shape[1]))
        extra = nothing if extra is None else extra
        values = np.empty((self.players, self.cells, credit.shape[1]))

        def after(back, credit, step=0.0, extra=nothing, fixed=0.0, values=values):
            """M·z + b of z, the values after resets and penalties; with zeros for constants, M·z."""
            kernel = self._solve_two if self.players == 2 else self._solve_cells
            self.lead_back(values, back)
            kernel(live, credit, step, extra, fixed, values)
            return self.led_back(values).ravel()

        def change(back):
            return after(back, credit, step, extra, fixed) - back

        back = np.zeros(self.rows * credit.shape[1])
        residual = 0.0
        repeats = 0.0
        if self.repeats:
            one, none = np.ones((self.players, 1)), np.zeros_like(credit)
            single = partial(after, values=np.empty((self.players, self.cells, 1)))
            ends = single(np.zeros(self.rows), one, fixed=1.0)  # before the next reset
            gap = change(back)
            with np.errstate(all="ignore"):
                repeats = min(1 / ends.min(), FOREVER)
                system = _without(lambda z: after(z, none), gap)
                if self.penalties:
                    back = refine(change, system, gap)
                else:
                    # As many steps as unknowns solve them, but for rounding.
                    each = min(len(gap), ELIMINATED)
                    back = gmres(system, gap, rtol=1e-15, restart=each, maxiter=RESTARTS)[0]
                residual, scale = np.abs(change(back)).max(), np.abs(back).max() or 1.0

            def accurate():
                return residual / scale * (1 + repeats) + ROUNDING * repeats <= 0.1 * ACCURACY

            if not accurate() and self.rows <= ELIMINATED:
                matrix = np.column_stack([single(unit, 0 * one) for unit in np.eye(self.rows)])
                columns = gap.reshape(self.rows, -1).T
                solved = [
                    eliminate(matrix.copy(), ends.copy(), column.copy()) for column in columns
                ]
                back, repeats = np.column_stack(solved).ravel(), 0.0
                residual = np.abs(change(back)).max()
            elif not accurate():
                repeats = min(repeats, self._repeats_expected(lambda z: single(z, 0 * one)))
            residual /= scale
        change(back)
        if repeats == 0.0:  # sums of terms without cancellation, as accurate as the terms
            least = min(0.0, credit.min(), extra.min(initial=0.0))
            scale = np.abs(values[0, self.start[0]]).max() - least
        rounded = ROUNDING * (sum(self.states) ** 0.5 + repeats)
        return values, float(residual), float(scale * (residual * (1 + repeats) + rounded))

    def _solve_cells(self, *arguments):
        solve_cells(self.turns, new_room(self.turns, arguments[-1].shape[-1]), *arguments)

    def _solve_two(self, live, credit, step, extra, fixed, values):
        """The same for one expected value of two players, by :func:`solve_pairs`."""
        constants = [
            np.repeat(step + mine.finish * gain, theirs.memory, axis=1)
            for mine, theirs, gain in zip(self.outcomes, self.outcomes[::-1], credit, strict=True)
        ]
        if extra.size:
            for c, more in zip(constants, self.by_states(extra[..., 0]), strict=True):
                c += more
        pairs = self.by_states(live), self.by_states(values[..., 0])
        solve_pairs(*self.outcomes, *constants, *pairs[0], fixed, *pairs[1])

    def _repeats_expected(self, passed):
        """At most how many resets and penalties a match can expect, from z = M·z + 1 solved roughly."""
        ones = np.ones(self.rows)
        system = _without(passed, ones)
        rough = {"rtol": 0.5 / self.rows**0.5, "restart": RESTART, "maxiter": RESTARTS}
        with np.errstate(all="ignore"):
            expected = gmres(system, ones, **rough)[0]
            least = float(system.matvec(expected).min())
            return float(expected.max()) / least if least > 0.0 else FOREVER

    def led_back(self, values):
        """The values (n, cells, …) after a reset or penalty of each player in turn, when the next player moves."""
        n, states = self.players, self.states
        tables = [values[(m + 1) % n].reshape(-1, states[m], *values.shape[2:]) for m in range(n)]
        rows = [table[:, back] for table, back in zip(tables, self.backs, strict=True)]
        return np.concatenate([part.reshape(-1, *values.shape[2:]) for part in rows])

    def lead_back(self, values, back):
        """Enter into `values` those that :meth:`led_back` gives."""
        flat = values.reshape(self.players * self.cells, -1)
        flat[self.returns] = back.reshape(self.rows, -1)

    def visits(self, starts, live):
        """How often a match is expected to be in each state, at the start of a turn, by the equations (4).

        Parameters
        ----------
        starts : ndarray (n, cells)
            The probabilities of the states in which the match starts.
        live : ndarray of bool (n, cells)
            The states in which the match goes on; all others are its end.

        Returns
        -------
        ndarray (n, cells)
        """

        def add_up(z, starts):
            """The visits from some starts and the flows z of resets and penalties; and what returns of them."""
            visits, returned = np.zeros((2, *starts.shape))
            self.lead_back(visits, z)
            visits += starts
            add_up_visits(self.turns, new_room(self.turns), live, visits, returned)
            return visits, self.led_back(returned)

        z = np.zeros(self.rows)
        if self.repeats:
            gap = add_up(z, starts)[1]
            system = _without(lambda z: add_up(z, np.zeros_like(starts))[1], gap)
            z = refine(lambda z: add_up(z, starts)[1] - z, system, gap)
        return add_up(z, starts)[0]


def _without(passed, z):
    """z - passed(z), as a linear operator on vectors like `z`."""
    return LinearOperator((len(z),) * 2, matvec=lambda z: z - passed(z), dtype=float)


def refine(change, system, gap):
    """Solve change(z) = 0 as far as rounding allows. `gap` is change(0); a step of z changes it by -system·step."""
    z, size = np.zeros(len(gap)), np.abs(gap).max()
    for _ in range(ROUNDS):
        better = z + gmres(system, gap, rtol=REFINED, restart=RESTART, maxiter=RESTARTS)[0]
        gap = change(better)
        before, size = size, np.abs(gap).max()
        if not size < before:
            break
        z = better
        if size > before / 2:
            break
    return z


def costs_points(outcomes):
    """By own state, whether a bust leads to a lower score, an array of bool."""
    return (
        outcomes.after_bust // outcomes.step < np.arange(len(outcomes.after_bust)) // outcomes.step
    )
