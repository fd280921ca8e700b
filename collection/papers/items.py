"""The items of a paper in its notebook: figures with captions and alternative texts, tables beside the printed ones.

What can be said before anything is computed stands in ``data/published/<paper>/items.csv``: the kind of plot, its axes,
the printed numbers to mark, the caption and the alternative text.
"""

import pandas as pd

from dicelab._accuracy import ACCURACY
from dicelab._extras import extra
from dicelab.policies import Policy
from dicelab.views import plots
from dicelab.views.style import save

from .comparison import compare
from .published import NONE, as_described, paper_of, published
from .tables import MOST_ROWS, as_printed

with extra("plots"):
    import matplotlib.pyplot as plt

with extra("papers"):
    from IPython.display import Markdown, display

__all__ = ["Items", "best"]

PANELS = "decisions", "disagreement"  # plots with a panel for each of the parameter `opponents`


class Items:
    """Show the items of a paper, and write their files if the notebook's parameter `figures` names a folder.

    Parameters
    ----------
    paper : str
    given : dict
        The notebook's variables, ``globals()``, with its parameters.

    Examples
    --------
    >>> show_item = Items("minimax-pig", {"figures": "", "target": 200})
    >>> show_item("text", {"largest score that wins": 1}).empty
    True
    """

    def __init__(self, paper, given):
        self.paper, self.given = paper_of(paper), given
        self.rows = as_described(f"{self.paper.slug}/items").set_index("file")
        others = [f"{name} = {given[name]}" for name in self.paper.others_in(given)]
        self.as_printed = not others  # whether printed numbers can be compared
        if others:
            said = "printed numbers are for other parameters, and left out"
            display(Markdown(f"**{', '.join(others)}**: {said}."))

    def __call__(self, name, data=None, ax=None, **words):
        """Show an item.

        Parameters
        ----------
        name : str
            A table of printed numbers, or a file of ``items.csv``.
        data : mapping, pandas.DataFrame, pandas.Series, or Policy
            Of a table the computed numbers, as :func:`.compare` reads them. Of a figure what its kind of plot takes.
        ax : matplotlib.axes.Axes, optional
            A figure that is drawn already; `data` are then what is saved beside it.
        words
            What the caption and the alternative text leave open, beside the parameters.

        Returns
        -------
        pandas.DataFrame
            Of a table the comparison; of anything else the data as they are saved.
        """
        if name in self.paper.tables:
            return self._compared(name, data)
        row, words = self.rows.loc[name], self.given | words
        table = self._table(row["plot"], data)
        caption, marks = row["caption"].format_map(words), None
        if row["printed"] != NONE and self.as_printed:
            marks = self._marks(row["printed"], table)
            caption += f"; printed: {row['printed'].replace('-', ' ').title()}"
        if ax is None and row["plot"] != NONE:
            ax = self._drawn(row, data, marks)
        seen = row["alternative"].format_map(words)
        save(self.given["figures"], name, table, ax, caption=caption, alternative=seen)
        if ax is None:
            display(table)
        else:
            display(ax.figure, metadata={"image/png": {"alt": seen}})
            display(Markdown(f"*{caption}.*"))
            plt.close(ax.figure)
        return table

    def _table(self, plot, data):
        """The data of a figure as a table."""
        if isinstance(data, Policy):
            lowest = pd.DataFrame(data.hold_thresholds())
            return lowest.rename_axis(index="own score", columns="opponent's score")
        if plot in PANELS:
            return plots.roll_ranges(data, self.given["opponents"])
        return data

    def _drawn(self, row, data, marks):
        """The axes of a figure that is drawn from its data alone."""
        draw = getattr(plots, row["plot"])
        if row["plot"] in PANELS:
            shown = data if len(data) > 1 else next(iter(data.values()))
            return plots.panels(draw, shown, self.given["opponents"])
        labels = [row[axis] for axis in ("x", "y") if row[axis] != NONE]
        return draw(data, *labels, **({} if marks is None else {"marks": marks}))

    def _compared(self, name, computed):
        """The comparison of a table, which is shown as the paper prints it; of nothing at other parameters.

        Of a long table the verdicts are counted.
        """
        if not self.as_printed:
            computed = {}
        found = compare(self.paper.slug, name, computed, strict=False, leave=self.given["figures"])
        if len(found) > MOST_ROWS:
            display(found["verdict"].value_counts().to_frame(found.layout[1]["title"]))
        elif len(found):
            display(as_printed(found))
        return found

    def _marks(self, name, table):
        """The printed numbers with the index and the columns of a table of ours."""
        printed = published(self.paper.slug, name)
        *keys, _ = printed.columns
        marks = printed.set_index(keys)["printed"].astype(float)
        across = keys[-1] if keys[1:] else None  # the names of columns begin with it
        marks = (
            marks.unstack().add_prefix(f"{across} ") if across else marks.to_frame(table.columns[0])
        )
        return marks.reindex(table.index).dropna(how="all")


def best(numbers):
    """Where a series is largest, in words: all entries within 1e-12 of each other, "23" or "22, 23".

    Parameters
    ----------
    numbers : pandas.Series

    Examples
    --------
    >>> best(pd.Series({22: 0.4, 23: 0.5, 24: 0.5 - 1e-14}))
    '23, 24'
    """
    return ", ".join(map(str, numbers.index[numbers > numbers.max() - ACCURACY]))
