"""Two-sided bounds for turns and pairs of scores, compiled: interval arithmetic.

A number is known to lie in [mid - down, mid + up], three float64, for short an interval. Let u be 2⁻⁵³.

**A roll** is worth a sum of products p·v. Rounding p, and the product, moves a term by at most 2u·p|v|; compensated
summation (Knuth's two-sum) of K ≤ 2¹³ terms adds at most u times the sum and a part of the sum of the terms' sizes
that is smaller than 2⁻²⁴·u. So 4u·Σ p|v|, and the `down` of the v weighted by p, make the roll's `down`; likewise `up`.
Where all p are powers of two, the products are exact, and 2u times the sum is enough, and the small part.
These are sums of as many terms themselves, each rounded a few times, and are multiplied by 1 + 2⁻³⁴ to make up for
that.

**The larger of two numbers** has the larger upper and the larger lower bound of the two.

**One pair.** f and g are monotonic. Let f map the interval of y into an interval inside of that of x, and g that of x
into one inside of that of y. As this is so whatever the values of the pairs with fewer points missing are within their
bounds, by Brouwer's theorem the Bellman equation of the pair has a solution there. It has only one
(:mod:`dicelab.race`), which therefore lies in these intervals, and in what f and g make of them. Their mids are found
by Newton steps. They are made wider until they are mapped into themselves.

**Where a walk begins.** Let every mode allow a hold, and let P successive holds be proven best, P being the most points
of a roll. If a walk begins behind them, nothing before them matters, as no roll leads there. The same holds for any
turn in that row whose bust is worth more by no more than the least advantage of these holds, as its rolls gain no more
than its bust. So each walk tells where the next may begin, and up to which worth of a bust; but if there is hardly any
room for the bounds to get wider, an earlier beginning is kept. What is beyond the target (r ≤ 0) is always filled in.

**Pairs that are decided.** Of two players, who needs more is worth no more: with less to go, play as if it were more.
(With ``finish="reach"``, forced modes or not, and if nothing is ever reset.) So once the bounds do not tell V(b, a)
from 0, nor V(a, b) from 1, they hold for all larger b. There, no hold could be proven best, and walks would be long. A
turn that may be held there is worth no less than that, and no more than 1; so walks may begin behind P such totals.

**Certain holds.** Let every mode allow a hold, and passing the target finish. Where P successive holds are proven, the
next is certain unless a bust is worth more than what tempts there (the Proposition in :mod:`dicelab.turn`), whoever's
turn it is: enclosed once for each opponent's score, a lower bound of that decides nearly all of the N³ / 2 totals by
one comparison.
"""

import numpy as np

from .ends import FOREVER
from .turn import bare, inlined, inner

__all__ = [
    "MORE",
    "MOST",
    "PROVEN",
    "REFUTED",
    "UNRESOLVED",
    "enclose_antidiagonal",
    "enclose_turn",
    "judge",
    "temptations",
]

U = 2.0**-53
MOST = 2**13  # outcomes of a mode
MORE = 1 + 2.0**-34
PROVEN, UNRESOLVED, REFUTED = 1, 2, 3
TRIES = 200


@inner
def larger(best, other):
    """The larger of two numbers, each (mid, down, up, slope of the lower bound, slope of the upper bound)."""
    if other[0] > best[0]:
        best, other = other, best
    behind = best[0] - other[0]
    down, low = MORE * (other[1] + behind), other[3]
    if best[1] <= down:
        down, low = best[1], best[3]
    up, high = MORE * (other[2] - behind), other[4]
    if best[2] >= up:
        up, high = best[2], best[4]
    return best[0], down, up, low, high


@inlined
def hold_here(hold, r, value):
    """Fill `value`, (5,), with what a hold is worth."""
    value[0], value[1], value[2], value[3], value[4] = hold[r, 0], hold[r, 1], hold[r, 2], 0.0, 0.0


