"""Two-player races: the fast solver against textbook ones, fractions, and properties that must hold."""

import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from calling_kernels import from_python, hold_table, store_pair
from conftest import decision_mask, dice, mode_games
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from benchmarks.numpy_race import pig_values
from collection import textbook
from dicelab import _accuracy
from dicelab.games.model import Choice, Mode, Outcome
from dicelab.solvers import _kernels, two_player
from dicelab.solvers._kernels import new_table, new_turn, payoffs_of, rules_of
from dicelab.solvers.two_player import sweep_pairs, wavefront_tiles

BOTH = ("reach", "exact")
solve_pair = from_python(_kernels.solve_pair)
CATALOGUE = [dl.pig(12), dl.piglet(10), dl.generalized_pig(["1/4", 0, 0, "3/4"], 9)]


def agree(game):
    """Fast, textbook and exact solutions of `game` agree, every decision included."""
    fast, exact = dl.solve(game), dl.solve(game, exact=True)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(fast.values - exact.values.astype(float)).max() <= 1e-13
    assert np.abs(values - fast.values).max() <= 1e-12
    ties = np.zeros(rolls.shape, dtype=bool)
    for own, opponent, total, mode in exact.ties:
        ties[own, opponent, game.mode(mode), total] = True
    assert not decision_mask(exact)[ties].any(), "ties hold"
    assert np.array_equal(decision_mask(exact), decision_mask(fast))
    assert np.array_equal(rolls, decision_mask(fast))
    assert fast.residual <= 1e-15
    assert exact.residual == 0


@pytest.mark.parametrize("game", CATALOGUE, ids=lambda game: game.name)
def test_catalogue(game):
    agree(game)
    assert (textbook.backward_induction(game) == dl.solve(game, exact=True).values).all()


@pytest.mark.slow
@settings(max_examples=200)
@given(dice(finishes=BOTH))
def test_random_dice(game):
    agree(game)


@settings(max_examples=60)
@given(mode_games(finishes=BOTH))
def test_random_games_with_modes_choices_and_forced_rolls(game):
    agree(game)


@settings(max_examples=25)
@given(dice(most_target=6))
def test_polygons_solve_random_dice_exactly(game):
    assert (textbook.backward_induction(game) == dl.solve(game, exact=True).values).all()


@settings(max_examples=10)
@given(mode_games(most_target=5))
def test_polygons_solve_random_games_exactly(game):
    assert (textbook.backward_induction(game) == dl.solve(game, exact=True).values).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    "game", [dl.two_dice_pig(15), dl.double_trouble(12)], ids=lambda game: game.name
)
def test_games_with_resets(game):
    agree_without_fractions(game)


@settings(max_examples=40)
@given(mode_games(most_target=5, resets=True, finishes=BOTH))
def test_random_games_with_resets(game):
    agree_without_fractions(game)


def agree_without_fractions(game):
    """Fast and textbook solutions of a game with resets agree, every decision included."""
    fast = dl.solve(game)
    values, rolls = textbook.value_iteration(game)
    assert np.abs(values - fast.values).max() <= 1e-12
    assert np.array_equal(rolls, decision_mask(fast))
    assert fast.residual <= 1e-14


def test_resets_by_hand():
    """To 4 points any score of two dice wins: 25 of 36 rolls do, the others, a reset too, pass the die at 0 to 0."""
    # x = 25/36 + (1 - x)·11/36.
    assert dl.solve(dl.two_dice_pig(4)).value == pytest.approx(36 / 47, abs=1e-15)
    # Double Trouble: of the 25, the 5 doubles must be rolled again: q = (20 + 5q)/36 = 20/31, the paper's 1/31 argument
    # x = q + (1 - q)(1 - x)
    assert dl.solve(dl.double_trouble(4)).value == pytest.approx(1 / (2 - 20 / 31), abs=1e-15)


def test_known_values():
    assert dl.solve(dl.pig(10), exact=True).value == Fraction(7776, 10961)
    assert dl.solve(dl.piglet(3), exact=True).values.tolist() == [
        [Fraction(6, 11), Fraction(4, 11), Fraction(2, 9)],
        [Fraction(8, 11), Fraction(4, 7), Fraction(2, 5)],
        [Fraction(8, 9), Fraction(4, 5), Fraction(2, 3)],
    ]
    assert round(dl.solve(dl.pig(100)).value, 6) == 0.530593  # Neller and Presser 2004: 0.5306


