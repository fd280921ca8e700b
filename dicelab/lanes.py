"""Turns evaluated side by side: the walk of :mod:`dicelab.turn` for sixteen of them in lock step; compiled.

Each turn has a *lane*, and what is done for all lanes at a turn total is a loop of fixed length over neighbouring
numbers. The compiler makes vectors of it if it sees, or can test in a moment, that the loop does not read what it
writes. So worths of totals are in one array, read at distances that stand in the code, six points at a time,
and what a roll leads to is in another, the *slate*. The least advantage of a decision so far goes from row to row: were
it replaced in its place, only where it is less, the next total would have to wait for that.

The scores of all turns have one sum, so that at one turn total all holds are in one row of the table; and turns end
together, at their start, so that the longest walk begins first. A lane that begins before its turn has to holds there.
"""

from typing import NamedTuple

import numpy as np

from .table import LANES, place
from .turn import SIX, inlined, inner, past_target

__all__ = ["BUST", "LAST", "RESET", "ROW", "Lanes", "gather", "new_lanes", "ready", "walk_lanes"]

TWO, ROW = (
    2 * LANES,
    3 * LANES,
)  # W - B for each lane, the chance to leave, the least advantage of a decision so far
LEAVE, BUST, RESET, SAFE, LAST, BEST, SLATE = (LANES * k for k in (1, 2, 3, 4, 5, 6, 8))  # places on the slate


class Lanes(NamedTuple):
    """The turns evaluated side by side, with scores of one sum: arrays (LANES,) if nothing else is said."""

    missing: np.ndarray  # points missing
    rows: np.ndarray  # what the opponent needs
    first: np.ndarray  # where the walk begins
    bust: np.ndarray  # what a bust is worth
    above: np.ndarray  # found: the value of the turn above the bust value,
    leave: np.ndarray  # the probability that it does not end in a bust, and
    safe: np.ndarray  # the least advantage of a decision over its alternative
    value: np.ndarray  # (M, T·ROW) found: W - B, or gains, from P + SIX - 1 steps before where the first lane begins
    slate: np.ndarray  # (SLATE,) scratch: roll, leave; bust, reset above it; safe, highest total to walk; choice, leave
    gathered: np.ndarray  # (1, LANES) scratch: what holds are worth that are not side by side


