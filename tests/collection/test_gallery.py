"""The examples of the gallery run, and draw what a reader sees."""

import ast

import matplotlib.pyplot as plt
import pytest

import dicelab as dl
from collection.gallery import examples

EXAMPLES = examples()


def test_there_are_twelve_short_ones():
    assert len(EXAMPLES) == len({example.words[0] for example in EXAMPLES}) == 12
    for example in EXAMPLES:
        title, learned, seen = example.words
        assert len(title) <= 45 and len(learned.split()) >= 6 and len(seen.split()) >= 10
        assert example.code.startswith("import dicelab as dl\n")
        assert len(example.code.splitlines()) <= 14


@pytest.mark.parametrize("example", EXAMPLES, ids=[example.name for example in EXAMPLES])
def test_an_example_draws_with_public_names(example, tmp_path):
    for node in ast.walk(ast.parse(example.code)):
        assert not isinstance(node, ast.ImportFrom) or node.module in (
            "collection",
            "dicelab_extras",
        )
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "dl"
        ):
            assert node.attr in {*dl.__all__, *dl.MODULES}
    before = plt.get_fignums()
    example.draw(tmp_path)
    assert plt.get_fignums() == before
    (drawn,) = tmp_path.iterdir()
    text = drawn.read_text(encoding="utf-8")
    assert text.count("<path") > 10 and "<dc:date>" not in text
