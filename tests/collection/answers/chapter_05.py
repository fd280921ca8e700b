"""Shortest paths, by the textbook's solvers, by matrices and by series."""

import numpy as np

import dicelab as dl
from collection import textbook


def race(die, target):
    """The race for the fewest turns, as the textbook has it."""
    return textbook.turns_process(dl.generalized_pig(die, target))


def fewest(die, target):
    """The fewest turns by policy iteration, by score."""
    return [
        V
        for (_, total, _), V in textbook.policy_iteration(race(die, target))[0].items()
        if total == 0
    ]


def in_place(N, n, die):
    """Sweeps over the states of the textbook, from the last to the first."""
    actions = race(die, N).actions
    V = dict.fromkeys(actions, 0.0)
    for s in [*reversed(actions)] * n:
        V[s] = float(
            min(c + sum(p * V[t] for t, p in moves.items()) for c, moves in actions[s].values())
        )
    return V[0, 0, "roll"]


def most_steps(N, die):
    """The largest expected number of steps, by value iteration from below."""
    _, costs, moves = race(die, N).matrices()
    allowed, W = np.isfinite(costs), np.zeros(costs.shape[1])
    for _ in range(500):
        W = 1 + np.max([P @ W for P in moves] * allowed, axis=0)
    return W[0]


def radius(n, die):
    """The spectral radius of the block of a score: up by a face, or back to the total 0."""
    up = [0, *die[1:], *[0] * n]
    P = [[up[max(b - a, 0)] + (die[0] if b == 0 else 0) for b in range(n)] for a in range(n)]
    return abs(np.linalg.eigvals(np.array(P, dtype=float))).max()


def with_a_pit(cost, step, robot_slip):
    """The least cost of the robot, if the pit has a cost of its own: it rises with it by the chance to end there."""
    actions = textbook.grid(step, robot_slip).actions | {(4, 2): {"exit": (cost, {})}}
    return textbook.mdp_value_iteration(textbook.DecisionProcess(actions))[0][1, 1]


def bracket(q, eps, small_race):
    """The two iterations as the columns of an array."""
    process = race([str(q), str(round(1 - q, 9))], small_race)
    _, costs, moves = process.matrices()
    both = np.array([[0, (small_race - i - k) / (1 - q)] for i, k, _ in process.actions])
    for n in range(1000):
        if both[0, 1] - both[0, 0] < eps:
            return n
        both = np.min([c[:, None] + P @ both for c, P in zip(costs, moves, strict=True)], axis=0)


def doors(door_cost, door_chance):
    """The robot without a guide."""
    rows = {
        1: {"go": (door_cost, {1: 1 - door_chance, 2: door_chance})},
        2: {"go": (door_cost, {1: 1 - door_chance})},
    }
    V = textbook.policy_iteration(textbook.DecisionProcess(rows))[0]
    return [V[1] - V[2], V[2]]


def one_sweep(sweep_discount, sweep_fall, sweep_rise):
    """What all later sweeps change at most, one by one."""
    down, up = (
        sum(c * float(sweep_discount) ** n for n in range(1, 2000))
        for c in (sweep_fall, sweep_rise)
    )
    return [max(down, up), down + up, up]


def slow_coin(slow_tails):
    """The coin's race to 2, by value iteration; column 3 is the state (1, 0)."""
    V = textbook.mdp_value_iteration(race([slow_tails, 1 - slow_tails], 2))[1]
    return [V[-1, 3], V[3, 3] - V[2, 3], V[-1, 3] - V[3, 3], V[-1, 0]]


WAYS = {
    "5.1": lambda die: fewest(die, 4)[1::-1],
    "5.2": lambda **tails: [
        min(range(1, 60), key=lambda n: (1 - p) ** -n / n) for p in tails.values()
    ],
    "5.4": in_place,
    "5.5": most_steps,
    "5.6": radius,
    "5.8": lambda step, robot_slip: (
        (with_a_pit(1.0001, step, robot_slip) - with_a_pit(1, step, robot_slip)) / 0.0001
    ),
    "5.h1": lambda race_tails: fewest([race_tails, 1 - race_tails], 3)[::-1],
    "5.h2": bracket,
    "5.x1": doors,
    "5.x2": one_sweep,
    "5.x3": slow_coin,
}
