"""Printed numbers, held against computed ones.

How far a computed number may be off follows from what the printed one is: computed by the authors, half a unit of its
last digit (a fraction like 2/9: nothing); simulated by the authors, 4 standard errors. A number further off is a
*mismatch*, unless the ledger ``data/errata.csv`` has it, with a corrected value that the computed one agrees with and
two independent proofs: then it is an *erratum*. Words, the name of an action for example, agree if they are the same.
"""

import math
import numbers
from collections.abc import Mapping
from fractions import Fraction

from .doors import as_real, refusal, shown
from .published import as_number, errata, half_unit, paper_of, published, resource
from .recipes import RECIPES

__all__ = ["compare", "in_digits"]


def in_digits(computed):
    """A computed number with 12 digits, as text; words stay as they are."""
    return computed if isinstance(computed, str) else f"{computed:.12g}"


def compare(paper, table=None, computed=None):
    """Hold printed numbers against computed ones.

    Parameters
    ----------
    paper : str
    table : str, optional
        By default all tables of the paper.
    computed : mapping or pandas.Series, optional
        Computed numbers by what identifies a row of the table: the value of its first column, or the tuple of all
        columns but `printed`. Rows that it does not have are left out. By default the package computes all. For a
        table that was simulated, pairs: the number, and the standard error that it has after one game.

    Returns
    -------
    pandas.DataFrame
        One row a number: table, item, printed (str), computed (float, or str where words are printed), difference
        (computed - printed), tolerance, and verdict, one of "agree", "erratum", "mismatch".

    Raises
    ------
    ValueError
        If there is no such paper or table, `computed` is given without a table, or what is computed is no number.
    """
    import pandas as pd

    paper_of(paper)
    if table is None and computed is not None:
        raise ValueError("table: None is not allowed together with computed numbers; name the table they are for")
    tables = paper_of(paper).tables if table is None else [table]
    rows = []
    for name in tables:
        printed = published(paper, name)
        keys = [column for column in printed.columns if column != "printed"]
        if computed is not None and not isinstance(computed, Mapping | pd.Series):
            raise refusal("computed", computed, "a mapping or a Series of numbers")
        numbers = RECIPES[paper, name]() if computed is None else dict(computed)
        games = resource(paper, name).get("games")
        for *key, text in printed[[*keys, "printed"]].itertuples(index=False):
            place = key[0] if len(key) == 1 else tuple(key)
            if place in numbers:
                said = f"computed[{shown(place)}]"
                number, error = as_pair(numbers[place], said) if games else (numbers[place], 0.0)
                _check_computed(number, said)
                as_real(error, said, 0)
                tolerance = Fraction(4 * error / games**0.5) if games else half_unit(text)
                item = ", ".join(f"{column} {value}" for column, value in zip(keys, key, strict=True))
                rows.append((name, item, text, *_judge(paper, name, item, text, number, tolerance)))
    columns = ["table", "item", "printed", "computed", "difference", "tolerance", "verdict"]
    return pd.DataFrame(rows, columns=columns)


def as_pair(value, field):
    """Read `value` as a pair."""
    if not isinstance(value, tuple | list) or len(value) != 2:
        raise refusal(field, value, "a pair: the number, and the standard error that it has after one game")
    return value


def _check_computed(value, field):
    """Refuse what is neither a finite number nor a text."""
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not isinstance(value, str) and not (number and (isinstance(value, Fraction) or math.isfinite(value))):
        raise refusal(field, value, "a finite number, or a word where one is printed")


def _judge(paper, table, item, printed, found, tolerance):
    """Computed number, difference, tolerance and verdict for one printed number, or for one printed word."""
    in_words = isinstance(found, str)

    def agrees(claimed, allowed):
        return found == claimed if in_words else abs(Fraction(found) - as_number(claimed)) <= allowed

    verdict = "agree" if agrees(printed, tolerance) else "mismatch"
    if verdict == "mismatch":
        for entry in errata().itertuples():
            same = (entry.paper, entry.table, entry.item, entry.printed) == (paper, table, item, printed)
            if same and agrees(entry.correct, half_unit(entry.correct)):
                verdict = "erratum"
    if in_words:
        return found, math.nan, math.nan, verdict
    return float(found), float(Fraction(found) - as_number(printed)), float(tolerance), verdict
