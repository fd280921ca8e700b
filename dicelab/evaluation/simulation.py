"""Monte Carlo simulation of policies against each other, with standard errors.

Games are played by :mod:`dicelab.engine.play`, in blocks of a fixed size, each with random numbers of its own, spawned
from the seed. What is kept of a block are whole numbers. So the result depends on the seed and the number of games, but
not on the number of threads.

**Endless play.** From some positions no end can be reached any more: all can only bust, or resets keep them from the
target. A game that gets there is a draw, after infinitely many turns. All other games end with probability 1, but there
is no bound on their length. So a block is played in parts of a fraction of a second, between which it can be
interrupted and reports its progress.
"""

from __future__ import annotations

import numbers
import os
from collections import Counter
from dataclasses import dataclass, field

import joblib
import numpy as np

from .._limits import check_memory, progress
from .._recorded import record
from .._shown import title_of, with_interval
from .._validation import check_int, check_jobs, invalid
from ..engine.play import play, script_of
from ..engine.positions import ROW_BYTES
from ..engine.race import seated
from ..games.model import Game
from ..games.named import read_game
from ..policies import Policy, branching_outcomes
from ..strategies import Strategy
from .match import OfPlayers, names_of, read_players

__all__ = ["Estimate", "simulate"]

BLOCK = 50_000  # games
PART = 2**24  # rolls that are played at a time


@dataclass(frozen=True, eq=False, kw_only=True)
class Estimate(OfPlayers):
    """What a number of simulated games tell of a match; every `_se` is the standard error of what it is named after.

    Attributes
    ----------
    game : Game
    policies : tuple of Policy
        Of the n players, in order of play; `first` and `second` are those of the first two.
    games, seed : int
    wins, wins_se : tuple of float
        The probabilities to win, in order of play; `first_wins` and `first_wins_se` are those of the first player. A
        win that several share counts in equal parts, and so does a game that cannot end.
    turns_mean, turns_mean_se, turns_sd, turns_sd_se : float
        Mean and standard deviation of the number of turns, all players' together; infinite and nan if a game cannot
        end.

    Examples
    --------
    >>> from dicelab import hold_at, pig, simulate
    >>> estimate = simulate(pig(), hold_at(25), hold_at(20), games=100_000)
    >>> estimate.first_wins_se < 0.002
    True
    """

    KEYS = (
        "game",
        "policies",
        "games",
        "seed",
        "wins",
        "wins_se",
        "turns_mean",
        "turns_mean_se",
        "turns_sd",
        "turns_sd_se",
    )
    COLUMNS = ("policies", "wins", "wins_se")

    game: Game
    policies: tuple[Policy, ...] = field(repr=False)
    games: int
    seed: int
    wins: tuple[float, ...]
    wins_se: tuple[float, ...]
    turns_mean: float
    turns_mean_se: float
    turns_sd: float
    turns_sd_se: float

    @property
    def first_wins_se(self) -> float:
        """The standard error of `first_wins`."""
        return self.wins_se[0]

    def __repr__(self):
        said = self._who_wins(list(map(with_interval, self.wins, self.wins_se)))
        return f"<Estimate of {title_of(self.game)}, {self.games:,} games: {said}>"


def _play_part(script, random, state, left):
    """Play on in a block of which so many games are left.

    Returns
    -------
    winners : ndarray
        See :func:`dicelab.engine.play.play`.
    lasted : dict
        How many of these games took 0 (drawn), 1, 2, … turns.
    block : tuple
        From which to go on: `random`, `state` and `left`.
    """
    winners, lasted = (np.zeros(size, dtype=np.int64) for size in (2**script.players, left))
    games = play(script, PART, random, state, winners, lasted)
    turns, counts = np.unique(lasted[:games], return_counts=True)
    ended = dict(zip(turns.tolist(), counts.tolist(), strict=True))
    return winners, ended, (random, state, left - games)


