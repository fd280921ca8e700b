"""Two players: the objectives "win" and "margin", by pairs of scores solved backwards from the target.

V(a, b) is the value to the player about to move who needs a points, the opponent needing b; all of this module counts
points still needed. (A solution is indexed by points scored: i = target - a.) What is worth v to one player is worth
c - v to the other: c = 1 if V is the probability to win, and c = 0 if it is the expected margin, the winner receiving
from the loser what the loser still needs. Holding with r points missing is worth c - V(b, r), a bust c - V(b, a), and
the finish 1 or b. So the turn operator of :mod:`dicelab.turn` makes, for the two scores of a pair,

    x = V(a, b) = f(y),    y = V(b, a) = g(x),

where f and g are convex, piecewise linear, decreasing, with slopes in [-1, 0]. Everything else that they depend on
belongs to pairs with fewer points missing (Crocce and Mordecki 2018, Proposition 1). Margins are counted in targets,
so that everything is of the order of 1.

How a pair is solved, and when that stops, is the first page of :mod:`dicelab.pairs`. The residual is how far x = f(y)
and y = g(x) are from agreeing, as evaluated; above 1e-13 the solver raises :class:`ConvergenceError`.

**What rounding does.** A pair's values are off by a few units in the last place, as no digits cancel, and by what the
values they are made of are off, at most. These are averages, so that roundings add up like a random walk through the
2N sums of scores: by their root. Errors of what resets are worth come in addition, as one more sweep would reveal
them. That is the solution's `error`, an estimate; :func:`dicelab.bounds` proves.

**Endless play.** If the target must be hit exactly, two players may both be unable ever to finish, as with one point
missing each in Pig; or both may wait (:mod:`dicelab.pairs`). Then x = c - y and y = c - x have no one solution: f and g
have slope -1. Such play is scored as a draw, c / 2 to each.

**Actions of equal value.** Ties hold, and of equal choices the first is taken. But a value says nothing of how soon
play ends: a player who wins for certain loses nothing by waiting, but one who always waits does not win. What is chosen
wrongly among equals, or among what float64 takes for equals, counts again and again until the turn leaves the bust
value; so one of equal choices is taken that does so 100 times as often as the first, if there is one. A hold does so at
once. With resets that is not enough, as a hold may be followed by a reset, again and again. So in a game with resets in
which a player who could finish may wait, the race is solved once more with values discounted by 1e-6 a turn, towards
c / 2. There, who is ahead wants the end, and where nothing is lost by a bust, of actions of the same value the one that
is better there is taken.

**Order.** Pairs with the same a + b do not depend on each other. Nor do certain tiles of 96 by 96 pairs
(:func:`halves_of`), which are solved at once, on all cores. The result does not depend on the number of cores.

**Resets.** A reset by a player whose opponent needs b leaves the opponent with V(b, N). These N numbers are not known
when the pairs are solved; given some, one sweep over all pairs gives new ones. Where the two agree the Bellman
equation holds everywhere, and the solution is unique, as play ends with probability 1. Sweeps are repeated, with
Anderson's acceleration (scipy's), until they agree to 4e-15: some 13 times for two dice, as games with resets are soon
over. How far they are apart in the values that are returned counts in `residual`. The equation may have solutions
beyond the least and the most that a game can bring; what resets are worth is kept between these.
"""

import os
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from threading import Event

import numpy as np
from tqdm import tqdm

from .finish import choices_are_ranked
from .games import RESET
from .lanes import ROW, new_lanes
from .memory import check_memory
from .pairs import CLOSE, new_diagonal, scratch, solve_tile
from .policies import OptimalPolicy, Solution
from .radius import radius_of
from .table import LANES, Stakes, by_needs, new_table
from .turn import SIX, compiled, inner, rules_of, walk

__all__ = ["RESIDUAL_LIMIT", "TIE", "ConvergenceError", "progress", "solve_race", "stakes_of"]

