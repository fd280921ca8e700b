"""Functions to study with `sweep`: all dice with given parts, a die in a few numbers, win rates of hold at n."""

from dataclasses import replace
from fractions import Fraction
from itertools import product

import joblib

from .._validation import check_int, check_sequence
from ..games.catalogue import generalized_pig
from ..games.model import BUST
from ..policies import hold_at
from ..solvers import solve
from ..solvers.one_player import threshold
from .match import evaluate
from .turn_outcomes import turn_points

__all__ = ["enumerate_dice", "hold_at_win_rates", "summarise_die"]

MAX_DICE = 100_000_000  # to look at in `enumerate_dice`


def enumerate_dice(points, faces, parts):
    """All dice that bust or score 1, 2, … `points` points, with probabilities that are multiples of 1/`parts`.

    Parameters
    ----------
    points : int
        The points of the highest face, from 1 to 100.
    faces : int
        The largest number of faces with a positive probability, including the bust, at least 2.
    parts : int
        At least 2.

    Returns
    -------
    list of tuple of Fraction
        The probabilities by face, sorted, as :func:`dicelab.generalized_pig` takes them. Face 0 is the bust, which is
        possible, but not certain.

    Raises
    ------
    ValueError
        If an argument is not allowed, or there are more than 100 million combinations to look at.

    Examples
    --------
    >>> [[str(p) for p in die] for die in enumerate_dice(points=2, faces=2, parts=3)]
    [['1/3', '0', '2/3'], ['1/3', '2/3', '0'], ['2/3', '0', '1/3'], ['2/3', '1/3', '0']]
    """
    points, faces = check_int(points, "points", 1, 100), check_int(faces, "faces", 2)
    parts = check_int(parts, "parts", 2)
    if (number := (parts + 1) ** points) > MAX_DICE:
        raise ValueError(f"points: {points} in {parts} parts are not allowed; that makes {number:.0e} dice to look at")
    dice = []
    for counts in product(range(parts + 1), repeat=points):
        bust = parts - sum(counts)
        if 0 < bust < parts and sum(count > 0 for count in counts) < faces:
            dice.append(tuple(Fraction(count, parts) for count in (bust, *counts)))
    return sorted(dice)


def summarise_die(die, target):
    """A generalized Pig in a few numbers.

    Parameters
    ----------
    die : sequence of Fraction
        The probabilities by face, as for :func:`dicelab.generalized_pig`.
    target : int

    Returns
    -------
    dict
        "bust": the probability of a bust. "hold": the lowest turn total at which a player holds who wants most points a
        turn. "turn_mean", "turn_sd": mean and standard deviation of the points of such a turn. "turns": the fewest
        expected turns to the target, alone. "first_wins": the first player's win probability in optimal play.

    Raises
    ------
    ValueError
        If these are not the rules of a game; see :func:`dicelab.generalized_pig`.

    Examples
    --------
    >>> summarise_die(("1/6", 0, *["1/6"] * 5), 100)["hold"]
    20
    """
    game = generalized_pig(die, target)
    hold = threshold(game)
    turn = turn_points(replace(game, target=hold + game.most_points), hold_at(hold))
    mean = float(turn @ turn.index)
    return {
        "bust": float(game.modes[0].chance(BUST)),
        "hold": hold,
        "turn_mean": mean,
        "turn_sd": float(turn @ turn.index**2 - mean**2) ** 0.5,
        "turns": solve(game, "turns").value,
        "first_wins": solve(game).value,
    }


def hold_at_win_rates(game, totals=None, play=evaluate):
    """Win probabilities of the optimal player against hold at n.

    Parameters
    ----------
    game : Game
    totals : sequence of int, optional
        The n. By default those within 10 of the n with the most expected points of one turn.
    play : callable
        Plays `game` between two policies: :func:`dicelab.evaluate`, or a function that simulates.

    Returns
    -------
    pandas.DataFrame
        Indexed by n. Columns "optimal first" and "optimal second", the optimal player's win probability when moving
        first and second, and between them "optimal average", the mean of both.

    Raises
    ------
    ValueError
        If an argument is invalid, or by default if the expected points of a turn grow with every roll, so that there is
        no best n.
    """
    import pandas as pd

    optimal = solve(game).policy
    if totals is None:
        best = threshold(game)
        totals = range(min(max(1, best - 10), game.target), min(best + 10, game.target) + 1)
    totals = check_sequence(totals, "totals", "a sequence of turn totals to hold at")
    pairs = [pair for n in totals for pair in ((optimal, hold_at(n)), (hold_at(n), optimal))]
    matches = joblib.Parallel(n_jobs=-1, prefer="threads")(joblib.delayed(play)(game, *pair) for pair in pairs)
    first = [match.first_wins for match in matches[::2]]
    second = [1 - match.first_wins for match in matches[1::2]]
    rates = pd.DataFrame({"optimal first": first, "optimal second": second}, index=pd.Index(totals, name="n"))
    rates.insert(1, "optimal average", (rates["optimal first"] + rates["optimal second"]) / 2)
    return rates
