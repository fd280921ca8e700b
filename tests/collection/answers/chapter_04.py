"""A clock, a shop and lumpings, by the package, the textbook's processes and brute force."""

from itertools import product

import numpy as np

import dicelab as dl
from collection import textbook


def bonus_at_the_end(turns, goal, bonus, die):
    """The most expected points in the end, with the bonus, by the score before and within a turn."""
    after_goal = dl.solve(dl.generalized_pig(die, 100), "score").value
    die, scores = np.array(die, dtype=float), np.arange(goal + 60)
    Y = scores + bonus * (scores >= goal)
    for _ in range(turns):
        W = np.tile(1.0 * Y, (goal, 1))  # hold: W[i, j] from the score i, with j = i + turn total
        for j in reversed(range(goal + 40)):
            roll = die[0] * Y[:goal] + W[:, j + 1 : j + len(die)] @ die[1:]
            W[:, j] = np.maximum(W[:, j], roll)
        Y = np.append(W.diagonal(), Y[goal:] + after_goal)
    return Y[0]


def coarsest(P, r):
    """The coarsest lumping, among all partitions."""
    found = []
    for classes in product(*(range(s + 1) for s in range(len(r)))):
        into = np.array(P) @ np.eye(len(r))[list(classes)]
        first = [classes.index(own) for own in classes]
        if all(r[s] == r[t] and np.allclose(into[s], into[t]) for s, t in enumerate(first)):
            found.append((len(set(classes)), classes))
    return min(found)[1]  # the fewest classes, with the least numbers


def shop(days, most=6, **costs):
    """The least costs of a shop, and its stocks after the order, with the matrices of the textbook's process."""
    _, now, moves = textbook.inventory(discount=1, **costs).matrices()
    now, moves, V = now[: most + 1], moves[: most + 1], np.zeros(now.shape[1])
    for _ in range(days):
        Q = now + np.array([P @ V for P in moves])
        V = Q.min(axis=0)
    return V, np.arange(len(V)) + (Q <= V + 1e-9).argmax(axis=0)


def last_day(closing_order, closing_lost):
    """The table of G for one day, with the numbers of the solution."""
    left, lost = [0, 0.2, 0.7, 1.5], [1.5, 0.7, 0.2, 0]  # on average, by the stock after the order
    G = [y + left[y] + closing_lost * lost[y] for y in range(4)]
    return [sum(cost > closing_order + min(G) for cost in G) - 1, G.index(min(G))]


def sale(sale_cost, sale_price):
    """The shop as one that pays for lost customers what they would have paid."""
    one, two = (
        shop(
            days,
            2,
            room=2,
            order=0,
            item=sale_cost,
            keep=0,
            lost=sale_price,
            demand={0: 0.5, 1: 0.5},
        )
        for days in (1, 2)
    )
    return [sale_price / 2 - one[0][0], sale_price - two[0][0], two[1][0]]


def guarantee(guarantee_days, guarantee_wear):
    """The ages of a machine that differ in the costs of some day to come."""
    ages = {tuple(age + day < guarantee_days for day in range(10)) for age in range(10)}
    return [len(ages), len([*product(ages, range(guarantee_wear + 1))])]


def two_points(clock_heads):
    """The coin, by the package."""
    U = dl.solve(dl.generalized_pig([1 - clock_heads, clock_heads], 2), "deadline", turns=3).values
    toss = clock_heads + (1 - clock_heads) * U[2, 0]
    return [U[2, 0], "hold" if U[2, 1] > toss else "toss", U[3, 0]]


WAYS = {
    "4.1": last_day,
    "4.2": lambda delivery_days, shelf_days: [
        len(range(1, delivery_days)) > 0,  # orders that are on their way in the morning
        False,
        True,
        len(range(1, shelf_days)) > 1,  # ages of the items that are left from the day before
        False,
    ],
    "4.3": lambda turns, score, die: dl.solve(
        dl.generalized_pig(die, 100, dice=2, reset=2), "deadline", turns=turns
    ).values[turns, score],
    "4.4": bonus_at_the_end,
    "4.5": coarsest,
    "4.6": lambda days, order, most, closing_lost: shop(days, most, order=order, lost=closing_lost)[
        1
    ],
    "4.h1": lambda turns, goal, die: (
        dl.solve(dl.generalized_pig(die, goal), "deadline", turns=turns).value
    ),
    "4.x1": sale,
    "4.x2": guarantee,
    "4.x3": two_points,
}
