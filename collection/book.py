"""The printed course: definitions, chapters, references and terms as one PDF, ``make course``. It needs Chromium.

The chapters are executed with figures as drawings, and Sphinx makes a page of each, as for the site. The pages are
joined to one, in which every anchor has the name of its page before it. Chromium prints it twice: after the first time
we know on which pages the anchors are, and write their numbers into the table of contents and the index.
"""

import re
import shutil
import sys
import tempfile
from html import unescape
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dicelab._extras import extra
from dicelab._files import atomic_write

from .course.editions import source_of
from .course.pages import built as built_pages
from .course.references import LECTURES
from .course.terms import LEFT_OUT
from .notebooks import VECTORS, UsageError, check_into, check_timeout, exclusive_run, execute_all
from .papers.published import ROOT
from .site import as_page, for_sphinx, read_citation, run_sphinx
from .slides import copy_javascript

with extra("site"):
    import nbformat
    from playwright.sync_api import sync_playwright

__all__ = ["destinations", "join_pages", "make_course", "make_pages", "print_page"]

TEMPLATES = Path(__file__).parent / "templates" / "book"
TITLE = "A course on Markov decision processes that starts with one die"
WORDS = (
    "The chapters, with their code and its results, as the notebooks show them. Exercises have worked solutions in the "
    "folder notebooks/lectures/solutions of the collection. The text may be used under the licence CC BY 4.0."
)
PAGES_BEFORE = ("definitions",)
PAGES_AFTER = ("linear-programs", "why-races-end", "references", "terms")
UNLISTED = {*LEFT_OUT} - {"Exercises"}  # sections that every chapter has
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
MOST_PRINTS = 5  # the second has the right numbers, unless they move a line to another page
WIDTH = 642  # CSS pixels between the margins of a page: 170 mm
ARTICLE = re.compile(r'<article role="main"[^>]*>(.*)</article>', re.DOTALL)
HEADERLINK = re.compile(r'<a class="headerlink".*?</a>', re.DOTALL)
SECTION = re.compile(
    r'<section[^>]* id="([^"]+)">\s*(?:<span id="[^"]*"></span>\s*)*<h([12])>(.*?)</h\2>'
)
DATE = re.compile(rb"\(D:\d{14}\+00'00'\)")
PREPARE = r"""async () => {
  await MathJax.startup.promise;
  await MathJax.typesetPromise();
  for (const formula of document.querySelectorAll("mjx-container:not([display=true])")) {
    const set = formula.closest("span.math") ?? formula;
    const after = set.nextSibling;  // no line begins with a comma
    const marks = after?.nodeType === Node.TEXT_NODE ? after.data.match(/^[-.,;:?!)\]’”]+/)?.[0] : "";
    if (!marks) continue;
    const whole = document.createElement("span");
    whole.style.whiteSpace = "nowrap";
    set.before(whole);
    whole.append(set, marks);
    after.data = after.data.slice(marks.length);
  }
  const room = document.body.clientWidth;
  for (const wide of document.querySelectorAll("mjx-container[display=true] > svg, table")) {
    const frame = wide.closest("blockquote, li, td") ?? document.body;
    const style = getComputedStyle(frame);
    const most = Math.min(room, frame.clientWidth - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight));
    const width = wide.getBoundingClientRect().width;
    if (width > most) wide.style.zoom = most / width;
  }
  await document.fonts.ready;
  await Promise.all([...document.images].map((image) => image.decode()));
  for (const image of document.images) {  // letters as small as the text's; a PNG has two pixels for each point
    const points = image.naturalWidth / (image.src.endsWith(".png") ? 2 : 1);
    image.style.width = `${Math.min(room, 0.82 * (parseFloat(image.style.width) || points))}px`;
  }
  return document.documentElement.scrollWidth;
}"""
NUMBER = """(pages) => document.querySelectorAll(".contents a, .terms li a").forEach((link) => {
  (link.querySelector(".page") ?? link).textContent = pages[decodeURIComponent(link.hash.slice(1))];
})"""


def make_course(timeout=1800, into=None):
    """Execute the chapters and write ``build/course.pdf``.

    Parameters
    ----------
    timeout : int
        Seconds that one cell may take.
    into : Path, optional
        The folder below which ``build/`` is written; by default the repository.

    Returns
    -------
    list of str
        The problems: chapters that failed. If there are any, nothing is written.

    Raises
    ------
    ValueError
        If Chromium or npm is missing, or nothing can be written there.
    """
    timeout, build = check_timeout(timeout), check_into(into) / "build"
    chromium = shutil.which("chromium")
    if not chromium:
        raise UsageError("the printed course needs Chromium: apt install chromium")
    with exclusive_run(build) as folder:
        copy_javascript(folder / "pages", build)
        sources = map(source_of, sorted(LECTURES.glob("*.ipynb")))
        copies = {path: folder / "executed" / path.name for path in sources}
        failures = execute_all(copies, timeout, VECTORS)
        wrong = [f"{path.stem} failed: {reason}" for path, reason in failures.items() if reason]
        if not wrong:
            names = make_pages(list(copies.values()), folder / "pages")
            page = folder / "pages" / "book.html"
            page.write_text(join_pages(page.parent, names), encoding="utf-8")
            with (
                sync_playwright() as playwright,
                playwright.chromium.launch(executable_path=chromium, args=FLAGS) as browser,
                atomic_write(build / "course.pdf") as part,
            ):
                part.write_bytes(print_page(browser, page))
    return wrong


