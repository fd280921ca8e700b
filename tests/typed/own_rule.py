"""A rule of one's own, as a function with types and without."""

from typing import Literal

import dicelab as dl


def cautious(own: int, opponent: int, turn_total: int) -> Literal["roll", "hold"]:
    """Hold early when ahead."""
    return "roll" if turn_total < (6 if own > opponent else 9) else "hold"


def should_roll(own: int, opponent: int, turn_total: int) -> bool:
    return turn_total < 8 and own + turn_total < 20


def bold(own: int, opponent: int, turn_total: int) -> str:
    return "roll" if should_roll(own, opponent, turn_total) else "hold"


game = dl.pig(20)
print(dl.evaluate(game, cautious, bold).first_wins)
print(dl.evaluate("pig 20", cautious, 8).first_wins)
reckless = dl.Rule("reckless", lambda own, opponent, turn_total: turn_total >= 15)  # holds
print(dl.evaluate(game, reckless, dl.hold_at(8)).wins)
