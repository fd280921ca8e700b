"""The referee: who plays best has no regret, and what no turn enters has no value."""

import dicelab as dl


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
