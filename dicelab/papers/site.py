"""The static site: runs everything and writes ``build/site`` with Sphinx, ``dicelab site``. It needs no network.

The site shows the executed notebooks, the slides, all verdicts and the page to play on. Its source tree has the same
layout as the repository, so that links between files work in both. Sphinx is configured in ``templates/site/conf.py``.
"""

import io
import re
import shutil
import sys
import tempfile
from inspect import isclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from .._extras import extra
from .._files import replace_files
from ..views.page import write_page
from ..views.style import figures_in
from .notebooks import exclusive_run, execute_all
from .published import PAPERS, ROOT, check_notebooks, errata
from .report import escape_markdown, problems, report
from .runner import reproduce
from .slides import copy_javascript, label_outputs, write_slides

with extra("papers"):
    import nbformat

__all__ = ["build_site", "make_site"]

BUILD = ROOT / "build"
TEMPLATES = Path(__file__).parent / "templates" / "site"
OTHER_NOTEBOOKS = (  # all but the papers'
    "lectures/*.ipynb",
    "lectures/solutions/*.ipynb",
    "explore/*.ipynb",
    "beyond/*.ipynb",
)
NUMBERED = re.compile(r"((?:Figure|Table)s? [^.]{1,20})\. +(.+)", re.DOTALL)  # a caption that begins with a number
COPIED = ("README.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff", "environment.yml")
COPIED += ("figures", "data", "benchmarks", "docs")
WIDGET = "application/vnd.jupyter.widget-view+json"
NEEDS_KERNEL = (
    "> Buttons, sliders and fields need a kernel: open this notebook in JupyterLab with `make lab`, or on Binder. "
    "What they show at first is below."
)


def make_site(timeout=1800):
    """Run the papers, execute all other notebooks, and write ``build/site``.

    Parameters
    ----------
    timeout : int
        Seconds that one cell may take.

    Returns
    -------
    list of str
        The problems: notebooks that failed, printed numbers that do not agree. If there are any, the old site stays.

    Raises
    ------
    ValueError
        If there are no notebooks, or the JavaScript cannot be installed.
    ModuleNotFoundError
        If Sphinx, MyST-NB or Furo is not installed.
    """
    check_notebooks()
    with exclusive_run(BUILD) as folder:
        copy_javascript(folder)  # it may need npm: an error is better before the notebooks than after them
    results = reproduce(jobs=-1, timeout=timeout)
    notebooks = ROOT / "notebooks"
    others = [path for pattern in OTHER_NOTEBOOKS for path in sorted(notebooks.glob(pattern))]
    with exclusive_run(BUILD) as folder:
        executed = folder / "executed"
        failures = execute_all({path: executed / path.relative_to(notebooks) for path in others}, timeout)
        wrong = [line for result in results for line in problems(result)]
        wrong += [f"{path.stem} failed: {reason}" for path, reason in failures.items() if reason]
        if not wrong:
            for result in results:
                target = executed / "papers" / result.executed.name
                target.parent.mkdir(exist_ok=True)
                shutil.copy(result.executed, target)
            build_site(executed, results, folder / "site")
            for path in replace_files(folder / "site", BUILD, Path("site"), BUILD / ".site.json"):
                print(f"{path} is of no run; it was left as it is", file=sys.stderr)
    return wrong


def build_site(executed, results, built):
    """Build the site from executed notebooks.

    Parameters
    ----------
    executed : Path
        A folder with the same layout as ``notebooks/``.
    results : list of Result
        As from :func:`dicelab.papers.runner.reproduce`.
    built : Path
        The folder to be made.

    Returns
    -------
    str
        Sphinx's warnings.
    """
    with extra("site"):
        from sphinx.application import Sphinx
        from sphinx.util.docutils import docutils_namespace, patch_docutils
    with tempfile.TemporaryDirectory(prefix="dicelab-site-") as folder:
        source, doctrees, warnings = Path(folder) / "source", Path(folder) / "doctrees", io.StringIO()
        collect_sources(executed, results, source)
        with patch_docutils(str(TEMPLATES)), docutils_namespace():
            Sphinx(source, TEMPLATES, built, doctrees, "html", status=None, warning=warnings, freshenv=True).build()
    shutil.rmtree(built / ".doctrees", ignore_errors=True)
    (built / ".buildinfo").unlink(missing_ok=True)
    copy_javascript(built / "slides")
    for lecture in sorted(executed.glob("lectures/*.ipynb")):
        write_slides(lecture, built / "slides" / f"{lecture.stem}.html")
    write_page(built / "play.html")
    return warnings.getvalue()


