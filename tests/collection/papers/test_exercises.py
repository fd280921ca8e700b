"""Answers to exercises: right, wrong and where, without the right answer in the file."""

import json
import pickle
import time
from decimal import Decimal
from fractions import Fraction

import nbformat
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbclient import NotebookClient

import collection
from collection.course import answer_keys, exercises


@pytest.fixture(autouse=True)
def keys(tmp_path, monkeypatch):
    """An empty folder for answers."""
    monkeypatch.setattr(exercises, "FOLDER", tmp_path / "course")
    return tmp_path / "course" / "01.json"


def test_a_number():
    exercises.write_answer("1.1", Fraction(492303203, 6**10))
    assert collection.check("1.1", Fraction(492303203, 6**10)) and collection.check(
        "1.1", 8.141794894
    )
    assert collection.check("1.1", np.float64(8.1417945)), "by half a unit of the last decimal"
    for wrong in (8.1418, 8, None, np.nan, np.inf, [8.141795, 0], "about 8"):
        assert not collection.check("1.1", wrong), wrong
    assert repr(collection.check("1.1", 8)) == "Exercise 1.1: not right. The answer is not 8."
    assert repr(collection.check("1.1", 8.141795)) == "Exercise 1.1: right."
    assert pickle.loads(pickle.dumps(collection.check("1.1", 8))) == collection.check("1.1", 8)


def test_numbers_of_any_kind():
    exercises.write_answer("1.1", Fraction(12, 7))
    for right in ("12/7", " 24/14 ", "1.714286", Decimal("1.714286"), np.float32(12 / 7)):
        assert collection.check("1.1", right), repr(right)
    for one in ([12 / 7], np.array([[12 / 7]]), pd.Series([12 / 7]), {"n": 12 / 7}):
        assert collection.check("1.1", one), repr(one)
    for wrong in ("11/7", "6/0", "six sevenths", 11j, Decimal("nan"), -np.inf, {12 / 7}, [[]]):
        assert not collection.check("1.1", wrong), repr(wrong)


def test_decimals():
    exercises.write_answer("1.1", 0.5306, decimals=2)
    assert (
        collection.check("1.1", 0.53)
        and collection.check("1.1", 0.54)
        and not collection.check("1.1", 0.55)
    )
    exercises.write_answer("1.1", 20, decimals=0)
    assert (
        collection.check("1.1", 20.0)
        and collection.check("1.1", np.int64(20))
        and not collection.check("1.1", 21)
    )
    with pytest.raises(ValueError, match="decimals: -1 is not allowed"):
        exercises.write_answer("1.1", 20, decimals=-1)


def test_words_and_truth_values():
    exercises.write_answer("1.1", {"at 19": "roll", "at 21": "hold", "tie": True})
    assert collection.check("1.1", {"at 19": " Roll", "at 21": "hold", "tie": np.True_})
    assert collection.check("1.1", {"at 19": "hold", "at 21": "hold", "tie": 1}).wrong == (
        "The entry for at 19 is not 'hold'.",
        "The entry for tie is right as a truth value: write True, not 1.",
    )


