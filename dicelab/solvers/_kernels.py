"""Rules as arrays, and the compiled kernels that walk turns for given values: decisions, and the response to a policy.

Games are solved by :mod:`dicelab.engine`; certificates, and what policies achieve, still need these.

Notation
--------
V(a, b) is the value to the player about to move, who needs a points, the opponent needing b; both are at most N. With r
points missing after banking the turn total, the player in mode m holds, for the hold value H(r), or rolls. B is the
bust value, Z the reset value, P the most points of one roll, M the number of modes. The value W of mode m is

    W(m, r) = max(H(r), R(m, r))        where mode m allows a hold,                                                (1)
    W(m, r) = R(m, r)                   where it does not,
    R(m, r) = bust(m)·B + reset(m)·Z + Σ over outcomes  p · max over choices  W(next mode, r - points).             (2)

A turn begins with a roll, so its value is R(first mode, a). Since H is indexed by r, it does not depend on the player's
own score: one row of hold values serves all own scores against the same opponent.

A roll that changes nothing is repeated, so all p are conditional on a change (``Game.until_change``). An outcome that
adds no point leads to another mode at the same r. At every r modes are therefore evaluated in ``rules.order``: each
after the modes to which it leads with 0 points. In a mode without outcomes the player must hold.

At the target and beyond, r ≤ 0, a player who may hold has finished, and one who must roll finishes with a probability
that the mode graph determines (:mod:`dicelab.games.absorption`). With ``finish="exact"`` only r = 0 finishes, and r < 0
is a bust.

Above the bust value
--------------------
The kernels compute W - B, and the probability L to *leave* the bust value, that is, to end the turn in any other way:

    R - B = reset·(Z - B) + Σ p·(W - B),      L = reset + Σ p·L,      L = 1 for a hold.                             (3)

A bust adds nothing to either sum. Even if a turn nearly always busts, L is therefore accurate to full relative
precision, and the rounding error of R - B is of the order of L, so that their quotient loses no digits. As the largest
of finitely many values A + (1 - L)·B, W is convex, nondecreasing and piecewise linear in B, with slope 1 - L.

Where a walk may begin
----------------------
Let passing the target finish, and let every mode allow a hold. Let R°(m, r) be the value of a roll in mode m *if every
hold that it leads to is made*. **Proposition.** If every mode holds at P successive r, then also at the next one,
unless R°(m, r) > H(r) for some m. *Proof.* A roll leads to one of the last P totals, whose values are the hold values,
so that R = R°. An outcome of 0 points leads to a mode that comes earlier in the order, whose value is H(r) in turn; R°
counts it as H(r). □ All r ≤ 0 count as such totals, since they finish. If some modes must roll and no outcome offers a
choice, the same holds if *all* smaller r hold where they may; R° then counts R° itself in modes that must roll.

R° is linear in B, so that R°(m, r) > H(r) if and only if B exceeds a *break-even bust value*, which depends on b and r,
but not on a:

    (H(r) - R°(m, r) without busts) / (probability of a bust in R°).                                                (4)

Actions of equal value
----------------------
Against a deadline nobody can wait, and values may be tiny: there actions count as equal whose values differ by at most
TIE·(value + bust value), and the first is taken. In all other games a hold is taken among actions of equal value, and
of equal choices the first. But a value does not say how soon play ends: a player who wins for certain loses nothing by
waiting, but one who always waits does not win. A wrong decision among actions of equal value, or among what float64
takes for equal, is repeated until the turn leaves the bust value. So choices count as equal if W - B differs by at
most TIE·L, with the larger L of the two; and one of equal choices is taken that leaves the bust value 100 times as
often as the one taken so far, if there is one. A hold leaves it at once. With resets that is not enough, since a hold
may be followed by a reset, again and again.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .._accuracy import CLOSE, RARE, TIE
from .._compile import bare, compiled, inlined, inner, shared
from .._limits import check_memory
from .._numbers import Number
from ..games.absorption import beyond_target, cannot_finish, may_wait
from ..games.model import BUST, LAST_TURN, RESET, plain_finish
from ..games.registers import scores_of
from .cycle import joined

__all__ = [
    "Payoffs",
    "Rules",
    "decide_positions",
    "exact_rules",
    "payoffs_of",
    "room_for",
    "rules_of",
]

TURN = 32  # bytes by mode and points missing, of a turn and the rules
ZERO, ONE = np.int64(0), np.int64(1)  # numba compiles a kernel once more for a literal
SIX = 6  # successive points that one step of the batched walk sums up: a die's faces
LANES = 16  # turns in a batch: two vectors of eight float64, or four of four
STRIDE = 3 * LANES  # numbers for one mode and total of a batch: W - B, L, and the least gap so far
ROW1, ROW2, ROW3, ROW4, ROW5, ROW6 = (np.uint64(k * STRIDE) for k in range(1, SIX + 1))


class Rules(NamedTuple):
    """A game's mode graph as arrays: M modes, O scoring outcomes, C choices, and K ways to choose beyond the target.

    Mode m has the outcomes ``outcomes[m]:outcomes[m + 1]``, those with one choice first, and outcome o has the choices
    ``choices[o]:choices[o + 1]``. The batched walk sums up outcomes with one choice SIX successive points at a time:
    ``stay`` has those that stay in the mode with 1, …, SIX points. The others of mode m are in the groups
    ``groups[m]:groups[m + 1]``: group k leads to the mode ``onward[k, 0]`` with ``onward[k, 1]`` points (0, 1, 6, 7, …)
    with the probability ``weight[k, 0]``, with one more point with ``weight[k, 1]``, and so on. The last arrays are by
    points missing.
    """

    order: np.ndarray  # (M,) the modes, each after those to which it leads with 0 points
    may_hold: np.ndarray  # (M,) bool
    stops: np.ndarray  # (M,) bool, whether the player must hold
    # (M,) probability that a roll busts; 1 where one must hold: with too few points for that the turn is lost.
    bust: np.ndarray
    reset: np.ndarray  # (M,) probability that a roll resets
    beyond: np.ndarray  # (K, M, P, 3) how a turn ends beyond the target: see beyond_target
    outcomes: np.ndarray  # (M + 1,) the first outcome of each mode
    several: np.ndarray  # (M,) in each mode, the first outcome with more than one choice
    probability: np.ndarray  # (O,)
    choices: np.ndarray  # (O + 1,) the first choice of each outcome
    branch: np.ndarray  # (O,) outcomes with more than one choice are numbered; -1 for the others
    points: np.ndarray  # (C,)
    mode: np.ndarray  # (C,) index of the next mode
    more: np.ndarray  # (M,) bool, whether a roll has outcomes that score and are not in `stay`
    stay: np.ndarray  # (M, SIX)
    groups: np.ndarray  # (M + 1,)
    onward: np.ndarray  # (groups, 2) int
    weight: np.ndarray  # (groups, SIX)
    all_hold: bool  # whether every mode allows a hold
    skips: bool  # whether the Proposition applies; otherwise `bust_if_held` is not used
    bust_if_held: np.ndarray  # (M, P + N) the probability of a bust in R°; column P - 1 + r
    cannot_finish: np.ndarray  # (N + 1,) bool, whether nothing can lead to the finish
    may_wait: np.ndarray  # (N + 1,) bool, whether a player can make sure that a turn busts
    may_stall: bool  # whether a player who could finish may wait for ever
    rare: bool  # whether some roll leaves the bust value with a probability below RARE
    dyadic: np.ndarray  # (M,) bool, whether products with all probabilities are exact


@lru_cache(maxsize=256)
def rules_of(game):
    """The arrays of `game`, probabilities as float64, those of a roll conditional on a change.

    Of a finish with a last turn they are those of "reach": beyond the target all holds are made that may be.
    """
    game = plain_finish(game.until_change)
    size = TURN * len(game.modes) * (game.most_points + game.longest)
    check_memory(size, f"a turn of {game.name} in {len(game.modes):,} modes", "take fewer modes")
    scoring = [
        sorted((o for o in mode.outcomes if o.choices), key=lambda o: len(o.choices) > 1)
        for mode in game.modes
    ]
    flat = [outcome for outcomes in scoring for outcome in outcomes]
    choices = [choice for outcome in flat for choice in outcome.choices]
    several = np.array([len(outcome.choices) > 1 for outcome in flat])
    single = [[o for o in outcomes if len(o.choices) == 1] for outcomes in scoring]
    groups = [_grouped(game, outcomes) for outcomes in single]
    stay = [group.pop((m, 1), [0.0] * SIX) for m, group in enumerate(groups)]
    groups = [sorted(group.items()) for group in groups]
    all_hold = all(mode.may_hold for mode in game.modes)
    skips = game.finish == "reach" and (all_hold or not several.any())
    stuck = cannot_finish(game)
    return Rules(
        order=np.array(game.order),
        may_hold=np.array([mode.may_hold for mode in game.modes]),
        stops=np.array([mode.must_hold for mode in game.modes]),
        bust=np.array([float(mode.chance(BUST) + mode.must_hold) for mode in game.modes]),
        reset=np.array([float(mode.chance(RESET)) for mode in game.modes]),
        beyond=np.array(beyond_target(game), dtype=float),
        outcomes=np.cumsum([0, *map(len, scoring)]),
        several=np.array([*map(len, single)]) + np.cumsum([0, *map(len, scoring)])[:-1],
        probability=np.array([float(outcome.probability) for outcome in flat]),
        choices=np.cumsum([0, *(len(outcome.choices) for outcome in flat)]),
        branch=np.where(several, several.cumsum() - 1, -1),
        points=np.array([choice.points for choice in choices]),
        mode=np.array([game.mode(choice.mode) for choice in choices]),
        more=np.array(
            [
                bool(group) or any(len(o.choices) > 1 for o in flat)
                for group, flat in zip(groups, scoring, strict=False)
            ]
        ),
        stay=np.array(stay),
        groups=np.cumsum([0, *map(len, groups)]),
        onward=np.array([onward for group in groups for onward, _ in group], dtype=int).reshape(
            -1, 2
        ),
        weight=np.array([chances for group in groups for _, chances in group]).reshape(-1, SIX),
        all_hold=all_hold,
        skips=skips,
        bust_if_held=_bust_if_held(game) if skips else np.empty((1, 1)),
        cannot_finish=stuck,
        may_wait=may_wait(game),
        may_stall=bool((may_wait(game, reset=True) & ~stuck).any()),
        rare=any(1 - mode.chance(BUST) < RARE for mode in game.modes if mode.outcomes),
        dyadic=np.array([all(map(_is_dyadic, _chances(mode))) for mode in game.modes]),
    )


def exact_rules(game):
    """The rules in fractions, for functions that run as they stand on numbers of any kind."""

    def numbers(values):
        return np.array(values, dtype=object)

    game = plain_finish(game.until_change)
    scoring = [
        sorted((o for o in mode.outcomes if o.choices), key=lambda o: len(o.choices) > 1)
        for mode in game.modes
    ]
    return rules_of(game)._replace(
        bust=numbers([Number(mode.chance(BUST) + mode.must_hold) for mode in game.modes]),
        reset=numbers([Number(mode.chance(RESET)) for mode in game.modes]),
        probability=numbers(
            [Number(outcome.probability) for outcomes in scoring for outcome in outcomes]
        ),
        beyond=numbers(
            [
                [[list(map(Number, end)) for end in ends] for ends in way]
                for way in beyond_target(game)
            ]
        ),
    )


def _chances(mode):
    return (
        mode.chance(BUST),
        mode.chance(RESET),
        *(outcome.probability for outcome in mode.outcomes),
    )


def _is_dyadic(probability):
    """Whether products of float64 with a probability are exact: it is a power of two, or 0."""
    return probability.numerator <= 1 and probability.denominator.bit_count() == 1


def _grouped(game, outcomes):
    """Outcomes with one choice by next mode and six successive points: chances by mode and least points, a dict.

    The least points are 1, 7, …; or 0, 6, … for a next mode to which an outcome leads with 0 points.
    """
    groups = {}
    free = {choice.mode for outcome in outcomes for choice in outcome.choices if not choice.points}
    for outcome in outcomes:
        (choice,) = outcome.choices
        least = (
            choice.points // SIX * SIX
            if choice.mode in free
            else (choice.points - 1) // SIX * SIX + 1
        )
        groups.setdefault((game.mode(choice.mode), least), [0.0] * SIX)[choice.points - least] += (
            outcome.probability
        )
    return groups


def _bust_if_held(game):
    """The probability that a roll busts if every hold that it leads to is made, by mode and points missing."""
    width = game.most_points
    chances = {}
    rolled = [[float(mode.chance(BUST))] for mode in game.modes]
    forced = [not mode.may_hold for mode in game.modes]
    if not any(forced):
        return np.repeat(rolled, width + game.target, axis=1)
    found = np.zeros((len(game.modes), width + game.target))
    for m, ends in enumerate(beyond_target(game)[0]):
        found[m, :width] = [forced[m] * (1 - finishes - resets) for finishes, resets, _ in ends]
        chances[m] = [
            (o.probability, game.mode(c.mode), c.points)
            for o in game.modes[m].outcomes
            for c in o.choices
        ]
    for at in range(width, width + game.target):
        for m in game.order:
            busts = sum(float(p) * found[to, at - k] for p, to, k in chances[m] if forced[to])
            found[m, at] = rolled[m][0] + busts
    return found


# One turn: the reference pass


class Ends(NamedTuple):
    """The values of the ends of a turn: B, Z and the finish, which is the largest value; `over` is at least 0."""

    bust: float
    reset: float
    finish: float
    over: float  # the value of every point beyond the target, in addition


class Turn(NamedTuple):
    """A turn, evaluated: arrays (M, P + N); column P - 1 + r is for r points missing."""

    value: np.ndarray  # W - B
    leave: np.ndarray  # L, in [0, 1]
    roll: np.ndarray  # R - B


def new_turn(rules, target):
    """Arrays for turns with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    return Turn(*(np.empty((modes, width + target)) for _ in range(3)))


