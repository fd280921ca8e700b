"""The finishes with a last turn: against value iteration of all states, all pure policies in fractions, and by hand."""

import pickle
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dicelab as dl
from dicelab.games.absorption import solve_linear
from dicelab.games.model import LAST_TURN
from dicelab.solvers import equal_turns
from tests.conftest import dice, mode_games


def value_iteration(game, above, tolerance=1e-15):
    """Values [role, own, opponent] by iteration of all states; leaders hold `above` points past the target, if allowed.

    A state is a role, both banked scores, a turn total and a mode. It knows nothing of distances, pairs or bounds.
    """
    target = game.target
    first = game.modes[0].name
    equal = game.finish == "equal turns"
    most = target + above
    draw = 0.5 if equal else 0.0
    value = {}

    def start(role, own, opponent):
        return value.get((role, own, opponent, 0, first), 0.5)

    def ends(role, own, opponent, points):
        """The value to the player whose turn has ended with these points; None for a bust."""
        score = own if points is None else own + points
        if opponent >= target:  # this was the last turn
            return 0.0 if points is None or score < opponent else 1.0 if score > opponent else draw
        if score >= target and points is not None:
            return 1.0 if equal and role == 1 else 1 - start(1 - role, opponent, min(score, most))
        return 1 - start(1 - role, opponent, score)

    def bellman(role, own, opponent, total, mode):
        over = (
            own + total > opponent
            if opponent >= target
            else own + total >= (target if equal and role else most)
        )
        if mode.may_hold and total and over:
            return ends(role, own, opponent, total)
        rolled = 0.0
        for outcome in mode.outcomes:
            if outcome.result == "bust":
                best = ends(role, own, opponent, None)
            elif outcome.result == "reset":
                best = 0.0 if opponent >= target else 1 - start(1 - role, opponent, 0)
            else:
                best = max(
                    value.get(
                        (role, own, opponent, min(total + c.points, most + 1 - own), c.mode), 0.5
                    )
                    for c in outcome.choices
                )
            rolled += float(outcome.probability) * best
        return max(rolled, ends(role, own, opponent, total)) if mode.may_hold and total else rolled

    states = [
        (role, own, opponent, total, mode)
        for opponent in range(most, -1, -1)
        for own in range(target - 1, -1, -1)
        for role in (0, 1)
        if opponent < target or not (equal and role == 0)
        for total in range(most + 1 - own, -1, -1)
        for mode in game.modes
    ]
    for _ in range(2000):
        change = 0.0
        for role, own, opponent, total, mode in states:
            key = role, own, opponent, total, mode.name
            new = bellman(role, own, opponent, total, mode)
            change, value[key] = max(change, abs(new - value.get(key, 0.5))), new
        if change <= tolerance:
            break
    return np.array(
        [[[start(role, i, j) for j in range(target)] for i in range(target)] for role in (0, 1)]
    )


def with_choices():
    """A game with choices: more points and the risky mode, or fewer and the safe one."""
    both = dl.Outcome("1/3", [dl.Choice(2, "b"), dl.Choice(1, "a")])
    safe = dl.Mode("a", [dl.Outcome("1/3", "bust"), both, dl.Outcome("1/3", dl.Choice(1, "a"))])
    return dl.Game("Choices", 4, (safe, dl.Mode("b", [dl.Outcome("2/3", "bust"), both])))


GAMES = [
    dl.pig(4),
    dl.piglet(5),
    dl.generalized_pig(["1/3", 0, "1/3", "1/3"], 4),
    dl.generalized_pig(["1/3", "1/3", "1/3"], 4, dice=2, reset=2, name="Two dice with resets"),
    with_choices(),
    pytest.param(dl.ten_thousand(2), marks=pytest.mark.slow),
]


@pytest.mark.parametrize("finish", LAST_TURN)
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_value_iteration_agrees(game, finish):
    game = replace(game, finish=finish)
    found, scores = dl.solve(game), range(game.target)
    modes = [mode.name for mode in game.modes]
    highest = max(
        found.policy.hold_above(i, j, mode) for i in scores for j in scores for mode in modes
    )
    above = highest - game.target + game.most_points
    assert found.values == pytest.approx(value_iteration(game, above), abs=2e-13)


def forced(target, finish):
    """A game in which a two must be followed by another roll, above the target, too."""
    outcomes = [
        dl.Outcome("1/3", "bust"),
        dl.Outcome("1/2", dl.Choice(1, "free")),
        dl.Outcome("1/6", dl.Choice(2, "forced")),
    ]
    modes = dl.Mode("free", outcomes), dl.Mode("forced", outcomes, may_hold=False)
    return dl.Game("Forced", target, modes, finish)


