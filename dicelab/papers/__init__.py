"""The papers: printed numbers, computed numbers and their comparison.

The names below are imported when they are asked for: recipes and checks need numba and SciPy.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..policies import FinishesAtOnce as FinishesAtOnce
    from .alone import PointsToGo as PointsToGo
    from .published import DATA as DATA
    from .published import PAPERS as PAPERS
    from .published import errata as errata
    from .published import exact_value as exact_value
    from .published import half_unit as half_unit
    from .published import in_full as in_full
    from .published import paper_of as paper_of
    from .published import printed_claims as printed_claims
    from .published import resource as resource
    from .recipes import BEST_TOTALS as BEST_TOTALS
    from .recipes import COLUMNS as COLUMNS
    from .recipes import after_a_roll as after_a_roll
    from .recipes import numbers_of_turns as numbers_of_turns
    from .recipes import optimal_against_hold_at_n as optimal_against_hold_at_n
    from .recipes import optimal_as_printed as optimal_as_printed
    from .recipes import turn_state as turn_state
    from .recipes import with_standard_errors as with_standard_errors

PLACES = {
    "BEST_TOTALS": "recipes",
    "COLUMNS": "recipes",
    "DATA": "published",
    "FinishesAtOnce": ".policies",
    "PAPERS": "published",
    "PointsToGo": "alone",
    "after_a_roll": "recipes",
    "errata": "published",
    "exact_value": "published",
    "half_unit": "published",
    "in_full": "published",
    "numbers_of_turns": "recipes",
    "optimal_against_hold_at_n": "recipes",
    "optimal_as_printed": "recipes",
    "paper_of": "published",
    "printed_claims": "published",
    "resource": "published",
    "turn_state": "recipes",
    "with_standard_errors": "recipes",
}
__all__ = sorted(PLACES)


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(f"module 'dicelab.papers' has no attribute {name!r}")
    return getattr(import_module(f".{PLACES[name]}", __name__), name)


def __dir__():
    return __all__
