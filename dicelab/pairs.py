"""Pairs of scores, solved: sixteen side by side, and those that it does not settle one by one; compiled.

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

**Sixteen pairs.** Pairs with the same a + b do not depend on each other. :func:`walk_lanes` walks the turns of sixteen
of them in lock step, a *lane* each, so that the compiler makes vectors of them, from values extrapolated from the
neighbours; then each makes one Newton step. What an action is worth changes by at most as much as the bust value. So if
at every total walked the best action, a roll, a hold or a choice, is ahead of the others by more than the bust value
changes in the step, or has the same slope, the decisions stay the same, f and g are linear there, and x and y are
exact: there is no second pass. Otherwise the pair is left to :func:`solve_pair`, which knows no lanes.

**Where a walk begins.** For every row b, `first[b]` is such that every mode holds at the P totals before it, as long as
a bust is worth no more than `level[b]` (the Proposition in :mod:`dicelab.turn`). Should a bust be worth more than
expected, what was known 32 or more totals before still holds, as a rule. A long walk that has gone through P
successive holds lets later ones begin behind them.
"""

from typing import NamedTuple

import numpy as np

from .turn import SLACK, compiled, past_target, tempted, walk

__all__ = ["Stakes", "Table", "scratch", "solve_tile"]

LANES = 16
BACK, LONG = 32, 96
CLOSE = 4e-16  # agreement of x and h(x) at which a pair is solved


class Stakes(NamedTuple):
    """What is played for."""

    both: float  # c, the sum of what a state is worth to either player
    finish: np.ndarray  # (N + 1,) what the finish is worth against an opponent who needs b
    over: float  # what a point beyond the target is worth
    most: float  # no state is worth more


class Table(NamedTuple):
    """What the solved pairs tell the others, by points missing; row b is for turns against an opponent who needs b."""

    hold: np.ndarray  # (N + 1, N + 1) worth of a hold with r points missing, c - V(b, r)
    reset: np.ndarray  # (N + 1,) worth of a reset, c - V(b, N)
    first: np.ndarray  # (N + 1, 3) int, and
    level: np.ndarray  # (N + 1, 3) see the module's page: as known now, and at two earlier times
    off: np.ndarray  # (N + 1,) by how much the last guess of the bust value was off, and half of that before
    known: bool  # whether `hold` has guesses already, from an earlier sweep


def scratch(rules, target):
    """Arrays for :func:`dicelab.turn.walk`: value, slope and roll for a turn with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((modes, width + target)) for _ in range(3))


@compiled
def begin(rules, table, stakes, row, missing, bust):
    """Where the walk of a turn against an opponent who needs `row` may begin; see the module's page."""
    if not (rules.all_hold and rules.reach):
        return 1
    first, level = table.first[row], table.level[row]
    while bust > level[0] + 0.5 * SLACK:  # what is known does not hold; go back
        first[0], first[1], first[2] = first[1], first[2], 1
        level[0], level[1], level[2] = level[1], level[2], np.inf
    level[0] = min(level[0], bust + 4.0 * table.off[row])
    known = table.reset[row], stakes.finish[row], stakes.over
    r = first[0]
    while r < missing and not tempted(rules, table.hold[row], level[0], *known, r):
        r += 1
    first[0] = r
    if r >= first[1] + BACK:
        first[1], first[2] = first[0], first[1]
        level[1], level[2] = level[0], level[1]
    return r


