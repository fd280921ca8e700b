"""Diagrams of the lectures: they say in words and in shapes what the lecture says."""

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import pytest

from dicelab.views import diagrams


@pytest.fixture(autouse=True)
def close():
    before = dict(plt.rcParams)
    yield
    assert dict(plt.rcParams) == before, "a diagram changes no settings"
    plt.close("all")


def words_of(ax):
    return [text.get_text() for text in ax.texts]


def test_two_histories_merge_in_one_game_only():
    left, right = diagrams.two_histories()
    assert left.get_title() == "Two-dice Pig" and right.get_title() == "Double Trouble"
    assert set(words_of(left)) == {"k = 0", "k = 8", "hold", "roll"}
    assert {"k = 8, m = 0", "k = 8, m = 1"} < set(words_of(right))
    assert words_of(right).count("hold") == 1 and words_of(right).count("roll") == 2
    assert len(left.lines) == len(right.lines) == 5 + 3 + 4 + 4  # pips
