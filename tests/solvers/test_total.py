"""The most points in n turns, of every kind of game, beside a recursion over the bank, the register and the turn."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import dicelab as dl
from dicelab.games.registers import PLAIN
from tests.conformance.matrix import KINDS, game_of

FAR, END = 40, 200  # points of a turn at which all hold who may, and at which all do


def by_recursion(game, turns):
    """The most expected points, a Fraction, by the rules alone."""
    game = game.until_change
    registers = {register.name: register for register in game.registers or (PLAIN,)}

    @cache
    def value(left, bank, name):
        if not left:
            return Fraction(bank)
        return within(left, bank, registers[name], game.mode(registers[name].mode), 0)

    @cache
    def within(left, bank, register, m, total):
        mode = game.modes[m]
        bust = value(left - 1, max(bank - register.penalty, game.lowest), register.after_bust)
        hold = None
        if (mode.may_hold and total >= register.least_hold) or total >= END:
            hold = value(left - 1, bank + total, register.after_hold)
        if mode.must_hold or (hold is not None and total >= FAR):
            return bust if hold is None else hold
        worth = Fraction(0)
        for outcome in mode.outcomes:
            if outcome.choices:
                led = [
                    within(left, bank, register, game.mode(choice.mode), total + choice.points)
                    for choice in outcome.choices
                ]
                worth += outcome.probability * max(led)
            elif outcome.result != "lose":  # which leaves nothing
                led = value(left - 1, 0, next(iter(registers)))
                worth += outcome.probability * (bust if outcome.result == "bust" else led)
        return worth if hold is None else max(hold, worth)

    return value(turns, 0, next(iter(registers)))


@pytest.mark.parametrize("kind", KINDS, ids=", ".join)
def test_every_kind_of_game(kind):
    game = game_of(*kind)
    expected = float(by_recursion(game, 2))
    assert dl.solve(game, "total", turns=2).value == pytest.approx(expected, rel=1e-12)


def test_an_outcome_that_loses_leaves_nothing():
    results = ["bust", "reset", "lose", dl.Choice(2, "roll"), dl.Choice(5, "roll")]
    parts = [1, 2, 1, 6, 5]
    outcomes = [
        dl.Outcome(Fraction(part, 15), result) for part, result in zip(parts, results, strict=True)
    ]
    game = dl.Game("three ends", target=9, modes=[dl.Mode("roll", outcomes)])
    for turns in (1, 3):
        expected = by_recursion(game, turns)
        assert dl.solve(game, "total", turns=turns, exact=True).value == expected
        assert dl.solve(game, "total", turns=turns).value == pytest.approx(
            float(expected), rel=1e-12
        )


def test_five_rounds_with_two_dice():
    solution = dl.solve("two-dice-pig", "total", turns=5)
    assert solution.value == pytest.approx(36.291533139605, abs=1e-10)
    holds = [solution.policy.hold_threshold(bank, 0, turns_left=5) for bank in (0, 50, 100)]
    assert holds == [19, 14, 10]
    assert str(solution).startswith('<Solution of Two-dice Pig, "total" within 5 turns: 36.2915')
    assert (solution.values[0] == np.array(solution.game.scores)).all()


@pytest.mark.parametrize("game", ["pig", "ten-thousand", "toss-up"])
def test_without_resets_turns_count_one_by_one(game):
    once = dl.solve(game, "score").value
    assert dl.solve(game, "total", turns=3).value == pytest.approx(3 * once, rel=1e-12)


def test_what_total_needs():
    with pytest.raises(ValueError, match="turns: None is not allowed"):
        dl.solve("pig", "total")
    with pytest.raises(ValueError, match="has no best turn"):
        dl.solve(dl.generalized_pig([0, "1/2", "1/2"], 20), "total", turns=2)
    with pytest.raises(ValueError, match="not for 'total'"):
        dl.loss(dl.solve("pig", "total", turns=2), 20)
