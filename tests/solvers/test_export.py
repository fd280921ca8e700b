"""Races for model checkers: the two kinds of files describe the same game, and Storm finds the values of the solvers.

A text for PRISM-games is read here by a few lines of our own, and expanded from its commands alone. The process that is
written as UMB is solved as a stochastic game by the textbook. Both need no other package. Tests that read a file .umb
again need umbi, and those that ask Storm need stormpy as well; without these they are skipped.
"""

import itertools
import json
import operator
import re
import shlex
import sys
import tarfile
from collections import Counter
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import two_coins

import dicelab as dl
from collection import textbook
from dicelab.cli import main
from dicelab.solvers.export import PROPERTIES, decision_process, prism_text

NO_UMBI = "umbi is not installed: pip install 'dicelab[export]'"
NO_STORM = "Storm is not installed: pip install umbi 'stormpy>=2.0'"
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
GAMES = {
    "Pig": dl.pig(6),
    "exact": dl.pig(6, finish="exact"),
    "resets": dl.two_dice_pig(5),
    "must roll": dl.double_trouble(9),
    "choices": two_coins(4),
    "choices, exact": two_coins(4, "exact"),
    "dice set aside": dl.ten_thousand(3),
    "registers": replace(dl.piglet(3), registers=BUSTS, lowest=-1),
    "a bust scores": replace(
        dl.piglet(4), registers=[dl.Register("any", penalty=-2, least_hold=2)]
    ),
    "some score": replace(dl.piglet(3, "exact"), registers=PAID, lowest=-1),
    "registers, choices": replace(
        dl.ten_thousand(3), registers=[dl.Register("new", "old", least_hold=2), ONCE]
    ),
}
ENDLESS = {
    "must hold early": replace(two_coins(4), registers=STOPS),
    "stuck": dl.hog(5, 2, "exact"),
}  # or may be
every_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)


