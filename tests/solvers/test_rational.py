"""Rational arithmetic: against a solver that shares no code with the package; exact ties; with and without gmpy2."""

import subprocess
import sys
from fractions import Fraction
from hashlib import sha256
from itertools import product

import numpy as np
import pytest
from sympy import QQ
from sympy.polys.matrices import DomainMatrix

import dicelab as dl
from collection.papers.published import DATA, exact_value, in_full
from dicelab._accuracy import ConvergenceError
from dicelab.solvers import rational
from dicelab.solvers.rational import RationalRules, Turn, TurnOutcomes, TurnPayoffs


def by_sympy(game):
    """V(own, opponent) by strategy iteration over all states, own, opponent, total, mode, with sympy's linear algebra.

    Totals at which the target is reached or passed are all the same, the largest; only forced modes get there.
    """
    modes = {mode.name: mode for mode in game.modes}
    target = game.target
    first = game.modes[0].name
    states = [
        (own, opponent, total, name)
        for own, opponent in product(range(target), repeat=2)
        for total in range(target - own + 1)
        for name in modes
        if (total < target - own or not modes[name].may_hold) and (total > 0 or name == first)
    ]
    place = {state: k for k, state in enumerate(states)}

    def passed(row, mover, waiting, chance):  # the other player is to move: 1 - V
        row[-1] += chance
        row[place[mover, waiting, 0, first]] -= chance

    def rolled(state, taken):
        own, opponent, total, name = state
        row = [QQ(0)] * (len(states) + 1)
        for number, outcome in enumerate(modes[name].outcomes):
            p = QQ(outcome.probability.numerator, outcome.probability.denominator)
            if outcome.result == "bust":
                passed(row, opponent, own, p)
            elif outcome.result == "reset":
                passed(row, opponent, 0, p)
            else:
                choice = outcome.choices[taken.get((state, number), 0)]
                after = min(total + choice.points, target - own)
                if after == target - own and modes[choice.mode].may_hold:
                    row[-1] += p
                else:
                    row[place[own, opponent, after, choice.mode]] += p
        return row

    def held(state):
        own, opponent, total, _ = state
        row = [QQ(0)] * (len(states) + 1)
        passed(row, opponent, own + total, QQ(1))
        return row

    may_hold = [modes[name].may_hold and total > 0 for _, _, total, name in states]
    holds, taken = list(may_hold), {}
    while True:
        rows = [
            held(state) if hold else rolled(state, taken)
            for state, hold in zip(states, holds, strict=True)
        ]
        size = len(states)
        matrix = [[QQ(int(i == k)) - row[k] for k in range(size)] for i, row in enumerate(rows)]
        right = DomainMatrix([[row[-1]] for row in rows], (size, 1), QQ)
        solution = DomainMatrix(matrix, (size, size), QQ).lu_solve(right).to_Matrix()
        values = [*solution, 1]

        def worth(row, values=values):
            return sum(
                coefficient * value
                for coefficient, value in zip(row, values, strict=True)
                if coefficient
            )

        best_taken = {}
        for state in states:
            for number, outcome in enumerate(modes[state[3]].outcomes):
                tried = [
                    worth(rolled(state, {**taken, (state, number): k}))
                    for k in range(len(outcome.choices))
                ]
                if tried:
                    best_taken[state, number] = max(
                        range(len(tried)), key=lambda k, tried=tried: tried[k]
                    )
        best_holds = [
            may and worth(held(state)) >= worth(rolled(state, best_taken))
            for state, may in zip(states, may_hold, strict=True)
        ]
        if best_holds == holds and all(best_taken[key] == taken.get(key, 0) for key in best_taken):
            return [
                [Fraction(*values[place[i, j, 0, first]].as_numer_denom()) for j in range(target)]
                for i in range(target)
            ]
        holds, taken = best_holds, best_taken


