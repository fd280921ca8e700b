"""Figures: they draw the data they are given, leave settings alone, and give the same bytes every time."""

import subprocess
import sys
from unittest.mock import Mock

import matplotlib
import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from collection import paper_plots, textbook
from dicelab import _files, plots
from dicelab.games.catalogue import GAMES
from dicelab.views import policy_maps
from dicelab.views.style import figures_in
from dicelab_extras import grading

matplotlib.use("agg")
import matplotlib.pyplot as plt
from matplotlib.colors import to_hex


@pytest.fixture(autouse=True)
def close():
    before = dict(plt.rcParams)
    yield
    assert dict(plt.rcParams) == before, "a figure changes no settings"
    plt.close("all")


def test_the_curves_cross_where_the_ring_is():
    f, g = textbook.curves(dl.solve(dl.piglet(3), exact=True), 3, 2)
    drawn = paper_plots.pair_curves(f, g, (4 / 11, 8 / 11)).lines
    solid, dashed, ring = (line.get_xydata() for line in drawn)
    assert ring[0] == pytest.approx([f(g(4 / 11)), g(4 / 11)], abs=1e-15)
    assert [g(x) for x, _ in solid] == pytest.approx(solid[:, 1], abs=1e-15), "y = g(x)"
    assert [f(y) for _, y in dashed] == pytest.approx(dashed[:, 0], abs=1e-15), "x = f(y)"


def inside(path, points):
    """Whether the path goes around each point more often in one direction than in the other, as drawing fills it."""
    turns = np.zeros(len(points))
    for polygon in path.to_polygons():
        x, y = polygon.T
        turns += np.sign(x[:-1] @ y[1:] - x[1:] @ y[:-1]) * matplotlib.path.Path(
            polygon
        ).contains_points(points)
    return turns != 0


def centres(shape):
    return np.stack(np.indices(shape), axis=-1).reshape(-1, 2)


def read_map(collection, shape, x=0, y=0):
    """The numbers that a map shows at the centres of its cells, [column, row]; NaN where there is no shape."""
    points = centres(shape) + np.array([x, y])
    numbers = np.full(len(points), np.nan)
    values = collection.get_array()
    for number, path in zip(
        range(99) if values is None else values, collection.get_paths(), strict=values is not None
    ):
        numbers[inside(path, points)] = number
    return numbers.reshape(shape)


def test_maps_show_the_data():
    """Own score to the right, the opponent's upwards; gray where the player rolls until the win."""
    policy = dl.solve(dl.pig(60)).policy
    mask, lowest = policy.roll_mask(), policy.hold_thresholds()
    wins = lowest == 60 - np.arange(60)[:, None]
    ax = plots.hold_thresholds(lowest)
    gray, image = ax.collections
    assert np.array_equal(read_map(gray, (60, 60)) == 0, wins) and 0 < wins.mean() < 1
    assert np.array_equal(read_map(image, (60, 60)), np.where(wins, np.nan, lowest), equal_nan=True)
    assert image.colorbar.ax.get_ylabel() == "lowest turn total to hold at (points)"
    assert (*ax.get_xlim(), *ax.get_ylim()) == (-0.5, 59.5, -0.5, 59.5)
    ax = plots.decisions(mask, 7)
    (image,) = ax.collections
    shown, (own, total) = read_map(image, (60, 60)), np.indices((60, 60))
    assert np.array_equal(shown, np.where(own + total < 60, mask[:, 7], np.nan), equal_nan=True)
    table = pd.DataFrame([[0.1, 0.2, np.nan], [0.4, 0.5, 0.6]], index=[10, 11], columns=[5, 6, 7])
    ax = plots.matrix(table, "m", "n", "p")
    shown = read_map(ax.collections[0], (3, 2), 5, 10)
    assert np.array_equal(shown, table.to_numpy().T, equal_nan=True) and ax.collections[0].colorbar
    assert (*ax.get_xlim(), *ax.get_ylim()) == (4.5, 7.5, 9.5, 11.5)


def test_the_hold_for_points_is_that_of_the_solver():
    """The mean gain of a roll over its risk, in every game whose turn has one mode; None in all others."""
    games = [make() for make in GAMES.values()]
    found = {game.name: policy_maps.hold_for_points(game) for game in games}
    simple = [game for game in games if found[game.name]]
    assert len(simple) >= 5 and found["Pig"] == 20 and found["Farkle"] is found["Zilch"] is None
    for game in simple:
        best = dl.solve(game, "score").policy.hold_threshold(0, 0)
        assert found[game.name] == best, game.name


# Without a symmetry: the axes must not be interchanged.
PLANE = (np.arange(0, 120, 2)[:, None] + np.arange(60)) // 4


def test_a_surface_is_that_of_the_table():
    canvas = Mock()
    plots.surface(PLANE, label="plane", ax=canvas)
    x, y, z = canvas.plot_surface.call_args.args
    assert np.array_equal((2 * x + y) // 4, z) and z is PLANE


def test_contours_are_those_of_the_table():
    contours = paper_plots.contours(PLANE).collections[1]
    assert contours.levels.tolist() == [*range(0, 31, 5)]
    for level, segments in zip(contours.levels, contours.allsegs, strict=True):
        for x, y in np.concatenate([np.empty((0, 2)), *segments]):
            assert -1 < (2 * x + y) / 4 - level < 1 and level < 61 - x
    with pytest.raises(ValueError, match="give a target of at least 2"):
        paper_plots.contours(np.array([[1]]))


@pytest.mark.slow
def test_saved_files_are_whole_rounded_and_the_same_every_time(tmp_path):
    data = pd.Series([1 / 3], index=pd.Index([7], name="target"), name="value")
    plots.save(tmp_path, "a", data, plots.first_player(dl.solve(dl.piglet(8)).by_target()))
    assert (tmp_path / "a.csv").read_text() == "target,value\n7,0.333333333333\n"
    again = "import sys, dicelab as dl, pandas as pd\nfrom dicelab import plots\n"
    again += "ax = plots.first_player(dl.solve(dl.piglet(8)).by_target())\n"
    again += "plots.save(sys.argv[1], 'b', pd.Series([0]), ax)"
    subprocess.run([sys.executable, "-c", again, str(tmp_path)], check=True)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.csv",
        "a.svg",
        "b.csv",
        "b.svg",
        "figures.csv",
    ]


