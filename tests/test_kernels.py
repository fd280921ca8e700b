"""Tiny games through every kernel: quick compiled, and quick without the compiler, ``NUMBA_DISABLE_JIT=1``.

The lines of a kernel can be counted only without the compiler, and mutants (``tests/by_hand/mutants.py``) meet these
tests first.
"""

import threading
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from conftest import from_python
from test_race import solve_pair, table_of, weigh

import dicelab as dl
from dicelab import exact, lanes, match, pairs, race, rolls, solitaire, stretches, textbook, turn
from dicelab.finish import beyond_target
from dicelab.policies import branching

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")  # of NumPy, where a kernel makes no fuss: inf, nan
draw, first_bit = from_python(rolls.draw), from_python(stretches.first_bit)
evaluate, past_target = from_python(pairs.evaluate), from_python(turn.past_target)


def mode(name, *outcomes, may_hold=True):
    """A mode; an outcome is a chance and a result or pairs (points, mode)."""
    read = [(p, r if isinstance(r, str) else [dl.Choice(*choice) for choice in r]) for p, r in outcomes]
    return dl.Mode(name, [dl.Outcome(*outcome) for outcome in read], may_hold)


def greed(target):
    """A good roll offers one point with all dice, or two in a mode in which one must roll on."""
    free = mode("free", ("1/4", "bust"), ("1/2", [(1, "free"), (2, "forced")]), ("1/4", [(3, "free")]))
    return dl.Game("Greed", target, (free, mode("forced", ("1/3", "bust"), ("2/3", [(1, "free")]), may_hold=False)))


def two_holds(target):
    """Two modes with a hold, one of which busts often; of two equal choices the first is taken."""
    cool = mode("cool", ("1/8", "bust"), ("1/2", [(1, "hot"), (1, "hot")]), ("3/8", [(1, "cool")]))
    hot = mode("hot", ("1/2", "bust"), ("1/2", [(2, "cool"), (3, "hot")]))
    return dl.Game("Two holds", target, (cool, hot))


def chosen(target):
    """Past the target there is a choice between modes without a hold: one may reset, the other bust."""
    free = mode("free", ("1/4", "bust"), ("1/2", [(2, "left"), (1, "right")]), ("1/4", [(1, "free")]))
    left = mode("left", ("1/2", "reset"), ("1/2", [(1, "free"), (3, "right")]), may_hold=False)
    right = mode("right", ("1/3", "bust"), ("1/3", [(1, "left"), (1, "right")]), ("1/3", [(2, "free")]), may_hold=False)
    return dl.Game("Chosen", target, (free, left, right))


WIDE = dl.generalized_pig(["1/10", *["1/10"] * 7, 0, "1/5"], 11)  # eight faces that score: more than five
TIES = dl.generalized_pig(["2/3", "1/3"], 6)
ONE_MODE = [dl.pig(6), dl.piglet(4), TIES, WIDE, dl.pig(6, finish="exact")]
GAMES = [*ONE_MODE, greed(5), two_holds(7), dl.two_dice_pig(7), dl.double_trouble(6), dl.ten_thousand(4)]
GAMES += [dl.double_trouble(5, finish="exact"), dl.two_dice_pig(5, finish="exact"), chosen(3)]
PLAYED = [game for game in GAMES if game.name != "Chosen"]
ITERATED = [game for game in GAMES if not (game.finish == "exact" and game.resets)]  # the textbook's way takes long
solve = cache(dl.solve)


def named(game):
    return f"{game.name}-{game.finish}" if isinstance(game, dl.Game) else str(game)


def mask(solution):
    """All decisions, [own, opponent, mode, turn total]."""
    return np.stack([solution.policy.roll_mask(mode.name) for mode in solution.game.modes], axis=2)


@pytest.mark.parametrize("game", ITERATED, ids=named)
def test_races(game):
    solution = solve(game)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(values - solution.values).max() <= 1e-12
    if game not in (TIES,):
        assert np.array_equal(mask(solution), rolls)
    assert solution.residual <= 4e-15


