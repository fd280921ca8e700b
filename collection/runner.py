"""Run the papers' notebooks strictly: ``dicelab reproduce``. What a run says is in :mod:`collection.report`.

Papers, parameters and the types of their values are checked before anything runs or is written. A notebook runs in
``build/.running``. Only after it has run to its end do its figures replace the old ones, file by file, each by a rename
(`dicelab._files`). The parameter `figures` tells a notebook the folder to write to; only this module sets it. There the
notebook leaves figures and computed numbers. This module holds them against the printed numbers, tolerances and the
ledger, and writes ``comparison.csv`` and a page of results.

A paper is in order if its notebook came to its end, every printed number was compared and none is a mismatch, and every
figure and table of its items was made. Only then its results take the place of earlier ones. What a run leaves in which
something failed is in ``build/failed/``, with a report of its own, until the next run.

With other parameters everything goes to ``build/variants/<parameters>/``, and the paper's own results stay. Where the
paper prints no numbers for these parameters, the cells tagged "paper" are left out. All of this is below the
repository, or below the folder `into`.
"""

import ast
import os
import re
import shutil
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import joblib
import pandas as pd
from tqdm import tqdm

from dicelab._extras import extra
from dicelab._limits import kernel, watched
from dicelab._text import choose
from dicelab._validation import check_bool, check_int, check_sequence, check_type, short_repr
from dicelab.views.style import figures_in, save

from .folders import no_links, only_files, replace_files
from .manifest import codecheck, files_of
from .notebooks import UsageError, check_into, check_timeout, exclusive_run, execute, reason_of
from .papers.comparison import NUMBERS, numbers_left
from .papers.published import PAPERS, QUESTIONS, check_printed, paper_of, published
from .parameters import is_of, kind_in_words, kind_of, read_value
from .report import outcome, report, results_page, times_page

with extra("papers"):
    import nbformat
    from nbformat import ValidationError

__all__ = ["Result", "parameters_of", "reproduce"]

FIGURES = "figures"  # the parameter with the folder to write to
FAILED = "failed"  # the folder for what a run leaves in which something failed
NOTHING = pd.DataFrame({"verdict": []})  # compared


@dataclass(frozen=True, kw_only=True)
class Result:
    """The result of running one notebook."""

    paper: str  # the slug
    seconds: float
    comparison: pd.DataFrame  # as from `collection.compare`; empty if the notebook failed
    missing: tuple = ()  # in sentences: printed numbers not compared, items not made
    error: str = ""  # the reason of the failure
    executed: Path  # the executed copy
    foreign: tuple = ()  # the files beside its figures that no run has made; they are left as they are

    def count(self, verdict):
        """The number of printed numbers with this verdict."""
        return int((self.comparison["verdict"] == verdict).sum())

    @property
    def ok(self):
        """Whether the notebook ran to its end, compared every printed number, made every item, with no mismatch."""
        return not self.error and not self.missing and not self.count("mismatch")


def parameters_of(notebook):
    """The parameters of a notebook and their default values.

    Parameters
    ----------
    notebook : Path

    Returns
    -------
    dict
        By name, as in its cell tagged "parameters", without `figures`.

    Raises
    ------
    UsageError
        If there is no such notebook or cell, or the cell has anything but ``name = literal``. Papermill inserts the
        given values after this cell, so a value derived in it would still follow from the defaults.
    """
    try:
        read = nbformat.read(notebook, as_version=4)
        nbformat.validate(read)
        cells = read.cells
    except (
        OSError,
        ValueError,
        TypeError,
        LookupError,
        AttributeError,
        RecursionError,
        ValidationError,
    ) as error:
        raise UsageError(f"{notebook}: not a notebook that can be read: {error}") from None
    tagged = [cell for cell in cells if "parameters" in cell.metadata.get("tags", [])]
    if len(tagged) != 1:
        raise UsageError(
            f"{notebook}: needs exactly one cell tagged 'parameters', has {len(tagged)}"
        )
    parameters = {}
    try:
        for statement in ast.parse(tagged[0].source).body:
            (target,) = statement.targets
            parameters[target.id] = ast.literal_eval(statement.value)
    except (SyntaxError, AttributeError, ValueError, TypeError, MemoryError, RecursionError):
        raise UsageError(
            f"{notebook}: the parameters cell may hold only lines like name = literal"
        ) from None
    if parameters.pop(FIGURES, None) != "":
        raise UsageError(f'{notebook}: the parameters cell needs the line {FIGURES} = ""')
    return parameters