RESIDUAL_LIMIT = 1e-13
TIE = 1e-12  # float64 does not tell a smaller advantage of rolling from a tie; dicelab.exact does
RARE = 1e-2  # how much less often one of equal choices leaves the bust value, so that another is taken
TIME = 1e-6  # discount a turn that tells actions of equal value apart
TILE, ROWS = 96, 1024  # pairs, and rows of a table, that one core takes at a time
THREADS = os.cpu_count() or 1
SETTLED = 4e-15  # change of what resets are worth at which iterations stop
ROUNDING = 4e-16  # of a pair's values


class ConvergenceError(ArithmeticError):
    """A solver cannot vouch for its answer."""


def stakes_of(game, objective, overshoot=False, discount=1.0):
    """The stakes of an objective; margins are in targets, and points beyond the target count if `overshoot`."""
    needs = np.arange(game.target + 1)
    if objective == "win":
        return Stakes(1.0, np.ones(game.target + 1), 0.0, 1.0, discount)
    over = overshoot / game.target
    return Stakes(0.0, needs / game.target, over, 1.0 + over * rules_of(game).beyond[..., 2].max(), discount)


def halves_of(target):
    """The tiles of all pairs: two dicts by place and block, the second to be solved after the first.

    A tile is three ranges, of the fewer and of the more points needed, and of their sums: 96 sums, which are its place,
    and of each 96 neighbouring pairs, which are its block, with the same a up to the sum N + 1, and the same b from
    there on, as N bounds b. It can be solved after (place - 1, block) and (place, block - 1), which stand before it.
    Two that need not wait for each other share no need of a player: the one with the larger sums has the smaller a in
    the first half, so that b is larger, and the smaller b in the second, so that a is larger. A short race is one tile.
    """
    halves, every = [], (1, target)
    if target <= 3 * TILE:
        return [{(0, 0): (every, every, (2, 2 * target))}]
    for rising, sums in ((True, range(2, target + 2, TILE)), (False, range(target + 2, 2 * target + 1, TILE))):
        half = {}
        for place, start in enumerate(sums):
            totals = start, min(start + TILE, sums.stop) - 1
            for block, least in enumerate(range(1, target + 1, TILE)):
                needs = least, min(least + TILE - 1, target)
                if rising and 2 * least <= totals[1]:
                    half[place, block] = needs, every, totals
                elif not rising and 2 * needs[1] >= start:
                    half[place, block] = every, needs, totals
        halves.append(dict(sorted(half.items(), key=lambda tile: sum(tile[0]))))
    return halves


@contextmanager
def on_cores(several):
    """A `map` that uses all cores, if there is so much to do, or else the plain one."""
    if several:
        with ThreadPoolExecutor(THREADS) as threads:
            yield threads.map
    else:
        yield map


def _sweep(game, rules, stakes, at_start, hold=None):
    """Solve all pairs, V(b, N) being ``at_start[b - 1]``, which is what the opponent has after a reset.

    Parameters
    ----------
    hold : ndarray, optional
        ``table.hold`` as an earlier sweep has left it; it is overwritten.

    Returns
    -------
    table : Table
    gain : ndarray
        As :func:`dicelab.pairs.solve_tile` wants it.
    residual, loosest : float
        As :func:`dicelab.pairs.solve_tile` returns them.
    evaluations, walked : int
    """
    target = game.target
    table = new_table(rules, stakes, np.append(0.0, stakes.passed(at_start)), hold)
    gain = np.empty(table.hold.shape if rules.one_die else 0)
    halves, sizes = halves_of(target), (rules, target)
    spare = [
        (new_lanes(*sizes), new_diagonal(2 * TILE), np.empty((2, target + 1)), *scratch(*sizes))
        for _ in range(THREADS if len(halves) > 1 else 1)
    ]
    residual, loosest, evaluations, walked = 0.0, 1.0, 0, 0

    def solve(tile, before, done):
        for other in before:
            other.wait()
        arrays = spare.pop()
        try:
            return solve_tile(rules, table, gain, stakes, *tile, *arrays)
        finally:
            spare.append(arrays)
            done.set()

    def solved(each):
        for half in halves:
            done = {key: Event() for key in half}
            near = ([(place - 1, block), (place, block - 1)] for place, block in half)
            before = ([done[key] for key in keys if key in done] for keys in near)
            yield from each(solve, half.values(), before, done.values())

    with on_cores(len(halves) > 1) as each:
        tiles = solved(each)
        for found in progress(tiles, game, "tile", sum(map(len, halves))) if target > 10 * TILE else tiles:
            residual, loosest = max(residual, found[0]), max(loosest, found[1])
            evaluations, walked = evaluations + found[2], walked + found[3]
    return table, gain, residual, loosest, evaluations, walked


