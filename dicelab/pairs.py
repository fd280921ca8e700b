"""Pairs of scores, solved: many side by side, and those that this does not settle one by one; compiled.

Notation as in :mod:`dicelab.race`: x = V(a, b) = f(y), y = V(b, a) = g(x), counted by points missing.

**One pair.** h(x) = f(g(x)) is increasing with a slope in [0, 1], and less than 1 unless nobody can ever score; so
x - h(x) has one zero. A Newton step replaces h by its tangent, that is, it evaluates the decisions that are best
now: it is one step of strategy iteration. Every evaluation also tells on which side of x the solution lies; a Newton
step that leaves the interval known so far is replaced by halving it. The zero of each linear piece's
tangent is tried at most once, as it then bounds the interval; every other step halves the interval, until it lies in
pieces whose tangent has its zero at the solution. So the steps are finitely many, in practice one or two.
:func:`solve_pair` stops when h(x) agrees with x to a few units in the last place, or no float64 is left between the
bounds. The last evaluation is then the solution: x = f(y) as computed, and y = g(x) but for the last change of x, g's
slope being at most 1.

**Many pairs.** Pairs with the same a + b do not depend on each other. Their turns are evaluated sixteen at a time
(:mod:`dicelab.lanes`, :mod:`dicelab.gains`) from values extrapolated from the neighbours; then each pair makes one
Newton step. What an action is worth changes by at most as much as the bust value. So if at every total walked the best
action, a roll, a hold or a choice, is ahead of the others by more than the bust value changes in the step, or has the
same slope, the decisions stay the same, f and g are linear there, and x and y are exact: the pair is solved. The
others are evaluated again, some times at most, and what then is left, one pair in ten thousand, goes to
:func:`solve_pair`, which knows neither lanes nor where a walk may begin.

For one die `gain` is the table of :mod:`dicelab.gains`, with two axes; for other games it is an empty array of one.
As numba knows the number of axes before it compiles, the kernels of either have no part of the other's.

**Where a walk begins.** For every row b, `first[b]` is such that no total before it tempts, or not the P before it, as
long as a bust is worth no more than `level[b]` (the Proposition in :mod:`dicelab.turn`): what it is worth now, and 16
times what guesses were off of late. Should a bust be worth more than expected, what was known 32 or more totals before
still holds, as a rule. A long walk that has gone through P successive holds lets later ones begin behind them, if every
mode allows a hold.
"""

from typing import NamedTuple

import numpy as np

from .gains import walk_gains
from .lanes import ROW, walk_lanes
from .radius import looser
from .table import LANES, compare, held, once, place, weigh
from .turn import SIX, SLACK, bare, inlined, inner, walk

__all__ = ["new_diagonal", "scratch", "solve_tile"]

PASSES = 5
BACK, LONG = 32, 96
CLOSE = 4e-16  # agreement of x and h(x) at which a pair is solved


def scratch(rules, target):
    """Arrays for :func:`dicelab.turn.walk`: value, slope and roll for a turn with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((modes, width + target)) for _ in range(3))


@inner
def temptation(rules, table, gain, row, r):
    """The bust value above which some mode would roll with r points missing, though then every hold is made."""
    least = np.inf
    for m in range(rules.bust.size):
        if rules.may_hold[m]:
            if gain.ndim == 2:
                short = -gain[place(table, row + r), row]
            else:
                short = held(table, row, r) - once(rules, table, row, m, r)
            falls = rules.falls[m, rules.beyond.shape[2] - 1 + r]
            if falls > 0.0:
                least = min(least, short / falls + SLACK)
            elif short < 0.0:
                least = -np.inf
    return least


@inlined
def begin(rules, table, gain, row, missing, bust):
    """Where the walk of a turn against an opponent who needs `row` may begin; see the module's page."""
    if not rules.skips:
        return 1
    first, level, tempting = table.first, table.level, table.tempting
    while bust > level[row, 0] + 0.5 * SLACK:  # what is known does not hold; go back
        first[row, 0], first[row, 1], first[row, 2] = first[row, 1], first[row, 2], 1
        level[row, 0], level[row, 1], level[row, 2] = level[row, 1], level[row, 2], np.inf
        tempting[row] = np.nan
    level[row, 0] = min(level[row, 0], bust + 16.0 * table.off[row])
    r = first[row, 0]
    while r < missing and not level[row, 0] > tempting[row]:
        if np.isnan(tempting[row]):
            tempting[row] = temptation(rules, table, gain, row, r)
        else:
            r, tempting[row] = r + 1, np.nan
    first[row, 0] = r
    if r >= first[row, 1] + BACK:
        first[row, 1], first[row, 2] = r, first[row, 1]
        level[row, 1], level[row, 2] = level[row, 0], level[row, 1]
    return r


