"""Learning without the rules: learned values agree with the exact ones within their standard errors."""

from functools import partial

import numpy as np
import pytest
from conftest import dice
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab.evaluation.loss import loss
from dicelab_extras import learning
from dicelab_extras.learning.tables import METHODS

SEEDS = range(10)


def means(runs):
    """The mean of the runs' values at the start of a turn, and its standard error."""
    values = np.array([run.values() for run in runs])
    return values.mean(axis=0), values.std(axis=0, ddof=1) / len(values) ** 0.5


def soft_values(game, epsilon):
    """The best values with random actions of both players: value iteration, state by state, in plain Python."""
    target, outcomes = game.target, game.modes[0].outcomes
    states = [(i, j, k) for i in range(target) for j in range(target) for k in range(target - i)]
    value = dict.fromkeys(states, 0.5)
    for _ in range(400):
        for i, j, k in reversed(states):
            roll = 0.0
            for o in outcomes:
                to = i, j, k + o.choices[0].points if o.choices else 0
                after = value.get(to, 1.0) if o.choices else 1 - value[j, i, 0]
                roll += float(o.probability) * after
            hold = 1 - value[j, i + k, 0]
            value[i, j, k] = (
                (1 - epsilon) * max(hold, roll) + epsilon * (hold + roll) / 2 if k else roll
            )
    return np.array([[value[i, j, 0] for j in range(target)] for i in range(target)])


@pytest.mark.slow
@settings(max_examples=8)
@given(dice(most_target=5))
def test_exact_action_values(game):
    """They are the optimal values and decisions; with random actions, those of a second value iteration."""
    solution = dl.solve(game)
    exact = learning.action_values(game)
    assert np.abs(exact[:, :, 0, 1] - solution.values).max() < 1e-12
    gain = exact[..., 1] - exact[..., 0]
    sure = np.abs(gain) > 1e-9  # no nan, and no tie
    assert (solution.policy.roll_mask()[sure] == (gain > 0)[sure]).all()
    assert (
        np.abs(learning.action_values(game, 0.3)[:, :, 0, 1] - soft_values(game, 0.3)).max() < 1e-10
    )


@settings(max_examples=25)
@given(dice(most_target=6), st.integers(0, 1000), st.integers(1, 8))
def test_monte_carlo_prediction_is_a_mean(game, seed, total):
    """The mean number of wins of the first player: within five standard errors of the value of the match."""
    policy, games = dl.hold_at(total), 20_000
    run = learning.learn(game, "mc", games, seed, epsilon=0, decay=1.0, behaviour=policy)
    assert run.updates[0, 0, 0, 1] == games
    exact = dl.evaluate(game, policy, policy).first_wins
    assert abs(run.values()[0, 0] - exact) <= 5 * (exact * (1 - exact) / games) ** 0.5 + 1e-12


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "epsilon", "decay", "allowed"),
    [(method, 0.3, 0.8, 0.008 if method == "double_q" else 0.004) for method in METHODS],
)
def test_control_on_piglet(method, epsilon, decay, allowed):
    """Both kinds of Q-learning find the optimum, and the other methods the best values with random actions."""
    game = dl.piglet(4)
    runs = [
        learning.learn(game, method, 400_000, seed, epsilon=epsilon, decay=decay) for seed in SEEDS
    ]
    mean, error = means(runs)
    optimum = dl.solve(game).values
    soft = soft_values(game, epsilon)
    exact, other = (optimum, soft) if method in ("q", "double_q") else (soft, optimum)
    assert (np.abs(mean - exact) <= 4 * error + allowed).all(), np.abs(mean - exact).max()
    assert np.abs(mean - other).max() > 3 * allowed, "the two can be told apart"


PROBABILITIES = 0.25, 0.25, 0.375, 0.125  # of a bust, 1, 2 and a reset
WITH_RESET = dl.Game(
    "Coins with resets",
    5,
    dl.Mode(
        "roll",
        [
            dl.Outcome(p, r)
            for p, r in zip(
                PROBABILITIES,
                ("bust", dl.Choice(1, "roll"), dl.Choice(2, "roll"), "reset"),
                strict=True,
            )
        ],
    ),
)


