"""What the papers say in words: every claim is checked, and no notebook states another verdict."""

import re

import numpy as np
import pandas as pd
import pytest

import collection
import dicelab as dl
from collection.course.references import markdown_of
from collection.course.textbook import curves
from collection.papers import FinishesAtOnce, reachable
from collection.papers.claims import ten_thousand
from collection.papers.claims.findings import (
    COMPARED,
    READ,
    VERDICTS,
    check_claims,
    checks_of,
    exceptions,
)
from collection.papers.claims.pair_by_pair import polygon_corners, stopped_iteration
from collection.papers.published import PAPERS, printed_claims

SLUGS = [paper.slug for paper in PAPERS]
STATED = re.compile(r'\[([^\]]+)\]\([^)\s]*/claims\.csv "([^"]+)"\)')


@pytest.mark.parametrize("slug", SLUGS)
def test_every_claim_has_a_check_and_a_verdict(slug):
    claims = printed_claims(slug)
    assert not claims["claim"].duplicated().any()
    assert set(claims["verdict"]) <= set(VERDICTS)
    computed = ~claims["check"].str.startswith((COMPARED, READ))
    assert set(checks_of(slug)) == set(claims["claim"][computed])


@pytest.mark.slow
@pytest.mark.parametrize("slug", SLUGS)
def test_the_verdicts_are_those_that_are_found(slug):
    checked, kept = check_claims(slug), printed_claims(slug)
    different = checked[(checked != kept).any(axis=1)]
    assert different.empty, different[["claim", "verdict", "found"]].to_string()


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: paper.slug)
def test_notebooks_state_no_other_verdicts(paper):
    """A verdict is a link to the ledger, with the claim's name: [does not hold](…/claims.csv "priority")."""
    claims = printed_claims(paper.slug).set_index("claim")["verdict"]
    for verdict, claim in STATED.findall(markdown_of(paper.notebook)):
        assert claims.get(claim) == verdict, f"{claim}: {verdict}"


@pytest.mark.parametrize(
    ("holds", "verdict", "found"),
    [
        ([True] * 3, "holds", ""),
        ([True, True, False], "holds with exceptions", "not at 1 of 3 dice"),
        ([True, False], "does not hold", "not at 1 of 2 dice"),
    ],
)
def test_findings_count(holds, verdict, found):
    finding = exceptions(holds, "dice")
    assert finding.verdict == verdict and found in finding.found


@pytest.mark.slow
def test_what_the_solitaire_player_loses():
    """48.30 % of the games against the optimal player, and 48.39 % if every win is taken at once."""
    game = dl.ten_thousand()
    best, alone = dl.solve(game).policy, dl.solve(game, "score").policy
    for player, share in ((alone, 0.4830), (FinishesAtOnce(alone), 0.4839)):
        first, second = dl.evaluate(game, player, best), dl.evaluate(game, best, player)
        assert (first.first_wins + 1 - second.first_wins) / 2 == pytest.approx(share, abs=5e-5)


@pytest.mark.slow
def test_the_fairest_start_of_farkle():
    """Busche and Neller (2017) recommend 200 points for the second player, with ones, fives and triples only."""
    game = dl.farkle(four=0, five_of_a_kind=0, six=0, straight=0, three_pairs=0)
    first_wins = dl.solve(game).values[0, :8]
    assert 50 * abs(first_wins - 0.5).argmin() == 200


@pytest.mark.parametrize("die", [["1/6", 0, *["1/6"] * 5], ["2/5", "1/5", 0, "2/5"]], ids=str)
def test_corners_are_those_of_the_textbook_in_fractions(die):
    game = dl.generalized_pig(die, 9)
    exact, (every, last) = dl.solve(game, exact=True), polygon_corners(game)
    for a, b in np.ndindex(9, 9):
        f, _ = curves(exact, a + 1, b + 1)
        assert len(f.x) == last[8 - a, 8 - b] <= every[8 - a, 8 - b]


@pytest.mark.parametrize(
    ("tolerance", "start"),
    [(1e-6, 1.0), (1e-6, 0.0), (1e-6, 0.5), (9e-7, 1.0), (1.1e-6, 1.0), (1e-7, 1.0)],
)
def test_table_1_is_the_iteration_stopped_at_a_millionth(tolerance, start):
    """All eight digits of the first four values; other starts and other tolerances give other digits."""
    table = collection.published("generalized-pig", "table-1").set_index("target")["printed"]
    values, _ = stopped_iteration(dl.pig(200), tolerance, start)
    found = [f"{values[-n, -n]:.8f}" == text for n, text in table.loc[:200].items()]
    assert len(found) == 4
    assert all(found) if (tolerance, start) == (1e-6, 1.0) else sum(found) < 3


def test_reachable_totals():
    """Piglet: one by one, up to the hold; Double Trouble: a double leads to the mode without a hold."""
    reached = reachable(dl.piglet(9), dl.hold_at(3))
    assert reached[0, 0, 0].tolist() == [True] * 4 + [False] * 5
    assert reached[7, 0, 0].tolist() == [True] * 2 + [False] * 7
    doubles = reachable(dl.double_trouble(30), dl.hold_at(5))
    assert np.flatnonzero(doubles[0, 0, 1]).tolist() == [*range(4, 30, 2)]
    assert not doubles[0, 0, 0, [1, 2, 3, 4]].any()


def test_a_cell_that_is_missing_or_too_many_is_found():
    """Among those of Table 6 of the paper on Ten Thousand."""
    printed = collection.published("ten-thousand", "table-6")
    more = pd.DataFrame({"column": ["n = 4"], "chips": [19], "printed": ["19.0"]})
    found = []
    for table in (printed, printed.drop(index=70), pd.concat([printed, more])):
        cells = [cell for cell in ten_thousand.table_6_cells(table) if cell[2] != "–"]
        found.append([(cell[0], cell[1]) for cell in cells if (cell[2] == "number") != cell[4]])
    assert found == [[], [tuple(printed.loc[70, ["column", "chips"]])], [("n = 4", 19)]]
