"""Every simple rule against every other

How often *hold at n*, moving first, wins against *hold at m*.

A map of colours by n and m: orange on the left, where m is low, and purple at the bottom, where n
is low.
"""

import dicelab as dl

n = range(10, 36)
ax = dl.plots.hold_at_n(dl.hold_at_n("pig", n, against=n))
