"""Solution, the result of every solver, and OptimalPolicy, the policy of a solution.

More than two players sit in order of play; a policy is asked by the own score and those of all others, first that of
the player who moves next.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

import numpy as np
import pandas as pd

from ._results import Result
from ._shown import name_of, title_of, view
from ._validation import (
    check_int,
    invalid,
)
from .games.model import Game, check_game, read_role
from .policies import OneGamePolicy, Policy, branching_outcomes

__all__ = [
    "ALONE",
    "CLOCK",
    "NAMES",
    "OBJECTIVES",
    "POINTS_COUNT",
    "PREFERENCES",
    "VERDICTS",
    "OptimalPolicy",
    "Solution",
    "check_solution",
    "turns_in_words",
]

PREFERENCES = ("cautious", "bold")
VERDICTS = ("one", "several", "none")
OBJECTIVES = {  # and what the value is
    "win": "to the player to move",
    "margin": "to the player to move",
    "turns": "turns",
    "score": "expected from one turn",
    "deadline": "to reach the target",
    "total": "expected from all turns",
    "rounds": "to the player to move",
}
CLOCK = ("deadline", "total", "rounds")  # where turns are limited
POINTS_COUNT = ("score", "total")  # whatever the target
ALONE = ("turns", "score", "deadline", "total")  # of these; no other player answers by a last turn
NAMES = {  # of the optimal policies
    "win": "optimal policy",
    "margin": "optimal policy for the margin",
    "turns": "policy of the fewest turns",
    "score": "policy of the most points",
    "deadline": "policy against the deadline",
    "total": "policy of the most points in all turns",
    "rounds": "policy for the higher score",
}


@dataclass(frozen=True, eq=False)
class OptimalPolicy(OneGamePolicy):
    """The policy of a solution, for its game only. Decisions are computed from the values when they are asked for.

    Where more than two players have only equilibria in mixed strategies, the player chooses at the start of a turn
    between two turns, a cautious and a bold one.

    Parameters
    ----------
    game : Game
    decide : callable
        ``decide(pairs, rolls, choices)`` fills in decisions; see :meth:`dicelab.engine.race.Race.fill`.
        It also takes ``role=``, 0 in a game without roles, and ``turns_left=``, None without a deadline; with more than
        two players ``role=`` and ``bold=``, by position.
    name : str
    above : int
        The totals above the target at which the policy may still roll, where the other player has a last turn.
    clock, turns_left : int, optional
        For a policy against a deadline; see :class:`dicelab.Policy`.
    role : int, optional
        For a policy in one role.
    players : int
    bold_shares : mapping
        With more than two players: how often the bold turn is played, in (0, 1], by the places of scores in
        ``game.scores``, in order of play from the player to move on, and where there are roles also the role; where
        nothing is given, never.
    bold : bool, optional
        For a policy of cautious turns, or of bold ones. By default that of the two that is played more often.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> policy = solve(pig(60)).policy
    >>> policy.rolls(0, 0, turn_total=21), policy.rolls(0, 40, turn_total=21)
    (False, True)
    """

    game: Game
    decide: Callable = field(repr=False)
    name: str = NAMES["win"]
    above: int = field(default=0, repr=False)
    clock: int | None = field(default=None, kw_only=True)
    turns_left: int | None = field(default=None, kw_only=True)
    role: int | None = field(default=None, kw_only=True)
    players: int = field(default=2, kw_only=True)
    bold_shares: Mapping = field(default_factory=dict, repr=False, kw_only=True)
    bold: bool | None = field(default=None, repr=False, kw_only=True)

    never_changes = True

    def __repr__(self):
        many = f", {self.players} players" if self.players > 2 else ""
        return f"<OptimalPolicy of {title_of(self.game)}{many}: {self.name}>"

    def when(
        self,
        *,
        role: int | None = None,
        turns_left: int | None = None,
        bold: bool | None = None,
    ) -> Self:
        """See :meth:`Policy.when`; with more than two players also the cautious or the bold turns alone."""
        if role is not None:
            role = read_role(self.game, role, (0,) * (self.players - 1))
        if turns_left is not None:
            if self.clock is None:
                raise invalid("turns_left", turns_left, "None: there is no deadline", ())
            turns_left = check_int(turns_left, "turns_left", 1, self.clock)
        asked: dict[str, Any] = {"role": role, "turns_left": turns_left, "bold": bold}
        return replace(self, **{name: value for name, value in asked.items() if value is not None})

    def bold_share(self, own: int, others: Sequence[int]) -> float | Fraction:
        """How often the player plays the bold turn at these scores, a probability; 0 in a pure strategy."""
        return self.bold_turns.get(self.places_of(self.game, own, others), 0.0)

    @property
    def bold_turns(self) -> dict:
        """`bold_shares` above 0 in the role of this policy, a dict by places of scores."""
        now = ((), (self.role or 0,))
        shares = self.bold_shares.items()
        return {at[: self.players]: q for at, q in shares if q > 0 and at[self.players :] in now}

    def last_turn_at(self, game, own, beaten, memory=0):
        """See :meth:`Policy.last_turn_at`."""
        pairs = [[game.index(own), len(game.scores) + k] for k in range(beaten)]
        return self.decide_all(pairs, len(branching_outcomes(game)))

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`."""
        places = self.places_of(self.game_played(game), own, opponent)
        rolls = self.decide_all([places])[0][0]
        return rolls if self.above else rolls[:, : game.missing(own)]

    def choices_against(self, game, own, opponent, memory=0):
        """See :meth:`Policy.choices_against`."""
        places = self.places_of(self.game_played(game), own, opponent)
        return self.decide_all([places], len(branching_outcomes(game)))[1][0]

    def actions_at(self, game, own, memory=0):
        """See :meth:`Policy.actions_at`."""
        size = len(self.game_played(game).scores)
        others = np.indices((size,) * (self.players - 1)).reshape(self.players - 1, -1)
        pairs = np.insert(others.T, 0, game.index(own), axis=1)
        return self.decide_all(pairs, len(branching_outcomes(game)))

    def decide_all(self, pairs, branches=0):
        """Whether to roll, (pairs, modes, T), and the choices taken, (pairs, branches, T), by turn total.

        `pairs` are the places of the own score and of all others' in ``game.scores``.
        """
        pairs = np.array(pairs, dtype=int).reshape(-1, self.players)
        if self.clock is not None and self.turns_left is None:
            raise invalid("turns_left", None, f"the turns left, from 1 to {self.clock}", ())
        beaten = pairs[:, 1:].max(initial=0) - len(self.game.scores) + 1  # above it in a last turn
        above = self.above + max(0, int(beaten))
        totals = self.game.longest + (above + 1 if above else 0)  # behind it, as in the last
        rolls = np.zeros((len(pairs), len(self.game.modes), totals), dtype=bool)
        if above:  # behind the last total where somebody might roll, a player rolls who must
            rolls[:, [not mode.may_hold for mode in self.game.modes]] = True
        choices = np.zeros((len(pairs), branches, totals), dtype=np.uint8)
        moment: dict[str, Any] = {"role": self.role or 0, "turns_left": self.turns_left}
        if self.players > 2:
            often = self.bold_turns if self.bold is None else {}
            bold = [often.get((*at,), self.bold or 0) > 0.5 for at in pairs.tolist()]
            moment = {"role": self.role or 0, "bold": np.array(bold, dtype=bool)}
        self.decide(pairs, rolls, choices, **moment)
        return rolls, choices

    def transfer_to(self, game: Game) -> Self:
        """The same decisions in another game with the same target, modes, holds and choices.

        If the game of this policy has no choices, the first ones are taken. Where the turn goes on in the other game
        but has ended in this one, the policy holds. ValueError if the games do not fit.
        """
        games = self.game, check_game(game)
        mine, other = (
            (each.target, each.lowest, each.registers, [(m.name, m.may_hold) for m in each.modes])
            for each in games
        )
        solved, choices = ([len(o.choices) for o in branching_outcomes(each)] for each in games)
        if other != mine or (solved and solved != choices):
            raise ValueError(
                f"game: {game.name} to {game.target} has other scores, holds or choices than {self.game.name}"
            )
        return replace(self, game=game)


