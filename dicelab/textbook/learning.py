"""Learning without the rules: tables of action values, learned by playing against oneself.

The learner sees scores and who has won; of the die it knows nothing. It plays both sides of a race with one table. A
state is (own score, opponent's score, turn total), always of the player to move; Q(s, a) is what the mover's chances to
win seem to be after the action a, hold or roll. To pass the die turns v into 1 - v; to reach the target is worth 1.
With s' the state that follows, and a' what is then done, every action moves its value,

    Q(s, a) ← Q(s, a) + α·(G - Q(s, a)),     α = step / n**decay at the n-th update of the pair, towards

"q"      G = max Q(s', ·), or 1 - max Q(s', ·) if the die was passed: Q-learning (Watkins and Dayan 1992; Sutton and
         Barto 2018, equation 6.8), for two players in turn (Littman 1994);
"sarsa"  G = Q(s', a'), or 1 - Q(s', a'): temporal differences for control (Sutton and Barto, equation 6.7). With a
         policy to follow and no exploration it is TD(0) (ibid., section 6.1, equation 6.2);
"mc"     G = 1 if the mover won the game in the end, else 0, after the game, for the first visit of each pair: Monte
         Carlo control (ibid., section 5.4), and with a policy to follow Monte Carlo prediction (section 5.1).

`action_values` says what there is to be learned; it does know the rules. The learners' loop, run some ten million times
in a lecture, is the only compiled code among the textbook solvers.
"""

from dataclasses import dataclass, field

import numpy as np

from ..doors import as_flag, as_items, as_one_of, as_real, as_score, as_whole, refusal
from ..games import Game, as_game
from ..memory import check_memory
from ..players import as_player, followed
from ..policies import Policy, table_shape
from ..turn import compiled

__all__ = ["GreedyPolicy", "Learned", "action_values", "learn"]

METHODS = "mc", "sarsa", "q"
HOLD, ROLL, MONTE_CARLO, Q_LEARNING = 0, 1, METHODS.index("mc"), METHODS.index("q")


@compiled
def choose(random, q, follow, state, exploration):
    """Hold or roll: now and then by a coin, else what the policy says or what seems better; ties hold."""
    i, j, k = state
    if k == 0:
        return ROLL
    if exploration > 0 and random.random() < exploration:
        return ROLL if random.random() < 0.5 else HOLD
    if follow.size:
        return ROLL if follow[i, j, k] else HOLD
    return ROLL if q[i, j, k, ROLL] > q[i, j, k, HOLD] else HOLD


@compiled
def play(random, below, method, first, last, settings, follow, q, updates, seen, pairs, movers):
    """Play the games `first` to `last` - 1, changing `q` and `updates`; `below` cumulates the chances of the faces."""
    exploration, step, decay, anywhere = settings
    target, table, counts = len(q), q.ravel(), updates.ravel()
    for game in range(first, last):
        state, action, player, length, won = (0, 0, 0), ROLL, 0, 0, False
        if anywhere:
            own = int(random.random() * target)
            state = own, int(random.random() * target), int(random.random() * (target - own))
            action = choose(random, q, follow, state, 1.0)
        while not won:
            i, j, k = state
            after, passes, goal, then = (j, i + k, 0), True, 1.0, ROLL  # so far, of a hold
            if action == ROLL:
                u, face = random.random(), 0
                while u >= below[face]:
                    face += 1
                after, passes = ((i, j, k + face), False) if face else ((j, i, 0), True)
                won = face > 0 and i + k + face >= target
            if not won:
                then = choose(random, q, follow, after, exploration)
                goal = q[after][then]
                if method == Q_LEARNING and after[2] > 0:
                    goal = max(q[after][HOLD], q[after][ROLL])
                if passes:
                    goal = 1.0 - goal
            pair = ((i * target + j) * target + k) * 2 + action  # in `table` and `counts`
            if method != MONTE_CARLO:
                counts[pair] += 1
                table[pair] += step * counts[pair] ** -decay * (goal - table[pair])
            elif seen[pair] != game:
                seen[pair], pairs[length], movers[length] = game, pair, player
                length += 1
            if not won:
                state, action, player = after, then, 1 - player if passes else player
        for t in range(length):
            pair, goal = pairs[t], 1.0 if movers[t] == player else 0.0
            counts[pair] += 1
            table[pair] += step * counts[pair] ** -decay * (goal - table[pair])


