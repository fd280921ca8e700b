"""Rolls of dice from random numbers.

A random number is a whole number u below 2^BITS. If all probabilities of a roll have the common denominator
D, the roll is the face ⌊u·D / 2^BITS⌋ of D, and u·D mod 2^BITS is again a random number, with log D bits less. It is
used as long as 30 bits remain, so that chances are off by less than one part in 2^30: five rolls of a die from one
number. If D is large, the outcome is found by cumulative probabilities, to 2^-BITS.
"""

import math
from typing import NamedTuple

import numpy as np

from .games import RESET
from .turn import inlined

__all__ = ["BITS", "MOST_FACES", "SPARE", "UNUSED", "Rolls", "draw", "rolls_of"]

BITS, SPARE = 46, 30  # of a random number, and those that are left unused
MOST_FACES = 2 ** (BITS - SPARE)
UNUSED = np.uint64(64 - BITS)


class Rolls(NamedTuple):
    """The rolls of M modes, by F faces, and by C choices, those of an outcome side by side.

    A bust and a reset count as choices, with 0 and -1 points.
    """

    may_hold: np.ndarray  # (M,)
    bits: np.ndarray  # (M,) that a roll uses up
    faces: np.ndarray  # (M,) the common denominator D, or 1 if that is large
    first: np.ndarray  # (M,) the faces of mode m are first[m], first[m] + 1, …
    gain: np.ndarray  # (F,) points
    onward: np.ndarray  # (F,) the next mode
    choice: np.ndarray  # (F,) the first choice of the outcome; where D is large, of the mode
    plain: np.ndarray  # (F,) whether there is no other
    outcomes: np.ndarray  # (M + 1,) the choices of mode m are outcomes[m], …, outcomes[m + 1] - 1
    below: np.ndarray  # (C,) cumulative probability of the outcome, times 2^BITS
    several: np.ndarray  # (C,) number of choices of the outcome
    branch: np.ndarray  # (C,) the number of the outcome if it has several, see dicelab.turn.Rules; or -1
    points: np.ndarray  # (C,)
    mode: np.ndarray  # (C,)


def rolls_of(game):
    """The arrays of a game's rolls."""
    faces, choice, choices, branches, ends_at = [], [], [], 0, [0]
    for mode in game.modes:
        common, total = math.lcm(*(outcome.probability.denominator for outcome in mode.outcomes)), 0
        faces.append(common if common <= MOST_FACES else 1)
        choice += [len(choices)] if faces[-1] == 1 else []
        for outcome in mode.outcomes:
            total += outcome.probability
            choice += [len(choices)] * int(outcome.probability * faces[-1] if faces[-1] > 1 else 0)
            ends = [(c.points, game.mode(c.mode)) for c in outcome.choices] or [(-(outcome.result == RESET), 0)]
            choices += [(int(total * 2**BITS), len(ends), branches if len(ends) > 1 else -1, *end) for end in ends]
            branches += len(ends) > 1
        ends_at.append(len(choices))
    below, several, branch, points, onward = np.array(choices).T
    faces, choice, below = (np.array(numbers, dtype=np.uint64) for numbers in (faces, choice, below))
    bits = np.array([(int(common) - 1).bit_length() if common > 1 else BITS for common in faces])
    plain = (branch[choice] < 0) & np.repeat(faces > 1, faces.astype(int))
    by_face = np.cumsum(faces) - faces, points[choice], onward[choice], choice, plain
    may_hold = np.array([mode.may_hold for mode in game.modes])
    return Rolls(may_hold, bits, faces, *by_face, np.array(ends_at), below, several, branch, points, onward)


@inlined
def draw(a, b, c, d):
    """A random word, and the next state, of NumPy's SFC64: to call that takes longer."""
    word, turned = a + b + d, c << np.uint64(24) | c >> np.uint64(40)
    return word, b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), turned + word, d + np.uint64(1)
