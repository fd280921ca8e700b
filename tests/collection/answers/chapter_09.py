"""Two players, by the textbook's value iteration, by roots, by linear equations and by brute force."""

from functools import cache
from itertools import accumulate, product

import numpy as np
from scipy.optimize import brentq
from scipy.sparse.csgraph import connected_components

import dicelab as dl
from collection import textbook


def piglet(heads):
    """The values of the race to two points, by scores, by value iteration."""
    n, d = heads.as_integer_ratio()
    return textbook.value_iteration(dl.generalized_pig([f"{d - n}/{d}", f"{n}/{d}"], 2))[0]


def top(lines, other):
    """The maximum of some lines (c, β)."""
    return max(float(c) + float(beta) * (1 - other) for c, beta in lines)


def solution(f, g):
    """The zero of f(g(x)) − x."""
    return brentq(lambda x: top(f, top(g, x)) - x, 0, 1)


def step(x, f, g):
    """Newton's step (7), with a difference quotient."""
    slope = (top(f, top(g, x + 1e-6)) - top(f, top(g, x - 1e-6))) / 2e-6
    return x + (top(f, top(g, x)) - x) / (1 - slope)


def first_of_three(N, three_heads):
    """Each turn is the best of all "hold at n"; at 0 points missing, a player has won."""
    h, won = float(three_heads), np.eye(3)
    V = {needs: won[needs.index(min(needs))] for needs in product(range(N + 1), repeat=3)}
    for a, b, c in [needs for needs in V if min(needs)] * 150:
        turns = [h**n * V[b, c, a - n] + (1 - h**n) * V[b, c, a] for n in range(1, a + 1)]
        V[a, b, c] = max(turns, key=lambda chances: chances[2])[[2, 0, 1]]
    return V[N, N, N][0]


@cache
def gift_race(a, b, k, die):
    """From the start, by recursion."""
    if a <= k or not b:
        return a <= k
    roll = die[0] * (1 - gift_race(b - 1, a, 0, die)) + sum(
        p * gift_race(a, b, k + face, die) for face, p in enumerate(die) if face
    )
    return max(roll, 1 - gift_race(b, a - k, 0, die)) if k else roll


def shop(shop_lost):
    """The adversary alone decides: a process with negative costs, by policy iteration."""
    *laws, coin = (
        textbook.inventory(lost=shop_lost, demand=dict.fromkeys(law, 1 / len(law)))
        for law in ((1, 2), (0, 3), range(4))
    )
    adversary = {
        s: {law: (-each.actions[s][n][0], each.actions[s][n][1]) for law, each in enumerate(laws)}
        for s, n in textbook.policy_iteration(coin)[1].items()
    }
    return -textbook.policy_iteration(textbook.DecisionProcess(adversary))[0][0]


def machine(maintenance, breakdown):
    """Both policies by linear equations, against the worst of some probabilities."""
    values = [
        max(
            np.linalg.solve([[1 - (1 - p) / 2, -p / 2], [-1 / 2, 1]], [cost, breakdown])[0]
            for p in chances
        )
        for cost, chances in ((maintenance, (0, 0.1, 0.25)), (0, (0.25, 0.3, 0.5)))
    ]
    return [*values, breakdown + min(values) / 2, values[0] < values[1]]


def together(N, lost):
    """The largest strongly connected part of the pairs of needs, which are counted from 0."""
    pairs = [*product(range(N), repeat=2)]
    graph = [[c == b and (d < a or d == min(a + lost, N - 1)) for c, d in pairs] for a, b in pairs]
    return max(np.bincount(connected_components(np.array(graph), connection="strong")[1]))


def rounds(h):
    """The factor is the slope of f(g(x)), and the rounds are counted."""
    f, g = [(h * h, 1 - h * h), (h * (1 - h) / (2 - h), 1 - h)], [(h, 1 - h)]
    L = (top(f, top(g, 0.5)) - top(f, top(g, 0.4))) / 0.1
    return [L, top(f, top(g, 0.5)), sum(L**n > 0.02 for n in range(99)), piglet(h)[0, 1]]


WAYS = {
    "9.1": lambda bust: textbook.value_iteration(dl.generalized_pig([bust, 0, 1 - bust], 4))[0][
        2, 3
    ],
    "9.2": lambda piglet_heads: [  # the tie of a toss and a hold
        piglet(piglet_heads)[0, 0],
        brentq(lambda h: piglet(h)[0, 1] - (1 - h) * piglet(h)[0, 0], 0.3, 0.5, xtol=1e-6),
    ],
    "9.3": lambda a, die: (
        dl.turn_points(dl.generalized_pig(die, a + 8), dl.hold_at(a)).loc[a:].sum()
    ),
    "9.6": lambda f, g: [solution(f, g), top(g, solution(f, g))],
    "9.7": first_of_three,
    "9.8": shop,
    "9.h1": lambda race_heads: piglet(race_heads)[[1, 0, 1], [1, 1, 0]],
    "9.h2": lambda N, die: gift_race(N, N, 0, tuple(map(float, die))),
    "9.h3": lambda level_f, level_g: [
        *accumulate(
            [1, 2, 3, 4],
            lambda x, _: step(x, [(0, 1), (level_f, 0.8)], [(0.05, 0.95), (level_g, 0.7)]),
        )
    ][1:],
    "9.x1": machine,
    "9.x2": lambda penalty_target: [together(penalty_target, 0), together(penalty_target, 1)],
    "9.x3": lambda round_heads: rounds(float(round_heads)),
}
