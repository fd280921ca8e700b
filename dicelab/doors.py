"""Checks at the door: each reads one kind of argument, or refuses it by a ValueError.

What is refused is named with its value, shortened if it is long, and with what is allowed. A wrong type is a
ValueError, too. Types that look right but are not: a count is whatever Python takes as an index, numpy's integers
included, but no bool, no 3.0, no "100", no Fraction and no Decimal; a flag is True or False itself.
"""

import math
import numbers
import operator
import os
import re
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from reprlib import Repr

import numpy as np

__all__ = [
    "NoDecision",
    "as_decisions",
    "as_file",
    "as_flag",
    "as_fraction",
    "as_items",
    "as_jobs",
    "as_kind",
    "as_name",
    "as_one_of",
    "as_real",
]
__all__ += ["as_probability", "as_score", "as_whole", "check_denominator", "in_short", "refusal", "shown"]

MOST_DIGITS = 100  # of a whole number
MOST_PLACES = 1000  # of the numerator or the denominator of a fraction
MOST_JOBS = 1000
BITS_PER_DIGIT = math.log2(10)


class Short(Repr):
    """`repr`, shortened, of anything: Python itself refuses to print a whole number of more than 4,300 digits."""

    def __init__(self):
        super().__init__()
        self.maxstring = self.maxother = 80
        self.maxlist = self.maxtuple = self.maxset = self.maxdict = 8

    def repr_int(self, x, level):
        """Whole numbers of up to 100 digits as they are, others by their length."""
        if x.bit_length() <= MOST_DIGITS * BITS_PER_DIGIT:
            return repr(x)
        return f"a whole number of some {x.bit_length() / BITS_PER_DIGIT:,.0f} digits"

    def repr_Fraction(self, x, level):
        """Fractions with their parts shortened."""
        return f"Fraction({self.repr1(x.numerator, level)}, {self.repr1(x.denominator, level)})"


shown = Short().repr


def in_short(fraction):
    """A fraction as Python prints it, its parts shortened."""
    return "/".join(
        shown(part) for part in (fraction.numerator, fraction.denominator)[: 1 + (fraction.denominator > 1)]
    )


def refusal(field, value, allowed):
    """The ValueError that refuses the value of an argument: "target: 0 is not allowed; give …"."""
    return ValueError(f"{field}: {shown(value)} is not allowed; give {allowed}")


def as_whole(value, field, least, most=None):
    """Read `value` as an int of at least `least` and at most `most`, by default one of up to 100 digits.

    Whatever Python takes as an index is one, numpy's integers for example; a bool or a float is not.
    """
    try:
        whole = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        whole = None
    if whole is None or whole < least or whole >= 10**MOST_DIGITS or (most is not None and whole > most):
        bound = f" and at most {most}" if most is not None else ""
        if whole is not None and most is None and whole >= 10**MOST_DIGITS:
            bound = f" and at most {MOST_DIGITS} digits"
        raise refusal(field, value, f"a whole number of at least {least}{bound}")
    return whole


def as_score(value, field, target):
    """Read `value` as a banked score in 0, …, target - 1."""
    score = as_whole(value, field, 0)
    if score >= target:
        raise refusal(field, value, f"a score in 0, …, {target - 1}")
    return score


def as_jobs(value, field):
    """Read `value` as a number of jobs at a time."""
    try:
        return -1 if as_whole(value, field, -1) == -1 else as_whole(value, field, 1, MOST_JOBS)
    except ValueError:
        raise refusal(
            field, value, f"a whole number of at least 1, or -1 for one a core; at most {MOST_JOBS}"
        ) from None


def as_fraction(value, field, allowed):
    """Read `value` as an exact number of at most 1,000 digits; `allowed` is what to say if that fails.

    Parameters
    ----------
    value : Fraction, int, Decimal, str or float
        A string is a fraction (``"1/6"``) or a decimal (``"0.25"``). A float counts as the decimal that it prints
        as: 0.1 is 1/10, while ``1 / 6`` is 0.16666666666666666, six of which do not make 1.
    field, allowed : str

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError
        If the value is no number, not finite, or too long.
    """
    fraction = None
    if isinstance(value, float):
        value, given = repr(float(value)), value
    else:
        given = value
    try:
        if isinstance(value, str) and len(value) <= 2 * MOST_PLACES:
            _, _, exponent = value.lower().partition("e")
            if not exponent or abs(int(exponent)) <= MOST_PLACES:
                fraction = Fraction(value)
        elif isinstance(value, Decimal) and value.is_finite():
            _, digits, exponent = value.as_tuple()
            if len(digits) + abs(exponent) <= MOST_PLACES:
                fraction = Fraction(value)
        elif isinstance(value, numbers.Rational) and not isinstance(value, bool):
            fraction = Fraction(int(value.numerator), int(value.denominator))
    except (ValueError, ArithmeticError):
        pass
    if (
        fraction is None
        or max(abs(fraction.numerator), fraction.denominator).bit_length() > MOST_PLACES * BITS_PER_DIGIT
    ):
        raise refusal(field, given, allowed)
    return fraction


