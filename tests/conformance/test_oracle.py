"""The oracle itself: against numbers by hand, all plans there are in tiny games, and many rolls."""

import math
import random
from fractions import Fraction
from itertools import product

import checks
import oracle
import pytest

import dicelab as dl
from dicelab.games.model import BUST, RESET

C, O, M, G = dl.Choice, dl.Outcome, dl.Mode, dl.Game  # noqa: E741
HALF = Fraction(1, 2)


def every_turn(rules, need):
    """All turns of a player who needs some points, of those that end alike only one."""
    modes = rules.reached()
    may = [(t, m) for t in range(1, need) for m in modes if rules.may_hold[m] and rules.modes[m]]
    branches = [(t, m, o, range(len(result))) for t in range(need) for m in modes
                for o, (_, result) in enumerate(rules.modes[m])
                if result not in (BUST, RESET) and len(result) > 1]  # fmt: skip
    known = {}
    size = 2 ** len(may) * math.prod(len(picks) for *_, picks in branches) * len(rules.ways)
    if size > 3000:
        return None
    for decided in product(
        *[(False, True)] * len(may), *(picks for *_, picks in branches), range(len(rules.ways))
    ):
        rolls = [[bool(outcomes) for outcomes in rules.modes] for _ in range(need)]
        takes = [[[0] * len(outcomes) for outcomes in rules.modes] for _ in range(need)]
        for (t, m), roll in zip(may, decided[: len(may)], strict=True):
            rolls[t][m] = roll
        for (t, m, o, _), pick in zip(branches, decided[len(may) : -1], strict=True):
            takes[t][m][o] = pick
        turn = oracle.Turn(rolls, takes, decided[-1])
        known.setdefault(
            tuple(sorted(oracle.turn_outcomes(rules, need, turn).items(), key=str)), turn
        )
    return list(known.values())


def every_plan(rules, most):
    """All plans of a game, a list; None if there are more than some."""
    turns = {need: every_turn(rules, need) for need in range(1, rules.target + 1)}
    if None in turns.values():
        return None
    scores = oracle.scores_of(rules.game)
    if math.prod(len(turns[rules.target - i]) for i, _ in scores) > most:
        return None
    each = product(*(turns[rules.target - i] for i, _ in scores))
    return [dict(zip(scores, plan, strict=True)) for plan in each]


def tiny_games(most):
    """Random games to 1 or 2 that have no more than some plans, with their rules and plans."""
    for seed in range(10**6):
        game = checks.random_game(random.Random(seed))
        if game.target <= 2:
            rules = oracle.rules_of(game)
            plans = every_plan(rules, most)
            if plans and len(plans) > 1:
                yield game, rules, plans


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["win", "margin"])
def test_no_plan_of_all_is_better(objective):
    """The value is both the largest of the least and the least of the largest, among all plans, at all scores."""
    waiting = 0
    for (game, rules, plans), _ in zip(tiny_games(18), range(60), strict=False):
        stakes = oracle.stakes_of(game, objective)
        values = [
            [oracle.against(rules, (mine, other), stakes, 1) for other in plans] for mine in plans
        ]
        true = oracle.optimum(game, objective).values
        for (i, j), value in true.items():
            table = [[each[0, i, j] for each in row] for row in values]
            assert max(map(min, table)) == min(map(max, zip(*table, strict=True))) == value
        for k, other in enumerate(plans):
            best, _ = oracle.response(game, other, objective)
            for s, value in best.items():
                assert value == max(row[k][s] for row in values)
        waiting += any(value == 0 for row in values for each in row for value in each.values())
    assert waiting > 5  # games in which play may be endless were among them


@pytest.mark.slow
def test_no_plan_of_all_takes_fewer_turns():
    for (game, rules, _), _ in zip(tiny_games(200), range(100), strict=False):
        turns = [every_turn(rules, game.target - i) for i in range(game.target)]
        takes = [oracle.expected_turns(game, dict(enumerate(plan))) for plan in product(*turns)]
        assert oracle.fewest_turns(game)[0] == [min(each) for each in zip(*takes, strict=True)]


