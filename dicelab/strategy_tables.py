"""Tables of decisions that people bring: arrays, lists, DataFrames, dicts, CSV and JSON files.

Three shapes work. A table with N rows and N columns has the turn total to hold at, by own and opponent's score. One of
shape (N, N, N) says by own score, opponent's score and turn total whether to roll: True or 1. A long table has
a row for each pair of scores, or for each state, with columns that are named, in any order.

Columns are read by their names (:mod:`dicelab._parameters`). Every pair of scores must be there once. What was not read
is said.
"""

import csv
import json
import re
from collections import Counter
from collections.abc import Mapping
from functools import cache
from numbers import Real
from pathlib import Path

import numpy as np

from ._limits import progress
from ._parameters import HOLDS, NEUTRAL, ROLLS, role_of, words_of
from ._shown import shorten
from ._text import decode, misfit, plain, with_point
from ._validation import invalid, short_repr
from .policies import check_first_rolls, decisions_shape

__all__ = ["ENDINGS", "is_table", "read_table", "read_table_file"]

ENDINGS = (".csv", ".tsv", ".txt", ".json")
SEPARATORS = ",;\t"
WORDS = {"roll": 1.0, "hold": 0.0}
TRUTHS = {"true": 1.0, "false": 0.0, "yes": 1.0, "no": 0.0}
THRESHOLD = {
    "threshold",
    "thresholds",
    "value",
    "values",
    "at",
}  # words beside "hold": the turn total to hold at
ACTION = {"action", "actions", "decision", "decisions", "does", "best", "move", "answer"}
CHANCE = {"probability", "probabilities", "chance", "share", "p", "prob"}
# Other words, as "not" or "above", change the meaning.
PLAIN = NEUTRAL | HOLDS | ROLLS | THRESHOLD | ACTION | CHANCE
PLAIN |= {"minimum", "min", "lowest", "least", "smallest", "first"}


def is_table(value):
    """Whether a value is a table of some kind: an array, a list, a dict or a DataFrame."""
    is_frame = hasattr(value, "columns") and hasattr(value, "to_numpy")
    return is_frame or isinstance(value, np.ndarray | list | tuple | Mapping)


