"""The memory of the machine, a check that a computation fits into it, a bounded cache, and progress bars."""

import os
import re
import sys
from collections import OrderedDict
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock
from weakref import WeakSet

from tqdm import tqdm

__all__ = ["THREADS", "BoundedCache", "available", "check_memory", "progress", "waiting"]

THREADS = os.cpu_count() or 1  # that solvers use
CGROUPS = Path("/sys/fs/cgroup")
BARS = WeakSet()  # the progress bars that there are
SECONDS = 10  # between two lines of a log


@cache
def available():
    """The bytes of memory that this process may use: those of the machine, or the limit of its control group."""
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    try:  # version 2 of Linux's control groups; a limit holds for all groups below
        group = CGROUPS / Path("/proc/self/cgroup").read_text().strip().rpartition("::")[2].lstrip(
            "/"
        )
    except OSError:
        group = CGROUPS
    files = [CGROUPS / "memory" / "memory.limit_in_bytes"]  # version 1
    files += [folder / "memory.max" for folder in (group, *group.parents)]
    for file in files:
        try:
            limits.append(int(file.read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return min(limits, default=float("inf"))


def in_units(size):
    """A number of bytes to read: "1.2 GB"."""
    if size >= 10**15:
        return "1,000 TB or more"
    name, unit = ("TB", 1e12) if size >= 1e12 else ("GB", 1e9) if size >= 1e9 else ("MB", 1e6)
    return f"{size / unit:.1f} {name}"


def check_memory(size, what, instead="take a smaller one"):
    """Refuse a computation that needs more than half of the memory.

    Parameters
    ----------
    size : int
        Bytes at the peak.
    what : str
        What needs them.
    instead : str
        What to do instead.

    Raises
    ------
    MemoryError
        With both figures.
    """
    limit = available()
    if 2 * size > limit:
        most = f"more than half of the {in_units(limit)} that there are"
        raise MemoryError(f"{what} needs about {in_units(size)} of memory, {most}; {instead}")


class BoundedCache:
    """A cache of the latest results, up to `most` bytes in all. A larger result is not kept. Threads may share it."""

    def __init__(self, most):
        self.most, self.taken, self.results, self.lock = most, 0, OrderedDict(), Lock()

    def get(self, key, make, size):
        """The result for `key`: the one in the cache, or that of `make()`, which takes ``size(result)`` bytes."""
        with self.lock:
            if key in self.results:
                self.results.move_to_end(key)
                return self.results[key][0]
        result = make()
        taken = size(result)
        with self.lock:
            if taken <= self.most and key not in self.results:
                self.results[key] = result, taken
                self.taken += taken
            while self.taken > self.most:
                self.taken -= self.results.popitem(last=False)[1][1]
        return result


class Log:
    """What a bar writes, as lines for a log: where stderr is a file or a pipe, no line can be written over."""

    last = ""

    def write(self, text):
        """Write each line that says something new; a bar blanks itself out, and goes up and back by control codes."""
        for line in re.split(r"[\r\n]+|\x1b\[\w", text):
            if line.strip() and line.strip() != Log.last:
                Log.last = line.strip()
                sys.stderr.write(f"{Log.last}\n")

    def flush(self):
        """See io."""
        sys.stderr.flush()


def where_to_write():
    """Options of tqdm: nothing for a terminal and for Jupyter, which write over a line; for a log a line at times."""
    kernel = getattr(sys.modules.get("ipykernel.iostream"), "OutStream", ())
    if sys.stderr is None or sys.stderr.isatty() or isinstance(sys.stderr, kernel):
        return {}
    return {"file": Log(), "mininterval": SECONDS, "maxinterval": SECONDS}


def progress(iterable, said, unit, total=None, **look):
    """A progress bar that appears if the work takes more than two seconds, compiling not counted.

    In a log it is a line every ten seconds.

    Parameters
    ----------
    iterable : iterable or None
        If it is None, the caller updates the bar.
    said, unit : str
        What is done, and the name of a step.
    total : int, optional
        The number of steps, if `iterable` has no length.
    look : dict
        Other arguments of tqdm.
    """
    bar = tqdm(
        iterable,
        said,
        total,
        **{"leave": False, "delay": 2, "unit": f" {unit}s"} | where_to_write() | look,
    )
    BARS.add(bar)
    return bar


@contextmanager
def waiting(said):
    """Show a sentence, and stop the clocks of all progress bars, so that they foresee the time of the rest alone."""
    with tqdm(desc=said, bar_format="{desc}", leave=False, **where_to_write()):
        yield
    for bar in list(BARS):
        if not bar.disable:
            bar.unpause()
