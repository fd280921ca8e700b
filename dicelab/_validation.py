"""Checks of arguments, one function for each kind: each returns the value that it checked, or raises a ValueError.

The message names the argument, its value, shortened if it is long, and what is allowed. For a wrong type the error is a
TypeError as well. An integer is an int or one of numpy's integers, but no bool, no 3.0, no "100", no Fraction and no
Decimal. A flag is True or False itself. Where a name is refused, `did_you_mean` finds the one
that is meant.
"""

import numbers
import os
from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal
from difflib import get_close_matches
from fractions import Fraction
from pathlib import Path
from reprlib import Repr

import numpy as np

BLANKS = str.maketrans("-_", "  ")
MAX_EXPONENT = 1000  # Fraction("1e999999999") would fill the memory


_repr = Repr()
_repr.maxstring = _repr.maxother = _repr.maxlong = 80
short_repr = _repr.repr  # `repr`, shortened


class WrongTypeError(TypeError, ValueError):
    """An argument has a wrong type. It is a ValueError, too, so that one `except` is enough for all refusals."""


def invalid(field, value, allowed, kinds=object):
    """The error that refuses the value of an argument: "target: 0 is not allowed; give …".

    A ValueError; a WrongTypeError if the value is not an instance of `kinds`, a class or several.
    """
    error = ValueError if isinstance(value, kinds) else WrongTypeError
    return error(f"{field}: {short_repr(value)} is not allowed; give {allowed}")


def did_you_mean(name, names):
    """ "; did you mean 'pig'?", for the end of a message, or "" if no name is near."""
    by_key = {each.lower().translate(BLANKS): each for each in names}
    near = get_close_matches(name[:80].lower().translate(BLANKS), by_key, 1)
    return f"; did you mean {by_key[near[0]]!r}?" if near else ""


def check_int(value, field, least=None, most=None):
    """Return `value` as an int of at least `least` and at most `most`."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if whole and (least is None or value >= least) and (most is None or value <= most):
        return int(value)
    bounds = [f"at least {least}"] * (least is not None) + [f"at most {most}"] * (most is not None)
    allowed = f"a whole number{' of ' * bool(bounds)}{' and '.join(bounds)}"
    if isinstance(value, float) and value.is_integer():
        allowed += f"; did you mean {int(value):_}?"
    raise invalid(field, value, allowed, object if whole else ())


def check_fraction(value, field, allowed):
    """Return `value` as an exact number.

    Parameters
    ----------
    value : Fraction, int, Decimal, str or float
        A string is a fraction (``"1/6"``) or a decimal (``"0.25"``). A float counts as the decimal that it prints
        as: 0.1 is 1/10, while ``1 / 6`` is 0.16666666666666666, and six of these do not sum to 1.
    field, allowed : str
        For the message.

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError
        If the value is not a finite number, or is a decimal with an exponent beyond 1000.
    """
    with suppress(ValueError, ZeroDivisionError):
        if isinstance(value, numbers.Rational) and not isinstance(value, bool):
            return Fraction(int(value.numerator), int(value.denominator))
        exponent = str(value).lower().partition("e")[2]
        if isinstance(value, str | float | Decimal) and abs(int(exponent or 0)) <= MAX_EXPONENT:
            return Fraction(str(value))
    raise invalid(field, value, allowed, (str, float, Decimal, numbers.Rational))


def check_probability(value, field="probability"):
    """Return `value` as an exact probability, a Fraction in [0, 1]; see :func:`check_fraction`."""
    allowed = "a number in [0, 1] as Fraction, int, '1/6', '0.25' or float"
    probability = check_fraction(value, field, allowed)
    if not 0 <= probability <= 1:
        raise invalid(field, value, allowed)
    return probability


def check_players(value, field="players"):
    """Read `value` as a number of players."""
    return check_int(value, field, 2, 30)  # arrays have at most 64 axes


def check_bool(value, field):
    """Return `value`, True or False."""
    return check_type(value, field, bool, "True or False")


def check_name(value, field, allowed="a name"):
    """Return `value`, a string that is not empty."""
    if not isinstance(value, str) or not value:
        raise invalid(field, value, allowed, str)
    return value


def check_option(value, field, names):
    """Return `value`, one of some names."""
    if not isinstance(value, str) or value not in names:
        meant = did_you_mean(value, names) if isinstance(value, str) else ""
        raise invalid(field, value, f"one of {', '.join(map(repr, names))}{meant}", str)
    return value


def check_type(value, field, kind, allowed):
    """Return `value`, an instance of a class."""
    if not isinstance(value, kind):
        raise invalid(field, value, allowed, kind)
    return value


def check_sequence(value, field, allowed):
    """Return the items of `value` as a list. It must have a length and an order; strings and dicts are refused."""
    with suppress(TypeError):  # a class, or an array without dimensions
        if hasattr(value, "__getitem__") and not isinstance(value, str | bytes | Mapping):
            return list(value)
    raise invalid(field, value, allowed, kinds=())


class DecisionError(ValueError):
    """A policy's answer is not a decision; the message says which policy's, but not the name of the argument."""


def check_decisions(value, asked, policy, kind, shape):
    """Return `value`, the array of decisions that the method `asked` of a policy returns."""
    if not isinstance(value, np.ndarray) or value.dtype != kind or value.shape != shape:
        found = (
            f"of shape {value.shape} and {value.dtype}"
            if isinstance(value, np.ndarray)
            else short_repr(value)
        )
        raise DecisionError(
            f"what {asked} of {short_repr(policy)} returns is no array {shape} of {kind.__name__}, but {found}"
        )
    return value


def check_path(value, field, endings=()):
    """Return `value` as the Path of a file to write, in an existing folder, with one of some endings."""
    path = Path(check_type(value, field, (str, os.PathLike), "the path of a file"))
    if endings and path.suffix not in endings:
        raise invalid(field, str(value), f"a name that ends in {' or '.join(endings)}")
    if not path.parent.is_dir() or (path.exists() and not path.is_file()):
        raise invalid(field, str(value), "the path of a file in a folder that exists")
    return path
