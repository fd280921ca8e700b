"""Memory: the estimates are near the measured peaks, and what is too large is refused at once, with the figure."""

import os
import re
import struct
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from time import monotonic, sleep
from types import SimpleNamespace

import pytest
from numba import njit

import dicelab as dl
from collection.papers.first_move import summarise_die
from dicelab import _compile, _limits
from dicelab.evaluation.simulation import play
from dicelab.evaluation.studies import reachable, turn_points, turns_needed
from dicelab.views.tables import to_frame
from dicelab_extras.proofs.certificate_file import check_writable

MEASURE = """
import re, sys
from pathlib import Path
import dicelab as dl
from collection import textbook
from dicelab import _limits

def status(field):
    return 1024 * int(re.search(field + r":\\s+(\\d+)", Path("/proc/self/status").read_text())[1])

def ask(n):
    {setup}
    return lambda: {call}

ask(6)()  # what is compiled and imported stays
asked = ask({target})
_limits.available = lambda: 1
try:
    asked()
except MemoryError as error:
    print(error)
_limits.available = lambda: 10**12
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
asked()
print((status("VmHWM") - before) / 10**6)
"""
EQUILIBRIUM = "policy = dl.solve(dl.pig(n), players=3).policy"
HOLDS = "first, second = dl.hold_at(20), dl.hold_at(25)"
MEASURED = {  # what is solved before, what is measured, target
    "solve": ("", "dl.solve(dl.pig(n))", 2000),
    "double-trouble": ("", "dl.solve(dl.double_trouble(n))", 400),
    "turns": ("", "dl.solve(dl.pig(n), 'turns')", 1506),
    "evaluate": (HOLDS, "dl.evaluate(dl.pig(n), first, second)", 401),
    "best-response": (HOLDS, "dl.best_response(dl.pig(n), first)", 402),
    "simulate": (HOLDS, "dl.simulate(dl.pig(n), first, second, games=1000)", 303),
    "evaluate-three": (HOLDS, "dl.evaluate(dl.pig(n), first, second, first)", 112),
    "evaluate-equilibrium": (EQUILIBRIUM, "dl.evaluate(dl.pig(n), policy, policy, policy)", 71),
    "respond-to-two": (HOLDS, "dl.best_response(dl.pig(n), first, second)", 72),
    "simulate-equilibrium": (
        EQUILIBRIUM,
        "dl.simulate(dl.pig(n), policy, policy, policy, games=1000)",
        73,
    ),
    "exact": ("", "dl.solve(dl.pig(n), exact=True)", 57),
    "certify": ("solution = dl.solve(dl.pig(n))", "dl.certify(solution, settle=0)", 400),
    "grade": (HOLDS, "dl.grade(dl.pig(n), first)", 120),
    "bounds": ("solution = dl.solve(dl.pig(n))", "dl.bounds(solution)", 700),
}
linux = pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="peaks are read from Linux's /proc"
)


def announced(said):
    """The megabytes that a MemoryError speaks of."""
    number, unit = re.search(r"needs about ([0-9.]+) (TB|GB|MB) of memory", said).groups()
    return float(number) * {"TB": 1e6, "GB": 1e3, "MB": 1}[unit]


@pytest.mark.slow
@linux
@pytest.mark.parametrize("name", MEASURED)
def test_what_is_announced_is_what_it_takes(name):
    setup, call, target = MEASURED[name]
    program = MEASURE.format(setup=setup or "pass", call=call, target=target)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    said, taken = result.stdout.strip().split("\n")
    print(f"{name}: {float(taken):.0f} MB of {announced(said):.0f} announced")
    assert float(taken) <= announced(said) + 2, "it takes more than is announced"
    assert announced(said) <= 5 * float(taken) + 20, "far too much is announced"
    if name == "solve":
        assert float(taken) < 200


HUGE = dl.pig(10**9)
SMALL = dl.solve(dl.pig(8))


