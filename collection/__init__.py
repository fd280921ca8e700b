"""What runs and checks the notebooks: not a part of the library, and not in its wheel.

runner, report
    Notebooks executed strictly, by papermill, and verdicts: ``dicelab reproduce``.
claims
    What papers say in words, a file a paper, and how each sentence is checked.
manifest
    Every figure, table, equation and theorem of a paper, and where it stands here.
paper_plots, diagrams
    Figures that one notebook needs, and drawings of the lectures.
references, terms
    The bibliography and the index of terms: their pages, and the lists of references in the notebooks.
slides, book, site, game_pages, reference, page
    The lectures as slides, and as one PDF; the static site; the page that solves.
verify
    Everything computed again, and compared with files: ``dicelab verify``.

The names below are what notebooks use. They are imported when they are asked for.
"""

from importlib import import_module

PLACES = {
    "check_claims": "claims.findings",
    "contents": "manifest",
    "items": "manifest",
    "polygon_corners": "claims.pair_by_pair",
    "read_parameters": "parameters",
    "stopped_iteration": "claims.pair_by_pair",
    "verdicts_on": "manifest",
}
MODULES = "diagrams", "paper_plots"
__all__ = sorted([*PLACES, *MODULES])


def __getattr__(name):
    if name in MODULES:
        return import_module(f".{name}", __name__)
    if name not in PLACES:
        raise AttributeError(f"module 'collection' has no attribute {name!r}")
    return getattr(import_module(f".{PLACES[name]}", __name__), name)


def __dir__():
    return __all__
