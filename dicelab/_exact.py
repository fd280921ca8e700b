"""ExactValue: a Fraction that can be displayed, however many digits it has.

Python refuses to write an int of more than 4300 digits. The value of Pig to 100 has 20,855 above the line, and as many
below it.
"""

from decimal import ROUND_DOWN, Context, Decimal
from fractions import Fraction
from numbers import Rational
from typing import NamedTuple

import numpy as np

DIGITS = Context(prec=12, rounding=ROUND_DOWN)  # of the decimal as which a long one is written


class LowestTerms(NamedTuple):
    """A fraction that Fraction takes as it is, instead of looking again for a common divisor of 20,000 digits."""

    numerator: int
    denominator: int


Rational.register(LowestTerms)


class ExactValue(Fraction):
    """A Fraction that is written as a decimal, with the number of its digits, if it is long.

    It is the exact number in any case; :meth:`in_full` writes all digits. Arithmetic gives ordinary Fractions.

    Examples
    --------
    >>> ExactValue(2, 3)
    Fraction(2, 3)
    >>> ExactValue(2**999, 3**630)
    <Fraction 1.38859371401… (301/301 digits)>
    >>> print(ExactValue(2**999, 3**630))
    1.38859371401… (301/301 digits)
    """

    __slots__ = ()

    def __repr__(self):
        return (
            f"<Fraction {self}>"
            if "…" in str(self)
            else f"Fraction({self.numerator}, {self.denominator})"
        )

    def __str__(self):
        if self.numerator.bit_length() + self.denominator.bit_length() <= 160:  # some 48 digits
            return super().__str__()
        above, below = Decimal(self.numerator), Decimal(self.denominator)
        digits = f"{above.adjusted() + 1:,}/{below.adjusted() + 1:,} digits"
        return f"{DIGITS.divide(above, below)}… ({digits})"

    def in_full(self):
        """All digits, as the text "numerator/denominator"."""
        return f"{Decimal(self.numerator)}/{Decimal(self.denominator)}"

    def __reduce__(self):
        return ExactValue, (LowestTerms(self.numerator, self.denominator),)


def as_exact(numbers):
    """An array of fractions in lowest terms, of any kind, as one of ExactValue; an array of floats as it is."""
    if numbers.dtype != object:
        return numbers
    return np.frompyfunc(
        lambda x: ExactValue(LowestTerms(int(x.numerator), int(x.denominator))), 1, 1
    )(numbers)
