"""The readable solver beside the engine: the same values, policies, turns and points; and equations in fractions."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest

import dicelab as dl
from collection.course import readable

RACES = [
    *(dl.pig(40), dl.piglet(12), dl.two_dice_pig(25), dl.double_trouble(20), dl.pig(100)),
    *(dl.ten_thousand(12), dl.hog(8, 4)),
]


@pytest.mark.parametrize("game", RACES, ids=lambda game: f"{game.name} {game.target}")
def test_a_race_has_the_values_of_the_engine(game):
    values, policy = readable.solve(game)
    assert values == pytest.approx(dl.solve(game).values, abs=1e-12)
    assert readable.bellman_operator(game, values, policy) == pytest.approx(values, abs=1e-12)


@pytest.mark.parametrize("game", [dl.pig(30), dl.two_dice_pig(24), dl.double_trouble(20)])
def test_hold_at_n_against_the_optimum_and_a_best_response(game):
    rule = readable.hold_at(game, 12)
    optimum, held = readable.match(game, readable.solve(game)[1], rule)[:, 0, 0]
    expected = dl.hold_at_n(game, [12])[["first", "second"]].loc[12]
    assert [held, 1 - optimum] == pytest.approx([*expected], abs=1e-12)
    response = dl.best_response(game, dl.hold_at(12)).values
    assert readable.match(game, None, rule)[0] == pytest.approx(response, abs=1e-12)
    length = dl.evaluate(game, dl.hold_at(12), dl.hold_at(12)).turns_mean
    assert readable.match(game, rule, rule, readable.game_length)[0, 0, 0] == pytest.approx(length)


def test_iterates_lie_below_and_above_the_values():
    values, low = dl.solve("pig 20").values, np.zeros((20, 20))
    for _ in range(3):
        high = readable.bellman_operator(dl.pig(20), low)
        assert (low <= values).all() and (values <= high).all()
        low = readable.bellman_operator(dl.pig(20), high)


@pytest.mark.parametrize(
    "game", [dl.pig(12), dl.piglet(7), dl.two_dice_pig(14), dl.ten_thousand(8)]
)
def test_the_fractions_of_the_engine_solve_the_equation(game):
    values = np.array(dl.solve(game, exact=True).values, dtype=object)
    assert (readable.bellman_operator(game, values) == values).all()
    values[0, 0] += Fraction(1, 10**30)
    assert (readable.bellman_operator(game, values) != values).any()


@pytest.mark.parametrize("game", [dl.pig(60), dl.two_dice_pig(40), dl.ten_thousand(20)])
def test_a_lone_player(game):
    assert readable.fewest_turns(game)[0] == pytest.approx(dl.solve(game, "turns").value, abs=1e-11)
    points = readable.most_points(dataclasses.replace(game, target=80), Fraction)
    assert points[game.modes[0].name, 0] == dl.solve(game, "score", exact=True).value


def test_endless_play_is_refused(monkeypatch):
    monkeypatch.setattr(readable, "MOST_TURNS", 50)
    rule = readable.hold_at(dl.piglet(30), 30)
    with pytest.raises(ArithmeticError, match="endless"):
        readable.match(dl.piglet(30), rule, rule)
