"""Turns with one die evaluated side by side, by what rolling gains; compiled.

The *gain* of a turn total is by how much it is worth more than a hold, with r points missing W(r) - hold[r] in the
notation of :mod:`dicelab.turn`. Let E(r) be by how much a roll is worth more than a hold, busts apart, if then every
hold is made. Then the Bellman equation is

    gain(r) = max(0, E(r) + bust·B + Σ p(k)·gain(r - k)),

and E knows neither B nor the turn total, so that all turns against the same opponent share it: `gain`, an array like
``table.hold``. Where holds are known to be made the gains are 0, and `value` says so before the walk begins. All else
is as in :mod:`dicelab.lanes`, whose general walk this one must agree with.
"""

import numpy as np

from .lanes import BUST, LAST, RESET, ROW, gather, ready
from .table import LANES, place
from .turn import SIX, SLACK, inlined, inner

__all__ = ["walk_gains"]

LEAVE, SAFE = np.uint64(LANES), np.uint64(2 * LANES)  # places in a row of gains
LEAST = RESET  # on the slate, where E has what resets are worth in it: float64 tells no smaller gain from nothing
ROW1, ROW2, ROW3, ROW4, ROW5, ROW6 = (np.uint64(k * ROW) for k in range(1, SIX + 1))


@inlined
def roll(rules, value, slate, gains, row, begun, t, k):
    """Roll or hold at the turn total `k`: fill row `t` of `value`; E of lane 0 is ``gains[row, begun]``."""
    anew, forced, start, weight = rules.reset[0], k == 0, np.uint64(t) * ROW1, rules.weight
    p1, p2, p3, p4, p5, p6 = weight[0, 0], weight[0, 1], weight[0, 2], weight[0, 3], weight[0, 4], weight[0, 5]
    for number in range(LANES):
        lane = np.uint64(number)
        i, j = start + lane, start + LEAVE + lane
        gain = (gains[row, begun + lane] + slate[BUST + lane]) + (p4 * value[i - ROW4] + p3 * value[i - ROW3])
        gain += (p6 * value[i - ROW6] + p5 * value[i - ROW5]) + (p2 * value[i - ROW2] + p1 * value[i - ROW1])
        leave = anew + (p4 * value[j - ROW4] + p3 * value[j - ROW3])
        leave += (p6 * value[j - ROW6] + p5 * value[j - ROW5]) + (p2 * value[j - ROW2] + p1 * value[j - ROW1])
        walked = k <= slate[LAST + lane]
        rolls = (gain > slate[LEAST + lane]) & walked | forced
        value[i], value[j] = gain if rolls else 0.0, leave if rolls else 1.0
        ahead = abs(gain) if walked & (not forced) else np.inf
        value[i + SAFE] = min(value[i + SAFE - ROW1], ahead)


@inner
def walk_gains(rules, table, gain, lanes, turns):
    """Evaluate a turn in every lane as :func:`dicelab.lanes.walk_lanes` does, filling ``lanes.value`` with gains."""
    missing, rows, _, bust, above, leave, safe, value, slate, gathered = lanes
    steps, _, successive = ready(table, lanes, turns)
    gains, begun = (gain, rows[0]) if successive else (gathered, 0)
    before, scores = rules.beyond.shape[2] + SIX - 1, rules.reset[0]
    for points in range(SIX):
        scores += rules.weight[0, points]
    start = np.uint64(before - 1) * ROW1
    for number in range(LANES):
        lane = np.uint64(number)
        slate[BUST + lane] = rules.bust[0] * bust[lane]
        slate[LEAST + lane] = SLACK * abs(slate[BUST + lane])
        value[0, start + SAFE + lane] = np.inf
    for t in range(before, before + steps + 1):
        k = before + steps - t  # the turn total
        for lane in range(LANES if k == 0 else 0):  # E is the value of a roll now, which counts above the bust value
            slate[BUST + lane] = -scores * bust[lane]
        row = place(table, missing[0] + rows[0] - k)
        if not successive:
            gather(gain, row, lanes)
        roll(rules, value[0], slate, gains, np.uint64(row if successive else 0), np.uint64(begun), t, k)
    start = np.uint64(before + steps) * ROW1
    for number in range(LANES):
        lane = np.uint64(number)
        above[lane], leave[lane] = value[0, start + lane], value[0, start + LEAVE + lane]
        safe[lane] = value[0, start + SAFE + lane]
    return steps
