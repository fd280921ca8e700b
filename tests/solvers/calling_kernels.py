"""Kernels that only other kernels call, called from the tests."""

from itertools import combinations_with_replacement

import numpy as np
from numba import njit

from dicelab.solvers import _kernels


def from_python(kernel):
    """A kernel that only other kernels call, called from here."""
    return njit(error_model="numpy")(lambda *arguments: kernel(*arguments))


store_pair = from_python(_kernels.store_pair)


def hold_table(rules, payoffs, hold):
    """A table of the kernels, filled: ``hold[b, r]`` against an opponent who needs b, with r points missing."""
    table = _kernels.new_table(rules, payoffs, _kernels.before_turn(payoffs, hold[1:, -1]))
    for a, b in sorted(combinations_with_replacement(range(1, len(hold)), 2), key=sum):
        store_pair(
            rules, table, a, b, *_kernels.before_turn(payoffs, np.array([hold[a, b], hold[b, a]]))
        )
    return table
