"""Races of two with registers, roles and last turns: sweeps over all positions, from the target backwards.

A position is (o; a, f; b, g): the mover has the role o, needs a points and is in the register f; for the opponent these
are b and g (:mod:`dicelab.games.positions`). V is the value to the mover. In the notation of
:mod:`dicelab.solvers._kernels`, with o' the role of the other player,

    H(r) = c - V(o'; b, g; r, f₁),      B = c - V(o'; b, g; a₂, f₂),      Z = c - V(o'; b, g; T, f₀),            (1)

where f₁ is the register after a hold, a₂ and f₂ are the need and the register after a bust, and T and f₀ those at the
beginning of the game. The turn operator makes V of these. If a hold must bank at least k points, holds with r > a - k
are not allowed; and if a < k the turn goes on to k points, beyond the target. A target that must be hit exactly cannot
be hit then.

**One sweep** goes up the sums a + b. Holds, and busts that score, lead to smaller sums, which are solved by then; or to
the target, which has the value of a finish. A bust that neither costs nor scores points leads from class to class at
the same needs. Classes that are on no cycle are solved by one turn operator each, after the class to which their bust
leads.

**On a cycle** each value depends on itself, and x = h(x) for the value x of its first position. With the decisions
fixed the round is x = K + (1 - E)·x, whose solution K / E is a step of policy iteration: :mod:`dicelab.solvers.cycle`
says why these end. Where rounding leads beyond the bounds, and where E = 0 (below), the interval is bisected instead.
We stop when no value on the cycle changes by more than CLOSE, at the latest after ROUNDS rounds. The last change is the
residual, and above 1e-13 it is refused; the distance to the solution may be larger, as :mod:`dicelab.solvers._kernels`
says. Nothing is done here about tiny L in the turns of both players: :func:`dicelab.solve` refuses games with an
outcome that is nearly impossible (:func:`dicelab._accuracy.check_told_apart`).

**Waiting.** Where turns can be wasted on purpose, or the target cannot be hit any more, all turns of a cycle may come
to nothing, E = 0, and endless play counts c/2. *Proposition.* The value is the solution d of x = h(x) that is nearest
to c/2. *Proof.* h has slopes from 0 to 1, and leads to no value beyond those of the best and the worst end. So there
are solutions, they are an interval, and h(x) > x below it. Let d ≥ c/2; else exchange the players. If the opponent
always plays as is best at d, the first player can expect at most d after any number of rounds, if a match that is still
on the cycle counts d; so no more if one that never leaves it counts c/2. If d > c/2, let c/2 ≤ x < d, so that h(x) > x.
If the first player always plays as is best at x, the expectation after some rounds, if a match that is still on the
cycle counts x, is at least x, and h(x) - x more for each round that can be expected to begin. It is bounded, so this
number of rounds is finite: the match leaves the cycle with probability 1, and brings at least x, which may be as near
to d as we like. If d = c/2, the first player makes sure of it as the opponent does. ∎

So we begin at c/2. Let d > c/2; else exchange the players. If there are several solutions, E = 0 between them. Then, in
the notation of :mod:`dicelab.solvers.cycle`, α = 0 there and above, and β = 0 there and below. So below d we have E =
α, which does not increase in x; hence -D(x) ≤ E(x)·(d - x), and no step from below passes d. If all wait at some x, the
value lies between x and c/2: x is a bound, and bisection follows.

**Penalties and resets** may lead to sums that are not solved yet. There the value of the last sweep is taken, and
sweeps are repeated, with Anderson's acceleration (scipy's), until none changes by more than 4e-15, or 400 times. At the
lowest scores they lead to the same sum, of which the value stored last is taken: steps on a cycle are shorter then, and
approach the solution in more rounds. That sweeps come to agree is not proven, only checked: a change above 1e-13 in the
last one is refused. If play ends with probability 1 whatever the players do
(:func:`dicelab.games.absorption.may_be_endless`), the fixed point is unique: two of them differ by no more than a
constant times the probability that play has not ended after n turns, for every n. Other games with penalties or resets
are refused. Without penalties and resets one sweep is the solution.

The turns of LANES neighbouring positions are walked in lock step. Unlike those of games without registers and last
turns, the walks begin at the target, or at a higher score (:mod:`dicelab.solvers.last_turn`).

**Error.** An estimate, not a proof. An error of the values with which a sweep begins is left in part after it. To
measure how much, we move all values of the solution away from c/2 by a millionth of their distance, sweep two to eight
times, until a sweep leaves at most half of what the one before had left, and add up what is left after each sweep, as a
part of the largest move. From there on every sweep is taken to leave the same part as the last one: a geometric series.
Then we do the same after adding a millionth to all values, since an error of both players' values of the same sign can
last longer. The larger sum, times the sum of the last change and the rounding of a sweep, is the estimate. Where
penalties are nearly certain nearly all is left, and the solver refuses. Without registers it is not measured, and 1 is
taken.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .._accuracy import (
    CLOSE,
    RESIDUAL_LIMIT,
    ROUNDING,
    SETTLED,
    TIE,
    ConvergenceError,
    check_residual,
    settle,
)
from .._compile import bare, inlined, inner
from .._limits import THREADS, check_memory, progress
from .._shown import title_of
from ..games.absorption import may_be_endless
from ..games.model import LAST_TURN, Game, Outcome
from ..games.positions import classes_of
from ..solution import NAMES, OptimalPolicy, Solution
from ._kernels import (
    aligned,
    decide_positions,
    end_of,
    farthest,
    finishing_bust,
    rules_of,
    turn_shape,
)
from .cycle import joined, passed
from .last_turn import above_target, ladder_of
from .two_player import solve_pairs_of_scores

__all__ = ["check_ends", "greedy_decisions", "solve_race"]

LANES = 32  # turns in a batch
NUDGE, MOST_NUDGES = 1e-6, 8  # move all values by this, and sweep so often: how errors grow
ROUNDS = 200  # steps of policy iteration on a cycle; a few suffice, 52 bisections for length 1


class Workspace(NamedTuple):
    """What the kernels write to, for the positions with one sum.

    A batch is LANES turns; those of its arrays without a shape are (LANES,), float64. Arrays (…, N + 1) are by a, the
    need of the player to move. The turns of a cycle that are composed so far, from its last one on, have K and E of
    :mod:`dicelab.solvers.cycle`, as seen by the player who moves at the first position of the cycle: in row 0 after an
    even number of turns, and in row 1 after an odd number.
    """

    turns: np.ndarray  # (LANES, 5) int, of each turn of a batch a, o, f, g and the opponent's place
    edge: np.ndarray  # (LANES,) int, points above the target where the walk begins: all hold there
    steps: np.ndarray  # (LANES,) int, totals to walk
    most: np.ndarray  # (LANES,) int, the most points that may be missing at a hold
    row: np.ndarray  # (LANES,) int, where the values of holds stand in the array of all values
    value: np.ndarray  # (M·(P + N + edge)·LANES,) W - B by mode, points to the edge and lane
    leave: np.ndarray  # the same of L
    bust: np.ndarray  # B
    again: np.ndarray  # Z - B
    finish: np.ndarray  # finish - B; -inf where the target cannot be banked
    held: np.ndarray  # H - B
    above: np.ndarray  # R - B
    left: np.ndarray  # L of a roll
    best: np.ndarray  # W - B of the best choice so far
    onward: np.ndarray  # L of the best choice so far
    constant: np.ndarray  # (2, N + 1) K
    escape: np.ndarray  # (2, N + 1) E
    low: np.ndarray  # (N + 1,) lower bounds of the value of the first position of a cycle
    high: np.ndarray  # (N + 1,) upper bounds
    found: np.ndarray  # (N + 1, classes) what the turns are worth


def new_workspace(game, ladder):
    """Arrays for turns of a game."""
    rules, most = rules_of(game), game.longest
    modes, width = rules.beyond.shape[1:3]
    walk = modes * (width + most + farthest(ladder.last, ladder.classes)) * LANES
    arrays = map(aligned, (walk, walk, *[LANES] * 8))
    by_need = np.zeros((2, most + 1)), np.zeros((2, most + 1)), *np.zeros((2, most + 1))
    lanes = np.zeros((LANES, 5), dtype=np.int64), *np.zeros((4, LANES), dtype=np.int64)
    found = np.zeros((most + 1, len(ladder.classes.order)))
    return Workspace(*lanes, *arrays, *by_need, found)


@inner
def walk_lanes(rules, ladder, after, total, count, slopes, work):
    """Evaluate the turns in the first `count` lanes of ``work.turns``.

    Parameters
    ----------
    rules : Rules
    ladder : Ladder
    after : ndarray (roles, N + 1, R, R, N + 1)
        ``after[o, b, g, f, a]`` is c - V(o; b, g; a, f).
    total : int
        a + b.
    count : int
        At least 1; the other lanes repeat the first one.
    slopes : bool
        Whether L is wanted, too.
    work : Workspace
        Fills ``bust`` with B, and ``above`` with R - B and ``left`` with L at the start of each turn.
    """
    ways, modes, width, _ = rules.beyond.shape
    classes = ladder.classes
    turns, edge, steps, most, row, value, leave, bust, again, finish = work[:10]
    held, above, left, best, onward = work[10:15]
    size = value.size // modes
    flat = after.reshape(-1)
    size_row = after.shape[4]
    answers, longest = False, 0
    lanes = np.uint64(best.size)  # LANES; not known to the compiler, which then makes vectors
    for lane in range(LANES):
        if lane >= count:
            for k in range(4):
                turns[lane, k] = turns[0, k]
        a, o, f, g, _ = turns[lane]
        b = total - a
        then = classes.next_role[o]
        other = turns[lane, 4] = (after.shape[1] - 1 - b) * len(classes.mode) + g
        edge[lane], steps[lane], banks = turn_shape(ladder, a, o, f, other)
        longest = max(longest, steps[lane])
        most[lane], answers = a - classes.least_hold[f], answers or classes.answered[o]
        block = ((then * after.shape[1] + b) * after.shape[2] + g) * after.shape[3]
        row[lane] = (block + classes.after_hold[f]) * size_row
        need = min(a + classes.penalty[f], after.shape[1] - 1)
        if need > 0:
            bust[lane] = after[then, b, g, classes.after_bust[f], need]
        else:
            ahead = 0 if ladder.exactly else -need
            bust[lane] = finishing_bust(ladder, classes.answered[o], other, b, ahead)
        again[lane] = after[then, b, g, 0, ladder.start] - bust[lane]
        finish[lane] = (
            ladder.payoffs.finish[b] + (steps[lane] - a) * ladder.payoffs.over - bust[lane]
            if banks
            else -np.inf
        )
    for m in range(modes):
        for at in range(width):
            for way in range(ways):
                for lane in range(LANES):
                    _, o, _, _, other = turns[lane]
                    place = m * size + at * LANES + lane
                    worth, leaves_it = end_of(
                        rules,
                        ladder,
                        way,
                        m,
                        at,
                        classes.answered[o],
                        other,
                        edge[lane] + width - 1 - at,
                        finish[lane],
                        again[lane],
                        bust[lane],
                    )
                    if way == 0 or worth > value[place]:
                        value[place], leave[place] = worth, leaves_it
    for n in range(1, longest + 1):
        for lane in range(lanes):
            r = n - edge[lane]
            place = row[lane] + max(0, min(r, size_row - 1))
            held[lane] = flat[place] - bust[lane] if r <= most[lane] else -np.inf
        for lane in range(LANES if answers else 0):
            r = n - edge[lane]
            if r <= min(0, most[lane]):
                held[lane] = 1.0 - ladder.last.chance[turns[lane, 4], -r] - bust[lane]
        at = width - 1 + n
        for k in range(modes):
            m = rules.order[k]
            for lane in range(lanes):
                above[lane], left[lane] = rules.reset[m] * again[lane], rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                p, c = rules.probability[o], rules.choices[o]
                place = rules.mode[c] * size + (at - rules.points[c]) * LANES
                values, leaves = value[place : place + LANES], leave[place : place + LANES]
                if rules.choices[o + 1] == c + 1:
                    for lane in range(lanes):
                        above[lane] += p * values[lane]
                    for lane in range(lanes if slopes else 0):
                        left[lane] += p * leaves[lane]
                    continue
                for lane in range(lanes):
                    best[lane] = values[lane]
                for lane in range(lanes if slopes else 0):
                    onward[lane] = leaves[lane]
                for d in range(c + 1, rules.choices[o + 1]):
                    place = rules.mode[d] * size + (at - rules.points[d]) * LANES
                    values, leaves = value[place : place + LANES], leave[place : place + LANES]
                    for lane in range(lanes if slopes else 0):
                        onward[lane] = leaves[lane] if values[lane] > best[lane] else onward[lane]
                    for lane in range(lanes):
                        best[lane] = values[lane] if values[lane] > best[lane] else best[lane]
                for lane in range(lanes):
                    above[lane] += p * best[lane]
                for lane in range(lanes if slopes else 0):
                    left[lane] += p * onward[lane]
            may_hold, stops = rules.may_hold[m], rules.stops[m]
            place = m * size + at * LANES
            values, leaves = value[place : place + LANES], leave[place : place + LANES]
            for lane in range(lanes):
                holds = may_hold & ((held[lane] >= above[lane]) | (stops & (held[lane] > -np.inf)))
                values[lane] = held[lane] if holds else above[lane]
                leaves[lane] = 1.0 if holds else left[lane]
    for lane in range(count):
        place = classes.mode[turns[lane, 2]] * size + (width - 1 + steps[lane]) * LANES + lane
        above[lane], left[lane] = value[place], leave[place]


@inner
def walk_and_compose(rules, ladder, after, total, count, step, work):
    """Evaluate the first `count` turns, and fill ``work.found``.

    With `step` > 0 they are the turns number `step` from the end of a cycle, and are composed with the later ones.
    """
    size, c = len(ladder.classes.after_hold), ladder.payoffs.constant_sum
    walk_lanes(rules, ladder, after, total, count, step > 0, work)
    now = step % 2
    for lane in range(count):
        a, o, f, g, _ = work.turns[lane]
        left, bust = work.left[lane], work.bust[lane]
        work.found[a, (o * size + f) * size + g] = bust + work.above[lane]
        if step:
            results = work.above[lane] + left * bust
            constant = work.constant[1 - now, total - a] if step > 1 else 0.0
            escape = work.escape[1 - now, total - a] if step > 1 else 0.0
            own = passed(c, results, left) if now == 1 else results
            work.constant[now, a], work.escape[now, a] = joined(own, left, constant, escape)


@inlined
def is_asked(a, total, needs, half):
    """Whether the need a is one of `needs`, or the mirror image b of one; if `half` is 1 or 2, and a ≤ b or a ≥ b.

    A cycle of an odd number of classes goes round twice, and visits each class once with a ≤ b and once with a ≥ b.
    """
    return (a <= needs[1] or a >= total - needs[1]) and (
        half == 0 or (half == 1 and 2 * a <= total) or (half == 2 and 2 * a >= total)
    )


@inlined
def closed(ladder, x, a, work):
    """The next value of the first position of a cycle, whose value was x: a step of policy iteration.

    Where all wait, E = 0, the value lies between x and c/2, by the page above; so x is a bound, and bisection follows.
    """
    c, most = ladder.payoffs.constant_sum, ladder.payoffs.most
    new, waits = c / 2, work.escape[0, a] == 0.0
    if not waits:
        new = min(max(work.constant[0, a] / work.escape[0, a], c - most), most)
    if new < x:
        work.high[a] = x
    elif new > x or waits:
        work.low[a] = x
    if not work.low[a] <= new <= work.high[a] or (waits and new != x):
        new = 0.5 * (work.low[a] + work.high[a])
    return new


@inlined
def store(ladder, after, total, needs, half, classes, closes, work):
    """Enter the values that were found for some classes, as c - V; return the largest change.

    Where they end a round, they are those of the first positions of a cycle, and it `closes`. With a = b on a cycle of
    an odd number of classes, what is replaced is the value of half a round before: a bound from the other side.
    """
    size, c, change = after.shape[2], ladder.payoffs.constant_sum, 0.0
    for a in range(needs[0], total - needs[0] + 1):
        for k in range(len(classes) if is_asked(a, total, needs, half) else 0):
            o, f, g = classes[k] // (size * size), classes[k] // size % size, classes[k] % size
            before, new = after[o, a, f, g, total - a], work.found[a, classes[k]]
            if closes:
                new = closed(ladder, c - before, a, work)
            change = max(change, abs(c - new - before))
            after[o, a, f, g, total - a] = c - new
    return change


@inner
def evaluate(rules, ladder, after, total, needs, half, classes, step, closes, work):
    """Evaluate the turns at some needs, for some classes, and enter their values; return the largest change.

    `step` is as in :func:`walk_and_compose`, and `closes` as in :func:`store`.
    """
    size = len(ladder.classes.after_hold)
    count = 0
    for a in range(total - needs[0], needs[0] - 1, -1):
        for k in range(len(classes) if is_asked(a, total, needs, half) else 0):
            work.turns[count, 0], work.turns[count, 1] = a, classes[k] // (size * size)
            work.turns[count, 2], work.turns[count, 3] = (
                classes[k] // size % size,
                classes[k] % size,
            )
            count += 1
            if count == LANES:
                walk_and_compose(rules, ladder, after, total, count, step, work)
                count = 0
    if count > 0:
        walk_and_compose(rules, ladder, after, total, count, step, work)
    return store(ladder, after, total, needs, half, classes, closes, work)


@bare
def solve_needs(rules, ladder, after, total, needs, work):
    """Solve all positions with the needs a and b = `total` - a, and with b and a, for a in `needs`.

    These do not depend on positions with other needs of this sum: so threads can share the work.

    Parameters
    ----------
    rules : Rules
    ladder : Ladder
    after : ndarray (roles, N + 1, R, R, N + 1)
        ``after[o, b, g, f, a]`` is c - V(o; b, g; a, f). Of smaller sums it has solutions, of this one and larger ones
        guesses; those of this one are replaced.
    total : int
    needs : tuple of int
        The least and the greatest a, at most half of the sum.
    work : Workspace

    Returns
    -------
    float
        The residual: the largest last change on a cycle.
    """
    residual, c = 0.0, ladder.payoffs.constant_sum
    classes = ladder.classes
    for s in range(len(classes.cyclic)):
        numbers = classes.order[classes.steps[s] : classes.steps[s + 1]]
        if not classes.cyclic[s]:
            evaluate(rules, ladder, after, total, needs, 0, numbers, 0, False, work)
            continue
        odd = len(numbers) % 2
        steps = len(numbers) * (1 + odd)
        work.low[:], work.high[:] = c - ladder.payoffs.most, ladder.payoffs.most
        if ladder.waits:
            work.found[:, numbers[0]] = c / 2
            store(ladder, after, total, needs, odd, numbers[:1], False, work)
        change = np.inf
        for _ in range(ROUNDS):
            change = 0.0
            for step in range(1, steps + 1):  # against the direction of the busts
                at = steps - step
                half = odd * (1 + at % 2)
                number = numbers[at % len(numbers) : at % len(numbers) + 1]
                moved = evaluate(
                    rules, ladder, after, total, needs, half, number, step, step == steps, work
                )
                change = max(change, moved)
            if change <= CLOSE:
                break
        residual = max(residual, change)
    return residual


def sweep(game, ladder, after, workspaces, bar=iter):
    """Solve all positions once, from the target backwards; return the residual of the cycles. `bar` shows progress."""
    rules = rules_of(game)
    most = after.shape[1] - 1
    worst = 0.0
    with ThreadPoolExecutor(THREADS) as threads:
        for total in bar(range(2, 2 * most + 1)):
            least, half = max(1, total - most), total // 2
            edges = np.unique(np.linspace(least, half + 1, THREADS + 1).astype(int))
            parts = [(int(first), int(last) - 1) for first, last in pairwise(edges)]
            solve = partial(solve_needs, rules, ladder, after, total)
            worst = max(worst, *threads.map(solve, parts, workspaces))
    return worst


def without_dominated(game):
    """The game without choices that another one makes useless: as many points or more in the same mode.

    A player with more points in the same state can do as the player with fewer would do, and is never behind, so these
    choices change no value of "win" with ``finish="reach"``. With other finishes, and for the margin, it may be better
    to stay below the target. Outcomes with the same choices are merged.
    """

    def merged(mode):
        chances = {}
        for outcome in mode.outcomes:
            most = {}
            for choice in sorted(outcome.choices, key=lambda choice: choice.points):
                most[choice.mode] = choice
            result = tuple(most.values()) or outcome.result
            chances[result] = chances.get(result, 0) + outcome.probability
        return replace(
            mode, outcomes=[Outcome(chance, result) for result, chance in chances.items()]
        )

    return replace(game, modes=tuple(map(merged, game.modes)))


def first_guess(game, ladder, objective, overshoot):
    """The values with which sweeps begin: those of a race without registers and last turns, or c/2.

    All turns of that race begin in the mode of the first register. If it is not solved, all values are c/2.
    """
    most, size = game.longest, len(ladder.classes.mode)
    c, roles = ladder.payoffs.constant_sum, len(ladder.classes.next_role)
    after = np.full((roles, most + 1, size, size, most + 1), c / 2)
    first = ladder.classes.mode[0]
    modes = game.modes[first], *game.modes[:first], *game.modes[first + 1 :]
    finish = "exact" if ladder.exactly else "reach"
    with suppress(ValueError, ConvergenceError):
        plain = solve_race(Game(game.name, most, modes, finish), objective, overshoot)
        unit = 1 if objective == "win" else game.target
        after[:, 1:, :, :, 1:] = c - plain.values[::-1, None, None, ::-1] / unit
    return after


def growth_of_errors(game, ladder, after, workspaces):
    """How many times the last change of a sweep the values may be off; `after` has the solution, and is overwritten.

    See the page above, Error. Infinite where sweeps leave all of an error, as far as float64 can tell.
    """
    found, worst = after.copy(), 0.0
    inner = (slice(None), slice(1, None), ..., slice(1, None))  # without needs of 0 points
    middle = ladder.payoffs.constant_sum / 2
    for nudge in (NUDGE * (found[inner] - middle), np.full_like(found[inner], NUDGE)):
        after[...] = found
        after[inner] += nudge
        most = moved = np.abs(nudge).max()
        total, kept = 1.0, 0.0
        for number in range(MOST_NUDGES if moved else 0):  # if all are c/2, none moves away from it
            sweep(game, ladder, after, workspaces)
            before, moved = moved, np.abs((after - found)[inner]).max()
            kept = moved / before if moved > SETTLED else 0.0  # only roundings are left
            if kept <= 0.5 and number:  # the first sweep may hide an error that lasts
                break
            total += moved / most
        worst = max(worst, total, total / (1.0 - kept) if kept < 1.0 else np.inf)
    return worst


def check_ends(game):
    """Raise ValueError if a player can wait for ever where busts cost points, or where a reset leads back."""
    if (game.resets or game.has_penalties) and may_be_endless(game):
        raise ValueError(
            f"{game.name}: a player can make sure never to finish, and a bust or a reset leads back, so that a match"
            " need not end and its equations have many solutions"
        )


def solve_race(game, objective="win", overshoot=False):
    """Solve a race of two; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin"}
    overshoot : bool

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If the residual is more than 1e-13, or a value is below a bound that is proven, or better than the best end.
    ValueError
        For a match that need not end (:func:`check_ends`), and for turns without a best end
        (:func:`dicelab.solvers.last_turn.last_turn_of`).
    NotImplementedError
        See :func:`dicelab.solvers.two_player.solve_pairs_of_scores`.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.
    """
    if game.registers or game.finish in LAST_TURN:
        after, residual, growth = solve_classes(game, objective, overshoot)
        ties, counts = {}, {}
    else:
        after, residual, ties, counts = solve_pairs_of_scores(game, objective, overshoot)
        growth = 1.0
    ladder = ladder_of(game, objective, overshoot)
    c, most = ladder.payoffs.constant_sum, ladder.payoffs.most
    unit = 1 if objective == "win" else game.target
    values = c - after
    beyond = max(values.max() - most, c - most - values.min())
    if not beyond <= RESIDUAL_LIMIT:
        raise ConvergenceError(
            f"{game.name}: a value is {beyond:.1e} better than the best end; a contradiction"
        )
    if beyond > 0:  # by a unit or two, of rounding
        values = values.clip(c - most, most)
    values *= unit
    return Solution(
        game=game,
        objective=objective,
        values=values if len(values) > 1 else values[0],
        policy=OptimalPolicy(
            game,
            partial(decide_positions, game, ladder, after, **ties),
            NAMES[objective],
            above_target(game, ladder.last),
        ),
        residual=unit * residual,
        error=unit * growth * (residual + ROUNDING * (2 * game.longest) ** 0.5),
        overshoot=overshoot,
        **counts,
    )


def greedy_decisions(game, payoffs, after, second, pairs, rolls, choices, tie=TIE):
    """Do as :func:`decide_positions` in a game without roles, where `after`, and the values of `second`, are (S, S)."""
    ladder = ladder_of(game)._replace(payoffs=payoffs)
    discounted = second and (second[0], second[1][None])
    decide_positions(
        game, ladder, after[None], pairs, rolls, choices, tie=tie, discounted=discounted
    )


def solve_classes(game, objective="win", overshoot=False):
    """Solve a race of two by sweeps over its classes of positions.

    Returns
    -------
    after : ndarray (roles, S, S)
        c - V by the role and the place of the player to move, and the place of the other player's score.
    residual, growth : float
        See the page above; errors grow by a factor.
    """
    roles, size = len(classes_of(game).next_role), len(game.scores)
    check_memory(
        30 * 8 * roles * size**2,
        f"solving {game.name} to {game.target}",
        "take a smaller target",
    )
    check_ends(game)
    lean = without_dominated(game) if game.finish == "reach" and objective == "win" else game
    ladder = ladder_of(lean, objective, overshoot, may_be_endless(game))
    after = first_guess(game, ladder, objective, overshoot)
    workspaces = [new_workspace(lean, ladder) for _ in range(THREADS)]
    worst = np.inf

    def change(guess):
        nonlocal worst
        after[...] = guess.reshape(after.shape)
        residual = sweep(lean, ladder, after, workspaces)
        step = after.ravel() - guess
        worst = max(residual, np.abs(step).max())
        return step

    goes_back = game.resets or game.has_penalties
    if goes_back:
        guess = after.ravel().copy()
        settle(change, guess + change(guess), game)
    else:
        bar = partial(progress, said=title_of(game), unit="sum")
        worst = sweep(lean, ladder, after, workspaces, bar)
    check_residual(game, worst)
    grows = goes_back and game.registers
    growth = growth_of_errors(lean, ladder, after.copy(), workspaces) if grows else 1.0
    by_place = np.ascontiguousarray(after[:, :0:-1, :, :, :0:-1].transpose(0, 1, 2, 4, 3)).reshape(
        roles, size, size
    )
    # Of a leader's opponent, by place.
    least = (ladder.payoffs.constant_sum - by_place[-1]).min(axis=1)
    if game.finish in LAST_TURN and (least < ladder.last.lower - TIE).any():
        raise ConvergenceError(f"{game.name}: a value is below its lower bound")
    return by_place, worst, growth
