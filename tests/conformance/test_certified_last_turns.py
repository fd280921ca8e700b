"""Certificates of games with a last turn: bounds around fractions, verdicts against fractions, and what is wrong."""

import random
from dataclasses import replace

import checks
import pytest

import dicelab as dl
from dicelab.games.model import LAST_TURN
from dicelab.games.positions import classes_of
from dicelab.games.registers import Register
from dicelab.solvers.certify import _may_wait
from dicelab.solvers.last_turn import last_turn_of
from tests.solvers.test_equal_turns import forced, value_iteration

CLOSE = 1e-12


def random_games(seeds, most):
    """Random games with both kinds of last turns, with registers and without, that have solutions in fractions."""
    for seed in seeds:
        for make in (checks.random_game, checks.random_registers):
            rng = random.Random(seed)
            game = make(rng)
            for finish in LAST_TURN:
                try:
                    game = replace(game, finish=finish)
                    solution = (
                        dl.solve(game) if len(game.scores) ** 2 * game.longest < most else None
                    )
                    last_turn_of(game, exact=True)
                except (
                    ValueError,
                    dl.ConvergenceError,
                ):  # no best end, no fractions, not told apart
                    continue
                if solution is not None:
                    yield solution


def keys(ties):
    return {
        tuple(part for at in tie for part in (at, getattr(at, "register", None))) for tie in ties
    }


def is_certified(solution):
    """The bounds contain the exact values, and are close; every decision is proven, or an exact tie."""
    game, exact = solution.game, dl.solve(solution.game, exact=True)
    certificate = dl.certify(solution)
    for lower, upper in (dl.bounds(solution), (certificate.lower, certificate.upper)):
        assert (lower <= exact.values).all()
        assert (exact.values <= upper).all()
        assert (upper - lower).max() < CLOSE
    assert certificate.optimal, certificate
    branches = {str(o) for mode in game.modes for o in mode.outcomes if len(o.choices) > 1}
    turns = 4 + (game.finish == "equal turns")
    tied = [tie for tie in certificate.ties if len(tie) == turns and tie[-3] < game.target]
    assert not branches.intersection(tie[-1] for tie in tied)
    assert keys(tied) <= keys(exact.ties)
    reached = game.reached()
    below = [t for t in exact.ties if t[-4] + t[-2] < game.target and t[-1] in reached]
    assert keys(below) <= keys(certificate.ties)


@pytest.mark.parametrize("finish", LAST_TURN)
@pytest.mark.parametrize("registers", ["none", "three busts", "opening"])
def test_certificates(finish, registers):
    known = {
        "none": {},
        "opening": {"registers": [Register("shut", "open", least_hold=3), Register("open")]},
        "three busts": {
            "registers": [
                Register("0", "0", "1"),
                Register("1", "0", "2"),
                Register("2", "0", "0", penalty=2),
            ],
            "lowest": -2,
        },
    }[registers]
    die = dl.generalized_pig(["1/4"] * 4, 6)
    is_certified(dl.solve(replace(die, finish=finish, **known)))
    if registers == "none":
        is_certified(dl.solve(dl.piglet(5, finish)))


def test_certificates_of_random_games():
    found = 0
    for solution in random_games(range(100, 140), 300):
        try:
            is_certified(solution)
        except dl.ConvergenceError:  # dice that nearly always bust
            continue
        found += 1
    assert found > 40


@pytest.mark.parametrize("finish", LAST_TURN)
def test_a_roll_that_is_forced_above_the_target(finish):
    """Fractions refuse these games; the value iteration of all states does not."""
    solution = dl.solve(forced(3, finish))
    lower, upper = dl.bounds(solution)
    values = value_iteration(solution.game, 60).reshape(lower.shape)
    assert (upper - lower).max() < CLOSE
    assert (lower - CLOSE <= values).all()
    assert (values <= upper + CLOSE).all()
    assert dl.certify(solution).optimal


def test_pig_to_100_is_proven():
    for finish in LAST_TURN:
        certificate = dl.certify(dl.solve(dl.pig(100, finish)))
        assert certificate.optimal
        assert certificate.width < CLOSE
        assert certificate.proven > 1_700_000


def changed(solution, change):
    """The solution with some other decisions: ``change(pairs, rolls, role)``."""
    decide = solution.policy.decide

    def other(pairs, rolls, choices, role=0):
        decide(pairs, rolls, choices, **({"role": role} if solution.values.ndim == 3 else {}))
        change(pairs, rolls, role)

    return replace(solution, policy=replace(solution.policy, decide=other))


def test_a_wrong_value_is_noticed():
    solution = dl.solve(dl.pig(8, "equal turns"))
    values = solution.values.copy()
    values[1, 3, 4] += 1e-9
    assert dl.certify(replace(solution, values=values)).outside == ((1, 3, 4),)


def test_wrong_decisions_above_the_target_are_noticed():
    """A leader who holds at 8 against 6 where a roll is best, and a chaser who stops at 8 behind 9."""
    solution = dl.solve(dl.pig(8, "last licks"))
    assert solution.policy.rolls(0, 7, 8)

    def change(pairs, rolls, role):
        rolls[(pairs == (0, 7)).all(axis=1), 0, 8] = False
        rolls[(pairs == (2, 8 + 1)).all(axis=1), 0, 6] = False

    certificate = dl.certify(changed(solution, change))
    assert certificate.refuted == ((0, 7, 8, "roll"), (2, 9, 6, "roll"))
    equal = dl.solve(dl.pig(8, "equal turns"))

    def in_role_1(pairs, rolls, role):
        if role == 1:
            rolls[(pairs == (0, 0)).all(axis=1), 0, 7] ^= True

    assert dl.certify(changed(equal, in_role_1)).refuted == ((1, 0, 0, 7, "roll"),)


def test_nobody_may_want_to_lead():
    """With last licks a leader may bust for certain rather than give the other player the last turn."""
    doom = dl.Mode("doom", [dl.Outcome(1, "bust")])
    roll = dl.Mode("roll", [dl.Outcome("1/4", "bust"), dl.Outcome("3/4", dl.Choice(3, "doom"))])
    game = dl.Game("All or nothing", 3, (roll, doom), "last licks")
    assert _may_wait(game)
    assert not _may_wait(replace(game, finish="equal turns"))
    assert not _may_wait(dl.pig(8, "last licks"))
    is_certified(dl.solve(game))
    with pytest.raises(dl.ConvergenceError, match=r"may wait for ever.*, up to a target of 2"):
        dl.certify(dl.solve(game), settle=2)


def test_tables_of_last_turns_are_wide_enough():
    for solution in random_games(range(20), 300):
        game = solution.game
        last, width = last_turn_of(game), game.most_points
        most = max(last.cut.max(), classes_of(game).least_hold.max())
        assert last.chance.shape[1] == last.lead.shape[2] == most + width


@pytest.mark.parametrize("finish", LAST_TURN)
def test_a_bust_that_scores_more_than_twice_the_target(finish):
    game = replace(dl.generalized_pig(["1/2", "1/2"], 1), finish=finish)
    game = replace(game, registers=[Register("a", "b", penalty=-1), Register("b", penalty=-5)])
    is_certified(dl.solve(game))
