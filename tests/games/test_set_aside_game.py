"""One's own scores for dice that are set aside."""

from dataclasses import replace
from itertools import product

import pytest

import dicelab as dl
from dicelab.games import set_aside_game

TRIPLES = 1000, 200, 300, 400, 500, 600
FARKLE = {4: 1000, 5: 2000, 6: 3000}
# "four of a kind is twice the triple", and so on for each further die; 1 to 6 score 1,000 points


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
        return 100 * faces.count(1) + 50 * faces.count(5) if {*faces} <= {1, 5} else 0

    table = {(1,): 100, (5,): 50}
    rules = {"target": 40, "dice": 5, "opening": 300, "name": "few"}
    assert set_aside_game(function, **rules) == set_aside_game(table, **rules)


@pytest.mark.parametrize(
    ("scores", "said"),
    [
        ({(1,): 75}, r"scores\[\(1,\)\]: 75 is not allowed; give a multiple"),
        (lambda faces: 0.5, r"scores\[\(1,\)\]: 0\.5 is not allowed"),
        (3, "scores: 3 is not allowed"),
        ({}, "there is no way to score"),
    ],
)
def test_what_is_refused(scores, said):
    with pytest.raises(ValueError, match=said):
        set_aside_game(scores)
