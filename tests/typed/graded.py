"""A student's strategy, graded."""

import dicelab as dl
from dicelab_extras import grading


def strategy(own: int, opponent: int, turn_total: int) -> str:
    return "roll" if turn_total < 8 else "hold"


graded = grading.grade(dl.pig(20), strategy)
print(graded, graded.loss < 0.1, f"{graded.first_wins:.2%}", graded.name)
for row in graded.worst.to_dict("records"):
    print(row["own"], row["opponent"])
for line in graded.sentences():
    print(line.upper())
