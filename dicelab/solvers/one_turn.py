"""One turn: the objective "score", the most points of a turn (Roters 1998).

Let W(m, k) be the expected points of a turn that has k points in mode m. It solves

    W(m, k) = max(k, R(m, k)),      R(m, k) = Σ p · max over choices  W(next mode, k + points),

where a bust pays what it scores, usually nothing, and a reset pays nothing. This equation has many solutions; the value
is the smallest. We find it through a *critical threshold* K, the total from which on every mode holds where it may.
Suppose that all modes do so. A player who must roll then goes on until a hold is allowed, so from K on every W is
linear in k. Holding, and the choices taken in modes without a hold, are right where certain linear functions of k are
at least 0; K is the first total from which on they are. This W is attained by turns that end with probability 1. No
policy does better: W ≥ R makes W a supermartingale along every turn, and the points held are at most W. Below K we use
the turn operator of :mod:`dicelab.solvers._kernels`, as in a race to K in which points beyond the target count.
"""

import math
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from .._accuracy import ROUNDING, TIE
from .._exact import as_exact
from .._limits import check_memory
from .._numbers import Number
from ..games.absorption import closed_within, solve_linear
from ..games.model import BUST, RESET, check_game
from ..games.registers import scores_of
from ..policies import branching_outcomes
from ..solution import NAMES, OptimalPolicy, Solution
from ._kernels import Ends, Turn, backward_pass, exact_rules, pass_back, rules_of

__all__ = ["one_turn", "score_turn", "solve_score", "threshold"]


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
    found = [score_turn(bounded, each.least_hold, each.pays, exact) for each in registers]
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


def score_turn(game, least=1, paid=0, exact=False):
    """The best turn of what :func:`one_turn` makes of a game, in float64 or in fractions.

    Returns
    -------
    values : ndarray (K + 1, M)
        W by turn total, up to the target K.
    rolls : ndarray of bool (M, K)
        Whether to roll.
    ties : tuple or None
        Pairs (turn total, mode name) at which rolling and holding have the same value, up to the target; None in
        float64.
    value, rolled : ndarray (M, K + P + 1)
        W, and the values of rolls below the target and in fractions at it, by turn total.
    """
    rules, most, number = turn_rules(game, paid, exact), game.target, Number if exact else float
    kind, (_, modes, width, _) = rules.bust.dtype, rules.beyond.shape
    missing = most + 1  # a turn begins without a hold, so with a point less
    turn = Turn(*np.empty((3, modes, width + missing), dtype=kind))
    held = [number(k) if k >= least else -np.inf for k in range(most, -2, -1)]
    hold, ends = np.array(held, dtype=kind), Ends(*map(number, (paid, 0, most, 1)))
    (pass_back if exact else backward_pass)(rules, hold, ends, missing, 1, turn)
    value, rolled = (paid + part[:, -2::-1] for part in (turn.value, turn.roll))
    totals = np.arange(most + 1)
    rolls = rolled[:, :most] > totals[:-1] + (0 if exact else TIE * most)
    rolls[:, :least] = ~rules.stops[:, None]
    rolls[:, 0] = True
    rolls[~rules.may_hold] = True
    values = as_exact(value[:, : len(totals)].T.copy())
    if not exact:
        return values, rolls, None, value, rolled
    for m, mode in enumerate(game.modes):  # a roll at the target
        after = [
            (o.probability, [value[game.mode(c.mode), most + c.points] for c in o.choices])
            for o in mode.outcomes
            if o.choices
        ]
        rolled[m, most] = paid * mode.chance(BUST) + sum(p * max(w) for p, w in after)
    tied = (rolled[:, : len(totals)] == totals) & rules.may_hold[:, None] & (totals >= least)
    ties = sorted((k, game.modes[m].name) for m, k in np.argwhere(tied).tolist())
    return values, rolls, tuple(ties), value, rolled
