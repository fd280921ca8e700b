"""The referee: what every action of a player is worth, if the player goes on to play best against a fixed opponent.

The opponent plays the optimal policy, or any other policy without a memory. Against it the player has a Markov decision
process. Let V be its optimal values and Q(s, a) its action values. The *regret* of an action is V(s) - Q(s, a), a
probability to win that is given away. The expected sum of the regrets of a game is V(start) - V^π(start) for every
policy π (the performance difference lemma, Kakade and Langford 2002, Lemma 6.1, without a discount).

A place within a turn is the turn total and the mode, where one holds or rolls; or, after a roll that can be taken in
several ways, the turn total before it and the number of the outcome in :func:`~dicelab.policies.branching_outcomes`.

**Last turns.** In "equal turns" the values also depend on the role of the player to move. A turn with a score to beat
is one against an opponent in the place m + k, for m scores and k points above the target. Turns that the other player
answers are walked from as far above the target as any player comes.
"""

import numpy as np

from .._accuracy import TIE
from .._limits import BoundedCache
from ..policies import branching_outcomes
from .action_values import ActionValues, race_of, values_at
from .best_response import best_response
from .solving import solve

__all__ = ["HOLD", "ROLL", "Referee", "regrets_of"]

HOLD, ROLL = 0, 1
KEPT = 64 * 2**20  # bytes of action values that a referee remembers


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
    best : Solution, optional
        Of this game, if it is solved already.

    Attributes
    ----------
    best : Solution
        The solution of the game, or the best response to the opponent.
    opponent : Policy
    second : float
        The probability to win when the opponent moves first, and the best is played.

    Raises
    ------
    ValueError, NotImplementedError, ConvergenceError, MemoryError
        As :func:`dicelab.solve` and :func:`dicelab.best_response`.

    Examples
    --------
    >>> from dicelab import hold_at, piglet
    >>> referee = Referee(piglet(3))
    >>> actions = referee.rolls_and_holds(referee.values(0, 0), 0, [0, 1, 2])  # in the only mode, at these turn totals
    >>> actions.round(4).tolist()
    [[nan, 0.5455], [0.6364, 0.6162], [0.7778, 0.7273]]
    >>> regrets_of(actions).round(4).tolist()
    [[nan, 0.0], [0.0, 0.0202], [0.0, 0.0505]]
    >>> round(Referee(piglet(3), hold_at(1)).best.value, 4)
    0.6436
    """

    def __init__(self, game, opponent=None, best=None):
        self.game, self._values = game, BoundedCache(KEPT)
        self.roles = (0, 1) if game.finish == "equal turns" else (None,)
        if opponent is None:
            self.best = best or solve(game)
            self.opponent, self.second = self.best.policy, 1.0 - float(self.best.value)
        else:
            self.best = best_response(game, opponent)
            self.opponent = self.best.against
            race = race_of(self.best, self.roles[-1])
            begin = (game.index(game.after_reset),) * 2
            self.second = 1.0 - float(race.starts(len(self.roles) % 2)[begin])
        branches = branching_outcomes(game)
        most = max((len(outcome.choices) for outcome in branches), default=0)
        # Of each choice; -1 where there is none.
        self._points, self._modes = np.full((2, len(branches), most), -1)
        for b, outcome in enumerate(branches):
            for c, choice in enumerate(outcome.choices):
                self._points[b, c], self._modes[b, c] = choice.points, game.mode(choice.mode)
        self._may_hold = np.array([mode.may_hold for mode in game.modes])

    def values(self, own, opponent, role=None):
        """The action values of one turn by the places of both scores, as ActionValues; kept for the next time."""

        def compute():
            race = race_of(self.best, role)
            return ActionValues(
                *(part[..., 0] for part in values_at(race, [own, opponent], role or 0))
            )

        return self._values.get(
            (own, opponent, role), compute, lambda values: sum(part.nbytes for part in values)
        )

    def rolls_and_holds(self, values, modes, totals):
        """The values of both actions in modes at turn totals, (…, 2), of the :meth:`values` of a turn.

        `modes` and `totals` are arrays that broadcast. nan where an action is not allowed.
        """
        totals = np.minimum(totals, len(values.hold) - 1)
        hold = np.where(self._may_hold[modes], values.hold[totals], np.nan)
        return np.stack([hold, values.roll[modes, totals]], axis=-1)

    def choices(self, values, branches, totals):
        """The values of the choices after some outcomes at turn totals, two arrays of places that broadcast; (…, C)."""
        points = self._points[branches]
        most = values.best.shape[1] - 1
        after = np.minimum(np.asarray(totals)[..., None] + points, most)
        return np.where(points >= 0, values.best[self._modes[branches], after], np.nan)
