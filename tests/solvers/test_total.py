"""The most points in n turns, beside a recursion over the bank and the turn total."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

import dicelab as dl


def by_recursion(game, turns, most):
    """The most expected points, by turns left and bank; one mode, and all hold at `most` points of a turn."""
    (mode,) = game.modes
    steps = [(o.probability, o.choices[0].points if o.choices else o.result) for o in mode.outcomes]

    @cache
    def value(left, bank):
        return roll(left, bank, 0) if left else bank

    @cache
    def roll(left, bank, total):
        ends = {"bust": bank, "reset": 0}
        worth = 0
        for chance, step in steps:
            if step in ends:
                worth += chance * value(left - 1, ends[step])
            elif step != "lose":
                after = total + step
                held = value(left - 1, bank + after)
                worth += chance * (held if after >= most else max(held, roll(left, bank, after)))
        return worth

    return value(turns, 0)


def test_five_rounds_with_two_dice():
    solution = dl.solve("two-dice-pig", "total", turns=5)
    assert solution.value == pytest.approx(36.291533139605, abs=1e-10)
    holds = [solution.policy.hold_threshold(bank, 0, turns_left=5) for bank in (0, 50, 100)]
    assert holds == [19, 14, 10]
    assert str(solution).startswith('<Solution of Two-dice Pig, "total" within 5 turns: 36.2915')
    assert (solution.values[0] == solution.game.scores).all()


@pytest.mark.parametrize("seed", range(6))
def test_random_dice_against_the_recursion(seed):
    """Dice that bust, lose the bank, or lose the game, which leaves nothing; in floats and in fractions."""
    random = np.random.default_rng(seed)
    parts = random.integers(1, 9, 6).tolist()
    results = ["bust", "reset", "lose"][: 1 + seed % 3]
    results += [dl.Choice(points, "roll") for points in range(1, 7 - len(results))]
    outcomes = [
        dl.Outcome(Fraction(part, sum(parts)), result)
        for part, result in zip(parts, results, strict=False)
    ]
    rest = 1 - sum(outcome.probability for outcome in outcomes)
    outcomes += [dl.Outcome(rest, dl.Choice(6, "roll"))] if rest else []
    game = dl.Game("random", target=9, modes=[dl.Mode("roll", outcomes)])
    turns = 1 + seed % 4
    expected = by_recursion(game, turns, 60)
    assert dl.solve(game, "total", turns=turns).value == pytest.approx(float(expected), rel=1e-12)
    assert dl.solve(game, "total", turns=turns, exact=True).value == expected


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
