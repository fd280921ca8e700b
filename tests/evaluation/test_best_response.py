"""Best responses that float64 cannot find are refused; and forced rolls above the target come to an end."""

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


def test_forced_rolls_above_the_target():
    """Hold at 2 takes 4 points and rolls again, for ever, and never wins; what is best against it is refused."""
    modes = [
        dl.Mode("a", [dl.Outcome("4/5", "bust"), dl.Outcome("1/5", dl.Choice(2, "c"))]),
        dl.Mode("b", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(4, "b"))]),
        dl.Mode(
            "c",
            [dl.Outcome("2/5", "bust"), dl.Outcome("3/5", [dl.Choice(4, "c"), dl.Choice(2, "b")])],
            may_hold=False,
        ),
    ]
    game = dl.Game("for ever", 2, modes, "last licks")
    assert dl.evaluate(game, 2, 2).first_wins == 0.5
    with pytest.raises(dl.ConvergenceError, match="the best response falls short of its value"):
        dl.best_response(game, 2)
