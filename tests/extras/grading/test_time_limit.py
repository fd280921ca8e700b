"""Calls that do not end are stopped, however they are written, and leave nothing behind."""

import signal
import sys
import threading
import time

import pytest

from dicelab_extras.grading import time_limit
from dicelab_extras.grading.time_limit import TimeUp, call_within

WAYS = {"alarm": time_limit._by_alarm, "thread": time_limit._by_thread}
if not hasattr(signal, "setitimer"):
    del WAYS["alarm"]


def loop():
    while True:
        pass


def catches_everything():
    while True:
        try:  # noqa: SIM105
            loop()
        except:  # noqa: E722
            pass


@pytest.fixture(params=WAYS)
def within(request):
    return lambda seconds, function, *arguments: WAYS[request.param](
        seconds, function, arguments, lambda: 0
    )


@pytest.mark.parametrize("function", [loop, catches_everything])
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


def test_by_the_thread():
    """Where an alarm is possible it is used, and wakes a sleeper. In another thread a loop is stopped as well."""
    if "alarm" in WAYS:
        began = time.monotonic()
        with pytest.raises(TimeUp):
            call_within(0.2, lambda: time.sleep(30))
        assert time.monotonic() - began < 30, "before it wakes by itself"
    ended = []

    def work():
        with pytest.raises(TimeUp):
            call_within(0.2, loop)
        assert sys.gettrace() is None
        ended.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert ended
