"""Targets of the catalogue in chips and in points."""

import re
from dataclasses import replace

import pytest

import dicelab as dl
from dicelab.games.catalogue import restrict_discards


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (
            lambda: dl.ten_thousand(10_000),
            "10000 chips are 500,000 points; for 10,000 points give 200; to mean it, use ",
        ),
        (lambda: dl.farkle(1_000), "1000 chips are 50,000 points; for 1,000 points give 20; "),
        (lambda: dl.farkle(10_010), "for 10,010 points give 201"),
        (
            lambda: dl.farkle(5_000, unit=10),
            "5000 chips are 50,000 points; for 5,000 points give 500",
        ),
    ],
)
def test_a_target_in_points_by_mistake_is_asked_about(ask, said):
    with pytest.raises(ValueError, match=f"target: .*{re.escape(said)}"):
        ask()


def test_chips_are_said():
    assert str(dl.ten_thousand(20)).startswith("Ten Thousand to 20 chips (1,000 points)\n")
    assert (dl.ten_thousand().unit, dl.farkle(unit=10).unit, dl.pig().unit) == (
        "chips of 50 points",
        "chips of 10 points",
        "points",
    )
    assert [dl.farkle().with_unit(score) for score in (0, 1, 200)] == [
        "0 chips (0 points)",
        "1 chip (50 points)",
        "200 chips (10,000 points)",
    ]
    assert restrict_discards(dl.ten_thousand(), [(5,)]).chip == 50
    with pytest.raises(ValueError, match="chip: 0 is not allowed"):
        replace(dl.pig(), chip=0)
    assert replace(dl.pig(), chip=50) == dl.pig(), "no solver looks at it"
