"""Every public name, as a reader's own typed program uses it; mypy must be content."""

from fractions import Fraction

import numpy as np
import pandas as pd  # type: ignore[import-untyped]  # a user has pandas-stubs

import collection
import dicelab as dl
from dicelab_extras import grading, proofs

game: dl.Game = dl.pig(100)
own_rules: dl.Game = dl.Game(
    "a coin",
    10,
    dl.Mode("toss", [dl.Outcome("1/2", "bust"), dl.Outcome(Fraction(1, 2), dl.Choice(1, "toss"))]),
)
games: list[dl.Game] = [
    dl.piglet(),
    dl.two_dice_pig(),
    dl.double_trouble(),
    dl.ten_thousand(20),
    dl.farkle(20),
    dl.generalized_pig(["1/6", 0, 0.5, "1/3"], 20),
]
solution: dl.Solution = dl.solve(game, "win")
value: float | Fraction = solution.value
values: np.ndarray = solution.values
rolls: bool = solution.policy.rolls(0, 0, 20)
mask: np.ndarray = solution.policy.roll_mask()
lowest: np.ndarray = dl.hold_at(20).hold_thresholds(game=game)
rule: dl.Rule = dl.scoring_turns(4)
policies: list[dl.Policy] = [solution.policy, rule, dl.end_race_or_keep_pace()]
match: dl.Match = dl.evaluate(game, policies[0], policies[1])
chance: float = match.first_wins + match.turns_mean + match.turns_sd + match.margin
turns: pd.Series = match.turns_distribution()
estimate: dl.Estimate = dl.simulate(game, policies[0], policies[1], games=10)
se: float = estimate.first_wins_se
certificate: proofs.Certificate = proofs.certify(solution)
proven: bool = certificate.optimal
low, high = proofs.bounds(solution)
answer: dl.Solution = dl.best_response(game, dl.hold_at(25))
small: dl.Game = dl.pig(9)
three: dl.Solution = dl.solve(small, players=3)
together: dl.Policy = three.policy
table: dl.Match = dl.evaluate(small, together, rule, dl.hold_at(20))
chances: tuple[float, ...] = table.wins
many: dl.Estimate = dl.simulate(small, together, rule, dl.hold_at(20), games=10)
against_two: dl.Solution = dl.best_response(small, together, dl.hold_at(4))
within: dl.Solution = dl.solve(small, "deadline", turns=2)
last: dl.Policy = within.policy.when(turns_left=1)
least: int = within.policy.hold_threshold(0, 0, turns_left=2)
licks: dl.Solution = dl.solve(dl.pig(9, "equal turns"))
beats: bool = licks.policy.rolls(0, 12, 5, role=1) or licks.at(3, 4, role=1) > 0.5
above: int = licks.policy.hold_above(0, 8) + dl.hold_at(3).hold_above(0, 8, game=small)
lost: float = dl.loss(game, rule)
graded: grading.Grade = grading.grade(
    small, lambda own, opponent, turn_total: "roll" if turn_total < 5 else "hold"
)
worst: pd.DataFrame = grading.grade(small, rule, dl.hold_at(4)).worst
wins: float = graded.first_wins + graded.second_wins + graded.loss
frames: list[pd.DataFrame] = [
    dl.action_values(solution, 0, 0),
    dl.action_values(solution, 0, 0),
    dl.to_frame(solution),
    dl.to_frame(within),
    within.by_turns(),
    collection.published("two-dice-pig", "table-1"),
    collection.compare("minimax-pig"),
    dl.sweep(lambda n: n, {"n": [1, 2]}),
]
points: pd.Series = dl.turn_points(game, rule)
error: type[ArithmeticError] = dl.ConvergenceError
version: str = dl.__version__
