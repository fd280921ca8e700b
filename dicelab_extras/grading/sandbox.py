"""Python files of others, run in a process of their own: with limits of time and memory, and killed with its children.

Only data comes back, a literal of Python. It is read as such, never unpickled, and decisions are checked against the
rules. The process keeps a strategy from hanging, filling the memory, or ending ours. It does not keep it from reading
and writing files: whoever runs a file trusts it that far.
"""

import os
import pickle
import signal
import subprocess
import sys
from ast import literal_eval
from contextlib import suppress
from tempfile import TemporaryFile
from threading import Thread

from tqdm import tqdm

from dicelab._limits import available
from dicelab._recorded import RecordedPolicy, ask_all, record
from dicelab.games.model import LAST_TURN

from .reading import read
from .time_limit import calls_within

__all__ = ["is_python_file", "policy_of_file", "run_apart"]

SECONDS_A_CALL = 20  # of a function in the file; on Windows no call is limited
MOST_SECONDS = 3600  # of all calls together; also for compiled code, which no signal interrupts
SHARED_SECONDS = 300  # the same of a file among others
MOST_TOLD = 2**22  # bytes; a strategy tells some thousand
LEAST_MEMORY = 2**31  # bytes of addresses; Python and NumPy alone need some hundred MB
START = "import sys; sys.path[:] = {!r}; from dicelab_extras.grading.sandbox import serve; serve()"
SENT = "rows", "name", "memory", "read_as"


def is_python_file(text):
    """Whether a text names a Python file, or a function in one: mine.py, mine.py:name."""
    return ".py:" in text or text.lower().endswith(".py")


def policy_of_file(game, file, at_once=1, walls=(), **meant):
    """The policy that a file gives: all its answers in a game, a RecordedPolicy.

    So many files are asked `at_once`, behind `walls` or not; see :func:`run_apart`. What True and None mean is in
    `meant`, as :func:`~dicelab_extras.grading.read` takes it.

    Raises
    ------
    ValueError
        As :func:`~dicelab_extras.grading.read`, and as :func:`run_apart`.
    """
    told = run_apart(file, answers_of_file, game, file, meant, at_once=at_once, walls=walls)
    policy = RecordedPolicy(game, **told)
    return policy if game.finish in LAST_TURN else ask_all(game, policy)


def answers_of_file(game, file, meant):
    """The answers of a file as a dict of literals."""
    policy = record(game, read(game, file, **meant))
    if not isinstance(policy, RecordedPolicy):
        raise NotImplementedError(
            f"{file}: with finish={game.finish!r} a policy is not read from a file; let it give a function"
        )
    return {name: getattr(policy, name) for name in SENT}


def run_apart(file, function, *arguments, at_once=1, seconds=None, walls=()):
    """The result of a function, called in a process of its own.

    Parameters
    ----------
    file : str
        What it runs, for messages.
    function : callable
        Of a module. It returns a literal of Python.
    *arguments
        What it is called with.
    at_once : int
        How many such processes share the memory. Of several, what they write to stderr is not shown either.
    seconds : int, optional
        All the time that it has; by default an hour, and of several five minutes.
    walls : sequence of str
        A command that runs the process where it sees and reaches less.

    Raises
    ------
    ValueError
        With the message of what the function raises; or if the process ends before it answers, or takes more than its
        time, or more than half of the memory; of several, their share of that half.
    """
    alone = at_once == 1 and not walls
    seconds = seconds or (MOST_SECONDS if alone else SHARED_SECONDS)
    memory = int(min(max(available() / 2 / at_once, LEAST_MEMORY), 2**62))
    sent = pickle.dumps((SECONDS_A_CALL, memory, function, arguments))
    command = [*walls, sys.executable, "-c", START.format(sys.path)]
    with TemporaryFile() as answer:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=answer,
            stderr=None if alone else subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            with suppress(BrokenPipeError):  # it has ended already
                process.stdin.write(sent)
                process.stdin.flush()  # and not closed: its end is our end
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise ValueError(f"{file}: it has not ended after {seconds:,} seconds") from None
        finally:
            kill(process.pid)
            process.wait()
            with suppress(BrokenPipeError):
                process.stdin.close()
        answer.seek(0)
        told = answer.read(MOST_TOLD).decode()
    if status or not told:
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        raise ValueError(
            f"{file}: it has ended its process, with {how}, before it had answered everything"
        )
    try:
        result, error = literal_eval(told)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise ValueError(f"{file}: what its process has told cannot be read") from None
    if error is not None:
        raise ValueError(
            error or f"{file}: it takes more than {tqdm.format_sizeof(memory, 'B')} of memory"
        )
    return result


def kill(process_id):
    """Kill a process and its group; on Windows, which has no groups, the process."""
    with suppress(OSError):  # there is none any more
        if hasattr(os, "killpg"):
            os.killpg(process_id, signal.SIGKILL)
        else:
            os.kill(process_id, signal.SIGTERM)


def serve():
    """Call the function that comes on standard input, and write what it returns, or raises, to standard output."""
    given, answer = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_RDWR)
    os.dup2(nowhere, 0)
    os.dup2(nowhere, 1)
    seconds, memory, function, arguments = pickle.load(given)

    def end_with_parent():
        given.read()
        kill(os.getpid())

    Thread(target=end_with_parent, daemon=True).start()
    with suppress(ImportError, ValueError, OSError):  # where a system has no such limit
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))  # bytes of a file
        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))  # if nobody is left
    try:
        told = calls_within(seconds, function, *arguments), None
    except (ValueError, NotImplementedError, ArithmeticError, MemoryError) as error:
        told = None, str(error)
    answer.write(repr(told).encode())
    answer.flush()
    os._exit(0)  # at once, whatever threads the file has started
