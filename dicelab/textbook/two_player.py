"""Two players, plain and slow: value iteration for a race, the Markov chain of a match. Checks the fast solvers."""

from itertools import combinations_with_replacement, product

import numpy as np
from scipy.sparse import coo_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve

from .._recorded import record_policies
from .._validation import check_bool, check_int, check_option, check_real
from ..games.model import check_game
from ..policies import branch_index, check_policy

__all__ = ["policy_evaluation", "value_iteration"]


def value_iteration(game, objective="win", overshoot=False, tolerance=1e-14, max_sweeps=100_000):
    """Solve a race by value iteration, as Neller and Presser (2004) did: scores near the target first.

    Pairs of scores with the same sum are independent of each other, and without resets no turn leads to a smaller sum.
    So we iterate each pair (i, j), (j, i) on its own, from the largest sum down, and its values are then fixed. With
    resets we iterate all scores together. The values start at those of a draw, and endless play keeps them.

    Parameters
    ----------
    game : Game
        With a small target: all states are kept in a dict.
    objective : {"win", "margin"}
    overshoot : bool
        Whether points beyond the target count in the margin.
    tolerance : float
        Iteration stops when no value changes by more than this in a sweep, relative to the largest value of a win. It
        bounds the last change. The error can be larger by ``tolerance``·L / (1 - L), where L is the probability that
        both players' turns bust.
    max_sweeps : int

    Returns
    -------
    values : ndarray (target, target)
        ``values[own, opponent]``, to the player about to move.
    rolls : ndarray of bool, (target, target, modes, target)
        ``rolls[own, opponent, mode, turn total]``: whether the advantage of rolling over holding exceeds 1e-12, or
        rolling is the only action. False from the target on.

    Raises
    ------
    ValueError
        If an argument is not as described.
    ArithmeticError
        If values still change after `max_sweeps` sweeps.
    NotImplementedError
        If points beyond the target count and a mode does not allow a hold: the margin is then unbounded.

    Examples
    --------
    >>> from dicelab import pig
    >>> values, rolls = value_iteration(pig(10))
    >>> round(float(values[0, 0]), 6)
    0.709424
    """
    check_game(game), check_option(objective, "objective", ("win", "margin")), check_bool(overshoot, "overshoot")
    tolerance, max_sweeps = check_real(tolerance, "tolerance", 0, 1), check_int(max_sweeps, "max_sweeps", 1)
    if overshoot and not all(mode.may_hold for mode in game.modes):
        raise NotImplementedError(f"overshoot: True is not allowed for {game.name}; one of its modes has no hold")
    target, first = game.target, game.modes[0].name
    constant_sum, max_value = (1.0, 1.0) if objective == "win" else (0.0, target)
    beyond = game.most_points - 1 if overshoot else 0  # the last turn total stands for all larger ones
    totals = {own: range(target - own + beyond, -1, -1) for own in range(target)}
    value = {
        (own, opponent, total, mode.name): constant_sum / 2
        for own, opponent in product(range(target), repeat=2)
        for total, mode in product(totals[own], game.modes)
    }

    def hold_value(own, opponent, total):
        """The value of banking the turn total; total 0 is a bust."""
        if own + total < target:
            return constant_sum - value[opponent, own + total, 0, first]
        return 1.0 if objective == "win" else (own + total if overshoot else target) - opponent

    def choice_value(own, opponent, total, choice):
        """The value of a choice at this turn total, before its points are added."""
        points = total + choice.points
        if own + points > target and game.finish == "exact":
            return hold_value(own, opponent, 0)
        return value[own, opponent, min(points, target - own + beyond), choice.mode]

    def roll_value(own, opponent, total, mode):
        """The expected value of a roll, with the best choice after every outcome."""
        expected = 0.0
        for outcome in mode.outcomes:
            if outcome.choices:
                best = max(choice_value(own, opponent, total, choice) for choice in outcome.choices)
            else:
                best = hold_value(own if outcome.result == "bust" else 0, opponent, 0)
            expected += float(outcome.probability) * best
        return expected

    def bellman(own, opponent, total, mode):
        """The right-hand side of the Bellman equation."""
        if mode.must_hold or (mode.may_hold and own + total >= target):
            return hold_value(own, opponent, total)
        roll = roll_value(own, opponent, total, mode)
        return max(roll, hold_value(own, opponent, total)) if mode.may_hold and total else roll

    pairs = sorted(combinations_with_replacement(range(target), 2), key=sum, reverse=True)
    stages = [sorted({(i, j), (j, i)}) for i, j in pairs]
    if game.resets:
        stages = [[scores for stage in stages for scores in stage]]
    rolls = np.zeros((target, target, len(game.modes), target), dtype=bool)
    for stage in stages:
        states = [(i, j, k, mode) for i, j in stage for k in totals[i] for mode in game.modes]
        for _ in range(max_sweeps):
            change = 0.0
            for i, j, k, mode in states:
                new = bellman(i, j, k, mode)
                change = max(change, abs(new - value[i, j, k, mode.name]))
                value[i, j, k, mode.name] = new
            if change <= tolerance * max_value:
                break
        else:
            raise ArithmeticError(f"{game.name}: scores {stage[0]} still change by {change:.1e} a sweep")
        for i, j, k, mode in states:
            if k < target - i:
                better = not mode.must_hold and roll_value(i, j, k, mode) > hold_value(i, j, k) + 1e-12 * max_value
                rolls[i, j, game.mode(mode.name), k] = better or k == 0 or not mode.may_hold
    values = np.array([[value[i, j, 0, first] for j in range(target)] for i in range(target)])
    return values, rolls


