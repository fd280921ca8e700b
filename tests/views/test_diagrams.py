"""Diagrams of the lectures: what is drawn."""

import pandas as pd
import pytest

from dicelab import pig, solve, textbook
from dicelab.views import diagrams


def words(ax):
    """All texts on the Axes."""
    return " ".join(text.get_text() for text in ax.texts)


def test_the_backup_of_a_best_response_names_its_chances():
    text = words(diagrams.response_backup())
    assert text.count("friend's turn") == 2 and "β" in text.replace("$\\beta", "β") and "a, b, k + d" in text


def test_a_circle_has_an_arrow_from_each_to_the_one_that_it_beats():
    ax = diagrams.dice_circle(
        pd.DataFrame([[0, -0.5, 0.25], [0.5, 0, -0.125], [-0.25, 0.125, 0]], [1, 2, 3], [1, 2, 3])
    )
    assert all(f"wins {amount}" in words(ax) for amount in ("0.5000", "0.2500", "0.1250"))


def test_boxes_lie_where_they_are_said_to():
    f, g = textbook.curves(solve(pig(10), exact=True), 3, 5)
    ax = diagrams.nested_boxes(f, g, [(0, 1, 0, 1), (f(1), 1, g(1), 1)])
    last = ax.patches[-1]
    assert (last.get_x(), last.get_y()) == pytest.approx((float(f(1)), float(g(1))))
