"""What the first move is worth

The first player's advantage in Pig, by target.

A curve on logarithmic axes that falls, rises a little from target 39 to 47, and falls again along a line.
"""

import dicelab as dl

ax = dl.plots.first_player(dl.first_player("pig", range(10, 301)))