@shared
def past_target(rules, m, r, ends):
    """W - B and L in mode `m` at the target or beyond it, r ≤ 0; of ways of equal value the one with the largest L."""
    best, leave = -np.inf, 0.0
    for way in range(len(rules.beyond)):
        finishes, resets, points = rules.beyond[way, m, rules.beyond.shape[2] - 1 + r]
        value = (
            finishes * (ends.finish - ends.bust)
            + points * ends.over
            + resets * (ends.reset - ends.bust)
        )
        if value > best or (value == best and finishes + resets > leave):
            best, leave = value, finishes + resets
    return best, leave


@shared
def pass_back(rules, hold, ends, missing, start, turn):
    """Evaluate a turn that starts with `missing` points to go, by (1) to (3), in one pass over r.

    Parameters
    ----------
    rules : Rules
    hold : ndarray (≥ missing,)
        ``hold[r]`` is the hold value with r points missing, 1 ≤ r < missing, or minus infinity where no hold is
        allowed; ``hold[0]`` is not used. A mode in which one must hold is a bust where no hold is allowed.
    ends : Ends
    missing : int
        Points needed at the start of the turn, at least 1.
    start : int
        With 0 < r < start every mode is known to hold; 1 if nothing is known. 0 if `turn` has the columns of r ≤ 0.
    turn : Turn
        Filled; columns for r < start - P are not.

    Returns
    -------
    above, leave : float
        R - B and L at the start of a turn that begins in the first mode. For other modes they are in ``turn.value``
        and ``turn.leave``, in the column of `missing`.
    """
    modes, width = rules.beyond.shape[1:3]
    for r in range(start - width if start > 0 else 0, start):
        for m in range(modes):
            at = width - 1 + r
            if r > 0:
                turn.value[m, at], turn.leave[m, at] = hold[r] - ends.bust, 1.0
            else:
                turn.value[m, at], turn.leave[m, at] = past_target(rules, m, r, ends)
            turn.roll[m, at] = turn.value[m, at]
    for r in range(max(start, 1), missing + 1):
        at = width - 1 + r
        for m in rules.order:
            above = rules.reset[m] * (ends.reset - ends.bust)
            leave = rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c, last = rules.choices[o], rules.choices[o + 1]
                mode, left = rules.mode[c], at - rules.points[c]
                for d in range(c + 1, last):
                    if turn.value[rules.mode[d], at - rules.points[d]] > turn.value[mode, left]:
                        mode, left = rules.mode[d], at - rules.points[d]
                above += rules.probability[o] * turn.value[mode, left]
                leave += rules.probability[o] * turn.leave[mode, left]
            turn.value[m, at], turn.leave[m, at] = above, leave
            turn.roll[m, at] = above if not rules.stops[m] else -np.inf
            if (
                rules.may_hold[m]
                and r < missing
                and hold[r] - ends.bust >= turn.roll[m, at]
                and hold[r] > -np.inf
            ):
                turn.value[m, at], turn.leave[m, at] = hold[r] - ends.bust, 1.0
    at = width - 1 + missing  # no hold was allowed there: a turn begins with a roll
    return turn.value[0, at], turn.leave[0, at]


