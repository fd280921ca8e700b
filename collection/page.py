"""The web page that solves: one HTML file, which needs no network.

It is assembled from the modules in the folder ``page``: see :func:`assemble`. The page has the rules of the games; its
own solver, in JavaScript, finds the optimal policies in the reader's browser.
"""

import base64
import hashlib
import json
import re
import sys
import zlib
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
from jinja2 import Environment, FileSystemLoader

from dicelab._files import atomic_write
from dicelab._validation import check_path, check_type
from dicelab.evaluation.solving import solve
from dicelab.games import catalogue
from dicelab.games.absorption import choices_are_ranked
from dicelab.games.catalogue import GAMES
from dicelab_extras.play.rules import rules_in_words
from dicelab_extras.proofs.rules import beyond_target

from .first_question import colours_json, colours_style, first_question
from .papers.published import ROOT

__all__ = ["PLAYED", "assemble", "game_data", "order_modules", "pack", "write_page"]

SOURCE = ROOT / "page"
PLAYED = tuple(slug for slug, make in GAMES.items() if make in catalogue.PLAYED.values())
# A browser takes long to solve these: the site's page has their values.
CARRIED = "ten-thousand", "farkle"
STEP = 1e-6  # to which these are rounded; see carried.js
IMPORT = re.compile(r'^import \{([\w\s,]+)\} from "\./([\w./-]+)";\n', re.M)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|class|function)\b\*? (\w+))", re.M)
FIRST_ROLL = 192  # the character of a mode's first outcome; see FIRST_ROLL in game.js


def write_page(file, home="", address=""):
    """Write the page that solves: to read, to change the die, and to play the games in `PLAYED`.

    The same files of this package give the same bytes. A game in the address is the one to play first:
    ``play.html?game=two-dice-pig``.

    Parameters
    ----------
    file : str or Path
        It is written whole or not at all.
    home : str, optional
        The address of the site that the page belongs to, for a link; by default the page stands alone.
    address : str, optional
        Where this site is published, for what others show beside a link to the page; it has the site's card.

    Raises
    ------
    ValueError
        If there is no such folder, or `home` or `address` is not a str.
    """
    check_type(home, "home", str, "an address, or ''")
    check_type(address, "address", str, "an address, or ''")
    file, text = check_path(file, "file"), assemble(SOURCE, home, address)
    with atomic_write(file) as part:
        part.write_text(text, encoding="utf-8")


