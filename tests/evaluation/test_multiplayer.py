"""Three players and more: matches and best responses against a plain Markov chain, equilibria, and simulations."""

import math
import pickle
import random
import sys
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import dicelab as dl
from dicelab.evaluation.best_response import respond_to_players
from dicelab.evaluation.markov_chain import MatchChain
from dicelab.evaluation.match import chain_of, multiplayer_outcomes

sys.path.insert(0, str(Path(__file__).parents[1] / "conformance"))
from checks import random_registers

solve = cache(dl.solve)
# In its equilibrium all three mix in the first turn.
MIXED = dl.generalized_pig(["1/5", "3/5", "1/5"], 13)
SKEWED = dl.generalized_pig(["17/23", "5/23", "1/23"], 8)  # here two mix, late in the game


def equilibrium(game, players=3):
    return solve(game, players=players).policy


def named(value):
    return f"{value.name} to {value.target} {value.finish}" if isinstance(value, dl.Game) else None


# A plain Markov chain of the whole match, for games with one mode and without choices


def rolls_of(policy, game, own, others, memory, bold=False):
    """Whether a policy rolls, by turn total."""
    if policy.players > 2:
        return policy.when(bold=bold).decisions(game, own, others)[0].tolist()
    ask = {"game": game, "memory": memory}
    return [policy.rolls(own, max(others), total, **ask) for total in range(game.target - own)]


def ends_of(game, rolls):
    """How a turn ends, a dict of probabilities: points held at, "finish", "bust", "reset"."""
    ends, at = {}, {0: 1.0}
    while at:
        total = min(at)
        mass = at.pop(total)
        for outcome in game.modes[0].outcomes:
            p = mass * float(outcome.probability)
            after = total + sum(choice.points for choice in outcome.choices)
            end = outcome.result if not outcome.choices else after
            if outcome.choices and after >= len(rolls):
                end = "finish" if after == len(rolls) or game.finish == "reach" else "bust"
            elif outcome.choices and rolls[after]:
                at[after] = at.get(after, 0.0) + p
                continue
            ends[end] = ends.get(end, 0.0) + p
    return ends


def turn_ends(policy, game, own, others, memory):
    """The same for a policy; a mixed turn is one of two."""
    share = policy.bold_share(own, others) if policy.players > 2 else 0
    ends = {}
    for part, bold in ((1 - share, False), (share, True)):
        for end, p in (
            ends_of(game, rolls_of(policy, game, own, others, memory, bold)).items() if part else ()
        ):
            ends[end] = ends.get(end, 0.0) + part * p
    return ends


def after_turn(game, policy, states, mover, end):
    """The states of all players after a turn: pairs of score and memory."""
    states, (score, memory) = list(states), states[mover]
    if end == "reset":
        states[mover] = 0, 0
    elif end != "bust":
        states[mover] = score + end, min(memory + 1, getattr(policy, "memory", 1) - 1)
    return tuple(states)


def seen_by(states, mover):
    return tuple(states[(mover + k) % len(states)][0] for k in range(1, len(states)))


def slowly(chain):
    """A chain of two that is solved by the way of more players."""
    chain._solve_two = chain._solve_cells
    return chain


def whole_chain(game, policies):
    """Everybody's chance to win, and the mean number of turns, by linear equations for all states at once."""
    n = len(policies)
    kept = [
        list(product(range(game.target), range(getattr(policy, "memory", 1))))
        for policy in policies
    ]
    leads, constant = {}, {}
    for mover, *states in product(range(n), *kept):
        (own, memory), policy, at = states[mover], policies[mover], (mover, *states)
        leads[at], constant[at] = {}, [0.0] * n + [1.0]
        for end, p in turn_ends(policy, game, own, seen_by(states, mover), memory).items():
            if end == "finish":
                constant[at][mover] += p
            else:
                after = ((mover + 1) % n, *after_turn(game, policy, states, mover, end))
                leads[at][after] = leads[at].get(after, 0.0) + p
    ends, size = set(), -1
    while len(ends) > size:
        size = len(ends)
        ends |= {at for at in leads if sum(constant[at][:n]) > 0 or ends & leads[at].keys()}
    index = {at: k for k, at in enumerate(leads)}
    matrix = np.eye(len(index))
    for at, row in index.items():
        if at not in ends:
            constant[at] = [1 / n] * n + [math.inf]
        for after, p in leads[at].items() if at in ends else ():
            matrix[row, index[after]] -= p
    values = np.array(list(constant.values()))
    endless = np.isinf(values[:, n])
    values[endless, n] = 0
    *wins, turns = np.linalg.solve(matrix, values)[0]
    never = np.linalg.solve(matrix, endless.astype(float))[0]
    return wins, math.inf if never > 1e-9 else turns


