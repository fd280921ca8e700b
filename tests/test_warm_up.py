"""`dicelab warm-up` compiles what first answers need: the same kernels for the same types, and each for one."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WARM_UP = """
import joblib
from click.testing import CliRunner
from dicelab.cli import main

joblib.Parallel = lambda **_: lambda jobs: (call(*given, **more) for call, given, more in jobs)
result = CliRunner().invoke(main, ["warm-up"])
assert result.exit_code == 0 and "Kept in" in result.output, result.output
"""
FIRST_ANSWERS = """
import time

import dicelab as dl
from dicelab_extras import grading, learning, proofs

dl.solve("pig")
assert time.process_time() < 3, time.process_time()
dl.evaluate("two-dice-pig 50", 20, dl.solve("two-dice-pig 50").policy)
dl.evaluate("pig 20", 4, 5, 6)
dl.best_response("double-trouble 20", 8), grading.grade("farkle 10", 5), dl.solve("hog 20")
dl.simulate("double-trouble 20", 4, 5, games=9), dl.simulate("pig", 20, 25, games=9)
dl.solve("pig 20", "turns"), dl.solve("pig 20", "deadline", turns=4), dl.solve("pig 20", "score")
dl.solve("piglet 8", players=3), dl.solve("ten-thousand 20 opening=500")
proofs.certify(dl.solve("pig 20")), learning.learn(dl.piglet(4), games=9)
"""
CALLED = """
import gc
from numba.core.registry import CPUDispatcher

kernels = [each for each in gc.get_objects() if type(each) is CPUDispatcher]
names = {each: f"{each.py_func.__module__}.{each.py_func.__qualname__}" for each in kernels}
print({(names[each], str(types)) for each in kernels for types in each.signatures})
"""


def called_in(code):
    """The kernels that a new process calls, with the types of their arguments."""
    run = [sys.executable, "-c", code + CALLED]
    result = subprocess.run(run, cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return ast.literal_eval(result.stdout)


@pytest.mark.slow
def test_after_it_nothing_is_compiled():
    warm, asked = called_in(WARM_UP), called_in(FIRST_ANSWERS)
    assert asked and asked <= warm, asked - warm
    assert len({name for name, _ in warm}) == len(warm)
