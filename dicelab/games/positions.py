"""Positions of a race: all that matters at the start of a turn, and where a bust leads from it.

The player about to move needs a points and is in the register f; the opponent needs b and is in g. In "equal turns" it
also matters who moves first in the round, who has the role 0, the next player the role 1. The role and both registers
are the *class* of a position; in a class positions are a grid of needs. A hold leads from class to class, and to a
smaller sum a + b. A bust that costs no points keeps both needs: it leads from (o, f, g), with a and b, to (o', g, f'),
with b and a, where f' is the register after a bust, and o' the role of the other player. So busts make the classes a
graph in which one edge leaves each, the same at all needs. Most of it is a forest that hangs on *cycles*. A cycle of
an odd number of classes goes round twice before it comes back to the same player: in a game without registers and
roles, from (a, b) to (b, a), and on to (a, b).
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .model import LAST_TURN, roles_of

__all__ = ["Classes", "classes_of"]


class Classes(NamedTuple):
    """The classes of positions of a game, (o·R + f)·R + g with R registers, in the order of the work."""

    next_role: np.ndarray  # (roles,) of the player who moves next
    answered: np.ndarray  # (roles,) how many others have a last turn after a finish
    after_hold: np.ndarray  # (R,)
    after_bust: np.ndarray  # (R,)
    penalty: np.ndarray  # (R,)
    least_hold: np.ndarray  # (R,)
    mode: np.ndarray  # (R,) in which turns begin
    order: (
        np.ndarray
    )  # (classes,) in steps: cycles, then those from which a bust leads to what is solved by then
    steps: np.ndarray  # (number of steps + 1,) those of step s: order[steps[s]:steps[s + 1]]; on a cycle as busts lead
    cyclic: np.ndarray  # (number of steps,) bool, whether a step is a cycle


@lru_cache(maxsize=256)
def classes_of(game, players=2):
    """The arrays of a game's classes of positions; of n players (o·Rⁿ + f₀·Rⁿ⁻¹ + …), in order of play."""
    registers = [game.register(score) for score in game.scores[: len(game.registers) or 1]]
    index = {register.name: k for k, register in enumerate(registers)}
    size = len(registers)
    roles = roles_of(game, players)
    shape = roles, *(size,) * players
    after_bust = [index[register.after_bust] for register in registers]

    def onward(number):
        """The class after a bust, or None if that costs points."""
        role, f, *others = map(int, np.unravel_index(number, shape))
        if registers[f].penalty:  # or scores
            return None
        return int(np.ravel_multi_index(((role + 1) % roles, *others, after_bust[f]), shape))

    cycles, depth = [], {}
    for number in range(roles * size**players):
        path = []
        while number is not None and number not in depth and number not in path:
            path.append(number)
            number = onward(number)
        if number in path:
            cycles.append(path[path.index(number) :])
            path = path[: path.index(number)]
            depth |= dict.fromkeys(cycles[-1], 0)
        for other in reversed(path):
            depth[other] = depth.get(onward(other), 0) + 1
    on_cycles = {number for cycle in cycles for number in cycle}
    levels = {}
    for number in sorted(depth.keys() - on_cycles):
        levels.setdefault(depth[number], []).append(number)
    steps = [(cycle, True) for cycle in cycles]
    steps += [(levels[level], False) for level in sorted(levels)]
    return Classes(
        next_role=np.arange(1, roles + 1) % roles,
        answered=np.arange(players)[::-1][:roles] * (game.finish in LAST_TURN),
        after_hold=np.array([index[register.after_hold] for register in registers]),
        after_bust=np.array(after_bust),
        penalty=np.array([register.penalty for register in registers]),
        least_hold=np.array([register.least_hold for register in registers]),
        mode=np.array([game.mode(register.mode) for register in registers]),
        order=np.array([number for step, _ in steps for number in step]),
        steps=np.cumsum([0, *(len(step) for step, _ in steps)]),
        cyclic=np.array([cyclic for _, cyclic in steps]),
    )
