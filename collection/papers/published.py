"""The papers: what each claims, and its printed numbers, read from data/published as the strings that are printed."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dicelab._exact import ExactValue
from dicelab._text import choose
from dicelab._validation import check_option, short_repr

from .printed import read_number

# pandas is imported where it is used: it takes longer to import than all of dicelab.

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["DATA", "PAPERS", "QUESTIONS", "ROOT", "Paper"]
__all__ += [
    "as_described",
    "as_number",
    "check_printed",
    "damages",
    "errata",
    "exact_value",
    "half_unit",
    "in_full",
    "items_of",
    "keys_of",
    "paper_of",
    "printed_claims",
    "published",
    "read_table",
    "resource",
    "sources",
    "write_sums",
]

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
CLAIMS = "claims"  # the resource of a paper with its sentences
SUMS = "SHA256SUMS"  # of files, in the format of ``sha256sum -c``
PRINTED = (
    "datapackage.json",
    "errata.csv",
    "published/**/*.csv",
)  # the files of which DATA / SUMS has the sums
REPAIR = "get it back with `git checkout -- {}`; if you changed it on purpose, write the sums anew with `make sums`"
NONE = "-"  # an entry of a manifest without a value
WITHOUT_NUMBERS = (CLAIMS, "items", "copies")  # resources of a paper that are no tables


@dataclass(frozen=True, kw_only=True)
class Paper:
    """A paper that the collection reruns: where it appeared, and for the site what it claims.

    The slug "literature" is a collection: single numbers and sentences of several authors, without a DOI of its own.
    """

    slug: str
    title: str
    citation: str
    authors: tuple[str, ...] = ()
    doi: str = ""
    seconds: int = 0  # that a run takes, about: the longest begin first
    claim: str = ""  # of the paper
    figure: str = ""  # the name of the figure that matters most; the front page shows it
    second: str = ""  # of the one that comes next
    caption: str = ""
    own: tuple = ()  # pairs: a parameter of its notebook, and the value for which it prints numbers
    folder: str = "papers"  # of its notebook, in notebooks/

    def others_in(self, given):
        """The parameters that have other values than those for which the paper prints numbers, a list of names."""
        values = {name: given.get(name, value) for name, value in self.own}
        lists = {name: tuple(value) for name, value in values.items() if isinstance(value, list)}
        return [name for name, value in self.own if (values | lists)[name] != value]

    @property
    def notebook(self):
        """The paper's notebook, a Path."""
        return ROOT / "notebooks" / self.folder / f"{self.slug}.ipynb"

    @property
    def claims(self):
        """The file with what the paper says in words, a Path."""
        return DATA / "published" / self.slug / "claims.csv"

    @property
    def tables(self):
        """The names of the tables with printed numbers, a list."""
        names = (resource["name"].split("/") for resource in resources())
        return [
            table for slug, table in names if slug == self.slug and table not in WITHOUT_NUMBERS
        ]


