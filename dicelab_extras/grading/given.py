"""Answers that people give, as single values by their places: "" for a number, "0", "1" for those of a list.

Those of a table have places as "(0, 1)", and those of a dict its keys. A function is called, with limits of time.
"""

from collections.abc import Iterator, Mapping, MappingView, Sequence, Set
from fractions import Fraction

import numpy as np
import pandas as pd

from dicelab._exact import ExactValue
from dicelab._validation import short_repr

from .time_limit import TimeUp, call_within

__all__ = ["SECONDS", "FormError", "call_in_words", "results_of", "shown", "values_of"]

LONGEST = 60  # characters of a call that is shown
SECONDS = 20.0  # that a function may take for one call
UNREADABLE = [  # what has no numbers to compare, or no order
    (
        lambda answer: answer is None or answer is ...,
        "is {}: there is no result yet, or a return is missing",
    ),
    (
        lambda answer: isinstance(answer, Set) and not isinstance(answer, MappingView),
        "is a set, and a set has no order: give a list",
    ),
    (
        lambda answer: isinstance(answer, Iterator),
        "is an iterator: give a list, as list(…) makes it",
    ),
    (callable, "is a function: call it, and give what it returns"),
    (
        lambda answer: isinstance(answer, complex),
        "is a complex number, and a real one is asked for",
    ),
]


class FormError(ValueError):
    """An answer has another form than the one that is asked for; the message is a sentence for the reader."""


def results_of(calls, answer, seconds=SECONDS):
    """The values of an answer by their places, a list with one dict; of a function, what it returns in each call.

    Raises
    ------
    FormError
        If it is a function where none is asked for, or the other way round; or if it raises an error, or does not end.
    """
    if not calls:
        return [values_of(answer)]
    if not callable(answer):
        raise FormError(
            f"The answer is a function: give its name without parentheses, not {shown(answer)}."
        )
    said = [
        call_in_words(calls, number, getattr(answer, "__name__", ""))
        for number in range(len(calls))
    ]
    pairs = zip(calls, said, strict=True)
    return [values_of(_called(answer, each, call, seconds), call) for each, call in pairs]


def call_in_words(calls, number, name):
    """A call of a reader's function, in words."""
    name = name if name.isidentifier() else "your function"
    call = f"{name}({', '.join(map(short_repr, calls[number]))})"
    return call if len(call) <= LONGEST else f"{name}(…) in call {number + 1} of {len(calls)}"


def _called(function, arguments, call, seconds):
    """What a reader's function returns. FormError if it raises an error, or takes too long."""
    try:
        return call_within(seconds, function, *arguments)
    except TimeUp:
        raise FormError(
            f"{call} had not ended after {seconds:g} second{'s' * (seconds != 1)}, and was stopped. "
            f"Is there a loop that never ends? For more time, add seconds={10 * seconds:g}."
        ) from None
    except Exception as error:
        raise FormError(f"{call} raises {type(error).__name__}: {error}.") from error


def values_of(answer, subject="The answer"):
    """The single values of an answer by their places: {"": 3} for 3, {"0": 1, "1": 2} for [1, 2].

    Raises
    ------
    FormError
        If it cannot be read, with a sentence about the `subject`.
    """
    problem = next((said for is_one, said in UNREADABLE if is_one(answer)), "")
    try:
        if not problem:
            return {_place(key): _plain(value) for key, value in _pairs(answer)}
    except (ArithmeticError, MemoryError, RuntimeError, TypeError, ValueError) as error:
        # Lists that are nested too deeply, or what the answer's own methods raise.
        reason = str(error).rstrip(".") or type(error).__name__
        problem = "cannot be read: " + reason.replace("{", "{{").replace("}", "}}")
    raise FormError(f"{subject} {problem.format(answer)}.")


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
    return [
        (index[0] if len(index) == 1 else index or "", value)
        for index, value in np.ndenumerate(array)
    ]


def _place(key):
    """A place: "3" for 3 and for numpy's 3, "(1, 2)" for a pair."""
    return str(tuple(map(_plain, key))) if isinstance(key, tuple) else str(_plain(key))


def _plain(key):
    return key.item() if isinstance(key, np.generic) else key


def shown(value):
    """A value as a reader writes it."""
    value = _plain(value)
    if isinstance(value, Fraction):
        return str(ExactValue(value))
    return f"{value:.10g}" if isinstance(value, float) else short_repr(value)
