"""`dicelab warm-up` compiles what first answers need; afterwards new processes compile nothing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = """
from click.testing import CliRunner
from dicelab.cli import main
from dicelab.solvers import _kernels

result = CliRunner().invoke(main, ["warm-up"])
assert result.exit_code == 0, result.output
print(result.output)
kept = _kernels.backward_pass._cache._cache_file._load_index()
assert len(kept) == 1, kept
"""
FIRST_ANSWERS = """
import time

import dicelab as dl
from dicelab_extras import grading, learning, proofs
from numba.core import event

compiled = []


class Listener(event.Listener):
    def on_start(self, started):
        compiled.append(started.data["dispatcher"].py_func.__qualname__)

    def on_end(self, ended):
        pass


event.register("numba:compile", Listener())
dl.solve("pig")
assert time.process_time() < 3, time.process_time()
dl.evaluate("two-dice-pig 50", 20, dl.solve("two-dice-pig 50").policy)
dl.evaluate("pig 20", 4, 5, 6)
dl.best_response("double-trouble 20", 8), grading.grade("farkle 10", 5), dl.solve("hog 20")
dl.simulate("double-trouble 20", 4, 5, games=9), dl.simulate("pig", 20, 25, games=9)
dl.solve("pig 20", "turns"), dl.solve("pig 20", "deadline", turns=4), dl.solve("pig 20", "score")
dl.solve("piglet 8", players=3), dl.solve("ten-thousand 20 opening=500")
proofs.certify(dl.solve("pig 20")), learning.learn(dl.piglet(4), games=9)
assert compiled == [], compiled
"""


@pytest.mark.slow
def test_after_it_nothing_is_compiled(tmp_path):
    given = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    for code in (WARM_UP, FIRST_ANSWERS):
        run = [sys.executable, "-c", code]
        result = subprocess.run(run, cwd=ROOT, env=given, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
        assert code is not WARM_UP or f"Kept in {tmp_path}" in result.stdout
