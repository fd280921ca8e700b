"""One policy against another: exactly, by a sparse linear system, and by simulation; and best responses."""

import math
from dataclasses import replace

import numpy as np
import pytest
from conftest import dice
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from collection import textbook
from dicelab.evaluation import _lockstep
from dicelab.evaluation import simulation as montecarlo
from dicelab.evaluation.loss import loss
from dicelab.evaluation.markov_chain import MatchChain, pass_turn
from dicelab.evaluation.match import pairs_seen
from dicelab.evaluation.studies import reachable
from dicelab.evaluation.turn_outcomes import turn_outcomes

GAMES = [dl.pig(15), dl.piglet(9), dl.two_dice_pig(16), dl.double_trouble(14)]
FULL = [dl.pig(100), dl.two_dice_pig(100), dl.double_trouble(100)]


def name(value):
    return getattr(value, "name", None)


@pytest.mark.slow
@pytest.mark.parametrize("game", GAMES, ids=name)
@pytest.mark.parametrize("n", [1, 4, 50])
def test_exact_against_the_whole_markov_chain(game, n):
    optimal = dl.solve(game).policy
    for first, second in (
        (optimal, dl.hold_at(n)),
        (dl.hold_at(n), optimal),
        (dl.hold_at(n), dl.hold_at(3)),
    ):
        match = dl.evaluate(game, first, second)
        assert (match.first_wins, match.turns_mean) == pytest.approx(
            textbook.policy_evaluation(game, first, second), abs=1e-12, rel=1e-12
        )


@settings(max_examples=30)
@given(dice(most_target=8), st.integers(1, 9), st.integers(1, 9))
def test_random_dice_against_the_whole_markov_chain(game, n, m):
    match = dl.evaluate(game, dl.hold_at(n), dl.hold_at(m))
    expected = textbook.policy_evaluation(game, dl.hold_at(n), dl.hold_at(m))
    assert (match.first_wins, match.turns_mean) == pytest.approx(expected, rel=1e-11)


@pytest.mark.slow
@pytest.mark.parametrize("game", FULL, ids=name)
def test_the_optimum_against_itself_is_the_value(game):
    solution = dl.solve(game)
    match = dl.evaluate(game, solution.policy, solution.policy)
    assert match.first_wins == pytest.approx(solution.value, abs=1e-13)
    response = dl.best_response(game, solution.policy)
    assert np.abs(response.values - solution.values).max() <= 1e-13, (
        "nothing is gained against the optimum"
    )
    assert response.residual <= 1e-14


@pytest.mark.slow
@pytest.mark.parametrize("game", FULL, ids=name)
def test_a_best_response_wins_what_it_says_and_more_than_the_optimum(game):
    rule = dl.hold_at(18)
    response = dl.best_response(game, rule)
    assert dl.evaluate(game, response.policy, rule).first_wins == pytest.approx(
        response.value, abs=1e-13
    )
    assert response.value > dl.evaluate(game, dl.solve(game).policy, rule).first_wins + 1e-3


def test_a_best_response_is_better_than_every_rule():
    game, rule = dl.two_dice_pig(30), dl.hold_at(12)
    best = dl.best_response(game, rule).value
    assert all(dl.evaluate(game, dl.hold_at(n), rule).first_wins < best for n in range(1, 31))


@pytest.mark.parametrize("game", FULL, ids=name)
def test_the_distribution_has_the_moments(game):
    match = dl.evaluate(game, dl.hold_at(20), dl.hold_at(23))
    turns = match.turns_distribution()
    mean = (turns * turns.index).sum()
    assert mean == pytest.approx(match.turns_mean, rel=1e-12)
    assert ((turns * (turns.index - mean) ** 2).sum()) ** 0.5 == pytest.approx(
        match.turns_sd, rel=1e-9
    )
    assert turns.sum() == pytest.approx(1, abs=1e-13)
    assert 0 <= turns.attrs["left"] <= 1e-15


@pytest.mark.slow
@pytest.mark.parametrize(
    "orders", [("optimal", "rule"), ("rule", "optimal"), ("optimal", "optimal")], ids="-".join
)
@pytest.mark.parametrize(
    ("game", "n"),
    list(zip(FULL, (25, 23, 18), strict=True)),
    ids=lambda x: getattr(x, "name", str(x)),
)
def test_simulation_within_4_standard_errors_for_every_cell_of_table_1(game, n, orders):
    players = {"optimal": dl.solve(game).policy, "rule": dl.hold_at(n)}
    first, second = (players[who] for who in orders)
    match = dl.evaluate(game, first, second)
    estimate = dl.simulate(game, first, second, games=200_000, seed=7)
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        error = getattr(estimate, f"{quantity}_se")
        assert 0 < error < 0.06
        assert abs(getattr(estimate, quantity) - getattr(match, quantity)) <= 4 * error


