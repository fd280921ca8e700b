"""The site: every page opens from a file without a network, shows no raw TeX, and escapes foreign text."""

import os
import re
import shutil
import struct
from dataclasses import replace
from functools import partial
from html import escape, unescape
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pandas as pd
import pytest
from click.testing import CliRunner
from conftest import LONG

from collection import site
from collection.environment_pages import Arena, arenas
from collection.gallery import examples
from collection.game_pages import EXHIBITS
from collection.papers.published import PAPERS, QUESTIONS, ROOT
from collection.reference import TASKS
from collection.report import escape_markdown
from collection.slides import LECTURES, WIDGET
from dicelab import plots
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


SOME = ("start", "01-one-turn", "landscape")
GAMES = ("pig", "double-trouble", "ten-thousand")
RACES = ("Pig", "Hog", "TenThousand")


def make_site(folder, executed, small_paper, chosen):
    """The site in a folder, with the other notebooks that are chosen, executed; and what is wrong with it."""
    notebooks = folder / "notebooks"
    results = [small_paper(paper.slug)[1] for paper in (*PAPERS, *QUESTIONS)]
    for pattern in site.OTHER_NOTEBOOKS:
        for path in (ROOT / "notebooks").glob(pattern):
            if chosen(path) and path not in [question.notebook for question in QUESTIONS]:
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


@pytest.fixture(scope="session")
def built(kept, executed, small_paper, javascript):
    """A site with a page of each kind, and what is wrong with it: it lacks the pages that others lead to."""

    def make(folder):
        with pytest.MonkeyPatch.context() as patch:
            shown = tuple(exhibit for exhibit in EXHIBITS if exhibit.slug in GAMES)
            patch.setattr(site, "EXHIBITS", shown)
            patch.setattr(site, "examples", lambda: examples()[:2])
            patch.setattr(site, "arenas", lambda: [Arena(f"dicelab/{name}-v0") for name in RACES])
            return make_site(folder, executed, small_paper, lambda path: path.stem in SOME)

    return kept.make("site", make)


@pytest.fixture(scope="session")
def whole(kept, executed, small_paper, javascript):
    """The site with all pages, and what is wrong with it: nothing."""
    return kept.make(
        "whole-site", lambda folder: make_site(folder, executed, small_paper, lambda path: True)
    )


def pages_of(folder):
    """All pages but the slides, which `test_slides` tests."""
    return [
        path
        for path in sorted(folder.rglob("*.html"))
        if "slides" not in path.relative_to(folder).parts[:-1]
    ]


@LONG
def test_everything_is_there(whole):
    folder, wrong = whole
    assert wrong == []
    made = {path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("*.html")}
    wanted = [
        path for pattern in site.OTHER_NOTEBOOKS for path in (ROOT / "notebooks").glob(pattern)
    ]
    wanted += [paper.notebook for paper in PAPERS]
    assert {path.relative_to(ROOT).with_suffix("").as_posix() for path in wanted} <= made
    assert {f"slides/{path.stem}" for path in LECTURES.glob("*.ipynb")} <= made
    assert {
        "index",
        "verdicts",
        "errata",
        "solutions",
        "slides",
        "play",
        "search",
        "figures",
        "citation",
        "gallery",
        "404",
    } <= made
    assert {
        "notebooks/lectures/references",
        "notebooks/lectures/terms",
        "notebooks/start",
        "notebooks/README",
        "docs/package",
        "CHANGELOG",
        "games",
        "environments",
        "reference",
    } <= made
    assert {f"environments/{arena.name}" for arena in arenas()} <= made
    assert {f"games/{exhibit.slug}" for exhibit in EXHIBITS} <= made
    assert {f"reference/{task.slug}" for task in TASKS} <= made
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]


def test_pages_name_no_folder_of_this_machine(built):
    folder, _ = built
    for path in pages_of(folder):
        text = path.read_text(encoding="utf-8")
        for private in (str(ROOT), str(folder.parent), os.path.expanduser("~/")):
            assert private not in text, path.name


def typeset(page):
    """Wait until formulas are set."""
    page.wait_for_function("window.MathJax?.startup?.promise")
    page.evaluate("() => MathJax.startup.promise.then(() => null)")


