"""A class: rules dealt, hand-ins judged behind walls, a report, an examination."""

import shutil
import subprocess
import sys
from math import ceil

import nbformat
import pandas as pd
import pytest
from nbgrader.nbgraderformat import MetadataValidator

from collection import classes
from collection.course.exercises import all_exercises, find, rules_of
from collection.examinations import make_examination
from dicelab_extras.grading import handins

KEY = b"another key of a class in these tests"
ASKED = "1.1", "1.3", "1.h1"
STUDENTS = pd.DataFrame({"student": ["s01", "s02", "s03"]})
SPREAD = """
from fractions import Fraction

def spread(n):
    # the second moment and the mean, backwards from n: one pass through the totals for each of the two powers
    die, moments = [Fraction(p) for p in rules["die"]], []
    for power in (1, 2):
        V = {k: Fraction(k) ** power for k in range(n, n + len(die))}
        for k in range(n - 1, -1, -1):
            V[k] = sum(p * V[k + face] for face, p in enumerate(die) if face)
        moments.append(V[0])
    return float(moments[1] - moments[0] ** 2) ** 0.5

answer_1_3 = spread
"""
behind_walls = pytest.mark.skipif(not shutil.which("bwrap"), reason="needs bubblewrap")


@pytest.fixture
def folder(tmp_path):
    """A class of three, with homework."""
    classes.deal(tmp_path / "class", STUDENTS, KEY, ASKED, title="first", due="2999-01-01")
    return tmp_path / "class"


@pytest.fixture
def no_walls(tmp_path, monkeypatch):
    """Hand-ins run one after the other in a folder, with limits alone."""
    (tmp_path / "runs").mkdir()
    monkeypatch.chdir(tmp_path / "runs")
    monkeypatch.setattr(handins, "walls", lambda *_: [])
    monkeypatch.setattr(classes.joblib, "cpu_count", lambda: 1)


def hand_in(folder, student, answers=None, rules_for=None, **cells):
    """Fill in a student's notebook: right answers, those of somebody else's rules, or the cells given by grade_id."""
    file = folder / student / "first" / "first.ipynb"
    notebook, exercises = nbformat.read(file, as_version=4), all_exercises()[0]
    for cell in notebook.cells:
        name = cell.metadata.get("nbgrader", {}).get("grade_id", "")
        if name.startswith("answer"):
            number = name.removeprefix("answer_").replace("_", ".")
            (key, *_) = exercises[number].answer_keys(**rules_of(rules_for or student, KEY))
            values = [float(value) for value in key.right.values()]
            right = (
                SPREAD
                if number == "1.3"
                else f"{name} = {values if len(values) > 1 else values[0]}"
            )
            cell.source = cells.get(name, right)
    nbformat.write(notebook, file)


def test_rules_are_dealt_in_nbgraders_format(folder):
    notebooks = {
        file.parent.parent.name: nbformat.read(file, as_version=4)
        for file in folder.rglob("*.ipynb")
    }
    assert sorted(notebooks) == [*STUDENTS["student"]]
    for student, notebook in notebooks.items():
        MetadataValidator().validate_nb(notebook)
        points = [
            cell.metadata.nbgrader.points
            for cell in notebook.cells
            if "points" in cell.metadata.get("nbgrader", {})
        ]
        assert points == [2, 4, 2]
        assert str([*map(str, rules_of(student, KEY)["die"])]) in notebook.cells[1].source
    assert len({notebook.cells[1].source for notebook in notebooks.values()}) == 3


def test_who_has_a_notebook_keeps_it_and_who_joins_gets_one(folder):
    hand_in(folder, "s01")
    before = (folder / "s01" / "first" / "first.ipynb").read_bytes()
    more = pd.DataFrame({"student": [*STUDENTS["student"], "s04"]})
    table = classes.deal(folder, more, KEY, ASKED, title="first", due="2999-01-01")
    assert (folder / "s01" / "first" / "first.ipynb").read_bytes() == before
    assert classes.read_class(folder)["students"][-1] == "s04"
    assert table["min"].le(table["max"]).all() and table["max"].max() < 40, "all are equally hard"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"asked": ["1.1", "1.99"]}, "'1.99' is not allowed"),
        ({"asked": ["1.1"]}, "a new folder"),
        ({"key": KEY[::-1]}, "a new folder"),
        ({"title": "../first"}, "'../first' is not allowed"),
        ({"students": pd.DataFrame({"student": ["a", "a"]})}, "everybody once"),
        ({"students": pd.DataFrame({"name": ["a"]})}, "a column student"),
        ({"due": "soon"}, "soon"),
    ],
)
def test_what_is_not_dealt(folder, changes, said):
    given = {
        "students": STUDENTS,
        "key": KEY,
        "asked": ASKED,
        "title": "first",
        "due": "2999-01-01",
    }
    with pytest.raises(ValueError, match=said):
        classes.deal(folder, **given | changes)


