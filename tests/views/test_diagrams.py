"""Diagrams of the course: they draw what they are given."""

import matplotlib
import pytest

from dicelab.views import diagrams

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def test_the_grid_shades_the_pairs_with_a_smaller_sum():
    ax = diagrams.pairs_grid(6, 4, 2)
    cells = [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.Rectangle) and patch.get_fill()]
    shaded = [cell for cell in cells if cell.get_facecolor()[:3] != (1, 1, 1) and cell.get_facecolor()[3]]
    assert len(shaded) == 1 + 2 + 3 + 4
    arrows = [patch for patch in ax.patches if isinstance(patch, matplotlib.patches.FancyArrowPatch)]
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
