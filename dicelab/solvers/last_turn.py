"""The last turn of the other player, and how far above the target a leader may roll on.

With the finishes "equal turns" and "last licks" a player who banks the target or more gives the other player, the
*chaser*, one last turn; the docstring of :class:`dicelab.games.model.Game` has the rules. The *leader* may roll on
above the target, so that turns have no natural end, and the backward pass over a turn no natural beginning. This module
finds one. Notation is that of :mod:`dicelab.solvers.race`: the leader needs a and is in the register f, the other
player b and g, r points are missing to the target, negative above it, B is the bust value, Z the reset value.

**The last turn.** Let the chaser be d points behind the leader, and in the register g. The last turn depends on d and g
alone, since a bust (unless it scores, see below), a reset and a hold below the leader's score all lose. C(g, d) is the
best chance to end above the leader, plus in "equal turns", where equal scores are a draw, half of the chance to draw
level. One pass over the turn totals gives C for all d at once (:func:`chances_of`): if more points must be banked, a
turn begins farther from the end. C does not increase in d, since a turn that gains more than d + 1 points gains more
than d, and it tends to 0.

**The turn of a leader.** A hold at the target or above, r ≤ 0, has the value 1 - C(g, b - r), since the other player is
b - r points behind then. A player who moves second in "equal turns" wins at once at the target, where the other one is
below it.

**Where the walk may begin.** Let the other player's value at the start of a turn be at least v. From a mode that
allows a hold a player rolls until points are gained, until the turn is lost, or until a hold at the same total. Let q
be the least probability of a loss, given a gain or a loss, over all modes that allow a hold and all ways to roll on
(:func:`~dicelab.games.absorption.least_risk`). A loss leaves at most 1 - v, and a gain at most 1. So rolling on is
worth at most the larger of a hold and (1 - q)·1 + q·(1 - v) = 1 - q·v. A hold is right where it has at least that
value, that is, where

    C(g, b - r) ≤ q·v,                                                                                        (1)

and then at all smaller r, too, as C does not increase. For v we take the chance T(g, b) that the other player, who
rolls until the target is reached, succeeds in this turn; in "last licks", where the leader may then chase, who needs
at least one point, the largest T(g, b + h)·(1 - C(1 + h)) over h ≥ 0, with the largest C of all registers, for a
player who rolls until h points above the target. The walk begins at the largest r ≤ 0 with (1), and -r is the *cut*.
Where rolls cannot follow each other without end and without a risk, C tends to 0, and there is one if q·v > 0; if v is
0, turns in g gain only so many points, and C reaches 0. The search for it doubles its range until it is found. Values
of the solution are compared with v in the end. In Pig to 100 this proves that a leader holds 41 points above the
target, or 66 in "last licks"; the values then say 11 and 24 at most.

Where rolls that risk nothing, also in modes without a hold, can follow each other without end, a turn may have no best
end, and is refused. If some way to roll risks nothing otherwise, q is 0, and (1) proves no end of a turn. It leads to
a roll that has a risk, or to a mode where one must hold, and the walk begins where C is below 1e-20, so that float64
cannot tell a hold from a gain.

A bust that scores may beat the leader, or finish. Where d is so small that it beats the leader, C takes a pass of its
own for each d. If it finishes with e points above the target, at most those that it scores less one, a loss leaves the
other player C(g, b + e); then v in (1) is the smaller one of this and the v above.

A mode without a hold must be left by rolls. If these offer no choice, its value with everybody holding as soon as
possible is a sum over rolls without end (:func:`lead_values`), which we end where C is below 1e-20; if they do, the
walk begins there. In fractions games with such modes, or with q = 0, are refused, since the sum need not end.
"""

from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._accuracy import UNLIKELY
from .._compile import bare
from .._limits import check_memory
from .._numbers import Number
from ..games.absorption import risk_above
from ..games.model import LAST_TURN
from ..games.positions import Classes, classes_of
from ._kernels import (
    Ends,
    Payoffs,
    Turn,
    backward_pass,
    exact_rules,
    farthest,
    last_turn,
    pass_back,
    payoffs_of,
    rules_of,
)