@pytest.mark.parametrize("finish", LAST_TURN)
def test_a_roll_that_is_forced_above_the_target(finish):
    game = forced(4, finish)
    assert dl.solve(game).values == pytest.approx(value_iteration(game, 40), abs=1e-12)
    loose = replace(game, modes=(game.modes[0], replace(game.modes[1], may_hold=True)))
    assert abs(dl.solve(game).value - dl.solve(loose).value) > 1e-3


@given(dice(most_target=5), st.sampled_from(LAST_TURN))
def test_random_dice_in_fractions_and_in_floats(game, finish):
    game = replace(game, finish=finish)
    if not game.modes[0].chance("bust"):
        with pytest.raises(
            NotImplementedError, match=f"finish='{finish}': a roll in mode 'roll' risks nothing"
        ):
            dl.solve(game)
        return
    exact = dl.solve(game, exact=True)
    assert exact.residual == 0 and isinstance(exact.value, Fraction)
    assert exact.values.astype(float) == pytest.approx(dl.solve(game).values, abs=1e-14)


@given(mode_games(most_target=4, resets=True), st.sampled_from(LAST_TURN))
def test_random_modes(game, finish):
    game = replace(game, finish=finish)
    try:
        found = dl.solve(game)
    except NotImplementedError as refusal:
        assert repr(finish) in str(refusal)
        return
    values = found.values
    assert found.residual < 1e-13 and values.min() >= 0 and values.max() <= 1
    for role, own, opponent in product((0, 1), range(game.target), range(game.target)):
        assert found.policy.decisions(own, opponent, role=role)[:, 0].all()
    if finish == "last licks":
        assert np.array_equal(*values)


def payoffs(finish, most):
    """The first player's chances in Piglet to 2, for all pure policies of both that hold at `most` points or before.

    A policy gives the score to hold at, by role, own score and opponent's score. Yields by policies of both players.
    """
    half = Fraction(1, 2)
    target = 2
    equal = finish == "equal turns"
    draw = half if equal else Fraction(0)
    before = list(
        product(range(target), repeat=2)
    )  # both scores, at the start of a turn before anybody is there

    def chase(own, opponent):
        """The best chance of a last turn: to go on until ahead, or to hold at equal scores."""
        return max(half ** (opponent - own) * draw, half ** (opponent + 1 - own))

    def policies(role):
        last = target if equal and role == 1 else most
        return product(*(range(own + 1, last + 1) for own, _ in before))

    def value(mine, yours):
        """Solve the eight linear equations for the chances of player 0."""
        rows, right = [], []
        index = {(role, *pair): k for k, (role, pair) in enumerate(product((0, 1), before))}
        for role, (own, opponent) in product((0, 1), before):
            score = (mine, yours)[role][before.index((own, opponent))]
            row = [Fraction(0)] * 8
            constant = Fraction(0)
            chance = half ** (score - own)
            row[index[role, own, opponent]] += 1
            row[index[1 - role, opponent, own]] -= 1 - chance
            if score < target:
                row[index[1 - role, opponent, score]] -= chance
            else:
                wins = 1 if equal and role == 1 else 1 - chase(opponent, score)
                constant = chance * (wins if role == 0 else 1 - wins)
            rows.append(dict(enumerate(row)))
            right.append([constant])
        return solve_linear(rows, right)[0][0]

    return [[value(mine, yours) for yours in policies(1)] for mine in policies(0)]


@pytest.mark.parametrize(("finish", "most"), [("equal turns", 5), ("last licks", 3)])
def test_all_pure_policies_of_piglet_in_fractions(finish, most):
    table = payoffs(finish, most)
    least_most = min(map(max, zip(*table, strict=True)))
    most_least = max(map(min, table))
    assert least_most == most_least == dl.solve(dl.piglet(2, finish), exact=True).value


def test_by_hand():
    """Piglet to 1. Equal turns: x = 3/8 + (1 - y)/2, y = 1 - x/2. Last licks: x = 3/8 + (1 - x)/2."""
    assert dl.solve(dl.piglet(1, "equal turns"), exact=True).value == Fraction(1, 2)
    assert dl.solve(dl.piglet(1, "last licks"), exact=True).value == Fraction(7, 12)


@pytest.mark.parametrize("finish", LAST_TURN)
def test_the_bound_is_proven_and_not_tight(finish):
    """A deeper walk changes nothing, a much shorter one does."""
    game = dl.pig(20, finish)
    last = equal_turns.last_turn_of(game, False)
    roles = 2 if finish == "equal turns" else 1
    found = []
    for cut in (last.cut, last.cut + 9, np.zeros_like(last.cut)):
        values = np.zeros((roles, 21, 21))
        lead = np.pad(last.lead, [(0, 0), (0, 20)], constant_values=1)
        part = last._replace(cut=cut, lead=lead)
        equal_turns.sweep_pairs(game, part, values, np.zeros((roles, 21)), np.zeros((21, 21)))
        found.append(values[:, 1:, 1:])
    assert abs(found[0] - found[1]).max() < 1e-15 < 1e-4 < abs(found[0] - found[2]).max()
    for b, cut in enumerate(last.cut[1:].tolist(), 1):
        chance = 1 - last.lead[0, b + cut]
        assert chance <= last.lower[b] / 6 and (
            cut == 0 or 1 - last.lead[0, b + cut - 1] > last.lower[b] / 6
        )


