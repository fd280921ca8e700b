"""Compare printed numbers with computed ones: tolerances and verdicts.

The tolerance follows from how the printed number was made. If the authors computed it, the tolerance is half a unit of
its last digit, and 0 for a fraction like 2/9. If they simulated it, it is 4 standard errors of their sample size. A
number outside its tolerance is a *mismatch*, unless the ledger ``data/errata.csv`` has it with two independent proofs
and a corrected value that agrees with the computed one: then it is an *erratum*. Words, for example the name of an
action, agree if they are equal.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from .._validation import check_real, invalid, short_repr
from .published import as_number, errata, half_unit, paper_of, published, resource

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["compare"]


def compare(
    paper: str, table: str | None = None, computed: Mapping[Any, Any] | pd.Series | None = None
) -> pd.DataFrame:
    """Compare printed numbers with computed ones.

    Parameters
    ----------
    paper : str
    table : str, optional
        By default all tables of the paper.
    computed : mapping or pandas.Series, optional
        Computed numbers by the key of a row of the table: the value of its first column, or the tuple of all columns
        but `printed`. Other rows are left out. By default the package computes all numbers. For a table that was
        simulated, pairs: the number, and its standard error after one game.

    Returns
    -------
    pandas.DataFrame
        A row for each number: table, item, printed (str), computed (float, or str where words are printed), difference
        (computed - printed), tolerance, and verdict, one of "agree", "erratum", "mismatch". It is displayed with three
        digits more than were printed, and in Jupyter the verdicts have colours.

    Raises
    ------
    ValueError
        If there is no such paper or table, `computed` is given without a table, or has an entry that is not a number.
    """
    import pandas as pd

    from ..views.verdicts import Comparison
    from .recipes import RECIPES  # with numba and scipy, which take longer to import than all else of dicelab

    tables = paper_of(paper).tables
    if table is not None:
        tables = [table]
    elif computed is not None:
        raise ValueError("table: None is not allowed together with computed numbers; name the table they are for")
    if computed is not None and not isinstance(computed, Mapping | pd.Series):
        raise invalid("computed", computed, "a mapping or a Series of numbers")
    rows = []
    for name in tables:
        printed, games = published(paper, name), resource(paper, name).get("games")
        columns = [column for column in printed.columns if column != "printed"]
        numbers = RECIPES[paper, name]() if computed is None else dict(computed)
        for *values, text in printed[[*columns, "printed"]].itertuples(index=False):
            key = values[0] if len(values) == 1 else tuple(values)
            if key in numbers:
                number, tolerance = _number_and_tolerance(numbers[key], f"computed[{short_repr(key)}]", text, games)
                item = ", ".join(f"{column} {value}" for column, value in zip(columns, values, strict=True))
                rows.append((name, item, text, *_judge(paper, name, item, text, number, tolerance)))
    columns = ["table", "item", "printed", "computed", "difference", "tolerance", "verdict"]
    return Comparison(rows, columns=columns)


def _number_and_tolerance(entry, field, printed, games):
    """A computed number, and the tolerance of the printed one; `games` is the sample size if it was simulated."""
    error = 0.0
    if games:
        if not isinstance(entry, tuple | list) or len(entry) != 2:
            raise invalid(field, entry, "a pair: the number, and its standard error after one game")
        entry, error = entry
    real = isinstance(entry, numbers.Real) and not isinstance(entry, bool)
    if not isinstance(entry, str) and not (real and (isinstance(entry, Fraction) or math.isfinite(entry))):
        raise invalid(field, entry, "a finite number, or a word where one is printed")
    check_real(error, field, 0)
    return entry, Fraction(4 * error / games**0.5) if games else half_unit(printed)


def _judge(paper, table, item, printed, computed, tolerance):
    """Computed number, difference, tolerance and verdict for one printed number, or for one printed word."""
    in_words = isinstance(computed, str)

    def agrees(claimed, allowed):
        return computed == claimed if in_words else abs(Fraction(computed) - as_number(claimed)) <= allowed

    verdict = "agree" if agrees(printed, tolerance) else "mismatch"
    if verdict == "mismatch":
        for entry in errata().itertuples():
            same = (entry.paper, entry.table, entry.item, entry.printed) == (paper, table, item, printed)
            if same and agrees(entry.correct, half_unit(entry.correct)):
                verdict = "erratum"
    if in_words:
        return computed, math.nan, math.nan, verdict
    return float(computed), float(Fraction(computed) - as_number(printed)), float(tolerance), verdict
