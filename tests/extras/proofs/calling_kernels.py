"""Kernels that only other kernels call, called from the tests."""

from numba import njit


def from_python(kernel):
    """A kernel that only other kernels call, called from here."""
    return njit(error_model="numpy")(lambda *arguments: kernel(*arguments))
