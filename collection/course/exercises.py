"""The exercises of the course as functions of the rules: the right answer, wrong answers to expect, and `check`.

They stand in ``notebooks/lectures/answers``, a file for each chapter::

    @exercise("1.5", "the best number of rolls", wrong={"That is 1/p₀, rounded.": lambda die: round(1 / die[0])})
    def best_number_of_rolls(*, die=coin("3/20")):
        return floor(1 / die[0])

After the star come the rules on which the answer depends; their defaults are the lecture's. Before it comes what a
function that is asked for is called with, and `calls` has the arguments of each call. A wrong answer is a function of
the same arguments; None in a list of it stands for any number, and None alone says that this slip does not show.

A file has in `VARIES` the values that its rules may take, beside those of `SHARED`. So a class can be dealt rules of
their own, and everybody has answers of their own. A teacher's own questions are such a file, too.
"""

import hmac
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cache, partial
from inspect import signature
from itertools import combinations_with_replacement
from random import Random
from runpy import run_path
from typing import Any

from dicelab._validation import check_fraction, check_type, did_you_mean, invalid
from dicelab_extras.grading.given import (
    SECONDS,
    FormError,
    call_in_words,
    results_of,
    values_of,
)
from dicelab_extras.learning.checks import check_real

from ..slides import LECTURES
from .judging import AnswerKey

__all__ = [
    "PIG",
    "SHARED",
    "CheckedAnswer",
    "Exercise",
    "all_exercises",
    "check",
    "coin",
    "compare",
    "exercise",
    "faces",
    "find",
    "judge",
    "read_rules",
    "rules_of",
]

ANSWERS = LECTURES / "answers"
SHOWN = 3  # wrong numbers that are named
LARGEST_FACE = 12  # of a die of one's own


def faces(*numbers):
    """The probabilities of the faces 0, 1, 2, … of a die that shows these numbers equally often; 0 is a bust."""
    return [Fraction(numbers.count(face), len(numbers)) for face in range(max(numbers) + 1)]


def coin(bust):
    """The probabilities of a coin: tails is a bust, and heads scores 1 point."""
    return [Fraction(bust), 1 - Fraction(bust)]


PIG = faces(0, 2, 3, 4, 5, 6)
SHARED = {  # what rules may be in all chapters: the values that are dealt, all equally hard
    "die": [
        faces(0, *five)
        for five in combinations_with_replacement(range(1, 8), 5)
        if 17 <= sum(five) <= 23 and len(set(five)) >= 4 and five != (2, 3, 4, 5, 6)
    ],
    "target": range(30, 50),  # of races for a computer
    "house": ["exact", "equal turns", "last licks"],  # how a race ends, in the project
}


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """An exercise that has a number, a text or a function as its answer.

    Attributes
    ----------
    number : str
        "3.2" for exercise 2 of chapter 3, "3.h1" for the first question of its homework, "3.x1" of its examination.
    answer : function
        Of what a function that is asked for is called with, and of the rules, which are keywords.
    places : tuple of str
        What each number of the answer is, as "the probability to win"; of a table, what each column is.
    decimals : int
        Numbers that differ by at most one unit of the last decimal are right; with 0 decimals, the whole number alone.
    calls : sequence of lists
        For a function that is asked for, the arguments of each call.
    wrong : dict of str to function
        Wrong answers to expect, by what is said to them.
    rubric : dict of str to int
        Of a question of an examination: what is expected, and its points.
    """

    number: str
    answer: Any
    places: tuple[str, ...] = ()
    decimals: int = 6
    calls: tuple[list[Any], ...] = ()
    wrong: dict[str, Any] = field(default_factory=dict)
    rubric: dict[str, int] = field(default_factory=dict)

    def __call__(self, *arguments, **rules):
        """The answer, as if this were the function alone."""
        return self.answer(*arguments, **rules)

    @property
    def own_rules(self):
        """The lecture's own rules on which the answer depends, by name."""
        parameters = signature(self.answer).parameters.values()
        return {each.name: each.default for each in parameters if each.kind is each.KEYWORD_ONLY}

    def answer_keys(self, **rules):
        """What an answer, or what a function returns in each of its calls, is compared with; a list of AnswerKey."""
        rules = self.own_rules | {name: rules[name] for name in self.own_rules if name in rules}
        return [
            AnswerKey(
                right=values_of(self.answer(*arguments, **rules)),
                slips=partial(self._slips, arguments, rules),
                decimals=self.decimals,
                places=self.places,
            )
            for arguments in self.calls or [[]]
        ]

    def _slips(self, arguments, rules):
        """The wrong answers that show under these rules, by their places, each with its hint."""
        made = [(slip(*arguments, **rules), hint) for hint, slip in self.wrong.items()]
        return [(values_of(slip), hint) for slip, hint in made if slip is not None]


