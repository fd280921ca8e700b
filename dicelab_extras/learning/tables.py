"""Learning without the rules, in tables: Q-learning, Sarsa, Monte Carlo control and others, by playing against oneself.

The learner sees the scores and the winner, but does not know the probabilities of the die. It plays both sides of a
race with one table of action values. A state is (own score, opponent's score, turn total), always of the player to
move, and Q(s, a) estimates the mover's probability to win after the action a, hold or roll. Passing the die turns a
value v into 1 - v, and reaching the target has the value 1. Let s' be the next state and a' the action taken there.
After every action the learner updates

    Q(s, a) ← Q(s, a) + α·(G - Q(s, a)),     α = learning_rate / n**decay at the n-th update of the pair (s, a),

with one of these targets G. If the die was passed, each of the values of s' is subtracted from 1.

"q"               G = max Q(s', ·): Q-learning (Watkins and Dayan 1992; Sutton and Barto 2018, equation 6.8), for two
                  alternating players (Littman 1994).
"sarsa"           G = Q(s', a'): temporal-difference control (Sutton and Barto, equation 6.7). With a given behaviour
                  policy and ε = 0 this is TD(0) prediction (section 6.1, equation 6.2).
"expected_sarsa"  G = Σ π(a | s') Q(s', a), where π is the behaviour policy with its random actions: the mean of Sarsa's
                  target over a' (equation 6.9). It has the same limit and less noise.
"double_q"        G = Q₂(s', argmax Q₁(s', ·)) for an update of Q₁: double Q-learning (van Hasselt 2010; equation 6.10).
                  There are two tables. A coin says at each update which of them is Q₁, and both together decide. The
                  action values are their mean.
"mc"              G = 1 if the mover won the game, else 0; updated after the game, for the first visit of each pair:
                  Monte Carlo control (section 5.4). With a given behaviour policy this is Monte Carlo prediction
                  (section 5.1).

`action_values` computes the exact action values, for comparison, and does use the rules. The loops run some ten million
times in a lecture. They, and those of :mod:`.features`, are the only compiled code of the textbook.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dicelab._compile import compiled
from dicelab._recorded import record_policies
from dicelab._validation import (
    check_bool,
    check_int,
    check_option,
    check_sequence,
    invalid,
)
from dicelab.games.model import Game, check_game
from dicelab.policies import Policy, check_policy, decisions_shape
from dicelab.rules_of_thumb import Rule

from .checks import check_real

__all__ = [
    "HOLD",
    "ROLL",
    "AtCheckpoints",
    "GreedyHolds",
    "Learned",
    "action_values",
    "copies_at",
    "cumulative_probabilities",
    "deal",
    "learn",
]

METHODS = "mc", "sarsa", "q", "expected_sarsa", "double_q"
HOLD, ROLL = 0, 1
MONTE_CARLO, SARSA, Q_LEARNING, EXPECTED_SARSA, DOUBLE_Q = range(len(METHODS))


@compiled
def deal(random, cumulative, target, state, action):
    """The environment: the next state, whether the die is passed, and whether the mover has won."""
    i, j, k = state
    if action == HOLD:
        return (j, i + k, 0), True, False
    u, face = random.random(), 0
    while u >= cumulative[face]:
        face += 1
    if face == 0:
        return (j, i, 0), True, False  # a bust
    if face == len(cumulative) - 1:
        return (j, 0, 0), True, False  # a reset
    return (i, j, k + face), False, i + k + face >= target


@compiled
def greedy(one, other, state):
    """The action with the larger sum of the values in two tables; ties hold, and a turn begins with a roll."""
    roll = one[state][ROLL] + other[state][ROLL]
    hold = one[state][HOLD] + other[state][HOLD]
    return ROLL if state[2] == 0 or roll > hold else HOLD


@compiled
def epsilon_greedy(random, one, other, behaviour, state, epsilon):
    """The action in a state: random with probability epsilon, else that of the behaviour policy, by default greedy."""
    if state[2] == 0:
        return ROLL
    if epsilon > 0 and random.random() < epsilon:
        return ROLL if random.random() < 0.5 else HOLD
    if behaviour.size:
        return ROLL if behaviour[state] else HOLD
    return greedy(one, other, state)


@compiled
def chance_to_roll(one, other, behaviour, state, epsilon):
    """The probability with which :func:`epsilon_greedy` rolls."""
    if state[2] == 0:
        return 1.0
    rolls = behaviour[state] if behaviour.size else greedy(one, other, state) == ROLL
    return (1 - epsilon) * rolls + epsilon / 2


@compiled
def play_games(
    random,
    cumulative,
    method,
    settings,
    behaviour,
    updates,
    seen,
    first,
    last,
    tables,
):
    """Play the games `first` to `last` - 1, and change `tables` and `updates`.

    `cumulative` holds the cumulative probabilities of the faces, and the reset as the last. There is one table, or two
    of double Q-learning. Monte Carlo records in `seen` the last game in which each pair (s, a) occurred.
    """
    epsilon, learning_rate, decay, exploring_starts = settings
    target = tables.shape[1]
    values = tables.ravel()
    counts = updates.ravel()
    q, other = tables[0], tables[-1]  # the same, if there is one
    for game in range(first, last):
        state = (0, 0, 0)
        action = ROLL
        player = 0
        visits = []  # of Monte Carlo: pairs, and who moved
        won = False
        if exploring_starts:
            own = int(random.random() * target)
            state = own, int(random.random() * target), int(random.random() * (target - own))
            action = epsilon_greedy(random, q, other, behaviour, state, 1.0)
        while not won:
            after, passes, won = deal(random, cumulative, target, state, action)
            next_action = (
                ROLL if won else epsilon_greedy(random, q, other, behaviour, after, epsilon)
            )
            table = 0
            if method == DOUBLE_Q and random.random() < 0.5:
                table = 1
            # the target G of the update
            td_target = 1.0
            if not won:
                if method == SARSA:
                    td_target = q[after][next_action]
                elif method == EXPECTED_SARSA:
                    pi = chance_to_roll(q, q, behaviour, after, epsilon)
                    td_target = pi * q[after][ROLL] + (1 - pi) * q[after][HOLD]
                elif method == Q_LEARNING:
                    td_target = q[after][greedy(q, q, after)]
                elif method == DOUBLE_Q:
                    td_target = tables[1 - table][after][
                        greedy(tables[table], tables[table], after)
                    ]
                if passes:
                    td_target = 1.0 - td_target
            # the update Q(s, a) ← Q(s, a) + α·(G - Q(s, a)); Monte Carlo waits for the end of the game
            i, j, k = state
            # The index in `values` and `counts`.
            pair = (((table * target + i) * target + j) * target + k) * 2 + action
            if method != MONTE_CARLO:
                counts[pair] += 1
                values[pair] += learning_rate * counts[pair] ** -decay * (td_target - values[pair])
            elif seen[pair] != game:
                seen[pair] = game
                visits.append((pair, player))
            if not won:
                state, action, player = after, next_action, 1 - player if passes else player
        for pair, mover in visits:
            outcome = 1.0 if mover == player else 0.0
            counts[pair] += 1
            values[pair] += learning_rate * counts[pair] ** -decay * (outcome - values[pair])


@dataclass(frozen=True, eq=False)
class GreedyHolds:
    """Whether holding has at least the action value of rolling, `q` as in `Learned`; a turn begins with a roll."""

    q: np.ndarray

    def __call__(self, own, opponent, total, target):
        """Whether to hold; ValueError for another target than the one that was learned."""
        if target not in (None, len(self.q)):
            raise ValueError(
                f"game: this policy was learned for target {len(self.q)}, not for {target}"
            )
        return (total > 0) & (
            self.q[own, opponent, total, HOLD] >= self.q[own, opponent, total, ROLL]
        )


@dataclass(frozen=True, eq=False)
class AtCheckpoints:
    """What a learner knew at each checkpoint: the base class of results, which define `action_values`."""

    game: Game
    method: str
    games: int
    seed: int
    checkpoints: tuple

    def copy_after(self, games, copies):
        """The one of some copies that was made after so many games; ValueError if `games` is not a checkpoint."""
        if games is not None and games not in self.checkpoints:
            raise invalid("games", games, f"one of the checkpoints, {self.checkpoints}")
        return copies[-1 if games is None else self.checkpoints.index(games)]

    def policy(self, games: int | None = None) -> Rule:
        """The greedy policy, a Rule that takes the larger action value, or preference of REINFORCE; ties hold.

        See :meth:`action_values`.
        """
        return Rule(
            f"greedy after {games or self.games} games", GreedyHolds(self.action_values(games))
        )


@dataclass(frozen=True, eq=False)
class Learned(AtCheckpoints):
    """The action values that a learner had at each checkpoint.

    Attributes
    ----------
    game : Game
    method : str
    games, seed : int
        As given to :func:`learn`.
    checkpoints : tuple of int
        The numbers of games after which the action values were copied; the last is `games`.
    q : ndarray (checkpoints, target, target, target, 2)
        Action values by own score, opponent's score, turn total, and action: 0 hold, 1 roll.
    updates : ndarray of int, (target, target, target, 2)
        The number of updates of each action value in all games.

    Examples
    --------
    >>> from dicelab import piglet
    >>> learned = learn(piglet(3), games=1000, checkpoints=[100])
    >>> learned.checkpoints, learned.q.shape
    ((100, 1000), (2, 3, 3, 3, 2))
    """

    q: np.ndarray = field(repr=False)
    updates: np.ndarray = field(repr=False)

    def action_values(self, games: int | None = None) -> np.ndarray:
        """The action values after so many games, by default all; ValueError if `games` is not a checkpoint."""
        return self.copy_after(games, self.q)

    def values(self, games: int | None = None) -> np.ndarray:
        """The value to the mover at the start of a turn, ndarray (target, target); see :meth:`action_values`."""
        return self.action_values(games)[:, :, 0, ROLL]


def _face_probabilities(game):
    """The probabilities of the faces 0 (bust), 1, …, and of a reset; NotImplementedError if it cannot be learned."""
    outcomes = check_game(game, last_turn=False, registers=False).modes[0].changes
    if (
        len(game.modes) > 1
        or game.finish != "reach"
        or any(len(outcome.choices) > 1 for outcome in outcomes)
    ):
        said = "only games with one mode, no choices and finish='reach', as Pig and two-dice Pig, can be learned"
        raise NotImplementedError(f"game: {game.name}: {said}")
    probabilities = np.zeros(game.most_points + 2)
    for outcome in outcomes:
        face = (
            outcome.choices[0].points
            if outcome.choices
            else {"bust": 0, "reset": -1}[outcome.result]
        )
        probabilities[face] += float(outcome.probability)
    return probabilities


def cumulative_probabilities(game):
    """The cumulative probabilities of the faces 0 (bust), 1, …, and of a reset, for :func:`deal`."""
    probabilities = _face_probabilities(game)
    cumulative = probabilities.cumsum()
    # Whatever the rounding, there is no face beyond.
    cumulative[np.flatnonzero(probabilities)[-1] :] = np.inf
    return cumulative


def copies_at(checkpoints, games, play, learned):
    """Copies of what is learned, an array, after each number of games, and these numbers, the last one `games`.

    ``play(first, last, learned)`` changes what is learned.
    """
    allowed = f"increasing numbers of games up to {games}"
    marks = [
        check_int(mark, "checkpoints", 1)
        for mark in check_sequence(checkpoints, "checkpoints", allowed)
    ]
    if marks != sorted(set(marks)) or max(marks, default=0) > games:
        raise invalid("checkpoints", marks, allowed)
    marks = marks if games in marks else [*marks, games]
    copies = []
    for first, last in zip([0, *marks], marks, strict=False):
        play(first, last, learned)
        copies.append(learned.copy())
    return tuple(marks), np.array(copies)


def learn(
    game: Game,
    method: str = "q",
    games: int = 100_000,
    seed: int = 1,
    *,
    epsilon: float = 0.1,
    learning_rate: float = 1.0,
    decay: float = 0.8,
    initial: float = 0.5,
    behaviour: Policy | None = None,
    exploring_starts: bool = False,
    checkpoints: Sequence[int] = (),
) -> Learned:
    """Learn to play by playing against oneself; the module's docstring gives the methods.

    Parameters
    ----------
    game : Game
        One mode, no choices, ``finish="reach"``: generalized Pig, or two-dice Pig.
    method : {"q", "sarsa", "expected_sarsa", "double_q", "mc"}
    games, seed : int
        At least 1 and 0. The first games are the same whatever the total number of games.
    epsilon : float
        The probability in [0, 1] of a random action.
    learning_rate, decay : float
        In (0, 1] and [0, 1]. With ``learning_rate=1, decay=1`` an action value is the mean of its targets, and with
        ``decay=0`` the learning rate is constant. Convergence needs 1/2 < decay ≤ 1 and infinitely many updates of
        every pair (Watkins and Dayan 1992).
    initial : float
        The initial value of all action values, in [0, 1]; 1 is optimistic.
    behaviour : Policy, optional
        The behaviour policy for all actions that are not random; by default the greedy policy. It may have no memory.
    exploring_starts : bool
        Whether games start in a random state with a random action (Sutton and Barto 2018, section 5.3), not at 0 : 0.
    checkpoints : sequence of int
        Increasing numbers of games after which the action values are copied. They are always copied at the end.

    Returns
    -------
    Learned

    Raises
    ------
    ValueError
        If an argument is not as described.
    NotImplementedError
        If the game is another one.

    Examples
    --------
    >>> from dicelab import piglet
    >>> round(float(learn(piglet(3), "mc", 50_000, decay=1).values()[0, 0]), 2)  # the exact value is 6/11
    0.55
    """
    cumulative = cumulative_probabilities(game)
    check_option(method, "method", METHODS)
    games, seed = check_int(games, "games", 1, 2**62), check_int(seed, "seed", 0)
    settings = (
        check_real(epsilon, "epsilon", 0, 1),
        check_real(learning_rate, "learning_rate", 0, 1, above=True),
        check_real(decay, "decay", 0, 1),
        check_bool(exploring_starts, "exploring_starts"),
    )
    decisions = np.zeros((0, 0, 0), dtype=bool)
    if behaviour is not None:
        if not isinstance(behaviour, Policy) or check_policy(behaviour, "behaviour").memory > 1:
            raise invalid(
                "behaviour", behaviour, "a Policy without memory, for example hold_at(20)"
            )
        decisions = record_policies(game, behaviour=behaviour)[0].table(game)[:, :, 0].copy()
    shape = (2 if method == "double_q" else 1, *decisions_shape(game)[:2], game.target, 2)
    tables = np.full(shape, check_real(initial, "initial", 0, 1))
    updates = np.zeros(shape, dtype=np.int64)
    seen = np.full(tables.size if method == "mc" else 0, -1)
    random = np.random.Generator(np.random.PCG64(seed))
    given = random, cumulative, METHODS.index(method), settings, decisions, updates, seen
    marks, copies = copies_at(checkpoints, games, partial(play_games, *given), tables)
    return Learned(game, method, games, seed, marks, copies.mean(axis=1), updates.sum(axis=0))


def action_values(game: Game, epsilon: float = 0.0, tolerance: float = 1e-14) -> np.ndarray:
    """The exact action values, by value iteration with the rules.

    V(s) = (1 - ε)·max Q(s, ·) + ε·(Q(s, hold) + Q(s, roll))/2, and V(s) = Q(s, roll) at the start of a turn. With ε = 0
    these are the optimal values, to which Q-learning converges. With ε > 0 they are the best values if both players
    take random actions with probability ε, the limit of Sarsa and Monte Carlo control (Sutton and Barto 2018,
    section 5.4). Iteration stops when no value changes by more than `tolerance` in a sweep.

    Returns an ndarray as ``Learned.action_values()``, nan where the decision does not exist. Errors as :func:`learn`.

    Examples
    --------
    >>> from dicelab import piglet
    >>> round(float(action_values(piglet(3))[0, 0, 0, 1]), 6)
    0.545455
    """
    probabilities = _face_probabilities(game)
    target = decisions_shape(game)[0]
    epsilon, tolerance = (
        check_real(epsilon, "epsilon", 0, 1),
        check_real(tolerance, "tolerance", 1e-15, 1),
    )
    own, other = np.indices((target, target))
    q = np.full((target, target, target, 2), np.nan)
    value = np.full((target,) * 3, 0.5)
    change = np.inf
    while change > tolerance:
        before = value.copy()
        for k in range(target - 1, -1, -1):
            i, j = own[: target - k], other[: target - k]
            q[i, j, k, ROLL] = probabilities[0] * (1 - value[j, i, 0]) + probabilities[-1] * (
                1 - value[j, 0, 0]
            )
            for face in range(1, len(probabilities) - 1):
                after = value[i, j, min(k + face, target - 1)]
                q[i, j, k, ROLL] += probabilities[face] * np.where(
                    i + k + face >= target, 1.0, after
                )
            q[i, j, k, HOLD] = 1 - value[j, i + k, 0] if k else np.nan
            best, mean = (q[i, j, k].max(-1), q[i, j, k].mean(-1)) if k else [q[i, j, k, ROLL]] * 2
            value[i, j, k] = (1 - epsilon) * best + epsilon * mean
        change = np.abs(value - before).max()
    return q
