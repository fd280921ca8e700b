"""Average reward, by matrices, linear programs and decision processes."""

from fractions import Fraction

import numpy as np
from scipy.optimize import brentq, linprog

from collection import textbook
from collection.course.exercises import coin, faces


def gain(n, die, pause):
    """The points in a unit of time if one holds at n, by how often a turn rolls at each total."""
    up = [0, *die[1:], *[0] * (n + len(die))]
    P = np.array([[up[max(b - a, 0)] for b in range(n + len(die))] for a in range(n)], dtype=float)
    rolls = np.linalg.solve(np.eye(n) - P[:, :n].T, np.eye(n)[0])
    return rolls @ P[:, n:] @ range(n, n + len(die)) / (rolls.sum() + pause)


def best_gain(dice, hold, bust):
    """The least price g of time at which no action makes a profit, by a linear program for g and h, with h(0) = 0."""
    rows = [np.column_stack([np.full(60, hold), np.eye(60)])]  # hold · g + h(k) ≥ k
    for die in dice:  # up to the total 39: (1 + p₀ · bust) · g + h(k) − Σ p h(k + d) ≥ 0
        after = sum(float(p) * np.eye(60, k=face) for face, p in enumerate(die) if face)
        rows += [np.column_stack([np.full(60, 1 + float(die[0]) * bust), np.eye(60) - after])[:40]]
    least = np.array([*range(60), *[0] * (40 * len(dice))])
    bounds = [(0, None), (0, 0), *[(None, None)] * 59]
    return linprog(np.eye(61)[0], -np.vstack(rows), -least, bounds=bounds).fun


def first_hold(die, price, hold, bust):
    """The first total at which one more roll, and then a hold, brings no more than a hold."""
    cost = (1 + die[0] * (bust - hold)) * price
    return next(
        k
        for k in range(1, 99)
        if sum(p * (k + d) for d, p in enumerate(die) if d) - cost <= k + 1e-7
    )


def with_total(die, hold, bust):
    """The best gain, and the total to hold at."""
    best = best_gain([die], hold, bust)
    return [best, first_hold(die, best, hold, bust)]


def swinging(sweeps, swinging_tails):
    """The iterates h of the three states."""
    P = np.array([[0, 1 - swinging_tails, swinging_tails], [1, 0, 0], [1, 0, 0]], dtype=float)
    h = np.zeros(3)
    for _ in range(sweeps):
        h = (h + [0, 1, 0] + P @ h) / 2
    return [min([0, 1, 0] + P @ h - h), max([0, 1, 0] + P @ h - h)]


def discounted(die, unit_discount):
    """The small process, by policy iteration; "lost" is the pause after a bust."""
    rows = {k: {"hold": (-k, {0: unit_discount})} for k in range(1, 40)}
    rows |= {0: {}, "lost": {"pause": (0, {0: unit_discount})}}
    for k in range(30):
        rows[k]["roll"] = (
            0,
            {k + face if face else "lost": unit_discount * p for face, p in enumerate(die)},
        )
    return (
        -float(1 - unit_discount) * textbook.policy_iteration(textbook.DecisionProcess(rows))[0][0]
    )


def machine(n, price, wear=0.5):
    """The cost per day and the relative values h(1), h(2), … of a machine that is replaced at wear n."""
    _, costs, moves = textbook.machine_replacement(1, price=price, wear=wear).matrices()
    policy = [int(s >= n) for s in range(6)]
    A = np.eye(6) - [moves[a].toarray()[s] for s, a in enumerate(policy)]
    A[:, 0] = 1
    return np.linalg.solve(A, costs[policy, range(6)])


def tie(one, two):
    """Where two functions are equal."""
    return brentq(lambda x: one(x) - two(x), 0, 1000)


WAYS = {
    "8.1": lambda die, turn_pause: [
        gain(1, die, turn_pause),
        first_hold(die, gain(1, die, turn_pause), turn_pause, turn_pause),
    ],
    "8.2": lambda die, tied_total: tie(
        lambda pause: gain(tied_total, die, pause), lambda pause: gain(tied_total + 1, die, pause)
    ),
    "8.3": lambda probabilities, pause: with_total([*map(Fraction, probabilities)], pause, pause),
    "8.4": swinging,
    "8.5": lambda die, writing_time: with_total(die, writing_time, 0),
    "8.6": discounted,
    "8.7": lambda replaced_at, daily_wear: [
        tie(lambda q: machine(n, q, daily_wear)[0], lambda q: machine(n + 1, q, daily_wear)[0])  # noqa: B023
        for n in (replaced_at - 1, replaced_at)
    ],
    "8.h1": lambda pause, die: best_gain([die, faces(0, 0, 6, 6, 8, 10)], pause, pause),
    "8.h2": lambda die, turn_pause: [
        sorted(range(1, 30), key=lambda n: gain(n, die, turn_pause))[-2],
        1000 * (np.diff(sorted(gain(n, die, turn_pause) for n in range(1, 30))[-2:])[0]),
    ],
    "8.x1": lambda renewal_price: [
        *machine(2, renewal_price)[:3],
        2 + sum(machine(2, renewal_price)[2:4]) / 2,
        renewal_price + machine(2, renewal_price)[1] / 2,
    ],
    "8.x2": lambda work_pays, lasting_pay, waiting_days: [
        lasting_pay,
        lasting_pay,
        work_pays
        - lasting_pay
        + sum((1 - 1 / waiting_days) ** n * (lasting_pay - 1) for n in range(2000)),
    ],
    "8.x3": lambda even_tails, even_pause: [
        gain(1, coin(even_tails), even_pause),
        gain(2, coin(even_tails), even_pause),
        tie(
            lambda pause: gain(1, coin(even_tails), pause),
            lambda pause: gain(2, coin(even_tails), pause),
        ),
        tie(
            lambda k: k,
            lambda k: (1 - even_tails) * (k + 1) - gain(2, coin(even_tails), even_pause),
        ),
    ],
}
