"""Two players, and a last turn for the other one: the finishes "equal turns" and "last licks", to win.

A player who banks the target or more gives the other player, the *chaser*, one last turn; the docstring of
:class:`dicelab.games.model.Game` has the rules. The *leader* may roll on above the target: turns have no natural end.
Notation is that of :mod:`dicelab.solvers._kernels`: needs a and b, r points missing to the target, negative above it, B
the bust value, Z the reset value, L the probability to leave the bust value.

The last turn
-------------
Let the chaser be d points behind the leader. The last turn depends on d alone, since a bust, a reset and a hold below
the leader's score all lose. C(d) is the best chance to end above the leader, plus half of the chance to draw level
where that is a draw. One pass over the turn totals gives C(d) for all d at once (:func:`chase`). C does not increase,
since a turn that gains more than d + 1 points gains more than d, and it tends to 0.

The turn of a leader
--------------------
A hold at the target or above, r ≤ 0, has the value 1 - C(b - r). Below, r > 0, it is 1 - V(b, r), as in every race. A
player who moves second in "equal turns" wins at once at the target, where the other one is below it.

**Where the walk may end.** A roll in mode m loses the turn with probability bust(m) + reset(m). Let q be the least of
these, over the modes that allow a hold, and let the other player's value at the start of a turn be at least v. Then a
roll has at most the value 1 - bust(m)·(1 - B) - reset(m)·(1 - Z) ≤ 1 - q·v, as 1 - B and 1 - Z are such values. So a
hold is right where

    C(b - r) ≤ q·v,                                                                                           (1)

and then at all smaller r, too. For v we take the chance T(b) that the other player, who rolls until the target is
reached, succeeds in this turn; in "last licks", where there is a chaser then, the largest T(b + h)·(1 - C(1 + h)) over
h ≥ 0, for a player who rolls until h points above the target. The walk begins at the largest r with (1). Values that
are found are compared with v in the end. In Pig to 100 this proves that a leader holds 41 points above the target, or
69 in "last licks"; the values then say 11 and 24 at most. If a mode that allows a hold cannot bust, there is no q, and
perhaps no best score to hold at.

A mode without a hold must be left by rolls. Its value with everybody holding as soon as possible is a sum over rolls
without end (:func:`lead_values`). We end it where C is below 1e-20; in fractions such games are refused.

Two unknowns
------------
V₁(a, b) is the value to the player who is first in the round, at the start of a turn, and V₂(a, b) to the second; in
"last licks" they are the same. A turn of the first leads to one of the second, so that a pair of needs has the system

    x = V₁(a, b) = f₁(1 - y),      y = V₂(b, a) = f₂(1 - x),

with f₁ and f₂ convex, increasing and piecewise linear. Everything else is known from pairs with fewer points missing. A
step of policy iteration, (4) on the page of the kernels with c = 1, is exact once both players' decisions are right. A
step that leaves the interval in which x must lie is replaced by a bisection. The same argument as there shows that this
ends. Pairs with the same a + b do not depend on each other. Values after resets are iterated to a fixed point.

The same functions do the work in float64, compiled, and in fractions, as they stand.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from .._accuracy import CLOSE, ROUNDING, TIE, ConvergenceError, check_residual, settle
from .._compile import bare, shared
from .._exact import as_exact
from .._limits import THREADS, check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..last_turn import LastTurnPolicy, LastTurnSolution
from ..policies import branching_outcomes
from ._kernels import Rules, exact_rules, rules_of
from .cycle import joined, passed

__all__ = ["solve_last_turn"]

LEFT = 1e-20  # a chance of the chaser that float64 cannot tell from 0, where a leader must roll on
MANY = 4 * THREADS  # pairs of one sum from which on threads help


class LastTurn(NamedTuple):
    """What turns above the target need to know: float64, or objects for fractions."""

    rules: Rules
    ends: np.ndarray  # (M, 2) from each mode, beyond the target, if holds are made: the chances to finish and to reset
    lead: (
        np.ndarray
    )  # (M, D) the chance to win of a leader who is d points ahead and holds as soon as possible
    cut: np.ndarray  # (N + 1,) int, by b: at -r = cut[b] and above every hold is right, by (1)
    lower: np.ndarray  # (N + 1,) v, by the needs of the other player
    draw: float  # what equal scores are worth to the chaser


@shared
def chase(rules, ends, draw, size, value, roll):
    """Fill in the last turn: W and R by mode and points behind the leader; column P + r is for r = -P, …, size - 1."""
    width = rules.beyond.shape[2]
    for r in range(-width, size):
        at = width + r
        for m in rules.order:
            if r < 0:
                value[m, at], roll[m, at] = ends[m, 0], ends[m, 0]
                continue
            expected = 0 * draw
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c = rules.choices[o]
                best = value[rules.mode[c], at - rules.points[c]]
                for d in range(c + 1, rules.choices[o + 1]):
                    best = max(best, value[rules.mode[d], at - rules.points[d]])
                expected += rules.probability[o] * best
            roll[m, at] = expected
            value[m, at] = max(expected, draw) if r == 0 and rules.may_hold[m] else expected


@shared
def lead_values(rules, ends, chances, lead):
    """Fill ``lead[m, d]``: 1 - C(d) where a hold is allowed, and otherwise its expectation where the rolls end.

    ``chances[d]`` is C(d). Modes without a hold offer no choices. Behind the last d the chaser has no chance.
    """
    size = lead.shape[1]
    for d in range(size - 1, 0, -1):
        for m in rules.order:
            if rules.may_hold[m]:
                lead[m, d] = 1 - chances[d]
                continue
            lead[m, d] = 0 * chances[d]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c = rules.choices[o]
                after, onward = d + rules.points[c], rules.mode[c]
                lead[m, d] += rules.probability[o] * (
                    lead[onward, after] if after < size else ends[onward, 0]
                )


@shared
def evaluate_turn(last, row, bust, reset, missing, b, leads, turn):
    """Evaluate one turn against an opponent who needs `b`.

    Parameters
    ----------
    last : LastTurn
    row : ndarray (N + 1,)
        V(b, r) of the opponent, by the points that this player then misses.
    bust, reset : float
        The bust value and the reset value.
    missing : int
    b : int
    leads : bool
        Whether the opponent has a last turn once the target is banked.
    turn : ndarray (≥ 1 + P + cut + missing, M, 3)
        Filled with W - B, L and R - B; row ``width + cut + r`` is for r points missing, with cut 0 unless `leads`.

    Returns
    -------
    above, leave : float
        R - B and L at the start of the turn.
    """
    rules = last.rules
    modes, width = rules.beyond.shape[1:3]
    cut = last.cut[b] if leads else 0
    for r in range(1 - width - cut, 1 - cut):
        for m in range(modes):
            node = turn[width + cut + r, m]
            finishes = last.ends[m, 0]
            resets = last.ends[m, 1]
            if leads:
                finishes = last.lead[m, b - r]
            node[1] = last.ends[m, 0] + resets
            node[0] = finishes + resets * reset - node[1] * bust
            node[2] = node[0]
    for r in range(1 - cut, missing + 1):
        at = width + cut + r
        for m in rules.order:
            above = rules.reset[m] * (reset - bust)
            leave = rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                c = rules.choices[o]
                left, mode = at - rules.points[c], rules.mode[c]
                for d in range(c + 1, rules.choices[o + 1]):
                    if turn[at - rules.points[d], rules.mode[d], 0] > turn[left, mode, 0]:
                        left, mode = at - rules.points[d], rules.mode[d]
                above += rules.probability[o] * turn[left, mode, 0]
                leave += rules.probability[o] * turn[left, mode, 1]
            node = turn[at, m]
            node[0], node[1], node[2] = above, leave, above
            if rules.may_hold[m] and r < missing:
                held = (1 - row[r] if r > 0 else last.lead[m, b - r]) - bust
                if held >= above or rules.stops[m]:
                    node[0], node[1] = held, 1
    node = turn[width + cut + missing, 0]  # a turn begins with a roll
    return node[0], node[1]


@shared
def solve_pairs(last, values, resets, pairs, guesses, close, turn):
    """Solve pairs of needs that do not depend on each other: fill `values`.

    Parameters
    ----------
    last : LastTurn
    values : ndarray (roles, N + 1, N + 1)
        V by role, own needs and the opponent's; there is one role in "last licks". Pairs of smaller sums are filled in.
    resets : ndarray (roles, N + 1)
        V(b, N) by the role of a player who needs b.
    pairs : ndarray of int (T, 2)
        The needs a of the first in the round, and b of the second.
    guesses : ndarray (N + 1, N + 1)
        Of V₁(a, b); where it is 0, the values of neighbouring pairs are continued.
    close : float
        A step that is no longer than this ends the iteration.
    turn : ndarray
        Workspace; see :func:`evaluate_turn`.

    Returns
    -------
    float
        The longest last step.
    """
    o, worst = len(values) - 1, 0 * resets[0, 1]
    for k in range(len(pairs)):
        a, b = pairs[k, 0], pairs[k, 1]
        x = guesses[a, b]
        if x == 0:
            x = values[0, a - 1, b] + values[0, a, b - 1] - values[0, a - 1, b - 1]
        low, high = 0 * x, 1 + 0 * x
        x = x if low < x < high else (low + high) / 2
        while True:
            bust_b = 1 - x
            above_b, q = evaluate_turn(
                last, values[0, a], bust_b, 1 - resets[0, a], b, a, o == 0, turn
            )
            bust_a = 1 - (bust_b + above_b)
            above_a, p = evaluate_turn(
                last, values[o, b], bust_a, 1 - resets[o, b], a, b, True, turn
            )
            results_a = above_a + p * bust_a
            results_b = above_b + q * bust_b
            new, leave = joined(results_a, p, passed(1, results_b, q), q)
            y, _ = joined(results_b, q, passed(1, results_a, p), p)
            new, y = new / leave, y / leave
            change = new - x
            if abs(change) <= close:
                worst = max(worst, abs(change))
                break
            if change > 0:
                low = x
            else:
                high = x
            x = new if low < new < high else (low + high) / 2
            if not low < x < high:  # no number is left between the bounds
                worst = max(worst, high - low)
                break
        values[0, a, b], values[o, b, a] = new, y
    return worst


@shared
def decide_turn(last, row, bust, reset, missing, b, leads, tie, turn, rolls, choices):
    """Fill in the decisions of one turn: `rolls` (M, T) and `choices` (B, T) by turn total, T = missing + cut."""
    rules, width = last.rules, last.rules.beyond.shape[2]
    cut = last.cut[b] if leads else 0
    evaluate_turn(last, row, bust, reset, missing, b, leads, turn)
    for total in range(missing + cut):
        r = missing - total
        at = width + cut + r
        for m in range(len(rules.may_hold)):
            rolls[m, total] = total == 0 or not rules.may_hold[m]
            if not rolls[m, total] and not rules.stops[m]:
                held = (1 - row[r] if r > 0 else last.lead[m, b - r]) - bust
                rolls[m, total] = turn[at, m, 2] - held > tie
        for o in range(len(rules.branch) if len(choices) else 0):
            if rules.branch[o] >= 0:
                first = rules.choices[o]
                best = first
                for c in range(first + 1, rules.choices[o + 1]):
                    ahead = (
                        turn[at - rules.points[c], rules.mode[c], 0]
                        - turn[at - rules.points[best], rules.mode[best], 0]
                    )
                    best = c if ahead > tie else best
                choices[rules.branch[o], total] = best - first


chase_compiled, lead_compiled, pairs_compiled, decide_compiled = map(
    bare, (chase, lead_values, solve_pairs, decide_turn)
)


def check_can_be_solved(game, exact):
    """Raise NotImplementedError for a game whose turns above the target are not known to end; return q of the page."""
    game = game.until_change
    reached = [mode for mode in game.modes if mode.name in game.reached_with_points]
    held = [mode for mode in reached if mode.may_hold and not mode.must_hold]
    said = f"{game.name} with finish={game.finish!r}"
    for mode in held:
        if not mode.chance("bust") + mode.chance("reset"):
            raise NotImplementedError(
                f"{said}: a roll in mode {mode.name!r} risks nothing, so that a turn may have no best end"
            )
    forced = [mode for mode in reached if not mode.may_hold]
    if any(len(outcome.choices) > 1 for mode in forced for outcome in mode.outcomes):
        raise NotImplementedError(
            f"{said}: choices in modes without a hold are not followed above the target"
        )
    if exact and (game.resets or forced):
        which = "resets" if game.resets else "modes without a hold"
        raise NotImplementedError(
            f"{said}: games with {which} are not solved in fractions; solve without exact=True"
        )
    return min((mode.chance("bust") + mode.chance("reset") for mode in held), default=Fraction(1))


def last_turn_of(game, exact):
    """What turns above the target need to know, :class:`LastTurn`; see the page above."""
    least = check_can_be_solved(game, exact)
    kind = object if exact else float
    target = game.target
    plain = replace(game, finish="reach")
    rules = rules_of(plain)
    number = float
    fill_chase = chase_compiled
    fill_lead = lead_compiled
    if exact:
        rules = exact_rules(plain)
        number = Number
        fill_chase = chase
        fill_lead = lead_values
    if rules.may_wait.any() or rules.may_stall:
        raise NotImplementedError(
            f"{game.name} with finish={game.finish!r}: players can wait for ever, which is not solved"
        )
    (modes, width), draw = rules.beyond.shape[1:3], number(0)
    if game.finish == "equal turns":
        draw = number(1) / 2
    ends = rules.beyond[0, :, -1, :2].copy()
    forced = any(not mode.may_hold and mode.name in game.reached() for mode in game.modes)
    size = 2 * (target + width)
    while True:
        check_memory(
            24 * modes * (size + width),
            f"following {game.name} above {target}",
            "take another finish",
        )
        value, roll = np.zeros((2, modes, width + size), dtype=kind)
        fill_chase(rules, ends, number(0), size, value, roll)
        reach = roll[0, width - 1 :].copy()  # T(b) is the chance of more than b - 1 points
        reach[0] = 1
        beats = roll[0, width:].copy()
        fill_chase(rules, ends, draw, size, value, roll)
        chances = roll[0, width:].copy()  # C(d)
        lower = reach[: target + 1].copy()
        if game.finish == "last licks":
            alone, most = 1 - beats[1:], size // 2 - target
            lower = np.array(
                [max(reach[b : b + most] * alone[:most]) for b in range(target + 1)], dtype=kind
            )
        cut = cuts_of(chances, lower, number(least), size - width)
        if cut is not None and not (forced and chances[-1] > LEFT):
            break
        size *= 2
    lead = np.zeros((modes, size), dtype=kind)
    fill_lead(rules, ends, chances, lead)
    return LastTurn(rules, ends, lead, cut, lower, draw)


def cuts_of(chances, lower, least, size):
    """The smallest e ≥ 0 with C(b + e) ≤ q·v by b, or None if `chances` has no such e below `size` for some b."""
    cut = np.zeros(len(lower), dtype=int)
    for b in range(1, len(lower)):
        e = cut[b - 1] if b > 1 else 0
        while e > 0 and chances[b + e - 1] <= least * lower[b]:
            e -= 1
        while b + e < size and not chances[b + e] <= least * lower[b]:
            e += 1
        if b + e >= size:
            return None
        cut[b] = e
    return cut


def new_turn(last, kind):
    """Workspace for one turn."""
    modes, width = last.rules.beyond.shape[1:3]
    return np.zeros((1 + width + int(last.cut.max()) + len(last.cut), modes, 3), dtype=kind)


def pairs_by_sum(target, roles):
    """A list of the pairs of needs with the same sum, ndarrays (T, 2); with one role a ≤ b."""
    needs = np.arange(1, target + 1)
    pairs = np.stack(np.meshgrid(needs, needs, indexing="ij"), axis=-1).reshape(-1, 2)
    pairs = pairs[pairs[:, 0] <= pairs[:, 1]] if roles == 1 else pairs
    pairs = pairs[np.argsort(pairs.sum(axis=1), kind="stable")]
    return np.split(pairs, np.flatnonzero(np.diff(pairs.sum(axis=1))) + 1)


def sweep_pairs(game, last, values, resets, guesses):
    """Solve all pairs, given the values after resets; returns the largest residual."""
    exact = values.dtype == object
    solve, close, threads = (solve_pairs, 0, 1) if exact else (pairs_compiled, CLOSE, THREADS)
    turns = [new_turn(last, values.dtype) for _ in range(threads)]
    worst = 0
    groups = pairs_by_sum(game.target, len(values))
    with (
        ThreadPoolExecutor(threads) as pool,
        progress(None, title_of(game), "pair", sum(map(len, groups))) as bar,
    ):
        for pairs in groups:
            parts = np.array_split(pairs, threads if len(pairs) >= MANY else 1)
            found = pool.map(
                lambda part, turn: solve(last, values, resets, part, guesses, close, turn),
                parts,
                turns,
            )
            worst = max([worst, *found])
            bar.update(len(pairs))
    return worst


def solve_last_turn(game, exact=False):
    """Solve a race of two players in which the other one has a last turn; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    exact : bool
        In fractions, for small targets.

    Returns
    -------
    LastTurnSolution

    Raises
    ------
    NotImplementedError
        If a mode that allows a hold cannot bust; for choices in modes without a hold; for games in which a player may
        wait for ever; in fractions, for games with resets or modes without a hold.
    ConvergenceError
        If the equations hold to no better than 1e-13, or a value is below the bound that the page above proves.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.
    """
    target = game.target
    roles = 2 if game.finish == "equal turns" else 1
    kind = object if exact else float
    check_memory(
        8 * 9 * (target + 1) ** 2, f"solving {game.name} to {target}", "take a smaller target"
    )
    last = last_turn_of(game, exact)
    values = np.zeros((roles, target + 1, target + 1), dtype=kind)
    guesses = np.zeros((target + 1, target + 1), dtype=kind)
    if exact:  # the decisions are those of float64, or nearly so
        near = solve_last_turn(game).values[0, ::-1, ::-1]
        guesses[1:, 1:] = [
            [Number(round(1000 * value)) / 1000 for value in row] for row in near.tolist()
        ]
    worst = 0

    def change(resets):
        nonlocal worst
        worst = sweep_pairs(game, last, values, np.clip(resets.reshape(roles, -1), 0, 1), guesses)
        if not exact:
            guesses[:] = values[0]
        return values[:, :, target].ravel() - resets

    resets = np.full(roles * (target + 1), 0 if exact else 0.5, dtype=kind)
    step = change(resets)
    if game.resets:
        resets = settle(change, resets + step, game)
        worst = max(worst, abs(values[:, :, target].ravel() - resets)[1:].max())
    check_residual(game, worst)
    if (
        values[-1, 1:, 1:].min(axis=1) < last.lower[1:] - (0 if exact else TIE)
    ).any():  # of the leader's opponent
        raise ConvergenceError(f"{game.name}: a value is below its lower bound")
    shown = as_exact(values[:, 1:, 1:]) if exact else np.clip(values[:, 1:, 1:], 0, 1)
    return LastTurnSolution(
        game=game,
        values=np.ascontiguousarray(np.broadcast_to(shown, (2, target, target))[:, ::-1, ::-1]),
        policy=LastTurnPolicy(game, partial(decide, game, last, values)),
        exact=exact,
        residual=worst,
        error=0.0 if exact else ROUNDING * (2 * target) ** 0.5 + worst,
    )


def decide(game, last, values, own, opponent, role):
    """The decisions of one turn, `rolls` (M, T) and `choices` (B, T) by turn total; behind them every hold is right.

    Against an opponent at the target or above it is the last turn.
    """
    exact = values.dtype == object
    target = game.target
    roles = len(values)
    modes = len(last.rules.may_hold)
    tie = 0 if exact else TIE
    branches = len(branching_outcomes(game))
    missing = target - own
    b = target - opponent
    if b <= 0:
        return decide_chase(last, opponent - own, branches, tie)
    role = role if roles == 2 else 0
    other, leads = roles - 1 - role, role == 0
    totals = missing + (int(last.cut[b]) if leads else 0)
    rolls = np.zeros((modes, totals), dtype=bool)
    choices = np.zeros((branches, totals), dtype=np.uint8)
    fill = decide_turn if exact else decide_compiled
    row, turn = values[other, b], new_turn(last, values.dtype)
    fill(last, row, 1 - row[missing], 1 - row[target], missing, b, leads, tie, turn, rolls, choices)
    return rolls, choices


def decide_chase(last, behind, branches, tie):
    """The decisions of a last turn, begun `behind` points behind the leader; see :func:`decide`."""
    rules, kind = last.rules, last.lead.dtype
    modes, width = rules.beyond.shape[1:3]
    check_memory(
        32 * modes * (behind + width), f"a last turn {behind} points behind", "give a smaller score"
    )
    value, roll = np.zeros((2, modes, width + behind + 1), dtype=kind)
    (chase if tie == 0 else chase_compiled)(rules, last.ends, last.draw, behind + 1, value, roll)
    rolls = np.ones((modes, behind + 1), dtype=bool)
    choices = np.zeros((branches, behind + 1), dtype=np.uint8)
    rolls[:, behind] = ~rules.may_hold | (roll[:, width] - last.draw > tie) | (behind == 0)
    for o in np.flatnonzero(rules.branch >= 0):
        options = range(rules.choices[o], rules.choices[o + 1])
        for total in range(behind + 1):
            best, at = options[0], width + behind - total
            for c in options[1:]:
                ahead = (
                    value[rules.mode[c], at - rules.points[c]]
                    - value[rules.mode[best], at - rules.points[best]]
                )
                best = c if ahead > tie else best
            choices[rules.branch[o], total] = best - options[0]
    return rolls, choices
