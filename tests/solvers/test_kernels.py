"""The compiled kernels: tiny games through all of them, and the batched walk against the reference pass.

Most of these tests are quick without the compiler, too (``NUMBA_DISABLE_JIT=1``). The lines of a kernel can be counted
only without it, and mutants (``tests/by_hand/mutants.py``) meet these tests first.
"""

import ast
import threading
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from calling_kernels import from_python, hold_table
from conftest import decision_mask, mode_games
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from collection import textbook
from dicelab import _accuracy, _compile
from dicelab.evaluation import _lockstep, best_response, markov_chain, match, studies
from dicelab.evaluation.loss import loss
from dicelab.games.absorption import beyond_target
from dicelab.policies import branching_outcomes
from dicelab.solvers import _kernels, one_turn, rational, two_player
from dicelab.solvers._kernels import (
    LANES,
    SIX,
    Ends,
    Turn,
    backward_pass,
    new_turn,
    new_workspace,
    payoffs_of,
    rules_of,
)
from dicelab.solvers.race import greedy_decisions
from dicelab_extras import learning

# NumPy warns of inf and nan, compiled kernels do not.
pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
draw = from_python(_lockstep.draw)
first_bit = from_python(_lockstep.first_bit)
past_target = from_python(_kernels.past_target)
walk_batch = from_python(_kernels.walk_batch)
walk_columns = from_python(_kernels.walk_columns)
newton_step = from_python(_kernels.newton_step)


def mode(name, *outcomes, may_hold=True):
    """A mode; an outcome is a chance and a result or pairs (points, mode)."""
    read = [
        (p, r if isinstance(r, str) else [dl.Choice(*choice) for choice in r]) for p, r in outcomes
    ]
    return dl.Mode(name, [dl.Outcome(*outcome) for outcome in read], may_hold)


def greed(target):
    """A good roll offers one point with all dice, or two in a mode in which one must roll on."""
    free = mode(
        "free", ("1/4", "bust"), ("1/2", [(1, "free"), (2, "forced")]), ("1/4", [(3, "free")])
    )
    return dl.Game(
        "Greed",
        target,
        (free, mode("forced", ("1/3", "bust"), ("2/3", [(1, "free")]), may_hold=False)),
    )


def two_holds(target):
    """Two modes with a hold, one of which busts often; of two equal choices the first is taken."""
    cool = mode("cool", ("1/8", "bust"), ("1/2", [(1, "hot"), (1, "hot")]), ("3/8", [(1, "cool")]))
    hot = mode("hot", ("1/2", "bust"), ("1/2", [(2, "cool"), (3, "hot")]))
    return dl.Game("Two holds", target, (cool, hot))


def chosen(target):
    """Past the target there is a choice between modes without a hold: one may reset, the other bust."""
    free = mode(
        "free", ("1/4", "bust"), ("1/2", [(2, "left"), (1, "right")]), ("1/4", [(1, "free")])
    )
    left = mode("left", ("1/2", "reset"), ("1/2", [(1, "free"), (3, "right")]), may_hold=False)
    right = mode(
        "right",
        ("1/3", "bust"),
        ("1/3", [(1, "left"), (1, "right")]),
        ("1/3", [(2, "free")]),
        may_hold=False,
    )
    return dl.Game("Chosen", target, (free, left, right))


# Eight faces that score: more than five.
WIDE = dl.generalized_pig(["1/10", *["1/10"] * 7, 0, "1/5"], 11)
TIES = dl.generalized_pig(["2/3", "1/3"], 6)
ONE_MODE = [dl.pig(6), dl.piglet(4), TIES, WIDE, dl.pig(6, finish="exact")]
GAMES = [
    *ONE_MODE,
    greed(5),
    two_holds(7),
    dl.two_dice_pig(7),
    dl.double_trouble(6),
    dl.ten_thousand(4),
]
GAMES += [dl.double_trouble(5, finish="exact"), dl.two_dice_pig(5, finish="exact"), chosen(3)]
PLAYED = [game for game in GAMES if game.name != "Chosen"]
ITERATED = [
    game for game in GAMES if not (game.finish == "exact" and game.resets)
]  # the textbook's way takes long
solve = cache(dl.solve)


def named(game):
    return f"{game.name}-{game.finish}" if isinstance(game, dl.Game) else str(game)


@pytest.mark.parametrize("game", ITERATED, ids=named)
def test_races(game):
    solution = solve(game)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(values - solution.values).max() <= 1e-12
    if game not in (TIES,):
        assert np.array_equal(decision_mask(solution), rolls)
    assert solution.residual <= 4e-15


@pytest.mark.parametrize("game", GAMES, ids=named)
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
def test_fractions(game, objective):
    near = solve(game, objective)
    proven = solve(game, objective, exact=True)
    assert (proven.exact, proven.residual, proven.error, proven.overshoot) == (True, 0, 0, False)
    assert all(isinstance(value, Fraction | float) for value in proven.values.flat)
    np.testing.assert_allclose(proven.values.astype(float), near.values, rtol=1e-13, atol=1e-13)
    scores = [(own, other) for own in range(game.target) for other in range(game.target)]
    tied = {(own, *other, total, name) for own, *other, total, name in proven.ties}
    for own, other in scores if objective != "turns" else [(own, 0) for own in range(game.target)]:
        ours, theirs = (s.policy.decisions(game, own, other) for s in (proven, near))
        for m, total in np.argwhere(ours != theirs).tolist():
            assert ((own, other) if objective != "turns" else (own,)) + (
                total,
                game.modes[m].name,
            ) in tied
    for tie in proven.ties:
        assert not proven.policy.rolls(tie[0], tie[1] if objective != "turns" else 0, *tie[-2:])


@pytest.mark.parametrize(
    "game", [game for game in GAMES if len(branching_outcomes(game))], ids=named
)
def test_choices(game):
    for own in range(game.target):
        ours, theirs = (
            solve(game, exact=exact).policy.choices(game, own) for exact in (True, False)
        )
        assert np.array_equal(ours[:, :, : game.target - own], theirs[:, :, : game.target - own])


