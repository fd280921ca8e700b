"""Interval arithmetic: bounds on the values of turns and pairs of scores, and verdicts on decisions; compiled.

V(a, b) is the value to the player about to move, who needs a points, the opponent needing b; both are at most N. With r
points missing, after the turn total is banked, W is the value of a mode, the larger one of a hold, if the mode allows
it, and R of a roll. B is the bust value, Z the reset value, P the most points of one roll.

An interval [mid - down, mid + up] is three float64 numbers (mid, down, up). Let u be 2⁻⁵³. Widths are multiplied by
OUTWARD = 1 + 2⁻³⁴, which covers the roundings in computing them: each is a sum of at most 2¹³ terms.

**A roll** is a sum of products p·v. Rounding p and rounding the product move a term by at most 2u·p|v|. Compensated
summation (Knuth's two-sum) of K ≤ 2¹³ terms adds at most u times the sum, and a part of the sum of the terms' sizes
that is smaller than 2⁻²⁴·u. So `down` of the roll is 4u·Σ p|v| and the `down` of the v, weighted by p; likewise `up`.

**The larger of two numbers** has the larger upper and the larger lower bound of the two.

**One pair.** x = f(y) and y = g(x), where f and g are monotonic. Let f map the interval of y into the interval of x,
and g the interval of x into the interval of y, whatever the values of the pairs with fewer points missing are within
their bounds. Then, by Brouwer's theorem, the Bellman equation of the pair has a solution there. It has only one
(:mod:`dicelab.engine.fast`), which therefore lies in these intervals and in their images. Newton steps find the
mids, and the widths grow until the intervals are mapped into themselves.

**Where a walk starts.** Let every mode allow a hold, and let holds be proven best at P successive totals, where P is
the most points of a roll. No roll from later totals jumps over them, so a walk that starts behind them is complete. The
same start is valid for any turn in that row whose bust value is higher by no more than the least advantage of these
holds, since a roll gains no more than its bust does. So each walk says where the next may start, and up to which bust
value. If hardly any room is left for wider bounds, an earlier start is kept. Totals beyond the target (r ≤ 0) are
always filled in.

**Pairs that are decided.** V(b, a) falls with b: a player with fewer points to go can play as if there were more. (This
needs ``finish="reach"`` and a game without resets.) So once the bounds do not tell V(b, a) from 0, nor V(a, b) from 1,
the same bounds hold for all larger b. There, no hold could be proven best, and walks would be long. But if the interval
of a hold reaches 1, it contains W, which is at least the hold and at most 1. So walks may start behind P such totals.
"""

from typing import NamedTuple

import numpy as np

from dicelab._accuracy import FOREVER
from dicelab._compile import called, inlined, whole

__all__ = [
    "MOST_OUTCOMES",
    "OUTWARD",
    "PROVEN",
    "REFUTED",
    "TIED",
    "UNRESOLVED",
    "Payoffs",
    "Starts",
    "classify_decisions",
    "enclose_antidiagonal",
]

U = 2.0**-53
MOST_OUTCOMES = 2**13  # of a mode
OUTWARD = 1 + 2.0**-34
PROVEN, TIED, UNRESOLVED, REFUTED = 1, 2, 3, 4
TRIES = 200  # rounds in which the intervals of a pair may grow


class Payoffs(NamedTuple):
    """The values of all ends of turns, as intervals (mid, down, up); row b is for an opponent who needs b points."""

    # (B, N + 1, 3) by points missing, filled as pairs are solved; one player alone has one row.
    hold: np.ndarray
    reset: np.ndarray  # (≥ B, 3)
    finish: np.ndarray  # (≥ B,) exactly
    overshoot: float  # of a point beyond the target, exactly
    constant_sum: float  # of both players' values


class Starts(NamedTuple):
    """Where walks may start, by the opponent's needs."""

    start: np.ndarray  # (N + 1,) int, points missing
    valid_to: np.ndarray  # (N + 1,) the highest bust value at which this is valid


