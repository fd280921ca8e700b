"""The manifest of a paper: every figure, table, equation, algorithm and theorem, and where it stands here.

``data/published/<paper>/items.csv`` has a row for each. What follows from other data, such as verdicts, is added here,
so that notebooks, pages of results and ``codecheck.yml`` say the same.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from .papers.published import (
    NONE,
    as_described,
    errata,
    paper_of,
    printed_claims,
    published,
    resource,
)

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "ALWAYS",
    "ITEMS",
    "codecheck",
    "contents",
    "escape_markdown",
    "files_of",
    "items",
    "markdown",
    "verdicts_on",
]

ITEMS = "items"  # the resource of a paper with its manifest
OURS = "own-"  # begins the names of our own remarks in the ledger of claims
VERBS = {  # the verdict on one number or statement, and on several; the worst first
    "mismatch": ("is a mismatch", "are mismatches"),
    "erratum": ("is an erratum", "are errata"),
    "quoted": ("is quoted", "are quoted"),
    "does not hold": ("does not hold", "do not hold"),
    "a gap in the proof": ("has a gap in the proof", "have a gap in the proof"),
    "holds with exceptions": ("holds with exceptions", "hold with exceptions"),
    "a matter of taste": ("is a matter of taste", "are a matter of taste"),
    "a misprint": ("is a misprint", "are misprints"),
    "cannot be checked": ("cannot be checked", "cannot be checked"),
    "agree": ("agrees", "agree"),
    "holds": ("holds", "hold"),
}
ALWAYS = ("README.md", "codecheck.yml", "comparison.csv", "figures.csv", "parameters.json")


def items(paper: str) -> pd.DataFrame:
    """Every figure, table, equation, algorithm and theorem of a paper, and where it stands here.

    Parameters
    ----------
    paper : str

    Returns
    -------
    pandas.DataFrame
        A row for each item, with the columns that ``data/datapackage.json`` describes, and `verdict`, which counts
        numbers and sentences. Empty where there is nothing to say.

    Raises
    ------
    ValueError
        If there is no such paper, or its manifest does not match ``data/datapackage.json``.

    Examples
    --------
    >>> items("generalized-pig").set_index("item").loc["Table 1", ["section", "verdict"]].to_list()
    ['Table 1. Pig with different targets', '6 are errata; 1 does not hold, 1 holds with exceptions']
    """
    slug = paper_of(paper).slug
    table = as_described(f"{slug}/{ITEMS}").replace(NONE, "")
    claims = printed_claims(slug).set_index("claim")["verdict"]
    numbers = _numbers(slug)
    verdicts = []
    for tables, sentences in zip(table["tables"], table["claims"], strict=True):
        of_numbers = _counted(sum((numbers[name] for name in tables.split()), Counter()))
        of_sentences = _counted(Counter(claims[name] for name in sentences.split()))
        verdicts.append("; ".join(filter(None, (of_numbers, of_sentences))))
    table["verdict"] = verdicts
    return table


def _numbers(slug):
    """The verdicts on the printed numbers of each table, by the ledger of errata: a dict of Counters."""
    wrong = Counter(errata().query("paper == @slug")["table"])
    return {
        table: Counter(
            {
                "quoted" if resource(slug, table).get("quoted") else "erratum": wrong[table],
                "agree": len(published(slug, table)) - wrong[table],
            }
        )
        for table in paper_of(slug).tables
    }


def _counted(verdicts):
    """How many of each verdict, the worst first, as text."""
    return ", ".join(
        f"{verdicts[verdict]:,} {verbs[verdicts[verdict] > 1]}"
        for verdict, verbs in VERBS.items()
        if verdicts[verdict]
    )


def verdicts_on(paper, comparison=None):
    """How many printed numbers agree and how many statements hold, a paragraph of Markdown.

    Parameters
    ----------
    paper : str
    comparison : pandas.DataFrame, optional
        As from :func:`collection.compare`. Without it, the numbers have the verdicts of the ledger of errata.

    Examples
    --------
    >>> print(verdicts_on("minimax-pig").partition(" We check")[0])
    **Verdicts.** We compare 2 printed numbers: 2 agree.
    """
    claims = printed_claims(paper)
    ours = claims["claim"].str.startswith(OURS)
    numbers = (
        sum(_numbers(paper_of(paper).slug).values(), Counter())
        if comparison is None
        else Counter(comparison["verdict"])
    )
    counts = {
        "We compare {:,} printed numbers": numbers,
        "We check {:,} statements": Counter(claims["verdict"][~ours]),
        "We add {:,} remarks of our own": Counter(claims["verdict"][ours]),
    }
    return Text(
        "**Verdicts.** "
        + " ".join(
            f"{words.format(verdicts.total())}: {_counted(verdicts)}."
            for words, verdicts in counts.items()
            if verdicts
        )
    )


class Text(str):
    """Markdown, which Jupyter shows."""

    def _repr_markdown_(self):
        return str(self)


def contents(paper):
    """The list of a paper's items for the top of its notebook, as Markdown: where each stands, and the verdict.

    What the paper has comes first, what is ours last.

    Examples
    --------
    >>> "Table 1" in contents("generalized-pig")
    True
    """
    table = items(paper)
    rows = (
        (row.item, row.what, row.section, row.verdict or row.note) for row in table.itertuples()
    )
    return Text(
        "\n".join(markdown(("item", "what it is", "section of this notebook", "verdict"), rows))
    )


def markdown(columns, rows):
    """The lines of a Markdown table."""
    rows = (map(escape_markdown, row) for row in rows)
    return [f"| {' | '.join(row)} |" for row in (columns, ["---"] * len(columns), *rows)]


def escape_markdown(text):
    """Markdown that shows `text` unchanged, on one line."""
    return re.sub(r"([\\`*_<>\[\]|$&~])", r"\\\1", " ".join(str(text).split()))


def files_of(paper):
    """The names of the files that a run of a paper's notebook writes into its folder, without those in `ALWAYS`.

    A name stands for its CSV file, and for its SVG file if it is a figure.
    """
    return sorted({*items(paper)["file"]} - {""})


def codecheck(paper, figures):
    """The text of ``codecheck.yml``, specification 2.0 of codecheck.org.uk: which file belongs to which item.

    It is for the folder with the figures. The nodes `codechecker`, `certificate`, `report` and `summary` are left out:
    who checks the paper independently adds them.

    Parameters
    ----------
    paper : Paper
    figures : sequence of dict
        The figures of the run; see :func:`dicelab.views.style.figures_in`.
    """
    drawn = {row["name"] for row in figures}
    reference = f"https://doi.org/{paper.doi}"
    lines = [
        "---",
        "version: https://codecheck.org.uk/spec/config/2.0/",
        "paper:",
        f"  title: {_quoted(paper.title)}",
    ]
    lines += [
        "  authors:",
        *(f"    - name: {_quoted(name)}" for name in paper.authors),
        f"  reference: {reference}",
    ]
    lines.append("manifest:")
    for row in items(paper.slug).itertuples():
        kinds = ("svg", "csv") if row.file in drawn else ("csv",)
        for kind in kinds if row.file else ():
            said = "the data" if kind == "csv" else "the figure"
            lines += [
                f"  - file: {row.file}.{kind}",
                f"    comment: {_quoted(f'{row.item}: {row.what}; {said}')}",
            ]
    compared = (
        f"every printed number beside the computed one; again: dicelab reproduce {paper.slug}"
    )
    lines += ["  - file: comparison.csv", f"    comment: {_quoted(compared)}"]
    return "\n".join(lines) + "\n"


def _quoted(text):
    """A text as a YAML scalar in double quotes."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