@pytest.mark.parametrize("site_of", ["built", pytest.param("whole", marks=LONG)])
def test_every_page_opens_without_a_network(site_of, request, executed, watched, screenshots):
    """A page of each kind, or all."""
    folder, _ = request.getfixturevalue(site_of)
    some = [folder / f"{name}.html" for name in SEEN]
    for path in some if site_of == "built" else pages_of(folder):
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
        width = "document.documentElement.scrollWidth - window.innerWidth"
        assert page.evaluate(width) <= 0, name
        assert page.title() != "7"
        if name in SEEN:
            page.screenshot(path=screenshots / f"site-{name.replace('/', '-')}.png", full_page=True)
        page.set_viewport_size({"width": 390, "height": 844})
        assert page.evaluate(width) <= 0, f"{name} on a telephone"
        page.close()


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
@pytest.mark.parametrize(
    "name", [*SEEN, "notebooks/README", "notebooks/lectures/definitions", "search"]
)
def test_axe_finds_nothing(built, watched, violations, name, width, scheme):
    folder, _ = built
    size = {"width": width, "height": 844}
    page = watched((folder / f"{name}.html").as_uri(), viewport=size, color_scheme=scheme)
    if page.locator("script[src*=mathjax]").count():
        typeset(page)
    assert violations(page) == []


def test_axe_finds_nothing_on_slides(built, watched, violations):
    folder, _ = built
    page = watched((folder / "slides" / "01-one-turn.html").as_uri())
    page.wait_for_function("window.typeset === true")
    page.evaluate("Reveal.configure({ transition: 'none', fragments: false })")
    for number in range(page.evaluate("Reveal.getTotalSlides()")):
        assert page.evaluate("Reveal.getSlidePastCount()") == number
        page.wait_for_timeout(50)
        assert violations(page) == [], page.url
        page.evaluate("Reveal.next()")
    assert number > 20 and page.evaluate("Reveal.isLastSlide()")


def test_formulas_are_typeset(built, watched):
    folder, _ = built
    page = watched((folder / "notebooks" / "lectures" / "01-one-turn.html").as_uri())
    typeset(page)
    assert page.locator("mjx-container svg").count() > 20


def test_foreign_text_is_escaped(built, watched):
    folder, _ = built
    page = watched((folder / "verdicts.html").as_uri())
    assert HOSTILE in page.evaluate("document.body.innerText")
    assert page.locator("td b, td script, td em, td .math").count() == 0


def test_search_finds_from_a_file(built, watched):
    folder, _ = built
    page = watched((folder / "search.html").as_uri() + "?q=bellman")
    found = page.locator("#search-results li a")
    found.nth(2).wait_for()  # one after the other they come
    found.first.click()
    page.wait_for_url(lambda url: "search.html" not in url)
    page.wait_for_function("document.body?.innerText.includes('Bellman')")


def test_a_visitor_finds_the_way(built, watched):
    """From the front page to the slides, to the page to play on, and on a telephone to a lecture."""
    folder, _ = built
    page = watched((folder / "index.html").as_uri(), viewport={"width": 390, "height": 800})
    page.get_by_role("link", name="Play", exact=True).first.click()
    page.wait_for_url("**/play.html")
    page.get_by_role("link", name="dicelab").click()
    page.wait_for_url("**/index.html")
    page.locator(".nav-overlay-icon").click()
    page.locator(".sidebar-drawer .play-link a").click()
    page.wait_for_url("**/play.html")
    page.goto((folder / "index.html").as_uri())
    page.locator(".nav-overlay-icon").click()
    page.locator(".sidebar-tree a").filter(has_text="Slides").click()
    page.locator("article li a").first.click()
    page.wait_for_function("window.typeset === true")


def test_a_game_leads_to_its_play(built, watched):
    folder, _ = built
    page = watched((folder / "games" / "double-trouble.html").as_uri())
    page.get_by_role("link", name="Play Double Trouble").click()
    page.locator("#game-name", has_text="Double Trouble").wait_for()


def test_verdicts_are_filtered(built, watched):
    """By paper, by verdict and by words; errata come first; the count says what is shown."""
    folder, _ = built
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


