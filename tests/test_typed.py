"""Programs as users write them, in `typed`: type checkers are content with them, and they run."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).resolve().parent.parent
PROGRAMS = sorted((ROOT / "tests" / "typed").glob("*.py"))
WRONG = """import dicelab as dl

solution = dl.solve("pig 10")
dl.evalute
dl.plots.hold_treshold
solution.policy.rolls("a", 0, 0)
dl.evaluate("pig 10", 3, 4).frist_wins
dl.hold_at("20")
dl.plots.hold_thresholds(solution, axes=None)
"""
CHECKERS = {
    "mypy": [
        "mypy",
        "--strict",
        "--config-file=",
        "--follow-imports=silent",
        "--cache-dir=build/mypy",
    ],
    "pyright": ["pyright", "--pythonpath", sys.executable],
}


def lines_refused(kept, checker, *files):
    """The output of a type checker, and the lines that it refuses."""
    if checker == "pyright" and not shutil.which("node"):
        pytest.skip("needs Node.js: pyright runs in it")
    given = {**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    command = [sys.executable, "-m", *CHECKERS[checker], *map(str, files)]
    # mypy's cache is a database, which one may write at a time.
    with FileLock(kept.folder / f"{checker}.lock"):
        result = subprocess.run(command, cwd=ROOT, env=given, capture_output=True, text=True)
    output = result.stdout + result.stderr
    assert result.returncode in (0, 1), output
    return output, {int(line) for line in re.findall(r"\.py:(\d+)[:\d]* (?:- )?error", output)}


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_are_content_with_programs(checker, kept):
    output, refused = lines_refused(kept, checker, *PROGRAMS)
    assert refused == set(), output


@pytest.mark.slow
@pytest.mark.parametrize("checker", CHECKERS)
def test_type_checkers_see_what_is_wrong(checker, kept, tmp_path):
    file = tmp_path / "wrong.py"
    file.write_text(WRONG)
    output, refused = lines_refused(kept, checker, file)
    assert refused == {*range(4, 1 + len(WRONG.splitlines()))}, output


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_run(path):
    runpy.run_path(str(path))
