"""Learning by features: the same as a table where it is one, and REINFORCE against the exact gradient."""

import numpy as np
import pytest

import dicelab as dl
from dicelab_extras import learning
from dicelab_extras.learning.features import play_by_softmax, tile_coding
from dicelab_extras.learning.tables import cumulative_probabilities

HOLD, ROLL = 0, 1


def tiles_of(places, state):
    """The numbers of the tiles of a state."""
    i, j, k = state
    return (places[0, :, i] + places[1, :, j] + places[2, :, k]).tolist()


@pytest.mark.parametrize(
    ("target", "tilings", "tile"), [(7, 1, 1), (20, 16, 3), (9, 4, 4), (5, 2, 100)]
)
def test_tile_coding(target, tilings, tile):
    """Every state has one tile in each tiling, and a tile is a cube of at most `tile` points in each direction."""
    places, tiles = tile_coding(target, tilings, tile)
    members = {}
    for state in np.ndindex((target,) * 3):
        found = tiles_of(places, state)
        assert len(set(found)) == tilings
        for tiling, number in enumerate(found):
            assert tiling * tiles // tilings <= number < (tiling + 1) * tiles // tilings
            members.setdefault(number, []).append(state)
    for states in members.values():
        sides = np.ptp(states, axis=0) + 1
        assert sides.max() <= tile
        assert sides.prod() == len(states)
    assert sum(map(len, members.values())) == tilings * target**3


def test_tiles_by_hand():
    """Four tilings of four points: tiling t is displaced by t, 3t and 5t points, modulo 4."""
    places, tiles = tile_coding(8, 4, 4)
    assert tiles == 4 * 27
    assert tiles_of(places, (0, 0, 0)) == [0, 27, 54, 81]
    assert tiles_of(places, (3, 3, 3)) == [0, 27 + 9 + 3 + 1, 54 + 9 + 3 + 1, 81 + 9 + 3 + 1]
    assert tiles_of(places, (2, 1, 3)) == [0, 27 + 3 + 1, 54 + 9 + 1, 81 + 9 + 1]


@pytest.mark.parametrize("method", ["sarsa", "q"])
@pytest.mark.parametrize("game", [dl.pig(25), dl.two_dice_pig(20)], ids=lambda game: game.name)
def test_a_tile_for_every_state_is_a_table(game, method):
    """Then semi-gradient learning is the learning in tables, with the same numbers."""
    how = {
        "games": 2000,
        "seed": 5,
        "epsilon": 0.2,
        "learning_rate": 0.1,
        "decay": 0.0,
        "checkpoints": [30],
    }
    table = learning.learn(game, method, **how)
    tiles = learning.semi_gradient(game, method, tilings=1, tile=1, **how)
    for games in (30, 2000):
        assert (tiles.action_values(games) == table.action_values(games)).all()
        assert (tiles.policy(games).table(game) == table.policy(games).table(game)).all()


def test_one_semi_gradient_update_by_hand():
    """A die that always scores 1, to 1 point: the first roll wins. Both tiles move by half of α·(1 - Q)."""
    game = dl.generalized_pig([0, 1], 1)
    run = learning.semi_gradient(
        game, games=2, learning_rate=0.5, decay=0.5, initial=0.2, tilings=2, checkpoints=[1]
    )
    q = 0.2 + 0.5 * (1 - 0.2)
    assert run.action_values(1)[0, 0, 0].tolist() == pytest.approx([0.2, q])
    q += 0.5 * 2**-0.5 * (1 - q)
    assert run.action_values(2)[0, 0, 0].tolist() == pytest.approx([0.2, q])
    assert run.weights[1].tolist() == [pytest.approx([0.1, q / 2])] * 2


def test_tiles_share_what_is_learned():
    game = dl.pig(50)
    solution = dl.solve(game)
    of_tiles = [
        dl.loss(solution, learning.semi_gradient(game, games=3000, seed=s).policy())
        for s in range(4)
    ]
    of_tables = [
        dl.loss(solution, learning.learn(game, "sarsa", 3000, s).policy()) for s in range(4)
    ]
    assert np.mean(of_tiles) < 0.15 < 0.3 < np.mean(of_tables)


