"""The manifest: every item of a paper has its place here, and every file of ours belongs to an item."""

import re

import nbformat
import pytest

import collection
from collection.manifest import ALWAYS, codecheck, files_of, items, verdicts_on
from collection.papers.published import (
    PAPERS,
    ROOT,
    printed_claims,
)
from dicelab.views.style import figures_in

yaml = pytest.importorskip("yaml")
PAPER = pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
TEXT = {"html", "pdf", "page", "quoted", "ours"}


@PAPER
def test_every_item_has_a_place_or_a_reason(paper):
    table = items(paper.slug)
    cells = nbformat.read(paper.notebook, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    headings = {found[1] for found in re.finditer(r"^#+ (.*)$", text, re.M)}
    assert set(table["section"]) <= headings | {""}
    for row in table.itertuples():
        assert row.file or row.tables or row.claims or row.note or row.section, row.item
        if re.match(r"(Figure|Table)", row.item):
            assert row.file or row.tables or row.note, row.item
        assert set(row.copy.split()) <= TEXT, row.item
        assert (row.copy == "ours") == row.item.startswith("own: "), row.item


@PAPER
def test_every_claim_and_table_belongs_to_an_item(paper):
    table = items(paper.slug)
    claims, tables = (" ".join(table[column]).split() for column in ("claims", "tables"))
    assert sorted(claims) == sorted(printed_claims(paper.slug)["claim"])
    assert {*tables} == {*paper.tables}


@PAPER
def test_the_folder_has_the_files_of_the_manifest_and_no_others(paper):
    """And each figure has a caption and words for what is seen."""
    folder = ROOT / "figures" / paper.slug
    drawn = {row["name"]: row for row in figures_in(folder)}
    assert all(row["caption"] and row["alternative"] for row in drawn.values())
    names = files_of(paper.slug)
    assert {*drawn} <= {*names}
    wanted = {f"{name}.csv" for name in names} | {f"{name}.svg" for name in drawn} | {*ALWAYS}
    wanted -= {"codecheck.yml"} if not paper.authors else set()
    assert {path.name for path in folder.iterdir()} == wanted


@pytest.mark.parametrize(
    "paper", [paper for paper in PAPERS if paper.authors], ids=lambda paper: paper.slug
)
def test_codecheck_lists_files_that_are_there(paper):
    folder = ROOT / "figures" / paper.slug
    text = (folder / "codecheck.yml").read_text(encoding="utf-8")
    assert text == codecheck(paper, figures_in(folder))
    content = yaml.safe_load(text)
    assert content["paper"]["reference"] == f"https://doi.org/{paper.doi}"
    files = {entry["file"] for entry in content["manifest"]}
    there = {path.name for path in folder.iterdir()}
    assert {name for name in there if name.endswith(".svg")} <= files <= there


def test_verdicts_are_those_of_the_ledger_and_of_the_comparison():
    counts = printed_claims("literature")["verdict"].value_counts()
    assert verdicts_on("literature").endswith(
        f": 1 is a matter of taste, 2 cannot be checked, {counts['holds']} hold."
    )
    compared = collection.compare("generalized-pig", "table-1", {10: 0.70942388, 50: 0.5})
    said = verdicts_on("generalized-pig", compared)
    assert "We compare 2 printed numbers: 1 is a mismatch, 1 agrees." in said


@PAPER
def test_the_readme_counts_what_the_ledger_has(paper):
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if f"| [results](figures/{paper.slug}/README.md)" in line]
    made = re.search(r"printed numbers: (.*?)\.", verdicts_on(paper.slug))[1]
    assert {*row.strip(" |").rpartition("| ")[2].split(", ")} == {*made.split(", ")}
