"""Environments of games with a last turn: values of their transitions, steps, observations, and the table of two."""

import sys
from dataclasses import replace
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

import dicelab as dl

pytest.importorskip("gymnasium")
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, seed_test

from dicelab.evaluation.referee import HOLD, ROLL
from dicelab_extras.learning.environments import Race, RaceTable, VectorObservation, env

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
sys.path.insert(0, str(Path(__file__).parent))
from matrix import KINDS, game_of
from test_environments import value

sys.path[:2] = []
FINISHES = "equal turns", "last licks"
LAST = [
    kind for kind in KINDS if kind[1] in FINISHES and kind[0] != "hot dice"
]  # or play is endless
GAMES = 2000  # of a simulation


@pytest.mark.parametrize("kind", LAST, ids=", ".join)
def test_the_transitions_have_the_value_of_the_game(kind):
    game = game_of(*kind)
    solution = dl.solve(game)
    second = 1 - solution.value
    for seat, best in ((1, solution.value), (2, second)):
        found, whole = value(Race(game, seat=seat))
        assert found == pytest.approx(best, abs=1e-12) and whole


@pytest.mark.parametrize("kind", LAST[1::3], ids=", ".join)
def test_against_a_rule_the_transitions_have_the_value_of_the_best_response(kind):
    game = game_of(*kind, target=3)
    found, whole = value(Race(game, opponent=2))
    assert found == pytest.approx(dl.best_response(game, 2).value, abs=1e-12) and whole


@pytest.mark.parametrize("seat", [1, 2])
@pytest.mark.parametrize("finish", FINISHES)
@pytest.mark.parametrize("kind", [("plain", "penalties"), ("dice set aside", "an opening minimum")])
def test_what_is_won_at_random_and_given_away_is_the_optimum(kind, finish, seat):
    """Rewards and regrets sum to the best value on average, whatever is played."""
    game = game_of(kind[0], finish, kind[1])
    solution = dl.solve(game)
    race, drawn = Race(game, seat=seat), np.random.default_rng(1)
    sums, rewards = [], set()
    _, info = race.reset(seed=1)
    for _ in range(GAMES):
        over, given = False, 0.0
        while not over:
            action = int(drawn.choice(np.flatnonzero(info["action_mask"])))
            _, reward, over, _, info = race.step(action)
            given += info["regret"]
        sums.append(reward + given)
        rewards.add(reward)
        _, info = race.reset()
    best = solution.value if seat == 1 else 1 - solution.value
    assert abs(np.mean(sums) - best) < 4 * np.std(sums) / sqrt(GAMES)
    assert {0.0, 1.0} <= rewards <= {0.0, 0.5, 1.0}
    if seat == 2 or finish == "last licks":  # a chaser of the optimum may prefer to roll on
        assert (0.5 in rewards) == (finish == "equal turns")


@pytest.mark.parametrize("finish", FINISHES)
def test_the_optimal_policy_wins_as_often_as_the_solution_says(finish):
    game = dl.pig(12, finish)
    solution, race, rewards = dl.solve(game), Race(game, seat=1), []
    state, _ = race.reset(seed=2)
    for _ in range(GAMES):
        over = False
        while not over:
            own, opponent, total, _, *role = race.decode(state)
            roll = solution.policy.rolls(
                own, opponent, total, **dict(zip(["role"], role, strict=False))
            )
            state, reward, over, _, info = race.step(ROLL if roll else HOLD)
            assert info["regret"] == 0
        rewards.append(reward)
        state, _ = race.reset()
    assert abs(np.mean(rewards) - solution.value) < 4 * np.std(rewards) / sqrt(GAMES)


