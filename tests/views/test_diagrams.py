"""Diagrams of the course."""

import numpy as np
import pandas as pd

from dicelab.views import diagrams


def test_targets_of_three_learners_are_named():
    words = {text.get_text() for text in diagrams.learning_targets().texts}
    assert {"Monte Carlo", "Sarsa", "Q-learning", "max"} <= words


def test_tuning_maps_show_every_number():
    mean, spread = pd.DataFrame([[1.0, 22.5]], [0.6], [0.1, 0.3]), pd.DataFrame([[0.5, 4.0]], [0.6], [0.1, 0.3])
    left, right = diagrams.tuning_maps(mean, spread, "loss")
    assert [text.get_text() for text in left.texts] == ["1.0", "22.5"]
    assert [text.get_text() for text in right.texts] == ["0.5", "4.0"]


def test_gradient_paths_end_at_a_mark():
    path = np.array([[1.0, -1.0], [3.0, -2.0]])
    ax = diagrams.gradient_paths(lambda at: 1 + at @ at, {"path": path}, "height")
    assert ax.lines[-1].get_xydata().tolist() == [[3.0, -2.0]]
