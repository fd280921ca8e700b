"""The checks of two-dice-pig: what they compute by themselves agrees with our solvers, and wrong rules are noticed."""

import numpy as np
import pytest

import dicelab as dl
from collection.papers import reachable
from collection.papers.claims.two_dice_pig import _iterate, _trouble_value, _turn


def test_algorithm_1_needs_the_winning_states():
    value = dl.solve(dl.two_dice_pig(8)).value
    assert _iterate(8, 0.5, 1.0)[0][0, 0, 0] == pytest.approx(value, abs=1e-8)
    assert _iterate(8, 0.5, 0.5)[0][0, 0, 0] == 0.5


def test_one_turn_leads_back_to_the_values():
    values = dl.solve(dl.two_dice_pig(15)).values
    np.testing.assert_allclose(_turn(values)[0][:, :, 0], values, atol=1e-12)
    assert np.abs(_turn(values + 0.01)[0][:, :, 0] - values).max() > 1e-3


def test_double_trouble_by_the_corrected_equations():
    value = dl.solve(dl.double_trouble(30)).value
    assert _trouble_value(30, total_counts=True, reached=1, passed=0) == pytest.approx(
        value, abs=1e-8
    )
    assert abs(_trouble_value(30, total_counts=True, reached=0, passed=1) - value) > 0.01


def test_reachable_totals():
    """Piglet: one by one, up to the hold; Double Trouble: a double leads to the mode without a hold."""
    reached = reachable(dl.piglet(9), dl.hold_at(3))
    assert reached[0, 0, 0].tolist() == [True] * 4 + [False] * 5
    assert reached[7, 0, 0].tolist() == [True] * 2 + [False] * 7
    doubles = reachable(dl.double_trouble(30), dl.hold_at(5))
    assert np.flatnonzero(doubles[0, 0, 1]).tolist() == [*range(4, 30, 2)]
    assert not doubles[0, 0, 0, [1, 2, 3, 4]].any()
