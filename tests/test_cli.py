"""The command line: what it prints, and what help says. What it refuses is in test_validation.py."""

import json

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
            'Solution of Pig to 100, "win": 0.530593 to the player to move, error ',
        ),
        (
            ["pig", "--objective", "turns"],
            "12.5452 turns, error",
        ),
        (
            ["ten-thousand", "--objective", "score"],
            "Value: 5.87201891846",
        ),
        (
            ["ten-thousand", "--target", "20"],
            "Ten Thousand to 20 chips (1,000 points), ",
        ),
        (
            ["piglet", "--target", "5", "--exact"],
            "exact\nValue: 1026/1925\n",
        ),
    ],
)
def test_solve_says_what_its_number_is(folder, arguments, said):
    assert said in dicelab("solve", *arguments) and not list(folder.iterdir())


def test_solve_says_how_long_a_fraction_is_and_prints_it_as_json():
    value = dl.solve(dl.pig(40), exact=True).value
    asked = "solve", "pig", "--target", "40", "--exact"
    assert "Value: 0.544694393481… (138/138 digits)\n" in dicelab(*asked)
    assert (
        json.loads(dicelab(*asked, "--json"))["value"] == f"{value.numerator}/{value.denominator}"
    )


def test_solve_writes_all_values(folder):
    said = dicelab("solve", "two-dice-pig", "--target", "20", "-o", "x.csv")
    assert said.endswith("\nx.csv\n")
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


@pytest.mark.parametrize("text", ["6", "06 Policy Iteration"])
def test_a_chapter_is_named_by_its_number(text, monkeypatch):
    asked = []
    monkeypatch.setattr("collection.slides.make_slides", lambda *given: asked.append(given) or {})
    dicelab("slides", text)
    assert asked == [(["06-policy-iteration"], 600, None)]


TYPED = [  # as it is typed elsewhere, and on a plain keyboard
    (["solve", "Two_Dice Pig", "--target", "１５", "--Exact"], "solve two-dice-pig --target 15 --exact"),
    (["solve", "pig", "--Objective", "TURNS"], "solve pig --objective turns"),
    (["SOLVE", "“piglet”", "--target=5", "--exact"], "solve piglet --target 5 --exact"),
    (["advise", "pig", " 30", "４５\xa0", "+22"], "advise pig 30 45 22"),
    (["advise", "“Pig 100: 30–45 +22”\r\n"], "advise pig 30 45 22"),
    (["advise", "pig: 30-45 +22"], "advise pig 30 45 22"),
    (["advise", "Double Trouble", "20", "3", "8", "--mode", "Forced"], "advise double-trouble 20 3 8 --mode forced"),
    (["advise", "farkle", "2", "3", "--roll", "1;5, 2 2;3 1", "--target", "40"],
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
