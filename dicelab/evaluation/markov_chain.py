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

**Registers.** A bust may score, and lead to larger scores as a hold does. It may change the register of the player.
Then it leads to another of the states with the same pair of scores, whose equations form chains, and cycles as that of
(2). One equation is substituted into another along the chain, by :func:`dicelab.solvers.cycle.close_chains`: with u = K
+ (1 - E)·u″, where u″ = R + (1 - L)·u‴ comes next,

    K ← K + (1 - E)·R,      E ← E + L - E·L.                                                                  (3)

The chain ends at a known value, or where it began: then u = K / E, which is (2) for a cycle of two.

**Endless play.** From some states no end can be reached, whatever is rolled. We find them on the graph of the states,
and give them a fixed value: a draw counts 1/2.

**Resets and penalties.** The values after a reset, u₂(·, 0) and u₁(·, 0), are unknown while the pairs are solved, and
so are those after a bust that costs points, which may lead back to the start as well. Call them z. One backward pass
maps z to M·z + b, so that z solves the linear equations z = M·z + b. We use GMRES (scipy). If there are penalties, z
is long: then GMRES is restarted after a limited number of steps, and its solution is refined until the residual does
not get smaller any more. The relative residual counts once for every expected reset, and so do roundings; there are
at most 1/p expected resets, p being the least probability, over all states after a reset, that the match ends before
the next reset. (A penalty counts as a reset.) If the error so estimated is too large and there are at most 1000
equations, we solve them by an elimination that loses no digits.

**Expected visits.** How often a match is in each state follows from the transposed equations,

    v₂(j, i') = s₂(j, i') + Σ v₁(i, j)·(probability that the turn of player 1 leads there),                   (4)