TOKEN = re.compile(r"\"\w+\"|\w+'?|->|\.\.|[<>]=|[-+/=<>!&|?:;,()\[\]]")
COMPARED = {
    "=": operator.eq,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


class Text:
    """A text in the language of PRISM-games: constants, formulas, players, variables, commands and labels.

    An expression becomes a function of a state, which is a dict of the variables.
    """

    def __init__(self, text):
        self.tokens = TOKEN.findall(re.sub(r"//[^\n]*", "", text))
        self.formulas, self.labels, self.owner, self.ranges, self.initial, self.commands = (
            {},
            {},
            {},
            {},
            {},
            [],
        )
        assert self.take() == "smg"
        while self.tokens:
            getattr(self, f"read_{self.take()}")()

    def take(self, *allowed):
        assert not allowed or self.tokens[0] in allowed, (self.tokens[:9], allowed)
        return self.tokens.pop(0)

    def taken(self, *tokens):
        """Whether the next token is one of some; then it is taken."""
        return self.take() if self.tokens[0] in tokens else None

    def read_const(self):
        self.take("int")
        self.read_formula()

    def read_formula(self):
        name, _ = self.take(), self.take("=")
        self.formulas[name] = self.expression()
        self.take(";")

    def read_label(self):
        name, _ = self.take(), self.take("=")
        self.labels[name.strip('"')] = self.expression()
        self.take(";")

    def read_player(self):
        player = self.take("p1", "p2")
        while not self.taken("endplayer"):
            self.take("[", ",")
            if (action := self.take()) != "[":
                self.take("]")
            else:
                action = self.take()
                self.take("]")
            self.owner[action] = int(player[1])

    def read_module(self):
        assert self.take() == "race"
        while not self.taken("endmodule"):
            self.read_command() if self.taken("[") else self.read_variable()

    def read_variable(self):
        name = self.take()
        _ = self.take(":")
        _ = self.take("[")
        low = self.sum()
        _ = self.take("..")
        high = self.sum()
        _ = self.take("]")
        self.ranges[name] = low({}), high({})
        self.take("init")
        self.initial[name] = self.sum()({})
        self.take(";")

    def read_command(self):
        action, _ = self.take(), self.take("]")
        guard, updates = self.expression(), []
        self.take("->")
        while True:
            probability = Fraction(1)
            if self.tokens[0].isdigit():
                probability = Fraction(self.take())
                if self.taken("/"):
                    probability /= int(self.take())
                self.take(":")
            updates.append((probability, self.assignments()))
            if self.take("+", ";") == ";":
                break
        self.commands.append((action, guard, updates))

    def assignments(self):
        """Pairs of a variable and an expression."""
        found = []
        if self.taken("true"):
            return found
        while True:
            self.take("(")
            name, _ = self.take(), self.take("=")
            found.append((name.removesuffix("'"), self.expression()))
            assert name.endswith("'") and self.take(")")
            if not self.taken("&"):
                return found

    def expression(self):
        if_true = self.any_of()
        if not self.taken("?"):
            return if_true
        condition = if_true
        yes = self.expression()
        _ = self.take(":")
        no = self.expression()
        return lambda state: (yes if condition(state) else no)(state)

    def any_of(self):
        parts = [self.all_of()]
        while self.taken("|"):
            parts.append(self.all_of())
        return parts[0] if len(parts) == 1 else lambda state: any(part(state) for part in parts)

    def all_of(self):
        parts = [self.compared()]
        while self.taken("&"):
            parts.append(self.compared())
        return parts[0] if len(parts) == 1 else lambda state: all(part(state) for part in parts)

    def compared(self):
        if self.taken("!"):
            negated = self.compared()
            return lambda state: not negated(state)
        left, sign = self.sum(), self.taken(*COMPARED)
        if not sign:
            return left
        right = self.sum()
        return lambda state: COMPARED[sign](left(state), right(state))

    def sum(self):
        terms = [(1, self.atom())]
        while sign := self.taken("+", "-"):
            terms.append((1 if sign == "+" else -1, self.atom()))
        return (
            terms[0][1]
            if len(terms) == 1
            else lambda state: sum(sign * term(state) for sign, term in terms)
        )

    def atom(self):
        token = self.take()
        if token == "-":
            inner = self.atom()
            return lambda state: -inner(state)
        if token == "(":
            inner, _ = self.expression(), self.take(")")
            return inner
        if token.isdigit():
            return lambda state: int(token)
        if token in ("min", "max"):
            self.take("(")
            one = self.expression()
            _ = self.take(",")
            two = self.expression()
            _ = self.take(")")
            return lambda state: {"min": min, "max": max}[token](one(state), two(state))
        return lambda state: state[token] if token in state else self.formulas[token](state)

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


def named(process):
    """The states of a process as those of a text."""
    variables = process.race.variables.items()
    return [
        tuple(sorted((name, value(situation)) for name, value in variables))
        for situation in process.states
    ]


def without_names(actions):
    """Actions as sorted lists of the next states' probabilities."""
    return sorted(sorted(after.items()) for _, after in actions)


@pytest.mark.parametrize("game", (GAMES | ENDLESS).values(), ids=GAMES | ENDLESS)
def test_the_text_and_the_process_are_the_same_game(game):
    """Both are written from the rules, on different ways: by command, and by state."""
    text = Text(prism_text(game))
    process = decision_process(game)
    states, expanded = named(process), text.expanded()
    assert len(set(states)) == len(states) and set(states) == set(expanded)
    for state, actions, situation in zip(states, process.actions, process.states, strict=True):
        ours = [(name, {states[to]: p for to, p in after.items()}) for name, after in actions]
        assert without_names(ours) == without_names(expanded[state]), state
        winner = process.race.winner(situation)
        assert [text.labels[label](dict(state)) for label in ("won", "lost")] == [
            winner == 1,
            winner == 2,
        ]


def value_of(process):
    """The probability that the deciding player wins, by the textbook; or player 1, if both decide."""
    stages = {}
    for place, (situation, actions) in enumerate(zip(process.states, process.actions, strict=True)):
        if process.race.winner(situation):
            continue
        stages[place] = {}
        for number, (_, after) in enumerate(actions):
            payment = sum(
                p
                for to, p in after.items()
                if process.race.winner(process.states[to]) == process.seat
            )
            onward = {
                to: p for to, p in after.items() if not process.race.winner(process.states[to])
            }
            chosen = (number, 0) if situation.turn == process.seat else (0, number)
            stages[place][chosen] = float(payment), onward
    values, _ = textbook.solve_stochastic(textbook.StochasticGame(stages))
    return values[0]


@every_game
def test_the_value_of_the_two_player_game(game):
    assert value_of(decision_process(game)) == pytest.approx(dl.solve(game).value, abs=CLOSE)


@every_game
@pytest.mark.parametrize("seat", [1, 2])
def test_the_value_against_an_optimal_policy(game, seat):
    solution = dl.solve(game, exact=True)
    value = solution.value if seat == 1 else 1 - solution.value
    assert value_of(decision_process(game, solution.policy, seat)) == pytest.approx(
        float(value), abs=CLOSE
    )


@every_game
def test_the_value_against_a_rule_of_thumb(game):
    """Against a bad rule the value of the process is that of the best response, and larger than that of the game."""
    process = decision_process(game, dl.hold_at(1))
    best = dl.best_response(game, dl.hold_at(1)).value
    assert value_of(process) == pytest.approx(best, abs=CLOSE)
    assert all(
        len(found) == 1
        for s, found in zip(process.states, process.actions, strict=True)
        if s.turn == 2
    )


class Drawn(dl.Policy):
    """Decisions and choices drawn by lot, so that no two scores are treated alike."""

    def decisions_at(self, game, own, memory=0):
        rolls = dl.hold_at(1).decisions_at(game, own)
        rng = np.random.default_rng(own)
        may_hold = np.array([mode.may_hold and not mode.must_hold for mode in game.modes])[:, None]
        totals = np.arange(game.longest)
        return rolls | (
            (rng.random(rolls.shape) < 0.5) & may_hold & (totals > 0) & (totals < game.missing(own))
        )

    def choices(self, game, own, memory=0):
        return np.random.default_rng(own).integers(
            0, 2, super().choices(game, own).shape, dtype=np.uint8
        )


@pytest.mark.parametrize("seat", [1, 2])
def test_the_other_player_decides_as_the_policy_does(seat):
    game = two_coins(8)
    policy = Drawn()
    met = Counter()
    process = decision_process(game, policy, seat)
    for situation, actions in zip(process.states, process.actions, strict=True):
        own, other = situation.places[:: 1 if situation.turn == 1 else -1]
        if (
            situation.turn == seat
            or process.race.winner(situation)
            or situation.total >= game.target - own
        ):
            continue
        ((taken, _),) = actions
        if situation.rolled:
            number = policy.choices(game, own)[other, situation.rolled - 1, situation.total]
            assert taken == process.race.branches[situation.rolled - 1].choices[number].name
        else:
            rolls = policy.decisions_at(game, own)[other, situation.mode, situation.total]
            assert taken == ("roll" if rolls else "hold")
        met[taken] += 1
    assert len(met) == 6 and min(met.values()) > 9  # both actions, and the choices of both outcomes


def test_a_text_can_be_read():
    """The head of a text says what its numbers mean, and the lines say what happens."""
    text = prism_text(two_coins(5, "exact"))
    assert text.startswith(
        "// Two coins to 5 exactly, a race of two players, as a turn-based stochastic game.\n"
    )
    for said in (
        PROPERTIES[".prism"],
        "//   2 = bold",
        "points beyond it are a bust",
        "// reset",
        "// take 2, stop",
    ):
        assert said in text
    assert "//   1 = hurt: a hold leads to calm, a bust costs 3 and leads to calm" in prism_text(
        GAMES["registers"]
    )
    assert "score1, score2: banked chips of 50 points; 3 win." in prism_text(dl.ten_thousand(3))
    assert max(map(len, prism_text(dl.pig()).splitlines())) <= 120


# Files


@pytest.fixture
def no_umbi(monkeypatch):
    monkeypatch.setitem(sys.modules, "umbi", None)


def test_without_umbi_the_message_says_what_to_install(no_umbi, tmp_path):
    file = tmp_path / "pig.umb"
    file.write_bytes(b"as it was")
    with pytest.raises(
        ModuleNotFoundError, match=r"^umbi is missing; .*: pip install 'dicelab\[export\]'$"
    ):
        dl.export(dl.pig(5), file)
    assert file.read_bytes() == b"as it was" and [*tmp_path.iterdir()] == [file]


def test_a_text_needs_nothing_else_and_is_the_same_every_time(no_umbi, tmp_path):
    for name in ("a.prism", "b.prism"):
        dl.export(dl.pig(5), tmp_path / name)
    assert (
        (tmp_path / "a.prism").read_text()
        == (tmp_path / "b.prism").read_text()
        == prism_text(dl.pig(5))
    )
    assert len([*tmp_path.iterdir()]) == 2


@pytest.mark.parametrize(
    ("given", "error", "said"),
    [
        (
            {"file": "x.txt"},
            ValueError,
            r"^file: 'x.txt' is not allowed; give a name that ends in .umb or .prism$",
        ),
        (
            {"file": "x.prism", "against": dl.hold_at(3)},
            ValueError,
            "^against: hold at 3 is not allowed; in a file",
        ),
        (
            {"file": "x.prism", "seat": 2},
            ValueError,
            "^seat: 2 is not allowed; in a file .prism both players decide",
        ),
        ({"file": "x.umb", "seat": 3}, ValueError, "^seat: 3 is not allowed"),
        (
            {"file": "x.umb", "against": dl.solve(dl.pig(9)).policy},
            ValueError,
            "this policy is for Pig to 9",
        ),
        (
            {"file": "x.umb", "against": dl.scoring_turns(4)},
            NotImplementedError,
            "^against: .* remembers its turns",
        ),
        (
            {"file": "x.umb", "game": dl.pig(5, "last licks")},
            NotImplementedError,
            "finish='last licks': before a last turn the first player may roll on without end",
        ),
        (
            {"file": "x.umb", "game": dl.pig(100_000)},
            MemoryError,
            "^the process of Pig to 100000 needs about",
        ),
    ],
)
def test_what_cannot_be_written_is_refused(given, error, said, no_umbi, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error, match=said):
        dl.export(**{"game": dl.pig(5)} | given)
    assert not [*tmp_path.iterdir()]


def past_the_target():
    """Beyond the target, in a mode without a hold, the player has a choice of modes."""
    on = [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [dl.Choice(1, "a"), dl.Choice(1, "b")])]
    again = [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "b"))]
    return dl.Game("Ways", 3, [dl.Mode("a", on, may_hold=False), dl.Mode("b", again)])


