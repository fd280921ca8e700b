"""Diagrams of the course: trees, tangents and other drawings that explain an idea, sorted by lecture.

Every function draws on the matplotlib Axes `ax`, or on a new figure if `ax` is None, and returns the Axes.
"""

from itertools import pairwise

from .style import COLOURS, on_axes

__all__ = ["bust_as_discount", "newton_of_ratio", "tangents_from_pauses"]

BLUE, ORANGE, GREEN, PINK, GREY = COLOURS


# Lecture 3


@on_axes(figsize=(7.2, 3.1))
def bust_as_discount(probabilities, *, ax=None):
    """A roll drawn in two ways: with a branch to a bust, and with a discount before the faces that score.

    Parameters
    ----------
    probabilities : sequence of Fraction
        Of the faces 0, 1, 2, …; face 0 busts.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ax = bust_as_discount([Fraction(1, 3), Fraction(2, 3)])
    """
    bust, faces = probabilities[0], [face for face, chance in enumerate(probabilities) if chance and face]
    heights = [1 - 2 * number / max(len(faces), 1) for number in range(len(faces) + 1)]
    for left, title in ((0, "a roll may bust …"), (4.4, f"… or every roll survives, and γ = {1 - bust}")):
        discounted = left > 0
        ax.text(left + 1.3, 1.45, title, ha="center")
        _node(ax, left, 0, "k", "white")
        fork = left + 0.9 * discounted
        if discounted:
            ax.plot([left, fork], [0, 0], color=GREEN, linewidth=3)
            ax.text((left + fork) / 2 + 0.1, 0.16, f"· {1 - bust}", ha="center", color=GREEN)
        for face, y in zip(faces, heights, strict=False):
            chance = probabilities[face] / (1 - bust if discounted else 1)
            _branch(ax, (fork, 0), (left + 2.6, y), f"{chance}", f"k + {face}", BLUE)
        if not discounted:
            _branch(ax, (fork, 0), (left + 2.6, heights[-1]), f"{bust}", "bust: 0", ORANGE)
    ax.set(xlim=(-0.4, 8.0), ylim=(-1.3, 1.7))
    ax.axis("off")


def _branch(ax, start, end, chance, name, colour):
    """A line from a state to the next one, with its probability."""
    ax.plot(*zip(start, end, strict=True), color=colour, linewidth=1)
    x, y = (0.35 * a + 0.65 * b for a, b in zip(start, end, strict=True))
    ax.text(x, y, chance, ha="center", va="center", fontsize=8, bbox={"facecolor": "white", "linewidth": 0, "pad": 1})
    ax.text(end[0] + 0.08, end[1], name, va="center", color=colour)


def _node(ax, x, y, name, colour):
    """A state as a circle with its name."""
    look = {"boxstyle": "circle", "facecolor": colour, "edgecolor": "black", "linewidth": 0.8}
    ax.text(x, y, name, ha="center", va="center", bbox=look, zorder=3)


# Lecture 6


@on_axes(figsize=(7.0, 4.2))
def tangents_from_pauses(policies, others, best, *, ax=None):
    """Expected points against expected rolls of a turn, with the steepest line from each pause.

    Parameters
    ----------
    policies : pandas.DataFrame
        The columns ``rolls`` and ``points`` of the turns that hold at 1, 2, …, which are the index.
    others : array_like (n, 2)
        Expected rolls and points of other policies, drawn as a cloud.
    best : dict
        By pause, the number to hold at.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"rolls": [1, 1.5], "points": [0.5, 0.5]}, index=[1, 2])
    >>> ax = tangents_from_pauses(table, [[1.2, 0.4]], {0: 1, 2: 1})
    """
    ax.plot(*zip(*others, strict=True), ".", color="0.8", markersize=2, label="other policies")
    ax.plot(policies["rolls"], policies["points"], "o", color=BLUE, label="hold at n", markersize=3.5)
    for number, (pause, hold) in enumerate(best.items()):
        x, y = float(policies["rolls"][hold]), float(policies["points"][hold])
        slope, end, colour = y / (x + pause), float(policies["rolls"].max()), COLOURS[1:][number % 4]
        label = f"pause {pause}: slope g = {slope:.3f}, hold at {hold}"
        ax.plot([-pause, end], [0, slope * (end + pause)], color=colour, linewidth=1, label=label)
        ax.plot(x, y, "o", color=colour, fillstyle="none", markersize=9)
        ax.plot(-pause, 0, "s", color=colour, markersize=4)
    top = 1.15 * float(policies["points"].max())
    ax.set(ylim=(0, top), xlabel="expected rolls of a turn; the pause to the left of 0", ylabel="expected points")
    ax.legend(loc="upper left")


@on_axes(figsize=(6.4, 3.8))
def newton_of_ratio(policies, pause, gains, *, ax=None):
    """The best profit of a turn by the price of time: lines of policies, their upper envelope, and Newton's steps.

    Parameters
    ----------
    policies : pandas.DataFrame
        As in :func:`tangents_from_pauses`.
    pause : float
        Rolls between two turns.
    gains : sequence of float
        The prices of time that Dinkelbach's method tries, the last one being the best gain.

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"rolls": [1, 1.5], "points": [0.5, 0.6]}, index=[1, 2])
    >>> ax = newton_of_ratio(table, 1, [0, 0.24, 0.25])
    """
    points, times = (policies[name].astype(float).to_numpy() for name in ("points", "rolls"))
    prices = [step * 1.35 * float(max(gains)) / 200 for step in range(201)]
    profits = [points - price * (times + pause) for price in prices]
    ax.plot(prices, profits, color="0.85", linewidth=0.6, zorder=0)
    ax.plot(prices, [profit.max() for profit in profits], color=BLUE, label="F(g), the best profit of a turn")
    for number, (price, after) in enumerate(pairwise(gains)):
        height = (points - price * (times + pause)).max()
        ax.plot([price, price, after], [0, height, 0], color=ORANGE, linewidth=1, label="_" if number else "Newton")
        ax.plot(price, height, "o", color=ORANGE)
    ax.axhline(0, color="black", linewidth=0.7)
    ax.plot(gains[-1], 0, "k*", markersize=11, label=f"gain g* = {float(gains[-1]):.4f}")
    ax.set(xlabel="price of time g (points per roll)", ylabel="expected profit of a turn (points)")
    ax.set_ylim(-0.35 * max(points), 1.1 * max(points))
    ax.legend()