def _changed_parameters(paper, given):
    """The given parameters that differ from the defaults. UsageError if one is unknown or of the wrong type."""
    allowed, changed = parameters_of(paper.notebook), {}
    for name, value in given.items():
        name = choose(name, [*allowed])
        if name not in allowed:
            said = f"{paper.slug} has no parameter {short_repr(name)}; it has {', '.join(allowed)}"
            if name == "goal" and "target" in allowed:  # the papers' word
                said += "; the goal of a race is called target"
            raise UsageError(said)
        kind = kind_of(allowed[name])
        value = read_value(value, kind)
        if not is_of(value, kind):
            said = f"{paper.slug}: {name} = {short_repr(value)} is not allowed"
            raise UsageError(f"{said}; give {kind_in_words(kind)} like {allowed[name]!r}")
        if value != allowed[name]:
            changed[name] = value
    return changed


def reproduce(papers=(), parameters=None, *, n_jobs=1, timeout=1800, progress=True, into=None):
    """Run papers' notebooks; write their figures, their executed copies and a report.

    Parameters
    ----------
    papers : sequence of str
        Slugs of papers and of questions of our own; all of them if empty.
    parameters : dict, optional
        Values by name. Every paper that is run must have each of these parameters, with a default of the same type. A
        text is read as people write numbers and lists.
    n_jobs : int
        Number of notebooks at a time; -1 for one per core.
    timeout : int
        Seconds that one cell may take.
    progress : bool
        Whether to print a line when a notebook ends, and in a terminal a bar for each notebook before.
    into : Path, optional
        The folder below which ``figures/`` and ``build/`` are written; by default the repository.

    Returns
    -------
    list of Result
        One for each paper. If a notebook fails, its result has the `error`, and the others continue.

    Raises
    ------
    ValueError
        If there are no notebooks, a paper or parameter is unknown, a value is of the wrong type, or nothing can be
        written there. Nothing has been written then.
    OSError
        If a printed number was changed, another run is writing there, or a link stands in place of a folder.
    """
    check_printed()
    slugs = check_sequence(papers, "papers", "a sequence of names of papers")
    chosen = list(dict.fromkeys(paper_of(slug, ours=True) for slug in slugs)) or [
        *PAPERS,
        *QUESTIONS,
    ]
    check_type(parameters, "parameters", dict | type(None), "a dict of values by name")
    n_jobs, timeout, progress = (
        check_int(n_jobs, "n_jobs", -1, 1000),
        check_timeout(timeout),
        check_bool(progress, "progress"),
    )
    changed = [_changed_parameters(paper, parameters or {}) for paper in chosen]
    root = check_into(into, [FIGURES, "build"])
    build = root / "build"
    if any(changed):
        build = (
            build
            / "variants"
            / variant_name({name: value for each in changed for name, value in each.items()})
        )
    no_links(root, build.relative_to(root))
    bars = progress and watched() and not kernel()
    with exclusive_run(build) as folder:
        shutil.rmtree(no_links(build, FAILED), ignore_errors=True)
        order = sorted(range(len(chosen)), key=lambda k: -chosen[k].seconds)
        found = joblib.Parallel(n_jobs, backend="threading", return_as="generator_unordered")(
            joblib.delayed(_run)(
                chosen[k], changed[k], folder, build, root, timeout, k if bars else None
            )
            for k in order
        )
        results = {}
        for result in found:
            results[result.paper] = result
            if progress:
                tqdm.write(outcome(result))
        results = [results[paper.slug] for paper in chosen]
        place = build if all(result.ok for result in results) else no_links(build, FAILED)
        place.mkdir(exist_ok=True)
        for name, page in (("report.md", report(results)), ("times.md", times_page(results))):
            (folder / name).write_text(page, encoding="utf-8")
            os.replace(folder / name, place / name)
    return results


