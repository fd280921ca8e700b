"""One's own scores for dice that are set aside."""

from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import dicelab as dl
from dicelab.games import set_aside_game

TRIPLES = 1000, 200, 300, 400, 500, 600
FARKLE = {4: 1000, 5: 2000, 6: 3000}
# "four of a kind is twice the triple", and so on for each further die; 1 to 6 score 1,000 points
DOUBLED = {(1,): 100, (5,): 50, (1, 2, 3, 4, 5, 6): 1000}
DOUBLED |= {
    (face,) * number: TRIPLES[face - 1] << number - 3
    for face, number in product(range(1, 7), range(3, 7))
}
POINTS = {
    2: 368.0118,
    4: 411.7193,
    6: 421.5958,
    10: 367.7827,
    20: 299.7866,
}  # held at so many chips


def points_of(roll):
    """The most points of a roll, and the dice that score, by the rules in words."""
    numbers = Counter(roll)
    if len(numbers) == 6:
        return 1000, 6
    points, used = 0, 0
    for face, number in numbers.items():
        if number >= 3:
            points, used = points + TRIPLES[face - 1] * 2 ** (number - 3), used + number
        elif face in (1, 5):
            points, used = points + number * (100 if face == 1 else 50), used + number
    return points, used


@cache
def rolls_of(dice):
    return Counter(map(points_of, product(range(1, 7), repeat=dice)))


@pytest.mark.parametrize("stop", POINTS)
def test_four_of_a_kind_is_twice_the_triple(stop):
    """In the mean, by each of 6^n rolls; and by the library."""

    @cache
    def held(dice, points):
        if points >= 50 * stop:
            return points
        return rolled(dice, points)

    def rolled(dice, points):
        return (
            sum(
                number * held(dice - used or 6, points + more)
                for (more, used), number in rolls_of(dice).items()
                if used
            )
            / 6**dice
        )

    mean = rolled(6, 0)
    assert mean == pytest.approx(POINTS[stop], abs=5e-5)
    points = dl.turn_points(set_aside_game(DOUBLED), dl.hold_at(stop))
    assert 50 * float(np.dot(points.index, points)) == pytest.approx(mean, abs=1e-9)


def test_games_of_the_catalogue_in_other_words():
    scores = {(1,): 100, (5,): 50, (1, 2, 3, 4, 5, 6): 1500}
    scores |= {(face,) * 3: TRIPLES[face - 1] for face in range(1, 7)}
    scores |= {(face,) * n: points for face in range(1, 7) for n, points in FARKLE.items()}
    scores |= {
        (a, a, b, b, c, c): 1500
        for a, b, c in product(range(1, 7), repeat=3) if a < b < c
    }  # fmt: skip
    game, farkle = set_aside_game(scores), dl.farkle()
    assert replace(game, name=farkle.name) == farkle

    def function(faces):
        points, used = points_of(faces)
        return points if used == len(faces) else 0

    by_function = set_aside_game(function, 40, dice=5, opening=300, name="doubled")
    by_table = set_aside_game(DOUBLED, 40, dice=5, opening=300, name="doubled")
    assert by_function == by_table
    assert dl.solve(by_table, "score").value == dl.solve(by_function, "score").value


def test_what_is_refused():
    with pytest.raises(ValueError, match=r"scores\[\(1,\)\]: 75 is not allowed; give a multiple"):
        set_aside_game({(1,): 75})
    with pytest.raises(ValueError, match=r"scores\[\(1,\)\]: 0\.5 is not allowed"):
        set_aside_game(lambda faces: 0.5)
    with pytest.raises(ValueError, match="scores: 3 is not allowed"):
        set_aside_game(3)
    with pytest.raises(ValueError):
        set_aside_game({})