@inlined
def store(place, interval):
    """Write the numbers of an interval to an array."""
    for k in range(len(interval)):
        place[k] = interval[k]


@inlined
def load(place):
    """The interval in an array, and the slopes of its bounds in the bust value."""
    return place[0], place[1], place[2], place[3], place[4]


@inlined
def fixed(place):
    """The same of an interval whose bounds do not depend on the bust value."""
    return place[0], place[1], place[2], 0.0, 0.0


@called
def larger(best, other):
    """The larger of two numbers, each (mid, down, up, slope of the lower bound, slope of the upper bound)."""
    if other[0] > best[0]:
        best, other = other, best
    behind = best[0] - other[0]
    down, low = OUTWARD * (other[1] + behind), other[3]
    if best[1] <= down:
        down, low = best[1], best[3]
    up, high = OUTWARD * (other[2] - behind), other[4]
    if best[2] >= up:
        up, high = best[2], best[4]
    return best[0], down, up, low, high


@called
def enclose_beyond(rules, payoffs, row, bust, value):
    """Fill `value` where a turn has reached the target, r ≤ 0."""
    ways, modes, width, _ = rules.beyond.shape
    reset, finish = payoffs.reset[row], payoffs.finish[row]
    for m in range(modes):
        for at in range(width):
            best = (-np.inf, 0.0, 0.0, 0.0, 0.0)
            for way in range(ways):
                f, z, points = rules.beyond[way, m, at]
                rest, extra = 1.0 - f - z, points * payoffs.overshoot
                mid = f * finish + extra + z * reset[0] + rest * bust[0]
                size = abs(f * finish) + abs(extra) + abs(z * reset[0])
                size += (1.0 + rest) * abs(bust[0])
                error, slope = 8 * U * size, rest + 4 * U
                if f == 1.0 and extra == np.floor(extra):  # then `mid` is an integer
                    error, slope = 0.0, 0.0
                down = z * reset[1] + slope * bust[1] + error
                up = z * reset[2] + slope * bust[2] + error
                best = larger(best, (mid, OUTWARD * down, OUTWARD * up, slope, slope))
            store(value[m, at], best)


@called
def enclose_roll(rules, payoffs, row, m, at, bust, value):
    """Enclose a roll in mode `m` that leads to columns of `value` before `at`: bust·B + reset·Z + Σ p·max W."""
    total, lost = rules.bust[m] * bust[0], 0.0
    size = abs(total)
    low = high = rules.bust[m]
    down, up = rules.bust[m] * bust[1], rules.bust[m] * bust[2]
    for o in range(rules.outcomes[m] - 1, rules.outcomes[m + 1]):
        if o < rules.outcomes[m]:
            p, best = rules.reset[m], fixed(payoffs.reset[row])
        else:
            p = rules.probability[o]
            first = rules.choices[o]
            last = rules.choices[o + 1]
            best = load(value[rules.mode[first], at - rules.points[first]])
            for c in range(first + 1, last):
                other = load(value[rules.mode[c], at - rules.points[c]])
                if other[0] + other[2] >= best[0] - best[1]:  # else it is smaller for certain
                    best = larger(best, other)
        term = p * best[0]
        after = total + term
        lost += (total - (after - (after - total))) + (term - (after - total))  # two-sum
        total = after
        size, low, high = size + abs(term), low + p * best[3], high + p * best[4]
        down, up = down + p * best[1], up + p * best[2]
    error = 4 * U * size
    return total + lost, OUTWARD * (down + error), OUTWARD * (up + error), low, high


