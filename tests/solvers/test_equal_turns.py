"""The finishes with a last turn: against value iteration of all states, all pure policies in fractions, and by hand."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab.games.model import LAST_TURN
from tests.conformance.matrix import KINDS, game_of, refused
from tests.conftest import mode_games

LAST = [
    kind for kind in KINDS if kind[1] in LAST_TURN and kind[0] != "hot dice"
]  # or play is endless
EXACT = [kind for kind in LAST if (*kind, "solve in fractions") not in refused()]


def value_iteration(game, above, tolerance=1e-14):
    """Values [role, own, opponent] by iteration of all states; leaders hold `above` points past the target, if allowed.

    A state is a role, both banked scores, a turn total and a mode. It knows nothing of distances, pairs, classes or
    bounds. A score to beat is an int; a banked score is a place in ``game.scores``. In "last licks" there is one role.
    """
    target, scores = game.target, game.scores
    equal = game.finish == "equal turns"
    most = target + above
    draw = 0.5 if equal else 0.0
    roles = (0, 1) if equal else (0,)
    value = {}
    begins = [game.modes[game.mode(game.register(score).mode)].name for score in scores]

    def start(role, own, opponent):
        return value.get((role, own, opponent, 0, begins[own]), 0.5)

    def after(role, opponent, score):
        """The value to the player whose turn has ended at a score below the target."""
        return 1 - start(roles[-1] - role, opponent, ("place", game.index(score)))

    def ends(role, own, opponent, points):
        """The value to the player whose turn has ended with these points; None for a bust."""
        before = scores[own]
        if points is not None and points < game.register(before).least_hold:
            points = None
        kind, other = opponent
        if kind == "beat":  # this was the last turn
            score = 0 if points is None else before + points
            return 1.0 if score > other else draw if score == other else 0.0
        if points is None:
            return after(role, other, game.after_bust(before))
        if before + points >= target:
            if equal and role == 1:
                return 1.0
            return 1 - start(roles[-1] - role, other, ("beat", min(int(before) + points, most)))
        return after(role, other, game.after_hold(before, points))

    def bellman(role, own, opponent, total, mode, cap):
        kind, other = opponent
        score, enough = scores[own] + total, total >= game.register(scores[own]).least_hold
        over = (
            score > other if kind == "beat" else score >= (target if equal and role else most)
        ) and enough
        if mode.must_hold or (mode.may_hold and over):
            return ends(role, own, opponent, total)
        rolled = 0.0
        for outcome in mode.outcomes:
            if outcome.result == "bust":
                best = ends(role, own, opponent, None)
            elif outcome.result == "reset":
                best = 0.0 if kind == "beat" else after(role, other, game.after_reset)
            else:
                best = max(
                    value.get((role, own, opponent, min(total + c.points, cap), c.mode), 0.5)
                    for c in outcome.choices
                )
            rolled += float(outcome.probability) * best
        if mode.may_hold and total and enough:
            return max(rolled, ends(role, own, opponent, total))
        return rolled

    opponents = [("beat", points) for points in range(most, target - 1, -1)]
    opponents += [("place", place) for place in reversed(range(len(scores)))]
    states = [
        (role, own, opponent, total, mode, cap)
        for opponent in opponents
        for own in reversed(range(len(scores)))
        for cap in [max(most + 1 - scores[own], game.register(scores[own]).least_hold)]
        for role in roles
        if opponent[0] == "place" or role == roles[-1]
        for total in range(cap, -1, -1)
        for mode in game.modes
        if total or not mode.must_hold
    ]
    for _ in range(2000):
        change = 0.0
        for role, own, opponent, total, mode, cap in states:
            key = role, own, opponent, total, mode.name
            new = bellman(role, own, opponent, total, mode, cap)
            change, value[key] = max(change, abs(new - value.get(key, 0.5))), new
        if change <= tolerance:
            break
    places = range(len(scores))
    found = [[[start(role, i, ("place", j)) for j in places] for i in places] for role in roles]
    return np.array(found if equal else found[0])


def hold_above(policy, game, own, opponent, mode=0, role=None):
    """The lowest score, at the target or above, at which a policy holds."""
    above = max(game.target - own, 1)
    rolls, _ = policy.turn_at(game, own, opponent, role=role)
    return own + above + int(np.append(rolls[mode, above:], False).argmin())


def highest_hold(solution):
    """The highest score at which the policy holds, in any role."""
    game, policy = solution.game, solution.policy
    modes = [m for m, mode in enumerate(game.modes) if mode.may_hold]
    roles = (0, 1) if game.finish == "equal turns" else (None,)
    return max(
        hold_above(policy, game, own, opponent, mode, role)
        for own, opponent, mode, role in product(game.scores, game.scores, modes, roles)
    )


LATE = dl.Register("early", "late", "late", least_hold=4), dl.Register("late", mode="one")
GAMES = [game_of(*kind) for kind in LAST if kind[2] != "a bust that scores"]
GAMES += [replace(game_of("dice set aside", finish), registers=LATE) for finish in LAST_TURN]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_value_iteration_agrees(game):
    found = dl.solve(game)
    above = highest_hold(found) - game.target + game.most_points
    assert found.values == pytest.approx(value_iteration(game, above), abs=2e-13)


@pytest.mark.parametrize("kind", EXACT, ids=", ".join)
def test_fractions_agree(kind):
    """With registers and penalties, in values and in decisions below the target."""
    game = game_of(*kind)
    found, exact = dl.solve(game), dl.solve(game, exact=True)
    assert exact.residual == exact.error == 0 and isinstance(exact.value, Fraction)
    assert exact.values.astype(float) == pytest.approx(found.values, abs=1e-13)
    for own in game.scores:
        (rolls, taken), (others, choices) = (
            solution.policy.actions_at(game, own) for solution in (found, exact)
        )
        known = np.s_[..., : min(rolls.shape[2], others.shape[2])]
        within = np.s_[:, :, : game.missing(own)]
        assert np.array_equal(rolls[known], others[known])
        assert np.array_equal(taken[within], choices[within])
        last = [solution.policy.last_turn_at(game, own, 5)[0] for solution in (found, exact)]
        known = min(rolls.shape[2] for rolls in last)
        assert np.array_equal(*(rolls[..., :known] for rolls in last))


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


@settings(max_examples=30)
@given(mode_games(most_target=4, resets=True), st.sampled_from(LAST_TURN))
def test_random_modes(game, finish):
    """In fractions the same, where there are any; and the policy against itself, in a chain, attains the value."""
    game = replace(game, finish=finish)
    try:
        found = dl.solve(game)
    except ValueError as refusal:
        assert repr(finish) in str(refusal) and "no best end" in str(refusal)
        return
    assert found.residual < 1e-13 and found.values.min() >= 0 and found.values.max() <= 1
    attained = dl.evaluate(game, found.policy, found.policy).first_wins
    assert attained == pytest.approx(found.value, abs=1e-12)
    if game.resets:
        return  # many equations
    try:
        exact = dl.solve(game, exact=True)
    except ValueError as refusal:
        assert "above the target" in str(refusal)
        return
    assert exact.values.astype(float) == pytest.approx(found.values, abs=1e-13)


def test_by_hand():
    """Piglet to 1. Equal turns: x = 3/8 + (1 - y)/2, y = 1 - x/2. Last licks: x = 3/8 + (1 - x)/2."""
    assert dl.solve(dl.piglet(1, "equal turns"), exact=True).value == Fraction(1, 2)
    assert dl.solve(dl.piglet(1, "last licks"), exact=True).value == Fraction(7, 12)


EQUAL, LICKS = (dl.solve(dl.pig(finish=finish)).policy for finish in ("equal turns", "last licks"))
DECIDED = [  # own score, opponent's, turn total, role
    (EQUAL, (95, 99, 5), None, True),
    (EQUAL, (95, 99, 5), 1, False),  # the second has won with 100
    (EQUAL, (90, 105, 15), None, True),  # a draw is worth 1/2, a roll 5/6
    (EQUAL, (90, 105, 15), 1, True),
    (EQUAL, (90, 105, 16), None, False),
    (LICKS, (90, 105, 15), None, True),  # a tie loses
    (LICKS, (90, 105, 16), None, False),
]


@pytest.mark.parametrize(("policy", "state", "role", "rolls"), DECIDED)
def test_the_policy_in_all_roles(policy, state, role, rolls):
    assert policy.rolls(*state, role=role) == rolls


def test_roles_and_scores_that_there_are_not():
    assert hold_above(EQUAL, EQUAL.game, 95, 99) > 105
    assert hold_above(EQUAL, EQUAL.game, 95, 99, role=1) == 100
    with pytest.raises(ValueError, match=r"opponent: 105 .* give a score below the target, 100"):
        EQUAL.rolls(90, 105, 15, role=0)
    with pytest.raises(ValueError, match="role: 2 is not allowed"):
        EQUAL.rolls(90, 95, 15, role=2)
    with pytest.raises(ValueError, match=r"role: 0 is not allowed.*: only 'equal turns' has"):
        LICKS.rolls(90, 95, 15, role=0)


def test_a_rule_of_thumb_rolls_until_it_is_ahead():
    """In a last turn, where a hold before loses or draws; elsewhere it holds as always, at the target at the latest."""
    game, rule = dl.pig(20, "last licks"), dl.hold_at(4)
    assert [rule.rolls(15, 14, total, game=game) for total in (3, 4, 5, 9)] == [True, *[False] * 3]
    for beaten in (20, 24):
        found = [rule.rolls(15, beaten, total, game=game) for total in range(15)]
        assert found == [15 + total <= beaten for total in range(15)]
    assert rule.hold_threshold(15, 22, game=game) == 8
    assert [hold_above(rule, game, 15, beaten) for beaten in (14, 22)] == [20, 23]


def test_what_is_not_solved():
    for finish in LAST_TURN:
        game = forced(3, finish)
        with pytest.raises(ValueError, match="rolls are worth that are forced above the target"):
            dl.solve(game, exact=True)


@pytest.mark.slow
def test_whom_the_rules_favour():
    """Pig to 100: last licks give back a tenth of the first player's advantage, equal turns reverse it."""
    chances = [
        dl.solve(dl.pig(100, finish)).value for finish in ("reach", "last licks", "equal turns")
    ]
    assert chances == pytest.approx([0.530593, 0.527952, 0.456420], abs=1e-6)
