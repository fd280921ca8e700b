"""A game in progress: dice that fall, a score sheet, and what every decision costs.

For notebooks and the terminal, which show it and ask; nothing here prints. One side is usually a person and the other
the optimal player, but the rules are the same for both, and so is the review.
"""

import math
from collections import Counter
from typing import NamedTuple

import numpy as np
import pandas as pd

from .doors import as_items, as_name, as_whole, refusal, shown
from .games import RESET
from .policies import as_solution
from .race import TIE
from .worth import turn_odds

__all__ = ["Decision", "Option", "Play"]


class Option(NamedTuple):
    """One thing that the player to move may do."""

    name: str  # "roll", "hold", or the dice that are kept: "keep 1 5"
    worth: float  # the probability to win the race with it, and optimal play afterwards


class Decision(NamedTuple):
    """One decision that was made between several options."""

    turn: int  # of the game, 1, 2, …
    player: int  # 0 or 1
    own: int
    opponent: int
    total: int  # of the turn, before it
    rolled: str  # the dice on the table, if some were to be kept
    taken: str
    best: str
    loss: float  # of win probability, 0 for the best option


class Play:
    """A race between two players, one decision at a time.

    Parameters
    ----------
    solution : Solution
        Of the game, objective "win".
    seed : int, optional
        Of the dice: the same seed and the same decisions give the same game.
    names : sequence of str
        Of the player who moves first, and of the other.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.

    Attributes
    ----------
    scores : list of int
        What both have banked.
    player : int
        Who is to move, 0 or 1.
    turn : int
        The number of the turn, from 1.
    total : int
        The turn total.
    rolled : tuple of int
        The dice that were rolled last; () if the rules do not say which dice there are.
    winner : int or None
    decisions : list of Decision
        All that were made so far where there was a choice.
    story : list of str
        What happened, a sentence for each roll and each hold.

    Examples
    --------
    >>> import dicelab as dl
    >>> play = Play(dl.solve(dl.pig(target=30)), seed=2)
    >>> while play.winner is None:
    ...     play.take(play.best().name)
    >>> play.loss(0)
    0.0
    """

    def __init__(self, solution, seed=None, names=("You", "The optimal player")):
        allowed = "two names"
        names = [as_name(name, "names", allowed) for name in as_items(names, "names", allowed)]
        if len(names) != 2:
            raise refusal("names", names, allowed)
        seed = None if seed is None else as_whole(seed, "seed", 0)
        self.solution, self.game, self.names = as_solution(solution, ("win",)), solution.game, tuple(names)
        self.random = np.random.default_rng(seed)
        self.scores, self.turn, self.rolled, self.winner = [0, 0], 0, (), None
        self.decisions, self.story = [], []
        self._begin(0)

    def _begin(self, player):
        self.player, self.turn, self.total = player, self.turn + 1, 0
        self.mode, self.pending = self.game.modes[0], ()
        self.odds = turn_odds(self.solution, self.scores[player], self.scores[1 - player])

    @property
    def own(self):
        """The banked score of the player to move."""
        return self.scores[self.player]

    def options(self):
        """What the player to move may do, a list of Option; empty once the game is over."""
        if self.winner is not None:
            return []
        if self.pending:
            return [Option(choice.name, self._worth(choice)) for choice in self.pending]
        options = [Option("roll", self._look_up(self.odds.roll, self.mode.name, self.total))]
        if self.mode.may_hold and self.total:
            options.append(Option("hold", float(self.odds.hold[self.total])))
        return options

    def best(self):
        """The option that the optimal player takes: where two are worth the same, to hold, or the first."""
        options = self.options()
        if not self.pending and len(options) > 1:
            roll, hold = options
            return roll if roll.worth > hold.worth + TIE else hold
        most = max(option.worth for option in options)
        return next(option for option in options if option.worth >= most - TIE)

    def chance(self, player=0):
        """The probability that a player wins, with optimal play of both from here on."""
        if self.winner is not None:
            return float(self.winner == player)
        worth = max(option.worth for option in self.options())
        return worth if self.player == player else 1 - worth

    def take(self, name):
        """Do what an option says, and let the dice fall.

        Parameters
        ----------
        name : str
            Of one of the :meth:`options`.

        Raises
        ------
        ValueError
            If there is no such option now; nothing has happened then.
        """
        options = {option.name: option for option in self.options()}
        if not isinstance(name, str) or name not in options:
            raise ValueError(
                f"option: {shown(name)} is not allowed; now there is {', '.join(options) or 'none: it is over'}"
            )
        if len(options) > 1:
            best = self.best()
            loss = max(0.0, best.worth - options[name].worth) if name != best.name else 0.0
            dice, scores = _dice(self.rolled) if self.pending else "", (self.own, self.scores[1 - self.player])
            self.decisions.append(Decision(self.turn, self.player, *scores, self.total, dice, name, best.name, loss))
        if name == "roll":
            self._roll()
        elif name == "hold":
            self._bank()
        else:
            self._gain(self.pending[list(options).index(name)])

    def reply(self, player=1):
        """Let a player's turn be played by the optimal policy, if it is that player's; what happened, a list of str."""
        told = len(self.story)
        while self.winner is None and self.player == player:
            self.take(self.best().name)
        return self.story[told:]

    def loss(self, player=0):
        """What a player's decisions have cost so far, as win probability."""
        return float(sum(decision.loss for decision in self.decisions if decision.player == player))

    def review(self, player=0):
        """A player's decisions.

        Returns
        -------
        pandas.DataFrame
            With the fields of :class:`Decision` but the player; `loss` in win probability.
        """
        made = [decision for decision in self.decisions if decision.player == player]
        return pd.DataFrame(made, columns=Decision._fields).drop(columns="player")

    def _worth(self, choice):
        """What the turn is worth after a choice."""
        return self._look_up(self.odds.best, choice.mode, self.total + choice.points)

    def _look_up(self, worths, mode, total):
        """An entry of the odds; far beyond the target it matters no more how far."""
        return float(worths[self.game.mode(mode), min(total, worths.shape[1] - 1)])

    def _roll(self):
        outcomes = self.mode.outcomes
        outcome = outcomes[self.random.choice(len(outcomes), p=[float(outcome.probability) for outcome in outcomes])]
        self.rolled = self._dice_of(outcome)
        self.pending = outcome.choices
        if len(outcome.choices) == 1:
            self._gain(outcome.choices[0])
        elif outcome.choices:
            self._tell(f"rolled {_dice(self.rolled)}")
        else:
            lost = "all banked points" if outcome.result == RESET else "the points of the turn"
            self._tell(f"rolled {_dice(self.rolled) or outcome}: {lost} are lost")
            if outcome.result == RESET:
                self.scores[self.player] = 0
            self._begin(1 - self.player)

    def _dice_of(self, outcome):
        """One of the rolls that lead to an outcome, the dice in any order; () if they are not known."""
        if not outcome.rolls:
            return ()
        ways = [
            math.factorial(len(roll)) / math.prod(map(math.factorial, Counter(roll).values())) for roll in outcome.rolls
        ]
        roll = outcome.rolls[self.random.choice(len(ways), p=np.array(ways) / sum(ways))]
        return tuple(int(face) for face in self.random.permutation(roll))

    def _gain(self, choice):
        """Add the points of a choice and go on in its mode; at the target the turn is over, if the mode allows it."""
        total, target = self.total + choice.points, self.game.target
        kept = (
            f"kept {_dice(choice.aside)}" if len(self.pending) > 1 else f"rolled {_dice(self.rolled) or choice.points}"
        )
        self.pending = ()
        if self.own + total > target and self.game.finish == "exact":
            self._tell(f"{kept} and overshot the target: the points of the turn are lost")
            return self._begin(1 - self.player)
        self.total, self.mode = total, self.game.modes[self.game.mode(choice.mode)]
        again = "" if self.mode.may_hold else ", and must roll again"
        self._tell(f"{kept}: turn total {total}{again}")
        if self.own + total >= target and self.mode.may_hold:
            self._bank()

    def _bank(self):
        self.scores[self.player] += self.total
        if self.own >= self.game.target:
            self.winner = self.player
            self._tell(f"won with {self.own} points")
        else:
            self._tell(f"held at {self.total}: {self.own} points banked")
            self._begin(1 - self.player)

    def _tell(self, what):
        self.story.append(f"{self.names[self.player]} {what}.")


def _dice(faces):
    return " ".join(map(str, faces))
