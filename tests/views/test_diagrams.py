"""The diagrams of the lectures show the numbers that they are given."""

import pytest

diagrams = pytest.importorskip("dicelab.views.diagrams")


def texts(ax):
    return [text.get_text() for text in ax.texts]


def test_a_trajectory_ends_where_its_turn_does():
    ax = diagrams.trajectories([[0, 5, 11, 20], [0, 4, 0]], threshold=20)
    ends = [line.get_ydata()[-1] for line in ax.lines if line.get_marker() in ("o", "x") and len(line.get_ydata())]
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
    assert texts(ax).count("1/6") == 6 and texts(ax).count("end") == 2 and "roll\nreward 0" in texts(ax)
