"""Figures: functions that take results and ``ax=None`` and return the Axes. They draw and never solve."""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from .comparison import in_digits
from .doors import as_items, as_score, refusal
from .style import COLOURS, drawing, save, style

__all__ = [
    "advantage",
    "contours",
    "cost",
    "decisions",
    "digits",
    "disagreement",
    "first_hold",
    "lines",
    "matrix",
    "panels",
    "polygons",
    "rolled",
    "save",
    "surface",
    "verdicts",
]

BLUE, ORANGE, GREEN, *_, GREY = COLOURS
DASHES = "-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))


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


@drawing()
def digits(lengths, *, ax=None):
    """How long the exact values get: the digits of their denominators, by target.

    Parameters
    ----------
    lengths : pandas.Series
        By target.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    ax.plot(lengths.index, lengths, color=BLUE)
    ax.annotate(
        f"{lengths.iloc[-1]:,} digits", (lengths.index[-1], lengths.iloc[-1]), (0, -34), textcoords="offset points",
        ha="right", va="top", color=BLUE,
    )  # fmt: skip
    ax.set_yscale("log")
    ax.set(xlabel="target N (points)", ylabel="denominator of the value (digits)")


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
    for k, name in enumerate(table.columns):
        dashes = DASHES[(k + k // len(COLOURS)) % len(DASHES)]  # from the sixth line on, other dashes for a colour
        ax.plot(table.index, table[name], color=COLOURS[k % len(COLOURS)], linestyle=dashes, label=name)
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
    """The roll/hold boundary as contours; see :func:`surface`. ValueError if the target is 1."""
    if len(lowest) < 2:
        raise ValueError("lowest: one pair of scores has no contours; give a target of at least 2")
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
    _landscape(mask[:, opponent].astype(int), ["white", "#a6a6a6"], opponent, ax)


@drawing(figsize=(4.2, 4.0))
def disagreement(masks, opponent, *, ax=None):
    """Where one of three policies decides otherwise than the other two, against one opponent's score.

    Parameters
    ----------
    masks : dict
        Three, by name, as from ``policy.roll_mask()``.
    opponent : int
        The opponent's score.
    ax : matplotlib.axes.Axes, optional

    Returns
    -------
    matplotlib.axes.Axes
    """
    rolls = np.array([mask[:, opponent] for mask in masks.values()])
    most = rolls.sum(axis=0) >= 2
    alone = (rolls != most) * np.array([2, 3, 4])[:, None, None]
    colours = {"all hold": "white", "all roll": "#d9d9d9"} | {
        f"{name}: alone": colour for name, colour in zip(masks, (BLUE, ORANGE, GREEN), strict=True)
    }
    _landscape(np.where(alone.any(axis=0), alone.sum(axis=0), most), [*colours.values()], opponent, ax)
    for name, colour in colours.items():
        ax.plot([], [], "s", color=colour, markeredgecolor=GREY, markeredgewidth=0.5, label=name)
    ax.legend(loc="upper right", fontsize=7.5)


def _landscape(kinds, colours, opponent, ax):
    """A colour for every own score and turn total that does not reach the target."""
    target = len(kinds)
    own, total = np.indices((target, target))
    shown = np.ma.array(kinds, mask=own + total >= target).T
    ax.imshow(
        shown, origin="lower", cmap=ListedColormap(colours), vmin=0, vmax=len(colours) - 1, interpolation="nearest"
    )
    ax.plot([0, target], [target, 0], color="black", linewidth=0.8)
    ax.set(xlabel="own score (points)", ylabel="turn total (points)", title=f"opponent's score {opponent}")


def panels(draw, results, opponents):
    """One panel for each score of the opponent.

    Parameters
    ----------
    draw : callable
        :func:`decisions` or :func:`disagreement`.
    results : ndarray or dict
        What it draws.
    opponents : sequence of int

    Returns
    -------
    matplotlib.axes.Axes
        The first panel.

    Raises
    ------
    ValueError
        If a score is not below the target.
    """
    target = len(next(iter(results.values())) if isinstance(results, dict) else results)
    opponents = as_items(opponents, "opponents", f"scores in 0, …, {target - 1}")
    opponents = [as_score(opponent, "opponents", target) for opponent in opponents]
    if not opponents:
        raise refusal("opponents", opponents, f"one or more scores in 0, …, {target - 1}")
    rows = -(-len(opponents) // 3)
    with style():
        _, axes = plt.subplots(rows, 3, figsize=(8.4, 2.9 * rows), sharex=True, sharey=True, squeeze=False)
        for ax, opponent in zip(axes.flat, opponents, strict=False):
            draw(results, opponent, ax=ax)
            ax.label_outer()
            if ax.get_legend() and opponent != opponents[0]:
                ax.get_legend().remove()
        for ax in axes.flat[len(opponents) :]:
            ax.set_visible(False)
    return axes.flat[0]


def rolled(masks, opponents):
    """The turn totals at which policies roll, as a table to keep beside :func:`panels`.

    Parameters
    ----------
    masks : dict
        As from ``policy.roll_mask()``, by name.
    opponents : sequence of int

    Returns
    -------
    pandas.DataFrame
        Columns policy, opponent, own, and rolls: the ranges of totals, as "0-20 25-31".
    """
    import pandas as pd

    rows = []
    for name, mask in masks.items():
        for opponent, own in product(opponents, range(len(mask))):
            edges = np.flatnonzero(np.diff(mask[own, opponent], prepend=False, append=False))
            ranges = " ".join(f"{start}-{end - 1}" for start, end in edges.reshape(-1, 2))
            rows.append((name, opponent, own, ranges))
    return pd.DataFrame(rows, columns=["policy", "opponent", "own", "rolls"])


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
    digits = {"computed": in_digits, "difference": "{:.1e}", "tolerance": "{:.0e}"}
    table = comparison.style.hide(axis="index").format(digits, na_rep="")
    return table.map(lambda verdict: colours.get(verdict, "background: black; color: white"), subset=["verdict"])
