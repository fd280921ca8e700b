"""What is taken from the lectures: notes and exercises, wrong answers, the instructor's guide."""

import re

import nbformat
import pytest

from collection import slides
from collection.course import exercises
from collection.course import guide as course

LECTURES = sorted(slides.LECTURES.glob("*.ipynb"))
NAMES = [path.stem[:2] for path in LECTURES]


GUIDE = course.guide_page()


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_the_minutes_of_the_sections_are_those_of_the_lecture(path):
    """In the guide's heading and table, in the lecture and in the list of lectures."""
    number = int(path.stem[:2])
    section = re.split(r"^### ", GUIDE, flags=re.MULTILINE)[number]
    rows = [int(minutes) for minutes in re.findall(r"^\| [^|]+ \| (\d+) \|", section, re.MULTILINE)]
    notes = course.notes_of(path.stem[:2])
    assert [minutes for _, minutes, _ in notes] == rows and len(rows) >= 6
    assert sum(name == "Ask" for *_, fields in notes for name, _ in fields) >= 6
    (heading,) = re.findall(rf"^{number}\. .+\((\d+) minutes(?:, elective)?\)\n", section)
    text = "\n".join(cell.source for cell in nbformat.read(path, as_version=4).cells)
    (lecture,) = re.findall(r"\*\*Minutes:\*?\*? ?(\d+)", text)
    listed = (slides.LECTURES / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(
        rf"^\| \[{number}\. .+\]\({path.name}\) .*\| (\d+) \| \d, \d \|$", listed, re.MULTILINE
    )
    assert sum(rows) == int(heading) == int(lecture) == int(line)


@pytest.mark.parametrize("lecture", NAMES)
def test_the_guide_has_all_of_a_lecture(lecture):
    """Once, in its own section."""
    section = re.split(r"^### ", GUIDE, flags=re.MULTILINE)[int(lecture)]
    for table in (course._sections(lecture), course._exercises(lecture)):
        assert table in section and GUIDE.count(table) == 1


def lecture_with(source, folder, monkeypatch, **metadata):
    """Lecture 01 in a folder: two sections, and a cell of this text."""
    texts = ["# 1. One turn", "## What a turn is", "## Is it worth it?"]
    cells = [nbformat.v4.new_markdown_cell(text) for text in texts]
    cells.append(nbformat.v4.new_markdown_cell(source, metadata=metadata))
    nbformat.write(nbformat.v4.new_notebook(cells=cells), folder / "01-x.ipynb")
    monkeypatch.setattr(course, "LECTURES", folder)


NOTE = {"slideshow": {"slide_type": "notes"}}


def test_a_note_becomes_rows_of_the_guide(tmp_path, monkeypatch):
    """One for each question; what may be skipped stands in the first. Remarks are not in the guide."""
    source = """**For the lecturer: What a turn is; Is it worth it?** 1 minute.

- *Ask:* Who | what?
- *Wrong answer to expect:* You.
- *Right answer:* Me.
- *Ask:* Why?
- *May be skipped:* the proof.

Come *back* to it.

1. Once."""
    lecture_with(source, tmp_path, monkeypatch, **NOTE)
    *_, first, second = course._sections("01").splitlines()
    what = "What a turn is; Is it worth it? | 1 | Who \\| what? | You. *Right:* Me."
    assert first == f"| {what} | the proof. |"
    assert second == "| | | Why? | | |"


@pytest.mark.parametrize(
    ("source", "line"),
    [
        ("**For the lecturer.** 5 minutes.", "**For the lecturer.** 5 minutes."),
        ("**For the lecturer: Opening.** Five minutes.", "**For the lecturer: Opening.** Five"),
        ("**For the lecturer: Opening.** 5 minutes.\n\n- *Say:* No.", "- *Say:* No."),
    ],
)
def test_a_note_that_is_not_read(source, line, tmp_path, monkeypatch):
    lecture_with(source, tmp_path, monkeypatch, **NOTE)
    with pytest.raises(ValueError, match=r"01-x\.ipynb: no note") as raised:
        course.notes_of("01")
    assert line in str(raised.value)


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_solutions_show_the_exercises(path):
    """Run `python -m collection.course.guide` if this fails."""
    solutions = path.parent / "solutions" / path.name
    text = solutions.read_text(encoding="utf-8")
    assert course.solutions_with_exercises(path.stem[:2]) == text
    cells = nbformat.reads(text, as_version=4).cells
    shown = [cell.source for cell in cells if "exercise" in cell.metadata.get("tags", [])]
    assert len(shown) == len(course.exercises_of(path.stem[:2]))
    for cell in shown:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", cell):
            assert (solutions.parent / link).exists(), link


@pytest.mark.parametrize("lecture", NAMES)
def test_each_wrong_answer_has_its_hint(lecture):
    """What `check` says to it; a number that may be any is one that is surely wrong."""
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
