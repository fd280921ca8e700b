"""Results as tables."""

import json

import collection
import dicelab as dl

solution = dl.solve(dl.piglet(5))
frame = solution.to_frame()
rolls = frame[frame["action"] == "roll"]
print(len(rolls), frame["value"].max(), list(frame.columns))
print(dl.action_values(solution, 2, 3).to_string())
print(dl.turn_points(dl.pig(20), dl.hold_at(8)).idxmax())
match = dl.evaluate(dl.piglet(5), 1, 2)
print(match.turns_distribution().cumsum())
print(json.dumps([match.to_dict(), solution.to_dict()]), match == dl.evaluate("piglet 5", 1, 2))
print(collection.published("two-dice-pig", "table-1").head())
print(dl.sweep(lambda n: dl.evaluate("piglet 5", n, 2).first_wins, {"n": [1, 2, 3]}))