HOLDS = dl.hold_at(3), dl.hold_at(1), dl.hold_at(2)
LATE = dl.Rule(
    "bold when behind", lambda own, opponent, total, target: total >= 2 + (opponent > own)
)
MATCHES = [
    (dl.piglet(4), HOLDS),
    (dl.piglet(4), (LATE, dl.hold_at(2), LATE)),
    (dl.pig(8), HOLDS),
    (dl.pig(8), (dl.hold_at(5), LATE, dl.hold_at(6))),
    (dl.piglet(4), (dl.scoring_turns(3), dl.hold_at(2), dl.scoring_turns(2))),
    (dl.two_dice_pig(7), (dl.hold_at(4), LATE, dl.hold_at(6))),
    (dl.two_dice_pig(5), (dl.scoring_turns(2), LATE, dl.hold_at(4))),
    (dl.pig(6, finish="exact"), (dl.hold_at(2), dl.hold_at(4), dl.hold_at(1))),
    (dl.two_dice_pig(5, finish="exact"), (dl.hold_at(2), dl.hold_at(4), dl.hold_at(1))),
    (dl.piglet(3), (dl.hold_at(1), dl.hold_at(2), LATE, dl.hold_at(3))),
]


@pytest.mark.parametrize(("game", "policies"), MATCHES, ids=named)
def test_against_the_whole_markov_chain(game, policies):
    match = dl.evaluate(game, *policies)
    wins, turns = whole_chain(game, policies)
    assert match.wins == pytest.approx(wins, abs=1e-12)
    assert match.turns_mean == pytest.approx(turns, rel=1e-12)
    assert match.residual <= 1e-14 and match.error <= 1e-12
    with pytest.raises(ValueError, match="no margin: of three and more several lose"):
        match.margin  # noqa: B018
    if math.isinf(turns):
        assert math.isnan(match.turns_sd)
        return
    distribution = match.turns_distribution()
    number = distribution.index.to_numpy()
    mean = distribution @ number
    assert mean == pytest.approx(turns, rel=1e-11) and distribution.attrs["endless"] == 0
    assert match.turns_sd == pytest.approx((distribution @ (number - mean) ** 2) ** 0.5, rel=1e-10)


@pytest.mark.slow
@pytest.mark.parametrize("game", [dl.pig(8), SKEWED], ids=named)
def test_an_equilibrium_against_the_whole_markov_chain(game):
    policy = equilibrium(game)
    for policies in ((policy,) * 3, (policy, dl.hold_at(3), policy), (LATE, policy, policy)):
        wins, turns = whole_chain(game, policies)
        match = dl.evaluate(game, *policies)
        assert match.wins == pytest.approx(wins, abs=1e-12)
        assert match.turns_mean == pytest.approx(turns, rel=1e-12)


# Registers


def looks(own, opponent, total, target):
    """Hold at 1, or at 2 where the leader is behind, or has the first register of a random game."""
    return total >= 1 + (opponent < own or getattr(opponent, "register", None) == "x")


WATCHES = dl.Rule("watches the leader", looks)


@pytest.mark.parametrize("seed", [0, 4, 15, 19, 30, 35, 38, 51, 99, 187])
def test_games_with_registers_are_sound(seed):
    """Random ones: with penalties that lead back to the start, resets, an exact target, and ways not to end."""
    rng = random.Random(seed)
    game = random_registers(rng)
    for finish in ("reach", "exact"):
        match = dl.evaluate(replace(game, finish=finish), WATCHES, dl.hold_at(3), dl.hold_at(2))
        assert match.residual <= 4e-15
        if match.turns_mean < 100:
            estimate = dl.simulate(match.game, *match.policies, games=20_000)
            off = np.abs(np.array(match.wins) - estimate.wins)
            assert (off <= 4 * np.array(estimate.wins_se) + 1e-12).all()


