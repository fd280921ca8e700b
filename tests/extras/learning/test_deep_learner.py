"""A deep learner of another library trains in the environment; skipped where the library is not installed."""

import numpy as np
import pytest

import dicelab as dl

pytest.importorskip("stable_baselines3", reason="stable-baselines3 is not installed")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "steps"), [("DQN", 2000), ("PPO", 2048)])
def test_a_deep_learner_trains_and_is_graded(name, steps):
    from benchmarks.deep_learner import main, rolls, train

    learner, race = train(name, steps, 12)
    table = rolls(learner, race, 12)
    for state in [(0, 0, 0), (3, 5, 2), (7, 1, 4)]:
        vector = race.observation(race.unwrapped.encode(*state))
        assert table[state] == bool(learner.predict(vector, deterministic=True)[0])
    learned = dl.Rule("learned", lambda own, opponent, total, target: ~table[own, opponent, total])
    assert main(name, steps, 12) == dl.loss(dl.pig(12), learned), "the same seed learns the same"
    assert 0 <= dl.loss(dl.pig(12), learned) < dl.loss(dl.pig(12), dl.hold_at(1))
    assert not np.any(
        table & (np.add.outer(np.arange(12), np.zeros(12, int))[..., None] + np.arange(12) >= 12)
    )