PAPERS = (
    Paper(
        slug="generalized-pig",
        own=(("die", ("1/6", "0", *["1/6"] * 5)),),
        seconds=50,
        title="A non-iterative algorithm for generalized Pig games",
        citation="F. Crocce and E. Mordecki, Journal of Dynamics and Games 5(4), 2018, 331-341",
        authors=("Fabián Crocce", "Ernesto Mordecki"),
        doi="10.3934/jdg.2018020",
        claim="The race against an opponent can be solved exactly, without iterating to convergence, for any die.",
        figure="first-player-advantage",
        second="optimal-strategy",
        caption="The first player's advantage in three games, by target",
    ),
    Paper(
        slug="two-dice-pig",
        own=(("target", 100), ("lowest_n", 10), ("highest_n", 35)),
        seconds=65,
        title="Deriving the Optimal Strategy for the Two Dice Pig Game via Reinforcement Learning",
        citation="T. Zhu and M. H. Ma, Stats 5(3), 2022, 805-818",
        authors=("T. Zhu", "M. H. Ma"),
        doi="10.3390/stats5030047",
        claim="Value iteration finds the optimal strategy of two-dice Pig and Double Trouble; "
        "it beats hold at n for every n.",
        figure="hold-at-n",
        second="first-player",
        caption="How often hold at n wins against the optimal player",
    ),
    Paper(
        slug="minimax-pig",
        own=(("target", 200),),
        seconds=30,
        title="Optimal minimax strategy in a dice game",
        citation="F. Crocce and E. Mordecki, arXiv:0912.5518, 2009",
        authors=("Fabián Crocce", "Ernesto Mordecki"),
        doi="10.48550/arXiv.0912.5518",
        claim="Pig as a stochastic game: a minimax strategy, for winning, and for the margin.",
        figure="figure-3",
        second="three-policies",
        caption="The turn totals at which the optimal player of Pig to 200 rolls",
    ),
    Paper(
        slug="ten-thousand",
        seconds=40,
        title="A finite exact algorithm to solve a dice game",
        citation="F. Crocce and E. Mordecki, arXiv:1405.7488, 2014",
        authors=("Fabián Crocce", "Ernesto Mordecki"),
        doi="10.48550/arXiv.1405.7488",
        claim="Finite exact algorithms for one turn of Ten Thousand and of Pig.",
        figure="another-solution",
        second="first-player-advantage",
        caption="Another solution of the Bellman equation",
    ),
    Paper(
        slug="literature",
        own=(("target", 100), ("hold", 20), ("goal", 9)),
        seconds=15,
        title="What others have printed about Pig",
        citation="Roters 1998; Haigh and Roters 2000; Feldman and Morgan 2003; Neller and Presser 2004 and 2010; "
        "Neller 2003 and 2010; Busche 2010; Johnson 2012; Batten 2015; Hayes 2022; Butler",
        claim="One turn, the fewest turns, deadlines, hold at 20, simple rules, Piglet, Hog, Toss Up, Zilch and "
        "Kingdom Come: solved or simulated by others.",
        figure="piglet",
        second="one-turn",
        caption="The turn totals at which to hold in Piglet to 9",
    ),
)

QUESTIONS = (  # of our own, written like papers; nothing is printed elsewhere that could be compared
    Paper(
        slug="more-players",
        seconds=45,
        title="Pig for three: equilibria, equal turns, and what a third player changes",
        figure="seats",
        second="hold-with-third",
        citation="A question of this collection",
        folder="beyond",
    ),
    Paper(
        slug="real-rules",
        seconds=40,
        title="Real rules: an opening minimum, three farkles in a row, how many dice, and dice of several kinds",
        figure="hog",
        second="clock",
        citation="A question of this collection",
        folder="beyond",
    ),
    Paper(
        slug="first-move",
        seconds=75,
        title="The law of the first move",
        figure="convergence",
        second="tied-rules",
        citation="A question of this collection",
        folder="beyond",
    ),
)


def paper_of(slug: str, *, ours: bool = False) -> Paper:
    """The :class:`Paper` with this slug, `ours` included or not. ValueError, naming all slugs, if there is none."""
    papers = (*PAPERS, *QUESTIONS) if ours else PAPERS
    slugs = [paper.slug for paper in papers]
    slug = check_option(choose(slug, slugs), "paper", slugs)
    return next(paper for paper in papers if paper.slug == slug)


@cache
def resources():
    """The descriptions of the tables in ``data/datapackage.json``, a list of dicts. ValueError if it is damaged."""
    file = DATA / "datapackage.json"
    try:
        return json.loads(file.read_text(encoding="utf-8"))["resources"]
    except (OSError, ValueError, LookupError, TypeError, RecursionError) as error:
        said = f"not a valid description of the tables: {type(error).__name__}: {error}"
        raise ValueError(f"{file}: {said}; {REPAIR.format(file)}") from None


def resource(paper: str, table: str) -> dict[str, Any]:
    """The description of a table in ``data/datapackage.json``, a dict. ValueError if there is no such table."""
    paper = paper_of(paper)
    return _described(
        f"{paper.slug}/{check_option(choose(table, paper.tables), 'table', paper.tables)}"
    )


def _described(name):
    """The description of a resource. ValueError if there is none."""
    found = [description for description in resources() if description["name"] == name]
    if len(found) != 1:
        raise ValueError(
            f"{DATA / 'datapackage.json'}: {name!r} is described {len(found)} times, not once"
        )
    return found[0]


