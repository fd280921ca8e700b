"""The best simple rule

How often *hold at n* wins against the optimal player. The best n is 25.

Three curves by n, one above the other, each with peaks near 20, 25 and 33, the highest at 25.
"""

import dicelab as dl

ax = dl.plots.hold_at_n(dl.hold_at_n("pig", range(10, 41)))
