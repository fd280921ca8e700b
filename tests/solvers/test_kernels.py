"""Tiny games through all kernels: by hand, and matches by the textbook and by their lists of turns.

Most of these tests are quick without the compiler, too (``NUMBA_DISABLE_JIT=1``). The lines of a kernel can be counted
only without it (``make coverage``).
"""

from functools import cache

import numpy as np
import pytest
from conftest import mode_of

import dicelab as dl
from dicelab_extras import proofs

# NumPy warns of inf and nan, compiled kernels do not.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


def two_holds(target):
    """Two modes with a hold, one of which busts often; of two equal choices the first is taken."""
    cool = mode_of(
        "cool", ("1/8", "bust"), ("1/2", [(1, "hot"), (1, "hot")]), ("3/8", [(1, "cool")])
    )
    hot = mode_of("hot", ("1/2", "bust"), ("1/2", [(2, "cool"), (3, "hot")]))
    return dl.Game("Two holds", target, (cool, hot))


solve = cache(dl.solve)
PLAYED = [
    dl.pig(6),
    dl.pig(6, finish="exact"),
    two_holds(7),
    dl.two_dice_pig(7),
    dl.double_trouble(6),
    dl.ten_thousand(4),
]


def named(game):
    return f"{game.name}-{game.finish}"


def test_who_can_never_arrive():
    """Double Trouble to exactly 4, where no score of less than 5 points is ever reached; and where a reset leads there.

    Of threes alone, one more at 1 arrives with probability 2/3, else all is lost, and then for ever.
    """
    threes = dl.Game(
        "Threes", 4, [mode_of("m", ("1/4", "bust"), ("1/4", "reset"), ("1/2", [(3, "m")]))], "exact"
    )
    for game in (dl.double_trouble(4, finish="exact"), threes):
        for proven in (False, True):
            assert np.isinf(dl.solve(game, "turns", exact=proven).values.astype(float)).all()
        assert np.isinf(dl.evaluate(game, dl.hold_at(1)).turns_by_score).all()
        assert np.isinf(proofs.certify(dl.solve(game, "turns")).lower).all()
        found = dl.evaluate(game, dl.hold_at(1), dl.hold_at(4))
        numbers = found.first_wins, found.margin, found.turns_mean
        assert numbers == pytest.approx((0.5, 0, np.inf), abs=1e-14)
        assert found.turns_distribution().attrs == {"left": 0, "endless": 1}
        assert dl.best_response(game, dl.hold_at(1)).value == pytest.approx(0.5, abs=1e-13)
    # A draw, if all is lost.
    assert dl.solve(threes).values[1, 0] == pytest.approx(1 / 2 + 1 / 3, abs=1e-13)


@pytest.mark.parametrize("game", PLAYED, ids=named)
def test_matches(game):
    optimal, rule = solve(game).policy, dl.hold_at(3)
    twice = dl.scoring_turns(2)
    for first, second in ((optimal, rule), (rule, optimal), (twice, rule), (dl.hold_at(1), twice)):
        found = dl.evaluate(game, first, second)
        turns = found.turns_distribution()
        endless = turns.attrs["endless"]
        assert found.residual <= 5e-14 and turns.attrs["left"] <= 1e-15
        assert turns.sum() + endless == pytest.approx(1, abs=1e-13)
        assert turns[::2].sum() + endless / 2 == pytest.approx(found.first_wins, abs=1e-13)
        if endless > 1e-15:
            assert found.turns_mean == np.inf and np.isnan(found.turns_sd)
            continue
        mean = (turns * turns.index).sum()
        sd = (turns * (turns.index - mean) ** 2).sum() ** 0.5
        assert found.turns_mean == pytest.approx(mean, rel=1e-11)
        assert found.turns_sd == pytest.approx(sd, rel=1e-9, abs=1e-9)


def test_matches_by_hand():
    """A coin to 1: 2/3 for the first, and he wins the one point of the other: x = 1/2 - x/2."""
    once = dl.evaluate(dl.piglet(1), dl.hold_at(1), dl.hold_at(1))
    assert (once.first_wins, once.margin, once.turns_mean) == pytest.approx(
        (2 / 3, 1 / 3, 2), abs=1e-15
    )
    assert once.turns_sd == pytest.approx(2**0.5, abs=1e-15)
    turns = once.turns_distribution()
    assert turns.tolist() == [2.0**-k for k in range(1, 51)]
    assert turns.attrs == {"left": 2.0**-50, "endless": 0}
    die = dl.generalized_pig([0, 0, 1], 8)  # always two points
    found = dl.evaluate(die, dl.scoring_turns(2), dl.scoring_turns(4))
    assert (found.first_wins, found.turns_mean, found.turns_sd, found.margin) == (1, 3, 0, 6)
    assert dl.evaluate(die, dl.scoring_turns(2)).turns_by_score.tolist()[:1] == [2]
    assert dl.evaluate(die, dl.scoring_turns(4)).turns_by_score.tolist()[::2] == [4, 3, 2, 1]


def test_the_first_of_equal_choices_is_taken():
    game = two_holds(7)
    for objective in ("win", "margin", "turns", "score"):
        takes = solve(game, objective).policy.choices(game, 0)
        assert not takes[:, 0].any()
