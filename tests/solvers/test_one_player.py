"""One player: most points from a turn, fewest turns to the target; in several ways and against the literature."""

from collections import Counter
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from conftest import dice, mode_games
from hypothesis import given, settings

import dicelab as dl
from dicelab.evaluation import studies

GAMES = [dl.pig(30), dl.piglet(9), dl.two_dice_pig(40), dl.double_trouble(40)]
GAMES += [
    dl.pig(30, finish="exact"),
    dl.two_dice_pig(30, finish="exact"),
    dl.double_trouble(30, finish="exact"),
]


def named(game):
    return f"{game.name} {game.finish}"


def test_score_of_pig():
    """Roters 1998: hold at 20, where a roll is worth the same; 8.1418 points."""
    exact, fast = (dl.solve(dl.pig(), "score", exact=exact) for exact in (True, False))
    assert exact.value == Fraction(492303203, 60466176)
    assert round(fast.value, 4) == 8.1418
    assert exact.ties == ((20, "roll"),)
    assert [fast.policy.rolls(0, 0, k) for k in (0, 19, 20, 21)] == [True, True, False, False]
    # one more way: the turn's chances, forwards, by hold at 20
    ends = dl.evaluate(dl.pig(), dl.hold_at(20), dl.hold_at(20))
    assert ends.first_wins == dl.evaluate(dl.pig(), fast.policy, fast.policy).first_wins


def test_piglet_by_hand():
    """W(0) = (1 + 0) / 2, and at 1 a roll is worth 2/2, the same."""
    exact = dl.solve(dl.piglet(), "score", exact=True)
    assert exact.value == Fraction(1, 2)
    assert exact.ties == ((1, "roll"),)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES[:4], ids=named)
def test_no_hold_at_n_scores_more(game):
    """Among the rules that hold at n, the best earns what the optimum does, as there is one mode with a hold."""
    best = dl.solve(game, "score", exact=True)
    assert float(best.value) == pytest.approx(dl.solve(game, "score").value, abs=1e-13)
    scores = [score_of(game, n) for n in range(1, 30)]
    assert float(max(scores)) == pytest.approx(float(best.value), abs=1e-14)


def score_of(game, n):
    """What hold at n earns, a Fraction, by following all turns forwards, 99 rolls beyond n at most."""
    going = Counter({(0, game.modes[0].name): Fraction(1)})
    earned = Fraction(0)
    for total in range(n + 99 * game.most_points):
        for mode in game.modes:
            mass = going.pop((total, mode.name), 0)
            for outcome in mode.outcomes if mass else ():
                for choice in outcome.choices:
                    after = total + choice.points
                    chance = mass * outcome.probability
                    if after >= n and game.modes[game.mode(choice.mode)].may_hold:
                        earned += chance * after
                    else:
                        going[after, choice.mode] += chance
    return earned


@settings(max_examples=100)
@given(dice())
def test_score_of_random_dice(game):
    if game.modes[0].chance("bust") == 0:
        with pytest.raises(ValueError, match="lose nothing"):
            dl.solve(game, "score")
    else:
        scores_agree(game)


@settings(max_examples=60)
@given(mode_games(resets=True))
def test_score_of_random_games(game):
    scores_agree(game)


def scores_agree(game):
    exact = dl.solve(game, "score", exact=True)
    fast = dl.solve(game, "score")
    assert fast.values.shape == exact.values.shape
    off = np.abs(fast.values - exact.values.astype(float))
    never = len(game.modes) - len(game.reached())
    assert np.isnan(off).sum() == never * len(off), "nothing is said of modes that no turn is in"
    assert np.nanmax(off) <= 1e-12 * max(1, np.nanmax(fast.values))
    for mode in game.modes:
        for k in range(1, min(game.target, 12)):
            assert fast.policy.rolls(0, 0, k, mode.name) == exact.policy.rolls(0, 0, k, mode.name)


