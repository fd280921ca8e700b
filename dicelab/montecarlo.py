"""One policy against another by Monte Carlo, with standard errors.

Games are played with dice, in blocks of a fixed size, each with random numbers of its own, spawned from the seed. What
is kept of a block are whole numbers. So the result depends on the seed and the number of games alone, not on how many
threads played them or in which order. How numbers become rolls is told in :mod:`dicelab.rolls`; games in one mode and
without choices are played by :mod:`dicelab.stretches`, all others here, one roll after the other. Beyond the target a
player who may not hold rolls on, nothing is solved in closed form. Where neither player can do anything but bust, the
game is a draw: half a win, after infinitely many turns.
"""

import os
from dataclasses import dataclass, field

import joblib
import numpy as np
from tqdm import tqdm

from .doors import as_jobs, as_whole
from .ends import check_players, ends_bytes, turn_ends
from .games import Game
from .memory import check_memory
from .players import followed
from .policies import Policy, branching
from .rolls import BITS, SPARE, UNUSED, draw, rolls_of
from .stretches import side_by_side, stretches_of
from .turn import compiled

__all__ = ["Estimate", "simulate"]

BLOCK = 50_000  # games


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


def _one_by_one(rolls, exactly, decisions, takes, stuck, seed, games):
    """Twice the first player's wins, and how many turns each game took: see :func:`play`."""
    turns, random = np.empty(games, dtype=np.int64), np.random.SFC64(seed).state["state"]["state"]
    return play(rolls, exactly, decisions, takes, stuck, tuple(random), turns), turns


def _play_block(way, arrays, seed, games):
    """Twice the first player's wins in a block, and how many games took 0 (drawn), 1, 2, … turns."""
    wins, turns = way(*arrays, seed, games)
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
    first, second = followed(game, first=first, second=second)
    stretches, (decisions, takes, stuck) = stretches_of(game), _tables(game, (first, second))
    if stretches and decisions.shape[1] == 1 and not stuck.any():
        way = side_by_side, (stretches, decisions[:, 0, :, :, 0])
    else:
        way = _one_by_one, (rolls_of(game), game.finish == "exact", decisions, takes, stuck)
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    blocks = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        joblib.delayed(_play_block)(*way, *block) for block in zip(seeds, sizes, strict=True)
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
