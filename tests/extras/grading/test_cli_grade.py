"""``dicelab grade``: what it prints and writes, and what it says of a file that is wrong."""

import json
import subprocess
import sys
from pathlib import Path
from time import monotonic

import pandas as pd
import pytest
from click.testing import CliRunner
from conftest import until

import dicelab as dl
from dicelab.cli import main
from dicelab_extras import grading
from dicelab_extras.grading.sandbox import policy_of_file

TWENTY = (
    "def strategy(own, opponent, turn_total):\n    return 'roll' if turn_total < 20 else 'hold'\n"
)


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(code, *arguments):
    with open("mine.py", "w", encoding="utf-8") as file:
        file.write(code)
    return CliRunner().invoke(main, ["grade", "mine.py", *arguments])


def test_it_prints_the_grade_and_writes_files(folder):
    result = run(TWENTY, "--target", "30", "--figure", "mine.svg", "-o", "mine.csv")
    assert result.exit_code == 0, result.output
    mine = grading.grade(dl.pig(30), dl.hold_at(20))
    assert result.stdout.startswith(
        "strategy in Pig to 30, against the optimal policy\n"
        "Read as: strategy: own, opponent and turn_total by name.\nMoving first it wins "
    )
    assert (
        f"{mine.first_wins:.2%}" in result.stdout
        and f"{mine.matches.loc['hold at 25', 'mean']:.6f}" in result.stdout
    )
    assert pd.read_csv("mine.csv", keep_default_na=False).shape == mine.decisions.shape
    assert "<svg" in (folder / "mine.svg").read_text(encoding="utf-8")
    assert sorted(path.name for path in folder.iterdir()) == ["mine.csv", "mine.py", "mine.svg"]


def test_a_game_a_rival_and_a_module_beside(folder):
    (folder / "beside.py").write_text("LIMIT = 7\n")
    code = "from beside import LIMIT\n\ndef _rolls(total): return 'roll' if total < LIMIT else 'hold'\n"
    code += "def mine(own, opponent, turn_total, dice):\n    assert dice == 'free'\n    return _rolls(turn_total)\n"
    result = run(code, "--game", "double-trouble", "--target", "12", "--against", "hold at 3")
    assert result.exit_code == 0, result.output
    graded = grading.grade(dl.double_trouble(12), dl.hold_at(7), dl.hold_at(3))
    assert (
        f"Moving second it wins {graded.second_wins:.2%}" in result.stdout
        and "\nhold at 3 " in result.stdout
    )


BODY = "def strategy(own, opponent, turn_total):\n    "


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("def strategy(:\n", "mine.py: when it is run, it raises SyntaxError in line 1: "),
        (
            "x = 1\n",
            "mine.py: there is no function in it; define strategy(own, opponent, turn_total)",
        ),
        (
            "def a(): pass\ndef b(): pass\n",
            "mine.py: it defines a and b; name one of them strategy",
        ),
        ("import sys\nsys.exit(3)\n", "mine.py: when it is run, it raises SystemExit in line 2: 3"),
        (
            BODY + "return ['roll'][own]\n",
            "strategy raises IndexError: list index out of range in line 2 of mine.py, asked at o",
        ),
        (
            BODY + "return 'stay'\n",
            "strategy answers 'stay' at own=0, opponent=0, turn_total=0; give 'roll' or 'hold'",
        ),
        (
            BODY + "return strategy(own, opponent, turn_total)\n",
            "raises RecursionError: maximum recursion depth exceeded",
        ),
    ],
    ids=range(7),
)
def test_a_wrong_file_is_one_line(code, said, folder):
    result = run(code, "--target", "8", "--figure", "mine.svg", "-o", "mine.csv")
    lines = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
    assert result.exit_code == 1 and len(lines) == 1 and said in lines[0], result.output
    assert "Traceback" not in result.output and not result.stdout
    assert [path.name for path in folder.iterdir()] == ["mine.py"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ["--figure", "x.gif"],
            "--figure: 'x.gif' is not allowed; give a name that ends in .svg or .png or .pdf",
        ),
        (["-o", "none/x.csv"], "give the path of a file in a folder that exists"),
        (
            ["--against", "hold at 3", "--against", "hold at 4"],
            "'--against': 2 rules are not allowed; give one",
        ),
        (["--against", "4 scoring turns"], "remembers its turns"),
    ],
)
def test_wrong_options(arguments, said, folder):
    result = run(TWENTY, "--target", "8", *arguments)
    assert (
        result.exit_code in (1, 2)
        and said in result.output
        and [path.name for path in folder.iterdir()] == ["mine.py"]
    )


def test_no_file():
    result = CliRunner().invoke(main, ["grade", "none.py"])
    assert (
        result.exit_code == 1
        and "none.py: there is no such file; give a Python file" in result.output
    )


