"""Crocce and Mordecki (2014): one turn of Ten Thousand for the most chips, by the paper's own two algorithms.

A configuration i = [f, o, t] has f fives, o ones, and three of a kind of another face t, or t = 0 without three of a
kind. Its score in chips is s(i), and d(i) is its number of dice. In a state (τ, i, n) the turn total is τ chips, i is
the last configuration, and n dice are in hand. The player may stop, roll, or move: give up some scoring combinations of
i, to have more dice in hand. From the critical threshold on the player always stops.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

from dicelab._validation import check_int

__all__ = ["algorithm_4_2", "appendix_algorithm", "configurations"]

MOST_CHIPS = 10_000
NO_SCORE = 0, 0, 0


def score(i):
    """s(i) of the configuration i = [f, o, t]."""
    f, o, t = i
    return f + 2 * o + 14 * (o >= 3) + 7 * (f >= 3) + 2 * t


def dice(i):
    """d(i)."""
    return i[0] + i[1] + 3 * (i[2] > 0)


def precedes(j, i):
    """Whether j ≺ i: some, but not all, of the scoring combinations of i make j."""
    return j not in (i, NO_SCORE) and j[0] <= i[0] and j[1] <= i[1] and j[2] in (0, i[2])


def configurations(n):
    """The number of the 6ⁿ rolls of n dice that have each configuration, a dict (Table 5)."""
    counts = Counter()
    for roll in product(range(1, 7), repeat=check_int(n, "n", 1, 6)):
        triples = [face for face in (2, 3, 4, 6) if roll.count(face) >= 3]
        counts[roll.count(5), roll.count(1), triples[0] if triples else 0] += 1
    return dict(counts)


COUNTS = {n: configurations(n) for n in range(1, 6)}


def in_hand(n, i):
    """The dice in hand after configuration i was rolled with n dice: the others, or all five if all dice scored."""
    return n - dice(i) or 5


def roll_value(n, value_after):
    """The value of a roll, Vr = Σ p(k)·value_after(k) over all configurations k of n dice; a bust counts 0."""
    return sum(
        Fraction(count, 6**n) * value_after(k) for k, count in COUNTS[n].items() if k != NO_SCORE
    )


def stop_or_roll(tau, n, rolled):
    """The value and the action if a roll has the value `rolled`; with five dice in hand the player must roll."""
    return (Fraction(tau), "s") if n < 5 and rolled <= tau else (rolled, "r")


def algorithm_4_2(threshold=56):
    """The value and the action of every state below the threshold, in Fractions (Algorithm 4.2).

    We go from the threshold down. The value of a roll depends on states with more chips only. Then, if a move from
    another state leads to the present one, that other state takes the move if it improves its value.

    Returns
    -------
    values, actions : dict
        By (τ, i, n); the turn starts in (0, (0, 0, 0), 5). An action is "s" (stop), "r" (roll), or the configuration
        that a move leads to.

    Examples
    --------
    >>> values, actions = algorithm_4_2()
    >>> round(float(values[0, (0, 0, 0), 5]), 6)
    5.872019
    """
    threshold = check_int(threshold, "threshold", 1, MOST_CHIPS)
    hands = {
        i: [n for n in range(1, 6) if dice(i) + n <= 5 or n == 5]
        for i in COUNTS[5]
        if i != NO_SCORE
    }
    values, actions = {}, {}

    def value_after(tau, n):
        return lambda k: values.get((tau + score(k), k, in_hand(n, k)), Fraction(tau + score(k)))

    for tau in range(threshold - 1, -1, -1):
        for n in range(5, 0, -1):
            rolled = roll_value(n, value_after(tau, n))
            for i in (i for i in hands if n in hands[i]):
                values[tau, i, n], actions[tau, i, n] = stop_or_roll(tau, n, rolled)
                for j in (j for j in hands if n < 5 and precedes(i, j) and dice(j) < dice(i) + n):
                    origin = tau - score(i) + score(j), j, n - dice(j) + dice(i)
                    if origin in values and values[origin] < rolled:
                        values[origin], actions[origin] = rolled, i
    start = 0, NO_SCORE, 5
    values[start], actions[start] = roll_value(5, value_after(0, 5)), "r"
    return values, actions


def appendix_algorithm(threshold=56):
    """The same on five labels of configurations, the only ones in which a move can improve the value (Appendix).

    The labels are "5" for [2, 0, 0] and [1, 1, 0], "1" for [0, 2, 0], "55" for [2, 1, 0], "51" for [1, 2, 0], and "0"
    for all other configurations. Where a single five is given up, lines 15 and 19 of the paper print m55 and m51. Here
    the action is m5.

    Returns
    -------
    values, actions : dict
        By (label, τ, n). An action is "s", "r", or the name of a move.

    Examples
    --------
    >>> values, actions = appendix_algorithm()
    >>> actions["5", 2, 3]
    'm5'
    """
    threshold = check_int(threshold, "threshold", 1, MOST_CHIPS)
    labels = {(2, 0, 0): "5", (1, 1, 0): "5", (0, 2, 0): "1", (2, 1, 0): "55", (1, 2, 0): "51"}
    # label, chips and dice given up, most dice in hand before the move, name
    moves = [
        ("5", 1, 1, 3, "m5"),
        ("1", 2, 1, 3, "m1"),
        ("55", 1, 1, 2, "m5"),
        ("55", 2, 2, 2, "m55"),
    ]
    moves += [("51", 1, 1, 2, "m5"), ("51", 3, 2, 2, "m51")]
    values, actions = {}, {}

    def value_after(tau, n):
        def value(k):
            total, hand = tau + score(k), in_hand(n, k)
            return values.get(
                (labels.get(k, "0") if hand < 5 else "0", total, hand), Fraction(total)
            )

        return value

    for tau in range(threshold - 1, -1, -1):
        for n in range(5, 0, -1):
            rolled = roll_value(n, value_after(tau, n))
            for label in ("0", "5", "1", "55", "51"):
                values[label, tau, n], actions[label, tau, n] = stop_or_roll(tau, n, rolled)
            for label, chips, given_up, most, name in moves:
                origin = label, tau + chips, n - given_up
                if n - given_up <= most and origin in values and values[origin] < rolled:
                    values[origin], actions[origin] = rolled, name
    return values, actions
