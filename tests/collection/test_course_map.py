"""The map of the course: what it shows is what the lectures say, and the picture is up to date."""

import re

import nbformat
import pytest

course = pytest.importorskip("collection.course.course_map")

LECTURES, THEOREMS = course.lectures_of_the_course(), course.theorems_of_the_course()


def test_the_table_says_what_the_lectures_say():
    """A lecture's first cell names what has to come before it; after a semicolon, what only helps."""
    for path in sorted(course.LECTURES.glob("*.ipynb")):
        first = nbformat.read(path, as_version=4).cells[0].source
        (before,) = re.findall(r"\*\*Before this lecture:\*\*(.*)", first)
        parts = re.sub(r"\]\([^)]*\)", "]", before).split(";")
        said = set().union(*(course.numbers_in(part) for part in parts if "helps" not in part))
        assert said == LECTURES[int(path.stem[:2])]["needs"], path.stem


def test_nothing_needs_what_comes_later():
    for known in (LECTURES, THEOREMS):
        assert list(known) == [*range(1, len(known) + 1)]
        assert all(before < number for number in known for before in known[number]["needs"])


def test_the_picture_is_up_to_date(tmp_path):
    """Otherwise ``python -m collection.course.course_map`` draws it."""
    course.write_map(tmp_path / "map.svg")
    assert (tmp_path / "map.svg").read_bytes() == course.MAP.read_bytes()
