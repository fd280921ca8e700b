"""An unknown model: the answers to the exercises, and wrong answers to expect, the same for everybody."""

from fractions import Fraction
from functools import cache

import numpy as np

from collection.course.exercises import exercise


@exercise(
    "13.2",
    calls=[[0.5, [2]], [0.5, [1]], [0.2, [3, 4, 1, 6, 6]], [0.9, []], [0.5, [2, 2, 2, 2, 2]]],
    wrong={"That is the belief in the other die.": lambda b, rolls: 1 - belief_after(b, rolls)},
)
def belief_after(b, rolls):
    """The same for everybody."""
    # a bust doubles the odds, and a success multiplies them by 4/5
    odds = 2 ** rolls.count(1) * 0.8 ** (len(rolls) - rolls.count(1)) * b
    return odds / (odds + 1 - b)


@exercise(
    "13.4",
    calls=[
        [[0, 2, 3, 4, 5, 6], [1 / 6] * 6, 0.1],
        [[3, 1, 2], [0.2, 0.3, 0.5], 0.6],
        [[1, 5], [0.5, 0.5], 2],
        [[4, 0, 9, 9], [0.25, 0.25, 0.4, 0.1], 0.9],
    ],
    wrong={
        "A probability that is moved counts twice in the norm, where it leaves and where it arrives. So ρ/2 may be "
        "moved.": lambda values, p, rho: worst_mean(values, p, 2 * rho) if rho <= 1 else None
    },
)
def worst_mean(values, p, rho):
    """The same for everybody."""
    # by duality: values above a level are cut off, and for ρ/2 of the probability the level becomes the least
    return max(
        sum(q * min(value, level) for value, q in zip(values, p, strict=True)) - rho / 2 * (level - min(values))
        for level in values
    )


@cache
def points(turns, k, alpha, beta, last, known=0):
    """With so many turns left, and the turn total k; before each turn, a known coin may be taken instead."""
    return turns and max(
        (k or known) + points(turns - 1, 0, alpha, beta, last, known),
        beta / (alpha + beta) * points(turns, k + 1, alpha, beta + 1, last, known)
        + alpha / (alpha + beta) * points(turns - 1, 0, alpha + 1, beta, last, known)
        if k < last
        else 0,
    )


@cache
def hidden(k, b):
    """The value (7) of the turn total k and the belief b."""
    success = b * 2 / 3 + (1 - b) * 5 / 6
    return max(k, success * sum(hidden(k + d, b * 2 / 3 / success) for d in range(2, 7)) / 5) if k < 40 else k


def robust_race(ours, theirs, N=20):
    """The win probability of the first player, if the two players' rolls bust with these probabilities."""
    who, own, other = np.indices((2, N, N))
    bust = np.where(who == 0, ours, theirs)
    V = np.ones((2, N, N, N + 7))
    for k in [*reversed(range(N))] * 100:
        roll = bust * (1 - V[1 - who, other, own, 0]) + (1 - bust) * V[..., k + 2 : k + 7].mean(axis=-1)
        V[..., k] = np.where(
            own + k >= N, 1, np.maximum(roll, 1 - V[1 - who, other, np.minimum(own + k, N - 1), 0]) if k else roll
        )
    return V[0, 0, 0, 0]


EXERCISES = [
    exercise(
        "13.1",
        "the probability of a bust",
        "the turn total to hold at",
        wrong={
            "1/4 is the share of busts that were seen. The prior Beta(1, 1) counts, too.": lambda: [1 / 4, None],
            "3 is the total for a coin that is known to bust with the mean of the belief. Each success of this turn "
            "changes the belief.": lambda: [None, 3],
        },
    )(lambda: [Fraction(2, 7), 4]),
    exercise("13.5", calls=[[2, 4], [3, 6], [4, 2], [5, 20]])(lambda alpha, beta: points(2, 0, alpha, beta, 60)),
    exercise("13.6", "the probability to win")(lambda: robust_race(1 / 4, 1 / 8)),
    # The worst die busts with probability 1/5. The points are those of the solver of chapter 1.
    exercise("13.h1", "the turn total to hold at", "the points guaranteed", "the price of robustness")(
        lambda: [16, 6.66048645, 0.19018869]
    ),
    exercise("13.h2", calls=[[1, 1.0, 2, 3], [4, 1.0, 2, 3], [6, 1.5, 3, 5], [8, 0.5, 2, 2]])(
        lambda m, h, alpha, beta: points(m, 0, alpha, beta, 20, h) - m * points(1, 0, alpha, beta, 20, h)
    ),
    exercise("13.h3", "the value of the information")(lambda: (hidden(0, 0) + hidden(0, 1)) / 2 - hidden(0, 0.5)),
]
