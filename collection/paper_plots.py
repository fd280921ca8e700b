"""Figures that one notebook needs; those of general use are in `dicelab.plots`."""

import numpy as np

from dicelab._extras import extra
from dicelab._validation import check_int, check_type, invalid
from dicelab.games.model import check_game
from dicelab.policies import Policy
from dicelab.solution import Solution
from dicelab.views.outlines import cells
from dicelab.views.plots import (
    BLUE,
    GREEN,
    GREY,
    LIGHT,
    ORANGE,
    thresholds_of,
    to_the_win,
)
from dicelab.views.policy_maps import TO_THE_WIN, colours_of, middle_of
from dicelab.views.style import COLOURS, on_axes, style, whole_ticks

from .manifest import VERBS

with extra("plots"):
    import matplotlib.pyplot as plt
    from matplotlib.colors import ListedColormap
    from matplotlib.patches import Circle, Patch
    from matplotlib.path import Path

__all__ = ["claims", "contours", "hold_with_third", "late_zone", "predicted"]
__all__ += ["panels", "side_by_side", "spread_by_risk", "tied_rules", "triangle"]

DECIDED = 1e-11  # smaller chances differ by too little for a decision in double precision
CORNERS = np.array([[-(3**0.5), -1], [3**0.5, -1], [0, 2]]) / 12**0.5  # of a triangle around 0, 0


def side_by_side(number, *, sharey=True):
    """A row of Axes for several games or players: the figure, and an array of Axes; by default with one vertical axis.

    Examples
    --------
    >>> figure, axes = side_by_side(3)
    """
    with style():
        size = 3.6 * number, 3.4
        figure, axes = plt.subplots(
            1, number, figsize=size, sharey=sharey, layout="constrained", squeeze=False
        )
        return figure, axes[0]


def panels(draw, results, **labels):
    """A panel for each result, with its title, and one legend for all.

    Parameters
    ----------
    draw : callable
        A function of `dicelab.plots` that draws on axes.
    results : dict
        What it draws, by the title of the panel.
    labels : str
        Further arguments of `draw`.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel.

    Examples
    --------
    >>> from dicelab import hold_at_n as win_rates, plots
    >>> ax = panels(plots.hold_at_n, {name: win_rates(f"{name} 20", [5, 6]) for name in ("pig", "piglet")})
    """
    figure, axes = side_by_side(len(results))
    for ax, (title, result) in zip(axes, results.items(), strict=True):
        draw(result, ax=ax, **labels)
        ax.set_title("\n".join(filter(None, [title, ax.get_title()])))
        ax.label_outer()
        legend = ax.get_legend()
        legend.remove()
    figure.set_size_inches(min(3.6, 10.8 / len(results)) * len(results), 4)
    with style():
        handles = legend.legend_handles
        figure.legend(handles=handles, loc="outside lower center", ncols=len(handles))
    return axes[0]


@on_axes(figsize=(5.2, 4.2))
def contours(thresholds, *, unit="points", ax=None):
    """The landscape of a policy as contours; see :func:`hold_thresholds`. ValueError if the target is 1.

    There is a thick contour with its number for each multiple of 10, a thin one for each other multiple of 5, and none
    where the policy rolls until it wins. Parts shorter than 3 points are left out.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = contours(solve(pig()).policy.hold_thresholds())
    """
    thresholds = thresholds_of(thresholds)
    if len(thresholds) < 2:
        raise ValueError(
            "thresholds: one pair of scores has no contours; give a target of at least 2"
        )
    wins = to_the_win(thresholds)
    holds = np.ma.array(thresholds, mask=wins)
    cells(ax, np.ma.array(wins, mask=~wins)).set(array=None, **TO_THE_WIN)
    if not wins.all():
        levels = np.arange(0, holds.max() + 5, 5)
        drawn = ax.contour(
            holds.T, levels=levels, colors=BLUE, linewidths=np.where(levels % 10, 0.5, 1.3)
        )
        drawn.set_paths([_long_parts(path) for path in drawn.get_paths()])
        ax.clabel(drawn, levels, fontsize=8, fmt="%d")
    ax.set(xlabel=f"own score ({unit})", ylabel=f"opponent's score ({unit})")
    ax.set(title=f"Lowest turn total to hold at ({unit})\nGray: roll until you win")


