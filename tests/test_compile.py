"""numba's cache of our kernels: it sees changes of their folder, and kernels that cannot be kept stay in memory."""

import sys
from importlib import import_module

import numba
import pytest

from dicelab import _compile


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A function that compiles a kernel, or takes it from the cache, in this folder: the kernel, called once."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "one_kernel.py").write_text("def twice(n):\n    return 2 * n\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "one_kernel", raising=False)
    module = import_module("one_kernel")

    def called():
        found = _compile.whole(module.twice)
        assert found(21) == 42
        return found.stats

    return called


def taken(stats):
    """Whether the kernel came from the cache."""
    return bool(stats.cache_hits) and not stats.cache_misses


def test_a_kernel_is_compiled_anew_when_a_file_of_its_folder_has_changed(kernel, tmp_path):
    assert not taken(kernel()) and taken(kernel())
    (tmp_path / "another.py").write_text("other = 1")
    _compile.stamp_of.cache_clear()
    assert not taken(kernel()) and taken(kernel())


def test_where_nothing_can_be_written_kernels_stay_in_memory(kernel, monkeypatch):
    monkeypatch.setattr("numba.core.dispatcher.FunctionCache", refuse)
    assert not taken(kernel()) and not taken(kernel())


def refuse(*arguments):
    """What numba raises where it finds no folder to write to."""
    raise RuntimeError("no locator available")
