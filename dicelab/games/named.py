"""Games in a line of text: "pig 100 finish=exact" is Pig to 100, with a target to be hit exactly.

The text of a game is its name in the catalogue, its target, and what is not as usual: "pig 100 finish=exact",
"ten-thousand 200 opening=500". Without a target it is the game's own. Targets are in points, or in chips where the game
counts chips.

Texts are read as people type and copy them: see :mod:`dicelab._text` for dashes, blanks and quotes. Names may have
capitals, and blanks or underscores for hyphens: "Two-dice Pig to 100" is "two-dice-pig 100".
"""

import inspect
import re
from functools import lru_cache
from itertools import takewhile

from .._text import choose, misfit, plain, whole_number
from .._validation import check_option, check_type, invalid
from .catalogue import GAMES
from .model import FINISHES, Game, check_game

__all__ = ["parse_game", "plain_text", "read_game", "read_number"]

OPTIONS = {  # what a game may have that is not as usual, and how it is found in the game
    "finish": lambda game: game.finish,
    "lowest": lambda game: game.lowest,
    "minimum": lambda game: game.registers[0].least_hold * game.chip if game.registers else 0,
    "opening": lambda game: game.registers[0].least_hold * game.chip if game.registers else 0,
}
OPTION = re.compile(r"[\s,;]+(\w+)\s*=\s*(.*?)(?=[\s,;]+\w+\s*=|$)")
EXAMPLE = "a game such as 'pig 100' or 'ten-thousand 200 opening=500'"
LONGEST = 9  # digits of a number


def parse_game(text: str) -> Game:
    """Read the text of a game: "pig 100", "pig 100 finish=exact".

    Parameters
    ----------
    text : str
        The name in the catalogue, the target (by default the game's own), and any of these with a value, where the game
        has them: finish (reach, exact, equal-turns, last-licks), opening, minimum, lowest.

    Returns
    -------
    Game

    Raises
    ------
    ValueError
        If it is not the text of a game; the message names the part.

    Examples
    --------
    >>> parse_game("ten-thousand 200 opening=500").registers[0].least_hold
    10
    """
    return _make_game(check_type(text, "game", str, EXAMPLE))


def plain_text(text, field, allowed):
    """A text as a plain keyboard would have typed it; ValueError if it has other characters."""
    if not isinstance(text, str) or misfit(text):
        raise invalid(field, text, allowed + (misfit(text) if isinstance(text, str) else ""), str)
    return plain(text)


@lru_cache(64)  # some games take a second to make
def _make_game(text):
    """See :func:`parse_game`."""
    text = plain_text(text, "game", EXAMPLE)
    words = [word.strip(",;.") for word in OPTION.split(text)[0].split() if word.strip(",;.")]
    named = list(takewhile(lambda word: not any(map(str.isdecimal, word)), words))
    name = choose(" ".join(named).removesuffix(" to"), GAMES)
    make = GAMES[check_option(name, "game", GAMES)]
    allowed = [option for option in OPTIONS if option in inspect.signature(make).parameters]
    target, *more = words[len(named) :] or [None]
    for word in more:
        check_option(word, "option of the game", allowed)
    given = {} if target is None else {"target": read_number(target, "target")}
    for option, value in OPTION.findall(text):
        option = check_option(choose(option, allowed), "option of the game", allowed)
        value = plain(value.rstrip(" ,;."))
        given[option] = (
            choose(value, FINISHES) if option == "finish" else read_number(value, option)
        )
    return make(**given)


def read_number(text, field):
    """Read a whole number."""
    number = whole_number(text)
    if number is None or abs(number) >= 10**LONGEST:
        raise invalid(field, text, f"a whole number of at most {LONGEST} digits")
    return number


def read_game(value, field="game"):
    """Read a game that is asked for: a Game itself, or the text of one of the catalogue.

    Parameters
    ----------
    value : Game or str
        See :func:`parse_game`.
    field : str
        The argument of the caller, for messages.

    Returns
    -------
    Game

    Raises
    ------
    ValueError
        If it is none.

    Examples
    --------
    >>> read_game("two-dice-pig").target, read_game("pig 50").target
    (100, 50)
    """
    return parse_game(value) if isinstance(value, str) else check_game(value, field)
