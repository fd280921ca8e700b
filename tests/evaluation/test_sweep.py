"""Parameter studies: a tidy table; resumed from a file, never with results of another function or argument."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import cloudpickle
import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import until
from distributed import Client, LocalCluster

import dicelab as dl
from dicelab._exact import ExactValue


def hold_wins(n, target, log=None):
    """The win rate of hold at n, going first, against hold at 20; every call adds a line to the log."""
    if log:
        with Path(log).open("a") as lines:
            lines.write(f"{n} {target}\n")
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
    pd.testing.assert_frame_equal(
        dl.sweep(hold_wins, table[["n", "target"]].to_dict("records"), n_jobs=2), table
    )


def test_a_number_is_a_value_and_games_are_points():
    table = dl.sweep(
        lambda game: dl.solve(game).value, {"game": [dl.pig(5), dl.piglet(5)]}, n_jobs=1
    )
    assert table.value.tolist() == [dl.solve(dl.pig(5)).value, dl.solve(dl.piglet(5)).value]


# Resuming


def test_finished_points_are_not_computed_again(tmp_path):
    file, log = tmp_path / "study.jsonl", tmp_path / "log"
    first = dl.sweep(
        hold_wins, {"n": [19, 25], "target": [10], "log": [str(log)]}, n_jobs=1, file=file
    )
    assert len(log.read_text().splitlines()) == 2
    again = dl.sweep(
        hold_wins, {"n": [19, 25, 30], "target": [10], "log": [str(log)]}, n_jobs=1, file=file
    )
    assert len(log.read_text().splitlines()) == 3
    pd.testing.assert_frame_equal(again.iloc[:2], first)


@pytest.mark.parametrize("torn", [b'["\xc3', b'["0123", {}'])
def test_a_torn_line_is_removed_and_the_others_stay(tmp_path, torn):
    file, same = tmp_path / "study.jsonl", tmp_path / "same"
    dl.sweep(str, {"object": ["ä", "b"]}, n_jobs=1, file=file)
    whole = file.read_bytes()
    same.hardlink_to(file)
    file.write_bytes(whole + torn)
    assert dl.sweep(str, {"object": ["ä", "b"]}, n_jobs=1, file=file)["value"].tolist() == [
        "ä",
        "b",
    ]
    assert file.read_bytes() == whole and file.samefile(same), "the file was not written anew"


def test_points_finished_before_a_failure_are_kept(tmp_path):
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


RESUMED = """
import dicelab as dl

OFFSET = {offset}
KNOWN = {{"win", "turns", "score", "margin"}}


class Rule(dl.Policy):
    def decisions(self, game, own, opponent, memory=0):
        return dl.hold_at({hold}).decisions(game, own, opponent)


def helper(objective):
    return OFFSET if objective in {{"win", "turns", "score"}} and objective in KNOWN else 0


def study(objective, tags, rule):
    print("computed")
    return helper(objective) + dl.evaluate(dl.pig(9), rule, dl.hold_at(5)).first_wins


