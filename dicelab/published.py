"""The papers and their printed numbers; a printed number is kept as the string that is printed."""

import json
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

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
    for paper in PAPERS:
        if paper.slug == slug:
            return paper
    raise ValueError(f"paper: {slug!r} is not one of {', '.join(paper.slug for paper in PAPERS)}")


@cache
def resources():
    """The tables that ``data/datapackage.json`` describes, a list of dicts."""
    return json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))["resources"]


def resource(paper, table):
    """What ``data/datapackage.json`` says of a table, a dict; ValueError if there is no such table."""
    tables = paper_of(paper).tables
    if table not in tables:
        raise ValueError(f"table: {table!r} is not one of {', '.join(tables)}, the tables of {paper}")
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
        If there is no such paper or table.
    """
    import pandas as pd

    described = resource(paper, table)
    return pd.read_csv(DATA / described["path"], dtype={"printed": str})


def errata():
    """The ledger of printed numbers that are wrong, a DataFrame; see ``data/README.md`` for its columns."""
    import pandas as pd

    return pd.read_csv(DATA / "errata.csv", dtype=str)


def as_number(printed):
    """A printed number as a Fraction; ``"8%"`` is 2/25."""
    return Fraction(printed.rstrip("%")) / (100 if printed.endswith("%") else 1)


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
        If there is no such file.
    """
    path = DATA / "exact" / f"{name}.txt"
    if not path.is_file():
        known = ", ".join(sorted(file.stem for file in path.parent.glob("*.txt")))
        raise ValueError(f"name: {name!r} is not allowed; give one of {known}")
    return Fraction(*(int(Decimal(part)) for part in path.read_text().split("/")))


def in_full(fraction):
    """A fraction as the text of such a file, "numerator/denominator", however many digits that are."""
    return f"{Decimal(fraction.numerator)}/{Decimal(fraction.denominator)}\n"