and with the players exchanged, where s is the probability to start there. They are solved forwards, pair by pair from
the beginning of the match. All terms are positive. What returns by resets and penalties is unknown again: the vector z
of these flows solves z = Mᵀ·z + d, where d is what returns of the start.
"""

import numpy as np
from scipy.sparse.linalg import LinearOperator, gmres

from .._accuracy import ACCURACY, FOREVER, ROUNDING
from .._compile import compiled, inlined
from ..solvers.cycle import close_chains

__all__ = ["MatchChain", "pass_turn"]

ELIMINATED = 1000  # the most equations for resets that are solved by elimination, which takes their number cubed
RESTART, RESTARTS = (
    40,
    10,
)  # of GMRES with penalties: steps before a restart, and how many restarts at most
REFINED, ROUNDS = (
    1e-8,
    10,
)  # by how much one such solution reduces the residual, and how often that is done at most


@inlined
def holds_of(outcomes, own, score):
    """The holds of a turn: `first`, …, `last` - 1 points above the lowest score, with probabilities hold[offset + …].

    A hold at `held` leads to the state held·step + onward.
    """
    first = outcomes.window[own, score, 0]
    last = outcomes.window[own, score, 1]
    return first, last, outcomes.start[own, score] - first, outcomes.after_hold[own]


@inlined
def results_of(outcomes, others, own, opponent, first_own, c, back, column, u):
    """R and L of a turn: all results but a bust that stays at the same score, and the probability of these.

    ``back[opponent, column[state]]`` is the value after a reset or a penalty that leads to `state`; `first_own` is the
    first state with the same score. The last result is the state after a bust, counted from there, negative if its
    value is known: where it costs points, or scores.
    """
    score = opponent // others.memory
    after_bust = outcomes.after_bust[own] - first_own
    leave = outcomes.leave[own, score]
    right = c[own, opponent] + outcomes.reset[own, score] * back[opponent, column[outcomes.begin]]
    first, last, offset, onward = holds_of(outcomes, own, score)
    expected = 0.0
    for held in range(first, last):
        expected += outcomes.hold[offset + held] * u[opponent, held * outcomes.step + onward]
    right += expected
    if after_bust < 0:
        right += outcomes.bust[own, score] * back[opponent, column[first_own + after_bust]]
        leave = 1.0
    elif after_bust >= outcomes.step:  # a bust that scores
        right += outcomes.bust[own, score] * u[opponent, first_own + after_bust]
        leave, after_bust = 1.0, -1
    return right, leave, after_bust


@compiled
def solve_pairs(
    outcomes_1,
    outcomes_2,
    c_1,
    c_2,
    back_1,
    back_2,
    column_1,
    column_2,
    live_1,
    live_2,
    fixed,
    u_1,
    u_2,
):
    """Fill `u_1` and `u_2` by (2) and (3); for `back` and `column` see :func:`results_of`.

    States that are not `live` have the value `fixed`.
    """
    step_1, step_2 = outcomes_1.step, outcomes_2.step
    half = step_1 * step_2
    right = np.empty((2 * half, 1))
    leave = np.empty(2 * half)
    values = np.empty((2 * half, 1))
    onward = np.empty(2 * half, np.int64)
    seen = np.empty(2 * half, np.int64)
    for first_1 in range(len(u_1) - step_1, -1, -step_1):
        for first_2 in range(len(u_2) - step_2, -1, -step_2):
            for a in range(step_1):
                for b in range(step_2):
                    i = first_1 + a
                    j = first_2 + b
                    k = a * step_2 + b
                    n = half + k
                    right[k, 0], leave[k], onward[k] = fixed, 1.0, -1
                    if live_1[i, j]:
                        more = results_of(
                            outcomes_1, outcomes_2, i, j, first_1, c_1, back_1, column_1, u_2
                        )
                        right[k, 0], leave[k], after = more
                        onward[k] = half + after * step_2 + b if after >= 0 else -1
                    right[n, 0], leave[n], onward[n] = fixed, 1.0, -1
                    if live_2[j, i]:
                        more = results_of(
                            outcomes_2, outcomes_1, j, i, first_2, c_2, back_2, column_2, u_1
                        )
                        right[n, 0], leave[n], after = more
                        onward[n] = a * step_2 + after if after >= 0 else -1
            close_chains(right, leave, onward, seen, values)
            for a in range(step_1):
                for b in range(step_2):
                    u_1[first_1 + a, first_2 + b] = values[a * step_2 + b, 0]
                    u_2[first_2 + b, first_1 + a] = values[half + a * step_2 + b, 0]


@inlined
def add_up_chains(visits, leave, onward, arriving):
    """Solve v(n) = `visits` + Σ (1 - leave(k))·v(k), over all k with onward(k) = n, in place; -1 leads nowhere."""
    size = len(visits)
    arriving[:] = 0
    for k in range(size):
        if onward[k] >= 0:
            arriving[onward[k]] += 1
    for k in range(size):  # chains: a state is complete when all that leads to it is
        at = k
        while at >= 0 and arriving[at] == 0:
            arriving[at], after = -1, onward[at]
            if after >= 0:
                visits[after] += (1.0 - leave[at]) * visits[at]
                arriving[after] -= 1
            at = after
    for k in range(size):  # cycles: v(k) = K / E, as in (3), with K what comes back to k
        if arriving[k] > 0:
            returning = 0.0
            away = leave[k]
            at = onward[k]
            while at != k:
                returning = (returning + visits[at]) * (1.0 - leave[at])
                away = away + leave[at] - away * leave[at]
                at = onward[at]
            visits[k] = (visits[k] + returning) / away
            arriving[k] = -1
            while onward[at] != k:
                visits[onward[at]] += (1.0 - leave[at]) * visits[at]
                at = onward[at]
                arriving[at] = -1


@inlined
def pass_on(outcomes, others, own, opponent, first_own, mass, column, after, returned):
    """Add what a turn leads to, but for a bust that stays at the same score, to `after` and `returned`."""
    score = opponent // others.memory
    after_bust = outcomes.after_bust[own] - first_own
    first, last, offset, onward = holds_of(outcomes, own, score)
    for held in range(first, last):
        after[opponent, held * outcomes.step + onward] += mass * outcomes.hold[offset + held]
    returned[opponent, column[outcomes.begin]] += mass * outcomes.reset[own, score]
    if after_bust < 0:
        returned[opponent, column[first_own + after_bust]] += mass * outcomes.bust[own, score]
    elif after_bust >= outcomes.step:
        after[opponent, first_own + after_bust] += mass * outcomes.bust[own, score]


@compiled
def add_up_visits(
    outcomes_1, outcomes_2, column_1, column_2, live_1, live_2, v_1, v_2, returned_1, returned_2
):
    """Solve (4) but for resets and penalties: `v_1` and `v_2` are the starts, and the expected visits afterwards.

    What resets and penalties return is added to ``returned_1[opponent, column_1[state]]`` for the turns of player 1,
    and likewise for player 2. A state that is not `live` is the end.
    """
    step_1, step_2 = outcomes_1.step, outcomes_2.step
    half = step_1 * step_2
    visits, leave = np.empty(2 * half), np.empty(2 * half)
    onward = np.empty(2 * half, np.int64)
    arriving = np.empty(2 * half, np.int64)
    for first_1 in range(0, len(v_1), step_1):
        for first_2 in range(0, len(v_2), step_2):
            for a in range(step_1):
                for b in range(step_2):
                    i = first_1 + a
                    j = first_2 + b
                    k = a * step_2 + b
                    n = half + k
                    visits[k], leave[k], onward[k] = v_1[i, j], 1.0, -1
                    after = outcomes_1.after_bust[i] - first_1
                    if live_1[i, j] and 0 <= after < step_1:
                        leave[k], onward[k] = (
                            outcomes_1.leave[i, j // outcomes_2.memory],
                            half + after * step_2 + b,
                        )
                    visits[n], leave[n], onward[n] = v_2[j, i], 1.0, -1
                    after = outcomes_2.after_bust[j] - first_2
                    if live_2[j, i] and 0 <= after < step_2:
                        leave[n], onward[n] = (
                            outcomes_2.leave[j, i // outcomes_1.memory],
                            a * step_2 + after,
                        )
            add_up_chains(visits, leave, onward, arriving)
            for a in range(step_1):
                for b in range(step_2):
                    i = first_1 + a
                    j = first_2 + b
                    k = a * step_2 + b
                    v_1[i, j], v_2[j, i] = visits[k], visits[half + k]
                    if live_1[i, j] and v_1[i, j] != 0.0:
                        pass_on(
                            outcomes_1,
                            outcomes_2,
                            i,
                            j,
                            first_1,
                            v_1[i, j],
                            column_1,
                            v_2,
                            returned_1,
                        )
                    if live_2[j, i] and v_2[j, i] != 0.0:
                        pass_on(
                            outcomes_2,
                            outcomes_1,
                            j,
                            i,
                            first_2,
                            v_2[j, i],
                            column_2,
                            v_1,
                            returned_2,
                        )


@compiled
def squared_steps(outcomes, others, mean, other_mean, live, squares):
    """Fill `squares` with the expected square of 1 + m' - m for a turn of the player with `outcomes`."""
    for own in range(live.shape[0]):
        for opponent in range(live.shape[1]):
            score = opponent // others.memory
            short = 1.0 - mean[own, opponent]
            squares[own, opponent] = 0.0
            if not live[own, opponent]:
                continue
            total = outcomes.finish[own, score] * short**2
            total += (
                outcomes.bust[own, score]
                * (short + other_mean[opponent, outcomes.after_bust[own]]) ** 2
            )
            total += (
                outcomes.reset[own, score] * (short + other_mean[opponent, outcomes.begin]) ** 2
            )
            first, last, offset, onward = holds_of(outcomes, own, score)
            for held in range(first, last):
                after = other_mean[opponent, held * outcomes.step + onward]
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
    after = np.zeros((opponents, states))
    finished = 0.0
    endless = 0.0
    for own in range(states):
        for opponent in range(opponents):
            mass, score = now[own, opponent], opponent // others.memory
            if mass == 0.0:
                continue
            if not ending[own, opponent]:
                endless += mass
                continue
            first, last, offset, onward = holds_of(outcomes, own, score)
            for held in range(first, last):
                after[opponent, held * outcomes.step + onward] += (
                    mass * outcomes.hold[offset + held]
                )
            after[opponent, outcomes.after_bust[own]] += mass * outcomes.bust[own, score]
            after[opponent, outcomes.begin] += mass * outcomes.reset[own, score]
            finished += mass * outcomes.finish[own, score]
    return after, finished, endless


