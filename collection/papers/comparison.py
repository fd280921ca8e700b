"""Compare printed numbers with computed ones: tolerances and verdicts.

The tolerance follows from how the printed number was made. If the authors computed it, the tolerance is half a unit of
its last digit, and 0 for a fraction like 2/9. If they cut the other digits off instead of rounding, the computed number
must begin with the printed digits. If they simulated it, the tolerance is 4 standard errors of their sample size. A
computed float may be off by `LAST_PLACES` units of its own last place more; a fraction must be exact.

A number outside its tolerance is a *mismatch*, unless the ledger ``data/errata.csv`` has it with two independent proofs
and a corrected value that agrees with the computed one: then it is an *erratum*, or *quoted* if we have it at second
hand, so that the quotation may be what is wrong. Words, for example the name of an action, agree if they are equal.

Every computed number is accounted for: its key names exactly one row, or it is refused.
"""

from __future__ import annotations

import json
import math
import numbers
import operator
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dicelab._files import atomic_write
from dicelab._validation import (
    check_bool,
    check_fraction,
    check_sequence,
    invalid,
    short_repr,
)
from dicelab_extras.learning.checks import check_real

from .printed import read_number
from .published import errata, items_of, keys_of, paper_of, published, resource

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare", "numbers_left", "with_layout"]

NUMBERS = "numbers"  # the folder in which computed numbers are left
LARGEST = 10**300  # a number that is still a float
LAST_PLACES = 16  # by which a float of a long computation may be off


def compare(
    paper: str,
    table: str | None = None,
    computed: Mapping[Any, Any] | pd.Series | None = None,
    *,
    strict: bool = True,
    leave: str = "",
) -> pd.DataFrame:
    """Compare the numbers that a paper prints with those that dicelab computes.

    Parameters
    ----------
    paper : str
    table : str, optional
        By default all tables of the paper.
    computed : mapping or pandas.Series, optional
        Computed numbers by the key of a row of the table: the value of its first column, or the tuple of all columns
        but `printed`. Whole numbers in a key may be of any type, text included, and the levels of an index that have
        the names of the columns may come in any order. Rows without a computed number are left out. A number may be
        given as text, as it is printed. By default the package computes all numbers. For a table that was simulated,
        pairs: the number, and its standard error after one game.
    strict : bool
        Whether to refuse keys of no row, and a comparison of nothing. Otherwise these keys are left out and counted.
    leave : str, optional
        A folder in which the computed numbers of each table are left, by key, for who runs the notebook to compare.

    Returns
    -------
    pandas.DataFrame
        A row for each number: table, item, printed (str), computed (float, or str where words are printed), difference
        (computed - printed), tolerance, and verdict, one of "agree", "erratum", "quoted", "mismatch". It is displayed
        with three digits more than were printed, and in Jupyter the verdicts have colours. Below stands how many of the
        printed numbers were compared; its `attrs` have this as "compared", "rows" and "left_out".

    Raises
    ------
    ValueError
        If there is no such paper or table, `computed` is given without a table, has a key that names no row, two keys
        that name the same row, an entry that is not a number, or no entry at all.

    Examples
    --------
    >>> compare("minimax-pig")["verdict"].to_list()
    ['agree', 'agree']
    >>> compare("two-dice-pig", "table-a1", {"80": "0.5245"}).attrs
    {'compared': 1, 'rows': 11, 'left_out': 0}
    """
    import pandas as pd

    # With numba and scipy, which take longer to import than all else of dicelab.
    from .recipes import RECIPES
    from .tables import Comparison

    paper, strict = paper_of(paper), check_bool(strict, "strict")
    tables, paper = paper.tables, paper.slug
    if table is not None:
        tables = [resource(paper, table)["name"].partition("/")[2]]
    elif computed is not None:
        raise ValueError(
            "table: None is not allowed together with computed numbers; name the table they are for"
        )
    if computed is not None and not isinstance(computed, Mapping | pd.Series):
        if isinstance(computed, pd.DataFrame):
            raise ValueError(
                "computed: a DataFrame is not allowed; give one of its columns, or frame.stack()"
            )
        raise invalid("computed", computed, "a mapping or a Series of numbers", Mapping | pd.Series)
    ledger = errata()
    rows = []
    size = 0
    left_out = 0
    for name in tables:
        printed = published(paper, name)
        description = resource(paper, name)
        entries, others = _by_row(RECIPES[paper, name]() if computed is None else computed, printed)
        missing = (
            [] if computed is not None else [k for k in range(len(printed)) if k not in entries]
        )
        if missing:
            raise ValueError(
                f"{paper}/{name}: nothing is computed for the row {items_of(printed)[missing[0]]}"
            )
        if computed is not None and strict and (others or not entries):
            raise _nothing_there(f"{paper}/{name}", computed, others, printed)
        if leave:
            _leave(Path(leave, NUMBERS), name, entries, printed)
        size, left_out = size + len(printed), left_out + len(others) * (computed is not None)
        known = ledger[(ledger["paper"] == paper) & (ledger["table"] == name)].set_index("item")[
            "correct"
        ]
        for k, (item, text) in enumerate(zip(items_of(printed), printed["printed"], strict=True)):
            if k in entries:
                key, entry = entries[k]
                field, cut = f"computed[{short_repr(key)}]", item in description.get("cut", ())
                judged = _judge(field, entry, text, description, known.get(item), cut)
                rows.append((name, item, text, *judged))
    columns = ["table", "item", "printed", "computed", "difference", "tolerance", "verdict"]
    comparison = Comparison(rows, columns=columns)
    comparison.attrs = {"compared": len(rows), "rows": size, "left_out": left_out}
    return comparison if table is None else with_layout(comparison, paper, tables[0])


