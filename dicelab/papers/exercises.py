"""Answers to the exercises of the course, checked without being shown.

The answers are kept as hashes in ``data/course``, one file for each lecture and one hash for each number of an answer.
A reader learns whether an answer is right, and where it is not, but cannot read the right answer in the file.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from numbers import Real
from typing import Any

import numpy as np
import pandas as pd

from .._files import atomic_write
from .._validation import check_int, invalid, short_repr
from .published import DATA

__all__ = ["CheckedAnswer", "check", "write_answer"]

FOLDER = DATA / "course"
SHOWN = 3  # wrong places that are named


@dataclass(frozen=True)
class CheckedAnswer:
    """Whether an answer to an exercise is right. It counts as true if it is.

    Attributes
    ----------
    exercise : str
    wrong : tuple of str
        The places at which the answer is wrong. Empty if the answer is right.
    """

    exercise: str
    wrong: tuple[str, ...]

    def __bool__(self) -> bool:
        return not self.wrong

    def __repr__(self) -> str:
        if self:
            return f"Exercise {self.exercise}: right."
        shown = "; ".join(self.wrong[:SHOWN])
        more = f"; and in {len(self.wrong) - SHOWN} more places" if len(self.wrong) > SHOWN else ""
        return f"Exercise {self.exercise}: not right: {shown}{more}."


def check(exercise: str, answer: Any) -> CheckedAnswer:
    """Check your answer to an exercise of the lectures, as ``dl.check("4.2", answer)``.

    Parameters
    ----------
    exercise : str
        Its number: "3.2" for exercise 2 of lecture 3, or "3.h1" for the first question of its homework.
    answer : number, str, bool, or a list, dict, array, Series or DataFrame of these, or a function
        The exercise says which. A function is called with arguments that the exercise has chosen. Numbers have to be
        right to the decimals that the exercise names, six if it names none. A fraction may be given as a Fraction, or
        as a text, "6/7".

    Returns
    -------
    CheckedAnswer
        Right, or the places at which the answer is wrong. The right answer is not shown.

    Raises
    ------
    ValueError
        If there is no such exercise.

    Examples
    --------
    >>> import dicelab as dl
    >>> dl.check("1.1", 11)
    Exercise 1.1: not right: the answer.
    """
    keys = _read(_lecture(exercise))
    if not isinstance(exercise, str) or exercise not in keys:
        known = (
            f"one of {', '.join(map(repr, keys))}"
            if keys
            else 'an exercise of a lecture, for example "3.2"'
        )
        raise invalid("exercise", exercise, known, kinds=str)
    key = keys[exercise]
    if key["calls"] is None:
        wrong = _wrong_places(answer, key["answers"][0], exercise, key["decimals"])
    elif not callable(answer):
        wrong = [f"the answer is a function, not {short_repr(answer)}"]
    else:
        wrong = []
        for number, (arguments, expected) in enumerate(
            zip(key["calls"], key["answers"], strict=True)
        ):
            call = f"{getattr(answer, '__name__', 'your function')}({', '.join(map(short_repr, arguments))})"
            try:
                given = answer(*arguments)
            except Exception as error:  # whatever the reader's function raises is told
                wrong.append(f"{call} raises {type(error).__name__}: {error}")
            else:
                wrong += _wrong_places(
                    given, expected, f"{exercise} {number}", key["decimals"], call
                )
    return CheckedAnswer(exercise, tuple(wrong))


def write_answer(exercise, answer, calls=None, decimals=6):
    """Write the hashes of a right answer, for :func:`check`. For those who write exercises.

    Parameters
    ----------
    exercise : str
        "3.2" or "3.h1"; the part before the point is the lecture, and names the file.
    answer : as in `check`
    calls : sequence of lists, optional
        For a function: the arguments of each call, which can be written as JSON.
    decimals : int
        Numbers that differ by at most one unit of the last decimal are right; with 0 decimals, the whole number alone.
    """
    answers = [answer] if calls is None else [answer(*arguments) for arguments in calls]
    decimals = check_int(decimals, "decimals", 0)
    hashed = [
        {
            name: _hash(
                exercise if calls is None else f"{exercise} {number}",
                name,
                _rounded(value, decimals),
            )
            for name, value in _elements(each).items()
        }
        for number, each in enumerate(answers)
    ]
    keys = _read(_lecture(exercise)) | {
        exercise: {"decimals": decimals, "calls": calls, "answers": hashed}
    }
    FOLDER.mkdir(exist_ok=True)
    with atomic_write(FOLDER / f"{_lecture(exercise)}.json") as part:
        part.write_text(json.dumps(dict(sorted(keys.items())), indent=1) + "\n", encoding="utf-8")


def _lecture(exercise):
    """The file of an exercise: "03" for "3.2"."""
    return str(exercise).partition(".")[0].zfill(2)


def _read(lecture):
    """The keys of a lecture by exercise; none if there is no such lecture."""
    file = FOLDER / f"{lecture}.json"
    return (
        json.loads(file.read_text(encoding="utf-8")) if lecture.isdigit() and file.is_file() else {}
    )


def _wrong_places(answer, expected, salt, decimals, call=""):
    """Where an answer differs from what is expected: places, in words."""
    given = _elements(answer)
    shared = [name for name in expected if name in given]
    return [
        *(
            _named(name, call)
            for name in shared
            if not _equal(given[name], expected[name], salt, name, decimals)
        ),
        *(f"{_named(name, call)} is missing" for name in expected if name not in given),
        *(
            f"{_named(name, call)} does not belong to the answer"
            for name in given
            if name not in expected
        ),
    ]


def _named(name, call):
    """A place of an answer in words: "at 3", "f(2) at 3", or "the answer" if it has one place."""
    return (
        " at ".join(filter(None, [call, name]))
        if call
        else (f"at {name}" if name else "the answer")
    )


def _equal(value, expected, salt, name, decimals):
    """Whether the hash of a value is the expected one; a number with decimals may be off by one unit of the last."""
    rounded = [_rounded(value, decimals)]
    if isinstance(value, str):
        with suppress(ValueError, ZeroDivisionError):
            rounded.append(_rounded(Fraction(value), decimals))  # "6/7" is a number, too
    near = [each + step for each in rounded if type(each) is int and decimals for step in (-1, 1)]
    return expected in {_hash(salt, name, each) for each in rounded + near}


def _hash(salt, name, rounded):
    return sha256(f"{salt}|{name}|{rounded}".encode()).hexdigest()[:16]


def _rounded(value, decimals):
    """A number as a whole number of units of the last decimal; a truth value or a text as text."""
    value = _plain(value)
    if isinstance(value, (Real, Decimal)) and not isinstance(value, bool):
        with suppress(ValueError, OverflowError):  # nan and infinity stay what they are
            return round(Fraction(value) * 10**decimals)
    return str(value).strip().lower()


def _elements(answer):
    """The single values of an answer by their places: {"": 3} for 3, {"0": 1, "1": 2} for [1, 2]."""
    if isinstance(answer, pd.DataFrame):
        answer = answer.stack()
    if isinstance(answer, (Mapping, pd.Series)):
        return {_key(key): value for key, value in answer.items()}
    if isinstance(answer, (list, tuple, np.ndarray)):
        array = np.asarray(answer, dtype=object)
        return {
            _key(index if array.ndim > 1 else index[0]): value
            for index, value in np.ndenumerate(array)
        }
    return {"": answer}


def _key(key):
    """The name of a place: "3" for 3 and for numpy's 3, "(1, 2)" for a pair."""
    return str(tuple(map(_plain, key))) if isinstance(key, tuple) else str(_plain(key))


def _plain(key):
    return key.item() if isinstance(key, np.generic) else key