def busts(penalty=0, after_hold="0"):
    return [
        dl.Register(f"{n}", after_hold, f"{(n + 1) % 3}", penalty=penalty * (n == 2))
        for n in range(3)
    ]


@pytest.mark.parametrize("game", [dl.pig(9), dl.two_dice_pig(5), dl.pig(6, "exact")], ids=named)
@pytest.mark.parametrize("registers", [[dl.Register("same")], busts(), busts(after_hold="1")])
def test_registers_that_change_nothing(game, registers):
    policies = (LATE, dl.scoring_turns(2), dl.hold_at(4))
    match = dl.evaluate(game, *policies)
    again = dl.evaluate(replace(game, registers=registers), *policies)
    assert again.wins == pytest.approx(match.wins, abs=1e-15)
    assert again.turns_mean == pytest.approx(match.turns_mean, rel=1e-14)


@pytest.mark.parametrize("more", [{}, {"lowest": -2}, {"finish": "exact"}])
def test_registers_of_two_players(more):
    for game in (dl.piglet(5), dl.two_dice_pig(5)):
        game = replace(game, registers=busts(penalty=2), **more)
        for pair in ((WATCHES, dl.hold_at(3)), (dl.scoring_turns(2), WATCHES)):
            match = dl.evaluate(game, *pair)
            chain = slowly(chain_of(game, *match.policies))
            start = chain.start[0]
            assert chain.wins()[0][0, start, 0] == pytest.approx(match.first_wins, abs=1e-13)
            turns, _, _ = chain.solve(chain.reached(), step=1.0)
            assert turns[0, start, 0] == pytest.approx(match.turns_mean, rel=1e-12)


@pytest.mark.parametrize("more", [{}, {"lowest": -2}, {"finish": "exact"}])
def test_simulated_registers(more):
    registers = [*busts(penalty=2)[:2], replace(busts(penalty=2)[2], least_hold=2)]
    game = replace(dl.two_dice_pig(5) if not more else dl.piglet(5), registers=registers, **more)
    match = dl.evaluate(game, WATCHES, dl.hold_at(3), dl.scoring_turns(2))
    estimate = dl.simulate(*(game, *match.policies), games=100_000)
    errors = np.array(estimate.wins_se)
    assert (np.abs(np.subtract(estimate.wins, match.wins)) < 4 * errors).all() and errors.max() > 0
    assert abs(estimate.turns_mean - match.turns_mean) < 4 * estimate.turns_mean_se


# The best response


def best_of_three(game, others, sweeps):
    """The own chance of a best responder at the start, by value iteration with the greatest at every decision."""
    n = 3
    target = game.target
    scores = list(product(range(game.target), repeat=3))
    chances = {(mover, *at): 0.0 for mover in range(n) for at in scores}
    turns = {
        (m, *at): turn_ends(others[m - 1], game, at[m], seen_by([(score, 0) for score in at], m), 0)
        for m in (1, 2)
        for at in scores
    }
    for _ in range(sweeps):
        for at in reversed(scores):
            for m in (2, 1):
                following = (m + 1) % n
                chances[m, *at] = sum(
                    p * chances[following, *(score for score, _ in states)]
                    for end, p in turns[m, *at].items()
                    if end != "finish"
                    for states in [
                        after_turn(game, others[m - 1], [(score, 0) for score in at], m, end)
                    ]
                )
            own, *rest = at
            best = {}
            for total in range(target - own - 1, -1, -1):
                roll = 0.0
                for outcome in game.modes[0].outcomes:
                    p = float(outcome.probability)
                    after = total + sum(choice.points for choice in outcome.choices)
                    if outcome.result == "reset":
                        roll += p * chances[1, 0, *rest]
                    elif not outcome.choices or (own + after > target and game.finish == "exact"):
                        roll += p * chances[1, *at]
                    else:
                        roll += p * (1.0 if own + after >= target else best[after])
                best[total] = max(roll, chances[1, own + total, *rest]) if total else roll
            chances[0, *at] = best[0]
    return chances


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "others"),
    [
        (dl.piglet(4), (dl.hold_at(3), LATE)),
        (dl.pig(6), (LATE, dl.hold_at(4))),
        (dl.two_dice_pig(5), (dl.hold_at(4), dl.hold_at(2))),
        (SKEWED, (equilibrium(SKEWED), dl.hold_at(2))),
    ],
    ids=named,
)
def test_a_best_response_against_value_iteration(game, others):
    response = dl.best_response(game, *others)
    chances = best_of_three(game, others, 400)
    for at in product(range(game.target), repeat=3):
        assert response.values[at][0] == pytest.approx(chances[0, *at], abs=1e-11)
    assert dl.evaluate(game, response.policy, *others).wins == pytest.approx(
        response.value, abs=1e-14
    )
    assert [policy.name for policy in response.against] == [policy.name for policy in others]
    assert response.residual <= 1e-14
    assert np.abs(response.values.sum(axis=3) - 1).max() <= 1e-13
    with pytest.raises(ValueError, match="a best response has none"):
        response.verdicts  # noqa: B018


