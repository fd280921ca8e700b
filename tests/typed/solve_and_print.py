"""Solve a game, print its value, and ask the policy."""

import dicelab as dl

game = dl.pig(20)
solution = dl.solve(game)
value: float = solution.value
print(f"{value:.4f}, {solution.at(10, 12):.4f}, {100 * solution.value:.1f} %")
if solution.policy.rolls(10, 12, turn_total=8):
    print("roll", solution.policy.hold_threshold(10, 12) - 8)
for own in range(0, 20, 5):
    print(own, max(solution.at(own, opponent) for opponent in range(20)))
text: dl.Solution = dl.solve("pig 10", "turns")
print(text.value, solution.values.shape, solution.objective.upper())
