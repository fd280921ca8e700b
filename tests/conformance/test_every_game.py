"""Every game of the catalogue, at a small target, by every solver: all of them must agree. Read this file first.

The solvers share little code:

- `dl.solve` in float64, and ``dl.solve(…, exact=True)`` in fractions;
- `collection.course.textbook`: value iteration (two players) and policy iteration (one player), plain and slow;
- `oracle.py` beside this file: optimal play from the rules alone, in fractions; it uses no solver of the package;
- `proofs.certify`, which proves with interval arithmetic that every decision of a solution is optimal;
- for given policies `dl.evaluate`, `dl.simulate`, `dl.best_response` and the oracle's matches.

The oracle's values of "win" are centred: 1/2 for a win and -1/2 for a loss. So we add 1/2.

A new game of the catalogue gets a line in `GAMES`. `test_against_rules.py` makes the same comparisons, and more, for
random games. `test_oracle.py` tests the oracle.
"""

import math
from fractions import Fraction

import numpy as np
import oracle
import pytest
from conftest import two_coins

import dicelab as dl
from collection import textbook
from dicelab.games import catalogue
from dicelab_extras import proofs
from dicelab_extras.proofs.rules import may_stall

OF_ONES_OWN = [  # other rules, among them outcomes of 0 points, modes in which one must hold, dice of several kinds
    dl.hog(7, 2, "exact"),
    dl.games.toss_up(6, "exact", dice=3),
    dl.games.kingdom_come(3, ["Odd", "Lucky Playing"]),
    two_coins(6),
    two_coins(5, "exact"),
]
GAMES = [
    dl.pig(8),
    dl.pig(6, finish="exact"),
    dl.piglet(5),
    dl.piglet(4, finish="exact"),
    dl.generalized_pig(["1/4", 0, 0, "3/4"], 7),
    dl.two_dice_pig(6),
    dl.two_dice_pig(4, finish="exact"),
    dl.double_trouble(6),
    dl.double_trouble(4, finish="exact"),
    dl.ten_thousand(4),
    dl.farkle(4),
    dl.games.big_pig(9),
    dl.hog(9, 3),
    dl.games.toss_up(8, dice=3),
    dl.games.pass_the_pigs(7),
    dl.games.kingdom_come(4),
]
CLOSE = 1e-12
every_game = pytest.mark.parametrize(
    "game", GAMES + OF_ONES_OWN, ids=lambda game: f"{game.name}, {game.finish}"
)


def floats(values):
    """An array or a list of Fractions as an array of float64."""
    return np.array(values).astype(float)


def test_no_game_is_missing():
    made = [make() for make in catalogue.GAMES.values()]
    plain = {game.name for game in made if not game.registers}  # the others are in tests/games
    assert {game.name for game in GAMES} == plain | {"Generalized Pig"}


@every_game
@pytest.mark.parametrize("objective", ["win", "margin"])
def test_two_players(game, objective):
    solution = dl.solve(game, objective)
    exact = dl.solve(game, objective, exact=True)
    centre = Fraction(1, 2) if objective == "win" else 0
    for scores, value in oracle.optimum(game, objective).values.items():
        assert exact.values[scores] == value + centre
    values, rolls = textbook.value_iteration(game, objective)
    np.testing.assert_allclose(solution.values, floats(exact.values), rtol=0, atol=CLOSE)
    np.testing.assert_allclose(values, floats(exact.values), rtol=0, atol=10 * CLOSE)
    for index, mode in enumerate(game.modes):
        decisions = solution.policy.roll_mask(mode.name)
        assert np.array_equal(decisions, exact.policy.roll_mask(mode.name))
        assert np.array_equal(decisions, rolls[:, :, index])
    if not may_stall(game):  # where players may wait for ever only fractions prove anything
        assert proofs.certify(solution).optimal


@every_game
def test_fewest_turns(game):
    solution = dl.solve(game, "turns")
    exact = dl.solve(game, "turns", exact=True)
    assert list(exact.values) == oracle.fewest_turns(game)[0]
    np.testing.assert_allclose(solution.values, floats(exact.values), rtol=CLOSE)
    # Between decisions that all take infinitely many turns nothing is promised.
    assert proofs.certify(solution).optimal or np.isinf(solution.value)
    # With an exact finish the race may never end, which the textbook refuses.
    if game.finish == "reach":
        values, _, _ = textbook.policy_iteration(textbook.turns_process(game))
        starts = [values[score, 0, game.modes[0].name] for score in range(game.target)]
        np.testing.assert_allclose(starts, solution.values, rtol=10 * CLOSE)


@every_game
def test_most_points_of_one_turn(game):
    solution = dl.solve(game, "score")
    exact = dl.solve(game, "score", exact=True)
    assert math.isclose(solution.value, exact.value, rel_tol=CLOSE)
    totals = len(solution.values)  # from the last of them on, every mode holds
    with_points = [mode for mode in game.modes if mode.name in game.reached_with_points]
    if all(mode.may_hold for mode in with_points) and totals <= 100:  # the textbook refuses others
        values, _, _ = textbook.policy_iteration(textbook.score_process(game, totals))
        assert math.isclose(-values[0, 0, game.modes[0].name], solution.value, rel_tol=10 * CLOSE)


@every_game
def test_matches_of_given_policies(game):
    """The exact match, the oracle's match, and 20,000 simulated games: all within 5 standard errors."""
    first, second = dl.hold_at(2), dl.hold_at(3)
    match = dl.evaluate(game, first, second)
    true = oracle.match(game, oracle.plan_of(game, first), oracle.plan_of(game, second))
    assert math.isclose(match.first_wins, true.first_wins, abs_tol=CLOSE)
    assert math.isclose(match.turns_mean, true.mean, rel_tol=CLOSE)
    assert math.isclose(match.margin, true.margin, abs_tol=CLOSE * game.target)
    if match.turns_mean < math.inf:
        estimate = dl.simulate(game, first, second, games=20_000, seed=1)
        assert abs(estimate.first_wins - match.first_wins) <= 5 * estimate.first_wins_se
        assert abs(estimate.turns_mean - match.turns_mean) <= 5 * estimate.turns_mean_se


@every_game
def test_best_responses(game):
    """Nobody does better against the optimal policy than this policy itself; against hold at 3, the oracle agrees."""
    optimal, opponent = dl.solve(game), dl.hold_at(3)
    against_optimal = dl.best_response(game, optimal.policy)
    np.testing.assert_allclose(against_optimal.values, optimal.values, rtol=0, atol=CLOSE)
    response = dl.best_response(game, opponent)
    true, _ = oracle.response(game, oracle.without_memory(oracle.plan_of(game, opponent)))
    for own, other in np.ndindex(game.target, game.target):
        assert math.isclose(response.values[own, other], true[0, own, other] + 0.5, abs_tol=CLOSE)
    match = dl.evaluate(game, response.policy, opponent)
    assert math.isclose(match.first_wins, response.value, abs_tol=CLOSE)
