"""The Markov chain of a match between two fixed policies: expected values, solved backwards from the target.

A turn at the scores i (own) and j (opponent) ends in a hold at the score i' with probability q(i'), in a bust with β,
in a reset with ρ, and else at the target (:mod:`dicelab.evaluation.turn_outcomes`). Let u₁(i, j) be an expected value
of the rest of the match when player 1 is about to move, and u₂(j, i) when player 2 is. Then

    u₁(i, j) = c₁(i, j) + Σ q(i')·u₂(j, i') + β·u₂(j, i) + ρ·u₂(j, 0),                                        (1)

and likewise with the players exchanged. The constants c determine which expected value it is:

- probability that player 1 wins: c₁ = probability to reach the target in this turn, c₂ = 0;
- number of turns m: c = 1;
- variance of the number of turns: c = expected square of 1 + m' - m, where m' is the mean m after the turn;
- margin: c₁ = probability to reach the target, times the points that the loser needs, c₂ = the same, negative.

**One pair of scores.** Holds lead to larger scores, so we solve the pairs from the target backwards. Let R be the right
side of (1) without the bust term, and L = 1 - β the probability to leave the pair. The two equations of a pair give

    u₁ = (R₁ + (1 - L₁)·R₂) / (L₁ + L₂ - L₁·L₂).                                                              (2)

The denominator is 1 - β₁·β₂, written without a difference of nearly equal numbers, so that no digits are lost where
turns nearly always bust.

**Endless play.** From some states no end can be reached, whatever is rolled. We find them on the graph of the states,
and give them a fixed value: a draw counts 1/2.

**Resets.** The values after a reset, u₂(·, 0) and u₁(·, 0), are unknown while the pairs are solved. Call them z. One
backward pass maps z to M·z + b, so that z solves the linear equations z = M·z + b. We use GMRES (scipy). The relative
residual counts once for every expected reset, and so do roundings; there are at most 1/p expected resets, p being the
least probability, over all states after a reset, that the match ends before the next reset. If the error so estimated
is too large and there are at most 1000 equations, we solve them by an elimination that loses no digits.
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from .._accuracy import ACCURACY, FOREVER, ROUNDING
from .._compile import compiled, inlined

__all__ = ["MatchChain", "pass_turn"]

ELIMINATED = 1000  # the most equations for resets that are solved by elimination, which takes their number cubed


@inlined
def holds_of(outcomes, own, score):
    """The holds of a turn: scores first, …, last - 1 with probabilities ``hold[offset + score]``; the next memory."""
    first, last = outcomes.window[own, score, 0], outcomes.window[own, score, 1]
    next_memory = min(own % outcomes.memory + 1, outcomes.memory - 1)
    return first, last, outcomes.start[own, score] - first, next_memory


@inlined
def expected_after_hold(outcomes, own, score, opponent, u):
    """Σ q(i')·u(opponent, i') over the holds of a turn."""
    first, last, offset, next_memory = holds_of(outcomes, own, score)
    expected = 0.0
    for held in range(first, last):
        expected += outcomes.hold[offset + held] * u[opponent, held * outcomes.memory + next_memory]
    return expected


@compiled
def solve_pairs(outcomes_1, outcomes_2, c_1, c_2, reset_1, reset_2, live_1, live_2, fixed, u_1, u_2):
    """Fill `u_1` and `u_2` by (2), ``reset_1[j]`` being the value after a reset of player 1, ``reset_2[i]`` of 2.

    States that are not `live` have the value `fixed`.
    """
    states_1, states_2 = u_1.shape
    for i in range(states_1 - 1, -1, -1):
        for j in range(states_2 - 1, -1, -1):
            score_1, score_2 = i // outcomes_1.memory, j // outcomes_2.memory
            u_1[i, j], u_2[j, i] = fixed, fixed
            if not live_1[i, j] and not live_2[j, i]:
                continue
            leave_1, leave_2 = outcomes_1.leave[i, score_2], outcomes_2.leave[j, score_1]
            right_1 = c_1[i, j] + outcomes_1.reset[i, score_2] * reset_1[j]
            right_1 += expected_after_hold(outcomes_1, i, score_2, j, u_2)
            right_2 = c_2[j, i] + outcomes_2.reset[j, score_1] * reset_2[i]
            right_2 += expected_after_hold(outcomes_2, j, score_1, i, u_1)
            if not live_2[j, i]:
                u_1[i, j] = right_1 + (1.0 - leave_1) * fixed
            elif not live_1[i, j]:
                u_2[j, i] = right_2 + (1.0 - leave_2) * fixed
            else:
                u_1[i, j] = (right_1 + (1.0 - leave_1) * right_2) / (leave_1 + leave_2 - leave_1 * leave_2)
                u_2[j, i] = (right_2 + (1.0 - leave_2) * right_1) / (leave_1 + leave_2 - leave_1 * leave_2)


@compiled
def squared_steps(outcomes, others, mean, other_mean, live, squares):
    """Fill `squares` with the expected square of 1 + m' - m for a turn of the player with `outcomes`."""
    for own in range(live.shape[0]):
        for opponent in range(live.shape[1]):
            score, short = opponent // others.memory, 1.0 - mean[own, opponent]
            squares[own, opponent] = 0.0
            if not live[own, opponent]:
                continue
            total = outcomes.finish[own, score] * short**2
            total += outcomes.bust[own, score] * (short + other_mean[opponent, own]) ** 2
            total += outcomes.reset[own, score] * (short + other_mean[opponent, 0]) ** 2
            first, last, offset, next_memory = holds_of(outcomes, own, score)
            for held in range(first, last):
                after = other_mean[opponent, held * outcomes.memory + next_memory]
                total += outcomes.hold[offset + held] * (short + after) ** 2
            squares[own, opponent] = total