@pytest.mark.parametrize("game", GAMES, ids=named)
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
def test_fractions(game, objective):
    near, proven = solve(game, objective), solve(game, objective, exact=True)
    assert (proven.exact, proven.residual, proven.error, proven.overshoot) == (True, 0, 0, False)
    assert {type(value) for value in proven.values.flat} <= {Fraction, float}
    np.testing.assert_allclose(proven.values.astype(float), near.values, rtol=1e-13, atol=1e-13)
    scores = [(own, other) for own in range(game.target) for other in range(game.target)]
    tied = {(own, *other, total, name) for own, *other, total, name in proven.ties}
    for own, other in scores if objective != "turns" else [(own, 0) for own in range(game.target)]:
        ours, theirs = (s.policy.decisions(game, own, other) for s in (proven, near))
        for m, total in np.argwhere(ours != theirs).tolist():
            assert ((own, other) if objective != "turns" else (own,)) + (total, game.modes[m].name) in tied
    for tie in proven.ties:
        assert not proven.policy.rolls(tie[0], tie[1] if objective != "turns" else 0, *tie[-2:])


@pytest.mark.parametrize("game", [game for game in GAMES if len(branching(game))], ids=named)
def test_choices(game):
    for own in range(game.target):
        ours, theirs = (solve(game, exact=exact).policy.takes(game, own) for exact in (True, False))
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
        assert solution.value == pytest.approx(next(iter(textbook.iterate_policies(process)[0].values())), rel=1e-12)
    needed = solitaire.turns_needed(game, solution.policy)
    assert np.allclose(needed, solution.values, rtol=1e-12, atol=0)
    for n in range(1, 5):
        assert (solitaire.turns_needed(game, dl.hold_at(n)) >= solution.values * (1 - 1e-12)).all()


def test_who_can_never_arrive():
    """Double Trouble to exactly 4, where no score of less than 5 points is ever reached; and where a reset leads there.

    Of threes alone, one more at 1 arrives with probability 2/3, else all is lost, and then for ever.
    """
    threes = dl.Game("Threes", 4, [mode("m", ("1/4", "bust"), ("1/4", "reset"), ("1/2", [(3, "m")]))], "exact")
    for game in (dl.double_trouble(4, finish="exact"), threes):
        for proven in (False, True):
            assert np.isinf(dl.solve(game, "turns", exact=proven).values.astype(float)).all()
        assert np.isinf(solitaire.turns_needed(game, dl.hold_at(1))).all()
        certificate = dl.certify(dl.solve(game, "turns"))
        assert certificate.optimal
        assert np.isinf(certificate.lower).all()
        policies = dl.hold_at(1), dl.hold_at(4)
        found = dl.evaluate(game, *policies)
        assert (found.first_wins, found.margin, found.turns_mean) == (0.5, 0, np.inf)
        assert np.isnan(found.turns_sd)
        assert found.turns_distribution().attrs == {"left": 0, "endless": 1}
        assert dl.best_response(game, policies[0]).value == pytest.approx(0.5, abs=1e-13)
    assert dl.solve(threes).values[1, 0] == pytest.approx(1 / 2 + 1 / 3, abs=1e-13)  # a draw, if all is lost


@pytest.mark.parametrize("game", [*PLAYED, chosen(3)], ids=named)
def test_scores(game):
    near, proven = solve(game, "score"), solve(game, "score", exact=True)
    assert near.values.shape == proven.values.shape == (solitaire.threshold(game) + 1, len(game.modes))
    assert np.abs(near.values - proven.values.astype(float)).max() <= 1e-13 * len(near.values)
    tied = set(proven.ties)
    for own, m in np.ndindex(game.target, len(game.modes)):
        for total in range(game.target - own):
            rolls = [s.policy.decisions(game, own, 0)[m, total] for s in (near, proven)]
            assert rolls[0] == rolls[1]
            if (total, game.modes[m].name) in tied:
                assert not rolls[1]
    assert np.array_equal(near.policy.takes(game, 0), proven.policy.takes(game, 0))
    assert certified(near)


