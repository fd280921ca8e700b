"""Races for model checkers: the text describes the game that the solvers solve.

A text for PRISM-games is read here by a few lines of our own, expanded from its commands alone, and solved as a
stochastic game by the textbook.
"""

import re
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import pytest
from click.testing import CliRunner
from conftest import two_coins

import dicelab as dl
from collection import textbook
from dicelab.cli import main
from dicelab_extras import proofs
from dicelab_extras.proofs.export import PROPERTY, prism_text

CLOSE = 1e-10  # the textbook stops when values change by less than 1e-12 a sweep


BUSTS = [
    dl.Register("calm", after_bust="hurt", least_hold=2),
    dl.Register("hurt", after_hold="calm", after_bust="calm", penalty=3),
]
PAID = [
    dl.Register("paid", after_bust="hurt", penalty=-1),
    dl.Register("hurt", after_bust="paid", penalty=2),
]
ONCE = dl.Register("old")
STOPS = [dl.Register("new", "old", least_hold=3, mode="bold"), dl.Register("old", mode="choose")]
WAYS = [  # beyond the target, in a mode without a hold, the player has a choice of modes
    dl.Mode(
        "a",
        [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [dl.Choice(1, "a"), dl.Choice(1, "b")])],
        may_hold=False,
    ),
    dl.Mode("b", [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "b"))]),
]
GAMES = {
    "Pig": dl.pig(6),
    "exact": dl.pig(6, finish="exact"),
    "resets": dl.two_dice_pig(5),
    "must roll": dl.double_trouble(9),
    "choices": two_coins(3),
    "choices, exact": two_coins(4, "exact"),
    "dice set aside": dl.ten_thousand(2),
    "choices past the target": dl.Game("Ways", 3, WAYS),
    "registers": replace(dl.piglet(3), registers=BUSTS, lowest=-1),
    "a bust scores": replace(
        dl.piglet(4), registers=[dl.Register("any", penalty=-2, least_hold=2)]
    ),
    "some score": replace(dl.piglet(3, "exact"), registers=PAID, lowest=-1),
    "registers, choices": replace(
        dl.ten_thousand(2), registers=[dl.Register("new", "old", least_hold=2), ONCE]
    ),
}
ENDLESS = {
    "must hold early": replace(two_coins(4), registers=STOPS),
    "stuck": dl.hog(3, 2, "exact"),
}  # or may be


PARTS = {  # of a text: how they are written
    "player": r"player p(\d) (.+?) endplayer",
    "formula": r"(?:const int|formula) (\w+) = (.+?);",
    "label": r'label "(\w+)" = (.+?);',
    "variable": r"(\w+) : \[(.+?)\.\.(.+?)\] init (.+?);",
    "command": r"\[(\w+)\] (.+?) -> (.+?);",
}


class Names(dict):
    """The variables of a state, and the formulas that are computed from them."""

    def __init__(self, formulas, state):
        super().__init__(state)
        self.formulas = formulas

    def __missing__(self, name):
        return self.formulas[name](dict(self))


def in_python(words):
    """An expression of PRISM as one of Python; a choice, "a ? b : c", stands in parentheses."""
    parts = []

    def keep(match):
        condition, choice, ways = match[1].partition("?")
        yes, _, no = ways.partition(":")
        parts.append(f"({yes} if {condition} else {no})" if choice else match[0])
        return f"`{len(parts) - 1}`"

    words = re.sub(r"(?<![<>=!])=", "==", words).replace("&", " and ").replace("|", " or ")
    words = words.replace("!", " not ")
    while "(" in words:
        words = re.sub(r"\(([^()]*)\)", keep, words)
    for number, part in reversed([*enumerate(parts)]):
        words = words.replace(f"`{number}`", part)
    return words.strip()


