"""One player: the objectives "score", "turns" and "deadline".

They ask for the most points of one turn, for the fewest turns to the target, and for the most likely way to reach the
target within n turns.

**Score** (Roters 1998). Let W(m, k) be the expected points of a turn that has k points in mode m. It solves

    W(m, k) = max(k, R(m, k)),      R(m, k) = Σ p · max over choices  W(next mode, k + points),

where a bust pays what it scores, usually nothing, and a reset pays nothing. This equation has many solutions; the value
is the smallest. We find it through a *critical threshold* K, the total from which on every mode holds where it may.
Suppose that all modes do so. A player who must roll then goes on until a hold is allowed, so from K on every W is
linear in k. Holding, and the choices taken in modes without a hold, are right where certain linear functions of k are
at least 0; K is the first total from which on they are. This W is attained by turns that end with probability 1. No
policy does better: W ≥ R makes W a supermartingale along every turn, and the points held are at most W. Below K we use
the turn operator of :mod:`dicelab.solvers._kernels`, as in a race to K in which points beyond the target count.

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

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from .._accuracy import CLOSE, ENDLESS, FOREVER, ROUNDING, TIE, ConvergenceError, check_residual
from .._compile import compiled
from .._exact import as_exact
from .._limits import check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..games.absorption import closed_within, may_be_stuck, solve_linear, stuck_places
from ..games.model import BUST, RESET, check_game
from ..games.registers import scores_of
from ..policies import branching_outcomes
from ..solution import NAMES, OptimalPolicy, Solution, turns_in_words
from ._kernels import (
    Ends,
    Turn,
    backward_pass,
    decide_alone,
    evaluate_turn,
    exact_rules,
    iterate_policies,
    new_turn,
    pass_back,
    room_for,
    rules_of,
)
from .last_turn import ladder_alone

__all__ = ["one_turn", "solve_deadline", "solve_score", "solve_turns", "threshold"]
__all__ += ["held_from", "score_turn", "turn_rules"]

MOST_SWEEPS = 1000


class FarOut(NamedTuple):
    """The values of a turn from the critical threshold on, by mode."""

    lines: list  # (slope, start) of the value slope·k + start: the probability of a hold, and the points until then
    free: list  # of bool: the mode allows a hold, but a roll loses nothing
    threshold: int


@lru_cache(maxsize=64)
def far_out(game, paid=0):
    """The best decisions of turns with many points, by policy iteration: first the slope counts, then the start.

    A bust pays `paid` points, a reset nothing: they lead to two last modes, whose lines are that.
    """
    game = game.until_change
    modes = range(len(game.modes))
    ends = {BUST: [(len(modes), 0)], RESET: [(len(modes) + 1, 0)]}
    rolls = [
        [
            (
                o.probability,
                ends.get(o.result) or [(game.mode(c.mode), c.points) for c in o.choices],
            )
            for o in mode.outcomes
        ]
        for mode in game.modes
    ]
    reached = {game.mode(name) for name in game.reached()}
    may_hold = [mode.may_hold for mode in game.modes]
    taken = {}

    def lead_to(aims):
        """Take choices that lead to some modes, where that can be; return these modes, and all that lead there."""
        left = set(modes) - aims
        while more := {m for m in left if any(to in aims for _, o in rolls[m] for to, _ in o)}:
            for m in more:
                taken[m] = [max(o, key=lambda choice: choice[0] in aims) for _, o in rolls[m]]
            aims, left = aims | more, left - more
        return aims

    # The first policy holds where it may, and elsewhere takes choices that lead to a hold, or at least to an end.
    to_hold = lead_to({m for m in modes if may_hold[m]})
    lead_to(to_hold | {len(modes), len(modes) + 1})
    # Every outcome of a roll in a safe mode offers a choice that leads to a safe mode.
    rolling = {m for m in reached & to_hold if not game.modes[m].must_hold}
    if closed_within(rolling, [[o for _, o in roll] for roll in rolls]):
        raise ValueError(
            f"game: {game.name} has no best turn, as one can roll on for ever and lose nothing"
        )
    before = None
    while taken != before:
        before, lines = taken, _lines(rolls, taken, may_hold, paid)
        best = [
            [max(o, key=lambda choice: _moved(lines, *choice)) for _, o in roll] for roll in rolls
        ]
        better = {m for m in reached if _rolled(lines, rolls[m], best[m]) > lines[m]}
        taken = before | {m: best[m] for m in better}
    compared = [(lines[m], _rolled(lines, rolls[m], best[m])) for m in reached]
    compared += [
        (_moved(lines, *one), _moved(lines, *other))
        for m in reached
        for (_, choices), one in zip(rolls[m], best[m], strict=True)
        for other in choices
    ]
    start = max(1, *(_dominates_from(*pair) for pair in compared))
    return FarOut(
        lines[: len(modes)], [may_hold[m] and m in taken for m in modes], math.ceil(start)
    )


def _moved(lines, mode, points):
    """The line of a choice: the line of its mode, shifted by its points."""
    slope, start = lines[mode]
    return slope, slope * points + start


def _rolled(lines, roll, taken):
    """The line of a roll with the choices `taken`."""
    after = [(p, _moved(lines, *choice)) for (p, _), choice in zip(roll, taken, strict=True)]
    return tuple(sum((p * line[k] for p, line in after), Fraction(0)) for k in (0, 1))


def _lines(rolls, taken, may_hold, paid):
    """The lines of all modes, by linear equations, if the modes in `taken` roll and the others hold where they may."""
    lines = [(Fraction(may), Fraction(0)) for may in may_hold]
    lines += [(Fraction(0), Fraction(paid)), (Fraction(0), Fraction(0))]  # a bust, a reset
    stay = [{m: Fraction(1)} for m in range(len(lines))]
    for m, choices in taken.items():
        lines[m] = Fraction(0), Fraction(0)
        for (p, _), (to, _) in zip(rolls[m], choices, strict=True):
            stay[m][to] = stay[m].get(to, 0) - p
    slopes = solve_linear(stay, [[slope] for slope, _ in lines])
    held = [(slope, Fraction(0)) for (slope,) in slopes]  # without what is gained from here on
    gained = {m: _rolled(held, rolls[m], choices)[1] for m, choices in taken.items()}
    starts = solve_linear(stay, [[gained.get(m, start)] for m, (_, start) in enumerate(lines)])
    return [(*slope, *start) for slope, start in zip(slopes, starts, strict=True)]


def _dominates_from(upper, lower):
    """The total from which on one line (slope, start) is at least another, whose slope is no larger."""
    return (lower[1] - upper[1]) / (upper[0] - lower[0]) if upper[0] > lower[0] else Fraction(0)


def threshold(game):
    """The critical threshold of the objective "score": the least total from which on every mode holds where it may.

    Modes in which a roll can lose nothing, so that rolling is always right, do not count.

    Parameters
    ----------
    game : Game

    Returns
    -------
    int
        Points, at least 1.

    Raises
    ------
    ValueError
        If the expected points of a turn are unlimited, as one can roll on for ever and lose nothing.
    """
    game = check_game(game)
    return far_out(game, game.register(game.after_reset).pays).threshold


def held_from(game):
    """The registers of a game; and the least total from which on every mode holds where it may, in all of them."""
    registers = [game.register(score) for score in game.scores[: len(game.registers) or 1]]
    return registers, max(
        max(far_out(game, register.pays).threshold, register.least_hold) for register in registers
    )


def one_turn(game, target):
    """The game to `target` whose turns count for their points: a reset is a bust, and every total may be held.

    If a bust scores a reset stays one, which pays nothing. Modes in which a roll can lose nothing, whatever the total,
    allow no hold.
    """
    as_bust, game = {} if game.most_paid else {RESET: BUST}, game.until_change
    modes = [
        replace(
            mode,
            outcomes=[replace(o, result=as_bust.get(o.result, o.result)) for o in mode.outcomes],
            may_hold=mode.may_hold and not free,
        )
        for mode, free in zip(game.modes, far_out(game).free, strict=True)
    ]
    return replace(game, modes=modes, finish="reach", target=target)


@lru_cache(maxsize=64)
def turn_rules(turn, paid=0, exact=False):
    """The arrays of what :func:`one_turn` makes of a game; choices beyond the target bring the most points."""
    number, may_hold = Number if exact else float, np.array([m.may_hold for m in turn.modes])
    lines = [[*map(number, line)] for line in far_out(turn, paid).lines]
    slopes, starts = np.array(lines, dtype=object if exact else float).T[..., None]
    missing = np.arange(-turn.most_points, 1)  # down to where a roll at the target may lead
    ends = np.broadcast_arrays(slopes, 0, starts - missing * slopes - paid * (1 - slopes))
    # The ends replace those of a race, so that choices beyond the target need not be ranked.
    plain = replace(turn, modes=[replace(mode, may_hold=True) for mode in turn.modes])
    return (exact_rules if exact else rules_of)(plain)._replace(
        beyond=np.stack(ends, axis=-1)[None], may_hold=may_hold, all_hold=bool(may_hold.all())
    )


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
        ``values[k, m]`` is W(m, k) for k = 0, …, K, the critical threshold or the least hold; nan in modes that no turn
        is ever in. In a game with registers it is the turn of a player in the first register; the policy knows all. A
        bust that scores pays its points; one that costs points counts as none here.

    Raises
    ------
    ValueError
        See :func:`threshold`.
    MemoryError
        Beforehand, if that would take more than half of the memory.
    """
    registers, most = held_from(game)
    branching = len(branching_outcomes(game))
    known = max(most, game.longest if branching else 0) + game.most_points
    size = (1200 if exact else 80) * len(game.modes) * known + (8 + 200 * branching) * game.longest
    check_memory(
        len(registers) * size,
        f"one turn of {game.name}, in which to hold at {most} or more,",
        "take a die that busts more often",
    )
    bounded = one_turn(game, most)
    best = _score_in_fractions if exact else score_turn
    found = [best(bounded, each.least_hold, each.pays) for each in registers]
    values, _, ties, *_ = found[0]
    decisions = [
        (rolls, _best_choices(game, each, 0 if exact else TIE * len(each), register.pays))
        for register, (each, rolls, *_) in zip(registers, found, strict=True)
    ]
    reached = set(bounded.reached())
    never = [m for m, mode in enumerate(game.modes) if mode.name not in reached]
    values[:, never] = np.nan
    forced = [not mode.may_hold for mode in bounded.modes]
    return Solution(
        game=game,
        objective="score",
        values=values,
        policy=OptimalPolicy(game, partial(_decide_alike, game, forced, decisions), NAMES["score"]),
        exact=exact,
        residual=Fraction(0) if exact else 0.0,
        error=0.0 if exact else 10 * ROUNDING * most,
        ties=ties,
    )