backward_pass = bare(pass_back)


# One pair of scores: the reference solution


class Payoffs(NamedTuple):
    """What an objective pays. All values are from c - `most` to `most`.

    The distance of a value from c/2 is multiplied by `discount` each turn. It is 1, but where a discounted race tells
    actions of equal value apart.
    """

    constant_sum: float  # c, the sum of both players' values
    finish: np.ndarray  # (N + 1,) the value of the finish against an opponent who needs b
    over: float  # the value of a point beyond the target
    most: float
    discount: float


@lru_cache(maxsize=256)
def payoffs_of(game, objective, overshoot=False, discount=1.0):
    """The payoffs of an objective; margins are in targets, and points beyond the target count if `overshoot`."""
    needs = np.arange(game.longest + 1)
    if objective == "win":
        return Payoffs(1.0, np.ones(len(needs)), 0.0, 1.0, discount)
    over = overshoot / game.target
    # With 1 point missing the least hold is still to be banked, before the last roll adds more.
    beyond = int(scores_of(game).least_hold.max()) - 1 + rules_of(game).beyond[..., 2].max()
    most = game.longest / game.target + over * max(beyond, game.most_paid)
    return Payoffs(0.0, needs / game.target, over, most, discount)


# A batch of turns: LANES of them, with scores of one sum, in lock step


