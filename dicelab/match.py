"""One policy against another, exactly: win probability, number of turns; and the best response to a policy.

Once both players' decisions are fixed, a turn at the scores i (own) and j ends in a hold at the score i' with
probability q(i'), in a bust with β, in a reset with ρ, at the target with the rest. So whatever is expected of the
rest of the match when player 1 is to move, u₁(i, j), and when player 2 is, u₂(j, i), is

    u₁(i, j) = c₁(i, j) + Σ q(i')·u₂(j, i') + β·u₂(j, i) + ρ·u₂(j, 0),

and likewise with the players exchanged: pairs of linear equations, solved backwards from the target like the races of
:mod:`dicelab.race`. With c₁ the probability to reach the target in this turn and c₂ = 0 it is the probability that
player 1 wins; with c = 1 the number of turns; with c = 2u - 1, u being that, its second moment.

With resets, u₂(·, 0) and u₁(·, 0) are unknown when the pairs are solved. They solve linear equations of their own, by
GMRES (scipy's); how far they are off in the end, relatively, is the match's `residual`, and above 1e-13 an error. There
is no other error than rounding.

The distribution of the number of turns follows the probabilities of all scores from turn to turn, until no more than
1e-15 is left in play.

A best response replaces player 1's linear equation by the turn operator; u₂ stays linear. Then x = f(A + β·x), convex
in x, is solved by Newton steps from x = 0, each of them a step of policy iteration. They rise to the solution, and stop
when nothing is gained any more.
"""

from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from .games import Game
from .policies import OptimalPolicy, Policy, Solution
from .race import CLOSE, RESIDUAL_LIMIT, ConvergenceError, decide, scratch, settle
from .turn import compiled, rules_of, walk

__all__ = ["Match", "best_response", "evaluate", "turn_ends"]

LEFT = 1e-15  # probability still in play at which the distribution of the number of turns ends


class TurnEnds(NamedTuple):
    """How a turn ends, for every pair of scores of a game to N."""

    chance: np.ndarray  # (N, N, N + 3) [own, opponent, s]: a hold at score s (N: the target reached); a bust; a reset
    window: np.ndarray  # (N, N, 2) holds are at scores from the first of these up to, not including, the second


@lru_cache(maxsize=32)
def turn_ends(game, policy):
    """How a turn ends, for every pair of scores.

    Parameters
    ----------
    game : Game
        Without choices.
    policy : Policy

    Returns
    -------
    TurnEnds
        The chances of each pair of scores sum to 1.

    Raises
    ------
    ValueError
        If the policy is for another game.
    """
    target = game.target
    ends = TurnEnds(np.zeros((target, target, target + 3)), np.zeros((target, target, 2), dtype=np.int64))
    fill_ends(rules_of(game), policy.table(game), *ends)
    return ends


@compiled
def fill_ends(rules, table, chance, window):
    """Fill the arrays of :class:`TurnEnds` by following each turn forwards."""
    target, _, modes, _ = table.shape
    for own in range(target):
        for opponent in range(target):
            going = np.zeros((target - own, modes))
            going[0, 0] = 1.0
            end = chance[own, opponent]
            for total in range(target - own):
                for m in range(modes):
                    mass = going[total, m]
                    if mass == 0.0:
                        continue
                    end[target + 1] += mass * rules.bust[m]
                    end[target + 2] += mass * rules.reset[m]
                    for o in range(rules.outcomes[m], rules.outcomes[m + 1]):
                        c = rules.choices[o]
                        q, onward, after = mass * rules.probability[o], rules.mode[c], total + rules.points[c]
                        if own + after >= target:
                            finishes, resets = rules.beyond[0, onward, target - own - after - 1]
                            end[target] += q * finishes
                            end[target + 1] += q * (1.0 - finishes - resets)
                            end[target + 2] += q * resets
                        elif table[own, opponent, onward, after]:
                            going[after, onward] += q
                        else:
                            end[own + after] += q
            holds = np.flatnonzero(end[:target])
            if holds.size:
                window[own, opponent] = holds[0], holds[-1] + 1


