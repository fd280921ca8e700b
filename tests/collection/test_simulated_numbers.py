"""A sentence that is computed from random numbers says how sure its numbers are, as lecture 11 demands.

What depends on random numbers is found by names alone. A cell has the tag "exact" if its numbers do not depend on any;
and "single-runs" if it speaks of single runs, as of the least and the largest loss of three learners, and says so.
"""

import ast

import nbformat
import pytest

from collection.slides import LECTURES

# Calls that draw, or that make what draws.
RANDOM = {"Random", "default_rng", "Generator", "learn", "simulate"}
TAGS = {"exact", "single-runs"}
LECTURES = sorted(LECTURES.glob("*.ipynb"))


def names_in(part, kind):
    """The names that a part of a program reads or assigns, but for those that mean something inside of it alone."""
    nodes = [*ast.walk(part)]
    loops = [node.target for node in nodes if isinstance(node, ast.comprehension)]
    inside = {getattr(name, "id", "") for loop in loops for name in ast.walk(loop)}
    inside |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    names = [node for node in nodes if isinstance(node, ast.Name)]
    return {node.id for node in names if isinstance(node.ctx, kind)} - inside


def depends(part, drawn):
    """Whether a part of a program draws, or reads what is drawn."""
    methods = {node.attr for node in ast.walk(part) if isinstance(node, ast.Attribute)}
    return bool(methods & RANDOM or names_in(part, ast.Load) & drawn)


def drawn_sentences(notebook):
    """The computed sentences of a notebook that print what depends on random numbers: the cell's tags, and the code."""
    drawn, found = set(RANDOM), []
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        for line in ast.parse(cell.source).body:
            for call in (each for each in ast.walk(line) if isinstance(each, ast.Call)):
                numbers = [part for part in ast.walk(call) if isinstance(part, ast.FormattedValue)]
                printed = ast.unparse(call.func) in ("Markdown", "print")
                if printed and any(depends(number, drawn) for number in numbers):
                    found.append(({*cell.metadata.get("tags", [])}, ast.unparse(call)))
            inside = isinstance(line, ast.FunctionDef)
            changed = {line.name} if inside else names_in(line, ast.Store)
            drawn = drawn | changed if depends(line, drawn) else drawn - changed
    return found


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_a_simulated_number_has_its_error(path):
    for tags, said in drawn_sentences(nbformat.read(path, as_version=4)):
        has_error = "±" in said or "standard error" in said.lower()
        assert has_error or tags & TAGS, said
        assert not (has_error and "exact" in tags), said


@pytest.mark.parametrize(
    ("code", "found"),
    [
        ("x = np.random.default_rng(1).random(9)\nMarkdown(f'{x.mean():.2f}')", 1),
        ("def run(n):\n    return dice.random()\ny = 1 + run(2)\nprint(f'{y}')", 1),
        ("z = [dice.random()]\nfor k in z:\n    t = k\nMarkdown(f'{t}')", 1),
        ("z = dice.random()\nz = 3\nMarkdown(f'{z}')", 0),
        ("Markdown(f'{4}')", 0),
    ],
)
def test_what_depends_on_random_numbers_is_found(code, found):
    cells = [nbformat.v4.new_code_cell("dice = Random(3)"), nbformat.v4.new_code_cell(code)]
    assert len(drawn_sentences(nbformat.v4.new_notebook(cells=cells))) == found
