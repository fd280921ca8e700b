"""Races that are really played, one roll after another, from row to row of the positions.

**Dice.** A random word of 64 bits is a number u in [0, 1), and the outcome is the first whose cumulative probability is
above u. The first 8 bits tell where to begin to look, which is nearly always the outcome itself.

**Turns.** All places in the order whose player decides alike share a row of the tables of decisions. In the equilibria
of more than two players a turn may be mixed: then a random number chooses between two rows as the turn begins.
"""

from typing import NamedTuple

import numpy as np

from .._compile import inlined, whole
from . import turn as compiled
from .positions import BEYOND, BUST, ENDS, EXACTLY, LEAST, LOW, MODE, NEED, PHASE
from .seats import answers, together
from .turn import BRANCH, FIRST, MAY_HOLD, STOPS, hold_row

__all__ = ["LONGEST", "Script", "draw", "play", "script_of"]

LONGEST = 1_000_000  # turns of a game
GUIDE = 256  # parts of [0, 1) for each of which it is known where to begin to look


class Script(NamedTuple):
    """What a race is played by: rules, dice, positions, and decisions."""

    rules: compiled.Rules
    below: np.ndarray  # cumulative probabilities: of a mode's outcomes, a reset, a loss, and a bust
    guide: np.ndarray  # (M, 256) by the part of [0, 1), the first of these that is above some of it
    turns: np.ndarray  # (n, 17)
    where: np.ndarray  # by row, a place in `turns`; -1 for terminals, and where no end is in reach
    terminals: int
    start: int
    players: int
    tables: np.ndarray  # (n, 2) by place, rows of the tables below
    share: np.ndarray  # (n,) how often the second of them is followed
    rolls: np.ndarray  # (rows, M, totals)
    picks: np.ndarray  # (rows, branches, totals)
    beyond: np.ndarray  # (branches,) the choices where one must roll on at the target
    after: np.ndarray  # see `dicelab.engine.turn.Given`


def script_of(race):
    """The script of a race whose seats are all taken by policies."""
    positions, turns = race.positions, race.positions.turns
    tables, share = np.zeros((len(turns), 2), dtype=np.int64), np.zeros(len(turns))
    found, used, wide = [], 0, int((turns[:, NEED] - turns[:, LOW]).max()) + 1
    for phase, policy in enumerate(race.seats):
        mine = np.flatnonzero(turns[:, PHASE] == phase)
        at, *given, index, often = answers(positions, race.game, policy, positions.asked[mine])
        places, rows = mine[at], used + index
        tables[places[::-1], 0] = rows[::-1]  # of two rows the first, which is written last
        tables[places, 1], share[places] = rows, often
        found.append(given)
        used += len(given[0])
    rolls, picks = zip(*found, strict=True)
    rolls, picks = together(rolls, False, wide), together(picks, True, wide)
    work, _ = race._rooms(1, turns[:1])  # where choices at the target are left behind
    race.ends_of(turns[:1], rolls, picks, work)
    return Script(
        race.rules,
        *dice_of(race.rules),
        turns,
        np.where(race.ending, positions.where, -1),
        *(positions.terminals, positions.start, positions.players),
        *(tables, share, rolls, picks, work.picks[:, -1].copy(), positions.after),
    )


def dice_of(rules):
    """The cumulative probabilities of all modes, and where to begin to look; see :class:`Script`."""
    below, guide, used = [], [], 0
    for m, early in enumerate(rules.early):
        first, last = rules.modes[m : m + 2, FIRST]
        below.append(np.cumsum([*rules.chance[first:last], *early[1:], 1]))
        guide.append(used + np.searchsorted(below[m], np.arange(GUIDE) / GUIDE, "right"))
        used += len(below[m])
    return np.concatenate(below), np.array(guide)


@inlined
def draw(a, b, c, d):
    """A random word, and the next state, of NumPy's SFC64: to call that takes longer."""
    word = a + b + d
    turned = c << np.uint64(24) | c >> np.uint64(40)
    return word, b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), turned + word, d + np.uint64(1)


@whole
def play(script, random, winners, lasted):
    """Play as many games as `lasted` is long.

    Parameters
    ----------
    script : Script
    random : ndarray of uint64 (4,)
        The state of the random stream.
    winners : ndarray of int (2^players,)
        How many games were shared by whom, a bit for each seat; increased. One without an end is shared by all.
    lasted : ndarray of int
        The turns of each game; 0 for one that cannot end, or did not within `LONGEST` turns.
    """
    rules, players, everybody = script.rules, script.players, len(winners) - 1
    a, b, c, d = random
    for game in range(len(lasted)):
        row, played = script.start, 0
        while script.where[row] >= 0 and played < LONGEST:
            place, end = script.where[row], -1
            turn = script.turns[place]
            word, a, b, c, d = draw(a, b, c, d)
            second = (word >> np.uint64(11)) * 2.0**-53 < script.share[place]
            table, mode, total = script.tables[place, 1 if second else 0], turn[MODE], 0
            while end < 0:
                word, a, b, c, d = draw(a, b, c, d)
                face = script.guide[mode, word >> np.uint64(56)]
                u = (word >> np.uint64(11)) * 2.0**-53
                while u >= script.below[face]:
                    face += 1
                o, last, end = face - ENDS * mode, rules.modes[mode + 1, FIRST], turn[BUST]
                if o >= last and o < last + ENDS - 1:
                    end = turn[BUST + 1 + o - last]
                elif o < last:
                    target, exactly = turn[NEED] - turn[LOW], turn[BEYOND] == EXACTLY
                    taken, branch = rules.outcomes[o, FIRST], rules.outcomes[o, BRANCH]
                    if branch < len(script.beyond) - 1:
                        beyond = total == target and not exactly and rules.told == 0
                        picked = (
                            script.beyond[branch] if beyond else script.picks[table, branch, total]
                        )
                        taken += picked
                    mode, total = rules.choices[taken, 0], total + rules.choices[taken, 1]
                    over, there = exactly and total > target, total >= target
                    total = min(total, target)
                    may, stops = rules.modes[mode, MAY_HOLD] == 1, rules.modes[mode, STOPS] == 1
                    enough = may and not over and (total >= turn[LEAST] or (there and not exactly))
                    if enough and (there or stops or script.rolls[table, mode, total] == 0):
                        end = hold_row(turn, turn[NEED] - total, script.after)
                    elif not (over or stops or (may and there)):
                        end = -1
            row, played = end, played + 1
        ended = row < script.terminals
        who = (row if ended else everybody) << played % players  # its first bit is for the next
        winners[(who | who >> players) & everybody] += 1
        lasted[game] = played if ended else 0
