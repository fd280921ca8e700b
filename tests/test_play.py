"""What decisions are worth, and games played: in the package and in the terminal."""

from dataclasses import replace

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab.cli import main
from dicelab.play import Play
from dicelab.worth import turn_odds

GAMES = [
    dl.pig(40),
    dl.two_dice_pig(40),
    dl.double_trouble(40),
    dl.ten_thousand(30),
    dl.pig(20, finish="exact"),
    dl.generalized_pig(["1/3", "1/3", 0, "1/3"], 25, dice=3, bust=2, reset=3),
]
SOLVED = {str(game): dl.solve(game) for game in GAMES}


def plain_turn(solution, own, opponent):
    """What rolling is worth by mode and total, from the Bellman equation as it stands in a textbook, with no kernel."""
    game, values = solution.game, solution.values
    bust, reset, known = 1 - values[opponent, own], 1 - values[opponent, 0], {}

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
            worths = {"bust": bust, "reset": reset}
            known[mode, total] = sum(
                float(o.probability)
                * (max(best(game.mode(c.mode), total + c.points) for c in o.choices) if o.choices else worths[o.result])
                for o in game.modes[mode].outcomes
            )
        return known[mode, total]

    return roll


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_odds_are_the_bellman_equation(game):
    solution = SOLVED[str(game)]
    for own, opponent in [(0, 0), (game.target - 1, 3), (7, game.target - 2)]:
        roll, found = plain_turn(solution, own, opponent), dl.odds(solution, own, opponent)
        assert list(found.index) == list(range(game.target - own)) and np.isnan(found["hold"][0])
        assert found.drop(columns="hold").to_numpy()[0, 0] == pytest.approx(solution.values[own, opponent], abs=1e-12)
        for m, mode in enumerate(game.modes):
            expected = [roll(m, total) for total in found.index]
            assert found[mode.name].to_numpy() == pytest.approx(expected, abs=1e-9)
            beyond = turn_odds(solution, own, opponent).roll[m, len(found) :]
            if not mode.may_hold:
                assert beyond == pytest.approx([roll(m, len(found) + k) for k in range(len(beyond))], abs=1e-9)
            for total in found.index[1:]:
                rolls = found[mode.name][total] > found["hold"][total] + 1e-12 or not mode.may_hold
                assert rolls == solution.policy.rolls(own, opponent, total, mode.name)


def test_odds_of_a_fraction_are_floats():
    exact = dl.odds(dl.solve(dl.pig(10), exact=True), 3, 4)
    assert exact.to_numpy()[1:] == pytest.approx(dl.odds(dl.solve(dl.pig(10)), 3, 4).to_numpy()[1:], abs=1e-14)


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda s: dl.odds(s.game, 0, 0), "solution: Game"),
        (lambda s: dl.odds(dl.solve(s.game, "turns"), 0, 0), "solution: Solution"),
        (lambda s: dl.odds(dl.best_response(s.game, dl.hold_at(20)), 0, 0), "solution: Solution"),
        (lambda s: dl.odds(s, s.game.target, 0), "own: 40"),
        (lambda s: dl.odds(s, 0, -1), "opponent: -1"),
        (lambda s: dl.odds(s, True, 0), "own: True"),
    ],
)
def test_odds_refuse(ask, said):
    with pytest.raises(ValueError, match=said):
        ask(SOLVED[str(GAMES[0])])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_the_optimal_player_loses_nothing_and_wins_as_often_as_solved(game):
    solution, wins, games = SOLVED[str(game)], 0, 200
    for seed in range(games):
        play = Play(solution, seed)
        while play.winner is None:
            option = play.best()
            if not play.pending and play.total and play.own + play.total < game.target:
                rolls = solution.policy.rolls(play.own, play.scores[1 - play.player], play.total, play.mode.name)
                assert option.name == ("roll" if rolls else "hold")
            if play.pending:
                _, outcome = game.rolled(play.rolled)
                kept = solution.policy.keep(play.own, play.scores[1 - play.player], play.total, play.rolled)[0]
                assert option.name == f"keep {' '.join(map(str, kept))}" and outcome.choices == play.pending
            play.take(option.name)
        wins += play.winner == 0
        assert play.loss(0) == play.loss(1) == 0
        assert play.chance(play.winner) == 1 and play.options() == []
    assert abs(wins / games - solution.value) < 4 * 0.5 / games**0.5


