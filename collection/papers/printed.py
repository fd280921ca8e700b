"""Numbers as people write them: the value, and how many decimals were written.

One parser reads both, so that a tolerance always belongs to the number that was read. Blanks of every kind may stand
around a number and before its percent sign. Four typographic dashes count as a minus. Single underscores may part
digits, as in Python. A decimal comma is refused, because it might part thousands.
"""

import re
from fractions import Fraction
from typing import NamedTuple

from dicelab._validation import MAX_EXPONENT, check_type, invalid

__all__ = ["Printed", "read_number"]

ALLOWED = "a number as printed: '0.25', '2/9' or '8%'"
BLANKS = "[\\s\ufeff\u200b\u2060]*+"  # with a byte-order mark and two blanks without width, which \s leaves out
MINUS = (
    "−‐‑–-"  # minus sign, two hyphens, en dash, and the keyboard's, which must be last in a class
)
DIGITS = "[0-9]+(?:_[0-9]+)*"
DECIMAL = rf"({DIGITS})?(?:(\.)({DIGITS})?)?(?:[eE]([+{MINUS}]?)({DIGITS}))?"
NUMBER = re.compile(
    rf"{BLANKS}([+{MINUS}]?)(?:({DIGITS})/({DIGITS})|{DECIMAL}){BLANKS}(%?){BLANKS}"
)


class Printed(NamedTuple):
    """A number as printed.

    Attributes
    ----------
    number : Fraction
    places : int or None
        The power of ten that the last digit counts, with the sign changed: 2 for "0.25" and for "8%", -3 for "5e3".
        None for what is exact: a fraction, and an integer without exponent and percent sign.
    """

    number: Fraction
    places: int | None

    @property
    def half_unit(self):
        """Half a unit of the last digit, a Fraction; 0 for what is exact."""
        return Fraction(0) if self.places is None else Fraction(10) ** -self.places / 2


def read_number(text, field="printed", allowed=ALLOWED):
    """Read a text as a :class:`Printed` number. ValueError if it is not one, or has an exponent beyond 1000.

    >>> read_number("−1.50 %")
    Printed(number=Fraction(-3, 200), places=4)
    """
    match = NUMBER.fullmatch(check_type(text, field, str, allowed))
    if match is None:
        raise invalid(field, text, allowed)
    sign, over, under, whole, point, decimals, down, exponent, percent = match.groups()
    try:
        if over is not None:
            number, places = Fraction(int(over), int(under)), None
        elif whole is None and decimals is None:
            raise ValueError
        else:
            decimals = (decimals or "").replace("_", "")
            power = int(exponent or 0)
            if power > MAX_EXPONENT:
                raise ValueError
            power = -power if down and down in MINUS else power
            number = int(f"{whole or ''}{decimals}") * Fraction(10) ** (power - len(decimals))
            places = len(decimals) - power if point or exponent or percent else None
    except (ValueError, ZeroDivisionError):  # Python refuses integers of more than 4300 digits
        raise invalid(field, text, allowed) from None
    if percent:
        number, places = number / 100, None if places is None else places + 2
    return Printed(-number if sign and sign in MINUS else number, places)
