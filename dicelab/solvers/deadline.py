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
from ._kernels import Ends, backward_pass, new_turn, rules_of
from .one_player import banking, hold_places

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
    turn = new_turn(rules_of(game), game.longest)
    for left in progress(range(1, turns + 1), said, "turn"):
        before = chances[left - 1]
        for place in range(scores):
            chances[left, place] = evaluate_turn(game, before, place, turn)[1]
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


def evaluate_turn(game, before, own, turn):
    """Fill in `turn`; return the hold values by points missing, the value of the turn, and the bust value."""
    rules, scores, (places,) = rules_of(game), scores_of(game), hold_places(game, np.array([own]))
    hold = np.where(places < 0, -np.inf, before[places])
    after = scores.after_bust[own]
    bust = before[after] if after < len(before) else 1.0
    backward_pass(
        banking(rules, scores, own),
        hold,
        Ends(bust, before[scores.begin], 1.0, 0.0),
        scores.missing[own],
        1,
        turn,
    )
    return (
        hold,
        bust + turn.value[scores.mode[own], rules.beyond.shape[2] - 1 + scores.missing[own]],
        bust,
    )


def decide(game, chances, pairs, rolls, takes, turns_left):
    """Fill in the decisions, as :func:`dicelab.solvers._kernels.greedy_decisions` does."""
    rules = rules_of(game)
    turn = new_turn(rules_of(game), game.longest)
    places, which = np.unique(pairs[:, 0], return_inverse=True)
    for number, place in enumerate(places.tolist()):
        here = np.flatnonzero(which == number)
        missing = scores_of(game).missing[place]
        hold, _, bust = evaluate_turn(game, chances[turns_left - 1], place, turn)
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
