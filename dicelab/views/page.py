"""The web page to play on: one HTML file with the rules, the optimal policy and the values of some games inside.

The policy is stored as lengths of ranges of turn totals, the values as 16-bit integers. The page's own script computes
the action values of a turn from them (``templates/play/game.js``).
"""

import base64
import json
import math
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader

from .._files import atomic_write
from .._validation import check_path, check_type
from ..games.catalogue import double_trouble, pig, two_dice_pig
from ..solvers import solve
from .rules import rules_in_words

__all__ = ["PLAYED", "write_page"]

TEMPLATES = Path(__file__).parent / "templates" / "play"
PLAYED = {game.__name__.replace("_", "-"): game for game in (pig, two_dice_pig, double_trouble)}


def write_page(file, home=""):
    """Solve Pig, two-dice Pig and Double Trouble to 100, and write the page.

    The page begins with the game that its address names: ``play.html?game=two-dice-pig``.

    Parameters
    ----------
    file : str or Path
        It is written whole or not at all.
    home : str, optional
        The address of the site that the page belongs to, for a link; by default the page stands alone.

    Raises
    ------
    ValueError
        If there is no such folder, or `home` is not a str. It is checked before any game is solved.
    """
    check_type(home, "home", str, "an address, or ''")
    file, games = check_path(file, "file"), {slug: make() for slug, make in PLAYED.items()}
    packed = [
        pack_solution(solve(game)) | {"rules": " ".join(rules_in_words(game)), "slug": slug}
        for slug, game in games.items()
    ]
    page = Environment(loader=FileSystemLoader(TEMPLATES), autoescape=False).get_template("play.html.j2")
    parts = {name: (TEMPLATES / name).read_text(encoding="utf-8") for name in ("play.css", "game.js", "page.js")}
    script = parts["game.js"] + parts["page.js"].removeprefix('"use strict";\n')
    data = json.dumps(packed, separators=(",", ":")).replace("<", "\\u003c")
    with atomic_write(file) as part:
        part.write_text(page.render(style=parts["play.css"], script=script, games=data, home=home), encoding="utf-8")


def pack_solution(solution):
    """A solution as the page stores it: a dict for JSON with the rules, and `values` and `policy` in base64.

    Values are little-endian uint16, in units of 1/65535, by own and opponent's score. The policy is stored by own
    score, opponent's score and each mode in which the player may hold: a byte with the number of ranges of turn totals,
    then their lengths, one byte each, alternately to roll and to hold. The last range, which ends at the target, is
    left out.

    Raises
    ------
    ValueError
        If a roll leaves a choice of dice or may add no point, if one must hold in a mode, or the target is above 255.
    """
    game = solution.game
    if any(len(outcome.choices) > 1 for mode in game.modes for outcome in mode.outcomes) or game.target > 255:
        raise ValueError(f"{game.name} to {game.target}: the page supports no choices of dice and no targets above 255")
    if any(mode.must_hold or not all(choice.points for choice in mode.choices) for mode in game.modes):
        raise ValueError(f"{game.name}: the page supports no outcomes of 0 points and no modes in which one must hold")
    runs = bytearray()
    for own in range(game.target):
        rolls = solution.policy.decisions_at(game, own)[:, [mode.may_hold for mode in game.modes], : game.target - own]
        for decisions in rolls.reshape(-1, game.target - own):
            ends = np.flatnonzero(np.diff(decisions)) + 1
            runs += bytes([len(ends), *np.diff(ends, prepend=0)])
    return {
        "name": game.name,
        "target": game.target,
        "modes": [_mode(game, mode) for mode in game.modes],
        "values": _base64(np.rint(solution.values * 65535).astype("<u2").tobytes()),
        "policy": _base64(runs),
    }


def _mode(game, mode):
    """A mode for JSON: whether the player may hold, and for each outcome its integer weight, its result, its rolls."""
    weights = math.lcm(*(outcome.probability.denominator for outcome in mode.outcomes))
    results = [[o.choices[0].points, game.mode(o.choices[0].mode)] if o.choices else o.result for o in mode.outcomes]
    pairs = zip(mode.outcomes, results, strict=True)
    outcomes = [[int(o.probability * weights), result, o.rolls] for o, result in pairs]
    return {"hold": mode.may_hold, "weights": weights, "outcomes": outcomes}


def _base64(data):
    return base64.b64encode(data).decode()
