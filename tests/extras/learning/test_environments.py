"""The environments: their transitions have the values of the solvers, and their steps follow the transitions."""

import copy
import pickle
import warnings
from collections import Counter
from functools import partial

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test
from scipy.sparse import csc_array, identity
from scipy.sparse.linalg import spsolve

import dicelab as dl
from dicelab.evaluation.referee import HOLD, ROLL
from dicelab.games.catalogue import GAMES
from dicelab_extras.learning.environments import (
    IDS,
    Race,
    RaceTable,
    env,
    raw_env,
)
from tests.conformance.matrix import KINDS, game_of

FEW = {name: {"target": 6, "lowest": 0, "minimum": 100} for name in ("facebook-farkle", "zilch")}
FORCED = dl.Game(  # a forced mode that can pass the target, a choice before the roll, and a mode in which one must hold
    "Forced",
    7,
    [
        dl.Mode(
            "start", dl.Outcome(1, [dl.Choice(0, "safe"), dl.Choice(0, "bold")]), may_hold=False
        ),
        dl.Mode(
            "safe",
            [dl.Outcome("1/4", "bust"), dl.Outcome("3/4", dl.Choice(1, "stop"))],
            may_hold=False,
        ),
        dl.Mode(
            "bold",
            [
                dl.Outcome("1/4", "bust"),
                dl.Outcome("1/8", "reset"),
                dl.Outcome("1/8", dl.Choice(0, "bold")),
                dl.Outcome("1/4", dl.Choice(2, "bold")),
                dl.Outcome("1/4", [dl.Choice(3, "go on"), dl.Choice(1, "go on")]),
            ],
            may_hold=False,
        ),
        dl.Mode("go on", [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(2, "go on"))]),
        dl.Mode("stop", ()),
    ],
)
SMALL = [
    dl.pig(10),
    dl.pig(8, finish="exact"),
    dl.two_dice_pig(12),
    dl.double_trouble(12),
    dl.games.pass_the_pigs(9),
    dl.games.toss_up(6),
    dl.hog(8, 4),
    dl.ten_thousand(6),
    dl.ten_thousand(6, "exact"),
    dl.ten_thousand(6, opening=200),
    FORCED,
]
LAST = [  # where a hold of the target is answered, of every kind of turn; with hot dice play is endless
    game_of(*kind)
    for kind in KINDS
    if kind[1] in ("equal turns", "last licks") and kind[0] != "hot dice"
]
NAMES = [f"{game.name} to {game.target} {game.finish} {len(game.registers)}" for game in SMALL]


def states_of(race):
    """The states that can be reached from the start, the first one being it, and all transitions from each."""
    start, _ = race.reset()
    found, more = {start: race.P[start]}, [start]
    while more:
        for transitions in found[more.pop()].values():
            for _, state, _, over in transitions:
                if not over and state not in found:
                    found[state] = race.P[state]
                    more.append(state)
    return found


def sums(found, actions, reward):
    """The expected sum of rewards from each state, a dict, with ``reward(state, action)`` for each step."""
    place = {state: k for k, state in enumerate(found)}
    entries = [
        (place[s], place[t], p) for s in found for p, t, _, over in found[s][actions[s]] if not over
    ]
    rows, columns, chances = zip(*entries, strict=True)
    moves = csc_array((chances, (rows, columns)), shape=(len(place), len(place)))
    given = spsolve(
        identity(len(place), format="csc") - moves, [reward(s, actions[s]) for s in found]
    )
    return dict(zip(found, given, strict=True))


def value(race):
    """The value of an environment by policy iteration on P alone, and whether all probabilities sum to 1."""
    found = states_of(race)

    def winnings(state, action):
        return sum(p * r for p, _, r, _ in found[state][action])

    actions = dict.fromkeys(found, ROLL)
    while True:
        values, better = sums(found, actions, winnings), {}
        for state, by_action in found.items():
            worth = {
                a: winnings(state, a)
                + sum(p * values[t] for p, t, _, over in transitions if not over)
                for a, transitions in by_action.items()
            }
            best = max(worth, key=worth.get)
            if worth[best] > worth[actions[state]] + 1e-12:
                better[state] = best
        if not better:
            break
        actions |= better
    whole = all(
        abs(sum(t[0] for t in ts) - 1) < 1e-14
        for by_action in found.values()
        for ts in by_action.values()
    )
    return values[next(iter(found))], whole


def follow(race, policy):
    """What a policy does in a game of one mode, a function of the state."""

    def action(state):
        own, opponent, total, node = race.decode(state)
        if node:  # the opponent begins
            return HOLD
        return ROLL if policy.rolls(own, opponent, total, game=race.game) else HOLD

    return action


