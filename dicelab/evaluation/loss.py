"""What a policy gives away against the optimal one, exactly: the loss, or regret."""

from typing import Any, cast

import numpy as np

from .._accuracy import check_not_beaten
from .._validation import invalid
from ..engine.positions import ENDS
from ..engine.race import seated
from ..games.model import Game
from ..solution import Solution
from ..strategies import Strategy
from .action_values import check_solved
from .match import evaluate, read_one, read_players
from .solving import solve

__all__ = ["loss"]


def loss(game: Game | Solution | str, policy: Strategy) -> float:
    """What a policy gives away a game: its loss (regret), compared with the optimal policy.

    Parameters
    ----------
    game : Game, Solution or str
        A game, or the text of one, is solved for "win". A solution for "win" (of any number of players) or for "margin"
        without overshoot: its policy sits in all other seats. A solution for "turns", "deadline" or "score": nobody
        else plays. A best response: its opponents sit in the other seats.
    policy : strategy
        The policy to judge; see :func:`dicelab.evaluate`.

    Returns
    -------
    float
        "win": 1/n minus the probability to win, with n players, averaged over all seats. Best response: its probability
        to win minus that of the policy, moving first. "margin": points a game. "turns": additional expected turns,
        infinite if the policy may never finish. "deadline": the probability to be in time that is lost. "score":
        points of the first turn, which ends at the target at the latest; points beyond it count, but a bust that pays
        more than an exact target counts as the target. The loss is at least 0, but for rounding and ties.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`evaluate`. Also for "margin" with overshoot, and if nobody can be sure to finish.
    ConvergenceError
        If the policy wins more than the optimal one: a contradiction.

    Examples
    --------
    >>> from dicelab import hold_at, pig, solve
    >>> round(loss(pig(), hold_at(20)), 6)
    0.03992
    >>> round(loss(solve(pig(30), players=3), hold_at(20)), 4), round(loss(solve(pig(), "turns"), hold_at(20)), 4)
    (0.1195, 0.0915)
    >>> ten_turns = solve(pig(), "deadline", turns=10)
    >>> round(loss(solve(pig(), "score"), hold_at(25)), 4), round(loss(ten_turns, hold_at(20)), 4)
    (0.1446, 0.1058)
    """
    solution = solve(game) if isinstance(game, Game | str) else check_solved(game, field="game")
    game, n, objective = solution.game, solution.players, solution.objective
    if solution.overshoot or solution.value == np.inf or objective in ("total", "rounds"):
        raise invalid(
            "game",
            solution,
            "what dicelab.solve(game) returns, of finite value, with overshoot=False, and not for 'total' or 'rounds'",
        )
    if objective == "turns":
        lost = evaluate(game, policy).turns_mean - solution.value
    elif objective == "deadline":
        asks = getattr(policy, "clock", None) is not None and cast(Any, policy).turns_left is None
        seats = [
            read_one(game, cast(Any, policy).when(turns_left=left) if asks else policy, asks)
            for left in range(solution.turns or 0, 0, -1)
        ]
        lost = solution.value - float(seated(game, seats, "deadline").value[0])
    elif objective == "score":
        lost = solution.value - points_of_turn(solution, policy)
    elif solution.against is not None:
        others: Any = solution.against if n > 2 else [solution.against]
        (policy,) = read_players(game, players=n, policy=policy)
        best, own = (evaluate(game, one, *others).first_wins for one in (solution.policy, policy))
        lost = best - own
    else:
        (policy,), others = read_players(game, players=n, policy=policy), [solution.policy] * n
        matches = [evaluate(game, *others[:k], policy, *others[k + 1 :]) for k in range(n)]
        lost = sum(1 / n - match.wins[k] for k, match in enumerate(matches)) / n
        if objective == "margin":
            lost = (matches[1].margin - matches[0].margin) / 2
    units = {"turns": solution.value, "score": solution.value, "margin": game.target}
    check_not_beaten(game, -lost, units.get(objective, 1.0))
    return lost


def points_of_turn(solution, policy):
    """The expected points of a first turn that ends at the target at the latest, points beyond it counting."""
    game, race, own = solution.game, solution.race, solution.game.after_reset
    policy = read_one(game, policy, one_turn=True)
    others = own if policy.players == 2 else (own,) * (policy.players - 1)
    tables = policy.turn_at(game, own, others, choices=True)
    turns = race.positions.at(np.array([[game.index(own)]]))
    ends = race.ends_of(turns, *(table[None] for table in tables))[0]
    return float(
        ends @ [game.register(own).pays, *[0] * (ENDS - 1), *range(len(ends) - ENDS - 2, -1, -1), 1]
    )
