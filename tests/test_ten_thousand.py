"""Games in which dice are set aside: rules against enumeration, the paper's algorithms, choices in every room."""

from collections import Counter
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import dicelab as dl
from dicelab import textbook
from dicelab.catalogue import giving_up
from dicelab.ends import reachable
from dicelab.recipes import COLUMNS, turn_state
from dicelab.textbook import ten_thousand as paper

GAME = dl.ten_thousand(14)
TURN = dl.solve(GAME, "score", exact=True)


def chips(roll):
    """What all scoring dice of a roll are worth in Ten Thousand, by the words of the rules."""
    counts = Counter(roll)
    score = sum({1: 20, 5: 10}.get(face, 2 * face) for face in counts if counts[face] >= 3)
    left = {face: counts[face] - 3 * (counts[face] >= 3) for face in (1, 5)}
    return score + 2 * left[1] + left[5]


@pytest.mark.parametrize("dice", range(1, 6))
def test_ten_thousand_is_its_rolls(dice):
    """Every roll leads to an outcome that sets aside all that scores, with the right points; the chances add up."""
    mode = next(mode for mode in GAME.modes if mode.dice == dice)
    seen = Counter()
    for roll in product(range(1, 7), repeat=dice):
        where, outcome = GAME.rolled(roll)
        assert where is mode
        seen[id(outcome)] += 1
        assert (outcome.choices[0].points if outcome.choices else 0) == chips(roll)
        for choice in outcome.choices:
            assert Counter(choice.aside) <= Counter(roll)
            assert chips(choice.aside) == choice.points
            left = dice - len(choice.aside)
            assert choice.mode == {0: "5 dice", 1: "1 die"}.get(left, f"{left} dice")
    for outcome in mode.outcomes:
        assert outcome.probability == Fraction(seen[id(outcome)], 6**dice)


def test_farkle_is_its_rules():
    game = dl.farkle()
    best = {
        (1, 2, 3, 4, 5, 6): 1500,
        (2, 2, 3, 3, 4, 4): 1500,
        (1, 1, 1, 5, 2, 3): 1050,
        (4, 4, 4, 4, 1, 5): 1150,
        (3, 3, 3, 3, 3, 3): 3000,
        (1, 1, 1, 1, 1, 2): 2000,
        (2, 2, 2, 6, 6, 6): 800,
        (5, 5, 2, 3, 4, 6): 100,
        (2, 2, 2, 2, 3, 3): 1000,
    }
    for roll, points in best.items():
        _, outcome = game.rolled(roll)
        assert 50 * max(choice.points for choice in outcome.choices) == points
    assert game.rolled((2, 3, 4, 6, 2, 3))[1].result == "bust"
    assert game.modes[0].chance("bust") == Fraction(1080, 6**6), "known: 2.3 % of the rolls of six dice"
    assert (
        dl.farkle(four=400, unit=100, five=0, one=100, three_pairs=0, straight=0).rolled([5, 5, 2, 2, 3, 4])[1].result
        == "bust"
    )


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"unit": 0}, "unit: 0"),
        ({"one": 75}, "one: 75 is not allowed; give a multiple of the unit, 50"),
        ({"straight": -50}, "straight: -50"),
        ({"triples": (1, 2)}, "triples: "),
        ({"triples": (1000, 200, 300, 400, 500, 610)}, "triples.5.: 610"),
        ({"target": 0}, "target: 0"),
    ],
)
def test_bad_farkle(rules, said):
    with pytest.raises(ValueError, match=said):
        dl.farkle(**rules)


def test_the_papers_two_algorithms_and_solve_agree_in_every_state():
    values, actions = paper.algorithm_4_2()
    short, short_actions = paper.appendix_algorithm()
    assert TURN.value == values[0, (0, 0, 0), 5] == short["0", 0, 5]
    assert round(float(TURN.value), 6) == 5.872019, "Theorem 4.1"
    assert len(TURN.values) - 1 == 56
    names = {(0, 1, 0): "m5", (1, 0, 0): "m5"}
    for column, (hand, scoring, fewest) in COLUMNS.items():
        config = (scoring.count(5), scoring.count(1), 0) if scoring else (0, 0, 6) if hand < 3 else (1, 0, 0)
        for tau in range(max(1, fewest), 56):
            state = tau, config, hand
            if state not in values or (not scoring and hand == 2):
                continue
            value, action = turn_state(TURN, column, tau)
            assert value == values[state], (column, tau)
            assert (action in "sr") == (actions[state] in ("s", "r")), (column, tau)
            label = {(5, 5): "5", (1, 1): "1", (1, 5, 5): "55", (1, 1, 5): "51"}.get(scoring, "0")
            assert short[label if hand < 5 else "0", tau, hand] == value
            if hand == 2 and scoring == (5, 5) and action not in "sr":
                assert action == names[actions[state]] == short_actions["5", tau, 2] == "m5", "the paper prints r"


def test_two_dice_and_three_chips_are_rolled():
    """The paper leaves the state out, "always s"."""
    two = GAME.mode("2 dice")
    worth = sum(
        o.probability * max(TURN.values[3 + c.points, GAME.mode(c.mode)] for c in o.choices)
        for o in GAME.modes[two].outcomes
        if o.choices
    )
    assert worth == TURN.values[3, two] > 3
    assert TURN.policy.rolls(0, 0, 3, "2 dice")
    values, actions = paper.algorithm_4_2()
    assert values[3, (1, 0, 0), 2] == worth and actions[3, (1, 0, 0), 2] == "r"


