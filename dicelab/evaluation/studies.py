"""Studies of policies and games: how turns end, hold at n, the first player at every target.

`dicelab.studies` is this module. For parameter studies of other functions see :func:`dicelab.sweep`.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product
from numbers import Real

import joblib
import numpy as np
import pandas as pd

from .._limits import progress
from .._shown import title_of
from .._text import choose
from .._validation import check_bool, check_int, check_sequence, invalid
from ..engine.race import seated
from ..games.model import Game
from ..games.named import read_game
from ..policies import Policy
from ..rules_of_thumb import hold_at
from ..strategies import Strategy, read_policies
from .match import both_orders, evaluate, read_one
from .solving import solve

__all__ = [
    "first_player",
    "hold_at_n",
    "turn_points",
]


def hold_at_n(
    game: Game | str,
    n: int | Sequence[int] | None = None,
    against: Strategy | Sequence[int] = "optimal",
    alone: bool = False,
) -> pd.DataFrame:
    """The win probabilities of *hold at n*, exactly, for one n or several; or the turns that it needs alone.

    Parameters
    ----------
    game : Game or str
        A game, or the text of a game of the catalogue: "two-dice-pig", "pig 50".
    n : int or sequence of int, optional
        The turn totals to hold at. By default 1 to the target, and at most 100.
    against : "optimal", strategy, or sequence of int
        The opponent: the optimal player, or a strategy; a number m is *hold at m* (see :func:`dicelab.evaluate`).
        With a range or a list of numbers, every *hold at n* plays every *hold at m*.
    alone : bool, optional
        Whether *hold at n* plays alone, and `against` does not count.

    Returns
    -------
    pandas.DataFrame
        Indexed by n. Columns "first", "second" and "average": the probability that *hold at n* wins when it moves
        first, second, and the mean of both. If `against` is a sequence, there is a column for each m instead: the
        probability of *hold at n*, moving first, to beat *hold at m*. Alone, the columns are "turns", the mean number
        of turns to the target, and "deviation", its standard deviation. :func:`dicelab.plots.hold_at_n` draws each.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    NotImplementedError, ConvergenceError, MemoryError
        As :func:`dicelab.solve` and :func:`dicelab.evaluate`.

    Examples
    --------
    >>> hold_at_n("pig", [20, 25]).round(4).loc[25].to_dict()
    {'first': 0.5091, 'second': 0.4487, 'average': 0.4789}
    >>> round(float(hold_at_n("pig", [20, 25], against=[20, 25]).loc[25, 20]), 4)
    0.5435
    >>> hold_at_n("pig", [20, 25], alone=True).round(4).loc[20].to_dict()
    {'turns': 12.6368, 'deviation': 4.4502}
    """
    game = read_game(game)
    if not any(mode.may_hold and not mode.must_hold for mode in game.modes):
        raise invalid(
            "game",
            game.name,
            f"a game in which a player may hold; in {game.name} nobody does: see dicelab.first_player, dicelab.solve",
            (),
        )
    totals = _read_totals(range(1, min(game.target, 100) + 1) if n is None else n, "n")
    if check_bool(alone, "alone"):
        played = _in_threads(lambda total: evaluate(game, hold_at(total)), totals, game)
        rows = [(match.turns_mean, match.turns_sd) for match in played]
        return pd.DataFrame(rows, pd.Index(totals, name="n"), ["turns", "deviation"])
    if np.ndim(against) == 1 and all(isinstance(total, Real) for total in against):
        others = _read_totals(against, "against")
        pairs = list(dict.fromkeys(tuple(sorted(pair)) for pair in product(totals, others)))
        rows = _in_threads(lambda pair: both_orders(game, *map(hold_at, pair)), pairs, game)
        lower = dict(zip(pairs, rows, strict=True))  # moving first, and moving second
        wins = [[lower[n, m][0] if n <= m else 1 - lower[m, n][1] for m in others] for n in totals]
        return pd.DataFrame(wins, pd.Index(totals, name="n"), pd.Index(others, name="m"))
    if isinstance(against, str) and choose(against, ["optimal"]) == "optimal":
        against = solve(game).policy
    (opponent,) = read_policies(game, against=against)
    rows = _in_threads(lambda total: both_orders(game, hold_at(total), opponent), totals, game)
    rates = pd.DataFrame(rows, pd.Index(totals, name="n"), ["first", "second"])
    return rates.assign(average=rates.mean(axis=1))


def _read_totals(value, field):
    """Read a whole number from 1 on, or a sequence of them, as a list of int."""
    if isinstance(value, Real):
        return [check_int(value, field, 1)]
    totals = check_sequence(value, field, "a whole number, or a sequence of them, as range(15, 26)")
    return [check_int(total, f"{field}[{k}]", 1) for k, total in enumerate(totals)]


def _in_threads(function, items, game):
    """Call a function for each item on all cores: compiled code runs in threads."""
    jobs = joblib.Parallel(n_jobs=-1, prefer="threads", return_as="generator")
    return list(
        progress(jobs(map(joblib.delayed(function), items)), title_of(game), "pair", len(items))
    )


def first_player(
    game: Game | str | Callable[[int], Game], targets: int | Sequence[int] | None = None
) -> pd.DataFrame:
    """The first player's win probability in optimal play at several targets, exactly.

    Parameters
    ----------
    game : Game, str, or callable
        A game, whose target is changed; or a function that makes the game to a target, as :func:`dicelab.two_dice_pig`.
    targets : int or sequence of int, optional
        By default 1, 2, … up to the target of the game.

    Returns
    -------
    pandas.DataFrame
        Indexed by target. Columns "first wins", the probability, and "advantage", which is "first wins" - 1/2.
        :func:`dicelab.plots.first_player` draws it.

    Raises
    ------
    ValueError
        If an argument is not allowed, or the rules do not allow a target.
    NotImplementedError, ConvergenceError, MemoryError
        As :func:`dicelab.solve`.

    Notes
    -----
    Without resets, registers and last turns the values depend only on the points that both players need, so that one
    solution holds all targets up to its own. Otherwise each target is solved for itself.

    Examples
    --------
    >>> first_player("pig", [10, 50, 100])["first wins"].round(4).to_dict()
    {10: 0.7094, 50: 0.5462, 100: 0.5306}
    """
    rules = None if callable(game) else read_game(game)
    targets = _read_totals(
        range(1, rules.target + 1) if rules and targets is None else targets, "targets"
    )
    if rules and targets and rules.counts_needs:
        wins = solve(replace(rules, target=max(targets))).by_target()[targets]
    else:
        values = [
            solve(replace(rules, target=target) if rules else game(target)).value
            for target in progress(targets, "first player", "target")
        ]
        wins = pd.Series(values, pd.Index(targets, name="target"))
    return pd.DataFrame({"first wins": wins, "advantage": wins - 0.5})


# One policy alone


def turn_points(game: Game, policy: Policy, own: int | None = None) -> pd.Series:
    """The distribution of the points of a turn; takes arguments and raises as :func:`dicelab.evaluate`.

    The others have the points of the start; policies of more than two players may be given.

    Parameters
    ----------
    game : Game or str
    policy : strategy
    own : int, optional
        The score at which the turn begins; by default that of the start.

    Returns
    -------
    pandas.Series
        Probabilities by points: 0 is a bust that scores nothing, what is missing to the target the finish, and less
        than 0 a reset or a penalty.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> round(float(turn_points(pig(), hold_at(20))[0]), 4)
    0.6245
    """
    game = read_game(game)
    race = seated(game, [read_one(game, policy, one_turn=True)], "turns")
    own, ends = game.after_reset if own is None else own, race.positions.terminals
    turn = race.steps[[ends + game.index(own) * race.memory]].tocoo()
    scores = np.append(np.array(game.scores, dtype=int), game.target)
    scored = scores[np.where(turn.col < ends, len(game.scores), (turn.col - ends) // race.memory)]
    return pd.Series([0.0, *turn.data], [0, *(scored - int(own))]).groupby(level=0).sum()
