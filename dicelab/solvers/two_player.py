"""Two players: the objectives "win" and "margin", by pairs of scores solved backwards from the target.

V(a, b) is the value to the player about to move who needs a points, the opponent needing b. This module counts points
still needed; a solution is indexed by points scored, i = target - a. A result of value v to one player is worth c - v
to the other: c = 1 if V is the probability to win, and c = 0 if it is the expected margin, where the loser pays the
winner what the loser still needs. Holding with r points missing is worth c - V(b, r), a bust c - V(b, a), the finish 1
or b. So the turn operator makes, for the two scores of a pair,

    x = V(a, b) = f(y),    y = V(b, a) = g(x),

where f and g are convex, piecewise linear, decreasing, with slopes in [-1, 0]. Everything else that they depend on
belongs to pairs with fewer points missing (Crocce and Mordecki 2018, Proposition 1). Margins are counted in targets,
so that all values are of the order of 1. How a pair is solved, and when that stops, is in
:mod:`dicelab.solvers._kernels`.

**Error.** The residual is how far x = f(y) and y = g(x) are from agreeing; above 1e-13 the solver raises
:class:`dicelab._accuracy.ConvergenceError`. A pair's values are off by a few units in the last place, since no digits
cancel, and by the errors of the values they are made of. These are averages, so that rounding errors add up like a
random walk through the 2·N sums of scores, by their root. Errors of the reset values come in addition. That is the
solution's `error`, an estimate.

**Endless play.** If the target must be hit exactly, two players may both be unable ever to finish, as with one point
missing each in Pig; or both may wait. Then f and g have slope -1 and x = c - y and y = c - x have no unique solution.
Such play is scored as a draw, c/2 to each.

**Order.** Pairs with the same a + b do not depend on each other. Nor do certain tiles of 96 by 96 pairs
(:func:`wavefront_tiles`), which are solved at the same time, on all cores. The result does not depend on the number of
cores.

**Resets.** A reset by a player whose opponent needs b leaves the opponent with V(b, N). These N values are not known
when the pairs are solved; given guesses, one sweep over all pairs gives new ones. A fixed point satisfies the Bellman
equation everywhere, and is unique, as play ends with probability 1. Sweeps are repeated with Anderson's acceleration
(scipy's) until the values change by at most 4e-15: some 13 times for two dice. The last change counts in `residual`.
The equation may have solutions outside the range of possible values; the reset values are kept within it.
"""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np

from .._accuracy import (
    CLOSE,
    SETTLED,
    TIE,
    TIME,
    check_residual,
    settle,
)
from .._limits import THREADS, check_memory, progress
from .._shown import title_of
from ..games.absorption import choices_are_ranked
from ..games.model import RESET
from ._kernels import (
    LANES,
    SIX,
    STRIDE,
    before_turn,
    new_table,
    new_workspace,
    payoffs_of,
    rules_of,
    solve_tile,
)

__all__ = ["solve_pairs_of_scores"]

MOST_SWEEPS = 1000  # where a player may wait for a reset
TILE = 96  # pairs on a side that one core takes at a time


def wavefront_tiles(target):
    """The tiles of all pairs: two dicts by place and block, the second to be solved after the first.

    A tile is three ranges, of the fewer and of the more points needed, and of their sums: 96 sums, which are its place,
    and of each 96 neighbouring pairs, which are its block, with the same a up to the sum N + 1, and the same b from
    there on, as N bounds b. It can be solved after (place - 1, block) and (place, block - 1), which stand before it.
    Two that need not wait for each other share no need of a player: the one with the larger sums has the smaller a in
    the first half, so that b is larger, and the smaller b in the second, so that a is larger. A short race is one tile.
    """
    halves, every = [], (1, target)
    if target <= 3 * TILE:
        return [{(0, 0): (every, every, (2, 2 * target))}]
    for rising, sums in (
        (True, range(2, target + 2, TILE)),
        (False, range(target + 2, 2 * target + 1, TILE)),
    ):
        half = {}
        for place, start in enumerate(sums):
            totals = start, min(start + TILE, sums.stop) - 1
            for block, least in enumerate(range(1, target + 1, TILE)):
                needs = least, min(least + TILE - 1, target)
                if rising and 2 * least <= totals[1]:
                    half[place, block] = needs, every, totals
                elif not rising and 2 * needs[1] >= start:
                    half[place, block] = every, needs, totals
        halves.append(dict(sorted(half.items(), key=lambda tile: sum(tile[0]))))
    return halves


