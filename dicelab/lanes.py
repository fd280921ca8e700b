"""Turns evaluated side by side: the walk of :mod:`dicelab.turn` for sixteen of them in lock step; compiled.

Each turn has a *lane*, and what is done for all lanes at a turn total is a loop of fixed length over neighbouring
numbers, of which the compiler makes vectors. Turns end together, at their start; the longest walk begins first. A lane
that begins before its turn has to is right all the same, as holds are worth what they are.

No array is bound to a second name while lanes are walked: numba would count references, atomically, at every total.
"""

from typing import NamedTuple

import numpy as np

from .turn import compiled, past_target

__all__ = ["LANES", "Lanes", "new_lanes", "walk_lanes"]

LANES = 16


class Lanes(NamedTuple):
    """The turns evaluated side by side: arrays (LANES,) if nothing else is said."""

    missing: np.ndarray  # points missing
    rows: np.ndarray  # what the opponent needs
    first: np.ndarray  # where the walk begins
    bust: np.ndarray  # what a bust is worth
    worth: np.ndarray  # found: what the turn is worth,
    slope: np.ndarray  # its slope in the bust value, and
    safe: np.ndarray  # the least advantage of a decision over its alternative
    value: np.ndarray  # (M, ≥ P + N, 2·LANES) found: W and its slopes, by steps from where the first lane begins
    start: np.ndarray  # (M, 2·LANES) scratch: what of a roll does not depend on the total, and its slope
    best: np.ndarray  # (2·LANES,) scratch: what the best choice is worth
    held: np.ndarray  # scratch: what a hold is worth
    place: np.ndarray  # scratch: where in the flat table of holds the turn starts


def new_lanes(modes, totals):
    """Arrays for turns of up to `totals` totals."""
    missing, rows, first, place = np.empty((4, LANES), dtype=np.int64)
    bust, worth, slope, safe, held = np.empty((5, LANES))
    scratch = np.empty((modes, 2 * LANES)), np.empty(2 * LANES), held, place
    return Lanes(missing, rows, first, bust, worth, slope, safe, np.empty((modes, totals, 2 * LANES)), *scratch)


@compiled
def walk_lanes(rules, table, stakes, lanes):
    """Evaluate a turn in every lane, filling ``lanes.worth``, ``slope``, ``safe`` and ``value``.

    Parameters
    ----------
    rules : Rules
    table : dicelab.pairs.Table
    stakes : dicelab.pairs.Stakes
    lanes : Lanes

    Returns
    -------
    steps : int
        Totals walked by the lane that begins first; column P + steps of ``lanes.value`` is the turns' start.
    """
    modes, width = rules.beyond.shape[1:3]
    fives, weight, onward, outcomes, several = rules.fives, rules.weight, rules.onward, rules.outcomes, rules.several
    probability, choices, points, mode = rules.probability, rules.choices, rules.points, rules.mode
    missing, rows, first, bust, worth, slope, safe, value, start, best, held, place = lanes
    flat, size, may_hold = table.hold.ravel(), table.hold.shape[1], rules.may_hold
    steps, soonest, shortest = 0, missing[0], missing[0]
    for lane in range(LANES):
        soonest = min(soonest, missing[lane] - first[lane])
        steps, shortest = max(steps, missing[lane] - first[lane]), min(shortest, missing[lane])
        place[lane], safe[lane] = rows[lane] * size + missing[lane], np.inf
        for m in range(modes):
            start[m, lane] = rules.bust[m] * bust[lane] + rules.reset[m] * table.reset[rows[lane]]
            start[m, LANES + lane] = rules.bust[m]
    for t in range(width + steps + 1):
        k = width + steps - t  # the turn total
        for lane in range(LANES):
            held[lane] = flat[place[lane] - k]
        if k >= shortest:
            for lane in range(LANES):
                held[lane] = np.inf if missing[lane] <= k else held[lane]
        for m in range(modes - 1 if t >= width else -1, -1, -1):
            here, lost = value[m, t], start[m]
            for lane in range(2 * LANES):
                here[lane] = lost[lane]
            for g in range(fives[m], fives[m + 1]):  # five at a time, as sums then are loaded and stored less often
                p0, p1, p2, p3, p4 = weight[g, 0], weight[g, 1], weight[g, 2], weight[g, 3], weight[g, 4]
                w0, w1 = value[onward[g, 0, 0], t - onward[g, 0, 1]], value[onward[g, 1, 0], t - onward[g, 1, 1]]
                w2, w3 = value[onward[g, 2, 0], t - onward[g, 2, 1]], value[onward[g, 3, 0], t - onward[g, 3, 1]]
                w4 = value[onward[g, 4, 0], t - onward[g, 4, 1]]
                for lane in range(2 * LANES):
                    ahead = p0 * w0[lane] + p1 * w1[lane] + p2 * w2[lane] + p3 * w3[lane] + p4 * w4[lane]
                    here[lane] += ahead
            for o in range(several[m], outcomes[m + 1]):
                c, p = choices[o], probability[o]
                first_choice = value[mode[c], t - points[c]]
                for lane in range(2 * LANES):
                    best[lane] = first_choice[lane]
                for d in range(c + 1, choices[o + 1]):
                    other = value[mode[d], t - points[d]]
                    for lane in range(LANES):
                        ahead = other[lane] - best[lane]
                        gap = abs(ahead) if other[LANES + lane] != best[LANES + lane] else np.inf
                        safe[lane] = gap if gap < safe[lane] else safe[lane]
                        best[lane] = other[lane] if ahead > 0.0 else best[lane]
                        best[LANES + lane] = other[LANES + lane] if ahead > 0.0 else best[LANES + lane]
                for lane in range(2 * LANES):
                    here[lane] += p * best[lane]
            if may_hold[m] and k > 0:
                for lane in range(LANES):
                    ahead = here[lane] - held[lane]
                    gap = abs(ahead)
                    safe[lane] = gap if gap < safe[lane] else safe[lane]
                    here[lane] = here[lane] if ahead > 0.0 else held[lane]
                    here[LANES + lane] = here[LANES + lane] if ahead > 0.0 else 0.0
        for m in range(modes if t < width else 0):
            here = value[m, t]
            for lane in range(LANES):
                here[lane], here[LANES + lane] = held[lane], 0.0
            for lane in range(LANES if rules.skips and not may_hold[m] else 0):
                at = max(width - 1 + missing[lane] - k, 0)
                here[lane] = table.once[m, rows[lane], at] + rules.falls[m, at] * bust[lane]
                here[LANES + lane] = rules.falls[m, at]
        if k > soonest:
            for lane in range(LANES):  # not yet of this lane's turn
                safe[lane] = np.inf if k > missing[lane] - first[lane] else safe[lane]
        if k >= shortest:
            for lane in range(LANES):
                r, b = missing[lane] - k, rows[lane]
                for m in range(modes if -width < r <= 0 else 0):
                    value[m, t, lane], value[m, t, LANES + lane] = past_target(
                        rules, m, r, bust[lane], table.reset[b], stakes.finish[b], stakes.over
                    )
    for lane in range(LANES):
        worth[lane], slope[lane] = value[0, width + steps, lane], value[0, width + steps, LANES + lane]
    return steps
