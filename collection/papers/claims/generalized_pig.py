"""How the claims of generalized-pig (Crocce and Mordecki 2018) are checked: `CHECKS`, a function for every claim.

Symbols are the paper's: a and b are points needed, τ is the turn total, v(a, b) the value to the player to move, and
f_{a,b,i} the function of Proposition 1. General statements are checked on `GAMES`, in fractions.
"""

from fractions import Fraction
from functools import cache, partial, reduce
from itertools import product

import numpy as np

from dicelab.evaluation.best_response import best_response
from dicelab.games.catalogue import generalized_pig, pig, piglet

from ...course.textbook.piecewise_linear import (
    PiecewiseLinear,
    backward_induction,
    by_fixed_point,
    by_intersection,
    by_linear_program,
    turn_curves,
)
from ...course.textbook.stochastic import as_stochastic_game
from ..published import as_number, half_unit, published
from .findings import VERDICTS, Finding, exceptions, gap, misprint, solved, taste, verdict_of
from .minimax_pig import payoff
from .pair_by_pair import polygon_corners, probabilities

__all__ = ["CHECKS"]

LOADED = generalized_pig(["1/4", 0, "1/2", "1/4"], 9, name="a loaded die")
HALF_POINTS = generalized_pig(["2/5", "1/5", 0, "2/5"], 8, name="a die with the faces 0, 1 and 3")
PIGLET = piglet(8)
GAMES = pig(12), PIGLET, LOADED, HALF_POINTS
SURE = generalized_pig([0, "1/2", "1/2"], 6, name="a die that never busts")
ENDS = Fraction(0), Fraction(1)
LOST = PiecewiseLinear(ENDS, ENDS[::-1])  # f of a die that always busts, p₀ = 1
SIZES = np.array([25, 50, 100, 200])  # the targets for which points are counted
NELLER_PRESSER = "53.06%"  # Neller and Presser (2004): the first player's win probability in Pig


@cache
def _exact(game):
    """The exact values v(a, b) of a game, a dict by needs."""
    values = solved(game, exact=True).values
    target = game.target
    return {
        (a, b): values[target - a, target - b] for a, b in product(range(1, target + 1), repeat=2)
    }


@cache
def _functions(game, a, b):
    """The functions f_{a,b,i}, a dict by i."""
    v = _exact(game)
    curves = turn_curves(game, lambda i: 1 - v[b, i], a)
    return {i: function for (_, i), function in curves.items()}


def _curves(game, a, b):
    """f_{a,b} and f_{b,a}."""
    return _functions(game, a, b)[a], _functions(game, b, a)[b]


def _pairs(games=GAMES):
    """All games with all pairs of needs."""
    return [(game, a, b) for game in games for a, b in product(range(1, game.target + 1), repeat=2)]


def _turn(game, a, b):
    """Equation (2): roll[τ] = v_roll(a, b, τ) and value[τ] = v(a, b, τ) from the pairs' values, two dicts by τ."""
    v, (bust, *faces) = _exact(game), probabilities(game)
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
    faces, at = probabilities(game)[1:], {0: Fraction(1)}
    for total in range(a):
        for points, p in enumerate(faces, start=1):
            at[total + points] = at.get(total + points, 0) + at.get(total, 0) * p
    reached = sum(chance for total, chance in at.items() if total >= a)
    return 1 - reached


def _slip(rows, things, instead):
    """The Finding on rows of what is true, what is printed, and what is meant `instead`."""
    printed = [true == said for true, said, _ in rows]
    meant = all(true == right for true, _, right in rows)
    found = exceptions(printed, things, f"with {instead} it holds at all").found
    return misprint(all(printed), meant, found)


