"""Figures: functions that take results and ``ax=None`` and return the Axes. They draw and never solve.

One look throughout: Okabe and Ito's colours, which colour-blind readers tell apart, and line styles that survive
a black-and-white print.
"""

import os
from contextlib import contextmanager
from functools import wraps
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

__all__ = [
    "advantage",
    "contours",
    "cost",
    "decisions",
    "first_hold",
    "lines",
    "matrix",
    "polygons",
    "save",
    "surface",
    "verdicts",
    "written_whole",
]

BLUE, ORANGE, GREEN, PURPLE, GREY = COLOURS = "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#595959"
STYLE = {
    "figure.figsize": (5.2, 3.6),
    "figure.dpi": 110,
    "figure.constrained_layout.use": True,
    "font.size": 9.5,
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.4,
    "legend.frameon": False,
    "svg.hashsalt": "dicelab",
    "svg.fonttype": "path",
}


@contextmanager
def style():
    """The house's style for what is drawn within; other settings are left alone, unlike by ``plt.rc_context``."""
    before = {key: plt.rcParams[key] for key in STYLE}
    plt.rcParams.update(STYLE)
    try:
        yield
    finally:
        plt.rcParams.update(before)


def drawing(**kind):
    """Decorate a function that draws on `ax`: in the house's style, on a new figure made with `kind` if ax is None."""

    def decorate(draw):
        @wraps(draw)
        def drawn(*results, ax=None):
            with style():
                if ax is None:
                    _, ax = plt.subplots(**kind)
                draw(*results, ax=ax)
            return ax

        return drawn

    return decorate


@contextmanager
def written_whole(path):
    """Give a temporary path to write to; on success rename it to `path`, else remove it."""
    path = Path(path)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield part
        os.replace(part, path)
    finally:
        part.unlink(missing_ok=True)


def save(folder, name, data, ax=None):
    """Write ``name.csv``, and ``name.svg`` if there is a figure, the same bytes for the same results.

    Parameters
    ----------
    folder : str or Path
        An existing folder; "" writes nothing, so that a notebook that is only read leaves no files.
    name : str
    data : pandas.DataFrame or pandas.Series
        What the figure draws. Rounded to 12 decimals, to which results are right.
    ax : matplotlib.axes.Axes, optional
    """
    if not folder:
        return
    with written_whole(Path(folder) / f"{name}.csv") as part:
        data.round(12).to_csv(part, index=data.index.names != [None], lineterminator="\n")
    if ax is not None:
        with style(), written_whole(Path(folder) / f"{name}.svg") as part:
            ax.figure.savefig(part, format="svg", metadata={"Date": None, "Creator": "dicelab"})


@drawing(figsize=(4.2, 4.0))
def polygons(f, g, meet, *, ax=None):
    """The two curves of one pair of scores and where they meet (Crocce and Mordecki 2018, Figure 1).

    Parameters
    ----------
    f, g : dicelab.textbook.Polygon
        x = f(y) and y = g(x), values to the player who needs a and to the one who needs b, in [0, 1].
    meet : tuple
        The solution (x, y).
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.plot(g.x, g.y, color=BLUE, marker="o", markersize=3.5, label="y = g(x)")
    ax.plot(f.y, f.x, color=ORANGE, linestyle="--", marker="s", markersize=3.5, label="x = f(y)")
    x, y = map(float, meet)
    ax.plot([x], [y], marker="o", markersize=9, fillstyle="none", color="black", linestyle="none")
    ax.annotate(f"({x:.4f}, {y:.4f})", (x, y), xytext=(9, 7), textcoords="offset points")
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
    ax.set(xlabel="x = v(a, b), win probability", ylabel="y = v(b, a), win probability")
    ax.legend(loc="lower left")


@drawing()
def advantage(values, law=None, *, ax=None):
    """The first player's advantage by target, on logarithmic axes.

    Parameters
    ----------
    values : pandas.Series
        The first player's win probability by target.
    law : tuple, optional
        (constant, exponent) of a power law to draw beside it.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.loglog(values.index, values - 0.5, color=BLUE, label="optimal play")
    if law:
        at = np.array([values.index.min(), values.index.max()])
        label = f"{law[0]:.3f} · target$^{{{law[1]:.3f}}}$, fitted to the tail"
        ax.loglog(at, law[0] * at ** law[1], color=ORANGE, linestyle="--", label=label)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel="target N (points)", ylabel="v(N, N) − 1/2 (probability)")
    ax.legend()