def certified(solution):
    """Whether a certificate proves all of a solution."""
    return dl.certify(solution).optimal


@pytest.mark.parametrize("game", [dl.pig(4), TIES, greed(3), dl.two_dice_pig(5), dl.double_trouble(4)], ids=named)
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
def test_certificates(game, objective):
    assert certified(solve(game, objective))


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
            assert found.turns_sd == pytest.approx((turns * (turns.index - mean) ** 2).sum() ** 0.5, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("game", PLAYED, ids=named)
def test_best_responses(game):
    solution, rule = solve(game), dl.hold_at(3)
    against = dl.best_response(game, solution.policy)
    assert np.abs(against.values - solution.values).max() <= 1e-13
    assert against.residual <= 1e-14
    response = dl.best_response(game, rule)
    assert (response.against, response.objective, response.exact) == (rule, "win", False)
    assert dl.evaluate(game, response.policy, rule).first_wins == pytest.approx(response.value, abs=1e-13)
    for other in (solution.policy, *map(dl.hold_at, range(1, 6))):
        assert dl.evaluate(game, other, rule).first_wins <= response.value + 1e-13
    assert match.loss(solution, rule) >= -1e-15


@pytest.mark.parametrize(
    "game", [*PLAYED, dl.generalized_pig(["1000003/7000000", "3/7", "2999997/7000000"], 4)], ids=named
)
def test_simulation(game):
    for first, second in ((dl.scoring_turns(2), solve(game).policy), (dl.hold_at(4), dl.hold_at(2))):
        found, estimate = dl.evaluate(game, first, second), dl.simulate(game, first, second, games=400, n_jobs=1)
        assert abs(estimate.first_wins - found.first_wins) <= 4 * estimate.first_wins_se
        if np.isfinite(found.turns_mean):
            assert abs(estimate.turns_mean - found.turns_mean) <= 4 * estimate.turns_mean_se + 1e-12


@pytest.mark.parametrize("method", ["q", "sarsa", "mc"])
def test_learners(method):
    """A coin to 1: the first head wins. Whatever is learned, nothing is decided."""
    learned = textbook.learn(dl.piglet(1), method, games=400, seed=1, decay=1.0)
    assert learned.values()[0, 0] == pytest.approx(2 / 3, abs=0.1)


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
            else max(by_hand(game, hold, bust, reset, finish, over, r - c.points, c.mode)[0] for c in o.choices)
        )
        for o in at.outcomes
    )
    return (max(rolled, hold[r]) if at.may_hold and r < len(hold) else rolled), rolled


WALKS = [dl.pig(6), dl.generalized_pig(["1/10", *["1/10"] * 7, 0, "1/5"], 6), two_holds(6), dl.two_dice_pig(6)]


@pytest.mark.parametrize("game", WALKS, ids=named)
def test_a_turn(game):
    """The walk, totals that are known to hold skipped or not; the chance to leave is 1 less a difference quotient."""
    rules, target = turn.rules_of(game), game.target
    hold = [Fraction(9, 10) - Fraction(r * r, 60) for r in range(target)]
    near, arrays = np.array([*map(float, hold), 0.0]), pairs.scratch(rules, target)
    for bust in (Fraction(k, 20) for k in range(1, 16, 2)):
        more = {"reset": Fraction(1, 9), "finish": Fraction(1), "over": Fraction(1, 50)}
        begin = target
        for r in range(1, target + 1):
            expected = [by_hand(game, hold[:target], b, *more.values(), r, m.name) for b in (bust,) for m in game.modes]
            if r < target and any(rolled > hold[r] for _, rolled in expected):
                begin = min(begin, r)
        ahead, behind = (
            by_hand(game, hold, bust + step, *more.values(), target, game.modes[0].name)[1]
            for step in (Fraction(1, 10**9), 0)
        )
        for first in (1, begin):
            for array in arrays:
                array[:] = np.nan
            above, leave = turn.walk(rules, near, float(bust), *map(float, more.values()), target, first, *arrays)
            assert above == pytest.approx(float(behind - bust), abs=1e-15)
            assert leave == pytest.approx(float(1 - (ahead - behind) * 10**9), abs=1e-12)
            width = game.most_points
            for m, r in np.ndindex(len(game.modes), target + 1):
                if r >= first and (r < target or m == 0):
                    value, rolled = by_hand(game, hold, bust, *more.values(), r, game.modes[m].name)
                    value = rolled if r == target else value
                    assert arrays[0][m, width - 1 + r] == pytest.approx(float(value - bust), abs=1e-15)
                    assert arrays[2][m, width - 1 + r] == pytest.approx(float(rolled - bust), abs=1e-15)
                elif r > first - width and r < first:
                    known = float((hold[r] if r > 0 else 1) - bust)
                    assert arrays[0][m, width - 1 + r] == arrays[2][m, width - 1 + r] == pytest.approx(known)
                    assert arrays[1][m, width - 1 + r] == 1


