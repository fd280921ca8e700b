"""Policies and solutions, as they are asked."""

import numpy as np
import pytest

import dicelab as dl

PIG = dl.solve(dl.pig(100)).policy


def test_hold_at():
    rule = dl.hold_at(25)
    assert rule.rolls(0, 0, 0) is True, "a turn begins with a roll"
    assert rule.rolls(0, 0, 24) is True
    assert rule.rolls(0, 0, 25) is False
    assert rule.rolls(90, 0, 10) is True, "no target is known"
    assert rule.rolls(90, 0, 10, target=100) is False
    assert dl.hold_at(1).rolls(0, 0, 0) is True
    assert rule.decisions(dl.pig(100), 0, 0).tolist() == [[k < 25 for k in range(100)]]
    assert rule.decisions(dl.pig(100), 90, 3).tolist() == [[True] * 10]


def test_hold_at_in_a_mode_without_a_hold():
    forced = dl.Mode("forced", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "free"))], may_hold=False)
    free = dl.Mode("free", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "forced"))])
    decisions = dl.hold_at(2).decisions(dl.Game("g", 5, (free, forced)), 0, 0)
    assert decisions.tolist() == [[True, True, False, False, False], [True] * 5]
    policy = dl.solve(dl.Game("g", 5, (free, forced))).policy
    assert policy.rolls(0, 0, 7, "forced") is True
    assert policy.rolls(0, 0, 7, "free") is False


@pytest.mark.parametrize("n", [0, -1, 2.5, "20", None, True])
def test_hold_at_nothing(n):
    with pytest.raises(ValueError, match="n: "):
        dl.hold_at(n)


def test_pigs_policy():
    assert PIG.rolls(0, 0, 20) is True
    assert PIG.rolls(0, 0, 21) is False  # Neller and Presser 2004: hold at 21 at the start of the game
    assert PIG.rolls(0, 0, 0) is True
    assert PIG.rolls(99, 99, 1) is False
    assert PIG.rolls(0, 99, 98) is True, "the opponent will win: roll for all"


def test_the_mask_is_the_decisions():
    mask = PIG.roll_mask()
    assert mask.shape == (100, 100, 100)
    assert mask.dtype == bool
    own, total = np.indices((100, 100))
    assert not mask.transpose(1, 0, 2)[:, own + total >= 100].any()
    assert mask[:, :, 0].all()
    rng = np.random.default_rng(1)
    for own, opponent, total in rng.integers(0, 100, (300, 3)).tolist():
        assert mask[own, opponent, total] == PIG.rolls(own, opponent, total) or own + total >= 100
    again = (mask[:, :, 1:] & ~mask[:, :, :-1]).any(axis=2)
    assert again.sum() == 2503, "about a quarter of the pairs of scores roll above a hold"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((100, 0, 0), "own: 100 is not allowed; give a score in 0, …, 99"),
        ((-1, 0, 0), "own: -1"),
        ((0, 100, 0), "opponent: 100"),
        ((0, 1.0, 0), "opponent: 1.0"),
        ((0, 0, -1), "turn_total: -1"),
        ((0, 0, True), "turn_total: True"),
        ((0, 0, 5, "free"), "mode: 'free'"),
    ],
)
def test_bad_questions(arguments, said):
    with pytest.raises(ValueError) as caught:
        PIG.rolls(*arguments)
    assert said in str(caught.value)


def test_a_policy_is_for_its_game():
    with pytest.raises(ValueError, match="this policy is for Pig to 100, not Piglet to 10"):
        PIG.decisions(dl.piglet(), 0, 0)


def test_a_mask_too_large_is_refused():
    with pytest.raises(ValueError, match=r"target: 1100 .*rolls\(own, opponent, turn_total\)"):
        dl.solve(dl.piglet(1100)).policy.roll_mask()


def test_exact_policies_answer_alike():
    game = dl.pig(25)
    exact, fast = dl.solve(game, exact=True), dl.solve(game)
    assert np.array_equal(exact.policy.roll_mask(), fast.policy.roll_mask())
    assert type(exact.policy.rolls(3, 4, 5)) is bool


def test_by_target_needs_a_game_without_resets():
    assert dl.solve(dl.piglet(5)).by_target().index.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="Two-dice Pig has resets"):
        dl.solve(dl.two_dice_pig(5)).by_target()
