"""Algorithms 1 and 2 and Remark 1 of Crocce and Mordecki (2018), compiled: where they stop, and what they cost.

The paper solves a pair of scores in one of two ways. Algorithm 2 computes the polygons x = f(y), y = g(x) and their
crossing. Remark 1 iterates x ← f(g(x)) instead. :func:`stopped_iteration` does the second for all pairs and stops, as
one does in practice, as soon as x changes by less than a tolerance. :func:`polygon_corners` counts what the first needs
in steps 1 to 6 of Algorithm 2: the "points defining" the functions f_{a,b,i}, their two ends and their corners.

Here a and b are points needed, as in the paper. f_{a,b,i}(y) is the value to the player who needs a and has a - i in
the turn, if y = v(b, a). It is the larger of the roll, a mixture of f_{a,b,i-1}, …, f_{a,b,i-n}, and of the hold, the
constant 1 - v(b, i). All f_{a,b,i} are 1 at y = 0. So f_{a,b,i} is the roll up to some y_i, and constant beyond it.
"""

from functools import lru_cache

import numpy as np

from dicelab._compile import compiled
from dicelab.evaluation.solving import solve
from dicelab.games.model import check_game
from dicelab_extras.learning.checks import check_real

__all__ = ["polygon_corners", "stopped_iteration"]


def _probabilities(game):
    """The probabilities of the faces 0, 1, …, n of a generalized Pig."""
    (mode,) = check_game(game).modes
    if game.resets or game.finish != "reach":
        raise NotImplementedError(f"{game.name}: resets and finish = 'exact' are not allowed")
    chances = np.zeros(game.most_points + 1)
    for outcome in mode.outcomes:
        chances[outcome.choices[0].points if outcome.choices else 0] += float(outcome.probability)
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
    chances = _probabilities(game)
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
    chances = _probabilities(game)
    needs = np.pad(solve(game).values[::-1, ::-1], (1, 0))
    corners, last = _count_corners(chances, needs)
    for array in (corners, last):
        array.flags.writeable = False
    return corners[:0:-1, :0:-1], last[:0:-1, :0:-1]


@compiled
def _count_corners(chances, values):
    """The work of :func:`polygon_corners`, by points needed."""
    target, faces = len(values) - 1, len(chances) - 1
    corners = np.zeros(values.shape, np.int64)
    last = np.zeros(values.shape, np.int64)
    at = np.zeros(target + 2)  # where any f has a corner, increasing, with 0 and 1
    rows = np.ones((faces + target + 1, target + 2))  # the functions at these places
    # Whether a function has a corner at a place.
    bends = np.zeros((faces + target + 1, target + 2), np.bool_)
    for a in range(1, target + 1):
        for b in range(1, target + 1):
            at[0], at[1], places = 0.0, 1.0, 2
            bends[:] = False
            rows[: faces + 1] = 1.0
            for i in range(1, a + 1):
                row = faces + i
                for k in range(places):
                    rows[row, k] = chances[0] * (1.0 - at[k])
                    bends[row, k] = k == 0 or k == places - 1
                    for face in range(1, faces + 1):
                        rows[row, k] += chances[face] * rows[row - face, k]
                        bends[row, k] |= chances[face] > 0 and bends[row - face, k]
                hold = 1.0 - values[b, i]
                if i < a and hold > rows[row, places - 1]:
                    k = 1
                    while rows[row, k] > hold:
                        k += 1
                    if rows[row, k] < hold:  # the crossing lies within a piece: a new place
                        part = (rows[row, k - 1] - hold) / (rows[row, k - 1] - rows[row, k])
                        for place in range(places, k, -1):
                            at[place] = at[place - 1]
                            for below in range(row - faces, row + 1):
                                rows[below, place], bends[below, place] = (
                                    rows[below, place - 1],
                                    bends[below, place - 1],
                                )
                        at[k] = at[k - 1] + part * (at[k + 1] - at[k - 1])
                        # Linear between neighbours; lower rows are done with.
                        for below in range(row - faces, row + 1):
                            rows[below, k] = rows[below, k - 1] + part * (
                                rows[below, k + 1] - rows[below, k - 1]
                            )
                            bends[below, k] = False
                        places += 1
                    rows[row, k:places] = hold
                    bends[row, k] = True
                    bends[row, k + 1 : places - 1] = False
                count = 0
                for k in range(places):
                    count += bends[row, k]
                corners[a, b] += count
                last[a, b] = count
    return corners, last
