"""Two-player races: the fast solver against textbook ones, fractions, and properties that must hold."""

from fractions import Fraction

import numpy as np
import pytest
from conftest import decision_mask, dice, mode_games
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from benchmarks.numpy_race import pig_values
from collection import textbook
from dicelab.engine import questions

BOTH = ("reach", "exact")
CATALOGUE = [dl.pig(12), dl.piglet(10), dl.generalized_pig(["1/4", 0, 0, "3/4"], 9)]


def agree(game):
    """Fast, textbook and exact solutions of `game` agree, every decision included; with resets, without fractions."""
    fast = dl.solve(game)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(values - fast.values).max() <= 1e-12
    assert np.array_equal(rolls, decision_mask(fast))
    if game.resets:
        assert fast.residual <= 1e-14
        return
    exact = dl.solve(game, exact=True)
    assert np.abs(fast.values - exact.values.astype(float)).max() <= 1e-13
    for own, opponent, total, mode in exact.ties:
        assert not decision_mask(exact)[own, opponent, game.mode(mode), total], "ties hold"
    assert np.array_equal(decision_mask(exact), decision_mask(fast))
    assert fast.residual <= 1e-15 and exact.residual == 0


@pytest.mark.parametrize("game", CATALOGUE, ids=lambda game: game.name)
def test_backward_induction(game):
    assert (textbook.backward_induction(game) == dl.solve(game, exact=True).values).all()


@pytest.mark.slow
@settings(max_examples=60)
@given(dice(finishes=BOTH))
def test_random_dice(game):
    agree(game)


@settings(max_examples=12)
@given(mode_games(finishes=BOTH))
def test_random_games_with_modes_choices_and_forced_rolls(game):
    agree(game)


@settings(max_examples=20)
@given(mode_games(most_target=5, resets=True, finishes=BOTH))
def test_random_games_with_resets(game):
    agree(game)


def test_resets_by_hand():
    """To 4 points any score of two dice wins: 25 of 36 rolls do, the others, a reset too, pass the die at 0 to 0."""
    # x = 25/36 + (1 - x)·11/36.
    assert dl.solve(dl.two_dice_pig(4)).value == pytest.approx(36 / 47, abs=1e-15)
    # Double Trouble: of the 25, the 5 doubles must be rolled again: q = (20 + 5q)/36 = 20/31, the paper's 1/31 argument
    # x = q + (1 - q)(1 - x)
    assert dl.solve(dl.double_trouble(4)).value == pytest.approx(1 / (2 - 20 / 31), abs=1e-15)


def test_known_values():
    assert dl.solve(dl.pig(10), exact=True).value == Fraction(7776, 10961)
    assert dl.solve(dl.piglet(2), exact=True).value == Fraction(4, 7)
    assert dl.solve(dl.piglet(3), exact=True).values.tolist() == [
        [Fraction(6, 11), Fraction(4, 11), Fraction(2, 9)],
        [Fraction(8, 11), Fraction(4, 7), Fraction(2, 5)],
        [Fraction(8, 9), Fraction(4, 5), Fraction(2, 3)],
    ]
    assert round(dl.solve(dl.pig(100)).value, 6) == 0.530593  # Neller and Presser 2004: 0.5306


def test_a_solver_that_shares_no_code_agrees_at_full_size():
    solution = dl.solve(dl.pig(100))
    assert np.abs(pig_values(100)[:0:-1, :0:-1] - solution.values).max() <= 1e-14


@settings(max_examples=60)
@given(dice(most_target=40))
def test_properties(game):
    values = dl.solve(game).values
    assert ((values > 0) & (values <= 1)).all()
    assert (np.diff(values, axis=0) >= -1e-14).all(), "V rises with the own score"
    assert (np.diff(values, axis=1) <= 1e-14).all(), "V falls with the opponent's score"
    assert (values + values.T >= 1 - 1e-14).all(), "the move is never a burden"
    smaller = dl.solve(dl.Game(game.name, max(1, game.target - 3), game.modes)).values
    apart = np.abs(values[-len(smaller) :, -len(smaller) :] - smaller).max()
    assert apart <= 4e-16, (
        "only the points still needed count; but how often a pair is stepped may differ"
    )


def test_a_die_that_never_busts_wins_at_once():
    solution = dl.solve(dl.generalized_pig([0, "1/2", "1/2"], 20))
    assert (solution.values == 1).all()
    assert solution.policy.rolls(0, 0, 19) and not solution.policy.rolls(0, 0, 20)


def test_a_solver_that_cannot_vouch_raises(monkeypatch):
    monkeypatch.setattr(questions, "ACCURACY", -1.0)
    with pytest.raises(dl.ConvergenceError, match="Pig: float64 may be off by"):
        dl.solve(dl.pig(5))


@given(st.integers(1, 30))
def test_by_target_is_the_value_of_each_game(target):
    by_target = dl.solve(dl.pig(30)).by_target()
    assert by_target[target] == dl.solve(dl.pig(target)).value


def test_endless_play_is_a_draw_and_whoever_can_never_finish_loses():
    """With one point missing no face of Pig finishes; against two points missing, a two does, sooner or later."""
    for exact in (False, True):
        values = dl.solve(dl.pig(9, finish="exact"), exact=exact).values
        assert values[8, 8] == 0.5
        assert values[8, 7] <= 1e-15
        assert values[7, 8] >= 1 - 1e-15


def test_endless_play_does_not_change_the_value():
    """Nobody who plays well is ever left with one point missing: every value of a draw gives the same start."""
    game = dl.pig(30, finish="exact")
    policy = dl.solve(game).policy
    for own, opponent in np.ndindex(29, 29):
        rolls = policy.decisions(game, own, opponent)[0]
        assert len(rolls) == 30 - own and rolls[29 - own], (
            "with one point missing after banking it rolls on"
        )
    match = dl.evaluate(game, policy, policy)
    assert match.turns_distribution().attrs["endless"] == 0


MARGINS = [dl.pig(40), dl.two_dice_pig(40), dl.double_trouble(30), dl.pig(30, finish="exact")]


@pytest.mark.parametrize("game", MARGINS, ids=lambda game: game.name)
def test_the_margin_is_what_the_optimal_players_win(game):
    solution = dl.solve(game, "margin")
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.margin == pytest.approx(solution.value, abs=1e-12)
    other = dl.solve(game).policy
    assert (
        dl.evaluate(game, other, solution.policy).margin
        < solution.value
        < dl.evaluate(game, solution.policy, other).margin
    )


def test_a_margin_by_hand():
    """Piglet to 1: the first head wins the one point of the other: x = 1/2 - x/2."""
    assert dl.solve(dl.piglet(1), "margin").value == pytest.approx(1 / 3, abs=1e-15)
    # to 2 of a die that always scores 3: one roll wins 2, and 3 with the point beyond the target
    die = dl.generalized_pig([0, 0, 0, 1], 2)
    assert dl.solve(die, "margin").value == 2
    assert dl.solve(die, "margin", overshoot=True).value == pytest.approx(3, abs=1e-15)
