"""What resets and penalties lead back to: a fixed point of a sweep, how errors grow in it, and linear equations."""

from heapq import heappop, heappush

import numpy as np

from .._accuracy import SETTLED

__all__ = ["eliminate", "growth_of", "settle", "solve_linear"]

NUDGE, NUDGES = 1e-6, 8  # to see how errors grow


def settle(step, z, memory=10, rounds=400):
    """Anderson's acceleration of z ← step(z), until each x changes by at most (1 + |x|)·4e-15: z, the last change."""
    tried, changes = [], []
    for k in range(rounds):
        change = step(z) - z
        weight = 1 / (1 + abs(z))
        if (abs(change) * weight).max() <= SETTLED:
            break
        tried, changes = [*tried[-memory:], z], [*changes[-memory:], change]
        z = z + change
        if k and (abs(change) * weight < 0.1).all():  # near enough for an extrapolation
            d, e = np.diff(tried, axis=0), np.diff(changes, axis=0)
            z = z - (d + e).T @ np.linalg.lstsq((e * weight).T, change * weight, rcond=None)[0]
    return z, abs(change).max()


def growth_of(step, z):
    """How often an error of z counts where z = step(z): all are moved, and what is left after each step is added up.

    From a step on that leaves at most half of what the one before had left, and from the last one on, the same share is
    taken to be left.
    """
    unit = NUDGE * (1 + abs(z))
    moved, left, growth = z + unit, 1.0, 0.0
    for _ in range(NUDGES):
        growth += left
        moved, before = step(moved), left
        left = (abs(moved - z) / unit).max()
        if left <= before / 2:
            break
    return growth + left / (1 - left / before) if left < before else np.inf


def solve_linear(rows, right):
    """x of rows·x = right, in numbers of any kind, by elimination."""
    room = np.column_stack([rows, right])
    for i in range(len(room)):
        pivot = next(k for k in range(i, len(room)) if room[k, i] != 0)
        room[[i, pivot]] = room[[pivot, i]]
        room[i] = room[i] / room[i, i]
        for k in range(len(room)):
            if k != i and room[k, i] != 0:
                room[k] = room[k] - room[k, i] * room[i]
    return room[:, -1]


def eliminate(rows, right):
    """The rows X of a sparse linear system in fractions.

    Of the equations that are left the shortest is solved for one of its unknowns. So a system without a circle, in
    which unknowns depend on later ones only, takes as many steps as it has numbers.

    Parameters
    ----------
    rows : sequence of dict
        By equation, the coefficients by unknown: 0, …, n - 1.
    right : sequence of list
        By equation, the right sides.
    """
    rows = [{k: number for k, number in row.items() if number} for row in rows]
    right = [list(given) for given in right]
    having = [set() for _ in rows]  # by unknown, the equations left that have it
    for i, row in enumerate(rows):
        for k in row:
            having[k].add(i)
    shortest = sorted((len(row), i) for i, row in enumerate(rows))  # a heap
    pivots, done = {}, set()
    while shortest:
        length, i = heappop(shortest)
        if i in done or length != len(rows[i]):
            continue  # an entry from before the equation changed
        k = min(rows[i], key=lambda k: len(having[k]))
        pivots[k] = i
        done.add(i)
        for unknown in rows[i]:
            having[unknown].discard(i)
        scale = rows[i].pop(k)
        rows[i] = {unknown: number / scale for unknown, number in rows[i].items()}
        right[i] = [number / scale for number in right[i]]
        for other in having[k]:
            weight = rows[other].pop(k)
            for unknown, number in rows[i].items():
                rest = rows[other].get(unknown, 0) - weight * number
                if rest:
                    rows[other][unknown] = rest
                    having[unknown].add(other)
                else:
                    del rows[other][unknown]
                    having[unknown].discard(other)
            right[other] = [x - weight * y for x, y in zip(right[other], right[i], strict=True)]
            heappush(shortest, (len(rows[other]), other))
    found = {}
    for k, i in reversed(pivots.items()):
        for unknown, number in rows[i].items():
            right[i] = [x - number * y for x, y in zip(right[i], found[unknown], strict=True)]
        found[k] = right[i]
    return [found[k] for k in range(len(rows))]
