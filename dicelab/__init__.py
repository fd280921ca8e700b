"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)
"""

from .games import Choice, Game, Mode, Outcome, generalized_pig, pig, piglet
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
    "generalized_pig",
    "hold_at",
    "pig",
    "piglet",
    "published",
    "solve",
]