def exercise(number, *places, **options):
    """Make an `Exercise` of the function below it."""
    return lambda function: Exercise(number=number, answer=function, places=places, **options)


@cache
def all_exercises(*files):
    """The exercises of the course and of files of one's own, by number; and the values that their rules may take.

    Raises
    ------
    ValueError
        If two files have different values for one rule.
    """
    found, varies = {}, dict(SHARED)
    for file in (*sorted(ANSWERS.glob("chapter_*.py")), *files):
        module = run_path(str(file))
        named = [*module.values(), *module.get("EXERCISES", [])]
        found |= {each.number: each for each in named if isinstance(each, Exercise)}
        for name, values in module.get("VARIES", {}).items():
            if varies.setdefault(name, values) != values:
                raise invalid("VARIES", name, f"another name than {', '.join(varies)}")
    return found, varies


def find(number):
    """An exercise of the course.

    Raises
    ------
    ValueError
        If there is no such exercise.
    """
    known, _ = all_exercises()
    if not isinstance(number, str) or number not in known:
        chapter = str(number).partition(".")[0]
        near = [repr(each) for each in known if each.partition(".")[0] == chapter]
        allowed = (
            f"one of {', '.join(near)}" if near else 'an exercise of a chapter, for example "3.2"'
        )
        raise invalid("exercise", number, allowed, kinds=str)
    return known[number]


def read_rules(rules, *files):
    """Rules of one's own, a dict: a die as a list of Fractions, and all else as one of the values that there are.

    Parameters
    ----------
    rules : dict
    *files : paths
        Of exercises of one's own.

    Raises
    ------
    ValueError
        If no exercise has such a rule, or it may not have this value.
    """
    _, known = all_exercises(*files)
    for name in rules:
        if name not in known:
            allowed = f"one of {', '.join(map(repr, known))}" + did_you_mean(str(name), known)
            raise invalid("rules", name, allowed)
    return {name: _read(name, value, known[name]) for name, value in rules.items()}


def rules_of(student, key, *files):
    """The rules of a student, a dict by name: drawn from what the rules may be, each value with equal probability.

    Parameters
    ----------
    student : str
        The number of a student, or a name.
    key : bytes
        Of the teacher, as `collection.classes.read_key` reads it. Nobody without it knows what somebody else is dealt.
    *files : paths
        Of exercises of one's own.
    """
    return {
        name: Random(hmac.digest(key, f"{student}|{name}".encode(), "sha256")).choice(values)
        for name, values in all_exercises(*files)[1].items()
    }


