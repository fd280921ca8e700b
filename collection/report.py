"""What a run of the papers says: the summary in the terminal, the report, and a page of results for each paper."""

import os
import platform
import re
from importlib.metadata import version
from itertools import takewhile

from dicelab._extras import extra
from dicelab.views.style import figures_in, format_number

from .manifest import escape_markdown, markdown, verdicts_on
from .papers.comparison import with_layout
from .papers.published import PAPERS, QUESTIONS, paper_of, printed_claims, sources
from .papers.tables import MOST_ROWS, laid_out
from .parameters import parameter_table

with extra("papers"):
    import nbformat
    import psutil

__all__ = [
    "outcome",
    "parameters_page",
    "problems",
    "report",
    "results_page",
    "summary",
    "times_page",
    "without_long_tables",
]

NOT_EVERYWHERE = ("does not hold", "a gap in the proof", "holds with exceptions")
VERSIONS = ("dicelab", "numpy", "numba", "scipy", "pandas", "matplotlib", "papermill")
BELOW = """Below each printed number stands the computed one and, in parentheses, by how many units of the last printed
digit it is larger. Bold numbers do not agree. Where two numbers share a cell, both
computed ones stand below, and bold means that one of the two does not agree."""
COLUMNS = ("paper", "numbers", "agree", "errata", "quoted", "mismatches")
ONE = {"errata": "erratum", "mismatches": "mismatch"}


def _row(result):
    return (
        result.paper,
        len(result.comparison),
        *(result.count(v) for v in ("agree", "erratum", "quoted", "mismatch")),
    )


def problems(result):
    """The problems of one result, a list of sentences: a failure, what is missing, mismatches."""
    lines = [f"{result.paper} failed: {result.error}"] if result.error else []
    lines += [f"{result.paper}: {said}" for said in result.missing]
    wrong = result.comparison[result.comparison["verdict"] == "mismatch"]
    return lines + [
        f"{result.paper}: {row.table}, {row.item}: printed {row.printed}, computed {format_number(row.computed)}"
        for row in wrong.itertuples()
    ]


def outcome(result):
    """What came of one notebook, in a line: "two-dice-pig: 192 numbers, 190 agree, 2 errata, 31 s"."""
    if result.error:
        return f"{result.paper}: failed, {result.seconds:.0f} s"
    _, *counts = zip(COLUMNS, _row(result), strict=True)
    told = [
        f"{count:,} {ONE.get(name, name) if count == 1 else name}"
        for name, count in counts
        if count or name == "agree"
    ]
    told = told if len(result.comparison) else ["no printed numbers"]
    return f"{result.paper}: {', '.join(told)}, {result.seconds:.0f} s"


def summary(results):
    """The text that a run ends with: all problems, and where the results are."""
    lines = [line for result in results for line in problems(result)]
    lines += [
        f"{path} is of no run; it was left as it is"
        for result in results
        for path in result.foreign
    ]
    good = [result for result in results if result.ok]
    bad = [result for result in results if not result.ok]
    for group, said in ((good, "executed copies"), (bad, "executed copies of those that failed")):
        lines += [f"{said}: {result.executed.parent}" for result in group[:1]]
    if good:
        build = good[0].executed.parents[1]
        figures = (build if build.parent.name == "variants" else build.parent) / "figures"
        lines.append(f"figures: {figures}")
    place = (bad or good)[0].executed.parents[1]
    lines += [
        f"seconds by section: {place / 'times.md'}",
        f"every number: {place / 'report.md'}",
    ]
    if bad and (place.parent / "report.md").exists():
        lines.append(f"the report of the last run without a failure: {place.parent / 'report.md'}")
    return "\n".join(lines)


def report(results):
    """The report, in Markdown: the summary without times, and every number. Equal results give equal bytes."""
    lines = [
        "# The papers' printed numbers, held against computed ones",
        "",
        *markdown(COLUMNS, map(_row, results)),
    ]
    for result in results:
        paper = paper_of(result.paper, ours=True)
        doi = f", doi:{paper.doi}" if paper.doi else ""
        lines += ["", f"## {paper.title}", "", f"{paper.citation}{doi}", ""]
        lines += [f"**{escape_markdown(line)}**\n" for line in problems(result)]
        if len(result.comparison):
            rows = (
                (
                    row.table,
                    row.item,
                    row.printed,
                    format_number(row.computed),
                    f"{row.difference:.2e}",
                    row.verdict,
                )
                for row in without_long_tables(result.comparison).itertuples()
            )
            lines += markdown(
                ("table", "item", "printed", "computed", "difference", "verdict"), rows
            )
    return "\n".join(lines) + "\n"