def _long_parts(path):
    """The connected parts of a contour that are at least 3 points long."""
    parts = [
        part
        for part in path.to_polygons(closed_only=False)
        if np.hypot(*np.diff(part, axis=0).T).sum() >= 3
    ]
    return Path.make_compound_path(*map(Path, parts)) if parts else Path(np.empty((0, 2)))


def hold_with_third(solution, own, beside=None, *, mode=None):
    """How a third player changes when to hold: the hold thresholds at one own score, by the scores of both others.

    White is the hold of a turn for points alone, and in a turn of several modes that at the start of the others.

    Parameters
    ----------
    solution : Solution or OptimalPolicy
        Of three players.
    own : int
    beside : Solution or Policy, optional
        For two players: its threshold against the leader of the others is drawn in a second panel, with the same
        colours. A policy that plays any game plays that of the solution.
    mode : str, optional
        The name of the turn's mode; by default the first mode.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel. Its contours are at the multiples of 5.

    Raises
    ------
    ValueError
        If an argument is invalid.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = hold_with_third(solve(pig(40), players=3), own=10, beside=solve(pig(40)))
    """
    policy = getattr(solution, "policy", solution)
    if not isinstance(policy, Policy) or policy.players != 3:
        raise invalid("solution", solution, "the solution of a game of three players", Solution)
    game, target = check_game(policy.game, last_turn=False, registers=False), policy.game.target
    missing = target - check_int(own, "own", 0, target - 1)
    maps = {"three players" if beside is not None else "": policy.hold_thresholds(mode, own=own)}
    if beside is not None:
        other = getattr(beside, "policy", beside)
        said = "a solution or a policy for two players"
        if check_type(other, "beside", Policy, said).players != 2:
            raise invalid("beside", beside, said)
        leader = np.max(np.indices((target, target)), axis=0)
        maps["two players, against the leader"] = other.hold_thresholds(mode, game=game)[own][
            leader
        ]
    holds = np.ma.masked_greater_equal(list(maps.values()), missing)
    least, most = (int(holds.min()), int(holds.max())) if holds.count() else (0, 1)
    colours, ticks = {}, whole_ticks()
    if holds.count():
        colours, ticks = colours_of(holds, middle_of(holds[0], game))
    with style():
        figure, axes = plt.subplots(
            1, len(maps), figsize=(3.2 * len(maps) + 1.6, 3.7), sharey=True, squeeze=False
        )
        for ax, title, part in zip(axes.flat, maps, holds, strict=True):
            wins = np.ma.getmaskarray(part)
            cells(ax, np.ma.array(wins, mask=~wins)).set(array=None, **TO_THE_WIN)
            image = cells(ax, part)
            image.set(**colours)
            if target > 1:
                levels = np.arange(5 * (least // 5), most + 5, 5)
                drawn = ax.contour(part.T, levels=levels, colors="#595959", linewidths=0.7)
                ax.clabel(drawn, levels[levels % 10 == 0], fontsize=7, fmt="%d")
            ax.set(xlabel=f"next player's score ({game.unit})", title=title)
        axes[0, 0].set_ylabel(f"last player's score ({game.unit})")
        label = f"lowest turn total to hold at ({game.unit})\ngray: roll until you win"
        figure.colorbar(image, ax=axes, label=label, ticks=ticks)
        figure.suptitle(f"own score {own}", fontsize=9.5)
    return axes[0, 0]


@on_axes(figsize=(4.8, 4.3))
def triangle(solution, *, ax=None):
    """Where three players have several equilibria in pure strategies, or none: in the triangle of their needs.

    The position of a point says how the missing points are shared. A corner is a player who misses all of them; in the
    centre all miss equally many, and on the dashed lines two do. We show a circle around the centre. Each tuple is
    drawn three times, once with each player to move. The colour is the number of points that are missing.

    Parameters
    ----------
    solution : Solution
        Of three players.

    Raises
    ------
    ValueError
        If it is another solution.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> ax = triangle(solve(pig(50), players=3))
    """
    if not isinstance(solution, Solution) or solution.players != 3:
        raise invalid("solution", solution, "the solution of a game of three players", Solution)
    table = solution.verdicts[solution.verdicts["verdict"] != "one"]
    needs = table[["needs_1", "needs_2", "needs_3"]].to_numpy()
    together = needs.sum(axis=1)
    verdict = table["verdict"].to_numpy()
    shares = np.stack(
        [np.roll(needs / together[:, None], k, axis=1) for k in range(3)], axis=1
    ).reshape(-1, 3)
    at = shares @ CORNERS  # the centre, where all miss equally many, is at 0, 0
    radius = 1.05 * max(0.2, np.hypot(*at.T).max(initial=0))
    _draw_triangle(ax, radius)
    for kind, marker, label in (
        ("several", "o", "several equilibria"),
        ("none", "^", "none in pure strategies"),
    ):
        shown = np.repeat(verdict == kind, 3)
        look = {
            "cmap": "viridis",
            "vmin": together.min(initial=3 * solution.game.target),
            "vmax": together.max(initial=0),
        }
        look |= {"edgecolors": "black", "linewidths": 0.3, "s": 16, "zorder": 3}
        points = ax.scatter(*at[shown].T, c=np.repeat(together, 3)[shown], marker=marker, **look)
        points.set_label(f"{label}: {shown.sum() // 3} tuples")
    if len(needs):
        label = f"points missing, all players together ({solution.game.unit})"
        ax.figure.colorbar(
            points, ax=ax, label=label, ticks=whole_ticks(), shrink=0.7, location="bottom"
        )
        ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.02), ncols=2)
    else:
        ax.text(
            0, 0, "one equilibrium everywhere", ha="center", va="center", backgroundcolor="white"
        )
    ax.set(xlim=(-1.6 * radius, 1.6 * radius), ylim=(-1.15 * radius, 1.2 * radius), aspect="equal")
    ax.set_title("Each player's share of the missing points")
    ax.set_axis_off()


