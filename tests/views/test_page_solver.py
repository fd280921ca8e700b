"""The page's solver: in a real browser its values are those of `solve`."""

import json

import numpy as np
import pytest

import dicelab as dl
from dicelab.games.catalogue import GAMES
from dicelab.views.page import PLAYED, game_data

SOLVE_DICE = """(jobs) => {
    const { pigOf } = modules["game.js"], { solve } = modules["solver.js"]
    return JSON.stringify(jobs.map(([die, target]) => Array.from(solve(pigOf(die, target)))))
}"""


def random_jobs(number, seed):
    """Random dice with up to 20 faces and targets up to 200; every third is nasty: it busts often or hardly ever."""
    random = np.random.default_rng(seed)
    for k in range(number):
        faces = random.integers(1, 21)
        weights = random.dirichlet(np.ones(faces) * random.choice([0.3, 1, 10]))
        weights[random.random(faces) < random.choice([0, 0.5])] = 0
        weights[-1] += 1e-3
        bust = random.choice([0.01, 0.95, 0.5]) if k % 3 == 0 else random.uniform(0.02, 0.7)
        die = np.append(bust, (1 - bust) * weights / weights.sum())
        yield die.tolist(), int(random.integers(1, 201 if k % 4 == 0 else 80))


def solve_die(die, target):
    """The solution for weights as the page reads them."""
    from fractions import Fraction

    weights = [Fraction(weight) for weight in die]
    return dl.solve(dl.generalized_pig([weight / sum(weights) for weight in weights], target))


def largest_difference(page, jobs):
    found = json.loads(page.evaluate(SOLVE_DICE, jobs))
    expected = [solve_die(*job).values for job in jobs]
    return [np.abs(np.reshape(f, e.shape) - e).max() for f, e in zip(found, expected, strict=True)]


def test_random_dice(machinery, watched):
    differences = largest_difference(watched(machinery), list(random_jobs(200, seed=1)))
    assert max(differences) < 1e-12


@pytest.mark.parametrize("slug", PLAYED)
def test_games_of_the_catalogue(machinery, watched, slug):
    """To a smaller target: the rules are the same."""
    target = {"pig": 100, "two-dice-pig": 60, "double-trouble": 60}.get(slug, 40)
    expected = dl.solve(GAMES[slug](target))
    page = watched(machinery)
    found = page.evaluate(
        """([game, target]) => {
            const { withTarget } = modules["game.js"], { solve, holdThresholds } = modules["solver.js"]
            const smaller = withTarget(game, target), values = solve(smaller)
            const thresholds = game.modes.map((_, m) => Array.from(holdThresholds(smaller, values, m)))
            return [Array.from(values), thresholds]
        }""",
        [game_data(slug), target],
    )
    assert np.abs(np.reshape(found[0], (target, target)) - expected.values).max() < 1e-12
    for mode, thresholds in zip(expected.game.modes, found[1], strict=True):
        if mode.may_hold and not mode.must_hold:
            assert np.array_equal(
                np.reshape(thresholds, (target, target)), expected.policy.hold_thresholds(mode.name)
            )
