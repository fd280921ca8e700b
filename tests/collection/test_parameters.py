"""Parameters that are given as text."""

import json

import nbformat
import pytest

from collection.papers.published import PAPERS
from collection.parameters import is_of, read_parameters, read_value
from collection.runner import parameters_of


@pytest.mark.parametrize(
    ("text", "kind", "value"),
    [
        *[("150", int, 150), ("−3", int, -3), ("10,000", int, 10_000), ("'150'", int, 150)],
        *[("0,5", float, 0.5), ("1e-6", float, 1e-6), ("3", float, 3.0), (".5", float, 0.5)],
        *[("TRUE", bool, True), ("false", bool, False)],
        *[("“a b”", str, "a b"), ("7", str, "7"), ("", str, "")],
        *[
            ("[10, 80]", [int], [10, 80]),
            ("10; 80", [int], [10, 80]),
            ("10 80", [int], [10, 80]),
            ("(3,)", [int], [3]),
        ],
        *[
            ("[10,800]", [int], [10, 800]),
            ("10, 20, 30", [int], [10, 20, 30]),
            ("[3]", [int], [3]),
            ("3,", [int], [3]),
        ],
        *[("0,5; 1,5", [float], [0.5, 1.5]), ("['1/6', \"5/6\"]", [str], ["1/6", "5/6"])],
        *[("1/6 5/6", [str], ["1/6", "5/6"]), (5, int, 5), ([5], [int], [5]), (None, int, None)],
    ],
)
def test_texts_whose_meaning_is_sure(text, kind, value):
    read = read_value(text, kind)
    assert read == value and (value is None or is_of(read, kind))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        *[(text, int) for text in ("many", "2.5", "True", "1.000", "", "[3]", "9" * 2000)],
        *[(text, float) for text in ("1,234", "nan", "inf", "1e999", "9" * 400, "0x1", "x")],
        *[
            (text, [int])
            for text in ("3", "10,800", "[]", "", "[1, x]", "[1,, 2]", "1 000", "[1.5]", ";", "[")
        ],
        *[("yes", bool), ("1", bool)],
    ],
)
def test_texts_whose_meaning_is_not_sure_stay(text, kind):
    assert read_value(text, kind) is text and not is_of(text, kind)


def test_a_notebook_reads_its_parameters():
    given = {"target": "150", "goals": "[10, 80]", "seed": None, "other": "x"}
    read_parameters(given, target=int, goals=[int], seed=(int, 1))
    assert given == {"target": 150, "goals": [10, 80], "seed": None, "other": "x"}


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        ("10,800", [int], r"a list like \[100\]"),
        (0, (int, 1), "a number of at least 1"),
        (1.5, (float, 0, 1), "a number of at least 0 and at most 1"),
        ([3, 0], ([int], 1), "numbers of at least 1"),
    ],
)
def test_a_parameter_that_is_refused(value, kind, said):
    with pytest.raises(ValueError, match=rf"^x: .* is not allowed; give {said}$"):
        read_parameters({"x": value}, x=kind)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_notebooks_read_lists_that_papermill_gives_as_text(paper):
    """The cell of parameters and the next one, with each list as the text that ``papermill -p`` makes of it."""
    cells = [c for c in nbformat.read(paper.notebook, 4).cells if c.cell_type == "code"]
    tagged = ["parameters" in cell.metadata.get("tags", ()) for cell in cells].index(True)
    defaults, reads = (cell.source for cell in cells[tagged : tagged + 2])
    lists = {n: v for n, v in parameters_of(paper.notebook).items() if isinstance(v, list)}
    given = {}
    exec(defaults, given)
    given |= {name: str(value) for name, value in lists.items()}
    exec(reads, given)
    assert {name: given[name] for name in lists} == lists


def test_figures_remember_their_parameters(tmp_path):
    """Results of other parameters are not written over those of a paper, however the notebook was started."""

    def read(hold, share):
        given = {"figures": str(tmp_path), "hold": hold, "share": share}
        read_parameters(given, hold=(int, 1), share=(float, 0, 1))

    read(20, 0.5)
    kept = (tmp_path / "parameters.json").read_text()
    assert json.loads(kept) == {"hold": 20, "share": 0.5}
    read(" 20 ", "0,5")
    said = r"figures: .* is not allowed; it holds results of other parameters"
    with pytest.raises(ValueError, match=said):
        read(25, 0.5)
    assert (tmp_path / "parameters.json").read_text() == kept
