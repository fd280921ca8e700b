"""The course: every lecture and its solutions run, have their parts, and are slides that need no network."""

import ast
import json
import re
import shutil
import tarfile
from base64 import b64encode
from hashlib import sha512
from itertools import pairwise

import nbformat
import pytest
from conftest import first_only

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
    (minutes,) = re.findall(r"\*\*Minutes:\*?\*? ?(\d+)", text)
    assert 45 <= int(minutes) <= 75
    assert "**Before this lecture" in text and "After this lecture you can" in text
    sections = [line for line in text.splitlines() if line.startswith("## ")]
    assert sections[-5:] == [
        "## What to remember",
        "## Try it",
        "## Exercises",
        "## Homework",
        "## References",
    ]
    exercises, homework = (
        text.split("## Exercises")[1].split("## References")[0].split("## Homework")
    )
    said = re.findall(r"^\d+\. \*\(([ABC]), ([^)]+)\)\*", exercises, re.MULTILINE)
    assert 5 <= len(said) <= 7 and len(said) == len(re.findall(r"^\d+\. ", exercises, re.MULTILINE))
    assert {level for level, _ in said} == {*"ABC"}
    kinds = " ".join(kind for _, kind in said)
    assert all(kind in kinds for kind in ("by hand", "proof")) and kinds.count("code") >= 2
    assert 2 <= len(re.findall(r"^\d+\. ", homework, re.MULTILINE)) <= 3
    assert f"solutions/{path.name}" in exercises
    tags = re.findall(r"\\tag\{(.+?)\}", text)
    assert tags == [str(number + 1) for number in range(len(tags))]
    (parameters,) = [
        cell for cell in notebook.cells if "parameters" in cell.metadata.get("tags", [])
    ]
    for line in ast.parse(parameters.source).body:
        ast.literal_eval(line.value)
    types = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in notebook.cells]
    assert set(types) <= {"slide", "subslide", "fragment", "-", "skip", "notes"}
    assert types.count("notes") >= 3, "a lecturer needs notes"
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
    offered = set(re.findall(rf'dl\.check\("({number}\.h?\d+)"', lecture + code))
    keys = set(json.loads((DATA / "course" / f"{path.stem[:2]}.json").read_text()))
    assert offered == keys
    solved = set(re.findall(rf'dl\.check\("({number}\.h?\d+)"', solutions))
    assert solved == {key for key in keys if ".h" not in key}
    assert len(solved) >= 2 and len(keys - solved) >= 2
    assert len(set(re.findall(rf'# dl\.check\("({number}\.\d+)"', code))) >= 2, "starter cells"


@pytest.mark.parametrize("path", first_only([*COURSE, *SOLUTIONS]))
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


def test_an_unknown_lecture():
    with pytest.raises(
        ValueError, match="lecture: 'nothing' is not allowed; give one of '01-one-turn'"
    ):
        slides.make_slides(["nothing"])


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


def test_npm_runs_no_scripts_and_compares_hashes(tmp_path):
    """A package whose script would leave a file, from a file: no network is needed."""
    if not shutil.which("npm"):
        pytest.skip("needs npm: apt install npm")
    locked = tmp_path / "locked"
    (tmp_path / "package").mkdir()
    locked.mkdir()
    script = {"install": f"touch {tmp_path / 'ran'}"}
    package = {"name": "scripted", "version": "1.0.0", "scripts": script}
    (tmp_path / "package" / "package.json").write_text(json.dumps(package))
    with tarfile.open(locked / "scripted.tgz", "w:gz") as archive:
        archive.add(tmp_path / "package", "package")
    digest = sha512((locked / "scripted.tgz").read_bytes()).digest()

    def lock(digest):
        needs = {"name": "tried", "dependencies": {"scripted": "file:scripted.tgz"}}
        entry = {"version": "1.0.0", "resolved": "file:scripted.tgz", "hasInstallScript": True}
        entry["integrity"] = f"sha512-{b64encode(digest).decode()}"
        packages = {"": needs, "node_modules/scripted": entry}
        whole = {"name": "tried", "lockfileVersion": 3, "requires": True, "packages": packages}
        (locked / "package.json").write_text(json.dumps(needs))
        (locked / "package-lock.json").write_text(json.dumps(whole))

    lock(digest)
    slides.install_javascript(locked, tmp_path / "first")
    assert (tmp_path / "first" / "node_modules" / "scripted" / "package.json").exists()
    assert not (tmp_path / "ran").exists()
    lock(digest[::-1])
    with pytest.raises(UsageError, match=r"package-lock\.json names.*EINTEGRITY"):
        slides.install_javascript(locked, tmp_path / "second")


