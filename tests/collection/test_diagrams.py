"""The diagrams of the chapters: what is drawn."""

from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import pandas as pd
import pytest

diagrams = pytest.importorskip("collection.course.diagrams")


def texts(ax):
    return [text.get_text().strip() for text in ax.texts if text.get_text()]


def test_what_stands_on_a_diagram():
    """Backward induction is filled in one value a row; a circle says by how much each beats another."""
    values = {k: k for k in range(20, 26)} | {19: 115 / 6, 18: 110 / 6}
    filled = texts(diagrams.fill_backwards(values, range(2, 7), first=18, last=20))
    assert [filled.count(value) for value in ("20.00", "19.17", "18.33")] == [3, 2, 1]
    wins = pd.DataFrame(
        [[0, -0.5, 0.25], [0.5, 0, -0.125], [-0.25, 0.125, 0]], [1, 2, 3], [1, 2, 3]
    )
    circle = " ".join(texts(diagrams.dice_circle(wins)))
    assert all(f"wins {amount}" in circle for amount in ("0.5000", "0.2500", "0.1250"))


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


def test_the_cobweb_leads_along_the_tangents_to_the_solution():
    f = g = lambda x: 1 - x / 2
    ax = diagrams.cobweb(f, g, [0, 2 / 3], rounds=3)
    tangents = next(line for line in ax.lines if line.get_label() == "Newton's tangents")
    assert tangents.get_xydata().ravel() == pytest.approx([0, 0.5, 2 / 3, 2 / 3])
    stairs = next(line for line in ax.lines if line.get_label().startswith("value iteration"))
    assert stairs.get_xydata()[-1] == pytest.approx([f(g(f(g(f(g(0))))))] * 2)
