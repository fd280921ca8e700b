"""The plain race of two once more, fast: many pairs of scores at a time. The engine gives the same answers without it.

The player about to move needs a points and the opponent b, both at most N. A *turn* (k, b) is that of seat k on the
diagonal a + b; two seats that are both "best" are one. Let B be its bust value and H(r) the value of a hold that leaves
r points missing: c - V of the opponent's next turn, with c = 1 for "win" and 0 for "margin". So B is H(a). The tables
have H by a + b and b: turns side by side on a diagonal read their holds side by side, and are walked LANES at a time.

**A walk** goes from a few points missing up to a, and has two numbers of each state: W - B, the advantage over a bust,
and L, the chance not to bust. Neither loses digits, however rare it is not to bust.

**A step.** With decisions as they are, a turn is worth A + (1 - L)·B. The turns of a pair, with x and y, thus solve

    x = (A₁ + (1 - L₁)·(c·L₂ - A₂)) / E,      E = L₁ + L₂ - L₁·L₂;      c/2 if E = 0, where play never ends.      (1)

If B moves by δ, no advantage moves by more. So each walk also has its *gap*, the least advantage of an action over
another one: a step below both gaps changes no decision, and x and y are the solution. The others are walked again with
the bust values of (1); after TOGETHER walks first one turn of a pair, and then the other from its value. That is
Newton's method for x = f(g(x)), which never rises with x: so the solution stays between bounds, and ends are halved.

**Where a walk may begin.** Let R°(r) be the value of a roll if every hold is made that it leads to. If all hold at
every total with fewer points missing, a roll is right only if R°(r) > H(r). R° depends on b and r, and is linear in B:
so that is B above a *limit*. A walk begins at the first r whose limit is not above B and a margin; before that all
hold. Modes in which one must roll are R° themselves there. With such modes, choices, which would depend on B, are not
skipped; nor is anything if the target must be hit exactly. A table is skipped from the total on at which it always
holds. Long walks may also begin behind as many totals as a roll may score, if all hold there.

**Resets** lead back to N values, a fixed point around the sweep over all diagonals.
"""

from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .._accuracy import CLOSE
from .._compile import bare, called, whole
from .._limits import check_memory
from ..games.absorption import cannot_finish, choices_are_ranked, may_wait
from .fixed_points import settle

__all__ = ["knows", "pairs"]

ZERO = np.int64(0)  # numba compiles a kernel once more for a literal
SIX = 6  # successive points that are summed up at once: a die's faces
LANES = 16  # turns in a batch
STRIDE = 3 * LANES  # of a mode at one total: W - B, L, and the least gap so far
LEAVES, GAPS = np.uint64(LANES), np.uint64(2 * LANES)
ROW1, ROW2, ROW3, ROW4, ROW5, ROW6 = (np.uint64(k * STRIDE) for k in range(1, SIX + 1))
AGAIN, CHOSEN, REST = LANES, 3 * LANES, 5 * LANES  # in `small`: see Lanes
TOGETHER = 3  # walks of all turns of a diagonal from guesses, for one seat
LONG = 96  # a walk of so many totals is searched for a later start
SLACK = 4e-15  # excess over a limit that float64 cannot tell from none
MARGIN = 32.0  # a start is right for bust values that exceed the guess by so many recent errors
KIND, GROUP, OPTION, PLANE, ORDER = range(5)  # columns of modes
FREE, STOPS, ROLLS = range(3)  # kinds: one may hold, must hold, must roll
NEXT, POINTS, NUMBER, BRANCH = range(4)  # columns of options; of groups the first two
ABOVE, LEAVE, GAP, VALID, ERROR, START, LOW, HIGH = range(8)  # columns of turns
HOLD, LIMIT = 0, 1  # planes


