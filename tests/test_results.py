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
    "estimate": lambda: dl.simulate(GAME, 3, 4, games=50),
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
    frame = result.to_frame()
    assert len(frame) and frame is not getattr(result, "decisions", None)
    for other in (again, copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other == result and hash(other) == hash(result) and len({other, result}) == 1
    others = [RESULTS[each]() for each in RESULTS if each != name]
    assert result not in others and result != told


def documented(kind):
    """The keys of a result in the table of docs/package.md."""
    (row,) = re.findall(rf"^\| `{kind}` \| (.*?) \|", PAGE, re.M)
    return re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", row))


def test_numbers_are_told_in_full():
    told = RESULTS["fractions"]().to_dict()
    assert Fraction(told["value"]) == RESULTS["fractions"]().value and "/" in told["value"]
    assert RESULTS["win"]().to_dict()["value"] == RESULTS["win"]().value
    assert plain_of(Fraction(10**5000, 3)) == f"1{'0' * 5000}/3"
    assert plain_of((math.inf, np.float64("nan"), np.int64(3), np.True_)) == [None, None, 3, True]
    endless = dl.evaluate(dl.pig(3, "exact"), dl.hold_at(2), dl.hold_at(2))
    assert math.isinf(endless.turns_mean) and endless.to_dict()["turns_mean"] is None


def test_what_is_equal():
    game = dl.pig(12)
    assert dl.solve(game) != dl.solve(dl.pig(13)) and dl.solve(game) != dl.solve(game, "margin")
    assert dl.evaluate(game, 3, 4) != dl.evaluate(game, 4, 3)
    assert dl.simulate(game, 3, 4, games=9) != dl.simulate(game, 3, 4, games=9, seed=2)
    assert dl.solve(game) == dl.solve(game) and hash(dl.solve(game)) == hash(dl.solve(game))


COMMANDS = {
    "solve pig --target 12 --exact": RESULTS["fractions"],
    "solve pig --target 6 --players 3": RESULTS["three"],
    "evaluate pig --target 12 3 4 5": RESULTS["match of three"],
    "grade 6 --target 12": RESULTS["grade"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_the_command_line_prints_what_to_dict_returns(command):
    printed = CliRunner().invoke(main, [*command.split(), "--json"])
    assert printed.exit_code == 0 and json.loads(printed.stdout) == COMMANDS[command]().to_dict()
    in_words = CliRunner().invoke(main, command.split())
    assert in_words.exit_code == 0 and not in_words.stdout.startswith("{")


def test_advice_as_json():
    arguments = ["advise", "pig 100: 30-45 +22", "--json"]
    told = json.loads(CliRunner().invoke(main, arguments).stdout)
    assert list(told) == ["result", *documented("Advice")] and told["best"] == "roll"
    values = dl.action_values(dl.solve("pig"), 30, 45).loc[22]
    chances = {option["action"]: option["chances"][0] for option in told["options"]}
    assert chances == {"roll": values["roll"], "hold": values["hold"]}
    assert [option["cost"] for option in told["options"]] == [0, values["roll"] - values["hold"]]


def test_errors_and_files_do_not_stand_in_the_json(tmp_path):
    refused = CliRunner().invoke(main, ["solve", "pigg", "--json"])
    assert refused.exit_code == 2 and not refused.stdout and "did you mean" in refused.stderr
    file = str(tmp_path / "x.csv")
    written = CliRunner().invoke(main, ["solve", "pig", "--target", "12", "--json", "-o", file])
    assert json.loads(written.stdout) == RESULTS["win"]().to_dict() and file in written.stderr


def test_a_shell_completes(monkeypatch):
    for words, offered in {"dicelab solve two": "two-dice-pig", "dicelab eval": "evaluate"}.items():
        monkeypatch.setenv("COMP_WORDS", words)
        monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
        monkeypatch.setenv("_DICELAB_COMPLETE", "bash_complete")
        assert f"plain,{offered}" in CliRunner().invoke(main, prog_name="dicelab").output
