"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)
"""

from .games import Choice, Game, Mode, Outcome, double_trouble, generalized_pig, pig, piglet, two_dice_pig
from .policies import Policy, Rule, Solution, hold_at
from .published import compare, published
from .solver import solve

__all__ = [
    "Choice",
    "Game",
    "Mode",
    "Outcome",
    "Policy",
    "Rule",
    "Solution",
    "compare",
    "double_trouble",
    "generalized_pig",
    "hold_at",
    "pig",
    "piglet",
    "published",
    "solve",
    "two_dice_pig",
]
