"""One player: a finite Markov decision process of costs, and three ways to solve it.

A state is a score, a turn total and a mode. To hold, to roll, and the choices after a roll are one action each: a rule
that says what is taken after every outcome would make them too many, so that an outcome with choices leads to a state
of its own in which one is taken. V is the least expected cost until the end:

    V(s) = min over actions a of  c(s, a) + Σ p(s' | s, a)·V(s'),

what p leaves to 1 being the chance that the process ends.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, eye_array
from scipy.sparse.linalg import spsolve

from ..doors import as_kind, as_real, as_whole
from ..games import as_game
from ..memory import check_memory

__all__ = ["DecisionProcess", "iterate_policies", "iterate_values", "linear_program", "score_process", "turns_process"]


@dataclass(frozen=True)
class DecisionProcess:
    """A finite decision process with costs.

    Parameters
    ----------
    actions : dict
        By state, a dict of what each action does: by its name, the pair (cost, moves), moves being a dict of the
        probabilities of the states that follow.
    """

    actions: dict

    def arrays(self):
        """All pairs of a state and an action: state index and name of each, costs (n,), moves (n, states), sparse."""
        index = {state: s for s, state in enumerate(self.actions)}
        pairs = [
            (index[state], name, *action) for state, known in self.actions.items() for name, action in known.items()
        ]
        entries = [(row, index[after], p) for row, (*_, moves) in enumerate(pairs) for after, p in moves.items()]
        rows, columns, chances = zip(*entries, strict=True)
        moves = csr_array((np.array(chances, dtype=float), (rows, columns)), shape=(len(pairs), len(index)))
        of, names, costs, _ = zip(*pairs, strict=True)
        return np.array(of), names, np.array(costs, dtype=float), moves


def as_process(value):
    """Read `value` as a :class:`DecisionProcess`."""
    return as_kind(value, "process", DecisionProcess, "a DecisionProcess, as from turns_process")


def turns_process(game):
    """The race for the fewest turns: a turn costs 1 when it starts.

    Parameters
    ----------
    game : Game
        With ``finish="reach"``.

    Returns
    -------
    DecisionProcess
        With states (score, turn total, mode), the start of the race first, and (score, turn total, mode, outcome's
        number) where a choice is to be made.

    Raises
    ------
    NotImplementedError
        If the target must be hit exactly: from some scores it may never be.
    """
    if as_game(game).finish == "exact":
        raise NotImplementedError(f"finish: 'exact' is not allowed for {game.name}; some scores may need for ever")
    size = 500 * game.target**2 * sum(len(mode.outcomes) + 2 for mode in game.modes) // 2
    check_memory(size, f"all states of {game.name} to {game.target}", "take a smaller target")
    actions, start = {}, game.modes[0].name
    after = {"bust": lambda score: (score, 0, start), "reset": lambda score: (0, 0, start)}
    for score in range(game.target):
        for total, mode in product(range(game.target - score + 1), game.modes):
            here, reached = (score, total, mode.name), score + total >= game.target
            known = actions[here] = {}
            if mode.may_hold and total:
                known["hold"] = 0, {} if reached else {(score + total, 0, start): 1}
            if not (mode.may_hold and reached):
                known["roll"] = int(total == 0), _rolled(actions, here, mode, game.target - score, after)
    return DecisionProcess(actions)


def score_process(game, most):
    """One turn for the most points: to hold costs minus the points of the turn.

    Parameters
    ----------
    game : Game
        In which every mode allows a hold.
    most : int
        The turn total from which on the player holds. If nobody wants to roll there, that changes nothing.

    Returns
    -------
    DecisionProcess
        With states (0, turn total, mode), the start of the turn first; see :func:`turns_process`.

    Raises
    ------
    NotImplementedError
        If a mode does not allow a hold: turns have no bound then.
    """
    if not all(mode.may_hold for mode in as_game(game).modes):
        raise NotImplementedError(f"{game.name} has modes without a hold; the totals of a turn have no bound")
    most, actions = as_whole(most, "most", 1), {}
    size = 1000 * (most + game.most_points) * sum(len(mode.outcomes) + 2 for mode in game.modes)
    check_memory(size, f"all totals of {game.name} up to {most}", "take a smaller most")
    for total, mode in product(range(most + game.most_points), game.modes):
        here = 0, total, mode.name
        actions[here] = {"hold": (-total, {})} if total else {}
        if total < most:
            actions[here]["roll"] = 0, _rolled(actions, here, mode, most + game.most_points, {})
    return DecisionProcess(actions)


def _rolled(actions, here, mode, most, after):
    """Where a roll leads, the probabilities of states; totals end at `most`, and ``after[result]`` is after a bust.

    States in which to choose are added to `actions`.
    """
    score, total, _ = here
    moves = {}
    for number, outcome in enumerate(mode.outcomes):
        options = [(score, min(total + choice.points, most), choice.mode) for choice in outcome.choices]
        if not options and outcome.result not in after:
            continue
        state = options[0] if options else after[outcome.result](score)
        if len(options) > 1:
            state = *here, number
            actions[state] = {f"take {k}": (0, {option: 1}) for k, option in enumerate(options)}
        moves[state] = moves.get(state, 0) + outcome.probability
    return moves


def iterate_values(process, tolerance=1e-12, max_sweeps=100_000):
    """Value iteration: V ← min over actions c + p·V, for all states at once, from V = 0.

    V tends to the least cost if every policy that may not end costs without bound. It stops when no value changes by
    more than `tolerance` in a sweep, which bounds the last change, not the error.

    Returns
    -------
    values : dict
        By state.
    history : ndarray (sweeps + 1, states)
        All iterates.

    Raises
    ------
    ArithmeticError
        If values still change after `max_sweeps` sweeps.
    """
    tolerance, max_sweeps = as_real(tolerance, "tolerance", 0), as_whole(max_sweeps, "max_sweeps", 1)
    of, _, costs, moves = as_process(process).arrays()
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    history = [np.zeros(len(process.actions))]
    while len(history) <= max_sweeps:
        history.append(np.minimum.reduceat(costs + moves @ history[-1], starts))
        change = abs(history[-1] - history[-2]).max()
        if change <= tolerance:
            return dict(zip(process.actions, history[-1].tolist(), strict=True)), np.array(history)
    raise ArithmeticError(f"value iteration: values still change by {change:.1e} after {max_sweeps} sweeps")


def iterate_policies(process):
    """Policy iteration from the policy that takes the first action everywhere: hold where that is allowed.

    A policy is evaluated by a sparse linear system; then the best action is taken in every state that gains by it, by
    more than rounding. Policies only get better, so none comes twice and the iteration ends with an optimal one.

    Returns
    -------
    values : dict
        By state.
    policy : dict
        The name of the action, by state; hold before roll where they are worth the same.
    evaluations : int
        How many policies were evaluated.
    """
    of, names, costs, moves = as_process(process).arrays()
    starts = np.flatnonzero(np.diff(of, prepend=-1))
    taken, evaluations = starts.copy(), 0
    while True:
        evaluations += 1
        values = spsolve((eye_array(len(starts)) - moves[taken]).tocsc(), costs[taken])
        worth = costs + moves @ values
        least = np.minimum.reduceat(worth, starts)
        gains = values - least > 1e-11 * (1 + abs(values))
        if not gains.any():
            policy = {state: names[row] for state, row in zip(process.actions, taken, strict=True)}
            return dict(zip(process.actions, values.tolist(), strict=True)), policy, evaluations
        best = [starts[s] + np.argmin(worth[starts[s] : (*starts, len(of))[s + 1]]) for s in np.flatnonzero(gains)]
        taken[gains] = best


def linear_program(process):
    """The largest V with V(s) ≤ c(s, a) + p·V for all s and a, by scipy's HiGHS.

    Returns
    -------
    dict
        The values, by state; right to some 1e-7, HiGHS's feasibility tolerance.

    Raises
    ------
    ArithmeticError
        If the linear program is not solved.
    """
    of, _, costs, moves = as_process(process).arrays()
    size = len(process.actions)
    own = csr_array((np.ones(len(of)), (np.arange(len(of)), of)), shape=(len(of), size))
    result = linprog(-np.ones(size), A_ub=own - moves, b_ub=costs, bounds=(None, None), method="highs")
    if result.status != 0:
        raise ArithmeticError(f"linear program: {result.message}")
    return dict(zip(process.actions, result.x.tolist(), strict=True))
