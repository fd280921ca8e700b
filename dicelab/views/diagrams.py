"""Diagrams of the lectures: decision processes as pictures that explain, not results.

Every function draws on the matplotlib Axes `ax`, or on a new figure if `ax` is None, and returns the Axes. The
functions are sorted by lecture. Alternative texts are in the notebooks, in the metadata of the cells that draw.
"""

from fractions import Fraction

from .style import COLOURS, on_axes, whole_ticks

__all__ = ["backup", "fill_backwards", "merging_histories", "trajectories"]

BLUE, ORANGE, GREEN, PINK, GREY = COLOURS
PALE = "#d5e6f2"  # of what is known
NEW = "#f7d9c4"  # of what is computed now


# Lectures 1 and 2: one turn


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
        shift = 0.16 * (number / max(len(turns) - 1, 1) - 0.5)  # so that dots of different turns do not hide each other
        rolls = [roll + shift for roll in range(len(totals))]
        bust = totals[-1] == 0
        cut = len(totals) - bust
        ax.plot(rolls[:cut], totals[:cut], color="0.75" if bust else BLUE, linewidth=0.8, zorder=1 + (not bust))
        if bust:
            ax.plot(rolls[cut - 1 :], totals[cut - 1 :], color=ORANGE, linewidth=0.6, linestyle="--", zorder=1)
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
    longest, meeting = max(map(len, histories)), sum(histories[0])
    height = {number: len(histories) - 1 - 2 * number for number in range(len(histories))}
    circle = {"boxstyle": "circle,pad=0.35", "linewidth": 0.9}
    for number, faces in enumerate(histories):
        colour, total = (BLUE, ORANGE)[number % 2], 0
        places = [(longest - len(faces) + roll, height[number]) for roll in range(len(faces))] + [(longest, 0)]
        for face, (x, y), (u, v) in zip(faces, places, places[1:], strict=False):
            arrow = {"arrowstyle": "-|>", "color": colour, "shrinkA": 15, "shrinkB": 17 if u == longest else 15}
            ax.annotate("", (u, v), (x, y), arrowprops=arrow)
            ax.text((x + u) / 2, (y + v) / 2 + 0.16, f"rolls {face}", color=colour, ha="center", va="bottom")
            ax.text(x, y, str(total), ha="center", va="center", bbox=circle | {"fc": "white", "ec": colour})
            total += face
    ax.text(longest, 0, str(meeting), ha="center", va="center", bbox=circle | {"fc": PALE, "ec": "black"})
    after = list(steps)
    for number, face in enumerate(after):
        y = 1.5 * (1 - 2 * number / max(len(after) - 1, 1))
        ax.annotate(
            "", (longest + 1.3, y), (longest, 0), arrowprops={"arrowstyle": "-|>", "color": GREY, "shrinkA": 17}
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
            new, used = total == now < last, now < last and total - now in faces
            colour = NEW if new else PALE if used else "white"
            edge = {"edgecolor": ORANGE if new else BLUE if used else "0.75", "linewidth": 1.2 if new else 0.7}
            box = {"boxstyle": "square,pad=0.4", "facecolor": colour} | edge
            text = f"{float(values[total]):.2f}"
            ax.text(total, -row, text, ha="center", va="center", fontsize=7.5, bbox=box, zorder=3 if new else 2)
        said = "hold" if now == last else f"V({now})"
        ax.text(first - 0.9, -row, said, ha="right", va="center", color="black" if now == last else ORANGE)
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
    x, middles, places = 0.0, {}, {}
    for name, moves in branches.items():
        places[name] = [x + number for number in range(len(moves))]
        middles[name] = sum(places[name]) / len(moves)
        x += len(moves) + 0.6
    top = (middles[min(middles, key=middles.get)] + middles[max(middles, key=middles.get)]) / 2
    line, circle = {"color": "0.5", "linewidth": 0.8, "zorder": 1}, {"boxstyle": "circle,pad=0.35", "fc": "white"}
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
            near = 0.42 if len(moves) > 1 else 0.5  # where probabilities stand: closer to the next state
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
                ax.text(at, -0.32, f"{float(values[after]):.4g}", ha="center", va="top", fontsize=8.5, color=BLUE)
    ax.text(top, 2, str(state), ha="center", va="center", bbox=circle)
    if values:
        ax.text(-0.45, -0.32, "value", ha="right", va="top", fontsize=8.5, color=BLUE)
    ax.set(xlim=(-1.1, x - 0.2), ylim=(-0.75, 2.4))
    ax.set_axis_off()
