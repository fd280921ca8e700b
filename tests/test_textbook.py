"""The textbook solvers, each by itself; that they agree with the fast one is in test_race.py."""

from fractions import Fraction

import numpy as np
import pytest
from conftest import dice, mode_games
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab import textbook
from dicelab.textbook import Polygon

unit = st.fractions(0, 1, max_denominator=30)


@st.composite
def polygons(draw):
    inner = draw(st.lists(unit, max_size=4))
    x = sorted({Fraction(0), Fraction(1), *inner})
    return Polygon(tuple(x), tuple(draw(unit) for _ in x))


@given(polygons(), polygons(), unit, unit)
def test_polygons_are_the_functions_they_stand_for(f, g, at, weight):
    assert f.maximum(g)(at) == max(f(at), g(at))
    assert Polygon.mixture([(weight, f), (1 - weight, g)])(at) == weight * f(at) + (1 - weight) * g(at)
    assert f.simplified()(at) == f(at)


@settings(max_examples=40)
@given(dice(most_target=6), st.data())
def test_proposition_1(game, data):
    """The curves are convex, decreasing, begin at 1, and fall at first by the probability that always rolling busts."""
    solution = dl.solve(game, exact=True)
    a, b = (data.draw(st.integers(1, game.target)) for _ in "ab")
    f, g = textbook.curves(solution, a, b)
    assert f.y[0] == g.y[0] == 1
    for curve in (f, g):
        assert all(-1 <= slope <= 0 for slope in curve.slopes)
        assert curve.slopes == sorted(curve.slopes), "convex"
    assert len(f.x) - 2 <= a, "at most a corners inside"
    busts = {r: Fraction(0) for r in range(-game.most_points, 1)}
    for r in range(1, a + 1):
        busts[r] = sum(
            o.probability * (1 if o.result == "bust" else busts[r - o.choices[0].points])
            for o in game.modes[0].outcomes
        )
    assert f.slopes[0] == -busts[a]


@settings(max_examples=40)
@given(dice(most_target=6), st.data())
def test_the_three_ways_to_solve_a_pair(game, data):
    solution = dl.solve(game, exact=True)
    a, b = (data.draw(st.integers(1, game.target)) for _ in "ab")
    f, g = textbook.curves(solution, a, b)
    x, y = textbook.by_intersection(f, g)
    assert (x, y) == (solution.values[-a, -b], solution.values[-b, -a])
    assert textbook.by_fixed_point(f, g) == pytest.approx((float(x), float(y)), abs=1e-14)
    assert textbook.by_linear_program(f, g) == pytest.approx((float(x), float(y)), abs=1e-9)


@pytest.mark.parametrize(("meet", "accuracy"), [(textbook.by_fixed_point, 1e-13), (textbook.by_linear_program, 1e-9)])
def test_whole_games_by_remarks_1_and_2(meet, accuracy):
    for game in (dl.piglet(10), dl.pig(10)):
        values = textbook.backwards(game, meet).astype(float)
        assert np.abs(values - dl.solve(game).values).max() <= accuracy


def test_a_pair_out_of_range():
    solution = dl.solve(dl.piglet(3), exact=True)
    for a, b, said in ((0, 1, "a: 0"), (1, 4, "b: 4"), (1.0, 1, "a: 1.0")):
        with pytest.raises(ValueError, match=said):
            textbook.curves(solution, a, b)


def test_value_iteration_says_when_it_does_not_converge():
    with pytest.raises(ArithmeticError, match=r"Pig: scores \(4, 4\) still change by"):
        textbook.value_iteration(dl.pig(5), max_sweeps=2)


def test_a_weak_contraction_is_refused_and_not_iterated_for_ever():
    game = dl.generalized_pig(["0.99999", "0.00001"], 3)
    f, g = textbook.curves(dl.solve(game, exact=True), 3, 3)
    with pytest.raises(ArithmeticError, match="a step takes the error to"):
        textbook.by_fixed_point(f, g)


def test_what_the_curves_do_not_show_is_refused():
    with pytest.raises(NotImplementedError, match="need not cross"):
        textbook.backwards(dl.pig(5, finish="exact"))
    with pytest.raises(NotImplementedError, match="resets"):
        textbook.backwards(dl.two_dice_pig(5))
    with pytest.raises(NotImplementedError, match="may not always hold"):
        textbook.value_iteration(dl.double_trouble(5), "margin", overshoot=True)