grid = {{"objective": ["win"], "tags": [{{"a", "b", "c", "d"}}], "rule": [Rule()]}}
print(dl.sweep(study, grid, n_jobs=1, file={file!r})["value"].item())
"""


@pytest.mark.slow
def test_a_script_resumes_in_another_process_unless_it_has_changed(tmp_path):
    """The order of sets differs between processes; a changed constant, class or helper is another function."""

    def run(seed, offset=1, hold=3, extra=""):
        program = extra + RESUMED.format(
            offset=offset, hold=hold, file=str(tmp_path / "study.jsonl")
        )
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        command = [sys.executable, "-c", program]
        result = subprocess.run(
            command,
            env=environment,
            capture_output=True,
            text=True,
            cwd=Path(dl.__file__).parents[1],
        )
        assert result.returncode == 0, result.stderr
        *computed, value = result.stdout.split()
        return len(computed), float(value)

    def wins(hold):
        return dl.evaluate(dl.pig(9), dl.hold_at(hold), dl.hold_at(5)).first_wins

    assert run(1) == (1, 1 + wins(3))
    assert run(2, extra="\n\n") == (0, 1 + wins(3)), "lines above do not matter"
    assert run(3, offset=2) == (1, 2 + wins(3))
    assert run(4, hold=6) == (1, 1 + wins(6))


# Functions


CLASS = "class Adds:\n    step = {k}\n    def __init__(self, k): self.k = k\n    "
ADD = "def add(k, n): return n + k\n"
PROGRAMS = {  # each adds k
    "code": "f = lambda n: n + {k}",
    "name": "f = (lambda n: min(n + 1, n + 2)) if {k} == 1 else (lambda n: max(n + 1, n + 2))",
    "nested code": "f = lambda n: (lambda: n + {k})()",
    "default": "f = lambda n, k={k}: n + k",
    "keyword default": "f = lambda n, *, k={k}: n + k",
    "closure": "f = (lambda k: lambda n: n + k)({k})",
    "closure of a closure": "f = (lambda k: (lambda g: lambda n: g(n))(lambda n: n + k))({k})",
    "recursion": "def f(n): return n + {k} if n < 10 else f(n - 1)",
    "attribute": "def f(n): return n + f.k\nf.k = {k}",
    "global": "k = {k}\ndef f(n): return n + k",
    "global of a helper": "k = {k}\ndef add(n): return n + k\ndef f(n): return add(n)",
    "partial": f"from functools import partial\n{ADD}f = partial(add, {{k}})",
    "named partial": f"from functools import *\n{ADD}f = update_wrapper(partial(add, {{k}}), add)",
    "cache": "from functools import cache\nf = cache(lambda n: n + {k})",
    "numba": "from numba import njit\nf = njit(lambda n: n + {k})",
    "decorator": "from functools import wraps\ndef deco(g):\n    return wraps(g)(lambda n: g(n) + {k})\n"
    "@deco\ndef f(n): return n",
    "object": CLASS + "def __call__(self, n): return n + self.k\nf = Adds({k})",
    "method": CLASS + "def plus(self, n): return n + self.k\nf = Adds({k}).plus",
    "code of a method": CLASS + "def plus(self, n): return n + {k}\nf = Adds(0).plus",
    "decorated method": "from functools import wraps\n" + CLASS
    + "@lambda g: wraps(g)(lambda self, n: g(self, n))\n    def plus(self, n): return n + self.k\nf = Adds({k}).plus",
    "class attribute": CLASS + "@classmethod\n    def plus(cls, n): return n + cls.step\nf = Adds.plus",
    "property": CLASS + "@property\n    def size(self): return {k}\ndef f(n): return n + Adds(0).size",
    "partial method": "from functools import partialmethod\n" + CLASS
    + "def add(self, k, n): return n + k\n    plus = partialmethod(add, {k})\nf = Adds(0).plus",
}  # fmt: skip


@pytest.mark.parametrize("kind", PROGRAMS)
def test_a_function_gets_its_own_results_and_never_those_of_another(tmp_path, kind):
    """Two versions of a program, each run twice with the same file."""
    file = tmp_path / "study.jsonl"
    for k in (1, 2, 1, 2):
        exec(PROGRAMS[kind].format(k=k), module := {"__name__": "study"})
        assert dl.sweep(module["f"], {"n": [5]}, n_jobs=1, file=file)["value"].tolist() == [5 + k]
    assert len(file.read_text().splitlines()) == 2


def test_a_function_that_uses_what_cannot_be_pickled_is_refused(tmp_path):
    lock = threading.Lock()
    with pytest.raises(
        ValueError,
        match=r"^function: .* is not allowed; .* \(cannot pickle '_thread.lock' object\)",
    ):
        dl.sweep(lambda n: lock, {"n": [5]}, n_jobs=1, file=tmp_path / "study.jsonl")


# Points


LOOP = []
LOOP.append(LOOP)


@pytest.mark.parametrize(
    "value",
    [(x for x in "ab"), threading.Lock(), (1, [threading.Lock()]), {threading.Lock()}, LOOP],
    ids=type,
)
def test_points_that_cannot_be_pickled(tmp_path, value):
    """Without a file each is a point of its own; with one they are refused, before anything is computed."""
    file, called = tmp_path / "study.jsonl", tmp_path / "called"
    assert dl.sweep(lambda x: 3, {"x": [value, value]}, n_jobs=1)["value"].tolist() == [3, 3]
    with pytest.raises(
        ValueError, match=r"^grid\['x'\]: .* is not allowed; give something that can be pickled"
    ):
        dl.sweep(lambda x: called.touch(), {"x": [1, value]}, n_jobs=1, file=file)
    assert not file.exists() and not called.exists()


class Odd:
    """Objects that look alike."""

    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return "Odd"


def rule(n):
    return dl.Rule("a rule", lambda own, opponent, totals, target: totals >= n)


SOLVED = dl.solve(dl.pig(6))
ARRAYS = [np.append(np.zeros(5000), n) for n in (1, 2, 3)]
MODES = dl.ten_thousand(3).modes
DISTINCT = [
    1, True, 1.0, "1", "True", None, "None", Fraction(1), Decimal(1), Decimal("1.0"), 1j, b"1", "", "\ud800",
    np.int64(1), np.int32(1), np.float64(1), np.float32(1), np.bool_(True), float("nan"), 0.0, -0.0, float("inf"),
    [], (), {}, set(), (1,), [1], {1}, {True}, frozenset({1}), {"a": 1}, {"a": 1.0}, (1, (2, 3)), ((1, 2), 3), range(3),
    *ARRAYS, np.zeros(3), np.zeros((3, 1)), np.zeros(3, dtype=int), np.array(1), np.array([1]),
    np.array(["a", 1], dtype=object), np.array(["a", 2], dtype=object),
    np.datetime64("2000-01-01"), np.datetime64("2000-01-01", "s"), Path("a"), Path("b"), dl.pig, dl.piglet,
    dl.pig(6), dl.pig(7), dl.pig(6, finish="exact"), dl.ten_thousand(3),
    replace(dl.ten_thousand(3), modes=[replace(mode, dice=None) for mode in MODES]),
    dl.hold_at(2), dl.hold_at(3), dl.scoring_turns(3), dl.end_race_or_keep_pace(), rule(2), rule(5),
    SOLVED, SOLVED.policy, dl.solve(dl.pig(6), "margin").policy, Odd(1), Odd(2), [Odd(1)], (lambda: 1), (lambda: 2),
]  # fmt: skip


def test_points_are_told_apart_by_what_they_are(tmp_path):
    """Also those that are equal, like 1, True and 1.0. A copy, as it comes from another process, is the same point."""
    file, log = tmp_path / "study.jsonl", tmp_path / "log"

    def number_of_this_call(x):
        with log.open("a") as calls:
            calls.write("x")
        return log.stat().st_size

    table = dl.sweep(number_of_this_call, {"x": DISTINCT}, n_jobs=1, file=file)
    assert table["value"].tolist() == list(range(1, 1 + len(DISTINCT)))
    copies = pickle.loads(cloudpickle.dumps(DISTINCT))
    again = dl.sweep(number_of_this_call, {"x": copies}, n_jobs=1, file=file)
    assert again["value"].tolist() == table["value"].tolist()


# Results


RESULTS = [
    Fraction(1, 3), Fraction(-3), Fraction(1, 7**9000), 10**40, -1, 0.1, True, None, "x", "ä", float("inf"),
    np.float64(0.5), np.int8(3), np.bool_(False), np.str_("y"),
]  # fmt: skip


def test_results_come_back_as_they_were(tmp_path):
    file = tmp_path / "study.jsonl"
    for _ in range(2):
        table = dl.sweep(lambda k: RESULTS[k], {"k": range(len(RESULTS))}, n_jobs=1, file=file)
        for value, wanted in zip(table["value"], RESULTS, strict=True):
            plain = wanted.item() if isinstance(wanted, np.generic) else wanted
            # Of what comes from the file.
            kind = ExactValue if isinstance(plain, Fraction) else type(plain)
            assert value == wanted and type(value) in (type(wanted), kind)
    assert len(file.read_text().splitlines()) == len(RESULTS)


@pytest.mark.parametrize("value", [Decimal(1), [1], {"a": {"b": 1}}, {1: 2}, b"1"], ids=repr)
def test_results_that_cannot_be_written_are_refused_and_nothing_is_lost(tmp_path, value):
    file = tmp_path / "study.jsonl"
    with pytest.raises(ValueError, match=r"^function: .* is not allowed; give a number, a string"):
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
    "3",
    "{}",
    "[1]",
    '["key", {"value": 1}]',
    '["key", {}, {"value": 1}]',
    '["a", {}, 3]',
    "null",
]
KEY = "0" * 64
LINES += [
    "[" * 99_999,
    "\xff",
    f'["{KEY}", {{}}, {{"value": [1]}}]',
    f'["{KEY}", {{}}, {{"value": ["0x1", "0x0"]}}]',
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


# Worker processes


KILLED = """
import os
import signal
from pathlib import Path
from time import sleep

