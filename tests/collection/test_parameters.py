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
    read_parameters(given, target=int, goals=[int], seed=int)
    assert given == {"target": 150, "goals": [10, 80], "seed": None, "other": "x"}
    with pytest.raises(
        ValueError, match=r"^goals: '10,800' is not allowed; give a list like \[100\]$"
    ):
        read_parameters({"goals": "10,800"}, goals=[int])


def first_cells(paper):
    """The code of the cell of parameters and of the next one."""
    cells = nbformat.read(paper.notebook, as_version=4).cells
    code = [cell for cell in cells if cell.cell_type == "code"]
    first = next(k for k, cell in enumerate(code) if "parameters" in cell.metadata.get("tags", ()))
    return [cell.source for cell in code[first : first + 2]]


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_notebooks_read_lists_that_papermill_gives_as_text(paper):
    """The cell of parameters and the next one, with each list as the text that ``papermill -p`` makes of it."""
    defaults = parameters_of(paper.notebook)
    lists = {name: value for name, value in defaults.items() if isinstance(value, list)}
    code = first_cells(paper)
    variables = {}
    exec(code[0], variables)
    given = variables | {name: str(value) for name, value in lists.items()}
    exec(code[1], given)
    assert {name: given[name] for name in lists} == lists
    for name in lists:
        with pytest.raises(ValueError, match=rf"^{name}: '1…2' is not allowed; give a list"):
            exec(code[1], variables | {name: "1…2"})


def test_figures_remember_their_parameters(tmp_path):
    """Results of other parameters are not written over those of a paper, however the notebook was started."""
    figures = str(tmp_path)
    read_parameters(
        {"figures": figures, "hold": 20, "share": 0.5}, hold=(int, 1), share=(float, 0, 1)
    )
    kept = (tmp_path / "parameters.json").read_text()
    assert json.loads(kept) == {"hold": 20, "share": 0.5}
    read_parameters(
        {"figures": figures, "hold": " 20 ", "share": "0,5"}, hold=(int, 1), share=(float, 0, 1)
    )
    with pytest.raises(
        ValueError, match=r"figures: .* is not allowed; it holds results of other parameters"
    ):
        read_parameters(
            {"figures": figures, "hold": 25, "share": 0.5}, hold=(int, 1), share=(float, 0, 1)
        )
    assert (tmp_path / "parameters.json").read_text() == kept


@pytest.mark.parametrize(
    ("value", "kind", "said"),
    [
        (0, (int, 1), "a number of at least 1"),
        (1.5, (float, 0, 1), "a number of at least 0 and at most 1"),
        ([3, 0], ([int], 1), "numbers of at least 1"),
    ],
)
def test_a_parameter_out_of_its_range(value, kind, said):
    with pytest.raises(ValueError, match=rf"^x: .* is not allowed; give {said}$"):
        read_parameters({"x": value}, x=kind)
    read_parameters({"x": None}, x=kind)
