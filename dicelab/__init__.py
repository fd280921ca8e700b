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
from .evaluation import studies as studies
from .evaluation.action_values import action_values
from .evaluation.best_response import best_response
from .evaluation.loss import loss
from .evaluation.match import Match as Match
from .evaluation.match import evaluate
from .evaluation.simulation import Estimate as Estimate
from .evaluation.simulation import simulate
from .evaluation.solving import solve
from .evaluation.studies import first_player, hold_at_n, turn_points
from .evaluation.sweep import sweep
from .games.catalogue import double_trouble, generalized_pig, hog, pig, piglet, two_dice_pig
from .games.model import Choice, Game, Mode, Outcome
from .games.registers import Register, Score
from .games.set_aside import farkle, ten_thousand
from .policies import Policy
from .rules_of_thumb import Rule, end_race_or_keep_pace, hold_at, scoring_turns
from .solution import Solution as Solution

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
    "turn_points",
    "two_dice_pig",
]
MODULES = (
    "games",
    "plots",
    "studies",
)  # not in `__all__`, as what `plots` needs may not be installed


if TYPE_CHECKING:
    from .views import plots as plots
else:  # a type checker finds the names that do not exist

    def __getattr__(name):
        """Matplotlib takes its time: figures are imported when they are asked for."""
        if name == "plots":
            return import_module(".views.plots", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names that are typed often."""
    return sorted([*__all__, *MODULES, "__version__"])
