"""Certificates: true values lie within the bounds, ties are found, and wrong values and decisions are found."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab.policies import Policy
from dicelab_extras import proofs

GAMES = [
    dl.pig(15),
    dl.piglet(9),
    dl.two_dice_pig(14),
    dl.double_trouble(12),
    dl.ten_thousand(7),
    dl.pig(9, finish="exact"),
    dl.piglet(8, finish="exact"),
    # Larger targets, so that walks start late; with a die that mostly busts, the player behind has nearly lost.
    dl.pig(45),
    dl.two_dice_pig(30),
    dl.generalized_pig(["3/4", "1/4"], 45),
]


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=lambda game: f"{game.name} to {game.target}")
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
def test_exact_values_lie_within(game, objective):
    solution = dl.solve(game, objective)
    exact = dl.solve(game, objective, exact=True)
    certificate = proofs.certify(solution)
    lower, upper = certificate.lower, certificate.upper
    scale = max(1, np.max(np.where(np.isfinite(upper), np.abs(upper), 0)))
    if game.target < 30:
        assert certificate.optimal and certificate.width <= 1e-11 * scale
    else:
        assert certificate.width <= 1e-12 * (game.target if objective == "margin" else scale)
    for low, value, high in zip(lower.flat, exact.values.flat, upper.flat, strict=True):
        assert low <= value <= high
    assert ((lower <= solution.values) & (solution.values <= upper)).all()


def test_bounds_do_not_depend_on_the_guess():
    solution = dl.solve(dl.two_dice_pig(20))
    (lower, upper), wild = proofs.bounds(solution), solution.values.copy()
    wild[3, 4], wild[5, 6], wild[7, 8] = np.inf, 1e200, np.nan
    for low, high in (proofs.bounds(replace(solution, values=wild)), (lower, upper)):
        assert (np.maximum(low, lower) <= np.minimum(high, upper)).all()
        assert (high - low).max() < 1e-12
    assert set(proofs.certify(replace(solution, values=wild)).outside) == {(3, 4), (5, 6), (7, 8)}


@pytest.mark.slow
def test_turns_are_bounded_far_out():
    """A single player has few states, so that a target as large as this takes little memory."""
    lower, upper = proofs.bounds(dl.solve(dl.pig(2000), "turns"))
    assert 0 < ((upper - lower) / lower).max() < 1e-11


def test_too_many_outcomes_are_refused():
    die = dl.solve(dl.generalized_pig([Fraction(1, 8200)] * 8200, 1))
    for ask in (proofs.bounds, proofs.certify):
        with pytest.raises(
            ValueError, match=r"solution: 8,200 outcomes of a roll are not allowed; .* up to 8,192"
        ):
            ask(die)


def test_overshoot_is_certified():
    game = dl.double_trouble(12)
    certificate = proofs.certify(dl.solve(game, "margin", overshoot=True))
    exact = dl.solve(game, "margin", overshoot=True, exact=True)
    assert certificate.optimal
    assert certificate.lower[0, 0] <= exact.value <= certificate.upper[0, 0]


def test_pig_to_100_is_proven():
    certificate = proofs.certify(dl.solve(dl.pig(100)))
    assert certificate.optimal and certificate.width < 1e-12
    # All scores of the opponent, totals 1, …, 99 - own.
    assert certificate.proven == 100 * sum(range(100))


def test_dice_built_to_tie():
    game = dl.generalized_pig(["2/3", "1/3"], 6)
    certificate = proofs.certify(dl.solve(game))
    assert (
        certificate.ties
        == dl.solve(game, exact=True).ties
        == ((1, 5, 1, "roll"), (3, 5, 1, "roll"))
    )
    unsettled = proofs.certify(dl.solve(game), settle=0)
    assert (unsettled.unresolved, unsettled.ties, unsettled.optimal) == (
        certificate.ties,
        (),
        False,
    )


CLAIMS = [dl.pig(40), dl.two_dice_pig(30), dl.ten_thousand(12)]


@pytest.mark.parametrize("game", CLAIMS, ids=lambda game: game.name)
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
@pytest.mark.parametrize("where", [0, 3, -1])
def test_a_perturbed_value_is_found(game, objective, where):
    solution = dl.solve(game, objective)
    values = solution.values.copy()
    index = (where,) * values.ndim
    values[index] += 1e-9 * (game.target if objective == "margin" else 1)
    certificate = proofs.certify(replace(solution, values=values))
    assert not certificate.optimal
    assert certificate.outside == (tuple(at % game.target for at in index),)
    assert certificate.width < 1e-11 * game.target


class Flipped(Policy):
    """A policy that differs from another in one decision."""

    def __init__(self, policy, own, opponent, total):
        self.policy, self.where, self.total = policy, (own, opponent), total

    def decisions(self, game, own, opponent, memory=0):
        rolls = self.policy.decisions(game, own, opponent).copy()
        if (own, opponent) == self.where:
            rolls[0, self.total] ^= True
        return rolls

    def choices(self, game, own, memory=0):
        return self.policy.choices(game, own)


@pytest.mark.parametrize("game", CLAIMS, ids=lambda game: game.name)
def test_a_flipped_decision_is_found(game):
    solution = dl.solve(game)
    certificate = proofs.certify(replace(solution, policy=Flipped(solution.policy, 2, 5, 4)))
    assert certificate.refuted == ((2, 5, 4, game.modes[0].name),)
    assert not certificate.optimal
    assert not certificate.outside


def test_a_wrong_choice_is_found():
    class Greedy(Policy):  # takes all it can
        def decisions(self, game, own, opponent, memory=0):
            return solution.policy.decisions(game, own, opponent)

    solution = dl.solve(dl.ten_thousand(12))
    certificate = proofs.certify(replace(solution, policy=Greedy()))
    assert certificate.refuted and all(" or " in entry[-1] for entry in certificate.refuted)


def test_another_games_values_are_found():
    solution, game = dl.solve(dl.pig(12)), dl.generalized_pig(["1/4", "1/4", "1/2"], 12)
    certificate = proofs.certify(replace(solution, game=game, policy=dl.hold_at(5)))
    assert len(certificate.outside) > 100 and certificate.refuted


@pytest.mark.parametrize(
    "wrong",
    [None, 0.5, dl.solve(dl.pig(3), exact=True), dl.best_response(dl.pig(3), dl.hold_at(2))],
)
def test_other_things_than_a_float64_solution_are_refused(wrong):
    with pytest.raises(ValueError, match=r"solution: .* is not allowed"):
        proofs.certify(wrong)


OPENING = dl.Register("shut", after_hold="open", least_hold=3), dl.Register("open")


@pytest.mark.parametrize(
    ("solution", "said"),
    [
        (dl.solve(replace(dl.pig(9), registers=OPENING)), "Pig with registers"),
        (dl.solve(replace(dl.pig(9), registers=OPENING), "turns"), "Pig with registers"),
        (dl.solve(dl.pig(9, "last licks")), "Pig with finish='last licks'"),
        (dl.solve(dl.pig(9, "equal turns")), "Pig with finish='equal turns'"),
        (dl.solve(dl.pig(9), "deadline", turns=3), "Pig with objective 'deadline'"),
        (dl.solve(dl.pig(9), "score"), "Pig with objective 'score'"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_only_fractions_answer_is_refused(solution, said):
    for ask in (proofs.bounds, proofs.certify):
        with pytest.raises(NotImplementedError, match=rf"^{said}: .*exact=True") as caught:
            ask(solution)
        assert "'win', 'margin' and 'turns' without registers and last turns" in str(caught.value)


def test_where_a_player_may_wait_only_fractions_prove_anything():
    solution = dl.solve(dl.hog(5, 2, "exact"))
    for ask in (proofs.bounds, proofs.certify):
        with pytest.raises(dl.ConvergenceError, match=r"may wait for ever, .*exact=True"):
            ask(solution)


def test_where_play_never_ends_both_bounds_are_infinite():
    """From 8 of 9 no roll of Pig leads to the target, which must be hit exactly; and nothing else is claimed."""
    solution = dl.solve(dl.pig(9, "exact"), "turns")
    certificate, endless = proofs.certify(solution), np.isinf(solution.values)
    assert 0 < endless.sum() < len(endless)
    assert (np.isinf(certificate.lower) == endless).all()
    assert (np.isinf(certificate.upper) == endless).all()
    values = np.where(endless, 100.0, solution.values)
    outside = proofs.certify(replace(solution, values=values)).outside
    assert outside == tuple((at,) for at in np.flatnonzero(endless).tolist())


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 5), min_size=2, max_size=5), st.integers(1, 8))
def test_random_dice_in_three_ways(parts, target):
    """Float64, certified and rational: exact values lie within the bounds, decisions are equal, ties are found."""
    game = dl.generalized_pig([Fraction(part, sum(parts)) for part in parts], target)
    solution, exact = dl.solve(game), dl.solve(game, exact=True)
    certificate = proofs.certify(solution)
    assert certificate.optimal
    assert certificate.ties == exact.ties
    inside = (certificate.lower <= exact.values) & (exact.values <= certificate.upper)
    assert inside.all()
    np.testing.assert_array_equal(solution.policy.roll_mask(), exact.policy.roll_mask())
