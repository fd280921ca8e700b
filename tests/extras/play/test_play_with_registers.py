"""Play and views of games with registers, and of games with choices before the roll."""

from dataclasses import replace

import pytest

import dicelab as dl
from dicelab import Register, Score
from dicelab_extras.play.advice import advice_at
from dicelab_extras.play.session import GameSession
from dicelab_extras.play.situation import Situation

OPENING = Register("not opened", "opened", least_hold=10), Register("opened")


@pytest.fixture(scope="module")
def opening():
    return dl.solve(replace(dl.pig(60), name="Opening Pig", registers=OPENING))


def roll_until(session, true):
    """Roll, and hold wherever that is allowed, until something is true; what was asked for before it."""
    for _ in range(500):
        if true():
            return
        session.take(session.options()[-1].name)
    raise AssertionError


def test_an_early_hold_is_refused_with_a_sentence(opening):
    session = GameSession(opening, seed=1)
    assert session.cannot_hold == "at least 10 points are needed to hold"
    roll_until(session, lambda: 0 < session.total < 10)
    with pytest.raises(
        ValueError, match="'hold' is not allowed; now there is roll; at least 10 points are needed"
    ):
        session.take("hold")
    roll_until(session, lambda: session.total >= 10 and session.cannot_hold == "")
    player, held = session.player, session.total
    session.take("hold")
    assert session.scores[player] == held and session.scores[player].register == "opened"
    assert session.log[-1].endswith(f"held at {held} points: {held} points banked; now opened.")


SHUT, OPENED = Score(0, "not opened"), Score(12, "opened")
ADVICE = [
    (
        (SHUT, OPENED, 4),
        "You have 0 points, not opened; your opponent 12 points, opened; this turn 4 points.\nRoll.\n",
    ),
    ((SHUT, OPENED, 4), "  no hold: at least 10 points are needed to hold"),
    ((OPENED, 0, 4), "  hold  you win with"),
    ((25, 0, 7), "You have 25 points, not opened"),
    ((Score(55, "opened"), 0, 7), "Hold: that reaches the target"),
    ((55, 0, 7), "Roll."),
]


@pytest.mark.parametrize(("asked", "said"), ADVICE)
def test_advice_in_words(opening, asked, said):
    assert said in advice_at(opening, Situation(opening.game, asked[:2], asked[2]))


def test_advice_for_a_choice_before_the_roll():
    start = Situation(dl.hog(20, 3), (3, 4))
    _, best, *options = advice_at(dl.solve(start.game), start).splitlines()
    values = {line.strip().split("  ")[0]: float(line.split()[-1][:-1]) for line in options}
    assert len(values) == 3 and best == f"{max(values, key=values.get)}."
    assert max(values.values()) == pytest.approx(100 * dl.solve(dl.hog(20, 3)).at(3, 4), abs=1e-3)
