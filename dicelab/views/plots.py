"""Figures: functions that draw results on Axes: decisions, the landscape of hold thresholds, curves, tables.

Every function with a parameter `ax` draws on these matplotlib Axes, or on a new figure if `ax` is None, and returns
the Axes. No function here solves a game.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap

from .._validation import check_score, check_sequence, invalid
from .style import COLOURS, format_number, on_axes, save, style

__all__ = [
    "claims",
    "contours",
    "cost",
    "decisions",
    "digits",
    "disagreement",
    "first_player_advantage",
    "hold_thresholds",
]
__all__ += ["lines", "matrix", "pair_curves", "panels", "roll_ranges", "save", "surface", "verdicts"]

BLUE, ORANGE, GREEN, *_, GREY = COLOURS
DASHES = "-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))


@on_axes(figsize=(4.2, 4.0))
def pair_curves(f, g, solution, *, ax=None):
    """The two curves of one pair of scores and their intersection (Crocce and Mordecki 2018, Figure 1).

    Parameters
    ----------
    f, g : dicelab.textbook.PiecewiseLinear
        x = f(y) and y = g(x), the values to the players who need a and b points, in [0, 1].
    solution : tuple
        The intersection (x, y).
    """
    ax.plot(g.x, g.y, color=BLUE, marker="o", markersize=3.5, label="y = g(x)")
    ax.plot(f.y, f.x, color=ORANGE, linestyle="--", marker="s", markersize=3.5, label="x = f(y)")
    x, y = map(float, solution)
    ax.plot([x], [y], marker="o", markersize=9, fillstyle="none", color="black", linestyle="none")
    ax.annotate(f"({x:.4f}, {y:.4f})", (x, y), xytext=(9, 7), textcoords="offset points")
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
    ax.set(xlabel="x = v(a, b), win probability", ylabel="y = v(b, a), win probability")
    ax.legend(loc="lower left")


@on_axes()
def first_player_advantage(values, law=None, *, ax=None):
    """The first player's advantage by target, on logarithmic axes.

    Parameters
    ----------
    values : pandas.Series
        The first player's win probability by target.
    law : tuple, optional
        (constant, exponent) of a power law to draw with it.
    """
    ax.loglog(values.index, values - 0.5, color=BLUE, label="optimal play")
    if law:
        at = np.array([values.index.min(), values.index.max()])
        label = f"{law[0]:.3f} · target$^{{{law[1]:.3f}}}$, fitted to the tail"
        ax.loglog(at, law[0] * at ** law[1], color=ORANGE, linestyle="--", label=label)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set(xlabel="target N (points)", ylabel="v(N, N) − 1/2 (probability)")
    ax.legend()


@on_axes()
def cost(steps, exponent, *, ax=None):
    """The cost of solving by target, on logarithmic axes, with the paper's bound.

    Parameters
    ----------
    steps : pandas.Series
        The number of turn totals evaluated, by target.
    exponent : float
        The slope of the fitted line.
    """
    targets = steps.index.to_numpy(dtype=float)
    last, end = steps.iloc[-1], targets[-1]
    bound = targets**3 * np.log(targets)
    ax.loglog(targets, steps, color=BLUE, marker="o", markersize=4, label="turn totals evaluated")
    fitted, scaled = f"N$^{{{exponent:.2f}}}$, fitted", "N³ log N, the paper's bound (scaled)"
    ax.loglog(targets, last * (targets / end) ** exponent, color=ORANGE, linestyle="--", label=fitted)
    ax.loglog(targets, last * bound / bound[-1], color=GREY, linestyle=":", label=scaled)
    ax.set_xticks(targets, [f"{target:g}" for target in targets])
    ax.minorticks_off()
    ax.set(xlabel="target N (points)", ylabel="cost (turn totals evaluated)")
    ax.legend()


@on_axes()
def digits(lengths, *, ax=None):
    """The length of the exact values.

    Parameters
    ----------
    lengths : pandas.Series
        The number of digits of the denominator, by target.
    """
    ax.plot(lengths.index, lengths, color=BLUE)
    last, look = (lengths.index[-1], lengths.iloc[-1]), {"ha": "right", "va": "top", "color": BLUE}
    ax.annotate(f"{last[1]:,} digits", last, (0, -34), textcoords="offset points", **look)
    ax.set_yscale("log")
    ax.set(xlabel="target N (points)", ylabel="denominator of the value (digits)")


@on_axes(figsize=(5.2, 4.2))
def hold_thresholds(thresholds, *, ax=None):
    """The landscape of a policy as a map: the lowest turn total at which it holds, in colour, by both scores.

    Parameters
    ----------
    thresholds : ndarray of int, (target, target)
        As from ``policy.hold_thresholds()``: in points, [own, opponent]; target - own, if the policy rolls until it
        wins.
    """
    target = len(thresholds)
    wins = thresholds >= target - np.arange(target)[:, None]
    colours = plt.get_cmap("viridis").with_extremes(bad="#d9d9d9")
    image = ax.imshow(np.ma.array(thresholds, mask=wins).T, origin="lower", cmap=colours, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label="lowest turn total to hold at (points)")
    ax.set(xlabel="own score (points)", ylabel="opponent's score (points)", title="Gray: roll until you win")


@on_axes()
def lines(table, xlabel, ylabel, *, ax=None):
    """The columns of a table as lines over its index.

    Parameters
    ----------
    table : pandas.DataFrame
    xlabel, ylabel : str
        The names of the index and of the numbers, with units.
    """
    for k, name in enumerate(table.columns):
        dashes = DASHES[(k + k // len(COLOURS)) % len(DASHES)]  # from the sixth line on, other dashes for a colour
        ax.plot(table.index, table[name], color=COLOURS[k % len(COLOURS)], linestyle=dashes, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()


@on_axes(figsize=(5.4, 4.4), subplot_kw={"projection": "3d"})
def surface(thresholds, *, ax=None):
    """The landscape of a policy as a surface in three dimensions; see :func:`hold_thresholds`."""
    own, opponent = np.indices(thresholds.shape)
    look = {"cmap": "viridis", "rcount": 60, "ccount": 60, "linewidth": 0, "antialiased": False, "rasterized": True}
    ax.plot_surface(own, opponent, thresholds, **look)
    ax.set(xlabel="own score (points)", ylabel="opponent's score (points)", zlabel="hold at (points)")
    ax.view_init(elev=28, azim=-125)


@on_axes(figsize=(5.2, 4.2))
def contours(thresholds, *, ax=None):
    """The landscape of a policy as contours; see :func:`hold_thresholds`. ValueError if the target is 1."""
    if len(thresholds) < 2:
        raise ValueError("thresholds: one pair of scores has no contours; give a target of at least 2")
    levels = ax.contour(thresholds.T, levels=range(0, len(thresholds), 5), cmap="viridis", linewidths=1.1)
    ax.clabel(levels, fontsize=8)
    ax.set(xlabel="own score (points)", ylabel="opponent's score (points)")
    ax.set(title="lowest turn total to hold at (points)")


@on_axes(figsize=(5.2, 4.4))
def matrix(table, xlabel, ylabel, label, *, ax=None):
    """A table of numbers as a map of colours.

    Parameters
    ----------
    table : pandas.DataFrame
    xlabel, ylabel, label : str
        The names of the columns, the index and the numbers, with units.
    """
    corners = (table.columns[0] - 0.5, table.columns[-1] + 0.5, table.index[0] - 0.5, table.index[-1] + 0.5)
    image = ax.imshow(table, origin="lower", cmap="viridis", extent=corners, interpolation="nearest")
    ax.figure.colorbar(image, ax=ax, label=label)
    ax.set(xlabel=xlabel, ylabel=ylabel)


@on_axes(figsize=(4.2, 4.0))
def decisions(mask, opponent, *, ax=None):
    """The decisions against one opponent's score: roll in gray, hold in white.

    Parameters
    ----------
    mask : ndarray of bool, (target, target, target)
        As from ``policy.roll_mask()``: [own, opponent, turn total].
    opponent : int
    """
    _turn_map(mask[:, opponent].astype(int), ["white", "#a6a6a6"], opponent, ax)


@on_axes(figsize=(4.2, 4.0))
def disagreement(masks, opponent, *, ax=None):
    """The states where one of three policies decides differently from the other two, against one opponent's score.

    Parameters
    ----------
    masks : dict
        Three masks by the name of the policy, as from ``policy.roll_mask()``.
    opponent : int
    """
    rolls = np.array([mask[:, opponent] for mask in masks.values()])
    most = rolls.sum(axis=0) >= 2
    alone = (rolls != most) * np.array([2, 3, 4])[:, None, None]
    colours = {"all hold": "white", "all roll": "#d9d9d9"} | {
        f"{name}: alone": colour for name, colour in zip(masks, (BLUE, ORANGE, GREEN), strict=True)
    }
    _turn_map(np.where(alone.any(axis=0), alone.sum(axis=0), most), [*colours.values()], opponent, ax)
    for name, colour in colours.items():
        ax.plot([], [], "s", color=colour, markeredgecolor=GREY, markeredgewidth=0.5, label=name)
    ax.legend(loc="upper right", fontsize=7.5)


def _turn_map(kinds, colours, opponent, ax):
    """Draw a colour for every own score and turn total that does not reach the target."""
    target = len(kinds)
    own, total = np.indices((target, target))
    shown = np.ma.array(kinds, mask=own + total >= target).T
    look = {"cmap": ListedColormap(colours), "vmin": 0, "vmax": len(colours) - 1, "interpolation": "nearest"}
    ax.imshow(shown, origin="lower", **look)
    ax.plot([0, target], [target, 0], color="black", linewidth=0.8)
    ax.set(xlabel="own score (points)", ylabel="turn total (points)", title=f"opponent's score {opponent}")


def panels(draw, results, opponents):
    """One panel for each score of the opponent.

    Parameters
    ----------
    draw : callable
        :func:`decisions` or :func:`disagreement`.
    results : ndarray or dict
        The first argument of `draw`.
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
    opponents = check_sequence(opponents, "opponents", f"scores in 0, …, {target - 1}")
    opponents = [check_score(opponent, "opponents", target) for opponent in opponents]
    if not opponents:
        raise invalid("opponents", opponents, f"one or more scores in 0, …, {target - 1}")
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


