"""Comparison: a DataFrame of printed and computed numbers that shows three digits more than were printed."""

import math
from html import escape
from typing import ClassVar

import pandas as pd
from pandas.io.formats.style import Styler

from dicelab.views.style import COLOURS, format_number

from .printed import read_number

__all__ = ["MOST_ROWS", "Comparison", "as_printed", "coverage", "laid_out", "verdicts"]

MORE = 3  # digits than were printed
NUMBERS = ("printed", "computed", "difference", "tolerance")
BLUE, ORANGE, *_ = COLOURS
MARKS = {  # of the verdicts, readable on white and on black
    "agree": f"border-left: 4px solid {BLUE}",
    "erratum": f"background: {ORANGE}; color: black; font-weight: bold",
    "quoted": "background: #d9d9d9; color: black",
    "mismatch": f"background: black; color: white; font-weight: bold; outline: 2px solid {ORANGE}",
}
WIDEST = 36  # characters of a column in the terminal
FORMS = {"difference": "+.1e", "tolerance": ".0e"}
MOST_ROWS = 500  # of a table; the verdicts on a longer one are counted
MOST_HEIGHT = "32em"  # of a comparison in a notebook, which is scrolled if it is longer


class Comparison(pd.DataFrame):
    """What :func:`collection.compare` returns. Its columns are numbers to compute with; only the display is rounded.

    Parts and concatenations of comparisons are comparisons. If all of it is from one table, `layout` is a pair: the key
    of each item, a dict of dicts, and the description of the table in ``data/datapackage.json``.
    """

    _metadata: ClassVar = ["layout"]
    layout = None

    @property
    def _constructor(self):
        return Comparison

    def to_string(self, *arguments, **options):
        """The table as text; see :meth:`pandas.DataFrame.to_string`."""
        return in_words(self).to_string(*arguments, **options)

    def __repr__(self):
        rows = pd.get_option("display.max_rows")
        text = self.to_string(
            max_rows=rows, show_dimensions=rows and len(self) > rows, max_colwidth=WIDEST
        )
        return "\n".join(filter(None, [text, coverage(self)]))

    def _repr_html_(self):
        if not _has_numbers(self):
            return pd.DataFrame(self)._repr_html_()
        return f'<div style="max-height: {MOST_HEIGHT}; overflow: auto">{verdicts(self).to_html()}</div>'


def _has_numbers(frame):
    """Whether a table made from a comparison still has printed numbers, computed ones and verdicts in its rows."""
    if not frame.columns.is_unique or not {"printed", "computed", "verdict"} <= set(frame.columns):
        return False
    return (
        frame["verdict"].isin(MARKS).all()
        and frame["printed"].map(lambda printed: isinstance(printed, str)).all()
    )


def coverage(comparison):
    """How many of the printed numbers were compared, a sentence; nothing for a part of a comparison."""
    counts = comparison.attrs
    if counts.get("compared") != len(comparison) or not _has_numbers(comparison):
        return ""
    more = f", keys without a row: {counts['left_out']:,}" if counts["left_out"] else ""
    return f"{counts['compared']:,} of {counts['rows']:,} rows compared{more}"


def in_words(comparison):
    """A comparison as a DataFrame of text; another table as it is."""
    table = pd.DataFrame(comparison)
    if not _has_numbers(table):
        return table
    words = {
        "computed": [
            with_digits(*pair) for pair in zip(table["computed"], table["printed"], strict=True)
        ]
    }
    for column, form in FORMS.items():
        if column in table.columns:
            words[column] = [
                "" if math.isnan(x) else f"{x:{form}}" if x else "0" for x in table[column]
            ]
    return table.assign(**words)


def with_digits(computed, printed):
    """A computed number with three decimals more than were printed; 12 digits of it beside a fraction.

    >>> with_digits(2 / 3, "0.667"), with_digits(2 / 3, "67%"), with_digits(2 / 3, "2/3"), with_digits("roll", "hold")
    ('0.666667', '0.66667', '0.666666666667', 'roll')
    """
    if isinstance(computed, str) or "/" in printed:
        return format_number(computed)
    try:
        places = read_number(printed).places or 0
    except ValueError:  # words are printed
        return format_number(computed)
    return f"{computed:.{max(0, places + MORE)}f}"


def verdicts(comparison: pd.DataFrame) -> Styler:
    """A comparison as a table with three digits more than were printed; errata and mismatches are marked.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As from :func:`collection.compare`.

    Returns
    -------
    pandas.io.formats.style.Styler

    Examples
    --------
    >>> from collection import compare
    >>> table = verdicts(compare("minimax-pig"))
    >>> "agree" in table.to_html()
    True
    """
    table = (
        in_words(comparison).reset_index(drop=True).style.hide(axis="index").format(escape="html")
    )
    sides = {column: "right" if column in NUMBERS else "left" for column in comparison.columns}
    for column, side in sides.items():
        space = "normal" if column == "item" else "nowrap"
        table = table.set_properties(subset=[column], **{"text-align": side, "white-space": space})
    heads = {
        column: [{"selector": "th", "props": f"text-align: {side}"}]
        for column, side in sides.items()
    }
    table = table.set_table_styles(heads).map(lambda verdict: MARKS[verdict], subset=["verdict"])
    if said := coverage(comparison):
        below = [{"selector": "caption", "props": "caption-side: bottom; text-align: left"}]
        table = table.set_caption(said).set_table_styles(below, overwrite=False)
    return table


