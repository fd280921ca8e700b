"""The site: every page opens from a file without a network, shows no raw TeX, and escapes foreign text."""

import os
import re
import shutil
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from click.testing import CliRunner
from dead_links import dead_links

from collection import site
from collection.game_pages import EXHIBITS
from collection.papers.published import PAPERS, QUESTIONS, ROOT
from collection.reference import TASKS
from collection.slides import LECTURES, WIDGET
from dicelab.cli import main

pytest.importorskip("sphinx")
SEEN = (
    "index",
    "404",
    "gallery",
    "games/pig",
    "reference/solve",
    "notebooks/papers/two-dice-pig",
    "notebooks/explore/landscape",
    "notebooks/lectures/01-one-turn",
    "notebooks/lectures/solutions/01-one-turn",
    "notebooks/beyond/real-rules",
    "docs/package",
    "verdicts",
    "figures",
    "slides",
)
HOSTILE = "<script>document.title = 7</script> & <b>bold</b> *stars* $x$"


@pytest.fixture(scope="session")
def whole(kept, executed, small_paper, javascript):
    """The site with all pages, and what is wrong with it: nothing."""

    def make(folder):
        notebooks = folder / "notebooks"
        questions = [question.notebook for question in QUESTIONS]
        for path in (
            path for pattern in site.OTHER_NOTEBOOKS for path in (ROOT / "notebooks").glob(pattern)
        ):
            if path not in questions:
                copy = notebooks / path.relative_to(ROOT / "notebooks")
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(executed(path)[0], copy)
        results = [small_paper(paper.slug)[1] for paper in (*PAPERS, *QUESTIONS)]
        for paper, result in zip((*PAPERS, *QUESTIONS), results, strict=True):
            copy = notebooks / paper.notebook.parent.name
            copy.mkdir(parents=True, exist_ok=True)
            shutil.copy(result.executed, copy)
        comparison = results[0].comparison.copy()
        comparison.loc[0, "item"] = HOSTILE  # one printed number has a hostile name
        results[0] = replace(results[0], comparison=comparison)
        return folder / "site", site.build_site(notebooks, results, folder / "site")

    return kept.make("whole-site", make)


def test_everything_is_there(whole):
    """No link is dead, Sphinx warns of nothing, and every notebook can be downloaded."""
    folder, wrong = whole
    assert wrong + dead_links(folder) == []
    made = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.html")}
    patterns = (*site.OTHER_NOTEBOOKS, "papers/*.ipynb")
    for path in (path for pattern in patterns for path in (ROOT / "notebooks").glob(pattern)):
        name = path.relative_to(ROOT)
        assert name.with_suffix("").as_posix() in made
        assert path.suffix != ".ipynb" or (folder / name).read_bytes() == path.read_bytes()
    wanted = {*SEEN, "errata", "solutions", "play", "search", "citation", "CHANGELOG"}
    wanted |= {f"slides/{path.stem}" for path in LECTURES.glob("*.ipynb")}
    wanted |= {f"games/{exhibit.slug}" for exhibit in EXHIBITS}
    wanted |= {f"reference/{task.slug}" for task in TASKS}
    assert wanted <= made
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def typeset(page):
    """Wait until formulas are set, if there are any."""
    if page.locator("script[src*=mathjax]").count():
        page.wait_for_function("window.MathJax?.startup?.promise")
        page.evaluate("() => MathJax.startup.promise.then(() => null)")


@pytest.mark.parametrize("name", SEEN)
def test_a_page_opens_without_a_network(whole, watched, name):
    folder, _ = whole
    page = watched((folder / f"{name}.html").as_uri(), viewport={"width": 1280, "height": 900})
    typeset(page)
    assert page.locator("mjx-merror, [data-mml-node=merror]").count() == 0
    text = page.evaluate("document.querySelector('article, main, body').innerText")
    assert name == "verdicts" or not re.search(r"\$[^$\n]+\$|\\frac|\\sum|\\begin\{", text)
    broken = "[...document.images].filter((image) => image.complete && !image.naturalWidth).length"
    assert len(text) > 40 and page.evaluate(broken) == 0
    for width in (1280, 390):  # on a telephone, too
        page.set_viewport_size({"width": width, "height": 844})
        wide = "document.documentElement.scrollWidth - window.innerWidth"
        assert page.evaluate(wide) <= 0, width


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("name", ["index", "verdicts", "games/pig", SEEN[8]])
def test_axe_finds_nothing(whole, watched, violations, name, width, scheme):
    folder, _ = whole
    size = {"width": width, "height": 844}
    page = watched((folder / f"{name}.html").as_uri(), viewport=size, color_scheme=scheme)
    typeset(page)
    assert violations(page) == []


def test_foreign_text_is_escaped(whole, watched):
    folder, _ = whole
    page = watched((folder / "verdicts.html").as_uri())
    assert HOSTILE in page.evaluate("document.body.innerText")
    assert page.locator("td b, td script, td em, td .math").count() == 0


def test_search_finds_from_a_file(whole, watched):
    folder, _ = whole
    page = watched((folder / "search.html").as_uri() + "?q=bellman")
    found = page.locator("#search-results li a")
    found.nth(2).wait_for()  # one after the other they come
    found.first.click()
    page.wait_for_url(lambda url: "search.html" not in url)
    page.wait_for_function("document.body?.innerText.includes('Bellman')")