def test_a_best_response_is_better_than_every_rule():
    game, others = dl.pig(50), (dl.hold_at(20), dl.hold_at(25))
    best = dl.best_response(game, *others).value[0]
    chances = [dl.evaluate(game, dl.hold_at(n), *others).wins[0] for n in range(15, 51)]
    assert (
        best > max(chances) + 1e-3
        and best > dl.evaluate(game, dl.solve(game).policy, *others).wins[0] + 1e-4
    )


# Two players


@pytest.mark.parametrize(
    "game",
    [
        *(
            dl.pig(15),
            dl.piglet(9),
            dl.two_dice_pig(12),
            dl.double_trouble(9),
            dl.ten_thousand(7),
            dl.farkle(6),
        ),
        *(dl.pig(9, "exact"), dl.two_dice_pig(3, "exact")),
    ],
    ids=named,
)
def test_with_two_players_it_is_the_match(game):
    optimal = dl.solve(game).policy
    for pair in (
        (optimal, dl.hold_at(5)),
        (dl.scoring_turns(3), optimal),
        (dl.hold_at(2), dl.scoring_turns(2)),
    ):
        match = dl.evaluate(game, *pair)
        chain = chain_of(game, *match.policies)
        fast, slow = chain.wins()[0], slowly(chain).wins()[0]
        assert np.abs(fast - slow).max() <= 1e-12 and fast.max() >= 0.5
        start = chain.start[0]
        assert slow[0, start, 0] == pytest.approx(match.first_wins, abs=1e-12)
        if math.isfinite(match.turns_mean):
            turns, _, _ = chain.solve(chain.reached(), step=1.0)
            assert turns[0, start, 0] == pytest.approx(match.turns_mean, rel=1e-11)
    for opponent in (dl.hold_at(4), optimal):
        response = respond_to_players(game, {"opponent": opponent})
        assert np.abs(response.values - dl.best_response(game, opponent).values).max() <= 1e-12


# Equilibria


@pytest.mark.parametrize(
    "game",
    [
        dl.pig(30),
        dl.two_dice_pig(14),
        dl.double_trouble(10),
        dl.ten_thousand(6),
        dl.pig(8, "exact"),
        MIXED,
        SKEWED,
    ],
    ids=named,
)
def test_an_equilibrium_against_itself_is_the_value(game):
    solution = solve(game, players=3)
    policy = solution.policy
    values, _, _ = chain_of(game, policy, policy, policy).wins()
    assert np.abs(values[0].reshape(solution.values.shape) - solution.values).max() <= 1e-12
    assert dl.evaluate(game, policy, policy, policy).wins == pytest.approx(
        solution.value, abs=1e-12
    )
    response = dl.best_response(game, policy, policy)
    gain = response.values[..., 0] - solution.values[..., 0]
    assert np.abs(gain).max() <= 1e-12


def test_four_players():
    game = dl.pig(9)
    policy = equilibrium(game, 4)
    value = solve(game, players=4).value
    assert dl.evaluate(game, *(policy,) * 4).wins == pytest.approx(value, abs=1e-12)
    response = dl.best_response(game, *(policy,) * 3)
    assert response.value[0] == pytest.approx(value[0], abs=1e-12) and response.players == 4
    assert dl.best_response(game, policy, policy, dl.hold_at(1)).value[0] > value[0] + 1e-3


