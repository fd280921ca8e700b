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
two. All else is one: the value of a turn, the graph of the states, the constants, the errors, visits. The kernel of two
is kept because a match of recorded policies would take 1.4 times as long for Pig to 100, and three times for Pig to
400, as all turns must be copied into one table, and those of both players are read alternately. A test holds both
against each other.

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
    "costs_points",
    "distinct",
    "pass_turn",
    "squared_steps",
    "turns_of_others",
]

ELIMINATED = 1000  # the most equations for resets that are solved by elimination, which takes their number cubed
# Of GMRES: steps before a restart, and how many restarts at most.
RESTART, RESTARTS = 40, 10
# By how much one such solution reduces the residual, and how often that is done at most.
REFINED, ROUNDS = 1e-8, 10


KNOWN = np.iinfo(np.int64).min  # instead of where a bust leads, if that has a known value


class Turns(NamedTuple):
    """The turns of all n players in one table of T turns, and how they lead from one of at most S states to another.

    In the order from a player on, a cell has the number own·R + others, where R is how many ways there are to combine
    the others' states. The C cells that differ by registers only are solved together, and numbered by these, those of
    player 0 first.
    """

    finish: np.ndarray  # (T,) as in TurnOutcomes, and the next six, one table after the other
    bust: np.ndarray  # (T,)
    leave: np.ndarray  # (T,)
    reset: np.ndarray  # (T,)
    window: np.ndarray  # (T, 2)
    start: np.ndarray  # (T,) in `hold`
    hold: np.ndarray  # (L,) of all tables
    base: np.ndarray  # (n,) the player's first turn; one state's turns stand side by side
    columns: np.ndarray  # (n,) how many these are
    column: np.ndarray  # (n, …) which of these it is, by the number of the others' states
    states: np.ndarray  # (n,) scores times memory
    rest: np.ndarray  # (n,) R
    step: np.ndarray  # (n,) as in TurnOutcomes, and the next three
    begin: np.ndarray  # (n,)
    after_hold: np.ndarray  # (n, S)
    after_bust: np.ndarray  # (n, S)
    first: np.ndarray  # (…,) the cells with all players in the first register, as player 0 counts
    ahead: np.ndarray  # (C, n) how far those that are solved with such a cell are ahead, by mover
    change: np.ndarray  # (n, S) by how much a bust changes the number of these, times n; or KNOWN


@inlined
def turn_of(turns, mover, cell):
    """The number of a turn, the own state, the next player, and the cell as that one sees it, with the own state 0."""
    own = cell // turns.rest[mover]
    others = cell - own * turns.rest[mover]
    t = turns.base[mover] + own * turns.columns[mover] + turns.column[mover, others]
    following = mover + 1 if mover + 1 < len(turns.rest) else 0
    return t, own, following, others * turns.states[mover]


@inlined
def end_of(turns, t, mover, own, base, number):
    """The chance of an end of turn `t` but a finish, and the cell to which it leads: a bust, a reset, then the holds.

    `base` is the cell with the own state 0, in the order from the next player on.
    """
    if number == 0:
        return turns.bust[t], base + turns.after_bust[mover, own]
    if number == 1:
        return turns.reset[t], base + turns.begin[mover]
    held = turns.window[t, 0] + number - 2
    chance = turns.hold[turns.start[t] + number - 2]
    return chance, base + turns.after_hold[mover, own] + held * turns.step[mover]


@inlined
def ends_of(turns, t):
    """How many such ends a turn has."""
    return 2 + turns.window[t, 1] - turns.window[t, 0]


@inlined
def results_of(table, t, right, back, onto, step, busted, after):
    """`right`, and what is expected of the holds and a reset of a turn, and of a bust whose value is known.

    `table` is a TurnOutcomes, with the turn at ``t = (own, column)``, or :class:`Turns`, with a number `t`.
    `after` are the values with the next player to move: at `back` after a reset, at `onto` + held·`step` after a hold,
    and at `busted` after a bust; -1 if that is not known.
    """
    if table.reset[t] > 0.0:
        right += table.reset[t] * after[back]
    first, expected = table.window[t][0], 0.0
    offset = table.start[t] - first
    for held in range(first, table.window[t][1]):
        expected += table.hold[offset + held] * after[onto + held * step]
    right += expected
    if busted >= 0:
        right += table.bust[t] * after[busted]
    return right


