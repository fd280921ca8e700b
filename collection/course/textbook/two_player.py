"""Two players, plain and slow: value iteration for a race, the Markov chain of a match. Checks the fast solvers."""

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
from scipy.sparse import coo_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve

from dicelab._recorded import record_policies
from dicelab._validation import check_bool, check_int, check_option
from dicelab.games.model import check_game
from dicelab.policies import branch_index, check_policy
from dicelab_extras.learning.checks import check_real

__all__ = ["policy_evaluation", "value_iteration"]


def value_iteration(game, objective="win", overshoot=False, tolerance=1e-14, max_sweeps=100_000):
    """Solve a race by value iteration, as Neller and Presser (2004) did: scores near the target first.

    Pairs of scores with the same sum are independent of each other, and without resets no turn leads to a smaller sum.
    So we iterate each pair (i, j), (j, i) on its own, from the largest sum down, and its values are then fixed. With
    resets, or registers that cost points, we iterate all scores together. The values start at those of a draw, and
    endless play keeps them.

    Parameters
    ----------
    game : Game
        With a small target: all states are kept in a dict.
    objective : {"win", "margin"}
        "win" only in a game with registers.
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
        rolling is the only action. False from the target on. In a game with registers both scores are places in
        ``game.scores``, in both arrays, and the last axis has length ``game.longest``.

    Raises
    ------
    ValueError
        If an argument is not as described.
    ArithmeticError
        If values still change after `max_sweeps` sweeps.
    NotImplementedError
        If points beyond the target count and a mode does not allow a hold: the margin is then unbounded. For the
        margin in a game with registers.

    Examples
    --------
    >>> from dicelab import pig
    >>> values, rolls = value_iteration(pig(10))
    >>> round(float(values[0, 0]), 6)
    0.709424
    """
    (
        check_game(game, last_turn=False, registers=objective == "win"),
        check_option(objective, "objective", ("win", "margin")),
    )
    check_bool(overshoot, "overshoot")
    tolerance, max_sweeps = (
        check_real(tolerance, "tolerance", 0, 1),
        check_int(max_sweeps, "max_sweeps", 1),
    )
    if overshoot and not all(mode.may_hold for mode in game.modes):
        raise NotImplementedError(
            f"overshoot: True is not allowed for {game.name}; one of its modes has no hold"
        )
    target, scores = game.target, game.scores
    constant_sum, max_value = (1.0, 1.0) if objective == "win" else (0.0, target)
    # The last turn total stands for all larger ones.
    beyond = game.most_points - 1 if overshoot else 0
    # From here on a score is its place in game.scores; without registers this is the score itself.
    start, least, missing, bust, reset = turn_rules(game)
    totals = [range(points + beyond, -1, -1) for points in missing]
    value = {
        (own, opponent, total, mode.name): constant_sum / 2
        for own, opponent in product(range(len(scores)), repeat=2)
        for total, mode in product(totals[own], game.modes)
    }

    def passed(own, opponent):
        """The value of having passed the die with this score; where a bust has reached the target, of a win."""
        if own >= len(scores):
            return constant_sum
        return constant_sum - value[opponent, own, 0, start[opponent]]

    @cache
    def held(own, total):
        """The score after a hold below the target."""
        return game.index(game.after_hold(scores[own], total))

    def hold_value(own, opponent, total):
        """The value of banking the turn total."""
        if total < missing[own]:
            return passed(held(own, total), opponent)
        return 1.0 if objective == "win" else (own + total if overshoot else target) - opponent

    def choice_value(own, opponent, total, choice):
        """The value of a choice at this turn total, before its points are added."""
        points = total + choice.points
        if points > missing[own] and game.finish == "exact":
            return passed(bust[own], opponent)
        return value[own, opponent, min(points, missing[own] + beyond), choice.mode]

    def roll_value(own, opponent, total, mode):
        """The expected value of a roll, with the best choice after every outcome."""
        expected = 0.0
        for outcome in mode.outcomes:
            if outcome.choices:
                best = max(choice_value(own, opponent, total, choice) for choice in outcome.choices)
            else:
                best = passed(bust[own] if outcome.result == "bust" else reset, opponent)
            expected += float(outcome.probability) * best
        return expected

    def bellman(own, opponent, total, mode):
        """The right-hand side of the Bellman equation."""
        if mode.must_hold and total < least[own]:
            return passed(bust[own], opponent)
        if mode.must_hold or (mode.may_hold and total >= missing[own]):
            return hold_value(own, opponent, total)
        roll = roll_value(own, opponent, total, mode)
        return (
            max(roll, hold_value(own, opponent, total))
            if mode.may_hold and total >= least[own]
            else roll
        )

    places = {points: [k for k, score in enumerate(scores) if score == points] for points in scores}
    pairs = sorted(combinations_with_replacement(places, 2), key=sum, reverse=True)
    stages = [
        sorted({*product(places[i], places[j]), *product(places[j], places[i])}) for i, j in pairs
    ]
    if game.resets or game.has_penalties:
        stages = [[pair for stage in stages for pair in stage]]
    rolls = np.zeros((len(scores), len(scores), len(game.modes), game.longest), dtype=bool)
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
            raise ArithmeticError(
                f"{game.name}: scores {stage[0]} still change by {change:.1e} a sweep"
            )
        for i, j, k, mode in states:
            if k < missing[i] and not (mode.must_hold and k):
                forced = k < least[i] or not mode.may_hold
                rolls[i, j, game.mode(mode.name), k] = (
                    forced or roll_value(i, j, k, mode) > hold_value(i, j, k) + 1e-12 * max_value
                )
    values = np.array(
        [[value[i, j, 0, start[i]] for j in range(len(scores))] for i in range(len(scores))]
    )
    return values, rolls


