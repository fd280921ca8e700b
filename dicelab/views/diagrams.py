"""Diagrams for the lectures: drawings that explain an idea, sorted by lecture."""

from .style import COLOURS, on_axes

__all__ = ["coin_race"]

BLUE, ORANGE, *_ = COLOURS


@on_axes(figsize=(6.4, 3.4))
def coin_race(bust, *, ax=None):
    """The race to two points with a coin, as a graph of states (lecture 4).

    Parameters
    ----------
    bust : Fraction or float
        The probability of tails, a bust. Heads scores 1.

    Examples
    --------
    >>> from fractions import Fraction
    >>> ax = coin_race(Fraction(1, 4))
    """
    places = {"start": (0, 0), "turn": (2, 0), "banked": (2, -1.3), "goal": (4, 0)}
    names = {"start": "V(0, 0)\nno points", "turn": "V(0, 1)\n1 in the turn", "banked": "V(1, 0)\n1 banked"}
    box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": "0.4"}
    boxes = {
        place: ax.text(*point, names.get(place, "goal\n2 banked"), ha="center", va="center", bbox=box, zorder=3)
        for place, point in places.items()
    }
    heads, tails = f"heads {1 - bust}", f"tails {bust}"
    arrows = [  # from, to, bend, name, where the name is, how it is aligned, colour
        ("start", "turn", 0, heads, (0.95, 0.08), "center", BLUE),
        ("turn", "goal", 0, f"roll: {heads}", (3.05, 0.08), "center", BLUE),
        ("turn", "start", 0.55, f"roll: {tails}", (1, 0.7), "center", ORANGE),
        ("turn", "banked", 0, "hold", (2.06, -0.72), "left", "0.3"),
        ("banked", "goal", 0.25, heads, (3.6, -1.0), "left", BLUE),
    ]
    for start, end, bend, name, middle, side, colour in arrows:
        look = {"arrowstyle": "-|>", "color": colour, "connectionstyle": f"arc3,rad={bend}", "linewidth": 1.4}
        ends = {"patchA": boxes[start].get_bbox_patch(), "patchB": boxes[end].get_bbox_patch()}
        ax.annotate("", places[end], places[start], arrowprops=look | ends | {"shrinkA": 1, "shrinkB": 1})
        ax.text(*middle, name, ha=side, va="bottom", color=colour)
    for x, y in (places["start"], places["banked"]):  # tails leads back to the same state
        look = {"arrowstyle": "-|>", "color": ORANGE, "connectionstyle": "arc3,rad=-1.6", "linewidth": 1.4}
        ax.annotate("", (x - 0.28, y - 0.22), (x + 0.28, y - 0.22), arrowprops=look)
        ax.text(x - 0.4, y - 0.58, tails, ha="right", va="center", color=ORANGE)
    ax.set(xlim=(-1.2, 4.7), ylim=(-2.05, 1.0))
    ax.set_axis_off()