@compiled
def solve_pair(rules, table, stakes, a, b, guess, value, slope, roll):
    """Solve x = f(y), y = g(x) for the needs `a` and `b`, from x = `guess`; see the module's page.

    Returns
    -------
    x, y : float
        V(a, b) and V(b, a).
    residual : float
        How far y may be from g(x); x is f(y).
    steep : float
        Slope of x - h(x) at the solution: rounding in h counts 1 / steep times in x.
    evaluations, walked : int
        Turns evaluated, and totals walked in them.
    """
    both, over = stakes.both, stakes.over
    low, high = both - stakes.most, stakes.most
    x = min(max(guess, low), high)
    evaluations, walked = 0, 0
    while True:
        first = begin(rules, table, stakes, a, b, both - x)
        known = table.reset[a], stakes.finish[a], over
        y, tilt_b = walk(rules, table.hold[a], both - x, *known, b, first, value, slope, roll)
        walked += b + 1 - first
        first = begin(rules, table, stakes, b, a, both - y)
        known = table.reset[b], stakes.finish[b], over
        h, tilt_a = walk(rules, table.hold[b], both - y, *known, a, first, value, slope, roll)
        walked += a + 1 - first
        evaluations += 2
        gap, steep = h - x, 1.0 - tilt_a * tilt_b
        if abs(gap) <= CLOSE:
            break
        if gap > 0:
            low = x
        else:
            high = x
        after = x + gap / steep
        if not low < after < high:
            after = 0.5 * (low + high)
        if after in (low, high):
            break
        x = after
    return h, y, abs(gap), steep, evaluations, walked


@compiled
def walk_lanes(rules, table, stakes, rows, missing, first, bust, value, best, work, worth, slope, safe):
    """Evaluate a turn in every lane; :func:`dicelab.turn.walk`, sixteen times.

    Parameters
    ----------
    rows, missing, first : ndarray of int, (LANES,)
    bust : ndarray (LANES,)
    value : ndarray (M, ≥ P + N, 2·LANES)
        Scratch: W and its slopes, by steps from where the first lane begins. `total`, `best` (2·LANES,) and `hold`
        (LANES,) are scratch, too.
    worth, slope, safe : ndarray (LANES,)
        Filled with what the turns are worth, their slopes, and the least advantage of a decision over its alternative.
    """
    modes, width = rules.beyond.shape[1:3]
    steps, shortest, size = 0, missing[0], table.hold.shape[1]
    outcomes, several, probability = rules.outcomes, rules.several, rules.probability
    choices, points, mode, may_hold = rules.choices, rules.points, rules.mode, rules.may_hold
    may_bust, may_reset, reset = rules.bust, rules.reset, table.reset
    flat, place, start = table.hold.ravel(), np.empty(LANES, dtype=np.int64), np.empty((modes, 2 * LANES))
    for lane in range(LANES):
        steps, shortest = max(steps, missing[lane] - first[lane]), min(shortest, missing[lane])
        work[3 * LANES + lane], place[lane] = np.inf, rows[lane] * size + missing[lane]
        for m in range(modes):
            start[m, lane] = may_bust[m] * bust[lane] + may_reset[m] * reset[rows[lane]]
            start[m, LANES + lane] = may_bust[m]
    for t in range(width + steps + 1):
        k = width + steps - t  # the turn total
        for lane in range(LANES):
            work[2 * LANES + lane] = flat[place[lane] - k]
        if k >= shortest:
            for lane in range(LANES):
                if missing[lane] <= k:
                    work[2 * LANES + lane] = np.inf
        for m in range(modes - 1 if t >= width else -1, -1, -1):
            lost = start[m]
            for lane in range(2 * LANES):
                work[lane] = lost[lane]
            o = outcomes[m]
            while o + 3 <= several[m]:  # three at a time, as the total then is loaded and stored less often
                c, d, e = choices[o], choices[o + 1], choices[o + 2]
                p, q, s = probability[o], probability[o + 1], probability[o + 2]
                one, two = value[mode[c], t - points[c]], value[mode[d], t - points[d]]
                three = value[mode[e], t - points[e]]
                for lane in range(2 * LANES):
                    work[lane] += p * one[lane] + q * two[lane] + s * three[lane]
                o += 3
            while o < several[m]:
                c, p = choices[o], probability[o]
                one = value[mode[c], t - points[c]]
                for lane in range(2 * LANES):
                    work[lane] += p * one[lane]
                o += 1
            while o < outcomes[m + 1]:
                c, p = choices[o], probability[o]
                first_choice = value[mode[c], t - points[c]]
                for lane in range(2 * LANES):
                    best[lane] = first_choice[lane]
                for d in range(c + 1, choices[o + 1]):
                    other = value[mode[d], t - points[d]]
                    for lane in range(LANES):
                        ahead = other[lane] - best[lane]
                        gap = abs(ahead) if other[LANES + lane] != best[LANES + lane] else np.inf
                        work[3 * LANES + lane] = gap if gap < work[3 * LANES + lane] else work[3 * LANES + lane]
                        best[lane] = other[lane] if ahead > 0.0 else best[lane]
                        best[LANES + lane] = other[LANES + lane] if ahead > 0.0 else best[LANES + lane]
                for lane in range(2 * LANES):
                    work[lane] += p * best[lane]
                o += 1
            if may_hold[m] and k > 0:
                for lane in range(LANES):
                    ahead = work[lane] - work[2 * LANES + lane]
                    gap = abs(ahead)
                    work[3 * LANES + lane] = gap if gap < work[3 * LANES + lane] else work[3 * LANES + lane]
                    work[lane] = work[lane] if ahead > 0.0 else work[2 * LANES + lane]
                    work[LANES + lane] = work[LANES + lane] if ahead > 0.0 else 0.0
            here = value[m, t]
            for lane in range(2 * LANES):
                here[lane] = work[lane]
        if t < width or k >= shortest:
            for lane in range(LANES):
                r, b = missing[lane] - k, rows[lane]
                for m in range(modes):
                    if r <= 0:
                        value[m, t, lane], value[m, t, LANES + lane] = past_target(
                            rules, m, max(r, 1 - width), bust[lane], reset[b], stakes.finish[b], stakes.over
                        )
                    elif t < width:
                        value[m, t, lane], value[m, t, LANES + lane] = work[2 * LANES + lane], 0.0
    for lane in range(LANES):
        worth[lane], slope[lane] = value[0, width + steps, lane], value[0, width + steps, LANES + lane]
        safe[lane] = work[3 * LANES + lane]
    return steps


