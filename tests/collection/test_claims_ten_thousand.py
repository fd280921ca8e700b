"""The checks of what the paper on Ten Thousand says can come out otherwise."""

from fractions import Fraction

import pandas as pd
import pytest

import collection
import dicelab as dl
from collection.papers import FinishesAtOnce
from collection.papers.claims import ten_thousand as claims


def wrong_cells(printed):
    """The cells, but for those with a dash, in which a number is missing or stands where it should not."""
    cells = claims.table_6_cells(printed)
    return [
        (column, chips)
        for column, chips, kind, _, goes_on in cells
        if kind != "–" and (kind == "number") != goes_on
    ]


def test_a_cell_that_is_missing_or_too_many_is_found():
    printed = collection.published("ten-thousand", "table-6")
    assert wrong_cells(printed) == []
    assert wrong_cells(printed.drop(index=70)) == [tuple(printed.loc[70, ["column", "chips"]])]
    more = pd.DataFrame({"column": ["n = 4"], "chips": [19], "printed": ["19.0"]})
    assert wrong_cells(pd.concat([printed, more])) == [("n = 4", 19)]


def test_without_moves_algorithm_4_2_stops_or_rolls():
    start, *_ = claims._algorithm_4_2(without={12})
    assert round(float(start), 6) == 5.576326 and start == claims._restricted_value(())
    assert claims._restricted_value(claims.TABLE_3) == claims._as_printed()[0]


def test_solutions_of_pig_grow_by_their_root():
    assert claims._pig_rolled(lambda tau: Fraction(1), 0) == Fraction(5, 6)
    assert claims._pig_growth().verdict == "does not hold"


@pytest.mark.slow
def test_what_the_solitaire_player_loses():
    """48.30 % of the games against the optimal player, and 48.39 % if every win is taken at once."""
    game = dl.ten_thousand()
    best = dl.solve(game).policy
    alone = dl.solve(game, "score").policy
    for player, share in ((alone, 0.4830), (FinishesAtOnce(alone), 0.4839)):
        wins = (
            dl.evaluate(game, player, best).first_wins
            + 1
            - dl.evaluate(game, best, player).first_wins
        )
        assert wins / 2 == pytest.approx(share, abs=5e-5)


@pytest.mark.slow
def test_the_fairest_start_of_farkle():
    """Busche and Neller (2017) recommend 200 points for the second player, with ones, fives and triples only."""
    game = dl.farkle(four=0, five_of_a_kind=0, six=0, straight=0, three_pairs=0)
    first_wins = dl.solve(game).values[0, :8]
    assert 50 * abs(first_wins - 0.5).argmin() == 200
