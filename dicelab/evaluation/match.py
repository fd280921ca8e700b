"""Policies against each other, exactly: chances to win, mean and spread of the number of turns, margin.

All seats of a race follow given policies; see :mod:`dicelab.engine.seats`.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from .._recorded import record_policies
from .._results import Result
from .._shown import how_read, name_of, title_of
from ..engine.questions import accuracy_of, check_error
from ..engine.race import seated
from ..games.model import LAST_TURN, Game, roles_of
from ..games.named import read_game
from ..policies import Policy
from ..solution import OptimalPolicy
from ..strategies import Strategy, read_policies

__all__ = [
    "Match",
    "OfPlayers",
    "both_orders",
    "evaluate",
    "objective_of",
    "races_of",
    "read_one",
    "read_players",
    "seats_of",
    "wins_of",
]

MOST_TURNS = 20_000  # in a distribution of the number of turns
LEFT = 1e-15  # probability still in play at which the distribution of the number of turns ends


class OfPlayers(Result):
    """What n players achieve: the words for the first two of them, and the line that says who wins."""

    policies: tuple[Policy, ...]
    wins: tuple[float, ...]
    turns_mean: Any

    @property
    def first(self) -> Policy:
        """The policy of the player who moves first."""
        return self.policies[0]

    @property
    def second(self) -> Policy:
        """The policy of the next player."""
        return self.policies[1]

    @property
    def first_wins(self) -> float:
        """The probability that the first player wins."""
        return self.wins[0]

    def _who_wins(self, chances):
        """Who wins how often, the chances being texts, and how strategies were read that somebody brought."""
        names = list(map(name_of, self.policies))
        if len(names) == 1:
            said = f"{names[0]} needs {self.turns_mean:.6g} turns on average, alone"
        elif len(names) == 2:
            said = f"{names[0]} wins {chances[0]} against {names[1]}, moving first"
        else:
            *most, last = map("{} wins {}".format, names, chances)
            said = f"{', '.join(most)} and {last}, in order of play"
        return said + how_read(*self.policies)


@dataclass(frozen=True, eq=False, kw_only=True)
class Match(OfPlayers):
    """The result of policies against each other.

    Attributes
    ----------
    game : Game
    policies : tuple of Policy
        Of the n players, in order of play; `first` and `second` are those of the first two.
    wins : tuple of float
        The probabilities to win, in order of play; `first_wins` is that of the first player. Endless play, where nobody
        can reach the target, counts 1/n for each. Of one player alone, the probability to reach the target.
    residual : float
        Largest residual of the equations for the values after resets and penalties; 0 without these.
    error : float
        An estimate of how far `wins` may be off.

    The mean and the deviation of the number of turns and the margin are computed when they are asked for.

    Examples
    --------
    >>> from dicelab import evaluate, hold_at, pig
    >>> match = evaluate(pig(), hold_at(25), hold_at(20))
    >>> round(match.first_wins, 6), round(match.turns_mean, 4)
    (0.543482, 19.4372)
    >>> match = evaluate(pig(30), hold_at(20), hold_at(15), hold_at(10))
    >>> [round(chance, 4) for chance in match.wins]
    [0.5144, 0.3773, 0.1084]
    >>> evaluate(pig(), hold_at(20))
    <Match of Pig to 100: hold at 20 needs 12.6368 turns on average, alone>
    """

    KEYS = ("game", "policies", "wins", "turns_mean", "turns_sd", "error", "residual")
    COLUMNS = ("policies", "wins")

    game: Game
    policies: tuple[Policy, ...] = field(repr=False)
    wins: tuple[float, ...]
    residual: float
    error: float

    def __repr__(self):
        return f"<Match of {title_of(self.game)}: {self._who_wins(list(map('{:.6f}'.format, self.wins)))}>"

    @cached_property
    def _race(self):
        """The race in which turns are counted, too."""
        return seated(self.game, self.policies, objective_of(self.policies), match=True)

    @cached_property
    def _turns(self):
        """The means of the number of turns and of its square, at the start; infinite if play may be endless."""
        race = self._race
        if not race.sure[race.positions.start]:
            return np.inf, np.inf
        mean, square = race.value[-2:]
        check_error(self.game, accuracy_of(race, square)[1], square)
        return float(mean), float(square)

    @property
    def turns_mean(self) -> float:
        """Mean number of turns, all players' together; infinite if play may be endless."""
        return self._turns[0]

    @property
    def turns_sd(self) -> float:
        """Standard deviation of the number of turns, all players' together; nan if play may be endless."""
        mean, square = self._turns
        return max(square - mean**2, 0.0) ** 0.5  # nan stays nan

    @cached_property
    def margin(self) -> float:
        """The expected gain of the first player, in points, the loser paying the points that the loser still needs.

        ValueError for three and more, of whom several lose; and where the other player has a last turn: then a loser
        may need nothing.
        """
        if len(self.policies) != 2 or self.game.finish in LAST_TURN:
            raise ValueError(
                f"{self.game.name} with finish={self.game.finish!r} has no margin for {len(self.policies)} players:"
                " after a last turn a loser may need nothing, one alone loses to nobody, and of three and more several"
                " lose"
            )
        race = seated(self.game, self.policies, "margin")
        check_error(self.game, accuracy_of(race, self.game.target)[1], self.game.target)
        return float(race.value[0])

    @property
    def turns_median(self) -> float:
        """The median of the number of turns, the lowest where there are two; infinite if most play is endless."""
        chances = self.turns_distribution().cumsum()
        return float((chances >= 0.5).idxmax()) if chances.iloc[-1] >= 0.5 else np.inf

    @property
    def turns_by_score(self) -> np.ndarray:
        """The mean number of turns of one player alone, (target,) by own score; infinite if play may be endless.

        In a game with registers by the place of the score in ``game.scores``; with a policy that remembers turns,
        before one has scored.
        """
        if len(self.policies) > 1:
            raise ValueError(
                "turns_by_score: is for one player alone, as in dicelab.evaluate(game, 20)"
            )
        sure = self._race.sure[self._race.positions.terminals :]
        return np.where(sure, self._race.starts()[:, -2], np.inf)[:: self._race.memory]

    def turns_distribution(self) -> pd.Series:
        """The distribution of the number of turns.

        Returns
        -------
        pandas.Series
            Probability by number of turns, 1, 2, …, until at most 1e-15 is left. ``attrs["left"]`` is the probability
            left, and ``attrs["endless"]`` the probability that play never ends.

        Raises
        ------
        ValueError
            If that would take more than 20,000 turns.
        """
        race, finished = self._race, list[float]()
        back, ends, ending = race.steps.T.tocsr(), race.positions.terminals, race.ending
        now = np.eye(1, len(ending), race.positions.start)[0]
        left = 1.0
        while left > LEFT:
            if len(finished) == MOST_TURNS:
                raise ValueError(
                    f"a game of {self.game.name} lasts too long for a list of more than {MOST_TURNS:,} turns"
                )
            now = back @ now  # nothing leads on from the ends, and to no end what is endless
            finished.append(now[:ends].sum())
            left = now[ends:][ending[ends:]].sum()
        series = pd.Series(
            finished, pd.RangeIndex(1, len(finished) + 1, name="turns"), name="probability"
        )
        series.attrs |= {"left": float(left), "endless": float(now[~ending].sum())}
        return series


