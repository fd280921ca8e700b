"""Rerun the papers' notebooks with papermill, strictly.

What is asked for is checked before anything runs or is written: papers, parameters, the types of their values. A
notebook runs in ``build/.running``. Only when it has run to its end do its figures replace the old ones, file by file,
each by a rename. It is told where to write by its parameter `figures`, which belongs to this module; it leaves there
``comparison.csv``, the verdicts on the paper's printed numbers. One run at a time: what is left of one that was killed,
the next removes.

With other parameters than the paper's, all goes to ``build/variants/``: the paper's own results stay as they are.
"""

import ast
import os
import re
import shutil
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import joblib
import nbformat
import pandas as pd
import papermill
import psutil
from filelock import FileLock, Timeout
from nbclient.exceptions import CellTimeoutError, DeadKernelError
from papermill.exceptions import PapermillExecutionError
from tqdm import tqdm
from traitlets.config import Config

from .comparison import in_digits
from .published import PAPERS, ROOT, paper_of, published

__all__ = [
    "Result",
    "UsageError",
    "complaints",
    "escaped",
    "execute",
    "execute_all",
    "move",
    "parameters_of",
    "read_value",
    "replace",
]
__all__ += ["report", "reproduce", "running", "summary"]

FIGURES = "figures"  # the parameter that names the folder to write to
COMPARISON = "comparison.csv"
NO_BARS = "--IPKernelApp.exec_lines=import os; os.environ['TQDM_DISABLE'] = '1'; del os"  # a kernel has no terminal
KERNELS = {"KernelManager": {"transport_encryption": "auto"}, "NotebookClient": {"shutdown_kernel": "immediate"}}
PAPERMILLS_TAGS = {"injected-parameters", "papermill-error-cell-tag"}  # cells that papermill adds


class UsageError(ValueError):
    """What was asked for cannot be run; nothing has been written."""


@dataclass(frozen=True)
class Result:
    """What came of one notebook.

    Attributes
    ----------
    paper : str
    seconds : float
    comparison : pandas.DataFrame
        As from :func:`dicelab.compare`; empty if the notebook failed.
    complete : bool
        Whether every printed number of the paper was checked. True for other parameters than the paper's.
    error : str
        Why the notebook failed, or "".
    executed : Path
        The executed copy.
    """

    paper: str
    seconds: float
    comparison: pd.DataFrame
    complete: bool
    error: str
    executed: Path

    def count(self, verdict):
        """How many numbers have this verdict."""
        return int((self.comparison["verdict"] == verdict).sum())

    @property
    def ok(self):
        """Whether the notebook ran, checked all it should, and found no mismatch."""
        return not self.error and self.complete and not self.count("mismatch")


def parameters_of(notebook):
    """The parameters of a notebook and their default values.

    Parameters
    ----------
    notebook : Path

    Returns
    -------
    dict
        By name, as in its cell tagged "parameters", `figures` left out.

    Raises
    ------
    UsageError
        If there is no such notebook or cell, or the cell has anything but ``name = literal``: papermill would put the
        given values after it, and what was derived from the defaults would stay.
    """
    try:
        cells = nbformat.read(notebook, as_version=4).cells
    except (OSError, ValueError) as error:
        raise UsageError(f"{notebook}: not a notebook that can be read: {error}") from None
    tagged = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise UsageError(f"{notebook}: needs exactly one cell tagged 'parameters', has {len(tagged)}")
    found = {}
    try:
        for statement in ast.parse(tagged[0].source).body:
            (target,) = statement.targets
            found[target.id] = ast.literal_eval(statement.value)
    except (SyntaxError, AttributeError, ValueError):
        raise UsageError(f"{notebook}: the parameters cell may hold only lines like name = literal") from None
    if found.pop(FIGURES, None) != "":
        raise UsageError(f'{notebook}: the parameters cell needs the line {FIGURES} = ""')
    return found


