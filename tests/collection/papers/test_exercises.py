"""Answers to exercises: right, or wrong and where, under the lecture's rules or others."""

from decimal import Decimal
from fractions import Fraction

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

import collection
from collection.course.exercises import Exercise, all_exercises, judge, read_rules

OWN_DIE = ["1/6", 0, "1/6", "1/6", 0, "2/6", "1/6"]


def asks(answer, **options):
    """An exercise with this answer."""
    return Exercise(number="1.1", answer=lambda: answer, **options)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            lambda p, n: [0, 1 / 6] if n == 2 else 1 / 0,
            "Your function('1/2', 3) raises ZeroDivisionError: division by zero.",
        ),
        (lambda p, n: [0, 0, 1][:n], "Number 2 of your function('1/6', 2) is not 0."),
        (3, "The answer is a function: give its name without parentheses, not 3."),
        (lambda p, n: [float(Fraction(p)) * k for k in range(n)], ""),
    ],
)
def test_a_function(answer, said):
    asked = Exercise(
        number="1.4",
        answer=lambda p, n: [Fraction(p) * k for k in range(n)],
        calls=[["1/6", 2], ["1/2", 3]],
    )
    assert [*judge(asked, answer, {}).wrong, ""][0] == said


def test_each_expected_wrong_number_has_its_hint():
    wrong = {
        "At 18 one rolls again.": lambda: [Fraction(100, 6), None],
        "20 is for k.": lambda: [None, 20],
    }
    asked = asks([16.75, 43], wrong=wrong | {"Right under these rules.": lambda: [16.75, None]})
    assert judge(asked, [16.666667, 20], {}).hint == "At 18 one rolls again. 20 is for k."
    assert judge(asked, [16.75, 20], {}).hint == "20 is for k."
    assert judge(asked, [16.75, 42], {}).hint == ""


def test_rules_of_ones_own():
    own = {"die": OWN_DIE, "candidates": 7}
    assert repr(collection.check("1.1", 21, rules=own)) == "Exercise 1.1 with your die: right."
    assert collection.check("1.1", 21, rules=OWN_DIE) and not collection.check("1.1", 21)
    assert "right with the lecture's rules" in collection.check("1.1", 12, rules=OWN_DIE).hint
    assert collection.check("1.8", ["3", 0.4142857], rules=own).rules == ("candidates",)


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"dye": 1}, "'dye' is not allowed; give one of 'die', .*did you mean 'die'"),
        ({"candidates": 99}, r"rules\['candidates'\]: 99 is not allowed; give one of 5, 6"),
        ([0.5, 0.4], r"rules\['die'\]: .* with the sum 1"),
        ([0, 1], r"rules\['die'\]: .* with the sum 1"),
        ("1 2 3", r"rules\['die'\]: "),
    ],
)
def test_rules_that_are_refused(rules, said):
    with pytest.raises(ValueError, match=said):
        collection.check("1.1", 12, rules=rules)


def test_under_a_seal_the_form_alone_is_looked_at():
    sealed = {"die": OWN_DIE, "sealed": True}
    checked = collection.check("1.h1", [1, 2], rules=sealed)
    assert checked.sealed and not checked.wrong and not checked and "without rules" in repr(checked)
    assert collection.check("1.h1", 1, rules=sealed).wrong == (
        "The answer is to be a list of 2 numbers: the critical threshold; the value of a turn.",
    )
    assert collection.check("1.h1", [1, 2]).wrong and collection.check("1.1", 1, rules=sealed).wrong


def test_a_rule_has_one_meaning_in_all_files(tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(
        "from collection.course.exercises import exercise\nVARIES = {'height': [1, 2]}\n"
        "@exercise('mine.1')\ndef twice(*, height=1):\n    return 2 * height\n"
    )
    found, _ = all_exercises(file)
    assert judge(found["mine.1"], 4, read_rules({"height": 2}, file))
    file.with_name("other.py").write_text("VARIES = {'candidates': [1]}")
    with pytest.raises(ValueError, match="'candidates' is not allowed; give another name"):
        all_exercises(file.with_name("other.py"))


MEAN = Fraction(492303203, 6**10)  # 8.14179489
TWELVE_SEVENTHS = 12 / 7, "12/7", " 24/14 ", "1.714286", Decimal("1.714286"), np.float32(12 / 7)
VALUES = [  # the right answer, to how many decimals, answers that are right, and wrong ones
    (MEAN, 6, [MEAN, 8.141794894, np.float64(8.1417945)], [8.1418, 8, None, np.nan, np.inf, [8.141795, 0], "about 8"]),
    (Fraction(12, 7), 6, TWELVE_SEVENTHS, ["11/7", "6/0", "six", 11j, Decimal("nan"), -np.inf, {12 / 7}, [[]]]),
    (Fraction(12, 7), 6, [[12 / 7], np.array([[12 / 7]]), pd.Series([12 / 7]), {"n": 12 / 7}], []),
    (0.5306, 2, [0.53, 0.54], [0.55]),
    (20, 0, [20.0, np.int64(20)], [21]),
    ({"at 19": "roll", "tie": True}, 6, [{"at 19": " Roll", "tie": np.True_}], []),
    ([1, 2, 3, 4, 5], 6, [(1, 2, 3, 4, 5), np.arange(1, 6), pd.Series(range(1, 6)), range(1, 6)], []),
    ({75: 25, 100: 24}, 0, [{100: 24, 75: 25}], []),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "decimals", "right", "wrong"), VALUES)
