"""What a run of the papers says: the summary in the terminal, the report, and a page of results for each paper."""

import re
from itertools import takewhile

import pandas as pd

from .._extras import extra
from ..views.style import figures_in, format_number
from .published import paper_of, printed_claims

with extra("papers"):
    import nbformat

__all__ = ["escape_markdown", "problems", "report", "results_page", "summary"]

COLUMNS = ("paper", "numbers", "agree", "errata", "mismatches")


def _row(result):
    return result.paper, len(result.comparison), *(result.count(v) for v in ("agree", "erratum", "mismatch"))


def problems(result):
    """The problems of one result, a list of sentences: a failure, numbers that were not checked, mismatches."""
    incomplete = f"{result.paper}: only {len(result.comparison)} of its printed numbers were checked"
    lines = [f"{result.paper} failed: {result.error}"] if result.error else [incomplete] * (not result.complete)
    wrong = result.comparison[result.comparison["verdict"] == "mismatch"]
    return lines + [
        f"{result.paper}: {row.table}, {row.item}: printed {row.printed}, computed {format_number(row.computed)}"
        for row in wrong.itertuples()
    ]


def summary(results):
    """The text that a run ends with: verdicts and seconds by paper, all problems, and where the results are."""
    rows = [(*_row(result), f"{result.seconds:.1f}") for result in results]
    table = pd.DataFrame(rows, columns=[*COLUMNS, "seconds"]).to_string(index=False)
    lines = [line for result in results for line in problems(result)]
    lines += [f"{path} is of no run; it was left as it is" for result in results for path in result.foreign]
    build = results[0].executed.parent.parent
    figures = (build if build.name == "variants" else build.parent) / "figures"
    lines += [f"figures: {figures}", f"executed copies: {build / 'papers'}", f"every number: {build / 'report.md'}"]
    return "\n".join([table, *lines])


def report(results):
    """The report, in Markdown: the summary without times, and every number. Equal results give equal bytes."""
    lines = ["# The papers' printed numbers, held against computed ones", "", *_markdown(COLUMNS, map(_row, results))]
    for result in results:
        paper = paper_of(result.paper, ours=True)
        doi = f", doi:{paper.doi}" if paper.doi else ""
        lines += ["", f"## {paper.title}", "", f"{paper.citation}{doi}", ""]
        lines += [f"**{escape_markdown(line)}**\n" for line in problems(result)]
        if len(result.comparison):
            rows = (
                (row.table, row.item, row.printed, format_number(row.computed), f"{row.difference:.2e}", row.verdict)
                for row in result.comparison.itertuples()
            )
            lines += _markdown(("table", "item", "printed", "computed", "difference", "verdict"), rows)
    return "\n".join(lines) + "\n"


def results_page(paper, comparison, figures):
    """The page that shows a paper's results to those who run nothing, in Markdown. Equal results give equal bytes.

    Parameters
    ----------
    paper : Paper
    comparison : pandas.DataFrame
        As from :func:`dicelab.compare`.
    figures : Path
        The folder with the figures of the run; the page belongs there, too.
    """
    notebook = f"../../notebooks/{paper.folder}/{paper.notebook.name}"
    opening = nbformat.read(paper.notebook, as_version=4).cells
    words = takewhile(lambda cell: cell.cell_type == "markdown", opening)
    lines = ["\n\n".join(cell.source for cell in words), "", f"*The results of [the notebook]({notebook}), executed.*"]
    if len(comparison):
        counts = comparison.groupby("table", sort=False)["verdict"].value_counts().unstack(fill_value=0)
        rows = [(table, sum(found), *found) for table, *found in counts.itertuples()]
        lines += ["", "## Printed numbers", "", *_markdown(("table", "numbers", *counts.columns), rows)]
        rows = comparison.loc[comparison["verdict"] != "agree", ["table", "item", "printed", "computed", "verdict"]]
        if len(rows):
            rows = rows.assign(computed=rows["computed"].map(format_number))
            lines += ["", "Those that do not agree:", "", *_markdown(rows.columns, rows.itertuples(index=False))]
        lines += ["", "Every number: [comparison.csv](comparison.csv)."]
    if paper.claims.exists():
        claims = printed_claims(paper.slug)
        counts = claims["verdict"].value_counts(sort=False).items()
        rows = claims[claims["verdict"] != "holds"][["place", "quote", "verdict", "found"]]
        lines += ["", "## What is said in words", "", *(f"- {verdict}: {count}" for verdict, count in counts)]
        lines += ["", "Those that do not hold everywhere:", "", *_markdown(rows.columns, rows.itertuples(index=False))]
        lines += ["", f"Every claim: [claims.csv](../../data/published/{paper.slug}/claims.csv)."]
    saved = figures_in(figures)
    lines += ["", "## Figures"] if saved else []
    for row in saved:
        lines += ["", f"![{row['alternative']}]({row['name']}.svg)", ""]
        lines += [f"{row['caption']} [Data]({row['name']}.csv)."]
    return "\n".join(lines) + "\n"


def _markdown(columns, rows):
    """The lines of a Markdown table."""
    rows = (map(escape_markdown, row) for row in rows)
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def escape_markdown(text):
    """Markdown that shows `text` unchanged, on one line."""
    return re.sub(r"([\\`*_<>\[\]|$&~])", r"\\\1", " ".join(str(text).split()))
