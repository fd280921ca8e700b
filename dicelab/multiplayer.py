"""MultiplayerSolution, an equilibrium of a race of three and more players, and MultiplayerPolicy, its policy.

Everywhere here the players sit in order of play. A policy is asked by the own score and the scores of the others, a
tuple that begins with the player who moves next.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ._shown import Shown, WithArrays, name_of, title_of
from ._validation import check_bool, check_int, check_option, check_sequence, invalid
from .games.model import Game, check_game
from .policies import branching_outcomes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["MultiplayerPolicy", "MultiplayerSolution", "check_others", "check_players"]
__all__ += ["choice_against", "rolls_against"]

PREFERENCES = ("cautious", "bold")
MOST_PLAYERS = 30  # arrays have at most 64 axes
VERDICTS = ("one", "several", "none")


def check_players(value, field="players"):
    """Read `value` as a number of players."""
    return check_int(value, field, 2, MOST_PLAYERS)


def check_others(value, players, game, field="others"):
    """Read `value` as the scores of all players but one: a tuple of their places in ``game.scores``."""
    allowed = f"the scores of the {players - 1} other players, in order of play"
    scores = check_sequence(value, field, allowed)
    if len(scores) != players - 1:
        raise invalid(field, value, allowed)
    return tuple(game.index(score, f"{field}[{k}]") for k, score in enumerate(scores))


@dataclass(frozen=True, eq=False)
class MultiplayerPolicy(Shown):
    """The policy of a multiplayer solution, for its game and number of players only.

    Decisions are computed from the values when they are asked for. Where the only equilibria are in mixed strategies,
    the player chooses at the start of a turn between two turns, a cautious and a bold one.

    Parameters
    ----------
    game : Game
    players : int
    decide : callable
        ``decide(others, own, bold, rolls, choices)`` fills in the decisions, by the places of scores in
        ``game.scores``.
    bold_shares : mapping
        How often the bold turn is played, in (0, 1], by the places of scores in ``game.scores``, in order of play from
        the player to move on; where nothing is given, never.
    name : str

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> policy = solve(pig(60), players=3).policy
    >>> policy.rolls(own=0, others=(0, 0), turn_total=26), policy.rolls(own=0, others=(0, 20), turn_total=26)
    (True, False)
    """

    game: Game
    players: int
    decide: Callable = field(repr=False)
    bold_shares: Mapping = field(repr=False, default_factory=dict)
    name: str = "equilibrium"

    def __repr__(self):
        return f"<MultiplayerPolicy of {title_of(self.game)}, {self.players} players: {self.name}>"

    def check_is_for(self, game: Game, players: int) -> None:
        """Raise ValueError unless this policy is for `game` and `players`."""
        if check_game(game, last_turn=False) != self.game or players != self.players:
            mine, other = (
                f"{g.name} to {g.target}, {n} players"
                for g, n in ((self.game, self.players), (game, players))
            )
            raise ValueError(f"game: this policy is for {mine}, not {other}")

    def bold_share(self, own: int, others: Sequence[int]) -> float | Fraction:
        """How often the player plays the bold turn at these scores, a probability; 0 in a pure strategy."""
        return self.bold_shares.get(self._places(own, others), 0.0)

    def rolls(
        self,
        own: int,
        others: Sequence[int],
        turn_total: int,
        mode: str | None = None,
        *,
        bold: bool | None = None,
    ) -> bool:
        """Whether to roll.

        Parameters
        ----------
        own : int
            Banked points, in 0, …, target - 1; in a game with registers a :class:`dicelab.Score`.
        others : sequence of int
            Those of the other players, in order of play: first the player who moves next.
        turn_total : int
            At 0, the start of the turn, the player always rolls.
        mode : str, optional
            The name of the turn's mode; by default the first mode.
        bold : bool, optional
            In which of two turns. By default in the one that is played more often.

        Returns
        -------
        bool
        """
        number, turn_total = self.game.mode(mode), check_int(turn_total, "turn_total", 0)
        rolls = self.decisions(own, others, bold=bold)
        if turn_total >= rolls.shape[1]:
            return not self.game.modes[number].may_hold
        return bool(rolls[number, turn_total])

    def decisions(self, own: int, others: Sequence[int], *, bold: bool | None = None) -> np.ndarray:
        """Whether to roll, ndarray of bool (modes, ``game.missing(own)``), by turn total; see :meth:`rolls`."""
        place, *others = self._places(own, others)
        if bold is None:
            bold = bool(self.bold_shares.get((place, *others), 0) > 0.5)
        rolls, _ = self.actions([place], [others], [check_bool(bold, "bold")])
        return rolls[0, :, : self.game.missing(self.game.scores[place])]

    def hold_threshold(self, own: int, others: Sequence[int], mode: str | None = None) -> int:
        """The lowest turn total at which to hold; ``game.missing(own)`` if it rolls until it reaches the target."""
        return int(np.append(self.decisions(own, others)[self.game.mode(mode)], False).argmin())

    def hold_thresholds(self, own: int, mode: str | None = None) -> np.ndarray:
        """The lowest turn totals to hold at with one own score, by the scores of the others in order of play.

        Parameters
        ----------
        own : int
            Banked points, in 0, …, target - 1; in a game with registers a :class:`dicelab.Score`.
        mode : str, optional
            The name of the turn's mode; by default the first mode.

        Returns
        -------
        ndarray of int, (target, …, target)
            With an axis for each other player, by the place in ``game.scores``; see :meth:`hold_threshold`.

        Examples
        --------
        >>> from dicelab import pig, solve
        >>> solve(pig(60), players=3).policy.hold_thresholds(own=0)[0, [0, 20, 40]].tolist()
        [29, 26, 60]
        """
        number, size = self.game.mode(mode), len(self.game.scores)
        shape = (size,) * (self.players - 1)
        place = self.game.index(own)
        missing = self.game.missing(self.game.scores[place])
        others = self._all_others()
        bold = np.zeros(len(others), dtype=bool)
        for (mover, *position), share in self.bold_shares.items():
            bold[np.ravel_multi_index(position, shape)] |= mover == place and share > 0.5
        rolls = self.actions(np.full(len(others), place), others, bold)[0][:, number, :missing]
        return np.where(rolls.all(axis=1), missing, rolls.argmin(axis=1)).reshape(shape)

    def actions(
        self, own: Sequence[int], others: Sequence[Sequence[int]], bold: Sequence[bool]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Decisions of T turns.

        Parameters
        ----------
        own : sequence of int (T,)
            The places of scores in ``game.scores``.
        others : sequence of int (T, players - 1)
            The same in order of play.
        bold : sequence of bool (T,)

        Returns
        -------
        rolls : ndarray of bool, (T, modes, N)
            By turn total, N being ``game.longest``.
        choices : ndarray of uint8, (T, B, N)
            The choices taken, by outcome with several choices and turn total.
        """
        own, others, bold = (
            np.array(own, dtype=int),
            np.array(others, dtype=int),
            np.array(bold, dtype=bool),
        )
        longest, branches = self.game.longest, len(branching_outcomes(self.game))
        rolls = np.zeros((len(own), len(self.game.modes), longest), dtype=bool)
        choices = np.zeros((len(own), branches, longest), dtype=np.uint8)
        self.decide(others, own, bold, rolls, choices)
        return rolls, choices

    def actions_at(self, own: int) -> tuple[np.ndarray, np.ndarray]:
        """The cautious decisions at the place of one own score, by the places of all others as one number."""
        others = self._all_others()
        return self.actions(np.full(len(others), own), others, np.zeros(len(others)))

    def _all_others(self):
        """All places of the others, (S**(n - 1), n - 1), in the order of their numbers in base S."""
        others = self.players - 1
        return np.indices((len(self.game.scores),) * others).reshape(others, -1).T

    def _places(self, own, others):
        """The places of all scores in ``game.scores``, a tuple, the own first."""
        return self.game.index(own), *check_others(others, self.players, self.game)