BIASED = dl.generalized_pig(["1/4", "1/8", 0, "1/8", 0, "1/2"], 150)
STRETCHES = [
    (dl.pig(100), 25),
    (dl.two_dice_pig(150), 90),
    (dl.pig(200), 130),
    (BIASED, 20),
    (dl.piglet(9), 3),
]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "n"), STRETCHES, ids=lambda x: getattr(x, "name", str(x)))
@pytest.mark.parametrize("some", [True, False])
def test_some_rolls_at_a_time_are_as_good_as_one_by_one(game, n, some, monkeypatch):
    """Turns of more than 64 and 128 points, too, and rules that hold, roll, and hold again."""
    if not some:
        monkeypatch.setattr(montecarlo, "stretches_of", lambda game: None)
    monkeypatch.setattr(montecarlo, "play" if some else "side_by_side", None)
    odd = dl.Rule(
        "hold at some", lambda own, opponent, total, target: (total >= n) | (total % 7 == 5)
    )
    match = dl.evaluate(game, dl.hold_at(n), odd)
    estimate = dl.simulate(game, dl.hold_at(n), odd, games=400_000)
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        assert abs(getattr(estimate, quantity) - getattr(match, quantity)) <= 4 * getattr(
            estimate, f"{quantity}_se"
        )


