"""The bibliography and the index: every citation has an entry, every entry a place, and what is made is up to date."""

import re

import yaml

from collection.course import references, terms
from collection.papers.published import PAPERS, ROOT

WORKS = references.read_bibliography()
LINK = re.compile(r"\[([^\[\]]+)\]\((?:\.\./)*(?:lectures/)?references\.md#([\w-]+)\)")
TEXTS = {path: references.markdown_of(path) for path in references.citing()}


def test_the_pages_and_the_lists_are_up_to_date():
    for path, text in references.renewed_references().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make references"


def test_every_key_that_is_cited_exists_and_every_work_is_cited():
    cited = {key for text in TEXTS.values() for key in references.CITED.findall(text)}
    assert cited == {*WORKS}


def test_a_citation_names_the_work_that_it_links():
    """By the family name of its first author and the year; in a list of references by its title."""
    for path, (words, key) in (
        (path, link) for path, text in TEXTS.items() for link in LINK.findall(text)
    ):
        fields, (family, _) = WORKS[key].fields, WORKS[key].authors[0]
        named = family in words and fields.get("year", "") in words
        assert named or words.strip("*") == fields["title"], f"{path.name}: [{words}] is not {key}"


def test_the_papers_and_the_citation_file_agree_with_the_bibliography():
    by_title = {work.fields["title"].casefold(): work.fields for work in WORKS.values()}
    known = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    for cited in known:
        fields = by_title[cited["title"].casefold()]
        pages = f"{cited['start']}--{cited['end']}" if "start" in cited else fields.get("pages")
        said = str(cited["year"]), cited.get("doi"), cited.get("journal"), pages
        assert said == tuple(fields.get(name) for name in ("year", "doi", "journal", "pages"))
    dois = {work.fields.get("doi") for work in WORKS.values()}
    assert {paper.doi for paper in PAPERS if paper.doi} <= dois


def test_every_term_of_the_index_is_introduced():
    listed = [form for forms in terms.read_terms().values() for form in forms]
    assert len(listed) == len({form.casefold() for form in listed})
    lost = [term for term, places in terms.places_of(terms.read_terms()).items() if not places]
    assert lost == [], "no text sets these words in bold, and no heading begins with them"
