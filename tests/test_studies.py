"""Parameter studies: tidy, resumed, and on a user's Dask cluster."""

import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
import pytest
from conftest import until
from distributed import Client, LocalCluster

import dicelab as dl
from dicelab import execution
from dicelab.studies import all_dice, portrait


def hold_wins(n, target, log=None):
    """How often hold at n, going first, beats hold at 20; says in a file that it was asked."""
    if log:
        with Path(log).open("a") as lines:
            lines.write(f"{n} {target}\n")
    return {"wins": dl.evaluate(dl.pig(target), dl.hold_at(n), dl.hold_at(20)).first_wins, "rule": f"hold at {n}"}


KILLED = """
import os
import signal
import sys
from pathlib import Path
from time import sleep

import dicelab as dl

signal.signal(signal.SIGINT, signal.default_int_handler)  # what is begun in the background of a shell ignores it


def wait(n):
    Path(sys.argv[1], str(os.getpid())).touch()
    sleep(0.1)
    return n


dl.sweep(wait, {"n": range(3000)}, n_jobs=2)
"""


@pytest.mark.parametrize("sign", ["SIGINT", "SIGTERM", "SIGKILL"])
def test_no_worker_outlives_a_sweep_that_is_killed(tmp_path, sign):
    program, seen = tmp_path / "killed.py", tmp_path / "seen"
    seen.mkdir()
    program.write_text(KILLED.replace("sys.argv[1]", repr(str(seen))))
    process = subprocess.Popen([sys.executable, program], stderr=subprocess.DEVNULL)
    until(lambda: len(list(seen.iterdir())) == 2)
    workers = [int(path.name) for path in seen.iterdir()]
    process.send_signal(getattr(signal, sign))
    assert process.wait(30) != 0
    until(lambda: not any(running(worker) for worker in workers), 10)


