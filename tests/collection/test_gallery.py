"""The examples of the gallery run, and draw what a reader sees."""

import re

import matplotlib.pyplot as plt
import pytest

import dicelab as dl
from collection.gallery import examples

EXAMPLES = examples()


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_an_example_draws_with_public_names(example, tmp_path):
    taken = re.findall(r"\bdl\.(\w+)", example.code)
    assert {*taken} <= {*dl.__all__, *dl.MODULES}
    assert {*re.findall(r"^from (\S+)", example.code, re.M)} <= {"collection", "dicelab_extras"}
    before = plt.get_fignums()
    example.draw(tmp_path)
    assert plt.get_fignums() == before
    (drawn,) = tmp_path.iterdir()
    text = drawn.read_text(encoding="utf-8")
    assert text.count("<path") > 10 and "<dc:date>" not in text
