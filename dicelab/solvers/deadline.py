"""One player: the objective "deadline", the most likely way to reach the target within n turns.

Let P(t, a) be the chance of a player who needs a points and has t turns left, with P(0, a) = 0. In a turn that begins
with t turns left and a points missing, a hold with r points missing has the value P(t - 1, r), a bust P(t - 1, a), a
reset P(t - 1, N), and the finish 1. All of these are known from t - 1, so that one pass of the turn operator for each
t and a solves the game; there is no equation to iterate.

In a game with registers the same holds by score and register; fractions are for games without.

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
from ..games.registers import scores_of
from ._kernels import Ends, backward_pass, new_turn, rules_of
from .rational import RationalRules, Turn, TurnPayoffs, denominator_of, fill_decisions
from .registers import hold_places

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
    if exact and game.registers:
        raise NotImplementedError(f"{game.name} has registers; solve without exact=True")
    target, scores = game.target, len(game.scores)
    said = f"{title_of(game)} within {turns_in_words(turns)}"
    size = 16 * (turns + 1) * scores
    if exact:  # a path of t turns has at most as many rolls as points could be missing
        size += target**2 * turns**2 * denominator_of(game).bit_length() // 16
    check_memory(size, said, "take fewer turns, or a smaller target")
    chances = np.zeros(
        (turns + 1, scores), dtype=object if exact else float
    )  # P by place in game.scores
    turn = new_turn(rules_of(game), game.longest)
    exact_rules = RationalRules(game) if exact else None
    for left in progress(range(1, turns + 1), said, "turn"):
        before = chances[left - 1]
        for place in range(scores):
            if exact:
                own = game.scores[place]
                payoffs = payoffs_of(before, own)
                best = Turn(
                    exact_rules, payoffs, np.array(payoffs.hold, dtype=float), target - own
                ).outcomes()
                chances[left, place] = best.value(payoffs)
            else:
                chances[left, place] = evaluate_turn(game, before, place, turn)[1]
    if not exact:
        np.clip(chances, 0, 1, out=chances)
    return DeadlineSolution(
        game=game,
        turns=turns,
        values=as_exact(chances) if exact else chances,
        decide=partial(decide_in_fractions if exact else decide, game, chances),
        exact=exact,
        error=0.0 if exact else ROUNDING * (game.longest * turns) ** 0.5,
    )


def evaluate_turn(game, before, own, turn):
    """Fill in `turn`; return the hold values by points missing, the value of the turn, and the bust value."""
    rules, scores, (places,) = rules_of(game), scores_of(game), hold_places(game, np.array([own]))
    hold = np.where(places < 0, -np.inf, before[places])
    bust = before[scores.after_bust[own]]
    backward_pass(
        rules, hold, Ends(bust, before[scores.begin], 1.0, 0.0), scores.missing[own], 1, turn
    )
    return (
        hold,
        bust + turn.value[scores.mode[own], rules.beyond.shape[2] - 1 + scores.missing[own]],
        bust,
    )


def payoffs_of(before, own):
    """The fractions that the ends of a turn are worth, if `before` is P(t - 1, ·) by score."""
    return TurnPayoffs(
        [Number(0), *before[:own:-1], before[own]], before[own], before[0], Number(1), Number(0)
    )


def decide_in_fractions(game, chances, left, pairs, rolls, takes):
    """Fill in the decisions with `left` turns left, as :func:`dicelab.solvers._kernels.greedy_decisions` does."""
    before, rules = chances[left - 1], RationalRules(game)

    @cache
    def turn_at(own):
        payoffs = payoffs_of(before, own)
        return Turn(rules, payoffs, np.array(payoffs.hold, dtype=float), game.target - own)

    fill_decisions(lambda own, opponent: turn_at(own), pairs, rolls, takes)


def decide(game, chances, left, pairs, rolls, takes):
    """The same in float64."""
    rules = rules_of(game)
    turn = new_turn(rules_of(game), game.longest)
    places, which = np.unique(pairs[:, 0], return_inverse=True)
    for number, place in enumerate(places.tolist()):
        here = np.flatnonzero(which == number)
        missing = scores_of(game).missing[place]
        hold, _, bust = evaluate_turn(game, chances[left - 1], place, turn)
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
