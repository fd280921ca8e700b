"""Answers to exercises: right, wrong and where, without the right answer in the file."""

import json
import pickle
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dicelab as dl
from dicelab.papers import exercises


@pytest.fixture(autouse=True)
def keys(tmp_path, monkeypatch):
    """An empty folder for answers."""
    monkeypatch.setattr(exercises, "FOLDER", tmp_path / "course")
    return tmp_path / "course" / "01.json"


def test_a_number():
    exercises.write_answer("1.1", Fraction(492303203, 6**10))
    assert dl.check("1.1", Fraction(492303203, 6**10)) and dl.check("1.1", 8.141794894)
    assert dl.check("1.1", np.float64(8.1417945)), "by half a unit of the last decimal"
    for wrong in (8.1418, 8, None, np.nan, np.inf, [8.141795], "about 8"):
        assert not dl.check("1.1", wrong), wrong
    assert repr(dl.check("1.1", 8)) == "Exercise 1.1: not right: the answer."
    assert repr(dl.check("1.1", 8.141795)) == "Exercise 1.1: right."
    assert pickle.loads(pickle.dumps(dl.check("1.1", 8))) == dl.check("1.1", 8)


def test_numbers_of_any_kind():
    exercises.write_answer("1.1", 11)
    for right in (np.float32(11), np.int8(11), Decimal(11), Fraction(22, 2), "11"):
        assert dl.check("1.1", right), repr(right)
    for wrong in (11j, Fraction(10**400), Decimal("nan"), -np.inf, {11}, [[11], [11, 11]]):
        assert not dl.check("1.1", wrong), repr(wrong)


def test_a_fraction_as_text():
    exercises.write_answer("1.1", Fraction(6, 7))
    assert dl.check("1.1", "6/7") and dl.check("1.1", " 12/14 ") and dl.check("1.1", "0.857143")
    assert (
        not dl.check("1.1", "5/7")
        and not dl.check("1.1", "6/0")
        and not dl.check("1.1", "six sevenths")
    )


def test_decimals():
    exercises.write_answer("1.1", 0.5306, decimals=2)
    assert dl.check("1.1", 0.53) and dl.check("1.1", 0.54) and not dl.check("1.1", 0.55)
    exercises.write_answer("1.1", 20, decimals=0)
    assert dl.check("1.1", 20.0) and dl.check("1.1", np.int64(20)) and not dl.check("1.1", 21)
    with pytest.raises(ValueError, match="decimals: -1 is not allowed"):
        exercises.write_answer("1.1", 20, decimals=-1)


def test_words_and_truth_values():
    exercises.write_answer("1.1", {"at 19": "roll", "at 21": "hold", "tie": True})
    assert dl.check("1.1", {"at 19": " Roll", "at 21": "hold", "tie": np.True_})
    assert dl.check("1.1", {"at 19": "hold", "at 21": "hold", "tie": 1}).wrong == (
        "at at 19",
        "at tie",
    )


def test_it_says_where():
    exercises.write_answer("1.2", [1, 2, 3, 4, 5])
    assert (
        dl.check("1.2", (1, 2, 3, 4, 5))
        and dl.check("1.2", np.arange(1, 6))
        and dl.check("1.2", pd.Series(range(1, 6)))
    )
    assert dl.check("1.2", [1, 2, 7, 4]).wrong == ("at 2", "at 4 is missing")
    assert dl.check("1.2", [1, 2, 3, 4, 5, 6]).wrong == ("at 5 does not belong to the answer",)
    assert repr(dl.check("1.2", [0] * 9)).endswith("at 0; at 1; at 2; and in 6 more places.")
    exercises.write_answer("1.3", np.eye(2))
    assert dl.check("1.3", [[1, 0], [0, 1]]) and dl.check("1.3", pd.DataFrame(np.eye(2)))
    assert dl.check("1.3", [[1, 0], [5, 1]]).wrong == ("at (1, 0)",)


def test_a_function(keys):
    exercises.write_answer(
        "1.4", lambda p, n: [Fraction(p) * k for k in range(n)], calls=[["1/6", 2], ["1/2", 3]]
    )
    assert dl.check("1.4", lambda p, n: [float(Fraction(p)) * k for k in range(n)])
    assert dl.check("1.4", 3).wrong == ("the answer is a function, not 3",)

    def mine(p, n):
        return [0, 1 / 6] if n == 2 else 1 / 0

    assert (
        dl.check("1.4", partial(mine, "1/6"))
        .wrong[0]
        .startswith("your function('1/6', 2) raises TypeError: ")
    )
    assert dl.check("1.4", mine).wrong == (
        "mine('1/2', 3) raises ZeroDivisionError: division by zero",
    )
    assert dl.check("1.4", lambda p, n: [0, 0, 1][:n]).wrong[0] == "<lambda>('1/6', 2) at 1"
    first, second = json.loads(keys.read_text())["1.4"]["answers"]
    assert first["0"] != second["0"], "equal numbers of two calls look different"


def test_an_unknown_exercise():
    exercises.write_answer("1.1", 1)
    with pytest.raises(ValueError, match=r"exercise: '1.2' is not allowed; give one of '1.1'"):
        dl.check("1.2", 1)


@given(
    number=st.fractions(-1000, 1000), off=st.fractions(min_value=Fraction(3, 10**6), max_value=1)
)
def test_only_near_numbers_are_right(number, off):
    exercises.write_answer("1.1", number)
    assert dl.check("1.1", number) and dl.check("1.1", float(number))
    assert not dl.check("1.1", number + off) and not dl.check("1.1", number - off)


def test_the_file_does_not_show_the_answer(keys):
    exercises.write_answer("1.1", 8141795)
    exercises.write_answer("1.h1", 8141795)
    text = keys.read_text()
    assert "8141795" not in text and text.count("answers") == 2
    first, second = (json.loads(text)[name]["answers"][0][""] for name in ("1.1", "1.h1"))
    assert first != second
