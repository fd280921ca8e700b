"""The front door of the solvers: checks what is asked, and picks the room that answers."""

from .games import Game

__all__ = ["solve"]

OBJECTIVES = ("win",)
ACCURACY = 1e-12


def solve(game, objective="win", *, exact=False):
    """Solve a game: the value and an optimal policy.

    Parameters
    ----------
    game : Game
        Finished by reaching the target.
    objective : {"win"}
        "win": two players; the probability that the player about to move wins the race.
    exact : bool
        Rational arithmetic: values are Fractions, and ties are found rather than guessed. Much slower.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.
    NotImplementedError
        For games to be finished exactly, and for games with resets if `exact`.
    ConvergenceError
        If the solver cannot vouch for its answer; it never returns quietly.

    Examples
    --------
    >>> from dicelab import pig
    >>> round(solve(pig()).value, 6)
    0.530593
    """
    if not isinstance(game, Game):
        raise ValueError(f"game: {game!r} is not allowed; give a Game, for example dicelab.pig()")
    if objective not in OBJECTIVES:
        raise ValueError(f"objective: {objective!r} is not allowed; give one of {', '.join(map(repr, OBJECTIVES))}")
    if not isinstance(exact, bool):
        raise ValueError(f"exact: {exact!r} is not allowed; give True or False")
    # Imported here: rules and printed numbers can be had without numba, and without waiting for it.
    if exact:
        from .exact import solve_race_exactly as solver
    else:
        from .race import solve_race as solver
    solution = solver(game)
    if not solution.error <= ACCURACY:
        from .race import ConvergenceError

        said = f"float64 rounding may be off by {solution.error:.0e}, as nearly every turn busts"
        raise ConvergenceError(f"{game.name}: {said}; solve with exact=True")
    return solution