def plain_reinforce(game, games, seed, rate, decay, baseline_rate, places, tiles):
    """REINFORCE again, in plain Python, with the same random numbers: θ, the baseline, and the most decisions."""
    random = np.random.Generator(np.random.PCG64(seed)).random
    probabilities = {0: 0.0}
    for outcome in game.modes[0].outcomes:
        face = outcome.choices[0].points if outcome.choices else 0
        probabilities[face] = probabilities.get(face, 0) + float(outcome.probability)
    theta = np.zeros((tiles, 2))
    baseline = np.full(tiles, 0.5 / places.shape[1])
    most = 0
    for number in range(1, games + 1):
        scores = [0, 0]
        player = 0
        total = 0
        decisions = []
        while True:
            u, face = random(), 0
            while u >= sum(p for f, p in probabilities.items() if f <= face):
                face += 1
            total += face
            if face and scores[player] + total >= game.target:
                break
            if face:
                at = tiles_of(places, (scores[player], scores[1 - player], total))
                preferences = theta[at].sum(axis=0)
                pi = np.exp(preferences) / np.exp(preferences).sum()
                rolls = int(random() < pi[ROLL])
                decisions.append((player, at, pi, rolls))
                if rolls:
                    continue
                scores[player] += total
            player, total = 1 - player, 0
        rates = np.array([rate * number**-decay, baseline_rate]) / places.shape[1]
        most = max(most, len(decisions))
        advantages = [float(mover == player) - baseline[at].sum() for mover, at, _, _ in decisions]
        for advantage, (_, at, pi, rolls) in zip(advantages, decisions, strict=True):
            theta[at] += rates[0] * advantage * ((np.arange(2) == rolls) - pi)
            baseline[at] += rates[1] * advantage
    return theta, baseline, most


@pytest.mark.parametrize(("game", "tilings", "tile"), [(dl.pig(15), 4, 4), (dl.piglet(120), 1, 7)])
def test_reinforce_in_plain_python(game, tilings, tile):
    places, tiles = tile_coding(game.target, tilings, tile)
    run = learning.reinforce(
        game,
        games=12,
        seed=3,
        learning_rate=0.5,
        decay=0.25,
        baseline_rate=0.1,
        tilings=tilings,
        tile=tile,
    )
    theta, _, most = plain_reinforce(game, 12, 3, 0.5, 0.25, 0.1, places, tiles)
    assert np.abs(run.weights[-1] - theta).max() < 1e-12
    assert np.abs(theta).max() > 0.05
    assert most > 256 or game.target == 15, "more decisions than there is room for at first"


def win_probability(first, second, target=3):
    """The probability that the first player wins Piglet, if both roll with given probabilities, by iteration."""
    players = (first, second)
    states = [s for s in np.ndindex((target,) * 3) if s[0] + s[2] < target]
    value = {(player, s): 0.5 for player in (0, 1) for s in states}  # that the player to move wins
    for _ in range(200):
        for player, (i, j, k) in value:
            up = 1.0 if i + k + 1 >= target else value[player, (i, j, k + 1)]
            roll = 0.5 * up + 0.5 * (1 - value[1 - player, (j, i, 0)])
            pi = players[player][i, j, k] if k else 1.0
            value[player, (i, j, k)] = pi * roll + (1 - pi) * (1 - value[1 - player, (j, i + k, 0)])
    return value[0, (0, 0, 0)]


def softmax(theta, places):
    """The probabilities to roll."""
    difference = theta[:, ROLL] - theta[:, HOLD]
    return {
        s: 1 / (1 + np.exp(-difference[tiles_of(places, s)].sum())) for s in np.ndindex(3, 3, 3)
    }


