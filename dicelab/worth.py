"""What every decision of a turn is worth: the win probability of rolling and of holding, total by total.

A solution has the value at the start of every turn. One walk of the turn operator gives the rest of a turn.
"""

from typing import NamedTuple

import numpy as np

from .doors import refusal
from .policies import Solution
from .race import scratch, stakes_of
from .turn import rules_of, walk

__all__ = ["Odds", "odds", "turn_odds"]


class Odds(NamedTuple):
    """Of one turn, the probabilities to win the race for the player whose turn it is, by turn total 0, 1, …

    The totals go on beyond the target, by as many points as one roll can bring; there, all is decided but for the
    modes in which one must roll.
    """

    hold: np.ndarray  # (totals,) of holding; nan at 0, where one may not
    roll: np.ndarray  # (modes, totals) of rolling
    best: np.ndarray  # (modes, totals) of the better of both, as far as the mode allows it


def turn_odds(solution, own, opponent):
    """See :func:`odds`.

    Returns
    -------
    Odds
    """
    if not isinstance(solution, Solution) or solution.objective != "win" or solution.against is not None:
        raise refusal("solution", solution, "what dicelab.solve(game) returns")
    game, rules = solution.game, rules_of(solution.game)
    own, opponent = solution.policy.score(own, "own"), solution.policy.score(opponent, "opponent")
    missing, width = game.target - own, rules.beyond.shape[2]
    passed = 1.0 - solution.values[opponent].astype(float)  # by own score
    stakes = stakes_of(game, "win")
    best, leave, roll = scratch(rules, game.target)
    hold = np.append(1.0, passed[:own:-1])  # by points missing
    walk(rules, hold, passed[own], passed[0], stakes.finish[0], stakes.over, missing, 1, best, leave, roll)
    best, roll = (passed[own] + worths[:, width - 1 + missing :: -1] for worths in (best, roll))
    hold = np.concatenate([[np.nan], passed[own + 1 :], best[np.argmax(rules.may_hold), missing:]])
    return Odds(*(np.clip(worths, 0.0, 1.0) for worths in (hold, roll, best)))  # as rounding may be off by 1e-12


def odds(solution, own, opponent):
    """The probabilities to win by rolling and by holding, at every turn total of one turn.

    Parameters
    ----------
    solution : Solution
        Of a game, objective "win".
    own, opponent : int
        Banked points, in 0, …, target - 1.

    Returns
    -------
    pandas.DataFrame
        Indexed by turn total, 0, …, target - own - 1. Column "hold", nan at 0, and a column for every mode, by its
        name: what a roll in it is worth. Both with optimal play afterwards.

    Raises
    ------
    ValueError
        If a score is out of range or the solution is of another kind.

    Examples
    --------
    >>> import dicelab as dl
    >>> dl.odds(dl.solve(dl.piglet(3)), own=0, opponent=0).round(4).values.tolist()
    [[nan, 0.5455], [0.6364, 0.6162], [0.7778, 0.7273]]
    """
    import pandas as pd

    found, missing = turn_odds(solution, own, opponent), solution.game.target - own
    columns = {"hold": found.hold, **dict(zip((mode.name for mode in solution.game.modes), found.roll, strict=True))}
    return pd.DataFrame(columns).rename_axis("turn total").iloc[:missing]
