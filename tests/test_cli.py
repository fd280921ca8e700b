"""The command line: what it prints, and what help says. What it refuses is in test_validation.py."""

import json
import signal
import subprocess
import sys

import pandas as pd
import pytest
from click.testing import CliRunner
from test_results import documented

import dicelab as dl
from collection.commands import LECTURES
from collection.papers.published import PAPERS, QUESTIONS
from dicelab.cli import main


def dicelab(*arguments, typed=""):
    """What a command prints, without warnings and progress bars."""
    result = CliRunner().invoke(main, arguments, input=typed)
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["pig"],
            "Pig to 100: the player to move wins with probability 0.530592725274 (estimated error ",
        ),
        (
            ["pig", "--objective", "turns"],
            "Pig to 100: the fewest turns to the target, without an opponent, are 12.5452",
        ),
        (
            ["ten-thousand", "--objective", "score"],
            "brings 5.872018918466 chips (293.600945923282 points) on average",
        ),
        (
            ["ten-thousand", "--target", "20"],
            "Ten Thousand to 20 chips (1,000 points): the player to move wins with ",
        ),
        (
            ["piglet", "--target", "5", "--exact"],
            "wins with probability 0.53298701298701298701…, exactly 1026/1925\n",
        ),
    ],
)
def test_solve_says_what_its_number_is(folder, arguments, said):
    assert said in dicelab("solve", *arguments) and not list(folder.iterdir())


def test_solve_writes_a_long_fraction_to_a_file(folder):
    value = dl.solve(dl.pig(40), exact=True).value
    said = dicelab("solve", "pig", "--target", "40", "--exact")
    long = (
        "0.54469439348169641721…, exactly a fraction with 138 digits above the line and 138 below\n"
    )
    assert long in said and "The whole fraction: pig-40.txt" in said
    assert (folder / "pig-40.txt").read_text() == f"{value.numerator}/{value.denominator}\n"
    dicelab("solve", "piglet", "--target", "3", "--exact", "-o", "x.txt")
    assert (folder / "x.txt").read_text() == "6/11\n"


def test_solve_writes_all_values(folder):
    said = dicelab("solve", "two-dice-pig", "--target", "20", "-o", "x.csv")
    assert "All values and decisions: x.csv" in said
    assert len(pd.read_csv(folder / "x.csv", comment="#", keep_default_na=False)) == 400


@pytest.mark.parametrize(
    ("command", "names"),
    [
        ("reproduce", [paper.slug for paper in (*PAPERS, *QUESTIONS)]),
        ("compare", [paper.slug for paper in PAPERS]),
        ("slides", LECTURES),
    ],
)
def test_help_names_what_there_is(command, names):
    assert (
        names
        and [line.strip() for line in dicelab(command, "--help").splitlines()][-len(names) :]
        == names
    )


@pytest.mark.parametrize("command", main.list_commands(None))
def test_help_of_every_command(command):
    """Without bounds that there are not."""
    assert "None" not in dicelab(command, "-h")


@pytest.mark.parametrize("text", ["5", "05 Policy Iteration"])
def test_a_lecture_is_named_by_its_number(text, monkeypatch):
    asked = []
    monkeypatch.setattr("collection.slides.make_slides", lambda *given: asked.append(given) or {})
    dicelab("slides", text)
    assert asked == [(["05-policy-iteration"], 600, None)]


TYPED = [  # as it is typed elsewhere, and on a plain keyboard
    (["solve", "Two_Dice Pig", "—target", "１５", "--Exact"], "solve two-dice-pig --target 15 --exact"),
    (["solve", "pig", "--Objective", "TURNS"], "solve pig --objective turns"),
    (["SOLVE", "“piglet”", "––target=5", "–-exact"], "solve piglet --target 5 --exact"),
    (["advise", "pig", " 30", "４５\xa0", "+22"], "advise pig 30 45 22"),
    (["advise", "“Pig 100: 30–45 +22”\r\n"], "advise pig 30 45 22"),
    (["advise", "pig: 30-45 +22"], "advise pig 30 45 22"),
    (["advise", "pig", "3", "7;0", "12", "--target", "30"], "advise pig 3 7,0 12 --target 30"),
    (["advise", "Double Trouble", "20", "3", "8", "--mode", "Forced"], "advise double-trouble 20 3 8 --mode forced"),
    (["advise", "farkle", "2", "3", "—roll", "1;5, 2 2;3 1", "--target", "40"],
     "advise farkle 2 3 --roll 1,5,2,2,3,1 --target 40"),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "plain"), TYPED, ids=lambda value: str(value)[:40])