def test_what_is_allowed_in_a_last_turn_and_above_the_target():
    for finish in FINISHES:
        race = Race("pig", target=20, finish=finish)
        masks = {}
        for opponent, total in ((23, 5), (23, 8), (10, 5), (10, 12)):
            state = race.encode(own=15, opponent=opponent, turn_total=total)
            assert race.decode(state)[:3] == (15, opponent, total)
            _, info = race.reset(options={"state": state})
            masks[opponent, total] = info["action_mask"].tolist()
        draws = [1, 1] if finish == "equal turns" else [0, 1]
        assert masks == {(23, 5): [0, 1], (23, 8): draws, (10, 5): [1, 1], (10, 12): [1, 1]}
        over = race.encode(own=15, opponent=23, turn_total=9)
        with pytest.raises(ValueError, match="one in which there is an action"):
            race.reset(options={"state": over})  # ahead of the score to beat
        state = race.encode(own=15, opponent=10, turn_total=12)  # lead with 27 points
        ends = race.P[state][HOLD]
        assert sum(p for p, *_ in ends) == pytest.approx(1) and all(over for *_, over in ends)
        values = dl.action_values(dl.solve(race.game), 15, 10)
        assert sum(p * r for p, _, r, _ in ends) == pytest.approx(values["hold"][12], abs=1e-13)


def test_roles_are_told():
    race = Race("pig", target=20, finish="equal turns", seat=None)
    seen = {race.decode(race.reset(seed=seed)[0])[4] for seed in range(20)}
    assert seen == {0, 1}
    for role in (0, 1):
        assert race.decode(race.encode(own=3, opponent=4, turn_total=2, role=role))[4] == role
    with pytest.raises(ValueError, match="role: 2 is not allowed"):
        race.encode(3, 4, role=2)
    with pytest.raises(ValueError, match="role: 1 is not allowed; give None"):
        Race("pig", target=20).encode(3, 4, role=1)
    with pytest.raises(ValueError, match="opponent: 9999 is not allowed"):
        race.encode(3, 9999)
    assert Race("pig", target=20).observation_space.n == 20**3 + 2  # as it was


@pytest.mark.parametrize("finish", FINISHES)
def test_gymnasium_checks_vectors_and_pictures(finish):
    check_env(Race("pig", target=12, finish=finish, seat=None))
    vectors = VectorObservation(Race("pig", target=12, finish=finish, render_mode="ansi"))
    check_env(vectors, skip_render_check=True)
    race = vectors.unwrapped
    vectors.reset(options={"state": race.encode(own=6, opponent=15)})
    seen = vectors.observation(race.encode(own=6, opponent=15))
    assert seen[:3].tolist() == [0.5, 1.25, 0.0] and seen in vectors.observation_space
    assert seen[-1] == 1.0 if finish == "equal turns" else len(seen) == 6
    assert "> You        6\n  Opponent   15" in race.render()


