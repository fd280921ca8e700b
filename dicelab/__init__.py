"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)
"""

from importlib import import_module

from .games.catalogue import double_trouble, farkle, generalized_pig, pig, piglet, ten_thousand, two_dice_pig
from .games.model import Choice, Game, Mode, Outcome
from .papers.comparison import compare
from .papers.published import published
from .policies import Policy, Rule, end_race_or_keep_pace, hold_at, scoring_turns
from .solution import Solution
from .solvers import solve

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

LATER = {  # imported when asked for, as numba and joblib take their time
    "best_response": "evaluation.best_response",
    "bounds": "solvers.certify",
    "certify": "solvers.certify",
    "evaluate": "evaluation.match",
    "odds": "evaluation.action_values",
    "plots": "views",
    "simulate": "evaluation.simulation",
    "sweep": "evaluation.sweep",
    "widgets": "views",
}


def __getattr__(name):
    """Import the rest when it is asked for."""
    if name not in LATER:
        raise AttributeError(f"module 'dicelab' has no attribute {name!r}")
    module = import_module(f".{LATER[name]}", __name__)
    return import_module(f".views.{name}", __name__) if LATER[name] == "views" else getattr(module, name)
