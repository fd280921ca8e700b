"""Players who ignore the opponent: kcddice's strategy by other means, its turns, the most points in the long run."""

from functools import cache

import numpy as np
import pytest

import dicelab as dl
from collection.papers.alone import PointsToGo, within_turns


def mean_points(game, policy):
    """The expected points of the first turn, of which no more than the target count."""
    chances = dl.turn_points(game, policy)
    return float((chances * chances.index).sum())


@pytest.mark.parametrize("target", [7, 25, 40])
def test_in_pig_no_rule_has_more_points_to_go(target):
    game = dl.pig(target)
    best = max(mean_points(game, dl.hold_at(n)) for n in range(1, target + 1))
    assert mean_points(game, PointsToGo(game)) == pytest.approx(best, abs=1e-13)


def test_values_of_two_kinds_of_dice_by_recursion():
    """The values of all choices, from the outcomes alone."""
    game = dl.games.kingdom_come(9, ["Odd", "Lucky", "Lucky"])

    @cache
    def value(mode, total, rolls=False):
        if total >= 9:
            return 9.0
        outcomes = [o for o in game.modes[game.mode(mode)].outcomes if o.choices]
        rolled = sum(
            float(o.probability) * max(value(c.mode, total + c.points) for c in o.choices)
            for o in outcomes
        )
        return rolled if rolls else max(total, rolled)

    expected = value(game.modes[0].name, 0, rolls=True)
    assert mean_points(game, PointsToGo(game)) == pytest.approx(expected, abs=1e-13)


def test_turns_within_are_those_of_the_mean():
    game, rule = dl.two_dice_pig(30), dl.hold_at(12)
    within = within_turns(game, rule, 400)
    assert within[0] == 0 and (np.diff(within) >= 0).all()
    assert within[-1] == pytest.approx(1, abs=1e-12)
    chances = [dl.solve(game, "deadline", turns=n).value + 1e-15 for n in range(1, 5)]
    assert (within[1:5] <= chances).all(), "no rule is better than the best chance"
    match = dl.evaluate(game, rule, rule)
    won = np.diff(within) @ (1 - within[:-1])
    assert match.first_wins == pytest.approx(won, abs=1e-12), "the first has at most as many turns"


@pytest.mark.parametrize("game", [dl.double_trouble(), dl.hog(), dl.games.toss_up()])
def test_other_games_are_refused(game):
    with pytest.raises(NotImplementedError, match="game: "):
        PointsToGo(game)
