"""Every game of the catalogue, with both ways to finish, by all solvers and evaluations."""

import re
from dataclasses import replace

import numpy as np
import pytest

import dicelab as dl
from dicelab.evaluation.studies import turns_needed
from dicelab.evaluation.turn_outcomes import turn_outcomes
from dicelab.games.catalogue import restrict_discards

MAKERS = [
    dl.pig,
    dl.piglet,
    dl.two_dice_pig,
    dl.double_trouble,
    dl.ten_thousand,
    dl.farkle,
    dl.big_pig,
    dl.pass_the_pigs,
]
GAMES = [make(18, finish=finish) for make in MAKERS for finish in ("reach", "exact")]
GAMES += [
    dl.generalized_pig(["1/5", 0, "2/5", "2/5"], 18, finish=finish) for finish in ("reach", "exact")
]


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
    assert dl.evaluate(game, solution.policy, solution.policy).margin == pytest.approx(
        solution.value, abs=1e-11
    )


def test_one_player(game):
    fewest = dl.solve(game, "turns")
    most = dl.solve(game, "score")
    assert turns_needed(game, fewest.policy) == pytest.approx(fewest.values, rel=1e-12)
    assert float(dl.solve(game, "score", exact=True).value) == pytest.approx(most.value, rel=1e-13)
    assert (turns_needed(game, most.policy) >= fewest.values * (1 - 1e-12)).all()


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: dl.ten_thousand(10_000),
            "10000 chips are 500,000 points; for 10,000 points give 200; to mean it, use ",
        ),
        (lambda: dl.farkle(1_000), "1000 chips are 50,000 points; for 1,000 points give 20; "),
        (lambda: dl.farkle(10_010), "for 10,010 points give 201"),
        (
            lambda: dl.farkle(5_000, unit=10),
            "5000 chips are 50,000 points; for 5,000 points give 500",
        ),
    ],
)
def test_a_target_in_points_by_mistake_is_asked_about(ask, said):
    with pytest.raises(ValueError, match=f"target: .*{re.escape(said)}"):
        ask()


def test_long_games_can_be_meant():
    assert replace(dl.ten_thousand(), target=10_000).target == 10_000
    assert dl.ten_thousand(999).target == 999
    assert dl.farkle(10_000, unit=1).target == 10_000, "in points"


def test_chips_are_said():
    assert str(dl.ten_thousand(20)).startswith("Ten Thousand to 20 chips (1,000 points)\n")
    assert (dl.ten_thousand().unit, dl.farkle(unit=10).unit, dl.pig().unit) == (
        "chips of 50 points",
        "chips of 10 points",
        "points",
    )
    assert [dl.farkle().with_unit(score) for score in (0, 1, 200)] == [
        "0 chips (0 points)",
        "1 chip (50 points)",
        "200 chips (10,000 points)",
    ]
    assert restrict_discards(dl.ten_thousand(), [(5,)]).chip == 50
    with pytest.raises(ValueError, match="chip: 0 is not allowed"):
        replace(dl.pig(), chip=0)
    assert replace(dl.pig(), chip=50) == dl.pig(), "no solver looks at it"
