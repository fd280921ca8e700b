"""Results that go on: as dicts, JSON and tables, and when two of them are equal."""

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
from dicelab._results import plain_of
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


def test_a_shell_completes(monkeypatch):
    for words, offered in {"dicelab solve two": "two-dice-pig", "dicelab eval": "evaluate"}.items():
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        monkeypatch.setenv("_DICELAB_COMPLETE", "bash_complete")
        assert f"plain,{offered}" in CliRunner().invoke(main, prog_name="dicelab").output
