"""One policy against another by Monte Carlo, with standard errors.

Games are played with dice, in blocks of a fixed size, each with a random stream of its own, spawned from the seed. What
is kept of a block are whole numbers. So the result depends on the seed and the number of games alone, not on how
many threads played them or in which order. Beyond the target a player who may not hold rolls on, nothing is solved in
closed form. Where neither player can do anything but bust, the game is a draw: half a win, after infinitely many turns.

**Rolls.** A random number is a whole number u below 2^BITS. If all probabilities of a roll have the common denominator
D, the roll is the face ⌊u·D / 2^BITS⌋ of D, and u·D mod 2^BITS is again a random number, with log D bits less. It is
used as long as 30 bits remain, so that chances are off by less than one part in 2^30: five rolls of a die from one
number. If D is large, the outcome is found by cumulative probabilities, to 2^-BITS.

**Stretches.** Where only one mode exists and nothing is chosen, the next k rolls are drawn at once, one of D^k
sequences made beforehand: bit t of a sequence says that it passes t points, and two more bits that it then busts, or
resets. The decisions at the next 64 totals are bits as well, so that the first total at which the player holds is
found by two operations on whole words, whatever k is.
"""

import math
import os
from dataclasses import dataclass, field
from typing import NamedTuple

import joblib
import numpy as np
from tqdm import tqdm

from .doors import as_jobs, as_whole
from .ends import check_players, ends_bytes, turn_ends
from .games import RESET, Game
from .memory import check_memory
from .policies import Policy, branching
from .turn import compiled, inlined

__all__ = ["Estimate", "simulate"]

BLOCK = 50_000  # games
BITS, SPARE = 46, 30  # of a random number, and those that are left unused
MOST_FACES = 2 ** (BITS - SPARE)
UNUSED = np.uint64(64 - BITS)
RESETS, BUSTS = 62, 63  # bits of a sequence of rolls, after those of the totals


@dataclass(frozen=True, eq=False)
class Estimate:
    """What a number of simulated games tell of a match; every `_se` is the standard error of what it is named after.

    Attributes
    ----------
    game : Game
    first, second : Policy
        Of the player who moves first, and of the other.
    games, seed : int
    first_wins, first_wins_se : float
        Probability that the first player wins; a draw counts half.
    turns_mean, turns_mean_se, turns_sd, turns_sd_se : float
        Mean and standard deviation of the number of turns, both players' together; infinite and nan if a game is drawn.
    """

    game: Game
    first: Policy = field(repr=False)
    second: Policy = field(repr=False)
    games: int
    seed: int
    first_wins: float
    first_wins_se: float
    turns_mean: float
    turns_mean_se: float
    turns_sd: float
    turns_sd_se: float


class Rolls(NamedTuple):
    """The rolls of M modes, by F faces, and by C choices, those of an outcome side by side.

    A bust and a reset count as choices, with 0 and -1 points.
    """

    may_hold: np.ndarray  # (M,)
    bits: np.ndarray  # (M,) that a roll uses up
    faces: np.ndarray  # (M,) the common denominator D, or 1 if that is large
    first: np.ndarray  # (M,) the faces of mode m are first[m], first[m] + 1, …
    gain: np.ndarray  # (F,) points
    onward: np.ndarray  # (F,) the next mode
    choice: np.ndarray  # (F,) the first choice of the outcome; where D is large, of the mode
    plain: np.ndarray  # (F,) whether there is no other
    below: np.ndarray  # (C,) cumulative probability of the outcome, times 2^BITS
    several: np.ndarray  # (C,) number of choices of the outcome
    branch: np.ndarray  # (C,) the number of the outcome if it has several, see dicelab.turn.Rules; or -1
    points: np.ndarray  # (C,)
    mode: np.ndarray  # (C,)


