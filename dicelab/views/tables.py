"""A solution as a DataFrame and as a CSV file: every value, and every decision by ranges of turn totals.

A file says itself what is in it, in lines after "#"; read it with
``pandas.read_csv(file, comment="#", keep_default_na=False)``.
"""

from itertools import product

import numpy as np
import pandas as pd

from .._exact import ExactValue
from .._files import atomic_write
from .._limits import check_memory
from .._shown import title_of
from ..games.registers import PLAIN
from ..policies import branching_outcomes

__all__ = ["to_frame", "write_csv"]

BOTH = ["own", "opponent"]
SCORES = {"win": BOTH, "margin": BOTH, "turns": ["own"], "score": []}
SCORES |= {
    "deadline": ["turns_left", "own"],
    "total": ["turns_left", "own"],
    "rounds": ["turns_left", *BOTH],
}
COLUMNS = {  # of a table, in this order, but for the value
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
    "rounds": "the probability to have the higher score in the end, at the start of the turn",
    "total": "the mean score after the turns left, in {unit}, at the start of the first of them",
}


def to_frame(solution):
    """All decisions and values; see :meth:`dicelab.Solution.to_frame`."""
    if solution.players > 2:
        return solution.verdicts
    game, keys = solution.game, SCORES[solution.objective]
    policies, moment = {0: solution.policy}, "role"
    if solution.turns is not None:
        left, moment = range(1, solution.turns + 1), "turns_left"
        policies = {turns: solution.policy.when(turns_left=turns) for turns in left}
    elif game.finish == "equal turns":
        policies, keys = {role: solution.policy.when(role=role) for role in (0, 1)}, ["role", *keys]
    check_memory(
        150 * solution.values.size * (len(game.modes) + len(branching_outcomes(game))),
        f"a table of {title_of(game)}",
        "ask the solution's policy for one pair of scores",
    )
    questions = [(mode.name, "", ["hold", "roll"]) for mode in game.modes]
    questions += [
        (
            mode.name,
            " ".join(map(str, outcome.scoring)) or str(outcome),
            [c.name for c in outcome.choices],
        )
        for mode in game.modes
        for outcome in mode.outcomes
        if len(outcome.choices) > 1
    ]
    modes, dice, actions = zip(*questions, strict=True)
    starts = np.cumsum([0, *map(len, actions)])  # of a question's actions in the list of all
    parts = []
    for now, own in product(policies, range(len(game.scores) if keys else 1)):
        answers = np.concatenate(policies[now].actions_at(game, game.scores[own]), axis=1)
        if "opponent" not in keys:
            answers = answers[:1]
        if not policies[now].above:
            answers = answers[:, :, : game.missing(game.scores[own])]
        # Whether a range of equal answers begins at this turn total; 255 is no answer.
        changes = np.diff(answers, axis=2, prepend=np.uint8(255)) != 0
        opponent, question, first = np.nonzero(changes)
        last = np.append(first[1:], 0) - 1
        last[last < 0] = answers.shape[2] - 1
        part = {
            moment: now,
            "own": own,
            "opponent": opponent,
            "question": question,
            "first": first,
            "last": last,
        }
        parts.append(pd.DataFrame(part | {"action": starts[question] + answers[changes]}))
    frame = pd.concat(parts, ignore_index=True)
    at = tuple(frame[key] for key in keys)
    frame["value"] = solution.values[at] if keys else solution.value
    frame["action"] = _categories([name for names in actions for name in names], frame["action"])
    frame["mode"], frame["dice"] = (_categories(each, frame["question"]) for each in (modes, dice))
    registers = [register.name for register in game.registers or (PLAIN,)]
    for key in ("own", "opponent"):
        points, register = np.divmod(frame[key], len(registers))
        frame[key], frame[f"{key}_register"] = (
            game.lowest + points,
            _categories(registers, register),
        )
    texts = column_texts(game, solution.objective)
    frame = frame[[*texts]]
    frame.attrs = {"game": title_of(game), "objective": solution.objective, **texts}
    return frame


def _categories(names, numbers):
    """A column with the names of these numbers. Each name is stored once."""
    unique = list(dict.fromkeys(names))
    codes = np.array([unique.index(name) for name in names])
    return pd.Categorical.from_codes(codes[numbers], unique)


def column_texts(game, objective):
    """What each column of a table is, with its unit: a dict of texts, by column."""
    left_out = {"turns_left", "own", "opponent"} - {*SCORES[objective]}
    left_out |= {"role"} if game.finish != "equal turns" else set()
    left_out |= {
        f"{key}_register" for key in ("own", "opponent") if key in left_out or not game.registers
    }
    texts = COLUMNS | {"value": VALUES[objective]}
    return {
        name: text.format(unit=game.unit) for name, text in texts.items() if name not in left_out
    }


def write_csv(solution, file):
    """Write the table of a solution to a Path, whole or not at all, below lines on its columns; fractions in full."""
    frame = solution.to_frame()
    for name in frame.select_dtypes(object):
        frame[name] = frame[name].map({value: _in_full(value) for value in frame[name].unique()})
    read = 'read it with pandas.read_csv(file, comment="#", keep_default_na=False)'
    lines = [f"# dicelab; {read}\n", *(f"# {name}: {text}\n" for name, text in frame.attrs.items())]
    with atomic_write(file) as part:
        part.write_text("".join(lines), encoding="utf-8", newline="\n")
        frame.to_csv(part, mode="a", index=False, lineterminator="\n")


def _in_full(value):
    """An exact value as text: all digits of a Fraction, or "inf"."""
    return value.in_full() if isinstance(value, ExactValue) else str(value)
