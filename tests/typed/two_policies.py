"""Evaluate and simulate two policies, and a tournament of several."""

import dicelab as dl

game = dl.pig(20)
match = dl.evaluate(game, dl.hold_at(8), dl.scoring_turns(4))
estimate = dl.simulate(game, dl.hold_at(8), dl.scoring_turns(4), games=100, seed=1)
print(match.first_wins - estimate.first_wins, 4 * estimate.first_wins_se, match.turns_mean)
policies: dict[str, dl.Policy] = {
    "hold at 8": dl.hold_at(8),
    "keep pace": dl.end_race_or_keep_pace(),
    "optimal": dl.solve(game).policy,
}
wins = {
    (one, other): dl.evaluate(game, policies[one], policies[other]).first_wins
    for one in policies
    for other in policies
}
best = max(wins, key=lambda pair: wins[pair])
print(best[0], sum(wins.values()) / len(wins), dl.loss(game, policies["hold at 8"]))
shares: tuple[float, ...] = dl.evaluate(dl.piglet(3), 1, 2, 3).wins
