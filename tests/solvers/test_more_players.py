"""Three players and more: against `solve` for two, in fractions and in float64, and by plain best responses."""

import dataclasses
import pickle
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from conftest import dice, mode_games
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from benchmarks.numpy_race import three_player_values
from dicelab._accuracy import ConvergenceError
from dicelab.games.absorption import beyond_target
from dicelab.policies import branching_outcomes
from dicelab.solvers import more_players
from dicelab.solvers.more_players import solve_players

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
COOL = dl.Game(
    "Cool and hot",
    7,
    (
        dl.Mode("cool", [dl.Outcome("1/20", "bust"), dl.Outcome("19/20", dl.Choice(1, "hot"))]),
        dl.Mode(
            "hot",
            [
                dl.Outcome("1/2", "bust"),
                dl.Outcome("1/2", [dl.Choice(2, "cool"), dl.Choice(3, "hot")]),
            ],
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


# Two players


TWO = [
    *(
        make(12, finish=finish)
        for make in (dl.pig, dl.piglet, dl.two_dice_pig, dl.double_trouble)
        for finish in BOTH
    ),
    *(make(8, finish=finish) for make in (dl.ten_thousand, dl.farkle) for finish in BOTH),
    dl.pig(60),
    dl.two_dice_pig(30),
    SLOTS,
    COOL,
]


@pytest.mark.parametrize("game", TWO, ids=lambda game: f"{game.name}-{game.target}-{game.finish}")
def test_two_players_are_as_solved_before(game):
    agree_with_two(game)


@settings(max_examples=40)
@given(
    st.one_of(
        dice(finishes=BOTH),
        mode_games(finishes=BOTH),
        mode_games(most_target=5, resets=True, finishes=BOTH),
    )
)
def test_two_players_of_random_games(game):
    agree_with_two(game)


def agree_with_two(game):
    """Two players through this solver: the values of `solve`, and one equilibrium everywhere."""
    two, solution = dl.solve(game), solve_players(game, 2)
    assert np.abs(solution.values - two.values).max() <= 1e-12
    assert all((found.equilibria == 1).all() for _, found in solution.cycles)


@pytest.mark.parametrize(
    "game", [dl.pig(9), dl.piglet(7), SLOTS, dl.pig(9, finish="exact")], ids=lambda game: game.name
)
def test_two_players_in_fractions(game):
    assert (solve_players(game, 2, exact=True).values == dl.solve(game, exact=True).values).all()


def test_ways_past_the_target_are_followed():
    """Two modes without a hold lead to each other past the target, and may reset: which is better depends on that."""
    forced = [
        dl.Mode(
            name,
            [
                dl.Outcome(bust, "bust"),
                dl.Outcome(reset, "reset"),
                dl.Outcome("1/4", [dl.Choice(2, "b"), dl.Choice(3, "c")]),
                dl.Outcome(Fraction(3, 4) - Fraction(bust) - Fraction(reset), dl.Choice(1, on)),
            ],
            may_hold=False,
        )
        for name, bust, reset, on in (("b", "1/8", "3/8", "a"), ("c", "1/3", "1/6", "c"))
    ]
    first = [dl.Outcome("1/6", "bust"), dl.Outcome("1/3", [dl.Choice(2, "b"), dl.Choice(4, "c")])]
    free = dl.Mode("a", [*first, dl.Outcome("1/2", dl.Choice(1, "a"))])
    game = dl.Game("Ways", 5, [free, *forced])
    assert len(beyond_target(game)) > 1
    agree_with_two(game)
    check_equilibrium(dl.solve(game, players=3))


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


CASES = [
    dl.pig(10),
    dl.piglet(8),
    SLOTS,
    COOL,
    dl.pig(9, finish="exact"),
    *(game for game, _ in SEVERAL + NONE[:3]),
]


@pytest.mark.parametrize("prefer", ["cautious", "bold"])
@pytest.mark.parametrize("game", CASES, ids=lambda game: f"{game.name}-{game.target}")
def test_three_players_in_fractions(game, prefer):
    if game not in [
        game for game, _ in SEVERAL if game.target == 7
    ]:  # there a symmetric triple has irrational chances
        agrees_in_fractions(game, 3, prefer)


@settings(max_examples=15)
@given(
    st.one_of(dice(most_target=6, finishes=BOTH), mode_games(most_target=4, finishes=BOTH)),
    st.sampled_from((3, 4)),
)
def test_random_games_in_fractions(game, players):
    if players == 3 or game.target < 4:
        agrees_in_fractions(game, players)


# Best responses, mixtures, and the list of equilibria


@pytest.mark.parametrize("prefer", ["cautious", "bold"])
@pytest.mark.parametrize(
    "game",
    [game for game, _ in SEVERAL + NONE + SYMMETRIC],
    ids=lambda game: f"{game.name}-{game.target}",
)
def test_nobody_gains_by_deviating(game, prefer):
    check_equilibrium(dl.solve(game, players=3, prefer=prefer))


RESPONSES = [
    dl.pig(9),
    SLOTS,
    COOL,
    dl.two_dice_pig(6),
    dl.double_trouble(5),
    dl.pig(11, finish="exact"),
]


@pytest.mark.parametrize("game", RESPONSES, ids=lambda game: f"{game.name}-{game.finish}")
def test_nobody_gains_by_deviating_in_other_games(game):
    check_equilibrium(dl.solve(game, players=3))


@settings(max_examples=10)
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


def two_modes(weights, choices, target):
    """Two modes, in both of which one may hold; a roll busts, or offers one of two lists of choices."""
    modes = []
    for name, chances, lists in zip("ab", weights, choices, strict=True):
        outcomes = [dl.Outcome(Fraction(chances[0], sum(chances)), "bust")]
        for chance, options in zip(chances[1:], lists, strict=True):
            outcomes.append(
                dl.Outcome(
                    Fraction(chance, sum(chances)), [dl.Choice(*option) for option in options]
                )
            )
        modes.append(dl.Mode(name, outcomes))
    return dl.Game("Two modes", target, modes)


def test_who_mixes_between_two_choices_plays_both():
    """At the tie of two choices, the cautious turn takes the one that busts less often, whichever is listed first."""
    choices = [[[(1, "b")], [(1, "b"), (2, "a")]], [[(2, "a"), (4, "b")], [(1, "b")]]]
    game = two_modes([[6, 3, 2], [5, 3, 3]], choices, 12)
    needs = (8, 12, 9)
    solution = dl.solve(game, players=3)
    assert with_verdict(solution, "none") == [needs]
    check_equilibrium(solution, [needs[i:] + needs[:i] for i in range(3)])


def test_three_players_mix():
    """Without rotations that are the same position; the shares solve three equations by Newton's method."""
    choices = [
        [[(4, "b"), (2, "b")], [(4, "a"), (2, "b")]],
        [[(4, "a"), (1, "b")], [(2, "b"), (1, "a")]],
    ]
    game = two_modes([[4, 5, 5], [5, 1, 2]], choices, 12)
    needs = (11, 12, 12)
    solution = dl.solve(game, players=3)
    row = solution.verdicts.set_index(["needs_1", "needs_2", "needs_3"]).loc[needs]
    assert (row["verdict"], row["taken"], row["mixing"]) == ("none", "mixed", 3)
    assert solution.equilibria(*needs)["bold_share"].between(0, 1, inclusive="neither").all()
    check_equilibrium(solution, [needs[i:] + needs[:i] for i in range(3)])


def test_a_mixture_of_equal_players():
    """The coin that busts 7 of 13 times, to 8: with 8 points missing everybody holds at 1 or at 2."""
    solution = dl.solve(die([7, 6], 8), players=3)
    listed = solution.equilibria(8, 8, 8)
    assert (listed["hold_at"].tolist(), listed["bold_hold_at"].tolist()) == ([1] * 3, [2] * 3)


@pytest.mark.parametrize("needs", [(3, 3, 3), (2, 5, 2, 5), (4, 4, 4, 4)])
def test_rotations_that_are_the_same_position(needs):
    n = len(needs)
    solution = dl.solve(dl.piglet(max(needs)), players=n)
    period = next(d for d in range(1, n + 1) if needs == needs[d:] + needs[:d])
    chances = solution.equilibria(*needs).filter(like="chance_").to_numpy()
    for i in range(n):
        assert np.array_equal(chances[i], chances[i % period])
    assert (solution.equilibria(*needs)["taken"]).all()


def test_the_number_of_threads_changes_no_bit(monkeypatch):
    game, found = die([7, 5, 2], 12, "exact"), []
    for threads in (1, 2, 3):
        monkeypatch.setattr(more_players, "THREADS", threads)
        found.append(dl.solve(game, players=3))
    for other in found[1:]:
        assert np.array_equal(found[0].values, other.values)
        pd.testing.assert_frame_equal(found[0].verdicts, other.verdicts)


def test_a_solution_can_be_stored():
    game, triples = SEVERAL[0]
    solution = dl.solve(game, players=3)
    stored = pickle.loads(pickle.dumps(solution))
    pd.testing.assert_frame_equal(stored.equilibria(*triples[0]), solution.equilibria(*triples[0]))
    assert not stored.values.flags.writeable


# Pig


def test_a_solver_that_shares_no_code_agrees():
    values, unsettled = three_player_values(40)
    assert unsettled == []
    assert (
        np.abs(values[1:, 1:, 1:] - dl.solve(dl.pig(40), players=3).values[::-1, ::-1, ::-1]).max()
        <= 1e-14
    )


# What is refused


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
    together = sum(chances.loc[8, [f"roll{more}" for more in ("", ", seat 2", ", seat 3")]])
    assert together == pytest.approx(1, abs=1e-12)
    table = dl.to_frame(solution)
    assert len(table) == 24**3 and set(table["register_3"]) == {"shut", "open"}
    row = table.iloc[1]  # the last player is open
    assert row["register_3"] == "open" and row["score_3"] == 0
    assert row["hold_at"] == solution.policy.hold_threshold(shut, (shut, open_))
    listed = solution.equilibria(12, 12, 12, registers=("shut", "shut", "shut"))
    assert listed["chance_1"].iloc[0] == pytest.approx(solution.value[0], abs=1e-13)
    with pytest.raises(ValueError, match="registers: 'shut, open' is not allowed"):
        solution.equilibria(12, 12, 12, registers="shut, open")
    with pytest.raises(ValueError, match=r"registers\[1\]: 'ajar'"):
        solution.equilibria(12, 12, 12, registers=("shut", "ajar", "shut"))


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
    """The scores of all others one after another, or as a sequence; the values are those of the array."""
    solution = dl.solve(die([7, 6], 8), players=3)
    policy = solution.policy
    for others in product(range(0, 8, 3), repeat=2):
        assert (
            solution.at(2, *others) == solution.at(2, others) == tuple(solution.values[2, *others])
        )
        decisions = policy.decisions(policy.game, 2, others)[0]
        for total in range(6):
            asked = {policy.rolls(2, *others, total), policy.rolls(2, others, total)}
            asked |= {policy.rolls(2, *others, turn_total=total)}
            assert asked == {bool(decisions[total])}
        assert policy.hold_threshold(2, *others) == policy.hold_thresholds(own=2)[others]
        assert policy.bold_share(2, *others) == policy.bold_share(2, others)
    assert solution.at() == solution.value
    mixed = [at for at, share in policy.bold_shares.items() if 0 < share < 1]
    turns = [
        [policy.when(bold=bold).decisions(policy.game, at[0], at[1:]).sum() for at in mixed]
        for bold in (False, True)
    ]
    assert mixed and (np.array(turns[0]) < np.array(turns[1])).all()  # the bold turn rolls on
    for ask, said in (
        (lambda: policy.rolls(2, (3,), 4), "opponent: .* the 2 other players"),
        (lambda: policy.rolls(2, 3, 8, 4), r"opponent\[1\]: 8"),
        (lambda: dl.solve(dl.pig(9)).policy.when(bold=True), "bold: True .* more than two players"),
        (lambda: dl.solve(dl.pig(9)).verdicts, "verdicts: two have one"),
    ):
        with pytest.raises(ValueError, match=said):
            ask()


def test_what_busts_lead_to_has_one_equilibrium():
    once = dl.Register("fresh", after_bust="busted"), dl.Register("busted")
    solution = dl.solve(dataclasses.replace(dl.pig(8), registers=once), players=3)
    with pytest.raises(ValueError, match="busts do not lead back to these"):
        solution.equilibria(8, 8, 8)
    assert not solution.equilibria(8, 8, 8, registers=["busted"] * 3).empty


def test_matches_that_need_not_end_are_refused():
    game = dataclasses.replace(dl.pig(6, "exact"), registers=dl.Register("idle"))
    with pytest.raises(ValueError, match="need not end"):
        dl.solve(game, players=3)


@pytest.mark.parametrize("finish", ["reach", "exact"])
def test_best_responses_with_an_idle_register(finish):
    """Whoever may wait for ever: the same as without the register, where both are found in different ways."""
    plain = dl.pig(6, finish)
    idle = dataclasses.replace(plain, registers=dl.Register("idle"))
    for others in ((dl.hold_at(3),), (dl.hold_at(9),), (dl.hold_at(3), dl.hold_at(2))):
        with_it, without = (dl.best_response(game, *others).values for game in (idle, plain))
        np.testing.assert_allclose(with_it, without, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"players": 1}, "players: 1 is not allowed"),
        ({"players": 2.5}, "players: 2.5"),
        ({"players": "3"}, "players: '3'"),
        ({"players": True}, "players: True"),
        ({"players": 31}, "at most 30"),
        ({"players": 3, "objective": "turns"}, "objective: 'turns'"),
        ({"players": 3, "objective": "margin"}, "objective: 'margin'"),
        ({"players": 3, "prefer": "brave"}, "prefer: 'brave'"),
        ({"prefer": "brave"}, "prefer: 'brave'"),
        ({"prefer": "bold"}, "prefer: 'bold' is not allowed with 2 players"),
    ],
)
def test_bad_arguments(arguments, said):
    with pytest.raises(ValueError, match=said) as raised:
        dl.solve(dl.pig(5), **arguments)
    assert "\n" not in str(raised.value)


