"""Parameter studies: a tidy table; resumed from a file, by the arguments."""

from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pytest

import dicelab as dl


def hold_wins(n, target):
    """The win rate of hold at n, going first, against hold at 20."""
    return {
        "wins": dl.evaluate(dl.pig(target), dl.hold_at(n), dl.hold_at(20)).first_wins,
        "rule": f"hold at {n}",
    }


@pytest.mark.slow
def test_a_grid_becomes_a_tidy_table():
    table = dl.sweep(hold_wins, {"n": [19, 25], "target": [10, 30]}, n_jobs=1)
    assert table.columns.tolist() == ["n", "target", "wins", "rule"]
    assert table[["n", "target"]].to_numpy().tolist() == [[19, 10], [19, 30], [25, 10], [25, 30]]
    assert table.wins.iloc[-1] == dl.evaluate(dl.pig(30), dl.hold_at(25), dl.hold_at(20)).first_wins
    again = dl.sweep(hold_wins, {"n": [19, 25], "target": [10, 30]}, n_jobs=2)
    pd.testing.assert_frame_equal(again, table)


# Resuming


def test_a_torn_line_is_removed_and_the_others_stay(tmp_path):
    file = tmp_path / "study.jsonl"
    dl.sweep(str, {"object": ["ä", "b"]}, n_jobs=1, file=file)
    whole = file.read_bytes()
    file.write_bytes(whole + b'[{"\xc3')
    assert dl.sweep(str, {"object": ["ä", "b"]}, n_jobs=1, file=file)["value"].tolist() == [
        "ä",
        "b",
    ]
    assert file.read_bytes() == whole


def test_points_finished_before_a_failure_are_not_computed_again(tmp_path):
    log, mended = tmp_path / "log", tmp_path / "mended"

    def fails_at_three(n):
        with log.open("a") as lines:
            lines.write(f"{n}\n")
        if n == 3 and not mended.exists():
            raise ArithmeticError("three")
        return n * n

    file = tmp_path / "study.jsonl"
    with pytest.raises(ArithmeticError, match="three"):
        dl.sweep(fails_at_three, {"n": [1, 2, 3]}, n_jobs=1, file=file)
    mended.touch()
    table = dl.sweep(fails_at_three, {"n": [1, 2, 3]}, n_jobs=1, file=file)
    assert table.value.tolist() == [1, 4, 9]
    assert log.read_text().split() == ["1", "2", "3", "3"]


# Points


LOOP = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "value", [dl.pig(5), Decimal(1), Fraction(1), 1j, b"1", {1}, len, LOOP], ids=type
)
def test_points_that_json_does_not_have(tmp_path, value):
    """Without a file each is a point of its own; with one they are refused, before anything is computed."""
    file, called = tmp_path / "study.jsonl", tmp_path / "called"
    assert dl.sweep(lambda x: 3, {"x": [value, value]}, n_jobs=1)["value"].tolist() == [3, 3]
    with pytest.raises(
        ValueError, match=r"^grid: \{'x': .*\} is not allowed; give numbers, text, None"
    ):
        dl.sweep(lambda x: called.touch(), {"x": [1, value]}, n_jobs=1, file=file)
    assert not file.exists() and not called.exists()


# Results


@pytest.mark.parametrize("value", [Decimal(1), Fraction(1, 3), [dl.pig()], b"1"], ids=repr)
def test_results_that_cannot_be_written_are_refused_and_nothing_is_lost(tmp_path, value):
    file = tmp_path / "study.jsonl"
    with pytest.raises(ValueError, match=r"^function: .* is not allowed; give numbers, text, None"):
        dl.sweep(lambda n: value if n == 3 else n, {"n": [1, 2, 3]}, n_jobs=1, file=file)
    assert len(file.read_text().splitlines()) == 2


@pytest.mark.parametrize("file", ["study.jsonl", None])
def test_a_result_does_not_take_an_arguments_name(tmp_path, file):
    for function, name in ((lambda n: {"n": 3, "m": 4}, "n"), (lambda value: 3, "value")):
        with pytest.raises(
            ValueError, match=f"function: its result '{name}' has the name of an argument"
        ):
            dl.sweep(function, {name: [1]}, n_jobs=1, file=file and tmp_path / file)


LINES = [
    "",
    "x",
    "{}",
    '[{"x": 1}, 3]',
    "[" * 99_999,
    "\xff",
]


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:20] + line[70:])
def test_a_file_of_another_kind_is_refused_and_kept(tmp_path, line):
    file = tmp_path / "study.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(
        ValueError,
        match=r"file: .* is not allowed; give a new file, or the file of an earlier sweep",
    ):
        dl.sweep(abs, {"x": [1]}, n_jobs=1, file=file)
    assert file.read_text() == line + "\n"
