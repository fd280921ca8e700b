"""The law of the first move: the best turns and their ties against all stopping rules; the law against solved races."""

from dataclasses import replace
from fractions import Fraction
from itertools import chain, combinations, pairwise

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
    law_constants,
    near_tie_target,
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
    turns = all_turns(die, 8)
    best = best_turn(dl.generalized_pig(die, 5))
    mean = max(mean for mean, _ in turns)
    variances = [variance for each, variance in turns if each == mean]
    assert (best.mean, best.least_variance, best.greatest_variance) == (
        mean,
        min(variances),
        max(variances),
    )


def test_fair_dice_tie_where_the_total_is_the_sum_of_the_other_faces():
    for faces in range(2, 9):
        for die in (["1/" + str(faces)] * faces, [f"1/{faces}", 0] + [f"1/{faces}"] * (faces - 1)):
            tie = sum(face for face, p in enumerate(die) if p)
            holds, rolls = (moments(die, range(tie + more)) for more in (0, 1))
            best = best_turn(dl.generalized_pig(die, 100))
            assert holds[0] == rolls[0] == best.mean
            assert (best.least_variance, best.greatest_variance) == (holds[1], rolls[1])


def test_a_tie_at_a_total_that_no_turn_has_counts_for_nothing():
    """With threes alone, and a bust in 3 of 7 rolls, 4 points would be a tie."""
    best = best_turn(dl.generalized_pig(["3/7", 0, 0, "4/7"], 50))
    assert best.least_variance == best.greatest_variance


@pytest.mark.parametrize(
    "game",
    [dl.pig(), big_pig(), toss_up(dice=4), pass_the_pigs(), dl.hog()],
    ids=lambda game: game.name,
)
def test_the_mean_is_the_value_of_the_objective_score(game):
    best = best_turn(game)
    assert best.mean == dl.solve(game, "score", exact=True).value
    assert best.least_variance <= best.variance <= best.greatest_variance


def test_choices_may_tie_too():
    """Three points for sure, or a second roll in a mode of its own that doubles them or loses them: the same mean."""
    sure, risky = dl.Choice(3, "held"), dl.Choice(0, "risky")
    modes = [
        dl.Mode("start", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [sure, risky])]),
        dl.Mode("held", [dl.Outcome(1, "bust")]),
        dl.Mode("risky", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [dl.Choice(6, "held")])]),
    ]
    best = best_turn(dl.Game("choices", 20, modes))
    assert best.mean == Fraction(3, 2)
    assert best.least_variance == Fraction(9, 2) - Fraction(9, 4)
    assert best.greatest_variance == Fraction(36, 4) - Fraction(9, 4)


@pytest.mark.parametrize("die", SMALL, ids=str)
def test_the_risk_curve_is_the_maximum_over_all_stopping_rules(die):
    turns = [(float(mean), float(variance)) for mean, variance in all_turns(die, 10)]
    best = max(mean for mean, _ in turns)
    risks = [-0.3, -0.1, -0.01, 0.01, 0.1, 0.3]
    found = risk_curve(dl.generalized_pig(die, 5), risks)
    for risk, (worth, mean, variance) in zip(risks, found.to_numpy(), strict=True):
        each = [m - best + risk / 2 * (v + (m - best) ** 2) for m, v in turns]
        assert worth == pytest.approx(max(each), abs=1e-13)
        assert min(abs(m - mean) + abs(v - variance) for m, v in turns) < 1e-9


def test_the_kink_of_the_risk_curve_is_the_tie():
    best = best_turn("pig")
    slopes = risk_curve("pig", [-1e-7, 1e-7])["worth"].to_numpy() / [-1e-7, 1e-7]
    assert slopes == pytest.approx([best.least_variance / 2, best.greatest_variance / 2], rel=1e-6)


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


def test_dice_of_multiples_are_compared_at_their_own_target():
    """Twos and fours to 101 are ones and twos to 51, and the race is solved as that; the law is that of the die."""
    die = "1/2", 0, "1/4", 0, "1/4"
    found, game = compare_law(die, 101), dl.generalized_pig(die, 101)
    assert found["exact"] == pytest.approx(dl.solve(game).value - 0.5, abs=1e-14)
    assert found["law"] == first_player_law(game, [101]).loc[101, "advantage"]


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
    with pytest.raises(ValueError, match="at least 100 numbers"):
        extrapolate(n[:99])


