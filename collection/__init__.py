"""What runs and checks the notebooks: not a part of the library, and not in its wheel.

papers
    The printed numbers, the computed numbers beside them, and what the papers say in words, a file a paper.
course
    The textbook's algorithms, the exercises, the drawings, and what is made of the chapters: guide, terms.
notebooks, parameters, runner, report
    Notebooks executed strictly, by papermill, and verdicts: ``dicelab reproduce``.
manifest
    Every figure, table, equation and theorem of a paper, and where it stands here.
paper_plots
    Figures that one notebook needs.
slides, book, site, page
    Slides, one PDF of all chapters, the static site, and the page that solves.
gallery, game_pages, reference, first_question
    What the site and the page show.
classes, examinations
    Homework dealt and graded, and examinations printed: ``dicelab class``.
lab, commands
    A copy of the notebooks to work in, and the commands that ``dicelab`` finds.
verify
    Everything computed again, and compared with files: ``dicelab verify``.

The names below are what notebooks use. They are imported when they are asked for.
"""

from importlib import import_module
from typing import Any

PLACES = {
    "check": "course.exercises",
    "check_claims": "papers.claims.findings",
    "compare": "papers.comparison",
    "Items": "papers.items",
    "contents": "manifest",
    "items": "manifest",
    "polygon_corners": "papers.claims.pair_by_pair",
    "published": "papers.published",
    "read_parameters": "parameters",
    "stopped_iteration": "papers.claims.pair_by_pair",
    "verdicts_on": "manifest",
}
MODULES = {
    "diagrams": "course.diagrams",
    "first_move": "papers.first_move",
    "paper_plots": "paper_plots",
    "papers": "papers",
    "textbook": "course.textbook",
}
__all__ = sorted([*PLACES, *MODULES])


def __getattr__(name: str) -> Any:
    if name in MODULES:
        return import_module(f".{MODULES[name]}", __name__)
    if name not in PLACES:
        raise AttributeError(f"module 'collection' has no attribute {name!r}")
    return getattr(import_module(f".{PLACES[name]}", __name__), name)


def __dir__():
    return __all__