# Antidiagonals and tiles of pairs


# Optimal decisions of a turn that is evaluated


@inlined
def tie_at(ties, above):
    """The largest advantage that counts as a tie, for an action whose value is `above` the bust value."""
    tie, relative, bust = ties
    return tie + relative * (above + 2.0 * bust)


@inner
def decide_turn(rules, hold, missing, ties, turn, second, rolls, choices):
    """Fill `rolls` and `choices` for one turn that `turn` has evaluated.

    `second` has hold values, the bust value and the turn in the discounted race; no hold values if that is not needed.
    """
    width, (hold_2, bust_2, turn_2) = rules.beyond.shape[2], second
    stalls, bust = len(hold_2) > 0, ties[2]
    for m in range(rules.may_hold.size):
        for total in range(missing):
            at, r = width - 1 + missing - total, missing - total
            tie = tie_at(ties, turn.value[m, at])
            ahead = turn.roll[m, at] - (hold[r] - bust) if total > 0 else np.inf
            if stalls and abs(ahead) <= tie:
                ahead = tie + (turn_2.roll[m, at] - (hold_2[r] - bust_2))
            rolls[m, total] = not rules.may_hold[m] or ahead > tie
    for o in range(rules.branch.size if len(choices) > 0 else 0):
        for total in range(missing if rules.branch[o] >= 0 else 0):
            at = width - 1 + missing - total
            values_2 = turn_2.value if stalls else turn.value[:0]
            choices[rules.branch[o], total] = argmax_choice(rules, o, at, ties, turn, values_2)


