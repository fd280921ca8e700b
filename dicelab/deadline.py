"""DeadlineSolution, the result of the objective "deadline": the chance to reach the target within n turns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from ._shown import WithArrays, title_of
from ._validation import check_int
from .games.model import Game
from .solution import OptimalPolicy

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DeadlineSolution"]


@dataclass(frozen=True, eq=False, kw_only=True)
class DeadlineSolution(WithArrays):
    """The solution of a race of one player against a deadline.

    Attributes
    ----------
    game : Game
    turns : int
        The number of turns at the start, n ≥ 1.
    values : ndarray (n + 1, target)
        ``values[left, own]`` is the probability in [0, 1] to reach the target within `left` turns, at the start of the
        first of them; row 0 is 0. In a game with registers by the place of the score in ``game.scores``. Read-only;
        float64, or Fraction objects if `exact`.
    decide : callable
        ``decide(left, pairs, rolls, choices)`` fills in the decisions of a turn with `left` turns left, this one
        included; see :class:`dicelab.solution.OptimalPolicy`.
    exact : bool
        Whether the arithmetic was rational.
    error : float
        An estimate of how far values may be off by rounding, not a proof; 0 if `exact`.

    Examples
    --------
    >>> from dicelab import solve, two_dice_pig
    >>> solution = solve(two_dice_pig(), "deadline", turns=5)
    >>> solution
    <DeadlineSolution of Two-dice Pig to 100, 5 turns: probability 0.0890597 to reach the target, error 9e-15>
    >>> solution.values[1:, 90].round(3).tolist()  # at 90 points, within one to five turns
    [0.532, 0.759, 0.856, 0.902, 0.923]
    >>> [solution.policy(left).rolls(90, 0, turn_total=6) for left in (1, 2, 5)]
    [True, True, False]
    """

    game: Game
    turns: int
    values: np.ndarray = field(repr=False)
    decide: Callable = field(repr=False)
    exact: bool = False
    error: float

    objective = "deadline"

    def __repr__(self):
        accuracy = "exact" if self.exact else f"error {self.error:.0e}"
        said = f"probability {float(self.value):.6g} to reach the target"
        return f"<DeadlineSolution of {title_of(self.game)}, {turns_in_words(self.turns)}: {said}, {accuracy}>"

    @property
    def value(self) -> float | Fraction:
        """The probability to reach the target within all turns, from score 0; a Fraction if `exact`."""
        value = self.values[-1, self.game.index(self.game.after_reset)]
        return value if self.exact else float(value)

    def policy(self, turns_left: int) -> OptimalPolicy:
        """The optimal policy of a turn, by the number of turns left.

        Parameters
        ----------
        turns_left : int
            This turn included, 1, …, ``self.turns``.

        Returns
        -------
        OptimalPolicy
            It does not look at the opponent's score, and holds where rolling and holding have the same value. It is
            for one turn: a player takes ``policy(turns_left - 1)`` for the next one. So whatever plays whole games, as
            :func:`dicelab.evaluate`, refuses it.
        """
        left = check_int(turns_left, "turns_left", 1, self.turns)
        return OptimalPolicy(
            self.game, partial(self.decide, left), f"policy with {turns_in_words(left)} left", left
        )

    def by_turns(self) -> pd.DataFrame:
        """The probabilities `values`, a DataFrame by turns left (index, 0, …, n) and own score (columns)."""
        import pandas as pd

        left = pd.RangeIndex(self.turns + 1, name="turns left")
        return pd.DataFrame(self.values, left, pd.Index(self.game.scores, name="own"))


def turns_in_words(turns):
    """ "1 turn", "5 turns"."""
    return f"{turns:,} turn{'s' * (turns > 1)}"
