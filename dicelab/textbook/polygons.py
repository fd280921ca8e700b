"""Crocce and Mordecki (2018): a pair of scores as two polygonal curves, and where they meet."""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.optimize import linprog

from ..doors import as_kind, as_real, as_whole, refusal
from ..finish import beyond_target
from ..games import as_game
from ..memory import check_memory
from ..policies import as_solution

__all__ = ["Polygon", "backwards", "by_fixed_point", "by_intersection", "by_linear_program", "curve", "curves"]


@dataclass(frozen=True)
class Polygon:
    """A continuous, piecewise linear function on [0, 1], by its corners; of Fractions it is exact.

    Parameters
    ----------
    x, y : tuple
        The corners, x rising from 0 to 1.
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
        steps = zip(self.x, self.x[1:], self.y, self.y[1:], strict=False)
        return [(y1 - y0) / (x1 - x0) for x0, x1, y0, y1 in steps]

    @staticmethod
    def mixture(weighted):
        """The sum of weight times polygon over pairs (weight, polygon)."""
        corners = sorted({x for _, polygon in weighted for x in polygon.x})
        return Polygon(tuple(corners), tuple(sum(w * polygon(x) for w, polygon in weighted) for x in corners))

    def maximum(self, other):
        """The larger of the two functions at every point: a corner is added wherever they cross."""
        corners = sorted({*self.x, *other.x})
        ahead = [self(x) - other(x) for x in corners]
        crossings = [
            x0 + (x1 - x0) * d0 / (d0 - d1)
            for x0, x1, d0, d1 in zip(corners, corners[1:], ahead, ahead[1:], strict=False)
            if d0 * d1 < 0
        ]
        corners = sorted({*corners, *crossings})
        return Polygon(tuple(corners), tuple(max(self(x), other(x)) for x in corners)).simplified()

    def simplified(self):
        """The same function without corners at which it does not bend."""
        slopes = self.slopes
        bends = [0, *(k for k in range(1, len(slopes)) if slopes[k] != slopes[k - 1]), len(self.x) - 1]
        return Polygon(tuple(self.x[k] for k in bends), tuple(self.y[k] for k in bends))


def curve(game, hold, missing):
    """The function f with V(a, b) = f(V(b, a)), a polygon (Algorithm 2, steps 1 to 3).

    Parameters
    ----------
    game : Game
        Without resets.
    hold : callable
        ``hold(r)`` is what a hold is worth with r points missing, 1 - V(b, r).
    missing : int
        The points a that the player to move needs.

    Returns
    -------
    Polygon
        Convex and decreasing from f(0) = 1.

    Raises
    ------
    NotImplementedError
        If the game has resets.
    """
    ends = (Fraction(0), Fraction(1))
    bust, one = Polygon(ends, (Fraction(1), Fraction(0))), Polygon(ends, (Fraction(1), Fraction(1)))
    if as_game(game).resets:
        raise NotImplementedError(f"{game.name} has resets; its pairs of scores do not fall apart")
    (beyond,) = beyond_target(game)
    f = {}  # by (mode, points missing): the value as a function of y
    for r in range(1 - game.most_points, missing + 1):
        for mode, chances in zip(game.modes, beyond, strict=True):
            if r <= 0:
                chance, *_ = chances[r - 1]
                f[mode.name, r] = Polygon.mixture([(chance, one), (1 - chance, bust)])
                continue
            branches = []
            for outcome in mode.outcomes:
                options = [f[choice.mode, r - choice.points] for choice in outcome.choices] or [bust]
                best = options[0]
                for option in options[1:]:
                    best = best.maximum(option)
                branches.append((outcome.probability, best))
            f[mode.name, r] = Polygon.mixture(branches)
            if mode.may_hold and r < missing:
                f[mode.name, r] = f[mode.name, r].maximum(Polygon(ends, (hold(r), hold(r))))
    return f[game.modes[0].name, missing].simplified()


def curves(solution, a, b):
    """The curves f and g of one pair of a solved race: x = f(y), y = g(x) for x = V(a, b), y = V(b, a).

    Parameters
    ----------
    solution : dicelab.Solution
        Of a game without resets, objective "win"; exact, if the curves are to be.
    a, b : int
        Points needed, in 1, …, target.

    Returns
    -------
    f, g : Polygon

    Raises
    ------
    ValueError
        If a or b is out of range, or the objective is another.
    NotImplementedError
        If the game has resets.
    """
    game, values, target = as_solution(solution, ("win",)).game, solution.values, solution.game.target
    a, b = as_whole(a, "a", 1, target), as_whole(b, "b", 1, target)
    f = curve(game, lambda r: 1 - values[target - b, target - r], a)
    return f, curve(game, lambda r: 1 - values[target - a, target - r], b)


def as_polygons(f, g):
    """Read `f` and `g` as polygons."""
    return (as_kind(curve, name, Polygon, "a Polygon, as from curves") for name, curve in (("f", f), ("g", g)))


def by_intersection(f, g):
    """Where x = f(y) and y = g(x) meet, exactly if the corners are Fractions (Algorithm 2, step 7).

    Parameters
    ----------
    f, g : Polygon
        Decreasing, with slopes in [-1, 0], not both of slope -1 throughout.

    Returns
    -------
    x, y : Fraction or float

    Notes
    -----
    x - f(g(x)) rises and is linear between the corners of g and the points that g maps to corners of f, so one
    interpolation between the two of these where it changes sign is exact.
    """
    f, g = as_polygons(f, g)
    inverse = Polygon(g.y[::-1], g.x[::-1]) if g.y[0] > g.y[-1] else None
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
    """Iterate x ← f(g(x)) in float64 (Remark 1) until the error is at most `tolerance`, or no change is seen.

    f∘g contracts by L = f'(0)·g'(0), the product of the steepest slopes, so that after a change of d the error is at
    most d·L / (1 - L). With L near 1 float64 stops changing before that is small.

    Parameters
    ----------
    f, g : Polygon
    tolerance : float
    max_steps : int

    Returns
    -------
    x, y : float

    Raises
    ------
    ArithmeticError
        If the contraction is so weak that more than `max_steps` steps would be needed.
    """
    tolerance, max_steps = as_real(tolerance, "tolerance", 0, 1, above=True), as_whole(max_steps, "max_steps", 1)
    f, g = as_polygons(f, g)
    f, g = (Polygon(tuple(map(float, p.x)), tuple(map(float, p.y))) for p in (f, g))
    contraction, x = f.slopes[0] * g.slopes[0], 0.5
    if contraction > 0 and np.log(tolerance) / np.log(min(contraction, 1 - 1e-16)) > max_steps:
        raise ArithmeticError(
            f"fixed point: a step takes the error to {contraction:.9f} of it; {max_steps} are too few"
        )
    while True:
        after = f(g(x))
        change, x = abs(after - x), after
        if change * contraction <= tolerance * (1 - contraction) or change <= 2**-52:
            return x, g(x)


def by_linear_program(f, g):
    """Minimise x + y above both curves (Remark 2), by scipy's HiGHS; right to some 1e-10, its feasibility tolerance.

    Parameters
    ----------
    f, g : Polygon

    Returns
    -------
    x, y : float

    Raises
    ------
    ArithmeticError
        If the linear program is not solved.
    """
    f, g = as_polygons(f, g)
    above_f = [(-1.0, float(slope), float(slope * x - y)) for slope, x, y in zip(f.slopes, f.x, f.y, strict=False)]
    above_g = [(float(slope), -1.0, float(slope * x - y)) for slope, x, y in zip(g.slopes, g.x, g.y, strict=False)]
    rows = np.array(above_f + above_g)
    tight = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    result = linprog([1, 1], A_ub=rows[:, :2], b_ub=rows[:, 2], bounds=[(0, 1)] * 2, method="highs", options=tight)
    if result.status != 0:
        raise ArithmeticError(f"linear program: {result.message}")
    return tuple(map(float, result.x))


def backwards(game, meet=by_intersection):
    """Solve a race by pairs of scores, from the target backwards (Algorithm 1).

    Parameters
    ----------
    game : Game
        Without resets.
    meet : {by_intersection, by_fixed_point, by_linear_program}
        How to find the solution of x = f(y), y = g(x).

    Returns
    -------
    ndarray of object, (target, target)
        ``values[own, opponent]``; Fractions if `meet` is exact.

    Raises
    ------
    NotImplementedError
        If the game has resets, or must be finished exactly: two players may then be unable to finish.
    """
    if not callable(meet):
        raise refusal("meet", meet, "by_intersection, by_fixed_point or by_linear_program")
    if as_game(game).finish == "exact":
        raise NotImplementedError(f"finish: 'exact' is not allowed; the curves of {game.name} need not cross")
    target = game.target
    check_memory(1000 * target**2, f"all pairs of {game.name} to {target}", "take a smaller target")
    v = {}  # by points needed: the player to move, the opponent
    for b in range(1, target + 1):
        for a in range(1, b + 1):
            f = curve(game, lambda r, b=b: 1 - v[b, r], a)
            g = curve(game, lambda r, a=a: 1 - v[a, r], b)
            v[a, b], v[b, a] = meet(f, g)
    needs = range(target, 0, -1)
    return np.array([[v[a, b] for b in needs] for a in needs], dtype=object)