@inner
def leave_among_equals(rules, hold, missing, ties, turn):
    """Fill ``turn.leave`` anew, for the decisions that are taken among actions of equal value."""
    width, bust = rules.beyond.shape[2], ties[2]
    for at in range(width, width + missing):
        r = at - width + 1
        for m in rules.order:
            turn.leave[m, at] = rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c = rules.choices[o] + argmax_choice(rules, o, at, ties, turn, turn.value[:0])
                turn.leave[m, at] += (
                    rules.probability[o] * turn.leave[rules.mode[c], at - rules.points[c]]
                )
            ahead = turn.roll[m, at] - (hold[r] - bust) if r < missing else np.inf
            if rules.may_hold[m] and ahead <= tie_at(ties, turn.value[m, at]):
                turn.leave[m, at] = 1.0


@inner
def argmax_choice(rules, o, at, ties, turn, second):
    """The number of the best choice of outcome `o`, rolled in column `at`; of choices of equal value the first.

    Unless another one leaves the bust value far more often; or has a larger value in `second`, if that is not empty.
    """
    first, last = rules.choices[o], rules.choices[o + 1]
    best = first
    for c in range(first + 1, last):
        here, left = at - rules.points[c], at - rules.points[best]
        ahead = turn.value[rules.mode[c], here] - turn.value[rules.mode[best], left]
        leave = turn.leave[rules.mode[c], here]
        leave_best = turn.leave[rules.mode[best], left]
        waits = ties[1] == 0.0  # against a deadline nobody does
        equal = tie_at(ties, turn.value[rules.mode[c], here]) * (
            max(leave, leave_best) if waits else 1.0
        )
        if abs(ahead) <= equal:
            ahead, equal = (RARE if waits else 0.0) * leave - leave_best, 0.0
            if len(second) > 0:
                ahead = second[rules.mode[c], here] - second[rules.mode[best], left]
        if ahead > equal:
            best = c
    return best - first