def test_mixtures_matter():
    """Without them, or with other shares, it is another match: by far more than the accuracy."""
    mixed = equilibrium(MIXED)
    assert 0 < mixed.bold_share(0, (0, 0)) < 1
    for shares in ({}, {(0, 0, 0): 1.0}, {(0, 0, 0): 0.5}):
        other = replace(mixed, bold_shares=shares)
        outcomes = multiplayer_outcomes(MIXED, other)
        total = outcomes.bust[0, 0] + outcomes.leave[0, 0]
        assert total == pytest.approx(1, abs=1e-15)
        change = (
            dl.evaluate(MIXED, other, mixed, mixed).wins[1]
            - dl.evaluate(MIXED, mixed, mixed, mixed).wins[1]
        )
        assert abs(change) > 1e-5
        change = (
            dl.evaluate(MIXED, other, mixed, mixed).wins[0]
            - dl.evaluate(MIXED, mixed, mixed, mixed).wins[0]
        )
        assert abs(change) <= 1e-12, "the player who mixes is indifferent"


def test_an_exact_equilibrium_plays_as_well():
    game = dl.piglet(4)
    exact = dl.solve(game, players=3, exact=True)
    wins = dl.evaluate(game, *(exact.policy,) * 3).wins
    assert wins == pytest.approx([float(chance) for chance in exact.value], abs=1e-13)


# Simulation


@pytest.mark.parametrize(
    ("game", "policies"),
    [
        (dl.pig(30), (dl.hold_at(20), dl.hold_at(10), dl.hold_at(15))),
        (dl.pig(40), (dl.end_race_or_keep_pace(), dl.scoring_turns(3), dl.hold_at(12))),
        (dl.pig(20), (equilibrium(dl.pig(20)), LATE, dl.solve(dl.pig(20)).policy)),
        (MIXED, (equilibrium(MIXED),) * 3),
        (MIXED, (replace(equilibrium(MIXED), bold_shares={(0, 0, 0): 1.0}),) * 3),
        (dl.two_dice_pig(15), (dl.hold_at(7), dl.hold_at(12), dl.scoring_turns(2))),
        (dl.ten_thousand(8), (dl.hold_at(3), dl.hold_at(8), equilibrium(dl.ten_thousand(8)))),
        (
            dl.double_trouble(15),
            (dl.hold_at(7), dl.hold_at(12), dl.solve(dl.double_trouble(15)).policy),
        ),
        (dl.pig(9, "exact"), (dl.hold_at(3), dl.hold_at(2), dl.scoring_turns(2))),
        (dl.two_dice_pig(7, "exact"), (dl.hold_at(3), dl.hold_at(2), dl.hold_at(4))),
        (dl.generalized_pig(["1000003/7000000", 0, "3/7", "2999997/7000000"], 20), HOLDS),
        (dl.piglet(5), (dl.hold_at(3), dl.hold_at(2), dl.hold_at(1), dl.hold_at(4))),
    ],
    ids=named,
)
def test_simulations_agree(game, policies):
    match = dl.evaluate(game, *policies)
    estimate = dl.simulate(game, *policies, games=400_000)
    for share, wins, se in zip(estimate.wins, match.wins, estimate.wins_se, strict=True):
        assert abs(share - wins) <= 4 * se < 0.004
    assert sum(estimate.wins) == pytest.approx(1, abs=1e-12)
    if math.isinf(match.turns_mean):
        assert math.isinf(estimate.turns_mean) and math.isnan(estimate.turns_sd)
    else:
        assert abs(estimate.turns_mean - match.turns_mean) <= 4 * estimate.turns_mean_se < 0.5


def test_a_game_that_never_ends_is_shared():
    game = dl.two_dice_pig(3, "exact")
    policies = (dl.hold_at(1),) * 3
    match = dl.evaluate(game, *policies)
    estimate = dl.simulate(game, *policies, games=7)
    assert match.wins == estimate.wins == (1 / 3,) * 3 and max(estimate.wins_se) <= 1e-8
    assert math.isinf(match.turns_mean) and math.isinf(estimate.turns_mean)


def test_a_simulation_depends_on_the_seed_alone(monkeypatch):
    ask = MIXED, equilibrium(MIXED), dl.hold_at(3), LATE

    def told(games=120_000, **more):
        estimate = dl.simulate(*ask, games=games, **more)
        return estimate.wins, estimate.turns_mean, estimate.turns_sd

    expected = told(n_jobs=1)
    assert told(n_jobs=2) == expected != told(seed=2)
    short = told(300)
    for part in (1, 7):
        monkeypatch.setattr("dicelab.evaluation.simulation.PART", part)
        assert told(300, n_jobs=1) == short