@pytest.mark.parametrize("game", GAMES[:-1], ids=named)
@pytest.mark.parametrize("overshoot", [False, True])
def test_margins(game, overshoot):
    solution = solve(game, "margin", overshoot=overshoot)
    assert solution.overshoot == overshoot
    proven = solve(game, "margin", overshoot=overshoot, exact=True)
    assert np.abs(proven.values.astype(float) - solution.values).max() <= 1e-13 * game.target
    if game in ITERATED and (not overshoot or all(mode.may_hold for mode in game.modes)):
        values, _ = textbook.value_iteration(game, "margin", overshoot)
        assert np.abs(values - solution.values).max() <= 1e-11
    if not overshoot:
        found = dl.evaluate(game, solution.policy, solution.policy)
        assert found.margin == pytest.approx(solution.value, abs=1e-12)


@pytest.mark.parametrize("game", PLAYED, ids=named)
def test_turns(game):
    solution = solve(game, "turns")
    if game.finish == "reach":
        process = textbook.turns_process(game)
        assert solution.value == pytest.approx(
            next(iter(textbook.policy_iteration(process)[0].values())), rel=1e-12
        )
    needed = studies.turns_needed(game, solution.policy)
    assert np.allclose(needed, solution.values, rtol=1e-12, atol=0)
    for n in range(1, 5):
        assert (studies.turns_needed(game, dl.hold_at(n)) >= solution.values * (1 - 1e-12)).all()


def test_who_can_never_arrive():
    """Double Trouble to exactly 4, where no score of less than 5 points is ever reached; and where a reset leads there.

    Of threes alone, one more at 1 arrives with probability 2/3, else all is lost, and then for ever.
    """
    threes = dl.Game(
        "Threes", 4, [mode("m", ("1/4", "bust"), ("1/4", "reset"), ("1/2", [(3, "m")]))], "exact"
    )
    for game in (dl.double_trouble(4, finish="exact"), threes):
        for proven in (False, True):
            assert np.isinf(dl.solve(game, "turns", exact=proven).values.astype(float)).all()
        assert np.isinf(studies.turns_needed(game, dl.hold_at(1))).all()
        certificate = dl.certify(dl.solve(game, "turns"))
        assert certificate.optimal
        assert np.isinf(certificate.lower).all()
        policies = dl.hold_at(1), dl.hold_at(4)
        found = dl.evaluate(game, *policies)
        assert (found.first_wins, found.margin, found.turns_mean) == (0.5, 0, np.inf)
        assert np.isnan(found.turns_sd)
        assert found.turns_distribution().attrs == {"left": 0, "endless": 1}
        assert dl.best_response(game, policies[0]).value == pytest.approx(0.5, abs=1e-13)
    # A draw, if all is lost.
    assert dl.solve(threes).values[1, 0] == pytest.approx(1 / 2 + 1 / 3, abs=1e-13)


@pytest.mark.parametrize("game", [*PLAYED, chosen(3)], ids=named)
def test_scores(game):
    near = solve(game, "score")
    proven = solve(game, "score", exact=True)
    assert (
        near.values.shape == proven.values.shape == (one_turn.threshold(game) + 1, len(game.modes))
    )
    assert np.abs(near.values - proven.values.astype(float)).max() <= 1e-13 * len(near.values)
    tied = set(proven.ties)
    for own, m in np.ndindex(game.target, len(game.modes)):
        for total in range(game.target - own):
            rolls = [s.policy.decisions(game, own, 0)[m, total] for s in (near, proven)]
            assert rolls[0] == rolls[1]
            if (total, game.modes[m].name) in tied:
                assert not rolls[1]
    assert np.array_equal(near.policy.choices(game, 0), proven.policy.choices(game, 0))


@pytest.mark.parametrize(
    "game", [dl.pig(4), TIES, greed(3), dl.two_dice_pig(5), dl.double_trouble(4)], ids=named
)
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
def test_certificates(game, objective):
    assert dl.certify(solve(game, objective)).optimal


@pytest.mark.parametrize("game", PLAYED, ids=named)
def test_matches(game):
    optimal, rule = solve(game).policy, dl.hold_at(3)
    twice = dl.scoring_turns(2)
    for first, second in ((optimal, rule), (rule, optimal), (twice, rule), (dl.hold_at(1), twice)):
        found = dl.evaluate(game, first, second)
        assert found.residual <= 5e-14
        if twice not in (first, second) and game.finish == "reach":
            expected = textbook.policy_evaluation(game, first, second)
            assert (found.first_wins, found.turns_mean) == pytest.approx(expected, rel=1e-11)
        turns = found.turns_distribution()
        endless = turns.attrs["endless"]
        assert turns.index[0] == 1
        assert turns.attrs["left"] <= 1e-15
        assert turns.sum() + endless == pytest.approx(1, abs=1e-13)
        assert turns[::2].sum() + endless / 2 == pytest.approx(found.first_wins, abs=1e-13)
        if endless > 1e-15:
            assert found.turns_mean == np.inf and np.isnan(found.turns_sd)
        else:
            mean = (turns * turns.index).sum()
            assert found.turns_mean == pytest.approx(mean, rel=1e-11)
            assert found.turns_sd == pytest.approx(
                (turns * (turns.index - mean) ** 2).sum() ** 0.5, rel=1e-9, abs=1e-9
            )


@pytest.mark.parametrize("game", PLAYED, ids=named)
def test_best_responses(game):
    solution, rule = solve(game), dl.hold_at(3)
    against = dl.best_response(game, solution.policy)
    assert np.abs(against.values - solution.values).max() <= 1e-13
    assert against.residual <= 1e-14
    response = dl.best_response(game, rule)
    assert (response.against, response.objective, response.exact) == (rule, "win", False)
    assert dl.evaluate(game, response.policy, rule).first_wins == pytest.approx(
        response.value, abs=1e-13
    )
    for other in (solution.policy, *map(dl.hold_at, range(1, 6))):
        assert dl.evaluate(game, other, rule).first_wins <= response.value + 1e-13
    assert loss(solution, rule) >= -1e-15


@pytest.mark.parametrize(
    "game",
    [*PLAYED, dl.generalized_pig(["1000003/7000000", "3/7", "2999997/7000000"], 4)],
    ids=named,
)
def test_simulation(game):
    for first, second in (
        (dl.scoring_turns(2), solve(game).policy),
        (dl.hold_at(4), dl.hold_at(2)),
    ):
        found = dl.evaluate(game, first, second)
        estimate = dl.simulate(game, first, second, games=400, n_jobs=1)
        assert abs(estimate.first_wins - found.first_wins) <= 4 * estimate.first_wins_se
        if np.isfinite(found.turns_mean):
            assert abs(estimate.turns_mean - found.turns_mean) <= 4 * estimate.turns_mean_se + 1e-12


