"""Policies against each other, exactly: chances to win, mean and spread of the number of turns, margin.

The equations and how they are solved are on the page of :mod:`dicelab.evaluation.markov_chain`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from .._accuracy import check_error
from .._limits import check_memory
from .._recorded import record_policies
from .._shown import Shown, how_read, name_of, title_of
from ..games.model import LAST_TURN, Game
from ..games.situation import read_game
from ..policies import Policy
from ..strategies import Strategy, read_policies
from .markov_chain import MatchChain, pass_turn, squared_steps
from .multiplayer import evaluate_players, mean_turns, names_of
from .turn_outcomes import outcomes_bytes, points_above, turn_outcomes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Match", "OfPlayers", "chain_of", "evaluate", "in_roles", "pairs_seen", "read_players"]

MOST_TURNS = 20_000  # in a distribution of the number of turns
STEADY = 1_000  # turns, after which the factor by which the probability still in play shrinks tells how many are left
LEFT = 1e-15  # probability still in play at which the distribution of the number of turns ends


class OfPlayers(Shown):
    """What n players achieve: the words for the first two of them, and the line that says who wins."""

    policies: tuple[Policy, ...]
    wins: tuple[float, ...]

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
        if len(names) == 2:
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
        can reach the target, counts 1/n for each.
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
    """

    game: Game
    policies: tuple[Policy, ...] = field(repr=False)
    wins: tuple[float, ...]
    residual: float
    error: float

    def __repr__(self):
        return f"<Match of {title_of(self.game)}: {self._who_wins(list(map('{:.6f}'.format, self.wins)))}>"

    @property
    def _chain(self):
        return chain_of(self.game, self.first, self.second)

    def _check_two(self, what):
        if len(self.policies) > 2:
            raise NotImplementedError(f"{self.game.name}: {what} of three and more is not computed")

    def _mean_turns(self):
        """The chain, the states that count, and the mean number of turns from each; None for infinite means."""
        chain = self._chain
        live = chain.reached()
        if any(
            (reached & ~ending).any() for reached, ending in zip(live, chain.ending(), strict=True)
        ):
            return chain, live, None
        lasting = [
            1.0 + finish * chain.answered(seat)
            for seat, finish in enumerate(chain.probabilities("finish"))
        ]
        *means, _, error = chain.solve(*lasting, live)
        check_error(self.game, error, means[0][chain.begin])
        return chain, live, means

    @cached_property
    def turns_mean(self) -> float:
        """Mean number of turns, both players' together; infinite if play may be endless."""
        if len(self.policies) > 2:
            return mean_turns(self.game, self.policies)
        chain, _, means = self._mean_turns()
        return float(means[0][chain.begin]) if means else np.inf

    @cached_property
    def turns_sd(self) -> float:
        """Standard deviation of the number of turns, both players' together; nan if play may be endless."""
        self._check_two("the spread of turns")
        chain, live, means = self._mean_turns()
        if not means:
            return np.nan
        squares = [np.empty(states.shape) for states in live]
        squared_steps(*chain.outcomes, *means, live[0], squares[0])
        squared_steps(*chain.outcomes[::-1], *means[::-1], live[1], squares[1])
        for seat, (square, finish) in enumerate(
            zip(squares, chain.probabilities("finish"), strict=True)
        ):
            if chain.answered(seat):  # one more turn after a finish
                square += np.where(live[seat], finish * (3.0 - 2.0 * means[seat]), 0.0)
        variances, _, _, error = chain.solve(*squares, live)
        mean = means[0][chain.begin]
        variance = variances[chain.begin]
        check_error(self.game, error, max(mean, variance))
        return float(variance**0.5)

    @cached_property
    def margin(self) -> float:
        """The expected gain of the first player, in points, the loser paying the points that the loser still needs.

        ValueError where the other player has a last turn: then a loser may need nothing.
        """
        self._check_two("the margin")
        if self.game.finish in LAST_TURN:
            raise ValueError(
                f"{self.game.name} with finish={self.game.finish!r} has no margin: after a last turn a loser may need"
                " nothing"
            )
        chain = self._chain
        needs = self.game.target - np.array(self.game.scores)
        gain, loss = (
            finish * np.repeat(needs, loser.memory)
            for finish, loser in zip(
                chain.probabilities("finish"), chain.outcomes[::-1], strict=True
            )
        )
        margins, _, _, error = chain.solve(gain, -loss, chain.ending())
        check_error(self.game, error, self.game.target)
        return float(margins[chain.begin])

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
        import pandas as pd

        self._check_two("the distribution of turns")
        chain = self._chain
        outcomes, ending = chain.outcomes, chain.ending()
        now = np.zeros(
            ending[0].shape
        )  # probabilities, by the states of the player about to move and of the other
        probabilities: list[float] = []
        now[chain.begin], left, endless = 1.0, [1.0, 1.0], 0.0
        waiting = 0.0  # for the last turn
        while left[-1] > LEFT:
            now, finished, stuck = pass_turn(*outcomes, now, ending[0])
            answered = chain.answered(len(probabilities) % 2)
            outcomes, ending = outcomes[::-1], ending[::-1]
            probabilities.append(waiting + (0.0 if answered else finished))
            waiting = finished if answered else 0.0
            endless += stuck
            left.append(now.sum() + waiting)
            if len(probabilities) >= STEADY and left[-1] > LEFT:
                decay = np.log(left[-3] / left[-1]) / 2  # a turn, over a turn of each player
                patience = MOST_TURNS / len(
                    probabilities
                )  # it may shrink faster later, if players need many turns
                if np.log(left[-1] / LEFT) > (MOST_TURNS - len(probabilities)) * decay * patience:
                    said = f"a game of {self.game.name} lasts too long"
                    raise ValueError(f"{said} for a list of more than {MOST_TURNS:,} turns")
        turns = pd.RangeIndex(1, len(probabilities) + 1, name="turns")
        series = pd.Series(probabilities, index=turns, name="probability")
        series.attrs |= {"left": float(left[-1]), "endless": float(endless)}
        return series