def test_past_the_target():
    """The best of the ways to choose, by what is at stake; its slope is the chance to bust."""
    game = chosen(3)
    rules, (*ways,) = turn.rules_of(game), beyond_target(game)
    assert len(ways) > 1
    for reset, bust in ((0.1, 0.7), (0.7, 0.1), (0.3, 0.3)):
        for m, r in np.ndindex(len(game.modes), game.most_points):
            ends_of = [[float(chance) for chance in way[m][game.most_points - 1 - r]] for way in ways]
            worths = [f * 1.5 + z * reset + (1 - f - z) * bust + over * 0.25 for f, z, over in ends_of]
            above, leave = past_target(rules, m, -r, bust, reset, 1.5, 0.25)
            assert above == pytest.approx(max(worths) - bust, abs=1e-15)
            f, z, _ = ends_of[worths.index(max(worths))]
            assert leave == pytest.approx(f + z, abs=1e-15)


def test_rules_as_arrays():
    rules = turn.rules_of(dl.double_trouble(4))
    assert (rules.all_hold, rules.skips) == (False, True)
    assert rules.falls[1] == pytest.approx([10 / 31] * 16, abs=1e-15)  # x = 10/36 + 5/36·x, once in the mode of doubles
    assert rules.falls[0] == pytest.approx([0] * 12 + [10 / 31] * 4, abs=1e-15)  # 10/36 + 5/36·10/31
    assert turn.rules_of(dl.piglet(2)).falls.tolist() == [[0.5] * 3]
    for game, skips in ((greed(4), False), (two_holds(4), True), (dl.pig(4, finish="exact"), False)):
        assert turn.rules_of(game).skips == skips
    assert turn.rules_of(dl.piglet(2)).dyadic.tolist() == [True]
    assert turn.rules_of(two_holds(4)).dyadic.tolist() == [False, True]
    assert [turn.dyadic(Fraction(p)) for p in ("1", "1/2", "1/8", "3/8", "1/3", "1/6")] == [True] * 3 + [False] * 3
    wide = turn.rules_of(WIDE)
    assert wide.sixes.tolist() == [0, 2]
    assert wide.weight.tolist() == [[0.1] * 6, [0.1, 0, 0.2, 0, 0, 0]]
    assert wide.onward.tolist() == [[0, 1], [0, 7]]
    assert turn.rules_of(two_holds(4)).branch.tolist() == [-1, 0, 1]


def test_kernels_are_compiled_anew_when_a_file_with_kernels_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(turn, "__file__", str(tmp_path / "turn.py"))
    for name, text in (("a", "@bare\n"), ("b", "@compiled\n1\n"), ("plain", "2\n")):
        (tmp_path / f"{name}.py").write_text(text)
    digest = turn._sources()
    (tmp_path / "plain.py").write_text("3\n")
    assert turn._sources() == digest
    (tmp_path / "b.py").write_text("@compiled\n2\n")
    assert turn._sources() != digest


