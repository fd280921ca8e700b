"""The site: every page opens from a file without a network, shows no raw TeX, and escapes foreign text."""

import os
import re
import shutil
from dataclasses import replace
from functools import partial

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner

from dicelab import plots
from dicelab.cli import main
from dicelab.papers import site
from dicelab.papers.published import PAPERS, ROOT, UsageError
from dicelab.papers.report import escape_markdown
from dicelab.papers.slides import LECTURES
from dicelab.views.style import figures_in

pytest.importorskip("sphinx")
HOSTILE = "<script>document.title = 7</script> & <b>bold</b> *stars* $x$"


@pytest.fixture(scope="module")
def built(executed, small_papers, tmp_path_factory):
    """The site and Sphinx's warnings; one printed number has a hostile name."""
    notebooks, results = tmp_path_factory.mktemp("site") / "notebooks", list(small_papers[1].values())
    shutil.copytree(executed[0], notebooks)
    (notebooks / "papers").mkdir()
    for result in results:
        shutil.copy(result.executed, notebooks / "papers")
    comparison = results[0].comparison.copy()
    comparison.loc[0, "item"] = HOSTILE
    results[0] = replace(results[0], comparison=comparison)
    try:
        warnings = site.build_site(notebooks, results, notebooks.parent / "site")
    except UsageError as error:
        pytest.skip(str(error))
    return notebooks.parent / "site", warnings


def pages_of(folder):
    """All pages but the slides, which `test_slides` tests."""
    return [path for path in sorted(folder.rglob("*.html")) if "slides" not in path.relative_to(folder).parts[:-1]]


def test_everything_is_there(built):
    folder, warnings = built
    assert warnings == ""
    made = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.html")}
    wanted = [path for pattern in site.OTHER_NOTEBOOKS for path in (ROOT / "notebooks").glob(pattern)]
    wanted += [paper.notebook for paper in PAPERS]
    assert {path.relative_to(ROOT).with_suffix("").as_posix() for path in wanted} <= made
    assert {f"slides/{path.stem}" for path in LECTURES.glob("*.ipynb")} <= made
    assert {
        "index",
        "verdicts",
        "errata",
        "solutions",
        "slides",
        "docs/package",
        "reference",
        "play",
        "search",
        "figures",
    } <= made
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_pages_name_no_folder_of_this_machine(built):
    folder, _ = built
    for path in pages_of(folder):
        text = path.read_text(encoding="utf-8")
        for private in (str(ROOT), str(folder.parent), os.path.expanduser("~/")):
            assert private not in text, path.name


def test_links_lead_somewhere(built):
    """Every link to a page or a file of the site, and every reference within a page."""
    folder, _ = built
    anchors = {}
    for path in pages_of(folder):
        anchors[path.resolve()] = set(re.findall(r'\bid="([^"]+)"', path.read_text(encoding="utf-8")))
    broken = []
    for path, own in anchors.items():
        for link in re.findall(r'(?:href|src)="([^"]*)"', path.read_text(encoding="utf-8")):
            if re.match(r"https?:|data:|mailto:", link) or not link:
                continue
            place, _, anchor = link.partition("#")
            target = (path.parent / place.partition("?")[0]).resolve() if place else path
            there = target.exists() and (not anchor or target.suffix != ".html" or target not in anchors)
            if not there and anchor not in (own if target == path else anchors.get(target, ())):
                broken.append((path.name, link))
    assert broken == []


def typeset(page):
    """Wait until formulas are set."""
    page.wait_for_function("window.MathJax?.startup?.promise")
    page.evaluate("() => MathJax.startup.promise.then(() => null)")


def test_every_page_opens_without_a_network(built, watched, screenshots):
    folder, _ = built
    for path in pages_of(folder):
        page = watched(path.as_uri(), viewport={"width": 1280, "height": 900})
        name = path.relative_to(folder).with_suffix("").as_posix()
        if page.locator("script[src*=mathjax]").count():
            typeset(page)
            assert page.locator("mjx-merror, [data-mml-node=merror]").count() == 0, name
        text = page.evaluate("document.querySelector('article, main, body').innerText")
        if name not in ("verdicts", "search", "genindex"):
            assert not re.search(r"\$[^$\n]+\$|\\frac|\\sum|\\begin\{", text), name
        assert len(text) > 40, name
        broken = page.evaluate(
            "[...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src)"
        )
        assert broken == [], name
        width = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert width <= 0, name
        assert page.title() != "7"
        page.screenshot(path=screenshots / f"site-{name.replace('/', '-')}.png", full_page=True)
        page.close()


def test_formulas_are_typeset(built, watched):
    folder, _ = built
    page = watched((folder / "notebooks" / "lectures" / "04-two-players.html").as_uri())
    typeset(page)
    assert page.locator("mjx-container svg").count() > 50


def test_foreign_text_is_escaped(built, watched):
    folder, _ = built
    page = watched((folder / "verdicts.html").as_uri())
    assert HOSTILE in page.evaluate("document.body.innerText")
    assert page.locator("td b, td script, td em, td .math").count() == 0


def test_search_finds_from_a_file(built, watched):
    folder, _ = built
    page = watched((folder / "search.html").as_uri() + "?q=bellman")
    page.wait_for_selector("#search-results li a")
    found = page.locator("#search-results li a")
    assert found.count() >= 3
    found.first.click()
    page.wait_for_function("document.body?.innerText.includes('Bellman')")


