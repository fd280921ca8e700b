"""The plain race of two once more, fast: many pairs of scores at a time. The engine gives the same answers without it.

The player about to move needs a points and the opponent b, both at most N, and both play their best. Let H(r) be the
value of a hold that leaves r points missing: c - V of the opponent's next turn, with c = 1 for "win" and 0 for
"margin". The value B of a bust is H(a).

**Diagonals.** After a bust, a + b is the same as before; after a hold it is less. So the diagonals of equal a + b are
solved one after another, and on each of them pairs of turns: (a, b), and that of the opponent after a bust, (b, a). H
is kept by r + b and b, so that turns side by side on a diagonal read their holds side by side: LANES of them are walked
at a time. On its diagonal a turn has the number b.

**A walk** evaluates a turn, from the target down to a points missing. It has two numbers of each state: W - B, the
advantage over a bust, and L, the chance not to bust. Neither loses digits, however rare it is not to bust.

**Late starts.** With one die, and as long as all hold with fewer points missing, a roll is right with r missing only if

    B > (H(r) - Σ P(k)·H(r - k)) / P(bust).                                                                        (2)

The right side is known before the turn is walked. Where B is not above it for 1, …, s points missing, all hold there,
and the walk begins behind s. A long walk may also show that all hold at as many totals as a roll may score: the next
one begins behind these. Where it begins is right while B is not above a number that is kept. Other rules are walked
from the target on.

**A step** solves a pair for its decisions as they are. A turn is then worth A + (1 - L)·B, and the values x and y of
the two solve

    x = (A₁ + (1 - L₁)·(c·L₂ - A₂)) / E,      E = L₁ + L₂ - L₁·L₂;      c/2 if E = 0, where play never ends.      (1)

If B moves by δ, no advantage moves by more. So each walk also has its *gap*, the least advantage of an action over
another one: a step below both gaps changes no decision, and x and y are the solution. Other pairs are walked again with
the bust values of (1): at first both turns at once; after TOGETHER times one turn, and then the other from its value.
That is Newton's method for x = f(g(x)). Where it goes round, it ends after MOST walks.

**Resets** lead back to N values, a fixed point around the sweep over all diagonals.
"""

from collections import Counter
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .._accuracy import CLOSE
from .._compile import inlined, whole
from .._limits import check_memory
from ..games.absorption import always_moves_on, choices_are_ranked
from .fixed_points import settle

__all__ = ["knows", "pairs"]

ZERO = np.int64(0)  # numba compiles a kernel once more for a literal
SIX = 6  # successive points that are summed up at once: a die's faces
LANES = 24  # turns in a batch
STRIDE = 3 * LANES  # numbers of a state in all lanes: W - B, L, and the least gap so far
LEAVES, GAPS = np.uint64(LANES), np.uint64(2 * LANES)
ROW1, ROW2, ROW3, ROW4, ROW5, ROW6 = (np.uint64(k * STRIDE) for k in range(1, SIX + 1))
LONG = 96  # totals of a long walk
MARGIN = 1e-3  # how far below the limit (2) B must be, relative, as it is a guess
SLACK = 4e-15  # excess over (2) that float64 cannot tell from none
TOGETHER, MOST = 3, 60  # walks of both turns of a pair at once; and of a pair in all
KIND, OPTION, ORDER = range(3)  # columns of modes
FREE, STOPS, ROLLS = range(3)  # kinds: one may hold, must hold, must roll
NEXT, POINTS, NUMBER = range(3)  # columns of options
ABOVE, LEAVE, GAP, START, VALID = range(5)  # columns of turns: see `Race`


