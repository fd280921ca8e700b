"""The colours of the map of a policy: the same on figures, on cards and on the page that solves.

A map compares each turn total to hold at with one total, the *middle*: that of a turn for points alone, 20 in Pig. The
middle is white. Orange means to hold earlier, and blue to hold later; colour-blind readers can distinguish them. In
the hatched gray region the player rolls until the win. Half of the colour range is reached at a quarter of the largest
difference, since most differences are small. The rarest holds, and all beyond them, have the colour of an end.
"""

from math import ceil

import numpy as np

from .._extras import extra
from ..games.model import RESULTS
from .style import COLOURS

__all__ = [
    "DARK",
    "EARLY",
    "LATE",
    "LIGHT",
    "TO_THE_WIN",
    "colours_of",
    "hold_for_points",
    "middle_of",
    "shade",
    "spread_of",
]

EARLY, LATE = COLOURS[1], COLOURS[0]
LIGHT = {"middle": "#f7f4ec", "never": "#d9d9d9", "hatch": "#8c8c8c"}
DARK = {"middle": "#2c323a", "never": "#565d66", "hatch": "#8f979f"}  # on a dark page
TO_THE_WIN = {"facecolor": LIGHT["never"], "edgecolor": LIGHT["hatch"], "hatch": "////"}
TO_THE_WIN |= {"linewidth": 0}
RARE = 0.02  # share of holds beyond each end of the colours
LEAST = 3  # points from the middle to an end, at least
SHADES = 257


def hold_for_points(game):
    """The lowest turn total to hold at in a turn for points alone, an int; None if the turn has several modes.

    A further roll gains g points on average, and loses the turn total with probability b. In a turn with one mode it
    pays up to a turn total of g / b. For other turns solve the game for the objective "score".

    Examples
    --------
    >>> from dicelab import pig, two_dice_pig
    >>> hold_for_points(pig()), hold_for_points(two_dice_pig())
    (20, 19)
    """
    if len(game.until_change.reached()) != 1 or game.registers:
        return None
    mode = game.until_change.modes[0]
    lost = sum(map(mode.chance, RESULTS))
    gain = sum(
        outcome.probability * max(choice.points for choice in outcome.choices)
        for outcome in mode.outcomes
        if outcome.choices
    )
    return max(1, min(game.target, ceil(gain / lost))) if lost else None


def middle_of(holds, game=None):
    """The middle of a map: the hold for points, if the game has one; else that at the game's start, or the median.

    Parameters
    ----------
    holds : numpy.ma.MaskedArray of int
        The turn totals to hold at; masked, where the player rolls until the win.
    game : Game, optional
        None, if it is not known.
    """
    start = holds[(0,) * holds.ndim]
    usual = None if game is None else hold_for_points(game)
    return usual or int(np.ma.median(holds) if start is np.ma.masked else start)


def spread_of(holds, middle):
    """How far from the middle the colours reach, before it and after it, a tuple of two ints; see :func:`middle_of`."""
    found = np.sort(np.ma.asarray(holds).compressed())
    first, last = (int(found[int(share * (len(found) - 1))]) for share in (RARE, 1 - RARE))
    return max(LEAST, middle - first), max(LEAST, last - middle)


def shade(share, middle=LIGHT["middle"]):
    """The colour of shares from -1, an early hold, over 0, `middle`, to 1, a late one: (…, 3), from 0 to 255."""
    share = np.clip(share, -1, 1)[..., None]
    ends = np.where(share < 0, _parts(EARLY), _parts(LATE))
    part = np.sqrt(np.abs(share))
    return np.floor(_parts(middle) + (ends - _parts(middle)) * part + 0.5).astype(np.uint8)


def _parts(colour):
    """Red, green and blue, from 0 to 255, of a colour such as "#f7f4ec"."""
    return np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)], dtype=float)


def colours_of(holds, middle):
    """What matplotlib needs for a map: a dict with `cmap` and `norm`, and the ticks of its colour bar, a list.

    Parameters
    ----------
    holds : numpy.ma.MaskedArray of int
        As for :func:`middle_of`; some of them are not masked.
    middle : int
    """
    with extra("plots"):
        from matplotlib.colors import ListedColormap, TwoSlopeNorm

    before, after = spread_of(holds, middle)
    norm = TwoSlopeNorm(middle, middle - before, middle + after)
    cmap = ListedColormap(shade(np.linspace(-1, 1, SHADES)) / 255, name="earlier or later")
    ticks = {middle - before, middle - before // 2, middle, middle + after // 2, middle + after}
    return {"cmap": cmap, "norm": norm}, sorted(tick for tick in ticks if tick >= 1)