def assemble(folder, home="", address=""):
    """The page that solves, a str: ``page.html.j2`` with the styles, the games, and the modules of a folder in it.

    The page runs ``main.js``, a Web Worker ``worker.js``. The worker's script is made from two scripts of the page: the
    modules that ``worker.js`` imports, which the page runs, too, and ``worker.js`` itself, which it does not.

    Raises
    ------
    ValueError
        As :func:`order_modules`.
    """
    shared = order_modules(folder, "worker.js")
    modules = order_modules(folder, "main.js")
    scripts = {
        "solving": '"use strict";\nconst modules = {};\n' + _wrapped(shared[:-1], folder),
        "worker": _wrapped(shared[-1:], folder),
        "page": '"use strict";\n'
        + _wrapped([name for name in modules if name not in shared], folder),
    }
    hashes = [hashlib.sha256(scripts[name].encode()).digest() for name in ("solving", "page")]
    allowed = " ".join(f"'sha256-{_base64(digest)}'" for digest in hashes)
    sources = "worker-src blob:; style-src 'unsafe-inline'; img-src data: blob:; form-action 'none'; base-uri 'none'"
    policy = f"default-src 'none'; script-src {allowed}; {sources}"
    games = [game_data(slug) for slug in PLAYED]
    carried = [game for game in games if home and game["slug"] in CARRIED]
    for game in carried:
        game["packed"] = _packed(game["slug"])
    data = json.dumps(games, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    sheets = [path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.css"))]
    page = Environment(
        loader=FileSystemLoader(folder), autoescape=False, trim_blocks=True
    ).get_template("page.html.j2")
    return page.render(
        **scripts,
        games=data,
        style="".join([colours_style(), *sheets]),
        home=home,
        address=address,
        carried=[game["name"] for game in carried],
        policy=policy,
        colours=colours_json(),
        question=first_question,
    )


def order_modules(folder, first):
    """The names of a module and of all that it imports, a list; each after the modules that it imports.

    Raises
    ------
    ValueError
        If modules import each other, a module imports what is not exported, or imports and exports are written in
        another way than ``import { a, b } from "./name.js";`` and ``export`` before ``const``, ``function``, ``class``;
        or a module contains ``</script`` or ``<!--``.
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
            missing = set(_names(names)) - set(
                EXPORT.findall((folder / other).read_text(encoding="utf-8"))
            )
            if missing:
                raise ValueError(f"{name}: {other} does not export {', '.join(sorted(missing))}")
        left = re.search(
            r"^(import|export)\b.*|</script|<!--", EXPORT.sub("", IMPORT.sub("", text)), re.M
        )
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
    body = IMPORT.sub(
        lambda found: f'const {{ {", ".join(_names(found[1]))} }} = modules["{found[2]}"];\n', text
    )
    exports = ", ".join(EXPORT.findall(text))
    return f'modules["{name}"] = (() => {{\n{EXPORT.sub("", body).rstrip()}\nreturn {{ {exports} }};\n}})();\n'


@cache
def _packed(slug):
    return pack(solve(GAMES[slug]()).values)


def pack(values):
    """The values of a game as a short text, which carried.js reads.

    They are rounded to `STEP`. Their differences, twice from row to row and once from column to column, are small. The
    low bytes of these stand together, then the middle and the high ones, deflated.
    """
    numbers = np.rint(values / STEP).astype(int)
    for axis in (0, 0, 1):
        numbers = np.diff(numbers, axis=axis, prepend=0)
    folded = np.where(numbers < 0, -2 * numbers - 1, 2 * numbers)
    parts = (folded >> np.array([0, 8, 16])[:, None, None]).astype(np.uint8)
    return _base64(zlib.compress(parts.tobytes(), 9))


def _base64(data):
    return base64.b64encode(data).decode()


def game_data(slug):
    """The rules of a game of the catalogue for JSON, as ``game.js`` describes them: without registers.

    Raises
    ------
    ValueError
        If the game has registers, or choices that must be ranked beyond the target.
    """
    game = GAMES[slug]()
    if game.registers or choices_are_ranked(game):
        raise ValueError(
            f"{game.name}: the page supports no registers and no choices beyond the target"
        )
    words, game = rules_in_words(game)[:-1], game.until_change
    beyond = [ends[-1] for ends in beyond_target(game)[0]]
    modes = [_mode_data(game, mode, ends) for mode, ends in zip(game.modes, beyond, strict=True)]
    fields = {
        "slug": slug,
        "name": game.name,
        "target": game.target,
        "chip": game.chip,
        "words": words,
    }
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
    numbers = {
        roll: number for number, outcome in enumerate(mode.outcomes) for roll in outcome.rolls
    }
    if numbers:
        dice = len(next(iter(numbers)))
        faces = sorted({face for roll in numbers for face in roll})
        listed = [numbers[roll] for roll in combinations_with_replacement(faces, dice)]
        data |= {
            "dice": dice,
            "faces": faces,
            "rolls": "".join(chr(FIRST_ROLL + number) for number in listed),
        }
    return data | {"outcomes": outcomes}


def _result(game, outcome):
    """The result of an outcome for JSON: a word, or a list of choices."""
    if not outcome.choices:
        return outcome.result
    asides = [
        [" ".join(map(str, choice.aside))] if choice.aside else [] for choice in outcome.choices
    ]
    return [
        [c.points, game.mode(c.mode), *aside]
        for c, aside in zip(outcome.choices, asides, strict=True)
    ]


if __name__ == "__main__":
    write_page(sys.argv[1])
