"""Number, the rational numbers that solvers calculate with: gmpy2's, if it is installed, and Python's otherwise."""

try:
    from gmpy2 import mpq
except ImportError:
    from fractions import Fraction as mpq

Number = mpq
