"""LastTurnSolution, the result of a race in which the other player has a last turn, and LastTurnPolicy, its policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from ._shown import Shown, WithArrays, title_of
from ._validation import check_int, check_score, invalid
from .games.model import Game
from .policies import branch_index

__all__ = ["LastTurnPolicy", "LastTurnSolution"]


@dataclass(frozen=True, eq=False)
class LastTurnPolicy(Shown):
    """The policy of a :class:`LastTurnSolution`. Decisions are computed from the values when they are asked for.

    In all methods, `own` is a score in 0, …, target - 1. So is `opponent`, or it is the score to beat, at least the
    target: then this is the last turn. `role` matters in "equal turns" alone: 0 for the player who moves first in a
    round, 1 for the other one. By default it is 0, and 1 in a last turn.

    Parameters
    ----------
    game : Game
    decide : callable
        ``decide(own, opponent, role)`` returns the decisions to roll (modes, T) and the choices (B, T), by turn total.
        Behind the last turn total every hold is right.
    name : str

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> policy = solve(pig(finish="last licks")).policy
    >>> policy.rolls(own=90, opponent=80, turn_total=12), policy.rolls(own=90, opponent=80, turn_total=20)
    (True, False)
    >>> policy.rolls(own=80, opponent=110, turn_total=30)  # a draw would lose
    True
    """

    game: Game
    decide: Callable = field(repr=False)
    name: str = "optimal policy"

    def __repr__(self):
        return f"<LastTurnPolicy of {title_of(self.game)}: {self.name}>"

    def rolls(
        self,
        own: int,
        opponent: int,
        turn_total: int,
        mode: str | None = None,
        *,
        role: int | None = None,
    ) -> bool:
        """Whether to roll; at the target and above, too.

        Parameters
        ----------
        own, opponent : int
        turn_total : int
            At 0, the start of the turn, the player always rolls.
        mode : str, optional
            The name of the turn's mode; by default the first mode.
        role : {0, 1}, optional

        Returns
        -------
        bool
        """
        number, turn_total = self.game.mode(mode), check_int(turn_total, "turn_total", 0)
        rolls = self.decisions(own, opponent, role=role)[number]
        return (
            bool(rolls[turn_total])
            if turn_total < len(rolls)
            else not self.game.modes[number].may_hold
        )

    def keep(
        self,
        own: int,
        opponent: int,
        turn_total: int,
        roll: Sequence[int],
        mode: str | None = None,
        *,
        role: int | None = None,
    ) -> tuple[tuple[int, ...], bool]:
        """The dice to set aside after a roll, and whether to roll again; see :meth:`dicelab.Policy.keep`."""
        turn_total = check_int(turn_total, "turn_total", 0)
        found, outcome = self.game.classify_roll(roll, mode)
        if not outcome.choices:
            return (), False
        _, choices = self._decide(own, opponent, role)
        choice = outcome.choices[0]
        if len(outcome.choices) > 1:
            branch = branch_index(self.game)[
                self.game.mode(found.name), found.outcomes.index(outcome)
            ]
            if turn_total >= choices.shape[1]:
                raise invalid(
                    "turn_total",
                    turn_total,
                    f"less than {choices.shape[1]}, where every hold is right",
                )
            choice = outcome.choices[choices[branch, turn_total]]
        return choice.aside, self.rolls(
            own, opponent, turn_total + choice.points, choice.mode, role=role
        )

    def decisions(self, own: int, opponent: int, *, role: int | None = None) -> np.ndarray:
        """Whether to roll, ndarray of bool (modes, T), by turn total; at T and more a player who may hold holds."""
        return self._decide(own, opponent, role)[0]

    def hold_threshold(
        self, own: int, opponent: int, mode: str | None = None, *, role: int | None = None
    ) -> int:
        """The lowest turn total at which to hold."""
        rolls = self.decisions(own, opponent, role=role)[self._holding(mode)]
        return int(np.append(rolls, False).argmin())

    def hold_above(
        self, own: int, opponent: int, mode: str | None = None, *, role: int | None = None
    ) -> int:
        """The lowest score, at the target or above, at which to hold; in a last turn the lowest score to hold at.

        A player may also hold below the target, of course, see :meth:`hold_threshold`; this is the score at which to
        stop in a turn that has come so far.

        Examples
        --------
        >>> from dicelab import pig, solve
        >>> policy = solve(pig(finish="equal turns")).policy
        >>> [policy.hold_above(own=80, opponent=score) for score in (0, 50, 80, 95)]
        [100, 100, 100, 107]
        """
        rolls = self.decisions(own, opponent, role=role)[self._holding(mode)]
        above = max(self.game.target - own, 1)
        return own + above + int(np.append(rolls[above:], False).argmin())

    def _holding(self, mode):
        """The number of a mode that allows a hold."""
        number = self.game.mode(mode)
        if not self.game.modes[number].may_hold:
            raise ValueError(f"mode: {self.game.modes[number].name!r} does not allow a hold")
        return number

    def _decide(self, own, opponent, role):
        target = self.game.target
        equal = self.game.finish == "equal turns"
        own, opponent = check_score(own, "own", target), check_int(opponent, "opponent", 0)
        last = opponent >= target
        role = int(last) if role is None else check_int(role, "role", 0, 1)
        if last and equal and role == 0:
            said = f"a score below the target, {target}"
            raise invalid(
                "opponent", opponent, f"{said}, to the first in the round, who has no last turn"
            )
        return self.decide(own, opponent, role)


@dataclass(frozen=True, eq=False, kw_only=True)
class LastTurnSolution(WithArrays):
    """The solution of a race of two players with the finish "equal turns" or "last licks"; see :class:`dicelab.Game`.

    Attributes
    ----------
    game : Game
    values : ndarray (2, target, target)
        ``values[role, own, opponent]`` is the probability to win of the player about to move, a draw counting half, at
        the start of a turn. Role 0 is the player who moves first in a round, 1 the other one; in "last licks" their
        values are the same. Read-only; float64, or Fraction objects if `exact`.
    policy : LastTurnPolicy
        Holds where rolling and holding have the same value.
    exact : bool
        Whether the arithmetic was rational.
    residual : float or Fraction
        How far the equations are from holding in the returned values, at worst; 0 if `exact`.
    error : float
        An estimate of how far values may be off by rounding, not a proof; 0 if `exact`.

    Examples
    --------
    >>> from dicelab import pig, piglet, solve
    >>> solve(pig(finish="equal turns"))
    <LastTurnSolution of Pig to 100, equal turns: 0.45642 to the player who moves first, error 6e-15>
    >>> solve(piglet(1, finish="last licks"), exact=True).value
    Fraction(7, 12)
    """

    game: Game
    values: np.ndarray = field(repr=False)
    policy: LastTurnPolicy = field(repr=False)
    exact: bool = False
    residual: float | Fraction
    error: float

    def __repr__(self):
        accuracy = "exact" if self.exact else f"error {self.error:.0e}"
        said = f"{float(self.value):.6g} to the player who moves first"
        return f"<LastTurnSolution of {title_of(self.game)}: {said}, {accuracy}>"

    @property
    def value(self) -> float | Fraction:
        """The probability to win of the player who moves first, a draw counting half; a Fraction if `exact`."""
        value = self.values[0, 0, 0]
        return value if self.exact else float(value)
