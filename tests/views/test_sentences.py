"""Advice in words."""

import pytest

import dicelab as dl
from dicelab_extras.play.advice import advice_at
from dicelab_extras.play.situation import Situation

PIG = dl.solve(dl.pig(30))
DICE = dl.solve(dl.ten_thousand(20))
FORCED = dl.solve(dl.double_trouble(30))


def advice(solution, own, opponent, *state, **more):
    return advice_at(solution, Situation(solution.game, (own, opponent), *state, **more))


@pytest.mark.parametrize("state", [(0, 0, 0), (10, 20, 5), (10, 5, 12), (28, 29, 1)])
def test_pig(state):
    own, opponent, total = state
    _, best, *options = advice(PIG, *state).splitlines()
    assert best == ("Roll." if PIG.policy.rolls(*state) else "Hold.")
    odds = dl.action_values(PIG, own, opponent).loc[total]
    for option in options:
        value = odds[option.split()[0]]
        cost = f"; it costs {odds['best'] - value:.3%}" if value < odds["best"] else ""
        assert option.endswith(f"you win with {value:.3%}{cost}")
    assert len(options) == 1 + (total > 0)


def test_the_end_of_a_turn():
    assert "Hold: that reaches the target, and you have won." in advice(PIG, 10, 5, 20)
    forced = advice(FORCED, 10, 5, 50, "forced").splitlines()
    assert forced[1] == "Roll." and len(forced) == 3, "a forced roll, even beyond the target"
    assert advice(DICE, 10, 5, 4, roll=[2, 3]).endswith(
        "No dice score: the points of this turn are lost."
    )


def test_dice_to_keep():
    for total in range(0, 15, 3):
        kept, rolls = DICE.policy.keep(3, 7, total, [5, 1, 2, 2, 3])
        said = advice(DICE, 3, 7, total, roll=[5, 1, 2, 2, 3]).splitlines()
        assert said[1].startswith(f"Keep {' '.join(map(str, kept))} for ")
        assert said[1].endswith(
            f"then roll {5 - len(kept)} dice." if rolls else ("then hold.", "and win.")
        )
        assert len(said) == 5


def test_what_dice_bring_at_the_target():
    """An exact target may be overshot, or hit with too few points to hold; a forced roll may still lose all."""
    opening = dl.solve(dl.ten_thousand(12, "exact", opening=500))
    said = advice(opening, 10, 3, 0, roll=[1, 1, 5, 2, 3])
    assert "keep 1 1 5 for 5 chips (250 points), and overshoot the target " in said
    assert "keep 1 for 2 chips (100 points), and hit the target with too few to hold " in said
    opened = dl.Score(10, "opened")
    assert "keep 1 for 2 chips (100 points), and win " in advice(
        opening, opened, 3, 0, roll=[1, 1, 5, 2, 3]
    )
    with pytest.raises(ValueError, match=r"turn_total: 2 .* less than 10 chips .* is a bust"):
        advice(opening, 10, 3, 2, "4 dice")
    dice = dl.Outcome(
        "1/2", [dl.Choice(1, "roll", (1,)), dl.Choice(4, "forced", (1, 1))], rolls=[(1, 1)]
    )
    bust = dl.Outcome("1/2", "bust", rolls=[(2, 2)])
    forced = dl.Mode("forced", [dl.Outcome("1/2", dl.Choice(1, "roll")), bust], may_hold=False)
    game = dl.Game("Forced", 4, [dl.Mode("roll", [dice, bust], dice=2), forced])
    assert "keep 1 1 for 4 points, then roll forced " in advice(
        dl.solve(game), 0, 0, 0, roll=[1, 1]
    )


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: advice(PIG, 30, 0, 0),
            "own: 30 is not allowed; give a score below the target, 30 points",
        ),
        (lambda: advice(PIG, 0, 30, 0), "opponent: 30 is not allowed"),
        (lambda: advice(PIG, 0, 0, -1), "turn_total: -1"),
        (lambda: advice(PIG, 0, 0, 5, "x"), "mode: 'x' is not allowed; give one of 'roll'"),
        (
            lambda: advice(PIG, 0, 0, 5, roll=[1]),
            r"roll: \[1\] is not allowed; Pig leaves no choice",
        ),
        (lambda: advice(DICE, 0, 0, 5), "mode: give the dice in hand, one of '5 dice'"),
        (lambda: advice(DICE, 0, 0, 5, "1 die", [1]), "mode: '1 die' is not allowed with a roll"),
        (lambda: advice(DICE, 0, 0, 5, roll=[7]), r"roll: \[7\]"),
        (
            lambda: advice(DICE, 12, 0, 8, roll=[1]),
            r"turn_total: 8 .* less than 8 chips \(400 points\), which reach",
        ),
        (
            lambda: advice(dl.solve(dl.pig(30, "exact")), 20, 0, 12),
            "at most 10 points; more is a bust",
        ),
        (
            lambda: advice(dl.solve(dl.pig(30), "turns"), 0, 0, 0),
            "objective 'turns' is not allowed",
        ),
    ],
)
def test_what_is_no_position_is_refused(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()
