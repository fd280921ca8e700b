"""The static site: runs everything and writes ``build/site`` with Sphinx, ``dicelab site``. It needs no network.

The site shows the executed notebooks, the slides, all verdicts and the page to play on. Its source tree has the same
layout as the repository, so that links between files work in both. Sphinx is configured in ``templates/site/conf.py``.
"""

import io
import re
import shutil
import sys
import tempfile
from pathlib import Path
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from dicelab._extras import extra
from dicelab.views.style import COLOURS, figures_in, format_number

from .course.editions import is_for, source_of
from .course.pages import built as built_pages
from .folders import replace_files
from .gallery import examples
from .game_pages import EXHIBITS
from .manifest import escape_markdown, verdicts_on
from .notebooks import check_into, check_timeout, exclusive_run, execute_all
from .page import PLAYED, write_page
from .papers.published import PAPERS, QUESTIONS, ROOT, errata, paper_of
from .reference import reference_tasks
from .report import problems, without_long_tables
from .runner import reproduce
from .slides import copy_javascript, heading_of, label_outputs, replace_widgets, write_slides

with extra("papers"):
    import nbformat

__all__ = ["build_site", "make_site"]

BINDER = ""  # where Binder opens the repository, "https://mybinder.org/v2/gh/<owner>/<name>/HEAD"; "": not mentioned
ADDRESS = ""  # where the site is published, "https://<owner>.github.io/<name>/"; "": no sitemap and no canonical links
TEMPLATES = Path(__file__).parent / "templates" / "site"
OTHER_NOTEBOOKS = (  # all but the papers'
    "*.ipynb",
    "lectures/*.ipynb",
    "lectures/solutions/*.ipynb",
    "explore/*.ipynb",
    "beyond/*.ipynb",
)
# A caption that begins with a number.
NUMBERED = re.compile(r"((?:Figure|Table)s? [^.]{1,20})\. +(.+)", re.DOTALL)
COPIED = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    "LICENSE",
    "CITATION.cff",
    "environment.yml",
)
COPIED += ("data", "benchmarks", "docs")
COPIED_NOTES = ("*.md", "*.png", "*.svg", "*.bib")  # beside the notebooks
FROM_LECTURES = re.compile(r'href="(?!https?:)([^"#]+)\.(?:md|ipynb)(?=["#])')  # links of slides
DISPLAYED = re.compile(r"^([> ]*)\$\$.*?\$\$", re.DOTALL | re.MULTILINE)
ANCHOR = re.compile(r'<a id="([\w-]+)"></a>')
NEEDS_KERNEL = (
    '<p class="admonition needs-kernel"><strong>Not on this page:</strong> buttons, sliders and fields need a running '
    "kernel. Open this notebook in JupyterLab with <code>make lab</code>{binder}. The page shows what they show at "
    'first. What works right here in the browser is <a href="{root}play.html">the page to play on</a>.</p>'
)
COMPUTED_SENTENCE = re.compile(r"^Markdown\(", re.M)  # a page shows the sentence alone
THEMED = {  # colours that tables of notebooks give to verdicts, and those of style.css, of which each theme has its own
    COLOURS[0]: "var(--agree)",
    COLOURS[1]: "var(--erratum)",
    COLOURS[2]: "var(--partly)",
    COLOURS[4]: "var(--unclear)",
}
UNLISTED = ("404.html", "search.html")
SITEMAP = """<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
{}
</urlset>
"""
RELATIVE = re.compile(r'\b(href|src|action|data-content_root)="(?![a-z]+:|#)')
VERDICTS = ("mismatch", "erratum", "quoted", "agree")  # in the order of the page


