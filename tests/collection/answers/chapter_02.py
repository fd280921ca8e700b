"""Decision processes, by linear systems, by value iteration and by brute force."""

import numpy as np

import dicelab as dl
from collection import textbook


def three_sweeps(good_earns):
    """Three sweeps by hand, and the bound tried for one n after the other."""
    good, worn = 0, 0
    for _ in range(3):
        good, worn = good_earns + 0.7 * good + 0.2 * worn, max(4 + 0.6 * worn, 0.9 * good - 3)
    return [good, worn, min(n for n in range(200) if 0.9**n / 0.1 * good_earns <= 0.01)]


def iterate(n, c, die):
    """The sweeps, over more totals than are reached."""
    V = [k + c for k in range(len(die) * (n + 1))]
    for _ in range(n):
        V = [max(k, np.dot(V[k + 1 : k + len(die)], die[1:])) for k in range(len(V) - len(die))]
    return V[0]


def loss(n, die):
    """What hold at n loses, from the package's distribution of the points."""
    points = dl.turn_points(dl.generalized_pig(die, 80), dl.hold_at(n))
    return dl.solve(dl.generalized_pig(die, 250), "score").value - points @ points.index


def renewal(costs, stays, wears, price, after):
    """By value iteration: the least cost of a machine that wears, and the lowest wear at which it is renewed."""
    V, worse = np.zeros(len(costs)), np.minimum(np.arange(len(costs)) + 1, len(costs) - 1)
    for _ in range(400):
        keep, renew = costs + stays * V + wears * V[worse], price + V[:2] @ after
        V = np.minimum(keep, renew)
    return V[0], np.argmax(keep > renew)


def shop(low, level, shop_order, shop_lost, goes_on=0.95):
    """The expected cost from a stock of 0, by a linear system for the stock in the morning."""
    stock, demand = np.arange(level + 1), np.array([0.2, 0.3, 0.3, 0.2])
    ordered = np.where(stock <= low, level - stock, 0)
    left = (stock + ordered)[:, None] - np.arange(4)
    costs = (
        shop_order * (ordered > 0) + ordered + np.where(left > 0, left, -shop_lost * left) @ demand
    )
    moves = demand @ np.eye(level + 1)[np.maximum(left, 0)]
    return np.linalg.solve(np.eye(level + 1) - goes_on * moves, costs)[0]


def last_day(shop_order, shop_lost):
    """The shop that closes after a day."""
    costs = [shop(0, n, shop_order, shop_lost, goes_on=0) for n in range(4)]
    return [np.argmin(costs), min(costs)]


def old_or_new(old_day, new_price):
    """Both policies by linear systems, and the optimal one by the package, with the cost of an old day as the unit."""
    kept = np.linalg.solve([[0.55, -0.45], [0, 0.1]], [0, old_day])
    replaced = np.linalg.solve([[0.55, -0.45], [-1, 1]], [0, new_price])
    process = textbook.machine_replacement(worst=1, price=new_price / old_day)
    return [*kept, *replaced, textbook.policy_iteration(process)[1][1] == "replace"]


def weather(days, p, umbrella, rain):
    """The least expected cost of some days, if it rains on the first with probability p."""
    # The probabilities of rain after a day with rain, and after one without.
    wet, dry = (
        weather(days - 1, q, umbrella, rain) if days > 1 else 0
        for q in (0.7 if p > 0.2 else 0.5, 0.2)
    )
    return min(umbrella, p * rain) + p * wet + (1 - p) * dry


def two_busts(lower_face, face_gap):
    """The turn, by the package; V₂(0) is the mean of the faces."""
    faces = [0, 0, lower_face, lower_face + face_gap]
    solved = dl.solve(
        dl.generalized_pig([faces.count(f) / 4 for f in range(faces[3] + 1)], 99), "score"
    )
    return [np.mean(faces), solved.value, lower_face - solved.values[lower_face][0]]


WAYS = {
    "2.1": lambda good_earns: np.linalg.solve(
        [[0.3, -0.2, 0], [0, 0.4, 0], [-0.9, 1, 1]], [good_earns, 4, 0]
    )[2],
    "2.2": three_sweeps,
    "2.3": iterate,
    "2.4": loss,
    "2.5": lambda price, machine_wear: renewal(
        np.arange(6),
        0.9 - 0.9 * machine_wear,
        0.9 * machine_wear,
        price,
        0.9 * np.array([1 - machine_wear, machine_wear]),
    )[1],
    "2.6": last_day,
    "2.h1": lambda overhaul: (
        renewal(np.arange(10) - 10, 0.5, 0.4, overhaul, np.array([0.95, 0])) * np.array([-1, 1])
    ),
    "2.h2": shop,
    "2.x1": old_or_new,
    "2.x2": lambda umbrella, rain: [
        sum(umbrella < p * rain for p in (0.7, 0.5, 0.2)),
        weather(2, 0.7, umbrella, rain),
    ],
    "2.x3": two_busts,
}
