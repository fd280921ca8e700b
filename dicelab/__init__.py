"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)
"""

from importlib import import_module

from .catalogue import double_trouble, farkle, generalized_pig, pig, piglet, ten_thousand, two_dice_pig
from .comparison import compare
from .games import Choice, Game, Mode, Outcome
from .policies import Policy, Solution
from .published import published
from .rules_of_thumb import Rule, end_race_or_keep_pace, hold_at, scoring_turns
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
    "bounds",
    "certify",
    "compare",
    "double_trouble",
    "end_race_or_keep_pace",
    "evaluate",
    "farkle",
    "generalized_pig",
    "hold_at",
    "odds",
    "pig",
    "piglet",
    "published",
    "scoring_turns",
    "simulate",
    "solve",
    "sweep",
    "ten_thousand",
    "two_dice_pig",
]

LATER = {  # rooms that import what takes time: numba, joblib
    "best_response": "match",
    "bounds": "certificate",
    "certify": "certificate",
    "evaluate": "match",
    "odds": "worth",
    "simulate": "montecarlo",
    "sweep": "studies",
}


def __getattr__(name):
    """Import the rest when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module 'dicelab' has no attribute {name!r}")
    return getattr(import_module(f".{LATER[name]}", __name__), name)