# One turn at any position of two players or of one: evaluated, and decided
#
# Values after turns are tables by the role of the player who moves next and by the places of both scores in
# `game.scores`. For one player there is one role, and one place of an opponent, 0. Ladder: see last_turn.py.


def farthest(last, classes):
    """The most points above the target, or of a least hold, at which a walk begins."""
    return int(max(last.cut.max(), classes.least_hold.max()))


@inlined
def turn_shape(ladder, a, o, f, other):
    """The points above the target at which a walk begins, the totals to walk, and whether the target can be banked.

    `other` is the place of the opponent's score in ``game.scores``.
    """
    least = ladder.classes.least_hold[f]
    if ladder.classes.answered[o]:
        edge = max(ladder.last.cut[other], least - a)
        return edge, a + edge, True
    if ladder.exactly:
        return 0, a, a >= least
    return 0, max(a, least), True


@inlined
def finishing_bust(ladder, answered, other, b, ahead):
    """The value of a bust whose points lead to the target, or `ahead` of it."""
    if answered:
        return 1.0 - ladder.last.chance[other, ahead]
    return ladder.payoffs.finish[b] + ahead * ladder.payoffs.over


@inlined
def end_of(rules, ladder, way, m, at, answered, other, ahead, finish, again, bust):
    """W - B and L in mode `m` at the edge or beyond it, in column `at`, which is `ahead` points above the target.

    `way` is one of the ways to choose beyond the target (:func:`dicelab.games.absorption.beyond_target`), of which the
    caller takes the best; `finish` and `again` are above the bust value.
    """
    finishes, resets, points = rules.beyond[way, m, at]
    value = finishes * finish + points * ladder.payoffs.over + resets * again
    if answered:
        finishes, resets, points = rules.beyond[way, m, rules.beyond.shape[2] - 1]
        won = finishes if ladder.last.far else ladder.last.lead[other, m, ahead]
        value = won - finishes * bust + resets * again
    elif finish == -np.inf:  # the target cannot be banked
        value, finishes = resets * again, 0.0
    return value, finishes + resets


@shared
def last_turn(hold, least, paid, behind, draw, won):
    """Fill in what the ends of a last turn are worth; numbers of any kind.

    Parameters
    ----------
    hold : ndarray
        ``hold[r]`` is filled with the value of a hold r points before the score to beat is passed by one, or before the
        least hold if that banks more; minus infinity with too few points for a hold. Behind these, ``hold[missing]``
        is filled with the bust value.
    least : int
        The fewest points that a hold may bank.
    paid : int
        The points that a bust scores; if it costs points, negative.
    behind : int
        The points missing to the score to beat.
    draw, won : float
        The value of equal scores, and of a win.

    Returns
    -------
    int
        `missing`, the points to gain at the start of the turn.
    """
    missing = max(behind + 1, least)
    hold[:missing] = 0 * draw
    hold[missing - behind] = draw
    hold[missing - least + 1 : missing] = -np.inf
    hold[missing] = won if paid > behind else draw * (paid == behind)
    return missing


