"""One turn, by the package and by brute force."""

from fractions import Fraction
from itertools import permutations, product

import dicelab as dl
from collection import textbook


def turn(die):
    """The best turn of a die."""
    return dl.solve(dl.generalized_pig(die, 250), "score", exact=True)


def points(die, n):
    """The distribution of the points of a turn that holds at n."""
    return dl.turn_points(dl.generalized_pig(die, n + 40), dl.hold_at(n))


def spread(n, die):
    """The standard deviation, from the distribution."""
    law = points(die, n)
    return (law @ law.index**2 - (law @ law.index) ** 2) ** 0.5


def limited(m, die):
    """The best of m rolls, from below: for how many rolls it is worth to go on from each total."""
    V = list(range(120))  # more than is ever reached by less than 12 rolls of at most 7
    for _ in range(m):
        after = [
            sum(p * V[k + face] for face, p in enumerate(die) if face)
            for k in range(len(V) - len(die))
        ]
        V = [max(k, value) for k, value in enumerate(after)]
    return V[0]


def ties(sides):
    """Dice with a tie, of all orders of their faces."""
    sets = {tuple(sorted(die)) for die in product(range(7), repeat=sides)}
    return sum(0 < die.count(0) < sides and sum(die) % die.count(0) == 0 for die in sets)


def total(die, power):
    """The first total from 1 on at which one more roll does not pay."""
    k = 1
    while sum(p * ((k + face) / k) ** power for face, p in enumerate(die) if face) > 1 + 1e-12:
        k += 1
    return k


def best_of(candidates):
    """The secretary, over all orders of the candidates."""

    def takes(order, k):
        """Whether the best is taken, if the first k - 1 pass."""
        later = [j for j in range(k - 1, candidates) if order[j] == max(order[: j + 1])]
        return bool(later) and order[later[0]] == candidates - 1

    if candidates > 7:
        values, policy, _ = textbook.policy_iteration(textbook.secretary(candidates))
        return [min(k for k in policy if policy[k] == "take"), -values[1]]
    orders = list(permutations(range(candidates)))
    wins = {k: sum(takes(order, k) for order in orders) for k in range(1, candidates + 1)}
    best = max(wins, key=wins.get)
    return [best, Fraction(wins[best], len(orders))]


def even(die):
    """The turn of two rolls at a time is a turn of another die."""
    pairs = [Fraction(0)] * (2 * len(die))
    for (one, p), (two, q) in product(enumerate(die), repeat=2):
        pairs[one + two if one and two else 0] += Fraction(p) * Fraction(q)
    return turn(pairs).value


def search(candidates, cost):
    """The secretary with costs, by value iteration."""
    V = [0.0] * (candidates + 1)  # after k interviews, if nobody is taken
    for _ in range(candidates + 1):
        V = [
            max(0, -cost + (max((k + 1) / candidates, V[k + 1]) + k * V[k + 1]) / (k + 1))
            if k < candidates
            else 0
            for k in range(candidates + 1)
        ]
    return max(1 / candidates, V[1]) - cost


def sale(offer):
    """The car, by value iteration."""
    v = 0.0
    for _ in range(200):
        v = 0.75 * sum(max(each * offer, v) for each in (1, 2, 3)) / 3
    return [v, next(each * offer for each in (1, 2, 3) if each * offer > v)]


def one_before(top):
    """A die with the faces 0 to a largest one."""
    solved = turn([Fraction(1, top + 1)] * (top + 1))
    return [len(solved.values) - 1, solved.values[-2][0]]


WAYS = {
    "1.1": lambda die: len(turn(die).values) - 1,
    "1.2": lambda die: turn(die).values[len(turn(die).values) - 5],
    "1.3": spread,
    "1.4": limited,
    "1.5": lambda bust: max(range(40), key=lambda n: (n * (1 - bust) ** (n - 1), n)),
    "1.6": ties,
    "1.7": lambda die: [total(die, 0.5), total(die, 2)],
    "1.8": best_of,
    "1.h1": lambda die: [len(turn(die).values) - 1, turn(die).value],
    "1.h2": lambda m, die: points(die, m).loc[m:].sum(),
    "1.h3": even,
    "1.h4": search,
    "1.x1": lambda few: [Fraction(2, few), *best_of(few)],
    "1.x2": sale,
    "1.x3": one_before,
}
