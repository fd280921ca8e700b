"""The pages of the games: made from the games, and what they show is what the package answers."""

import doctest
from fractions import Fraction

import pytest

import dicelab as dl
from collection.game_pages import EXHIBITS, ChosenFirst, Exhibit
from dicelab.games.catalogue import GAMES
from dicelab.views.style import figures_in

PIGLET = Exhibit(make=dl.piglet, arguments={"target": 5})
SET_ASIDE = Exhibit(
    make=dl.ten_thousand, arguments={"target": 12}, unit="chips", roll=(1, 5, 2, 2, 3)
)
HOG = ChosenFirst(make=dl.hog, arguments={"target": 10, "most_dice": 3})


def test_every_game_of_the_catalogue_has_a_page():
    slugs = {exhibit.slug for exhibit in EXHIBITS}
    assert slugs == {*GAMES, "generalized-pig"}


@pytest.mark.parametrize(
    "exhibit", [PIGLET, SET_ASIDE, HOG, EXHIBITS[0], EXHIBITS[-1]], ids=lambda exhibit: exhibit.call
)
def test_the_code_runs_and_answers_as_shown(exhibit):
    test = doctest.DocTestParser().get_doctest(exhibit.code, {}, exhibit.slug, None, 0)
    assert len(test.examples) == 5 and doctest.DocTestRunner().run(test).failed == 0
    assert exhibit.call in exhibit.code and repr(round(exhibit.solution.value, 6)) in exhibit.code


def test_rules_in_words():
    assert (
        PIGLET.words
        == "Piglet: one coin; tails busts, heads scores one point (Neller and Presser 2004)."
    )
    assert "at least 5 points" in PIGLET.goal and "at least 12 chips" in SET_ASIDE.goal
    exactly = Exhibit(make=dl.pig, arguments={"target": 5, "finish": "exact"})
    assert "exactly 5 points" in exactly.goal
    words = EXHIBITS[[*(exhibit.slug for exhibit in EXHIBITS)].index("double-trouble")].words
    assert "must roll again" in words and "Arguments" not in words and "Parameters" not in words


def test_the_table_has_every_outcome():
    (table,) = PIGLET.tables
    assert table["rows"] == [("0", Fraction(1, 2), "the turn is lost"), ("1", Fraction(1, 2), "+1")]
    reset = Exhibit(make=dl.two_dice_pig, arguments={"target": 20}).tables[0]["rows"]
    assert ("1 1", Fraction(1, 36), "the turn and all banked points are lost") in reset
    for table, mode in zip(SET_ASIDE.tables, SET_ASIDE.game.modes, strict=True):
        assert sum(probability for _, probability, _ in table["rows"]) == 1
        assert len(table["rows"]) == len(mode.outcomes)
    text = next(
        result for rolls, _, result in SET_ASIDE.tables[0]["rows"] if rolls.startswith("1 2 2 3 5")
    )
    assert text.startswith("set aside 1 5: +3, go on in “3 dice”, or set aside 1: +2")


def test_facts_are_those_of_the_solvers():
    answers = dict(PIGLET.facts)
    assert list(answers.values()) == [
        f"{dl.solve(PIGLET.game).value:.6f}",
        f"{PIGLET.solution.policy.hold_thresholds()[0, 0]} points",
        f"{dl.solve(PIGLET.game, 'turns').value:.4f}",
        f"{dl.solve(PIGLET.game, 'score').value:.4f} points",
    ]


def test_the_picture_says_what_one_sees(tmp_path):
    PIGLET.draw(tmp_path)
    (row,) = figures_in(tmp_path)
    assert (tmp_path / "piglet.svg").exists() and row["name"] == "piglet"
    least = PIGLET.thresholds
    assert f"At 0 against 0 the colour stands for {least[0, 0]}" in row["alternative"]
    assert "from 0 to 4 points" in row["alternative"] and "Piglet" in row["caption"]


def test_hog_shows_the_number_of_dice(tmp_path):
    for own, opponent in ((0, 0), (9, 0), (4, 9)):
        row = dl.action_values(HOG.solution, own, opponent).loc[0]
        values = [row[f"best, {dice}"] for dice in ("1 die", "2 dice", "3 dice")]
        assert values[HOG.chosen[own, opponent] - 1] == max(values)
    assert HOG.chosen.shape == (10, 10) and HOG.chosen[9, 0] == 1
    assert dict([HOG.first_decision]) == {
        "At 0 against 0, the optimal player rolls": f"{HOG.chosen[0, 0]} dice"
    }
    assert [table["name"] for table in HOG.tables] == ["1 die", "2 dice", "3 dice"]
    HOG.draw(tmp_path)
    (row,) = figures_in(tmp_path)
    assert row["name"] == "hog" and "number of dice" in row["caption"]
