"""Answers to the exercises of the course: right, or what is wrong with them, without the right answer being shown.

The answers are kept as hashes in ``data/course``, one file for each chapter and one hash for each number of an answer.
Beside them are the names of the numbers, and hashes of the wrong answers that teachers expect, each with a hint. So
nobody reads an answer by accident, but it is not a secret: a program that tries one number after the other finds the
right one within minutes. An answer that has to be secret is hashed with a key that the teacher keeps in a file outside
the repository. Without that file `check` looks at the form of an answer only.
"""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dicelab._files import atomic_write
from dicelab._validation import check_bool, check_int, invalid, short_repr
from dicelab_extras.grading.time_limit import TimeUp, call_within
from dicelab_extras.learning.checks import check_real

from ..papers.published import DATA, ROOT
from .answer_keys import AnswerKey, FormError, hash_of, hashes_of, shown

__all__ = ["CheckedAnswer", "check", "write_answer"]

FOLDER = DATA / "course"
KEY_FILE = "DICELAB_KEY_FILE"  # the environment variable that names the file with the teacher's key
LEAST_KEY = 32  # characters of the key
SHOWN = 3  # wrong numbers that are named
LONGEST = 60  # characters of a call that is shown
SECONDS = 20.0  # that a function may take for one call


@dataclass(frozen=True, kw_only=True)
class CheckedAnswer:
    """Whether an answer to an exercise is right. It counts as true if it is.

    Attributes
    ----------
    exercise : str
    wrong : tuple of str
        What is wrong, a sentence for each number. Empty if the answer is right.
    hint : str
        What a teacher says to this wrong answer. Empty if nobody has expected it.
    secret : bool
        The numbers were not compared, because that needs the teacher's key.
    """

    exercise: str
    wrong: tuple[str, ...] = ()
    hint: str = ""
    secret: bool = False

    def __bool__(self) -> bool:
        return not self.wrong and not self.secret

    def __repr__(self) -> str:
        if self:
            return f"Exercise {self.exercise}: right."
        if not self.wrong:
            return (
                f"Exercise {self.exercise}: the answer has the form that is asked for. "
                "Whether it is right, your teacher's key decides."
            )
        more = len(self.wrong) - SHOWN
        said = [
            *self.wrong[:SHOWN],
            *([f"And so in {more} more place{'s' * (more > 1)}."] if more > 0 else []),
            *([self.hint] if self.hint else []),
        ]
        return f"Exercise {self.exercise}: not right. {' '.join(said)}"


def check(exercise: str, answer: Any, *, seconds: float = SECONDS) -> CheckedAnswer:
    """Check your answer to an exercise of the course, as ``check("4.2", answer)``.

    Parameters
    ----------
    exercise : str
        Its number: "3.2" for exercise 2 of chapter 3, or "3.h1" for the first question of its homework.
    answer : number, str, bool, or a list, dict, array, Series or DataFrame of these, or a function
        The exercise says which. A function is called with arguments that the exercise has chosen. Numbers have to be
        right to the decimals that the exercise names, six if it names none. A fraction may be given as a Fraction, or
        as a text, "6/7". A list of one number counts as the number.
    seconds : float, default 20
        The time that a function has for each call; then it is stopped. Compiled code, as a numba kernel or ``sum`` of
        an endless iterator, stops only when it returns. If it never does, restart the kernel of the notebook. On
        Windows, and outside the main thread, nothing is stopped: interrupt the kernel.

    Returns
    -------
    CheckedAnswer
        Right, or what is wrong, with a hint if a teacher has expected this wrong answer. The right answer is not
        shown. The numbers of homework under a teacher's key are compared only where the environment variable
        DICELAB_KEY_FILE names the file with that key.

    Raises
    ------
    ValueError
        If there is no such exercise, or the file has another key than the one of the homework.

    Examples
    --------
    >>> check("1.1", 11)
    Exercise 1.1: not right. The turn total is not 11.
    """
    entries = read_entries(_chapter(exercise))
    if not isinstance(exercise, str) or exercise not in entries:
        known = (
            f"one of {', '.join(map(repr, entries))}"
            if entries
            else 'an exercise of a chapter, for example "3.2"'
        )
        raise invalid("exercise", exercise, known, kinds=str)
    entry = entries[exercise]
    seconds = check_real(seconds, "seconds", 0, 1e6, above=True)
    secret = _secret(entry, exercise)
    wrong: list[str] = []
    hint = ""
    try:
        if entry["calls"] is not None and not callable(answer):
            raise FormError(
                f"The answer is a function: give its name without parentheses, not {shown(answer)}."
            )
        for number, arguments in enumerate(entry["calls"] or [[]]):
            key = _answer_key(entry, exercise, number, secret, getattr(answer, "__name__", ""))
            given = _called(answer, arguments, key.call, seconds) if key.call else answer
            problems, said = key.judge(given)
            wrong, hint = wrong + problems, hint or said
    except FormError as problem:  # other calls would show it, too
        wrong.append(str(problem))
    wrong = [f"Y{said[1:]}" if said.startswith("your function") else said for said in wrong]
    return CheckedAnswer(exercise=exercise, wrong=tuple(wrong), hint=hint, secret=secret == b"")


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


