"""Parameter studies: tidy, resumed, and on a user's Dask cluster."""

import os
import signal
import subprocess
import sys
import threading
import time
from fractions import Fraction
from itertools import product
from pathlib import Path

import joblib
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
    def fails_at_three(n):
        if n == 3:
            raise ArithmeticError("three")
        return n * n

    file = tmp_path / "study.jsonl"
    with pytest.raises(ArithmeticError, match="three"):
        dl.sweep(fails_at_three, {"n": [1, 2, 3]}, n_jobs=1, file=file)
    table = dl.sweep(lambda n: -n, {"n": [1, 2, 3]}, n_jobs=1, file=file)
    assert table.value.tolist() == [1, 4, -3]


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
