"""Policies in the seats of a race: as tables that the engine follows, and what a policy remembers as a register."""

from dataclasses import replace

import numpy as np

from ..games.registers import PLAIN, Register
from .positions import LOW, NEED, Positions
from .race import Race

__all__ = ["remembering", "responding", "seated", "table_of"]


def remembering(game, memory):
    """The game whose registers also count turns that have scored, up to `memory` - 1: what a policy remembers."""
    if memory == 1:
        return game
    registers = [
        replace(
            register,
            name=f"{register.name} {k}",
            after_hold=f"{register.after_hold} {min(k + 1, memory - 1)}",
            after_bust=f"{register.after_bust} {k}",
        )
        for register in game.registers or (Register(PLAIN.name),)
        for k in range(memory)
    ]
    return replace(game, registers=registers)


def table_of(positions, game, policy):
    """The decisions of a policy for two at all positions of a game, or of what remembers in it.

    It is asked against the leader of the others; in a last turn by how far the best score is above the target.

    Returns
    -------
    rolls, picks : ndarray (rows, modes, totals) and (rows, branches, totals)
    row : ndarray
        By the place in ``positions.turns``.
    """
    size, memory = positions.scores, positions.registers // (len(game.registers) or 1)
    leads = (positions.lead + 1) * positions.last
    width = int((positions.turns[:, NEED] - positions.turns[:, LOW]).max()) + 1
    several = [len(o.choices) > 1 for mode in game.modes for o in mode.outcomes]
    shape = size, size // memory + leads
    rolls = np.zeros((*shape, len(game.modes), width), dtype=np.uint8)
    picks = np.zeros((*shape, max(1, sum(several)), width), dtype=np.uint8)
    for x in range(size):
        asked = game, game.scores[x // memory], x % memory
        answers = [policy.actions_at(*asked)]
        if leads:
            answers.append(policy.last_turn_at(*asked[:2], leads, asked[2]))
        parts = slice(size // memory), slice(size // memory, None)
        for part, (said, taken) in zip(parts, answers, strict=False):
            rolls[x, part, :, : said.shape[2]] = said[:, :, :width]
            if taken.shape[1]:  # behind what is known one chooses as before
                known = np.minimum(np.arange(width), taken.shape[2] - 1)
                picks[x, part] = taken[:, :, known]
    own, leader = positions.seen()
    leader = np.where(leader < size, leader // memory, leader - size + size // memory)
    rows = own * shape[1] + leader
    return rolls.reshape(-1, *rolls.shape[2:]), picks.reshape(-1, *picks.shape[2:]), rows


def seated(game, seats, match=False, objective="win", lead=0):
    """The race in which all seats are "best", a race whose policy is followed, or a policy for two."""
    memory = max(getattr(seat, "memory", 1) for seat in seats)
    positions = Positions(remembering(game, memory), len(seats), objective, len(seats), lead)
    sits = [
        seat
        if isinstance(seat, str | Race)
        else table_of(positions, game, seat.when(role=min(k, 1)) if positions.equal else seat)
        for k, seat in enumerate(seats)
    ]
    return Race(positions, sits, match)


def responding(game, *others, lead=0):
    """The race of the best response of the player who moves first."""
    return seated(game, ["best", *others], lead=lead)
