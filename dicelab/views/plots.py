"""Figures: functions that draw results on Axes: decisions, the landscape of hold thresholds, curves, tables.

Every function with a parameter `ax` draws on these matplotlib Axes, or on a new figure if `ax` is None, and returns
the Axes. No function here solves a game. Maps consist of shapes, not of pixels, so that they are sharp at every size;
see `dicelab.views.outlines`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from .._extras import extra
from .._validation import check_int, check_sequence, check_type, invalid
from ..games.model import LAST_TURN
from ..policies import Policy
from .outlines import cells
from .policy_maps import TO_THE_WIN, colours_of, middle_of
from .style import COLOURS, on_axes, save, style, whole_ticks

with extra("plots"):
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import CenteredNorm
    from matplotlib.patches import Patch

if TYPE_CHECKING:
    from ..solution import Solution

__all__ = [
    "BLUE",
    "COLOURS",
    "GREEN",
    "GREY",
    "ORANGE",
    "decisions",
    "digits",
    "disagreement",
    "first_player",
    "hold_at_n",
    "hold_thresholds",
    "lines",
    "matrix",
    "panels",
    "roll_ranges",
    "save",
    "seat_shares",
    "stems",
    "steps",
    "style",
    "surface",
]

BLUE, ORANGE, GREEN, *_, GREY = COLOURS
DASHES = "-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1))
MARKERS = "o", "s", "^", "D", "v"
LIGHT = "#d9d9d9"
ROLL, HOLD, NOT_POSSIBLE = (
    "#a6a6a6",
    "white",
    "#f3e8d2",
)  # light, dark and between them in black and white, too
ALL_ROLL, ALONE = "#d9d9d9", ("#004a7c", ORANGE, "#5cc3a0")  # from dark to light


@on_axes()
def first_player(
    table: pd.DataFrame | pd.Series | Mapping[str, pd.DataFrame | pd.Series],
    law: tuple | None = None,
    *,
    marks: pd.Series | None = None,
    ax: Axes | None = None,
) -> None:
    """The first player's advantage by target; on logarithmic axes unless some advantage is negative.

    Parameters
    ----------
    table : pandas.DataFrame, pandas.Series, or dict of these
        As from :func:`dicelab.first_player`, or the first player's win probability by target. For several games, a dict
        by name.
    law : tuple, optional
        (constant, exponent) of a power law to draw with the first game.
    marks : pandas.Series, optional
        Printed win probabilities of the first game by target, drawn as open points.

    Examples
    --------
    >>> from dicelab import first_player as advantages
    >>> ax = first_player(advantages("pig 50"))
    >>> ax = first_player({game: advantages(game) for game in ("pig 50", "piglet 50")})
    """
    games = table if isinstance(table, Mapping) else {"optimal play": table}
    advantages = [
        one["advantage"] if isinstance(one, pd.DataFrame) else one - 0.5 for one in games.values()
    ]
    for k, (name, advantage) in enumerate(zip(games, advantages, strict=True)):
        look = {"color": COLOURS[k % len(COLOURS)], "linestyle": DASHES[k % len(DASHES)]}
        ax.plot(advantage.index, advantage, label=name, **look)
    if marks is not None:
        ax.plot(marks.index, marks - 0.5, label="printed", **_open_points(BLUE))
    if all((advantage > 0).all() for advantage in advantages):
        ax.set(xscale="log", yscale="log")
    else:
        ax.axhline(0, color=GREY, linewidth=0.7)
    if law:
        constant, exponent = law
        at = np.array([advantages[0].index.min(), advantages[0].index.max()])
        power = "/√N" if exponent == -0.5 else f"·N$^{{{exponent:.3f}}}$"
        look = {"color": "black", "linestyle": ":", "label": f"{constant:.3f}{power}"}
        ax.plot(at, constant * at**exponent, **look)
    ax.xaxis.set_major_formatter("{x:g}")
    ax.yaxis.set_major_formatter("{x:g}")
    # Others overlap.
    ax.yaxis.set_minor_formatter(lambda y, _: f"{y:g}" if f"{y:.0e}"[0] in "25" else "")
    ax.set(xlabel="target N (points)", ylabel="win probability − 1/2")
    ax.legend()


@on_axes()
def hold_at_n(
    rates: pd.DataFrame, *, marks: pd.DataFrame | None = None, ax: Axes | None = None
) -> None:
    """The win probabilities of *hold at n*: curves against one opponent, or a map against every *hold at m*.

    The large dot marks the best n of those in the table, by the mean of moving first and second; the title names it.

    Parameters
    ----------
    rates : pandas.DataFrame
        As from :func:`dicelab.hold_at_n`.
    marks : pandas.DataFrame, optional
        Printed numbers, with the same columns, drawn as open points.

    Examples
    --------
    >>> from dicelab import hold_at_n as win_rates
    >>> ax = hold_at_n(win_rates("pig 50", range(10, 31)))
    >>> ax = hold_at_n(win_rates("pig 50", range(10, 31), against=range(10, 31)))
    """
    if "average" not in rates:
        label = "win probability of hold at n"
        matrix(
            rates, "m, moving second (points)", "n, moving first (points)", label, centre=0.5, ax=ax
        )
        return
    best = rates["average"].idxmax()
    average = rates["average"].max()
    names = {"first": "moving first", "average": "average", "second": "moving second"}
    curves = rates[[*names]].rename(columns=names)
    if marks is not None:
        marks = marks.reindex(rates.index).rename(columns=names)
    _draw_columns(ax, curves, marks)
    ax.axhline(0.5, color=GREY, linewidth=0.7, zorder=0, label="1/2")
    dot = {"color": ORANGE, "marker": "o", "markersize": 6.5, "markeredgecolor": "black"}
    ax.plot([best], [average], linestyle="none", zorder=4, label="best n, on average", **dot)
    among = f"{rates.index.min()}–{rates.index.max()}"
    ax.set_title(f"best n in {among}: {best} ({average:.4f})")
    _label(ax, curves, "n: hold at n (points)", "win probability of hold at n")


@on_axes()
def digits(lengths: pd.Series, *, ax: Axes | None = None) -> None:
    """The length of the exact values.

    Parameters
    ----------
    lengths : pandas.Series
        The number of digits of the denominator, by target.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> values = solve(pig(12), exact=True).by_target()
    >>> ax = digits(values.map(lambda value: len(str(value.denominator))))
    """
    ax.plot(lengths.index, lengths, color=BLUE)
    last = (lengths.index[-1], lengths.iloc[-1])
    look = {"ha": "right", "va": "top", "color": BLUE}
    ax.plot(*last, "o", color=BLUE)
    ax.annotate(f"{last[1]:,} digits", last, (3, -22), textcoords="offset points", **look)
    ax.set_yscale("log")
    ax.set(xlabel="target N (points)", ylabel="denominator of the value (digits)")


@on_axes(figsize=(5.2, 4.2))
def hold_thresholds(
    thresholds: Solution | Policy | np.ndarray,
    *,
    middle: int | None = None,
    unit: str = "points",
    ax: Axes | None = None,
) -> None:
    """The landscape of a policy as a map: the lowest turn total at which it holds, in colour, by both scores.

    The colours are those of :mod:`dicelab.views.policy_maps`: orange holds earlier than the middle, blue later.

    Parameters
    ----------
    thresholds : Solution, Policy, or ndarray of int, (target, target)
        An optimal policy, or numbers as from ``policy.hold_thresholds()``: in points, [own, opponent]; target - own, if
        the policy rolls until it wins. In a game with registers a policy is drawn with both players in the first.
    middle : int, optional
        The turn total that is white, at least 1. By default it is that of a turn for points alone, 20 in Pig, if a
        solution or a policy is given and its turn has one mode; else the lowest turn total to hold at when the game
        starts.
    unit : str
        What the scores count, for the labels; ``game.unit`` says it.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = hold_thresholds(solve(pig()))
    """
    game = getattr(thresholds, "game", None)
    thresholds = thresholds_of(thresholds)
    if (thresholds != np.round(thresholds)).any():
        allowed = "turn totals to hold at, whole numbers"
        raise invalid("thresholds", thresholds, allowed)
    middle = middle if middle is None else check_int(middle, "middle", 1)
    wins = to_the_win(thresholds)
    missing = len(thresholds) - np.arange(len(thresholds))
    last_turn = game is None or game.finish in LAST_TURN
    beyond = last_turn and (thresholds > missing[:, None]).any()  # not where a hold needs more
    gray = f"gray: roll {'to the target or beyond' if beyond else 'until you win'}"
    cells(ax, np.ma.array(wins, mask=~wins)).set(array=None, **TO_THE_WIN)
    holds = np.ma.array(thresholds, mask=wins)
    image = cells(ax, holds)
    label = {"label": f"lowest turn total to hold at ({unit})", "ticks": whole_ticks()}
    if not wins.all():
        middle = middle_of(holds, game) if middle is None else middle
        colours, label["ticks"] = colours_of(holds, middle)
        image.set(**colours)
        gray = f"white: hold at {middle}; {gray}"
    gray += f"; both {game.registers[0].name}" if game and game.registers else ""
    ax.figure.colorbar(image, ax=ax, **label)
    ax.set(
        xlabel=f"own score ({unit})",
        ylabel=f"opponent's score ({unit})",
        title=gray[0].upper() + gray[1:],
    )


def thresholds_of(given):
    """The lowest turn totals to hold at, of a solution, a policy, or as they are."""
    policy = getattr(given, "policy", given)
    thresholds = np.asarray(policy.hold_thresholds() if isinstance(policy, Policy) else policy)
    if thresholds.ndim != 2:
        third = (
            "; hold_with_third draws those of three players"
            if getattr(policy, "players", 2) != 2
            else ""
        )
        raise invalid(
            "thresholds", given, f"a solution, a policy, or an array [own, opponent]{third}"
        )
    game = getattr(policy, "game", None)
    if not (game and game.registers):
        return thresholds
    places = [game.index(points) for points in range(game.target)]  # in the first register
    return thresholds[np.ix_(places, places)]


def to_the_win(thresholds):
    """Whether the policy rolls until it wins, for each pair of scores."""
    target = len(thresholds)
    return thresholds >= target - np.arange(target)[:, None]


@on_axes()
def lines(
    table: pd.DataFrame,
    xlabel: str,
    ylabel: str,
    *,
    marks: pd.DataFrame | None = None,
    ax: Axes | None = None,
) -> None:
    """The columns of a table as lines over its index.

    Parameters
    ----------
    table : pandas.DataFrame
    xlabel, ylabel : str
        The names of the index and of the numbers, with units.
    marks : pandas.DataFrame, optional
        Printed numbers, drawn as open points in the colour of their column. Its index and its columns are parts of
        those of `table`; what is not printed is NaN.

    Raises
    ------
    ValueError
        If `marks` has a column or a row that `table` does not have.

    Examples
    --------
    >>> import pandas as pd
    >>> ax = lines(pd.DataFrame({"n²": [0, 1, 4, 9], "2n": [0, 2, 4, 6]}), "n", "value")
    """
    _draw_columns(ax, table, marks)
    _label(ax, table, xlabel, ylabel)


@on_axes()
def steps(table: pd.DataFrame, xlabel: str, ylabel: str, *, ax: Axes | None = None) -> None:
    """The columns of a table as steps: functions of whole numbers, such as scores, whose values are whole numbers.

    Parameters
    ----------
    table : pandas.DataFrame
        Its index has whole numbers; the step of each is centred on it.
    xlabel, ylabel : str
        The names of the index and of the numbers, with units.

    Examples
    --------
    >>> import pandas as pd
    >>> from dicelab import pig, solve
    >>> thresholds = solve(pig()).policy.hold_thresholds()
    >>> table = pd.DataFrame({"at 0": thresholds[:, 0], "at 60": thresholds[:, 60]})
    >>> ax = steps(table, "own score (points)", "lowest turn total to hold at (points)")
    """
    _draw_columns(ax, table, drawstyle="steps-mid")
    _label(ax, table, xlabel, ylabel)


@on_axes()
def stems(table: pd.DataFrame, xlabel: str, ylabel: str, *, ax: Axes | None = None) -> None:
    """The columns of a table as stems: probabilities of whole numbers.

    Parameters
    ----------
    table : pandas.DataFrame
        Its index has whole numbers. The stems of several columns stand side by side.
    xlabel, ylabel : str
        The names of the index and of the numbers, with units.

    Examples
    --------
    >>> from dicelab import hold_at, pig, evaluate
    >>> turns = evaluate(pig(20), hold_at(10), hold_at(10)).turns_distribution()
    >>> ax = stems(turns[:20].to_frame("both hold at 10"), "turns", "probability")
    """
    number = len(table.columns)
    for k, name in enumerate(table.columns):
        shown = table[name].dropna()
        colour = COLOURS[k % len(COLOURS)]
        at = shown.index + (k - (number - 1) / 2) * 0.6 / number
        ax.vlines(at, 0, shown, color=colour, linewidth=0.8)
        look = {
            "marker": MARKERS[(k + k // len(COLOURS)) % len(MARKERS)],
            "markersize": 3.2,
            "linestyle": "none",
        }
        ax.plot(at, shown, color=colour, label=name, **look)
    ax.set_ylim(bottom=0)
    _label(ax, table, xlabel, ylabel)


def _draw_columns(ax, table, marks=None, **look):
    """Draw each column as a line of its own colour and dashes, and the marks as open points."""
    if marks is not None:
        check_type(marks, "marks", pd.DataFrame, "a DataFrame")
        unknown = [*marks.columns.difference(table.columns), *marks.index.difference(table.index)]
        if unknown:
            raise invalid("marks", unknown[0], "columns and rows of the table")
    for k, name in enumerate(table.columns):
        dashes = DASHES[
            (k + k // len(COLOURS)) % len(DASHES)
        ]  # from the sixth line on, other dashes for a colour
        colour = COLOURS[k % len(COLOURS)]
        ax.plot(table.index, table[name], color=colour, linestyle=dashes, label=name, **look)
        if marks is not None and name in marks:
            printed = marks[name].dropna()
            ax.plot(printed.index, printed, label="_", **_open_points(colour))
    if marks is not None:
        ax.plot([], [], label="printed", **_open_points(GREY))


def _open_points(colour):
    """The look of printed numbers."""
    look = {
        "marker": "o",
        "markersize": 4.2,
        "markerfacecolor": "white",
        "markeredgewidth": 0.9,
        "linestyle": "none",
    }
    return look | {"color": colour, "zorder": 3}


def _label(ax, table, xlabel, ylabel):
    """Name the axes, with ticks at whole numbers only where there are no others, and add the legend."""
    whole = [pd.api.types.is_integer_dtype(kind) for kind in table.dtypes]
    for axis, only in (
        (ax.xaxis, pd.api.types.is_integer_dtype(table.index)),
        (ax.yaxis, all(whole)),
    ):
        if only and axis.get_scale() == "linear":
            axis.set_major_locator(whole_ticks())
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()


@on_axes(figsize=(5.4, 4.4), subplot_kw={"projection": "3d"})
def surface(
    thresholds: Solution | Policy | np.ndarray,
    *,
    label: str | None = None,
    unit: str = "points",
    ax: Axes | None = None,
) -> None:
    """The landscape of a policy as a surface in three dimensions; see :func:`hold_thresholds`.

    The surface alone is saved as a picture, with 600 dots per inch: as shapes that cover each other it is larger.

    Parameters
    ----------
    thresholds : Solution, Policy, or ndarray, (target, target)
        An optimal policy, or any numbers by [own, opponent].
    label : str, optional
        The name of the vertical axis, with units; by default "hold at (points)". An array needs one, as it does not
        say what its numbers are.
    unit : str
        As in :func:`hold_thresholds`.

    Raises
    ------
    ValueError
        If an array has no label.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> solution = solve(pig(30))
    >>> ax = surface(solution)
    >>> ax = surface(solution.values, label="win probability")
    """
    heights = thresholds_of(thresholds)
    if label is None and not isinstance(getattr(thresholds, "policy", thresholds), Policy):
        allowed = 'what the array holds, as label="win probability", or draw a solution or a policy'
        raise invalid("label", label, allowed)
    own, opponent = np.indices(heights.shape)
    look = {
        "cmap": "viridis",
        "rcount": 100,
        "ccount": 100,
        "linewidth": 0,
        "antialiased": False,
        "rasterized": True,
    }
    ax.plot_surface(own, opponent, heights, **look)
    ax.set(
        xlabel=f"own score ({unit})",
        ylabel=f"opponent's score ({unit})",
        zlabel=f"hold at ({unit})" if label is None else label,
    )
    ax.view_init(elev=28, azim=-125)
    ax.set_box_aspect(None, zoom=0.94)  # space for the labels


@on_axes(figsize=(5.2, 4.4))
def matrix(
    table: pd.DataFrame,
    xlabel: str,
    ylabel: str,
    label: str,
    *,
    centre: float | None = None,
    ax: Axes | None = None,
) -> None:
    """A table of numbers as a map of colours.

    Parameters
    ----------
    table : pandas.DataFrame
        Its index and columns are evenly spaced numbers. NaN is left out.
    xlabel, ylabel, label : str
        The names of the columns, the index and the numbers, with units.
    centre : float, optional
        A number that is white; colours on both sides of it tell how far others are from it.

    Examples
    --------
    >>> import pandas as pd
    >>> from dicelab import pig, solve
    >>> ax = matrix(pd.DataFrame(solve(pig(30)).values), "opponent's score", "own score", "win probability")
    """
    values = table.to_numpy(dtype=float).T
    image = cells(ax, np.ma.array(values, mask=np.isnan(values)), table.columns, table.index)
    if centre is not None:
        image.set(cmap="PuOr_r", norm=CenteredNorm(centre))
    whole = all(pd.api.types.is_integer_dtype(kind) for kind in table.dtypes)
    ax.figure.colorbar(image, ax=ax, label=label, ticks=whole_ticks() if whole else None)
    ax.set(xlabel=xlabel, ylabel=ylabel)


@on_axes(figsize=(4.2, 4.0))
def decisions(
    mask: np.ndarray, opponent: int, *, unit: str = "points", ax: Axes | None = None
) -> None:
    """The decisions against one opponent's score: roll in gray, hold in white.

    Parameters
    ----------
    mask : ndarray of bool, (target, target, target)
        As from ``policy.roll_mask()``: [own, opponent, turn total].
    opponent : int
    unit : str
        As in :func:`hold_thresholds`.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = decisions(solve(pig(50)).policy.roll_mask(), opponent=20)
    """
    _turn_map(mask[:, opponent].astype(int), {"hold": HOLD, "roll": ROLL}, opponent, unit, ax)


@on_axes(figsize=(4.2, 4.0))
def disagreement(
    masks: Mapping[str, np.ndarray], opponent: int, *, unit: str = "points", ax: Axes | None = None
) -> None:
    """The states where one of three policies decides differently from the other two, against one opponent's score.

    Parameters
    ----------
    masks : dict
        Three masks by the name of the policy, as from ``policy.roll_mask()``.
    opponent : int
    unit : str
        As in :func:`hold_thresholds`.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> masks = {goal: solve(pig(40), goal).policy.roll_mask() for goal in ("win", "margin")}
    >>> masks["overshoot"] = solve(pig(40), "margin", overshoot=True).policy.roll_mask()
    >>> ax = disagreement(masks, opponent=10)
    """
    rolls = np.array([mask[:, opponent] for mask in masks.values()])
    most = rolls.sum(axis=0) >= 2
    alone = (rolls != most) * np.array([2, 3, 4])[:, None, None]
    colours = {"all hold": HOLD, "all roll": ALL_ROLL}
    colours |= {f"only {name} differs": colour for name, colour in zip(masks, ALONE, strict=True)}
    _turn_map(np.where(alone.any(axis=0), alone.sum(axis=0), most), colours, opponent, unit, ax)


def _turn_map(kinds, colours, opponent, unit, ax):
    """Draw a map of kinds of states by own score and turn total, with a legend; `colours` has a colour for each kind.

    A turn whose total reaches the target has won: there is nothing to decide.
    """
    target = len(kinds)
    own, total = np.indices((target, target))
    image = cells(ax, np.ma.array(kinds, mask=own + total >= target))
    shown = [[*colours.values()][kind] for kind in image.get_array()]
    image.set(array=None, color=shown)
    ax.plot([0, target], [target, 0], color="black", linewidth=0.8)
    ax.set(xlim=(-0.5, target), ylim=(-0.5, target), facecolor=NOT_POSSIBLE)
    ax.set(
        xlabel=f"own score ({unit})",
        ylabel=f"turn total ({unit})",
        title=f"opponent's score {opponent}",
    )
    look = {"edgecolor": GREY, "linewidth": 0.5}
    patches = [Patch(facecolor=colour, label=name, **look) for name, colour in colours.items()]
    patches.append(Patch(facecolor=NOT_POSSIBLE, label="not possible", **look))
    ax.legend(handles=patches, loc="upper right")


def panels(
    draw: Callable, results: np.ndarray | Mapping[str, np.ndarray], opponents: Sequence[int]
) -> Axes:
    """One panel for each score of the opponent, and one legend for all.

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

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = panels(decisions, solve(pig(50)).policy.roll_mask(), opponents=[0, 20, 40])
    """
    target = len(next(iter(results.values())) if isinstance(results, dict) else results)
    opponents = check_sequence(opponents, "opponents", f"scores in 0, …, {target - 1}")
    opponents = [check_int(opponent, "opponents", 0, target - 1) for opponent in opponents]
    if not opponents:
        raise invalid("opponents", opponents, f"one or more scores in 0, …, {target - 1}")
    columns = 2 if len(opponents) in (2, 4) else min(3, len(opponents))
    rows = -(-len(opponents) // columns)
    size = (max(2.4 * columns, 4.2), 2.5 * rows + 0.5)
    with style():
        figure, axes = plt.subplots(
            rows, columns, figsize=size, sharex=True, sharey=True, squeeze=False
        )
        for ax, opponent in zip(axes.flat, opponents, strict=False):
            draw(results, opponent, ax=ax)
            ax.label_outer()
        for ax in axes.flat[len(opponents) :]:
            ax.set_visible(False)
        for ax in (
            axes[-2, len(opponents) % columns :] if len(opponents) % columns and rows > 1 else ()
        ):
            ax.tick_params(labelbottom=True)  # nothing is below it
            ax.set_xlabel(axes[-1, 0].get_xlabel())
        handles = axes.flat[0].get_legend().legend_handles
        for ax in axes.flat[: len(opponents)]:
            ax.get_legend().remove()
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=3 if columns == 3 or len(handles) < 4 else 2,
        )
    return axes.flat[0]


@on_axes()
def seat_shares(frame: pd.DataFrame, *, unit: str = "points", ax: Axes | None = None) -> None:
    """The probability to win of each seat, by target, and that of equal players in a fair game.

    Parameters
    ----------
    frame : pandas.DataFrame
        A column for each seat, indexed by target; as from ``solution.by_target()``.
    unit : str
        What the target counts.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = seat_shares(solve(pig(30), players=3).by_target())
    """
    check_type(
        frame, "frame", pd.DataFrame, "a table of chances by target, as from solution.by_target()"
    )
    n = len(frame.columns)
    ax.axhline(1 / n, color=GREY, linewidth=0.7, label=f"1/{n}")
    _draw_columns(ax, frame.astype(float))
    ax.set_ylim(bottom=0)
    _label(ax, frame.astype(float), f"target ({unit})", "probability to win")


def roll_ranges(masks: Mapping[str, np.ndarray], opponents: Sequence[int]) -> pd.DataFrame:
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

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> roll_ranges({"optimal": solve(pig(10)).policy.roll_mask()}, opponents=[8]).head(2)
        policy  opponent  own rolls
    0  optimal         8    0   0-9
    1  optimal         8    1   0-8
    """
    rows = []
    for name, mask in masks.items():
        for opponent, own in product(opponents, range(len(mask))):
            edges = np.flatnonzero(np.diff(mask[own, opponent], prepend=False, append=False))
            ranges = " ".join(f"{start}-{end - 1}" for start, end in edges.reshape(-1, 2))
            rows.append((name, opponent, own, ranges))
    return pd.DataFrame(rows, columns=["policy", "opponent", "own", "rolls"])


def __dir__():
    """The public names."""
    return sorted(__all__)