def test_saved_figures_are_listed_with_their_words(tmp_path):
    """In the order of saving; a figure that is saved again keeps its place, and data without a figure have none."""
    ax, data = plots.digits(pd.Series([1, 12], index=[1, 20])), pd.Series([1])
    words = {"caption": 'Figure 2. "Digits"\nand more', "alternative": "a line that rises, é"}
    plots.save(tmp_path, "b", data, ax, caption="to be replaced")
    plots.save(tmp_path, "claims", data, caption="no figure")
    plots.save(tmp_path, "a", data, ax)
    plots.save(tmp_path, "b", data, ax, **words)
    listed = [{"name": "b", **words}, {"name": "a", "caption": "", "alternative": ""}]
    assert figures_in(tmp_path) == listed
    assert "a line that rises, é" in (tmp_path / "b.svg").read_text()
    with pytest.raises(ValueError, match="name: 'figures' is not allowed"):
        plots.save(tmp_path, "figures", data, ax)


def test_nothing_is_written_without_a_folder_or_half_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plots.save("", "a", pd.Series([1]))
    with pytest.raises(RuntimeError), _files.atomic_write(tmp_path / "a.txt") as part:
        part.write_text("half")
        raise RuntimeError
    assert not list(tmp_path.iterdir())


def test_panels_show_the_decisions():
    """Each panel shows the mask, and the ranges in which it rolls are those of the mask."""
    race = dl.pig(30)
    masks = {"win": dl.solve(race).policy.roll_mask()}
    masks["never"] = masks["win"] & (np.arange(30) == 0)
    own, total = np.indices((30, 30))
    possible = own + total < 30
    first = plots.panels(plots.decisions, masks["win"], [0, 10, 25, 29])
    for ax, opponent in zip(first.figure.axes, [0, 10, 25, 29], strict=False):
        assert ax.get_title() == f"opponent's score {opponent}"
        expected = masks["win"][:, opponent][possible]
        kinds = np.unique(expected)  # a map of one kind has one shape
        shown = read_map(ax.collections[0], (30, 30))[possible].astype(int)
        assert np.array_equal(kinds[shown], expected)
    ranges = plots.roll_ranges(masks, [10]).set_index(["policy", "opponent", "own"])["rolls"]
    assert ranges["never", 10, 3] == "0-0"
    spans = [range(*map(int, span.split("-"))) for span in ranges["win", 10, 17].split()]
    totals = [total for span in spans for total in (*span, span.stop)]
    assert totals == np.flatnonzero(masks["win"][17, 10]).tolist()
    with pytest.raises(ValueError, match="opponents: 30 is not allowed"):
        plots.panels(plots.decisions, masks["win"], [0, 30])


def test_a_policy_that_disagrees_has_its_own_colour():
    own, total = np.indices((30, 30))
    rolls = own + total > 20
    masks = dict.fromkeys(("one", "other", "third"), rolls[:, None])
    masks["other"] = (rolls ^ (total > 9))[:, None]
    ax = plots.disagreement(masks, 0)
    colours = [to_hex(patch.get_facecolor()) for patch in ax.get_legend().legend_handles]
    shapes = ax.collections[0]
    place = [*map(to_hex, shapes.get_facecolor())].index(colours[3])
    shown = inside(shapes.get_paths()[place], centres((30, 30))).reshape(30, 30)
    assert np.array_equal(shown, (total > 9) & (own + total < 30))


def test_mistakes_show_the_strategy_and_best_play():
    game = dl.pig(40)
    mine = grading.grade(game, dl.hold_at(10))
    ax = grading.mistakes(mine)
    _, turn, _ = ax.figure.axes
    lost = 1e6 * mine.turn_costs * mine.turns_met
    most = ax.collections[0].get_array().max()
    assert np.log10(most / lost.max()) == pytest.approx(0, abs=0.026)
    opponent = int(turn.get_title().split()[-1])
    assert lost.sum(axis=0).argmax() == opponent
    best = turn.lines[0].get_ydata() + 0.5
    holds = dl.solve(game).policy.hold_thresholds()[:, opponent]
    shown = np.where(holds < game.target - np.arange(game.target), holds, np.nan)
    assert np.array_equal(best, shown, equal_nan=True)
    nothing = grading.mistakes(grading.grade(game, dl.solve(game).policy))
    assert nothing.get_title() == "Nothing is given away"
    with pytest.raises(ValueError, match=r"grade: .* give what grading.grade returns"):
        grading.mistakes(game)


def test_values_are_not_drawn_as_turn_totals():
    with pytest.raises(
        ValueError, match=r"thresholds: .* give turn totals to hold at, whole numbers"
    ):
        plots.hold_thresholds(dl.solve("pig 10").values)
    assert plots.hold_thresholds(np.full((10, 10), 5.0)).collections
