"""Algorithms 1 and 2 and Remark 1 of Crocce and Mordecki (2018), compiled: where they stop, and what they cost.

The paper solves a pair of scores in one of two ways. Algorithm 2 computes the polygons x = f(y), y = g(x) and their
crossing. Remark 1 iterates x ← f(g(x)) instead. :func:`stopped_iteration` does the second for all pairs and stops, as
one does in practice, as soon as x changes by less than a tolerance. :func:`polygon_corners` counts what the first needs
in steps 1 to 6 of Algorithm 2: the "points defining" the functions f_{a,b,i}, their two ends and their corners.

Here a and b are points needed, as in the paper. f_{a,b,i}(y) is the value to the player who needs a and has a - i in
the turn, if y = v(b, a). It is the larger of the roll, a mixture of f_{a,b,i-1}, …, f_{a,b,i-n}, and of the hold, the
constant 1 - v(b, i). All f_{a,b,i} are 1 at y = 0. So f_{a,b,i} is the roll up to some y_i, and constant beyond it.
"""

from fractions import Fraction
from functools import lru_cache

import numpy as np

from dicelab._compile import compiled
from dicelab.evaluation.solving import solve
from dicelab.games.model import check_game
from dicelab_extras.learning.checks import check_real

__all__ = ["polygon_corners", "probabilities", "stopped_iteration"]


def probabilities(game):
    """The probabilities of the faces 0, 1, …, n of a generalized Pig, an array of Fractions."""
    (mode,) = check_game(game).modes
    if game.resets or game.finish != "reach":
        raise NotImplementedError(f"{game.name}: resets and finish = 'exact' are not allowed")
    chances = np.array([Fraction(0)] * (game.most_points + 1))
    for outcome in mode.outcomes:
        chances[outcome.choices[0].points if outcome.choices else 0] += outcome.probability
    return chances


@lru_cache(maxsize=4)
def stopped_iteration(game, tolerance, start=1.0):
    """Solve a race by Algorithm 1, each pair by the iteration of Remark 1, stopped early.

    For a ≤ b the iteration begins at x = `start` and sets y = g(x), x = f(y) until x changes by less than `tolerance`.
    Then x becomes v(a, b), and after it y becomes v(b, a). So the value of a diagonal pair, a = b, is the last y.

    Parameters
    ----------
    game : Game
        With one mode, without resets.
    tolerance : float
        In (0, 1).
    start : float
        In [0, 1].

    Returns
    -------
    values : ndarray of float, (target, target)
        ``values[own, opponent]``, as in a solution.
    steps : ndarray of int, (target, target)
        The number of steps x ← f(g(x)) of every pair, in the same layout.
    """
    chances = probabilities(game).astype(float)
    tolerance, start = (
        check_real(tolerance, "tolerance", 0, 1, above=True),
        check_real(start, "start", 0, 1),
    )
    faces = tuple(face for face in range(1, len(chances)) if chances[face])
    # Tuples, so that the loop over the faces is unrolled.
    weights = tuple(float(chances[face]) for face in faces)
    values, steps = _iterate(float(chances[0]), faces, weights, game.target, tolerance, start)
    for array in (values, steps):
        array.flags.writeable = False  # the result is kept, for more than one claim is about it
    return values[:0:-1, :0:-1], steps[:0:-1, :0:-1]


@compiled
def _curve(faces, weights, hold, missing, bust, turn):
    """f at one point: the value with `missing` points needed, if the bust term is `bust`, p₀(1 - y)."""
    most = faces[-1]
    for i in range(1, missing + 1):
        roll = bust
        for k in range(len(faces) - 1, -1, -1):
            roll += weights[k] * turn[most + i - faces[k]]
        turn[most + i] = roll if roll > hold[i] else hold[i]
    return turn[most + missing]


@compiled
def _iterate(p_0, faces, weights, target, tolerance, start):
    """The work of :func:`stopped_iteration`, by points needed."""
    values = np.zeros((target + 1, target + 1))
    steps = np.zeros((target + 1, target + 1), np.int64)
    # The value with i points missing in the turn; 1 where none are.
    turn = np.ones(faces[-1] + target + 1)
    hold_f, hold_g = np.zeros(target + 1), np.zeros(target + 1)
    for b in range(1, target + 1):
        for a in range(1, b + 1):
            hold_f[1:a], hold_g[1:b] = 1.0 - values[b, 1:a], 1.0 - values[a, 1:b]
            hold_f[a] = hold_g[b] = 0.0  # a turn begins with a roll
            x, change = start, 1.0
            while change >= tolerance:
                y = _curve(faces, weights, hold_g, b, p_0 * (1.0 - x), turn)
                after = _curve(faces, weights, hold_f, a, p_0 * (1.0 - y), turn)
                change, x = abs(after - x), after
                steps[a, b] += 1
            values[a, b], steps[b, a] = x, steps[a, b]
            values[b, a] = y
    return values, steps


@lru_cache(maxsize=8)
def polygon_corners(game):
    """The number of points that Algorithm 2 computes, for every pair of a race: corners, and two ends of each function.

    Parameters
    ----------
    game : Game
        With one mode, without resets. It is solved first: the polygons of a pair depend on the values of other pairs.

    Returns
    -------
    corners : ndarray of int, (target, target)
        The points that define f_{a,b,1}, …, f_{a,b,a} together, in the layout of a solution.
    last : ndarray of int, (target, target)
        Those of f_{a,b} alone.
    """
    chances = probabilities(game).astype(float)
    corners = _count_corners(chances, np.pad(solve(game).values[::-1, ::-1], (1, 0)))
    corners.flags.writeable = False
    return tuple(corners[:, :0:-1, :0:-1])


@compiled
def _count_corners(chances, values):
    """The work of :func:`polygon_corners`, by points needed."""
    target, faces = len(values) - 1, len(chances) - 1
    corners = np.zeros((2, target + 1, target + 1), np.int64)
    # Where any function has a corner; first the ends, 0 and 1.
    at = np.ones(target + 2)
    at[0] = 0.0
    f = np.ones((target + 2, faces + target + 1))  # the functions f_{a,b,i} at these places
    bends = np.zeros(f.shape, np.bool_)  # whether they have a corner there
    for a in range(1, target + 1):
        for b in range(1, target + 1):
            bends[:], places = False, 2
            for i in range(1, a + 1):
                row, hold = faces + i, 1.0 - values[b, i] if i < a else 0.0
                lower, upper = 0, 1  # the places beside the crossing of roll and hold
                for k in range(places):
                    f[k, row] = chances[0] * (1.0 - at[k])
                    for face in range(1, faces + 1):
                        f[k, row] += chances[face] * f[k, row - face]
                        bends[k, row] |= chances[face] > 0 and bends[k, row - face]
                    if f[k, row] > hold:
                        lower = k if at[k] > at[lower] else lower
                    elif at[k] < at[upper]:
                        upper = k
                if f[upper, row] < hold:  # they cross between two places: a new one
                    part = (f[lower, row] - hold) / (f[lower, row] - f[upper, row])
                    at[places] = at[lower] + part * (at[upper] - at[lower])
                    f[places, :row] = f[lower, :row] + part * (f[upper, :row] - f[lower, :row])
                    f[places, row], upper = hold, places
                    places += 1
                for k in range(places):
                    if f[k, row] <= hold:
                        f[k, row], bends[k, row] = hold, k == upper
                corners[0, a, b] += bends[2:places, row].sum() + 2
            corners[1, a, b] = bends[2:places, row].sum() + 2
    return corners