def test_arguments_are_read_as_people_type_them(arguments, plain):
    assert dicelab(*arguments) == dicelab(*plain.split())


@pytest.mark.parametrize("rules", ["Optimal 5", "5 optimal"])
def test_optimal_is_a_rule_of_two_players(rules):
    game = dl.pig(20)
    policies = [5 if word == "5" else dl.solve(game).policy for word in rules.split()]
    printed = dicelab("evaluate", "pig", "--target", "20", *rules.split(), "--json")
    assert json.loads(printed) == dl.evaluate(game, *policies).to_dict()


def test_hold_at_n(folder):
    rates = dl.hold_at_n("pig 30")
    said = dicelab("hold-at-n", "pig", "--target", "30", "--figure", "x.svg", "-o", "x.csv")
    lines = said.splitlines()
    assert lines[0] == "How often hold at n wins in Pig to 30, against the optimal policy"
    best = rates["average"].idxmax()
    assert f"{best} {rates.loc[best, 'first']:.6f}" in said
    assert lines[-3].startswith(
        f"The best of 30, hold at {best}, wins {rates['average'].max():.2%}: "
    )
    assert lines[-2:] == ["x.csv", "x.svg"] and "<svg" in (folder / "x.svg").read_text()
    pd.testing.assert_frame_equal(pd.read_csv("x.csv", index_col="n"), rates)


def test_first_player():
    said = dicelab("first-player", "pig", "-o", "x.csv")
    tens = range(10, 101, 10)
    assert [line.split()[0] for line in said.splitlines()[2:-1]] == [*map(str, tens)]
    kept = pd.read_csv("x.csv", index_col="target")
    pd.testing.assert_frame_equal(kept, dl.first_player("pig", tens))
    told = json.loads(dicelab("first-player", "piglet", "3-5", "1,000", "--json"))
    assert [*told] == ["result", *documented("FirstPlayer")]
    wins = dl.first_player("piglet", [3, 4, 5, 1000])["first wins"]
    assert {row["target"]: row["first wins"] for row in told["targets"]} == wins.to_dict()


ENDED = """
import signal, sys
from dicelab.cli import CALLBACKS, main

NUMBER = int(sys.argv[1])
signal.signal(signal.SIGINT, signal.default_int_handler)


@main.command("wait")
def wait():
    BODY
    for _ in range(10**6):
        signal.sigtimedwait([], 0.001)


main(["wait"])
"""
IN_A_FINALIZER = """
    class Lost:
        def __del__(self):
            signal.raise_signal(NUMBER)

    Lost()
"""
IN_A_CALLBACK = """
    names = {"__name__": CALLBACKS, "signal": signal, "NUMBER": NUMBER}
    exec("signal.raise_signal(NUMBER); print('to its end')", names)
"""


@pytest.mark.parametrize("body", [IN_A_FINALIZER, IN_A_CALLBACK], ids=["finalizer", "callback"])
@pytest.mark.parametrize(("sign", "status"), [("SIGTERM", 143), ("SIGINT", 1)])
def test_a_signal_ends_a_command_wherever_it_comes(sign, status, body):
    """Also where Python drops exceptions, and in LLVM's callbacks, which numba needs to come to their end."""
    code = ENDED.replace("BODY", body.strip())
    command = [sys.executable, "-c", code, str(int(getattr(signal, sign)))]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert done.returncode == status
    assert done.stderr == ("" if sign == "SIGTERM" else "\nAborted!\n")
    assert done.stdout == ("to its end\n" if body is IN_A_CALLBACK else "")


def test_files_are_named_without_the_quotes_around_them(folder):
    said = dicelab("solve", "piglet", "–o", " “Müller–2024.csv” ")
    assert "Müller–2024.csv" in said and (folder / "Müller–2024.csv").exists()
