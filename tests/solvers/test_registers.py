"""Games with registers: one register that changes nothing, one player alone, and the order of the work.

Two players are compared with the textbook in tests/conformance/test_games_with_registers.py.
"""

from dataclasses import replace

import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from dicelab import Register, Score

ONE = (Register("only"),)
OPENING = Register("not opened", "opened", least_hold=8), Register("opened")
BUSTS = [
    Register(f"{n} busts", "0 busts", f"{(n + 1) % 3} busts", penalty=5 * (n == 2), least_hold=3)
    for n in range(3)
]
TURNWISE = Register("odd", "even", "even"), Register("even", "odd", "odd", least_hold=2)
PLAIN = [
    dl.pig(30),
    dl.two_dice_pig(25),
    dl.ten_thousand(15),
    dl.double_trouble(20),
    dl.games.toss_up(12),
    dl.hog(15, 3),
]
WITH = [
    replace(dl.pig(20), registers=OPENING),
    replace(dl.pig(20), registers=BUSTS, lowest=-8),
    replace(dl.two_dice_pig(20), registers=BUSTS, lowest=-8),
    replace(dl.ten_thousand(12), registers=BUSTS, lowest=-6),
    replace(dl.double_trouble(20), registers=TURNWISE),
    replace(dl.hog(12, 3), registers=BUSTS, lowest=-5),
    replace(
        dl.double_trouble(20),
        registers=(Register("first", "second", mode="forced"), Register("second")),
    ),
]


def named(game):
    return f"{game.name}, {game.registers[0].name if game.registers else ''}"


@pytest.mark.parametrize("game", PLAIN, ids=named)
def test_a_register_that_changes_nothing_changes_no_value(game):
    mine = replace(game, registers=ONE)
    objectives = [("win", {}), ("turns", {}), ("deadline", {"turns": 4}), ("margin", {})]
    for objective, more in objectives:
        expected, found = (dl.solve(each, objective, **more) for each in (game, mine))
        assert abs(expected.values - found.values).max() < 1e-13 * (
            game.target if objective == "margin" else 1
        )
        moment = {"turns_left": 3} if more else {}
        one, other = (each.policy.roll_mask(**moment) for each in (expected, found))
        assert np.array_equal(one, other)


@pytest.mark.parametrize("game", WITH, ids=named)
def test_deadlines_are_the_textbooks(game):
    expected = textbook.deadline_chances(game, 3)
    found = dl.solve(game, "deadline", turns=3)
    assert found.values.shape == (4, len(game.scores))
    assert (
        max(abs(float(chance) - found.values[state]) for state, chance in expected.items()) < 1e-14
    )


def test_policies_know_registers():
    policy, rule = dl.solve(WITH[0]).policy, dl.hold_at(5)
    assert policy.rolls(0, 0, 7) and policy.rolls(Score(0, "not opened"), Score(9, "opened"), 7)
    scores = Score(8, "not opened"), Score(8, "opened")
    assert [
        rule.rolls(own, 0, total, game=WITH[0]) for own in scores for total in (4, 5, 7, 8)
    ] == [
        *[True, True, True, False],
        *[True, False, False, False],
    ]
    with pytest.raises(
        ValueError,
        match=r"own: Score.10, 'lost'. is not allowed; give a score whose register is one of",
    ):
        policy.rolls(Score(10, "lost"), 0, 9)


BAD = [
    ({"lowest": -3}, "lowest: -3 is not allowed; give a whole number of at least 0 and at most 0"),
    (
        {"registers": [Register("a", "b")]},
        "registers: of 'a' the after_hold: 'b' is not allowed; give one of 'a'",
    ),
    ({"registers": [Register("a"), Register("a")]}, "registers: two have the same name"),
    (
        {"registers": Register("a", mode="b")},
        "registers: of 'a' the mode: 'b' is not allowed; give one of 'roll'",
    ),
    (
        {"registers": Register("a", least_hold=31)},
        "registers: of 'a' the least_hold: 31 is not allowed; give a whole number of at least 1 and at most 30",
    ),
    (
        {"registers": Register("a", penalty=3), "lowest": 2},
        "lowest: 2 is not allowed; give a whole number of at most 0",
    ),
]


@pytest.mark.parametrize(("fields", "said"), BAD, ids=[said[:40] for _, said in BAD])
def test_bad_registers_are_refused_by_name(fields, said):
    with pytest.raises(ValueError, match=said.replace("(", ".").replace(")", ".")):
        replace(dl.pig(30), **fields)


def test_the_most_points_of_a_turn_that_must_bank_many():
    """With a least hold of 25, above the best, which is 20, the best is to hold at 25."""
    registers = Register("many", "few", least_hold=25), Register("few")
    solution = dl.solve(replace(dl.pig(), registers=registers), "score")
    points = dl.turn_points(dl.pig(400), dl.hold_at(25))
    assert solution.value == pytest.approx((points * points.index).sum(), abs=1e-12)
    assert solution.value < dl.solve(dl.pig(), "score").value
    assert solution.policy.hold_threshold(Score(0, "many"), 0) == 25
    assert solution.policy.hold_threshold(Score(0, "few"), 0) == 20


def test_a_target_that_is_hit_with_too_few_points_is_a_bust():
    """A coin to 2, where a hold takes 2 points: at 1 point nobody can win any more; at 0 a turn wins with 1/4."""
    coin = dl.Mode("roll", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll"))])
    game = dl.Game("Coin", 2, coin, "exact", registers=Register("only", least_hold=2))
    assert [game.missing(score) for score in game.scores] == [2, 1]
    for exact in (False, True):
        solution = dl.solve(game, exact=exact)
        values = np.array(solution.values, dtype=float)
        assert values == pytest.approx(np.array([[4 / 7, 1], [0, 1 / 2]]), abs=1e-15)
        turns = dl.solve(game, "turns", exact=exact)
        assert float(turns.value) == pytest.approx(4, abs=1e-14)
        assert np.isinf(float(turns.values[1]))
    reach = dl.solve(replace(game, finish="reach"))
    assert reach.values == pytest.approx(np.full((2, 2), 4 / 7), abs=1e-15), "a point helps nobody"


def test_an_empty_list_of_registers():
    """It was kept as a list, so that the game could not be hashed."""
    game = dl.Game("Pig", 5, dl.pig(5).modes, registers=[])
    assert game == dl.pig(5)
    assert hash(game) == hash(dl.pig(5))
