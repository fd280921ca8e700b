"""The engine beside the solvers: the same values, decisions, fractions and ties, for each kind of game."""

from dataclasses import replace

import matrix
import numpy as np
import pytest
from conftest import LONG

import dicelab as dl
from dicelab.engine.race import FOREVER, seated, solve
from dicelab.games.model import LAST_TURN
from dicelab.solution import ALONE

VERBS = {"win": "solve"}  # in the matrix; for other objectives their own names
TURNS = {"deadline": 4}


@pytest.mark.parametrize(
    "kind", [kind for kind in matrix.KINDS if matrix.one_special(kind)], ids=str
)
def test_actions_are_worth_what_the_library_says(kind):
    game = matrix.game_of(*kind)
    race = solve(game)
    start = game.after_reset
    hold, _, best = (
        part[..., 0]
        for part in race.actions(race.positions.at(np.array([[game.index(start)] * 2]))[0])
    )
    table = dl.action_values(dl.solve(game), start, start)
    known = slice(1, min(len(table), hold.shape[0]))
    found = table["hold"].to_numpy()[known]
    np.testing.assert_allclose(np.where(np.isnan(found), found, hold[known]), found, 0, 1e-12)
    names = ["best"] if len(game.modes) == 1 else [f"best, {mode.name}" for mode in game.modes]
    for m, name in enumerate(names):
        said = table[name].to_numpy()[known]
        np.testing.assert_allclose(np.where(np.isnan(said), said, best[m, known]), said, 0, 1e-12)


def test_a_race_that_is_followed_has_its_own_value():
    """A seat that plays by another race, against one that does its best: neither gains."""
    game = dl.pig(20)
    best = dl.solve(game)
    assert abs(seated(game, [best.policy, "best"]).value[0] - best.value) < 1e-12
    length = seated(game, [best.policy] * 2, match=True).value
    match = dl.evaluate(game, *[best.policy] * 2)
    np.testing.assert_allclose(length[:3], [*match.wins, match.turns_mean], 1e-12)
    assert abs((length[3] - length[2] ** 2) ** 0.5 - match.turns_sd) < 1e-9


PLAYED = [  # but where a rule that takes the most points rolls for ever above the target
    pytest.param(kind, marks=[] if matrix.one_special(kind) else [LONG], id=str(kind))
    for kind in matrix.KINDS
    if kind[0] != "hot dice" or kind[1] not in LAST_TURN
]


@pytest.mark.parametrize("kind", PLAYED)
def test_matches_and_best_responses(kind):
    """Of two and three, with what a policy remembers, and in points."""
    game, rules = matrix.game_of(*kind), (dl.hold_at(2), dl.hold_at(3), dl.hold_at(1))
    for players in (rules[:2], rules, (dl.scoring_turns(2), rules[0])):
        match = dl.evaluate(game, *players)
        *wins, mean, square = seated(game, players, match=True).value
        np.testing.assert_allclose(wins, match.wins, 0, 1e-12)
        if mean == FOREVER:
            assert match.turns_mean == np.inf
        else:
            np.testing.assert_allclose(mean, match.turns_mean, 1e-12)
            assert abs((square - mean**2) ** 0.5 - match.turns_sd) < 1e-8 * mean
    for others in (rules[:1], rules[:2]):
        best = np.atleast_1d(dl.best_response(game, *others).value)
        np.testing.assert_allclose(seated(game, ["best", *others]).value, best, 0, 1e-12)
    if game.finish not in LAST_TURN:
        margin = seated(game, rules[:2], objective="margin").value[0]
        assert abs(margin - dl.evaluate(game, *rules[:2]).margin) < 1e-12


def test_a_deadline_far_away_is_met():
    """The objectives of one player are those of the library."""
    game = replace(dl.pig(10), name="short")
    assert solve(game, "deadline", turns=300).value[0] > 1 - 1e-12
    assert set(ALONE) == {"turns", "score", "deadline"}
