"""Every game of the catalogue, with both ways to finish, by all solvers and evaluations."""

import numpy as np
import pytest

import dicelab as dl
from dicelab.evaluation.turn_outcomes import turn_outcomes, turns_needed

MAKERS = [dl.pig, dl.piglet, dl.two_dice_pig, dl.double_trouble, dl.ten_thousand, dl.farkle]
GAMES = [make(18, finish=finish) for make in MAKERS for finish in ("reach", "exact")]
GAMES += [dl.generalized_pig(["1/5", 0, "2/5", "2/5"], 18, finish=finish) for finish in ("reach", "exact")]


@pytest.fixture(scope="module", params=GAMES, ids=lambda game: f"{game.name} {game.finish}")
def game(request):
    return request.param


def test_probabilities_sum_to_one(game):
    for mode in game.modes:
        assert sum(outcome.probability for outcome in mode.outcomes) == 1
    ends = turn_outcomes(game, dl.hold_at(6))
    total = ends.finish + ends.bust + ends.reset
    for own, opponent in np.ndindex(total.shape):
        first, last = ends.window[own, opponent]
        start = ends.start[own, opponent]
        total[own, opponent] += ends.hold[start : start + last - first].sum()
    assert np.abs(total - 1).max() <= 1e-14


def test_the_race(game):
    """The optimum against itself has the solved value, as best response and by simulation."""
    solution = dl.solve(game)
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.first_wins == pytest.approx(solution.value, abs=1e-13)
    assert np.abs(dl.best_response(game, solution.policy).values - solution.values).max() <= 1e-13
    estimate = dl.simulate(game, solution.policy, solution.policy, games=40_000, seed=11)
    assert abs(estimate.first_wins - solution.value) <= 4 * estimate.first_wins_se


def test_the_margin(game):
    solution = dl.solve(game, "margin")
    assert dl.evaluate(game, solution.policy, solution.policy).margin == pytest.approx(solution.value, abs=1e-11)


def test_one_player(game):
    fewest, most = dl.solve(game, "turns"), dl.solve(game, "score")
    assert turns_needed(game, fewest.policy) == pytest.approx(fewest.values, rel=1e-12)
    assert float(dl.solve(game, "score", exact=True).value) == pytest.approx(most.value, rel=1e-13)
    assert (turns_needed(game, most.policy) >= fewest.values * (1 - 1e-12)).all()