def make_site(timeout=1800, into=None):
    """Run the papers, execute all other notebooks, and write ``build/site``.

    Parameters
    ----------
    timeout : int
        Seconds that one cell may take.
    into : Path, optional
        The folder below which ``figures/`` and ``build/`` are written; by default the repository.

    Returns
    -------
    list of str
        The problems: notebooks that failed, printed numbers that do not agree, what Sphinx warns of. If there are any,
        the old site stays.

    Raises
    ------
    ValueError
        If there are no notebooks, the timeout is not allowed, nothing can be written there, or the JavaScript cannot be
        installed.
    ModuleNotFoundError
        If Sphinx, MyST-NB or Furo is not installed.
    """
    timeout, root = check_timeout(timeout), check_into(into, ["figures", "build"])
    build = root / "build"
    with exclusive_run(build) as folder:
        # It may need npm: an error is better before the notebooks than after them.
        copy_javascript(folder, build)
    results = reproduce(n_jobs=-1, timeout=timeout, into=into)
    notebooks = ROOT / "notebooks"
    others = [path for pattern in OTHER_NOTEBOOKS for path in sorted(notebooks.glob(pattern))]
    others = [path for path in others if path not in [question.notebook for question in QUESTIONS]]
    with exclusive_run(build) as folder:
        executed = folder / "executed"
        copies = {path: executed / path.relative_to(notebooks) for path in others}
        failures = execute_all({source_of(path): copy for path, copy in copies.items()}, timeout)
        wrong = [line for result in results for line in problems(result)]
        wrong += [f"{path.stem} failed: {reason}" for path, reason in failures.items() if reason]
        if not wrong:
            for result in results:
                room = paper_of(result.paper, ours=True).folder
                target = executed / room / result.executed.name
                target.parent.mkdir(exist_ok=True)
                shutil.copy(result.executed, target)
            wrong = build_site(executed, results, folder / "site", root)
        if not wrong:
            for path in replace_files(folder / "site", build, Path("site"), build / ".site.json"):
                print(f"{path} is of no run; it was left as it is", file=sys.stderr)
    return wrong


def build_site(executed, results, built, root=ROOT):
    """Build the site from executed notebooks.

    Parameters
    ----------
    executed : Path
        A folder with the same layout as ``notebooks/``.
    results : list of Result
        As from :func:`collection.runner.reproduce`.
    built : Path
        The folder to be made.
    root : Path
        The folder with the run's ``figures/`` and ``build/``.

    Returns
    -------
    list of str
        What Sphinx warns of.
    """
    with tempfile.TemporaryDirectory(prefix="dicelab-site-") as folder:
        source = Path(folder) / "source"
        collect_sources(executed, results, source, root / "figures")
        wrong = run_sphinx(source, built).replace(f"{source}/", "").splitlines()
    shutil.rmtree(built / ".doctrees", ignore_errors=True)
    (built / ".buildinfo").unlink(missing_ok=True)
    copy_javascript(built / "slides", root / "build")
    for lecture in sorted(executed.glob("lectures/*.ipynb")):
        home = f"../notebooks/lectures/{lecture.stem}.html"
        slides = built / "slides" / f"{lecture.stem}.html"
        write_slides(lecture, slides, home)
        text = FROM_LECTURES.sub(r'href="../notebooks/lectures/\1.html', slides.read_text("utf-8"))
        slides.write_text(text, encoding="utf-8")
    for path in executed.rglob("*.ipynb"):  # to download: as committed
        shutil.copy(
            ROOT / "notebooks" / path.relative_to(executed),
            built / "notebooks" / path.relative_to(executed),
        )
    write_page(built / "play.html", home="index.html", address=ADDRESS)
    EXHIBITS[0].draw_card(built / "_static" / "card.png")
    if ADDRESS:
        publish(built)
    return wrong


def publish(built):
    """Write what needs the address of the site: its map, and the links of the page that is shown for any other."""
    pages = (path.relative_to(built).as_posix() for path in sorted(built.rglob("*.html")))
    lines = [
        f"<url><loc>{ADDRESS}{quote(page)}</loc></url>" for page in pages if page not in UNLISTED
    ]
    (built / "sitemap.xml").write_text(SITEMAP.format("\n".join(lines)), encoding="utf-8")
    lost = built / "404.html"
    lost.write_text(RELATIVE.sub(rf'\1="{ADDRESS}', lost.read_text("utf-8")), encoding="utf-8")


