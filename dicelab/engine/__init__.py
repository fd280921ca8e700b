"""One engine for races of turns: positions and where turns lead, the turn operator, a race with its values.

Read `positions`, then `turn`, then `race`. The solvers of :mod:`dicelab.solvers` still answer; this is to replace them.
"""

__all__ = ["positions", "questions", "race", "turn"]
