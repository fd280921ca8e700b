"""What an answer to an exercise is compared with, and what is said to a wrong one.

An answer is read as a dict of single values by their places: "" for a number, "0", "1" for those of a list, "(0, 1)"
for those of a table, and the keys of a dict. A number is rounded to whole units of the last decimal, and compared to
within one unit.
"""

from ast import literal_eval
from collections.abc import Callable, Iterator, Mapping, MappingView, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from dicelab._exact import ExactValue
from dicelab._validation import MAX_EXPONENT, short_repr

__all__ = ["AnswerKey", "FormError", "shown", "values_of"]

ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
]
NEARLY = Fraction(1, 10**6)  # of an integer that was computed
LONGEST = 10_000  # characters of a text that is read as a number
COUNTS = ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


class FormError(ValueError):
    """An answer has another form than the one that is asked for; the message is a sentence for the reader."""


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
        given = self._asked_for(given)
        places = [] if sealed else self.right
        wrong = [place for place in places if not self._holds(given[place], self.right[place])]
        if not wrong:
            return [], []
        if self._is_list() and all(
            any(self._holds(given[i], self.right[j]) for i in wrong) for j in wrong
        ):
            return [f"{self._subject()} has the right numbers in another order."], []
        hints = [
            hint
            for values, hint in self.slips()
            if not self.right_in(values)
            and all(self._holds(given[place], value) for place, value in values.items())
        ]
        return [self._sentence(place, given[place]) for place in wrong], hints

    def _subject(self):
        return self.call or "The answer"

    def _is_list(self):
        return [*self.right] == [str(number) for number in range(len(self.right))]

    def _asked_for(self, given):
        """The values at the places that are asked for."""
        while len(given) == len(self.right) == 1 and given.keys() != self.right.keys():
            inner = values_of(*given.values())  # [12] for 12
            given = dict(zip(self.right, inner.values(), strict=True)) if "" in inner else inner
        if given.keys() != self.right.keys():
            raise FormError(f"{self._subject()} {self._asked(len(given))}.")
        return given

    def _asked(self, given):
        """The form that is asked for, if an answer with so many numbers has another one."""
        places = [*self.right]
        if places[0].startswith("("):
            rows, columns = (last + 1 for last in literal_eval(places[-1]))
            return f"is to be a list of {_count(rows, 'row')} with {_count(columns, 'number')} each"
        if not self._is_list() and places != [""]:
            return f"is to be a dict with the keys {', '.join(places)}"
        if given == len(places):
            return f"is to be a list of {_count(given, 'number')}, in the order of the exercise"
        what = f": {'; '.join(self.places)}" if len(self.places) == len(places) else ""
        are = "one is" if len(places) == 1 else f"{_count(len(places))} are"
        return f"has {_count(given, 'number')}, and {are} asked for{what}"

    def _holds(self, value, wanted):
        """Whether a value is the wanted one; a number with decimals may be off by one of the last."""
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
        right = self.right[place]
        noun = "answer" if isinstance(value, (bool, np.bool_)) else "number"
        what, said = self._what(place, noun), shown(value)
        if type(value) is int and value in (0, 1) and self._holds(bool(value), right):
            return f"{what} is right as a truth value: write {bool(value)}, not {said}."
        with suppress(ValueError, TypeError, ArithmeticError):
            number = _fraction(value)
            if 1 < number <= 100 and self._holds(number / 100, right):
                return f"{what} is right in percent: give it as a number between 0 and 1."
            digits = -int(Decimal(str(value)).as_tuple().exponent)
            if 0 < digits < self.decimals and abs(number - _fraction(right)) < Fraction(
                1, 10**digits
            ):
                return f"{what} is right as far as {said} goes: give {self.decimals} decimals."
        if isinstance(value, str) and any(map(str.isdigit, value)) and not _is_fraction(value):
            said += ", which is a text and cannot be read as a number"
        return f"{what} is not {said}."

    def _what(self, place, noun):
        """A value of the answer in words, at the beginning of a sentence."""
        of = f" of {self.call}" if self.call else ""
        if place.startswith("("):
            row, column = literal_eval(place)
            name = self.places[column] if self.places else f"{noun} {column + 1}"
            return f"In row {row + 1}{of}, {name}"
        if place and not self._is_list():
            return f"The entry for {place}{of}"
        if place:
            number = int(place)
            name = f", {self.places[number]}," if len(self.places) == len(self.right) else ""
            known = number < len(ORDINALS)
            which = (
                f"The {ORDINALS[number]} {noun}" if known else f"{noun.capitalize()} {number + 1}"
            )
            return f"{which}{of}{name}"
        name = self.places[0] if self.places else "the answer"
        return self.call or name[:1].upper() + name[1:]


