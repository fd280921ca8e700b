"""One player: the objectives "turns" and "deadline".

They ask for the fewest turns to the target, and for the most likely way to reach the target within n turns.

**Turns** (Haigh and Roters 2000). Let T(a) be the fewest expected turns of a player who needs a points. The turn
operator maximises -T: a hold with r points missing pays -T(r), a bust -T(a), a reset -T(N), the finish 0, so

    x = -T(a) = f(x) - 1,

where f is convex with slopes in [0, 1]. A Newton step evaluates the decisions that are best now, so it is one step of
policy iteration. After the first step x is the value of a policy, which is at most the solution. It then rises through
finitely many policies, and the iteration stops when a step gains nothing. If a turn leaves the bust value with
probability L, a policy needs T(a) = (1 + Σ q(r)·T(r)) / L turns. This sum has no minus sign, so it is accurate however
small L is. Scores are solved from the target backwards.

**With resets** T(N) is not known then. Suppose that it is z. Let Y(a) = z - T(a): a reset pays 0 and the finish z, so
no digits are lost even if nearly every match begins anew. Under given decisions, a player who needs a points finishes
before a reset with probability φ(a), is reset first with probability ρ(a), and needs α(a) turns until either happens:

    T(a) = α(a) + ρ(a)·z,      z = T(N) = α(N) / φ(N).

These sums have no minus sign either, so they are accurate however small φ is. Solving for the best decisions at z and
evaluating them is again a step of policy iteration: z falls to the fewest turns, and the iteration stops when z falls
no more. A player who can never finish needs infinitely many turns.

**Deadline.** Let P(t, a) be the chance of a player who needs a points and has t turns left, with P(0, a) = 0. In a turn
that begins with t turns left and a points missing, a hold with r points missing has the value P(t - 1, r), a bust
P(t - 1, a), a reset P(t - 1, N), and the finish 1. All of these are known from t - 1, so that one pass of the turn
operator for each t and a solves the game; there is no equation to iterate. The chance of a few turns may be far below
1e-12. So an advantage counts as a tie if it is below 1e-12 of the value of the action plus the bust value: rounding is
smaller than that.

**With registers** both hold by score and register. Then, and against a deadline always, the two objectives are one
sweep over all scores (:func:`sweep_scores`): a turn costs 1 and is followed by the same values, or costs nothing and is
followed by those of one turn fewer.
"""

from functools import partial

import numpy as np

from .._accuracy import (
    CLOSE,
    ENDLESS,
    FOREVER,
    ROUNDING,
    TIE,
    ConvergenceError,
    check_residual,
    settle,
)
from .._compile import compiled
from .._limits import check_memory, progress
from .._shown import title_of
from ..games.absorption import may_be_stuck, stuck_places
from ..games.registers import scores_of
from ..solution import NAMES, OptimalPolicy, Solution, turns_in_words
from ._kernels import decide_alone, evaluate_turn, iterate_policies, new_turn, room_for, rules_of
from .last_turn import ladder_alone

__all__ = ["solve_deadline", "solve_turns"]

MOST_SWEEPS = 1000
DIGITS = 20  # an error counts once for so many sweeps, of the 36 / (1 - r) that find all digits: rather too often


def solve_turns(game):
    """Minimise the expected number of turns to the target; see :func:`dicelab.solve`.

    Returns
    -------
    Solution
        ``values[own]`` is the number of turns, infinite where the target cannot be reached.

    Raises
    ------
    ConvergenceError
        If the relative residual of the Bellman equation is above 1e-13, or turns are nearly never left.
    MemoryError
        Beforehand, if that would take more than half of the memory.
    """
    if game.registers:
        return sweep_turns(game)
    size = 8 * game.target**2 + 50 * len(game.modes) * (game.target + game.most_points)
    check_memory(size, f"the fewest turns of {game.name} to {game.target}", "take a smaller target")
    rules = rules_of(game)._replace(cannot_finish=may_be_stuck(game))
    target = game.target
    missing = np.zeros(target + 1)
    parts = np.zeros((3, target + 1))
    turn = new_turn(rules, target)
    turn_parts = np.empty((3, *turn.value.shape))
    stuck = game.resets and rules.cannot_finish[target]  # what a reset leaves, for ever
    reset, finish, z = (-FOREVER, 0.0, FOREVER) if stuck else (0.0, float(game.resets), 0.0)
    while True:
        residual = iterate_policies(rules, reset, finish, missing, parts, turn, turn_parts)
        if finish == 0.0:  # no reset value to find
            break
        if parts[2, target] > 0:
            before, z = z, parts[0, target] / parts[2, target]
            if before and z >= before * (1 - CLOSE):
                break
            finish = z
        else:  # at so small a z a reset is better than the finish
            finish *= 1e6
        if not finish <= ENDLESS:
            raise ConvergenceError(
                f"{game.name}: the target is reached less than once in {ENDLESS:.0e} turns"
            )
    check_residual(game, residual)
    turns = (parts[0] + parts[1] * z)[:0:-1]
    values = np.where(turns > ENDLESS, np.inf, turns)
    ladder = ladder_alone(game, finish)
    return Solution(
        game=game,
        objective="turns",
        values=values,
        policy=OptimalPolicy(
            game, partial(decide_alone, game, ladder, missing[:0:-1]), NAMES["turns"]
        ),
        residual=residual,
        error=ROUNDING * target**0.5 * values[0],
    )


# By score and register


