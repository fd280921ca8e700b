"""Figures of grades: where a strategy differs from best play, and how the strategies of a folder stand."""

from __future__ import annotations

from typing import Any

import numpy as np

from dicelab._extras import extra
from dicelab._validation import invalid
from dicelab.views.outlines import cells
from dicelab.views.plots import GREY, HOLD, LIGHT, NOT_POSSIBLE, ORANGE, ROLL
from dicelab.views.style import LOST, style

with extra("plots"):
    import matplotlib.pyplot as plt
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap, LogNorm
    from matplotlib.patches import Patch

__all__ = ["lost_map", "mistakes", "standings"]

MARKS = (
    ("round robin", "o", "black", "against all others"),
    ("first", ">", ORANGE, "against the opponent, moving first"),
    ("second", "<", GREY, "moving second"),
)
DECADES = 1000  # by which factor the colours of mistakes differ at most


def mistakes(grade: Any) -> Axes:
    """Where a strategy differs from best play: two panels about a :class:`Grade`.

    Left, by both scores, how many wins the strategy gives away in the turns that begin there, in a million games.
    Right, one line through this map, at the opponent's score at which most is given away: the probability that the
    strategy rolls, by own score and turn total, and the lowest turn total at which best play holds. With several modes
    it is the mode in which most is given away; without a hold in it there is no right panel. In games with registers
    scores on the left are those of all registers, and on the right of the ones in which most is given away.

    Parameters
    ----------
    grade : Grade

    Returns
    -------
    matplotlib.axes.Axes
        The left panel.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> from dicelab_extras.grading import grade
    >>> ax = mistakes(grade(pig(40), hold_at(10)))
    """
    if not hasattr(grade, "turn_costs"):
        raise invalid("grade", grade, "what grading.grade returns", ())
    game, mode = grade.game, _mode_to_draw(grade)
    # Else it is a choice before the roll, or dice to keep.
    panels = 2 if game.modes[game.mode(mode)].may_hold else 1
    with style():
        _, axes = plt.subplots(1, panels, figsize=(4.7 * panels, 4.1), squeeze=False)
        lost_map(axes[0, 0], grade)
        if panels == 2:
            _draw_turns(axes[0, 1], grade, mode)
    return axes[0, 0]


def lost_map(ax, grade):
    """Draw the left panel of :func:`mistakes`."""
    game = grade.game
    points = np.array(game.scores, dtype=int)
    scores = np.unique(points)
    spread = (points[:, None] == scores).astype(float)  # registers are summed up
    lost = spread.T @ _wins_lost(grade) @ spread
    most = lost.max()
    ax.set(xlabel=f"own score ({game.unit})", ylabel=f"opponent's score ({game.unit})")
    if most <= 0.0:
        cells(ax, np.zeros(lost.shape), scores, scores).set(array=None, color=LIGHT)
        ax.set_title("Nothing is given away")
        return
    least = most / DECADES
    # Colours that differ; so shapes are larger.
    steps = np.round(20 * np.log10(np.maximum(lost, least / 2))) / 20
    image = cells(ax, np.ma.array(10**steps, mask=lost < least), scores, scores)
    image.set(cmap=LOST, norm=LogNorm(least, most))
    ax.set_facecolor("white")
    ax.figure.colorbar(
        image, ax=ax, label=f"wins in a million games; white: less than {least:,.2g}"
    )
    ax.set_title("Wins given away, by scores at the start of a turn")


def _wins_lost(grade):
    """The wins given away in a million games, by the places of both scores, in both roles."""
    lost = 1e6 * grade.turn_costs * grade.turns_met
    return lost.reshape(-1, *lost.shape[-2:]).sum(axis=0)


def _mode_to_draw(grade):
    """The name of the mode in which most is given away by rolls and holds, if any is."""
    game, rows = grade.game, grade.decisions
    rows = rows[rows["rolled"] == ""] if (rows["rolled"] == "").any() else rows
    if len(rows):
        return rows.groupby("dice")["given away"].sum().idxmax()
    return next(mode.name for mode in game.modes if mode.may_hold and mode.name in game.reached())


def _draw_turns(ax, grade, name):
    """Draw the right panel of :func:`mistakes`, for the mode of a name."""
    game, lost = grade.game, _wins_lost(grade)
    place = int(lost.sum(axis=0).argmax())
    opponent, mode = game.scores[place], game.mode(name)
    register = lost.sum(axis=1).argmax() % len(game.registers) if game.registers else 0
    own = range(register, len(game.scores), max(1, len(game.registers)))
    missing = np.array([game.missing(game.scores[at]) for at in own])
    decided = np.ma.masked_all((len(own), game.longest))
    best = []
    for k, at in enumerate(own):
        score = game.scores[at]
        rolls, _ = grade.strategy.actions_at(game, score)
        # Some scores do not occur with this register.
        if not game.registers or grade.turns_met[at].any():
            decided[k, : missing[k]] = rolls[place, mode, : missing[k]]
        best.append(grade.best.hold_threshold(score, opponent, name, game=game))
    points = np.array(game.scores, dtype=int)[own]
    totals = range(1, game.longest)
    image = cells(ax, decided[:, 1:], points, totals)
    image.set(
        norm=plt.Normalize(0.0, 1.0), cmap=LinearSegmentedColormap.from_list("rolls", [HOLD, ROLL])
    )
    border = np.where(np.array(best) < missing, np.array(best) - 0.5, np.nan)
    (line,) = ax.step(points, border, where="mid", color=ORANGE, linewidth=1.6)
    ax.step(points, missing - 0.5, where="mid", color="black", linewidth=0.8)
    look = {"edgecolor": GREY, "linewidth": 0.5}
    patches = [
        Patch(facecolor=colour, label=text, **look)
        for colour, text in ((ROLL, "it rolls"), (HOLD, "it holds"))
    ]
    line.set_label("best: hold from here on; without a line, never")
    ax.legend(handles=[*patches, line], loc="upper right")
    ax.set(
        facecolor=NOT_POSSIBLE,
        xlabel=f"own score ({game.unit})",
        ylabel=f"turn total ({game.unit})",
    )
    ax.set(aspect="auto", ylim=(0.5, None))
    beside = "" if len(game.modes) == 1 else f", {name}"
    ax.set_title(f"opponent's score {opponent}{beside}", parse_math=False)


def standings(table: Any) -> Axes:
    """How the strategies of a folder stand: a line for each, the best at the top, with its three chances to win.

    Parameters
    ----------
    table : pandas.DataFrame
        What :func:`grade` returns for a folder.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from dicelab_extras.grading import grade
    >>> with TemporaryDirectory() as bots:
    ...     files = [Path(bots, f"{n}.json").write_text(f"{n}") for n in (4, 8)]
    ...     ax = standings(grade("pig 20", bots))
    """
    if "round robin" not in getattr(table, "columns", ()):
        raise invalid("table", table, "what grading.grade returns for a folder", ())
    read = table[table["refused"] == ""]
    with style():
        _, ax = plt.subplots(figsize=(6.4, 1.3 + 0.17 * len(read)))
        for column, marker, colour, label in MARKS:
            ax.plot(read[column], range(len(read)), marker, color=colour, label=label)
        ax.set_yticks(
            range(len(read)),
            [f"{name}  {place}" for name, place in read["place"].items()],
            parse_math=False,
        )
        ax.grid(axis="y", color=LIGHT, linewidth=0.6)
        ax.set(xlabel="probability to win", ylim=(len(read) - 0.5, -0.5))
        ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    return ax
