"""The optimal policy of Pig

The lowest turn total at which to hold depends on both scores. At 0 against 0 it is 21 points. White
is 20, the best of a turn for points alone.

A map of colours by own and opponent's score. A gray region on the right and at the top means: roll
until you win.
"""

import dicelab as dl

ax = dl.plots.hold_thresholds(dl.solve(dl.pig()))
