"""What the papers say in words: every claim is checked, and no notebook states another verdict."""

import json
import re

import pytest

from collection.papers.claims.findings import (
    VERDICTS,
    check_claims,
    checks_of,
    exceptions,
    verdict_of,
)
from collection.papers.published import PAPERS, printed_claims

SLUGS = [paper.slug for paper in PAPERS]
STATED = re.compile(r'\[([^\]]+)\]\([^)\s]*/claims\.csv "([^"]+)"\)')


@pytest.mark.parametrize("slug", SLUGS)
def test_every_claim_has_a_check_and_a_verdict(slug):
    claims = printed_claims(slug)
    assert not claims["claim"].duplicated().any()
    assert set(claims["verdict"]) <= set(VERDICTS)
    assert set(checks_of(slug)) == set(claims["claim"])


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_the_verdicts_are_those_that_are_found(slug):
    checked, kept = check_claims(slug), printed_claims(slug)
    different = checked[(checked != kept).any(axis=1)]
    assert different.empty, different[["claim", "verdict", "found"]].to_string()


@pytest.mark.parametrize("slug", SLUGS)
def test_notebooks_state_no_other_verdicts(slug):
    """A verdict is a link to the ledger, with the claim's name: [does not hold](…/claims.csv "priority")."""
    claims = printed_claims(slug).set_index("claim")["verdict"]
    notebook = json.loads(
        next(paper for paper in PAPERS if paper.slug == slug).notebook.read_text()
    )
    words = "".join(
        "".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "markdown"
    )
    for verdict, claim in STATED.findall(words):
        assert claims.get(claim) == verdict, f"{slug}: {claim}: {verdict}"


def test_findings_count():
    assert exceptions([True] * 3, "dice").verdict == "holds"
    assert exceptions([True, True, False], "dice").found == "not at 1 of 3 dice"
    assert (
        exceptions([True, False], "dice").verdict
        == verdict_of(False, "").verdict
        == "does not hold"
    )
