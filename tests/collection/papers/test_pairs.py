"""Strategy iteration on a pair of scores stops at its solution, and the sum of both values rises in every step."""

from itertools import combinations_with_replacement, pairwise, product

import pytest

import dicelab as dl
from collection.course.textbook import curves


def iterated(lines_f, lines_g, first, second, choose):
    """The values (x, y) from step to step; both players change to the better line (c, β) that `choose` takes."""
    values = []
    while True:
        (c1, beta1), (c2, beta2) = first, second
        x = (c1 + beta1 * (1 - c2 - beta2)) / (1 - beta1 * beta2)
        y = c2 + beta2 * (1 - x)
        values.append((x, y))
        better_f = [(c, beta) for c, beta in lines_f if c + beta * (1 - y) > x]
        better_g = [(c, beta) for c, beta in lines_g if c + beta * (1 - x) > y]
        if not better_f and not better_g:
            return values
        first = choose(better_f, key=lambda line: line[1], default=first)
        second = choose(better_g, key=lambda line: line[1], default=second)


@pytest.mark.parametrize("pair", [*combinations_with_replacement(range(1, 7), 2)], ids=str)
def test_strategy_iteration_stops(pair):
    piglet = dl.solve(dl.piglet(6), exact=True)
    lines = [
        [(y - s * (x - 1), -s) for x, y, s in zip(h.x, h.y, h.slopes, strict=False)]
        for h in curves(piglet, *pair)
    ]
    need, other = pair
    for first, second, choose in product(*lines, (max, min)):
        values = iterated(*lines, first, second, choose)
        assert values[-1] == (piglet.values[-need, -other], piglet.values[-other, -need])
        assert all(sum(after) > sum(before) for before, after in pairwise(values))
