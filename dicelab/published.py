"""The papers and their printed numbers; a printed number is kept as the string that is printed."""

import csv
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

from .doors import as_fraction, as_kind, as_one_of, refusal, shown

# pandas, and what needs numba, is imported where it is used: it takes longer than all of dicelab.

__all__ = ["DATA", "PAPERS", "ROOT", "Paper", "as_number", "errata", "exact_value", "half_unit", "in_full"]
__all__ += ["paper_of", "published", "resource"]

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"


@dataclass(frozen=True)
class Paper:
    """A paper that the collection reruns: its slug, its title, and where it appeared."""

    slug: str
    title: str
    citation: str
    doi: str

    @property
    def notebook(self):
        """The paper's notebook, a Path."""
        return ROOT / "notebooks" / "papers" / f"{self.slug}.ipynb"

    @property
    def tables(self):
        """The names of the tables with printed numbers, a list."""
        return [
            resource["name"].split("/")[1] for resource in resources() if resource["name"].startswith(self.slug + "/")
        ]


PAPERS = (
    Paper(
        "generalized-pig",
        "A non-iterative algorithm for generalized Pig games",
        "F. Crocce and E. Mordecki, Journal of Dynamics and Games 5(4), 2018, 331-341",
        "10.3934/jdg.2018020",
    ),
    Paper(
        "two-dice-pig",
        "Deriving the Optimal Strategy for the Two Dice Pig Game via Reinforcement Learning",
        "T. Zhu and M. H. Ma, Stats 5(3), 2022, 805-818",
        "10.3390/stats5030047",
    ),
    Paper(
        "minimax-pig",
        "Optimal minimax strategy in a dice game",
        "F. Crocce and E. Mordecki, arXiv:0912.5518, 2009",
        "10.48550/arXiv.0912.5518",
    ),
    Paper(
        "ten-thousand",
        "A finite exact algorithm to solve a dice game",
        "F. Crocce and E. Mordecki, arXiv:1405.7488, 2014",
        "10.48550/arXiv.1405.7488",
    ),
)


def paper_of(slug):
    """The :class:`Paper` called `slug`; ValueError, naming those there are, if there is none."""
    as_one_of(slug, "paper", [paper.slug for paper in PAPERS])
    return next(paper for paper in PAPERS if paper.slug == slug)


@cache
def resources():
    """The tables that ``data/datapackage.json`` describes, a list of dicts; ValueError if it does not."""
    file = DATA / "datapackage.json"
    try:
        described = json.loads(file.read_text(encoding="utf-8"))["resources"]
        for found in described:
            inside = (DATA / found["path"]).resolve().is_relative_to(DATA.resolve())
            fields = [
                (field["name"] + "", field["type"] in ("string", "integer")) for field in found["schema"]["fields"]
            ]
            games = found.get("games", 1)
            whole = type(games) is int and games > 0
            if not (inside and found["path"].endswith(".csv") and all(known for _, known in fields) and whole):
                raise ValueError(
                    f"resource {found['name']!r}: a path outside, a type or a number of games that is none"
                )
            found["name"].split("/")[1]
    except (OSError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        raise ValueError(f"{file}: not what describes the tables: {type(error).__name__}: {error}") from None
    return described


def resource(paper, table):
    """What ``data/datapackage.json`` says of a table, a dict; ValueError if there is no such table."""
    tables = paper_of(paper).tables
    as_one_of(table, "table", tables)
    return next(found for found in resources() if found["name"] == f"{paper}/{table}")


def published(paper, table):
    """A table of printed numbers.

    Parameters
    ----------
    paper, table : str
        For example "generalized-pig", "table-1".

    Returns
    -------
    pandas.DataFrame
        The columns that say which number it is, and `printed`, a string. ``data/datapackage.json`` describes them.

    Raises
    ------
    ValueError
        If there is no such paper or table, or its file is not as ``data/datapackage.json`` has it.
    """
    described = resource(paper, table)
    fields = {field["name"]: field["type"] for field in described["schema"]["fields"]}
    found = _read(DATA / described["path"], list(fields))
    for name, kind in fields.items():
        if kind == "integer":
            whole = found[name].str.fullmatch(r"[+-]?\d{1,15}")
            if not whole.all():
                line = whole.idxmin()
                raise ValueError(
                    f"{described['path']}, line {line + 2}: {name} {found[name][line]!r} is no whole number"
                )
            found[name] = found[name].astype("int64")
    return found


def _read(file, columns):
    """A CSV file as a DataFrame of text, nothing empty; ValueError, naming file and line, if it has other columns."""
    import pandas as pd

    try:
        with file.open(newline="", encoding="utf-8") as lines:
            names, *rows = csv.reader(lines, strict=True)
    except (OSError, ValueError, csv.Error) as error:
        raise ValueError(f"{file}: not a table that can be read: {error}") from None
    if names != columns:
        raise ValueError(f"{file}: the columns {shown(names)} are not allowed; give {columns}")
    for line, row in enumerate(rows, start=2):
        if len(row) != len(columns) or not all(row):
            raise ValueError(
                f"{file}, line {line}: {shown(row)} is not allowed; give {len(columns)} entries, none empty"
            )
    return pd.DataFrame(rows, columns=columns)


def errata():
    """The ledger of printed numbers that are wrong, a DataFrame; see ``data/README.md`` for its columns."""
    return _read(DATA / "errata.csv", ["paper", "table", "item", "printed", "correct", "first_proof", "second_proof"])


def as_number(printed):
    """A printed number as a Fraction; ``"8%"`` is 2/25. ValueError if it is none."""
    allowed = "a number as printed: '0.25', '2/9' or '8%'"
    number = as_kind(printed, "printed", str, allowed).removesuffix("%")
    try:
        return as_fraction(number, "printed", allowed) / (100 if number != printed else 1)
    except ValueError:
        raise refusal("printed", printed, allowed) from None


def half_unit(printed):
    """Half a unit of the last printed digit, a Fraction; 0 for a fraction or a whole number that is no percentage.

    >>> half_unit("0.25"), half_unit("2/9"), half_unit("8%")
    (Fraction(1, 200), Fraction(0, 1), Fraction(1, 200))
    """
    _, point, digits = printed.rstrip("%").partition(".")
    unit = Fraction(1, 10 ** len(digits)) if point or printed.endswith("%") else Fraction(0)
    return unit / (200 if printed.endswith("%") else 2)


def exact_value(name):
    """An exact value that is kept as a file, for others to verify.

    Parameters
    ----------
    name : str
        The name of the file in ``data/exact``, for example "pig-100".

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError
        If there is no such file, or it is none.
    """
    as_one_of(name, "name", sorted(file.stem for file in (DATA / "exact").glob("*.txt")))
    path = DATA / "exact" / f"{name}.txt"
    found = re.fullmatch(r"(\d{1,1000000})/(\d{1,1000000})\n?", path.read_text())
    parts = [int(Decimal(part)) for part in found.groups()] if found else [0, 0]
    if not parts[1]:
        raise ValueError(f"{path}: not an exact value; it must be numerator/denominator, in digits")
    return Fraction(*parts)


def in_full(fraction):
    """A fraction as the text of such a file, "numerator/denominator", however many digits that are."""
    return f"{Decimal(fraction.numerator)}/{Decimal(fraction.denominator)}\n"
