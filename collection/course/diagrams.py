"""Diagrams of the chapters: pictures that explain an idea rather than show a result.

Every function draws on the matplotlib Axes `ax`, or on a new figure if `ax` is None, and returns the Axes. No function
here solves a game. A picture that depends on nothing is a file. Alternative texts are in the notebooks, in the metadata
of the cells that draw.
"""

from fractions import Fraction
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from dicelab._extras import extra
from dicelab._validation import check_int
from dicelab.views.style import COLOURS, LOST, on_axes, style, whole_ticks

from ..papers.published import ROOT

with extra("plots"):
    import matplotlib.pyplot as plt
    from matplotlib.patches import Rectangle
with extra("papers"):
    from IPython.display import Image

__all__ = [
    "backup",
    "bust_as_discount",
    "choices_after_a_roll",
    "cobweb",
    "coin_race",
    "dice_circle",
    "drawing",
    "fill_backwards",
    "gradient_paths",
    "merging_histories",
    "nested_boxes",
    "newton_of_ratio",
    "power_of_a_test",
    "tangents_from_pauses",
    "trajectories",
    "transitions",
]

DRAWINGS = ROOT / "notebooks" / "lectures" / "drawings"
BLUE, ORANGE, GREEN, PINK, GREY = COLOURS
PALE = "#d5e6f2"  # of what is known
NEW = "#f7d9c4"  # of what is computed now


def drawing(name):
    """A drawing that depends on nothing, of ``notebooks/lectures/drawings``, an Image."""
    return Image(DRAWINGS / f"{name}.png", retina=True)


@on_axes(figsize=(7.2, 3.6))
def trajectories(turns, threshold, *, ax=None):
    """Turn totals from roll to roll, over the threshold at which they hold.

    Parameters
    ----------
    turns : sequence of sequence of int
        For each turn its totals in order, from 0 on. The last total is what the turn brings: 0 after a bust.
    threshold : int
        The turn total at which the policy holds, in points; drawn as a line.

    Examples
    --------
    >>> ax = trajectories([[0, 5, 11, 14, 20], [0, 4, 0]], threshold=20)
    """
    ax.axhline(threshold, color="0.4", linewidth=0.9, linestyle=":")
    for number, totals in enumerate(turns):
        # So that dots of different turns do not hide each other.
        shift = 0.16 * (number / max(len(turns) - 1, 1) - 0.5)
        rolls = [roll + shift for roll in range(len(totals))]
        bust = totals[-1] == 0
        cut = len(totals) - bust
        ax.plot(
            rolls[:cut],
            totals[:cut],
            color="0.75" if bust else BLUE,
            linewidth=0.8,
            zorder=1 + (not bust),
        )
        if bust:
            ax.plot(
                rolls[cut - 1 :],
                totals[cut - 1 :],
                color=ORANGE,
                linewidth=0.6,
                linestyle="--",
                zorder=1,
            )
        look = {"color": ORANGE, "marker": "x"} if bust else {"color": BLUE, "marker": "o"}
        ax.plot(rolls[-1:], totals[-1:], linestyle="none", zorder=3, **look)
    ax.plot([], [], color=BLUE, marker="o", label="holds")
    ax.plot([], [], color=ORANGE, marker="x", linestyle="--", label="busts")
    ax.text(0, threshold, f" hold at {threshold}", va="bottom")
    ax.xaxis.set_major_locator(whole_ticks())
    ax.set(xlabel="rolls of the turn", ylabel="turn total (points)")
    ax.legend(loc="lower right", bbox_to_anchor=(1, 0.08))


