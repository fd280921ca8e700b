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
        return any(
            (isinstance(each, ast.Name) and each.id in self.names | RANDOM)
            or (isinstance(each, ast.Attribute) and each.attr in RANDOM)
            for each in ast.walk(node)
        )

    def mark(self, targets, value):
        """Names are assigned a value, or parts of it."""
        names = {
            each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)
        }
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
        parameters = {
            argument.arg for argument in ast.walk(node.args) if isinstance(argument, ast.arg)
        }
        self.names -= parameters
        draws = any(self.depends(line) for line in node.body)
        self.names = outside | ({node.name} if draws else set())

    def visit_Call(self, node):
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called in ("Markdown", "print"):
            numbers = [part for part in ast.walk(node) if isinstance(part, ast.FormattedValue)]
            if any(self.depends(number.value) for number in numbers):
                self.sentences.append(ast.unparse(node))
        self.generic_visit(node)


def drawn_sentences(notebook):
    """The computed sentences of a notebook that print what depends on random numbers: the cell's tags, and the code."""
    found, visitor = [], Drawn()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            before = len(visitor.sentences)
            visitor.visit(ast.parse(cell.source))
            tags = {*cell.metadata.get("tags", [])}
            found += [(tags, said) for said in visitor.sentences[before:]]
    return found


def has_its_error(said):
    return "±" in said or "standard error" in said.lower()


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_a_simulated_number_has_its_error(path):
    found = drawn_sentences(nbformat.read(path, as_version=4))
    assert [said for tags, said in found if not (has_its_error(said) or tags & TAGS)] == []
    assert [said for tags, said in found if has_its_error(said) and "exact" in tags] == []


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
