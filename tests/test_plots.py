"""Figures: they draw what they are given, leave settings alone, and are the same bytes every time."""

import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from dicelab import plots, style, textbook

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
    lowest = solution.policy.lowest_holds()
    yield lambda **kw: plots.polygons(f, g, textbook.by_intersection(f, g), **kw)
    yield lambda **kw: plots.advantage(solution.by_target(), (0.3, -0.5), **kw)
    yield lambda **kw: plots.cost(pd.Series([10, 40], index=[5, 10]), 2.0, **kw)
    yield lambda **kw: plots.first_hold(lowest, **kw)
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
    ax = plots.polygons(f, g, (4 / 11, 8 / 11))
    ring = ax.lines[2].get_xydata()[0]
    assert ring == pytest.approx([f(g(4 / 11)), g(4 / 11)], abs=1e-15)


def test_saved_files_are_whole_rounded_and_the_same_every_time(tmp_path):
    data = pd.Series([1 / 3], index=pd.Index([7], name="target"), name="value")
    plots.save(tmp_path, "a", data, plots.advantage(dl.solve(dl.piglet(8)).by_target()))
    assert (tmp_path / "a.csv").read_text() == "target,value\n7,0.333333333333\n"
    again = "import sys, dicelab as dl, pandas as pd\nfrom dicelab import plots\n"
    again += "plots.save(sys.argv[1], 'b', pd.Series([0]), plots.advantage(dl.solve(dl.piglet(8)).by_target()))"
    subprocess.run([sys.executable, "-c", again, str(tmp_path)], check=True)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.svg", "b.csv", "b.svg"]


def test_nothing_is_written_without_a_folder_or_half_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plots.save("", "a", pd.Series([1]))
    with pytest.raises(RuntimeError), style.written_whole(tmp_path / "a.txt") as part:
        part.write_text("half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_panels_show_the_decisions():
    """The pixels of each panel are the mask; a policy that stands alone has its own colour."""
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
    rolled = plots.rolled(masks, [10]).set_index(["policy", "opponent", "own"])["rolls"]
    assert rolled["never", 10, 3] == "0-0"
    for name, own in (("win", 0), ("margin", 17)):
        spans = [range(*map(int, span.split("-"))) for span in rolled[name, 10, own].split()]
        totals = [total for span in spans for total in (*span, span.stop)]
        assert totals == np.flatnonzero(masks[name][own, 10]).tolist()
    with pytest.raises(ValueError, match="opponents: 30 is not allowed"):
        plots.panels(plots.decisions, masks["win"], [0, 30])