class Rules(NamedTuple):
    """A turn: the outcomes that score one to SIX points and stay in their mode, and the options of the others."""

    width: int  # rows of `hold` before that of a + b = 0: the most points of a roll, and SIX
    modes: np.ndarray  # (M + 1, 3) kind; first option; mode m of the order
    weights: np.ndarray  # (M, SIX) chances of one point, two, …
    options: np.ndarray  # (C + 1, 3) with the number in the outcome
    chance: np.ndarray  # (C + 1, SIX) of the outcome; of one with one choice, and of those that score one point more, …
    ends: np.ndarray  # (M, 3) the chance of a reset; at the target those of a finish and of a reset
    die: np.ndarray  # the chances of a bust and of 1, … points, of one die; empty for other rules


class Race(NamedTuple):
    """What is known of turns: A - L·B and L, the gap, s, and for which B it is right."""

    target: int
    pays: float  # c
    hold: np.ndarray  # (width + 2 N + 1, N + 1 + LANES) H by width + r + b and b
    again: np.ndarray  # (N + 1,) the values after resets, by b
    turns: np.ndarray  # (N + 1, 5) of the diagonal, by b
    columns: np.ndarray  # (2 N + 2,) each b that is to be solved, and then those of the opponents
    close: float = CLOSE  # a change of bust values after which a pair is solved


class Lanes(NamedTuple):
    """A batch of turns, and their walk: places t from few points missing on, up to `top`, where turns begin."""

    b: np.ndarray  # (LANES,) rising
    bust: np.ndarray  # (LANES,) B
    again: np.ndarray  # (2 * LANES,) the value after a reset less B, and 1
    best: np.ndarray  # (2 * LANES,) W - B and L of the best choice so far
    rest: np.ndarray  # (STRIDE,) what a roll is worth, but for what is still to be added
    value: np.ndarray  # (modes * totals * STRIDE,) of states
    held: np.ndarray  # (totals * LANES,) H - B


# A batch of turns


@inlined
def add_options(rules, lanes, m, t):
    """Add to a roll the best of what follows the outcomes, but for those that stay."""
    totals, options = len(lanes.held) // LANES, rules.options
    value, best, rest = lanes.value, lanes.best, lanes.rest
    for c in range(rules.modes[m, OPTION], rules.modes[m + 1, OPTION]):
        there = np.uint64((options[c, NEXT] * totals + t - options[c, POINTS]) * STRIDE)
        if options[c, NUMBER] == 0 and options[c + 1, NUMBER] == 0:
            p = rules.chance[c]
            p1, p2, p3, p4, p5, p6 = p[0], p[1], p[2], p[3], p[4], p[5]
            for lane in range(GAPS):
                i = there + lane
                more = p1 * value[i] + p2 * value[i - ROW1] + p3 * value[i - ROW2]
                more += p4 * value[i - ROW3] + p5 * value[i - ROW4] + p6 * value[i - ROW5]
                rest[lane] += more
            continue
        begun = 0.0 if options[c, NUMBER] > 0 else np.inf  # the first choice has no gap
        for lane in range(LEAVES):
            j, k = LEAVES + lane, GAPS + lane
            x, leave = value[there + lane], value[there + j]
            ahead = x - best[lane] + begun
            gap = abs(ahead) if leave != best[j] else np.inf
            rest[k] = gap if gap < rest[k] else rest[k]
            best[lane] = x if ahead > 0.0 else best[lane]
            best[j] = leave if ahead > 0.0 else best[j]
        if options[c + 1, NUMBER] == 0:
            for lane in range(GAPS):
                rest[lane] += rules.chance[c, 0] * best[lane]


