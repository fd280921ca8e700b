"""Given policies in the seats of a race: where their turns end, and what they remember as a register."""

from dataclasses import replace
from functools import partial

import numpy as np

from .._limits import check_memory
from .._recorded import CACHE, RecordedPolicy, decisions_change, record
from ..games.registers import PLAIN, Register
from ..policies import Policy, branching_outcomes
from ..solution import OptimalPolicy
from .positions import (
    ABOVE,
    BELOW,
    BEYOND,
    BUST,
    CLIMB,
    ENDS,
    LEVEL,
    LOW,
    NEED,
    ONWARD,
    PHASE,
    SLOPE,
    SMALLER,
    SPLIT,
    TABLE,
)

__all__ = ["answers", "followed", "hold_rows", "remembering", "together"]

BATCH = 2**24  # numbers in tables and their ends at a time


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


def followed(race, game, seats):
    """The ends of all turns of given policies, or of solved races, by phase, asked in `game`; other seats are "best".

    Returns
    -------
    first, rows, chances : ndarray
        As in :class:`dicelab.engine.turn.Given`.
    """
    *found, far = zip(*(ends_at(race, game, *seat) for seat in enumerate(seats)), strict=True)
    (places, rows), chances = (np.concatenate(part, axis=-1) for part in found)
    race.far = max(far)
    order = np.argsort(places, kind="stable")
    asked = 0 if all(isinstance(seat, str) for seat in seats) else len(race.positions.turns)
    first = np.append(0, np.bincount(places, minlength=asked).cumsum())
    return first, rows[order], chances[order]


def ends_at(race, game, phase, policy):
    """The ends of the turns of a phase: places and rows, (2, ends), chances, and that of the farthest lead."""
    positions = race.positions
    if isinstance(policy, str):
        return np.zeros((2, 0), int), np.zeros(0, race.values.dtype), 0.0
    if not isinstance(policy, Policy):
        return ends_of(race, game, phase, policy)
    alone = positions.players == 1 and isinstance(policy, OptimalPolicy)
    policy = policy if alone or policy.players > 2 else record(game, policy)
    if not isinstance(policy, RecordedPolicy) or race.exact:
        return ends_of(race, game, phase, policy)
    key = positions.key, game, policy, phase
    return CACHE.get(
        key,
        partial(ends_of, race, game, phase, policy),
        lambda made: made[0].nbytes + made[1].nbytes,
    )