def _draw_triangle(ax, radius):
    """Draw lines of equal shares of each player, in a circle around the centre of the triangle, with their numbers."""
    names = "player to move", "next player", "last player"
    ax.add_patch(Circle((0, 0), radius, fill=False, edgecolor=GREY, linewidth=0.7))
    for corner, name, turned, side in zip(
        CORNERS * 3**0.5, names, (-60, 60, 0), ("right", "left", "center"), strict=True
    ):
        ax.plot(
            *np.outer(corner, [-radius, radius]),
            color=GREY,
            linewidth=0.7,
            linestyle="--",
            zorder=1,
        )
        ax.text(*1.1 * radius * corner, name, ha=side, va="center")
        for level in np.arange(1, 10) / 10:
            distance = (level - 1 / 3) * 3**0.5 / 2
            if abs(distance) < 0.95 * radius:
                across = np.array([-corner[1], corner[0]]) * (radius**2 - distance**2) ** 0.5
                ends = (distance * corner + np.outer([-1, 1], across)).T
                ax.plot(*ends, color=LIGHT, linewidth=0.6, zorder=0)
                look = {
                    "ha": "center",
                    "va": "center",
                    "fontsize": 7,
                    "color": GREY,
                    "rotation": turned,
                }
                # Not where the name of a corner is.
                if (CORNERS @ ends[:, 0]).max() < 0.56 * radius:
                    ax.text(*1.07 * ends[:, 0], f"{level:.0%}", **look)