@called
def enclose_turn(rules, payoffs, row, bust, missing, start, value, roll):
    """Enclose a turn with `missing` points to go; the walk starts with `start` points to go: see the module's page.

    Parameters
    ----------
    bust : tuple of float
        The interval of the bust value.
    value, roll : ndarray (M, ≥ P + missing, 5)
        Filled with W and R: intervals, and the slopes of their bounds in the bust value. Column P - 1 + r is for r
        points missing. From r = 1 to `start` - P - 1 W is not filled; R is not before `start`.

    Returns
    -------
    turn : tuple of float
        The interval of the turn, and the slopes of its bounds in those of the bust value.
    next_start, room : int, float
        Where later walks may start, if their bust value is higher by at most `room`.
    """
    modes, width = rules.beyond.shape[1:3]
    enclose_beyond(rules, payoffs, row, bust, value)
    for r in range(max(1, start - width), start):
        for m in range(modes):
            store(value[m, width - 1 + r], fixed(payoffs.hold[row, r]))
    # `run` successive totals at which all modes are proven to hold.
    run, next_start, room = 0, start, 0.0
    for r in range(start, missing + 1):
        at = width - 1 + r
        run += 1
        for m in rules.order:
            best = enclose_roll(rules, payoffs, row, m, at, bust, value)
            store(roll[m, at], best)
            holds = False
            if rules.stops[m] and r < missing:
                holds, best = True, fixed(payoffs.hold[row, r])
                store(roll[m, at], (-np.inf, 0.0, 0.0))
            elif rules.may_hold[m] and r < missing:
                hold = fixed(payoffs.hold[row, r])
                holds = hold[0] - best[0] >= OUTWARD * (best[2] + hold[1])
                best = larger(best, hold)
            run = run if holds else 0
            store(value[m, at], best)
        if run >= width and rules.all_hold:
            next_start, room = r + 1, np.inf
    for r in range(next_start - width if next_start > start else next_start, next_start):
        for m in range(modes):
            if rules.stops[m]:
                continue
            best = load(roll[m, width - 1 + r])
            hold = fixed(payoffs.hold[row, r])
            rounding = 4 * U * (abs(hold[0]) + abs(best[0]))
            room = min(room, hold[0] - best[0] - OUTWARD * (hold[1] + best[2]) - rounding)
    return load(roll[0, width - 1 + missing]), next_start, room


@called
def passed(constant_sum, mid, down, up):
    """The interval of c - v, the value of having passed the die, if the next player's value v is in an interval."""
    # A change of sign is exact.
    error = U * (constant_sum + abs(mid)) if constant_sum > 0.0 else 0.0
    return constant_sum - mid, OUTWARD * (up + error), OUTWARD * (down + error)


@called
def enclose_next(rules, payoffs, row, bust, missing, starts, value, roll):
    """Enclose a turn against an opponent who needs `row`, and keep where the next one may start."""
    rounding = 2 * U * (abs(bust[0]) + bust[2])
    if not bust[0] + bust[2] + rounding <= starts.valid_to[row]:
        starts.start[row], starts.valid_to[row] = 1, np.inf
    turn, start, room = enclose_turn(
        rules, payoffs, row, bust, missing, starts.start[row], value, roll
    )
    if room > 4.0 * (bust[1] + bust[2]):
        starts.start[row], starts.valid_to[row] = start, bust[0] + bust[2] - rounding + room
    return turn


@called
def start_behind_won(rules, payoffs, row, r, starts):
    """Let walks start behind P holds up to `r` that bounds do not tell from the finish, whatever the bust value."""
    last = r - rules.beyond.shape[2]
    while r > max(last, 0) and payoffs.hold[row, r, 2] >= OUTWARD * (1.0 - payoffs.hold[row, r, 0]):
        r -= 1
    if r == max(last, 0) and rules.all_hold:
        starts.start[row], starts.valid_to[row] = last + rules.beyond.shape[2] + 1, np.inf


@called
def widen(down, low, y_up, up, high, x_down, factor):
    """New widths x_down, y_up: `factor` times those that solve x_down = down + low·(change of y_up), and vice versa."""
    first = max(down - low * y_up, 0.0)
    second = max(up - high * x_down, 0.0)
    steep = max(1.0 - low * high, U)
    return factor * (first + low * second) / steep, factor * (second + high * first) / steep


