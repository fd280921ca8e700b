"""Rules as data: what is read, and what is refused."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

import dicelab as dl


def of_choices(**modes):
    """A game with a mode for each keyword, in which a roll busts or leads to choices (points, mode); one is a stop."""
    made = [
        dl.Mode(
            name,
            [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [dl.Choice(*c) for c in choices])]
            if choices
            else (),
        )
        for name, choices in modes.items()
    ]
    return dl.Game("g", 10, made if "stop" in modes else [*made, dl.Mode("stop", ())])


HALF = [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll"))]


def test_sums_must_be_exact():
    assert dl.generalized_pig([0.5, 0.5], 3) == dl.generalized_pig(["1/2", "0.5"], 3)
    assert dl.generalized_pig([0.1] * 10, 3).most_points == 9


@pytest.mark.parametrize(
    ("probabilities", "said"),
    [
        ([1 / 6] * 6, r"probabilities: they sum to .*write '1/6' rather than the float 1/6"),
        (["1/6"] * 5, "probabilities: they sum to 5/6"),
        (["1/2", -1, "3/2"], r"probabilities\[1\]: -1"),
        ([True, 0], r"probabilities\[0\]"),
    ],
)
def test_chances_that_are_none(probabilities, said):
    with pytest.raises(ValueError, match=said):
        dl.generalized_pig(probabilities, 10)


@pytest.mark.parametrize("probabilities", [[], [1], [1, 0, 0], 7, None])
def test_a_die_must_score(probabilities):
    with pytest.raises(ValueError, match=r"probabilities|no way to score"):
        dl.generalized_pig(probabilities, 10)


@pytest.mark.parametrize(
    "target", [0, -5, 1.0, 3.5, "100", None, True, float("nan"), np.float64(10), [100], 1e3]
)
def test_a_target_is_a_whole_number_of_at_least_one(target):
    for make in (dl.pig, dl.piglet, lambda t: dl.generalized_pig(["1/2", "1/2"], t)):
        with pytest.raises(ValueError, match="target") as caught:
            make(target)
        assert repr(target) in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: dl.pig(10, finish="over"), "finish: 'over'"),
        (lambda: dl.Game("", 10, dl.Mode("roll", HALF)), "name"),
        (lambda: dl.Game("g", 10, ()), "modes"),
        (lambda: dl.Game("g", 10, "roll"), "modes"),
        (lambda: dl.Game("g", 10, (dl.Mode("roll", HALF),) * 2), "two modes have the same name"),
        (
            lambda: dl.Game("g", 10, dl.Mode("other", HALF)),
            "modes: a choice in 'other': 'roll' is not allowed; give one of",
        ),
        (lambda: dl.Mode("", HALF), "name"),
        (lambda: dl.Mode("roll", None), "outcomes"),
        (
            lambda: dl.Game("g", 10, dl.Mode("roll", dl.Outcome(1, dl.Choice(0, "roll")))),
            "enters 'roll' without a point",
        ),
        (
            lambda: dl.Mode("roll", HALF[:1]),
            "outcomes: the probabilities of mode 'roll' sum to 1/2, not to 1",
        ),
        (lambda: dl.Mode("roll", HALF, may_hold=1), "may_hold: 1"),
        (lambda: dl.Outcome(0, "bust"), "probability: 0"),
        (lambda: dl.Outcome("1/2", "busted"), "result: 'busted'"),
        (lambda: dl.Outcome("1/2", ()), "result"),
        (lambda: dl.Outcome("1/2", [1, 2]), "result"),
        (lambda: dl.Choice(-1, "roll"), "points: -1"),
        (lambda: dl.Choice(1.0, "roll"), "points: 1.0"),
        (lambda: dl.Game("g", 10, dl.Mode("roll", [dl.Outcome(1, "bust")])), "no way to score"),
        (
            lambda: of_choices(roll=[(0, "roll"), (1, "roll")]),
            "can go round 'roll' -> 'roll' without adding",
        ),
        (
            lambda: of_choices(a=[(0, "b"), (1, "a")], b=[(0, "a")]),
            "can go round 'b' -> 'a' -> 'b' without adding",
        ),
        (
            lambda: of_choices(a=[(0, "b"), (1, "a")], b=[(0, "stop")]),
            "enters 'stop' without a point",
        ),
        (lambda: of_choices(stop=[], a=[(1, "a")]), "enters 'stop' without a point"),
        (lambda: dl.Game("g", 10, dl.Mode("roll", HALF, may_hold=False)), "no way to score"),
    ],
)
def test_bad_rules_are_refused_by_name(make, said):
    with pytest.raises(ValueError) as caught:
        make()
    assert said in str(caught.value)


def test_a_turn_must_be_able_to_end():
    start = dl.Mode(
        "roll",
        [
            *HALF[:1],
            dl.Outcome("1/4", dl.Choice(1, "roll")),
            dl.Outcome("1/4", dl.Choice(1, "trap")),
        ],
    )
    for choices in ([dl.Choice(1, "trap")], [dl.Choice(0, "trap")], []):
        forever = dl.Mode("trap", [dl.Outcome(1, choices)] if choices else (), may_hold=False)
        with pytest.raises(ValueError, match="a turn that is in 'trap' never ends"):
            dl.Game("g", 10, (start, forever))
        dl.Game("g", 10, (dl.Mode("roll", HALF), forever))  # nobody ever gets there


def test_games_are_frozen_equal_and_hashable():
    game = dl.pig(100)
    assert game == dl.pig() == dl.generalized_pig(["1/6", 0, *["1/6"] * 5], 100, name="Pig")
    assert len({game, dl.pig(100), dl.pig(50), dl.pig(100, finish="exact")}) == 3
    with pytest.raises(AttributeError):
        game.target = 50


def test_several_dice():
    """Against a count of all rolls, dice told apart."""
    game = dl.generalized_pig(["1/4", "1/2", 0, "1/4"], 20, dice=3, bust=2, reset=3)
    (mode,) = game.modes
    chances = {0: Fraction(1, 4), 1: Fraction(1, 2), 3: Fraction(1, 4)}
    expected = {}
    for roll in itertools.product(chances, repeat=3):
        zeros = roll.count(0)
        result = "reset" if zeros == 3 else "bust" if zeros == 2 else sum(roll)
        expected[result] = expected.get(result, 0) + math.prod(chances[face] for face in roll)
    assert {
        o.choices[0].points if o.choices else o.result: o.probability for o in mode.outcomes
    } == expected
    shown = [roll for outcome in mode.outcomes for roll in outcome.rolls]
    assert len(shown) == len(set(shown)) == 10
    sixths = ["1/6", 0, *["1/6"] * 5]
    two_dice = dl.generalized_pig(sixths, 100, dice=2, reset=2, name="Two-dice Pig")
    assert two_dice == dl.two_dice_pig()


def test_a_score_with_a_register_is_for_games_with_registers():
    game = dl.piglet(4)
    assert game.index(dl.Score(2, "none")) == game.index(2) == 2
    with pytest.raises(
        ValueError, match=r"own: Score\(2, 'open'\) .* a score whose register is one of 'none'"
    ):
        dl.solve(game).policy.rolls(dl.Score(2, "open"), 0, 1)
    for points in (True, 2.0, "2"):
        with pytest.raises(ValueError, match=r"points: .* is not allowed; give a whole number"):
            dl.Score(points, "open")