def test_verdicts_are_filtered(whole, watched):
    """By paper, by verdict and by words; the count says what is shown."""
    folder, _ = whole
    page = watched((folder / "verdicts.html").as_uri())
    shown, total = page.locator("#shown"), page.locator("table.verdicts tbody tr").count()
    assert shown.inner_text() == f"{total} of {total} numbers"
    page.select_option("[name=verdict]", "agree")
    page.select_option("[name=paper]", "ten-thousand")
    agree = page.locator("table.verdicts tbody tr:visible")
    assert {*agree.locator(".verdict").all_inner_texts()} == {"agree"}
    assert page.locator("table.verdicts:visible").count() == page.locator("h2:visible").count() == 1
    one, other, *_ = agree.first.inner_text().lower().split()
    page.fill("[name=words]", f"{other} {one.upper()}")
    found = [text.lower() for text in agree.all_inner_texts()]
    assert found and all(one in text and other in text for text in found)
    assert shown.inner_text() == f"{len(found)} of {total} numbers"


def test_every_picture_says_what_is_seen_and_no_page_names_folders_of_this_machine(whole):
    """On all pages but the slides, which `test_slides` tests."""
    folder, _ = whole
    private = str(ROOT), str(folder.parent), os.path.expanduser("~/")
    for path in folder.rglob("*.html"):
        if "slides" in path.relative_to(folder).parts[:-1]:
            continue
        page = path.read_text(encoding="utf-8")
        assert not [name for name in private if name in page], path.name
        for picture in re.findall(r"<img[^>]*>", page):
            text = re.search(r'alt="([^"]*)"', picture)
            told = text and len(text[1].split()) >= 4 and "_images" not in text[1]
            # In the list of all notebooks the title stands beside the picture.
            told = told or (path.parent.name == "notebooks" and text and not text[1])
            assert told, (path.name, picture[:200])


def test_a_site_with_an_address_says_it(tmp_path, monkeypatch):
    """And what Sphinx warns of is told."""
    monkeypatch.setattr(site, "ADDRESS", address := "https://example.org/dice/")
    source, made = tmp_path / "source", tmp_path / "made"
    (source / "in here").mkdir(parents=True)
    for name, text in {
        "index": "# Begin\n\n```{toctree}\nin here/page\n```\n\n[A page](gone.md)",
        "in here/page": '# A *page* & `code`\n\nForty letters and more, which `"describe" <this>` page.',
        "404": "---\norphan: true\n---\n\n# Nothing\n\n[Begin](index.md) [away](https://example.com)",
    }.items():
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    (line,) = site.run_sphinx(source, made).splitlines()
    assert re.fullmatch(r"\S+/index.md:7: WARNING: .*'gone.md'.* \[myst.xref_missing\]", line)
    site.publish(made)
    places = ElementTree.parse(made / "sitemap.xml").getroot().findall(".//{*}loc")
    pages = [f"{address}in%20here/page.html", f"{address}index.html"]
    assert [place.text for place in places] == pages
    page = (made / "in here" / "page.html").read_text(encoding="utf-8")
    assert f'<link rel="canonical" href="{pages[0]}">' in page
    assert f'<meta property="og:image" content="{address}_static/card.png">' in page
    lost = (made / "404.html").read_text(encoding="utf-8")  # shown at any address
    links = re.findall(r'\b(?:href|src|action|data-content_root)="([^"]*)"', lost)
    assert f"{address}index.html" in links and f"{address}_static/style.css" in str(links)
    assert [link for link in links if not link.startswith(("https://", "#", "data:"))] == []


@pytest.mark.parametrize("wrong", [[], ["index.html: nowhere.html leads nowhere"]])
def test_a_new_site_takes_the_place_of_the_old_if_nothing_is_wrong(wrong, tmp_path, monkeypatch):
    old, new = tmp_path / "build/site/index.html", tmp_path / "build/site/sub/new.html"
    old.parent.mkdir(parents=True)
    old.write_text("the old one")

    def make(executed, results, built, root):
        (built / "sub").mkdir(parents=True)
        (built / "sub" / "new.html").write_text("new")
        return wrong

    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "reproduce", lambda **options: [])
    monkeypatch.setattr(site, "copy_javascript", lambda folder, build: None)
    monkeypatch.setattr(site, "build_site", make)
    result = CliRunner().invoke(main, ["site", "--into", str(tmp_path)])
    assert result.exit_code == len(wrong)
    assert (wrong[0] if wrong else "build/site/index.html") in result.output
    assert new.exists() == (not wrong)
    assert old.read_text() == "the old one", "no run had noted it, and so it is somebody else's"


def test_pictures_replace_widgets(executed):
    name = Path("explore/landscape.ipynb")
    copy = nbformat.read(executed(ROOT / "notebooks" / name)[0], as_version=4)
    notebook = site.as_page(copy, name)
    said = notebook.cells[0].source
    assert "need a running kernel" in said and "play.html" in said
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    shown = [output.data for cell in code for output in cell.outputs]
    assert not any(WIDGET in data for data in shown)
    pictures = re.findall(r"<img [^>]*>", "".join(data.get("text/html", "") for data in shown))
    assert len(pictures) == 2
    assert all("alt=" in each and "data:image/png;base64," in each for each in pictures)