@inner
def solve_pair(rules, table, stakes, a, b, guess, holds, value, slope, roll):
    """Solve x = f(y), y = g(x) for the needs `a` and `b`, from x = `guess`; see the module's page.

    Returns
    -------
    x, y : float
        V(a, b) and V(b, a).
    residual : float
        How far y may be from g(x); x is f(y).
    p, q : float
        Slopes of f and g in the bust value: rounding in h counts 1 / (1 - p·q) times in x.
    evaluations, walked : int
        Turns evaluated, and totals walked in them.
    """
    both, over = stakes.both, stakes.over
    low, high = both - stakes.most, stakes.most
    x = min(max(guess, low), high)
    for r in range(1, max(a, b)):
        holds[0, r], holds[1, r] = held(table, a, min(r, b)), held(table, b, min(r, a))
    evaluations, walked = 0, 0
    while True:
        known = table.reset[a], stakes.finish[a], over
        y, tilt_b = walk(rules, holds[0], both - x, *known, b, 1, value, slope, roll)
        known = table.reset[b], stakes.finish[b], over
        h, tilt_a = walk(rules, holds[1], both - y, *known, a, 1, value, slope, roll)
        evaluations, walked = evaluations + 2, walked + a + b
        gap = h - x
        if abs(gap) <= CLOSE:
            break
        if gap > 0:
            low = x
        else:
            high = x
        after = x + gap / (1.0 - tilt_a * tilt_b)
        if not low < after < high:
            after = 0.5 * (low + high)
        if after in (low, high):
            break
        x = after
    return h, y, abs(gap), tilt_a, tilt_b, evaluations, walked


@inner
def skip_gap(rules, table, gain, lanes, lane, steps):
    """Let later walks of a row begin after the last run of P totals of a lane at which every mode holds, if any."""
    modes, width = rules.beyond.shape[1:3]
    row, missing, run = lanes.rows[lane], lanes.missing[lane], 0
    for r in range(missing - 1, lanes.first[lane] - 1, -1):
        run += 1
        for m in range(modes):
            holding = 0.0 if gain.ndim == 2 else held(table, row, r)
            if lanes.value[m, (width + SIX - 1 + steps - missing + r) * ROW + lane] > holding:
                run = 0
        if run == width:
            table.first[row, 0], table.level[row, 0] = r + width, min(table.level[row, 0], lanes.bust[lane])
            table.tempting[row] = np.nan
            return


@inlined
def guessed(table, stakes, a, b):
    """V(a, b) extrapolated from the pairs with up to two points less on either side, or from an earlier sweep."""
    both = stakes.both
    if table.known:
        x = held(table, a, b)
    elif min(a, b) > 2:
        near = held(table, a - 1, b) + held(table, a, b - 1) + held(table, a - 2, b - 1) + held(table, a - 1, b - 2)
        far = held(table, a - 2, b) + held(table, a, b - 2) + held(table, a - 2, b - 2)
        x = 2.0 * (near - 2.0 * held(table, a - 1, b - 1)) - far
    elif min(a, b) > 1:
        x = held(table, a - 1, b) + held(table, a, b - 1) - held(table, a - 1, b - 1)
    else:
        x = 0.5 * both
    return min(max(both - x, both - stakes.most), stakes.most)