@compiled
def pass_turn(outcomes, others, now, ending):
    """Play one turn of the player with `outcomes`, `now` being the probabilities of the states.

    Returns
    -------
    after : ndarray
        The probabilities after the turn, [state of the other player, who is about to move; state of this player].
    finished, endless : float
        The probabilities to finish in this turn, and to have been in a state that is not `ending`.
    """
    states, opponents = now.shape
    after, finished, endless = np.zeros((opponents, states)), 0.0, 0.0
    for own in range(states):
        for opponent in range(opponents):
            mass, score = now[own, opponent], opponent // others.memory
            if mass == 0.0:
                continue
            if not ending[own, opponent]:
                endless += mass
                continue
            first, last, offset, next_memory = holds_of(outcomes, own, score)
            for held in range(first, last):
                after[opponent, held * outcomes.memory + next_memory] += mass * outcomes.hold[offset + held]
            after[opponent, own] += mass * outcomes.bust[own, score]
            after[opponent, 0] += mass * outcomes.reset[own, score]
            finished += mass * outcomes.finish[own, score]
    return after, finished, endless


@compiled
def look_ahead(outcomes, others, own, opponent, theirs, forwards):
    """Whether a turn may finish or lead to a state marked in `theirs`; or, `forwards`, mark the states it may lead to.

    Forwards, returns whether some of these were not marked yet.
    """
    score = opponent // others.memory
    first, last, offset, next_memory = holds_of(outcomes, own, score)
    found = not forwards and outcomes.finish[own, score] > 0.0
    for held in range(first - 2, last):
        if held == first - 2:
            chance, state = outcomes.reset[own, score], 0
        elif held == first - 1:
            chance, state = outcomes.bust[own, score], own
        else:
            chance, state = outcomes.hold[offset + held], held * outcomes.memory + next_memory
        if chance > 0.0 and theirs[opponent, state] != forwards:
            theirs[opponent, state], found = True, True
        if found and not forwards:
            break
    return found


@compiled
def mark_states(outcomes_1, outcomes_2, marked_1, marked_2, forwards):
    """Mark all states from which an end can be reached; or, `forwards`, all that can be reached from marked ones.

    Holds lead to larger scores: in this order, only busts and resets need more than one round.
    """
    size, columns = marked_1.size, marked_1.shape[1]
    more = True
    while more:
        more = False
        for k in range(size):
            i, j = divmod(k if forwards else size - 1 - k, columns)
            for _ in range(2):  # a bust leads to the other player's turn at the same scores
                if marked_1[i, j] == forwards and look_ahead(outcomes_1, outcomes_2, i, j, marked_2, forwards):
                    marked_1[i, j] = more = True
                if marked_2[j, i] == forwards and look_ahead(outcomes_2, outcomes_1, j, i, marked_1, forwards):
                    marked_2[j, i] = more = True


