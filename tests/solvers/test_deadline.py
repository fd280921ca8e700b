"""The objective "deadline": against the textbook's recursion, its own policy followed, and by hand."""

from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import mode_games
from hypothesis import given, settings

import dicelab as dl
from collection import textbook
from dicelab.cli import main

GAMES = [dl.pig(14), dl.piglet(6), dl.two_dice_pig(24), dl.double_trouble(20), dl.ten_thousand(7)]
GAMES += [
    dl.pig(14, "exact"),
    dl.two_dice_pig(24, "exact"),
    dl.double_trouble(20, "exact"),
    dl.ten_thousand(7, "exact"),
]
TURNS = 4


def named(game):
    return f"{game.name} {game.finish}"


def test_two_turns_of_piglet_to_2_by_hand():
    """At 0 points with two turns left, after heads: a hold is worth 1/2, a roll 1/2 + 1/2 · 1/4."""
    solution = dl.solve(dl.piglet(2), "deadline", turns=2, exact=True)
    chances = [[0, 0], [Fraction(1, 4), Fraction(1, 2)], [Fraction(7, 16), Fraction(3, 4)]]
    assert solution.values.tolist() == chances and solution.value == Fraction(7, 16)
    assert [solution.policy.rolls(0, 0, 1, turns_left=left) for left in (1, 2)] == [True, True]


def check_against_the_textbook(game):
    expected = textbook.deadline_chances(game, TURNS)
    exact, fast = (dl.solve(game, "deadline", turns=TURNS, exact=exact) for exact in (True, False))
    assert {state: exact.values[state] for state in expected} == expected
    assert abs(exact.values.astype(float) - fast.values).max() < 1e-13
    return exact, fast


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_values_are_the_textbooks(game):
    exact, fast = check_against_the_textbook(game)
    assert (exact.error, exact.exact, fast.exact) == (0, True, False) and 0 < fast.error < 1e-13
    assert exact.values.shape == (TURNS + 1, game.target) and not exact.values[0].any()
    for left in range(1, TURNS + 1):
        rolls, choices = exact.policy.when(turns_left=left).actions_at(game, 0)
        others, taken = fast.policy.when(turns_left=left).actions_at(game, 0)
        assert np.array_equal(rolls, others) and np.array_equal(choices, taken)


@settings(deadline=None, max_examples=30)
@given(mode_games(most_target=8))
def test_values_of_random_games_are_the_textbooks(game):
    check_against_the_textbook(game)


def one_more_turn(game, policy, before):
    """The chances to reach the target by own score, if a turn is played by a policy and `before` are those after it."""
    after = []
    for own in range(game.target):
        ends = dl.turn_points(game, policy, own)
        led = [before[own + k] if own + k < game.target else 1.0 for k in ends.index]
        after.append(ends.to_numpy() @ led)
    return np.array(after)


@pytest.mark.parametrize("game", [*GAMES, dl.pig(), dl.two_dice_pig(), dl.farkle(30)], ids=named)
def test_the_policy_attains_the_values(game):
    """Its turns, followed by another solver, end as often as the values say."""
    solution = dl.solve(game, "deadline", turns=TURNS)
    for left in range(1, TURNS + 1):
        policy = solution.policy.when(turns_left=left)
        reached = one_more_turn(game, policy, solution.values[left - 1])
        assert abs(reached - solution.values[left]).max() < 1e-13


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_what_a_rule_loses(game):
    solution = dl.solve(game, "deadline", turns=TURNS)
    for n in (1, 4):
        chances = np.zeros(game.target)
        for _ in range(TURNS):
            chances = one_more_turn(game, dl.hold_at(n), chances)
        assert dl.loss(solution, n) == pytest.approx(solution.value - chances[0], abs=1e-13)
    assert dl.loss(solution, solution.policy) == pytest.approx(0, abs=1e-13)


def test_ties_hold():
    """In the last turn, one point short of an exact finish, rolling and holding are both worth 0."""
    solution = dl.solve(dl.pig(9, "exact"), "deadline", turns=1)
    exact = dl.solve(dl.pig(9, "exact"), "deadline", turns=1, exact=True)
    assert solution.values[1, 8] == exact.values[1, 8] == 0
    for each in (solution, exact):
        assert [each.policy.rolls(0, 0, total, turns_left=1) for total in (0, 7, 8)] == [
            True,
            True,
            False,
        ]


def test_what_the_solution_offers():
    solution = dl.solve(dl.two_dice_pig(40), "deadline", turns=3)
    assert not solution.values.flags.writeable and solution.objective == "deadline"
    assert solution.values.shape == (4, 40)
    assert solution.at() == solution.value == solution.values[3, 0]
    assert solution.at(30, turns_left=0) == 0
    assert solution.at(30, turns_left=2) == solution.values[2, 30]
    with pytest.raises(ValueError, match=r"by_target: .* a deadline"):
        dl.solve(dl.piglet(2), "deadline", turns=2).by_target()