def test_a_choice_beyond_the_target_is_for_both_players(no_umbi, tmp_path):
    with pytest.raises(
        NotImplementedError, match=r"^Ways: .* has a choice of modes, .* \.prism leaves it to both"
    ):
        dl.export(past_the_target(), tmp_path / "x.umb")
    dl.export(past_the_target(), tmp_path / "x.prism")
    text = Text((tmp_path / "x.prism").read_text())
    process = decision_process(past_the_target())
    assert set(text.expanded()) == set(named(process))
    assert value_of(process) == pytest.approx(dl.solve(past_the_target()).value, abs=CLOSE)


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["export", "pig", "--target", "5", "-o", "pig.prism"])
    assert done.exit_code == 0 and done.stdout == f"pig.prism\n{PROPERTIES['.prism']}\n"
    assert (tmp_path / "pig.prism").read_text() == prism_text(dl.pig(5))
    refused = {
        "--against 'hold at 20' -o x.prism": "Error: against: hold at 20 is not allowed; in a file .prism",
        "--against 'hold at 2' --against 'hold at 3' -o x.umb": "'--against': 2 rules are not allowed; give one",
        "--against 'hold' -o x.umb": "'hold' is not a rule; give one of",
        "--seat 3 -o x.umb": "3 is not in the range 1<=x<=2",
        "": "Missing option '-o'",
    }
    for arguments, said in refused.items():
        done = CliRunner().invoke(main, ["export", "pig", *shlex.split(arguments)])
        assert (
            done.exit_code in (1, 2)
            and said in done.output
            and isinstance(done.exception, SystemExit)
        )
    assert [path.name for path in tmp_path.iterdir()] == ["pig.prism"]


