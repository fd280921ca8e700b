"""What the package says of games, against the oracle that knows nothing but their rules: random games, and some known.

Any number of games by hand: ``python -m tests.by_hand.against_rules --games 20000``.
"""

import math
import random
import subprocess
import sys
from fractions import Fraction
from itertools import product

import checks
import oracle
import pytest

import dicelab as dl

C, O, M, G = dl.Choice, dl.Outcome, dl.Mode, dl.Game  # noqa: E741
HALF = Fraction(1, 2)
RANDOM_GAMES, PARTS = 120, 12


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_random_games(part):
    failures = []
    for seed in range(part, RANDOM_GAMES, PARTS):
        rng, report = random.Random(seed), checks.Report()
        game = checks.random_game(rng)
        checks.check_game(game, rng, report, simulated=500)
        failures += [
            f"{kind}: {detail}\n  seed {seed}, {checks.code(game)}"
            for kind, detail in report.failures
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
NO_CHOICE = G("nochoice", 8, (
    M("a", (O("2/7", C(2, "b")), O("5/7", "bust")), may_hold=False),
    M("b", (O("4/5", C(5, "b")), O("1/5", "bust"))),
), "exact")  # fmt: skip
RARE = dl.generalized_pig(["0.999999", "0.000001"], 4)
RARER = dl.generalized_pig(["0.999999999999", "0.000000000001"], 4)
TWO_DICE = dl.two_dice_pig(3, "exact")
NEARLY_EQUAL = G("nearly equal", 3, (
    M("a", (O("1/3", "bust"), O("1/3", C(0, "a")), O("1/3", (C(0, "b"), C(2, "b"))))),
    M("b", (O("999999/1000000", "bust"), O("1/1000000", (C(1, "a"), C(1, "b"))))),
), "exact")  # fmt: skip
TRILLIONTH = Fraction(1, 10**12)
RARE_OR_SURE = G("rare or sure", 5, (
    M("start", (O(1, (C(0, "b"), C(0, "a"), C(0, "c"))),), may_hold=False),
    M("a", (O(1 - 3 * TRILLIONTH, "bust"), O(TRILLIONTH, C(1, "c")), O(TRILLIONTH, C(3, "b")),
            O(TRILLIONTH, (C(2, "c"), C(3, "c"))))),
    M("b", (O("1/2", "bust"), O("1/2", (C(2, "a"), C(2, "b"))))),
    M("c", (O("1/2", C(6, "a")), O("1/8", (C(6, "b"), C(5, "a"))), O("3/8", (C(4, "a"), C(6, "a"))))),
), "exact")  # fmt: skip
LONG_LIST = G("long list", 6, (
    M("a", (O("1/2", "bust"), O("1/6", (C(6, "a"), C(5, "a"), C(6, "a"))), O("1/6", (C(0, "b"), C(1, "a"))),
            O("1/6", (C(1, "b"), C(2, "b"))))),
    M("b", (O("997/1000", "bust"), O("1/1000", C(1, "b")), O("1/1000", (C(1, "b"), C(1, "a"))),
            O("1/1000", (C(3, "a"), C(2, "a")))), may_hold=False),
), "exact")  # fmt: skip
KNOWN = {
    "out of bounds": OUT_OF_BOUNDS,
    "faces beyond": FACES_BEYOND,
    "trap": TRAP,
    "one step": ONE_STEP,
    "no choice": NO_CHOICE,
    "rare": RARE,
    "rarer": RARER,
    "two dice": TWO_DICE,
    "nearly equal": NEARLY_EQUAL,
    "rare or sure": RARE_OR_SURE,
    "long list": LONG_LIST,
}


@pytest.mark.parametrize("game", KNOWN.values(), ids=KNOWN)
def test_known_games(game):
    report = checks.Report()
    checks.check_game(game, random.Random(1), report, simulated=0)
    assert not report.failures, "\n".join(map(str, report.failures))


def test_a_small_difference_that_repeats_is_no_tie():
    """The first choice of the roll loses 5e-13; it is repeated in about a million turns, and then loses 5e-7."""
    solution = dl.solve(NEARLY_EQUAL)
    exact = dl.solve(NEARLY_EQUAL, exact=True)
    assert (
        solution.policy.choices(NEARLY_EQUAL, 0)[0, 0, 0]
        == exact.policy.choices(NEARLY_EQUAL, 0)[0, 0, 0]
        == 1
    )


def test_a_turn_that_nearly_always_busts_beside_one_that_does_not():
    """Both players can roll for a chance of 1e-12, and one has an alternative of nearly the same value."""
    for objective in ("win", "margin"):
        solution = dl.solve(RARE_OR_SURE, objective)
        exact = dl.solve(RARE_OR_SURE, objective, exact=True)
        assert abs(solution.values - exact.values.astype(float)).max() < 1e-14


def test_values_of_known_games():
    """Numbers that the oracle is to find, too."""
    assert oracle.optimum(ONE_STEP).values[0, 0] + HALF == Fraction(2, 3)
    for game, total in ((FACES_BEYOND, 9), (TRAP, 1)):
        other = oracle.without_memory(oracle.plan_of(game, dl.hold_at(total)))
        assert oracle.response(game, other)[0][0, 0, 0] + HALF == 1
    hold = oracle.plan_of(OUT_OF_BOUNDS, dl.hold_at(2))
    assert float(oracle.match(OUT_OF_BOUNDS, hold, hold).first_wins) == pytest.approx(
        0.72727, abs=5e-6
    )
    hold = oracle.plan_of(TWO_DICE, dl.hold_at(1))
    assert oracle.match(TWO_DICE, hold, hold).first_wins == HALF


@pytest.mark.parametrize(
    "game, turns",
    [
        (dl.generalized_pig(["0.9", "0.1"], 20, reset=1), 10**20),
        (dl.generalized_pig(["0.9", "0.1"], 10, reset=1), 10**10),
        (dl.generalized_pig(["0.99", "0.01"], 50), 5000),
    ],
    ids=["resets to 20", "resets to 10", "no resets"],
)
def test_fewest_turns(game, turns):
    assert oracle.fewest_turns(game)[0][0] == turns
    report = checks.Report()
    checks.check_turns(game, report)
    assert not report.failures, "\n".join(map(str, report.failures))


@pytest.mark.parametrize(
    "game, total", [(FACES_BEYOND, 9), (TRAP, 1)], ids=["faces beyond", "trap"]
)
def test_best_response_to_one_who_never_finishes(game, total):
    solution = dl.best_response(game, dl.hold_at(total))
    assert solution.value == pytest.approx(1, abs=1e-12) and 0 <= solution.error < 1e-12
    assert dl.evaluate(game, solution.policy, dl.hold_at(total)).first_wins == pytest.approx(
        1, abs=1e-12
    )


@pytest.mark.parametrize("game", [RARE, RARER], ids=["rare", "rarer"])
def test_matches_in_which_nearly_every_turn_busts(game):
    """Each is right to 1e-12, or refused."""
    report = checks.Report()
    for n, k in product((1, 2, 4), repeat=2):
        checks.check_match(game, dl.hold_at(n), dl.hold_at(k), report, None, 0, False)
    for n in (1, 2, 4):
        checks.check_response(game, dl.hold_at(n), report)
    assert not report.failures, "\n".join(map(str, report.failures))


def test_turns_of_a_match_that_surely_ends():
    """States that are never reached may be endless."""
    game, hold = NO_CHOICE, dl.hold_at(1)
    true = oracle.match(game, oracle.plan_of(game, hold), oracle.plan_of(game, hold))
    assert dl.evaluate(game, hold, hold).turns_mean == float(true.mean)


def in_a_process(code, seconds=300):
    """What a program prints that may die or never end."""
    code = f"import dicelab as dl\nC, O, M, G = dl.Choice, dl.Outcome, dl.Mode, dl.Game\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=seconds
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_simulate_reads_its_own_arrays():
    code = f"g = {checks.code(OUT_OF_BOUNDS)}\nprint(dl.simulate(g, dl.hold_at(2), dl.hold_at(2), "
    code += "games=20000).first_wins)"
    assert 20000 * checks.divergence(float(in_a_process(code)), 8 / 11) < checks.SURPRISE


def test_simulate_ends():
    code = 'print(dl.simulate(dl.two_dice_pig(3, "exact"), dl.hold_at(1), dl.hold_at(1), games=1).first_wins)'
    assert float(in_a_process(code)) == 0.5


def test_the_error_of_a_win_accumulates():
    """A value is right to 1e-12, or its error says how far it is off, or it is refused."""
    game = dl.generalized_pig(["9000/9001", "1/9001"], 50)
    exact = dl.solve(game, exact=True)
    try:
        solution = dl.solve(game)
    except ArithmeticError:
        return
    wrong = max(
        checks.off(a, b) for a, b in zip(solution.values.flat, exact.values.flat, strict=True)
    )
    assert math.isfinite(solution.error) and wrong <= max(1e-12, 10 * solution.error)


def test_fractions_do_not_depend_on_floats():
    solution = dl.solve(dl.generalized_pig(["4000/4001", "1/4001"], 40), exact=True)
    assert HALF < solution.value < HALF + Fraction(1, 4000)