@compiled
def skip_gap(rules, table, row, missing, first, bust, lane, steps, value):
    """Let later walks against `row` begin after the last run of P totals at which every mode holds, if there is one."""
    modes, width = rules.beyond.shape[1:3]
    run = 0
    for r in range(first, missing):
        run += 1
        for m in range(modes):
            if value[m, width + steps - missing + r, lane] > table.hold[row, r]:
                run = 0
        if run >= width:
            table.first[row, 0], table.level[row, 0] = r + 1, min(table.level[row, 0], bust)


@compiled
def guessed(table, stakes, a, b):
    """V(a, b) extrapolated from the pairs with up to two points less on either side, or from an earlier sweep."""
    hold, both = table.hold, stakes.both
    if table.known:
        x = hold[a, b]
    elif min(a, b) > 2:
        near = hold[a - 1, b] + hold[a, b - 1] + hold[a - 2, b - 1] + hold[a - 1, b - 2]
        x = 2.0 * (near - 2.0 * hold[a - 1, b - 1]) - hold[a - 2, b] - hold[a, b - 2] - hold[a - 2, b - 2]
    elif min(a, b) > 1:
        x = hold[a - 1, b] + hold[a, b - 1] - hold[a - 1, b - 1]
    else:
        x = 0.5 * both
    return min(max(both - x, both - stakes.most), stakes.most)


