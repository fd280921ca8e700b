"""Dead links: addresses in pages that lead to no file, or to no place in another page.

Other sites are not asked, since a build needs no network.
"""

import os
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

from dicelab._extras import extra

with extra("papers"):
    from nbconvert.filters import markdown2html

__all__ = ["dead_links"]

ELSEWHERE = ("http", "https", "mailto", "data")


class Page(HTMLParser):
    """A page's links, and the places in it that links may lead to."""

    def __init__(self, path):
        super().__init__()
        self.links, self.places = [], {"", "top"}
        text = path.read_text(encoding="utf-8")
        self.feed(markdown2html(text) if path.suffix == ".md" else text)
        self.close()

    def handle_starttag(self, tag, attributes):
        """Note links and places."""
        for name, value in attributes:
            if name in ("href", "src", "poster"):
                self.links.append(value or "")
            if name == "id" or (tag, name) == ("a", "name"):
                self.places.add(value)


def dead_links(folder, pattern="**/*.html"):
    """The dead links of pages in a folder, which they must not leave.

    Parameters
    ----------
    folder : Path
    pattern : str
        Which files are pages: HTML, or Markdown if they end in ".md".

    Returns
    -------
    list of str
        A line for each, for example "slides/01-one-turn.html: there is no README.md".
    """
    folder = folder.resolve()
    pages = {path: Page(path) for path in sorted(folder.glob(pattern))}
    dead = []
    for path, page in pages.items():
        for link in dict.fromkeys(page.links):
            address = urlsplit(link)
            if address.scheme in ELSEWHERE or address.netloc:
                continue
            target = Path(os.path.normpath(path.parent / unquote(address.path)))
            target = target if address.path else path
            place = address.fragment  # a browser looks for it as it stands, and then decoded
            there = target.is_file() and target.is_relative_to(folder) and not address.scheme
            # "=": a state of the page that solves.
            if there and target in pages and "=" not in place:
                there = not pages[target].places.isdisjoint({place, unquote(place)})
            if not there:
                dead.append(f"{path.relative_to(folder).as_posix()}: {link} leads nowhere")
    return dead