@compiled
def solve_chain(ends_1, ends_2, c_1, c_2, reset_1, reset_2, u_1, u_2):
    """Fill `u_1` and `u_2` (see the module's page); a reset leaves ``reset_1[j]`` of player 1, ``reset_2[i]`` of 2."""
    target = u_1.shape[0]
    for total in range(2 * target - 2, -1, -1):
        for i in range(max(0, total - target + 1), min(target, total + 1)):
            j = total - i
            end_1, end_2 = ends_1.chance[i, j], ends_2.chance[j, i]
            window_1, window_2 = ends_1.window[i, j], ends_2.window[j, i]
            rest_1 = c_1[i, j] + end_1[target + 2] * reset_1[j]
            for after in range(window_1[0], window_1[1]):
                rest_1 += end_1[after] * u_2[j, after]
            rest_2 = c_2[j, i] + end_2[target + 2] * reset_2[i]
            for after in range(window_2[0], window_2[1]):
                rest_2 += end_2[after] * u_1[i, after]
            bust_1, bust_2 = end_1[target + 1], end_2[target + 1]
            u_1[i, j] = (rest_1 + bust_1 * rest_2) / (1.0 - bust_1 * bust_2)
            u_2[j, i] = rest_2 + bust_2 * u_1[i, j]


def _expect(game, ends_1, ends_2, c_1, c_2):
    """u₁, u₂, and the largest relative error of what a reset leaves."""
    target = game.target
    u_1, u_2 = np.empty((2, target, target))

    def after_resets(z):
        solve_chain(ends_1, ends_2, c_1, c_2, z[:target], z[target:], u_1, u_2)
        return np.append(u_2[:, 0], u_1[:, 0])

    z, residual = np.zeros(2 * target), 0.0
    if game.resets:  # z = after_resets(z) is linear in z
        constant = after_resets(z)
        system = LinearOperator((2 * target, 2 * target), matvec=lambda z: z - after_resets(z) + constant, dtype=float)
        z, _ = gmres(system, constant, rtol=1e-14, restart=2 * target)
        residual = np.abs(after_resets(z) - z).max() / max(1.0, np.abs(z).max())
        if not residual <= RESIDUAL_LIMIT:
            raise ConvergenceError(f"{game.name}: what a reset leaves is off by {residual:.1e}")
    after_resets(z)
    return u_1, u_2, residual


@dataclass(frozen=True, eq=False)
class Match:
    """One policy against another.

    Attributes
    ----------
    game : Game
    first, second : Policy
        Of the player who moves first, and of the other.
    first_wins : float
        Probability that the first player wins.
    residual : float
        Largest relative error of what a reset leaves; 0 without resets.
    turns_mean, turns_sd : float
        Mean and standard deviation of the number of turns, both players' together; computed when asked for.
    """

    game: Game
    first: Policy = field(repr=False)
    second: Policy = field(repr=False)
    first_wins: float
    residual: float

    @property
    def turns_mean(self):
        """Mean number of turns, both players' together."""
        return self._moments[0]

    @property
    def turns_sd(self):
        """Standard deviation of the number of turns, both players' together."""
        return self._moments[1]

    @cached_property
    def _moments(self):
        ends = turn_ends(self.game, self.first), turn_ends(self.game, self.second)
        ones = np.ones((self.game.target, self.game.target))
        mean_1, mean_2, _ = _expect(self.game, *ends, ones, ones)
        square, _, _ = _expect(self.game, *ends, 2 * mean_1 - 1, 2 * mean_2 - 1)
        mean = float(mean_1[0, 0])
        return mean, float(np.sqrt(square[0, 0] - mean**2))

    def turns_distribution(self):
        """The distribution of the number of turns.

        Returns
        -------
        pandas.Series
            Probability by number of turns, 1, 2, …, until at most 1e-15 is left; ``attrs["left"]`` is what is.
        """
        import pandas as pd

        ends = turn_ends(self.game, self.first), turn_ends(self.game, self.second)
        target = self.game.target
        now = np.zeros((target, target))  # probability of the scores of the player to move and of the other
        now[0, 0], probabilities, left = 1.0, [], 1.0
        while left > LEFT:
            now, finished = pass_turn(ends[len(probabilities) % 2], now)
            probabilities.append(finished)
            left = now.sum()
        turns = pd.RangeIndex(1, len(probabilities) + 1, name="turns")
        series = pd.Series(probabilities, index=turns, name="probability")
        series.attrs["left"] = left
        return series


@compiled
def pass_turn(ends, now):
    """The probabilities of the scores after a turn, seen by the player who is to move then, and of having finished."""
    target = now.shape[0]
    after, finished = np.zeros_like(now), 0.0
    for own in range(target):
        for opponent in range(target):
            mass, end = now[own, opponent], ends.chance[own, opponent]
            if mass > 0.0:
                for score in range(ends.window[own, opponent, 0], ends.window[own, opponent, 1]):
                    after[opponent, score] += mass * end[score]
                after[opponent, own] += mass * end[target + 1]
                after[opponent, 0] += mass * end[target + 2]
                finished += mass * end[target]
    return after, finished


