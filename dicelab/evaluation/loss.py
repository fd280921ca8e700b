"""What a policy gives away against the optimal one, exactly: the loss, or regret."""

import numpy as np

from .._accuracy import check_not_beaten
from .._validation import invalid
from ..games.model import Game
from ..games.situation import read_game
from ..solution import Solution
from ..solvers import solve
from ..strategies import Strategy
from .action_values import check_race
from .match import evaluate, record_players, turns_needed

__all__ = ["loss"]


def loss(game: Game | Solution | str, policy: Strategy) -> float:
    """The loss (regret) of a policy against the optimal one, averaged over all seats.

    Parameters
    ----------
    game : Game, Solution or str
        A game, or the text of one, is solved with objective "win". Or its solution with "win", also of more players, or
        "margin", points beyond the target not counting: the policy of the solution sits in all other seats. Or with
        "turns", where nobody else plays.
    policy : strategy
        A policy, or whatever else plays; see :func:`dicelab.evaluate`.

    Returns
    -------
    float
        For "win", 1/n minus the probability to win, with n players; for "margin", points a game; for "turns", the
        expected number of turns more, infinite where the policy may never finish. At least 0, but for rounding.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`evaluate`; and for another objective, for "margin" with overshoot, and where nobody can be sure to
        finish.
    ConvergenceError
        If the policy wins more than the optimal one: a contradiction.

    Examples
    --------
    >>> from dicelab import hold_at, pig, solve
    >>> round(loss(pig(), hold_at(20)), 6)
    0.03992
    >>> round(loss(solve(pig(30), players=3), hold_at(20)), 4), round(loss(solve(pig(), "turns"), hold_at(20)), 4)
    (0.1195, 0.0915)
    """
    game = read_game(game) if isinstance(game, str) else game
    allowed = "win", "margin", "turns"
    solution = solve(game) if isinstance(game, Game) else check_race(game, allowed, "game")
    game, n, objective = solution.game, solution.players, solution.objective
    if solution.overshoot or solution.value == np.inf:
        said = "what dicelab.solve(game) returns, of finite value, and with overshoot=False"
        raise invalid("game", solution, said)
    if objective == "turns":
        alone = turns_needed(game, policy)[game.index(game.after_reset)]
        lost, most = float(alone) - solution.value, solution.value
    else:
        (policy,), others = record_players(game, {"policy": policy}, n, 0), [solution.policy] * n
        matches = [evaluate(game, *others[:k], policy, *others[k + 1 :]) for k in range(n)]
        lost = sum(1 / n - match.wins[k] for k, match in enumerate(matches)) / n
        if objective == "margin":
            lost = (matches[1].margin - matches[0].margin) / 2
        most = 1.0 if objective == "win" else game.target
    check_not_beaten(game, -lost, most)
    return lost