@pytest.mark.slow
def test_hand_ins_are_judged(folder, no_walls):
    hand_in(folder, "s01")
    hand_in(folder, "s02", rules_for="s01")
    (folder / "s03" / "first" / "first.ipynb").write_text("{")
    grades = classes.grade(folder, KEY).set_index(["student", "exercise"])
    assert grades["points"].tolist() == [2, 4, 2, 0, 4, 0, 0, 0, 0]
    assert "is not" in grades.loc[("s02", "1.1"), "wrong"]
    assert (
        grades.loc[("s02", "1.h1"), "remarks"]
        == "the same code as s01; right with the rules of s01"
    )
    assert grades.loc[("s03", "1.1"), "wrong"].startswith(
        "There is no answer. it is not a notebook"
    )
    assert "4 of 8 points" in (folder / "pages" / "s02.html").read_text()
    by_exercise, by_slip = classes.report(folder)
    assert by_exercise.loc["1.3"].to_dict() == {"no answer": 1, "right": 2, "wrong": 0}
    assert by_slip.empty


@pytest.mark.parametrize(
    "told",
    [[], {"1.8": [7]}, {"1.1": [{"": "=1+1"}]}, {"1.1": "=1+1"}, {"1.1": [{"": float("nan")}]}],
)
def test_what_a_process_tells_stops_no_class(folder, monkeypatch, told):
    """Nor do other times than nbgrader's, and cells without its marks; nothing becomes a formula of a spreadsheet."""
    monkeypatch.setattr(classes, "answers_of", lambda *_: {"answers": told, "errors": []})
    file = folder / "s01" / "first" / "first.ipynb"
    notebook = nbformat.read(file, as_version=4)
    notebook.cells[1].metadata["nbgrader"] = None
    nbformat.write(notebook, file)
    file.with_name("timestamp.txt").write_text("yesterday evening")
    grades = classes.grade(folder, KEY)
    assert grades["points"].sum() == 0 and not grades["wrong"].str.startswith("=").any()


def test_a_link_is_no_hand_in(folder, tmp_path):
    """Neither a notebook nor a strategy; what it leads to is not read."""
    (tmp_path / "key").write_text("a secret")
    file = folder / "s01" / "first" / "first.ipynb"
    file.unlink()
    file.symlink_to(tmp_path / "key")
    file.with_name("strategy.py").symlink_to(tmp_path / "key")
    dealt, rules = classes.read_class(folder) | {"project": 9}, {"s01": rules_of("s01", KEY)}
    *_, errors, _ = classes.handed_in(folder / "s01", dealt, [], 1, 1)
    assert errors == ["it is a link to elsewhere"]
    table, _ = classes.standings(folder, dealt, rules)
    assert table.loc["s01", "refused"] == "nothing is handed in"


def test_late_and_expected(folder, no_walls, monkeypatch):
    """Without a kernel: what the notebooks would have told."""
    die = rules_of("s01", KEY)["die"]
    without_the_bust = ceil(sum(p * face for face, p in enumerate(die)) / (1 - die[0]) / die[0])
    answers = {"1.1": [{"": without_the_bust}], "1.3": "f(5) raises ValueError: no.", "1.h1": 7}
    told = {"answers": answers, "errors": []}
    monkeypatch.setattr(classes, "answers_of", lambda *_: told)
    for student in STUDENTS["student"]:
        (folder / student / "first" / "timestamp.txt").write_text("2999-01-02 00:00:01 UTC")
    grades = classes.grade(folder, KEY)
    assert (
        grades["points"].sum() == 0
        and grades["remarks"].str.contains("late: 2999-01-02 00:00").all()
    )
    _, by_slip = classes.report(folder)
    assert by_slip["hint"].str.contains("faces that score").any()


