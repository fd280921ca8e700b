"""A game of one's own, by its outcomes, and variants of those of the catalogue."""

from dataclasses import replace
from fractions import Fraction

import dicelab as dl

outcomes = [dl.Outcome(Fraction(1, 4), "bust")]
outcomes += [dl.Outcome("1/4", dl.Choice(points, "roll")) for points in (1, 2, 3)]
game = dl.Game("four sides", 12, dl.Mode("roll", outcomes))
print(dl.solve(game).value)
print(dl.solve(dl.generalized_pig(["1/6", 0, 0.5, "1/3"], 12)).value)
print(dl.solve(replace(game, target=15, finish="exact")).value)
opening = [
    dl.Register("not opened", after_hold="opened", least_hold=5),
    dl.Register("opened"),
]
solution = dl.solve(replace(dl.pig(15), registers=opening))
print(solution.at(dl.Score(6, "opened"), dl.Score(0, "not opened")))
print([mode.name for mode in game.modes], game.target + 1, game.finish)