def after_rolls(rules, rolls):
    """What a turn of at most so many rolls is worth, as a float."""
    modes = range(len(rules.modes))
    width = max(c.points for mode in rules.game.modes for c in mode.choices)
    chances = [[(float(p), result) for p, result in outcomes] for outcomes in rules.modes]
    value = [[float(k) * rules.may_hold[m] for k in range(rolls * width + 1)] for m in modes]
    for left in range(1, rolls + 1):
        rolled = [
            [sum(p * max(value[mode][k + points] for points, mode in result)
                 for p, result in chances[m] if result not in (BUST, RESET))
             for k in range((rolls - left) * width + 1)]
            for m in modes
        ]  # fmt: skip
        value = [
            [max(r, k) if rules.may_hold[m] and k else r for k, r in enumerate(rolled[m])]
            for m in modes
        ]
    return value[0][0]


@pytest.mark.slow
def test_many_rolls_bring_what_a_turn_is_worth():
    """Turns of at most n rolls are worth more and more, up to what a turn is worth, or without a limit."""
    for seed in range(120):
        game = checks.random_game(random.Random(seed))
        try:
            true = oracle.most_points(game, 40)
        except OverflowError:
            continue
        few, many = (after_rolls(oracle.rules_of(game), rolls) for rolls in (60, 120))
        if true is None:
            assert many > 1.5 * few
        else:
            assert abs(many / float(true.values[0][0]) - 1) < 1e-3


def test_numbers_by_hand():
    coin = dl.piglet(1)  # a tail passes: x = 1/2 + (1 - x)/2
    assert oracle.optimum(coin).values[0, 0] + HALF == Fraction(2, 3)
    assert oracle.optimum(coin, "margin").values[0, 0] == Fraction(1, 3)
    assert oracle.fewest_turns(coin)[0] == [2]
    assert oracle.most_points(coin).values[0][0] == HALF
    stuck = G("stuck", 3, (M("roll", (O("1/2", "bust"), O("1/2", C(2, "roll")))),), "exact")
    assert {s for s, v in oracle.optimum(stuck).values.items() if v == 0} == {
        (0, 0),
        (0, 2),
        (2, 0),
        (2, 2),
    }
    assert oracle.fewest_turns(stuck)[0] == [math.inf, 2, math.inf]
    hold = oracle.plan_of(coin, dl.hold_at(1))
    match = oracle.match(coin, hold, hold)
    assert (match.first_wins, match.mean, match.variance, match.margin) == (
        Fraction(2, 3),
        2,
        2,
        Fraction(1, 3),
    )
    assert match.distribution[:3] == [0.5, 0.25, 0.125] and match.endless == 0


def test_a_player_who_is_ahead_does_not_wait():
    """Rolling on is worth as much as holding, as it can be tried again; but for ever it is a draw."""
    game = G(
        "wait",
        1,
        (
            M("a", (O("1/2", (C(1, "b"), C(1, "a"))), O("1/2", "bust"))),
            M("b", (O(1, "bust"),), False),
        ),
    )
    assert oracle.optimum(game).values[0, 0] + HALF == Fraction(2, 3)
    game = G("x", 2, (M("a", (O(1, (C(1, "a"), C(2, "b"))),)), M("b", (O(1, "bust"),), False)))
    assert oracle.optimum(game).values[0, 0] + HALF == 1


def test_the_package_agrees_where_nobody_can_wait():
    for game in (dl.pig(6), dl.piglet(4), dl.two_dice_pig(4), dl.double_trouble(5)):
        for objective in ("win", "margin"):
            solution = dl.solve(game, objective, exact=True)
            true = oracle.optimum(game, objective)
            assert all(
                solution.values[s] == v + (HALF if objective == "win" else 0)
                for s, v in true.values.items()
            )
        assert list(dl.solve(game, "turns", exact=True).values) == oracle.fewest_turns(game)[0]
        assert dl.solve(game, "score", exact=True).value == oracle.most_points(game).values[0][0]