@inlined
def hold_or_roll(rules, lanes, m, start, stop, top):
    """The better action in some states of a mode: a roll is the rest, and what stays in the mode.

    At the top, where the turn begins, a roll is forced.
    """
    value, held, rest = lanes.value, lanes.held, lanes.rest
    totals, w = len(held) // LANES, rules.weights
    p1, p2, p3, p4, p5, p6 = w[m, 0], w[m, 1], w[m, 2], w[m, 3], w[m, 4], w[m, 5]
    kind = rules.modes[m, KIND]
    push = 0.0 if kind == FREE else -np.inf if kind == STOPS else np.inf
    for t in range(start, stop):
        begun, now = np.uint64((m * totals + t) * STRIDE), np.uint64(t * LANES)
        pushed = push if t < top else np.inf
        for lane in range(LEAVES):
            i, j = begun + lane, begun + LEAVES + lane
            x = p6 * value[i - ROW6] + p5 * value[i - ROW5] + p4 * value[i - ROW4]
            x += p3 * value[i - ROW3] + p2 * value[i - ROW2] + p1 * value[i - ROW1]
            y = p6 * value[j - ROW6] + p5 * value[j - ROW5] + p4 * value[j - ROW4]
            y += p3 * value[j - ROW3] + p2 * value[j - ROW2] + p1 * value[j - ROW1]
            x, y, hold = rest[lane] + x, rest[LEAVES + lane] + y, held[now + lane]
            ahead = x - hold + pushed
            value[i], value[j] = x if ahead > 0.0 else hold, y if ahead > 0.0 else 1.0
            gap, other = value[i + GAPS - ROW1], rest[GAPS + lane]
            gap = gap if gap < other else other
            value[i + GAPS] = gap if gap < abs(ahead) else abs(ahead)


@inlined
def end_turns(rules, lanes, t, r):
    """The states at the target and beyond it, and those behind which a walk begins; lane 0 misses r points."""
    value, held, again = lanes.value, lanes.held, lanes.again
    totals = len(held) // LANES
    now, first = np.uint64(t * LANES), lanes.b[0]
    for m in range(len(rules.ends)):
        begun = np.uint64((m * totals + t) * STRIDE)
        _, finish, reset = rules.ends[m]
        for lane in range(LEAVES):
            done = r + first - lanes.b[lane] <= 0 or t < rules.width - 1
            i, j = begun + lane, begun + LEAVES + lane
            x = finish * held[now + lane] + reset * again[lane]
            value[i], value[j] = x if done else value[i], finish + reset if done else value[j]
            value[i + GAPS] = np.inf if done else value[i + GAPS]


@inlined
def hold_all(rules, race, lanes, total, top):
    """Enter H - B at all totals."""
    held, first, hold, bust = lanes.held, lanes.b[0], race.hold, lanes.bust
    together = lanes.b[LANES - 1] - first == LANES - 1
    for t in range(SIX - 1, top + 1):
        row, mine, begun = rules.width + total - top + t, np.uint64(t * LANES), np.uint64(first)
        for lane in range(LEAVES if together else np.uint64(0)):
            held[mine + lane] = hold[row, begun + lane] - bust[lane]
        for lane in range(0 if together else LANES):
            held[t * LANES + lane] = hold[row, lanes.b[lane]] - bust[lane]


@inlined
def find_start(rules, race, total, b):
    """Enter behind how many points missing the walk of a turn begins; the gap is that to another start."""
    turn, die, hold, bust = race.turns[b], rules.die, race.hold, race.hold[rules.width + total, b]
    start, valid = int(turn[START]), turn[VALID]
    if bust > valid + SLACK:
        start, valid = ZERO, np.inf
    while start < total - b - 1:
        row = rules.width + b + start + 1
        short = hold[row, b]
        for k in range(1, len(die)):
            short -= die[k] * hold[row - k, b]
        if short < die[0] * (bust + MARGIN * abs(bust)):
            break
        start, valid = start + 1, min(valid, short / die[0])
    turn[START], turn[VALID], turn[GAP] = start, valid, valid - bust + SLACK


@inlined
def enter(rules, race, lanes, total, begun, count):
    """Enter `count` turns, of the `columns` from `begun` on: how many totals are to be walked."""
    steps = 0.0
    for lane in range(LANES):
        last = lane if lane < count else count - 1  # those behind it are idle, and go on as it
        b = race.columns[begun + last] + lane - last
        lanes.b[lane] = b
        if lane < count:
            bust, turn = race.hold[rules.width + total, b], race.turns[b]
            lanes.bust[lane], lanes.again[lane] = bust, race.again[b] - bust
            turn[GAP] = np.inf
            if len(rules.die):
                find_start(rules, race, total, b)
            steps = max(steps, total - b - 1 - turn[START])
    return int(steps)