def policy_evaluation(game, first, second):
    """Evaluate a match between two policies: a Markov chain, solved as one sparse linear system.

    Parameters
    ----------
    game : Game
        With a small target: all states are kept in a dict.
    first, second : Policy

    Returns
    -------
    first_wins : float
        The first player's probability to win. Endless play counts as half a win.
    turns_mean : float
        The expected number of turns of both players together; infinite if play is endless with positive probability.

    Raises
    ------
    ValueError
        If an argument is not as described.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> [round(float(number), 4) for number in policy_evaluation(pig(20), hold_at(10), hold_at(8))]
    [0.7216, 4.73]
    """
    check_game(game)
    policies = record_policies(game, first=check_policy(first, "first"), second=check_policy(second, "second"))
    branches, target, start = branch_index(game), game.target, game.modes[0].name
    index = {}  # (player to move, own score, opponent's score, turn total, mode) -> row; totals end at the target
    for player, own, other in product((0, 1), range(target), range(target)):
        for total, mode in product(range(target - own + 1), game.modes):
            index[player, own, other, total, mode.name] = len(index)
    choices = {(p, own): policies[p].choices(game, own) for p in (0, 1) for own in range(target)}
    entries = []  # (row, column, probability) of the chain's moves
    won, passed, ending = np.zeros(len(index)), np.zeros(len(index)), np.zeros(len(index), dtype=bool)

    def move(row, probability, *state):
        entries.append((row, index[state], probability))

    def end_turn(row, probability, player, own, other):
        """The player's turn ends with these banked scores: the race ends, or the other player moves."""
        passed[row] += probability
        if own >= target:
            won[row] += probability * (player == 0)
            ending[row] = True
        else:
            move(row, probability, 1 - player, other, own, 0, start)

    for (player, own, other, total, name), row in index.items():
        m = game.mode(name)
        holds = own + total >= target or not policies[player].decisions(game, own, other)[m, total]
        if game.modes[m].may_hold and holds:
            end_turn(row, 1.0, player, own + total, other)
            continue
        for k, outcome in enumerate(game.modes[m].outcomes):
            probability = float(outcome.probability)
            if not outcome.choices:
                end_turn(row, probability, player, own if outcome.result == "bust" else 0, other)
                continue
            choice = outcome.choices[0]
            if (m, k) in branches:
                choice = outcome.choices[choices[player, own][other, branches[m, k], min(total, target - 1)]]
            if game.finish == "exact" and own + total + choice.points > target:
                end_turn(row, probability, player, own, other)
            else:
                move(row, probability, player, own, other, min(total + choice.points, target - own), choice.mode)

    # P holds the moves. Wins w, turns t and endless play e solve (I - P)·(w, t, e) = (won, passed, 0), except in states
    # from which the race cannot end: there w = 1/2 and e = 1.
    rows, columns, probabilities = zip(*entries, strict=True)
    size = len(index)
    chain = coo_array((probabilities, (rows, columns)), shape=(size, size)).tocsr()
    while (more := ending | (chain @ ending > 0)).sum() > ending.sum():
        ending = more
    won[~ending] = 0.5
    system = eye_array(size) - diags_array(ending.astype(float)) @ chain
    solved = spsolve(system.tocsc(), np.column_stack([won, passed, ~ending]))
    wins, turns, endless = map(float, solved[index[0, 0, 0, 0, start]])
    return wins, turns if endless == 0 else np.inf
