"""Policies and solutions, as they are asked."""

import numpy as np
import pytest

import dicelab as dl
from collection.papers import FinishesAtOnce
from dicelab.evaluation.loss import loss
from dicelab.evaluation.studies import turn_points
from dicelab.policies import branching_outcomes

PIG = dl.solve(dl.pig(100)).policy


@pytest.mark.parametrize(
    ("rule", "own", "opponent", "total", "rolls"),
    [
        (dl.hold_at(25), 0, 0, 0, True),  # a turn begins with a roll
        (dl.hold_at(1), 0, 0, 0, True),
        (dl.hold_at(25), 0, 0, 24, True),
        (dl.hold_at(25), 0, 0, 25, False),
        (dl.hold_at(25), 90, 0, 10, False),  # the target is reached
        (PIG, 0, 0, 0, True),
        (PIG, 0, 0, 20, True),
        (PIG, 0, 0, 21, False),  # Neller and Presser 2004: hold at 21 at the start of the game
        (PIG, 99, 99, 1, False),
        (PIG, 0, 99, 98, True),  # the opponent will win: roll for all
    ],
)
def test_a_decision(rule, own, opponent, total, rolls):
    assert rule.rolls(own, opponent, total, game=dl.pig(100)) is rolls


def test_hold_at_knows_the_target():
    rule = dl.hold_at(25)
    assert rule.decisions(dl.pig(100), 0, 0).tolist() == [[k < 25 for k in range(100)]]
    assert rule.decisions(dl.pig(100), 90, 3).tolist() == [[True] * 10]


def test_the_mask_is_the_decisions():
    mask = PIG.roll_mask()
    assert mask.shape == (100, 100, 100) and mask.dtype == bool
    for own, opponent, total in np.random.default_rng(1).integers(0, 100, (300, 3)).tolist():
        assert mask[own, opponent, total] == PIG.rolls(own, opponent, total) or own + total >= 100
    again = (mask[:, :, 1:] & ~mask[:, :, :-1]).any(axis=2)
    assert again.sum() == 2503, "about a quarter of the pairs of scores roll above a hold"


# Policies from outside

FORCED = dl.Game(
    "forced",
    6,
    [
        dl.Mode("free", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "must"))]),
        dl.Mode(
            "must",
            [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "free"))],
            may_hold=False,
        ),
    ],
)


class HoldAt(dl.Policy):
    """Holds at n."""

    def __init__(self, n):
        self.n = n

    def decisions(self, game, own, opponent, memory=0):
        rolls = np.tile(np.arange(game.target - own) < self.n, (len(game.modes), 1))
        rolls[:, 0] = True
        rolls[[not mode.may_hold for mode in game.modes]] = True
        return rolls


class Lawless(HoldAt):
    """Holds in the mode without a hold; or, if n is 0, at turn total 0; or never."""

    def decisions(self, game, own, opponent, memory=0):
        return np.tile(np.arange(game.target - own) < self.n, (len(game.modes), 1))


HALF = dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "stop"))
ONE = dl.Game("One", 3, (dl.Mode("roll", HALF), dl.Mode("stop", ())))


ENTRANCES = {  # by the name of the argument
    "first": lambda game, policy: dl.evaluate(game, policy, dl.hold_at(2)),
    "second in simulate": lambda game, policy: dl.simulate(game, dl.hold_at(2), policy, games=10),
    "opponent": dl.best_response,
    "policy in loss": lambda game, policy: loss(dl.solve(game), policy),
    "policy in turn_points": turn_points,
}


LAWLESS = [
    (FORCED, 3, "holds in mode 'must' at own score 0, opponent's 0 and turn total 3; one must roll"),
    (dl.pig(6), 0, "holds in mode 'roll' at own score 0, opponent's 0 and turn total 0; one must roll"),
    (ONE, 9, "rolls in mode 'stop' at own score 0, opponent's 0 and turn total 1; one must hold"),
]  # fmt: skip


@pytest.mark.parametrize("entrance", ENTRANCES)
@pytest.mark.parametrize(("game", "n", "said"), LAWLESS, ids=["must roll", "begin", "must hold"])
def test_policies_are_held_to_the_rules(entrance, game, n, said):
    with pytest.raises(ValueError, match=f"^{entrance.split()[0]}.*{said}"):
        ENTRANCES[entrance](game, Lawless(n))
    ENTRANCES[entrance](FORCED, HoldAt(3))


FREE = dl.Game("free", 6, [dl.Mode(mode.name, mode.outcomes) for mode in FORCED.modes])


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        # into arrays for fewer choices than there are, it would write beyond them
        (
            lambda: dl.solve(FREE).policy.transfer_to(FORCED),
            "forced to 6 has other scores, holds or choices than free",
        ),
        (
            lambda: PIG.decisions(dl.piglet(), 0, 0),
            "this policy is for Pig to 100, not Piglet to 10",
        ),
        (lambda: dl.solve(dl.two_dice_pig(5)).by_target(), "by_target: with resets"),
    ],
)
def test_a_policy_is_for_games_of_its_kind_alone(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


# Finishing at once


@pytest.mark.parametrize("finish", ["reach", "exact"])
def test_finishing_at_once(finish):
    """Three fives with 10 chips missing win, whatever the solitaire policy does; nothing else changes."""
    game = dl.ten_thousand(30, finish)
    alone = dl.solve(game, "score").policy
    finishing = FinishesAtOnce(alone)
    totals = np.arange(game.target)[:, None]
    for own in range(game.target):
        (rolls, choices), (same, before) = (
            policy.actions_at(game, own) for policy in (finishing, alone)
        )
        assert np.array_equal(rolls, same)
        for branch, outcome in enumerate(branching_outcomes(game)):
            after = own + totals + [choice.points for choice in outcome.choices]
            wins = after == game.target if finish == "exact" else after >= game.target
            taken = np.take_along_axis(wins, choices[0, branch][:, None].astype(int), axis=1)[:, 0]
            assert (taken == wins.any(axis=1)).all()
            assert np.array_equal(choices[:, branch][:, ~taken], before[:, branch][:, ~taken])
    best = dl.solve(game).policy
    assert dl.evaluate(game, finishing, best).first_wins > dl.evaluate(game, alone, best).first_wins


def test_a_rule_follows_the_rules_of_modes():
    """It must hold where there is no roll, and roll where there is no hold."""
    rule = dl.hold_at(3)
    assert rule.decisions(ONE, 0, 0).tolist() == [[True] * 3, [True, False, False]]
    assert rule.decisions(FORCED, 0, 0).tolist() == [[True] * 3 + [False] * 3, [True] * 6]
    assert not rule.rolls(0, 0, 1, "stop", game=ONE)
    solution = dl.solve(ONE)
    assert abs(dl.evaluate(ONE, rule, solution.policy).first_wins - solution.value) < 1e-14