HANGS = {  # each in a file
    "a function": (
        BODY + "while own == 3: pass\n    return 'roll'\n",
        "at own=3, opponent=0, turn_tot",
    ),
    "a rule": (
        "import dicelab as dl\ndef holds(own, opponent, turn_total, target):\n"
        "    while max(opponent, 3) == 5: pass\n    return turn_total >= 9\n"
        "strategy = dl.Rule('stuck', holds)\n",
        "'stuck' has not ended after 0.2 seconds, asked at own=0, opponent=5, turn_total=0",
    ),
    "the file itself": ("while True: pass\n", "when it is run, it has not ended after 0.2 seconds"),
}


@pytest.mark.parametrize(("code", "said"), HANGS.values(), ids=HANGS)
def test_an_endless_strategy_ends(code, said, folder, monkeypatch):
    monkeypatch.setattr("dicelab_extras.grading.sandbox.SECONDS_A_CALL", 0.2)
    result = run(code, "--target", "8")
    assert result.exit_code == 1 and said in result.stderr and "Traceback" not in result.output
    assert not result.stdout


def test_what_a_strategy_prints_is_not_shown(folder):
    result = run(
        "print('loaded')\n" + BODY + "print('asked')\n    return 'roll'\n",
        "--target",
        "8",
        "--json",
    )
    assert result.exit_code == 0 and json.loads(result.stdout)["result"] == "Grade"


ENDS = {  # each in a file
    "it exits": (
        "import os\nos._exit(0)\n",
        "mine.py: it has ended its process, with exit status 0, before",
    ),
    "a signal": ("import os\nos.kill(os.getpid(), 11)\n", "with signal SIGSEGV, before it had"),
    "memory when asked": (
        BODY + "return bytearray(2**31)\n",
        "strategy raises MemoryError in line 5 of mine.py, asked at own=0, opponent=0",
    ),
    "compiled code": ("sum(iter(int, 1))\n", "mine.py: it has not ended after 5 seconds"),
}


@pytest.mark.skipif(sys.platform != "linux", reason="limits and signals as Linux has them")
@pytest.mark.parametrize(("code", "said"), ENDS.values(), ids=ENDS)
def test_a_file_ends_its_own_process_alone(code, said, folder, monkeypatch):
    """And nothing of what it has started goes on."""
    monkeypatch.setattr("dicelab_extras.grading.sandbox.available", lambda: 0)
    monkeypatch.setattr(
        "dicelab_extras.grading.sandbox.MOST_SECONDS", 5 if "not ended" in said else 60
    )
    command = "grade 20 --against mine.py" if "SIG" in said else "grade mine.py"
    starts = "import subprocess\nchild = subprocess.Popen(['sleep', '600'])\n"
    starts += "open('child', 'w').write(str(child.pid))\n"
    (folder / "mine.py").write_text(starts + code)
    result = CliRunner().invoke(main, [*command.split(), "--target", "8"])
    assert result.exit_code == 1 and said in result.stderr and result.stderr.count("\n") == 1
    until(lambda: not runs((folder / "child").read_text()))


def runs(process_id):
    """Whether a process runs: one that is killed stays as a zombie until it is waited for."""
    try:
        return ") Z " not in Path(f"/proc/{process_id}/stat").read_text()
    except OSError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="processes are looked up in /proc")
def test_a_file_ends_with_the_command(folder):
    (folder / "mine.py").write_text(
        "import os\nopen('child', 'w').write(str(os.getpid()))\nwhile True: pass\n"
    )
    command = subprocess.Popen([sys.executable, "-m", "dicelab", "grade", "mine.py"])
    child = folder / "child"
    until(lambda: child.exists() and child.read_text())
    command.kill()
    command.wait()
    killed = monotonic()
    until(lambda: not runs(child.read_text()))
    assert monotonic() - killed < 15, "before its own 20 seconds"


KINDS = {
    "a table": "strategy = [[5] * 8] * 8\n",
    "a policy with a memory": "import dicelab\nstrategy = dicelab.scoring_turns(2)\n",
    "the optimal policy": "import dicelab\nstrategy = dicelab.solve(dicelab.pig(8)).policy\n",
}


@pytest.mark.parametrize("code", KINDS.values(), ids=KINDS)
def test_what_a_file_gives_is_the_same_in_a_process_of_its_own(code, folder):
    (folder / "mine.py").write_text(code)
    game = dl.pig(8)
    here, apart = grading.read(game, "mine.py"), policy_of_file(game, "mine.py")
    assert dl.evaluate(game, here, 3).first_wins == dl.evaluate(game, apart, 3).first_wins
    assert apart.read_as == here.read_as