def turn_rules(game):
    """What the rules say of a turn from each score, four lists by its place in ``game.scores``; and a place.

    The mode in which the turn begins, the fewest points of a hold, the points missing, and the place after a bust, past
    all of them if the bust reaches the target; and the place after a reset.
    """
    registers = [game.register(score) for score in game.scores]
    start = [r.mode or game.modes[0].name for r in registers]
    least = [r.least_hold for r in registers]
    missing = map(game.missing, game.scores)
    bust = [
        game.index(score) if score < game.target else len(game.scores)
        for score in map(game.after_bust, game.scores)
    ]
    return start, least, [*missing], bust, game.index(game.after_reset)


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
    check_game(game, last_turn=False)
    policies = record_policies(
        game, first=check_policy(first, "first"), second=check_policy(second, "second")
    )
    branches, scores, (start, least, missing, bust, reset) = (
        branch_index(game),
        game.scores,
        turn_rules(game),
    )
    # (player to move, own place in the scores, opponent's, turn total, mode) -> row.
    size, index = len(scores), {}
    for player, own, other in product((0, 1), range(size), range(size)):
        for total, mode in product(range(missing[own] + 1), game.modes):  # totals end at the target
            index[player, own, other, total, mode.name] = len(index)
    choices = {
        (p, own): policies[p].choices(game, scores[own]) for p in (0, 1) for own in range(size)
    }
    rolls = {
        (p, own): policies[p].decisions_at(game, scores[own]) for p in (0, 1) for own in range(size)
    }
    entries = []  # (row, column, probability) of the chain's moves
    won = np.zeros(len(index))
    passed = np.zeros(len(index))
    ending = np.zeros(len(index), dtype=bool)

    def move(row, probability, *state):
        entries.append((row, index[state], probability))

    def end_turn(row, probability, player, own, other):
        """The player's turn ends with these banked scores, and the other player moves."""
        passed[row] += probability
        if own >= len(scores):
            won[row], ending[row] = won[row] + probability * (player == 0), True
            return
        move(row, probability, 1 - player, other, own, 0, start[other])

    for (player, own, other, total, name), row in index.items():
        m = game.mode(name)
        if game.modes[m].may_hold and total >= missing[own]:
            passed[row], won[row], ending[row] = 1.0, player == 0, True
            continue
        if game.modes[m].must_hold and total < least[own]:
            end_turn(row, 1.0, player, bust[own], other)
            continue
        if game.modes[m].may_hold and not rolls[player, own][other, m, total]:
            end_turn(row, 1.0, player, game.index(game.after_hold(scores[own], total)), other)
            continue
        for k, outcome in enumerate(game.modes[m].outcomes):
            probability = float(outcome.probability)
            if not outcome.choices:
                end_turn(
                    row,
                    probability,
                    player,
                    bust[own] if outcome.result == "bust" else reset,
                    other,
                )
                continue
            choice = outcome.choices[0]
            if (m, k) in branches:
                choice = outcome.choices[
                    choices[player, own][other, branches[m, k], min(total, missing[own] - 1)]
                ]
            points = total + choice.points
            if game.finish == "exact" and points > missing[own]:
                end_turn(row, probability, player, bust[own], other)
            else:
                move(row, probability, player, own, other, min(points, missing[own]), choice.mode)

    # P holds the moves. Wins w, turns t and endless play e solve (I - P)·(w, t, e) = (won, passed, 0), except in states
    # from which the race cannot end: there w = 1/2 and e = 1.
    rows, columns, probabilities = zip(*entries, strict=True)
    size = len(index)
    begin = (game.index(0), game.index(0), 0, start[game.index(0)])
    chain = coo_array((probabilities, (rows, columns)), shape=(size, size)).tocsr()
    while (more := ending | (chain @ ending > 0)).sum() > ending.sum():
        ending = more
    won[~ending] = 0.5
    system = eye_array(size) - diags_array(ending.astype(float)) @ chain
    solved = spsolve(system.tocsc(), np.column_stack([won, passed, ~ending]))
    wins, turns, endless = map(float, solved[index[0, *begin]])
    return wins, turns if endless == 0 else np.inf
