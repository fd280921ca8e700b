"""Simulation of the simplest games, 64 side by side: a sequence of rolls at a time.

In a game with one mode, without choices and registers, the next k rolls are drawn at once, as one of D^k sequences made
beforehand, D being the common denominator of their probabilities: bit t of a sequence says that it passes through t
points, and two more bits that it then busts, or resets. The decisions at the next 64 totals are bits as well, so that
the first total at which the player holds is found by two operations on words, whatever k is. 64 such games are played
in lock step, each with a random stream of its own, so that arithmetic compiles to vectors. Each lane plays a number of
games that is known beforehand: if one that is done took the next game of all, short games would be counted too often.
(A single batched kernel for all games, with one roll or one sequence a step, was tried: it needs 2.2 times as long for
Pig to 100. Played one by one, by :mod:`dicelab.evaluation.simulation`, Pig to 100 takes five to ten times as long.)
"""

import math
from typing import NamedTuple

import numpy as np

from .._compile import bare, inlined
from ..games.model import RESET

__all__ = [
    "BITS",
    "MOST_FACES",
    "UNUSED",
    "draw",
    "lanes_of",
    "side_by_side",
    "stretches_of",
]

BITS = 46  # of a random number
UNUSED = np.uint64(64 - BITS)
MOST_FACES = 2**16  # of a roll, or sequences of rolls, so that 30 bits of a number are left


@inlined
def draw(a, b, c, d):
    """A random word, and the next state, of NumPy's SFC64: to call that takes longer."""
    word = a + b + d
    turned = c << np.uint64(24) | c >> np.uint64(40)
    return word, b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), turned + word, d + np.uint64(1)


LANES = 64
STRETCH_PART = 2**19  # stretches of every lane that are played at a time
RESETS, BUSTS = 62, 63  # bits of a sequence of rolls, after those of the totals
(
    A,
    B,
    C,
    D,
    NEXT,
    END,
    OWN,
    OTHER,
    PLAYER,
    PLAYED,
    TOTAL,
    SEQUENCE,
    PASSED,
    GAINED,
    NEAR,
    FAR,
    PLACE,
    LASTED,
    BATCH,
) = (np.uint64(LANES * k) for k in range(19))  # places of the lanes' numbers on the batch
ZERO, ONE = np.uint64(0), np.uint64(1)


class Stretches(NamedTuple):
    """The S sequences of some rolls, in one mode and without choices; all of them are equally likely."""

    # (S,) uint64: a bit for each total that is passed, one for a reset, and one for a bust.
    passed: np.ndarray
    gained: np.ndarray  # (S,) uint64: points, if it ends with neither


def stretches_of(game):
    """The sequences of as many rolls as there are tables and bits for; None if rolls have to be played one by one."""
    outcomes = game.modes[0].outcomes
    faces = math.lcm(*(outcome.probability.denominator for outcome in outcomes))
    several = len(game.modes) > 1 or any(len(outcome.choices) > 1 for outcome in outcomes)
    if several or game.registers or game.finish != "reach" or not 1 < faces <= MOST_FACES:
        return None
    ends = [o.choices[0].points if o.choices else -1 - (o.result == RESET) for o in outcomes]
    points = np.repeat(ends, [int(o.probability * faces) for o in outcomes])
    passed = np.zeros(1, dtype=np.uint64)
    gained = np.zeros(1, dtype=np.int64)
    ended = np.zeros(1, dtype=bool)
    while len(passed) * faces <= MOST_FACES and gained.max() + game.most_points < RESETS:
        gained = gained[:, None] + np.maximum(points, 0)
        bit = np.where(points >= 0, gained, np.where(points == -1, BUSTS, RESETS))
        more = np.where(ended, np.uint64(0), np.uint64(1))[:, None] << bit.astype(np.uint64)
        passed, gained = (passed[:, None] | more).ravel(), gained.ravel()
        ended = (ended[:, None] | (points < 0)).ravel()
    return Stretches(passed, gained.astype(np.uint64)) if len(passed) > 1 else None


