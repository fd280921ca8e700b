"""Calls that do not end are stopped, however they are written, and leave nothing behind."""

import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from conftest import until

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
    return lambda seconds, function, *arguments: WAYS[request.param](
        seconds, function, arguments, lambda: 0
    )


@pytest.mark.parametrize("function", [loop, catches_exceptions, catches_everything])
def test_an_endless_function_is_stopped(within, function):
    began, worked = time.monotonic(), time.thread_time()
    with pytest.raises(TimeUp):
        within(0.2, function)
    assert time.monotonic() - began >= 0.2
    assert time.thread_time() - worked < 1.5, "soon, waiting for a core not counted"


def test_results_and_errors_pass(within):
    assert within(10, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        within(10, divmod, 7, 0)


def test_nothing_is_raised_later(within):
    """A function that ends at just its last moment either returns or is stopped; no alarm comes after it."""

    def ends(after):
        end = time.perf_counter() + after
        while time.perf_counter() < end:
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
        assert time.monotonic() - began < 30, "before it wakes by itself"
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
    thread.join(60)
    assert ended


@pytest.mark.skipif("alarm" not in WAYS, reason="no alarms on this system")
def test_an_alarm_that_was_set_goes_on():
    rung = []
    before = signal.signal(signal.SIGALRM, lambda *_: rung.append(True))
    try:
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 60)
        with pytest.raises(TimeUp):
            call_within(0.1, loop)
        left, _ = signal.setitimer(signal.ITIMER_REAL, 0.1)
        assert 60 - (time.monotonic() - began) - 0.01 < left < 60 - 0.1 + 0.01
        assert not rung
        until(lambda: rung)
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
