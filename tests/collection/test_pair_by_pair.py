"""The paper's own algorithms, compiled: they agree with the textbook, and Table 1 is an iteration stopped early."""

import numpy as np
import pytest

import collection
import dicelab as dl
from collection.course.textbook import curves
from collection.papers.claims.pair_by_pair import polygon_corners, stopped_iteration

DICE = {"pig": ["1/6", 0, *["1/6"] * 5], "gaps": ["2/5", "1/5", 0, "2/5"]}


@pytest.mark.parametrize("die", DICE.values(), ids=DICE)
def test_the_iteration_goes_to_the_solution(die):
    game = dl.generalized_pig(die, 20)
    solution = dl.solve(game).values
    errors = [
        np.abs(stopped_iteration(game, tolerance)[0] - solution).max()
        for tolerance in (1e-3, 1e-6, 1e-13)
    ]
    assert errors[0] > 10 * errors[1] and errors[2] < 1e-11


@pytest.mark.parametrize("die", DICE.values(), ids=DICE)
def test_corners_are_those_of_the_textbook_in_fractions(die):
    game = dl.generalized_pig(die, 9)
    exact, (every, last) = dl.solve(game, exact=True), polygon_corners(game)
    for a, b in np.ndindex(9, 9):
        f, _ = curves(exact, a + 1, b + 1)
        assert len(f.x) == last[8 - a, 8 - b] <= every[8 - a, 8 - b]


def test_table_1_is_the_iteration_stopped_at_a_millionth():
    """All eight digits of the first four values; other starts and other tolerances give other digits."""
    printed = (
        collection.published("generalized-pig", "table-1").set_index("target")["printed"].loc[:200]
    )

    def agreements(tolerance, start):
        values, _ = stopped_iteration(dl.pig(200), tolerance, start)
        return sum(f"{values[-n, -n]:.8f}" == text for n, text in printed.items())

    assert agreements(1e-6, 1.0) == len(printed) == 4
    for tolerance, start in ((1e-6, 0.0), (1e-6, 0.5), (9e-7, 1.0), (1.1e-6, 1.0), (1e-7, 1.0)):
        assert agreements(tolerance, start) < 3


def test_games_that_the_paper_does_not_treat():
    for game in (dl.two_dice_pig(5), dl.pig(5, "exact")):
        with pytest.raises(NotImplementedError, match="not allowed"):
            stopped_iteration(game, 1e-6)
    with pytest.raises(ValueError, match="tolerance"):
        stopped_iteration(dl.pig(5), 0)