def times_page(results):
    """How long each section of each notebook took, on which machine and with which versions, in Markdown."""
    memory = psutil.virtual_memory().total / 2**30
    machine = f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores, {memory:.0f} GiB"
    versions = ", ".join(f"{name} {version(name)}" for name in VERSIONS)
    lines = [
        "# Seconds by section",
        "",
        f"{machine}; Python {platform.python_version()}, {versions}.",
    ]
    lines += ["Notebooks run side by side, so that one alone is faster.", ""]
    rows = []
    for result in results:
        section, seconds = "", {}
        for cell in (
            nbformat.read(result.executed, as_version=4).cells if result.executed.exists() else ()
        ):
            headings = [line for line in cell.source.splitlines() if line.startswith("#")]
            if cell.cell_type == "markdown" and headings:
                section = headings[-1].lstrip("# ")
            elif cell.cell_type == "code":
                taken = cell.metadata.get("papermill", {}).get("duration") or 0.0
                seconds[section] = seconds.get(section, 0.0) + taken
        rows += [(result.paper, name, f"{taken:.1f}") for name, taken in seconds.items()]
    return "\n".join([*lines, *markdown(("paper", "section", "seconds"), rows)]) + "\n"


def without_long_tables(comparison):
    """The rows of a comparison without those that agree in tables of more than `MOST_ROWS` rows."""
    size = comparison.groupby("table")["table"].transform("size")
    return comparison[(size <= MOST_ROWS) | (comparison["verdict"] != "agree")]


def results_page(paper, comparison, figures):
    """The page that shows a paper's results to those who run nothing, in Markdown. Equal results give equal bytes.

    What we find comes first, then the two figures that matter most, every table as printed beside the computed numbers,
    the other figures, what does not agree, and the parameters.

    Parameters
    ----------
    paper : Paper
    comparison : pandas.DataFrame
        As from :func:`collection.compare`.
    figures : Path
        The folder with the figures of the run; the page belongs there, too.
    """
    saved = {row["name"]: row for row in figures_in(figures)}
    first = [saved.pop(name) for name in (paper.figure, paper.second) if name in saved]
    parts = [_opening(paper, comparison), *map(_figure, first)]
    if len(comparison):
        parts += ["## The tables as printed", BELOW, *_tables(paper, comparison)]
        parts += ["All in one file: [comparison.csv](comparison.csv)."]
    if saved:
        parts += ["## More figures", *map(_figure, saved.values())]
    parts += [*_disagreements(paper, comparison), *_copies(paper), *_parameters(paper)]
    return "\n\n".join(parts) + "\n"


def _opening(paper, comparison):
    """The first cells of the notebook, its title and what it finds, and the verdicts."""
    cells = takewhile(
        lambda cell: cell.cell_type == "markdown", nbformat.read(paper.notebook, as_version=4).cells
    )
    words = [cell.source for cell in cells]
    if paper.claims.exists():
        words.append(verdicts_on(paper.slug, comparison))
    notebook = f"../../notebooks/{paper.folder}/{paper.notebook.name}"
    said = "\n\n".join([*words, f"Results of [the notebook]({notebook})."])
    # As seen from the page's folder.
    return re.sub(r"\]\(\.\./(?!\.\./)", "](../../notebooks/", said)


def _figure(row):
    """A figure with its caption and the data that it draws."""
    return f"![{row['alternative']}]({row['name']}.svg)\n\n{row['caption'].rstrip('.')}. [Data]({row['name']}.csv)."