@pytest.mark.parametrize("method", ["q", "sarsa", "expected_sarsa", "double_q", "mc"])
def test_learners(method):
    """A coin to 1: the first head wins. Whatever is learned, nothing is decided."""
    learned = learning.learn(dl.piglet(1), method, games=400, seed=1, decay=1.0)
    assert learned.values()[0, 0] == pytest.approx(2 / 3, abs=0.1)


def test_learners_by_features():
    """A coin to 2: at the turn total 1 one should roll, if the other needs one point."""
    for learner in (learning.reinforce, learning.semi_gradient):
        policy = learner(
            dl.piglet(2), games=400, seed=1, learning_rate=0.5, tilings=2, tile=1
        ).policy()
        assert policy.rolls(0, 1, 1, game=dl.piglet(2)) in (True, False)


def by_hand(game, hold, bust, reset, finish, over, r, name):
    """What a turn is worth in a mode with `r` points missing, and what rolling is, by the rules alone, in Fractions."""
    at = game.modes[game.mode(name)]
    if r <= 0 and at.may_hold:
        return (finish - r * over,) * 2
    rolled = sum(
        o.probability
        * (
            {"bust": bust, "reset": reset}[o.result]
            if not o.choices
            else max(
                by_hand(game, hold, bust, reset, finish, over, r - c.points, c.mode)[0]
                for c in o.choices
            )
        )
        for o in at.outcomes
    )
    return (max(rolled, hold[r]) if at.may_hold and r < len(hold) else rolled), rolled


WALKS = [
    dl.pig(6),
    dl.generalized_pig(["1/10", *["1/10"] * 7, 0, "1/5"], 6),
    two_holds(6),
    dl.two_dice_pig(6),
]


@pytest.mark.parametrize("game", WALKS, ids=named)
def test_a_turn(game):
    """The reference pass, from 1 or behind totals known to hold; L is 1 less a difference quotient of the value."""
    rules = rules_of(game)
    target = game.target
    width = game.most_points
    hold = [Fraction(9, 10) - Fraction(r * r, 60) for r in range(target)]
    more = {"reset": Fraction(1, 9), "finish": Fraction(1), "over": Fraction(1, 50)}
    near = np.array([*map(float, hold), 0.0])
    turn = new_turn(rules, target)
    first_mode = game.modes[0].name
    for bust in (Fraction(k, 20) for k in range(1, 16, 2)):
        expected = {
            (m, r): by_hand(game, hold[:target], bust, *more.values(), r, mode.name)
            for m, mode in enumerate(game.modes)
            for r in range(1, target + 1)
        }
        begin = min(
            [r for (_, r), (_, rolled) in expected.items() if r < target and rolled > hold[r]],
            default=target,
        )
        step = Fraction(1, 10**9)
        _, ahead = by_hand(game, hold, bust + step, *more.values(), target, first_mode)
        _, behind = expected[0, target]
        for first in (1, begin):
            for array in turn:
                array[:] = np.nan
            ends = Ends(float(bust), *map(float, more.values()))
            above, leave = backward_pass(rules, near, ends, target, first, turn)
            assert above == pytest.approx(float(behind - bust), abs=1e-15)
            assert leave == pytest.approx(float(1 - (ahead - behind) / step), abs=1e-12)
            for m, r in np.ndindex(len(game.modes), target + 1):
                at = width - 1 + r
                if r >= first and (r < target or m == 0):
                    value, rolled = expected[m, r]
                    value = rolled if r == target else value
                    assert turn.value[m, at] == pytest.approx(float(value - bust), abs=1e-15)
                    assert turn.roll[m, at] == pytest.approx(float(rolled - bust), abs=1e-15)
                elif r > first - width and r < first:
                    known = float((hold[r] if r > 0 else 1) - bust)
                    assert turn.value[m, at] == turn.roll[m, at] == pytest.approx(known)
                    assert turn.leave[m, at] == 1


def test_past_the_target():
    """The best of the ways to choose, by what is at stake; its slope is the chance to bust."""
    game = chosen(3)
    rules, (*ways,) = rules_of(game), beyond_target(game)
    assert len(ways) > 1
    for reset, bust in ((0.1, 0.7), (0.7, 0.1), (0.3, 0.3)):
        for m, r in np.ndindex(len(game.modes), game.most_points):
            ends_of = [
                [float(chance) for chance in way[m][game.most_points - 1 - r]] for way in ways
            ]
            worths = [
                f * 1.5 + z * reset + (1 - f - z) * bust + over * 0.25 for f, z, over in ends_of
            ]
            above, leave = past_target(rules, m, -r, Ends(bust, reset, 1.5, 0.25))
            assert above == pytest.approx(max(worths) - bust, abs=1e-15)
            f, z, _ = ends_of[worths.index(max(worths))]
            assert leave == pytest.approx(f + z, abs=1e-15)


def test_rules_as_arrays():
    rules = rules_of(dl.double_trouble(4))
    assert (rules.all_hold, rules.skips) == (False, True)
    # the mode of doubles must roll: x = 10/36 + 5/36·x = 10/31; where it may be reached, 10/36 + 5/36·10/31 = 10/31
    assert rules.bust_if_held[1] == pytest.approx([10 / 31] * 16, abs=1e-15)
    assert rules.bust_if_held[0] == pytest.approx([0] * 12 + [10 / 31] * 4, abs=1e-15)
    assert rules_of(dl.piglet(2)).bust_if_held.tolist() == [[0.5] * 3]
    for game, skips in (
        (greed(4), False),
        (two_holds(4), True),
        (dl.pig(4, finish="exact"), False),
    ):
        assert rules_of(game).skips == skips
    assert rules_of(dl.piglet(2)).dyadic.tolist() == [True]
    assert rules_of(two_holds(4)).dyadic.tolist() == [False, True]
    powers = [_kernels._is_dyadic(Fraction(p)) for p in ("1", "1/2", "1/8", "3/8", "1/3", "1/6")]
    assert powers == [True] * 3 + [False] * 3
    wide = rules_of(WIDE)
    assert wide.stay.tolist() == [[0.1] * 6]
    assert (wide.groups.tolist(), wide.onward.tolist()) == ([0, 1], [[0, 7]])
    assert wide.weight.tolist() == [[0.1, 0, 0.2, 0, 0, 0]]
    assert [rules.more.tolist() for rules in (wide, rules_of(dl.pig(3)))] == [[True], [False]]
    assert rules_of(two_holds(4)).branch.tolist() == [-1, 0, 1]


