"""The bibliography and the index: every citation has an entry, every entry a place, and what is made is up to date."""

import re

import pytest
import yaml

from collection import references, terms
from collection.papers.published import PAPERS, ROOT

WORKS = references.read_bibliography()
LINK = re.compile(r"\[([^\[\]]+)\]\((?:\.\./)*(?:lectures/)?references\.md#([\w-]+)\)")
TEXTS = {path: references.markdown_of(path) for path in references.citing()}


def test_the_pages_and_the_lists_are_up_to_date():
    for path, text in terms.renewed().items():
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


def test_no_citation_is_without_a_link():
    for path, text in TEXTS.items():
        plain = LINK.sub("", text)
        for work in WORKS.values():
            family, year = work.authors[-1][0], work.fields.get("year")
            found = re.search(rf"\b{family},? \(?{year}\b", plain)
            assert not found, f"{path.name}: {found[0]}"


LECTURES = [path for path in TEXTS if "lectures" in path.parts]


def test_the_theorems_of_the_course_are_linked_by_name():
    """The numbers are those of definitions.md; a heading and a list of several numbers need no link."""
    for path in LECTURES:
        plain = re.sub(r"^#.*|<a id=.*?\*\*.*?\*\*", "", TEXTS[path], flags=re.M)
        found = re.search(r"(?<!\[)Theorem \d(?!,? \d)(?: \(\w\))?", plain)
        assert not found, f"{path.name}: {found[0]}"
        for number, anchor in re.findall(r"\[Theorem (\d)[^\]]*\]\(([^)]*)\)", plain):
            assert anchor.endswith(f"#theorem-{number}"), f"{path.name}: {anchor}"


def test_every_statement_of_the_course_has_an_anchor():
    stated = re.compile(r"^> \*\*(?!\[)[^*]*\b(?:[Tt]heorem|Proposition)\b.*", re.M)
    for path in LECTURES:
        assert stated.findall(TEXTS[path]) == [], path.name


@pytest.mark.parametrize(
    "text", ["@book{a-1,\n  title = {One}\n}\n", "@book{a-1,\n  title = {O},\n}\n" * 2, "a word"]
)
def test_what_is_not_an_entry_is_refused(text):
    with pytest.raises(ValueError, match=r"references\.bib"):
        references.read_bibliography(text)


def test_entries_are_complete_and_in_order():
    for work in WORKS.values():
        assert {"author", "title"} <= {*work.fields}
        assert work.key == "butler" or work.key.endswith(work.fields["year"])
        assert re.fullmatch(r"10\.\d{4,}/\S+", work.fields.get("doi", "10.1000/none"))
        first, _, last = work.fields.get("pages", "1--1").partition("--")
        assert int(first) <= int(last)
    assert [*WORKS] == sorted(WORKS)


def test_authors_and_labels():
    assert WORKS["neller-presser-2004"].authors == [("Neller", "T. W."), ("Presser", "C. G. M.")]
    labels = {key: WORKS[key].label for key in ("condon-1993", "kemeny-snell-1960", "singh-2000")}
    assert [*labels.values()] == ["Condon 1993", "Kemeny and Snell 1960", "Singh et al. 2000"]


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


def test_where_a_word_is_introduced(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text(
        "# One\n\n**Reward.** and **rewards**\n\n## A finite horizon: the end\n\nwords\n\n"
        "## Loss\n\n## Losses of rules\n\n**The policy**\n\n## Exercises\n\n**gain**\n"
    )
    monkeypatch.setattr(terms, "course", lambda: [page])
    forms = {"reward": ["reward", "rewards"]} | {
        word: [word] for word in ("finite horizon", "loss", "losses", "policy", "gain")
    }
    places = {term: [*places.values()] for term, places in terms.places_of(forms).items()}
    assert places == {
        "reward": ["One"],
        "finite horizon": ["A finite horizon: the end"],
        "loss": ["Loss"],
        "losses": [],
        "policy": ["Losses of rules"],
        "gain": [],
    }
