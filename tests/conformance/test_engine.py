"""The engine beside the solvers: the same values, decisions, fractions and ties, for each kind of game."""

from dataclasses import replace

import matrix
import numpy as np
import pytest
from conftest import LONG

import dicelab as dl
from dicelab.engine.positions import Positions
from dicelab.engine.questions import solved
from dicelab.engine.race import FOREVER, Race, solve
from dicelab.engine.seats import responding, seated
from dicelab.games.model import LAST_TURN
from dicelab.policies import branching_outcomes
from dicelab.solution import ALONE

VERBS = {"win": "solve"}  # in the matrix; for other objectives their own names
TURNS = {"deadline": 4}


def cells(exact):
    """A parameter for each kind and objective that is not refused."""
    for kind in matrix.KINDS:
        marks = [] if matrix.one_special(kind) else [LONG]
        for objective in ("win", "margin", "turns", "score", "deadline"):
            verb = VERBS.get(objective, objective) + " in fractions" * exact
            if not matrix.refused().get((*kind, verb)):
                yield pytest.param(kind, objective, marks=marks, id=f"{', '.join(kind)}: {verb}")


def both(kind, objective, exact=False):
    """The solution of the library, and the engine's."""
    options = {"exact": exact, "turns": TURNS.get(objective)}
    library = dl.solve(matrix.game_of(*kind, target=2 if exact else 5), objective, **options)
    return library, solved(library.game, objective, **options)


@pytest.mark.parametrize(("kind", "objective"), list(cells(False)))
def test_values_and_decisions(kind, objective):
    """At every score; of one turn up to the shorter of both thresholds; decisions where a turn may come."""
    library, engine = both(kind, objective)
    game, known = library.game, min(len(library.values), len(engine.values))
    np.testing.assert_allclose(engine.values[:known], library.values[:known], 1e-12, 1e-12)
    assert engine.error <= 1e-12
    size = len(game.scores)
    pairs = [[own, other] for own in range(size) for other in range(size)]
    if game.finish in LAST_TURN and objective == "win":
        pairs += [[own, size + lead] for own in range(size) for lead in range(6)]
    now = {"turns_left": 2} if objective == "deadline" else {}
    for role in (0, 1) if game.finish == "equal turns" and objective == "win" else (None,):
        found, other = (
            solution.policy.when(role=role, **now).decide_all(pairs, len(branching_outcomes(game)))
            for solution in (library, engine)
        )
        totals = np.arange(min(found[0].shape[2], other[0].shape[2]))
        assert (found[0][..., totals] == other[0][..., totals]).all()
        missing = np.array([game.missing(game.scores[own]) for own, _ in pairs])[:, None, None]
        reached = (totals < missing) & (totals != 0 if game.registers else True)
        same = found[1][..., totals] == other[1][..., totals]
        assert (same | ~reached).all() or objective == "deadline", "where no choice is in time"


@pytest.mark.parametrize(("kind", "objective"), list(cells(True)))
def test_fractions_and_ties(kind, objective):
    library, engine = both(kind, objective, exact=True)
    known = min(len(library.values), len(engine.values))
    one, other = (each.values[:known].ravel() for each in (library, engine))
    assert all(x == y or (x != x and y != y) for x, y in zip(one, other, strict=True))
    if objective not in ("score", "deadline"):
        scores, alone = library.game.scores, objective in ALONE
        missing = {score: library.game.missing(score) for score in scores}
        below = [tie for tie in library.ties if tie[-2] < missing[tie[-3 if alone else -4]]]
        assert [*engine.ties] == below


@pytest.mark.parametrize(
    "game",
    [dl.pig(40), dl.two_dice_pig(20, "exact"), dl.double_trouble(20), dl.ten_thousand(20)],
    ids=lambda game: game.name,
)
@pytest.mark.parametrize("objective", ["win", "margin"])
def test_games_of_the_catalogue(game, objective):
    """Also where turns may be wasted, and a reset follows a hold."""
    library, engine = dl.solve(game, objective), solved(game, objective)
    np.testing.assert_allclose(engine.values, library.values, 0, 1e-12)
    chances = dl.evaluate(game, engine.policy, library.policy).first_wins
    assert objective == "margin" or abs(chances - library.value) < 1e-12


@pytest.mark.parametrize(
    "kind", [kind for kind in matrix.KINDS if matrix.one_special(kind)], ids=str
)
def test_three_players(kind):
    game = matrix.game_of(*kind, target=3)
    np.testing.assert_allclose(
        solve(game, players=3).value, dl.solve(game, players=3).value, 0, 1e-12
    )


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
    best = solve(game)
    followed = Race(Positions(game, phases=2), [best, "best"])
    assert abs(followed.value[0] - best.value[0]) < 1e-12
    length = Race(Positions(game, phases=2), [best, best], match=True).value
    match = dl.evaluate(game, *[dl.solve(game).policy] * 2)
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
    lead = 24 if game.finish in LAST_TURN else 0
    for players in (rules[:2], rules, (dl.scoring_turns(2), rules[0])):
        match = dl.evaluate(game, *players)
        *wins, mean, square = seated(game, players, match=True, lead=lead).value
        np.testing.assert_allclose(wins, match.wins, 0, 1e-12)
        if mean == FOREVER:
            assert match.turns_mean == np.inf
        else:
            np.testing.assert_allclose(mean, match.turns_mean, 1e-12)
            assert abs((square - mean**2) ** 0.5 - match.turns_sd) < 1e-8 * mean
    for others in (rules[:1], rules[:2]):
        best = np.atleast_1d(dl.best_response(game, *others).value)
        np.testing.assert_allclose(responding(game, *others, lead=lead).value, best, 0, 1e-12)
    if not lead:
        margin = seated(game, rules[:2], objective="margin").value[0]
        assert abs(margin - dl.evaluate(game, *rules[:2]).margin) < 1e-12


def test_a_deadline_far_away_is_met():
    """The objectives of one player are those of the library."""
    game = replace(dl.pig(10), name="short")
    assert solve(game, "deadline", turns=300).value[0] > 1 - 1e-12
    assert set(ALONE) == {"turns", "score", "deadline"}
