"""Action values: the probabilities to win by rolling and by holding, at every turn total of one turn.

A solution has the values at the start of every turn. One backward pass of the turn operator gives those within a turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._validation import check_bool, check_int, invalid
from ..games.model import LAST_TURN, read_role
from ..games.registers import scores_of
from ..solution import Solution, check_solution
from ..solvers._kernels import room_for, rules_of, walk_turn
from ..solvers.last_turn import ladder_of
from ..solvers.turn import action_chances

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pandas as pd

__all__ = [
    "ActionValues",
    "action_values",
    "action_values_at",
    "arrays_of",
    "check_race",
    "turn_action_values",
    "turn_chances",
]


class ActionValues(NamedTuple):
    """Probabilities to win the race for the player about to act, by turn total 0, 1, …

    The totals go beyond the target by the most points of one roll. There the race is decided, except in modes in which
    the player must roll.
    """

    hold: np.ndarray  # (totals,) nan at 0 and wherever there are too few points to hold
    roll: np.ndarray  # (modes, totals) nan in modes in which one must hold
    # (modes, totals) the larger of both where the mode allows a hold, else the value of rolling.
    best: np.ndarray


def turn_action_values(solution, own, opponent, role=None):
    """The action values of one turn as arrays; see :func:`action_values`.

    Returns
    -------
    ActionValues
    """
    game = check_race(solution).game
    last_turn, own = game.finish in LAST_TURN, game.index(own)
    beaten = check_int(opponent, "opponent", game.lowest) if last_turn else 0
    role = read_role(game, role, (beaten,))
    if last_turn and beaten >= game.target:
        opponent += len(game.scores) - game.target
    else:
        opponent = game.index(opponent, "opponent")
    after = 1.0 - solution.values.astype(float).reshape(-1, *solution.values.shape[-2:])
    return action_values_at(game, after, own, opponent, role or 0)


def arrays_of(game):
    """What :func:`action_values_at` looks up of a game: rules, the ladder and scores as arrays."""
    return rules_of(game), ladder_of(game), scores_of(game)


def action_values_at(game, after, own, opponent, role=0, arrays=None):
    """The action values of one turn, by the places of scores; ActionValues.

    ``after[role, opponent, own]`` are the values if the opponent moves next in this role. In a last turn `opponent` is
    the number of scores, plus the points above the target that are to be beaten. Who asks for many turns gives the
    :func:`arrays_of` the game.
    """
    rules, ladder, scores = arrays or arrays_of(game)
    hold, turn = room_for(game, ladder, opponent - len(game.scores))
    after = np.ascontiguousarray(after)
    bust, steps = walk_turn(rules, ladder, scores, after, role, own, opponent, hold, turn)
    # from right to left, for the turn totals 0, 1, …
    start = rules.beyond.shape[2] - 1 + steps
    best, roll = (bust + array[:, start::-1] for array in (turn.value, turn.roll))
    roll[rules.stops] = np.nan
    held = np.append(np.nan, hold[steps - 1 : 0 : -1])
    held[held == -np.inf] = np.nan
    held = np.append(held, best[np.argmax(rules.may_hold), steps:])
    # Rounding: off by 1e-12.
    return ActionValues(*(np.clip(values, 0.0, 1.0) for values in (held, roll, best)))


def turn_chances(solution, own, others, bold=None, role=None):
    """Everybody's chances by action, in one turn of several players; see :func:`action_values`.

    Returns
    -------
    ActionValues
        The arrays have one more axis: the chances by seat, then the probability that the turn does not bust any more.
    """
    policy = check_race(solution).policy
    place, *places = policy.places_of(solution.game, own, others)
    role = read_role(solution.game, role, others)
    if bold is None:
        bold = bool(policy.when(role=role).bold_turns.get((place, *places), 0) > 0.5)
    bold = check_bool(bold, "bold")
    return ActionValues(*action_chances(solution, place, tuple(places), bold, role or 0))


def check_race(solution, last_turn=True):
    """Read `solution` as the solution of a race, of any number of players, that is no best response."""
    if getattr(solution, "players", 2) == 2 or not isinstance(solution, Solution):
        check_solution(solution, ("win",), last_turn=last_turn)
    if solution.against is not None:
        raise invalid(
            "solution",
            solution,
            "what dicelab.solve(game) returns; best responses are not supported",
        )
    return solution


def action_values(
    solution: Solution,
    own: int,
    opponent: int | Sequence[int],
    *,
    bold: bool | None = None,
    role: int | None = None,
) -> pd.DataFrame:
    """The probabilities to win by rolling and by holding, at every turn total of one turn.

    Parameters
    ----------
    solution : Solution
        With objective "win".
    own : int
        Banked points, in 0, …, target - 1; in a game with registers a :class:`dicelab.Score`.
    opponent : int or sequence of int
        Those of the opponent, in a last turn the score to beat; with more players those of all others, in order of
        play.
    bold : bool, optional
        With more players: which of two turns the player goes on with, where the player mixes two or is indifferent
        between them. By default the one that is played more often. It makes a difference to the others alone.
    role : int, optional
        In "equal turns": 0 for the player who is first in the round, as by default, 1 for the next one, …

    Returns
    -------
    pandas.DataFrame
        Indexed by turn total, 0, …, target - own - 1, or, in a game with registers, ``game.missing(own)`` - 1; where
        the other player has a last turn, up to where every hold is right. Column "hold" is nan at 0 and wherever there
        are too few points to hold, so that one must roll. In games with one mode "roll" is the value of a roll and
        "best" the larger of both. With several modes, each has a column with its name, the value of a roll in it, and
        a column "best" with its name: "best, 3 dice". Both are nan where no turn can be in the mode. All values are
        with optimal play afterwards. With more than two players each action has a column for each other seat, too:
        "hold, seat 2" is the chance of the next player if the player to move, in seat 1, holds.

    Raises
    ------
    ValueError
        If a score is out of range or the solution is of another kind; and if a mode has a name, such as "hold", with
        which two columns would be called the same.

    Examples
    --------
    >>> import dicelab as dl
    >>> dl.action_values(dl.solve(dl.piglet(3)), own=0, opponent=0).round(4).values.tolist()
    [[nan, 0.5455, 0.5455], [0.6364, 0.6162, 0.6364], [0.7778, 0.7273, 0.7778]]

    With three players a decision that hardly matters to oneself can matter to the others: here holding leaves more to
    the next player, and less to the third one.

    >>> chances = dl.action_values(dl.solve(dl.pig(50), players=3), own=7, opponent=(8, 0)).loc[20].round(4)
    >>> chances[["hold", "hold, seat 2", "hold, seat 3"]].tolist()
    [0.5335, 0.2915, 0.175]
    >>> chances[["roll", "roll, seat 2", "roll, seat 3"]].tolist()
    [0.5384, 0.2845, 0.177]
    """
    import pandas as pd

    game = check_race(solution).game
    names = [mode.name for mode in game.modes]
    if solution.players > 2:
        found = turn_chances(solution, own, opponent, bold, role)
    elif bold is not None:
        raise invalid("bold", bold, "None; it is a choice for more than two players")
    else:
        values = turn_action_values(solution, own, opponent, role)
        found = ActionValues(*(each[..., None] for each in values))
    for m in (m for m, name in enumerate(names) if name not in game.reached_with_points):
        for array in (found.roll, found.best):
            array[m, int(names[m] in game.reached()) :] = np.nan
    best = [f"best, {name}" for name in names]
    if len(names) == 1:
        names, best = ["roll"], ["best"]
    actions = list(zip(["hold", *names], [found.hold, *found.roll], strict=True))
    chosen = zip(best, found.best, strict=True)
    columns = [(name, chances[:, 0]) for name, chances in (*actions, *chosen)]
    columns += [
        (f"{action}, seat {s + 1}", chances[:, s])
        for action, chances in actions
        for s in range(1, found.hold.shape[1] - 1)
    ]
    if len(dict(columns)) < len(columns):
        raise ValueError(
            f"{game.name}: two columns would have one name, of {', '.join(name for name, _ in columns)}; give the modes"
            " other names"
        )
    return (
        pd.DataFrame(dict(columns))
        .rename_axis("turn total")
        .iloc[: len(found.hold) - game.most_points]
    )
