"""The diagrams of the lectures: what is drawn."""

from fractions import Fraction

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from collection import textbook
from dicelab import pig, solve

diagrams = pytest.importorskip("collection.course.diagrams")


def texts(ax):
    return [text.get_text().strip() for text in ax.texts if text.get_text()]


def test_a_trajectory_ends_where_its_turn_does():
    ax = diagrams.trajectories([[0, 5, 11, 20], [0, 4, 0]], threshold=20)
    ends = [
        line.get_ydata()[-1]
        for line in ax.lines
        if line.get_marker() in ("o", "x") and len(line.get_ydata())
    ]
    assert ends == [20, 0] and "hold at 20" in texts(ax)[0]


def test_histories_meet_in_their_sum():
    ax = diagrams.merging_histories([(3, 5, 2), (6, 4)], steps=range(2, 7))
    assert texts(ax).count("10") == 1 and {"12", "13", "14", "15", "16"} <= set(texts(ax))


def test_backward_induction_is_filled_in_one_value_a_row():
    values = {k: k for k in range(20, 26)} | {19: 115 / 6, 18: 110 / 6}
    shown = texts(diagrams.fill_backwards(values, range(2, 7), first=18, last=20))
    assert shown.count("20.00") == 3 and shown.count("19.17") == 2 and shown.count("18.33") == 1


def test_a_backup_shows_the_end_as_the_probability_that_is_missing():
    rolls = {18 + face: 1 / 6 for face in range(2, 7)}
    ax = diagrams.backup(18, {"hold": (18, {}), "roll": (0, rolls)}, {20: 20})
    assert (
        texts(ax).count("1/6") == 6
        and texts(ax).count("end") == 2
        and "roll\nreward 0" in texts(ax)
    )


matplotlib.use("agg")


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_a_bust_is_a_branch_or_a_discount():
    ax = diagrams.bust_as_discount([Fraction(1, 4), 0, Fraction(1, 4), Fraction(1, 2)])
    assert texts(ax).count("k + 2") == texts(ax).count("k + 3") == 2 and "bust: 0" in texts(ax)
    assert {"· 3/4", "1/3", "2/3"} <= set(texts(ax)), (
        "with the discount, the faces that score add up to 1"
    )


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


def test_the_coin_race_names_its_probabilities():
    texts = [text.get_text() for text in diagrams.coin_race(Fraction(1, 3)).texts]
    assert "heads 2/3" in texts and "tails 1/3" in texts and "hold" in texts


def test_the_grid_shades_the_pairs_with_a_smaller_sum():
    ax = diagrams.pairs_grid(6, 4, 2)
    cells = [
        patch
        for patch in ax.patches
        if isinstance(patch, matplotlib.patches.Rectangle) and patch.get_fill()
    ]
    shaded = [
        cell for cell in cells if cell.get_facecolor()[:3] != (1, 1, 1) and cell.get_facecolor()[3]
    ]
    assert len(shaded) == 1 + 2 + 3 + 4
    arrows = [
        patch for patch in ax.patches if isinstance(patch, matplotlib.patches.FancyArrowPatch)
    ]
    assert len(arrows) == 2 + 3 + 1, "two busts, and a hold for each turn total below the need"
    with pytest.raises(ValueError, match="b: 4 is not allowed; give another need than a"):
        diagrams.pairs_grid(6, 4, 4)


def test_the_cobweb_leads_along_the_tangents_to_the_solution():
    f = g = lambda x: 1 - x / 2
    ax = diagrams.cobweb(f, g, [0, 2 / 3], rounds=3)
    tangents = next(line for line in ax.lines if line.get_label() == "Newton's tangents")
    assert tangents.get_xydata().ravel() == pytest.approx([0, 0.5, 2 / 3, 2 / 3])
    stairs = next(line for line in ax.lines if line.get_label().startswith("value iteration"))
    assert stairs.get_xydata()[-1] == pytest.approx([f(g(f(g(f(g(0))))))] * 2)


def words_of(ax):
    return [text.get_text() for text in ax.texts]


def test_two_histories_merge_in_one_game_only():
    left, right = diagrams.two_histories()
    assert left.get_title() == "Two-dice Pig" and right.get_title() == "Double Trouble"
    assert set(words_of(left)) == {"k = 0", "k = 8", "hold", "roll"}
    assert {"k = 8, m = 0", "k = 8, m = 1"} < set(words_of(right))
    assert words_of(right).count("hold") == 1 and words_of(right).count("roll") == 2
    assert len(left.lines) == len(right.lines) == 5 + 3 + 4 + 4  # pips


def test_the_edge_is_the_sum_of_both_distances():
    ax = diagrams.power_of_a_test(edge=0.01, games=19_623)
    assert texts(ax) == ["0.84 se", "1.96 se", "the edge: 2.80 se"]
    line = ax.lines[2].get_xdata()[0]
    assert line - 0.5 == pytest.approx(1.96 / 2.80 * 0.01, rel=1e-3)


def test_the_best_choice_after_a_roll_is_drawn_thick():
    ax = diagrams.choices_after_a_roll(
        "start", [("nothing", []), ("5 5", [("both", 2.5), ("one", 3.0)])]
    )
    weights = {text.get_text(): text.get_fontweight() for text in ax.texts}
    assert weights["one: 3.000"] == "bold" and weights["both: 2.500"] == "normal"
    assert "nothing: the turn ends with 0" in weights
    assert "both" in texts(diagrams.choices_after_a_roll("start", [("5 5", [("both", None)])])), (
        "without values"
    )


def test_targets_of_three_learners_are_named():
    words = {text.get_text() for text in diagrams.learning_targets().texts}
    assert {"Monte Carlo", "Sarsa", "Q-learning", "max"} <= words


def test_tuning_maps_show_every_number():
    mean = pd.DataFrame([[1.0, 22.5]], [0.6], [0.1, 0.3])
    spread = pd.DataFrame([[0.5, 4.0]], [0.6], [0.1, 0.3])
    left, right = diagrams.tuning_maps(mean, spread, "loss")
    assert [text.get_text() for text in left.texts] == ["1.0", "22.5"]
    assert [text.get_text() for text in right.texts] == ["0.5", "4.0"]


def test_gradient_paths_end_at_a_mark():
    path = np.array([[1.0, -1.0], [3.0, -2.0]])
    ax = diagrams.gradient_paths(lambda at: 1 + at @ at, {"path": path}, "height")
    assert ax.lines[-1].get_xydata().tolist() == [[3.0, -2.0]]


def words(ax):
    """All texts on the Axes."""
    return " ".join(text.get_text() for text in ax.texts)


def test_the_backup_of_a_best_response_names_its_chances():
    text = words(diagrams.response_backup())
    assert (
        text.count("friend's turn") == 2
        and "β" in text.replace("$\\beta", "β")
        and "a, b, k + d" in text
    )


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
