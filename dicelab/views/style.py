"""Style of the figures, and how they are saved: the same results give the same bytes.

The colours are those of Okabe and Ito, which colour-blind readers can distinguish. The line styles differ in black and
white, too.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, ParamSpec

from .._extras import extra
from .._files import atomic_write
from .._validation import invalid

if TYPE_CHECKING:
    import pandas as pd

    with extra("plots"):
        from matplotlib.axes import Axes

P = ParamSpec("P")

# matplotlib is imported where it is used: verdicts, which are text, take their colours from here.

__all__ = ["COLOURS", "figures_in", "format_number", "on_axes", "save", "style", "whole_ticks"]

COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#595959"
INDEX = "figures.csv"
STYLE = {
    "figure.figsize": (5.2, 3.6),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "axes.linewidth": 0.7,
    "xtick.labelsize": 8.5,
    "ytick.labelsize": 8.5,
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "legend.fontsize": 8.5,
    "lines.markersize": 3.8,
    "hatch.linewidth": 0.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "svg.hashsalt": "dicelab",
    "svg.fonttype": "path",
}


@contextmanager
def style() -> Iterator[None]:
    """Apply the figures' style to the block; unlike ``plt.rc_context``, settings outside `STYLE` are not restored.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> with style():
    ...     figure, ax = plt.subplots()
    """
    with extra("plots"):
        from matplotlib import rcParams

    before = {key: rcParams[key] for key in STYLE}
    rcParams.update(STYLE)
    try:
        yield
    finally:
        rcParams.update(before)


def whole_ticks():
    """Ticks for one axis that are at whole numbers only."""
    with extra("plots"):
        from matplotlib.ticker import MaxNLocator

    return MaxNLocator("auto", integer=True, steps=[1, 2, 5, 10])


def on_axes(**options: Any) -> Callable[[Callable[P, None]], Callable[P, Axes]]:
    """Decorate a function that draws on `ax`: apply the style, and make a figure with `options` if `ax` is None."""

    with extra("plots"):
        import matplotlib.pyplot as plt

    def decorate(draw):
        draw.__annotations__["return"] = "Axes"  # of what it is decorated to

        @wraps(draw)
        def drawn(*results, ax=None, **choices):
            with style():
                if ax is None:
                    _, ax = plt.subplots(**options)
                draw(*results, ax=ax, **choices)
            return ax

        return drawn

    return decorate


def save(
    folder: str | os.PathLike,
    name: str,
    data: pd.DataFrame | pd.Series,
    ax: Axes | None = None,
    *,
    caption: str = "",
    alternative: str = "",
) -> None:
    """Write ``name.csv``, and ``name.svg`` if there is a figure. The same results give the same bytes.

    The table ``figures.csv`` in the folder lists the figures, with captions and alternative texts, in the order in
    which they were saved first.

    Parameters
    ----------
    folder : str or Path
        An existing folder. With "" nothing is written: a notebook that is only read leaves no files.
    name : str
    data : pandas.DataFrame or pandas.Series
        The data of the figure. It is rounded to 12 decimals, the accuracy of the results.
    ax : matplotlib.axes.Axes, optional
    caption : str, optional
        What the figure shows; it begins with the figure's number in the paper, if it has one.
    alternative : str, optional
        What one sees in the figure, in words, for those who do not see it.

    Raises
    ------
    ValueError
        If an argument is invalid. Nothing is written then.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> import pandas as pd
    >>> folder = TemporaryDirectory()
    >>> save(folder.name, "squares", pd.Series([0, 1, 4]))
    >>> Path(folder.name, "squares.csv").exists()
    True
    """
    if isinstance(folder, str) and not folder:
        return
    if not isinstance(name, str) or not name or name != Path(name).name or f"{name}.csv" == INDEX:
        raise invalid("name", name, "the name of a file, without a folder, other than 'figures'")
    if not isinstance(folder, str | os.PathLike) or not Path(folder).is_dir():
        raise invalid("folder", folder, "the path of an existing folder")
    with atomic_write(Path(folder) / f"{name}.csv") as part:
        rounded = data.map(lambda value: round(value, 12) if isinstance(value, float) else value)
        rounded.to_csv(part, index=data.index.names != [None], lineterminator="\n")
    if ax is not None:
        words = {
            key: text for key, text in (("Title", caption), ("Description", alternative)) if text
        }
        # Pictures within have 600 dots per inch.
        with style(), atomic_write(Path(folder) / f"{name}.svg") as part:
            ax.figure.savefig(
                part, format="svg", dpi=600, metadata={"Date": None, "Creator": "dicelab"} | words
            )
        listed = {row["name"]: row for row in figures_in(folder)}
        listed[name] = {"name": name, "caption": caption, "alternative": alternative}
        with (
            atomic_write(Path(folder) / INDEX) as part,
            part.open("w", encoding="utf-8", newline="") as file,
        ):
            table = csv.DictWriter(file, ["name", "caption", "alternative"], lineterminator="\n")
            table.writeheader()
            table.writerows(listed.values())


def figures_in(folder):
    """The figures that :func:`save` has saved in a folder.

    Returns
    -------
    list of dict
        For each the name, caption and alternative, all str; empty if the folder has no ``figures.csv``.
    """
    path = Path(folder) / INDEX
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def format_number(number):
    """A number with 12 significant digits, as text. A text is returned unchanged."""
    return number if isinstance(number, str) else f"{number:.12g}"
