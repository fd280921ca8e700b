"""One policy alone: the turns to the target."""

from fractions import Fraction

import numpy as np
import pytest

import dicelab as dl


def turns_by_hand(n, target, most=400):
    """The chances that *hold at n* in Pig needs 1, 2, … turns, with fractions within a turn."""
    place = np.eye(1, target + 1)[0]  # by score
    steps = np.zeros((target + 1, target + 1))
    for own in range(target):
        state, stop = {0: Fraction(1)}, min(n, target - own)
        while any(total < stop for total in state):
            total = min(total for total in state if total < stop)
            chance = state.pop(total) / 6
            steps[own, own] += float(chance)
            for face in range(2, 7):
                state[total + face] = state.get(total + face, 0) + chance
        for total, chance in state.items():
            steps[own, min(target, own + total)] += float(chance)
    ended = []
    for _ in range(most):
        place = place @ steps
        ended.append(place[target])
        place[target] = 0
    return np.array(ended)


def test_turns_alone():
    chances = turns_by_hand(20, 100)
    turns = np.arange(1, len(chances) + 1)
    match = dl.evaluate("pig", 20)
    mean = chances @ turns
    assert match.turns_mean == pytest.approx(12.636769490454, abs=1e-11)
    assert match.turns_mean == pytest.approx(mean, abs=1e-11)
    assert match.turns_sd == pytest.approx((chances @ (turns - mean) ** 2) ** 0.5, abs=1e-11)
    assert match.turns_median == np.searchsorted(chances.cumsum(), 0.5) + 1
    found = match.turns_distribution()
    assert abs(found - chances[: len(found)]).max() <= 1e-13
    assert match.wins == (1.0,) and match.turns_by_score[0] == match.turns_mean
    with pytest.raises(ValueError, match="for 1 players: after a last turn"):
        _ = match.margin
    with pytest.raises(ValueError, match="turns_by_score: is for one player alone"):
        _ = dl.evaluate("pig", 20, 20).turns_by_score


def test_a_simulation_alone():
    found = dl.simulate("pig 60", 15, games=200_000)
    expected = dl.evaluate("pig 60", 15)
    assert found.wins == (1.0,)
    assert abs(found.turns_mean - expected.turns_mean) <= 4 * found.turns_mean_se
    assert abs(found.turns_sd - expected.turns_sd) <= 4 * found.turns_sd_se


def test_resets_and_endless_play_alone():
    two_dice = dl.evaluate("two-dice-pig 60", dl.solve("two-dice-pig 60", "turns").policy)
    assert two_dice.turns_mean == pytest.approx(
        dl.solve("two-dice-pig 60", "turns").value, rel=1e-13
    )
    stuck = dl.evaluate(dl.pig(12, finish="exact"), 1)  # a single point is left for good, at times
    assert stuck.turns_mean == np.inf and stuck.turns_median < np.inf
    assert 0 < stuck.wins[0] < 1
    ended = stuck.turns_distribution()
    assert ended.sum() == pytest.approx(stuck.wins[0], abs=1e-13)


def test_hold_at_n_alone():
    found = dl.hold_at_n("pig 50", [15, 20], alone=True)
    match = dl.evaluate("pig 50", 20)
    assert found.loc[20].tolist() == [match.turns_mean, match.turns_sd]
    assert found.columns.tolist() == ["turns", "deviation"] and found.index.tolist() == [15, 20]