@inner
def enclose_beyond(rules, bust, reset, finish, over, value):
    """Fill `value` where a turn has reached the target, r ≤ 0."""
    ways, modes, width, _ = rules.beyond.shape
    for m in range(modes):
        for at in range(width):
            best = (-np.inf, 0.0, 0.0, 0.0, 0.0)
            for way in range(ways):
                f, z, points = rules.beyond[way, m, at]
                rest = 1.0 - f - z
                worth = f * finish + points * over + z * reset[0] + rest * bust[0]
                size = abs(f * finish) + points * over + abs(z * reset[0]) + (1.0 + rest) * abs(bust[0])
                error, more = 8 * U * size, rest + 4 * U
                if f == 1.0 and points * over == np.floor(points * over):  # then `worth` is a whole number
                    error, more = 0.0, 0.0
                down, up = z * reset[1] + more * bust[1] + error, z * reset[2] + more * bust[2] + error
                best = larger(best, (worth, MORE * down, MORE * up, more, more))
            for k in range(5):
                value[m, at, k] = best[k]


@inner
def enclose_roll(rules, m, at, bust, reset, value):
    """Enclose a roll in mode `m` that leads to columns of `value` before `at`."""
    total, lost = rules.bust[m] * bust[0], 0.0
    size, low, high = abs(total), rules.bust[m], rules.bust[m]
    down, up = rules.bust[m] * bust[1], rules.bust[m] * bust[2]
    for o in range(rules.outcomes[m] - 1, rules.outcomes[m + 1]):
        if o < rules.outcomes[m]:
            p, best = rules.reset[m], (reset[0], reset[1], reset[2], 0.0, 0.0)
        else:
            p, one, last = rules.probability[o], rules.choices[o], rules.choices[o + 1]
            v = value[rules.mode[one], at - rules.points[one]]
            best = v[0], v[1], v[2], v[3], v[4]
            for c in range(one + 1, last):
                v = value[rules.mode[c], at - rules.points[c]]
                if v[0] + v[2] >= best[0] - best[1]:  # else it is smaller for certain
                    best = larger(best, (v[0], v[1], v[2], v[3], v[4]))
        term = p * best[0]
        after = total + term
        lost += (total - (after - (after - total))) + (term - (after - total))
        total = after
        size, low, high = size + abs(term), low + p * best[3], high + p * best[4]
        down, up = down + p * best[1], up + p * best[2]
    error = 2 * U * abs(total) + 2.0**-24 * U * size if rules.dyadic[m] else 4 * U * size
    return total + lost, MORE * (down + error), MORE * (up + error), low, high


@bare
def temptations(rules, hold, reset, finish, over, value, tempting):
    """Fill `tempting`, for r < len(hold), with worths of a bust at which all modes certainly hold; see the page."""
    width, nothing = rules.beyond.shape[2], (0.0, 0.0, 0.0)
    enclose_beyond(rules, nothing, reset, finish, over, value)
    for r in range(1, len(hold)):
        tempting[r] = np.inf
        for m in range(len(rules.bust)):
            at = width - 1 + r
            mid, _, up, _, _ = enclose_roll(rules, m, at, nothing, reset, value)
            short = hold[r, 0] - mid - MORE * (hold[r, 1] + up) - 4 * U * (abs(hold[r, 0]) + abs(mid))
            if rules.bust[m] > 0.0:
                short = short / rules.bust[m] - 4 * U * abs(short) / rules.bust[m]
            elif short >= 0.0:
                short = np.inf
            else:
                short = -np.inf
            tempting[r] = min(tempting[r], short)
            hold_here(hold, r, value[m, at])


