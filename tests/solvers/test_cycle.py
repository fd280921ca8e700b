"""The cycle: turns tied by busts compose to one equation, in fractions and without a loss of digits."""

import os
import shutil
import subprocess
import sys
from fractions import Fraction
from functools import reduce
from math import prod
from pathlib import Path

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

from dicelab import _compile
from dicelab.solvers import cycle
from dicelab.solvers.cycle import joined, passed

chances = st.fractions(Fraction(1, 9), 1, max_denominator=9)
turns = st.lists(st.tuples(chances, st.fractions(0, 1, max_denominator=9)), min_size=1, max_size=4)


def composed(cycle):
    """K and E of (leave, constant) around a cycle."""
    return reduce(
        lambda later, turn: joined(turn[1], turn[0], *later),
        reversed(cycle),
        (Fraction(0), Fraction(0)),
    )


@given(turns)
def test_a_cycle_is_the_linear_system(cycle):
    """x(k) = A(k) + (1 - L(k))·x(k + 1), around."""
    size = len(cycle)
    system = sympy.eye(size)
    for k, (leave, _) in enumerate(cycle):
        system[k, (k + 1) % size] -= sympy.Rational(1) - sympy.Rational(*leave.as_integer_ratio())
    right = sympy.Matrix([sympy.Rational(*constant.as_integer_ratio()) for _, constant in cycle])
    constant, leave = composed(cycle)
    assert sympy.Rational(*(constant / leave).as_integer_ratio()) == system.solve(right)[0]


@given(
    chances, chances, st.fractions(0, 1, max_denominator=9), st.fractions(0, 1, max_denominator=9)
)
def test_a_race_of_two(p, q, a, b):
    """x = A + (1 - p)·(1 - y) and y = B + (1 - q)·(1 - x)."""
    constant, leave = joined(a, p, passed(1, b, q), q)
    x = constant / leave
    y = b + (1 - q) * (1 - x)
    assert x == a + (1 - p) * (1 - y)


rare = st.integers(0, 12).map(lambda k: Fraction(1, 10**k))
actions = st.lists(st.tuples(rare, st.fractions(0, 1, max_denominator=9)), min_size=1, max_size=4)


@settings(deadline=None)
@given(st.lists(actions, min_size=2, max_size=4).filter(lambda cycle: len(cycle) % 2 == 0))
def test_policy_iteration_never_steps_beyond_a_bound(cycle):
    """The proposition, in fractions: a turn is the best of some (leave, what leaving brings), around a cycle of two."""

    def best(actions, bust):
        return max(actions, key=lambda action: action[0] * (action[1] - bust))

    def around(x):
        """K and E with the best actions, if the first position has the value x."""
        constant, escape, value = Fraction(0), Fraction(0), x
        for turn in reversed(cycle):
            leave, brings = best(turn, 1 - value)
            value = leave * brings + (1 - leave) * (1 - value)
            constant, escape = joined(leave * brings, leave, passed(1, constant, escape), escape)
        assert constant + (1 - escape) * x == value
        return constant, escape

    for x in (Fraction(0), Fraction(1), Fraction(1, 2)):
        low, high = Fraction(-1), Fraction(2)  # not tried; values are from 0 to 1
        for _ in range(prod(map(len, cycle)) + 1):
            constant, escape = around(x)
            new = constant / escape
            if new == x:
                break
            low, high = (x, high) if new > x else (low, x)
            assert low < new < high and 0 <= new <= 1
            x = new
        assert new == x


@pytest.mark.parametrize("tiny", [1e-9, 1e-15, 1e-300])
def test_no_digits_are_lost_where_turns_nearly_always_bust(tiny):
    """Both win with the same tiny probability: the first one with probability 1 / (2 - tiny)."""
    constant, leave = joined(tiny, tiny, passed(1.0, tiny, tiny), tiny)
    assert constant / leave == pytest.approx(1 / (2 - tiny), rel=1e-15)


def test_caches_see_a_change_of_the_shared_files(tmp_path, monkeypatch):
    """What a kernel's cache is compared by changes with the files in `SHARED`, also of a kernel in another folder."""
    code = "from dicelab.solvers._kernels import solve_tile; print(solve_tile._cache._cache_file._source_stamp)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    stamp = _compile.stamp_of(Path(cycle.__file__).parent)
    assert said.stdout.strip() == str(stamp)
    shutil.copytree(Path(cycle.__file__).parent, tmp_path / "solvers")
    monkeypatch.setattr(_compile, "__file__", str(tmp_path / "_compile.py"))
    elsewhere = tmp_path / "learning"
    before = _compile.stamp_of.__wrapped__(elsewhere)
    for name in _compile.SHARED:
        with (tmp_path / "solvers" / name).open("a") as file:
            file.write("# changed\n")
        after = _compile.stamp_of.__wrapped__(elsewhere)
        assert after != before
        before = after


def test_kernels_run_uncompiled():
    code = "import dicelab as dl; print(dl.solve(dl.piglet(2)).value)"
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True)
    assert done.stdout.startswith("0.57142857"), done.stderr
