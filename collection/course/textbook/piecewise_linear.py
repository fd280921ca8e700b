"""Crocce and Mordecki (2018): a race solved pair by pair, as the intersection of two piecewise linear curves.

Let x = V(a, b) be the value for a player who needs a points while the opponent needs b, and let y = V(b, a). If the
values of all smaller needs are known, x is a function f of the one unknown y. A hold has a known value, a bust has the
value 1 - y, a roll takes a weighted sum, and a decision takes a maximum. So f is piecewise linear and convex, and it
decreases from f(0) = 1 with slopes in [-1, 0]. In the same way y = g(x). The solution is the intersection of f and g.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np
from scipy.optimize import linprog

from dicelab._validation import check_int, check_type, invalid
from dicelab.games.model import check_game
from dicelab.solution import check_solution
from dicelab_extras.learning.checks import check_real
from dicelab_extras.proofs.rules import beyond_target

__all__ = [
    "PiecewiseLinear",
    "backward_induction",
    "by_fixed_point",
    "by_intersection",
    "by_linear_program",
    "curves",
    "turn_curves",
]


@dataclass(frozen=True)
class PiecewiseLinear:
    """A continuous, piecewise linear function on [0, 1], given by its corners. With Fractions it is exact.

    Parameters
    ----------
    x, y : tuple
        The coordinates of the corners, with x increasing from 0 to 1.

    Examples
    --------
    >>> PiecewiseLinear((0.0, 1.0), (1.0, 0.5))(0.5)
    0.75
    """

    x: tuple
    y: tuple

    def __call__(self, at):
        """The value at `at`, in [0, 1]."""
        k = max(1, bisect_left(self.x, at))
        width = self.x[k] - self.x[k - 1]
        return self.y[k - 1] + (self.y[k] - self.y[k - 1]) / width * (at - self.x[k - 1])

    @property
    def slopes(self):
        """The slope of each piece, a list."""
        pieces = zip(self.x, self.x[1:], self.y, self.y[1:], strict=False)
        return [(y1 - y0) / (x1 - x0) for x0, x1, y0, y1 in pieces]

    @classmethod
    def mixture(cls, weighted):
        """The sum of weight times function over the pairs (weight, function)."""
        corners = sorted({x for _, function in weighted for x in function.x})
        return cls(
            tuple(corners), tuple(sum(w * function(x) for w, function in weighted) for x in corners)
        )

    def maximum(self, other):
        """The larger of two functions at every point. It has additional corners where the two cross."""
        corners = sorted({*self.x, *other.x})
        gaps = [self(x) - other(x) for x in corners]
        crossings = [
            x0 + (x1 - x0) * d0 / (d0 - d1)
            for x0, x1, d0, d1 in zip(corners, corners[1:], gaps, gaps[1:], strict=False)
            if d0 * d1 < 0
        ]
        corners = sorted({*corners, *crossings})
        return PiecewiseLinear(
            tuple(corners), tuple(max(self(x), other(x)) for x in corners)
        ).simplified()

    def simplified(self):
        """The same function without the corners at which the slope does not change."""
        slopes = self.slopes
        bends = [0, *(k for k in range(1, len(slopes)) if slopes[k] != slopes[k - 1]), len(slopes)]
        return PiecewiseLinear(tuple(self.x[k] for k in bends), tuple(self.y[k] for k in bends))


def curve(game, hold_value, missing):
    """The function f with V(a, b) = f(V(b, a)), for a = `missing` points; arguments as for :func:`turn_curves`."""
    return turn_curves(game, hold_value, missing)[game.modes[0].name, missing]


def turn_curves(game, hold_value, missing):
    """All functions within a turn: a dict by mode and r, the points missing after a hold (Algorithm 2, steps 1 to 3).

    The function at r maps y = V(b, a) to the value of a turn with a - r points, for a = `missing`; it is the paper's
    f_{a,b,r}. ``hold_value(r)`` is the value of banking when r points are then missing, 1 - V(b, r).
    NotImplementedError if the game has resets.
    """
    if check_game(game, last_turn=False, registers=False).resets:
        raise NotImplementedError(
            f"{game.name} has resets; its pairs of scores depend on each other"
        )
    ends, one = (Fraction(0), Fraction(1)), Fraction(1)
    bust = PiecewiseLinear(ends, ends[::-1])
    finish = PiecewiseLinear(ends, (one, one))
    (beyond,) = beyond_target(game)
    f = {}
    for r in range(1 - game.most_points, missing + 1):
        for mode, chances in ((game.modes[m], beyond[m]) for m in game.order):
            if r <= 0:
                chance, *_ = chances[r - 1]
                f[mode.name, r] = PiecewiseLinear.mixture([(chance, finish), (1 - chance, bust)])
                continue
            if mode.must_hold:
                f[mode.name, r] = (
                    PiecewiseLinear(ends, (hold_value(r),) * 2) if r < missing else bust
                )
                continue
            branches = []
            for outcome in mode.changes:
                options = [f[choice.mode, r - choice.points] for choice in outcome.choices] or [
                    bust
                ]
                branches.append((outcome.probability, reduce(PiecewiseLinear.maximum, options)))
            f[mode.name, r] = PiecewiseLinear.mixture(branches)
            if mode.may_hold and r < missing:
                f[mode.name, r] = f[mode.name, r].maximum(
                    PiecewiseLinear(ends, (hold_value(r),) * 2)
                )
    return {at: function.simplified() for at, function in f.items()}


def curves(solution, a, b):
    """The curves x = f(y) and y = g(x) of one pair of a solved race, for x = V(a, b) and y = V(b, a).

    Parameters
    ----------
    solution : dicelab.Solution
        Of a game without resets, for the objective "win". The curves are exact if the solution is.
    a, b : int
        Points needed, in 1, …, target.

    Returns
    -------
    f, g : PiecewiseLinear

    Raises
    ------
    ValueError
        If an argument is not as described.
    NotImplementedError
        If the game has resets.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> f, g = curves(solve(pig(10), exact=True), 3, 5)
    >>> f(0)
    Fraction(1, 1)
    """
    game = check_solution(solution, ("win",)).game
    values = solution.values
    target = solution.game.target
    a, b = check_int(a, "a", 1, target), check_int(b, "b", 1, target)
    f = curve(game, lambda r: 1 - values[target - b, target - r], a)
    return f, curve(game, lambda r: 1 - values[target - a, target - r], b)


def check_curves(f, g):
    """Read `f` and `g` as piecewise linear functions."""
    allowed = "a PiecewiseLinear, as from curves"
    return check_type(f, "f", PiecewiseLinear, allowed), check_type(
        g, "g", PiecewiseLinear, allowed
    )


def by_intersection(f, g):
    """The solution (x, y) of x = f(y), y = g(x); exact if the corners are Fractions (Algorithm 2, step 7).

    f and g must decrease with slopes in [-1, 0], not both with slope -1 throughout. So x - f(g(x)) increases, and it is
    linear between neighbours among the corners of g and the points that g maps to corners of f. One interpolation,
    between the two neighbours at which the sign changes, is then exact.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> x, y = by_intersection(*curves(solve(pig(10), exact=True), 10, 10))
    >>> x
    Fraction(7776, 10961)
    """
    f, g = check_curves(f, g)
    inverse = PiecewiseLinear(g.y[::-1], g.x[::-1]) if g.y[0] > g.y[-1] else None
    corners = {*g.x, *(inverse(y) for y in f.x if inverse and g.y[-1] <= y <= g.y[0])}
    below, above = None, None
    for x in sorted(corners):
        above = x, x - f(g(x))
        if above[1] >= 0:
            break
        below = above
    (x0, d0), (x1, d1) = below, above
    x = x0 + (x1 - x0) * d0 / (d0 - d1)
    return x, g(x)


def by_fixed_point(f, g, tolerance=1e-15, max_steps=100_000):
    """The solution (x, y) of x = f(y), y = g(x) in float64, by iterating x ← f(g(x)) (Remark 1).

    The map f∘g contracts by L = f'(0)·g'(0), the product of the steepest slopes. After a change of d the error is at
    most d·L / (1 - L). Iteration stops when this bound is at most `tolerance`, or when the change is at most 2**-52,
    because with L near 1 float64 values stop changing before the bound is small.

    ArithmeticError if the contraction is so weak that it needs more than `max_steps` steps.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> x, y = by_fixed_point(*curves(solve(pig(10)), 10, 10))
    >>> round(float(x), 6)
    0.709424
    """
    tolerance, max_steps = (
        check_real(tolerance, "tolerance", 0, 1, above=True),
        check_int(max_steps, "max_steps", 1),
    )
    f, g = (
        PiecewiseLinear(tuple(map(float, p.x)), tuple(map(float, p.y))) for p in check_curves(f, g)
    )
    contraction, x = f.slopes[0] * g.slopes[0], 0.5
    if contraction > 0 and np.log(tolerance) / np.log(min(contraction, 1 - 1e-16)) > max_steps:
        raise ArithmeticError(
            f"fixed point: each step multiplies the error by {contraction:.9f}; {max_steps} steps are too few"
        )
    while True:
        after = f(g(x))
        change, x = abs(after - x), after
        if change * contraction <= tolerance * (1 - contraction) or change <= 2**-52:
            return x, g(x)


def by_linear_program(f, g):
    """The solution (x, y) of x = f(y), y = g(x) in float64: the least x + y above both curves (Remark 2).

    The solver is scipy's HiGHS, and the error is about its feasibility tolerance, 1e-10. ArithmeticError if HiGHS does
    not find the solution.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> x, y = by_linear_program(*curves(solve(pig(10)), 10, 10))
    >>> round(float(x), 6)
    0.709424
    """
    f, g = check_curves(f, g)
    above_f = [(-1, slope, slope * x - y) for slope, x, y in zip(f.slopes, f.x, f.y, strict=False)]
    above_g = [(slope, -1, slope * x - y) for slope, x, y in zip(g.slopes, g.x, g.y, strict=False)]
    rows = np.array(above_f + above_g, dtype=float)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog(
        [1, 1],
        A_ub=rows[:, :2],
        b_ub=rows[:, 2],
        bounds=[(0, 1)] * 2,
        method="highs",
        options=tight,
    )
    if result.status != 0:
        raise ArithmeticError(f"linear program: {result.message}")
    return tuple(map(float, result.x))


def backward_induction(game, pair_solver=by_intersection):
    """Solve a race pair by pair, from the target backwards (Algorithm 1).

    Parameters
    ----------
    game : Game
        Without resets, with a small target.
    pair_solver : {by_intersection, by_fixed_point, by_linear_program}
        The method for x = f(y), y = g(x).

    Returns
    -------
    ndarray of object, (target, target)
        ``values[own, opponent]``; Fractions if `pair_solver` is exact.

    Raises
    ------
    NotImplementedError
        If the game has resets, or must be finished exactly: it may then be impossible for both players to finish, and
        the two curves are the same line.

    Examples
    --------
    >>> from dicelab import pig
    >>> backward_induction(pig(10))[0, 0]
    Fraction(7776, 10961)
    """
    if not callable(pair_solver):
        raise invalid(
            "pair_solver", pair_solver, "by_intersection, by_fixed_point or by_linear_program"
        )
    if check_game(game, last_turn=False, registers=False).finish == "exact":
        raise NotImplementedError(
            f"finish: 'exact' is not allowed; the curves of {game.name} need not cross"
        )
    v = {}  # by the points needed by the player to move and by the opponent
    for b in range(1, game.target + 1):
        for a in range(1, b + 1):
            f = curve(game, lambda r, b=b: 1 - v[b, r], a)
            g = curve(game, lambda r, a=a: 1 - v[a, r], b)
            v[a, b], v[b, a] = pair_solver(f, g)
    needs = range(game.target, 0, -1)
    return np.array([[v[a, b] for b in needs] for a in needs], dtype=object)