@inner
def evaluate_turn(rules, ladder, scores, after, role, own, opponent, hold, turn):
    """Evaluate one turn as ``walk_lanes`` of race.py does; see :func:`decide_positions` for the arguments.

    Fills `hold`, by points from where the walk begins, and `turn`; returns the bust value and the totals to walk. In a
    last turn the opponent's place is S + k, and the walk begins where the score to beat is passed by one point, or at
    the least hold.
    """
    classes, last = ladder.classes, ladder.last
    width, size = rules.beyond.shape[2], len(classes.mode)
    then = classes.next_role[role]
    most, places = len(scores.missing) // size, len(scores.missing)
    a, f = most - own // size, own % size
    least = classes.least_hold[f]
    if opponent >= places:  # a last turn
        paid, behind = -classes.penalty[f], opponent - places + a
        steps = last_turn(hold, least, paid, behind, last.draw, 1.0)
        bust = hold[steps]
        backward_pass(rules, hold, Ends(bust, 0.0, 1.0, 0.0), steps, ONE, turn)
        return bust, steps
    b = most - opponent // size
    edge, steps, banks = turn_shape(ladder, a, role, f, opponent)
    place = scores.after_bust[own]
    if place < places:
        bust = after[then, opponent, place]
    else:
        ahead = (place - places) // size
        bust = finishing_bust(ladder, classes.answered[role], opponent, b, ahead)
    reset = after[then, opponent, scores.begin]
    finish = ladder.payoffs.finish[b] + (steps - a) * ladder.payoffs.over - bust
    finish = finish if banks else -np.inf
    for m in range(rules.bust.size):
        for at in range(width):
            ahead = edge + width - 1 - at
            for way in range(len(rules.beyond)):
                answered = classes.answered[role]
                worth, leave = end_of(
                    rules, ladder, way, m, at, answered, opponent, ahead, finish, reset - bust, bust
                )
                if way == 0 or worth > turn.value[m, at]:
                    turn.value[m, at], turn.leave[m, at] = worth, leave
            turn.roll[m, at] = turn.value[m, at]
    for step in range(1, steps):
        r = step - edge
        if r > a - least:
            hold[step] = -np.inf
        elif r > 0:
            hold[step] = after[then, opponent, (most - r) * size + classes.after_hold[f]]
        else:
            hold[step] = 1.0 - last.chance[opponent, -r]
    backward_pass(rules, hold, Ends(bust, reset, 0.0, 0.0), steps, ZERO, turn)
    return bust, steps


@compiled
def walk_turn(rules, ladder, scores, after, role, own, opponent, hold, turn):
    """:func:`evaluate_turn` for Python."""
    return evaluate_turn(rules, ladder, scores, after, role, own, opponent, hold, turn)


@shared
def choose_above(rules, ended, leave, tie, choices):
    """Fill in the choices of a player who must roll on where every hold is right: points make no difference there.

    Of choices of equal value the one is taken with the largest L: the choice is the same again and again, and another
    one might never come to an end but a bust.

    Parameters
    ----------
    ended, leave : ndarray (M,)
        What the turn is worth there, by mode, and L; or -L, to take the smallest.
    tie : float
    choices : ndarray (B, totals)
    """
    for o in range(rules.branch.size if len(choices) else 0):
        best = rules.choices[o]
        for c in range(best + 1, rules.choices[o + 1]):
            to, now = rules.mode[c], rules.mode[best]
            ahead = ended[to] - ended[now]
            if abs(ahead) <= tie:
                ahead = leave[to] - leave[now]
            best = c if ahead > tie else best
        if rules.branch[o] >= 0:
            choices[rules.branch[o]] = best - rules.choices[o]


@compiled
def decide_each(
    rules, ladder, scores, after, role, equal, pairs, above, room, discounted, rolls, choices
):
    """Fill in the decisions of turns; see :func:`decide_positions`."""
    (hold, turn), (ladder_2, after_2, hold_2, turn_2) = room, discounted
    width, (tie, relative) = rules.beyond.shape[2], equal
    for n in range(len(pairs)):
        own, opponent = pairs[n]
        bust, steps = evaluate_turn(rules, ladder, scores, after, role, own, opponent, hold, turn)
        ties = tie, relative, bust
        if rules.may_stall:
            leave_among_equals(rules, hold, steps, ties, turn)
        # Whether a bust loses nothing, where waiting is an option.
        stalls = len(after_2) > 0 and turn.value[scores.mode[own], width - 1 + steps] <= tie
        second = hold_2[:0], 0.0, turn_2
        if stalls:
            bust_2, _ = evaluate_turn(
                rules, ladder_2, scores, after_2, role, own, opponent, hold_2, turn_2
            )
            second = hold_2, bust_2, turn_2
        decide_turn(rules, hold, steps, ties, turn, second, rolls[n], choices[n])
        if above:
            ended = turn.value[:, width - 1], turn.leave[:, width - 1]
            choose_above(rules, *ended, tie, choices[n, :, steps:])


def room_for(game, ladder, beyond=0):
    """Workspace for :func:`evaluate_turn`: hold values and a turn, with at most `beyond` points to beat."""
    above = farthest(ladder.last, ladder.classes)
    turn = new_turn(rules_of(game), game.longest + max(beyond, 0) + above + 1)
    return np.empty(turn.value.shape[1]), turn


