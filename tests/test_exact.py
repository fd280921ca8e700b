"""Exact values are Fractions, and can be displayed however long they are."""

from fractions import Fraction

import pandas as pd
import pytest

import dicelab as dl
from dicelab._exact import ExactValue

LONG = ExactValue(10**5000 + 1, 3 * 10**5001)


@pytest.mark.parametrize(
    ("value", "shown", "printed"),
    [
        (LONG, "<Fraction 0.0333333333333… (5,001/5,002 digits)>", "0.0333333333333… (5,001/5,002 digits)"),
        (-LONG, "<Fraction -0.0333333333333…", "-0.0333333333333…"),
        # cut, not rounded
        (ExactValue(2 * 10**5000 - 1, 10**5000), "<Fraction 1.99999999999…", "1.99999999999…"),
        (ExactValue(7776, 10961), "Fraction(7776, 10961)", "7776/10961"),
        (ExactValue(3), "Fraction(3, 1)", "3"),
    ],
)  # fmt: skip
def test_values_are_one_line(value, shown, printed):
    assert repr(ExactValue(value)).startswith(shown) and str(ExactValue(value)).startswith(printed)


def test_it_is_a_fraction():
    assert Fraction(LONG) == LONG and hash(LONG) == hash(Fraction(LONG))
    assert type(1 - LONG) is type(LONG * LONG) is type(-LONG) is Fraction


@pytest.mark.parametrize("objective", ["win", "score"])
def test_exact_solutions_have_them(objective):
    values = dl.solve(dl.two_dice_pig(4), objective, exact=True).values
    assert all(type(value) is ExactValue for value in values.flat)


def test_tables_of_long_values_can_be_displayed():
    solution = dl.solve(dl.generalized_pig(["0.3123456789", "0.6876543211"], 32), exact=True)
    assert len(solution.value.in_full()) > 2 * 4300, "longer than what Python writes"
    series = solution.by_target()
    for shown in (solution.values, series, pd.DataFrame(solution.values[:3, :3])):
        assert "0.5" in repr(shown) and "0.5" in str(shown)
    assert "digits)" in series.to_frame()._repr_html_()