def rolls_against(policy, game, own, others, turn_total, mode=None, *, memory=0, bold=None):
    """Whether any policy rolls against several others; a policy for two plays against their leader."""
    if isinstance(policy, MultiplayerPolicy):
        return policy.rolls(own, others, turn_total, mode, bold=bold)
    return policy.rolls(own, max(others), turn_total, mode, game=game, memory=memory)


def choice_against(policy, game, own, others, turn_total, branch, *, memory=0, bold=False):
    """The number of the choice that any policy takes after an outcome, in the order of :func:`branching_outcomes`."""
    if isinstance(policy, MultiplayerPolicy):
        place, *places = policy._places(own, others)
        return int(policy.actions([place], [places], [bold])[1][0, branch, turn_total])
    return int(policy.choices_against(game, own, max(others), memory)[branch, turn_total])


@dataclass(frozen=True, eq=False, kw_only=True)
class MultiplayerSolution(WithArrays):
    """An equilibrium of the race of n players, or a best response to fixed policies of the others.

    Attributes
    ----------
    game : Game
    players : int
        n.
    values : ndarray (S, …, S, n)
        ``values[own, next, …, last]`` are the probabilities to win by seat, that of the player to move first, at the
        start of a turn at these scores in order of play; in a game with registers by their places in ``game.scores``.
        Read-only; float64, or Fraction objects if `exact`.
    policy : MultiplayerPolicy
    exact : bool
    residual : float or Fraction
        The most that a player could gain, at any scores, by another decision in one turn; 0 up to rounding.
    error : float
        An estimate of how far values may be off by rounding, not a proof; 0 if `exact`.
    prefer : str or None
        Which of several equilibria is taken; None for a best response.
    against : tuple of policies or None
        The fixed policies that this is a best response to, in order of play.

    Examples
    --------
    >>> from dicelab import piglet, solve
    >>> solve(piglet(2), players=3, exact=True).value
    (Fraction(16, 37), Fraction(12, 37), Fraction(9, 37))
    """

    game: Game
    players: int
    values: np.ndarray = field(repr=False)
    policy: MultiplayerPolicy = field(repr=False)
    exact: bool = False
    residual: float | Fraction
    error: float
    prefer: str | None = None
    against: tuple | None = None
    list_equilibria: Callable | None = field(repr=False, default=None)
    cycles: tuple | None = field(repr=False, default=None)

    def __repr__(self):
        shares = ", ".join(f"{float(chance):.6g}" for chance in self.value)
        against = ""
        if self.against is not None:
            against = f" against {' and '.join(map(name_of, self.against))}"
        accuracy = "exact" if self.exact else f"error {self.error:.0e}"
        whose = f"{title_of(self.game)}, {self.players} players{against}"
        return f"<MultiplayerSolution of {whose}: {shares} by seat, {accuracy}>"

    @property
    def value(self) -> tuple:
        """The probabilities to win at the start of the game, by seat; floats, or Fractions if `exact`."""
        start = self.values[(self.game.index(self.game.after_reset),) * self.players]
        return tuple(start) if self.exact else tuple(map(float, start))

    def by_target(self) -> pd.DataFrame:
        """The chances at the start of the same game at every target up to this one, by seat.

        Returns
        -------
        pandas.DataFrame
            Indexed by target, 1, …, ``game.target``, with columns "seat 1", …; the chances depend only on the points
            that are missing, so that a game to m is the end of this game, from the scores target - m on.

        Raises
        ------
        ValueError
            For a game with resets or penalties: they lead back towards the start, which depends on the target. For a
            best response.

        Examples
        --------
        >>> from dicelab import piglet, solve
        >>> solve(piglet(3), players=3).by_target().round(4).loc[3].tolist()
        [0.3787, 0.3314, 0.2899]
        """
        import pandas as pd

        game = self.game
        if game.resets or any(register.penalty for register in game.registers):
            raise ValueError(
                f"{game.name} has resets or penalties; its values at one target say nothing about another"
            )
        if self.against is not None:
            raise ValueError(
                "by_target: a policy may look at scores; ask for the best response at each target"
            )
        equal = np.arange(game.target)[::-1] * (len(game.registers) or 1)
        chances = self.values[(equal,) * self.players]
        seats = [f"seat {k + 1}" for k in range(self.players)]
        return pd.DataFrame(
            chances, index=pd.RangeIndex(1, game.target + 1, name="target"), columns=seats
        )

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """What is known of every tuple of needs, up to rotation: a row for each, from its smallest rotation on.

        Returns
        -------
        pandas.DataFrame
            Its columns:

            - ``needs_1``, …: the points missing, in order of play;
            - ``register_1``, …: in a game with registers; of positions to which busts lead back, each cycle once;
            - ``verdict``: "one", "several" or "none", the number of equilibria in pure strategies in a word; a tuple
              with one may have mixed equilibria, too;
            - ``equilibria``: this number;
            - ``taken``: "pure" if there is one; of several, `prefer`; "mixed" if there is none;
            - ``mixing``: how many players mix in the equilibrium that is taken;
            - ``chance_1``, …: the probabilities to win in it, by seat;
            - ``spread``: the largest difference of a probability between two of the equilibria in pure strategies;
            - ``kingmaking``: by how much a player who is indifferent between two turns can change the probability of
              another player.

        Raises
        ------
        ValueError
            For a best response, which is no equilibrium.
        """
        import pandas as pd

        if self.cycles is None:
            raise ValueError(
                "verdicts: a best response has none; only what dicelab.solve(game, players=n) returns has"
            )
        tables = [self._verdicts_of(part, found) for part, found in self.cycles]
        return pd.concat(tables, ignore_index=True) if tables[1:] else tables[0]

    def _verdicts_of(self, part, found):
        """The rows of :attr:`verdicts` for some cycles."""
        import pandas as pd

        n, game = self.players, self.game
        table = {f"needs_{k + 1}": part.tuples[:, k] for k in range(n)}
        names = [register.name for register in game.registers]
        if names:
            table |= {f"register_{k + 1}": names[part.registers[0, k]] for k in range(n)}
        verdict = np.select([found.equilibria == 1, found.equilibria > 1], [0, 1], 2)
        table["verdict"] = pd.Categorical.from_codes(verdict, VERDICTS)
        table["equilibria"] = found.equilibria
        table["taken"] = pd.Categorical.from_codes(verdict, ["pure", self.prefer, "mixed"])
        table["mixing"] = found.mixing
        places = (game.longest - part.tuples) * (len(names) or 1) + part.registers[0]
        chances = self.values[tuple(places.T)]
        table |= {f"chance_{k + 1}": chances[:, k] for k in range(n)}
        table |= {"spread": found.spread, "kingmaking": found.kingmaking}
        return pd.DataFrame(table)

    def equilibria(self, *needs: int, registers: Sequence[str] | None = None) -> pd.DataFrame:
        """All equilibria of one tuple of needs, given the values of the tuples with fewer points missing.

        Parameters
        ----------
        *needs : int
            The points that the players need, in order of play, each in 1, …, target.
        registers : sequence of str, optional
            Theirs, in the same order; by default the first.

        Returns
        -------
        pandas.DataFrame
            A row for each equilibrium and each player as the one to move; with registers, for each position to which
            busts lead. ``equilibrium`` counts from 1: first those in pure strategies, then those in which players mix.
            ``mover`` is the player, counted from 1 in the order of `needs`; ``needs_1``, … are the points missing in
            order of play from the mover on, ``register_1``, … their registers, and ``chance_1``, … the probabilities to
            win in the same order. ``hold_at`` is the lowest turn total at which the mover holds in the
            game's first mode, if the cautious turn is played, ``bold_hold_at`` that of the bold turn. The two differ
            only if the mover is indifferent between two turns; ``bold_share`` is how often the bold one is played.
            ``busts`` is the probability that the turn busts, mixtures included. ``taken`` tells which equilibrium the
            solution takes.

        Raises
        ------
        ValueError
            If an argument is not as described, for a best response, which is no equilibrium, and for registers to which
            busts do not lead back.

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
        import pandas as pd

        if self.list_equilibria is None:
            raise ValueError(
                "equilibria: a best response has none; only what dicelab.solve(game, players=n) returns has"
            )
        n, game, rows = self.players, self.game, []
        if len(needs) != n:
            raise invalid(
                "needs", needs, f"{n} numbers, the points that the players need in order of play"
            )
        needs = [check_int(need, f"needs[{k}]", 1, game.longest) for k, need in enumerate(needs)]
        names = [register.name for register in game.registers]
        start = [0] * n
        if registers is not None:
            allowed = f"{n} registers of {game.name}, by name"
            start = [
                check_option(name, f"registers[{k}]", names)
                for k, name in enumerate(check_sequence(registers, "registers", allowed))
            ]
            if len(start) != n:
                raise invalid("registers", registers, allowed)
            start = [names.index(name) for name in start]
        around, listed = self.list_equilibria(self, needs, start)
        order = np.arange(len(around))[:, None] + np.arange(n)
        at = (game.longest - np.array(needs)[order % n]) * (len(names) or 1) + around
        taken = self.values[tuple(at.T)]
        best = min(range(len(listed)), key=lambda e: abs(listed[e][0] - taken).max())
        for e, (chances, busts, shares, hold_at, bold_hold_at) in enumerate(listed):
            for i in range(len(around)):
                row = {"equilibrium": e + 1, "mover": i % n + 1}
                row |= {f"needs_{k + 1}": needs[(i + k) % n] for k in range(n)}
                if names:
                    row |= {f"register_{k + 1}": names[around[i, k]] for k in range(n)}
                row |= {
                    "hold_at": hold_at[i],
                    "bold_hold_at": bold_hold_at[i],
                    "bold_share": shares[i],
                }
                row |= {"busts": busts[i]} | {f"chance_{k + 1}": chances[i, k] for k in range(n)}
                rows.append(row | {"taken": e == best})
        return pd.DataFrame(rows)