class Archive:
    """A file .umb, read with the standard library alone: an index in JSON, and arrays in a compressed tar."""

    def __init__(self, file):
        with tarfile.open(file) as archive:
            self.parts = {member.name: archive.extractfile(member).read() for member in archive}
        self.index = json.loads(self.parts["index.json"])

    def integers(self, name, size, signed=False):
        data = self.parts[f"{name}.bin"]
        return [
            int.from_bytes(data[k : k + size], "little", signed=signed)
            for k in range(0, len(data), size)
        ]

    def fractions(self, name):
        size = self.index["transition-system"]["branch-probability-type"]["size"] // 16
        numerators = self.integers(name, size, signed=True)[::2]
        denominators = self.integers(name, size)[1::2]
        return [*map(Fraction, numerators, denominators)]

    def bits(self, name):
        return [bool(byte >> k & 1) for byte in self.parts[f"{name}.bin"] for k in range(8)]

    def strings(self, name):
        cuts = itertools.pairwise(self.integers(f"{name}/string-mapping", 8))
        return [self.parts[f"{name}/strings.bin"][low:high].decode() for low, high in cuts]

    def valuations(self):
        """The variables of all states, each sorted by name; their signed integers follow each other bit by bit."""
        (fields,) = [each["variables"] for each in self.index["valuations"]["states"]["classes"]]
        sizes = [
            (field.get("name"), field.get("padding") or field["type"]["size"]) for field in fields
        ]
        for bits in self.integers(
            "valuations/states/valuations", sum(size for _, size in sizes) // 8
        ):
            found = {}
            for name, size in sizes:
                bits, value = bits >> size, bits % 2**size
                found[name] = value - 2**size * (value >> size - 1)
            found.pop(None, None)  # what fills up the last byte
            yield tuple(sorted(found.items()))

    def actions(self):
        """As those of a process."""
        strings = self.strings("actions/choices")
        numbers = self.integers("actions/choices/values", 4)
        after = [
            *zip(
                self.integers("branch-to-target", 8),
                self.fractions("branch-to-probability"),
                strict=True,
            )
        ]
        ranges = itertools.pairwise(self.integers("choice-to-branches", 8))
        found = [
            (strings[n], dict(after[low:high]))
            for n, (low, high) in zip(numbers, ranges, strict=True)
        ]
        return [
            found[low:high]
            for low, high in itertools.pairwise(self.integers("state-to-choices", 8))
        ]