@on_axes(figsize=(7.2, 2.9))
def merging_histories(histories, steps, *, ax=None):
    """Histories that lead to the same state, and the rolls that may follow.

    Parameters
    ----------
    histories : sequence of sequence of int
        The faces of each history, in order. All have the same sum.
    steps : sequence of int
        The faces that score, for the states after the next roll.

    Examples
    --------
    >>> ax = merging_histories([(3, 5, 2), (6, 4)], steps=range(2, 7))
    """
    longest = max(map(len, histories))
    meeting = sum(histories[0])
    height = {number: len(histories) - 1 - 2 * number for number in range(len(histories))}
    circle = {"boxstyle": "circle,pad=0.35", "linewidth": 0.9}
    for number, faces in enumerate(histories):
        colour, total = (BLUE, ORANGE)[number % 2], 0
        places = [(longest - len(faces) + roll, height[number]) for roll in range(len(faces))] + [
            (longest, 0)
        ]
        for face, (x, y), (u, v) in zip(faces, places, places[1:], strict=False):
            arrow = {
                "arrowstyle": "-|>",
                "color": colour,
                "shrinkA": 15,
                "shrinkB": 17 if u == longest else 15,
            }
            ax.annotate("", (u, v), (x, y), arrowprops=arrow)
            ax.text(
                (x + u) / 2,
                (y + v) / 2 + 0.16,
                f"rolls {face}",
                color=colour,
                ha="center",
                va="bottom",
            )
            ax.text(
                x,
                y,
                str(total),
                ha="center",
                va="center",
                bbox=circle | {"fc": "white", "ec": colour},
            )
            total += face
    ax.text(
        longest,
        0,
        str(meeting),
        ha="center",
        va="center",
        bbox=circle | {"fc": PALE, "ec": "black"},
    )
    after = list(steps)
    for number, face in enumerate(after):
        y = 1.5 * (1 - 2 * number / max(len(after) - 1, 1))
        ax.annotate(
            "",
            (longest + 1.3, y),
            (longest, 0),
            arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 17},
        )
        ax.text(longest + 1.38, y, str(meeting + face), va="center")
    ax.text(longest, -0.62, "the same state,\nthe same future", ha="center", va="top", fontsize=8.5)
    ax.set(xlim=(-0.4, longest + 1.8), ylim=(-1.75, 1.75))
    ax.set_axis_off()


@on_axes(figsize=(8.2, 3.3))
def fill_backwards(values, faces, first, last, *, ax=None):
    """Backward induction from right to left: row by row one more value, with the values that it is made of.

    Parameters
    ----------
    values : dict or sequence of number
        V(k) by turn total k, at least for first, …, last + the largest face.
    faces : sequence of int
        The faces that score.
    first, last : int
        Turn totals: the last row fills in V(first). From `last` on the value is known at once, as there one holds.

    Examples
    --------
    >>> values = {20: 20, 21: 21, 22: 22, 23: 23, 24: 24, 25: 25, 19: 115 / 6, 18: 110 / 6}
    >>> ax = fill_backwards(values, range(2, 7), first=18, last=20)
    """
    faces, top = [*faces], last + max(faces) - 1
    for row, now in enumerate(range(last, first - 1, -1)):
        for total in range(now, top + 1):
            new = total == now < last
            used = now < last and total - now in faces
            colour = NEW if new else PALE if used else "white"
            edge = {
                "edgecolor": ORANGE if new else BLUE if used else "0.75",
                "linewidth": 1.2 if new else 0.7,
            }
            box = {"boxstyle": "square,pad=0.4", "facecolor": colour} | edge
            text = f"{float(values[total]):.2f}"
            ax.text(
                total,
                -row,
                text,
                ha="center",
                va="center",
                fontsize=7.5,
                bbox=box,
                zorder=3 if new else 2,
            )
        said = "hold" if now == last else f"V({now})"
        ax.text(
            first - 0.9,
            -row,
            said,
            ha="right",
            va="center",
            color="black" if now == last else ORANGE,
        )
    for total in range(first, top + 1):
        ax.text(total, 0.75, str(total), ha="center", va="center", color="0.3")
    ax.text(first - 0.9, 0.75, "turn total k", ha="right", va="center", color="0.3")
    ax.set(xlim=(first - 2.4, top + 0.7), ylim=(first - last - 0.6, 1.1))
    ax.set_axis_off()


