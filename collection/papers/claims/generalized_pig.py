"""How the claims of generalized-pig (Crocce and Mordecki 2018) are checked: `CHECKS`, a function for every claim.

Symbols are the paper's: a and b are points needed, τ is the turn total, v(a, b) the value to the player to move, and
f_{a,b,i} the function of Proposition 1. General statements are checked on `GAMES`, in fractions.
"""

from fractions import Fraction
from functools import cache, reduce
from itertools import product

import numpy as np

from dicelab.games.catalogue import generalized_pig, pig, piglet

from ...course.textbook.piecewise_linear import (
    PiecewiseLinear,
    backward_induction,
    by_fixed_point,
    by_intersection,
    by_linear_program,
    turn_curves,
)
from ..published import as_number, half_unit, published
from .findings import VERDICTS, Finding, exceptions, gap, solved, verdict_of
from .pair_by_pair import polygon_corners, stopped_iteration

__all__ = ["CHECKS"]

LOADED = generalized_pig(["1/4", 0, "1/2", "1/4"], 9, name="a loaded die")
HALF_POINTS = generalized_pig(["2/5", "1/5", 0, "2/5"], 8, name="a die with the faces 0, 1 and 3")
GAMES = pig(12), piglet(8), LOADED, HALF_POINTS
SURE = generalized_pig([0, "1/2", "1/2"], 6, name="a die that never busts")
# f of a die that always busts, p₀ = 1.
LOST = PiecewiseLinear((Fraction(0), Fraction(1)), (Fraction(1), Fraction(0)))
NELLER_PRESSER = "53.06%"  # Neller and Presser (2004): the first player's win probability in Pig


@cache
def _exact(game):
    """The exact values v(a, b) of a game, a dict by needs."""
    values = solved(game, exact=True).values
    target = game.target
    return {
        (a, b): values[target - a, target - b] for a, b in product(range(1, target + 1), repeat=2)
    }


def _chances(game):
    """The probabilities p₀, …, pₙ of a generalized Pig, in Fractions."""
    chances = [Fraction(0)] * (game.most_points + 1)
    for outcome in game.modes[0].outcomes:
        chances[outcome.choices[0].points if outcome.choices else 0] += outcome.probability
    return chances


@cache
def _functions(game, a, b):
    """The functions f_{a,b,i}, a dict by i."""
    v = _exact(game)
    curves = turn_curves(game, lambda i: 1 - v[b, i], a)
    return {i: function for (_, i), function in curves.items()}


def _pairs(games=GAMES):
    """All games with all pairs of needs."""
    return [(game, a, b) for game in games for a, b in product(range(1, game.target + 1), repeat=2)]


def _turn(game, a, b):
    """Equation (2): roll[τ] = v_roll(a, b, τ) and value[τ] = v(a, b, τ) from the pairs' values, two dicts by τ."""
    v, (bust, *faces) = _exact(game), _chances(game)
    roll = {}
    value = {total: Fraction(1) for total in range(a, a + len(faces))}
    for total in range(a - 1, -1, -1):
        roll[total] = bust * (1 - v[b, a]) + sum(
            p * value[total + i] for i, p in enumerate(faces, start=1)
        )
        value[total] = max(1 - v[b, a - total], roll[total]) if total else roll[total]
    return roll, value


@cache
def _bust_first(game, a):
    """P(Θ₀ < Θₐ) of a player who always rolls, forwards; Θₐ is when the total reaches or passes a."""
    faces, at = _chances(game)[1:], {0: Fraction(1)}
    for total in range(a):
        for points, p in enumerate(faces, start=1):
            at[total + points] = at.get(total + points, 0) + at.get(total, 0) * p
    reached = sum(chance for total, chance in at.items() if total >= a)
    return 1 - reached


