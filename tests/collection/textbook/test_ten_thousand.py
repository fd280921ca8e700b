"""Games in which dice are set aside: the paper's two algorithms, and races by all solvers and evaluations."""

from collections import Counter

import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from collection.course.textbook import ten_thousand as paper
from collection.papers.recipes import COLUMNS, turn_state
from dicelab.evaluation.studies import reachable, turns_needed
from dicelab.games.catalogue import restrict_discards

GAME = dl.ten_thousand(14)
TURN = dl.solve(GAME, "score", exact=True)


def test_the_papers_two_algorithms_and_solve_agree_in_every_state():
    values, actions = paper.algorithm_4_2()
    short, short_actions = paper.appendix_algorithm()
    assert TURN.value == values[0, (0, 0, 0), 5] == short["0", 0, 5]
    assert round(float(TURN.value), 6) == 5.872019, "Theorem 4.1"
    assert len(TURN.values) - 1 == 56
    names = {(0, 1, 0): "m5", (1, 0, 0): "m5"}
    for column, (hand, scoring, fewest) in COLUMNS.items():
        config = (
            (scoring.count(5), scoring.count(1), 0)
            if scoring
            else (0, 0, 6)
            if hand < 3
            else (1, 0, 0)
        )
        for tau in range(max(1, fewest), 56):
            state = tau, config, hand
            if state not in values or (not scoring and hand == 2):
                continue
            value, action = turn_state(TURN, column, tau)
            assert value == values[state], (column, tau)
            assert (action in "sr") == (actions[state] in ("s", "r")), (column, tau)
            label = {(5, 5): "5", (1, 1): "1", (1, 5, 5): "55", (1, 1, 5): "51"}.get(scoring, "0")
            assert short[label if hand < 5 else "0", tau, hand] == value
            if hand == 2 and scoring == (5, 5) and action not in "sr":
                assert action == names[actions[state]] == short_actions["5", tau, 2] == "m5", (
                    "the paper prints r"
                )


def test_two_dice_and_three_chips_are_rolled():
    """The paper does not print this state: it says that the player always stops ("always s")."""
    two = GAME.mode("2 dice")
    roll_value = sum(
        o.probability * max(TURN.values[3 + c.points, GAME.mode(c.mode)] for c in o.choices)
        for o in GAME.modes[two].outcomes
        if o.choices
    )
    assert roll_value == TURN.values[3, two] > 3
    assert TURN.policy.rolls(0, 0, 3, "2 dice")
    values, actions = paper.algorithm_4_2()
    assert values[3, (1, 0, 0), 2] == roll_value and actions[3, (1, 0, 0), 2] == "r"


def test_restricted_discards():
    only = restrict_discards(GAME, [(5,)])
    for mode in only.modes:
        for outcome in mode.outcomes:
            assert all(
                Counter(outcome.scoring) - Counter(c.aside) in (Counter(), Counter([5]))
                for c in outcome.choices
            )
    process = textbook.score_process(only, 90)
    by_values = -textbook.mdp_value_iteration(process)[0][0, 0, "5 dice"]
    assert by_values == pytest.approx(float(dl.solve(only, "score", exact=True).value), abs=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [GAME, dl.farkle(12), dl.ten_thousand(14, finish="exact")],
    ids=lambda g: g.name + g.finish,
)
def test_the_race_by_all_solvers_and_evaluations(game):
    """Value iteration, decision by decision; the optimum against itself; best responses; simulation; fewest turns."""
    solution = dl.solve(game)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(values - solution.values).max() <= 1e-12
    assert np.array_equal(
        rolls, np.stack([solution.policy.roll_mask(mode.name) for mode in game.modes], axis=2)
    )
    assert dl.evaluate(game, solution.policy, solution.policy).first_wins == pytest.approx(
        solution.value, abs=1e-13
    )
    assert dl.best_response(game, solution.policy).value == pytest.approx(solution.value, abs=1e-13)
    most_points = dl.solve(game, "score").policy
    rule = dl.hold_at(6)
    for first, second in ((solution.policy, most_points), (rule, solution.policy)):
        match = dl.evaluate(game, first, second)
        estimate = dl.simulate(game, first, second, games=100_000, seed=3)
        assert abs(match.first_wins - estimate.first_wins) <= 4 * estimate.first_wins_se
        assert dl.best_response(game, second).value >= match.first_wins - 1e-14
    fewest = dl.solve(game, "turns")
    assert turns_needed(game, fewest.policy) == pytest.approx(fewest.values, rel=1e-12)


@pytest.mark.parametrize("game", [dl.ten_thousand(6), dl.farkle(5)], ids=lambda game: game.name)
def test_the_race_in_fractions_and_as_a_markov_chain(game):
    exact, fast = dl.solve(game, exact=True), dl.solve(game)
    assert np.abs(fast.values - exact.values.astype(float)).max() <= 1e-14
    for own in range(game.target):
        assert np.array_equal(
            exact.policy.decisions_at(game, own), fast.policy.decisions_at(game, own)
        )
        assert np.array_equal(exact.policy.choices(game, own), fast.policy.choices(game, own))
    match = dl.evaluate(game, fast.policy, dl.hold_at(3))
    expected = textbook.policy_evaluation(game, fast.policy, dl.hold_at(3))
    assert (match.first_wins, match.turns_mean) == pytest.approx(expected, rel=1e-11)


def test_the_open_question():
    """The race to 40 chips. Its values depend only on the chips missing, so that it contains the race to 14."""
    solution = dl.solve(dl.ten_thousand(40))
    assert solution.residual <= 1e-13
    assert solution.by_target()[14] == dl.solve(GAME).value


def test_keep():
    race = dl.solve(GAME).policy
    assert race.keep(0, 0, 0, [2, 3, 4, 6, 2]) == ((), False), "nothing scores"
    assert race.keep(0, 0, 0, [5, 2, 5, 3, 6]) == ((5,), True), (
        "a five is given up for a fourth die"
    )
    assert race.keep(0, 0, 0, [1, 1, 1, 5, 5]) == ((1, 1, 1, 5, 5), False), "all score, and win"
    assert race.keep(10, 0, 0, [5, 5, 5, 2, 3]) == ((5, 5, 5), False)
    with pytest.raises(
        ValueError, match="numbers of dice that are rolled in Ten Thousand: 5, 4, 3, 2, 1"
    ):
        race.keep(0, 0, 0, [1] * 6)
    with pytest.raises(ValueError, match="turn_total: 14 reaches the target"):
        race.keep(0, 0, 14, [1])
    with pytest.raises(ValueError, match=r"roll: \[2\] is not allowed"):
        dl.solve(dl.pig(9)).policy.keep(0, 0, 0, [2])
    for bad, said in (
        ([0, 1, 1, 1, 1], "roll.0.: 0"),
        ([9, 9, 9, 9, 9], "faces are 1"),
        ("11111", "give the faces"),
        (5, "give the"),
    ):
        with pytest.raises(ValueError, match=said):
            race.keep(0, 0, 0, bad)
    best = dl.solve(GAME, "score", exact=True)
    aside, rolls = best.policy.keep(0, 0, 2, [1, 1, 3, 4])
    assert (aside, rolls) == ((1, 1), False)


def test_reachable_chips_follow_the_choices():
    """A policy that sets all scoring dice aside has four dice in hand only after 1 or 2 chips in the first roll."""
    reached = reachable(GAME, dl.hold_at(14))[0, 0]
    four = next(index for index, mode in enumerate(GAME.modes) if mode.dice == 4)
    assert np.flatnonzero(reached[four])[:2].tolist() == [1, 2]
    assert not reached[four, 3]
