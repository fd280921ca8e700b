"""Ten Thousand: the answers to the exercises, and wrong answers to expect, the same for everybody."""

from fractions import Fraction

from collection.course.exercises import exercise


@exercise(
    "17.6",
    decimals=0,
    calls=[[3], [10], [37], [100], [500]],
    wrong={
        "That comes out if the sum begins with 1/(k − 1). The next best may be candidate k + 1, with the term 1/k.": (
            lambda n: first_taken(n) + 1
        )
    },
)
def first_taken(n):
    """The same for everybody."""
    return min(k for k in range(1, n + 1) if sum(Fraction(1, j) for j in range(k, n)) <= 1)


EXERCISES = [
    exercise(
        "17.1",
        *(
            f"the probability for {number}"
            for number in ("one die", "two dice", "three dice", "four dice", "five dice")
        ),
        wrong={
            "8/27 is (2/3)³. Three equal dice score as well, three twos for example.": (
                lambda: [None, None, 8 / 27, None, None]
            )
        },
    )(lambda: [Fraction(2, 3), Fraction(4, 9), Fraction(5, 18), Fraction(17, 108), Fraction(25, 324)]),
    exercise(
        "17.2",
        "k from which one more roll does not pay",
        "k from which the optimal player holds",
        decimals=0,
        wrong={
            "18 is G₄ ÷ p₀(4) = 18.25, rounded down. At 18 chips one more roll pays.": lambda: [18, None],
        },
    )(lambda: [19, 21]),
    # The numbers of exercises 3, 4, 5, 7 and 8 are computed in the solutions.
    exercise("17.3", "the value of a turn")(lambda: 5.57632628),
    exercise("17.4", calls=[[5], [6], [7], [10], [30]])(
        lambda n: {5: 5.18369828, 6: 4.76809942, 7: 4.29507542, 10: 4.32496043, 30: 0.94266456}[n]
    ),
    exercise("17.5", calls=[[0], [5], [12], [20]])(
        lambda k: {0: 0.89114763, 5: 1.00099338, 12: -0.12504208, 20: -1}[k]
    ),
    exercise("17.7", "what rolling brings, in chips")(lambda: 3.17260907),
    exercise("17.8", "the points a turn", decimals=4, wrong={"5.2026 is in units of ten points.": lambda: 5.2026})(
        lambda: 52.02637
    ),
    exercise("17.h1", "the probability")(lambda: Fraction(2, 81)),
    # A decision process without the holds that are not allowed; and one that counts the rolls of the optimal policy.
    exercise("17.h2", calls=[[1], [6], [10], [20]])(
        lambda least: {1: 5.87201892, 6: 5.69777474, 10: 4.82995141, 20: 3.00246414}[least]
    ),
    exercise("17.h3", "the number of rolls")(lambda: 2.14562420),
]