@inlined
def learn(rules, table, gain, stakes, a, b, x, y):
    """Enter V(a, b) = x and V(b, a) = y into the table."""
    table.hold[place(table, a + b), a], table.hold[place(table, a + b), b] = stakes.both - x, stakes.both - y
    if gain.ndim != 2:
        for m in range(rules.bust.size if rules.skips and not rules.all_hold else 0):
            last = rules.beyond.shape[2] - 1
            table.once[m, a, last + b] = once(rules, table, a, m, b)
            table.once[m, b, last + a] = once(rules, table, b, m, a)


class Diagonal(NamedTuple):
    """Pairs with the same a + b that are to be solved; [0] is for the player who needs a, [1] for the other."""

    needs: np.ndarray  # (n,) a ≤ b
    guess: np.ndarray  # (2, n) V(a, b) and V(b, a), as supposed
    worth: np.ndarray  # (2, n) what their turns are worth if the other value is as supposed,
    slope: np.ndarray  # (2, n) the slope of that in the bust value, and
    safe: np.ndarray  # (2, n) the change of the bust value that leaves all decisions as they are


def new_diagonal(size):
    """Arrays for up to `size` pairs."""
    return Diagonal(np.empty(size, dtype=np.int64), *np.empty((4, 2, size)))


@inlined
def which(turn, count):
    """The side and the pair of a turn; the opponents' needs are in ascending order, on either side of the middle."""
    return (1, turn) if turn < count else (0, 2 * count - 1 - turn)


@inner
def evaluate(rules, table, gain, stakes, total, pairs, count, lanes):
    """Evaluate the turns of the first `count` pairs of a diagonal, a + b = `total`; return the totals walked."""
    walked = 0
    for begun in range(0, 2 * count, LANES):
        for lane in range(LANES):
            turn = min(begun + lane, 2 * count - 1)  # the last lanes may repeat the last turn
            side, pair = which(turn, count)
            a = total - pairs.needs[pair] if side else pairs.needs[pair]
            bust = stakes.both - pairs.guess[1 - side, pair]
            if turn == begun + lane:
                lanes.first[lane] = begin(rules, table, gain, total - a, a, bust)
                walked += a + 1 - lanes.first[lane]
            else:
                lanes.first[lane] = lanes.first[lane - 1]
            lanes.missing[lane], lanes.rows[lane], lanes.bust[lane] = a, total - a, bust
        turns = min(LANES, 2 * count - begun)
        if gain.ndim == 2:
            steps = walk_gains(rules, table, gain, lanes, turns)
        else:
            steps = walk_lanes(rules, table, stakes, lanes, turns)
        for lane in range(turns):
            side, pair = which(begun + lane, count)
            pairs.worth[side, pair], pairs.slope[side, pair] = lanes.worth[lane], lanes.slope[lane]
            pairs.safe[side, pair] = lanes.safe[lane]
            long = lanes.missing[lane] - lanes.first[lane]
            if rules.all_hold and rules.skips and long >= LONG and long % BACK == 0:
                skip_gap(rules, table, gain, lanes, lane, steps)
    return walked


@inlined
def newton(rules, table, stakes, a, b, pairs, pair):
    """A Newton step of one pair.

    Returns
    -------
    x, y, residual : float
        As in :func:`solve_pair`, but that the residual is how far either is from what the slopes say.
    settled : bool
        Whether they are the solution.
    """
    if rules.hopeless[a] and rules.hopeless[b]:
        pairs.slope[0, pair], pairs.slope[1, pair] = 0.0, 0.0
        return 0.5 * stakes.both, 0.5 * stakes.both, 0.0, True
    p, q = pairs.slope[0, pair], pairs.slope[1, pair]
    off, off_other = pairs.worth[0, pair] - pairs.guess[0, pair], pairs.worth[1, pair] - pairs.guess[1, pair]
    steep, x_change, y_change = 1.0 - p * q, np.inf, np.inf
    if steep > 0.0:
        x_change, y_change = (off - p * off_other) / steep, (off_other - q * off) / steep
    x, y = pairs.guess[0, pair] + x_change, pairs.guess[1, pair] + y_change
    moved, moved_other = x - pairs.guess[0, pair], y - pairs.guess[1, pair]
    residual = max(abs(moved - off + p * moved_other), abs(moved_other - off_other + q * moved))
    settled = abs(y_change) < pairs.safe[0, pair] and abs(x_change) < pairs.safe[1, pair] and len(rules.beyond) == 1
    if not settled and max(abs(x_change), abs(y_change)) <= CLOSE:
        settled, residual = True, residual + max(abs(x_change), abs(y_change))
    if rules.skips:  # where the walks began must still be right
        late = max(stakes.both - y - table.level[b, 0], stakes.both - x - table.level[a, 0])
        settled = settled and late <= SLACK
        table.off[b] = max(abs(y_change), 0.5 * table.off[b]) if settled else 2.0 * table.off[b]
        table.off[a] = max(abs(x_change), 0.5 * table.off[a]) if settled else 2.0 * table.off[a]
    return x, y, residual, settled


