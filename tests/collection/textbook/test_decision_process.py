"""One player: value iteration, policy iteration and the linear program agree with the fast solver."""

import numpy as np
import pytest

import dicelab as dl
from collection import textbook

TURNS = [dl.pig(20), dl.double_trouble(24)]


@pytest.mark.parametrize("game", TURNS, ids=lambda game: game.name)
def test_fewest_turns_by_three_methods(game):
    process = textbook.turns_process(game)
    solution = dl.solve(game, "turns")
    by_values, history = textbook.mdp_value_iteration(process)
    by_policies, policy, evaluations = textbook.policy_iteration(process)
    by_program = textbook.linear_program(process)
    assert evaluations < 10 < len(history)
    for score in range(game.target):
        start = score, 0, game.modes[0].name
        assert by_policies[start] == pytest.approx(solution.values[score], rel=1e-13)
        assert by_values[start] == pytest.approx(solution.values[score], abs=1e-10)
        assert by_program[start] == pytest.approx(solution.values[score], abs=1e-6)
        for mode in game.modes:
            for total in range(1, game.target - score):
                rolls = solution.policy.rolls(score, 0, total, mode.name)
                assert policy[score, total, mode.name] == ("roll" if rolls else "hold")


def test_most_points_by_three_methods():
    for game in (dl.pig(), dl.two_dice_pig()):
        process = textbook.score_process(game, 50)
        solution = dl.solve(game, "score")
        start = 0, 0, "roll"
        assert -textbook.mdp_value_iteration(process)[0][start] == pytest.approx(
            solution.value, abs=1e-12
        )
        values, policy, _ = textbook.policy_iteration(process)
        assert -values[start] == pytest.approx(solution.value, abs=1e-12)
        assert -textbook.linear_program(process)[start] == pytest.approx(solution.value, abs=1e-6)
        assert all(
            policy[0, k, "roll"] == ("roll" if solution.policy.rolls(0, 0, k) else "hold")
            for k in range(1, 50)
        )


def test_value_iteration_that_does_not_converge():
    with pytest.raises(
        ArithmeticError, match=r"value iteration: values still change by .* after 3 sweeps"
    ):
        textbook.mdp_value_iteration(textbook.turns_process(dl.pig(20)), max_sweeps=3)


def test_games_without_a_finite_process():
    with pytest.raises(NotImplementedError, match="the race may never end"):
        textbook.turns_process(dl.pig(5, finish="exact"))
    with pytest.raises(NotImplementedError, match="the turn total is unbounded"):
        textbook.score_process(dl.double_trouble(5), 10)


@pytest.mark.parametrize("game", TURNS, ids=lambda game: game.name)
def test_a_process_as_one_matrix_for_each_action(game):
    process = textbook.turns_process(game)
    names, costs, moves = process.matrices()
    assert names == sorted(names) and costs.shape == (len(names), len(process.actions))
    for s, actions in enumerate(process.actions.values()):
        assert {
            name for name, cost in zip(names, costs[:, s], strict=True) if np.isfinite(cost)
        } == set(actions)
    values = np.array([*textbook.policy_iteration(process)[0].values()])
    action_values = [c + P @ values for c, P in zip(costs, moves, strict=True)]
    assert np.min(action_values, axis=0) == pytest.approx(values, rel=1e-12)
