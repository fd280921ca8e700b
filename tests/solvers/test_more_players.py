"""Three players and more: in fractions and in float64, by best responses, and by another solver."""

import dataclasses
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from conftest import mode_games
from hypothesis import given, settings

import dicelab as dl
from benchmarks.numpy_race import three_player_values

BOTH = ("reach", "exact")
SLOTS = dl.Game(
    "Two modes",
    6,
    (
        dl.Mode(
            "free",
            [
                dl.Outcome("1/4", "bust"),
                dl.Outcome("1/4", [dl.Choice(1, "free"), dl.Choice(3, "forced")]),
                dl.Outcome("1/2", dl.Choice(2, "forced")),
            ],
        ),
        dl.Mode(
            "forced",
            [
                dl.Outcome("2/5", "bust"),
                dl.Outcome("3/5", [dl.Choice(1, "forced"), dl.Choice(2, "free")]),
            ],
            False,
        ),
    ),
)


def die(weights, target, finish="reach"):
    """Generalized Pig by the weights of the faces 0 (a bust), 1, …"""
    return dl.generalized_pig([Fraction(w, sum(weights)) for w in weights], target, finish=finish)


SEVERAL = [  # with the triples that have two equilibria in pure strategies
    (die([7, 4, 1], 6, "exact"), [(4, 4, 6)]),
    (die([7, 2, 5], 6, "exact"), [(1, 6, 6)]),
    (die([3, 5], 7), [(6, 6, 7)]),
    (die([6, 2, 0, 2], 8), [(3, 8, 8)]),
    (die([6, 3, 4], 7, "exact"), [(3, 3, 7)]),
]
NONE = [  # with the triples that have none, and two players mix
    (die([6, 4, 4], 6, "exact"), [(4, 6, 5)]),
    (die([7, 5, 2], 7, "exact"), [(2, 4, 7), (2, 7, 4)]),
    (die([6, 1, 0, 3], 8), [(4, 4, 8)]),
    (die([4, 2, 1], 8, "exact"), [(2, 5, 8), (2, 8, 5)]),
]
SYMMETRIC = [  # with the triples of equal needs that have none, and all mix
    (die([8, 3, 1, 1], 4), [(4, 4, 4)]),
    (die([9, 2, 3, 5], 5, "exact"), [(5, 5, 5)]),
    (die([7, 6], 8), [(8, 8, 8)]),
    (die([6, 3, 4], 6, "exact"), [(6, 6, 6)]),
]


def needs_of(row, players):
    """The needs of a row of a table."""
    return tuple(int(row[f"needs_{k + 1}"]) for k in range(players))


def with_verdict(solution, verdict):
    """The tuples of needs with a verdict."""
    table = solution.verdicts
    return [
        needs_of(row, solution.players) for _, row in table[table["verdict"] == verdict].iterrows()
    ]


def at(solution, needs):
    """Everybody's chances by needs."""
    return solution.values[tuple(solution.game.target - need for need in needs)]


def best_turn(solution, needs, z):
    """The most that the player to move can have at the bust value `z`, in a game of one die."""
    game, own = solution.game, needs[0]
    best = {}
    for total in reversed(range(own)):
        rolled = 0.0
        for outcome in game.modes[0].outcomes:
            after = total + sum(choice.points for choice in outcome.choices)
            worth = best.get(after, 1.0)
            if not outcome.choices or (after > own and game.finish == "exact"):
                worth = z
            rolled += float(outcome.probability) * worth
        held = at(solution, (*needs[1:], own - total))[-1] if total else 0
        best[total] = max(rolled, held)
    return best[0]


def check_equilibrium(solution):
    """Nobody gains by deviating, and the values are what the policy leads to, mixtures included."""
    game, players = solution.game, [solution.policy] * solution.players
    assert dl.evaluate(game, *players).wins == pytest.approx(solution.value, abs=1e-12)
    response = dl.best_response(game, *players[1:])
    assert np.abs(response.values[..., 0] - solution.values[..., 0]).max() <= 1e-12
    assert np.abs(solution.values.sum(axis=-1) - 1).max() <= 1e-12


# More players, in fractions


def agrees_in_fractions(game, players, prefer="cautious"):
    """The solutions in fractions and in float64, verdicts included."""
    exact = dl.solve(game, players=players, exact=True, prefer=prefer)
    rounded = dl.solve(game, players=players, prefer=prefer)
    assert exact.residual == 0 and (exact.values.sum(axis=-1) == 1).all()
    assert np.abs(rounded.values - exact.values.astype(float)).max() <= min(rounded.error, 1e-12)
    assert (exact.verdicts["mixing"] == np.where(exact.verdicts["equilibria"], 0, 2)).all()
    assert (rounded.verdicts["equilibria"] == exact.verdicts["equilibria"]).all()


CASES = [dl.pig(7), SLOTS, dl.pig(7, finish="exact"), SEVERAL[0][0], NONE[0][0]]


