"""The page's solver, rules and grades in Node.js, without a browser, against what dicelab computes."""

import json
import shutil
import subprocess

import numpy as np
import pytest
from golden import FILE, golden

needs_node = pytest.mark.skipif(
    shutil.which("node") is None, reason="needs node: apt install nodejs"
)


def leaves(thing, place=""):
    """All that stands in a thing of lists and dicts: pairs of the place and what is there."""
    inner = thing.items() if isinstance(thing, dict) else enumerate(thing)
    for key, value in inner:
        if isinstance(value, dict | list):
            yield from leaves(value, f"{place}/{key}")
        else:
            yield f"{place}/{key}", value


def test_the_golden_file_is_what_is_computed():
    """All the same, numbers up to 1e-12; else: python tests/page/golden.py."""
    kept = dict(leaves(json.loads(FILE.read_text(encoding="utf-8"))))
    computed = dict(leaves(json.loads(json.dumps(golden()))))
    assert kept.keys() == computed.keys() and len(kept) > 5000
    for place, value in computed.items():
        same = (
            np.isclose(kept[place], value, rtol=0, atol=1e-12)
            if isinstance(value, float)
            else kept[place] == value
        )
        assert same, place


@needs_node
def test_the_page_computes_the_same():
    done = subprocess.run(["node", "--test"], cwd=FILE.parents[1], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:]
    assert "\n# pass " in done.stdout or "\nℹ pass " in done.stdout
