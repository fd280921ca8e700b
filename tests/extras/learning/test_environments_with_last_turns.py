"""Environments of games with a last turn: roles, what is allowed; the values are in test_environments.py."""

import pytest

pytest.importorskip("gymnasium")

from dicelab.evaluation.referee import HOLD, ROLL
from dicelab_extras.learning.environments import Race, RaceTable

FINISHES = "equal turns", "last licks"


@pytest.mark.parametrize("finish", FINISHES)
def test_what_is_allowed_in_a_last_turn_and_above_the_target(finish):
    race, masks = Race("pig", target=20, finish=finish), {}
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


def test_roles_are_told():
    race = Race("pig", target=20, finish="equal turns", seat=None)
    assert {race.decode(race.reset(seed=seed)[0])[4] for seed in range(20)} == {0, 1}
    for role in (0, 1):
        assert race.decode(race.encode(own=3, opponent=4, turn_total=2, role=role))[4] == role
    with pytest.raises(ValueError, match="role: 2 is not allowed"):
        race.encode(3, 4, role=2)
    with pytest.raises(ValueError, match="role: 1 is not allowed; give None"):
        Race("pig", target=20).encode(3, 4, role=1)


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
