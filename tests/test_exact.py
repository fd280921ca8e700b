"""Rational arithmetic: ties are real, and how a turn ends."""

from fractions import Fraction

import numpy as np
import pytest

import dicelab as dl
from dicelab.exact import Ends, Table, Turn
from dicelab.race import ConvergenceError


def turn_with_a_tie():
    """A coin with hold values at which a roll with one point missing is worth exactly what a hold is."""
    hold = [Fraction(1), Fraction(3, 4), Fraction(1, 4), Fraction(1, 8)]
    return Turn(dl.piglet(4), hold, np.array(hold, dtype=float), Fraction(1, 2), 3)


def test_a_tie_holds_and_is_reported():
    turn = turn_with_a_tie()  # rolling with 1 missing: 1/2·1 + 1/2·1/2 = 3/4, the worth of a hold there
    assert turn.ties == [(1, 0)]
    assert turn.rolls.tolist() == [[False, False, True]]


def test_how_a_turn_ends():
    ends = turn_with_a_tie().ends()  # roll at 3 and 2 missing, hold at 1
    assert ends == Ends({1: Fraction(1, 4)}, Fraction(3, 4))
    assert sum(ends.holds.values()) + ends.bust == 1


def test_ties_of_a_race():
    """A coin that busts two times in three, to 6: with a head in hand, at 1 to 5 and at 3 to 5, it is all the same."""
    solution = dl.solve(dl.generalized_pig(["2/3", "1/3"], 6), exact=True)
    assert solution.ties == ((1, 5, 1, "roll"), (3, 5, 1, "roll"))
    assert all(type(entry) in (int, str) for tie in solution.ties for entry in tie)
    for own, opponent, total, _ in solution.ties:
        assert not solution.policy.rolls(own, opponent, total)
        hold, bust, further = (1 - solution.values[opponent, own + banked] for banked in (total, 0, total + 1))
        assert hold == Fraction(1, 3) * further + Fraction(2, 3) * bust


@pytest.mark.parametrize("game", [dl.piglet(8), dl.pig(9), dl.generalized_pig(["1/2", "1/4", "1/4"], 7)])
def test_the_bellman_equation_holds_exactly(game):
    values, target = dl.solve(game, exact=True).values, game.target
    for own in range(target):
        for opponent in range(target):
            value = {}
            for total in range(target - own - 1, -1, -1):
                roll = Fraction(0)
                for outcome in game.modes[0].outcomes:
                    if outcome.result == "bust":
                        roll += outcome.probability * (1 - values[opponent, own])
                    else:
                        after = total + outcome.choices[0].points
                        roll += outcome.probability * (value[after] if own + after < target else 1)
                value[total] = max(roll, 1 - values[opponent, own + total]) if total else roll
            assert value[0] == values[own, opponent]


def test_a_round_limit_raises(monkeypatch):
    monkeypatch.setattr("dicelab.exact.MAX_ROUNDS", 1)
    with pytest.raises(ConvergenceError, match="strategy iteration did not settle"):
        Table(dl.pig(5)).solve_pair(1, 1, Fraction(1, 2), Fraction(1, 2))
