"""Pairs of scores as two piecewise linear curves: Proposition 1, and three methods for their intersection."""

from fractions import Fraction

import numpy as np
import pytest
from conftest import dice
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from collection import textbook
from collection.course.textbook import PiecewiseLinear

unit = st.fractions(0, 1, max_denominator=30)


@st.composite
def functions(draw):
    x = sorted({Fraction(0), Fraction(1), *draw(st.lists(unit, max_size=4))})
    return PiecewiseLinear(tuple(x), tuple(draw(unit) for _ in x))


@given(functions(), functions(), unit, unit)
def test_operations_hold_at_every_point(f, g, at, weight):
    assert f.maximum(g)(at) == max(f(at), g(at))
    assert PiecewiseLinear.mixture([(weight, f), (1 - weight, g)])(at) == weight * f(at) + (
        1 - weight
    ) * g(at)
    assert f.simplified()(at) == f(at)


@settings(max_examples=40)
@given(dice(most_target=6), st.data())
def test_proposition_1(game, data):
    """The curves are convex, decrease from 1, and their first slope is minus the probability that rolling on busts."""
    solution = dl.solve(game, exact=True)
    a, b = (data.draw(st.integers(1, game.target)) for _ in "ab")
    f, g = textbook.curves(solution, a, b)
    assert f.y[0] == g.y[0] == 1
    for curve in (f, g):
        assert all(-1 <= slope <= 0 for slope in curve.slopes)
        assert curve.slopes == sorted(curve.slopes), "convex"
    assert len(f.x) - 2 <= a, "at most a inner corners"
    busts = {r: Fraction(0) for r in range(-game.most_points, 1)}
    for r in range(1, a + 1):
        busts[r] = sum(
            o.probability * (1 if o.result == "bust" else busts[r - o.choices[0].points])
            for o in game.modes[0].outcomes
        )
    assert f.slopes[0] == -busts[a]


@settings(max_examples=40)
@given(dice(most_target=6), st.data())
def test_three_methods_for_a_pair(game, data):
    solution = dl.solve(game, exact=True)
    a, b = (data.draw(st.integers(1, game.target)) for _ in "ab")
    f, g = textbook.curves(solution, a, b)
    x, y = textbook.by_intersection(f, g)
    assert (x, y) == (solution.values[-a, -b], solution.values[-b, -a])
    assert textbook.by_fixed_point(f, g) == pytest.approx((float(x), float(y)), abs=1e-14)
    assert textbook.by_linear_program(f, g) == pytest.approx((float(x), float(y)), abs=1e-9)


@pytest.mark.parametrize(
    ("pair_solver", "accuracy"),
    [(textbook.by_fixed_point, 1e-13), (textbook.by_linear_program, 1e-9)],
)
def test_whole_games_by_remarks_1_and_2(pair_solver, accuracy):
    for game in (dl.piglet(10), dl.pig(10)):
        values = textbook.backward_induction(game, pair_solver).astype(float)
        assert np.abs(values - dl.solve(game).values).max() <= accuracy


def test_bad_arguments_of_curves():
    solution = dl.solve(dl.piglet(3), exact=True)
    for a, b, said in ((0, 1, "a: 0"), (1, 4, "b: 4"), (1.0, 1, "a: 1.0")):
        with pytest.raises(ValueError, match=said):
            textbook.curves(solution, a, b)
    with pytest.raises(ValueError, match="objective 'margin' is not allowed"):
        textbook.curves(dl.solve(dl.pig(5), "margin"), 1, 1)
