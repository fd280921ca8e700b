"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)
"""

from importlib import import_module

from .games import Choice, Game, Mode, Outcome, double_trouble, generalized_pig, pig, piglet, two_dice_pig
from .policies import Policy, Rule, Solution, end_race_or_keep_pace, hold_at, scoring_turns
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
    "best_response",
    "compare",
    "double_trouble",
    "end_race_or_keep_pace",
    "evaluate",
    "generalized_pig",
    "hold_at",
    "pig",
    "piglet",
    "published",
    "scoring_turns",
    "simulate",
    "solve",
    "two_dice_pig",
]

LATER = {"best_response": "match", "evaluate": "match", "simulate": "montecarlo"}  # rooms that need numba


def __getattr__(name):
    """Import what needs numba when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module 'dicelab' has no attribute {name!r}")
    return getattr(import_module(f".{LATER[name]}", __name__), name)
