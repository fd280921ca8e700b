"""The bibliography and the index: every citation has an entry, every entry a place, and what is made is up to date."""

import re

import pytest
import yaml

from collection.course import references, terms
from collection.papers.published import PAPERS, ROOT

WORKS = references.read_bibliography()
LINK = re.compile(r"\[([^\[\]]+)\]\((?:\.\./)*(?:lectures/)?references\.md#([\w-]+)\)")
TEXTS = {path: references.markdown_of(path) for path in references.citing()}


def test_the_pages_and_the_lists_are_up_to_date():
    for path, text in references.renewed_references().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run make references"


def test_a_list_follows_the_bibliography():
    """The line of a work is written anew, and what is said of it stays."""
    work = WORKS["condon-1993"]
    listed = "- old [*old*](references.md#condon-1993):\n  naive algorithms."
    renewed = references.renew_list(f"## References\n\n{listed}\n- [Q](q.md)", WORKS)
    line = work.describe("references.md#condon-1993")
    assert renewed == f"## References\n\n- {line}:\n  naive algorithms.\n- [Q](q.md)"
    assert line == (
        "A. Condon, [*On algorithms for simple stochastic games*](references.md#condon-1993), Advances in "
        "Computational Complexity Theory, DIMACS 13 (1993), 51–71, [doi:10.1090/dimacs/013/04](https://doi.org/10.1090/dimacs/013/04)"
    )


def test_every_key_that_is_cited_exists_and_every_work_is_cited():
    cited = {key for text in TEXTS.values() for key in references.CITED.findall(text)}
    assert cited == {*WORKS}


def test_a_citation_names_the_work_that_it_links():
    """By the family name of its first author and the year; in a list of references by its title."""
    for path, text in TEXTS.items():
        for words, key in LINK.findall(text):
            fields, (family, _) = WORKS[key].fields, WORKS[key].authors[0]
            named = words.strip("*") == fields["title"] or (
                family in words and fields.get("year", "") in words
            )
            assert named, f"{path.name}: [{words}] is not {key}"


@pytest.mark.parametrize(
    "text", ["@book{a-1,\n  title = {One}\n}\n", "@book{a-1,\n  title = {O},\n}\n" * 2, "a word"]
)
def test_what_is_not_an_entry_is_refused(text):
    with pytest.raises(ValueError, match=r"references\.bib"):
        references.read_bibliography(text)


def test_the_papers_and_the_citation_file_agree_with_the_bibliography():
    by_title = {work.fields["title"].casefold(): work.fields for work in WORKS.values()}
    known = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    for cited in known:
        fields = by_title[cited["title"].casefold()]
        assert fields["year"] == str(cited["year"]) and fields.get("doi") == cited.get("doi")
        assert fields.get("journal") == cited.get("journal")
        if "start" in cited:
            assert fields["pages"] == f"{cited['start']}--{cited['end']}"
    dois = {work.fields.get("doi") for work in WORKS.values()}
    assert {paper.doi for paper in PAPERS if paper.doi} <= dois


def test_every_term_of_the_index_is_introduced():
    listed = [form for forms in terms.read_terms().values() for form in forms]
    assert len(listed) == len({form.casefold() for form in listed})
    lost = [term for term, places in terms.places_of(terms.read_terms()).items() if not places]
    assert lost == [], "no text sets these words in bold, and no heading begins with them"