def as_probability(value, field="probability"):
    """Read `value` as an exact probability, a Fraction in [0, 1]; see :func:`as_fraction`.

    Raises
    ------
    ValueError
        If the value is no number, not finite, outside [0, 1], or has more than 1,000 digits.
    """
    allowed = "a number in [0, 1] as Fraction, int, '1/6', '0.25' or float"
    probability = as_fraction(value, field, allowed)
    if not 0 <= probability <= 1:
        raise refusal(field, value, allowed)
    return probability


def check_denominator(chances, field, times=1):
    """Refuse probabilities whose common denominator, to the power of `times`, has more than 1,000 digits."""
    common = 1
    for chance in chances:
        common = math.lcm(common, chance.denominator)
        if times * (common.bit_length() - 1) > MOST_PLACES * BITS_PER_DIGIT:
            power = f" to the power of {times}" if times > 1 else ""
            raise ValueError(f"{field}: their common denominator{power} has more than {MOST_PLACES:,} digits")


def as_real(value, field, low, high=1e300, above=False):
    """Read `value` as a float in [`low`, `high`], or, if `above`, in (`low`, `high`]; a bool or a string is none."""
    real = not isinstance(value, bool) and isinstance(value, numbers.Real)
    if not real or not low <= value <= high or (above and value == low):
        raise refusal(field, value, f"a number in {'(' if above else '['}{low}, {high:g}]")
    return float(value)


def as_flag(value, field):
    """Read `value` as True or False."""
    if not isinstance(value, bool):
        raise refusal(field, value, "True or False")
    return value


def as_name(value, field, allowed="a name"):
    """Read `value` as a text that is not empty."""
    if not isinstance(value, str) or not value:
        raise refusal(field, value, allowed)
    return value


def as_one_of(value, field, names):
    """Read `value` as one of some names."""
    if not isinstance(value, str) or value not in names:
        raise refusal(field, value, f"one of {', '.join(map(repr, names))}")
    return value


def as_kind(value, field, kind, allowed):
    """Read `value` as an instance of a class, or of one of several; `allowed` says what these are."""
    if not isinstance(value, kind):
        raise refusal(field, value, allowed)
    return value


def as_items(value, field, allowed):
    """Read `value` as a list of its items: it must have a length and an order; a text and a dict are none."""
    ordered = hasattr(value, "__len__") and hasattr(value, "__getitem__") and hasattr(value, "__iter__")
    if not ordered or isinstance(value, str | bytes | bytearray | memoryview | Mapping):
        raise refusal(field, value, allowed)
    try:
        return list(value)
    except TypeError:  # an array without dimensions
        raise refusal(field, value, allowed) from None


class NoDecision(ValueError):
    """What a policy answers is no decision; `said` is the message without the name of the argument."""

    def __init__(self, said):
        super().__init__(f"policy: {said}")
        self.said = said


def as_decisions(value, asked, policy, kind, shape):
    """Read what the method `asked` of a policy returns as an array of decisions."""
    if not isinstance(value, np.ndarray) or value.dtype != kind or value.shape != shape:
        found = f"of shape {value.shape} and {value.dtype}" if isinstance(value, np.ndarray) else shown(value)
        said = f"what {asked} of {shown(policy)} returns is no array {shape} of {kind.__name__}"
        raise NoDecision(f"{said}, but {found}")
    return value


def as_file(value, field, endings=()):
    """Read `value` as the Path of a file that may be written: in a folder that there is, with one of some endings."""
    if not isinstance(value, str | os.PathLike) or not str(value) or re.search(r"\0", str(value)):
        raise refusal(field, value, "the path of a file")
    path = Path(value)
    if endings and path.suffix not in endings:
        raise refusal(field, str(value), f"a name that ends in {' or '.join(endings)}")
    if not path.parent.is_dir():
        raise ValueError(f"{field}: {shown(str(value))} is not allowed; there is no folder {shown(str(path.parent))}")
    if path.is_dir():
        raise refusal(field, str(value), "a file; this is a folder")
    if path.exists() and not path.is_file():
        raise refusal(field, str(value), "a file; this is a device or the like")
    return path
