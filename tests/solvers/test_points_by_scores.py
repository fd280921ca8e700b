"""Points of a turn that depend on both scores, beside a recursion: each turn scores, so that nothing goes round."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import dicelab as dl
from dicelab.games import sus_fuss


def generous(own, opponent, rolled):
    """Who is behind gets more, a rule that looks at both scores."""
    return rolled + (3 if opponent > own else 0) + own % 3


def by_recursion(target, dice, points):
    """The first player's chance in Hog where a roll with a one scores 1, by its definition, and the best numbers."""
    rolls = {}
    for k in range(1, dice + 1):
        for roll in product(range(1, 7), repeat=k):
            score = 1 if 1 in roll else sum(roll)
            rolls.setdefault(k, {})[score] = rolls.get(k, {}).get(score, 0) + Fraction(1, 6**k)

    @cache
    def value(own, opponent):
        return max(
            sum(chance * after(own, opponent, score) for score, chance in scores.items())
            for scores in rolls.values()
        )

    def after(own, opponent, score):
        if own + score >= target or own + points(own, opponent, score) >= target:
            return 1
        return 1 - value(opponent, own + points(own, opponent, score))

    return value(0, 0)


@pytest.mark.parametrize("points", [sus_fuss, generous])
def test_hog_by_recursion(points):
    game = dl.hog(25, 3, ones=1, points=points)
    expected = by_recursion(25, 3, points)
    solution = dl.solve(game)
    assert solution.value == pytest.approx(float(expected), abs=1e-13)
    assert dl.solve(game, exact=True).value == expected
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.first_wins == pytest.approx(solution.value, abs=1e-13)
    assert dl.best_response(game, solution.policy).value == pytest.approx(solution.value, abs=1e-13)
    played = dl.simulate(game, solution.policy, solution.policy, games=200_000)
    assert abs(played.first_wins - solution.value) <= 4 * played.first_wins_se
    assert abs(played.turns_mean - match.turns_mean) <= 4 * played.turns_mean_se


def test_the_contest_with_sus_fuss():
    assert dl.solve(dl.hog(ones=1)).value == pytest.approx(0.534359523662, abs=1e-11)
    assert dl.solve(dl.hog(ones=1, points=sus_fuss)).value == pytest.approx(
        0.539406813162, abs=1e-11
    )


def test_alone_nobody_else_has_points():
    game = dl.hog(12, 2, ones=1, points=lambda own, opponent, rolled: rolled + own % 2 + opponent)
    best = dl.solve(game, "turns")
    assert dl.evaluate(game, best.policy).turns_mean == pytest.approx(best.value, rel=1e-13)
    assert best.value < dl.solve(dl.hog(12, 2, ones=1), "turns").value
    assert np.isfinite(best.values).all()


def test_what_is_refused():
    for make in (
        lambda: dl.Game("Pig", 9, dl.pig(9).modes, points=sus_fuss),
        lambda: dl.hog(9, 2, "last licks", points=sus_fuss),
    ):
        with pytest.raises(ValueError, match=r"points: .* must have the finish 'reach'"):
            make()
    game = dl.hog(12, 2, ones=1, points=sus_fuss)
    for ask in (
        lambda: dl.solve(game, players=3),
        lambda: dl.solve(game, "score"),
    ):
        with pytest.raises(NotImplementedError, match="for one or two players, and for a target"):
            ask()
    with pytest.raises(
        ValueError, match="points: 0 is not allowed, at own=0, opponent=0, rolled=1"
    ):
        dl.solve(dl.hog(12, 2, ones=1, points=lambda own, opponent, rolled: rolled - 1))
    with pytest.raises(ValueError, match=r"by_target: .* points by the scores"):
        dl.solve(game).by_target()