def _decide_alike(game, forced, decisions, pairs, rolls, takes):
    """Fill in decisions by register, as :func:`dicelab.solvers._kernels.decide_positions` does."""
    missing = scores_of(game).missing[pairs[:, 0]]
    for f, (best_rolls, best_choices) in enumerate(decisions):
        here = pairs[:, 0] % len(decisions) == f
        known = min(best_rolls.shape[1], game.longest)
        decided = np.zeros(rolls.shape[1:], dtype=bool)
        decided[forced] = True  # also from the threshold on
        decided[:, :known] = best_rolls[:, :known]
        rolls[here], takes[here] = decided, best_choices[: takes.shape[1]]
    # Totals that do not reach the target.
    rolls &= np.arange(rolls.shape[2]) < missing[:, None, None]


def _best_choices(game, values, tie, paid):
    """The number of the best choice by outcome with more than one and turn total, (B, target).

    Of choices whose values differ by at most `tie` the first is taken.
    """
    found = np.zeros((len(branching_outcomes(game)), game.longest), dtype=np.uint8)
    if not len(found):
        return found
    slopes, starts = np.array(far_out(game, paid).lines, dtype=values.dtype).T
    value = np.arange(game.longest + game.most_points)[:, None] * slopes + starts
    value[: len(values)] = values[: len(value)]
    for best, outcome in zip(found, branching_outcomes(game), strict=True):
        after = np.array(
            [value[c.points :, game.mode(c.mode)][: game.longest] for c in outcome.choices]
        )
        best[:] = (after >= after.max(axis=0) - tie).argmax(axis=0)
    return found


