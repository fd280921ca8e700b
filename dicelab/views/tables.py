"""A solution as a DataFrame and as a file: every value, and every decision by ranges of turn totals.

A file says itself what is in it. A CSV file begins with lines after "#"; read it with
``pandas.read_csv(file, comment="#", keep_default_na=False)``. A Parquet file has the same lines in its metadata;
``pandas.read_parquet(file).attrs`` are these lines. A file that ends in .txt has the exact value at the start of the
game alone, "numerator/denominator", in full.
"""

from importlib.util import find_spec
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from .._exact import ExactValue
from .._files import atomic_write
from .._limits import check_memory
from .._limits import progress as bar
from .._shown import title_of
from .._validation import check_bool, check_path, invalid
from ..policies import branching_outcomes
from ..solution import CLOCK, OBJECTIVES, Solution, check_solution

__all__ = [
    "CONTENTS",
    "ENDINGS",
    "check_file",
    "column_texts",
    "new_text_file",
    "to_frame",
    "write",
]

ENDINGS = (".csv", ".parquet", ".txt")
CONTENTS = dict.fromkeys(ENDINGS, "All values and decisions") | {
    ".txt": "The whole fraction"
}  # of a file, by ending
SCORES = {"win": ["own", "opponent"], "margin": ["own", "opponent"], "turns": ["own"], "score": []}
SCORES |= {objective: ["turns_left", "own"] for objective in CLOCK}
COLUMNS = {  # of `to_frame`, but for the value
    "turns_left": "the number of turns left, this one included",
    "role": "0 for the player who moves first in a round, 1 for the other one",
    "own": "the banked score of the player about to move, in {unit}",
    "own_register": "what the player about to move remembers of earlier turns",
    "opponent": "the opponent's banked score, in {unit}",
    "opponent_register": "what the opponent remembers of earlier turns",
    "mode": "the state of the dice within the turn",
    "dice": "the scoring dice of a roll with a choice, or its choices; empty if the decision is to roll or to hold",
    "first": "the lowest turn total with this decision, in {unit}",
    "last": "the highest turn total with this decision, in {unit}",
    "action": "the best decision: roll, hold, or the dice to set aside",
}
VALUES = {
    "win": "the probability that the player about to move wins, at the start of the turn",
    "margin": "the mean margin of the player about to move, at the start of the turn, in {unit}",
    "turns": "the mean number of turns to the target, at the start of the turn",
    "score": "the mean score of a turn, in {unit}",
    "deadline": "the probability to reach the target within the turns left, at the start of the first of them",
    "total": "the mean score after the turns left, in {unit}, at the start of the first of them",
}


