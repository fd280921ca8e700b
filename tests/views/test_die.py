"""Dice in words: what is understood, and what is said of the rest."""

from fractions import Fraction

import pytest

import dicelab as dl
from dicelab.games.die import Face, bust_probabilities, read_die


@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("1 2 3 4 5 6, ones bust", dl.pig(20)),
        ("1, 2, 3, 4, 5, 6, 1 busts", dl.pig(20)),
        ("1 2 3 4 5 6; A ONE BUSTS", dl.pig(20)),
        ("1:1/6 2:1/6 3:1/6 4:1/6 5:1/6 6:1/6\nface 1 busts", dl.pig(20)),
        ("0 1, zeros bust", dl.piglet(20)),
        ("0:50% 1 : 0.5, 0s bust", dl.piglet(20)),
        ("6 6 6 1, sixes bust", dl.generalized_pig(["3/4", "1/4"], 20)),
        ("1 2 3, one and two bust", dl.generalized_pig(["2/3", 0, 0, "1/3"], 20)),
        ("1 2 3 20, 1s and 2s bust, 20s bust", dl.generalized_pig(["3/4", 0, 0, "1/4"], 20)),
        ("\ufeff“0:0,5 1:50 %, zeros bust”\r\n", dl.piglet(20)),
        ("1\xa02\u20093:37,5%, 2 busts; 1\tbusts", dl.generalized_pig(["5/8", 0, 0, "3/8"], 20)),
        ("1 2 6=1/2, ones bust", dl.generalized_pig(["1/4", 0, "1/4", 0, 0, 0, "1/2"], 20)),
    ],
)
def test_dice_as_people_write_them(text, game):
    found = dl.generalized_pig(bust_probabilities(read_die(text)), 20, name=game.name)
    assert found == game


def test_the_faces_are_told_in_order_with_what_they_do():
    assert read_die("2 1 2, ones bust") == [
        Face(1, Fraction(1, 3), True),
        Face(2, Fraction(2, 3), False),
    ]
    assert [face.number for face in read_die("1 2 3:0, ones bust")] == [1, 2]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "die: '' is not allowed; give faces and what busts"),
        (3, "die: 3 is not allowed"),
        ("1 2 3… ones bust", r"the character '…' \(U\+2026\) is not read"),
        ("1 2:1,5 3, ones bust", "the chances sum to 3/2|nothing is left"),
        ("1 2 3 4 5 sux, ones bust", "die: 'sux' is not allowed; give faces from 0 to 100"),
        ("1 101, ones bust", "die: '101' is not allowed"),
        ("1/6 5/6", "die: '1/6' is not allowed; give faces"),
        ("1 2, bad ones bust", "die: 'bad' is not allowed; give the faces that bust"),
        ("1:1/2 2:1/3, ones bust", "the chances sum to 5/6, not to 1"),
        ("1:1/2 2:2/3 3, ones bust", "the chances sum to 7/6, not to 1"),
        ("1:1 2, ones bust", "nothing is left"),
        ("1:2 2, ones bust", "die: '2' is not allowed; give a number"),
        ("1:x 2, ones bust", "die: 'x' is not allowed; give a number"),
        ("1: 2, ones bust", "nothing is left|die: '2' is not allowed"),
        ("1 2 3 4 5 6 ones bust", "no face scores; write the faces, a comma"),
        ("1 1, ones bust", "no face scores"),
        ("1 2 3", "no face busts"),
        ("1 2 3, 4 busts", r"\[4\] would bust, but not all of them are on the die"),
        ("0 1 2, ones bust", "a 0 neither scores nor busts"),
    ],
)
def test_what_is_no_die_is_explained(text, said):
    with pytest.raises(ValueError, match=said):
        read_die(text)
