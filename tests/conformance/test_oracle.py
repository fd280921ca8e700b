"""The oracle itself, against numbers by hand; that a value is one, it proves by itself."""

import math
from fractions import Fraction

import oracle

import dicelab as dl

C, O, M, G = dl.Choice, dl.Outcome, dl.Mode, dl.Game  # noqa: E741
HALF = Fraction(1, 2)


def test_numbers_by_hand():
    coin = dl.piglet(1)  # a tail passes: x = 1/2 + (1 - x)/2
    assert oracle.optimum(coin).values[0, 0] + HALF == Fraction(2, 3)
    assert oracle.optimum(coin, "margin").values[0, 0] == Fraction(1, 3)
    assert oracle.fewest_turns(coin)[0] == [2]
    stuck = G("stuck", 3, (M("roll", (O("1/2", "bust"), O("1/2", C(2, "roll")))),), "exact")
    assert {s for s, v in oracle.optimum(stuck).values.items() if v == 0} == {
        (0, 0),
        (0, 2),
        (2, 0),
        (2, 2),
    }
    assert oracle.fewest_turns(stuck)[0] == [math.inf, 2, math.inf]
    hold = oracle.plan_of(coin, dl.hold_at(1))
    match = oracle.match(coin, hold, hold)
    assert (match.first_wins, match.mean, match.variance, match.margin) == (
        Fraction(2, 3),
        2,
        2,
        Fraction(1, 3),
    )
    assert match.endless == 0


def test_a_player_who_is_ahead_does_not_wait():
    """Rolling on is worth as much as holding, as it can be tried again; but for ever it is a draw."""
    game = G(
        "wait",
        1,
        (
            M("a", (O("1/2", (C(1, "b"), C(1, "a"))), O("1/2", "bust"))),
            M("b", (O(1, "bust"),), False),
        ),
    )
    assert oracle.optimum(game).values[0, 0] + HALF == Fraction(2, 3)
    game = G("x", 2, (M("a", (O(1, (C(1, "a"), C(2, "b"))),)), M("b", (O(1, "bust"),), False)))
    assert oracle.optimum(game).values[0, 0] + HALF == 1
