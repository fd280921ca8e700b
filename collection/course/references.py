"""The bibliography of the course, its page, and the lists of references in the notebooks, from one BibTeX file.

``make references`` writes them anew: ``references.md`` beside the lectures, and in each notebook the
lines of its list. A line of a list is followed, indented, by what the notebook says of the work; that is left as it is.
A notebook cites by a link to an entry, ``[Condon (1993)](references.md#condon-1993)``, and the link has the key.
"""

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from ..papers.published import ROOT
from .editions import source_of

__all__ = [
    "BIBLIOGRAPHY",
    "Work",
    "markdown_of",
    "read_bibliography",
    "references_page",
    "renew_list",
    "renewed_references",
]

LECTURES = ROOT / "notebooks" / "lectures"
BIBLIOGRAPHY = LECTURES / "references.bib"
PAGE = "references.md"
ENTRY = re.compile(r"@\w+\{([\w-]+),\n((?:  .+\n)+)\}\n")
FIELD = re.compile(r"  (\w+) = \{((?:[^{}]|\{[^{}]*\})*)\},\n")
LISTED = re.compile(  # a work alone, not a sentence that cites one
    r"^- [^*\n]*\[\*.*\*\]\(((?:\.\./lectures/)?)references\.md#([\w-]+)\).*(?:\n  (\S))?", re.M
)
CITED = re.compile(r"\]\((?:\.\./)*(?:lectures/)?references\.md#([\w-]+)\)")
INTRODUCTION = """# References

The works that the chapters and the notebooks of our own questions cite. The same list is kept as BibTeX in
[references.bib](references.bib). A DOI stands where we could verify it.
"""


@dataclass(frozen=True)
class Work:
    """An entry of the bibliography: its key, and its fields, a dict of texts."""

    key: str
    fields: dict

    @property
    def authors(self):
        """Pairs of a family name and initials, a list."""
        pairs = (name.split(", ") for name in self.fields["author"].split(" and "))
        return [(family, re.sub(r"(\w)\w*\.?", r"\1.", given)) for family, given in pairs]

    @property
    def label(self):
        """How a text names the work: "Condon 1993", "Kemeny and Snell 1960", "Singh et al. 2000"."""
        names = [family for family, _ in self.authors]
        named = " and ".join(names) if len(names) < 3 else f"{names[0]} et al."
        return f"{named} {self.fields.get('year', '')}".strip()

    def describe(self, link=""):
        """The work in one line of Markdown, without a stop at the end; `link` is where its title leads."""
        known = self.fields
        title = f"*{known['title']}*"
        parts = [", ".join(f"{given} {family}" for family, given in self.authors)]
        parts.append(f"[{title}]({link})" if link else title)
        parts += [known[name] for name in ("edition", "publisher", "booktitle") if name in known]
        parts += [f"PhD thesis, {known[name]}" for name in ("school",) if name in known]
        if "journal" in known:
            parts.append(f"{known['journal']} {known.get('volume', '')}".strip())
        line = ", ".join(parts) + (f" ({known['year']})" if "year" in known else "")
        return ", ".join(
            filter(None, [line, known.get("pages", "").replace("--", "–"), *self._links()])
        )

    def _links(self):
        known = self.fields
        if "doi" in known and "arXiv" not in known["doi"]:
            address = known["doi"].replace("(", "%28").replace(")", "%29")
            yield f"[doi:{known['doi']}](https://doi.org/{address})"
        if "eprint" in known:
            yield f"[arXiv:{known['eprint']}](https://arxiv.org/abs/{known['eprint']})"
        if "url" in known:
            yield f"[{re.sub(r'https?://(?:www[.])?', '', known['url']).partition('/')[0]}]({known['url']})"


def read_bibliography(text=None):
    """The works by key, a dict, from BibTeX; by default from `BIBLIOGRAPHY`.

    Raises
    ------
    ValueError
        If something in it is not an entry as it is written there, or a key stands twice.
    """
    text = BIBLIOGRAPHY.read_text(encoding="utf-8") if text is None else text
    works = {}
    for key, body in ENTRY.findall(text):
        if key in works or FIELD.sub("", body):
            raise ValueError(
                f"references.bib, {key}: {FIELD.sub('', body) or 'the key stands twice'}"
            )
        fields = {
            name: re.sub(r"[{}]", "", " ".join(said.split())) for name, said in FIELD.findall(body)
        }
        works[key] = Work(key=key, fields=fields)
    if rest := ENTRY.sub("", text).strip():
        raise ValueError(f"references.bib: this is not an entry: {rest[:80]!r}")
    return works


def renew_list(source, works):
    """A text of a notebook with the lines of its list of references as the bibliography has them."""

    def line(match):
        above, key, after = match.groups()
        end = ":" if after and after.islower() else "."
        said = works[key].describe(f"{above}{PAGE}#{key}")
        return f"- {said}{end}" + (f"\n  {after}" if after else "")

    return LISTED.sub(line, source)


def markdown_of(path):
    """The Markdown of a page or of a notebook, a str."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".md":
        return text
    cells = (cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown")
    return "\n\n".join("".join(cell["source"]) for cell in cells)


def references_page(works):
    """The page of all works, a str: each with an anchor, and with the chapters and notebooks that cite it."""
    cited = {path: {*CITED.findall(markdown_of(path))} for path in citing()}
    lines = [INTRODUCTION]
    for work in sorted(works.values(), key=lambda work: work.label.casefold()):
        places = [link_to(path) for path, keys in cited.items() if work.key in keys]
        lines.append(f'- <a id="{work.key}"></a>{work.describe()}. *In* {", ".join(places)}.')
    return "\n".join(lines) + "\n"


def citing():
    """The pages and notebooks that may cite, in the order of the course; not the page of references."""
    notebooks = ROOT / "notebooks"
    pages = [LECTURES / "definitions.md", *sorted(LECTURES.glob("*.ipynb"))]
    for folder in ("lectures/solutions", "explore", "beyond"):
        pages += sorted((notebooks / folder).glob("*.ipynb"))
    return pages


def link_to(path, anchor=""):
    """A link from the lectures' folder to a page, or to an anchor there: "[chapter 4](04-finite-horizon.ipynb)"."""
    number = path.stem.partition("-")[0].lstrip("0")
    name = path.stem
    if path.parent == LECTURES and number.isdigit():
        name = f"{'chapter' if int(number) <= 12 else 'elective'} {number}"
    if path.parent.name == "solutions":
        name = f"solutions {number}"
    place = Path(os.path.relpath(path, LECTURES)).as_posix()
    return f"[{name}]({place}#{anchor})" if anchor else f"[{name}]({place})"


def renewed_references():
    """What the page of references and the notebooks should be: a dict of texts by path."""
    works = read_bibliography()
    texts = {}
    for path in citing():
        if path.suffix == ".ipynb":
            path = source_of(path)
            notebook = json.loads(path.read_text(encoding="utf-8"))
            for cell in notebook["cells"]:
                if cell["cell_type"] == "markdown":
                    source = renew_list("".join(cell["source"]), works)
                    cell["source"] = source.splitlines(keepends=True)
            texts[path] = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
    return texts | {LECTURES / PAGE: references_page(works)}