@inlined
def first_bit(word):
    """Which bit of a word is the first that is set, 64 if none is: those below are counted."""
    below = ~word & (word - np.uint64(1))
    below -= below >> np.uint64(1) & np.uint64(0x5555555555555555)
    below = (below & np.uint64(0x3333333333333333)) + (
        below >> np.uint64(2) & np.uint64(0x3333333333333333)
    )
    below = below + (below >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return below * np.uint64(0x0101010101010101) >> np.uint64(56)


@bare
def play_stretches(stretches, decisions, target, most, left, batch, turns):
    """Play on; store how many turns each game took that ended, and return how many of these the first player won.

    Parameters
    ----------
    stretches : Stretches
    decisions : ndarray of uint64 (2·N·N·W,)
        Whether to roll, by player, own and opponent's score, and then W words; a bit for each turn total, and 64 more.
    target : int
        N.
    most : int
        The number of stretches after which to stop, if games are left then.
    left : uint64
        How many games are left now.
    batch : ndarray of uint64 (BATCH,)
        In each lane the state of a random stream, its next game and the one after its last, and how that game stands.
    turns : ndarray of int
        By game; the last number is for games that do not count.
    """
    passed, gained = stretches
    size = np.uint64(target)
    none = np.uint64(len(turns) - 1)
    sequences = np.uint64(len(passed))
    words = np.uint64(len(decisions)) // (size * size * np.uint64(2))
    ended = ONE << np.uint64(RESETS) | ONE << np.uint64(BUSTS)
    wins = ZERO
    for _ in range(most):
        if left == ZERO:
            break
        for n in range(np.uint64(LANES)):
            word, batch[A + n], batch[B + n], batch[C + n], batch[D + n] = draw(
                batch[A + n], batch[B + n], batch[C + n], batch[D + n]
            )
            batch[SEQUENCE + n] = (word >> UNUSED) * sequences >> np.uint64(BITS)
            pair = (batch[PLAYER + n] * size + batch[OWN + n]) * size + batch[OTHER + n]
            batch[PLACE + n] = pair * words + (batch[TOTAL + n] >> np.uint64(6))
        for n in range(np.uint64(LANES)):
            sequence, place = batch[SEQUENCE + n], batch[PLACE + n]
            batch[PASSED + n], batch[GAINED + n] = passed[sequence], gained[sequence]
            batch[NEAR + n], batch[FAR + n] = decisions[place], decisions[place + ONE]
        for n in range(np.uint64(LANES)):
            own = batch[OWN + n]
            other = batch[OTHER + n]
            player = batch[PLAYER + n]
            total = batch[TOTAL + n]
            low = total & np.uint64(63)
            rolls = batch[NEAR + n] >> low | batch[FAR + n] << ONE << (np.uint64(63) - low)
            stops = batch[PASSED + n] & (~rolls | ended)
            stopped, k = ONE if stops > ZERO else ZERO, first_bit(stops)
            score = (
                own + total + k
                if k < np.uint64(RESETS)
                else ZERO
                if k == np.uint64(RESETS)
                else own
            )
            won = stopped if score >= size else ZERO
            counts = won if batch[NEXT + n] < batch[END + n] else ZERO
            batch[LASTED + n] = batch[PLAYED + n] + stopped
            batch[PLACE + n] = batch[NEXT + n] if counts > ZERO else none
            batch[NEXT + n] += counts
            left -= counts
            wins += counts & ~player
            batch[TOTAL + n] = ZERO if stopped > ZERO else total + batch[GAINED + n]
            batch[OWN + n] = ZERO if won > ZERO else other if stopped > ZERO else own
            batch[OTHER + n] = ZERO if won > ZERO else score if stopped > ZERO else other
            batch[PLAYER + n] = ZERO if won > ZERO else player ^ stopped
            batch[PLAYED + n] = ZERO if won > ZERO else batch[LASTED + n]
        for n in range(np.uint64(LANES)):
            turns[batch[PLACE + n]] = batch[LASTED + n]
    return wins


def lanes_of(seed, games):
    """The batch of games that are to be played side by side.

    Parameters
    ----------
    seed : SeedSequence
        Of all lanes' streams: three words of each state are random, and the fourth, which counts, begins with 1.
    games : int
    """
    batch = np.zeros(int(BATCH), dtype=np.uint64)
    shares = np.linspace(0, games, LANES + 1).astype(int)
    batch[: 3 * LANES], batch[3 * LANES : 4 * LANES] = seed.generate_state(3 * LANES, np.uint64), 1
    batch[4 * LANES : 6 * LANES] = [*shares[:-1], *shares[1:]]
    return batch


def side_by_side(stretches, decisions, batch):
    """Play on games whose decisions depend on no memory, for a part of the time that they may take.

    Parameters
    ----------
    decisions : ndarray of uint64 (2, N, N, W)
        See :func:`play_stretches`.
    batch : ndarray of uint64
        See :func:`lanes_of`; it is changed.

    Returns
    -------
    winners : ndarray of int (2, 2)
        See :func:`play`.
    turns : ndarray
        Of each game that ended.
    played : int or None
        The turns so far of the longest game in play; None if all games have ended.
    """
    following, last, played = (batch[int(k) : int(k) + LANES] for k in (NEXT, END, PLAYED))
    turns = np.zeros(int(last[-1]) + 1, dtype=np.int64)
    target, left = decisions.shape[1], (last - following).sum()
    wins = play_stretches(stretches, decisions.ravel(), target, STRETCH_PART, left, batch, turns)
    turns, left = turns[:-1], following < last
    turns = turns[turns > 0]
    winners = np.array([[wins, 0], [len(turns) - int(wins), 0]], dtype=np.int64)
    return winners, turns, int(played[left].max()) if left.any() else None