def _rolls(game):
    """The arrays of a game's rolls."""
    faces, choice, choices, branches = [], [], [], 0
    for mode in game.modes:
        common, total = math.lcm(*(outcome.probability.denominator for outcome in mode.outcomes)), 0
        faces.append(common if common <= MOST_FACES else 1)
        choice += [len(choices)] if faces[-1] == 1 else []
        for outcome in mode.outcomes:
            total += outcome.probability
            choice += [len(choices)] * int(outcome.probability * faces[-1] if faces[-1] > 1 else 0)
            ends = [(c.points, game.mode(c.mode)) for c in outcome.choices] or [(-(outcome.result == RESET), 0)]
            choices += [(int(total * 2**BITS), len(ends), branches if len(ends) > 1 else -1, *end) for end in ends]
            branches += len(ends) > 1
    below, several, branch, points, onward = np.array(choices).T
    faces, choice, below = (np.array(numbers, dtype=np.uint64) for numbers in (faces, choice, below))
    bits = np.array([(int(common) - 1).bit_length() if common > 1 else BITS for common in faces])
    plain = (branch[choice] < 0) & np.repeat(faces > 1, faces.astype(int))
    by_face = np.cumsum(faces) - faces, points[choice], onward[choice], choice, plain
    may_hold = np.array([mode.may_hold for mode in game.modes])
    return Rolls(may_hold, bits, faces, *by_face, below, several, branch, points, onward)


class Stretches(NamedTuple):
    """The S sequences of some rolls, in one mode and without choices; all of them are equally likely."""

    passed: np.ndarray  # (S,) uint64: a bit for each total that is passed, one for a reset, and one for a bust
    gained: np.ndarray  # (S,) points, if it ends with neither


def _stretches(game):
    """The sequences of as many rolls as there are tables and bits for; None if rolls have to be played one by one."""
    rolls = _rolls(game)
    if len(game.modes) > 1 or branching(game) or game.finish == "exact" or rolls.faces[0] == 1:
        return None
    points, size = rolls.gain, 1 + game.most_points
    passed, gained, ended = np.zeros(1, dtype=np.uint64), np.zeros(1, dtype=np.int64), np.zeros(1, dtype=bool)
    while len(passed) * len(points) <= MOST_FACES and gained.max() + size <= RESETS:
        gained = gained[:, None] + np.maximum(points, 0)
        bit = np.where(points > 0, gained, np.where(points < 0, RESETS, BUSTS)).astype(np.uint64)
        passed = np.where(ended[:, None], passed[:, None], passed[:, None] | np.uint64(1) << bit).ravel()
        gained, ended = gained.ravel(), (ended[:, None] | (points <= 0)).ravel()
    return Stretches(passed, gained) if len(passed) > 1 else None


@inlined
def draw(a, b, c, d):
    """A random word, and the next state, of NumPy's SFC64: to call that takes longer."""
    word, turned = a + b + d, c << np.uint64(24) | c >> np.uint64(40)
    return word, b ^ (b >> np.uint64(11)), c + (c << np.uint64(3)), turned + word, d + np.uint64(1)


@inlined
def first_bit(word):
    """Which bit of a word is the first that is set: those below are counted, by an instruction if there is one."""
    below = ~word & (word - np.uint64(1))
    below -= below >> np.uint64(1) & np.uint64(0x5555555555555555)
    below = (below & np.uint64(0x3333333333333333)) + (below >> np.uint64(2) & np.uint64(0x3333333333333333))
    below = below + (below >> np.uint64(4)) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64(below * np.uint64(0x0101010101010101) >> np.uint64(56))


@compiled
def play_stretches(stretches, decisions, random, turns):
    """Play ``len(turns)`` games as :func:`play` does, some rolls at a time; decisions may depend on no memory."""
    passed, gained, one = stretches.passed, stretches.gained, np.uint64(1)
    target, size, flat, wins = decisions.shape[2], decisions.shape[-1], decisions.ravel(), 0
    sequences, bits, ended = np.uint64(len(passed)), np.uint64(BITS), one << np.uint64(RESETS) | one << np.uint64(BUSTS)
    a, b, c, d = random
    for g in range(len(turns)):
        own, other, player, played = 0, 0, 0, 0
        while True:
            row, total = ((player * target + own) * target + other) * size, 0
            played += 1
            while True:
                word, a, b, c, d = draw(a, b, c, d)
                s = (word >> UNUSED) * sequences >> bits
                at, low = np.uint64(row + (total >> 6)), np.uint64(total & 63)
                rolls = flat[at] >> low | flat[at + one] << one << (np.uint64(63) - low)
                stops = passed[s] & (~rolls | ended)
                if stops > 0:
                    break
                total += gained[s]
            k = first_bit(stops)
            own = own + total + k if k < RESETS else 0 if k == RESETS else own
            if own >= target:
                wins += 2 * (1 - player)
                break
            own, other, player = other, own, 1 - player
        turns[g] = played
    return wins


