"""What the solved pairs of scores tell the others: what a hold is worth, and what a roll gains; compiled.

All rows are for turns against an opponent who needs b points, and what stands there is by r, the points still missing
after banking. Pairs with the same b + r are solved side by side, so the arrays have one line for each sum.
"""

from typing import NamedTuple

import numpy as np

from .turn import SIX, bare, inlined

__all__ = ["LANES", "Stakes", "Table", "by_needs", "compare", "held", "new_table", "once", "passed", "place", "weigh"]

LANES = 16  # turns that are evaluated side by side


class Stakes(NamedTuple):
    """What is played for."""

    both: float  # c, the sum of what a state is worth to either player
    finish: np.ndarray  # (N + 1,) what the finish is worth against an opponent who needs b
    over: float  # what a point beyond the target is worth
    most: float  # no state is worth more
    discount: float  # of what a state is worth above c/2, a turn; 1 but for the second opinion on ties

    def passed(self, value):
        """What it is worth to have passed the die, if the next state is worth `value` to the opponent: c - value."""
        return 0.5 * (1.0 + self.discount) * self.both - self.discount * value

    def before(self, worth):
        """The inverse of :meth:`passed`."""
        return (0.5 * (1.0 + self.discount) * self.both - worth) / self.discount


class Table(NamedTuple):
    """What the solved pairs tell the others, by points missing; row b is for turns against an opponent who needs b."""

    hold: np.ndarray  # (N + 1 + zero, N + 1 + LANES) worth of a hold, c - V(b, r), or of the finish: see `held`
    zero: int  # the row of the sum 0: see `place`
    reset: np.ndarray  # (N + 1,) worth of a reset, c - V(b, N)
    first: np.ndarray  # (N + 1, 3) int, and
    level: np.ndarray  # (N + 1, 3) see the module's page: as known now, and at two earlier times
    tempting: np.ndarray  # (N + 1,) the temptation at `first`, nan if it is not known
    once: np.ndarray  # (M, N + 1, P + N) H without its busts, where needed; column P - 1 + r is for r points missing
    off: np.ndarray  # (N + 1,) by how much the last guess of the bust value was off, and half of that before
    known: bool  # whether `hold` has guesses already, from an earlier sweep


def new_table(rules, stakes, resets, hold=None):
    """A table in which turns that have reached the target are filled in, for resets worth ``resets[b]``.

    `hold` may be an earlier table's.
    """
    width, size, known = rules.beyond.shape[2], len(resets), hold is not None
    zero = width + SIX
    if not known:
        hold, needs, r = np.zeros((size + zero, size + LANES)), np.arange(size), np.arange(1 - width, 1)[:, None]
        hold[(zero + needs + r) % len(hold), needs] = stakes.finish - r * stakes.over
    level = np.full((size, 3), np.inf)
    first, tempting, off = np.ones_like(level, dtype=np.int64), np.full(size, np.nan), np.full(size, 1e-4)
    return Table(hold, zero, resets, first, level, tempting, _once(rules, stakes, resets), off, known)


def _once(rules, stakes, resets):
    """The array of :class:`Table`, filled for turns that have reached the target."""
    if rules.all_hold or not rules.skips:
        return np.empty((1, 1, 1))
    (way,) = rules.beyond
    finishes, reset, points = np.moveaxis(way, 2, 0)[:, :, None]
    once = np.empty((len(way), len(resets), rules.falls.shape[1]))
    once[..., : way.shape[1]] = finishes * stakes.finish[:, None] + reset * resets[:, None] + points * stakes.over
    return once


@inlined
def passed(stakes, value):
    """:meth:`Stakes.passed`, compiled."""
    return 0.5 * (1.0 + stakes.discount) * stakes.both - stakes.discount * value


@inlined
def place(table, total):
    """The row of the table for scores of this sum; sums share a row if they are too far apart to share a place."""
    row = table.zero + total
    return row if row < len(table.hold) else row - len(table.hold)


@inlined
def held(table, b, r):
    """What a hold is worth with r points missing against an opponent who needs b; r = 0 to 1 - P finish."""
    return table.hold[place(table, b + r), b]


@bare
def by_needs(table, holds, low, high):
    """Fill rows `low` to `high` - 1 of `holds`, (N + 1, N + 1), with what holds are worth, by the opponent's needs."""
    for first in range(low, high, LANES):
        for r in range(1, len(holds)):
            for b in range(first, min(first + LANES, high)):
                holds[b, r] = held(table, b, r)


@inlined
def once(rules, table, row, m, r):
    """H, see :mod:`dicelab.turn`: what a roll in mode `m` is worth, busts apart, if then every hold is made."""
    worth = rules.reset[m] * table.reset[row]
    for g in range(rules.sixes[m], rules.sixes[m + 1]):
        mode, left = rules.onward[g, 0], r - rules.onward[g, 1]
        if rules.may_hold[mode]:
            for k in range(SIX):
                worth += rules.weight[g, k] * held(table, row, left - k)
        else:
            for k in range(SIX):
                worth += rules.weight[g, k] * table.once[mode, row, max(rules.beyond.shape[2] - 1 + left - k, 0)]
    for o in range(rules.several[m], rules.outcomes[m + 1]):
        best = -np.inf
        for c in range(rules.choices[o], rules.choices[o + 1]):
            best = max(best, held(table, row, r - rules.points[c]))
        worth += rules.probability[o] * best
    return worth


@inlined
def weigh(rules, table, gain, total, low, high):
    """Fill `gain` for the sum `total` and rows `low` to `high` - 1, but for what a hold is worth: one die only."""
    here, weight = gain[place(table, total)], rules.weight
    for row in range(low, high):
        here[row] = rules.reset[0] * table.reset[row]
    for points in range(1, SIX + 1):
        left = table.hold[place(table, total - points)]
        for row in range(low, high):
            here[row] += weight[0, points - 1] * left[row]


@inlined
def compare(table, gain, total, low, high):
    """Finish what :func:`weigh` has begun."""
    scores = place(table, total)
    for row in range(low, high):
        gain[scores, row] -= table.hold[scores, row]