@on_axes()
def predicted(exact, law, xlabel, ylabel, *, ax=None):
    """Points that are computed, and lines that are predicted, in the same colours.

    Parameters
    ----------
    exact, law : pandas.DataFrame
        With the same columns; the index of `law` may be finer.
    xlabel, ylabel : str

    Examples
    --------
    >>> from collection import first_move
    >>> from dicelab import first_player
    >>> exact = first_player("pig", [50, 70, 100])[["advantage"]]
    >>> law = first_move.first_player_law("pig", range(50, 101))[["advantage"]]
    >>> ax = predicted(exact, law, "target", "first player's advantage")
    """
    for k, name in enumerate(exact):
        colour = [*COLOURS, "#56B4E9"][k % 6]
        ax.plot(law.index, law[name], color=colour, linewidth=1)
        ax.plot(exact.index, exact[name], "osD^vP"[k % 6], color=colour, label=name)
    ax.set(xlabel=xlabel, ylabel=ylabel)
    ax.legend()


@on_axes()
def spread_by_risk(curve, best, *, ax=None):
    """The variance that a player takes, by risk, and the two variances between which the tie jumps at 0.

    Parameters
    ----------
    curve : pandas.DataFrame
        As from :func:`collection.first_move.risk_curve`.
    best : BestTurn

    Examples
    --------
    >>> from collection import first_move
    >>> ax = spread_by_risk(first_move.risk_curve("pig", [-0.01, 0.01]), first_move.best_turn("pig"))
    """
    tied = (
        (best.least_variance, "σ₋²: hold at the tie"),
        (best.greatest_variance, "σ₊²: roll there"),
    )
    for (variance, label), colour, dash in zip(tied, (ORANGE, GREEN), ("--", "-."), strict=True):
        ax.axhline(variance, color=colour, linestyle=dash, linewidth=1, label=label)
    ax.step(curve.index, curve["variance"], color=BLUE, where="mid", label="best turn at risk ρ")
    ax.axvline(0, color=LIGHT, linewidth=0.7, zorder=0)
    ax.set(xlabel="risk ρ (per point): negative ahead, positive behind")
    ax.set(ylabel="variance of the turn (points²)")
    ax.legend()


def tied_rules(solutions, step=8):
    """Who plays which of the tied turns: a map by both scores for each solution.

    Parameters
    ----------
    solutions : dict of str to (Solution, int)
        By the title of the panel: a solution, and the turn total at which rolling and holding are tied in one turn.
    step : int
        Every score that is a multiple of `step` is looked at. Gray: the game is decided, in double precision.

    Returns
    -------
    matplotlib.axes.Axes
        The first panel.

    Examples
    --------
    >>> from dicelab import piglet, solve
    >>> ax = tied_rules({"Piglet": (solve(piglet(40)), 1)}, step=2)
    """
    names = "holds earlier", "holds at the tie", "rolls there once more", "rolls on", "decided"
    colours = ListedColormap(["#56B4E9", BLUE, ORANGE, "#F0C27A", LIGHT])
    figure, axes = side_by_side(len(solutions), sharey=False)
    for ax, (title, (solution, tie)) in zip(axes, solutions.items(), strict=True):
        game = solution.game
        scores = np.arange(0, game.target, step)
        kinds = np.empty((len(scores), len(scores)))
        for place, own in enumerate(scores):
            rolls = solution.policy.decide_all([[own, opponent] for opponent in scores])[0]
            rolls = rolls[:, 0, 1 : game.missing(own)]
            hold = 1 + np.pad(rolls, [(0, 0), (0, 1)]).argmin(axis=1)
            kinds[place] = np.clip(hold - tie, -1, 2) + 1
        chance = solution.values[np.ix_(scores, scores)]
        kinds[np.minimum(chance, 1 - chance) < DECIDED] = len(names) - 1
        cells(ax, kinds, scores, scores).set(cmap=colours, clim=(-0.5, len(names) - 0.5))
        ax.set(title=title, xlabel="own score", ylabel="opponent's score")
    patches = [Patch(color=colours(k), label=name) for k, name in enumerate(names)]
    figure.legend(handles=patches, loc="outside lower center", ncols=3, frameon=False)
    return axes[0]


