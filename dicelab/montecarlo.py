"""One policy against another by Monte Carlo, with standard errors.

Games are played with dice, in blocks of a fixed size, each with random numbers of its own, spawned from the seed. What
is kept of a block are whole numbers. So the result depends on the seed and the number of games alone, not on how many
threads played them or in which order. How numbers become rolls is told in :mod:`dicelab.rolls`; games in one mode and
without choices are played by :mod:`dicelab.stretches`, all others here, one roll after the other. Beyond the target a
player who may not hold rolls on, nothing is solved in closed form; of choices, which all lead to the same mode there,
the first is taken.

**Endless play.** From some scores no roll of either player may lead to an end any more: both can only bust, or resets
keep both from the target. All scores from which some end can be reached are found beforehand, going back from the ends
over all rolls that can happen. A game that gets to any other is a draw: half a win, after infinitely many turns. All
other games end with probability 1, but there is no bound on how long that takes. So a block is played in parts that
take a fraction of a second, between which it can be interrupted, and shows how far it has come.
"""

import os
from collections import Counter
from dataclasses import dataclass, field

import joblib
import numpy as np
from tqdm import tqdm

from .doors import as_jobs, as_whole
from .ends import check_players, ends_bytes
from .games import Game
from .memory import check_memory
from .players import followed
from .policies import Policy, branching
from .rolls import BITS, SPARE, UNUSED, draw, rolls_of
from .stretches import lanes_of, side_by_side, stretches_of
from .turn import compiled, inner

__all__ = ["Estimate", "simulate"]

BLOCK = 50_000  # games
PART = 2**25  # rolls, and outcomes that are looked at for one, that are played at a time


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


@inner
def may_end(rolls, exactly, memories, decisions, takes, ends, player, memory, own, other_memory, other, seen):
    """Whether a turn can lead to the target, or to scores known to lead to an end; `seen` (N + 1, M) is room for work.

    The largest totals are looked at first, which soon finds the target: all totals from there on are one.
    """
    _, _, target, _, modes, _ = decisions.shape
    missing, total = target - own, 0
    seen[: missing + 1] = 0
    seen[0, 0] = 1  # 2 once it has been looked at
    while total >= 0:
        m = 0
        while m < modes and seen[total, m] != 1:
            m += 1
        if m == modes:
            total -= 1
            continue
        seen[total, m], first, largest = 2, rolls.outcomes[m], total
        while first < rolls.outcomes[m + 1]:
            c = first
            if rolls.branch[c] >= 0 and total < missing:
                c += takes[player, memory, own, other, rolls.branch[c], total]
            first += rolls.several[first]
            after, mode = total + rolls.points[c], rolls.mode[c]
            if rolls.points[c] < 0:
                end = ends[1 - player, other_memory, other, 0, 0]
            elif rolls.points[c] == 0 or (exactly and after > missing):
                end = ends[1 - player, other_memory, other, memory, own]
            elif rolls.may_hold[mode] and after >= missing:
                end = True
            elif rolls.may_hold[mode] and not (
                decisions[player, memory, own, other, mode, after >> 6] >> np.uint64(after & 63) & np.uint64(1)
            ):
                end = ends[1 - player, other_memory, other, min(memory + 1, memories[player] - 1), own + after]
            else:
                end, after = False, min(after, missing)
                seen[after, mode], largest = max(seen[after, mode], 1), max(largest, after)
            if end:
                return True
        total = largest
    return False


@compiled
def find_ends(rolls, exactly, memories, decisions, takes, ends):
    """Fill `ends`, all False: whether some end can be reached; see :func:`play`.

    Holds lead to larger scores; only what depends on busts and resets takes several rounds.
    """
    _, _, target, _, modes, _ = decisions.shape
    seen, more = np.empty((target + 1, modes), dtype=np.uint8), True
    while more:
        more = False
        for score in range(target - 1, -1, -1):
            for other_score in range(target - 1, -1, -1):
                for player in range(2):
                    own, other = (other_score, score) if player else (score, other_score)
                    for memory in range(memories[player]):
                        for m in range(memories[1 - player]):
                            if not ends[player, memory, own, m, other] and may_end(
                                rolls, exactly, memories, decisions, takes, ends, player, memory, own, m, other, seen
                            ):
                                ends[player, memory, own, m, other] = more = True


