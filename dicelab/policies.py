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

from .doors import as_decisions, as_flag, as_kind, as_one_of, as_score, as_whole
from .games import Game, as_game, decisions_of
from .memory import check_memory

__all__ = ["OBJECTIVES", "OptimalPolicy", "Policy", "Solution", "as_policy", "as_solution", "branch_numbers"]
__all__ += ["branching"]

OBJECTIVES = ("win", "margin", "turns", "score")
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

    def takes(self, game, own, memory=0):
        """The choices taken at one own score; unless a policy says otherwise, those with the most points.

        Returns
        -------
        ndarray of uint8, (target, B, target)
            The number of the choice, by opponent's score, outcome with more than one choice, and turn total.
        """
        most = [
            max(range(len(outcome.choices)), key=lambda c: outcome.choices[c].points) for outcome in branching(game)
        ]
        return np.tile(np.array(most, dtype=np.uint8)[:, None], (game.target, 1, game.target))

    def row(self, game, own, memory=0):
        """All decisions to roll at one own score, with `memory` turns that scored, if the policy looks at that.

        Returns
        -------
        ndarray of bool, (target, modes, target)
            Indexed [opponent, mode, turn total]; False wherever the turn total reaches the target.
        """
        target, modes, missing = game.target, len(game.modes), game.target - own
        rolls = np.zeros((target, modes, target), dtype=bool)
        for opponent in range(target):
            found = self.decisions(game, own, opponent, memory)
            rolls[opponent, :, :missing] = as_decisions(found, "decisions", self, bool, (modes, missing))
        return rolls

    def both(self, game, own):
        """What :meth:`row` and :meth:`takes` return, for one own score."""
        return self.row(game, own), self.takes(game, own)

    def table(self, game, memory=0):
        """All decisions to roll; see :meth:`row`.

        Returns
        -------
        ndarray of bool, (target, target, modes, target)
            Indexed [own, opponent, mode, turn total].

        Raises
        ------
        ValueError
            If it would take more than 1 GiB; `decisions` answers for one pair of scores.
        """
        table = np.empty(table_shape(game), dtype=bool)
        for own in range(game.target):
            table[own] = self.row(game, own, memory)
        return table


def branching(game):
    """The outcomes with more than one choice, a list, in the order of the modes."""
    return [outcome for mode in game.modes for outcome in mode.outcomes if len(outcome.choices) > 1]


def branch_numbers(game):
    """The number of an outcome in :func:`branching`, a dict by the numbers of its mode and of the outcome in it."""
    places = [(m, k) for m, mode in enumerate(game.modes) for k, o in enumerate(mode.outcomes) if len(o.choices) > 1]
    return {place: number for number, place in enumerate(places)}


def table_shape(game):
    """The shape of all decisions of a game; ValueError if they take more than 1 GiB, MemoryError on a small machine."""
    shape, instead = (game.target, game.target, len(game.modes), game.target), "ask for one pair of scores, by"
    instead += " rolls(own, opponent, turn_total) or decisions(game, own, opponent)"
    if math.prod(shape) > TABLE_LIMIT:
        said = f"target: {game.target} makes a table of {math.prod(shape):,} bytes, more than {TABLE_LIMIT:,}"
        raise ValueError(f"{said}; {instead}")
    check_memory(2 * math.prod(shape), f"a table of all decisions of {game.name} to {game.target}", instead)
    return shape


def as_policy(value, field):
    """Read `value` as a :class:`Policy`."""
    return as_kind(value, field, Policy, "a policy, for example dicelab.hold_at(20)")


def as_solution(value, objectives=OBJECTIVES, field="solution"):
    """Read `value` as a :class:`Solution` of one of some objectives."""
    as_kind(value, field, Solution, "what dicelab.solve(game) returns")
    if value.objective not in objectives:
        said = f"give one of {', '.join(map(repr, objectives))}"
        raise ValueError(f"{field}: objective {value.objective!r} is not allowed; {said}")
    return value


