"""Figures: they draw what they are given, leave settings alone, and are the same bytes every time."""

import subprocess
import sys

import matplotlib
import pandas as pd
import pytest

import dicelab as dl
from dicelab import plots, textbook

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
    with pytest.raises(RuntimeError), plots.written_whole(tmp_path / "a.txt") as part:
        part.write_text("half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())
