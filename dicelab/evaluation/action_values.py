"""Action values: the probabilities to win by rolling and by holding, at every turn total of one turn.

A solution has the values at the start of every turn. One backward pass of the turn operator gives those within a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validation import check_score, invalid
from ..solution import Solution, check_solution
from ..solvers._kernels import Ends, backward_pass, new_turn, rules_of
from ..solvers.two_player import payoffs_of

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["ActionValues", "action_values", "turn_action_values"]


class ActionValues(NamedTuple):
    """Probabilities to win the race for the player about to act, by turn total 0, 1, …

    The totals go beyond the target by the most points of one roll. There the race is decided, except in modes in which
    the player must roll.
    """

    hold: np.ndarray  # (totals,) nan at 0, where one must roll
    roll: np.ndarray  # (modes, totals)
    best: np.ndarray  # (modes, totals) the larger of both where the mode allows a hold, else the value of rolling


def turn_action_values(solution, own, opponent):
    """The action values of one turn as arrays; see :func:`action_values`.

    Returns
    -------
    ActionValues
    """
    if check_solution(solution, ("win",)).against is not None:
        raise invalid("solution", solution, "what dicelab.solve(game) returns; best responses are not supported")
    game, rules = solution.game, rules_of(solution.game)
    own, opponent = check_score(own, "own", game.target), check_score(opponent, "opponent", game.target)
    missing, width = game.target - own, rules.beyond.shape[2]
    after = 1.0 - solution.values[opponent].astype(float)  # the values after a hold, by own score
    payoffs, turn = payoffs_of(game, "win"), new_turn(rules, game.target)
    hold = np.append(1.0, after[:own:-1])  # by points missing, as the turn operator wants it
    backward_pass(rules, hold, Ends(after[own], after[0], payoffs.finish[0], payoffs.over), missing, 1, turn)
    # column width - 1 + r is for r points missing: from right to left, for the turn totals 0, 1, …
    best, roll = (after[own] + array[:, width - 1 + missing :: -1] for array in (turn.value, turn.roll))
    hold = np.concatenate([[np.nan], after[own + 1 :], best[np.argmax(rules.may_hold), missing:]])
    return ActionValues(*(np.clip(values, 0.0, 1.0) for values in (hold, roll, best)))  # rounding: off by 1e-12


def action_values(solution: Solution, own: int, opponent: int) -> pd.DataFrame:
    """The probabilities to win by rolling and by holding, at every turn total of one turn.

    Parameters
    ----------
    solution : Solution
        With objective "win".
    own, opponent : int
        Banked points, in 0, …, target - 1.

    Returns
    -------
    pandas.DataFrame
        Indexed by turn total, 0, …, target - own - 1. Column "hold" is nan at 0, where one must roll. In games with one
        mode "roll" is the value of a roll and "best" the larger of both. With several modes, each has a column with its
        name, the value of a roll in it, and a column "best" with its name: "best, 3 dice". All values are with optimal
        play afterwards.

    Raises
    ------
    ValueError
        If a score is out of range or the solution is of another kind.

    Examples
    --------
    >>> import dicelab as dl
    >>> dl.action_values(dl.solve(dl.piglet(3)), own=0, opponent=0).round(4).values.tolist()
    [[nan, 0.5455, 0.5455], [0.6364, 0.6162, 0.6364], [0.7778, 0.7273, 0.7778]]
    """
    import pandas as pd

    values, names = turn_action_values(solution, own, opponent), [mode.name for mode in solution.game.modes]
    best = [f"best, {name}" for name in names]
    if len(names) == 1:
        names, best = ["roll"], ["best"]
    columns = zip(["hold", *names, *best], [values.hold, *values.roll, *values.best], strict=True)
    return pd.DataFrame(dict(columns)).rename_axis("turn total").iloc[: solution.game.target - own]