def published(paper: str, table: str) -> pd.DataFrame:
    """A table of printed numbers.

    Parameters
    ----------
    paper, table : str
        For example "generalized-pig", "table-1".

    Returns
    -------
    pandas.DataFrame
        A row for each printed number: the columns that identify it, and `printed`, a string.
        ``data/datapackage.json`` describes the columns.

    Raises
    ------
    ValueError
        If there is no such paper or table, or its file does not match ``data/datapackage.json``.

    Examples
    --------
    >>> published("generalized-pig", "table-1").head(2)
       target     printed
    0      10  0.70942388
    1      50  0.54615051
    """
    description = resource(paper, table)
    numbers = _read(description)
    words = description.get("words", [])
    for row, printed in enumerate(numbers["printed"]):
        if printed not in words:
            read_number(printed, f"{description['path']}, line {row + 2}: printed")
    return numbers


def _read(description):
    """The table that has this description. ValueError if it has other columns or rows, or two rows with the same key.

    A line of a number is right as long as no entry before it has a line break of its own.
    """
    types = {field["name"]: field["type"] for field in description["schema"]["fields"]}
    path = description["path"]
    key = description["schema"]["primaryKey"]
    table = read_table(DATA / path, list(types))
    for name in (name for name, kind in types.items() if kind == "integer"):
        valid = table[name].str.fullmatch(r"[+-]?[0-9]{1,15}")
        if not valid.all():
            row = valid.idxmin()
            raise ValueError(
                f"{path}, line {row + 2}: {name} {short_repr(table[name][row])} is not an integer"
            )
        table[name] = table[name].astype("int64")
    twice = table.duplicated(key)
    if twice.any():
        row = twice.idxmax()
        named = ", ".join(f"{name} {table[name][row]}" for name in key)
        raise ValueError(f"{path}, line {row + 2}: there is another row with {named} above it")
    return table


def items_of(table):
    """What the rows of a table are called in comparisons and in the ledger, "n 10, optimal first", a list."""
    columns = table.columns.drop("printed")
    rows = table[columns].itertuples(index=False)
    return [
        ", ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True))
        for row in rows
    ]


def keys_of(table):
    """The key of each row of a table by the row's name in comparisons, a dict of dicts."""
    keys = table.drop(columns="printed").to_dict("records")
    return dict(zip(items_of(table), keys, strict=True))


def read_table(file, columns):
    """A CSV file as a DataFrame of text. ValueError, naming file and line, if a column or an entry is missing."""
    import pandas as pd

    try:
        with file.open(newline="", encoding="utf-8") as lines:
            names, *rows = csv.reader(lines, strict=True)
    except FileNotFoundError:
        raise ValueError(f"{file}: is missing; get it back with `git checkout -- {file}`") from None
    except (OSError, ValueError, csv.Error) as error:
        raise ValueError(f"{file}: not a table that can be read: {error}") from None
    if names != columns:
        raise ValueError(f"{file}: the columns {short_repr(names)} are not allowed; give {columns}")
    for line, row in enumerate(rows, start=2):
        if len(row) != len(columns) or not all(row):
            raise ValueError(
                f"{file}, line {line}: {short_repr(row)} is not allowed; give {len(columns)} entries, none empty"
            )
    return pd.DataFrame(rows, columns=columns)


def printed_claims(paper: str) -> pd.DataFrame:
    """What a paper says in words, with the verdicts, a DataFrame of text; ``data/README.md`` describes its columns.

    ValueError if there is no such paper, or its file does not match ``data/datapackage.json``.
    """
    return as_described(f"{paper_of(paper).slug}/{CLAIMS}")


def as_described(name):
    """A resource of ``data/datapackage.json`` as a DataFrame. ValueError if its file does not match its description."""
    return _read(_described(name))


def sums_of(folder, patterns):
    """The SHA-256 sums of files in a folder, a dict by name."""
    files = {file for pattern in patterns for file in folder.glob(pattern) if file.is_file()}
    return {
        file.relative_to(folder).as_posix(): sha256(file.read_bytes()).hexdigest()
        for file in sorted(files - {folder / SUMS})
    }


def write_sums(folder, patterns):
    """Write the file ``SHA256SUMS`` of a folder anew."""
    lines = [f"{found}  {name}\n" for name, found in sums_of(folder, patterns).items()]
    (folder / SUMS).write_text("".join(lines), encoding="utf-8", newline="\n")


