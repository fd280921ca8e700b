"""`sweep`: a parameter study. It calls a function at every point of a grid, and resumes from a file."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING

import joblib
import numpy as np

from .._exact import ExactValue
from .._limits import check_memory, progress
from .._validation import check_jobs, check_name, check_path, check_sequence, invalid, short_repr

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["sweep"]

RESULTS = (int, float, str, Fraction, np.integer, np.floating, np.bool_, type(None))


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
        A file in an existing folder. Every finished point is appended to it as a line of JSON, its arguments and its
        results, and a point whose arguments the file holds already is not computed again. So a file belongs to one
        function: give another function, or a function that has changed, another file. The arguments must be numbers,
        fractions, text, None, or lists of these. An incomplete last line is removed.

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
    keys = [*map(_as_json, points)] if file else range(len(points))
    done = _read(file) if file else {}
    left = {key: point for key, point in zip(keys, points, strict=True) if key not in done}
    jobs = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        joblib.delayed(_call)(function, key, point) for key, point in left.items()
    )
    for key, result in progress(jobs, "sweep", "point", len(left)):
        result = result if isinstance(result, dict) else {"value": result}
        for name, value in result.items():
            if name in left[key]:
                raise ValueError(
                    f"function: its result {short_repr(name)} has the name of an argument; rename one of them"
                )
            if file and not (isinstance(name, str) and isinstance(value, RESULTS)):
                allowed = "a number, a string, None, or a dict of these by strings, which can be written to the file"
                raise invalid("function", {name: value}, allowed)
        if file:
            with file.open("a", encoding="utf-8") as lines:
                lines.write(f"[{key}, {json.dumps(result, default=_plain)}]\n")
        done[key] = result
    return pd.DataFrame([{**point, **done[key]} for key, point in zip(keys, points, strict=True)])


def _points(grid):
    """The points of a grid, a list of dict."""
    if isinstance(grid, dict):
        columns = [
            check_sequence(values, f"grid[{name!r}]", "a sequence of values")
            for name, values in grid.items()
        ]
        number = math.prod(map(len, columns))
        check_memory(1000 * number, f"a grid of {number:,} points", "take fewer values")
        grid = [dict(zip(grid, point, strict=True)) for point in product(*columns)]
    allowed = "a dict of sequences, or dicts with the same names"
    points = check_sequence(grid, "grid", allowed)
    if not all(isinstance(point, dict) and point.keys() == points[0].keys() for point in points):
        raise invalid("grid", grid, allowed)
    for name in points[0] if points else ():
        check_name(name, "grid", "names of arguments")
    return points


def _call(function, key, point):
    return key, function(**point)


def _as_json(point):
    """The arguments of a point as JSON."""
    try:
        return json.dumps(point, sort_keys=True, default=_plain)
    except (AttributeError, TypeError, ValueError, RecursionError):
        allowed = "numbers, fractions, text, None, or lists of these, or no file"
        raise invalid("grid", point, allowed, ()) from None


def _plain(value):
    """What JSON lacks: a number of NumPy, and a Fraction by hexadecimals, as Python limits decimals to 4,300 digits."""
    if isinstance(value, Fraction):
        return [hex(value.numerator), hex(value.denominator)]
    return value.item()


def _exact(value):
    """A result of a file, whose lists are fractions."""
    return ExactValue(*(int(part, 16) for part in value)) if isinstance(value, list) else value


def _read(path):
    """The results in a file by their arguments as JSON; an incomplete last line is removed from the file."""
    data = path.read_bytes() if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1]
    try:
        lines = [json.loads(line) for line in whole.decode().split("\n")[:-1]]
        done = {
            _as_json({**point}): {name: _exact(value) for name, value in result.items()}
            for point, result in lines
        }
    except (ValueError, TypeError, AttributeError, RecursionError, ZeroDivisionError):
        raise invalid("file", str(path), "a new file, or the file of an earlier sweep") from None
    if whole != data:
        os.truncate(path, len(whole))
    return done
