"""Changing the rules: the answers to the exercises, and wrong answers to expect, the same for everybody."""

from fractions import Fraction

from collection.course.exercises import exercise

EXERCISES = [
    exercise(
        "16.1",
        *(f"rule ({letter})" for letter in "abcde"),
        decimals=0,
        wrong={
            "(a): after a six a hold is not allowed, and the turn total does not show whether the last roll was a "
            "six.": lambda: [False, None, None, None, None],
            "(b): the scores do not show how many busts a player has had in a row.": (
                lambda: [None, False, None, None, None]
            ),
            "(c): a player who has banked nothing has a score of 0, so that the score shows it.": (
                lambda: [None, None, True, None, None]
            ),
            "(d): the turn total does not show which roll comes next.": lambda: [None, None, None, False, None],
            "(e): who is behind is seen from the scores.": lambda: [None, None, None, None, True],
        },
    )(lambda: [True, True, False, True, False]),
    exercise("16.3", "the first player's probability to win")(lambda: Fraction(31, 42)),
    exercise("16.5", calls=[[10, 1], [10, 3], [30, 2]])(
        lambda N, n: {(10, 1): 0.63627402, (10, 3): 0.67997958, (30, 2): 0.59079202}[N, n]  # by the solutions' program
    ),
    exercise("16.6", "the first player's probability to win")(lambda: 0.51963907),  # by the solutions' program
    exercise("16.h1", "the first player's probability to win")(lambda: Fraction(4, 7)),
    exercise("16.h2", "the slope", decimals=2)(lambda: 1.962),  # by the program of the section, to 200 points
]
