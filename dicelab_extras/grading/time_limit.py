"""A call that is stopped if it does not end.

`call_within` runs a function in the thread that asks, so that it may draw, print and call the package as always. When
its time is over, an alarm signal raises `TimeUp` inside the function, also if it sleeps or waits. Alarms come in the
main thread of Linux and macOS, where Jupyter runs cells. Elsewhere, as on Windows, nothing is limited.

Python raises it between two of its own instructions. Nothing inside the process can stop compiled code before it
returns: a numba kernel, or ``sum`` of an endless iterator. `TimeUp` is not an Exception, so ``except Exception`` does
not catch it. Where a bare ``except:`` has caught it, each further line raises it again.
"""

import math
import signal
import sys
import threading
import time

__all__ = ["TimeUp", "call_of_user", "call_within", "calls_within"]

AGAIN = 0.1  # seconds until it is raised once more, if the function has caught it


class TimeUp(BaseException):
    """The time of a call is over."""


def _raise_always(frame):
    """From now on each line of a function, and of what it has called, raises `TimeUp`, those of an ``except:`` too."""
    sys.settrace(_raise)
    while frame is not None and not _ours(frame):
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
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        return function(*arguments)
    rung, tracer = [], sys.gettrace()

    def ring(_, frame):
        if time.monotonic() - since() < seconds or _ours(frame):  # not while this file tidies up
            return
        if rung:  # the function has caught what was raised
            _raise_always(frame)
        rung.append(True)
        raise TimeUp

    handler = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        return function(*arguments)
    finally:
        sys.settrace(tracer)
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, signal.SIG_DFL if handler is None else handler)


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
