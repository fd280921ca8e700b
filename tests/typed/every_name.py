"""Public names that the other programs do not use, as a reader's own typed program uses them."""

from fractions import Fraction

import numpy as np

import collection
import dicelab as dl
from dicelab_extras import grading, proofs

toss: dl.Mode = dl.Mode("toss", [dl.Outcome("1/2", "bust"), dl.Outcome(0.5, dl.Choice(1, "toss"))])
games: list[dl.Game] = [dl.two_dice_pig(), dl.double_trouble(), dl.ten_thousand(20), dl.farkle(20)]
solution: dl.Solution = dl.solve(dl.pig(20), "win")
value: float | Fraction = solution.value
values: np.ndarray = solution.values
lowest: np.ndarray = dl.hold_at(20).hold_thresholds(game=games[0])
low, high = proofs.bounds(solution)
match: dl.Match = dl.evaluate("pig 20", dl.hold_at(8), dl.scoring_turns(4))
chance: float = match.turns_sd + match.margin - dl.loss("pig 20", 8)
small: dl.Game = dl.pig(9)
together: dl.Policy = dl.solve(small, players=3).policy
many: dl.Estimate = dl.simulate(small, together, 7, dl.hold_at(20), games=10)
answer: dl.Solution = dl.best_response(small, dl.hold_at(4))
gain: float = answer.value - match.first_wins + answer.at(own=3, opponent=4) ** 2
shares = dl.best_response(small, together, dl.hold_at(4)).value
first: float = sum(shares) - shares[0]
within: dl.Solution = dl.solve(small, "deadline", turns=2)
last: dl.Policy = within.policy.when(turns_left=1)
least: int = within.policy.hold_threshold(0, 0, turns_left=2)
licks: dl.Solution = dl.solve(dl.pig(9, "equal turns"))
beats: bool = licks.policy.rolls(0, 12, 5, role=1) or licks.at(3, 4, role=1) > 0.5
graded: grading.Grade = grading.grade(small, dl.end_race_or_keep_pace(), dl.hold_at(4))
wins: float = graded.second_wins + graded.loss
chances = within.values
comparison = collection.compare("minimax-pig")
error: type[ArithmeticError] = dl.ConvergenceError
version: str = dl.__version__
