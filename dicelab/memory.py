"""What there is of memory, and what an answer needs: to refuse beforehand is better than to die on the way."""

import os
from collections import OrderedDict
from functools import cache
from pathlib import Path
from threading import Lock

__all__ = ["Kept", "available", "check_memory"]

SHARE = 2  # no answer takes more than 1 / SHARE of the memory
CGROUPS = Path("/sys/fs/cgroup")
UNITS = (("TB", 10**12), ("GB", 10**9), ("MB", 10**6))


@cache
def available():
    """The bytes of memory that this process may have in all: the machine's, or the limit of its control group."""
    limits = []
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        limits.append(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    limits += _group_limits()
    return min(limits, default=float("inf"))


def _group_limits():
    """The limits that Linux sets to the control group of this process and to those around it, a list."""
    files = [CGROUPS / "memory" / "memory.limit_in_bytes"]  # version 1
    try:
        group = Path("/proc/self/cgroup").read_text().strip().rpartition("::")[2].lstrip("/")
    except OSError:
        group = ""
    files += [folder / "memory.max" for folder in (CGROUPS / group, *(CGROUPS / group).parents)]
    found = []
    for file in files:
        try:
            found.append(int(file.read_text()))
        except (OSError, ValueError):  # no such file, or "max"
            continue
    return found


def in_units(size):
    """A number of bytes, to read: "1.2 GB"."""
    if size >= 1000 * UNITS[0][1]:
        return "more than 1,000 TB"
    name, unit = next(((name, unit) for name, unit in UNITS if size >= unit), UNITS[-1])
    return f"{size / unit:.1f} {name}"


def check_memory(size, what, instead="take a smaller one"):
    """Refuse what needs more than half of the memory.

    Parameters
    ----------
    size : int
        Bytes, at the peak.
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
    if SHARE * size > limit:
        has = f"more than half of the {in_units(limit)} that there are"
        raise MemoryError(f"{what} needs about {in_units(size)} of memory, {has}; {instead}")


class Kept:
    """Answers that are kept for the next time: the latest, up to a number of bytes in all. Threads may share it.

    Parameters
    ----------
    most : int
        Bytes. An answer that is larger is not kept at all.
    """

    def __init__(self, most):
        self.most, self.taken, self.answers, self.lock = most, 0, OrderedDict(), Lock()

    def get(self, key, make, size):
        """The answer to `key`: as it was kept, or as `make()` gives it, which takes ``size(answer)`` bytes."""
        with self.lock:
            if key in self.answers:
                self.answers.move_to_end(key)
                return self.answers[key][0]
        answer = make()
        taken = size(answer)
        with self.lock:
            if taken <= self.most and key not in self.answers:
                self.answers[key] = answer, taken
                self.taken += taken
            while self.taken > self.most:
                self.taken -= self.answers.popitem(last=False)[1][1]
        return answer
