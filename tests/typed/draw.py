"""Figures, alone and on axes of one's own."""

import matplotlib

matplotlib.use("agg")

import matplotlib.pyplot as plt

import dicelab as dl

solution = dl.solve(dl.pig(20))
ax = dl.plots.hold_thresholds(solution.policy.hold_thresholds())
ax.set_title("Pig to 20")
figure, (left, right) = plt.subplots(1, 2)
dl.plots.hold_thresholds(solution, ax=left)
dl.plots.decisions(solution.policy.roll_mask(), 10, unit=solution.game.unit, ax=right)
figure.suptitle("Pig")
dl.plots.hold_at_n(dl.hold_at_n(dl.pig(20), range(5, 9), dl.hold_at(8)))
with dl.plots.style():
    dl.plots.first_player(dl.first_player(dl.pig, range(3, 9)), ax=None)
    dl.plots.first_player({"Pig": dl.first_player(dl.pig, range(3, 9))}, (0.3, -0.5))
dl.plots.surface(solution.values, label="win probability")
plt.close("all")
