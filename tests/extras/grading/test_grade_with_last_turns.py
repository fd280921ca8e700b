"""Grades in games with a last turn: roles, decisions above the target, last turns; all explain the loss."""

import numpy as np
import pytest

import dicelab as dl
from dicelab_extras import grading
from tests.conformance.matrix import KINDS, game_of

FINISHES = "equal turns", "last licks"
LAST = [
    kind for kind in KINDS if kind[1] in FINISHES and kind[0] != "hot dice"
]  # or play is endless


def timid(own, opponent, turn_total, to_beat):
    """Holds wherever it may, also in a last turn at a draw."""
    return "hold" if turn_total else "roll"


def playing(policy):
    """The function that decides as a policy of equal turns."""

    def copied(own, opponent, turn_total, mode, to_beat, role):
        assert (to_beat == opponent) == (opponent >= policy.game.target) and role in (0, 1)
        return "roll" if policy.rolls(own, opponent, turn_total, mode, role=role) else "hold"

    return copied


@pytest.mark.parametrize("kind", LAST, ids=", ".join)
def test_the_decisions_explain_the_loss(kind):
    game = game_of(*kind)
    for strategy in (dl.hold_at(2), dl.scoring_turns(2), timid):
        mine = grading.grade(game, strategy)
        assert mine.loss == pytest.approx(dl.loss(game, strategy), abs=1e-13)
        given = (mine.turn_costs * mine.turns_met).sum() + mine.last_turns + mine.endless
        assert given == pytest.approx(mine.loss, abs=1e-13)
        last = mine.decisions["opponent"] >= game.target
        assert mine.decisions.loc[last, "given away"].sum() == pytest.approx(
            mine.last_turns, abs=1e-13
        )
        assert mine.last_turns == 0 or (strategy is timid and game.finish == "equal turns")
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


def test_functions_that_know_of_last_turns_in_pig():
    solution = dl.solve(dl.pig(15, "equal turns"))
    copied = grading.grade(solution.game, playing(solution.policy))
    assert copied.loss == pytest.approx(0, abs=1e-14)

    def by_role(own, opponent, turn_total, seat):
        return "roll" if turn_total < 5 + 10 * seat else "hold"

    mine = grading.grade("pig 15 finish=equal-turns", by_role)
    assert "seat is the role" in mine.strategy.read_as
    game = mine.game
    assert mine.first_wins == dl.evaluate(game, 5, mine.opponent).first_wins
    assert mine.second_wins == pytest.approx(
        1 - dl.evaluate(game, mine.opponent, 15).first_wins, abs=1e-15
    )
    with pytest.raises(ValueError, match=r"asks for role, .* which there is not"):
        grading.grade("pig 15", lambda own, opponent, turn_total, role: "roll")
    with pytest.raises(ValueError, match=r"asks for to_beat, .* which there is not"):
        grading.grade("pig 15", lambda own, opponent, turn_total, to_beat: "roll")


def test_timid_draws_cost_what_they_are_worth():
    mine = grading.grade(dl.pig(10, "equal turns"), timid)
    last = mine.decisions[mine.decisions["opponent"] >= 10]
    assert mine.last_turns > 1e-4 and len(last)
    assert np.allclose(last["cost"], 5 / 6 - 1 / 2) and (last["best"] == "roll").all()
    assert (last["own"] + last["turn total"] == last["opponent"]).all() and (
        last["role"] == 1
    ).all()
