"""The solvers of the lectures agree with the fast ones: one player by three methods, pairs of scores as two piecewise
linear curves (Proposition 1), races by value iteration and as stochastic games, simultaneous decisions, and
the two algorithms of the paper on Ten Thousand.

Value iteration of races to win stands in tests/solvers/test_two_player.py.
"""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from conftest import dice
from hypothesis import example, given, settings
from hypothesis import strategies as st

import dicelab as dl
from collection import textbook
from collection.course.textbook import ten_thousand
from collection.papers.recipes import COLUMNS, turn_state
from dicelab.engine.fixed_points import solve_linear

# One player

GAMES = dl.pig(20), dl.double_trouble(24), dl.two_dice_pig(50)
TURNS = [(game, "turns", textbook.turns_process(game)) for game in GAMES[:2]]
POINTS = [(game, "score", textbook.score_process(game, 50)) for game in (dl.pig(50), GAMES[2])]


@pytest.mark.parametrize(
    ("game", "objective", "process"), [*TURNS, *POINTS], ids=lambda value: str(value)[:20]
)
def test_three_methods_agree_with_the_fast_solver(game, objective, process):
    """The fewest turns from every score; the most points of a turn, of which there are less than 50."""
    solution = dl.solve(game, objective)
    by_values, history = textbook.mdp_value_iteration(process)
    by_policies, policy, evaluations = textbook.policy_iteration(process)
    by_program = textbook.linear_program(process)
    assert evaluations < min(10, len(history))
    values, sign, close = solution.values, 1, 1e-10
    if objective == "score":
        values, sign, close = [solution.value], -1, 1e-12
    for score, value in enumerate(values):
        start = score, 0, game.modes[0].name
        assert sign * by_policies[start] == pytest.approx(value, rel=1e-13)
        assert sign * by_values[start] == pytest.approx(value, abs=close)
        assert sign * by_program[start] == pytest.approx(value, abs=1e-6)
        for mode, total in product(game.modes, range(1, game.target - score)):
            rolls = solution.policy.rolls(score, 0, total, mode.name)
            assert policy[score, total, mode.name] == ("roll" if rolls else "hold")


@pytest.mark.parametrize("process", [process for _, _, process in TURNS])
def test_a_process_as_one_matrix_for_each_action(process):
    names, costs, moves = process.matrices()
    assert names == sorted(names) and costs.shape == (len(names), len(process.actions))
    for found, actions in zip(np.isfinite(costs).T, process.actions.values(), strict=True):
        assert {name for name, there in zip(names, found, strict=True) if there} == {*actions}
    values = np.array([*textbook.policy_iteration(process)[0].values()])
    action_values = [c + P @ values for c, P in zip(costs, moves, strict=True)]
    assert np.min(action_values, axis=0) == pytest.approx(values, rel=1e-12)


# Pairs of scores


@settings(max_examples=40)
@given(dice(most_target=6), st.data())
def test_proposition_1_and_three_methods_for_a_pair(game, data):
    """The curves are convex, decrease from 1, and their first slope is minus the probability that rolling on busts."""
    solution = dl.solve(game, exact=True)
    a, b = (data.draw(st.integers(1, game.target)) for _ in "ab")
    f, g = textbook.curves(solution, a, b)
    for curve in (f, g):
        assert curve.y[0] == 1 and all(-1 <= slope <= 0 for slope in curve.slopes)
        assert curve.slopes == sorted(curve.slopes), "convex"
    assert len(f.x) - 2 <= a, "at most a inner corners"
    busts = dict.fromkeys(range(-game.most_points, 1), Fraction(0))
    for r in range(1, a + 1):
        busts[r] = sum(
            o.probability * (1 if o.result == "bust" else busts[r - o.choices[0].points])
            for o in game.modes[0].outcomes
        )
    assert f.slopes[0] == -busts[a]
    x, y = textbook.by_intersection(f, g)
    assert (x, y) == (solution.values[-a, -b], solution.values[-b, -a])
    assert textbook.by_fixed_point(f, g) == pytest.approx((float(x), float(y)), abs=1e-14)
    assert textbook.by_linear_program(f, g) == pytest.approx((float(x), float(y)), abs=1e-9)


@pytest.mark.parametrize(
    ("pair_solver", "accuracy"),
    [(textbook.by_fixed_point, 1e-13), (textbook.by_linear_program, 1e-9)],
)
def test_whole_games_by_remarks_1_and_2(pair_solver, accuracy):
    for game in (dl.piglet(10), dl.pig(10)):
        values = textbook.backward_induction(game, pair_solver).astype(float)
        assert np.abs(values - dl.solve(game).values).max() <= accuracy


