"""What the first move is worth in a long race, from one turn of the die alone; and where decisions are thresholds.

Let X be the points of a turn, μ the largest mean that a stopping rule can give it. In a long race a turn moves the
lead by little, so that a player whose chance to win is g(lead) wants the largest

    E[X - μ] + ½·ρ·E[(X - μ)²],      ρ = g″ / g′,

where ρ, the *risk*, is positive behind and negative ahead. Let h(ρ) be this maximum, over the rules that hold at all
totals beyond a bound: where ρ < 0, a rule that rolls there in order to lose points would be better by the square. So h
is convex and piecewise linear; a piece belongs to a stopping rule, its slope is half of what the rule has as
E[(X - μ)²], and h(0) = 0. Where several rules attain μ there is a kink at 0: ahead a player takes the one with the
least variance σ₋², behind the one with the greatest, σ₊². A turn of one player is followed by one of the other, whose
risk is the opposite. So with s points missing to both players together and the lead y,

    2·μ·g_s = g_y·(h(ρ) - h(-ρ)),      ρ = g_yy / g_y.                                                          (1)

Near ρ = 0 the right-hand side is ½·(σ₋² + σ₊²)·g_yy. Then (1) is the heat equation, and its solution is normal in y;
a move is worth half a turn, ½·μ·g_y, at even scores, and the advantage of the first player to N is

    μ^{3/2} / (4·√(π·N)·σ̄),      σ̄² = (σ₋² + σ₊²) / 2.                                                          (2)

In short races ρ is large, rules with a smaller mean are worth their price, and (1) is solved by finite volumes.
All this is a heuristic; notebooks/beyond/first-move.ipynb says what of it is proved, and under which hypothesis.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import product

import numpy as np
import pandas as pd
from scipy.linalg.lapack import dgtsv
from scipy.optimize import brentq

from dicelab._accuracy import TIE, ConvergenceError
from dicelab._validation import check_int, check_sequence, check_type, invalid
from dicelab.evaluation.solving import solve
from dicelab.games.catalogue import generalized_pig
from dicelab.games.model import BUST, RESET, Game, check_game
from dicelab.games.named import read_game
from dicelab.solution import Solution, check_solution
from dicelab_extras.learning.checks import check_real

__all__ = [
    "BestTurn",
    "best_turn",
    "chance_slopes",
    "compare_law",
    "enumerate_dice",
    "extrapolate",
    "first_player_law",
    "late_rolls",
    "law_constants",
    "near_tie_target",
    "risk_curve",
    "run_rate",
    "summarise_die",
]

WIDTH, CELLS = 6.0, 300  # the lead in (1) goes from -WIDTH to WIDTH standard deviations
STEPS = 500  # in the logarithm of the missing points
RISKS = 400  # in the table of h, on either side of 0
LEAST_VALUES = 100  # to extrapolate from
MAX_DICE = 100_000_000  # to look at in `enumerate_dice`


@dataclass(frozen=True, kw_only=True)
class BestTurn:
    """The turns with the most expected points: their mean, and the extremes of their variances.

    Attributes
    ----------
    mean : Fraction
        Points.
    least_variance, greatest_variance : Fraction
        Square points. They differ where rolling and holding, or two choices, are exactly tied in a turn of that mean.

    Examples
    --------
    >>> best_turn("piglet")
    BestTurn(mean=Fraction(1, 2), least_variance=Fraction(1, 4), greatest_variance=Fraction(3, 4))
    """

    mean: Fraction
    least_variance: Fraction
    greatest_variance: Fraction

    @property
    def variance(self) -> Fraction:
        """σ̄², the average of the least and the greatest variance."""
        return (self.least_variance + self.greatest_variance) / 2

    @property
    def limit(self) -> float:
        """The limit (2) of √N times the first player's advantage in a race to N."""
        return float(self.mean) ** 1.5 / (4 * math.sqrt(math.pi * self.variance))


