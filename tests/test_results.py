"""Results that go on: as dicts, JSON and tables, as one line in the terminal; exact ones as Fractions, however long."""

import copy
import json
import math
import pickle
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import dicelab as dl
from collection.papers import FinishesAtOnce
from dicelab._exact import ExactValue
from dicelab._results import plain_of
from dicelab._shown import with_interval
from dicelab.cli import main
from dicelab_extras import grading, proofs

PAGE = (Path(__file__).resolve().parent.parent / "docs" / "package.md").read_text(encoding="utf-8")
GAME = dl.pig(12)
RESULTS = {
    "win": lambda: dl.solve(GAME),
    "fractions": lambda: dl.solve(GAME, exact=True),
    "turns": lambda: dl.solve(GAME, "turns"),
    "score": lambda: dl.solve(GAME, "score"),
    "equal turns": lambda: dl.solve(dl.pig(6, "equal turns")),
    "three": lambda: dl.solve(dl.pig(6), players=3),
    "best response": lambda: dl.best_response(GAME, dl.hold_at(4)),
    "match": lambda: dl.evaluate(GAME, dl.solve(GAME).policy, 4),
    "match of three": lambda: dl.evaluate(GAME, 3, 4, 5),
    "match, the other first": lambda: dl.evaluate(GAME, 4, dl.solve(GAME).policy),
    "estimate": lambda: dl.simulate(GAME, 3, 4, games=50),
    "last licks": lambda: dl.solve(dl.pig(6, "last licks")),
    "best response of three": lambda: dl.best_response(GAME, 3, 4),
    "estimate of three": lambda: dl.simulate(GAME, *map(dl.hold_at, (3, 4, 5)), games=50),
    "estimate, another seed": lambda: dl.simulate(GAME, 3, 4, games=50, seed=2),
    "grade": lambda: grading.grade(GAME, 6),
    "certificate": lambda: proofs.certify(dl.solve(GAME)),
}


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_goes_on(name):
    result, again = RESULTS[name](), RESULTS[name]()
    told = result.to_dict()
    kind = type(result).__name__
    assert list(told) == ["result", *documented(kind)] and told["result"] == kind
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    if name == "best response of three":
        with pytest.raises(ValueError, match="verdicts: a best response has none"):
            result.to_frame()
    else:
        assert len(result.to_frame())
    for other in (again, copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other == result and hash(other) == hash(result)
    assert result not in [RESULTS[each]() for each in RESULTS if each != name]


def documented(kind):
    """The keys of a result in the table of docs/package.md."""
    (row,) = re.findall(rf"^\| `{kind}` \| (.*?) \|", PAGE, re.M)
    return re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row))


def test_numbers_are_told_in_full():
    told = RESULTS["fractions"]().to_dict()["value"]
    assert Fraction(told) == RESULTS["fractions"]().value and "/" in told
    assert plain_of(Fraction(10**5000, 3)) == f"1{'0' * 5000}/3"
    endless = dl.evaluate(dl.pig(3, "exact"), 2, 2)
    assert math.isinf(endless.turns_mean) and endless.to_dict()["turns_mean"] is None


@pytest.mark.parametrize(
    "policy",
    [dl.hold_at(3), dl.scoring_turns(4), dl.end_race_or_keep_pace(), dl.solve(GAME).policy],
)
def test_policies_are_copied(policy):
    for again in (pickle.loads(pickle.dumps(policy)), copy.deepcopy(policy)):
        assert np.array_equal(again.roll_mask(game=GAME), policy.roll_mask(game=GAME))