@pytest.mark.parametrize("die", [*SMALL, ("1/6", 0, *["1/6"] * 5)], ids=str)
def test_late_rolls_are_those_of_the_table_of_decisions(die):
    game = dl.generalized_pig(die, 40)
    solution = dl.solve(game)
    rolls = solution.policy.roll_mask()
    expected = set()
    for own in range(40):
        for opponent in range(40):
            totals = [k for k in range(1, 40 - own) if _makes(die, k)]
            row = [bool(rolls[own, opponent, k]) for k in totals]
            if any(b and not a for a, b in pairwise(row)):
                expected.add((40 - own, 40 - opponent))
    found = late_rolls(solution)
    assert {*found.itertuples(index=False, name=None)} == expected


def _makes(die, total):
    faces = [face for face, p in enumerate(die) if face and p]
    return total == 0 or any(_makes(die, total - face) for face in faces if face <= total)


@pytest.mark.parametrize("die", SMALL, ids=str)
def test_one_point_short_a_player_rolls_if_the_opponent_is_dangerous(die):
    """In fractions: exactly if V(b, 1) > p₀·V(b, a), at needs a and b."""
    solution = dl.solve(dl.generalized_pig(die, 12), exact=True)
    values, bust = solution.values, Fraction(die[0])
    for a in range(2, 13):
        for b in range(1, 13):
            if _makes(die, a - 1):
                short = values[12 - b, 11] > bust * values[12 - b, 12 - a]
                assert solution.policy.rolls(12 - a, 12 - b, a - 1) == short, (a, b)


def test_a_roll_one_point_short_need_not_be_a_late_roll():
    """In fractions: a player who needs 10 points against 10 rolls at all totals, so at 9, and that is no late roll."""
    solution = dl.solve(dl.generalized_pig(("1/2", 0, 0, 0, "1/6", "1/3"), 10), exact=True)
    assert all(solution.policy.rolls(0, 0, total) for total in (4, 5, 8, 9))
    assert late_rolls(solution).empty


@pytest.mark.parametrize("die", [*SMALL, ("9/10", "1/30", "1/15")], ids=str)
def test_the_odds_grow_with_what_the_opponent_needs(die):
    """Proposition 9 of the notebook, in fractions: the bound for the odds, and where it makes a hold optimal."""
    game = dl.generalized_pig(die, 12)
    solution, bust, mean = dl.solve(game, exact=True), Fraction(die[0]), best_turn(game).mean
    bounded = 0
    for b in range(1, 13):
        row = solution.values[12 - b]
        least = row[11]
        for a in range(2, 13):
            odds = (1 - bust) * a / mean * least / (1 - least)
            assert row[12 - a] / (1 - row[12 - a]) >= odds, (a, b)
            if least < bust and a * (1 - bust) * (bust - least) >= mean * (1 - least):
                bounded += _makes(die, a - 1)
                assert not solution.policy.rolls(12 - a, 12 - b, a - 1)
    assert bounded


def test_the_bound_for_the_odds_is_sharp():
    """The coin, where both players need two points: an equality, in fractions."""
    values = dl.solve(dl.piglet(2), exact=True).values
    even, least = values[0, 0], values[0, 1]
    assert even / (1 - even) == 2 * least / (1 - least)


def test_log_concavity_fails_where_decisions_are_thresholds():
    """In Pig, at needs 56 and 56: so Lemma 11 of the notebook is about the ratio to one more roll."""
    values = dl.solve(dl.pig(56)).values
    hold = values[0, 0] - values[0]  # by points held: how much a hold is better than a bust
    hold = np.append(hold, np.full(7, values[0, 0]))
    growth = hold[2:] / hold[1:-1]
    assert growth[[18, 24, 26, 28]] == pytest.approx([1.0531, 1.0381, 1.0502, 1.0442], abs=1e-4)
    more = sum(hold[1 + face : 56 + face] for face in range(2, 7)) / 6 / hold[1:56]
    assert (more[1:] > 1).tolist() == [True] * 18 + [False] * 36  # at 2 to 19 points alone


RARE = [("71/100", "29/100"), ("14/15", "1/30", "1/30"), ("19/20", 0, "1/40", "1/40")]  # points


