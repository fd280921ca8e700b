"""Proof by computer: the answers to the exercises, and wrong answers to expect, the same for everybody."""

from fractions import Fraction

import dicelab as dl
from collection.course.exercises import exercise
from collection.course.textbook.piecewise_linear import curve

EXERCISES = [
    exercise(
        "15.1",
        "the integer",
        "the exponent e",
        "the first number of sides",
        "the second number of sides",
        "the third number of sides",
        decimals=0,
        wrong={"7205759403792794 is even. Cancel the factor 2.": lambda: [7205759403792794, 56, None, None, None]},
    )(lambda: [3602879701896397, 55, 2, 4, 8]),
    exercise(
        "15.2",
        "the lower end of the third interval",
        "the upper end of the third interval",
        "the number of steps",
        wrong={
            "13/27 and 55/81 are the ends of the second interval.": lambda: [13 / 27, 55 / 81, None],
            "28 rounds down: after 28 steps the width is still 1.4e-10.": lambda: [None, None, 28],
        },
    )(lambda: [Fraction(133, 243), Fraction(463, 729), 29]),
    exercise(
        "15.3",
        "the residual",
        "the bound",
        wrong={
            "2/5 is the residual, one step of looking ahead. The error may be larger: divide by 1 − γ.": (
                lambda: [None, 2 / 5]
            ),
            "18/5 bounds the error after one more step of value iteration. (5) is about the table itself.": (
                lambda: [None, 18 / 5]
            ),
        },
    )(lambda: [Fraction(2, 5), 4]),
    exercise(
        "15.5",
        decimals=0,
        calls=[
            [
                [
                    ["6/7", "6/7", "180/209", "45/52", "1080/1241"],
                    ["6/7", "6/7", "180/209", "45/52", "1080/1241"],
                    ["174/209", "174/209", "36/43", "261/310", "6264/7391"],
                    ["21/26", "21/26", "126/155", "9/11", "108/131"],
                    ["966/1241", "966/1241", "5796/7391", "207/262", "216/271"],
                ],
                ["1/6", "0", "1/6", "1/6", "1/6", "1/6", "1/6"],
            ],
            [
                [
                    ["6/7", "6/7", "180/209", "45/52", "1080/1241"],
                    ["6/7", "6/7", "180/209", "45/52", "1080/1241"],
                    ["174/209", "173687/208373", "36/43", "261/310", "6264/7391"],
                    ["21/26", "21/26", "126/155", "9/11", "108/131"],
                    ["966/1241", "966/1241", "5796/7391", "207/262", "216/271"],
                ],
                ["1/6", "0", "1/6", "1/6", "1/6", "1/6", "1/6"],
            ],
            [
                [
                    ["3/4", "18/23", "54/65", "81/94"],
                    ["15/23", "9/13", "135/179", "405/509"],
                    ["33/65", "99/179", "27/43", "891/1307"],
                    ["39/94", "234/509", "702/1307", "1/2"],
                ],
                ["1/3", "1/3", "1/3"],
            ],
            [
                [
                    ["3/5", "4/5", "8/9", "16/17"],
                    ["2/5", "4/7", "8/11", "488/595"],
                    ["2/9", "4/11", "6/11", "22224/32725"],
                    ["2/17", "144/595", "13082/32725", "2236/4165"],
                ],
                ["1/2", "1/2"],
            ],
        ],
    )(
        lambda table, probabilities: sum(
            curve(
                dl.generalized_pig(probabilities, len(table)),
                lambda r, others=table[b]: 1 - Fraction(others[r - 1]),
                a + 1,
            )(Fraction(table[b][a]))
            != Fraction(value)
            for a, row in enumerate(table)
            for b, value in enumerate(row)
        )
    ),
    exercise("15.6", "the lower bound", "the upper bound", decimals=8, calls=[[2, 12], [5, 12], [8, 14]])(
        lambda target, digits: [dl.solve(dl.piglet(target), exact=True).value] * 2  # they differ after the 8 decimals
    ),
    exercise("15.7", "the number of entries", decimals=0)(lambda: 5),
    # As in exercise 2, with x ↦ 5/6 + x/36.
    exercise(
        "15.h1", "the lower end of the second interval", "the upper end of the second interval", "the number of steps"
    )(lambda: [Fraction(185, 216), Fraction(1111, 1296), 8]),
    exercise("15.h2", "the decisions proven", "the decisions refuted", decimals=0)(
        lambda: [18256, 12944]  # by `proofs.certify`
    ),
    exercise("15.h3", "the value", "the number of digits", decimals=12)(
        lambda: [Fraction(190426879682550, 348510502744423), 15]  # by `dl.solve(…, exact=True)`
    ),
]
