"""Learning without the rules: learned values agree with the exact ones within their standard errors."""

import numpy as np
import pytest
from conftest import dice
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab.evaluation.loss import loss
from dicelab_extras import learning
from dicelab_extras.learning.tables import METHODS, play_games

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
@settings(max_examples=30)
@given(dice(most_target=6))
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


def test_monte_carlo_prediction_everywhere():
    solution = dl.solve(dl.piglet(10))
    run = learning.learn(
        solution.game, "mc", 100_000, epsilon=0, decay=1.0, behaviour=solution.policy
    )
    visits, exact = run.updates[:, :, 0, 1], solution.values
    seen = visits >= 100
    assert 50 < seen.sum() < 100
    errors = (run.values() - exact)[seen] / np.sqrt(exact * (1 - exact) / np.maximum(visits, 1))[
        seen
    ]
    assert np.abs(errors).max() < 4.5
    assert 0.7 < errors.std() < 1.3, "they are standard errors"


@pytest.mark.slow
def test_td_0_and_learning_from_others():
    """TD(0) finds the value of a policy, and Q-learning, with the same behaviour policy and ε = 1/2, the optimum."""
    game, policy = dl.piglet(4), dl.hold_at(1)
    wanted = {
        "sarsa": (dl.evaluate(game, policy, policy).first_wins, 0.0),
        "q": (dl.solve(game).value, 0.5),
    }
    for method, (exact, epsilon) in wanted.items():
        more = {"epsilon": epsilon, "behaviour": policy}
        mean, error = means([learning.learn(game, method, 200_000, seed, **more) for seed in SEEDS])
        assert abs(mean[0, 0] - exact) <= 4 * error[0, 0] + 0.002, method
    assert abs(wanted["sarsa"][0] - wanted["q"][0]) > 0.01, "the two can be told apart"


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


FIRST = (0, 0, 0, 0, 1)  # table, state and action of the first update of a game


def first_update(method, epsilon, one, two=None):
    """Q(0, 0, 0; roll) of each table after a game to 2 with a die that always scores 1, and α = 1/4.

    `one` and `two` are the values of holding and rolling at the next state, 0 : 0 with the turn total 1.
    """
    tables = np.full((1 if two is None else 2, 2, 2, 2, 2), 0.5)
    for table, pair in zip(tables, (one, two), strict=False):
        table[0, 0, 1] = pair
    settings = (epsilon, 0.25, 0.0, False)
    nobody = np.zeros((0, 0, 0), dtype=bool)
    random = np.random.Generator(np.random.PCG64(4))
    nothing = np.zeros(0, dtype=np.int64)
    cumulative = np.array([0.0, np.inf, np.inf])
    updates = np.zeros(tables.shape, dtype=np.int64)
    number = METHODS.index(method)
    play_games(
        random,
        cumulative,
        number,
        settings,
        nobody,
        0,
        1,
        tables,
        updates,
        nothing,
        nothing,
        nothing,
    )
    assert updates[:, 0, 0, 0, 1].sum() == 1
    return tables[:, 0, 0, 0, 1].tolist()


def test_one_update_by_hand():
    """The targets are 0.6, the mean with 0.9 for rolling, 0.6, and in double Q-learning the other table's value."""
    assert first_update("sarsa", 0.0, (0.2, 0.6)) == [pytest.approx(0.5 + 0.1 / 4)]
    assert first_update("expected_sarsa", 0.2, (0.2, 0.6)) == [
        pytest.approx(0.5 + (0.9 * 0.6 + 0.1 * 0.2 - 0.5) / 4)
    ]
    assert first_update("q", 0.0, (0.7, 0.6)) == [pytest.approx(0.5 + 0.2 / 4)]
    found = first_update("double_q", 0.0, (0.2, 0.6), (0.9, 0.3))
    assert found in ([0.5 + (0.3 - 0.5) / 4, 0.5], [0.5, pytest.approx(0.5 + (0.2 - 0.5) / 4)])