def _leave(folder, name, entries, printed):
    """Write the computed numbers of a table: a list of the key, the number and its standard error for each."""
    keys = printed[printed.columns.drop("printed")].astype(object).to_numpy().tolist()
    folder.mkdir(exist_ok=True)
    with atomic_write(folder / f"{name}.json") as part:
        rows = [
            [*keys[k], *map(_as_json, entry if isinstance(entry, tuple | list) else (entry, None))]
            for k, (_, entry) in sorted(entries.items())
        ]
        part.write_text(json.dumps(rows, indent=0, ensure_ascii=False), encoding="utf-8")


def _as_json(number):
    """A float as it is, an exact number as text with all its digits."""
    if isinstance(number, numbers.Rational):
        return f"{int(number.numerator)}/{int(number.denominator)}"
    inexact = isinstance(number, numbers.Real) and not isinstance(number, Decimal)
    return float(number) if inexact else str(number) if isinstance(number, Decimal) else number


def numbers_left(folder: Path, paper: str) -> pd.DataFrame:
    """Compare the numbers that :func:`compare` has left in a folder, of all tables that are there.

    Raises
    ------
    ValueError
        If a file is of no table, or has anything else than one number for each of its keys; it names the file.
    """
    import pandas as pd

    parts = []
    files = {path.stem: path for path in Path(folder, NUMBERS).glob("*")}
    for table in [*paper_of(paper).tables, *files]:
        if (file := files.pop(table, None)) is None:
            continue
        try:
            computed = {}
            for *key, number, error in json.loads(file.read_text(encoding="utf-8")):
                if tuple(key) in computed:
                    raise ValueError(f"two numbers for the key {short_repr(key)}")
                computed[tuple(key)] = number if error is None else (number, error)
            parts += [compare(paper, table, computed)] if computed else []
        except (OSError, ValueError, TypeError, LookupError, RecursionError) as error:
            raise ValueError(f"{NUMBERS}/{file.name}: {error}") from None
    return pd.concat(parts or [pd.DataFrame({"verdict": []})], ignore_index=True)


def _by_row(computed, printed):
    """The entries by the number of their row in a table, {row: (key, entry)}, and the keys that name no row, a list.

    ValueError if two keys name the same row.
    """
    columns = printed.columns.drop("printed")
    kinds = [int if printed[column].dtype.kind == "i" else str for column in columns]

    def read(parts):
        return tuple(map(_read_key, parts, kinds))

    places = {read(row): k for k, row in enumerate(printed[columns].itertuples(index=False))}
    order = range(len(columns))
    levels = list(getattr(getattr(computed, "index", None), "names", ()))
    if sorted(map(str, levels)) == sorted(columns):  # an index that names the columns
        order = [levels.index(column) for column in columns]
    entries, others = {}, []
    for key, entry in computed.items():
        parts = key if isinstance(key, tuple | list) else (key,)
        place = places.get(read(parts[k] for k in order)) if len(parts) == len(columns) else None
        if place is None:
            others.append(key)
        elif place in entries:
            said = f"{short_repr(key)} and {short_repr(entries[place][0])} name the same row"
            raise ValueError(f"computed: {said}, {items_of(printed)[place]}; give one of them")
        else:
            entries[place] = key, entry
    return entries, others


