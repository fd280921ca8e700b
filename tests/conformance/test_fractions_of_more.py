"""More players in fractions, where turns lead back: two find the ordinary solution, three an equilibrium."""

from fractions import Fraction

import pytest
from matrix import KINDS, game_of

import dicelab as dl
from dicelab.games.absorption import may_be_endless
from dicelab.solvers.more_players import solve_players
from dicelab.solvers.rational import values_led_back

BACK = [
    kind
    for kind in KINDS
    if (kind[0] == "resets" or kind[2] == "penalties")
    and not may_be_endless(game_of(*kind, target=2))
]


@pytest.mark.parametrize("kind", BACK, ids=", ".join)
def test_of_two_they_are_found_in_another_way(kind):
    game = game_of(*kind, target=2)
    known = values_led_back(game, solve_players(game, 2).policy)
    one, other = dl.solve(game, exact=True), solve_players(game, 2, True, known=known)
    assert (one.values == other.values).all()


@pytest.mark.parametrize("kind", BACK, ids=", ".join)
def test_of_three_nobody_gains(kind):
    game = game_of(*kind, target=2)
    exact, near = dl.solve(game, players=3, exact=True), dl.solve(game, players=3)
    assert (exact.values.sum(axis=-1) == 1).all()
    assert exact.values.astype(float) == pytest.approx(near.values, abs=1e-13)
    answer = dl.best_response(game, exact.policy, exact.policy)
    assert answer.values[..., 0] == pytest.approx(near.values[..., 0], abs=1e-12)


def test_too_many_equations():
    game = game_of("rolls of 0", "exact", "penalties")
    with pytest.raises(MemoryError, match="3,000 equations depend on each other, more than 1,000"):
        dl.solve(game, players=3, exact=True)


def test_two_dice_pig():
    """Any roll without a 1 wins at a target of 2; a bust and a reset change nothing."""
    solution = dl.solve(dl.two_dice_pig(2), players=3, exact=True)
    first = Fraction(25, 36) / (1 - Fraction(11, 36) ** 3)
    assert solution.value == (first, first * Fraction(11, 36), first * Fraction(11, 36) ** 2)