@compiled
def play(rolls, exactly, decisions, takes, stuck, random, turns):
    """Play ``len(turns)`` games; store the number of turns of each, 0 for a draw; return twice the first one's wins.

    Parameters
    ----------
    rolls : Rolls
    exactly : bool
        Whether passing the target is a bust.
    decisions : ndarray of uint64 (2, S, N, N, M, ⌈N / 64⌉ + 1)
        Whether to roll, by player, memory, own and opponent's score, and mode; a bit for each turn total, and 64 more.
    takes : ndarray of uint8 (2, S, N, N, B, N)
        The choices taken, by turn total.
    stuck : ndarray of bool (2, S, N, N)
        Where a player can do nothing but bust.
    random : tuple of uint64
        State of the random stream.
    turns : ndarray of int
    """
    _, memories, target, _, modes, size = decisions.shape
    flat, wins, left, u, bits = decisions.ravel(), 0, 0, np.uint64(0), np.uint64(BITS)
    w, x, y, z = random
    for g in range(len(turns)):
        own, other, memory, other_memory, player, played = 0, 0, 0, 0, 0, 0
        while True:
            if stuck[player, memory, own, other] and stuck[1 - player, other_memory, other, own]:
                wins, played = wins + 1, 0
                break
            played += 1
            total, mode, missing = 0, 0, target - own
            row = (((player * memories + memory) * target + own) * target + other) * modes
            while True:
                if left < SPARE + rolls.bits[mode]:
                    u, w, x, y, z = draw(w, x, y, z)
                    u, left = u >> UNUSED, BITS
                m = np.uint64(mode)
                stretched = u * rolls.faces[m]
                face = rolls.first[m] + (stretched >> bits)
                gained, mode = rolls.gain[face], rolls.onward[face]
                if not rolls.plain[face]:
                    c = rolls.choice[face]
                    while rolls.faces[m] == 1 and u >= rolls.below[c]:
                        c += np.uint64(rolls.several[c])
                    if rolls.branch[c] >= 0:
                        c += np.uint64(takes[player, memory, own, other, rolls.branch[c], total])
                    gained, mode = rolls.points[c], rolls.mode[c]
                u = stretched & np.uint64(2**BITS - 1)
                left -= rolls.bits[m]
                total += gained
                if gained <= 0 or (exactly and total > missing):
                    break
                if rolls.may_hold[np.uint64(mode)]:
                    if total >= missing:
                        break
                    word = flat[np.uint64((row + mode) * size + (total >> 6))]
                    if not (word >> np.uint64(total & 63)) & np.uint64(1):
                        break
            if gained > 0 and not (exactly and total > missing):
                own, memory = own + total, min(memory + 1, memories - 1)
            elif gained < 0:
                own, memory = 0, 0
            if own >= target:
                wins += 2 * (1 - player)
                break
            own, other, memory, other_memory, player = other, own, other_memory, memory, 1 - player
        turns[g] = played
    return wins


def _play_block(kernel, arrays, stream, games):
    """Twice the first player's wins in a block, and how many games took 0 (drawn), 1, 2, … turns."""
    turns = np.empty(games, dtype=np.int64)
    wins = kernel(*arrays, tuple(np.random.SFC64(stream).state["state"]["state"]), turns)
    return wins, np.bincount(turns)


