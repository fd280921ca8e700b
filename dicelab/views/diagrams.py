"""Diagrams of the course: pictures that explain an argument rather than show a result, sorted by lecture.

Every function draws on the matplotlib Axes `ax`, or on a new figure if `ax` is None, and returns the Axes. None of them
solves a game.
"""

from itertools import pairwise

import numpy as np

from .._extras import extra
from .._validation import check_int, invalid
from .style import COLOURS, on_axes

with extra("plots"):
    from matplotlib.patches import FancyArrowPatch, Rectangle

__all__ = ["cobweb", "pairs_grid"]

BLUE, ORANGE, GREEN, *_, GREY = COLOURS


# Lecture 7: why the recursion of a race is circular, and only within a pair of scores


@on_axes(figsize=(4.6, 4.6))
def pairs_grid(size, a, b, *, ax=None):
    """The grid of pairs of scores: a bust leads from (a, b) to (b, a) and back, a hold to a smaller sum.

    Each cell is a pair (mover's need, opponent's need). The cells whose sum is smaller than a + b are shaded, because
    backward induction has solved them. Dotted lines join pairs with the same sum.

    Parameters
    ----------
    size : int
        The largest need, in points.
    a, b : int
        Two different needs, in 1, …, `size`.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Examples
    --------
    >>> ax = pairs_grid(6, 4, 2)
    """
    size = check_int(size, "size", 2)
    a, b = check_int(a, "a", 1, size), check_int(b, "b", 1, size)
    if a == b:
        raise invalid("b", b, "another need than a; a pair of equal needs is its own mirror image")
    for x in range(1, size + 1):
        for y in range(1, size + 1):
            colour = "#dceaf4" if x + y < a + b else "white"
            ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=colour, edgecolor="#bdbdbd", linewidth=0.6))
    for total in range(2, 2 * size + 1):
        low, high = max(1, total - size), min(size, total - 1)
        ax.plot([low, high], [total - low, total - high], color=GREY, linestyle=":", linewidth=0.8, zorder=1)
    for x, y, colour in ((a, b, ORANGE), (b, a, BLUE)):
        ax.add_patch(Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor="none", edgecolor=colour, linewidth=2, zorder=4))
        name = "(a, b)" if x == a else "(b, a)"
        ax.text(x, y, name, ha="center", va="center", color=colour, fontsize=9, zorder=5, weight="bold")
        for k in range(1, x):  # the mover holds k points, and the opponent is then to move
            _arrow(ax, (x, y), (y, x - k), colour, 0.08, 0.8, 3)
    _arrow(ax, (a, b), (b, a), "black", 0.35, 1.6, 15)
    _arrow(ax, (b, a), (a, b), "black", 0.35, 1.6, 15)
    for colour, label, width in (
        ("black", "bust", 1.6),
        (ORANGE, "hold, from (a, b)", 0.8),
        (BLUE, "hold, from (b, a)", 0.8),
    ):
        ax.plot([], [], color=colour, linewidth=width, label=label)
    ax.plot([], [], color=GREY, linestyle=":", linewidth=0.8, label="the same sum")
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)
    ax.set(xlim=(0.4, size + 0.6), ylim=(0.4, size + 0.6), aspect="equal", xticks=range(1, size + 1))
    ax.set(yticks=range(1, size + 1), xlabel="need of the player to move (points)", ylabel="opponent's need (points)")


def _arrow(ax, start, end, colour, bend, width, shrink):
    """A bent arrow from the centre of a cell to the centre of another, which stops short of both."""
    look = {"arrowstyle": "->", "mutation_scale": 10, "color": colour, "linewidth": width, "zorder": 3}
    ax.add_patch(FancyArrowPatch(start, end, connectionstyle=f"arc3,rad={bend}", shrinkA=15, shrinkB=shrink, **look))


# Lecture 8: Newton's method for a pair of scores


@on_axes(figsize=(4.8, 4.6))
def cobweb(f, g, guesses, rounds=0, *, zoom=None, ax=None):
    """Newton's method for x = f(g(x)) as a cobweb: each tangent leads from the curve to the next guess on the diagonal.

    Parameters
    ----------
    f, g : callable
        Decreasing functions of a number in [0, 1].
    guesses : sequence of numbers
        Newton's guesses for x, in order; the last is the solution.
    rounds : int
        Rounds of value iteration, x ← f(g(x)), that are drawn as a staircase from the first guess.
    zoom : tuple, optional
        The least and the largest x shown; by default 0 and 1.

    Raises
    ------
    ValueError
        If `rounds` is negative.

    Examples
    --------
    >>> ax = cobweb(lambda y: 1 - y / 2, lambda x: 1 - x / 2, [0, 2 / 3], rounds=3)
    """
    check_int(rounds, "rounds", 0)
    low, high = zoom or (0, 1)
    at = np.linspace(low, high, 801)
    ax.plot(at, at, color=GREY, linewidth=0.8, label="diagonal")
    ax.plot(at, [float(f(g(x))) for x in at], color=BLUE, label="f(g(x))")
    x, stairs = guesses[0], [(guesses[0], guesses[0])]
    for _ in range(rounds):
        after = f(g(x))
        stairs += [(x, after), (after, after)]
        x = after
    if rounds:
        across, up = np.array(stairs, dtype=float).T
        ax.plot(across, up, color=GREEN, linestyle="--", linewidth=0.9, label=f"value iteration, {rounds} rounds")
    for k, (x, after) in enumerate(pairwise(guesses)):
        x, value, after = float(x), float(f(g(x))), float(after)
        ax.plot([x, x], [x, value], color=ORANGE, linestyle=":", linewidth=1)
        ax.plot([x, after], [value, after], color=ORANGE, label=None if k else "Newton's tangents")
        ax.plot([x], [value], "o", color=ORANGE, markersize=4)
    for k, x in enumerate(map(float, guesses)):
        if low <= x <= high and all(abs(x - float(other)) > 0.06 * (high - low) for other in guesses[:k]):
            beside = (-16, 2) if x > (low + high) / 2 else (5, 2)
            ax.annotate(f"x{chr(0x2080 + k)}", (x, low), beside, textcoords="offset points", color=ORANGE, va="bottom")
            ax.plot([x, x], [low, x], color=ORANGE, linestyle=":", linewidth=0.7)
    ax.plot([float(guesses[-1])], [float(guesses[-1])], "o", color="black", markersize=5, zorder=4, label="solution")
    ax.set(xlim=(low, high), ylim=(low, high), aspect="equal", xlabel="x (probability)", ylabel="f(g(x)) (probability)")
    ax.legend(loc="upper left")