def test_what_solutions_say():
    """A coin to 1: x = 1 - y/2 both ways; one evaluation a player, of one total."""
    for objective, unit in (("win", 1), ("margin", 2)):
        one = dl.solve(dl.generalized_pig(["1/2", 0, "1/2"], unit), objective)
        assert one.error == pytest.approx(
            unit * 4e-16 * (2 * unit) ** 0.5 + one.residual, rel=1e-12, abs=0
        )
        assert one.residual <= 1e-16
    one = dl.solve(dl.piglet(1))
    assert (one.evaluations, one.walked) == (2, 2)
    assert dl.solve(dl.piglet(1), "turns").error == pytest.approx(4e-16 * 2, rel=1e-12, abs=0)
    six = dl.solve(dl.pig(6))
    assert 2 * 21 <= six.evaluations < six.walked <= six.evaluations * 6
    resets = dl.Game(
        "Resets", 2, [mode("m", ("3/16", "bust"), ("9/16", "reset"), ("1/4", [(1, "m")]))]
    )
    # T = 1 + (1 + 1/4)(3/16 + 9/16)·T.
    assert dl.solve(resets, "turns").value == pytest.approx(16, abs=1e-13)
    assert dl.solve(dl.pig(6), "score").error == pytest.approx(40 * 1e-16 * 20, abs=0)
    assert dl.solve(dl.pig(6), "score", exact=True).error == 0


def test_most_of_a_turn_is_not_walked():
    """A turn of a coin passes some 10 totals on average; once the guesses are good, only the last few are walked."""
    coin = dl.solve(dl.piglet(20))
    assert coin.evaluations < coin.walked <= 5 * coin.evaluations


@pytest.mark.parametrize("tile", [1, 2, 3, 5])
@pytest.mark.parametrize("game", [dl.pig(11), dl.two_dice_pig(11)], ids=named)
def test_tiles(game, tile, monkeypatch):
    """The order in which pairs are solved changes no more than what one Newton step begins with."""
    monkeypatch.setattr(two_player, "TILE", tile)
    assert np.abs(dl.solve(game).values - solve(game).values).max() <= 4e-15


def test_tiles_are_solved_in_threads(monkeypatch):
    """To 4, in tiles of a pair: 1 + 4 and 2 + 2 wait for 1 + 3, and not for each other."""
    begun = []

    def spy(rules, table, work, needs, others, totals):
        begun.append((totals[0], threading.current_thread() is threading.main_thread()))
        return _kernels.solve_tile(rules, table, work, needs, others, totals)

    monkeypatch.setattr(two_player, "solve_tile", spy)
    monkeypatch.setattr(two_player, "TILE", 1)
    dl.solve(dl.pig(4))
    assert [total for total, _ in begun][:3] == [2, 3, 4]
    assert sorted(total for total, _ in begun) == [2, 3, 4, 4, 5, 5, 6, 6, 7, 8]
    assert not any(alone for _, alone in begun)
    begun.clear()
    monkeypatch.setattr(two_player, "TILE", 2)
    dl.solve(dl.pig(4))
    assert all(alone for _, alone in begun)  # there is nothing to solve at once


def test_what_fails_in_a_thread_is_raised(monkeypatch):
    """And nobody waits for what has failed."""

    def fails(rules, table, work, needs, others, totals):
        raise ZeroDivisionError(f"at {totals}")

    monkeypatch.setattr(two_player, "solve_tile", fails)
    monkeypatch.setattr(two_player, "TILE", 1)
    with pytest.raises(ZeroDivisionError, match=r"at \(2, 2\)"):
        dl.solve(dl.pig(8))


@pytest.mark.parametrize("solved", ["win", "margin", "turns"])
def test_who_cannot_vouch_raises(solved, monkeypatch):
    monkeypatch.setattr(_accuracy, "RESIDUAL_LIMIT", -1.0)
    with pytest.raises(
        _accuracy.ConvergenceError, match="Two-dice Pig: the Bellman equation holds only to"
    ):
        dl.solve(dl.two_dice_pig(3), solved)


def test_matches_and_responses_that_are_off_raise(monkeypatch):
    game = dl.two_dice_pig(3)
    monkeypatch.setattr(_accuracy, "ACCURACY", 1e-16)
    with pytest.raises(_accuracy.ConvergenceError, match="Two-dice Pig: float64 may be off by"):
        dl.evaluate(game, dl.hold_at(2), dl.hold_at(2))
    with pytest.raises(_accuracy.ConvergenceError, match="Two-dice Pig: float64 may be off by"):
        dl.best_response(game, dl.hold_at(2))
    monkeypatch.setattr(_accuracy, "RESIDUAL_LIMIT", -1.0)
    with pytest.raises(_accuracy.ConvergenceError, match="Pig: the Bellman equation holds only to"):
        dl.best_response(dl.pig(3), dl.hold_at(2))


def test_elimination_loses_no_digits():
    """Two states that lead to each other but for a chance of 1e-14 and 1e-13: in Fractions, and in float64."""
    onward = np.array([[0.0, 1 - 1e-14], [1 - 1e-13, 0.0]])
    over = np.array([1e-14, 1e-13])
    constant = np.array([0.0, 1e-13])
    p, q = Fraction(1, 10**14), Fraction(1, 10**13)
    second = q / (1 - (1 - p) * (1 - q))
    expected = [float((1 - p) * second), float(second)]
    assert markov_chain.eliminate(onward, over, constant).tolist() == pytest.approx(
        expected, rel=1e-15
    )


