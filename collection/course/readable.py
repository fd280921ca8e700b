"""A solver to read in ten minutes: races of two, given policies, fewest turns and most points, for games given as data.

Two players race to N points. A player rolls and rolls again, until a bust ends the turn or the player holds. The value
V(i, j) is the win probability of the player about to move, with score i against j. Everything follows from two
equations.

*The turn.* Let E(s) be the value of ending the turn with score s. In mode m with turn total k, the larger action value
is that of a hold or that of a roll, which leads to total k + x and mode m' with probability p, busts or resets:

    W(m, k) = max( E(i + k),  Σ p · W(m', k + x) + p_bust · E(i) + p_reset · E(0) )

The totals go backwards from N, so one pass finds W(first mode, 0). A player who reaches N holds. The rules may forbid
a hold, or offer several choices after a roll, of which the player takes the best.

*The race.* After a turn the opponent is about to move: E(s) = 1 - V(j, s) for s < N, and E(N) = 1. So V = T(V), where T
is the turn: the Bellman equation. We iterate V ← T(V). What is good for the opponent is bad for us, so T reverses
inequalities. Begin with V = 0, which is too low. Then T(V) is too high, T(T(V)) too low, and so on: two iterates in a
row enclose the values, up to rounding, and when they agree we may stop.

Other questions have other ends: E(s) = s for the most points of a turn, E = -(turns to come) for the fewest turns. All
arrays may hold fractions, and a solution in fractions satisfies V = T(V) exactly.
"""

from functools import reduce

import numpy as np

__all__ = ["bellman_operator", "fewest_turns", "fixed_point", "game_length", "hold_at", "match"]
__all__ += ["most_points", "roll_value", "solve", "turn", "winning"]

TOLERANCE = 1e-13  # two iterates in a row differ by at most this
MOST_TURNS = 5_000  # iterations; Double Trouble to 100 takes some 350
MOST_FORCED = 25  # forced rolls in a row at the target; in Double Trouble more change no float


def roll_value(game, mode, total, values, lost):
    """The action value of a roll, from the `values` of larger totals and those of a bust and a reset, `lost`."""
    number, expected = lost["bust"].dtype.type, 0
    for outcome in mode.outcomes:
        after = [values[c.mode, min(total + c.points, game.target)] for c in outcome.choices]
        best = reduce(np.maximum, after) if after else lost[outcome.result]
        expected = expected + number(outcome.probability) * best
    return expected


def turn(game, ends, policy=None):
    """Solve one turn from every score, by backward induction; or evaluate it, if a policy is given.

    Parameters
    ----------
    game : Game
    ends : ndarray (N + 1, C)
        ``ends[s, c]`` is the value of ending the turn with score s, N and more in the last row, in each of C cases.
    policy : dict, optional
        ``policy[mode, total]`` says where to roll, True or False, or an array of them.

    Returns
    -------
    values, policy : dict
        By mode and turn total, arrays [score, case]; the policy is greedy, or the one that was given.
    """
    target, scores = game.target, np.arange(game.target)
    lost = {"bust": ends[:target], "reset": ends[:1]}
    values, rolls = {(mode.name, target): ends[target:] for mode in game.modes}, {}
    for total in [target] * MOST_FORCED + [*range(target)][::-1]:
        hold = ends[np.minimum(scores + total, target)]
        for mode in [game.modes[m] for m in game.order]:
            state, may_hold = (mode.name, total), mode.may_hold and total > 0
            allowed = (scores[:, None] + total < target) | np.full(hold.shape, not may_hold)
            if policy and may_hold:
                allowed = allowed & policy[state]
            if not allowed.any():
                values[state], rolls[state] = hold, allowed
                continue
            roll = roll_value(game, mode, total, values, lost)
            best = allowed & (roll > hold) if may_hold and not policy else allowed
            values[state], rolls[state] = np.where(best, roll, hold), best
    return values, rolls


def winning(opponent):
    """The ends of a turn in a race: 1 for a win, else the opponent is about to move, with these values."""
    return np.vstack([1 - opponent.T, np.ones_like(opponent[:1])])


def game_length(opponent):
    """The ends of a turn if we count turns, this one included; given the opponent's counts."""
    return np.vstack([1 + opponent.T, np.ones_like(opponent[:1])])


def bellman_operator(game, opponent, policy=None, ends=winning):
    """The operator T: the values [own score, other score] of a turn, given the opponent's values afterwards."""
    values, _ = turn(game, ends(opponent), policy)
    return values[game.modes[0].name, 0]


def fixed_point(operator, values):
    """Iterate until the values stand still; ArithmeticError if they don't, for example if play can be endless."""
    for _ in range(MOST_TURNS):
        previous, values = values, operator(values)
        if abs(values - previous).max() <= TOLERANCE:
            return values
    raise ArithmeticError(f"the values still change after {MOST_TURNS} turns; can play be endless?")


def solve(game):
    """The values of optimal play, [own score, opponent's score], and an optimal policy: value iteration."""
    start = np.zeros((game.target, game.target))
    values = fixed_point(lambda opponent: bellman_operator(game, opponent), start)
    return values, turn(game, winning(values))[1]


def match(game, first=None, second=None, ends=winning):
    """The values of two policies against each other, to the first and to the second player when about to move.

    None for a policy is the best response to the other one, or optimal play of both.
    """

    def operator(both):
        mine = bellman_operator(game, both[1], first, ends)
        yours = bellman_operator(game, both[0], second, ends)
        return np.stack([mine, yours])

    return fixed_point(operator, np.zeros((2, game.target, game.target)))


def hold_at(game, n):
    """The policy that holds at a turn total of n or more."""
    return {(mode.name, k): k < n for mode in game.modes for k in range(game.target + 1)}


def fewest_turns(game):
    """The expected number of turns to the target, by score, if a lone player needs as few as possible."""

    def operator(turns):
        return 1 - bellman_operator(game, turns, ends=lambda left: -np.vstack([left, [[0.0]]]))

    return fixed_point(operator, np.zeros((game.target, 1)))[:, 0]


def most_points(game, number=float):
    """The most points of one turn, on average, by mode and turn total; in fractions, if `number` is Fraction.

    The target must be so large that no roll of a best turn passes it.
    """
    ends = np.array([[number(score)] for score in range(game.target + 1)])
    values, _ = turn(game, ends)
    return {state: value[0, 0] for state, value in values.items()}
