"""Play and advice in games with a last turn: roles, the score to beat, and turns that go on above the target."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest

import dicelab as dl
from dicelab_extras.play.advice import advice_at
from dicelab_extras.play.session import DRAW, GameSession
from dicelab_extras.play.situation import Situation, parse_situation
from dicelab_extras.play.widgets import panel_html, state_html

FINISHES = "equal turns", "last licks"
EQUAL, LICKS = (dl.solve(dl.pig(40, finish)) for finish in FINISHES)
SESSIONS = 100
UNITED = dl.Game(  # forced rolls, dice to choose, and what a player remembers
    "United",
    6,
    [
        dl.Mode("two", [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", [dl.Choice(3, "two"), dl.Choice(1, "one")])]),
        dl.Mode("one", [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "hot"))]),
        dl.Mode("hot", [dl.Outcome("1/4", "bust"), dl.Outcome("3/4", dl.Choice(2, "two"))], may_hold=False),
    ],
    registers=[dl.Register("shut", "open", least_hold=3), dl.Register("open")],
)  # fmt: skip


GAMES = [dl.pig(12, finish) for finish in FINISHES]
GAMES += [replace(UNITED, finish=finish) for finish in FINISHES]
GAMES += [dl.two_dice_pig(20), dl.double_trouble(20), dl.ten_thousand(20), dl.pig(20, "exact")]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name}-{game.finish}")
def test_optimal_sessions_win_as_often_as_the_solution_says(game):
    solution, won = dl.solve(game), []
    for seed in range(SESSIONS):
        session = GameSession(solution, seed=seed)
        while session.winner is None:
            session.take(session.best().name)
        won.append(session.chance(0))
        assert session.loss(0) == session.loss(1) == 0
    assert abs(np.mean(won) - solution.value) < 4 * np.std(won) / sqrt(SESSIONS)


@pytest.mark.parametrize("finish", ("reach", *FINISHES))
def test_three_play_as_the_solution_and_the_match_say(finish):
    """In sessions the optimal players, and rules of thumb against them, win as often as exactly."""
    game = dl.generalized_pig(["2/3", "1/6", "1/6"], 3, finish=finish)
    solution = dl.solve(game, players=3)
    for given in ({}, {0: dl.hold_at(1), 2: dl.hold_at(2)}):
        policies = [given.get(seat, solution.policy) for seat in range(3)]
        exact, won, shared = dl.evaluate(game, *policies).wins, [], 0
        for seed in range(SESSIONS):
            session = GameSession(solution, seed=seed, policies=given)
            while session.winner is None:
                session.take(session.played().name)
            assert all(session.loss(seat) == 0 for seat in range(3) if seat not in given)
            won.append([session.chance(seat) for seat in range(3)])
            assert sum(won[-1]) == pytest.approx(1)
            shared += session.winner == DRAW
        off = np.abs(np.mean(won, axis=0) - exact)
        assert (off < 4 * np.std(won, axis=0) / sqrt(SESSIONS)).all()
        assert (shared > 0) == (finish == "equal turns")


def test_the_rules_of_a_last_turn():
    session = GameSession(
        LICKS, seed=1, start=parse_situation("pig 40 finish=last-licks: 30-20 +12")
    )
    assert (session.answered, session.to_beat, session.role) == (True, None, None)
    session.take("hold")
    assert session.scores == [42, 20] and session.winner is None and session.player == 1
    assert session.to_beat == 42 and session.about_last_turn == "last turn: 42 points to beat"
    session.take("roll")
    if session.winner is None:
        assert [option.name for option in session.options()] == ["roll"]
        with pytest.raises(ValueError, match="a hold with less than 23 points"):
            session.take("hold")
    while session.winner is None:
        session.take("roll")
    assert session.winner in (0, 1) and (session.winner == 1) == (session.scores[1] > 42)


def test_a_draw():
    start = Situation(EQUAL.game, (30, 43), 13)
    session = GameSession(EQUAL, seed=1, start=start)
    assert session.role == 1 and session.to_beat == 43
    assert session.about_last_turn == "last turn: 43 points to beat, and an equal score draws"
    assert {option.name: option.value for option in session.options()}["hold"] == 0.5
    session.take("hold")
    assert session.winner == DRAW and session.chance(0) == session.chance(1) == 0.5
    assert session.log[-1] == "You held at 13 points: 43 points banked, a draw."
    assert "A draw." in state_html(session, 0) and "43 points" in panel_html(session, 0)


def test_who_is_second_in_the_round_wins_at_once():
    session = GameSession(EQUAL, seed=3, start=Situation(EQUAL.game, (38, 30), role=1))
    assert not session.answered
    while session.winner is None and session.player == 0:
        session.take(session.options()[0].name)
    assert session.winner == (0 if session.scores[0] >= 40 else None)
    first = dl.action_values(EQUAL, 38, 30, role=0)["best"][0]
    assert GameSession(EQUAL, start=Situation(EQUAL.game, (38, 30))).chance() == pytest.approx(
        first
    )


ADVICE = [
    (EQUAL, (30, 43, 13), "Last turn: 43 points to beat, and an equal score draws."),
    (
        EQUAL,
        (30, 43, 13),
        "\nRoll.\n  roll  you win with 83.333%\n  hold  you win with 50.000%; it",
    ),
    (EQUAL, (30, 43, 14), "Hold: you have the higher score, and have won."),
    (EQUAL, (30, 20, 10, None, (), 1), "Hold: that reaches the target, and you have won."),
    (EQUAL, (30, 20, 10), "A hold leaves the last turn to the opponent, with 40 points to beat"),
    (EQUAL, (30, 20, 99), "Hold: there every hold is right."),
    (LICKS, (30, 43, 13), "no hold: a hold with less than 14 points in this turn loses"),
]


@pytest.mark.parametrize(("solution", "asked", "said"), ADVICE)
def test_advice_in_a_last_turn_and_above_the_target(solution, asked, said):
    assert said in advice_at(solution, Situation(solution.game, asked[:2], *asked[2:]))