def objective_of(policies):
    """What is evaluated of policies, by position: who wins, or of one alone the turns."""
    return "turns" if len(policies) == 1 else "win"


def evaluate(
    game: Game | str, first: Strategy, second: Strategy | None = None, *more: Strategy
) -> Match:
    """Play policies against each other, exactly, or one of them alone.

    Parameters
    ----------
    game : Game or str
        A game, or the text of a game of the catalogue: "pig", "two-dice-pig 50".
    first, second : strategy
        How the first player plays, and how the second: a policy, a whole number n for *hold at n*, a function, or an
        array; see :mod:`dicelab.strategies`. Without a second one the first plays alone, until the target is reached,
        and decides as against others without points.
    *more : strategy
        Further players, in order of play. Policies of an equilibrium of that many players are allowed, too. A policy
        for two plays against the leader: the largest score of the others counts as its opponent's. If scores are equal
        and the game has registers, the register that comes last in the game's list counts.

    Returns
    -------
    Match

    Raises
    ------
    ValueError
        If an argument is not allowed, or a policy is for another game.
    NotImplementedError
        If a player who must roll beyond the target has a choice between a finish and a reset.
    ConvergenceError
        If the estimated error of the result is more than 1e-12.
    MemoryError
        Before evaluating, if it would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(evaluate(pig(), hold_at(25), hold_at(20)).first_wins, 6)
    0.543482
    >>> round(evaluate("pig", 25, 20).first_wins, 6)
    0.543482
    >>> [round(chance, 4) for chance in evaluate(pig(30), hold_at(20), hold_at(15), hold_at(10)).wins]
    [0.5144, 0.3773, 0.1084]
    >>> alone = evaluate("pig", 20)
    >>> round(alone.turns_mean, 4), round(alone.turns_sd, 4), alone.turns_median
    (12.6368, 4.4502, 12.0)
    """
    rules = read_game(game)
    policies = seats_of(rules, first, second, more)
    race = seated(rules, policies, objective_of(policies), match=len(policies) == 1)
    unit = max(1.0, abs(race.value).max()) if len(policies) == 1 else 1.0  # turns, and their square
    residual, error = (each / unit for each in accuracy_of(race, unit))
    check_error(rules, error)
    wins = race.value.tolist()
    wins = wins[: len(policies)] if len(policies) != 2 else [wins[0], 1.0 - wins[0]]
    return Match(
        game=rules,
        policies=policies,
        wins=tuple(wins),
        residual=residual,
        error=error,
    )


