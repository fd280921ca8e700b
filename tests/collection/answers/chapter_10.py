"""Judging a policy, by the package, and by the numbers of turns that each player needs."""

from bisect import bisect_left
from itertools import accumulate
from math import comb
from statistics import NormalDist

import numpy as np
from scipy.signal import lfilter

import dicelab as dl
from collection import textbook


def law(hold, die):
    """The distribution of a turn, from how often it comes to each total below the threshold."""
    p = np.array([0, *die[1:]], dtype=float)
    visits = lfilter([1], np.eye(1, len(p))[0] - p, np.eye(1, hold)[0])
    ends = np.convolve(visits, p)[hold:]
    return np.array([float(die[0]) * visits.sum(), *[0] * (hold - 1), *ends, *[0] * 150])[:150]


def moves(hold, target, die):
    """The matrix of a turn."""
    rows = [law(min(hold, target - i), die)[: target - i] for i in range(target)]
    return np.array([[0] * i + [*row] for i, row in enumerate(rows)])


def powers(P, v):
    """A vector, and what 199 products with a matrix make of it."""
    return np.array([*accumulate([v] * 200, lambda w, _: P @ w)])


def wins(P, Q):
    """The first player's chance: to finish in some turn of theirs, before which the second has not finished."""
    one, other = (powers(each, np.ones(len(each))) for each in (P, Q))
    return (one[:-1] - one[1:]).T @ other[:-1]


def adjusted(die, target):
    """The second moment of the sum of the Bellman errors D: of their squares, and of each with what follows it."""
    assumed, played, other = (moves(hold, target, die) for hold in (25, 22, 20))
    U, start = wins(assumed, other), np.eye(target)[0]
    D = 1 - played.sum(axis=1, keepdims=True) + played @ U @ other.T - U
    W = wins(played, other) - U
    return (
        np.einsum(
            "ti,ij,tj", powers(played.T, start), D**2 + 2 * D * (W - D), powers(other.T, start)
        )
        - W[0, 0] ** 2
    ) ** 0.5


def value(actions, orders):
    """The costs if so many items are ordered, by value iteration."""
    return textbook.mdp_value_iteration(
        textbook.DecisionProcess({s: {n: actions[s][n]} for s, n in enumerate(orders)})
    )[0]


def shop(shop_order, shop_lost):
    """The rollout in the shop, with the moves as matrices."""
    process = textbook.inventory(order=shop_order, lost=shop_lost)
    _, costs, after = process.matrices()
    V = [*value(process.actions, [3, 2, 1, 0, 0, 0, 0]).values()]
    return value(
        process.actions,
        np.argmin([c + P @ V for c, P in zip(costs, after, strict=True)], axis=0),
    )[0]


def control(n, m, die):
    """From the mean of the longer turn, given how the shorter one ends."""
    short, long = sorted([n, m])
    k, laws = np.arange(150), [law(hold, die) for hold in (short, long)]
    later = [law(long - z, die)[1:] @ (z + k[1:]) if z < long else z for z in k]
    (z, zz), (x, xx) = ([each @ k, each @ k**2] for each in laws)
    return 1 / (1 - (laws[0] @ (k * later) - x * z) ** 2 / ((xx - x**2) * (zz - z**2)))


def each_one(swift_chance, slow_chance):
    """The race for one point each, by linear systems."""
    ana, ben = float(1 - swift_chance), float(1 - slow_chance)
    V = np.linalg.solve([[1, ana], [ben, 1]], [1, 1])
    return [*V, (V[0] + 1 - V[1]) / 2, np.linalg.solve([[1, -ana], [-ben, 1]], [1, 1])[0]]


WAYS = {
    "10.1": lambda die, you_need: sum(
        (1 - law(you_need, die)[0]) * (law(you_need, die)[0] * law(2, die)[0]) ** t
        for t in range(99)
    ),
    "10.2": lambda match_wins, match_games: [
        np.std([1] * match_wins + [0] * (match_games - match_wins)) / match_games**0.5,
        4 * match_games,
    ],
    "10.3": lambda hold_1, hold_2, target, die: (  # the sum of the chances that the game goes on, turn by turn
        np.repeat(powers(moves(hold_1, target, die), np.ones(target))[:, 0], 2)[1:]
        @ np.repeat(powers(moves(hold_2, target, die), np.ones(target))[:, 0], 2)[:-1]
    ),
    "10.4": lambda p, n, interval_errors: sum(
        comb(n, w) * p**w * (1 - p) ** (n - w)
        for w in range(n + 1)
        if (w - n * p) ** 2 <= interval_errors**2 * n * p * (1 - p)
    ),
    "10.5": lambda die, target: (
        0.5
        + 0.5 / (np.diff(powers(moves(20, target, die), np.ones(target)), axis=0)[:, 0] ** 2).sum()
    ),
    "10.6": lambda die: dl.turn_points(dl.generalized_pig(die, 60), 25)[0] ** 2,
    "10.7": adjusted,
    "10.8": shop,
    "10.h1": lambda printed_share, printed_games: [
        (printed_share / printed_games - printed_share**2 / printed_games) ** 0.5,
        next(n for n in range(0, 10**6, 1000) if printed_share - printed_share**2 <= n / 10**6),
    ],
    "10.h2": lambda delta, false_alarm, miss, variance_factor: bisect_left(
        range(10**6),
        1 - miss,
        key=lambda n: NormalDist().cdf(
            2 * delta * (n / variance_factor) ** 0.5 + NormalDist().inv_cdf(false_alarm)
        ),
    ),
    "10.h3": control,
    "10.h4": lambda duel_heads: (
        dl.evaluate(dl.generalized_pig([1 - duel_heads, duel_heads], 2), 1, 2).first_wins
    ),
    "10.x1": lambda worn_loss, rollout_price: [
        *np.linalg.solve([[1 / 2, 0], [-1 / 4, 3 / 4]], [worn_loss, 0]),
        rollout_price + np.linalg.solve([[1 / 2, 0], [-1 / 4, 3 / 4]], [worn_loss, 0])[1],
        *np.linalg.solve([[1, -1], [-1 / 4, 3 / 4]], [rollout_price, 0]),
    ],
    "10.x2": lambda program_wins, shown_edge: [
        np.std([1] * program_wins + [0] * (1000 - program_wins)) / 1000**0.5,
        (program_wins - 500) * (1000 / program_wins / (1000 - program_wins)) ** 0.5,
        2 / shown_edge**2,
    ],
    "10.x3": each_one,
}