def answers(positions, game, policy, asked):
    """The answers of a policy: where in `asked`, tables of decisions, the row of each of these, and how often."""
    memory, size = positions.registers // (len(game.registers) or 1), len(game.scores)
    if positions.players == 1:  # the others have no points
        alone = np.full((len(asked), policy.players - 1), game.index(game.after_reset) * memory)
        asked = np.hstack([asked, alone])
    own = asked[:, 0]
    others = np.where(asked < positions.scores, asked // memory, asked - positions.scores + size)
    leader, leads = others[:, 1:].max(axis=1, initial=0), (positions.lead + 1) * positions.last
    order, found, kept = np.argsort(own, kind="stable"), [], 0
    for at in np.split(order, np.flatnonzero(np.diff(own[order])) + 1):
        x = int(own[at[0]])
        state = game, game.scores[x // memory], min(x % memory, policy.memory - 1)
        if policy.players > 2 or (positions.players == 1 and isinstance(policy, OptimalPolicy)):
            found += bold_and_cautious(policy, len(branching_outcomes(game)), at, others[at])
        else:
            rolls, picks = policy.actions_at(*state)
            if leads:
                last = policy.last_turn_at(*state[:2], leads, state[2])
                rolls, picks = together((rolls, last[0]), False), together((picks, last[1]), True)
            new = decisions_change(rolls, picks)
            kept += new.sum() * (rolls[0].size + picks[0].size)
            check_memory(3 * kept, "following a policy at all scores", SMALLER)
            found += [(at, rolls[new], picks[new], new.cumsum()[leader[at]] - 1, np.ones(len(at)))]
    at, rolls, picks, index, often = zip(*found, strict=True)
    first = np.repeat(np.cumsum([0, *map(len, rolls)])[:-1], [*map(len, at)])
    tables = together(rolls, False), together(picks, True)
    return np.concatenate(at), *tables, np.concatenate(index) + first, np.concatenate(often)


def bold_and_cautious(policy, branches, at, places):
    """The cautious and the bold turns of an equilibrium's policy, as `answers` gives them."""
    shares = policy.bold_turns
    share = np.array([shares.get(tuple(place), 0) for place in places.tolist()])
    found = []
    for bold, often in ((False, 1 - share), (True, share)):
        here = often > 0
        if here.any():
            given = policy.when(bold=bold).decide_all(places[here], branches)
            found.append((at[here], *given, np.arange(here.sum()), often[here]))
    return found


def together(tables, stays, wide=0):
    """Tables below each other. Behind its last total one chooses as before, which `stays`, and holds who may."""
    wide, mode = max(wide, *(table.shape[2] for table in tables)), "edge" if stays else "constant"
    return np.concatenate(
        [
            np.pad(table.astype(np.uint8), ((0, 0), (0, 0), (0, wide - table.shape[2])), mode)
            for table in tables
        ]
    )


def ends_of(race, game, phase, policy):
    """See `ends_at`."""
    mine = np.flatnonzero(race.positions.turns[:, PHASE] == phase)
    if not isinstance(policy, Policy):  # a solved race, with a table for each position
        rolls, picks = policy.decisions(race.positions.turns[mine])
        at, index, often = range(len(mine)), np.arange(len(mine)), np.ones(len(mine))
    else:
        asked = race.positions.asked[mine]
        at, rolls, picks, index, often = answers(race.positions, game, policy, asked)
    places = mine[at]
    turns = race.positions.turns[places]
    turns[:, TABLE] = index
    wide = int((turns[:, NEED] - turns[:, LOW]).max()) + 1
    # A table is of one own score, which tells the mode in which turns begin and the fewest points of a hold.
    key = (index * (wide + 1) + turns[:, NEED] - turns[:, LOW]) * wide + turns[:, NEED]
    _, once, which = np.unique(key * 4 + turns[:, BEYOND], return_index=True, return_inverse=True)
    number, ends, chances, far = np.zeros(len(once), int), [], [], 0.0
    step = max(1, BATCH // (wide + 3))
    for start in range(0, len(once), step):
        found = race.ends_of(turns[once[start : start + step]], rolls, picks)
        found[:, 0] = 0  # busts
        onward = turns[once[start : start + step], BEYOND] == ONWARD
        far = max(far, float(found[onward][:, [ENDS, -1]].max(initial=0)))
        turn, end = np.nonzero(found[:, :-1])
        number[start : start + step] = np.bincount(turn, minlength=len(found))
        ends.append(end)
        chances.append(found[turn, end])
    first, times = number.cumsum() - number, number[which]
    turn = np.repeat(np.arange(len(turns)), times)
    at = np.arange(len(turn)) - np.repeat(times.cumsum() - times, times) + first[which][turn]
    end, chance = np.concatenate(ends)[at], np.concatenate(chances)[at]
    early = turns[turn, BUST + np.minimum(end, ENDS - 1)]
    holds = hold_rows(turns[turn], end - ENDS + turns[turn, LOW], race.positions.after)
    rows = np.where(end < ENDS, early, holds)
    return np.stack([places[turn], rows]), chance * race.numbers(often)[turn], far


def hold_rows(turns, r, after=()):
    """The rows of holds with r points missing, by (1) of :mod:`dicelab.engine.positions`, or by a table."""
    if len(after):
        return after[turns[:, BELOW] + np.maximum(r, 0)]
    below = turns[:, BELOW] + turns[:, SLOPE] * r
    above = turns[:, ABOVE] + turns[:, CLIMB] * (turns[:, SPLIT] - r)
    return np.select([r > turns[:, SPLIT], r == turns[:, SPLIT]], [below, turns[:, LEVEL]], above)
