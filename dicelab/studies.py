"""Parameter studies: one function at every point of a grid, many at once, resumed where it was left; and one to study.

`portrait` tells of a die in a few numbers, and `all_dice` lists the dice there are.
"""

import json
import math
import os
import threading
import time
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import product

import joblib
import numpy as np
from tqdm import tqdm

from .catalogue import generalized_pig
from .doors import as_file, as_items, as_jobs, as_name, as_whole, refusal, shown
from .ends import turn_points
from .games import BUST
from .identity import NoIdentity, digest, of_function, of_value
from .match import loss
from .memory import check_memory
from .rules_of_thumb import hold_at
from .solitaire import threshold
from .solver import solve

__all__ = ["against_the_optimum", "all_dice", "portrait", "sweep"]

LONG = 10_000  # bits of a whole number from which on it is written in hexadecimals: Python refuses decimals
MOST_DICE = 100_000_000  # that `all_dice` looks at


def sweep(function, grid, n_jobs=-1, file=None):
    """Call a function at every point of a grid.

    Parameters
    ----------
    function : callable
        Called with the names of the grid as keywords. Returns a number, a string or None, or a dict of these, by names
        that the grid has not. It must be importable, or be a function that cloudpickle can send to another process.
    grid : dict of str to sequence, or sequence of dict
        The values of each argument, of which all combinations are taken; or the combinations, with the same names.
    n_jobs : int
        At a time, at most 1000; -1 is one a core. They run where joblib is told to: a Dask cluster takes over by
        ``with joblib.parallel_config(backend="dask"): sweep(…)``.
    file : path, optional
        In a folder that there is. Every finished point is added to it, a line of JSON each. Points that are there
        already, by the same function, are not computed again; a line that was torn by an interruption is. For that,
        the function and the points must be such that they can be told from others, in another process, too: a function
        by its code and what it uses, points if they are made of numbers, texts, games, arrays and the like.

    Returns
    -------
    pandas.DataFrame
        A row for each point in the order of the grid: its arguments, then what the function returned, in the column
        "value" if that is no dict.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed; before anything is computed. If what the function returns is named as
        an argument is, or cannot be written to the file; what was finished before is in there then.
    MemoryError
        Beforehand, if the grid has more points than memory holds.

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
        raise refusal("function", function, "something to call")
    points, n_jobs = _points(grid), as_jobs(n_jobs, "n_jobs")
    file = None if file is None else as_file(file, "file")
    keys = _keys(function, points) if file else range(len(points))
    done = _read(file) if file else {}
    left = {key: point for key, point in zip(keys, points, strict=True) if key not in done}
    jobs = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")(
        joblib.delayed(_one)(function, key, point, os.getpid()) for key, point in left.items()
    )
    for key, found in tqdm(jobs, total=len(left), desc="sweep", unit="point", delay=2, leave=False):
        found = found if isinstance(found, dict) else {"value": found}
        for name in found.keys() & left[key].keys():
            raise ValueError(f"function: what it returns is named {shown(name)}, as an argument is; give another name")
        if file:
            point = {name: shown(value) for name, value in left[key].items()}  # for people to read
            line = json.dumps([key, point, {name: _written(name, value) for name, value in found.items()}])
            with file.open("a", encoding="utf-8") as lines:
                lines.write(line + "\n")
        done[key] = found
    return pd.DataFrame([{**point, **done[key]} for key, point in zip(keys, points, strict=True)])


def _keys(function, points):
    """What tells each point of a sweep from those of any other sweep, a list of str; ValueError if nothing does."""
    try:
        by = digest(of_function(function))
    except NoIdentity as error:
        said = "with a file it must be told from other functions, and so must all that it uses"
        raise ValueError(f"function: {shown(function)} is not allowed; {said}, {shown(error.value)} too") from None
    known = {}  # a game is in many points

    def identity(value):
        if id(value) not in known:
            known[id(value)] = of_value(value), value
        return known[id(value)][0]

    keys = []
    for point in points:
        try:
            keys.append(digest([by, *([name, identity(value)] for name, value in sorted(point.items()))]))
        except NoIdentity as error:
            name = next(name for name, value in point.items() if not _has_identity(value))
            said = "with a file it must be told from others of its kind"
            allowed = (
                f"{said}, by numbers, texts, games, arrays and the like, which {shown(error.value)} is not made of"
            )
            raise ValueError(f"grid[{name!r}]: {shown(point[name])} is not allowed; {allowed}") from None
    return keys


def _has_identity(value):
    try:
        return bool(of_value(value))
    except NoIdentity:
        return False


def _one(function, key, point, parent):
    _end_with(parent)
    return key, function(**point)


@cache
def _end_with(parent):
    """Let a process that `parent` has begun end when that is killed; joblib's workers would wait for five minutes."""

    def watch():
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    if os.getppid() == parent:
        threading.Thread(target=watch, daemon=True).start()


