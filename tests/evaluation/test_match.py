"""One policy against another: exactly, by a sparse linear system, and by simulation; and best responses."""

from dataclasses import replace

import numpy as np
import pytest

import dicelab as dl
from dicelab.evaluation.loss import loss
from dicelab_extras import grading

FULL = [dl.pig(100), dl.two_dice_pig(50)]


def name(value):
    return getattr(value, "name", None)


@pytest.mark.slow
@pytest.mark.parametrize("game", [*FULL, dl.ten_thousand(30)], ids=name)
def test_the_optimum_against_itself_is_the_value(game):
    solution = dl.solve(game)
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.first_wins == pytest.approx(solution.value, abs=1e-13)
    response = dl.best_response(game, solution.policy)
    assert np.abs(response.values - solution.values).max() <= 1e-13, (
        "nothing is gained against the optimum"
    )
    assert response.residual <= 1e-14


def test_the_standard_errors_are_those_of_many_runs():
    runs = [
        dl.simulate(dl.piglet(5), dl.hold_at(2), dl.hold_at(2), games=1000, seed=seed, n_jobs=1)
        for seed in range(120)
    ]
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        spread = np.std([getattr(run, quantity) for run in runs])
        assert spread == pytest.approx(
            np.mean([getattr(run, f"{quantity}_se") for run in runs]), rel=0.2
        )


def way_to_choose(result):
    """At the target one must go on in a risky mode, or choose a safer one; below it, the risky one brings more."""
    half = dl.Outcome("1/2", "bust")
    ways = dl.Outcome("1/2", [dl.Choice(2, "risky"), dl.Choice(1, "safe")])
    safe = dl.Outcome("1/4", result), dl.Outcome("3/4", dl.Choice(1, "free"))
    modes = [
        dl.Mode("free", [half, dl.Outcome("1/2", dl.Choice(1, "risky"))]),
        dl.Mode("risky", [half, ways], may_hold=False),
        dl.Mode("safe", safe, may_hold=False),
    ]
    return dl.Game("Which way", 3, modes)


class Forever(dl.Policy):
    """Rolls from the target on, which nobody does."""

    def decisions_at(self, game, own, memory=0):
        rolls = dl.hold_at(5).decisions_at(game, own).copy()
        rolls[..., game.target - own :] = True
        return rolls


OPENING = replace(
    dl.piglet(3),
    registers=[dl.Register("shut", after_hold="open", least_hold=2), dl.Register("open")],
)
STUCK = dl.Game(
    "stuck",
    1,
    [*dl.piglet(1).modes, dl.Mode("lost", [dl.Outcome(1, "bust")])],
    registers=[dl.Register("in", after_bust="out"), dl.Register("out", mode="lost")],
)
SIMULATED = [
    *((game, dl.hold_at(20), dl.solve(game).policy) for game in (*FULL, dl.double_trouble(60))),
    (dl.ten_thousand(12), dl.scoring_turns(2), dl.solve(dl.ten_thousand(12)).policy),
    (
        dl.generalized_pig(["1000003/7000000", "3/7", "2999997/7000000"], 4),
        dl.hold_at(4),
        dl.hold_at(2),
    ),
    (dl.double_trouble(12), Forever(), dl.hold_at(8)),
    (way_to_choose("bust"), dl.hold_at(3), dl.hold_at(3)),
    (OPENING, dl.hold_at(2), dl.hold_at(2)),
    (STUCK, dl.hold_at(1), dl.hold_at(1)),
]
SIMULATED += [
    (game(target, finish="exact"), *policies)
    for game, target in ((dl.pig, 60), (dl.two_dice_pig, 40))
    for policies in (
        (dl.scoring_turns(4), dl.hold_at(21)),
        (dl.hold_at(15), dl.scoring_turns(3)),
    )
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "first", "second"), SIMULATED, ids=name)
def test_simulation_within_4_standard_errors(game, first, second):
    match = dl.evaluate(game, first, second)
    estimate = dl.simulate(game, first, second, games=200_000, seed=7)
    assert np.isinf(estimate.turns_mean) == np.isinf(match.turns_mean)
    sure = ["turns_mean", "turns_sd"] if np.isfinite(match.turns_mean) else []
    for quantity in ("first_wins", *sure):
        error = getattr(estimate, f"{quantity}_se")
        assert error > 0
        assert abs(getattr(estimate, quantity) - getattr(match, quantity)) <= 4 * error


