"""Comparison: a DataFrame of printed and computed numbers that shows three digits more than were printed."""

import math

import pandas as pd

from .._printed import read_number
from .style import COLOURS, format_number

__all__ = ["Comparison", "coverage", "styled"]

MORE = 3  # digits than were printed
NUMBERS = ("printed", "computed", "difference", "tolerance")
BLUE, ORANGE, *_ = COLOURS
MARKS = {  # of the verdicts, readable on white and on black
    "agree": f"border-left: 4px solid {BLUE}",
    "erratum": f"background: {ORANGE}; color: black; font-weight: bold",
    "mismatch": f"background: black; color: white; font-weight: bold; outline: 2px solid {ORANGE}",
}
WIDEST = 36  # characters of a column in the terminal
FORMS = {"difference": "+.1e", "tolerance": ".0e"}
MOST_HEIGHT = "32em"  # of a comparison in a notebook, which is scrolled if it is longer


class Comparison(pd.DataFrame):
    """What :func:`dicelab.compare` returns. Its columns are numbers to compute with; only the display is rounded.

    Parts and concatenations of comparisons are comparisons.
    """

    @property
    def _constructor(self):
        return Comparison

    def to_string(self, *arguments, **options):
        """The table as text; see :meth:`pandas.DataFrame.to_string`."""
        return in_words(self).to_string(*arguments, **options)

    def __repr__(self):
        rows = pd.get_option("display.max_rows")
        text = self.to_string(max_rows=rows, show_dimensions=rows and len(self) > rows, max_colwidth=WIDEST)
        return "\n".join(filter(None, [text, coverage(self)]))

    def _repr_html_(self):
        if not _has_numbers(self):
            return pd.DataFrame(self)._repr_html_()
        return f'<div style="max-height: {MOST_HEIGHT}; overflow: auto">{styled(self).to_html()}</div>'


def _has_numbers(frame):
    """Whether a table made from a comparison still has printed numbers, computed ones and verdicts in its rows."""
    if not frame.columns.is_unique or not {"printed", "computed", "verdict"} <= set(frame.columns):
        return False
    return frame["verdict"].isin(MARKS).all() and frame["printed"].map(lambda printed: isinstance(printed, str)).all()


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
    words = {"computed": [with_digits(*pair) for pair in zip(table["computed"], table["printed"], strict=True)]}
    for column, form in FORMS.items():
        if column in table.columns:
            words[column] = ["" if math.isnan(x) else f"{x:{form}}" if x else "0" for x in table[column]]
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


def styled(comparison):
    """A comparison as a pandas Styler; see :func:`dicelab.views.plots.verdicts`."""
    table = in_words(comparison).reset_index(drop=True).style.hide(axis="index").format(escape="html")
    sides = {column: "right" if column in NUMBERS else "left" for column in comparison.columns}
    for column, side in sides.items():
        space = "normal" if column == "item" else "nowrap"
        table = table.set_properties(subset=[column], **{"text-align": side, "white-space": space})
    heads = {column: [{"selector": "th", "props": f"text-align: {side}"}] for column, side in sides.items()}
    table = table.set_table_styles(heads).map(lambda verdict: MARKS[verdict], subset=["verdict"])
    if said := coverage(comparison):
        below = [{"selector": "caption", "props": "caption-side: bottom; text-align: left"}]
        table = table.set_caption(said).set_table_styles(below, overwrite=False)
    return table
