"""Games with one mode and no choice played some rolls at a time, and side by side.

**Stretches.** The next k rolls are drawn at once, one of D^k sequences made beforehand: bit t of a sequence says that
it passes t points, and two more bits that it then busts, or resets. The decisions at the next 64 totals are bits as
well, so that the first total at which the player holds is found by two operations on whole words, whatever k is.

**Side by side.** Each of 64 games has a *lane*, and at every step plays a stretch. What is arithmetic, in the lanes'
neighbouring numbers, the compiler makes vectors of; so what is looked up is in a loop of its own. A lane has a random
stream of its own, and plays a number of games that is known beforehand: if one that is done took the next game of all,
short games would be counted too often.
"""

from typing import NamedTuple

import numpy as np

from .policies import branching
from .rolls import BITS, MOST_FACES, UNUSED, draw, rolls_of
from .turn import bare, inlined

__all__ = ["PART", "Stretches", "lanes_of", "side_by_side", "stretches_of"]

LANES = 64
PART = 2**19  # stretches of every lane that are played at a time
RESETS, BUSTS = 62, 63  # bits of a sequence of rolls, after those of the totals
A, B, C, D, NEXT, END, OWN, OTHER, PLAYER, PLAYED, TOTAL, SEQUENCE, PASSED, GAINED, NEAR, FAR, PLACE, LASTED, SLATE = (
    np.uint64(LANES * k) for k in range(19)
)  # places of the lanes' numbers on the slate
ZERO, ONE = np.uint64(0), np.uint64(1)


class Stretches(NamedTuple):
    """The S sequences of some rolls, in one mode and without choices; all of them are equally likely."""

    passed: np.ndarray  # (S,) uint64: a bit for each total that is passed, one for a reset, and one for a bust
    gained: np.ndarray  # (S,) uint64: points, if it ends with neither


def stretches_of(game):
    """The sequences of as many rolls as there are tables and bits for; None if rolls have to be played one by one."""
    rolls = rolls_of(game)
    if len(game.modes) > 1 or branching(game) or game.finish == "exact" or rolls.faces[0] == 1:
        return None
    points, size = rolls.gain, 1 + game.most_points
    passed, gained, ended = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=bool)
    while len(passed) * len(points) <= MOST_FACES and gained.max() + size <= RESETS:
        gained = gained[:, None] + np.maximum(points, 0)
        bit = np.where(points > 0, gained, np.where(points < 0, RESETS, BUSTS)).astype(np.uint64)
        passed = np.where(ended[:, None], passed[:, None], passed[:, None] | np.uint64(1) << bit).ravel()
        gained, ended = gained.ravel(), (ended[:, None] | (points <= 0)).ravel()
    return Stretches(passed, gained.astype(np.uint64)) if len(passed) > 1 else None


