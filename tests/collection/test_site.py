"""The site: every page opens from a file without a network, shows no raw TeX, and escapes foreign text."""

import os
import re
import shutil
import struct
from dataclasses import replace
from html import escape, unescape
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from click.testing import CliRunner

from collection import site
from collection.environment_pages import arenas
from collection.game_pages import EXHIBITS
from collection.papers.published import PAPERS, QUESTIONS, ROOT
from collection.reference import TASKS
from collection.slides import LECTURES, WIDGET
from dicelab.cli import main
from dicelab.views.style import figures_in

pytest.importorskip("sphinx")
SEEN = (
    "index",
    "404",
    "gallery",
    "games/pig",
    "environments/ten-thousand",
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
        results = [small_paper(paper.slug)[1] for paper in (*PAPERS, *QUESTIONS)]
        for pattern in site.OTHER_NOTEBOOKS:
            for path in (ROOT / "notebooks").glob(pattern):
                if path not in [question.notebook for question in QUESTIONS]:
                    copy = notebooks / path.relative_to(ROOT / "notebooks")
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(executed(path)[0], copy)
        (notebooks / "papers").mkdir()
        (notebooks / "beyond").mkdir(exist_ok=True)
        for result in results:
            own = result.paper in [question.slug for question in QUESTIONS]
            shutil.copy(result.executed, notebooks / ("beyond" if own else "papers"))
        comparison = results[0].comparison.copy()
        comparison.loc[0, "item"] = HOSTILE  # one printed number has a hostile name
        results[0] = replace(results[0], comparison=comparison)
        return folder / "site", site.build_site(notebooks, results, folder / "site")

    return kept.make("whole-site", make)


def pages_of(folder):
    """All pages but the slides, which `test_slides` tests."""
    return [
        path
        for path in sorted(folder.rglob("*.html"))
        if "slides" not in path.relative_to(folder).parts[:-1]
    ]


def test_everything_is_there(whole):
    """No link is dead, Sphinx warns of nothing, and every notebook can be downloaded."""
    folder, wrong = whole
    assert wrong == []
    made = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.html")}
    wanted = [
        path for pattern in site.OTHER_NOTEBOOKS for path in (ROOT / "notebooks").glob(pattern)
    ]
    wanted = [path.relative_to(ROOT) for path in (*wanted, *(paper.notebook for paper in PAPERS))]
    assert {path.with_suffix("").as_posix() for path in wanted} <= made
    for path in wanted:
        if path.suffix == ".ipynb":
            assert (folder / path).read_bytes() == (ROOT / path).read_bytes()
    assert {f"slides/{path.stem}" for path in LECTURES.glob("*.ipynb")} <= made
    assert {*SEEN, "errata", "solutions", "play", "search", "citation", "CHANGELOG"} <= made
    assert {f"environments/{arena.name}" for arena in arenas()} <= made
    assert {f"games/{exhibit.slug}" for exhibit in EXHIBITS} <= made
    assert {f"reference/{task.slug}" for task in TASKS} <= made
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_pages_name_no_folder_of_this_machine(whole):
    folder, _ = whole
    for path in pages_of(folder):
        text = path.read_text(encoding="utf-8")
        for private in (str(ROOT), str(folder.parent), os.path.expanduser("~/")):
            assert private not in text, path.name


def typeset(page):
    """Wait until formulas are set."""
    page.wait_for_function("window.MathJax?.startup?.promise")
    page.evaluate("() => MathJax.startup.promise.then(() => null)")


@pytest.mark.parametrize("name", SEEN)
def test_a_page_opens_without_a_network(whole, watched, screenshots, name):
    folder, _ = whole
    page = watched((folder / f"{name}.html").as_uri(), viewport={"width": 1280, "height": 900})
    if page.locator("script[src*=mathjax]").count():
        typeset(page)
        assert page.locator("mjx-merror, [data-mml-node=merror]").count() == 0
    text = page.evaluate("document.querySelector('article, main, body').innerText")
    assert name == "verdicts" or not re.search(r"\$[^$\n]+\$|\\frac|\\sum|\\begin\{", text)
    assert len(text) > 40
    broken = page.evaluate(
        "[...document.images].filter(image => image.complete && !image.naturalWidth).map(image => image.src)"
    )
    assert broken == []
    width = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(width) <= 0
    page.screenshot(path=screenshots / f"site-{name.replace('/', '-')}.png", full_page=True)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(width) <= 0, "on a telephone"


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize("name", ["index", "verdicts", "games/pig", SEEN[8]])
def test_axe_finds_nothing(whole, watched, violations, name, width, scheme):
    folder, _ = whole
    size = {"width": width, "height": 844}
    page = watched((folder / f"{name}.html").as_uri(), viewport=size, color_scheme=scheme)
    if page.locator("script[src*=mathjax]").count():
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


def test_a_game_leads_to_its_play(whole, watched):
    folder, _ = whole
    page = watched((folder / "games" / "double-trouble.html").as_uri())
    page.get_by_role("link", name="Play Double Trouble").click()
    page.locator("#game-name", has_text="Double Trouble").wait_for()


def test_verdicts_are_filtered(whole, watched):
    """By paper, by verdict and by words; errata come first; the count says what is shown."""
    folder, _ = whole
    page = watched((folder / "verdicts.html").as_uri())
    rows = page.locator("table.verdicts tbody tr")
    shown = page.locator("#shown")
    total = rows.count()
    assert shown.inner_text() == f"{total} of {total} numbers"
    for table in page.locator("table.verdicts").all():
        order = [site.VERDICTS.index(word) for word in table.locator(".verdict").all_inner_texts()]
        assert order == sorted(order)
    page.select_option("[name=verdict]", "agree")
    agree = page.locator("table.verdicts tbody tr:visible")
    assert 0 < agree.count() < total and {*agree.locator(".verdict").all_inner_texts()} == {"agree"}
    page.select_option("[name=paper]", "ten-thousand")
    assert page.locator("table.verdicts:visible").count() == page.locator("h2:visible").count() == 1
    page.fill("[name=words]", "table-6 no-such-item")
    assert agree.count() == 0 and shown.inner_text() == f"0 of {total} numbers"
    page.fill("[name=words]", "table-6 ROLL")
    found = [text.lower() for text in agree.all_inner_texts()]
    assert all("table-6" in text and "roll" in text for text in found)


def test_every_picture_says_what_is_seen(whole):
    folder, _ = whole
    for path in pages_of(folder):
        for picture in re.findall(r"<img[^>]*>", path.read_text(encoding="utf-8")):
            text = re.search(r'alt="([^"]*)"', picture)
            assert text and len(text[1].split()) >= 4 and "_images" not in text[1], (
                path.name,
                picture[:200],
            )


def property_of(page, name):
    """What a page says of itself to those who show a link to it."""
    (said,) = re.findall(rf'<meta property="og:{name}" content="([^"]*)">', page)
    return unescape(said)


@pytest.mark.parametrize("name", SEEN)
def test_a_link_to_a_page_has_a_title_words_and_a_picture(whole, name):
    folder, _ = whole
    page = folder / f"{name}.html"
    text = page.read_text(encoding="utf-8")
    assert f"<title>{escape(property_of(text, 'title'), quote=False)}" in text
    assert f'name="description" content="{escape(property_of(text, "description"))}"' in text
    picture = page.parent / property_of(text, "image")
    assert struct.unpack(">8s8xII", picture.read_bytes()[:24]) == (b"\x89PNG\r\n\x1a\n", 1200, 630)
    assert "canonical" not in text and not (folder / "sitemap.xml").exists()


def test_what_sphinx_warns_of_is_told(tmp_path):
    (source := tmp_path / "source").mkdir()
    (source / "index.md").write_text("# Begin\n\n[A page](gone.md)\n\n# A second title", "utf-8")
    (line,) = site.run_sphinx(source, tmp_path / "made").splitlines()
    assert re.fullmatch(r"\S+/index.md:3: WARNING: .*'gone.md'.* \[myst.xref_missing\]", line)


def test_a_site_with_an_address_says_it(tmp_path, monkeypatch):
    monkeypatch.setattr(site, "ADDRESS", address := "https://example.org/dice/")
    source, made = tmp_path / "source", tmp_path / "made"
    for name, text in {
        "index": "# Begin\n\n```{toctree}\nin here/page\n```",
        "in here/page": '# A *page* & `code`\n\nForty letters and more, which `"describe" <this>` page.',
        "404": "---\norphan: true\n---\n\n# Nothing\n\n[Begin](index.md) [away](https://example.com)",
    }.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / f"{name}.md").write_text(text, encoding="utf-8")
    assert site.run_sphinx(source, made) == ""
    site.publish(made)
    places = ElementTree.parse(made / "sitemap.xml").getroot().findall(".//{*}loc")
    pages = [f"{address}in%20here/page.html", f"{address}index.html"]
    assert [place.text for place in places] == pages
    page = (made / "in here" / "page.html").read_text(encoding="utf-8")
    assert f'<link rel="canonical" href="{property_of(page, "url")}">' in page
    assert property_of(page, "url").replace(" ", "%20") == pages[0]
    assert property_of(page, "image") == f"{address}_static/card.png"
    assert property_of(page, "title") == "A page & code"
    assert property_of(page, "description").endswith('which "describe" <this> page.')
    lost = (made / "404.html").read_text(encoding="utf-8")  # shown at any address
    links = re.findall(r'\b(?:href|src|action|data-content_root)="([^"]*)"', lost)
    assert f"{address}index.html" in links and f"{address}_static/style.css" in str(links)
    assert [link for link in links if not link.startswith(("https://", "#", "data:"))] == []