def test_a_solver_that_shares_no_code_agrees_at_full_size():
    solution = dl.solve(dl.pig(100))
    assert np.abs(pig_values(100)[:0:-1, :0:-1] - solution.values).max() <= 1e-14


@settings(max_examples=60)
@given(dice(most_target=40))
def test_properties(game):
    values = dl.solve(game).values
    assert ((values > 0) & (values <= 1)).all()
    assert (np.diff(values, axis=0) >= -1e-14).all(), "V rises with the own score"
    assert (np.diff(values, axis=1) <= 1e-14).all(), "V falls with the opponent's score"
    assert (values + values.T >= 1 - 1e-14).all(), "the move is never a burden"
    smaller = dl.solve(dl.Game(game.name, max(1, game.target - 3), game.modes)).values
    assert np.array_equal(values[-len(smaller) :, -len(smaller) :], smaller), (
        "only the points still needed count"
    )


@pytest.mark.parametrize("target", [64, 100, 130])
def test_a_larger_target_changes_no_bit(target):
    larger = dl.solve(dl.pig(150)).values[-target:, -target:]
    assert np.array_equal(larger, dl.solve(dl.pig(target)).values)


def test_modes_without_a_hold_are_skipped_too():
    solution = dl.solve(dl.double_trouble())
    assert solution.walked < 0.6 * solution.evaluations * 100 / 2


def test_a_die_that_never_busts_wins_at_once():
    solution = dl.solve(dl.generalized_pig([0, "1/2", "1/2"], 20))
    assert (solution.values == 1).all()
    assert solution.policy.rolls(0, 0, 19) and not solution.policy.rolls(0, 0, 20)


def test_target_one():
    solution = dl.solve(dl.piglet(1), exact=True)
    assert solution.value == Fraction(2, 3)  # x = 1/2 + (1 - x)/2
    assert solution.policy.roll_mask().tolist() == [[[True]]]


def test_a_die_that_nearly_always_busts():
    game = dl.generalized_pig(["999/1000", "1/1000"], 6)
    fast, exact = dl.solve(game), dl.solve(game, exact=True)
    assert np.abs(fast.values - exact.values.astype(float)).max() <= 1e-12


def two_modes(start):
    """A cool mode, in which a roll is nearly safe, leads to a hot one and back; one may hold in both."""
    cool = dl.Mode("cool", [dl.Outcome("1/20", "bust"), dl.Outcome("19/20", dl.Choice(1, "hot"))])
    hot = dl.Mode(
        "hot",
        [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [dl.Choice(2, "cool"), dl.Choice(3, "hot")])],
    )
    return dl.Game(f"{start} first", 80, (cool, hot) if start == "cool" else (hot, cool))


SKIPPING = [dl.pig(120), dl.piglet(60), dl.generalized_pig(["1/4", "1/4", *["1/20"] * 10], 90)]


@pytest.mark.parametrize("game", SKIPPING, ids=lambda game: game.name)
def test_most_of_a_long_turn_is_not_walked(game):
    solution = dl.solve(game)
    assert solution.walked < 0.8 * solution.evaluations * game.target / 2


@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
@pytest.mark.parametrize(
    "game",
    [
        *SKIPPING,
        dl.two_dice_pig(60),
        dl.generalized_pig([0, "1/3", "2/3"], 30),
        dl.pig(1),
        two_modes("hot"),
    ],
    ids=lambda game: game.name,
)
def test_decisions_are_those_of_walks_over_all_totals(game, objective, monkeypatch):
    policy = dl.solve(game, objective, overshoot=objective == "margin").policy
    few = [policy.decisions_at(game, own) for own in range(0, game.target, 4)]
    monkeypatch.setattr(_kernels, "rules_of", lambda game: rules_of(game)._replace(skips=False))
    assert np.array_equal(few, [policy.decisions_at(game, own) for own in range(0, game.target, 4)])


