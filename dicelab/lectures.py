"""The lectures as slides: executed, and with their JavaScript beside them, so that they need no network.

reveal.js turns the pages and MathJax sets the formulas. Both come from the npm registry, once, into ``build/node``.
"""

import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import nbformat
from nbconvert import SlidesExporter
from traitlets.config import Config

from .doors import as_items
from .execution import UsageError, as_timeout, execute_all, move, running
from .published import ROOT

__all__ = ["LECTURES", "described", "javascript", "present", "slides"]

NAMED = re.compile(r"\bT_[0-9a-f]{5}(?=_|\b)")  # a table, by pandas
LECTURES = ROOT / "notebooks" / "lectures"
BUILD = ROOT / "build"
PACKAGES = {"reveal.js": "5.2.1", "mathjax": "3.2.2"}
NEEDED = {"reveal.js/dist": "reveal.js/dist", "reveal.js/plugin/notes": "reveal.js/plugin/notes"}
NEEDED["mathjax/es5/tex-svg-full.js"] = "mathjax/tex-svg-full.js"


def javascript(folder):
    """Put what the slides need into a folder; from ``build/node``, or from the npm registry.

    Raises
    ------
    UsageError
        If npm is needed, and is missing or fails.
    """
    modules = BUILD / "node" / "node_modules"
    if not all((modules / package).exists() for package in NEEDED):
        npm = shutil.which("npm")
        if not npm:
            raise UsageError("slides need npm, which comes with Node.js, to fetch reveal.js and MathJax once")
        BUILD.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".node.", dir=BUILD) as part:
            wanted = [f"{name}@{version}" for name, version in PACKAGES.items()]
            options = ["--prefix", part, "--no-save", "--no-package-lock", "--no-audit", "--no-fund"]
            options += ["--loglevel", "error", "--fetch-retries", "1", "--fetch-retry-mintimeout", "2000"]
            done = subprocess.run([npm, "install", *options, *wanted], capture_output=True, text=True)
            if done.returncode:
                said = " ".join(done.stderr.replace("npm error", "").split())[:200]
                raise UsageError(f"npm could not install {' and '.join(wanted)}, for which it needs a network: {said}")
            needed = Path(part) / "needed"
            _copy(Path(part) / "node_modules", needed, zip(NEEDED, NEEDED, strict=True))
            move(needed, BUILD, modules.relative_to(BUILD))
    _copy(modules, folder, NEEDED.items())


def _copy(modules, folder, places):
    """Copy files and folders of npm's modules, each to its place in a folder."""
    for source, place in places:
        target = folder / place
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (modules / source).is_dir() else shutil.copy
        copy(modules / source, target, **({"dirs_exist_ok": True} if copy is shutil.copytree else {}))


def slides(names=(), timeout=600):
    """Execute lectures and write each as ``build/slides/<name>.html``.

    Parameters
    ----------
    names : sequence of str
        Of notebooks in ``notebooks/lectures``, without the ending; by default all.
    timeout : int
        Seconds that one cell may take.

    Returns
    -------
    dict of str to str
        By lecture, why it failed; "" where it did not.

    Raises
    ------
    UsageError
        If there is no such lecture, or the JavaScript can't be had.
    """
    known = sorted(path.stem for path in LECTURES.glob("*.ipynb"))
    try:
        names, timeout = as_items(names, "names", "a sequence of names of lectures"), as_timeout(timeout)
    except ValueError as error:
        raise UsageError(str(error)) from None
    for name in names:
        if name not in known:
            raise UsageError(f"lecture: {name!r} is not one; there are {', '.join(known)}")
    with running(BUILD) as folder:
        made = folder / "slides"
        javascript(made)
        copies = {LECTURES / f"{name}.ipynb": folder / f"{name}.ipynb" for name in names or known}
        said = execute_all(copies, timeout)
        for notebook, why in said.items():
            if not why:
                present(copies[notebook], made / f"{notebook.stem}.html")
        move(made, BUILD, Path("slides"))
    return {notebook.stem: why for notebook, why in said.items()}


def present(executed, page):
    """Write an executed lecture as slides to `page`, which lies beside the :func:`javascript`."""
    look = {"reveal_url_prefix": "reveal.js", "reveal_width": "1120", "reveal_height": "720"}
    look["reveal_theme"] = "white"  # the default one asks the network for its fonts
    exporter = SlidesExporter(
        template_name="slides",
        extra_template_basedirs=[str(Path(__file__).parent / "templates")],
        config=Config(SlidesExporter=look),
    )
    notebook = described(nbformat.read(executed, as_version=4))
    page.write_text(exporter.from_notebook_node(notebook)[0], encoding="utf-8")


def described(notebook):
    """Give the pictures of a notebook an alternative text: the heading that they stand under; and its tables numbers.

    pandas names tables at random; with numbers instead, the same results make the same page.
    """
    heading, names = "", {}
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            heading = ([line for line in cell.source.splitlines() if line.startswith("#")] or [heading])[-1]
        said = f"Figure: {heading.lstrip('# ')}"
        cell.metadata |= {"alt": said, "mystnb": {"image": {"alt": said}}}  # for our template, for MyST-NB
        for data in (out.data for out in cell.get("outputs", []) if "text/html" in out.get("data", {})):
            for name in NAMED.findall(data["text/html"]):
                number = names.setdefault(name, f"T_{len(names)}")
                data["text/html"] = data["text/html"].replace(name, number)
    return notebook
