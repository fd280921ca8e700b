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

**One pair.** h(x) = f(g(x)) is increasing with a slope in [0, 1], and less than 1 unless nobody can ever score; so
x - h(x) has one zero. A Newton step replaces h by its tangent, that is, it evaluates the decisions that are best
now: it is one step of strategy iteration. Every evaluation also tells on which side of x the solution lies; a Newton
step that leaves the interval known so far is replaced by halving it. The zero of each linear piece's
tangent is tried at most once, as it then bounds the interval; every other step halves the interval, until it lies in
pieces whose tangent has its zero at the solution. So the steps are finitely many, in practice one or two.

**When it stops.** When h(x) agrees with x to a few units in the last place, or no float64 is left between the
bounds. The last evaluation is then the solution: x = f(y) as computed, and y = g(x) but for the last change of x, g's
slope being at most 1. The largest such change over all pairs is kept as the solution's `residual`. Above 1e-13 the
solver raises :class:`ConvergenceError`.

**What rounding does.** An error in h moves x by that error over the slope of x - h(x), which is small only where both
players nearly always bust. The largest such quotient is the solution's `error`, an estimate.

**Endless play.** If the target must be hit exactly, two players may both be unable ever to finish, as with one point
missing each in Pig. Then x = c - y and y = c - x have no one solution: f and g have slope -1. Such play is scored as a
draw, c / 2 to each. If one of the two can finish, play ends with probability 1, and h has a slope below 1.

Pairs with the same a + b do not depend on each other.

**Resets.** A reset by a player whose opponent needs b leaves the opponent with V(b, N). These N numbers are not known
when the pairs are solved; given some, one sweep over all pairs gives new ones. Where the two agree the Bellman
equation holds everywhere, and the solution is unique, as play ends with probability 1. They are found by Anderson's
acceleration of that iteration (scipy's), which stops when they agree to 4e-15; how far they are apart in the values
that are returned counts in `residual`.
"""

import warnings
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.linalg import LinAlgWarning
from scipy.optimize import NoConvergence, anderson
from tqdm import tqdm

from .finish import choices_are_ranked
from .policies import OptimalPolicy, Solution
from .turn import BLOCK, compiled, rules_of, temptation, walk

__all__ = ["RESIDUAL_LIMIT", "TIE", "ConvergenceError", "solve_race"]

RESIDUAL_LIMIT = 1e-13
TIE = 1e-12  # float64 does not tell a smaller advantage of rolling from a tie; dicelab.exact does
CLOSE = 4e-16  # agreement of x and h(x) at which a pair is solved
ROUNDING = 1e-16  # of a turn's worth, as it counts in a pair


class ConvergenceError(ArithmeticError):
    """A solver cannot vouch for its answer."""


class Rows(NamedTuple):
    """What the solved pairs tell the others, by points missing; row b is for turns against an opponent who needs b."""

    hold: np.ndarray  # (N + 1, N + 1) worth of a hold with r points missing, c - V(b, r)
    reset: np.ndarray  # (N + 1,) worth of a reset, c - V(b, N)
    tempting: np.ndarray  # (N + 1, N + 1) see dicelab.turn
    coarse: np.ndarray  # (N + 1, N // BLOCK + 1) minima of `tempting`


class Stakes(NamedTuple):
    """What is played for."""

    both: float  # c, the sum of what a state is worth to either player
    finish: np.ndarray  # (N + 1,) what the finish is worth against an opponent who needs b
    over: float  # what a point beyond the target is worth
    most: float  # no state is worth more


def stakes_of(game, objective, overshoot=False):
    """The stakes of an objective; margins are in targets, and points beyond the target count if `overshoot`."""
    needs = np.arange(game.target + 1)
    if objective == "win":
        return Stakes(1.0, np.ones(game.target + 1), 0.0, 1.0)
    over = overshoot / game.target
    return Stakes(0.0, needs / game.target, over, 1.0 + over * rules_of(game).beyond[..., 2].max())


@compiled
def solve_pair(rules, rows, stakes, a, b, guess, value, slope, roll):
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
        row, known = (rows.hold[a], rows.tempting[a], rows.coarse[a]), (rows.reset[a], stakes.finish[a], over)
        y, tilt_b, steps_b = walk(rules, *row, both - x, *known, b, value, slope, roll)
        row, known = (rows.hold[b], rows.tempting[b], rows.coarse[b]), (rows.reset[b], stakes.finish[b], over)
        h, tilt_a, steps_a = walk(rules, *row, both - y, *known, a, value, slope, roll)
        evaluations += 2
        walked += steps_a + steps_b
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
def solve_antidiagonal(rules, total, values, rows, stakes, value, slope, roll):
    """Solve every pair with a + b = `total`, filling `values` and `rows`."""
    target = values.shape[0] - 1
    worst, flattest, evaluations, walked = 0.0, 1.0, 0, 0
    for a in range(max(1, total - target), total // 2 + 1):
        b = total - a
        x = y = 0.5 * stakes.both
        residual, steep, times, steps = 0.0, 1.0, 0, 0
        if not (rules.hopeless[a] and rules.hopeless[b]):
            if a > 1:
                x = values[a - 1, b] + values[a, b - 1] - values[a - 1, b - 1]
            x, y, residual, steep, times, steps = solve_pair(rules, rows, stakes, a, b, x, value, slope, roll)
        values[a, b], values[b, a] = x, y
        for opponent, own, solved in ((a, b, x), (b, a, y)):
            rows.hold[opponent, own] = stakes.both - solved
            known = rows.reset[opponent], stakes.finish[opponent], stakes.over
            tempting = temptation(rules, rows.hold[opponent], *known, own)
            rows.tempting[opponent, own] = tempting
            rows.coarse[opponent, own // BLOCK] = min(rows.coarse[opponent, own // BLOCK], tempting)
        worst = max(worst, residual)
        flattest = min(flattest, steep)
        evaluations += times
        walked += steps
    return worst, flattest, evaluations, walked


def scratch(rules, target):
    """Arrays for :func:`dicelab.turn.walk`: value, slope and roll for a turn with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((modes, width + target)) for _ in range(3))