def _best_turn(game, threshold, points, more):
    """Section 1: the best single turn; at its threshold a roll is worth as much as a hold."""
    best = solved(game, "score", exact=True)
    roll = sum(p * (threshold + i) for i, p in enumerate(probabilities(game)) if i)
    right = len(best.values) - 1 == threshold == roll
    shown = best.value if best.value.denominator < 100 else f"{float(best.value):.6f}"
    return verdict_of(
        right and abs(best.value - as_number(points)) <= half_unit(points),
        f"hold at {threshold}, {shown} points{more}",
    )


def _rational():
    """Section 1: the solution belongs to the same field as the data, here the rational numbers."""
    values = {target: solved(pig(target), exact=True).value for target in (10, 20, 40)}
    digits = ", ".join(f"{len(str(v.denominator)):,} digits to {n}" for n, v in values.items())
    right = all(isinstance(value, Fraction) for value in values.values())
    return verdict_of(
        right and _bellman((pig(20),)).verdict == VERDICTS[0],
        f"fractions that solve (2) without a remainder; denominators of Pig: {digits}",
    )


def _random_nodes():
    """Section 1: as a simple stochastic game, a generalized Pig has a large proportion of random nodes."""
    rolls, decisions = sum(range(1, 101)), sum(range(100))  # for each need of the opponent
    share = rolls / (rolls + decisions)
    return taste(f"{share:.1%} of the nodes of Pig to 100 are rolls, the others decisions")


def _cycles():
    """Section 1: as a simple stochastic game, a generalized Pig has a large amount of cycles."""
    stages = as_stochastic_game(pig(6)).stages
    leads = {s: {to for _, moves in pairs.values() for to in moves} for s, pairs in stages.items()}
    starts = [any(s in leads[after] for after in leads[s]) for s in leads if s[3] == 0]
    counted = exceptions(starts, "states at the start of a turn, Pig to 6").found
    return taste(f"{counted}, two busts lead back")


def _number_of_states():
    """Section 2.1: s = O(N³). The states of Pig are those with τ = 0, …, a + 5, of both players, and the end."""
    counts = np.array([1 + 2 * n * sum(range(7, n + 7)) for n in (10, 100, 1000)])
    ratios = counts / [10**3, 100**3, 1000**3]
    found = f"Pig has {', '.join(map('{:,}'.format, counts))} to 10, 100 and 1000; over N³: "
    return verdict_of((np.diff(ratios) < 0).all(), found + ", ".join(map("{:.3f}".format, ratios)))


def _no_later_need():
    """Section 2.5: from (a, b) only states with a' ≤ a and b' ≤ b follow."""
    right = [
        np.greater_equal(after[1:3] if after[0] == state[0] else after[2:0:-1], state[1:3]).all()
        for game in (pig(6), piglet(4))
        for state, pairs in as_stochastic_game(game).stages.items()
        for _, moves in pairs.values()
        for after in moves
    ]
    return exceptions(right, "transitions of Pig to 6 and Piglet to 4", "no score falls")


def _transience():
    """Section 2.6: the game ends with probability one, whatever is played."""
    least = [1 - _bust_first(game, game.target) for game in (*GAMES, pig())]
    found = f"in Pig a turn scores with probability at least {float(least[-1]):.4f}, by rolling to the end"
    holds = [*(chance > 0 for chance in least), LOST(1) > 0]
    said = "but for p₀ = 1, which section 1 does not exclude: then play never ends"
    return exceptions(holds, "games", f"{said}; {found}")


def _bellman(games=GAMES, things="pairs of four games"):
    """Equations (1) and (2) hold for the values found; section 4.2.1: the same for Piglet."""
    holds = [_turn(game, a, b)[1][0] == _exact(game)[a, b] for game, a, b in _pairs(games)]
    return exceptions(holds, things, "without a remainder")


def _independent_of_target():
    """Sections 2.6 and 3: the values depend on a and b, not on the target."""
    larger = {make: solved(make(n), exact=True).values for make, n in ((pig, 24), (piglet, 8))}
    holds = [
        (solved(make(target), exact=True).values == values[-target:, -target:]).all()
        for make, values in larger.items()
        for target in range(1, len(values))
    ]
    return exceptions(holds, "smaller targets", "equal fractions, Pig to 24 and Piglet to 8")


