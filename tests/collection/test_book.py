"""The printed course: pages are joined, links lead within it, and the contents are in the order of their pages."""

import re
import shutil

from collection import book
from collection.slides import LECTURES

PAGE = """<link rel="stylesheet" type="text/css" href="_static/style.css" />
<article role="main" id="furo-main-content">
<section id="{anchor}">
<h1>{title}<a class="headerlink" href="#{anchor}">¶</a></h1>
<style>#T_0 td {{ color: red }}</style><table id="T_0"></table>
{body}
</section>
</article>"""


def test_pages_are_joined_and_links_lead_within(tmp_path):
    one = '<a href="two.html#same">a</a> <a href="two.ipynb">b</a> <a id="same"></a>'
    two = '<a href="#same">c</a> <a href="https://x.org/">d</a> <a href="no.html">e</a>'
    for name, body in (("one", one), ("two", two)):
        page = PAGE.format(anchor=f"{name}-top", title=name, body=body)
        (tmp_path / f"{name}.html").write_text(page)
    text = book.join_pages(tmp_path, ["one", "two"])
    assert re.findall(r"<a ([^>]*)>(\w)</a>", text) == [
        ('href="#two--same"', "a"),
        ('href="#two"', "b"),
        ('href="#two--same"', "c"),
        ('href="https://x.org/"', "d"),
        ("", "e"),
    ]
    anchors = re.findall(r'\bid="([^"]+)"', text)
    assert len(anchors) == len({*anchors}) and {"one", "two", "one--same"} <= {*anchors}
    assert "#one--T_0 td" in text and 'id="one--T_0"' in text and "¶" not in text


def test_a_chapter_is_printed(tmp_path, executed, browser, javascript):
    """Between the definitions and the index; every link leads to an anchor that is there."""
    chapter = executed(LECTURES / "01-one-turn.ipynb")[0]
    shutil.copytree(javascript, tmp_path, dirs_exist_ok=True)
    names = book.make_pages([chapter], tmp_path)
    page = tmp_path / "book.html"
    page.write_text(book.join_pages(tmp_path, names), encoding="utf-8")
    pdf = book.print_page(browser, page)
    pages = book.destinations(pdf)
    wanted = {name.decode() for name in re.findall(rb"/Dest /([^\s>]+)", pdf)}
    assert "definitions--theorem-7" in wanted and wanted <= {*pages}
    listed = re.findall(r'<a href="#([^"]+)"><span class="words">', page.read_text("utf-8"))
    begins = [pages[anchor] for anchor in listed]
    assert begins == sorted(begins) and len(begins) > 20
    assert pdf.count(b"/Type /Page\n") >= begins[-1]