@called
def enclose_pair(rules, payoffs, alone, a, b, x, y, starts, value, roll):
    """Enclose V(a, b) and V(b, a), from the guesses `x` and `y`.

    One player `alone` has only V(a, b); the opponent is then a mirror image whose values have the opposite sign.

    Returns
    -------
    x, y : tuple of float
        Intervals, infinitely wide if none were found.
    """
    hold, c = payoffs.hold, payoffs.constant_sum
    near = hold[b, a - 1]
    other = hold[b, a - 1] if alone else hold[a, b - 1]
    y = -x if alone else y
    wide = 1.5 * max(near[1], near[2], other[1], other[2]) + 8 * U * (c + abs(x) + abs(y))
    x_down = x_up = y_down = y_up = wide
    for k in range(TRIES):
        # (f, g) maps the intervals of (x, y).
        bust = passed(c, y, y_down, y_up)
        f, f_down, f_up, f_low, f_high = enclose_next(
            rules, payoffs, b, bust, a, starts, value, roll
        )
        if alone:
            f, error = f - 1.0, U * (1.0 + abs(f))  # the turn is counted
            f_down, f_up = OUTWARD * (f_down + error), OUTWARD * (f_up + error)
            g, g_down, g_up, g_low, g_high = -f, f_up, f_down, f_high, f_low
        else:
            bust = passed(c, x, x_down, x_up)
            g, g_down, g_up, g_low, g_high = enclose_next(
                rules, payoffs, a, bust, b, starts, value, roll
            )
        x_off, y_off = f - x, g - y
        x_need = OUTWARD * (f_down - x_off), OUTWARD * (f_up + x_off)
        y_need = OUTWARD * (g_down - y_off), OUTWARD * (g_up + y_off)
        inside = (
            x_need[0] <= x_down and x_need[1] <= x_up and y_need[0] <= y_down and y_need[1] <= y_up
        )
        if inside and k > 0:  # the first widths are too large
            return (f, f_down, f_up), (g, g_down, g_up)
        # A Newton step for the mids, unless they are settled; then wider intervals.
        steep = max(1.0 - f_low * g_low, U)
        x_change = (x_off - f_low * y_off) / steep
        y_change = (y_off - g_low * x_off) / steep
        if max(abs(x_change), abs(y_change)) > 16 * U * (c + abs(x) + abs(y)):
            x, y = x + x_change, y + y_change
            x_need, y_need = (f_down, f_up), (g_down, g_up)
        factor = 1.0 + 2.0 ** min(k - 10, 1)
        x_down, y_up, x_up, y_down = (
            *widen(x_need[0], f_low, y_up, y_need[1], g_high, x_down, factor),
            *widen(x_need[1], f_high, y_down, y_need[0], g_low, x_up, factor),
        )
    return (x, np.inf, np.inf), (y, np.inf, np.inf)


