"""Tables of decisions that people bring: arrays, lists, DataFrames, dicts, CSV and JSON files.

Three shapes work. A table with N rows and N columns has the turn total to hold at, by own and opponent's score. One of
shape (N, N, N) says by own score, opponent's score and turn total whether to roll: True or 1; its innermost lists may
end at the target. A long table has a row for each pair of scores, or for each state, with columns that are named, in
any order; two columns may say what rolling and holding are worth. Scores may begin at 1, as in R: then 1 is none.

Columns are read by their names (:mod:`dicelab._parameters`). Every pair of scores must be there once. What was not read
is said.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from functools import cache, lru_cache, partial
from numbers import Real
from pathlib import Path

import numpy as np
import pandas as pd

from dicelab._limits import progress
from dicelab._parameters import MEANINGS, role_of, words_of
from dicelab._shown import shorten
from dicelab._text import misfit, plain, with_point
from dicelab._validation import short_repr
from dicelab.policies import check_first_rolls, decisions_shape
from dicelab.strategies import as_array, asked_of, check_asked, read_array, shapes

__all__ = ["ENDINGS", "HOLDS", "NEUTRAL", "ROLLS", "is_table", "read_table", "read_table_file"]

ENDINGS = (".csv", ".tsv", ".txt", ".json")
SEPARATORS = ",;\t"
# By byte-order mark.
ENCODINGS = (b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be")
WORDS = {"roll": 1.0, "hold": 0.0}
DECISIONS = WORDS | {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
THRESHOLD = {
    "threshold",
    "thresholds",
    "value",
    "values",
    "at",
}  # words beside "hold": the turn total to hold at
ACTION = {"action", "actions", "decision", "decisions", "does", "best", "move", "answer"}
CHANCE = {"probability", "probabilities", "chance", "share", "p", "prob"}
ROLLS = {"roll", "rolls", "rolling", "reroll", "again", "continue", "continues", "go"}
HOLDS = {
    "hold",
    "holds",
    "holding",
    "stop",
    "stops",
    "stopping",
    "stay",
    "stays",
    "bank",
    "banks",
    "stand",
    "stands",
}
NEUTRAL = set(  # words beside these in names that say what the answers are; any other word may turn the meaning round
    """
    a action actions again agent ai an and answer answers are at basic best bot by can choose chooses could
    decide decides decision dice did die do does f fn for func function g game good he human i if in is it
    keep keeps may me mine more must my n need needs now number of on once optimal or person pig play player
    plays points policy rule rules says score scores shall she should simple smart strategies strategy test
    the to total totals try turn value values want wants we whether will with would you your
    """.split()  # noqa: SIM905
)
# Other words, as "not" or "above", change the meaning.
PLAIN = (
    NEUTRAL
    | HOLDS
    | ROLLS
    | THRESHOLD
    | ACTION
    | CHANCE
    | {
        "minimum",
        "min",
        "lowest",
        "least",
        "smallest",
        "first",
        "q",
        "ev",
        "expected",
        "win",
        "wins",
    }
)
PAIRS = ["hold", "roll"], ["hold at", "roll"]  # kinds of columns with the values of both actions


def is_table(value):
    """Whether a value is a table of some kind: an array, a list, a dict or a DataFrame."""
    return hasattr(value, "columns") or isinstance(value, np.ndarray | list | tuple | Mapping)


def read_table(game, table, field, axes=""):
    """The decisions that a table says, and how it was read.

    Parameters
    ----------
    game : Game
    table : ndarray, list, DataFrame, or dict
    field : str
        For messages.
    axes : str, optional
        What the axes are, if the table is an array that was read from a file.

    Returns
    -------
    rolls : ndarray of bool (S, S, modes, T)
    read_as : str

    Raises
    ------
    ValueError
        If the table is not understood, lacks a pair of scores, or has one twice.
    """
    decisions_shape(game)  # which refuses what is too large
    check_asked(game, table, field)
    if isinstance(table, Mapping):
        return _long(game, _columns_of_dict(table, field), axes, field)
    if hasattr(table, "columns"):
        if not {"own", "opponent"} & {*map(role_of, table.columns)}:
            return _long(game, *_wide_frame(game, table, field), field)
        _check_unique(table.columns, field)
        return _long(game, {name: table[name].tolist() for name in table.columns}, axes, field)
    if isinstance(table, list | tuple):
        if len(table) and all(isinstance(row, Mapping) for row in table):  # records
            return read_table(game, pd.DataFrame([*table]), field)
        table = as_array(game, _filled_up(game, table), field)
    if table.dtype.kind in "OU":
        totals = table.shape == (len(game.scores),) * 2
        table = _as_numbers(game, table, field, totals)
    return read_array(game, table, field, axes or "by [own, opponent]")


def _kinds(game):
    """The shapes that work, for messages."""
    return f"{shapes(game)}; or a table with the columns own, opponent and hold at"


def _filled_up(game, table):
    """Lists [own][opponent][turn total] that end where a hold would reach the target, as long as the longest."""
    missing, wide = [game.missing(own) for own in game.scores], game.longest
    with suppress(TypeError):  # numbers have no length
        if [[*map(len, rows)] for rows in table] == [[most] * len(missing) for most in missing]:
            return [[[*row, *[row[-1]] * (wide - len(row))] for row in rows] for rows in table]
    return table


# Words


def _as_numbers(game, table, field, totals):
    """An array of text, words or mixed objects as numbers: 1 for roll, or with `totals` turn totals to hold at."""
    entries = table.ravel().tolist()
    read = partial(_amount, words=_words_of_totals(game)) if totals else _number
    numbers = _each(read, entries)
    if None in numbers:
        place = numbers.index(None)
        entry, at = entries[place], [int(k) for k in np.unravel_index(place, table.shape)]
        kind = "a word" if isinstance(entry, str) else f"an entry of type {type(entry).__name__}"
        raise ValueError(
            f"{field}: {short_repr(entry)} at {at}, {kind}, is not a decision{misfit(str(entry))}; "
            f"give {_kinds(game)}"
        )
    return np.array(numbers, dtype=float).reshape(table.shape)


def _each(read, entries):
    """What is read in each entry, a list. Equal ones are read once: of a million entries, few are different."""
    try:
        return [*map(lru_cache(None, typed=True)(read), entries)]  # typed: True is not 1 here
    except TypeError:  # a list, which has no hash
        return [*map(read, entries)]


def _words_of_totals(game):
    """Words as turn totals to hold at: "roll" is one that no turn reaches."""
    return {"roll": float(game.longest), "hold": 0.0}


def _amount(entry, words):
    """An entry of a table as a float: a number, but not True or False, or one of some words; None if it is none."""
    return None if isinstance(entry, bool | np.bool_) else _number(entry, words)


def _number(entry, words=DECISIONS):
    """An entry of a table as a float: a number, also as text, True, False, or one of some words; None if not."""
    if isinstance(entry, Real | np.bool_):
        return float(entry)
    if not isinstance(entry, str):
        return None
    word = plain(entry).lower()
    if word in words or "_" in word:
        return words.get(word)
    try:
        return float(with_point(word))
    except ValueError:
        return None


def _is_word(entry):
    """Whether an entry is the word roll or hold."""
    return isinstance(entry, str) and plain(entry).lower() in WORDS


# Labelled tables


def _check_unique(names, field):
    for name, count in Counter(names).items():
        if count > 1:
            raise ValueError(f"{field}: the column {name!r} is there twice")


def _kind_of(name, field):
    """What the answers in a column are, by its name: "hold at", "roll", "hold", "action"; None for none.

    ValueError for a name that may turn the meaning round, "not roll" or "hold above".
    """
    words = {word for word in words_of(name) if not word.isdigit()}
    if words & (HOLDS | ROLLS) and not words <= PLAIN and role_of(name) is None:
        odd = ", ".join(sorted(words - PLAIN))
        raise ValueError(
            f"{field}: the column {str(name)!r} is not understood, because of {odd}; name it "
            "hold at (hold at this turn total and above), hold (True means hold) or roll (True means roll)"
        )
    if words & ACTION:
        return "action"
    if words & HOLDS and not words & ROLLS:
        return "hold at" if words & THRESHOLD else "hold"
    if words & ROLLS and not words & HOLDS:
        return "roll"
    return "hold at" if words & {"threshold", "thresholds"} else "roll" if words & CHANCE else None


def _long(game, columns, axes, field):
    """The decisions of a long table: a row for every pair of scores, for every state, or for ranges."""
    roles = {}
    answers = {}
    unread = []
    if {"first", "last", "own", "opponent", "action"} <= {*columns}:
        columns = _ranges(game, columns, field)
    for name in columns:
        kind, role = _kind_of(name, field), role_of(name)
        if kind is None and role in ("own", "opponent", "turn_total", "mode"):
            if role in roles:
                raise ValueError(
                    f"{field}: the columns {roles[role]!r} and {name!r} would both be the {MEANINGS[role]}"
                )
            roles[role] = name
        elif kind is not None:
            answers[name] = kind
        else:
            unread.append(name)
    both = f"{field}: the columns are {', '.join(map(repr, columns))}"
    for role in ("own", "opponent"):
        if role not in roles:
            raise ValueError(
                f"{both}; none is the {role} score; name the columns own, opponent and hold at"
            )
    # Two names that differ by roll and hold alone, as q_roll and q_hold.
    alike = {frozenset(words_of(name)) - ROLLS - HOLDS for name in answers}
    if sorted(answers.values()) in PAIRS and len(alike) == 1 and "turn_total" in roles:
        answer = f"the larger of {' and '.join(answers)} (hold, if equal)"
        columns = columns | {answer: _larger(columns, answers, field)}
        answers = {answer: "action"}
    if len(answers) != 1:
        raise ValueError(
            f"{both}; {'more than one' if answers else 'none'} says what to do; "
            "name one column hold at (a turn total), or action (roll or hold)"
        )
    if game.registers:
        raise ValueError(
            f"{field}: {game.name} has registers, which this table does not tell; give an array"
        )
    (answer, kind), size = next(iter(answers.items())), len(game.scores)
    if kind == "hold" and "turn_total" not in roles:
        kind = "hold at"
    what = "what to do" if kind == "action" else f"whether to {kind}"
    pair = roles["own"], roles["opponent"]
    first = _begins(size, *(columns[name] for name in pair))
    pair = tuple(_scores(columns[name], name, field, size - 1, first=first) for name in pair)
    names = {
        "own": "own score",
        "opponent": "opponent's score",
        "turn_total": "turn total",
        "mode": "mode",
    }
    said = [axes, *(f"{key} is the {names[role]}" for role, key in roles.items() if key != role)]
    said.append(f"{answer} is {'the lowest turn total to hold at' if kind == 'hold at' else what}")
    said += ["scores begin at 1"] * first
    if unread:
        left = ", ".join(str(name) or "a column without a name" for name in unread)
        said.append(f"not read: {left}")
    if kind == "hold at":
        if extra := roles.get("turn_total") or roles.get("mode"):
            raise ValueError(
                f"{both}; {answer} is the turn total to hold at, for which {extra} has no meaning"
            )
        table, held = (
            np.zeros((size, size), int),
            _scores(columns[answer], answer, field, None, _words_of_totals(game)),
        )
        _fill_in(game, table, pair, held, True, field)
        return read_array(game, table, field)[0], "; ".join(filter(None, said))
    if "turn_total" not in roles:
        raise ValueError(f"{both}; {answer} says {what}, and no column is the turn total")
    name = roles["turn_total"]
    first *= _begins(game.longest, columns[name])
    said += ["turn totals begin at 1"] * first
    totals = _scores(columns[name], name, field, game.longest - 1, first=first)
    modes = np.arange(len(game.modes))[:, None]
    if "mode" in roles:
        modes = np.array(_each(lambda name: game.mode(str(name)), columns[roles["mode"]]))
    elif sum(mode.may_hold and not mode.must_hold for mode in game.modes) > 1:
        raise ValueError(f"{both}; {game.name} has several modes, and no column is the mode")
    values, text = _each(_number, columns[answer]), _each(_is_word, columns[answer])
    if not {*values} <= {0, 1}:
        row = next(row for row, value in enumerate(values) if value not in (0, 1))
        entry = columns[answer][row]
        no, yes = ("roll", "hold") if kind == "hold" else ("hold", "roll")
        raise ValueError(
            f"{field}: {short_repr(entry)} in the row {row + 1} of {answer!r}{misfit(str(entry))} "
            f"is not a decision; give roll or hold, or 0 or False for {no}, 1 or True for {yes}"
        )
    values = np.array(values)
    if kind == "hold":
        values = np.where(text, values, 1.0 - values)
    elif kind == "action" and not all(text):
        raise ValueError(
            f"{both}; {answer} must say roll or hold; for True or 1 name the column roll"
        )
    passes = np.zeros((size, size), dtype=bool)
    begins = np.atleast_2d(modes == game.mode(game.register(game.scores[0]).mode)).any(axis=0)
    np.logical_or.at(passes, pair, begins & (totals == 0) & (values < 1))
    check_first_rolls(game, passes, field, "the table")
    rolls, (asked, forced) = np.zeros(decisions_shape(game), dtype=bool), asked_of(game)
    _fill_in(game, rolls, (*pair, modes, totals), values, asked[:, None], field)
    return np.where(asked[:, None], rolls, forced[:, None]), "; ".join(filter(None, said))


def _larger(columns, answers, field):
    """Roll or hold by row, whichever of two columns has the larger value; an entry that is not a number has none."""
    roll, hold = sorted(answers, key=answers.get, reverse=True)
    values = np.array([_each(_number, columns[name]) for name in (roll, hold)], dtype=float)
    alone = np.isnan(values) & ~np.isnan(values[::-1])
    first, second = np.where(alone, -np.inf, values)
    return np.select([first > second, first <= second], ["roll", "hold"], "").tolist()


def _begins(size, *columns):
    """Where so many numbers begin that the columns have: 1 if they end at `size`, and 0 is not there; else 0."""
    seen = {number for entries in columns for number in _each(_number, entries)}
    return int(0.0 not in seen and float(size) in seen)


def _ranges(game, columns, field):
    """The columns of :func:`dicelab.to_frame`, rows for ranges of turn totals, with a row for every state instead."""
    if any(plain(str(entry)) for entry in columns.get("dice", ())):
        raise ValueError(
            f"{field}: in {game.name} the table says which dice to set aside, too, which is not read from a table; "
            "give the solution's policy, or a function with an attribute keep"
        )
    first, last = (
        _scores(columns[name], name, field, game.longest - 1) for name in ("first", "last")
    )
    rows = [(row, total) for row in range(len(first)) for total in range(first[row], last[row] + 1)]
    read = {
        name: columns[name] for name in ("own", "opponent", "mode", "action") if name in columns
    }
    read = {name: [entries[row] for row, _ in rows] for name, entries in read.items()}
    return read | {"turn total": [total for _, total in rows]}


def _fill_in(game, table, at, values, needed, field):
    """Fill in a table; ValueError unless every state that is `needed` is there once, and no other twice."""
    seen = np.zeros(table.shape, dtype=int)
    np.add.at(seen, at, 1)
    table[at] = values
    names = ("own", "opponent", "mode", "turn_total")[: table.ndim]
    for wrong, said in (
        ((seen == 0) & needed, "is missing"),
        (seen > 1, "is there more than once"),
    ):
        if wrong.any():
            state = dict(zip(names, np.argwhere(wrong)[0].tolist(), strict=True))
            if "mode" in state:
                state["mode"] = game.modes[state["mode"]].name
            told = [name for name in names if name != "mode" or len(game.modes) > 1]
            where = ", ".join(f"{name}={state[name]!r}" for name in told)
            count = f"; so are {wrong.sum() - 1:,} more" if wrong.sum() > 1 else ""
            raise ValueError(f"{field}: {where} {said}{count}; give each of them once")


def _scores(entries, name, field, most, words=None, first=0):
    """A column of whole numbers of at least 0, and at most `most`, an array; `words` stand for some.

    In the column they begin at `first`.
    """

    def read(entry):
        number = _amount(entry, words or {})
        whole = number is not None and number.is_integer() and number >= first
        return int(number) - first if whole and (most is None or number <= most + first) else None

    numbers = _each(read, entries)
    if None in numbers:
        row = numbers.index(None)
        entry, bound = entries[row], "" if most is None else f" and at most {most}"
        said = f"{short_repr(entry)} in the row {row + 1} of {name!r} is not allowed{misfit(str(entry))}"
        raise ValueError(f"{field}: {said}; give a whole number of at least 0{bound}")
    return np.array(numbers, dtype=np.int64)


def _wide_frame(game, frame, field):
    """The columns of a DataFrame with scores as its index and columns, for :func:`_long`, and what the axes are."""
    if None in map(_number, [*frame.index, *frame.columns]):
        raise ValueError(
            f"{field}: its rows and columns are not labelled by scores (give frame.reset_index(), if its index has "
            f"the scores); give {_kinds(game)}"
        )
    first, second = (role_of(axis.name or "") for axis in (frame.index, frame.columns))
    if first == second is not None:
        raise ValueError(
            f"{field}: the index and the columns have the same name; name them own and opponent"
        )
    return _of_wide([*frame.index], [*frame.columns], frame.to_numpy(object), first, second)


def _of_wide(rows, columns, entries, first, second):
    """The columns of a long table of a wide one, whose axes are named after roles; and what the axes are."""
    own, opponent = [row for row in rows for _ in columns], [*columns] * len(rows)
    axes = "rows are the own score, columns the opponent's score"
    if first == "opponent" or second == "own":
        own, opponent = opponent, own
        axes = "rows are the opponent's score, columns the own score"
    return {"own": own, "opponent": opponent, "hold at": [x for row in entries for x in row]}, axes


def _columns_of_dict(table, field):
    """The columns of a long table that is given as a dict: of pairs of scores, or of columns."""
    pairs = [_pair(key) for key in table]
    if pairs and all(pairs):
        own, opponent = map(list, zip(*pairs, strict=True))
        return {"own": own, "opponent": opponent, "hold at": [*table.values()]}
    named = [role_of(name) for name in table if isinstance(name, str)]
    if "own" in named and all(map(is_table, table.values())):
        if len({len(column) for column in table.values()}) != 1:
            raise ValueError(f"{field}: the columns have different lengths")
        return {name: pd.Series(column, dtype=object).tolist() for name, column in table.items()}
    raise ValueError(
        f"{field}: a dict with the key {short_repr(next(iter(table), None))} is not allowed; "
        "give {(own, opponent): turn total to hold at, …}, or columns by their names"
    )


def _pair(key):
    """A pair of scores that is a key of a dict, also as text, "30-45" or "30,45"; None if it is none."""
    if isinstance(key, str):
        parts = re.fullmatch(r"[()\[\] ]*(\d+) *[-,;] *(\d+)[()\[\] ]*", plain(key))
        return (int(parts[1]), int(parts[2])) if parts else None
    return key if isinstance(key, tuple) and len(key) == 2 else None


# Files


def read_table_file(name, field):
    """A table from a file, for :func:`read_table`, and how it was read. ValueError if it is none."""
    path = Path(name)
    if not path.is_file():
        raise ValueError(f"{field}: there is no file {str(name)!r}")
    text = decode(path.read_bytes(), path.name)
    if path.suffix.lower() == ".json":
        try:
            return json.loads(text), ""
        except json.JSONDecodeError as error:
            raise ValueError(
                f"{field}: {path.name}, line {error.lineno}: {error.msg}; it is not JSON"
            ) from None
    return _of_rows(text, path.name, field)


def _of_rows(text, name, field):
    """The table of a text whose lines are rows."""
    lines = [
        line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise ValueError(f"{field}: {name} is empty")
    if opened := [line for line in lines if line.count('"') % 2]:
        raise ValueError(
            f"{field}: {name}: {shorten(opened[0])!r} opens a quotation mark that it does not close"
        )
    separator, read = max(SEPARATORS, key=lines[0].count), cache(plain)
    if separator not in lines[0]:
        rows = [line.split() for line in lines]
    else:
        cells = progress(
            csv.reader(lines, delimiter=separator), f"reading {name}", "row", len(lines)
        )
        rows = [tuple(map(read, row)) for row in cells]
    (head, *body), width = rows, len(rows[0])
    for line, row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise ValueError(
                f"{field}: {name}: {shorten(line)!r} has {len(row)} entries, the first line {width}"
            )
    roles = [role_of(cell) for cell in head]
    if "own" in roles and "opponent" in roles and width > 2:
        _check_unique(head, field)
        columns = dict(zip(head, map(list, zip(*body, strict=True)), strict=False)) if body else {}
        return columns, ""
    labels = [row[0] for row in body]
    if _labels(head[1:]) and _labels(labels):
        first, *second = [role_of(word) for word in head[0].replace("\\", "/").split("/")]
        entries = [row[1:] for row in body]
        return _of_wide(labels, head[1:], entries, first, *second or [None])
    numbers = all(_number(cell) is not None for row in rows for cell in row)
    if numbers and width == 3 and len(rows) > 3:
        raise ValueError(
            f"{field}: {name} has three columns without names; it cannot be told which is which; "
            "begin it with the line own,opponent,hold at, in the order that it has"
        )
    if not numbers:
        raise ValueError(
            f"{field}: {name} begins with the line {short_repr(lines[0])}; "
            "give the columns own, opponent and hold at, or a number for each pair of scores"
        )
    return np.array(rows), "rows are the own score, columns the opponent's score"


def _labels(cells):
    """Whether cells are 0, 1, 2, …, or 1, 2, 3, …"""
    counted = [*map(float, range(len(cells) + 1))]
    return [*map(_number, cells)] in (counted[:-1], counted[1:])


def decode(data, name):
    """The text of a file, from its bytes.

    Parameters
    ----------
    data : bytes
        UTF-8, with or without a byte-order mark, or UTF-16 with one.
    name : str
        Of the file, for the message.

    Returns
    -------
    str
        With "\\\\n" at the end of each line, whatever ended it in the file.

    Raises
    ------
    ValueError
        If the bytes are in another encoding. None is guessed: the same bytes are other characters in each.
    """
    mark, encoding = next(((m, e) for m, e in ENCODINGS if data.startswith(m)), (b"", "utf-8"))
    again = "save the file as UTF-8"
    try:
        text = data[len(mark) :].decode(encoding)
    except UnicodeDecodeError as error:
        place = error.start + len(mark)
        said = f"byte 0x{data[place]:02x} at place {place + 1:,} is not {encoding[:6].upper().rstrip('-')}"
        raise ValueError(f"{name}: {said}; {again}") from None
    if "\0" in text:
        raise ValueError(
            f"{name}: it has the character U+0000, as UTF-16 without a byte-order mark has; {again}"
        )
    return "\n".join(re.split("\r\n|\r|\n", text))
