"""Monte Carlo simulation of policies against each other, with standard errors.

Games are played by :mod:`dicelab.engine.play`, in blocks of a fixed size, each with random numbers of its own, spawned
from the seed. What is kept of a block are whole numbers. So the result depends on the seed and the number of games, but
not on the number of threads.

**Endless play.** From some positions no end can be reached any more: all can only bust, or resets keep them from the
target. A game that gets there is a draw, after infinitely many turns. All other games end with probability 1, but there
is no bound on their length. So a block is played in parts of a fraction of a second, between which it can be
interrupted and reports its progress.
"""

from dataclasses import dataclass, field

import joblib
import numpy as np

from .._limits import progress
from .._recorded import record
from .._shown import title_of, with_interval
from .._validation import check_int, invalid
from ..engine.play import LONGEST, play, script_of
from ..engine.race import seated
from ..games.model import Game
from ..games.named import read_game
from ..policies import Policy
from ..strategies import Strategy, is_number
from .match import OfPlayers, objective_of, seats_of

__all__ = ["Estimate", "simulate"]

BLOCK = 50_000  # games


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


def _play_block(script, stream, games):
    """Play some games; return how many whoever won, and how many took 0 (drawn), 1, 2, … turns."""
    winners, lasted = (np.zeros(size, dtype=np.int64) for size in (2**script.players, games))
    play(script, stream.state["state"]["state"], winners, lasted)
    return winners, np.bincount(lasted, minlength=LONGEST + 1)


def simulate(
    game: Game | str,
    first: Strategy,
    second: Strategy | None = None,
    *more: Strategy,
    games: int = 10_000_000,
    seed: int = 1,
    n_jobs: int = -1,
) -> Estimate:
    """Play many games between policies, or of one alone, with random dice.

    Parameters
    ----------
    game : Game or str
    first, second : strategy
        How the first player plays, and how the second; see :func:`dicelab.evaluate`.
    *more : strategy
        Further players, in order of play: policies, not numbers.
    games : int
        The number of games, at least 1.
    seed : int
        At least 0. The same seed and number of games give the same result.
    n_jobs : int
        The number of threads, or of a joblib backend's workers, at most 1000; -1 is one per core.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        If an argument is not allowed, or a policy is for another game.
    NotImplementedError
        As :func:`dicelab.evaluate`.
    MemoryError
        Before playing, if it would take more than half of the memory.

    Notes
    -----
    A game is a draw if it comes to scores from which it can't end, or if it lasts a million turns. The mean number of
    turns is infinite then.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> estimate = simulate(pig(), hold_at(25), hold_at(20), games=100_000)
    >>> abs(estimate.first_wins - 0.543482) < 4 * estimate.first_wins_se
    True
    """
    game = read_game(game)
    for k, number in enumerate(more):
        if is_number(number):
            raise invalid(
                f"more[{k}]",
                number,
                "a policy, for example dicelab.hold_at(20), or games=… for the number of games",
                (),
            )
    games, seed = check_int(games, "games", 1), check_int(seed, "seed", 0)
    n_jobs = check_int(n_jobs, "n_jobs", -1, 1000)
    players = seats_of(game, first, second, more)
    seats = [record(game, each) if each.players == 2 else each for each in players]  # asked once
    script = script_of(seated(game, seats, objective_of(seats)))
    sizes = [BLOCK] * (games // BLOCK) + [games % BLOCK] * (games % BLOCK > 0)
    streams = map(np.random.SFC64, np.random.SeedSequence(seed).spawn(len(sizes)))
    workers = joblib.Parallel(n_jobs=n_jobs, prefer="threads", return_as="generator")
    blocks = (
        joblib.delayed(_play_block)(script, *block) for block in zip(streams, sizes, strict=True)
    )
    winners, lasted = 0, 0
    for won, took in progress(workers(blocks), title_of(game), "block", len(sizes), leave=True):
        winners, lasted = winners + won, lasted + took
    bits = np.arange(len(winners))[:, None] >> np.arange(len(players)) & 1
    shares = bits / np.maximum(1, bits.sum(axis=1, keepdims=True))
    wins, squares = (winners @ shares**power / games for power in (1, 2))
    turns, frequencies, endless = np.arange(len(lasted)), lasted / games, lasted[0] > 0
    mean = np.inf if endless else float(frequencies @ turns)
    variance, fourth = (
        np.nan if endless else float(frequencies @ (turns - mean) ** power) for power in (2, 4)
    )
    deviation = variance**0.5
    return Estimate(
        game=game,
        policies=players,
        games=games,
        seed=seed,
        wins=tuple(wins.tolist()),
        wins_se=tuple(((np.maximum(squares - wins**2, 0) / games) ** 0.5).tolist()),
        turns_mean=mean,
        turns_mean_se=deviation / games**0.5,
        turns_sd=deviation,
        turns_sd_se=((fourth - variance**2) / games) ** 0.5 / (2 * deviation) if deviation else 0.0,
    )