def test_what_solutions_say():
    """A coin to 1: x = 1 - y/2 both ways; one evaluation a player, of one total."""
    for objective, unit in (("win", 1), ("margin", 2)):
        one = dl.solve(dl.generalized_pig(["1/2", 0, "1/2"], unit), objective)
        assert one.error == pytest.approx(unit * 4e-16 * (2 * unit) ** 0.5 + one.residual, rel=1e-12, abs=0)
        assert one.residual <= 1e-16
    one = dl.solve(dl.piglet(1))
    assert (one.evaluations, one.walked) == (2, 2)
    assert dl.solve(dl.piglet(1), "turns").error == pytest.approx(4e-16 * 2, rel=1e-12, abs=0)
    six = dl.solve(dl.pig(6))
    assert 2 * 21 <= six.evaluations < six.walked <= six.evaluations * 6
    resets = dl.Game("Resets", 2, [mode("m", ("3/16", "bust"), ("9/16", "reset"), ("1/4", [(1, "m")]))])
    assert dl.solve(resets, "turns").value == pytest.approx(16, abs=1e-13)  # T = 1 + (1 + 1/4)(3/16 + 9/16)·T
    assert dl.solve(dl.pig(6), "score").error == pytest.approx(40 * 1e-16 * 20, abs=0)
    assert dl.solve(dl.pig(6), "score", exact=True).error == 0


def test_most_of_a_turn_is_not_walked():
    """With 20 points missing and a coin, a walk begins some three totals from where the turn does."""
    coin = dl.solve(dl.piglet(20))
    assert coin.evaluations < coin.walked <= 4 * coin.evaluations


@pytest.mark.parametrize("tile", [1, 2, 3, 5])
@pytest.mark.parametrize("game", [dl.pig(11), dl.two_dice_pig(11)], ids=named)
def test_tiles(game, tile, monkeypatch):
    """The order in which pairs are solved changes no more than what one Newton step begins with."""
    monkeypatch.setattr(race, "TILE", tile)
    assert np.abs(dl.solve(game).values - solve(game).values).max() <= 4e-15


def test_tiles_are_solved_in_threads(monkeypatch):
    """To 4, in tiles of a pair: 1 + 4 and 2 + 2 wait for 1 + 3, and not for each other."""
    begun, found = [], race.solve_tile

    def spy(rules, table, gain, stakes, own, other, totals, *more):
        begun.append((totals[0], threading.current_thread() is threading.main_thread()))
        return found(rules, table, gain, stakes, own, other, totals, *more)

    monkeypatch.setattr(race, "solve_tile", spy)
    monkeypatch.setattr(race, "TILE", 1)
    dl.solve(dl.pig(4))
    assert [total for total, _ in begun][:3] == [2, 3, 4]
    assert sorted(total for total, _ in begun) == [2, 3, 4, 4, 5, 5, 6, 6, 7, 8]
    assert not any(alone for _, alone in begun)
    begun.clear()
    monkeypatch.setattr(race, "TILE", 2)
    dl.solve(dl.pig(4))
    assert all(alone for _, alone in begun)  # there is nothing to solve at once


def test_what_fails_in_a_thread_is_raised(monkeypatch):
    """And nobody waits for what has failed."""

    def fails(rules, table, gain, stakes, own, other, totals, *more):
        raise ZeroDivisionError(f"at {totals}")

    monkeypatch.setattr(race, "solve_tile", fails)
    monkeypatch.setattr(race, "TILE", 1)
    with pytest.raises(ZeroDivisionError, match=r"at \(2, 2\)"):
        dl.solve(dl.pig(8))


@pytest.mark.parametrize(("solved", "limit"), [("win", race), ("margin", race), ("turns", solitaire)])
def test_who_cannot_vouch_raises(solved, limit, monkeypatch):
    monkeypatch.setattr(limit, "RESIDUAL_LIMIT", -1.0)
    with pytest.raises(race.ConvergenceError, match="Two-dice Pig: the Bellman equation holds only to"):
        dl.solve(dl.two_dice_pig(3), solved)