def test_resets_that_are_not_settled_raise(monkeypatch):
    game = dl.two_dice_pig(4)
    expected = dl.best_response(game, dl.hold_at(2)).value
    for room in (two_player, best_response):
        monkeypatch.setattr(room, "settle", lambda change, start, game: start)
    with pytest.raises(_accuracy.ConvergenceError, match="the Bellman equation holds only to"):
        dl.solve(game)
    # By policy iteration.
    assert dl.best_response(game, dl.hold_at(2)).value == pytest.approx(expected, abs=1e-14)


@pytest.mark.parametrize("room", [two_player, best_response])
@pytest.mark.parametrize("game", [dl.two_dice_pig(4), dl.double_trouble(4)], ids=named)
def test_resets_are_settled_from_nearby(room, game, monkeypatch):
    """What one sweep makes of a draw is nearer to what resets are worth."""
    changes = []

    def near(change, start, game):
        changes.extend(np.abs(change(z)).max() for z in (start, np.full(start.size, 0.5)))
        return settle(change, start, game)

    settle = room.settle
    monkeypatch.setattr(room, "settle", near)
    dl.solve(game) if room is two_player else dl.best_response(game, dl.hold_at(2))
    assert changes[0] <= changes[1] / 10


@pytest.mark.parametrize("objective", ["win", "margin"])
def test_fractions_begin_at_float64(objective, monkeypatch):
    """Its decisions are the best: one round solves with them, and another finds nothing to change."""
    monkeypatch.setattr(rational, "MAX_ROUNDS", 2)
    assert dl.solve(dl.two_dice_pig(7), objective, exact=True).exact


def test_settling():
    """z = M·z + b, in a few steps, and no more once it is settled."""
    mixing = np.array([[0.2, 0.5], [0.1, 0.6]])
    given = np.array([1.0, -2.0])
    seen = []

    def change(z):
        seen.append(np.abs(mixing @ z + given - z).max())
        return mixing @ z + given - z

    _accuracy.settle(change, np.zeros(2), dl.pig(3))
    assert seen[-1] <= _accuracy.SETTLED < min(seen[:-1])
    assert len(seen) <= 12


def test_waiting():
    """To exactly 4: a player with 1 or 2 points missing never finishes, and with 4 missing may overshoot on purpose.

    With 4 missing, a roll scores 4 with probability 1/2. Against one who waits that is enough, sooner or later; against
    an opponent with 4 missing, x = 1/2 + (1 - x)/2.
    """
    roll = mode(
        "roll", ("1/3", [(3, "roll")]), ("1/2", [(3, "roll"), (4, "roll")]), ("1/6", "bust")
    )
    game = dl.Game("Waiting", 4, [roll], "exact")
    assert rules_of(game).may_wait.tolist()[1:] == [True, True, False, True]
    for exact in (False, True):
        values = dl.solve(game, exact=exact).values[::-1, ::-1].astype(float)
        for a, b, value in (
            (1, 1, 1 / 2),
            (1, 2, 1 / 2),
            (1, 4, 0),
            (4, 1, 1),
            (2, 4, 0),
            (4, 2, 1),
            (4, 4, 2 / 3),
        ):
            assert values[a - 1, b - 1] == pytest.approx(value, abs=1e-15)


def test_matches_by_hand():
    """A coin to 1: 2/3 for the first, and he wins the one point of the other: x = 1/2 - x/2."""
    once = dl.evaluate(dl.piglet(1), dl.hold_at(1), dl.hold_at(1))
    assert (once.first_wins, once.margin, once.turns_mean) == pytest.approx(
        (2 / 3, 1 / 3, 2), abs=1e-15
    )
    assert once.turns_sd == pytest.approx(2**0.5, abs=1e-15)
    turns = once.turns_distribution()
    assert turns.tolist() == [2.0**-k for k in range(1, 51)]
    assert turns.attrs == {"left": 2.0**-50, "endless": 0}
    die = dl.generalized_pig([0, 0, 1], 8)  # always two points
    found = dl.evaluate(die, dl.scoring_turns(2), dl.scoring_turns(4))
    assert (found.first_wins, found.turns_mean, found.turns_sd, found.margin) == (1, 3, 0, 6)
    assert studies.turns_needed(die, dl.scoring_turns(2)).tolist()[:1] == [2]
    assert studies.turns_needed(die, dl.scoring_turns(4)).tolist()[::2] == [4, 3, 2, 1]


@pytest.mark.parametrize(("objective", "unit"), [("win", "first_wins"), ("margin", "margin")])
def test_what_a_rule_loses_in_matches(objective, unit):
    game = dl.pig(6)
    rule = dl.hold_at(2)
    solution = solve(dl.pig(6), objective)
    first, second = (
        dl.evaluate(game, *pair) for pair in ((solution.policy, rule), (rule, solution.policy))
    )
    lost = (getattr(first, unit) - getattr(second, unit)) / 2
    assert loss(solution, rule) == pytest.approx(lost, abs=1e-15)
    assert lost > 0
    assert loss(solution, solution.policy) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(
    ("begins", "most", "raises"), [(10, 50, False), (10, 49, True), (50, 9, False), (49, 9, True)]
)
def test_a_list_of_turns_that_gets_too_long(begins, most, raises, monkeypatch):
    """A coin to 1 is decided, but for 1e-15, after 50 turns."""
    monkeypatch.setattr(match, "STEADY", begins)
    monkeypatch.setattr(match, "MOST_TURNS", most)
    once = dl.evaluate(dl.piglet(1), dl.hold_at(1), dl.hold_at(1))
    if raises:
        with pytest.raises(ValueError, match="a game of Piglet lasts too long"):
            once.turns_distribution()
    else:
        assert len(once.turns_distribution()) == 50


def test_a_list_that_would_be_too_long_is_given_up_early(monkeypatch):
    """Where one turn in 100,000 arrives, after 1,000 of 20,000 turns."""
    walked, turn_passed = [], match.pass_turn

    def spy(*state):
        walked.append(state)
        return turn_passed(*state)

    monkeypatch.setattr(match, "pass_turn", spy)
    one = dl.evaluate(
        dl.generalized_pig(["99999/100000", "1/100000"], 1), dl.hold_at(1), dl.hold_at(1)
    )
    with pytest.raises(ValueError, match="too long"):
        one.turns_distribution()
    assert len(walked) == 1_000


