"""The diagrams of the lectures: what is drawn."""

from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

diagrams = pytest.importorskip("collection.course.diagrams")


def texts(ax):
    return [text.get_text().strip() for text in ax.texts if text.get_text()]


def test_backward_induction_is_filled_in_one_value_a_row():
    values = {k: k for k in range(20, 26)} | {19: 115 / 6, 18: 110 / 6}
    shown = texts(diagrams.fill_backwards(values, range(2, 7), first=18, last=20))
    assert shown.count("20.00") == 3 and shown.count("19.17") == 2 and shown.count("18.33") == 1


matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


TURNS = pd.DataFrame(
    {"rolls": [Fraction(1), Fraction(3, 2)], "points": [Fraction(1, 2), Fraction(3, 5)]},
    index=[1, 2],
)


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


def test_the_cobweb_leads_along_the_tangents_to_the_solution():
    f = g = lambda x: 1 - x / 2
    ax = diagrams.cobweb(f, g, [0, 2 / 3], rounds=3)
    tangents = next(line for line in ax.lines if line.get_label() == "Newton's tangents")
    assert tangents.get_xydata().ravel() == pytest.approx([0, 0.5, 2 / 3, 2 / 3])
    stairs = next(line for line in ax.lines if line.get_label().startswith("value iteration"))
    assert stairs.get_xydata()[-1] == pytest.approx([f(g(f(g(f(g(0))))))] * 2)


def words(ax):
    """All texts on the Axes."""
    return " ".join(text.get_text() for text in ax.texts)


def test_a_circle_has_an_arrow_from_each_to_the_one_that_it_beats():
    ax = diagrams.dice_circle(
        pd.DataFrame([[0, -0.5, 0.25], [0.5, 0, -0.125], [-0.25, 0.125, 0]], [1, 2, 3], [1, 2, 3])
    )
    assert all(f"wins {amount}" in words(ax) for amount in ("0.5000", "0.2500", "0.1250"))
