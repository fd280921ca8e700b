"""Cards are HTML with the facts; names are escaped; pictures are small and have a text; no card takes long."""

import base64
import struct
from functools import cache
from html.parser import HTMLParser

import pytest

import dicelab as dl
from collection.papers import FinishesAtOnce
from dicelab import _shown
from dicelab_extras import grading
from dicelab_extras.play import cards

PIG = dl.solve(dl.pig(60))
NASTY = "<script>alert(1)</script> $x_ & \"y\" 'z'"
COIN = dl.generalized_pig(["1/2", "1/2"], 12, name=NASTY)
MODES = dl.Game(
    NASTY,
    12,
    [
        dl.Mode(NASTY, [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "$\\alpha"))]),
        dl.Mode("$\\alpha", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(2, NASTY))]),
    ],
)


def documented(own, opponent, total, target):
    """Hold above 3 & below <b>9</b>.

    More of it.
    """
    return total > 3


RULE = dl.Rule(NASTY, documented)
MATCH = dl.evaluate(COIN, RULE, dl.hold_at(3))
THINGS = {
    "game": lambda: dl.pig(),
    "exact finish": lambda: dl.two_dice_pig(30, "exact"),
    "many modes": lambda: dl.farkle(50),
    "mode": lambda: dl.pig().modes[0],
    "nasty game": lambda: MODES,
    "win": lambda: PIG,
    "margin": lambda: dl.solve(dl.pig(40), "margin"),
    "turns": lambda: dl.solve(dl.pig(40), "turns"),
    "score": lambda: dl.solve(dl.ten_thousand(), "score"),
    "resets": lambda: dl.solve(dl.two_dice_pig(60)),
    "modes": lambda: dl.solve(dl.ten_thousand(60)),
    "nasty solution": lambda: dl.solve(MODES),
    "nasty turns": lambda: dl.solve(MODES, "turns"),
    "exact": lambda: dl.solve(dl.pig(45), exact=True),
    "nothing to decide": lambda: dl.solve(dl.piglet(1)),
    "best response": lambda: dl.best_response(COIN, RULE),
    "grade": lambda: grading.grade(COIN, RULE),
    "grade of modes": lambda: grading.grade(dl.double_trouble(12), RULE),
    "best grade": lambda: grading.grade(COIN, dl.solve(COIN).policy),
    "policy": lambda: PIG.policy,
    "recorded": lambda: MATCH.first,
    "memory": lambda: dl.evaluate(COIN, dl.scoring_turns(3), RULE).first,
    "finishing": lambda: FinishesAtOnce(PIG.policy),
    "rule": lambda: RULE,
    "rule of thumb": lambda: dl.hold_at(20),
    "match": lambda: MATCH,
    "endless": lambda: dl.evaluate(dl.pig(7, "exact"), dl.hold_at(1), dl.hold_at(1)),
    "estimate": lambda: dl.simulate(COIN, RULE, dl.hold_at(3), games=100),
    "one game": lambda: dl.simulate(COIN, RULE, dl.hold_at(3), games=1),
}


@cache
def thing(name):
    return THINGS[name]()


class Elements(HTMLParser):
    """Checks that elements are closed in order; collects pictures and text."""

    def __init__(self, page):
        super().__init__()
        self.open, self.pictures, self.text, self.names = [], [], "", set()
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        if tag == "img":
            self.pictures.append(dict(attributes))
        else:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text += f"{data}\n"


@pytest.mark.parametrize("name", THINGS)
def test_cards_are_small_well_formed_and_escaped(name):
    page = thing(name)._repr_html_()
    found = Elements(page)
    assert "script" not in found.names and len(page) < 150_000
    assert "np." not in found.text and "None" not in found.text
    for picture in found.pictures:
        png = base64.b64decode(picture["src"].removeprefix("data:image/png;base64,"))
        width, height = struct.unpack(">II", png[16:24])
        assert width > height / 2 and int(picture["width"]) == 96 * width // cards.DOTS < 800
        assert picture["alt"].endswith(".") and len(picture["alt"]) > 40
    drawn = {
        "win",
        "margin",
        "turns",
        "resets",
        "modes",
        "exact",
        "policy",
        "recorded",
        "finishing",
        "match",
    }
    assert len(found.pictures) == 1 or name not in drawn


SAID = {
    "win": f"{PIG.value:.12g} to the player to move",
    "game": "bust: the turn total is lost",
    "exact finish": "Whoever first has exactly 30 points wins",
    "score": "hold at, 4 dice\n19 or more",  # Crocce and Mordecki 2014, Table 5
    "exact": "exact, in fractions",
    "nothing to decide": "It always rolls until it wins.",
    "match": f"wins {MATCH.first_wins:.6f}",
    "rule": "Hold above 3 & below <b>9</b>.",
    "rule of thumb": "at least 20, or enough to reach the target.",
    "estimate": "(95 %)",
    "one game": "Estimate from 1 game of",
}


@pytest.mark.parametrize("name", SAID)
def test_what_cards_say(name):
    assert SAID[name] in Elements(thing(name)._repr_html_()).text


def test_policies_of_ones_own_and_missing_libraries_have_no_card(monkeypatch):
    assert dl.Policy()._repr_html_() is None

    def missing(*name):
        raise ImportError("matplotlib")

    monkeypatch.setattr(_shown, "view", missing)
    assert PIG._repr_html_() is None


@pytest.mark.parametrize("finish", ["reach", "equal turns", "last licks"])
def test_the_target_does_not_win_before_a_last_turn(finish):
    """A policy that does not hold below the target rolls on, or a last turn follows."""
    far = "until it wins" if finish == "reach" else "to the target or beyond"
    assert f"always rolls {far}.</p>" in dl.solve(dl.pig(6, finish)).policy._repr_html_()
