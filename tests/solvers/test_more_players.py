"""Three players and more: in fractions and in float64, by plain best responses, and by another solver."""

import dataclasses
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from conftest import mode_games
from hypothesis import given, settings

import dicelab as dl
from benchmarks.numpy_race import three_player_values
from dicelab.policies import branching_outcomes
from dicelab_extras.proofs.rules import beyond_target

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


# A best-response check that shares nothing with the solver: one turn by recursion, everybody's chances in a vector


def play(solution, needs, z, decide):
    """Everybody's chances by seat, and the probability of a bust, of one turn.

    ``decide(mode, total, outcome, options)`` takes one of several pairs (chances, bust): a hold and a roll if `outcome`
    is None, otherwise the choices of the outcome with this number.
    """
    game = solution.game
    n = solution.players
    known = {}
    own = needs[0]
    ends = beyond_target(solution.game)

    def held(missing):
        return np.roll(at(solution, (*needs[1:], missing)).astype(float), 1)

    def go(mode, total):
        if total >= own:
            ways = [list(map(float, way[mode][own - total - 1])) for way in ends]
            ways = [(f * np.eye(n)[0] + r * held(game.target), 1 - f - r) for f, r, _ in ways]
            return max(ways, key=lambda way: way[0][0] + way[1] * z)
        if (mode, total) not in known and game.modes[mode].must_hold:
            known[mode, total] = held(own - total), 0.0
        elif (mode, total) not in known:
            known[mode, total] = roll(mode, total)
            if game.modes[mode].may_hold and total > 0:
                options = [(held(own - total), 0.0), known[mode, total]]
                known[mode, total] = options[decide(mode, total, None, options)]
        return known[mode, total]

    def roll(mode, total):
        chances = np.zeros(n)
        bust = 0.0
        changes = 0.0
        for k, outcome in enumerate(game.modes[mode].outcomes):
            if game.modes[mode].repeats(outcome):
                continue  # it is rolled again
            changes += float(outcome.probability)
            after = (np.zeros(n), 1.0) if outcome.result == "bust" else (held(game.target), 0.0)
            if outcome.choices:
                options = [
                    go(game.mode(choice.mode), total + choice.points) for choice in outcome.choices
                ]
                after = options[decide(mode, total, k, options) if len(options) > 1 else 0]
            chances, bust = (
                chances + float(outcome.probability) * after[0],
                bust + float(outcome.probability) * after[1],
            )
        return chances / changes, bust / changes

    return go(0, 0)


def best_turn(solution, needs, z):
    """The most that the player to move can have at the bust value `z`."""

    def decide(mode, total, outcome, options):
        return int(np.argmax([chances[0] + bust * z for chances, bust in options]))

    chances, bust = play(solution, needs, z, decide)
    return chances[0] + bust * z


def own_turn(solution, needs, z, bold):
    """A turn by the solution's policy."""
    own, *others = (solution.game.target - need for need in needs)
    branches = len(branching_outcomes(solution.game))
    rolls, choices = solution.policy.when(bold=bold).decide_all([[own, *others]], branches)
    several = [
        (m, k)
        for m, mode in enumerate(solution.game.modes)
        for k, o in enumerate(mode.outcomes)
        if len(o.choices) > 1
    ]

    def decide(mode, total, outcome, options):
        if outcome is None:
            return int(rolls[0, mode, total])
        return int(choices[0, several.index((mode, outcome)), total])

    return play(solution, needs, z, decide)


def check_equilibrium(solution, positions=None, tolerance=1e-12):
    """Nobody gains by deviating in any turn, and the values are what the policy leads to, mixtures included."""
    n, target = solution.players, solution.game.target
    for needs in positions or product(range(1, target + 1), repeat=n):
        value = at(solution, needs).astype(float)
        after = np.roll(at(solution, (*needs[1:], needs[0])).astype(float), 1)
        assert value.sum() == pytest.approx(1, abs=tolerance)
        assert best_turn(solution, needs, after[0]) <= value[0] + tolerance
        share = solution.policy.bold_share(target - needs[0], [target - need for need in needs[1:]])
        played = 0
        for bold, weight in ((False, 1 - share), (True, share)):
            if weight > 0:
                chances, bust = own_turn(solution, needs, after[0], bold)
                assert abs(chances[0] + bust * after[0] - value[0]) <= tolerance, (
                    "who mixes is indifferent"
                )
                played = played + float(weight) * (chances + bust * after)
        assert np.abs(played - value).max() <= tolerance


# More players, in fractions


def agrees_in_fractions(game, players, prefer="cautious"):
    """The solutions in fractions and in float64, verdicts included."""
    exact = dl.solve(game, players=players, exact=True, prefer=prefer)
    rounded = dl.solve(game, players=players, prefer=prefer)
    assert exact.residual == 0 and (exact.values.sum(axis=-1) == 1).all()
    assert np.abs(rounded.values - exact.values.astype(float)).max() <= min(rounded.error, 1e-12)
    assert (exact.verdicts["mixing"] == np.where(exact.verdicts["equilibria"], 0, 2)).all()
    assert (rounded.verdicts["equilibria"] == exact.verdicts["equilibria"]).all()
    return exact.verdicts["verdict"]


