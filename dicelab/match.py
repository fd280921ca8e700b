"""One policy against another, exactly: win probability, number of turns, margin; and the best response to a policy.

Once both players' decisions are fixed, a turn at the scores i (own) and j ends in a hold at the score i' with
probability q(i'), in a bust with β, in a reset with ρ, at the target with the rest (:mod:`dicelab.ends`). So whatever
is expected of the rest of the match when player 1 is to move, u₁(i, j), and when player 2 is, u₂(j, i), is

    u₁(i, j) = c₁(i, j) + Σ q(i')·u₂(j, i') + β·u₂(j, i) + ρ·u₂(j, 0),

and likewise with the players exchanged: pairs of linear equations, solved backwards from the target like the races of
:mod:`dicelab.race`. With c₁ the probability to reach the target in this turn and c₂ = 0 it is the probability that
player 1 wins; with c = 1 the number of turns, m; with c the expected square of 1 + m' - m, m' being what remains after
the turn, its variance; with c₁ that probability times what the loser then needs, and c₂ the same with a minus sign, the
margin. The solution is made of sums, products and quotients of positive numbers, with 1 - β₁·β₂ = L₁ + L₂ - L₁·L₂ from
the probabilities L to leave the scores, so that no digits are lost where turns nearly always bust.

**Endless play.** From some scores no end can be reached, whatever is rolled: these are found on the graph of the
scores, and count as draws. If one of them can be reached from the start, the number of turns is infinite.

**Resets.** Then u₂(·, 0) and u₁(·, 0) are unknown when the pairs are solved. They solve linear equations of their own,
by GMRES (scipy's); how far they are off in the end, relatively, is the match's `residual`. It counts once for every
reset that is to be expected, and so do roundings; their number is at most one over the least chance that a match ends
before it is reset again. Where that would be too much, and there are not too many, they are solved by an elimination
that loses no digits. The match's `error` is an estimate; above 1e-12 it is refused.

The distribution of the number of turns follows the probabilities of all scores from turn to turn, until no more than
1e-15 is left in play.

**A best response** replaces player 1's linear equation by the turn operator; u₂ stays linear. With A what u₂(j, i) is
without a bust, x = f(A + β·x), convex in x, is solved by policy iteration from below. From scores at which player 2
surely busts and player 1 can wait, waiting is worth a draw, and the iteration begins there. With resets the policy is
evaluated as above, and the best response to what it leaves after resets is found anew, until nothing is gained: policy
iteration, too.
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
from .race import RESIDUAL_LIMIT, ROUNDING, TIE, TIME, ConvergenceError, decide, settle, stakes_of
from .turn import compiled, inlined, rules_of, walk

__all__ = ["Match", "best_response", "evaluate", "loss"]

MOST_POLICIES, SETTLED = 50, 2e-14
ELIMINATED = 1000  # equations for what resets leave that can be solved by elimination
MOST_TURNS = 20_000  # that a distribution of the number of turns lists
SETTLING = 1_000  # turns, after which what is left shrinks by a constant factor, nearly
ACCURACY = 1e-12  # of a result, relatively if it is more than 1
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
def solve_chain(ends_1, ends_2, c_1, c_2, reset_1, reset_2, live_1, live_2, drawn, u_1, u_2):
    """Fill `u_1` and `u_2` (see the module's page); a reset leaves ``reset_1[j]`` of player 1, ``reset_2[i]`` of 2.

    Holds lead to larger scores alone, so that states are solved from the largest on. States that are not `live` are
    worth `drawn`.
    """
    states_1, states_2 = u_1.shape
    memory_1, memory_2 = states_1 // ends_2.bust.shape[1], states_2 // ends_1.bust.shape[1]
    for i in range(states_1 - 1, -1, -1):
        for j in range(states_2 - 1, -1, -1):
            score_1, score_2 = i // memory_1, j // memory_2
            u_1[i, j], u_2[j, i] = drawn, drawn
            if not live_1[i, j] and not live_2[j, i]:
                continue
            leave_1, leave_2 = ends_1.leave[i, score_2], ends_2.leave[j, score_1]
            rest_1 = c_1[i, j] + ends_1.reset[i, score_2] * reset_1[j] + held(ends_1, i, score_2, memory_1, u_2, j)
            rest_2 = c_2[j, i] + ends_2.reset[j, score_1] * reset_2[i] + held(ends_2, j, score_1, memory_2, u_1, i)
            if not live_2[j, i]:
                u_1[i, j] = rest_1 + (1.0 - leave_1) * drawn
            elif not live_1[i, j]:
                u_2[j, i] = rest_2 + (1.0 - leave_2) * drawn
            else:
                u_1[i, j] = (rest_1 + (1.0 - leave_1) * rest_2) / (leave_1 + leave_2 - leave_1 * leave_2)
                u_2[j, i] = (rest_2 + (1.0 - leave_2) * rest_1) / (leave_1 + leave_2 - leave_1 * leave_2)


@compiled
def leads_to(ends, others, own, opponent, mine, theirs, forwards):
    """Look at one state: whether a turn in it may finish or lead to one of `theirs`; or, forwards, add those to them.

    Returns
    -------
    bool
        Whether it may; forwards, whether some were added.
    """
    memory, other = mine.shape[0] // others.bust.shape[1], theirs.shape[0] // ends.bust.shape[1]
    score, found = opponent // other, not forwards and ends.finish[own, opponent // other] > 0.0
    first, last = ends.window[own, score, 0], ends.window[own, score, 1]
    place, keeps = ends.start[own, score], min(own % memory + 1, memory - 1)
    for held_at in range(first - 2, last):
        to = held_at * memory + keeps
        if held_at == first - 2:
            chance, to = ends.reset[own, score], 0
        elif held_at == first - 1:
            chance, to = ends.bust[own, score], own
        else:
            chance = ends.hold[place + held_at - first]
        if chance > 0.0 and theirs[opponent, to] != forwards:
            theirs[opponent, to], found = True, True
        if found and not forwards:
            break
    return found


@compiled
def find_states(ends_1, ends_2, mine, theirs, forwards):
    """Mark the states from which an end can be reached; or, `forwards`, those that can be reached from marked ones."""
    more = True
    while more:
        more = False
        for k in range(mine.size):
            i = k // mine.shape[1] if forwards else mine.shape[0] - 1 - k // mine.shape[1]
            j = k % mine.shape[1] if forwards else mine.shape[1] - 1 - k % mine.shape[1]
            for _ in range(2):  # a bust leads to the other player's turn at the same scores
                if mine[i, j] == forwards and leads_to(ends_1, ends_2, i, j, mine, theirs, forwards):
                    mine[i, j] = more = True
                if theirs[j, i] == forwards and leads_to(ends_2, ends_1, j, i, theirs, mine, forwards):
                    theirs[j, i] = more = True


def _states(ends):
    """An array of bools for the states of either player to move, all False."""
    shape = len(ends[0].bust), len(ends[1].bust)
    return [np.zeros(shape, dtype=bool), np.zeros(shape[::-1], dtype=bool)]


def _ending(ends):
    """The states from which an end can be reached."""
    ending = _states(ends)
    find_states(*ends, *ending, False)
    return ending


def _reached(ends):
    """The states that can be reached from the start."""
    reached = _states(ends)
    reached[0][0, 0] = True
    find_states(*ends, *reached, True)
    return reached


def _expect(game, ends, c_1, c_2, live, drawn=0.0):
    """The solution of the equations on the module's page, states that are not `live` being worth `drawn`.

    Returns
    -------
    u_1, u_2 : ndarray
    residual : float
        How far off are the equations for what resets leave, relatively to the largest u; 0 without resets.
    error : float
        About how far off u may be.
    """
    u_1, u_2 = np.empty(live[0].shape), np.empty(live[1].shape)
    after_1, size = len(u_2), len(u_2) + len(u_1)

    def after_resets(z, c_1=0.0, c_2=0.0, drawn=0.0):
        c_1, c_2 = (np.ascontiguousarray(np.broadcast_to(c, u.shape), float) for c, u in ((c_1, u_1), (c_2, u_2)))
        solve_chain(*ends, c_1, c_2, z[:after_1], z[after_1:], *live, drawn, u_1, u_2)
        return np.append(u_2[:, 0], u_1[:, 0])

    def solve_resets(*constant, digits):
        system = LinearOperator((size, size), matvec=lambda z: z - after_resets(z), dtype=float)
        return gmres(system, after_resets(none, *constant), rtol=digits, restart=size)[0]

    def wide(name):
        """Chances of either player's turns, by the states of both."""
        pairs = zip(ends, ends[::-1], strict=True)
        return [np.repeat(getattr(m, name), len(o.bust) // m.bust.shape[1], axis=1) for m, o in pairs]

    none, residual, resets, scale = np.zeros(size), 0.0, 0.0, 0.0
    z = none
    if game.resets:
        over = after_resets(none, *wide("finish"), 1.0)  # chance that a match ends before it is reset again
        with np.errstate(all="ignore"):
            resets, z = min(1 / over.min(), FOREVER), solve_resets(c_1, c_2, drawn, digits=1e-15)
            off, scale = np.abs(after_resets(z, c_1, c_2, drawn) - z).max(), np.abs(z).max() or 1.0
        if not off / scale * (1 + resets) + ROUNDING * resets <= 0.1 * ACCURACY and size <= ELIMINATED:
            onward = np.column_stack([after_resets(unit) for unit in np.eye(size)])
            z, resets = eliminate(onward, over, after_resets(none, c_1, c_2, drawn)), 0.0
            off = np.abs(after_resets(z, c_1, c_2, drawn) - z).max()
        residual = off / scale
    after_resets(z, c_1, c_2, drawn)
    if resets == 0.0:  # nothing but sums: what is wanted is as exact as its parts
        scale = abs(u_1[0, 0]) - min(np.min(c_1), np.min(c_2), 0.0)
    return u_1, u_2, residual, scale * (residual * (1 + resets) + ROUNDING * (size**0.5 + resets))


def eliminate(onward, over, constant):
    """Solve z = onward·z + constant for chances `onward` that miss 1 by `over`, by rows, without a minus sign.

    Grassmann, Taksar and Heyman (1985): one state after the other is left out, those that it led to being reached at
    once. What leaves a state is added up, instead of taking what stays from 1, so that no digits are lost even if it is
    hardly ever left.
    """
    leaves, states = np.empty(len(over)), range(len(over) - 1, -1, -1)
    for k in states:
        leaves[k] = over[k] + onward[k, :k].sum()
        if leaves[k] == 0.0:  # a state that is never left, nor looked at
            continue
        part = onward[:k, k] / leaves[k]
        onward[:k, :k] += np.outer(part, onward[k, :k])
        over[:k] += part * over[k]
        constant[:k] += part * constant[k]
    z = np.zeros(len(over))
    for k in reversed(states):
        z[k] = (constant[k] + onward[k, :k] @ z[:k]) / leaves[k] if leaves[k] else 0.0
    return z


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
        Largest relative residual of the equations for what a reset leaves; 0 without resets.
    error : float
        About how far off `first_wins` may be; an estimate.
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
    error: float

    @cached_property
    def turns_mean(self):
        """Mean number of turns, both players' together."""
        return self._means[0]

    @cached_property
    def turns_sd(self):
        """Standard deviation of the number of turns, both players' together."""
        mean, *means, ends, live = self._means
        if not np.isfinite(mean):
            return np.nan
        squares = [np.empty(states.shape) for states in live]
        spread(ends[0], ends[1], *means, live[0], squares[0])
        spread(ends[1], ends[0], *means[::-1], live[1], squares[1])
        variance, _, _, error = _expect(self.game, ends, *squares, live)
        return float(_checked(self.game, variance[0, 0], error, max(mean, variance[0, 0])) ** 0.5)

    @cached_property
    def margin(self):
        """What the first player can expect to win, in points, the loser paying what the loser still needs."""
        ends, finish = _ends(self.game, (self.first, self.second))
        needs = [np.repeat(self.game.target - np.arange(self.game.target), p.memory) for p in (self.second, self.first)]
        parts = finish[0] * needs[0], -finish[1] * needs[1]
        margin, _, _, error = _expect(self.game, ends, *parts, _ending(ends))
        return float(_checked(self.game, margin[0, 0], error, self.game.target))

    @property
    def _means(self):
        """The mean number of turns from the start and from every state, how turns end, and the states that count."""
        ends, _ = _ends(self.game, (self.first, self.second))
        ending, live = _ending(ends), _reached(ends)
        if any((reached & ~ends).any() for reached, ends in zip(live, ending, strict=True)):
            return np.inf, None, None, None, None
        mean_1, mean_2, _, error = _expect(self.game, ends, 1.0, 1.0, live)
        return float(_checked(self.game, mean_1[0, 0], error, mean_1[0, 0])), mean_1, mean_2, ends, live

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
            If that would take more than 20,000 turns.
        """
        import pandas as pd

        ends, _ = _ends(self.game, (self.first, self.second))
        ending = _ending(ends)
        now = np.zeros((len(ends[0].bust), len(ends[1].bust)))  # by the states of the player to move and of the other
        now[0, 0], probabilities, left, endless = 1.0, [], 1.0, 0.0
        earlier = before = 1.0
        while left > LEFT:
            now, finished, stuck = pass_turn(*ends, now, ending[0])
            ends.reverse(), ending.reverse()
            probabilities.append(finished)
            endless += stuck
            earlier, before, left = before, left, now.sum()
            turn = len(probabilities)
            rest = MOST_TURNS - turn
            shrinks = np.log(earlier / left) / 2 if left > LEFT else np.inf  # over a turn of each
            if turn >= SETTLING and left > LEFT and np.log(left / LEFT) > rest * shrinks:
                raise ValueError(
                    f"a game of {self.game.name} lasts too long for a list of more than {MOST_TURNS:,} turns"
                )
        turns = pd.RangeIndex(1, len(probabilities) + 1, name="turns")
        series = pd.Series(probabilities, index=turns, name="probability")
        series.attrs |= {"left": left, "endless": endless}
        return series


def _checked(game, value, error, unit=1.0):
    """The value; ConvergenceError if it may be off by more than 1e-12 of `unit`."""
    if not 0 <= error <= ACCURACY * unit:
        raise ConvergenceError(f"{game.name}: float64 may be off by {error:.0e}, as resets are nearly certain")
    return value


@compiled
def spread(ends, others, mean, other_mean, live, squares):
    """Fill `squares` with the expected square of 1 + m' - m for a turn by the player with `ends`; see the page."""
    memory, other = live.shape[0] // others.bust.shape[1], live.shape[1] // ends.bust.shape[1]
    for own in range(live.shape[0]):
        for opponent in range(live.shape[1]):
            score, short = opponent // other, 1.0 - mean[own, opponent]
            squares[own, opponent] = 0.0
            if not live[own, opponent]:
                continue
            first, last = ends.window[own, score, 0], ends.window[own, score, 1]
            place, keeps = ends.start[own, score], min(own % memory + 1, memory - 1)
            total = ends.finish[own, score] * short**2
            total += ends.bust[own, score] * (short + other_mean[opponent, own]) ** 2
            total += ends.reset[own, score] * (short + other_mean[opponent, 0]) ** 2
            for held_at in range(first, last):
                after = other_mean[opponent, held_at * memory + keeps]
                total += ends.hold[place + held_at - first] * (short + after) ** 2
            squares[own, opponent] = total


@compiled
def pass_turn(ends, others, now, ending):
    """What a turn by the player with `ends` makes of the probabilities of the states, `now`.

    Returns
    -------
    after : ndarray
        The probabilities seen by the other player, who is to move then.
    finished, endless : float
        The probability to have finished, and to have been in a state from which there is no end.
    """
    states, opponents = now.shape
    memory, other = states // others.bust.shape[1], opponents // ends.bust.shape[1]
    after, finished, endless = np.zeros((opponents, states)), 0.0, 0.0
    for own in range(states):
        for opponent in range(opponents):
            mass, score = now[own, opponent], opponent // other
            if mass == 0.0:
                continue
            if not ending[own, opponent]:
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
        If what a reset leaves is off by more than 1e-13, relatively, or the result by about 1e-12.
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
    won, _, residual, error = _expect(game, ends, finish[0], 0.0, _ending(ends), 0.5)
    return Match(game, first, second, _checked(game, float(won[0, 0]), error), float(residual), float(error))


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
def respond(rules, stakes, ends, resets, values, after, value, leave, roll):
    """Fill `values`, u₁ of the best response to a player 2 whose turns end as in `ends`, and `after`, u₂.

    ``resets[0, j]`` is what player 1's reset leaves, ``resets[1, i]`` what player 2's does.

    Returns
    -------
    float
        Largest error of x = f(A + β·x).
    """
    target, worst, on = values.shape[0], 0.0, stakes.discount
    drawn, hold = 0.5 * stakes.both, np.empty(target)
    for i in range(target - 1, -1, -1):
        for j in range(target - 1, -1, -1):
            missing, leaves = target - i, ends.leave[j, i]
            if rules.hopeless[missing] and leaves == 0.0:
                values[i, j] = after[j, i] = drawn
                continue
            rest = ends.reset[j, i] * resets[1, i] + held(ends, j, i, 1, values, i)
            rest = (1.0 - on) * drawn + on * rest
            for r in range(1, missing):
                hold[r] = after[j, target - r]
            known = resets[0, j], stakes.finish[target - j], stakes.over
            x = drawn if leaves == 0.0 and rules.may_wait[missing] else 0.0
            while True:  # from below, the tangent of a convex function leads up to the solution, never beyond
                bust = rest + on * (1.0 - leaves) * x
                above, own = walk(rules, hold, bust, *known, missing, 1, value, leave, roll)
                away = (1.0 - on) + on * (own + leaves - own * leaves)
                gap = bust + above - x
                new = (above + own * bust + (1.0 - own) * rest) / away if away > 0.0 else x
                if new <= x + CLOSE:
                    break
                x = new
            worst = max(worst, abs(gap))
            values[i, j], after[j, i] = x, rest + on * (1.0 - leaves) * x
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
    target, ends, start = game.target, turn_ends(game, opponent), np.full(2 * game.target, 0.5)
    stakes, second = stakes_of(game, "win"), None
    if rules_of(game).may_stall and game.resets:
        hurried = stakes_of(game, "win", discount=1.0 - TIME)
        _, after, start, _ = _respond(game, hurried, ends, start)
        start = start.ravel()
        second = hurried, after
    values, after, resets, residual = _respond(game, stakes, ends, start)
    policy, error = OptimalPolicy(game, partial(decide, game, stakes, after, second)), ROUNDING * (2 * target) ** 0.5

    def achieved(policy):
        """What a policy achieves: u₁, what resets leave, and the error of both."""
        pair, finish = _ends(game, (policy, opponent))
        u_1, u_2, _, error = _expect(game, pair, finish[0], 0.0, _ending(pair), 0.5)
        return u_1, np.array([u_2[:, 0], u_1[:, 0]]), error

    if game.resets:
        for _ in range(MOST_POLICIES):
            strict = OptimalPolicy(game, partial(decide, game, stakes, after, second, tie=TIE if second else CLOSE))
            best, left, error = achieved(strict)
            off, resets = np.abs(resets - left).max(), left
            if off <= SETTLED:
                values, error = best, max(error, TIE / 2 if second else 0.0)  # actions within a tie count as equal
                break
            values, after = np.empty((2, target, target))
            residual = respond(rules_of(game), stakes, ends, resets, values, after, *scratch(rules_of(game), target))
        residual = max(residual, off)
        policy = OptimalPolicy(game, partial(decide, game, stakes, after, second))
        if not np.abs(achieved(policy)[0] - values).max() <= ACCURACY:  # ties count too often
            policy = strict
    if not residual <= RESIDUAL_LIMIT:
        raise ConvergenceError(f"{game.name}: the Bellman equation holds only to {residual:.1e}")
    _checked(game, error, error)
    return Solution(game, "win", values, policy, False, residual, error, against=opponent)


def _respond(game, stakes, ends, start):
    """What :func:`respond` finds, with what resets leave settled as far as that goes, beginning with `start`.

    Returns
    -------
    values, after : ndarray
    resets : ndarray (2, N)
    residual : float
    """
    target, residual = game.target, np.inf
    values, after = np.empty((2, target, target))
    arrays = scratch(rules_of(game), target)

    def change(resets):
        nonlocal residual
        within = np.clip(resets, 0.0, 1.0).reshape(2, target)
        residual = respond(rules_of(game), stakes, ends, within, values, after, *arrays)
        return np.append(after[:, 0], values[:, 0]) - resets

    step = change(start)
    resets = settle(change, start + step, game) if game.resets else start
    return values, after, np.clip(resets, 0.0, 1.0).reshape(2, target), residual
