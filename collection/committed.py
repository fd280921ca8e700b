"""Notebooks that are committed as executed, so that pictures are seen where nothing runs: ``make notebooks``.

These are the start, the papers, our own questions and the chapters of the course. The metadata have the hash of the
source of the outputs; the source of a chapter is in ``collection/course/lectures``. Only what has changed since is
executed again; ``python -m collection.committed --all`` executes all.
"""

import io
import json
import re
import sys
from base64 import b64decode, b64encode
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from dicelab._extras import extra
from dicelab._files import atomic_write
from dicelab.views.style import figures_in

from .course.editions import is_for, source_of
from .notebooks import execute
from .papers.published import ROOT
from .slides import label_outputs

with extra("papers"):
    import nbformat

with extra("site"):
    from PIL import Image

__all__ = ["SHOWN", "is_stale", "refresh", "tidied"]

SHOWN = (
    ROOT / "notebooks" / "start.ipynb",
    *sorted(ROOT.glob("notebooks/papers/*.ipynb")),
    *sorted(ROOT.glob("notebooks/beyond/*.ipynb")),
    *sorted(ROOT.glob("notebooks/lectures/*.ipynb")),
)
SOURCE = "source_of_outputs"  # the hash in a notebook's metadata
FEW = {"colors": 256, "method": Image.Quantize.MAXCOVERAGE}  # of maps other methods make bands
MOST_BYTES = 10**6  # of a notebook
INSIDE = re.compile(r'<img [^>]*src="data:[^>]*>')  # a card's picture, which code hosts do not show
WIDGET = "application/vnd.jupyter.widget-view+json"


def hash_of(notebook):
    """The hash of the cells of a notebook, without their outputs."""
    cells = [(cell.cell_type, cell.source, cell.metadata.get("tags")) for cell in notebook.cells]
    return sha256(json.dumps(cells).encode()).hexdigest()


def is_stale(path):
    """Whether the outputs of a committed notebook are of another source, or missing."""
    source = nbformat.read(source_of(path), as_version=4)
    return nbformat.read(path, as_version=4).metadata.get(SOURCE) != hash_of(source)


def tidied(executed, source, figures=()):
    """A notebook with the outputs of its executed copy, as they are committed; what is not for students is left out.

    The same results give the same bytes: there are no counts, times, addresses or random names. Each picture has few
    colours, and its alternative text in the metadata of its output.

    Parameters
    ----------
    executed, source : nbformat.NotebookNode
    figures : sequence of dict
        Those that the run has saved; see :func:`dicelab.views.style.figures_in`.

    Raises
    ------
    ValueError
        If a cell has written to stderr.
    """
    source.metadata[SOURCE] = hash_of(source)
    labelled = {cell.id: cell for cell in label_outputs(executed, figures).cells}
    source.cells = [cell for cell in source.cells if is_for(cell, "student")]
    for number, cell in enumerate(source.cells):
        shown = labelled[cell.id]
        cell.id = str(number)
        if cell.cell_type != "code":
            cell.source = shown.source  # with its fields filled in
            continue
        cell.execution_count = None
        cell.outputs = [out for out in shown.outputs if WIDGET not in out.get("data", {})]
        for out in cell.outputs:
            if out.get("name") == "stderr":
                raise ValueError(
                    f"{out.text.strip()}: is not allowed; a notebook shows no warnings"
                )
            if out.output_type == "execute_result":
                out.execution_count = None
            data = out.get("data", {})
            if " at 0x" in data.get("text/plain", ""):  # an address, beside a table in HTML
                del data["text/plain"]
            if "text/html" in data:
                data["text/html"] = INSIDE.sub("", data["text/html"])
            if "image/png" in data:
                data["image/png"] = _smaller(data["image/png"])
                out.metadata.setdefault("image/png", {}).setdefault("alt", shown.metadata["alt"])
    return source


def _smaller(png):
    """A picture in base64 with few colours."""
    picture = Image.open(io.BytesIO(b64decode(png))).convert("RGB")
    file = io.BytesIO()
    picture.quantize(**FEW, dither=Image.Dither.NONE).save(file, "png", optimize=True)
    return b64encode(file.getvalue()).decode()


def refresh(paths=SHOWN, into=None):
    """Execute notebooks, and write them with their outputs, in their places or into a folder.

    Raises
    ------
    ValueError
        If one fails, or is too large. Those before it are written.
    """
    for path in paths:
        with TemporaryDirectory() as folder:
            origin, copy = source_of(path), Path(folder, path.name)
            source = nbformat.read(origin, as_version=4)
            saves = any('figures = ""' in cell.source for cell in source.cells)
            if error := execute(origin, copy, {"figures": folder} if saves else {}, timeout=1800):
                raise ValueError(f"{path}: {error}")
            executed = nbformat.read(copy, as_version=4)
            text = nbformat.writes(tidied(executed, source, figures_in(folder)))
            if len(text) > MOST_BYTES:
                raise ValueError(f"{path}: {len(text):,} bytes are too many; draw less, or smaller")
            place = Path(into, path.name) if into else path
            with atomic_write(place) as part:
                part.write_text(text + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    refresh([path for path in SHOWN if "--all" in sys.argv or is_stale(path)])