@on_axes(figsize=(7.2, 3.4))
def backup(state, actions, values=None, *, ax=None):
    """The backup diagram of a state: its actions, and the states that each may lead to.

    States are open circles, actions are dots, and the end of the process is a square.

    Parameters
    ----------
    state : object
        Its name is written into the circle.
    actions : dict
        ``actions[name]`` is the pair (reward, moves), where moves is a dict of the probabilities of the next states.
        With the probability that is missing the process ends.
    values : dict, optional
        Numbers to write below next states, by state.

    Examples
    --------
    >>> ax = backup(18, {"hold": (18, {}), "roll": (0, {18 + face: 1 / 6 for face in range(2, 7)})}, {20: 20})
    """
    branches = {name: [*moves.items()] for name, (_, moves) in actions.items()}
    for moves in branches.values():
        left = 1 - sum(chance for _, chance in moves)
        if left > 1e-12:
            moves.append((None, left))
    x = 0.0
    middles = {}
    places = {}
    for name, moves in branches.items():
        places[name] = [x + number for number in range(len(moves))]
        middles[name] = sum(places[name]) / len(moves)
        x += len(moves) + 0.6
    top = (middles[min(middles, key=middles.get)] + middles[max(middles, key=middles.get)]) / 2
    line = {"color": "0.5", "linewidth": 0.8, "zorder": 1}
    circle = {"boxstyle": "circle,pad=0.35", "fc": "white"}
    for name, moves in branches.items():
        reward = actions[name][0]
        ax.plot([top, middles[name]], [2, 1], **line)
        ax.plot(middles[name], 1, "o", color="black", markersize=7, zorder=3)
        side, shift = ("right", -0.16) if middles[name] < top else ("left", 0.16)
        said = f"{name}\nreward {float(reward):g}"
        ax.text(middles[name] + shift, 1.12, said, ha=side, va="center", fontsize=8.5)
        for (after, chance), at in zip(moves, places[name], strict=True):
            ax.plot([middles[name], at], [1, 0], **line)
            share = Fraction(chance).limit_denominator(1000)
            # Where probabilities stand: closer to the next state.
            near = 0.42 if len(moves) > 1 else 0.5
            where = at + near * (middles[name] - at), near
            ax.text(
                *where,
                str(share),
                ha="center",
                va="center",
                fontsize=7.5,
                bbox={"fc": "white", "ec": "none", "pad": 0.8},
            )
            if after is None:
                ax.plot(at, 0, "s", color="0.35", markersize=9, zorder=3)
                ax.text(at, -0.32, "end", ha="center", va="top", fontsize=8.5)
                continue
            ax.text(at, 0, str(after), ha="center", va="center", bbox=circle)
            if values and after in values:
                ax.text(
                    at,
                    -0.32,
                    f"{float(values[after]):.4g}",
                    ha="center",
                    va="top",
                    fontsize=8.5,
                    color=BLUE,
                )
    ax.text(top, 2, str(state), ha="center", va="center", bbox=circle)
    if values:
        ax.text(-0.45, -0.32, "value", ha="right", va="top", fontsize=8.5, color=BLUE)
    ax.set(xlim=(-1.1, x - 0.2), ylim=(-0.75, 2.4))
    ax.set_axis_off()


@on_axes(figsize=(6.4, 3.6))
def transitions(state, actions, *, ax=None):
    """The transitions from a state: its actions, and what each may lead to, in words, with the probabilities.

    Parameters
    ----------
    state : str
        What the player sees.
    actions : dict of dict of Fraction
        ``actions[name][after]`` is the probability of what is named `after`; a probability of 1 is not written.

    Examples
    --------
    >>> half = Fraction(1, 2)
    >>> ax = transitions("turn total 5", {"hold": {"bank 5": 1}, "roll": {"bust": half, "turn total 6": half}})
    """
    rows = [(action, after) for action, chances in actions.items() for after in chances]
    heights = {row: -float(k) - 0.6 * list(actions).index(row[0]) for k, row in enumerate(rows)}
    middle = sum(heights.values()) / len(rows)
    box = {"boxstyle": "round,pad=0.35", "facecolor": "white", "edgecolor": BLUE}
    ax.text(0, middle, state, ha="center", va="center", bbox=box, zorder=3)
    for (action, chances), colour in zip(actions.items(), (BLUE, ORANGE), strict=False):
        centre = sum(heights[action, after] for after in chances) / len(chances)
        ax.plot([0, 2], [middle, centre], color=colour, zorder=1)
        ax.plot(2, centre, "o", color=colour, markersize=8, zorder=3)
        ax.text(1.9, centre + 0.28, action, ha="right", va="bottom", color=colour)
        for after, chance in chances.items():
            y = heights[action, after]
            ax.plot([2, 4], [centre, y], color=colour, linewidth=0.9, zorder=1)
            ax.text(
                4.1, y, str(chance) if chance != 1 else "", va="center", fontsize=8, color=colour
            )
            ax.text(4.75, y, after, va="center")
    ax.set(xlim=(-1, 8), ylim=(min(heights.values()) - 0.6, 0.9))
    ax.set_axis_off()


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
    bust = probabilities[0]
    faces = [face for face, chance in enumerate(probabilities) if chance and face]
    heights = [1 - 2 * number / max(len(faces), 1) for number in range(len(faces) + 1)]
    for left, title in (
        (0, "a roll may bust …"),
        (4.4, f"… or every roll survives, and γ = {1 - bust}"),
    ):
        discounted = left > 0
        ax.text(left + 1.3, 1.45, title, ha="center")
        _circle(ax, left, 0, "k", "white")
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
    ax.text(
        x,
        y,
        chance,
        ha="center",
        va="center",
        fontsize=8,
        bbox={"facecolor": "white", "linewidth": 0, "pad": 1},
    )
    ax.text(end[0] + 0.08, end[1], name, va="center", color=colour)


