"""Play and views of games with registers, and of games with choices before the roll."""

from dataclasses import replace
from html import escape

import numpy as np
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab import Register, Score
from dicelab.cli import main
from dicelab.views.cards import card
from dicelab.views.tables import to_frame
from dicelab_extras.play.advice import advice
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


def test_a_player_near_the_target_must_bank_the_least_hold():
    twice = [Register("closed", "open", "closed", least_hold=10), Register("open", "closed")]
    solution = dl.solve(replace(dl.pig(15), name="Twice", registers=tuple(twice)))
    session = GameSession(solution, seed=2)
    session.scores = [Score(12, "closed"), Score(0, "open")]
    session._start_turn(0)
    while session.player == 0 and session.winner is None and session.total < 10:
        assert [option.name for option in session.options()] == ["roll"]
        session.take("roll")
    assert session.winner == 0 or session.player == 1


def test_a_penalty_is_announced(busts):
    falls = set()
    for seed in range(40):
        session = GameSession(busts, seed)
        begins = (0, -5, -6)[seed % 3]
        session.scores = [Score(begins, "2 busts")] * 2
        session._start_turn(0)
        while session.winner is None:
            before, player = session.own, session.player
            session.take("roll")
            lost = "the points of the turn are lost" in session.log[-1]
            if lost and before.register == "2 busts":
                now, fall = session.scores[player], min(5, before + 6)
                assert now == before - fall and now.register == "0 busts"
                cost, left = (busts.game.with_unit(int(points)) for points in (fall, now))
                said = (
                    f"lost, and {cost} as a penalty; now {left}, 0 busts."
                    if fall
                    else "lost; now 0 busts."
                )
                assert session.log[-1].endswith(said)
                falls.add(fall)
            elif lost:
                assert session.log[-1].endswith(f"lost; now {session.scores[player].register}.")
    assert falls == {0, 1, 5}


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


def test_the_optimal_player_wins_as_often_as_solved(busts):
    wins, games = 0, 400
    for seed in range(games):
        session = GameSession(busts, seed)
        session.reply(0, 1)
        wins += session.winner == 0
    assert abs(wins / games - busts.value) < 4 * 0.5 / games**0.5


def test_mistakes_say_the_registers(opening):
    session = GameSession(opening, seed=1)
    roll_until(session, lambda: session.winner is not None)
    assert "0 (not opened)" in set(session.review(0)["own"]) and len(session.mistakes(0))


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


def test_tables_have_columns_of_registers(opening, tmp_path):
    frame = to_frame(opening)
    assert list(frame.columns[:4]) == ["own", "own_register", "opponent", "opponent_register"]
    game = opening.game
    rows = frame[frame["action"] == "hold"].itertuples()
    assert (
        not frame[(frame["own_register"] == "not opened") & (frame["first"] < 10)]["action"]
        .eq("hold")
        .any()
    )
    for row in [*rows][::97]:
        own = Score(row.own, row.own_register)
        opponent = Score(row.opponent, row.opponent_register)
        assert row.value == opening.at(own, opponent) and not opening.policy.rolls(
            own, opponent, row.first
        )
        assert row.first == 1 or opening.policy.rolls(own, opponent, row.first - 1)
    assert set(frame.attrs) == {"game", "objective", *frame.columns}
    assert len(
        frame.groupby(["own", "own_register", "opponent", "opponent_register"], observed=True)
    ) == (len(game.scores) ** 2)


def test_tables_of_falling_scores(busts):
    frame = to_frame(busts)
    assert frame["own"].min() == frame["opponent"].min() == -6 and frame["own"].max() == 19


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


def unnamed(choices=2):
    """Rules whose rolls name no dice, with a choice after a roll, a mode in which one must hold, and a reset."""
    options = [C(n + 1, f"m{n}") for n in range(choices)]
    more = [O("1/4", "bust"), O("1/8", "reset"), O("5/8", C(1, "stop"))]
    modes = [
        dl.Mode(
            "roll", [O("1/2", options), O("1/4", "bust"), O("1/8", "reset"), O("1/8", C(2, "roll"))]
        )
    ]
    return dl.Game(
        "No Dice",
        40,
        [*modes, *(dl.Mode(f"m{n}", more) for n in range(choices)), dl.Mode("stop", ())],
    )


def test_rolls_without_named_faces_are_said_in_words():
    session = GameSession(dl.solve(unnamed()), seed=1)
    roll_until(session, lambda: session.winner is not None)
    said = "\n".join(session.log)
    assert (
        "rolled a choice: take 1, m0 or take 2, m1." in said
        and "rolled a bust: the points of the turn" in said
    )
    assert (
        "rolled a reset: all banked points are lost." in said
        and "rolled bust" not in said
        and "rolled ." not in said
    )


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


@pytest.fixture
def play_table():
    return pytest.importorskip("dicelab_extras.play.widgets").play_table


def buttons_of(table):
    return [button for button in table.children[5].children if button.layout.display is None]


def test_a_hold_that_is_not_allowed_is_a_disabled_button(play_table, opening):
    table = play_table(opening.game, seed=1)
    assert "Opening Pig" in table.children[0].value and table.session.game == opening.game
    roll, hold = buttons_of(table)
    assert (
        hold.disabled
        and hold.tooltip == "At least 10 points are needed to hold"
        and not roll.disabled
    )
    assert "At least 10 points are needed to hold." in table.children[4].value
    hold.click()  # a browser would not send it
    assert table.session.events == []
    you = table.children[7].children[0]
    assert "0 points</span>, not opened" in you.value
    for _ in range(300):
        if table.session.scores[0]:
            break
        _, hold = buttons_of(table)
        assert hold.disabled == bool(table.session.cannot_hold)
        (roll if hold.disabled else hold).click()
    assert "</span>, opened" in you.value and "now opened" in you.value
    while table.session.winner is None:
        buttons_of(table)[0].click()
    assert buttons_of(table) == []


def test_every_choice_has_a_button(play_table):
    table = play_table(dl.hog(30, 14), seed=1)
    assert [button.description for button in buttons_of(table)] == [
        "1 die",
        *(f"{n} dice" for n in range(2, 15)),
    ]
    buttons_of(table)[13].click()
    assert (
        table.session.log[0] == "You chose 14 dice."
        and escape("chose 14 dice") in table.children[-1].value
    )
    table.children[1].children[0].value = "Pig"
    assert table.session.game.name == "Pig" and [b.description for b in buttons_of(table)] == [
        "Roll"
    ]


def test_three_play_with_registers(play_table, opening):
    table = play_table(replace(opening.game, target=15), players=3, seed=2)
    assert table.session.players == 3 and "not opened" in table.children[7].children[2].value
    for _ in range(200):
        buttons = buttons_of(table)
        if not buttons:
            break
        buttons[-1 if not buttons[-1].disabled else 0].click()
    assert table.session.winner is not None


def test_action_values_are_those_of_a_plain_game_where_registers_change_nothing():
    plain = dl.pig(12)
    registered = replace(dl.pig(12), registers=Register("all"))
    values = [dl.action_values(dl.solve(game), 3, 4).to_numpy() for game in (plain, registered)]
    np.testing.assert_allclose(*values, atol=1e-13)
