"""One player: most points from a turn, fewest turns to the target; in several ways and against the literature."""

from fractions import Fraction

import numpy as np
import pytest
from conftest import dice, mode_games
from hypothesis import given, settings

import dicelab as dl

GAMES = [dl.pig(30), dl.piglet(9), dl.two_dice_pig(40), dl.double_trouble(40)]
GAMES += [
    dl.pig(30, finish="exact"),
    dl.two_dice_pig(30, finish="exact"),
    dl.double_trouble(30, finish="exact"),
]


def named(game):
    return f"{game.name} {game.finish}"


def test_score_of_pig():
    """Roters 1998: hold at 20, where a roll is worth the same; 8.1418 points."""
    exact, fast = (dl.solve(dl.pig(), "score", exact=exact) for exact in (True, False))
    assert exact.value == Fraction(492303203, 60466176)
    assert round(fast.value, 4) == 8.1418
    assert exact.ties == ((20, "roll"),)
    assert [fast.policy.rolls(0, 0, k) for k in (0, 19, 20, 21)] == [True, True, False, False]
    # one more way: the turn's chances, forwards, by hold at 20
    ends = dl.evaluate(dl.pig(), dl.hold_at(20), dl.hold_at(20))
    assert ends.first_wins == dl.evaluate(dl.pig(), fast.policy, fast.policy).first_wins


@settings(max_examples=100)
@given(dice())
def test_score_of_random_dice(game):
    if game.modes[0].chance("bust") == 0:
        with pytest.raises(ValueError, match="lose nothing"):
            dl.solve(game, "score")
    else:
        scores_agree(game)


@settings(max_examples=60)
@given(mode_games(resets=True))
def test_score_of_random_games(game):
    scores_agree(game)


def scores_agree(game):
    exact = dl.solve(game, "score", exact=True)
    fast = dl.solve(game, "score")
    assert fast.values.shape == exact.values.shape
    off = np.abs(fast.values - exact.values.astype(float))
    never = len(game.modes) - len(game.reached())
    assert np.isnan(off).sum() == never * len(off), "nothing is said of modes that no turn is in"
    assert np.nanmax(off) <= 1e-12 * max(1, np.nanmax(fast.values))
    for mode in game.modes:
        for k in range(1, min(game.target, 12)):
            assert fast.policy.rolls(0, 0, k, mode.name) == exact.policy.rolls(0, 0, k, mode.name)


def test_fewest_turns_to_100():
    """Haigh and Roters 2000: 12.545 at best, 12.64 by hold at 20."""
    best = dl.solve(dl.pig(), "turns")
    assert round(best.value, 3) == 12.545
    assert round(dl.evaluate(dl.pig(), dl.hold_at(20)).turns_mean, 2) == 12.64


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_fewest_turns_are_the_turns_of_a_policy_and_no_rule_needs_fewer(game):
    best = dl.solve(game, "turns")
    needed = dl.evaluate(game, best.policy).turns_by_score
    assert np.array_equal(np.isinf(needed), np.isinf(best.values))
    assert np.allclose(needed, best.values, rtol=1e-13, atol=0)
    for n in range(1, 40):
        assert (dl.evaluate(game, dl.hold_at(n)).turns_by_score >= best.values * (1 - 1e-14)).all()


def test_who_can_never_arrive_needs_infinitely_many_turns():
    values = dl.solve(dl.pig(12, finish="exact"), "turns").values
    assert np.isinf(values[11])
    assert values[10] == pytest.approx(6, abs=1e-14), "two points missing: only a two arrives"
    assert np.isinf(dl.evaluate(dl.pig(12, finish="exact"), dl.hold_at(1)).turns_mean), (
        "it may bank eleven points"
    )


def test_choices_of_forced_rolls_beyond_the_target():
    """One of them adds no point. A turn is worth the same to any target, and what a recursion says."""
    modes = (
        dl.Mode("A", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "F"))]),
        dl.Mode(
            "F",
            [
                dl.Outcome("9/10", dl.Choice(1, "F")),
                dl.Outcome("1/10", [dl.Choice(0, "G"), dl.Choice(1, "A")]),
            ],
            may_hold=False,
        ),
        dl.Mode(
            "G",
            [dl.Outcome("1/100", "bust"), dl.Outcome("99/100", dl.Choice(6, "A"))],
            may_hold=False,
        ),
    )
    a, f = [0.0] * 1207, [0.0] * 1207
    for k in range(1206, -1, -1):
        a[k] = f[k] = float(k)
        if k <= 1200:
            f[k] = 0.9 * f[k + 1] + 0.1 * max(0.99 * a[min(k + 6, 1206)], a[k + 1])
            a[k] = max(k, 0.5 * f[k + 1])
    for target in (3, 30):
        game = dl.Game("forced", target, modes)
        assert dl.solve(game, "score").value == pytest.approx(a[0], abs=1e-12)
    with pytest.raises(NotImplementedError, match="the best choice depends on the points"):
        dl.solve(game, "margin", overshoot=True)


def test_a_turn_that_can_lose_nothing_has_no_best():
    with pytest.raises(
        ValueError, match="Pig has no best turn, as one can roll on for ever and lose nothing"
    ):
        dl.solve(dl.generalized_pig([0, 1], 5, name="Pig"), "score")
    with pytest.raises(
        ValueError, match="g has no best turn, as one can roll on for ever and lose nothing"
    ):
        free = dl.Mode(
            "free",
            [
                dl.Outcome("1/2", "bust"),
                dl.Outcome("1/2", [dl.Choice(1, "free"), dl.Choice(1, "safe")]),
            ],
        )
        safe = dl.Mode(
            "safe", [dl.Outcome(1, [dl.Choice(5, "free"), dl.Choice(1, "safe")])], may_hold=False
        )
        dl.solve(dl.Game("g", 9, (free, safe)), "score")


def test_zilch_has_a_best_turn_though_its_six_dice_are_always_rolled():
    """Busche finds 620.855 points where a zilch costs something later; a turn alone, in chips of 50, has more."""
    turn = dl.solve(dl.games.zilch(20), "score")
    assert (
        turn.policy.hold_threshold(0, 0, "3 dice") == 9
        and turn.policy.hold_threshold(0, 0, "6 dice") == 20
    )
    assert 620.855 / 50 < turn.value < 12.47