class Rules(NamedTuple):
    """A turn: outcomes with one choice in groups of SIX successive points, and the options of the others."""

    exactly: bool
    skips: bool  # whether walks may begin late
    width: int  # rows of a plane before that of a + b = 0: the most points of a roll, and SIX
    modes: np.ndarray  # (M + 1, 5) the first group and option; H or R° is read; the mode in the place m of the order
    groups: (
        np.ndarray
    )  # (M + G, 2) the least points; first those that stay in a mode with 1, …, SIX
    weights: np.ndarray  # (M + G, SIX) chances
    options: np.ndarray  # (C + 1, 4) the number in the outcome, and that of the outcome
    chance: np.ndarray  # (C,)
    ends: np.ndarray  # (M, 3) the chance of a reset; at the target those of a finish and of a reset
    once: np.ndarray  # (M, N + 1) L of R°, by points missing


class Race(NamedTuple):
    """What is known of turns, by seat and b, and who decides.

    `cells` has rows of `wide` numbers by b. A plane is so many `rows`: that of a diagonal has the number width + a + b.
    Of each seat there are `depth` planes: H, the limits, and R° of modes in which one must roll. The limits begin with
    the values after resets, and two rows of workspace.
    """

    target: int
    pays: float  # c
    wide: int
    rows: int
    depth: int
    cells: np.ndarray
    turns: np.ndarray  # (seats · (N + 1), 8) the columns above
    columns: np.ndarray  # (2 N + 2,) which b are to be solved
    given: np.ndarray  # (seats,) bool, whether a table decides
    tables: np.ndarray  # (seats, N, N) its rows
    rolls: np.ndarray  # (rows, M, totals)
    picks: np.ndarray  # (rows, outcomes, totals)
    stop: np.ndarray  # (rows,) the total from which on all hold


class Lanes(NamedTuple):
    """A batch of turns."""

    place: np.ndarray  # (2, LANES) b, and the row of a table
    small: np.ndarray  # B; the value after a reset less B, and 1; of the best choice, and of rolls, what is in `value`
    value: np.ndarray  # (modes * totals * STRIDE,) from few points missing on
    held: np.ndarray  # (totals * LANES,) H - B
    forced: (
        np.ndarray
    )  # ((1 + modes * totals) * LANES,) zeros; inf where a table rolls, -inf where it holds


# Compiled as a part of the only caller: else all its code would be optimized once more for each level above it.
copied = partial(bare, inline="always")


# A batch of turns


@copied
def add_groups(rules, lanes, m, t, totals):
    """Add to a roll what follows outcomes with one choice, but for those that stay."""
    value, rest, mine = lanes.value, lanes.small, np.uint64(REST + m * STRIDE)
    for g in range(rules.modes[m, GROUP], rules.modes[m + 1, GROUP]):
        far = rules.groups[g, NEXT] * totals + t - rules.groups[g, POINTS] - SIX + 1
        near, w = np.uint64(far * STRIDE), rules.weights
        p1, p2, p3, p4, p5, p6 = w[g, 0], w[g, 1], w[g, 2], w[g, 3], w[g, 4], w[g, 5]
        for number in range(2 * LANES):
            lane = np.uint64(number)
            i = near + lane
            more = p6 * value[i] + p5 * value[i + ROW1] + p4 * value[i + ROW2]
            more += p3 * value[i + ROW3] + p2 * value[i + ROW4] + p1 * value[i + ROW5]
            rest[mine + lane] += more


@copied
def add_choices(rules, lanes, m, at, picks, given):
    """Add what follows outcomes with several choices: the best, or a table's; `at` has a column and total."""
    totals, small, options = len(lanes.held) // LANES, lanes.small, rules.options
    value, mine, best = lanes.value, np.uint64(REST + m * STRIDE), np.uint64(CHOSEN)
    for c in range(rules.modes[m, OPTION], rules.modes[m + 1, OPTION]):
        there = np.uint64((options[c, NEXT] * totals + at[0] - options[c, POINTS]) * STRIDE)
        if given or options[c, NUMBER] == 0:
            for number in range(LANES):
                lane = np.uint64(number)
                said = picks[lanes.place[1, number], options[c, BRANCH], at[1]] if given else 0
                if said == options[c, NUMBER]:
                    small[best + lane] = value[there + lane]
                    small[best + LEAVES + lane] = value[there + LEAVES + lane]
        else:
            for number in range(LANES):
                lane = np.uint64(number)
                j, k, n = best + lane, best + LEAVES + lane, mine + GAPS + lane
                x, leave, past = value[there + lane], value[there + LEAVES + lane], small[k]
                ahead = x - small[j]
                gap = abs(ahead) if leave != past else np.inf
                small[n] = gap if gap < small[n] else small[n]
                small[j] = x if ahead > 0.0 else small[j]
                small[k] = leave if ahead > 0.0 else past
        if options[c + 1, NUMBER] == 0:
            for number in range(2 * LANES):
                lane = np.uint64(number)
                small[mine + lane] += rules.chance[c] * small[best + lane]


