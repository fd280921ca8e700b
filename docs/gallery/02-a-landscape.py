"""The same as a landscape

Two-dice Pig. The cliff is where the optimal player stops holding, and rolls until the game is won.

A surface over both scores, low and nearly flat in the middle, with a steep cliff where the opponent
is near 100.
"""

import dicelab as dl

ax = dl.plots.surface(dl.solve(dl.two_dice_pig()))
