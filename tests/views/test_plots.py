"""Figures: they draw the data they are given, leave settings alone, and give the same bytes every time."""

import subprocess
import sys
from unittest.mock import Mock

import matplotlib
import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from dicelab import _files, plots, textbook

matplotlib.use("agg")
import matplotlib.pyplot as plt


@pytest.fixture(autouse=True)
def close():
    before = dict(plt.rcParams)
    yield
    assert dict(plt.rcParams) == before, "a figure changes no settings"
    plt.close("all")


def drawings():
    solution = dl.solve(dl.piglet(8))
    f, g = textbook.curves(solution, 3, 2)
    mask = solution.policy.roll_mask()
    lowest = solution.policy.hold_thresholds()
    yield lambda **kw: plots.pair_curves(f, g, textbook.by_intersection(f, g), **kw)
    yield lambda **kw: plots.first_player_advantage(solution.by_target(), (0.3, -0.5), **kw)
    yield lambda **kw: plots.cost(pd.Series([10, 40], index=[5, 10]), 2.0, **kw)
    yield lambda **kw: plots.digits(pd.Series([1, 12, 140], index=[1, 20, 40]), **kw)
    yield lambda **kw: plots.hold_thresholds(lowest, **kw)
    yield lambda **kw: plots.decisions(mask, 3, **kw)
    yield lambda **kw: plots.contours(lowest, **kw)
    yield lambda **kw: plots.lines(pd.DataFrame(lowest), "own score (points)", "hold at (points)", **kw)
    yield lambda **kw: plots.matrix(pd.DataFrame(lowest), "own score", "opponent's score", "hold at", **kw)


@pytest.mark.parametrize("draw", list(drawings()))
def test_every_drawing_has_labelled_axes_and_takes_an_ax(draw):
    ax = draw()
    assert ax.get_xlabel() and ax.get_ylabel()
    _, given = plt.subplots()
    assert draw(ax=given) is given


def test_the_curves_cross_where_the_ring_is():
    f, g = textbook.curves(dl.solve(dl.piglet(3), exact=True), 3, 2)
    solid, dashed, ring = (line.get_xydata() for line in plots.pair_curves(f, g, (4 / 11, 8 / 11)).lines)
    assert ring[0] == pytest.approx([f(g(4 / 11)), g(4 / 11)], abs=1e-15)
    assert [g(x) for x, _ in solid] == pytest.approx(solid[:, 1], abs=1e-15), "y = g(x)"
    assert [f(y) for _, y in dashed] == pytest.approx(dashed[:, 0], abs=1e-15), "x = f(y)"
    assert solid[:, 0].tolist() == [*map(float, g.x)] and dashed[:, 1].tolist() == [*map(float, f.x)], "all corners"


def drawn(ax):
    """The data of the lines of a figure, by label; two columns, x and y."""
    return {line.get_label(): line.get_xydata() for line in ax.lines}


def test_the_logarithmic_figures_draw_the_data():
    values = dl.solve(dl.piglet(8)).by_target()
    curves = drawn(plots.first_player_advantage(values, (0.3, -0.5)))
    assert curves["optimal play"].tolist() == np.column_stack([values.index, values - 0.5]).tolist()
    (law,) = (curve for label, curve in curves.items() if "fitted" in label)
    assert law == pytest.approx(np.array([[1, 0.3], [8, 0.3 * 8**-0.5]]))
    assert len(drawn(plots.first_player_advantage(values))) == 1
    curves = drawn(plots.cost(pd.Series([10, 40], index=[5, 10]), 2.5))
    assert curves["turn totals evaluated"].tolist() == [[5, 10], [10, 40]]
    assert curves["N$^{2.50}$, fitted"] == pytest.approx(np.array([[5, 40 / 2**2.5], [10, 40]]))
    bound = curves["N³ log N, the paper's bound (scaled)"]
    assert bound == pytest.approx(np.array([[5, 40 / 8 * np.log(5) / np.log(10)], [10, 40]]))


def test_every_column_is_a_line_of_its_own_look():
    table = pd.DataFrame(np.arange(36).reshape(3, 12), index=[2, 3, 5])
    ax = plots.lines(table, "x", "y")
    assert {label: line.tolist() for label, line in drawn(ax).items()} == {
        str(name): [[2, name], [3, 12 + name], [5, 24 + name]] for name in range(12)
    }
    assert len({(line.get_color(), line.get_linestyle()) for line in ax.lines}) == 12
    assert [text.get_text() for text in ax.get_legend().get_texts()] == [str(name) for name in range(12)]


