"""Learning by features: the same as a table where it is one, updates by hand, and what is learned."""

import numpy as np
import pytest

import dicelab as dl
from dicelab_extras import learning

HOLD, ROLL = 0, 1


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


def test_what_features_cannot_do():
    for learner in (learning.semi_gradient, learning.reinforce):
        with pytest.raises(NotImplementedError, match="Double Trouble"):
            learner(dl.double_trouble(20))
    with pytest.raises(ValueError, match="method: 'mc' is not allowed; give one of 'sarsa', 'q'"):
        learning.semi_gradient(dl.piglet(3), "mc")
