"""A call that is stopped if it does not end.

`call_within` runs a function in the thread that asks, so that it may draw, print and call the package as always. When
its time is over, `TimeUp` is raised inside the function:

- in the main thread of Linux and macOS, where Jupyter runs cells, by an alarm signal. It also wakes a function that
  sleeps or waits;
- in other threads, and on Windows, by a second thread that asks Python to raise it there. A function that sleeps or
  waits is stopped when it wakes.

In both cases Python raises it between two of its own instructions. Nothing inside the process can stop compiled code
before it returns: a numba kernel, or ``sum`` of an endless iterator. `TimeUp` is not an Exception, so ``except
Exception`` does not catch it. Where a bare ``except:`` has caught it, each further line raises it again.
"""

import ctypes
import math
import signal
import sys
import threading
import time
from contextlib import suppress

__all__ = ["TimeUp", "call_of_user", "call_within", "calls_within"]

AGAIN = 0.1  # seconds until it is raised once more, if the function has caught it


class TimeUp(BaseException):
    """The time of a call is over."""


class _StillUp(TimeUp):
    """The function has caught `TimeUp`: from now on each of its lines raises it, those of an ``except:`` as well."""

    def __init__(self, frame=None):
        frame = frame or sys._getframe(1)
        if not _ours(frame):
            sys.settrace(_raise)
        while frame is not None and not _ours(frame):  # the function, and what it has called
            frame.f_trace, frame = _raise, frame.f_back


def _ours(frame):
    return frame.f_code.co_filename == __file__


def _raise(frame, event, _):
    if event in ("call", "line") and not _ours(frame):
        raise TimeUp
    return _raise


def call_within(seconds, function, *arguments, since=lambda: -math.inf):
    """The result of a call.

    Parameters
    ----------
    seconds : float
    function : callable
    *arguments
        What it is called with.
    since : callable
        When the time began that is limited, by `time.monotonic`; by default with this call.

    Raises
    ------
    TimeUp
        If it has not ended after that many seconds. Whatever the function raises is raised, too.
    """
    if hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread():
        return _by_alarm(seconds, function, arguments, since)
    return _by_thread(seconds, function, arguments, since)


class Calls:
    """The call of a user's function that is going on: when it began, and how many seconds it may take."""

    began, seconds = math.inf, math.inf


def calls_within(seconds, function, *arguments):
    """The result of a call in which each :func:`call_of_user` is stopped after so many seconds; see `call_within`."""
    Calls.seconds = seconds
    return call_within(seconds, function, *arguments, since=lambda: Calls.began)


def call_of_user(function, *arguments, **keywords):
    """The result of a function that a user has written; TimeUp, with a message, inside of :func:`calls_within`."""
    before, Calls.began = Calls.began, time.monotonic()
    try:
        return function(*arguments, **keywords)
    except TimeUp:
        raise TimeUp(f"has not ended after {Calls.seconds} seconds") from None
    finally:
        Calls.began = before


def _by_alarm(seconds, function, arguments, since):
    rung = []

    def ring(_, frame):
        if time.monotonic() - since() < seconds:
            return
        if not _ours(frame):  # not while this file tidies up
            rung.append(True)
            raise TimeUp if len(rung) == 1 else _StillUp(frame)

    tracer = sys.gettrace()
    handler = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        return function(*arguments)
    finally:
        sys.settrace(tracer)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)


def _by_thread(seconds, function, arguments, since):
    """No locks of Python's own: what is raised between two instructions could leave one locked."""
    thread, tracer = ctypes.c_ulong(threading.get_ident()), sys.gettrace()
    throw, gone = ctypes.pythonapi.PyThreadState_SetAsyncExc, []
    begun, ended = threading.Lock(), threading.Lock()
    begun.acquire()
    ended.acquire()

    def watch():
        begun.acquire()
        wait, error = seconds, TimeUp
        while not ended.acquire(timeout=wait):
            wait = AGAIN
            if time.monotonic() - since() >= seconds:
                throw(thread, ctypes.py_object(error))
                error = _StillUp
        gone.append(True)

    def end():
        sys.settrace(tracer)
        with suppress(RuntimeError):  # released before
            ended.release()
        while not gone:
            time.sleep(0)
        # One that has not yet been raised is replaced, and raised here: taken back it would leave Python a signal for
        # ever, with which calls hang while a debugger traces them.
        with suppress(TimeUp):
            throw(thread, ctypes.py_object(TimeUp))
            while True:
                time.sleep(0)

    threading.Thread(target=watch, daemon=True).start()
    try:
        begun.release()
        return function(*arguments)
    finally:
        try:
            end()
        except TimeUp:  # raised as the function ended
            end()