COMMANDS = {
    "solve pig --target 12 -o x.csv": RESULTS["win"],
    "solve pig --target 12 --exact": RESULTS["fractions"],
    "solve pig --target 6 --players 3": RESULTS["three"],
    "evaluate pig --target 12 3 4 5": RESULTS["match of three"],
    "grade 6 --target 12": RESULTS["grade"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_prints_what_to_dict_returns(command, tmp_path, monkeypatch):
    """What is said of files stands elsewhere."""
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(main, [*command.split(), "--json"])
    assert printed.exit_code == 0 and json.loads(printed.stdout) == COMMANDS[command]().to_dict()
    assert ("x.csv" in printed.stderr) == ("x.csv" in command)
    in_words = CliRunner().invoke(main, command.split())
    assert in_words.exit_code == 0 and not in_words.stdout.startswith("{")


def test_an_error_does_not_stand_in_the_json():
    refused = CliRunner().invoke(main, ["solve", "pigg", "--json"])
    assert refused.exit_code == 2 and not refused.stdout and "did you mean" in refused.stderr


def test_advice_as_json():
    arguments = ["advise", "pig 100: 30-45 +22", "--json"]
    told = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert list(told) == ["result", *documented("Advice")] and told["best"] == "roll"
    values = dl.action_values(dl.solve("pig"), 30, 45).loc[22]
    found = {each["action"]: (each["chances"][0], each["cost"]) for each in told["options"]}
    roll, hold = values["roll"], values["hold"]
    assert found == {"roll": (roll, 0), "hold": (hold, roll - hold)}


PIG = dl.pig(20)
LONG_NAME = dl.Game("A very <b>long</b>\nname " * 9, 20, PIG.modes)
SOLUTION = dl.solve(dl.pig(30))


MATCH = dl.evaluate(
    SOLUTION.game, SOLUTION.policy, dl.Rule("mine", lambda own, opponent, total: total > 3)
)
ESTIMATE = dl.simulate(SOLUTION.game, dl.hold_at(25), dl.hold_at(20), games=1000)


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (
            dl.pig(),
            "<Game Pig to 100: the first roll busts with probability 1/6, a roll adds at most 6>",
        ),
        (PIG.modes[0], '<Mode "roll": a roll busts with probability 1/6, adds at most 6>'),
        (PIG.modes[0].outcomes[1], "<Outcome 1/6: +2 to roll>"),
        (
            dl.ten_thousand(20, "exact"),
            "Ten Thousand to 20 chips (1,000 points) exactly: the first roll busts with probability 25/324",
        ),
        (LONG_NAME, "<Game A very <b>long</b> name A very … to 20: "),
        (dl.solve(LONG_NAME), "<Solution of A very "),
        (
            SOLUTION,
            f'"win": {SOLUTION.value:.6g} to the player to move, error {SOLUTION.error:.0e}>',
        ),
        (dl.solve(PIG, "turns"), " turns, error "),
        (dl.solve(PIG, "score"), '"score": 8.14179 expected from one turn, error '),
        (dl.solve(PIG, exact=True), "to the player to move, exact>"),
        (dl.best_response(PIG, dl.hold_at(20)), '"win" against hold at 20: '),
        (SOLUTION.policy, "<OptimalPolicy of Pig to 30: optimal policy>"),
        (
            FinishesAtOnce(SOLUTION.policy),
            "<FinishesAtOnce of Pig to 30: optimal policy, taking every win>",
        ),
        (dl.hold_at(20), '<Rule "hold at 20">'),
        (dl.scoring_turns(4), '<Rule "4 scoring turns", 4 internal states>'),
        (MATCH, f"optimal policy wins {MATCH.first_wins:.6f} against mine, moving first "),
        (MATCH.second, '<RecordedPolicy of Pig to 30: "mine">'),
        (ESTIMATE, "1,000 games: hold at 25 wins 0."),
        (proofs.certify(SOLUTION), "<Certificate of Pig to 30, 'win': values within "),
    ],
    ids=lambda value: type(value).__name__,
)
def test_one_line(thing, said):
    line = repr(thing)
    assert said in line and not re.search(r"\n|np\.", line) and len(line) < 160
    assert line.startswith(f"<{type(thing).__name__} ")


@pytest.mark.parametrize(
    ("number", "error", "said"),
    [
        (0.543482, 0.0016, "0.5435 ± 0.0031 (95 %)"),
        (19.4372, 0.5, "19.44 ± 0.98 (95 %)"),
        (1944.0, 100.0, "1944 ± 196 (95 %)"),
        (1.0, 0.0, "1"),
        (np.inf, np.nan, "inf"),
    ],
)
def test_an_estimate_has_its_interval(number, error, said):
    assert with_interval(number, error) == said


LONG = ExactValue(10**5000 + 1, 3 * 10**5001)


@pytest.mark.parametrize(
    ("value", "shown", "printed"),
    [
        (LONG, "<Fraction 0.0333333333333… (5,001/5,002 digits)>", "0.0333333333333… (5,001/5,002 digits)"),
        (-LONG, "<Fraction -0.0333333333333…", "-0.0333333333333…"),
        # cut, not rounded
        (ExactValue(2 * 10**5000 - 1, 10**5000), "<Fraction 1.99999999999…", "1.99999999999…"),
        (ExactValue(7776, 10961), "Fraction(7776, 10961)", "7776/10961"),
        (ExactValue(3), "Fraction(3, 1)", "3"),
    ],
)  # fmt: skip
def test_values_are_one_line(value, shown, printed):
    assert repr(ExactValue(value)).startswith(shown) and str(ExactValue(value)).startswith(printed)


def test_it_is_a_fraction():
    assert Fraction(LONG) == LONG and hash(LONG) == hash(Fraction(LONG))
    assert type(1 - LONG) is type(LONG * LONG) is type(-LONG) is Fraction


@pytest.mark.parametrize("objective", ["win", "score"])
def test_exact_solutions_have_them(objective):
    values = dl.solve(dl.two_dice_pig(4), objective, exact=True).values
    assert all(type(value) is ExactValue for value in values.flat)
