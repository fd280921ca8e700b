"""Action values against a plain Bellman equation, and games played in Python and in the terminal."""

from functools import cache

import numpy as np
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab.cli import main
from dicelab.evaluation.action_values import turn_action_values
from dicelab_extras.play.session import GameSession, say_loss

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


def plain_turn(solution, own, opponent):
    """The value of rolling by mode and total, from the Bellman equation without a kernel."""
    game, values = solution.game, solution.values
    bust = 1 - values[opponent, own]
    reset = 1 - values[opponent, 0]
    known = {}

    def best(mode, total):
        here = game.modes[mode]
        if own + total > game.target and game.finish == "exact":
            return bust
        if own + total >= game.target and here.may_hold:
            return 1.0
        hold = 1 - values[opponent, own + total] if here.may_hold and total else 0.0
        return max(hold, roll(mode, total))

    def roll(mode, total):
        if total > game.target + 200:  # so deep in forced rolls that it no longer matters
            return bust
        if (mode, total) not in known:
            lost = {"bust": bust, "reset": reset}
            known[mode, total] = sum(
                float(o.probability)
                * (
                    max(best(game.mode(c.mode), total + c.points) for c in o.choices)
                    if o.choices
                    else lost[o.result]
                )
                for o in game.modes[mode].outcomes
            )
        return known[mode, total]

    return roll


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_odds_are_the_bellman_equation(game):
    solution = solved(game)
    for own, opponent in [(0, 0), (game.target - 1, 3), (7, game.target - 2)]:
        roll = plain_turn(solution, own, opponent)
        found = dl.action_values(solution, own, opponent)
        assert list(found.index) == list(range(game.target - own)) and np.isnan(found["hold"][0])
        assert found.drop(columns="hold").to_numpy()[0, 0] == pytest.approx(
            solution.values[own, opponent], abs=1e-12
        )
        for m, mode in enumerate(game.modes):
            expected = [roll(m, total) for total in found.index]
            assert found[mode.name].to_numpy() == pytest.approx(expected, abs=1e-9)
            beyond = turn_action_values(solution, own, opponent).roll[m, len(found) :]
            if not mode.may_hold:
                assert beyond == pytest.approx(
                    [roll(m, len(found) + k) for k in range(len(beyond))], abs=1e-9
                )
            for total in found.index[1:]:
                rolls = found[mode.name][total] > found["hold"][total] + 1e-12 or not mode.may_hold
                assert rolls == solution.policy.rolls(own, opponent, total, mode.name)


def test_odds_of_a_fraction_are_floats():
    exact = dl.action_values(dl.solve(dl.pig(10), exact=True), 3, 4)
    assert exact.to_numpy()[1:] == pytest.approx(
        dl.action_values(dl.solve(dl.pig(10)), 3, 4).to_numpy()[1:], abs=1e-14
    )


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda s: dl.action_values(s.game, 0, 0), "solution: <Game"),
        (lambda s: dl.action_values(s, s.game.target, 0), "own: 40"),
        (lambda s: dl.action_values(s, 0, -1), "opponent: -1"),
        (lambda s: dl.action_values(s, True, 0), "own: True"),
    ],
)
def test_odds_refuse(ask, said):
    with pytest.raises(ValueError, match=said):
        ask(solved(GAMES[0]))


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_optimal_player_loses_nothing_and_wins_as_often_as_solved(game):
    solution = solved(game)
    wins = 0
    games = 60
    for seed in range(games):
        session = GameSession(solution, seed)
        while session.winner is None:
            option = session.best()
            state = (session.own, session.scores[1 - session.player], session.total)
            if not session.pending and session.total and session.own + session.total < game.target:
                rolls = solution.policy.rolls(*state, session.mode.name)
                assert option.name == ("roll" if rolls else "hold")
            if session.pending:
                _, outcome = game.classify_roll(session.rolled)
                kept = solution.policy.keep(*state, session.rolled)[0]
                assert (
                    option.name == f"keep {' '.join(map(str, kept))}"
                    and outcome.choices == session.pending
                )
            session.take(option.name)
        wins += session.winner == 0
        assert session.loss(0) == session.loss(1) == 0
        assert session.chance(session.winner) == 1 and session.options() == []
    assert abs(wins / games - solution.value) < 4 * 0.5 / games**0.5


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


def test_small_losses_are_not_rounded_to_nothing():
    assert [say_loss(loss) for loss in (0.12345, 0.0001, 0.00001)] == [
        "12.35%",
        "0.01%",
        "less than 0.01%",
    ]


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


def test_a_game_in_the_terminal():
    def typed(text, *options):
        return CliRunner().invoke(
            main, ["play", "pig", "--target", "20", "--seed", "3", *options], input=text
        )

    left = typed("r\nwhat\nq\n", "--hints")
    assert (
        left.exit_code == 0
        and "'what' is not one of these" in left.output
        and "No mistake: " in left.output
    )
    assert (
        "Roll a die as often as you like." in left.output
        and "with 20 points or more wins" in left.output
    )
    assert "roll (" not in typed("r\nr\n").output
    ended = CliRunner().invoke(
        main, ["play", "ten-thousand", "--target", "9", "--seed", "1"], input="\n" * 200
    )
    assert ended.exit_code == 0 and " won with " in ended.output
    played = typed("r\nr\nh\n" * 80)
    assert (
        played.exit_code == 0
        and " won with " in played.output
        and " at a cost of " in played.output
    )
    _, _, table = played.output.partition(" of a win.\n")
    assert len(table.splitlines()) <= 4  # the header and the three worst


def test_unknown_games():
    assert CliRunner().invoke(main, ["play", "chess"]).exit_code == 2
    assert (
        "0 is not in the range" in CliRunner().invoke(main, ["play", "pig", "--target", "0"]).output
    )


def choosing(target):
    """First choose a coin, without a hold: one scores 1 and goes on, the other ends the turn; some tosses are again."""
    coins = dl.Outcome(1, [dl.Choice(0, "low"), dl.Choice(0, "high")])
    low = [
        dl.Outcome("1/3", "bust"),
        dl.Outcome("1/3", dl.Choice(0, "low")),
        dl.Outcome("1/3", dl.Choice(1, "low")),
    ]
    high = [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(3, "stop"))]
    modes = (
        dl.Mode("choose", coins, may_hold=False),
        dl.Mode("low", low),
        dl.Mode("high", high),
        dl.Mode("stop", ()),
    )
    return dl.Game("Coins", target, modes)


@pytest.mark.parametrize("players", [2, 3])
def test_a_choice_before_the_roll(players):
    session = GameSession(dl.solve(choosing(6), players=players), seed=3)
    assert [option.name for option in session.options()] == ["low", "high"] and not session.rolled
    session.take("low")
    assert session.log == [f"{session.names[0]} chose low."] and session.options()[0].name == "roll"
    assert list(session.review()["action"]) == ["low"]
    while session.winner is None:
        options = [option.name for option in session.options()]
        session.take("high" if "high" in options else options[-1])
        if "high" in options and session.winner is None:
            assert session.options()[0].name == "roll"
    said = "\n".join(session.log)
    assert (
        "rolled 3: turn total 3 points" in said
        and "held at 3 points" in said
        and "rolled 0" not in said
    )
    again = GameSession(dl.solve(choosing(6)), seed=1)
    for _ in range(300):
        if again.winner is None:
            again.take("low" if again.pending else "roll")
    assert any(
        "rolled no points: nothing changes, the dice are rolled again" in line for line in again.log
    )