@copied
def hold_or_roll(rules, lanes, m, at, run, given):
    """The better action in so many states of a mode: a roll is the rest, and what stays in the mode.

    `at` has the first column, and its total; a first roll is forced.
    """
    value, held, forced, rest = lanes.value, lanes.held, lanes.forced, lanes.small
    totals, mine, w = len(held) // LANES, np.uint64(REST + m * STRIDE), rules.weights
    p1, p2, p3, p4, p5, p6 = w[m, 0], w[m, 1], w[m, 2], w[m, 3], w[m, 4], w[m, 5]
    kind = rules.modes[m, KIND]
    push = 0.0 if kind == FREE else -np.inf if kind == STOPS else np.inf
    for more in range(run):
        t = at[0] + more
        begun, now = np.uint64((m * totals + t) * STRIDE), np.uint64(t * LANES)
        said = np.uint64((1 + m * totals + t) * LANES if given else 0)
        pushed = push if more < at[1] else np.inf
        for number in range(LANES):
            lane = np.uint64(number)
            i, j, n = begun + lane, begun + LEAVES + lane, mine + lane
            x = p6 * value[i - ROW6] + p5 * value[i - ROW5] + p4 * value[i - ROW4]
            x += p3 * value[i - ROW3] + p2 * value[i - ROW2] + p1 * value[i - ROW1]
            y = p6 * value[j - ROW6] + p5 * value[j - ROW5] + p4 * value[j - ROW4]
            y += p3 * value[j - ROW3] + p2 * value[j - ROW2] + p1 * value[j - ROW1]
            x, y, hold = rest[n] + x, rest[n + LEAVES] + y, held[now + lane]
            ahead = x - hold + (pushed + forced[said + lane])
            value[i], value[j] = x if ahead > 0.0 else hold, y if ahead > 0.0 else 1.0
            gap, other = value[i + GAPS - ROW1], rest[n + GAPS]
            gap = gap if gap < other else other
            value[i + GAPS] = gap if gap < abs(ahead) else abs(ahead)


@called
def end_turns(rules, race, lanes, hold, t, r):
    """The states at the target, beyond it, and before a walk where one must roll; lane 0 misses r points."""
    totals, value = len(lanes.held) // LANES, lanes.value
    for m in range(len(rules.ends)):
        plane = rules.modes[m, PLANE]
        for lane in range(LANES):
            b, here = lanes.place[0, lane], (m * totals + t) * STRIDE + lane
            left = r + lanes.place[0, 0] - b
            if left <= 0:
                counts = 1.0 if left == 0 or not rules.exactly else 0.0
                finish, again = counts * rules.ends[m, 1], counts * rules.ends[m, 2]
                held, more = lanes.held[t * LANES + lane], lanes.small[AGAIN + lane]
                value[here], value[here + LANES] = finish * held + again * more, finish + again
            elif t < rules.width - 1 and plane != HOLD:
                leave = rules.once[m, left]
                at = hold + (plane * race.rows + rules.width + left + b) * race.wide + b
                value[here], value[here + LANES] = race.cells[at] - leave * lanes.small[lane], leave


@called
def read_tables(rules, rolls, lanes, top, turns):
    """Enter what tables say."""
    totals = len(lanes.held) // LANES
    for m in range(len(rules.ends)):
        for t in range(rules.width - 1, top + 1):
            for lane in range(turns):
                said = np.inf if rolls[lanes.place[1, lane], m, top - t] else -np.inf
                said = said if rules.modes[m, KIND] == FREE and t < top else 0.0
                lanes.forced[(1 + m * totals + t) * LANES + lane] = said


