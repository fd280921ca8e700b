"""A page to play on: one HTML file with the rules, the optimal policy and the values of some games inside.

The policy is stored by runs of turn totals, the values as 16-bit fractions. The page walks through a turn by itself.
"""

import base64
import json
import math
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader

from .catalogue import double_trouble, pig, two_dice_pig
from .doors import as_file
from .solver import solve
from .style import written_whole

__all__ = ["write_page"]

TEMPLATES = Path(__file__).parent / "templates" / "play"
RULES = {
    "Two-dice Pig": "Roll two dice as often as you dare. Their sum is added to the turn total, and holding banks it. "
    "If one die shows a one the turn ends with nothing; two ones cost all that you have banked, too.",
    "Pig": "Roll a die as often as you dare. Its number is added to the turn total, and holding banks it. "
    "A one ends the turn with nothing.",
    "Double Trouble": "As two-dice Pig: the sum of two dice is added to the turn total, a one ends the turn with "
    "nothing, two ones cost all that you have banked. But after any other double you must roll again.",
}


def write_page(file):
    """Solve two-dice Pig, Pig and Double Trouble to 100, and write the page.

    Parameters
    ----------
    file : str or Path
        To be written, whole or not at all.

    Raises
    ------
    ValueError
        If there is no such folder; before anything is solved.
    """
    file = as_file(file, "file")
    games = [in_short(solve(game)) | {"rules": RULES[game.name]} for game in (two_dice_pig(), pig(), double_trouble())]
    page = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=False).get_template("play.html.j2")
    parts = {name: (TEMPLATES / name).read_text(encoding="utf-8") for name in ("play.css", "game.js", "page.js")}
    script = parts["game.js"] + parts["page.js"].removeprefix('"use strict";\n')
    data = json.dumps(games, separators=(",", ":")).replace("<", "\\u003c")
    with written_whole(file) as part:
        part.write_text(page.render(style=parts["play.css"], script=script, games=data), encoding="utf-8")


def in_short(solution):
    """A solution as the page stores it: JSON with rules, `values` and `policy`, both base64.

    Values are little-endian uint16, of 65535, by own score and opponent's. The policy is by own score, opponent's and
    mode in which one may hold: a byte, how many runs of turn totals follow; then their lengths, a byte each, to roll,
    to hold, and so on, the last run, which goes to the target, left out.

    Raises
    ------
    ValueError
        If a roll leaves a choice of dice, or a length does not fit.
    """
    game = solution.game
    if any(len(outcome.choices) > 1 for mode in game.modes for outcome in mode.outcomes) or game.target > 255:
        raise ValueError(f"{game.name} to {game.target}: the page knows no choices of dice and no targets above 255")
    runs = bytearray()
    for own in range(game.target):
        rolls = solution.policy.row(game, own)[:, [mode.may_hold for mode in game.modes], : game.target - own]
        for decisions in rolls.reshape(-1, game.target - own):
            ends = np.flatnonzero(np.diff(decisions)) + 1
            runs += bytes([len(ends), *np.diff(ends, prepend=0)])
    return {
        "name": game.name,
        "target": game.target,
        "modes": [_mode(game, mode) for mode in game.modes],
        "values": _text(np.rint(solution.values * 65535).astype("<u2").tobytes()),
        "policy": _text(runs),
    }


def _mode(game, mode):
    """A mode: whether one may hold, and the outcomes, each with a whole weight, its result, and the rolls."""
    weights = math.lcm(*(outcome.probability.denominator for outcome in mode.outcomes))
    results = [[o.choices[0].points, game.mode(o.choices[0].mode)] if o.choices else o.result for o in mode.outcomes]
    outcomes = [
        [int(o.probability * weights), result, o.rolls] for o, result in zip(mode.outcomes, results, strict=True)
    ]
    return {"hold": mode.may_hold, "weights": weights, "outcomes": outcomes}


def _text(data):
    return base64.b64encode(data).decode()
