"""Contraction, by the package, by roots of polynomials, by value iteration and by linear algebra."""

import numpy as np
from scipy.optimize import brentq

import dicelab as dl
from collection import textbook


def promised(die, rare_bust):
    """The number of steps, tried one after the other from the mean of the faces that score."""
    error = np.dot(die[1:], range(1, len(die))) / die[0]
    return [
        min(n for n in range(1000) if error * (1 - p) ** n <= 0.01) for p in (die[0], rare_bust)
    ]


def turn(probabilities):
    """The best turn, by the package."""
    return dl.solve(dl.generalized_pig(probabilities, 99), "score")


def growth(rare_bust):
    """The largest root of the polynomial."""
    roots = np.roots([*[(1 - float(rare_bust)) / 5] * 5, 0, -1])
    return max(root.real for root in roots if abs(root.imag) < 1e-9)


def kept_at_2(discount, swap_price):
    """What a machine of wear 2 costs more if it is kept for a day."""
    V = textbook.policy_iteration(textbook.machine_replacement(discount, price=swap_price))[0]
    return 2 + discount / 2 * (V[2] + V[3]) - (swap_price + V[0])


def coin_solution(tails):
    """k/xᵏ rises until k is at least 1/(x − 1)."""
    best = int(np.ceil(float((1 - tails) / tails)))
    return [np.roots([float(1 - tails), -1])[0], best * (1 - tails) ** best]


def value(c, die):
    """The turn with costs, by policy iteration; one roll always pays."""
    process = {
        k: {
            "hold": (-k, {}),
            "roll": (c, {min(k + face, 40): p for face, p in enumerate(die) if face and p}),
        }
        for k in range(41)
    }
    return -textbook.policy_iteration(textbook.DecisionProcess(process))[0][0]


def series(discount, die):
    """The series, by value iteration: its values by turn total, and what a roll brings from each."""
    k, points = np.arange(40), [0, *map(float, die[1:])]
    V = k
    for _ in range(800):
        roll = np.correlate([*V, *np.arange(40, 39 + len(die)) + discount * V[0]], points, "valid")
        V = np.append(roll[0], np.maximum(k + discount * V[0], roll)[1:])
    return V, roll


def series_policy(die, series_discount):
    """The lowest total at which a hold brings at least as much, and the largest sum of an action's probabilities."""
    V, roll = series(series_discount, die)
    return [
        np.argmax(np.arange(40) + series_discount * V[0] >= roll),
        max(series_discount, sum(die[1:])),
    ]


def yearly_machine(yearly_price, yearly_discount):
    """By value iteration, with the cost of an old year as the unit."""
    unit, discount = yearly_price + 1, float(yearly_discount)
    process = textbook.machine_replacement(
        discount=discount, worst=1, price=yearly_price / unit, wear=1
    )
    V = unit * textbook.mdp_value_iteration(process)[1]
    return [
        V[1, 1],
        *V[2],
        min(n for n in range(1000) if 10 * discount**n * V[1].max() <= 1 - discount),
        discount / (1 - discount) * abs(V[2] - V[1]).max(),
    ]


def rumour(ruin):
    """A turn with a coin."""
    V = turn([f"1/{ruin}", f"{ruin - 1}/{ruin}"]).values  # up to the threshold
    return [1 - 1 / ruin, len(V) - 1, V[-3][0], np.roots([1 - 1 / ruin, -1])[0]]


def robot(robot_load, way_back):
    """By policy iteration; the weights are an eigenvector."""
    places = {
        "A": {"sell": (-robot_load, {}), "go": (0, {"B": 1})},
        "B": {"sell": (-robot_load / 3, {}), "go": (0, {"A": way_back})},
    }
    V, _, _ = textbook.policy_iteration(textbook.DecisionProcess(places))
    factors, weights = np.linalg.eig([[0, 1], [float(way_back), 0]])
    return [-V["A"], -V["B"], factors.max(), np.divide(*weights[:, factors.argmax()])]


WAYS = {
    "3.1": promised,
    "3.2": lambda die: [
        k / sum(p * (k + face) for face, p in enumerate(die) if face) for k in (5, 10, 15)
    ],
    "3.3": lambda probabilities, accuracy: turn(probabilities).value,
    "3.4": lambda die: np.polyval([*map(float, die[:0:-1]), 0], 1.02),
    "3.5": growth,
    "3.8": lambda swap_price: brentq(kept_at_2, 0.3, 0.98, args=(swap_price,)),
    "3.h1": coin_solution,
    "3.h2": value,
    "3.h3": lambda discount, die: series(discount, die)[0][0],
    "3.h4": series_policy,
    "3.x1": yearly_machine,
    "3.x2": rumour,
    "3.x3": robot,
}
