"""The instructor's guide: its minutes, its tables of wrong answers, what `dl.check` says to them, and its commands."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from collection import course, slides
from dicelab.papers import exercises
from dicelab.papers.published import ROOT

LECTURES = sorted(slides.LECTURES.glob("*.ipynb"))
NAMES = [path.stem[:2] for path in LECTURES]


def guide():
    return course.GUIDE.read_text(encoding="utf-8")


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_the_minutes_of_the_sections_are_those_of_the_lecture(path):
    """In the guide's heading, in the lecture and in the list of lectures. Minutes in brackets are left out."""
    number = int(path.stem[:2])
    section = re.split(r"^### ", guide(), flags=re.MULTILINE)[number]
    rows = [int(minutes) for minutes in re.findall(r"^\| [^|]+ \| (\d+) \|", section, re.MULTILINE)]
    assert len(rows) >= 6
    (heading,) = re.findall(rf"^{number}\. .+\((\d+) minutes(?:, elective)?\)\n", section)
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    (lecture,) = re.findall(r"\*\*Minutes:\*?\*? ?(\d+)", text)
    listed = (slides.LECTURES / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(
        rf"^\| \[{number}\. .+\]\({path.name}\) .*\| (\d+) \| \d, \d \|$", listed, re.MULTILINE
    )
    assert sum(rows) == int(heading) == int(lecture) == int(line)


@pytest.mark.parametrize("lecture", NAMES)
def test_wrong_answers_are_those_of_the_solutions(lecture):
    """Run `python -m collection.course` if this fails."""
    assert course.wrong_answers(lecture)
    assert course.entries_of(lecture) == exercises.read_entries(lecture)
    assert f"<!-- wrong answers of {lecture} -->" in guide()


def test_the_tables_of_the_guide_are_up_to_date():
    """Run `python -m collection.course` if this fails."""
    assert course.guide_with_tables() == guide()
    assert guide().count("<!-- wrong answers of ") == len(LECTURES)


@pytest.mark.parametrize("lecture", NAMES)
def test_each_wrong_answer_has_its_hint(lecture):
    """What `dl.check` says to it; a number that may be any is one that is surely wrong."""
    for exercise, written, hint in course.wrong_answers(lecture):
        calls = exercises.read_entries(lecture)[exercise]["calls"]
        number, answer = course._read(written, calls)
        if isinstance(answer, list):
            answer = [-12345 if each is None else each for each in answer]
        if calls is not None:
            results = {str(arguments): None for arguments in calls}
            results[str(calls[number])] = answer
            given = lambda *arguments, results=results: results[str([*arguments])] or -12345  # noqa: E731
        else:
            given = answer
        checked = exercises.check(exercise, given)
        assert not checked and checked.hint == hint, (exercise, written)


def test_homework_has_names_for_its_numbers():
    for lecture in NAMES:
        for exercise, entry in exercises.read_entries(lecture).items():
            lengths = {len(answer) for answer in entry["answers"]}
            if entry["calls"] is None and exercise not in (
                "8.h1",
                "9.6",
            ):  # guesses, and keys of a dict
                assert lengths == {len(entry["places"])}, exercise


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("**Wrong answers**\n\n- `3`: No.", "no wrong answer is read"),
        ("**Wrong answers to exercise 1.1**\n\n- 3: No.", "no wrong answer is read"),
        ("**Wrong answers to exercise 1.1**\n\n- `12`: No.", "hints of 1.1"),
        ("**Wrong answers to exercise 1.7**\n\n- `[1, 2, 3]`: No.", "hints of 1.7"),
    ],
    ids=["no exercise", "no answer", "right", "other form"],
)
def test_a_cell_that_is_not_read(source, said, tmp_path, monkeypatch):
    cell = nbformat.v4.new_markdown_cell(source, metadata={"tags": ["wrong-answers"]})
    (tmp_path / "solutions").mkdir()
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "solutions" / "01-x.ipynb")
    monkeypatch.setattr(course, "LECTURES", tmp_path)
    with pytest.raises(ValueError, match=said):
        course.entries_of("01")


@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")
def test_the_commands_for_homework_with_a_key(tmp_path):
    """Those of the guide, in a copy of the package; what they print stands below them as comments."""
    section = guide().split("## Checks and homework")[1].split("\n## ")[0]
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    home, copy = tmp_path / "home", tmp_path / "repository"
    home.mkdir()
    shutil.copytree(
        ROOT / "dicelab", copy / "dicelab", ignore=shutil.ignore_patterns("__pycache__")
    )
    shutil.copytree(ROOT / "data" / "course", copy / "data" / "course")
    environment = os.environ | {
        "HOME": str(home),
        "PYTHONPATH": str(copy),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
    }
    environment.pop(exercises.KEY_FILE, None)

    def run(commands):
        done = subprocess.run(
            ["sh", "-e", "-c", commands],
            env=environment,
            capture_output=True,
            text=True,
            cwd=tmp_path,
            check=False,
        )
        assert not done.returncode, done.stderr
        return done.stdout.splitlines()

    shell = "\n".join(text for kind, text in blocks if kind == "sh")
    files = {re.match(r"# ~/(.+)\n", text)[1]: text for kind, text in blocks if kind == "python"}
    assert [*files] == ["teaching/homework.py", "student.py", "teaching/grade.py"]
    (home / "teaching").mkdir()
    for name, text in files.items():
        (home / name).write_text(text)
    assert run(shell) == []
    assert (home / "teaching" / "key").stat().st_mode & 0o077 == 0
    assert run("python ~/student.py") == re.findall(
        "^# (Exercise .+)", files["student.py"], re.MULTILINE
    )
    graded = run("export DICELAB_KEY_FILE=~/teaching/key; python ~/teaching/grade.py")
    assert graded == re.findall("^# (Exercise .+)", files["teaching/grade.py"], re.MULTILINE)
    assert len(graded) == 2