__all__ = ["Ladder", "LastTurn", "above_target", "ladder_alone", "ladder_of", "last_turn_of"]


class LastTurn(NamedTuple):
    """What turns above the target need to know, by the place of the other player's score: float64, or fractions.

    S is the number of scores, M of modes, and K of the points above the target to beat, 0, …, K - 1.
    """

    draw: float  # the value of equal scores to the chaser
    far: bool  # whether the cut is so far above the target that the chaser has no chance there
    chance: np.ndarray  # (S, K) C(g, b + k)
    lead: np.ndarray  # (S, M, K) the leader's value k points above, who holds as soon as possible; not in fractions
    cut: np.ndarray  # (S,) int, so many points above the target, and above, every hold is right
    lower: np.ndarray  # (S,) v of the other player


class Ladder(NamedTuple):
    """What turns need to know of a game and an objective, beside the rules of a turn."""

    payoffs: Payoffs
    classes: Classes
    last: LastTurn
    start: int  # the points needed at score 0, to which a reset leads
    exactly: bool  # whether passing the target is a bust
    waits: bool  # whether players may be able to wait for ever, so that cycles begin at c/2


def ladder_of(game, objective="win", overshoot=False, waits=False):
    """The :class:`Ladder` of a game."""
    return Ladder(
        payoffs_of(game, objective, overshoot),
        classes_of(game),
        last_turn_of(game),
        game.target,
        game.finish == "exact",
        waits,
    )


def ladder_alone(game, finish):
    """The same of one player; `finish` is the value of the finish."""
    payoffs = Payoffs(0.0, np.full(game.longest + 1, finish), 0.0, 0.0, 1.0)
    return ladder_of(game)._replace(payoffs=payoffs)


def above_target(game, last):
    """Up to how many points above the target a player may roll, where the other one has a last turn; otherwise 0."""
    return farthest(last, classes_of(game)) if game.finish in LAST_TURN else 0


def chances_of(classes, size, draw, walk):
    """C(g, d) by register and points behind, 0 ≤ d < `size`; and the chances to gain 0, …, `size` points in a turn.

    ``walk(draw, least, paid, behind)`` returns R of a last turn (:func:`dicelab.solvers._kernels.last_turn`) by mode
    and points to gain, up to all of the turn. If its bust value is not 0, only the last column is used: other turns
    have other bust values.
    """
    least, behind = classes.least_hold[:, None], np.arange(size)
    gains, draws = (walk(level, 1, 0, size - 1)[classes.mode] for level in (0 * draw, draw))
    beaten = np.maximum(behind + 1, least).clip(max=size)
    chance = gains[np.arange(len(gains))[:, None], beaten]
    enough = behind >= least
    chance[enough] = draws[:, 1:][enough]
    for f, paid in enumerate(-classes.penalty):
        for short in range(paid + 1):  # a bust wins, or draws
            chance[f, short] = walk(draw, int(least[f, 0]), paid, short)[classes.mode[f], -1]
    return chance, gains


@bare
def lead_values(rules, ends, chances, lead):
    """Fill ``lead[m, k]``: 1 - C where a hold is allowed, and otherwise its expectation where the rolls end.

    ``chances[k]`` is C. Modes without a hold offer no choices. Above the last k the chaser has no chance.
    """
    size = lead.shape[1]
    for k in range(size - 1, -1, -1):
        for m in rules.order:
            if rules.may_hold[m]:
                lead[m, k] = 1 - chances[k]
                continue
            lead[m, k] = 0.0
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c = rules.choices[o]
                after, onward = k + rules.points[c], rules.mode[c]
                lead[m, k] += rules.probability[o] * (
                    lead[onward, after] if after < size else ends[onward]
                )