def best_turn(game: Game | str) -> BestTurn:
    """The largest mean of a turn's points, and the variances of the stopping rules that attain it, in fractions.

    Parameters
    ----------
    game : Game or str
        A reset counts as a bust; the target does not matter.

    Returns
    -------
    BestTurn

    Raises
    ------
    ValueError
        If the game has registers, on which the best turn depends; or if a player with points comes into a mode that
        allows no hold, or whose roll never busts: then the rolls of a turn have no bound.

    Examples
    --------
    >>> turn = best_turn("pig")
    >>> [round(float(x), 4) for x in (turn.mean, turn.least_variance, turn.greatest_variance)]
    [8.1418, 111.0713, 119.2145]
    >>> round(turn.limit, 6)
    0.30537
    """
    turn = _bounded_turn(read_game(game))
    last = threshold(turn) + 1  # the tie, if there is one, is at most at the threshold itself
    points = [Fraction(k) for k in range(last + turn.most_points + 1)]
    (mean, least), (_, most) = (_best_rule(turn, points, last, sign) for sign in (-1, 1))
    return BestTurn(mean=mean, least_variance=least - mean**2, greatest_variance=most - mean**2)


def threshold(game):
    """The least total from which on every mode holds where it may, in the best turn of a game."""
    return len(solve(game, "score").values) - 1


def _bounded_turn(game):
    """One turn of a game in which every total may be held and every roll may bust. ValueError if there is none."""
    if game.registers:
        raise invalid(
            "game", game.name, "a game without registers: the best turn depends on them", ()
        )
    as_bust, game = {RESET: BUST}, game.until_change
    modes = [
        replace(
            mode,
            outcomes=[replace(o, result=as_bust.get(o.result, o.result)) for o in mode.outcomes],
        )
        for mode in game.modes
    ]
    turn = replace(game, modes=modes, finish="reach", target=threshold(game))
    for mode in _rolling(turn):
        if not (mode.may_hold and mode.chance(BUST)):
            raise invalid(
                "game",
                game.name,
                f"a game in which every roll may bust and be left; not so in mode {mode.name!r}",
                (),
            )
    return turn


def _rolling(turn):
    """The modes in which a player with points may roll, a list."""
    modes = (turn.modes[turn.mode(name)] for name in sorted(turn.reached_with_points))
    return [mode for mode in modes if not mode.must_hold]


def _best_rule(turn, worth, last, sign=1):
    """The mean and the second moment of the turn that makes the expected worth largest, and ties by sign·moment.

    `worth` is by turn total, numbers or arrays of float64, up to `last` plus the most points of a roll; from `last` on
    the player holds. Numbers of one kind go in and come out.
    """
    kind = Fraction if isinstance(worth[0], Fraction) else float
    zero, found = worth[0] * 0, {}

    def better(one, other):
        first = (one[0] > other[0]) | ((one[0] == other[0]) & (sign * one[2] >= sign * other[2]))
        return [np.where(first, a, b)[()] for a, b in zip(one, other, strict=True)]

    for k in range(len(worth) - 1, -1, -1):
        held = worth[k], zero + kind(k), zero + kind(k**2)
        for m in turn.order:
            mode = turn.modes[m]
            found[mode.name, k] = held
            if mode.must_hold or k >= last:
                continue
            rolled = [kind(mode.chance(BUST)) * worth[0], zero, zero]
            for outcome in (o for o in mode.outcomes if o.choices):
                best = reduce(better, (found[c.mode, k + c.points] for c in outcome.choices))
                chance = kind(outcome.probability)
                rolled = [a + chance * b for a, b in zip(rolled, best, strict=True)]
            found[mode.name, k] = better(held, rolled) if k else rolled
    return found[turn.modes[0].name, 0][1:]


