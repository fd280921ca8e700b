"""Text from keyboards and files, read as it was meant: dashes, blanks, quotes, capitals, decimal commas.

Word processors, browsers and telephones replace "-" by a dash, a blank by a no-break space, and quotes by typographic
ones. `plain` undoes this for one line or one cell of a table. `choose` finds the name that is meant, `whole_number`
and `with_point` read numbers. Where the meaning is not sure nothing is guessed, and `misfit` says for a message which
character is in the way.
"""

import re
import unicodedata

from ._validation import short_repr

DASHES = "‐‑‒–—―−⁃﹘﹣"
QUOTES = "\"'`"
READ_AS = {
    **dict.fromkeys(DASHES, "-"),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u2032", "'"),  # ‘ ’ ‚ ‛ ‹ › ′
    **dict.fromkeys("\u201c\u201d\u201e\u201f\xab\xbb\u2033", '"'),  # “ ” „ ‟ « » ″
    **{chr(0xFEE0 + code): chr(code) for code in range(0x21, 0x7F)},  # full-width forms
}
WHOLE = re.compile(r"[+-]?(\d{1,1000}|\d{1,3}([,_' ])\d{3}(\2\d{3})*)", re.ASCII)
DECIMAL = re.compile(
    r"""([^,.\d]*)                         # a sign
    (
        \d{1,3}(?:[.' ]\d{3})+            # groups, so that the comma is not another group's
        | \d{4,} | 0+ | \d+(?!,\d{3}(?!\d))
    )
    ,
    (\d+[ ]*(?![\d,.' ])[^,.]*)           # the decimals, and perhaps a sign of percent
    """,
    re.ASCII | re.VERBOSE,
)


def _as_typed(character):
    """The character of a keyboard that a character stands for; "" if it is invisible."""
    if unicodedata.category(character) == "Cf":  # a byte-order mark, marks of direction
        return ""
    return READ_AS.get(character, " " if character.isspace() else character)


def _typed(text):
    """The characters of ``plain(text)``, a list of pairs: the place in `text`, counted from 1, and the character."""
    kept = [(place, _as_typed(character)) for place, character in enumerate(text, start=1)]
    kept = [(place, character) for place, character in kept if character]
    while True:
        read = "".join(character for _, character in kept)
        kept = kept[len(read) - len(read.lstrip()) : len(read.rstrip())]
        read = read.strip()
        if len(read) < 2 or read[0] != read[-1] or read[0] not in QUOTES or read.count(read[0]) > 2:
            return kept
        kept = kept[1:-1]


def plain(text):
    """A line of text, or a cell of a table, as a plain keyboard would have typed it.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        With "-" for dashes and minus signs, a blank for every kind of blank and line end, and straight quotes.
        Invisible characters are left out, and so are blanks and pairs of quotes around the whole.

    Examples
    --------
    >>> plain("\\ufeff“pig 100: 30\N{EN DASH}45”\\r\\n")
    'pig 100: 30-45'
    """
    return "".join(character for _, character in _typed(text))


def trimmed(text):
    """A text without what :func:`plain` leaves out around it, and unchanged within: for names of files.

    Examples
    --------
    >>> trimmed(" “Mueller\N{EN DASH}2024.csv” ")
    'Mueller\N{EN DASH}2024.csv'
    """
    places = [place for place, _ in _typed(text)]
    return text[places[0] - 1 : places[-1]] if places else ""


def misfit(text, unread=0):
    """The character of a refused text that does not fit, for the end of a message.

    Parameters
    ----------
    text : str
        As it was given.
    unread : int
        How many characters at the end of ``plain(text)`` could not be read; 0 if that is not known.

    Returns
    -------
    str
        "; the character '…' (U+2026) at place 7 is not read", with the place in `text`, counted from 1: the first one
        that is not on every keyboard, or else the first unread one. "" if there is neither.
    """
    typed = _typed(text)
    places = [place for place, c in typed if not (c.isascii() and c.isprintable())]
    places += [place for place, _ in typed[len(typed) - unread :]]
    if not places:
        return ""
    character = text[places[0] - 1]
    return f"; the character {short_repr(character)} (U+{ord(character):04X}) at place {places[0]} is not read"


def _key(name):
    return re.sub(r"[\s_-]+", " ", name.casefold()).strip()


def choose(text, names):
    """The one of some names that a text means: case does not matter, nor do hyphens, underscores and blanks in between.

    Returns
    -------
    str
        One of `names`, or else `text` itself, for :func:`dicelab._validation.check_option` to refuse.

    Examples
    --------
    >>> choose("Two_Dice Pig", ["pig", "two-dice-pig"])
    'two-dice-pig'
    """
    if not isinstance(text, str) or text in names:
        return text
    meant = [name for name in names if _key(name) == _key(plain(text))]
    return meant[0] if len(meant) == 1 else text


def whole_number(text):
    """The whole number that a text means, an int; None if that is not sure.

    Thousands may be parted by commas, underscores, apostrophes or blanks.

    Examples
    --------
    >>> whole_number("10,000"), whole_number("\N{MINUS SIGN}3"), whole_number("1,00")
    (10000, -3, None)
    """
    text = plain(text)
    return int(re.sub("[,_' ]", "", text)) if WHOLE.fullmatch(text) else None


def with_point(text):
    """A decimal number with a point, if it was written with a comma and the meaning is sure.

    Returns
    -------
    str
        ``plain(text)``, with the comma replaced in "0,25" and "12,5 %". "1,234" stays as it is: it may be 1234.

    Examples
    --------
    >>> with_point("0,25"), with_point("1,234"), with_point("0,125"), with_point("1.234,5")
    ('0.25', '1,234', '0.125', '1234.5')
    """
    text = plain(text)
    if match := DECIMAL.fullmatch(text):
        return f"{match[1]}{re.sub('[^0-9]', '', match[2])}.{match[3]}"
    return text