@dataclass(frozen=True, eq=False, kw_only=True)
class Solution(Result):
    """A solved game: optimal play of one or two players, an equilibrium of more, or a best response.

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
        "deadline" and "total" ``values[turns left, own]``, in which row 0 is 0, or the points. For "rounds" they are
        ``values[turns left, own, opponent]``, nan at scores that the turns before cannot bring. With n players
        ``values[own, next, …, last]`` are the n probabilities to win by seat, that of the player to move first.
    policy : OptimalPolicy
        Holds where rolling and holding have the same value.
    exact : bool
        Whether the arithmetic was rational.
    residual : float or Fraction
        How far the solver's equations are from holding in the returned values, at worst: x = f(y) and y = g(x) for a
        pair of scores, and the values after a reset; 0 if `exact`. Rounding within an evaluation does not show in it.
        Relative for "turns". With more than two players the most that one could gain by another decision in one turn.
    error : float
        An estimate of how far values may be off by rounding, not a proof; 0 if `exact`.
    ties : tuple or None
        If `exact`, the decisions at which rolling and holding have the same value, each as (own, opponent, turn total,
        mode); None if not known.
    overshoot : bool
        Whether points beyond the target count in the margin.
    against : Policy, tuple of Policy or None
        The fixed policy that this is a best response to; of several others in order of play.
    turns : int or None
        For "deadline" and "total", the number of turns at the start; for "rounds" that of both players' turns.
    players : int
    prefer : str or None
        With more than two players, which of several equilibria is taken; None for a best response.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> solution = solve(pig())
    >>> round(solution.value, 6), round(float(solution.values[30, 45]), 6)
    (0.530593, 0.402292)
    >>> solution.policy.rolls(own=30, opponent=45, turn_total=22)
    True
    >>> from dicelab import piglet
    >>> solve(piglet(2), players=3, exact=True).value
    (Fraction(16, 37), Fraction(12, 37), Fraction(9, 37))
    """

    KEYS = (
        "game",
        "objective",
        "players",
        "value",
        "exact",
        "error",
        "residual",
        "overshoot",
        "turns",
        "prefer",
        "against",
    )

    game: Game
    objective: str
    values: np.ndarray = field(repr=False)
    policy: OptimalPolicy = field(repr=False, compare=False)
    exact: bool = False
    residual: float | Fraction
    error: float
    ties: tuple | None = field(repr=False, default=None)
    overshoot: bool = False
    against: Policy | tuple | None = None
    turns: int | None = None
    players: int = 2
    prefer: str | None = None
    race: Any = field(repr=False, default=None, compare=False)

    def __repr__(self):
        if self.players > 2:
            title = f"{title_of(self.game)}, {self.players} players"
            told = ", ".join(f"{float(chance):.6g}" for chance in self.value) + " by seat"
        else:
            title = f'{self.title}, "{self.objective}"'
            told = f"{float(self.value):.6g} {OBJECTIVES[self.objective]}"
        if self.turns is not None:
            title += (
                f" within {turns_in_words(self.turns)}{' of both' * (self.objective == 'rounds')}"
            )
        if self.against is not None:
            against = self.against if self.players > 2 else (self.against,)
            title += f" against {' and '.join(map(name_of, against))}"
        accuracy = "exact" if self.exact else f"error {self.error:.0e}"
        return f"<Solution of {title}: {told}, {accuracy}>"

    @property
    def title(self) -> str:
        """The game, and its target where that counts: "Pig to 100"."""
        return self.game.name if self.objective in ("total", "rounds") else title_of(self.game)

    @property
    def value(self) -> Any:
        """The value at the start of the game to the player about to move; float, or Fraction if `exact`.

        With more than two players a tuple: the probabilities to win by seat.
        """
        if self.objective != "score":
            return self.at()
        return self.values.item(0, self.game.mode(self.game.register(self.game.after_reset).mode))

    def at(
        self,
        own: int = 0,
        opponent: int | Sequence[int] = 0,
        *,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> Any:
        """The value at two scores, for "win", "margin" and "rounds", or at one, for "turns", "deadline" and "total".

        Parameters
        ----------
        own : int
            In a game with registers, :class:`dicelab.Score`; a plain int is in the first register.
        opponent : int or sequence of int
            The same; with more players the scores of all others, a sequence in order of play.
        role : int, optional
            In "equal turns": 0 for a player to move who is first in the round, as by default; 1 for the next one, …
        turns_left : int, optional
            For "deadline", "total" and "rounds", in which those of both players count: by default all turns.

        Returns
        -------
        float, or Fraction if `exact`
            With more than two players a tuple: the probabilities to win by seat, that of the player to move first.
        """
        if self.objective == "score":
            raise ValueError(
                "objective: 'score' is about one turn; its values are by turn total and mode"
            )
        role = read_role(self.game, role, (0,) * (self.players - 1))
        most = self.turns or 0
        left = check_int(most if turns_left is None else turns_left, "turns_left", 0, most)
        if self.players > 2 and opponent == 0:
            opponent = (0,) * (self.players - 1)
        places = self.policy.places_of(self.game, own, opponent)
        if max(places) >= len(self.game.scores):
            raise invalid(
                "opponent", opponent, "scores below the target; see dicelab.action_values"
            )
        at = places if role is None else (role, *places)
        at = at[:1] if self.objective in ALONE else at
        at = (left, *at) if self.turns else at
        found = np.array(self.values[at]).tolist()
        return tuple(found) if self.players > 2 else found

    def to_frame(self) -> pd.DataFrame:
        """All decisions and values, a row for every range of turn totals, first to last, with the same decision.

        Returns
        -------
        pandas.DataFrame
            `own` and `opponent` are the banked points, as far as the objective depends on them, and `turns_left` is the
            number of turns before the deadline. `mode` is the state of the dice. `dice` are the scoring dice of a roll
            that offers a choice, or its choices if no dice are set aside; it is empty if the decision is to roll or to
            hold. `action` is "roll", "hold" or "keep 1 5", for example. `value` is the value at the start of the turn,
            a Fraction if the solution is exact. In a game with registers `own_register` and `opponent_register` are
            their names, and in "equal turns" `role` is 0 for the player who moves first in a round. Of a game with last
            turns, the decisions in these are not in the table; ask the policy.
            Its ``attrs`` are texts: the game, the objective, and what each column is, with its unit.
            With more than two players it is the table of `verdicts`, without these; a best response has none.

        Examples
        --------
        >>> from dicelab import piglet, solve
        >>> solve(piglet(3)).to_frame().head(2).values.tolist()
        [[0, 0, 'roll', '', 0, 0, 'roll', 0.5454545454545454], [0, 0, 'roll', '', 1, 2, 'hold', 0.5454545454545454]]
        """
        return view("to_frame")(self)

    def by_target(self) -> pd.Series | pd.DataFrame:
        """The value of the same game at every target up to this one, a Series indexed by target, 1, …, ``game.target``.

        With more than two players a DataFrame with a column for each seat. Values depend only on the points that all
        players still need, so that a game to n is the end of this game, from the scores target - n on. ValueError for a
        game with resets: they lead back to the start, which depends on the target; for the objective "score"; and for a
        best response.
        """
        game, one = self.game, self.objective in ("score", *CLOCK) or self.against is not None
        if one or game.resets or game.registers or game.finish == "equal turns" or game.points:
            raise ValueError(
                "by_target: with resets, registers, equal turns, points by the scores, a deadline or a fixed opponent"
                " each target is a race of its own; solve each"
            )
        targets = pd.RangeIndex(1, game.target + 1, name="target")
        equal = np.arange(game.target)[::-1]
        values = self.values[(equal,) * (1 if self.objective == "turns" else self.players)]
        if self.players > 2:
            return pd.DataFrame(values, targets, [f"seat {k + 1}" for k in range(self.players)])
        return pd.Series(values, targets, name="value")

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """With more than two players, what is known of every tuple of needs, up to rotation: a row for each.

        Each begins with its smallest rotation; in "equal turns" with the first in the round, and all are listed.

        Returns
        -------
        pandas.DataFrame
            Its columns:

            - ``needs_1``, …: the points missing, in order of play;
            - ``register_1``, …: in a game with registers; of positions to which busts lead back, each cycle once;
            - ``verdict``: whether there is "one" equilibrium in pure strategies, or "several" or "none". There may be
              mixed ones, too;
            - ``equilibria``: this number;
            - ``taken``: which equilibrium is taken. "pure" is the only one in pure strategies. Of several it is what
              `prefer` said, "cautious" or "bold". "mixed" is one in mixed strategies, where there is no pure one;
            - ``mixing``: how many players mix in the equilibrium that is taken;
            - ``chance_1``, …: the probabilities to win in it, by seat;
            - ``spread``: the largest difference of a probability between two of the equilibria in pure strategies;
            - ``kingmaking``: by how much a player who is indifferent between two turns can change the probability of
              another player.

        Raises
        ------
        ValueError
            For one player and for two, whose equilibrium is the only one. For a best response, which is no
            equilibrium.
        """
        found, seats = self._check_equilibrium("verdicts").verdicts(), range(self.players)
        names = np.array([register.name for register in self.game.registers])
        verdict = np.select([found["equilibria"] == 1, found["equilibria"] > 1], [0, 1], 2)
        table = {f"needs_{k + 1}": found["needs"][:, k] for k in seats}
        if len(names):
            table |= {f"register_{k + 1}": names[found["registers"][:, k]] for k in seats}
        table |= {
            "verdict": pd.Categorical.from_codes(verdict, VERDICTS),
            "equilibria": found["equilibria"],
            "taken": pd.Categorical.from_codes(verdict, ["pure", self.prefer, "mixed"]),
            "mixing": found["mixing"],
            **{f"chance_{k + 1}": found["chances"][:, k] for k in seats},
            "spread": found["spread"],
            "kingmaking": found["kingmaking"],
        }
        return pd.DataFrame(table)

    def equilibria(self, *needs: int) -> pd.DataFrame:
        """All equilibria of one tuple of needs, given the values of the tuples with fewer points missing.

        Parameters
        ----------
        *needs : int
            The points that the players need, in order of play, each in 1, …, target.

        Returns
        -------
        pandas.DataFrame
            A row for each equilibrium and each player as the one to move. ``equilibrium`` counts from 1: first those in
            pure strategies, then those in which players mix. ``mover`` is the player, counted from 1 in the order of
            `needs`; ``needs_1``, … are the points missing in order of play from the mover on, and ``chance_1``, … the
            probabilities to win in the same order. ``hold_at`` is the lowest turn total at which the mover holds in the
            game's first mode, if the cautious turn is played, ``bold_hold_at`` that of the bold turn. The two differ
            only if the mover is indifferent between two turns; ``bold_share`` is how often the bold one is played.
            ``busts`` is the probability that the turn busts, mixtures included. ``taken`` tells which equilibrium the
            solution takes.

        Raises
        ------
        ValueError
            If an argument is not as described, for one or two players, for a best response, which is no equilibrium,
            and for games with registers.

        Notes
        -----
        The list of equilibria in pure strategies is complete, and so is that of mixtures of at most two players, unless
        a player is indifferent whatever the others do. Mixtures of three and more are roots of polynomials, searched
        for from three starts.

        Examples
        --------
        >>> from dicelab import generalized_pig, solve
        >>> table = solve(generalized_pig(["7/12", "4/12", "1/12"], 6, finish="exact"), players=3).equilibria(4, 4, 6)
        >>> table[["equilibrium", "mover", "hold_at", "taken"]].head(6).to_numpy().tolist()
        [[1, 1, 2, False], [1, 2, 1, False], [1, 3, 2, False], [2, 1, 1, True], [2, 2, 2, True], [2, 3, 2, True]]
        """
        race, n, tables = self._check_equilibrium("equilibria"), self.players, []
        if len(needs) != n or self.game.registers:
            raise invalid(
                "needs",
                needs,
                f"{n} numbers, the points that the players need, in a game without registers",
            )
        missing = [
            check_int(need, f"needs[{k}]", 1, self.game.target) for k, need in enumerate(needs)
        ]
        for number, found in enumerate(race.equilibria(missing), 1):
            chances, taken = found.pop("chances"), found.pop("taken")
            table = {
                "equilibrium": number,
                "mover": range(1, n + 1),
                **{f"needs_{k + 1}": np.roll(missing, -k) for k in range(n)},
                **found,
                **{f"chance_{k + 1}": chances[:, k] for k in range(n)},
                "taken": taken,
            }
            tables.append(pd.DataFrame(table))
        return pd.concat(tables, ignore_index=True)

    def _check_equilibrium(self, asked):
        """What knows all equilibria; ValueError for a solution that has none."""
        if self.players == 2 or self.against is not None:
            who = "a best response has none" if self.against is not None else "two have one"
            raise ValueError(
                f"{asked}: {who}; only what dicelab.solve(game, players=n) returns has, for n of at least 3"
            )
        return self.race


def turns_in_words(turns):
    """ "1 turn", "5 turns"."""
    return f"{turns:,} turn{'s' * (turns > 1)}"


def check_solution(value, objectives=OBJECTIVES, field="solution", last_turn=True):
    """Read `value` as a :class:`Solution` with one of some objectives; with a last turn, if that is allowed."""
    if not isinstance(value, Solution) or value.players > 2:
        meant = "; did you mean dicelab.solve of this game?" if isinstance(value, Game) else ""
        players = " for two players" if isinstance(value, Solution) else ""
        raise invalid(field, value, f"what dicelab.solve(game) returns{players}{meant}", Solution)
    check_game(value.game, field, last_turn=last_turn)
    if value.objective not in objectives:
        raise ValueError(
            f"{field}: objective {value.objective!r} is not allowed; give one of "
            + ", ".join(map(repr, objectives))
        )
    return value
