"""The plain race of two, fast, beside the engine: the same values without it."""

import random

import checks
import matrix
import numpy as np
import pytest
from test_every_game import GAMES, OF_ONES_OWN

import dicelab as dl
from dicelab.engine import fast
from dicelab.engine.race import seated

PLAIN = [matrix.game_of(turn, "reach", target=12) for turn in matrix.TURNS]
RANDOM = [game for n in range(60) if not (game := checks.random_game(random.Random(n))).resets]
RANDOM = [
    game for game in RANDOM if min(o.probability for m in game.modes for o in m.outcomes) > 0.01
]
objectives = pytest.mark.parametrize("objective", ["win", "margin"])


def games(found):
    """A parameter for each game that is known."""
    known = [game for game in found if fast.knows(game)]
    return pytest.mark.parametrize("game", known, ids=lambda game: f"{game.name}, {game.finish}")


@objectives
@games(GAMES + OF_ONES_OWN + PLAIN + RANDOM)
def test_optimal_play(game, objective):
    """Both have the same values, to roundings, which count once for each expected reset."""
    values, residual = fast.pairs(game, objective)
    race = seated(game, ("best", "best"), objective)
    first, second = race.values[race.positions.terminals :].reshape(2, *values.shape)
    unit = game.target if objective == "margin" else 1
    for seat in (first, second):
        np.testing.assert_allclose(values / unit, seat / unit, 0, 1e-14 * race.growth)
    assert residual < 1e-14 * unit


def test_what_is_known():
    """All plain races of two in which nobody waits, but for those to exactly the target."""
    unknown = {game.finish for game in GAMES + OF_ONES_OWN if not fast.knows(game)}
    assert unknown == {"exact"}
    assert not fast.knows(dl.pig(10, "last licks")) and not fast.knows(dl.pig(10), "turns")
