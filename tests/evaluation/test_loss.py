"""The loss of one player, against plain recursions in fractions and the policies of the solutions."""

from fractions import Fraction
from functools import cache

import pytest

import dicelab as dl
from dicelab.evaluation.studies import turn_points

OPENED = (dl.Register("shut", after_hold="open", least_hold=4), dl.Register("open", penalty=2))
GAMES = {
    "Pig": dl.pig(12),
    "resets": dl.two_dice_pig(10),
    "exact": dl.pig(9, "exact"),
    "equal turns": dl.pig(9, "equal turns"),
    "forced": dl.double_trouble(9),
    "below nothing": dl.Game("opening", 9, dl.pig(9).modes, registers=OPENED, lowest=-3),
}


def in_time(game, n, turns):
    """The chance of hold at n to finish in so many turns, in games with one choice for each roll."""
    modes = {mode.name: mode for mode in game.modes}

    @cache
    def chance(place, left):
        own = game.scores[place]

        def lead(where):
            return chance(where, left - 1) if left > 1 else Fraction(0)

        @cache
        def turn(total, name):
            mode, missing = modes[name], game.missing(own)
            if total > missing and game.finish == "exact":
                return lead(game.index(game.after_bust(own)))
            if mode.may_hold and total >= missing:
                return Fraction(1)
            if total > missing + 300:  # rolled on and on: less than once in 1e20
                return Fraction(0)
            if mode.may_hold and total >= max(n, game.register(own).least_hold) and total > 0:
                return lead(game.index(game.after_hold(own, total)))
            return sum(
                o.probability * turn(total + o.choices[0].points, o.choices[0].mode)
                if o.choices
                else o.probability
                * lead(
                    game.index(game.after_reset)
                    if o.result == "reset"
                    else game.index(game.after_bust(own))
                )
                for o in mode.outcomes
            )

        return turn(0, game.register(own).mode or game.modes[0].name)

    return chance(game.index(game.after_reset), turns)


@pytest.mark.parametrize("name", GAMES)
def test_a_deadline(name):
    solution, turns = dl.solve(GAMES[name], "deadline", turns=3), 3
    for n in (1, 4):
        lost = solution.value - float(in_time(GAMES[name], n, turns))
        assert dl.loss(solution, n) == pytest.approx(lost, abs=1e-14)
    assert dl.loss(solution, solution.policy) == pytest.approx(0, abs=1e-14)


def test_a_policy_is_asked_how_many_turns_are_left():
    game = dl.pig(25)
    short, long = (dl.solve(game, "deadline", turns=turns) for turns in (3, 8))
    assert dl.loss(short, long.policy) == pytest.approx(0, abs=1e-14)
    with pytest.raises(ValueError, match="turns_left: 8 is not allowed"):
        dl.loss(long, short.policy)
    with pytest.raises(ValueError, match="asks how many of 8 turns are left"):
        dl.loss(long, long.policy.when(turns_left=2))


def test_a_policy_that_remembers_its_turns():
    """A coin to 2, in two turns that score: both hold at 1, and each of the turns scores once in two."""
    game, two = dl.generalized_pig(["1/2", "1/2"], 2), dl.scoring_turns(2)
    for turns in (1, 2, 5):
        solution = dl.solve(game, "deadline", turns=turns)
        chance = 1 - (turns + 1) / 2**turns
        assert dl.loss(solution, two) == pytest.approx(solution.value - chance, abs=1e-15)


@pytest.mark.parametrize("name", ["Pig", "forced"])
def test_the_points_of_a_turn(name):
    """Where a turn of *hold at n* never comes to the target, its points are those of `turn_points`."""
    game = dl.Game(name, 120, GAMES[name].modes)
    solution = dl.solve(game, "score")
    for n in (5, 20, 25):
        points = turn_points(game, dl.hold_at(n))
        mean = (points.index * points).sum()
        close = 1e-9 if name == "forced" else 1e-13  # doubles may go on beyond 120 points
        assert dl.loss(solution, n) == pytest.approx(solution.value - mean, abs=close)
    assert dl.loss(solution, solution.policy) == pytest.approx(0, abs=1e-12)


def test_points_beyond_the_target_count():
    """Hold at 25 in Pig to 10 holds at 10 or more: as hold at 10 in Pig to 100."""
    short, long = (dl.solve(dl.pig(target), "score") for target in (10, 100))
    assert dl.loss(short, 25) == pytest.approx(dl.loss(long, 10), abs=1e-13)


@pytest.mark.parametrize("others", [[3], [3, 5]])
@pytest.mark.parametrize("finish", ["reach", "equal turns"])
def test_against_fixed_opponents(finish, others):
    game = dl.pig(7, finish)
    best = dl.best_response(game, *others)
    assert dl.loss(best, best.policy) == 0
    won = best.value if len(others) == 1 else best.value[0]
    lost = dl.loss(best, 4)
    assert lost == pytest.approx(won - dl.evaluate(game, 4, *others).first_wins, abs=1e-15)
    assert lost > 0
