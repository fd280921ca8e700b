"""Fuzz what reads text from others, guided by coverage: ``python -m tests.by_hand.fuzz -max_total_time=300``.

Probabilities, command-line values, notebooks and their parameters cells: each text is read or refused by a ValueError,
and a number that is read is the one that Python reads. Needs atheris (``pip install atheris``); the options are those
of libFuzzer.
"""

import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["dicelab", "fractions", "nbformat", "json"]):
    from fractions import Fraction

    import nbformat

    from collection import runner
    from collection.parameters import is_of, read_value
    from dicelab import _validation

NOTEBOOK = Path(tempfile.mkdtemp()) / "fuzzed.ipynb"


def probability(text):
    """A probability is the fraction that Python reads."""
    found = _validation.check_probability(text)
    assert 0 <= found <= 1 and found == Fraction(text)


def value(text):
    """A value from the command line is of the kind that is asked for, or the text."""
    for kind in (int, float, str, bool, [int], [float], [str]):
        found = read_value(text, kind)
        assert is_of(found, kind) or found is text


def cell(text):
    """A parameters cell is literals."""
    cells = [nbformat.v4.new_code_cell(f'figures = ""\n{text}', metadata={"tags": ["parameters"]})]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), NOTEBOOK)
    assert isinstance(runner.parameters_of(NOTEBOOK), dict)


def notebook(text):
    """Anything at all as a notebook."""
    NOTEBOOK.write_text(text, encoding="utf-8")
    runner.parameters_of(NOTEBOOK)


READERS = probability, value, cell, notebook


def read(data):
    """Read `data` by one of the readers."""
    provider = atheris.FuzzedDataProvider(data)
    reader = READERS[provider.ConsumeIntInRange(0, len(READERS) - 1)]
    text = provider.ConsumeUnicodeNoSurrogates(provider.remaining_bytes())
    try:
        reader(text)
    except ValueError:
        return


atheris.Setup(sys.argv, read)
atheris.Fuzz()
