"""Action values of every objective, against a plain recursion from the values of the solution, in fractions."""

from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest

import dicelab as dl

OPENED = (dl.Register("shut", after_hold="open", least_hold=4), dl.Register("open", penalty=2))
GAMES = {
    "Pig": dl.pig(12),
    "resets": dl.two_dice_pig(10),
    "exact": dl.pig(9, "exact"),
    "dice set aside": dl.ten_thousand(5),
    "forced rolls": dl.double_trouble(9),
    "registers": dl.Game("opening", 9, dl.pig(9).modes, registers=OPENED),
}
OBJECTIVES = {"win": {}, "margin": {}, "turns": {}, "deadline": {"turns": 3}}


def recursion(game, own, worth, better):
    """The values of holds and rolls by mode and turn total, as functions; ``worth(place)`` is that of an end.

    The place is one in ``game.scores``, or None for the finish.
    """
    modes, missing = {mode.name: mode for mode in game.modes}, game.missing(own)
    lost = {
        "bust": worth(game.index(game.after_bust(own))),
        "reset": worth(game.index(game.after_reset)),
    }

    @cache
    def held(total, mode):
        if not modes[mode].may_hold or total < max(game.register(own).least_hold, 1):
            return None
        return worth(game.index(game.after_hold(own, total)) if total < missing else None)

    @cache
    def rolled(total, mode):
        return sum(
            o.probability
            * (
                better(in_turn(total + c.points, c.mode) for c in o.choices)
                if o.choices
                else lost[o.result]
            )
            for o in modes[mode].outcomes
        )

    def in_turn(total, mode):
        if total > missing and game.finish == "exact":
            return lost["bust"]
        if total >= missing and modes[mode].may_hold:
            return worth(None)
        if total > missing + 300:  # rolled on and on: less than once in 1e20
            return lost["bust"]
        hold = held(total, mode)
        return rolled(total, mode) if hold is None else better((hold, rolled(total, mode)))

    return held, rolled


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("name", GAMES)
def test_against_a_plain_recursion(name, objective):
    game, options = GAMES[name], OBJECTIVES[objective]
    solution = dl.solve(game, objective, exact=True, **options)
    values, one = solution.values, Fraction(1)
    for own in game.scores[:: max(1, len(game.scores) // 4)]:
        other = game.scores[len(game.scores) // 2]
        at, opponent = game.index(own), game.index(other)
        ends = {  # of a turn that leads to a place, or to the finish
            "win": lambda to, opponent=opponent: one if to is None else 1 - values[opponent, to],
            "margin": lambda to, opponent=opponent, other=other: (
                game.target - int(other) if to is None else -values[opponent, to]
            ),
            "turns": lambda to: one if to is None else 1 + values[to],
            "deadline": lambda to: one if to is None else values[options.get("turns", 1) - 1, to],
        }
        better = min if objective == "turns" else max
        held, rolled = recursion(game, own, ends[objective], better)
        alone = objective in ("turns", "deadline")
        if objective == "turns" and np.isinf(float(values[at])):
            continue  # below
        table = dl.action_values(dl.solve(game, objective, **options), own, 0 if alone else other)
        several = len(game.modes) > 1
        for mode in game.modes:
            roll = table[mode.name if several else "roll"]
            for total in table.index[roll.notna()]:
                expected = float(rolled(total, mode.name))
                assert roll[total] == pytest.approx(expected, rel=1e-12, abs=1e-12)
                hold = held(total, mode.name)
                if hold is not None:
                    assert table["hold"][total] == pytest.approx(float(hold), rel=1e-12, abs=1e-12)
                best = table[f"best, {mode.name}" if several else "best"][total]
                of_both = expected if hold is None else better(expected, float(hold))
                assert best == pytest.approx(of_both, rel=1e-12, abs=1e-12)
        begins = game.register(own).mode or game.modes[0].name
        start = table[f"best, {begins}" if several else "best"][0]
        value = values[{"turns": at, "deadline": (-1, at)}.get(objective, (at, opponent))]
        assert start == pytest.approx(float(value), rel=1e-12, abs=1e-12)


def test_a_deadline_has_the_turns_that_are_left():
    solution = dl.solve(GAMES["Pig"], "deadline", turns=4)
    for left in range(1, 5):
        table = dl.action_values(solution, 3, turns_left=left)
        assert table["best"][0] == pytest.approx(solution.at(3, turns_left=left), abs=1e-14)
    last = dl.action_values(solution, 3, turns_left=1)
    assert (last["hold"].dropna() == 0).all() and last["roll"][0] > 0
    assert dl.action_values(solution, 3).equals(dl.action_values(solution, 3, turns_left=4))


def test_the_points_of_a_turn():
    game = dl.double_trouble()
    solution = dl.solve(game, "score")
    table = dl.action_values(solution)
    best = [name for name in table.columns if name.startswith("best")]
    np.testing.assert_allclose(table[best].to_numpy(), solution.values, rtol=1e-14)
    assert (table["hold"].dropna() == table.index[1:]).all()


def test_where_the_target_cannot_be_reached_turns_have_no_end():
    solution = dl.solve(dl.pig(3, "exact"), "turns")  # one point is on no face
    table = dl.action_values(solution, 0)
    assert np.isinf(table["hold"][2]) and np.isfinite(table["roll"][0])
    assert np.isinf(dl.action_values(solution, 2)["roll"]).all()


THREE = [dl.pig(4, "equal turns"), dl.Game("opening", 5, dl.pig(5).modes, registers=OPENED)]
THREE += [dl.farkle(4)]


@pytest.mark.parametrize("game", THREE)
def test_best_responses_to_several(game):
    """At the start of each turn they are everybody's values."""
    response = dl.best_response(game, 2, dl.hold_at(4))
    for role in (0, 1, 2) if game.finish == "equal turns" else (None,):
        for own, *others in product(game.scores[::2], game.scores, game.scores[::3]):
            table = dl.action_values(response, own, others, role=role)
            first = table.columns[1 + game.mode(game.register(own).mode)]
            found = [table[column][0] for column in (first, f"{first}, seat 2", f"{first}, seat 3")]
            assert found == pytest.approx(response.at(own, others, role=role), abs=1e-14)
            for name in table.columns[:2]:
                together = table[[name, f"{name}, seat 2", f"{name}, seat 3"]].dropna().sum(axis=1)
                assert together.to_numpy() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize(
    ("objective", "asked", "said"),
    [
        ("turns", {"opponent": 3}, r"opponent: 3 is not allowed; give .* at most 0"),
        ("turns", {"turns_left": 2}, r"turns_left: 2 is not allowed; give None: there is no dea"),
        ("deadline", {"turns_left": 4}, "turns_left: 4 is not allowed"),
    ],
)
def test_what_is_not_asked_for_is_refused(objective, asked, said):
    solution = dl.solve(GAMES["Pig"], objective, **OBJECTIVES[objective])
    with pytest.raises(ValueError, match=said):
        dl.action_values(solution, 0, **asked)