def test_the_policy_in_all_roles():
    policy = dl.solve(dl.pig(finish="equal turns")).policy
    assert policy.rolls(95, 99, 5) and not policy.rolls(95, 99, 5, role=1), (
        "the second has won with 100"
    )
    assert policy.hold_above(95, 99) > 105 and policy.hold_above(95, 99, role=1) == 100
    assert policy.rolls(90, 105, 14) and not policy.rolls(90, 105, 16)
    assert policy.rolls(90, 105, 15), "a draw is worth 1/2, a roll 5/6"
    with pytest.raises(
        ValueError, match="opponent: 105 is not allowed; give a score below the target, 100"
    ):
        policy.rolls(90, 105, 15, role=0)
    with pytest.raises(ValueError, match="role: 2 is not allowed"):
        policy.rolls(90, 95, 15, role=2)
    licks = dl.solve(dl.pig(finish="last licks")).policy
    assert licks.rolls(90, 105, 15) and not licks.rolls(90, 105, 16), "a tie loses"
    assert np.array_equal(licks.decisions(30, 40, role=0), licks.decisions(30, 40, role=1))
    with pytest.raises(ValueError, match="mode: 'forced' does not allow a hold"):
        dl.solve(forced(4, "last licks")).policy.hold_above(0, 0, "forced")


def test_dice_set_aside_in_a_last_turn():
    """Behind by more than one roll brings, and by so little that the next points win."""
    policy = dl.solve(dl.ten_thousand(20, "last licks")).policy
    aside, rolls = policy.keep(19, 20, 0, [1, 5, 2, 3, 6])
    assert aside == (1, 5) or aside == (1,)
    assert not rolls, "2 chips beat 20"
    assert policy.keep(19, 20, 0, [2, 3, 4, 6, 6]) == ((), False)
    assert policy.keep(0, 30, 0, [5, 5, 2, 3, 6])[1], "a hold would lose"


def test_decisions_give_the_values():
    """Playing the policy's own decisions in one turn gives the value, at every pair of scores."""
    for finish in LAST_TURN:
        solution, half = dl.solve(dl.piglet(6, finish)), 0.5
        target = 6
        for role, own, opponent in product((0, 1), range(target), range(target)):
            other, leads = 1 - role, finish == "last licks" or role == 0
            total = solution.policy.hold_threshold(own, opponent, role=role)
            score, reaches = own + total, half**total
            if score < target:
                held = 1 - solution.values[other, opponent, score]
            else:
                gap = score - opponent
                chance = (
                    max(half**gap * half, half ** (gap + 1))
                    if finish == "equal turns"
                    else half ** (gap + 1)
                )
                held = 1 - chance if leads else 1
            value = reaches * held + (1 - reaches) * (1 - solution.values[other, opponent, own])
            assert value == pytest.approx(solution.values[role, own, opponent], abs=1e-14)


def test_the_record():
    solution = dl.solve(dl.pig(20, "equal turns"))
    again = pickle.loads(pickle.dumps(solution))
    assert again.value == solution.value and again.policy.hold_above(
        0, 19
    ) == solution.policy.hold_above(0, 19)
    with pytest.raises(ValueError):
        solution.values[0, 0, 0] = 1
    assert repr(solution).startswith("<LastTurnSolution of Pig to 20, equal turns: 0.")
    assert "exact" in repr(dl.solve(dl.piglet(2, "last licks"), exact=True))


def test_what_is_not_solved():
    for game, said in (
        (dl.two_dice_pig(5), "games with resets"),
        (forced(3, "reach"), "games with modes without a hold"),
    ):
        with pytest.raises(NotImplementedError, match=said):
            dl.solve(replace(game, finish="last licks"), exact=True)
    choice = [dl.Choice(1, "a"), dl.Choice(2, "b")]
    outcomes = [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", choice)]
    game = dl.Game(
        "x", 4, (dl.Mode("a", outcomes), dl.Mode("b", outcomes, may_hold=False)), "equal turns"
    )
    with pytest.raises(NotImplementedError, match="choices in modes without a hold"):
        dl.solve(game)


@pytest.mark.slow
def test_whom_the_rules_favour():
    """Pig to 100: last licks give back a tenth of the first player's advantage, equal turns reverse it."""
    chances = [
        dl.solve(dl.pig(100, finish)).value for finish in ("reach", "last licks", "equal turns")
    ]
    assert chances == pytest.approx([0.530593, 0.527952, 0.456420], abs=1e-6)