def settle(change, start, game):
    """Let change(z) be 0 to 4e-15, by Anderson's acceleration of z ← z + change(z); return the last z.

    Whether the last change was small enough, if 400 do not get there, is for the caller's residual to say.
    """
    from scipy.linalg import LinAlgWarning  # here, as they take half a second to import
    from scipy.optimize import NoConvergence, anderson

    last = start
    with warnings.catch_warnings(), np.errstate(all="ignore"), progress(None, game, "sweep") as bar:
        warnings.simplefilter("ignore", LinAlgWarning)  # of its least squares, once it has all digits

        def counted(z):
            nonlocal last
            bar.update()
            last = z.copy()
            return change(z)

        options = {"alpha": 1, "line_search": None, "f_tol": SETTLED, "maxiter": 400}
        with suppress(NoConvergence):
            anderson(counted, start, tol_norm=lambda f: abs(f).max(), **options)
    return last


def progress(iterable, game, unit, total=None):
    """A progress bar that shows up if solving takes more than two seconds."""
    return tqdm(iterable, f"{game.name} to {game.target}", total, leave=False, delay=2, unit=f" {unit}s")


def race_bytes(game):
    """About what solving a race takes at its peak: two tables of all pairs, and arrays for a turn in every thread."""
    size, modes, width = game.target + 1, len(game.modes), game.most_points
    once = 0 if all(mode.may_hold for mode in game.modes) else 2 * modes * (size + width)
    tables = 2 * (size + width + SIX) * (size + LANES)
    return 8 * (tables + size * once + THREADS * (ROW + 4) * modes * (size + width))


def solve_race(game, objective="win", overshoot=False):
    """Maximise the probability of winning the race, or the expected margin; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin"}
    overshoot : bool
        Whether points beyond the target count in the margin.

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If the Bellman equation holds only to more than 1e-13.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes, and points there count.
    MemoryError
        Beforehand, if that would take more than half of the memory.
    """
    check_memory(race_bytes(game), f"solving {game.name} to {game.target}", "take a smaller target")
    if overshoot and choices_are_ranked(game):
        raise NotImplementedError(f"{game.name}: choices beyond the target are not ranked by the points they bring")
    stakes, target = stakes_of(game, objective, overshoot), game.target
    unit, start, second = 1 if objective == "win" else target, np.full(target, 0.5 * stakes.both), None
    if rules_of(game).may_stall and game.resets:
        hurried = stakes._replace(discount=1.0 - TIME)
        table, gain, start, *_ = _settled(game, hurried, start)
        second = hurried, _after(game, table, None)
    table, gain, _, off, loosest, evaluations, walked = _settled(game, stakes, start)
    after = _after(game, table, gain if rules_of(game).one_die else None)
    values = np.subtract(stakes.both, after, out=np.ndarray((target, target), buffer=table.hold))
    np.clip(values, stakes.both - stakes.most, stakes.most, out=values)  # rounding may lead a unit or two beyond
    if unit > 1:
        values *= unit
    tie = TIE if second else max(CLOSE, TIE * float(1 - game.modes[0].chance(RESET)))  # it counts once a reset
    policy = OptimalPolicy(game, partial(decide, game, stakes, after, second, tie=tie))
    error = ROUNDING * (2 * target) ** 0.5 + off
    radius = radius_of(rules_of(game), target, loosest, off) if rules_of(game).one_die and objective == "win" else None
    found = values, policy, False, unit * off, unit * error, None, evaluations, walked
    return Solution(game, objective, *found, overshoot=overshoot, radius=radius)


