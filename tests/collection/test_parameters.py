"""Parameters that are given as text."""

import ast
import json

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st

from collection.papers.published import PAPERS, QUESTIONS
from collection.parameters import is_of, kind_of, read_parameters, read_value
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


@given(
    st.lists(st.integers(-(10**6), 10**6), min_size=1),
    st.sampled_from([repr, lambda v: "; ".join(map(str, v)) + ";"]),
)
def test_a_list_that_is_written_is_read(values, write):
    assert read_value(write(values), [int]) == values


def test_kinds():
    assert [kind_of(value) for value in (2, 0.5, "a", True, [1, 2], (0.5,))] == [
        int,
        float,
        str,
        bool,
        [int],
        [float],
    ]
    assert is_of(2, float) and not is_of(True, int) and not is_of(0.5, int) and not is_of([], [int])


def test_a_notebook_reads_its_parameters():
    given = {"target": "150", "goals": "[10, 80]", "seed": None, "other": "x"}
    read_parameters(given, target=int, goals=[int], seed=int)
    assert given == {"target": 150, "goals": [10, 80], "seed": None, "other": "x"}
    for name, value, kind, said in (
        ("goals", "10,800", [int], "goals: '10,800' is not allowed; give a list like [100]"),
        ("goals", 80, [int], "goals: 80 is not allowed; give a list like [100]"),
        ("target", [80], int, "target: [80] is not allowed; give a whole number like 100"),
        ("rate", "much", float, "rate: 'much' is not allowed; give a number like 0.5"),
    ):
        with pytest.raises(ValueError) as error:
            read_parameters({name: value}, **{name: kind})
        assert str(error.value) == said


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


@pytest.mark.parametrize("paper", [*PAPERS, *QUESTIONS], ids=lambda paper: paper.slug)
def test_notebooks_read_all_their_parameters_at_once(paper):
    """In the cell after the parameters, and none is left out."""
    code = first_cells(paper)
    (call,) = [node for node in ast.walk(ast.parse(code[1])) if getattr(node, "keywords", ())]
    assert {keyword.arg for keyword in call.keywords} == {*parameters_of(paper.notebook)}
