"""The gallery of the site: the short programs of ``docs/gallery``, run when the site is built, and what they draw."""

import ast
from dataclasses import dataclass
from pathlib import Path
from runpy import run_path

from dicelab._extras import extra
from dicelab.views.style import style

from .papers.published import ROOT

with extra("plots"):
    import matplotlib.pyplot as plt

__all__ = ["Example", "examples"]


@dataclass(frozen=True)
class Example:
    """A program that draws on `ax`. Its docstring has a title, what one learns, and what one sees."""

    path: Path

    @property
    def name(self):
        """The name of the picture."""
        return self.path.stem

    @property
    def words(self):
        """The title, what one learns, and what one sees: a list of three."""
        text = ast.get_docstring(ast.parse(self.path.read_text(encoding="utf-8")))
        return [" ".join(part.split()) for part in text.split("\n\n")]

    @property
    def code(self):
        """The program without its docstring."""
        return self.path.read_text(encoding="utf-8").split('"""')[2].strip()

    def draw(self, folder):
        """Run the program, and write its picture as ``<name>.svg`` in a folder."""
        ax = run_path(str(self.path))["ax"]
        with style():
            ax.figure.savefig(folder / f"{self.name}.svg", dpi=200, metadata={"Date": None})
        plt.close(ax.figure)


def examples():
    """All examples, a list, in the order of the gallery."""
    return [Example(path) for path in sorted((ROOT / "docs" / "gallery").glob("*.py"))]
