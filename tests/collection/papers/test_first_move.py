"""The law of the first move: the best turns and their ties against all stopping rules; the law against solved races."""

from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, pairwise, product

import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from collection.papers.first_move import (
    best_turn,
    chance_slopes,
    compare_law,
    extrapolate,
    first_player_law,
    late_rolls,
    risk_curve,
    run_rate,
)
from dicelab.games.catalogue import big_pig, pass_the_pigs, toss_up

SMALL = [  # dice that hold early, with and without ties
    ("1/2", "1/2"),
    ("1/3", "1/3", "1/3"),
    ("2/7", "5/7"),
    ("3/5", "1/5", "1/5"),
    ("1/2", 0, "1/4", "1/4"),
]


def points_of(die, rolls):
    """The distribution of the points of a turn that rolls at the totals in `rolls`, a dict of Fractions."""
    bust, *faces = map(Fraction, die)
    found, at = {0: Fraction(0)}, {0: Fraction(1)}
    while at:
        total = min(at)
        chance = at.pop(total)
        if total not in rolls:
            found[total] = found.get(total, 0) + chance
            continue
        found[0] += chance * bust
        for face, p in enumerate(faces, start=1):
            if p:
                at[total + face] = at.get(total + face, 0) + chance * p
    return found


def moments(die, rolls):
    """The mean and the variance of the points of such a turn."""
    points = points_of(die, rolls)
    mean = sum(k * p for k, p in points.items())
    return mean, sum(k * k * p for k, p in points.items()) - mean**2


def all_turns(die, most):
    """The mean and the variance of all turns that hold at `most` or more: 2^(most - 1) sets of totals to roll at."""
    totals = range(1, most)
    sets = chain.from_iterable(combinations(totals, size) for size in range(most))
    return [moments(die, {0, *rolls}) for rolls in sets]


@pytest.mark.parametrize("die", SMALL, ids=str)
def test_the_best_turn_is_the_best_of_all_stopping_rules(die):
    """And the risk curve is the maximum over all of them."""
    turns = all_turns(die, 10)
    game = dl.generalized_pig(die, 5)
    best = best_turn(game)
    assert best.mean == max(mean for mean, _ in turns)
    variances = [variance for mean, variance in turns if mean == best.mean]
    assert (best.least_variance, best.greatest_variance) == (min(variances), max(variances))
    turns = [(float(mean - best.mean), float(variance)) for mean, variance in turns]
    for risk, found in risk_curve(game, [-0.3, -0.1, -0.01, 0.01, 0.1, 0.3]).iterrows():
        each = [m + risk / 2 * (v + m**2) for m, v in turns]
        assert found["worth"] == pytest.approx(max(each), abs=1e-13)
        mean, variance = found["mean"] - float(best.mean), found["variance"]
        assert min(abs(m - mean) + abs(v - variance) for m, v in turns) < 1e-9


@pytest.mark.parametrize("faces", range(2, 9))
@pytest.mark.parametrize("first", [["1/{}"], ["1/{}", 0]], ids=["the highest busts", "one busts"])
def test_fair_dice_tie_where_the_total_is_the_sum_of_the_other_faces(faces, first):
    die = [str(p).format(faces) for p in first] + [f"1/{faces}"] * (faces - 1)
    tie = sum(face for face, p in enumerate(die) if p != "0")
    holds, rolls = (moments(die, range(tie + more)) for more in (0, 1))
    best = best_turn(dl.generalized_pig(die, 100))
    assert holds[0] == rolls[0] == best.mean
    assert (best.least_variance, best.greatest_variance) == (holds[1], rolls[1])


@pytest.mark.parametrize(
    "game",
    [dl.pig(), big_pig(), toss_up(dice=4), pass_the_pigs(), dl.hog()],
    ids=lambda game: game.name,
)
def test_the_mean_is_the_value_of_the_objective_score(game):
    best = best_turn(game)
    assert best.mean == dl.solve(game, "score", exact=True).value
    assert best.least_variance <= best.variance <= best.greatest_variance


TIED = [("3/5", "1/5", "1/5"), ("4/7", "2/7", "1/7"), ("3/7", "2/7", "2/7")]