@inlined
def first_bit(word):
    """Which bit of a word is the first that is set, 64 if none is: those below are counted."""
    below = ~word & (word - np.uint64(1))
    below -= below >> np.uint64(1) & np.uint64(0x5555555555555555)
    below = (below & np.uint64(0x3333333333333333)) + (below >> np.uint64(2) & np.uint64(0x3333333333333333))
    below = below + (below >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return below * np.uint64(0x0101010101010101) >> np.uint64(56)


@bare
def play_stretches(stretches, decisions, target, most, slate, turns):
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
    slate : ndarray of uint64 (SLATE,)
        In each lane the state of a random stream, its next game and the one after its last, and how that game stands.
    turns : ndarray of int
        By game; the last number is for games that do not count.
    """
    passed, gained, size, none = stretches.passed, stretches.gained, np.uint64(target), np.uint64(len(turns) - 1)
    sequences, words = np.uint64(len(passed)), np.uint64(len(decisions)) // (size * size * np.uint64(2))
    ended, wins, left = ONE << np.uint64(RESETS) | ONE << np.uint64(BUSTS), ZERO, ZERO
    for number in range(LANES):
        left += slate[END + np.uint64(number)] - slate[NEXT + np.uint64(number)]
    for _ in range(most):
        if left == ZERO:
            break
        for number in range(LANES):
            n = np.uint64(number)
            word, a, b, c, d = draw(slate[A + n], slate[B + n], slate[C + n], slate[D + n])
            slate[A + n], slate[B + n], slate[C + n], slate[D + n] = a, b, c, d
            slate[SEQUENCE + n] = (word >> UNUSED) * sequences >> np.uint64(BITS)
            pair = (slate[PLAYER + n] * size + slate[OWN + n]) * size + slate[OTHER + n]
            slate[PLACE + n] = pair * words + (slate[TOTAL + n] >> np.uint64(6))
        for number in range(LANES):
            n = np.uint64(number)
            sequence, place = slate[SEQUENCE + n], slate[PLACE + n]
            slate[PASSED + n], slate[GAINED + n] = passed[sequence], gained[sequence]
            slate[NEAR + n], slate[FAR + n] = decisions[place], decisions[place + ONE]
        for number in range(LANES):
            n = np.uint64(number)
            own, other, player, total = slate[OWN + n], slate[OTHER + n], slate[PLAYER + n], slate[TOTAL + n]
            low = total & np.uint64(63)
            rolls = slate[NEAR + n] >> low | slate[FAR + n] << ONE << (np.uint64(63) - low)
            stops = slate[PASSED + n] & (~rolls | ended)
            stopped, k = ONE if stops > ZERO else ZERO, first_bit(stops)
            score = own + total + k if k < np.uint64(RESETS) else ZERO if k == np.uint64(RESETS) else own
            won = stopped if score >= size else ZERO
            counts = won if slate[NEXT + n] < slate[END + n] else ZERO
            slate[LASTED + n] = slate[PLAYED + n] + stopped
            slate[PLACE + n] = slate[NEXT + n] if counts > ZERO else none
            slate[NEXT + n] += counts
            left -= counts
            wins += counts & ~player
            slate[TOTAL + n] = ZERO if stopped > ZERO else total + slate[GAINED + n]
            slate[OWN + n] = ZERO if won > ZERO else other if stopped > ZERO else own
            slate[OTHER + n] = ZERO if won > ZERO else score if stopped > ZERO else other
            slate[PLAYER + n] = ZERO if won > ZERO else player ^ stopped
            slate[PLAYED + n] = ZERO if won > ZERO else slate[LASTED + n]
        for number in range(LANES):
            n = np.uint64(number)
            turns[slate[PLACE + n]] = slate[LASTED + n]
    return wins


def lanes_of(seed, games):
    """The slate of games that are to be played side by side.

    Parameters
    ----------
    seed : SeedSequence
        Of all lanes' streams: three words of each state are random, and the fourth, which counts, begins with 1.
    games : int
    """
    slate, shares = np.zeros(int(SLATE), dtype=np.uint64), np.linspace(0, games, LANES + 1).astype(int)
    slate[: 3 * LANES], slate[3 * LANES : 4 * LANES] = seed.generate_state(3 * LANES, np.uint64), 1
    slate[4 * LANES : 6 * LANES] = [*shares[:-1], *shares[1:]]
    return slate


def side_by_side(stretches, decisions, slate):
    """Play on games whose decisions depend on no memory, for a part of the time that they may take.

    Parameters
    ----------
    decisions : ndarray of uint64 (2, N, N, W)
        See :func:`play_stretches`.
    slate : ndarray of uint64
        See :func:`lanes_of`; it is changed.

    Returns
    -------
    wins : int
        Twice the first player's, in games that ended.
    turns : ndarray
        Of each game that ended.
    played : int or None
        The turns so far of the longest game in play; None if all games have ended.
    """
    following, last, played = (slate[int(k) : int(k) + LANES] for k in (NEXT, END, PLAYED))
    turns = np.zeros(int(last[-1]) + 1, dtype=np.int64)
    wins = play_stretches(stretches, decisions.ravel(), decisions.shape[1], PART, slate, turns)
    turns, left = turns[:-1], following < last
    return 2 * int(wins), turns[turns > 0], int(played[left].max()) if left.any() else None