def check_match(game, **policies):
    """Refuse what cannot be played: ValueError names the argument, NotImplementedError the rule that is missing."""
    if not isinstance(game, Game):
        raise ValueError(f"game: {game!r} is not allowed; give a Game, for example dicelab.pig()")
    if game.finish != "reach":
        raise NotImplementedError(f"finish: {game.finish!r} is not played yet; only 'reach' is")
    if any(len(outcome.choices) > 1 for mode in game.modes for outcome in mode.outcomes):
        raise NotImplementedError(f"{game.name} has choices, and a policy does not say yet which it takes")
    for name, policy in policies.items():
        if not isinstance(policy, Policy):
            raise ValueError(f"{name}: {policy!r} is not allowed; give a policy, for example dicelab.hold_at(20)")


def evaluate(game, first, second):
    """Play one policy against another, exactly.

    Parameters
    ----------
    game : Game
        Without choices, finished by reaching the target.
    first, second : Policy
        Of the player who moves first, and of the other.

    Returns
    -------
    Match

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or a policy is for another game.
    NotImplementedError
        For games with choices or to be finished exactly.
    ConvergenceError
        If what a reset leaves is off by more than 1e-13, relatively.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(evaluate(pig(), hold_at(25), hold_at(20)).first_wins, 6)
    0.543482
    """
    check_match(game, first=first, second=second)
    ends = turn_ends(game, first), turn_ends(game, second)
    won, _, residual = _expect(game, *ends, ends[0].chance[:, :, game.target], np.zeros((game.target, game.target)))
    return Match(game, first, second, float(won[0, 0]), float(residual))


@compiled
def respond(rules, ends, resets, values, after, everything, value, slope, roll):
    """Fill `values`, u₁ of the best response to a player 2 whose turns end as in `ends`, and `after`, u₂.

    ``resets[0, j]`` is what player 1's reset leaves, ``resets[1, i]`` what player 2's does.

    Returns
    -------
    float
        Largest error of x = f(A + β·x).
    """
    target, worst = values.shape[0], 0.0
    hold = np.empty(target + 1)
    for total in range(2 * target - 2, -1, -1):
        for i in range(max(0, total - target + 1), min(target, total + 1)):
            j = total - i
            end, missing = ends.chance[j, i], target - i
            rest = end[target + 2] * resets[1, i]
            for later in range(ends.window[j, i, 0], ends.window[j, i, 1]):
                rest += end[later] * values[i, later]
            for r in range(1, missing):
                hold[r] = after[j, target - r]
            x, gap = 0.0, 1.0
            while gap > CLOSE:  # from below, the tangent of a convex function leads up to the solution, never beyond
                bust = rest + end[target + 1] * x
                h, tilt, _ = walk(
                    rules, hold, everything[0], everything[1], bust, resets[0, j], 1.0, missing, value, slope, roll
                )
                gap = h - x
                x += max(gap, 0.0) / (1.0 - tilt * end[target + 1])
            worst = max(worst, abs(gap))
            values[i, j], after[j, i] = x, rest + end[target + 1] * x
    return worst


def best_response(game, opponent):
    """The best that can be done against a fixed policy.

    Parameters
    ----------
    game : Game
        Without choices, finished by reaching the target.
    opponent : Policy

    Returns
    -------
    Solution
        With objective "win": ``values[own, opponent]`` is the probability to win with the move, against `opponent`.

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or the policy is for another game.
    NotImplementedError
        For games with choices or to be finished exactly.
    ConvergenceError
        If the Bellman equation holds only to more than 1e-13.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(best_response(pig(), hold_at(20)).value, 6)
    0.587368
    """
    check_match(game, opponent=opponent)
    rules, target, ends = rules_of(game), game.target, turn_ends(game, opponent)
    values, after = np.empty((2, target, target))
    scratches = np.full((2, target + 1), -np.inf), *scratch(rules, target)

    def change(resets):
        worst[0] = respond(rules, ends, resets.reshape(2, target), values, after, *scratches)
        return np.append(after[:, 0], values[:, 0]) - resets

    worst, resets = [0.0], np.full(2 * target, 0.5)
    if game.resets:
        resets = settle(change, resets, game)
    off = np.abs(change(resets)).max()
    residual = max(worst[0], off if game.resets else 0.0)
    if not residual <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {residual:.1e}")
    policy = OptimalPolicy(game, partial(decide, game, after))
    return Solution(game, "win", values, policy, False, residual, residual)