def test_a_reset_loses_the_score():
    """Two-dice Pig: the exact action values are those of the solver, and a learner comes near to them."""
    for game in (WITH_RESET, dl.two_dice_pig(15)):
        solution = dl.solve(game)
        exact = learning.action_values(game)
        assert np.abs(exact[:, :, 0, 1] - solution.values).max() < 1e-12
    run = learning.learn(WITH_RESET, "expected_sarsa", 400_000, epsilon=0.3, exploring_starts=True)
    exact = learning.action_values(WITH_RESET, 0.3)
    assert np.nanmax(np.abs(run.action_values() - exact)) < 0.03


def test_exploring_starts_learn_every_state_and_the_policy():
    solution = dl.solve(dl.piglet(5))
    run = learning.learn(solution.game, games=1_000_000, exploring_starts=True)
    assert np.abs(run.values() - solution.values).max() < 0.01
    assert loss(solution, run.policy()) == pytest.approx(0, abs=1e-12)
    exact = learning.action_values(solution.game)
    real = ~np.isnan(exact)
    assert np.abs(run.action_values() - exact)[real].max() < 0.02
    assert (run.updates > 0).sum() == real.sum()
    assert (run.action_values()[~real] == 0.5).all()


LEARNERS = {method: partial(learning.learn, method=method) for method in METHODS}
LEARNERS |= {"semi-gradient": learning.semi_gradient, "reinforce": learning.reinforce}


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_seeds_reproduce_and_checkpoints_do_not_disturb(learner):
    game = dl.pig(12)
    one = learner(game, games=3000, seed=7, decay=0.2, checkpoints=[10, 500])
    two = learner(game, games=500, seed=7, decay=0.2)
    assert one.checkpoints == (10, 500, 3000)
    assert (one.action_values(500) == two.action_values()).all()
    other = learner(game, games=3000, seed=8, decay=0.2)
    assert (one.action_values() != other.action_values()).any()
    said = r"games: 11 is not allowed; give one of the checkpoints, \(10, 500, 3000\)"
    with pytest.raises(ValueError, match=said):
        one.policy(11)


def test_what_is_learned_can_be_played():
    game = dl.piglet(5)
    policy = learning.learn(game, games=2000).policy()
    exact = dl.evaluate(game, policy, dl.hold_at(2))
    played = dl.simulate(game, policy, dl.hold_at(2), games=200_000)
    assert abs(played.first_wins - exact.first_wins) <= 4 * played.first_wins_se
    assert policy.decisions(game, 2, 3).shape == (1, 3)
    with pytest.raises(ValueError, match="this policy was learned for target 5, not for 6"):
        policy.decisions(dl.piglet(6), 0, 0)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"game": "pig"}, "game: 'pig' is not allowed; give a Game"),
        ({"method": "td"}, "method: 'td' is not allowed; give one of 'mc', 'sarsa', 'q'"),
        ({"games": 0}, "games: 0 is not allowed; give a whole number of at least 1"),
        ({"seed": -1}, "seed: -1 is not allowed; give a whole number of at least 0"),
        ({"epsilon": 1.5}, r"epsilon: 1.5 is not allowed; give a number in \[0, 1\]"),
        ({"learning_rate": 0}, r"learning_rate: 0 is not allowed; give a number in \(0, 1\]"),
        ({"decay": "1"}, r"decay: '1' is not allowed; give a number in \[0, 1\]"),
        ({"initial": float("nan")}, r"initial: nan is not allowed; give a number in \[0, 1\]"),
        ({"behaviour": 20}, "behaviour: 20 is not allowed; give a Policy without memory"),
        ({"behaviour": dl.scoring_turns(4)}, "is not allowed; give a Policy without memory"),
        ({"exploring_starts": 1}, "exploring_starts: 1 is not allowed; give True or False"),
        (
            {"checkpoints": [5, 3]},
            r"checkpoints: \[5, 3\] is not allowed; give increasing numbers of games up to 10",
        ),
        ({"checkpoints": [11]}, r"checkpoints: \[11\] is not allowed"),
    ],
)
def test_bad_arguments(wrong, said):
    with pytest.raises(ValueError, match=said):
        learning.learn(**{"game": dl.piglet(3), "games": 10} | wrong)


def test_games_that_cannot_be_learned():
    for game in (dl.double_trouble(20), dl.ten_thousand(20), dl.pig(9, finish="exact")):
        for learner in (learning.learn, learning.action_values):
            with pytest.raises(NotImplementedError, match=game.name):
                learner(game)
    with pytest.raises(ValueError, match="epsilon: 2 is not allowed"):
        learning.action_values(dl.piglet(3), 2)
