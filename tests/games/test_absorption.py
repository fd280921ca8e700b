"""Linear systems in fractions: dense, singular, and long ones without a circle."""

import random
from fractions import Fraction

import sympy

from dicelab.games.absorption import solve_linear


def test_random_systems_and_singular_ones():
    """Against sympy, with zeros on the diagonal."""
    rng = random.Random(1)
    singular = 0
    for _ in range(200):
        size = rng.randint(1, 6)
        rows = [[Fraction(rng.choice([0, 0, 1, -2, 3])) for _ in range(size)] for _ in range(size)]
        right = [[Fraction(rng.randint(-3, 3)) for _ in range(2)] for _ in range(size)]
        found = solve_linear([dict(enumerate(row)) for row in rows], right)
        matrix = sympy.Matrix([[int(number) for number in row] for row in rows])
        assert (found is None) == (matrix.det() == 0)
        if found is None:
            singular += 1
            continue
        for row, given in zip(rows, right, strict=True):
            for column in range(2):
                total = sum(
                    (x * each[column] for x, each in zip(row, found, strict=True)), Fraction(0)
                )
                assert total == given[column]
    assert 20 < singular < 180


def test_a_long_system_without_a_circle():
    """x(k) = 1 + x(k + 1)/2 for 3,000 unknowns, each of which takes one step."""
    size = 3000
    rows = [{k: Fraction(1), k + 1: Fraction(-1, 2)} for k in range(size - 1)] + [
        {size - 1: Fraction(1)}
    ]
    found = solve_linear(rows, [[Fraction(1)] for _ in rows])
    assert found[-3:] == [[Fraction(7, 4)], [Fraction(3, 2)], [Fraction(1)]]
    assert found[0] == [2 - Fraction(1, 2 ** (size - 1))]
