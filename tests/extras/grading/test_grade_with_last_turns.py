"""Grades in games with a last turn: roles, decisions above the target, last turns; all explain the loss."""

import pytest

import dicelab as dl
from dicelab_extras import grading
from tests.conformance.matrix import KINDS, game_of

FINISHES = "equal turns", "last licks"
LAST = [
    kind for kind in KINDS if kind[1] in FINISHES and kind[0] != "hot dice"
]  # or play is endless


@pytest.mark.parametrize("kind", LAST, ids=", ".join)
def test_the_decisions_explain_the_loss(kind):
    game = game_of(*kind)
    for strategy in (dl.hold_at(2), dl.scoring_turns(2)):
        mine = grading.grade(game, strategy)
        assert mine.loss == pytest.approx(dl.loss(game, strategy), abs=1e-13)
        given = (mine.turn_costs * mine.turns_met).sum() + mine.last_turns + mine.endless
        assert given == pytest.approx(mine.loss, abs=1e-13)
        last = mine.decisions["opponent"] >= game.target
        assert mine.decisions.loc[last, "given away"].sum() == pytest.approx(
            mine.last_turns, abs=1e-13
        )
        assert mine.last_turns == 0
        assert ("role" in mine.decisions) == (game.finish == "equal turns")


@pytest.mark.parametrize("finish", FINISHES)
def test_one_wrong_decision_costs_what_the_action_values_say(finish):
    """Hold at 20 in Pig: where it holds at the target, and where it holds below."""
    solution = dl.solve(dl.pig(25, finish))
    mine = grading.grade(solution.game, 20)
    rows = mine.decisions[mine.decisions["dice"] == "roll"].head(20)
    for row in rows.to_dict("records"):
        role = {"role": row["role"]} if finish == "equal turns" else {}
        table = dl.action_values(solution, row["own"], row["opponent"], **role)
        at = table.loc[row["turn total"]]
        assert row["cost"] == pytest.approx(at["best"] - at[row["does"]], abs=1e-13)
    above = rows["own"] + rows["turn total"] >= 25
    assert above.any() and (rows.loc[above, "best"] == "roll").all()
