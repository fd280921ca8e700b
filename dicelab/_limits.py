"""The memory of the machine, a check that a computation fits into it, a bounded cache, and progress bars."""

import io
import os
import sys
from collections import OrderedDict
from contextlib import ExitStack, contextmanager
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock, Timer
from weakref import WeakSet

from tqdm import tqdm

__all__ = [
    "THREADS",
    "BoundedCache",
    "audience",
    "available",
    "check_memory",
    "progress",
    "waiting",
]

THREADS = os.cpu_count() or 1  # that solvers use
CGROUPS = Path("/sys/fs/cgroup")
BARS = WeakSet()  # the progress bars that there are
PATIENCE = 2  # seconds of work before it is shown
LONG = 10  # seconds of a step of which a log tells


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


def audience():
    """Who watches the work: "kernel", "terminal" or "log", or "" for nobody, as in a worker process.

    Papermill, nbconvert and ``jupyter execute`` keep what a cell shows in the copy, and nobody sees it before. They say
    so: they let no cell ask for input.
    """
    if parent_process() is not None or sys.stderr is None:
        return ""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    if hasattr(shell, "kernel"):
        return "kernel" if shell.get_parent().get("content", {}).get("allow_stdin") else ""
    return "terminal" if sys.stderr.isatty() else "log"


class Bar(tqdm):
    """A progress bar: in a terminal a line, in a kernel a display, in a log one line at the end of a long step."""

    cell = None  # of a kernel, the latest that has a display

    def __init__(self, *arguments, **look):
        self.audience = audience()
        if self.audience != "terminal":  # what tqdm itself writes moves about in a terminal
            look |= {"file": io.StringIO(), "ascii": False, "leave": False}
        if not self.audience:
            look["disable"] = True
        super().__init__(*arguments, **look)

    def display(self, msg=None, pos=None):
        """See tqdm. All bars of a cell share one display; an empty text takes it away."""
        if self.audience == "terminal":
            return super().display(msg, pos)
        if self.audience == "kernel":
            shell = sys.modules["IPython"].get_ipython()
            cell, text = shell.get_parent()["header"]["msg_id"], str(self) if msg is None else msg
            again = cell == Bar.cell
            if text or again:
                Bar.cell, place = cell, {"display_id": f"{cell} progress"}
                bundle = {"text/plain": text} if text else {}
                shell.display_pub.publish(bundle, transient=place, update=again)
        return True

    def close(self):
        """See tqdm."""
        if self.audience == "log" and not self.disable:
            seconds = self._time() - self.start_t
            if self.n and seconds >= LONG:
                print(f"{self.desc}: {self.n:,}{self.unit}, {seconds:.0f} s", file=sys.stderr)
        super().close()


def progress(iterable, said, unit, total=None, **look):
    """A progress bar that appears if the work takes more than two seconds, compiling not counted.

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
    options = {"leave": False, "delay": PATIENCE, "unit": f" {unit}s"} | look
    bar = Bar(iterable, said, total, **options)
    BARS.add(bar)
    return bar


@contextmanager
def waiting(said, after=PATIENCE):
    """Show a sentence after some seconds, and stop the clocks of all bars, so that they foresee the rest alone."""
    shown = ExitStack()
    timer = Timer(
        after, lambda: shown.enter_context(Bar(desc=said, bar_format="{desc}", leave=False))
    )
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        shown.close()
    for bar in list(BARS):
        if not bar.disable:
            bar.unpause()
