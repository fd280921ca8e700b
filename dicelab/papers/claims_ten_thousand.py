"""How the claims of ten-thousand (Crocce and Mordecki 2014) are checked: `CHECKS`, a function for every claim."""

from ..games.catalogue import ten_thousand
from .claims import solved, verdict_of

__all__ = ["CHECKS"]


def _open_question():
    """Section 5 asks whether an algorithm of this kind can solve the game of two players."""
    race = solved(ten_thousand())
    return verdict_of(race.residual <= 1e-13, f"the first player wins with probability {race.value:.6f}")


CHECKS = {"open-question": _open_question}
