"""Play and views of games with registers, and of games with choices before the roll."""

from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab import Register, Score
from dicelab.cli import main
from dicelab_extras.play.advice import advice
from dicelab_extras.play.cards import card
from dicelab_extras.play.session import GameSession
from dicelab_extras.play.terminal import play_in_terminal

OPENING = Register("not opened", "opened", least_hold=10), Register("opened")
BUSTS = [
    Register(f"{n} busts", "0 busts", f"{(n + 1) % 3} busts", penalty=5 * (n == 2))
    for n in range(3)
]
C, O = dl.Choice, dl.Outcome  # noqa: E741


@pytest.fixture(scope="module")
def opening():
    return dl.solve(replace(dl.pig(60), name="Opening Pig", registers=OPENING))


@pytest.fixture(scope="module")
def busts():
    return dl.solve(replace(dl.pig(20), name="Three Busts", registers=tuple(BUSTS), lowest=-6))


def roll_until(session, true):
    """Roll, and hold wherever that is allowed, until something is true; what was asked for before it."""
    for _ in range(500):
        if true():
            return
        session.take(session.options()[-1].name)
    raise AssertionError


def test_an_early_hold_is_refused_with_a_sentence(opening):
    session = GameSession(opening, seed=1)
    assert (
        session.scores == [0, 0]
        and [score.register for score in session.scores] == ["not opened"] * 2
    )
    assert session.cannot_hold == "at least 10 points are needed to hold"
    roll_until(session, lambda: 0 < session.total < 10)
    with pytest.raises(
        ValueError, match="'hold' is not allowed; now there is roll; at least 10 points are needed"
    ):
        session.take("hold")
    roll_until(session, lambda: session.total >= 10 and session.cannot_hold == "")
    player, held = session.player, session.total
    session.take("hold")
    assert session.scores[player] == held and session.scores[player].register == "opened"
    assert session.log[-1].endswith(f"held at {held} points: {held} points banked; now opened.")


@pytest.mark.parametrize("solved", ["opening", "busts"])
def test_options_are_worth_what_is_solved(solved, request):
    """At the start of a turn the value of the solution; a hold, the opponent's value after it."""
    solution = request.getfixturevalue(solved)
    session, holds = GameSession(solution, seed=4), 0
    for _ in range(300):
        if session.winner is not None:
            break
        if not session.total:
            assert session.chance(session.player) == pytest.approx(
                solution.at(session.own, *session.others), abs=1e-12
            )
        for option in session.options():
            if option.name == "hold" and session.own + session.total < solution.game.target:
                after = solution.game.after_hold(session.own, session.total)
                assert option.value == pytest.approx(
                    1 - solution.at(*session.others, after), abs=1e-12
                )
                holds += 1
        rolls = solution.policy.rolls(session.own, *session.others, session.total)
        assert session.best().name == ("roll" if rolls else "hold")
        session.take(session.best().name)
    assert session.winner is not None and holds and session.loss(0) == session.loss(1) == 0


def test_the_register_is_seen_in_the_terminal(opening):
    import click

    @click.command()
    def play():
        play_in_terminal(GameSession(opening, seed=1), hints=True)

    said = CliRunner().invoke(play, input="hold\n" + "1\n2\n" * 80).output
    assert (
        "You 0 points, not opened; opponent 0 points, not opened; this turn 0 points; you win with"
        in said
    )
    assert "'hold' is not one of these; at least 10 points are needed to hold" in said
    assert "register not opened: a hold takes at least 10, a hold leads to opened" in said
    assert "now opened" in said


def test_advice_in_words(opening):
    said = advice(opening, Score(0, "not opened"), Score(12, "opened"), 4)
    assert (
        "You have 0 points, not opened; your opponent 12 points, opened; this turn 4 points.\nRoll.\n"
        in said
    )
    assert (
        said.endswith("  no hold: at least 10 points are needed to hold") and "  hold" not in said
    )
    assert "  hold  you win with" in advice(opening, Score(12, "opened"), 0, 4)
    assert "You have 25 points, not opened" in advice(opening, 25, 0, 7)
    assert "Hold: that reaches the target" in advice(opening, Score(55, "opened"), 0, 7)
    assert "Hold: that reaches" not in advice(opening, 55, 0, 7)
    with pytest.raises(ValueError, match="one of 'not opened', 'opened'"):
        advice(opening, Score(0, "closed"), 0, 4)


def test_advice_for_a_choice_before_the_roll():
    said = advice(dl.solve(dl.hog(20, 3)), 3, 4, 0)
    best, *_ = sorted(
        [
            (float(line.split()[-1][:-1]), line.strip().split("  ")[0])
            for line in said.splitlines()[2:]
        ],
        reverse=True,
    )
    assert said.splitlines()[1] == f"{best[1]}." and len(said.splitlines()) == 5
    assert best[0] == pytest.approx(100 * dl.solve(dl.hog(20, 3)).at(3, 4), abs=1e-3)


def test_registers_on_the_command_line():
    refused = CliRunner().invoke(
        main, ["advise", "pig", "0", "5", "--target", "5", "--registers", "a", "b"]
    )
    assert (
        refused.exit_code == 1 and "registers: 'a b' is not allowed; Pig has none" in refused.output
    )


def test_cards_show_registers(opening, busts):
    assert "a hold takes at least 10, a hold leads to opened" in card(opening.game)
    assert "No score falls below -6 points." in card(busts.game)
    assert '<img alt="Map of the turn totals to hold at' in card(opening)
    assert "a choice before the roll" in card(dl.hog(20, 3)) and "+0" not in card(dl.hog(20, 3))


def test_rules_in_words_have_a_line_for_each_register(busts):
    lines = str(busts.game).splitlines()
    assert lines[-2:] == [
        "  register 2 busts: a hold leads to 0 busts, a bust costs 5 and leads to 0 busts",
        "  no score falls below -6",
    ]
    assert "  start: choose 1 die or 2 dice" in str(dl.hog(20, 2))


def test_a_turn_that_must_end_is_lost_with_too_few_points():
    one = dl.Mode("roll", [O("1/3", "bust"), O("1/3", C(1, "stop")), O("1/3", C(6, "roll"))])
    game = dl.Game("Stop", 12, [one, dl.Mode("stop", ())], registers=Register("all", least_hold=5))
    session = GameSession(dl.solve(game), seed=1)
    roll_until(session, lambda: session.winner is not None)
    said = "\n".join(session.log)
    assert (
        "must hold, but at least 5 points are needed to hold: the points of the turn are lost."
        in said
    )


def test_action_values_are_those_of_a_plain_game_where_registers_change_nothing():
    plain = dl.pig(12)
    registered = replace(dl.pig(12), registers=Register("all"))
    values = [dl.action_values(dl.solve(game), 3, 4).to_numpy() for game in (plain, registered)]
    np.testing.assert_allclose(*values, atol=1e-13)
