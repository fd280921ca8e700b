"""Answers to exercises: right, wrong and where, without the right answer in the file."""

import json
from decimal import Decimal
from fractions import Fraction

import nbformat
import numpy as np
import pandas as pd
import pytest
from nbclient import NotebookClient

import collection
from collection.course import answer_keys, exercises


@pytest.fixture(autouse=True)
def keys(tmp_path, monkeypatch):
    """An empty folder for answers."""
    monkeypatch.setattr(exercises, "FOLDER", tmp_path / "course")
    return tmp_path / "course" / "01.json"


SCALED = {"calls": [["1/6", 2], ["1/2", 3]]}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (
            lambda p, n: [0, 1 / 6] if n == 2 else 1 / 0,
            "Your function('1/2', 3) raises ZeroDivisionError: division by zero.",
        ),
        (lambda p, n: [0, 0, 1][:n], "The second number of your function('1/6', 2) is not 0."),
        (3, "The answer is a function: give its name without parentheses, not 3."),
        (lambda p, n: [float(Fraction(p)) * k for k in range(n)], ""),
    ],
)
def test_a_function(answer, said, keys):
    exercises.write_answer("1.4", lambda p, n: [Fraction(p) * k for k in range(n)], **SCALED)
    assert [*collection.check("1.4", answer).wrong, ""][0] == said
    first, second = json.loads(keys.read_text())["1.4"]["answers"]
    assert first["0"] != second["0"], "equal numbers of two calls look different"


def test_an_expected_wrong_answer_has_a_hint(keys):
    exercises.write_answer("1.1", 16.75, hints=[(Fraction(100, 6), "At 18 one rolls again.")])
    said = "Exercise 1.1: not right. The answer is not 16.666667. At 18 one rolls again."
    assert repr(collection.check("1.1", 16.666667)) == said
    assert not collection.check("1.1", 16.7).hint and not collection.check("1.1", 16.75).hint
    assert "16.6" not in keys.read_text() and "100/6" not in keys.read_text()
    exercises.write_answer("1.2", [10, 43], hints=[([None, 20], "20 is for k.")])
    assert collection.check("1.2", [9, 20]).hint == "20 is for k."
    assert not collection.check("1.2", [20, 43]).hint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        *(
            ({"hints": [(wrong, "no")]}, r"hints of 1\.1: ")
            for wrong in (3, [3], [1, 2, 3], [None, 3], [None, None], {"a": 1})
        ),
        ({"decimals": -1}, "decimals: -1 is not allowed"),
    ],
)
def test_a_hint_is_for_a_wrong_answer_of_the_right_form(options, said):
    with pytest.raises(ValueError, match=said):
        exercises.write_answer("1.1", [1, 3], **options)


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
    exercises.write_answer("1.1", answer, decimals=decimals)
    assert [each for each in right if not collection.check("1.1", each)] == []
    assert [each for each in wrong if collection.check("1.1", each)] == []


