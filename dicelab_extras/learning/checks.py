"""A check of an argument that is a real number: a rate, a share."""

import numbers

from dicelab._validation import invalid

__all__ = ["check_real"]


def check_real(value, field, low, high=1e300, above=False):
    """Return `value` as a float in [`low`, `high`], or, if `above`, in (`low`, `high`]."""
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not real or not low <= value <= high or (above and value == low):
        raise invalid(
            field, value, f"a number in {'(' if above else '['}{low}, {high:g}]", numbers.Real
        )
    return float(value)
