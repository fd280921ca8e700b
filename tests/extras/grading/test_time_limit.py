"""Calls that do not end are stopped, however they are written, and leave nothing behind."""

import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from dicelab_extras.grading.time_limit import TimeUp, call_within

limited = pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="there are no alarms")


def loop():
    while True:
        pass


def catches_everything():
    while True:
        try:  # noqa: SIM105
            loop()
        except:  # noqa: E722
            pass


@limited
@pytest.mark.parametrize("function", [loop, catches_everything])
def test_an_endless_function_is_stopped(function):
    tracer, handler = sys.gettrace(), signal.getsignal(signal.SIGALRM)
    began, worked = time.monotonic(), time.thread_time()
    with pytest.raises(TimeUp):
        call_within(0.2, function)
    assert time.monotonic() - began >= 0.2
    assert time.thread_time() - worked < 1.5, "soon, waiting for a core not counted"
    assert (sys.gettrace(), signal.getsignal(signal.SIGALRM)) == (tracer, handler)


def test_results_and_errors_pass():
    assert call_within(10, divmod, 7, 2) == (3, 1)
    with pytest.raises(ZeroDivisionError):
        call_within(10, divmod, 7, 0)


@limited
def test_a_sleeper_is_woken():
    began = time.monotonic()
    with pytest.raises(TimeUp):
        call_within(0.2, lambda: time.sleep(30))
    assert time.monotonic() - began < 30, "before it wakes by itself"


def test_in_another_thread_nothing_is_limited():
    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(call_within, 1e-9, divmod, 7, 2).result(60) == (3, 1)