def _theorem():
    """Theorem 3.1: a finite algorithm gives the value and an optimal strategy."""
    games = (*GAMES, SURE)
    holds = [(backward_induction(game) == solved(game, exact=True).values).all() for game in games]
    return exceptions(holds, "games", f"Pig to 12: {solved(pig(12), exact=True).value} by both")


def _from_the_maximum():
    """Section 1 and proof of Theorem 3.1: the larger term of each maximum is an optimal, deterministic strategy."""
    solutions = [solved(game) for game in (*GAMES, pig(50))]
    gains = [abs(best_response(s.game, s.policy).values - s.values).max() for s in solutions]
    found = "the best response to it gains less than 1e-13, at all scores of five games"
    return verdict_of(max(gains) < 1e-13, found)


def _counts():
    """The points that define functions of Pig in Algorithm 2, by `SIZES`: for all pairs together, and for (N, N)."""
    points = [polygon_corners(pig(int(size)))[0] for size in SIZES]
    return np.array([(every.sum(), every[0, 0]) for every in points]).T


def _cost():
    """Theorem 3.1: O(N³ log N) steps."""
    points, n = _counts()[0], SIZES
    ratios = points / (n**3 * np.log(n))
    found = (
        f"{points[2]:,} points that define the functions for Pig to 100, {points[3]:,} to 200"
        f", {points[3] / points[2]:.0f} times; over N³ log N: {', '.join(map('{:.2f}'.format, ratios))}"
    )
    return gap(
        ratios[-1] <= 1.1 * ratios[-2],
        f"{found}; for Algorithm 2 as printed, another algorithm may reach the bound",
    )


