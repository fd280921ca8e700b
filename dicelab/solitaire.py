"""One player: the objectives "score", most points from one turn, and "turns", fewest turns to the target.

**Score** (Roters 1998). W(m, k), the most points to be expected from a turn that has k points in mode m, solves

    W(m, k) = max(k, R(m, k)),      R(m, k) = Σ p · max over choices  W(next mode, k + points),

a bust and a reset being worth nothing. This equation has many solutions, and the value is the smallest. It is found
through a *critical threshold* K, from which on every mode holds where it may. Suppose all do. Then a player who must
roll is led on until he may hold, so that all W are linear in k from K on, and that to hold is right (and the choices
taken in modes without a hold are) says that some linear functions of k are at least 0: K is the first total from which
on they are. The W so found is the worth of turns that end with probability 1, and no policy does better, since
W ≥ R makes W a supermartingale along every turn, and the points held are at most W. Below K the turn operator of
:mod:`dicelab.turn` takes over, as in a race to K in which points beyond the target count.

**Turns** (Haigh and Roters 2000). With T(a) the fewest expected turns of a player who needs a points, -T is what the
turn operator maximises: holding with r points missing is worth -T(r), a bust -T(a), a reset -T(N), the finish 0, so

    x = -T(a) = f(x) - 1,

f convex with slopes in [0, 1]. A Newton step evaluates the decisions that are best now: it is one step of policy
iteration. After the first step x lies below the solution, as it is the worth of a policy, and from there it rises to
the solution through finitely many pieces of f. It stops when a step gains nothing. Scores are solved from the target
backwards; with resets, T(N) is the one number not known then. As a function of it, what one sweep makes of it is convex
with a slope below 1 at the solution, the probability to reset before the finish; so there is one fixed point,
bracketed by doubling and found by Brent's method. A player who can never finish needs infinitely many turns.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np
from scipy.optimize import brentq

from .ends import ENDLESS, FOREVER, check_players, ends_bytes, turn_ends
from .finish import beyond_target
from .games import BUST, RESET, as_game
from .memory import check_memory
from .pairs import scratch
from .players import followed
from .policies import OptimalPolicy, Solution, branching
from .race import RESIDUAL_LIMIT, ROUNDING, TIE, ConvergenceError, decide
from .table import Stakes
from .turn import compiled, rules_of, walk

__all__ = ["one_turn", "solve_score", "solve_turns", "threshold", "turns_needed"]


def one_turn(game, target=1):
    """The game as one turn sees it that is worth its points: a reset is a bust, and every total may be held."""
    as_bust = {RESET: BUST}
    modes = [
        replace(mode, outcomes=tuple(replace(o, result=as_bust.get(o.result, o.result)) for o in mode.outcomes))
        for mode in game.modes
    ]
    return replace(game, modes=tuple(modes), finish="reach", target=target)


def threshold(game):
    """The critical threshold of the objective "score": the least total from which on every mode holds where it may.

    Parameters
    ----------
    game : Game

    Returns
    -------
    int
        At least 1.

    Raises
    ------
    ValueError
        If a turn's score is unlimited, as a roll in some mode costs nothing.
    NotImplementedError
        If a mode without a hold never busts either, but is worth passing through.
    """
    as_game(game)
    (way,) = beyond_target(one_turn(game))
    lines = {mode.name: (ends[-1][0], ends[-1][2]) for mode, ends in zip(game.modes, way, strict=True)}  # slope, start
    least = Fraction(1)
    for mode in (mode for mode in game.modes if mode.name in game.reached()):
        slope, start = Fraction(0), Fraction(0)  # what a roll is worth, as a line in the total
        for outcome in (outcome for outcome in mode.outcomes if outcome.choices):
            options = [(lines[c.mode][0], lines[c.mode][0] * c.points + lines[c.mode][1]) for c in outcome.choices]
            best = max(options)
            least = max(least, *(_from_here(best, option) for option in options))
            slope, start = slope + outcome.probability * best[0], start + outcome.probability * best[1]
        if mode.may_hold and slope == 1 and start > 0:
            raise ValueError(f"game: {game.name} has no best turn, as a roll in mode {mode.name!r} can lose nothing")
        if not mode.may_hold and (slope, start) != lines[mode.name]:
            raise NotImplementedError(f"{game.name}: rolling on in mode {mode.name!r} beats a hold for ever")
        least = max(least, _from_here(lines[mode.name], (slope, start)))
    return -(-least.numerator // least.denominator)


def _from_here(upper, lower):
    """The total from which on one line (slope, start) is at least another, whose slope is no larger."""
    return (lower[1] - upper[1]) / (upper[0] - lower[0]) if upper[0] > lower[0] else Fraction(0)


def solve_score(game, exact=False):
    """Maximise the expected points of one turn; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
        Its target and its finish do not matter.
    exact : bool
        In Fractions.

    Returns
    -------
    Solution
        ``values[k, m]`` is what k points in mode m are worth, k = 0, …, K, the critical threshold.

    Raises
    ------
    ValueError, NotImplementedError
        See :func:`threshold`.
    """
    most = threshold(game)
    size = (1200 if exact else 80) * len(game.modes) * (most + game.most_points)
    size += (8 + 200 * len(branching(game))) * game.target
    check_memory(
        size, f"one turn of {game.name}, in which to hold at {most} or more,", "take a die that busts more often"
    )
    bounded = one_turn(game, most)
    values, rolls, ties = (_score_in_fractions if exact else _score)(bounded)

    takes_best = _best_choices(game, values)
    policy = OptimalPolicy(game, partial(_decide_alike, game, rolls, takes_best))
    error = 0.0 if exact else 10 * ROUNDING * most
    return Solution(game, "score", values, policy, exact, Fraction(0) if exact else 0.0, error, ties)


def _decide_alike(game, rolls_best, takes_best, pairs, rolls, takes):
    """Fill in the decisions of turns that look at no scores; see :func:`dicelab.race.decide`."""
    below = np.arange(game.target) < game.target - pairs[:, :1, None]  # totals that do not reach the target
    rolls[:, [not mode.may_hold for mode in game.modes]] = True
    known = min(rolls_best.shape[1], game.target)
    rolls[:, :, :known] = rolls_best[:, :known]
    rolls &= below
    takes[:] = takes_best[: takes.shape[1]]


def _best_choices(game, values):
    """The number of the best choice by outcome with more than one and turn total, (B, target); see `solve_score`.

    From the threshold on what counts is the chance to hold and the points by then, which do not depend on the total.
    """
    (way,) = beyond_target(one_turn(game))
    lines = {mode.name: (ends[-1][0], ends[-1][2]) for mode, ends in zip(game.modes, way, strict=True)}
    last = len(values) - 1

    def worth(choice, total):
        after = total + choice.points
        if after <= last:
            return values[after, game.mode(choice.mode)]
        slope, start = lines[choice.mode]
        return slope * after + start

    def best(outcome, total):
        worths = [worth(choice, total) for choice in outcome.choices]
        return next(k for k, value in enumerate(worths) if value >= max(worths) - TIE * last)

    totals = range(game.target)
    found = [[best(outcome, total) for total in totals] for outcome in branching(game)]
    return np.array(found, dtype=np.uint8).reshape(len(found), game.target)


def _score(game):
    """What k points in mode m are worth, (K + 1, M), and whether to roll, (M, K), by the turn operator in float64."""
    rules, most = rules_of(game), game.target
    arrays = scratch(rules, most)
    hold = np.arange(most, -1.0, -1.0)
    walk(rules, hold, 0.0, 0.0, float(most), 1.0, most, 1, *arrays)
    value, _, roll = (array[:, ::-1] for array in arrays)  # by turn total
    rolls = roll[:, :most] > np.arange(most) + TIE * most
    rolls[:, 0] = True
    rolls[~rules.may_hold] = True
    return value[:, : most + 1].T.copy(), rolls, None


def _score_in_fractions(game):
    """The same in Fractions, with the ties: pairs (turn total, mode) at which rolling is worth as much as holding."""
    most, (way,) = game.target, beyond_target(game)
    lines = [(ends[-1][0], ends[-1][2]) for ends in way]  # from the threshold on
    worth = {
        (mode.name, k): slope * k + start
        for mode, (slope, start) in zip(game.modes, lines, strict=True)
        for k in range(most, most + game.most_points + 1)
    }
    rolls, ties = np.zeros((len(game.modes), most), dtype=bool), []
    for k in range(most, -1, -1):
        for index, mode in enumerate(game.modes):
            options = [(o.probability, [worth[c.mode, k + c.points] for c in o.choices]) for o in mode.outcomes]
            rolled = sum(p * max(values, default=0) for p, values in options)
            if mode.may_hold and rolled == k > 0:
                ties.append((k, mode.name))
            if k < most:
                rolls[index, k] = rolled > k or k == 0 or not mode.may_hold
                worth[mode.name, k] = rolled if rolls[index, k] else Fraction(k)
    values = np.array([[worth[mode.name, k] for mode in game.modes] for k in range(most + 1)], dtype=object)
    return values, rolls, tuple(sorted(ties))


@compiled
def climb(rules, at_start, needed, value, slope, roll):
    """Fill ``needed[a]`` with -T(a), a reset being worth `at_start`; see the module's page.

    Returns
    -------
    residual : float
        Largest relative error of x = f(x) - 1.
    steep : float
        Least slope of x - f(x) at a solution: rounding in f counts 1 / steep times in x.
    """
    worst, flattest = 0.0, 1.0
    for a in range(1, needed.size):
        if rules.hopeless[a]:
            needed[a] = -FOREVER
            continue
        x, below = -1.0, False  # a Newton step, whose slope is less than 1, ends below the solution
        while True:
            h, tilt = walk(rules, needed, x, at_start, 0.0, 0.0, a, 1, value, slope, roll)
            gap = h - 1.0 - x
            after = x + gap / (1.0 - tilt) if tilt < 1.0 else 2.0 * x
            if below and after <= x and abs(gap) <= 1e-13 * abs(x):
                break
            x, below = after, tilt < 1.0
            if x < -FOREVER:
                return np.inf, 0.0
        needed[a] = x
        worst, flattest = max(worst, abs(gap / x)), min(flattest, 1.0 - tilt)
    return worst, flattest


def solve_turns(game):
    """Minimise the expected number of turns to the target; see :func:`dicelab.solve`.

    Returns
    -------
    Solution
        ``values[own]`` is the number of turns, infinite where the target cannot be reached.

    Raises
    ------
    ConvergenceError
        If the Bellman equation holds only to more than 1e-13, relatively.
    MemoryError
        Beforehand, if that would take more than half of the memory.
    """
    size = 8 * game.target**2 + 50 * len(game.modes) * (game.target + game.most_points)
    check_memory(size, f"the fewest turns of {game.name} to {game.target}", "take a smaller target")
    rules, target = rules_of(game), game.target
    needed, arrays = np.zeros(target + 1), scratch(rules, target)

    def change(at_start):
        """What a sweep changes in the worth of the start; the residual and the flattest slope are left in `quality`."""
        quality[:] = climb(rules, at_start, needed, *arrays)
        return needed[target] - at_start

    quality, at_start = [0.0, 1.0], -FOREVER if rules.hopeless[target] else -1.0
    if game.resets and not rules.hopeless[target]:
        while change(at_start) < 0:
            at_start *= 2
        if change(at_start) > 0:
            at_start = brentq(change, at_start, at_start / 2, xtol=1e-300)
    off = abs(change(at_start) / at_start)
    residual, flattest = quality[0] + (off if game.resets else 0.0), quality[1]
    if game.resets:
        step = 1e-6 * at_start
        flattest = min(flattest, (change(at_start) - change(at_start + step)) / step)
    if not residual <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {residual:.1e}")
    change(at_start)
    turns = -needed[:0:-1]
    after = np.tile(-turns, (target, 1))
    policy = OptimalPolicy(game, partial(decide, game, Stakes(0.0, np.zeros(target + 1), 0.0, 0.0), after))
    values = np.where(turns > ENDLESS, np.inf, turns)
    return Solution(game, "turns", values, policy, False, residual, ROUNDING * values[0] / flattest)


def turns_needed(game, policy):
    """The expected number of turns to the target of one player, whose policy takes the opponent to have no points.

    Parameters
    ----------
    game : Game
    policy : Policy

    Returns
    -------
    ndarray (target,)
        By own score, no turn having scored yet; infinite where the policy may never arrive.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`dicelab.evaluate`.
    """
    check_players(game, policy=policy)
    check_memory(ends_bytes(game, policy), f"following {game.name} to {game.target}", "take a smaller target")
    (policy,) = followed(game, policy=policy)
    ends, memory = turn_ends(game, policy), policy.memory
    # T(state) = turns + again·T(start): both parts, from the target backwards
    turns, again = np.zeros((2, len(ends.bust)))
    for state in range(len(ends.bust) - 1, -1, -1):
        first, last = ends.window[state, 0]
        place, keeps = ends.start[state, 0], min(state % memory + 1, memory - 1)
        held, to = ends.hold[place : place + last - first], slice(first * memory + keeps, last * memory, memory)
        stays = 1 - ends.bust[state, 0]
        turns[state] = (1 + held @ turns[to]) / stays if stays else FOREVER
        again[state] = (ends.reset[state, 0] + held @ again[to]) / stays if stays else 0.0
    start = turns[0] / (1 - again[0]) if again[0] < 1 else FOREVER
    turns = (turns + again * start)[::memory]
    return np.where(turns > ENDLESS, np.inf, turns)
