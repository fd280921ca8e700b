"""Exact values are Fractions, and can be displayed however long they are."""

import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from dicelab._exact import ExactValue

LONG = ExactValue(10**5000 + 1, 3 * 10**5001)


def test_long_values_are_one_line():
    assert repr(LONG) == "<Fraction 0.0333333333333… (5,001/5,002 digits)>"
    assert str(LONG) == "0.0333333333333… (5,001/5,002 digits)"
    assert repr(ExactValue(-LONG)).startswith("<Fraction -0.0333333333333…")
    assert repr(ExactValue(2 * 10**5000 - 1, 10**5000)).startswith("<Fraction 1.99999999999…"), (
        "cut, not rounded"
    )
    with pytest.raises(ValueError, match="digits"):
        repr(Fraction(LONG))


def test_short_values_look_like_fractions():
    assert (
        repr(ExactValue(7776, 10961)) == "Fraction(7776, 10961)"
        and str(ExactValue(7776, 10961)) == "7776/10961"
    )
    assert str(ExactValue(3)) == "3" and eval(repr(ExactValue(-2, 3))) == ExactValue(-2, 3)


def test_it_is_a_fraction():
    assert (
        isinstance(LONG, Fraction) and Fraction(LONG) == LONG and hash(LONG) == hash(Fraction(LONG))
    )
    assert type(1 - LONG) is type(LONG * LONG) is type(-LONG) is Fraction
    assert float(LONG) == pytest.approx(1 / 30) and 0 < LONG < 0.04


@pytest.mark.parametrize("objective", ["win", "score"])
def test_exact_solutions_have_them(objective):
    values = dl.solve(dl.two_dice_pig(4), objective, exact=True).values
    assert all(type(value) is ExactValue for value in values.flat)


def test_tables_of_long_values_can_be_displayed():
    solution = dl.solve(dl.generalized_pig(["0.3123456789", "0.6876543211"], 32), exact=True)
    assert len(solution.value.in_full()) > 2 * 4300, "longer than what Python writes"
    series = solution.by_target()
    for shown in (
        solution.values,
        series,
        series.to_frame(),
        pd.DataFrame(solution.values[:3, :3]),
    ):
        assert "0.5" in repr(shown) and "0.5" in str(shown)
    assert "digits)" in series.to_frame()._repr_html_()
    copied = pickle.loads(pickle.dumps(solution))
    assert np.array_equal(copied.values, solution.values) and copied.value == solution.value
