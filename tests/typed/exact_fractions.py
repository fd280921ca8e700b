"""Values as fractions, of two players and of more."""

from fractions import Fraction

import dicelab as dl
from dicelab_extras import proofs

solution = dl.solve(dl.piglet(4), exact=True)
value: Fraction = solution.value
print(value.numerator, value.denominator, 1 - solution.at(1, 2), float(value))
three = dl.solve(dl.piglet(2), players=3, exact=True)
first, second, third = three.value
print(first.numerator + second.denominator, third, sum(three.at(0, (1, 1))))
chances: tuple[float, ...] = dl.solve(dl.piglet(2), players=3).value
print(max(chances))


def solved(game: dl.Game, exact: bool, players: int) -> dl.Solution:
    return dl.solve(game, exact=exact, players=players)


print(solved(dl.piglet(2), True, 3).value[0])
certificate = proofs.certify(dl.solve(dl.piglet(4)))
proven: bool = certificate.optimal