@compiled
def play(rolls, exactly, memories, decisions, takes, ends, most, random, state, turns):
    """Play on; store the number of turns of each game that ends, 0 for a draw.

    Parameters
    ----------
    rolls : Rolls
    exactly : bool
        Whether passing the target is a bust.
    memories : ndarray of int (2,)
        Of the players, S being the larger one.
    decisions : ndarray of uint64 (2, S, N, N, M, ⌈N / 64⌉ + 1)
        Whether to roll, by player, memory, own and opponent's score, and mode; a bit for each turn total, and 64 more.
    takes : ndarray of uint8 (2, S, N, N, B, N)
        The choices taken, by turn total.
    ends : ndarray of bool (2, S, N, S, N)
        Whether some end can be reached, by player, memory, own score, and the opponent's memory and score.
    most : int
        The number of rolls, and of outcomes looked at for one, after which to stop.
    random : ndarray of uint64 (5,)
        State of the random stream, and what is left of the last number.
    state : ndarray of int (9,)
        How the game in play stands; all 0 at its beginning.
    turns : ndarray of int
        As long as there are games to play.

    Returns
    -------
    games, wins : int
        That ended, and twice the first player's of these.
    """
    _, most_memory, target, _, modes, size = decisions.shape
    flat, wins, g, bits = decisions.ravel(), 0, 0, np.uint64(BITS)
    w, x, y, z, u = random
    own, other, memory, other_memory, player, played, total, mode, left = state
    while g < len(turns):
        if total == 0 and not ends[player, memory, own, other_memory, other]:
            turns[g], g, wins = 0, g + 1, wins + 1
            own, other, memory, other_memory, player, played = 0, 0, 0, 0, 0, 0
            continue
        missing, row = target - own, (((player * most_memory + memory) * target + own) * target + other) * modes
        while True:
            if most <= 0:
                random[0], random[1], random[2], random[3], random[4] = w, x, y, z, u
                state[0], state[1], state[2], state[3], state[4] = own, other, memory, other_memory, player
                state[5], state[6], state[7], state[8] = played, total, mode, left
                return g, wins
            most -= 1
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
                    most -= 1
                if rolls.branch[c] >= 0 and total < missing:
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
        played += 1
        if gained > 0 and not (exactly and total > missing):
            own, memory = own + total, min(memory + 1, memories[player] - 1)
        elif gained < 0:
            own, memory = 0, 0
        total, mode = 0, 0
        if own >= target:
            turns[g], g, wins = played, g + 1, wins + 2 * (1 - player)
            own, other, memory, other_memory, player, played = 0, 0, 0, 0, 0, 0
        else:
            own, other, memory, other_memory, player = other, own, other_memory, memory, 1 - player
    return g, wins


def _begin_one_by_one(seed, games):
    """The random stream, the game in play, and how many games there are left: see :func:`play`."""
    return np.append(np.random.SFC64(seed).state["state"]["state"], np.uint64(0)), np.array([0] * 9 + [games])


def _one_by_one(rolls, exactly, memories, decisions, takes, ends, block):
    """Like :func:`dicelab.stretches.side_by_side`."""
    random, state = block
    turns = np.empty(state[-1], dtype=np.int64)
    games, wins = play(rolls, exactly, memories, decisions, takes, ends, PART, random, state[:-1], turns)
    state[-1] -= games
    return wins, turns[:games], int(state[5]) if state[-1] else None


def _play_part(way, arrays, block):
    """Play on in a block.

    Returns
    -------
    wins : int
        Twice the first player's, in games that ended.
    lasted : dict
        How many of these took 0 (drawn), 1, 2, … turns.
    played : int or None
        The turns so far of the longest game in play; None if all games have ended.
    block
        From which to go on.
    """
    wins, turns, played = way(*arrays, block)
    if turns.max(initial=0) < BLOCK:
        counts = np.bincount(turns)  # faster
        lasted = np.flatnonzero(counts)
        counts = counts[lasted]
    else:
        lasted, counts = np.unique(turns, return_counts=True)
    return wins, dict(zip(lasted.tolist(), counts.tolist(), strict=True)), played, block


def _tables(game, rolls, policies):
    """Both players' memories, decisions and choices, as `play` takes them, and where some end can be reached.

    A policy that looks at less is told of no more.
    """
    memories, scores = np.array([policy.memory for policy in policies]), range(game.target)
    most, size = max(memories.tolist()), game.target
    last = [[min(memory, policy.memory - 1) for memory in range(most)] for policy in policies]
    short = np.add.outer(scores, scores)[:, None, None] < size  # of the target: from there on nobody rolls
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
    ends = np.zeros((2, most, size, most, size), dtype=bool)
    find_ends(rolls, game.finish == "exact", memories, decisions, takes, ends)
    return memories, decisions, takes, ends


def simulation_bytes(game, policies, games):
    """About what a simulation takes: all decisions of both, as bytes and as bits, their choices twice, and blocks."""
    cube, memories = game.target**3, [policy.memory for policy in policies]
    tables = sum(memories) * cube * (2 * len(game.modes) + 4 * len(branching(game)))
    tables += 2 * (max(memories) * game.target) ** 2
    blocks = 12_000 * (games // BLOCK + 1) + 32 * BLOCK * (os.cpu_count() or 1)
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

    Notes
    -----
    A game that gets to scores from which no end can be reached is a draw. Other games end, some late: the bar tells how
    long one has lasted, and an interrupt ends the simulation.

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
    rolls, stretches = rolls_of(game), stretches_of(game)
    memories, decisions, takes, ends = _tables(game, rolls, (first, second))
    if stretches and memories.max() == 1 and ends.all():
        begin, way, arrays = lanes_of, side_by_side, (stretches, decisions[:, 0, :, :, 0])
    else:
        begin, way = _begin_one_by_one, _one_by_one
        arrays = rolls, game.finish == "exact", memories, decisions, takes, ends
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    blocks, players = map(begin, seeds, sizes), joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    wins, lasted = 0, Counter()
    with tqdm(
        total=games, desc=f"{game.name} to {game.target}", unit=" games", unit_scale=True, delay=2, miniters=0
    ) as bar:
        while blocks:
            parts, blocks = players(joblib.delayed(_play_part)(way, arrays, block) for block in blocks), []
            for won, ended, played, block in parts:
                wins += int(won)
                lasted.update(ended)
                blocks += [] if played is None else [block]
                said = "" if ended else f"the longest game in play: {played:,} turns"
                bar.set_postfix_str(said, refresh=False)
                bar.update(sum(ended.values()))
    share, drawn = wins / (2 * games), lasted[0] / games
    turns, frequencies = np.array(sorted(lasted.items()), dtype=float).T
    frequencies /= games
    mean = np.inf if drawn else float(frequencies @ turns)
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