def with_choices(target):
    """Greed: a good roll offers one point with all dice, or two with a mode in which one must roll on."""
    greedy = dl.Outcome("1/2", (dl.Choice(1, "free"), dl.Choice(2, "forced")))
    free = dl.Mode(
        "free", (dl.Outcome("1/4", "bust"), greedy, dl.Outcome("1/4", dl.Choice(3, "free")))
    )
    forced = dl.Mode(
        "forced",
        (dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "free"))),
        may_hold=False,
    )
    return dl.Game("Greed", target, (free, forced))


SMALL = [
    dl.pig(4),
    dl.piglet(4),
    dl.generalized_pig(["2/3", "1/3"], 4),
    dl.generalized_pig(["1/5", "1/5", "2/5", "1/5"], 4),
    dl.two_dice_pig(6),
    dl.double_trouble(6),
    with_choices(4),
]


@pytest.mark.parametrize("game", SMALL, ids=lambda game: f"{game.name} to {game.target}")
def test_an_independent_rational_solver_agrees(game):
    values = dl.solve(game, exact=True).values
    assert all(isinstance(value, Fraction) for value in values.flat)
    assert values.tolist() == by_sympy(game)


def test_values_known_from_print():
    assert dl.solve(dl.pig(10), exact=True).value == Fraction(7776, 10961)
    assert dl.solve(dl.piglet(2), exact=True).values.tolist() == [
        [Fraction(4, 7), Fraction(2, 5)],
        [Fraction(4, 5), Fraction(2, 3)],
    ]


CASES = [
    (dl.pig(12), "margin", {}),
    (dl.pig(12), "margin", {"overshoot": True}),
    (dl.pig(30), "turns", {}),
    (dl.pig(12, finish="exact"), "turns", {}),
    (dl.two_dice_pig(12), "margin", {}),
    (dl.two_dice_pig(20), "turns", {}),
    (dl.double_trouble(12), "margin", {"overshoot": True}),
    (dl.double_trouble(15), "turns", {}),
    (dl.double_trouble(8, finish="exact"), "margin", {}),
    (dl.ten_thousand(8), "win", {}),
    (dl.ten_thousand(8), "turns", {}),
    (dl.farkle(5), "margin", {}),
]


@pytest.mark.parametrize(
    ("game", "objective", "more"), CASES, ids=lambda case: getattr(case, "name", str(case))
)
def test_every_objective_in_fractions(game, objective, more):
    """The float64 solver uses another algorithm: skipped totals, Newton steps, Anderson's acceleration."""
    exact, near = (dl.solve(game, objective, **more, exact=flag) for flag in (True, False))
    assert (exact.exact, exact.residual, exact.error) == (True, 0, 0)
    assert exact.overshoot == near.overshoot == bool(more)
    np.testing.assert_allclose(
        exact.values.astype(float), near.values, rtol=0, atol=1e-13 * game.target
    )
    for own in range(game.target):
        for ours, theirs in zip(
            exact.policy.actions_at(game, own), near.policy.actions_at(game, own), strict=True
        ):
            if not exact.ties:
                np.testing.assert_array_equal(ours, theirs)


@pytest.mark.slow
def test_with_and_without_gmpy2():
    """The same results and the same types, from Python's own fractions."""
    code = "import sys; sys.modules['gmpy2'] = None; import dicelab as dl; "
    code += "print(repr(dl.solve(dl.pig(30), exact=True).value))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert eval(result.stdout, {"Fraction": Fraction}) == dl.solve(dl.pig(30), exact=True).value, (
        result.stderr
    )


@pytest.mark.slow
def test_the_value_in_the_data_is_that_of_pig_to_100():
    """Solved again; 20,855 digits, and the checksum beside it."""
    solution = dl.solve(dl.pig(100), exact=True)
    assert solution.value == exact_value("pig-100")
    assert solution.ties == ()
    text = (DATA / "exact" / "pig-100.txt").read_bytes()
    assert text.decode() == in_full(solution.value)
    assert (
        DATA / "exact" / "SHA256SUMS"
    ).read_text() == f"{sha256(text).hexdigest()}  pig-100.txt\n"
    assert [len(part) for part in text.strip().split(b"/")] == [20855, 20855]
    certificate = dl.certify(dl.solve(dl.pig(100)))
    assert certificate.lower[0, 0] <= solution.value <= certificate.upper[0, 0]
    with pytest.raises(ValueError, match="name: 'hog' is not allowed; give one of 'pig-100'"):
        exact_value("hog")


