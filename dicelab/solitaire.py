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
iteration. After the first step x is the value of a policy, no more than the solution, and rises to it through finitely
many policies; it stops when a step gains nothing. If a turn leaves the bust value with probability L, a policy needs
T(a) = (1 + Σ q(r)·T(r)) / L turns, a sum without a minus sign, and so accurate however small L is. Scores are solved
from the target backwards.

**With resets** T(N) is not known then. Suppose it were z. Count from there: Y(a) = z - T(a) has 0 for a reset and z for
the finish, so that no digits are lost where nearly every match begins anew. Decisions given, a player who needs a
points finishes before a reset with probability φ(a), is reset before with ρ(a), and needs α(a) turns until one of them,

    T(a) = α(a) + ρ(a)·z,      z = T(N) = α(N) / φ(N),

all of them sums without a minus sign, and so accurate however small φ is. To solve for the best decisions at z and to
evaluate them is again a step of policy iteration: z falls to the fewest turns, and it stops when z falls no more. A
player who can never finish needs infinitely many turns.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from .ends import ENDLESS, FOREVER, check_players, ends_bytes, turn_ends
from .finish import solve_linear
from .games import BUST, RESET, as_game
from .memory import check_memory
from .pairs import CLOSE, scratch
from .players import followed
from .policies import OptimalPolicy, Solution, branching
from .race import RESIDUAL_LIMIT, ROUNDING, TIE, ConvergenceError, decide
from .table import Stakes
from .turn import compiled, inner, rules_of, walk

__all__ = ["one_turn", "solve_score", "solve_turns", "threshold", "turns_needed"]

LEAST = 1e-280  # probability to leave that can be divided by


def one_turn(game, target=1):
    """The game as one turn sees it that is worth its points: a reset is a bust, and every total may be held.

    Modes in which a roll can lose nothing, whatever the total, allow no hold.

    Raises
    ------
    ValueError
        See :func:`threshold`.
    """
    as_bust, modes = {RESET: BUST}, []
    for mode, free in zip(game.modes, far_out(game).free, strict=True):
        outcomes = [replace(o, result=as_bust.get(o.result, o.result)) for o in mode.outcomes]
        modes.append(replace(mode, outcomes=outcomes, may_hold=mode.may_hold and not free))
    return replace(game, modes=modes, finish="reach", target=target)


def turn_rules(turn):
    """The arrays of what :func:`one_turn` makes of a game, in which choices past the target bring most points."""
    slopes, starts = np.array(far_out(turn).lines, dtype=float).T[..., None]
    past = np.arange(1.0 - turn.most_points, 1.0)  # points missing
    ends = np.broadcast_arrays(slopes, 0.0, starts - past * slopes)
    return rules_of(turn)._replace(beyond=np.stack(ends, axis=-1)[None])


class FarOut(NamedTuple):
    """What a turn is worth that has k points, from the critical threshold on; by mode."""

    lines: list  # the value slope·k + start, as (slope, start): the chance to hold, and the points expected until then
    free: list  # of bool, whether one may hold, but a roll loses nothing
    threshold: int