@inner
def enclose_turn(rules, hold, bust, reset, finish, over, missing, first, tempting, value, roll):
    """Enclose a turn with `missing` points to go; the walk begins with `first` points to go: see the module's page.

    Parameters
    ----------
    rules : dicelab.turn.Rules
    hold : ndarray (≥ missing, 3)
        What a hold is worth with r points missing, an interval.
    bust, reset : tuple of float
        What they are worth, intervals.
    finish, over : float
        What the finish and a point beyond the target are worth, exactly.
    missing, first : int
    tempting : ndarray
        If not empty, as :func:`temptations` fills it: where holds are certain, `roll` is minus infinity, and what is
        returned of later walks means nothing.
    value, roll : ndarray (M, ≥ P + missing, 5)
        Filled with W, and R, what a roll is worth: intervals, and the slopes of their bounds in the bust value. Column
        P - 1 + r is for r points missing, P being the most points of a roll; from r = 1 to `first` - P - 1 W is not
        filled, and R is not before `first`.

    Returns
    -------
    mid, down, up, low, high : float
        The interval of the turn, and the slopes of its bounds in those of the bust.
    later : int
        Where walks may begin, if a bust is worth
    room : float
        no more than `room` more.
    """
    modes, width = rules.beyond.shape[1:3]
    enclose_beyond(rules, bust, reset, finish, over, value)
    most = bust[0] + bust[2] + 4 * U * (abs(bust[0]) + bust[2])
    for r in range(max(1, first - width), first):
        for m in range(modes):
            hold_here(hold, r, value[m, width - 1 + r])
    run, later, room = 0, first, 0.0
    for at in range(width - 1 + first, width + missing):
        r = at - width + 1
        run += 1
        if run > width and r < min(missing, len(tempting)) and most <= tempting[r]:
            for m in range(modes):
                hold_here(hold, r, value[m, at])
                roll[m, at, 0], roll[m, at, 1], roll[m, at, 2] = -np.inf, 0.0, 0.0
            continue
        for m in range(modes):
            best = enclose_roll(rules, m, at, bust, reset, value)
            for k in range(5):
                roll[m, at, k] = best[k]
            if not (rules.may_hold[m] and r < missing and hold[r, 0] - best[0] >= MORE * (best[2] + hold[r, 1])):
                run = 0
            if rules.may_hold[m] and r < missing:
                best = larger(best, (hold[r, 0], hold[r, 1], hold[r, 2], 0.0, 0.0))
            for k in range(5):
                value[m, at, k] = best[k]
        if run >= width and rules.all_hold:
            later, room = r + 1, np.inf
    for r in range(later - width if later > first else later, later):
        for m in range(modes):
            best = roll[m, width - 1 + r]
            rounding = 4 * U * (abs(hold[r, 0]) + abs(best[0]))
            room = min(room, hold[r, 0] - best[0] - MORE * (hold[r, 1] + best[2]) - rounding)
    best = roll[0, width - 1 + missing]
    return best[0], best[1], best[2], best[3], best[4], later, room


@inner
def passed(both, mid, down, up):
    """The interval of what passing the die is worth to a player, if it is worth mid to the next."""
    error = U * (both + abs(mid)) if both > 0.0 else 0.0  # a change of sign is exact
    return both - mid, MORE * (up + error), MORE * (down + error)


@inner
def enclose_next(rules, rows, stakes, row, bust, missing, walks, value, roll):
    """Enclose a turn against an opponent who needs `row`; `walks` says, and learns, where to begin."""
    hold, reset = rows
    first, level = walks
    rounding = 2 * U * (abs(bust[0]) + bust[2])
    if not bust[0] + bust[2] + rounding <= level[row]:
        first[row], level[row] = 1, np.inf
    known = (reset[row, 0], reset[row, 1], reset[row, 2]), stakes[1][row], stakes[2]
    turn = enclose_turn(rules, hold[row], bust, *known, missing, first[row], level[:0], value, roll)
    mid, down, up, low, high, later, room = turn
    if room > 4.0 * (bust[1] + bust[2]):
        first[row], level[row] = later, bust[0] + bust[2] - rounding + room
    return mid, down, up, low, high


@inner
def begin_behind_won(rules, hold, row, r, walks):
    """Let walks begin behind P holds up to `r` that bounds do not tell from the finish, whatever a bust is worth."""
    last = r - rules.beyond.shape[2]
    while r > max(last, 0) and hold[r, 2] >= MORE * (1.0 - hold[r, 0]):
        r -= 1
    if r == max(last, 0) and rules.all_hold:
        walks[0][row], walks[1][row] = last + rules.beyond.shape[2] + 1, np.inf


