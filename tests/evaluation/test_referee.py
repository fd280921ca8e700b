"""The referee: who plays best has no regret, and what no turn enters has no value."""

import numpy as np
from conftest import judged_turn

import dicelab as dl
from dicelab.evaluation.referee import Referee, regrets_of


def test_the_optimal_policy_and_the_best_response_have_no_regret():
    for game in (dl.pig(30), dl.double_trouble(20), dl.ten_thousand(8)):
        for opponent in (None, dl.hold_at(4)):
            referee = Referee(game, opponent)
            for own, other in ((0, 0), (3, 5), (game.target - 2, 1)):
                regrets = regrets_of(judged_turn(referee, own, other)[0])
                rolls = referee.best.policy.decisions(game, own, other).astype(int)
                met = np.take_along_axis(regrets, rolls[..., None], axis=-1)
                assert np.nanmax(met) == 0.0 < np.nanmax(regrets)
                assert (np.nanmin(regrets[:, 1:], axis=-1) == 0.0).all()


def test_modes_that_no_turn_enters_have_no_action_values():
    """What such a mode is worth is not known above the target; what is entered without points is known there alone."""
    coin = dl.Mode("coin", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "coin"))])
    first = dl.Mode("first", [dl.Outcome(1, dl.Choice(1, "coin"))], may_hold=False)
    rolls = [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(3, "never"))]
    game = dl.Game("three modes", 4, [first, coin, dl.Mode("never", rolls, may_hold=False)])
    found = dl.action_values(dl.solve(game), 1, 2)
    assert found[["never", "best, never"]].isna().all(axis=None)
    assert found["first"].notna().tolist() == [True, False, False]
    assert found[["coin", "best, coin"]].notna().all(axis=None)
    three = dl.action_values(dl.solve(game, players=3), 1, (2, 0))
    assert three[["never, seat 2", "best, never"]].isna().all(axis=None)
    assert three["first, seat 3"].notna().tolist() == [True, False, False]
