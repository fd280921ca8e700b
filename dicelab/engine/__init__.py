"""One engine for races of turns: positions and where turns lead, the turn operator, a race with its values.

Read `positions`, then `turn`, then `race`; `equilibria` for three and more. `fast` has the plain race of two once more.
What policies achieve is still computed by :mod:`dicelab.evaluation`.
"""

__all__ = ["equilibria", "positions", "questions", "race", "turn"]