@inner
def wider(down, low, y_up, up, high, x_down, more):
    """New widths x_down and y_up, `more` times those at which x_down = down + low·(change of y_up), and vice versa."""
    first, second = max(down - low * y_up, 0.0), max(up - high * x_down, 0.0)
    steep = max(1.0 - low * high, U)
    return more * (first + low * second) / steep, more * (second + high * first) / steep


@inner
def enclose_pair(rules, rows, stakes, alone, a, b, x, y, walks, value, roll):
    """Enclose V(a, b) and V(b, a), from the guesses `x` and `y`.

    One player `alone` has only V(a, b), and as the opponent a mirror image, to whom all is worth what it costs.

    Returns
    -------
    x, y : tuple of float
        Intervals; infinitely wide, if none were found.
    """
    hold, both = rows[0], stakes[0]
    near, other = hold[b, a - 1], hold[b, a - 1] if alone else hold[a, b - 1]
    y = -x if alone else y
    wide = 1.5 * max(near[1], near[2], other[1], other[2]) + 8 * U * (both + abs(x) + abs(y))
    x_down = x_up = y_down = y_up = wide
    for k in range(TRIES):
        bust = passed(both, y, y_down, y_up)
        f, f_down, f_up, f_low, f_high = enclose_next(rules, rows, stakes, b, bust, a, walks, value, roll)
        if alone:
            f, error = f - 1.0, U * (1.0 + abs(f))  # the turn is counted
            f_down, f_up = MORE * (f_down + error), MORE * (f_up + error)
            g, g_down, g_up, g_low, g_high = -f, f_up, f_down, f_high, f_low
        else:
            bust = passed(both, x, x_down, x_up)
            g, g_down, g_up, g_low, g_high = enclose_next(rules, rows, stakes, a, bust, b, walks, value, roll)
        x_off, y_off = f - x, g - y
        x_need = MORE * (f_down - x_off), MORE * (f_up + x_off)
        y_need = MORE * (g_down - y_off), MORE * (g_up + y_off)
        inside = x_need[0] <= x_down and x_need[1] <= x_up and y_need[0] <= y_down and y_need[1] <= y_up
        if inside and k > 0:  # the first widths are too large
            return (f, f_down, f_up), (g, g_down, g_up)
        steep = max(1.0 - f_low * g_low, U)
        x_change, y_change = (x_off - f_low * y_off) / steep, (y_off - g_low * x_off) / steep
        if max(abs(x_change), abs(y_change)) > 16 * U * (both + abs(x) + abs(y)):
            x, y = x + x_change, y + y_change
            x_need, y_need = (f_down, f_up), (g_down, g_up)
        more = 1.0 + 2.0 ** min(k - 10, 1)
        x_down, y_up, x_up, y_down = (
            *wider(x_need[0], f_low, y_up, y_need[1], g_high, x_down, more),
            *wider(x_need[1], f_high, y_down, y_need[0], g_low, x_up, more),
        )
    return (x, np.inf, np.inf), (y, np.inf, np.inf)