@dataclass(frozen=True, eq=False)
class GreedyPolicy(Policy):
    """What seems better in a table of action values, (target, target, target, 2) as in `Learned`; ties hold."""

    game: Game
    table_of: np.ndarray = field(repr=False)

    def decisions(self, game, own, opponent, memory=0):
        """See :meth:`Policy.decisions`; ValueError for another game than the one that was learned."""
        if as_game(game) != self.game:
            raise ValueError(f"game: {game.name} to {game.target} is not the game that was learned, {self.game}")
        own, opponent = as_score(own, "own", game.target), as_score(opponent, "opponent", game.target)
        hold, roll = self.table_of[own, opponent, : game.target - own].T
        return ((roll > hold) | (np.arange(len(roll)) == 0))[None]


@dataclass(frozen=True, eq=False)
class Learned:
    """What a learner knew, and when.

    Attributes
    ----------
    game, method, games, seed : as given to :func:`learn`
    checkpoints : tuple of int, after how many games the table was copied; the last is `games`
    tables : ndarray (checkpoints, target, target, target, 2)
        Action values by own score, opponent's score, turn total, and action: 0 hold, 1 roll.
    updates : ndarray of int, (target, target, target, 2), how often each was updated in all games
    """

    game: Game
    method: str
    games: int
    seed: int
    checkpoints: tuple
    tables: np.ndarray = field(repr=False)
    updates: np.ndarray = field(repr=False)

    def table(self, games=None):
        """The action values after so many games, by default all; ValueError unless that is one of the checkpoints."""
        if games is not None and games not in self.checkpoints:
            raise refusal("games", games, f"one of the checkpoints, {self.checkpoints}")
        return self.tables[-1 if games is None else self.checkpoints.index(games)]

    def values(self, games=None):
        """What the start of a turn seems to be worth to the mover, ndarray (target, target); see :meth:`table`."""
        return self.table(games)[:, :, 0, ROLL]

    def policy(self, games=None):
        """The greedy policy after so many games, for ``dl.evaluate`` or ``dl.simulate``; see :meth:`table`."""
        return GreedyPolicy(self.game, self.table(games))


def _faces(game):
    """The chances of the faces 0 (bust), 1, …; an error if `game` cannot be learned."""
    outcomes = as_game(game).modes[0].outcomes
    if len(game.modes) > 1 or game.resets or game.finish != "reach" or any(len(o.choices) > 1 for o in outcomes):
        raise NotImplementedError(f"game: {game.name}: only generalized Pig, finish='reach', can be learned")
    chances = np.zeros(game.most_points + 1)
    for outcome in outcomes:
        chances[outcome.choices[0].points if outcome.choices else 0] += float(outcome.probability)
    return chances


