"""The loss of one player, against other computations; before a deadline, tests/solvers/test_deadline.py has it."""

import numpy as np
import pytest

import dicelab as dl
from dicelab.evaluation.studies import turn_points


def test_a_policy_is_asked_how_many_turns_are_left():
    game = dl.pig(25)
    short, long = (dl.solve(game, "deadline", turns=turns) for turns in (3, 8))
    assert dl.loss(short, long.policy) == pytest.approx(0, abs=1e-14)
    with pytest.raises(ValueError, match="turns_left: 8 is not allowed"):
        dl.loss(long, short.policy)
    with pytest.raises(ValueError, match="asks how many of 8 turns are left"):
        dl.loss(long, long.policy.when(turns_left=2))


def test_a_policy_that_remembers_its_turns():
    """A coin to 2, in two turns that score: both hold at 1, and each of the turns scores once in two."""
    game, two = dl.generalized_pig(["1/2", "1/2"], 2), dl.scoring_turns(2)
    for turns in (1, 2, 5):
        solution = dl.solve(game, "deadline", turns=turns)
        chance = 1 - (turns + 1) / 2**turns
        assert dl.loss(solution, two) == pytest.approx(solution.value - chance, abs=1e-15)


@pytest.mark.parametrize("game", [dl.pig(120), dl.double_trouble(120)], ids=lambda game: game.name)
def test_the_points_of_a_turn(game):
    """Where a turn of *hold at n* never comes to the target, its points are those of `turn_points`."""
    solution = dl.solve(game, "score")
    for n in (5, 20, 25):
        points = turn_points(game, dl.hold_at(n))
        mean = (points.index * points).sum()
        close = (
            1e-9 if game.name == "Double Trouble" else 1e-13
        )  # doubles may go on beyond 120 points
        assert dl.loss(solution, n) == pytest.approx(solution.value - mean, abs=close)
    assert dl.loss(solution, solution.policy) == pytest.approx(0, abs=1e-12)


def test_fewest_turns():
    solution = dl.solve(dl.pig(40), "turns")
    for n in (8, 12):
        lost = dl.evaluate(solution.game, dl.hold_at(n)).turns_mean - solution.value
        assert dl.loss(solution, n) == pytest.approx(lost, abs=1e-12)
    assert dl.loss(solution, solution.policy) == pytest.approx(0, abs=1e-12)
    assert dl.loss(dl.solve(dl.pig(4, "exact"), "turns"), 3) == np.inf  # 1 is on no face


def test_points_beyond_the_target_count():
    """Hold at 25 in Pig to 10 holds at 10 or more: as hold at 10 in Pig to 100."""
    short, long = (dl.solve(dl.pig(target), "score") for target in (10, 100))
    assert dl.loss(short, 25) == pytest.approx(dl.loss(long, 10), abs=1e-13)


@pytest.mark.parametrize("others", [[3], [3, 5]])
@pytest.mark.parametrize("finish", ["reach", "equal turns"])
def test_against_fixed_opponents(finish, others):
    game = dl.pig(7, finish)
    best = dl.best_response(game, *others)
    assert dl.loss(best, best.policy) == 0
    won = best.value if len(others) == 1 else best.value[0]
    lost = dl.loss(best, 4)
    assert lost == pytest.approx(won - dl.evaluate(game, 4, *others).first_wins, abs=1e-15)
    assert lost > 0