@bare
def enclose_antidiagonal(rules, total, part, parts, guess, rows, stakes, alone, decided, walks, value, roll):
    """Enclose every `parts`-th pair with a + b = `total`, from the `part`-th on; a player `alone` has b = 0.

    Parameters
    ----------
    guess : ndarray (N + 1, N + 1), or (N + 1, 1) alone
        V(a, b), by points missing, supposed.
    rows : tuple of ndarray
        By the opponent's b, what passing the die is worth with r points missing, (N + 1, N + 1, 3), to be filled; alone
        V(a, 0), (1, N + 1, 3). And what a reset is worth, (N + 1, 3).
    stakes : tuple
        What both players' values sum to, what the finish is worth, by b, and a point beyond the target.
    decided : bool
        Whether pairs beyond those that are decided are, too; see the module's page.
    walks : tuple of ndarray, (N + 1,)
        Where turns against an opponent who needs b may begin, and up to which worth of a bust.
    """
    hold, both = rows[0], stakes[0]
    size = hold.shape[1]
    least = total if alone else max(1, total - size + 1)
    last = total if alone else total // 2
    for a in range(least + part, last + 1, parts):
        b = total - a
        if rules.hopeless[a] and (alone or rules.hopeless[b]):
            x = y = (-FOREVER if alone else 0.5 * both, 0.0, 0.0)
        else:
            other = 0.0 if alone else guess[b, a]
            if decided and b > a:
                near, far = hold[a, b - 1], hold[b - 1, a]
                if near[0] <= near[1] and 1.0 - far[0] <= far[2]:
                    hold[a, b, 0], hold[a, b, 1] = near[0], max(near[0], 0.0)
                    hold[a, b, 2] = near[2]
                    hold[b, a, 0], hold[b, a, 1], hold[b, a, 2] = far[0], far[1], max(MORE * (1.0 - far[0]), 0.0)
                    begin_behind_won(rules, hold[b], b, a, walks)
                    continue
            x, y = enclose_pair(rules, rows, stakes, alone, a, b, guess[a, b], other, walks, value, roll)
        if alone:
            hold[0, a, 0], hold[0, a, 1], hold[0, a, 2] = x
        else:
            hold[a, b, 0], hold[a, b, 1], hold[a, b, 2] = passed(both, x[0], x[1], x[2])
            hold[b, a, 0], hold[b, a, 1], hold[b, a, 2] = passed(both, y[0], y[1], y[2])


@inner
def judge_turn(rules, hold, bust, reset, finish, over, rolls, takes, tempting, value, roll, said, chosen):
    """Say of the decisions of one turn what is known; see :func:`judge`."""
    missing, width = rolls.shape[1], rules.beyond.shape[2]
    known = (bust[0], bust[1], bust[2]), (reset[0], reset[1], reset[2]), finish, over
    enclose_turn(rules, hold, *known, missing, 1, tempting, value, roll)
    for total in range(missing):
        r = missing - total
        at = width - 1 + r
        for m in range(rolls.shape[0] if total > 0 else 0):
            if rules.may_hold[m]:
                ahead = roll[m, at, 0] - hold[r, 0]
                if ahead > MORE * (roll[m, at, 1] + hold[r, 2]):
                    said[m, total] = PROVEN if rolls[m, total] else REFUTED
                elif -ahead > MORE * (roll[m, at, 2] + hold[r, 1]):
                    said[m, total] = REFUTED if rolls[m, total] else PROVEN
                else:
                    said[m, total] = UNRESOLVED
        for o in range(rules.branch.size if takes.shape[0] > 0 else 0):
            branch = rules.branch[o]
            if branch < 0:
                continue
            taken = rules.choices[o] + takes[branch, total]
            mine = value[rules.mode[taken], at - rules.points[taken]]
            verdict = PROVEN
            for c in range(rules.choices[o], rules.choices[o + 1]):
                other = value[rules.mode[c], at - rules.points[c]]
                if c != taken and not mine[0] - other[0] >= MORE * (mine[1] + other[2]):
                    behind = other[0] - mine[0] > MORE * (other[1] + mine[2])
                    verdict = max(verdict, REFUTED if behind else UNRESOLVED)
            chosen[branch, total] = verdict


@bare
def judge(rules, hold, reset, finish, over, rolls, takes, tempting, value, roll, said, chosen):
    """Say what is known of decisions with a points to go, against n opponents, the last of whom needs least.

    Parameters
    ----------
    hold : ndarray (≥ n, > a, 3)
        What passing the die is worth, intervals; the last row is for the first of the n opponents.
    reset, finish, tempting : ndarray
        By the same rows what a reset and the finish are worth, and what :func:`temptations` has found, if anything.
    rolls, takes : ndarray (n, M, a), (n, B, a)
        The decisions, by turn total.
    said, chosen : ndarray of uint8, of the same shapes
        Filled with PROVEN, UNRESOLVED or REFUTED, or 0 if there is no choice.
    """
    for n in range(len(rolls)):
        b = len(hold) - 1 - n
        turn = hold[b], hold[b, rolls.shape[2]], reset[b], finish[b], over, rolls[n], takes[n], tempting[b]
        judge_turn(rules, *turn, value, roll, said[n], chosen[n])
