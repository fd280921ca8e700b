"""One policy against another, exactly: win probability, number of turns, margin; and the best response to a policy.

Once both players' decisions are fixed, a turn at the scores i (own) and j ends in a hold at the score i' with
probability q(i'), in a bust with β, in a reset with ρ, at the target with the rest (:mod:`dicelab.ends`). So whatever
is expected of the rest of the match when player 1 is to move, u₁(i, j), and when player 2 is, u₂(j, i), is

    u₁(i, j) = c₁(i, j) + Σ q(i')·u₂(j, i') + β·u₂(j, i) + ρ·u₂(j, 0),

and likewise with the players exchanged: pairs of linear equations, solved backwards from the target like the races of
:mod:`dicelab.race`. With c₁ the probability to reach the target in this turn and c₂ = 0 it is the probability that
player 1 wins; with c = 1 the number of turns; with c = 2u - 1, u being that, its second moment; with c that probability
times what the loser then needs, positive for player 1 and negative for player 2, the margin. Where neither player's
turn can end in anything but a bust, play is endless: a draw, and infinitely many turns.

With resets, u₂(·, 0) and u₁(·, 0) are unknown when the pairs are solved. They solve linear equations of their own, by
GMRES (scipy's); how far they are off in the end, relatively, is the match's `residual`, and above 1e-13 an error. There
is no other error than rounding.

The distribution of the number of turns follows the probabilities of all scores from turn to turn, until no more than
1e-15 is left in play.

Resets, too, may lead in circles from which nobody gets to the target. There the smallest solution counts, which GMRES
finds, starting from 0 as it does: so the probability to win less that to lose is right, and halves make the draws.

A best response replaces player 1's linear equation by the turn operator; u₂ stays linear. Then x = f(A + β·x), convex
in x, is solved by Newton steps from x = 0, each of them a step of policy iteration. They rise to the solution, and stop
when nothing is gained any more.
"""

from dataclasses import dataclass, field
from functools import cached_property, partial

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from .ends import FOREVER, check_players, ends_bytes, turn_ends
from .games import Game
from .memory import check_memory
from .pairs import CLOSE, scratch
from .players import followed
from .policies import OptimalPolicy, Policy, Solution, as_solution
from .race import RESIDUAL_LIMIT, ConvergenceError, decide, settle, stakes_of
from .turn import compiled, inlined, rules_of, walk

__all__ = ["Match", "best_response", "evaluate", "loss"]

MOST_TURNS = 20_000  # that a distribution of the number of turns lists
SETTLING = 1_000  # turns, after which what is left shrinks by a constant factor, nearly
SURE = 1 - 1e-6  # probability to end below which a match with resets is one that may be endless
LEFT = 1e-15  # probability still in play at which the distribution of the number of turns ends


@inlined
def held(ends, own, opponent, memory, worth, other):
    """Σ q(i')·worth[other, i'] over a turn's holds; i' is an own state, of which `memory` stand for a score."""
    first, last = ends.window[own, opponent, 0], ends.window[own, opponent, 1]
    place, keeps = ends.start[own, opponent], min(own % memory + 1, memory - 1)
    expected = 0.0
    for score in range(first, last):
        expected += ends.hold[place + score - first] * worth[other, score * memory + keeps]
    return expected


