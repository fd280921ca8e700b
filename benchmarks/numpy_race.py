"""Pig in plain NumPy, sharing no code with the package: the baseline of the benchmarks, and a second opinion.

All pairs of scores with the same sum at once; for them, backwards over the turn total with exact slopes; Newton steps
on both values of every pair until none moves. Every turn total of every pair is walked.
"""

import sys

import numpy as np


def pig_values(target):
    """The value of Pig by points needed: an array (target + 1, target + 1), [player to move, opponent]."""
    value = np.zeros((target + 1, target + 1))
    for total in range(2, 2 * target + 1):
        need = np.arange(max(1, total - target), min(target, total - 1) + 1)
        other = total - need
        x = np.full(need.size, 0.5)
        while True:
            worth, slope = _turn(value, need, other, x[::-1])
            # x = worth - slope·(y - y₀) and the mirrored equation for y, linear for the decisions taken
            w, s = worth + slope * x[::-1], slope
            new = (w - s * w[::-1]) / (1 - s * s[::-1])
            moved, x = np.abs(new - x).max(), new
            if moved < 1e-14:
                break
        value[need, other] = x
    return value


def _turn(value, need, other, y):
    """Value of a turn at bust value 1 - y, and minus its slope in y, for all pairs of one sum."""
    width = need.max()
    w, s = np.ones((width + 7, need.size)), np.zeros((width + 7, need.size))  # row 6 + r: r points missing
    for r in range(1, width + 1):
        roll = ((1 - y) + w[r : r + 5].sum(axis=0)) / 6
        tilt = (1 + s[r : r + 5].sum(axis=0)) / 6
        holds = (r < need) & (1 - value[other, np.minimum(r, need)] >= roll)
        w[6 + r], s[6 + r] = np.where(holds, 1 - value[other, np.minimum(r, need)], roll), np.where(holds, 0, tilt)
    return w[6 + need, np.arange(need.size)], s[6 + need, np.arange(need.size)]


if __name__ == "__main__":
    target = int(sys.argv[1])
    print(f"Pig to {target}: {pig_values(target)[target, target]:.14f}")