@called
def hold_all(rules, race, lanes, row, top):
    """Enter H - B at all totals, and holds before the walk; `row` begins that of the last column."""
    totals, place, held, value = len(lanes.held) // LANES, lanes.place, lanes.held, lanes.value
    cells, small, first, together = race.cells, lanes.small, place[0, 0], True
    for lane in range(LANES):
        together = together and place[0, lane] == first + lane
    for t in range(SIX - 1, top + 1):
        near, mine = row - (top - t) * race.wide, np.uint64(t * LANES)
        begun = np.uint64(near + first)
        for number in range(LANES if together else 0):
            lane = np.uint64(number)
            held[mine + lane] = cells[begun + lane] - small[lane]
        for lane in range(0 if together else LANES):
            held[t * LANES + lane] = cells[near + place[0, lane]] - small[lane]
    for m in range(len(rules.ends)):
        for t in range(SIX - 1, rules.width - 1):
            for lane in range(LANES):
                here, hold = (m * totals + t) * STRIDE + lane, held[t * LANES + lane]
                value[here], value[here + LANES], value[here + 2 * LANES] = hold, 1.0, np.inf


@called
def enter(rules, race, lanes, hold, total, begun, count):
    """Enter `count` turns of a seat, whose H begins at `hold`: how many totals are to be walked."""
    apart, target, steps, wide = race.rows * race.wide, race.target, ZERO, race.wide
    seat, cells, turns = hold // (race.depth * apart), race.cells, race.turns
    for lane in range(LANES):
        idle = lane + 1 - count if lane >= count else 0  # they go on as the last turn
        b = race.columns[begun + lane - idle] + idle
        lanes.place[0, lane] = b
        if idle == 0:
            turn, start, need = seat * (target + 1) + b, ZERO + 1, total - b
            bust = cells[hold + (rules.width + total) * wide + b]
            lanes.small[lane], lanes.small[AGAIN + lane] = bust, cells[hold + apart + b] - bust
            turns[turn, GAP] = np.inf
            if race.given[seat]:
                row = race.tables[seat, target - need, target - b]
                lanes.place[1, lane] = row
                late = need - race.stop[row]
                start = late if rules.skips and late > start else start
            elif rules.skips:
                start, valid = int(turns[turn, START]), turns[turn, VALID]
                if bust >= valid:
                    start, valid = ZERO + 1, np.inf
                most = bust + MARGIN * turns[turn, ERROR]
                valid, limit = most if most < valid else valid, hold + apart + b
                while start < need and cells[limit + (rules.width + b + start) * wide] >= valid:
                    start += 1
                turns[turn, START], turns[turn, VALID], turns[turn, GAP] = (
                    start,
                    valid,
                    valid - bust,
                )
            steps = need - start if need - start > steps else steps
    return steps


@called
def read_out(rules, race, lanes, seat, total, count, top):
    """Read what turns have come to.

    If a walk was long, later ones begin behind the last totals, as many as a roll may score, at which all modes hold.
    """
    modes, turns, value, most = len(rules.ends), race.turns, lanes.value, rules.width - SIX
    size, late = len(value) // modes, rules.skips and race.depth == 2 and not race.given[seat]
    for lane in range(count):
        need, here = total - lanes.place[0, lane], top * STRIDE + lane
        turn = seat * (race.target + 1) + total - need
        turns[turn, ABOVE], turns[turn, LEAVE] = value[here], value[here + LANES]
        gap, t, behind = turns[turn, GAP], top, 0
        for m in range(modes):
            other = value[here + m * size + 2 * LANES]
            gap = other if other < gap else gap
        turns[turn, GAP] = gap
        while late and need - turns[turn, START] >= LONG and t >= rules.width and behind < most:
            t, behind = t - 1, behind + 1
            for m in range(modes):
                if value[m * size + t * STRIDE + lane] > lanes.held[t * LANES + lane]:
                    behind = 0
        if behind == most:
            turns[turn, START] = need - top + t + most
            turns[turn, VALID] = lanes.small[lane] + (gap if gap > SLACK else SLACK)


