"""Compiling kernels with numba: cached on disk where that is possible, in memory where it is not, and announced.

numba's cache looks only at the file of the function that is called; ours sees changes of all files in its folder, and
of those in `SHARED`. So a kernel calls no kernel of another folder but those; a test checks that. Each file of the
cache begins with a hash: what a full disk or a power cut has damaged is compiled anew, where numba itself would end in
an error every time.
"""

import pickle
from contextlib import ExitStack, suppress
from functools import cache
from hashlib import sha256
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from time import monotonic

from ._limits import PATIENCE, waiting

try:
    from numba import config, njit
    from numba.core import event
    from numba.core.caching import FunctionCache, IndexDataCacheFile
except ImportError as error:
    raise ImportError(
        "dicelab solves games with numba, which is not installed: pip install numba"
    ) from error

__all__ = ["bare", "called", "compiled", "inlined", "inner", "plain", "whole"]

SOON = 1  # seconds between two kernels that are compiled for one answer
OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class Announcement(event.Listener):
    """Says "compiling, once" while numba compiles kernels of this package; progress bars do not count this time.

    Kernels that are compiled one soon after another are one piece of work.
    """

    def __init__(self):
        # Numba compiles one kernel at a time, and those that it calls within.
        self.depth, self.shown = 0, ExitStack()
        self.began = self.ended = float("-inf")

    def on_start(self, started):
        """Show the sentence."""
        if is_ours(started):
            self.depth += 1
            if self.depth == 1:
                now = monotonic()
                if now > self.ended + SOON:
                    self.began = now
                left = max(self.began + PATIENCE - now, 0)
                self.shown.enter_context(waiting("compiling, once", left))

    def on_end(self, ended):
        """Take it away, after the outermost kernel."""
        if is_ours(ended):
            self.depth -= 1
            if self.depth == 0:
                self.shown.close()
                self.ended = monotonic()


def is_ours(compiled):
    """Whether numba's event is about a function of this package, or of one with a name that begins so."""
    return compiled.data["dispatcher"].py_func.__module__.startswith(__package__)


event.register("numba:compile", Announcement())


@cache
def stamp_of(folder):
    """What the caches of a folder's kernels are compared by: times and sizes of its files."""
    files = sorted(folder.glob("*.py"))
    return tuple((file.stat().st_mtime_ns, file.stat().st_size) for file in files)


class HashedFiles(IndexDataCacheFile):
    """The files of a kernel's cache. Damaged, stale or of another numba, they count as missing, and are replaced."""

    def _hash(self, data):
        return sha256(repr((self._version, self._source_stamp)).encode() + data).digest()

    def _dump(self, obj):
        data = super()._dump(obj)
        return self._hash(data) + data

    def _load_data(self, name):
        with suppress(OSError):
            data = Path(self._data_path(name)).read_bytes()
            if data[:32] == self._hash(data[32:]):
                return pickle.loads(data[32:])
        return None

    def _load_index(self):
        return self._load_data(self._index_name) or {}

    def _save_index(self, overloads):
        self._save_data(self._index_name, overloads)


class KernelCache(FunctionCache):
    """The cache of a kernel."""

    def __init__(self, function):
        super().__init__(function)
        stamp = stamp_of(Path(function.__code__.co_filename).parent)
        self._cache_file = HashedFiles(self._cache_path, self._impl.filename_base, stamp)

    def save_overload(self, sig, data):
        with suppress(OSError):  # a full disk, a folder that can only be read
            super().save_overload(sig, data)


def compiled(function, **options):
    """Compile a function that Python calls."""
    kernel = njit(**OPTIONS, **options)(function)
    if not config.DISABLE_JIT:  # else it is the function itself
        # numba's "no locator available": neither the package's folder nor a home is writable
        with suppress(RuntimeError):
            kernel._cache = KernelCache(function)
    return kernel


def bare(function, **options):
    """Compile a function that creates no array. It counts no references; counting would take 6/7 of the time."""
    return compiled(function, _nrt=False, **options)


def inner(function, **options):
    """The same, if only other kernels call it: without an entry from Python it compiles in two thirds of the time."""
    return bare(function, no_cpython_wrapper=True, **options)


def inlined(function):
    """The same, as a part of its callers, since a call copies the shapes and strides of all arrays of a record."""
    return function if as_they_stand else inner(function, forceinline=True)


as_they_stand = False  # whether kernels are being read for numbers of any kind


def called(function):
    """What kernels call: compiled once, for all of them."""
    return function if as_they_stand else inner(function)


def whole(function):
    """What Python calls."""
    return function if as_they_stand else bare(function)


@cache
def plain(name):
    """The module of some kernels, read once more without a compiler: for numbers of any kind."""
    global as_they_stand
    spec = find_spec(name)
    module = module_from_spec(spec)
    as_they_stand = True
    try:
        spec.loader.exec_module(module)
    finally:
        as_they_stand = False
    return module
