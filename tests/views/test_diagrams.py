"""The diagrams of the course show the numbers that they are given."""

import pytest

from dicelab.views import diagrams


def texts(ax):
    return [text.get_text().strip() for text in ax.texts if text.get_text()]


def test_the_edge_is_the_sum_of_both_distances():
    ax = diagrams.power_of_a_test(edge=0.01, games=19_623)
    assert texts(ax) == ["0.84 se", "1.96 se", "the edge: 2.80 se"]
    line = ax.lines[2].get_xdata()[0]
    assert line - 0.5 == pytest.approx(1.96 / 2.80 * 0.01, rel=1e-3)


def test_the_best_choice_after_a_roll_is_drawn_thick():
    ax = diagrams.choices_after_a_roll("start", [("nothing", []), ("5 5", [("both", 2.5), ("one", 3.0)])])
    weights = {text.get_text(): text.get_fontweight() for text in ax.texts}
    assert weights["one: 3.000"] == "bold" and weights["both: 2.500"] == "normal"
    assert "nothing: the turn ends with 0" in weights
    assert "both" in texts(diagrams.choices_after_a_roll("start", [("5 5", [("both", None)])])), "without values"