def _sweep(game, rules, stakes, at_start):
    """Solve all pairs, a reset against an opponent who needs b being worth c - ``at_start[b - 1]``.

    Returns
    -------
    values : ndarray (N + 1, N + 1)
        V(a, b) by points needed.
    residual, flattest : float
        Largest residual and smallest slope of x - h(x) of all pairs.
    evaluations, walked : int
    """
    target = game.target
    values, hold, tempting = np.zeros((3, target + 1, target + 1))
    rows = Rows(
        hold, np.append(0.0, stakes.both - at_start), tempting, np.full((target + 1, target // BLOCK + 1), np.inf)
    )
    arrays = scratch(rules, target)
    worst, flattest, evaluations, walked = 0.0, 1.0, 0, 0
    for total in _bar(range(2, 2 * target + 1), game, "diagonal"):
        residual, steep, times, steps = solve_antidiagonal(rules, total, values, rows, stakes, *arrays)
        worst, flattest = max(worst, residual), min(flattest, steep)
        evaluations, walked = evaluations + times, walked + steps
    return values, worst, flattest, evaluations, walked


def settle(change, start, game):
    """Iterate z ← z + change(z) with Anderson's acceleration until nothing changes by more than 4e-15.

    Whether what is returned is good enough, if 200 sweeps do not get there, is for the caller's residual to say.
    """
    with warnings.catch_warnings(), _bar(None, game, "sweep") as bar:
        warnings.simplefilter("ignore", LinAlgWarning)  # of Anderson's least squares, once it has all digits

        def counted(z):
            bar.update()
            return change(z)

        try:
            return anderson(counted, start, f_tol=4e-15, maxiter=200, tol_norm=lambda f: abs(f).max())
        except NoConvergence as error:
            return error.args[0]


def _bar(iterable, game, unit):
    """A progress bar that shows up if solving takes more than two seconds."""
    return tqdm(iterable, desc=f"{game.name} to {game.target}", unit=f" {unit}s", delay=2, leave=False)


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
    """
    if overshoot and choices_are_ranked(game):
        raise NotImplementedError(f"{game.name}: choices beyond the target are not ranked by the points they bring")
    rules, stakes, target = rules_of(game), stakes_of(game, objective, overshoot), game.target
    unit = 1 if objective == "win" else target
    at_start = np.full(target, 0.5 * stakes.both)
    if game.resets:
        at_start = settle(lambda z: _sweep(game, rules, stakes, z)[0][1:, target] - z, at_start, game)
    values, worst, flattest, evaluations, walked = _sweep(game, rules, stakes, at_start)
    if game.resets:
        worst = max(worst, np.abs(values[1:, target] - at_start).max())
    if not worst <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {worst * unit:.1e}")
    values = values[:0:-1, :0:-1].copy()
    policy = OptimalPolicy(game, partial(decide, game, stakes, stakes.both - values))
    error = ROUNDING / flattest if flattest > 0 else np.inf
    return Solution(
        game, objective, unit * values, policy, False, unit * worst, unit * error, None, evaluations, walked, overshoot
    )


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
    decide_pairs(
        rules_of(game), stakes, after, pairs, rolls, takes, *skip_nothing(target), *scratch(rules_of(game), target)
    )


def skip_nothing(target):
    """What keeps :func:`dicelab.turn.walk` from skipping totals, in the place of `tempting` and `coarse`."""
    return tuple(np.full((2, target + 1), -np.inf))


@compiled
def decide_pairs(rules, stakes, after, pairs, rolls, takes, tempting, coarse, value, slope, roll):
    """Fill `rolls` and `takes`; see :func:`decide`."""
    target = after.shape[0]
    width = rules.beyond.shape[2]
    hold = np.empty(target + 1)
    for n in range(len(pairs)):
        own, opponent = pairs[n]
        missing = target - own
        for r in range(1, missing):
            hold[r] = after[opponent, target - r]
        worths = after[opponent, own], after[opponent, 0], stakes.finish[target - opponent], stakes.over
        walk(rules, hold, tempting, coarse, *worths, missing, value, slope, roll)
        for m in range(rules.may_hold.size):
            for total in range(missing):
                r = missing - total
                rolls[n, m, total] = total == 0 or not rules.may_hold[m] or roll[m, width - 1 + r] > hold[r] + TIE
        for o in range(rules.branch.size if takes.shape[1] > 0 else 0):
            if rules.branch[o] < 0:
                continue
            for total in range(missing):
                takes[n, rules.branch[o], total] = best_choice(rules, o, width - 1 + missing - total, value)


@compiled
def best_choice(rules, o, at, value):
    """The number of the best choice of outcome `o`, rolled in column `at` of `value`; of equal ones the first."""
    first, last = rules.choices[o], rules.choices[o + 1]
    best = first
    for c in range(first + 1, last):
        worth = value[rules.mode[best], at - rules.points[best]]
        if value[rules.mode[c], at - rules.points[c]] > worth + TIE:
            best = c
    return best - first
