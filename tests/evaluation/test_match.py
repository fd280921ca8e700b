"""One policy against another: exactly, by a sparse linear system, and by simulation; and best responses."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from dicelab.engine.race import seated
from dicelab.evaluation.loss import loss
from dicelab_extras import grading

GAMES = [dl.pig(10), dl.piglet(7), dl.two_dice_pig(10), dl.double_trouble(9)]
FULL = [dl.pig(100), dl.two_dice_pig(50)]


def name(value):
    return getattr(value, "name", None)


def test_a_seat_that_plays_best_does_not_gain():
    """Against the optimal policy its value is the same, wherever that sits."""
    game = dl.pig(20)
    best = dl.solve(game)
    for seats in ([best.policy, "best"], ["best", best.policy]):
        assert abs(seated(game, seats).value[0] - best.value) < 1e-12


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=name)
def test_exact_against_the_whole_markov_chain(game):
    optimal = dl.solve(game).policy
    for first, second in ((optimal, dl.hold_at(4)), (dl.hold_at(50), dl.hold_at(3))):
        match = dl.evaluate(game, first, second)
        assert (match.first_wins, match.turns_mean) == pytest.approx(
            textbook.policy_evaluation(game, first, second), abs=1e-12, rel=1e-12
        )


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


@pytest.mark.slow
@pytest.mark.parametrize("game", FULL, ids=name)
def test_a_best_response_wins_what_it_says_and_more_than_the_optimum(game):
    rule = dl.hold_at(18)
    response = dl.best_response(game, rule)
    assert dl.evaluate(game, response.policy, rule).first_wins == pytest.approx(
        response.value, abs=1e-13
    )
    assert response.value > dl.evaluate(game, dl.solve(game).policy, rule).first_wins + 1e-3


@pytest.mark.parametrize("game", FULL, ids=name)
def test_the_distribution_has_the_moments(game):
    match = dl.evaluate(game, dl.hold_at(20), dl.hold_at(23))
    turns = match.turns_distribution()
    mean = (turns * turns.index).sum()
    assert mean == pytest.approx(match.turns_mean, rel=1e-12)
    assert ((turns * (turns.index - mean) ** 2).sum()) ** 0.5 == pytest.approx(
        match.turns_sd, rel=1e-9
    )
    assert turns.sum() == pytest.approx(1, abs=1e-13)
    assert 0 <= turns.attrs["left"] <= 1e-15


@pytest.mark.slow
@pytest.mark.parametrize("game", [*FULL, dl.double_trouble(60)], ids=name)
def test_simulation_within_4_standard_errors(game):
    first, second = dl.hold_at(20), dl.solve(game).policy
    match = dl.evaluate(game, first, second)
    estimate = dl.simulate(game, first, second, games=200_000, seed=7)
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        error = getattr(estimate, f"{quantity}_se")
        assert 0 < error < 0.06
        assert abs(getattr(estimate, quantity) - getattr(match, quantity)) <= 4 * error


def test_nobody_rolls_from_the_target_on():
    """Whatever a policy says there."""
    game = dl.double_trouble(12)

    class Forever(dl.Policy):
        def decisions_at(self, game, own, memory=0):
            rolls = dl.hold_at(5).decisions_at(game, own).copy()
            rolls[..., game.target - own :] = True
            return rolls

    match, estimate = (ask(game, Forever(), dl.hold_at(8)) for ask in (dl.evaluate, dl.simulate))
    assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se


def test_simulation_depends_on_the_seed_alone():
    def told(**options):
        e = dl.simulate(dl.pig(30), dl.hold_at(20), dl.hold_at(10), games=130_001, **options)
        return e.first_wins, e.turns_mean, e.turns_sd, e.turns_sd_se

    assert told(seed=3, n_jobs=1) == told(seed=3, n_jobs=2) == told(seed=3)
    assert told(seed=3) != told(seed=4)


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


def test_choices_beyond_the_target_are_the_way_that_finishes_most_often():
    """A turn wins with p = 1/2 · 1/2 · (1/2 · 3/4), or changes nothing: then the first wins with 1 / (2 - p)."""
    game, rule = way_to_choose("bust"), dl.hold_at(3)
    match = dl.evaluate(game, rule, rule)
    assert match.first_wins == pytest.approx(32 / 61, abs=1e-15)
    assert match.turns_mean == pytest.approx(32 / 3, abs=1e-12)
    estimate = dl.simulate(game, rule, rule, games=200_000)
    assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se
    assert abs(estimate.turns_mean - match.turns_mean) <= 4 * estimate.turns_mean_se


def test_what_is_not_played_is_refused():
    """Which way is best beyond the target depends on what is at stake, where some lead to resets."""
    for call in (dl.evaluate, dl.simulate):
        with pytest.raises(NotImplementedError, match="between ways that finish and that reset"):
            call(way_to_choose("reset"), dl.hold_at(2), dl.hold_at(3))


@pytest.mark.parametrize(
    "game", [dl.pig(60, finish="exact"), dl.two_dice_pig(40, finish="exact")], ids=name
)
def test_rules_with_a_memory_and_exact_finishes_agree_with_simulation(game):
    for first, second in (
        (dl.scoring_turns(4), dl.hold_at(21)),
        (dl.hold_at(15), dl.scoring_turns(3)),
    ):
        match = dl.evaluate(game, first, second)
        estimate = dl.simulate(game, first, second, games=200_000)
        assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se
        if match.turns_mean < np.inf:
            assert abs(estimate.turns_mean - match.turns_mean) <= 4 * estimate.turns_mean_se
            turns = match.turns_distribution()
            assert (turns * turns.index).sum() == pytest.approx(match.turns_mean, rel=1e-12)
        else:
            assert estimate.turns_mean == np.inf
            assert match.turns_distribution().attrs["endless"] > 1e-6


def test_scoring_turns_needs_four_turns_that_score():
    """On a die that always scores two, to 8, two scoring turns are two turns of two rolls each."""
    match = dl.evaluate(dl.generalized_pig([0, 0, 1], 8), dl.scoring_turns(2), dl.scoring_turns(4))
    assert (match.first_wins, match.turns_mean) == (1, 3)
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
    answer = dl.best_response(race, dl.hold_at(9))
    won = dl.evaluate(race, solution.policy, dl.hold_at(9)).first_wins
    assert loss(answer, solution.policy) == pytest.approx(answer.value - won, abs=1e-15)


def test_what_a_policy_loses_alone():
    """Against a recursion for hold at n: a turn scores, or is begun again."""
    game, n = dl.pig(40), 12
    turns = dict.fromkeys(range(40, 46), 0.0)
    for own in reversed(range(40)):
        reached, bust = {0: 1.0}, 0.0
        for total in range(n):
            mass = reached.pop(total, 0.0) if own + total < 40 else 0.0
            bust += mass / 6
            for face in range(2, 7):
                reached[total + face] = reached.get(total + face, 0.0) + mass / 6
        after = sum(p * turns[min(own + total, 40)] for total, p in reached.items())
        turns[own] = (1 + after) / (1 - bust)
    solution = dl.solve(game, "turns")
    assert loss(solution, n) == pytest.approx(turns[0] - solution.value, abs=1e-12)
    assert loss(solution, solution.policy) == pytest.approx(0, abs=1e-12)
    assert loss(dl.solve(dl.pig(4, "exact"), "turns"), dl.hold_at(3)) == np.inf  # 1 is on no face


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


def test_simulated_dice_with_large_denominators():
    """Where probabilities have no small common denominator, outcomes are found by cumulative probabilities."""
    odd = dl.generalized_pig(["1000003/7000000", 0, "3/7", "2999997/7000000"], 40)
    match = dl.evaluate(odd, dl.hold_at(9), dl.hold_at(12))
    estimate = dl.simulate(odd, dl.hold_at(9), dl.hold_at(12), games=500_000)
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        assert abs(getattr(estimate, quantity) - getattr(match, quantity)) <= 4 * getattr(
            estimate, f"{quantity}_se"
        )


# Registers


def test_a_hold_opens_the_game_by_hand():
    """A coin to 3, whose first hold needs two points; both hold at 2, and one point is left, with the register "open".

    With a, b, c, d the values to the player to move at 0-0, 0-2, 2-0, 2-2: a = (1 - c)/4 + 3(1 - a)/4,
    b = (1 - d)/4 + 3(1 - c)/4, c = 1/2 + (1 - b)/2, d = 1/2 + (1 - d)/2. So a = 58/105.
    """
    registers = dl.Register("shut", after_hold="open", least_hold=2), dl.Register("open")
    game, hold = replace(dl.piglet(3), registers=registers), dl.hold_at(2)
    assert dl.evaluate(game, hold, hold).first_wins == pytest.approx(58 / 105, abs=1e-15)
    estimate = dl.simulate(game, hold, hold, games=100_000)
    assert abs(estimate.first_wins - 58 / 105) <= 4 * estimate.first_wins_se


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
    roll = dl.Mode("roll", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll"))])
    lost = dl.Mode("lost", [dl.Outcome(1, "bust")])
    registers = dl.Register("in", after_bust="out"), dl.Register("out", mode="lost")
    game = dl.Game("stuck", 1, [roll, lost], registers=registers)
    match = dl.evaluate(game, dl.hold_at(1), dl.hold_at(1))
    found = dl.simulate(game, dl.hold_at(1), dl.hold_at(1), games=100_000)
    assert match.first_wins == pytest.approx(1 / 2 + 1 / 4 / 2), "wins, or both bust: a draw"
    assert match.turns_mean == found.turns_mean == np.inf
    assert abs(found.first_wins - match.first_wins) <= 4 * found.first_wins_se


def test_penalties_lose_no_digits():
    """A die that scores enough from any score once in 10^12 turns: then the penalties make no difference."""
    p = Fraction(1, 10**12)
    roll = dl.Mode("roll", [dl.Outcome(1 - p, "bust"), dl.Outcome(p, dl.Choice(5, "roll"))])
    game = dl.Game("die", 1, roll, registers=dl.Register("any", penalty=1), lowest=-3)
    match = dl.evaluate(game, dl.hold_at(1), dl.hold_at(2))
    assert match.first_wins == pytest.approx(float(1 / (2 - p)), rel=1e-14)
    assert match.turns_mean == pytest.approx(1e12, rel=1e-12)