def test_a_visitor_finds_the_way(built, watched):
    """From the front page to the slides, to the page to play on, and on a telephone to a lecture."""
    folder, _ = built
    page = watched((folder / "index.html").as_uri(), viewport={"width": 390, "height": 800})
    page.get_by_role("link", name="Play", exact=True).first.click()
    assert page.url.endswith("/play.html")
    page.goto((folder / "index.html").as_uri())
    page.locator(".nav-overlay-icon").click()
    page.locator(".sidebar-tree a").filter(has_text="Slides").click()
    page.locator("article li a").first.click()
    page.wait_for_function("window.typeset === true")


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A checkout with an old site and one notebook to execute; returns a function that writes its only cell."""
    (tmp_path / "build" / "site").mkdir(parents=True)
    (tmp_path / "build" / "site" / "index.html").write_text("the old one")
    notebook = tmp_path / "notebooks" / "explore" / "one.ipynb"
    notebook.parent.mkdir(parents=True)
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "BUILD", tmp_path / "build")
    monkeypatch.setattr(site, "reproduce", lambda **options: [])
    monkeypatch.setattr(site, "copy_javascript", lambda folder: None)

    def write(source):
        cell = nbformat.v4.new_code_cell(source)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), notebook)
        return tmp_path / "build"

    return write


def test_a_notebook_that_fails_leaves_the_old_site(house):
    build = house("1 / 0")
    result = CliRunner().invoke(main, ["site"])
    assert result.exit_code == 1
    assert "one failed: cell 1 raised ZeroDivisionError: division by zero" in result.output
    assert sorted(path.name for path in build.rglob("*")) == [".lock", "index.html", "site"]
    assert (build / "site" / "index.html").read_text() == "the old one"


def test_a_new_site_takes_the_place_of_the_old(house, monkeypatch):
    build = house("1 + 1")

    def make(executed, results, built):
        assert (executed / "explore" / "one.ipynb").exists()
        (built / "sub").mkdir(parents=True)
        (built / "sub" / "new.html").write_text("new")

    monkeypatch.setattr(site, "build_site", make)
    result = CliRunner().invoke(main, ["site"])
    assert result.exit_code == 0 and "build/site/index.html" in result.output
    assert sorted(path.relative_to(build).as_posix() for path in build.rglob("*")) == [
        ".lock",
        ".site.json",
        "site",
        "site/index.html",  # which no run had noted, and so is somebody else's
        "site/sub",
        "site/sub/new.html",
    ]


def test_the_index_lists_every_figure_with_its_number_and_words(tmp_path, monkeypatch):
    root, source, slug = tmp_path / "root", tmp_path / "source", PAPERS[0].slug
    (root / "figures" / slug).mkdir(parents=True)
    for name in {*site.COPIED} - {"figures"}:
        (root / name).symlink_to(ROOT / name)
    ax, data = plots.digits(pd.Series([1, 12], index=[1, 20])), pd.Series([1])
    save = partial(plots.save, root / "figures" / slug)
    save("of-the-paper", data, ax, caption=f"Figure A2. Digits. {HOSTILE}", alternative="a line [that] rises")
    save("ours", data, ax, caption="Figures drawn by us.")
    save("numbers", data)
    monkeypatch.setattr(site, "ROOT", root)
    (tmp_path / "executed" / "papers").mkdir(parents=True)
    shown = nbformat.v4.new_code_cell('plots.save(figures, "of-the-paper", data, ax, alternative=text)')
    shown.outputs = [nbformat.v4.new_output("display_data", {"image/png": ""})]
    nbformat.write(nbformat.v4.new_notebook(cells=[shown]), tmp_path / "executed" / "papers" / f"{slug}.ipynb")
    site.collect_sources(tmp_path / "executed", [], source)
    page = (source / "figures.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in row.split("\n  - ")] for row in page.split("```")[1].split("\n* - ")[2:]]
    assert [row[1:3] for row in rows] == [
        ["Figure A2", f"Digits. {escape_markdown(HOSTILE)}"],
        ["–", "Figures drawn by us."],
    ]
    for row, name in zip(rows, ("of-the-paper", "ours"), strict=True):
        assert row[3] == f"[SVG](figures/{slug}/{name}.svg), [CSV](figures/{slug}/{name}.csv)"
        assert all((source / link).exists() for link in re.findall(r"\]\((.+?)\)", row[3]))
    assert rows[0][0] == rf"![a line \[that\] rises](figures/{slug}/of-the-paper.svg)"
    assert page.count("## ") == 1 and PAPERS[1].title not in page, "a paper without figures is left out"
    (cell,) = nbformat.read(source / "notebooks" / "papers" / f"{slug}.ipynb", as_version=4).cells
    assert cell.metadata["alt"] == "a line [that] rises"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_committed_figures_have_captions_and_alternative_texts(paper):
    folder = ROOT / "figures" / paper.slug
    listed = figures_in(folder)
    assert {row["name"] for row in listed} == {path.stem for path in folder.glob("*.svg")}
    assert [row["name"] for row in listed if not (row["caption"] and row["alternative"])] == []


def test_pictures_replace_widgets(executed):
    notebook = site.without_widgets(nbformat.read(executed[0] / "explore" / "landscape.ipynb", as_version=4))
    assert "needs a kernel" in notebook.cells[1].source or "need a kernel" in notebook.cells[1].source
    shown = [out.data for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs]
    assert not any(site.WIDGET in data for data in shown)
    assert sum(data.get("text/html", "").count('src="data:image/png;base64,') for data in shown) >= 2