CONTRAST = """() => {
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number)
    const light = (colour) => {
        const linear = (c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
        const [r, g, b] = colour.slice(0, 3).map((c) => linear(c / 255))
        return 0.2126 * r + 0.7152 * g + 0.0722 * b
    }
    const behind = (element) => {
        for (; element; element = element.parentElement) {
            const colour = rgb(getComputedStyle(element).backgroundColor)
            if (colour.length < 4 || colour[3] > 0.99) return colour
        }
        return [255, 255, 255]
    }
    const low = []
    for (const element of document.querySelectorAll("td, th, .verdict, .play-link a, #filter label, summary")) {
        if (!element.innerText.trim() || !element.checkVisibility()) continue
        const pair = [light(rgb(getComputedStyle(element).color)), light(behind(element))].sort((a, b) => b - a)
        const contrast = (pair[0] + 0.05) / (pair[1] + 0.05)
        if (contrast < 4.5) low.push([element.innerText, contrast])
    }
    return low
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "name",
    ["verdicts", "games/pig", "notebooks/papers/generalized-pig", "notebooks/papers/minimax-pig"],
)
def test_tables_have_contrast(built, watched, screenshots, scheme, name):
    folder, _ = built
    page = watched(
        (folder / f"{name}.html").as_uri(),
        color_scheme=scheme,
        viewport={"width": 1280, "height": 900},
    )
    assert page.evaluate(CONTRAST) == []
    page.screenshot(path=screenshots / f"site-{scheme}-{name.replace('/', '-')}.png")


def test_figures_stand_on_white_in_the_dark(built, watched):
    folder, _ = built
    page = watched((folder / "games" / "pig.html").as_uri(), color_scheme="dark")
    colours = page.eval_on_selector_all(
        "article img", "images => images.map(i => getComputedStyle(i).backgroundColor)"
    )
    assert colours and {*colours} == {"rgb(255, 255, 255)"}


@LONG
def test_every_picture_says_what_is_seen(whole):
    folder, _ = whole
    for path in pages_of(folder):
        for picture in re.findall(r"<img[^>]*>", path.read_text(encoding="utf-8")):
            text = re.search(r'alt="([^"]*)"', picture)
            assert text and len(text[1].split()) >= 4 and "_images" not in text[1], (
                path.name,
                picture[:200],
            )


@LONG
def test_every_page_has_a_description_and_an_icon(whole):
    folder, _ = whole
    for path in pages_of(folder):
        text = path.read_text(encoding="utf-8")
        (description,) = re.findall(r'<meta name="description" content="([^"]*)"', text)
        assert 20 < len(description) <= 400, path.name
        assert re.search('rel="(shortcut )?icon"', text), path.name


def property_of(page, name):
    """What a page says of itself to those who show a link to it."""
    (said,) = re.findall(rf'<meta property="og:{name}" content="([^"]*)">', page)
    return unescape(said)


@pytest.mark.parametrize("name", [name for name in SEEN if name != "play"])
def test_a_link_to_a_page_has_a_title_words_and_a_picture(built, name):
    folder, _ = built
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


def test_docstrings_are_read_as_they_are_meant(built):
    """A first line "A: b" is not the type A; every record that is returned is on a page."""
    folder, _ = built
    pages = {
        path.stem: path.read_text(encoding="utf-8")
        for path in (folder / "reference").glob("*.html")
    }
    for name, text in pages.items():
        assert '<dt class="field-odd">Type' not in text, name
        assert "system-message" not in text and ">Parameters</h" not in text, name
    assert (
        'id="dicelab.Solution"' in pages["solve"]
        and 'id="dicelab.Solution.value"' in pages["solve"]
    )
    assert "The choice in words:" in pages["rules"]


def test_code_wraps_in_print(built, watched):
    folder, _ = built
    page = watched(
        (folder / "reference" / "solve.html").as_uri(), viewport={"width": 600, "height": 800}
    )
    page.emulate_media(media="print")
    wide = page.eval_on_selector_all(
        "pre", "blocks => blocks.filter(b => b.scrollWidth > b.clientWidth + 1).length"
    )
    assert page.locator("pre").count() and wide == 0
    assert not page.locator(".play-link a").is_visible()


def test_a_lecture_is_printed_on_a4(built, watched):
    """The text alone, with whole pictures and whole formulas, which are no bolder than on the screen."""
    folder, _ = built
    text = {"width": 658, "height": 1000}  # 174 mm, between the margins
    page = watched((folder / "notebooks/lectures/01-one-turn.html").as_uri(), viewport=text)
    typeset(page)
    page.emulate_media(media="print")
    for part in (".sidebar-drawer", ".toc-drawer", ".mobile-header", "footer", ".skip-to-content"):
        assert page.locator(part).count() == 1 and not page.locator(part).is_visible(), part
    pictures = page.eval_on_selector_all(
        "article img:not([src$='map.svg'])",
        "all => all.map(img => [img.offsetWidth, img.offsetHeight])",
    )
    assert len(pictures) > 8
    assert all(width <= 658 and 50 < height <= 95 * 96 / 25.4 + 1 for width, height in pictures)
    strokes = "all => all.map(glyph => getComputedStyle(glyph).stroke)"
    assert {*page.eval_on_selector_all("mjx-container use", strokes)} == {"none"}
    rights = "all => all.map(svg => svg.getBoundingClientRect().right)"
    formulas = page.eval_on_selector_all("mjx-container[display=true] > svg", rights)
    assert len(formulas) > 5 and max(formulas) <= 658
    page.set_viewport_size({"width": 500, "height": 1000})  # one with a number keeps its width
    formulas = page.eval_on_selector_all("mjx-container[display=true]:not([width]) > svg", rights)
    assert len(formulas) > 2 and max(formulas) <= 500
    printed = page.pdf(prefer_css_page_size=True)
    sizes = re.findall(rb"/MediaBox \[0 0 (\S+) (\S+)\]", printed)
    assert 8 <= len(sizes) <= 20
    assert all((round(float(w)), round(float(h))) == (595, 842) for w, h in sizes)


@LONG
def test_notebooks_can_be_downloaded_and_lectures_are_linked(whole):
    folder, _ = whole
    for path in (folder / "notebooks").rglob("*.html"):
        if (ROOT / path.relative_to(folder)).with_suffix(".md").exists():
            continue
        name = path.relative_to(folder).with_suffix(".ipynb")
        assert (folder / name).read_bytes() == (ROOT / name).read_bytes()
        text = path.read_text(encoding="utf-8")
        solution = path.parent.name == "solutions"
        assert f'<a href="{path.stem}.ipynb" download>' in text
        if "lectures" in name.parts:
            assert f'slides/{path.stem}.html">Slides</a>' in text
            assert (
                f'href="../{path.stem}.html">Lecture</a>'
                if solution
                else f'"solutions/{path.stem}.html"'
            ) in text
    for slides in (folder / "slides").glob("*.html"):
        assert f'href="../notebooks/lectures/{slides.stem}.html"' in slides.read_text(
            encoding="utf-8"
        )
    listed = (folder / "slides.html").read_text(encoding="utf-8")
    assert listed.count("lectures/solutions/") >= 2 * len([*LECTURES.glob("*.ipynb")]) - 10


def test_formulas_and_anchors_are_written_for_sphinx():
    text = '> <a id="a"></a>Then\n> $$\n> x\n> $$\n\nand\n$$y$$\nor $$z$$'
    assert site.for_sphinx(text) == "> []{#a}Then\n>\n> $$\n> x\n> $$\n\nand\n\n$$y$$\nor $$z$$"


def test_binder_is_one_setting(built, executed, monkeypatch):
    """It is not mentioned until it is set."""
    folder, _ = built
    assert site.BINDER == ""
    said = [
        path.name
        for path in pages_of(folder)
        if re.search("binder", path.read_text(encoding="utf-8"), re.I)
    ]
    assert said == []
    monkeypatch.setattr(site, "BINDER", "https://mybinder.org/v2/gh/someone/dicelab/HEAD")
    name = Path("explore/landscape.ipynb")
    first = (
        site.as_page(nbformat.read(executed(ROOT / "notebooks" / name)[0], as_version=4), name)
        .cells[0]
        .source
    )
    assert (
        "https://mybinder.org/v2/gh/someone/dicelab/HEAD?labpath=notebooks/explore/landscape.ipynb"
        in first
    )


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


def test_a_notebook_that_fails_leaves_the_old_site(house):
    build = house("1 / 0")
    result = CliRunner().invoke(main, ["site", "--into", str(build.parent)])
    assert result.exit_code == 1
    assert "one failed: cell 1 raised ZeroDivisionError: division by zero" in result.output
    assert sorted(path.name for path in build.rglob("*")) == [".lock", "index.html", "site"]
    assert (build / "site" / "index.html").read_text() == "the old one"


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


def test_the_index_lists_every_figure_with_its_number_and_words(tmp_path, monkeypatch):
    root = tmp_path / "root"
    source = tmp_path / "source"
    slug = PAPERS[0].slug
    (root / "figures" / slug).mkdir(parents=True)
    for name in site.COPIED:
        (root / name).symlink_to(ROOT / name)
    ax = plots.digits(pd.Series([1, 12], index=[1, 20]))
    data = pd.Series([1])
    save = partial(plots.save, root / "figures" / slug)
    save(
        "of-the-paper",
        data,
        ax,
        caption=f"Figure A2. Digits. {HOSTILE}",
        alternative="a line [that] rises",
    )
    save("ours", data, ax, caption="Figures drawn by us.")
    save("numbers", data)
    monkeypatch.setattr(site, "ROOT", root)
    monkeypatch.setattr(site, "EXHIBITS", ())
    monkeypatch.setattr(site, "examples", list)
    monkeypatch.setattr(site, "arenas", list)
    (tmp_path / "executed" / "papers").mkdir(parents=True)
    shown = nbformat.v4.new_code_cell(
        'plots.save(figures, "of-the-paper", data, ax, alternative=text)'
    )
    shown.outputs = [nbformat.v4.new_output("display_data", {"image/png": ""})]
    made = nbformat.v4.new_notebook(cells=[nbformat.v4.new_markdown_cell("# One"), shown])
    nbformat.write(made, tmp_path / "executed" / "papers" / f"{slug}.ipynb")
    site.collect_sources(tmp_path / "executed", [], source, root / "figures")
    page = (source / "figures.md").read_text(encoding="utf-8")
    rows = [
        [cell.strip() for cell in row.split("\n  - ")]
        for row in page.split("```")[1].split("\n* - ")[2:]
    ]
    assert [row[1:3] for row in rows] == [
        ["Figure A2", f"Digits. {escape_markdown(HOSTILE)}"],
        ["–", "Figures drawn by us."],
    ]
    for row, name in zip(rows, ("of-the-paper", "ours"), strict=True):
        assert row[3] == f"[SVG](figures/{slug}/{name}.svg), [CSV](figures/{slug}/{name}.csv)"
        assert all((source / link).exists() for link in re.findall(r"\]\((.+?)\)", row[3]))
    assert rows[0][0] == rf"![a line \[that\] rises](figures/{slug}/of-the-paper.svg)"
    assert page.count("## ") == 1 and PAPERS[1].title not in page, (
        "a paper without figures is left out"
    )
    _, cell = nbformat.read(source / "notebooks" / "papers" / f"{slug}.ipynb", as_version=4).cells
    assert cell.metadata["alt"] == "a line [that] rises"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_committed_figures_have_captions_and_alternative_texts(paper):
    folder = ROOT / "figures" / paper.slug
    listed = figures_in(folder)
    assert {row["name"] for row in listed} == {path.stem for path in folder.glob("*.svg")}
    assert [row["name"] for row in listed if not (row["caption"] and row["alternative"])] == []


def test_a_computed_sentence_is_read_without_its_code(built):
    folder, _ = built
    page = (folder / "notebooks" / "lectures" / "01-one-turn.html").read_text(encoding="utf-8")
    assert "values are equal to" in page and "Markdown(" not in page.replace("import Markdown", "")


def test_a_lecture_ends_with_the_map_of_the_course(built):
    folder, _ = built
    page = (folder / "notebooks" / "lectures" / "01-one-turn.html").read_text(encoding="utf-8")
    assert page.count("Map of the course</a>") == 1 and page.count("map.svg") == 1
    assert [path.name for path in folder.rglob("map*.svg")] == ["map.svg"]


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