def laid_out(comparison):
    """A comparison of one table with the rows, the columns and the names of the paper.

    The table's description says which columns run `across`, what the paper calls columns and entries (`heads`), how it
    names a row that has several keys (`lines`), and of which column it prints all numbers in one cell (`together`).

    Returns
    -------
    cells : pandas.DataFrame of str
        For each number, as printed, and below it the computed one and by how many units of the last printed digit it
        is larger. Fractions and words are exact: if they agree, nothing stands below. Empty where nothing is printed.
    verdicts : pandas.DataFrame of str
        The verdict on each, or "".

    Raises
    ------
    ValueError
        If it is not the whole or a part of one table, as from :func:`collection.compare`.
    """
    if getattr(comparison, "layout", None) is None or comparison["table"].nunique() > 1:
        raise ValueError(
            "comparison: it is not from one table; give what collection.compare returns for a table"
        )
    keys, description = comparison.layout
    heads, together = description.get("heads", {}), description.get("together")
    rows = [
        _cell(*row)
        for row in comparison[["printed", "computed", "difference", "verdict"]].itertuples(
            index=False
        )
    ]
    index = pd.DataFrame([keys[item] for item in comparison["item"]]).replace(heads)
    across = [name for name in description.get("across", []) if name != together]
    down = [name for name in index.columns if name not in (*across, together)]
    for name, line in description.get("lines", {}).items():
        index[name] = [line.format_map(key) for key in index.to_dict("records")]
        down = [name]
    flat = index.assign(_text=rows, _verdict=comparison["verdict"].to_numpy())
    if together:
        cells = flat.groupby([*down, *across], sort=False)
        # Of an agreement and an erratum in one cell the erratum counts, the last by the alphabet.
        index = flat = cells.agg({"_text": _in_one, "_verdict": "max"}).reset_index()
    lines = (
        pd.MultiIndex.from_frame(index[down].drop_duplicates())
        if down[1:]
        else index[down[0]].unique()
    )
    names = {"index": [heads.get(name, name) for name in down]}
    names["columns"] = [heads.get(name, name) for name in across] or None
    tables = []
    for column in ("_text", "_verdict"):
        table = flat.set_index([*down, *across])[column]
        if across:
            size = index.groupby(down)[across[0]].transform("size")
            order = size.sort_values(ascending=False, kind="stable").index  # the fullest row first
            table = table.unstack(across).reindex(columns=index.loc[order, across[0]].unique())
        else:
            table = table.to_frame(heads.get("printed", " "))
        tables.append(table.reindex(lines).rename_axis(**names).fillna(""))
    return tuple(tables)


def _in_one(texts):
    """One cell for several numbers, "19.19 (6.50)", with the computed ones below."""
    lines = zip(*(text.partition(" (")[0].split("\n") for text in texts), strict=True)
    return "\n".join(f"{first} ({', '.join(others)})" for first, *others in lines)


def _cell(printed, computed, difference, verdict):
    """The text of a cell of :func:`laid_out`."""
    if isinstance(computed, str) or "/" in printed or math.isnan(difference):
        return printed if verdict == "agree" else f"{printed}\n{format_number(computed)}"
    places = read_number(printed).places
    if places is None:
        return printed if not difference else f"{printed}\n{format_number(computed)}"
    units = difference * 10.0**places
    below = (
        f"{100 * computed:.{places - 2 + MORE}f}%"
        if "%" in printed
        else with_digits(computed, printed)
    )
    return f"{printed}\n{below} ({units:{'+.2f' if abs(units) < 1000 else '+,.0f'}})"


def as_printed(comparison: pd.DataFrame) -> Styler:
    """A comparison of one table in the form in which the paper prints it: its rows, columns, order and digits.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As from :func:`collection.compare` for one table, or a part of it.

    Returns
    -------
    pandas.io.formats.style.Styler
        Each number as printed. Below stands the computed one with three digits more and, in parentheses, the difference
        computed - printed in units of the last printed digit; where two numbers share a cell, both computed ones stand
        below. Errata have a color.

    Raises
    ------
    ValueError
        If it is not from one table.

    Examples
    --------
    >>> from collection import compare
    >>> "8/11" in as_printed(compare("generalized-pig", "table-2")).to_html()
    True
    """
    cells, told = laid_out(comparison)
    marks = told.map(lambda verdict: MARKS[verdict] if verdict not in ("", "agree") else "")
    shown = cells.map(_two_lines).style.apply(lambda _: marks, axis=None)
    shown = shown.set_properties(
        **{"text-align": "right", "line-height": "1.25", "white-space": "nowrap"}
    )
    if said := coverage(comparison):
        props = "caption-side: top; text-align: left; white-space: nowrap"
        caption = f"{comparison.layout[1]['title']}. {said}; errata in color"
        shown = shown.set_caption(caption).set_table_styles(
            [{"selector": "caption", "props": props}]
        )
    return shown


def _two_lines(text):
    """The text of a cell as HTML, the computed number small below the printed one."""
    printed, _, computed = escape(text).partition("\n")
    return (
        f'{printed}<br><span style="font-size: 80%; opacity: 0.75">{computed}</span>'
        if computed
        else printed
    )
