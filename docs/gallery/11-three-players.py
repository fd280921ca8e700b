"""Three players

How often each seat wins if all three play optimally, by target.

Three curves by target, one for each seat, that draw near to a level line at one third.
"""

import dicelab as dl

ax = dl.plots.seat_shares(dl.solve(dl.pig(50), players=3).by_target())
