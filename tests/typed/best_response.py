"""The best response to a player, and what it gains."""

import dicelab as dl

game = dl.pig(20)
opponent = dl.hold_at(8)
answer = dl.best_response(game, opponent)
gain: float = answer.value - dl.evaluate(game, dl.solve(game).policy, opponent).first_wins
print(f"{gain:.6f}", answer.policy.rolls(0, 0, 8), answer.at(own=3, opponent=4) ** 2)
shares = dl.best_response(dl.piglet(3), dl.hold_at(1), dl.hold_at(2)).value
print(sum(shares), shares[0])