def _settled(game, stakes, start):
    """All pairs solved, with what resets are worth settled, beginning with `start`.

    Returns
    -------
    table, gain, at_start
        As :func:`_sweep` leaves and takes them.
    residual, loosest : float
    evaluations, walked : int
        Of the last sweep.

    Raises
    ------
    ConvergenceError
        If the Bellman equation holds only to more than 1e-13.
    """
    rules, needs = rules_of(game), np.arange(1, game.target + 1)
    low, high = stakes.both - stakes.most, stakes.most
    found, worst = (None,), np.inf

    def change(z):
        nonlocal found, worst
        at_start = np.clip(z, low, high)
        table, *more = found = _sweep(game, rules, stakes, at_start, found[0] and found[0].hold)
        held = table.hold[(table.zero + needs + game.target) % len(table.hold), needs]
        step = stakes.before(held) - z
        worst = max(more[1], np.abs(step).max() if game.resets else 0.0)
        return step

    step = change(start)
    if game.resets:
        start = settle(change, start + step, game)
    if not worst <= RESIDUAL_LIMIT:
        unit = 1 if stakes.both else game.target
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {worst * unit:.1e}")
    table, gain, _, *more = found
    return table, gain, np.clip(start, low, high), worst, *more


def _after(game, table, gain):
    """What it is worth to have passed the die, [opponent's score, own]; in the memory of `gain`, if that is given."""
    size = game.target + 1  # no new memory, which would cost more time than these lines
    hold = np.ndarray((size, size), buffer=gain)
    rows = range(1, size, ROWS)
    with on_cores(len(rows) > 1) as each:
        list(each(lambda low: by_needs(table, hold, low, min(low + ROWS, size)), rows))
    return hold[:0:-1, :0:-1]


def decide(game, stakes, after, second, pairs, rolls, takes, tie=TIE):
    """Fill in the decisions of turns: whether rolling is worth more than holding, and the best choices.

    Parameters
    ----------
    game : Game
    stakes : Stakes
    after : ndarray (target, target)
        ``after[opponent, own]`` is what it is worth to the player to have passed the die at these scores.
    second : tuple or None
        The same two for discounted values, by which actions of equal value are told apart.
    pairs : ndarray of int (n, 2)
        Own and opponent's scores.
    rolls : ndarray of bool (n, modes, target)
        By turn total; True for the first roll and in modes without a hold, False from the target on.
    takes : ndarray of uint8 (n, B, target)
        The number of the choice that is taken of each outcome with more than one, by the total before the roll; of
        equal ones the first. B may be 0, if choices are not asked for.
    tie : float
        An advantage of no more than this is none.
    """
    rules, target = rules_of(game), game.target
    arrays, other = scratch(rules, target), scratch(rules, target if second else 0)
    decide_pairs(rules, (stakes, *(second or (stakes, after[:0]))), after, pairs, rolls, takes, tie, arrays, other)


