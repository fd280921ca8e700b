"""Learning a game by playing it, and environments for the learners of others.

tables
    `learn` plays a generalized Pig against itself without the rules, and keeps a table of action values: Monte Carlo
    control, Sarsa, expected Sarsa, Q-learning, double Q-learning. `action_values` computes the exact action values.
features
    The same with features in place of a table: `semi_gradient` learns action values, and `reinforce` a policy.
decisions
    A race as a Markov decision process: what a player may do at each moment, and what can follow.
environments
    Races as environments of Gymnasium and PettingZoo, ``dicelab_extras.learning.environments``. They need an extra.
"""

from dicelab.games.catalogue import piglet

from .features import LearnedByFeatures, reinforce, semi_gradient
from .tables import Learned, action_values, learn

__all__ = [
    "Learned",
    "LearnedByFeatures",
    "action_values",
    "learn",
    "reinforce",
    "semi_gradient",
]


def warm_up():
    """Compile what learning needs."""
    learn(piglet(3), games=9)
    reinforce(piglet(3), games=9)
