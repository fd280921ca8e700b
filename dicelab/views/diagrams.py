"""Diagrams of the lectures, in their order: what is too long to be drawn in a cell."""

from .._extras import extra
from .style import COLOURS, style

with extra("plots"):
    import matplotlib.pyplot as plt
    from matplotlib.patches import FancyArrowPatch, Rectangle

__all__ = ["two_histories"]

BLUE, ORANGE, GREEN, _, GREY = COLOURS
PIPS = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}  # on a square of nine places


def _die(ax, x, y, face, size):
    """Draw one die with its centre at (x, y)."""
    ax.add_patch(Rectangle((x - size / 2, y - size / 2), size, size, facecolor="white", edgecolor="black", linewidth=1))
    for place in PIPS[face]:
        row, column = divmod(int(place) - 1, 3)
        ax.plot(x + (column - 1) * size * 0.29, y + (1 - row) * size * 0.29, "o", color="black", markersize=3.2)


def _node(ax, x, y, text, colour):
    """Write the name of a state in a box with its centre at (x, y)."""
    box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": colour, "linewidth": 1.6}
    ax.text(x, y, text, ha="center", va="center", bbox=box, fontsize=9.5)


def _arrow(ax, start, end, colour):
    """Draw an arrow from one point to another."""
    look = {"arrowstyle": "-|>", "mutation_scale": 12, "color": colour, "linewidth": 1.3}
    ax.add_patch(FancyArrowPatch(start, end, shrinkA=0, shrinkB=0, **look))


def two_histories():
    """Two rolls of two dice with the sum 8: they merge into one state of two-dice Pig, but not of Double Trouble.

    Returns
    -------
    ndarray of matplotlib.axes.Axes, (2,)
        Left two-dice Pig, right Double Trouble.

    Examples
    --------
    >>> left, right = two_histories()
    """
    merged = [("k = 8", 0.5, BLUE, ["hold", "roll"])] * 2
    apart = [("k = 8, m = 0", 0.72, BLUE, ["hold", "roll"]), ("k = 8, m = 1", 0.28, ORANGE, ["roll"])]
    with style():
        _, axes = plt.subplots(1, 2, figsize=(8.4, 2.6), sharex=True, sharey=True)
        for ax, title, ends in zip(axes, ["Two-dice Pig", "Double Trouble"], [merged, apart], strict=True):
            ax.set(xlim=(-0.12, 1.12), ylim=(0.12, 0.88), title=title)
            ax.set_axis_off()
            for faces, y, (name, height, colour, actions) in zip([(5, 3), (4, 4)], [0.72, 0.28], ends, strict=True):
                _arrow(ax, (0.06, 0.5), (0.20, y), GREY)
                for number, face in enumerate(faces):
                    _die(ax, 0.27 + 0.09 * number, y, face, 0.075)
                half = 0.03 + 0.0112 * len(name)  # of the box, in units of the axes
                _arrow(ax, (0.42, y), (0.69 - half, height), colour)
                for action, end in zip(actions, [height + 0.1, height - 0.1] if actions[1:] else [height], strict=True):
                    _arrow(ax, (0.69 + half, height), (0.97, end), colour)
                    ax.text(0.99, end, action, ha="left", va="center")
                _node(ax, 0.69, height, name, colour)
            _node(ax, 0.0, 0.5, "k = 0", GREY)
    return axes
