"""The page's solver in a real browser: its values are those of `solve`. Games and rules are tested in Node.js."""

import json

import numpy as np
from golden import random_dice, solve_die

SOLVE_DICE = """(jobs) => {
    const { pigOf } = modules["game.js"], { solve } = modules["solver.js"]
    return JSON.stringify(jobs.map(([die, target]) => Array.from(solve(pigOf(die, target)))))
}"""


def test_random_dice(machinery, watched):
    jobs = list(random_dice(200, seed=1))
    found = json.loads(watched(machinery).evaluate(SOLVE_DICE, jobs))
    for values, job in zip(found, jobs, strict=True):
        expected = solve_die(*job).values
        assert np.abs(np.reshape(values, expected.shape) - expected).max() < 1e-12