@pytest.mark.parametrize("finish", FINISHES)
def test_the_table_of_two(finish):
    game = dl.pig(12, finish)
    solution = dl.solve(game)
    api_test(RaceTable(game), num_cycles=100)
    for perfect in (True, False):
        table, won, drawn = RaceTable(game, solution=solution), [], np.random.default_rng(1)
        for seed in range(GAMES // 4):
            table.reset(seed=seed)
            given = dict.fromkeys(table.possible_agents, 0.0)
            while table.agents and not table.terminations[agent := table.agent_selection]:
                seen = table.observe(agent)
                assert seen["observation"] in table.observation_spaces[agent]["observation"]
                options = np.flatnonzero(seen["action_mask"])
                action = int(drawn.choice(options))
                if perfect and len(options) > 1:
                    at = table._from(table._seat), table._total
                    scores = [int(table._moves.points(place)) for place in at[0]]
                    role = {"role": table._seat} if finish == "equal turns" else {}
                    role = {} if scores[1] >= 12 else role
                    action = int(solution.policy.rolls(*scores, at[1], **role))
                table.step(action)
                given[agent] += table.infos[agent]["regret"]
            won.append((table.rewards["player_0"] + 1) / 2 + given["player_0"] - given["player_1"])
            assert not perfect or set(given.values()) == {0.0}
        assert abs(np.mean(won) - solution.value) < 4 * np.std(won) / sqrt(len(won))


def follow(policy, table):
    """What a policy of several players does for the agent who is to move."""
    moves, role = table._moves, table._role
    own, *others = map(moves.points, table._from(table._seat))
    rolls, choices = policy.turn_at(table.game, own, others, role=role, choices=True)
    total = min(table._total, rolls.shape[1] - 1)
    if table._node >= moves.modes:
        return int(choices[table._node - moves.modes, total])
    held = table._total > total and table.game.modes[table._node].may_hold
    return HOLD if held else int(rolls[table._node, total])


MORE = [
    (game_of(turn, finish, register, target=3), 3)
    for finish in FINISHES
    for turn, register in [("forced rolls", "a bust that scores"), ("dice set aside", "penalties")]
]
MORE += [(dl.pig(8, finish), 3) for finish in FINISHES]
MORE += [(game_of("plain", finish, target=2), 4) for finish in FINISHES]


@pytest.mark.parametrize(("game", "players"), MORE, ids=lambda part: getattr(part, "name", part))
def test_the_table_of_more_has_the_chances_of_the_solution(game, players):
    """Everybody's chances in optimal play; and those of one who plays at random, with what is given away."""
    solution, drawn = dl.solve(game, players=players), np.random.default_rng(11)
    table = RaceTable(game, players=players, solution=solution)
    space = table.observation_spaces["player_0"]["observation"]
    seen, shared = set(), {0.333, 0.5} if game.finish == "equal turns" else set()
    for wild in (None, *range(players)):
        found = []
        for _ in range(GAMES // 10):
            table.reset(seed=None if found else 1)
            given = dict.fromkeys(table.possible_agents, 0.0)
            while not table.terminations[agent := table.agent_selection]:
                observed = table.observe(agent)
                assert observed["observation"] in space
                options = np.flatnonzero(observed["action_mask"])
                action = int(drawn.choice(options))
                if table._seat != wild and len(options) > 1:
                    action = follow(solution.policy, table)
                    assert action in options
                table.step(action)
                given[agent] += table.infos[agent]["regret"]
            rewards = np.array([*table.rewards.values()])
            assert abs(rewards.sum()) < 1e-15
            shares = (1 + (players - 1) * rewards) / players
            found.append(shares + np.array([*given.values()]))
            seen |= set(shares.round(3).tolist())
            assert all(agent == f"player_{wild}" for agent in given if given[agent] > 0)
        off, deviation = np.mean(found, axis=0) - solution.value, np.std(found, axis=0)
        judged = range(players) if wild is None else [wild]
        for seat in judged:
            assert abs(off[seat]) < 4 * deviation[seat] / sqrt(len(found)), (wild, seat)
    assert {0.0, 1.0} <= seen <= {0.0, 1.0} | shared


@pytest.mark.parametrize("players", [3, 4])
@pytest.mark.parametrize("finish", FINISHES)
def test_pettingzoo_checks_the_table_of_more(finish, players):
    def make():
        return env("pig", players=players, target=8, finish=finish)

    api_test(make(), num_cycles=100)
    seed_test(make)


def test_what_three_do_in_their_last_turns():
    for finish in FINISHES:
        table = RaceTable("pig", players=3, target=20, finish=finish)
        table.reset(seed=1)
        table._places, table._seat = [23, 18, 15], 1
        table._begin_turn()
        masks = {}
        for total in (5, 6, 25):  # it draws, is ahead, and far ahead of 23 with one more to come
            table._total = total
            masks[total] = table.observe("player_1")["action_mask"].tolist()
        assert masks[5] == ([1, 1] if finish == "equal turns" else [0, 1])
        assert masks[6] == [1, 1]
        table._total = 6
        table.step(HOLD)
        assert table.agent_selection == "player_2" and not any(table.terminations.values())
        assert table.observe("player_2")["observation"][:3] == pytest.approx([0.75, 1.15, 1.2])
        table._total = 9
        if finish == "equal turns":  # an equal score shares the win
            table.step(HOLD)
            assert [*table.rewards.values()] == [-0.5, 0.25, 0.25]
        else:
            assert table.observe("player_2")["action_mask"].tolist() == [0, 1]


def test_a_forced_roll_above_the_target_goes_on():
    """A mode without a hold may be left far above the target; its turns still have all their probability."""
    for finish in FINISHES:
        game = replace(game_of("forced rolls", finish), name="Forced")
        race = Race(game)
        assert value(race)[0] == pytest.approx(dl.solve(game).value, abs=1e-12)
        assert race.P._model.more > race.P._model.above > 0
