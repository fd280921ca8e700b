"""Reading a simulation: the answers to the exercises, and wrong answers to expect, the same for everybody."""

import numpy as np
from scipy.stats import binom, norm

from collection.course.exercises import exercise

EXERCISES = [
    exercise(
        "18.1",
        "the standard error",
        "the lower end",
        "the upper end",
        decimals=3,
        wrong={
            "0.524 and 0.544 are one standard error away. A 95 % interval goes to 1.96 of them.": (
                lambda: [None, 0.524, 0.544]
            )
        },
    )(lambda: [0.009977, 0.514446, 0.553554]),
    exercise(
        "18.2",
        "the number of games",
        decimals=0,
        wrong={
            "25,000,000 compares with the unit u. The standard deviation of rounding is u/√12.": lambda: 25_000_000,
            "100,000,000 compares with half a unit. The standard deviation of rounding is u/√12.": lambda: 100_000_000,
        },
    )(lambda: 300_000_000),
    exercise(
        "18.3",
        decimals=3,
        calls=[
            [[0.5456, 0.5079, 0.5464, 0.5091], [0.5457, 0.5079, 0.546, 0.5091], [0.498, 0.5, 0.498, 0.5], 0.0001],
            [[19.19, 23.38, 24.23, 19.15], [19.1891, 23.37587, 24.23953, 19.15085], [6.5, 11.06, 11.22, 6.63], 0.01],
            [[0.52, 0.53, 0.51], [0.521, 0.5295, 0.5102], [0.5, 0.5, 0.5], 0.01],
        ],
    )(lambda printed, *_: {0.5456: 5.9520961, 19.19: 6.4782227, 0.52: np.inf}[printed[0]]),  # by the solutions' program
    exercise(
        "18.4",
        calls=[[20, 1000], [5, 100], [2, 10]],
        wrong={
            "0.5 is the expected share of a rule that is chosen beforehand. The best of several has more.": (
                lambda r, n: 0.5
            )
        },
    )(lambda r, n: (1 - binom.cdf(np.arange(n), n, 0.5) ** r).sum() / n),
    exercise(
        "18.5",
        "the variance",
        decimals=0,
        wrong={"6 is the variance of three independent squares. The third one depends on the others.": lambda: 6},
    )(lambda: 10),
    exercise(
        "18.6",
        "the probability of rule 4",
        "the probability of rule 5",
        "the millions of searches for each rule",
        decimals=4,
        wrong={
            "9.6649 takes the quantile 1.96 of an error on either side. Here only one side is an error: rule 5 ahead "
            "of rule 4.": lambda: [None, None, 9.6649]
        },
    )(lambda: [0.39869048, 0.39825397, 6.80697058]),  # by the solutions' program
    exercise(
        "18.7",
        "the number of games in millions",
        decimals=1,
        wrong={
            "47.5 takes the quantile 1.96 of an error on either side. Here only one side is an error: 22 ahead of "
            "18.": lambda: 47.5
        },
    )(lambda: 33.4528),  # by the solutions' program
    exercise("18.h1", "z", decimals=2)(lambda: (18.71 - 18.58) / (6.2**2 / 10_000 + 0.01**2 / 12) ** 0.5),
    exercise("18.h2", calls=[[18, 3], [1, 1.96], [52, 2.5]])(lambda m, c: 1 - (2 * norm.cdf(c) - 1) ** m),
    exercise(
        "18.h3",
        calls=[
            [[0.52454, 0.52183, 0.51956], 10_000_000, 4],
            [[0.52454, 0.52183], 1_000_000, 3],
            [[0.1234567], 5_000_000_000, 5],
        ],
    )(
        lambda exact, games, digits: np.prod(
            [
                np.diff(norm.cdf([round(p, digits) - 0.5 / 10**digits, round(p, digits) + 0.5 / 10**digits], p, se))
                for p, se in ((p, (p * (1 - p) / games) ** 0.5) for p in exact)
            ]
        )
    ),
]