def test_it_says_which_number():
    exercises.write_answer("1.2", [1, 2, 3, 4, 5])
    for right in ((1, 2, 3, 4, 5), np.arange(1, 6), pd.Series(range(1, 6)), range(1, 6)):
        assert collection.check("1.2", right), repr(right)
    assert collection.check("1.2", [1, 2, 7, 4, 5]).wrong == ("The third number is not 7.",)
    exercises.write_answer("1.2", [10, 43], places=["the total for √k", "the total for k²"])
    assert repr(collection.check("1.2", [10, 42])) == (
        "Exercise 1.2: not right. The second number, the total for k², is not 42."
    )
    exercises.write_answer("1.3", np.eye(2), places=["hold", "roll"])
    assert collection.check("1.3", [[1, 0], [5, 1]]).wrong == ("In row 2, hold is not 5.",)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([1, 2], "The answer has two numbers, and three are asked for: a; b; c."),
        (1, "The answer has one number, and three are asked for: a; b; c."),
        ([], "The answer has no numbers, and three are asked for: a; b; c."),
        ([2, 3, 1], "The answer has the right numbers in another order."),
        (
            {"a": 1, "b": 2, "c": 3},
            "The answer is to be a list of three numbers, in the order of the exercise.",
        ),
        ({1, 2, 3}, "The answer is a set, and a set has no order: give a list."),
        (iter([1, 2, 3]), "The answer is an iterator: give a list, as list(…) makes it."),
        (None, "The answer is None: there is no result yet, or a return is missing."),
        (..., "The answer is Ellipsis: there is no result yet, or a return is missing."),
        (len, "The answer is a function: call it, and give what it returns."),
        (3j, "The answer is a complex number, and a real one is asked for."),
        (
            [1, "2,0", 3],
            "The second number, b, is not '2,0', which is a text and cannot be read as a number.",
        ),
        ([1, 2, Fraction(22, 7)], "The third number, c, is not 22/7."),
        ([1, 2, np.float64(3.14)], "The third number, c, is not 3.14."),
    ],
)
def test_the_form_of_an_answer(answer, said):
    exercises.write_answer("1.1", [1, 2, 3], places=["a", "b", "c"])
    assert collection.check("1.1", answer).wrong == (said,)


def test_other_forms():
    exercises.write_answer("1.1", {75: 25, 100: 24}, decimals=0)
    assert collection.check("1.1", {100: 24, 75: 25})
    said = ("The answer is to be a dict with the keys 75, 100.",)
    assert (
        collection.check("1.1", [25, 24]).wrong == collection.check("1.1", {75: 25}).wrong == said
    )
    assert collection.check("1.1", {75: 24, 100: 24}).wrong == ("The entry for 75 is not 24.",)
    exercises.write_answer("1.2", [[1, 2, 3], [4, 5, 6]])
    said = ("The answer is to be a list of two rows with three numbers each.",)
    assert (
        collection.check("1.2", [1, 2, 3]).wrong == collection.check("1.2", np.eye(2)).wrong == said
    )


def test_too_few_decimals():
    exercises.write_answer("1.1", Fraction(492303203, 6**10), places=["the value"])  # 8.14179489
    for near in (8.14, 8.142, "8.14179", np.float64(8.141)):
        assert collection.check("1.1", near).wrong == (
            f"The value is right as far as {exercises.shown(near)} goes: give 6 decimals.",
        )
    for near in (8.1, 8.13, 8.1416, -8.1418):
        assert collection.check("1.1", near).wrong[0].startswith("The value is not "), near


def test_a_function(keys):
    exercises.write_answer(
        "1.4", lambda p, n: [Fraction(p) * k for k in range(n)], calls=[["1/6", 2], ["1/2", 3]]
    )
    assert collection.check("1.4", lambda p, n: [float(Fraction(p)) * k for k in range(n)])

    def mine(p, n):
        return [0, 1 / 6] if n == 2 else 1 / 0

    assert collection.check("1.4", mine).wrong == (
        "mine('1/2', 3) raises ZeroDivisionError: division by zero.",
    )
    assert collection.check("1.4", lambda p, n: [0, 0, 1][:n]).wrong[0] == (
        "The second number of your function('1/6', 2) is not 0."
    )
    assert collection.check("1.4", 3).wrong == (
        "The answer is a function: give its name without parentheses, not 3.",
    )
    first, second = json.loads(keys.read_text())["1.4"]["answers"]
    assert first["0"] != second["0"], "equal numbers of two calls look different"


def test_a_function_that_does_not_end():
    exercises.write_answer("1.1", lambda n: n, calls=[[1], [2]])

    called = []

    def endless(n):
        called.append(n)
        while True:
            n += 1

    began = time.monotonic()
    assert collection.check("1.1", endless, seconds=1).wrong == (
        "endless(1) had not ended after 1 second, and was stopped. "
        "Is there a loop that never ends? For more time, add seconds=10.",
    )
    assert time.monotonic() - began >= 1 and called == [1], "one call is enough"


