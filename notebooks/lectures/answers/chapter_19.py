"""The shape of the policy: the answers to the exercises, and wrong answers to expect, the same for everybody."""

from fractions import Fraction

from collection.course.exercises import exercise

EXERCISES = [
    exercise(
        "19.1",
        calls=[[0.0], [0.2], [0.5], [1.0]],
        wrong={
            "That is F itself, the probability to win in this turn. After our bust the opponent can bust, too.": (
                lambda F: F
            )
        },
    )(lambda F: F / (1 - (1 - F) / 6)),
    # The numbers of exercises 3, 4 and 7 are computed in the solutions.
    exercise("19.3", decimals=0, calls=[[10, 3], [30, 8], [60, 20]])(lambda N, n: {10: 64, 30: 441, 60: 324}[N]),
    exercise("19.4", decimals=0)(lambda: {75: 25, 100: 25, 150: 24, 200: 24}),
    exercise("19.7", decimals=0, calls=[[10], [21], [23], [26], [30]])(
        lambda n: {10: 1, 21: 4, 23: 6, 26: 6, 30: 11}[n]
    ),
    exercise("19.h1", "the probability that player 1 wins")(lambda: Fraction(1694, 3375)),
    exercise("19.h2", "the loss")(lambda: 0.02038183),  # by `dl.loss`
    exercise("19.h3", "the number of pairs", decimals=0)(lambda: 2170),  # by `papers.pairs_seen`
    exercise(
        "19.h4",
        decimals=9,
        calls=[
            [["1/2", "1/2"], 6],
            [["1/6", "0", "1/6", "1/6", "1/6", "1/6", "1/6"], 10],
            [["1/4", "1/4", "1/4", "1/4"], 8],
        ],
    )(
        lambda p, N: {  # by `dl.solve(…, "margin", exact=True)`
            6: Fraction(4268438, 16078125),
            10: Fraction(45910, 10961),
            8: Fraction(155288, 111661),
        }[N]
    ),
]