def running(process):
    """Whether there is such a process, and not only what it leaves for its parent to read."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_grid_becomes_a_tidy_table():
    table = dl.sweep(hold_wins, {"n": [19, 25], "target": [10, 30]}, n_jobs=1)
    assert table.columns.tolist() == ["n", "target", "wins", "rule"]
    assert table[["n", "target"]].to_numpy().tolist() == [[19, 10], [19, 30], [25, 10], [25, 30]]
    expected = dl.evaluate(dl.pig(30), dl.hold_at(25), dl.hold_at(20)).first_wins
    assert table.wins.iloc[-1] == expected
    pd.testing.assert_frame_equal(dl.sweep(hold_wins, table[["n", "target"]].to_dict("records"), n_jobs=2), table)


def test_a_number_is_a_value_and_games_are_points():
    table = dl.sweep(lambda game: dl.solve(game).value, {"game": [dl.pig(5), dl.piglet(5)]}, n_jobs=1)
    assert table.value.tolist() == [dl.solve(dl.pig(5)).value, dl.solve(dl.piglet(5)).value]


def test_finished_points_are_not_computed_again(tmp_path):
    file, log = tmp_path / "study.jsonl", tmp_path / "log"
    first = dl.sweep(hold_wins, {"n": [19, 25], "target": [10], "log": [str(log)]}, n_jobs=1, file=file)
    assert len(log.read_text().splitlines()) == 2
    again = dl.sweep(hold_wins, {"n": [19, 25, 30], "target": [10], "log": [str(log)]}, n_jobs=1, file=file)
    assert len(log.read_text().splitlines()) == 3
    pd.testing.assert_frame_equal(again.iloc[:2], first)
    torn = file.read_text()[:-20]
    file.write_text(torn)
    resumed = dl.sweep(hold_wins, {"n": [19, 25, 30], "target": [10], "log": [str(log)]}, n_jobs=1, file=file)
    assert len(log.read_text().splitlines()) == 4
    pd.testing.assert_frame_equal(resumed, again)
    assert len(file.read_text().splitlines()) == 3


def test_what_a_failure_leaves_is_kept(tmp_path):
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


GAME = dl.pig(6)
SOLVED, MARGIN = dl.solve(GAME), dl.solve(GAME, "margin")


def rule(n):
    return dl.Rule("a rule", lambda own, opponent, totals, target: totals >= n)


class Odd:
    """Has no identity."""

    def __init__(self, n):
        self.n = n

    def __repr__(self):
        return "Odd"


@dataclass(frozen=True, eq=False)
class Apart:
    """Is equal to itself alone."""

    n: int


@dataclass
class Changing:
    """May be changed."""

    n: int


LONG = [np.append(np.zeros(5000), n) for n in (1, 2, 3)]
LOOP = []
LOOP.append(LOOP)
ALIKE = {  # of one repr, but not the same
    "policies": [SOLVED.policy, MARGIN.policy],
    "rules": [rule(2), rule(5)],
    "objects": [Odd(1), Odd(2)],
    "within": [(1, [Odd(1)]), (1, [Odd(2)])],
    "in arrays": [np.array([Odd(1)]), np.array([Odd(2)])],
    "solutions": [SOLVED, MARGIN],
    "iterators": [iter([1]), iter([2])],
    "loops": [LOOP, LOOP],
    "apart": [Apart(1), Apart(1)],
    "changing": [Changing(1), Changing(1)],
    "lambdas": [lambda: 1, lambda: 2],
}


@pytest.mark.parametrize("alike", ALIKE)
def test_points_that_look_alike(tmp_path, alike):
    """Without a file each is a point of its own; with one they are refused, before anything is computed."""
    points, file, asked = ALIKE[alike], tmp_path / "study.jsonl", []
    table = dl.sweep(lambda x: asked.append(id(x)) or id(x), {"x": points}, n_jobs=1)
    assert table["value"].tolist() == [id(point) for point in points] == asked
    with pytest.raises(ValueError, match=r"grid\['x'\]: .* is not allowed; with a file it must be told"):
        dl.sweep(hold_wins, {"n": [1], "x": points}, n_jobs=1, file=file)
    assert not file.exists()


def told(x):
    """What tells x from others, by its type and its content."""
    if isinstance(x, np.ndarray):
        return f"{x.dtype} {x.shape} {x.tolist()}"
    return f"{type(x).__name__} {x!r} {x.modes[0].dice if isinstance(x, dl.Game) else ''}"


DISTINCT = [
    1, True, 1.0, "1", "True", None, "None", Fraction(1), Decimal(1), Decimal("1.0"), 1j, b"1",
    np.int64(1), np.int32(1), np.float64(1), np.float32(1), np.bool_(True), float("nan"), 0.0, -0.0, float("inf"),
    (1,), [1], {1},
    frozenset({1}),
    {"a": 1}, {"a": 1.0}, (1, (2, 3)), ((1, 2), 3), range(3), range(4), *LONG, np.zeros(3), np.zeros((3, 1)),
    np.zeros(3, dtype=int), np.array(1), np.array([1]), Path("a"), Path("b"), dl.pig, dl.piglet, dl.pig(6), dl.pig(7),
    dl.pig(6, finish="exact"), dl.hold_at(2), dl.hold_at(3), dl.scoring_turns(3), dl.end_race_or_keep_pace(), 10**5000,
    10**5000 + 1, Fraction(1, 10**5000), Fraction(1, 10**5000 + 1), dl.ten_thousand(3),
    replace(dl.ten_thousand(3), modes=[replace(mode, dice=None) for mode in dl.ten_thousand(3).modes]),
    np.array(["a", 1], dtype=object), np.array(["a", 2], dtype=object), np.datetime64("2000-01-01"),
    np.datetime64("2000-01-01", "s"), "", "\ud800", [], (), {}, set(),
]  # fmt: skip


def test_points_are_told_apart_by_what_they_are(tmp_path):
    """Also those that are equal, like 1, True and 1.0; and the same point is the same in another process."""
    file = tmp_path / "study.jsonl"
    table = dl.sweep(told_in_short, {"x": DISTINCT}, n_jobs=1, file=file)
    assert table["value"].tolist() == [told_in_short(x) for x in DISTINCT]
    assert len(file.read_text().splitlines()) == len(DISTINCT)
    again = pickle.loads(pickle.dumps(DISTINCT))
    assert dl.sweep(told_in_short, {"x": again}, n_jobs=1, file=file)["value"].tolist() == table["value"].tolist()
    assert len(file.read_text().splitlines()) == len(DISTINCT), "nothing was computed again"


def told_in_short(x):
    if type(x) in (int, Fraction):
        return f"{type(x).__name__} {x.numerator % 997} {x.denominator % 997}"
    return told(x)


def test_identities_are_the_same_in_another_process():
    program = (
        "import dicelab as dl, numpy as np\nfrom dicelab.identity import *\nfrom dicelab.studies import portrait\n"
    )
    values = "[{'a', 'b', 'c', 1, None}, dl.two_dice_pig(9), dl.hold_at(3), np.arange(9.0), dl.pig]"
    program += f"print([digest(of_value(x)) for x in {values}], digest(of_function(portrait)))"
    said = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            cwd=Path(dl.__file__).parents[1],
        ).stdout
        for seed in "123"
    }
    assert len(said) == 1 and said != {b""}


OFFSET = 1


def helped(n):
    return n + OFFSET


def uses_a_global(n):
    return helped(n)


def functions():
    """Pairs of functions that give other results, alike as they may look."""

    def around(offset):
        return lambda n: n + offset

    def default(offset):
        def add(n, offset=offset):
            return n + offset

        return add

    def nested(offset):
        if offset == 1:
            return lambda n: (lambda: n + 1)()
        return lambda n: (lambda: n + 2)()

    yield around(1), around(2)
    yield default(1), default(2)
    yield nested(1), nested(2)
    yield partial(around_of, 1), partial(around_of, 2)
    yield Adds(1), Adds(2)
    yield Adds(1).plus, Adds(2).plus
    yield (lambda n: n + 1), (lambda n: n + 2)
    yield (lambda n: abs(n) + 1), (lambda n: hash(n) + 2)
    yield around(around(1)(0)), around(Fraction(2))


def around_of(offset, n):
    return n + offset


@dataclass(frozen=True)
class Adds:
    offset: int

    def __call__(self, n):
        return n + self.offset

    def plus(self, n):
        return n + self.offset


@pytest.mark.parametrize("pair", range(9))
def test_another_function_does_not_get_the_results_of_the_first(tmp_path, pair):
    file, (first, second) = tmp_path / "study.jsonl", list(functions())[pair]
    for _ in range(2):
        assert dl.sweep(first, {"n": [5]}, n_jobs=1, file=file)["value"].tolist() == [6]
        assert dl.sweep(second, {"n": [5]}, n_jobs=1, file=file)["value"].tolist() == [7]
    assert len(file.read_text().splitlines()) == 2, "and its own, it gets"


def test_what_a_function_uses_is_part_of_it(tmp_path, monkeypatch):
    file = tmp_path / "study.jsonl"
    assert dl.sweep(uses_a_global, {"n": [5]}, n_jobs=1, file=file)["value"].tolist() == [6]
    monkeypatch.setitem(globals(), "OFFSET", 2)
    assert dl.sweep(uses_a_global, {"n": [5]}, n_jobs=1, file=file)["value"].tolist() == [7]
    monkeypatch.setitem(globals(), "OFFSET", Odd(3))
    with pytest.raises(ValueError, match=r"function: .* and so must all that it uses, Odd too"):
        dl.sweep(uses_a_global, {"n": [5]}, n_jobs=1, file=file)

    class Call:
        def __call__(self, n):
            return n

    with pytest.raises(ValueError, match=r"function: .* is not allowed; with a file it must be told"):
        dl.sweep(Call(), {"n": [5]}, n_jobs=1, file=file)
    assert dl.sweep(Call(), {"n": [5, 5]}, n_jobs=1)["value"].tolist() == [5, 5]


RESULTS = {
    "a": Fraction(1, 3), "b": Fraction(1, 7**9000), "c": 10**6000, "d": -(10**6000), "e": 0.1, "f": True, "g": None,
    "h": "x", "i": float("inf"), "j": np.float64(0.5), "k": np.int8(3), "l": 0, "m": Fraction(-3), "n": np.bool_(False),
    "o": np.str_("y"),
}  # fmt: skip


def test_results_come_back_as_they_were(tmp_path):
    file = tmp_path / "study.jsonl"
    first = dl.sweep(lambda x: RESULTS[x], {"x": list(RESULTS)}, n_jobs=1, file=file)
    again = dl.sweep(lambda x: RESULTS[x], {"x": list(RESULTS)}, n_jobs=1, file=file)
    for table in (first, again):
        for value, wanted in zip(table["value"], RESULTS.values(), strict=True):
            plain = wanted.item() if isinstance(wanted, np.generic) else wanted
            assert value == wanted and type(value) in (type(wanted), type(plain))
    exact = {"target": [3, 20]}
    for _ in range(2):
        found = dl.sweep(lambda target: dl.solve(dl.pig(target), exact=True).value, exact, n_jobs=1, file=file)
        assert found["value"].tolist() == [dl.solve(dl.pig(target), exact=True).value for target in (3, 20)]
    assert len(file.read_text().splitlines()) == len(RESULTS) + 2


UNWRITTEN = [Decimal(1), 1j, [1], pd.Series([1]), {"a": [1]}, {"a": {"b": 1}}, {1: 2}, Odd(1), b"1"]


@pytest.mark.parametrize("value", UNWRITTEN, ids=lambda value: type(value).__name__)
def test_what_cannot_be_written_is_refused_and_nothing_is_lost(tmp_path, value):
    file, found = tmp_path / "study.jsonl", tmp_path / "value"
    found.write_bytes(pickle.dumps(value))
    with pytest.raises(ValueError, match=r"^function: "):
        dl.sweep(lambda n: pickle.loads(found.read_bytes()) if n == 3 else n, {"n": [1, 2, 3]}, n_jobs=1, file=file)
    assert len(file.read_text().splitlines()) == 2


@pytest.mark.parametrize("with_file", [True, False])
def test_a_result_does_not_take_an_arguments_name(tmp_path, with_file):
    file = tmp_path / "study.jsonl" if with_file else None
    for function, grid, name in (
        (lambda n: {"n": 3, "m": 4}, {"n": [1]}, "n"),
        (lambda value: 3, {"value": [1]}, "value"),
    ):
        with pytest.raises(ValueError, match=f"function: what it returns is named '{name}', as an argument is"):
            dl.sweep(function, grid, n_jobs=1, file=file)


def test_a_torn_line_is_cut_off_where_it_began(tmp_path):
    """The others are not written again."""
    file = tmp_path / "study.jsonl"
    dl.sweep(told, {"x": ["ä", "b"]}, n_jobs=1, file=file)
    whole, same = file.read_bytes(), tmp_path / "same"
    same.hardlink_to(file)
    file.write_bytes(whole + b'["\xc3')
    assert dl.sweep(told, {"x": ["ä", "b"]}, n_jobs=1, file=file)["value"].tolist() == [told("ä"), told("b")]
    assert file.read_bytes() == whole and file.samefile(same)


@pytest.mark.parametrize("text", ['["key", {"value": 1}]\n', '["key", {}, {"value": 1}]\n', "[1]\n", "{}\n", "\xff\n"])
def test_what_no_sweep_has_written_is_refused(tmp_path, text):
    file = tmp_path / "study.jsonl"
    file.write_text(text)
    with pytest.raises(ValueError, match="it is no file of an earlier sweep"):
        dl.sweep(told, {"x": [1]}, n_jobs=1, file=file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((3, {"n": [1]}), "function: 3 is not allowed"),
        ((abs, {"n": "12"}), r"grid\['n'\]: '12' is not allowed"),
        ((abs, {"n": 12}), r"grid\['n'\]: 12 is not allowed"),
        ((abs, 12), "grid: 12 is not allowed"),
        ((abs, [{"n": 1}, {"m": 1}]), "grid: .* is not allowed"),
    ],
)
def test_bad_arguments_are_refused(arguments, said):
    with pytest.raises(ValueError, match=said):
        dl.sweep(*arguments)


def test_another_file_is_refused_and_kept(tmp_path):
    file = tmp_path / "notes.txt"
    file.write_text("my notes\n")
    with pytest.raises(ValueError, match="it is no file of an earlier sweep"):
        dl.sweep(abs, {"n": [1]}, file=file)
    assert file.read_text() == "my notes\n"


def slow_square(n):
    time.sleep(0.2)
    return n * n


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


def test_all_dice_are_all_dice():
    for points, faces, parts in ((1, 2, 6), (3, 4, 6), (4, 3, 5)):
        found = all_dice(points, faces, parts)
        every = [die for die in product(range(parts + 1), repeat=points + 1) if sum(die) == parts]
        wanted = [die for die in every if 0 < die[0] < parts and sum(part > 0 for part in die) <= faces]
        assert found == sorted(tuple(Fraction(part, parts) for part in die) for die in wanted)
    with pytest.raises(ValueError, match="faces: 1"):
        all_dice(3, 1, 6)


def test_a_die_in_a_few_numbers():
    """Held against simple sums: of a turn that holds at 20 (Pig), and of a coin."""
    pig = portrait(("1/6", 0, *["1/6"] * 5), 100)
    chances, mean, square = {0: 1.0}, 0.0, 0.0
    for total in range(26):
        chance = chances.get(total, 0.0)
        for face in range(2, 7) if total < 20 else ():
            chances[total + face] = chances.get(total + face, 0.0) + chance / 6
        if total >= 20:
            mean, square = mean + chance * total, square + chance * total**2
    assert (pig["bust"], pig["hold"]) == (1 / 6, 20)
    assert pig["turn_mean"] == pytest.approx(mean, rel=1e-14)
    assert pig["turn_sd"] == pytest.approx((square - mean**2) ** 0.5, rel=1e-13)
    assert (pig["turns"], pig["first_wins"]) == (dl.solve(dl.pig(), "turns").value, dl.solve(dl.pig()).value)
    coin = portrait(("1/2", "1/2"), 7)
    assert (coin["hold"], coin["turn_mean"], coin["turn_sd"], coin["turns"]) == (1, 0.5, 0.5, 14.0)


@pytest.mark.parametrize(
    "parameters", [{"target": 15, "points": 3}, {"target": 9, "points": 4, "faces": 3, "parts": 5}]
)
def test_the_notebook_on_all_dice_runs(tmp_path, parameters):
    notebook, file = Path(__file__).parents[1] / "notebooks" / "explore" / "all-dice.ipynb", tmp_path / "dice.jsonl"
    said = execution.execute(notebook, tmp_path / "out.ipynb", {**parameters, "file": str(file)}, 300)
    assert said == ""
    assert len(file.read_text().splitlines()) == len(
        all_dice(parameters["points"], parameters.get("faces", 4), parameters.get("parts", 6))
    )