def test_an_expected_wrong_answer_has_a_hint(keys):
    exercises.write_answer("1.1", 16.75, hints=[(Fraction(100, 6), "At 18 one rolls again.")])
    said = "Exercise 1.1: not right. The answer is not 16.666667. At 18 one rolls again."
    assert repr(collection.check("1.1", 16.666667)) == said
    assert not collection.check("1.1", 16.7).hint and not collection.check("1.1", 16.75).hint
    assert "16.6" not in keys.read_text() and "100/6" not in keys.read_text()
    exercises.write_answer("1.2", [10, 43], hints=[([None, 20], "20 is for k.")])
    assert collection.check("1.2", [9, 20]).hint == "20 is for k."
    assert not collection.check("1.2", [20, 43]).hint


@pytest.mark.parametrize("wrong", [3, [3], [1, 2, 3], [None, 3], [None, None], {"a": 1}])
def test_a_hint_is_for_a_wrong_answer_of_the_right_form(wrong):
    with pytest.raises(ValueError, match=r"hints of 1\.1: "):
        exercises.write_answer("1.1", [1, 3], hints=[(wrong, "no")])


KEY = "a secret of the teacher that nobody guesses"


def test_a_secret_answer(keys, tmp_path, monkeypatch):
    file = tmp_path / "key"
    file.write_text(f"{KEY}\n")
    monkeypatch.setenv(exercises.KEY_FILE, str(file))
    hints = [([12, None], "12 is without the tie.")]
    exercises.write_answer("1.h4", [13, 0.5], places=["a", "b"], hints=hints, secret=True)
    assert collection.check("1.h4", [13, 0.5])
    assert repr(collection.check("1.h4", [12, 0.5])) == (
        "Exercise 1.h4: not right. The first number, a, is not 12. 12 is without the tie."
    )
    found = json.loads(keys.read_text())["1.h4"]["answers"][0]["0"]
    assert found == answer_keys.hash_of(KEY.encode(), "1.h4", "0", 13 * 10**6)
    assert found != answer_keys.hash_of(None, "1.h4", "0", 13 * 10**6), "nobody can guess"

    monkeypatch.delenv(exercises.KEY_FILE)
    for mine in ([13, 0.5], [12, 0.5]):
        checked = collection.check("1.h4", mine)
        assert not checked and not checked.wrong and not checked.hint and checked.secret

    monkeypatch.setenv(exercises.KEY_FILE, str(file))
    file.write_text(KEY[::-1])
    with pytest.raises(ValueError, match=r"DICELAB_KEY_FILE: .* the key of exercise 1\.h4"):
        collection.check("1.h4", [13, 0.5])
    monkeypatch.setattr(exercises, "ROOT", tmp_path)
    with pytest.raises(ValueError, match=r"DICELAB_KEY_FILE: .*outside"):
        exercises.write_answer("1.h4", 13, secret=True)


def test_an_unknown_exercise():
    exercises.write_answer("1.1", 1)
    with pytest.raises(ValueError, match=r"exercise: '1.2' is not allowed; give one of '1.1'"):
        collection.check("1.2", 1)


@given(
    number=st.fractions(-1000, 1000), off=st.fractions(min_value=Fraction(3, 10**6), max_value=1)
)
def test_only_near_numbers_are_right(number, off):
    exercises.write_answer("1.1", number)
    assert collection.check("1.1", number) and collection.check("1.1", float(number))
    assert not collection.check("1.1", number + off) and not collection.check("1.1", number - off)


def test_the_file_does_not_show_the_answer(keys):
    exercises.write_answer("1.1", 8141795)
    exercises.write_answer("1.h1", 8141795)
    text = keys.read_text()
    assert "8141795" not in text and text.count("answers") == 2
    first, second = (json.loads(text)[name]["answers"][0][""] for name in ("1.1", "1.h1"))
    assert first != second


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