@pytest.mark.slow
@pytest.mark.parametrize("game", SMALL + LAST, ids=[*NAMES, *(game.name for game in LAST)])
def test_the_transitions_have_the_value_of_the_game(game):
    solution = dl.solve(game)
    first, whole = value(Race(game))
    assert first == pytest.approx(solution.value, abs=1e-12) and whole
    second, whole = value(Race(game, seat=2))
    assert second == pytest.approx(1 - solution.value, abs=1e-12) and whole


@pytest.mark.slow
@pytest.mark.parametrize("game", SMALL, ids=NAMES)
def test_against_a_rule_the_transitions_have_the_value_of_the_best_response(game):
    rule = dl.hold_at(4)
    found, whole = value(Race(game, opponent=rule))
    assert found == pytest.approx(dl.best_response(game, rule).value, abs=1e-12) and whole
    assert found > dl.solve(game).value


@pytest.mark.parametrize("game", SMALL, ids=NAMES)
def test_steps_fall_as_often_as_the_transitions_say(game):
    race = Race(game, opponent=dl.hold_at(3), seat=None)
    race.reset(seed=1)
    found, times = states_of(race), 400
    for state in [*found][:: max(1, len(found) // 8)]:
        for action, transitions in found[state].items():
            if action > 2:
                continue
            expected, fell = Counter(), Counter()
            for chance, *after in transitions:
                expected[tuple(after)] += chance
            for _ in range(times):
                race.reset(options={"state": state})
                after, reward, over, _, _ = race.step(action)
                fell[after, reward, over] += 1
            assert fell.keys() <= expected.keys()
            for after, chance in expected.items():
                spread = (times * chance * (1 - chance)) ** 0.5
                assert abs(fell[after] - times * chance) < 5.5 * spread + 3, (state, after)


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("opponent", [None, dl.hold_at(9)])
def test_the_expected_sum_of_regrets_is_the_loss(seat, opponent):
    game, rule = dl.pig(12), dl.hold_at(4)
    race = Race(game, seat=seat, opponent=opponent)
    found, act = states_of(race), follow(race, rule)

    def regret(state, action):
        race.reset(options={"state": state})
        return race.step(action)[4]["regret"]

    given_away = next(iter(sums(found, {state: act(state) for state in found}, regret).values()))
    against = opponent or dl.solve(game).policy
    if seat == 1:
        best = dl.best_response(game, against).value
        achieved = dl.evaluate(game, rule, against).first_wins
    else:
        best = value(race)[0]
        achieved = 1 - dl.evaluate(game, against, rule).first_wins
    assert given_away == pytest.approx(best - achieved, abs=1e-12) and given_away > 0.01


def few(name):
    return {"target": 8} | FEW.get(name, {})


@pytest.mark.slow
@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(("which", "name"), IDS.items())
def test_gymnasium_checks_every_environment(which, name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # compiling
        made = gymnasium.make(which, render_mode="rgb_array", **few(name))
    check_env(made.unwrapped)
    check_env(gymnasium.make(which, seat=None, render_mode="ansi", **few(name)).unwrapped)


def test_every_game_has_an_id():
    assert [*IDS.values()] == [*GAMES] and {*IDS} < {*gymnasium.registry}
    assert gymnasium.make("dicelab/Race-v0", game=FORCED).unwrapped.game == FORCED
    made = gymnasium.make("dicelab/Pig-v0", target=30, finish="exact", opponent=dl.hold_at(9))
    assert made.unwrapped.game == dl.pig(30, "exact")
    assert made.unwrapped.opponent.name == "hold at 9"
    assert made.spec.max_episode_steps is None


@pytest.mark.parametrize(
    "make",
    [lambda: Race("hog", target=20, seat=None), lambda: Race("pig", opponent=dl.hold_at(20))],
)
def test_a_seed_decides_everything_and_copies_go_on_alike(make):
    def steps(race, games=30):
        random, told = np.random.default_rng(1), []
        for _ in range(games):
            state, over = None, False
            while not over:
                state, reward, over, _, info = race.step(int(random.integers(race.action_space.n)))
                told.append((state, reward, over, info["regret"], info["action_mask"].tolist()))
            told.append(race.reset()[0])
        return told

    one, other = make(), make()
    assert one.reset(seed=7)[0] == other.reset(seed=7)[0]
    copies = [copy.deepcopy(one), pickle.loads(pickle.dumps(one))]
    told = steps(one)
    assert steps(other) == told and len(told) > 100
    assert [steps(twin) == told for twin in copies] == [True, True]


def test_the_end_is_a_state_that_stays():
    race = Race("piglet", target=2)
    race.reset(seed=1)
    over = False
    while not over:
        state, _, over, truncated, info = race.step(1)
    assert state == race.observation_space.n - 1 and not truncated and not info["action_mask"].any()
    assert race.P[state][0] == [(1.0, state, 0.0, True)]
    with pytest.warns(UserWarning, match="call reset"):
        assert race.step(1)[:3] == (state, 0.0, True)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"game": "poker"}, "game: 'poker' is not allowed"),
        ({"game": 3}, "game: 3 is not allowed; give a Game"),
        ({"game": "pig", "target": 0}, "target: 0 is not allowed"),
        ({"game": dl.pig(20), "target": 30}, "target: only a game that is given by its name"),
        ({"game": "piglet", "seat": 3}, "seat: 3 is not allowed; give 1, 2 or None"),
        ({"game": "piglet", "seat": True}, "seat: True is not allowed"),
        ({"game": "piglet", "opponent": "hold at"}, "opponent: 'hold at' is not allowed"),
        ({"game": "piglet", "render_mode": "human"}, "render_mode: 'human' is not allowed"),
    ],
)
def test_wrong_arguments_are_named(arguments, said):
    with pytest.raises((ValueError, TypeError), match=said):
        Race(**arguments)


