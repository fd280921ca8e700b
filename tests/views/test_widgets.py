"""The widgets, operated from Python; `test_lab` operates them in a browser."""

import nbformat
import pytest

import dicelab as dl
from dicelab.evaluation.studies import hold_at_win_rates

widgets = pytest.importorskip("dicelab.views.widgets")
PNG = b"\x89PNG"


def parts(widget, kind):
    """All widgets of one class in a layout, by description."""
    found = {}
    for child in getattr(widget, "children", ()):
        found |= parts(child, kind)
    if type(widget).__name__ == kind:
        found[widget.description] = widget
    return found


def shown(table):
    """The visible buttons of a table."""
    return [button for button in table.children[3].children if button.layout.display is None]


@pytest.mark.parametrize("game", widgets.GAMES)
def test_a_game_is_played_to_its_end(game):
    table = widgets.play_table(game, target=20, seed=4)
    (advise,) = parts(table, "Checkbox").values()
    advise.value = True
    while table.session.winner is None:
        (best,) = [button for button in shown(table) if button.button_style == "success"]
        assert best.description.endswith("%)")
        best.click()
    assert table.session.loss(0) == 0 and shown(table) == []
    review, log = table.children[-2:]
    assert "0 not the best: they cost 0.00% of a win" in review.value and " won with " in log.value


def test_a_bad_game_is_reviewed_and_another_begun():
    table = widgets.play_table("Pig", target=30, seed=1)
    while table.session.winner is None:
        shown(table)[-1].click()  # to hold at once
    assert table.session.loss(0) > 0.1
    said = table.children[4].children[1].value
    assert f"cost {table.session.loss(0):.2%}" in said and f"{table.session.loss(0):.2%}" in table.children[-2].value
    parts(table, "Button")["New game"].click()
    assert table.session.winner is None and table.session.log == [] and table.children[-2].value == ""


def test_the_optimal_player_may_begin():
    table = widgets.play_table("Pig", seed=2)
    parts(table, "Dropdown")["First"].value = "the optimal player"
    assert table.session.log[0].startswith("The optimal player rolled") and table.session.player == 1
    assert table.session.names[1] == "You" and len(shown(table)) == 1


@pytest.mark.parametrize("seed", ["three", "-1", "<b>"])
def test_an_invalid_seed_is_explained(seed):
    table = widgets.play_table("Pig", seed=2)
    parts(table, "Text")["Seed of the dice"].value = seed
    parts(table, "Button")["New game"].click()
    said = table.children[2].value
    assert (said.startswith("<b>") and seed.replace("<", "&lt;").replace(">", "&gt;") in said) or "non-negative" in said


@pytest.mark.slow
def test_the_landscape_follows_the_sliders():
    whole = widgets.landscape("Pig")
    image, sliders, menus = whole.children[3], parts(whole, "IntSlider"), parts(whole, "Dropdown")
    before = image.value
    assert bytes(before[:4]) == PNG
    sliders["Own score"].value = 70
    assert image.value != before
    before = image.value
    sliders["Opponent's score"].value = 90
    assert image.value != before
    assert f"{dl.solve(dl.pig()).values[70, 90]:.2%}" in whole.children[2].value
    menus["Game"].value = "Ten Thousand"
    assert sliders["Own score"].max == 199
    menus["Mode"].value, sliders["Own score"].value = "2 dice", 180
    menus["Game"].value = "Double Trouble"
    assert sliders["Own score"].max == 99 and menus["Mode"].options == ("free",)
    assert f"{dl.solve(dl.double_trouble()).values[99, 90]:.2%}" in whole.children[2].value


def test_a_surface_that_turns():
    canvas = widgets.turning_surface(dl.solve(dl.pig(20)).policy.hold_thresholds())
    (ax,) = canvas.figure.axes
    assert ax.name == "3d" and ax.get_zlabel() == "hold at (points)"


def test_a_die_of_ones_own():
    whole = widgets.design_a_die(target=30)
    said, image = whole.children[3:]
    solution = dl.solve(dl.pig(30))
    assert f"<b>{solution.value:.2%}</b>" in said.value and bytes(image.value[:4]) == PNG
    wins = 1 - hold_at_win_rates(dl.pig(30))["optimal average"]
    assert wins.idxmax() in wins.index and wins.max() <= 0.5 and f"hold at <b>{wins.idxmax()}</b>" in said.value
    match = dl.evaluate(dl.pig(30), solution.policy, dl.hold_at(int(wins.idxmax())))
    other = dl.evaluate(dl.pig(30), dl.hold_at(int(wins.idxmax())), solution.policy)
    assert wins.max() == pytest.approx((1 - match.first_wins + other.first_wins) / 2, abs=1e-12)
    numbers = parts(whole, "BoundedIntText")
    numbers["Dice"].value = 2
    numbers["so many 0s cost all points (0: never)"].value = 2
    assert f"<b>{dl.solve(dl.two_dice_pig(30)).value:.2%}</b>" in said.value and image.layout.display is None


@pytest.mark.parametrize(
    ("faces", "sentence"),
    [
        ("1/2 1/3", "they sum to 5/6, not to 1"),
        ("", "probabilities"),
        ("1/2 <b>", "&#x27;&lt;b&gt;&#x27; is not allowed"),
        ("0 1", "lose nothing"),
        ("1", "there is no way to score"),
    ],
)
def test_an_invalid_die_is_explained(faces, sentence):
    whole = widgets.design_a_die(target=20)
    parts(whole, "Text")["Probabilities of faces 0, 1, 2, …"].value = faces
    said, image = whole.children[3:]
    assert said.value.startswith("<b>") and sentence in said.value and image.layout.display == "none"
    parts(whole, "Text")["Probabilities of faces 0, 1, 2, …"].value = "1/2 1/2"
    assert image.layout.display is None


def test_more_bad_dice_than_dice():
    whole = widgets.design_a_die(target=20)
    parts(whole, "BoundedIntText")["so many 0s bust"].value = 3
    assert "bust: 3 is not allowed; give a number of dice in 1, …, 1" in whole.children[3].value


def test_the_notebooks_run(executed):
    folder, failed = executed
    assert {name: why for name, why in failed.items() if name.startswith("explore")} == {}
    for name in ("play", "landscape", "design-a-die"):
        cells = nbformat.read(folder / "explore" / f"{name}.ipynb", as_version=4).cells
        outputs = [out for cell in cells if cell.cell_type == "code" for out in cell.outputs]
        assert not [out for out in outputs if out.get("name") == "stderr"]
        assert any("application/vnd.jupyter.widget-view+json" in out.get("data", {}) for out in outputs)