def sweep_pairs(game, payoffs, at_start, earlier=None):
    """Solve all pairs, if a reset leaves the opponent who needs b with V(b, N) = ``at_start[b - 1]``.

    Parameters
    ----------
    game : Game
    payoffs : Payoffs
    at_start : ndarray (N,)
    earlier : Table, optional
        Of an earlier sweep; its values are the first guesses, and its arrays are overwritten.

    Returns
    -------
    table : Table
    residual : float
        The largest of all pairs.
    evaluations, walked : int
        Turns evaluated, and turn totals walked in them.
    """
    rules, target = rules_of(game), game.target
    halves = wavefront_tiles(target)
    table = new_table(rules, payoffs, at_start, earlier)
    workspaces = [new_workspace(rules, target) for _ in range(THREADS if len(halves) > 1 else 1)]

    def solve(tile, before, done):
        for other in before:
            other.wait()
        work = workspaces.pop()
        try:
            return solve_tile(rules, table, work, *tile)
        finally:
            workspaces.append(work)
            done.set()

    def solved(each):
        for half in halves:
            done = {key: Event() for key in half}
            near = ([(place - 1, block), (place, block - 1)] for place, block in half)
            before = ([done[key] for key in keys if key in done] for keys in near)
            yield from each(solve, half.values(), before, done.values())

    if len(halves) == 1:
        return table, *solve_tile(rules, table, workspaces[0], *halves[0][0, 0])
    with ThreadPoolExecutor(THREADS) as threads:
        tiles = solved(threads.map)
        found = list(
            progress(tiles, title_of(game), "tile", sum(map(len, halves)))
            if target > 10 * TILE
            else tiles
        )
    residuals, evaluations, walked = zip(*found, strict=True)
    return table, max(residuals), sum(evaluations), sum(walked)


def solve_pairs_and_resets(game, payoffs, start, plain=False):
    """All pairs solved, and the reset values iterated from the guess `start` to their fixed point.

    Where a player may wait, every value above the right one is a fixed point, too: to wait for it is worth as much. So
    the iteration must come from below, as from discounted values, and be `plain`: extrapolation might step over it.

    Returns
    -------
    table : Table
    at_start : ndarray (N,)
        V(b, N).
    residual : float
    evaluations, walked : int
        Of the last sweep.

    Raises
    ------
    ConvergenceError
        If the residual is more than 1e-13.
    """
    low, high = payoffs.constant_sum - payoffs.most, payoffs.most
    found, worst = (None,), np.inf

    def change(at_start):
        nonlocal found, worst
        table, *more = found = sweep_pairs(game, payoffs, at_start.clip(low, high), found[0])
        step = before_turn(payoffs, table.by_score[::-1, 0]) - at_start
        worst = max(more[0], np.abs(step).max() if game.resets else 0.0)
        return step

    step = change(start)
    if game.resets and not plain:
        start = settle(change, start + step, game)
    moved = np.inf
    for _ in range(MOST_SWEEPS if plain else 0):
        before, moved = moved, np.abs(step).max()
        if moved <= CLOSE or before <= moved <= SETTLED:  # roundings are left
            break
        start = start + step
        step = change(start)
    check_residual(game, worst, 1 if payoffs.constant_sum else game.target)
    table, _, evaluations, walked = found
    return table, start.clip(low, high), worst, evaluations, walked


def race_bytes(game):
    """About the memory that solving a race takes at its peak."""
    size, modes, width = game.target + 1, len(game.modes), game.most_points
    once = 0 if all(mode.may_hold for mode in game.modes) else 2 * modes * (size + width)
    # Half of it is never touched; huge pages may take it all.
    table = (2 * size + width + SIX) * (size + LANES)
    turns = THREADS * ((STRIDE + 4) * modes + LANES) * (size + width)
    return 8 * (table + size * (size + once) + turns)


def solve_pairs_of_scores(game, objective, overshoot):
    """The values of a race without registers, roles and last turns.

    Returns
    -------
    after : ndarray (1, N, N)
        c - V by the opponent's score and the own.
    residual : float
    ties : dict
        What :func:`dicelab.solvers._kernels.decide_positions` is told of actions of equal value.
    counts : dict
        Of turns that were evaluated and of turn totals that were walked, in the last sweep.

    Raises
    ------
    ConvergenceError
        If the residual is more than 1e-13.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes, and points there count.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.
    """
    check_memory(race_bytes(game), f"solving {game.name} to {game.target}", "take a smaller target")
    if overshoot and choices_are_ranked(game):
        raise NotImplementedError(
            f"{game.name}: choices beyond the target are not ranked by the points they bring"
        )
    payoffs = payoffs_of(game, objective, overshoot)
    start = np.full(game.target, 0.5 * payoffs.constant_sum)
    second = None
    if game.resets and rules_of(game).may_stall:
        hurried = payoffs._replace(discount=1.0 - TIME)
        soon, start, *_ = solve_pairs_and_resets(game, hurried, start)
        second = hurried, soon.by_score[None]
    table, _, residual, evaluations, walked = solve_pairs_and_resets(
        game, payoffs, start, plain=second is not None
    )
    # A tie counts once a reset.
    tie = (
        TIE
        if second or not game.resets
        else max(CLOSE, TIE * float(1 - game.modes[0].chance(RESET)))
    )
    counts = {"evaluations": evaluations, "walked": walked}
    return table.by_score[None], residual, {"discounted": second, "tie": tie}, counts
