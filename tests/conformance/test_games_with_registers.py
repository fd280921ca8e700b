"""Games with registers: the textbook, fractions and float64 agree, on examples and on random games, and by hand."""

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import checks
import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from dicelab.engine.race import may_be_endless
from dicelab.games.registers import Register

CLOSE = 1e-12


def opening(least):
    return Register("not opened", "opened", least_hold=least), Register("opened")


def three_busts(penalty, least_hold=1):
    after = "0 busts", "1 busts", "2 busts", "0 busts"
    costs = 0, 0, penalty
    return [Register(after[n], after[0], after[n + 1], costs[n], least_hold) for n in range(3)]


def die(target, **registers):
    return replace(dl.generalized_pig(["1/4"] * 4, target), **registers)


def with_bonus():
    """After a bust the turn begins with a coin for 4 points."""
    roll = dl.Mode(
        "roll",
        [dl.Outcome("1/4", "bust"), *(dl.Outcome("1/4", dl.Choice(k, "roll")) for k in (1, 2, 3))],
    )
    coin = dl.Mode("coin", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(4, "roll"))])
    registers = Register("fresh", "fresh", "hurt"), Register("hurt", "fresh", "hurt", mode="coin")
    return dl.Game("Coin after a bust", 8, (roll, coin), registers=registers)


def stops(target):
    """Choose one or two dice, and roll once: with fewer points than the least hold, it is a bust."""
    two = [
        dl.Outcome("5/9", "bust"),
        *(dl.Outcome("1/9", dl.Choice(k, "stop")) for k in (2, 3, 4, 5)),
    ]
    modes = (
        dl.Mode("start", dl.Outcome(1, [dl.Choice(0, "one"), dl.Choice(0, "two")]), may_hold=False),
        dl.Mode(
            "one",
            [dl.Outcome("1/3", "bust"), *(dl.Outcome("1/3", dl.Choice(k, "stop")) for k in (1, 2))],
        ),
    )
    modes = (*modes, dl.Mode("two", two), dl.Mode("stop", ()))
    return dl.Game("One or two dice", target, modes, registers=opening(2))


GAMES = {
    "opening": die(8, registers=opening(4)),
    "three busts": die(6, registers=three_busts(2), lowest=-3),
    "three busts, least hold": die(6, registers=three_busts(2, 3), lowest=-2),
    "least hold when winning": die(
        7, registers=[Register("a", "b", least_hold=3), Register("b", least_hold=2)]
    ),
    "resets": replace(dl.two_dice_pig(8), registers=opening(3)),
    "choices": replace(dl.ten_thousand(5), registers=opening(3)),
    "must roll": replace(dl.double_trouble(8), registers=opening(4)),
    "another mode": with_bonus(),
    "must hold": stops(6),
}
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


def random_games(numbers, most_states, least=0.0, scoring=False):
    """Random games with registers in which play ends, and no outcome is less likely than `least`.

    Those in which float64 cannot vouch for its values, as penalties repeat nearly for ever, are left out.
    """
    for number in numbers:
        game = checks.random_registers(random.Random(number), scoring)
        states = len(game.scores) ** 2 * game.longest * len(game.modes)
        tiny = any(outcome.probability < least for mode in game.modes for outcome in mode.outcomes)
        if states <= most_states and not tiny and not may_be_endless(game):
            with suppress(dl.ConvergenceError):
                dl.solve(game)
                yield game


def decisions(solution):
    return np.array(
        [solution.policy.decisions_at(solution.game, own) for own in solution.game.scores]
    )


def agree(game):
    """The textbook, float64 and fractions; decisions may differ at ties only, of which float64 may miss some."""
    solution, exact = dl.solve(game), dl.solve(game, exact=True)
    values, rolls = textbook.value_iteration(game)
    np.testing.assert_allclose(solution.values, values, rtol=0, atol=CLOSE)
    np.testing.assert_allclose(solution.values, exact.values.astype(float), rtol=0, atol=CLOSE)
    assert np.array_equal(decisions(solution), rolls)
    tied = {
        (game.index(own), game.index(other), game.mode(mode), total)
        for own, other, total, mode in exact.ties
    }
    differ = np.argwhere(decisions(solution) != decisions(exact)).tolist()
    assert all(tuple(at) in tied for at in differ)


@every_game
def test_examples(game):
    agree(game)


@pytest.mark.parametrize("scoring", [False, True], ids=["busts cost", "busts score"])
def test_random_games(scoring):
    # The textbook loses digits where chances are tiny; float64 takes advantages below 1e-12 for ties.
    for game in random_games(range(40), 1000, 1e-3, scoring):
        agree(game)


def test_a_bust_that_scores_a_point():
    """In Pig to 40 the first player wins as often as another program says; a turn banks 1 where it lost all."""
    game = replace(dl.pig(40), registers=[Register("any", penalty=-1)])
    assert dl.solve(game).value == pytest.approx(0.548574527109101, abs=1e-14)
    points, plain = (dl.turn_points(each, dl.hold_at(20)) for each in (game, dl.pig(40)))
    assert points[1] == plain[0] and points[0] == 0
    assert points[20] == plain[20]


def test_play_without_an_end():
    """One die never brings the 3 points that open, so that a player can always take one die and never finish.

    It is a draw if both wait. Where a penalty leads back as well, the equations have many solutions.
    """
    after = dl.Mode(
        "after", dl.Outcome(1, "bust")
    )  # and may roll on to a sure bust, unless the first roll finishes
    twos = dl.Mode("twos", dl.Outcome(1, dl.Choice(2, "after")), may_hold=False)
    assert may_be_endless(dl.Game("Twos", 6, [twos, after]))
    assert not may_be_endless(dl.Game("Twos", 2, [twos, after]))
    endless = replace(GAMES["must hold"], registers=opening(3))
    assert may_be_endless(endless)
    assert dl.solve(endless).value == pytest.approx(float(dl.solve(endless, exact=True).value))
    costly = [replace(register, penalty=1) for register in endless.registers]
    with pytest.raises(
        ValueError, match="One or two dice: a player can make sure never to finish, so that"
    ):
        dl.solve(replace(endless, registers=costly, lowest=-2))


def test_fractions_by_hand():
    """A coin to 1 that opens by a hold of 2: not opened, two heads win; a tail passes, and each waits alike."""
    coin = dl.Mode("roll", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll"))])
    exact = dl.solve(dl.Game("Coin", 2, coin, registers=Register("all", least_hold=2)), exact=True)
    assert exact.value == Fraction(4, 7)  # x = 1/4 + 3/4·(1 - x)
    cost = Register("even", after_bust="odd"), Register("odd", after_bust="even", penalty=1)
    exact = dl.solve(dl.Game("Coin", 1, coin, registers=cost), exact=True)
    assert exact.at() == Fraction(2, 3)  # the penalty takes nothing from a score of 0
    assert exact.ties == ()
