"""Environments for learners, by an id and by the class; a learner of the package."""

import gymnasium

import dicelab as dl
from dicelab_extras import learning
from dicelab_extras.learning import environments

gymnasium.register_envs(environments)
env = gymnasium.make("dicelab/Pig-v0", target=20)
state, info = env.reset(seed=1)
state, reward, terminated, truncated, info = env.step(1)
print(float(reward), terminated or truncated, info["regret"])
race = environments.Race(dl.pig(20), opponent=dl.hold_at(8))
race.reset(seed=1)
print(race.encode(own=3, opponent=5, turn_total=4) + 1, race.decode(77)[0] + 1)
table = environments.RaceTable("pig", players=2)
table.reset(seed=1)
learned = learning.learn(dl.pig(5), games=200, seed=1)
print(learned.policy().rolls(0, 0, 3, game=dl.pig(5)))