@drawing()
def cost(steps, exponent, *, ax=None):
    """What solving costs by target, on logarithmic axes, against the paper's bound.

    Parameters
    ----------
    steps : pandas.Series
        Turn totals evaluated by target.
    exponent : float
        Slope of the fitted line.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    targets = steps.index.to_numpy(dtype=float)
    last, end = steps.iloc[-1], targets[-1]
    bound = targets**3 * np.log(targets)
    ax.loglog(targets, steps, color=BLUE, marker="o", markersize=4, label="turn totals evaluated")
    ax.loglog(
        targets,
        last * (targets / end) ** exponent,
        color=ORANGE,
        linestyle="--",
        label=f"N$^{{{exponent:.2f}}}$, fitted",
    )
    ax.loglog(
        targets, last * bound / bound[-1], color=GREY, linestyle=":", label="N³ log N, the paper's bound (scaled)"
    )
    ax.set_xticks(targets, [f"{target:g}" for target in targets])
    ax.minorticks_off()
    ax.set(xlabel="target N (points)", ylabel="cost (turn totals evaluated)")
    ax.legend()


@drawing(figsize=(5.2, 4.2))
def first_hold(lowest, *, ax=None):
    """The lowest turn total at which a policy holds, for every pair of scores.

    Parameters
    ----------
    lowest : ndarray of int, (target, target)
        In points, [own, opponent]; target - own, where the policy rolls until it wins.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    target = len(lowest)
    wins = lowest >= target - np.arange(target)[:, None]
    colours = plt.get_cmap("viridis").with_extremes(bad="#d9d9d9")
    image = ax.imshow(np.ma.array(lowest, mask=wins).T, origin="lower", cmap=colours, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="lowest turn total to hold at (points)")
    ax.set(xlabel="own score (points)", ylabel="opponent's score (points)", title="Gray: roll until you win")


@drawing()
def lines(table, xlabel, ylabel, *, ax=None):
    """The columns of a table as lines over its index.

    Parameters
    ----------
    table : pandas.DataFrame
    xlabel, ylabel : str
        With units.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    looks = zip(COLOURS, ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))), strict=True)
    for name, (colour, dashes) in zip(table.columns, looks, strict=False):
        ax.plot(table.index, table[name], color=colour, linestyle=dashes, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()


@drawing(figsize=(5.4, 4.4), subplot_kw={"projection": "3d"})
def surface(lowest, *, ax=None):
    """The roll/hold boundary as a surface: the lowest turn total at which a policy holds, by both scores.

    Parameters
    ----------
    lowest : ndarray of int, (target, target)
        In points, [own, opponent].
    ax : mpl_toolkits.mplot3d.Axes3D, optional

    Returns
    -------
    mpl_toolkits.mplot3d.Axes3D
    """
    own, opponent = np.indices(lowest.shape)
    ax.plot_surface(
        own, opponent, lowest, cmap="viridis", rcount=60, ccount=60, linewidth=0, antialiased=False, rasterized=True
    )
    ax.set(xlabel="own score (points)", ylabel="opponent's score (points)", zlabel="hold at (points)")
    ax.view_init(elev=28, azim=-125)


@drawing(figsize=(5.2, 4.2))
def contours(lowest, *, ax=None):
    """The roll/hold boundary as contours; see :func:`surface`."""
    levels = ax.contour(lowest.T, levels=range(0, len(lowest), 5), cmap="viridis", linewidths=1.1)
    ax.clabel(levels, fontsize=8)
    ax.set(
        xlabel="own score (points)", ylabel="opponent's score (points)", title="lowest turn total to hold at (points)"
    )


@drawing(figsize=(5.2, 4.4))
def matrix(table, xlabel, ylabel, label, *, ax=None):
    """A table of numbers as a picture, a colour a number.

    Parameters
    ----------
    table : pandas.DataFrame
    xlabel, ylabel, label : str
        What the columns, the index and the numbers are, with units.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    corners = (table.columns[0] - 0.5, table.columns[-1] + 0.5, table.index[0] - 0.5, table.index[-1] + 0.5)
    image = ax.imshow(table, origin="lower", cmap="viridis", extent=corners, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=label)
    ax.set(xlabel=xlabel, ylabel=ylabel)


@drawing(figsize=(4.2, 4.0))
def decisions(mask, opponent, *, ax=None):
    """Roll or hold against one opponent's score; roll in gray.

    Parameters
    ----------
    mask : ndarray of bool, (target, target, target)
        As from ``policy.roll_mask()``: [own, opponent, turn total].
    opponent : int
        The opponent's score.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    target = len(mask)
    own, total = np.indices((target, target))
    shown = np.ma.array(mask[:, opponent], mask=own + total >= target)
    grays = ListedColormap(["white", "#a6a6a6"])
    ax.imshow(shown.T, origin="lower", cmap=grays, vmin=0, vmax=1, interpolation="nearest")
    ax.plot([0, target], [target, 0], color="black", linewidth=0.8)
    ax.set(xlabel="own score (points)", ylabel="turn total (points)", title=f"opponent's score {opponent}")


def verdicts(comparison):
    """A comparison as a table to read: digits enough to see the difference, and what does not agree in colour.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As from :func:`dicelab.compare`.

    Returns
    -------
    pandas.io.formats.style.Styler
    """
    colours = {"agree": f"color: {BLUE}", "erratum": f"color: {ORANGE}; font-weight: bold"}
    digits = {"computed": "{:.12g}", "difference": "{:.1e}", "tolerance": "{:.0e}"}
    table = comparison.style.hide(axis="index").format(digits)
    return table.map(lambda verdict: colours.get(verdict, "background: black; color: white"), subset=["verdict"])
