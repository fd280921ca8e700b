"""numba's cache of our kernels: it sees changes of their folder, and kernels that cannot be kept stay in memory."""

import sys
from importlib import import_module
from unittest.mock import Mock

import numba
import pytest

from dicelab import _compile


@pytest.fixture
def taken(tmp_path, monkeypatch):
    """A function that compiles a kernel in this folder, or takes it from the cache: whether it did."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "one_kernel.py").write_text("def twice(n):\n    return 2 * n\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "one_kernel", raising=False)
    module = import_module("one_kernel")

    def called():
        found = _compile.whole(module.twice)
        assert found(21) == 42
        return bool(found.stats.cache_hits) and not found.stats.cache_misses

    return called


def test_a_kernel_is_compiled_anew_when_a_file_of_its_folder_has_changed(taken, tmp_path):
    assert [taken(), taken()] == [False, True]
    (tmp_path / "another.py").write_text("other = 1")
    _compile.stamp_of.cache_clear()
    assert [taken(), taken()] == [False, True]


def test_where_nothing_can_be_written_kernels_stay_in_memory(taken, monkeypatch):
    nowhere = Mock(side_effect=RuntimeError("no locator available"))  # as numba raises it
    monkeypatch.setattr("numba.core.dispatcher.FunctionCache", nowhere)
    assert [taken(), taken()] == [False, False]
