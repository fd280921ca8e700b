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
    # Row 6 + r: r points missing.
    w, s = np.ones((width + 7, need.size)), np.zeros((width + 7, need.size))
    for r in range(1, width + 1):
        roll = ((1 - y) + w[r : r + 5].sum(axis=0)) / 6
        tilt = (1 + s[r : r + 5].sum(axis=0)) / 6
        holds = (r < need) & (1 - value[other, np.minimum(r, need)] >= roll)
        w[6 + r], s[6 + r] = (
            np.where(holds, 1 - value[other, np.minimum(r, need)], roll),
            np.where(holds, 0, tilt),
        )
    return w[6 + need, np.arange(need.size)], s[6 + need, np.arange(need.size)]


def three_player_values(target):
    """Everybody's chances with three players, by strategy iteration: an array (target + 1,) * 3 + (3,), by needs.

    All triples of one sum at once: best turns against the bust values of before, and the chances that they lead to,
    until none moves. Also returns the triples of which the iteration has not settled after 100 steps.
    """
    value, unsettled = np.zeros((target + 1,) * 3 + (3,)), []
    for total in range(3, 3 * target + 1):
        first, second = np.indices((target, target)).reshape(2, -1) + 1
        inside = (total - first - second >= 1) & (total - first - second <= target)
        needs = np.stack([first, second, total - first - second])[:, inside]
        place = np.zeros((target + 1,) * 2, dtype=int)
        place[needs[0], needs[1]] = np.arange(needs.shape[1])
        one = place[needs[1], needs[2]]  # the triple after a bust,
        two = one[one]  # and after another one
        chance, moving = np.full((needs.shape[1], 3), 1 / 3), np.arange(needs.shape[1])  # by seat
        for _ in range(100):
            c = np.zeros((needs.shape[1], 3))
            bust = np.zeros(needs.shape[1])
            c[moving], bust[moving] = _three_player_turn(
                value, needs[:, moving], chance[one[moving], 2]
            )
            after = c[one][:, [2, 0, 1]] + bust[one, None] * c[two][:, [1, 2, 0]]
            new = (c + bust[:, None] * after) / (1 - bust * bust[one] * bust[two])[:, None]
            moved = np.abs(new - chance).max(axis=1)
            chance[moving] = new[moving]
            moving = moving[(np.maximum(moved, np.maximum(moved[one], moved[two])) > 1e-14)[moving]]
            if not moving.size:
                break
        unsettled += needs[:, moving].T.tolist()
        value[*needs] = chance
    return value, unsettled


def _three_player_turn(value, needs, z):
    """Everybody's chances without a bust, by seat, and the probability of a bust, of best turns at bust values `z`."""
    own, width = needs[0], needs[0].max()
    w = np.ones((width + 7, z.size))
    bust = np.zeros((width + 7, z.size))
    c = np.zeros((width + 7, z.size, 3))
    c[:7, :, 0] = 1
    for r in range(1, width + 1):
        held = value[needs[1], needs[2], np.minimum(r, own)][:, [2, 0, 1]]
        roll, holds = (z + w[r : r + 5].sum(axis=0)) / 6, r < own
        holds &= held[:, 0] >= roll
        w[6 + r], bust[6 + r] = (
            np.where(holds, held[:, 0], roll),
            np.where(holds, 0, (1 + bust[r : r + 5].sum(axis=0)) / 6),
        )
        c[6 + r] = np.where(holds[:, None], held, c[r : r + 5].sum(axis=0) / 6)
    return c[6 + own, np.arange(z.size)], bust[6 + own, np.arange(z.size)]


if __name__ == "__main__":
    target = int(sys.argv[1])
    print(f"Pig to {target}: {pig_values(target)[target, target]:.14f}")