class Text:
    """A text in the language of PRISM-games: constants, formulas, players, variables, commands and labels.

    An expression becomes a function of a state, which is a dict of the variables.
    """

    def __init__(self, text):
        self.rest = " ".join(re.sub(r"//[^\n]*", "", text).split())
        self.owner = {}
        for player, actions in self.taken("player"):
            self.owner |= dict.fromkeys(re.findall(r"\w+", actions), int(player))
        self.formulas = {}
        self.formulas |= {name: self.read(words) for name, words in self.taken("formula")}
        self.labels = {name: self.read(words) for name, words in self.taken("label")}
        self.ranges, self.initial = {}, {}
        for name, *numbers in self.taken("variable"):
            low, high, first = (self.read(words)({}) for words in numbers)
            self.ranges[name], self.initial[name] = (low, high), first
        self.commands = []
        for action, guard, updates in self.taken("command"):
            after = [self.read_update(update) for update in updates.split(" + ")]
            self.commands.append((action, self.read(guard), after))
        assert self.rest.split() == ["smg", "module", "race", "endmodule"]

    def taken(self, kind):
        """What stands in all parts of a kind, which are taken out of the rest."""
        found = re.findall(PARTS[kind], self.rest)
        self.rest = re.sub(PARTS[kind], "", self.rest)
        return found

    def read_update(self, words):
        """A probability, and pairs of a variable and an expression."""
        chance, assignments = re.fullmatch(r"(?:([\d/]+) : )?(.+)", words).groups()
        found = []
        if assignments != "true":
            for assignment in re.split(r" & (?=\(\w+'=)", assignments):
                name, value = re.fullmatch(r"\((\w+)'=(.+)\)", assignment).groups()
                found.append((name, self.read(value)))
        return Fraction(chance or 1), found

    def read(self, words):
        code = compile(in_python(words), words, "eval")
        return lambda state: eval(code, {"min": min, "max": max}, Names(self.formulas, state))

    def actions(self, state):
        """Pairs of the action and a Counter of the next states, as sorted tuples; variables stay in their ranges."""
        found = []
        for action, guard, updates in self.commands:
            if guard(state):
                after = Counter()
                for probability, assignments in updates:
                    to = state | {name: value(state) for name, value in assignments}
                    assert all(
                        low <= to[name] <= high for name, (low, high) in self.ranges.items()
                    ), (action, to)
                    after[tuple(sorted(to.items()))] += probability
                found.append((action, after))
        return found

    def expanded(self):
        """The actions of all states that can be reached, by state; all belong to one player, whose turn it is."""
        start = tuple(sorted(self.initial.items()))
        states, found = [start], {start}
        for state in states:
            actions = self.actions(dict(state))
            assert actions and all(sum(after.values()) == 1 for _, after in actions)
            if self.formulas["playing"](dict(state)):
                assert {self.owner[action] for action, _ in actions} == {dict(state)["turn"]}
            new = {to for _, after in actions for to in after} - found
            states += sorted(new)
            found |= new
        return {state: self.actions(dict(state)) for state in states}


def value_of(text, label="won"):
    """The probability that the player of a label reaches it, by the textbook; the other one keeps it small."""
    expanded = text.expanded()
    over = {state: not text.formulas["playing"](dict(state)) for state in expanded}
    places = {state: k for k, state in enumerate(state for state in expanded if not over[state])}
    stages = {place: {} for place in places.values()}
    for state, place in places.items():
        for number, (_, after) in enumerate(expanded[state]):
            payment = sum(p for to, p in after.items() if text.labels[label](dict(to)))
            onward = {places[to]: p for to, p in after.items() if not over[to]}
            first = dict(state)["turn"] == (1 if label == "won" else 2)
            stages[place][(number, 0) if first else (0, number)] = float(payment), onward
    values, _ = textbook.solve_stochastic(textbook.StochasticGame(stages))
    return values[0]


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_value_of_the_text(game):
    assert value_of(Text(prism_text(game))) == pytest.approx(dl.solve(game).value, abs=CLOSE)


@pytest.mark.parametrize("game", ENDLESS.values(), ids=ENDLESS)
def test_the_value_where_play_may_be_endless(game):
    """Endless play is neither won nor lost: what both can make sure of leaves room for it."""
    text = Text(prism_text(game))
    won, lost = value_of(text), value_of(text, "lost")
    assert 0 < lost < won <= 1 - lost + CLOSE


# Files


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (
            {"file": "x.txt"},
            ValueError,
            r"^file: 'x.txt' is not allowed; give a name that ends in .prism$",
        ),
        (
            {"game": dl.pig(5, "last licks")},
            NotImplementedError,
            "finish='last licks': before a last turn the first player may roll on without end",
        ),
        ({"game": dl.pig(10**12)}, MemoryError, "^the text of Pig to 1000000000000 needs about"),
    ],
)
def test_what_cannot_be_written_is_refused(given, error, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        proofs.export(**{"game": dl.pig(5), "file": "x.prism"} | given)
    assert not [*tmp_path.iterdir()]


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["export", "pig", "--target", "5", "-o", "pig.prism"])
    assert done.exit_code == 0 and done.stdout == f"pig.prism\n{PROPERTY}\n"
    assert (tmp_path / "pig.prism").read_text() == prism_text(dl.pig(5))
    done = CliRunner().invoke(main, ["export", "pig"])
    assert done.exit_code == 2 and "Missing option '-o'" in done.output


def test_names_do_not_end_a_comment(tmp_path):
    """Names are texts of other people: a line break in one would make code of what follows it."""
    texts = []
    for name in ("roll", "roll\n\nendmodule", "roll\r\nx", "a\x85b", "a\u2028b", 'a"b'):
        mode = dl.Mode(name, [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, name))])
        proofs.export(dl.Game(f"race\n{name}", 4, [mode]), tmp_path / "game.prism")
        text = (tmp_path / "game.prism").read_text(encoding="utf-8")
        texts.append([line.partition("//")[0].rstrip() for line in text.splitlines()])
    assert all(text == texts[0] for text in texts)
