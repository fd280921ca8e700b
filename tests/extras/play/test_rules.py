"""The rules in words: three lines for every game of the catalogue, and never the wrong game's."""

from dataclasses import replace

import pytest

import dicelab as dl
from dicelab.games.catalogue import GAMES
from dicelab_extras.play.rules import rules_in_words


@pytest.mark.parametrize("make", GAMES.values(), ids=GAMES)
def test_every_game_of_the_catalogue_has_three_lines(make):
    *lines, aim = rules_in_words(make(30))
    assert len(lines) == 2 and "30" in aim and aim.endswith("or more wins.")
    assert all(len(line) < 260 and line.endswith(".") for line in lines)


def test_the_finish_is_said():
    assert (
        rules_in_words(dl.pig(50, finish="exact"))[-1]
        == "The first player with exactly 50 points wins."
    )
    for finish, said in (
        ("equal turns", "equal scores are a draw."),
        ("last licks", "wins with a higher score only."),
    ):
        *lines, aim = rules_in_words(dl.farkle(finish=finish))
        assert (
            len(lines) == 2
            and aim.startswith("With 200 chips (10,000 points) or more")
            and aim.endswith(said)
        )
        assert aim in dl.farkle(finish=finish)._repr_html_() and repr(dl.pig(9, finish)).startswith(
            f"<Game Pig to 9, {finish}:"
        )


def test_other_rules_under_a_known_name_are_not_those_of_the_catalogue():
    game = dl.generalized_pig(["1/2", "1/2"], 20, name="Pig")
    assert rules_in_words(game) == str(game).splitlines()
    assert rules_in_words(dl.farkle(30, one=200))[0] == "Farkle to 30 chips (1,500 points)"
    assert rules_in_words(replace(dl.farkle(), target=1000))[2].startswith(
        "The first player with 1,000 chips (50,000 "
    )
    assert rules_in_words(dl.generalized_pig(["1/2", "1/2"], 20))[0] == "Generalized Pig to 20"
