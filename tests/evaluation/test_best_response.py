"""Best responses that float64 cannot find are refused; and those above the target, where one must roll on."""

from fractions import Fraction

import pytest

import dicelab as dl
from dicelab import Choice, Mode, Outcome


def test_what_float64_cannot_tell_apart_is_refused():
    """A mode that scores once in 1e12 rolls, and a race of which nearly all attempts are reset."""

    def die(chance, otherwise):
        scores = dl.Outcome(probability=chance, result=[dl.Choice(points=1, mode="roll")])
        return dl.Mode(
            name="roll", outcomes=[dl.Outcome(probability=1 - chance, result=otherwise), scores]
        )

    rare = die(Fraction(1, 10**12), "bust")
    reset = die(Fraction(1, 1000), "reset")
    with pytest.raises(dl.ConvergenceError, match="an outcome has the probability 1e-12"):
        dl.best_response(dl.Game(name="rare", target=3, modes=[rare]), dl.hold_at(1))
    undone = dl.Game(name="undone", target=5, modes=[reset])
    with pytest.raises(
        dl.ConvergenceError, match="fewer than 1e-04 of the races are not undone by a reset"
    ):
        dl.best_response(undone, dl.hold_at(1))
    with pytest.raises(dl.ConvergenceError, match="repeated so often; solve with exact=True"):
        dl.solve(undone)
    assert dl.solve(undone, exact=True).value > 0.5


@pytest.mark.parametrize("finish", ["last licks", "equal turns"])
def test_choices_of_one_who_must_roll_on_above_the_target(finish):
    """Where points make no difference any more the better mode is chosen, not the first: it ends the forced rolls."""
    half, free = Fraction(1, 2), Choice(2, "free")
    modes = [
        Mode(
            "free",
            [Outcome("1/3", "bust"), Outcome(half, free), Outcome("1/6", Choice(1, "forced"))],
        ),
        Mode("forced", [Outcome(half, "bust"), Outcome(half, [Choice(1, "forced"), free])], False),
    ]
    game = dl.Game("forced choices", 2, modes, finish)
    optimal, rule = dl.solve(game), dl.hold_at(1)
    response = dl.best_response(game, rule)
    assert response.value >= dl.evaluate(game, optimal.policy, rule).first_wins - 1e-14
    three = dl.solve(game, players=3)
    match = dl.evaluate(game, *[three.policy] * 3)
    assert match.wins == pytest.approx(three.value, abs=1e-13)


@pytest.mark.parametrize("finish", ["equal turns", "last licks"])
def test_forced_rolls_above_the_target_come_to_an_end(finish):
    """Hold at 2 takes 4 points and rolls again, for ever, and never wins; a best response must not do the same."""
    modes = [
        dl.Mode("a", [dl.Outcome("4/5", "bust"), dl.Outcome("1/5", dl.Choice(2, "c"))]),
        dl.Mode("b", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(4, "b"))]),
        dl.Mode(
            "c",
            [dl.Outcome("2/5", "bust"), dl.Outcome("3/5", [dl.Choice(4, "c"), dl.Choice(2, "b")])],
            may_hold=False,
        ),
    ]
    game = dl.Game("for ever", 2, modes, finish)
    response = dl.best_response(game, 2)
    assert response.value == pytest.approx(1, abs=1e-12)
    assert dl.evaluate(game, 2, 2).first_wins == 0.5
    assert dl.best_response(game, 2, 2).value[0] == pytest.approx(1, abs=1e-12)