@pytest.mark.parametrize("die", TIED, ids=str)
def test_the_limit_has_six_digits_where_two_rules_tie(die):
    """Solved races to 1000, extrapolated. Either variance alone would be off by more than 3 %."""
    best = best_turn(dl.generalized_pig(die, 100))
    advantage = dl.first_player(dl.generalized_pig(die, 1000))["advantage"]
    limit, error = extrapolate(advantage * advantage.index**0.5)
    assert error < 1e-6 and abs(limit - best.limit) < 1e-6
    for variance in (best.least_variance, best.greatest_variance):
        assert abs((best.variance / variance) ** 0.5 - 1) > 0.03


@pytest.mark.parametrize(
    "die", [("1/2", 0, 0, 0, "1/6", "1/3"), ("1/3", 0, 0, 0, "1/6", "1/2"), ("1/2", "1/2")], ids=str
)
def test_near_ties_explain_what_the_limit_does_not(die):
    found = compare_law(die, 500)
    assert found["exact"] == pytest.approx(found["law"], rel=0.006)
    if die != ("1/2", "1/2"):
        assert found["exact"] < 0.983 * found["limit"]


def test_the_law_holds_in_other_games_and_becomes_the_limit():
    for game in (dl.pig(600), big_pig(600)):
        exact = dl.first_player(game, [300, 600])["advantage"]
        law = first_player_law(game, [300, 600])
        assert exact.to_numpy() == pytest.approx(law["advantage"].to_numpy(), rel=0.006)
    far = first_player_law("pig", [10, 10**7])
    assert far["advantage"].to_numpy() == pytest.approx(far["limit"].to_numpy(), rel=2e-5)
    assert first_player_law("pig", []).empty


def test_extrapolation_is_exact_for_polynomials_and_says_how_far_it_may_be_off():
    n = pd.Series(np.arange(1.0, 401.0), np.arange(1, 401))
    limit, error = extrapolate(3 - n**-0.5 + 2 * n**-2.5)
    assert abs(limit - 3) < 1e-9
    limit, error = extrapolate(3 + n**-0.3)
    assert 1e-9 < abs(limit - 3) < 30 * error


@pytest.mark.parametrize("die", [*SMALL, ("1/6", 0, *["1/6"] * 5)], ids=str)
def test_late_rolls_are_those_of_the_table_of_decisions(die):
    solution = dl.solve(dl.generalized_pig(die, 40))
    rolls, expected = solution.policy.roll_mask(), set()
    for own, opponent in product(range(40), repeat=2):
        row = [bool(rolls[own, opponent, k]) for k in range(1, 40 - own) if _makes(die, k)]
        if (False, True) in pairwise(row):
            expected.add((40 - own, 40 - opponent))
    assert {*late_rolls(solution).itertuples(index=False, name=None)} == expected


def _makes(die, total):
    faces = [face for face, p in enumerate(die) if face and p]
    return total == 0 or any(_makes(die, total - face) for face in faces if face <= total)


def test_slopes_are_differences_of_chances():
    solution = dl.solve(dl.pig(400))
    slopes = chance_slopes(solution, 200)
    for own in (150, 200, 230):  # the needs of the player who has just moved
        before, after = (1 - solution.values[200, 400 - needs] for needs in (own, own - 1))
        assert slopes.loc[200 - own, "exact"] == after - before
    near = slopes.loc[-40:40]
    assert (near["exact"] / near["limit"]).between(0.9, 1.1).all()
    assert slopes["limit"].sum() == pytest.approx(1, abs=0.02)  # of a density


REGISTERS = [dl.Register("closed", after_hold="open", least_hold=2), dl.Register("open")]
OPENED = replace(dl.piglet(5), registers=REGISTERS)
REFUSED = [  # what is asked, and what is said
    (lambda: best_turn(dl.double_trouble()), "forced"),
    (lambda: best_turn(OPENED), "registers"),
    (lambda: first_player_law(dl.two_dice_pig(), [100]), "resets"),
    (lambda: first_player_law(dl.pig(50, finish="equal turns"), [50]), "equal turns"),
    (lambda: run_rate(dl.hog()), "one mode"),
    (lambda: late_rolls(dl.solve("pig 20", "turns")), "objective"),
    (lambda: late_rolls(dl.solve(OPENED)), "registers"),
    (lambda: chance_slopes(dl.solve("pig 20"), 21), "needs: 21"),
    (lambda: extrapolate(pd.Series(1.0, range(1, 100))), "at least 100 numbers"),
]


@pytest.mark.parametrize(("ask", "said"), REFUSED)
def test_what_the_law_is_not_about_is_refused(ask, said):
    with pytest.raises((ValueError, NotImplementedError), match=said):
        ask()
