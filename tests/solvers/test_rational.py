"""Rational arithmetic: against a solver that shares no code with the package; exact ties; with and without gmpy2."""

import subprocess
import sys
from fractions import Fraction
from hashlib import sha256

import numpy as np
import pytest

import dicelab as dl
from collection.papers.published import DATA, exact_value, in_full
from dicelab_extras import proofs

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
    code += "print(repr(dl.solve(dl.pig(8), exact=True).value))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() == repr(dl.solve(dl.pig(8), exact=True).value), result.stderr


def test_the_value_in_the_data_is_that_of_pig_to_100():
    """Within its bounds; 20,855 digits, and the checksum beside it. To solve it again takes minutes."""
    value, text = exact_value("pig-100"), (DATA / "exact" / "pig-100.txt").read_bytes()
    assert text.decode() == in_full(value)
    assert (
        DATA / "exact" / "SHA256SUMS"
    ).read_text() == f"{sha256(text).hexdigest()}  pig-100.txt\n"
    assert [len(part) for part in text.strip().split(b"/")] == [20855, 20855]
    certificate = proofs.certify(dl.solve(dl.pig(100)))
    assert certificate.lower[0, 0] <= value <= certificate.upper[0, 0]
    with pytest.raises(ValueError, match="name: 'hog' is not allowed; give one of 'pig-100'"):
        exact_value("hog")


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
