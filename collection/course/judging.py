"""What an answer to an exercise is compared with, and what is said to a wrong one.

An answer is a dict of single values by their places, as :mod:`dicelab_extras.grading.given` reads it. A number is
rounded to whole units of the last decimal, and compared to within one unit.
"""

from ast import literal_eval
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np

from dicelab._validation import MAX_EXPONENT
from dicelab_extras.grading.given import FormError, shown, values_of

__all__ = ["AnswerKey"]

NEARLY = Fraction(1, 10**6)  # of an integer that was computed
LONGEST = 10_000  # characters of a text that is read as a number


@dataclass(frozen=True, kw_only=True)
class AnswerKey:
    """What an answer, or what a function returns in one of its calls, is compared with.

    Attributes
    ----------
    right : dict of str to a number, str or bool
        The right values by their places.
    slips : function
        Without arguments: a list of wrong values by their places, None for any, each with what is said to it.
    decimals : int
    call : str
        The call in words; empty if the answer is no function.
    places : sequence of str
        What each number of a list, or each column of a table, is. May be empty.
    """

    right: dict[str, Any]
    slips: Callable[[], list[tuple[dict[str, Any], str]]]
    decimals: int
    call: str = ""
    places: Sequence[str] = ()

    def right_in(self, values):
        """Whether values by their places are right, those that are None apart."""
        return all(self._holds(self.right[place], value) for place, value in values.items())

    def judge(self, given, sealed=False):
        """What is wrong with values by their places, a sentence for each, and hints; of the form alone if `sealed`.

        Raises
        ------
        FormError
            If there are other values than are asked for.
        """
        while len(given) == len(self.right) == 1 and given.keys() != self.right.keys():
            inner = values_of(*given.values())  # [12] for 12
            given = dict(zip(self.right, inner.values(), strict=True)) if "" in inner else inner
        if given.keys() != self.right.keys():
            raise FormError(f"{self.call or 'The answer'} is to be {self._asked()}.")
        if sealed or self.right_in(given):
            return [], []
        wrong = [place for place in self.right if not self._holds(given[place], self.right[place])]
        if self._is_list() and all(
            any(self._holds(given[i], self.right[j]) for i in wrong) for j in wrong
        ):
            return [f"{self.call or 'The answer'} has the right numbers in another order."], []
        hints = [
            hint
            for values, hint in self.slips()
            if not self.right_in(values)
            and all(self._holds(given[place], value) for place, value in values.items())
        ]
        return [self._sentence(place, given[place]) for place in wrong], hints

    def _is_list(self):
        return [*self.right] == [str(number) for number in range(len(self.right))]

    def _asked(self):
        """The form that is asked for."""
        places = [*self.right]
        if places == [""]:
            return "one number"
        if places[0].startswith("("):
            rows, columns = (last + 1 for last in literal_eval(places[-1]))
            return f"a list of {rows} rows with {columns} numbers each"
        if not self._is_list():
            return f"a dict with the keys {', '.join(places)}"
        what = f": {'; '.join(self.places)}" if len(self.places) == len(places) else ""
        return f"a list of {len(places)} number{'s' * (len(places) != 1)}{what}"

    def _holds(self, value, wanted):
        """Whether a value is the wanted one. None wants any; a number with decimals may be off by one of the last."""
        if wanted is None:
            return True
        if isinstance(value, str) and not isinstance(wanted, str):
            with suppress(ValueError, ArithmeticError):
                value = _fraction(value)  # "6/7" is a number, too
        found, wanted = (_rounded(each, self.decimals) for each in (value, wanted))
        if isinstance(found, int) and isinstance(wanted, int):
            return abs(found - wanted) <= (self.decimals > 0)
        return found == wanted

    def _sentence(self, place, value):
        """What is wrong with one value."""
        right, said = self.right[place], shown(value)
        what = self._what(place, "answer" if isinstance(value, (bool, np.bool_)) else "number")
        if type(value) is int and value in (0, 1) and self._holds(bool(value), right):
            return f"{what} is right as a truth value: write {bool(value)}, not {said}."
        try:
            number = _fraction(value)
        except (ValueError, TypeError, ArithmeticError):
            if isinstance(value, str) and any(map(str.isdigit, value)):
                said += ", which is a text and cannot be read as a number"
            return f"{what} is not {said}."
        if 1 < number <= 100 and self._holds(number / 100, right):
            return f"{what} is right in percent: give it as a number between 0 and 1."
        with suppress(ValueError, ArithmeticError):
            digits = -int(Decimal(str(value)).as_tuple().exponent)
            off = abs(number - _fraction(right))
            if 0 < digits < self.decimals and off < Fraction(1, 10**digits):
                return f"{what} is right as far as {said} goes: give {self.decimals} decimals."
        return f"{what} is not {said}."

    def _what(self, place, noun):
        """A value of the answer in words, at the beginning of a sentence."""
        of = f" of {self.call}" if self.call else ""
        if not place:
            name = self.places[0] if self.places else "the answer"
            return self.call or name[:1].upper() + name[1:]
        if place.startswith("("):
            row, column = literal_eval(place)
            name = self.places[column] if self.places else f"{noun} {column + 1}"
            return f"In row {row + 1}{of}, {name}"
        if not self._is_list():
            return f"The entry for {place}{of}"
        name = f", {self.places[int(place)]}," if len(self.places) == len(self.right) else ""
        return f"{noun.capitalize()} {int(place) + 1}{of}{name}"


def _fraction(number):
    """A number, or a text, as a Fraction. An ArithmeticError or ValueError if it is none, or beyond 10**±1000."""
    if isinstance(number, str) and len(number) > LONGEST:
        raise ValueError(f"a text of more than {LONGEST} characters")
    if isinstance(number, str) and "/" not in number:
        number = Decimal(number)
    if isinstance(number, Decimal) and abs(number.adjusted()) > MAX_EXPONENT:
        raise OverflowError(f"beyond 10**±{MAX_EXPONENT}")
    return Fraction(number)


def _rounded(value, decimals):
    """A number in whole units of the last decimal; all else, as 2.5 where an integer is asked for, as text."""
    if isinstance(value, (Real, Decimal)) and not isinstance(value, (bool, np.bool_)):
        with suppress(ValueError, OverflowError):  # nan and infinity stay what they are
            units = _fraction(value) * 10**decimals
            if decimals or abs(units - round(units)) <= NEARLY:
                return round(units)
    return str(value).strip().lower()
