"""Diagrams of the course: figures that explain an idea, drawn from the numbers that a lecture has computed.

Every function draws on the Axes `ax`, or on a new figure if it is None, and returns the Axes. They
are sorted by lecture.
"""

import numpy as np

from .._extras import extra
from .style import COLOURS, on_axes

with extra("plots"):
    from scipy.stats import norm

__all__ = ["choices_after_a_roll", "power_of_a_test"]

BLUE, ORANGE, *_, GREY = COLOURS


@on_axes(figsize=(7.2, 3.4))
def power_of_a_test(edge, games, false_alarm=0.025, miss=0.2, *, ax=None):
    """Lecture 11: the share of wins in many games of equals, and of a player with an edge, with the line of a test.

    Parameters
    ----------
    edge : float
        Win probability above one half.
    games : int
    false_alarm, miss : float
        Probabilities of the two errors, each below one half.

    Examples
    --------
    >>> ax = power_of_a_test(edge=0.01, games=19622)
    """
    se = 0.5 / games**0.5
    line = 0.5 + norm.isf(false_alarm) * se
    share = np.linspace(0.5 - 4 * se, 0.5 + edge + 4 * se, 400)
    equal, better = norm.pdf(share, 0.5, se), norm.pdf(share, 0.5 + edge, se)
    ax.plot(share, equal, color=BLUE, label="equal players")
    ax.plot(share, better, color=ORANGE, linestyle="--", label=f"edge {edge:g}")
    ax.fill_between(share, equal, where=share >= line, color=BLUE, alpha=0.5, label=f"false alarm, {false_alarm:.1%}")
    ax.fill_between(share, better, where=share <= line, color=ORANGE, alpha=0.3, label=f"missed, {miss:.0%}")
    top = equal.max()
    ax.plot([line, line], [0, 1.12 * top], color="black", linewidth=0.9)
    arrows = {"arrowstyle": "<->", "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    deviates = norm.isf(false_alarm), norm.isf(miss)
    ax.text(0.5 + edge, 1.09 * top, f"  {deviates[1]:.2f} se", va="center", fontsize=8.5)
    for start, end, height, text in (
        (0.5, line, 1.06, f"{deviates[0]:.2f} se"),
        (line, 0.5 + edge, 1.06, ""),
        (0.5, 0.5 + edge, 1.22, f"the edge: {sum(deviates):.2f} se"),
    ):
        ax.annotate("", (start, height * top), (end, height * top), arrowprops=arrows)
        ax.text((start + end) / 2, (height + 0.03) * top, text, ha="center", va="bottom", fontsize=8.5)
    ax.set(xlabel=f"share of wins in {games:,} games", ylabel="density", ylim=(0, 1.38 * top), yticks=[])
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


@on_axes(figsize=(7.2, 3.8))
def choices_after_a_roll(state, branches, *, ax=None):
    """Lecture 18: a backup diagram in which chance comes first, and the choice after it.

    Parameters
    ----------
    state : str
        The name of the state before the roll.
    branches : list of tuple
        For each outcome of the roll its name, and a list of pairs: the name of a choice and its value, or None where
        values are not shown. The first of the largest values is drawn thick; an outcome without choices ends the turn.

    Examples
    --------
    >>> ax = choices_after_a_roll("start", [("nothing", []), ("5 5", [("5", 3.0), ("5 5", 2.5)])])
    """
    rows = sum(max(1, len(choices)) for _, choices in branches)
    middle, y = (rows - 1) / 2, 0.0
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": BLUE}
    ax.text(0, middle, state, ha="center", va="center", bbox=box)
    ax.plot(1.15, middle, "o", color=BLUE, markersize=11, zorder=3)
    ax.plot([0.3, 1.15], [middle, middle], color=BLUE, zorder=1)
    ax.text(0.74, middle - 0.12, "roll", ha="center", va="bottom", color=BLUE)
    for name, choices in branches:
        centre = y + (max(1, len(choices)) - 1) / 2
        ax.plot([1.15, 2.4], [middle, centre], color=GREY, linewidth=0.9, zorder=1)
        ax.plot(2.4, centre, "s", color=ORANGE if choices else GREY, markersize=11, zorder=3)
        if choices:
            ax.text(2.4, centre - 0.24, name, ha="center", va="bottom")
        known = [pair for pair in choices if pair[1] is not None]
        chosen, _ = max(known, key=lambda pair: pair[1], default=(None, None))
        for choice, value in choices:
            taken = choice == chosen
            ax.plot([2.4, 3.7], [centre, y], color=ORANGE, linewidth=2.6 if taken else 0.8, zorder=1)
            ax.text(
                3.75,
                y,
                choice if value is None else f"{choice}: {value:.3f}",
                va="center",
                fontweight="bold" if taken else "normal",
            )
            y += 1
        if not choices:
            ax.text(2.6, centre, f"{name}: the turn ends with 0", va="center", color=GREY)
            y += 1
    ax.set(xlim=(-0.6, 5.6), ylim=(rows - 0.4, -0.8))
    ax.axis("off")