def _tables(game, policies):
    """The decisions of two policies, as `play` takes them; a policy that looks at less is told of no more."""
    memories, scores = range(max(policy.memory for policy in policies)), range(game.target)
    last = [[min(memory, policy.memory - 1) for memory in memories] for policy in policies]
    short = np.add.outer(scores, scores)[:, None, None] < game.target  # of the target: from there on nobody rolls
    tables = [np.stack([short & policy.table(game, memory) for memory in range(policy.memory)]) for policy in policies]
    packed = [np.packbits(table, axis=-1, bitorder="little") for table in tables]
    words = [np.pad(bits, [(0, 0)] * 4 + [(0, 8 + -bits.shape[-1] % 8)]).view(np.uint64) for bits in packed]
    decisions = np.stack([word[seen] for word, seen in zip(words, last, strict=True)])
    takes = np.array(
        [
            [[policy.takes(game, own, memory) for own in scores] for memory in seen]
            for policy, seen in zip(policies, last, strict=True)
        ]
    )
    stuck = [
        (turn_ends(game, policy).bust == 1).reshape(game.target, policy.memory, game.target)[:, seen]
        for policy, seen in zip(policies, last, strict=True)
    ]
    return decisions, takes, np.stack(stuck).transpose(0, 2, 1, 3).copy()


def simulation_bytes(game, policies, games):
    """About what a simulation takes: all decisions of both, as bytes and as bits, their choices twice, and blocks."""
    cube, memories = game.target**3, sum(policy.memory for policy in policies)
    tables = memories * cube * (2 * len(game.modes) + 4 * len(branching(game)))
    blocks = 2000 * (games // BLOCK + 1) + 16 * BLOCK * (os.cpu_count() or 1)
    return tables + blocks + sum(ends_bytes(game, policy) for policy in policies)


def simulate(game, first, second, games=10_000_000, seed=1, n_jobs=-1):
    """Play one policy against another many times.

    Parameters
    ----------
    game : Game
    first, second : Policy
        Of the player who moves first, and of the other.
    games : int
        How many, at least 1.
    seed : int
        Any, at least 0. The same seed and number of games give the same result.
    n_jobs : int
        Threads, or a joblib backend's workers, at most 1000; -1 for one a core.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or a policy is for another game.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> estimate = simulate(pig(), hold_at(25), hold_at(20), games=100_000)
    >>> abs(estimate.first_wins - 0.543482) < 4 * estimate.first_wins_se
    True
    """
    check_players(game, first=first, second=second)
    games, seed, n_jobs = as_whole(games, "games", 1), as_whole(seed, "seed", 0), as_jobs(n_jobs, "n_jobs")
    said = f"{games:,} games of {game.name} to {game.target}"
    check_memory(simulation_bytes(game, (first, second), games), said, "take a smaller target, or fewer games")
    for policy in (first, second):
        turn_ends(game, policy)  # what it decides is checked there
    stretches, (decisions, takes, stuck) = _stretches(game), _tables(game, (first, second))
    if stretches and decisions.shape[1] == 1 and not stuck.any():
        way = play_stretches, (stretches, decisions)
    else:
        way = play, (_rolls(game), game.finish == "exact", decisions, takes, stuck)
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    streams = np.random.SeedSequence(seed).spawn(len(sizes))
    blocks = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        joblib.delayed(_play_block)(*way, *block) for block in zip(streams, sizes, strict=True)
    )
    wins, counts = 0, np.zeros(1, dtype=np.int64)
    with tqdm(total=games, desc=f"{game.name} to {game.target}", unit=" games", unit_scale=True, delay=2) as bar:
        for (won, histogram), size in zip(blocks, sizes, strict=True):
            wins += int(won)
            longer, shorter = sorted((counts, histogram), key=len, reverse=True)
            counts = longer + np.pad(shorter, (0, len(longer) - len(shorter)))
            bar.update(size)
    share, frequencies, turns = wins / (2 * games), counts / games, np.arange(len(counts), dtype=float)
    drawn = float(frequencies[0])
    turns[0] = np.inf if drawn else 0.0
    mean = float(frequencies @ turns)
    variance, fourth = (np.nan if drawn else float(frequencies @ (turns - mean) ** power) for power in (2, 4))
    deviation = variance**0.5
    return Estimate(
        game,
        first,
        second,
        games,
        seed,
        first_wins=share,
        first_wins_se=((share * (1 - share) - drawn / 4) / games) ** 0.5,
        turns_mean=mean,
        turns_mean_se=deviation / games**0.5,
        turns_sd=deviation,
        turns_sd_se=((fourth - variance**2) / games) ** 0.5 / (2 * deviation) if deviation else 0.0,
    )