def run_sphinx(source, built):
    """Make pages of a folder in the folder `built`; returns Sphinx's warnings, a str."""
    with extra("site"):
        from sphinx.application import Sphinx
        from sphinx.util.docutils import docutils_namespace, patch_docutils
    warnings = io.StringIO()
    with (
        tempfile.TemporaryDirectory(prefix="dicelab-doctrees-") as doctrees,
        patch_docutils(str(TEMPLATES)),
        docutils_namespace(),
    ):
        Sphinx(
            source,
            TEMPLATES,
            built,
            doctrees,
            "html",
            status=None,
            warning=warnings,
            confoverrides={"html_baseurl": ADDRESS},
            freshenv=True,
        ).build()
    return re.sub("\x1b\\[[0-9;]*m", "", warnings.getvalue())  # without a terminal's colours


def collect_sources(executed, results, source, figures):
    """Fill the folder that Sphinx reads: the repository's files, what a run has made, and the site's own pages."""
    source.mkdir()
    shutil.copytree(figures, source / "figures")
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    for path in sorted(executed.rglob("*.ipynb")):
        name = path.relative_to(executed)
        target = source / "notebooks" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        saved = (
            figures_in(source / "figures" / path.stem)
            if path.parent.name in ("papers", "beyond")
            else ()
        )
        page = as_page(nbformat.read(path, as_version=4), name, saved)
        nbformat.write(page, target)
    for path in (each for kind in COPIED_NOTES for each in (ROOT / "notebooks").rglob(kind)):
        target = source / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
        if path.suffix == ".md":
            target.write_text(for_sphinx(path.read_text(encoding="utf-8")), encoding="utf-8")
    for path, text in built_pages().items():
        (source / path.relative_to(ROOT)).write_text(for_sphinx(text), encoding="utf-8")
    lectures = [name_and_title(path) for path in sorted(executed.glob("lectures/*.ipynb"))]
    write_pages(results, lectures, source)


def write_pages(results, lectures, source):
    """Write the site's own pages, from their templates."""
    pages = Environment(
        loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True
    )
    pages.filters |= {
        "escaped": escape_markdown,
        "number": format_number,
        "errata_first": errata_first,
    }
    variables = {
        "intro": (ROOT / "README.md").read_text(encoding="utf-8").partition("\n## ")[0],
        "papers": [
            (paper, result) for paper in PAPERS for result in results if result.paper == paper.slug
        ],
        "figures": [
            (paper, [numbered(row) for row in figures_in(source / "figures" / paper.slug)])
            for paper in (*PAPERS, *QUESTIONS)
        ],
        "seen": {
            (paper.slug, row["name"]): row["alternative"]
            for paper in (*PAPERS, *QUESTIONS)
            for row in figures_in(source / "figures" / paper.slug)
        },
        "errata": errata().to_dict("records"),
        "verdicts_on": verdicts_on,
        "lectures": lectures,
        "tasks": reference_tasks(),
        "exhibits": EXHIBITS,
        "examples": examples(),
        "played": PLAYED,
        "citation": read_citation(source / "CITATION.cff"),
        "binder": BINDER,
    }

    def write(template, page, **more):
        text = pages.get_template(template).render(variables | more)
        (source / page).write_text(text, encoding="utf-8")

    for folder in ("games", "gallery", "reference"):
        (source / folder).mkdir()
    for template in TEMPLATES.glob("*.md.j2"):
        write(template.name, template.stem)
    for example in variables["examples"]:
        example.draw(source / "gallery")
    for exhibit in EXHIBITS:
        exhibit.draw(source / "games")
        write("game.j2", f"games/{exhibit.slug}.md", exhibit=exhibit)
    for task, entries in variables["tasks"]:
        write("reference-task.j2", f"reference/{task.slug}.md", task=task, entries=entries)


