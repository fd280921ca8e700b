"""Learning with features in place of a table: semi-gradient Sarsa and Q-learning, and REINFORCE, by self-play.

Games, states and targets are those of :mod:`learning`. The features x(s) of a state are tiles (Sutton and Barto 2018,
section 9.5.4). A tiling covers the cube of own score, opponent's score and turn total by cubes of `tile` points. Each
of several tilings is displaced against the others. A state lies in one tile of every tiling, and its features are 1 for
these tiles and 0 for all others. So states that are near to each other share what is learned. With one tiling and tiles
of one point there is a feature for every state, and this is a table.

`semi_gradient` approximates action values by Q(s, a) = w_a·x(s), and updates after every action (section 10.1,
equation 10.1)

    w_a ← w_a + α·(G - Q(s, a)) x(s),

with G = Q(s', a') for "sarsa" and G = max Q(s', ·) for "q"; if the die was passed, 1 - G. With "q" no theorem promises
convergence: function approximation, bootstrapping and learning off-policy come together (section 11.3).

`reinforce` has no action values but a randomized policy, the softmax of preferences h(s, a) = θ_a·x(s) (equations
13.2 and 13.3). After every game it updates, for all decisions of the game (Williams 1992; section 13.4),

    b ← b + β·(G - b·x(s)) x(s),
    θ ← θ + α·(G - b·x(s)) ∇ log π(a | s),    ∇_{θ_c} log π(a | s) = ([a = c] - π(c | s)) x(s),

where G = 1 if the player who decided has won, else 0, and the baseline b·x(s) estimates the value of the state. All
probabilities and baselines are those with which the game was played. Both players play the same policy, so that the
mean of the updates of θ without a baseline is α times the gradient of each player's win probability in this player's
own parameters, summed over both.

All learning rates are divided by the number of tilings, the number of features that are 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from dicelab._compile import compiled
from dicelab._validation import check_int, check_option
from dicelab.games.model import Game
from dicelab.policies import decisions_shape

from .checks import check_real
from .tables import (
    HOLD,
    ROLL,
    AtCheckpoints,
    copies_at,
    cumulative_probabilities,
    deal,
)

__all__ = ["LearnedByFeatures", "reinforce", "semi_gradient", "tile_coding"]

METHODS = "sarsa", "q"
SARSA, Q_LEARNING = range(len(METHODS))


def tile_coding(target, tilings, tile):
    """The tiles of all states.

    Returns an ndarray of int (3, tilings, target) and the number of tiles. The tile of a state (i, j, k) in tiling t
    has the number ``places[0, t, i] + places[1, t, j] + places[2, t, k]``. Tiling t is displaced by t·(1, 3, 5) parts
    of a tile, modulo one tile, where a part is tile / tilings (Sutton and Barto 2018, figure 9.11).
    """
    scores, t = np.arange(target), np.arange(tilings)[:, None]
    cells = [(scores * tilings // tile + odd * t % tilings) // tilings for odd in (1, 3, 5)]
    side = max(int(along.max()) for along in cells) + 1
    return np.array(
        [cells[0] * side**2 + t * side**3, cells[1] * side, cells[2]]
    ), tilings * side**3


@compiled
def linear_values(weights, places, state):
    """The products w_a·x(s) of a state for the actions hold and roll; `weights` is (tiles, 2)."""
    (i, j, k), hold, roll = state, 0.0, 0.0
    for t in range(places.shape[1]):
        tile = places[0, t, i] + places[1, t, j] + places[2, t, k]
        hold += weights[tile, HOLD]
        roll += weights[tile, ROLL]
    return hold, roll


@compiled
def epsilon_greedy(random, hold, roll, epsilon):
    """A random action with probability epsilon, else the one with the larger value; ties hold."""
    if epsilon > 0 and random.random() < epsilon:
        return ROLL if random.random() < 0.5 else HOLD
    return ROLL if roll > hold else HOLD


@compiled
def play_by_values(random, cumulative, method, settings, places, first, last, weights):
    """Play the games `first` + 1 to `last` by semi-gradient Sarsa or Q-learning, and change `weights`."""
    epsilon, learning_rate, decay = settings
    tilings, target = places.shape[1:]
    for game in range(first + 1, last + 1):
        alpha = learning_rate * game**-decay / tilings
        state = (0, 0, 0)
        action = ROLL
        won = False
        hold, roll = linear_values(weights, places, state)
        while not won:
            after, passes, won = deal(random, cumulative, target, state, action)
            # the target G
            td_target, next_action = 1.0, ROLL
            if not won:
                next_hold, next_roll = linear_values(weights, places, after)
                td_target = next_roll  # a turn begins with a roll
                if after[2] > 0:
                    next_action = epsilon_greedy(random, next_hold, next_roll, epsilon)
                    if method == Q_LEARNING:
                        td_target = max(next_hold, next_roll)
                    elif next_action == HOLD:
                        td_target = next_hold
                if passes:
                    td_target = 1.0 - td_target
            # the update w_a ← w_a + α·(G - Q(s, a)) x(s)
            error = td_target - (roll if action == ROLL else hold)
            i, j, k = state
            for t in range(tilings):
                weights[places[0, t, i] + places[1, t, j] + places[2, t, k], action] += (
                    alpha * error
                )
            if not won:
                state, action = after, next_action
                hold, roll = linear_values(weights, places, state)


@compiled
def play_by_softmax(random, cumulative, settings, places, baseline, first, last, weights):
    """Play the games `first` + 1 to `last` by REINFORCE, and change `weights`, the preferences, and `baseline`."""
    learning_rate, decay, baseline_rate = settings
    tilings, target = places.shape[1:]
    for game in range(first + 1, last + 1):
        alpha = learning_rate * game**-decay / tilings
        beta = baseline_rate / tilings
        state = (0, 0, 0)
        action = ROLL
        player = 0
        decisions = []  # states, actions, who moved, and the probability to roll
        won = False
        while not won:
            after, passes, won = deal(random, cumulative, target, state, action)
            if not won:
                state, action, player = after, ROLL, 1 - player if passes else player
                if state[2] > 0:
                    hold, roll = linear_values(weights, places, state)
                    pi = 1 / (1 + np.exp(hold - roll))  # the softmax of two preferences
                    action = ROLL if random.random() < pi else HOLD
                    decisions.append((state, action, player, pi))
        # the updates: first all baselines as they were during the game, then θ and b
        advantages = np.empty(len(decisions))
        for n, ((i, j, k), _, mover, _) in enumerate(decisions):
            advantages[n] = 1.0 if mover == player else 0.0
            for t in range(tilings):
                advantages[n] -= baseline[places[0, t, i] + places[1, t, j] + places[2, t, k]]
        for n, ((i, j, k), action, _, pi) in enumerate(decisions):
            towards_roll = alpha * advantages[n] * (action - pi)  # ROLL is 1
            for t in range(tilings):
                tile = places[0, t, i] + places[1, t, j] + places[2, t, k]
                weights[tile, ROLL] += towards_roll
                weights[tile, HOLD] -= towards_roll
                baseline[tile] += beta * advantages[n]


@dataclass(frozen=True, eq=False)
class LearnedByFeatures(AtCheckpoints):
    """The weights that a learner had at each checkpoint.

    Attributes
    ----------
    game : Game
    method : {"sarsa", "q", "reinforce"}
    games, seed : int
        As given to :func:`semi_gradient` or :func:`reinforce`.
    checkpoints : tuple of int
        The numbers of games after which the weights were copied; the last is `games`.
    places : ndarray of int, (3, tilings, target)
        The tiles of all states, as :func:`tile_coding` returns them.
    weights : ndarray (checkpoints, tiles, 2)
        By tile and action: 0 hold, 1 roll.

    Examples
    --------
    >>> from dicelab import piglet
    >>> learned = semi_gradient(piglet(3), games=1000, tilings=2, tile=2)
    >>> learned.weights.shape, learned.action_values().shape
    ((1, 16, 2), (3, 3, 3, 2))
    """

    places: np.ndarray = field(repr=False)
    weights: np.ndarray = field(repr=False)

    def action_values(self, games: int | None = None) -> np.ndarray:
        """The products w_a·x(s) after so many games, by default all.

        These are action values, or for REINFORCE preferences. ValueError if `games` is not a checkpoint.

        Returns
        -------
        ndarray (target, target, target, 2)
            By own score, opponent's score, turn total, and action: 0 hold, 1 roll.
        """
        weights = self.copy_after(games, self.weights)
        q = np.zeros((self.game.target,) * 3 + (2,))
        for own, opponent, total in self.places.transpose(1, 0, 2):
            q += weights[own[:, None, None] + opponent[:, None] + total]
        return q


def _prepare(game, games, seed, rate, decay, tilings, tile):
    """The checked arguments that both learners have in common, and the tiles."""
    cumulative = cumulative_probabilities(game)
    decisions_shape(game)  # raises if all decisions take too much memory
    games, seed = check_int(games, "games", 1, 2**62), check_int(seed, "seed", 0)
    rates = check_real(rate, "learning_rate", 0, 100, above=True), check_real(decay, "decay", 0, 1)
    tilings, tile = check_int(tilings, "tilings", 1, 256), check_int(tile, "tile", 1, 2**20)
    return (
        cumulative,
        games,
        np.random.Generator(np.random.PCG64(seed)),
        rates,
        tile_coding(game.target, tilings, tile),
    )


def semi_gradient(
    game: Game,
    method: str = "sarsa",
    games: int = 100_000,
    seed: int = 1,
    *,
    epsilon: float = 0.1,
    learning_rate: float = 0.1,
    decay: float = 0.0,
    initial: float = 0.5,
    tilings: int = 16,
    tile: int = 16,
    checkpoints: Sequence[int] = (),
) -> LearnedByFeatures:
    """Learn action values that are linear in features, by self-play; the module's docstring gives the methods.

    Parameters
    ----------
    game : Game
        One mode, no choices, ``finish="reach"``: generalized Pig, or two-dice Pig.
    method : {"sarsa", "q"}
    games, seed : int
        At least 1 and 0. The first games are the same whatever the total number of games.
    epsilon : float
        The probability in [0, 1] of a random action.
    learning_rate, decay : float
        In (0, 100] and [0, 1]. In the n-th game α = ``learning_rate / n**decay``, divided by the number of tilings.
    initial : float
        The initial value of all action values, in [0, 1].
    tilings, tile : int
        The number of tilings, at most 256, and the side of a tile in points; both at least 1.
    checkpoints : sequence of int
        Increasing numbers of games after which the weights are copied. They are always copied at the end.

    Returns
    -------
    LearnedByFeatures

    Raises
    ------
    ValueError
        If an argument is not as described.
    NotImplementedError
        If the game is another one.

    Examples
    --------
    >>> from dicelab import loss, pig
    >>> learned = semi_gradient(pig(50), games=10_000)
    >>> bool(loss(pig(50), learned.policy()) < 0.1)
    True
    """
    cumulative, games, random, rates, (places, tiles) = _prepare(
        game, games, seed, learning_rate, decay, tilings, tile
    )  # fmt: skip
    number = METHODS.index(check_option(method, "method", METHODS))
    settings = check_real(epsilon, "epsilon", 0, 1), *rates
    weights = np.full((tiles, 2), check_real(initial, "initial", 0, 1) / tilings)
    play = partial(play_by_values, random, cumulative, number, settings, places)
    marks, copies = copies_at(checkpoints, games, play, weights)
    return LearnedByFeatures(game, method, games, seed, marks, places, copies)


def reinforce(
    game: Game,
    games: int = 100_000,
    seed: int = 1,
    *,
    learning_rate: float = 0.1,
    decay: float = 0.0,
    baseline_rate: float = 0.1,
    tilings: int = 16,
    tile: int = 16,
    checkpoints: Sequence[int] = (),
) -> LearnedByFeatures:
    """Learn a policy by its gradient, REINFORCE with a baseline, by self-play; see the module's docstring.

    Parameters
    ----------
    game, games, seed, learning_rate, decay, tilings, tile, checkpoints
        As for :func:`semi_gradient`. All preferences begin at 0: the first games are played at random.
    baseline_rate : float
        In [0, 100]: β, divided by the number of tilings. The baseline begins at ½, and with 0 it stays there.

    Returns
    -------
    LearnedByFeatures

    Raises
    ------
    ValueError, NotImplementedError
        As :func:`semi_gradient`.

    Examples
    --------
    >>> from dicelab import piglet
    >>> learned = reinforce(piglet(3), games=20_000, tilings=1, tile=1)
    >>> learned.policy().rolls(0, 2, 1, game=piglet(3))
    True
    """
    cumulative, games, random, rates, (places, tiles) = _prepare(
        game, games, seed, learning_rate, decay, tilings, tile
    )  # fmt: skip
    settings = *rates, check_real(baseline_rate, "baseline_rate", 0, 100)
    weights = np.zeros((tiles, 2))
    baseline = np.full(tiles, 0.5 / tilings)
    play = partial(play_by_softmax, random, cumulative, settings, places, baseline)
    marks, copies = copies_at(checkpoints, games, play, weights)
    return LearnedByFeatures(game, "reinforce", games, seed, marks, places, copies)
