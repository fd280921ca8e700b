"""Learning without the rules, by the package's learner, by laws that go forwards, and by sums over all targets."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np

import dicelab as dl
from dicelab_extras import learning


def three_games(table_start):
    """What the package's learner says after three games."""
    Q = learning.learn(
        dl.generalized_pig([0, 1], 2), games=3, epsilon=0, decay=1, initial=table_start
    ).action_values()
    return [Q[1, 1, 0, 1], Q[0, 1, 1, 0], Q[0, 0, 1, 0]]


def from_log(log, omega, discount, follow):
    """The table as an array, whose last row is the end, with the number −1."""
    Q, n = np.zeros((2, 2 + max(max(s, after) for s, _, _, after in log), 2))
    for line, (s, a, reward, after) in enumerate(log):
        chosen = log[line + 1][1] if follow and after >= 0 else Q[after].argmax()
        n[s, a] += 1
        Q[s, a] += (reward + discount * Q[after, chosen] - Q[s, a]) / n[s, a] ** omega
    return [[s, *Q[s]] for s in np.flatnonzero(n.any(axis=1))]


def machine(logged_keep, logged_replace):
    """The log of the machine, with costs as negative rewards."""
    (_, fourth, _), (_, keep, replace) = from_log(
        [[1, 0, -logged_keep, 1], [0, 0, 0, 1], [1, 1, -logged_replace, 0], [0, 0, 0, 1]],
        omega=1,
        discount=0.5,
        follow=False,
    )
    return [-keep, 0, -replace, -fourth, "keep" if keep > replace else "replace"]


def greedy(tosses, seen_heads, seen_tails):
    """The probabilities of all counts after each toss, in the greedy player's play."""
    law, heads = {(0, 0, seen_heads, seen_tails): 1.0}, 0.0
    for _ in range(tosses):
        after = Counter()
        for (h, f, k, g), p in law.items():
            first = (1 + h) * (2 + k + g) >= (1 + k) * (2 + h + f)
            chance = (1 + h) / (2 + h + f) if first else (1 + k) / (2 + k + g)
            heads += p * chance
            after[(h + 1, f, k, g) if first else (h, f, k + 1, g)] += p * chance
            after[(h, f + 1, k, g) if first else (h, f, k, g + 1)] += p * (1 - chance)
        law = after
    return heads


def at_random(learner_tails):
    """The first player's chance, state by state, until nothing changes."""
    V = {(i, j, k): 0.5 for i, j, k in product(range(3), repeat=3) if i + k < 3}
    for i, j, k in [*V] * 200:
        roll = learner_tails * (1 - V[j, i, 0]) + (1 - learner_tails) * V.get((i, j, k + 1), 1)
        V[i, j, k] = (roll + 1 - V[j, i + k, 0]) / 2 if k else roll
    return V[0, 0, 0]


def weighted(omega, updates):
    """The sum of the squared weights that the targets have in the end."""
    a = np.arange(1.0, updates + 1) ** -omega
    # A later update multiplies a weight by 1 - a.
    return ((a * np.cumprod(np.append(1 - a, 1)[:0:-1])[::-1]) ** 2).sum()


def begin(h, f, other, later):
    """The payoff of a toss of a coin after h heads and f tails, and of a second toss of the better coin."""
    p = Fraction(1 + h, 2 + h + f)
    heads, tails = (max(Fraction(1 + h + one, 3 + h + f), other) for one in (1, 0))
    return p + later * (p * heads + (1 - p) * tails)


WAYS = {
    "11.1": three_games,
    "11.2": lambda constant_step, target_variance: (
        sum(target_variance * (constant_step * (1 - constant_step) ** m) ** 2 for m in range(2000))
        ** 0.5
    ),
    "11.3": lambda hold, roll, epsilon, passed, exploring_rolls: (
        passed
        + (1 - 2 * passed)
        * np.average(
            [hold, roll],
            weights=[
                epsilon * (1 - exploring_rolls) + (1 - epsilon) * (hold > roll),
                epsilon * exploring_rolls + (1 - epsilon) * (hold <= roll),
            ],
        )
    ),
    "11.4": lambda log, omega, log_discount: from_log(log, omega, log_discount, follow=False),
    "11.8": greedy,
    "11.h1": at_random,
    "11.h2": lambda log, omega, log_discount: from_log(log, omega, log_discount, follow=True),
    "11.h3": lambda step_power, updates_made: [
        weighted(step_power, updates_made),
        weighted(1, updates_made),
    ],
    "11.x1": lambda later_toss: [
        begin(0, 0, Fraction(1, 2), later_toss),
        begin(0, 0, Fraction(1, 3), later_toss),
        begin(0, 1, Fraction(1, 2), later_toss),
        (1 - Fraction(1, 3)) * (1 + later_toss) - begin(0, 0, Fraction(1, 2), later_toss),
    ],
    "11.x2": machine,
    "11.x3": lambda worse_entry, better_entry, passed_entry, update_number: [
        *(
            np.average([old, target], weights=[update_number - 1, 1])
            for old, target in (
                (0.5, 1),
                (0.5, float(worse_entry)),
                (0.5, float(better_entry)),
                (float(worse_entry), float(1 - passed_entry)),
            )
        ),
        0.9 * float(better_entry) + 0.1 * float(worse_entry),
    ],
}