def _best_turn():
    """Section 1: the best single turn of Pig holds at 20 and scores 8.1418 points on average."""
    best = solved(pig(), "score", exact=True)
    threshold = len(best.values) - 1
    roll_at = sum(Fraction(20 + face, 6) for face in range(2, 7))
    tie = "exactly as much as" if roll_at == 20 else "not the same as"
    right = threshold == 20 and abs(best.value - as_number("8.1418")) <= half_unit("8.1418")
    return verdict_of(
        right,
        f"hold at {threshold}, {float(best.value):.6f} points; at 20 a roll is worth {tie} a hold",
    )


def _best_piglet_turn():
    """Section 1: the best single turn of Piglet holds at 1 and scores 1/2."""
    best = solved(piglet(), "score", exact=True)
    two = Fraction(1, 4) * 2  # hold at 2
    also = ", hold at 2 just as many" if two == best.value else ""
    threshold = len(best.values) - 1
    return verdict_of(
        (threshold, best.value) == (1, Fraction(1, 2)),
        f"hold at {threshold}, {best.value} points{also}",
    )


def _rational():
    """Section 1: the solution belongs to the same field as the data, here the rational numbers."""
    games = [pig(10), pig(20), pig(40)]
    values = [solved(game, exact=True).value for game in games]
    digits = ", ".join(
        f"{len(str(value.denominator)):,} digits to {game.target}"
        for game, value in zip(games, values, strict=True)
    )
    remainders = [
        _turn(pig(20), a, b)[1][0] - _exact(pig(20))[a, b] for _, a, b in _pairs((pig(20),))
    ]
    right = all(isinstance(value, Fraction) for value in values) and not any(remainders)
    return verdict_of(
        right, f"fractions that solve (2) without a remainder; denominators of Pig: {digits}"
    )


def _transience():
    """Section 2.6: the game ends with probability one, whatever is played."""
    least = [1 - _bust_first(game, game.target) for game in (*GAMES, pig())]
    found = f"in Pig a turn scores with probability at least {float(least[-1]):.4f}, by rolling to the end"
    holds = [*(chance > 0 for chance in least), LOST(1) > 0]
    return exceptions(
        holds, "games", f"{found}; with p₀ = 1, which the paper allows, play never ends"
    )


def _independent_of_target():
    """Sections 2.6 and 3: the values depend on a and b, not on the target."""
    holds = []
    for game, make in ((pig(24), pig), (piglet(8), piglet)):
        larger = solved(game, exact=True).values
        for target in range(1, game.target):
            holds.append(
                (solved(make(target), exact=True).values == larger[-target:, -target:]).all()
            )
    return exceptions(holds, "smaller targets", "equal fractions, Pig to 24 and Piglet to 8")


def _theorem():
    """Theorem 3.1: a finite algorithm gives the value and an optimal strategy."""
    games = (*GAMES, SURE)
    holds = [(backward_induction(game) == solved(game, exact=True).values).all() for game in games]
    return exceptions(holds, "games", f"Pig to 12: {solved(pig(12), exact=True).value} by both")


SIZES = 25, 50, 100, 200


def _corners(target):
    """The points that define functions of Pig in Algorithm 2, for each pair: all f_{a,b,i}, and f_{a,b}."""
    return polygon_corners(pig(target))


def _total(target):
    return int(_corners(target)[0].sum())


def _cost():
    """Theorem 3.1: O(N³ log N) steps."""
    ratios = [_total(target) / (target**3 * np.log(target)) for target in SIZES]
    bounded = ratios[-1] <= 1.1 * ratios[-2]
    growth = np.log2(_total(SIZES[-1]) / _total(SIZES[-2]))
    found = (
        f"{_total(100):,} points that define the functions for Pig to 100, {_total(200):,} to 200"
    )
    found += f", {2**growth:.0f} times"
    found += f"; over N³ log N: {', '.join(f'{ratio:.2f}' for ratio in ratios)}"
    return gap(
        bounded, f"{found}; for Algorithm 2 as printed, another algorithm may reach the bound"
    )


