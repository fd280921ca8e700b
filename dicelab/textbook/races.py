"""Two players: value iteration, and the Markov chain of a match."""

from itertools import product

import numpy as np
from scipy.sparse import coo_array, diags_array, eye_array
from scipy.sparse.linalg import spsolve

from ..doors import as_flag, as_one_of, as_real, as_whole
from ..games import as_game
from ..memory import check_memory
from ..players import as_player, followed
from ..policies import branch_numbers

__all__ = ["policy_evaluation", "value_iteration"]

STATE = 150  # bytes, of a state in a dict


def value_iteration(game, objective="win", overshoot=False, tolerance=1e-14, max_sweeps=100_000):
    """Solve a race by value iteration, as Neller and Presser did: scores near the target first.

    Scores that sum to the same are independent, and without resets play never returns to a smaller sum. So each pair of
    scores (i, j), (j, i) is iterated on its own, and its values are then fixed for the pairs that lead to it. With
    resets all scores are iterated together, those near the target first. Play that never ends keeps the values it is
    begun with, those of a draw.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin"}
    overshoot : bool
        Whether points beyond the target count in the margin.
    tolerance : float
        A pair is left when no state of it changed by more in a sweep, relatively to the stakes. This bounds the last
        change, not the error: that is up to ``tolerance``·L / (1 - L) more, L being the probability that both players'
        turns bust.
    max_sweeps : int

    Returns
    -------
    values : ndarray (target, target)
        ``values[own, opponent]``.
    rolls : ndarray of bool, (target, target, modes, target)
        ``rolls[own, opponent, mode, turn total]``: whether a roll is worth more than holding by over 1e-12, or is the
        only action. False from the target on.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.
    MemoryError
        Beforehand, if all states take more than half of the memory.
    ArithmeticError
        If a pair still changes after `max_sweeps` sweeps.
    NotImplementedError
        If points beyond the target count and a player may have to roll there: their number has no bound.
    """
    target, first = as_game(game).target, game.modes[0].name
    as_one_of(objective, "objective", ("win", "margin"))
    as_flag(overshoot, "overshoot")
    tolerance, max_sweeps = as_real(tolerance, "tolerance", 0, 1), as_whole(max_sweeps, "max_sweeps", 1)
    check_memory(STATE * target**3 * len(game.modes), f"all states of {game.name} to {target}", "take a smaller target")
    modes, scores = game.modes, range(target)
    if overshoot and not all(mode.may_hold for mode in modes):
        raise NotImplementedError(f"overshoot: True is not allowed for {game.name}, in which one may not always hold")
    both, stake = (1.0, 1.0) if objective == "win" else (0.0, target)
    beyond = game.most_points - 1 if overshoot else 0
    # by own and opponent's score, turn total and mode; the last total stands for all larger ones
    value = {
        (i, j, k, m.name): 0.5 * both
        for i in scores
        for j in scores
        for k in range(target - i + beyond + 1)
        for m in modes
    }

    def after(own, opponent, total):
        """What it is worth to pass the die with these banked points; with the target reached, to have won."""
        if own + total < target:
            return both - value[opponent, own + total, 0, first]
        return 1.0 if objective == "win" else (own + total if overshoot else target) - opponent

    def rolling(own, opponent, total, mode):
        worth = 0.0
        for outcome in mode.outcomes:
            options = {"bust": [after(own, opponent, 0)], "reset": [after(0, opponent, 0)]}.get(outcome.result, [])
            for choice in outcome.choices:
                points = total + choice.points
                if own + points > target and game.finish == "exact":
                    options.append(after(own, opponent, 0))
                else:
                    options.append(value[own, opponent, min(points, target - own + beyond), choice.mode])
            worth += float(outcome.probability) * max(options)
        return worth

    def bellman(own, opponent, total, mode):
        """The right-hand side of the Bellman equation at a state."""
        if mode.may_hold and own + total >= target:
            return after(own, opponent, total)
        worth = rolling(own, opponent, total, mode)
        return max(worth, after(own, opponent, total)) if mode.may_hold and total else worth

    rolls = np.zeros((target, target, len(game.modes), target), dtype=bool)
    stages = [
        [(i, s - i), (s - i, i)] for s in range(2 * target - 2, -1, -1) for i in range(s // 2 + 1) if s - i < target
    ]
    if game.resets:
        stages = [[pair for stage in stages for pair in stage]]
    for stage in stages:
        pairs = list(dict.fromkeys(stage))
        states = [(i, j, k, mode) for i, j in pairs for k in range(target - i + beyond, -1, -1) for mode in game.modes]
        for _ in range(max_sweeps):
            change = 0.0
            for i, j, k, mode in states:
                new = bellman(i, j, k, mode)
                change = max(change, abs(new - value[i, j, k, mode.name]))
                value[i, j, k, mode.name] = new
            if change <= tolerance * stake:
                break
        else:
            raise ArithmeticError(f"{game.name}: scores {pairs[0]} still change by {change:.1e} a sweep")
        for i, j, k, mode in states:
            if k < target - i:
                better = rolling(i, j, k, mode) > after(i, j, k) + 1e-12 * stake
                rolls[i, j, game.mode(mode.name), k] = better or k == 0 or not mode.may_hold
    values = np.array([[value[i, j, 0, first] for j in range(target)] for i in range(target)])
    return values, rolls


def policy_evaluation(game, first, second):
    """Play one policy against another: the Markov chain of all states of the match, by one sparse linear solve.

    Parameters
    ----------
    game : Game
    first, second : Policy

    Returns
    -------
    first_wins, turns_mean : float
        The first player's probability to win, endless play counting half, and the expected number of turns of both
        together, infinite if play may be endless.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed.
    MemoryError
        Beforehand, if all states take more than half of the memory.
    """
    as_game(game), as_player(first, "first"), as_player(second, "second")
    size = 8 * STATE * game.target**3 * len(game.modes)
    check_memory(size, f"the chain of {game.name} to {game.target}", "take a smaller target")
    first, second = followed(game, first=first, second=second)
    branches = branch_numbers(game)
    target, start = game.target, game.modes[0].name
    index = {}  # by player to move, own and opponent's score, turn total, mode; the total at the target for all beyond
    for player, own, other in product((0, 1), range(target), range(target)):
        for total, mode in product(range(target - own + 1), game.modes):
            index[player, own, other, total, mode.name] = len(index)
    takes = {(p, own): (first, second)[p].takes(game, own) for p in (0, 1) for own in range(target)}
    chances, won, passed = {}, np.zeros(len(index)), np.zeros(len(index))
    ending = np.zeros(len(index), dtype=bool)

    def go(origin, chance, player, own, other):
        """The player ends the turn with these scores."""
        passed[origin] += chance
        if own >= target:
            won[origin] += chance * (player == 0)
            ending[origin] = True
        else:
            step(origin, chance, 1 - player, other, own, 0, start)

    def step(origin, chance, *state):
        chances[origin, index[state]] = chances.get((origin, index[state]), 0.0) + chance

    for (player, own, other, total, name), origin in index.items():
        mode, finished = game.modes[game.mode(name)], own + total >= target
        policy = (first, second)[player]
        if mode.may_hold and (finished or not policy.decisions(game, own, other)[game.mode(name), total]):
            go(origin, 1.0, player, own + total, other)
            continue
        for k, outcome in enumerate(mode.outcomes):
            chance, branch = float(outcome.probability), branches.get((game.mode(name), k))
            if not outcome.choices:
                go(origin, chance, player, own if outcome.result == "bust" else 0, other)
                continue
            choice = outcome.choices[0 if branch is None else takes[player, own][other, branch, total]]
            if game.finish == "exact" and own + total + choice.points > target:
                go(origin, chance, player, own, other)
            else:
                step(origin, chance, player, own, other, min(total + choice.points, target - own), choice.mode)
    (rows, columns), size = zip(*chances, strict=True), len(index)
    chain = coo_array((list(chances.values()), (rows, columns)), shape=(size, size)).tocsr()
    while (more := ending | (chain @ ending > 0)).sum() > ending.sum():
        ending = more
    won[~ending] = 0.5  # play never ends: a draw
    system = eye_array(size) - diags_array(ending.astype(float)) @ chain
    solved = spsolve(system.tocsc(), np.column_stack([won, passed, ~ending]))
    wins, turns, endless = map(float, solved[index[0, 0, 0, 0, start]])
    return wins, turns if endless == 0 else np.inf
