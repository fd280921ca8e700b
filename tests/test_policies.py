"""Policies and solutions, as they are asked."""

import numpy as np
import pytest

import dicelab as dl
from collection.papers import FinishesAtOnce
from dicelab.evaluation.loss import loss
from dicelab.evaluation.studies import turn_points
from dicelab.policies import branching_outcomes

PIG = dl.solve(dl.pig(100)).policy


def test_hold_at():
    rule = dl.hold_at(25)
    assert rule.rolls(0, 0, 0) is True, "a turn begins with a roll"
    assert rule.rolls(0, 0, 24) is True
    assert rule.rolls(0, 0, 25) is False
    assert rule.rolls(90, 0, 10) is True, "no target is known"
    assert rule.rolls(90, 0, 10, target=100) is False
    assert dl.hold_at(1).rolls(0, 0, 0) is True
    assert rule.decisions(dl.pig(100), 0, 0).tolist() == [[k < 25 for k in range(100)]]
    assert rule.decisions(dl.pig(100), 90, 3).tolist() == [[True] * 10]


def test_hold_at_in_a_mode_without_a_hold():
    forced = dl.Mode(
        "forced",
        [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "free"))],
        may_hold=False,
    )
    free = dl.Mode("free", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "forced"))])
    decisions = dl.hold_at(2).decisions(dl.Game("g", 5, (free, forced)), 0, 0)
    assert decisions.tolist() == [[True, True, False, False, False], [True] * 5]


def test_pigs_policy():
    assert PIG.rolls(0, 0, 20) is True
    # Neller and Presser 2004: hold at 21 at the start of the game.
    assert PIG.rolls(0, 0, 21) is False
    assert PIG.rolls(0, 0, 0) is True
    assert PIG.rolls(99, 99, 1) is False
    assert PIG.rolls(0, 99, 98) is True, "the opponent will win: roll for all"


def test_the_mask_is_the_decisions():
    mask = PIG.roll_mask()
    assert mask.shape == (100, 100, 100)
    assert mask.dtype == bool
    rng = np.random.default_rng(1)
    for own, opponent, total in rng.integers(0, 100, (300, 3)).tolist():
        assert mask[own, opponent, total] == PIG.rolls(own, opponent, total) or own + total >= 100
    again = (mask[:, :, 1:] & ~mask[:, :, :-1]).any(axis=2)
    assert again.sum() == 2503, "about a quarter of the pairs of scores roll above a hold"


def test_a_policy_is_for_its_game():
    with pytest.raises(ValueError, match="this policy is for Pig to 100, not Piglet to 10"):
        PIG.decisions(dl.piglet(), 0, 0)


def test_exact_policies_answer_alike():
    game = dl.pig(25)
    exact, fast = dl.solve(game, exact=True), dl.solve(game)
    assert np.array_equal(exact.policy.roll_mask(), fast.policy.roll_mask())
    assert type(exact.policy.rolls(3, 4, 5)) is bool


def test_by_target_needs_a_game_without_resets():
    assert dl.solve(dl.piglet(5)).by_target().index.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="by_target: with resets"):
        dl.solve(dl.two_dice_pig(5)).by_target()


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
    """Holds in the mode without a hold; or, if n is 0, at turn total 0."""

    def decisions(self, game, own, opponent, memory=0):
        return np.tile(np.arange(game.target - own) < self.n, (len(game.modes), 1))


ENTRANCES = {  # by the name of the argument
    "first": lambda game, policy: dl.evaluate(game, policy, dl.hold_at(2)),
    "second in simulate": lambda game, policy: dl.simulate(game, dl.hold_at(2), policy, games=10),
    "opponent": dl.best_response,
    "policy in loss": lambda game, policy: loss(dl.solve(game), policy),
    "policy in turn_points": turn_points,
}


def refused(entrance, game, policy, said):
    with pytest.raises(ValueError) as caught:
        ENTRANCES[entrance](game, policy)
    assert str(caught.value).startswith(entrance.split()[0]), caught.value
    assert said in str(caught.value)


@pytest.mark.parametrize("entrance", ENTRANCES)
def test_policies_are_held_to_the_rules(entrance):
    refused(
        entrance,
        FORCED,
        Lawless(3),
        "holds in mode 'must' at own score 0, opponent's 0 and turn total 3",
    )
    refused(
        entrance,
        dl.pig(6),
        Lawless(0),
        "holds in mode 'roll' at own score 0, opponent's 0 and turn total 0; one must roll there",
    )
    ENTRANCES[entrance](FORCED, HoldAt(3))


def test_a_policy_goes_to_games_of_its_kind_alone():
    """Into arrays for fewer choices than there are, it would write beyond them."""
    solved = dl.solve(
        dl.Game(
            "free",
            6,
            [dl.Mode("free", FORCED.modes[0].outcomes), dl.Mode("must", FORCED.modes[1].outcomes)],
        )
    )
    with pytest.raises(
        ValueError, match="forced to 6 has other scores, holds or choices than free"
    ):
        solved.policy.transfer_to(FORCED)


# Finishing at once


@pytest.mark.parametrize("finish", ["reach", "exact"])
def test_finishing_at_once(finish):
    """Three fives with 10 chips missing win, whatever the solitaire policy does; nothing else changes."""
    game = dl.ten_thousand(30, finish)
    alone = dl.solve(game, "score").policy
    finishing = FinishesAtOnce(alone)
    outcomes = branching_outcomes(game)
    for own in range(game.target):
        (rolls, choices), (same, before) = (
            finishing.actions_at(game, own),
            alone.actions_at(game, own),
        )
        assert np.array_equal(rolls, same)
        for branch, outcome in enumerate(outcomes):
            after = (
                np.arange(game.target)[:, None]
                + [choice.points for choice in outcome.choices]
                + own
            )
            wins = after == game.target if finish == "exact" else after >= game.target
            taken = np.take_along_axis(wins, choices[0, branch][:, None].astype(int), axis=1)[:, 0]
            assert (taken == wins.any(axis=1)).all()
            assert np.array_equal(choices[:, branch][:, ~taken], before[:, branch][:, ~taken])
    best = dl.solve(game).policy
    assert dl.evaluate(game, finishing, best).first_wins > dl.evaluate(game, alone, best).first_wins
    with pytest.raises(ValueError, match="policy: "):
        FinishesAtOnce(dl.hold_at(20))


def test_a_policy_must_hold_where_there_is_no_roll():
    results = dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "stop"))
    game = dl.Game("One", 3, (dl.Mode("roll", results), dl.Mode("stop", ())))
    assert dl.hold_at(3).decisions(game, 0, 0).tolist() == [
        [True, True, True],
        [True, False, False],
    ]
    assert not dl.hold_at(3).rolls(0, 0, 1, "stop", game=game)
    assert (
        abs(
            dl.evaluate(game, dl.hold_at(3), dl.solve(game).policy).first_wins
            - dl.solve(game).value
        )
        < 1e-14
    )

    class Rolls(dl.Policy):
        def decisions(self, game, own, opponent, memory=0):
            return np.ones((len(game.modes), game.target - own), dtype=bool)

    with pytest.raises(
        ValueError, match=r"first: .* rolls in mode 'stop' at own score 0, .* one must hold there"
    ):
        dl.evaluate(game, Rolls(), dl.hold_at(1))