def both_orders(game, first, second):
    """The win probabilities of the first strategy against the second one, moving first and moving second."""
    return wins_of(races_of(game, *read_players(game, first=first, second=second)))[:2]


def races_of(game, first, second):
    """The races of a match: the first one moves first in the game; where roles differ, in another race second."""
    return [seated(game, order) for order in [(first, second), (second, first)][: roles_of(game)]]


def wins_of(races):
    """The first one's chances from :func:`races_of`, moving first and moving second, and the estimated error."""
    game, error = races[0].game, max(accuracy_of(race)[1] for race in races)
    check_error(game, error)
    begin = (game.index(game.after_reset) * races[0].memory,) * 2
    other = races[-1].starts(len(races) % 2)
    return float(races[0].starts()[begin]), float(1.0 - other[begin]), float(error)


def read_players(game, more=(), players=None, **policies):
    """Read the strategies of players, and record those that may change: a tuple.

    Parameters
    ----------
    game : Game
    more : sequence of strategy
        Those behind the named ones.
    players : int, optional
        All of them, a best responder included; by default as many as there are policies.
    **policies : strategy
        By the names of the caller's arguments.

    Raises
    ------
    ValueError
        If one is no strategy, or a policy for another game or number of players.
    """
    policies |= {f"more[{k}]": policy for k, policy in enumerate(more)}
    players = players or len(policies)
    read_policies(game)  # whether policies can be followed in it at all
    read = {}  # a strategy that sits in two seats is read once
    for name, policy in policies.items():
        if players > 2 and isinstance(policy, OptimalPolicy) and policy.players > 2:
            policy.check_is_for(game, players)
            read[id(policy)] = policy
        elif id(policy) not in read:
            (found,) = read_policies(game, **{name: policy})
            (read[id(policy)],) = record_policies(game, **{name: found})
    return tuple(read[id(policy)] for policy in policies.values())


# One player


def seats_of(game, first, second, more):
    """The policies of all players, a tuple; of one, if there is no second."""
    if second is None and not more:
        return (read_one(game, first),)
    return read_players(game, more, first=first, second=second)


def read_one(game, policy, one_turn=False):
    """Read the strategy of one player, for one turn or for all; it may be a policy for more, as of a solution."""
    if not isinstance(policy, OptimalPolicy) or policy.players == 2:
        (policy,) = read_policies(game, one_turn=one_turn, policy=policy)
    if isinstance(policy, OptimalPolicy):  # is asked for the turns of one player alone
        policy.check_is_for(game)
        return policy
    return record_policies(game, policy=policy)[0]