def test_four_players_of_piglet_in_fractions():
    agrees_in_fractions(dl.piglet(6), 4)


@pytest.mark.parametrize("prefer", ["cautious", "bold"])
@pytest.mark.parametrize("game", CASES, ids=lambda game: f"{game.name}-{game.target}")
def test_three_players_in_fractions(game, prefer):
    agrees_in_fractions(game, 3, prefer)


def test_three_players_by_hand():
    """Any roll without a 1 wins at a target of 2; a bust and a reset change nothing."""
    game = dl.two_dice_pig(2)
    first = 25 / 36 / (1 - (11 / 36) ** 3)
    expected = [first, first * 11 / 36, first * (11 / 36) ** 2]
    assert dl.solve(game, players=3).value == pytest.approx(expected, abs=1e-15)
    with pytest.raises(NotImplementedError, match="solve without exact=True"):
        dl.solve(game, players=3, exact=True)


# Best responses, mixtures, and the list of equilibria


@pytest.mark.parametrize("prefer", ["cautious", "bold"])
@pytest.mark.parametrize(
    "game",
    [game for game, _ in SEVERAL[:1] + NONE[:2] + SYMMETRIC[:1]]
    + [dl.two_dice_pig(10), SLOTS, dl.ten_thousand(4), dl.pig(8, "exact")],
    ids=lambda game: f"{game.name}-{game.target}-{game.finish}",
)
def test_nobody_gains_by_deviating(game, prefer):
    check_equilibrium(dl.solve(game, players=3, prefer=prefer))


def coin_with_resets(busts, resets, target):
    """A toss busts, resets, or scores 1: these weights of the first two, and 5 of the last."""
    total = busts + resets + 5
    outcomes = [
        dl.Outcome(Fraction(busts, total), "bust"),
        dl.Outcome(Fraction(resets, total), "reset"),
        dl.Outcome(Fraction(5, total), dl.Choice(1, "toss")),
    ]
    return dl.Game("Coin with resets", target, dl.Mode("toss", outcomes))


@pytest.mark.parametrize("game", [coin_with_resets(5, 1, 5), coin_with_resets(6, 2, 6)])
def test_several_equilibria_where_a_reset_is_a_bust(game):
    """At 0 points a reset leads to where a bust leads, and its value is still one that is guessed."""
    solution = dl.solve(game, players=3)
    assert any(game.target in needs for needs in with_verdict(solution, "several"))
    check_equilibrium(solution)


def test_nobody_of_four_gains_by_deviating():
    check_equilibrium(dl.solve(dl.pig(9), players=4))


@settings(max_examples=4)
@given(mode_games(most_target=4, resets=True, finishes=BOTH))
def test_nobody_gains_by_deviating_in_random_games_with_resets(game):
    check_equilibrium(dl.solve(game, players=3))


@pytest.mark.parametrize(("game", "triples"), SEVERAL, ids=lambda case: getattr(case, "target", ""))
def test_several_equilibria(game, triples):
    solutions = {
        prefer: dl.solve(game, players=3, prefer=prefer) for prefer in ("cautious", "bold")
    }
    for prefer, solution in solutions.items():
        assert with_verdict(solution, "several") == triples
        for needs in triples:
            listed = solution.equilibria(*needs)
            pure = listed[listed["equilibrium"] <= 2]
            assert (pure["bold_share"] == 0).all() and len(listed) > 6, (
                "and one in which two players mix"
            )
            order = [[bust.prod(), *bust] for _, bust in pure.groupby("equilibrium")["busts"]]
            order = [np.round(one, 12).tolist() for one in order]
            taken = pure.loc[pure["taken"], "equilibrium"].unique().tolist()
            assert taken == [1 + order.index((max if prefer == "bold" else min)(order))]
            check_listed(solution, listed)
            row = solution.verdicts.set_index(["needs_1", "needs_2", "needs_3"]).loc[needs]
            chances = [
                one.filter(like="chance_").to_numpy() for _, one in pure.groupby("equilibrium")
            ]
            assert row["spread"] == pytest.approx(np.abs(chances[0] - chances[1]).max(), abs=1e-13)
            assert row["taken"] == prefer
    assert np.abs(solutions["bold"].values - solutions["cautious"].values).max() > 1e-4


def check_listed(solution, listed):
    """In every equilibrium of the table, nobody gains, and who mixes is indifferent between the two turns."""
    n = solution.players
    for _, one in listed.groupby("equilibrium"):
        chances = one.filter(like="chance_").to_numpy(dtype=float)
        assert np.abs(chances.sum(axis=1) - 1).max() <= 1e-12
        for i, (_, row) in enumerate(one.iterrows()):
            after = np.roll(chances[(i + 1) % n], 1)
            assert best_turn(solution, needs_of(row, n), after[0]) == pytest.approx(
                chances[i, 0], abs=1e-12
            )
            assert row["hold_at"] == row["bold_hold_at"] or row["busts"] > 0


