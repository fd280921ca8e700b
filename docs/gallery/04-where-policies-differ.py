"""Where rules of thumb differ from the optimum

The opponent has 75 points. Colour marks where one of three policies decides differently from the other two.

A map by own score and turn total: below 25 points all roll; above are an orange edge and two green patches.
"""

import dicelab as dl

game = dl.pig()
policies = {
    "optimal": dl.solve(game).policy,
    "hold at 25": dl.hold_at(25),
    "end race": dl.end_race_or_keep_pace(),
}
masks = {name: policy.roll_mask(game=game) for name, policy in policies.items()}
ax = dl.plots.disagreement(masks, opponent=75)
