"""The loss of one player, against plain recursions in fractions and the policies of the solutions."""

from fractions import Fraction
from functools import cache

import pytest

import dicelab as dl
from dicelab.evaluation.studies import turn_points

OPENED = (dl.Register("shut", after_hold="open", least_hold=4), dl.Register("open", penalty=2))
GAMES = {
    "Pig": dl.pig(12),
    "resets": dl.two_dice_pig(15),
    "exact": dl.pig(9, "exact"),
    "equal turns": dl.pig(9, "equal turns"),
    "last licks": dl.pig(9, "last licks"),
    "forced": dl.double_trouble(12),
    "registers": dl.Game("opening", 9, dl.pig(9).modes, registers=OPENED),
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
                return lead(game.place_after_bust(own))
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
                    else game.place_after_bust(own)
                )
                for o in mode.outcomes
            )

        return turn(0, game.register(own).mode or game.modes[0].name)

    return chance(game.index(game.after_reset), turns)


@pytest.mark.parametrize("turns", [1, 4])
@pytest.mark.parametrize("name", GAMES)
def test_a_deadline(name, turns):
    solution = dl.solve(GAMES[name], "deadline", turns=turns)
    for n in (1, 4, 7):
        lost = solution.value - float(in_time(GAMES[name], n, turns))
        assert dl.loss(solution, n) == pytest.approx(lost, abs=1e-14)
    assert dl.loss(solution, solution.policy) == pytest.approx(0, abs=1e-14)


def test_a_policy_is_asked_how_many_turns_are_left():
    game = dl.pig(25)
    short, long = (dl.solve(game, "deadline", turns=turns) for turns in (3, 8))
    assert dl.loss(short, long.policy) == pytest.approx(0, abs=1e-14)
    with pytest.raises(ValueError, match="give one that knows what to do with 8 turns left"):
        dl.loss(long, short.policy)
    with pytest.raises(ValueError, match="a game has many turns"):
        dl.loss(long, long.policy.when(turns_left=2))


def test_a_policy_that_remembers_its_turns():
    """A coin to 2, in two turns that score: both hold at 1, and each of the turns scores once in two."""
    game, two = dl.generalized_pig(["1/2", "1/2"], 2), dl.scoring_turns(2)
    for turns in (1, 2, 5):
        solution = dl.solve(game, "deadline", turns=turns)
        chance = 1 - (turns + 1) / 2**turns
        assert dl.loss(solution, two) == pytest.approx(solution.value - chance, abs=1e-15)


def test_who_never_finishes_is_never_in_time():
    """Hold at 1 with dice of 2 points comes to 4 of 5 points, and there the only roll overshoots."""
    game = dl.generalized_pig(["1/2", 0, "1/2"], 5, finish="exact")
    solution = dl.solve(game, "deadline", turns=6)
    assert solution.value == dl.loss(solution, 1) == 0


@pytest.mark.parametrize("name", ["Pig", "exact", "equal turns", "forced"])
def test_the_points_of_a_turn(name):
    """Where a turn of *hold at n* never comes to the target, its points are those of `turn_points`."""
    game = dl.Game(
        name, 120, GAMES[name].modes, **({} if name == "Pig" else {"finish": GAMES[name].finish})
    )
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


def test_a_bust_that_scores():
    pays = dl.Game("pays", 60, dl.pig().modes, registers=[dl.Register("only", penalty=-1)])
    solution = dl.solve(pays, "score")
    points = turn_points(pays, dl.hold_at(12))
    mean = (points.index * points).sum()
    assert dl.loss(solution, 12) == pytest.approx(solution.value - mean, abs=1e-13)


def test_policies_of_three():
    game = dl.pig(20)
    policy = dl.solve(game, players=3).policy
    points = turn_points(game, policy)
    assert policy.hold_threshold(0, 0, 0) == 20
    assert points.to_dict() == pytest.approx(turn_points(game, dl.hold_at(20)).to_dict(), abs=1e-14)
    score = dl.solve(game, "score")
    assert dl.loss(score, policy) == pytest.approx(dl.loss(score, 20), abs=1e-14)
    needed = dl.studies.turns_needed(game, policy)
    assert dl.loss(dl.solve(game, "turns"), policy) == pytest.approx(
        needed[0] - dl.solve(game, "turns").value, abs=1e-12
    )
    one = dl.solve(game, "deadline", turns=1)
    assert dl.loss(one, policy) == pytest.approx(0, abs=1e-14)


BELOW = dl.Game("below", 6, dl.pig(6).modes, registers=dl.Register("only", penalty=2), lowest=-2)


def test_scores_below_nothing():
    """The points of a turn are counted from 0, and policies of three are asked where the others have 0 points, too."""
    far = dl.Game("below", 90, BELOW.modes, registers=BELOW.registers, lowest=-2)
    solution = dl.solve(far, "score")
    points = turn_points(far, dl.hold_at(11))
    assert dl.loss(solution, 11) == pytest.approx(
        solution.value - (points.index * points).sum(), abs=1e-13
    )

    def behind(own, opponent, turn_total):
        return "roll" if opponent >= 0 or turn_total < 2 else "hold"

    alone = dl.loss(dl.solve(BELOW, "deadline", turns=3), behind)
    assert alone == pytest.approx(dl.loss(dl.solve(BELOW, "deadline", turns=3), 8), abs=1e-15)
    coin = dl.generalized_pig(["1/4", "3/4"], 8)
    game = dl.Game("coin", 8, coin.modes, registers=BELOW.registers, lowest=-2)
    policy = dl.solve(game, players=3).policy
    assert policy.hold_threshold(0, 0, 0) == 8 > policy.hold_threshold(0, -2, -2)
    expected = turn_points(game, dl.hold_at(8)).to_dict()
    assert turn_points(game, policy).to_dict() == pytest.approx(expected, abs=1e-14)


def test_a_turn_of_three_above_the_target():
    """The policy of an equilibrium rolls on above the target, where the others have a last turn."""
    game = dl.pig(8, "last licks")
    policy = dl.solve(game, players=3).policy
    threshold = policy.hold_above(0, (0, 0))
    points = turn_points(game, policy)
    never = turn_points(game, dl.hold_at(8))
    assert threshold > 8 and points[0] > never[0] and points[8] == pytest.approx(1 - points[0])


def test_solutions_of_three_are_no_policies():
    three = dl.solve(dl.pig(9), players=3)
    for objective in ({"objective": "turns"}, {"objective": "deadline", "turns": 2}):
        with pytest.raises(ValueError, match=r"policy: .* did you mean its .policy"):
            dl.loss(dl.solve(dl.pig(9), **objective), three)
    with pytest.raises(ValueError, match=r"policy: .* did you mean its .policy"):
        turn_points(dl.pig(9), three)
    last = dl.solve(dl.pig(9, "last licks")).policy
    with pytest.raises(ValueError, match=r"for Pig to 9, last licks, not Pig to 9$"):
        turn_points(dl.pig(9), last)


@pytest.mark.parametrize("others", [[3], [3, 5]])
@pytest.mark.parametrize("finish", ["reach", "equal turns", "last licks"])
def test_against_fixed_opponents(finish, others):
    game = dl.pig(9, finish)
    best = dl.best_response(game, *others)
    assert dl.loss(best, best.policy) == 0
    won = best.value if len(others) == 1 else best.value[0]
    lost = dl.loss(best, 4)
    assert lost == pytest.approx(won - dl.evaluate(game, 4, *others).first_wins, abs=1e-15)
    assert lost > 0