def test_another_key_does_not_grade(folder, tmp_path):
    with pytest.raises(ValueError, match="the key that the class was dealt with"):
        classes.grade(folder, KEY[::-1])
    (tmp_path / "key").write_bytes(KEY[:10])
    with pytest.raises(ValueError, match="32 random characters"):
        classes.read_key(tmp_path / "key")
    with pytest.raises(ValueError, match="`dicelab class grade` has graded"):
        classes.report(folder)


HOSTILE = {
    "reads": ("open('SECRET').read()", "FileNotFoundError"),
    "calls": (
        "import urllib.request; urllib.request.urlopen('http://1.1.1.1', timeout=5)",
        "URLError",
    ),
    "never ends": ("while True: pass", "KeyboardInterrupt"),
    "kills its kernel": ("import os; os._exit(1)", "Kernel died"),
    "takes rights": (
        "import subprocess; subprocess.run('mount -o remount,bind,rw /usr', shell=True, check=True)",
        "CalledProcessError",
    ),
    "gives what is no answer": (
        "check('1.2', 10**6000, rules={}); check('1.3', float('nan'), rules={}); 1 / 0",
        "ZeroDivisionError",
    ),
    "fills the disk": ("open('big', 'wb').write(bytes(2**29))", "Error"),
}


@behind_walls
@pytest.mark.long
@pytest.mark.parametrize("name", HOSTILE)
def test_walls(name, tmp_path):
    (tmp_path / "secret").write_text("a key")
    code, said = HOSTILE[name]
    cells = [
        "from collection import check\ncheck('1.1', 12, rules={})\ncheck('1.1', 99)",
        code.replace("SECRET", str(tmp_path / "secret")),
    ]
    notebook = nbformat.v4.new_notebook(cells=[*map(nbformat.v4.new_code_cell, cells)])
    nbformat.write(notebook, tmp_path / "mine.ipynb")
    told = handins.answers_of(tmp_path / "mine.ipynb", "collection", {}, 5)
    assert told["answers"]["1.1"] == [{"": 12}], "what was answered before counts"
    assert said in str(told["errors"])


@behind_walls
@pytest.mark.long
def test_a_project(tmp_path):
    folder = tmp_path / "class"
    classes.deal(folder, STUDENTS, KEY, [], title="first", project=20)
    code = "def strategy(own, opponent, turn_total):\n    return 'roll' if turn_total < {} else 'hold'\n"
    for student, n in (("s01", 5), ("s02", 15)):
        (folder / student / "first" / "strategy.py").write_text(code.format(n))
    (folder / "s03" / "first" / "strategy.py").write_text("import os\nos._exit(0)")
    table, grades = classes.standings(
        folder, classes.read_class(folder), {s: rules_of(s, KEY) for s in STUDENTS["student"]}
    )
    assert table["place"].dropna().to_dict() == {"s01": 2, "s02": 1}
    assert "ended its process" in table.loc["s03", "refused"] and (table["loss"].dropna() > 0).all()
    assert len(grades["s01"].worst) == 10


@pytest.mark.browser
@pytest.mark.long
def test_an_examination_is_printed_twice(javascript, tmp_path):
    """In a process of its own, as the command runs: Playwright does not start twice in one."""
    (tmp_path / "key").write_bytes(KEY)
    command = [sys.executable, "-c", "from collection.commands import group; group()"]
    asked = ["examination", tmp_path, "1.x1", "1.x3", "--key", tmp_path / "key", "--title", "first"]
    subprocess.run([*command, *map(str, asked)], check=True)
    files = [tmp_path / f"first-A{ending}.pdf" for ending in ("", "-answers")]
    assert all(file.read_bytes().startswith(b"%PDF") for file in files)
    assert len(files[0].read_bytes()) < len(files[1].read_bytes()), "with the answers it is longer"


def test_an_exercise_is_no_question_of_an_examination(tmp_path):
    with pytest.raises(ValueError, match=r"'1\.1' is not allowed"):
        make_examination(tmp_path, "first", [find("1.1")], {})
    assert not [*tmp_path.iterdir()]
