"""What resets and penalties lead back to: a fixed point of a sweep, how errors grow in it, and linear equations."""

import numpy as np

from .._accuracy import SETTLED

__all__ = ["growth_of", "settle", "solve_linear"]

NUDGE, NUDGES = 1e-6, 8  # to see how errors grow


def settle(step, z, memory=10, rounds=400):
    """Anderson's acceleration of z ← step(z), until each x changes by at most (1 + |x|)·4e-15: the last change."""
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
    return abs(change).max()


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
