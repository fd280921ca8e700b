"""Games in which a player may pass: whoever holds before the first roll does."""

import numpy as np
import pytest

import dicelab as dl

PIG, LICKS = (
    dl.Game("Pig", 20, dl.pig(20).modes, finish, may_pass=True)
    for finish in ("reach", "last licks")
)
TOTALS = np.where(np.arange(20) % 2, 0, np.full((20, 20), 20))


def passes_at_odd(own, opponent, turn_total):
    passes = turn_total == 0 and opponent % 2
    return "hold" if passes or turn_total >= 20 else "roll"


@pytest.mark.parametrize(
    "strategy",
    [
        passes_at_odd,
        dl.Rule(
            "odd", lambda own, opponent, total: (total >= 20) | (total == 0) & (opponent % 2 == 1)
        ),
        TOTALS,
        np.arange(20) < TOTALS[:, :, None],
    ],
    ids=["function", "rule", "turn totals", "decisions"],
)
def test_a_hold_before_the_first_roll_is_a_pass(strategy):
    first, second = (dl.evaluate(PIG, *pair) for pair in [(strategy, 5), (5, strategy)])
    assert first.first_wins == pytest.approx(0.700892842029, abs=1e-10)
    assert second.first_wins == pytest.approx(0.478923301074, abs=1e-10)
    with pytest.raises(ValueError, match="holds before the first roll"):
        dl.evaluate("pig 20", strategy, 5)


def test_nobody_should_pass_and_two_who_do_draw():
    assert dl.solve(PIG).value == pytest.approx(dl.solve("pig 20").value, abs=1e-12)
    nobody = dl.evaluate(PIG, lambda own, opponent, turn_total: "hold", lambda turn_total: "hold")
    assert nobody.wins == (0.5, 0.5) and nobody.turns_mean == np.inf
    turn_at = dl.Rule("idle", lambda own, opponent, total: total < 1).turn_at
    assert [turn_at(LICKS, 15, j, choices=True)[1][0, 0] for j in (19, 21)] == [1, 0]
    with pytest.raises(
        ValueError, match="may_pass: True is not allowed with registers that a bust"
    ):
        dl.Game("x", 9, dl.pig(9).modes, registers=dl.Register("x", penalty=-1), may_pass=True)