def one_by_one(rules, payoffs, at_start):
    """All pairs by `solve_pair` alone, which knows no batches and begins every walk anew: hold values by needs."""
    target = len(at_start)
    table = new_table(rules, payoffs, at_start)
    work = (np.empty((2, target + 1)), new_turn(rules, target))
    hold = np.zeros((target + 1,) * 2)
    for total in range(2, 2 * target + 1):
        for a in range(max(1, total - target), total // 2 + 1):
            b = total - a
            x = 0.5 * payoffs.constant_sum
            y = 0.5 * payoffs.constant_sum
            if not (rules.cannot_finish[a] and rules.cannot_finish[b]):
                x, y, residual, *_ = solve_pair(rules, table, a, b, x, *work)
                assert residual <= _accuracy.CLOSE
            store_pair(rules, table, a, b, x, y)
            hold[a, b], hold[b, a] = payoffs.constant_sum - x, payoffs.constant_sum - y
    return hold


IN_BATCHES = [
    (dl.pig(90), "win"),
    (dl.pig(60), "margin"),
    (dl.pig(40, finish="exact"), "win"),
    (dl.piglet(70), "win"),
    (dl.two_dice_pig(60), "win"),
    (dl.double_trouble(50), "margin"),
    (dl.double_trouble(80), "win"),
    (dl.ten_thousand(40), "win"),
    (dl.farkle(25), "win"),
    (two_modes("hot"), "win"),
]


@pytest.mark.parametrize(
    ("game", "objective"), IN_BATCHES, ids=lambda case: getattr(case, "name", case)
)
def test_pairs_in_batches_are_pairs_one_by_one(game, objective, monkeypatch):
    """Batches, tiles, starts of walks: the same values as from pairs solved one by one, whatever the first guess."""
    rules = rules_of(game)
    payoffs = payoffs_of(game, objective)
    random = np.random.default_rng(1)
    at_start = random.uniform(0.2, 0.8, game.target)
    hold = one_by_one(rules, payoffs, at_start)
    for tile, guess in (
        (64, None),
        (17, None),
        (64, hold),
        (256, hold + random.normal(0, 0.05, hold.shape)),
    ):
        monkeypatch.setattr(two_player, "TILE", tile)
        earlier = None if guess is None else hold_table(rules, payoffs, guess)
        table, residual, *_ = sweep_pairs(game, payoffs, at_start, earlier)
        assert np.abs(table.by_score[::-1, ::-1] - hold[1:, 1:]).max() <= 4e-15
        assert residual <= 1e-15


@pytest.mark.parametrize("game", [dl.pig(50), dl.two_dice_pig(20)], ids=lambda game: game.name)
def test_the_number_of_threads_changes_no_bit(game, monkeypatch):
    monkeypatch.setattr(two_player, "TILE", 5)
    solutions = []
    for threads in (1, 2, 5):
        monkeypatch.setattr(two_player, "THREADS", threads)
        solutions.append(dl.solve(game).values)
    assert all(np.array_equal(solutions[0], other) for other in solutions[1:])


@pytest.mark.parametrize("target", [1, 2, 3, 17, 18, 51, 52, 60, 70])
def test_every_pair_is_in_one_tile_and_waits_for_what_it_needs(target, monkeypatch):
    monkeypatch.setattr(two_player, "TILE", 17)
    tile_of, order = {}, []
    for number, half in enumerate(wavefront_tiles(target)):
        for (place, block), (own, other, totals) in half.items():
            order.append((number, place, block))
            for total in range(totals[0], totals[1] + 1):
                least = max(own[0], total - other[1])
                for a in range(least, min(own[1], total // 2, total - other[0]) + 1):
                    assert (a, total - a) not in tile_of
                    tile_of[a, total - a] = number, place, block
    assert len(tile_of) == target * (target + 1) // 2
    waits = {tile: {tile} for tile in order}  # for these, at last
    for number, place, block in order:
        for before in ((number, place - 1, block), (number, place, block - 1)):
            assert before not in waits or order.index(before) < order.index((number, place, block))
            waits[number, place, block] |= waits.get(before, set())
    for (a, b), tile in tile_of.items():
        for needed in [(a, r) for r in range(1, b)] + [(b, r) for r in range(1, a)]:
            before = tile_of[min(needed), max(needed)]
            assert before[0] < tile[0] or before in waits[tile]
    # Tiles that are solved at once are for different rows of the table.
    for (a, b), one in tile_of.items():
        for (c, d), other in tile_of.items():
            if {a, b} & {c, d} and one[0] == other[0]:
                assert one in waits[other] or other in waits[one]


def bellman_error(solution):
    """The largest error of the Bellman equation of a game of one mode, in plain NumPy; and all decisions."""
    game, values = solution.game, solution.values.astype(float)
    (mode,), target = game.modes, game.target
    # By score banked, opponent's score.
    hold = np.vstack([1 - values.T, np.ones((game.most_points, target))])
    rolls, worst = np.zeros((target,) * 3, dtype=bool), 0.0
    for own in range(target):
        value = hold[own:].copy()  # by turn total, opponent's score
        for total in range(target - own - 1, -1, -1):
            roll = float(mode.chance("bust")) * hold[own] + float(mode.chance("reset")) * hold[0]
            for outcome in mode.outcomes:
                for choice in outcome.choices:
                    roll = roll + float(outcome.probability) * value[total + choice.points]
            rolls[own, :, total] = (roll > value[total] + 1e-12) | (total == 0)
            value[total] = np.maximum(roll, value[total]) if total else roll
        worst = max(worst, np.abs(value[0] - values[own]).max())
    return worst, rolls


@pytest.mark.parametrize(
    "game",
    [dl.pig(60), dl.piglet(40), dl.two_dice_pig(50), dl.two_dice_pig(8)],
    ids=lambda game: game.name,
)
def test_the_bellman_equation_holds(game):
    solution = dl.solve(game)
    error, rolls = bellman_error(solution)
    assert error <= 2e-15
    assert np.array_equal(rolls, solution.policy.roll_mask())


@given(dice(most_target=30))
def test_the_bellman_equation_holds_for_random_dice(game):
    error, rolls = bellman_error(dl.solve(game))
    assert error <= 2e-15
    assert np.array_equal(rolls, dl.solve(game).policy.roll_mask())


@pytest.mark.slow
def test_a_pair_left_too_early_raises():
    """The residual is what is left of the difference: a looser agreement of x and h(x) does not pass."""
    ends = "import dicelab as dl; from dicelab.solvers import _kernels; _kernels.CLOSE = {}; "
    ends += "print(dl.solve(dl.pig(60)).residual)"
    results = [
        subprocess.run(  # uncompiled, so that they see the other CLOSE
            [sys.executable, "-c", ends.format(close)],
            env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
            capture_output=True,
            text=True,
        )
        for close in ("_kernels.CLOSE", 1e-4)
    ]
    assert float(results[0].stdout) <= 1e-15
    assert "ConvergenceError: Pig: the Bellman equation holds only to" in results[1].stderr


def test_resets_left_too_early_raise(monkeypatch):
    """What is left of the difference at the start counts in the residual."""
    game, found = dl.two_dice_pig(20), []
    for settled in (4e-15, 3e-14, 1e-3):
        monkeypatch.setattr(_accuracy, "SETTLED", settled)
        if settled < 1e-13:
            found.append(dl.solve(game).residual)
        else:
            with pytest.raises(
                _accuracy.ConvergenceError, match="the Bellman equation holds only to"
            ):
                dl.solve(game)
    assert found[0] <= 4e-15 < found[1] <= 3e-14
    monkeypatch.setattr(two_player, "settle", lambda change, start, game: None)
    with pytest.raises(_accuracy.ConvergenceError, match="the Bellman equation holds only to"):
        dl.solve(game)


def test_a_solver_that_cannot_vouch_raises(monkeypatch):
    monkeypatch.setattr(_accuracy, "RESIDUAL_LIMIT", -1.0)
    with pytest.raises(_accuracy.ConvergenceError, match="Pig: the Bellman equation holds only to"):
        dl.solve(dl.pig(5))


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("Pigs",), "game: 'Pigs'"),
        ((None,), "game: None"),
        ((dl.pig(5), "wins"), "objective: 'wins'"),
        ((dl.pig(5), None), "objective: None"),
    ],
)
def test_bad_arguments(arguments, said):
    with pytest.raises(ValueError, match=said):
        dl.solve(*arguments)
    with pytest.raises(ValueError, match="exact: 1"):
        dl.solve(dl.pig(5), exact=1)


