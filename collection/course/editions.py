"""One source of a chapter, and four readers: a student's and a teacher's notebook, slides, and pages of a book.

The sources are in ``collection/course/lectures``. Tags say what a cell is for. Without a tag it is for the notebooks
and the book. Markdown with the tag "slide" has the words of the slides: a headline, ``## …``, begins a page, and a cell
without one comes a step later on the same page. Code with this tag shows its pictures and tables on the page, and its
lines, too, if it is an "algorithm". "teacher" are notes for the lecturer, and with "examination" questions for an
examination. ``make notebooks`` writes the students' notebooks, and ``make slides`` the slides and the teachers'.
"""

from pathlib import Path

__all__ = ["SOURCES", "as_slides", "is_for", "source_of"]

SOURCES = Path(__file__).parent / "lectures"


def source_of(notebook):
    """The file that a notebook is made of: for a chapter its source, and for any other the notebook itself."""
    chapter = notebook.parent.name == "lectures"
    return SOURCES / notebook.name if chapter else notebook


def is_for(cell, reader):
    """Whether a cell is for a "student", whose notebook is the book's page, too, or a "teacher", or for "slides"."""
    tags = {*cell.metadata.get("tags", ())}
    if reader == "slides":
        return bool(tags & {"slide", "teacher"}) and "examination" not in tags
    words_of_slides = cell.cell_type == "markdown" and "slide" in tags
    return not words_of_slides and (reader == "teacher" or "teacher" not in tags)


def as_slides(notebook):
    """The slides of an executed source, which is changed: a title page, the cells for slides, and the notes."""
    title = notebook.cells[0]
    title.source = "\n\n".join(title.source.split("\n\n")[:2])
    notebook.cells = [title, *(cell for cell in notebook.cells[1:] if is_for(cell, "slides"))]
    for cell in notebook.cells:
        kind = "slide" if cell.source.startswith(("# ", "## ")) else "fragment"
        if cell.cell_type == "code":
            kind = "-"
        if "teacher" in cell.metadata.get("tags", ()):
            kind = "notes"
        cell.metadata["slideshow"] = {"slide_type": kind}
    return notebook