@inlined
def turn_of_pair(mine, others, own, opponent, first, constants, live, fixed, after):
    """R and L of a turn of two players, and the state after a bust, counted from `first`; -1 if its value is known.

    `first` is the first state with the same score. Where no end can be reached R is `fixed`, with L = 1.
    """
    if not live[own, opponent]:
        return fixed, 1.0, -1
    t, busted, onto = (own, opponent // others.memory), mine.after_bust[own], mine.after_hold[own]
    ties, c = first <= busted < first + mine.step, constants[own, opponent]
    known = -1 if ties else busted
    right = results_of(mine, t, c, mine.begin, onto, mine.step, known, after[opponent])
    return right, mine.leave[t] if ties else 1.0, busted - first if ties else -1


@compiled
def solve_pairs(mine, theirs, c_1, c_2, live_1, live_2, fixed, u_1, u_2):
    """Fill the values of two players, `u_1` and `u_2`, by (2) and (3), as :func:`solve_cells` does.

    These, the constants c, and where states are `live` are tables, [the mover's state, the other one's].
    """
    step_1, step_2 = mine.step, theirs.step
    half = step_1 * step_2
    right, solved = np.empty((2 * half, 1)), np.empty((2 * half, 1))
    leave = np.empty(2 * half)
    onward, seen = np.empty(2 * half, np.int64), np.empty(2 * half, np.int64)
    for i in range(len(u_1) - step_1, -1, -step_1):
        for j in range(len(u_2) - step_2, -1, -step_2):
            for a in range(step_1):
                for b in range(step_2):
                    k = a * step_2 + b
                    n = half + k
                    turn = turn_of_pair(mine, theirs, i + a, j + b, i, c_1, live_1, fixed, u_2)
                    right[k, 0], leave[k], after = turn
                    onward[k] = half + after * step_2 + b if after >= 0 else -1
                    turn = turn_of_pair(theirs, mine, j + b, i + a, j, c_2, live_2, fixed, u_1)
                    right[n, 0], leave[n], after = turn
                    onward[n] = a * step_2 + after if after >= 0 else -1
            close_chains(right, leave, onward, seen, solved)
            for a in range(step_1):
                for b in range(step_2):
                    u_1[i + a, j + b] = solved[a * step_2 + b, 0]
                    u_2[j + b, i + a] = solved[half + a * step_2 + b, 0]


@inlined
def results_at(turns, t, mover, own, base, right, known, after):
    """Do as :func:`results_of` for a turn from one state; `base` as in :func:`end_of`."""
    back, onto = base + turns.begin[mover], base + turns.after_hold[mover, own]
    busted = base + turns.after_bust[mover, own] if known else -1
    return results_of(turns, t, right, back, onto, turns.step[mover], busted, after)


def new_room(turns, sides=1):
    """What kernels work in: the E = C·n equations of the cells that are solved together, numbered by cell and mover.

    Returns
    -------
    turn : ndarray (E, 5)
        The mover, the number of the cell in the order from the mover on, and what :func:`turn_of` returns but for the
        next player. The number of the turn is -1 where there is none.
    right, solved : ndarray (E, `sides`)
        By expected value.
    leave, onward, seen : ndarray (E,)
    """
    size = turns.ahead.size
    turn, (onward, seen) = np.zeros((size, 5), np.int64), np.zeros((2, size), np.int64)
    return turn, *np.empty((2, size, sides)), np.empty(size), onward, seen


@inlined
def tie_cells(turns, live, cell, turn, leave, onward):
    """Fill in the turns of the cells with the same points, of which `cell` is the first, and where their busts lead.

    As for :func:`~dicelab.solvers.cycle.close_chains`: a bust to other points, and to a state led back to, has a known
    value, L = 1 and no equation, -1. Where no end can be reached the turn has the number -1.
    """
    n = len(turns.rest)
    for m in range(n):
        for k in range(len(turns.ahead)):
            row, place = k * n + m, cell + turns.ahead[k, m]
            t, own, following, base = turn_of(turns, m, place)
            change = turns.change[m, own] if live[m, place] else KNOWN
            turn[row, 0], turn[row, 1], turn[row, 2] = m, place, t if live[m, place] else -1
            turn[row, 3], turn[row, 4] = own, base
            leave[row] = 1.0 if change == KNOWN else turns.leave[t]
            onward[row] = -1 if change == KNOWN else k * n + change + following
        cell = turn[m, 3] + turn[m, 4]  # as the next player sees it


@bare
def solve_cells(turns, room, live, credit, step, extra, fixed, values):
    """Fill in `values`, K expected values of the rest of the match, by (2) and (3).

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
    turn, right, solved, leave, onward, seen = room
    for group in range(len(turns.first) - 1, -1, -1):
        tie_cells(turns, live, turns.first[group], turn, leave, onward)
        for row in range(len(turn)):
            m, place, t, own, base = turn[row]
            for p in range(values.shape[2]):
                right[row, p] = fixed
                if t >= 0:
                    c = step + turns.finish[t] * credit[m, p]
                    if extra.shape[1] > 0:
                        c += extra[m, place, p]
                    after = values[m + 1 if m + 1 < len(values) else 0, :, p]
                    known = onward[row] < 0
                    right[row, p] = results_at(turns, t, m, own, base, c, known, after)
        close_chains(right, leave, onward, seen, solved)
        for row in range(len(turn)):
            for p in range(values.shape[2]):
                values[turn[row, 0], turn[row, 1], p] = solved[row, p]


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
                arriving[at], at = -1, onward[at]
            visits[k] = (visits[k] + returning) / away
            while onward[at] != k:
                visits[onward[at]] += (1.0 - leave[at]) * visits[at]
                at = onward[at]


@bare
def add_up_visits(turns, room, live, visits, returned):
    """Solve (4) but for resets and penalties: `visits` (n, cells) are the starts, and the expected visits afterwards.

    What resets and penalties return is added to `returned` (n, cells). A state not `live` is the end.
    """
    turn, right, _, leave, onward, arriving = room
    here = right[:, 0]
    for group in range(len(turns.first)):
        tie_cells(turns, live, turns.first[group], turn, leave, onward)
        for row in range(len(turn)):
            here[row] = visits[turn[row, 0], turn[row, 1]]
        add_up_chains(here, leave, onward, arriving)
        for row in range(len(turn)):
            m, place, t, own, base = turn[row]
            mass, following = here[row], m + 1 if m + 1 < len(visits) else 0
            visits[m, place] = mass
            if t < 0 or mass == 0.0:
                continue
            for number in range(0 if onward[row] < 0 else 1, ends_of(turns, t)):
                chance, to = end_of(turns, t, m, own, base, number)
                back = number == 1 or (number == 0 and turns.after_bust[m, own] < own)
                (returned if back else visits)[following, to] += mass * chance


@bare
def squared_steps(turns, live, answered, mean, squares):
    """Enter into `squares` (n, cells), zeros, the expected square of 1 + m' - m for a turn, where it is `live`.

    A finish ends the match, or after one more turn where it is `answered` (n,).
    """
    n, cells = squares.shape
    for m in range(n):
        for place in range(cells):
            if live[m, place]:
                t, own, following, base = turn_of(turns, m, place)
                short = 1.0 - mean[m, place]
                total = turns.finish[t] * (short + answered[m]) ** 2
                for number in range(ends_of(turns, t)):
                    chance, to = end_of(turns, t, m, own, base, number)
                    total += chance * (short + mean[following, to]) ** 2
                squares[m, place] = total


@bare
def pass_turn(turns, waiting, mover, ending, now, after):
    """Play one turn of player `mover`, `now` being the probabilities of the cells in the order from the mover on.

    The probability to finish in this turn is added to the first number of `waiting`. `after` (cells,) are zeros, and
    filled in the order from the next player on.

    Returns
    -------
    float
        The probability to have been in a state that is not `ending` (n, cells).
    """
    finished, endless = 0.0, 0.0
    for place in range(len(now)):
        mass = now[place]
        if mass > 0.0 and not ending[mover, place]:
            endless += mass
        elif mass > 0.0:
            t, own, _, base = turn_of(turns, mover, place)
            for number in range(ends_of(turns, t)):
                chance, to = end_of(turns, t, mover, own, base, number)
                after[to] += mass * chance
            finished += mass * turns.finish[t]
    waiting[0] += finished
    return endless


@bare
def turns_of_others(turns, cells, own_places, extra, chances, right, bust, leave):
    """The turns of the others in all cells of a group: R, β and L of (1), for the chance of a best responder, seat 0.

    Parameters
    ----------
    cells : ndarray of int (G, n, S)
        Of states of the others, which have the same points, by mover and own state.
    own_places : ndarray of int (S,)
        Where the own states are in the results.
    extra : ndarray (n, cells)
        The chance after a finish of the mover, times that of the finish.
    chances : ndarray (n, cells, 1)
        The responder's, by mover and cell; those of larger scores of the others, and after resets, are filled in.
    right, bust, leave : ndarray (G, S, n)
        Filled, by mover. A bust that costs points, or scores, is a part of R.
    """
    for g in range(len(cells)):
        for state in range(len(own_places)):
            row = own_places[state]
            for m in range(1, len(chances)):
                place = cells[g, m, state]
                t, own, following, base = turn_of(turns, m, place)
                known = turns.change[m, own] == KNOWN
                c, after = extra[m, place], chances[following, :, 0]
                right[g, row, m] = results_at(turns, t, m, own, base, c, known, after)
                bust[g, row, m] = 0.0 if known else turns.bust[t]
                leave[g, row, m] = 1.0 if known else turns.leave[t]


@inlined
def look_ahead(turns, mover, cell, marked, forwards):
    """Whether a turn may finish or lead to a marked state; or, `forwards`, mark the states it may lead to.

    Forwards, returns whether some of these were not marked yet.
    """
    t, own, following, base = turn_of(turns, mover, cell)
    found = not forwards and turns.finish[t] > 0.0
    for number in range(ends_of(turns, t)):
        chance, place = end_of(turns, t, mover, own, base, number)
        if chance > 0.0 and marked[following, place] != forwards:
            marked[following, place], found = True, True
    return found


@bare
def mark_states(turns, marked, forwards):
    """Mark all states from which an end can be reached; or, `forwards`, all that can be reached from marked ones.

    Holds lead to larger states: in this order, only busts and resets need more than one round.
    """
    n, cells = marked.shape
    more = True
    while more:
        more = False
        for number in range(cells):
            cell, again = (number if forwards else cells - 1 - number), True
            while again:  # a bust leads to the next player's turn, usually in the same cell
                again = False
                for m in range(n):
                    if marked[m, cell] == forwards and look_ahead(turns, m, cell, marked, forwards):
                        marked[m, cell] = more = again = True
                    own = cell // turns.rest[m]
                    cell = (cell - own * turns.rest[m]) * turns.states[m] + own


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
    answered : ndarray (n,), optional
        How many last turns follow a finish by a player; by default none.

    Attributes
    ----------
    begin : tuple of int
        The players' states at the beginning of the match.
    start : ndarray of int (n,)
        The cell at the beginning of the match, by mover.
    strides : ndarray of int (n, n)
        By how much the number of a cell, in the order from a player on, grows with each player's state.
    finishes : ndarray (n, cells, n) or None
        Where others have a last turn: the probabilities that a turn finishes and each player wins then, which the
        caller must set.
    """

    def __init__(self, game, *players, answered=None):
        n = len(players)
        self.game, self.outcomes, self.players, self.finishes = game, players, n, None
        self.answered = np.zeros(n) if answered is None else answered
        self.states = [len(table.bust) for table in players]
        self.cells = math.prod(self.states)
        seats = np.arange(n)
        turned = np.array(self.states)[
            (seats + seats[:, None]) % n
        ]  # in the order from each player on
        steps = self.cells // np.cumprod(turned, axis=1)
        self.strides = np.take_along_axis(steps, (seats - seats[:, None]) % n, axis=1)
        self.begin = tuple(table.begin for table in players)
        self.start = self.strides @ self.begin
        costs = [table.after_bust[costs_points(table)] for table in players]
        self.penalties = any(part.size for part in costs)
        self.backs = [
            np.unique(np.append(part, table.begin))
            for part, table in zip(costs, players, strict=True)
        ]
        numbers = np.arange(n * self.cells).reshape(n, -1)
        led_back = [
            numbers[(m + 1) % n].reshape(-1, self.states[m])[:, back].ravel()
            for m, back in enumerate(self.backs)
        ]
        self.returns = np.concatenate(led_back)
        self.rows = len(self.returns)
        self.repeats = game.resets or self.penalties

    def columns(self, mover):
        """The columns of the turns of a player in its TurnOutcomes, by the number of the others' states."""
        column, size = np.zeros(1, dtype=int), len(self.game.scores)
        leads = self.outcomes[mover].bust.shape[1] == size
        for k in range(1, self.players):
            table = self.outcomes[(mover + k) % self.players]
            score = np.arange(len(table.bust)) // table.memory
            seen = column if leads else column * size
            column = (np.maximum if leads else np.add).outer(seen, score).ravel()
        return column

    @cached_property
    def turns(self):
        """The turns of all players in one table."""
        players, tables = self.outcomes, distinct(self.outcomes)
        sizes = np.array([(table.bust.size, table.hold.size) for table in tables])
        rows, used = (np.cumsum(sizes, axis=0) - sizes).T
        base = dict(zip(map(id, tables), rows, strict=True))
        *parts, start, hold = (
            np.concatenate([part.reshape(-1, *part.shape[2:]) for part in field])
            for field in zip(*(table[:7] for table in tables), strict=True)
        )
        n, registers = self.players, tables[0].step // tables[0].memory
        memory = np.array([table.memory for table in players])
        ahead = np.indices((registers,) * n).reshape(n, -1).T * memory
        numbers, changes = [], []
        for m, table in enumerate(players):
            own, busted = np.arange(self.states[m]), table.after_bust
            numbers.append(own[own % table.step < table.memory])
            change = (busted - own) // table.memory * registers ** (n - 1 - m) * n
            changes.append(np.where(busted // table.step == own // table.step, change, KNOWN))
        return Turns(
            *parts,
            start=start + np.repeat(used, sizes[:, 0]),
            hold=hold,
            base=np.array([base[id(table)] for table in players]),
            columns=np.array([table.bust.shape[1] for table in players]),
            column=in_rows(map(self.columns, range(n))),
            states=np.array(self.states),
            rest=self.cells // np.array(self.states),
            step=np.array([table.step for table in players]),
            begin=np.array(self.begin),
            after_hold=in_rows(table.after_hold for table in players),
            after_bust=in_rows(table.after_bust for table in players),
            first=np.ravel_multi_index(np.ix_(*numbers), self.states).ravel(),
            ahead=ahead @ self.strides.T,
            change=in_rows(changes),
        )

    @property
    def zeros(self):
        """A number for each player, to which kernels may add."""
        return np.zeros(self.players)

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
            mark_states(self.turns, ending, False)
        return ending

    def reached(self):
        """Whether a state can be reached from the start of the match, an array of bool (n, cells)."""
        reached = np.zeros((self.players, self.cells), dtype=bool)
        reached[0, self.start[0]] = True
        mark_states(self.turns, reached, True)
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
            self.lead_back(values, back)
            kernel = self._solve_two if self.players == 2 else self._solve_cells
            kernel(live, credit, step, extra, fixed, values)
            return self.led_back(values).ravel()

        def change(back):
            return after(back, credit, step, extra, fixed) - back

        back, repeats = np.zeros(self.rows * credit.shape[1]), 0.0
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
                left, scale = np.abs(change(back)).max(), np.abs(back).max() or 1.0
            estimate = left / scale * (1 + repeats) + ROUNDING * repeats
            accurate = estimate <= 0.1 * ACCURACY
            if not accurate and self.rows <= ELIMINATED:
                matrix = np.column_stack([single(unit, 0 * one) for unit in np.eye(self.rows)])
                columns = gap.reshape(self.rows, -1).T
                solved = [
                    eliminate(matrix.copy(), ends.copy(), column.copy()) for column in columns
                ]
                back, repeats = np.column_stack(solved).ravel(), 0.0
            elif not accurate:
                repeats = min(repeats, self._repeats_expected(lambda z: single(z, 0 * one)))
        left = np.abs(change(back)).max()
        residual = left / scale if self.repeats else 0.0
        if repeats == 0.0:  # sums of terms without cancellation, as accurate as the terms
            least = min(0.0, credit.min(), extra.min(initial=0.0))
            scale = np.abs(values[0, self.start[0]]).max() - least
        rounded = ROUNDING * (sum(self.states) ** 0.5 + repeats)
        return values, float(residual), float(scale * (residual * (1 + repeats) + rounded))

    def _solve_cells(self, *arguments):
        solve_cells(self.turns, new_room(self.turns, arguments[-1].shape[2]), *arguments)

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
        rough = 0.5 / self.rows**0.5
        with np.errstate(all="ignore"):
            expected = gmres(system, ones, rtol=rough, restart=RESTART, maxiter=RESTARTS)[0]
            least = float(system.matvec(expected).min())
            return float(expected.max()) / least if least > 0.0 else FOREVER

    def led_back(self, values):
        """The values (n, cells, …) after a reset or penalty of each player in turn, when the next player moves."""
        return values.reshape(self.players * self.cells, *values.shape[2:])[self.returns]

    def lead_back(self, values, back):
        """Enter into `values` those that :meth:`led_back` gives."""
        values.reshape(self.players * self.cells, -1)[self.returns] = back.reshape(self.rows, -1)

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


def in_rows(parts):
    """Rows of different lengths in one array of int64, filled up with -1."""
    parts = list(parts)
    table = np.full((len(parts), max(map(len, parts))), -1, np.int64)
    for row, part in zip(table, parts, strict=True):
        row[: len(part)] = part
    return table


def distinct(records):
    """Each record once, a list, in the order of its first seat."""
    return list({id(record): record for record in records}.values())