def test_formulas_and_anchors_are_written_for_sphinx():
    text = '> <a id="a"></a>Then\n> $$\n> x\n> $$\n\nand\n$$y$$\nor $$z$$'
    assert site.for_sphinx(text) == "> []{#a}Then\n>\n> $$\n> x\n> $$\n\nand\n\n$$y$$\nor $$z$$"


@pytest.fixture
def house(tmp_path, monkeypatch):
    """A checkout with an old site and one notebook to execute; returns a function that writes its only cell."""
    (tmp_path / "build" / "site").mkdir(parents=True)
    (tmp_path / "build" / "site" / "index.html").write_text("the old one")
    notebook = tmp_path / "notebooks" / "explore" / "one.ipynb"
    notebook.parent.mkdir(parents=True)
    monkeypatch.setattr(site, "ROOT", tmp_path)
    monkeypatch.setattr(site, "reproduce", lambda **options: [])
    monkeypatch.setattr(site, "copy_javascript", lambda folder, build: None)

    def write(source):
        cell = nbformat.v4.new_code_cell(source)
        nbformat.write(nbformat.v4.new_notebook(cells=[cell]), notebook)
        return tmp_path / "build"

    return write


def test_a_new_site_takes_the_place_of_the_old(house, monkeypatch):
    build = house("1 + 1")

    def make(executed, results, built, root):
        assert (executed / "explore" / "one.ipynb").exists()
        (built / "sub").mkdir(parents=True)
        (built / "sub" / "new.html").write_text("new")
        return []

    monkeypatch.setattr(site, "build_site", make)
    result = CliRunner().invoke(main, ["site", "--into", str(build.parent)])
    assert result.exit_code == 0 and "build/site/index.html" in result.output
    assert sorted(path.relative_to(build).as_posix() for path in build.rglob("*")) == [
        ".lock",
        ".site.json",
        "site",
        "site/index.html",  # which no run had noted, and so is somebody else's
        "site/sub",
        "site/sub/new.html",
    ]


