"""A solution as a table and as a file: every value, and every decision by ranges of turn totals."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
from tqdm import tqdm

from .doors import as_file, as_flag
from .memory import check_memory
from .policies import as_solution, branching
from .style import written_whole

__all__ = ["ENDINGS", "table", "write"]

ENDINGS = (".csv", ".parquet")
SCORES = {"win": ["own", "opponent"], "margin": ["own", "opponent"], "turns": ["own"], "score": []}


def table(solution, progress=False):
    """All decisions and values of a solution.

    Parameters
    ----------
    solution : Solution
    progress : bool
        Whether to show a bar.

    Returns
    -------
    pandas.DataFrame
        A row for every range of turn totals, first to last, in which the policy does one thing: `own` and `opponent`
        are the banked points, as far as the objective depends on them; `mode` is the state of the dice; `dice` are the
        scoring dice of a roll of which some may be kept, empty where the choice is to roll or to hold; `action` is
        "roll", "hold" or "keep 1 5"; `value` is that of the turn's start, a Fraction if the solution is exact.

    Examples
    --------
    >>> import dicelab as dl
    >>> table(dl.solve(dl.piglet(3))).head(2).values.tolist()
    [[0, 0, 'roll', '', 0, 0, 'roll', 0.5454545454545454], [0, 0, 'roll', '', 1, 2, 'hold', 0.5454545454545454]]
    """
    as_solution(solution), as_flag(progress, "progress")
    game, keys = solution.game, SCORES[solution.objective]
    size = 150 * game.target ** len(keys) * (len(game.modes) + len(branching(game)))
    check_memory(size, f"a table of {game.name} to {game.target}", "ask the solution's policy for one pair of scores")
    titles = [(mode.name, "", ("hold", "roll")) for mode in game.modes]
    for mode in game.modes:
        several = [outcome for outcome in mode.outcomes if len(outcome.choices) > 1]
        titles += [(mode.name, " ".join(map(str, o.scoring)), tuple(c.name for c in o.choices)) for o in several]
    parts = []
    for own in tqdm(range(game.target if keys else 1), desc="scores", disable=not progress, leave=False):
        rolls, takes = solution.policy.both(game, own)
        others, missing = game.target if "opponent" in keys else 1, game.target - own
        does = np.concatenate([rolls[:others].astype(np.uint8), takes[:others]], axis=1)[:, :, :missing]
        begins = np.ones(does.shape, dtype=bool)
        begins[:, :, 1:] = does[:, :, 1:] != does[:, :, :-1]
        opponent, row, first = np.nonzero(begins)
        last = np.append(first[1:], 0) - 1
        last[last < 0] = missing - 1
        parts.append((np.full(len(row), own), opponent, row, first, last, does[begins]))
    own, opponent, row, first, last, does = (np.concatenate(column) for column in zip(*parts, strict=True))
    place = np.cumsum([0, *(len(actions) for _, _, actions in titles)])
    modes, dice, actions = zip(*titles, strict=True)
    scores = {"own": own, "opponent": opponent}
    scores = {key: scores[key] for key in keys}
    policy = {"mode": _named(modes, row), "dice": _named(dice, row), "first": first, "last": last}
    policy["action"] = _named([action for several in actions for action in several], place[row] + does)
    at_start = solution.values[tuple(scores.values())] if keys else solution.values[0, 0]
    return pd.DataFrame(scores | policy | {"value": at_start})


def write(solution, file, progress=False):
    """Write the :func:`table` of a solution as CSV or Parquet, whole or not at all.

    Parameters
    ----------
    solution : Solution
    file : str or Path
        Ends in .csv or .parquet. Fractions are written as text, "a/b".
    progress : bool
        Whether to show a bar.

    Raises
    ------
    ValueError
        If the file has another ending, or is Parquet, and pyarrow is missing.
    """
    as_solution(solution)
    file = check_file(file)
    found = table(solution, progress)
    if solution.exact:
        found["value"] = found["value"].map(str)
    with written_whole(file) as part:
        if file.suffix == ".csv":
            found.to_csv(part, index=False, lineterminator="\n")
        else:
            found.to_parquet(part, index=False, engine="pyarrow")


def check_file(file):
    """The path of a file to write to; see :func:`write`."""
    file = as_file(file, "file", ENDINGS)
    if file.suffix == ".parquet" and not find_spec("pyarrow"):
        raise ValueError(f"file: {str(file)!r} needs pyarrow; install it (pip install pyarrow), or write .csv")
    return file


def _named(names, numbers):
    """A column of names, each stored once."""
    unique = list(dict.fromkeys(names))
    codes = np.array([unique.index(name) for name in names])
    return pd.Categorical.from_codes(codes[numbers], unique)
