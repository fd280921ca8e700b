"""How the claims of generalized-pig (Crocce and Mordecki 2018) are checked: `CHECKS`, a function for every claim."""

from ..games.catalogue import pig
from .claims import exceptions, solved

__all__ = ["CHECKS"]


def _first_above_half():
    """Section 4.1: the value is larger than 0.5 for all targets."""
    return exceptions(solved(pig(1000)).by_target() > 0.5, "targets")


CHECKS = {"first-above-half": _first_above_half}
