"""The course: every chapter and its solutions run, have their parts, and are slides that need no network."""

import re
import shutil

import nbformat
import pytest

from collection import slides
from collection.course.editions import is_for, source_of
from collection.course.exercises import all_exercises
from collection.notebooks import FIELD, UsageError

COURSE = sorted(slides.LECTURES.glob("*.ipynb"))
IMPORTS = "import ", "from "
SOLUTIONS = sorted(slides.LECTURES.glob("solutions/*.ipynb"))


def text_of(path, kind="markdown"):
    """All markdown of a notebook, or all code."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == kind)


MOST_WORDS = 3000
ON_A_PAGE = 60


def words_in(text):
    """The number of words, where a formula is one."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$]+\$", " formula ", text, flags=re.DOTALL)
    return len(re.findall(r"\S*\w\S*", re.sub(r"\]\([^)]*\)|<[^>]+>", " ", text)))


def tags_of(cell):
    return {*cell.metadata.get("tags", ())}


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_a_chapter_has_its_parts(path):
    text = text_of(path)
    assert text.startswith(f"# {int(path.stem[:2])}. ") and words_in(text) <= MOST_WORDS
    sections = [line for line in text.splitlines() if line.startswith("## ")]
    last = ["What to remember", "Try it", "Exercises", "Homework", "References"]
    assert sections[-5:] == [f"## {name}" for name in last]
    exercises, homework = re.split("## (?:Exercises|Homework|References)", text)[1:3]
    said = re.findall(r"^\d+\. \*\(([ABC]), ([^)]+)\)\*", exercises, re.MULTILINE)
    assert len(said) == len(re.findall(r"^\d+\. ", exercises, re.MULTILINE)) >= 4
    assert {level for level, _ in said} == {*"ABC"}
    assert re.findall(r"^\d+\. ", homework, re.MULTILINE)
    tags = re.findall(r"\\tag\{(.+?)\}", text)
    assert tags == [str(number + 1) for number in range(len(tags))]


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_half_of_the_code_is_the_method(path):
    """Apart from parameters, imports, and the starters of exercises."""
    cells = [c for c in nbformat.read(source_of(path), as_version=4).cells if c.cell_type == "code"]
    lines = {True: 0, False: 0}
    for cell in cells:
        if not tags_of(cell) & {"parameters", "starter"} and not cell.source.startswith(IMPORTS):
            method = "algorithm" in tags_of(cell)
            lines[method] += sum(bool(line.strip()) for line in cell.source.splitlines())
    assert lines[True] >= lines[False] and lines[True]


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_a_page_of_the_slides_is_one_idea(path):
    """Few words, or a picture, or code that can be read from the last row."""
    pages = []
    for cell in nbformat.read(source_of(path), as_version=4).cells:
        if cell.source.startswith("## ") and "slide" in tags_of(cell):
            pages.append([])
        if "slide" in tags_of(cell):
            pages[-1].append(cell)
    assert len(pages) >= 12
    for page in pages:
        said = [cell.source for cell in page if cell.cell_type == "markdown"]
        assert sum(map(words_in, said)) <= ON_A_PAGE, page[0].source
        code = [cell.source for cell in page if "algorithm" in tags_of(cell)]
        lines = "\n".join(code).splitlines()
        assert len(lines) <= 18 and max(map(len, lines), default=0) <= 80, page[0].source


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_a_student_sees_the_source_without_answers(path):
    """What is committed is made of the source; notes, questions of an examination and slides are left out."""
    source = nbformat.read(source_of(path), as_version=4).cells
    assert any("teacher" in tags_of(cell) for cell in source)
    kept = [cell for cell in source if is_for(cell, "student")]
    given = nbformat.read(path, as_version=4).cells
    for cell, shown in zip(kept, given, strict=True):
        pattern = "(.*)".join(map(re.escape, FIELD.split(cell.source)[::2]))
        assert re.fullmatch(pattern, shown.source, re.DOTALL) and cell.cell_type == shown.cell_type
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"For the lecturer|Right answer|Examination question|\*Answer:\*", text)


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_exercises_can_be_checked(path):
    """What a chapter offers to check has an answer, and each answer is asked for; solutions are checked."""
    code, number = text_of(path, "code"), int(path.stem[:2])
    asked = rf'\bcheck\("({number}\.h?\d+)"'
    keys = {name for name in all_exercises()[0] if re.fullmatch(rf"{number}\.h?\d+", name)}
    assert {*re.findall(asked, text_of(path) + code)} == keys
    solved = {*re.findall(asked, text_of(path.parent / "solutions" / path.name, "code"))}
    assert solved == {key for key in keys if ".h" not in key}
    assert len(solved) >= 2 and keys - solved