def risk_curve(game: Game | str, risks: Sequence[float]) -> pd.DataFrame:
    """The turns that are best for a player who loves or shuns risk: h of this module's first page.

    Parameters
    ----------
    game : Game or str
        As for :func:`best_turn`.
    risks : sequence of float
        ρ, per point, between -10 and 10: positive for a player who loves risk. At 0 rounding decides a tie.

    Returns
    -------
    pandas.DataFrame
        Indexed by risk. "worth", h(ρ) in points; "mean" and "variance" of the points of the turn that attains it.

    Raises
    ------
    ValueError
        As :func:`best_turn`, or if `risks` is not allowed.

    Examples
    --------
    >>> risk_curve("pig", [-0.01, 0.01]).round(3).to_dict("list")
    {'worth': [-0.527, 0.629], 'mean': [8.089, 8.096], 'variance': [94.777, 135.06]}
    """
    turn = _bounded_turn(read_game(game))
    risks = check_sequence(risks, "risks", "a sequence of numbers, as [-0.01, 0.01]")
    risks = [check_real(risk, f"risks[{k}]", -10, 10) for k, risk in enumerate(risks)]
    table = _risk_table(turn, float(best_turn(game).mean), np.array(risks))
    return pd.DataFrame(table, pd.Index(risks, name="risk"), ["worth", "mean", "variance"])


def _risk_table(turn, mean, risks):
    """By risk, (n, 3): h, the mean and the variance of the turn that attains it."""
    last = _last_total(turn, mean, max(risks, default=0.0))
    excess = np.arange(last + turn.most_points + 1.0)[:, None] - mean
    average, square = _best_rule(turn, excess + 0.5 * risks * excess**2, last)
    variance = square - average**2
    worth = average - mean + 0.5 * risks * (variance + (average - mean) ** 2)
    return np.stack([worth, average, variance], axis=1)


def _last_total(turn, mean, risk):
    """A total from which on one more roll and then a hold brings less than a hold, at all risks from 0 to `risk`.

    So from there on holding is best. What the roll brings more is a concave quadratic polynomial of the total, and it
    is linear in the risk, so that it is enough to know its sign at both ends; at risk 0 see :func:`threshold`. At
    negative risks we look for the best of the turns that hold from this total on.
    """
    last, risk = threshold(turn), max(risk, 0.0)
    for mode in _rolling(turn):
        bust = float(mode.chance(BUST))
        gains = [
            (float(o.probability), max(c.points for c in o.choices))
            for o in mode.outcomes
            if o.choices
        ]
        first, second = (sum(p * points**power for p, points in gains) for power in (1, 2))
        constant = first + 0.5 * risk * second - bust * (mean - 0.5 * risk * mean**2)
        roots = np.roots([-0.5 * risk * bust, risk * first - bust, constant])
        last = max(last, *(math.floor(root.real + mean) + 1 for root in roots))
    return last


def near_tie_target(game: Game | str) -> float:
    """A scale for near ties: from this target on only leads of more than one deviation call for a smaller mean.

    It is no end. With 1/2 0 0 0 1/6 1/3 the scale is 618, and in a race to 2000 near ties still change the advantage by
    2.7 %.

    Parameters
    ----------
    game : Game or str
        As for :func:`best_turn`.

    Returns
    -------
    float
        1 / (2·κ·ρ²) with κ = σ̄² / μ and the least risk ρ, ahead or behind, at which the best turn has a smaller mean:
        even players meet this risk at a lead of one standard deviation, √(2·κ·N). 0 if there is none below 1.

    Raises
    ------
    ValueError
        As :func:`best_turn`.

    Examples
    --------
    >>> round(near_tie_target("pig"), -2)
    2300.0
    """
    best = best_turn(game)
    mean, risks = float(best.mean), np.geomspace(1e-5, 1, 1000)
    table = _risk_table(_bounded_turn(read_game(game)), mean, np.append(-risks, risks))
    tied = np.repeat([float(best.least_variance), float(best.greatest_variance)], len(risks))
    price = mean - table[:, 1]
    # Each of these turns is better than a tied one from a certain risk on.
    near = price > TIE * mean
    gain = np.abs(table[near, 2] + price[near] ** 2 - tied[near])
    least = (2 * price[near] / gain).min(initial=np.inf)
    return float(best.mean / (2 * best.variance)) / float(least) ** 2