import dicelab as dl

signal.signal(signal.SIGINT, signal.default_int_handler)  # a background process of a shell ignores it


def wait(n):
    Path({folder!r}, str(os.getpid())).touch()
    sleep(0.1)
    return n


dl.sweep(wait, {{"n": range(3000)}}, n_jobs=2)
"""


@pytest.mark.slow
@pytest.mark.parametrize("sign", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_worker_outlives_a_sweep_that_is_killed(tmp_path, sign):
    command = [sys.executable, "-c", KILLED.format(folder=str(tmp_path))]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=Path(dl.__file__).parents[1])
    until(lambda: len(list(tmp_path.iterdir())) == 2)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    process.send_signal(getattr(signal, sign))
    assert process.wait(60) != 0
    until(lambda: not any(is_running(worker) for worker in workers))  # their work takes 150 seconds


def is_running(process):
    """Whether a process exists and is more than an entry for its parent to read."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def slow_square(n):
    time.sleep(0.2)
    return n * n


@pytest.mark.slow
def test_on_a_dask_cluster_that_loses_a_worker(tmp_path):
    """Two workers in processes of their own; one is killed when five points are done."""
    file = tmp_path / "study.jsonl"
    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
        joblib.parallel_config(backend="dask"),
    ):
        victim, _ = client.run(os.getpid).values()

        def kill():
            while not file.exists() or len(file.read_text().splitlines()) < 5:
                time.sleep(0.05)
            os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        table = dl.sweep(slow_square, {"n": range(30)}, file=file)
        killer.join()
        assert victim not in client.run(os.getpid).values()
    assert table.value.tolist() == [n * n for n in range(30)]
    assert len(file.read_text().splitlines()) == 30