def test_matches_and_responses_that_are_off_raise(monkeypatch):
    game = dl.two_dice_pig(3)
    monkeypatch.setattr(match, "ACCURACY", 1e-16)
    with pytest.raises(race.ConvergenceError, match="Two-dice Pig: float64 may be off by"):
        dl.evaluate(game, dl.hold_at(2), dl.hold_at(2))
    with pytest.raises(race.ConvergenceError, match="Two-dice Pig: float64 may be off by"):
        dl.best_response(game, dl.hold_at(2))
    monkeypatch.setattr(match, "RESIDUAL_LIMIT", -1.0)
    with pytest.raises(race.ConvergenceError, match="Pig: the Bellman equation holds only to"):
        dl.best_response(dl.pig(3), dl.hold_at(2))


def test_elimination_loses_no_digits():
    """Two states that lead to each other but for a chance of 1e-14 and 1e-13: in Fractions, and in float64."""
    onward, over = np.array([[0.0, 1 - 1e-14], [1 - 1e-13, 0.0]]), np.array([1e-14, 1e-13])
    constant = np.array([0.0, 1e-13])
    p, q = Fraction(1, 10**14), Fraction(1, 10**13)
    second = q / (1 - (1 - p) * (1 - q))
    expected = [float((1 - p) * second), float(second)]
    assert match.eliminate(onward, over, constant).tolist() == pytest.approx(expected, rel=1e-15)


def test_resets_that_are_not_settled_raise(monkeypatch):
    game = dl.two_dice_pig(4)
    expected = dl.best_response(game, dl.hold_at(2)).value
    for room in (race, match):
        monkeypatch.setattr(room, "settle", lambda change, start, game: start)
    with pytest.raises(race.ConvergenceError, match="the Bellman equation holds only to"):
        dl.solve(game)
    assert dl.best_response(game, dl.hold_at(2)).value == pytest.approx(expected, abs=1e-14)  # by policy iteration


@pytest.mark.parametrize("room", [race, match])
@pytest.mark.parametrize("game", [dl.two_dice_pig(4), dl.double_trouble(4)], ids=named)
def test_resets_are_settled_from_nearby(room, game, monkeypatch):
    """What one sweep makes of a draw is nearer to what resets are worth."""
    changes = []

    def near(change, start, game):
        changes.extend(np.abs(change(z)).max() for z in (start, np.full(start.size, 0.5)))
        return settle(change, start, game)

    settle = room.settle
    monkeypatch.setattr(room, "settle", near)
    dl.solve(game) if room is race else dl.best_response(game, dl.hold_at(2))
    assert changes[0] <= changes[1] / 10


@pytest.mark.parametrize("objective", ["win", "margin"])
def test_fractions_begin_at_float64(objective, monkeypatch):
    """Its decisions are the best: one round solves with them, and another finds nothing to change."""
    monkeypatch.setattr(exact, "MAX_ROUNDS", 2)
    assert dl.solve(dl.two_dice_pig(7), objective, exact=True).exact


def test_settling():
    """z = M·z + b, in a few steps, and no more once it is settled."""
    mixing, given, seen = np.array([[0.2, 0.5], [0.1, 0.6]]), np.array([1.0, -2.0]), []

    def change(z):
        seen.append(np.abs(mixing @ z + given - z).max())
        return mixing @ z + given - z

    race.settle(change, np.zeros(2), dl.pig(3))
    assert seen[-1] <= race.SETTLED < min(seen[:-1])
    assert len(seen) <= 12


def test_matches_by_hand():
    """A coin to 1: 2/3 for the first, and he wins the one point of the other: x = 1/2 - x/2."""
    once = dl.evaluate(dl.piglet(1), dl.hold_at(1), dl.hold_at(1))
    assert (once.first_wins, once.margin, once.turns_mean) == pytest.approx((2 / 3, 1 / 3, 2), abs=1e-15)
    assert once.turns_sd == pytest.approx(2**0.5, abs=1e-15)
    turns = once.turns_distribution()
    assert turns.tolist() == [2.0**-k for k in range(1, 51)]
    assert turns.attrs == {"left": 2.0**-50, "endless": 0}
    die = dl.generalized_pig([0, 0, 1], 8)  # always two points
    found = dl.evaluate(die, dl.scoring_turns(2), dl.scoring_turns(4))
    assert (found.first_wins, found.turns_mean, found.turns_sd, found.margin) == (1, 3, 0, 6)
    assert solitaire.turns_needed(die, dl.scoring_turns(2)).tolist()[:1] == [2]
    assert solitaire.turns_needed(die, dl.scoring_turns(4)).tolist()[::2] == [4, 3, 2, 1]