@inlined
def read_out(rules, race, lanes, total, count, top):
    """Read what turns have come to."""
    modes, value = len(rules.ends), lanes.value
    size = len(value) // modes
    for lane in range(count):
        here, turn = top * STRIDE + lane, race.turns[lanes.b[lane]]
        turn[ABOVE], turn[LEAVE] = value[here], value[here + LANES]
        for m in range(modes):
            turn[GAP] = min(turn[GAP], value[here + m * size + 2 * LANES])
        t, behind, most = top, 0, len(rules.die) - 1
        long = total - lanes.b[lane] - turn[START] >= LONG and most > 0
        while long and behind < most and t >= rules.width:
            t, behind = t - 1, behind + 1
            if value[t * STRIDE + lane] > lanes.held[t * LANES + lane]:
                behind = 0
        if 0 < most == behind:
            left = total - lanes.b[lane] - top + t
            turn[START], turn[VALID] = left + most - 1, lanes.bust[lane] + turn[GAP]


@inlined
def walk(rules, race, lanes, total, begun, count):
    """Evaluate turns against opponents who need `columns`, at most LANES from `begun` on."""
    modes, before = len(rules.ends), rules.width - 1
    top = before + enter(rules, race, lanes, total, begun, count)
    hold_all(rules, race, lanes, total, top)
    # In a single mode without options the rest is the same at all totals.
    run = top + 1 - before if len(rules.options) == 1 else ZERO + 1
    for t in range(SIX - 1, top + 2 - run):
        for place in range(modes if t >= before else 0):
            m = rules.modes[place, ORDER]
            for lane in range(STRIDE):
                lanes.rest[lane] = (
                    rules.ends[m, 0] * lanes.again[lane] if lane < 2 * LANES else np.inf
                )
            add_options(rules, lanes, m, t)
            hold_or_roll(rules, lanes, m, t, t + run, top)
        if top - t >= total - lanes.b[LANES - 1] or t < before:
            end_turns(rules, lanes, t, total - lanes.b[0] - top + t)
    read_out(rules, race, lanes, total, count, top)


# A diagonal


@inlined
def guess(race, row, total):
    """Extrapolate the bust values of a diagonal from those before."""
    hold, low = race.hold, total - race.target if total > race.target else 1
    for b in range(low, total + 1 - low):
        if b <= 2:
            hold[row, b] = 2.0 * hold[row - 1, b] - hold[row - 2, b]
        elif total - b <= 2:
            hold[row, b] = 2.0 * hold[row - 1, b - 1] - hold[row - 2, b - 2]
        else:
            more = hold[row - 1, b - 1] + hold[row - 1, b]
            more += hold[row - 3, b - 2] + hold[row - 3, b - 1] - 2.0 * hold[row - 2, b - 1]
            less = hold[row - 2, b - 2] + hold[row - 2, b] + hold[row - 4, b - 2]
            hold[row, b] = 2.0 * more - less


@inlined
def walk_all(rules, race, lanes, total, count, together):
    """Walk the turns of `count` pairs: all from guesses; or one of each pair, and the other from its value."""
    columns, bust, turns = race.columns, race.hold[rules.width + total], race.turns
    alike = 1 if 2 * columns[count - 1] == total else 0
    for i in range(count):
        columns[2 * count - 1 - alike - i] = total - columns[i]
    for part in range(1 if together else 2):
        for i in range(part * count):
            b = columns[i]
            bust[total - b] = race.pays - (bust[b] + turns[b, ABOVE])
        end = 2 * count - alike if together or part == 1 else count
        for begun in range(part * (count - alike), end, LANES):
            left = end - begun
            walk(rules, race, lanes, total, begun, left if left < LANES else LANES)