def test_choices_beyond_the_target_are_the_way_that_finishes_most_often():
    """A turn wins with p = 1/2 · 1/2 · (1/2 · 3/4), or changes nothing: then the first wins with 1 / (2 - p)."""
    game, rule = way_to_choose("bust"), dl.hold_at(3)
    match = dl.evaluate(game, rule, rule)
    assert match.first_wins == pytest.approx(32 / 61, abs=1e-15)
    assert match.turns_mean == pytest.approx(32 / 3, abs=1e-12)


def test_what_is_not_played_is_refused():
    """Which way is best beyond the target depends on what is at stake, where some lead to resets."""
    for call in (dl.evaluate, dl.simulate):
        with pytest.raises(NotImplementedError, match="between ways that finish and that reset"):
            call(way_to_choose("reset"), dl.hold_at(2), dl.hold_at(3))


def test_no_best_response_to_a_policy_with_a_memory():
    with pytest.raises(NotImplementedError, match="remembers its turns"):
        dl.best_response(dl.pig(9), dl.scoring_turns(4))


def test_what_a_policy_loses():
    race, exactly = dl.pig(40), dl.pig(40, finish="exact")
    solution, other = dl.solve(race), dl.solve(exactly)
    assert loss(solution, solution.policy) == pytest.approx(0, abs=1e-15)
    assert loss(dl.solve(race, "margin"), solution.policy) > 0.1
    lost = loss(other, solution.policy.transfer_to(exactly))
    first = dl.evaluate(exactly, solution.policy.transfer_to(exactly), other.policy).first_wins
    second = 1 - dl.evaluate(exactly, other.policy, solution.policy.transfer_to(exactly)).first_wins
    assert lost == pytest.approx(0.5 - (first + second) / 2, abs=1e-15)
    with pytest.raises(ValueError, match="this policy is for Pig to 40"):
        dl.evaluate(exactly, solution.policy, other.policy)


def test_what_a_policy_loses_against_two():
    game, rule = dl.pig(12), dl.hold_at(5)
    solution = dl.solve(game, players=3)
    best = solution.policy
    wins = [
        dl.evaluate(game, rule, best, best).wins[0],
        dl.evaluate(game, best, rule, best).wins[1],
        dl.evaluate(game, best, best, rule).wins[2],
    ]
    assert loss(solution, rule) == pytest.approx(1 / 3 - sum(wins) / 3, abs=1e-15)
    assert loss(solution, rule) > 1e-4
    assert loss(solution, best) == pytest.approx(0, abs=1e-15)


# Registers


def test_a_hold_opens_the_game_by_hand():
    """A coin to 3, whose first hold needs two points; both hold at 2, and one point is left, with the register "open".

    With a, b, c, d the values to the player to move at 0-0, 0-2, 2-0, 2-2: a = (1 - c)/4 + 3(1 - a)/4,
    b = (1 - d)/4 + 3(1 - c)/4, c = 1/2 + (1 - b)/2, d = 1/2 + (1 - d)/2. So a = 58/105.
    """
    assert dl.evaluate(OPENING, 2, 2).first_wins == pytest.approx(58 / 105, abs=1e-15)


def test_penalties_that_lead_to_the_start_by_hand():
    """A coin to 2 whose bust costs all points; both hold at 1.

    With a, b, c, d the values to the player to move at 0-0, 1-0, 0-1, 1-1: a = (1 - c)/2 + (1 - a)/2,
    b = 1/2 + (1 - a)/2, c = (1 - d)/2 + (1 - b)/2, d = 1/2 + (1 - b)/2. So a = 14/25.
    """
    game, hold = replace(dl.piglet(2), registers=dl.Register("r", penalty=1)), dl.hold_at(1)
    match = dl.evaluate(game, hold, hold)
    assert match.first_wins == pytest.approx(14 / 25, abs=1e-15)
    assert match.turns_mean == pytest.approx(6.8, rel=1e-15)
    assert dl.best_response(game, hold).value == pytest.approx(22 / 31, abs=1e-15)
    assert dl.solve(game).value == pytest.approx(4 / 7, abs=1e-15)
    assert grading.grade(game, hold).first_wins == pytest.approx(12 / 31, abs=1e-15)


def test_a_player_who_is_stuck():
    """A register in which nothing but a bust happens: both get there sooner or later, if neither wins before."""
    match = dl.evaluate(STUCK, 1, 1)
    assert match.first_wins == pytest.approx(1 / 2 + 1 / 4 / 2), "wins, or both bust: a draw"
    assert match.turns_mean == np.inf
