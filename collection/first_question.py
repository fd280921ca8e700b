"""What the page that solves asks first: a situation in Pig, its answer, and the map that shows it without a script."""

import base64
import json
from functools import cache
from io import BytesIO

import numpy as np

from dicelab._extras import extra
from dicelab.evaluation.action_values import turn_action_values
from dicelab.evaluation.solving import solve
from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import pig
from dicelab.rules_of_thumb import hold_at
from dicelab.views import policy_maps

with extra("plots"):
    from matplotlib.image import imsave

__all__ = ["colours_json", "colours_style", "first_question"]

OWN, OPPONENT, TOTAL = 60, 90, 20


@cache
def first_question():
    """The situation, what both actions are worth in it, and the map of optimal play, for the page's template.

    Returns
    -------
    dict
        The situation is `own`, `opponent` and `total`, with the `target`. The probabilities to win are `roll` and
        `hold`. `threat` is the probability that the opponent reaches the target in one turn. `usual` is the best hold
        for points, and `wrong` the share of the pairs of scores at which the optimal player holds elsewhere. Of the
        map, `picture` is the address of its colours as a picture. `hatched` is an SVG path of the scores at which the
        optimal player rolls until the win, in cells from the top left.
    """
    game = pig()
    solution, usual = solve(game), policy_maps.hold_for_points(game)
    values = turn_action_values(solution, OWN, OPPONENT)
    thresholds = solution.policy.hold_thresholds()
    missing = game.target - np.arange(game.target)[:, None]
    wins = thresholds >= missing
    return {
        "own": OWN,
        "opponent": OPPONENT,
        "total": TOTAL,
        "roll": float(values.roll[0, TOTAL]),
        "hold": float(values.hold[TOTAL]),
        "usual": usual,
        "wrong": float((thresholds != np.minimum(usual, missing)).mean()),
        "threat": float(1 - turn_points(game, hold_at(game.target - OPPONENT))[0]),
        "target": game.target,
        "picture": _picture(np.ma.array(thresholds, mask=wins), usual),
        "hatched": _runs(wins),
    }


def _picture(holds, middle):
    """A map as a PNG with the colours of the ends, which shine through to the middle: for light and dark pages."""
    before, after = policy_maps.spread_of(holds, middle)
    ahead = holds.filled(middle) - middle
    share = np.clip(ahead / np.where(ahead < 0, before, after), -1, 1)
    ends = policy_maps.shade(np.sign(share))
    pixels = np.dstack([ends, np.round(255 * np.sqrt(np.abs(share)))]).astype(np.uint8)
    file = BytesIO()
    imsave(file, pixels.transpose(1, 0, 2)[::-1], format="png", metadata={"Software": None})
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode()}"


def _runs(cells):
    """The cells of a map as an SVG path: the runs of each row of the opponent's score, the highest on top."""
    path = ""
    for row, line in enumerate(cells.T[::-1].astype(int)):
        steps = np.diff(line, prepend=0, append=0)
        for first, last in zip(*(np.flatnonzero(steps == step) for step in (1, -1)), strict=True):
            path += f"M{first},{row}h{last - first}v1H{first}z"
    return path


def colours_json():
    """The colours of maps and how far they reach, for the page's script: see :mod:`dicelab.views.policy_maps`."""
    names = "EARLY", "LATE", "LIGHT", "DARK", "RARE", "LEAST"
    return json.dumps({name.lower(): getattr(policy_maps, name) for name in names})


def colours_style():
    """The same as variables of the page's styles, a str."""
    light, dark = (
        "".join(f"--map-{name}: {colour}; " for name, colour in colours.items())
        for colours in (policy_maps.LIGHT, policy_maps.DARK)
    )
    ends = f"--map-early: {policy_maps.EARLY}; --map-late: {policy_maps.LATE}; "
    wide = "@media screen and (prefers-color-scheme: dark)"
    return f":root {{ {ends}{light}}}\n{wide} {{ :root {{ {dark}}} }}\n"
