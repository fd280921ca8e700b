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

**What rounding does.** An error in h moves x by that error over the slope of x - h(x), which is small only where both
players nearly always bust. The largest such quotient is the solution's `error`, an estimate.

**Endless play.** If the target must be hit exactly, two players may both be unable ever to finish, as with one point
missing each in Pig. Then x = c - y and y = c - x have no one solution: f and g have slope -1. Such play is scored as a
draw, c / 2 to each. If one of the two can finish, play ends with probability 1, and h has a slope below 1.

**Order.** Pairs with the same a + b do not depend on each other. Nor do certain tiles of 96 by 96 pairs
(:func:`halves_of`), which are solved at once, on all cores. The result does not depend on the number of cores.

**Resets.** A reset by a player whose opponent needs b leaves the opponent with V(b, N). These N numbers are not known
when the pairs are solved; given some, one sweep over all pairs gives new ones. Where the two agree the Bellman
equation holds everywhere, and the solution is unique, as play ends with probability 1. Sweeps are repeated, with
Anderson's acceleration (scipy's), until they agree to 4e-15: some 13 times for two dice, as games with resets are soon
over. How far they are apart in the values that are returned counts in `residual`.
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
from .lanes import ROW, new_lanes
from .memory import check_memory
from .pairs import new_diagonal, scratch, solve_tile
from .policies import OptimalPolicy, Solution
from .radius import radius_of
from .table import LANES, Stakes, by_needs, new_table
from .turn import SIX, compiled, inner, rules_of, walk

__all__ = ["RESIDUAL_LIMIT", "TIE", "ConvergenceError", "progress", "solve_race", "stakes_of"]

RESIDUAL_LIMIT = 1e-13
TIE = 1e-12  # float64 does not tell a smaller advantage of rolling from a tie; dicelab.exact does
TILE, ROWS = 96, 1024  # pairs, and rows of a table, that one core takes at a time
THREADS = os.cpu_count() or 1
SETTLED = 4e-15  # change of what resets are worth at which iterations stop
ROUNDING = 1e-16  # of a turn's worth, as it counts in a pair


class ConvergenceError(ArithmeticError):
    """A solver cannot vouch for its answer."""


def stakes_of(game, objective, overshoot=False):
    """The stakes of an objective; margins are in targets, and points beyond the target count if `overshoot`."""
    needs = np.arange(game.target + 1)
    if objective == "win":
        return Stakes(1.0, np.ones(game.target + 1), 0.0, 1.0)
    over = overshoot / game.target
    return Stakes(0.0, needs / game.target, over, 1.0 + over * rules_of(game).beyond[..., 2].max())


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
    """Solve all pairs, a reset against an opponent who needs b being worth c - ``at_start[b - 1]``.

    Parameters
    ----------
    hold : ndarray, optional
        ``table.hold`` as an earlier sweep has left it; it is overwritten.

    Returns
    -------
    table : Table
    gain : ndarray
        As :func:`dicelab.pairs.solve_tile` wants it.
    residual, flattest, loosest : float
        As :func:`dicelab.pairs.solve_tile` returns them.
    evaluations, walked : int
    """
    target = game.target
    table = new_table(rules, stakes, np.append(0.0, stakes.both - at_start), hold)
    gain = np.empty(table.hold.shape if rules.one_die else 0)
    halves, sizes = halves_of(target), (rules, target)
    spare = [
        (new_lanes(*sizes), new_diagonal(2 * TILE), np.empty((2, target + 1)), *scratch(*sizes))
        for _ in range(THREADS if len(halves) > 1 else 1)
    ]
    residual, flattest, loosest, evaluations, walked = 0.0, 1.0, 1.0, 0, 0

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
            residual, flattest, loosest = max(residual, found[0]), min(flattest, found[1]), max(loosest, found[2])
            evaluations, walked = evaluations + found[3], walked + found[4]
    return table, gain, residual, flattest, loosest, evaluations, walked