def first_player_law(game: Game | str, targets: Sequence[int]) -> pd.DataFrame:
    """The first player's advantage in long races, predicted from one turn: no race is solved.

    Parameters
    ----------
    game : Game or str
        As for :func:`best_turn`, without resets, and without a last turn for the other player.
    targets : sequence of int

    Returns
    -------
    pandas.DataFrame
        Indexed by target. "limit": by (2) of this module's first page, where only exact ties count. "advantage": by
        (1), in which rules with nearly the largest mean count, too. Where a target is below the total to hold at in a
        single turn, both are the same, and mean nothing.

    Raises
    ------
    ValueError
        If an argument is not allowed, or as :func:`best_turn`.
    NotImplementedError
        If the other player has a last turn.

    Examples
    --------
    The exact advantage is 0.030593.

    >>> first_player_law("pig", [100]).round(4).loc[100].to_dict()
    {'limit': 0.0305, 'advantage': 0.0303}
    """
    game = check_game(read_game(game), last_turn=False)
    if game.resets:
        raise invalid(
            "game", game.name, "a race without resets: the law is about the lead alone", ()
        )
    targets = check_sequence(targets, "targets", "a sequence of targets, as range(10, 101, 10)")
    targets = np.array(
        [check_int(n, f"targets[{k}]", 1) for k, n in enumerate(targets)], dtype=float
    )
    best = best_turn(game)
    limit = best.limit / np.sqrt(targets)
    law = limit * _near_ties(_bounded_turn(game), best, targets) if len(targets) else limit
    return pd.DataFrame(
        {"limit": limit, "advantage": law}, pd.Index(targets.astype(int), name="target")
    )


def _near_ties(turn, best, targets):
    """g_y by (1) over g_y of the heat equation, at even scores, by target.

    With z = y / √(κ·s), κ = σ̄² / μ and t = ln s the derivative u = g_z solves u_t = ∂_z (½·z·u + ½·a·u_z + d·u), where
    a and d depend on ρ = u_z / (u·√(κ·s)): the rules of both players have the variances a·2σ̄² together, and their means
    lead to the drift d. A step takes the rules of the step before, so that it is a step for a linear equation; the heat
    equation is solved beside it, with the same errors.
    """
    mean, ties = float(best.mean), 2 * float(best.variance)
    kappa = ties / 2 / mean
    start, end = math.log(2 * threshold(turn)), math.log(2 * targets.max())
    if end <= start:
        return np.ones(len(targets))
    edges = np.linspace(-WIDTH, WIDTH, CELLS + 1)
    risks = 1.2 * WIDTH / math.sqrt(kappa * math.exp(start)) * np.geomspace(1e-7, 1, RISKS)
    _, means, variances = _risk_table(turn, mean, np.concatenate([-risks[::-1], risks])).T
    price, spread = mean - means, variances + (means - mean) ** 2  # in points; E[(X - μ)²]

    heat = u = np.exp(-(((edges[1:] + edges[:-1]) / 2) ** 2) / 2)
    times, ratio = np.linspace(start, end, STEPS + 1), [1.0]
    step, half = times[1] - start, CELLS // 2
    heat_step = _implicit_step(edges, 0.0, np.ones(CELLS + 1), step)
    for time in times[1:]:
        scale = math.sqrt(kappa) * math.exp(time / 2)
        risk = np.diff(np.log(np.concatenate([u[:1], u, u[-1:]]))) / (edges[1] - edges[0]) / scale
        place = np.searchsorted(risks, np.abs(risk)).clip(max=RISKS - 1)  # of both rules, by risk
        mine, yours = (
            np.where(leads, RISKS - 1 - place, RISKS + place) for leads in (risk < 0, risk > 0)
        )
        drift = (price[yours] - price[mine]) * scale / ties
        u = _solved(_implicit_step(edges, drift, (spread[mine] + spread[yours]) / ties, step), u)
        heat = _solved(heat_step, heat)
        ratio.append(u[half - 1 : half + 1].sum() / heat[half - 1 : half + 1].sum())
    return np.interp(np.log(2 * targets), times, ratio)