def test_a_list_that_gets_shorter_than_it_seems_is_not_given_up():
    """Players need three turns that score, each with 3/1000: in 1,000 turns fewer games end than later."""
    one = dl.evaluate(dl.generalized_pig(["997/1000", "3/1000"], 3), dl.hold_at(1), dl.hold_at(1))
    turns = one.turns_distribution()
    assert 10_000 < len(turns) < 20_000 and turns.sum() == pytest.approx(1, abs=1e-13)


def test_turns_that_hardly_ever_or_nearly_always_bust():
    """1 + 1e-14 turns; and where the second roll of a turn always busts, which pays if turns are worth little."""
    coin = dl.generalized_pig(["1e-14", "0.99999999999999"], 1)
    assert dl.solve(coin, "turns").value == pytest.approx(1 + 1e-14, rel=0, abs=1e-15)
    twice = dl.Game(
        "Twice",
        2,
        [mode("m", ("1/2", "bust"), ("1/2", [(1, "lost")])), mode("lost", ("1", "bust"))],
    )
    assert dl.solve(twice, "turns").values.tolist() == [4, 2]


def test_an_advantage_that_is_no_more_than_a_tie():
    """With one point of two in hand and 1/2 for it: a coin's bust is worth what makes 1/2 + `advantage` of a roll."""
    coin = dl.piglet(2)
    for advantage, rolled in ((0, False), (_accuracy.TIE, False), (2 * _accuracy.TIE, True)):
        after = np.full((2, 2), 0.5)
        after[:, 0] = 2 * (0.5 + advantage) - 1
        rolls = np.zeros((1, 1, 2), dtype=bool)
        takes = np.zeros((1, 0, 2), dtype=np.uint8)
        greedy_decisions(
            coin, payoffs_of(coin, "win"), after, None, np.zeros((1, 2), dtype=int), rolls, takes
        )
        assert rolls.tolist() == [[[True, rolled]]]


def test_random_words_are_numpys():
    """The stream that NumPy draws from the same state; and the bits of words, by their binary digits."""
    source, drawn = np.random.SFC64(5), []
    state = tuple(source.state["state"]["state"])
    for _ in range(1000):
        word, *state = draw(*map(np.uint64, state))
        drawn.append(int(word))
    assert drawn == source.random_raw(1000).tolist()
    words = [*drawn, *(1 << k for k in range(64)), *(2**64 - (1 << k) for k in range(64))]
    assert [first_bit(np.uint64(word)) for word in words] == [
        f"{word:b}"[::-1].index("1") for word in words
    ]


def test_thresholds():
    """Where 20/6 points are gained for a sixth of the total, 1/2 for a half, 46/10 for a tenth: 20, 1, 46."""
    assert [one_turn.threshold(game) for game in (dl.pig(3), dl.piglet(3), WIDE)] == [20, 1, 46]
    for game, least in ((dl.pig(3), 20), (dl.piglet(3), 1), (WIDE, 46)):
        assert solve(game, "score", exact=True).ties == ((least, game.modes[0].name),)
    for game in (*PLAYED, chosen(3)):
        least = one_turn.threshold(game)
        values, *_ = one_turn.score_turn(one_turn.one_turn(game, least + 9), exact=True)
        known = solve(game, "score", exact=True).values
        modes = [game.mode(name) for name in game.reached()]
        assert (values[: least + 1, modes] == known[:, modes]).all(), "a later one changes nothing"
        if least > 1:
            values, *_ = one_turn.score_turn(one_turn.one_turn(game, least - 1), exact=True)
            assert (values[:, modes] != known[:least, modes]).any(), "and an earlier one would"


def test_the_first_of_equal_choices_is_taken():
    game = two_holds(7)
    for objective in ("win", "margin", "turns", "score"):
        takes = solve(game, objective).policy.choices(game, 0)
        assert not takes[:, 0].any()


def test_draws_in_a_game_with_resets():
    """To exactly 3, by twos, and by ones after a two in the same turn: whoever banks the two is stuck."""
    first = mode("first", ("1/2", "bust"), ("1/2", [(2, "second")]))
    game = dl.Game(
        "Stuck", 3, [first, mode("second", ("1/2", "reset"), ("1/2", [(1, "second")]))], "exact"
    )
    solution = solve(game)
    assert solution.values[2, 2] == 0.5
    banks, rolls = dl.hold_at(2), dl.hold_at(3)
    both = dl.evaluate(game, banks, banks)
    one = dl.evaluate(game, banks, rolls)
    assert (both.first_wins, both.margin, both.turns_mean) == (0.5, 0, np.inf)
    assert both.turns_distribution().attrs["endless"] == pytest.approx(1, abs=1e-14)
    assert one.first_wins == pytest.approx(0, abs=1e-15)  # the other arrives, sooner or later
    assert one.margin == pytest.approx(-7 / 5, abs=1e-14)  # still at 0: u = (1/4 + u·3/4)/2 = 1/5
    # A turn arrives in 1 of 4.
    assert dl.evaluate(game, rolls, rolls).first_wins == pytest.approx(4 / 7, abs=1e-15)
    assert dl.best_response(game, banks).value == pytest.approx(1, abs=1e-13)


def passing(target, may_hold=True, finish="reach"):
    """Modes that lead to others, and to one in which one must hold, without a point."""
    first = mode(
        "a",
        ("1/8", "bust"),
        ("3/8", [(0, "b")]),
        ("1/8", [(0, "a")]),
        ("1/8", [(2, "stop")]),
        ("1/4", [(3, "b")]),
    )
    second = mode("b", ("1/4", "bust"), ("1/4", [(0, "c")]), ("1/2", [(1, "a")]), may_hold=may_hold)
    third = mode("c", ("1/2", "bust"), ("1/2", [(7, "b")]))
    return dl.Game("Passing", target, (first, second, third, dl.Mode("stop", ())), finish)


BATCHES = [
    *(passing(25), passing(25, may_hold=False), passing(20, finish="exact")),
    *(
        dl.pig(25),
        WIDE,
        TIES,
        dl.two_dice_pig(25),
        dl.two_dice_pig(20, finish="exact"),
        two_holds(20),
        greed(20),
    ),
    *(
        dl.double_trouble(30),
        dl.double_trouble(20, finish="exact"),
        dl.ten_thousand(15),
        dl.farkle(12),
        chosen(12),
    ),
]