def test_every_package_is_locked_by_its_hash():
    for folder in (slides.LOCKED, ROOT / "tests" / "javascript"):
        lock = json.loads((folder / "package-lock.json").read_text())
        top, *packages = lock["packages"].values()
        assert len(packages) >= len(top["dependencies"])
        assert all(package["integrity"].startswith("sha512-") for package in packages)


@pytest.mark.parametrize("path", first_only(COURSE))
def test_slides_need_no_network(path, executed, javascript, watched):
    """In a browser: nothing is asked of another machine, formulas are typeset, figures shown, nothing is cut off."""
    file = javascript / f"{path.stem}.html"
    slides.write_slides(executed(path)[0], file)
    page = watched(file.as_uri(), viewport={"width": 1280, "height": 800})
    page.wait_for_function("window.typeset === true")
    page.evaluate("Reveal.configure({ transition: 'none' })")
    places = page.evaluate(
        "Reveal.getSlides().map(slide => Reveal.getIndices(slide)).map(i => [i.h, i.v])"
    )
    figures = 0
    for place in places:
        page.evaluate("([h, v]) => Reveal.slide(h, v, 99)", place)
        page.wait_for_timeout(50)
        text, bottom, right, hidden, images, headings, code = page.evaluate(LOOK)
        assert headings >= 1, (place, "no heading")
        assert not code, (place, "code that is no algorithm")
        assert not re.search(r"\$[^$]+\$|\\frac", text), place
        assert bottom <= 800 and right <= 1290 and hidden <= 1, place
        figures += images
    assert page.locator("img:not([alt*=' '])").count() == 0
    assert (
        page.title().startswith(f"{int(path.stem[:2])}. ")
        and page.locator("aside.notes").count() >= 3
    )
    page.keyboard.press("c")
    assert page.locator(".reveal.show-code").count() == 1
    formulas = page.evaluate("document.querySelectorAll('mjx-container svg').length")
    assert len(places) >= 10 and figures >= 2 and formulas >= 10


LOOK = """(() => {
    const slide = Reveal.getCurrentSlide(), box = slide.getBoundingClientRect()
    const images = [...slide.querySelectorAll('img')].filter(image => image.naturalWidth > 0).length
    const shown = [...slide.querySelectorAll('.jp-CodeCell:not(.celltag_algorithm) .jp-Cell-inputWrapper')]
    return [slide.innerText, box.bottom, box.right, slide.scrollWidth - slide.clientWidth, images,
            slide.querySelectorAll('h1, h2, h3').length, shown.some(input => input.offsetHeight > 0)]
})()"""


@pytest.mark.parametrize("path", first_only(COURSE))
def test_pictures_are_large_and_pages_full(path, executed, javascript, watched):
    """On 1280 by 720 pixels. Half-empty pages are not beside those whose text had to be made smaller."""
    file = javascript / f"{path.stem}-measured.html"
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
        heights, zoom, used, wide, titled = page.evaluate(MEASURE)
        assert min(heights, default=380) >= 380, (place, heights)
        assert zoom >= 0.85 and used >= 0.2 and not wide and titled, (place, zoom, used, wide)
        pages.append((place, zoom, used, bool(heights)))
    assert any(drawn for *_, drawn in pages)
    for one, other in [*pairwise(pages), *pairwise(pages[::-1])]:
        assert one[3] or one[2] >= 0.35 or other[1] >= 0.9, (one, "nearly empty beside", other)
    (minutes,) = re.findall(r"\*\*Minutes:\*?\*? ?(\d+)", text_of(path))
    assert len(pages) * 2.3 <= int(minutes), "pages turn too fast"


