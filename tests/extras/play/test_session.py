"""Games played in Python and in the terminal."""

from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab.cli import main
from dicelab_extras.play.session import GameSession

GAMES = [
    dl.pig(40),
    dl.two_dice_pig(40),
    dl.double_trouble(40),
    dl.ten_thousand(30),
    dl.pig(20, finish="exact"),
    dl.generalized_pig(["1/3", "1/3", 0, "1/3"], 25, dice=3, bust=2, reset=3),
]


@cache
def solved(game):
    return dl.solve(game)


def test_the_same_seed_is_the_same_game():
    logs = []
    for seed in (5, 5, 6):
        session = GameSession(solved(GAMES[3]), seed, names=("A", "B"))
        while session.winner is None:
            session.take(session.best().name)
        logs.append(session.log)
    assert logs[0] == logs[1] != logs[2]
    assert logs[0][0].startswith("A rolled ")


def test_mistakes_are_those_decisions_that_cost_something_the_worst_first():
    session = GameSession(solved(GAMES[0]), 1)
    assert (
        session.verdict() == "No mistake: there was nothing to decide." and session.mistakes().empty
    )
    while session.winner is None:
        session.take(session.options()[-1].name)  # holds at once
        session.reply()
    losses = session.mistakes()["loss"]
    decisions = session.review()
    assert len(losses) > 3 and losses.is_monotonic_decreasing and losses.min() > 0
    assert sorted(losses.index) == list(decisions.index[decisions["loss"] > 0])
    said = f"{len(losses)} mistakes in {len(decisions)} decisions, at a cost of {session.loss():.2%} of a win."
    assert session.verdict() == said
    assert (
        session.mistakes(1).empty
        and session.verdict(1) == "No mistake: every decision was optimal."
    )


def test_an_unknown_option_changes_nothing():
    session = GameSession(solved(GAMES[0]), 1)
    with pytest.raises(ValueError, match="option: 'hold' is not allowed; now there is roll"):
        session.take("hold")
    assert (session.log, session.decisions, session.scores, session.turn) == ([], [], [0, 0], 1)


def test_dice_fall_as_often_as_they_should():
    """In Ten Thousand the scoring dice are drawn first, then the faces shown."""
    solution, seen = dl.solve(dl.ten_thousand(20)), np.zeros(7)
    for seed in range(400):
        session = GameSession(solution, seed)
        session.take("roll")
        assert len(session.rolled) == 5
        seen += np.bincount(session.rolled, minlength=7)
    expected = seen.sum() / 6
    assert (np.abs(seen[1:] - expected) < 4 * np.sqrt(expected)).all()


def test_a_choice_before_the_roll():
    """In Hog one chooses how many dice to roll, and rolls them."""
    session = GameSession(dl.solve(dl.hog(9, 2)), seed=3)
    assert [option.name for option in session.options()] == ["1 die", "2 dice"]
    session.take("1 die")
    assert session.log == [f"{session.names[0]} chose 1 die."]
    assert session.options()[0].name == "roll" and list(session.review()["action"]) == ["1 die"]
    while session.winner is None:
        session.take(session.options()[-1].name)
    assert "rolled 0" not in "\n".join(session.log)


def test_a_game_in_the_terminal():
    def typed(text, *options):
        command = ["play", "pig", "--target", "20", "--seed", "1", *options]
        return CliRunner().invoke(main, command, input=text)

    left = typed("r\nwhat\nq\n", "--hints")
    assert left.exit_code == 0 and "'what' is not one of these" in left.output
    assert "No mistake: " in left.output and "with 20 points or more wins" in left.output
    played = typed("r\nh\n" * 80)
    assert played.exit_code == 0 and " won with " in played.output
    said, _, table = played.output.partition(" Scores and turn totals in points:\n")
    assert said.endswith(
        "5 mistakes in 5 decisions, at a cost of 138.51% of a win. The three worst."
    )
    assert len(table.splitlines()) == 4
