"""Roll or hold, in probabilities

At 30 points against 45. The lines cross where a hold becomes better than a roll.

Two rising lines by turn total, roll above hold on the left and below it on the right.
"""

import dicelab as dl

values = dl.action_values(dl.solve(dl.pig()), own=30, opponent=45)
ax = dl.plots.lines(values.loc[:40, ["hold", "roll"]], "turn total", "probability to win")
