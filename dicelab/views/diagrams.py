"""Diagrams of the course: pictures that explain an idea rather than show a result.

The functions stand in the order of the lectures. Each draws with matplotlib and returns its Axes.
"""

import numpy as np

from .._extras import extra
from .style import COLOURS, on_axes, style

with extra("plots"):
    import matplotlib.pyplot as plt

__all__ = ["gradient_paths", "learning_targets", "tuning_maps"]


# Lecture 12


@on_axes(figsize=(7.2, 3.4))
def learning_targets(*, ax=None):
    """What the targets of Monte Carlo, Sarsa and Q-learning look at, as three backup diagrams.

    Open circles are states and filled circles are actions. Thick lines belong to the target.

    Examples
    --------
    >>> ax = learning_targets()
    """
    paths = {  # places of the nodes from the top down, an action and a state by turns
        "Monte Carlo": [[(0, 0), (0, -1), (0, -2), (0, -3), (0, -4)]],
        "Sarsa": [[(4, 0), (4, -1), (4, -2)]],
        "Q-learning": [[(8, 0), (8, -1), (7.3, -2)], [(8, 0), (8, -1), (8.7, -2)]],
    }
    for title, branches in paths.items():
        for branch in branches:
            ax.plot(*zip(*branch, strict=True), color=COLOURS[0], linewidth=2.5, zorder=1)
            ax.plot(*zip(*branch[::2], strict=True), "o", color="black", markersize=6, zorder=2)
            circles = {"marker": "o", "markersize": 13, "markerfacecolor": "white", "color": "black"}
            ax.plot(*zip(*branch[1::2], strict=True), linestyle="none", zorder=2, **circles)
        x = branches[0][0][0]
        ax.text(x, 0.7, title, ha="center", weight="bold")
        ax.text(x + 0.4, 0, "the pair (s, a)", va="center")
        ax.text(x + 0.4, -1, "the next state s′", va="center")
    ax.plot(0, -4, marker="s", markersize=13, color=COLOURS[4], zorder=3)
    ax.text(0.4, -2.5, "…", va="center")
    ax.text(0.4, -4, "the end: 1 if won, 0 if lost", va="center")
    ax.text(4.4, -2, "the action taken, a′", va="center")
    for x, word in ((7.3, "hold"), (8, "max"), (8.7, "roll")):
        ax.text(x, -1.72 if word == "max" else -2.45, word, ha="center", va="center")
    ax.set(xlim=(-0.8, 10.6), ylim=(-4.6, 1.2))
    ax.axis("off")


def tuning_maps(mean, spread, unit):
    """Two maps of numbers side by side: a mean over seeds, and its spread, for two parameters of a learner.

    Parameters
    ----------
    mean, spread : pandas.DataFrame
        By the step exponent (index) and the exploration rate (columns).
    unit : str
        Of the numbers.

    Returns
    -------
    ndarray of matplotlib.axes.Axes

    Examples
    --------
    >>> import pandas as pd
    >>> axes = tuning_maps(pd.DataFrame([[1.0, 2.0]]), pd.DataFrame([[0.5, 0.2]]), "loss")
    """
    with style():
        _, axes = plt.subplots(1, 2, figsize=(8.6, 3.6), sharey=True)
        top = np.log1p(mean.max(axis=None))
        for ax, table, title in zip(axes, (mean, spread), ("mean over seeds", "highest less lowest seed"), strict=True):
            shown = np.log1p(table.to_numpy())
            ax.imshow(
                shown, cmap="cividis_r", origin="lower", aspect="auto", vmin=0, vmax=np.log1p(mean.max(axis=None))
            )
            for (row, column), number in np.ndenumerate(table.to_numpy()):
                dark = shown[row, column] > 0.5 * top
                ax.text(column, row, f"{number:.1f}", ha="center", va="center", color="white" if dark else "black")
            ax.set_xticks(range(table.shape[1]), table.columns)
            ax.set_yticks(range(table.shape[0]), table.index)
            ax.set(xlabel="exploration rate ε", title=f"{unit}: {title}")
        axes[0].set_ylabel("step exponent ω")
    return axes


# Lecture 13


def gradient_paths(height, paths, label, reach=((0, 14), (-8, 1))):
    """Paths of two parameters over the contours of a function of both.

    Parameters
    ----------
    height : callable
        From an array of two parameters to a positive number.
    paths : dict of str to ndarray (steps, 2)
    label : str
        The name of the height, with its unit.
    reach : pair of pairs
        The least and the largest value of each parameter.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> ax = gradient_paths(lambda at: 1 + at @ at, {"path": np.array([[1.0, 1.0], [0.0, 0.0]])}, "height")
    """
    across, up = (np.linspace(*ends, 29) for ends in reach)
    heights = np.array([[height(np.array([x, y])) for x in across] for y in up])
    with style():
        ax = plt.subplots(figsize=(5.6, 3.9))[1]
        levels = np.geomspace(max(heights.min(), 1e-3), heights.max(), 12)
        filled = ax.contourf(across, up, heights, levels=levels, cmap="cividis_r", norm="log", extend="min")
        ax.figure.colorbar(filled, ax=ax, label=label, format="%.2g")
        for (name, path), colour in zip(paths.items(), ("white", COLOURS[1]), strict=False):
            ax.plot(*np.transpose(path), color=colour, label=name, linewidth=1.3)
            ax.plot(*path[-1], marker="o", color=colour, markersize=5)
        ax.legend(loc="upper right", labelcolor="black", frameon=True, facecolor="0.8")
        ax.set(xlabel="θ₁", ylabel="θ₂", xlim=reach[0], ylim=reach[1])
    return ax