def write_answer(exercise, answer, calls=None, decimals=6, *, places=(), hints=(), secret=False):
    """Write the hashes of a right answer, for :func:`check`. For those who write exercises.

    Parameters
    ----------
    exercise : str
        "3.2" or "3.h1"; the part before the point is the chapter, and names the file in ``data/course``.
    answer : as in `check`
    calls : sequence of lists, optional
        For a function: the arguments of each call, which can be written as JSON.
    decimals : int
        Numbers that differ by at most one unit of the last decimal are right; with 0 decimals, the whole number alone.
    places : sequence of str
        What each number of the answer is, as "the probability to win"; of a table, what each column is.
    hints : sequence of (answer, str)
        Wrong answers that you expect, of the same form, and what `check` says to each of them. None in a list stands
        for any number.
    secret : bool
        Hash with the key in the file that the environment variable DICELAB_KEY_FILE names. Without that file nobody can
        check the answer, or find it by trying.

    Raises
    ------
    ValueError
        If an argument is not as described, or a wrong answer is right.
    """
    entry = {"decimals": check_int(decimals, "decimals", 0), "calls": calls, "answers": []}
    key = _key_in_file() if check_bool(secret, "secret") else None
    if secret:
        entry["secret"] = hash_of(key, "the key")
    if places:
        entry["places"] = list(places)

    def results(each):
        """The number of each call, and what is returned."""
        return enumerate([each] if calls is None else [each(*arguments) for arguments in calls])

    entry["answers"] = [
        _hashes(entry, exercise, key, number, right) for number, right in results(answer)
    ]
    told = [(number, wrong, hint) for each, hint in hints for number, wrong in results(each)]
    write_entries(_chapter(exercise), {exercise: with_hints(exercise, entry, told, key)})


def with_hints(exercise, entry, hints, key=None):
    """An entry with its hints: each is the number of a call (0 without one), a wrong answer, and what is said to it.

    Where a wrong function returns a right number, nothing is said. ValueError if no number of a hint is wrong.
    """
    told = []
    for number, answer, hint in hints:
        hashes = _hashes(entry, exercise, key, number, answer)
        right = entry["answers"][number]
        if hashes.keys() != right.keys():
            raise invalid(f"hints of {exercise}", answer, "answers of the form of the right one")
        hashes = {place: each for place, each in hashes.items() if each}
        if not hashes.items() <= right.items():
            told.append({"call": number, "answer": hashes, "hint": hint})
    if {hint for _, _, hint in hints} != {each["hint"] for each in told}:
        raise invalid(
            f"hints of {exercise}", [answer for _, answer, _ in hints], "answers that are wrong"
        )
    return {name: value for name, value in entry.items() if name != "hints"} | (
        {"hints": told} if told else {}
    )


def write_entries(chapter, entries):
    """Write entries of exercises into the file of a chapter, "03"; the others stay as they are."""
    FOLDER.mkdir(exist_ok=True)
    with atomic_write(FOLDER / f"{chapter}.json") as part:
        new = dict(sorted((read_entries(chapter) | entries).items()))
        part.write_text(json.dumps(new, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def read_entries(chapter):
    """The entries of a chapter by exercise; none if there is no such chapter."""
    file = FOLDER / f"{chapter}.json"
    return (
        json.loads(file.read_text(encoding="utf-8")) if chapter.isdigit() and file.is_file() else {}
    )


def _chapter(exercise):
    """The file of an exercise: "03" for "3.2"."""
    return str(exercise).partition(".")[0].zfill(2)


def _key_in_file():
    """The teacher's secret key."""
    name = os.environ.get(KEY_FILE, "")
    file = Path(name).expanduser().resolve()
    if not name or not file.is_file():
        raise invalid(
            KEY_FILE, name, "the name of a file with your key, in this environment variable"
        )
    if file.is_relative_to(ROOT):
        raise invalid(
            KEY_FILE, name, f"a file outside {ROOT}, where nobody publishes it by accident"
        )
    key = file.read_bytes().strip()
    if len(key) < LEAST_KEY:
        raise invalid(KEY_FILE, name, f"a file with at least {LEAST_KEY} random characters")
    return key


def _secret(entry, exercise):
    """The key that an answer is hashed with: None if there is none, b"" if the teacher alone has it."""
    if "secret" not in entry or not os.environ.get(KEY_FILE):
        return b"" if "secret" in entry else None
    key = _key_in_file()
    if hash_of(key, "the key") != entry["secret"]:
        raise invalid(
            KEY_FILE, os.environ[KEY_FILE], f"the file with the key of exercise {exercise}"
        )
    return key


def _answer_key(entry, exercise, number, secret, function):
    """What an answer is compared with, or what a function returns in one of its calls."""
    calls, call = entry["calls"], ""
    if calls is not None:
        name = function if function.isidentifier() else "your function"
        call = f"{name}({', '.join(map(short_repr, calls[number]))})"
        call = call if len(call) <= LONGEST else f"{name}(…) in call {number + 1} of {len(calls)}"
    return AnswerKey(
        right=entry["answers"][number],
        salt=_salt(exercise, entry, number),
        decimals=entry["decimals"],
        secret=secret,
        call=call,
        places=entry.get("places", []),
        hints=[
            (each["answer"], each["hint"])
            for each in entry.get("hints", [])
            if each["call"] == number
        ],
    )


def _hashes(entry, exercise, key, number, answer):
    return hashes_of(key, _salt(exercise, entry, number), answer, entry["decimals"])


def _salt(exercise, entry, number):
    name = entry.get("salt", exercise)  # what it was called when it was hashed
    return name if entry["calls"] is None else f"{name} {number}"
