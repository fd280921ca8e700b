"""Every decision against one score

The opponent has 80 of 100 points. Find your own score below; the turn total goes up from there.

A triangle in gray, for roll, with one slanted white patch on the left, for hold.
"""

import dicelab as dl

policy = dl.solve(dl.pig()).policy
ax = dl.plots.decisions(policy.roll_mask(), opponent=80)
