"""The best response to fixed policies: the race in which one seat chooses and the others follow."""

from functools import partial

import numpy as np

from .._accuracy import ACCURACY, ConvergenceError, check_told_apart
from .._shown import name_of
from ..engine.questions import accuracy_of, check_ends, check_error
from ..engine.race import seated
from ..games.model import LAST_TURN, Game, roles_of
from ..games.named import read_game
from ..solution import OptimalPolicy, Solution
from ..strategies import Strategy
from .match import read_players

__all__ = ["best_response"]


def best_response(game: Game | str, opponent: Strategy, *more: Strategy) -> Solution:
    """The best response: how to win most often against an opponent whose policy is known, or several.

    Parameters
    ----------
    game : Game or str
    opponent : strategy
        How the opponent plays; see :func:`dicelab.evaluate`.
    *more : strategy
        Further opponents, in order of play: you move, then `opponent`, then these.

    Returns
    -------
    Solution
        With objective "win": ``values[own, opponent]`` is your probability to win when you move at these scores. In a
        game with registers the indices are places in ``game.scores``.
        Against several, ``values[own, next, …, last]`` are the probabilities of all seats, yours first.

    Raises
    ------
    ValueError
        If an argument is not allowed, or the policy is for another game. With registers or a last turn, also if a match
        need not end, because a penalty or a reset leads back.
    NotImplementedError
        If an opponent has a memory.
    ConvergenceError
        If the estimated error is more than 1e-12.
    MemoryError
        Before solving, if it would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(best_response(pig(), hold_at(20)).value, 6)
    0.587368
    >>> [round(chance, 6) for chance in best_response(pig(30), hold_at(20), hold_at(15)).value]
    [0.551972, 0.257726, 0.190303]
    """
    rules, n = read_game(game), len(more) + 2
    others = read_players(rules, more, n, opponent=opponent)
    names = "opponent", *map("more[{}]".format, range(len(more)))
    for name, policy in zip(names, others, strict=True):
        if policy.memory > 1:
            raise NotImplementedError(
                f"{name}: {policy} remembers its turns; the best response would have to, too"
            )
    check_ends(rules)
    check_told_apart(rules)
    roles = range(roles_of(rules, n))
    # In a role the player moves after so many others.
    races = [
        seated(rules, [*others[n - 1 - role :], "best", *others[: n - 1 - role]]) for role in roles
    ]
    residual, error = np.max([accuracy_of(race) for race in races], axis=0).tolist()
    values = [race.starts(role) for role, race in enumerate(races)]
    policy = OptimalPolicy(
        rules,
        partial(decide, races),
        name=f"best response to {' and '.join(map(name_of, others))}",
        above=max(race.rolled for race in races),
        players=n,
    )
    for race in races if rules.resets or rules.finish in LAST_TURN else ():
        followed = [policy if isinstance(seat, str) else seat for seat in race.seats]
        short = abs(seated(rules, followed).value - race.value).max()
        if not short <= ACCURACY:  # resets add up what is tied, and forced rolls may lead far
            raise ConvergenceError(
                f"{rules.name}: the best response falls short of its value by {short:.1e}"
            )
        error = min(error, ACCURACY)  # as the policy wins what it should
    check_error(rules, error)
    return Solution(
        game=rules,
        objective="win",
        players=n,
        values=np.array(values) if len(roles) > 1 else values[0],
        policy=policy,
        residual=residual,
        error=error,
        against=others if n > 2 else others[0],
        race=races[0] if len(roles) == 1 else tuple(races),
    )


def decide(races, places, rolls, choices, role=0, **more):
    """Fill in the decisions of a response that has a race for each role; see :class:`OptimalPolicy`."""
    races[role].fill(places, rolls, choices, role)
