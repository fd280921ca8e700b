"""The widgets, operated from Python."""

import re

import nbformat
import pytest

import dicelab as dl
from collection.papers.published import ROOT
from collection.slides import WIDGET
from dicelab.games.catalogue import PLAYED

widgets = pytest.importorskip("dicelab_extras.play.widgets")


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
    return [button for button in table.children[5].children if button.layout.display is None]


def press(table, word):
    """Press the visible button whose description ends or begins with a word."""
    (button,) = [
        b for b in shown(table) if b.description.startswith(word) or b.description.endswith(word)
    ]
    button.click()


@pytest.mark.parametrize("game", PLAYED)
def test_a_game_is_played_to_its_end(game):
    table = widgets.play_table(game, target=20, seed=4)
    rules, (review, log) = table.children[0].value, table.children[-2:]
    assert rules.count("<li>") == 3 and " 20 " in rules
    (advise,) = parts(table, "Checkbox").values()
    advise.value = True
    while table.session.winner is None:
        assert review.value == "" and all("%" in button.description for button in shown(table))
        press(table, ", the best")
    assert table.session.loss(0) == 0 and shown(table) == []
    assert "No mistake: " in review.value and "seed 4." in review.value
    assert " won with " in log.value


def test_three_turns_are_played():
    table = widgets.one_turn(seed=1)
    state, *_, drawn = table.children
    buttons = parts(table, "Button")
    hold, again = buttons["Hold"], buttons["Play again"]
    hold.click()  # nothing to hold yet
    assert table.turns == [[0]] and "Turn 1 of 3" in state.value
    while again.layout.display == "none":
        (hold if table.turns[-1][-1] >= 5 else buttons["Roll"]).click()
    points = [totals[-1] for totals in table.turns]
    assert len(points) == 3 and all(total == 0 or total >= 5 for total in points)
    assert f">{sum(points)}</span>" in state.value
    assert f"turn 3: {', '.join(map(str, table.turns[2]))}." in drawn.value
    again.click()
    assert table.turns == [[0]] and "Turn 1 of 3" in state.value


@pytest.mark.parametrize("game", [dl.double_trouble(), dl.ten_thousand(), "Pig"])
def test_turns_with_choices_are_not_played_in_this_way(game):
    with pytest.raises(ValueError, match="game: "):
        widgets.one_turn(game)


def test_a_bad_game_is_reviewed_and_another_begun():
    table = widgets.play_table("Pig", target=30, seed=1)
    while table.session.winner is None:
        shown(table)[-1].click()  # to hold at once
    review = table.children[-2]
    worst = table.session.mistakes().head(3)
    assert len(worst) == 3 and f"cost of {table.session.loss(0):.2%} of a win" in review.value
    assert review.value.count("<tr>") == 4 and all(
        f"{loss:.2%}" in review.value for loss in worst["loss"]
    )
    parts(table, "Button")["New game"].click()
    assert table.session.winner is None and table.session.log == [] and review.value == ""


@pytest.mark.slow
def test_the_landscape_follows_the_sliders():
    whole = widgets.landscape("Pig")
    image, sliders = whole.children[3], parts(whole, "IntSlider")
    before = image.value
    assert before.startswith('<img alt="Left, where the optimal policy rolls')
    sliders["Own score"].value, sliders["Opponent's score"].value = 70, 90
    assert image.value != before
    assert f"{dl.solve(dl.pig()).values[70, 90]:.2%}" in whole.children[2].value
    sliders["Own score"].value = 99
    parts(whole, "Dropdown")["Game"].value = "Double Trouble"
    assert f"{dl.solve(dl.double_trouble()).values[99, 90]:.2%}" in whole.children[2].value


def test_a_surface_that_turns():
    (ax,) = widgets.turning_surface(dl.solve(dl.pig(20))).figure.axes
    assert ax.name == "3d" and ax.get_zlabel() == "hold at (points)"


def design(**options):
    """A die to design, by its parts: the field for the die, the problem said below it, the results."""
    whole = widgets.design_a_die(**options)
    return whole, parts(whole, "Text")["Die"], whole.children[2].children[0], whole.children[-1]


def test_a_die_of_ones_own():
    whole, _, problem, results = design(target=15)
    solution = dl.solve(dl.pig(15))
    assert f"<b>{solution.value:.2%}</b>" in results.value and problem.value == ""
    assert results.value.count('<img alt="') == 3
    wins = dl.hold_at_n(dl.pig(15))["average"]
    assert f"hold at <b>{wins.idxmax()}</b>" in results.value
    numbers = parts(whole, "IntText")
    numbers["Dice (1 to 10)"].value = 2
    numbers["Reset: number that also lose all banked points (0: never)"].value = 2
    assert f"<b>{dl.solve(dl.two_dice_pig(15)).value:.2%}</b>" in results.value


def test_the_die_is_shown_as_it_was_understood():
    *_, results = design(die="2 1:1/4 6, ones bust", target=10)
    cells = " ".join(re.findall("<t[hd][^>]*>([^<]*)</t[hd]>", results.value))
    for row in ("Face 1 2 6", "Chance 1/4 3/8 3/8", "What it does busts scores 2"):
        assert row in cells


@pytest.mark.parametrize(
    ("label", "value", "sentence"),
    [
        (
            "Bust: number of bad faces that end the turn",
            3,
            "bust: 3 is not allowed; give a whole number of at least 1 and at most 1",
        ),
        ("Reset: number that also lose all banked points (0: never)", 2, "reset: 2 is not allowed"),
        (
            "Dice (1 to 10)",
            11,
            "dice: 11 is not allowed; give a whole number of at least 1 and at most 10",
        ),
        (
            "Target (1 to 200 points)",
            201,
            "target: 201 is not allowed; give a whole number of at least 1 and at most 200",
        ),
        ("Target (1 to 200 points)", 0, "target: 0 is not allowed"),
    ],
)
def test_limits_are_said_and_not_applied_silently(label, value, sentence):
    whole, _, problem, _ = design(target=8)
    number = parts(whole, "IntText")[label]
    number.value = value
    assert number.value == value and sentence in problem.value


EXPLORE = sorted((ROOT / "notebooks" / "explore").glob("*.ipynb"))


@pytest.mark.parametrize(
    "path", [ROOT / "notebooks" / "start.ipynb", *EXPLORE], ids=lambda path: path.stem
)
def test_the_notebooks_run(path, executed):
    copy, why = executed(path)
    assert not why
    cells = nbformat.read(copy, as_version=4).cells
    outputs = [out for cell in cells if cell.cell_type == "code" for out in cell.outputs]
    if path.stem in ("play", "landscape", "design-a-die"):
        assert not [out for out in outputs if out.get("name") == "stderr"]
        assert any(WIDGET in out.get("data", {}) for out in outputs)


def test_your_own_takes_a_game_of_the_catalogue_and_saves_without_captions(executed, tmp_path):
    path = ROOT / "notebooks" / "explore" / "your-own.ipynb"
    given = {"game": "double-trouble", "target": 20, "figures": str(tmp_path)}
    copy, why = executed(path, given)
    assert not why
    assert {file.stem for file in tmp_path.glob("*.svg")} == {
        "best-play",
        "first-player",
        "hold-at-n",
    }
    text = copy.read_text(encoding="utf-8")
    assert "Double Trouble to 20" in text and "'ten-thousand'" in text and "caption" not in text
