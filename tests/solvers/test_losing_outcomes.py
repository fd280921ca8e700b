"""An outcome that loses the game at once: solvers, matches, responses and simulation beside value iteration."""

from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

import dicelab as dl


def deadly_pig(target, finish="reach"):
    """Two-dice Pig in which two ones lose the game."""
    sums = Counter(a + b for a in range(2, 7) for b in range(2, 7))
    scoring = [dl.Outcome(Fraction(n, 36), dl.Choice(points, "roll")) for points, n in sums.items()]
    ends = dl.Outcome("1/36", "lose"), dl.Outcome("10/36", "bust")
    return dl.Game("Deadly Pig", target, dl.Mode("roll", [*ends, *scoring]), finish)


def forced(target):
    """A game with a mode in which one must roll on, also at the target, and a reset."""
    on = [dl.Choice(2, "on"), dl.Choice(1, "free")]
    free = [dl.Outcome("1/2", on), dl.Outcome("1/4", "bust"), dl.Outcome("1/4", "reset")]
    must = [dl.Outcome("1/2", dl.Choice(1, "on")), dl.Outcome("1/4", dl.Choice(3, "free"))]
    modes = dl.Mode("free", free), dl.Mode("on", [*must, dl.Outcome("1/4", "lose")], False)
    return dl.Game("forced", target, modes)


def value_iteration(game):
    """The values by both scores, from the rules alone."""
    size, worth = game.target, np.full((game.target, game.target), 0.5)
    for _ in range(2000):
        before = worth.copy()
        for own, other in np.ndindex(size, size):
            ends = {"bust": 1 - worth[other, own], "reset": 1 - worth[other, 0], "lose": 0.0}
            over = {mode.name: float(mode.may_hold) for mode in game.modes}

            def rolled(mode, total, known, over=over, ends=ends, need=size - own):
                return sum(
                    float(o.probability)
                    * (
                        max(
                            over[c.mode]
                            if total + c.points >= need
                            else known[total + c.points, c.mode]
                            for c in o.choices
                        )
                        if o.choices
                        else ends[o.result]
                    )
                    for o in mode.outcomes
                )

            for _ in range(100):
                over |= {m.name: rolled(m, size, {}) for m in game.modes if not m.may_hold}
            known = {}
            for total in range(size - own - 1, -1, -1):
                for mode in (game.modes[m] for m in game.order):
                    known[total, mode.name] = rolled(mode, total, known)
                    if mode.may_hold and total:
                        hold = 1 - worth[other, own + total]
                        known[total, mode.name] = max(hold, known[total, mode.name])
            worth[own, other] = known[0, game.modes[0].name]
        if abs(worth - before).max() < 1e-14:
            return worth
    raise AssertionError("no convergence")


def test_value():
    assert abs(dl.solve(deadly_pig(20)).value - 0.587982252355) < 1e-12


@pytest.mark.parametrize("game", [deadly_pig(12), forced(5)], ids=lambda game: game.name)
def test_two_players(game):
    solution, exact = dl.solve(game), dl.solve(game, exact=True)
    np.testing.assert_allclose(solution.values, value_iteration(game), rtol=0, atol=1e-12)
    np.testing.assert_allclose(exact.values.astype(float), solution.values, rtol=0, atol=1e-13)
    best = next(name for name in dl.action_values(exact).columns if name.startswith("best"))
    assert np.isclose(dl.action_values(exact)[best][0], solution.value)


def test_matches():
    game = deadly_pig(12)
    solution = dl.solve(game)
    assert np.isclose(
        dl.evaluate(game, solution.policy, solution.policy).first_wins, solution.value, atol=1e-13
    )
    best = dl.best_response(game, 8)
    played = dl.simulate(game, best.policy, 8, games=200_000)
    assert abs(played.first_wins - best.value) < 4 * played.first_wins_se
    match = dl.evaluate(game, best.policy, 8)
    assert abs(played.turns_mean - match.turns_mean) < 4 * played.turns_mean_se
    assert np.isclose(match.turns_distribution().sum(), 1) and dl.loss(game, 8) > 0.01
    assert abs(dl.loss(solution, solution.policy)) < 1e-12


@pytest.mark.parametrize(
    "ask",
    [
        lambda game: dl.solve(game, "margin"),
        lambda game: dl.solve(game, "turns"),
        lambda game: dl.solve(game, players=3),
        lambda game: dl.evaluate(game, 5, 6, 7),
        lambda game: dl.evaluate(game, 5, 6).margin,
        lambda game: dl.turn_points(game, 5),
    ],
)
def test_refused(ask):
    with pytest.raises(NotImplementedError, match="for two players and the objective 'win'"):
        ask(deadly_pig(5))


def test_finishes():
    with pytest.raises(ValueError, match="'reach' in a game that a roll can lose"):
        deadly_pig(20, "exact")
