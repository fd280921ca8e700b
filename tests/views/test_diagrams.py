"""Diagrams of the course: they draw what they are given, on the Axes that they are given."""

from fractions import Fraction

import matplotlib
import pandas as pd
import pytest

from dicelab.views import diagrams

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_a_bust_is_a_branch_or_a_discount():
    ax = diagrams.bust_as_discount([Fraction(1, 4), 0, Fraction(1, 4), Fraction(1, 2)])
    assert texts(ax).count("k + 2") == texts(ax).count("k + 3") == 2 and "bust: 0" in texts(ax)
    assert {"· 3/4", "1/3", "2/3"} <= set(texts(ax)), "with the discount, the faces that score add up to 1"


TURNS = pd.DataFrame({"rolls": [Fraction(1), Fraction(3, 2)], "points": [Fraction(1, 2), Fraction(3, 5)]}, index=[1, 2])


def test_tangents_start_at_the_pauses_and_have_the_gain_as_slope():
    _, given = plt.subplots()
    ax = diagrams.tangents_from_pauses(TURNS, [[1.2, 0.4]], {1: 1, 4: 2}, ax=given)
    assert ax is given
    lines = [line for line in ax.lines if "slope" in line.get_label()]
    assert [line.get_xdata()[0] for line in lines] == [-1, -4]
    slopes = [line.get_ydata()[1] / (line.get_xdata()[1] - line.get_xdata()[0]) for line in lines]
    assert slopes == pytest.approx([0.25, 0.6 / 5.5])


def test_newton_ends_at_the_gain():
    ax = diagrams.newton_of_ratio(TURNS, 1, [Fraction(0), Fraction(6, 25), Fraction(1, 4)])
    (star,) = [line for line in ax.lines if line.get_marker() == "*"]
    assert star.get_xdata()[0] == 0.25 and "0.2500" in star.get_label()
