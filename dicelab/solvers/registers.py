"""Games with registers, two players to win: sweeps over all pairs of scores, from the target backwards.

A player needs a points and is in register f; for the opponent these are b and g. V(a, f; b, g) is the value to the
player about to move. Let f' and a' be the register and the need after a bust; h the register after a hold. In the
notation of :mod:`dicelab.solvers._kernels`, with c = 1,

    H(r) = 1 - V(b, g; r, h),      B = 1 - V(b, g; a', f'),      Z = 1 - V(b, g; target, first register),        (1)

and the turn operator makes V(a, f; b, g) of these. Holds lead to smaller sums a + b, which are solved before. A turn
that must bank at least k points is one of max(a, k) points, in which holds with r > a - k are not allowed.

**Busts make chains.** If a bust costs no points, it leads from (f, g), where f is the register of the player to move,
to (g, f') at the same needs. So the R² pairs of registers form a graph in which one edge leaves each pair. Most of it
is solved by one turn operator each, in the order opposite to the edges. On a cycle, as that of "opened" and "opened",
each value depends on itself. With the decisions given, a turn that leaves the bust value with probability L has the
value x = A + (1 - L)·(1 - y), if y is the value of the next pair. Composed around the cycle, that is a linear equation
in one unknown, x = K + (1 - E)·x, with E = 1 - Π (1 - L). K and E follow step by step without a difference of nearly
equal numbers: from a step to the next, x = K + (1 - E)·x″ and x = 1 - J - (1 - E)·x″ alternate, with

    J ← (L - A) + (1 - L)·K,      K ← A + (1 - L)·J,      E ← E + L - E·L.                                        (2)

Its solution K / E is a step of policy iteration. We repeat it until no value changes by more than CLOSE.

**Penalties and resets** lead to sums that are not solved yet. There the value of the last sweep is taken, and sweeps
are repeated, with Anderson's acceleration (scipy's), until the values of two sweeps agree. Without them one sweep is
enough. Play ends with probability 1 whatever the players do (:func:`dicelab.games.absorption.may_be_endless`), so
that the fixed point is unique.

The turns of LANES neighbouring pairs of scores are walked in lock step. Unlike those of games without registers, the
walks begin at the target.

**Error.** A sweep leaves a part of an error of the values it began with. We move all values away from 1/2 by a
millionth, sweep until a sweep leaves at most half of what was left, from twice to eight times, and add up all that
was left, as if each sweep from there on left the same part as the last one. Then we do the same after adding a
millionth to all values, since an error of both players' values of the same sign can last longer. The larger sum times
the last change and the rounding of a sweep is the estimate. Where penalties are nearly certain nearly all is left,
and the solver refuses.

One player who wants the fewest turns is swept in the same way, score by score.
"""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from .._accuracy import CLOSE, ROUNDING, TIE, check_residual, settle
from .._compile import bare, inlined, inner
from .._limits import THREADS, check_memory
from ..games.absorption import may_be_endless
from ..games.model import Game, Outcome
from ..games.registers import scores_of
from ..solution import NAMES, OptimalPolicy, Solution
from ._kernels import Ends, backward_pass, decide_turns, new_turn, rules_of
from .cycle import joined, passed
from .two_player import solve_race

__all__ = [
    "check_no_waiting",
    "hold_places",
    "register_decisions",
    "solve_registers",
    "solve_turns_with_registers",
]

LANES = 32  # turns in a batch
MOST_SWEEPS = 1000  # of one player
NUDGE, MOST_NUDGES = (
    1e-6,
    8,
)  # of all values, and the sweeps after it, by which it is measured how errors grow
ROUNDS = 60  # steps of policy iteration on a cycle; a few suffice


class Registers(NamedTuple):
    """A game's registers as arrays, R of them; and the R² pairs of registers, f·R + g, in the order of the work."""

    after_hold: np.ndarray  # (R,)
    after_bust: np.ndarray  # (R,)
    penalty: np.ndarray  # (R,)
    least_hold: np.ndarray  # (R,)
    mode: np.ndarray  # (R,) in which turns begin
    order: np.ndarray  # (R²,) the pairs in steps: cycles, then those from which a bust leads to what is solved by then
    steps: np.ndarray  # (number of steps + 1,) those of step s: order[steps[s]:steps[s + 1]]; on a cycle as busts lead
    cyclic: np.ndarray  # (number of steps,) bool, whether a step is a cycle