def test_right_and_wrong_answers(answer, decimals, right, wrong):
    asked = asks(answer, decimals=decimals)
    assert [each for each in right if not judge(asked, each, {})] == []
    assert [each for each in wrong if judge(asked, each, {})] == []


ABC = {"answer": [1, 2, 3], "places": ["a", "b", "c"]}
WORDS, TABLE = {"at 19": "roll", "at 21": "hold", "tie": True}, {75: 25, 100: 24}
SHORT = "The value is right as far as {} goes: give 6 decimals."
WRONG = [  # what is right, an answer, and what is said of it
    (ABC, [1, 2], "The answer is to be a list of 3 numbers: a; b; c."),
    (ABC, 1, "The answer is to be a list of 3 numbers: a; b; c."),
    (ABC, [], "The answer is to be a list of 3 numbers: a; b; c."),
    (ABC, [2, 3, 1], "The answer has the right numbers in another order."),
    (ABC, {"a": 1, "b": 2, "c": 3}, "The answer is to be a list of 3 numbers: a; b; c."),
    (ABC, {1, 2, 3}, "The answer is a set, and a set has no order: give a list."),
    (ABC, iter([1, 2, 3]), "The answer is an iterator: give a list, as list(…) makes it."),
    (ABC, None, "The answer is None: there is no result yet, or a return is missing."),
    (ABC, ..., "The answer is Ellipsis: there is no result yet, or a return is missing."),
    (ABC, len, "The answer is a function: call it, and give what it returns."),
    (ABC, 3j, "The answer is a complex number, and a real one is asked for."),
    (ABC, [1, "2,0", 3], "Number 2, b, is not '2,0', which is a text and cannot be read as a number."),
    (ABC, [1, 2, Fraction(22, 7)], "Number 3, c, is not 22/7."),
    (ABC, [1, 2, np.float64(3.14)], "Number 3, c, is not 3.14."),
    ({"answer": [1, 2, 3]}, [1, 2, 7], "Number 3 is not 7."),
    ({"answer": np.eye(2), "places": ["hold", "roll"]}, [[1, 0], [5, 1]], "In row 2, hold is not 5."),
    ({"answer": WORDS}, WORDS | {"at 19": "hold"}, "The entry for at 19 is not 'hold'."),
    ({"answer": WORDS}, WORDS | {"tie": 1}, "The entry for tie is right as a truth value: write True, not 1."),
    ({"answer": TABLE}, [25, 24], "The answer is to be a dict with the keys 75, 100."),
    ({"answer": TABLE}, {75: 25}, "The answer is to be a dict with the keys 75, 100."),
    ({"answer": TABLE}, {75: 24, 100: 24}, "The entry for 75 is not 24."),
    (
        {"answer": [[1, 2, 3], [4, 5, 6]]}, [1, 2, 3],
        "The answer is to be a list of 2 rows with 3 numbers each.",
    ),
    *(({"answer": MEAN, "places": ["the value"]}, near, SHORT.format(near)) for near in (8.14, 8.142, 8.141)),
    ({"answer": MEAN, "places": ["the value"]}, 8.13, "The value is not 8.13."),
    ({"answer": MEAN, "places": ["the value"]}, 8.1416, "The value is not 8.1416."),
    ({"answer": MEAN, "places": ["the value"]}, -8.1418, "The value is not -8.1418."),
]  # fmt: skip


@pytest.mark.parametrize(("right", "answer", "said"), WRONG)
def test_what_is_said_of_a_wrong_answer(right, answer, said):
    assert judge(asks(**right), answer, {}).wrong == (said,)


def test_in_jupyter_an_endless_function_is_stopped_and_the_kernel_goes_on():
    endless = "def endless(*_):\n    while True:\n        try:\n            len('')\n        except: pass\n"
    cells = [
        f'from collection import check\n{endless}check("1.3", endless, seconds=1)',
        'check("1.1", 11)',
    ]
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)])
    NotebookClient(notebook, timeout=300).execute()  # seconds a cell
    first, second = (cell.outputs[-1]["data"]["text/plain"] for cell in notebook.cells)
    assert "endless(5) had not ended after 1 second, and was stopped." in first
    assert second == "Exercise 1.1: not right. The turn total is not 11."
