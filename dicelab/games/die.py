"""A die in words: "1 2 3 4 5 6, ones bust"."""

import re
from fractions import Fraction
from typing import NamedTuple

from .._text import misfit, plain, with_point
from .._validation import check_name, check_probability, invalid

__all__ = ["Face", "bust_probabilities", "read_die"]

LARGEST_FACE = 100
NUMBERS = (
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
)
NAMES = {  # of the faces that bust
    f"{word}{end}": n
    for n in range(LARGEST_FACE + 1)
    for word in (n, *NUMBERS[n : n + 1])
    for end in ("", "s", "es")
}
FILLERS = {"a", "an", "and", "are", "face", "faces", "is", "or", "the"}
# Elsewhere a comma parts faces.
DECIMAL_COMMA = re.compile(r"(?<=:)(0,\d+|\d+,\d+%)(?![\d:/])", re.ASCII)
FACES = (
    f"faces from 0 to {LARGEST_FACE}, such as 1 2 3 4 5 6; a chance follows a colon, as in 6:1/4"
)


class Face(NamedTuple):
    """A face of a die."""

    number: int
    chance: Fraction
    busts: bool


def read_die(text):
    """Read a die that is written in words.

    Parameters
    ----------
    text : str
        The faces, then, after a comma, those that bust: "1 2 3 4 5 6, ones bust" or "0 1 2, 0 and 1 bust". A face that
        is written twice comes up twice as often. "6:1/2" gives face 6 the chance 1/2 (or 0.5, or 50%); faces without a
        chance share what is left.

    Returns
    -------
    list of Face
        In ascending order. The chances are positive and sum to 1.

    Raises
    ------
    ValueError
        If a word is not understood, chances do not sum to 1, or no face busts or none scores.

    Examples
    --------
    >>> [str(face.chance) for face in read_die("1 2 3 6:1/2, ones bust")]
    ['1/6', '1/6', '1/6', '1/2']
    """
    written, bad = [], set()
    check_name(text, "die", "faces and what busts, as in '1 2 3 4 5 6, ones bust'")
    if misfit(text):
        raise invalid("die", text, FACES + misfit(text))
    read = re.sub(r"\s*[:=]\s*", ":", "\n".join(map(plain, text.splitlines())))
    read = DECIMAL_COMMA.sub(lambda match: with_point(match[0]), re.sub(r"\s+%", "%", read))
    for words in map(str.split, re.split("[,;\n]", read.lower())):
        if words and words[-1] in ("bust", "busts"):
            bad |= {_read_name(word) for word in words[:-1] if word not in FILLERS}
        else:
            written += map(_read_face, words)
    shared = [(number, chance) for number, chance in _share(written) if chance]
    numbers = {number for number, _ in shared}
    refused = {
        "no face scores; write the faces, a comma, and what busts: 1 2 3 4 5 6, ones bust": numbers
        <= bad,
        f"{sorted(bad - numbers)} would bust, but not all of them are on the die": bad - numbers,
        "no face busts, so that nobody would ever hold; add, for example, 'ones bust'": not bad,
        "a 0 neither scores nor busts; add 'zeros bust', or leave it out": 0 in numbers - bad,
    }
    for said in filter(refused.get, refused):
        raise ValueError(f"die: {said}")
    return [
        Face(number, sum(chance for face, chance in shared if face == number), number in bad)
        for number in sorted(numbers)
    ]


def bust_probabilities(faces):
    """The probabilities as :func:`dicelab.generalized_pig` takes them: first of all faces that bust, then of 1, 2, …

    Parameters
    ----------
    faces : list of Face

    Returns
    -------
    list of Fraction
    """
    scoring = {face.number: face.chance for face in faces if not face.busts}
    chances = [scoring.get(number, Fraction(0)) for number in range(1, max(scoring) + 1)]
    return [1 - sum(chances), *chances]


def _read_face(word):
    """A face and its chance, None if there is none: (6, 1/4) for "6:1/4"."""
    number, colon, chance = word.partition(":")
    if not re.fullmatch("[0-9]{1,3}", number) or int(number) > LARGEST_FACE:
        raise invalid("die", word, FACES)
    # "25%" is 25e-2.
    return int(number), check_probability(chance.replace("%", "e-2"), "die") if colon else None


def _read_name(word):
    """The number of a face that busts: 1 for "1", "1s", "one" and "ones"."""
    if word not in NAMES:
        raise invalid("die", word, "the faces that bust, as in 'ones bust' or '1 and 2 bust'")
    return NAMES[word]


def _share(written):
    """Pairs of a face and its chance; those without a chance share equally what the others leave."""
    given = sum((chance for _, chance in written if chance is not None), Fraction(0))
    others = sum(chance is None for _, chance in written)
    # Faces without a chance are there if, and only if, something is left for them.
    if written and (given > 1 or (given < 1) != (others > 0)):
        raise ValueError(
            f"die: the chances sum to {given}, "
            + ("so that nothing is left for the other faces" if given == 1 else "not to 1")
        )
    return [
        (number, (1 - given) / others if chance is None else chance) for number, chance in written
    ]