def roll_ranges(masks, opponents):
    """The data of :func:`panels` as a table: the turn totals at which policies roll.

    Parameters
    ----------
    masks : dict
        As from ``policy.roll_mask()``, by name.
    opponents : sequence of int

    Returns
    -------
    pandas.DataFrame
        Columns policy, opponent, own, and rolls: the ranges of turn totals, for example "0-20 25-31".
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
    """A comparison as a table with enough digits to see the difference; errata and mismatches are marked.

    Parameters
    ----------
    comparison : pandas.DataFrame
        As from :func:`dicelab.compare`.

    Returns
    -------
    pandas.io.formats.style.Styler
    """
    colours = {"agree": f"color: {BLUE}", "erratum": f"color: {ORANGE}; font-weight: bold"}
    digits = {"computed": format_number, "difference": "{:.1e}", "tolerance": "{:.0e}"}
    table = comparison.style.hide(axis="index").format(digits, na_rep="")
    return table.map(lambda verdict: colours.get(verdict, "background: black; color: white"), subset=["verdict"])


def claims(checked):
    """A paper's claims as a table; those that do not hold everywhere are marked.

    Parameters
    ----------
    checked : pandas.DataFrame
        As from :func:`dicelab.papers.claims.check_claims`.

    Returns
    -------
    pandas.io.formats.style.Styler
    """
    colours = {"holds": BLUE, "holds with exceptions": GREEN, "does not hold": ORANGE}
    table = checked.style.hide(axis="index").set_properties(**{"text-align": "left", "white-space": "normal"})
    return table.map(lambda verdict: f"color: {colours.get(verdict, GREY)}; font-weight: bold", subset=["verdict"])