def read_citation(file):
    """What CITATION.cff says, a dict."""
    with extra("site"):
        import yaml

    return yaml.safe_load(file.read_text(encoding="utf-8"))


def errata_first(comparison):
    """The rows of a comparison, those that do not agree first; not all that agree in a table of thousands."""
    return (
        without_long_tables(comparison)
        .sort_values("verdict", key=lambda verdict: verdict.map(VERDICTS.index), kind="stable")
        .itertuples()
    )


def for_sphinx(text):
    """A text of which Sphinx knows the anchors, and the displayed formulas that begin right below a line of text."""
    apart = DISPLAYED.sub(lambda block: f"{block[1].rstrip()}\n{block[0]}", text)
    return ANCHOR.sub(r"[]{#\1}", apart)


def name_and_title(path):
    """The name of a notebook's file, without its ending, and the notebook's title."""
    return path.stem, heading_of(nbformat.read(path, as_version=4))


def numbered(figure):
    """A figure, as from `figures_in`, with its number in the paper, or "", taken off the caption."""
    match = NUMBERED.fullmatch(figure["caption"])
    number, caption = match.groups() if match else ("", figure["caption"])
    return figure | {"number": number, "caption": caption}


def as_page(notebook, name, figures=()):
    """A notebook as a page: with links below its title, without papermill's cells, with pictures in place of widgets.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    name : PurePath
        Its place in ``notebooks/``.
    figures : sequence of dict, optional
        The figures that the notebook has saved, for alternative texts; see :func:`.slides.label_outputs`.

    Returns
    -------
    nbformat.NotebookNode
    """
    notebook.cells = [cell for cell in notebook.cells if not is_left_out(cell)]
    root = "../" * len(name.parts)
    needs_kernel = replace_widgets(notebook)
    title, _, rest = notebook.cells[0].source.partition("\n")
    links = f'<p class="page-links">{" · ".join(links_of(name, root))}</p>'
    if needs_kernel:
        binder = (
            f' or <a href="{BINDER}?labpath=notebooks/{name.as_posix()}">on Binder</a>'
            if BINDER
            else ""
        )
        links += "\n\n" + NEEDS_KERNEL.format(root=root, binder=binder)
    notebook.cells[0].source = f"{title}\n\n{links}\n\n{rest}"
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = for_sphinx(cell.source)
        if cell.cell_type == "code" and COMPUTED_SENTENCE.search(cell.source):
            cell.metadata.setdefault("tags", []).append("remove-input")
    theme_tables(notebook)
    return label_outputs(notebook, figures)


def is_left_out(cell):
    """Whether a cell is not for the page: papermill's own parameters, and what is for slides or the lecturer."""
    return not is_for(cell, "student") or "injected-parameters" in cell.metadata.get("tags", [])


def theme_tables(notebook):
    """Let the verdicts in tables take colours that have enough contrast, in the light and in the dark."""
    for out in (out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs):
        if "text/html" in out.get("data", {}):
            for colour, variable in THEMED.items():
                out.data["text/html"] = re.sub(
                    rf"\bcolor: {colour}\b", f"color: {variable}", out.data["text/html"]
                )


def links_of(name, root):
    """The links from a notebook's page: to its download and, in the course, between chapter, slides and solutions."""
    yield f'<a href="{name.name}" download>Download this notebook</a>'
    if name.parts[0] == "lectures":
        lecture = "../" if "solutions" in name.parts else ""
        if lecture:
            yield f'<a href="{lecture}{name.stem}.html">Chapter</a>'
        yield f'<a href="{root}slides/{name.stem}.html">Slides</a>'
        if not lecture:
            yield f'<a href="solutions/{name.stem}.html">Solutions of the exercises</a>'
