"""The chapters as slides, and the teachers' notebooks: executes the sources, ``dicelab slides``.

The slides need no network. reveal.js turns the pages and MathJax sets the formulas; both come from the npm registry,
once, into ``build/node``, and are copied beside the slides. ``templates/javascript`` names their versions and hashes.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from dicelab._extras import extra
from dicelab._validation import check_option, check_sequence

from .course.editions import SOURCES, as_slides, is_for
from .folders import move_files
from .notebooks import UsageError, check_into, check_timeout, exclusive_run, execute_all
from .papers.published import ROOT

with extra("papers"):
    import nbformat
    from nbconvert import SlidesExporter
    from traitlets.config import Config

__all__ = [
    "LECTURES",
    "WIDGET",
    "copy_javascript",
    "heading_of",
    "install_javascript",
    "label_outputs",
    "make_slides",
    "replace_widgets",
    "write_slides",
]

LECTURES = ROOT / "notebooks" / "lectures"
BUILD = ROOT / "build"
LOCKED = Path(__file__).parent / "templates" / "javascript"
NPM_OPTIONS = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel", "error"]
NPM_OPTIONS += ["--fetch-retries", "1", "--fetch-retry-mintimeout", "2000"]
JAVASCRIPT = {  # where it is in npm's folder, and beside the slides
    "reveal.js/dist": "reveal.js/dist",
    "reveal.js/plugin/notes": "reveal.js/plugin/notes",
    "mathjax/es5/tex-svg-full.js": "mathjax/tex-svg-full.js",
}
WIDGET = "application/vnd.jupyter.widget-view+json"
# The random name that pandas gives a styled table.
TABLE_NAME = re.compile(r"\bT_[0-9a-f]{5}(?=_|\b)")
EMPTY_HEAD = re.compile(r"<th\b([^>]*)>(?:\s|&nbsp;)*</th>")  # screen readers would announce it
SAVED = re.compile(
    r'plots\.save\(\s*figures,\s*"([^"]+)"'
)  # the name of a figure that a cell saves
LOOK = {"reveal_url_prefix": "reveal.js", "reveal_width": "1120", "reveal_height": "720"}
LOOK["reveal_theme"] = "white"  # the default theme loads its fonts from the network


def make_slides(names=(), timeout=600, into=None):
    """Execute chapters; write slides, ``build/slides/<name>.html``, and the teacher's notebook beside them.

    Parameters
    ----------
    names : sequence of str
        Names of chapters, as "06-policy-iteration"; by default all.
    timeout : int
        Seconds that one cell may take.
    into : Path, optional
        The folder below which ``build/`` is written; by default the repository.

    Returns
    -------
    dict of str to str
        By chapter, the reason of the failure, or "".

    Raises
    ------
    ValueError
        If there are no notebooks, there is no such lecture, nothing can be written there, or npm is needed and is
        missing or fails.
    """
    known, timeout = sorted(path.stem for path in LECTURES.glob("*.ipynb")), check_timeout(timeout)
    names = [
        check_option(name, "lecture", known)
        for name in check_sequence(names, "names", "a sequence of lectures")
    ]
    build = check_into(into) / "build"
    with exclusive_run(build) as folder:
        made = folder / "slides"
        copy_javascript(made, build)
        copies = {SOURCES / f"{name}.ipynb": folder / f"{name}.ipynb" for name in names or known}
        failures = execute_all(copies, timeout)
        for source, reason in failures.items():
            if not reason:
                write_slides(copies[source], made / f"{source.stem}.html")
                notebook = nbformat.read(copies[source], as_version=4)
                notebook.cells = [cell for cell in notebook.cells if is_for(cell, "teacher")]
                nbformat.write(notebook, made / source.name)
        move_files(made, build, Path("slides"))
    return {notebook.stem: reason for notebook, reason in failures.items()}


def copy_javascript(folder, build=BUILD):
    """Copy reveal.js and MathJax into a folder, from ``build/node`` or at first from the npm registry.

    With another folder `build` they are installed there, unless the repository's has them.

    Raises
    ------
    UsageError
        If npm is needed, and is missing or fails.
    """
    places = [place / "node" / "node_modules" for place in (build, BUILD)]
    complete = (
        modules for modules in places if all((modules / source).exists() for source in JAVASCRIPT)
    )
    modules = next(complete, None)
    if modules is None:
        modules = places[0]
        build.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".node.", dir=build) as part:
            install_javascript(LOCKED, part)
            for source in JAVASCRIPT:
                _copy(Path(part, "node_modules", source), Path(part, "needed", source))
            move_files(Path(part, "needed"), build, modules.relative_to(build))
    for source, target in JAVASCRIPT.items():
        _copy(modules / source, folder / target)


def install_javascript(locked, folder):
    """Let npm fetch what the ``package-lock.json`` in `locked` names into a folder; it runs no scripts of packages.

    Raises
    ------
    UsageError
        If npm is missing or fails; it fails if a package has another hash than the one in the lock file.
    """
    npm = shutil.which("npm")
    if not npm:
        raise UsageError(
            "slides need npm, which comes with Node.js, to fetch reveal.js and MathJax once"
        )
    shutil.copytree(locked, folder, dirs_exist_ok=True)
    command = [npm, "ci", *NPM_OPTIONS]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        reason = " ".join(done.stderr.replace("npm error", "").split())[:200]
        raise UsageError(
            f"npm could not install what {locked / 'package-lock.json'} names, for which it needs a network: {reason}"
        )


def _copy(source, target):
    """Copy a file or a folder, and make the folders above it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copy(source, target)