def make_pages(executed, built):
    """Make the pages of the course with Sphinx in the folder `built`; returns their names, in order."""
    before, after = [
        [LECTURES / f"{name}.md" for name in names] for names in (PAGES_BEFORE, PAGES_AFTER)
    ]
    texts = built_pages()
    names = [path.stem for path in (*before, *executed, *after)]
    with tempfile.TemporaryDirectory(prefix="dicelab-course-") as folder:
        source = Path(folder) / "source"
        source.mkdir()
        for path in (*before, *after):
            text = for_sphinx(texts.get(path) or path.read_text(encoding="utf-8"))
            (source / path.name).write_text(text, encoding="utf-8")
        for path in executed:
            name = Path("lectures", path.name)
            nbformat.write(as_page(nbformat.read(path, as_version=4), name), source / path.name)
        listed = "\n".join(names)
        (source / "index.md").write_text(
            f"# {TITLE}\n\n```{{toctree}}\n{listed}\n```\n", encoding="utf-8"
        )
        run_sphinx(source, built)
    return names


def join_pages(built, names):
    """One page, a str, of the pages with these names in a folder: a title page, the contents, and a chapter of each."""
    citation = read_citation(ROOT / "CITATION.cff")
    first = (built / f"{names[0]}.html").read_text(encoding="utf-8")
    sheets = re.findall(
        r'<link rel="stylesheet"[^>]* href="([^"]*(?:pygments|mystnb|style)\b[^"]*)"', first
    )
    templates = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True
    )
    return templates.get_template("book.html.j2").render(
        title=TITLE,
        words=WORDS,
        authors=", ".join(author["name"] for author in citation["authors"]),
        version=citation["version"],
        released=citation["date-released"],
        sheets=[sheet for sheet in sheets if "furo" not in sheet],
        chapters=[chapter(built, name, names) for name in names],
    )


def chapter(built, name, names):
    """A page as a chapter: a dict of its anchor, title, sections and body."""
    text = (built / f"{name}.html").read_text(encoding="utf-8")
    body = re.sub(r"(?<=\d) %", "\u00a0%", HEADERLINK.sub("", ARTICLE.search(text)[1]))
    body = re.sub(r'(?<= id=")[^"]+', lambda found: f"{name}--{found[0]}", body)
    body = re.sub(
        r"(?<=#)T_\w+", lambda found: f"{name}--{found[0]}", body
    )  # pandas' styles of tables
    first, *sections = (
        {"id": anchor, "title": title}
        for anchor, level, title in SECTION.findall(body)
        if level == "1" or title not in UNLISTED
    )
    anchors = {each: f"{each}--" for each in names}

    def link(found):
        page, _, anchor = unescape(found[1]).partition("#")
        page = page.removesuffix(".html").removesuffix(".ipynb").removesuffix(".md") or name
        if re.match("https?:", found[1]):
            return found[0]
        if page not in anchors:
            return ""
        return f'href="#{page}--{anchor}"' if anchor else f'href="#{page}"'

    body = re.sub(r'href="([^"]*)"', link, body)
    return {
        "name": name,
        "id": first["id"],
        "title": first["title"],
        "words": re.sub(r"<[^>]+>|[\\\"]", "", unescape(first["title"])),
        "sections": sections,
        "body": f'<span id="{name}"></span>{body}',
    }


def print_page(browser, page):
    """Print a page of :func:`join_pages`, a file, with numbers in its contents and index; returns the PDF, bytes."""
    opened = browser.new_page(viewport={"width": WIDTH, "height": 900})
    opened.set_default_timeout(0)
    opened.emulate_media(media="print")
    opened.goto(page.as_uri())
    opened.evaluate(PREPARE)
    pages = {}
    for _ in range(MOST_PRINTS):
        made = opened.pdf(
            prefer_css_page_size=True, print_background=True, outline=True, tagged=True
        )
        if (found := destinations(made)) == pages:
            break
        opened.evaluate(NUMBER, pages := found)
    else:
        raise RuntimeError("the page numbers of the contents do not settle")
    opened.close()
    return DATE.sub(rb"(D:20000101000000+00'00')", made)  # the same inputs give the same bytes


def destinations(pdf):
    """The page, counted from 1, of each anchor that a link leads to, a dict; of a PDF as Chromium writes it."""
    inner = dict(
        re.findall(rb"\n(\d+) 0 obj\n<</Type /Pages\b[^>]*?/Kids \[(.*?)\]", pdf, re.DOTALL)
    )

    def leaves(node):
        if node not in inner:
            return [node]
        return [leaf for kid in re.findall(rb"(\d+) 0 R", inner[node]) for leaf in leaves(kid)]

    (root,) = re.findall(rb"/Type /Catalog\n/Pages (\d+) 0 R", pdf)
    pages = {page: number for number, page in enumerate(leaves(root), start=1)}
    found = re.findall(rb"/([^\s/\[]+) \[(\d+) 0 R /XYZ", pdf)
    return {
        re.sub("#(..)", lambda code: chr(int(code[1], 16)), name.decode()): pages[page]
        for name, page in found
        if name != b"Dest"
    }


if __name__ == "__main__":
    try:
        wrong = make_course()
    except ValueError as error:
        wrong = [str(error)]
    sys.exit("\n".join(wrong) or print("build/course.pdf"))
