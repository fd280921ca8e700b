"""The points of one turn

What a turn of *hold at 20* scores, computed from the rules. The rest is a bust, with probability
0.62.

Six stems from 20 to 25 points, the first the longest, each shorter than the one before.
"""

import dicelab as dl

points = dl.turn_points(dl.pig(), dl.hold_at(20))
scored = points[points.index > 0].to_frame("probability")
ax = dl.plots.stems(scored, "points of a turn", "probability")