@pytest.mark.parametrize(("game", "triples"), NONE, ids=lambda case: getattr(case, "target", ""))
def test_no_equilibrium_in_pure_strategies(game, triples):
    solution = dl.solve(game, players=3)
    assert with_verdict(solution, "none") == triples
    table = solution.verdicts.set_index(["needs_1", "needs_2", "needs_3"])
    for needs in triples:
        row, listed = table.loc[needs], solution.equilibria(*needs)
        assert (row["taken"], row["mixing"], row["equilibria"]) == ("mixed", 2, 0)
        assert row["kingmaking"] > 1e-6
        mixing = listed[listed["taken"] & (listed["bold_share"] > 0)]
        assert len(mixing) == 2 and (mixing["bold_share"] < 1).all()
        assert (mixing["hold_at"] <= mixing["bold_hold_at"]).all()
        check_listed(solution, listed)
        for _, one in mixing.iterrows():
            own, *others = (game.target - need for need in needs_of(one, 3))
            assert solution.policy.bold_share(own, others) == pytest.approx(
                one["bold_share"], abs=1e-9
            )  # chances to 1e-12


@pytest.mark.parametrize(
    ("game", "triples"), SYMMETRIC, ids=lambda case: getattr(case, "target", "")
)
def test_equal_needs_without_an_equilibrium_in_pure_strategies(game, triples):
    """All three mix alike."""
    solution = dl.solve(game, players=3)
    assert with_verdict(solution, "none") == triples
    for needs in triples:
        listed = solution.equilibria(*needs)
        assert listed["bold_share"].nunique() == 1 and 0 < listed["bold_share"].iloc[0] < 1
        check_listed(solution, listed)
    with pytest.raises(NotImplementedError, match="irrational; solve without exact=True"):
        dl.solve(game, players=3, exact=True)


# Pig


def test_a_solver_that_shares_no_code_agrees():
    values, unsettled = three_player_values(40)
    assert unsettled == []
    assert (
        np.abs(values[1:, 1:, 1:] - dl.solve(dl.pig(40), players=3).values[::-1, ::-1, ::-1]).max()
        <= 1e-14
    )


# Registers


def test_registers_that_change_nothing():
    """A circle of busts without effect: the same chances, and the same number of equilibria, on longer cycles."""
    idle = dl.Register("first", after_bust="second"), dl.Register("second", after_bust="first")
    for game in (dl.pig(7), die([7, 4, 1], 6)):
        plain = dl.solve(game, players=3)
        circle = dl.solve(dataclasses.replace(game, registers=idle), players=3)
        for registers in product((0, 1), repeat=3):
            values = circle.values[tuple(slice(k, None, 2) for k in registers)]
            assert np.abs(values - plain.values).max() < 1e-13
        assert set(circle.verdicts["equilibria"]) == set(plain.verdicts["equilibria"])
    with pytest.raises(ValueError, match="in a game without registers"):
        circle.equilibria(6, 6, 6)


def test_one_way_to_ask():
    """The scores of all others are a sequence; the values are those of the array."""
    solution = dl.solve(die([7, 6], 8), players=3)
    policy = solution.policy
    for others in product(range(0, 8, 3), repeat=2):
        assert solution.at(2, others) == tuple(solution.values[2, *others])
        decisions = policy.decisions(policy.game, 2, others)[0]
        assert [policy.rolls(2, others, total) for total in range(6)] == decisions.tolist()
        assert policy.hold_threshold(2, others) == policy.hold_thresholds(own=2)[others]
    with pytest.raises(ValueError, match=r"opponent: .* the 2 other players"):
        policy.rolls(2, (3,), 4)


def test_matches_that_need_not_end_are_refused():
    game = dataclasses.replace(dl.pig(6, "exact"), registers=dl.Register("idle"))
    with pytest.raises(ValueError, match="need not end"):
        dl.solve(game, players=3)


# What is refused


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"players": 1}, "players: 1 is not allowed"),
        ({"players": 2.5}, "players: 2.5"),
        ({"players": 31}, "at most 30"),
        ({"players": 3, "objective": "margin"}, "objective: 'margin'"),
        ({"players": 3, "prefer": "brave"}, "prefer: 'brave'"),
    ],
)
def test_bad_arguments(arguments, said):
    with pytest.raises(ValueError, match=said):
        dl.solve(dl.pig(5), **arguments)


def test_what_is_not_solved_is_refused():
    with pytest.raises(MemoryError, match="solving Pig to 100 for 12 players"):
        dl.solve(dl.pig(100), players=12)


@pytest.mark.parametrize("needs", [(), (1, 2), (0, 1, 1), (1, 1, 5), (1.5, 1, 1), (1, 1, 1, 1)])
def test_bad_needs(needs):
    with pytest.raises(ValueError, match="needs"):
        dl.solve(dl.piglet(4), players=3).equilibria(*needs)