def _polynomial():
    """Abstract, sections 1 and 5: the algorithm is polynomial: f_{a,b,i} has i corners at most, Proposition 1(b)."""
    bounds = {n: n**2 * (n + 1) * (n + 2) // 6 for n in SIZES}
    shares = [
        (_total(n) - n**2 * (n + 1)) / bound for n, bound in bounds.items()
    ]  # without two ends of each function
    found = "by Proposition 1(b) at most N²(N + 1)(N + 2)/6 corners; of this bound Pig takes "
    return verdict_of(max(shares) <= 1, found + ", ".join(f"{share:.2f}" for share in shares))


def _cost_of_a_pair():
    """Proposition 2: c(a, b) is at most of the order N log N."""
    pairs = [int(_corners(target)[0][0, 0]) for target in SIZES]
    ratios = [count / (target * np.log(target)) for count, target in zip(pairs, SIZES, strict=True)]
    corners = [count - 2 * target for count, target in zip(pairs, SIZES, strict=True)]
    said = ", ".join(map(str, SIZES))
    found = "points that define f_(N,N,1) to f_(N,N,N): "
    found += f"{', '.join(map(str, pairs))} for N = {said}, of which {', '.join(map(str, corners))} are corners"
    return gap(
        ratios[-1] <= 1.1 * ratios[-2],
        f"{found}; the last is {corners[-1] / SIZES[-1] ** 2:.2f}·N²",
    )


def _order():
    """Algorithm 1: at step 3 all values that it needs are known."""
    known, holds = set(), []
    for b in range(1, 31):
        for a in range(1, b + 1):
            holds.append({(b, r) for r in range(1, a)} | {(a, r) for r in range(1, b)} <= known)
            known |= {(a, b), (b, a)}
    return exceptions(holds, "steps to N = 30")


def _one_unknown():
    """Proposition 1: v(a, b, a - i) = f_{a,b,i}(v(b, a)), the other values known."""
    holds = []
    for game, a, b in _pairs():
        _, value = _turn(game, a, b)
        functions, y = _functions(game, a, b), _exact(game)[b, a]
        holds += [functions[i](y) == value[a - i] for i in range(1, a + 1)]
    return exceptions(holds, "states of four games")


def _proposition_a():
    """Proposition 1(a): f_{a,b,i} is 1 for i ≤ 0."""
    games = (*GAMES, SURE)
    holds = [
        all(_functions(game, a, b)[i].y == (1, 1) for i in range(1 - game.most_points, 1))
        for game, a, b in _pairs(games)
    ]
    return exceptions(holds, "pairs of five games")


def _shape(function):
    """Whether a function is convex and non-increasing, 1 at 0 and positive at 1."""
    slopes = function.slopes
    return slopes == sorted(slopes) and slopes[-1] <= 0 and function(0) == 1 and function(1) > 0


def _proposition_b():
    """Proposition 1(b): piecewise linear, convex, non-increasing, f(0) = 1, f(1) > 0."""
    games = (*GAMES, SURE)
    holds = [
        _shape(_functions(game, a, b)[i]) for game, a, b in _pairs(games) for i in range(a + 1)
    ]
    return exceptions(
        [*holds, _shape(LOST)], "functions of six games", "1 - y, with p₀ = 1, is 0 at 1"
    )


def _proposition_b_corners():
    """Proposition 1(b): at most i points of non-differentiability, at most one of them new."""
    holds, most = [], 0
    for game, a, b in _pairs():
        functions, seen = _functions(game, a, b), set()
        for i in range(1, a + 1):
            bends = set(functions[i].x[1:-1])
            holds.append(len(bends) <= i and len(bends - seen) <= 1)
            seen |= bends
    most = int(_corners(200)[1].max()) - 2
    return exceptions(holds, "functions of four games", f"f_(a,b) of Pig to 200 has up to {most}")


def _proposition_c():
    """Proposition 1(c): f'_{a,b}(0) = -P(Θ₀ < Θₐ) > -1."""
    rows = [(_functions(game, a, b)[a].slopes[0], _bust_first(game, a)) for game, a, b in _pairs()]
    holds = [*(slope == -passed > -1 for slope, passed in rows), LOST.slopes[0] > -1]
    return exceptions(holds, "pairs of five games", "-1 with p₀ = 1")


def _solution(game, a, b):
    """The pair (v(b, a), v(a, b))."""
    v = _exact(game)
    return v[b, a], v[a, b]


def _proposition_d():
    """Proposition 1(d): f_{a,b} is strictly decreasing."""
    pairs = _pairs((*GAMES, SURE))
    holds = np.array([max(_functions(game, a, b)[a].slopes) < 0 for game, a, b in pairs])
    sure = np.array([game == SURE for game, _, _ in pairs])
    where = (
        "all with the die that never busts, p₀ = 0"
        if (holds == ~sure).all()
        else "not only without a bust"
    )
    return exceptions(holds, "pairs of five games", where)


def _unique():
    """Proof of Proposition 2: the system (7) has one solution, where two polygonal curves cross."""
    pairs = _pairs()
    steepest = [
        _functions(game, a, b)[a].slopes[0] * _functions(game, b, a)[b].slopes[0]
        for game, a, b in pairs
    ]
    crossings = [
        by_intersection(_functions(g, a, b)[a], _functions(g, b, a)[b]) for g, a, b in pairs
    ]
    right = [c[::-1] == _solution(*pair) for c, pair in zip(crossings, pairs, strict=True)]
    found = f"f∘g has slopes of at most {float(max(steepest)):.4f}"
    return exceptions(np.array(right) & (np.array(steepest) < 1), "pairs of four games", found)


def _algorithm_2():
    """Algorithm 2: polygons, crossing and substitution give v(a, b, τ) and v(b, a, τ)."""
    holds = []
    for game, a, b in _pairs():
        f, g = _functions(game, a, b), _functions(game, b, a)
        x, y = by_intersection(f[a], g[b])
        holds.append(all(f[i](y) == _turn(game, a, b)[1][a - i] for i in range(1, a + 1)))
        holds.append(all(g[i](x) == _turn(game, b, a)[1][b - i] for i in range(1, b + 1)))
    return exceptions(holds, "turns of four games")


def _most_demanding():
    """Proof of Proposition 2: the crossing is the most demanding step."""
    corners, last = _corners(200)
    polygons, ends = corners + corners.T, last + last.T
    crossing = ends * np.log(ends)
    found = f"at (200, 200) {polygons[0, 0]:,} points are computed, and (a + b) log(a + b) is {crossing[0, 0]:,.0f}"
    return verdict_of((crossing >= polygons).mean() > 0.5, found)


def _figure_1():
    """Figure 1: the curves of a pair of Piglet cross at x = v(a, b), y = v(b, a)."""
    pairs = _pairs((piglet(8),))
    crossings = [
        by_intersection(_functions(g, a, b)[a], _functions(g, b, a)[b]) for g, a, b in pairs
    ]
    holds = [
        crossing[::-1] == _solution(*pair) for crossing, pair in zip(crossings, pairs, strict=True)
    ]
    return exceptions(holds, "pairs of Piglet to 8", "which pair is drawn is not said")


def _swapped(pair):
    """The pair (v(a, b), v(b, a))."""
    return _solution(*pair)[::-1]


def _converges():
    """Remark 1: the fixed point is found by iteration."""
    pairs = [pair for pair in _pairs() if pair[1] <= pair[2]]
    found = [by_fixed_point(_functions(g, a, b)[a], _functions(g, b, a)[b]) for g, a, b in pairs]
    off = [
        max(abs(x - float(v)), abs(y - float(w)))
        for (x, y), (v, w) in zip(found, map(_swapped, pairs), strict=True)
    ]
    close = max(off) < 1e-13
    return exceptions(
        np.array(off) < 1e-13,
        "pairs of four games",
        "errors below 1e-13" if close else f"{max(off):.0e}",
    )


def _linear_program():
    """Remark 2: the solution is the least x + y above both curves."""
    pairs = [pair for pair in _pairs((pig(6), piglet(6), LOADED)) if pair[1] <= pair[2]]
    found = [by_linear_program(_functions(g, a, b)[a], _functions(g, b, a)[b]) for g, a, b in pairs]
    off = [
        max(abs(x - float(v)), abs(y - float(w)))
        for (x, y), (v, w) in zip(found, map(_swapped, pairs), strict=True)
    ]
    return exceptions(
        np.array(off) < 1e-9, "pairs of three games", "errors below 1e-9" if max(off) < 1e-9 else ""
    )


def _table_1():
    """Table 1: the values of Pig to six targets."""
    table = published("generalized-pig", "table-1")
    tolerance = 1e-6
    values, steps = stopped_iteration(pig(1000), tolerance)
    exact = solved(pig(1000)).by_target()
    right = stopped = 0
    for target, printed in zip(table["target"], table["printed"], strict=True):
        right += abs(Fraction(exact[target]) - as_number(printed)) <= half_unit(printed)
        stopped += abs(Fraction(values[-target, -target]) - as_number(printed)) <= half_unit(
            printed
        )
    found = f"{right} of {len(table)} are right; {stopped} are, to all eight digits, what Remark "
    found += "1's iteration gives if it"
    found += f" starts at x = 1 and stops at a change below {tolerance:.0e}, after at most {steps.max()} steps a pair"
    return verdict_of(right == len(table), found)


def _footnote():
    """Table 1, footnote: the value to 100 was obtained by Neller and Presser."""
    exact = solved(pig(100)).value
    printed = published("generalized-pig", "table-1").set_index("target")["printed"][100]
    theirs = abs(Fraction(exact) - as_number(NELLER_PRESSER)) <= half_unit(NELLER_PRESSER)
    stopped = stopped_iteration(pig(1000), 1e-6)[0][-100, -100]
    found = f"their {NELLER_PRESSER} is right, the value is {exact:.8f}; the eight digits {printed} are the paper's own"
    right = VERDICTS[0 if f"{exact:.8f}" == printed else 1]
    return Finding(
        verdict=right if theirs and f"{stopped:.8f}" == printed else VERDICTS[2], found=found
    )


def _decreases():
    """Section 4.1: the advantage becomes less as the target increases."""
    rise = solved(pig(1000)).by_target().diff().iloc[1:]
    up = rise.index[rise > 1e-12]
    level = rise.index[abs(rise) <= 1e-12]
    found = (
        f"it rises at targets {up[0]} to {up[-1]}"
        if len(up) == up[-1] - up[0] + 1
        else f"it rises at {[*up]}"
    )
    found += f", and stays the same at {', '.join(map(str, level))}" if len(level) else ""
    printed = solved(pig(1000)).by_target()[published("generalized-pig", "table-1")["target"]]
    found += (
        "; at the six targets of Table 1 it falls" if (printed.diff().iloc[1:] < 0).all() else ""
    )
    return exceptions(rise < -1e-12, "steps from target 1 to 1000", found)


def _to_one_half():
    """Section 4.1: the value decreases to 0.5."""
    advantage = solved(pig(1000)).by_target() - 0.5
    scaled = (advantage * advantage.index.to_numpy() ** 0.5).loc[100:]
    found = (
        f"(v - 1/2)·√N is between {scaled.min():.4f} and {scaled.max():.4f} for targets 100 to 1000"
    )
    return verdict_of(scaled.max() < 1.05 * scaled.min(), found)


def _first_above_half():
    """Section 4.1: the value is larger than 0.5 for all targets."""
    return exceptions(solved(pig(1000)).by_target() > 0.5, "targets")


PIGLET = piglet(8)


def _piglet_pairs():
    """Section 4.2.1 of all pairs of Piglet to 8: (a, b, x̄_τ for τ = 1, …, a, x₀, y₀)."""
    v = _exact(PIGLET)
    for _, a, b in _pairs((PIGLET,)):
        yield (
            a,
            b,
            {total: 1 - v[b, a - total] if total < a else Fraction(1) for total in range(1, a + 1)},
            v[a, b],
            v[b, a],
        )


def _line(total, known):
    """The function y ↦ 2^-τ·[(2^τ - 1)(1 - y) + x̄_τ]."""
    power = 2**total
    return PiecewiseLinear((Fraction(0), Fraction(1)), ((power - 1 + known) / power, known / power))


def _piglet_formula():
    """Section 4.2.1: x₀ = max over τ of 2^-τ·[(2^τ - 1)(1 - y₀) + x̄_τ]."""
    holds = [
        max(_line(total, bar)(y_0) for total, bar in known.items()) == x_0
        for _, _, known, x_0, y_0 in _piglet_pairs()
    ]
    curves = [
        reduce(PiecewiseLinear.maximum, (_line(total, bar) for total, bar in known.items()))
        == _functions(PIGLET, a, b)[a]
        for a, b, known, _, _ in _piglet_pairs()
    ]
    return exceptions(
        np.array(holds) & np.array(curves), "pairs of Piglet to 8", "as functions of y₀, too"
    )


def _piglet_properties():
    """Section 4.2.1: the formula has the properties (a), (b), (c)."""
    holds = []
    for a, _, known, _, _ in _piglet_pairs():
        f = reduce(PiecewiseLinear.maximum, (_line(total, bar) for total, bar in known.items()))
        holds.append(_shape(f) and f.slopes[0] == -(1 - Fraction(1, 2**a)))
    return exceptions(holds, "pairs of Piglet to 8", "f'(0) = -(1 - 2^-a)")


def _piglet_table():
    """Table 2: these equations give the exact solution."""
    v = {}
    for b in range(1, 4):
        for a in range(1, b + 1):
            f, g = (
                reduce(
                    PiecewiseLinear.maximum,
                    (
                        _line(k, 1 - v[other, own - k] if k < own else Fraction(1))
                        for k in range(1, own + 1)
                    ),
                )
                for own, other in ((a, b), (b, a))
            )
            v[a, b], v[b, a] = by_intersection(f, g)
    table = published("generalized-pig", "table-2")
    holds = [v[row.a, row.b] == as_number(row.printed) for row in table.itertuples()]
    return exceptions(holds, "fractions of Table 2", "from the formula alone")


CHECKS = {
    "best-turn": _best_turn,
    "piglet-best-turn": _best_piglet_turn,
    "rational-solution": _rational,
    "transience": _transience,
    "independent-of-target": _independent_of_target,
    "theorem-3-1": _theorem,
    "theorem-3-1-cost": _cost,
    "polynomial": _polynomial,
    "algorithm-1": _order,
    "proposition-1": _one_unknown,
    "proposition-1-a": _proposition_a,
    "proposition-1-b": _proposition_b,
    "proposition-1-b-corners": _proposition_b_corners,
    "proposition-1-c": _proposition_c,
    "proposition-1-d": _proposition_d,
    "algorithm-2": _algorithm_2,
    "proposition-2": _cost_of_a_pair,
    "unique-solution": _unique,
    "most-demanding-step": _most_demanding,
    "figure-1": _figure_1,
    "remark-1": _converges,
    "remark-2": _linear_program,
    "table-1": _table_1,
    "table-1-footnote": _footnote,
    "advantage-decreases": _decreases,
    "first-above-half": _first_above_half,
    "to-one-half": _to_one_half,
    "piglet-formula": _piglet_formula,
    "piglet-properties": _piglet_properties,
    "piglet-table-2": _piglet_table,
}