def _circle(ax, x, y, name, colour):
    """A state as a circle with its name."""
    look = {"boxstyle": "circle", "facecolor": colour, "edgecolor": "black", "linewidth": 0.8}
    ax.text(x, y, name, ha="center", va="center", bbox=look, zorder=3)


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
    ax.plot(
        policies["rolls"], policies["points"], "o", color=BLUE, label="hold at n", markersize=3.5
    )
    for number, (pause, hold) in enumerate(best.items()):
        x = float(policies["rolls"][hold])
        y = float(policies["points"][hold])
        slope = y / (x + pause)
        end = float(policies["rolls"].max())
        colour = COLOURS[1:][number % 4]
        label = f"pause {pause}: slope g = {slope:.3f}, hold at {hold}"
        ax.plot([-pause, end], [0, slope * (end + pause)], color=colour, linewidth=1, label=label)
        ax.plot(x, y, "o", color=colour, fillstyle="none", markersize=9)
        ax.plot(-pause, 0, "s", color=colour, markersize=4)
    top = 1.15 * float(policies["points"].max())
    ax.set(
        ylim=(0, top),
        xlabel="expected rolls of a turn; the pause to the left of 0",
        ylabel="expected points",
    )
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
    ax.plot(
        prices,
        [profit.max() for profit in profits],
        color=BLUE,
        label="F(g), the best profit of a turn",
    )
    for number, (price, after) in enumerate(pairwise(gains)):
        height = (points - price * (times + pause)).max()
        ax.plot(
            [price, price, after],
            [0, height, 0],
            color=ORANGE,
            linewidth=1,
            label="_" if number else "Newton",
        )
        ax.plot(price, height, "o", color=ORANGE)
    ax.axhline(0, color="black", linewidth=0.7)
    ax.plot(gains[-1], 0, "k*", markersize=11, label=f"gain g* = {float(gains[-1]):.4f}")
    ax.set(xlabel="price of time g (points per roll)", ylabel="expected profit of a turn (points)")
    ax.set_ylim(-0.35 * max(points), 1.1 * max(points))
    ax.legend()


