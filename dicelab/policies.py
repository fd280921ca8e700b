"""Policies: what every policy can be asked.

A policy decides to roll or to hold from the player's own banked score, the opponent's banked score, and the turn total.
In all of this module both scores are in ``game.scores``, the turn total is at least 0, and a turn begins with a roll.

In a game with registers a score is a :class:`dicelab.Score`, which knows its register, and arrays that are indexed by
scores are indexed by their places in ``game.scores``. A turn has the totals below ``game.missing(own)``, which is
target - own in a game without registers.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ._limits import check_memory
from ._shown import Shown, title_of
from ._validation import (
    check_decisions,
    check_int,
    check_sequence,
    invalid,
)
from .games.model import LAST_TURN, Game, check_game, read_role

__all__ = [
    "OneGamePolicy",
    "Policy",
    "asked_at",
    "branch_index",
    "branch_of",
    "branching_outcomes",
    "check_policy",
    "decisions_shape",
]


class Policy(Shown):
    """The base class of all policies. A subclass must define `decisions`.

    All policies answer the same questions: `rolls`, `keep`, `roll_mask`,
    `hold_threshold` and `hold_thresholds`. The policy of a solution
    answers for its own game; a policy that plays any game, as :func:`dicelab.hold_at`, needs the argument `game`.

    Attributes
    ----------
    players : int
        Whose scores the policy looks at, with the own: 2, or more for the policy of an equilibrium. A policy for two
        plays in a match of more players against their leader.
    memory : int
        The number of internal states: 1 for a policy without memory, S for one that looks at the number of its turns
        that have scored, counted up to S - 1.
    above : int
        The totals above the target at which the policy may still roll, where the other player has a last turn.
    clock : int or None
        The number of turns at the start, for a policy against a deadline, which asks how many turns are left.
    turns_left : int or None
        The number of turns left, this one included, for a policy that is for one turn against a deadline; None for a
        policy that plays any turn of a game.
    read_as : str
        How a strategy of other people was read; empty for a policy that was made here.

    Examples
    --------
    >>> import numpy as np
    >>> from dicelab import evaluate, hold_at, pig
    >>> class AlwaysTwenty(Policy):
    ...     def decisions(self, game, own, opponent, memory=0):
    ...         return np.arange(game.target - own)[None, :] < 20
    >>> round(evaluate(pig(), AlwaysTwenty(), hold_at(20)).first_wins, 6)
    0.534698
    """

    players: int = 2
    memory: int = 1
    above: int = 0
    clock: int | None = None
    turns_left: int | None = None
    read_as = ""

    def when(self, *, role: int | None = None, turns_left: int | None = None) -> "Policy":
        """The policy in one role, or with a number of turns left; here itself, as it decides alike in all.

        Parameters
        ----------
        role : int, optional
            In games with ``finish="equal turns"``: 0 for the player who moves first in a round, 1 for the next one, …
        turns_left : int, optional
            Against a deadline: the turns left, this one included.
        """
        return self

    def last_turn_at(
        self, game: Game, own: int, beaten: int, memory: int = 0
    ) -> tuple[np.ndarray, np.ndarray]:
        """The decisions of a last turn at one own score, for a target + k points to beat, k = 0, …, `beaten` - 1.

        A policy that says nothing of last turns rolls until it is ahead, since a hold before loses or draws. After a
        roll it takes the choice that it takes against an opponent who nearly has the target.

        Returns
        -------
        rolls : ndarray of bool, (beaten, modes, T)
            By turn total; behind T all hold who may.
        choices : ndarray of uint8, (beaten, B, T)
        """
        needs = np.maximum(game.target - own + 1 + np.arange(beaten), game.register(own).least_hold)
        totals = np.arange(needs[-1])
        stops = np.array([mode.must_hold for mode in game.modes])[:, None] & (totals > 0)
        forced = np.array([not mode.may_hold for mode in game.modes])[:, None]
        rolls = (totals < needs[:, None, None]) & ~stops | forced
        taken = self.choices(game, own, memory)[-1][:, np.minimum(totals, game.missing(own) - 1)]
        taken[:1, :1] *= not game.may_pass  # who may pass rolls
        return rolls, np.broadcast_to(taken, (beaten, *taken.shape))

    def decisions(self, game: Game, own: int, opponent: int, memory: int = 0) -> np.ndarray:
        """Whether to roll at one pair of scores, for every mode and every turn total below the target.

        Returns
        -------
        ndarray of bool, (modes, target - own)
            Column k is for turn total k. Column 0, the first roll of the turn, and modes without a hold are True. In
            modes without outcomes, where one must hold, all other columns are False. A policy that may roll on above
            the target, as other players have a last turn, has columns for that, too.
        """
        raise NotImplementedError

    def choices(self, game: Game, own: int, memory: int = 0) -> np.ndarray:
        """The choices taken at one own score; by default those with the most points.

        Returns
        -------
        ndarray of uint8, (target, B, target)
            The number of the choice, by opponent's score, outcome with several choices, and turn total.
        """
        most = [
            np.argmax([choice.points for choice in outcome.choices])
            for outcome in branching_outcomes(game)
        ]
        return np.tile(np.array(most, dtype=np.uint8)[:, None], (len(game.scores), 1, game.longest))

    def decisions_at(self, game: Game, own: int, memory: int = 0) -> np.ndarray:
        """All decisions to roll at one own score, `memory` being the internal state.

        Returns
        -------
        ndarray of bool, (target, modes, target)
            Indexed [opponent, mode, turn total]; False wherever the turn total reaches the target.
        """
        modes, missing = len(game.modes), game.missing(own)
        rolls = np.zeros((len(game.scores), modes, game.longest), dtype=bool)
        for place, opponent in enumerate(game.scores):
            rolls[place, :, :missing] = check_decisions(
                self.decisions(game, own, opponent, memory),
                "decisions",
                self,
                bool,
                (modes, missing),
            )
        return rolls

    def actions_at(self, game: Game, own: int, memory: int = 0) -> tuple[np.ndarray, np.ndarray]:
        """The results of :meth:`decisions_at` and :meth:`choices` for one own score."""
        return self.decisions_at(game, own, memory), self.choices(game, own, memory)

    def table(self, game: Game, memory: int = 0) -> np.ndarray:
        """All decisions to roll; see :meth:`decisions_at`. MemoryError if they take more than half of the memory.

        Returns
        -------
        ndarray of bool, (target, target, modes, target)
            Indexed [own, opponent, mode, turn total].
        """
        decisions_shape(self.game_played(game), self.players)
        return np.stack([self.decisions_at(game, own, memory) for own in game.scores])

    def choices_against(self, game: Game, own: int, opponent: int, memory: int = 0) -> np.ndarray:
        """The part of :meth:`choices` against one opponent's score, (B, target)."""
        return self.choices(game, own, memory)[game.index(opponent, "opponent")]

    def places_of(self, game: Game, own: int, opponent: Any) -> tuple[int, ...]:
        """The places in ``game.scores`` of the own score and of the opponent's, or of all others' in order of play.

        In a last turn the place of a score to beat, target + k, is k behind the last one.
        """
        named = {"opponent": opponent}
        if self.players > 2:
            allowed = f"the scores of the {self.players - 1} other players, in order of play"
            scores = check_sequence(opponent, "opponent", allowed)
            if len(scores) != self.players - 1:
                raise invalid("opponent", opponent, allowed)
            named = {f"opponent[{k}]": score for k, score in enumerate(scores)}
        others = [
            len(game.scores) + int(score) - game.target  # in a last turn
            if game.finish in LAST_TURN and check_int(score, name, game.lowest) >= game.target
            else game.index(score, name)
            for name, score in named.items()
        ]
        return game.index(own), *others

    def game_played(self, game: Game | None) -> Game:
        """The game that a question is about: `game`, or the policy's own if that is None."""
        if game is None:
            raise invalid(
                "game", game, f"one that {self} is to play, for example game=dicelab.pig()"
            )
        return check_game(game)

    def rolls(
        self,
        own: int,
        opponent: int | Sequence[int],
        turn_total: int,
        mode: str | None = None,
        *,
        game: Game | None = None,
        memory: int = 0,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> bool:
        """Whether to roll.

        Parameters
        ----------
        own : int
            Banked points, in 0, …, target - 1; in a game with registers a :class:`dicelab.Score`.
        opponent : int or sequence of int
            The same. In a last turn it is the score to beat. Of a policy for more players, the scores of all others, a
            sequence in order of play.
        turn_total : int
            Points of this turn so far. At 0, the start of the turn, the player always rolls.
        mode : str, optional
            The name of the turn's mode; by default the first mode.
        game : Game, optional
            By default the policy's own game.
        memory : int
            The internal state, 0, …, ``self.memory`` - 1.
        role, turns_left : int, optional
            See :meth:`when`; by default role 0.

        Returns
        -------
        bool
            The policy of a solution holds where rolling and holding have the same value.

        Raises
        ------
        ValueError
            If an argument is out of range.
        """
        _, asked, rolls = self._row(own, opponent, mode, game, memory, role, turns_left)
        turn_total = check_int(turn_total, "turn_total", 0)
        return bool(rolls[turn_total]) if turn_total < len(rolls) else not asked.may_hold

    def turn_at(
        self,
        game: Game,
        own: int,
        opponent: Any,
        memory: int = 0,
        role: int | None = None,
        turns_left: int | None = None,
        choices: bool = False,
    ) -> tuple[np.ndarray, np.ndarray]:
        """One turn: whether to roll, (modes, T), and if `choices` the choices taken, (B, T); in a last turn as well.

        Behind T all hold who may, and choices are as before. The arguments are those of :meth:`rolls`.
        """
        memory = check_int(memory, "memory", 0, self.memory - 1)
        behind = self.places_of(game, own, opponent)[1] - len(game.scores)
        role = getattr(self, "role", None) if role is None else role
        role = read_role(game, role, opponent if self.players > 2 else (opponent,))
        if self.players == 2 and behind >= 0:
            rolls, taken = self.last_turn_at(game, own, behind + 1, memory)
            return rolls[-1], taken[-1]
        now = self.when(role=role, turns_left=turns_left)
        rolls = now.decisions(game, own, opponent, memory)
        taken = now.choices_against(game, own, opponent, memory) if choices else rolls[:0]
        return rolls, taken[:, : rolls.shape[1]]

    def keep(
        self,
        own: int,
        opponent: int | Sequence[int],
        turn_total: int,
        roll: Sequence[int],
        mode: str | None = None,
        *,
        game: Game | None = None,
        memory: int = 0,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> tuple[tuple[int, ...], bool]:
        """The dice to set aside after a roll, and whether to roll again.

        Parameters
        ----------
        own, opponent : int
            Banked points, in 0, …, target - 1; see :meth:`rolls`.
        turn_total : int
            Points of this turn before the roll, below the last total at which somebody might roll.
        roll : sequence of int
            The faces rolled.
        mode : str, optional
            The name of the mode in which they are rolled, which is needed with dice of several kinds; see
            :meth:`Game.classify_roll`.
        game, memory, role, turns_left
            As for :meth:`rolls`.

        Returns
        -------
        aside : tuple of int
            The faces to set aside; empty if nothing scores.
        rolls : bool
            Whether to roll the remaining dice; False if the turn is over.

        Raises
        ------
        ValueError
            If an argument is out of range, or this number of dice is never rolled.

        Examples
        --------
        >>> from dicelab import solve, ten_thousand
        >>> solve(ten_thousand(20)).policy.keep(0, 0, 0, [5, 5, 2, 3, 6])
        ((5,), True)
        """
        game = self.game_played(game)
        turn_total = check_int(turn_total, "turn_total", 0)
        rolls, choices = self.turn_at(game, own, opponent, memory, role, turns_left, True)
        if turn_total >= rolls.shape[1]:
            raise ValueError(
                f"turn_total: {turn_total} reaches the target, or is so high that every hold is right"
            )
        found, outcome = game.classify_roll(roll, mode)
        if not outcome.choices:
            return (), False
        several = len(outcome.choices) > 1
        taken = choices[branch_of(game, found, outcome), turn_total] if several else 0
        choice = outcome.choices[taken]
        after, number = turn_total + choice.points, game.mode(choice.mode)
        if after < rolls.shape[1]:
            return choice.aside, bool(rolls[number, after])
        overshoots = game.finish == "exact" and after > game.missing(own)
        return choice.aside, not (game.modes[number].may_hold or overshoots)

    def roll_mask(
        self,
        mode: str | None = None,
        *,
        game: Game | None = None,
        memory: int = 0,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> np.ndarray:
        """All decisions of one mode.

        Parameters
        ----------
        mode, game, memory, role, turns_left
            As for :meth:`rolls`.

        Returns
        -------
        ndarray of bool, (target, target, target)
            Indexed [own, opponent, turn total]; True is roll. False wherever the turn total reaches the target. Where
            the other player has a last turn, a policy may roll on, and there are more totals.

        Raises
        ------
        ValueError
            If there is no such mode.
        MemoryError
            If all decisions take more than half of the memory. Then ask for one pair of scores by `rolls`.
        """
        return self._decisions_of(None, mode, game, memory, role, turns_left)[1]

    def hold_thresholds(
        self,
        mode: str | None = None,
        *,
        own: int | None = None,
        game: Game | None = None,
        memory: int = 0,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> np.ndarray:
        """The lowest turn total at which to hold, for every pair of scores.

        Parameters
        ----------
        own : int, optional
            One own score, for the rows of this one alone.
        mode, game, memory, role, turns_left
            As for :meth:`rolls`.

        Returns
        -------
        ndarray of int, (target, target)
            In points, [own, opponent]; target - own, where the policy rolls until it reaches the target. For more
            players there is an axis for each, in order of play; with registers scores are by place in ``game.scores``.

        Examples
        --------
        >>> from dicelab import hold_at, pig
        >>> hold_at(20).hold_thresholds(game=pig(100))[[0, 70, 95], 0].tolist()
        [20, 20, 5]
        """
        game, rolls = self._decisions_of(own, mode, game, memory, role, turns_left)
        shape = -1, *[len(game.scores)] * (self.players - 1)
        lowest = np.pad(rolls, [(0, 0), (0, 0), (0, 1)]).argmin(axis=2).reshape(shape)
        return lowest if own is None else lowest[0]

    def hold_threshold(
        self,
        own: int,
        opponent: int | Sequence[int],
        mode: str | None = None,
        *,
        game: Game | None = None,
        memory: int = 0,
        role: int | None = None,
        turns_left: int | None = None,
    ) -> int:
        """The lowest turn total at which to hold, at one pair of scores.

        Parameters
        ----------
        own, opponent, mode, game, memory, role, turns_left
            As for :meth:`rolls`.

        Returns
        -------
        int
            In points; ``game.missing(own)``, where the policy rolls until it reaches the target.

        Examples
        --------
        >>> from dicelab import hold_at, pig
        >>> hold_at(20).hold_threshold(0, 0, game=pig(100)), hold_at(20).hold_threshold(95, 0, game=pig(100))
        (20, 5)
        """
        *_, rolls = self._row(own, opponent, mode, game, memory, role, turns_left)
        return int(np.append(rolls, False).argmin())

    def _row(self, own, opponent, mode, game, memory, role, turns_left):
        """The game and the mode that a question is about, and whether to roll in it, by turn total."""
        game = self.game_played(game)
        number = game.mode(mode)
        rolls, _ = self.turn_at(game, own, opponent, memory, role, turns_left)
        return game, game.modes[number], rolls[number]

    def _decisions_of(self, own, mode, game, memory, role, turns_left):
        """The game, and all decisions of one mode, [own, opponent, turn total]; at one own score if it is given."""
        game = self.game_played(game)
        number = game.mode(mode)
        now = self.when(role=role, turns_left=turns_left)
        memory = check_int(memory, "memory", 0, self.memory - 1)
        if own is None:
            return game, now.table(game, memory)[:, :, number]
        return game, now.decisions_at(game, game.scores[game.index(own)], memory)[None, :, number]


class OneGamePolicy(Policy):
    """The base class of policies for one game, `game`, that answer `actions_at`; ValueError for another game."""

    game: Game

    def game_played(self, game: Game | None) -> Game:
        """See :meth:`Policy.game_played`."""
        self.check_is_for(self.game if game is None else game)
        return self.game

    def decisions(self, game: Game, own: int, opponent: int, memory: int = 0) -> np.ndarray:
        """See :meth:`Policy.decisions`."""
        rolls = self.decisions_at(game, own, memory)[game.index(opponent, "opponent")]
        return rolls if self.above else rolls[:, : game.missing(own)]

    def decisions_at(self, game: Game, own: int, memory: int = 0) -> np.ndarray:
        """See :meth:`Policy.decisions_at`."""
        return self.actions_at(game, own, memory)[0]

    def choices(self, game: Game, own: int, memory: int = 0) -> np.ndarray:
        """See :meth:`Policy.choices`."""
        return self.actions_at(game, own, memory)[1]

    def check_is_for(self, game, players=None):
        """Raise ValueError unless this policy is for `game`, and for so many players if that is asked."""
        players = players or self.players
        if check_game(game) != self.game or players != self.players:
            mine, other = (
                title_of(g) + f", {n} players" * (max(players, self.players) > 2)
                for g, n in ((self.game, self.players), (game, players))
            )
            raise ValueError(f"game: this policy is for {mine}, not {other}")


def asked_at(game, own):
    """Where one may roll or hold, and where one must roll, at one own score: two arrays of bool, (2, modes, T).

    T are all turn totals of the game; there is nothing to decide from the target on.
    """
    totals = np.arange(game.longest)
    may_hold, stops = (
        np.array([getattr(m, k) for m in game.modes])[:, None] for k in ("may_hold", "must_hold")
    )
    below = (totals < game.missing(own)) & ~(stops & (totals > 0))
    forced = below & ((totals < game.register(own).least_hold) | ~may_hold)
    return np.array([below & ~forced & ~stops, forced])


def check_first_rolls(game, passes, field, who):
    """ValueError if a strategy holds before the first roll of a turn: `passes`, an array of bool, [own, opponent]."""
    may_hold = [game.modes[game.mode(game.register(own).mode)].may_hold for own in game.scores]
    passes = passes & np.array(may_hold)[:, None]
    if passes.any():
        own, opponent = (game.scores[place] for place in np.argwhere(passes)[0])
        raise ValueError(
            f"{field}: {who} holds before the first roll at {passes.sum():,} of {passes.size:,} pairs of scores, "
            f"first at own={own!r}, opponent={opponent!r}; "
            "every turn begins with a roll, so give one that rolls at a turn total of 0"
        )


def check_policy(value, field, one_turn=False):
    """Read `value` as a :class:`Policy` for two players, for any turn of a game or for `one_turn`."""
    if not isinstance(value, Policy) or value.players != 2:
        meant = "; did you mean its .policy?" * hasattr(value, "policy")
        raise invalid(
            field,
            value,
            f"a policy for two players, for example dicelab.hold_at(20){meant}",
            Policy,
        )
    if value.clock is not None and (value.turns_left is None or not one_turn):
        raise ValueError(
            f"{field}: this policy asks how many of {value.clock:,} turns are left; "
            "one turn alone can be played, by .when(turns_left=…)"
        )
    return value


def branching_outcomes(game):
    """The outcomes with more than one choice, a list, in the order of the modes."""
    return [outcome for mode in game.modes for outcome in mode.outcomes if len(outcome.choices) > 1]


def branch_index(game):
    """The index in :func:`branching_outcomes`, a dict by the indices of the mode and of the outcome in this mode."""
    return {
        key: index
        for index, key in enumerate(
            (m, k)
            for m, mode in enumerate(game.modes)
            for k, outcome in enumerate(mode.outcomes)
            if len(outcome.choices) > 1
        )
    }


def branch_of(game, mode, outcome):
    """The index in :func:`branching_outcomes` of an outcome of a mode, by identity: == does not look at dice."""
    return branch_index(game)[
        game.mode(mode.name), [each is outcome for each in mode.outcomes].index(True)
    ]


def decisions_shape(game, players=2):
    """The shape of :meth:`Policy.table`; MemoryError if it takes more than half of the memory."""
    shape = (len(game.scores), len(game.scores) ** (players - 1), len(game.modes), game.longest)
    check_memory(
        10 * math.prod(shape),
        f"a table of all decisions to {game.target}",
        "ask for one pair of scores, by rolls(own, opponent, turn_total)",
    )
    return shape
