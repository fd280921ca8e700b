"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)

``dir(dicelab)`` lists what is typed often. Further games are in `dicelab.games`, figures in `dicelab.plots`. The
classes of results (:class:`dicelab.Match`, :class:`dicelab.Estimate` and others) can be imported, too.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from . import games as games
from ._accuracy import ConvergenceError
from ._validation import PublicModule, no_attribute
from .evaluation.solving import solve
from .games.catalogue import double_trouble, generalized_pig, hog, pig, piglet, two_dice_pig
from .games.model import Choice, Game, Mode, Outcome
from .games.registers import Register, Score
from .games.set_aside import farkle, ten_thousand
from .policies import Policy
from .rules_of_thumb import Rule, end_race_or_keep_pace, hold_at, scoring_turns

if TYPE_CHECKING:
    from .evaluation import studies as studies
    from .evaluation.action_values import action_values
    from .evaluation.best_response import best_response
    from .evaluation.loss import loss
    from .evaluation.match import Match as Match
    from .evaluation.match import evaluate
    from .evaluation.simulation import Estimate as Estimate
    from .evaluation.simulation import simulate
    from .evaluation.studies import first_player, hold_at_n, turn_points
    from .evaluation.sweep import sweep
    from .games.catalogue import big_pig as big_pig
    from .games.catalogue import pass_the_pigs as pass_the_pigs
    from .games.catalogue import toss_up as toss_up
    from .games.set_aside import facebook_farkle as facebook_farkle
    from .games.set_aside import kingdom_come as kingdom_come
    from .games.set_aside import zilch as zilch
    from .solution import Solution as Solution
    from .views import plots as plots
    from .views.tables import to_frame

    odds = action_values

__version__ = version("dicelab")
__all__ = [
    "Choice",
    "ConvergenceError",
    "Game",
    "Mode",
    "Outcome",
    "Policy",
    "Register",
    "Rule",
    "Score",
    "action_values",
    "best_response",
    "double_trouble",
    "end_race_or_keep_pace",
    "evaluate",
    "farkle",
    "first_player",
    "generalized_pig",
    "hog",
    "hold_at",
    "hold_at_n",
    "loss",
    "pig",
    "piglet",
    "scoring_turns",
    "simulate",
    "solve",
    "sweep",
    "ten_thousand",
    "to_frame",
    "turn_points",
    "two_dice_pig",
]
MODULES = {  # not in `__all__`, as what they need may not be installed
    "games": "games",
    "plots": "views.plots",
    "studies": "evaluation.studies",
}
MOVED = {  # by where names are imported from now
    "collection": ("check", "compare", "papers", "published", "textbook"),
    "dicelab_extras": ("learning",),
    "dicelab_extras.grading": ("Grade", "grade"),
    "dicelab_extras.learning": ("environments",),
    "dicelab_extras.play": ("widgets",),
    "dicelab_extras.proofs": ("bounds", "certify", "export", "write_certificate"),
}
LATER = {  # imported when they are asked for, as numba, joblib and matplotlib take their time
    "action_values": "evaluation.action_values",
    "best_response": "evaluation.best_response",
    "evaluate": "evaluation.match",
    "first_player": "evaluation.studies",
    "hold_at_n": "evaluation.studies",
    "loss": "evaluation.loss",
    "simulate": "evaluation.simulation",
    "sweep": "evaluation.sweep",
    "to_frame": "views.tables",
    "turn_points": "evaluation.studies",
}
UNLISTED = {  # one level down for `dir`: the classes of results, and games that are rarely played
    "Estimate": "evaluation.simulation",
    "Match": "evaluation.match",
    "Solution": "solution",
    "big_pig": "games",
    "facebook_farkle": "games",
    "kingdom_come": "games",
    "odds": "evaluation.action_values:action_values",
    "pass_the_pigs": "games",
    "toss_up": "games",
    "zilch": "games",
}


# A type checker knows all names from above, and finds those that do not exist.
if not TYPE_CHECKING:
    games.__class__ = PublicModule

    def __getattr__(name):
        """Import the rest when it is asked for."""
        if name in MODULES:
            module = import_module(f".{MODULES[name]}", __name__)
            module.__class__ = PublicModule
            return module
        for place, names in MOVED.items():
            if name in names:
                raise AttributeError(f"dicelab.{name} has moved: from {place} import {name}")
        if name not in LATER | UNLISTED:
            raise no_attribute("module 'dicelab'", name, [*__dir__(), *UNLISTED])
        module, _, attribute = (LATER | UNLISTED)[name].partition(":")
        return getattr(import_module(f".{module}", __name__), attribute or name)


def __dir__() -> list[str]:
    """The names that are typed often."""
    return sorted([*__all__, *MODULES, "__version__"])