@whole
def enclose_antidiagonal(
    rules, payoffs, total, part, parts, guess, alone, monotonic, starts, value, roll
):
    """Enclose every `parts`-th pair with a + b = `total`, from the `part`-th on; a player `alone` has b = 0.

    Parameters
    ----------
    payoffs : Payoffs
        ``hold[b, r]`` is filled with the value of having passed the die; alone, ``hold[0, a]`` with V(a, 0).
    guess : ndarray (N + 1, N + 1), or (N + 1, 1) alone
        About V(a, b), by points missing.
    monotonic : bool
        Whether the player who needs more has no higher value, so that pairs can be decided; see the module's page.
    starts : Starts
    value, roll : ndarray
        Workspace of :func:`enclose_turn`.
    """
    hold, c = payoffs.hold, payoffs.constant_sum
    least, last = (total, total) if alone else (max(1, total - hold.shape[1] + 1), total // 2)
    for a in range(least + part, last + 1, parts):
        b = total - a
        if rules.cannot_finish[a] and (alone or rules.cannot_finish[b]):
            x = y = (-FOREVER if alone else 0.5 * c, 0.0, 0.0)
        else:
            if monotonic and b > a:
                near, far = hold[a, b - 1], hold[b - 1, a]
                if near[0] <= near[1] and 1.0 - far[0] <= far[2]:
                    store(hold[a, b], (near[0], max(near[0], 0.0), near[2]))
                    store(hold[b, a], (far[0], far[1], max(OUTWARD * (1.0 - far[0]), 0.0)))
                    start_behind_won(rules, payoffs, b, a, starts)
                    continue
            other = 0.0 if alone else guess[b, a]
            x, y = enclose_pair(
                rules, payoffs, alone, a, b, guess[a, b], other, starts, value, roll
            )
        if alone:
            store(hold[0, a], x)
        else:
            store(hold[a, b], passed(c, x[0], x[1], x[2]))
            store(hold[b, a], passed(c, y[0], y[1], y[2]))


@inlined
def verdict(first, second, chosen):
    """The verdict on having chosen the first of two actions, or the second, whose values are in these intervals."""
    if first[:3] == second[:3] == (first[0], 0.0, 0.0):
        return TIED
    if first[0] - second[0] > OUTWARD * (first[1] + second[2]):
        return PROVEN if chosen else REFUTED
    if second[0] - first[0] > OUTWARD * (first[2] + second[1]):
        return REFUTED if chosen else PROVEN
    return UNRESOLVED


@called
def held(rules, payoffs, row, m, at, missing, roll):
    """Whether a hold in mode `m` is proven best in a column of `roll`."""
    r = at - rules.beyond.shape[2] + 1
    if not rules.may_hold[m] or r <= 0 or r >= missing:
        return False
    hold, best = fixed(payoffs.hold[row, r]), load(roll[m, at])
    return rules.stops[m] or hold[0] - best[0] >= OUTWARD * (best[2] + hold[1])


@whole
def classify_decisions(rules, payoffs, actions, value, roll, verdicts):
    """Classify the decisions of turns with a points to go, against n opponents of whom the last needs least.

    Parameters
    ----------
    payoffs : Payoffs
        The last row is for the first of the n opponents.
    actions : ndarray of uint8 (n, M + B, a)
        The decisions to roll, then the choices, by turn total.
    value, roll : ndarray
        Workspace of :func:`enclose_turn`.
    verdicts : ndarray of uint8, of the same shape as `actions`
        Filled with PROVEN, TIED, UNRESOLVED or REFUTED; unchanged if there is no choice. TIED are choices that are the
        same, or proven to be held at the same total.
    """
    modes, width, missing = len(rules.may_hold), rules.beyond.shape[2], actions.shape[2]
    for n in range(len(actions)):
        row = len(payoffs.hold) - 1 - n
        bust = payoffs.hold[row, missing]
        enclose_turn(rules, payoffs, row, (bust[0], bust[1], bust[2]), missing, 1, value, roll)
        for total in range(missing):
            r, at = missing - total, width - 1 + missing - total
            for m in range(modes if total > 0 else 0):
                if rules.may_hold[m] and not rules.stops[m]:
                    rolled, hold = load(roll[m, at]), fixed(payoffs.hold[row, r])
                    verdicts[n, m, total] = verdict(rolled, hold, actions[n, m, total])
            for o in range(rules.branch.size if actions.shape[1] > modes else 0):
                if rules.branch[o] < 0:
                    continue
                number = modes + rules.branch[o]
                taken = rules.choices[o] + actions[n, number, total]
                worst = PROVEN
                mine = load(value[rules.mode[taken], at - rules.points[taken]])
                for c in range(rules.choices[o], rules.choices[o + 1]):
                    other = load(value[rules.mode[c], at - rules.points[c]])
                    if c == taken or mine[0] - other[0] >= OUTWARD * (mine[1] + other[2]):
                        continue
                    same = rules.points[c] == rules.points[taken]
                    if same and rules.mode[c] != rules.mode[taken]:
                        after = at - rules.points[c]
                        same = held(
                            rules, payoffs, row, rules.mode[c], after, missing, roll
                        ) and held(rules, payoffs, row, rules.mode[taken], after, missing, roll)
                    worst = max(worst, TIED if same else verdict(mine, other, True))
                verdicts[n, number, total] = worst
