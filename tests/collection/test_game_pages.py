"""The pages of the games: made from the games, and what they show is what the package answers."""

import doctest
from fractions import Fraction

import pytest

import dicelab as dl
from collection.game_pages import EXHIBITS, ChosenFirst, Exhibit
from dicelab.games.catalogue import GAMES

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


TWO_DICE = Exhibit(make=dl.two_dice_pig, arguments={"target": 20})
ROWS = [  # an exhibit, and a row of its first table
    (PIGLET, ("0", Fraction(1, 2), "the turn is lost")),
    (PIGLET, ("1", Fraction(1, 2), "+1")),
    (TWO_DICE, ("1 1", Fraction(1, 36), "the turn and all banked points are lost")),
]


@pytest.mark.parametrize(("exhibit", "row"), ROWS)
def test_the_table_has_every_outcome(exhibit, row):
    assert row in exhibit.tables[0]["rows"]
    for table, mode in zip(exhibit.tables, exhibit.game.modes, strict=True):
        assert sum(probability for _, probability, _ in table["rows"]) == 1
        assert len(table["rows"]) == len(mode.outcomes)


EXACTLY = Exhibit(make=dl.pig, arguments={"target": 5, "finish": "exact"})
(DOUBLES,) = [exhibit for exhibit in EXHIBITS if exhibit.slug == "double-trouble"]
COIN = "Piglet: one coin; tails busts, heads scores one point (Neller and Presser 2004)."


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (PIGLET.words, COIN),
        (PIGLET.goal, "at least 5 points"),
        (SET_ASIDE.goal, "at least 12 chips"),
        (EXACTLY.goal, "exactly 5 points"),
        (DOUBLES.words, "must roll again"),
    ],
)
def test_rules_in_words(text, words):
    assert words in text and "Parameters" not in text


def test_facts_are_those_of_the_solvers():
    assert [answer for _, answer in PIGLET.facts] == [
        f"{dl.solve(PIGLET.game).value:.6f}",
        f"{PIGLET.solution.policy.hold_thresholds()[0, 0]} points",
        f"{dl.solve(PIGLET.game, 'turns').value:.4f}",
        f"{dl.solve(PIGLET.game, 'score').value:.4f} points",
    ]


def test_hog_shows_the_number_of_dice():
    dice = ["1 die", "2 dice", "3 dice"]
    assert [table["name"] for table in HOG.tables] == dice
    for own, opponent in ((0, 0), (9, 0), (4, 9)):
        row = dl.action_values(HOG.solution, own, opponent).loc[0]
        values = [row[f"best, {number}"] for number in dice]
        assert values[HOG.chosen[own, opponent] - 1] == max(values)
    said = "At 0 against 0, the optimal player rolls", f"{HOG.chosen[0, 0]} dice"
    assert HOG.chosen.shape == (10, 10) and HOG.first_decision == said