@pytest.mark.parametrize(
    ("ask", "what"),
    [
        (lambda: dl.solve(HUGE), "solving Pig to 1000000000"),
        (lambda: dl.solve(HUGE, "turns"), "the fewest turns of Pig"),
        (lambda: dl.solve(HUGE, exact=True), "solving Pig to 1000000000 in fractions"),
        (
            lambda: dl.solve(dl.two_dice_pig(300), exact=True),
            "solving Two-dice Pig to 300 in fractions",
        ),
        (
            lambda: dl.solve(dl.generalized_pig(["1e-12", "0.999999999999"], 9), "score"),
            "one turn of Generalized Pig",
        ),
        (lambda: dl.solve(dl.Game("far", 3, far(10**12))), "solving far to 3"),
        (lambda: dl.evaluate(HUGE, dl.hold_at(3), dl.hold_at(3)), "a match of Pig"),
        (
            lambda: dl.evaluate(dl.pig(500), dl.scoring_turns(10**6), dl.hold_at(3)),
            "a match of Pig",
        ),
        (lambda: dl.best_response(HUGE, dl.hold_at(3)), "the best response in Pig"),
        (lambda: dl.grade(HUGE, 20), "a grade of Pig"),
        (lambda: dl.grade(dl.pig(15_000), 20, 25), "a grade of Pig"),
        (lambda: turn_points(dl.pig(10**6), 20), "recording a policy of Pig"),
        (lambda: check_writable(dl.pig(10**5)), "a certificate of Pig"),
        (lambda: dl.simulate(HUGE, dl.hold_at(3), dl.hold_at(3)), "10,000,000 games of Pig"),
        (lambda: turn_points(HUGE, dl.hold_at(3)), "following Pig"),
        (lambda: turns_needed(HUGE, dl.hold_at(3)), "following Pig"),
        (
            lambda: dl.sweep(abs, {"x": range(10**6), "y": range(10**6)}),
            "a grid of 1,000,000,000,000 points",
        ),
        (lambda: dl.export(dl.pig(10**12), "x.prism"), "the text of Pig"),
        (lambda: summarise_die(["1/2", "1/2"], 10**9), "solving Generalized Pig|the fewest turns"),
    ],
)
def test_what_is_too_large_is_refused_at_once_with_the_figure(ask, what):
    with pytest.raises(
        MemoryError, match=rf"({what}).* needs about .* of memory, more than half of the .*; take"
    ) as caught:
        ask()
    assert announced(str(caught.value).replace("1,000 TB or more", "1000 TB")) > 1000


@pytest.mark.parametrize("finish", ["reach", "equal turns"])
@pytest.mark.parametrize(
    "strategy",
    [lambda own, opponent, turn_total, to_beat=None: "roll", {(0, 0): 20}, [[20, 20], [20, 20]]],
    ids=["function", "pairs", "lists"],
)
def test_a_table_that_is_too_large_is_refused_before_it_is_made(strategy, finish):
    with pytest.raises(ValueError, match=r"^target: 1000000000 makes a table of [0-9,]+ bytes"):
        dl.grade(dl.pig(10**9, finish), strategy)


def far(points):
    return dl.Mode(
        "roll", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(points, "roll"))]
    )


@pytest.mark.parametrize(
    "ask",
    [
        lambda: dl.solve(dl.pig(100)),
        lambda: dl.certify(SMALL),
        lambda: dl.bounds(SMALL),
        lambda: to_frame(SMALL),
        lambda: SMALL.policy.roll_mask(),
        lambda: reachable(dl.pig(8), dl.hold_at(3)),
        lambda: dl.solve(dl.pig(8)),
    ],
)
def test_half_of_a_small_machine(ask, monkeypatch):
    monkeypatch.setattr(_limits, "available", lambda: 100)
    SMALL.policy.__dict__.pop("_table", None)
    with pytest.raises(MemoryError, match=r"more than half of the 0\.0 MB that there are"):
        ask()


def test_just_half_is_allowed(monkeypatch):
    monkeypatch.setattr(_limits, "available", lambda: 2000)
    _limits.check_memory(1000, "this")
    with pytest.raises(
        MemoryError, match=r"^this needs about 0\.0 MB of memory, .*; take a smaller one$"
    ):
        _limits.check_memory(1001, "this")
    monkeypatch.setattr(_limits, "available", lambda: float("inf"))
    _limits.check_memory(10**100, "anything, where nothing is known")


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0.0 MB"),
        (1_250_000, "1.2 MB"),
        (10**9, "1.0 GB"),
        (10**13, "10.0 TB"),
        (10**400, "1,000 TB or more"),
    ],
)
def test_sizes_are_readable(size, text):
    assert _limits.in_units(size) == text


