"""Dead links of the site are found, and none that lead somewhere."""

from pathlib import Path

import pytest
from dead_links import dead_links

from collection.papers.published import ROOT

ANOTHER = (
    '<h1 id="a-place">Another</h1><a name="old"></a><p id="V(20),-%E2%80%A6"></p><p id="…"></p>'
)


@pytest.fixture
def linked(tmp_path):
    """A function: the dead links of a page in a folder of a site, which has the given address in it."""
    (tmp_path / "outside.html").write_text("not of the site")
    (tmp_path / "site" / "sub").mkdir(parents=True)
    (tmp_path / "site" / "another page.html").write_text(ANOTHER, encoding="utf-8")
    (tmp_path / "site" / "one.svg").write_text("<svg/>")

    def dead(element, page="index.html"):
        (tmp_path / "site" / "sub" / page).write_text(element, encoding="utf-8")
        return dead_links(tmp_path / "site", f"**/*{Path(page).suffix}")

    return dead


@pytest.mark.parametrize(
    "element",
    [
        '<a href="gone.html">a page</a>',
        '<a href="..">a folder</a>',
        '<a href="../../outside.html">a page that no visitor has</a>',
        '<a href="/another%20page.html">from the root of a server</a>',
        '<a href="file:../another%20page.html">a file of this machine</a>',
        '<a href="#nowhere">a place here</a>',
        '<a href="../another%20page.html#nowhere">a place there</a>',
        '<a href="../another%20page.html#A-place">another case</a>',
        '<img src="two.svg" alt="a picture">',
        '<script src="gone.js"></script>',
        "<a href='gone.html?q=1'>single quotes, and a query</a>",
        '<link rel="stylesheet" href="gone.css">',
    ],
)
def test_a_dead_link_is_found(linked, element):
    (line,) = linked(f"<p>Some text.</p>{element}")
    assert line.startswith("sub/index.html: ") and line.endswith(" leads nowhere")


@pytest.mark.parametrize(
    "element",
    [
        '<a href="../another%20page.html?q=1#a-place">a place there</a>',
        '<a href="../another%20page.html#old">an old name</a>',
        '<a href="../another%20page.html#V(20),-%E2%80%A6">an id with signs of an address</a>',
        '<a href="../another%20page.html#%E2%80%A6">a place to decode</a>',
        '<a href="../another%20page.html#target=50">a state</a>',
        '<b id="here"></b><a href="#here">here</a><a href="#">the top</a>',
        '<img src="../one.svg" alt="a picture"><img src="data:image/png;base64," alt="another">',
        '<a href="https://example.org/gone.html">another site</a><a href="//example.org">and</a>',
        '<script>const link = \'<a href="gone.html">\'</script><!-- <a href="gone.html"> -->',
    ],
)
def test_a_link_that_leads_somewhere_is_not(linked, element):
    assert linked(element) == []


def test_links_of_markdown_are_read(linked):
    text = "[one](../one.svg) [`two`](two.svg)\n\n| a |\n|---|\n| ![three](three.svg) |\n\n`[code](four.svg)`\n"
    assert linked(text, "page.md") == [
        f"sub/page.md: {n}.svg leads nowhere" for n in ("two", "three")
    ]


def test_links_of_the_papers_results_lead_somewhere():
    assert dead_links(ROOT, "figures/*/README.md") == []