def any_table(game, objective, overshoot, random):
    """A table of hold values that fall with the points missing, but not evenly; and a function of its rows."""
    rules = rules_of(game)
    payoffs = payoffs_of(game, objective, overshoot)
    size = game.target + 1
    needs = np.arange(size)
    share = needs / np.maximum(needs + needs[:, None], 1)
    table = hold_table(
        rules, payoffs, payoffs.finish[:, None] - share - random.uniform(0, 0.02, (size, size))
    )

    def hold_values(b):
        return np.append(np.nan, table.hold[rules.beyond.shape[2] + SIX + b + needs[1:], b])

    return table, hold_values


def reference(rules, table, hold_values, b, missing, bust, start=1):
    """R - B, L and the turn by the reference pass, for an opponent who needs b."""
    ends = Ends(bust, table.reset[b], table.payoffs.finish[b], table.payoffs.over)
    turn = new_turn(rules, missing)
    return *backward_pass(rules, hold_values(b), ends, missing, start, turn), turn


def decisions_of(rules, turn, hold, bust, missing):
    """The advantages of rolls over holds, (modes, missing - 1), and whether a mode holds with r < missing missing."""
    ahead = turn.roll[:, -missing:][:, :-1] - (hold[1:missing] - bust)
    return ahead, (ahead <= 0) & rules.may_hold[:, None]


def valid_starts(rules, holds, missing):
    """The totals at which a walk may begin: 1, behind a row of holds, or behind P holds if all modes may hold."""
    if not rules.skips:
        return [1]
    # At 0: all r ≤ 0 finish.
    held = np.append(True, (holds | ~rules.may_hold[:, None]).all(axis=0))
    least = rules.beyond.shape[2] if rules.all_hold else missing
    return [r for r in range(1, missing + 1) if held[max(0, r - least) : r].all()]


def check_batches(game, objective, overshoot, random, batches):
    """Batches of random turns, walked from 1 and from other valid starts, equal the reference pass lane by lane."""
    rules, target = rules_of(game), game.target
    table, hold_values = any_table(game, objective, overshoot, random)
    work = new_workspace(rules, target)
    branches = bool((rules.branch >= 0).any())
    for _ in range(batches):
        total = random.integers(2, 2 * target + 1)
        places = np.arange(max(1, total - target), min(target, total - 1) + 1)
        turns = random.integers(1, min(LANES, len(places)) + 1)
        first = random.integers(len(places) - turns + 1)
        together = random.random() < 0.5
        rows = (
            places[first:][:turns]
            if together
            else np.sort(random.choice(places, turns, replace=False))
        )
        work.rows[:] = np.append(rows, np.repeat(rows[-1], LANES - turns))
        work.missing[:] = total - work.rows
        busts = [hold_values(b)[total - b] + random.uniform(-0.1, 0.1) for b in rows]
        work.bust[:] = np.append(busts, np.repeat(busts[-1], LANES - turns))
        found = [
            reference(rules, table, hold_values, *case)
            for case in zip(rows, total - rows, busts, strict=True)
        ]
        sides = [
            decisions_of(rules, turn, hold_values(b), bust, total - b)
            for b, bust, (_, _, turn) in zip(rows, busts, found, strict=True)
        ]
        later = [
            random.choice(valid_starts(rules, h, total - b))
            for b, (_, h) in zip(rows, sides, strict=True)
        ]
        for starts in (np.ones(turns, dtype=int), np.array(later)):
            work.start[:] = np.append(starts, np.repeat(starts[-1], LANES - turns))
            steps = walk_batch(rules, table, work, turns)
            assert steps == max(total - rows - starts)
            for b, start, (above, leave, _), (ahead, _) in zip(
                rows, starts, found, sides, strict=True
            ):
                assert work.above[b] == pytest.approx(above, abs=2e-15)
                assert work.leave[b] == pytest.approx(leave, abs=2e-15)
                walked = np.abs(ahead[rules.may_hold][:, max(total - b - steps, 1) - 1 :])
                gap = walked.min(initial=np.inf)
                assert work.gap[b] <= gap + 1e-14
                if not branches and start == total - b - steps > 1:
                    assert work.gap[b] == pytest.approx(gap, abs=1e-14)


@pytest.mark.parametrize("game", BATCHES, ids=named)
def test_a_batch_of_turns_equals_the_reference_pass(game):
    check_batches(game, "win", False, np.random.default_rng(1), 12)


@pytest.mark.parametrize("game", BATCHES[:-1], ids=named)
@pytest.mark.parametrize("overshoot", [False, True])
def test_a_batch_of_margins_equals_the_reference_pass(game, overshoot):
    check_batches(game, "margin", overshoot, np.random.default_rng(2), 6)


@settings(max_examples=40)
@given(mode_games(most_target=12, resets=True, finishes=("reach", "exact")), st.integers(0, 99))
def test_a_batch_of_turns_of_random_games_equals_the_reference_pass(game, seed):
    check_batches(game, "win", False, np.random.default_rng(seed), 3)


@pytest.mark.parametrize(
    "game", [greed(12), two_holds(12), dl.ten_thousand(12), dl.farkle(10)], ids=named
)
def test_a_change_within_the_gap_changes_no_decision(game):
    """Choices included: with the same decisions, W is linear in the bust value, and L stays."""
    rules, random = rules_of(game), np.random.default_rng(3)
    table, hold_values = any_table(game, "win", False, random)
    work, within = new_workspace(rules, game.target), 0
    for missing in range(2, game.target + 1):
        for b in range(1, game.target + 1, 3):
            bust = hold_values(b)[missing] + random.uniform(-0.1, 0.1)
            work.missing[:], work.rows[:], work.bust[:], work.start[:] = missing, b, bust, 1
            walk_batch(rules, table, work, 1)
            for step in (-0.99 * work.gap[b], 0.99 * work.gap[b]):
                above, leave, _ = reference(rules, table, hold_values, b, missing, bust + step)
                assert leave == pytest.approx(work.leave[b], abs=1e-15)
                assert above == pytest.approx(work.above[b] - leave * step, abs=1e-14)
            within += work.gap[b] > 1e-6
    assert within > game.target


SKIPPING = [dl.pig(70), dl.piglet(40), two_holds(40), dl.two_dice_pig(60), dl.double_trouble(60)]


