"""Stochastic games: matrix games, Shapley's operator, races, and simultaneous decisions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dicelab as dl
from collection import textbook
from dicelab.engine.fixed_points import solve_linear

matrices = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=1, max_size=4)
)


@given(matrices)
def test_matrix_games(payments):
    """Each strategy guarantees the value: no pure action of the other does better against it."""
    value, rows, columns = textbook.matrix_game(payments)
    assert rows.sum() == pytest.approx(1)
    assert columns.sum() == pytest.approx(1)
    assert min(rows @ payments) == pytest.approx(value, abs=1e-9)
    assert max(payments @ columns) == pytest.approx(value, abs=1e-9)


def test_matrix_games_by_hand():
    """Without a saddle point, (a d - b c) / (a + d - b - c)."""
    value, rows, columns = textbook.matrix_game([[3, -1], [-2, 4]])
    assert value == pytest.approx(1, abs=1e-12)
    assert rows.tolist() == pytest.approx([0.6, 0.4])
    assert columns.tolist() == pytest.approx([0.5, 0.5])


@pytest.mark.parametrize(
    "game",
    [dl.two_dice_pig(8), dl.double_trouble(7)],
    ids=lambda g: g.name,
)
def test_a_race_is_a_stochastic_game(game):
    """Values and all decisions of both players."""
    values, strategies = textbook.solve_stochastic(textbook.as_stochastic_game(game))
    solution = dl.solve(game)
    for player, own, other, total, mode in values:
        if total == 0 and mode == game.modes[0].name:
            wins = solution.values[own, other]
            assert values[player, own, other, total, mode] == pytest.approx(
                wins if player == 1 else 1 - wins, abs=1e-11
            )
        mixed = strategies[player, own, other, total, mode][player - 1]
        if 0 < total < game.target - own and len(mixed) == 2:
            assert mixed[("hold", "roll")[solution.policy.rolls(own, other, total, mode)]] == 1


HOG = textbook.simultaneous_hog(6)
VALUES, STRATEGIES = textbook.solve_stochastic(HOG)


def test_simultaneous_decisions_need_mixed_strategies():
    assert VALUES[0, 0] == pytest.approx(0, abs=1e-9), "the game is symmetric"
    mixed = 0
    for state, (rows, columns) in STRATEGIES.items():
        payments = HOG.matrix(state, VALUES)
        assert min(np.array([*rows.values()]) @ payments) == pytest.approx(VALUES[state], abs=1e-9)
        assert max(payments @ np.array([*columns.values()])) == pytest.approx(
            VALUES[state], abs=1e-9
        )
        mixed += max(payments.min(axis=1)) < VALUES[state] - 1e-6
    assert mixed == 18, "no pure strategy guarantees as much"


def test_a_mixed_strategy_in_fractions():
    """With one point missing each, all three numbers of dice are played; what makes the other indifferent is linear."""
    stage = textbook.simultaneous_hog(1).stages[0, 0]
    payments = [
        [Fraction(stage[a, b][0]).limit_denominator(10**6) for b in (1, 2, 3)] for a in (1, 2, 3)
    ]
    equations = [
        [*(payments[a][b] for a in range(3)), Fraction(-1)] for b in range(3)
    ]  # Σ p(a)·payments[a][b] = v
    rows = [*equations, [Fraction(1)] * 3 + [Fraction(0)]]
    solved = solve_linear(rows, [Fraction(k == 3) for k in range(4)])
    assert [*solved] == [Fraction(18, 77), Fraction(3, 77), Fraction(8, 11), 0]
    rows, _ = textbook.solve_stochastic(textbook.simultaneous_hog(1))[1][0, 0]
    assert [*rows.values()] == pytest.approx([18 / 77, 3 / 77, 8 / 11], abs=1e-9)


def test_a_game_that_is_not_transient_is_refused():
    endless = textbook.StochasticGame({"here": {("go", "on"): (1.0, {"here": 1})}})
    with pytest.raises(ArithmeticError, match="after 50 sweeps"):
        textbook.solve_stochastic(endless, max_sweeps=50)
    with pytest.raises(NotImplementedError, match="Pig: only games without choices"):
        textbook.as_stochastic_game(dl.pig(9, finish="exact"))