def _is_fraction(text):
    """Whether a text can be read as a fraction or a decimal."""
    try:
        _fraction(text)
    except (ValueError, ArithmeticError):
        return False
    return True


def _fraction(number):
    """A number, or a text, as a Fraction. An ArithmeticError or ValueError if it is none, or beyond 10**±1000."""
    if isinstance(number, str) and len(number) > LONGEST:
        raise ValueError(f"a text of more than {LONGEST} characters")
    if isinstance(number, str) and "/" not in number:
        number = Decimal(number)
    if isinstance(number, Decimal) and abs(number.adjusted()) > MAX_EXPONENT:
        raise OverflowError(f"beyond 10**±{MAX_EXPONENT}")
    return Fraction(number)


def shown(value):
    """A value as a reader writes it."""
    value = _plain(value)
    if isinstance(value, Fraction):
        return str(ExactValue(value))
    return f"{value:.10g}" if isinstance(value, float) else short_repr(value)


def _unreadable(answer):
    """Why an answer has no numbers to compare, or nothing."""
    if answer is None or answer is Ellipsis:
        return f"is {answer}: there is no result yet, or a return is missing"
    if isinstance(answer, Set) and not isinstance(answer, MappingView):
        return "is a set, and a set has no order: give a list"
    if isinstance(answer, Iterator):
        return "is an iterator: give a list, as list(…) makes it"
    if callable(answer):
        return "is a function: call it, and give what it returns"
    if isinstance(answer, complex):
        return "is a complex number, and a real one is asked for"
    return ""


def _count(number, noun=""):
    """ "two numbers" """
    said = COUNTS[number] if number < len(COUNTS) else str(number)
    return f"{said} {noun}{'s' * (number != 1)}" if noun else said


def _rounded(value, decimals):
    """A number in whole units of the last decimal; all else, as 2.5 where an integer is asked for, as text."""
    value = _plain(value)
    if isinstance(value, (Real, Decimal)) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):  # nan and infinity stay what they are
            units = _fraction(value) * 10**decimals
            if decimals or abs(units - round(units)) <= NEARLY:
                return round(units)
    return str(value).strip().lower()


def values_of(answer, subject="The answer"):
    """The single values of an answer by their places: {"": 3} for 3, {"0": 1, "1": 2} for [1, 2].

    Raises
    ------
    FormError
        If it cannot be read, with a sentence about the `subject`.
    """
    problem = _unreadable(answer)
    try:
        if not problem:
            return {_place(key): _plain(value) for key, value in _pairs(answer)}
    except (ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        # Lists that are nested too deeply, or what the answer's own methods raise.
        problem = f"cannot be read: {str(error).rstrip('.') or type(error).__name__}"
    raise FormError(f"{subject} {problem}.")


def _pairs(answer):
    """Pairs of a key and a value; a number has the key \"\"."""
    if isinstance(answer, pd.DataFrame):
        answer = answer.stack()
    if isinstance(answer, (Mapping, pd.Series)):
        return answer.items()
    if isinstance(answer, MappingView):
        answer = list(answer)
    many = isinstance(answer, Sequence) or hasattr(answer, "__array__")
    if not many or isinstance(answer, (str, bytes)):
        return [("", answer)]
    array = np.asarray(answer, dtype=object)
    if array.ndim == 0:
        return [("", array.item())]
    return [
        (index if array.ndim > 1 else index[0], value) for index, value in np.ndenumerate(array)
    ]


def _place(key):
    """A place: "3" for 3 and for numpy's 3, "(1, 2)" for a pair."""
    return str(tuple(map(_plain, key))) if isinstance(key, tuple) else str(_plain(key))


def _plain(key):
    return key.item() if isinstance(key, np.generic) else key