@pytest.mark.parametrize("die", RARE, ids=str)
def test_dice_that_bust_often_are_rolled_once(die):
    """The notebook's condition (R0) holds for them, and they hold at all totals that the dice can make."""
    bust, *faces = map(Fraction, die)
    least = next(face for face, p in enumerate(faces, start=1) if p)
    step = bust / (1 + bust) * faces[least - 1] / (1 - bust)
    ratios = (sum(step**-n for n in range(-(-i // least) + 1)) for i in range(1, len(die)))
    assert sum(p * most for p, most in zip(faces, ratios, strict=True)) <= 1
    assert _rolled_again(die) == set()


def test_the_bound_for_one_scoring_face_is_sharp():
    """It is at p₀ = √½: below, a player who needs two points rolls twice against one who needs one."""
    assert (2, 1) in _rolled_again(("7/10", "3/10"))


def _rolled_again(die):
    """The needs at which a player with points rolls, in a race to 12 solved in fractions."""
    solution = dl.solve(dl.generalized_pig(die, 12), exact=True)
    return {
        (own, other)
        for own in range(1, 13)
        for other in range(1, 13)
        for total in range(1, own)
        if _makes(die, total) and solution.policy.rolls(12 - own, 12 - other, total)
    }


@pytest.mark.parametrize("die", [*SMALL, ("1/6", 0, *["1/6"] * 5)], ids=str)
def test_the_chance_of_a_run_is_within_its_bounds(die):
    rate, most = run_rate(dl.generalized_pig(die, 9)), len(die) - 1
    for n in (1, 5, 17):
        chance = float(sum(p for k, p in points_of(die, range(n)).items() if k >= n))
        assert np.exp(-rate * (n + most - 1)) <= chance * (1 + 1e-12)
        assert chance <= np.exp(-rate * n) * (1 + 1e-12)


def test_near_ties_end_where_a_lead_of_one_deviation_is_worth_no_price():
    """The coin that busts in 3 of 4 tosses has no near tie; that of Pig is a hold at 19, whose price is known."""
    assert near_tie_target(dl.generalized_pig(["3/4", "1/4"], 9)) == 0
    die, best = ("1/6", 0, *["1/6"] * 5), best_turn("pig")
    prices = []
    for hold, variance in ((19, best.least_variance), (22, best.greatest_variance)):
        mean, other = moments(die, range(hold))
        square = other + (mean - best.mean) ** 2
        prices.append(2 * (best.mean - mean) / abs(square - variance))
    risk = float(min(prices))
    expected = float(best.mean / (2 * best.variance)) / risk**2
    assert near_tie_target("pig") == pytest.approx(expected, rel=1e-9)


def test_the_constants_of_several_dice_are_those_of_each():
    table = law_constants({"pig": ["1/6", 0, *["1/6"] * 5], "no tie": ["2/7", "5/7"]})
    assert table["tie"].to_list() == [20, 2.5]
    assert table.loc["pig", "limit"] == best_turn("pig").limit
    assert table.loc["no tie", "least variance"] == table.loc["no tie", "greatest variance"]


def test_slopes_are_differences_of_chances():
    solution = dl.solve(dl.pig(400))
    slopes = chance_slopes(solution, 200)
    for own in (150, 200, 230):  # the needs of the player who has just moved
        before, after = (1 - solution.values[200, 400 - needs] for needs in (own, own - 1))
        assert slopes.loc[200 - own, "exact"] == after - before
    near = slopes.loc[-40:40]
    assert (near["exact"] / near["limit"]).between(0.9, 1.1).all()
    assert slopes["limit"].sum() == pytest.approx(1, abs=0.02)  # of a density
    with pytest.raises(ValueError, match="needs: 401"):
        chance_slopes(solution, 401)


def test_games_that_the_law_is_not_about_are_refused():
    with pytest.raises(ValueError, match="forced"):
        best_turn(dl.double_trouble())
    with pytest.raises(ValueError, match="registers"):
        best_turn(_with_registers())
    with pytest.raises(ValueError, match="resets"):
        first_player_law(dl.two_dice_pig(), [100])
    with pytest.raises(NotImplementedError, match="equal turns"):
        first_player_law(dl.pig(50, finish="equal turns"), [50])
    with pytest.raises(ValueError, match="one mode"):
        run_rate(dl.hog())
    with pytest.raises(ValueError, match="objective"):
        late_rolls(dl.solve("pig 20", "turns"))
    with pytest.raises(ValueError, match="registers"):
        late_rolls(dl.solve(_with_registers()))


def _with_registers():
    """Piglet in which the first hold needs two points."""
    registers = [dl.Register("closed", after_hold="open", least_hold=2), dl.Register("open")]
    return replace(dl.piglet(5), registers=registers)