def registers_of(game):
    """The arrays of a game's registers."""
    registers = game.registers
    index = {register.name: k for k, register in enumerate(registers)}
    size = len(registers)
    after_bust = [index[register.after_bust] for register in registers]

    def onward(pair):
        """The pair of registers after a bust, or None if that costs points."""
        f, g = divmod(pair, size)
        return None if registers[f].penalty else g * size + after_bust[f]

    cycles, depth = [], {}
    for pair in range(size * size):
        path = []
        while pair is not None and pair not in depth and pair not in path:
            path.append(pair)
            pair = onward(pair)
        if pair in path:
            cycles.append(path[path.index(pair) :])
            path = path[: path.index(pair)]
            depth |= dict.fromkeys(cycles[-1], 0)
        for other in reversed(path):
            depth[other] = depth.get(onward(other), 0) + 1
    on_cycles = {pair for cycle in cycles for pair in cycle}
    levels = {}
    for pair in sorted(depth.keys() - on_cycles):
        levels.setdefault(depth[pair], []).append(pair)
    steps = [(cycle, True) for cycle in cycles] + [
        (levels[level], False) for level in sorted(levels)
    ]
    return Registers(
        after_hold=np.array([index[register.after_hold] for register in registers]),
        after_bust=np.array(after_bust),
        penalty=np.array([register.penalty for register in registers]),
        least_hold=np.array([register.least_hold for register in registers]),
        mode=np.array([game.mode(register.mode) for register in registers]),
        order=np.array([pair for step, _ in steps for pair in step]),
        steps=np.cumsum([0, *(len(step) for step, _ in steps)]),
        cyclic=np.array([cyclic for _, cyclic in steps]),
    )


class Workspace(NamedTuple):
    """What the kernels write to, for the pairs of scores with one sum; a place is the need of the player to move."""

    turns: np.ndarray  # (LANES, 3) of each turn of a batch a, f and g
    value: np.ndarray  # (M·(P + N)·LANES,) by mode and points missing: of each lane W - B,
    leave: np.ndarray  # and L
    bust: np.ndarray  # (LANES,) the bust values,
    again: np.ndarray  # Z - B,
    held: np.ndarray  # H - B,
    above: np.ndarray  # R - B,
    left: np.ndarray  # L of a roll,
    best: np.ndarray  # W - B of the best choice, and
    onward: np.ndarray  # its L
    constant: (
        np.ndarray
    )  # (2, N + 1) by place, after an even and an odd number of steps of a cycle: K and J of (2),
    escape: np.ndarray  # and E
    found: np.ndarray  # (N + 1, R, R) new values, by place and registers


