"""The compiled turn operator and all kernels that walk turns: one turn, one pair of scores, many of both, decisions.

Read from top to bottom: :class:`Rules` and :func:`rules_of`; the reference pass over one turn, :func:`backward_pass`;
the reference solution of one pair of scores, :func:`solve_pair`; the batched walk, :func:`walk_batch`, which must equal
the reference pass; and :func:`solve_tile`, which solves a tile of pairs with it. The remaining kernels decide evaluated
turns, and solve for one player and for the best response to a policy.

Kernels of other files call some of these, too; numba's cache is told of that by ``SHARED`` in ``_compile.py``.

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

One pair of scores
------------------
A result of value v to one player is worth c - v to the other (c = 1 for "win", 0 for "margin"). With the decisions
given, a turn that leaves the bust value with probability L has the value A + (1 - L)·B, where A = (R - B) + L·B
collects all other results. Hence x = V(a, b) and y = V(b, a) satisfy

    x = A₁ + (1 - L₁)·(c - y),      y = A₂ + (1 - L₂)·(c - x),

and so

    x = (A₁ + (1 - L₁)·(c·L₂ - A₂)) / (L₁ + L₂ - L₁·L₂),                                                            (4)

which loses no digits however small L₁ and L₂ are. With optimal decisions x = f(y) and y = g(x), both convex,
nonincreasing and piecewise linear with slopes in [-1, 0] (Crocce and Mordecki 2018, Proposition 1). This is a cycle of
two turns, with h(x) = f(g(x)) and the denominator E = L₁ + L₂ - L₁·L₂ of (4). So :func:`solve_pair` takes steps of
policy iteration, each of which evaluates the decisions that are best now by (4), and :mod:`dicelab.solvers.cycle` says
why these end, if no E is 0 (see Waiting). It stops when a step is no longer than CLOSE, or no float64 is left between
the bounds.

*What it guarantees.* The distance of x to the solution is |h(x) - x| divided by a mean of E over the pieces between. So
(4) gives the solution if the decisions stay the same up to it; else the distance is at most the last step times E / E',
with the smallest E' of these pieces. What float64 does not see is apart from this, and matters where L₁ and L₂ can both
be tiny: then (4) turns a tiny difference of action values into a large one of x, with L₁ = L₂ = 1e-12 one of 1e-17 into
5e-6. This needs a player whose turn has a tiny L, and an opponent who has another action with a tiny L. To find that
action, the opponent's turn is evaluated with a bust value that is larger by SLACK, since this favours actions with a
small L. If the decisions found there make the opponent's value larger by (4), they are better, and the iteration goes
on from that value, MOST_RARE times at most. In games with such rolls (``rules.rare``) batches leave these pairs to
:func:`solve_pair`, too. A residual above 1e-13 is refused in the end (:mod:`dicelab.solvers.two_player`).

Waiting
-------
In some games a turn can be wasted on purpose, by a choice that overshoots or leads to a certain bust. If both players
can, E may be 0, so that h has slope 1 and an interval of fixed points. Endless play counts c/2. Let F(B) be the value
of the first player's turn with the bust value B, so that f(y) = F(c - y). A player who may wait has F(B) ≥ B. As slopes
are at most 1, F(B) - B does not increase, and it is 0 if B is the best result of all: let d be the smallest solution of
F(B) = B. It is the largest A / L of decisions that leave the bust value, and the value of a player who leaves it
although the opponent always waits. Let e be the same for the other player. If neither exceeds c/2, both wait: the value
is c/2. If d does, the value is at most d, since the opponent may wait; and it is d if the opponent, for whom a bust
then has the value c - d, still waits. Otherwise it is less, and at x < d the first player's bust value c - g(x) ≤ x is
below d, so that L₁ > 0: Newton's method applies. If e alone exceeds c/2, the same holds with the roles exchanged, and
the value is at least c - e.

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

    (H(r) - R°(m, r) without busts) / (probability of a bust in R°).                                                (5)

A walk may begin at the first r whose break-even value is below B, or behind any P totals at which all modes hold. As a
grows B falls, so this start only moves up, and each start is found in amortized constant time. A start is kept with the
bust value up to which it is valid; a larger one takes it back to 1. Some 30 totals are left of a turn of Pig, however
far the target is, and the cost is O(N²) instead of O(N³ log N).

Many pairs
----------
Pairs with the same a + b do not depend on each other. Their turns are walked LANES at a time, from values extrapolated
from neighbouring pairs; then every pair makes one step (4). A bust value that changes by δ changes all action values by
at most δ. So if at every total that was walked the best action is ahead of the others by more than the step, or has the
same L, the decisions stay the same, f and g are linear on the step, and the pair is solved. The others are walked
again, PASSES times at most. What is left then, about one pair in ten thousand, goes to :func:`solve_pair`, which knows
neither batches nor starts.

Actions of equal value
----------------------
Against a deadline nobody can wait, and values may be tiny: there actions count as equal whose values differ by at most
TIE·(value + bust value), and the first is taken. In all other games a hold is taken among actions of equal value, and
of equal choices the first. But a value does not say how soon play ends: a player who wins for certain loses nothing by
waiting, but one who always waits does not win. A wrong decision among actions of equal value, or among what float64
takes for equal, is repeated until the turn leaves the bust value. So choices count as equal if W - B differs by at
most TIE·L, with the larger L of the two; and one of equal choices is taken that leaves the bust value 100 times as
often as the one taken so far, if there is one. A hold leaves it at once. With resets that is not enough, since a hold
may be followed by a reset, again and again. So in a game with resets in which a player who could finish may wait, the
race is solved once more with values discounted towards c/2 by 1e-6 a turn. There, the player who is ahead wants the
end. Where a bust loses nothing, the action with the larger discounted value is taken among actions of equal value.
"""