@compiled
def solve_chain(ends_1, ends_2, c_1, c_2, reset_1, reset_2, endless, u_1, u_2):
    """Fill `u_1` and `u_2` (see the module's page); a reset leaves ``reset_1[j]`` of player 1, ``reset_2[i]`` of 2.

    Holds lead to larger scores alone, so that states are solved from the largest on.
    """
    states_1, states_2 = u_1.shape
    memory_1, memory_2 = states_1 // ends_2.bust.shape[1], states_2 // ends_1.bust.shape[1]
    for i in range(states_1 - 1, -1, -1):
        for j in range(states_2 - 1, -1, -1):
            score_1, score_2 = i // memory_1, j // memory_2
            bust_1, bust_2 = ends_1.bust[i, score_2], ends_2.bust[j, score_1]
            if bust_1 == 1.0 and bust_2 == 1.0:
                u_1[i, j] = u_2[j, i] = endless
                continue
            rest_1 = c_1[i, j] + ends_1.reset[i, score_2] * reset_1[j] + held(ends_1, i, score_2, memory_1, u_2, j)
            rest_2 = c_2[j, i] + ends_2.reset[j, score_1] * reset_2[i] + held(ends_2, j, score_1, memory_2, u_1, i)
            u_1[i, j] = (rest_1 + bust_1 * rest_2) / (1.0 - bust_1 * bust_2)
            u_2[j, i] = rest_2 + bust_2 * u_1[i, j]


def _expect(game, ends, c_1, c_2, endless):
    """u₁, u₂, and the largest relative error of what a reset leaves; `c_1` and `c_2` broadcast to them."""
    states = len(ends[0].bust), len(ends[1].bust)
    u_1, u_2 = np.empty(states), np.empty(states[::-1])
    c_1, c_2 = (
        np.ascontiguousarray(np.broadcast_to(c_1, states)),
        np.ascontiguousarray(np.broadcast_to(c_2, states[::-1])),
    )

    def after_resets(z):
        solve_chain(*ends, c_1, c_2, z[: states[1]], z[states[1] :], endless, u_1, u_2)
        return np.append(u_2[:, 0], u_1[:, 0])

    z, residual = np.zeros(sum(states)), 0.0
    if game.resets:  # z = after_resets(z) is linear in z
        constant = after_resets(z)
        system = LinearOperator((z.size, z.size), matvec=lambda z: z - after_resets(z) + constant, dtype=float)
        z, _ = gmres(system, constant, rtol=1e-14, restart=z.size)
        residual = np.abs(after_resets(z) - z).max() / max(1.0, np.abs(z).max())
        if not residual <= RESIDUAL_LIMIT:
            raise ConvergenceError(f"{game.name}: what a reset leaves is off by {residual:.1e}")
    after_resets(z)
    return u_1, u_2, residual


def _ends(game, players):
    """How the turns of both players end, and by own and opponent's state how likely they reach the target."""
    ends = [turn_ends(game, player) for player in players]
    return ends, [np.repeat(mine.finish, other.memory, axis=1) for mine, other in zip(ends, players[::-1], strict=True)]


