"""A strategy graded

What *hold at 20* gives away, and by which decisions.

On the left a map with dark patches where wins are given away; on the right where the rule rolls, and a line for best
play.
"""

import dicelab as dl
from dicelab_extras import grading

ax = grading.mistakes(grading.grade("pig", dl.hold_at(20)))