def test_four_players_of_piglet_in_fractions():
    verdicts = agrees_in_fractions(dl.piglet(6), 4)
    assert verdicts.value_counts().to_dict() == {"one": 335, "several": 1, "none": 0}


CASES = [dl.pig(7), SLOTS, dl.pig(7, finish="exact"), SEVERAL[0][0], NONE[0][0]]


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
    [game for game, _ in SEVERAL[:1] + NONE[:2] + SYMMETRIC[:1]] + [dl.two_dice_pig(4), SLOTS],
    ids=lambda game: f"{game.name}-{game.target}-{game.finish}",
)
def test_nobody_gains_by_deviating(game, prefer):
    check_equilibrium(dl.solve(game, players=3, prefer=prefer))


@settings(max_examples=4)
@given(mode_games(most_target=4, resets=True, finishes=BOTH))
def test_nobody_gains_by_deviating_in_random_games_with_resets(game):
    check_equilibrium(dl.solve(game, players=3))


def test_the_check_finds_a_deviation():
    """A value that is off by 1e-9, or another policy, does not pass."""
    solution = dl.solve(dl.piglet(4), players=3)
    check_equilibrium(solution)
    values = solution.values.copy()
    values[0, 1, 2] += [1e-9, -1e-9, 0]
    with pytest.raises(AssertionError):
        check_equilibrium(dataclasses.replace(solution, values=values))


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
    solution = dl.solve(game, players=3)
    assert with_verdict(solution, "none") == triples
    for needs in triples:
        listed = solution.equilibria(*needs)
        assert listed["bold_share"].nunique() == 1 and 0 < listed["bold_share"].iloc[0] < 1, (
            "all three mix alike"
        )
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


@pytest.mark.parametrize("exact", [False, True])
def test_registers_that_change_nothing(exact):
    """A circle of busts without effect: the same chances, and the same number of equilibria, on longer cycles."""
    names = "first", "second"
    idle = [dl.Register(a, after_bust=b) for a, b in zip(names, names[::-1], strict=True)]
    for game in (die([3, 5], 3),) if exact else (dl.pig(7), die([7, 4, 1], 6)):
        plain = dl.solve(game, players=3, exact=exact)
        circle = dl.solve(dataclasses.replace(game, registers=idle), players=3, exact=exact)
        for registers in product((0, 1), repeat=3):
            values = circle.values[tuple(slice(k, None, 2) for k in registers)]
            assert np.abs((values - plain.values).astype(float)).max() < (1e-18 if exact else 1e-13)
        assert set(circle.verdicts["equilibria"]) == set(plain.verdicts["equilibria"])
        assert circle.verdicts["register_1"].isin(names).all()


def test_an_opening_minimum_of_three_players():
    opening = dl.Register("shut", after_hold="open", least_hold=6), dl.Register("open")
    game = dataclasses.replace(dl.pig(12), registers=opening)
    solution, exact = dl.solve(game, players=3), dl.solve(game, players=3, exact=True)
    assert np.abs(solution.values - exact.values.astype(float)).max() < 1e-14
    shut, open_ = dl.Score(0, "shut"), dl.Score(0, "open")
    assert all(solution.policy.rolls(shut, (shut, shut), total) for total in range(6))
    chances = dl.action_values(solution, shut, (open_, shut))
    assert chances["best"][0] == pytest.approx(solution.values[0, 1, 0, 0], abs=1e-13)
    assert np.isnan(chances["hold"][:6]).all() and chances["hold"][6] > 0
    with pytest.raises(ValueError, match="in a game without registers"):
        solution.equilibria(12, 12, 12)


@pytest.mark.parametrize("exact", [False, True])
def test_a_turn_that_must_hold_too_early_is_a_bust(exact):
    """A mode without outcomes, entered with 1 point where a hold takes 2: half of the turns win, and half are lost."""
    on = dl.Outcome("1/2", [dl.Choice(1, "roll"), dl.Choice(2, "stop")])
    roll = dl.Mode("roll", [dl.Outcome("1/4", "bust"), on, dl.Outcome("1/4", dl.Choice(1, "stop"))])
    game = dl.Game("Stops", 2, [roll, dl.Mode("stop", ())])
    game = dataclasses.replace(game, registers=[dl.Register("any", least_hold=2)])
    value = dl.solve(game, players=3, exact=exact).value
    assert np.abs(np.subtract(value, [Fraction(k, 7) for k in (4, 2, 1)])).max() <= 1e-15


def test_one_way_to_ask():
    """The scores of all others are a sequence; the values are those of the array."""
    solution = dl.solve(die([7, 6], 8), players=3)
    policy = solution.policy
    for others in product(range(0, 8, 3), repeat=2):
        assert solution.at(2, others) == tuple(solution.values[2, *others])
        decisions = policy.decisions(policy.game, 2, others)[0]
        for total in range(6):
            assert policy.rolls(2, others, total) == bool(decisions[total])
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
