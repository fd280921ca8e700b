"""What is taken from the chapters: notes and exercises, wrong answers, the instructor's guide."""

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
def test_the_minutes_of_the_sections_are_those_of_the_chapter(path):
    """In the chapter and in the list of chapters: two sessions with at most 40 minutes of talk each."""
    number = int(path.stem[:2])
    notes = course.notes_of(path.stem[:2])
    minutes = sum(minutes for _, minutes, _ in notes)
    assert len(notes) >= 6 and minutes <= 80
    assert sum(name == "Ask" for *_, fields in notes for name, _ in fields) >= 6
    assert f"\n### {number}. " in GUIDE
    (said,) = re.findall(
        r"\*\*Minutes: (\d+)\*\*", nbformat.read(path, as_version=4).cells[0].source
    )
    listed = (slides.LECTURES / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(
        rf"^\| \[{number}\. .+\]\({path.name}\) .*\| (\d+) \| \d+, \d \|$", listed, re.MULTILINE
    )
    assert minutes == int(said) == int(line)


@pytest.mark.parametrize("path", LECTURES, ids=lambda path: path.stem)
def test_solutions_show_the_exercises(path):
    """Run `python -m collection.course.guide` if this fails."""
    text = (path.parent / "solutions" / path.name).read_text(encoding="utf-8")
    assert course.solutions_with_exercises(path.stem[:2]) == text
    cells = nbformat.reads(text, as_version=4).cells
    shown = ["exercise" in cell.metadata.get("tags", []) for cell in cells]
    assert sum(shown) == len(course.exercises_of(path.stem[:2]))


@pytest.mark.parametrize("lecture", NAMES)
def test_each_wrong_answer_has_its_hint(lecture):
    """What `check` says to it; a number that may be any is one that is surely wrong."""
    entries = exercises.read_entries(lecture)
    for exercise, written, hint in course.wrong_answers(lecture):
        calls = entries[exercise]["calls"]
        number, answer = course._read(written, calls)
        if isinstance(answer, list):
            answer = [-12345 if each is None else each for each in answer]
        if calls is not None:
            others = [
                -12345 if len(hashes) == 1 else [-12345] * len(hashes)
                for hashes in entries[exercise]["answers"]
            ]
            others[number] = answer
            answer = lambda *given, calls=calls, said=others: said[calls.index([*given])]  # noqa: E731
        checked = exercises.check(exercise, answer)
        assert not checked and checked.hint == hint, (exercise, written)
