"""Policy iteration, by linear systems and a linear program, with the lecture's matrices."""

import numpy as np
from scipy.optimize import brentq

import dicelab as dl
from collection import textbook


def coin(p, roll_on):
    """The turns of the coin race to 2 by a linear system for the states (0, 0), (0, 1) and (1, 0)."""
    moves = [[p, 1 - p, 0], [p, 0, 0] if roll_on else [0, 0, 1], [0, 0, p]]
    return np.linalg.solve(np.eye(3) - np.array(moves, dtype=float), [1, 0, 1])[0]


def machine(discount, wear, day, price):
    """The values of new and worn, never replaced and then replaced when worn, and the price with a tie."""
    new = [1 - discount * (1 - wear), -discount * wear]
    never = np.linalg.solve(np.array([new, [0, 1 - discount]], dtype=float), [0, day])
    replaced = np.linalg.solve(np.array([new, [-1, 1]], dtype=float), [0, price])
    return [*never, *replaced, never[1] - never[0]]


def improved_machine(worn_day):
    """The machine of the examination."""
    *values, limit = machine(0.8, 0.5, worn_day, worn_day + 1)
    return [*values[:2], limit, *values[2:], worn_day + 1 - limit]


def arrays(process):
    """The costs [action, state] and the probabilities [action, state, next state]."""
    _, costs, moves = process.matrices()
    return costs, np.array([each.toarray() for each in moves])


def followed(policy, costs, P):
    """The costs and the probabilities of a policy, by state."""
    every = np.arange(len(policy))
    return costs[policy, every], P[policy, every]


def loss(order, sweeps, shop_lost):
    """With linear equations for the policy, and a linear program for the best values."""
    shop = textbook.inventory(order=order, lost=shop_lost)
    costs, P = arrays(shop)
    V = np.zeros(7)
    for _ in range(sweeps):
        V = (costs + P @ V).min(axis=0)
    c, Q = followed((costs + P @ V).argmin(axis=0), costs, P)
    return max(np.linalg.solve(np.eye(7) - Q, c) - [*textbook.linear_program(shop).values()])


def modified(N, m, rounds, die):
    """With one matrix for all states."""
    costs, P = arrays(textbook.turns_process(dl.generalized_pig(die, N)))
    c, Q = followed(costs.argmin(axis=0), costs, P)
    V = np.linalg.solve(np.eye(len(c)) - Q, c)
    for _ in range(rounds):
        c, Q = followed((costs + P @ V).argmin(axis=0), costs, P)
        for _ in range(m + 1):
            V = c + Q @ V
    return V[0]


def largest_loss(error, discount):
    """The loss in the process of exercise 5, by the textbook."""
    stay = {"stay": {"stay": (2 * discount * error, {"stay": discount})}}
    return textbook.policy_iteration(textbook.DecisionProcess(stay))[0]["stay"]


def newton(newton_tails):
    """The iterates are values of policies, and the slope is the probability of a turn without points."""
    solved = dl.solve(dl.generalized_pig([newton_tails, 1 - newton_tails], 2), "turns")
    return [
        coin(newton_tails, False) / 2 / newton_tails,
        coin(newton_tails, True),
        solved.value,
        dl.turn_points(solved.game, solved.policy)[0],
    ]


WAYS = {
    "6.1": lambda first_tails: [
        coin(first_tails, False),
        coin(first_tails, True),
        brentq(lambda p: coin(p, True) - coin(p, False), 0.1, 0.9),
    ],
    "6.2": lambda machine_wear: machine(0.9, machine_wear, 1, 1),
    "6.4": loss,
    "6.h1": modified,
    "6.x1": improved_machine,
    "6.x2": lambda value_error, greedy_discount: [
        largest_loss(error, greedy_discount)
        for error in (value_error, value_error, 1000 + value_error)
    ],
    "6.x3": newton,
}
