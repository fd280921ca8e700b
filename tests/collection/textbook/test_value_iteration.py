"""Two players: value iteration of margins, and matches as Markov chains, against the fast solvers.

The same for races to win stands in tests/solvers/test_two_player.py.
"""

import numpy as np
import pytest
from conftest import dice
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from collection import textbook


@settings(max_examples=40)
@given(dice(most_target=7, finishes=("reach", "exact")), st.booleans())
def test_margins_of_random_dice(game, overshoot):
    overshoot &= game.finish == "reach"
    values, rolls = textbook.value_iteration(game, "margin", overshoot)
    solution = dl.solve(game, "margin", overshoot=overshoot)
    assert np.abs(values - solution.values).max() <= 1e-11
    assert np.array_equal(rolls[:, :, 0], solution.policy.roll_mask())


@settings(max_examples=30)
@given(dice(most_target=8, finishes=("reach", "exact")), st.integers(1, 9), st.integers(1, 9))
def test_matches_of_random_dice(game, n, m):
    match = dl.evaluate(game, dl.hold_at(n), dl.hold_at(m))
    expected = textbook.policy_evaluation(game, dl.hold_at(n), dl.hold_at(m))
    assert (match.first_wins, match.turns_mean) == pytest.approx(expected, rel=1e-11)


def test_value_iteration_that_does_not_converge():
    with pytest.raises(ArithmeticError, match=r"Pig: scores \(4, 4\) still change by"):
        textbook.value_iteration(dl.pig(5), max_sweeps=2)


def test_unbounded_margins_are_refused():
    with pytest.raises(NotImplementedError, match="has no hold"):
        textbook.value_iteration(dl.double_trouble(5), "margin", overshoot=True)