@pytest.mark.parametrize(("objective", "unit"), [("win", "first_wins"), ("margin", "margin")])
def test_what_a_rule_loses_in_matches(objective, unit):
    game, rule, solution = dl.pig(6), dl.hold_at(2), solve(dl.pig(6), objective)
    first, second = (dl.evaluate(game, *pair) for pair in ((solution.policy, rule), (rule, solution.policy)))
    lost = (getattr(first, unit) - getattr(second, unit)) / 2
    assert match.loss(solution, rule) == pytest.approx(lost, abs=1e-15)
    assert lost > 0
    assert match.loss(solution, solution.policy) == pytest.approx(0, abs=1e-15)


@pytest.mark.parametrize(("begins", "most", "raises"), [(10, 50, False), (10, 49, True), (50, 9, False), (49, 9, True)])
def test_a_list_of_turns_that_gets_too_long(begins, most, raises, monkeypatch):
    """A coin to 1 is decided, but for 1e-15, after 50 turns."""
    monkeypatch.setattr(match, "SETTLING", begins)
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
    one = dl.evaluate(dl.generalized_pig(["99999/100000", "1/100000"], 1), dl.hold_at(1), dl.hold_at(1))
    with pytest.raises(ValueError, match="too long"):
        one.turns_distribution()
    assert len(walked) == 1_000


def test_turns_that_hardly_ever_or_nearly_always_bust():
    """1 + 1e-14 turns; and where the second roll of a turn always busts, which pays if turns are worth little."""
    coin = dl.generalized_pig(["1e-14", "0.99999999999999"], 1)
    assert dl.solve(coin, "turns").value == pytest.approx(1 + 1e-14, rel=0, abs=1e-15)
    twice = dl.Game("Twice", 2, [mode("m", ("1/2", "bust"), ("1/2", [(1, "lost")])), mode("lost", ("1", "bust"))])
    assert dl.solve(twice, "turns").values.tolist() == [4, 2]


def test_an_advantage_that_is_no_more_than_a_tie():
    """With one point of two in hand and 1/2 for it: a coin's bust is worth what makes 1/2 + `advantage` of a roll."""
    coin = dl.piglet(2)
    for advantage, rolled in ((0, False), (race.TIE, False), (2 * race.TIE, True)):
        after = np.full((2, 2), 0.5)
        after[:, 0] = 2 * (0.5 + advantage) - 1
        rolls, takes = np.zeros((1, 1, 2), dtype=bool), np.zeros((1, 0, 2), dtype=np.uint8)
        race.decide(coin, race.stakes_of(coin, "win"), after, None, np.zeros((1, 2), dtype=int), rolls, takes)
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
    assert [first_bit(np.uint64(word)) for word in words] == [f"{word:b}"[::-1].index("1") for word in words]


def test_thresholds():
    """Where 20/6 points are gained for a sixth of the total, 1/2 for a half, 46/10 for a tenth: 20, 1, 46."""
    assert [solitaire.threshold(game) for game in (dl.pig(3), dl.piglet(3), WIDE)] == [20, 1, 46]
    for game, least in ((dl.pig(3), 20), (dl.piglet(3), 1), (WIDE, 46)):
        assert solve(game, "score", exact=True).ties == ((least, game.modes[0].name),)
    for game in (*PLAYED, chosen(3)):
        least = solitaire.threshold(game)
        values, *_ = solitaire._score_in_fractions(solitaire.one_turn(game, least + 9))
        known = solve(game, "score", exact=True).values
        modes = [game.mode(name) for name in game.reached()]
        assert (values[: least + 1, modes] == known[:, modes]).all(), "a later one changes nothing"
        if least > 1:
            values, *_ = solitaire._score_in_fractions(solitaire.one_turn(game, least - 1))
            assert (values[:, modes] != known[:least, modes]).any(), "and an earlier one would"


