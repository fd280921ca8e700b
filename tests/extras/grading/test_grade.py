"""Grades: against dl.evaluate and dl.loss, a dense Markov chain over all states, and what is refused."""

import random

import numpy as np
import pytest
from conftest import beginning

import dicelab as dl
from dicelab_extras import grading

RNG = np.random.default_rng(7)
PIG = dl.pig(20)
GAMES = {
    "resets": dl.two_dice_pig(9),
    "forced rolls": dl.double_trouble(8),
    "exact": dl.pig(9, "exact"),
    "a choice before the roll": dl.hog(6, 4),
    "registers and choices": dl.ten_thousand(8, opening=200),
}


def shape_of(game):
    return len(game.scores), len(game.scores), game.longest


def twenty(own, opponent, turn_total):
    return "roll" if turn_total < 20 else "hold"


@pytest.mark.parametrize("name", GAMES)
def test_what_the_decisions_give_away_sums_to_the_loss(name):
    game = GAMES[name]
    always_rolls = np.ones((len(game.scores),) * 2 + (game.longest,), dtype=bool)
    tables = (
        []
        if name == "a choice before the roll"
        else [beginning(RNG.random(shape_of(game)) < 0.5), always_rolls]
    )
    for strategy in (dl.hold_at(4), dl.scoring_turns(3), *tables):
        for opponent in (None, dl.hold_at(3)):
            mine = grading.grade(game, strategy, opponent)
            explained = mine.decisions["given away"].sum() + mine.endless
            assert explained == pytest.approx(mine.loss, abs=1e-12)
            assert (mine.turn_costs * mine.turns_met).sum() + mine.endless == pytest.approx(
                mine.loss, abs=1e-12
            )
            assert (mine.decisions["cost"] > 0).all() and (mine.decisions["met"] > 0).all()
            assert mine.decisions["given away"].is_monotonic_decreasing
            assert (mine.decisions["does"] != mine.decisions["best"]).all()


@pytest.mark.parametrize("name", GAMES)
def test_policies_are_graded_as_they_are_evaluated(name):
    game = GAMES[name]
    best = dl.solve(game).policy
    for policy in (dl.hold_at(4), dl.scoring_turns(3), best):
        mine = grading.grade(game, policy)
        assert mine.first_wins == pytest.approx(
            dl.evaluate(game, policy, best).first_wins, abs=1e-13
        )
        assert mine.second_wins == pytest.approx(
            1 - dl.evaluate(game, best, policy).first_wins, abs=1e-13
        )
        assert mine.loss == pytest.approx(dl.loss(game, policy), abs=1e-13)
        assert mine.best_first == pytest.approx(dl.solve(game).value, abs=1e-13)
        other = grading.grade(game, policy, dl.hold_at(3))
        assert other.best_first == pytest.approx(
            dl.best_response(game, dl.hold_at(3)).value, abs=1e-12
        )
        assert other.first_wins == pytest.approx(
            dl.evaluate(game, policy, dl.hold_at(3)).first_wins, abs=1e-13
        )
        first = dl.evaluate(game, policy, policy).first_wins
        assert mine.matches.loc["itself"].tolist() == pytest.approx(
            [first, 1 - first, 1 / 2], abs=1e-13
        )
    assert mine.loss < 1e-12 and not len(mine.decisions) and not len(mine.worst)


def test_a_strategy_may_choose_its_dice():
    game = dl.ten_thousand(6)
    best = dl.solve(game).policy

    class Copy:
        def __call__(self, own, opponent, turn_total, dice):
            return "roll" if best.rolls(own, opponent, turn_total, dice) else "hold"

        def keep(self, own, opponent, turn_total, roll):
            return best.keep(own, opponent, turn_total, roll)

    def few(own, opponent, turn_total):
        return "roll" if turn_total < 3 else "hold"

    without = grading.grade(game, few)
    assert without.loss == pytest.approx(dl.loss(game, dl.hold_at(3)), abs=1e-15)
    assert grading.grade(game, Copy()).loss < 1e-12
    few.keep = lambda own, opponent, turn_total, roll: list(
        best.keep(own, opponent, turn_total, roll)[0]
    )
    assert grading.grade(game, few).loss < without.loss
    few.keep = lambda own, opponent, turn_total, roll: [6, 6, 6]
    with pytest.raises(
        ValueError, match=r"few\.keep answers \[6, 6, 6\] at own=0.*roll=\[.*give one of \("
    ):
        grading.grade(game, few)


