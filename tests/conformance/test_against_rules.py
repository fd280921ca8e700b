"""What the package says of games, against the oracle that knows nothing but their rules: random games, and some known.

Any number of games by hand: ``python -m tests.by_hand.against_rules --games 20000``.
"""

import random
from fractions import Fraction
from itertools import count, islice

import checks
import oracle
import pytest

import dicelab as dl

C, O, M, G = dl.Choice, dl.Outcome, dl.Mode, dl.Game  # noqa: E741
HALF = Fraction(1, 2)
RANDOM_GAMES, PARTS = 60, 15


def is_played(game):
    """Whether people might play it: nothing is rarer than once in 1,000, few races are undone, and all can end."""
    rarest = min(outcome.probability for mode in game.modes for outcome in mode.outcomes)
    undone = max(mode.chance("reset") for mode in game.modes if mode.may_hold)
    ends = undone > Fraction(1, 4) or dl.solve(game, "turns").value < float("inf")
    return rarest >= Fraction(1, 1000) and undone <= Fraction(1, 4) and ends


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_games(part):
    failures, drawn = [], ((seed, random.Random(seed)) for seed in count(part, PARTS))
    games = ((seed, rng, checks.random_game(rng)) for seed, rng in drawn)
    played = (each for each in games if is_played(each[-1]))
    for seed, rng, game in islice(played, RANDOM_GAMES // PARTS):
        report = checks.Report()
        checks.check_game(game, rng, report)
        failures += [
            f"{kind}: {detail}\n  seed {seed}, {game!r}" for kind, detail in report.failures
        ]
    assert not failures, "\n".join(failures)


OUT_OF_BOUNDS = G("oob", 2, (
    M("free", (O("1/2", C(1, "must")), O("1/2", C(1, "free")))),
    M("must", (O("999/1000", (C(1, "must"), C(3, "must"))), O("1/2000", C(1, "free")), O("1/2000", "bust")),
      may_hold=False),
))  # fmt: skip
FACES_BEYOND = G("x", 6, (
    M("roll", (O("1/4", "bust"), O("1/4", "reset"), O("1/2", (C(7, "roll"), C(6, "roll"))))),
), "exact")  # fmt: skip
TRAP = G("trap", 4, (
    M("free", (O("1/2", (C(1, "free"), C(2, "trap"))), O("1/4", "bust"), O("1/4", "reset"))),
    M("trap", (O("1", "reset"),), may_hold=False),
))  # fmt: skip
ONE_STEP = G("x", 4, (
    M("roll", (O("1/3", C(3, "roll")), O("1/2", (C(3, "roll"), C(4, "roll"))), O("1/6", "bust"))),
), "exact")  # fmt: skip
TWO_DICE = dl.two_dice_pig(3, "exact")
KNOWN = {
    "out of bounds": OUT_OF_BOUNDS,
    "faces beyond": FACES_BEYOND,
    "trap": TRAP,
    "one step": ONE_STEP,
    "two dice": TWO_DICE,
}


@pytest.mark.parametrize("game", KNOWN.values(), ids=KNOWN)
def test_known_games(game):
    report = checks.Report()
    checks.check_game(game, random.Random(1), report)
    assert not report.failures, "\n".join(map(str, report.failures))


def test_values_of_known_games():
    """Numbers that the oracle is to find, too."""
    assert oracle.optimum(ONE_STEP).values[0, 0] + HALF == Fraction(2, 3)
    for game, total in ((FACES_BEYOND, 9), (TRAP, 1)):
        other = oracle.without_memory(oracle.plan_of(game, dl.hold_at(total)))
        assert oracle.response(game, other)[0][0, 0, 0] + HALF == 1