@called
def walk(rules, race, lanes, seat, total, begun, count):
    """Evaluate the turns of a seat against opponents who need `columns`, at most LANES from `begun` on."""
    modes, small, given = len(rules.ends), lanes.small, race.given[seat]
    totals, before = len(lanes.held) // LANES, rules.width - 1
    hold = seat * race.depth * race.rows * race.wide
    steps = enter(rules, race, lanes, hold, total, begun, count)
    top, first = before + steps, lanes.place[0, 0]
    hold_all(rules, race, lanes, hold + (rules.width + total) * race.wide, top)
    if given:
        read_tables(rules, race.rolls, lanes, top, count)
    ends = rules.exactly or given or race.depth > 2
    stays = modes == 1 and not ends and rules.modes[1, GROUP] + rules.modes[1, OPTION] == 1
    run = steps + 1 if stays else ZERO + 1
    for t in range(SIX - 1 if ends else before, top + 2 - run):
        k = top - t
        for place in range(modes if t >= before else 0):
            m = rules.modes[place, ORDER]
            for lane in range(2 * LANES):
                small[REST + m * STRIDE + lane] = rules.ends[m, 0] * small[AGAIN + lane]
            for lane in range(2 * LANES, STRIDE):
                small[REST + m * STRIDE + lane] = np.inf
            add_groups(rules, lanes, m, t, totals)
            add_choices(rules, lanes, m, (t, k), race.picks, given)
            hold_or_roll(rules, lanes, m, (t, k), run, given)
        if ends and (k >= total - lanes.place[0, LANES - 1] or t < before):
            end_turns(rules, race, lanes, hold, t, total - first - k)
    read_out(rules, race, lanes, seat, total, count, top)


# A diagonal


@copied
def step(race, first, second, one, two, bounded):
    """Take a step (1) for the cells and the turns of a pair, between bounds if it is `bounded`.

    Returns the residual, and whether the pair is solved.
    """
    cells, turns, c = race.cells, race.turns, race.pays
    p, q, bust, before = turns[one, LEAVE], turns[two, LEAVE], cells[first], cells[second]
    results, others = turns[one, ABOVE] + p * bust, turns[two, ABOVE] + q * before
    leave, x, y = p + q - p * q, 0.5 * c, 0.5 * c
    if leave > 0.0:
        x = (results + (1.0 - p) * (c * q - others)) / leave
        y = (others + (1.0 - q) * (c * p - results)) / leave
    new, other = min(max(c - y, c - 1.0), 1.0), min(max(c - x, c - 1.0), 1.0)
    cells[first], cells[second] = new, other
    moves = abs(new - bust), abs(other - before)
    turns[one, ERROR] = max(moves[0], 0.5 * turns[one, ERROR], CLOSE)
    turns[two, ERROR] = max(moves[1], 0.5 * turns[two, ERROR], CLOSE)
    off = abs(c - other - results - (1.0 - p) * new)
    residual = max(off, abs(c - new - others - (1.0 - q) * other))
    sure, moved = moves[0] < turns[one, GAP] and moves[1] < turns[two, GAP], max(moves[0], moves[1])
    if sure or moved <= CLOSE:
        return residual if sure else residual + moved, True
    if bounded:
        turns[two, LOW if other > before else HIGH] = before
        low, high = turns[two, LOW], turns[two, HIGH]
        if not low < other < high:
            other = 0.5 * (low + high)
            cells[second] = other
            if other in (low, high):
                return high - low, True
    return residual, False


@called
def roll_once(rules, race, hold, total, low, high):
    """Enter the limits of a diagonal, and R° without its busts where one must roll."""
    cells, wide, size = race.cells, race.wide, race.rows * race.wide
    for b in range(low, high + 1):
        row, least = hold + (rules.width + total) * wide + b, np.inf
        for place in range(len(rules.ends)):
            m, best = rules.modes[place, ORDER], 0.0
            once = rules.ends[m, 0] * cells[hold + size + b]
            for g in range(rules.modes[m, GROUP] - 1, rules.modes[m + 1, GROUP]):
                k = g if g >= rules.modes[m, GROUP] else m
                plane = rules.modes[rules.groups[k, NEXT], PLANE]
                near = row + plane * size - rules.groups[k, POINTS] * wide
                for i in range(SIX):
                    once += rules.weights[k, i] * cells[near - i * wide]
            for c in range(rules.modes[m, OPTION], rules.modes[m + 1, OPTION]):
                x = cells[row - rules.options[c, POINTS] * wide]
                best = x if rules.options[c, NUMBER] == 0 or x > best else best
                once += rules.chance[c] * best if rules.options[c + 1, NUMBER] == 0 else 0.0
            if rules.modes[m, KIND] == ROLLS:
                cells[row + rules.modes[m, PLANE] * size] = once
            elif rules.modes[m, KIND] == FREE:
                bust, short = 1.0 - rules.once[m, total - b], cells[row] - once
                even = short / bust if bust > 1e-15 else np.inf if short >= 0.0 else -np.inf
                least = even + SLACK if even + SLACK < least else least
        cells[row + size] = least


