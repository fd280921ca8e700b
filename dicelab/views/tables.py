"""A solution as a DataFrame, and as a CSV or Parquet file: every value, and every decision by ranges of turn totals."""

from importlib.util import find_spec

import numpy as np
import pandas as pd
from tqdm import tqdm

from .._exact import ExactValue
from .._files import atomic_write
from .._limits import check_memory
from .._validation import check_bool, check_path
from ..policies import branching_outcomes
from ..solution import Solution, check_solution

__all__ = ["ENDINGS", "check_file", "to_frame", "write"]

ENDINGS = (".csv", ".parquet")
SCORES = {"win": ["own", "opponent"], "margin": ["own", "opponent"], "turns": ["own"], "score": []}


def to_frame(solution: Solution, progress: bool = False) -> pd.DataFrame:
    """All decisions and values of a solution.

    Parameters
    ----------
    solution : Solution
    progress : bool
        Whether to show a bar.

    Returns
    -------
    pandas.DataFrame
        A row for every range of turn totals, first to last, with the same decision. `own` and `opponent` are the banked
        points, as far as the objective depends on them. `mode` is the state of the dice. `dice` are the scoring dice of
        a roll that offers a choice; it is empty if the decision is to roll or to hold. `action` is "roll", "hold" or
        "keep 1 5", for example. `value` is the value at the start of the turn, a Fraction if the solution is exact.

    Examples
    --------
    >>> import dicelab as dl
    >>> to_frame(dl.solve(dl.piglet(3))).head(2).values.tolist()
    [[0, 0, 'roll', '', 0, 0, 'roll', 0.5454545454545454], [0, 0, 'roll', '', 1, 2, 'hold', 0.5454545454545454]]
    """
    check_solution(solution), check_bool(progress, "progress")
    game, keys = solution.game, SCORES[solution.objective]
    size = 150 * game.target ** len(keys) * (len(game.modes) + len(branching_outcomes(game)))
    check_memory(size, f"a table of {game.name} to {game.target}", "ask the solution's policy for one pair of scores")
    questions: list[tuple[str, str, tuple[str, ...]]]  # each: mode, dice, possible actions
    questions = [(mode.name, "", ("hold", "roll")) for mode in game.modes]
    for mode in game.modes:
        several = [outcome for outcome in mode.outcomes if len(outcome.choices) > 1]
        questions += [(mode.name, " ".join(map(str, o.scoring)), tuple(c.name for c in o.choices)) for o in several]
    parts = []
    for own in tqdm(range(game.target if keys else 1), desc="scores", disable=not progress, leave=False):
        rolls, choices = solution.policy.actions_at(game, own)
        others, missing = game.target if "opponent" in keys else 1, game.target - own
        answers = np.concatenate([rolls[:others].astype(np.uint8), choices[:others]], axis=1)[:, :, :missing]
        changes = np.ones(answers.shape, dtype=bool)  # whether a range of equal answers begins at this turn total
        changes[:, :, 1:] = answers[:, :, 1:] != answers[:, :, :-1]
        opponent, question, first = np.nonzero(changes)
        last = np.append(first[1:], 0) - 1
        last[last < 0] = missing - 1
        parts.append((np.full(len(question), own), opponent, question, first, last, answers[changes]))
    own, opponent, question, first, last, answer = (np.concatenate(column) for column in zip(*parts, strict=True))
    modes, dice, actions = zip(*questions, strict=True)
    start = np.cumsum([0, *map(len, actions)])  # of a question's actions in the list of all
    scores = {"own": own, "opponent": opponent}
    scores = {key: scores[key] for key in keys}
    policy = {"mode": _categories(modes, question), "dice": _categories(dice, question), "first": first, "last": last}
    policy["action"] = _categories([action for names in actions for action in names], start[question] + answer)
    at_start = solution.values[tuple(scores.values())] if keys else solution.values[0, 0]
    return pd.DataFrame(scores | policy | {"value": at_start})


def write(solution, file, progress=False):
    """Write the :func:`to_frame` of a solution as CSV or Parquet. The file is written whole or not at all.

    Parameters
    ----------
    solution : Solution
    file : str or Path
        A path that ends in .csv or .parquet. Fractions are written as text, "a/b".
    progress : bool
        Whether to show a bar.

    Raises
    ------
    ValueError
        If the file has another ending, or is Parquet and pyarrow is missing.
    """
    check_solution(solution)
    file = check_file(file)
    frame = to_frame(solution, progress)
    if solution.exact:
        frame["value"] = frame["value"].map(_in_full)
    with atomic_write(file) as part:
        if file.suffix == ".csv":
            frame.to_csv(part, index=False, lineterminator="\n")
        else:
            frame.to_parquet(part, index=False, engine="pyarrow")


def check_file(file):
    """Read `file` as the path of a file that :func:`write` can write."""
    file = check_path(file, "file", ENDINGS)
    if file.suffix == ".parquet" and not find_spec("pyarrow"):
        raise ValueError(
            f"file: {str(file)!r} needs pyarrow; install it with: pip install 'dicelab[parquet]', or write .csv"
        )
    return file


def _in_full(value):
    """An exact value as text: all digits of a Fraction, or "inf"."""
    return value.in_full() if isinstance(value, ExactValue) else str(value)


def _categories(names, numbers):
    """A column with the names of these numbers. Each name is stored once."""
    unique = list(dict.fromkeys(names))
    codes = np.array([unique.index(name) for name in names])
    return pd.Categorical.from_codes(codes[numbers], unique)