def test_the_first_of_equal_choices_is_taken():
    game = two_holds(7)
    for objective in ("win", "margin", "turns", "score"):
        takes = solve(game, objective).policy.takes(game, 0)
        assert not takes[:, 0].any()


def test_draws_in_a_game_with_resets():
    """To exactly 3, by twos, and by ones after a two in the same turn: whoever banks the two is stuck."""
    first = mode("first", ("1/2", "bust"), ("1/2", [(2, "second")]))
    game = dl.Game("Stuck", 3, [first, mode("second", ("1/2", "reset"), ("1/2", [(1, "second")]))], "exact")
    solution = solve(game)
    assert solution.values[2, 2] == 0.5
    banks, rolls = dl.hold_at(2), dl.hold_at(3)
    both, one = dl.evaluate(game, banks, banks), dl.evaluate(game, banks, rolls)
    assert (both.first_wins, both.margin, both.turns_mean) == (0.5, 0, np.inf)
    assert both.turns_distribution().attrs["endless"] == pytest.approx(1, abs=1e-14)
    assert one.first_wins == pytest.approx(0, abs=1e-15)  # the other arrives, sooner or later
    assert one.margin == pytest.approx(-7 / 5, abs=1e-14)  # still at 0: u = (1/4 + u·3/4)/2 = 1/5
    assert dl.evaluate(game, rolls, rolls).first_wins == pytest.approx(4 / 7, abs=1e-15)  # a turn arrives in 1 of 4
    assert dl.best_response(game, banks).value == pytest.approx(1, abs=1e-13)


@pytest.mark.parametrize("game", [dl.pig(4), dl.two_dice_pig(4), dl.double_trouble(4), chosen(3)], ids=named)
@pytest.mark.parametrize("objective", ["win", "margin"])
def test_pairs_one_by_one(game, objective):
    """Each pair by itself, begun anew from the middle, comes to what the lanes found."""
    rules, stakes, target = turn.rules_of(game), race.stakes_of(game, objective), game.target
    values = solve(game, objective).values[::-1, ::-1] / (1 if objective == "win" else target)
    table, _ = table_of(rules, stakes, np.pad(stakes.both - values, (1, 0)))
    for a, b in np.ndindex(target, target):
        arrays = np.empty((2, target + 1)), *pairs.scratch(rules, target)
        x, y, residual, p, q, turns, _ = solve_pair(rules, table, stakes, a + 1, b + 1, 0.4, *arrays)
        assert (x, y) == pytest.approx((values[a, b], values[b, a]), abs=4e-15)
        assert residual <= pairs.CLOSE
        assert 0 < p <= 1
        assert 0 < q <= 1
        assert turns % 2 == 0


def test_long_walks():
    """A walk through a run of holds lets later ones begin behind it; if a bust is worth more then, they go back."""
    game, needs, other = dl.piglet(140), 133, 125
    rules, stakes, r = turn.rules_of(game), race.stakes_of(game, "win"), np.arange(141.0)
    hold = 0.9 - r / 1300 + 0.25 * (r == 4)  # so that 5 is tempted, if a bust is worth 0.75, and no other
    (table, gain), many = table_of(rules, stakes, np.tile(hold, (141, 1))), lanes.new_lanes(rules, 140)
    arrays, one = pairs.scratch(rules, 140), pairs.new_diagonal(1)
    one.needs[:] = needs
    weigh(rules, table, gain, needs + other, other, needs + 1)
    begun = []
    for guess in (0.25, 0.25, 0.05):
        one.guess[:] = guess
        evaluate(rules, table, gain, stakes, needs + other, one, 1, many)
        for side, own in enumerate((needs, other)):
            found = turn.walk(rules, hold, 1 - guess, 0.0, 1.0, 0.0, own, 1, *arrays)
            assert (one.above[side, 0], one.leave[side, 0]) == pytest.approx(found, abs=1e-15)
        begun.append(table.first[other, 0])
    assert begun == [needs, needs, 1]