def score_turn(game, least=1, paid=0, exact=False, lowest=0):
    """The best turn of what :func:`one_turn` makes of a game, in float64 or in fractions, from a lowest turn total on.

    Returns
    -------
    values : ndarray (K - lowest + 1, M)
        W by turn total, from `lowest` up to the target K.
    rolls : ndarray of bool (M, K - lowest)
        Whether to roll.
    ties : tuple or None
        Pairs (turn total, mode name) at which rolling and holding have the same value, up to the target; None in
        float64.
    value, rolled : ndarray (M, K - lowest + P + 1)
        W, and the values of rolls below the target and in fractions at it, by turn total.
    """
    rules, most, number = turn_rules(game, paid, exact), game.target, Number if exact else float
    kind, (_, modes, width, _) = rules.bust.dtype, rules.beyond.shape
    missing = most - lowest + 1  # a turn begins without a hold, so with a point less
    turn = Turn(*np.empty((3, modes, width + missing), dtype=kind))
    held = [number(k) if k >= least else -np.inf for k in range(most, lowest - 2, -1)]
    hold, ends = np.array(held, dtype=kind), Ends(*map(number, (paid, 0, most, 1)))
    (pass_back if exact else backward_pass)(rules, hold, ends, missing, 1, turn)
    value, rolled = (paid + part[:, -2::-1] for part in (turn.value, turn.roll))
    totals = np.arange(lowest, most + 1)
    rolls = rolled[:, : most - lowest] > totals[:-1] + (0 if exact else TIE * most)
    rolls[:, : max(least - lowest, 0)] = ~rules.stops[:, None]
    rolls[:, totals[:-1] == 0] = True
    rolls[~rules.may_hold] = True
    values = as_exact(value[:, : len(totals)].T.copy())
    if not exact:
        return values, rolls, None, value, rolled
    for m, mode in enumerate(game.modes):  # a roll at the target
        after = [
            (o.probability, [value[game.mode(c.mode), most - lowest + c.points] for c in o.choices])
            for o in mode.outcomes
            if o.choices
        ]
        rolled[m, most - lowest] = paid * mode.chance(BUST) + sum(p * max(w) for p, w in after)
    tied = (rolled[:, : len(totals)] == totals) & rules.may_hold[:, None] & (totals >= least)
    ties = sorted((lowest + k, game.modes[m].name) for m, k in np.argwhere(tied).tolist())
    return values, rolls, tuple(ties), value, rolled


