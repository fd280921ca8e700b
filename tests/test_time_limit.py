"""Calls that do not end are stopped, however they are written, and leave nothing behind."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest

from dicelab import _time_limit
from dicelab._time_limit import TimeUp, call_within

WAYS = {"alarm": _time_limit._by_alarm, "thread": _time_limit._by_thread}
if not hasattr(signal, "setitimer"):
    del WAYS["alarm"]


def loop():
    while True:
        pass


def catches_exceptions():
    while True:
        with suppress(Exception):
            loop()


def catches_everything():
    while True:
        try:  # noqa: SIM105
            loop()
        except:  # noqa: E722
            pass


def sleep():
    time.sleep(30)


@pytest.fixture(params=WAYS)
def within(request):
    return lambda seconds, function, *arguments: WAYS[request.param](seconds, function, arguments)


@pytest.mark.parametrize("function", [loop, catches_exceptions, catches_everything])
def test_an_endless_function_is_stopped(within, function):
    began = time.monotonic()
    with pytest.raises(TimeUp):
        within(0.2, function)
    assert 0.2 <= time.monotonic() - began < 1.5


def test_results_and_errors_pass(within):
    assert within(10, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        within(10, divmod, 7, 0)


def test_nothing_is_raised_later(within):
    """A function that ends at just its last moment either returns or is stopped; no alarm comes after it."""

    def ends(after):
        until = time.perf_counter() + after
        while time.perf_counter() < until:
            pass
        return after

    tracer = sys.gettrace()
    for n in range(60):
        with suppress(TimeUp):
            assert within(0.01, ends, 0.0096 + n / 100_000) > 0
        assert sum(range(100)) == 4950
    time.sleep(0.2)
    assert threading.active_count() < 60
    assert sys.gettrace() is tracer


def test_by_the_thread():
    """Where an alarm is possible it is used, and wakes a sleeper. In another thread a loop is stopped as well."""
    if "alarm" in WAYS:
        began = time.monotonic()
        with pytest.raises(TimeUp):
            call_within(0.2, sleep)
        assert time.monotonic() - began < 2
    ended = []

    def nap():
        time.sleep(0.5)
        return loop()

    def work():
        for function in (loop, nap):
            with pytest.raises(TimeUp):
                call_within(0.2, function)
            assert sys.gettrace() is None
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(5)
    assert ended


@pytest.mark.skipif("alarm" not in WAYS, reason="no alarms on this system")
def test_an_alarm_that_was_set_goes_on():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with pytest.raises(TimeUp):
            call_within(0.1, loop)
        assert not rung
        time.sleep(0.5)
        assert rung
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_debugger_can_trace_afterwards():
    """In a thread, too: an exception that is only taken back leaves a signal with which traced calls hang."""
    code = """
import sys, threading
from dicelab._time_limit import call_within

def ask():
    assert call_within(5, lambda: 1) == 1
    sys.settrace(lambda *_: None)
    (lambda: 2)()
    print("traced")

thread = threading.Thread(target=ask)
thread.start()
thread.join()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "traced\n", done.stderr
