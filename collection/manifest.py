"""The manifest of a paper: every figure, table, equation, algorithm and theorem, and where it stands here.

``data/published/<paper>/items.csv`` has a row for each. What follows from other data, such as verdicts, is added here,
so that notebooks, pages of results and ``codecheck.yml`` say the same.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from dicelab.papers.published import (
    as_described,
    errata,
    half_unit,
    paper_of,
    printed_claims,
    published,
    resource,
    sources,
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
]

ITEMS = "items"  # the resource of a paper with its manifest
NONE = "-"
ORDER = (
    "mismatch",
    "erratum",
    "quoted",
    "does not hold",
    "holds with exceptions",
    "a matter of taste",
    "agree",
    "holds",
)
ALWAYS = ("README.md", "codecheck.yml", "comparison.csv", "figures.csv", "parameters.json")


def items(paper: str) -> pd.DataFrame:
    """Every figure, table, equation, algorithm and theorem of a paper, and where it stands here.

    Parameters
    ----------
    paper : str

    Returns
    -------
    pandas.DataFrame
        A row for each item, with the columns item, what, copy, place, section, figures, tables, claims and note, which
        ``data/datapackage.json`` describes, and three more: `license` of the copies, `tolerance` of the printed
        numbers, and `verdict`, which counts numbers and sentences. Empty where there is nothing to say.

    Raises
    ------
    ValueError
        If there is no such paper, or its manifest does not match ``data/datapackage.json``.

    Examples
    --------
    >>> items("generalized-pig").set_index("item").loc["Table 1", ["section", "verdict"]].to_list()
    ['Table 1. Pig with different targets', '6 errata; 1 does not hold, 1 holds with exceptions']
    """
    slug = paper_of(paper).slug
    table = as_described(f"{slug}/{ITEMS}").replace(NONE, "")
    claims = printed_claims(slug).set_index("claim")["verdict"]
    wrong = errata()
    wrong = Counter(wrong.loc[wrong["paper"] == slug, "table"])
    licenses = {source["name"].partition("/")[2]: source["license"] for source in sources(slug)}
    rows = []
    for tables, sentences, copies in zip(
        table["tables"], table["claims"], table["copy"], strict=True
    ):
        numbers = Counter()
        for name in tables.split():
            numbers["quoted" if resource(slug, name).get("quoted") else "erratum"] += wrong[name]
            numbers["agree"] += len(published(slug, name)) - wrong[name]
        verdicts = [
            _counted(numbers),
            _counted(Counter(claims[name] for name in sentences.split())),
        ]
        stated = dict.fromkeys(licenses[copy] for copy in copies.split() if copy in licenses)
        tolerances = dict.fromkeys(_tolerance(resource(slug, name)) for name in tables.split())
        rows.append(("; ".join(stated), "; ".join(tolerances), "; ".join(filter(None, verdicts))))
    table[["license", "tolerance", "verdict"]] = rows
    return table


def _counted(verdicts):
    """How many of each verdict, the worst first, as text."""
    present = [verdict for verdict in ORDER if verdicts[verdict]]
    return ", ".join(
        f"{verdicts[verdict]:,} {_in_words(verdict, verdicts[verdict])}" for verdict in present
    )


def _in_words(verdict, number):
    plural = {"erratum": "errata", "holds": "hold", "does not hold": "do not hold"}
    return plural.get(verdict, verdict.replace("holds", "hold")) if number > 1 else verdict


def _tolerance(description):
    """What a printed number may be off by, in words."""
    if games := description.get("games"):
        return f"4 standard errors of {games:,} games"
    words = description.get("words", [])
    paper_and_table = description["name"].split("/")
    numbers = [
        printed for printed in published(*paper_and_table)["printed"] if printed not in words
    ]
    return "half a unit of the last digit" if any(map(half_unit, numbers)) else "exact"


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
    return sorted({name for names in items(paper)["figures"] for name in names.split()})


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
        for name in row.figures.split():
            for kind in ("svg", "csv") if name in drawn else ("csv",):
                said = "the data" if kind == "csv" else "the figure"
                lines += [
                    f"  - file: {name}.{kind}",
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