def evaluate(game: Game | str, first: Strategy, second: Strategy, *more: Strategy) -> Match:
    """Play policies against each other, exactly.

    Parameters
    ----------
    game : Game or str
        Or the text of a game of the catalogue: "pig", "two-dice-pig 50".
    first, second : strategy
        Of the player who moves first, and of the next: a policy, a whole number n for *hold at n*, a function, a table,
        or the name of a file with one of these; see :mod:`dicelab.strategies`.
    *more : strategy
        Of more players, in order of play. Then all may be policies of equilibria of so many players. A policy for two
        players plays against the leader: it takes the largest score of the others for its opponent's; in a game with
        registers, of equal points those with the register that is last in the game's list.

    Returns
    -------
    Match

    Raises
    ------
    ValueError
        If an argument is not allowed, or a policy is for another game.
    NotImplementedError
        If a player who must roll beyond the target has a choice between a finish and a reset, or three and more play
        with a last turn.
    ConvergenceError
        If the estimated error of the result is more than 1e-12.
    MemoryError
        Beforehand, if the evaluation would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(evaluate(pig(), hold_at(25), hold_at(20)).first_wins, 6)
    0.543482
    >>> round(evaluate("pig", 25, 20).first_wins, 6)
    0.543482
    >>> [round(chance, 4) for chance in evaluate(pig(30), hold_at(20), hold_at(15), hold_at(10)).wins]
    [0.5144, 0.3773, 0.1084]
    """
    return _evaluate(read_game(game), names_of({"first": first, "second": second}, more))


def _evaluate(game, policies):
    """Play policies against each other, given by the names of the caller's arguments; see :func:`evaluate`."""
    if len(policies) > 2:
        policies, wins, residual, error = evaluate_players(game, policies)
    else:
        policies = tuple(read_players(game, **policies))
        chain = chain_of(game, *policies)
        values, _, residual, error = chain.win_probability()
        check_error(game, error)
        wins = values[chain.begin], 1.0 - values[chain.begin]
    return Match(
        game=game,
        policies=policies,
        wins=tuple(map(float, wins)),
        residual=float(residual),
        error=float(error),
    )


def in_roles(game, first, second):
    """Both policies, each in its role."""
    if game.finish == "equal turns":
        return first.when(role=0), second.when(role=1)
    return first, second


def chain_of(game, first, second):
    """The :class:`MatchChain` of two policies, each in its role."""
    policies = in_roles(game, first, second)
    more = points_above(game, *policies)
    return MatchChain(game, *(turn_outcomes(game, policy, more) for policy in policies))


def read_players(game, first, second):
    """Read the strategies of both players, and record them; raises as :func:`evaluate`."""
    first, second = read_policies(game, first=first, second=second)
    states = len(game.scores) ** 2 * first.memory * second.memory
    size = outcomes_bytes(game, first) + outcomes_bytes(game, second) + 40 * states
    check_memory(size, f"a match of {game.name} to {game.target}", "take a smaller target")
    return record_policies(game, first=first, second=second)


def pairs_seen(game: Game, first: Policy, second: Policy) -> np.ndarray:
    """The pairs of scores at which a turn can begin when two policies play; raises as :func:`evaluate`.

    A breadth-first search on the graph of the pairs: a turn leads from (i, j) to (j, i') where it can hold at i', and
    to (j, i) where it can bust.

    Returns
    -------
    ndarray of bool, (2, target, target)
        Indexed [player about to move, that player's score, the other's score]; player 0 has moved first. In a game
        with registers scores are given by their places in ``game.scores``.

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> pairs_seen(piglet(4), hold_at(2), hold_at(3))[1].astype(int)  # the second player holds at 3, the first at 2
    array([[1, 0, 1, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [1, 0, 1, 0]])
    """
    policies = read_players(game, first=first, second=second)
    chain = chain_of(game, *policies)
    memories = [policy.memory for policy in policies]
    size = len(game.scores)
    seen = zip(chain.reached(), (memories, memories[::-1]), strict=True)
    return np.array(
        [states.reshape(size, mine, size, theirs).any((1, 3)) for states, (mine, theirs) in seen]
    )
