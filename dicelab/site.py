"""The collection as a static site that needs no network: notebooks, slides, verdicts, the page to play on.

Sphinx makes pages of a tree that looks like the repository's own, so that links between its files lead somewhere in
both. How it does that is in ``templates/site/conf.py``.
"""

import io
import shutil
import sys
import tempfile
from inspect import isclass
from pathlib import Path

import nbformat
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from . import lectures
from .execution import UsageError, execute_all, replace, running
from .page import write_page
from .published import PAPERS, ROOT, errata
from .reproduce import complaints, escaped, report, reproduce

__all__ = ["build_site", "site"]

BUILD = ROOT / "build"
TEMPLATES = Path(__file__).parent / "templates" / "site"
BESIDES = ("lectures/*.ipynb", "lectures/solutions/*.ipynb", "explore/*.ipynb")  # notebooks that are not papers
COPIED = ("README.md", "CONTRIBUTING.md", "LICENSE", "CITATION.cff", "environment.yml")
COPIED += ("figures", "data", "benchmarks", "docs")
LIVE = "application/vnd.jupyter.widget-view+json"
KERNEL = (
    "> Buttons, sliders and fields need a kernel: open this notebook in JupyterLab with `make lab`, or on Binder. "
    "What they show at first is below."
)


def site(timeout=1800):
    """Rerun the papers, execute all other notebooks, and write ``build/site``.

    Parameters
    ----------
    timeout : int
        Seconds that one cell may take.

    Returns
    -------
    list of str
        What went wrong: notebooks that failed, printed numbers that do not agree. Then the old site is left as it is.

    Raises
    ------
    UsageError
        If Sphinx is not installed, or the JavaScript can't be had.
    """
    with running(BUILD) as folder:
        lectures.javascript(folder)  # it needs npm, perhaps: better said now than after the notebooks
    results = reproduce(jobs=-1, timeout=timeout)
    notebooks = ROOT / "notebooks"
    wanted = [path for pattern in BESIDES for path in sorted(notebooks.glob(pattern))]
    with running(BUILD) as folder:
        executed = folder / "executed"
        said = execute_all({path: executed / path.relative_to(notebooks) for path in wanted}, timeout)
        wrong = [line for result in results for line in complaints(result)]
        wrong += [f"{path.stem} failed: {why}" for path, why in said.items() if why]
        if not wrong:
            for result in results:
                target = executed / "papers" / result.executed.name
                target.parent.mkdir(exist_ok=True)
                shutil.copy(result.executed, target)
            build_site(executed, results, folder / "site")
            for path in replace(folder / "site", BUILD, Path("site"), BUILD / ".site.json"):
                print(f"{path} is of no run; it was left as it is", file=sys.stderr)
    return wrong


def build_site(executed, results, built):
    """Make the site of notebooks that have been executed.

    Parameters
    ----------
    executed : Path
        A folder like ``notebooks/``.
    results : list of Result
        As from :func:`dicelab.reproduce.reproduce`.
    built : Path
        A folder to be made.

    Returns
    -------
    str
        What Sphinx complains of.
    """
    try:
        from sphinx.application import Sphinx
        from sphinx.util.docutils import docutils_namespace, patch_docutils
    except ImportError:
        raise UsageError("the site needs Sphinx, MyST-NB and Furo: pip install 'dicelab[site]'") from None
    with tempfile.TemporaryDirectory(prefix="dicelab-site-") as folder:
        source, doctrees, said = Path(folder) / "source", Path(folder) / "doctrees", io.StringIO()
        gather(executed, results, source)
        with patch_docutils(str(TEMPLATES)), docutils_namespace():
            Sphinx(source, TEMPLATES, built, doctrees, "html", status=None, warning=said, freshenv=True).build()
    shutil.rmtree(built / ".doctrees", ignore_errors=True)
    (built / ".buildinfo").unlink(missing_ok=True)
    lectures.javascript(built / "slides")
    for lecture in sorted(executed.glob("lectures/*.ipynb")):
        lectures.present(lecture, built / "slides" / f"{lecture.stem}.html")
    write_page(built / "play.html")
    return said.getvalue()


def gather(executed, results, source):
    """Lay out what Sphinx makes pages of: the repository's files, notebooks as executed, and the site's own pages."""
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        source.mkdir(exist_ok=True)
        copy(ROOT / name, source / name)
    for path in sorted(executed.rglob("*.ipynb")):
        target = source / "notebooks" / path.relative_to(executed)
        target.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(still(nbformat.read(path, as_version=4)), target)
    for path in sorted((ROOT / "notebooks").rglob("*.md")):
        shutil.copy(path, source / path.relative_to(ROOT))
    readme = (ROOT / "README.md").read_text(encoding="utf-8").split("\n## ")
    sections = {part.partition("\n")[0]: part for part in readme[1:]}
    package = sys.modules[__package__]
    found = {
        "intro": readme[0],
        "findings": "\n".join(line for line in sections["The papers"].splitlines()[1:] if line[:1] != "|"),
        "papers": {paper.slug: (paper, result) for paper in PAPERS for result in results if result.paper == paper.slug},
        "errata": errata().to_dict("records"),
        "report": report(results),
        "package": sections["The package"],
        "lectures": [title(path) for path in sorted(executed.glob("lectures/*.ipynb"))],
        "names": {name: isclass(getattr(package, name)) for name in package.__all__},
    }
    pages = Environment(loader=FileSystemLoader(TEMPLATES), undefined=StrictUndefined, trim_blocks=True)
    pages.filters["escaped"] = escaped
    for template in TEMPLATES.glob("*.md.j2"):
        page = pages.get_template(template.name).render(found)
        (source / template.stem).write_text(page, encoding="utf-8")


def title(path):
    """The name of a notebook's file, without its ending, and the notebook's title."""
    return path.stem, nbformat.read(path, as_version=4).cells[0].source.partition("\n")[0].removeprefix("# ")


def still(notebook):
    """A notebook without what papermill adds, with pictures in place of widgets, and with alternative texts."""
    notebook.cells = [cell for cell in notebook.cells if "injected-parameters" not in cell.metadata.get("tags", [])]
    states = notebook.metadata.pop("widgets", {}).get("application/vnd.jupyter.widget-state+json", {}).get("state", {})
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    live = [out for out in outputs if LIVE in out.get("data", {})]
    for out in live:
        pictures = list(pictures_of(out.data[LIVE]["model_id"], states))
        out.data = {"text/html": "".join(f'<img src="{picture}" alt="What is shown at first">' for picture in pictures)}
    if live:
        notebook.cells.insert(1, nbformat.v4.new_markdown_cell(KERNEL))
    return lectures.described(notebook)


def pictures_of(model, states):
    """The pictures in a widget and in what it holds, as addresses with their data inside."""
    state = states[model]
    if state["model_name"] == "ImageModel":
        yield f"data:image/png;base64,{next(part['data'] for part in state['buffers'] if part['path'] == ['value'])}"
    if "_data_url" in state["state"]:
        yield state["state"]["_data_url"]
    for child in state["state"].get("children", []):
        yield from pictures_of(child.removeprefix("IPY_MODEL_"), states)