@dataclass(frozen=True, eq=False)
class OptimalPolicy(Policy):
    """The policy of a solution; decisions are computed from the values when they are asked for.

    Parameters
    ----------
    game : Game
    decide : callable
        ``decide(pairs, rolls, takes)`` fills in the decisions; see :func:`dicelab.race.decide`.
    """

    game: Game
    decide: Callable = field(repr=False)

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`; ValueError for another game than the one that was solved."""
        self._check(game)
        own, opponent = self.score(own, "own"), self.score(opponent, "opponent")
        return self.decide_all([[own, opponent]])[0][0, :, : game.target - own]

    def takes(self, game, own, memory=0):
        """See :meth:`Policy.takes`; ValueError for another game than the one that was solved."""
        return self.both(game, own)[1] if branching(game) else super().takes(game, own)

    def row(self, game, own, memory=0):
        """See :meth:`Policy.row`; ValueError for another game than the one that was solved."""
        return self.decide_all(self._pairs(game, own))[0]

    def both(self, game, own):
        """See :meth:`Policy.both`; ValueError for another game than the one that was solved."""
        return self.decide_all(self._pairs(game, own), len(branching(game)))

    def _pairs(self, game, own):
        self._check(game)
        own = self.score(own, "own")
        return [[own, opponent] for opponent in range(game.target)]

    def decide_all(self, pairs, branches=0):
        """Whether to roll, (pairs, modes, target), and the choices taken, (pairs, branches, target)."""
        shape = len(pairs), len(self.game.modes), self.game.target
        rolls, takes = np.zeros(shape, dtype=bool), np.zeros((shape[0], branches, shape[2]), dtype=np.uint8)
        self.decide(np.array(pairs, dtype=int).reshape(-1, 2), rolls, takes)
        return rolls, takes

    def table(self, game, memory=0):
        """See :meth:`Policy.table`; ValueError for another game than the one that was solved."""
        self._check(game)
        return self._table

    @cached_property
    def _table(self):
        return super().table(self.game)

    def __getstate__(self):
        return {"game": self.game, "decide": self.decide}  # and nothing that can be computed again

    def _check(self, game):
        if as_game(game) != self.game:
            mine, other = (f"{g.name} to {g.target}" for g in (self.game, game))
            raise ValueError(f"game: this policy is for {mine}, not {other}")

    def played_in(self, game):
        """The same decisions in another game; ValueError unless it has the same target, modes, holds and choices.

        If this game has no choices, the first are taken. Where the other game goes on although this one is over, this
        policy holds.
        """
        (*other, choices), (*mine, known) = map(decisions_of, (as_game(game), self.game))
        if other != mine or (known and known != choices):
            said = f"{game.name} to {game.target} has other scores, holds or choices"
            raise ValueError(f"game: {said} than {self.game.name}")
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
        own, opponent = self.score(own, "own"), self.score(opponent, "opponent")
        turn_total, mode = as_whole(turn_total, "turn_total", 0), self.game.mode(mode)
        if own + turn_total >= self.game.target and self.game.finish == "reach":
            return not self.game.modes[mode].may_hold
        if own + turn_total > self.game.target:
            raise ValueError(f"turn_total: {turn_total} overshoots the target; the turn has ended with nothing")
        if own + turn_total == self.game.target:
            return not self.game.modes[mode].may_hold
        return bool(self.decide_all([[own, opponent]])[0][0, mode, turn_total])

    def keep(self, own, opponent, turn_total, roll):
        """Which dice to set aside of a roll, and whether to roll on.

        Parameters
        ----------
        own, opponent : int
            Banked points, in 0, …, target - 1.
        turn_total : int
            Points of this turn before the roll, not enough to reach the target.
        roll : sequence of int
            The faces rolled.

        Returns
        -------
        aside : tuple of int
            The faces to set aside; empty if nothing scores.
        rolls : bool
            Whether to roll the dice in hand then; False if the turn is over.

        Raises
        ------
        ValueError
            If an argument is out of range, or so many dice are never rolled.

        Examples
        --------
        >>> from dicelab import solve, ten_thousand
        >>> solve(ten_thousand(20)).policy.keep(0, 0, 0, [5, 5, 2, 3, 6])
        ((5,), True)
        """
        own, opponent = self.score(own, "own"), self.score(opponent, "opponent")
        turn_total = as_whole(turn_total, "turn_total", 0)
        if own + turn_total >= self.game.target:
            raise ValueError(f"turn_total: {turn_total} reaches the target; there is no roll any more")
        mode, outcome = self.game.rolled(roll)
        if not outcome.choices:
            return (), False
        takes = self.decide_all([[own, opponent]], len(branching(self.game)))[1][0, :, turn_total]
        place = self.game.mode(mode.name), mode.outcomes.index(outcome)
        choice = outcome.choices[takes[branch_numbers(self.game)[place]] if len(outcome.choices) > 1 else 0]
        if own + turn_total + choice.points > self.game.target and self.game.finish == "exact":
            return choice.aside, False
        return choice.aside, self.rolls(own, opponent, turn_total + choice.points, choice.mode)

    def roll_mask(self, mode=None):
        """All decisions of one mode at once.

        Returns
        -------
        ndarray of bool, (target, target, target)
            Indexed [own, opponent, turn total]; True is roll. False wherever the turn total reaches the target.

        Raises
        ------
        ValueError
            If there is no such mode, or all decisions take more than 1 GiB, as for Pig to more than 1024; `rolls` and
            `decisions` answer for one pair of scores.
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

    def score(self, value, field):
        """A banked score in 0, …, target - 1, read as an int; ValueError names `field`."""
        return as_score(value, field, self.game.target)


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
        How far the solver's evaluations of a pair of scores, x = f(y) and y = g(x), and what it takes resets to be
        worth, are from agreeing, at worst; 0 if `exact`. Rounding within an evaluation is not in it.
        Relative for "turns".
    error : float
        About how far values may be off by rounding; 0 if `exact`. An estimate, no certificate.
    radius : float or None
        No value is further than this from the true one, as :mod:`dicelab.radius` proves; 0 for an exact race. None if
        there is no proof: it is for "win", one die, and no resets. :func:`dicelab.bounds` takes longer, is for all
        games, and tighter.
    ties : tuple or None
        If `exact`, the decisions at which rolling and holding are worth the same, each as (own, opponent, turn total,
        mode); None if not known.
    evaluations, walked : int or None
        How often a turn was evaluated, and how many turn totals were walked in that: the cost of the solution.
        One Newton step of a pair takes two evaluations. None if `exact`.
    overshoot : bool
        Whether points beyond the target count in the margin.
    against : Policy or None
        The fixed policy that this is a best response to.
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
    overshoot: bool = False
    against: Policy | None = None
    radius: float | None = None

    def __post_init__(self):
        as_game(self.game)
        as_one_of(self.objective, "objective", OBJECTIVES)
        as_policy(self.policy, "policy")
        as_flag(self.exact, "exact")
        as_flag(self.overshoot, "overshoot")
        values, target = as_kind(self.values, "values", np.ndarray, "an array of values"), self.game.target
        shape = {"turns": (target,), "score": values.shape}.get(self.objective, (target, target))
        if values.shape != shape or (self.objective == "score" and values.ndim != 2):
            raise ValueError(f"values: an array of shape {values.shape} is not allowed; give one of shape {shape}")
        self.values.flags.writeable = False

    def __setstate__(self, state):
        self.__dict__.update(state)
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