@compiled
def solve_tile(rules, table, stakes, low, high, other_low, other_high, value, slope, roll):
    """Solve all pairs with `low` ≤ a ≤ `high`, `other_low` ≤ b ≤ `other_high` and a ≤ b, filling ``table.hold``.

    Two tiles that share no row, and between which there is none that needs points from either, may be solved at once.

    Returns
    -------
    residual, flattest : float
        The largest residual, and the least slope of x - h(x), of all pairs.
    evaluations, walked : int
    """
    modes, width = rules.beyond.shape[1:3]
    wide = np.empty((modes, len(table.hold) + 2 * width + 1, 2 * LANES))
    best, work = np.empty(2 * LANES), np.empty(4 * LANES)
    needs, first = np.empty((2, LANES), dtype=np.int64), np.empty((2, LANES), dtype=np.int64)
    guess, bust, worth, tilt, safe = np.empty((5, 2, LANES))
    both = stakes.both
    worst, flattest, evaluations, walked = 0.0, 1.0, 0, 0
    for diagonal in range(low + other_low, high + other_high + 1):
        last = min(high, diagonal // 2, diagonal - other_low)
        for start in range(max(low, diagonal - other_high), last + 1, LANES):
            lanes = min(LANES, last + 1 - start)
            for lane in range(LANES):
                a = start + min(lane, lanes - 1)
                needs[0, lane], needs[1, lane] = a, diagonal - a
                for side in range(2):
                    a, b = needs[side, lane], needs[1 - side, lane]
                    guess[side, lane] = guessed(table, stakes, a, b)
                    bust[1 - side, lane] = both - guess[side, lane]
            for side in range(2):
                for lane in range(LANES):
                    a, b = needs[side, lane], needs[1 - side, lane]
                    first[side, lane] = begin(rules, table, stakes, b, a, bust[side, lane])
                    if lane < lanes:
                        walked += a + 1 - first[side, lane]
                steps = walk_lanes(
                    rules, table, stakes, needs[1 - side], needs[side], first[side], bust[side],
                    wide, best, work, worth[side], tilt[side], safe[side],
                )  # fmt: skip
                for lane in range(lanes if rules.all_hold and rules.reach else 0):
                    a, b = needs[side, lane], needs[1 - side, lane]
                    if a > first[side, lane] + LONG:
                        skip_gap(rules, table, b, a, first[side, lane], bust[side, lane], lane, steps, wide)
            evaluations += 2 * lanes
            for lane in range(lanes):
                a, b = needs[0, lane], needs[1, lane]
                p, q = tilt[0, lane], tilt[1, lane]
                off, off_other = worth[0, lane] - guess[0, lane], worth[1, lane] - guess[1, lane]
                steep, residual = 1.0 - p * q, 0.0
                if rules.hopeless[a] and rules.hopeless[b]:
                    x = y = 0.5 * both
                    steep, settled = 1.0, True
                else:
                    x_change = y_change = np.inf
                    if steep > 0.0:
                        x_change, y_change = (off - p * off_other) / steep, (off_other - q * off) / steep
                    x, y = guess[0, lane] + x_change, guess[1, lane] + y_change
                    settled = abs(y_change) < safe[0, lane] and abs(x_change) < safe[1, lane] and len(rules.beyond) == 1
                    if not settled and max(abs(x_change), abs(y_change)) <= CLOSE:
                        settled, residual = True, max(abs(x_change), abs(y_change))
                    if rules.all_hold and rules.reach:  # where the walks began must still be right
                        settled = settled and max(both - y - table.level[b, 0], both - x - table.level[a, 0]) <= SLACK
                        table.off[b] = max(abs(y_change), 0.5 * table.off[b]) if settled else 2.0 * table.off[b]
                        table.off[a] = max(abs(x_change), 0.5 * table.off[a]) if settled else 2.0 * table.off[a]
                if not settled:
                    guess_x = x if abs(x) <= stakes.most else guess[0, lane]
                    x, y, residual, steep, times, steps = solve_pair(
                        rules, table, stakes, a, b, guess_x, value, slope, roll
                    )
                    evaluations, walked = evaluations + times, walked + steps
                table.hold[a, b], table.hold[b, a] = both - x, both - y
                worst, flattest = max(worst, residual), min(flattest, steep)
    return worst, flattest, evaluations, walked
