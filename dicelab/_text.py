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
    read = "".join(map(_as_typed, text)).strip()
    while len(read) > 1 and read[0] == read[-1] in QUOTES and read.count(read[0]) == 2:
        read = read[1:-1].strip()
    return read


def trimmed(text):
    """A text without what :func:`plain` leaves out around it, and unchanged within: for names of files.

    Examples
    --------
    >>> trimmed(" “Mueller\N{EN DASH}2024.csv” ")
    'Mueller\N{EN DASH}2024.csv'
    """
    return text.strip("".join(c for c in {*text} if not _as_typed(c).strip(QUOTES + " ")))


def misfit(text):
    """The first character of a text that is not on every keyboard, for the end of a message; "" if there is none.

    >>> misfit("pig…")
    "; the character '…' (U+2026) is not read"
    """
    odd = next((c for c in plain(text) if not (c.isascii() and c.isprintable())), "")
    return odd and f"; the character {short_repr(odd)} (U+{ord(odd):04X}) is not read"


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
