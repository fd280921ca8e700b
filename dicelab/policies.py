"""Policies, and what a solver returns.

A policy answers one question: with so many points banked, the opponent having so many, and so many points in this
turn, roll or hold? All through, *own* and *opponent* are banked scores in 0, …, target - 1, the *turn total* is at
least 0, and a turn begins with a roll.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from .games import Game, as_whole

__all__ = ["OptimalPolicy", "Policy", "Rule", "Solution", "end_race_or_keep_pace", "hold_at", "scoring_turns"]

TABLE_LIMIT = 2**30  # bytes


class Policy:
    """What every policy can be asked. A kind of policy has to say only `decisions`.

    Attributes
    ----------
    memory : int
        How many states it remembers: 1, none, or S, if it looks at the number of its turns that scored, up to S - 1.
    """

    memory = 1

    def decisions(self, game, own, opponent, memory=0):
        """Whether to roll, for one pair of scores of `game` and every mode and turn total that does not finish.

        Returns
        -------
        ndarray of bool, (modes, target - own)
            Column k is for turn total k. Column 0, the first roll of the turn, and modes without a hold are True.
        """
        raise NotImplementedError

    def table(self, game, memory=0):
        """All decisions of all modes, with `memory` turns that scored, if the policy looks at that.

        Returns
        -------
        ndarray of bool, (target, target, modes, target)
            Indexed [own, opponent, mode, turn total]; False wherever the turn total reaches the target.

        Raises
        ------
        ValueError
            If it would take more than 1 GiB; `decisions` answers for one pair of scores.
        """
        table = np.zeros(table_shape(game), dtype=bool)
        for own in range(game.target):
            for opponent in range(game.target):
                table[own, opponent, :, : game.target - own] = self.decisions(game, own, opponent, memory)
        return table


def table_shape(game):
    """The shape of all decisions of a game; ValueError if they take more than 1 GiB."""
    shape = (game.target, game.target, len(game.modes), game.target)
    if math.prod(shape) > TABLE_LIMIT:
        said = f"target: {game.target} makes a table of {math.prod(shape):,} bytes"
        raise ValueError(f"{said}; ask for one pair of scores, by rolls(own, opponent, turn_total)")
    return shape


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
    """

    name: str
    holds: Callable = field(repr=False)
    memory: int = 1

    def rolls(self, own, opponent, turn_total, target=None, scored=0):
        """Whether the rule rolls, a bool. Without a `target`, no total reaches it."""
        own, opponent = as_whole(own, "own", 0), as_whole(opponent, "opponent", 0)
        turn_total, scored = as_whole(turn_total, "turn_total", 0), as_whole(scored, "scored", 0)
        if target is not None and own + turn_total >= as_whole(target, "target", 1):
            return False
        return turn_total == 0 or not bool(self._holds(own, opponent, np.array([turn_total]), target, scored)[0])

    def _holds(self, own, opponent, totals, target, scored):
        remembered = (min(scored, self.memory - 1),) if self.memory > 1 else ()
        return np.broadcast_to(
            self.holds(own, opponent, totals, target, *remembered), np.shape(own + opponent + totals)
        )

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`."""
        return self._rolls(game, np.array([own]), np.array([opponent]), memory)[0, 0, :, : game.target - own]

    def table(self, game, memory=0):
        """See :meth:`Policy.table`."""
        table_shape(game)
        return self._rolls(game, *np.ogrid[: game.target, : game.target], memory)

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
    return Rule(f"hold at {n}", lambda own, opponent, totals, target: totals >= n)


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

    def holds(own, opponent, totals, target, scored=0):
        return totals >= (_known(target) - own) // (n - scored)

    return Rule(f"{n} scoring turns", holds, n)


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

    def holds(own, opponent, totals, target):
        near = np.maximum(own, opponent) >= _known(target) - 29
        return ~near & (totals >= 21 + (opponent - own + 4) // 8)

    return Rule("end race or keep pace", holds)


def _known(target):
    if target is None:
        raise ValueError("target: None is not allowed; this rule looks at the points that are missing")
    return target


@dataclass(frozen=True, eq=False)
class OptimalPolicy(Policy):
    """The policy of a solution; decisions are computed from the values when they are asked for.

    Parameters
    ----------
    game : Game
    decide : callable
        ``decide(pairs)``, for an int array (n, 2) of own and opponent's scores, gives a bool array
        (n, modes, target): whether to roll, by turn total.
    """

    game: Game
    decide: Callable = field(repr=False)

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`; ValueError for another game than the one that was solved."""
        self._check(game)
        return self.decide(np.array([[own, opponent]]))[0, :, : game.target - own]

    def table(self, game, memory=0):
        """See :meth:`Policy.table`; ValueError for another game than the one that was solved."""
        self._check(game)
        return self._table

    @cached_property
    def _table(self):
        shape = table_shape(self.game)
        return self.decide(np.argwhere(np.ones(shape[:2], dtype=bool))).reshape(shape)

    def _check(self, game):
        if game != self.game:
            mine, other = (f"{g.name} to {g.target}" for g in (self.game, game))
            raise ValueError(f"game: this policy is for {mine}, not {other}")

    def played_in(self, game):
        """The same decisions in another game; ValueError unless it has the same target and modes of the same names.

        Where the other game goes on although this one is over, this policy holds.
        """
        if (game.target, [m.name for m in game.modes]) != (self.game.target, [m.name for m in self.game.modes]):
            raise ValueError(f"game: {game.name} to {game.target} has other scores or modes than {self.game.name}")
        return OptimalPolicy(game, self.decide)

    def rolls(self, own, opponent, turn_total, mode=None):
        """Whether to roll.

        Parameters
        ----------
        own, opponent : int
            Banked points, in 0, …, target - 1.
        turn_total : int
            Points of this turn so far. 0 is the start of the turn: it is always a roll.
        mode : str, optional
            The name of the mode the turn is in; by default the first.

        Returns
        -------
        bool
            False, hold, where rolling and holding are worth the same.
        """
        own, opponent = self._score(own, "own"), self._score(opponent, "opponent")
        turn_total, mode = as_whole(turn_total, "turn_total", 0), self.game.mode(mode)
        if own + turn_total >= self.game.target and self.game.finish == "reach":
            return not self.game.modes[mode].may_hold
        if own + turn_total > self.game.target:
            raise ValueError(f"turn_total: {turn_total} overshoots the target; the turn has ended with nothing")
        if own + turn_total == self.game.target:
            return not self.game.modes[mode].may_hold
        return bool(self.decide(np.array([[own, opponent]]))[0, mode, turn_total])

    def roll_mask(self, mode=None):
        """All decisions of one mode at once.

        Returns
        -------
        ndarray of bool, (target, target, target)
            Indexed [own, opponent, turn total]; True is roll. False wherever the turn total reaches the target.

        Raises
        ------
        ValueError
            If all decisions take more than 1 GiB; `rolls` and `decisions` answer for one pair of scores.
        """
        return self._table[:, :, self.game.mode(mode)].copy()

    def lowest_holds(self, mode=None):
        """The lowest turn total at which to hold, for every pair of scores.

        Returns
        -------
        ndarray of int, (target, target)
            In points, [own, opponent]; target - own, where the policy rolls until it reaches the target.
        """
        rolls = self._table[:, :, self.game.mode(mode)]
        return np.pad(rolls, [(0, 0), (0, 0), (0, 1)]).argmin(axis=2)

    def _score(self, value, field):
        value = as_whole(value, field, 0)
        if value >= self.game.target:
            raise ValueError(f"{field}: {value} is not allowed; give a score in 0, …, {self.game.target - 1}")
        return value


@dataclass(frozen=True, eq=False)
class Solution:
    """A solved game.

    Attributes
    ----------
    game : Game
    objective : str
        "win": values are probabilities in [0, 1].
    values : ndarray (target, target)
        ``values[own, opponent]`` is the value to the player about to move, at the start of the turn. Read-only;
        float64, or Fraction objects if `exact`.
    policy : OptimalPolicy
        Holds where rolling and holding are worth the same.
    exact : bool
        Whether the arithmetic was rational.
    residual : float or Fraction
        Largest absolute error of the Bellman equation over all pairs of scores; 0 if `exact`.
    error : float
        About how far values may be off by rounding; 0 if `exact`. An estimate, no certificate.
    ties : tuple or None
        If `exact`, the decisions at which rolling and holding are worth the same, each as (own, opponent, turn total,
        mode); None if not known.
    evaluations, walked : int or None
        How often a turn was evaluated, and how many turn totals were walked in that: the cost of the solution.
        One Newton step of a pair takes two evaluations. None if `exact`.
    """

    game: Game
    objective: str
    values: np.ndarray = field(repr=False)
    policy: OptimalPolicy = field(repr=False)
    exact: bool
    residual: object
    error: float
    ties: tuple | None = field(repr=False, default=None)
    evaluations: int | None = None
    walked: int | None = None

    def __post_init__(self):
        self.values.flags.writeable = False

    @property
    def value(self):
        """The value at the start of the game to the player about to move; float, or Fraction if `exact`."""
        value = self.values[(0,) * self.values.ndim]
        return value if self.exact else float(value)

    def by_target(self):
        """The value of the same game at every target up to this one, from this one solution.

        What is worth what depends only on the points that both players still need, so that a game to n is this game
        from the scores target - n on.

        Returns
        -------
        pandas.Series
            Indexed by target, 1, …, ``game.target``.

        Raises
        ------
        ValueError
            If the game has resets: they lead back to the start, which depends on the target.
        """
        import pandas as pd

        if self.game.resets:
            raise ValueError(f"{self.game.name} has resets; its values at one target say nothing about another")
        targets = pd.RangeIndex(1, self.game.target + 1, name="target")
        return pd.Series(self.values.diagonal()[::-1], index=targets, name="value")