TUPLES = {  # of the verdicts
    "needs_{k}": "the points that seat {k} still needs, in {unit}, in order of play from the player to move on",
    "register_{k}": "what seat {k} remembers of earlier turns",
    "verdict": "whether there is one equilibrium in pure strategies, several or none",
    "equilibria": "the number of equilibria in pure strategies",
    "taken": "which equilibrium the solution goes on with",
    "mixing": "the number of players who mix",
    "chance_{k}": "the probability that seat {k} wins",
    "spread": "the largest difference of a chance between two of several equilibria",
    "kingmaking": "how much a player who is indifferent can move another player's chance",
}


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
        With more than two players, the verdicts; a best response has none. Else a row for every range of turn totals,
        first to last, with the same decision. `own` and `opponent` are the banked points, as far as the objective
        depends on them, and `turns_left` is the number of turns before the deadline. `mode` is the state of the dice.
        `dice` are the scoring dice of a roll that offers a choice, or its choices if no dice are set aside; it is empty
        if the decision is to roll or to hold. `action` is "roll", "hold" or "keep 1 5", for example. `value` is the
        value at the start of the turn, a Fraction if the solution is exact. In a game with registers `own_register` and
        `opponent_register` are their names, and in "equal turns" `role` is 0 for the player who moves first in a
        round. Of a game with last turns, the decisions in these are not in the table; ask the policy.
        Its ``attrs`` are texts: the game, the objective, and what each column is, with its unit.

    Examples
    --------
    >>> import dicelab as dl
    >>> to_frame(dl.solve(dl.piglet(3))).head(2).values.tolist()
    [[0, 0, 'roll', '', 0, 0, 'roll', 0.5454545454545454], [0, 0, 'roll', '', 1, 2, 'hold', 0.5454545454545454]]
    """
    check_bool(progress, "progress")
    if isinstance(solution, Solution) and solution.players > 2:
        return verdict_table(solution)
    policy = check_solution(solution, OBJECTIVES).policy
    policies = {0: policy}
    if solution.turns is not None:
        policies = {left: policy.when(turns_left=left) for left in range(1, solution.turns + 1)}
    game, keys = solution.game, SCORES[solution.objective]
    moment = "turns_left" if solution.turns else "role"
    if game.finish == "equal turns":
        policies, keys = {role: policy.when(role=role) for role in (0, 1)}, ["role", *keys]
    states = len(policies) * len(game.scores) ** len({*keys} - {moment})
    size = 150 * states * (len(game.modes) + len(branching_outcomes(game)))
    check_memory(
        size,
        f"a table of {game.name} to {game.target}",
        "ask the solution's policy for one pair of scores",
    )
    questions: list[tuple[str, str, tuple[str, ...]]]  # each: mode, dice, possible actions
    questions = [(mode.name, "", ("hold", "roll")) for mode in game.modes]
    for mode in game.modes:
        several = [outcome for outcome in mode.outcomes if len(outcome.choices) > 1]
        questions += [
            (mode.name, _rolled(outcome), tuple(c.name for c in outcome.choices))
            for outcome in several
        ]
    parts = []
    starts = list(product(policies, range(len(game.scores) if keys else 1)))
    for left, own in bar(starts, "scores", "score", delay=0, disable=not progress):
        rolls, choices = policies[left].actions_at(game, game.scores[own])
        others = len(game.scores) if "opponent" in keys else 1
        missing = rolls.shape[-1] if policy.above else game.missing(game.scores[own])
        answers = np.concatenate([rolls[:others].astype(np.uint8), choices[:others]], axis=1)[
            :, :, :missing
        ]
        # Whether a range of equal answers begins at this turn total.
        changes = np.ones(answers.shape, dtype=bool)
        changes[:, :, 1:] = answers[:, :, 1:] != answers[:, :, :-1]
        opponent, question, first = np.nonzero(changes)
        last = np.append(first[1:], 0) - 1
        last[last < 0] = missing - 1
        parts.append(
            (
                *np.full((2, len(question)), [[left], [own]]),
                opponent,
                question,
                first,
                last,
                answers[changes],
            )
        )
    left, own, opponent, question, first, last, answer = (
        np.concatenate(column) for column in zip(*parts, strict=True)
    )
    modes, dice, actions = zip(*questions, strict=True)
    start = np.cumsum([0, *map(len, actions)])  # of a question's actions in the list of all
    scores = {moment: left, "own": own, "opponent": opponent}
    scores = {key: scores[key] for key in keys}
    policy = {
        "mode": _categories(modes, question),
        "dice": _categories(dice, question),
        "first": first,
        "last": last,
    }
    policy["action"] = _categories(
        [action for names in actions for action in names], start[question] + answer
    )
    at_start = solution.values[tuple(scores.values())] if keys else solution.value
    if game.registers:
        scores = _with_registers(game, scores)
    frame = pd.DataFrame(scores | policy | {"value": at_start})
    frame.attrs = {
        "game": title_of(game),
        "objective": solution.objective,
        **column_texts(game, solution.objective),
    }
    return frame


def _with_registers(game, places):
    """Columns of points and of registers, from those of places in ``game.scores``."""
    names = [register.name for register in game.registers]
    columns = {}
    for key, place in places.items():
        points, register = np.divmod(place, len(names))
        now = {key: game.lowest + points, f"{key}_register": _categories(names, register)}
        columns |= now if key in ("own", "opponent") else {key: place}  # a role, or turns left
    return columns


def verdict_table(solution):
    """The verdicts of a solution for more than two players, with texts on what each column is in its ``attrs``."""
    frame, unit = solution.verdicts.copy(), solution.game.unit
    frame.attrs = {"game": title_of(solution.game), "players": str(solution.players)}
    for name in frame:
        stem, _, seat = name.rpartition("_")
        text = TUPLES[f"{stem}_{{k}}" if seat.isdecimal() else name]
        frame.attrs[name] = text.format(unit=unit, k=seat)
    return frame


def column_texts(game, objective):
    """What each column of :func:`to_frame` is, with its unit: a dict of texts, by column.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin", "turns", "score", "deadline"}
    """
    left_out = {"turns_left", "own", "opponent"} - set(SCORES[objective])
    left_out |= {"role"} if game.finish != "equal turns" else set()
    left_out |= {
        f"{key}_register" for key in ("own", "opponent") if key in left_out or not game.registers
    }
    texts = {name: text for name, text in COLUMNS.items() if name not in left_out} | {
        "value": VALUES[objective]
    }
    return {name: text.format(unit=game.unit) for name, text in texts.items()}


def _rolled(outcome):
    """The scoring dice of an outcome with choices; where no dice are set aside, its choices."""
    return " ".join(map(str, outcome.scoring)) or str(outcome)


def write(solution, file, progress=False):
    """Write a solution to a file, whole or not at all.

    Parameters
    ----------
    solution : Solution
        With more than two players, the verdicts are written.
    file : str or Path
        A path that ends in .csv or .parquet, for the :func:`to_frame` of the solution with an explanation, or in .txt,
        for the exact value at the start of the game. Fractions are written as text, "a/b".
    progress : bool
        Whether to show a bar.

    Raises
    ------
    ValueError
        If the file has another ending, is Parquet and pyarrow is missing, or is .txt and the solution is not exact.
    """
    several = isinstance(solution, Solution) and solution.players > 2
    if not several:
        check_solution(solution, OBJECTIVES)
    file = check_file(file, solution.exact, solution.players if several else 2)
    if file.suffix == ".txt":
        with atomic_write(file) as part:
            part.write_text(f"{_in_full(solution.value)}\n", encoding="utf-8")
        return
    frame = to_frame(solution, progress)
    for name in frame.select_dtypes(object):
        frame[name] = frame[name].map({value: _in_full(value) for value in frame[name].unique()})
    with atomic_write(file) as part:
        if file.suffix == ".csv":
            _write_csv(frame, part)
        else:
            frame.to_parquet(part, index=False, engine="pyarrow")


def new_text_file(solution, name):
    """The path of a text file in the current folder for the exact value of a solution.

    Raises
    ------
    ValueError
        If there is a file that has something else in it.
    """
    end = "" if solution.objective == "win" else f"-{solution.objective}"
    end += f"-{solution.turns}" if solution.turns else ""
    file = Path(f"{name}{end}.txt")
    if file.exists() and file.read_bytes() != f"{_in_full(solution.value)}\n".encode():
        raise ValueError(
            f"{file}: there is such a file, and it has something else in it; name another one"
        )
    return file


def _write_csv(frame, path):
    """Write a frame with its texts as comments above."""
    read = 'read it with pandas.read_csv(file, comment="#", keep_default_na=False)'
    lines = [f"# dicelab; {read}\n", *(f"# {name}: {text}\n" for name, text in frame.attrs.items())]
    path.write_text("".join(lines), encoding="utf-8", newline="\n")
    frame.to_csv(path, mode="a", index=False, lineterminator="\n")


def check_file(file, exact=False, players=2):
    """Read `file` as the path of a file that :func:`write` can write."""
    file = check_path(file, "file", ENDINGS)
    if file.suffix == ".parquet" and not find_spec("pyarrow"):
        raise ValueError(
            f"file: {str(file)!r} needs pyarrow; install it with: pip install 'dicelab[parquet]', or write .csv"
        )
    if file.suffix == ".txt" and players > 2:
        raise invalid(
            "file", str(file), "a name that ends in .csv or .parquet, for a table of verdicts"
        )
    if file.suffix == ".txt" and not exact:
        raise invalid(
            "file", str(file), "a name that ends in .csv or .parquet; .txt is for an exact value"
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
