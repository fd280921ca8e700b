"""One policy against another by Monte Carlo, with standard errors.

Games are played in blocks of a fixed size, each with a random stream of its own, spawned from the seed; what is kept of
a block are whole numbers. So the result depends on the seed and the number of games alone, not on how many threads
played them or in which order. A roll draws one uniform number in [0, 1) and takes the outcome whose cumulative
probability exceeds it; beyond the target a player who may not hold rolls on, nothing is solved in closed form. Where
neither player can do anything but bust, the game is a draw: half a win, after infinitely many turns.
"""

from dataclasses import dataclass, field

import joblib
import numpy as np
from tqdm import tqdm

from .ends import check_players, turn_ends
from .games import BUST, RESET, Game, as_whole
from .policies import Policy
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


def _outcome_arrays(game):
    """By mode and outcome: cumulative probability and branch number; by choice as well: points, next mode.

    Points 0 are a bust, -1 a reset; the branch is that of :class:`dicelab.turn.Rules`.
    """
    shape = len(game.modes), max(len(mode.outcomes) for mode in game.modes)
    most = max(1, *(len(outcome.choices) for mode in game.modes for outcome in mode.outcomes))
    cumulative, branch = np.full(shape, 2.0), np.full(shape, -1)
    points, onward = np.zeros((2, *shape, most), dtype=int)
    branches = 0
    for m, mode in enumerate(game.modes):
        total = 0
        for o, outcome in enumerate(mode.outcomes):
            total += outcome.probability
            cumulative[m, o] = float(total)
            points[m, o] = {BUST: 0, RESET: -1}.get(outcome.result if not outcome.choices else "", 0)
            for c, choice in enumerate(outcome.choices):
                points[m, o, c], onward[m, o, c] = choice.points, game.mode(choice.mode)
            if len(outcome.choices) > 1:
                branch[m, o], branches = branches, branches + 1
    return cumulative, branch, points, onward, np.array([mode.may_hold for mode in game.modes])


@compiled
def play(cumulative, branch, points, onward, may_hold, exactly, tables, takes, stuck, random, turns):
    """Play ``len(turns)`` games; store the number of turns of each, 0 for a draw; return twice the first one's wins."""
    target, wins = tables[0].shape[1], 0
    for g in range(len(turns)):
        own, other, my_memory, other_memory, played = 0, 0, 0, 0, 0
        while True:
            table, taken = tables[played % 2], takes[played % 2]
            mine, others = stuck[played % 2], stuck[1 - played % 2]
            if mine[my_memory, own, other] and others[other_memory, other, own]:
                wins, played = wins + 1, 0
                break
            played += 1
            total, mode = 0, 0
            while True:
                draw, o = random.random(), 0
                while draw >= cumulative[mode, o]:
                    o += 1
                b, c = branch[mode, o], 0
                if b >= 0:
                    c = taken[my_memory, own, other, b, total]
                gained = points[mode, o, c]
                if gained < 0:
                    own, total, my_memory = 0, 0, 0
                    break
                total, mode = total + gained, onward[mode, o, c]
                if gained == 0 or (exactly and own + total > target):
                    total = 0
                    break
                reached = own + total >= target
                if may_hold[mode] and (reached or not table[my_memory, own, other, mode, total]):
                    my_memory = min(my_memory + 1, table.shape[0] - 1)
                    break
            own += total
            if own >= target:
                wins += 2 * (played % 2)
                break
            own, other, my_memory, other_memory = other, own, other_memory, my_memory
        turns[g] = played
    return wins


def _play_block(arrays, decisions, stream, games):
    """Twice the first player's wins in a block, and how many games took 0 (drawn), 1, 2, … turns."""
    turns = np.empty(games, dtype=np.int64)
    wins = play(*arrays, *decisions, np.random.Generator(np.random.PCG64(stream)), turns)
    return wins, np.bincount(turns)


def _tables(game, policy):
    """Whether to roll, [memory, own, opponent, mode, total]; the choices taken; where nothing but a bust can happen."""
    memories, scores = range(policy.memory), range(game.target)
    stuck = (turn_ends(game, policy).bust == 1).reshape(game.target, policy.memory, game.target)
    rolls = np.stack([policy.table(game, memory) for memory in memories])
    takes = np.array([[policy.takes(game, own, memory) for own in scores] for memory in memories])
    return rolls, takes, stuck.transpose(1, 0, 2).copy()


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
        Threads, or a joblib backend's workers; -1 for one a core.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or a policy is for another game.
    NotImplementedError
        If a player who must roll beyond the target has a choice of modes.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> estimate = simulate(pig(), hold_at(25), hold_at(20), games=100_000)
    >>> abs(estimate.first_wins - 0.543482) < 4 * estimate.first_wins_se
    True
    """
    check_players(game, first=first, second=second)
    games, seed = as_whole(games, "games", 1), as_whole(seed, "seed", 0)
    arrays = *_outcome_arrays(game), game.finish == "exact"
    decisions = tuple(zip(*(_tables(game, policy) for policy in (first, second)), strict=True))
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    streams = np.random.SeedSequence(seed).spawn(len(sizes))
    blocks = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")(
        joblib.delayed(_play_block)(arrays, decisions, *block) for block in zip(streams, sizes, strict=True)
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
