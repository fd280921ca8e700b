"""What is too large for the memory is refused at once, with the figure; what takes long says so."""

import subprocess
import sys

import pytest

import dicelab as dl
from dicelab import _limits
from dicelab_extras import grading, proofs
from dicelab_extras.proofs.certificate_file import check_writable

HUGE = dl.pig(10**9)
SMALL = dl.solve(dl.pig(8))


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda: dl.solve(HUGE), "solving Pig to 1000000000"),
        (lambda: dl.solve(HUGE, exact=True), "solving Pig to 1000000000"),
        (lambda: dl.solve(dl.two_dice_pig(300), exact=True), "solving Two-dice Pig to 300 in fractions"),
        (lambda: dl.evaluate(HUGE, dl.hold_at(3), dl.hold_at(3)), "recording a policy of Pig"),
        (lambda: dl.best_response(HUGE, dl.hold_at(3)), "recording a policy of Pig"),
        (lambda: grading.grade(HUGE, 20), "a grade of Pig"),
        (lambda: check_writable(dl.pig(10**5)), "a certificate of Pig"),
        (lambda: dl.simulate(HUGE, dl.hold_at(3), dl.hold_at(3)), "recording a policy of Pig"),
        (lambda: proofs.export(dl.pig(10**12), "x.prism"), "the text of Pig"),
    ],
)  # fmt: skip
def test_what_is_too_large_is_refused_at_once_with_the_figure(ask, what):
    figure = r"[\d.]+[GTPEZY]B"
    said = rf"({what}).* needs about {figure} of memory, more than half of the .*; take"
    with pytest.raises(MemoryError, match=said):
        ask()


@pytest.mark.parametrize("finish", ["reach", "equal turns"])
@pytest.mark.parametrize(
    "strategy",
    [lambda own, opponent, turn_total: "roll", {(0, 0): 20}, [[20, 20], [20, 20]]],
    ids=["function", "pairs", "lists"],
)
def test_a_table_that_is_too_large_is_refused_before_it_is_made(strategy, finish):
    with pytest.raises(MemoryError, match="a table of all decisions to 1000000000 needs about"):
        grading.grade(dl.pig(10**9, finish), strategy)


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dl.solve(dl.pig(100)),
        lambda: proofs.certify(SMALL),
        SMALL.to_frame,
        SMALL.policy.roll_mask,
        lambda: dl.solve("two-dice-pig", "rounds", turns=11),
    ],
)
def test_half_of_a_small_machine(ask, monkeypatch):
    monkeypatch.setattr(_limits, "available", lambda: 100)
    with pytest.raises(MemoryError, match=r"more than half of the 100B that there are"):
        ask()


WORK = """
from tqdm import std
from dicelab import _limits
now = 0.0
std.time = lambda: now  # a clock of its own: nothing waits, nothing is late
for _ in _limits.progress(range(12), "working", "step"):
    now += 1.0
for _ in _limits.progress(range(2), "soon done", "step"):
    now += 0.9
"""


def test_a_log_is_told_nothing():
    told = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("", "")


@pytest.mark.parametrize("text", ["max\n", "1000000\n", "x", str(10**30)])
def test_the_limit_of_a_control_group(text, tmp_path, monkeypatch):
    read = _limits.available.__wrapped__  # without the cache
    monkeypatch.setattr(_limits, "CGROUPS", tmp_path)
    machine = read()
    (tmp_path / "memory.max").write_text(text)
    assert read() == (10**6 if text == "1000000\n" else machine) and 10**8 < machine < 10**15
