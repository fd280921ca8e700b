"""Number, the rational numbers that solvers calculate with: gmpy2's, if it is installed, and Python's otherwise."""

try:
    from gmpy2 import mpq as Number
except ImportError:
    from fractions import Fraction as Number  # noqa: F401