def test_the_policy_is_asked_how_many_turns_are_left():
    """The questions with turns_left= are those of the policy of one turn; without it, nothing is answered."""
    game = dl.ten_thousand(7)
    policy = dl.solve(game, "deadline", turns=3).policy
    for left in (1, 2, 3):
        one, asked = policy.when(turns_left=left), {"turns_left": left}
        for mode in game.modes:
            lowest = one.hold_thresholds(mode.name)
            assert np.array_equal(policy.hold_thresholds(mode.name, **asked), lowest)
            assert policy.rolls(2, 0, 3, mode.name, **asked) == one.rolls(2, 0, 3, mode.name)
        roll = [1, 5, 5, 2, 3]
        assert policy.keep(2, 0, 3, roll, **asked) == one.keep(2, 0, 3, roll)
    for question in (policy.roll_mask, lambda **asked: policy.rolls(0, 0, 3, **asked)):
        with pytest.raises(
            ValueError, match="turns_left: None is not allowed; give the turns left"
        ):
            question()
        with pytest.raises(ValueError, match=r"turns_left: .* at least 1 and at most 3"):
            question(turns_left=4)
    with pytest.raises(ValueError, match="turns_left: 1 is not allowed; give None: there is no"):
        dl.solve(game).policy.rolls(0, 0, 3, turns_left=1)


PLAYED = {  # whatever plays games, with the name of the argument
    "evaluate": (lambda game, policy: dl.evaluate(game, policy, dl.hold_at(3)), "first"),
    "simulate": (lambda game, policy: dl.simulate(game, dl.hold_at(3), policy, games=10), "second"),
    "best_response": (dl.best_response, "opponent"),
    "loss": (lambda game, policy: dl.loss(dl.solve(game), policy), "policy"),
}


@pytest.mark.parametrize("name", PLAYED)
def test_a_policy_for_one_turn_plays_no_game(name):
    play, argument = PLAYED[name]
    game = dl.piglet(4)
    solution = dl.solve(game, "deadline", turns=3)
    play(game, dl.hold_at(2))
    said = f"^{argument}: this policy asks how many of 3 turns are left; one turn alone"
    for policy in (solution.policy, solution.policy.when(turns_left=3)):
        with pytest.raises(ValueError, match=said):
            play(game, policy)


def test_on_the_command_line(tmp_path):
    asked = ["solve", "pig", "--objective", "deadline", "--target", "9", "--turns", "2"]
    said = CliRunner().invoke(main, [*asked, "-o", str(tmp_path / "x.csv")]).output
    chance = dl.solve(dl.pig(9), "deadline", turns=2).value
    assert 'Pig to 9, "deadline" within 2 turns: ' in said and f"Value: {chance!r}" in said
    assert (tmp_path / "x.csv").read_text().count("\n") > 20


WHOLE = r"turns: .* is not allowed; give a whole number of at least 1"
REFUSED = [(ValueError, WHOLE, {"turns": turns}) for turns in (0, -1, True, 2.0, "3", Fraction(4))]
REFUSED += [
    (ValueError, r"turns: None is not allowed; give a whole number of at least 1", {}),
    (ValueError, r"turns: 3 is not allowed; give None with objective 'win'", {"objective": "win"}),
    (
        ValueError,
        r"turns: 3 is not allowed; give None with objective 'turns'",
        {"objective": "turns"},
    ),
    (ValueError, r"overshoot: True is not allowed with objective 'deadline'", {"overshoot": True}),
    (ValueError, r"objective: 'deadline' is for fewer players", {"players": 3}),
    (
        MemoryError,
        r"solving Pig to 9 .* positions\) needs about .*; take fewer turns",
        {"turns": 10**12},
    ),
]


@pytest.mark.parametrize(("error", "said", "options"), REFUSED)
def test_refusals(error, said, options):
    with pytest.raises(error, match=said):
        dl.solve(
            dl.pig(9), **({"objective": "deadline"} | ({"turns": 3} | options if options else {}))
        )


@pytest.mark.parametrize("finish", ["last licks", "equal turns"])
def test_alone_nobody_is_answered_by_a_last_turn(finish):
    """The game is as to be reached, and the solution says so."""
    for objective, more in (("deadline", {"turns": 3}), ("turns", {}), ("score", {})):
        alone = dl.solve(dl.pig(9, finish), objective, **more)
        assert alone.game == dl.pig(9)
        assert alone.value == dl.solve(dl.pig(9), objective, **more).value