@inlined
def step(race, row, a, b):
    """Take a step (1) for a pair: the residual, and whether the pair is solved."""
    hold, one, two, c = race.hold[row], race.turns[a], race.turns[b], race.pays
    p, q, bust, before = one[LEAVE], two[LEAVE], hold[a], hold[b]
    results, others = one[ABOVE] + p * bust, two[ABOVE] + q * before
    leave, x, y = p + q - p * q, 0.5 * c, 0.5 * c
    if leave > 0.0:
        x = (results + (1.0 - p) * (c * q - others)) / leave
        y = (others + (1.0 - q) * (c * p - results)) / leave
    new, other = min(max(c - y, c - 1.0), 1.0), min(max(c - x, c - 1.0), 1.0)
    hold[a], hold[b] = new, other
    moves = abs(new - bust), abs(other - before)
    off = abs(c - other - results - (1.0 - p) * new)
    residual = max(off, abs(c - new - others - (1.0 - q) * other))
    sure, moved = moves[0] < one[GAP] and moves[1] < two[GAP], max(moves[0], moves[1])
    return residual if sure else residual + moved, sure or moved <= race.close


@inlined
def step_all(race, row, total, count, last):
    """Take a step for `count` pairs: the largest residual of those that are done, and how many are left."""
    left, worst, columns = 0, 0.0, race.columns
    for i in range(count):
        b = columns[i]
        residual, solved = step(race, row, total - b, b)
        worst = max(worst, residual) if solved or last else worst
        columns[left] = b
        left += not solved
    return worst, left


@whole
def sweep(rules, race, lanes, known):
    """Solve all pairs, for given values after resets: the largest residual. If `known`, there are guesses."""
    worst, target = 0.0, race.target
    for total in range(2, 2 * target + 1):
        row, tried, low = rules.width + total, 0, total - target if total > target else 1
        if not known:
            guess(race, row, total)
        count = total // 2 + 1 - low
        for i in range(count):
            race.columns[i] = low + i
        while count and tried < MOST:
            walk_all(rules, race, lanes, total, count, tried < TOGETHER)
            tried += 1
            residual, count = step_all(race, row, total, count, tried == MOST)
            worst = max(worst, residual)
    return worst


# The rules, and the race


@lru_cache(maxsize=64)
def knows(game, objective="win"):
    """Whether a game is a plain race of two to the target or beyond it, in which nobody waits."""
    plain = objective in ("win", "margin") and game.finish == "reach" and not game.registers
    ranked = game.resets and choices_are_ranked(game)
    return plain and not (ranked or game.loses or game.points) and always_moves_on(game)


@lru_cache(maxsize=64)
def rules_of(game):
    """The rules of a turn as arrays."""
    game, options, chance = game.until_change, [], []
    weights = np.zeros((len(game.modes), SIX))
    modes = np.zeros((len(game.modes) + 1, 3), dtype=np.int64)
    for m, mode in enumerate(game.modes):
        found = Counter()
        for o in mode.outcomes:
            if o.choices:
                found[tuple((game.mode(c.mode), c.points) for c in o.choices)] += o.probability
        weights[m] = [found.pop(((m, points),), 0) for points in range(1, SIX + 1)]
        kind = STOPS if mode.must_hold else FREE if mode.may_hold else ROLLS
        modes[m] = kind, len(options), game.order[m]
        while found:
            choices, row = min(found), np.zeros(SIX)
            to, points = choices[0]
            if len(choices) > 1:
                row[0] = found.pop(choices)
            else:
                row[:] = [found.pop(((to, points + more),), 0) for more in range(SIX)]
            options += [(*to, number) for number, to in enumerate(choices)]
            chance += [row] * len(choices)
    modes[-1, OPTION] = len(options)
    options, chance = np.array([*options, (0, 0, 0)]), np.array([*chance, np.zeros(SIX)])
    return Rules(
        int(game.most_points) + SIX, modes, weights, options, chance, ends_of(game), die_of(game)
    )