def _implicit_step(edges, drift, spread, step):
    """The matrix of a step of u_t = ∂_z ((½·z + drift)·u + ½·spread·u_z), by finite volumes: its three diagonals.

    Nothing flows over the ends.
    """
    width = edges[1] - edges[0]
    along, across = (0.5 * edges + drift) / 2, 0.5 * spread / width
    # The flux by u at either side.
    left, right = step / width * (along - across), step / width * (along + across)
    left[[0, -1]] = right[[0, -1]] = 0.0
    return left[1:-1], 1.0 - left[1:] + right[:-1], -right[1:-1]


def _solved(diagonals, u):
    """Solve a tridiagonal system, by LAPACK itself: scipy's checks would take longer than the solution."""
    *_, after, failed = dgtsv(*diagonals, u)
    if failed:
        raise ConvergenceError(f"the equation for near ties: a singular step, {failed}")
    return after


def law_constants(dice: Mapping[str, Sequence[Fraction]]) -> pd.DataFrame:
    """The constants of the law for several dice.

    Parameters
    ----------
    dice : dict
        By name the probabilities by face, as for :func:`dicelab.generalized_pig`.

    Returns
    -------
    pandas.DataFrame
        Indexed by die. "tie": the turn total t at which one more roll and then a hold brings as much as a hold. There
        is a tie if a turn can have t points. "mean", "least variance", "greatest variance" and "limit": see
        :class:`BestTurn`. "near ties to": see :func:`near_tie_target`.

    Raises
    ------
    ValueError
        If `dice` is no dict, or these are not the rules of a game.

    Examples
    --------
    >>> law_constants({"coin": ["1/2", "1/2"]}).round(3).loc["coin"].to_list()
    [1.0, 0.5, 0.25, 0.75, 0.071, 0.5]
    """
    rows = {}
    for name, die in check_type(dice, "dice", Mapping, "a dict of dice by name").items():
        game = generalized_pig(die, 1)
        (mode,), turn = game.modes, best_turn(game)
        gain = sum(o.probability * o.choices[0].points for o in mode.outcomes if o.choices)
        numbers = gain / mode.chance(BUST), turn.mean, turn.least_variance, turn.greatest_variance
        rows[name] = [*map(float, numbers), turn.limit, near_tie_target(game)]
    columns = ["tie", "mean", "least variance", "greatest variance", "limit", "near ties to"]
    return pd.DataFrame.from_dict(rows, "index", columns=columns).rename_axis("die")


def chance_slopes(solution: Solution, needs: int) -> pd.DataFrame:
    """What a point is worth to the player who has just moved: exactly, and in the normal limit.

    Parameters
    ----------
    solution : Solution
        With the objective "win", of a game as for :func:`best_turn`.
    needs : int
        The points that the player about to move needs, at most the target.

    Returns
    -------
    pandas.DataFrame
        Indexed by the lead of the player who has just moved, in rising order. "exact": by how much the chance of this
        player grows with one more point. "limit": the derivative of Φ(lead / √(κ·s)), with s the points that both need.

    Raises
    ------
    ValueError
        If an argument is not allowed, or as :func:`best_turn`.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> chance_slopes(solve(pig(200)), 100).loc[0].round(4).to_dict()
    {'exact': 0.0072, 'limit': 0.0075}
    """
    game = check_solution(solution, ("win",), last_turn=False).game
    needs = check_int(needs, "needs", 1, game.target)
    best = best_turn(game)
    other = game.target - np.arange(game.target - 1)  # the needs of the player who has just moved
    lead, both = needs - other, needs + other
    wide = np.sqrt(float(best.variance / best.mean) * both)
    limit = (
        np.exp(-((lead / wide) ** 2) / 2) / math.sqrt(2 * math.pi) * (1 + lead / (2 * both)) / wide
    )
    exact = np.diff(1 - solution.values[game.target - needs])
    return pd.DataFrame({"exact": exact, "limit": limit}, pd.Index(lead, name="lead"))


