"""Notebooks that are committed with their outputs: of the present source, small, with words for every picture."""

import re

import nbformat
import pytest

from collection.committed import MOST_BYTES, SHOWN, is_stale, refresh

NUMBER = re.compile(r"-?\d[\d,]*\.?\d*(?:e[-+]\d+)?")


def texts_of(path):
    """The text of the outputs of each cell; a stream may come in several parts."""
    return [
        "".join(
            out.get("text") or out.data.get("text/html") or out.data.get("text/plain", "")
            for out in cell.get("outputs", ())
        )
        for cell in nbformat.read(path, as_version=4).cells
    ]


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_outputs_are_those_of_the_source(path):
    assert not is_stale(path), "run make notebooks"
    text = path.read_text(encoding="utf-8")
    assert len(text) < MOST_BYTES and not re.search(r"/(home|tmp|work|root)/|0x[0-9a-f]{8}", text)
    pictures = [
        out.metadata.get("image/png", {})
        for cell in nbformat.read(path, as_version=4).cells
        for out in cell.get("outputs", ())
        if "image/png" in out.get("data", {})
    ]
    assert pictures and all(picture.get("alt") for picture in pictures)


@pytest.mark.parametrize("path", SHOWN, ids=lambda path: path.stem)
def test_outputs_are_what_is_computed(path, tmp_path):
    refresh([path], into=tmp_path)
    for kept, made in zip(texts_of(path), texts_of(tmp_path / path.name), strict=True):
        assert NUMBER.sub("#", kept) == NUMBER.sub("#", made)
        numbers = [
            [float(n.replace(",", "")) for n in NUMBER.findall(text)] for text in (kept, made)
        ]
        assert numbers[1] == pytest.approx(numbers[0], rel=1e-6, abs=1e-9)