def _points(grid):
    """The points of a grid, a list of dict; ValueError if it is none."""
    if isinstance(grid, dict):
        for name, values in grid.items():
            as_name(name, "grid", "names of arguments")
            as_items(values, f"grid[{name!r}]", "a sequence of values")
        number = math.prod(len(values) for values in grid.values())
        check_memory(1000 * number, f"a grid of {number:,} points", "take fewer values")
        return [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    allowed = "a dict of sequences, or dicts with the same names"
    points = as_items(grid, "grid", allowed)
    if not all(isinstance(point, dict) and point.keys() == points[0].keys() for point in points):
        raise refusal("grid", grid, allowed)
    for name in points[0] if points else ():
        as_name(name, "grid", "names of arguments")
    return points


def _written(name, value):
    """A result as JSON; numbers of any length, and Fractions."""
    if not isinstance(name, str):
        raise refusal("function", {name: value}, "results by names that are texts, as they go to a file")
    value = value.item() if isinstance(value, np.generic) else value
    if type(value) in (int, Fraction):
        parts = value.numerator, value.denominator
        written = [str(part) if part.bit_length() < LONG else f"{part:#x}" for part in parts]
        return value if type(value) is int and abs(value) < 2**LONG else [type(value).__name__, *written]
    if value is None or type(value) in (bool, float, str):
        return value
    said = "a number, a text, None, or a dict of these: nothing else goes to a file"
    raise ValueError(f"function: what it returns, {shown(value)} as {name!r}, is not allowed; give {said}")


def _read(path):
    """The finished points in a file, by key; a last line that is not whole is dropped from it."""
    if not path.exists():
        return {}
    try:
        data = path.read_bytes()
        whole = data[: data.rfind(b"\n") + 1]
        lines = [json.loads(line) for line in whole.decode().split("\n")[:-1]]
        done = {key: {name: _result(value) for name, value in found.items()} for key, _, found in lines}
        if not all(isinstance(key, str) and len(key) == 64 for key in done):
            raise ValueError("a key that is none of ours")
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise ValueError(f"file: {path} is not allowed; it is no file of an earlier sweep") from None
    if whole != data:
        os.truncate(path, len(whole))
    return done


def _result(value):
    """What :func:`_written` was given."""
    if isinstance(value, list):
        kind, *parts = value
        return {"int": lambda n, _: n, "Fraction": Fraction}[kind](*(int(part, 0) for part in parts))
    if isinstance(value, dict):
        raise ValueError("a result within a result")
    return value


def all_dice(points, faces, parts):
    """All dice that bust or bring 1, 2, … `points` points, with probabilities that are multiples of 1/`parts`.

    Parameters
    ----------
    points : int
        The most points of a face, at least 1.
    faces : int
        The most faces that a die has, the one that busts among them, at least 2.
    parts : int
        At least 2.

    Returns
    -------
    list of tuple of Fraction
        The probabilities by face, 0 being the bust, which is possible, but not certain; see
        :func:`dicelab.generalized_pig`.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.

    Examples
    --------
    >>> [[str(p) for p in die] for die in all_dice(points=2, faces=2, parts=3)]
    [['1/3', '0', '2/3'], ['1/3', '2/3', '0'], ['2/3', '0', '1/3'], ['2/3', '1/3', '0']]
    """
    points, faces, parts = as_whole(points, "points", 1, 100), as_whole(faces, "faces", 2), as_whole(parts, "parts", 2)
    if (looked := (parts + 1) ** points) > MOST_DICE:
        raise ValueError(
            f"points: {points} in {parts} parts are not allowed; that makes some {looked:.0e} dice to look at"
        )
    found = []
    for counts in product(range(parts + 1), repeat=points):
        bust = parts - sum(counts)
        if 0 < bust < parts and sum(count > 0 for count in counts) < faces:
            found.append(tuple(Fraction(count, parts) for count in (bust, *counts)))
    return sorted(found)


def portrait(die, target):
    """A generalized Pig in a few numbers.

    Parameters
    ----------
    die : sequence of Fraction
        The probabilities by face, as for :func:`dicelab.generalized_pig`.
    target : int

    Returns
    -------
    dict
        "bust", the probability to bust; "hold", the turn total from which on a player holds who wants the most points
        of one turn; "turn_mean" and "turn_sd", the points of such a turn; "turns", the fewest expected turns to the
        target, alone; "first_wins", the first player's probability to win.

    Raises
    ------
    ValueError
        If the game has no such rules.

    Examples
    --------
    >>> portrait(("1/6", 0, *["1/6"] * 5), 100)["hold"]
    20
    """
    game = generalized_pig(die, target)
    hold = threshold(game)
    turn = turn_points(replace(game, target=hold + game.most_points), hold_at(hold))
    mean = float(turn @ turn.index)
    return {
        "bust": float(game.modes[0].chance(BUST)),
        "hold": hold,
        "turn_mean": mean,
        "turn_sd": float(turn @ turn.index**2 - mean**2) ** 0.5,
        "turns": solve(game, "turns").value,
        "first_wins": solve(game).value,
    }


def against_the_optimum(game, around=10):
    """How many games hold at n wins against the optimal player, each moving first by turns, for the n that matter.

    Parameters
    ----------
    game : Game
    around : int
        How far from the n at which one turn brings most points.

    Returns
    -------
    pandas.Series
        Indexed by n; shares of the games, at most 1/2.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or some turn never ends unless it is held: there is no such n.
    """
    import pandas as pd

    around = as_whole(around, "around", 0)
    solution, middle = solve(game), threshold(game)
    totals = range(min(max(1, middle - around), game.target), min(middle + around, game.target) + 1)
    losses = joblib.Parallel(n_jobs=-1, prefer="threads")(joblib.delayed(loss)(solution, hold_at(n)) for n in totals)
    return pd.Series(0.5 - np.array(losses), index=pd.RangeIndex(totals.start, totals.stop, name="n"), name="won")
