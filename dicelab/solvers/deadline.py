"""One player: the objective "deadline", the most likely way to reach the target within n turns.

Let P(t, a) be the chance of a player who needs a points and has t turns left, with P(0, a) = 0. In a turn that begins
with t turns left and a points missing, a hold with r points missing has the value P(t - 1, r), a bust P(t - 1, a), a
reset P(t - 1, N), and the finish 1. All of these are known from t - 1, so that one pass of the turn operator for each
t and a solves the game; there is no equation to iterate.

In a game with registers the same holds by score and register.

**Ties.** The chance of a few turns may be far below 1e-12. So an advantage counts as a tie if it is below 1e-12 of the
value of rolling plus the bust value: rounding is smaller than that.
"""

from functools import partial

import numpy as np

from .._accuracy import ROUNDING, TIE
from .._limits import check_memory, progress
from .._shown import title_of
from ..games.registers import scores_of
from ..solution import NAMES, OptimalPolicy, Solution, turns_in_words
from ._kernels import room_for, rules_of, walk_turn
from .last_turn import ladder_alone

__all__ = ["solve_deadline"]


def solve_deadline(game, turns):
    """Maximise the probability to reach the target within some turns; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    turns : int
        At least 1.

    Returns
    -------
    Solution

    Raises
    ------
    MemoryError
        Beforehand, if that would take more than half of the memory.
    """
    scores = len(game.scores)
    said = f"{title_of(game)} within {turns_in_words(turns)}"
    size = 16 * (turns + 1) * scores
    check_memory(size, said, "take fewer turns, or a smaller target")
    chances = np.zeros((turns + 1, scores))  # P by place in game.scores
    width, mode, turn_at = rules_of(game).beyond.shape[2], scores_of(game).mode, turns_at(game)
    for left in progress(range(1, turns + 1), said, "turn"):
        before = chances[left - 1]
        for place in range(scores):
            bust, steps, _, turn = turn_at(before, place)
            chances[left, place] = bust + turn.value[mode[place], width - 1 + steps]
    np.clip(chances, 0, 1, out=chances)
    return Solution(
        game=game,
        objective="deadline",
        turns=turns,
        values=chances,
        policy=OptimalPolicy(game, partial(decide, game, chances), NAMES["deadline"], clock=turns),
        residual=0.0,
        error=ROUNDING * (game.longest * turns) ** 0.5,
    )


def turns_at(game):
    """A function of the chances before and a place: the bust value, the totals to walk, hold values, and the turn."""
    arrays = rules_of(game), ladder_alone(game, 1.0), scores_of(game)
    hold, turn = room_for(game, arrays[1])

    def turn_at(before, own):
        return *walk_turn(*arrays, before[None, None], 0, own, 0, hold, turn), hold, turn

    return turn_at


def decide(game, chances, pairs, rolls, takes, turns_left):
    """Fill in the decisions, as :func:`dicelab.solvers._kernels.decide_positions` does."""
    rules, turn_at = rules_of(game), turns_at(game)
    places, which = np.unique(pairs[:, 0], return_inverse=True)
    for number, place in enumerate(places.tolist()):
        here = np.flatnonzero(which == number)
        bust, missing, hold, turn = turn_at(chances[turns_left - 1], place)
        columns = rules.beyond.shape[2] - 1 + missing - np.arange(missing)  # by turn total
        rolled = turn.roll[:, columns] + bust
        decided = rolled > hold[missing:0:-1] + TIE * (rolled + bust)  # both may be infinite
        decided[:, 0] = True
        decided[~rules.may_hold] = True
        rolls[here, :, :missing] = decided
        for o in np.flatnonzero(rules.branch >= 0) if takes.shape[1] else ():
            options = range(rules.choices[o], rules.choices[o + 1])
            above = np.array(
                [turn.value[rules.mode[c], columns - rules.points[c]] for c in options]
            )
            most = above.max(axis=0)
            takes[here, rules.branch[o], :missing] = (
                above >= most - TIE * (most + 2 * bust)
            ).argmax(axis=0)