@hypothesis.given(game=st.sampled_from(GAMES), seed=st.integers(0, 10**6), data=st.data())
@hypothesis.settings(max_examples=60, deadline=None)
def test_any_game_adds_up(game, seed, data):
    """Whatever is done, scores stay in range, worths are probabilities, and losses are those of the options."""
    play, lost = Play(SOLVED[str(game)], seed), [0.0, 0.0]
    for _ in range(200):
        if play.winner is not None:
            break
        options, player = play.options(), play.player
        assert all(-1e-12 <= option.worth <= 1 + 1e-12 for option in options)
        assert play.chance(0) + play.chance(1) == pytest.approx(1)
        taken = data.draw(st.sampled_from(options))
        lost[player] += max(option.worth for option in options) - taken.worth
        play.take(taken.name)
        assert all(0 <= score < game.target for score in play.scores) or play.winner is not None
    for player in (0, 1):
        assert play.loss(player) == pytest.approx(lost[player], abs=1e-9)
        assert len(play.review(player)) == sum(decision.player == player for decision in play.decisions)


def test_the_same_seed_is_the_same_game():
    stories = []
    for seed in (5, 5, 6):
        play = Play(SOLVED[str(GAMES[3])], seed, names=("A", "B"))
        while play.winner is None:
            play.take(play.best().name)
        stories.append(play.story)
    assert stories[0] == stories[1] != stories[2]
    assert stories[0][0].startswith("A rolled ")


def test_what_is_no_option_changes_nothing():
    play = Play(SOLVED[str(GAMES[0])], 1)
    with pytest.raises(ValueError, match="option: 'hold' is not allowed; now there is roll"):
        play.take("hold")
    assert (play.story, play.decisions, play.scores, play.turn) == ([], [], [0, 0], 1)


def test_dice_fall_as_often_as_they_should():
    """In Ten Thousand, where the dice shown stand for the scoring dice that were drawn."""
    solution, seen = dl.solve(dl.ten_thousand(20)), np.zeros(7)
    for seed in range(3000):
        play = Play(solution, seed)
        play.take("roll")
        assert len(play.rolled) == 5
        seen += np.bincount(play.rolled, minlength=7)
    expected = seen.sum() / 6
    assert (np.abs(seen[1:] - expected) < 4 * np.sqrt(expected)).all()


def test_a_game_in_the_terminal():
    def typed(text, *options):
        return CliRunner().invoke(main, ["play", "pig", "--target", "20", "--seed", "3", *options], input=text)

    left = typed("r\nwhat\nq\n", "--hints")
    assert left.exit_code == 0 and "'what' is none of these" in left.output and "cost 0.00%" in left.output
    assert "roll (" not in typed("r\nr\n").output
    ended = CliRunner().invoke(main, ["play", "ten-thousand", "--target", "9", "--seed", "1"], input="\n" * 200)
    assert ended.exit_code == 0 and " won with " in ended.output
    played = typed("r\nr\nh\n" * 80)
    assert played.exit_code == 0 and " won with " in played.output and "not the best" in played.output


def test_playing_what_there_is_not():
    assert CliRunner().invoke(main, ["play", "chess"]).exit_code == 2
    assert "0 is not in the range" in CliRunner().invoke(main, ["play", "pig", "--target", "0"]).output


def test_chances_are_chances():
    """Where the first to move nearly surely wins, and resets are rounded: 1 + 9e-15, and -9e-15 for the other."""
    third = dl.Mode("c", [dl.Outcome("12/29", dl.Choice(1, "a")), dl.Outcome("17/29", "reset")], may_hold=False)
    first = dl.Mode("a", [dl.Outcome("7/24", dl.Choice(4, "c")), dl.Outcome("17/24", dl.Choice(2, "a"))])
    solution = dl.solve(dl.Game("sure", 10, [first, third], "exact"))
    shifted = replace(solution, values=np.where(solution.values > 0.5, 1 + 9e-15, -9e-15))
    for solved in (solution, shifted):
        play = Play(solved, 1)
        while play.winner is None:
            assert 0 <= play.chance(0) <= 1 and 0 <= play.chance(1) <= 1
            assert all(0 <= option.worth <= 1 for option in play.options())
            play.take(play.best().name)
        found = dl.odds(solved, 0, 0).to_numpy()[1:]
        assert ((found >= 0) & (found <= 1)).all()