def new_lanes(rules, target):
    """Arrays for turns with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    missing, rows, first = np.zeros((3, LANES), dtype=np.int64)
    bust, above, leave, safe = np.zeros((4, LANES))
    value = aligned(modes, (width + SIX + target) * ROW)
    for row in range(width + SIX - 1):  # a gain of 0, for a hold
        value[:, row * ROW + LEAVE : row * ROW + LEAVE + LANES] = 1.0
    return Lanes(missing, rows, first, bust, above, leave, safe, value, aligned(1, SLATE)[0], aligned(1, LANES))


def aligned(rows, columns):
    """Zeros at a multiple of 64 bytes, as then no vector of eight lies in two lines of the cache."""
    zeros = np.zeros(rows * columns + 8)
    return zeros[-zeros.ctypes.data // 8 % 8 :][: rows * columns].reshape(rows, columns)


@inlined
def roll(rules, slate, value, m, t, k):
    """Put on the slate what a roll in mode `m` leads to but for a reset: W - B, the chance to leave, and how safe."""
    for lane in range(LANES):
        slate[SAFE + lane] = np.inf
    weight, onward, points, mode = rules.weight, rules.onward, rules.points, rules.mode
    for g in range(rules.sixes[m], rules.sixes[m + 1]):
        left = (t - onward[g, 1] - SIX + 1) * ROW
        near = value[onward[g, 0], left : left + SIX * ROW]
        p0, p1, p2, so_far = weight[g, 0], weight[g, 1], weight[g, 2], 1.0 if g > rules.sixes[m] else 0.0
        p3, p4, p5 = weight[g, 3], weight[g, 4], weight[g, 5]
        for lane in range(TWO):
            most = p5 * near[lane] + p4 * near[lane + ROW] + p3 * near[lane + 2 * ROW]
            least = p2 * near[lane + 3 * ROW] + p1 * near[lane + 4 * ROW] + p0 * near[lane + 5 * ROW]
            slate[lane] = so_far * slate[lane] + (most + least)
    for o in range(rules.several[m], rules.outcomes[m + 1]):
        c, p = rules.choices[o], rules.probability[o]
        left = (t - points[c]) * ROW
        first_choice = value[mode[c], left : left + TWO]
        for lane in range(TWO):
            slate[BEST + lane] = first_choice[lane]
        for d in range(c + 1, rules.choices[o + 1]):
            left = (t - points[d]) * ROW
            other = value[mode[d], left : left + TWO]
            for lane in range(LANES):
                ahead = other[lane] - slate[BEST + lane]
                differs = (other[LEAVE + lane] != slate[BEST + LEAVE + lane]) & (k <= slate[LAST + lane])
                slate[SAFE + lane] = min(slate[SAFE + lane], abs(ahead) if differs else np.inf)
                slate[BEST + lane] = other[lane] if ahead > 0.0 else slate[BEST + lane]
                slate[BEST + LEAVE + lane] = other[LEAVE + lane] if ahead > 0.0 else slate[BEST + LEAVE + lane]
        for lane in range(TWO):
            slate[lane] += p * slate[BEST + lane]


@inlined
def decide(rules, slate, before, here, holds, m, k):
    """Roll or hold in mode `m`: fill the row `here` for the turn total `k`."""
    anew, forced = rules.reset[m], k == 0 or not rules.may_hold[m]
    for lane in range(LANES):
        rolled, held = slate[lane] + anew * slate[RESET + lane], holds[lane] - slate[BUST + lane]
        ahead, walked = rolled - held, k <= slate[LAST + lane]
        least = min(before[TWO + lane], slate[SAFE + lane])
        here[TWO + lane] = min(least, abs(ahead) if walked & (not forced) else np.inf)
        rolls = (ahead > 0.0) & walked | forced
        here[lane] = rolled if rolls else held
        here[LEAVE + lane] = slate[LEAVE + lane] + anew if rolls else 1.0


@inlined
def ready(table, lanes, turns):
    """Fill the slate.

    Returns
    -------
    steps, shortest : int
        The totals of the longest walk, and the fewest points missing.
    successive : bool
        Whether the rows of all `turns` are.
    """
    missing, rows, first, bust, _, _, _, _, slate, _ = lanes
    steps, shortest, successive = 0, missing[0], True
    for lane in range(LANES):
        slate[LAST + lane] = missing[lane] - first[lane]
        slate[BUST + lane], slate[RESET + lane] = bust[lane], table.reset[rows[lane]] - bust[lane]
        steps, shortest = max(steps, missing[lane] - first[lane]), min(shortest, missing[lane])
        successive = successive and (rows[lane] == rows[0] + lane or lane >= turns)
    return steps, shortest, successive


@inlined
def gather(array, row, lanes):
    """Copy what stands in a row of one of the table's arrays at the opponents' needs."""
    for lane in range(LANES):
        lanes.gathered[0, lane] = array[row, lanes.rows[lane]]


@inner
def walk_lanes(rules, table, stakes, lanes, turns):
    """Evaluate a turn in every lane, filling ``lanes.above``, ``leave``, ``safe`` and ``value``.

    Parameters
    ----------
    rules : Rules
    table : dicelab.table.Table
    stakes : dicelab.table.Stakes
    lanes : Lanes
    turns : int
        How many lanes there are turns for; what the others find means nothing.

    Returns
    -------
    steps : int
        Totals walked by the lane that begins first; after P + SIX - 1 + steps steps all turns are at their start.
    """
    modes, width = rules.beyond.shape[1:3]
    missing, rows, _, bust, above, leave, safe, value, slate, gathered = lanes
    steps, shortest, successive = ready(table, lanes, turns)
    hold, begun = (table.hold, rows[0]) if successive else (gathered, 0)
    before = width + SIX - 1
    for t in range(SIX - 1, before + steps + 1):
        k = before + steps - t  # the turn total
        row = place(table, missing[0] + rows[0] - k)
        if not successive:
            gather(table.hold, row, lanes)
        holds = hold[row if successive else 0, begun : begun + LANES]
        for m in range(modes - 1 if t >= before else -1, -1, -1):
            if not rules.same[m]:
                roll(rules, slate, value, m, t, k)
            decide(rules, slate, value[m, (t - 1) * ROW : t * ROW], value[m, t * ROW : (t + 1) * ROW], holds, m, k)
        for m in range(modes if t < before else 0):
            here = value[m, t * ROW : (t + 1) * ROW]
            for lane in range(holds.size):  # whose size the compiler does not know, or it would copy one by one
                here[lane], here[LEAVE + lane], here[TWO + lane] = holds[lane] - bust[lane], 1.0, np.inf
            for lane in range(LANES if rules.skips and not rules.may_hold[m] else 0):
                at = max(width - 1 + missing[lane] - k, 0)
                here[lane] = table.once[m, rows[lane], at] - (1.0 - rules.falls[m, at]) * bust[lane]
                here[LEAVE + lane] = 1.0 - rules.falls[m, at]
        for lane in range(LANES if k >= shortest and not (rules.skips and rules.all_hold) else 0):
            r, b = missing[lane] - k, rows[lane]
            for m in range(modes if -width < r <= 0 else 0):
                value[m, t * ROW + lane], value[m, t * ROW + LEAVE + lane] = past_target(
                    rules, m, r, bust[lane], table.reset[b], stakes.finish[b], stakes.over
                )
    for lane in range(LANES):
        above[lane] = value[0, (before + steps) * ROW + lane]
        leave[lane] = value[0, (before + steps) * ROW + LEAVE + lane]
        safe[lane] = np.inf
        for m in range(modes):
            safe[lane] = min(safe[lane], value[m, (before + steps) * ROW + TWO + lane])
    return steps