def test_a_table_of_all_decisions_has_a_stated_size():
    solution = dl.solve(dl.piglet(1025))
    for ask in (solution.policy.roll_mask, solution.policy.hold_thresholds):
        with pytest.raises(
            ValueError,
            match=r"more than 1,073,741,824; ask for one pair of scores, by rolls\(own, opp",
        ):
            ask()
    assert solution.policy.rolls(0, 0, 1) in (True, False)
    assert solution.policy.decisions(dl.piglet(1025), 3, 4).shape == (1, 1022)


def test_the_limit_of_a_control_group(tmp_path, monkeypatch):
    read = _limits.available.__wrapped__  # without the cache
    monkeypatch.setattr(_limits, "CGROUPS", tmp_path)
    machine = read()
    assert 10**8 < machine < 10**15
    for text, limit in (
        ("max\n", machine),
        ("1000000\n", 10**6),
        ("x", machine),
        (str(10**30), machine),
    ):
        (tmp_path / "memory.max").write_text(text)
        assert read() == limit


def foreign():
    return 1


@pytest.mark.parametrize(
    ("kernel", "times"), [(play, 1), (njit(foreign), 0)], ids=["ours", "of others"]
)
def test_compiling_is_announced(kernel, times, monkeypatch):
    """Once, also if a kernel is compiled for another one, and sooner if one was compiled just before."""
    waits = []
    listener = _compile.Announcement()
    monkeypatch.setattr(_compile, "monotonic", lambda: 100.0 + len(waits))
    monkeypatch.setattr(_compile, "waiting", lambda *given: waits.append(given) or nullcontext())
    for _ in range(2):
        for on in (listener.on_start, listener.on_start, listener.on_end, listener.on_end):
            on(SimpleNamespace(data={"dispatcher": kernel}))
    assert waits == [("compiling, once", 2.0), ("compiling, once", 1.0)] * times


def test_a_bar_does_not_count_the_time_of_waiting():
    bar = _limits.progress(range(100), "rest", "step")
    began, before = monotonic(), bar.format_dict["elapsed"]
    with _limits.waiting("for something else"):
        slept = monotonic()
        sleep(0.3)
        slept = monotonic() - slept
    elapsed = bar.format_dict["elapsed"] - before
    assert elapsed < monotonic() - began - slept + 1e-3
    bar.close()
    with _limits.waiting("again"):
        pass


WORK = """
from time import sleep
from tqdm import std
from dicelab import _limits
now = 0.0
std.time = lambda: now  # a clock of its own: nothing waits, nothing is late
with _limits.waiting("compiling, once", 0.01):
    sleep(0.5)
with _limits.waiting("soon compiled"):
    pass
for _ in _limits.progress(range(12), "working", "step"):
    now += 1.0
for _ in _limits.progress(range(2), "soon done", "step"):
    now += 0.9
"""


def test_a_log_tells_of_long_steps_alone():
    told = subprocess.run([sys.executable, "-c", WORK], capture_output=True, text=True, check=True)
    assert (told.stdout, told.stderr) == ("", "working: 12 steps, 12 s\n")


@linux
def test_a_terminal_has_a_bar_and_is_blank_at_the_end():
    import fcntl
    import pty
    import termios

    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    subprocess.run([sys.executable, "-c", WORK], stdout=theirs, stderr=theirs, check=True)
    os.close(theirs)
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    assert "compiling, once" in said and re.search(r"working: +\d+%", said)
    assert "soon" not in said and "\n" not in said
    assert said.rstrip("\r").rpartition("\r")[2].isspace()


@pytest.mark.slow
def test_a_kernel_has_one_display_if_somebody_watches():
    """Emptied at the end; and nothing where no input is allowed, as in papermill, nbconvert and jupyter execute."""
    from jupyter_client.manager import start_new_kernel

    manager, client = start_new_kernel()
    told = {True: [], False: []}
    try:
        for watched, messages in told.items():
            reply = client.execute_interactive(
                WORK, allow_stdin=watched, output_hook=messages.append, stdin_hook=print
            )
            assert reply["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    told = {
        watched: [part["content"] for part in messages if "data" in part["content"]]
        for watched, messages in told.items()
    }
    shown = [content["data"].get("text/plain") for content in told[True]]
    assert told[False] == []
    assert len({content["transient"]["display_id"] for content in told[True]}) == 1
    assert shown[0] == "compiling, once" and shown[-1] is None
    assert any(re.search(r"working: +\d+%", text) for text in shown if text)
    assert not any("soon" in text for text in shown if text)
