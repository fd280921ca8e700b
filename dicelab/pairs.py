"""Pairs of scores, solved: many side by side, and those that this does not settle one by one; compiled.

Notation as in :mod:`dicelab.race`: x = V(a, b) = f(y), y = V(b, a) = g(x), counted by points missing.

**One pair, decisions given.** A turn that leaves the bust value with probability L, and is worth A in all, busts apart,
is worth A + (1 - L)·B. So with c the sum of both players' values, x = A₁ + (1 - L₁)·(c - y), likewise y, and

    x = (A₁ + (1 - L₁)·(c·L₂ - A₂)) / (L₁ + L₂ - L₁·L₂),

in which nothing is lost by cancellation, however rarely a turn leaves the bust value.

**One pair.** h(x) = f(g(x)) is increasing with a slope (1 - L₁)·(1 - L₂) in [0, 1]. Unless both players may wait (see
below) it is less than 1, so that x - h(x) has one zero. A Newton step replaces h by its tangent, that is, it evaluates
the decisions that are best now, by the formula: it is one step of strategy iteration. Its sign tells on which side of x
the solution lies; a step that leaves the interval known so far is replaced by halving it. The zero of each linear
piece's tangent is tried at most once, as it then bounds the interval; every other step halves the interval, until it
lies in pieces whose tangent has its zero at the solution. So the steps are finitely many, in practice one or two.
:func:`solve_pair` stops when a step is no longer than a few units in the last place, or no float64 is left between the
bounds.

**Waiting.** A turn may be wasted on purpose in some games, by a choice that overshoots or leads to a sure bust. If both
players can do that, h has a slope of 1 where both prefer it, and there may be many solutions. Play that never ends is
worth c/2. So let d be what a player gets who leaves although the other waits, the largest zero of f(B) - B, and
e the like for the other player, both as values to the first. If neither gains by leaving when waiting is worth c/2,
that is the solution. Else it is d if the first player gains and the second then waits, or c - e; and if the second
player leaves then, too, the two slopes are less than 1 between, and Newton's method finds the one solution.

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
from .table import LANES, compare, held, once, passed, place, weigh
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
def solve_pair(rules, table, stakes, a, b, guess, holds, value, leave, roll):
    """Solve x = f(y), y = g(x) for the needs `a` and `b`, from x = `guess`; see the module's page.

    Returns
    -------
    x, y : float
        V(a, b) and V(b, a).
    residual : float
        The last step.
    p, q : float
        The probabilities to leave the bust value.
    evaluations, walked : int
        Turns evaluated, and totals walked in them.
    """
    both, over = stakes.both, stakes.over
    low, high = both - stakes.most, stakes.most
    x = min(max(guess, low), high)
    for r in range(1, max(a, b)):
        holds[0, r], holds[1, r] = held(table, a, min(r, b)), held(table, b, min(r, a))
    mine, theirs = (table.reset[b], stakes.finish[b], over), (table.reset[a], stakes.finish[a], over)
    evaluations, walked = 0, 0
    if rules.may_wait[a] and rules.may_wait[b] and stakes.discount == 1.0:
        d = leave_alone(rules, holds[1], mine, a, 0.5 * both, value, leave, roll)
        e = leave_alone(rules, holds[0], theirs, b, 0.5 * both, value, leave, roll)
        if d > 0.5 * both:
            above, _ = walk(rules, holds[0], both - d, *theirs, b, 1, value, leave, roll)
            high = x = d
        elif e > 0.5 * both:
            above, _ = walk(rules, holds[1], both - e, *mine, a, 1, value, leave, roll)
            low = x = both - e
        else:
            above, x = 0.0, 0.5 * both
        if above <= 0.0:
            return x, both - x, 0.0, 1.0, 1.0, 4, 2 * (a + b)
    while True:
        bust_b = passed(stakes, x)
        above, q = walk(rules, holds[0], bust_b, *theirs, b, 1, value, leave, roll)
        after_b, bust_a = above + q * bust_b, passed(stakes, bust_b + above)
        above, p = walk(rules, holds[1], bust_a, *mine, a, 1, value, leave, roll)
        after, y = both_values(stakes, above + p * bust_a, p, after_b, q)
        evaluations, walked = evaluations + 2, walked + a + b
        change = after - x
        if abs(change) <= CLOSE:
            break
        if change > 0:
            low = x
        else:
            high = x
        if not low < after < high:
            after = 0.5 * (low + high)
        if after in (low, high):
            break
        x = after
    return after, y, abs(change) if abs(change) <= CLOSE else high - low, p, q, evaluations, walked


@inlined
def both_values(stakes, after_a, p, after_b, q):
    """The values of a pair whose turns leave the bust values with probabilities p and q; see the module's page."""
    both, on = passed(stakes, 0.0), stakes.discount
    leave = (1.0 - on) * (1.0 + on) + on * on * (p + q - p * q)
    x = (after_a + (1.0 - p) * ((1.0 - on) * both + on * (both * q - after_b))) / leave
    y = (after_b + (1.0 - q) * ((1.0 - on) * both + on * (both * p - after_a))) / leave
    return x, y


@inner
def leave_alone(rules, hold, known, missing, bust, value, leaves, roll):
    """The value of a turn taken again after every bust, while the opponent waits; or of waiting, `bust`, if more."""
    while True:
        above, leave = walk(rules, hold, bust, *known, missing, 1, value, leaves, roll)
        after = bust + above / leave if above > 0.0 else bust
        if not after > bust + CLOSE:
            return bust
        bust = after


