"""numba's cache of our kernels: damaged files are compiled anew, and kernels that cannot be kept stay in memory."""

import os
import sys
from importlib import import_module

import numba
import pytest

from dicelab import _compile

DAMAGES = {
    "half": lambda data: data[: len(data) // 2],
    "one byte": lambda data: data[:-1] + bytes([data[-1] ^ 1]),
}


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A function that compiles a kernel, or takes it from the cache, in this folder: the kernel, called once."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "one_kernel.py").write_text("def twice(n):\n    return 2 * n\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "one_kernel", raising=False)
    module = import_module("one_kernel")

    def called():
        found = _compile.bare(module.twice)
        assert found(21) == 42
        return found.stats

    return called


def taken(stats):
    """Whether the kernel came from the cache."""
    return bool(stats.cache_hits) and not stats.cache_misses


@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_anew(kernel, tmp_path, kind, damage):
    assert not taken(kernel()) and taken(kernel())
    (file,) = (tmp_path / "cache").rglob(f"*.{kind}")
    file.write_bytes(damage(file.read_bytes()))
    assert not taken(kernel()) and taken(kernel())


def test_where_nothing_can_be_written_kernels_stay_in_memory(kernel, tmp_path, monkeypatch):
    kernel()
    for file in (tmp_path / "cache").rglob("*.nb?"):
        file.write_bytes(b"")

    def refuse(*arguments):
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "replace", refuse)
    assert not taken(kernel()) and not taken(kernel())
