"""A comparison shows three digits more than were printed, coloured by verdict, and its columns are numbers."""

import re

import pandas as pd
import pytest

import collection
import dicelab as dl
from collection.papers.tables import Comparison, with_digits


@pytest.fixture(scope="module")
def comparison():
    return collection.compare(
        "generalized-pig", "table-1", {10: 0.7, 50: dl.solve(dl.pig(50)).value}
    )


def test_digits_in_the_terminal(comparison):
    for text in (repr(comparison), str(comparison), comparison.to_string(index=False)):
        assert re.search(r"0\.54615051 +0\.54615084417 +\+3\.3e-07 +5e-09 +erratum", text)
        assert re.search(r"0\.70942388 +0\.70000000000 +-9\.4e-03 +5e-09 +mismatch", text)
    assert "..." not in repr(comparison), "all columns"


@pytest.mark.parametrize(
    ("computed", "printed", "shown"),
    [
        (0.123456789, "0.12", "0.12346"),
        (0.5714984, "58.74%", "0.5714984"),
        (0.08123456, "8%", "0.08123"),
        (20.0, "20", "20.000"),
        (-1.5, "-1.50", "-1.50000"),
        (2 / 9, "2/9", "0.222222222222"),
        ("hold", "roll", "hold"),
    ],
)
def test_digits(computed, printed, shown):
    assert with_digits(computed, printed) == shown


def test_columns_are_numbers(comparison):
    assert all(comparison[name].dtype == float for name in ("computed", "difference", "tolerance"))
    assert comparison["computed"].tolist()[0] == 0.7


def test_colours_and_escapes(comparison):
    page = comparison._repr_html_()
    assert ">0.54615084417<" in page and page.count("background: black") == 1
    nasty = comparison.assign(item="<b>bold</b>")
    assert "<b>" not in nasty._repr_html_() and "&lt;b&gt;" in nasty._repr_html_()


def test_parts_and_sums_are_comparisons(comparison):
    both = pd.concat([comparison, collection.compare("ten-thousand", "table-6-actions")])
    for part in (comparison[comparison["verdict"] == "mismatch"], both):
        assert type(part) is Comparison and "0.70000000000" in part._repr_html_()
    for other in (comparison[["item", "verdict"]], comparison.T, comparison.describe()):
        assert "<table" in other._repr_html_()
