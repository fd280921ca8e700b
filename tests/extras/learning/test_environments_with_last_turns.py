"""Environments of games with a last turn: roles, what is allowed; the values are in test_environments.py."""

import pytest

import dicelab as dl

pytest.importorskip("gymnasium")

from dicelab.evaluation.referee import HOLD, ROLL
from dicelab_extras.learning.environments import Race, RaceTable

FINISHES = "equal turns", "last licks"


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
def test_at_the_table_two_have_last_turns_and_the_solution_no_regret(finish):
    solution = dl.solve(dl.pig(10, finish=finish))
    table = RaceTable(solution.game, solution=solution)
    won = []
    table.reset(seed=1)
    for _ in range(400):
        table.reset()
        while not table.terminations["player_0"]:
            own, other = map(table._moves.points, table._from(table._seat))
            role = table._seat if finish == "equal turns" else None
            table.step(int(solution.policy.rolls(own, other, table._total, role=role)))
            assert all(info == {"regret": 0} for info in table.infos.values())
        assert table.rewards["player_0"] == -table.rewards["player_1"]
        won.append(table.rewards["player_0"])
    assert abs(sum(won) / 800 + 0.5 - solution.value) < 0.1


def test_a_draw_at_the_table_is_worth_nothing():
    """Both hold as soon as they may."""
    table, found = RaceTable("pig", target=10, finish="equal turns"), set()
    table.reset(seed=1)
    for _ in range(400):
        table.reset()
        while not table.terminations["player_0"]:
            may_hold = table.observe(table.agent_selection)["action_mask"][HOLD]
            table.step(HOLD if may_hold else ROLL)
        found.add(table.rewards["player_0"])
    assert found == {-1, 0, 1}


def test_three_with_a_last_turn_are_refused():
    with pytest.raises(NotImplementedError, match=r"finish='last licks': .*more than two players"):
        RaceTable("pig", players=3, finish="last licks")