from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from .._accuracy import CLOSE, FOREVER, RARE, TIE
from .._compile import bare, compiled, inlined, inner, shared
from .._limits import check_memory
from .._numbers import Number
from ..games.absorption import beyond_target, cannot_finish, may_wait
from ..games.model import BUST, LAST_TURN, RESET, plain_finish
from ..games.registers import scores_of
from .cycle import joined, passed

__all__ = [
    "Payoffs",
    "Rules",
    "Table",
    "Workspace",
    "decide_alone",
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
SLACK = 4e-15  # excess over a break-even bust value that float64 cannot tell from none
LEAVE, GAP = LANES, 2 * LANES  # where L and the least gap stand in these
LEAVES, GAPS = np.uint64(LEAVE), np.uint64(GAP)
ROW1, ROW2, ROW3, ROW4, ROW5, ROW6 = (np.uint64(k * STRIDE) for k in range(1, SIX + 1))
MOST_RARE = 20  # better decisions with a tiny L that are followed, one after the other
PASSES = 5  # walks of an antidiagonal before the pairs that are left are solved one by one
MARGIN = 128.0  # recent errors of the guessed bust value by which a start is valid beyond the guess
MIN_LEAVE = 1e-280  # probability to leave the bust value that can be divided by
LONG, OFTEN = 96, 32  # a walk of so many totals is searched for a later start, at every 32nd


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


class Table(NamedTuple):
    """The pairs solved so far. Arrays (N + 1,) are by b, for turns against an opponent who needs b."""

    payoffs: Payoffs
    hold: np.ndarray  # (P + SIX + 2·N + 1, N + 1 + LANES) by antidiagonal and b: see hold_value
    by_score: np.ndarray  # (N, N) the same hold values by the opponent's score and the own
    reset: np.ndarray  # (N + 1,) reset values
    hold_once: np.ndarray  # (M, N + 1, P + N) R° without busts, of forced modes; column P - 1 + r
    start: np.ndarray  # (N + 1,) int, where walks may begin if the bust value is at most `valid_to`
    valid_to: np.ndarray  # (N + 1,)
    break_even: np.ndarray  # (N + 1,) the break-even bust value at `start`; nan if not computed
    guess_error: np.ndarray  # (N + 1,) how far the last guesses of the bust value were off
    swept: bool  # whether `hold` has values of an earlier sweep to guess from


def new_table(rules, payoffs, at_start, earlier=None):
    """A table in which only the finish is filled in; `at_start`, (N,), are V(b, N), what a reset leaves the opponent.

    `earlier` is the table of an earlier sweep, whose arrays are used again.
    """
    width, size = rules.beyond.shape[2], len(at_start) + 1
    if earlier is None:
        # Half of it is never touched, and takes no memory.
        hold = np.zeros((width + SIX + 2 * size - 1, size + LANES))
        row, place = hold.strides  # `ends` is a view of the diagonals past the target
        ends = np.ndarray((width, size), float, hold, (SIX + 1) * row, (row, row + place))
        ends[:] = payoffs.finish
        if payoffs.over:
            ends -= np.arange(1 - width, 1)[:, None] * payoffs.over
        by_score = np.empty((size - 1, size - 1))
    else:
        hold, by_score = earlier.hold, earlier.by_score
    reset = np.concatenate([[0.0], after_turn(payoffs, at_start)])
    hold_once = np.empty((1, 1, 1))
    if rules.skips and not rules.all_hold:
        finishes, resets, points = np.moveaxis(rules.beyond[0], 2, 0)[:, :, None]
        hold_once = np.empty((len(finishes), size, rules.bust_if_held.shape[1]))
        hold_once[..., :width] = (
            finishes * payoffs.finish[:, None] + resets * reset[:, None] + points * payoffs.over
        )
    start, (valid_to, known, error) = np.ones(size, dtype=np.int64), np.full((3, size), np.inf)
    known[:], error[:] = np.nan, 1e-4
    return Table(
        payoffs,
        hold,
        by_score,
        reset,
        hold_once,
        start,
        valid_to,
        known,
        error,
        earlier is not None,
    )


@shared
def after_turn(payoffs, value):
    """The value of ending a turn, if the next state has `value` to the opponent: c - value, but for the discount."""
    return 0.5 * (1.0 + payoffs.discount) * payoffs.constant_sum - payoffs.discount * value


def before_turn(payoffs, value):
    """The inverse of :func:`after_turn`."""
    return (0.5 * (1.0 + payoffs.discount) * payoffs.constant_sum - value) / payoffs.discount


@inlined
def row_of(rules, total):
    """The row of ``table.hold`` for pairs of scores with this sum."""
    return rules.beyond.shape[2] + SIX + total


@inlined
def hold_value(rules, table, b, r):
    """H(r) against an opponent who needs b; for 1 - P ≤ r ≤ 0 the value of the finish.

    Pairs of scores with the same sum are solved together, so that their hold values lie together.
    """
    return table.hold[row_of(rules, b + r), b]


@inlined
def group_once(rules, table, b, mode, nearest, weight):
    """Σ p·H, or Σ p·R° if `mode` must roll, over SIX successive totals from `nearest` points missing downwards."""
    value, last = 0.0, rules.beyond.shape[2] - 1
    for k in range(SIX):
        if rules.may_hold[mode]:
            value += weight[k] * hold_value(rules, table, b, nearest - k)
        else:
            value += weight[k] * table.hold_once[mode, b, max(last + nearest - k, 0)]
    return value


@inlined
def roll_once(rules, table, b, m, r):
    """R°(m, r) without its busts: the value of a roll if every hold that it leads to is made."""
    value = rules.reset[m] * table.reset[b]
    for g in range(rules.groups[m], rules.groups[m + 1]):
        value += group_once(
            rules, table, b, rules.onward[g, 0], r - rules.onward[g, 1], rules.weight[g]
        )
    value += group_once(rules, table, b, m, r - 1, rules.stay[m])
    for o in range(rules.several[m], rules.outcomes[m + 1]):
        best = -np.inf
        for c in range(rules.choices[o], rules.choices[o + 1]):
            best = max(best, hold_value(rules, table, b, r - rules.points[c]))
        value += rules.probability[o] * best
    return value


@inlined
def store_pair(rules, table, a, b, x, y):
    """Enter V(a, b) = x and V(b, a) = y."""
    row = row_of(rules, a + b)
    last = rules.beyond.shape[2] - 1
    target = len(table.by_score)
    table.hold[row, a], table.hold[row, b] = (
        after_turn(table.payoffs, x),
        after_turn(table.payoffs, y),
    )
    table.by_score[target - a, target - b], table.by_score[target - b, target - a] = (
        table.hold[row, a],
        table.hold[row, b],
    )
    for k in range(rules.bust.size if rules.skips and not rules.all_hold else 0):
        m = rules.order[k]
        table.hold_once[m, a, last + b] = roll_once(rules, table, a, m, b)
        table.hold_once[m, b, last + a] = roll_once(rules, table, b, m, a)


@inlined
def pair_values(payoffs, above_a, leave_a, above_b, leave_b, bust_a, bust_b):
    """x and y by (4), with the decisions by which both turns have R - B and L at these bust values."""
    c, on = after_turn(payoffs, 0.0), payoffs.discount
    results_a = above_a + leave_a * bust_a
    results_b = above_b + leave_b * bust_b
    after_a = (1.0 - on) * c + on * passed(c, results_b, leave_b)
    after_b = (1.0 - on) * c + on * passed(c, results_a, leave_a)
    x, escape = joined(results_a, leave_a, after_a, leave_b)
    y, _ = joined(results_b, leave_b, after_b, leave_a)
    escape = (1.0 - on) * (1.0 + on) + on * on * escape  # E, or 1 - on²·(1 - E) if discounted
    return x / escape, y / escape


@inner
def value_of_leaving(rules, hold, ends, missing, turn):
    """The smallest B ≥ ``ends.bust`` with F(B) = B, of a player who may wait; for F see the page above, Waiting.

    F(B) - B is convex, so that its tangents have their zeros at or below the solution: from below Newton's method
    climbs from piece to piece, and ends where a step is no longer than CLOSE.
    """
    while True:
        above, leave = backward_pass(rules, hold, ends, missing, ONE, turn)
        better = ends.bust + above / leave if above > 0.0 else ends.bust
        if not better > ends.bust + CLOSE:
            return ends.bust
        ends = Ends(better, ends.reset, ends.finish, ends.over)


@inlined
def raised(ends):
    """The same ends with a larger bust value."""
    return Ends(ends.bust + SLACK, ends.reset, ends.finish, ends.over)


@inner
def solve_pair(rules, table, a, b, guess, holds, turn):
    """Solve x = f(y), y = g(x) for the needs `a` and `b`, from x = `guess`; see the page above.

    Parameters
    ----------
    rules : Rules
    table : Table
        With all pairs of smaller sums.
    a, b : int
    guess : float
    holds : ndarray (2, ≥ N + 1)
        Workspace: the hold values of both players.
    turn : Turn
        Workspace.

    Returns
    -------
    x, y : float
        V(a, b) and V(b, a).
    residual : float
        The last step, or what a better decision with a tiny L would add; or the length of the interval in which the
        solution lies, if no float64 is left in it.
    evaluations, walked : int
        Turns evaluated, and totals walked in them.
    """
    payoffs = table.payoffs
    low, high = payoffs.constant_sum - payoffs.most, payoffs.most
    draw = 0.5 * payoffs.constant_sum
    x = min(max(guess, low), high)
    for r in range(1, max(a, b)):
        holds[0, r], holds[1, r] = (
            hold_value(rules, table, b, min(r, a)),
            hold_value(rules, table, a, min(r, b)),
        )
    evaluations, walked = 0, 0
    if rules.may_wait[a] and rules.may_wait[b] and payoffs.discount == 1.0:
        ends_a = Ends(draw, table.reset[b], payoffs.finish[b], payoffs.over)
        ends_b = Ends(draw, table.reset[a], payoffs.finish[a], payoffs.over)
        d = value_of_leaving(rules, holds[0], ends_a, a, turn)
        e = value_of_leaving(rules, holds[1], ends_b, b, turn)
        above = 0.0
        if d > draw:
            ends_b = Ends(after_turn(payoffs, d), ends_b.reset, ends_b.finish, ends_b.over)
            above, _ = backward_pass(rules, holds[1], ends_b, b, ONE, turn)
            high = x = d
        elif e > draw:
            ends_a = Ends(after_turn(payoffs, e), ends_a.reset, ends_a.finish, ends_a.over)
            above, _ = backward_pass(rules, holds[0], ends_a, a, ONE, turn)
            low = x = after_turn(payoffs, e)
        else:
            x = draw
        if above <= 0.0:
            return x, payoffs.constant_sum - x, 0.0, 4, 2 * (a + b)
    rarer = 0
    while True:
        ends_b = Ends(after_turn(payoffs, x), table.reset[a], payoffs.finish[a], payoffs.over)
        above_b, leave_b = backward_pass(rules, holds[1], ends_b, b, ONE, turn)
        ends_a = Ends(
            after_turn(payoffs, ends_b.bust + above_b),
            table.reset[b],
            payoffs.finish[b],
            payoffs.over,
        )
        above_a, leave_a = backward_pass(rules, holds[0], ends_a, a, ONE, turn)
        new, y = pair_values(payoffs, above_a, leave_a, above_b, leave_b, ends_a.bust, ends_b.bust)
        evaluations, walked = evaluations + 2, walked + a + b
        change = new - x
        if abs(change) <= CLOSE:
            better = new  # x, if an action with a tiny L is better than what float64 sees
            if leave_a < RARE:
                above, leave = backward_pass(rules, holds[1], raised(ends_b), b, ONE, turn)
                other, other_y = pair_values(
                    payoffs, above_a, leave_a, above, leave, ends_a.bust, raised(ends_b).bust
                )
                better = other if other_y > y + CLOSE else new
            if leave_b < RARE and better == new:
                above, leave = backward_pass(rules, holds[0], raised(ends_a), a, ONE, turn)
                other, _ = pair_values(
                    payoffs, above, leave, above_b, leave_b, raised(ends_a).bust, ends_b.bust
                )
                better = other if other > new + CLOSE else new
            if better == new or rarer == MOST_RARE:
                return new, y, max(abs(change), abs(better - new)), evaluations, walked
            low, high = (
                (new, payoffs.most) if better > new else (payoffs.constant_sum - payoffs.most, new)
            )
            x, rarer = better, rarer + 1
            continue
        if change > 0:
            low = x
        else:
            high = x
        if not low < new < high:
            new = 0.5 * (low + high)
        if new in (low, high):
            return new, y, high - low, evaluations, walked
        x = new


# A batch of turns: LANES of them, with scores of one sum, in lock step


class Workspace(NamedTuple):
    """What the solver of a tile writes to: an antidiagonal a + b = const, a batch of turns, and one pair at a time.

    Of an antidiagonal, place b is for the turn against an opponent who needs b, with the bust value as guessed.
    """

    columns: np.ndarray  # (≥ n,) the places of the turns that are to be walked
    guess: np.ndarray  # (N + 1,) guesses of V(b, a)
    above: np.ndarray  # (N + 1,) R - B of the turn,
    leave: np.ndarray  # (N + 1,) its L, and
    gap: np.ndarray  # (N + 1,) a change of the bust value that changes no decision
    missing: np.ndarray  # (LANES,) points missing at the start of each turn of a batch,
    rows: np.ndarray  # (LANES,) what the opponents need,
    bust: np.ndarray  # (LANES,) the bust values, and
    start: np.ndarray  # (LANES,) where each walk may begin
    value: np.ndarray  # (M·(P + SIX + N)·STRIDE,) by mode and total: W - B, L, least gap so far
    rest: np.ndarray  # (M·STRIDE,) by mode, of a roll what is not in ``stay``: R - B, L, least gap
    again: np.ndarray  # (2·LANES,) Z - B, and 1: (3) is linear in them
    best: np.ndarray  # (2·LANES,) W - B and L of the best choice so far
    held: np.ndarray  # ((P + SIX + N)·LANES,) hold values that do not lie together in the table
    holds: np.ndarray  # (2, N + 1) hold values for one pair
    turn: Turn  # for one pair


def new_workspace(rules, target):
    """Arrays for turns with up to `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    guess, above, leave, gap = np.empty((4, target + 1))
    missing, rows, start = np.zeros((3, LANES), dtype=np.int64)
    totals = (width + SIX + target) * LANES
    sizes = LANES, 2 * LANES, 2 * LANES, totals, modes * STRIDE, 3 * modes * totals
    zeros, ends = aligned(sum(sizes)), accumulate(sizes)
    bust, again, best, held, rest, value = (
        zeros[end - size : end] for size, end in zip(sizes, ends, strict=True)
    )
    return Workspace(
        columns=np.empty(2 * target + 2, dtype=np.int64),
        guess=guess,
        above=above,
        leave=leave,
        gap=gap,
        missing=missing,
        rows=rows,
        bust=bust,
        start=start,
        value=value,
        rest=rest,
        again=again,
        best=best,
        held=held,
        holds=np.empty((2, target + 1)),
        turn=new_turn(rules, target),
    )


def aligned(size):
    """Zeros from a multiple of 64 bytes on. Otherwise vectors cross cache lines: a solution takes 1.5 times as long."""
    zeros = np.zeros(size + 8)
    return zeros[-zeros.__array_interface__["data"][0] // 8 % 8 :][:size]


@inlined
def roll_on(rules, work, size, m, t):
    """Fill ``work.rest`` with the part of (3) for a roll in mode `m`, at place `t`, that is not in ``rules.stay``."""
    value = work.value
    again = work.again
    best = work.best
    rest = work.rest[m * STRIDE : (m + 1) * STRIDE]
    for lane in range(LANES):
        rest[lane], rest[LEAVE + lane] = rules.reset[m] * again[lane], rules.reset[m]
        rest[lane] = -np.inf if rules.stops[m] else rest[lane]
        rest[GAP + lane] = np.inf
    for g in range(rules.groups[m], rules.groups[m + 1]):  # six successive points at a time
        farthest = rules.onward[g, 0] * size + (t - rules.onward[g, 1] - SIX + 1) * STRIDE
        near = value[farthest : farthest + SIX * STRIDE]
        p1 = rules.weight[g, 0]
        p2 = rules.weight[g, 1]
        p3 = rules.weight[g, 2]
        p4 = rules.weight[g, 3]
        p5 = rules.weight[g, 4]
        p6 = rules.weight[g, 5]
        for lane in range(2 * LANES):
            far = p6 * near[lane] + p5 * near[lane + STRIDE] + p4 * near[lane + 2 * STRIDE]
            more = (
                p3 * near[lane + 3 * STRIDE]
                + p2 * near[lane + 4 * STRIDE]
                + p1 * near[lane + 5 * STRIDE]
            )
            rest[lane] += far + more
    for o in range(rules.several[m], rules.outcomes[m + 1]):
        c, p = rules.choices[o], rules.probability[o]
        place = rules.mode[c] * size + (t - rules.points[c]) * STRIDE
        for lane in range(2 * LANES):
            best[lane] = value[place + lane]
        for d in range(c + 1, rules.choices[o + 1]):
            place = rules.mode[d] * size + (t - rules.points[d]) * STRIDE
            other = value[place : place + STRIDE]
            for lane in range(LANES):
                ahead = other[lane] - best[lane]
                gap = abs(ahead) if other[LEAVE + lane] != best[LEAVE + lane] else np.inf
                rest[GAP + lane] = min(rest[GAP + lane], gap)
                best[lane] = other[lane] if ahead > 0.0 else best[lane]
                best[LEAVE + lane] = other[LEAVE + lane] if ahead > 0.0 else best[LEAVE + lane]
        for lane in range(2 * LANES):
            rest[lane] += p * best[lane]


@inlined
def hold_or_roll(rules, work, hold, begun, apart, place, m, total, run):
    """Fill what stands in ``work.value`` from `place` on by (1) and (3), for `run` totals from `total` downwards.

    Hold values stand from `begun` on, those of the next total `apart` behind.
    Unsigned numbers, and distances that are constant, let the compiler make vectors of this loop.
    """
    value = work.value
    rest = work.rest
    bust = work.bust
    other = np.uint64(m * STRIDE)
    p1 = rules.stay[m, 0]
    p2 = rules.stay[m, 1]
    p3 = rules.stay[m, 2]
    p4 = rules.stay[m, 3]
    p5 = rules.stay[m, 4]
    p6 = rules.stay[m, 5]
    for step in range(run):
        here = np.uint64(place + step * STRIDE)
        held_here = begun + np.uint64(step) * apart
        forced = (total == step and not rules.stops[m]) or not rules.may_hold[m]
        for number in range(LANES):
            lane = np.uint64(number)
            i = here + lane
            j = here + LEAVES + lane
            rolled = rest[other + lane]
            far = p6 * value[i - ROW6] + p5 * value[i - ROW5] + p4 * value[i - ROW4]
            rolled += far + (p3 * value[i - ROW3] + p2 * value[i - ROW2] + p1 * value[i - ROW1])
            far = p6 * value[j - ROW6] + p5 * value[j - ROW5] + p4 * value[j - ROW4]
            leave = rest[other + LEAVES + lane] + (
                far + (p3 * value[j - ROW3] + p2 * value[j - ROW2] + p1 * value[j - ROW1])
            )
            held = hold[held_here + lane] - bust[lane]
            ahead = rolled - held
            rolls = (ahead > 0.0) | forced
            value[i], value[j] = rolled if rolls else held, leave if rolls else 1.0
            gap = min(value[i + GAPS - ROW1], rest[other + GAPS + lane])
            value[i + GAPS] = min(gap, abs(ahead) if not forced else np.inf)


@inlined
def hold_all(rules, table, work, hold, begun, apart, before, steps):
    """Fill ``work.value`` before the walk, up to the place `before`, where all modes hold that may."""
    value = work.value
    bust = work.bust
    size = len(work.value) // rules.bust.size
    for m in range(rules.bust.size):
        for t in range(SIX - 1, before):
            place = m * size + t * STRIDE
            here, held = np.uint64(place), begun + np.uint64(t) * apart
            for number in range(bust.size):  # of a constant number the compiler makes no vectors
                lane = np.uint64(number)
                value[here + lane] = hold[held + lane] - bust[lane]
                value[here + LEAVES + lane], value[here + GAPS + lane] = 1.0, np.inf
            for lane in range(LANES if rules.skips and not rules.may_hold[m] else 0):  # R° is known
                last = rules.beyond.shape[2] - 1
                at = max(last + work.missing[lane] - (before + steps - t), 0)
                leave = 1.0 - rules.bust_if_held[m, at]
                value[place + lane] = table.hold_once[m, work.rows[lane], at] - leave * bust[lane]
                value[place + LEAVE + lane] = leave


@inlined  # as a call it is 1.8 times slower where numba loads it from its cache
def walk_batch(rules, table, work, turns):
    """Evaluate a turn in every lane as :func:`backward_pass` does.

    Parameters
    ----------
    rules : Rules
    table : Table
    work : Workspace
        Reads ``missing``, ``rows``, ``bust`` and ``start``; all pairs have one sum. Fills ``above`` with R - B
        and ``leave`` with L at the start of each turn, and ``gap`` with the least gap between an action taken and
        another one with another L.
    turns : int
        How many lanes there are turns for. The others are walked, too, and mean nothing.

    Returns
    -------
    steps : int
        Totals of the longest walk. Lanes whose walk could be shorter hold there, by the Proposition.
    """
    modes, width = rules.beyond.shape[1:3]
    payoffs = table.payoffs
    value = work.value
    bust = work.bust
    missing = work.missing
    rows = work.rows
    size = len(value) // modes
    steps = 0
    shortest = missing[0]
    together = True
    for lane in range(turns):
        work.again[lane] = table.reset[rows[lane]] - bust[lane]
        steps, shortest = max(steps, missing[lane] - work.start[lane]), min(shortest, missing[lane])
        together = together and rows[lane] == rows[0] + lane
    before = width + SIX - 1
    # Whether nobody rolls past the target.
    finish_first = rules.skips and rules.all_hold and payoffs.over == 0.0
    hold = table.hold.reshape(-1)
    columns = table.hold.shape[1]
    row = row_of(rules, missing[0] + rows[0] - before - steps) * columns
    holds, begun, apart = hold, np.uint64(row + rows[0]), np.uint64(columns)
    if not together:
        holds, begun, apart = work.held, np.uint64(0), np.uint64(LANES)
        for lane in range(turns):
            place = np.uint64(row + rows[lane])
            for t in range(SIX - 1, before + steps + 1):
                holds[np.uint64(t * LANES + lane)] = hold[place + np.uint64(t) * np.uint64(columns)]
    # One mode whose rolls all stay is walked to the end at once; else every total is a run.
    run = steps + 1 if finish_first and modes == 1 and not rules.more[0] else 1
    hold_all(rules, table, work, holds, begun, apart, before, steps)
    # Before the walk there is only what is past the target.
    for t in range(SIX - 1, before + steps + 2 - run):
        total = before + steps - t
        for m in rules.order[: len(rules.order) if t >= before else 0]:
            if t == before or rules.more[m]:
                roll_on(rules, work, size, m, t)
            place, here = m * size + t * STRIDE, begun + np.uint64(t) * apart
            hold_or_roll(rules, work, holds, here, apart, place, m, total, run)
        if total >= shortest and not finish_first:
            for lane in range(LANES):
                r = missing[lane] - total
                b = rows[lane]
                place = t * STRIDE + lane
                ends = Ends(bust[lane], table.reset[b], payoffs.finish[b], payoffs.over)
                for m in range(modes if -width < r <= 0 else 0):
                    value[m * size + place], value[m * size + place + LEAVE] = past_target(
                        rules, m, r, ends
                    )
    for lane in range(turns):
        place, gap = (before + steps) * STRIDE + lane, np.inf
        work.above[rows[lane]], work.leave[rows[lane]] = value[place], value[place + LEAVE]
        for m in range(modes):
            gap = min(gap, value[m * size + place + GAP])
        work.gap[rows[lane]] = gap
    return steps


# Antidiagonals and tiles of pairs


@inlined
def break_even(rules, table, b, r):
    """The bust value (5) above which some mode would roll with r points missing, if every hold is made after that.

    SLACK is added, so that float64 does not take a tie for an advantage.
    """
    least = np.inf
    for m in range(rules.bust.size):
        if rules.may_hold[m] and not rules.stops[m]:
            short = hold_value(rules, table, b, r) - roll_once(rules, table, b, m, r)
            busts = rules.bust_if_held[m, rules.beyond.shape[2] - 1 + r]
            if busts > 0.0:
                least = min(least, short / busts + SLACK)
            elif short < 0.0:
                least = -np.inf
    return least


@inlined
def walk_start(rules, table, b, missing, bust):
    """Where the walk of a turn against an opponent who needs b may begin, if its bust value is near `bust`."""
    if not rules.skips:
        return 1
    start, valid_to, known = table.start[b], table.valid_to[b], table.break_even[b]
    if bust > valid_to + 0.5 * SLACK:
        start, valid_to, known = ONE, np.inf, np.nan
    valid_to = min(valid_to, bust + max(MARGIN * table.guess_error[b] - SLACK, 0.0))
    while start < missing:
        if np.isnan(known):
            known = break_even(rules, table, b, start)
        if valid_to > known:
            break
        start, known = start + 1, np.nan
    table.start[b], table.valid_to[b], table.break_even[b] = start, valid_to, known
    return start


@inner
def start_behind_holds(rules, table, work, lane, steps):
    """Let later walks against this opponent begin behind the last P totals at which every mode holds, if there are."""
    modes, width = rules.beyond.shape[1:3]
    b = work.rows[lane]
    missing = work.missing[lane]
    run = 0
    for r in range(missing - 1, work.start[lane] - 1, -1):
        run += 1
        for m in range(modes):
            place = (
                m * (work.value.size // modes)
                + (width + SIX - 1 + steps - missing + r) * STRIDE
                + lane
            )
            if work.value[place] > hold_value(rules, table, b, r) - work.bust[lane]:
                run = 0
        if run == width:
            table.start[b], table.valid_to[b] = r + width, min(table.valid_to[b], work.bust[lane])
            table.break_even[b] = np.nan
            return


@inner
def guess_values(rules, table, work, total, first, last):
    """Fill ``work.guess`` for places from `first` up to, not including, `last`.

    V(a, b) is extrapolated from the pairs with up to two points less on either side, or taken from an earlier sweep.
    """
    c, most = table.payoffs.constant_sum, table.payoffs.most
    row = row_of(rules, total)
    here = table.hold[row]
    one = table.hold[row - 1]
    two = table.hold[row - 2]
    three, four = table.hold[row - 3], table.hold[row - 4]
    guess = work.guess
    for a in range(first, last if table.swept else first):
        guess[a] = here[a]
    if not table.swept:
        for a in range(max(first, 3), min(last, total - 2)):
            near = (one[a - 1] + one[a]) + (three[a - 2] + three[a - 1]) - 2.0 * two[a - 1]
            guess[a] = 2.0 * near - (two[a - 2] + two[a] + four[a - 2])
        for a in (1, 2, total - 2, total - 1):
            if first <= a < last:  # near the finish only the other score is varied
                guess[a] = 2.0 * one[a] - two[a] if a <= 2 else 2.0 * one[a - 1] - two[a - 2]
                guess[a] = 0.5 * c if total <= 5 else guess[a]
    for a in range(first, last):
        guess[a] = min(max(c - guess[a], c - most), most)


@inner
def walk_columns(rules, table, work, total, count):
    """Evaluate the turns in the first `count` of ``work.columns``; return the totals walked."""
    walked = 0
    for begun in range(0, count, LANES):
        turns = min(LANES, count - begun)
        for lane in range(turns):
            b = work.columns[begun + lane]
            bust = after_turn(table.payoffs, work.guess[b])
            work.missing[lane], work.rows[lane], work.bust[lane] = total - b, b, bust
            work.start[lane] = walk_start(rules, table, b, total - b, bust)
            walked += total - b + 1 - work.start[lane]
        steps = walk_batch(rules, table, work, turns)
        for lane in range(turns):
            length = work.missing[lane] - work.start[lane]
            if rules.all_hold and rules.skips and length >= LONG and length % OFTEN == 0:
                start_behind_holds(rules, table, work, lane, steps)
    return walked


@inlined
def newton_step(rules, table, work, a, b):
    """Take a step (4) for one pair, from the turns that :func:`walk_columns` has evaluated at the guesses.

    Returns
    -------
    x, y, residual : float
        As of :func:`solve_pair`; but the residual is how far x = f(y) and y = g(x) are from agreeing.
    solved : bool
        Whether x and y are the solution: no decision changes on the step, or it is no longer than CLOSE; the walks
        began where they may; and no action with a tiny L must be feared. Otherwise they are the next guesses.
    """
    payoffs = table.payoffs
    x = work.guess[a]
    y = work.guess[b]
    if rules.cannot_finish[a] and rules.cannot_finish[b]:
        return 0.5 * payoffs.constant_sum, 0.5 * payoffs.constant_sum, 0.0, True
    if rules.may_wait[a] and rules.may_wait[b] and payoffs.discount == 1.0:
        return x, y, 0.0, False
    bust_a = after_turn(payoffs, y)
    bust_b = after_turn(payoffs, x)
    leave_a = work.leave[b]
    leave_b = work.leave[a]
    x, y = pair_values(payoffs, work.above[b], leave_a, work.above[a], leave_b, bust_a, bust_b)
    low = payoffs.constant_sum - payoffs.most
    high = payoffs.most
    x, y = min(max(x, low), high), min(max(y, low), high)
    step_x = abs(x - work.guess[a])
    step_y = abs(y - work.guess[b])
    off_x = abs(x - work.above[b] - leave_a * bust_a - (1.0 - leave_a) * after_turn(payoffs, y))
    off_y = abs(y - work.above[a] - leave_b * bust_b - (1.0 - leave_b) * after_turn(payoffs, x))
    residual = max(off_x, off_y)
    solved = step_y < work.gap[b] and step_x < work.gap[a] and len(rules.beyond) == 1
    if not solved and max(step_x, step_y) <= CLOSE:
        solved, residual = True, residual + max(step_x, step_y)
    if rules.rare and (
        (leave_a < RARE and work.gap[a] <= SLACK) or (leave_b < RARE and work.gap[b] <= SLACK)
    ):
        solved = False
    if rules.skips:  # where the walks began must still be right
        late = max(
            after_turn(payoffs, y) - table.valid_to[b], after_turn(payoffs, x) - table.valid_to[a]
        )
        solved, error = solved and late <= SLACK, table.guess_error
        error[b] = max(step_y, 0.5 * error[b]) if late <= SLACK else 2.0 * error[b]
        error[a] = max(step_x, 0.5 * error[a]) if late <= SLACK else 2.0 * error[a]
    return x, y, residual, solved


@bare
def solve_tile(rules, table, work, needs, others, totals):
    """Solve all pairs with a in `needs`, b in `others`, a + b in `totals` and a ≤ b, filling the table.

    A pair needs all pairs with smaller sums to which its holds lead: the table must have them.

    Parameters
    ----------
    rules : Rules
    table : Table
    work : Workspace
    needs, others, totals : tuple of int
        The least and the greatest.

    Returns
    -------
    residual : float
        The largest of all pairs.
    evaluations, walked : int
        Turns evaluated, and totals walked in them.
    """
    worst, evaluations, walked = 0.0, 0, 0
    columns = work.columns
    for total in range(totals[0], totals[1] + 1):
        least = max(needs[0], total - others[1])
        left = max(min(needs[1], total // 2, total - others[0]) + 1 - least, 0)  # to be solved
        guess_values(rules, table, work, total, least, least + left)
        guess_values(rules, table, work, total, total + 1 - least - left, total + 1 - least)
        for pair in range(left):
            columns[pair] = least + pair
        for _ in range(PASSES):
            if left == 0:
                break
            for pair in range(left):  # the places ascend, on either side of the middle
                columns[2 * left - 1 - pair] = total - columns[pair]
            walked += walk_columns(rules, table, work, total, 2 * left)
            evaluations, count, left = evaluations + 2 * left, left, 0
            for pair in range(count):
                a, b = columns[pair], total - columns[pair]
                x, y, residual, solved = newton_step(rules, table, work, a, b)
                if solved:
                    store_pair(rules, table, a, b, x, y)
                    worst = max(worst, residual)
                else:
                    work.guess[a], work.guess[b] = x, y
                    columns[left], left = a, left + 1
        for pair in range(left):
            a, b = columns[pair], total - columns[pair]
            x, y, residual, times, steps = solve_pair(
                rules, table, a, b, work.guess[a], work.holds, work.turn
            )
            store_pair(rules, table, a, b, x, y)
            worst, evaluations, walked = max(worst, residual), evaluations + times, walked + steps
    return worst, evaluations, walked


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


def decide_alone(game, ladder, values, pairs, rolls, choices, turns_left=None, **ties):
    """Fill in the decisions of one player, for `values`, (S,), as :func:`decide_positions` does.

    With a deadline `values` are by turns left and place, and those after the turn have one turn fewer.
    """
    after = values if turns_left is None else values[turns_left - 1]
    places, which = np.unique(pairs[:, 0], return_inverse=True)
    asked = np.stack([places, np.zeros_like(places)], axis=1)
    decided, taken = rolls[: len(places)].copy(), choices[: len(places)].copy()
    decide_positions(game, ladder, after[None, None], asked, decided, taken, **ties)
    rolls[...], choices[...] = decided[which], taken[which]


# One player: fewest turns


@bare
def iterate_policies(rules, reset, finish, values, parts, turn, turn_parts):
    """Solve x = f(x) - 1 for every number of points missing; see :mod:`dicelab.solvers.one_player`.

    Parameters
    ----------
    rules : Rules
    reset, finish : float
        The values of a reset and of the finish.
    values : ndarray (N + 1,)
        Filled with x by points missing.
    parts : ndarray (3, N + 1)
        Filled with α, ρ and φ.
    turn : Turn
        Workspace.
    turn_parts : ndarray (3, M, ≥ P + N)
        Workspace: α, ρ and φ in the course of a turn.

    Returns
    -------
    residual : float
        The largest of (f(x) - x - 1) / L, relative to T(a).
    """
    worst = 0.0
    for a in range(1, values.size):
        if rules.cannot_finish[a]:
            values[a], parts[0, a], parts[1, a], parts[2, a] = -FOREVER, FOREVER, 0.0, 0.0
            continue
        # A tangent of the convex function f(x) - 1 - x has its zero below the solution.
        x, below = finish - 1.0, False
        while True:
            ends = Ends(x, reset, finish, 0.0)
            above, leave = backward_pass(rules, values, ends, a, ONE, turn)
            if leave < MIN_LEAVE:  # the turn surely busts: x is too high
                x -= 2.0 * (finish - x)
                if finish - x > FOREVER:
                    return np.inf
                continue
            evaluate_decisions(rules, values, ends, a, parts, turn, turn_parts)
            for k in range(3):
                parts[k, a] = ((k == 0) + turn_parts[k, 0, rules.beyond.shape[2] - 1 + a]) / leave
            after = finish * parts[2, a] + reset * parts[1, a] - parts[0, a]
            if below and after <= x:
                break
            x, below = after, True
        turns = parts[0, a] + parts[1, a] * (finish - reset)
        values[a], worst = after, max(worst, abs(above - 1.0) / (leave * turns))
    return worst


@inner
def evaluate_decisions(rules, values, ends, a, parts, turn, turn_parts):
    """Fill `turn_parts` with α, ρ and φ for the decisions of the backward pass that has filled `turn`."""
    width = rules.beyond.shape[2]
    for r in range(1 - width, a + 1):
        at = width - 1 + r
        for m in rules.order:
            turn_parts[0, m, at], turn_parts[1, m, at], turn_parts[2, m, at] = 0.0, 0.0, 0.0
            if r <= 0:  # beyond the target: the way to choose that gave the value
                for way in range(len(rules.beyond)):
                    finishes, resets, _ = rules.beyond[way, m, at]
                    if (
                        finishes * (ends.finish - ends.bust) + resets * (ends.reset - ends.bust)
                        == turn.value[m, at]
                    ):
                        turn_parts[1, m, at], turn_parts[2, m, at] = resets, finishes
            elif rules.may_hold[m] and r < a and values[r] - ends.bust >= turn.roll[m, at]:
                for k in range(3):
                    turn_parts[k, m, at] = parts[k, r]
            else:  # a roll: Σ p·(α, ρ, φ) after the best choice, and the reset itself
                turn_parts[1, m, at] = rules.reset[m]
                for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                    best = rules.choices[o]
                    for c in range(best + 1, rules.choices[o + 1]):
                        value = turn.value[rules.mode[best], at - rules.points[best]]
                        if turn.value[rules.mode[c], at - rules.points[c]] > value:
                            best = c
                    for k in range(3):
                        part = turn_parts[k, rules.mode[best], at - rules.points[best]]
                        turn_parts[k, m, at] += rules.probability[o] * part


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
