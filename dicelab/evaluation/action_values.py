"""Action values: what rolling and holding are worth, at every turn total of one turn.

A solution has the values at the start of every turn. One backward pass of the turn operator gives those within a turn.
It is the same for every objective: only the values of what follows the turn differ.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from .._accuracy import ENDLESS
from .._validation import check_int
from ..engine.positions import BEYOND, EXACTLY, LEAST, NEED, ONWARD
from ..games.model import read_role
from ..solution import ALONE, OBJECTIVES, Solution, check_solution

__all__ = [
    "ActionValues",
    "action_values",
    "check_solved",
    "turn_action_values",
    "turn_chances",
    "values_at",
]


class ActionValues(NamedTuple):
    """What actions are worth to the player about to act, by turn total 0, 1, …; see :func:`action_values`.

    The totals go beyond the target by the most points of one roll. There the race is decided, except in modes in which
    the player must roll.
    """

    hold: np.ndarray  # (totals,) nan at 0 and wherever there are too few points to hold
    roll: np.ndarray  # (modes, totals) nan in modes in which one must hold
    # (modes, totals) the better of both where the mode allows a hold, else the value of rolling.
    best: np.ndarray


def turn_action_values(solution, own, opponent=0, role=None, turns_left=None):
    """The player's own action values of one turn as arrays; see :func:`action_values`.

    Returns
    -------
    ActionValues
    """
    return ActionValues(
        *(x[..., 0] for x in turn_chances(solution, own, opponent, None, role, turns_left))
    )


def turn_chances(solution, own, others, bold=None, role=None, turns_left=None):
    """Everybody's chances by action, in one turn of any number of players; see :func:`action_values`.

    Returns
    -------
    ActionValues
        The arrays have one more axis: the chances by seat, and then that the turn does not bust any more; for two
        players and for one, the value alone.
    """
    game, policy, many = check_solved(solution).game, solution.policy, solution.players > 2
    mixes = many and solution.against is None
    left = policy.when(turns_left=turns_left).turns_left or solution.turns
    places = policy.places_of(game, own, others)
    if solution.objective in ALONE:
        check_int(others, "opponent", 0, 0)
    role = read_role(game, role, others if many else (int(others),))
    if mixes and bold is None:
        bold = policy.when(role=role).bold_share(own, others) > 0.5
    phase = solution.turns - left if solution.turns else role or 0
    found = values_at(race_of(solution, role), places, phase, *([bold] if mixes else []))
    if solution.objective == "score":
        found = [part[..., : len(solution.values) + game.most_points, :] for part in found]
    elif solution.objective == "turns":
        found = [np.where(part < -ENDLESS, np.inf, -part) for part in found]
    return ActionValues(*(part if many else part[..., :1].astype(float) for part in found))


def race_of(solution, role=None):
    """The race of a solution in a role."""
    return solution.race[role or 0] if isinstance(solution.race, tuple) else solution.race


def values_at(race, places, phase=0, *side):
    """The action values of a turn by the places of all scores, ActionValues with an axis more, the components.

    `side` is for equilibria of more than two players: whether the turn is the bold one.
    """
    game, lead = race.positions.game, race.positions.lead
    if len(places) > 2 and max(places[1:]) > len(game.scores) + lead:
        raise ValueError(
            f"opponent: with more than two players no score above {game.target + lead} is known in {game.name}"
        )
    (turn,) = race.positions.at(np.array([places[: race.positions.players]]), phase)
    *found, bust = race.actions(turn, *side)
    known = turn[NEED] + (race.rolled if turn[BEYOND] == ONWARD else 0)
    # Behind it all is as there: the race is decided, or every hold is right.
    totals = np.minimum(np.arange(known + game.most_points), len(found[0]) - 1)
    hold, roll, best = (part[..., totals, :] for part in found)
    if turn[BEYOND] == EXACTLY:  # there it is a bust
        for part in (hold, roll, best):
            part[..., turn[NEED] + 1 :, :] = bust
    hold[: turn[LEAST]] = np.nan
    roll[[mode.must_hold for mode in game.modes]] = np.nan
    return ActionValues(hold, roll, best)


def check_solved(solution, objectives=OBJECTIVES, field="solution"):
    """Read `solution` as one of any number of players, for some objectives."""
    many = isinstance(solution, Solution) and solution.players > 2
    return solution if many else check_solution(solution, objectives, field)


def action_values(
    solution: Solution,
    own: int = 0,
    opponent: int | Sequence[int] = 0,
    *,
    role: int | None = None,
    turns_left: int | None = None,
) -> pd.DataFrame:
    """What rolling and holding are worth, at every turn total of one turn.

    For "win" that is the probability to win, for "margin" the points that the player can expect to win, for "turns" the
    expected number of turns from this one on, infinite where the target may never be reached, for "deadline" the
    probability to be in time, and for "score" the expected points of the turn.

    Parameters
    ----------
    solution : Solution
        What :func:`dicelab.solve` or :func:`dicelab.best_response` returns.
    own : int
        Banked points, in 0, …, target - 1; in a game with registers a :class:`dicelab.Score`. For "score" the register
        alone makes a difference.
    opponent : int or sequence of int
        Those of the opponent, in a last turn the score to beat; with more players those of all others, in order of
        play. For one player it stays 0.
    role : int, optional
        In "equal turns": 0 for the player who is first in the round, as by default, 1 for the next one, …
    turns_left : int, optional
        For "deadline": this turn and those after it, by default all.

    Returns
    -------
    pandas.DataFrame
        Indexed by turn total, 0, …, target - own - 1, or, in a game with registers, ``game.missing(own)`` - 1; where
        the other player has a last turn, up to where every hold is right; for "score" up to the largest total at which
        a roll may be right, or the least hold. Column "hold" is nan at 0 and wherever there are too few points to hold,
        so that one must roll. In games with one mode "roll" is the value of a roll and "best" the better of both. With
        several modes, each has a column with its name, the value of a roll in it, and a column "best" with its name:
        "best, 3 dice". Both are nan where no turn can be in the mode. All values are with optimal play afterwards, or
        with the best play against fixed opponents. With more than two players each action has a column for each other
        seat, too: "hold, seat 2" is the chance of the next player if the player to move, in seat 1, holds. A player
        who mixes two turns goes on with the one that is played more often.

    Raises
    ------
    ValueError
        If an argument is out of range.

    Examples
    --------
    >>> import dicelab as dl
    >>> dl.action_values(dl.solve(dl.piglet(3)), own=0, opponent=0).round(4).values.tolist()
    [[nan, 0.5455, 0.5455], [0.6364, 0.6162, 0.6364], [0.7778, 0.7273, 0.7778]]
    >>> dl.action_values(dl.solve(dl.pig(), "turns")).loc[[20, 25], ["hold", "roll"]].round(3).values.tolist()
    [[11.075, 11.112], [10.521, 10.569]]

    With three players a decision that hardly matters to oneself can matter to the others: here holding leaves more to
    the next player, and less to the third one.

    >>> chances = dl.action_values(dl.solve(dl.pig(50), players=3), own=7, opponent=(8, 0)).loc[20].round(4)
    >>> chances[["hold", "hold, seat 2", "hold, seat 3"]].tolist()
    [0.5335, 0.2915, 0.175]
    >>> chances[["roll", "roll, seat 2", "roll, seat 3"]].tolist()
    [0.5384, 0.2845, 0.177]
    """
    found = turn_chances(solution, own, opponent, None, role, turns_left)
    game = solution.game
    names = [mode.name for mode in game.modes]
    for m in (m for m, name in enumerate(names) if name not in game.reached_with_points):
        for array in (found.roll, found.best):
            array[m, int(names[m] in game.reached()) :] = np.nan
    best = [f"best, {name}" for name in names]
    if len(names) == 1:
        names, best = ["roll"], ["best"]
    names, actions = ["hold", *names], np.stack([found.hold, *found.roll])
    others = range(1, actions.shape[2] - 1)
    parts = [*actions[..., 0], *found.best[..., 0], *(x[:, s] for x in actions for s in others)]
    seats = [f"{name}, seat {s + 1}" for name in names for s in others]
    known = np.transpose(parts)[: len(found.hold) - game.most_points]
    return pd.DataFrame(known, columns=[*names, *best, *seats]).rename_axis("turn total")
