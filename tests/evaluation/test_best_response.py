"""Best responses that float64 cannot find are refused."""

from fractions import Fraction

import pytest

import dicelab as dl


def test_what_float64_cannot_tell_apart_is_refused():
    """A mode that scores once in 1e12 rolls, and a race of which nearly all attempts are reset."""

    def die(name, target, chance, otherwise):
        scores = dl.Outcome(chance, dl.Choice(1, "roll"))
        mode = dl.Mode("roll", [dl.Outcome(1 - Fraction(chance), otherwise), scores])
        return dl.Game(name, target, mode)

    rare, undone = die("rare", 3, "1/1000000000000", "bust"), die("undone", 5, "1/1000", "reset")
    with pytest.raises(dl.ConvergenceError, match="an outcome is rarer than 1e-08"):
        dl.best_response(rare, 1)
    with pytest.raises(dl.ConvergenceError, match="fewer than 1e-04 of the races are not undone"):
        dl.best_response(undone, 1)
    with pytest.raises(
        dl.ConvergenceError, match=r"not undone by a reset, .*solve with exact=True"
    ):
        dl.solve(undone)
    assert dl.solve(undone, exact=True).value > 0.5
