"""Positions of a race: all that matters at the start of a turn, and where a bust leads from it.

The player about to move needs a points and is in the register f; the opponent needs b and is in g. In "equal turns" it
also matters who moves first in the round: this player has the *role* o = 0, the other one o = 1. The role and both
registers are the *class* of a position, (o, f, g); in a class positions are a grid of needs.

A hold banks points, and so leads to a smaller sum a + b. A bust that neither costs nor scores points keeps both needs:
it leads from (o, f, g), with a and b, to (o', g, f'), with b and a, where f' is the register after a bust, and o' the
role of the other player. These busts make the classes a graph, the same at all needs, in which at most one edge leaves
each class. From each, its path comes to a *cycle*, or ends at a class where a bust costs or scores points. A solver
that goes up the sums needs simultaneous equations on the cycles alone: the cycles come first in the order of the work,
and then every class after the one to which its bust leads.

A cycle of an odd number of classes goes round twice before it comes back to the same player: in a game without
registers and roles, from (a, b) to (b, a), and on to (a, b). Penalties and resets lead back to larger sums, or at the
lowest score to the same one; what is done about these is the solver's concern (:mod:`dicelab.engine.race`)."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from .model import LAST_TURN, roles_of

__all__ = ["Classes", "classes_of"]


class Classes(NamedTuple):
    """Where turns lead from class to class, by role or by register, and the classes in the order of the work.

    With R registers the class (o, f, g) has the number (o·R + f)·R + g. The work is done in steps, and step s is on the
    classes ``order[steps[s]:steps[s + 1]]``: one cycle in the order of its busts, or any number of classes from which
    busts lead to earlier steps, or to other sums.
    """

    next_role: np.ndarray  # (roles,) of the player who moves next
    answered: np.ndarray  # (roles,) how many others have a last turn after a finish
    after_hold: np.ndarray  # (R,) register after a hold
    after_bust: np.ndarray  # (R,) register after a bust
    penalty: np.ndarray  # (R,) points that a bust costs; where it scores, negative
    least_hold: np.ndarray  # (R,) the fewest points that a hold may bank
    mode: np.ndarray  # (R,) in which turns begin
    order: np.ndarray  # (classes,) the numbers of the classes, step by step
    steps: np.ndarray  # (steps + 1,) where each step begins in `order`
    cyclic: np.ndarray  # (steps,) bool, whether a step is a cycle


@lru_cache(maxsize=256)
def classes_of(game, players=2):
    """The :class:`Classes` of a game of n players; a class has the number o·Rⁿ + f₀·Rⁿ⁻¹ + …, in order of play."""
    registers = [game.register(score) for score in game.scores[: len(game.registers) or 1]]
    index = {register.name: k for k, register in enumerate(registers)}
    size = len(registers)
    roles = roles_of(game, players)
    shape = roles, *(size,) * players
    after_bust = [index[register.after_bust] for register in registers]

    def onward(number):
        """The class after a bust, or None if that costs or scores points."""
        role, f, *others = map(int, np.unravel_index(number, shape))
        if registers[f].penalty:
            return None
        return int(np.ravel_multi_index(((role + 1) % roles, *others, after_bust[f]), shape))

    cycles, depth = [], {}  # depth: busts to the nearest cycle, or to an edge that changes the sum
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
