"""Stochastic games: Crocce and Mordecki (2009), section 2.

At every stage of a *competitive Markov decision process* both players choose an action, at once and independently. The
actions determine what player 2 pays to player 1, and the chances of the next state, or that the game ends. It is
*transient* if it ends with probability 1 whatever the players do. Then it has a value v, the unique solution of

    v(s) = val [ r(s, a, b) + Σ q(s' | s, a, b)·v(s') ],

val being the value of the matrix game with a row for every action a of player 1 and a column for every b of player 2;
and mixed strategies that are optimal in these matrix games are optimal in the whole game (Theorem 2.1). In a race of
turns one of the two has nothing to decide, so that val is a maximum or a minimum. In a game with simultaneous decisions
the optimal strategies may be mixed.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog

from ..doors import as_kind, as_real, as_whole, refusal, shown
from ..games import as_game
from ..memory import check_memory

__all__ = ["StochasticGame", "as_stochastic_game", "matrix_game", "shapley", "simultaneous_hog", "solve_stochastic"]

MOST_ROLLS = 1_000_000  # of the dice of `simultaneous_hog`


@dataclass(frozen=True)
class StochasticGame:
    """A finite transient stochastic game.

    Parameters
    ----------
    stages : dict
        By state, a dict of what happens if player 1 takes action a and player 2 takes b: by (a, b), the pair (payment,
        moves), moves being a dict of the probabilities of the states that follow. What they leave to 1 ends the game.
    """

    stages: dict

    def actions(self, state):
        """The actions of player 1 and of player 2 in a state, two lists."""
        return [list(dict.fromkeys(actions)) for actions in zip(*self.stages[state], strict=True)]

    def matrix(self, state, values):
        """The payments in a state if the game were worth ``values[s]`` after one stage, ndarray (rows, columns)."""
        rows, columns = self.actions(state)
        payments = [
            payment + sum(float(q) * values[after] for after, q in moves.items())
            for payment, moves in (self.stages[state][pair] for pair in product(rows, columns))
        ]
        return np.array(payments).reshape(len(rows), len(columns))


def matrix_game(payments):
    """The value of a matrix game and optimal mixed strategies, by linear programming (scipy's HiGHS).

    Parameters
    ----------
    payments : array_like (m, n)
        What the column player pays to the row player.

    Returns
    -------
    value : float
    rows, columns : ndarray (m,), (n,)
        The probabilities of the actions.

    Raises
    ------
    ArithmeticError
        If a linear program is not solved.
    """
    try:
        table = np.asarray(payments, dtype=float)
        if table.ndim != 2 or not table.size or not np.isfinite(table).all():
            raise ValueError(f"shape {table.shape}")
    except (ValueError, TypeError, OverflowError):
        raise refusal("payments", payments, "a table of finite numbers, with one or more rows and columns") from None
    payments = table
    if 1 in payments.shape:
        best = payments.max() if payments.shape[1] == 1 else payments.min()
        rows, columns = (np.zeros(size) for size in payments.shape)
        row, column = np.argwhere(payments == best)[0]
        rows[row] = columns[column] = 1
        return float(best), rows, columns
    value, rows = _guarantee(payments)
    _, columns = _guarantee(-payments.T)
    return value, rows, columns


def _guarantee(payments):
    """The most that the row player can guarantee, and the strategy that does: max v with Σ p(a)·payments[a] ≥ v."""
    m, n = payments.shape
    result = linprog(
        [*[0] * m, -1],
        A_ub=np.column_stack([-payments.T, np.ones(n)]),
        b_ub=np.zeros(n),
        A_eq=[[1] * m + [0]],
        b_eq=[1],
        bounds=[(0, 1)] * m + [(None, None)],
        method="highs",
    )
    if result.status != 0:
        raise ArithmeticError(f"matrix game: {result.message}")
    return float(result.x[-1]), result.x[:-1]


def as_stages(value):
    """Read `value` as a :class:`StochasticGame`."""
    return as_kind(value, "game", StochasticGame, "a StochasticGame, as from as_stochastic_game")


def shapley(game, values):
    """Shapley's operator: the values of the matrix games of all states, states that are solved counting at once.

    Parameters
    ----------
    game : StochasticGame
    values : dict
        By state.

    Returns
    -------
    dict
    """
    as_stages(game)
    values = dict(as_kind(values, "values", dict, "a dict by state"))
    if missing := [state for state in game.stages if state not in values]:
        raise ValueError(f"values: nothing is said of the state {shown(missing[0])}; give a value of every state")
    for state in game.stages:
        values[state], _, _ = matrix_game(game.matrix(state, values))
    return values


def solve_stochastic(game, tolerance=1e-12, max_sweeps=10_000):
    """Iterate Shapley's operator to its fixed point, the value of the game.

    The operator is monotone, and n of its steps contract if the game, whatever the players do, may end within n stages
    (Remark 2.1). It stops when no value changes by more than `tolerance` in a sweep; then no value is off by more than
    that times the largest expected number of stages.

    Parameters
    ----------
    game : StochasticGame
    tolerance : float
    max_sweeps : int

    Returns
    -------
    values : dict
        What player 2 pays to player 1, by state, as expected.
    strategies : dict
        By state, two dicts: the probabilities of the actions of player 1 and of player 2.

    Raises
    ------
    ArithmeticError
        If values still change after `max_sweeps` sweeps: the game may not be transient.
    """
    tolerance, max_sweeps = as_real(tolerance, "tolerance", 0), as_whole(max_sweeps, "max_sweeps", 1)
    values = dict.fromkeys(as_stages(game).stages, 0.0)
    for _ in range(max_sweeps):
        before, values = values, shapley(game, values)
        change = max(abs(values[state] - before[state]) for state in values)
        if change <= tolerance:
            break
    else:
        raise ArithmeticError(f"stochastic game: values still change by {change:.1e} after {max_sweeps} sweeps")
    strategies = {}
    for state in game.stages:
        _, *mixed = matrix_game(game.matrix(state, values))
        strategies[state] = tuple(
            dict(zip(actions, chances.tolist(), strict=True))
            for actions, chances in zip(game.actions(state), mixed, strict=True)
        )
    return values, strategies


def as_stochastic_game(game):
    """A race of turns as a stochastic game in which player 1 is paid 1 for winning (section 3.1).

    Parameters
    ----------
    game : Game
        Without choices, with a small target, finished by reaching it.

    Returns
    -------
    StochasticGame
        With states (player to move, 1 or 2; own score; the other's; turn total; mode), from the target backwards. The
        one who moves takes "hold" or "roll", the other takes "wait".

    Raises
    ------
    NotImplementedError
        If the game has choices or must be finished exactly.
    """
    if as_game(game).finish == "exact" or any(
        len(outcome.choices) > 1 for mode in game.modes for outcome in mode.outcomes
    ):
        raise NotImplementedError(f"{game.name}: only games without choices, finished by reaching the target")
    size = 1000 * game.target**3 * sum(len(mode.outcomes) for mode in game.modes)
    check_memory(size, f"all states of {game.name} to {game.target}", "take a smaller target")
    first, stages = game.modes[0].name, {}

    def passed(player, own, other):
        return 0, {(3 - player, other, own, 0, first): 1}

    for own, other in sorted(product(range(game.target), repeat=2), key=sum, reverse=True):
        missing = game.target - own
        for total, mode, player in product(range(missing, -1, -1), game.modes, (1, 2)):
            does = {}
            if mode.may_hold and total:
                won = int(player == 1), {}
                does["hold"] = won if total == missing else passed(player, own + total, other)
            if not (mode.may_hold and total == missing):
                moves = Counter()
                for outcome in mode.outcomes:
                    after = 3 - player, other, own if outcome.result == "bust" else 0, 0, first
                    for choice in outcome.choices:
                        after = player, own, other, min(total + choice.points, missing), choice.mode
                    moves[after] += outcome.probability
                does["roll"] = 0, dict(moves)
            pairs = {(act, "wait") if player == 1 else ("wait", act): effect for act, effect in does.items()}
            stages[player, own, other, total, mode.name] = pairs
    return StochasticGame(stages)


def simultaneous_hog(target, most_dice=3, sides=4):
    """A race in which both players choose at once how many dice to roll.

    Each rolls as many dice as announced and scores their sum, but a single point if any of them shows a one, as in Hog
    (Berkeley's CS 61A). Both scores count at once. Whoever has more when the target is reached wins 1 from the other, 0
    for the same. Every stage scores, so that play ends within `target` stages.

    Parameters
    ----------
    target : int
    most_dice : int
        A player may roll 1, …, `most_dice` dice.
    sides : int
        With three or four, optimal strategies are mixed near the target; with six sides and three dice they are pure.

    Returns
    -------
    StochasticGame
        With states (score of player 1, score of player 2), from the target backwards; actions are numbers of dice.
    """
    target = as_whole(target, "target", 1)
    most_dice, sides = as_whole(most_dice, "most_dice", 1, 100), as_whole(sides, "sides", 1, 1000)
    if sides**most_dice > MOST_ROLLS:
        raise ValueError(
            f"most_dice: {most_dice} with {sides} sides make {sides**most_dice:.0e} rolls, over {MOST_ROLLS:,}"
        )
    check_memory(target**2 * 200 * most_dice**3 * sides**2, f"all scores to {target}", "take a smaller target")
    scores = {n: _hog_scores(n, sides) for n in range(1, most_dice + 1)}
    stages = {}
    for mine, theirs in sorted(product(range(target), repeat=2), key=sum, reverse=True):
        stages[mine, theirs] = {}
        for a, b in product(scores, repeat=2):
            payment, moves = Fraction(0), Counter()
            for (gained, p), (lost, q) in product(scores[a].items(), scores[b].items()):
                one, two = mine + gained, theirs + lost
                if max(one, two) < target:
                    moves[one, two] += p * q
                else:
                    payment += p * q * ((one > two) - (one < two))
            stages[mine, theirs][a, b] = float(payment), dict(moves)
    return StochasticGame(stages)


def _hog_scores(dice, sides):
    """The chances of the scores of a roll of so many dice."""
    faces = Counter(1 if 1 in roll else sum(roll) for roll in product(range(1, sides + 1), repeat=dice))
    return {score: Fraction(count, sides**dice) for score, count in faces.items()}