def sweep_turns(game):
    """Minimise the expected number of turns to the target, in a game with registers; see :func:`dicelab.solve`.

    Let x = -T be minus the number of turns. Scores are swept from the target backwards until x changes no more. Where
    a bust leads back to the same score and register, x = f(x) - 1, which Newton's method solves. If x still changes
    after 1,000 sweeps, as busts and resets lead back often, Anderson acceleration finds the fixed point. There is one
    only, since every turn costs 1, and x is infinite where nobody can finish.

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If the relative residual of the Bellman equation is above 1e-13.

    Notes
    -----
    If a sweep leaves the share r of an error, errors of one sweep add up to 1 / (1 - r) times as much, and all digits
    are there after some 36 / (1 - r) sweeps. After acceleration, `error` is that of a turn times the most expected
    turns from anywhere, as it counts in each of them.

    `error` is of the number of turns from the start; numbers from elsewhere are about as exact, relative to themselves.

    Where a bust leads to a score that is stuck, and the turn can avoid it, float64 cannot tell the other values: the
    error is infinite then, which :func:`dicelab.solve` refuses.
    """
    ladder = ladder_alone(game, 0.0)
    sweep, x = sweeper(game, ladder, 1.0), np.zeros(len(game.scores) + 1)
    stuck = np.append(stuck_places(game), False)
    x[stuck] = -FOREVER  # sweeps would take one turn after the other off

    def sweeps():
        """Sweep until x changes no more; the last relative change, and how often an error counts."""
        for number in range(1, MOST_SWEEPS + 1):
            before = x.copy()
            sweep(x, x)
            residual = float(np.max(np.abs(x - before) / (1.0 - x)))
            if residual <= CLOSE or number == MOST_SWEEPS:
                return residual, max(1.0, number / DIGITS)

    residual, counts = sweeps()
    live = ~stuck & (x > -ENDLESS)
    if residual > CLOSE and live.any():
        unit = x[live].min()

        def change(share):
            x[live] = np.clip(unit * np.nan_to_num(share), -FOREVER, 0.0)
            sweep(x, x)
            return x[live] / unit - share

        settle(change, x[live] / unit, game)
        (residual, _), counts = sweeps(), -x[live].min()
    check_residual(game, residual)
    after = stuck[np.minimum(scores_of(game).after_bust, len(game.scores))]
    # Where a bust is infinitely worse than the rest all digits are lost.
    lost = bool((after & ~stuck[:-1]).any())
    return Solution(
        game=game,
        objective="turns",
        values=np.where(-x > ENDLESS, np.inf, -x)[:-1],
        policy=OptimalPolicy(game, partial(decide_alone, game, ladder, x[:-1]), NAMES["turns"]),
        residual=residual,
        error=np.inf if lost else counts * (ROUNDING * game.longest**0.5 * -x[-1] + 2.0 * residual),
    )


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
    said = f"{title_of(game)} within {turns_in_words(turns)}"
    check_memory(16 * (turns + 1) * len(game.scores), said, "take fewer turns, or a smaller target")
    ladder = ladder_alone(game, 1.0)
    sweep, chances = sweeper(game, ladder, 0.0), np.zeros((turns + 1, len(game.scores) + 1))
    for left in progress(range(1, turns + 1), said, "turn"):
        sweep(chances[left - 1], chances[left])
    chances = np.clip(chances[:, :-1], 0, 1)  # P by place in game.scores
    decide = partial(decide_alone, game, ladder, chances, tie=0.0, relative=TIE)
    return Solution(
        game=game,
        objective="deadline",
        turns=turns,
        values=chances,
        policy=OptimalPolicy(game, decide, NAMES["deadline"], clock=turns),
        residual=0.0,
        error=ROUNDING * (game.longest * turns) ** 0.5,
    )


def sweeper(game, ladder, cost):
    """:func:`sweep_scores` as a function of `after` and `x`, one number more than there are scores each."""
    rules, scores, room = rules_of(game), scores_of(game), room_for(game, ladder)
    at_end = scores._replace(begin=len(game.scores))
    return lambda after, x: sweep_scores(
        rules, ladder, at_end, cost, after[None, None], scores.begin, x, *room
    )


@compiled
def sweep_scores(rules, ladder, scores, cost, after, begin, x, hold, turn):
    """Find x at all scores once, for turns of this cost that are followed by `after`, which is x itself if they cost.

    The last number is the one at the place `begin`, for resets.
    """
    for own in range(len(x) - 2, -1, -1):
        first = (
            True  # step of Newton's method: it leads below the solution, and later ones up to it
        )
        while True:
            bust, steps = evaluate_turn(rules, ladder, scores, after, 0, own, 0, hold, turn)
            at = rules.beyond.shape[2] - 1 + steps
            more, leave = turn.value[scores.mode[own], at] - cost, turn.leave[scores.mode[own], at]
            again = cost > 0.0 and scores.after_bust[own] == own
            if not again or not (first or bust + more / leave > bust):
                break
            # A longer step down would lose all digits on the way up; from -1e300 rounding leads above 0.
            least = 2.0 * min(bust, 0.0) - 1.0
            if leave > 0.0 and bust + more / leave >= least:
                x[own], first = bust + more / leave, False
            elif not bust >= -FOREVER:  # nor nan
                break
            else:  # the bust value is too high
                x[own] = least
        x[own] = max(bust + more, -FOREVER)
        x[-1] = x[begin]
