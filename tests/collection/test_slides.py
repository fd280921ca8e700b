"""The course: every lecture and its solutions run, have their parts, and are slides that need no network."""

import json
import re
import shutil
from itertools import pairwise

import nbformat
import pytest

from collection import slides
from collection.notebooks import UsageError
from collection.papers.published import DATA, ROOT

COURSE = sorted(slides.LECTURES.glob("*.ipynb"))
SOLUTIONS = sorted(slides.LECTURES.glob("solutions/*.ipynb"))


def text_of(path):
    """All markdown of a notebook."""
    cells = nbformat.read(path, as_version=4).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def test_every_lecture_has_solutions():
    assert COURSE
    assert [path.name for path in COURSE] == [path.name for path in SOLUTIONS]


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_a_lecture_has_its_parts(path):
    notebook = nbformat.read(path, as_version=4)
    text = text_of(path)
    assert text.startswith(f"# {int(path.stem[:2])}. ")
    sections = [line for line in text.splitlines() if line.startswith("## ")]
    last = ["What to remember", "Try it", "Exercises", "Homework", "References"]
    assert sections[-5:] == [f"## {name}" for name in last]
    exercises, homework = (
        text.split("## Exercises")[1].split("## References")[0].split("## Homework")
    )
    said = re.findall(r"^\d+\. \*\(([ABC]), ([^)]+)\)\*", exercises, re.MULTILINE)
    assert 5 <= len(said) <= 7 and len(said) == len(re.findall(r"^\d+\. ", exercises, re.MULTILINE))
    assert {level for level, _ in said} == {*"ABC"}
    assert 2 <= len(re.findall(r"^\d+\. ", homework, re.MULTILINE)) <= 3
    tags = re.findall(r"\\tag\{(.+?)\}", text)
    assert tags == [str(number + 1) for number in range(len(tags))]
    types = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in notebook.cells]
    assert set(types) <= {"slide", "subslide", "fragment", "-", "skip", "notes"}
    assert any("algorithm" in cell.metadata.get("tags", []) for cell in notebook.cells)


@pytest.mark.parametrize("path", COURSE, ids=lambda path: path.stem)
def test_exercises_can_be_checked(path):
    """What a lecture offers to check has a key; each key is of its exercises or homework; solutions are checked."""
    lecture = text_of(path)
    code, solutions = (
        "\n".join(
            cell.source for cell in nbformat.read(notebook, 4).cells if cell.cell_type == "code"
        )
        for notebook in (path, path.parent / "solutions" / path.name)
    )
    number = int(path.stem[:2])
    offered = set(re.findall(rf'\bcheck\("({number}\.h?\d+)"', lecture + code))
    keys = set(json.loads((DATA / "course" / f"{path.stem[:2]}.json").read_text()))
    assert offered == keys
    solved = set(re.findall(rf'\bcheck\("({number}\.h?\d+)"', solutions))
    assert solved == {key for key in keys if ".h" not in key}
    assert len(solved) >= 2 and len(keys - solved) >= 2
    assert len(set(re.findall(rf'# check\("({number}\.\d+)"', code))) >= 2, "starter cells"


@pytest.mark.parametrize("path", [*COURSE, *SOLUTIONS], ids=lambda path: path.stem)
def test_lectures_and_solutions_run(path, executed):
    """A lecture has at least two figures."""
    copy, why = executed(path)
    assert not why
    cells = [c for c in nbformat.read(copy, as_version=4).cells if c.cell_type == "code"]
    outputs = [out for cell in cells for out in cell.outputs]
    figures = sum("image/png" in out.get("data", {}) for out in outputs)
    assert figures >= 2 or path in SOLUTIONS
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
    assert [path.name for path in tmp_path.iterdir()] == ["build"]


def test_without_npm_it_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(slides, "BUILD", tmp_path)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(UsageError, match="slides need npm"):
        slides.make_slides(["01-one-turn"], into=tmp_path)
    assert not list(tmp_path.rglob("*.html"))


def test_every_package_is_locked_by_its_hash():
    for folder in (slides.LOCKED, ROOT / "tests" / "javascript"):
        lock = json.loads((folder / "package-lock.json").read_text())
        top, *packages = lock["packages"].values()
        assert len(packages) >= len(top["dependencies"])
        assert all(package["integrity"].startswith("sha512-") for package in packages)


