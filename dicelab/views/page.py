"""The web pages: one HTML file each, which needs no network.

The page that solves is assembled from the modules in ``templates/page``: see :func:`assemble`. The older page to play
on has the optimal policy and the values of some games inside. The policy is stored as lengths of ranges of turn totals,
the values as 16-bit integers. The page's own script computes the action values of a turn from them
(``templates/play/game.js``).
"""

import base64
import hashlib
import json
import math
import re
import sys
from itertools import combinations_with_replacement
from pathlib import Path

import numpy as np
from jinja2 import Environment, FileSystemLoader

from .._files import atomic_write
from .._validation import check_path, check_type
from ..games.absorption import beyond_target, choices_are_ranked
from ..games.catalogue import GAMES, double_trouble, pig, two_dice_pig
from ..solvers import solve
from .rules import rules_in_words

__all__ = ["PLAYED", "PLAYED_IN_FULL", "assemble", "game_data", "order_modules", "write_page", "write_solving_page"]

SOURCE = Path(__file__).parent / "templates" / "page"
PLAYED_IN_FULL = tuple(slug for slug, make in GAMES.items() if not make().registers)  # the page's solver knows none
IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "\./([\w./-]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function)\b\*? (\w+))", re.M)
FIRST_ROLL = 192  # the character of a mode's first outcome; see FIRST in game.js
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


def write_solving_page(file, home=""):
    """Write the page that solves. The arguments are those of :func:`write_page`; the same files give the same bytes."""
    check_type(home, "home", str, "an address, or ''")
    file, text = check_path(file, "file"), assemble(SOURCE, home)
    with atomic_write(file) as part:
        part.write_text(text, encoding="utf-8")


def assemble(folder, home=""):
    """The page that solves, a str: ``page.html.j2`` with the styles, the games, and the modules of a folder in it.

    The page runs ``main.js``, a Web Worker ``worker.js``. The worker's script is made from two scripts of the page: the
    modules that ``worker.js`` imports, which the page runs, too, and ``worker.js`` itself, which it does not.

    Raises
    ------
    ValueError
        As :func:`order_modules`.
    """
    shared, modules = order_modules(folder, "worker.js"), order_modules(folder, "main.js")
    scripts = {
        "solving": '"use strict";\nconst modules = {};\n' + _wrapped(shared[:-1], folder),
        "worker": _wrapped(shared[-1:], folder),
        "page": '"use strict";\n' + _wrapped([name for name in modules if name not in shared], folder),
    }
    hashes = [hashlib.sha256(scripts[name].encode()).digest() for name in ("solving", "page")]
    allowed = " ".join(f"'sha256-{_base64(digest)}'" for digest in hashes)
    policy = (
        f"default-src 'none'; script-src {allowed}; worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:"
    )
    games = [game_data(slug) for slug in PLAYED_IN_FULL]
    data = json.dumps(games, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    style = "".join(path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.css")))
    page = Environment(loader=FileSystemLoader(folder), autoescape=False, trim_blocks=True).get_template("page.html.j2")
    return page.render(
        **scripts, games=data, style=style, home=home, policy=f"{policy}; form-action 'none'; base-uri 'none'"
    )


def order_modules(folder, first):
    """The names of a module and of all that it imports, a list; each after the modules that it imports.

    Raises
    ------
    ValueError
        If modules import each other, a module imports what is not exported, or imports and exports are written in
        another way than ``import { a, b } from "./name.js";`` and ``export`` before ``const``, ``function``, ``class``.
    """
    order, path = [], []

    def visit(name):
        if name in path:
            raise ValueError(f"{name}: modules import each other: {' -> '.join([*path, name])}")
        if name in order:
            return
        path.append(name)
        text = (folder / name).read_text(encoding="utf-8")
        for names, other in IMPORT.findall(text):
            visit(other)
            missing = set(_names(names)) - set(EXPORT.findall((folder / other).read_text(encoding="utf-8")))
            if missing:
                raise ValueError(f"{name}: {other} does not export {', '.join(sorted(missing))}")
        left = re.search(r"^(import|export)\b.*|</script|<!--", EXPORT.sub("", IMPORT.sub("", text)), re.M)
        if left:
            raise ValueError(f"{name}: {left[0]!r} is not supported in a module of the page")
        order.append(path.pop())

    visit(first)
    return order


def _names(text):
    return [name.strip() for name in text.split(",") if name.strip()]


def _wrapped(names, folder):
    """Modules as one classic script: each a function that is called once and returns what the module exports."""
    return "".join(_wrap(name, (folder / name).read_text(encoding="utf-8")) for name in names)


def _wrap(name, text):
    """A module as an entry of `modules`. Its own names are those of the function, and so cannot clash with others."""
    body = IMPORT.sub(lambda found: f'const {{ {", ".join(_names(found[1]))} }} = modules["{found[2]}"];\n', text)
    exports = ", ".join(EXPORT.findall(text))
    return f'modules["{name}"] = (() => {{\n{EXPORT.sub("", body).rstrip()}\nreturn {{ {exports} }};\n}})();\n'


def game_data(slug):
    """The rules of a game of the catalogue for JSON, as ``game.js`` describes them: without registers.

    Raises
    ------
    ValueError
        If the game has registers, or choices that must be ranked beyond the target.
    """
    game = GAMES[slug]()
    if game.registers or choices_are_ranked(game):
        raise ValueError(f"{game.name}: the page supports no registers and no choices beyond the target")
    words, game = rules_in_words(game)[:-1], game.until_change
    beyond = [ends[-1] for ends in beyond_target(game)[0]]
    modes = [_mode_data(game, mode, ends) for mode, ends in zip(game.modes, beyond, strict=True)]
    fields = {"slug": slug, "name": game.name, "target": game.target, "chip": game.chip, "words": words}
    return fields | {"modes": modes}


def _mode_data(game, mode, beyond):
    """A mode for JSON."""
    outcomes = [[float(outcome.probability), _result(game, outcome)] for outcome in mode.outcomes]
    data = {
        "name": mode.name,
        "hold": mode.may_hold,
        "asks": mode.asks,
        "beyond": [float(share) for share in beyond[:2]],
    }
    numbers = {roll: number for number, outcome in enumerate(mode.outcomes) for roll in outcome.rolls}
    if numbers:
        dice, faces = len(next(iter(numbers))), sorted({face for roll in numbers for face in roll})
        listed = [numbers[roll] for roll in combinations_with_replacement(faces, dice)]
        data |= {"dice": dice, "faces": faces, "rolls": "".join(chr(FIRST_ROLL + number) for number in listed)}
    return data | {"outcomes": outcomes}


def _result(game, outcome):
    """The result of an outcome for JSON: a word, or a list of choices."""
    if not outcome.choices:
        return outcome.result
    asides = [[" ".join(map(str, choice.aside))] if choice.aside else [] for choice in outcome.choices]
    return [[c.points, game.mode(c.mode), *aside] for c, aside in zip(outcome.choices, asides, strict=True)]


if __name__ == "__main__":
    write_solving_page(sys.argv[1])