@pytest.mark.parametrize(("tilings", "tile"), [(1, 1), (2, 2)])
def test_reinforce_follows_the_exact_gradient(tilings, tile):
    """The mean update at a fixed θ, with two baselines, against differences of the exact win probability."""
    game, (places, tiles) = dl.piglet(3), tile_coding(3, tilings, tile)
    theta = np.random.default_rng(1).normal(size=(tiles, 2))
    step = 1e-5
    batches = 40
    games = 10_000
    exact = np.zeros((tiles, 2))
    for place in np.ndindex(tiles, 2):
        up, down = (
            theta + move * step * np.eye(2 * tiles)[place[0] * 2 + place[1]].reshape(-1, 2)
            for move in (1, -1)
        )
        still, more, less = (softmax(each, places) for each in (theta, up, down))
        both = win_probability(more, still) - win_probability(less, still)
        exact[place] = (both - win_probability(still, more) + win_probability(still, less)) / (
            2 * step
        )
    assert np.abs(exact).max() > 0.01
    for constant in (0.5, 0.2):
        random, means = np.random.Generator(np.random.PCG64(8)), []
        for _ in range(batches):
            weights = theta.copy()
            baseline = np.full(tiles, constant / tilings)
            settings = 1e-8 * tilings, 0.0, 0.0
            play_by_softmax(
                random,
                cumulative_probabilities(game),
                settings,
                places,
                0,
                games,
                weights,
                baseline,
            )
            means.append((weights - theta) / (1e-8 * games))
        error = np.std(means, axis=0, ddof=1) / batches**0.5
        assert (np.abs(np.mean(means, axis=0) - exact) <= 4.5 * error + 1e-5).all()
        assert error.max() < 0.1 * np.abs(exact).max()


def test_one_reinforce_update_by_hand():
    """A die that always scores 1, to 2 points, θ = 0, and a player who rolls at once and wins: G - b = 1/2, π = 1/2."""
    game = dl.generalized_pig([0, 1], 2)
    draws = np.random.Generator(np.random.PCG64(2)).random(2)
    assert draws[1] < 0.5, "the first decision is to roll"
    run = learning.reinforce(game, games=1, seed=2, learning_rate=0.2, tilings=1, tile=1)
    changed = np.argwhere(run.action_values()).tolist()
    assert changed == [[0, 0, 1, HOLD], [0, 0, 1, ROLL]]
    assert run.action_values()[0, 0, 1].tolist() == pytest.approx(
        [-0.2 * 0.5 * 0.5, 0.2 * 0.5 * 0.5]
    )


@pytest.mark.parametrize("learner", [learning.semi_gradient, learning.reinforce])
def test_what_is_learned_by_features_is_good(learner):
    """In Piglet to 5, with a feature for every state, nearly nothing is lost; and two-dice Pig is learned, too."""
    game, (rate, of_tiles) = (
        dl.piglet(5),
        (0.005, 0.06) if learner is learning.semi_gradient else (0.3, 0.9),
    )
    run = learner(game, games=200_000, learning_rate=rate, tilings=1, tile=1, checkpoints=[1])
    assert dl.loss(game, run.policy()) < 0.01 < dl.loss(game, run.policy(1))
    game = dl.two_dice_pig(40)
    assert dl.loss(game, learner(game, games=30_000, learning_rate=of_tiles).policy()) < 0.1


@pytest.mark.parametrize("learner", [learning.semi_gradient, learning.reinforce])
def test_features_seeds_reproduce_and_checkpoints_do_not_disturb(learner):
    game = dl.pig(12)
    one = learner(game, games=800, seed=7, decay=0.2, checkpoints=[10, 300])
    two = learner(game, games=300, seed=7, decay=0.2)
    assert one.checkpoints == (10, 300, 800)
    assert (one.action_values(300) == two.action_values()).all()
    assert (
        one.action_values() != learner(game, games=800, seed=8, decay=0.2).action_values()
    ).any()
    with pytest.raises(
        ValueError, match=r"games: 11 is not allowed; give one of the checkpoints, \(10, 300, 800\)"
    ):
        one.policy(11)


def test_what_features_cannot_do():
    for learner in (learning.semi_gradient, learning.reinforce):
        with pytest.raises(NotImplementedError, match="Double Trouble"):
            learner(dl.double_trouble(20))
    with pytest.raises(ValueError, match="method: 'mc' is not allowed; give one of 'sarsa', 'q'"):
        learning.semi_gradient(dl.piglet(3), "mc")
