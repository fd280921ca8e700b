"""What dicelab computes for the page's tests in Node.js; ``python tests/page/golden.py`` writes it anew."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np

import dicelab as dl
from collection.page import PLAYED, game_data
from dicelab.games.catalogue import GAMES

FILE = Path(__file__).resolve().parents[2] / "page" / "tests" / "golden.json"
TARGETS = {"pig": 100, "two-dice-pig": 60, "double-trouble": 60}  # 40 for all others
RULES = {  # as they are typed, and what they mean
    "hold at 20": dl.hold_at(20),
    "21 + (j − i)/8, race from 71": dl.Rule(
        "keep pace", lambda i, j, k, n: ((i < 71) & (j < 71)) & (k >= 21 + (j - i) / 8)
    ),
    "Hold at 21 + round((their score - my score) / 8); race from n - 29": dl.end_race_or_keep_pace(),
    "end race or keep pace": dl.end_race_or_keep_pace(),
    "hold at max(15, min(30, 20 + (them-me) ÷ 5)) and race within 25": dl.Rule(
        "bolder behind",
        lambda i, j, k, n: (n - i > 25) & (n - j > 25) & (k >= (20 + (j - i) / 5).clip(15, 30)),
    ),
    "hold at 25 if j > i else 18 if j = i else 20": dl.Rule(
        "by sign", lambda i, j, k, n: k >= 25 * (j > i) + 18 * (j == i) + 20 * (j < i)
    ),
    "hold at -(-(2 + 3) * 4) + k/10 - ceil(0.5) + floor(1.7)": dl.Rule(
        "tenth", lambda i, j, k, n: k >= 20 + k / 10
    ),
    "roll to win": dl.hold_at(1000),
    "hold at 2": dl.hold_at(2),
    "hold at 9": dl.hold_at(9),
}
GRADED = {  # a game with its target, and rules
    ("pig", 100): list(RULES),
    ("two-dice-pig", 50): ["hold at 20", "roll to win"],
    ("double-trouble", 50): ["hold at 20", "roll to win"],
    ("ten-thousand", 30): ["hold at 9"],
    ("hog", 30): ["hold at 9"],
}


def random_dice(number, seed):
    """Random weights of up to 20 faces, and targets up to 200; every third die busts often or hardly ever."""
    random = np.random.default_rng(seed)
    for k in range(number):
        faces = random.integers(1, 21)
        weights = random.dirichlet(np.ones(faces) * random.choice([0.3, 1, 10]))
        weights[random.random(faces) < random.choice([0, 0.5])] = 0
        weights[-1] += 1e-3
        bust = random.choice([0.01, 0.95, 0.5]) if k % 3 == 0 else random.uniform(0.02, 0.7)
        die = np.append(bust, (1 - bust) * weights / weights.sum())
        yield die.tolist(), int(random.integers(1, 201 if k % 4 == 0 else 80))


def solve_die(die, target):
    """The solution for weights as the page reads them."""
    weights = [Fraction(weight) for weight in die]
    return dl.solve(dl.generalized_pig([weight / sum(weights) for weight in weights], target))


def edges(table):
    """The first row, the first column and the diagonal of a table of both scores, lists."""
    return [table[0].tolist(), table[:, 0].tolist(), table.diagonal().tolist()]


def golden():
    """Everything, as it is written."""
    games = []
    for slug in PLAYED:
        target = TARGETS.get(slug, 40)
        solution = dl.solve(GAMES[slug](target))
        holds = [
            edges(solution.policy.hold_thresholds(mode.name))
            if mode.may_hold and not mode.must_hold
            else None
            for mode in solution.game.modes
        ]
        games.append(
            {
                "game": game_data(slug) | {"target": target},
                "values": edges(solution.values),
                "holds": holds,
            }
        )
    dice = [
        {"die": die, "target": target, "values": edges(solve_die(die, target).values)}
        for die, target in random_dice(20, seed=1)
    ]
    grades = []
    for (slug, target), texts in GRADED.items():
        game = GAMES[slug](target)
        solution = dl.solve(game)
        for text in texts:
            rule = RULES[text]
            second = 1 - dl.evaluate(game, solution.policy, rule).first_wins
            first = dl.evaluate(game, rule, solution.policy).first_wins
            found = {"first": first, "second": second, "loss": dl.loss(solution, rule)}
            grades.append({"slug": slug, "target": target, "text": text} | found)
    return {"games": games, "dice": dice, "grades": grades}


if __name__ == "__main__":
    FILE.write_text(json.dumps(golden(), separators=(",", ":"), ensure_ascii=False) + "\n", "utf-8")