def test_a_site_with_a_dead_link_leaves_the_old_one(house, monkeypatch):
    build = house("1 + 1")
    wrong = ["index.html: nowhere.html leads nowhere"]
    monkeypatch.setattr(site, "build_site", lambda *given: wrong)
    result = CliRunner().invoke(main, ["site", "--into", str(build.parent)])
    assert result.exit_code == 1 and wrong[0] in result.output
    assert (build / "site" / "index.html").read_text() == "the old one"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_committed_figures_have_captions_and_alternative_texts(paper):
    folder = ROOT / "figures" / paper.slug
    listed = figures_in(folder)
    assert {row["name"] for row in listed} == {path.stem for path in folder.glob("*.svg")}
    assert [row["name"] for row in listed if not (row["caption"] and row["alternative"])] == []


def test_pictures_replace_widgets(executed):
    name = Path("explore/landscape.ipynb")
    notebook = site.as_page(
        nbformat.read(executed(ROOT / "notebooks" / name)[0], as_version=4), name
    )
    assert (
        "need a running kernel" in notebook.cells[0].source
        and "play.html" in notebook.cells[0].source
    )
    shown = [
        out.data for cell in notebook.cells if cell.cell_type == "code" for out in cell.outputs
    ]
    assert not any(WIDGET in data for data in shown)
    pictures = re.findall(r"<img [^>]*>", "".join(data.get("text/html", "") for data in shown))
    assert len(pictures) == 2 and all(
        "alt=" in each and "data:image/png;base64," in each for each in pictures
    )
