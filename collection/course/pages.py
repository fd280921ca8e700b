"""Pages that are built and not committed: the index of terms, the instructor's guide, and what combines with what.

``make references`` writes them, and the lists of references anew. ``make lab`` writes them, too. The site and the
printed course take their text from here.
"""

import runpy

from dicelab._files import atomic_write

from ..papers.published import ROOT
from .guide import GUIDE, guide_page
from .references import renewed_references
from .terms import TERMS, terms_page

__all__ = ["built", "write"]


def built():
    """The text of each page, a dict by the path at which a reader finds it."""
    matrix = runpy.run_path(str(ROOT / "tests" / "conformance" / "matrix.py"))
    return {
        TERMS.with_suffix(".md"): terms_page(),
        GUIDE.with_suffix(""): guide_page(),
        ROOT / "docs" / "combinations.md": matrix["page"](),
    }


def write(texts):
    """Write the texts that are not up to date."""
    for path, text in texts.items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            with atomic_write(path) as part:
                part.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(renewed_references() | built())