@inlined
def with_pair(worst, gain, total, x, y, residual, p, q):
    """The largest residual, the smallest slope of x - h(x), and the largest :func:`looser` so far, a pair included."""
    largest, flattest, loosest = worst
    if gain.ndim == 2:
        loosest = looser(looser(loosest, total, p, x, 1.0 - y), total, q, y, 1.0 - x)
    return max(largest, residual), min(flattest, 1.0 - p * q), loosest


@bare
def solve_tile(rules, table, gain, stakes, own, other, totals, lanes, pairs, holds, value, slope, roll):
    """Solve all pairs with a from `own`, b from `other`, a + b from `totals` and a ≤ b, filling the table.

    Parameters
    ----------
    gain : ndarray
        See the module's page; for one die ``table.hold``'s shape, filled along with it.
    own, other, totals : tuple of int
        The least and the greatest.

    Returns
    -------
    residual, flattest, loosest : float
        Of all pairs the largest residual, the smallest slope of x - h(x), and the largest :func:`looser`.
    evaluations, walked : int
    """
    worst, evaluations, walked = (0.0, 1.0, 1.0), 0, 0
    for total in range(totals[0], totals[1] + 1):
        least = max(own[0], total - other[1])
        left = max(min(own[1], total // 2, total - other[0]) + 1 - least, 0)
        rows = (least, least + left), (max(total - least + 1 - left, least + left), total - least + 1)
        if gain.ndim == 2:
            for first, last in rows:
                weigh(rules, table, gain, total, first, last)
        for pair in range(left):
            pairs.needs[pair], pairs.guess[0, pair] = (
                least + pair,
                guessed(table, stakes, least + pair, total - least - pair),
            )
            pairs.guess[1, pair] = guessed(table, stakes, total - least - pair, least + pair)
        for _ in range(PASSES):
            walked += evaluate(rules, table, gain, stakes, total, pairs, left, lanes)
            evaluations, count, left = evaluations + 2 * left, left, 0
            for pair in range(count):
                a = pairs.needs[pair]
                x, y, residual, settled = newton(rules, table, stakes, a, total - a, pairs, pair)
                if settled:
                    learn(rules, table, gain, stakes, a, total - a, x, y)
                    slopes = pairs.slope[0, pair], pairs.slope[1, pair]
                    worst = with_pair(worst, gain, total, x, y, residual, *slopes)
                else:
                    pairs.guess[0, left] = x if abs(x) <= stakes.most else pairs.guess[0, pair]
                    pairs.guess[1, left] = y if abs(y) <= stakes.most else pairs.guess[1, pair]
                    pairs.needs[left], left = a, left + 1
        for pair in range(left):
            a, x = pairs.needs[pair], pairs.guess[0, pair]
            x, y, residual, p, q, times, steps = solve_pair(
                rules, table, stakes, a, total - a, x, holds, value, slope, roll
            )
            learn(rules, table, gain, stakes, a, total - a, x, y)
            worst = with_pair(worst, gain, total, x, y, residual, p, q)
            evaluations, walked = evaluations + times, walked + steps
        if gain.ndim == 2:
            for first, last in rows:
                compare(table, gain, total, first, last)
    return *worst, evaluations, walked