def extrapolate(values: pd.Series) -> tuple[float, float]:
    """The limit of numbers c(N) that are a polynomial of 1/√N up to a small rest, with an error bar.

    Parameters
    ----------
    values : pandas.Series
        Indexed by N = 1, 2, …, at least 100 of them.

    Returns
    -------
    limit, error : float
        By least squares with degree 5 in 1/√N, over the last three quarters of N. The error bar is an estimate, no
        bound: the larger of the changes with degree 4, and over the last seven eighths. It may be several times too
        small where the numbers are no such polynomial, as with near ties.

    Raises
    ------
    ValueError
        If there are fewer than 100 numbers.

    Examples
    --------
    >>> import pandas as pd
    >>> n = pd.Series(range(1, 1001), range(1, 1001))
    >>> limit, error = extrapolate(2 + n**-0.5 - 3 / n)
    >>> round(limit, 8), error < 1e-8
    (2.0, True)
    """
    allowed = f"a Series of at least {LEAST_VALUES} numbers, by N"
    if len(check_type(values, "values", pd.Series, allowed)) < LEAST_VALUES:
        raise invalid("values", values.to_list(), allowed)

    def fitted(degree, part):
        last = values.iloc[len(values) // part :]
        powers = last.index.to_numpy(dtype=float)[:, None] ** (-0.5 * np.arange(degree + 1))
        return float(np.linalg.lstsq(powers, last.to_numpy(dtype=float), rcond=None)[0][0])

    limit = fitted(5, 4)
    return limit, max(abs(limit - fitted(4, 4)), abs(limit - fitted(5, 8)))


def late_rolls(solution: Solution) -> pd.DataFrame:
    """The pairs of needs at which a player who may hold at some turn total would roll again at a larger one.

    Everywhere else the policy holds at a threshold, in every mode.

    Parameters
    ----------
    solution : Solution
        For two players, with the objective "win" or "margin".

    Returns
    -------
    pandas.DataFrame
        A row for each pair: "own", the points missing to the player to move, and "opponent". Only turn totals count
        that the dice can make.

    Raises
    ------
    ValueError
        If `solution` is not allowed, or its game has registers or a last turn for the other player.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> int(late_rolls(solve(pig(100))).min(axis=1).max())
    55
    """
    game = check_solution(solution, ("win", "margin"), last_turn=False).game
    if game.registers:
        raise invalid(
            "solution", game.name, "a game without registers: holds are compared by score", ()
        )
    occurs = np.zeros((len(game.modes), game.longest), dtype=bool)  # what the dice can make
    occurs[0, 0] = True
    for total, m in product(range(game.longest), reversed(game.order)):
        met = game.modes[m].outcomes if occurs[m, total] else ()
        for choice in (c for outcome in met for c in outcome.choices):
            at = total + choice.points
            occurs[game.mode(choice.mode), at : at + 1] = True
    occurs[:, 0] = False
    late = np.zeros((game.target, game.target), dtype=bool)
    for own in game.scores:
        rolls = solution.policy.decisions_at(game, own)[:, :, : game.missing(own)]
        for m in (m for m, mode in enumerate(game.modes) if mode.may_hold):
            roll = rolls[:, m, occurs[m, : rolls.shape[2]]]
            late[own] |= np.count_nonzero(roll, axis=1) > np.pad(roll, [(0, 0), (0, 1)]).argmin(1)
    return pd.DataFrame(game.target - np.argwhere(late), columns=["own", "opponent"])


def run_rate(game: Game | str) -> float:
    """The rate λ at which the chance to make n points in a single turn falls: e^{-λn}, about, if one never holds.

    Parameters
    ----------
    game : Game or str
        Of one mode, in which a roll may bust, and otherwise adds at least a point.

    Returns
    -------
    float
        Per point: the solution of Σ p·e^{λ·points} = 1, the sum being over the rolls that do not bust. If no roll has
        more than m points, the chance lies between e^{-λ(n + m - 1)} and e^{-λn}.

    Raises
    ------
    ValueError
        If the game is not of this kind.

    Examples
    --------
    >>> round(run_rate("pig"), 4)
    0.0451
    """
    game = read_game(game)
    (mode, *more) = game.modes
    moves = [
        (float(o.probability), [c.points for c in o.choices]) for o in mode.outcomes if o.choices
    ]
    if (
        more
        or not mode.chance(BUST)
        or not moves
        or any(len(o) > 1 or min(o) < 1 for _, o in moves)
    ):
        raise invalid(
            "game",
            game.name,
            "a game of one mode, as Pig, in which a roll may bust or adds points",
            (),
        )
    most = min(-math.log(p) / points for p, (points,) in moves)  # where one term alone is 1
    return brentq(lambda x: sum(p * math.exp(x * points) for p, (points,) in moves) - 1, 0, most)


def compare_law(die: Sequence[Fraction], target: int) -> dict[str, float]:
    """The first player's advantage with a die, and what the law says of it; for :func:`dicelab.sweep`.

    Parameters
    ----------
    die : sequence of Fraction
        The probabilities by face, as for :func:`dicelab.generalized_pig`.
    target : int

    Returns
    -------
    dict
        "exact", the advantage in optimal play; "limit" and "law", as "limit" and "advantage" of
        :func:`first_player_law`.

    Raises
    ------
    ValueError
        If these are not the rules of a game; see :func:`dicelab.generalized_pig`.

    Examples
    --------
    >>> {name: round(value, 6) for name, value in compare_law(("1/2", "1/2"), 1000).items()}
    {'exact': 0.00223, 'limit': 0.00223, 'law': 0.00223}
    """
    game = generalized_pig(die, target)
    limit, law = first_player_law(game, [target]).iloc[0]
    # All scores are multiples.
    unit = math.gcd(*(choice.points for choice in game.modes[0].choices))
    exact = solve(generalized_pig(die[::unit], -(-target // unit))).value - 0.5
    return {"exact": exact, "limit": float(limit), "law": float(law)}


def enumerate_dice(points: int, faces: int, parts: int) -> list[tuple[Fraction, ...]]:
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
        raise ValueError(
            f"points: {points} in {parts} parts are not allowed; that makes {number:.0e} dice to look at"
        )
    return sorted(
        tuple(Fraction(count, parts) for count in (parts - sum(counts), *counts))
        for counts in product(range(parts + 1), repeat=points)
        if 0 < sum(counts) < parts and sum(count > 0 for count in counts) < faces
    )


def summarise_die(die: Sequence[Fraction | str | float], target: int) -> dict[str, float]:
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
        turn. "turn_mean", "turn_sd": mean and standard deviation of the points of such a turn; where another turn has
        the same mean, from the average of the least and the greatest variance (:func:`best_turn`). "turns": the fewest
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
    turn = best_turn(game)
    return {
        "bust": float(game.modes[0].chance(BUST)),
        "hold": threshold(game),
        "turn_mean": float(turn.mean),
        "turn_sd": float(turn.variance) ** 0.5,
        "turns": solve(game, "turns").value,
        "first_wins": solve(game).value,
    }