def write_slides(executed, file, home=""):
    """Write an executed source as slides to `file`, in the folder that has been given to :func:`copy_javascript`.

    `home` is the address of the chapter's page, for a link; by default there is none.
    """
    exporter = SlidesExporter(
        template_name="slides",
        extra_template_basedirs=[str(Path(__file__).parent / "templates")],
        config=Config(SlidesExporter=LOOK),
    )
    notebook = nbformat.read(executed, as_version=4)
    replace_widgets(notebook)
    notebook = as_slides(label_outputs(notebook))
    notebook.metadata["title"] = f"{heading_of(notebook)} –"  # the template adds "slides"
    slides, _ = exporter.from_notebook_node(notebook, resources={"home": home})
    file.write_text(EMPTY_HEAD.sub(r"<td\1></td>", slides), encoding="utf-8")


def heading_of(notebook):
    """The title of a notebook: "1. One turn: when to stop"."""
    return notebook.cells[0].source.partition("\n")[0].removeprefix("# ")


def replace_widgets(notebook):
    """Show pictures in place of widgets, which need a kernel; returns whether there were any."""
    states = (
        notebook.metadata.pop("widgets", {})
        .get("application/vnd.jupyter.widget-state+json", {})
        .get("state", {})
    )
    outputs = [out for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    widgets = [out for out in outputs if WIDGET in out.get("data", {})]
    for out in widgets:
        out.data = {"text/html": "".join(pictures_of(out.data[WIDGET]["model_id"], states))}
    return bool(widgets)


def pictures_of(model, states):
    """The pictures in a widget and in its children, as elements of HTML with an alternative text."""
    state = states[model]["state"]
    if states[model]["model_name"] == "HTMLModel":
        yield from re.findall(r"<img\b[^>]*>", state["value"])
    if "_data_url" in state:
        yield f'<img src="{state["_data_url"]}" alt="What the widget shows at first; in JupyterLab it can be changed">'
    for child in state.get("children", []):
        yield from pictures_of(child.removeprefix("IPY_MODEL_"), states)


def label_outputs(notebook, figures=()):
    """Give every picture of a notebook an alternative text and its width, and every table a fixed name.

    The alternative text of a picture is its own, if it has one, or the `alternative` of its cell's metadata. Else it is
    that of the figure that its cell saves, or the next cell, if that shows no picture. Otherwise it is the heading
    above the picture.

    pandas names styled tables at random. With numbers instead, equal results give equal pages.

    Parameters
    ----------
    notebook : nbformat.NotebookNode
    figures : sequence of dict, optional
        The figures that the notebook has saved, as from `dicelab.views.style.figures_in`.

    Returns
    -------
    nbformat.NotebookNode
        The notebook that was given, changed.
    """
    known = {figure["name"]: figure["alternative"] for figure in figures}
    heading = ""
    names = {}
    waiting = None
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = (
                [line for line in cell.source.splitlines() if line.startswith("#")] or [heading]
            )[-1]
        _set_alternative(cell, f"A figure: {heading.lstrip('# ').rstrip(':')}")
        if cell.cell_type != "code":
            continue
        saved = SAVED.findall(cell.source)
        text = " ".join(known[name] for name in saved if name in known)
        shows = any("image/png" in out.get("data", {}) for out in cell.outputs)
        target = cell if shows else waiting
        if text and target is not None:
            _set_alternative(target, text)
        shown = [
            out.metadata.get("image/png", {}).get("alt")
            for out in cell.outputs
            if "metadata" in out
        ]
        if said := " ".join(filter(None, [*shown, cell.metadata.get("alternative")])):
            _set_alternative(cell, said)
        waiting = cell if shows and not saved else None
        for data in (out.data for out in cell.outputs if "text/html" in out.get("data", {})):
            for name in TABLE_NAME.findall(data["text/html"]):
                number = names.setdefault(name, f"T_{len(names)}")
                data["text/html"] = data["text/html"].replace(name, number)
    return notebook


def _set_alternative(cell, text):
    """Give the pictures of a cell their alternative text, and their width: they have more pixels than they take."""
    shown = [
        out.metadata.get("image/png", {}) for out in cell.get("outputs", []) if "metadata" in out
    ]
    widths = [f"{size['width']}px" for size in shown if "width" in size]
    image = {"alt": text} | ({"width": widths[0]} if widths else {})
    cell.metadata |= {"alt": text, "mystnb": {"image": image}}  # for our template, for MyST-NB
