"""The most points in n turns, of every kind of game, beside a recursion over the bank, the register and the turn."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import dicelab as dl
from dicelab.games.registers import PLAIN
from tests.conformance.matrix import KINDS, game_of

FAR, END = 20, 60  # points of a turn at which all hold who may, and at which all do

ROUNDS = [  # by a recursion like the one below, in floats
    (dl.pig(), 1, 0.3198917743903),
    (dl.pig(), 2, 0.3625521952788),
    (dl.two_dice_pig(), 1, 0.3715660032329),
    (dl.two_dice_pig(), 2, 0.3904987214951),
]


def by_recursion(game, turns, players=1):
    """The most expected points, or the chance to have more than the other player, a Fraction, by the rules alone."""
    game = game.until_change
    registers = {register.name: register for register in game.registers or (PLAIN,)}

    @cache
    def value(left, mine, theirs):
        if not left:
            return Fraction(
                mine[0] if players == 1 else 1 + (mine[0] > theirs[0]) - (mine[0] < theirs[0]),
                players,
            )
        return within(left, mine, theirs, game.mode(registers[mine[1]].mode), 0)

    def after(left, mine, theirs):
        return value(left - 1, mine, theirs) if players == 1 else 1 - value(left - 1, theirs, mine)

    @cache
    def within(left, mine, theirs, m, total):
        mode, (bank, name) = game.modes[m], mine
        register, behind = registers[name], max(0, theirs[0] - bank)
        lost = max(bank - register.penalty, game.lowest), register.after_bust
        bust = after(left, lost, theirs)
        hold = None
        if (mode.may_hold and total >= register.least_hold) or total >= END + behind:
            hold = after(left, (bank + total, register.after_hold), theirs)
        if mode.must_hold or (hold is not None and total >= FAR + behind):
            return bust if hold is None else hold
        worth = Fraction(0)
        for outcome in mode.outcomes:
            if outcome.choices:
                led = [
                    within(left, mine, theirs, game.mode(choice.mode), total + choice.points)
                    for choice in outcome.choices
                ]
                worth += outcome.probability * max(led)
            elif outcome.result != "lose":  # which leaves nothing
                led = after(left, (0, next(iter(registers))), theirs)
                worth += outcome.probability * (bust if outcome.result == "bust" else led)
        return worth if hold is None else max(hold, worth)

    begin = 0, next(iter(registers))
    return value(turns, begin, begin)


@pytest.mark.parametrize("kind", KINDS, ids=", ".join)
def test_every_kind_of_game(kind):
    game = game_of(*kind)
    expected = float(by_recursion(game, 2))
    assert dl.solve(game, "total", turns=2).value == pytest.approx(expected, rel=1e-12)
    assert dl.solve(game, "rounds", turns=1).value == pytest.approx(
        float(by_recursion(game, 2, players=2)), abs=1e-12
    )


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


@pytest.mark.parametrize(("game", "turns", "value"), ROUNDS)
def test_the_higher_score_after_some_rounds(game, turns, value):
    solution = dl.solve(game, "rounds", turns=turns)
    assert solution.value == solution.at() == pytest.approx(value, abs=1e-10)
    assert solution.at(20, 12, turns_left=0) == 1 - solution.at(12, 20, turns_left=0) == 1
    after = 1 - solution.at(8, 20, turns_left=1)
    assert dl.action_values(solution, 12, 8, turns_left=2)["hold"][8] == pytest.approx(after)
    assert [solution.policy.rolls(0, 30, total, turns_left=1) for total in (29, 31)] == [
        True,
        False,
    ]
    if turns == 1:
        assert float(dl.solve(game, "rounds", turns=1, exact=True).value) == pytest.approx(value)
    elif solution.game.resets:
        assert np.isnan(solution.at(solution.game.target - 1, 0, turns_left=2 * turns))


def test_what_total_needs():
    with pytest.raises(ValueError, match="turns: None is not allowed"):
        dl.solve("pig", "total")
    with pytest.raises(ValueError, match="has no best turn"):
        dl.solve(dl.generalized_pig([0, "1/2", "1/2"], 20), "total", turns=2)
    with pytest.raises(ValueError, match="not for 'total'"):
        dl.loss(dl.solve("pig", "total", turns=2), 20)
