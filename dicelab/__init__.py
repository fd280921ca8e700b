"""dicelab: jeopardy dice games solved exactly.

>>> import dicelab as dl
>>> dl.solve(dl.pig(target=10), exact=True).value
Fraction(7776, 10961)
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING

from ._accuracy import ConvergenceError
from .deadline import DeadlineSolution
from .games.catalogue import (
    big_pig,
    double_trouble,
    generalized_pig,
    hog,
    pass_the_pigs,
    pig,
    piglet,
    toss_up,
    two_dice_pig,
)
from .games.model import Choice, Game, Mode, Outcome
from .games.registers import Register, Score
from .games.set_aside import facebook_farkle, farkle, kingdom_come, ten_thousand, zilch
from .last_turn import LastTurnPolicy, LastTurnSolution
from .multiplayer import MultiplayerPolicy, MultiplayerSolution
from .papers.comparison import compare
from .papers.published import published
from .policies import Policy, Rule, end_race_or_keep_pace, hold_at, scoring_turns
from .solution import Solution
from .solvers import solve

if TYPE_CHECKING:
    from . import textbook as textbook
    from .evaluation import environments as environments
    from .evaluation.action_values import action_values
    from .evaluation.action_values import action_values as odds
    from .evaluation.audit import Audit, audit
    from .evaluation.best_response import best_response
    from .evaluation.grade import Grade, grade
    from .evaluation.komi import Komi, komi
    from .evaluation.loss import loss
    from .evaluation.match import Match, evaluate
    from .evaluation.multiplayer import MultiplayerMatch
    from .evaluation.simulation import Estimate, MultiplayerEstimate, simulate
    from .evaluation.sweep import sweep
    from .evaluation.turn_outcomes import turn_points
    from .papers.exercises import check
    from .solvers.certificate_file import WrittenCertificate, write_certificate
    from .solvers.certify import Certificate, bounds, certify
    from .solvers.export import export
    from .views import plots as plots
    from .views import widgets as widgets
    from .views.tables import to_frame

__version__ = version("dicelab")
__all__ = [
    "Audit",
    "Certificate",
    "Choice",
    "ConvergenceError",
    "DeadlineSolution",
    "Estimate",
    "Game",
    "Grade",
    "Komi",
    "LastTurnPolicy",
    "LastTurnSolution",
    "Match",
    "Mode",
    "MultiplayerEstimate",
    "MultiplayerMatch",
    "MultiplayerPolicy",
    "MultiplayerSolution",
    "Outcome",
    "Policy",
    "Register",
    "Rule",
    "Score",
    "Solution",
    "WrittenCertificate",
    "action_values",
    "audit",
    "best_response",
    "big_pig",
    "bounds",
    "certify",
    "check",
    "compare",
    "double_trouble",
    "end_race_or_keep_pace",
    "evaluate",
    "export",
    "facebook_farkle",
    "farkle",
    "generalized_pig",
    "grade",
    "hog",
    "hold_at",
    "kingdom_come",
    "komi",
    "loss",
    "odds",
    "pass_the_pigs",
    "pig",
    "piglet",
    "published",
    "scoring_turns",
    "simulate",
    "solve",
    "sweep",
    "ten_thousand",
    "to_frame",
    "toss_up",
    "turn_points",
    "two_dice_pig",
    "write_certificate",
    "zilch",
]

LATER = {  # imported when asked for, as numba, joblib and matplotlib take their time: a module, or a name in a module
    "Audit": "evaluation.audit:Audit",
    "Certificate": "solvers.certify:Certificate",
    "Estimate": "evaluation.simulation:Estimate",
    "Grade": "evaluation.grade:Grade",
    "Komi": "evaluation.komi:Komi",
    "Match": "evaluation.match:Match",
    "MultiplayerEstimate": "evaluation.simulation:MultiplayerEstimate",
    "MultiplayerMatch": "evaluation.multiplayer:MultiplayerMatch",
    "WrittenCertificate": "solvers.certificate_file:WrittenCertificate",
    "action_values": "evaluation.action_values:action_values",
    "audit": "evaluation.audit:audit",
    "best_response": "evaluation.best_response:best_response",
    "bounds": "solvers.certify:bounds",
    "certify": "solvers.certify:certify",
    "check": "papers.exercises:check",
    "environments": "evaluation.environments",
    "evaluate": "evaluation.match:evaluate",
    "export": "solvers.export:export",
    "grade": "evaluation.grade:grade",
    "komi": "evaluation.komi:komi",
    "loss": "evaluation.loss:loss",
    "odds": "evaluation.action_values:action_values",
    "plots": "views.plots",
    "simulate": "evaluation.simulation:simulate",
    "sweep": "evaluation.sweep:sweep",
    "textbook": "textbook",
    "to_frame": "views.tables:to_frame",
    "turn_points": "evaluation.turn_outcomes:turn_points",
    "widgets": "views.widgets",
    "write_certificate": "solvers.certificate_file:write_certificate",
}


if not TYPE_CHECKING:  # a type checker knows all names from above, and finds those that do not exist

    def __getattr__(name):
        """Import the rest when it is asked for."""
        if name not in LATER:
            raise AttributeError(f"module 'dicelab' has no attribute {name!r}")
        module, _, attribute = LATER[name].partition(":")
        found = import_module(f".{module}", __name__)
        return getattr(found, attribute) if attribute else found


def __dir__() -> list[str]:
    """The public names; the modules are not in ``__all__``, because what they need may not be installed."""
    return sorted([*__all__, "__version__", "environments", "plots", "textbook", "widgets"])
