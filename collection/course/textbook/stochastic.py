"""Stochastic games, in which both players decide at once: Shapley's operator (Crocce and Mordecki 2009, section 2).

In every state of a *stochastic game* (the paper says competitive Markov decision process) both players choose an
action, at once and independently. The two actions determine a payment from player 2 to player 1, and the probabilities
of the next state or of the end. The game is *transient* if it ends with probability 1 whatever the players do. Then it
has a value v, the unique solution of

    v(s) = val [ r(s, a, b) + Σ q(s' | s, a, b)·v(s') ],                                                             (1)

where val is the value of the matrix game with a row for every action a of player 1 and a column for every action b of
player 2. Mixed strategies that are optimal in these matrix games are optimal in the whole game (Theorem 2.1). In a race
of turns only one of the two players has a decision, so that val is a maximum or a minimum. In a game with simultaneous
decisions the optimal strategies may be mixed.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.optimize import linprog

from dicelab._validation import check_int, check_type, invalid, short_repr
from dicelab.games.model import check_game
from dicelab_extras.learning.checks import check_real

__all__ = [
    "StochasticGame",
    "as_stochastic_game",
    "matrix_game",
    "shapley",
    "simultaneous_hog",
    "solve_stochastic",
]

MOST_ROLLS = 1_000_000  # of the dice of `simultaneous_hog`


@dataclass(frozen=True)
class StochasticGame:
    """A finite transient stochastic game.

    Parameters
    ----------
    stages : dict
        ``stages[state][a, b]`` is the pair (payment, moves) if player 1 takes action a and player 2 takes b, where
        moves is a dict of the probabilities of the next states. With the remaining probability the game ends.

    Examples
    --------
    >>> stage = {("heads", "heads"): (1.0, {}), ("heads", "tails"): (0.5, {})}
    >>> solve_stochastic(StochasticGame({"now": stage}))[0]
    {'now': 0.5}
    """

    stages: dict

    def actions(self, state):
        """The actions of player 1 and of player 2 in a state, two lists."""
        return [list(dict.fromkeys(actions)) for actions in zip(*self.stages[state], strict=True)]

    def matrix(self, state, values):
        """The matrix in (1), with ``values[s]`` for v(s); ndarray (actions of player 1, actions of player 2)."""
        rows, columns = self.actions(state)
        payments = [
            payment + sum(float(q) * values[after] for after, q in moves.items())
            for payment, moves in (self.stages[state][pair] for pair in product(rows, columns))
        ]
        return np.array(payments).reshape(len(rows), len(columns))


def check_stochastic_game(value):
    """Read `value` as a :class:`StochasticGame`."""
    return check_type(value, "game", StochasticGame, "a StochasticGame, as from as_stochastic_game")


def matrix_game(payments):
    """The value of a matrix game and optimal mixed strategies, by linear programming (scipy's HiGHS).

    Parameters
    ----------
    payments : array_like (m, n)
        The payments from the column player to the row player.

    Returns
    -------
    value : float
    rows, columns : ndarray (m,), (n,)
        The probabilities of the actions.

    Raises
    ------
    ValueError
        If the payments are not a matrix of finite numbers.
    ArithmeticError
        If HiGHS does not find a solution.

    Examples
    --------
    >>> value, rows, columns = matrix_game([[3, -1], [-2, 4]])
    >>> round(value, 4), rows.round(2).tolist()
    (1.0, [0.6, 0.4])
    """
    try:
        matrix = np.asarray(payments, dtype=float)
    except (ValueError, TypeError, OverflowError):
        matrix = np.empty(0)
    if matrix.ndim != 2 or not matrix.size or not np.isfinite(matrix).all():
        raise invalid(
            "payments", payments, "a table of finite numbers, with one or more rows and columns"
        )
    if 1 in matrix.shape:  # only one player has a decision: the best pure action
        value = matrix.max() if matrix.shape[1] == 1 else matrix.min()
        row, column = np.argwhere(matrix == value)[0]
        return float(value), np.eye(matrix.shape[0])[row], np.eye(matrix.shape[1])[column]
    value, rows = _maximin(matrix)
    _, columns = _maximin(-matrix.T)
    return value, rows, columns


def _maximin(payments):
    """The row player's largest guaranteed value and its strategy: max v with Σ p(a)·payments[a, b] ≥ v for all b."""
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


def shapley(game, values):
    """Shapley's operator: replace v by the right-hand side of (1), state by state, each new value used at once.

    `values` is a dict by state, and so is the result. ValueError if a state is missing.

    Examples
    --------
    >>> stage = {("stay", "wait"): (1.0, {"now": 0.5})}
    >>> shapley(StochasticGame({"now": stage}), {"now": 1.0})
    {'now': 1.5}
    """
    check_stochastic_game(game)
    values = dict(check_type(values, "values", dict, "a dict by state"))
    if missing := [state for state in game.stages if state not in values]:
        raise ValueError(
            f"values: a value is needed for every state; {short_repr(missing[0])} is missing"
        )
    for state in game.stages:
        values[state], _, _ = matrix_game(game.matrix(state, values))
    return values


def solve_stochastic(game, tolerance=1e-12, max_sweeps=10_000):
    """Solve a stochastic game by iterating Shapley's operator to its fixed point.

    The operator is monotone. If the game, whatever the players do, ends within n stages with positive probability, n
    steps of the operator are a contraction (Remark 2.1). Iteration stops when no value changes by more than `tolerance`
    in a sweep. The error of a value is then at most `tolerance` times the largest expected number of stages.

    Returns
    -------
    values : dict
        The expected payment from player 2 to player 1, by state.
    strategies : dict
        By state, two dicts: the probabilities of the actions of player 1 and of player 2.

    Raises
    ------
    ArithmeticError
        If values still change after `max_sweeps` sweeps. The game may then not be transient.

    Examples
    --------
    >>> stage = {("stay", "wait"): (1.0, {"now": 0.5})}
    >>> values, strategies = solve_stochastic(StochasticGame({"now": stage}))
    >>> round(values["now"], 6)
    2.0
    """
    tolerance, max_sweeps = (
        check_real(tolerance, "tolerance", 0),
        check_int(max_sweeps, "max_sweeps", 1),
    )
    values = dict.fromkeys(check_stochastic_game(game).stages, 0.0)
    for _ in range(max_sweeps):
        before, values = values, shapley(game, values)
        change = max(abs(values[state] - before[state]) for state in values)
        if change <= tolerance:
            break
    else:
        raise ArithmeticError(
            f"stochastic game: values still change by {change:.1e} after {max_sweeps} sweeps"
        )
    strategies = {}
    for state in game.stages:
        _, *mixed = matrix_game(game.matrix(state, values))
        players = zip(game.actions(state), mixed, strict=True)
        strategies[state] = tuple(
            dict(zip(actions, chances.tolist(), strict=True)) for actions, chances in players
        )
    return values, strategies


def as_stochastic_game(game):
    """A race of turns as a stochastic game in which player 1 receives 1 for winning (section 3.1).

    A state is a tuple: the player to move, 1 or 2, the own score, the opponent's score, the turn total, and the mode.
    The states are sorted from the target backwards. The player to move takes "hold" or "roll", and the other player
    takes "wait". The target should be small.
    NotImplementedError if the game has choices or must be finished exactly.

    Examples
    --------
    >>> from dicelab import piglet
    >>> values, _ = solve_stochastic(as_stochastic_game(piglet(3)))
    >>> round(values[1, 0, 0, 0, "roll"], 6)
    0.545455
    """
    outcomes = [
        outcome
        for mode in check_game(game, last_turn=False, registers=False).modes
        for outcome in mode.outcomes
    ]
    several = any(len(o.choices) > 1 for o in outcomes)
    stops = any(mode.must_hold for mode in game.modes)
    if game.finish == "exact" or several or stops:
        said = "only games without choices and without modes in which one must hold, finished by reaching the target"
        raise NotImplementedError(f"{game.name}: {said}")
    first, stages = game.modes[0].name, {}
    for own, other in sorted(product(range(game.target), repeat=2), key=sum, reverse=True):
        missing = game.target - own
        for total, mode, player in product(range(missing, -1, -1), game.modes, (1, 2)):
            actions = {}
            if mode.may_hold and total == missing:
                actions["hold"] = int(player == 1), {}
            elif mode.may_hold and total:
                actions["hold"] = 0, {(3 - player, other, own + total, 0, first): 1}
            if not (mode.may_hold and total == missing):
                moves = Counter()
                for outcome in mode.outcomes:
                    after = 3 - player, other, own if outcome.result == "bust" else 0, 0, first
                    for choice in outcome.choices:
                        after = player, own, other, min(total + choice.points, missing), choice.mode
                    moves[after] += outcome.probability
                actions["roll"] = 0, dict(moves)
            pairs = {
                (name, "wait") if player == 1 else ("wait", name): action
                for name, action in actions.items()
            }
            stages[player, own, other, total, mode.name] = pairs
    return StochasticGame(stages)


def simultaneous_hog(target, most_dice=3, sides=4, ones=1):
    """A race in which both players choose at once how many dice they roll, as in Hog (Berkeley's CS 61A).

    Each player scores the sum of the dice, but only a single point if one of them shows a one. Both scores count at
    once. When the target is reached, the player with more points wins 1 from the other, and a tie pays 0. Every stage
    scores, so that the game ends within `target` stages. Its states are (score of player 1, score of player 2), from
    the target backwards, and the actions are numbers of dice. If ones score 0, a stage may change nothing, and the game
    ends with probability 1.

    Parameters
    ----------
    target : int
    most_dice : int
        A player rolls 1, …, `most_dice` dice.
    sides : int
        With three or four sides, optimal strategies are mixed near the target. With six sides and three dice they are
        pure.
    ones : {1, 0}
        The score of a roll that shows a one.

    Raises
    ------
    ValueError
        If an argument is not allowed, or the game would never end because dice with one side score 0.

    Examples
    --------
    >>> values, strategies = solve_stochastic(simultaneous_hog(4))
    >>> round(abs(values[0, 0]), 6)  # the same for both
    0.0
    """
    target = check_int(target, "target", 1)
    most_dice, sides = check_int(most_dice, "most_dice", 1, 100), check_int(sides, "sides", 1, 1000)
    if check_int(ones, "ones", 0, 1) < 1 and sides < 2:
        raise invalid("sides", sides, "at least 2 if ones score 0: the game would never end")
    if (rolls := sides**most_dice) > MOST_ROLLS:
        raise ValueError(
            f"most_dice: {most_dice} with {sides} sides make {rolls:.0e} rolls, over {MOST_ROLLS:,}"
        )
    scores = {n: _hog_scores(n, sides, ones) for n in range(1, most_dice + 1)}
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


def _hog_scores(dice, sides, ones):
    """The distribution of the score of a roll, a dict of Fractions."""
    rolls = Counter(
        ones if 1 in roll else sum(roll) for roll in product(range(1, sides + 1), repeat=dice)
    )
    return {score: Fraction(count, sides**dice) for score, count in rolls.items()}