@on_axes(figsize=(6.4, 3.4))
def coin_race(bust, *, ax=None):
    """The race to two points with a coin, as a graph of states (chapter 5).

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
    names = {
        "start": "V(0, 0)\nno points",
        "turn": "V(0, 1)\n1 in the turn",
        "banked": "V(1, 0)\n1 banked",
    }
    box = {"boxstyle": "round,pad=0.45", "facecolor": "white", "edgecolor": "0.4"}
    boxes = {
        place: ax.text(
            *point, names.get(place, "goal\n2 banked"), ha="center", va="center", bbox=box, zorder=3
        )
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
        look = {
            "arrowstyle": "-|>",
            "color": colour,
            "connectionstyle": f"arc3,rad={bend}",
            "linewidth": 1.4,
        }
        ends = {"patchA": boxes[start].get_bbox_patch(), "patchB": boxes[end].get_bbox_patch()}
        ax.annotate(
            "", places[end], places[start], arrowprops=look | ends | {"shrinkA": 1, "shrinkB": 1}
        )
        ax.text(*middle, name, ha=side, va="bottom", color=colour)
    for x, y in (places["start"], places["banked"]):  # tails leads back to the same state
        look = {
            "arrowstyle": "-|>",
            "color": ORANGE,
            "connectionstyle": "arc3,rad=-1.6",
            "linewidth": 1.4,
        }
        ax.annotate("", (x - 0.28, y - 0.22), (x + 0.28, y - 0.22), arrowprops=look)
        ax.text(x - 0.4, y - 0.58, tails, ha="right", va="center", color=ORANGE)
    ax.set(xlim=(-1.2, 4.7), ylim=(-2.05, 1.0))
    ax.set_axis_off()


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
        ax.plot(
            across,
            up,
            color=GREEN,
            linestyle="--",
            linewidth=0.9,
            label=f"value iteration, {rounds} rounds",
        )
    for k, (x, after) in enumerate(pairwise(guesses)):
        x, value, after = float(x), float(f(g(x))), float(after)
        ax.plot([x, x], [x, value], color=ORANGE, linestyle=":", linewidth=1)
        ax.plot([x, after], [value, after], color=ORANGE, label=None if k else "Newton's tangents")
        ax.plot([x], [value], "o", color=ORANGE, markersize=4)
    for k, x in enumerate(map(float, guesses)):
        if low <= x <= high and all(
            abs(x - float(other)) > 0.06 * (high - low) for other in guesses[:k]
        ):
            beside = (-16, 2) if x > (low + high) / 2 else (5, 2)
            ax.annotate(
                f"x{chr(0x2080 + k)}",
                (x, low),
                beside,
                textcoords="offset points",
                color=ORANGE,
                va="bottom",
            )
            ax.plot([x, x], [low, x], color=ORANGE, linestyle=":", linewidth=0.7)
    ax.plot(
        [float(guesses[-1])],
        [float(guesses[-1])],
        "o",
        color="black",
        markersize=5,
        zorder=4,
        label="solution",
    )
    ax.set(
        xlim=(low, high),
        ylim=(low, high),
        aspect="equal",
        xlabel="x (probability)",
        ylabel="f(g(x)) (probability)",
    )
    ax.legend(loc="upper left")


PIPS = {1: "5", 2: "19", 3: "159", 4: "1379", 5: "13579", 6: "134679"}  # on a square of nine places


@on_axes(figsize=(7.2, 3.4))
def power_of_a_test(edge, games, false_alarm=0.025, miss=0.2, *, ax=None):
    """Chapter 10: the share of wins in many games of equals, and of a player with an edge, with the line of a test.

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
    deviates = [NormalDist().inv_cdf(1 - error) for error in (false_alarm, miss)]
    line = 0.5 + deviates[0] * se
    share = np.linspace(0.5 - 4 * se, 0.5 + edge + 4 * se, 400)
    equal, better = (
        np.array([*map(NormalDist(mean, se).pdf, share)]) for mean in (0.5, 0.5 + edge)
    )
    ax.plot(share, equal, color=BLUE, label="equal players")
    ax.plot(share, better, color=ORANGE, linestyle="--", label=f"edge {edge:g}")
    ax.fill_between(
        share,
        equal,
        where=share >= line,
        color=BLUE,
        alpha=0.5,
        label=f"false alarm, {false_alarm:.1%}",
    )
    ax.fill_between(
        share, better, where=share <= line, color=ORANGE, alpha=0.3, label=f"missed, {miss:.0%}"
    )
    top = equal.max()
    ax.plot([line, line], [0, 1.12 * top], color="black", linewidth=0.9)
    arrows = {"arrowstyle": "<->", "linewidth": 0.8, "shrinkA": 0, "shrinkB": 0}
    ax.text(0.5 + edge, 1.09 * top, f"  {deviates[1]:.2f} se", va="center", fontsize=8.5)
    for start, end, height, text in (
        (0.5, line, 1.06, f"{deviates[0]:.2f} se"),
        (line, 0.5 + edge, 1.06, ""),
        (0.5, 0.5 + edge, 1.22, f"the edge: {sum(deviates):.2f} se"),
    ):
        ax.annotate("", (start, height * top), (end, height * top), arrowprops=arrows)
        ax.text(
            (start + end) / 2, (height + 0.03) * top, text, ha="center", va="bottom", fontsize=8.5
        )
    ax.set(
        xlabel=f"share of wins in {games:,} games",
        ylabel="density",
        ylim=(0, 1.38 * top),
        yticks=[],
    )
    ax.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


