"""What a policy gives away against the optimal one, exactly: the loss, or regret."""

from .._recorded import record_policies
from ..games.model import Game
from ..policies import Policy
from ..solution import Solution, check_solution
from ..solvers import solve
from .match import evaluate
from .turn_outcomes import check_policies

__all__ = ["loss"]


def loss(game: Game | Solution, policy: Policy) -> float:
    """The loss (regret) of a policy against the optimal one, averaged over moving first and second.

    Parameters
    ----------
    game : Game or Solution
        A game is solved with objective "win". Or its solution with "win" or "margin", points beyond the target not
        counting; the policy of the solution is the opponent.
    policy : Policy

    Returns
    -------
    float
        For "win", one half minus the probability to win; for "margin", points a game. At least 0.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`evaluate`; and for another objective.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(loss(pig(), hold_at(20)), 6)
    0.03992
    """
    solution = solve(game) if isinstance(game, Game) else check_solution(game, ("win", "margin"), "game", True)
    check_policies(solution.game, policy=policy)
    (policy,) = record_policies(solution.game, policy=policy)
    first, second = evaluate(solution.game, solution.policy, policy), evaluate(solution.game, policy, solution.policy)
    if solution.objective == "win":
        return (first.first_wins - second.first_wins) / 2
    return (first.margin - second.margin) / 2
