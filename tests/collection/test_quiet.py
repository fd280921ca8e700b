"""Notebooks run by others' tools: what is kept has no red boxes, though everything has to be compiled first."""

import os
import subprocess
import sys

import nbformat
import pytest

from collection.papers.published import ROOT

TOOLS = {
    "papermill": ("papers/literature", "papermill {notebook} {copy} -p target 20"),
    "nbconvert": ("start", "nbconvert --to notebook --execute {notebook} --output {copy}"),
    "jupyter execute": ("start", "jupyter_core execute {notebook} --output {copy}"),
}


@pytest.mark.notebooks
@pytest.mark.slow
@pytest.mark.parametrize(("notebook", "tool"), TOOLS.values(), ids=TOOLS)
def test_nothing_goes_to_stderr(notebook, tool, tmp_path):
    source, copy = ROOT / "notebooks" / f"{notebook}.ipynb", tmp_path / "copy.ipynb"
    words = tool.format(notebook=source, copy=copy).split()
    home = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run(
        [sys.executable, "-m", *words], env=os.environ | home, cwd=source.parent, check=True
    )
    outputs = [
        output
        for cell in nbformat.read(copy, as_version=4).cells
        for output in cell.get("outputs", ())
    ]
    assert len(outputs) > 5
    assert [output.text for output in outputs if output.get("name") == "stderr"] == []
    assert all(output.get("data", True) for output in outputs), "an empty display"