@called
def step_all(race, last, row, total, count, bounded):
    """Take a step for `count` pairs: the largest residual of those that it solves, and how many are left."""
    left, worst, columns = 0, 0.0, race.columns
    apart, own = last * race.depth * race.rows * race.wide, last * (race.target + 1)
    for i in range(count):
        a = columns[i]
        first, second = row + total - a, apart + row + a
        residual, solved = step(race, first, second, total - a, own + a, bounded)
        worst = residual if solved and residual > worst else worst
        columns[left] = a
        left += not solved
    return worst, left


@called
def begin(race, last, row, total, known):
    """Enter the pairs of a diagonal, and if they are not known, bust values extrapolated from the diagonals before."""
    low, cells, columns = (
        total - race.target if total > race.target else 1,
        race.cells,
        race.columns,
    )
    one = race.wide
    for seat in range(0 if known else last + 1):
        for b in range(low, total + 1 - low):
            i = seat * race.depth * race.rows * one + row + b
            if b <= 2:
                cells[i] = 2.0 * cells[i - one] - cells[i - 2 * one]
            elif total - b <= 2:
                cells[i] = 2.0 * cells[i - one - 1] - cells[i - 2 * one - 2]
            else:
                more = cells[i - one - 1] + cells[i - one]
                more += (
                    cells[i - 3 * one - 2] + cells[i - 3 * one - 1] - 2.0 * cells[i - 2 * one - 1]
                )
                less = cells[i - 2 * one - 2] + cells[i - 2 * one] + cells[i - 4 * one - 2]
                cells[i] = 2.0 * more - less
    count = (total - low if last else total // 2) + 1 - low
    for i in range(count):
        columns[i], turn = low + i, last * (race.target + 1) + low + i
        race.turns[turn, LOW], race.turns[turn, HIGH] = race.pays - 1.0, 1.0
    return low, count


@whole
def sweep(rules, race, lanes, known):
    """Solve all pairs, for given values after resets: the largest residual. If `known`, `cells` has guesses."""
    last, worst, columns = len(race.given) - 1, 0.0, race.columns
    apart, own = last * race.depth * race.rows * race.wide, last * (race.target + 1)
    for total in range(2, 2 * race.target + 1):
        row, tried = (rules.width + total) * race.wide, 0
        low, count = begin(race, last, row, total, known)
        while count:
            # All turns from guesses; or one of each pair, and the other from its value.
            together, tried = last == 0 and tried < TOGETHER, tried + 1
            same = 1 if last == 0 and 2 * columns[count - 1] == total else 0
            for i in range(count):
                columns[2 * count - 1 - same - i] = total - columns[i]
            for part in range(1 if together else 2):
                for i in range(part * count):
                    a = columns[i]
                    y = race.cells[apart + row + a] + race.turns[own + a, ABOVE]
                    race.cells[row + total - a] = race.pays - y
                end = 2 * count - same if together or part == 1 else count
                for begun in range(part * (count - same), end, LANES):
                    some = LANES if end - begun > LANES else end - begun
                    walk(rules, race, lanes, ZERO if part == 1 else last, total, begun, some)
            residual, count = step_all(race, last, row, total, count, not together)
            worst = residual if residual > worst else worst
        for seat in range(last + 1 if rules.skips else 0):
            roll_once(rules, race, seat * apart, total, low, total - low)
    return worst


# The rules, and the race


def knows(game, objective="win"):
    """Whether a game is a plain race of two, in which nobody waits."""
    plain = (
        objective in ("win", "margin") and game.finish in ("reach", "exact") and not game.registers
    )
    if not plain or (choices_are_ranked(game) and (game.resets or game.finish == "exact")):
        return False
    return not (may_wait(game, reset=True) & ~cannot_finish(game)).any()


@lru_cache(maxsize=64)
def rules_of(game):
    """The rules of a turn as arrays."""
    game, exactly = game.until_change, game.finish == "exact"
    options, chance, forced, branch = [], [], 0, 0
    groups = [((m, 1), [0.0] * SIX) for m in range(len(game.modes))]
    modes = np.zeros((len(game.modes) + 1, 5), dtype=np.int64)
    for m, mode in enumerate(game.modes):
        kind = STOPS if mode.must_hold else FREE if mode.may_hold else ROLLS
        forced += kind == ROLLS
        plane = LIMIT + forced if kind == ROLLS else HOLD
        modes[m] = kind, len(groups), len(options), plane, game.order[m]
        found = grouped(game, [o for o in mode.outcomes if len(o.choices) == 1])
        groups[m] = (m, 1), found.pop((m, 1), [0.0] * SIX)
        groups += found.items()
        for o in mode.outcomes:
            if len(o.choices) > 1:
                options += [
                    (game.mode(c.mode), c.points, k, branch) for k, c in enumerate(o.choices)
                ]
                chance += [float(o.probability)] * len(o.choices)
                branch += 1
    modes[-1, GROUP], modes[-1, OPTION] = len(groups), len(options)
    skips, ends = not exactly and not (forced and options), ends_of(game)
    return Rules(
        exactly,
        skips,
        int(game.most_points) + SIX,
        modes,
        np.array([key for key, _ in groups]),
        np.array([chances for _, chances in groups]),
        np.array([*options, (0, 0, 0, 0)]),
        np.array(chance, dtype=float),
        ends,
        once_of(game, ends) if skips else np.ones((1, 1)),
    )


def grouped(game, outcomes):
    """The chances of outcomes with one choice, by next mode and the least of six successive points: a dict of lists.

    The least points are 1, 7, …; or 0, 6, … for a mode to which an outcome leads with 0 points.
    """
    found = {}
    free = {o.choices[0].mode for o in outcomes if not o.choices[0].points}
    for outcome in outcomes:
        (choice,) = outcome.choices
        offset = choice.mode not in free
        least = (choice.points - offset) // SIX * SIX + offset
        chances = found.setdefault((game.mode(choice.mode), least), [0.0] * SIX)
        chances[choice.points - least] += float(outcome.probability)
    return found


def ends_of(game):
    """By mode the chance of a reset; at the target, and beyond it unless it must be hit, those of a finish and a reset.

    Who must roll there takes the best choice, and rolls until the chances no longer rise.
    """
    ends, before = np.zeros((len(game.modes), 3)), None
    ends[:, 0] = [float(mode.chance("reset")) for mode in game.modes]
    ends[:, 1] = [mode.may_hold for mode in game.modes]
    exactly = game.finish == "exact"
    while before is None or (ends != before).any():
        before = ends.copy()
        for m, mode in enumerate(game.modes):
            if not mode.may_hold:
                ends[m, 1:] = 0.0, ends[m, 0]
                for o in mode.outcomes:
                    to = [
                        before[game.mode(c.mode)] for c in o.choices if not (exactly and c.points)
                    ]
                    if to:
                        ends[m, 1:] += float(o.probability) * max(to, key=lambda end: end[1])[1:]
    return ends


def once_of(game, ends):
    """By mode and points missing the chance not to bust in a roll if every hold is made that it leads to."""
    once = np.ones((len(game.modes), game.target + 1))
    forced = [m for m, mode in enumerate(game.modes) if not mode.may_hold]
    for m, mode in enumerate(game.modes):
        once[m] -= float(mode.chance("bust"))
    for r in range(1, game.target + 1 if forced else 0):
        for m in game.order:
            for o in game.modes[m].outcomes:
                for c in o.choices:
                    to = game.mode(c.mode)
                    if to in forced:
                        known = once[to, r - c.points] if c.points < r else ends[to, 1:].sum()
                        once[m, r] -= float(o.probability) * (1 - known)
    return once


def tables_of(seats, rules, n):
    """Who decides, as in `Race`."""
    given = np.array([not isinstance(seat, str) for seat in seats])
    tables = [seat for seat in seats if not isinstance(seat, str)]
    if not tables:
        nothing = np.zeros((1, 1, 1), dtype=np.uint8)
        return given[:1], nothing.astype(np.int64), nothing, nothing, np.zeros(1, dtype=np.int64)
    rolls, picks = (
        np.concatenate([table[part][:, :, :n] for table in tables]).astype(np.uint8)
        for part in (0, 1)
    )
    rows, begin = np.zeros((2, n, n), dtype=np.int64), 0
    for k in np.flatnonzero(given):
        rows[k] = begin + seats[k][2]
        begin += len(seats[k][0])
    rolled = rolls[:, rules.modes[:-1, KIND] == FREE].any(axis=1)
    rolled[:, 0] = True
    return given, rows, rolls, picks, n - rolled[:, ::-1].argmax(axis=1)


def pairs(game, objective="win", seats=("best", "best")):
    """The values of all pairs of scores.

    Parameters
    ----------
    game : Game
        One that is known; see `knows`.
    objective : {"win", "margin"}
    seats : sequence
        By seat "best", or a table: rolls, (rows, modes, totals), picks, (rows, outcomes with several choices, totals),
        and its rows by own and opponent's score, (N, N).

    Returns
    -------
    values : ndarray (seats, N, N)
        The value to the player who moves, by seat, own score and opponent's. Two seats that are "best" are one.
    residual : float
        The largest, of pairs and of values after resets. For margins it counts in targets.
    """
    rules, n, c = rules_of(game), game.target, float(objective == "win")
    who = tables_of(seats, rules, n)
    number, modes, totals = len(who[0]), len(rules.ends), n + rules.width + 1
    depth = max(2, int(rules.modes[:, PLANE].max()) + 1)
    shape = number, depth, rules.width + 2 * n + 1, n + 1 + LANES
    check_memory(8 * int(np.prod(shape)), f"solving {game.name} to {n}", "take a smaller target")
    planes, turns, needs = np.zeros(shape), np.zeros((number, n + 1, 8)), np.arange(n + 1)
    columns, cells = np.zeros(2 * n + 2, dtype=np.int64), planes.reshape(-1)
    race = Race(n, c, shape[3], shape[2], depth, cells, turns.reshape(-1, 8), columns, *who)
    lanes = Lanes(
        np.zeros((2, LANES), dtype=np.int64),
        np.ones(REST + modes * STRIDE),
        np.zeros(modes * totals * STRIDE),
        np.zeros(totals * LANES),
        np.zeros((1 + modes * totals * bool(who[0].any())) * LANES),
    )
    past = np.arange(1, rules.width + 1)[:, None] + needs  # rows in which nothing is missing
    finish, reset = np.ones(n + 1) if c else needs / n, planes[:, LIMIT, 0, : n + 1]
    worst = []  # of each sweep

    def once(z):
        reset[:, 1:] = z.reshape(number, n).clip(c - 1, 1)
        turns[:, :, VALID], turns[:, :, ERROR], turns[:, :, START] = np.inf, 1e-4, 1
        for m in range(modes):
            ended = rules.ends[m, 1] * finish + rules.ends[m, 2] * reset
            planes[:, rules.modes[m, PLANE], past, needs] = ended[:, None]
        worst.append(sweep(rules, race, lanes, len(worst) > 0))
        return planes[:, HOLD, rules.width + n + needs[1:], needs[1:]].ravel()

    z, change = once(np.full(number * n, 0.5 * c)), 0.0
    if game.resets:  # the first step is long, and would mislead the acceleration
        z, change = settle(once, z)
    down, right = planes.strides[2:]
    corners = planes[::-1, HOLD, rules.width + 2 * n :, n:]
    values = as_strided(corners, (number, n, n), (corners.strides[0], -down - right, -down))
    return (c - values) * (1 if c else n), max(worst[-1], change)
