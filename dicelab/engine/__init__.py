"""One engine for races of turns: positions and where turns lead, the turn operator, a race with its values.

Read `positions`, then `turn`, then `race`; `equilibria` for three and more. `fast` has the plain race of two once more.
`seats` has where the turns of given policies end, `play` simulates, `questions` makes results.
"""

__all__ = ["equilibria", "fast", "play", "positions", "questions", "race", "seats", "turn"]
