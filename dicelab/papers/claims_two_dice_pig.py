"""How the claims of two-dice-pig (Zhu and Ma 2022) are checked: `CHECKS`, a function for every claim."""

import numpy as np

from ..games.catalogue import two_dice_pig
from .claims import exceptions, solved, verdict_of

__all__ = ["CHECKS"]


def _second_above_half():
    """In the text: the optimal strategy wins more than half of its games against hold at 23."""
    value = solved(two_dice_pig()).value
    return verdict_of(value > 0.5, f"moving first wins with probability {value:.4f}")


def _one_boundary():
    """Figure 2: a player rolls below the boundary and holds above it."""
    rolls = solved(two_dice_pig()).policy.roll_mask()
    own, _, total = np.indices(rolls.shape, sparse=True)
    inside = (own + total < 100) & (total > 0)
    again = (rolls[:, :, 1:] & ~rolls[:, :, :-1] & inside[:, :, 1:] & (total[:, :, 1:] > 1)).any(axis=2)
    return exceptions(~again, "pairs of scores")


CHECKS = {"moving-first": _second_above_half, "figure-2-caption": _one_boundary}
