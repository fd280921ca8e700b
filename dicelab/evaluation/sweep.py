"""`sweep`: a parameter study. It calls a function at every point of a grid, and resumes from a file."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from itertools import product

import joblib
import pandas as pd

from .._limits import progress
from .._validation import check_int, check_path, check_sequence, check_type, invalid

__all__ = ["sweep"]


def sweep(
    function: Callable[..., object],
    grid: Mapping[str, Iterable[object]],
    n_jobs: int = -1,
    file: str | os.PathLike[str] | None = None,
) -> pd.DataFrame:
    """Call a function at every point of a grid.

    Parameters
    ----------
    function : callable
        Called with the names of the grid as keywords. It returns a value, or a dict of values whose keys are not names
        of the grid. joblib must be able to send it to another process.
    grid : dict of str to sequence
        The values of each argument, of which all combinations are taken.
    n_jobs : int
        The number of calls at a time, at most 1000; -1 for one a core. The calls run on joblib's backend: a Dask
        cluster takes over by ``with joblib.parallel_config(backend="dask"): sweep(…)``.
    file : path, optional
        A file in an existing folder. Every finished point is appended to it as a line of JSON, its arguments and its
        results, and a point whose arguments the file holds already is not computed again. So a file belongs to one
        function: give another function, or a function that has changed, another file. Arguments and results
        must be numbers, text, None, or lists of these. An incomplete last line is removed.

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

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> sweep(lambda target: round(solve(pig(target)).value, 6), {"target": [10, 20]}, n_jobs=1)
       target     value
    0      10  0.709424
    1      20  0.615559
    """
    grid, allowed = check_type(grid, "grid", dict, "a dict of sequences"), "a sequence"
    values = [check_sequence(grid[name], f"grid[{name!r}]", allowed) for name in grid]
    points = [dict(zip(grid, point, strict=True)) for point in product(*values)]
    n_jobs = check_int(n_jobs, "n_jobs", -1, 1000)
    file = None if file is None else check_path(file, "file")
    keys = [_as_json(point, "grid") for point in points] if file else range(len(points))
    done = _read(file) if file and file.exists() else {}
    left = {key: point for key, point in zip(keys, points, strict=True) if key not in done}
    jobs = joblib.Parallel(n_jobs, return_as="generator_unordered")(
        joblib.delayed(lambda key, point: (key, function(**point)))(*item) for item in left.items()
    )
    for key, result in progress(jobs, "sweep", "point", len(left)):
        done[key] = result = result if isinstance(result, dict) else {"value": result}
        if twice := [*(result.keys() & left[key].keys())]:
            raise ValueError(
                f"function: its result {twice[0]!r} has the name of an argument; rename one of them"
            )
        if file:
            with file.open("a", encoding="utf-8") as lines:
                lines.write(f"[{key}, {_as_json(result, 'function')}]\n")
    return pd.DataFrame([{**point, **done[key]} for key, point in zip(keys, points, strict=True)])


def _as_json(values, field):
    try:
        return json.dumps(values, sort_keys=field == "grid", default=lambda value: value.item())
    except (AttributeError, TypeError, ValueError, RecursionError):
        raise invalid(
            field, values, "numbers, text, None, or lists of these; a Fraction as str(…)", ()
        ) from None


def _read(path):
    """The results in a file by their arguments as JSON; an incomplete last line is removed from the file."""
    whole, end, _ = path.read_bytes().rpartition(b"\n")
    try:
        lines = [
            ({**point}, {**result}) for point, result in map(json.loads, (whole + end).splitlines())
        ]
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise invalid("file", str(path), "a new file, or the file of an earlier sweep") from None
    os.truncate(path, len(whole + end))
    return {_as_json(point, "grid"): result for point, result in lines}
