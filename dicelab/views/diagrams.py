"""Diagrams of the lectures: decisions and chance moves as trees, circles of dice, boxes around a solution.

Every function draws on the matplotlib Axes `ax`, or on a new figure if `ax` is None, and returns the Axes. No function
here solves a game.
"""

from .._extras import extra
from .style import COLOURS, on_axes

with extra("plots"):
    from matplotlib.patches import Rectangle

__all__ = ["dice_circle", "nested_boxes", "response_backup"]

BLUE, ORANGE, GREEN, *_, GREY = COLOURS
STATE = {"boxstyle": "circle,pad=0.35", "facecolor": "white", "edgecolor": BLUE, "linewidth": 1.3}
CHANCE = {"boxstyle": "round,pad=0.4", "facecolor": "#eeeeee", "edgecolor": GREY, "linewidth": 1.0}
ACTION = {"boxstyle": "circle,pad=0.12", "facecolor": "black", "edgecolor": "black"}


def _node(ax, at, text, box):
    """A text in a box."""
    return ax.text(*at, text, ha="center", va="center", bbox=box, zorder=3)


def _arrow(ax, start, end, text="", *, shift=(0, 0), bend=0.0, colour="0.25", style="-|>"):
    """An arrow between two points, with a text beside its middle."""
    look = {"arrowstyle": style, "color": colour, "shrinkA": 2, "shrinkB": 2, "linewidth": 1.1}
    ax.annotate("", end, start, arrowprops=look | {"connectionstyle": f"arc3,rad={bend}"}, zorder=1)
    x, y = ((a + b) / 2 + move for a, b, move in zip(start, end, shift, strict=True))
    ax.text(x, y, text, ha="center", va="center", color=colour, fontsize=8.5, zorder=4)


# Lecture 15


@on_axes(figsize=(7.6, 3.9))
def response_backup(*, ax=None):
    """The decision process against a fixed opponent: one decision, and the opponent's whole turn as a chance move.

    Examples
    --------
    >>> ax = response_backup()
    """
    _node(ax, (0.5, 2.0), "a, b, k", STATE)
    for y, name in ((3.2, "hold"), (0.8, "roll")):
        _arrow(ax, (0.85, 2.0 + (0.25 if y > 2 else -0.25)), (1.95, y), name, shift=(-0.2, 0.2 if y > 2 else -0.2))
        _node(ax, (2.0, y), " ", ACTION)
    _arrow(ax, (2.1, 3.2), (3.55, 3.2), "bank k points", shift=(0, 0.18))
    _node(ax, (4.35, 3.2), "friend's turn\nI need r = a − k", CHANCE)
    _arrow(ax, (2.1, 0.85), (3.7, 1.8), "bust, $p_0$", shift=(-0.2, 0.15), colour=ORANGE)
    _node(ax, (4.35, 2.0), "friend's turn\nI need r = a", CHANCE)
    _arrow(ax, (2.1, 0.75), (3.75, 0.5), "face d, $p_d$", shift=(-0.1, -0.2))
    _node(ax, (4.35, 0.5), "a, b, k + d", STATE)
    for y in (3.2, 2.0):
        _arrow(ax, (5.15, y), (6.8, 3.45), "wins, $q_b(b)$" if y > 3 else "", shift=(0, 0.25))
        _arrow(ax, (5.15, y), (6.65, 2.1), "m points, $q_b(m)$" if y < 3 else "", shift=(0.1, -0.22))
    _node(ax, (7.2, 3.45), "lost: 0", CHANCE)
    _node(ax, (7.2, 2.1), "r, b − m, 0", STATE)
    _arrow(ax, (3.72, 2.15), (0.85, 2.03), "he busts, too, $\\beta = q_b(0)$", shift=(0.05, 0.2), colour=ORANGE)
    ax.text(0.5, 1.3, "k = 0", ha="center", color=ORANGE, fontsize=8.5)
    ax.set(xlim=(0, 7.9), ylim=(-0.1, 4.0))
    ax.axis("off")


# Lecture 16


@on_axes(figsize=(4.4, 3.3))
def dice_circle(payments, *, ax=None):
    """Three actions of which each beats another: an arrow leads from the better one to the one that it beats.

    Parameters
    ----------
    payments : pandas.DataFrame
        The payment to the row player, for three actions; antisymmetric.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = dice_circle(pd.DataFrame([[0, -0.2, 0.1], [0.2, 0, -0.3], [-0.1, 0.3, 0]]))
    """
    places = dict(zip(payments.index, ((0.0, 0.0), (2.0, 3.0), (4.0, 0.0)), strict=True))
    for one in places:
        for other in places:
            if payments.loc[one, other] > 0:
                (x0, y0), (x1, y1) = places[one], places[other]
                start, end = ((x0 + t * (x1 - x0), y0 + t * (y1 - y0)) for t in (0.15, 0.85))
                outward = {0.0: (0, -0.3), 1.0: (-0.65, 0.15), 3.0: (0.65, 0.15)}.get((x0 + x1) / 2, (0, -0.3))
                shift = (0, -0.3) if y0 == y1 else outward
                _arrow(ax, start, end, f"wins {payments.loc[one, other]:.4f}", shift=shift)
    for name, place in places.items():
        _node(ax, place, f"{name}\n{'die' if name == 1 else 'dice'}", STATE)
    ax.set(xlim=(-0.8, 4.8), ylim=(-0.8, 3.7))
    ax.axis("off")


# Lecture 17


@on_axes(figsize=(4.4, 4.2))
def nested_boxes(f, g, boxes, *, ax=None):
    """Boxes around the intersection of x = f(y) and y = g(x), each inside the one before.

    Parameters
    ----------
    f, g : dicelab.textbook.PiecewiseLinear
    boxes : sequence of tuple
        (lowest x, highest x, lowest y, highest y) of each box.

    Examples
    --------
    >>> from dicelab import pig, solve, textbook
    >>> f, g = textbook.curves(solve(pig(10), exact=True), 3, 5)
    >>> ax = nested_boxes(f, g, [(0, 1, 0, 1), (f(1), 1, g(1), 1)])
    """
    ax.plot(g.x, g.y, color=BLUE, label="y = g(x)")
    ax.plot(f.y, f.x, color=ORANGE, linestyle="--", label="x = f(y)")
    for number, (left, right, bottom, top) in enumerate(boxes):
        corner, width, height = (float(left), float(bottom)), float(right - left), float(top - bottom)
        look = {"facecolor": GREEN, "alpha": 0.12} if number else {"facecolor": "none"}
        ax.add_patch(Rectangle(corner, width, height, linewidth=0, **look))
        ax.add_patch(Rectangle(corner, width, height, facecolor="none", edgecolor=GREEN, linewidth=1))
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set(xlabel="x, win probability with needs a, b", ylabel="y, win probability with needs b, a")
    ax.legend(loc="lower left")
