"""The manifest: every item of a paper has its place here, and every file of ours belongs to an item."""

import re

import nbformat
import pytest

import collection
from collection import manifest
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


def listed(table, column):
    return [name for names in table[column] for name in names.split()]


@PAPER
def test_every_item_has_a_place_or_a_reason(paper):
    table = items(paper.slug)
    cells = nbformat.read(paper.notebook, as_version=4).cells
    text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    headings = {found[1] for found in re.finditer(r"^#+ (.*)$", text, re.M)}
    assert set(table["section"]) <= headings | {""}
    for row in table.itertuples():
        assert row.figures or row.tables or row.claims or row.note or row.section, row.item
        if re.match(r"(Figure|Table)", row.item):
            assert row.figures or row.tables or row.note, row.item
        assert set(row.copy.split()) <= TEXT, row.item
        assert (row.copy == "ours") == row.item.startswith("own: "), row.item


@PAPER
def test_every_claim_and_table_belongs_to_an_item(paper):
    table = items(paper.slug)
    assert sorted(listed(table, "claims")) == sorted(printed_claims(paper.slug)["claim"])
    assert {*listed(table, "tables")} == {*paper.tables}


@PAPER
def test_the_folder_has_the_files_of_the_manifest_and_no_others(paper):
    folder = ROOT / "figures" / paper.slug
    drawn = {row["name"] for row in figures_in(folder)}
    names = files_of(paper.slug)
    assert drawn <= {*names}
    wanted = {f"{name}.csv" for name in names} | {f"{name}.svg" for name in drawn} | {*ALWAYS}
    if not paper.authors:
        wanted.discard("codecheck.yml")
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
    files = [entry["file"] for entry in content["manifest"]]
    assert all((folder / file).is_file() for file in files)
    assert {path.name for path in folder.glob("*.svg")} <= {*files}


def test_verdicts_are_those_of_the_ledger_and_of_the_comparison(monkeypatch):
    claims = printed_claims("literature")
    counts = claims["verdict"].value_counts()
    assert verdicts_on("literature").endswith(f": 1 does not hold, {counts['holds']} hold.")
    monkeypatch.setattr(manifest, "printed_claims", lambda _: claims.assign(verdict="holds"))
    assert verdicts_on("literature").endswith(f": {len(claims)} hold.")
    compared = collection.compare("generalized-pig", "table-1", {10: 0.70942388, 50: 0.5})
    said = verdicts_on("generalized-pig", compared)
    assert "We compare 2 printed numbers: 1 is a mismatch, 1 agrees." in said


@PAPER
def test_the_readme_counts_what_the_ledger_has(paper):
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    (row,) = [line for line in lines if f"| [results](figures/{paper.slug}/README.md)" in line]
    made = re.search(r"printed numbers: (.*?)\.", verdicts_on(paper.slug))[1]
    assert {*row.strip(" |").rpartition("| ")[2].split(", ")} == {*made.split(", ")}