def read_table(game, table, field, asked, forced, axes=""):
    """The decisions that a table says, and how it was read.

    Parameters
    ----------
    game : Game
    table : ndarray, list, DataFrame, or dict
    field : str
        For messages.
    asked, forced : ndarray of bool (S, modes, T)
        Where one may roll or hold, and where one must roll, by own score, mode and turn total.
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
    if isinstance(table, Mapping):
        return _long(game, _columns_of_dict(table, field), field, asked, forced)
    if hasattr(table, "columns"):
        roles = [role_of(name) for name in table.columns]
        if "own" in roles or "opponent" in roles:
            _check_unique(table.columns, field)
            columns = {name: table[name].tolist() for name in table.columns}
            return _long(game, columns, field, asked, forced)
        table, axes = _wide_frame(game, table, field)
    elif isinstance(table, list | tuple):
        if len(table) and all(isinstance(row, Mapping) for row in table):  # records
            names = [*table[0]]
            if any([*row] != names for row in table):
                raise ValueError(f"{field}: the rows have different columns; give {_shapes(game)}")
            columns = {name: [row[name] for row in table] for name in names}
            return _long(game, columns, field, asked, forced)
        table = _array(game, table, field)
    if np.ma.isMaskedArray(table):
        raise invalid(field, table, "an array without a mask", ())
    rolls = _of_array(game, table, field, asked, forced)
    if table.ndim == 2:
        return rolls, f"the lowest turn total to hold at, {axes or 'by [own, opponent]'}"
    mode = "mode, " * (table.ndim == 4)
    return rolls, f"whether to roll, True or 1, by [own, opponent, {mode}turn total]"


def state_in_words(game, own, opponent, total, mode, roll=None):
    """A state as a strategy is asked about it: "own=0, opponent=3, turn_total=20"."""
    dice = f", dice={mode!r}" if len(game.modes) > 1 and roll is None else ""
    rolled = "" if roll is None else f", roll={roll!r}"
    return f"own={own!r}, opponent={opponent!r}, turn_total={total}{dice}{rolled}"


def _shapes(game):
    """The three shapes that work, for messages."""
    size, totals = len(game.scores), game.longest
    return (
        f"({size}, {size}) of whole numbers, the turn totals to hold at, [own, opponent]; "
        f"({size}, {size}, {totals}) of True or 1 for roll, False or 0 for hold, [own, opponent, turn total]; "
        f"or a table with the columns own, opponent and hold at"
    )


# Arrays


def _array(game, rows, field):
    """Nested lists as an array."""
    try:
        return np.array(rows)
    except ValueError:
        raise ValueError(
            f"{field}: the lists have different lengths; give one of shape {_shapes(game)}"
        ) from None


def _of_array(game, table, field, asked, forced):
    """The decisions of an array of thresholds or decisions."""
    shape, size = decisions_shape(game), len(game.scores)
    if table.dtype.kind in "OU":
        table = _as_numbers(game, table, field, totals=table.shape == (size, size))
    if table.dtype.kind not in "biuf":
        allowed = f"an array of bools or numbers, not one of {table.dtype}"
        raise invalid(field, table, allowed, ())
    shapes = [(size, size, game.longest), *([shape] if len(game.modes) > 1 else [])]
    if table.shape == (size, size) and table.dtype != bool:
        table = _as_whole(table, field)
        if (table < 0).any():
            own, opponent = np.argwhere(table < 0)[0].tolist()
            raise ValueError(
                f"{field}: {table[own, opponent]} at [{own}, {opponent}]; a turn total is at least 0"
            )
        _check_thresholds(game, table, field)
        table = np.arange(game.longest) < table[:, :, None]
    elif table.shape not in shapes:
        kind = "bools" if table.dtype == bool else f"numbers ({table.dtype})"
        what = f"of {kind}" if table.shape == (size, size) else f"of shape {table.shape}"
        raise ValueError(
            f"{field}: an array {what} is not allowed; give one of shape {_shapes(game)}"
        )
    else:
        _check_entries(game, table, field, asked)
        _check_first_roll(game, table, field)
    table = table[:, :, None] if table.ndim == 3 else table
    return np.where(asked[:, None], table == 1, forced[:, None])


def _check_entries(game, table, field, asked):
    """Refuse what is neither a hold nor a roll, where one is asked or a turn begins."""
    table = table[:, :, None] if table.ndim == 3 else table
    answers = np.where((asked | (np.arange(game.longest) == 0))[:, None], table, 0)
    wrong = (answers != 0) & (answers != 1)
    if wrong.any():
        own, opponent, mode, total = at = tuple(np.argwhere(wrong)[0].tolist())
        state = game.scores[own], game.scores[opponent], total, game.modes[mode].name
        raise ValueError(
            f"{field}: {answers[at].item()} is not allowed at {state_in_words(game, *state)}; "
            "give 0 or False for hold, 1 or True for roll"
        )


def _check_first_roll(game, table, field):
    """Refuse a table that holds before the first roll; if it does so everywhere, its True may mean hold."""
    if table.any() and not table[..., 0].any():
        raise ValueError(
            f"{field}: at turn total 0, where every turn rolls, the table says hold everywhere; "
            "if its True means hold, give ~table; if not, set table[..., 0] to True"
        )
    first = table[..., 0]
    if first.ndim == 3:
        modes = [game.mode(game.register(own).mode) for own in game.scores]
        first = first[np.arange(len(modes)), :, modes]
    check_first_rolls(game, first < 1, field, "the table")


def _check_thresholds(game, table, field):
    """Refuse turn totals to hold at that are decisions, or that hold before the first roll, or at once everywhere."""
    if (table <= 1).all() and (table == 0).any():
        raise ValueError(
            f"{field}: the table has 0 and 1 only, which would be turn totals to hold at; give {_shapes(game)}"
        )
    check_first_rolls(game, table == 0, field, "the table")
    points = [choice.points for m in game.modes for o in m.outcomes for choice in o.choices]
    least = min(filter(None, points), default=1)
    missing = np.array([game.missing(own) for own in game.scores])[:, None]
    if (table < least).all() and (table < missing).any():
        raise ValueError(
            f"{field}: no roll scores less than {least}, so that this table holds at once everywhere: its largest "
            f"turn total to hold at is {table.max()}; if that is meant, give hold_at(1)"
        )


def _as_whole(table, field):
    """An array of numbers as whole numbers; ValueError for others, and for nan."""
    with np.errstate(invalid="ignore"):
        wrong = ~(np.isfinite(table) & (table == np.round(table)))
    if wrong.any():
        own, opponent = np.argwhere(wrong)[0].tolist()
        raise ValueError(
            f"{field}: {table[own, opponent]} at [{own}, {opponent}] is not a whole number, a turn total to hold at; "
            "a table of this shape has the turn totals to hold at; decisions have a third axis"
        )
    return table.astype(np.int64)


def _as_numbers(game, table, field, totals):
    """An array of text, words or mixed objects as numbers: 1 for roll, or with `totals` turn totals to hold at."""
    entries = table.ravel().tolist()
    numbers = _each(lambda entry: _total(game, entry) if totals else _number(entry), entries)
    if None in numbers:
        place = numbers.index(None)
        entry, at = entries[place], [int(k) for k in np.unravel_index(place, table.shape)]
        kind = "a word" if isinstance(entry, str) else f"an entry of type {type(entry).__name__}"
        raise ValueError(
            f"{field}: {short_repr(entry)} at {at}, {kind}, is not a decision{_misfit(entry)}; "
            f"give {_shapes(game)}"
        )
    return np.array(numbers, dtype=float).reshape(table.shape)


def _each(read, entries):
    """What is read in each entry, a list. Equal ones are read once: of a million entries, few are different."""
    try:
        keys = [*zip(map(type, entries), entries, strict=True)]  # True is not 1 here
        known = {key: read(key[1]) for key in dict.fromkeys(keys)}
    except TypeError:  # a list, which has no hash
        return [*map(read, entries)]
    return [*map(known.__getitem__, keys)]


def _misfit(entry):
    return misfit(entry) if isinstance(entry, str) else ""


def _total(game, entry):
    """A turn total to hold at, a float: "roll" is one that no turn reaches, "hold" is 0. None if it is none."""
    if isinstance(entry, bool | np.bool_):
        return None
    word = plain(entry).lower() if isinstance(entry, str) else ""
    return {"roll": float(game.longest), "hold": 0.0}.get(word, _number(entry, truths=False))


def _number(entry, truths=True):
    """An entry of a table as a float: a number, also as text, "roll" and "hold", or True and False; None if not."""
    if isinstance(entry, Real | np.bool_):
        return float(entry)
    if not isinstance(entry, str):
        return None
    word = plain(entry).lower()
    known = WORDS | TRUTHS if truths else WORDS
    if word in known or "_" in word:
        return known.get(word)
    try:
        return float(with_point(word))
    except ValueError:
        return None


def _decision(entry):
    """An entry as 0.0 or 1.0; None if it is neither."""
    number = _number(entry)
    return number if number in (0, 1) else None


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


def _long(game, columns, field, asked, forced):
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
                    f"{field}: the columns {roles[role]!r} and {name!r} would both be the {role}"
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
    pair = tuple(
        _scores(columns[name], name, field, size - 1) for name in (roles["own"], roles["opponent"])
    )
    names = {
        "own": "own score",
        "opponent": "opponent's score",
        "turn_total": "turn total",
        "mode": "mode",
    }
    said = [f"{name} is the {names[role]}" for role, name in roles.items() if name != role]
    said.append(f"{answer} is {'the lowest turn total to hold at' if kind == 'hold at' else what}")
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
            _scores(columns[answer], answer, field, None, game),
        )
        _fill_in(game, table, pair, held, True, field)
        return _of_array(game, table, field, asked, forced), "; ".join(said)
    if "turn_total" not in roles:
        raise ValueError(f"{both}; {answer} says {what}, and no column is the turn total")
    totals = _scores(columns[roles["turn_total"]], roles["turn_total"], field, game.longest - 1)
    modes = np.arange(len(game.modes))[:, None]
    if "mode" in roles:
        modes = np.array(_each(lambda name: game.mode(str(name)), columns[roles["mode"]]))
    elif sum(mode.may_hold and not mode.must_hold for mode in game.modes) > 1:
        raise ValueError(f"{both}; {game.name} has several modes, and no column is the mode")
    values, text = _each(_decision, columns[answer]), _each(_is_word, columns[answer])
    if None in values:
        row = values.index(None)
        entry = columns[answer][row]
        no, yes = ("roll", "hold") if kind == "hold" else ("hold", "roll")
        raise ValueError(
            f"{field}: {short_repr(entry)} in the row {row + 1} of {answer!r}{_misfit(entry)} "
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
    rolls = np.zeros(decisions_shape(game), dtype=bool)
    _fill_in(game, rolls, (*pair, modes, totals), values, asked[:, None], field)
    return np.where(asked[:, None], rolls, forced[:, None]), "; ".join(said)


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


def _scores(entries, name, field, most, game=None):
    """A column of whole numbers of at least 0, and at most `most`, an array; with `game`, of turn totals to hold at."""

    def read(entry):
        if game is not None:
            number = _total(game, entry)
        else:
            word = isinstance(entry, bool | np.bool_) or _is_word(entry)
            number = None if word else _number(entry, truths=False)
        whole = number is not None and number.is_integer() and number >= 0
        return int(number) if whole and (most is None or number <= most) else None

    numbers = _each(read, entries)
    if None in numbers:
        row = numbers.index(None)
        entry, bound = entries[row], "" if most is None else f" and at most {most}"
        said = (
            f"{short_repr(entry)} in the row {row + 1} of {name!r} is not allowed{_misfit(entry)}"
        )
        raise ValueError(f"{field}: {said}; give a whole number of at least 0{bound}")
    return np.array(numbers, dtype=np.int64)


def _wide_frame(game, frame, field):
    """The thresholds of a DataFrame with scores as its index and columns, an array; and how it was read."""
    first, second = (
        role_of(axis.name) if axis.name is not None else None
        for axis in (frame.index, frame.columns)
    )
    labels = [[_number(label) for label in axis] for axis in (frame.index, frame.columns)]
    size = len(game.scores)
    for label, axis in zip(labels, ("rows", "columns"), strict=True):
        if label != [float(points) for points in range(size)] or game.registers:
            said = f"its {axis} are not labelled 0, 1, …, {size - 1}, all scores in this order"
            if axis == "columns" or frame.index.nlevels > 1 or frame.columns.nlevels > 1:
                said += " (give frame.reset_index(), if its index has the scores)"
            raise ValueError(f"{field}: {said}; give {_shapes(game)}")
    if (first, second) in (("own", "own"), ("opponent", "opponent")):
        raise ValueError(
            f"{field}: the index and the columns have the same name; name them own and opponent"
        )
    return _oriented(frame.to_numpy(dtype=object), first, second)


def _oriented(table, first, second):
    """A table, its rows being own scores, by what its rows and columns are named after; and how it was read."""
    if first == "opponent" or second == "own":
        return table.T, "rows are the opponent's score, columns the own score"
    return table, "rows are the own score, columns the opponent's score"


def _columns_of_dict(table, field):
    """The columns of a long table that is given as a dict: of pairs of scores, or of columns."""
    pairs = [_pair(key) for key in table]
    if pairs and all(pairs):
        own, opponent = map(list, zip(*pairs, strict=True))
        return {"own": own, "opponent": opponent, "hold at": [*table.values()]}
    columns = {
        name: [*column.values()] if isinstance(column, Mapping) else column
        for name, column in table.items()
    }
    named = [role_of(name) for name in columns if isinstance(name, str)]
    if "own" in named and all(
        isinstance(column, list | tuple | np.ndarray) for column in columns.values()
    ):
        if len({len(column) for column in columns.values()}) != 1:
            raise ValueError(f"{field}: the columns have different lengths")
        return {name: np.asarray(column, dtype=object).tolist() for name, column in columns.items()}
    said = "the dict is empty"
    if table:
        said = f"a dict with the key {short_repr(next(iter(table)))} is not allowed"
    raise ValueError(
        f"{field}: {said}; give {{(own, opponent): turn total to hold at, …}}, or columns by their names"
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
        except RecursionError:
            raise ValueError(
                f"{field}: {path.name} has lists in lists, too deep to be read; a table has three levels, or four"
            ) from None
    return _of_rows(text, path.name, field)


def _of_rows(text, name, field):
    """The table of a text whose lines are rows."""
    lines = [
        line for line in text.split("\n") if line.strip() and not line.lstrip().startswith("#")
    ]
    if not lines:
        raise ValueError(f"{field}: {name} is empty")
    separator = max(SEPARATORS, key=lines[0].count)
    if separator not in lines[0]:
        rows = [line.split() for line in lines]
    else:
        rows = _cells(csv.reader(lines, delimiter=separator), lines, name, field)
    if len(rows) < len(lines):
        line = next(line for line in lines if line.count('"') % 2)
        raise ValueError(
            f"{field}: {name}: {shorten(line)!r} opens a quotation mark that it does not close"
        )
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
    labelled = _labels(head[1:]) and _labels([row[0] for row in body])
    numbers = all(_number(cell) is not None for row in rows for cell in row)
    if numbers and width == 3 and len(rows) > 3:
        raise ValueError(
            f"{field}: {name} has three columns without names; it cannot be told which is which; "
            "begin it with the line own,opponent,hold at, in the order that it has"
        )
    if not numbers and not labelled:
        raise ValueError(
            f"{field}: {name} begins with the line {short_repr(lines[0])}; "
            "give the columns own, opponent and hold at, or a number for each pair of scores"
        )
    first, *second = [role_of(word) for word in head[0].replace("\\", "/").split("/")]
    table = np.array([row[1:] for row in body] if labelled else rows)
    return _oriented(table, first, "own" if second == ["own"] else None)


def _cells(reader, lines, name, field):
    """The cells of a CSV file by rows, as a plain keyboard would have typed them."""
    read = cache(plain)
    try:
        return [
            tuple(map(read, row)) for row in progress(reader, f"reading {name}", "row", len(lines))
        ]
    except csv.Error as error:
        line = shorten(lines[reader.line_num - 1])
        raise ValueError(
            f"{field}: {name}: {error} in {line!r}; an entry is a number, roll or hold"
        ) from None


def _labels(cells):
    """Whether cells are 0, 1, 2, …"""
    return [_number(cell) for cell in cells] == [float(k) for k in range(len(cells))]