@on_axes(figsize=(4.2, 4.0))
def late_zone(pairs, most, *, ax=None):
    """The pairs of needs at which a roll lies above a hold, and the square outside of which there is none.

    Parameters
    ----------
    pairs : pandas.DataFrame
        As from :func:`collection.first_move.late_rolls`.
    most : int
        Needs are shown up to this number.

    Examples
    --------
    >>> from collection import first_move
    >>> from dicelab import pig, solve
    >>> ax = late_zone(first_move.late_rolls(solve(pig(40))), 40)
    """
    late, needs = np.zeros((most, most)), np.arange(1, most + 1)
    late[*pairs[pairs.max(axis=1) <= most].to_numpy().T - 1] = 1
    cells(ax, late, needs, needs).set(cmap=ListedColormap(["white", BLUE]), clim=(0, 1))
    bound = pairs.min(axis=1).max() + 0.5
    free = ax.plot([bound, bound, most], [most, bound, bound], color=ORANGE, label="none beyond")
    ax.legend(handles=[Patch(color=BLUE, label="with a late roll"), *free], loc="upper right")
    ax.set(xlabel="points that the mover needs", ylabel="points that the opponent needs")


def claims(checked):
    """A paper's claims as a table, what does not hold first; those that do not hold everywhere are marked.

    Parameters
    ----------
    checked : pandas.DataFrame
        As from :func:`collection.papers.claims.findings.check_claims`.

    Returns
    -------
    pandas.io.formats.style.Styler

    Examples
    --------
    >>> from collection.papers.published import printed_claims
    >>> table = claims(printed_claims("minimax-pig")[["claim", "verdict"]])
    >>> "holds" in table.to_html()
    True
    """
    colours = {
        "holds": BLUE,
        "holds with exceptions": GREEN,
        "does not hold": ORANGE,
        "a gap in the proof": ORANGE,
        "a matter of taste": GREY,
    }
    worst = checked["verdict"].map([*VERBS].index).argsort(kind="stable")
    table = (
        checked.iloc[worst]
        .style.hide(axis="index")
        .set_properties(**{"text-align": "left", "white-space": "normal"})
    )
    return table.map(
        lambda verdict: f"color: {colours.get(verdict, GREY)}; font-weight: bold",
        subset=["verdict"],
    )


@on_axes(figsize=(4.2, 4.0))
def pair_curves(f, g, solution, *, ax=None):
    """The two curves of one pair of scores and their intersection (Crocce and Mordecki 2018, Figure 1).

    Parameters
    ----------
    f, g : collection.course.textbook.PiecewiseLinear
        x = f(y) and y = g(x), the values to the players who need a and b points, in [0, 1].
    solution : tuple
        The intersection (x, y).

    Examples
    --------
    >>> from collection import textbook
    >>> from dicelab import pig, solve
    >>> f, g = textbook.curves(solve(pig(10), exact=True), 3, 5)
    >>> ax = pair_curves(f, g, textbook.by_intersection(f, g))
    """
    ax.plot(g.x, g.y, color=BLUE, marker="o", markersize=3.5, label="y = g(x)")
    ax.plot(f.y, f.x, color=ORANGE, linestyle="--", marker="s", markersize=3.5, label="x = f(y)")
    x, y = map(float, solution)
    ring = {"marker": "o", "markersize": 17, "fillstyle": "none", "markeredgewidth": 0.7}
    ax.plot([x], [y], color="black", linestyle="none", **ring)
    edge = {
        "arrowstyle": "-",
        "linewidth": 0.7,
        "shrinkA": 1,
        "shrinkB": 8.5,
    }  # from the text to the ring
    look = {"textcoords": "axes fraction", "ha": "right", "va": "top", "arrowprops": edge}
    # The curves decrease: no curve is there.
    ax.annotate(f"({x:.4f}, {y:.4f})", (x, y), xytext=(0.99, 0.97), **look)
    ax.set(xlim=(0, 1.02), ylim=(0, 1.02), aspect="equal")
    ax.set(xlabel="x = v(a, b), win probability", ylabel="y = v(b, a), win probability")
    ax.legend(loc="lower left")