ABC = {"answer": [1, 2, 3], "places": ["a", "b", "c"]}
WORDS, TABLE = {"at 19": "roll", "at 21": "hold", "tie": True}, {75: 25, 100: 24}
SHORT = "The value is right as far as {} goes: give 6 decimals."
WRONG = [  # what is right, an answer, and what is said of it
    (ABC, [1, 2], "The answer has two numbers, and three are asked for: a; b; c."),
    (ABC, 1, "The answer has one number, and three are asked for: a; b; c."),
    (ABC, [], "The answer has no numbers, and three are asked for: a; b; c."),
    (ABC, [2, 3, 1], "The answer has the right numbers in another order."),
    (ABC, {"a": 1, "b": 2, "c": 3}, "The answer is to be a list of three numbers, in the order of the exercise."),
    (ABC, {1, 2, 3}, "The answer is a set, and a set has no order: give a list."),
    (ABC, iter([1, 2, 3]), "The answer is an iterator: give a list, as list(…) makes it."),
    (ABC, None, "The answer is None: there is no result yet, or a return is missing."),
    (ABC, ..., "The answer is Ellipsis: there is no result yet, or a return is missing."),
    (ABC, len, "The answer is a function: call it, and give what it returns."),
    (ABC, 3j, "The answer is a complex number, and a real one is asked for."),
    (ABC, [1, "2,0", 3], "The second number, b, is not '2,0', which is a text and cannot be read as a number."),
    (ABC, [1, 2, Fraction(22, 7)], "The third number, c, is not 22/7."),
    (ABC, [1, 2, np.float64(3.14)], "The third number, c, is not 3.14."),
    ({"answer": [1, 2, 3]}, [1, 2, 7], "The third number is not 7."),
    ({"answer": np.eye(2), "places": ["hold", "roll"]}, [[1, 0], [5, 1]], "In row 2, hold is not 5."),
    ({"answer": WORDS}, WORDS | {"at 19": "hold"}, "The entry for at 19 is not 'hold'."),
    ({"answer": WORDS}, WORDS | {"tie": 1}, "The entry for tie is right as a truth value: write True, not 1."),
    ({"answer": TABLE}, [25, 24], "The answer is to be a dict with the keys 75, 100."),
    ({"answer": TABLE}, {75: 25}, "The answer is to be a dict with the keys 75, 100."),
    ({"answer": TABLE}, {75: 24, 100: 24}, "The entry for 75 is not 24."),
    (
        {"answer": [[1, 2, 3], [4, 5, 6]]}, [1, 2, 3],
        "The answer is to be a list of two rows with three numbers each.",
    ),
    *(({"answer": MEAN, "places": ["the value"]}, near, SHORT.format(near)) for near in (8.14, 8.142, 8.141)),
    ({"answer": MEAN, "places": ["the value"]}, 8.13, "The value is not 8.13."),
    ({"answer": MEAN, "places": ["the value"]}, 8.1416, "The value is not 8.1416."),
    ({"answer": MEAN, "places": ["the value"]}, -8.1418, "The value is not -8.1418."),
]  # fmt: skip


@pytest.mark.parametrize(("right", "answer", "said"), WRONG)
def test_what_is_said_of_a_wrong_answer(right, answer, said):
    exercises.write_answer("1.1", **right)
    assert collection.check("1.1", answer).wrong == (said,)


KEY = "a secret of the teacher that nobody guesses"


@pytest.fixture
def key_file(tmp_path, monkeypatch):
    """A file with the key of the teacher, which the environment names."""
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    monkeypatch.setenv(exercises.KEY_FILE, str(file))
    return file


def test_a_secret_answer(keys, key_file, monkeypatch):
    hints = [([12, None], "12 is without the tie.")]
    exercises.write_answer("1.h4", [13, 0.5], places=["a", "b"], hints=hints, secret=True)
    assert collection.check("1.h4", [13, 0.5])
    said = "not right. The first number, a, is not 12. 12 is without the tie."
    assert repr(collection.check("1.h4", [12, 0.5])) == f"Exercise 1.h4: {said}"
    found = json.loads(keys.read_text())["1.h4"]["answers"][0]["0"]
    assert found != answer_keys.hash_of(None, "1.h4", "0", 13 * 10**6), "nobody can guess"
    monkeypatch.delenv(exercises.KEY_FILE)
    for mine in ([13, 0.5], [12, 0.5]):
        checked = collection.check("1.h4", mine)
        assert not checked and not checked.wrong and not checked.hint and checked.secret


def test_keys_that_are_refused(key_file, monkeypatch):
    exercises.write_answer("1.h4", 13, secret=True)
    key_file.write_text(KEY[::-1])
    with pytest.raises(ValueError, match=r"DICELAB_KEY_FILE: .* the key of exercise 1\.h4"):
        collection.check("1.h4", 13)
    monkeypatch.setattr(exercises, "ROOT", key_file.parent)
    with pytest.raises(ValueError, match=r"DICELAB_KEY_FILE: .*outside"):
        exercises.write_answer("1.h4", 13, secret=True)


def test_the_file_does_not_show_the_answer(keys):
    exercises.write_answer("1.1", 8141795)
    exercises.write_answer("1.h1", 8141795)
    assert "8141795" not in keys.read_text()
    entries = json.loads(keys.read_text())
    assert entries["1.1"]["answers"][0] != entries["1.h1"]["answers"][0]


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
