"""The auditor: every kind of result of every kind of game agrees with it, and each kind of error is noticed.

A game that is worked out by hand checks the auditor itself; ``tests/conformance`` has random games beside the oracle.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from dicelab.evaluation.audit import AUDITORS
from dicelab.evaluation.audit_chain import Race
from dicelab.evaluation.audit_turns import expected_visits
from dicelab.policies import OneGamePolicy

BUSTS = [
    dl.Register(f"{n} busts", "0 busts", f"{(n + 1) % 3} busts", 2 * (n == 2)) for n in range(3)
]
OPENING = dl.Register("not opened", "opened", least_hold=4), dl.Register("opened")
LEAST = [dl.Register("few", "many", least_hold=2), dl.Register("many", "few", least_hold=5)]
GAMES = {
    "Pig": dl.pig(12),
    "exact": dl.pig(9, "exact"),
    "resets": dl.two_dice_pig(12),
    "resets, exact": dl.two_dice_pig(9, "exact"),
    "a forced mode": dl.double_trouble(12),
    "dice set aside": dl.ten_thousand(10),
    "many dice": dl.farkle(10),
    "a choice before the roll": dl.hog(8, most_dice=4),
    "rolls of no points": dl.toss_up(6, dice=5),
    "points beyond the target": dl.big_pig(12),
    "all but one roll in a million busts": dl.generalized_pig(["0.999999", "0.000001"], 4),
}
WITH_REGISTERS = {
    "opening": replace(dl.pig(12), registers=OPENING),
    "busts": replace(dl.pig(8), registers=BUSTS, lowest=-3),
    "least holds": replace(dl.double_trouble(10), registers=LEAST),
    "resets and penalties": replace(dl.two_dice_pig(8), registers=BUSTS[1:] + BUSTS[:1], lowest=-4),
    "opening, dice set aside": replace(dl.ten_thousand(10), registers=OPENING),
}
every_game = pytest.mark.parametrize(
    "game", (GAMES | WITH_REGISTERS).values(), ids=(GAMES | WITH_REGISTERS)
)
plain_game = pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
LAST_TURNS = [dl.pig(8, "equal turns"), dl.pig(8, "last licks"), dl.double_trouble(8, "last licks")]
LAST_TURNS += [
    replace(dl.generalized_pig(["3/4", "1/8", "1/8"], 4), finish="last licks")
]  # a draw would tempt
RULE, OTHER = dl.hold_at(3), dl.hold_at(5)


def assert_sound(result):
    found = dl.audit(result)
    assert found.sound, found.checks.to_string()
    assert len(found.checks) >= 2 and found.checks["difference"].notna().all()
    return found


def differing(result):
    """The checks that do not agree, a list of the first words of each."""
    found = dl.audit(result)
    wrong = found.checks[found.checks["verdict"] == "differs"]
    assert found.sound == (not len(wrong)) and (not found.sound) == ("differ" in repr(found))
    return [what.split(" (")[0] for what in wrong["what"]]


# All is well


@every_game
@pytest.mark.parametrize("objective", ["win", "turns", "deadline"])
def test_solutions(game, objective):
    assert_sound(dl.solve(game, objective, **({"turns": 3} if objective == "deadline" else {})))


@pytest.mark.parametrize("objective", ["margin", "score"])
@pytest.mark.parametrize("game", WITH_REGISTERS.values(), ids=WITH_REGISTERS)
def test_solutions_for_points_with_registers(game, objective):
    assert_sound(dl.solve(game, objective))


@pytest.mark.parametrize("objective", ["win", "margin", "turns", "deadline"])
@pytest.mark.parametrize("name", ["opening", "least holds"])
def test_registers_with_a_target_that_must_be_hit(name, objective):
    game = replace(WITH_REGISTERS[name], finish="exact")
    assert_sound(dl.solve(game, objective, **({"turns": 3} if objective == "deadline" else {})))


@pytest.mark.parametrize("game", [WITH_REGISTERS["opening"], WITH_REGISTERS["least holds"]])
def test_a_margin_with_points_that_a_least_hold_adds(game):
    """A turn that must bank more than what is missing counts these points, too."""
    assert_sound(dl.solve(game, "margin", overshoot=True))


@plain_game
def test_solutions_for_points(game):
    assert_sound(dl.solve(game, "margin"))
    assert_sound(dl.solve(game, "margin", overshoot=True))
    # Whose turns are too long for float64.
    if game.modes[0].chance("bust") < 0.999 and game.name != "Toss Up":
        assert_sound(dl.solve(game, "score"))


@pytest.mark.parametrize("objective", ["win", "margin", "turns", "score"])
@pytest.mark.parametrize(
    "game", [dl.pig(6), dl.two_dice_pig(5), dl.double_trouble(6)], ids=lambda game: game.name
)
def test_solutions_in_fractions(game, objective):
    assert_sound(dl.solve(game, objective, exact=True))


def test_solutions_in_fractions_of_other_kinds():
    assert_sound(dl.solve(dl.piglet(5), players=3, exact=True))
    assert_sound(dl.solve(dl.piglet(4, "last licks"), exact=True))
    assert_sound(dl.solve(dl.pig(6), "deadline", turns=3, exact=True))
    assert_sound(dl.solve(replace(dl.piglet(3), registers=OPENING[1:]), exact=True))


@pytest.mark.parametrize("game", LAST_TURNS, ids=lambda game: f"{game.name}, {game.finish}")
def test_last_turns(game):
    assert_sound(dl.solve(game))


@pytest.mark.parametrize(
    "registers", [(), [*LEAST[:1], dl.Register("many")]], ids=["", "registers"]
)
@pytest.mark.parametrize("finish", ["equal turns", "last licks"])
def test_what_policies_achieve_with_last_turns(finish, registers):
    game = replace(dl.piglet(4, finish), registers=registers)
    assert_sound(dl.solve(game))
    pairs = [(RULE, OTHER), (OTHER, dl.scoring_turns(3)), (dl.solve(game).policy, RULE)]
    for first, second in pairs:
        match = assert_sound(dl.evaluate(game, first, second))
        assert "margin" not in set(match.checks["what"])
    assert_sound(dl.best_response(game, RULE))


@every_game
def test_what_policies_achieve(game):
    for first, second in [
        (RULE, OTHER),
        (OTHER, dl.scoring_turns(3)),
        (dl.solve(game).policy, RULE),
    ]:
        assert_sound(dl.evaluate(game, first, second))
    assert_sound(dl.best_response(game, RULE))
    if game.modes[0].chance("bust") < 0.999:  # otherwise a grade is refused, as play lasts too long
        assert_sound(dl.grade(game, OTHER))
        assert_sound(dl.grade(game, dl.scoring_turns(2), opponent=RULE))


@pytest.mark.parametrize("target", [2, 5])
def test_busts_that_cost_everything(target):
    test_what_policies_achieve(replace(dl.pig(target), registers=dl.Register("r", penalty=target)))


def test_simulations():
    for game in (dl.pig(12), dl.two_dice_pig(12), WITH_REGISTERS["busts"]):
        found = assert_sound(dl.simulate(game, RULE, dl.scoring_turns(3), games=20_000))
        assert found.unit == "standard errors" and "standard errors>" in repr(found)
    assert_sound(dl.simulate(dl.pig(8), RULE, OTHER, RULE, games=20_000))
    # The first player wins at once.
    assert_sound(dl.simulate(dl.generalized_pig([0, 1], 3), RULE, RULE, games=100))


@pytest.mark.parametrize(
    "game", [dl.pig(8), dl.pig(5, "exact"), dl.two_dice_pig(7), dl.double_trouble(6)]
)
def test_more_players(game):
    solution = dl.solve(game, players=3)
    assert_sound(solution)
    assert_sound(dl.best_response(game, RULE, solution.policy))
    assert_sound(dl.evaluate(game, RULE, dl.scoring_turns(2), OTHER))
    assert_sound(dl.evaluate(game, solution.policy, RULE, dl.solve(game).policy))


@pytest.mark.parametrize("finish", ["equal turns", "last licks"])
def test_last_turns_of_three(finish):
    """A last turn is a turn of its own: after it the others have theirs, and equal scores may share the win."""
    game = replace(dl.piglet(3, finish), registers=[dl.Register("r", penalty=-1)])
    solution = dl.solve(game, players=3)
    assert "gain by another decision in a last turn" in " ".join(
        assert_sound(solution).checks["what"]
    )
    assert_sound(dl.best_response(game, RULE, dl.hold_at(1)))
    assert_sound(dl.evaluate(game, dl.hold_at(2), dl.scoring_turns(2), solution.policy))
    assert_sound(dl.simulate(game, dl.hold_at(2), dl.solve(game).policy, OTHER, games=2000))
    at = (0,) * (finish == "equal turns") + (1, 0, 2)
    values = moved(solution.values, at, [1e-9, -1e-9, 0.0])
    assert differing(replace(solution, values=values)) == ["chances by seat"]

    def timid(positions, rolls, choices, **role):
        """Hold at once to beat one score."""
        solution.policy.decide(positions, rolls, choices, **role)
        rolls[positions.max(axis=1) == len(game.scores) + 1, :, 1:] = False

    wrong = replace(solution, policy=replace(solution.policy, decide=timid))
    assert "gain by another decision in a last turn" in differing(wrong)


def test_a_mixed_equilibrium():
    solution = dl.solve(dl.generalized_pig(["7/13", "6/13"], 8), players=3)
    assert 0 < solution.policy.bold_share(0, (0, 0)) < 1
    assert_sound(solution)
    shares = {scores: share / 2 for scores, share in solution.policy.bold_shares.items()}
    wrong = replace(solution, policy=replace(solution.policy, bold_shares=shares))
    assert {"chances by seat", "gain by another decision"} <= set(differing(wrong))

    def decide(positions, rolls, choices, bold):
        solution.policy.decide(positions, rolls, choices, bold)
        rolls[bold, :, 1:] = False  # a bold turn holds at once

    seldom = replace(solution.policy, decide=decide, bold_shares={(0, 1, 2): 1e-14})
    pure = replace(solution.policy, bold_shares={})
    race = Race(solution.game, [seldom] * 3)
    values = race.chances[0]
    at = int(np.ravel_multi_index((0, 1, 2), race.shape))
    cautious = Race(solution.game, [pure] * 3)
    gains = [each.deviations(each.movers[0], values)[0][at] for each in (cautious, race)]
    assert gains[0] < 1e-12 < 1e-4 < gains[1]


def test_the_repr_says_what_one_wants_to_know():
    found = dl.audit(dl.solve(dl.pig(12)))
    assert repr(found).startswith('<Audit of Pig to 12, "win": 5 checks, all agree within ')
    assert "5 checks" in repr(found) and "agrees" in found._repr_html_()
    assert list(found.checks) == ["what", "claimed", "found", "difference", "allowed", "verdict"]


# Each error is noticed


def moved(array, place, by):
    """An array with one number changed."""
    changed = array.copy()
    changed[place] += by
    return changed


@dataclass(frozen=True, eq=False)
class Flipped(OneGamePolicy):
    """A policy with one decision turned around."""

    policy: OneGamePolicy
    game: dl.Game
    where: tuple  # own, opponent, mode, total

    def actions_at(self, game, own, memory=0):
        rolls, choices = self.policy.actions_at(game, own, memory)
        if own == self.where[0]:
            rolls[self.where[1:]] ^= True
        return rolls, choices


def regret(solution, own, opponent, total):
    """What the other decision at a state would lose."""
    row = dl.action_values(solution, own, opponent).loc[total]
    return abs(row["hold"] - row["roll"])


def test_a_value_that_is_off_by_a_billionth():
    for place in [(0, 0), (3, 11), (11, 2)]:
        solution = dl.solve(dl.pig(12))
        assert differing(solution) == []
        changed = replace(solution, values=moved(solution.values, place, 1e-9))
        assert differing(changed) == ["value attained by the policy"]
    for objective, more in (
        ("margin", {}),
        ("turns", {}),
        ("score", {}),
        ("deadline", {"turns": 3}),
    ):
        solution = dl.solve(dl.pig(12), objective, **more)
        place = (
            (-1, 0) if objective == "deadline" else (0, 0) if solution.values.ndim == 2 else (0,)
        )
        assert len(differing(replace(solution, values=moved(solution.values, place, 1e-8)))) == 1
    response = dl.best_response(dl.pig(12), RULE)
    changed = replace(response, values=moved(response.values, (0, 0), 0.1 - response.value))
    assert differing(changed) == [
        "value attained by the policy",
        "mean of both seats, of which the maximin is 1/2",
        "what the opponent wins against itself",
    ]


def test_a_fraction_that_is_wrong():
    solution = dl.solve(dl.pig(6), exact=True)
    values = moved(solution.values, (0, 0), Fraction(1, 10**9))
    assert differing(replace(solution, values=values)) == ["value attained by the policy"]


def test_a_decision_that_loses():
    """Also one that is never met, since its turn total cannot be reached by good decisions."""
    solution = dl.solve(dl.pig(20))
    for state in [(0, 0, 2), (10, 5, 9), (3, 17, 16)]:
        assert regret(solution, *state) > 1e-10
        own, opponent, total = state
        policy = Flipped(solution.policy, solution.game, (own, opponent, 0, total))
        assert "gain by another decision" in differing(replace(solution, policy=policy))
    best = dl.best_response(dl.pig(12), RULE)
    policy = Flipped(best.policy, best.game, (0, 0, 0, 4))
    assert "gain by another decision" in differing(replace(best, policy=policy))


def test_a_value_that_its_own_policy_attains_although_another_is_better():
    """Hold at 20 against itself, as if it were the solution: the policy is worth its value, but not the best."""
    game, rule = dl.pig(30), dl.hold_at(20)
    race = Race(game, [rule, rule])
    values = race.chances[0, : race.size].reshape(30, 30)
    claimed = replace(dl.solve(game), values=values, policy=rule)
    assert differing(claimed) == ["gain by another decision"]


def test_a_player_who_would_rather_play_for_ever():
    """Both players may wait; a player who is behind does, as endless play is a draw."""
    sure = dl.Outcome(1, [dl.Choice(0, "risk"), dl.Choice(0, "wait")])
    risk = dl.Mode("risk", [dl.Outcome("1/4", dl.Choice(2, "risk")), dl.Outcome("3/4", "bust")])
    wait = dl.Mode("wait", dl.Outcome(1, "bust"), may_hold=False)
    game = dl.Game("waits", 2, [dl.Mode("ask", sure, may_hold=False), risk, wait])
    solution = dl.solve(game)
    assert_sound(solution)
    assert solution.value > 0.5
    response = dl.best_response(game, solution.policy)
    assert_sound(response)

    @dataclass(frozen=True, eq=False)
    class Waits(OneGamePolicy):
        game: dl.Game

        def actions_at(self, game, own, memory=0):
            rolls, choices = solution.policy.actions_at(game, own, memory)
            return rolls, np.ones_like(choices)

    waits = Waits(game)
    claimed = replace(solution, values=np.full((2, 2), 0.5), policy=waits)
    assert "gain by another decision" in differing(claimed)


def test_a_best_response_that_should_wait():
    """A player at 0 against 1 who steps to 1 loses, and who waits once only gains nothing; waiting for ever is a draw.

    The opponent waits at 0 against 1, and at 1 against 0; elsewhere both step.
    """
    ask = dl.Mode(
        "ask", dl.Outcome(1, [dl.Choice(0, "step"), dl.Choice(0, "wait")]), may_hold=False
    )
    step = dl.Mode("step", dl.Outcome(1, dl.Choice(1, "stop")), may_hold=False)
    wait = dl.Mode("wait", dl.Outcome(1, "bust"), may_hold=False)
    game = dl.Game("steps", 2, [ask, step, wait, dl.Mode("stop", ())])

    @dataclass(frozen=True, eq=False)
    class Waits(OneGamePolicy):
        game: dl.Game
        where: tuple

        def actions_at(self, game, own, memory=0):
            rolls, choices = dl.hold_at(1).actions_at(game, own)
            choices[[(own, opponent) in self.where for opponent in game.scores]] = 1
            return rolls, choices

    opponent = Waits(game, ((0, 1), (1, 0)))
    values = np.array([[1.0, 0.0], [1.0, 1.0]])
    claimed = replace(
        dl.solve(dl.piglet(2)), game=game, values=values, policy=Waits(game, ()), against=opponent
    )
    assert differing(claimed) == ["positions with a gain by playing for ever"]
    values = np.array([[1.0, 0.5], [1.0, 1.0]])
    right = replace(claimed, values=values, policy=Waits(game, ((0, 1),)))
    assert dl.audit(right).checks["verdict"].iloc[2] == "agrees"


def test_numbers_of_a_match():
    match = dl.evaluate(dl.pig(12), RULE, OTHER)
    assert differing(replace(match, wins=(match.wins[0] + 1e-9, match.wins[1]))) == ["first_wins"]
    for name in ("turns_mean", "turns_sd", "margin"):
        wrong = dl.evaluate(dl.pig(12), RULE, OTHER)
        vars(wrong)[name] = getattr(match, name) + 1e-8
        assert differing(wrong) == [name]
    assert differing(replace(match, policies=(OTHER, OTHER))) == [
        "first_wins"
    ]  # the others are computed when asked for
    match = dl.evaluate(dl.pig(8), RULE, OTHER, RULE)
    wins = (match.wins[0] + 1e-9, *match.wins[1:])
    assert differing(replace(match, wins=wins)) == [
        "all chances together",
        "wins of hold at 3, seat 1",
    ]
    vars(match)["turns_mean"] = match.turns_mean + 1e-8
    assert differing(match) == ["turns_mean"]


def test_endless_play_is_no_finite_number_of_turns():
    game = dl.pig(3, "exact")  # with one point missing, nobody can ever roll it
    match = dl.evaluate(game, dl.hold_at(2), dl.hold_at(2))
    assert match.turns_mean == np.inf and np.isnan(match.turns_sd)
    assert_sound(match)
    vars(match)["turns_mean"] = 12.0
    assert differing(match) == ["turns_mean"]


def test_a_wrong_grade():
    grade = dl.grade(dl.pig(12), RULE)
    assert "loss" in differing(replace(grade, best_first=grade.best_first + 1e-8))
    assert {"second_wins", "loss"} <= set(
        differing(replace(grade, second_wins=grade.second_wins - 1e-8))
    )
    cheaper = grade.decisions.assign(**{"given away": grade.decisions["given away"] * 0.999})
    assert differing(replace(grade, decisions=cheaper)) == [
        "given away by decisions, by pairs of scores"
    ]
    swapped = grade.decisions.assign(own=grade.decisions["own"].to_numpy()[::-1])
    assert differing(replace(grade, decisions=swapped)) == [
        "given away by decisions, by pairs of scores"
    ]
    matches = grade.matches.assign(second=grade.matches["second"] + [0.0, 0.0, 0.0, 1e-9])
    assert differing(replace(grade, matches=matches)) == [
        "match against itself, moving first and second"
    ]
    costs = moved(grade.turn_costs, (0, 0), 1e-6)
    assert differing(replace(grade, turn_costs=costs)) == ["turn_costs times turns_met"]
    met = moved(grade.turns_met, (3, 3), 1e-7)
    assert "turns_met" in differing(replace(grade, turns_met=met))
    assert "endless" in differing(replace(grade, endless=0.01))
    assert "gain by another decision" in differing(replace(grade, best=RULE))


def test_a_wrong_simulation():
    estimate = dl.simulate(dl.pig(12), RULE, OTHER, games=10_000)
    off = 6 * estimate.first_wins_se
    assert differing(replace(estimate, wins=(estimate.wins[0] + off, estimate.wins[1]))) == [
        "wins of hold at 3, seat 1"
    ]
    late = replace(estimate, turns_mean=estimate.turns_mean + 6 * estimate.turns_mean_se)
    assert differing(late) == ["turns_mean"]
    wide = replace(estimate, turns_sd=estimate.turns_sd + 6 * estimate.turns_sd_se)
    assert differing(wide) == ["turns_sd"]
    estimate = dl.simulate(dl.pig(8), RULE, OTHER, RULE, games=10_000)
    assert differing(replace(estimate, wins=estimate.wins[1:] + estimate.wins[:1])) != []


def test_wrong_values_by_seat():
    solution = dl.solve(dl.pig(6), players=3)
    values = moved(solution.values, (0, 0, 0, 1), 1e-9)
    assert differing(replace(solution, values=values)) == [
        "all chances together",
        "chances by seat",
    ]
    shared = moved(values, (0, 0, 0, 0), -1e-9)
    assert differing(replace(solution, values=shared)) == ["chances by seat"]
    rule = replace(solution, policy=RULE)
    assert {"chances by seat", "gain by another decision"} <= set(differing(rule))


@pytest.mark.parametrize("game", LAST_TURNS, ids=lambda game: f"{game.name}, {game.finish}")
def test_wrong_values_and_decisions_of_last_turns(game):
    solution = dl.solve(game)
    for role in ((0,), (1,)) if game.finish == "equal turns" else ((),):
        values = moved(solution.values, (*role, 2, 3), 1e-9)
        assert differing(replace(solution, values=values)) == ["value attained by the policy"]

    def timid(pairs, rolls, choices, **role):
        """Hold at once to beat one score."""
        solution.policy.decide(pairs, rolls, choices, **role)
        beaten = np.flatnonzero(pairs[:, 1] == len(game.scores) + 1)
        for mode in np.flatnonzero([mode.may_hold for mode in game.modes]):
            rolls[beaten, mode, 1:] = False

    wrong = differing(replace(solution, policy=replace(solution.policy, decide=timid)))
    assert "gain by another decision in a last turn" in wrong


# What it takes


@pytest.mark.parametrize(
    "thing", [dl.pig(), RULE, 0.5, None, [dl.pig()], dl.Audit(of="x", checks=pd.DataFrame())]
)
def test_anything_else_is_refused(thing):
    for kind in (TypeError, ValueError):
        with pytest.raises(
            kind,
            match=r"result: .* is not allowed; give one of Solution, .* or Estimate",
        ):
            dl.audit(thing)
    assert len(AUDITORS) == 4


def test_too_large_an_audit_is_refused(monkeypatch):
    match = dl.evaluate(dl.pig(12), RULE, OTHER)
    monkeypatch.setattr("dicelab._limits.available", lambda: 10**6)
    with pytest.raises(MemoryError, match="an audit of Pig to 12 needs about"):
        dl.audit(match)


# The auditor itself


def test_a_game_by_hand():
    """A coin to 2, whose bust costs everything."""
    game = replace(
        dl.generalized_pig(["1/2", "1/2"], 2), registers=(dl.Register("r", penalty=1),), lowest=0
    )
    race = Race(game, [dl.hold_at(1), dl.hold_at(1)])
    assert race.chances[0, race.start] == pytest.approx(14 / 25, abs=1e-15)
    assert race.turns[race.start] == pytest.approx(6.8, abs=1e-14)
    assert_sound(dl.solve(game))
    match = dl.evaluate(dl.piglet(2), RULE, RULE)  # of another game, to be filled in
    policies = dl.hold_at(1), dl.hold_at(1)
    right = replace(match, game=game, policies=policies, wins=(14 / 25, 11 / 25))
    vars(right).update(turns_mean=6.8, turns_sd=race.deviation(), margin=race.margins()[race.start])
    assert_sound(right)
    assert differing(replace(right, wins=(1 / 3, 2 / 3)))[0] == "first_wins"
    best = dl.solve(game).policy  # against hold at 1: it rolls once more
    against = Race(game, [best, dl.hold_at(1)]).chances[0]
    assert against[race.start] == pytest.approx(22 / 31, abs=1e-15)
    response = replace(
        dl.solve(game), against=dl.hold_at(1), values=against[: race.size].reshape(2, 2)
    )
    assert_sound(response)
    assert (
        differing(replace(response, values=np.full((2, 2), 0.55)))[0]
        == "value attained by the policy"
    )


def test_visits_lose_no_digits():
    """Two states that lead to each other all but once in 10^14 times."""
    leave = np.array([[1e-14, 2e-14]])
    visits = expected_visits(np.array([[[0.0, 1.0], [1.0, 0.0]]]), leave)[0]
    p, q = (Fraction(1, 10**14), Fraction(2, 10**14))
    assert visits[0, 0] == pytest.approx(float(1 / (p + q)), rel=1e-12)
    assert visits @ leave[0] == pytest.approx(np.ones(2), abs=1e-12)
