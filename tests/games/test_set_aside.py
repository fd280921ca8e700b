"""Games in which dice are set aside: every roll of Ten Thousand by its rules, Farkle's combinations, bad scores."""

from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

import dicelab as dl

GAME = dl.ten_thousand(14)


def chips(roll):
    """What all scoring dice of a roll are worth in Ten Thousand, by the words of the rules."""
    counts = Counter(roll)
    score = sum({1: 20, 5: 10}.get(face, 2 * face) for face in counts if counts[face] >= 3)
    left = {face: counts[face] - 3 * (counts[face] >= 3) for face in (1, 5)}
    return score + 2 * left[1] + left[5]


@pytest.mark.parametrize("dice", range(1, 6))
def test_ten_thousand_is_its_rolls(dice):
    """Every roll leads to an outcome that sets aside all that scores, with the right points; the chances add up."""
    mode = next(mode for mode in GAME.modes if mode.dice == dice)
    seen = Counter()
    for roll in product(range(1, 7), repeat=dice):
        where, outcome = GAME.classify_roll(roll)
        assert where is mode
        seen[id(outcome)] += 1
        assert (outcome.choices[0].points if outcome.choices else 0) == chips(roll)
        for choice in outcome.choices:
            assert Counter(choice.aside) <= Counter(roll)
            assert chips(choice.aside) == choice.points
            left = dice - len(choice.aside)
            assert choice.mode == {0: "5 dice", 1: "1 die"}.get(left, f"{left} dice")
    for outcome in mode.outcomes:
        assert outcome.probability == Fraction(seen[id(outcome)], 6**dice)


def test_farkle_is_its_rules():
    game = dl.farkle()
    best = {
        (1, 2, 3, 4, 5, 6): 1500,
        (2, 2, 3, 3, 4, 4): 1500,
        (1, 1, 1, 5, 2, 3): 1050,
        (4, 4, 4, 4, 1, 5): 1150,
        (3, 3, 3, 3, 3, 3): 3000,
        (1, 1, 1, 1, 1, 2): 2000,
        (2, 2, 2, 6, 6, 6): 800,
        (5, 5, 2, 3, 4, 6): 100,
        (2, 2, 2, 2, 3, 3): 1000,
    }
    for roll, points in best.items():
        _, outcome = game.classify_roll(roll)
        assert 50 * max(choice.points for choice in outcome.choices) == points
    assert game.classify_roll((2, 3, 4, 6, 2, 3))[1].result == "bust"
    assert game.modes[0].chance("bust") == Fraction(1080, 6**6), (
        "known: 2.3 % of the rolls of six dice"
    )
    assert (
        dl.farkle(four=400, unit=100, five=0, one=100, three_pairs=0, straight=0)
        .classify_roll([5, 5, 2, 2, 3, 4])[1]
        .result
        == "bust"
    )


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"unit": 0}, "unit: 0"),
        ({"one": 75}, "one: 75 is not allowed; give a multiple of 50"),
        ({"straight": -50}, "straight: -50"),
        ({"triples": (1, 2)}, "triples: "),
        ({"triples": (1000, 200, 300, 400, 500, 610)}, "triples.5.: 610"),
        ({"target": 0}, "target: 0"),
    ],
)
def test_bad_farkle(rules, said):
    with pytest.raises(ValueError, match=said):
        dl.farkle(**rules)