@inlined
def look_ahead(outcomes, others, own, opponent, theirs, forwards):
    """Whether a turn may finish or lead to a state marked in `theirs`; or, `forwards`, mark the states it may lead to.

    Forwards, returns whether some of these were not marked yet.
    """
    score = opponent // others.memory
    first, last, offset, onward = holds_of(outcomes, own, score)
    found = not forwards and outcomes.finish[own, score] > 0.0
    for held in range(first - 2, last):
        if held == first - 2:
            chance, state = outcomes.reset[own, score], outcomes.begin
        elif held == first - 1:
            chance = outcomes.bust[own, score]
            state = outcomes.after_bust[own]
        else:
            chance = outcomes.hold[offset + held]
            state = held * outcomes.step + onward
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
                if marked_1[i, j] == forwards and look_ahead(
                    outcomes_1, outcomes_2, i, j, marked_2, forwards
                ):
                    marked_1[i, j] = more = True
                if marked_2[j, i] == forwards and look_ahead(
                    outcomes_2, outcomes_1, j, i, marked_1, forwards
                ):
                    marked_2[j, i] = more = True


def eliminate(matrix, excess, constant):
    """Solve z = matrix·z + constant for probabilities `matrix` whose rows sum to 1 - `excess`, without a difference.

    Grassmann, Taksar and Heyman (1985). We remove one state after the other and replace it by its successors. The
    probability to leave a state is a sum of positive terms, not 1 minus the probability to stay, so that no digits are
    lost even if the state is hardly ever left. The arguments are overwritten.
    """
    leave = np.empty(len(excess))
    states = range(len(excess) - 1, -1, -1)
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

    Attributes
    ----------
    begin : tuple of int
        The players' states at the beginning of the match.
    """

    def __init__(self, game, first, second):
        self.game, self.outcomes = game, [first, second]
        self.begin = first.begin, second.begin
        self.penalties = bool(costs_points(first).any() or costs_points(second).any())

    def probabilities(self, outcome):
        """The probabilities of one outcome of a turn, for example "finish", a pair of arrays."""
        pairs = zip(self.outcomes, self.outcomes[::-1], strict=True)
        return [np.repeat(getattr(mine, outcome), theirs.memory, axis=1) for mine, theirs in pairs]

    def wins(self):
        """The probabilities that a turn finishes, and that its player wins then, a pair of arrays."""
        pairs = []
        for seat, (mine, theirs) in enumerate((self.outcomes, self.outcomes[::-1])):
            if self.answered(seat):
                fails = 1.0 - theirs.last_turn.reshape(-1, theirs.memory, theirs.last_turn.shape[1])
                won = np.einsum("nmk,msk->nms", mine.lead, fails)
                pairs.append(won.reshape(len(won), -1))
            else:
                pairs.append(np.repeat(mine.finish, theirs.memory, axis=1))
        return pairs

    def answered(self, seat):
        """Whether the other player has a last turn after a finish by a player."""
        return self.game.finish == "last licks" or (self.game.finish == "equal turns" and seat == 0)

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
        reached[0][self.begin] = True
        mark_states(*self.outcomes, *reached, True)
        return reached

    def win_probability(self):
        """The probability that player 1 wins, endless play counting half; see :meth:`solve`."""
        (mine, theirs), (_, finish) = self.wins(), self.probabilities("finish")
        return self.solve(mine, finish - theirs, self.ending(), 0.5)

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
        (back_1, column_1), (back_2, column_2) = (
            led_back_to(outcomes) for outcomes in self.outcomes
        )
        split, states = len(u_2) * len(back_1), len(u_2) + len(u_1)
        size = split + len(u_1) * len(back_2)  # of z, the values after resets and penalties

        def after_resets(z, c_1=0.0, c_2=0.0, fixed=0.0):
            """M·z + b; without constants, M·z."""
            c_1, c_2 = (
                np.ascontiguousarray(np.broadcast_to(c, u.shape), float)
                for c, u in ((c_1, u_1), (c_2, u_2))
            )
            z_1 = z[:split].reshape(len(u_2), -1)
            z_2 = z[split:].reshape(len(u_1), -1)
            solve_pairs(
                *self.outcomes, c_1, c_2, z_1, z_2, column_1, column_2, *live, fixed, u_1, u_2
            )
            return np.append(u_2[:, back_1], u_1[:, back_2])

        def distance(z):
            return np.abs(after_resets(z, c_1, c_2, fixed) - z).max()

        z = np.zeros(size)
        residual = 0.0
        resets = 0.0
        scale = 0.0
        if self.game.resets or self.penalties:
            ends_first = after_resets(
                z, *self.probabilities("finish"), 1.0
            )  # the match ends before the next reset
            constant = after_resets(z, c_1, c_2, fixed)
            system = LinearOperator((size, size), matvec=lambda z: z - after_resets(z), dtype=float)
            with np.errstate(all="ignore"):
                resets = min(1 / ends_first.min(), FOREVER)
                if self.penalties:
                    z = refine(lambda z: after_resets(z, c_1, c_2, fixed) - z, system, constant)
                else:
                    z = gmres(system, constant, rtol=1e-15, restart=size)[0]
                residual, scale = distance(z), np.abs(z).max() or 1.0
            if (
                not residual / scale * (1 + resets) + ROUNDING * resets <= 0.1 * ACCURACY
                and size <= ELIMINATED
            ):
                matrix = np.column_stack([after_resets(unit) for unit in np.eye(size)])
                z, resets = eliminate(matrix, ends_first, constant), 0.0
                residual = distance(z)
            residual /= scale
        after_resets(z, c_1, c_2, fixed)
        if resets == 0.0:  # sums of terms without cancellation, as accurate as the terms
            scale = abs(u_1[self.begin]) - min(np.min(c_1), np.min(c_2), 0.0)
        return (
            u_1,
            u_2,
            residual,
            scale * (residual * (1 + resets) + ROUNDING * (states**0.5 + resets)),
        )

    def visits(self, start_1, start_2, live):
        """How often a match is expected to be in each state, at the start of a turn, by the equations (4).

        Parameters
        ----------
        start_1, start_2 : ndarray
            The probabilities of the states in which the match starts.
        live : pair of ndarray of bool
            The states in which the match goes on; all others are its end.

        Returns
        -------
        v_1, v_2 : ndarray
        """
        (back_1, column_1), (back_2, column_2) = (
            led_back_to(outcomes) for outcomes in self.outcomes
        )
        (states_1, states_2), split = start_1.shape, start_1.shape[1] * len(back_1)

        def add_up(z, *starts):
            """The visits from some starts and the flows z of resets and penalties; and what returns of them."""
            v_1, v_2 = (start.copy() for start in starts)
            v_2[:, back_1] += z[:split].reshape(states_2, -1)
            v_1[:, back_2] += z[split:].reshape(states_1, -1)
            returned = np.zeros((states_2, len(back_1))), np.zeros((states_1, len(back_2)))
            add_up_visits(*self.outcomes, column_1, column_2, *live, v_1, v_2, *returned)
            return v_1, v_2, np.append(*returned)

        nothing = (np.zeros_like(start_1), np.zeros_like(start_2))
        z = np.zeros(split + states_1 * len(back_2))
        if self.game.resets or self.penalties:
            system = LinearOperator(
                (len(z),) * 2, matvec=lambda z: z - add_up(z, *nothing)[2], dtype=float
            )
            z = refine(
                lambda z: add_up(z, start_1, start_2)[2] - z, system, add_up(z, start_1, start_2)[2]
            )
        return add_up(z, start_1, start_2)[:2]


def refine(change, system, gap):
    """Solve change(z) = 0 as far as rounding allows. `gap` is change(0); a step of z changes it by -system·step."""
    z, size = np.zeros(len(gap)), np.abs(gap).max()
    for _ in range(ROUNDS):
        better = z + gmres(system, gap, rtol=REFINED, restart=RESTART, maxiter=RESTARTS)[0]
        gap = change(better)
        before, size = size, np.abs(gap).max()
        if not size < before:
            break
        z = better
        if size > before / 2:
            break
    return z


def costs_points(outcomes):
    """By own state, whether a bust leads to a lower score, an array of bool."""
    return (
        outcomes.after_bust // outcomes.step < np.arange(len(outcomes.after_bust)) // outcomes.step
    )


def led_back_to(outcomes):
    """The states that resets and penalties lead to, sorted; and the place of each among them, -1 for other states."""
    penalties = outcomes.after_bust[costs_points(outcomes)]
    back = np.unique(np.append(penalties, outcomes.begin))
    column = np.full(len(outcomes.after_bust), -1)
    column[back] = range(len(back))
    return back, column