def _play_blocks(script, title, games, seed, n_jobs):
    """Play all games in blocks; return how many whoever won, and how many took 0, 1, … turns."""
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    streams = map(np.random.SFC64, np.random.SeedSequence(seed).spawn(len(sizes)))
    blocks = [
        (stream.state["state"]["state"], np.array([script.start, -1, 0, 0, 0]), size)
        for stream, size in zip(streams, sizes, strict=True)
    ]
    workers = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    winners, lasted = 0, Counter()
    with progress(None, title, "game", games, unit_scale=True, miniters=0, leave=True) as bar:
        while blocks:
            parts = workers(joblib.delayed(_play_part)(script, *block) for block in blocks)
            blocks = []
            for won, ended, block in parts:
                winners = winners + won
                lasted.update(ended)
                blocks += [block] if block[-1] else []
                said = "" if ended else f"the longest game in play: {block[1][-1]:,} turns"
                bar.set_postfix_str(said, refresh=False)
                bar.update(sum(ended.values()))
    return winners, lasted


def _estimate(game, policies, games, seed, winners, lasted):
    """The estimate of games that were won by whoever, and took so many turns; see :func:`_play_blocks`."""
    bits = np.arange(len(winners))[:, None] >> np.arange(len(policies)) & 1
    shares = bits / np.maximum(1, bits.sum(axis=1, keepdims=True))
    wins, squares = (winners @ shares**power / games for power in (1, 2))
    turns, frequencies = np.array(sorted(lasted.items()), dtype=float).T
    frequencies /= games
    endless = lasted[0] > 0
    mean = np.inf if endless else float(frequencies @ turns)
    variance, fourth = (
        np.nan if endless else float(frequencies @ (turns - mean) ** power) for power in (2, 4)
    )
    deviation = variance**0.5
    spread = (fourth - variance**2) / games
    return Estimate(
        game=game,
        policies=policies,
        games=games,
        seed=seed,
        wins=tuple(wins.tolist()),
        wins_se=tuple(((np.maximum(squares - wins**2, 0) / games) ** 0.5).tolist()),
        turns_mean=mean,
        turns_mean_se=deviation / games**0.5,
        turns_sd=deviation,
        turns_sd_se=spread**0.5 / (2 * deviation) if deviation else 0.0,
    )


def simulate(
    game: Game | str,
    first: Strategy,
    second: Strategy,
    *more: Strategy,
    games: int = 10_000_000,
    seed: int = 1,
    n_jobs: int = -1,
) -> Estimate:
    """Play policies against each other many times.

    Parameters
    ----------
    game : Game or str
    first, second : strategy
        Of the player who moves first, and of the next: policies, or whatever else plays; see :func:`dicelab.evaluate`.
    *more : strategy
        Of more players, in order of play: policies, not numbers.
    games : int
        How many, at least 1. With two policies this and what follows may be given by position, too: a third number is
        that of the games, not *hold at n*.
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
        As :func:`dicelab.evaluate`.
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
    game = read_game(game)
    # Two players' by position.
    if len(more) <= 3 and all(isinstance(number, numbers.Integral) for number in more):
        if more and isinstance(first, numbers.Integral) | isinstance(second, numbers.Integral):
            said = "it may be a number of games, or another player's turn total to hold at"
            raise ValueError(
                f"games: {more[0]}, given by its place, is not allowed here: {said}; give games=…"
            )
        games, seed, n_jobs = (*more, *(games, seed, n_jobs)[len(more) :])
        more = ()
    policies = names_of({"first": first, "second": second}, more)
    given = {name: value for name, value in policies.items() if isinstance(value, numbers.Number)}
    for name in given if more else ():
        if name.startswith("more"):
            meant = ", ".join(map("{}={}".format, ("games", "seed", "n_jobs"), given.values()))
            allowed = f"a policy, for example dicelab.hold_at(20); did you mean {meant}?"
            raise invalid(name, given[name], allowed, kinds=())
    games, seed, n_jobs = (
        check_int(games, "games", 1),
        check_int(seed, "seed", 0),
        check_jobs(n_jobs, "n_jobs"),
    )
    positions = len(policies) * len(game.scores) ** len(policies)
    table = game.longest * (len(game.modes) + len(branching_outcomes(game)))
    size = 12_000 * (games // BLOCK + 1) + 32 * BLOCK * (os.cpu_count() or 1)
    size += positions * (ROW_BYTES + 2 * table)  # tables, and the parts of which they are made
    said = f"{games:,} games of {game.name} to {game.target}"
    check_memory(size, said, f"take a smaller target, or fewer {'players' if more else 'games'}")
    players = read_players(game, **policies)
    seats = [record(game, each) if each.players == 2 else each for each in players]  # asked once
    script = script_of(seated(game, seats))
    found = _play_blocks(script, title_of(game), games, seed, n_jobs)
    return _estimate(game, players, games, seed, *found)