def _polynomial():
    """Abstract, sections 1 and 5: the algorithm is polynomial: f_{a,b,i} has i corners at most, Proposition 1(b)."""
    points, n = _counts()[0], SIZES
    # Without two ends of each function.
    shares = (points - n**2 * (n + 1)) / (n**2 * (n + 1) * (n + 2) // 6)
    found = "by Proposition 1(b) at most N²(N + 1)(N + 2)/6 corners; of this bound Pig takes "
    return verdict_of(max(shares) <= 1, found + ", ".join(f"{share:.2f}" for share in shares))


def _cost_of_a_pair():
    """Proposition 2: c(a, b) is at most of the order N log N."""
    points, n = _counts()[1], SIZES
    ratios, corners = points / (n * np.log(n)), points - 2 * n
    many, sizes, bends = (", ".join(map(str, numbers)) for numbers in (points, n, corners))
    found = f"points that define f_(N,N,1) to f_(N,N,N): {many} for N = {sizes}, of which {bends} are corners"
    return gap(
        ratios[-1] <= 1.1 * ratios[-2], f"{found}; the last is {corners[-1] / n[-1] ** 2:.2f}·N²"
    )


def _largest_pair():
    """Section 3.1: c(a, b) ≤ c(N, N)."""
    points = polygon_corners(pig(100))[0]
    steps = points + points.T
    found = f"{steps[0, 0]:,} points define the functions of (100, 100)"
    return exceptions(steps <= steps[0, 0], "pairs of Pig to 100", found)


def _order():
    """Algorithm 1: at step 3 all values that it needs are known: those of pairs in an earlier step."""
    needs = {
        (b, a): [*((b, r) for r in range(1, a)), *((a, r) for r in range(1, b))]
        for b in range(1, 31)
        for a in range(1, b + 1)
    }
    holds = [all((max(p), min(p)) < step for p in pairs) for step, pairs in needs.items()]
    return exceptions(holds, "steps to N = 30")


def _equations():
    """Equations (3) and (5): v(a, b, a - i) = max{1 - v(b, i), v_roll(a, b, a - 1)}."""
    v = _exact(pig(12))
    rows = [
        (value[a - i], max(1 - v[b, i], roll[a - 1]), max(1 - v[b, i], roll[a - i]))
        for game, a, b in _pairs((pig(12),))
        for roll, value in [_turn(game, a, b)]
        for i in range(1, a)
    ]
    return _slip(rows, "states of Pig to 12", "v_roll(a, b, a - i)")


def _one_unknown():
    """Proposition 1: v(a, b, a - i) = f_{a,b,i}(v(b, a)), the other values known."""
    holds = []
    for game, a, b in _pairs():
        y, (_, value) = _exact(game)[b, a], _turn(game, a, b)
        holds += [_functions(game, a, b)[i](y) == value[a - i] for i in range(1, a + 1)]
    return exceptions(holds, "states of four games")


def _proposition_a():
    """Proposition 1(a): f_{a,b,i} is 1 for i ≤ 0."""
    holds = [
        all(_functions(game, a, b)[i].y == (1, 1) for i in range(1 - game.most_points, 1))
        for game, a, b in _pairs((*GAMES, SURE))
    ]
    return exceptions(holds, "pairs of five games")


def _shape(function):
    """Whether a function is convex and non-increasing, 1 at 0 and positive at 1."""
    slopes = function.slopes
    return slopes == sorted(slopes) and slopes[-1] <= 0 and function(0) == 1 and function(1) > 0


def _proposition_b():
    """Proposition 1(b): piecewise linear, convex, non-increasing, f(0) = 1, f(1) > 0."""
    pairs = _pairs((*GAMES, SURE))
    holds = [_shape(_functions(game, a, b)[i]) for game, a, b in pairs for i in range(a + 1)]
    return exceptions(
        [*holds, _shape(LOST)], "functions of six games", "the one is with p₀ = 1: 1 - y is 0 at 1"
    )


def _proposition_b_corners():
    """Proposition 1(b): at most i points of non-differentiability, at most one of them new."""
    holds = []
    for game, a, b in _pairs():
        bends = [{*_functions(game, a, b)[i].x[1:-1]} for i in range(1, a + 1)]
        holds += [
            len(x) <= i + 1 and len(x - set().union(*bends[:i])) <= 1 for i, x in enumerate(bends)
        ]
    most = int(polygon_corners(pig(200))[1].max()) - 2
    return exceptions(holds, "functions of four games", f"f_(a,b) of Pig to 200 has up to {most}")


def _proposition_c():
    """Proposition 1(c): f'_{a,b}(0) = -P(Θ₀ < Θₐ) > -1."""
    rows = [(_functions(game, a, b)[a].slopes[0], _bust_first(game, a)) for game, a, b in _pairs()]
    holds = [*(slope == -passed > -1 for slope, passed in rows), LOST.slopes[0] > -1]
    return exceptions(holds, "pairs of five games", "the one is with p₀ = 1: there it is -1")


def _label():
    """Proposition 1(c): f_{a,b} denotes f_{a,b,0}, which is 1 by (a)."""
    rows = [
        (_exact(game)[a, b], f[0](y), f[a](y))
        for game, a, b in _pairs()
        for f, y in [(_functions(game, a, b), _exact(game)[b, a])]
    ]
    return _slip(rows, "pairs of four games", "f_(a,b,a)")


def _proposition_d():
    """Proposition 1(d): f_{a,b} is strictly decreasing."""
    pairs = _pairs((*GAMES, SURE))
    holds = [max(_functions(game, a, b)[a].slopes) < 0 for game, a, b in pairs]
    sure = all(hold == (game != SURE) for hold, (game, _, _) in zip(holds, pairs, strict=True))
    where = "all with the die that never busts, p₀ = 0" if sure else "not only without a bust"
    return exceptions(holds, "pairs of five games", where)


def _first_function():
    """Proof of Proposition 1: f_{a,b,1}(y) = max{1 - v(b, 1), 1 - p₀·y}, from (3), so for a ≥ 2."""
    right = [
        _functions(game, a, b)[1]
        == PiecewiseLinear(ENDS, (ENDS[1], 1 - probabilities(game)[0])).maximum(
            PiecewiseLinear(ENDS, (1 - _exact(game)[b, 1],) * 2)
        )
        for game, a, b in _pairs()
        if a > 1
    ]
    found = "at a = 1 a turn begins with a roll: 1 - p₀y alone"
    return exceptions(right, "functions with a ≥ 2, four games", found)


def _roll_at_zero():
    """Proof of Proposition 1: at y = 0 the maximum in (2) is the second expression, the roll."""
    right = [
        _functions(game, a, b)[i](0) == 1 > 1 - _exact(game)[b, i]
        for game, a, b in _pairs()
        for i in range(1, a + 1)
    ]
    return exceptions(right, "functions of four games", "a roll is worth 1 there, a hold less")


def _recurrence():
    """Proof of Proposition 1: P(Θ₀ < Θ_{a-τ}) = p₀ + Σ pᵢ·P(Θ₀ < Θ_{a-τ-i})."""
    later = {
        (game, level): [
            1,
            *(_bust_first(game, max(level - i, 0)) for i in range(1, game.most_points + 1)),
        ]
        for game in (*GAMES, pig(60))
        for level in range(1, game.target + 1)
    }
    right = [_bust_first(*at) == probabilities(at[0]) @ chances for at, chances in later.items()]
    return exceptions(right, "levels of five games", "the left side counted forwards")


def _sequences():
    """Proof of Proposition 1: -v(a, b, τ)'(0) and P(Θ₀ < Θ_τ), τ = 0, …, a - 1, are the same sequences."""
    rows = [
        (
            -_functions(game, a, b)[a - total].slopes[0],
            *(_bust_first(game, r) for r in (total, a - total)),
        )
        for game, a, b in _pairs()
        for total in range(a)
    ]
    return _slip(rows, "states of four games", "Θ_(a-τ)")


def _errors(pairs, solver=by_intersection):
    """How far a solver's (x, y) are from (v(a, b), v(b, a)), by pair."""
    found = [solver(*_curves(*pair)) for pair in pairs]
    exact = [(_exact(game)[a, b], _exact(game)[b, a]) for game, a, b in pairs]
    return abs(np.subtract(found, exact)).max(axis=1)


def _unique():
    """Proof of Proposition 2: the system (7) has one solution, where two polygonal curves cross."""
    pairs = _pairs()
    steepest = np.array([f.slopes[0] * g.slopes[0] for f, g in (_curves(*pair) for pair in pairs)])
    found = f"f∘g has slopes of at most {float(max(steepest)):.4f}"
    return exceptions((_errors(pairs) == 0) & (steepest < 1), "pairs of four games", found)


def _sign():
    """Remark 1: -1 < g'(x) < 0 for g(x) = f_a(f_b(x))."""
    curves = [_curves(*pair) for pair in _pairs()]
    slopes = [f.slopes[k] * g.slopes[k] for f, g in curves for k in (0, -1)]
    low, high = float(min(slopes)), float(max(slopes))
    found = f"0 < g' < 1: a product of two negative slopes, between {low:.4f} and {high:.4f}"
    return misprint(low > -1 and high < 0, low > 0 and high < 1, found)


def _algorithm_2():
    """Algorithm 2: polygons, crossing and substitution give v(a, b, τ) and v(b, a, τ)."""
    holds = []
    for game, a, b in _pairs():
        x, y = by_intersection(*_curves(game, a, b))
        for own, other, at in ((a, b, y), (b, a, x)):
            f, value = _functions(game, own, other), _turn(game, own, other)[1]
            holds.append(all(f[i](at) == value[own - i] for i in range(1, own + 1)))
    return exceptions(holds, "turns of four games")


def _lines():
    """Proof of Proposition 2: f_{a,b} is the maximum of a linear functions."""
    pieces = polygon_corners(pig(200))[1] - 1
    found = (
        f"f_(200,200) has {pieces[0, 0]}; which ones they are is not known before they are computed"
    )
    return exceptions(pieces <= np.arange(200, 0, -1)[:, None], "pairs of Pig to 200", found)


def _most_demanding():
    """Proof of Proposition 2: the crossing is the most demanding step."""
    corners, last = polygon_corners(pig(200))
    polygons, ends = corners + corners.T, last + last.T
    crossing = ends * np.log(ends)
    found = f"with s = a + b end points, at (200, 200) {polygons[0, 0]:,} points are computed, and s log s is"
    return gap(
        (crossing >= polygons).mean() > 0.5, f"{found} {crossing[0, 0]:,.0f}; counted to 200"
    )


def _figure_1():
    """Figure 1: the curves of a pair of Piglet cross at x = v(a, b), y = v(b, a)."""
    right = _errors(_pairs((PIGLET,))) == 0
    return exceptions(right, "pairs of Piglet to 8", "which pair is drawn is not said")


def _solves(solver, games, within, things):
    """Remark 1: the fixed point is found by iteration. Remark 2: the solution is the least x + y above both curves."""
    off = _errors([pair for pair in _pairs(games) if pair[1] <= pair[2]], solver)
    return exceptions(off < float(within), things, f"errors below {within}")


def _footnote():
    """Table 1, footnote: the value to 100 was obtained by Neller and Presser."""
    exact = solved(pig(100)).value
    printed = published("generalized-pig", "table-1").set_index("target")["printed"][100]
    theirs = abs(Fraction(exact) - as_number(NELLER_PRESSER)) <= half_unit(NELLER_PRESSER)
    found = f"their {NELLER_PRESSER} is right, the value is {exact:.8f}; the eight digits {printed} are the paper's own"
    return Finding(
        verdict=VERDICTS[(0 if f"{exact:.8f}" == printed else 1) if theirs else 2], found=found
    )


def _decreases():
    """Section 4.1: the advantage becomes less as the target increases."""
    values = solved(pig(1000)).by_target()
    rise = values.diff().iloc[1:]
    up, level = rise.index[rise > 1e-12], rise.index[abs(rise) <= 1e-12]
    printed = values[published("generalized-pig", "table-1")["target"]].diff().iloc[1:]
    found = f"it rises at targets {up[0]} to {up[-1]}, and stays the same at {', '.join(map(str, level))}"
    falls = "; at the six targets of Table 1 it falls" if (printed < 0).all() else ""
    return exceptions(rise < -1e-12, "steps from target 1 to 1000", found + falls)


def _to_one_half():
    """Section 4.1: the value decreases to 0.5."""
    advantage = solved(pig(1000)).by_target().loc[100:] - 0.5
    scaled = advantage * advantage.index.to_numpy() ** 0.5
    found = f"between {scaled.min():.4f} and {scaled.max():.4f} for targets 100 to 1000"
    return verdict_of(scaled.max() < 1.05 * scaled.min(), f"(v - 1/2)·√N is {found}")


def _first_above_half():
    """Section 4.1: the value is larger than 0.5 for all targets."""
    return exceptions(solved(pig(1000)).by_target() > 0.5, "targets")


def _closed(v, a, b):
    """Section 4.2.1: the function y ↦ max over τ of 2^-τ·[(2^τ - 1)(1 - y) + x̄_τ], from the values v of other pairs."""
    known = {total: 1 - v[b, a - total] if total < a else 1 for total in range(1, a + 1)}
    lines = [
        PiecewiseLinear(ENDS, (1 + (bar - 1) / Fraction(2**total), bar / Fraction(2**total)))
        for total, bar in known.items()
    ]
    return reduce(PiecewiseLinear.maximum, lines)


def _piglet_formula():
    """Section 4.2.1: x₀ = max over τ of 2^-τ·[(2^τ - 1)(1 - y₀) + x̄_τ]."""
    curves = [(at, _closed(_exact(PIGLET), *at[1:])) for at in _pairs((PIGLET,))]
    holds = [
        f == _curves(*at)[0] and f(_exact(PIGLET)[at[:0:-1]]) == _exact(PIGLET)[at[1:]]
        for at, f in curves
    ]
    return exceptions(holds, "pairs of Piglet to 8", "as functions of y₀, too")


def _piglet_properties():
    """Section 4.2.1: the formula has the properties (a), (b), (c)."""
    curves = [(a, _closed(_exact(PIGLET), a, b)) for _, a, b in _pairs((PIGLET,))]
    holds = [_shape(f) and f.slopes[0] == -(1 - Fraction(1, 2**a)) for a, f in curves]
    return exceptions(holds, "pairs of Piglet to 8", "f'(0) = -(1 - 2^-a)")


def _piglet_table():
    """Table 2: these equations give the exact solution."""
    v = {}
    for b in range(1, 4):
        for a in range(1, b + 1):
            v[a, b], v[b, a] = by_intersection(_closed(v, a, b), _closed(v, b, a))
    table = published("generalized-pig", "table-2")
    holds = [v[row.a, row.b] == as_number(row.printed) for row in table.itertuples()]
    return exceptions(holds, "fractions of Table 2", "from the formula alone")


CHECKS = {
    "best-turn": partial(
        _best_turn, pig(), 20, "8.1418", "; at 20 a roll is worth exactly as much as a hold"
    ),
    "piglet-best-turn": partial(_best_turn, piglet(), 1, "1/2", ", hold at 2 just as many"),
    "rational-solution": _rational,
    "random-nodes": _random_nodes,
    "cycles": _cycles,
    "number-of-states": _number_of_states,
    "payoffs": partial(
        payoff,
        "Pig to 6 and Piglet to 3: expected payments and win probabilities differ by",
        (pig(6), piglet(3)),
    ),
    "no-later-need": _no_later_need,
    "transience": _transience,
    "symmetry": partial(
        payoff, "Piglet to 3, player two's states solved as states of their own:", (piglet(3),)
    ),
    "bellman": _bellman,
    "independent-of-target": _independent_of_target,
    "theorem-3-1": _theorem,
    "theorem-3-1-cost": _cost,
    "polynomial": _polynomial,
    "algorithm-1": _order,
    "largest-pair": _largest_pair,
    "equations-3-5": _equations,
    "proposition-1": _one_unknown,
    "proposition-1-a": _proposition_a,
    "proposition-1-b": _proposition_b,
    "proposition-1-b-corners": _proposition_b_corners,
    "proposition-1-c": _proposition_c,
    "proposition-1-c-label": _label,
    "proposition-1-d": _proposition_d,
    "first-function": _first_function,
    "roll-at-zero": _roll_at_zero,
    "recurrence": _recurrence,
    "sequences": _sequences,
    "algorithm-2": _algorithm_2,
    "proposition-2": _cost_of_a_pair,
    "maximum-of-lines": _lines,
    "unique-solution": _unique,
    "most-demanding-step": _most_demanding,
    "figure-1": _figure_1,
    "strategy-from-maximum": _from_the_maximum,
    "remark-1-sign": _sign,
    "remark-1": partial(_solves, by_fixed_point, GAMES, "1e-13", "pairs of four games"),
    "remark-2": partial(
        _solves, by_linear_program, (pig(6), piglet(6), LOADED), "1e-9", "pairs of three games"
    ),
    "table-1-footnote": _footnote,
    "advantage-decreases": _decreases,
    "first-above-half": _first_above_half,
    "to-one-half": _to_one_half,
    "piglet-equations": partial(_bellman, (PIGLET,), "pairs of Piglet to 8"),
    "piglet-formula": _piglet_formula,
    "piglet-properties": _piglet_properties,
    "piglet-table-2": _piglet_table,
}