def plain_learner(game, method, games, seed, epsilon, decay):
    """Expected Sarsa, Q-learning and double Q-learning again, in plain Python, with the same random numbers."""
    random = np.random.Generator(np.random.PCG64(seed)).random
    states = [
        (i, j, k)
        for i in range(game.target)
        for j in range(game.target)
        for k in range(game.target)
    ]
    tables = [{s: [0.5, 0.5] for s in states} for _ in range(2 if method == "double_q" else 1)]
    seen, best = {}, lambda pair: int(pair[1] > pair[0])
    for _ in range(games):
        s = (0, 0, 0)
        a = 1
        won = False
        while not won:
            i, j, k = s
            after, passes = (j, i + k, 0), True
            if a:
                face = np.searchsorted(np.cumsum(PROBABILITIES), random(), side="right")
                after, passes = [
                    ((j, i, 0), True),
                    ((i, j, k + 1), False),
                    ((i, j, k + 2), False),
                    ((j, 0, 0), True),
                ][face]
                won = not passes and i + after[2] >= game.target
            b = 1
            if not won and after[2]:
                sums = [sum(table[after][x] for table in tables) for x in (0, 1)]
                b = int(random() < 0.5) if random() < epsilon else best(sums)
            number = int(len(tables) == 2 and random() < 0.5)
            mine, other = tables[number], tables[-1 - number]
            G = 1.0
            if not won:
                hold, roll = other[after]
                share = 1.0 if not after[2] else (1 - epsilon) * best(mine[after]) + epsilon / 2
                choice = best(mine[after]) if after[2] else 1
                G = (
                    share * roll + (1 - share) * hold
                    if method == "expected_sarsa"
                    else other[after][choice]
                )
                G = 1 - G if passes else G
            seen[number, s, a] = seen.get((number, s, a), 0) + 1
            mine[s][a] += seen[number, s, a] ** -decay * (G - mine[s][a])
            s, a = after, b
    return np.mean([[table[s] for s in states] for table in tables], axis=0), sum(seen.values())


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


@pytest.mark.parametrize("method", ["q", "expected_sarsa", "double_q"])
def test_the_same_in_plain_python(method):
    run = learning.learn(WITH_RESET, method, 400, 11, epsilon=0.25, decay=0.75)
    values, updates = plain_learner(WITH_RESET, method, 400, 11, 0.25, 0.75)
    assert np.abs(run.action_values().reshape(-1, 2) - values).max() < 1e-13
    assert run.updates.sum() == updates
    assert run.updates[0, 3, 1].sum() > 0


def test_a_reset_loses_the_score():
    """Two-dice Pig: the exact action values are those of the solver, and a learner comes near to them."""
    for game in (WITH_RESET, dl.two_dice_pig(15)):
        solution = dl.solve(game)
        exact = learning.action_values(game)
        assert np.abs(exact[:, :, 0, 1] - solution.values).max() < 1e-12
    without = dl.solve(dl.generalized_pig([0.375, 0.25, 0.375], 5))
    assert np.abs(without.values - dl.solve(WITH_RESET).values).max() > 0.01, (
        "as a bust it would be another game"
    )
    run = learning.learn(WITH_RESET, "expected_sarsa", 400_000, epsilon=0.3, exploring_starts=True)
    exact = learning.action_values(WITH_RESET, 0.3)
    assert np.nanmax(np.abs(run.action_values() - exact)) < 0.03
    assert loss(WITH_RESET, learning.learn(WITH_RESET, "double_q", 200_000).policy()) < 0.005


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "limit"), [("expected_sarsa", 0.3), ("sarsa", 0.3), ("q", 0.0), ("double_q", 0.0)]
)
@pytest.mark.parametrize("game", [dl.pig(20), dl.piglet(10)], ids=["pig", "piglet"])
def test_action_values_converge(game, method, limit):
    """With exploring starts, where a pair was updated often: to the exact values with random actions, or without."""
    run = learning.learn(game, method, 3_000_000, epsilon=0.3, decay=0.6, exploring_starts=True)
    exact, other = (learning.action_values(game, e) for e in (limit, 0.3 - limit))
    often = run.updates > 5000
    assert often.sum() > 50
    errors = np.abs(run.action_values() - exact)[often]
    assert errors.mean() < 0.01
    assert np.abs(run.action_values() - other)[often].mean() > 2 * errors.mean(), (
        "the two can be told apart"
    )


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


@pytest.mark.parametrize("method", METHODS)
def test_seeds_reproduce_and_checkpoints_do_not_disturb(method):
    game = dl.pig(12)
    one = learning.learn(game, method, 3000, 7, checkpoints=[10, 500])
    two = learning.learn(game, method, 500, 7)
    assert one.checkpoints == (10, 500, 3000)
    assert (one.action_values(500) == two.action_values()).all()
    assert (one.action_values() == learning.learn(game, method, 3000, 7).action_values()).all()
    assert (one.action_values() != learning.learn(game, method, 3000, 8).action_values()).any()
    with pytest.raises(
        ValueError,
        match=r"games: 11 is not allowed; give one of the checkpoints, \(10, 500, 3000\)",
    ):
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