@compiled
def decide_pairs(rules, both_stakes, after, pairs, rolls, takes, tie, arrays, other):
    """Fill `rolls` and `takes`; see :func:`decide`. Without a second opinion ``both_stakes[2]`` is empty."""
    target, width = after.shape[0], rules.beyond.shape[2]
    hold, hold_soon = np.empty(target), np.empty(target)
    stakes, hurried, soon = both_stakes
    (value, leave, roll), (value_soon, leave_soon, roll_soon) = arrays, other
    for n in range(len(pairs)):
        own, opponent = pairs[n]
        missing, bust, bust_soon = target - own, after[opponent, own], 0.0
        for r in range(1, missing):
            hold[r] = after[opponent, target - r]
        known = after[opponent, 0], stakes.finish[target - opponent], stakes.over
        first = hold_on(rules, hold, bust, *known, missing, roll)
        walk(rules, hold, bust, *known, missing, first, value, leave, roll)
        start = width - 1 + missing
        if rules.may_stall:
            leave_among_equals(rules, hold, bust, missing, tie, value, leave, roll)
        stalls = len(soon) > 0 and value[0, start] <= tie  # nothing is lost by a bust
        if stalls:
            for r in range(1, missing):
                hold_soon[r] = soon[opponent, target - r]
            bust_soon = soon[opponent, own]
            known = soon[opponent, 0], hurried.finish[target - opponent], hurried.over
            walk(rules, hold_soon, bust_soon, *known, missing, 1, value_soon, leave_soon, roll_soon)
        for m in range(rules.may_hold.size):
            for total in range(missing):
                at, r = width - 1 + missing - total, missing - total
                ahead = roll[m, at] - (hold[r] - bust) if total > 0 else np.inf
                if stalls and abs(ahead) <= tie:
                    ahead = tie + (roll_soon[m, at] - (hold_soon[r] - bust_soon))
                rolls[n, m, total] = not rules.may_hold[m] or ahead > tie
        for o in range(rules.branch.size if takes.shape[1] > 0 else 0):
            if rules.branch[o] < 0:
                continue
            for total in range(missing):
                at = width - 1 + missing - total
                second = value_soon if stalls else value[:0]
                takes[n, rules.branch[o], total] = best_choice(rules, o, at, tie, value, leave, second)


@inner
def hold_on(rules, hold, bust, reset, finish, over, missing, roll):
    """Fill `roll` with R - B if every hold is made, as far as nothing tempts; return where that ends.

    There a walk begins, by the Proposition in :mod:`dicelab.turn`. That is 1 if it does not apply, or choices are made.
    """
    modes, width = rules.beyond.shape[1:3]
    first = missing if rules.skips and rules.all_hold else 1
    for m in range(modes):
        if rules.several[m] < rules.outcomes[m + 1]:
            first = 1
    for m in range(modes if first > 1 else 0):
        worth = roll[m, width - 1 : width - 1 + missing]  # by points missing
        worth[:] = rules.reset[m] * (reset - bust)
        for g in range(rules.sixes[m], rules.sixes[m + 1]):
            for k in range(SIX):
                p, points = rules.weight[g, k], rules.onward[g, 1] + k
                for r in range(min(points + 1, missing)):
                    worth[r] += p * ((finish - bust) + (points - r) * over)
                for r in range(points + 1, missing):
                    worth[r] += p * (hold[r - points] - bust)
        for r in range(1, first):
            if worth[r] > hold[r] - bust:
                first = r
                break
    return first


@inner
def leave_among_equals(rules, hold, bust, missing, tie, value, leave, roll):
    """Fill `leave` anew, for the decisions that are made among equals, too."""
    width = rules.beyond.shape[2]
    for at in range(width, width + missing):
        r = at - width + 1
        for m in range(rules.may_hold.size):
            leave[m, at] = rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c = rules.choices[o] + best_choice(rules, o, at, tie, value, leave, value[:0])
                leave[m, at] += rules.probability[o] * leave[rules.mode[c], at - rules.points[c]]
            if rules.may_hold[m] and r < missing and roll[m, at] - (hold[r] - bust) <= tie:
                leave[m, at] = 1.0


@inner
def best_choice(rules, o, at, tie, value, leave, second):
    """The number of the best choice of outcome `o`, rolled in column `at` of `value`; of equal ones the first.

    Unless one leaves the bust value far more often; or, if `second` is not empty, has more there.
    """
    first, last = rules.choices[o], rules.choices[o + 1]
    best = first
    for c in range(first + 1, last):
        here, left = at - rules.points[c], at - rules.points[best]
        ahead = value[rules.mode[c], here] - value[rules.mode[best], left]
        if abs(ahead) <= tie:
            ahead = RARE * leave[rules.mode[c], here] - leave[rules.mode[best], left]
            if len(second) > 0:
                ahead = second[rules.mode[c], here] - second[rules.mode[best], left]
            ahead += tie
        if ahead > tie:
            best = c
    return best - first
