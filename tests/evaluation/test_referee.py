"""The referee's action values, against an independent calculation by value iteration over all states of a game."""

from functools import cache

import numpy as np
import pytest
from conftest import judged_turn

import dicelab as dl
from dicelab.evaluation.referee import Referee, regrets_of
from dicelab.policies import branching_outcomes


def by_iteration(game, opponent, rounds=400):
    """Action values by plain value iteration: `q(own, opponent, mode, total)` is [hold, roll], and the choices' values.

    The opponent follows a policy, or plays optimally if it is None; values are of the player who is about to move.
    """
    size = len(game.scores)
    modes = {mode.name: mode for mode in game.modes}
    # At the beginning of a turn of each, [own, opponent's] of the mover.
    mine, theirs = np.full((2, size, size), 0.5)

    def past(mode, beyond, bust, reset):
        """One more roll at the target; an outcome has one choice."""
        ends = {"bust": bust, "reset": reset}
        return sum(
            float(outcome.probability)
            * (beyond[outcome.choices[0].mode] if outcome.choices else ends[outcome.result])
            for outcome in mode.changes
        )

    def turn(own, other, after, decide):
        """The value of a turn to the mover, who wins with probability after[place] if the turn ends there."""
        score = game.scores[own]
        missing = game.missing(game.scores[own])
        bust = after[game.index(game.after_bust(score))]
        reset = after[game.index(game.after_reset)]

        beyond = dict.fromkeys(modes, 1.0)  # at the target, where the turn may have to go on
        for _ in range(40 if not all(mode.may_hold for mode in modes.values()) else 0):
            beyond = {
                name: 1.0 if mode.may_hold else past(mode, beyond, bust, reset)
                for name, mode in modes.items()
            }

        def roll(mode, total):
            value = 0.0
            for outcome in modes[mode].changes:
                if outcome.choices:
                    options = [at(c.mode, total + c.points) for c in outcome.choices]
                    value += float(outcome.probability) * (
                        max(options) if decide is None else pick(outcome, total, options)
                    )
                else:
                    value += float(outcome.probability) * (
                        bust if outcome.result == "bust" else reset
                    )
            return value

        def pick(outcome, total, options):
            if len(options) == 1:
                return options[0]
            number = next(b for b, o in enumerate(branching_outcomes(game)) if o is outcome)
            return options[decide.choices_against(game, score, game.scores[other])[number, total]]

        @cache
        def at(mode, total):
            if total > missing and game.finish == "exact":
                return bust
            if total >= missing:
                return beyond[mode]
            hold, again = actions(mode, total)
            if np.isnan(again) or np.isnan(hold):
                return hold if np.isnan(again) else again
            if decide is None:
                return max(hold, again)
            return (
                again if decide.rolls(score, game.scores[other], total, mode, game=game) else hold
            )

        def actions(mode, total):
            may_hold = modes[mode].may_hold and total >= game.register(score).least_hold
            hold = after[game.index(game.after_hold(score, total))] if may_hold else np.nan
            return hold, roll(mode, total) if modes[mode].outcomes else np.nan

        return actions, at

    def start(own):
        return game.register(game.scores[own]).mode or game.modes[0].name

    for _ in range(rounds):
        new = np.array(
            [
                [turn(i, j, 1 - theirs[j], None)[0](start(i), 0)[1] for j in range(size)]
                for i in range(size)
            ]
        )
        if opponent is None:
            mine = theirs = new
            continue
        theirs = np.array(
            [
                [turn(i, j, 1 - mine[j], opponent)[0](start(i), 0)[1] for j in range(size)]
                for i in range(size)
            ]
        )
        mine = new
    return lambda own, other: turn(own, other, 1 - theirs[other], None)


GAMES = {
    "pig": (dl.pig(6), None),
    "against a rule": (dl.pig(6), dl.hold_at(3)),
    "resets": (dl.two_dice_pig(6), dl.hold_at(4)),
    "forced rolls": (dl.double_trouble(6), None),
    "exact": (
        dl.piglet(4, "exact") if "finish" in dl.piglet.__code__.co_varnames else dl.pig(5, "exact"),
        dl.hold_at(2),
    ),
    "choices": (dl.ten_thousand(2), dl.hold_at(1)),
    "registers": (
        dl.Game(
            "opening",
            4,
            dl.piglet(4).modes,
            registers=[dl.Register("closed", after_hold="open", least_hold=2), dl.Register("open")],
        ),
        dl.hold_at(1),
    ),
}


@pytest.mark.parametrize("name", GAMES)
def test_action_values_are_those_of_value_iteration(name):
    game, opponent = GAMES[name]
    referee = Referee(game, opponent)
    check = by_iteration(game, opponent, 20 if name == "choices" else 120)
    for own in range(len(game.scores)):
        for other in range(len(game.scores)):
            actions, at = check(own, other)
            of_actions, of_choices = judged_turn(referee, own, other)
            for m, mode in enumerate(game.modes):
                for total in range(1, game.missing(game.scores[own])):
                    if mode.name in game.reached():
                        assert of_actions[m, total] == pytest.approx(
                            actions(mode.name, total), abs=1e-9, nan_ok=True
                        )
            for b, outcome in enumerate(branching_outcomes(game)):
                for total in range(game.missing(game.scores[own])):
                    values = [at(choice.mode, total + choice.points) for choice in outcome.choices]
                    assert of_choices[b, total, : len(values)] == pytest.approx(values, abs=1e-9)
                    assert np.isnan(of_choices[b, total, len(values) :]).all()


def test_the_optimal_policy_and_the_best_response_have_no_regret():
    for game in (dl.pig(30), dl.double_trouble(20), dl.ten_thousand(8)):
        for opponent in (None, dl.hold_at(4)):
            referee = Referee(game, opponent)
            for own, other in ((0, 0), (3, 5), (game.target - 2, 1)):
                regrets = regrets_of(judged_turn(referee, own, other)[0])
                rolls = referee.best.policy.decisions(game, own, other).astype(int)
                met = np.take_along_axis(regrets, rolls[..., None], axis=-1)
                assert np.nanmax(met) == 0.0 < np.nanmax(regrets)
                assert (np.nanmin(regrets[:, 1:], axis=-1) == 0.0).all()


def test_modes_that_no_turn_enters_have_no_action_values():
    """What such a mode is worth is not known above the target; what is entered without points is known there alone."""
    coin = dl.Mode("coin", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "coin"))])
    first = dl.Mode("first", [dl.Outcome(1, dl.Choice(1, "coin"))], may_hold=False)
    rolls = [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(3, "never"))]
    game = dl.Game("three modes", 4, [first, coin, dl.Mode("never", rolls, may_hold=False)])
    found = dl.action_values(dl.solve(game), 1, 2)
    assert found[["never", "best, never"]].isna().all(axis=None)
    assert found["first"].notna().tolist() == [True, False, False]
    assert found[["coin", "best, coin"]].notna().all(axis=None)
    three = dl.action_values(dl.solve(game, players=3), 1, (2, 0))
    assert three[["never, seat 2", "best, never"]].isna().all(axis=None)
    assert three["first, seat 3"].notna().tolist() == [True, False, False]