MARGINS = [(dl.pig(12), False), (dl.pig(12), True), (dl.two_dice_pig(12), True), (dl.double_trouble(9), False)]
MARGINS += [(dl.pig(10, finish="exact"), False), (dl.double_trouble(7, finish="exact"), False)]


@pytest.mark.parametrize(("game", "overshoot"), MARGINS, ids=lambda value: getattr(value, "name", value))
def test_margins(game, overshoot):
    values, rolls = textbook.value_iteration(game, "margin", overshoot)
    solution = dl.solve(game, "margin", overshoot=overshoot)
    assert np.abs(values - solution.values).max() <= 1e-12
    assert np.array_equal(rolls, np.stack([solution.policy.roll_mask(mode.name) for mode in game.modes], axis=2))


@settings(max_examples=40)
@given(dice(most_target=7, finishes=("reach", "exact")), st.booleans())
def test_margins_of_random_dice(game, overshoot):
    overshoot &= game.finish == "reach"
    values, rolls = textbook.value_iteration(game, "margin", overshoot)
    solution = dl.solve(game, "margin", overshoot=overshoot)
    assert np.abs(values - solution.values).max() <= 1e-11
    assert np.array_equal(rolls[:, :, 0], solution.policy.roll_mask())


TURNS = [dl.pig(20), dl.piglet(8), dl.two_dice_pig(24), dl.double_trouble(24)]


@pytest.mark.parametrize("game", TURNS, ids=lambda game: game.name)
def test_fewest_turns_in_three_ways(game):
    process, solution = textbook.turns_process(game), dl.solve(game, "turns")
    by_values, history = textbook.iterate_values(process)
    by_policies, policy, evaluations = textbook.iterate_policies(process)
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


def test_most_points_in_three_ways():
    for game in (dl.pig(), dl.two_dice_pig(), dl.piglet()):
        process, solution = textbook.score_process(game, 50), dl.solve(game, "score")
        start = 0, 0, "roll"
        assert -textbook.iterate_values(process)[0][start] == pytest.approx(solution.value, abs=1e-12)
        values, policy, _ = textbook.iterate_policies(process)
        assert -values[start] == pytest.approx(solution.value, abs=1e-12)
        assert -textbook.linear_program(process)[start] == pytest.approx(solution.value, abs=1e-6)
        assert all(policy[0, k, "roll"] == ("roll" if solution.policy.rolls(0, 0, k) else "hold") for k in range(1, 50))


@settings(max_examples=30)
@given(mode_games(most_target=6, resets=True))
def test_fewest_turns_of_random_games(game):
    values, _, _ = textbook.iterate_policies(textbook.turns_process(game))
    solved = [values[score, 0, game.modes[0].name] for score in range(game.target)]
    assert solved == pytest.approx(dl.solve(game, "turns").values, rel=1e-11)


@settings(max_examples=30)
@given(dice(most_target=8, finishes=("reach", "exact")), st.integers(1, 9), st.integers(1, 9))
def test_matches_to_be_finished_exactly(game, n, m):
    match = dl.evaluate(game, dl.hold_at(n), dl.hold_at(m))
    expected = textbook.policy_evaluation(game, dl.hold_at(n), dl.hold_at(m))
    assert (match.first_wins, match.turns_mean) == pytest.approx(expected, rel=1e-11)


@pytest.mark.parametrize("game", [dl.pig(9), dl.pig(8, finish="exact"), dl.ten_thousand(5)], ids=lambda game: game.name)
def test_the_curves_of_every_pair_cross_at_the_exact_solution(game):
    """Corners and slopes are Fractions, f and g convex with slopes in [-1, 0], whatever the game without resets."""
    solution = dl.solve(game, exact=True)
    for a in range(1, game.target + 1):
        for b in range(1, game.target + 1):
            f, g = textbook.curves(solution, a, b)
            x, y = solution.values[game.target - a, game.target - b], solution.values[game.target - b, game.target - a]
            assert (f(y), g(x)) == (x, y)
            assert all(type(number) is Fraction for number in (*f.x, *f.y, *f.slopes))
            assert f.slopes[0] >= -1
            assert f.slopes == sorted(f.slopes)
            assert f.slopes[-1] <= 0


def test_curves_are_for_the_win():
    with pytest.raises(ValueError, match="objective 'margin' is not allowed"):
        textbook.curves(dl.solve(dl.pig(5), "margin"), 1, 1)
