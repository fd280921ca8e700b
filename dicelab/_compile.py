"""Compiling kernels with numba: cached on disk where that is possible, in memory where it is not, and announced.

numba's cache looks only at the file of the function that is called; ours sees changes of all files in its folder. So a
kernel calls no kernel of another folder; a test checks that.
"""

import gc
from contextlib import suppress
from functools import cache
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from typing import ClassVar

from numba import config, njit
from numba.core import event
from numba.core.caching import IndexDataCacheFile
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler

from ._limits import progress

OPTIONS = {"nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}


class Part(JITCodeLibrary):
    """The code of a kernel that only kernels call: it is optimized, and made machine code, with theirs alone."""

    codegen = property(lambda self: self)

    def set_env(self, *_):
        """Nothing: it would be set in the machine code."""

    def _optimize_final_module(self):
        """Nothing."""

    def _finalize_final_module(self):
        self._finalized = True


def part(typing, target, _, *rest):
    """A compiler that makes such code."""
    return Compiler(typing, target, Part(target.codegen(), "part"), *rest)


class Announcement(event.Listener):
    """Says "compiling, once" while numba compiles a kernel of this package, and all that it calls."""

    last: ClassVar[dict] = {}  # what is called at the end, by the kernel that is compiled

    def on_start(self, started):
        """Show the sentence."""
        kernel = started.data["dispatcher"].py_func
        if not self.last and kernel.__module__.startswith(__package__):
            shown = progress(None, "compiling, once", "kernel", bar_format="{desc}", delay=0)
            self.last[kernel] = [shown.close, *[gc.enable] * gc.isenabled()]
            gc.disable()  # its pauses would take a tenth of the time

    def on_end(self, ended):
        """Take it away."""
        for finish in self.last.pop(ended.data["dispatcher"].py_func, ()):
            finish()


event.register("numba:compile", Announcement())


@cache
def stamp_of(folder):
    """What the caches of a folder's kernels are compared by: times and sizes of its files."""
    stats = (file.stat() for file in sorted(folder.glob("*.py")))
    return tuple((stat.st_mtime_ns, stat.st_size) for stat in stats)


def compiled(function, **options):
    """Compile a function that Python calls."""
    kernel = njit(**OPTIONS, **options)(function)
    if not config.DISABLE_JIT:  # else it is the function itself
        # numba's "no locator available": neither the package's folder nor a home is writable
        with suppress(RuntimeError):
            kernel.enable_caching()
            cached, stamp = kernel._cache, stamp_of(Path(function.__code__.co_filename).parent)
            cached._cache_file = IndexDataCacheFile(
                cache_path=cached._cache_path,
                filename_base=f"{cached._impl.filename_base}-in-folder",  # beside numba's own
                source_stamp=stamp,
            )
    return kernel


def whole(function, **options):
    """Compile a function that creates no array. It counts no references; counting would take 6/7 of the time."""
    return compiled(function, _nrt=False, **options)


def called(function, **options):
    """The same, if only other kernels call it: it has no entry from Python, and no cache but theirs."""
    return njit(**OPTIONS, **options, _nrt=False, no_cpython_wrapper=True, pipeline_class=part)(
        function
    )


def inlined(function):
    """The same, as a part of its callers, since a call copies the shapes and strides of all arrays of a record."""
    return called(function, forceinline=True)


@cache
def plain(name):
    """The module of some kernels, read once more without a compiler: for numbers of any kind."""
    spec = find_spec(name)
    module = module_from_spec(spec)
    before, config.DISABLE_JIT = config.DISABLE_JIT, True  # njit returns the function itself
    try:
        spec.loader.exec_module(module)
    finally:
        config.DISABLE_JIT = before
    return module
