"""A folder of strategies: one table, in which a file that misbehaves is a row, and harms no other."""

import json
import sys
from itertools import permutations

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab.cli import main
from dicelab_extras import grading

GAME = dl.pig(12)
CHOICE = "def choice(round_score, my_score, opponent_score):\n    "
GOOD = {
    "four.py": CHOICE + "return round_score < 4\n",
    "again.py": CHOICE + "return 1 if round_score < 4 else 0\n",
    "six.py": CHOICE + "if round_score < 6: return True\n",
    "bold.py": CHOICE + "return round_score < 3 + (opponent_score > my_score) * 5\n",
    "loud.py": "import sys\nfor file in (sys.stdout, sys.stderr): print('x' * 10**7, file=file)\n"
    + CHOICE
    + "return round_score < 5\n",
    "thresholds.csv": "\n".join([",".join(["7"] * 12)] * 12),
}
BAD = {  # and the sentence that says why
    "syntax.py": ("def (:\n", "when it is run, it raises SyntaxError in line 1: invalid syntax"),
    "endless.py": (
        CHOICE + "while my_score == 3: pass\n    return True\n",
        "choice has not ended after 2 seconds, asked at own=3, opponent=0, turn_total=0",
    ),
    "exits.py": (
        "import os\nos._exit(3)\n",
        "it has ended its process, with exit status 3, before",
    ),
    "module.py": ("import nowhere_to_be_found\n", "raises ModuleNotFoundError in line 1"),
    "hungry.py": ("x = bytearray(2**40)\n", "when it is run, it raises MemoryError in line 1"),
    "other.py": (
        CHOICE.replace("choice", "should_hold") + "return round_score > 4\n",
        "true='roll' is not allowed, as the name should_hold says that True means the other",
    ),
    "word.py": (
        CHOICE + "return 'yes'\n",
        "choice answers 'yes' at own=0, opponent=0, turn_total=0",
    ),
    "short.csv": ("own,opponent,hold at\n0,0,5\n", "own=0, opponent=1 is missing; so are 142 more"),
}


def fill(folder, files):
    for name, code in files.items():
        (folder / name).write_text(code)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    files = GOOD | {name: code for name, (code, _) in BAD.items()} | {"notes.md": "not a strategy"}
    return fill(tmp_path_factory.mktemp("bots"), files)


@pytest.fixture(scope="module")
def table(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("dicelab_extras.grading.sandbox.SECONDS_A_CALL", 2)
        return grading.grade(GAME, folder, true="roll", none="hold")


def policies(folder):
    return {name: grading.read(GAME, folder / name, true="roll", none="hold") for name in GOOD}


def test_every_strategy_has_the_grade_that_it_has_alone(folder, table):
    for name, policy in policies(folder).items():
        graded = grading.grade(GAME, policy)
        expected = graded.first_wins, graded.second_wins, graded.loss
        assert table.loc[name, ["first", "second", "loss"]].tolist() == pytest.approx(
            expected, abs=1e-14
        )
        assert table.loc[name, "read as"] == policy.read_as and not table.loc[name, "refused"]
    assert "True means roll; None means hold" in table.loc["six.py", "read as"]


def test_places_are_those_of_a_round_robin(folder, table):
    won = pd.DataFrame(0.0, index=[*GOOD], columns=["mean"])
    for (one, first), (other, second) in permutations(policies(folder).items(), 2):
        chance = dl.evaluate(GAME, first, second).first_wins
        won.loc[one, "mean"] += chance / 10
        won.loc[other, "mean"] += (1 - chance) / 10
    read = table[table["refused"] == ""]
    assert np.allclose(read["round robin"], won["mean"][read.index], rtol=0, atol=1e-14)
    assert read["place"].tolist() == [
        (won["mean"] > mean + 1e-12).sum() + 1 for mean in read["round robin"]
    ]
    assert table.loc["four.py", "place"] == table.loc["again.py", "place"], (
        "equal strategies share it"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="limits as Linux has them")
def test_every_other_file_is_a_row_with_its_reason(table):
    assert {*table.index} == {*GOOD, *BAD} and table["place"].isna().sum() == len(BAD)
    for name, (_, said) in BAD.items():
        assert said in table.loc[name, "refused"] and not table.loc[name, "read as"]


def test_a_folder_of_few(tmp_path):
    with pytest.raises(
        ValueError, match=r"strategy: '.*' is not allowed; give a folder with files"
    ):
        grading.grade(GAME, tmp_path)
    broken = grading.grade(GAME, fill(tmp_path, {"a.py": ""}))
    assert broken["refused"].str.startswith("there is no function in it; define strategy(").all()
    alone = grading.grade(GAME, fill(tmp_path, {"a.json": "5"}), 3).loc["a.json"]
    assert alone["place"] == 1 and alone["loss"] == grading.grade(GAME, 5, 3).loss


def test_the_command(folder, tmp_path):
    few = fill(tmp_path, {name: GOOD[name] for name in ("four.py", "six.py")} | {"no.py": "1 +"})
    command = ["grade", str(few), "--target", "12", "--true", "roll", "--none", "hold"]
    written = ["-o", str(tmp_path / "all.tab.csv"), "--figure", str(tmp_path / "all.svg")]
    told = CliRunner().invoke(main, [*command, *written])
    assert told.stdout.startswith("2 of 3 strategies in Pig to 12, against the optimal policy\n")
    assert "\nno.py: when it is run, it raises SyntaxError in line 1" in told.stdout
    kept = pd.read_csv(tmp_path / "all.tab.csv", index_col="name")
    assert kept["place"].tolist()[:2] == [1, 2] and "<svg" in (tmp_path / "all.svg").read_text()
    (tmp_path / "all.tab.csv").unlink()
    rows = json.loads(CliRunner().invoke(main, [*command, "--json"]).stdout)["strategies"]
    assert [row["place"] for row in rows] == [1, 2, None]
    assert rows[0]["loss"] == kept["loss"].iloc[0]


def test_the_picture(table):
    ax = grading.standings(table)
    read = table[table["refused"] == ""]
    names = [label.get_text().split()[0] for label in ax.get_yticklabels()]
    assert names == [*read.index] and ax.yaxis_inverted()
    assert np.array_equal(ax.lines[0].get_xdata(), read["round robin"])
    with pytest.raises(ValueError, match=r"table: .* give what grading.grade returns for a folder"):
        grading.standings(GAME)


@pytest.mark.parametrize("true", ["roll", "hold"])
def test_what_true_means_is_said(true):
    def choice(own, opponent, turn_total):
        return (turn_total < 4) == (true == "roll")

    policy = grading.read(GAME, choice, true=true)
    assert policy.read_as.endswith(f"by name; True means {true}")
    assert dl.loss(GAME, policy) == dl.loss(GAME, 4)
    with pytest.raises(ValueError, match=r"true: 'rol' is not allowed; give one of 'roll', 'hold'"):
        grading.read(GAME, choice, true="rol")
