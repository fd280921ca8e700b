"""The papers: printed numbers, computed numbers and their comparison.

The names below are imported when they are asked for: recipes and checks need numba and SciPy.
"""

from importlib import import_module

PLACES = {
    "BEST_TOTALS": "recipes",
    "FinishesAtOnce": "alone",
    "PAPERS": "published",
    "PointsToGo": "alone",
    "after_a_roll": "recipes",
    "always_rolls_from": "recipes",
    "best": "items",
    "errata": "published",
    "exact_value": "published",
    "in_both_orders": "recipes",
    "in_full": "published",
    "kinds_of_rolls": "recipes",
    "last_safe_score": "recipes",
    "moves": "recipes",
    "numbers_of_turns": "recipes",
    "optimal_against_hold_at_n": "recipes",
    "pairs_seen": "recipes",
    "paper_of": "published",
    "played": "recipes",
    "reachable": "recipes",
    "resource": "published",
    "rolls_again": "recipes",
    "simulated_beside": "recipes",
    "turn_states": "recipes",
    "verdicts": "tables",
    "with_standard_errors": "recipes",
}
__all__ = sorted(PLACES)


def __getattr__(name):
    if name not in PLACES:
        raise AttributeError(f"module 'collection.papers' has no attribute {name!r}")
    return getattr(import_module(f".{PLACES[name]}", __name__), name)


def __dir__():
    return __all__