@lru_cache(maxsize=64)
def far_out(game):
    """The best decisions of turns with many points, by policy iteration: the chance to hold counts first, then points.

    Raises
    ------
    ValueError
        See :func:`threshold`.
    """
    index, size = {mode.name: m for m, mode in enumerate(game.modes)}, range(len(game.modes))
    rolls = [
        [(o.probability, [(index[c.mode], c.points) for c in o.choices]) for o in mode.outcomes if o.choices]
        for mode in game.modes
    ]
    reached, may_hold = {index[name] for name in game.reached()}, [mode.may_hold for mode in game.modes]
    taken, known = {}, {m for m in size if may_hold[m]}  # the choices of modes in which one rolls, to get to a hold
    while more := {m for m in size if m not in known and any(_leading(o, known) for _, o in rolls[m])}:
        taken |= {m: [_leading(o, known) or o[0] for _, o in rolls[m]] for m in more}
        known |= more
    for_ever, found = reached & known, set()
    while for_ever != found:  # modes from which one can roll on for ever, and lose nothing
        found = for_ever
        sure = {m for m in found if len(rolls[m]) == len(game.modes[m].outcomes)}
        for_ever = {m for m in sure if all(_leading(o, found) for _, o in rolls[m])}
    if for_ever:
        raise ValueError(f"game: {game.name} has no best turn, as one can roll on for ever and lose nothing")
    before, held = None, [(Fraction(may), Fraction(0)) for may in may_hold]
    while taken != before:
        before, lines = taken, _lines(rolls, taken, held)
        best = [[max(o, key=lambda to: _moved(lines, *to)) for _, o in roll] for roll in rolls]
        better = {m for m in known & reached if _rolled(lines, rolls[m], best[m]) > lines[m]}
        taken = before | {m: best[m] for m in better}
    least = Fraction(1)
    for m in reached:
        least = max(least, _from_here(lines[m], _rolled(lines, rolls[m], best[m])))
        for (_, choices), one in zip(rolls[m], best[m], strict=True):
            least = max(least, *(_from_here(_moved(lines, *one), _moved(lines, *other)) for other in choices))
    return FarOut(lines, [may_hold[m] and m in taken for m in size], -(-least.numerator // least.denominator))


def _leading(choices, modes):
    """The first of some choices (mode, points) that leads to one of some modes; None if there is none."""
    return next((choice for choice in choices if choice[0] in modes), None)


def _moved(lines, mode, points):
    """The line of a choice: that of its mode, for so many points more."""
    slope, start = lines[mode]
    return slope, slope * points + start


def _rolled(lines, roll, taken):
    """The line of a roll with the choices `taken`."""
    worths = [(p, _moved(lines, *choice)) for (p, _), choice in zip(roll, taken, strict=True)]
    return tuple(sum((p * line[k] for p, line in worths), Fraction(0)) for k in (0, 1))


def _lines(rolls, taken, held):
    """The lines of all modes, those of modes in which one does not roll being `held`, by linear equations."""
    rolling, lines = sorted(taken), list(held)
    stay = [[Fraction(i == k) for k in rolling] for i in rolling]
    for i, m in enumerate(rolling):
        lines[m] = Fraction(0), Fraction(0)
        for (p, _), (to, _) in zip(rolls[m], taken[m], strict=True):
            if to in taken:
                stay[i][rolling.index(to)] -= p
    for k in (0, 1):  # first the slopes; with these, what the next points bring
        solved = solve_linear(stay, [[_rolled(lines, rolls[m], taken[m])[k]] for m in rolling])
        for m, (x,) in zip(rolling, solved, strict=True):
            lines[m] = (x, Fraction(0)) if k == 0 else (lines[m][0], x)
    return lines


def _from_here(upper, lower):
    """The total from which on one line (slope, start) is at least another, whose slope is no larger."""
    return (lower[1] - upper[1]) / (upper[0] - lower[0]) if upper[0] > lower[0] else Fraction(0)


def threshold(game):
    """The critical threshold of the objective "score": the least total from which on every mode holds where it may.

    Modes in which a roll can lose nothing do not count: there, one always rolls on.

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
        If a turn's score is unlimited, as one can roll on for ever and lose nothing.
    """
    return far_out(as_game(game)).threshold


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
        ``values[k, m]`` is what k points in mode m are worth, k = 0, …, K, the critical threshold; nan in modes that no
        turn is ever in.

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
    reached, forced = bounded.reached(), [not mode.may_hold for mode in bounded.modes]
    never = [m for m, mode in enumerate(game.modes) if mode.name not in reached]

    takes_best = _best_choices(game, values, 0 if exact else TIE * len(values))
    values[:, never] = np.nan  # no turn is in these
    policy = OptimalPolicy(game, partial(_decide_alike, game, forced, rolls, takes_best))
    error = 0.0 if exact else 10 * ROUNDING * most
    return Solution(game, "score", values, policy, exact, Fraction(0) if exact else 0.0, error, ties)


def _decide_alike(game, forced, rolls_best, takes_best, pairs, rolls, takes):
    """Fill in the decisions of turns that look at no scores; see :func:`dicelab.race.decide`."""
    below = np.arange(game.target) < game.target - pairs[:, :1, None]  # totals that do not reach the target
    rolls[:, forced] = True  # also from the threshold on
    known = min(rolls_best.shape[1], game.target)
    rolls[:, :, :known] = rolls_best[:, :known]
    rolls &= below
    takes[:] = takes_best[: takes.shape[1]]


def _best_choices(game, values, tie):
    """The number of the best choice by outcome with more than one and turn total, (B, target); see `solve_score`.

    An advantage of no more than `tie` is none. From the threshold on what counts is the chance to hold and the points
    by then, which do not depend on the total.
    """
    lines, last = dict(zip((mode.name for mode in game.modes), far_out(game).lines, strict=True)), len(values) - 1

    def worth(choice, total):
        after = total + choice.points
        if after <= last:
            return values[after, game.mode(choice.mode)]
        slope, start = lines[choice.mode]
        return slope * after + start

    def best(outcome, total):
        worths = [worth(choice, total) for choice in outcome.choices]
        return next(k for k, value in enumerate(worths) if value >= max(worths) - tie)

    totals = range(game.target)
    found = [[best(outcome, total) for total in totals] for outcome in branching(game)]
    return np.array(found, dtype=np.uint8).reshape(len(found), game.target)


def _score(game):
    """What k points in mode m are worth, (K + 1, M), and whether to roll, (M, K), by the turn operator in float64."""
    rules, most = turn_rules(game), game.target
    arrays = scratch(rules, most)
    hold = np.arange(most, -1.0, -1.0)
    walk(rules, hold, 0.0, 0.0, float(most), 1.0, most, 1, *arrays)  # a bust is worth 0: nothing to add
    value, _, roll = (array[:, ::-1] for array in arrays)  # by turn total
    rolls = roll[:, :most] > np.arange(most) + TIE * most
    rolls[:, 0] = True
    rolls[~rules.may_hold] = True
    return value[:, : most + 1].T.copy(), rolls, None


def _score_in_fractions(game):
    """The same in Fractions, with the ties: pairs (turn total, mode) at which rolling is worth as much as holding."""
    most, lines = game.target, far_out(game).lines
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
def climb(rules, at_start, finish, scores, ends, value, leave, roll, told):
    """Solve x = f(x) - 1 for every number of points missing, and evaluate the decisions; see the module's page.

    Parameters
    ----------
    rules : Rules
    at_start, finish : float
        The values of a reset and of the finish.
    scores : ndarray (N + 1,)
        Filled with x by points missing.
    ends : ndarray (3, N + 1)
        Filled with α, ρ and φ.
    value, leave, roll : ndarray
        Scratch, as :func:`dicelab.turn.walk` wants it.
    told : ndarray (3, M, ≥ P + N)
        Scratch: α, ρ and φ in the course of a turn.

    Returns
    -------
    residual : float
        The largest of (f(x) - x - 1) / L, relative to T(a).
    """
    worst = 0.0
    for a in range(1, scores.size):
        if rules.hopeless[a]:
            scores[a], ends[0, a], ends[1, a], ends[2, a] = -FOREVER, FOREVER, 0.0, 0.0
            continue
        x, below = finish - 1.0, False  # the tangent of a convex function is 0 below its zero
        while True:
            above, leaves = walk(rules, scores, x, at_start, finish, 0.0, a, 1, value, leave, roll)
            if leaves < LEAST:  # so few turns that a bust is welcome
                x -= 2.0 * (finish - x)
                if finish - x > FOREVER:
                    return np.inf
                continue
            follow(rules, scores, x, at_start, finish, a, ends, value, leave, roll, told)
            for k in range(3):
                ends[k, a] = ((k == 0) + told[k, 0, rules.beyond.shape[2] - 1 + a]) / leaves
            after = finish * ends[2, a] + at_start * ends[1, a] - ends[0, a]
            if below and after <= x:
                break
            x, below = after, True
        turns = ends[0, a] + ends[1, a] * (finish - at_start)
        scores[a], worst = after, max(worst, abs(above - 1.0) / (leaves * turns))
    return worst


@inner
def follow(rules, scores, bust, at_start, finish, a, ends, value, leave, roll, told):
    """Fill `told` with α, ρ and φ for the decisions of the walk that has filled `value`, `leave` and `roll`."""
    modes, width = rules.beyond.shape[1:3]
    for r in range(1 - width, a + 1):
        at = width - 1 + r
        for m in range(modes):
            told[0, m, at], told[1, m, at], told[2, m, at] = 0.0, 0.0, 0.0
            if r <= 0:
                for way in range(len(rules.beyond)):
                    finishes, resets, _ = rules.beyond[way, m, r - 1]
                    if finishes * (finish - bust) + resets * (at_start - bust) == value[m, at]:
                        told[1, m, at], told[2, m, at] = resets, finishes
            elif rules.may_hold[m] and r < a and scores[r] - bust >= roll[m, at]:
                told[0, m, at], told[1, m, at], told[2, m, at] = ends[0, r], ends[1, r], ends[2, r]
            else:
                told[1, m, at] = rules.reset[m]
                for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                    taken = rules.choices[o]
                    for c in range(taken + 1, rules.choices[o + 1]):
                        best = value[rules.mode[taken], at - rules.points[taken]]
                        if value[rules.mode[c], at - rules.points[c]] > best:
                            taken = c
                    for k in range(3):
                        told[k, m, at] += rules.probability[o] * told[k, rules.mode[taken], at - rules.points[taken]]


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
    scores, ends, arrays = np.zeros(target + 1), np.zeros((3, target + 1)), scratch(rules, target)
    told = np.empty((3, *arrays[0].shape))
    at_start, finish, z = 0.0, 0.0, 0.0
    if game.resets and rules.hopeless[target]:
        at_start = -FOREVER
    elif game.resets:
        finish = 1.0
        while True:
            residual = climb(rules, at_start, finish, scores, ends, *arrays, told)
            if ends[2, target] > 0:
                before, z = z, ends[0, target] / ends[2, target]
                if before and z >= before * (1 - CLOSE):
                    break
                finish = z
            else:  # to be reset is welcome
                finish *= 1e6
            if not finish <= ENDLESS:
                raise ConvergenceError(f"{game.name}: the target is reached less than once in {ENDLESS:.0e} turns")
        turns = (ends[0] + ends[1] * z)[:0:-1]
    if not game.resets or at_start:
        residual = climb(rules, at_start, finish, scores, ends, *arrays, told)
        turns = (ends[0] + ends[1] * FOREVER)[:0:-1]
    if not residual <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {residual:.1e}")
    after = np.tile(scores[:0:-1], (target, 1))
    stakes = Stakes(0.0, np.full(target + 1, finish), 0.0, 0.0, 1.0)
    policy = OptimalPolicy(game, partial(decide, game, stakes, after, None))
    values = np.where(turns > ENDLESS, np.inf, turns)
    return Solution(game, "turns", values, policy, False, residual, ROUNDING * target**0.5 * values[0])


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
    # T(state) = turns + again·T(start): both parts, and the chance to arrive first, from the target backwards
    turns, again, arrives = np.zeros((3, len(ends.bust)))
    for state in range(len(ends.bust) - 1, -1, -1):
        first, last = ends.window[state, 0]
        place, keeps = ends.start[state, 0], min(state % memory + 1, memory - 1)
        held, to = ends.hold[place : place + last - first], slice(first * memory + keeps, last * memory, memory)
        leaves = ends.leave[state, 0]
        turns[state] = (1 + held @ turns[to]) / leaves if leaves else FOREVER
        again[state] = (ends.reset[state, 0] + held @ again[to]) / leaves if leaves else 0.0
        arrives[state] = (ends.finish[state, 0] + held @ arrives[to]) / leaves if leaves else 0.0
    start = turns[0] / arrives[0] if arrives[0] else FOREVER
    turns = (turns + again * start)[::memory]
    return np.where(turns > ENDLESS, np.inf, turns)