def new_workspace(game, most):
    """Arrays for turns with up to `most` points missing."""
    rules, size = rules_of(game), len(game.registers)
    modes, width = rules.beyond.shape[1:3]
    walk = modes * (width + most) * LANES
    arrays = [np.zeros(n + 8) for n in (walk, walk, *[LANES] * 7)]
    aligned = [array[-array.ctypes.data // 8 % 8 :][: array.size - 8] for array in arrays]
    by_place = np.zeros((2, most + 1)), np.zeros((2, most + 1)), np.zeros((most + 1, size, size))
    return Workspace(np.zeros((LANES, 3), dtype=np.int64), *aligned, *by_place)


@inner
def walk_lanes(rules, registers, after, start, total, count, slopes, work):
    """Evaluate the turns in the first `count` lanes of ``work.turns``.

    Parameters
    ----------
    rules : Rules
    registers : Registers
    after : ndarray (N + 1, R, R, N + 1)
        ``after[b, g, f, a]`` is 1 - V(b, g; a, f).
    start : int
        The points needed at score 0.
    total : int
        a + b.
    count : int
    slopes : bool
        Whether L is wanted, too.
    work : Workspace
        Fills ``above`` with R - B, and ``left`` with L, at the start of each turn.
    """
    ways, modes, width, _ = rules.beyond.shape
    value = work.value
    leave = work.leave
    bust = work.bust
    held = work.held
    above = work.above
    left = work.left
    best = work.best
    onward = work.onward
    size = work.value.size // modes
    turns = work.turns
    again = work.again
    lanes = np.uint64(
        best.size
    )  # LANES; a number that is not known beforehand lets the compiler make vectors
    longest = 0
    for lane in range(LANES):
        if lane >= count:
            turns[lane, 0], turns[lane, 1], turns[lane, 2] = turns[0, 0], turns[0, 1], turns[0, 2]
        a, f, g = turns[lane]
        longest = max(longest, a, registers.least_hold[f])
        need = min(a + registers.penalty[f], after.shape[0] - 1)
        bust[lane] = after[total - a, g, registers.after_bust[f], need]
        again[lane] = after[total - a, g, 0, start] - bust[lane]
    for m in range(modes):
        for at in range(width):
            for way in range(ways):
                finishes, resets, _ = rules.beyond[way, m, at]
                for lane in range(LANES):
                    place = m * size + at * LANES + lane
                    worth = finishes * (1.0 - bust[lane]) + resets * again[lane]
                    if way == 0 or worth > value[place]:
                        value[place], leave[place] = worth, finishes + resets
    for r in range(1, longest + 1):
        for lane in range(LANES):
            a, f, g = turns[lane]
            may_hold = r <= a - registers.least_hold[f]
            held[lane] = (
                after[total - a, g, registers.after_hold[f], r] - bust[lane]
                if may_hold
                else -np.inf
            )
        at = width - 1 + r
        for k in range(modes):
            m = rules.order[k]
            for lane in range(lanes):
                above[lane], left[lane] = rules.reset[m] * again[lane], rules.reset[m]
            for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                p, c = rules.probability[o], rules.choices[o]
                place = rules.mode[c] * size + (at - rules.points[c]) * LANES
                values = value[place : place + LANES]
                leaves = leave[place : place + LANES]
                if rules.choices[o + 1] == c + 1:
                    for lane in range(lanes):
                        above[lane] += p * values[lane]
                    for lane in range(lanes if slopes else 0):
                        left[lane] += p * leaves[lane]
                    continue
                for lane in range(lanes):
                    best[lane] = values[lane]
                for lane in range(lanes if slopes else 0):
                    onward[lane] = leaves[lane]
                for d in range(c + 1, rules.choices[o + 1]):
                    place = rules.mode[d] * size + (at - rules.points[d]) * LANES
                    values = value[place : place + LANES]
                    leaves = leave[place : place + LANES]
                    for lane in range(lanes if slopes else 0):
                        onward[lane] = leaves[lane] if values[lane] > best[lane] else onward[lane]
                    for lane in range(lanes):
                        best[lane] = values[lane] if values[lane] > best[lane] else best[lane]
                for lane in range(lanes):
                    above[lane] += p * best[lane]
                for lane in range(lanes if slopes else 0):
                    left[lane] += p * onward[lane]
            may_hold = rules.may_hold[m]
            stops = rules.stops[m]
            place = m * size + at * LANES
            values = value[place : place + LANES]
            leaves = leave[place : place + LANES]
            for lane in range(lanes):
                holds = may_hold & ((held[lane] >= above[lane]) | (stops & (held[lane] > -np.inf)))
                values[lane] = held[lane] if holds else above[lane]
                leaves[lane] = 1.0 if holds else left[lane]
    for lane in range(count):
        a, f, _ = turns[lane]
        place = (
            registers.mode[f] * size + (width - 1 + max(a, registers.least_hold[f])) * LANES + lane
        )
        above[lane], left[lane] = value[place], leave[place]


@inner
def evaluate(rules, registers, after, start, total, places, pairs, step, work):
    """Evaluate the turns at some places and their mirror images, for some pairs of registers; fill ``work.found``.

    `step` is 0, or counts the turns of a cycle from its end; then the turn is composed with the later ones by (2).
    """
    size = len(registers.after_hold)
    count = 0
    now = step % 2
    for n in range(total - places[0], places[0] - 1, -1):
        if places[1] < n < total - places[1]:
            continue
        for k in range(len(pairs)):
            work.turns[count, 0], work.turns[count, 1], work.turns[count, 2] = (
                n,
                pairs[k] // size,
                pairs[k] % size,
            )
            count += 1
            if count == LANES or (n == places[0] and k == len(pairs) - 1):
                walk_lanes(rules, registers, after, start, total, count, step > 0, work)
                for lane in range(count):
                    a, f, g = work.turns[lane]
                    left, bust = work.left[lane], work.bust[lane]
                    work.found[a, f, g] = bust + work.above[lane]
                    if step:
                        results = work.above[lane] + left * bust
                        constant = work.constant[1 - now, total - a] if step > 1 else 0.0
                        escape = work.escape[1 - now, total - a] if step > 1 else 0.0
                        more = passed(1.0, results, left) if now == 1 else results
                        work.constant[now, a], work.escape[now, a] = joined(
                            more, left, constant, escape
                        )
                count = 0


@inlined
def close_cycle(total, places, pair, steps, work):
    """Solve (2) around a cycle of so many steps, of which `pair` is the first; fill ``work.found``."""
    size, now = work.found.shape[1], steps % 2
    for a in range(places[0], total - places[0] + 1):
        if a <= places[1] or a >= total - places[1]:
            constant = work.constant[now, a]
            escape = work.escape[now, a]
            other = total - a
            if now == 1:  # an odd number of steps ends at the other player: once more around
                constant, escape = joined(
                    passed(1.0, constant, escape),
                    escape,
                    work.constant[now, other],
                    work.escape[now, other],
                )
            work.found[a, pair // size, pair % size] = min(max(constant / escape, 0.0), 1.0)


@inlined
def store(after, total, places, pairs, found):
    """Enter the values that were found for some pairs of registers; return the largest change."""
    size, change = found.shape[1], 0.0
    for a in range(places[0], total - places[0] + 1):
        if a <= places[1] or a >= total - places[1]:
            for k in range(len(pairs)):
                f, g = divmod(pairs[k], size)
                new = 1.0 - found[a, f, g]
                change = max(change, abs(new - after[a, f, g, total - a]))
                after[a, f, g, total - a] = new
    return change


@bare
def solve_places(rules, registers, after, start, total, places, work):
    """Solve all pairs with the needs a and `total` - a, for a in `places` and for their mirror images.

    Parameters
    ----------
    rules : Rules
    registers : Registers
    after : ndarray (N + 1, R, R, N + 1)
        Of smaller sums. Of this and larger sums guesses; those of this one are replaced.
    start : int
    total : int
    places : tuple of int
        The least and the greatest a, at most half of the sum.
    work : Workspace

    Returns
    -------
    float
        The longest last step on a cycle.
    """
    residual = 0.0
    for s in range(len(registers.cyclic)):
        pairs = registers.order[registers.steps[s] : registers.steps[s + 1]]
        if not registers.cyclic[s]:
            evaluate(rules, registers, after, start, total, places, pairs, 0, work)
            store(after, total, places, pairs, work.found)
            continue
        steps = len(pairs)
        for rounds in range(ROUNDS):
            change = 0.0
            for step in range(1, steps + 1):  # against the direction of the busts
                pair = pairs[steps - step : steps - step + 1]
                evaluate(rules, registers, after, start, total, places, pair, step, work)
                if step == steps and rounds < ROUNDS // 2:
                    close_cycle(total, places, pair[0], steps, work)
                change = max(change, store(after, total, places, pair, work.found))
            if change <= CLOSE:
                break
        residual = max(residual, change)
    return residual


def sweep(game, after, workspaces):
    """Solve all pairs once, from the target backwards; return the residual of the cycles."""
    rules = rules_of(game)
    registers = registers_of(game)
    most = after.shape[0] - 1
    worst = 0.0
    with ThreadPoolExecutor(THREADS) as threads:
        for total in range(2, 2 * most + 1):
            least, half = max(1, total - most), total // 2
            edges = np.unique(np.linspace(least, half + 1, THREADS + 1).astype(int))
            parts = [(int(first), int(last) - 1) for first, last in pairwise(edges)]
            solve = partial(solve_places, rules, registers, after, game.target, total)
            worst = max(worst, *threads.map(solve, parts, workspaces))
    return worst


def without_dominated(game):
    """The game without choices that another one makes useless: as many points or more in the same mode.

    A player with more points in the same state can do as the player with fewer would do, and is never behind, so these
    choices change no value. Outcomes with the same choices are merged.
    """

    def merged(mode):
        chances = {}
        for outcome in mode.outcomes:
            most = {}
            for choice in sorted(outcome.choices, key=lambda choice: choice.points):
                most[choice.mode] = choice
            result = tuple(most.values()) or outcome.result
            chances[result] = chances.get(result, 0) + outcome.probability
        return replace(
            mode, outcomes=[Outcome(chance, result) for result, chance in chances.items()]
        )

    return replace(game, modes=tuple(map(merged, game.modes)))


def first_guess(game):
    """The values of :func:`sweep`, as if there were no registers: by the rules in the first player's first turn."""
    most, size = game.target - game.lowest, len(game.registers)
    after = np.full((most + 1, size, size, most + 1), 0.5)
    first = game.mode(game.registers[0].mode)
    modes = game.modes[first], *game.modes[:first], *game.modes[first + 1 :]
    with suppress(ValueError):  # rules without a way to score where no register begins
        plain = Game(game.name, most, modes)
        after[1:, :, :, 1:] = 1.0 - solve_race(plain).values[::-1, None, None, ::-1]
    return after


def growth_of_errors(game, after, workspaces):
    """How many times the last change of a sweep the values may be off; `after` has the solution, and is overwritten.

    Infinite where sweeps leave all of an error, as far as float64 can tell.
    """
    found, worst, inner = (
        after.copy(),
        0.0,
        (slice(1, None), ..., slice(1, None)),
    )  # behind 0 points there is no turn
    for nudge in (NUDGE * (found[inner] - 0.5), np.full_like(found[inner], NUDGE)):
        after[...] = found
        after[inner] += nudge
        moved = np.abs(nudge).max()
        total = 1.0
        kept = 0.0
        for number in range(
            MOST_NUDGES if moved else 0
        ):  # where all values are 1/2, nothing moves away from it
            sweep(game, after, workspaces)
            before, moved = moved, np.abs((after - found)[inner]).max()
            kept = moved / before if before else 0.0  # nothing was left to move
            if kept <= 0.5 and number:  # the first sweep may hide an error that lasts
                break
            total += moved / NUDGE
        worst = max(worst, total, total / (1.0 - kept) if kept < 1.0 else np.inf)
    return worst


def check_no_waiting(game):
    """Raise NotImplementedError if a player can wait for ever."""
    if may_be_endless(game):
        raise NotImplementedError(
            f"{game.name}: a player can make sure never to finish; not solved with registers"
        )


def solve_registers(game):
    """Maximise the probability to win a game with registers; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
        With registers.

    Returns
    -------
    Solution
        ``values[own, opponent]`` is by the indices of both scores, see :attr:`dicelab.Game.scores`.

    Raises
    ------
    ConvergenceError
        If the residual is more than 1e-13.
    NotImplementedError
        If a player can make sure never to finish.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.
    """
    most, size = game.target - game.lowest, len(game.registers)
    check_memory(
        30 * 8 * (most * size) ** 2,
        f"solving {game.name} to {game.target}",
        "take a smaller target",
    )
    check_no_waiting(game)
    lean, after = without_dominated(game), first_guess(game)
    workspaces = [new_workspace(lean, most) for _ in range(THREADS)]
    worst = np.inf

    def change(guess):
        nonlocal worst
        after[...] = guess.reshape(after.shape)
        residual = sweep(lean, after, workspaces)
        step = after.ravel() - guess
        worst = max(residual, np.abs(step).max())
        return step

    if game.resets or any(register.penalty for register in game.registers):
        guess = after.ravel().copy()
        settle(change, guess + change(guess), game)
        check_residual(game, worst)
        found = after.copy()
        growth = growth_of_errors(lean, after, workspaces)
        after[...] = found
    else:
        worst, growth = sweep(lean, after, workspaces), 1.0
    check_residual(game, worst)
    by_index = np.ascontiguousarray(after[:0:-1, :, :, :0:-1].transpose(0, 1, 3, 2)).reshape(
        most * size, most * size
    )
    return Solution(
        game=game,
        objective="win",
        values=1.0 - by_index,
        policy=OptimalPolicy(game, partial(register_decisions, game, by_index), NAMES["win"]),
        residual=worst,
        error=growth * (worst + ROUNDING * (2 * most) ** 0.5),
    )


def register_decisions(game, after, pairs, rolls, choices, tie=TIE):
    """Fill in the decisions of turns, as :func:`dicelab.solvers._kernels.greedy_decisions` does.

    Parameters
    ----------
    game : Game
    after : ndarray (S, S)
        ``after[opponent, own]`` is the value of ending a turn at these scores, by their indices in ``game.scores``.
    pairs : ndarray of int (n, 2)
        The indices of own and opponent's scores.
    rolls, choices : ndarray
    tie : float
    """
    rules, scores, (own, opponents) = rules_of(game), scores_of(game), pairs.T
    places = hold_places(game, own)
    hold = np.where(places < 0, -np.inf, after[opponents[:, None], places])
    bust = after[opponents, scores.after_bust[own]]
    reset = after[opponents, scores.begin]
    decide_turns(
        rules,
        hold,
        bust,
        reset,
        1.0,
        scores.missing[own],
        tie,
        new_turn(rules, game.longest),
        rolls,
        choices,
    )


def hold_places(game, own):
    """Where holds lead: places in ``game.scores`` by own place and points missing, (n, longest + 1); or -1."""
    scores = scores_of(game)
    missing = np.arange(game.longest + 1)
    places = (game.longest - missing) * scores.step + scores.after_hold[own][:, None] % scores.step
    most = game.longest - own // scores.step - scores.least_hold[own]  # points missing after a hold
    return np.where((missing > 0) & (missing <= most[:, None]), places, -1)


# One player


def solve_turns_with_registers(game):
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
    """
    rules = rules_of(game)
    turn = new_turn(rules_of(game), game.longest)
    scores = scores_of(game)
    x = np.zeros(len(game.scores))
    places = hold_places(game, np.arange(len(game.scores)))
    reset = scores.begin
    width, residual = rules.beyond.shape[2], np.inf

    def gain(own, bust):
        """R - B - 1 and L of a turn."""
        hold = np.where(places[own] < 0, -np.inf, x[places[own]])
        missing = scores.missing[own]
        backward_pass(rules, hold, Ends(bust, x[reset], 0.0, 0.0), missing, 1, turn)
        at = scores.mode[own], width - 1 + missing
        return turn.value[at] - 1.0, turn.leave[at]

    for _ in range(MOST_SWEEPS):
        before = x.copy()
        for own in reversed(range(len(x))):
            bust = x[scores.after_bust[own]]
            back = scores.after_bust[own] == own
            more, leave = gain(own, bust)
            first = True  # step of Newton's method: it leads below the solution, and later ones up to it
            while back and (first or bust + more / leave > bust):
                bust, first = bust + more / leave, False
                more, leave = gain(own, bust)
            x[own] = bust + more
        residual = float(np.max(np.abs(x - before) / (1.0 - x)))
        if residual <= CLOSE:
            break
    check_residual(game, residual)
    return Solution(
        game=game,
        objective="turns",
        values=-x,
        policy=OptimalPolicy(game, partial(decide_alone, game, x), NAMES["turns"]),
        residual=residual,
        error=ROUNDING * game.longest**0.5 * -x[reset] + 2.0 * residual,
    )


def decide_alone(game, values, pairs, rolls, choices):
    """Fill in the decisions of one player, as :func:`dicelab.solvers._kernels.greedy_decisions` does."""
    rules = rules_of(game)
    scores = scores_of(game)
    own = pairs[:, 0]
    places = hold_places(game, own)
    reset = np.full(len(own), values[scores.begin])
    hold = np.where(places < 0, -np.inf, values[places])
    turn = new_turn(rules, game.longest)
    decide_turns(
        rules,
        hold,
        values[scores.after_bust[own]],
        reset,
        0.0,
        scores.missing[own],
        TIE,
        turn,
        rolls,
        choices,
    )
