"""Train a deep learner on Pig and grade it exactly: ``python -m benchmarks.deep_learner [DQN or PPO] [steps]``.

It needs ``pip install -e '.[gym]' stable-baselines3``. The learner sees vectors and plays against the optimal
player. The target is 50: to 20, who always rolls plays optimally, and there is nothing to learn.
"""

import sys
from time import perf_counter

import gymnasium
import numpy as np
import stable_baselines3

import dicelab as dl
from dicelab.evaluation.referee import ROLL
from dicelab_extras.learning import environments

OPTIONS = {
    "DQN": {
        "learning_rate": 1e-3,
        "buffer_size": 50_000,
        "learning_starts": 1000,
        "target_update_interval": 500,
        "exploration_fraction": 0.5,
        "exploration_final_eps": 0.05,
    },
    "PPO": {"n_steps": 1024, "batch_size": 256, "ent_coef": 0.005},
}


def train(name, steps, target, seed=1):
    """A learner of Stable-Baselines3, and the environment that it was trained in."""
    race = environments.VectorObservation(gymnasium.make("dicelab/Pig-v0", target=target))
    options = OPTIONS[name] | {"gamma": 1.0, "seed": seed, "device": "cpu"}
    learner = getattr(stable_baselines3, name)("MlpPolicy", race, **options)
    return learner.learn(steps), race


def rolls(learner, race, target):
    """What it does, ndarray of bool [own, opponent, turn total]; the greedy action in every state."""
    table = np.zeros((target, target, target), dtype=bool)
    states = [state for state in np.ndindex(table.shape) if state[0] + state[2] < target]
    vectors = np.array([race.observation(race.unwrapped.encode(*state)) for state in states])
    actions, _ = learner.predict(vectors, deterministic=True)
    table[tuple(np.transpose(states))] = actions == ROLL
    table[..., 0] = True  # every turn begins with a roll
    return table


def main(name="PPO", steps="100000", target=50):
    """Train, and say what the learner gives away."""
    game, start = dl.pig(target), perf_counter()
    learner, race = train(name, int(steps), target)
    taken = perf_counter() - start
    table = rolls(learner, race, target)
    learned = dl.Rule(name, lambda own, opponent, total, target: ~table[own, opponent, total])
    first = dl.evaluate(game, learned, dl.solve(game).policy).first_wins
    print(
        f"{name}, {int(steps):,} steps, {taken:.0f} s: gives away {dl.loss(game, learned):.6f} of a game;",
        end=" ",
    )
    print(f"moving first it wins {first:.6f}, the optimum {dl.solve(game).value:.6f}")
    return dl.loss(game, learned)


if __name__ == "__main__":
    main(*sys.argv[1:])