def _read_key(value, kind):
    """A part of a key as the tables have it: an int if `kind` is int and it is a whole number, else a str; or None."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and kind is int:
        try:
            value = read_number(value).number
        except ValueError:
            return None
    if isinstance(value, str):
        return " ".join(value.split())
    try:
        whole = isinstance(value, numbers.Real | Decimal) and value == int(value)
        return kind(int(value) if whole else operator.index(value))
    except (TypeError, ValueError, OverflowError):  # neither a number nor text; nan; infinity
        return None


def _nothing_there(name, computed, others, printed):
    """The error for keys that name no row, or for nothing to compare."""
    keys = printed[printed.columns.drop("printed")].itertuples(index=False, name=None)
    keys = [key if len(key) > 1 else key[0] for key in keys]
    named = ", ".join(map(short_repr, others[:8])) + (
        f" and {len(others) - 8} more" if others[8:] else ""
    )
    found = f"{named} {'is' if len(others) == 1 else 'are'} not allowed"
    if not others:
        found = f"{short_repr(computed)} is not allowed: it is empty"
    columns = ", ".join(printed.columns.drop("printed"))
    return ValueError(
        f"computed: {found}; {name} has {len(keys)} rows, and their keys ({columns}) are {short_repr(keys)}. "
        "With strict=False, numbers that have no row are left out"
    )


def _judge(field, entry, printed, description, correct, cut):
    """Computed number, difference, tolerance and verdict for one printed number, or for one printed word.

    Parameters
    ----------
    field : str
        The name of the entry, for messages.
    entry : number, str or pair
        As in `computed`.
    printed : str
    description : dict
        Of the table.
    correct : str or None
        The corrected value, if the ledger has one.
    cut : bool
        Whether the printed number was cut, not rounded.
    """
    games, error = description.get("games"), 0.0
    if games:
        allowed = "a pair: the number, and its standard error after one game"
        pair = check_sequence(entry, field, allowed)
        if len(pair) != 2:
            raise invalid(field, entry, allowed)
        entry = pair[0]
        error = check_real(_number_or_word(pair[1], field), field, 0)
    words = description.get("words", ())
    computed = _number_or_word(entry, field, words)
    claimed = _number_or_word(printed, "printed", words)

    inexact = isinstance(entry, numbers.Real) and not isinstance(entry, numbers.Rational)
    slack = Fraction(LAST_PLACES * float(np.spacing(abs(entry)))) if inexact else Fraction(0)

    def agrees(text, tolerance):
        value = _number_or_word(text, "printed", words)
        if isinstance(computed, str) or isinstance(value, str):
            return computed == value
        if cut and not games and text == printed:
            begins = (math.trunc((computed + s) / tolerance) for s in (-slack, 0, slack))
            return value / tolerance in begins
        return abs(computed - value) <= tolerance + slack

    def half_unit(text):
        return (
            0
            if isinstance(_number_or_word(text, "printed", words), str)
            else read_number(text).half_unit
        )

    tolerance = Fraction(4 * error / games**0.5) if games else half_unit(printed) * (1 + cut)
    verdict = "agree" if agrees(printed, tolerance) else "mismatch"
    if verdict == "mismatch" and correct is not None and agrees(correct, half_unit(correct)):
        verdict = "quoted" if description.get("quoted") else "erratum"
    if isinstance(computed, str) or isinstance(claimed, str):
        return (
            computed if isinstance(computed, str) else float(computed),
            math.nan,
            math.nan,
            verdict,
        )
    return float(computed), float(computed - claimed), float(tolerance), verdict


def _number_or_word(entry, field, words=()):
    """A number as a Fraction, also one given as text; in a table that prints words, another text as it is."""
    allowed = (
        "a finite number, which may be text like '0.25', '2/9' or '8%'"
        + ", or a word" * bool(words)
    )
    number = None
    if isinstance(entry, str):
        try:
            number = read_number(entry).number
        except ValueError:
            if words and entry.strip():
                return " ".join(entry.split())
    elif isinstance(entry, numbers.Rational | Decimal):
        number = check_fraction(entry, field, allowed)
    elif isinstance(entry, numbers.Real) and math.isfinite(entry):
        number = Fraction(float(entry))
    if number is None or abs(number) > LARGEST:
        raise invalid(field, entry, allowed, (str, numbers.Real, Decimal))
    return number


def with_layout(comparison, paper, table):
    """A comparison of one table that knows the rows and the columns in which the paper prints it."""
    from .tables import Comparison

    laid = Comparison(comparison)
    laid.attrs = comparison.attrs
    laid.layout = keys_of(published(paper, table)), resource(paper, table)
    return laid
