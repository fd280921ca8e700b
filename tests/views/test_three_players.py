"""Three players: action values against plain equations, games in progress, the terminal, tables, cards and figures."""

from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import dicelab as dl
from collection import paper_plots
from dicelab import plots
from dicelab.cli import main
from dicelab.evaluation.action_values import turn_chances
from dicelab.views import tables
from dicelab_extras import proofs
from dicelab_extras.play.advice import advice_at
from dicelab_extras.play.session import GameSession
from dicelab_extras.play.situation import Situation

GAMES = [
    dl.pig(30),
    dl.double_trouble(14),
    dl.ten_thousand(9),
    dl.pig(12, finish="exact"),
    dl.generalized_pig(["1/3", "1/3", 0, "1/3"], 10, dice=3, bust=2, reset=3),
]


@cache
def solved(game):
    return dl.solve(game, players=3)


PIG = solved(GAMES[0])
# With tuples without an equilibrium in pure strategies.
COIN = dl.generalized_pig(["2/5", "1/5", 0, "2/5"], 18)


def plain_turn(solution, own, others):
    """Everybody's chances after a roll by mode and total, from the Bellman equation without a kernel."""
    game, values = solution.game, solution.values.astype(float)

    def after(score):  # the chances by seat in this turn, once the next player is to move
        return np.roll(values[(*others, score)], 1)

    def best(mode, total):
        here = game.modes[mode]
        if own + total > game.target and game.finish == "exact":
            return after(own)
        if own + total >= game.target and here.may_hold:
            return np.eye(len(others) + 1)[0]
        rolled = roll(mode, total)
        if not here.may_hold or not total:
            return rolled
        held = after(own + total)
        return rolled if rolled[0] > held[0] + 1e-13 else held

    known = {}

    def roll(mode, total):
        if total > game.target + 250:  # so deep in forced rolls that it no longer matters
            return after(own)
        if (mode, total) not in known:
            known[mode, total] = sum(
                float(o.probability)
                * (
                    max(
                        (best(game.mode(c.mode), total + c.points) for c in o.choices),
                        key=lambda chances: chances[0],
                    )
                    if o.choices
                    else after(0 if o.result == "reset" else own)
                )
                for o in game.modes[mode].outcomes
            )
        return known[mode, total]

    return roll, after


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name + game.finish)
def test_action_values_are_the_bellman_equation_for_everybody(game):
    solution, last = solved(game), game.target - 1
    for own, others in [(0, (0, 0)), (last, (3, 1)), (2, (last - 1, 4)), (4, (1, last))]:
        (roll, after), found = (
            plain_turn(solution, own, others),
            dl.action_values(solution, own, others),
        )
        assert list(found.index) == list(range(game.target - own)) and np.isnan(found["hold"][0])
        for m, mode in enumerate(game.modes):
            name = "roll" if len(game.modes) == 1 else mode.name
            columns = [name, f"{name}, seat 2", f"{name}, seat 3"]
            for total in found.index[:: max(1, len(found) // 9)]:
                assert found.loc[total, columns].to_numpy() == pytest.approx(
                    roll(m, total), abs=1e-10
                )
        for total in found.index[1:]:
            shares = found.loc[total, ["hold", "hold, seat 2", "hold, seat 3"]].to_numpy()
            assert shares == pytest.approx(after(own + total), abs=1e-15)
        by_seat = turn_chances(solution, own, others)
        for chances in (by_seat.hold[1:], by_seat.roll, by_seat.best):
            assert chances[..., :3].sum(axis=-1) == pytest.approx(1, abs=1e-12)


def mixed_solution():
    """A solution with a mixture, and a position at which the player to move mixes."""
    solution = dl.solve(COIN, players=3)
    return solution, next(at for at, share in solution.policy.bold_shares.items() if 0 < share < 1)


def test_a_mixture_is_the_mean_of_two_turns():
    solution, (own, *others) = mixed_solution()
    cautious, bold = (
        turn_chances(solution, own, others, bold).best[0, 0, :3] for bold in (False, True)
    )
    share = solution.policy.bold_share(own, others)
    assert cautious[0] == pytest.approx(bold[0], abs=1e-12) and abs(cautious - bold).max() > 1e-6
    assert (1 - share) * cautious + share * bold == pytest.approx(
        solution.values[own, *others], abs=1e-12
    )
    seat_2 = turn_chances(solution, own, others, share > 0.5).roll[0, 0, 1]
    assert dl.action_values(solution, own, others).loc[0, "roll, seat 2"] == seat_2


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: dl.action_values(PIG, 0, 0),
            "opponent: 0 is not allowed; give the scores of the 2 other players",
        ),
        (
            lambda: dl.action_values(PIG, 0, (0, 0, 0)),
            "opponent: .* the scores of the 2 other players",
        ),
        (lambda: dl.action_values(PIG, 0, (0, 30)), r"opponent\[1\]: 30"),
        (lambda: dl.action_values(PIG, 30, (0, 0)), "own: 30"),
        (lambda: proofs.certify(PIG), "give what dicelab.solve.game. returns for two players"),
        (lambda: plots.hold_thresholds(PIG), "hold_with_third draws those of three players"),
        (lambda: paper_plots.triangle(dl.solve(dl.pig(9))), "solution: .*three players"),
        (lambda: paper_plots.hold_with_third(dl.solve(dl.pig(9)), 0), "solution: .*three players"),
        (lambda: paper_plots.hold_with_third(PIG, 30), "own: 30"),
        (lambda: paper_plots.hold_with_third(PIG, 0, beside=PIG), "beside: .*two players"),
        (
            lambda: paper_plots.hold_with_third(PIG, 0, dl.solve(dl.pig(9))),
            "this policy is for Pig to 9, not Pig to 30",
        ),
        (lambda: plots.seat_shares(PIG), "frame: .*by_target"),
        (lambda: GameSession(PIG, names=("A", "B")), "names: .*give 3 names"),
        (lambda: GameSession(PIG, policies={3: dl.hold_at(3)}), "policies: 3"),
        (lambda: GameSession(PIG, policies=[dl.hold_at(3)]), "policies: .*a dict"),
        (
            lambda: GameSession(PIG, policies={1: dl.solve(dl.pig(9)).policy}),
            "for Pig to 9, not Pig to 30",
        ),
        (
            lambda: GameSession(PIG, policies={1: dl.solve(dl.piglet(3), players=3).policy}),
            "for Piglet to 3, 3 play",
        ),
        (lambda: dl.solve(dl.two_dice_pig(5), players=3).by_target(), "with resets"),
        (
            lambda: dl.action_values(PIG.policy, 0, (0, 0)),
            r"solution: .*give what dicelab\.solve\(game\) returns$",
        ),
    ],
)
def test_refusals_are_sentences(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


def typed(text, *arguments):
    return CliRunner().invoke(main, ["play", *arguments], input=text)


def test_three_play_in_the_terminal():
    game = ["pig", "--target", "20", "--players", "3", "--seed", "5"]
    rules = ["--against", "Hold at  7", "--against", "end race or keep pace"]
    played = typed("r\nr\nh\n" * 80, *game, *rules, "--hints")
    assert played.exit_code == 0 and " won with " in played.output
    assert "Player 2 (hold at 7) " in played.output
    assert "Player 3 (end race or keep pace)" in played.output
    start = dl.solve(dl.pig(20), players=3).value
    assert f"{start[0]:.1%}, they with {start[1]:.1%} and {start[2]:.1%}" in played.output


def test_solve_says_the_chances_and_writes_the_verdicts(tmp_path):
    file = tmp_path / "v.csv"
    command = ["solve", "pig", "--players", "3", "--target", "30", "-o", str(file)]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    lines = result.stdout.splitlines()
    assert lines[1] == f"Value: {', '.join(map(str, PIG.value))}" and "one at 9,020, " in lines[2]
    read = pd.read_csv(file, comment="#")
    assert list(read.columns) == list(PIG.verdicts.columns) and len(read) == 9020
    assert np.allclose(read.filter(like="chance"), PIG.verdicts.filter(like="chance"))


def test_exact_chances_are_written_as_fractions(tmp_path):
    exact = dl.solve(dl.piglet(2), players=3, exact=True)
    tables.write_csv(exact, tmp_path / "v.csv")
    read = pd.read_csv(tmp_path / "v.csv", comment="#", dtype=str)
    assert [Fraction(text) for text in read["chance_1"].iloc[-1:]] == [exact.value[0]]


def test_advice_says_what_a_decision_does_to_the_others():
    said = advice_at(PIG, Situation(PIG.game, (3, 7, 0), 12)).splitlines()
    values = dl.action_values(PIG, 3, (7, 0)).loc[12]
    assert (
        said[0]
        == "Pig to 30. You have 3 points, the others 7 points and 0 points, this turn 12 points."
    )
    for line in said[2:]:
        name = line.split()[0]
        theirs = " and ".join(f"{values[f'{name}, seat {seat}']:.3%}" for seat in (2, 3))
        cost = (
            f"; it costs {values['best'] - values[name]:.3%}"
            if values[name] < values["best"]
            else ""
        )
        assert line.endswith(f"you win with {values[name]:.3%}, they with {theirs}{cost}")


def test_values_by_target_are_those_of_smaller_games():
    shares = PIG.by_target()
    assert shares.loc[12].tolist() == pytest.approx(
        dl.solve(dl.pig(12), players=3).value, abs=1e-13
    )
    assert tuple(shares.loc[30]) == PIG.value