def _read(name, value, known):
    """The value of a rule."""
    if name == "die":
        allowed = (
            f"the probabilities of the faces 0 (a bust), 1, …, {LARGEST_FACE} at most, with the sum 1, "
            'as [Fraction(1, 6), 0, …] or ["1/6", 0, …]'
        )
        items = check_type(value, f"rules['{name}']", (list, tuple), allowed)
        die = [check_fraction(each, f"rules['{name}']", allowed) for each in items]
        if not (sum(die) == 1 and min(die) >= 0 < die[0] < 1 and len(die) <= LARGEST_FACE + 1):
            raise invalid(f"rules['{name}']", value, allowed)
        return die
    allowed = {str(each): each for each in known}
    if str(value) not in allowed:
        raise invalid(f"rules['{name}']", value, f"one of {', '.join(allowed)}")
    return allowed[str(value)]


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
    rules : tuple of str
        The rules of one's own on which the answer depends.
    sealed : bool
        The form alone was looked at.
    """

    exercise: str
    wrong: tuple[str, ...] = ()
    hint: str = ""
    rules: tuple[str, ...] = ()
    sealed: bool = False

    def __bool__(self) -> bool:
        return not self.wrong and not self.sealed

    def __repr__(self) -> str:
        yours = f" with your {', '.join(self.rules)}" if self.rules else ""
        about = f"Exercise {self.exercise}{yours}:"
        if self:
            return f"{about} right."
        if not self.wrong:
            return (
                f"{about} the answer has the form that is asked for. Whether it is right, your teacher sees. "
                f"Try what you did on the lecture's own rules: check({self.exercise!r}, …) without rules."
            )
        more = len(self.wrong) - SHOWN
        said = [
            *self.wrong[:SHOWN],
            *([f"And so in {more} more place{'s' * (more > 1)}."] if more > 0 else []),
            *([self.hint] if self.hint else []),
        ]
        return f"{about} not right. {' '.join(said)}"


def check(
    exercise: str, answer: Any, *, rules: Any = None, seconds: float = SECONDS
) -> CheckedAnswer:
    """Check your answer to an exercise of the course, as ``check("4.2", answer)``.

    Parameters
    ----------
    exercise : str
        Its number: "3.2" for exercise 2 of chapter 3, or "3.h1" for the first question of its homework.
    answer : number, str, bool, or a list, dict, array, Series or DataFrame of these, or a function
        The exercise says which. A function is called with arguments that the exercise has chosen. Numbers have to be
        right to the decimals that the exercise names, six if it names none. A fraction may be given as a Fraction, or
        as a text, "6/7". A list of one number counts as the number.
    rules : list or dict, optional
        Rules of your own in place of the lecture's: a die, as the probabilities of its faces 0, 1, 2, …; or by name,
        ``{"die": …, "target": 40}``, as a teacher deals them. If they say ``"sealed": True``, homework is not
        compared, and only its form is looked at.
    seconds : float, default 20
        The time that a function has for each call; then it is stopped. Compiled code, as a numba kernel or ``sum`` of
        an endless iterator, stops only when it returns. If it never does, restart the kernel of the notebook. On
        Windows, and outside the main thread, nothing is stopped: interrupt the kernel.

    Returns
    -------
    CheckedAnswer
        Right, or what is wrong, with a hint if a teacher has expected this wrong answer. The right answer is not
        shown.

    Raises
    ------
    ValueError
        If there is no such exercise, or no such rule.

    Examples
    --------
    >>> check("1.1", 11)
    Exercise 1.1: not right. The turn total is not 11.
    >>> check("1.1", 18, rules=["1/6", 0, "1/6", "1/6", 0, "2/6", "1/6"])
    Exercise 1.1 with your die: not right. The turn total is not 18.
    """
    asked = find(exercise)
    seconds = check_real(seconds, "seconds", 0, 1e6, above=True)
    given = dict(rules) if isinstance(rules, dict) else {} if rules is None else {"die": rules}
    sealed = bool(given.pop("sealed", False)) and ".h" in exercise
    return judge(asked, answer, read_rules(given), seconds, sealed)


def judge(asked, answer, rules, seconds=SECONDS, sealed=False):
    """Compare an answer to an exercise under rules as `read_rules` gives them; a `CheckedAnswer`."""
    try:
        given = results_of(asked.calls, answer, seconds)
    except FormError as problem:
        given = str(problem)
    return compare(asked, given, rules, sealed, getattr(answer, "__name__", ""))


def compare(asked, given, rules, sealed=False, name=""):
    """Compare what `results_of` has given, or said, with an exercise; a `CheckedAnswer`."""
    wrong, hints = [], {}
    try:
        if isinstance(given, str):
            raise FormError(given)
        for number, key in enumerate(asked.answer_keys(**rules)):
            call = call_in_words(asked.calls, number, name) if asked.calls else ""
            problems, said = replace(key, call=call).judge(given[number], sealed)
            wrong += problems
            hints |= dict.fromkeys(said)
    except FormError as problem:  # other calls would show it, too
        wrong.append(str(problem))
    own = [name for name in asked.own_rules if name in rules]
    if wrong and own and compare(asked, given, {}, name=name):
        hints["That is right with the lecture's rules: take yours."] = None
    wrong = [f"Y{said[1:]}" if said.startswith("your function") else said for said in wrong]
    return CheckedAnswer(
        exercise=asked.number,
        wrong=tuple(wrong),
        hint=" ".join(hints),
        rules=tuple(own),
        sealed=sealed,
    )