def die_of(game):
    """The chances of a bust and of 1, … points where all that matters is one die; empty for other rules."""
    mode, die = game.modes[0], np.zeros(int(game.most_points) + 1)
    for outcome in mode.outcomes:
        points = [choice.points for choice in outcome.choices] or [0]
        die[points[0]] += float(outcome.probability)
    ends = game.resets or not mode.may_hold or mode.must_hold
    several = len(game.modes) > 1 or any(len(o.choices) > 1 for o in mode.outcomes)
    return die[:0] if ends or several or die[0] != float(mode.chance("bust")) or not die[0] else die


def ends_of(game):
    """By mode the chance of a reset, and at the target or beyond it those of a finish and a reset.

    Who must roll there takes the best choice, and rolls until the chances no longer rise.
    """
    ends, before = np.zeros((len(game.modes), 3)), None
    ends[:, 0] = [float(mode.chance("reset")) for mode in game.modes]
    ends[:, 1] = [mode.may_hold for mode in game.modes]
    while before is None or (ends != before).any():
        before = ends.copy()
        for m, mode in enumerate(game.modes):
            if not mode.may_hold:
                ends[m, 1:] = 0.0, ends[m, 0]
                for o in (o for o in mode.outcomes if o.choices):
                    to = [before[game.mode(c.mode)] for c in o.choices]
                    ends[m, 1:] += float(o.probability) * max(to, key=lambda end: end[1])[1:]
    return ends


def aligned(size):
    """Zeros that begin a line of the cache: reading across lines would take half as long again."""
    room = np.zeros(size + 8)
    return room[-room.ctypes.data // 8 % 8 :][:size]


def pairs(game, objective="win"):
    """The values of all pairs of scores.

    Parameters
    ----------
    game : Game
        One that is known; see `knows`.
    objective : {"win", "margin"}

    Returns
    -------
    values : ndarray (N, N)
        The value to the player who moves, by own score and opponent's.
    residual : float
        The largest, of pairs and of values after resets.
    """
    rules, n, c = rules_of(game), game.target, float(objective == "win")
    modes, totals = len(rules.ends), n + rules.width + 1
    shape = rules.width + 2 * n + 1, n + 1 + LANES
    check_memory(8 * int(np.prod(shape)), f"solving {game.name} to {n}", "take a smaller target")
    hold, needs, reset = np.zeros(shape), np.arange(n + 1), np.zeros(n + 1)
    turns = np.zeros((n + 1, 5))
    turns[:, VALID] = np.inf
    race = Race(n, c, hold, reset, turns, np.zeros(2 * n + 2, dtype=np.int64))
    lanes = Lanes(
        np.zeros(LANES, dtype=np.int64),
        aligned(LANES),
        np.ones(2 * LANES),
        aligned(2 * LANES),
        aligned(STRIDE),
        aligned(modes * totals * STRIDE),
        aligned(totals * LANES),
    )
    # The rows in which nothing is missing.
    hold[np.arange(1, rules.width + 1)[:, None] + needs, needs] = 1 if c else needs / n
    worst = []  # of each sweep

    def once(z):
        # To half of the change of values after resets, while that is larger than 2e-6.
        close = max(CLOSE, abs(reset[1:] - z).max() / 2 - 1e-6) if game.resets else CLOSE
        reset[1:] = z.clip(c - 1, 1)
        worst.append(sweep(rules, race._replace(close=close), lanes, len(worst) > 0))
        return hold[rules.width + n + needs[1:], needs[1:]]

    z, change = once(np.full(n, 0.5 * c)), 0.0
    if game.resets:  # the first step is long, and would mislead the acceleration
        change = settle(once, z)
    down, right = hold.strides
    values = as_strided(hold[rules.width + 2 * n :, n:], (n, n), (-down - right, -down))
    unit = 1 if c else n
    return (c - values) * unit, max(worst[-1], change) * unit