MEASURE = """(() => {
    const slide = Reveal.getCurrentSlide(), box = slide.getBoundingClientRect()
    const heights = [...slide.querySelectorAll('.jp-RenderedImage img')].map(image => {
        const {width, height} = image.getBoundingClientRect()
        return Math.min(height, width * image.naturalHeight / image.naturalWidth)  // of what is drawn in the box
    })
    const bottoms = [...slide.querySelectorAll('.jp-Cell')].map(cell => cell.getBoundingClientRect().bottom)
    const wide = [...slide.querySelectorAll('mjx-container svg, table')].map(part => part.getBoundingClientRect().right)
    const title = slide.querySelector('.jp-Cell').querySelector('h1, h2, h3')
    return [heights, Number(slide.style.zoom), (Math.max(...bottoms) - box.top) / (720 * Reveal.getScale()),
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


def alternatives(*cells, figures=()):
    """The alternative texts of a notebook's cells; each is a pair of its source and whether it shows a picture."""
    picture = nbformat.v4.new_output("display_data", {"image/png": "", "text/plain": "<Figure>"})
    made = [nbformat.v4.new_markdown_cell("# One\n\n## Two")]
    made += [
        nbformat.v4.new_code_cell(source, outputs=[picture] * shows) for source, shows in cells
    ]
    notebook = slides.label_outputs(nbformat.v4.new_notebook(cells=made), figures)
    assert all(
        cell.metadata["mystnb"]["image"]["alt"] == cell.metadata["alt"] for cell in notebook.cells
    )
    return [cell.metadata["alt"] for cell in notebook.cells[1:]]


def test_pictures_have_the_alternative_text_of_the_figure_that_is_saved():
    draw, said = (
        "ax = draw()\n",
        "plots.save(figures, 'a', t, ax, caption='c', alternative='a line')",
    )
    assert alternatives((draw, 1)) == ["Two – a figure"]
    assert alternatives((draw + said, 1)) == ["a line"]
    assert alternatives((draw, 1), (said, 0))[0] == "a line", "saved in the next cell"
    assert alternatives((draw, 1), ("1 + 1", 0), (said, 0))[0] == "Two – a figure"
    assert alternatives((draw, 1), (draw + said, 1)) == ["Two – a figure", "a line"]
    assert (
        alternatives((draw + said, 1), ("plots.save(figures, 'b', t, ax, alternative='b')", 0))[0]
        == "a line"
    )
    assert alternatives((draw + said.replace(", ax,", ","), 1)) == ["Two – a figure"], (
        "data without a figure"
    )
    assert alternatives(("%matplotlib\n" + said, 1)) == ["Two – a figure"], "not Python"
    counted = draw + "plots.save(figures, name='b', data=t, ax=ax, alternative=f'{n} lines')"
    assert alternatives((counted, 1)) == ["Two – a figure"], "known only to the run"
    run = [
        {"name": "b", "caption": "", "alternative": "3 lines"},
        {"name": "a", "caption": "", "alternative": ""},
    ]
    assert alternatives((counted, 1), (draw + said, 1), figures=run) == ["3 lines", "a line"]
    assert alternatives((counted + "\n" + said, 1), figures=run) == ["3 lines a line"], (
        "two figures"
    )


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


def test_slides_lead_back_to_their_page(executed, tmp_path):
    lecture, _ = executed(COURSE[0])
    for home in ("../lecture.html", ""):
        slides.write_slides(lecture, tmp_path / "slides.html", home)
        assert (
            f'<a class="home" href="{home}">' in (tmp_path / "slides.html").read_text()
        ) == bool(home)
