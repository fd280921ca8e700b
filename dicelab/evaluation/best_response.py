"""The best response to a fixed policy: the turn operator for player 1, a linear equation for player 2.

Let u₁(i, j) be the probability that player 1 wins when about to move, and u₂(j, i) the same when player 2 is about to
move. Player 2's policy is fixed, so that u₂ stays linear as in :mod:`dicelab.evaluation.markov_chain`; player 1 plays
best, so that u₁ is the turn operator f of :mod:`dicelab.solvers._kernels`. With A the value u₂(j, i) without its bust
term and β the probability that player 2 busts, a pair of scores is one equation,

    x = f(A + β·x),      x = u₁(i, j).                                                                        (1)

f is convex, so we solve (1) by policy iteration from below: the tangent leads up to the solution, never beyond it, and
each step evaluates one of finitely many policies. Where player 2 surely busts and player 1 can wait, waiting is a draw,
and the iteration begins there.

**Resets.** The values after a reset are first iterated to a fixed point. Then comes policy iteration for the whole
match: evaluate the policy by its Markov chain, take the values after resets from there, and improve, until these values
no longer change. In the end the policy that is returned is evaluated and must achieve the values.

**Registers and last turns**: :mod:`dicelab.evaluation.multiplayer`, as for more opponents. The kernel here is kept for
the other games because it is faster.
"""

from functools import partial
from typing import overload

import numpy as np

from .._accuracy import (
    ACCURACY,
    CLOSE,
    RAREST,
    ROUNDING,
    TIE,
    TIME,
    check_error,
    check_residual,
    check_told_apart,
    settle,
)
from .._limits import check_memory
from .._recorded import record_policies
from .._shown import name_of
from ..games.model import LAST_TURN, Game
from ..games.situation import read_game
from ..solution import OptimalPolicy, Solution
from ..solvers._kernels import greedy_decisions, new_turn, respond, rules_of
from ..solvers.two_player import payoffs_of
from ..strategies import Strategy, read_policies
from .markov_chain import MatchChain
from .match import names_of
from .multiplayer import respond_to_players
from .turn_outcomes import outcomes_bytes, turn_outcomes

__all__ = ["best_response"]

MOST_POLICIES = 50  # steps of policy iteration with resets; a few suffice
SETTLED = 2e-14  # change of the values after resets at which this iteration stops


@overload
def best_response(game: Game | str, opponent: Strategy) -> Solution[float]: ...
@overload
def best_response(
    game: Game | str, opponent: Strategy, second: Strategy, /, *more: Strategy
) -> Solution[tuple[float, ...]]: ...
def best_response(game: Game | str, opponent: Strategy, *more: Strategy) -> Solution:
    """The best response to a fixed policy, or to those of several opponents.

    Parameters
    ----------
    game : Game or str
    opponent : strategy
        A policy, or whatever else plays; see :func:`dicelab.evaluate`.
    *more : strategy
        Of more opponents. All sit in order of play: `opponent` moves next after the player who responds.

    Returns
    -------
    Solution
        With objective "win": ``values[own, opponent]`` is the probability to win with the move, against `opponent`; in
        a game with registers by the places of both scores in ``game.scores``.
        Against several, ``values[own, next, …, last]`` are everybody's probabilities by seat, the player's first.

    Raises
    ------
    ValueError
        If an argument is not allowed, or the policy is for another game.
    NotImplementedError
        If an opponent has a memory; in a game with registers or a last turn for several opponents.
    ConvergenceError
        If the residual is more than 1e-13, or the estimated error more than 1e-12.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(best_response(pig(), hold_at(20)).value, 6)
    0.587368
    >>> [round(chance, 6) for chance in best_response(pig(30), hold_at(20), hold_at(15)).value]
    [0.551972, 0.257726, 0.190303]
    """
    game = read_game(game)
    if more:
        return respond_to_players(game, names_of({"opponent": opponent}, more))
    return _respond_to_one(game, opponent)


def _respond_to_one(game, opponent):
    """The best response to one fixed policy, a Solution; see :func:`best_response`."""
    if game.registers or game.finish in LAST_TURN:
        return respond_to_players(game, {"opponent": opponent})
    (opponent,) = read_policies(game, opponent=opponent)
    check_told_apart(game, RAREST)
    size = outcomes_bytes(game, opponent) + 32 * len(game.scores) ** 2
    check_memory(
        size, f"the best response in {game.name} to {game.target}", "take a smaller target"
    )
    if opponent.memory > 1:
        raise NotImplementedError(
            f"opponent: {opponent} remembers its turns; the best response would have to, too"
        )
    (opponent,) = record_policies(game, opponent=opponent)
    rules = rules_of(game)
    target = game.target
    outcomes = turn_outcomes(game, opponent)
    payoffs = payoffs_of(game, "win")
    start = np.full(2 * target, 0.5)
    second = None
    if rules.may_stall and game.resets:  # discounted values tell actions of equal value apart
        hurried = payoffs_of(game, "win", discount=1.0 - TIME)
        _, after, start, _ = _respond(game, hurried, outcomes, start)
        second = hurried, after
    values, after, resets, residual = _respond(game, payoffs, outcomes, start.ravel())
    error = ROUNDING * (2 * target) ** 0.5

    name = f"best response to {name_of(opponent)}"

    def greedy(**tie):
        return OptimalPolicy(
            game, partial(greedy_decisions, game, payoffs, after, second, **tie), name
        )

    def achieved(policy):
        """The values that a policy achieves, those after resets, and their error."""
        u_1, u_2, _, error = MatchChain(
            game, turn_outcomes(game, policy), outcomes
        ).win_probability()
        return u_1, np.array([u_2[:, 0], u_1[:, 0]]), error

    policy = greedy()
    if game.resets:
        for _ in range(MOST_POLICIES):
            strict = greedy(tie=TIE if second else CLOSE)
            best, new_resets, error = achieved(strict)
            change, resets = np.abs(resets - new_resets).max(), new_resets
            if change <= SETTLED:
                values, error = (
                    best,
                    max(error, TIE / 2 if second else 0.0),
                )  # actions within a tie count as equal
                break
            values, after = np.empty((2, target, target))
            residual = respond(
                rules, payoffs, outcomes, resets, values, after, new_turn(rules, target)
            )
        residual, policy = max(residual, change), greedy()
        if (
            not np.abs(achieved(policy)[0] - values).max() <= ACCURACY
        ):  # taking ties for equal adds up
            policy = strict
    return _checked(game, values, policy, residual, error, opponent)


def _checked(game, values, policy, residual, error, opponent):
    """The Solution, if its residual and its error are small enough."""
    check_residual(game, residual)
    check_error(game, error)
    return Solution(
        game=game,
        objective="win",
        values=values,
        policy=policy,
        residual=residual,
        error=error,
        against=opponent,
    )


def _respond(game, payoffs, outcomes, start):
    """Call :func:`respond` with the values after resets iterated to a fixed point, from `start`.

    Returns
    -------
    values, after : ndarray (N, N)
    resets : ndarray (2, N)
    residual : float
    """
    rules = rules_of(game)
    target = game.target
    residual = np.inf
    values, after = np.empty((2, target, target))
    turn = new_turn(rules, target)

    def clipped(resets):
        return np.clip(resets, 0.0, 1.0).reshape(2, target)

    def change(resets):
        nonlocal residual
        residual = respond(rules, payoffs, outcomes, clipped(resets), values, after, turn)
        return np.append(after[:, 0], values[:, 0]) - resets

    step = change(start)
    resets = settle(change, start + step, game) if game.resets else start
    return values, after, clipped(resets), residual