def eliminate(matrix, excess, constant):
    """Solve z = matrix·z + constant for probabilities `matrix` whose rows sum to 1 - `excess`, without a difference.

    Grassmann, Taksar and Heyman (1985). We remove one state after the other and replace it by its successors. The
    probability to leave a state is a sum of positive terms, not 1 minus the probability to stay, so that no digits are
    lost even if the state is hardly ever left. The arguments are overwritten.
    """
    leave, states = np.empty(len(excess)), range(len(excess) - 1, -1, -1)
    for k in states:
        leave[k] = excess[k] + matrix[k, :k].sum()
        if leave[k] == 0.0:  # this state is never left, and nobody asks for it
            continue
        share = matrix[:k, k] / leave[k]
        matrix[:k, :k] += np.outer(share, matrix[k, :k])
        excess[:k] += share * excess[k]
        constant[:k] += share * constant[k]
    z = np.zeros(len(excess))
    for k in reversed(states):
        z[k] = (constant[k] + matrix[k, :k] @ z[:k]) / leave[k] if leave[k] else 0.0
    return z


class MatchChain:
    """The Markov chain of a match. Pairs of arrays are of player 1 and 2, each [own state, opponent's state].

    Parameters
    ----------
    game : Game
    first, second : TurnOutcomes
        Of the two players' policies.
    """

    def __init__(self, game, first, second):
        self.game, self.outcomes = game, [first, second]

    def probabilities(self, outcome):
        """The probabilities of one outcome of a turn, for example "finish", a pair of arrays."""
        pairs = zip(self.outcomes, self.outcomes[::-1], strict=True)
        return [np.repeat(getattr(mine, outcome), theirs.memory, axis=1) for mine, theirs in pairs]

    def _unmarked(self):
        first, second = (len(outcomes.bust) for outcomes in self.outcomes)
        return [np.zeros((first, second), dtype=bool), np.zeros((second, first), dtype=bool)]

    def ending(self):
        """Whether an end can be reached, a pair of arrays of bool."""
        ending = self._unmarked()
        mark_states(*self.outcomes, *ending, False)
        return ending

    def reached(self):
        """Whether a state can be reached from the start of the match, a pair of arrays of bool."""
        reached = self._unmarked()
        reached[0][0, 0] = True
        mark_states(*self.outcomes, *reached, True)
        return reached

    def win_probability(self):
        """The probability that player 1 wins, endless play counting half; see :meth:`solve`."""
        return self.solve(self.probabilities("finish")[0], 0.0, self.ending(), 0.5)

    def solve(self, c_1, c_2, live, fixed=0.0):
        """Solve the equations (1) of the module's page.

        Parameters
        ----------
        c_1, c_2 : ndarray or float
        live : pair of ndarray of bool
            The states to be solved for; all others have the value `fixed`.

        Returns
        -------
        u_1, u_2 : ndarray
        residual : float
            Of the equations for resets, relative to the largest value after a reset; 0 without resets.
        error : float
            An estimate of how far u may be off.
        """
        u_1, u_2 = np.empty(live[0].shape), np.empty(live[1].shape)
        split, size = len(u_2), len(u_2) + len(u_1)

        def after_resets(z, c_1=0.0, c_2=0.0, fixed=0.0):
            """M·z + b; without constants, M·z."""
            c_1, c_2 = (np.ascontiguousarray(np.broadcast_to(c, u.shape), float) for c, u in ((c_1, u_1), (c_2, u_2)))
            solve_pairs(*self.outcomes, c_1, c_2, z[:split], z[split:], *live, fixed, u_1, u_2)
            return np.append(u_2[:, 0], u_1[:, 0])

        def distance(z):
            return np.abs(after_resets(z, c_1, c_2, fixed) - z).max()

        z, residual, resets, scale = np.zeros(size), 0.0, 0.0, 0.0
        if self.game.resets:
            ends_first = after_resets(z, *self.probabilities("finish"), 1.0)  # the match ends before the next reset
            constant = after_resets(z, c_1, c_2, fixed)
            system = LinearOperator((size, size), matvec=lambda z: z - after_resets(z), dtype=float)
            with np.errstate(all="ignore"):
                resets = min(1 / ends_first.min(), FOREVER)
                z = gmres(system, constant, rtol=1e-15, restart=size)[0]
                residual, scale = distance(z), np.abs(z).max() or 1.0
            if not residual / scale * (1 + resets) + ROUNDING * resets <= 0.1 * ACCURACY and size <= ELIMINATED:
                matrix = np.column_stack([after_resets(unit) for unit in np.eye(size)])
                z, resets = eliminate(matrix, ends_first, constant), 0.0
                residual = distance(z)
            residual /= scale
        after_resets(z, c_1, c_2, fixed)
        if resets == 0.0:  # sums of terms without cancellation, as accurate as the terms
            scale = abs(u_1[0, 0]) - min(np.min(c_1), np.min(c_2), 0.0)
        return u_1, u_2, residual, scale * (residual * (1 + resets) + ROUNDING * (size**0.5 + resets))