def test_what_is_not_solved_is_refused():
    with pytest.raises(MemoryError, match="solving Pig to 100 for 12 players"):
        dl.solve(dl.pig(100), players=12)


@pytest.mark.parametrize("needs", [(), (1, 2), (0, 1, 1), (1, 1, 5), (1.5, 1, 1), (1, 1, 1, 1)])
def test_bad_needs(needs):
    with pytest.raises(ValueError, match="needs"):
        dl.solve(dl.piglet(4), players=3).equilibria(*needs)


def test_positions_that_are_their_own_rotation_keep_the_same_pieces(monkeypatch):
    """With bounds that are left wide many pieces are tried; those of equal positions must stay side by side."""
    whole = dl.solve(dl.pig(45), players=3)
    monkeypatch.setattr(more_players, "ROUNDS", 2)
    again = dl.solve(dl.pig(45), players=3)
    assert np.abs(whole.values - again.values).max() < 1e-14
    assert (whole.verdicts["verdict"] == again.verdicts["verdict"]).all()


def test_too_many_equilibria_are_refused(monkeypatch):
    monkeypatch.setattr(more_players, "MOST_EQUILIBRIA", 2)
    with pytest.raises(ConvergenceError, match="there are 2 equilibria in pure strategies or more"):
        dl.solve(dl.generalized_pig(["7/12", "4/12", "1/12"], 6, finish="exact"), players=3)


def test_thirty_players():
    """Bounds that are taken from each other again and again keep the chances between them."""
    chances = dl.solve(dl.pig(1), players=30).value
    assert chances == pytest.approx([5 / 6**k / (1 - 6**-30) for k in range(1, 31)], abs=1e-14)
