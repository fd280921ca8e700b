"""The memory of the machine, a check that a computation fits into it, a bounded cache, and progress bars."""

import os
import sys
from contextlib import suppress
from functools import cache
from multiprocessing import parent_process
from pathlib import Path
from threading import Lock

from tqdm.auto import tqdm

CGROUPS = Path("/sys/fs/cgroup")


@cache
def available():
    """The bytes of memory that this process may use: those of the machine, or the limit of its control group."""
    limits = [float("inf")]
    with suppress(AttributeError, OSError, ValueError):  # it does not tell, or has "max"
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        limits.append(int((CGROUPS / "memory.max").read_text()))
    return min(limits)


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
    if 2 * size > available():
        raise MemoryError(
            f"{what} needs about {tqdm.format_sizeof(size, 'B')} of memory, more than half of the"
            f" {tqdm.format_sizeof(available(), 'B')} that there are; {instead}"
        )


class BoundedCache:
    """A cache of the latest results, up to `most` bytes in all. A larger result is not kept. Threads may share it."""

    def __init__(self, most):
        self.most, self.results, self.lock = most, {}, Lock()  # the latest result is the last

    def get(self, key, make, size):
        """The result for `key`: the one in the cache, or that of `make()`, which takes ``size(result)`` bytes."""
        with self.lock:
            if key in self.results:
                self.results[key] = self.results.pop(key)
                return self.results[key][0]
        result = make()
        taken = size(result)
        with self.lock:
            if taken <= self.most:
                self.results[key] = result, taken
            while sum(each for _, each in self.results.values()) > self.most:
                del self.results[next(iter(self.results))]
        return result


def kernel():
    """IPython's shell if this is a kernel, else None."""
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return shell if hasattr(shell, "kernel") else None


def watched():
    """Whether somebody watches the work: in a terminal, or in a kernel whose cells may ask for input.

    Papermill, nbconvert and ``jupyter execute`` let no cell ask for input; they keep what it shows in the copy.
    """
    if parent_process() is not None or sys.stderr is None:
        return False
    if shell := kernel():
        return bool(shell.get_parent().get("content", {}).get("allow_stdin"))
    return sys.stderr.isatty()


def progress(iterable, said, unit, total=None, **look):
    """A progress bar that appears where somebody watches, if the work takes more than two seconds.

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
    usual = {"leave": False, "delay": 2, "unit": f" {unit}s", "disable": not watched()}
    return tqdm(iterable, said, total, **usual | look)