@dataclass(frozen=True, eq=False)
class Match:
    """One policy against another.

    Attributes
    ----------
    game : Game
    first, second : Policy
        Of the player who moves first, and of the other.
    first_wins : float
        Probability that the first player wins; endless play, of two players who cannot reach the target, counts half.
    residual : float
        Largest relative error of what a reset leaves; 0 without resets.
    turns_mean, turns_sd : float
        Mean and standard deviation of the number of turns, both players' together; computed when asked for. The mean is
        infinite, and the deviation nan, if play may be endless.
    margin : float
        What the first player can expect to win, in points, if the loser pays the winner what the loser still needs;
        computed when asked for.
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
    def margin(self):
        """What the first player can expect to win, in points, the loser paying what the loser still needs."""
        ends, finish = _ends(self.game, (self.first, self.second))
        needs = [np.repeat(self.game.target - np.arange(self.game.target), p.memory) for p in (self.second, self.first)]
        return float(_expect(self.game, ends, finish[0] * needs[0], -finish[1] * needs[1], 0.0)[0][0, 0])

    @cached_property
    def _moments(self):
        ends, finish = _ends(self.game, (self.first, self.second))
        if self.game.resets and _expect(self.game, ends, *finish, 0.0)[0][0, 0] < SURE:
            return np.inf, np.nan
        mean_1, mean_2, _ = _expect(self.game, ends, 1.0, 1.0, FOREVER)
        if mean_1[0, 0] > 1 / LEFT:
            return np.inf, np.nan
        square, _, _ = _expect(self.game, ends, 2 * mean_1 - 1, 2 * mean_2 - 1, 0.0)
        mean = float(mean_1[0, 0])
        return mean, float(np.sqrt(square[0, 0] - mean**2))

    def turns_distribution(self):
        """The distribution of the number of turns.

        Returns
        -------
        pandas.Series
            Probability by number of turns, 1, 2, …, until at most 1e-15 is left; ``attrs["left"]`` is what is left, and
            ``attrs["endless"]`` the probability that play never ends.

        Raises
        ------
        ValueError
            If that would take more than 20,000 turns, as where resets keep both players from the target.
        """
        import pandas as pd

        ends, _ = _ends(self.game, (self.first, self.second))
        now = np.zeros((len(ends[0].bust), len(ends[1].bust)))  # by the states of the player to move and of the other
        now[0, 0], probabilities, left, endless = 1.0, [], 1.0, 0.0
        while left > LEFT:
            now, finished, stuck = pass_turn(*ends, now)
            ends.reverse()
            probabilities.append(finished)
            endless += stuck
            before, left = left, now.sum()
            turn = len(probabilities)
            rest = MOST_TURNS - turn
            if turn >= SETTLING and left > LEFT and np.log(left / LEFT) > rest * np.log(before / left):
                raise ValueError(
                    f"a game of {self.game.name} lasts too long for a list of more than {MOST_TURNS:,} turns"
                )
        turns = pd.RangeIndex(1, len(probabilities) + 1, name="turns")
        series = pd.Series(probabilities, index=turns, name="probability")
        series.attrs |= {"left": left, "endless": endless}
        return series


@compiled
def pass_turn(ends, others, now):
    """What a turn by the player with `ends` makes of the probabilities of the states, `now`.

    Returns
    -------
    after : ndarray
        The probabilities seen by the other player, who is to move then.
    finished, endless : float
        The probability to have finished, and that neither player can ever do anything but bust.
    """
    states, opponents = now.shape
    memory, other = states // others.bust.shape[1], opponents // ends.bust.shape[1]
    after, finished, endless = np.zeros((opponents, states)), 0.0, 0.0
    for own in range(states):
        for opponent in range(opponents):
            mass, score = now[own, opponent], opponent // other
            if mass == 0.0:
                continue
            if ends.bust[own, score] == 1.0 and others.bust[opponent, own // memory] == 1.0:
                endless += mass
                continue
            first, last = ends.window[own, score]
            place, keeps = ends.start[own, score], min(own % memory + 1, memory - 1)
            for held_at in range(first, last):
                after[opponent, held_at * memory + keeps] += mass * ends.hold[place + held_at - first]
            after[opponent, own] += mass * ends.bust[own, score]
            after[opponent, 0] += mass * ends.reset[own, score]
            finished += mass * ends.finish[own, score]
    return after, finished, endless


def evaluate(game, first, second):
    """Play one policy against another, exactly.

    Parameters
    ----------
    game : Game
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
        If a player who must roll beyond the target has a choice of modes.
    ConvergenceError
        If what a reset leaves is off by more than 1e-13, relatively.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(evaluate(pig(), hold_at(25), hold_at(20)).first_wins, 6)
    0.543482
    """
    check_players(game, first=first, second=second)
    size = ends_bytes(game, first) + ends_bytes(game, second) + 40 * game.target**2 * first.memory * second.memory
    check_memory(size, f"a match of {game.name} to {game.target}", "take a smaller target")
    first, second = followed(game, first=first, second=second)
    ends, finish = _ends(game, (first, second))
    if game.resets:  # among which play may be endless, too
        ahead, _, residual = _expect(game, ends, finish[0], -finish[1], 0.0)
        return Match(game, first, second, float(1 + ahead[0, 0]) / 2, float(residual))
    won, _, _ = _expect(game, ends, finish[0], 0.0, 0.5)
    return Match(game, first, second, float(won[0, 0]), 0.0)


def loss(solution, policy):
    """What a policy loses to the optimal one, moving first and second by turns.

    Parameters
    ----------
    solution : Solution
        Of the objective "win" or "margin", points beyond the target not counting; its policy is the opponent.
    policy : Policy

    Returns
    -------
    float
        For "win", one half less the probability to win; for "margin", points a game. At least 0.

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`evaluate`; and for another objective.
    """
    as_solution(solution, ("win", "margin")), check_players(solution.game, policy=policy)
    (policy,) = followed(solution.game, policy=policy)
    first, second = evaluate(solution.game, solution.policy, policy), evaluate(solution.game, policy, solution.policy)
    if solution.objective == "win":
        return (first.first_wins - second.first_wins) / 2
    return (first.margin - second.margin) / 2


@compiled
def respond(rules, stakes, ends, resets, values, after, value, slope, roll):
    """Fill `values`, u₁ of the best response to a player 2 whose turns end as in `ends`, and `after`, u₂.

    ``resets[0, j]`` is what player 1's reset leaves, ``resets[1, i]`` what player 2's does.

    Returns
    -------
    float
        Largest error of x = f(A + β·x).
    """
    target, worst = values.shape[0], 0.0
    hold = np.empty(target)
    for i in range(target - 1, -1, -1):
        for j in range(target - 1, -1, -1):
            missing, beta = target - i, ends.bust[j, i]
            if rules.hopeless[missing] and beta == 1.0:
                values[i, j] = after[j, i] = 0.5 * stakes.both
                continue
            rest = ends.reset[j, i] * resets[1, i] + held(ends, j, i, 1, values, i)
            for r in range(1, missing):
                hold[r] = after[j, target - r]
            known = resets[0, j], stakes.finish[target - j], stakes.over
            x, gap = 0.0, 1.0
            while gap > CLOSE:  # from below, the tangent of a convex function leads up to the solution, never beyond
                h, tilt = walk(rules, hold, rest + beta * x, *known, missing, 1, value, slope, roll)
                gap = h - x
                x += max(gap, 0.0) / (1.0 - tilt * beta)
            worst = max(worst, abs(gap))
            values[i, j], after[j, i] = x, rest + beta * x
    return worst


def best_response(game, opponent):
    """The best that can be done against a fixed policy.

    Parameters
    ----------
    game : Game
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
        If a player who must roll beyond the target has a choice of modes.
    ConvergenceError
        If the Bellman equation holds only to more than 1e-13.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(best_response(pig(), hold_at(20)).value, 6)
    0.587368
    """
    check_players(game, opponent=opponent)
    size = ends_bytes(game, opponent) + 32 * game.target**2
    check_memory(size, f"the best response in {game.name} to {game.target}", "take a smaller target")
    if opponent.memory > 1:
        raise NotImplementedError(f"opponent: {opponent} remembers its turns; the best response would have to, too")
    (opponent,) = followed(game, opponent=opponent)
    rules, target, ends, stakes = rules_of(game), game.target, turn_ends(game, opponent), stakes_of(game, "win")
    values, after = np.empty((2, target, target))
    scratches = scratch(rules, target)

    residual = np.inf

    def change(resets):
        nonlocal residual
        worst = respond(rules, stakes, ends, resets.reshape(2, target), values, after, *scratches)
        step = np.append(after[:, 0], values[:, 0]) - resets
        residual = max(worst, np.abs(step).max() if game.resets else 0.0)
        return step

    start = np.full(2 * target, 0.5)
    step = change(start)
    if game.resets:
        settle(change, start + step, game)
    if not residual <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {residual:.1e}")
    policy = OptimalPolicy(game, partial(decide, game, stakes, after))
    return Solution(game, "win", values, policy, False, residual, residual, against=opponent)
