"""The rolls of several dice as outcomes."""

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement, product

from .model import Outcome

__all__ = ["FAIR", "outcomes_of"]

FAIR = {face: Fraction(1, 6) for face in range(1, 7)}


def outcomes_of(dice, result_of):
    """The outcomes of a roll; rolls with the same result are merged.

    Parameters
    ----------
    dice : sequence of pair
        A die, which maps faces to probabilities, and how many of them are rolled; a pair for each kind of dice.
    result_of : callable
        ``result_of(roll)`` is the result of a roll: a tuple of faces, in ascending order among the dice of each kind.

    Returns
    -------
    tuple of Outcome
    """
    merged = {}
    for parts in product(*(combinations_with_replacement(die, number) for die, number in dice)):
        chance = Fraction(1)
        for roll, (die, number) in zip(parts, dice, strict=True):
            orders = math.factorial(number) // math.prod(map(math.factorial, Counter(roll).values()))
            chance *= orders * math.prod(map(die.get, roll))
        roll = sum(parts, ())
        result = result_of(roll)
        alike = repr(result)  # choices that set aside different dice compare equal
        _, chances = merged.setdefault(alike, (result, {}))
        chances[roll] = chance
    return tuple(Outcome(sum(chances.values()), result, tuple(chances)) for result, chances in merged.values())