@pytest.mark.parametrize("path", COURSE[::4], ids=lambda path: path.stem)
def test_slides_in_a_browser(path, executed, javascript, watched):
    """Nothing is asked of another machine, formulas are set, pictures large, nothing is cut off, no page nearly empty.

    On 1280 by 720 pixels. Half-empty pages are not beside those whose text had to be made smaller.
    """
    file = javascript / f"{path.stem}.html"
    slides.write_slides(executed(path)[0], file)
    page = watched(file.as_uri(), viewport={"width": 1280, "height": 720})
    page.wait_for_function("window.typeset === true")
    page.evaluate("Reveal.configure({ transition: 'none' })")
    pages = []
    for place in page.evaluate(
        "Reveal.getSlides().map(slide => Reveal.getIndices(slide)).map(i => [i.h, i.v])"
    ):
        page.evaluate("([h, v]) => Reveal.slide(h, v, 99)", place)
        page.wait_for_timeout(50)
        text, bottom, hidden, code, heights, zoom, used, wide, titled = page.evaluate(LOOK)
        assert not code, (place, "code that is no algorithm")
        assert not re.search(r"\$[^$]+\$|\\frac", text), place
        assert bottom <= 720 and hidden <= 1, place
        assert min(heights, default=380) >= 380, (place, heights)
        assert zoom >= 0.85 and used >= 0.2 and not wide and titled, (place, zoom, used, wide)
        pages.append((place, zoom, used, bool(heights)))
    for one, other in [*pairwise(pages), *pairwise(pages[::-1])]:
        assert one[3] or one[2] >= 0.35 or other[1] >= 0.9, (one, "nearly empty beside", other)
    (minutes,) = re.findall(r"\*\*Minutes:\*?\*? ?(\d+)", text_of(path))
    assert 10 <= len(pages) <= int(minutes) / 2.3, "pages turn too fast"
    assert page.locator("img:not([alt*=' '])").count() == 0
    assert page.locator("aside.notes").count() >= 3


LOOK = """(() => {
    const slide = Reveal.getCurrentSlide(), box = slide.getBoundingClientRect()
    const shown = [...slide.querySelectorAll('.jp-CodeCell:not(.celltag_algorithm) .jp-Cell-inputWrapper')]
    const heights = [...slide.querySelectorAll('.jp-RenderedImage img')].map(image => {
        const {width, height} = image.getBoundingClientRect()
        return Math.min(height, width * image.naturalHeight / image.naturalWidth)  // of what is drawn in the box
    })
    const bottoms = [...slide.querySelectorAll('.jp-Cell')].map(cell => cell.getBoundingClientRect().bottom)
    const wide = [...slide.querySelectorAll('mjx-container svg, table')].map(part => part.getBoundingClientRect().right)
    const title = slide.querySelector('.jp-Cell').querySelector('h1, h2, h3')
    return [slide.innerText, box.bottom, slide.scrollWidth - slide.clientWidth,
            shown.some(input => input.offsetHeight > 0),
            heights, Number(slide.style.zoom), (Math.max(...bottoms) - box.top) / (720 * Reveal.getScale()),
            Math.max(0, ...wide) > box.right + 2, title !== null]
})()"""


def test_tables_have_the_same_names_in_every_run():
    def page(name):
        table = f'<style>#T_{name}_row0 {{}}</style><table id="T_{name}"><td id="T_{name}_row0_col0">T_short'
        cell = nbformat.v4.new_code_cell(
            outputs=[nbformat.v4.new_output("display_data", {"text/html": table})]
        )
        return (
            slides.label_outputs(nbformat.v4.new_notebook(cells=[cell]))
            .cells[0]
            .outputs[0]
            .data["text/html"]
        )

    assert page("0a1b2") == page("3c4d5") == page("0a1b2").replace("0a1b2", "3c4d5")
    assert 'id="T_0_row0_col0"' in page("0a1b2") and "T_short" in page("0a1b2")


def test_pictures_have_the_alternative_text_of_the_figure_that_is_saved():
    """Or of the heading, where it cannot be known; what is known only to a run stands in its list of figures."""

    def alternatives(*sources, figures=()):
        picture = nbformat.v4.new_output("display_data", {"image/png": "", "text/plain": ""})
        made = [nbformat.v4.new_markdown_cell("# One\n\n## Two")]
        made += [nbformat.v4.new_code_cell(source, outputs=[picture]) for source in sources]
        notebook = slides.label_outputs(nbformat.v4.new_notebook(cells=made), figures)
        return [cell.metadata["alt"] for cell in notebook.cells[1:]]

    said = "ax = draw()\nplots.save(figures, 'a', t, ax, caption='c', alternative='a line')"
    counted = "ax = draw()\nplots.save(figures, 'b', t, ax, alternative=f'{n} lines')"
    assert alternatives("ax = draw()", said) == ["Two – a figure", "a line"]
    assert alternatives(counted) == ["Two – a figure"]
    run = [{"name": "b", "caption": "", "alternative": "3 lines"}]
    assert alternatives(counted, figures=run) == ["3 lines"]


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("plots.lines(t, 'n (points)', f'turns to {n}')", "lines. Axes: n (points), turns to …"),
        (
            "t = pd.DataFrame({'a': x, 'b': y})\nplots.steps(t, 'i', 'j')",
            "lines with steps. Axes: i, j. Shown: a, b",
        ),
        ("ax = t.plot.bar(xlabel='points', label='rule')", "bars. Axes: points. Shown: rule"),
        ("plots.hold_thresholds(best)", slides.DRAWN["plots.hold_thresholds"]),
        ("%matplotlib", "a figure"),
    ],
)
def test_what_a_cell_draws_in_words(source, text):
    assert slides.drawn_by(source) == text
