"""An examination as PDF: one for the students, and one for the teacher with the answers and their points.

It needs Chromium, and npm the first time, for the formulas. Another variant has other rules, and so other answers.
"""

import shutil
import tempfile
from pathlib import Path

from dicelab._extras import extra
from dicelab._files import atomic_write
from dicelab._validation import invalid

from .book import FLAGS
from .classes import TEMPLATES
from .course.guide import asked_and_expected
from .notebooks import UsageError
from .slides import copy_javascript

with extra("site"):
    from nbconvert.filters import markdown2html
    from playwright.sync_api import sync_playwright

__all__ = ["make_examination"]


def make_examination(folder, title, questions, rules):
    """Write ``title.pdf`` and ``title-answers.pdf`` into a folder.

    Parameters
    ----------
    folder : Path
    title : str
    questions : sequence of Exercise
        Those of the examinations, with a rubric.
    rules : dict
        The rules of this variant.

    Returns
    -------
    list of Path

    Raises
    ------
    ValueError
        If Chromium or npm is missing, or an exercise is no question of an examination.
    """
    for each in questions:
        if not each.rubric:
            raise invalid("question", each.number, "a question of an examination, as 3.x1")
    chromium = shutil.which("chromium")
    if not chromium:
        raise UsageError("a printed examination needs Chromium: apt install chromium")
    told = [asked_and_expected(each, rules) for each in questions]
    points = sum(sum(each.rubric.values()) for each in questions)
    files = [folder / f"{title}.pdf", folder / f"{title}-answers.pdf"]
    heads = f"{points} points. Name: ______________________", f"{points} points. With the answers."
    texts = [[asked for asked, _ in told], ["\n\n".join(each) for each in told]]
    template = TEMPLATES.get_template("examination.html.j2")
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as made,
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium, args=FLAGS) as browser,
    ):
        copy_javascript(Path(made))
        for file, head, parts in zip(files, heads, texts, strict=True):
            page = Path(made) / "page.html"
            page.write_text(
                template.render(title=title, head=head, parts=map(markdown2html, parts)),
                encoding="utf-8",
            )
            opened = browser.new_page()
            opened.goto(page.as_uri())
            opened.evaluate("MathJax.startup.promise")
            with atomic_write(file) as part:
                part.write_bytes(
                    opened.pdf(
                        format="A4",
                        margin=dict.fromkeys(("top", "bottom", "left", "right"), "20mm"),
                    )
                )
    return files