PIGLET = Race("piglet")
STATES = {"over": PIGLET.encode(9, 0, 5), "the end": PIGLET.observation_space.n - 1}


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        *(
            (partial(PIGLET.reset, options=options), ValueError, "options: .* is not allowed; give")
            for options in ("state", 3, {"seat": 2}, [1])
        ),
        (lambda: Race("pig", opponent=dl.scoring_turns(4)), NotImplementedError, "4 scoring turns"),
        (lambda: PIGLET.step(2), ValueError, "action: 2 is not allowed"),
        (lambda: PIGLET.decode(-1), ValueError, "state: -1"),
        *(
            (partial(PIGLET.reset, options={"state": state}), ValueError, "state: .* there is an a")
            for state in STATES.values()
        ),
    ],
)
def test_what_cannot_be_played_is_refused(ask, error, said):
    with pytest.raises(error, match=said):
        ask()


def test_the_table_is_drawn_and_written():
    race = Race("pig", target=20, opponent=dl.hold_at(5), render_mode="ansi")
    race.reset(options={"state": race.encode(10, 6, 4)})
    assert race.render().splitlines()[0] == "Pig to 20 against hold at 5"
    race.step(HOLD)
    assert "You: banked 4. The opponent: " in race.render()
    picture = Race("ten-thousand", target=20, render_mode="rgb_array")
    picture.reset(seed=1)
    before = picture.render()
    picture.step(1)
    assert (picture.render() != before).any()


DICTIONARIES = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
)


@pytest.mark.parametrize("players", [2, 3])
@pytest.mark.parametrize("game", ["pig", "ten-thousand"])
def test_pettingzoo_checks_the_table(players, game):
    for make in (env, raw_env):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            api_test(make(game, players=players, target=20, render_mode="ansi"), num_cycles=200)
        said = {str(warning.message) for warning in warned}
        # All games with a mask have these two.
        assert all(message.startswith(DICTIONARIES) for message in said), said
        seed_test(lambda make=make: make(game, players=players, target=20))


@pytest.mark.parametrize(
    ("players", "finish"),
    [(2, "reach"), (3, "reach"), (2, "equal turns"), (2, "last licks")],
)
def test_at_the_table_the_equilibrium_has_no_regret_and_its_chances(players, finish):
    solution = dl.solve(dl.pig(10, finish), players=players)
    table = RaceTable(solution.game, players=players, solution=solution)
    games, wins = 400, Counter()
    table.reset(seed=1)
    for _ in range(games):
        table.reset()
        while not table.terminations["player_0"]:
            own, *others = map(table._moves.points, table._from(table._seat))
            asked = {"role": table._seat} if finish == "equal turns" else {}
            scores = others if players > 2 else others[0]
            table.step(int(solution.policy.rolls(own, scores, table._total, **asked)))
            assert all(info == {"regret": 0} for info in table.infos.values())
        assert {*table.rewards.values()} == {1, -1 / (players - 1)}
        wins[max(table.rewards, key=table.rewards.get)] += 1
    chances = solution.value if players > 2 else (solution.value, 1 - solution.value)
    for agent, chance in zip(table.possible_agents, chances, strict=True):
        assert abs(wins[agent] - games * chance) < 4 * (games * chance * (1 - chance)) ** 0.5


def test_wrong_arguments_of_the_table_are_named():
    with pytest.raises(ValueError, match="players: 1 is not allowed"):
        RaceTable("pig", players=1)
    with pytest.raises(ValueError, match=r"solution: .* one of Pig to 20 for 2 players"):
        RaceTable("pig", target=20, solution=dl.solve(dl.pig(21)))
