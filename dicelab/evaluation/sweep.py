"""`sweep`: a parameter study. It calls a function at every point of a grid, and resumes from a file."""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import joblib
import numpy as np

from .._exact import ExactValue
from .._limits import check_memory, progress
from .._validation import check_jobs, check_name, check_path, check_sequence, invalid, short_repr
from ._identity import digest, module_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["sweep"]


def sweep(
    function: Callable[..., object],
    grid: Mapping[str, Iterable[object]] | Iterable[Mapping[str, object]],
    n_jobs: int = -1,
    file: str | os.PathLike[str] | None = None,
) -> pd.DataFrame:
    """Call a function at every point of a grid.

    Parameters
    ----------
    function : callable
        Called with the names of the grid as keywords. It returns a number, a string, None, or a dict of these whose
        keys are not names of the grid. joblib must be able to send it to another process.
    grid : dict of str to sequence, or sequence of dict
        The values of each argument, of which all combinations are taken; or the combinations, with the same names.
    n_jobs : int
        The number of calls at a time, at most 1000; -1 for one a core. The calls run on joblib's backend: a Dask
        cluster takes over by ``with joblib.parallel_config(backend="dask"): sweep(…)``.
    file : path, optional
        A file in an existing folder. Every finished point is appended to it as a line of JSON. A point that the file
        holds already, computed by the same function, is not computed again; an incomplete last line is removed.
        Functions are the same if their code is, and all that they use from their own module; of what they import,
        only the names are compared. Everything compared must be picklable, or a function.

    Returns
    -------
    pandas.DataFrame
        One row for each point, in the order of the grid: its arguments, then the results, in the column "value" if
        the function does not return a dict.

    Raises
    ------
    ValueError
        If an argument is not allowed, before anything is computed. If a result has the name of an argument or cannot
        be written to the file; the file then keeps the points that were finished before.
    MemoryError
        If the grid has more points than fit into memory, before anything is computed.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> sweep(lambda target: round(solve(pig(target)).value, 6), {"target": [10, 20]}, n_jobs=1)
       target     value
    0      10  0.709424
    1      20  0.615559
    """
    import pandas as pd

    if not callable(function):
        raise invalid("function", function, "a function")
    points, n_jobs = _points(grid), check_jobs(n_jobs, "n_jobs")
    file = None if file is None else check_path(file, "file")
    keys = _keys(function, points) if file else range(len(points))
    done = _read(file) if file else {}
    left = {key: point for key, point in zip(keys, points, strict=True) if key not in done}
    jobs = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        joblib.delayed(_call)(function, key, point, os.getpid()) for key, point in left.items()
    )
    for key, result in progress(jobs, "sweep", "point", len(left)):
        result = result if isinstance(result, dict) else {"value": result}
        for name in result.keys() & left[key].keys():
            raise ValueError(
                f"function: its result {short_repr(name)} has the name of an argument; rename one of them"
            )
        if file:
            told = {name: short_repr(value) for name, value in left[key].items()}  # for people
            written = {name: _to_json(name, value) for name, value in result.items()}
            with file.open("a", encoding="utf-8") as lines:
                lines.write(json.dumps([key, told, written]) + "\n")
        done[key] = result
    return pd.DataFrame([{**point, **done[key]} for key, point in zip(keys, points, strict=True)])


def _points(grid):
    """The points of a grid, a list of dict."""
    if isinstance(grid, dict):
        for name, values in grid.items():
            check_name(name, "grid", "names of arguments")
            check_sequence(values, f"grid[{name!r}]", "a sequence of values")
        number = math.prod(len(values) for values in grid.values())
        check_memory(1000 * number, f"a grid of {number:,} points", "take fewer values")
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    allowed = "a dict of sequences, or dicts with the same names"
    points = check_sequence(grid, "grid", allowed)
    if not all(isinstance(point, dict) and point.keys() == points[0].keys() for point in points):
        raise invalid("grid", grid, allowed)
    for name in points[0] if points else ():
        check_name(name, "grid", "names of arguments")
    return points


def _keys(function, points):
    """The hash of the function and the arguments at each point, a list of str."""
    home = module_of(function)

    def hash_of(value, field):
        try:
            return digest(value, home)
        except ValueError as error:
            raise invalid(
                field, value, f"something that can be pickled, or no file ({error})"
            ) from None

    by = hash_of(function, "function")
    values = {id(value): (value, name) for point in points for name, value in point.items()}
    hashes = {key: hash_of(value, f"grid[{name!r}]") for key, (value, name) in values.items()}
    return [
        digest([by, sorted((name, hashes[id(value)]) for name, value in point.items())], home)
        for point in points
    ]


def _call(function, key, point, parent):
    _exit_with(parent)
    return key, function(**point)


@cache
def _exit_with(parent):
    """Let a worker process exit when `parent`, which started it, is killed. joblib's would stay for five minutes."""

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def _to_json(name, value):
    """A result as a JSON value; a Fraction is a list of two hexadecimals, as Python limits decimals to 4,300 digits."""
    value = value.item() if isinstance(value, np.generic) else value
    if isinstance(name, str) and isinstance(value, Fraction):
        return [hex(value.numerator), hex(value.denominator)]
    if isinstance(name, str) and type(value) in (type(None), bool, int, float, str):
        return value
    raise invalid(
        "function",
        {name: value},
        "a number, a string, None, or a dict of these by strings, which can be written to the file",
    )


def _from_json(value):
    return ExactValue(*(int(part, 16) for part in value)) if isinstance(value, list) else value


def _read(path):
    """The finished points in a file, results by key; an incomplete last line is removed from the file."""
    try:
        data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        lines = [json.loads(line) for line in whole.decode().split("\n")[:-1]]
        done = {
            key: {name: _from_json(value) for name, value in result.items()}
            for key, _, result in lines
        }
        if not all(isinstance(key, str) and len(key) == 64 for key in done):
            raise ValueError("a key that is not a hash")
    except (ValueError, TypeError, AttributeError, RecursionError, ZeroDivisionError):
        raise invalid("file", str(path), "a new file, or the file of an earlier sweep") from None
    if whole != data:
        os.truncate(path, len(whole))
    return done
