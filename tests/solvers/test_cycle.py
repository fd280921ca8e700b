"""The cycle: turns tied by busts compose to one equation, in fractions and without a loss of digits."""

import os
import subprocess
import sys
from fractions import Fraction
from functools import reduce

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

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


@pytest.mark.parametrize("tiny", [1e-9, 1e-15, 1e-300])
def test_no_digits_are_lost_where_turns_nearly_always_bust(tiny):
    """Both win with the same tiny probability: the first one with probability 1 / (2 - tiny)."""
    constant, leave = joined(tiny, tiny, passed(1.0, tiny, tiny), tiny)
    assert constant / leave == pytest.approx(1 / (2 - tiny), rel=1e-15)


def test_kernels_run_uncompiled():
    code = "import dicelab as dl; print(dl.solve(dl.piglet(2)).value)"
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", code], env=plain, capture_output=True, text=True)
    assert done.stdout.startswith("0.57142857"), done.stderr