_score_in_fractions = partial(score_turn, exact=True)


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


def banking(rules, scores, own):
    """The rules of a turn from the place of a score: no finish where the least hold is more than what is missing.

    That is so only if the target must be hit exactly.
    """
    if scores.least_hold[own] <= scores.missing[own]:
        return rules
    beyond = rules.beyond.copy()
    beyond[..., 0] = 0.0
    return rules._replace(beyond=beyond)


def sweep_turns(game):
    """Minimise the expected number of turns to the target, in a game with registers; see :func:`dicelab.solve`.

    Let x = -T be minus the number of turns. Scores are swept from the target backwards until x changes no more. Where
    a bust leads back to the same score and register, x = f(x) - 1, which Newton's method solves.

    Returns
    -------
    Solution

    Raises
    ------
    ConvergenceError
        If x still changes after 1,000 sweeps.

    Notes
    -----
    Where a bust leads to a score that is stuck, and the turn can avoid it, float64 cannot tell the other values: the
    error is infinite then, which :func:`dicelab.solve` refuses.
    """
    ladder = ladder_alone(game, 0.0)
    sweep, x = sweeper(game, ladder, 1.0), np.zeros(len(game.scores) + 1)
    stuck = np.append(stuck_places(game), False)
    x[stuck] = -FOREVER  # sweeps would take one turn after the other off
    for _ in range(MOST_SWEEPS):
        before = x.copy()
        sweep(x, x)
        residual = float(np.max(np.abs(x - before) / (1.0 - x)))
        if residual <= CLOSE:
            break
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
        error=np.inf if lost else ROUNDING * game.longest**0.5 * -x[-1] + 2.0 * residual,
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
            if leave > 0.0:
                x[own], first = bust + more / leave, False
            elif bust < -FOREVER:
                break
            else:  # the turn surely busts: the bust value is too high
                x[own] = 2.0 * bust - 1.0
        x[own] = max(bust + more, -FOREVER)
        x[-1] = x[begin]