def read_value(text):
    """A parameter's value from the command line: a Python literal (``200``, ``[1, 2]``), or else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _same_type(value, default):
    """Whether `value` may stand in for `default`: of its type (or an int for a float), lists elementwise."""
    if isinstance(default, list | tuple):
        return isinstance(value, list | tuple) and bool(value) and all(_same_type(v, default[0]) for v in value)
    return type(value) is type(default) or (type(default) is float and type(value) is int)


def _check_parameters(paper, given):
    allowed = parameters_of(paper.notebook)
    for name, value in given.items():
        if name not in allowed:
            raise UsageError(f"{paper.slug} has no parameter {name!r}; it has {', '.join(allowed)}")
        if not _same_type(value, allowed[name]):
            kind = type(allowed[name]).__name__
            raise UsageError(f"{paper.slug}: {name} = {value!r} is not allowed; give a {kind} like {allowed[name]!r}")
    return {name: value for name, value in given.items() if value != allowed[name]}


def reproduce(papers=(), parameters=None, *, jobs=1, timeout=1800, progress=True):
    """Run papers' notebooks, write their figures, executed copies and a report.

    Parameters
    ----------
    papers : sequence of str
        Slugs; all papers if empty.
    parameters : dict, optional
        Values by name. Every paper that is run must have each of them, of the type of its default value.
    jobs : int
        Notebooks at a time; -1 for one a core.
    timeout : int
        Seconds that one cell may take.
    progress : bool
        Whether to show a bar for each notebook.

    Returns
    -------
    list of Result
        One a paper. A notebook that fails is in there with its `error`; the others go on.

    Raises
    ------
    UsageError
        If a paper or parameter is unknown or a value is of the wrong type. Nothing has been written then.
    """
    try:
        chosen = [paper_of(slug) for slug in dict.fromkeys(papers)] or list(PAPERS)
    except ValueError as error:
        raise UsageError(str(error)) from None
    for name, value, other, said in (("jobs", jobs, -1, ", or -1 for one a core"), ("timeout", timeout, 1, "")):
        if type(value) is not int or (value < 1 and value != other):
            raise UsageError(f"{name}: {value!r} is not allowed; give a whole number of at least 1{said}")
    changed = [_check_parameters(paper, parameters or {}) for paper in chosen]
    build = ROOT / "build" / ("variants" if any(changed) else "")
    runs = zip(chosen, changed, strict=True)
    with running(build) as folder:
        results = joblib.Parallel(n_jobs=jobs, backend="threading")(
            joblib.delayed(_run)(paper, values, folder, build, timeout, progress and place)
            for place, (paper, values) in enumerate(runs, start=1)
        )
        (folder / "report.md").write_text(report(results), encoding="utf-8")
        os.replace(folder / "report.md", build / "report.md")
    return results


@contextmanager
def running(build):
    """Give a new folder in `build` for one run to work in, and remove it at the end; an interrupted run's kernels end.

    Raises
    ------
    UsageError
        If another run is working there.
    """
    build.mkdir(parents=True, exist_ok=True)
    lock, folder = FileLock(build / ".lock", timeout=0), build / ".running"
    try:
        lock.acquire()
    except Timeout:
        raise UsageError(f"{build}: another run is writing there; wait for its end") from None
    others = set(psutil.Process().children(recursive=True))
    try:
        shutil.rmtree(folder, ignore_errors=True)  # of a run that was killed
        folder.mkdir()
        yield folder
    except (KeyboardInterrupt, SystemExit):
        for kernel in set(psutil.Process().children(recursive=True)) - others:
            with suppress(psutil.NoSuchProcess):
                kernel.kill()
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        lock.release()


def _run(paper, parameters, folder, build, timeout, place):
    """Run one notebook in a folder; move what it made to where it belongs."""
    started = time.perf_counter()
    executed = build / "papers" / f"{paper.slug}.ipynb"
    executed.parent.mkdir(parents=True, exist_ok=True)
    made, figures = folder / executed.name, folder / paper.slug
    figures.mkdir()
    error = execute(paper.notebook, made, parameters | {FIGURES: str(figures)}, timeout, place)
    if made.exists():
        os.replace(made, executed)
    comparison = pd.DataFrame(columns=["verdict"])
    if not error:
        if (figures / COMPARISON).exists():
            comparison = pd.read_csv(figures / COMPARISON, dtype={"printed": str})
        try:
            replace(figures, (build if parameters else ROOT) / FIGURES / paper.slug)
        except OSError as failure:
            error = f"its figures could not be replaced: {failure}"
    numbers = sum(len(published(paper.slug, table)) for table in paper.tables)
    complete = bool(parameters) or len(comparison) == numbers
    return Result(paper.slug, time.perf_counter() - started, comparison, complete, error, executed)


def execute(notebook, output, parameters, timeout, place=0):
    """Execute `notebook` into `output`; why it failed, or ""."""
    bar = {"desc": notebook.stem, "position": place - 1, "leave": True} if place else False
    try:
        papermill.execute_notebook(
            *(str(path).replace("{", "{{").replace("}", "}}") for path in (notebook, output)),
            parameters=parameters,
            kernel_name="python3",
            language="python",
            progress_bar=bar,
            execution_timeout=timeout,
            resources={"metadata": {"path": str(notebook.parent)}},
            extra_arguments=[NO_BARS],
            config=Config(KERNELS),
        )
    except PapermillExecutionError as error:
        return _mark(output, f"raised {error.ename}: {error.evalue}")
    except CellTimeoutError:
        return _mark(output, f"took more than {timeout} s")
    except DeadKernelError:
        return _mark(output, "ended the kernel")
    except Exception as error:  # a kernel that does not start, a disk that is full: the other notebooks go on
        return _mark(output, f"{type(error).__name__}: {error}")
    return ""


def execute_all(copies, timeout):
    """Execute notebooks on all cores.

    Parameters
    ----------
    copies : dict of Path to Path
        By notebook, where its executed copy goes.
    timeout : int
        Seconds that one cell may take.

    Returns
    -------
    dict of Path to str
        By notebook, why it failed; "" where it did not.
    """
    for copy in copies.values():
        copy.parent.mkdir(parents=True, exist_ok=True)
    jobs = (joblib.delayed(execute)(notebook, copy, {}, timeout) for notebook, copy in copies.items())
    said = joblib.Parallel(n_jobs=-1, return_as="generator", backend="threading")(jobs)
    return dict(zip(copies, tqdm(said, total=len(copies), desc="notebooks", leave=False), strict=True))


def _mark(output, reason):
    """Say in the executed copy, before the last cell that was begun, why the run stopped there; what was said."""
    reason = reason.partition("\n")[0]
    with suppress(OSError, ValueError):  # a copy that was not begun, or not written whole: the disk is full
        notebook = nbformat.read(output, as_version=4)
        begun = [k for k, cell in enumerate(notebook.cells) if cell.metadata.get("papermill", {}).get("start_time")]
        last = max(begun, default=0)
        own = [cell for cell in notebook.cells[: last + 1] if not PAPERMILLS_TAGS & set(cell.metadata.get("tags", []))]
        said = f"cell {len(own)} {reason}"
        note = f"**The run stopped at the next cell:** {said}"
        notebook.cells.insert(last, nbformat.v4.new_markdown_cell(note, metadata={"tags": ["failed"]}))
        nbformat.write(notebook, output)
        return said
    output.unlink(missing_ok=True)
    return reason


def move(source, destination):
    """Move the files of `source`, those in folders too, over those of `destination`, each by a rename."""
    destination.mkdir(parents=True, exist_ok=True)
    for path in sorted(source.rglob("*")):
        target = destination / path.relative_to(source)
        if path.is_dir():
            target.mkdir(exist_ok=True)
        else:
            os.replace(path, target)


def replace(source, destination):
    """Like :func:`move`; and what is in `destination` besides is removed."""
    made = {path.relative_to(source) for path in source.rglob("*")}
    move(source, destination)
    for path in sorted(destination.rglob("*"), reverse=True):
        if path.relative_to(destination) not in made:
            path.rmdir() if path.is_dir() else path.unlink()


COLUMNS = ("paper", "numbers", "agree", "errata", "mismatches")


def _row(result):
    return result.paper, len(result.comparison), *(result.count(v) for v in ("agree", "erratum", "mismatch"))


def complaints(result):
    """What is wrong with one result, a list of sentences."""
    said = [f"{result.paper} failed: {result.error}"] if result.error else []
    if not result.error and not result.complete:
        said.append(f"{result.paper}: only {len(result.comparison)} of its printed numbers were checked")
    wrong = result.comparison[result.comparison["verdict"] == "mismatch"]
    said += [
        f"{result.paper}: {row.table}, {row.item}: printed {row.printed}, computed {in_digits(row.computed)}"
        for row in wrong.itertuples()
    ]
    return said


def summary(results):
    """The table that a run ends with, a string: numbers checked, verdicts and seconds by paper, and what went wrong."""
    rows = [(*_row(result), f"{result.seconds:.1f}") for result in results]
    table = pd.DataFrame(rows, columns=[*COLUMNS, "seconds"]).to_string(index=False)
    return "\n".join([table, *(line for result in results for line in complaints(result))])


def report(results):
    """The report, in Markdown: the summary without times, and every number. It depends on the results alone."""
    lines = ["# The papers' printed numbers, held against computed ones", "", *_markdown(COLUMNS, map(_row, results))]
    for result in results:
        paper = paper_of(result.paper)
        lines += ["", f"## {paper.title}", "", f"{paper.citation}, doi:{paper.doi}", ""]
        lines += [f"**{escaped(line)}**\n" for line in complaints(result)]
        if len(result.comparison):
            rows = (
                (row.table, row.item, row.printed, in_digits(row.computed), f"{row.difference:.2e}", row.verdict)
                for row in result.comparison.itertuples()
            )
            lines += _markdown(("table", "item", "printed", "computed", "difference", "verdict"), rows)
    return "\n".join(lines) + "\n"


def _markdown(columns, rows):
    rows = (map(escaped, row) for row in rows)
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def escaped(text):
    """Markdown that shows `text` as it is, on one line."""
    return re.sub(r"([\\`*_<>\[\]|$&~])", r"\\\1", " ".join(str(text).split()))
