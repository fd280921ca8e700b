"""Solution, the result of every solver, and OptimalPolicy, the policy of a solution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ._shown import WithArrays, name_of, title_of
from ._validation import check_bool, check_int, check_option, check_type, invalid
from .games.model import Game, check_game, decisions_of
from .policies import OneGamePolicy, Policy, branching_outcomes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["NAMES", "OBJECTIVES", "OptimalPolicy", "Solution", "check_solution", "turns_in_words"]

OBJECTIVES = ("win", "margin", "turns", "score", "deadline")
NAMES = {  # of the optimal policies
    "win": "optimal policy",
    "margin": "optimal policy for the margin",
    "turns": "policy of the fewest turns",
    "score": "policy of the most points",
    "deadline": "policy against the deadline",
}
VALUE_OF = dict(
    zip(
        OBJECTIVES,
        ["to the player to move"] * 2 + ["turns", "expected from one turn", "to reach the target"],
        strict=True,
    )
)


@dataclass(frozen=True, eq=False)
class OptimalPolicy(OneGamePolicy):
    """The policy of a solution, for its game only. Decisions are computed from the values when they are asked for.

    Parameters
    ----------
    game : Game
    decide : callable
        ``decide(pairs, rolls, choices)`` fills in the decisions; see :func:`dicelab.solvers._kernels.greedy_decisions`.
        It also takes ``role=`` in a game with roles, and ``turns_left=`` against a deadline.
    name : str
    above : int
        The totals above the target at which the policy may still roll, where the other player has a last turn.
    clock, turns_left : int, optional
        For a policy against a deadline; see :class:`dicelab.Policy`.
    role : int, optional
        For a policy in one role.
    """

    game: Game
    decide: Callable = field(repr=False)
    name: str = NAMES["win"]
    above: int = field(default=0, repr=False)
    clock: int | None = field(default=None, kw_only=True)
    turns_left: int | None = field(default=None, kw_only=True)
    role: int | None = field(default=None, kw_only=True)

    decides_by_values = True  # which do not change

    def __repr__(self):
        if self.clock is not None and self.turns_left is None:
            return f"<OptimalPolicy of {title_of(self.game)}: asks how many of {turns_in_words(self.clock)} are left>"
        mode, total = self.first_hold()
        where = f"in mode {self.game.modes[mode].name!r} " if len(self.game.modes) > 1 else ""
        said = (
            "rolls until it wins"
            if total >= self.game.target + self.above
            else f"holds at {self.game.with_unit(total) if self.game.chip > 1 else total}"
        )
        return f"<OptimalPolicy of {title_of(self.game)}: {where}at scores 0 and 0 it {said}>"

    def first_hold(self):
        """The first mode that allows a hold, and the lowest turn total to hold at in it at scores 0 and 0."""
        reached = self.game.reached()
        mode = next(
            m for m, mode in enumerate(self.game.modes) if mode.may_hold and mode.name in reached
        )
        start = self.game.index(self.game.after_reset)
        return mode, int(np.append(self.decide_all([[start, start]])[0][0, mode], False).argmin())

    def when(self, *, role: int | None = None, turns_left: int | None = None) -> OptimalPolicy:
        """See :meth:`Policy.when`."""
        if turns_left is not None and self.clock is None:
            said = f"None; {self.name} is not against a deadline"
            raise invalid("turns_left", turns_left, said, ())
        if role is not None and self.game.finish != "equal turns":
            raise invalid(
                "role", role, f"None in {self.game.name}: only 'equal turns' has roles", ()
            )
        now = {}
        if role is not None:
            now["role"] = check_int(role, "role", 0, 1)
        if turns_left is not None:
            now["turns_left"] = check_int(turns_left, "turns_left", 1, self.clock)
        if all(getattr(self, name) == value for name, value in now.items()):
            return self
        known = vars(self).setdefault("_when", {})  # a policy in one role is recorded once
        if (*now.items(),) not in known:
            known[(*now.items(),)] = replace(self, **now)
        return known[(*now.items(),)]

    def last_turn_at(self, game, own, beaten, memory=0):
        """See :meth:`Policy.last_turn_at`."""
        self.check_is_for(game)
        own, first = game.index(own), len(game.scores)
        pairs = [[own, first + k] for k in range(beaten)]
        return self.decide_all(pairs, len(branching_outcomes(game)))

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`."""
        self.check_is_for(game)
        rolls = self.decide_all([self._scores(own, opponent)])[0][0]
        return rolls if self.above else rolls[:, : game.missing(own)]

    def choices(self, game, own, memory=0):
        """See :meth:`Policy.choices`."""
        return (
            self.actions_at(game, own)[1]
            if branching_outcomes(game)
            else Policy.choices(self, game, own)
        )

    def choices_against(self, game, own, opponent, memory=0):
        """See :meth:`Policy.choices_against`."""
        self.check_is_for(game)
        return self.decide_all([self._scores(own, opponent)], len(branching_outcomes(game)))[1][0]

    def decisions_at(self, game, own, memory=0):
        """See :meth:`Policy.decisions_at`."""
        return self.decide_all(self._pairs(game, own))[0]

    def actions_at(self, game, own, memory=0):
        """See :meth:`Policy.actions_at`."""
        return self.decide_all(self._pairs(game, own), len(branching_outcomes(game)))

    def _pairs(self, game, own):
        self.check_is_for(game)
        own = game.index(own)
        return [[own, opponent] for opponent in range(len(game.scores))]

    def _scores(self, own, opponent):
        return self.game.index(own), self.game.index(opponent, "opponent")

    def decide_all(self, pairs, branches=0):
        """Whether to roll, (pairs, modes, T), and the choices taken, (pairs, branches, T), by turn total."""
        pairs = np.array(pairs, dtype=int).reshape(-1, 2)
        if self.clock is not None and self.turns_left is None:
            raise invalid("turns_left", None, f"the turns left, from 1 to {self.clock}", ())
        behind = int(pairs[:, 1].max(initial=0)) - len(self.game.scores)  # in a last turn
        totals = (
            self.game.longest + max(self.above, behind + 1) + 1
        )  # behind it, all is as in the last
        if not self.above:
            totals = self.game.longest
        modes = np.array([mode.may_hold for mode in self.game.modes])
        rolls = np.zeros((len(pairs), len(modes), totals), dtype=bool)
        if self.above:  # behind the last total where somebody might roll, a player rolls who must
            rolls[:, ~modes] = True
        choices = np.zeros((len(pairs), branches, totals), dtype=np.uint8)
        moment = {"role": self.role or 0} if self.game.finish == "equal turns" else {}
        if self.clock is not None:
            moment = {"turns_left": self.turns_left}
        self.decide(pairs, rolls, choices, **moment)
        return rolls, choices

    def table(self, game, memory=0):
        """See :meth:`Policy.table`."""
        self.check_is_for(game)
        return self._table

    @cached_property
    def _table(self):
        return super().table(self.game)

    def __getstate__(self):
        return {
            each.name: getattr(self, each.name) for each in fields(self)
        }  # nothing that can be computed again

    def transfer_to(self, game: Game) -> OptimalPolicy:
        """The same decisions in another game with the same target, modes, holds and choices.

        If the game of this policy has no choices, the first ones are taken. Where the turn goes on in the other game
        but has ended in this one, the policy holds. ValueError if the games do not fit.
        """
        (*other, choices), (*mine, solved) = map(decisions_of, (check_game(game), self.game))
        if other != mine or (solved and solved != choices):
            differs = f"{game.name} to {game.target} has other scores, holds or choices"
            raise ValueError(f"game: {differs} than {self.game.name}")
        return replace(self, game=game)


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution(WithArrays):
    """A solved game of one or two players.

    Attributes
    ----------
    game : Game
    objective : str
        What was asked for; see :func:`dicelab.solve`. With "win", values are probabilities in [0, 1].
    values : ndarray (target, target)
        ``values[own, opponent]`` is the value to the player about to move, at the start of the turn; in a game with
        registers, by the places of both scores in ``game.scores``. Read-only; float64, or Fraction objects if `exact`,
        which are written as decimals if they are long.
        In "equal turns" ``values[role, own, opponent]``, see :meth:`Policy.when`; for "turns" ``values[own]``, and for
        "deadline" ``values[turns left, own]``, in which row 0 is 0.
    policy : OptimalPolicy
        Holds where rolling and holding have the same value.
    exact : bool
        Whether the arithmetic was rational.
    residual : float or Fraction
        How far the solver's equations are from holding in the returned values, at worst: x = f(y) and y = g(x) for a
        pair of scores, and the values after a reset; 0 if `exact`. Rounding within an evaluation does not show in it.
        Relative for "turns".
    error : float
        An estimate of how far values may be off by rounding, not a proof; 0 if `exact`.
    ties : tuple or None
        If `exact`, the decisions at which rolling and holding have the same value, each as (own, opponent, turn total,
        mode); None if not known.
    evaluations, walked : int or None
        The cost of the solution: how often a turn was evaluated, and the number of turn totals in all of these
        evaluations. One Newton step of a pair takes two evaluations. None if `exact`.
    overshoot : bool
        Whether points beyond the target count in the margin.
    against : Policy or None
        The fixed policy that this is a best response to.
    turns : int or None
        For "deadline", the number of turns at the start.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> solution = solve(pig())
    >>> round(solution.value, 6), round(float(solution.values[30, 45]), 6)
    (0.530593, 0.402292)
    >>> solution.policy.rolls(own=30, opponent=45, turn_total=22)
    True
    """

    game: Game
    objective: str
    values: np.ndarray = field(repr=False)
    policy: OptimalPolicy = field(repr=False)
    exact: bool = False
    residual: float | Fraction
    error: float
    ties: tuple | None = field(repr=False, default=None)
    evaluations: int | None = None
    walked: int | None = None
    overshoot: bool = False
    against: Policy | None = None
    turns: int | None = None

    def __post_init__(self):
        check_game(self.game)
        check_option(self.objective, "objective", OBJECTIVES)
        check_type(self.policy, "policy", Policy, "a policy")
        check_bool(self.exact, "exact")
        check_bool(self.overshoot, "overshoot")
        values = check_type(self.values, "values", np.ndarray, "an array of values")
        size = len(self.game.scores)
        roles = (2,) if self.game.finish == "equal turns" else ()
        shape = {
            "turns": (size,),
            "score": values.shape,
            "deadline": ((self.turns or 0) + 1, size),
        }.get(self.objective, (*roles, size, size))
        if values.shape != shape or (self.objective == "score" and values.ndim != 2):
            raise ValueError(
                f"values: an array of shape {values.shape} is not allowed; give one of shape {shape}"
            )
        super().__post_init__()
        for name in ("residual", "error"):
            object.__setattr__(self, name, plain(getattr(self, name)))

    def __repr__(self):
        against = f" against {name_of(self.against)}" if self.against is not None else ""
        accuracy = "exact" if self.exact else f"error {self.error:.0e}"
        value = f"{float(self.value):.6g} {VALUE_OF[self.objective]}"
        within = f" within {turns_in_words(self.turns)}" if self.turns is not None else ""
        what = f'{title_of(self.game)}, "{self.objective}"{within}'
        return f"<Solution of {what}{against}: {value}, {accuracy}>"

    @property
    def value(self) -> float | Fraction:
        """The value at the start of the game to the player about to move; float, or Fraction if `exact`."""
        if self.objective != "score":
            return self.at()
        return plain(self.values[0, self.game.mode(self.game.register(self.game.after_reset).mode)])

    def at(
        self,
        own: int = 0,
        opponent: int = 0,
        *,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> float | Fraction:
        """The value at two scores, for "win" and "margin", or at one, for "turns" and "deadline".

        Parameters
        ----------
        own, opponent : int
            In a game with registers, :class:`dicelab.Score`; a plain int is in the first register.
        role : {0, 1}, optional
            In "equal turns": of the player to move; by default 0, who is first in the round.
        turns_left : int, optional
            For "deadline": by default all turns.

        Returns
        -------
        float, or Fraction if `exact`
        """
        if self.objective == "score":
            raise ValueError(
                "objective: 'score' is about one turn; its values are by turn total and mode"
            )
        roles, clock = self.game.finish == "equal turns", self.objective == "deadline"
        if role is not None and not (roles and self.values.ndim == 3):
            raise invalid("role", role, "None: there are roles in 'equal turns' alone", ())
        if turns_left is not None and not clock:
            raise invalid("turns_left", turns_left, "None: there is no deadline", ())
        place = [self.game.index(own), self.game.index(opponent, "opponent")]
        place = place[: 1 if self.objective in ("turns", "deadline") else 2]
        if self.values.ndim == 3:
            place = [check_int(role or 0, "role", 0, 1), *place]
        if clock:
            left = self.turns if turns_left is None else turns_left
            place = [check_int(left, "turns_left", 0, self.turns), *place]
        return plain(self.values[tuple(place)])

    def by_turns(self) -> pd.DataFrame:
        """For "deadline": the probabilities `values`, a DataFrame by turns left (index, 0, …, n) and own score."""
        import pandas as pd

        if self.turns is None:
            raise ValueError(f"objective: {self.objective!r} has no turns left to look at")
        left = pd.RangeIndex(self.turns + 1, name="turns left")
        return pd.DataFrame(self.values, left, pd.Index(self.game.scores, name="own"))

    def by_target(self) -> pd.Series:
        """The value of the same game at every target up to this one, a Series indexed by target, 1, …, ``game.target``.

        Values depend only on the points that both players still need, so that a game to n is the end of this game,
        from the scores target - n on. ValueError for a game with resets: they lead back to the start, which depends on
        the target; for the objective "score"; and for a best response.
        """
        import pandas as pd

        if self.game.resets or self.game.registers:
            which = "resets" if self.game.resets else "registers"
            raise ValueError(
                f"{self.game.name} has {which}; its values at one target say nothing about another"
            )
        if self.against is not None:
            raise ValueError(
                "by_target: a policy may look at scores; ask for the best response at each target"
            )
        if self.objective == "score":
            raise ValueError(
                "objective: 'score' is about one turn, far from any target; its value is the same at all"
            )
        if self.values.ndim == 3 or self.objective == "deadline":
            raise ValueError(f"by_target: ask for {self.objective!r} at each target")
        targets = pd.RangeIndex(1, self.game.target + 1, name="target")
        values = self.values if self.objective == "turns" else self.values.diagonal()
        return pd.Series(values[::-1], index=targets, name="value")


def plain(number):
    """A number of numpy as Python's own."""
    return number.item() if isinstance(number, np.generic) else number


def turns_in_words(turns):
    """ "1 turn", "5 turns"."""
    return f"{turns:,} turn{'s' * (turns > 1)}"


def check_solution(value, objectives=OBJECTIVES[:4], field="solution", last_turn=True):
    """Read `value` as a :class:`Solution` with one of some objectives; with a last turn, if that is allowed."""
    meant = "; did you mean dicelab.solve of this game?" if isinstance(value, Game) else ""
    if isinstance(getattr(value, "game", None), Game):
        check_game(value.game, field, last_turn=last_turn)
    players = (
        " for two players" if hasattr(value, "values") and getattr(value, "players", 2) != 2 else ""
    )
    check_type(value, field, Solution, f"what dicelab.solve(game) returns{players}{meant}")
    if value.objective not in objectives:
        allowed = ", ".join(map(repr, objectives))
        raise ValueError(
            f"{field}: objective {value.objective!r} is not allowed; give one of {allowed}"
        )
    return value