# Arguments and results


def test_results_say_what_they_are():
    game = dl.pig(12)
    policies = (dl.hold_at(6), equilibrium(dl.pig(12)), dl.scoring_turns(2))
    match = dl.evaluate(game, *policies)
    estimate = dl.simulate(game, *policies, games=1000)
    response = dl.best_response(game, *policies[:2])
    assert match.policies == policies and repr(match).startswith(
        "<Match of Pig to 12: hold at 6 wins 0."
    )
    assert repr(estimate).startswith("<Estimate of Pig to 12, 1,000 games: hold at 6 wins 0.")
    assert response.policy.name == "best response to hold at 6 and cautious equilibrium"
    for result in (match, estimate):
        assert (
            "hold at 6, player 1" in result._repr_html_()
            and "2 scoring turns, player 3" in result._repr_html_()
        )
    for result in (match, estimate, response):
        assert "\n" not in repr(result)
        again = pickle.loads(pickle.dumps(result))
        assert repr(again) == repr(result)
    assert type(dl.evaluate(game, *policies[::2])) is dl.Match


def test_what_is_refused():
    game, policy = dl.pig(12), equilibrium(dl.pig(12))
    hold, forgets = dl.hold_at(3), dl.scoring_turns(2)
    for ask in (dl.evaluate, dl.simulate):
        with pytest.raises(ValueError, match=r"more\[0\]: 'x' is not allowed; give a rule"):
            ask(game, hold, hold, "x")  # a number would be the games of two players
        with pytest.raises(ValueError, match="for Pig to 12, 3 players, not Pig to 12, 4 players"):
            ask(game, hold, policy, hold, hold)
        with pytest.raises(ValueError, match="for Pig to 12, 3 players, not Pig to 13, 3 players"):
            ask(dl.pig(13), hold, policy, hold)
        with pytest.raises(ValueError, match=r"more\[0\].*did you mean its \.policy\?"):
            ask(game, hold, policy, solve(game, players=3))
        for nothing in (None, 100):
            with pytest.raises(ValueError, match=f"game: {nothing}"):
                ask(nothing, hold, hold, hold)
        with pytest.raises(MemoryError, match=r"needs about .* take a smaller target"):
            ask(dl.pig(10**6), hold, hold, hold)
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match=r"more\[1\]: 1000 .*did you mean games=1000, seed=7\?"):
            dl.simulate(game, hold, hold, hold, 1000, 7)
    by_position = dl.simulate(game, hold, hold, 1000, 7)
    by_name = dl.simulate(game, hold, hold, games=1000, seed=7)
    assert by_position.first_wins == by_name.first_wins and by_position.games == 1000
    with pytest.raises(ValueError, match="games: 0"):
        dl.simulate(game, hold, hold, hold, games=0)
    for ask in (dl.evaluate, dl.best_response):
        with pytest.raises(ValueError, match=r"more: policies for .* players are .*at most 30"):
            ask(dl.pig(1), *[hold] * 70)
    with pytest.raises(NotImplementedError, match=r"more\[0\]: .* remembers its turns"):
        dl.best_response(game, hold, forgets)
    with pytest.raises(ValueError, match="for Pig to 12, 3 players, not Pig to 12, 4 players"):
        dl.best_response(game, hold, policy, hold)
    with pytest.raises(MemoryError, match="take a smaller target"):
        dl.best_response(dl.pig(10**6), hold, hold)


def test_resets_that_undo_nearly_all_turns(monkeypatch):
    """Equations that GMRES does not solve to 1e-15, however long it goes on; so it must give up."""
    solve_cells, passes = MatchChain._solve_cells, []

    def counted(chain, *arguments):
        passes.append(chain)
        assert len(passes) <= 4000, "GMRES goes on"  # it takes 1733 with the restarts limited
        return solve_cells(chain, *arguments)

    monkeypatch.setattr(MatchChain, "_solve_cells", counted)
    game = dl.generalized_pig(["9/10", "1/20", "1/20"], 6, reset=1)
    assert sum(dl.evaluate(game, 1, 2, 3).wins) == pytest.approx(1, abs=1e-12)