def learn(
    game, method="q", games=100_000, seed=1, *, exploration=0.1, step=1.0, decay=0.8, initial=0.5, follow=None,
    exploring_starts=False, checkpoints=(),
):  # fmt: skip
    """Learn to play by playing against oneself; the methods are on the module's page.

    Parameters
    ----------
    game : Game, generalized Pig: one mode, no choices, no resets, ``finish="reach"``
    method : {"q", "sarsa", "mc"}
    games, seed : int, at least 1 and 0. Up to a checkpoint, more games change nothing.
    exploration : float in [0, 1], the chance that a coin decides between hold and roll
    step, decay : float
        In (0, 1] and [0, 1]. ``step=1, decay=1`` makes an action value the mean of all that was seen, ``decay=0`` is a
        constant step. Convergence needs 1/2 < decay ≤ 1 (Watkins and Dayan 1992), and every pair again and again.
    initial : float in [0, 1], what all action values are at first; 1 is optimistic
    follow : Policy, optional
        What is played where no coin decides; by default what seems better in the table. It may have no memory.
    exploring_starts : bool
        Whether games start in a random state with a random action (Sutton and Barto 2018, section 5.3), not at 0 : 0.
    checkpoints : sequence of int
        Increasing numbers of games after which the table is copied; in any case it is in the end.

    Returns
    -------
    Learned

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or all decisions take more than 1 GiB.
    NotImplementedError
        If the game is not generalized Pig.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import piglet
    >>> round(float(learn(piglet(3), "mc", 50_000, decay=1).values()[0, 0]), 2)  # 6/11 in truth
    0.55
    """
    below, shape = np.append(_faces(game).cumsum()[:-1], np.inf), (*[game.target] * 3, 2)
    as_one_of(method, "method", METHODS)
    games, seed = as_whole(games, "games", 1, 2**62), as_whole(seed, "seed", 0)
    settings = as_real(exploration, "exploration", 0, 1), as_real(step, "step", 0, 1, above=True)
    settings += as_real(decay, "decay", 0, 1), as_flag(exploring_starts, "exploring_starts")
    if follow is not None and (not isinstance(follow, Policy) or as_player(follow, "follow").memory > 1):
        raise refusal("follow", follow, "a Policy without memory, for example hold_at(20)")
    allowed = f"increasing numbers of games up to {games}"
    marks = [as_whole(mark, "checkpoints", 1) for mark in as_items(checkpoints, "checkpoints", allowed)]
    if marks != sorted(set(marks)) or max(marks, default=0) > games:
        raise refusal("checkpoints", marks, allowed)
    marks += [games] if games not in marks else []
    table_shape(game)
    size = 16 * game.target**3 * (2 * len(marks) + (5 if method == "mc" else 2))
    check_memory(size, f"learning {game.name} to {game.target}", "take a smaller target, or fewer checkpoints")
    q, updates = np.full(shape, as_real(initial, "initial", 0, 1)), np.zeros(shape, dtype=np.int64)
    seen = np.full(q.size if method == "mc" else 0, -1)
    tables, visits = [], (seen, np.empty_like(seen), np.empty_like(seen))
    decided = np.zeros((0, 0, 0), dtype=bool)
    if follow is not None:
        decided = followed(game, follow=follow)[0].table(game)[:, :, 0].copy()
    random = np.random.Generator(np.random.PCG64(seed))
    for first, last in zip([0, *marks], marks, strict=False):
        play(random, below, METHODS.index(method), first, last, settings, decided, q, updates, *visits)
        tables.append(q.copy())
    return Learned(game, method, games, seed, tuple(marks), np.array(tables), updates)


def action_values(game, exploration=0.0, tolerance=1e-14):
    """What there is to be learned: the exact action values, by value iteration, with the rules.

    V(s) = (1 - ε)·max Q(s, ·) + ε·(Q(s, hold) + Q(s, roll))/2, and Q(s, roll) at the start of a turn. With exploration
    ε = 0 that is the optimum, what Q-learning looks for; else the best that both can do while a coin makes the share ε
    of all decisions, as for Sarsa and Monte Carlo control (Sutton and Barto 2018, section 5.4). Sweeps end when nothing
    changes by more than `tolerance`. Returns an ndarray as ``Learned.tables[0]``, nan where there is no such decision;
    errors as :func:`learn`.
    """
    chances, share, target = _faces(game), as_real(exploration, "exploration", 0, 1), game.target
    tolerance = as_real(tolerance, "tolerance", 1e-15, 1)
    check_memory(40 * target**3, f"all action values of {game.name} to {target}", "take a smaller target")
    own, other = np.indices((target, target))
    q, value, change = np.full((target, target, target, 2), np.nan), np.full((target,) * 3, 0.5), np.inf
    while change > tolerance:
        before = value.copy()
        for k in range(target - 1, -1, -1):
            i, j = own[: target - k], other[: target - k]
            q[i, j, k, ROLL] = chances[0] * (1 - value[j, i, 0])
            for face in range(1, len(chances)):
                goes_on = value[i, j, min(k + face, target - 1)]
                q[i, j, k, ROLL] += chances[face] * np.where(i + k + face >= target, 1.0, goes_on)
            q[i, j, k, HOLD] = 1 - value[j, i + k, 0] if k else np.nan
            best, mean = (q[i, j, k].max(-1), q[i, j, k].mean(-1)) if k else [q[i, j, k, ROLL]] * 2
            value[i, j, k] = (1 - share) * best + share * mean
        change = np.abs(value - before).max()
    return q
