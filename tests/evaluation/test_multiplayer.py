"""Three players and more: matches and best responses against a plain Markov chain, equilibria, and simulations."""

import math
from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import dicelab as dl

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


LATE = dl.Rule(
    "bold when behind", lambda own, opponent, total, target: total >= 2 + (opponent > own)
)
MATCHES = [
    (dl.pig(8), (dl.hold_at(5), LATE, dl.hold_at(6))),
    (dl.two_dice_pig(5), (dl.scoring_turns(2), LATE, dl.hold_at(4))),
    (dl.two_dice_pig(5, finish="exact"), (dl.hold_at(2), dl.hold_at(4), dl.hold_at(1))),
    (dl.piglet(3), (dl.hold_at(1), dl.hold_at(2), LATE, dl.hold_at(3))),
    (SKEWED, (equilibrium(SKEWED),) * 3),
    (SKEWED, (LATE, equilibrium(SKEWED), dl.hold_at(3))),
]


@pytest.mark.parametrize(("game", "policies"), MATCHES, ids=named)
def test_against_the_whole_markov_chain(game, policies):
    match = dl.evaluate(game, *policies)
    wins, turns = whole_chain(game, policies)
    assert match.wins == pytest.approx(wins, abs=1e-12)
    assert match.turns_mean == pytest.approx(turns, rel=1e-12)
    assert match.residual <= 1e-14 and match.error <= 1e-12
    with pytest.raises(
        ValueError, match=r"no margin for [34] players: .* of three and more several"
    ):
        match.margin  # noqa: B018
    if math.isinf(turns):
        assert math.isnan(match.turns_sd)
        return
    distribution = match.turns_distribution()
    number = distribution.index.to_numpy()
    mean = distribution @ number
    assert mean == pytest.approx(turns, rel=1e-11) and distribution.attrs["endless"] == 0
    assert match.turns_sd == pytest.approx((distribution @ (number - mean) ** 2) ** 0.5, rel=1e-10)


REGISTERS = [
    dl.Register("none", "none", "one"),
    dl.Register("one", "none", "none", penalty=2, least_hold=2),
]
SIMULATED = [
    (dl.two_dice_pig(15), (dl.hold_at(7), LATE, dl.scoring_turns(2))),
    (MIXED, (equilibrium(MIXED),) * 3),
    (dl.two_dice_pig(7, "exact"), (dl.hold_at(3), dl.hold_at(2), dl.hold_at(4))),
    (dl.piglet(5), (dl.hold_at(3), dl.hold_at(2), dl.hold_at(1), dl.hold_at(4))),
    (
        replace(dl.two_dice_pig(5), registers=REGISTERS, lowest=-2),
        (LATE, dl.hold_at(3), dl.scoring_turns(2)),
    ),
]


@pytest.mark.parametrize(("game", "policies"), SIMULATED, ids=named)
def test_simulations_agree(game, policies):
    match = dl.evaluate(game, *policies)
    estimate = dl.simulate(game, *policies, games=100_000)
    for share, wins, se in zip(estimate.wins, match.wins, estimate.wins_se, strict=True):
        assert abs(share - wins) <= 4 * se < 0.008
    assert sum(estimate.wins) == pytest.approx(1, abs=1e-12)
    if math.isinf(match.turns_mean):
        assert math.isinf(estimate.turns_mean) and math.isnan(estimate.turns_sd)
    else:
        assert abs(estimate.turns_mean - match.turns_mean) <= 4 * estimate.turns_mean_se < 1


def test_a_best_response_wins_what_it_says_and_more_than_every_rule():
    game, others = dl.pig(20), (dl.hold_at(6), LATE)
    response = dl.best_response(game, *others)
    achieved = dl.evaluate(game, response.policy, *others).wins
    assert achieved == pytest.approx(response.value, abs=1e-14)
    rules = [*map(dl.hold_at, range(1, 21)), dl.solve(game).policy]
    assert achieved[0] > max(dl.evaluate(game, rule, *others).wins[0] for rule in rules) + 1e-4


PIG, HOLD = dl.pig(12), dl.hold_at(3)
REFUSED = [
    (
        ValueError,
        (PIG, HOLD, equilibrium(PIG), HOLD, HOLD),
        "Pig to 12, 3 players, not Pig to 12, 4",
    ),
    (ValueError, (PIG, HOLD, HOLD, solve(PIG, players=3)), r"more\[0\].*its \.policy\?"),
    (MemoryError, (dl.pig(10**6), HOLD, HOLD, HOLD), r"needs about .* take a smaller target"),
]


@pytest.mark.parametrize("ask", [dl.evaluate, dl.simulate])
@pytest.mark.parametrize(("error", "match", "said"), REFUSED)
def test_what_is_refused(ask, error, match, said):
    with pytest.raises(error, match=said):
        ask(*match)


def test_what_the_others_may_not_be():
    with pytest.raises(ValueError, match=r"more\[0\]: 1000 .*games=… for the number of games"):
        dl.simulate(PIG, 3, 3, 1000, 7)
    with pytest.raises(NotImplementedError, match=r"more\[0\]: .* remembers its turns"):
        dl.best_response(PIG, 3, dl.scoring_turns(2))
