"""Textbook solvers: plain, slow, readable. For lectures, and as the second opinion in tests.

They share with the fast solver the rules of the game and nothing else that decides: no compiled code, no skipping, no
Newton step. V is the value to the player about to move, at the start of a turn: the probability of winning.

`value_iteration`
    Neller and Presser (2004): improve every state by the Bellman equation until nothing changes much.
`policy_evaluation`
    Both policies fixed, the match is a Markov chain: one large sparse system of linear equations.
`backwards`
    Crocce and Mordecki (2018), Algorithms 1 and 2: pairs of scores from the target backwards; for each, two polygonal
    curves x = f(y), y = g(x), and where they meet, found in one of three ways:
    `by_intersection` (the paper's own, exact), `by_fixed_point` (Remark 1), `by_linear_program` (Remark 2).
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import coo_array, eye_array
from scipy.sparse.linalg import spsolve

from .finish import beyond_target
from .games import as_whole

__all__ = [
    "Polygon",
    "backwards",
    "by_fixed_point",
    "by_intersection",
    "by_linear_program",
    "curve",
    "curves",
    "value_iteration",
]


def value_iteration(game, tolerance=1e-14, max_sweeps=100_000):
    """Solve a race by value iteration, as Neller and Presser did: scores near the target first.

    Scores that sum to the same are independent, and without resets play never returns to a smaller sum. So each pair of
    scores (i, j), (j, i) is iterated on its own, and its values are then fixed for the pairs that lead to it. With
    resets all scores are iterated together, those near the target first.

    Parameters
    ----------
    game : Game
    tolerance : float
        A pair is left when no state of it changed by more in a sweep. This bounds the last change, not the error:
        that is up to ``tolerance``·L / (1 - L) more, L being the probability that both players' turns bust.
    max_sweeps : int

    Returns
    -------
    values : ndarray (target, target)
        ``values[own, opponent]``.
    rolls : ndarray of bool, (target, target, modes, target)
        ``rolls[own, opponent, mode, turn total]``: whether a roll is worth more than holding by over 1e-12, or is the
        only action. False from the target on.

    Raises
    ------
    ArithmeticError
        If a pair still changes after `max_sweeps` sweeps.
    """
    target, first = game.target, game.modes[0].name
    modes, scores = game.modes, range(target)
    # by own and opponent's score, turn total and mode; the total that reaches the target stands for all beyond
    value = {(i, j, k, m.name): 0.5 for i in scores for j in scores for k in range(target - i + 1) for m in modes}

    def after(own, opponent, total):
        """What it is worth to pass the die with these banked points; with the target reached, to have won."""
        return 1.0 if own + total >= target else 1.0 - value[opponent, own + total, 0, first]

    def rolling(own, opponent, total, mode):
        worth = 0.0
        for outcome in mode.outcomes:
            options = {"bust": [after(own, opponent, 0)], "reset": [after(0, opponent, 0)]}.get(outcome.result, [])
            for choice in outcome.choices:
                points = total + choice.points
                if own + points > target and game.finish == "exact":
                    options.append(after(own, opponent, 0))
                else:
                    options.append(value[own, opponent, min(points, target - own), choice.mode])
            worth += float(outcome.probability) * max(options)
        return worth

    def bellman(own, opponent, total, mode):
        """The right-hand side of the Bellman equation at a state."""
        if mode.may_hold and own + total >= target:
            return 1.0
        worth = rolling(own, opponent, total, mode)
        return max(worth, after(own, opponent, total)) if mode.may_hold and total else worth

    rolls = np.zeros((target, target, len(game.modes), target), dtype=bool)
    stages = [
        [(i, s - i), (s - i, i)] for s in range(2 * target - 2, -1, -1) for i in range(s // 2 + 1) if s - i < target
    ]
    if game.resets:
        stages = [[pair for stage in stages for pair in stage]]
    for stage in stages:
        pairs = list(dict.fromkeys(stage))
        states = [(i, j, k, mode) for i, j in pairs for k in range(target - i, -1, -1) for mode in game.modes]
        for _ in range(max_sweeps):
            change = 0.0
            for i, j, k, mode in states:
                new = bellman(i, j, k, mode)
                change = max(change, abs(new - value[i, j, k, mode.name]))
                value[i, j, k, mode.name] = new
            if change <= tolerance:
                break
        else:
            raise ArithmeticError(f"{game.name}: scores {pairs[0]} still change by {change:.1e} a sweep")
        for i, j, k, mode in states:
            if k < target - i:
                better = rolling(i, j, k, mode) > after(i, j, k) + 1e-12
                rolls[i, j, game.mode(mode.name), k] = better or k == 0 or not mode.may_hold
    values = np.array([[value[i, j, 0, first] for j in range(target)] for i in range(target)])
    return values, rolls


def policy_evaluation(game, first, second):
    """Play one policy against another: the Markov chain of all states of the match, by one sparse linear solve.

    Parameters
    ----------
    game : Game
        Without choices, finished by reaching the target.
    first, second : Policy

    Returns
    -------
    first_wins, turns_mean : float
        The first player's probability to win, and the expected number of turns of both together.
    """
    target, start = game.target, game.modes[0].name
    index = {}  # by player to move, own and opponent's score, turn total, mode; the total at the target for all beyond
    for player, own, other in product((0, 1), range(target), range(target)):
        for total, mode in product(range(target - own + 1), game.modes):
            index[player, own, other, total, mode.name] = len(index)
    chances, won, passed = {}, np.zeros(len(index)), np.zeros(len(index))

    def go(origin, chance, player, own, other):
        """The player ends the turn with these scores."""
        passed[origin] += chance
        if own >= target:
            won[origin] += chance * (player == 0)
        else:
            step(origin, chance, 1 - player, other, own, 0, start)

    def step(origin, chance, *state):
        chances[origin, index[state]] = chances.get((origin, index[state]), 0.0) + chance

    for (player, own, other, total, name), origin in index.items():
        mode, finished = game.modes[game.mode(name)], own + total >= target
        policy = (first, second)[player]
        if mode.may_hold and (finished or not policy.decisions(game, own, other)[game.mode(name), total]):
            go(origin, 1.0, player, own + total, other)
            continue
        for outcome in mode.outcomes:
            chance = float(outcome.probability)
            if outcome.choices:
                after = min(total + outcome.choices[0].points, target - own)
                step(origin, chance, player, own, other, after, outcome.choices[0].mode)
            else:
                go(origin, chance, player, own if outcome.result == "bust" else 0, other)
    (rows, columns), size = zip(*chances, strict=True), len(index)
    chain = coo_array((list(chances.values()), (rows, columns)), shape=(size, size))
    solved = spsolve((eye_array(size) - chain).tocsc(), np.column_stack([won, passed]))
    return tuple(map(float, solved[index[0, 0, 0, 0, start]]))


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
    """
    ends = (Fraction(0), Fraction(1))
    bust, one = Polygon(ends, (Fraction(1), Fraction(0))), Polygon(ends, (Fraction(1), Fraction(1)))
    if game.resets:
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
        Of a game without resets; exact, if the curves are to be.
    a, b : int
        Points needed, in 1, …, target.

    Returns
    -------
    f, g : Polygon

    Raises
    ------
    ValueError
        If a or b is out of range.
    """
    game, values, target = solution.game, solution.values, solution.game.target
    for name, need in (("a", a), ("b", b)):
        if not 1 <= as_whole(need, name, 1) <= target:
            raise ValueError(f"{name}: {need!r} is not allowed; give points needed in 1, …, {target}")
    f = curve(game, lambda r: 1 - values[target - b, target - r], a)
    return f, curve(game, lambda r: 1 - values[target - a, target - r], b)


def by_intersection(f, g):
    """Where x = f(y) and y = g(x) meet, exactly if the corners are Fractions (Algorithm 2, step 7).

    x - f(g(x)) rises and is linear between the corners of g and the points that g maps to corners of f, so one
    interpolation between the two of these where it changes sign is exact.
    """
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


def by_fixed_point(f, g, tolerance=1e-15):
    """Iterate x ← f(g(x)) (Remark 1) until the error is at most `tolerance`, or float64 has no more to give.

    f∘g contracts by L = f'(0)·g'(0), the product of the steepest slopes, so that after a change of d the error is at
    most d·L / (1 - L). With L near 1 float64 stops changing before that is small.
    """
    contraction = float(f.slopes[0] * g.slopes[0])
    x = 0.5
    while True:
        after = float(f(g(x)))
        change = abs(after - x)
        x = after
        if change * contraction <= tolerance * (1 - contraction) or change <= 2**-52:
            return x, float(g(x))


def by_linear_program(f, g):
    """Minimise x + y above both curves (Remark 2), by scipy's HiGHS; right to some 1e-10, its feasibility tolerance.

    Raises
    ------
    ArithmeticError
        If the linear program is not solved.
    """
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
    """
    target = game.target
    v = {}  # by points needed: the player to move, the opponent
    for b in range(1, target + 1):
        for a in range(1, b + 1):
            f = curve(game, lambda r, b=b: 1 - v[b, r], a)
            g = curve(game, lambda r, a=a: 1 - v[a, r], b)
            v[a, b], v[b, a] = meet(f, g)
    needs = range(target, 0, -1)
    return np.array([[v[a, b] for b in needs] for a in needs], dtype=object)
