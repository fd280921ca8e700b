"""The referee: what every action of a player is worth, if the player goes on to play best against a fixed opponent.

The opponent plays the optimal policy, or any other policy without a memory. Against it the player has a Markov decision
process. Let V be its optimal values and Q(s, a) its action values. The *regret* of an action is V(s) - Q(s, a), a
probability to win that is given away. The expected sum of the regrets of a game is V(start) - V^π(start) for every
policy π (the performance difference lemma, Kakade and Langford 2002, Lemma 6.1, without a discount).

A place within a turn is the turn total and the mode, where one holds or rolls; or, after a roll that can be taken in
several ways, the turn total before it and the number of the outcome in :func:`~dicelab.policies.branching_outcomes`.
"""

from typing import NamedTuple

import numpy as np

from .._accuracy import TIE
from .._limits import BoundedCache
from ..policies import branching_outcomes
from ..solvers import solve
from .action_values import action_values_at, arrays_of
from .best_response import best_response
from .match import chain_of

__all__ = ["HOLD", "ROLL", "Referee", "Turn", "regrets_of"]

HOLD, ROLL = 0, 1
KEPT = 64 * 2**20  # bytes of action values that a referee remembers


class Turn(NamedTuple):
    """The action values of one turn, probabilities to win; nan for actions that are not allowed."""

    actions: (
        np.ndarray
    )  # (modes, missing, 2) by mode, turn total below the target, and action: 0 hold, 1 roll
    choices: (
        np.ndarray
    )  # (B, missing, C) by outcome with several choices, turn total before the roll, and choice

    def regrets(self):
        """The regrets in place of the action values: 0 for the best action, and for those within a tie of it."""
        return Turn(*map(regrets_of, self))


def regrets_of(values):
    """What each action gives away, by the values of all actions along the last axis; nan where there is none."""
    regret = np.fmax.reduce(values, axis=-1, keepdims=True, initial=-np.inf) - values
    return np.where(regret <= TIE, 0.0, regret)


class Referee:
    """Judges single decisions of a player who moves in a game against a fixed opponent.

    Parameters
    ----------
    game : Game
    opponent : Policy, optional
        Without a memory; by default the optimal policy.

    Attributes
    ----------
    best : Solution
        The solution of the game, or the best response to the opponent.
    opponent : Policy
    after : ndarray (m, m)
        The probability to win when the opponent is about to move, by the places of the own and the opponent's score.

    Raises
    ------
    ValueError, NotImplementedError, ConvergenceError, MemoryError
        As :func:`dicelab.solve` and :func:`dicelab.best_response`.

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> Referee(piglet(3)).turn(0, 0).actions[0].round(4).tolist()
    [[nan, 0.5455], [0.6364, 0.6162], [0.7778, 0.7273]]
    >>> Referee(piglet(3)).turn(0, 0).regrets().actions[0].round(4).tolist()
    [[nan, 0.0], [0.0, 0.0202], [0.0, 0.0505]]
    >>> round(Referee(piglet(3), hold_at(1)).best.value, 4)
    0.6436
    """

    def __init__(self, game, opponent=None):
        self.game, self._values = game, BoundedCache(KEPT)
        if opponent is None:
            self.best = solve(game)
            self.opponent, self.after = self.best.policy, 1.0 - self.best.values.T
        else:
            self.best = best_response(game, opponent)
            self.opponent = self.best.against
            policies = self.best.policy, self.opponent
            self.after = chain_of(game, *policies).win_probability()[1].T
        branches = branching_outcomes(game)
        most = max((len(outcome.choices) for outcome in branches), default=0)
        self._points, self._modes = np.full(
            (2, len(branches), most), -1
        )  # of each choice; -1 where there is none
        for b, outcome in enumerate(branches):
            for c, choice in enumerate(outcome.choices):
                self._points[b, c], self._modes[b, c] = choice.points, game.mode(choice.mode)
        self._may_hold = np.array([mode.may_hold for mode in game.modes])[:, None]
        self._arrays = arrays_of(game)

    def turn(self, own, opponent):
        """The action values of one turn, a :class:`Turn`, by the places of both scores."""
        values = self.values(own, opponent)
        missing = self.game.missing(self.game.scores[own])
        choices = self.choices(values, np.arange(len(self._points))[:, None], np.arange(missing))
        return Turn(self.rolls_and_holds(values, missing), choices)

    def values(self, own, opponent):
        """The action values of one turn by the places of both scores, as ActionValues; kept for the next time."""

        after = self.after.T[None]

        def compute():
            return action_values_at(self.game, after, own, opponent, arrays=self._arrays)

        return self._values.get(
            (own, opponent), compute, lambda values: sum(part.nbytes for part in values)
        )

    def rolls_and_holds(self, values, missing):
        """The values of both actions, (modes, missing, 2), of the :meth:`values` of a turn; nan where not allowed."""
        hold = np.where(self._may_hold, values.hold[:missing], np.nan)
        return np.stack([hold, values.roll[:, :missing]], axis=-1)

    def choices(self, values, branches, totals):
        """The values of the choices after some outcomes at turn totals, two arrays of places that broadcast; (…, C)."""
        points = self._points[branches]
        most = values.best.shape[1] - 1
        after = np.minimum(np.asarray(totals)[..., None] + points, most)
        return np.where(points >= 0, values.best[self._modes[branches], after], np.nan)