def test_values_cannot_be_changed():
    with pytest.raises(ValueError, match="read-only"):
        dl.solve(dl.pig(5)).values[0, 0] = 1


@given(st.integers(1, 30))
def test_by_target_is_the_value_of_each_game(target):
    by_target = dl.solve(dl.pig(30)).by_target()
    assert by_target[target] == dl.solve(dl.pig(target)).value


def test_a_skipped_first_roll_changes_nothing():
    """Passing the die unrolled is worth what a bust is worth, and a roll is never worth less: it cannot matter."""
    values = dl.solve(dl.pig(40)).values
    assert (values >= 1 - values.T - 1e-15).all()


@pytest.mark.parametrize(
    ("bust", "target"), [("9000/9001", 30), ("0.999999", 4), ("0.999999999999", 4)]
)
@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
def test_dice_that_bust_nearly_always_lose_no_digits(bust, target, objective):
    game = dl.generalized_pig([bust, 1 - Fraction(bust)], target)
    exact = dl.solve(game, objective, exact=True)
    rounded = dl.solve(game, objective)
    off = np.abs(rounded.values - exact.values.astype(float)).max()
    assert off <= rounded.error <= 1e-12 * max(1.0, rounded.value)
    assert dl.solve(dl.pig()).error <= 1e-14


