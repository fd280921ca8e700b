"""One pair of scores in exact fractions

The values to the two players are where two convex curves cross, here if they need 20 and 24 points.

Two broken lines that fall, one more steeply than the other, and cross in a circle.
"""

import dicelab as dl
from collection import paper_plots, textbook

solution = dl.solve(dl.pig(40), exact=True)
f, g = textbook.curves(solution, 20, 24)
ax = paper_plots.pair_curves(f, g, textbook.by_intersection(f, g))
