"""All dice with given parts, hold at n for every n, and the first player at every target."""

import pytest

import dicelab as dl


@pytest.mark.parametrize("game", ["pig 30", "pig 20 finish=exact"])
def test_hold_at_n_is_what_matches_say(game):
    """By matches one at a time, from an opponent of three kinds, and every n against every m."""
    optimal = dl.solve(game).policy
    for against, opponent in (
        ("optimal", optimal),
        (7, dl.hold_at(7)),
        (dl.scoring_turns(3), dl.scoring_turns(3)),
    ):
        rates = dl.hold_at_n(game, [5, 9], against)
        for n in (5, 9):
            first = dl.evaluate(game, n, opponent).first_wins
            second = 1 - dl.evaluate(game, opponent, n).first_wins
            assert rates.loc[n].tolist() == pytest.approx(
                [first, second, (first + second) / 2], abs=1e-12
            )
    table = dl.hold_at_n(game, [9, 5], against=range(4, 6))
    for n, m in ((9, 4), (9, 5), (5, 4), (5, 5)):
        assert table.loc[n, m] == pytest.approx(dl.evaluate(game, n, m).first_wins, abs=1e-12)
    assert (table.index.name, table.columns.name) == ("n", "m")


def test_hold_at_n_takes_a_single_n():
    rates = dl.hold_at_n("pig 30", 25)
    assert rates.index.tolist() == [25] and rates.equals(dl.hold_at_n("pig 30", [25]))
    assert rates.equals(dl.hold_at_n("pig 30", range(25, 26)))
    with pytest.raises(ValueError, match=r"n: 0 is not allowed; give a whole number of at least 1"):
        dl.hold_at_n("pig", 0)


def test_hold_at_n_finds_the_n_itself():
    """Every n up to a target of 100; the best of Double Trouble to 60 is far from the most points of a turn."""
    rates = dl.hold_at_n("pig")
    assert rates.index.tolist() == [*range(1, 101)] and rates["average"].idxmax() == 25
    assert dl.hold_at_n("double-trouble 60")["average"].idxmax() == 29


def test_hold_at_n_is_refused_where_nobody_holds():
    with pytest.raises(ValueError, match="in Hog nobody does"):
        dl.hold_at_n("hog")
    with pytest.raises(ValueError, match="in Hog nobody holds, one chooses dice"):
        dl.evaluate("hog", 20, 25)


@pytest.mark.parametrize("make", [dl.pig, dl.hog, lambda target: dl.pig(target, "equal turns")])
def test_the_first_player_at_every_target(make):
    """Each target solved for itself; by the game, or by the function that makes it."""
    expected = [dl.solve(make(target)).value for target in (12, 5)]
    for given in (make(15), make):
        table = dl.first_player(given, [12, 5])
        assert table.index.tolist() == [12, 5] and table.index.name == "target"
        assert table["first wins"].tolist() == pytest.approx(expected, abs=1e-13)
        assert (table["advantage"] == table["first wins"] - 0.5).all()
