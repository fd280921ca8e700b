"""Games: the answers to the exercises, and wrong answers to expect, the same for everybody."""

from functools import cache
from itertools import product

from collection import textbook
from collection.course.exercises import exercise


def chance(coins, scores):
    """That so many coins all show heads; or that they don't."""
    return 0.5**coins if scores else 1 - 0.5**coins


@exercise("14.7", calls=[[2, 1, 1], [2, 3, 2], [3, 1, 2], [3, 4, 3]])
@cache
def race_value(a, b, most):
    """The same for everybody."""
    stages = {  # by the needs: what is paid, and the needs after it if nobody reaches theirs
        (i, j): {
            (c, d): (
                sum(chance(c, x) * chance(d, y) * ((x >= i) - (y >= j)) for x, y in product((0, c), (0, d))),
                {(i - x, j - y): chance(c, x) * chance(d, y) for x, y in product((0, c), (0, d)) if x < i and y < j},
            )
            for c, d in product(range(1, most + 1), repeat=2)
        }
        for i, j in product(range(1, a + 1), range(1, b + 1))
    }
    return textbook.solve_stochastic(textbook.StochasticGame(stages), tolerance=1e-9)[0][a, b]


EXERCISES = [
    exercise(
        "14.1",
        "u(1, 1)",
        "u(1, 2)",
        "u(2, 1)",
        "u(2, 2)",
        wrong={
            "1/2 is the probability to win in this turn. After a tail the friend can bust, too.": (
                lambda: [1 / 2, None, None, None]
            )
        },
    )(lambda: [2 / 3, 8 / 9, 2 / 5, 88 / 135]),
    exercise(
        "14.2",
        "the value of the first game",
        "row 1's share in the first game",
        "the value of the second game",
        "row 1's share in the second game",
        wrong={
            "5 is what (8) gives. It needs that both players mix, and a share of 3 is not a probability. Look for a "
            "saddle point.": lambda: [None, None, 5, None],
            "2/7 is the column player's share of column 1.": lambda: [None, 2 / 7, None, None],
        },
    )(lambda: [1 / 7, 3 / 7, 1, 1]),
    exercise(
        "14.5",
        "a",
        "b",
        "c",
        wrong={"56, 3 and 18 are in units of 1/256. Give stakes between 0 and 1.": lambda: [56, 3, 18]},
    )(lambda: [56 / 256, 3 / 256, 18 / 256]),
    exercise("14.6", calls=[[6, 4, 10], [6, 8, 20], [4, 5, 15], [6, 30, 25]])(
        lambda sides, n, target: {4: 0.31477393, 8: 0.23687257, 5: 0.17268694, 30: 0}[n]  # by the solutions' program
    ),
    exercise("14.8", *(f"the share of hold at {n}" for n in (15, 18, 20, 22, 25, 28, 30)), decimals=4)(
        lambda: [0, 0, 0, 0, 1, 0, 0]  # hold at 25 beats the six others
    ),
    exercise("14.10", "δ if he sees the lot", "the bound for δ if he knows the odds", decimals=4)(
        lambda: [0.23245, 0.26254]  # by the solutions' program
    ),
    exercise("14.h1", "u(1, 1)", "u(1, 2)", "u(2, 1)", "u(2, 2)")(lambda: [3 / 4, 15 / 16, 6 / 11, 96 / 121]),
    exercise("14.h2", "the value", "π₁", "π₂", "π₃", "σ₁", "σ₂")(lambda: [1.6, 0.2, 0.8, 0, 0.4, 0.6]),
    exercise("14.h3", "the pairs with mixing", "the number of dice", "the price", decimals=5)(
        lambda: [10, 3, 0.0722116]  # three games of Shapley, in each of which player 1 has one number of dice
    ),
]
