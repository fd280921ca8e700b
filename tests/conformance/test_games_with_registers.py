"""Games with registers, by every solver that takes them: all must agree, on examples and on random games."""

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import checks
import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from dicelab.games.absorption import may_be_endless
from dicelab.games.registers import Register
from dicelab.solvers.more_players import solve_players

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


def past_the_target():
    """Two modes without a hold, from one of which one can choose to go on in the other; the best depends on resets."""
    choice, outcome = dl.Choice, dl.Outcome
    onward = outcome("1/9", (choice(3, "a"), choice(2, "b")))
    a = [outcome("2/9", "bust"), outcome("1/3", "reset"), outcome("1/9", choice(1, "c")), onward]
    a = dl.Mode("a", [*a, outcome("2/9", choice(0, "b"))], may_hold=False)
    b = dl.Mode("b", [outcome("1/6", "reset"), outcome("5/6", choice(2, "a"))], may_hold=False)
    c = (
        outcome("1/3", "bust"),
        outcome("1/3", "reset"),
        outcome("1/3", (choice(2, "b"), choice(2, "a"))),
    )
    registers = Register("x", "y", "y"), Register("y", "x", mode="c")
    return dl.Game("Past the target", 4, (a, b, dl.Mode("c", c)), registers=registers)


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
    "ways past the target": past_the_target(),
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


def agrees_with_the_textbook(game):
    solution, (values, rolls) = dl.solve(game), textbook.value_iteration(game)
    np.testing.assert_allclose(solution.values, values, rtol=0, atol=CLOSE)
    assert np.array_equal(decisions(solution), rolls)
    first_wins, _ = textbook.policy_evaluation(game, solution.policy, solution.policy)
    assert first_wins == pytest.approx(solution.value, abs=CLOSE)


@every_game
def test_value_iteration(game):
    agrees_with_the_textbook(game)


@pytest.mark.parametrize("scoring", [False, True], ids=["busts cost", "busts score"])
def test_value_iteration_of_random_games(scoring):
    tried = 0
    # The textbook loses digits where chances are tiny.
    for game in random_games(range(80), 1500, 1e-3, scoring):
        agrees_with_the_textbook(game)
        tried += 1
    assert tried > 30


@pytest.mark.parametrize("numbers", [range(60), range(60, 120)])
def test_the_solver_of_n_players(numbers):
    """With two players the same values as `solve`; with three nobody gains by another policy."""
    tried = 0
    for game in random_games(numbers, 400, 1e-2):
        two, again = dl.solve(game), solve_players(game, 2)
        assert np.abs(again.values - two.values).max() < CLOSE
        three = dl.solve(game, players=3)
        response = dl.best_response(game, three.policy, three.policy)
        assert np.abs(response.values[..., 0] - three.values[..., 0]).max() < 1e-11
        tried += 1
    assert tried > 10


def test_registers_that_change_nothing():
    """A register that has no effect gives the values and decisions of the game without it."""
    for game in (dl.pig(12), dl.two_dice_pig(7), dl.ten_thousand(4)):
        plain = dl.solve(game)
        idle = dl.solve(replace(game, registers=Register("idle")))
        np.testing.assert_allclose(idle.values, plain.values, rtol=0, atol=CLOSE)
        assert np.array_equal(decisions(idle), decisions(plain))


def test_play_without_an_end():
    """One die never brings the 3 points that open, so that a player can always take one die and never finish.

    It is a draw if both wait. Where a penalty leads back as well, the equations have many solutions.
    """
    endless = replace(GAMES["must hold"], registers=opening(3))
    assert may_be_endless(endless)
    assert dl.solve(endless).value == pytest.approx(float(dl.solve(endless, exact=True).value))
    costly = [replace(register, penalty=1) for register in endless.registers]
    with pytest.raises(
        ValueError, match="One or two dice: a player can make sure never to finish, and a bust"
    ):
        dl.solve(replace(endless, registers=costly, lowest=-2))
    skip = dl.Mode("skip", dl.Outcome(1, "bust"), may_hold=False)  # once is not for ever
    once = Register("in", "in", "out"), Register("out", "in", "in", mode="skip")
    game = replace(die(6), modes=(*die(6).modes, skip), registers=once)
    assert not may_be_endless(game)
    agrees_with_the_textbook(game)
    with pytest.raises(NotImplementedError, match="has registers"):
        textbook.value_iteration(game, "margin")


def agrees_with_fractions(game):
    solution, exact = dl.solve(game), dl.solve(game, exact=True)
    np.testing.assert_allclose(solution.values, exact.values.astype(float), rtol=0, atol=CLOSE)
    loses = decisions(solution) != decisions(exact)  # at ties only, of which float64 may miss some
    tied = {
        (game.index(own), game.index(other), game.mode(mode), total)
        for own, other, total, mode in exact.ties
    }
    assert all(tuple(at) in tied for at in np.argwhere(loses).tolist())


@every_game
def test_fractions(game):
    agrees_with_fractions(game)


@pytest.mark.parametrize("scoring", [False, True], ids=["busts cost", "busts score"])
def test_fractions_of_random_games(scoring):
    # Float64 takes advantages below 1e-12 for ties.
    for game in random_games(range(80), 1500, 1e-3, scoring):
        agrees_with_fractions(game)


def test_fractions_by_hand():
    """A coin to 1 that opens by a hold of 2: not opened, two heads win; a tail passes, and each waits alike."""
    coin = dl.Mode("roll", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll"))])
    exact = dl.solve(dl.Game("Coin", 2, coin, registers=Register("all", least_hold=2)), exact=True)
    assert exact.value == Fraction(4, 7)  # x = 1/4 + 3/4·(1 - x)
    cost = Register("even", after_bust="odd"), Register("odd", after_bust="even", penalty=1)
    exact = dl.solve(dl.Game("Coin", 1, coin, registers=cost), exact=True)
    assert exact.at() == Fraction(2, 3)  # the penalty takes nothing from a score of 0
    assert exact.ties == ()


def test_fractions_are_refused_beforehand():
    with pytest.raises(MemoryError, match="in fractions"):
        dl.solve(replace(dl.pig(1000), registers=three_busts(50), lowest=-100), exact=True)