@lru_cache(maxsize=64)
def last_turn_of(game, exact=False):
    """What turns above the target need to know; nothing for a finish without a last turn.

    Raises
    ------
    ValueError
        As :func:`~dicelab.games.absorption.risk_above`.
    """
    classes, most, kind = classes_of(game), game.longest, object if exact else float
    registers, places = len(classes.mode), len(game.scores)
    if game.finish not in LAST_TURN:
        nothing, flat = np.zeros((places, 1), dtype=kind), np.zeros(places, dtype=int)
        return LastTurn(0.0, False, nothing, nothing[:, None], flat, nothing[:, 0])
    risk, forced = risk_above(game, exact)
    far = not risk or any(len(o.choices) > 1 for mode in forced for o in mode.outcomes)
    plain = replace(game, finish="reach")
    rules = exact_rules(plain) if exact else rules_of(plain)
    number = Number if exact else float
    evaluate = pass_back if exact else backward_pass
    modes, width = rules.beyond.shape[1:3]
    zero, one = number(0), number(1)
    draw = one / 2 if game.finish == "equal turns" else zero

    def walk(draw, least, paid, behind):
        hold = np.zeros(max(behind + 1, least) + 1, dtype=kind)
        missing = last_turn(hold, least, paid, behind, draw, one)
        turn = Turn(*np.zeros((3, modes, width + missing), dtype=kind))
        evaluate(rules, hold, Ends(hold[missing], zero, one, zero), missing, 1, turn)
        return hold[missing] + turn.roll[:, width - 1 :]

    least = classes.least_hold[:, None]
    size = 3 * (most + width + int(least.max()) + game.most_paid)
    while True:
        check_memory(
            24 * modes * (places + 2) * (size + width),
            f"following {game.name} above {game.target}",
            "take another finish",
        )
        chance, gains = chances_of(classes, size, draw, walk)
        reach = gains[np.arange(registers)[:, None], np.maximum(range(size), least)]
        reach[:, 0] = 1
        lower = reach[:, : most + 1].copy()
        if game.finish == "last licks":
            alone, tail = 1 - chance[:, 1:].max(axis=0), size // 2 - most
            lower = np.array(
                [[max(row[b : b + tail] * alone[:tail]) for b in range(most + 1)] for row in reach],
                dtype=kind,
            )
        loss = lower  # the least that a loss leaves to the other player
        if game.most_paid:  # a bust that finishes leaves a last turn
            loss = np.minimum(loss, chance[:, game.most_paid - 1 :][:, : most + 1])
        enough = np.full_like(lower, UNLIKELY) if far else number(risk) * loss
        cuts = [cuts_of(*row, size - most - width) for row in zip(chance, enough, strict=True)]
        if all(cut is not None for cut in cuts) and not (forced and chance[:, -1].max() > UNLIKELY):
            break
        size *= 2
    needs, which = np.divmod(np.arange(places), registers)
    needs = most - needs  # by place
    cut = np.array(cuts)[which, needs]
    known = int(max(cut.max(), least.max(), game.most_paid)) + width
    by_place = chance[which[:, None], needs[:, None] + np.arange(size - most)]
    return LastTurn(
        draw,
        far,
        by_place[:, :known].copy(),
        by_place[:, None, :0] if exact else leads(rules, by_place)[:, :, :known].copy(),
        cut,
        lower[which, needs],
    )


def leads(rules, chance):
    """The leader's values, (S, M, K), from the chances of the chaser, (S, K); see :class:`LastTurn`."""
    ends = rules.beyond[:, :, -1, 0].max(axis=0)
    lead = np.zeros((len(chance), len(rules.may_hold), chance.shape[1]), dtype=chance.dtype)
    for row, table in zip(chance, lead, strict=True):
        lead_values(rules, ends, row, table)
    return lead


def cuts_of(chances, enough, size):
    """The smallest e ≥ 0 with C(b + e) ≤ `enough` by b, or None if for some b there is none with b + e < `size`."""
    right = chances[:size] <= enough[:, None]  # from some points behind on, as C does not increase
    if not right[1:].any(axis=1).all():
        return None
    cut = (right.argmax(axis=1) - np.arange(len(enough))).clip(min=0)
    cut[0] = 0
    return cut
