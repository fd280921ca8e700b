"""A sentence that is computed from random numbers says how sure its numbers are, as lecture 11 demands.

What depends on random numbers is found by names alone. A cell has the tag "exact" if its numbers do not depend on any;
and "single-runs" if it speaks of single runs, as of the least and the largest loss of three learners, and says so.
"""

import ast

import nbformat
import pytest

from collection.slides import LECTURES

RANDOM = {
    "Random",
    "default_rng",
    "Generator",
    "learn",
    "simulate",
}  # calls that draw, or that make what draws
TAGS = {"exact", "single-runs"}
LECTURES = sorted(LECTURES.glob("*.ipynb"))


class Drawn(ast.NodeVisitor):
    """The names in a notebook whose values depend on random numbers, and the sentences that print such values."""

    def __init__(self):
        self.names, self.sentences = set(), []

    def depends(self, node):
        """Whether an expression depends on random numbers."""
        names = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)}
        attributes = {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        return bool(names & (self.names | RANDOM) or attributes & RANDOM)

    def mark(self, targets, value):
        """Names are assigned a value, or parts of it."""
        parts = [part for target in targets for part in ast.walk(target)]
        names = {part.id for part in parts if isinstance(part, ast.Name)}
        self.names = self.names | names if self.depends(value) else self.names - names

    def visit_Assign(self, node):
        plain = all(isinstance(target, ast.Name | ast.Tuple) for target in node.targets)
        if plain or self.depends(node.value):
            self.mark(node.targets, node.value)
        self.generic_visit(node)

    def visit_For(self, node):
        self.mark([node.target], node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node):
        self.mark([node.target], node.iter)

    def visit_FunctionDef(self, node):
        """A function that draws; what it names so inside stays inside."""
        outside = set(self.names)
        self.names -= {each.arg for each in ast.walk(node.args) if isinstance(each, ast.arg)}
        draws = any(self.depends(line) for line in node.body)
        self.names = outside | ({node.name} if draws else set())

    def visit_Call(self, node):
        numbers = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
        printed = ast.unparse(node.func) in ("Markdown", "print")
        if printed and any(self.depends(number.value) for number in numbers):
            self.sentences.append(ast.unparse(node))
        self.generic_visit(node)


def drawn_sentences(notebook):
    """The computed sentences of a notebook that print what depends on random numbers: the cell's tags, and the code."""
    found, visitor = [], Drawn()
    for cell in (cell for cell in notebook.cells if cell.cell_type == "code"):
        visitor.sentences = []
        visitor.visit(ast.parse(cell.source))
        found += [({*cell.metadata.get("tags", [])}, said) for said in visitor.sentences]
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