# Two players


@settings(max_examples=40)
@given(dice(most_target=7, finishes=("reach", "exact")), st.booleans())
def test_margins_of_random_dice(game, overshoot):
    overshoot &= game.finish == "reach"
    values, rolls = textbook.value_iteration(game, "margin", overshoot)
    solution = dl.solve(game, "margin", overshoot=overshoot)
    assert np.abs(values - solution.values).max() <= 1e-11
    assert np.array_equal(rolls[:, :, 0], solution.policy.roll_mask())


@settings(max_examples=30)
@given(dice(most_target=8, finishes=("reach", "exact")), st.integers(1, 9), st.integers(1, 9))
def test_matches_of_random_dice(game, n, m):
    match = dl.evaluate(game, dl.hold_at(n), dl.hold_at(m))
    expected = textbook.policy_evaluation(game, dl.hold_at(n), dl.hold_at(m))
    assert (match.first_wins, match.turns_mean) == pytest.approx(expected, rel=1e-11)


ENDLESS = textbook.StochasticGame({"here": {("go", "on"): (1.0, {"here": 1})}})
PIGLET, MARGIN = dl.solve(dl.piglet(3), exact=True), dl.solve(dl.pig(5), "margin")
REFUSED = [  # what is asked, the exception, and what is said
    (lambda: textbook.value_iteration(dl.pig(5), max_sweeps=2), ArithmeticError, r"scores \(4, 4\) still change"),
    (
        lambda: textbook.mdp_value_iteration(textbook.turns_process(dl.pig(20)), max_sweeps=3),
        ArithmeticError,
        "value iteration: values still change by .* after 3 sweeps",
    ),
    (lambda: textbook.solve_stochastic(ENDLESS, max_sweeps=50), ArithmeticError, "after 50 sweeps"),
    (
        lambda: textbook.value_iteration(dl.double_trouble(5), "margin", overshoot=True),
        NotImplementedError,
        "has no hold",
    ),
    (lambda: textbook.turns_process(dl.pig(5, "exact")), NotImplementedError, "the race may never end"),
    (lambda: textbook.score_process(dl.double_trouble(5), 9), NotImplementedError, "the turn total is unbounded"),
    (lambda: textbook.as_stochastic_game(dl.pig(9, "exact")), NotImplementedError, "Pig: only games without choices"),
    (lambda: textbook.curves(PIGLET, 1, 4), ValueError, "b: 4"),
    (lambda: textbook.curves(PIGLET, 1.0, 1), ValueError, "a: 1.0"),
    (lambda: textbook.curves(MARGIN, 1, 1), ValueError, "objective 'margin' is not allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "error", "said"), REFUSED)
def test_what_the_textbook_refuses(ask, error, said):
    with pytest.raises(error, match=said):
        ask()


# Stochastic games

matrices = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(-9, 9), min_size=n, max_size=n), min_size=1, max_size=4)
)


@given(matrices)
@example([[3, -1], [-2, 4]])
def test_matrix_games(payments):
    """Each strategy guarantees the value: no pure action of the other does better against it."""
    value, rows, columns = textbook.matrix_game(payments)
    assert [rows.sum(), columns.sum()] == pytest.approx([1, 1])
    assert min(rows @ payments) == pytest.approx(value, abs=1e-9)
    assert max(payments @ columns) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(
    "game",
    [dl.two_dice_pig(8), dl.double_trouble(7)],
    ids=lambda g: g.name,
)
def test_a_race_is_a_stochastic_game(game):
    """Values and all decisions of both players."""
    values, strategies = textbook.solve_stochastic(textbook.as_stochastic_game(game))
    solution = dl.solve(game)
    for player, own, other, total, mode in values:
        if total == 0 and mode == game.modes[0].name:
            wins = solution.values[own, other]
            assert values[player, own, other, total, mode] == pytest.approx(
                wins if player == 1 else 1 - wins, abs=1e-11
            )
        mixed = strategies[player, own, other, total, mode][player - 1]
        if 0 < total < game.target - own and len(mixed) == 2:
            assert mixed[("hold", "roll")[solution.policy.rolls(own, other, total, mode)]] == 1


HOG = textbook.simultaneous_hog(6)
VALUES, STRATEGIES = textbook.solve_stochastic(HOG)


