"""Crocce and Mordecki (2014): one turn of Ten Thousand for the most chips, by the paper's own two algorithms.

A configuration i = [f, o, t] has f fives, o ones, and three of a kind of t (0: none); s(i), d(i) and c(i) are its score
in chips, its dice and its scoring combinations. A state (τ, i, n) has τ chips, i being the last configuration, and n
dice in hand. From the critical threshold on the player stops.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

from ..doors import as_whole

__all__ = ["algorithm_4_2", "appendix_algorithm", "configurations"]

MOST_CHIPS = 10_000
NOTHING = 0, 0, 0


def score(i):
    """s(i) of the configuration [f, o, t]."""
    f, o, t = i
    return f + 2 * o + 14 * (o >= 3) + 7 * (f >= 3) + 2 * t


def dice(i):
    """d(i)."""
    return i[0] + i[1] + 3 * (i[2] > 0)


def smaller(j, i):
    """Whether j ≺ i: the scoring combinations of j are some, not all, of those of i."""
    return j not in (i, NOTHING) and j[0] <= i[0] and j[1] <= i[1] and j[2] in (0, i[2])


def configurations(n):
    """How many of the 6ⁿ rolls of n dice have each configuration, a dict (Table 5)."""
    found = Counter()
    for roll in product(range(1, 7), repeat=as_whole(n, "n", 1, 6)):
        triples = [face for face in (2, 3, 4, 6) if roll.count(face) >= 3]
        found[roll.count(5), roll.count(1), triples[0] if triples else 0] += 1
    return dict(found)


FREQUENCIES = {n: configurations(n) for n in range(1, 6)}


def in_hand(n, i):
    """The dice in hand after i was rolled with n: those that did not score, or all five anew."""
    return n - dice(i) or 5


def rolling(n, worth):
    """Vr: Σ over configurations f(n, k)/6ⁿ · worth(k), a roll without a score being worth nothing."""
    return sum(Fraction(count, 6**n) * worth(k) for k, count in FREQUENCIES[n].items() if k != NOTHING)


def algorithm_4_2(threshold=56):
    """The value and the action of every state below the threshold, in Fractions (Algorithm 4.2).

    A roll's value is known once those with more chips are; a state from which a move leads to the present one is then
    improved, if the move pays.

    Returns
    -------
    values, actions : dict
        By (τ, i, n), the start being (0, (0, 0, 0), 5). An action is "s" (stop), "r" (roll) or where to move to.
    """
    threshold = as_whole(threshold, "threshold", 1, MOST_CHIPS)
    every = {i: [n for n in range(1, 6) if dice(i) + n <= 5 or n == 5] for i in FREQUENCIES[5] if i != NOTHING}
    values, actions = {}, {}

    def after(tau, n):
        """What each configuration is worth that is rolled with n dice at τ chips."""
        return lambda k: values.get((tau + score(k), k, in_hand(n, k)), Fraction(tau + score(k)))

    for tau in range(threshold - 1, -1, -1):
        for n in range(5, 0, -1):
            rolled = rolling(n, after(tau, n))
            for i in (i for i, hands in every.items() if n in hands):
                stops = n < 5 and rolled <= tau
                values[tau, i, n], actions[tau, i, n] = (Fraction(tau), "s") if stops else (rolled, "r")
                for j in (j for j in every if n < 5 and smaller(i, j) and dice(j) < dice(i) + n):
                    better = tau - score(i) + score(j), j, n - dice(j) + dice(i)
                    if better in values and values[better] < rolled:
                        values[better], actions[better] = rolled, i
    start = 0, NOTHING, 5
    values[start], actions[start] = rolling(5, after(0, 5)), "r"
    return values, actions


def appendix_algorithm(threshold=56):
    """The same on five labels of configurations, for which alone a move can pay (Appendix).

    Label "0" stands for all configurations but [2, 0, 0] and [1, 1, 0], "5"; [0, 2, 0], "1"; [2, 1, 0], "55"; and
    [1, 2, 0], "51". Where a single five is given up, the paper's lines 15 and 19 say m55 and m51; here it is m5.

    Returns
    -------
    values, actions : dict
        By (label, τ, n); an action is "s", "r", or the name of a move.
    """
    threshold = as_whole(threshold, "threshold", 1, MOST_CHIPS)
    labels = {(2, 0, 0): "5", (1, 1, 0): "5", (0, 2, 0): "1", (2, 1, 0): "55", (1, 2, 0): "51"}
    # label, chips and dice given up, most dice in hand after the roll, name
    moves = [("5", 1, 1, 3, "m5"), ("1", 2, 1, 3, "m1"), ("55", 1, 1, 2, "m5"), ("55", 2, 2, 2, "m55")]
    moves += [("51", 1, 1, 2, "m5"), ("51", 3, 2, 2, "m51")]
    values, actions = {}, {}

    def after(tau, n):
        def worth(k):
            total, hand = tau + score(k), in_hand(n, k)
            return values.get((labels.get(k, "0") if hand < 5 else "0", total, hand), Fraction(total))

        return worth

    for tau in range(threshold - 1, -1, -1):
        for n in range(5, 0, -1):
            rolled = rolling(n, after(tau, n))
            for label in ("0", "5", "1", "55", "51"):
                stops = n < 5 and rolled <= tau
                values[label, tau, n], actions[label, tau, n] = (Fraction(tau), "s") if stops else (rolled, "r")
            for label, chips, given, most, name in moves:
                better = label, tau + chips, n - given
                if n - given <= most and better in values and values[better] < rolled:
                    values[better], actions[better] = rolled, name
    return values, actions