def collect_sources(executed, results, source):
    """Fill the folder that Sphinx reads: the repository's files, the executed notebooks, and the site's own pages."""
    source.mkdir()
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        copy(ROOT / name, source / name)
    for path in sorted(executed.rglob("*.ipynb")):
        target = source / "notebooks" / path.relative_to(executed)
        target.parent.mkdir(parents=True, exist_ok=True)
        figures = figures_in(source / "figures" / path.stem) if path.parent.name == "papers" else ()
        nbformat.write(without_widgets(nbformat.read(path, as_version=4), figures), target)
    for path in sorted((ROOT / "notebooks").rglob("*.md")):
        shutil.copy(path, source / path.relative_to(ROOT))
    readme = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")
    sections = {part.partition("\n")[0]: part for part in readme[1:]}
    package = sys.modules["dicelab"]
    variables = {
        "intro": readme[0],
        "findings": sections["Three findings"].partition("\n")[2],
        "papers": [(paper, result) for paper in PAPERS for result in results if result.paper == paper.slug],
        "figures": [
            (paper, [numbered(row) for row in figures_in(source / "figures" / paper.slug)]) for paper in PAPERS
        ],
        "errata": errata().to_dict("records"),
        "report": report(results),
        "lectures": [name_and_title(path) for path in sorted(executed.glob("lectures/*.ipynb"))],
        "names": {name: isclass(getattr(package, name)) for name in package.__all__},
    }
    pages = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True)
    pages.filters["escaped"] = escape_markdown
    for template in TEMPLATES.glob("*.md.j2"):
        page = pages.get_template(template.name).render(variables)
        (source / template.stem).write_text(page, encoding="utf-8")


def name_and_title(path):
    """The name of a notebook's file, without its ending, and the notebook's title."""
    return path.stem, nbformat.read(path, as_version=4).cells[0].source.partition("\n")[0].removeprefix("# ")


def numbered(figure):
    """A figure, as from `figures_in`, with its number in the paper, or "", taken off the caption."""
    match = NUMBERED.fullmatch(figure["caption"])
    number, caption = match.groups() if match else ("", figure["caption"])
    return figure | {"number": number, "caption": caption}


def without_widgets(notebook, figures=()):
    """A notebook without papermill's cells, with pictures in place of widgets, and with alternative texts.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    figures : sequence of dict, optional
        The figures that the notebook has saved; see :func:`.slides.label_outputs`.

    Returns
    -------
    nbformat.NotebookNode
    """
    notebook.cells = [cell for cell in notebook.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    states = notebook.metadata.pop("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    widgets = [out for out in outputs if WIDGET in out.get("data", {})]
    for out in widgets:
        pictures = pictures_of(out.data[WIDGET]["model_id"], states)
        out.data = {"text/html": "".join(f'<img src="{picture}" alt="What is shown at first">' for picture in pictures)}
    if widgets:
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(NEEDS_KERNEL))
    return label_outputs(notebook, figures)


def pictures_of(model, states):
    """The pictures in a widget and in its children, as data URLs."""
    state = states[model]
    if state["model_name"] == "ImageModel":
        yield f"data:image/png;base64,{next(part['data'] for part in state['buffers'] if part['path'] == ['value'])}"
    if "_data_url" in state["state"]:
        yield state["state"]["_data_url"]
    for child in state["state"].get("children", []):
        yield from pictures_of(child.removeprefix("IPY_MODEL_"), states)