EXACTLY = [
    dl.pig(12, finish="exact"),
    dl.two_dice_pig(11, finish="exact"),
    dl.double_trouble(9, finish="exact"),
]


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_of_two_rare_ends_the_likelier_is_chosen(order):
    """The advantage is 1e-13, far below a tie of ordinary values, but the chance to finish doubles."""
    ends = [Choice(0, f"{k} in 1e13") for k in order]
    modes = [Mode("ask", [Outcome(1, ends)], may_hold=False)]
    for k in order:
        won = Fraction(k, 10**13)
        roll = [Outcome(won, Choice(1, "won")), Outcome(1 - won, "bust")]
        modes.append(Mode(f"{k} in 1e13", roll, may_hold=False))
    game = dl.Game("two rare ends", 1, (*modes, Mode("won", ())))
    assert dl.solve(game).policy.choices_against(game, 0, 0)[0, 0] == order.index(2)


@pytest.mark.slow
@pytest.mark.parametrize("game", EXACTLY, ids=lambda game: game.name)
def test_games_to_be_finished_exactly(game):
    (agree_without_fractions if game.resets else agree)(game)


def test_endless_play_is_a_draw_and_whoever_can_never_finish_loses():
    """With one point missing no face of Pig finishes; against two points missing, a two does, sooner or later."""
    for exact in (False, True):
        values = dl.solve(dl.pig(9, finish="exact"), exact=exact).values
        assert values[8, 8] == 0.5
        assert values[8, 7] <= 1e-15
        assert values[7, 8] >= 1 - 1e-15


def test_endless_play_does_not_change_the_value():
    """Nobody who plays well is ever left with one point missing: every value of a draw gives the same start."""
    game = dl.pig(30, finish="exact")
    policy = dl.solve(game).policy
    for own, opponent in np.ndindex(29, 29):
        rolls = policy.decisions(game, own, opponent)[0]
        assert len(rolls) == 30 - own and rolls[29 - own], (
            "with one point missing after banking it rolls on"
        )
    match = dl.evaluate(game, policy, policy)
    assert match.turns_distribution().attrs["endless"] == 0


MARGINS = [dl.pig(40), dl.two_dice_pig(40), dl.double_trouble(30), dl.pig(30, finish="exact")]


@pytest.mark.parametrize("game", MARGINS, ids=lambda game: game.name)
def test_the_margin_is_what_the_optimal_players_win(game):
    solution = dl.solve(game, "margin")
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.margin == pytest.approx(solution.value, abs=1e-12)
    other = dl.solve(game).policy
    assert (
        dl.evaluate(game, other, solution.policy).margin
        < solution.value
        < dl.evaluate(game, solution.policy, other).margin
    )


def test_a_margin_by_hand():
    """Piglet to 1: the first head wins the one point of the other: x = 1/2 - x/2."""
    assert dl.solve(dl.piglet(1), "margin").value == pytest.approx(1 / 3, abs=1e-15)
    # to 2 of a die that always scores 3: one roll wins 2, and 3 with the point beyond the target
    die = dl.generalized_pig([0, 0, 0, 1], 2)
    assert dl.solve(die, "margin").value == 2
    assert dl.solve(die, "margin", overshoot=True).value == pytest.approx(3, abs=1e-15)


def test_overshoot_is_for_margins():
    with pytest.raises(ValueError, match="overshoot: True is not allowed with objective 'win'"):
        dl.solve(dl.pig(5), overshoot=True)
    with pytest.raises(ValueError, match="overshoot: 1 "):
        dl.solve(dl.pig(5), "margin", overshoot=1)
