"""What a policy gives away against the optimal one, exactly: the loss, or regret."""

from .._accuracy import check_not_beaten
from .._recorded import record_policies
from ..games.model import Game
from ..games.situation import read_game
from ..solution import Solution, check_solution
from ..solvers import solve
from ..strategies import Strategy, read_policies
from .match import evaluate

__all__ = ["loss"]


def loss(game: Game | Solution | str, policy: Strategy) -> float:
    """The loss (regret) of a policy against the optimal one, averaged over moving first and second.

    Parameters
    ----------
    game : Game, Solution or str
        A game, or the text of one, is solved with objective "win". Or its solution with "win" or "margin", points
        beyond the target not counting; the policy of the solution is the opponent.
    policy : strategy
        A policy, or whatever else plays; see :func:`dicelab.evaluate`.

    Returns
    -------
    float
        For "win", one half minus the probability to win; for "margin", points a game. At least 0, but for rounding.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`evaluate`; and for another objective.
    ConvergenceError
        If the policy wins more than the optimal one: a contradiction.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(loss(pig(), hold_at(20)), 6)
    0.03992
    """
    game = read_game(game) if isinstance(game, str) else game
    solution = (
        solve(game) if isinstance(game, Game) else check_solution(game, ("win", "margin"), "game")
    )
    (policy,) = record_policies(
        solution.game, policy=read_policies(solution.game, policy=policy)[0]
    )
    first = evaluate(solution.game, solution.policy, policy)
    second = evaluate(solution.game, policy, solution.policy)
    won = solution.objective == "win"
    lost = (first.first_wins - second.first_wins if won else first.margin - second.margin) / 2
    check_not_beaten(solution.game, -lost, 1.0 if won else solution.game.target)
    return lost
