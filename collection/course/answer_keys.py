"""What an answer to an exercise is compared with: hashes by the places of its numbers; and what is said to a wrong one.

An answer is read as a dict of single values by their places: "" for a number, "0", "1" for those of a list, "(0, 1)"
for those of a table, and the keys of a dict. A number is rounded to whole units of the last decimal before it is
hashed, so that it can be compared to within one unit.
"""

import hmac
from ast import literal_eval
from collections.abc import Iterator, Mapping, MappingView, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from numbers import Real

import numpy as np
import pandas as pd

from dicelab._exact import ExactValue
from dicelab._validation import MAX_EXPONENT, short_repr

__all__ = ["AnswerKey", "FormError", "hash_of", "hashes_of", "shown"]

FEW = 10_000  # an answer with too few decimals stands for so many answers at most
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
    right : dict of str to str
        The hashes of the right values by their places.
    salt : str
        The exercise, and the number of the call.
    decimals : int
    secret : bytes or None
        The key of the hashes; None if there is none, b"" if it is not known here. Then the form alone is compared.
    call : str
        The call in words; empty if the answer is no function.
    places : list of str
        What each number of a list, or each column of a table, is. May be empty.
    hints : list of (dict of str to str, str)
        Hashes of wrong values, at some or all places, and what is said to them.
    """

    right: dict[str, str]
    salt: str
    decimals: int
    secret: bytes | None
    call: str
    places: list[str]
    hints: list[tuple[dict[str, str], str]]

    def judge(self, answer):
        """What is wrong, a sentence for each number, and a hint; both empty if all is right. May raise `FormError`."""
        try:
            return self._judge(answer)
        except FormError:
            raise
        except (ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError) as error:
            # Lists that are nested too deeply, an int of 4301 digits, or what the answer's own methods raise.
            reason = str(error).rstrip(".") or type(error).__name__
            raise FormError(f"{self._subject()} cannot be read: {reason}.") from error

    def _judge(self, answer):
        given = self._values(answer)
        if self.secret == b"":
            return [], ""
        wrong = [place for place in self.right if not self._holds(given[place], place)]
        if not wrong:
            return [], ""
        if self._is_list() and all(any(self._holds(given[i], j) for i in wrong) for j in wrong):
            return [f"{self._subject()} has the right numbers in another order."], ""
        hint = (
            text
            for hashes, text in self.hints
            if all(self._holds(given[place], place, hashes) for place in hashes)
        )
        return [self._sentence(place, given[place]) for place in wrong], next(hint, "")

    def _subject(self):
        return self.call or "The answer"

    def _is_list(self):
        return [*self.right] == [str(number) for number in range(len(self.right))]

    def _values(self, answer):
        """The values of an answer at the places that are asked for."""
        problem = _unreadable(answer)
        given = {} if problem else _elements(answer)
        while len(given) == len(self.right) == 1 and given.keys() != self.right.keys():
            inner = _elements(*given.values())  # [12] for 12
            given = dict(zip(self.right, inner.values(), strict=True)) if "" in inner else inner
        if problem or given.keys() != self.right.keys():
            raise FormError(f"{self._subject()} {problem or self._asked(len(given))}.")
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

    def _holds(self, value, place, hashes=None):
        """Whether the hash of a value is the expected one; a number with decimals may be off by one of the last."""
        rounded = [_rounded(value, self.decimals)]
        if isinstance(value, str):
            with suppress(ValueError, ArithmeticError):
                rounded.append(_rounded(_fraction(value), self.decimals))  # "6/7" is a number, too
        near = [n + step for n in rounded if type(n) is int and self.decimals for step in (-1, 1)]
        return self._found([*rounded, *near], place, self.right if hashes is None else hashes)

    def _found(self, rounded, place, hashes):
        """Whether one of several rounded values has the expected hash."""
        return any(hash_of(self.secret, self.salt, place, n) == hashes[place] for n in rounded)

    def _sentence(self, place, value):
        """What is wrong with one value."""
        noun = "answer" if isinstance(value, (bool, np.bool_)) else "number"
        what, said = self._what(place, noun), shown(value)
        if type(value) is int and value in (0, 1) and self._holds(bool(value), place):
            return f"{what} is right as a truth value: write {bool(value)}, not {said}."
        with suppress(ValueError, TypeError, ArithmeticError):
            number = _fraction(value)
            if 1 < number <= 100 and self._holds(number / 100, place):
                return f"{what} is right in percent: give it as a number between 0 and 1."
            digits = -int(Decimal(str(value)).as_tuple().exponent)
            units = 10 ** (self.decimals - digits)
            if digits > 0 and 1 < units <= FEW:  # rounded to so few digits, or cut off after them
                middle = _rounded(abs(number), self.decimals)
                near = range(middle - units // 2, middle + units)
                if self._found([n if number > 0 else -n for n in near], place, self.right):
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


def hash_of(secret, *parts):
    """A hash of some words. With a secret key nobody without it can compute the hash."""
    message = "|".join(map(str, parts)).encode()
    whole = hmac.new(secret, message, sha256) if secret else sha256(message)
    return whole.hexdigest()[:16]


def hashes_of(secret, salt, answer, decimals):
    """The hashes of an answer by the places of its values; None for a value that is None."""
    return {
        place: None if value is None else hash_of(secret, salt, place, _rounded(value, decimals))
        for place, value in _elements(answer).items()
    }


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


def _elements(answer):
    """The single values of an answer by their places: {"": 3} for 3, {"0": 1, "1": 2} for [1, 2]."""
    if isinstance(answer, pd.DataFrame):
        answer = answer.stack()
    if isinstance(answer, (Mapping, pd.Series)):
        return {_place(key): value for key, value in answer.items()}
    if isinstance(answer, MappingView):
        answer = list(answer)
    many = isinstance(answer, Sequence) or hasattr(answer, "__array__")
    if many and not isinstance(answer, (str, bytes)):
        array = np.asarray(answer, dtype=object)
        if array.ndim == 0:
            return {"": array.item()}
        return {
            _place(index if array.ndim > 1 else index[0]): value
            for index, value in np.ndenumerate(array)
        }
    return {"": answer}


def _place(key):
    """A place: "3" for 3 and for numpy's 3, "(1, 2)" for a pair."""
    return str(tuple(map(_plain, key))) if isinstance(key, tuple) else str(_plain(key))


def _plain(key):
    return key.item() if isinstance(key, np.generic) else key
