"""Approximation by many projected steps, and policy gradients by a complex step, which rounds nothing away."""

from itertools import accumulate, repeat

import numpy as np
from scipy.optimize import minimize_scalar

from collection.course.exercises import coin


def fitted(P, costs, X, weights, sweeps, fitted_start=0):
    """The normal equations: one step is affine, so that many are the power of a matrix."""
    X, left = np.array(X), np.transpose(X) * np.array(weights, dtype=float)
    step = np.linalg.solve(left @ X, left @ np.column_stack([P @ X, costs]))
    power = np.linalg.matrix_power(np.vstack([step, np.eye(1 + len(step))[-1]]), sweeps)
    return (power @ [*[fitted_start] * len(step), 1])[:-1]


def shrinks(go_on, weights, c=2):
    """What a projected Bellman step makes of θ = 1 in the example with two states."""
    return fitted([[0, float(go_on)]] * 2, [0, 0], [[1], [c]], weights, 1, 1)[0]


def iterated(P, costs, X, start, weight=0, steps=900):
    """Proposition 1 for TD(λ): the mean of the returns of all lengths, then project, again and again."""
    powers = list(accumulate(repeat(np.array(P), steps), np.matmul, initial=np.eye(len(P))))
    returns = np.tensordot(float(weight) ** np.arange(steps + 1), powers, 1)
    visits = start @ np.sum(powers, axis=0)
    return fitted((1 - weight) * returns @ P, returns @ costs, X, visits, steps)


def points(die, theta1, theta2, unit):
    """The expected points of a turn with a soft threshold, forward, by the totals at which one holds."""
    k, die = np.arange(150), np.array(die, dtype=float)
    roll = np.where(k == 0, 1, 1 / (1 + np.exp(-theta1 - theta2 * k / unit)))
    at = np.eye(1, len(k) + len(die), dtype=complex)[0]
    for s in k:
        at[s + 1 : s + len(die)] += at[s] * roll[s] * die[1:]
    return at[: len(k)] * (1 - roll) @ k


def gradient(die, theta1, theta2, unit=1):
    """The points, and their derivatives by tiny steps in the direction of the imaginary axis."""
    found = [
        points(die, theta1 + one, theta2 + two, unit) for one, two in ((1e-30j, 0), (0, 1e-30j))
    ]
    return [found[0].real, *np.imag(found) / 1e-30]


def queue(limit, served_price):
    """The queue from its description: events are arrivals and ends of services, each with probability 1/2."""
    P, costs = np.zeros((18, 18)), np.zeros(18)
    for n, at_door in np.ndindex(9, 2):
        after = n + (at_door and n < limit)
        costs[2 * n + at_door] = after - served_price * (after - n)
        P[2 * n + at_door, [2 * after + 1, 2 * max(after - 1, 0)]] = 0.95 / 2
    return iterated(P, costs, [[1, s // 2] for s in range(18)], np.full(18, 1 / 18))


def largest(triad_weight):
    """The largest factor, by a search."""
    found = minimize_scalar(
        lambda c: -shrinks(1, [1, triad_weight], c), bounds=(1, 9), options={"xatol": 1e-9}
    )
    return [found.x, 1 + 1 / found.fun]


def worn(lasting_wear, lasting_cost):
    """The machine, by its first days."""
    P, costs = np.array([[0, 1], [0, lasting_wear]], dtype=float), [1, lasting_cost]
    days = sum(np.linalg.matrix_power(P, n) for n in range(300))
    return [
        *days @ costs,
        days[0, 1],
        np.average(days @ costs, weights=days[0]),
        *iterated(P, costs, [[1], [1]], [1, 0]),
    ]


def arms(arm_pays, arm_share):
    """REINFORCE with both arms, and the baseline with which their (G − b)·Z are equal; the two Z differ by 1."""
    pull, pay = np.array([arm_share, 1 - arm_share], dtype=float), np.array([arm_pays, 2])
    one, two = pay * [pull[1], -pull[0]]
    return [
        pull @ pay,
        pull @ [one, two],
        np.cov([one, two], aweights=pull, bias=True).item(),
        one - two,
    ]


WAYS = {
    "12.1": lambda triad_bust: [
        shrinks(1 - triad_bust, weights) for weights in ([1, 1], [triad_bust, 1 - triad_bust])
    ],
    "12.3": fitted,
    "12.5": lambda theta1, theta2, tails: gradient(coin(tails), theta1, theta2),
    "12.7": queue,
    "12.h1": largest,
    "12.h2": lambda P, costs, X, start, trace_weight: iterated(
        P, costs, X, np.eye(len(P))[start], trace_weight
    ),
    "12.h3": lambda die: gradient(die, 8, -4, unit=10),
    "12.x1": worn,
    "12.x2": lambda feature_of_b: [
        shrinks(1, [1, 1], feature_of_b),
        1 / shrinks(1, [1, 1], feature_of_b),
        shrinks(0.9, [1, 9], feature_of_b),
    ],
    "12.x3": arms,
}