def variant_name(parameters):
    """The name of a folder for the results of a set of parameters: "target=150"."""
    values = {
        name: value if isinstance(value, list) else [value]
        for name, value in sorted(parameters.items())
    }
    said = ",".join(f"{name}={'-'.join(map(str, entries))}" for name, entries in values.items())
    name = re.sub(r"[^\w.=,+-]+", "_", said)
    return name if len(name) <= 60 else f"{name[:50]}-{sha256(said.encode()).hexdigest()[:8]}"


def _run(paper, parameters, folder, build, root, timeout, bar_position):
    """Run one notebook in `folder`, judge it, and put its results where they belong; those of a failure lie apart."""
    started = time.perf_counter()
    copy, figures = folder / f"{paper.slug}.ipynb", folder / paper.slug
    result = Result(paper=paper.slug, seconds=0.0, comparison=NOTHING, executed=copy)
    try:
        executed = no_links(build, Path("papers", copy.name))
        place = build if parameters else root, Path(FIGURES, paper.slug)
        no_links(*place)  # checked before the run, not only after it
        figures.mkdir()
        given = parameters | {FIGURES: str(figures)}
        left_out = "paper" if paper.others_in(parameters) else None
        error = execute(paper.notebook, copy, given, timeout, bar_position, left_out=left_out)
        result = replace(result, error=error)
        if not result.error:
            result = replace(result, **_judge(paper, parameters, figures))
        if result.ok:
            _write_pages(paper, parameters, result.comparison, figures)
            executed.parent.mkdir(exist_ok=True)
            record = executed.with_name(f".{paper.slug}.json")
            foreign = tuple(replace_files(figures, *place, record))
            os.replace(copy, executed)
            result = replace(result, executed=executed, foreign=foreign)
    except (
        Exception
    ) as failure:  # of what the notebook has left, or of the machine: the other papers go on
        result = replace(result, error=reason_of(failure))
    if not result.ok:
        executed = build / FAILED / "papers" / copy.name
        for path, kept in ((copy, executed), (figures, executed.parents[1] / FIGURES / paper.slug)):
            with suppress(OSError):  # a full disk
                kept.parent.mkdir(parents=True, exist_ok=True)
                os.replace(path, kept)
        result = replace(result, executed=executed)
    return replace(result, seconds=time.perf_counter() - started)


def _judge(paper, parameters, figures):
    """The verdicts on the numbers that a notebook has left, and what is missing; see :class:`Result`."""
    only_files(figures)
    comparison, missing = NOTHING, []
    if paper.tables:
        comparison = numbers_left(figures, paper.slug)
        shutil.rmtree(figures / NUMBERS, ignore_errors=True)
        save(figures, "comparison", comparison)
        # As pages print it: to 12 decimals, the accuracy of the results.
        comparison = pd.read_csv(figures / "comparison.csv", dtype={"printed": str})
        numbers = sum(len(published(paper.slug, table)) for table in paper.tables)
        if len(comparison) != numbers:
            missing = [f"only {len(comparison):,} of its {numbers:,} printed numbers were compared"]
    made = {path.name for path in figures.iterdir()}
    needed = {f"{name}.csv" for name in (files_of(paper.slug) if paper.tables else ())}
    needed |= {
        f"{row['name']}.svg" for row in figures_in(paper.notebook.parents[2] / FIGURES / paper.slug)
    }
    if needed - made:
        missing.append(f"not made: {', '.join(sorted(needed - made))}")
    return {"comparison": comparison, "missing": () if parameters else tuple(missing)}


def _write_pages(paper, parameters, comparison, figures):
    """Write the page of results and the list of items beside the figures of a run."""
    if not parameters and (len(comparison) or paper in QUESTIONS):
        page = results_page(paper, comparison, figures)
        (figures / "README.md").write_text(page, encoding="utf-8")
        if paper.authors:
            items = codecheck(paper, figures_in(figures))
            (figures / "codecheck.yml").write_text(items, encoding="utf-8")