@pytest.mark.parametrize("game", SKIPPING, ids=named)
def test_later_walks_begin_where_they_may(game):
    """Of values near the optimum: every walk equals the reference pass, though bust values fall and sometimes rise."""
    rules = rules_of(game)
    payoffs = payoffs_of(game, "win")
    target = game.target
    random = np.random.default_rng(4)
    hold = 1 - np.pad(solve(game).values[::-1, ::-1], (1, 0))
    table = hold_table(rules, payoffs, hold)
    work = new_workspace(rules, target)
    walked = 0
    every = 0
    back = 0
    table.guess_error[:] = 1e-6
    for total in range(2, 2 * target + 1):
        places = np.arange(max(1, total - target), min(target, total - 1) + 1)
        noise = random.choice([-1e-5, 0, 0.02], len(places), p=[0.49, 0.49, 0.02])
        busts = np.minimum(hold[places, total - places] + noise, 1)
        work.guess[places], work.columns[: len(places)] = (
            _kernels.before_turn(payoffs, busts),
            places,
        )
        before = table.start[places]
        walked += walk_columns(rules, table, work, total, len(places))
        every, back = every + (total - places).sum(), back + (table.start[places] < before).any()
        for b, bust in zip(places, busts, strict=True):
            above, leave, _ = reference(rules, table, lambda b: hold[b], b, total - b, bust)
            assert (work.above[b], work.leave[b]) == pytest.approx((above, leave), abs=2e-15)
    if rules.all_hold:
        assert walked < 0.95 * every
        assert back > 0


def test_a_pair_is_solved_only_if_its_walks_began_where_they_may():
    game = dl.pig(6)
    a = 3
    b = 4
    rules = rules_of(game)
    payoffs = payoffs_of(game, "win")
    values = solve(game).values[::-1, ::-1]
    table = hold_table(rules, payoffs, 1 - np.pad(values, (1, 0)))
    work = new_workspace(rules, 6)
    work.guess[a], work.guess[b], work.columns[:2] = (
        values[a - 1, b - 1],
        values[b - 1, a - 1],
        (a, b),
    )
    walk_columns(rules, table, work, a + b, 2)
    for late_a, late_b, expected in ((0, 0, True), (1e-9, 0, False), (0, 1e-9, False)):
        table.valid_to[b], table.valid_to[a] = (
            1 - values[b - 1, a - 1] - late_a,
            1 - values[a - 1, b - 1] - late_b,
        )
        x, y, residual, solved = newton_step(rules, table, work, a, b)
        assert (x, y) == pytest.approx((values[a - 1, b - 1], values[b - 1, a - 1]), abs=1e-15)
        assert residual <= 1e-15
        assert solved == expected


def test_long_walks():
    """A long walk through a run of holds lets later ones begin behind it, until the bust value is above that walk's."""
    game = dl.piglet(140)
    needs = 133
    other = 125
    rules = rules_of(game)
    payoffs = payoffs_of(game, "win")
    r = np.arange(141.0)
    hold = 0.9 - r / 1300 + 0.25 * (r == 4)  # so that only 5 rolls at a bust value of 0.75
    table = hold_table(rules, payoffs, np.tile(hold, (141, 1)))
    work = new_workspace(rules, 140)
    work.columns[:2], begun = (other, needs), []
    for guess in (0.25, 0.25, 0.05):
        work.guess[:] = guess
        walk_columns(rules, table, work, needs + other, 2)
        for b in (needs, other):
            above, leave, _ = reference(
                rules, table, lambda b: hold, b, needs + other - b, 1 - guess
            )
            assert (work.above[b], work.leave[b]) == pytest.approx((above, leave), abs=1e-15)
        begun.append(table.start[other])
    assert begun == [needs, needs, 1]


PACKAGE = Path(dl.__file__).parent
KINDS = {"compiled", "bare", "inner", "inlined", "shared", "njit"}


def kernels_of(tree):
    """The functions of a module that a decorator compiles, by name."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    named = {
        f.name: {n.id for d in f.decorator_list for n in ast.walk(d) if isinstance(n, ast.Name)}
        for f in functions
    }
    return {function.name: function for function in functions if named[function.name] & KINDS}


def imports_of(path, tree):
    """What a module imports from the package: by the name that it has here, the file and the name that it has there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                inside = folder / f"{alias.name}.py"
                file, name = (
                    (inside, None) if inside.exists() else (folder.with_suffix(".py"), alias.name)
                )
                yield alias.asname or alias.name, file, name


def test_no_kernel_calls_a_kernel_of_another_file():
    """numba's cache looks only at the file of the kernel that is called, ours also at its folder and at `SHARED`."""
    trees = {path: ast.parse(path.read_text()) for path in PACKAGE.rglob("*.py")}
    seen = {PACKAGE / "solvers" / name for name in _compile.SHARED}
    kernels = {path: {} if path in seen else kernels_of(tree) for path, tree in trees.items()}
    assert {"walk_lanes", "solve_needs"} <= set(kernels[PACKAGE / "solvers" / "race.py"])
    for path, tree in trees.items():
        imported = [each for each in imports_of(path, tree) if each[1].parent != path.parent]
        others = {here for here, file, name in imported if name in kernels.get(file, ())}
        modules = {here for here, file, name in imported if name is None and kernels.get(file)}
        for name, function in kernels[path].items():
            used = {node.id for node in ast.walk(function) if isinstance(node, ast.Name)}
            assert not used & (others | modules), (
                f"{path.name}: {name} uses {used & (others | modules)}"
            )


def test_what_was_in_the_memory_does_not_matter(monkeypatch):
    """Decisions with a workspace full of large numbers: a mode in which one must hold is never rolled in."""
    results = dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "stop"))
    stops = dl.Game("One", 6, (dl.Mode("roll", results), dl.Mode("stop", ())))
    for game in (stops, dl.hog(12), dl.pig(30), dl.double_trouble(20)):
        expected = dl.solve(game).policy.table(game)
        with monkeypatch.context() as poisoned:
            poisoned.setattr(
                _kernels,
                "new_turn",
                lambda *sizes: Turn(*(np.full_like(a, 9.9) for a in new_turn(*sizes))),
            )
            assert np.array_equal(dl.solve(game).policy.table(game), expected), game.name
