"""Parameters of notebooks that are given as text: by ``dicelab reproduce -p``, or by papermill, which gives lists so.

A parameter has a kind: int, float, str, bool, or a list of one of these, written as [int].
"""

import json
import re
from pathlib import Path

from dicelab._extras import extra
from dicelab._text import choose, plain, trimmed, whole_number, with_point
from dicelab._validation import short_repr

__all__ = ["is_of", "kind_in_words", "kind_of", "parameter_table", "read_parameters", "read_value"]

PARAMETERS = "parameters.json"  # beside the figures
WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}
FLOAT = re.compile(
    r"[-+]?(\d{1,99}\.?\d{0,99}|\.\d{1,99})(e[-+]?\d{1,2})?", re.ASCII | re.IGNORECASE
)
EXAMPLES = {int: 100, float: 0.5, str: "1/6", bool: True}


def kind_of(value):
    """The kind of a default value; of a list by its first entry."""
    return [type(value[0])] if isinstance(value, list | tuple) and value else type(value)


def kind_in_words(kind):
    """A kind as a part of a message: what is allowed."""
    return "a list" if isinstance(kind, list) else WORDS.get(kind, f"a {kind.__name__}")


def is_of(value, kind):
    """Whether a value is of a kind. A whole number may stand for a float; a list has at least one entry."""
    if isinstance(kind, list):
        return (
            isinstance(value, list | tuple)
            and bool(value)
            and all(is_of(entry, kind[0]) for entry in value)
        )
    return type(value) is kind or (kind is float and type(value) is int)


def read_value(text, kind):
    """The value that a text means, if a parameter is of this kind.

    Returns
    -------
    int, float, str, bool or list
        `text` itself if that is not a text, or if its meaning is not sure, for the caller to refuse.

    Examples
    --------
    >>> read_value("10,000", int), read_value("0,5", float), read_value("[10; 80]", [int]), read_value("10,800", [int])
    (10000, 0.5, [10, 80], '10,800')
    """
    if not isinstance(text, str):
        return text
    if isinstance(kind, list):
        read = [read_value(entry, kind[0]) for entry in _entries(text)]
        return read if is_of(read, kind) else text
    if kind is str:
        return trimmed(text)
    if kind is float and FLOAT.fullmatch(with_point(text)):
        return float(with_point(text))
    if kind is bool:
        return {"True": True, "False": False}.get(choose(text, ["True", "False"]), text)
    number = whole_number(text) if kind is int else None
    return text if number is None else number


def _entries(text):
    """The entries of a list, as texts; none if they are not sure."""
    inner = plain(text)
    listed = inner[:1] + inner[-1:] in ("[]", "()")
    inner = inner[1:-1].strip() if listed else inner
    mark = ";" if ";" in inner else "," if "," in inner else " "
    entries = [
        plain(entry) for entry in inner.removesuffix(mark).split(mark) if mark != " " or entry
    ]
    alone = len(entries) == 1 and not listed and not inner.endswith(mark)  # a number, not a list
    # 10,800 is one number, or two.
    thousands = mark != ";" and not listed and whole_number(inner) is not None
    return [] if alone or thousands else entries


def read_parameters(given, **kinds):
    """Read and check the parameters of a notebook, before anything is computed.

    Papermill gives lists as text, and people write numbers in their own way; texts are read as what they mean. Results
    are kept apart: the folder `figures` remembers the parameters of its figures, in ``parameters.json``, and results of
    others are not written there.

    Parameters
    ----------
    given : dict
        The notebook's variables, ``globals()``. Texts in it are replaced by what they mean.
    kinds : dict
        The kind of each parameter by its name, with the least and the most that is allowed for numbers:
        ``target=(int, 2)``, ``share=(float, 0, 1)``, ``goals=[int]``, ``pair=([int], 1)`` for each entry of a list.

    Raises
    ------
    ValueError
        If a parameter is not of its kind or out of its range, or the folder has results of other parameters; the
        message names it. None is left as it is.
    """
    for name, allowed in kinds.items():
        kind, *limits = allowed if isinstance(allowed, tuple) else (allowed,)
        value = read_value(given[name], kind)
        given[name] = value
        if value is None:
            continue
        said = f"{name}: {short_repr(value)} is not allowed"
        if not is_of(value, kind):
            example = [EXAMPLES[kind[0]]] if isinstance(kind, list) else EXAMPLES[kind]
            raise ValueError(f"{said}; give {kind_in_words(kind)} like {example!r}")
        numbers = value if isinstance(kind, list) else [value]
        if limits and not all(limits[0] <= number <= (*limits, number)[1] for number in numbers):
            wanted = "numbers" if isinstance(kind, list) else "a number"
            most = f" and at most {limits[1]}" if len(limits) > 1 else ""
            raise ValueError(f"{said}; give {wanted} of at least {limits[0]}{most}")
    if given.get("figures"):
        _remember(Path(given["figures"]), {name: given[name] for name in kinds})


def _remember(folder, parameters):
    """Write the parameters of the figures in a folder; ValueError if those there are of others."""
    file = folder / PARAMETERS
    text = json.dumps(parameters, indent=1, ensure_ascii=False) + "\n"
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise ValueError(
            f"figures: {short_repr(str(folder))} is not allowed; it holds results of other parameters "
            f"({PARAMETERS}). Give another folder"
        )
    if folder.is_dir():
        file.write_text(text, encoding="utf-8")


def parameter_table(notebook):
    """The parameters of a notebook: names, defaults, and what their comments say.

    Parameters
    ----------
    notebook : Path

    Returns
    -------
    pandas.DataFrame
        A row for each line of the cell tagged "parameters" but `figures`: "name", "default" as Python writes it, and
        "meaning", with the range.
    """
    import pandas as pd

    with extra("papers"):
        from papermill import inspect_notebook  # it takes a second

    found = inspect_notebook(str(notebook)).values()
    rows = [(one["name"], one["default"], one["help"]) for one in found if one["name"] != "figures"]
    return pd.DataFrame(rows, columns=["name", "default", "meaning"])