@pytest.mark.parametrize("name", ["Pig", "choices", "registers"])
def test_a_file_has_the_whole_process(name, tmp_path):
    pytest.importorskip("umbi", reason=NO_UMBI)
    game = GAMES[name]
    files = [tmp_path / "a.umb", tmp_path / "b.umb"]
    for file in files:
        dl.export(game, file, dl.hold_at(2), seat=2)
    assert files[0].read_bytes() == files[1].read_bytes() and sorted(tmp_path.iterdir()) == files
    assert files[0].read_bytes()[4:8] == bytes(4)  # no time in the header of gzip
    archive = Archive(files[0])
    process = decision_process(game, dl.hold_at(2), 2)
    states = len(process.states)
    model = archive.index["model-data"]
    assert archive.index["transition-system"]["#players"] == 1
    assert model["description"].startswith(
        "Player 2 decides, player 1 plays: hold at 2.\nturn: whose turn it is."
    )
    assert archive.bits("state-is-initial")[:states] == [True] + [False] * (states - 1)
    for label, winner in (("won", 2), ("lost", 1)):
        winners = [process.race.winner(situation) == winner for situation in process.states]
        assert archive.bits(f"annotations/aps/{label}/states/values")[:states] == winners
    assert [*archive.valuations()] == named(process)
    assert archive.actions() == process.actions


# Storm


def read_by(model):
    """The variables of all states, as Storm has read them, each sorted by name."""
    read = [
        json.loads(str(model.state_valuations.to_json(state))) for state in range(model.nr_states)
    ]
    return [tuple(sorted((name, int(value)) for name, value in values.items())) for values in read]


