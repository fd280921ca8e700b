"""Number, the rational numbers that solvers calculate with: gmpy2's, if it is installed, and Python's otherwise."""

from fractions import Fraction

try:
    from gmpy2 import mpq
except ImportError:
    mpq = Fraction

__all__ = ["Number"]

Number = mpq