def turn_with_a_tie():
    """A coin with hold values at which a roll and a hold with one point missing have exactly the same value."""
    hold = [Fraction(1), Fraction(3, 4), Fraction(1, 4), Fraction(1, 8)]
    payoffs = TurnPayoffs(hold, Fraction(1, 2), Fraction(0), Fraction(1), Fraction(0))
    return Turn(RationalRules(dl.piglet(4)), payoffs, np.array(hold, dtype=float), 3)


def test_a_tie_holds_and_is_reported():
    turn = turn_with_a_tie()  # rolling with 1 missing: 1/2·1 + 1/2·1/2 = 3/4, the hold value there
    assert turn.ties == [(1, 0)]
    assert turn.action_values(1, 0) == [Fraction(3, 4)] * 2
    assert turn.rolls.tolist() == [[False, False, True]]


def test_how_a_turn_ends():
    outcomes = turn_with_a_tie().outcomes()  # roll at 3 and 2 missing, hold at 1
    assert outcomes == TurnOutcomes({1: Fraction(1, 4)}, Fraction(3, 4), 0, 0, 0)


def test_ties_of_a_race():
    """A coin that busts two times in three, to 6: ties with one point in hand at 1 to 5 and at 3 to 5."""
    solution = dl.solve(dl.generalized_pig(["2/3", "1/3"], 6), exact=True)
    assert solution.ties == ((1, 5, 1, "roll"), (3, 5, 1, "roll"))
    assert all(type(entry) in (int, str) for tie in solution.ties for entry in tie)
    for own, opponent, total, _ in solution.ties:
        assert not solution.policy.rolls(own, opponent, total)
        hold, bust, further = (
            1 - solution.values[opponent, own + banked] for banked in (total, 0, total + 1)
        )
        assert hold == Fraction(1, 3) * further + Fraction(2, 3) * bust


@pytest.mark.parametrize(
    "game", [dl.piglet(8), dl.pig(9), dl.generalized_pig(["1/2", "1/4", "1/4"], 7)]
)
def test_the_bellman_equation_holds_exactly(game):
    values = dl.solve(game, exact=True).values
    target = game.target
    for own in range(target):
        for opponent in range(target):
            value = {}
            for total in range(target - own - 1, -1, -1):
                roll = Fraction(0)
                for outcome in game.modes[0].outcomes:
                    if outcome.result == "bust":
                        roll += outcome.probability * (1 - values[opponent, own])
                    else:
                        after = total + outcome.choices[0].points
                        roll += outcome.probability * (value[after] if own + after < target else 1)
                value[total] = max(roll, 1 - values[opponent, own + total]) if total else roll
            assert value[0] == values[own, opponent]


def test_a_round_limit_raises(monkeypatch):
    monkeypatch.setattr("dicelab.solvers.rational.MAX_ROUNDS", 1)
    with pytest.raises(ConvergenceError, match="strategy iteration did not settle"):
        dl.solve(dl.pig(5), exact=True)
    # Enough, as float64 says what resets are worth.
    monkeypatch.setattr("dicelab.solvers.rational.MAX_ROUNDS", 2)
    assert dl.solve(dl.two_dice_pig(14), "margin", exact=True).exact


@pytest.mark.parametrize("objective", ["win", "margin", "turns"])
@pytest.mark.parametrize(
    "game",
    [dl.pig(9), dl.two_dice_pig(6), dl.double_trouble(5), dl.piglet(6)],
    ids=lambda g: g.name,
)
def test_fractions_need_no_floats(game, objective):
    """If the float64 solver raises, strategy iteration starts anywhere and finds the same solution."""
    expected = dl.solve(game, objective, exact=True)

    def refuse():
        raise ConvergenceError("not today")

    found = rational.solve_rational(refuse, game, objective)
    assert (found.values == expected.values).all()
    assert found.ties == expected.ties
