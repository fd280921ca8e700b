"""The auditor on random games: beside the oracle in Fractions, and beside what the package says of them."""

import random

import checks
import numpy as np
import oracle
import pytest

import dicelab as dl
from dicelab.evaluation.audit_chain import Race


def assert_sound(result):
    found = dl.audit(result)
    assert found.sound, found.checks.to_string()


@pytest.mark.parametrize("part", range(4))
def test_random_games_beside_the_oracle(part):
    """What the auditor finds of matches, beside Fractions; and it agrees with what the solvers say of the game."""
    for seed in range(part, 60, 4):
        rng = random.Random(9000 + seed)
        game = checks.random_game(rng)
        if checks.choices_differ(game):  # the policies do not say which to take beyond the target
            continue
        first = checks.Tables(game, rng)
        second = rng.choice([checks.Tables(game, rng), dl.scoring_turns(2)])
        race = Race(game, [first, second])
        true = oracle.match(
            game, oracle.plan_of(game, first), oracle.plan_of(game, second), turns=1
        )
        assert race.chances[0, race.start] == pytest.approx(float(true.first_wins), abs=1e-12), seed
        assert race.margins()[race.start] == pytest.approx(
            float(true.margin), abs=1e-12 * game.target
        ), seed
        assert race.turns[race.start] == pytest.approx(float(true.mean), rel=1e-12), seed
        if np.isfinite(float(true.mean)):
            assert race.deviation() == pytest.approx(
                checks.root(true.variance), rel=1e-9, abs=1e-12
            ), seed
        if checks.is_flat(game) or checks.may_add_up(game, checks.RAREST):
            continue
        assert_sound(dl.solve(game, rng.choice(["win", "margin", "turns"])))
        assert_sound(dl.best_response(game, first))
        assert_sound(dl.evaluate(game, first, second))


@pytest.mark.parametrize("part", range(4))
def test_random_games_with_registers(part):
    for seed in range(part, 48, 4):
        game = checks.random_registers(random.Random(500 + seed))
        if checks.is_flat(game) or checks.choices_differ(game):
            continue
        for make in (
            lambda game=game: dl.solve(game),
            lambda game=game: dl.evaluate(game, dl.hold_at(1), dl.scoring_turns(2)),
            lambda game=game: dl.best_response(game, dl.hold_at(2)),
            lambda game=game: dl.grade(game, dl.hold_at(2)),
        ):
            try:
                result = make()
            except (dl.ConvergenceError, ValueError):  # a player may wait for ever
                continue
            assert dl.audit(result).sound, (seed, dl.audit(result))
