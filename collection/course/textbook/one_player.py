"""One player: Markov decision processes with costs, by value iteration, policy iteration and linear programming.

V(s) is the least expected cost from state s until the process ends. The Bellman equation is

    V(s) = min over actions a of  c(s, a) + Σ p(s' | s, a)·V(s'),                                                    (1)

where the p(s' | s, a) sum to at most 1, and with the remaining probability the process ends. In a game, a state is a
score, a turn total and a mode, and the actions are hold and roll. If an outcome of a roll offers several choices, the
roll leads to a separate state in which the player takes one of them. One action "roll" for every combination of
choices after all outcomes would make too many actions.

With a deadline no equation is left to solve, and :func:`deadline_chances` is a recursion.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, dok_array, eye_array
from scipy.sparse.linalg import spsolve

from dicelab._validation import check_int, check_type
from dicelab.games.model import check_game
from dicelab_extras.learning.checks import check_real
from dicelab_extras.proofs.rules import beyond_target

__all__ = [
    "DecisionProcess",
    "deadline_chances",
    "linear_program",
    "mdp_value_iteration",
    "policy_iteration",
]
__all__ += ["score_process", "turns_process"]


@dataclass(frozen=True)
class DecisionProcess:
    """A finite Markov decision process with costs.

    Parameters
    ----------
    actions : dict
        ``actions[state][name]`` is the pair (cost, moves) of an action, where moves is a dict of the probabilities of
        the next states.

    Examples
    --------
    >>> coin = DecisionProcess({"tails": {"toss": (1.0, {"tails": 0.5})}})  # tosses until heads
    >>> round(policy_iteration(coin)[0]["tails"], 6)
    2.0
    """

    actions: dict

    def arrays(self):
        """The process as arrays, with one row for each of the n pairs of a state and an action.

        Returns the numbers of the states (n,), ascending; the names of the actions; the costs (n,); and the
        probabilities of the next states, a sparse array (n, number of states).
        """
        index = {state: s for s, state in enumerate(self.actions)}
        pairs = [
            (index[s], name, *action)
            for s, actions in self.actions.items()
            for name, action in actions.items()
        ]
        entries = [
            (row, index[after], p)
            for row, (*_, moves) in enumerate(pairs)
            for after, p in moves.items()
        ]
        rows, columns, chances = zip(*entries, strict=True)
        moves = csr_array(
            (np.array(chances, dtype=float), (rows, columns)), shape=(len(pairs), len(index))
        )
        states, names, costs, _ = zip(*pairs, strict=True)
        return np.array(states), names, np.array(costs, dtype=float), moves

    def matrices(self):
        """The process as one matrix for each action, as textbooks write it: c_a and P_a.

        Returns
        -------
        names : list of str
            The A names of actions, in alphabetical order: hold before roll.
        costs : ndarray (A, number of states)
            Infinite where an action is not allowed.
        moves : list of sparse arrays (number of states, number of states)
            The probabilities of the next states, for each action.

        Examples
        --------
        >>> from dicelab import pig
        >>> names, costs, moves = turns_process(pig(2)).matrices()
        >>> names, costs[:, 0].tolist(), moves[1].toarray()[0].tolist()
        (['hold', 'roll'], [inf, 1.0], [0.16666666666666666, 0.0, 0.8333333333333334, 0.0, 0.0])
        """
        index = {state: s for s, state in enumerate(self.actions)}
        names = sorted({name for actions in self.actions.values() for name in actions})
        costs = np.full((len(names), len(index)), np.inf)
        moves = [dok_array((len(index), len(index))) for _ in names]
        for state, actions in self.actions.items():
            for name, (cost, after) in actions.items():
                a, s = names.index(name), index[state]
                costs[a, s] = cost
                for next_state, p in after.items():
                    moves[a][s, index[next_state]] = float(p)
        return names, costs, [P.tocsr() for P in moves]


def check_process(value):
    """Read `value` as a :class:`DecisionProcess`."""
    return check_type(value, "process", DecisionProcess, "a DecisionProcess, as from turns_process")


def turns_process(game):
    """The race for the fewest turns as a DecisionProcess: the first roll of each turn costs 1.

    Its states are (score, turn total, mode), beginning with the start of the race, and (score, turn total, mode, number
    of the outcome) where the player takes a choice. The target should be small. NotImplementedError if the target must
    be hit exactly: from some scores the race may then never end.

    Examples
    --------
    >>> from dicelab import pig
    >>> values, _, _ = policy_iteration(turns_process(pig(10)))
    >>> round(values[0, 0, "roll"], 4)
    1.6937
    """
    if check_game(game, last_turn=False, registers=False).finish == "exact":
        raise NotImplementedError(
            f"finish: 'exact' is not allowed for {game.name}; the race may never end"
        )
    actions, start = {}, game.modes[0].name
    for score in range(game.target):
        missing = game.target - score
        ends = {"bust": (score, 0, start), "reset": (0, 0, start)}
        for total, mode in product(range(missing + 1), game.modes):
            here = score, total, mode.name
            actions[here] = {}
            if (mode.may_hold and total) or mode.must_hold:
                actions[here]["hold"] = 0, {(score + total, 0, start): 1} if total < missing else {}
            if (total < missing or not mode.may_hold) and not mode.must_hold:
                again = sum(
                    outcome.probability for outcome in mode.outcomes if mode.repeats(outcome)
                )
                # A roll that is made again costs nothing.
                cost = 1 - again if total == 0 and mode.name == start else 0
                actions[here]["roll"] = cost, _roll_moves(actions, here, mode, missing, ends)
    return DecisionProcess(actions)


def score_process(game, most):
    """One turn for the most points as a DecisionProcess: the cost of holding is minus the turn total.

    Its states are (0, turn total, mode), beginning with the start of the turn; see :func:`turns_process`. From the turn
    total `most` on the player must hold. If a hold is optimal there anyway, the solution is that of the unbounded turn.
    NotImplementedError if a player with points may be in a mode without a hold: the turn total is then unbounded.

    Examples
    --------
    >>> from dicelab import pig
    >>> values, _, _ = policy_iteration(score_process(pig(), 30))
    >>> round(-values[0, 0, "roll"], 4)
    8.1418
    """
    with_points = check_game(game, last_turn=False, registers=False).reached_with_points
    if not all(mode.may_hold or mode.name not in with_points for mode in game.modes):
        raise NotImplementedError(
            f"{game.name} has modes without a hold; the turn total is unbounded"
        )
    actions = {}
    bound = check_int(most, "most", 1) + game.most_points
    for total, mode in product(range(bound), game.modes):
        here = 0, total, mode.name
        actions[here] = {"hold": (-total, {})} if total or mode.must_hold else {}
        if total < most and not mode.must_hold:
            actions[here]["roll"] = 0, _roll_moves(actions, here, mode, bound, {})
    return DecisionProcess(actions)


def _roll_moves(actions, here, mode, bound, ends):
    """The probabilities of the states after a roll; turn totals end at `bound`.

    ``ends[result]`` is the state after a bust or a reset; without an entry the process ends. States in which the player
    takes a choice are added to `actions`.
    """
    score, total, _ = here
    moves = {}
    for number, outcome in enumerate(mode.outcomes):
        options = [
            (score, min(total + choice.points, bound), choice.mode) for choice in outcome.choices
        ]
        if len(options) > 1:
            after = *here, number
            actions[after] = {f"take {k}": (0, {option: 1}) for k, option in enumerate(options)}
        else:
            after = options[0] if options else ends.get(outcome.result)
        if after is not None:
            moves[after] = moves.get(after, 0) + outcome.probability
    return moves


def mdp_value_iteration(process, tolerance=1e-12, max_sweeps=100_000):
    """Value iteration: replace V by the right-hand side of (1) for all states at once, from V = 0.

    V converges to the least cost if every policy that may not end has infinite cost. Iteration stops when no value
    changes by more than `tolerance` in a sweep. This bounds the last change, not the error.

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

    Examples
    --------
    >>> from dicelab import pig
    >>> values, history = mdp_value_iteration(score_process(pig(), 30))
    >>> round(-values[0, 0, "roll"], 4)
    8.1418
    """
    tolerance, max_sweeps = (
        check_real(tolerance, "tolerance", 0),
        check_int(max_sweeps, "max_sweeps", 1),
    )
    states, _, costs, moves = check_process(process).arrays()
    first_rows = np.flatnonzero(np.diff(states, prepend=-1))
    history = [np.zeros(len(process.actions))]
    while len(history) <= max_sweeps:
        history.append(np.minimum.reduceat(costs + moves @ history[-1], first_rows))
        change = abs(history[-1] - history[-2]).max()
        if change <= tolerance:
            return dict(zip(process.actions, history[-1].tolist(), strict=True)), np.array(history)
    raise ArithmeticError(
        f"value iteration: values still change by {change:.1e} after {max_sweeps} sweeps"
    )


def policy_iteration(process):
    """Policy iteration, from the policy that takes the first action of every state: hold where that is allowed.

    Each policy is evaluated by a sparse linear system. Then every state in which some action is better, by more than
    rounding, switches to its best action. Each policy is better than the one before, so no policy comes twice, and the
    iteration ends with an optimal one.

    Returns
    -------
    values : dict
        By state.
    policy : dict
        The name of the action, by state. Ties hold.
    evaluations : int
        The number of policies evaluated.

    Examples
    --------
    >>> from dicelab import pig
    >>> values, policy, evaluations = policy_iteration(score_process(pig(), 30))
    >>> policy[0, 19, "roll"], policy[0, 20, "roll"]
    ('roll', 'hold')
    """
    states, names, costs, moves = check_process(process).arrays()
    first_rows = np.flatnonzero(np.diff(states, prepend=-1))
    policy, evaluations = first_rows.copy(), 0  # the row of the action taken, by state
    while True:
        evaluations += 1
        values = spsolve((eye_array(len(policy)) - moves[policy]).tocsc(), costs[policy])
        action_values = costs + moves @ values
        best = [
            rows[0] + np.argmin(action_values[rows])
            for rows in np.split(np.arange(len(states)), first_rows[1:])
        ]
        better = values - action_values[best] > 1e-11 * (1 + abs(values))
        if not better.any():
            actions = {
                state: names[row] for state, row in zip(process.actions, policy, strict=True)
            }
            return dict(zip(process.actions, values.tolist(), strict=True)), actions, evaluations
        policy = np.where(better, best, policy)


def linear_program(process):
    """The linear program for (1): the largest V with V(s) ≤ c(s, a) + Σ p·V for all s and a, by scipy's HiGHS.

    Returns a dict by state. The error is about 1e-7, the feasibility tolerance of HiGHS. ArithmeticError if HiGHS does
    not find the solution.

    Examples
    --------
    >>> from dicelab import pig
    >>> round(-linear_program(score_process(pig(), 30))[0, 0, "roll"], 4)
    8.1418
    """
    states, _, costs, moves = check_process(process).arrays()
    shape = len(states), len(process.actions)
    own = csr_array((np.ones(len(states)), (np.arange(len(states)), states)), shape=shape)
    result = linprog(
        -np.ones(shape[1]), A_ub=own - moves, b_ub=costs, bounds=(None, None), method="highs"
    )
    if result.status != 0:
        raise ArithmeticError(f"linear program: {result.message}")
    return dict(zip(process.actions, result.x.tolist(), strict=True))


def deadline_chances(game, turns):
    """The best chance to reach the target within a number of turns, by recursion in fractions.

    With `left` turns left, P(left, own) is the value of a roll at the start of a turn. At a turn total k > 0, a hold is
    worth P(left - 1, own + k), a bust P(left - 1, own), and a reset P(left - 1, 0); with no turn left P is 0.

    Parameters
    ----------
    game : Game
        With a small target.
    turns : int
        At least 1.

    Returns
    -------
    dict
        Fractions by (left, own), for 0, …, `turns` turns left and own scores below the target; in a game with registers
        by the places of the scores in ``game.scores``.

    Examples
    --------
    >>> from dicelab import pig
    >>> [str(chance) for (left, own), chance in deadline_chances(pig(2), 2).items() if own == 0]  # a one busts
    ['0', '5/6', '35/36']
    """
    check_game(game, last_turn=False), check_int(turns, "turns", 1)
    game = game.until_change
    chances = {(0, place): Fraction(0) for place in range(len(game.scores))}
    for left in range(1, turns + 1):
        before = {place: chances[left - 1, place] for place in range(len(game.scores))}
        chances |= {
            (left, place): _best_turn(game, own, before) for place, own in enumerate(game.scores)
        }
    return chances


def _best_turn(game, own, before):
    """The best chance from the start of a turn at an own score; ``before[place]`` is that with one turn fewer."""
    modes = {mode.name: mode for mode in game.modes}
    beyond = beyond_target(game)
    missing = game.missing(own)
    after = game.after_bust(own)
    lost = {
        # At the target it finishes.
        "bust": before[game.index(after)] if after < game.target else Fraction(1),
        "reset": before[game.index(game.after_reset)],
    }

    @cache
    def in_turn(total, mode):
        """The value at a turn total, before the decision to roll or to hold."""
        # The finish; or a reset or a bust, where the player must roll on or may not overshoot.
        if total >= missing:
            ends = [way[game.mode(mode)][missing - total - 1] for way in beyond]
            return max(f + z * lost["reset"] + (1 - f - z) * lost["bust"] for f, z, _ in ends)
        allowed = (
            modes[mode].may_hold
            and total >= game.register(own).least_hold
            and own + total < game.target
        )
        held = before[game.index(game.after_hold(own, total))] if allowed else Fraction(0)
        if modes[mode].must_hold:
            return held if allowed else lost["bust"]
        return max(rolled(total, mode), held)

    def rolled(total, mode):
        """The value of a roll, with the best choice after every outcome."""
        expected = Fraction(0)
        for outcome in modes[mode].outcomes:
            values = [in_turn(total + choice.points, choice.mode) for choice in outcome.choices]
            expected += outcome.probability * (max(values) if values else lost[outcome.result])
        return expected

    return rolled(0, game.register(own).mode or game.modes[0].name)
