"""One player: the objective "deadline", the most likely way to reach the target within n turns.

Let P(t, a) be the chance of a player who needs a points and has t turns left, with P(0, a) = 0. In a turn that begins
with t turns left and a points missing, a hold with r points missing has the value P(t - 1, r), a bust P(t - 1, a), a
reset P(t - 1, N), and the finish 1. All of these are known from t - 1, so that one pass of the turn operator for each
t and a solves the game; there is no equation to iterate.

In fractions the decisions and the chances of every end of a turn are those of :mod:`dicelab.solvers.rational`.

**Ties.** The chance of a few turns may be far below 1e-12. So an advantage counts as a tie if it is below 1e-12 of the
value of rolling plus the bust value: rounding is smaller than that.
"""

from functools import cache, partial

import numpy as np

from .._accuracy import ROUNDING, TIE
from .._exact import as_exact
from .._limits import check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..deadline import DeadlineSolution, turns_in_words
from ._kernels import Ends, backward_pass, new_turn, rules_of
from .rational import RationalRules, Turn, TurnPayoffs, denominator_of, fill_decisions

__all__ = ["solve_deadline"]


def solve_deadline(game, turns, exact=False):
    """Maximise the probability to reach the target within some turns; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    turns : int
        At least 1.
    exact : bool
        In Fractions.

    Returns
    -------
    DeadlineSolution

    Raises
    ------
    MemoryError
        Beforehand, if that would take more than half of the memory.
    """
    target = game.target
    said, size = f"{title_of(game)} within {turns_in_words(turns)}", 16 * (turns + 1) * (target + 1)
    if exact:  # a path of t turns has at most as many rolls as points could be missing
        size += target**2 * turns**2 * denominator_of(game).bit_length() // 16
    check_memory(size, said, "take fewer turns, or a smaller target")
    chances = np.zeros((turns + 1, target + 1), dtype=object if exact else float)  # P by points missing; not used at 0
    rules, turn = rules_of(game), new_turn(rules_of(game), target)
    exact_rules = RationalRules(game) if exact else None
    for left in progress(range(1, turns + 1), said, "turn"):
        before = chances[left - 1]
        nearest = before.astype(float)
        for missing in range(1, target + 1):
            if exact:
                payoffs = payoffs_of(before, missing)
                best = Turn(exact_rules, payoffs, nearest, missing).outcomes()
                chances[left, missing] = best.value(payoffs)
            else:
                above, _ = backward_pass(rules, before, ends_of(before, missing), missing, 1, turn)
                chances[left, missing] = before[missing] + above
    if not exact:
        np.clip(chances, 0, 1, out=chances)
    values = chances[:, :0:-1]
    return DeadlineSolution(
        game=game,
        turns=turns,
        values=as_exact(values) if exact else values.copy(),
        decide=partial(decide_in_fractions if exact else decide, game, chances),
        exact=exact,
        error=0.0 if exact else ROUNDING * (target * turns) ** 0.5,
    )


def payoffs_of(before, missing):
    """The fractions that the ends of a turn are worth, if `before` is P(t - 1, r) by r."""
    return TurnPayoffs([*before], before[missing], before[-1], Number(1), Number(0))


def ends_of(before, missing):
    """The same as float64, but for the holds."""
    return Ends(before[missing], before[-1], 1.0, 0.0)


def decide_in_fractions(game, chances, left, pairs, rolls, takes):
    """Fill in the decisions with `left` turns left, as :func:`dicelab.solvers._kernels.greedy_decisions` does."""
    before, rules = chances[left - 1], RationalRules(game)
    nearest = before.astype(float)

    @cache
    def turn_at(own):
        missing = game.target - own
        return Turn(rules, payoffs_of(before, missing), nearest, missing)

    fill_decisions(lambda own, opponent: turn_at(own), pairs, rolls, takes)


def decide(game, chances, left, pairs, rolls, takes):
    """The same in float64."""
    before, rules, target = chances[left - 1], rules_of(game), game.target
    turn, width = new_turn(rules, target), rules.beyond.shape[2]
    scores, which = np.unique(pairs[:, 0], return_inverse=True)
    for number, own in enumerate(scores.tolist()):
        missing, here = target - own, np.flatnonzero(which == number)
        bust = before[missing]
        backward_pass(rules, before, ends_of(before, missing), missing, 1, turn)
        columns = width - 1 + missing - np.arange(missing)  # by turn total
        rolled, held = turn.roll[:, columns] + bust, before[missing:0:-1]
        decided = rolled - held > TIE * (rolled + bust)
        decided[:, 0] = True
        decided[~rules.may_hold] = True
        rolls[here, :, :missing] = decided
        for o in np.flatnonzero(rules.branch >= 0) if takes.shape[1] else ():
            options = range(rules.choices[o], rules.choices[o + 1])
            above = np.array([turn.value[rules.mode[c], columns - rules.points[c]] for c in options])
            most = above.max(axis=0)
            takes[here, rules.branch[o], :missing] = (above >= most - TIE * (most + 2 * bust)).argmax(axis=0)