def test_maps_show_the_data():
    """Own score to the right, the opponent's upwards; gray where the player rolls until the win."""
    policy = dl.solve(dl.pig(60)).policy
    mask, lowest = policy.roll_mask(), policy.hold_thresholds()
    image = plots.hold_thresholds(lowest).images[0]
    shown, wins = image.get_array().T, lowest == 60 - np.arange(60)[:, None]
    assert np.array_equal(shown.data, lowest) and np.array_equal(shown.mask, wins) and 0 < wins.mean() < 1
    assert image.origin == "lower"
    image = plots.decisions(mask, 7).images[0]
    shown, (own, total) = image.get_array().T, np.indices((60, 60))
    assert np.array_equal(shown.mask, own + total >= 60)
    assert np.array_equal(shown.filled(0), mask[:, 7]) and image.cmap(image.norm(0)) == (1, 1, 1, 1), "hold is white"
    table = pd.DataFrame([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]], index=[10, 11], columns=[5, 6, 7])
    image = plots.matrix(table, "m", "n", "p").images[0]
    assert image.get_array().tolist() == table.to_numpy().tolist()
    assert ([*image.get_extent()], image.origin) == ([4.5, 7.5, 9.5, 11.5], "lower")


def test_contours_and_surface_are_those_of_the_table():
    own, opponent = np.indices((30, 30))
    plane = 2 * own + opponent  # no symmetry: the axes must not be interchanged
    ax = plots.contours(plane)
    (contours,) = ax.collections
    for level, segments in zip(contours.levels, contours.allsegs, strict=True):
        for x, y in np.concatenate([np.empty((0, 2)), *segments]):
            assert 2 * x + y == pytest.approx(level)
    assert contours.levels.tolist() == [0, 5, 10, 15, 20, 25]
    canvas = Mock()
    plots.surface(plane, ax=canvas)
    x, y, z = canvas.plot_surface.call_args.args
    assert np.array_equal(2 * x + y, z) and z is plane
    with pytest.raises(ValueError, match="give a target of at least 2"):
        plots.contours(np.array([[1]]))


def test_verdicts_show_the_digits_and_mark_what_disagrees():
    comparison = dl.compare("generalized-pig", "table-1", {10: 0.7, 50: dl.solve(dl.pig(50)).value})
    page = plots.verdicts(comparison).to_html()
    assert "0.546150844167" in page and "-9.4e-03" in page and "5e-09" in page
    assert page.count("background: black") == 1 and page.count("font-weight: bold") == 1


@pytest.mark.slow
def test_saved_files_are_whole_rounded_and_the_same_every_time(tmp_path):
    data = pd.Series([1 / 3], index=pd.Index([7], name="target"), name="value")
    plots.save(tmp_path, "a", data, plots.first_player_advantage(dl.solve(dl.piglet(8)).by_target()))
    assert (tmp_path / "a.csv").read_text() == "target,value\n7,0.333333333333\n"
    again = "import sys, dicelab as dl, pandas as pd\nfrom dicelab import plots\n"
    again += "ax = plots.first_player_advantage(dl.solve(dl.piglet(8)).by_target())\n"
    again += "plots.save(sys.argv[1], 'b', pd.Series([0]), ax)"
    subprocess.run([sys.executable, "-c", again, str(tmp_path)], check=True)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.svg", "b.csv", "b.svg"]


def test_nothing_is_written_without_a_folder_or_half_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plots.save("", "a", pd.Series([1]))
    with pytest.raises(RuntimeError), _files.atomic_write(tmp_path / "a.txt") as part:
        part.write_text("half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_panels_show_the_decisions():
    """The pixels of each panel are the mask; a policy that disagrees with the others has its own colour."""
    race = dl.pig(30)
    masks = {"win": dl.solve(race).policy.roll_mask(), "margin": dl.solve(race, "margin").policy.roll_mask()}
    masks["never"] = masks["win"] & (np.arange(30) == 0)
    first = plots.panels(plots.decisions, masks["win"], [0, 10, 25, 29])
    visible = [ax for ax in first.figure.axes if ax.get_visible()]
    assert len(visible) == 4
    for ax, opponent in zip(visible, [0, 10, 25, 29], strict=True):
        image = ax.images[0].get_array()
        assert np.array_equal(image.filled(0).T.astype(bool), masks["win"][:, opponent])
        own, total = np.indices((30, 30))
        assert np.array_equal(image.mask.T, own + total >= 30)
    ax = plots.disagreement(masks, 10)
    kinds = ax.images[0].get_array().filled(0).T
    for number, name in enumerate(masks, start=2):
        others = [masks[other][:, 10] for other in masks if other != name]
        alone = (others[0] == others[1]) & (masks[name][:, 10] != others[0])
        assert np.array_equal(kinds == number, alone)
    ranges = plots.roll_ranges(masks, [10]).set_index(["policy", "opponent", "own"])["rolls"]
    assert ranges["never", 10, 3] == "0-0"
    for name, own in (("win", 0), ("margin", 17)):
        spans = [range(*map(int, span.split("-"))) for span in ranges[name, 10, own].split()]
        totals = [total for span in spans for total in (*span, span.stop)]
        assert totals == np.flatnonzero(masks[name][own, 10]).tolist()
    with pytest.raises(ValueError, match="opponents: 30 is not allowed"):
        plots.panels(plots.decisions, masks["win"], [0, 30])