@inner
def skip_gap(rules, table, gain, lanes, lane, steps):
    """Let later walks of a row begin after the last run of P totals of a lane at which every mode holds, if any."""
    modes, width = rules.beyond.shape[1:3]
    row, missing, run = lanes.rows[lane], lanes.missing[lane], 0
    for r in range(missing - 1, lanes.first[lane] - 1, -1):
        run += 1
        for m in range(modes):
            holding = 0.0 if gain.ndim == 2 else held(table, row, r) - lanes.bust[lane]
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
    scores = place(table, a + b)
    table.hold[scores, a], table.hold[scores, b] = passed(stakes, x), passed(stakes, y)
    if gain.ndim != 2:
        for m in range(rules.bust.size if rules.skips and not rules.all_hold else 0):
            last = rules.beyond.shape[2] - 1
            table.once[m, a, last + b] = once(rules, table, a, m, b)
            table.once[m, b, last + a] = once(rules, table, b, m, a)


class Diagonal(NamedTuple):
    """Pairs with the same a + b that are to be solved; [0] is for the player who needs a, [1] for the other."""

    needs: np.ndarray  # (n,) a ≤ b
    guess: np.ndarray  # (2, n) V(a, b) and V(b, a), as supposed
    above: np.ndarray  # (2, n) the values of their turns above the bust values, if the other value is as supposed,
    leave: np.ndarray  # (2, n) the probability that they do not end in a bust, and
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
            bust = passed(stakes, pairs.guess[1 - side, pair])
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
            pairs.above[side, pair], pairs.leave[side, pair] = lanes.above[lane], lanes.leave[lane]
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
        pairs.leave[0, pair], pairs.leave[1, pair] = 1.0, 1.0
        return 0.5 * stakes.both, 0.5 * stakes.both, 0.0, True
    x, y = pairs.guess[0, pair], pairs.guess[1, pair]
    if rules.may_wait[a] and rules.may_wait[b] and stakes.discount == 1.0:
        return x, y, 0.0, False
    p, q, bust_a, bust_b = pairs.leave[0, pair], pairs.leave[1, pair], passed(stakes, y), passed(stakes, x)
    after_a, after_b = pairs.above[0, pair] + p * bust_a, pairs.above[1, pair] + q * bust_b
    x, y = both_values(stakes, after_a, p, after_b, q)
    x_change, y_change = x - pairs.guess[0, pair], y - pairs.guess[1, pair]
    off, off_other = x - after_a - (1.0 - p) * passed(stakes, y), y - after_b - (1.0 - q) * passed(stakes, x)
    residual = max(abs(off), abs(off_other))
    settled = abs(y_change) < pairs.safe[0, pair] and abs(x_change) < pairs.safe[1, pair] and len(rules.beyond) == 1
    if not settled and max(abs(x_change), abs(y_change)) <= CLOSE:
        settled, residual = True, residual + max(abs(x_change), abs(y_change))
    if rules.skips:  # where the walks began must still be right
        late = max(passed(stakes, y) - table.level[b, 0], passed(stakes, x) - table.level[a, 0])
        settled = settled and late <= SLACK
        table.off[b] = max(abs(y_change), 0.5 * table.off[b]) if settled else 2.0 * table.off[b]
        table.off[a] = max(abs(x_change), 0.5 * table.off[a]) if settled else 2.0 * table.off[a]
    return x, y, residual, settled


@inlined
def with_pair(worst, gain, total, x, y, residual, p, q):
    """The largest residual and :func:`looser` so far, a pair included whose turns leave with probabilities p and q."""
    largest, loosest = worst
    if gain.ndim == 2:
        loosest = looser(looser(loosest, total, 1.0 - p, x, 1.0 - y), total, 1.0 - q, y, 1.0 - x)
    return max(largest, residual), loosest


@bare
def solve_tile(rules, table, gain, stakes, own, other, totals, lanes, pairs, holds, value, leave, roll):
    """Solve all pairs with a from `own`, b from `other`, a + b from `totals` and a ≤ b, filling the table.

    Parameters
    ----------
    gain : ndarray
        See the module's page; for one die ``table.hold``'s shape, filled along with it.
    own, other, totals : tuple of int
        The least and the greatest.

    Returns
    -------
    residual, loosest : float
        Of all pairs the largest residual, and the largest :func:`looser`.
    evaluations, walked : int
    """
    worst, evaluations, walked = (0.0, 1.0), 0, 0
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
                    leaves = pairs.leave[0, pair], pairs.leave[1, pair]
                    worst = with_pair(worst, gain, total, x, y, residual, *leaves)
                else:
                    pairs.guess[0, left] = x if abs(x) <= stakes.most else pairs.guess[0, pair]
                    pairs.guess[1, left] = y if abs(y) <= stakes.most else pairs.guess[1, pair]
                    pairs.needs[left], left = a, left + 1
        for pair in range(left):
            a, x = pairs.needs[pair], pairs.guess[0, pair]
            x, y, residual, p, q, times, steps = solve_pair(
                rules, table, stakes, a, total - a, x, holds, value, leave, roll
            )
            learn(rules, table, gain, stakes, a, total - a, x, y)
            worst = with_pair(worst, gain, total, x, y, residual, p, q)
            evaluations, walked = evaluations + times, walked + steps
        if gain.ndim == 2:
            for first, last in rows:
                compare(table, gain, total, first, last)
    return *worst, evaluations, walked
