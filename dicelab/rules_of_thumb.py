"""Rules that a person can play by."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from .doors import as_name, as_whole, refusal
from .policies import Policy

__all__ = ["Rule", "end_race_or_keep_pace", "hold_at", "scoring_turns"]


@dataclass(frozen=True)
class Rule(Policy):
    """A rule that a person can play by.

    Parameters
    ----------
    name : str
    holds : callable
        ``holds(own, opponent, turn_total, target)`` is whether to hold; the first three are int arrays, and the
        answer is a bool array that broadcasts with them. That who has reached the target holds need not be said.
        If the rule has a memory, a fifth argument is the number of its turns that have scored.
    memory : int
        1, or S for a rule that looks at the number of its turns that have scored, which counts up to S - 1.

    Raises
    ------
    ValueError
        If a field is none of these; when it is played, if the function's answer is none.
    """

    name: str
    holds: Callable = field(repr=False)
    memory: int = 1

    def __post_init__(self):
        as_name(self.name, "name", "the rule a name")
        if not callable(self.holds):
            raise refusal("holds", self.holds, "a function of own, opponent, turn_total and target")
        object.__setattr__(self, "memory", as_whole(self.memory, "memory", 1))

    def rolls(self, own, opponent, turn_total, target=None, scored=0):
        """Whether the rule rolls, a bool. Without a `target`, no total reaches it."""
        own, opponent = as_whole(own, "own", 0), as_whole(opponent, "opponent", 0)
        turn_total, scored = as_whole(turn_total, "turn_total", 0), as_whole(scored, "scored", 0)
        if target is not None and own + turn_total >= as_whole(target, "target", 1):
            return False
        return turn_total == 0 or not bool(self._holds(own, opponent, np.array([turn_total]), target, scored)[0])

    def _holds(self, own, opponent, totals, target, scored):
        remembered = (min(scored, self.memory - 1),) if self.memory > 1 else ()
        said = np.asarray(self.holds(own, opponent, totals, target, *remembered))
        shape = np.shape(own + opponent + totals)
        fits = said.ndim <= len(shape) and all(n in (1, m) for n, m in zip(said.shape[::-1], shape[::-1], strict=False))
        if said.dtype != bool or not fits:
            raise ValueError(
                f"holds: {self.name!r} answers with {said.dtype} of shape {said.shape}; it must give bools"
            )
        return np.broadcast_to(said, shape)

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`."""
        return self._rolls(game, np.array([own]), np.array([opponent]), memory)[0, 0, :, : game.target - own]

    def row(self, game, own, memory=0):
        """See :meth:`Policy.row`."""
        return self._rolls(game, np.array([own]), np.arange(game.target), memory)[0]

    def _rolls(self, game, own, opponent, memory):
        """Whether to roll, for scores that broadcast against each other, and every mode and turn total."""
        own, opponent, total = own.reshape(-1, 1, 1, 1), opponent.reshape(1, -1, 1, 1), np.arange(game.target)
        forced = ~np.array([mode.may_hold for mode in game.modes])[:, None]
        rolls = ~self._holds(own, opponent, total, game.target, memory) | (total == 0) | forced
        return rolls & (own + total < game.target)


def hold_at(n):
    """Hold as soon as the turn total is at least `n`, or enough to reach the target.

    Parameters
    ----------
    n : int
        Points, at least 1. Where a mode does not allow a hold, the rule holds as soon as one is allowed.

    Returns
    -------
    Rule

    Examples
    --------
    >>> hold_at(20).rolls(0, 0, 19), hold_at(20).rolls(0, 0, 20), hold_at(20).rolls(90, 0, 10, target=100)
    (True, False, False)
    """
    n = as_whole(n, "n", 1)
    return Rule(f"hold at {n}", HoldsAt(n))


def scoring_turns(n):
    """Share what is missing among the turns left of `n` that score (Neller and Presser 2010, "n scoring turns").

    Hold at ⌊(target - own score) / (n - turns scored)⌋; the last of the n turns rolls for the target.

    Parameters
    ----------
    n : int
        At least 1. To be told the number of turns scored, `rolls` takes ``scored``; it needs the target, too.

    Returns
    -------
    Rule

    Examples
    --------
    >>> scoring_turns(4).rolls(30, 0, 23, target=100, scored=1), scoring_turns(4).rolls(30, 0, 22, target=100, scored=1)
    (False, True)
    """
    n = as_whole(n, "n", 1)
    return Rule(f"{n} scoring turns", SharesWhatIsMissing(n), n)


def end_race_or_keep_pace():
    """Roll for the target once either player is near it, else keep pace (Neller and Presser 2010).

    If either player needs at most 29 points, roll to win. Else hold at 21 and an eighth of the opponent's lead. A half
    is rounded up: then the rule loses 0.922 % to the optimum, as published; with halves to even it is 0.931 %.

    Returns
    -------
    Rule

    Examples
    --------
    >>> rule = end_race_or_keep_pace()
    >>> rule.rolls(0, 0, 20, target=100), rule.rolls(0, 0, 21, target=100), rule.rolls(0, 71, 60, target=100)
    (True, False, True)
    """
    return Rule("end race or keep pace", EndsRaceOrKeepsPace())


def _known(target):
    if target is None:
        raise ValueError("target: None is not allowed; this rule looks at the points that are missing")
    return target


@dataclass(frozen=True)
class HoldsAt:
    """See :func:`hold_at`."""

    n: int

    def __call__(self, own, opponent, totals, target):
        """Whether to hold."""
        return totals >= self.n


@dataclass(frozen=True)
class SharesWhatIsMissing:
    """See :func:`scoring_turns`."""

    n: int

    def __call__(self, own, opponent, totals, target, scored=0):
        """Whether to hold."""
        return totals >= (_known(target) - own) // (self.n - scored)


@dataclass(frozen=True)
class EndsRaceOrKeepsPace:
    """See :func:`end_race_or_keep_pace`."""

    def __call__(self, own, opponent, totals, target):
        """Whether to hold."""
        near = np.maximum(own, opponent) >= _known(target) - 29
        return ~near & (totals >= 21 + (opponent - own + 4) // 8)


OURS = HoldsAt, SharesWhatIsMissing, EndsRaceOrKeepsPace  # functions that cannot change, equal if they decide alike