@pytest.mark.parametrize(
    "game", [dl.pig(9), dl.two_dice_pig(9), BIASED, dl.piglet(9)], ids=lambda game: game.name
)
def test_a_sequence_of_rolls_is_what_its_rolls_make(game):
    made = montecarlo.stretches_of(game)
    faces = [
        outcome
        for outcome in game.modes[0].outcomes
        for _ in range(
            int(
                outcome.probability
                * math.lcm(*(o.probability.denominator for o in game.modes[0].outcomes))
            )
        )
    ]
    rolls = round(math.log(len(made.passed), len(faces)))
    assert len(faces) ** rolls == len(made.passed) == len(made.gained)
    for sequence in range(0, len(made.passed), 13):
        bits, total = 0, 0
        for roll in range(rolls - 1, -1, -1):
            outcome = faces[sequence // len(faces) ** roll % len(faces)]
            if not outcome.choices:
                bits |= 1 << {"bust": _lockstep.BUSTS, "reset": _lockstep.RESETS}[outcome.result]
                break
            total += outcome.choices[0].points
            bits |= 1 << total
        else:
            assert made.gained[sequence] == total
        assert made.passed[sequence] == bits


@pytest.mark.parametrize("game", [dl.pig(30), dl.double_trouble(30)], ids=name)
def test_nobody_rolls_from_the_target_on(game):
    """Whatever a policy says there."""

    class Forever(dl.Policy):
        def decisions_at(self, game, own, memory=0):
            rolls = dl.hold_at(5).decisions_at(game, own).copy()
            rolls[..., game.target - own :] = True
            return rolls

    match, estimate = (ask(game, Forever(), dl.hold_at(8)) for ask in (dl.evaluate, dl.simulate))
    assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se


@pytest.mark.slow
def test_short_games_are_not_counted_too_often():
    """Of a hundred games side by side all count, none that was begun after them; and there may be fewer than lanes."""
    game = dl.piglet(9)
    policies = (dl.hold_at(1), dl.hold_at(1))
    tables = montecarlo.tables_of(game, policies)
    decisions = np.array(
        [tables.decisions[base : base + 81, 0].reshape(9, 9, -1) for base in tables.base]
    )
    for games in (1, 63, 100):
        wins, turns = 0, []
        for seed in np.random.SeedSequence(games).spawn(4000 // games):
            slate = montecarlo.lanes_of(seed, games)
            won, lasted, played = montecarlo.side_by_side(
                montecarlo.stretches_of(game), decisions, slate
            )
            assert (len(lasted), played) == (games, None)
            wins += won[0, 0]
            turns.extend(lasted)
        match, number = dl.evaluate(game, *policies), len(turns)
        assert abs(np.mean(turns) - match.turns_mean) <= 4 * match.turns_sd / number**0.5
        assert abs(wins / number - match.first_wins) <= 2 / number**0.5


def test_simulation_depends_on_the_seed_alone():
    def told(**options):
        e = dl.simulate(dl.pig(30), dl.hold_at(20), dl.hold_at(10), games=130_001, **options)
        return e.first_wins, e.turns_mean, e.turns_sd, e.turns_sd_se

    assert told(seed=3, n_jobs=1) == told(seed=3, n_jobs=2) == told(seed=3)
    assert told(seed=3) != told(seed=4)


def test_the_standard_errors_are_those_of_many_runs():
    runs = [
        dl.simulate(dl.piglet(5), dl.hold_at(2), dl.hold_at(2), games=2000, seed=seed, n_jobs=1)
        for seed in range(200)
    ]
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        spread = np.std([getattr(run, quantity) for run in runs])
        assert spread == pytest.approx(
            np.mean([getattr(run, f"{quantity}_se") for run in runs]), rel=0.2
        )


def test_policies_of_other_games_are_refused():
    policy, rule = dl.solve(dl.pig(8)).policy, dl.hold_at(1)
    for ask in (dl.evaluate, dl.simulate):
        for players in ((policy, rule), (rule, policy)):
            with pytest.raises(ValueError, match="this policy is for Pig to 8"):
                ask(dl.pig(9), *players)
    with pytest.raises(ValueError, match="this policy is for Pig to 8"):
        dl.best_response(dl.pig(9), policy)


def way_to_choose(result):
    """At the target one must go on in a risky mode, or choose a safer one; below it, the risky one brings more."""
    half = dl.Outcome("1/2", "bust")
    ways = dl.Outcome("1/2", [dl.Choice(2, "risky"), dl.Choice(1, "safe")])
    safe = dl.Outcome("1/4", result), dl.Outcome("3/4", dl.Choice(1, "free"))
    modes = [
        dl.Mode("free", [half, dl.Outcome("1/2", dl.Choice(1, "risky"))]),
        dl.Mode("risky", [half, ways], may_hold=False),
        dl.Mode("safe", safe, may_hold=False),
    ]
    return dl.Game("Which way", 3, modes)


def test_choices_beyond_the_target_are_the_way_that_finishes_most_often():
    """A turn wins with p = 1/2 · 1/2 · (1/2 · 3/4), or changes nothing: then the first wins with 1 / (2 - p)."""
    game, rule = way_to_choose("bust"), dl.hold_at(3)
    match = dl.evaluate(game, rule, rule)
    assert match.first_wins == pytest.approx(32 / 61, abs=1e-15)
    assert match.turns_mean == pytest.approx(32 / 3, abs=1e-12)
    estimate = dl.simulate(game, rule, rule, games=200_000)
    assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se
    assert abs(estimate.turns_mean - match.turns_mean) <= 4 * estimate.turns_mean_se


def test_what_is_not_played_is_refused():
    """Which way is best beyond the target depends on what is at stake, where some lead to resets."""
    for call in (dl.evaluate, dl.simulate):
        with pytest.raises(NotImplementedError, match="between ways that finish and that reset"):
            call(way_to_choose("reset"), dl.hold_at(2), dl.hold_at(3))


@pytest.mark.parametrize(
    "game", [dl.pig(60, finish="exact"), dl.two_dice_pig(40, finish="exact"), dl.pig(100)], ids=name
)
def test_rules_with_a_memory_and_exact_finishes_agree_with_simulation(game):
    for first, second in (
        (dl.scoring_turns(4), dl.hold_at(21)),
        (dl.hold_at(15), dl.scoring_turns(3)),
    ):
        match = dl.evaluate(game, first, second)
        estimate = dl.simulate(game, first, second, games=200_000)
        assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se
        if match.turns_mean < np.inf:
            assert abs(estimate.turns_mean - match.turns_mean) <= 4 * estimate.turns_mean_se
            turns = match.turns_distribution()
            assert (turns * turns.index).sum() == pytest.approx(match.turns_mean, rel=1e-12)
        else:
            assert estimate.turns_mean == np.inf
            assert match.turns_distribution().attrs["endless"] > 1e-6


def test_a_rule_with_a_memory_that_it_does_not_use_is_the_rule_without():
    plain, game = dl.hold_at(17), dl.two_dice_pig(50)
    remembering = dl.Rule(
        "hold at 17", lambda own, opponent, total, target, scored: total >= 17, memory=3
    )
    for first, second in ((plain, dl.hold_at(25)), (dl.hold_at(25), plain)):
        expected = dl.evaluate(game, first, second)
        swapped = (remembering if policy is plain else policy for policy in (first, second))
        match = dl.evaluate(game, *swapped)
        assert match.first_wins == pytest.approx(expected.first_wins, abs=1e-14)
        assert (match.turns_mean, match.turns_sd, match.margin) == pytest.approx(
            (expected.turns_mean, expected.turns_sd, expected.margin), rel=1e-12
        )


def test_scoring_turns_needs_four_turns_that_score():
    """On a die that always scores two, to 8, two scoring turns are two turns of two rolls each."""
    match = dl.evaluate(dl.generalized_pig([0, 0, 1], 8), dl.scoring_turns(2), dl.scoring_turns(4))
    assert (match.first_wins, match.turns_mean) == (1, 3)
    with pytest.raises(NotImplementedError, match="remembers its turns"):
        dl.best_response(dl.pig(9), dl.scoring_turns(4))
    with pytest.raises(ValueError, match="target: None"):
        dl.scoring_turns(4).rolls(0, 0, 5)


def test_what_a_policy_loses():
    race, exactly = dl.pig(40), dl.pig(40, finish="exact")
    solution, other = dl.solve(race), dl.solve(exactly)
    assert loss(solution, solution.policy) == pytest.approx(0, abs=1e-15)
    assert loss(dl.solve(race, "margin"), solution.policy) > 0.1
    lost = loss(other, solution.policy.transfer_to(exactly))
    first = dl.evaluate(exactly, solution.policy.transfer_to(exactly), other.policy).first_wins
    second = 1 - dl.evaluate(exactly, other.policy, solution.policy.transfer_to(exactly)).first_wins
    assert lost == pytest.approx(0.5 - (first + second) / 2, abs=1e-15)
    with pytest.raises(ValueError, match="this policy is for Pig to 40"):
        dl.evaluate(exactly, solution.policy, other.policy)
    with pytest.raises(ValueError, match="Pig to 50 has other scores"):
        solution.policy.transfer_to(dl.pig(50))
    answer = dl.best_response(race, dl.hold_at(9))
    won = dl.evaluate(race, solution.policy, dl.hold_at(9)).first_wins
    assert loss(answer, solution.policy) == pytest.approx(answer.value - won, abs=1e-15)


def test_what_a_policy_loses_alone():
    """Against a recursion for hold at n: a turn scores, or is begun again."""
    game, n = dl.pig(40), 12
    turns = dict.fromkeys(range(40, 46), 0.0)
    for own in reversed(range(40)):
        reached, bust = {0: 1.0}, 0.0
        for total in range(n):
            mass = reached.pop(total, 0.0) if own + total < 40 else 0.0
            bust += mass / 6
            for face in range(2, 7):
                reached[total + face] = reached.get(total + face, 0.0) + mass / 6
        after = sum(p * turns[min(own + total, 40)] for total, p in reached.items())
        turns[own] = (1 + after) / (1 - bust)
    solution = dl.solve(game, "turns")
    assert loss(solution, n) == pytest.approx(turns[0] - solution.value, abs=1e-12)
    assert loss(solution, solution.policy) == pytest.approx(0, abs=1e-12)
    assert loss(dl.solve(dl.pig(4, "exact"), "turns"), dl.hold_at(3)) == np.inf  # 1 is on no face
    for solution in (
        dl.solve(dl.pig(1, "exact"), "turns"),
        dl.solve(dl.pig(9), "margin", overshoot=True),
    ):
        with pytest.raises(ValueError, match="of finite value, and with overshoot=False"):
            loss(solution, 3)


def test_what_a_policy_loses_against_two():
    game, rule = dl.pig(12), dl.hold_at(5)
    solution = dl.solve(game, players=3)
    best = solution.policy
    wins = [
        dl.evaluate(game, rule, best, best).wins[0],
        dl.evaluate(game, best, rule, best).wins[1],
        dl.evaluate(game, best, best, rule).wins[2],
    ]
    assert loss(solution, rule) == pytest.approx(1 / 3 - sum(wins) / 3, abs=1e-15)
    assert loss(solution, rule) > 1e-4
    assert loss(solution, best) == pytest.approx(0, abs=1e-15)


def test_reachable_totals():
    """Piglet: one by one, up to the hold; Double Trouble: a double leads to the mode without a hold."""
    reached = reachable(dl.piglet(9), dl.hold_at(3))
    assert reached[0, 0, 0].tolist() == [True] * 4 + [False] * 5
    assert reached[7, 0, 0].tolist() == [True] * 2 + [False] * 7
    doubles = reachable(dl.double_trouble(30), dl.hold_at(5))
    assert np.flatnonzero(doubles[0, 0, 1]).tolist() == [*range(4, 30, 2)]
    assert not doubles[0, 0, 0, [1, 2, 3, 4]].any()


def test_pairs_seen_in_a_match():
    """Hold at 2 and hold at 3 with a coin: scores are multiples of these; memory states are put together."""
    first, second = pairs_seen(dl.piglet(9), dl.hold_at(2), dl.hold_at(3))
    assert (first == second.T).all()  # a bust leads to the other player's turn at the same scores
    assert first[::2, ::3].all() and first.sum() == 5 * 3
    assert (
        pairs_seen(dl.piglet(9), dl.scoring_turns(3), dl.hold_at(3))[0].sum(axis=1) > 0
    ).tolist() == [True] + [score in (3, 6) for score in range(1, 9)]


def test_simulated_dice_with_large_denominators():
    """Where probabilities have no small common denominator, outcomes are found by cumulative probabilities."""
    odd = dl.generalized_pig(["1000003/7000000", 0, "3/7", "2999997/7000000"], 40)
    match = dl.evaluate(odd, dl.hold_at(9), dl.hold_at(12))
    estimate = dl.simulate(odd, dl.hold_at(9), dl.hold_at(12), games=500_000)
    for quantity in ("first_wins", "turns_mean", "turns_sd"):
        assert abs(getattr(estimate, quantity) - getattr(match, quantity)) <= 4 * getattr(
            estimate, f"{quantity}_se"
        )


def test_visits_are_those_of_a_dense_chain():
    """With resets that come often, and with registers that a bust changes in chains and cycles."""
    one, two, three = (dl.Register(name) for name in ("one", "two", "three"))
    registers = [
        replace(one, after_bust="two"),
        replace(two, after_bust="three"),
        replace(three, after_bust="two"),
    ]
    costly = [
        replace(one, after_bust="two"),
        replace(two, after_bust="one", penalty=2, after_hold="one"),
    ]
    for game in (
        dl.generalized_pig(["9/10", "1/20", "1/20"], 6, reset=1),
        dl.generalized_pig(["99/100", "1/200", "1/200"], 5),
        replace(dl.piglet(4), registers=registers),
        replace(dl.piglet(5), registers=costly, lowest=-2),
    ):
        mine, theirs = (
            turn_outcomes(game, policy) for policy in (dl.hold_at(3), dl.scoring_turns(2))
        )
        chain = MatchChain(game, mine, theirs)
        ending, cells = chain.ending(), chain.cells
        moves = np.zeros((2 * cells,) * 2)
        for turn, place in np.ndindex(2, cells):
            now, after = np.zeros((2, cells))
            now[place] = 1.0
            pass_turn(chain.turns, chain.zeros, turn, ending, now, after)
            onward = (1 - turn) * cells
            moves[turn * cells + place, onward : onward + cells] = after
        starts = np.zeros(ending.shape)
        starts[range(2), chain.start] = 0.5
        expected = np.linalg.solve(np.eye(2 * cells) - moves.T, starts.ravel())
        found = chain.visits(starts, ending).ravel()
        assert found == pytest.approx(expected, rel=1e-9, abs=1e-15)
        assert found.sum() > (50 if game.resets else 5)


def test_forced_rolls_that_surely_lead_to_forced_rolls():
    """Turns end after 2k rolls, k geometric, with 2k points: the first wins if the second does not surpass them."""
    p = 1 / 10
    modes = [
        dl.Mode("a", dl.Outcome(1, dl.Choice(1, "b")), may_hold=False),
        dl.Mode("b", [dl.Outcome("9/10", dl.Choice(1, "a")), dl.Outcome("1/10", dl.Choice(1, "c"))], may_hold=False),
        dl.Mode("c", ()),
    ]  # fmt: skip
    game = dl.Game("loop", 2, modes, "last licks")
    match = dl.evaluate(game, dl.hold_at(1), dl.hold_at(1))
    assert match.first_wins == pytest.approx(0.5 + p / (2 - p) / 2, abs=1e-12)
