"""What is taken from the chapters: notes and exercises, wrong answers, the instructor's guide."""

import re

import nbformat
import pandas as pd
import pytest

from collection import slides
from collection.course import guide as course
from collection.course.exercises import all_exercises, rules_of

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


def test_the_guide_has_points_and_minutes_of_all_exercises_and_three_to_do():
    times = pd.read_csv(course.TIMES, index_col="exercise", keep_default_na=False)
    for name in NAMES[:12]:
        asked = [f"{int(name)}.{number}" for number, *_ in course.exercises_of(name)]
        asked += [f"{int(name)}.h{number}" for number, *_ in course.exercises_of(name, "Homework")]
        mine = times[times.index.str.startswith(f"{int(name)}.")]
        assert sorted(mine.index) == sorted(asked) and (mine["minutes"] >= 5).all()
        assert (mine["first"] == "x").sum() == 3 and mine[mine["first"] == "x"][
            "minutes"
        ].sum() <= 90


def test_each_chapter_has_three_questions_for_an_examination():
    """One of them on a process that is no game; all with a rubric of points, and answers that differ by the rules."""
    questions = [each for each in all_exercises()[0].values() if each.rubric]
    assert [each.number for each in questions] == [
        f"{c}.x{n}" for c in range(1, 13) for n in (1, 2, 3)
    ]
    for each in questions:
        assert each.own_rules and len(each.rubric) >= 2, each.number
        shown = [course.asked_and_expected(each, rules_of(str(n), b"key")) for n in range(20)]
        assert len({*shown}) > 1 and "{{" not in str(shown), each.number