def settle(change, start, game):
    """Let change(z) be 0 to 4e-15, by Anderson's acceleration of z ← z + change(z).

    Whether the last change was small enough, if 400 do not get there, is for the caller's residual to say.
    """
    from scipy.linalg import LinAlgWarning  # here, as they take half a second to import
    from scipy.optimize import NoConvergence, anderson

    with warnings.catch_warnings(), progress(None, game, "sweep") as bar:
        warnings.simplefilter("ignore", LinAlgWarning)  # of its least squares, once it has all digits

        def counted(z):
            bar.update()
            return change(z)

        options = {"alpha": 1, "line_search": None, "f_tol": SETTLED, "maxiter": 400}
        with suppress(NoConvergence):
            anderson(counted, start, tol_norm=lambda f: abs(f).max(), **options)


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
    rules, stakes, target = rules_of(game), stakes_of(game, objective, overshoot), game.target
    unit = 1 if objective == "win" else target
    table, gain, worst, flattest, loosest, evaluations, walked = (None,) * 7

    def change(z):
        nonlocal table, gain, worst, flattest, loosest, evaluations, walked
        known = table and table.hold
        table, gain, residual, flattest, loosest, evaluations, walked = _sweep(game, rules, stakes, z, known)
        needs = np.arange(1, target + 1)
        step = stakes.both - table.hold[(table.zero + needs + target) % len(table.hold), needs] - z
        worst = max(residual, np.abs(step).max() if game.resets else 0.0)
        return step

    start = np.full(target, 0.5 * stakes.both)
    step = change(start)
    if game.resets:
        settle(change, start + step, game)
    if not worst <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {worst * unit:.1e}")
    # No third array of this size, and no new memory, which costs more time than these lines.
    hold = np.ndarray((target + 1, target + 1), buffer=gain if rules.one_die else None)
    rows = range(1, target + 1, ROWS)
    with on_cores(len(rows) > 1) as each:
        list(each(lambda low: by_needs(table, hold, low, min(low + ROWS, target + 1)), rows))
    after = hold[:0:-1, :0:-1]
    values = np.subtract(stakes.both, after, out=np.ndarray((target, target), buffer=table.hold))
    if unit > 1:
        values *= unit
    policy = OptimalPolicy(game, partial(decide, game, stakes, after))
    error = ROUNDING / flattest if flattest > 0 else np.inf
    radius = radius_of(rules, target, loosest, worst) if rules.one_die and objective == "win" else None
    found = values, policy, False, unit * worst, unit * error, None, evaluations, walked
    return Solution(game, objective, *found, overshoot=overshoot, radius=radius)


def decide(game, stakes, after, pairs, rolls, takes):
    """Fill in the decisions of turns: whether rolling is worth more than holding, and the best choices.

    Parameters
    ----------
    game : Game
    stakes : Stakes
    after : ndarray (target, target)
        ``after[opponent, own]`` is what it is worth to the player to have passed the die at these scores.
    pairs : ndarray of int (n, 2)
        Own and opponent's scores.
    rolls : ndarray of bool (n, modes, target)
        By turn total; True for the first roll and in modes without a hold, False from the target on. An advantage of no
        more than `TIE` is none.
    takes : ndarray of uint8 (n, B, target)
        The number of the choice that is taken of each outcome with more than one, by the total before the roll; of
        equal ones the first. B may be 0, if choices are not asked for.
    """
    target = game.target
    decide_pairs(rules_of(game), stakes, after, pairs, rolls, takes, *scratch(rules_of(game), target))


@compiled
def decide_pairs(rules, stakes, after, pairs, rolls, takes, value, slope, roll):
    """Fill `rolls` and `takes`; see :func:`decide`."""
    target = after.shape[0]
    width = rules.beyond.shape[2]
    hold = np.empty(target)
    for n in range(len(pairs)):
        own, opponent = pairs[n]
        missing = target - own
        for r in range(1, missing):
            hold[r] = after[opponent, target - r]
        worths = after[opponent, own], after[opponent, 0], stakes.finish[target - opponent], stakes.over
        first = hold_on(rules, hold, *worths, missing, roll)
        walk(rules, hold, *worths, missing, first, value, slope, roll)
        for m in range(rules.may_hold.size):
            for total in range(missing):
                r = missing - total
                rolls[n, m, total] = total == 0 or not rules.may_hold[m] or roll[m, width - 1 + r] > hold[r] + TIE
        for o in range(rules.branch.size if takes.shape[1] > 0 else 0):
            if rules.branch[o] < 0:
                continue
            for total in range(missing):
                takes[n, rules.branch[o], total] = best_choice(rules, o, width - 1 + missing - total, value)


@inner
def hold_on(rules, hold, bust, reset, finish, over, missing, roll):
    """Fill `roll` with what rolls are worth if every hold is made, as far as nothing tempts; return where that ends.

    There a walk begins, by the Proposition in :mod:`dicelab.turn`. That is 1 if it does not apply, or choices are made.
    """
    modes, width = rules.beyond.shape[1:3]
    first = missing if rules.skips and rules.all_hold else 1
    for m in range(modes):
        if rules.several[m] < rules.outcomes[m + 1]:
            first = 1
    for m in range(modes if first > 1 else 0):
        worth = roll[m, width - 1 : width - 1 + missing]  # by points missing
        worth[:] = rules.bust[m] * bust + rules.reset[m] * reset
        for g in range(rules.sixes[m], rules.sixes[m + 1]):
            for k in range(SIX):
                p, points = rules.weight[g, k], rules.onward[g, 1] + k
                for r in range(min(points + 1, missing)):
                    worth[r] += p * (finish + (points - r) * over)
                for r in range(points + 1, missing):
                    worth[r] += p * hold[r - points]
        for r in range(1, first):
            if worth[r] > hold[r]:
                first = r
                break
    return first


@inner
def best_choice(rules, o, at, value):
    """The number of the best choice of outcome `o`, rolled in column `at` of `value`; of equal ones the first."""
    first, last = rules.choices[o], rules.choices[o + 1]
    best = first
    for c in range(first + 1, last):
        worth = value[rules.mode[best], at - rules.points[best]]
        if value[rules.mode[c], at - rules.points[c]] > worth + TIE:
            best = c
    return best - first