def test_play_that_never_ends_counts_half():
    slow = dl.Game(
        "safe",
        3,
        [
            dl.Mode(
                "roll",
                [
                    dl.Outcome("1/2", "bust"),
                    dl.Outcome("1/2", [dl.Choice(1, "roll"), dl.Choice(0, "lost")]),
                ],
            ),
            dl.Mode("lost", [dl.Outcome(1, "bust")], may_hold=False),
        ],
    )

    def never(own, opponent, turn_total):
        return "hold" if turn_total else "roll"

    never.keep = lambda own, opponent, turn_total, roll: "lost"
    with pytest.raises(ValueError, match="keep: choices are taken by a policy"):
        dl.evaluate(slow, never, never)
    wasteful = grading.read(slow, never)
    mine = grading.grade(slow, wasteful, wasteful)
    assert mine.first_wins == mine.second_wins == 0.5
    assert mine.decisions["given away"].sum() + mine.endless == pytest.approx(mine.loss, abs=1e-12)
    assert mine.loss == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("strategy", "said"),
    [
        (dl.solve(PIG), r"did you mean its \.policy\?"),
        (dl.solve(dl.pig(19)).policy, "this policy is for Pig to 19, not Pig to 20"),
        (dl.solve(dl.pig(5), players=3).policy, "policy for two players"),
        (type("Mine", (), {}), r"did you mean Mine\(\)\?"),
        (
            np.zeros((20, 19)),
            r"strategy: an array of shape \(20, 19\) is not allowed; give one of shape \(20, 20\) of whole numbers.*"
            r"\(20, 20, 20\) of True or 1 for roll",
        ),
        (np.full((20,) * 3, "rool"), r"'rool' at \[0, 0, 0\], a word, is not a decision"),
        (
            lambda own, opponent: True,
            "a function that decides to roll or to hold asks for turn_total",
        ),
        (
            lambda own, opponent, turn_total, rng: "roll",
            "it cannot be told what rng is: name the parameters",
        ),
        (lambda *state: "roll", "it cannot be told what a function is to be called with"),
        (
            lambda own, opponent, turn_total, register: "roll",
            "asks for register, the own register, which there is not",
        ),
        (
            lambda own, opponent, turn_total: turn_total < 6,
            "it is not said whether that means roll or hold",
        ),
        (
            lambda own, opponent, turn_total: "rol",
            "a function answers 'rol' at own=0, opponent=0, turn_total=0; give 'r",
        ),
        (lambda own, opponent, turn_total: None, "does every path of it return an answer"),
        (
            lambda own, opponent, turn_total: "roll" if 1 // (own - 3) else "hold",
            "raises ZeroDivisionError: .* in line .* of test_grade.py.*own=3",
        ),
    ],
    ids=lambda given: given if isinstance(given, str) else "",
)
def test_what_is_refused(strategy, said):
    with pytest.raises(ValueError, match=said):
        grading.grade(PIG, strategy)


def test_a_strategy_that_is_not_the_same_twice_is_named():
    dice = random.Random(1)
    with pytest.raises(
        ValueError,
        match=r"answers otherwise when it is asked again, at own=.*; it may neither roll at ra",
    ):
        grading.grade(
            PIG, lambda own, opponent, turn_total: "roll" if dice.random() < 0.5 else "hold"
        )


def test_what_a_grade_shows():
    mine = grading.grade(dl.pig(40), twenty)
    assert len(mine.worst) == 10 < len(mine.decisions)
    assert str(mine).splitlines()[0] == "twenty in Pig to 40, against the optimal policy"
    assert "nothing away" in str(grading.grade(PIG, dl.solve(PIG).policy))
    both = grading.grade(PIG, dl.scoring_turns(4)).decisions["does"]
    assert both.str.fullmatch(r"(hold \d+%, roll|roll \d+%, hold) \d+%").any()
    assert len(mine.figure().axes) == 3


def test_a_strategy_that_is_never_asked_is_refused():
    for strategy in (np.zeros((10,) * 3, bool), np.full((10, 10), 5)):
        with pytest.raises(ValueError, match=r"with choices(.|\n)*in Hog nobody holds"):
            grading.grade(dl.hog(10), strategy)
    with pytest.raises(ValueError, match=r"answers 'roll' at .*; give one of '1 die', '2 dice'"):
        grading.grade(dl.hog(10), lambda own, opponent, turn_total: "roll")
    # As its courses write it.
    assert (
        grading.grade(dl.hog(10), lambda score, opponent_score: 6).first_wins
        == grading.grade(dl.hog(10), lambda score: "6 dice").first_wins
    )


def test_what_is_said_is_about_different_scores():
    mine = grading.grade(dl.pig(), dl.hold_at(20))
    said = [line for line in mine.sentences() if line.startswith("At ")]
    pairs = [tuple(int(word) for word in line.split() if word.isdigit())[:2] for line in said]
    assert len(pairs) == 3 and "It gives away 3.99% of games." in mine.sentences()
    apart = [abs(a - c) + abs(b - d) for n, (a, b) in enumerate(pairs) for c, d in pairs[:n]]
    assert min(apart) >= 10
