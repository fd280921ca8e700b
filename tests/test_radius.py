"""The proven radius: its theorem with gross errors, its constants with more digits, and the truth within it."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from conftest import dice, from_python
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab import radius, turn

looser = from_python(radius.looser)
COIN = ["1/2", "1/2"]
RULES = [
    dl.pig(14),
    dl.piglet(12),
    dl.generalized_pig(["9/10", "1/20", "1/20"], 9),
    dl.generalized_pig(["1/20", 0, 0, "19/20"], 15),
    dl.generalized_pig(["2/3", 0, "1/3"], 12),  # here the loosest pair is one with a > b
]


def turn_of(game, holds, missing, bust):
    """A turn in plain Python: what it is worth, and the probability that it busts; ``holds[r]`` from r = 1 on."""
    (mode,) = game.modes
    beta, known = float(mode.chance("bust")), {}
    for r in range(1, missing + 1):
        worth, slope = beta * bust, beta
        for outcome in mode.outcomes:
            for choice in outcome.choices:
                value, tilt = known[r - choice.points] if r > choice.points else (1.0, 0.0)
                worth, slope = worth + float(outcome.probability) * value, slope + float(outcome.probability) * tilt
        held = r < missing and holds[r] >= worth
        known[r] = (holds[r], 0.0) if held else (worth, slope)
    return known[missing]


def solved_roughly(game, off):
    """Values by points missing if a turn's worth is off by ``off[a, b]``, and the largest of (1 + p) / (1 - p·r)."""
    target, loosest = game.target, 0.0
    values = np.zeros((target + 1, target + 1))
    for total in range(2, 2 * target + 1):
        for a in range(max(1, total - target), total // 2 + 1):
            b, x, y = total - a, 0.5, 0.5
            for _ in range(2000):
                before = x, y
                x, p = turn_of(game, 1 - values[b], a, 1 - y)
                x += off[a, b]
                y, q = turn_of(game, 1 - values[a], b, 1 - x)
                y += off[b, a]
                if max(abs(x - before[0]), abs(y - before[1])) < 1e-16:
                    break
            values[a, b], values[b, a] = x, y
            for slope, worth, left in ((p, x, 1 - y), (q, y, 1 - x)):
                loosest = max(loosest, (1 + slope) / (1 - slope * min(1, left / worth)))
    return values[1:, 1:], loosest


@pytest.mark.parametrize("game", RULES, ids=lambda game: f"{game.name} {game.target}")
@pytest.mark.parametrize("signs", ["random", "against", "with"])
def test_turns_that_are_off_by_much(game, signs):
    """The theorem, with errors that can be seen: no value is off by more than what they add up to."""
    size = game.target + 1
    sign = {
        "random": np.random.default_rng(3).choice([-1, 1], (size, size)),
        "against": np.sign(np.subtract.outer(np.arange(size), np.arange(size)) + 0.5),  # x too large, and y too small
        "with": np.ones((size, size)),
    }[signs]
    true, _ = solved_roughly(game, np.zeros((size, size)))
    assert np.abs(true - dl.solve(game).values[::-1, ::-1]).max() <= 1e-13
    found, loosest = solved_roughly(game, 1e-4 * sign)
    said = radius.radius_of(turn.rules_of(game), game.target, loosest, 1e-4)
    assert 1e-5 < np.abs(found - true).max() <= said


def test_a_bound_that_is_reached():
    """A coin, both one point away: x too small and y too large by u make η = 2u of it, and the radius is u + η."""
    game = dl.generalized_pig(COIN, 1)
    true, _ = solved_roughly(game, np.zeros((2, 2)))
    x, y = 2 / 3, 2 / 3
    for _ in range(200):
        x, y = 0.5 + 0.5 * (1 - y) - 1e-3, 0.5 + 0.5 * (1 - x) + 1e-3
    assert true[0, 0] - x == pytest.approx(2e-3, abs=1e-12)
    loosest = looser(1.0, 2, 0.5, 2 / 3, 1 / 3)
    assert loosest == pytest.approx(2, abs=1e-14)
    assert radius.radius_of(turn.rules_of(game), 1, loosest, 1e-3) == pytest.approx(1.01 * 3e-3, rel=1e-9, abs=0)


def test_what_counts_is_the_loosest_pair():
    """`looser` keeps the larger, caps r at 1, and leaves out what is less than the radius of smaller sums anyway."""
    assert looser(5.0, 200, 0.5, 0.4, 0.2) == 5
    assert looser(1.0, 200, 0.5, 0.4, 0.2) == pytest.approx(2)
    assert looser(1.0, 200, 0.5, 0.4, 0.6) == pytest.approx(3)
    assert looser(1.0, 200, 1.0, 1e-14, 1e-14) == 1
    assert looser(1.0, 7, 0.5, 1e-16, 1e-16) == pytest.approx(3)
    assert looser(1.0, 2000, 0.9, 1e-12, 1e-12) == 1


@pytest.mark.parametrize("game", [dl.pig(60), dl.piglet(30), *RULES], ids=lambda game: f"{game.name} {game.target}")
def test_the_radius_of_a_solution(game):
    """It is what its formula makes of the solution's values and the decisions that are best for them."""
    solution, target = dl.solve(game), game.target
    values, loosest = np.pad(solution.values[::-1, ::-1], (1, 0)), 0.0
    for a, b in np.ndindex(target, target):
        worth, left = values[a + 1, b + 1], 1 - values[b + 1, a + 1]
        _, slope = turn_of(game, 1 - values[b + 1], a + 1, left)
        loosest = max(loosest, (1 + slope) / (1 - slope * min(1, left / worth)))
    (mode,) = game.modes
    beta, least = float(mode.chance("bust")), min(choice.points for choice in mode.choices)
    u = 40 * 2.0**-53 / beta + 8e-15 + solution.residual
    assert solution.radius == pytest.approx(1.01 * u * (1 + loosest) * ((2 * target - 2) // least + 1), rel=1e-9, abs=0)


def test_pairs_one_by_one_have_a_radius():
    """Pairs that are left to :func:`dicelab.pairs.solve_pair` count, too."""
    one_by_one = "import dicelab as dl; from dicelab import pairs; pairs.PASSES = 0; print(dl.solve(dl.pig(20)).radius)"
    plain = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    found = subprocess.run([sys.executable, "-c", one_by_one], env=plain, capture_output=True, text=True, check=True)
    assert float(found.stdout) == pytest.approx(dl.solve(dl.pig(20)).radius, rel=0.01, abs=0)


@pytest.mark.parametrize("game", [dl.pig(250), dl.piglet(120), *RULES[2:]], ids=lambda game: f"{game.name}")
def test_a_turn_is_worth_what_it_is_found_to_be(game):
    """Within u, with 64 binary digits; errors are far below, as u is for the worst of all cases."""
    solution = dl.solve(game)
    (mode,) = game.modes
    values = np.pad(solution.values[::-1, ::-1].astype(np.longdouble), (1, 0))
    hold, bust = 1 - values, 1 - values.T  # hold[b, r], bust[a, b]
    chances = {choice.points: o.probability for o in mode.outcomes for choice in o.choices}
    exact = {k: np.longdouble(p.numerator) / np.longdouble(p.denominator) for k, p in chances.items()}
    beta = 1 - sum(exact.values())
    found = np.zeros_like(values)
    worth = {r: np.ones_like(values) for r in range(1 - max(exact), 1)}  # [a, b]
    for r in range(1, game.target + 1):
        roll = beta * bust + sum(p * worth[r - k] for k, p in exact.items())
        found[r] = roll[r]
        worth[r] = np.maximum(roll, hold[:, r])
    u = 40 * 2.0**-53 / float(beta) + 8e-15 + solution.residual
    assert np.abs(found - values)[1:, 1:].max() <= u


@pytest.mark.parametrize(
    "game", [dl.pig(150), dl.piglet(60), dl.pig(700)], ids=lambda game: f"{game.name} {game.target}"
)
def test_bounds_lie_within_the_radius(game):
    """The other proof, by interval arithmetic, says the same, and more closely."""
    solution = dl.solve(game)
    lower, upper = dl.bounds(solution)
    assert np.maximum(upper - solution.values, solution.values - lower).max() < solution.radius < 1e-9


@settings(deadline=None)
@given(game=dice())
def test_fractions_lie_within_the_radius(game):
    exact, solution = dl.solve(game, exact=True), dl.solve(game)
    off = max(abs(Fraction(float(v)) - e) for v, e in zip(solution.values.flat, exact.values.flat, strict=True))
    assert exact.radius == 0
    if game.modes[0].chance("bust"):
        assert off <= solution.radius < 1e-8
    else:
        assert solution.radius is None


@settings(deadline=None, max_examples=20)
@given(targets=st.lists(st.integers(1, 300), min_size=2, max_size=2, unique=True))
def test_a_longer_race_has_a_larger_radius(targets):
    small, large = (dl.solve(dl.pig(target)).radius for target in sorted(targets))
    assert small < large


def test_a_face_that_is_there_many_times():
    """The sum of many rounded probabilities is too rough for the proof: errors of 7e-14 were beyond its radius."""
    small, bust = Fraction(55, 10**18), Fraction(45, 100)
    chances = [1 - bust - 1800 * small, *[small] * 1800]
    scores = [dl.Outcome(chance, dl.Choice(1, "roll")) for chance in chances]
    game = dl.Game("Many", 1, [dl.Mode("roll", [dl.Outcome(bust, "bust"), *scores])])
    solution, once = dl.solve(game), dl.solve(dl.generalized_pig([bust, 1 - bust], 1))
    assert solution.radius is None
    assert solution.value == pytest.approx(once.value, abs=1e-12)
    assert abs(once.value - float(dl.solve(game, exact=True).value)) <= once.radius


def test_no_proof_no_radius():
    """For resets, several dice or modes, other stakes, and what never busts."""
    for game in (dl.two_dice_pig(10), dl.ten_thousand(10), dl.piglet(10, finish="exact")):
        assert dl.solve(game).radius is None
    outcomes = [dl.Outcome("1/4", "bust"), dl.Outcome("1/4", "reset"), dl.Outcome("1/2", dl.Choice(1, "roll"))]
    resets = dl.Game("Resets", 10, [dl.Mode("roll", outcomes)])
    assert turn.rules_of(resets).one_die
    assert dl.solve(resets).radius is None
    often = Fraction(1, 10**14)  # the slopes are too rough then
    assert dl.solve(dl.generalized_pig([often, 1 - often], 5)).radius is None
    assert dl.solve(dl.generalized_pig(["1/1000", "999/1000"], 5)).radius < 1e-8
    assert dl.solve(dl.pig(10), "margin").radius is None
    assert dl.solve(dl.pig(10), "turns").radius is None
    assert dl.solve(dl.generalized_pig([0, "1/2", "1/2"], 10)).radius is None
    assert dl.best_response(dl.pig(10), dl.hold_at(20)).radius is None
