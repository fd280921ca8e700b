"""All dice with given parts, a die in a few numbers, and the notebook on both."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest

import dicelab as dl
from dicelab.evaluation.studies import enumerate_dice, summarise_die
from dicelab.papers import notebooks


def test_all_dice_are_all_dice():
    for points, faces, parts in ((1, 2, 6), (3, 4, 6), (4, 3, 5)):
        found = enumerate_dice(points, faces, parts)
        every = [die for die in product(range(parts + 1), repeat=points + 1) if sum(die) == parts]
        wanted = [die for die in every if 0 < die[0] < parts and sum(part > 0 for part in die) <= faces]
        assert found == sorted(tuple(Fraction(part, parts) for part in die) for die in wanted)
    with pytest.raises(ValueError, match="faces: 1"):
        enumerate_dice(3, 1, 6)


def test_a_die_in_a_few_numbers():
    """Held against simple sums: of a turn that holds at 20 (Pig), and of a coin."""
    pig = summarise_die(("1/6", 0, *["1/6"] * 5), 100)
    chances, mean, square = {0: 1.0}, 0.0, 0.0
    for total in range(26):
        chance = chances.get(total, 0.0)
        for face in range(2, 7) if total < 20 else ():
            chances[total + face] = chances.get(total + face, 0.0) + chance / 6
        if total >= 20:
            mean, square = mean + chance * total, square + chance * total**2
    assert (pig["bust"], pig["hold"]) == (1 / 6, 20)
    assert pig["turn_mean"] == pytest.approx(mean, rel=1e-14)
    assert pig["turn_sd"] == pytest.approx((square - mean**2) ** 0.5, rel=1e-13)
    assert (pig["turns"], pig["first_wins"]) == (dl.solve(dl.pig(), "turns").value, dl.solve(dl.pig()).value)
    coin = summarise_die(("1/2", "1/2"), 7)
    assert (coin["hold"], coin["turn_mean"], coin["turn_sd"], coin["turns"]) == (1, 0.5, 0.5, 14.0)


@pytest.mark.notebooks
@pytest.mark.parametrize(
    "parameters", [{"target": 15, "points": 3}, {"target": 9, "points": 4, "faces": 3, "parts": 5}]
)
def test_the_notebook_on_all_dice_runs(tmp_path, parameters):
    notebook, file = Path(__file__).parents[2] / "notebooks" / "explore" / "all-dice.ipynb", tmp_path / "dice.jsonl"
    problems = notebooks.execute(notebook, tmp_path / "out.ipynb", {**parameters, "file": str(file)}, 300)
    assert problems == ""
    assert len(file.read_text().splitlines()) == len(
        enumerate_dice(parameters["points"], parameters.get("faces", 4), parameters.get("parts", 6))
    )