def test_simultaneous_decisions_need_mixed_strategies():
    assert VALUES[0, 0] == pytest.approx(0, abs=1e-9), "the game is symmetric"
    mixed = 0
    for state, (rows, columns) in STRATEGIES.items():
        payments = HOG.matrix(state, VALUES)
        assert min(np.array([*rows.values()]) @ payments) == pytest.approx(VALUES[state], abs=1e-9)
        assert max(payments @ np.array([*columns.values()])) == pytest.approx(
            VALUES[state], abs=1e-9
        )
        mixed += max(payments.min(axis=1)) < VALUES[state] - 1e-6
    assert mixed == 18, "no pure strategy guarantees as much"


def test_a_mixed_strategy_in_fractions():
    """With one point missing each, all three numbers of dice are played; what makes the other indifferent is linear."""
    hog = textbook.simultaneous_hog(1)
    stage, dice = hog.stages[0, 0], (1, 2, 3)
    # Σ p(a)·payments[a][b] = v for all b, and Σ p(a) = 1
    rows = [[Fraction(stage[a, b][0]).limit_denominator(10**6) for a in dice] for b in dice]
    rows = [*([*row, Fraction(-1)] for row in rows), [Fraction(1)] * 3 + [Fraction(0)]]
    solved = solve_linear(rows, [Fraction(k == 3) for k in range(4)])
    assert [*solved] == [Fraction(18, 77), Fraction(3, 77), Fraction(8, 11), 0]
    played, _ = textbook.solve_stochastic(hog)[1][0, 0]
    assert [*played.values()] == pytest.approx([18 / 77, 3 / 77, 8 / 11], abs=1e-9)


TEN_THOUSAND = dl.ten_thousand(14)
TURN, RACE = dl.solve(TEN_THOUSAND, "score", exact=True), dl.solve(TEN_THOUSAND).policy


def test_the_papers_two_algorithms_and_solve_agree_in_every_state():
    values, actions = ten_thousand.algorithm_4_2()
    short, short_actions = ten_thousand.appendix_algorithm()
    assert TURN.value == values[0, (0, 0, 0), 5] == short["0", 0, 5]
    assert round(float(TURN.value), 6) == 5.872019, "Theorem 4.1"
    assert len(TURN.values) - 1 == 56
    names = {(0, 1, 0): "m5", (1, 0, 0): "m5"}
    for column, (hand, scoring, fewest) in COLUMNS.items():
        config = (
            (scoring.count(5), scoring.count(1), 0)
            if scoring
            else (0, 0, 6)
            if hand < 3
            else (1, 0, 0)
        )
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
                assert action == names[actions[state]] == short_actions["5", tau, 2] == "m5", (
                    "the paper prints r"
                )


def test_two_dice_and_three_chips_are_rolled():
    """The paper does not print this state: it says that the player always stops ("always s")."""
    two = TEN_THOUSAND.mode("2 dice")
    roll_value = sum(
        o.probability * max(TURN.values[3 + c.points, TEN_THOUSAND.mode(c.mode)] for c in o.choices)
        for o in TEN_THOUSAND.modes[two].outcomes
        if o.choices
    )
    assert roll_value == TURN.values[3, two] > 3
    assert TURN.policy.rolls(0, 0, 3, "2 dice")
    values, actions = ten_thousand.algorithm_4_2()
    assert values[3, (1, 0, 0), 2] == roll_value and actions[3, (1, 0, 0), 2] == "r"


@pytest.mark.parametrize(
    ("policy", "total", "roll", "kept"),
    [
        (RACE, 0, [2, 3, 4, 6, 2], ((), False)),  # nothing scores
        (RACE, 0, [5, 2, 5, 3, 6], ((5,), True)),  # a five is given up for a fourth die
        (RACE, 0, [1, 1, 1, 5, 5], ((1, 1, 1, 5, 5), False)),  # all score, and win
        (TURN.policy, 2, [1, 1, 3, 4], ((1, 1), False)),
    ],
)
def test_keep(policy, total, roll, kept):
    assert policy.keep(0, 0, total, roll) == kept


@pytest.mark.parametrize(
    ("total", "roll", "said"),
    [
        (0, [1] * 6, "numbers of dice that are rolled in Ten Thousand: 5, 4, 3, 2, 1"),
        (14, [1], "turn_total: 14 reaches the target"),
    ],
)
def test_rolls_that_there_are_not(total, roll, said):
    with pytest.raises(ValueError, match=said):
        RACE.keep(0, 0, total, roll)