@pytest.mark.parametrize("path", [*COURSE, *SOLUTIONS], ids=lambda path: path.stem)
def test_chapters_and_solutions_run(path, executed):
    """A chapter has at least two figures."""
    copy, why = executed(path)
    assert not why
    cells = [c for c in nbformat.read(copy, as_version=4).cells if c.cell_type == "code"]
    outputs = [out for cell in cells for out in cell.outputs]
    assert path in SOLUTIONS or sum("image/png" in out.get("data", {}) for out in outputs) >= 2
    said = [out.data["text/plain"] for out in outputs if "data" in out]
    checked = [text for text in said if text.startswith("Exercise ")]
    assert all(text.endswith(": right.") for text in checked), checked
    lines = [line for cell in cells for line in cell.source.splitlines()]
    assert len(checked) == sum(line.startswith("check(") for line in lines)
    assert not [out.text for out in outputs if out.get("name") == "stderr"]


def test_slides_are_made(javascript, tmp_path):
    """The fixture `javascript` has fetched it."""
    assert slides.make_slides(["01-one-turn"], into=tmp_path) == {"01-one-turn": ""}
    assert (tmp_path / "build" / "slides" / "01-one-turn.html").stat().st_size > 100_000
    teachers = (tmp_path / "build" / "slides" / "01-one-turn.ipynb").read_text(encoding="utf-8")
    assert "For the lecturer" in teachers
    assert [path.name for path in tmp_path.iterdir()] == ["build"]


def test_without_npm_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "BUILD", tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="slides need npm"):
        slides.make_slides(["01-one-turn"], into=tmp_path)
    assert not list(tmp_path.rglob("*.html"))


@pytest.mark.parametrize("path", COURSE[::4], ids=lambda path: path.stem)
def test_slides_in_a_browser(path, executed, javascript, watched):
    """Nothing is asked of another machine, formulas are set, and nothing is cut off on 1280 by 720 pixels."""
    file = javascript / f"{path.stem}.html"
    slides.write_slides(executed(path)[0], file)
    page = watched(file.as_uri(), viewport={"width": 1280, "height": 720})
    page.wait_for_function("window.typeset === true")
    page.evaluate("Reveal.configure({ transition: 'none' })")
    for place in page.evaluate(PLACES):
        page.evaluate("([h, v]) => Reveal.slide(h, v, 99)", place)
        page.wait_for_timeout(50)
        text, bottom, hidden, code, wide = page.evaluate(LOOK)
        assert not code, (place, "code that is no algorithm")
        assert not re.search(r"\$[^$]+\$|\\frac", text), place
        assert bottom <= 720 and hidden <= 1 and not wide, place
    assert page.locator("img:not([alt*=' '])").count() == 0
    sizes = (
        "[...document.querySelectorAll('.reveal pre')].map(pre => getComputedStyle(pre).fontSize)"
    )
    assert min(float(size.removesuffix("px")) for size in page.evaluate(sizes)) >= 18
    assert page.locator("aside.notes").count() >= 3


PLACES = "Reveal.getSlides().map(slide => Reveal.getIndices(slide)).map(i => [i.h, i.v])"


LOOK = """(() => {
    const slide = Reveal.getCurrentSlide(), box = slide.getBoundingClientRect()
    const shown = [...slide.querySelectorAll('.jp-CodeCell:not(.celltag_algorithm) .jp-Cell-inputWrapper')]
    const wide = [...slide.querySelectorAll('mjx-container svg, table')].map(part => part.getBoundingClientRect().right)
    return [slide.innerText, box.bottom, slide.scrollWidth - slide.clientWidth,
            shown.some(input => input.offsetHeight > 0), Math.max(0, ...wide) > box.right + 2]
})()"""


def labelled(source, data, figures=()):
    """The cell of a notebook with an output, as slides show it."""
    output = nbformat.v4.new_output("display_data", data)
    cells = [nbformat.v4.new_markdown_cell("# One\n\n## Two")]
    cells.append(nbformat.v4.new_code_cell(source, outputs=[output]))
    return slides.label_outputs(nbformat.v4.new_notebook(cells=cells), figures).cells[1]


def test_tables_have_the_same_names_in_every_run():
    tables = [
        f'<style>#T_{name}_row0 {{}}</style><table id="T_{name}"><td id="T_{name}_row0_col0">T_short'
        for name in ("0", "0a1b2", "3c4d5")
    ]
    shown = {
        labelled("", {"text/html": table}).outputs[0].data["text/html"] for table in tables[1:]
    }
    assert shown == {tables[0]}