@on_axes(figsize=(7.2, 3.8))
def choices_after_a_roll(state, branches, *, ax=None):
    """Elective 17: a backup diagram in which chance comes first, and the choice after it.

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
            ax.plot(
                [2.4, 3.7], [centre, y], color=ORANGE, linewidth=2.6 if taken else 0.8, zorder=1
            )
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
        filled = ax.contourf(
            across, up, heights, levels=levels, cmap=LOST, norm="log", extend="min"
        )
        ax.figure.colorbar(filled, ax=ax, label=label, format="%.2g")
        for (name, path), colour in zip(paths.items(), ("white", COLOURS[1]), strict=False):
            ax.plot(*np.transpose(path), color=colour, label=name, linewidth=1.3)
            ax.plot(*path[-1], marker="o", color=colour, markersize=5)
        ax.legend(loc="upper right", labelcolor="black", frameon=True, facecolor="0.8")
        ax.set(xlabel="θ₁", ylabel="θ₂", xlim=reach[0], ylim=reach[1])
    return ax


STATE = {"boxstyle": "circle,pad=0.35", "facecolor": "white", "edgecolor": BLUE, "linewidth": 1.3}
CHANCE = {"boxstyle": "round,pad=0.4", "facecolor": "#eeeeee", "edgecolor": GREY, "linewidth": 1.0}
ACTION = {"boxstyle": "circle,pad=0.12", "facecolor": "black", "edgecolor": "black"}


def _box(ax, at, text, box):
    """A text in a box."""
    return ax.text(*at, text, ha="center", va="center", bbox=box, zorder=3)


def _named_arrow(ax, start, end, text="", *, shift=(0, 0), bend=0.0, colour="0.25", style="-|>"):
    """An arrow between two points, with a text beside its middle."""
    look = {"arrowstyle": style, "color": colour, "shrinkA": 2, "shrinkB": 2, "linewidth": 1.1}
    ax.annotate("", end, start, arrowprops=look | {"connectionstyle": f"arc3,rad={bend}"}, zorder=1)
    x, y = ((a + b) / 2 + move for a, b, move in zip(start, end, shift, strict=True))
    ax.text(x, y, text, ha="center", va="center", color=colour, fontsize=8.5, zorder=4)


@on_axes(figsize=(4.4, 3.3))
def dice_circle(payments, *, ax=None):
    """Three actions in a circle. Each beats the next one: an arrow leads from the winner to the loser.

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
                outward = {0.0: (0, -0.3), 1.0: (-0.65, 0.15), 3.0: (0.65, 0.15)}.get(
                    (x0 + x1) / 2, (0, -0.3)
                )
                shift = (0, -0.3) if y0 == y1 else outward
                _named_arrow(ax, start, end, f"wins {payments.loc[one, other]:.4f}", shift=shift)
    for name, place in places.items():
        _box(ax, place, f"{name}\n{'die' if name == 1 else 'dice'}", STATE)
    ax.set(xlim=(-0.8, 4.8), ylim=(-0.8, 3.7))
    ax.axis("off")


@on_axes(figsize=(4.4, 4.2))
def nested_boxes(f, g, boxes, *, ax=None):
    """Boxes around the intersection of x = f(y) and y = g(x), each inside the one before.

    Parameters
    ----------
    f, g : collection.course.textbook.PiecewiseLinear
    boxes : sequence of tuple
        (lowest x, highest x, lowest y, highest y) of each box.

    Examples
    --------
    >>> from collection import textbook
    >>> from dicelab import pig, solve
    >>> f, g = textbook.curves(solve(pig(10), exact=True), 3, 5)
    >>> ax = nested_boxes(f, g, [(0, 1, 0, 1), (f(1), 1, g(1), 1)])
    """
    ax.plot(g.x, g.y, color=BLUE, label="y = g(x)")
    ax.plot(f.y, f.x, color=ORANGE, linestyle="--", label="x = f(y)")
    for number, (left, right, bottom, top) in enumerate(boxes):
        corner = (float(left), float(bottom))
        width = float(right - left)
        height = float(top - bottom)
        look = {"facecolor": GREEN, "alpha": 0.12} if number else {"facecolor": "none"}
        ax.add_patch(Rectangle(corner, width, height, linewidth=0, **look))
        ax.add_patch(
            Rectangle(corner, width, height, facecolor="none", edgecolor=GREEN, linewidth=1)
        )
    ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
    ax.set(xlabel="x, win probability with needs a, b", ylabel="y, win probability with needs b, a")
    ax.legend(loc="lower left")