def _tables(paper, comparison):
    """Each table as the paper prints it, the computed numbers below the printed ones, folded."""
    for table, rows in comparison.groupby("table", sort=False):
        counts = ", ".join(
            f"{n:,} {verdict}" for verdict, n in rows["verdict"].value_counts().items()
        )
        if len(rows) > MOST_ROWS:
            yield f"**{table}:** {counts}, row by row in the file below."
            continue
        if not rows["difference"].isna().any():  # in a file with words all are read as text
            rows = rows.assign(computed=rows["computed"].astype(float))
        cells, verdicts = laid_out(with_layout(rows, paper.slug, table))
        names = [", ".join(map(str, _parts(key))) for key in cells.columns]
        heads = [*cells.index.names, *(name if name.strip() else "printed" for name in names)]
        lines = [
            [*map(escape_markdown, _parts(key)), *map(_cell, cells.loc[key], verdicts.loc[key])]
            for key in cells.index
        ]
        plain = (f"| {' | '.join(line)} |" for line in lines)
        yield _folded(f"{table}: {counts}", [*markdown(heads, []), *plain])


def _parts(key):
    """The parts of a key of an index, a tuple."""
    return key if isinstance(key, tuple) else (key,)


def _cell(text, verdict):
    """A cell of a table as printed, in Markdown: an erratum in bold."""
    printed, _, computed = map(escape_markdown, text.partition("\n"))
    printed = f"**{printed}**" if verdict not in ("", "agree") else printed
    return f"{printed}<br>{computed}" if computed else printed


def _copies(paper):
    """Which copies were read, and how the results are made again."""
    copies = (
        f"*{copy['name'].partition('/')[2]}*: [{copy['title']}]({copy['path']}); license: {copy['license']}"
        for copy in sources(paper.slug)
    )
    again = f"Again: `dicelab reproduce {paper.slug}`."
    if paper.authors:
        yield "The copies that were read. " + ". ".join(copies) + "."
        again += " Which file belongs to which item: [codecheck.yml](codecheck.yml)."
    yield again


def _disagreements(paper, comparison):
    """What does not agree, and what does not hold as it is said, folded."""
    disagree = len(comparison) and (comparison["verdict"] != "agree").any()
    if disagree or paper.claims.exists():
        yield "## What does not agree"
    if disagree:
        wrong = comparison.loc[
            comparison["verdict"] != "agree", ["table", "item", "printed", "computed", "verdict"]
        ]
        wrong = wrong.assign(computed=wrong["computed"].map(format_number))
        yield _folded(
            f"{len(wrong)} printed numbers", markdown(wrong.columns, wrong.itertuples(index=False))
        )
    if paper.claims.exists():
        claims = printed_claims(paper.slug)
        rows = claims.loc[
            claims["verdict"].isin(NOT_EVERYWHERE), ["place", "said", "verdict", "found"]
        ]
        yield _folded(
            f"Statements that do not hold everywhere: {len(rows)}",
            markdown(rows.columns, rows.itertuples(index=False)),
        )
        yield f"All statements that we check: [claims.csv](../../data/published/{paper.slug}/claims.csv)."


def _parameters(paper):
    """The parameters of the notebook, and how to give others."""
    table = parameter_table(paper.notebook)
    if table.empty:
        return
    yield "## Parameters"
    yield "\n".join(markdown(table.columns, table.itertuples(index=False)))
    whole = table[table["default"].str.fullmatch(r"[1-9][0-9_]*")]
    name, default, _ = (whole if len(whole) else table).iloc[0]
    given = f"-p {name} {int(default) // 2 if len(whole) else default}"
    yield f"""With other values, checked and written to `build/variants/`; or by papermill alone:

    dicelab reproduce {paper.slug} {given}
    papermill notebooks/{paper.folder}/{paper.notebook.name} out.ipynb {given}"""


def _folded(title, lines):
    """Lines of Markdown that unfold below their title."""
    return "\n".join([f"<details><summary>{title}</summary>", "", *lines, "", "</details>"])


def parameters_page(papers=()):
    """The parameters of papers' notebooks as text; of all, if none is named. ValueError if there is no such paper."""
    chosen = [paper_of(paper, ours=True) for paper in papers] or [*PAPERS, *QUESTIONS]
    parts = []
    for paper in chosen:
        rows = parameter_table(paper.notebook).itertuples()
        parts.append(
            "\n".join(
                [paper.slug, *(f"{row.name} = {row.default}\n    {row.meaning}" for row in rows)]
            )
        )
    return "\n\n".join(parts)