def test_a_move_that_is_not_allowed_is_not_made():
    only = giving_up(GAME, [(5,)])
    for mode in only.modes:
        for outcome in mode.outcomes:
            assert all(
                Counter(outcome.scoring) - Counter(c.aside) in (Counter(), Counter([5])) for c in outcome.choices
            )
    process = textbook.score_process(only, 90)
    by_values = -textbook.iterate_values(process)[0][0, 0, "5 dice"]
    assert by_values == pytest.approx(float(dl.solve(only, "score", exact=True).value), abs=1e-11)


@pytest.mark.parametrize(
    "game", [GAME, dl.farkle(12), dl.ten_thousand(14, finish="exact")], ids=lambda g: g.name + g.finish
)
def test_the_race_in_every_room(game):
    """Value iteration, every decision; the match of the optimum with itself; best responses; simulation."""
    solution = dl.solve(game)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(values - solution.values).max() <= 1e-12
    assert np.array_equal(rolls, np.stack([solution.policy.roll_mask(mode.name) for mode in game.modes], axis=2))
    assert dl.evaluate(game, solution.policy, solution.policy).first_wins == pytest.approx(solution.value, abs=1e-13)
    assert dl.best_response(game, solution.policy).value == pytest.approx(solution.value, abs=1e-13)
    solitaire, rule = dl.solve(game, "score").policy, dl.hold_at(6)
    for first, second in ((solution.policy, solitaire), (rule, solution.policy)):
        match, estimate = dl.evaluate(game, first, second), dl.simulate(game, first, second, games=100_000, seed=3)
        assert abs(match.first_wins - estimate.first_wins) <= 4 * estimate.first_wins_se
        assert dl.best_response(game, second).value >= match.first_wins - 1e-14
    fewest = dl.solve(game, "turns")
    from dicelab.solitaire import turns_needed

    assert turns_needed(game, fewest.policy) == pytest.approx(fewest.values, rel=1e-12)


@pytest.mark.parametrize("game", [dl.ten_thousand(6), dl.farkle(5)], ids=lambda game: game.name)
def test_the_race_in_fractions_and_as_a_markov_chain(game):
    exact, fast = dl.solve(game, exact=True), dl.solve(game)
    assert np.abs(fast.values - exact.values.astype(float)).max() <= 1e-14
    for own in range(game.target):
        assert np.array_equal(exact.policy.row(game, own), fast.policy.row(game, own))
        assert np.array_equal(exact.policy.takes(game, own), fast.policy.takes(game, own))
    match = dl.evaluate(game, fast.policy, dl.hold_at(3))
    expected = textbook.policy_evaluation(game, fast.policy, dl.hold_at(3))
    assert (match.first_wins, match.turns_mean) == pytest.approx(expected, rel=1e-11)


def test_the_open_question():
    """The race to 10,000: two players with equal scores and the move; only the chips missing count."""
    solution = dl.solve(dl.ten_thousand(40))
    assert solution.residual <= 1e-13
    assert solution.by_target()[14] == dl.solve(GAME).value


def test_keep():
    race = dl.solve(GAME).policy
    assert race.keep(0, 0, 0, [2, 3, 4, 6, 2]) == ((), False), "nothing scores"
    assert race.keep(0, 0, 0, [5, 2, 5, 3, 6]) == ((5,), True), "a five is given up for a fourth die"
    assert race.keep(0, 0, 0, [1, 1, 1, 5, 5]) == ((1, 1, 1, 5, 5), False), "all score, and win"
    assert race.keep(10, 0, 0, [5, 5, 5, 2, 3]) == ((5, 5, 5), False)
    with pytest.raises(ValueError, match="numbers of dice that are rolled in Ten Thousand: 5, 4, 3, 2, 1"):
        race.keep(0, 0, 0, [1] * 6)
    with pytest.raises(ValueError, match="turn_total: 14 reaches the target"):
        race.keep(0, 0, 14, [1])
    with pytest.raises(ValueError, match=r"roll: \[2\] is not allowed"):
        dl.solve(dl.pig(9)).policy.keep(0, 0, 0, [2])
    for bad, said in (
        ([0, 1, 1, 1, 1], "roll.0.: 0"),
        ([9, 9, 9, 9, 9], "faces are 1"),
        ("11111", "give the faces"),
        (5, "give the"),
    ):
        with pytest.raises(ValueError, match=said):
            race.keep(0, 0, 0, bad)
    # what `keep` says is what value iteration says: the best of the choices' values
    best = dl.solve(GAME, "score", exact=True)
    aside, rolls = best.policy.keep(0, 0, 2, [1, 1, 3, 4])
    assert (aside, rolls) == ((1, 1), False)


def test_reachable_chips_follow_the_choices():
    """Against a policy that takes all that scores, five dice in hand come only after all have scored."""
    reached = reachable(GAME, dl.hold_at(14))[0, 0]
    four = next(index for index, mode in enumerate(GAME.modes) if mode.dice == 4)
    assert np.flatnonzero(reached[four])[:2].tolist() == [1, 2]
    assert not reached[four, 3]
