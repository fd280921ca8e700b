"""Komi: with how many points the second player should start so that the game is most nearly even."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from .._accuracy import check_error
from .._results import Result
from .._shown import name_of, title_of
from .._validation import check_bool
from ..games.model import Game
from ..games.situation import read_game
from ..policies import Policy
from ..solvers import solve
from ..strategies import Strategy
from .match import chain_of, read_players

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Komi", "komi"]


@dataclass(frozen=True, eq=False, kw_only=True)
class Komi(Result):
    """With how many points one player should start so that the game is most nearly even.

    Attributes
    ----------
    game : Game
    first, second : Policy or None
        The players' policies; None for both if both play optimally.
    toss : bool
        Whether a coin decides who moves first, instead of `first`.
    points : int
        The points, in chips where the game counts chips, that `second` starts with, in 1 - target, …, target - 1. If
        they are negative, `first` starts with as many.
    first_wins : float
        The probability that `first` wins then, a draw counting half.
    fewer, more : float or None
        The probability that `first` wins if `second` has one point fewer, and one more. None at an end of the range.
    chances : ndarray (2·target - 1,)
        The probability that `first` wins with 1 - target, …, target - 1 points for `second`. Read-only.
    error : float
        An estimate of how far these probabilities may be off.

    Examples
    --------
    >>> from dicelab import komi, piglet
    >>> komi(piglet(1))
    <Komi of Piglet to 1: 0 points for the second player; the first wins 0.666667>
    """

    KEYS = ("game", "first", "second", "toss", "points", "first_wins", "fewer", "more", "error")

    game: Game
    first: Policy | None = None
    second: Policy | None = None
    toss: bool = False
    points: int
    first_wins: float
    fewer: float | None
    more: float | None
    chances: np.ndarray = field(repr=False)
    error: float

    def to_frame(self) -> pd.DataFrame:
        """The chances of the first player, "first wins", a DataFrame by the second player's points."""
        import pandas as pd

        points = pd.RangeIndex(1 - self.game.target, self.game.target, name="points")
        return pd.DataFrame({"first wins": self.chances}, points)

    def __repr__(self):
        who = (
            "" if self.first is None else f", {name_of(self.first)} against {name_of(self.second)}"
        )
        who += ", a coin decides who moves first" if self.toss else ""
        given = f"{self.game.with_unit(abs(self.points))} for the {'second' if self.points >= 0 else 'first'} player"
        # For who gets the points.
        around = (self.fewer, self.more) if self.points >= 0 else (self.more, self.fewer)
        sides = {
            side: f"{at:.6g}"
            for side, at in zip(("fewer", "more"), around, strict=True)
            if at is not None
        }
        unit = "point" if self.game.chip == 1 else "chip"
        near = (
            f" (one {unit} {' or '.join(sides)}: {' and '.join(sides.values())})" if sides else ""
        )
        return f"<Komi of {title_of(self.game)}{who}: {given}; the first wins {self.first_wins:.6g}{near}>"


def komi(
    game: Game | str,
    first: Strategy | None = None,
    second: Strategy | None = None,
    *,
    toss: bool = False,
) -> Komi:
    """Find with how many points the second player should start so that the game is most nearly even.

    Parameters
    ----------
    game : Game or str
        With any finish.
    first, second : strategy, optional
        Of the player who moves first, and of the other. By default both play optimally. With one of them given, the
        other one plays optimally against an optimal player, as :func:`dicelab.solve` does.
    toss : bool
        Whether a coin decides who moves first. `first` and `second` are then two players, and their chances are the
        means of moving first and second: the handicap of the weaker one of two.

    Returns
    -------
    Komi
        Of equally even numbers of points the one nearest to 0, and the positive one.

    Raises
    ------
    ValueError, NotImplementedError, ConvergenceError, MemoryError
        As :func:`dicelab.solve` and :func:`dicelab.evaluate`.

    Notes
    -----
    The chances are values of the game at scores 0 and k at the start, and at k and 0 for negative komi. A player who
    starts with points loses them in a reset like others. No handicap may do where the target is small: Piglet to 1
    cannot be made even, and its komi is 0 points.

    Examples
    --------
    >>> from dicelab import hold_at, pig
    >>> found = komi(pig())
    >>> found.points, [round(chance, 4) for chance in (found.fewer, found.first_wins, found.more)]
    (4, [0.5089, 0.5016, 0.4942])
    >>> komi(pig(), second=hold_at(20), toss=True).points
    8
    """
    game = read_game(game)
    check_bool(toss, "toss")
    if first is second is None:
        solution, players = solve(game), (None, None)
        values = solution.values.reshape(-1, *solution.values.shape[-2:])[0]  # of the role 0
        found, error = [chances_of(game, values)], solution.error
    else:
        given = [solve(game).policy if player is None else player for player in (first, second)]
        players = read_players(game, first=given[0], second=given[1])
        found, error = [], 0.0
        for mover, other in (players, players[::-1])[: 1 + toss]:
            values, _, _, off = chain_of(game, mover, other).win_probability()
            check_error(game, off)
            found.append(chances_of(game, values[:: mover.memory, :: other.memory]))
            error = max(error, off)
    # with a toss the mean of moving first and second, where the other one's are by the points of this one
    chances = (found[0] + 1 - found[-1][::-1]) / 2 if toss else found[0]
    points = np.arange(1 - game.target, game.target)
    best = min(
        range(len(points)), key=lambda k: (abs(chances[k] - 0.5), abs(points[k]), -points[k])
    )
    fewer, wins, more = (
        float(chances[k]) if 0 <= k < len(points) else None for k in (best - 1, best, best + 1)
    )
    return Komi(
        game=game,
        first=players[0],
        second=players[1],
        toss=toss,
        points=int(points[best]),
        first_wins=wins,
        fewer=fewer,
        more=more,
        chances=chances,
        error=float(error),
    )


def chances_of(game, values):
    """The chances of the player who moves first, by the other player's points, from ``values[own, opponent]``.

    In a game with registers both begin in the first.
    """
    places = [game.index(points) for points in range(game.target)]
    values = values[np.ix_(places, places)]
    return np.append(values[:0:-1, 0], values[0])