def damages(folder, patterns):
    """What differs from ``SHA256SUMS`` in a folder, a dict of text by file; "" for a file that is as it was.

    OSError if there is no such list.
    """
    try:
        text = (folder / SUMS).read_text(encoding="utf-8")
        lines = [re.fullmatch(r"([0-9a-f]{64}) [ *](.+)", line) for line in text.split("\n")[:-1]]
        noted = dict(line.group(2, 1) for line in lines)
    except (OSError, ValueError, AttributeError) as error:
        said = error.strerror if isinstance(error, OSError) else "not a list of SHA-256 sums"
        raise OSError(f"{folder / SUMS}: {said}; {REPAIR.format(folder / SUMS)}") from None
    found = sums_of(folder, patterns)

    def difference(name):
        if noted.get(name) == found.get(name):
            return ""
        known = "its sum is another" if name in noted else "it has no sum there"
        return f"{known if name in found else 'it is missing'}; {REPAIR.format(folder / name)}"

    return {name: difference(name) for name in sorted({*noted, *found})}


def check_printed():
    """Refuse printed numbers and descriptions that are not as committed: OSError, naming the first such file."""
    for name, said in damages(DATA, PRINTED).items():
        if said:
            raise OSError(f"{DATA / name}: compared with {SUMS}, {said}")


def sources(paper):
    """The copies of a paper that were read, a list of dicts: name ("slug/copy"), title, path and license."""
    file = DATA / "datapackage.json"
    copies = json.loads(file.read_text(encoding="utf-8")).get("sources", [])
    return [copy for copy in copies if copy["name"].partition("/")[0] == paper]


def errata() -> pd.DataFrame:
    """The ledger of printed numbers that are wrong, a DataFrame; ``data/README.md`` describes its columns.

    ValueError if an entry names no printed number, or names one for a second time.
    """
    columns = ["paper", "table", "item", "printed", "correct"]
    columns += ["proved", "first_proof", "second_proof"]
    ledger = read_table(DATA / "errata.csv", columns)
    file = DATA / "errata.csv"
    known = {}
    for row, (paper, table, item, printed, *_) in enumerate(ledger.itertuples(index=False)):
        where = f"{file}, line {row + 2}"
        if (paper, table) not in known:
            try:
                numbers = published(paper, table)
            except ValueError as error:
                raise ValueError(f"{where}: {error}") from None
            known[paper, table] = dict(zip(items_of(numbers), numbers["printed"], strict=True))
        if known[paper, table].get(item) != printed:
            said = f"{short_repr(item)} with {short_repr(printed)} is not a row of {paper}/{table}"
            raise ValueError(f"{where}: {said}, or stands in the ledger above")
        del known[paper, table][item]
    return ledger


def as_number(printed):
    """A printed number as a Fraction; ``"8%"`` is 2/25. ValueError if it is not a number."""
    return read_number(printed).number


def half_unit(printed: str) -> Fraction:
    """Half a unit of the last printed digit, a Fraction; 0 for a fraction and for an integer like "20".

    The last digit is that of the number that :func:`as_number` reads. ValueError if it is not a number.

    >>> half_unit("0.25"), half_unit("2/9"), half_unit("8%"), half_unit("5e3")
    (Fraction(1, 200), Fraction(0, 1), Fraction(1, 200), Fraction(500, 1))
    """
    return read_number(printed).half_unit


def exact_value(name: str) -> Fraction:
    """An exact value from ``data/exact``, kept as a file so that others can verify it.

    Parameters
    ----------
    name : str
        The name of the file without its ending, for example "pig-100".

    Returns
    -------
    Fraction

    Raises
    ------
    ValueError
        If there is no such file, or it does not contain a fraction.
    """
    check_option(name, "name", sorted(file.stem for file in (DATA / "exact").glob("*.txt")))
    path = DATA / "exact" / f"{name}.txt"
    match = re.fullmatch(r"(\d{1,1000000})/(\d{1,1000000})\n?", path.read_text())
    numerator, denominator = (int(Decimal(part)) for part in match.groups()) if match else (0, 0)
    if not denominator:
        raise ValueError(f"{path}: not an exact value; it must be numerator/denominator, in digits")
    return ExactValue(numerator, denominator)


def in_full(fraction: Fraction) -> str:
    """A fraction as the text of such a file, "numerator/denominator", with any number of digits."""
    return f"{ExactValue(fraction).in_full()}\n"
