"""Rerun the papers' notebooks with papermill, strictly.

What is asked for is checked before anything runs or is written: papers, parameters, the types of their values. A
notebook runs in ``build/.running``. Only when it has run to its end do its figures replace the old ones, file by file,
each by a rename. Files of an earlier run that are not made any more are removed; files that no run has written stay,
and links are not followed. A notebook is told where to write by its parameter `figures`, which belongs to this module;
it leaves there ``comparison.csv``, the verdicts on the paper's printed numbers. One run at a time: what is left of one
that was killed, the next removes.

With other parameters than the paper's, all goes to ``build/variants/``: the paper's own results stay as they are.
"""

import ast
import os
import re
import time
from dataclasses import dataclass
from pathlib import Path

import joblib
import nbformat
import pandas as pd
from nbformat import ValidationError

from .comparison import in_digits
from .doors import as_flag, as_items, as_jobs, as_kind, shown
from .execution import UsageError, as_timeout, execute, free, replace, running
from .published import PAPERS, ROOT, paper_of, published

__all__ = ["Result", "complaints", "escaped", "parameters_of", "read_value", "report", "reproduce", "summary"]

FIGURES = "figures"  # the parameter that names the folder to write to
COMPARISON = "comparison.csv"


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
    left : tuple of Path
        What stands beside its figures, and is of no run; left as it is.
    """

    paper: str
    seconds: float
    comparison: pd.DataFrame
    complete: bool
    error: str
    executed: Path
    left: tuple = ()

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
        read = nbformat.read(notebook, as_version=4)
        nbformat.validate(read)
        cells = read.cells
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError, ValidationError) as error:
        raise UsageError(f"{notebook}: not a notebook that can be read: {error}") from None
    tagged = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise UsageError(f"{notebook}: needs exactly one cell tagged 'parameters', has {len(tagged)}")
    found = {}
    try:
        for statement in ast.parse(tagged[0].source).body:
            (target,) = statement.targets
            found[target.id] = ast.literal_eval(statement.value)
    except (SyntaxError, AttributeError, ValueError, TypeError, MemoryError, RecursionError):
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
            raise UsageError(f"{paper.slug} has no parameter {shown(name)}; it has {', '.join(allowed)}")
        if not _same_type(value, allowed[name]):
            kind = type(allowed[name]).__name__
            raise UsageError(
                f"{paper.slug}: {name} = {shown(value)} is not allowed; give a {kind} like {allowed[name]!r}"
            )
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
    OSError
        If a link stands where a paper's figures or its executed copy belong.
    """
    try:
        chosen = [paper_of(slug) for slug in as_items(papers, "papers", "a sequence of names of papers")]
        chosen = list(dict.fromkeys(chosen)) or list(PAPERS)
        as_kind(parameters, "parameters", dict | type(None), "a dict of values by name")
        jobs, timeout, progress = as_jobs(jobs, "jobs"), as_timeout(timeout), as_flag(progress, "progress")
    except ValueError as error:
        raise UsageError(str(error)) from None
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


def _run(paper, parameters, folder, build, timeout, place):
    """Run one notebook in a folder; move what it made to where it belongs."""
    started = time.perf_counter()
    executed, left = free(build, Path("papers", f"{paper.slug}.ipynb")), ()
    base, where = build if parameters else ROOT, Path(FIGURES, paper.slug)
    free(base, where)  # better said now than after the run
    executed.parent.mkdir(exist_ok=True)
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
            left = tuple(replace(figures, base, where, executed.with_name(f".{paper.slug}.json")))
        except OSError as failure:
            error = f"its figures could not be replaced: {failure}"
    numbers = sum(len(published(paper.slug, table)) for table in paper.tables)
    complete = bool(parameters) or len(comparison) == numbers
    return Result(paper.slug, time.perf_counter() - started, comparison, complete, error, executed, left)


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
    said = [line for result in results for line in complaints(result)]
    said += [f"{path} is of no run; it was left as it is" for result in results for path in result.left]
    return "\n".join([table, *said])


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