@pytest.fixture
def storm(tmp_path):
    """A function that writes a race and has the best probability to win from Storm, a Fraction."""
    pytest.importorskip("umbi", reason=NO_UMBI)
    stormpy = pytest.importorskip("stormpy", minversion="2.0", reason=NO_STORM)

    options = stormpy.io.UmbImportOptions()
    options.build_state_valuations = True

    def ask(game, against=None, seat=1):
        file = tmp_path / "race.umb"
        dl.export(game, file, against, seat=seat)
        model = stormpy.build_model_from_umb(file, options=options)
        assert model.is_exact and read_by(model) == [*Archive(file).valuations()]
        found = stormpy.model_checking(model, stormpy.parse_property(PROPERTIES[".umb"]))
        return Fraction(str(found.get_value(model.initial_states[0])))

    return ask


def test_storm_finds_the_values_of_pig(storm):
    """The literals are those of the README and of the tests of other solvers, too."""
    assert storm(dl.pig(10)) == 1 - storm(dl.pig(10), seat=2) == Fraction(7776, 10961)
    assert storm(dl.pig(20)) == 1 - storm(dl.pig(20), seat=2) == Fraction(15116544, 24557443)


@every_game
def test_storm_finds_the_value_from_both_seats(game, storm):
    """Two best responses that sum to 1 prove the value, whoever made the policies; see the module."""
    value = dl.solve(game, exact=True).value
    assert storm(game) == value and storm(game, seat=2) == 1 - value


@every_game
def test_storm_finds_the_best_response(game, storm):
    rule = dl.hold_at(2)
    assert float(storm(game, rule)) == pytest.approx(dl.best_response(game, rule).value, abs=1e-12)
    assert storm(game, rule) >= dl.solve(game, exact=True).value


def test_storm_finds_the_best_response_to_hold_at_20(storm):
    rule = dl.hold_at(20)
    assert float(storm(dl.pig(40), rule)) == pytest.approx(
        dl.best_response(dl.pig(40), rule).value, abs=1e-12
    )


def test_storm_reads_fractions_of_more_than_a_word(storm):
    for denominator in (2**63 + 1, 2**64 - 1, 3**100):
        small = Fraction(1, denominator)
        game = dl.generalized_pig([small, 0, 1 - small], 5)
        assert storm(game) == dl.solve(game, exact=True).value


@pytest.mark.parametrize("game", (GAMES | ENDLESS).values(), ids=GAMES | ENDLESS)
def test_storm_reads_the_text_as_the_same_game(game, tmp_path):
    stormpy = pytest.importorskip("stormpy", minversion="2.0", reason=NO_STORM)
    file = tmp_path / "race.prism"
    dl.export(game, file)
    options = stormpy.BuilderOptions(build_full=True)
    process = decision_process(game)
    model = stormpy.build_model[stormpy.Rational](
        stormpy.parse_prism_program(file), options=options
    )
    read = read_by(model)
    states, matrix = named(process), model.transition_matrix
    place = {state: k for k, state in enumerate(states)}
    assert len(place) == len(read) and set(read) == set(place)
    for k, state in enumerate(read):
        rows = range(matrix.get_row_group_start(k), matrix.get_row_group_end(k))
        theirs = sorted(
            sorted((read[e.column], Fraction(str(e.value))) for e in matrix.get_row(row))
            for row in rows
        )
        ours = [
            (name, {states[to]: p for to, p in after.items()})
            for name, after in process.actions[place[state]]
        ]
        assert theirs == without_names(ours)


def test_names_do_not_end_a_comment(tmp_path):
    """Names are texts of other people: a line break in one would make code of what follows it."""
    texts = []
    for name in ("roll", "roll\n\nendmodule", "roll\r\nx", "a\x85b", "a\u2028b", 'a"b'):
        mode = dl.Mode(name, [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, name))])
        dl.export(dl.Game(f"race\n{name}", 4, [mode]), tmp_path / "game.prism")
        text = (tmp_path / "game.prism").read_text(encoding="utf-8")
        texts.append([line.partition("//")[0].rstrip() for line in text.splitlines()])
    assert all(text == texts[0] for text in texts)