def decide_positions(
    game, ladder, after, pairs, rolls, choices, role=0, tie=TIE, relative=0.0, discounted=None
):
    """Fill in the decisions of turns, given the values of all positions.

    Parameters
    ----------
    game : Game
    ladder : Ladder
    after : ndarray (roles, S, S)
        ``after[role, opponent, own]`` is the value of ending a turn at these scores, by their places in
        ``game.scores``, if the opponent moves next in this role.
    pairs : ndarray of int (n, 2)
        The places of own and opponent's scores. S + k stands for an opponent who has banked k points more than the
        target: then it is the last turn.
    rolls : ndarray of bool (n, modes, totals)
        By turn total; True for the first roll and in modes without a hold, False from the target on. Behind the last
        total where somebody might roll every hold is right.
    choices : ndarray of uint8 (n, B, totals)
        The number of the choice of each outcome with more than one, by the total before the roll. B may be 0.
    role : int
        Of the player to move.
    tie, relative : float
        Actions count as equal if their values differ by at most `tie`, plus `relative` times the value and the bust
        value together. Rounding is smaller than 1e-12 of these, where values themselves may be smaller than that. A
        `relative` above 0 is for deadlines: of equal choices the first is taken, as nobody can wait.
    discounted : tuple, optional
        Payoffs and values of the discounted race, if it is needed.
    """
    payoffs_2, after_2 = discounted or (ladder.payoffs, after[:0])
    beyond = int(pairs[:, 1].max(initial=0)) - len(game.scores)
    decide_each(
        rules_of(game),
        ladder,
        scores_of(game),
        np.ascontiguousarray(after),
        role,
        (tie, relative),
        pairs,
        game.finish in LAST_TURN,
        room_for(game, ladder, beyond),
        (ladder._replace(payoffs=payoffs_2), after_2, *room_for(game, ladder)),
        rolls,
        choices,
    )


# One player: fewest turns


# The best response to a fixed policy


@compiled
def respond(rules, payoffs, outcomes, resets, values, after, turn):
    """Fill `values`, u₁ of the best response to a player 2 whose turns end as in `outcomes`, and `after`, u₂.

    ``resets[0, j]`` is the value after a reset of player 1, ``resets[1, i]`` after one of player 2; see
    :mod:`dicelab.evaluation.best_response`.

    Returns
    -------
    float
        Largest residual of x = f(A + β·x).
    """
    target = values.shape[0]
    worst = 0.0
    discount = payoffs.discount
    draw, hold = 0.5 * payoffs.constant_sum, np.empty(target)
    for i in range(target - 1, -1, -1):
        for j in range(target - 1, -1, -1):
            missing, leave_2 = target - i, outcomes.leave[j, i]
            if rules.cannot_finish[missing] and leave_2 == 0.0:
                values[i, j] = after[j, i] = draw
                continue
            # A = ρ·(value after a reset) + Σ q(j')·u₁(i, j') over the holds of player 2
            expected = 0.0
            first = outcomes.window[j, i, 0]
            last = outcomes.window[j, i, 1]
            for held in range(first, last):
                expected += outcomes.hold[outcomes.start[j, i] + held - first] * values[i, held]
            constant = (1.0 - discount) * draw + discount * (
                outcomes.reset[j, i] * resets[1, i] + expected
            )
            for r in range(1, missing):
                hold[r] = after[j, target - r]
            x = draw if leave_2 == 0.0 and rules.may_wait[missing] else 0.0
            while True:
                bust = constant + discount * (1.0 - leave_2) * x
                ends = Ends(bust, resets[0, j], payoffs.finish[target - j], payoffs.over)
                above, leave_1 = backward_pass(rules, hold, ends, missing, ONE, turn)
                # the zero of the tangent: 1 - (1 - L₁)·(1 - L₂) without a difference of nearly equal numbers
                around, away = joined(above + leave_1 * bust, leave_1, constant, leave_2)
                away = (1.0 - discount) + discount * away
                gap = bust + above - x
                new = around / away if away > 0.0 else x
                if new <= x + CLOSE:
                    break
                x = new
            worst = max(worst, abs(gap))
            values[i, j], after[j, i] = x, constant + discount * (1.0 - leave_2) * x
    return worst