def test_fewest_turns_to_100():
    """Haigh and Roters 2000: 12.545 at best, 12.64 by hold at 20."""
    best = dl.solve(dl.pig(), "turns")
    assert round(best.value, 3) == 12.545
    assert round(studies.turns_needed(dl.pig(), dl.hold_at(20))[0], 2) == 12.64


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_fewest_turns_are_the_turns_of_a_policy_and_no_rule_needs_fewer(game):
    best = dl.solve(game, "turns")
    needed = studies.turns_needed(game, best.policy)
    assert np.array_equal(np.isinf(needed), np.isinf(best.values))
    assert np.allclose(needed, best.values, rtol=1e-13, atol=0)
    for n in range(1, 40):
        assert (studies.turns_needed(game, dl.hold_at(n)) >= best.values * (1 - 1e-14)).all()


def test_who_can_never_arrive_needs_infinitely_many_turns():
    values = dl.solve(dl.pig(12, finish="exact"), "turns").values
    assert np.isinf(values[11])
    assert values[10] == pytest.approx(6, abs=1e-14), "two points missing: only a two arrives"
    assert np.isinf(studies.turns_needed(dl.pig(12, finish="exact"), dl.hold_at(1))[0]), (
        "it may bank eleven points"
    )


def test_a_turn_that_can_lose_nothing_has_no_best():
    with pytest.raises(
        ValueError, match="Pig has no best turn, as one can roll on for ever and lose nothing"
    ):
        dl.solve(dl.generalized_pig([0, 1], 5, name="Pig"), "score")
    with pytest.raises(
        ValueError, match="g has no best turn, as one can roll on for ever and lose nothing"
    ):
        free = dl.Mode(
            "free",
            [
                dl.Outcome("1/2", "bust"),
                dl.Outcome("1/2", [dl.Choice(1, "free"), dl.Choice(1, "safe")]),
            ],
        )
        safe = dl.Mode(
            "safe", [dl.Outcome(1, [dl.Choice(5, "free"), dl.Choice(1, "safe")])], may_hold=False
        )
        dl.solve(dl.Game("g", 9, (free, safe)), "score")


def cards(number, traps=2):
    """Draw cards of 1, 2, … points, none of them twice, until you stop or draw a trap; after an odd one you must go on.

    A mode for each set of cards that are drawn.
    """
    modes = []
    for drawn in range(2**number):
        left = [card for card in range(number) if not drawn >> card & 1]
        chance = Fraction(1, len(left) + traps)
        outcomes = [dl.Outcome(traps * chance, "bust")]
        outcomes += [dl.Outcome(chance, dl.Choice(k + 1, str(drawn | 1 << k))) for k in left]
        modes.append(dl.Mode(str(drawn), outcomes, may_hold=drawn.bit_count() % 2 == 0))
    return dl.Game("Cards", 30, modes)


def test_zilch_has_a_best_turn_though_its_six_dice_are_always_rolled():
    """Busche finds 620.855 points where a zilch costs something later; a turn alone, in chips of 50, has more."""
    turn = dl.solve(dl.games.zilch(20), "score")
    assert (
        turn.policy.hold_threshold(0, 0, "3 dice") == 9
        and turn.policy.hold_threshold(0, 0, "6 dice") == 20
    )
    assert 620.855 / 50 < turn.value < 12.47


def test_the_score_of_a_turn_with_hundreds_of_modes():
    """By recursion over the sets; without a circle each mode is solved in one step."""

    @cache
    def worth(drawn, total):
        left = [card for card in range(8) if not drawn >> card & 1]
        rolled = sum(worth(drawn | 1 << k, total + k + 1) for k in left) / (len(left) + 2)
        return rolled if drawn.bit_count() % 2 or not total else max(rolled, Fraction(total))

    solution = dl.solve(cards(8), "score", exact=True)
    assert solution.value == worth(0, 0)
