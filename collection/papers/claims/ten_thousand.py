"""How the claims of ten-thousand (Crocce and Mordecki 2014) are checked: `CHECKS`, a function for every claim.

A state (τ, i, n) has τ chips in the turn, the last configuration i = [f, o, t] and n dice in hand. All arithmetic is in
fractions, unless a function says otherwise. :func:`_equation_3` solves equation (3*) with all moves, from a boundary
far above the critical threshold, so that it takes neither Lemma 4.3 nor either algorithm for granted.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
from scipy.optimize import brentq

from dicelab.evaluation.studies import turn_points
from dicelab.games.catalogue import pig
from dicelab.games.set_aside import ten_thousand

from ...course.textbook.ten_thousand import (
    COUNTS,
    NO_SCORE,
    dice,
    in_hand,
    precedes,
    roll_value,
    score,
)
from ..published import as_number, half_unit, published
from ..recipes import COLUMNS, RECIPES
from .findings import exceptions, solved, taste, verdict_of

__all__ = ["CHECKS", "table_6_cells"]

THRESHOLD, FAR = 56, 120  # the paper's critical threshold, and our boundary, in chips
CONFIGURATIONS = [i for i in COUNTS[5] if i != NO_SCORE]  # the set I
SMALLER = {i: [j for j in CONFIGURATIONS if precedes(j, i)] for i in CONFIGURATIONS}
HANDS = {i: [n for n in range(1, 6) if dice(i) + n <= 5 or n == 5] for i in CONFIGURATIONS}
LABELS = {"5": ((2, 0, 0), (1, 1, 0)), "1": ((0, 2, 0),), "55": ((2, 1, 0),), "51": ((1, 2, 0),)}
LABEL_OF = {i: label for label, labelled in LABELS.items() for i in labelled}
TABLE_3 = "m5", "m1", "m55", "m51", "m11", "m551", "m511", *(f"mt{k}" for k in range(1, 7))
NEVER = TABLE_3[4:]  # the moves that are never best, as Theorem 4.1 says
CELLS = {  # the columns of Table 6: the configurations, and the rows with "–", from the first row on
    "n = 5": (CONFIGURATIONS, 0),
    "n = 4": (CONFIGURATIONS, 1),
    "n = 3, [2, 0, 0] or [1, 1, 0]": (LABELS["5"], 2),
    "n = 3, [0, 2, 0]": (LABELS["1"], 4),
    "n = 3, other": ([i for i in CONFIGURATIONS if LABEL_OF.get(i) not in ("5", "1")], 2),
    "n = 2, [2, 1, 0]": (LABELS["55"], 4),
    "n = 2, [1, 2, 0]": (LABELS["51"], 5),
    "n = 2, [2, 0, 0] or [1, 1, 0]": (LABELS["5"], 3),
}
IN_COLUMN_2 = {
    i for column, (labelled, _) in CELLS.items() if column.startswith("n = 2") for i in labelled
}


def _combinations(i):
    """c(i)."""
    return i[0] + i[1] + (i[2] > 0)


def _moved(tau, i, n, j):
    """The state after a move to the configuration j."""
    return tau - score(i) + score(j), j, n + dice(i) - dice(j)


def _move(i, j):
    """The name of a move, as in Table 3."""
    fives, ones = i[0] - j[0], i[1] - j[1]
    if i[2] != j[2]:
        return f"mt{i[2]}"
    return {(3, 0): "mt5", (0, 3): "mt1"}.get((fives, ones), "m" + "5" * fives + "1" * ones)


def _states():
    """All states below the critical threshold, as Algorithm 4.2 goes through them."""
    return [(tau, i, n) for tau in range(THRESHOLD) for i in CONFIGURATIONS for n in HANDS[i]]


def _smaller(tau, i, n):
    """The configurations to which one may move from a state."""
    return [j for j in SMALLER[i] if n < 5 and _moved(tau, i, n, j)[0] >= 0]


@cache
def _equation_3():
    """The solution of equation (3*) below FAR chips: values by state, and values of a roll by (τ, n)."""
    values, rolls = {}, {}

    def value(tau, i, n):
        if tau >= FAR:
            return Fraction(tau)
        if (tau, i, n) not in values:
            moves = [value(*_moved(tau, i, n, j)) for j in _smaller(tau, i, n)]
            values[tau, i, n] = max(Fraction(tau), rolls[tau, n], *moves)
        return values[tau, i, n]

    for tau, n in product(range(FAR - 1, -1, -1), range(5, 0, -1)):
        rolls[tau, n] = roll_value(n, lambda k: value(tau + score(k), k, in_hand(n, k)))  # noqa: B023
    for tau, i in product(range(FAR), CONFIGURATIONS):
        for n in HANDS[i]:
            value(tau, i, n)
    return values, rolls


def _value(*state):
    return _equation_3()[0][state]


def _roll(tau, n):
    return _equation_3()[1][tau, n]


def _v0(tau, n):
    """V0, the value where one may only stop or roll."""
    return max(Fraction(tau), _roll(tau, n))


def _action_values(tau, i, n):
    """The right-hand side of (3) for every action, a dict; a state after a move may be left by another move."""
    moves = {_move(i, j): _value(*_moved(tau, i, n, j)) for j in _smaller(tau, i, n)}
    return {"s": Fraction(tau), "r": _roll(tau, n)} | moves


def _best_action(tau, i, n):
    """The best action: stop if nothing is better, otherwise the move after which one rolls."""
    rolls = {"r": _roll(tau, n)} | {
        _move(i, j): _roll(*_moved(tau, i, n, j)[::2]) for j in _smaller(tau, i, n)
    }
    best = max(rolls, key=rolls.get)
    return best if rolls[best] > tau else "s"


@cache
def _reached(most=400):
    """The states with at most `most` chips that some strategy reaches with positive probability."""
    seen, todo = set(), [(0, 5)]
    hands = set(todo)
    while todo:
        total, hand = todo.pop()
        after = [(total + score(k), k, in_hand(hand, k)) for k in COUNTS[hand] if k != NO_SCORE]
        for state in (state for state in after if state[0] <= most):
            moved = [_moved(*state, j) for j in _smaller(*state)]
            seen |= {state, *moved}
            new = {(tau, n) for tau, _, n in (state, *moved)} - hands
            hands |= new
            todo += new
    return seen


def _reached_below():
    return [state for state in _states() if state in _reached()]


# Sections 1 and 2: the rules


def _printed_configurations():
    """The rows of Table 5 in their order."""
    names = published("ten-thousand", "table-5")["configuration"].drop_duplicates()
    return [tuple(map(int, name.split(", "))) for name in names]


def _all_configurations():
    """Table 5: the set I of configurations with a score is listed."""
    listed = set(_printed_configurations()) - {NO_SCORE}
    return verdict_of(
        listed == set(CONFIGURATIONS),
        f"{len(listed)} are listed, {len(CONFIGURATIONS)} can be rolled",
    )


def _arbitrary_rolls():
    """Remark 2.2: arbitrarily many rolls and an arbitrarily large score."""
    again = [Fraction(sum(m for i, m in COUNTS[n].items() if dice(i) == n), 6**n) for n in COUNTS]
    found = "with 1 to 5 dice all of them score with probability " + ", ".join(
        f"{float(p):.4f}" for p in again
    )
    return verdict_of(all(again), found)


# Section 3: the model


def _remark_3_1():
    """Remark 3.1: two moves in a row are one, and every move is made of moves that give up one combination."""
    chains = [
        (k, j, i, n)
        for i in CONFIGURATIONS
        for j in SMALLER[i]
        for k in SMALLER[j]
        for n in HANDS[i]
        if n < 5
    ]
    same = [_moved(*_moved(60, i, n, j), k) == _moved(60, i, n, k) for k, j, i, n in chains]

    def made_of_single_moves(i, k):
        gap = _combinations(i) - _combinations(k)
        return gap == 1 or any(made_of_single_moves(j, k) for j in SMALLER[i] if k in SMALLER[j])

    pairs = [made_of_single_moves(i, k) for i in CONFIGURATIONS for k in SMALLER[i]]
    return exceptions([*same, *pairs], f"cases ({len(same):,} pairs of moves, {len(pairs)} moves)")


def _equation_3_star():
    """Equation (3*): solved with all moves in fractions, against the package's solver, which knows choices only."""
    best = solved(ten_thousand(), "score", exact=True)
    modes = {mode.dice: m for m, mode in enumerate(best.game.modes)}
    rolls = [
        _v0(tau, n) == best.values[tau, modes[n]]
        for tau, n in product(range(1, THRESHOLD + 1), modes)
    ]
    return exceptions([*rolls, _roll(0, 5) == best.value], "totals and numbers of dice")


# Section 4: Theorem 4.1, Algorithm 4.2, Lemma 4.3


def _algorithm_4_2(without=()):
    """Algorithm 4.2 as printed, without some of its lines.

    Returns the values and how often each state was assigned; and, after each step of line 1, whether (A1) and (A2) hold
    in the states they speak of.
    """
    values = {}
    assigned = Counter()
    a1 = []
    a2 = []

    def assign(state, value):
        values[state] = value
        assigned[state] += 1

    def after(tau, n):  # Vr of equation (4), with V = τ from the threshold on
        def value(k):
            total = tau + score(k)
            return (
                values.get((total, k, in_hand(n, k)), Fraction(0))
                if total < THRESHOLD
                else Fraction(total)
            )

        return roll_value(n, value)

    for tau in range(THRESHOLD - 1, -1, -1):  # 1
        rolls = {5: after(tau, 5)}
        for i in CONFIGURATIONS:  # 2
            assign((tau, i, 5), rolls[5])  # 3
        for n in range(4, 0, -1):  # 4
            rolls[n] = after(tau, n)  # 5
            for i in (i for i in CONFIGURATIONS if n in HANDS[i]):  # 6
                if rolls[n] <= tau:  # 7
                    assign((tau, i, n), Fraction(tau))  # 8
                elif 10 not in without:  # 9
                    assign((tau, i, n), rolls[n])  # 10
                for j in (
                    j for j in CONFIGURATIONS if i in SMALLER[j] and dice(j) < dice(i) + n
                ):  # 11
                    origin = tau - score(i) + score(j), j, n - dice(j) + dice(i)
                    if (
                        12 not in without and origin[0] < THRESHOLD and values[origin] < rolls[n]
                    ):  # 12
                        assign(origin, rolls[n])  # 13
        if not without:
            a1 += [
                values[tau, i, n] == max(Fraction(tau), rolls[n])
                for i in CONFIGURATIONS
                for n in HANDS[i]
            ]
            done = [(tau - 1 + score(i), i, n) for i in CONFIGURATIONS for n in HANDS[i]]
            a2 += [values[state] == _value(*state) for state in done if state[0] < THRESHOLD]
    return after(0, 5), values, assigned, a1, a2


@cache
def _as_printed():
    return _algorithm_4_2()


def _theorem_a():
    """Theorem 4.1(a): a pure stationary strategy is optimal: the package's, evaluated as a Markov chain in float64."""
    # A roll brings at most 24 chips: no turn gets to the target.
    best = solved(ten_thousand(THRESHOLD + 24), "score")
    points = turn_points(best.game, best.policy)
    mean = float((points * points.index).sum())
    return verdict_of(
        abs(mean - _roll(0, 5)) < 1e-12, f"one decision a state yields {mean:.6f} chips a turn"
    )


def _theorem_b():
    """Theorem 4.1(b): from 56 chips on the value is τ and the best action to stop."""
    states = [
        (tau, i, n) for tau in range(THRESHOLD, FAR) for i in CONFIGURATIONS for n in HANDS[i]
    ]
    falls = all(
        _gain(THRESHOLD, n) < 0 and _gain(THRESHOLD + 1, n) < _gain(THRESHOLD, n) for n in COUNTS
    )
    stop = [_value(*state) == state[0] and falls for state in states]
    return exceptions(
        stop,
        f"states from {THRESHOLD} to {FAR - 1} chips, and a roll loses more with every further chip",
    )


def _theorem_c():
    """Theorem 4.1(c): Algorithm 4.2 is exact: run as printed, against equation (3*)."""
    start, values, *_ = _as_printed()
    return exceptions(
        [values[state] == _value(*state) for state in _states()] + [start == _roll(0, 5)], "states"
    )


def _few_updates():
    """Theorem 4.1(c): for the other states just a few updates are needed."""
    times = Counter(_as_printed()[2].values())
    del times[1]
    found = f"{times.total()} states are assigned more than once, none more than {max(times)} times"
    return taste(found)


def _never_best():
    """Theorem 4.1: nine moves are never optimal, in any configuration that allows them."""
    cases = [(state, _action_values(*state)) for state in _states() if state[0] >= score(state[1])]
    among = [(state, move, values) for state, values in cases for move in values if move in NEVER]
    configurations = len({i for (_, i, _), _, _ in among})
    behind = [values[move] < max(values.values()) for _, move, values in among]
    least = min(float(max(values.values()) - values[move]) for _, move, values in among)
    found = f"{configurations} configurations allow one of them; they are behind by {least:.3f} chips or more"
    return exceptions(behind, f"pairs of a state and one of the {len(NEVER)} moves", found)


def _every_state_summarized():
    """Theorem 4.1: Table 6 summarizes value and action for every state: which are missing, or have another action."""
    printed = published("ten-thousand", "table-6")
    actions = published("ten-thousand", "table-6-actions").set_index("column")["printed"]
    numbers = set(zip(printed["column"], printed["chips"], strict=True))
    states, wrong = _reached_below(), []
    for tau, i, n in states:
        column = next(
            (c for c, (of, _) in CELLS.items() if c.startswith(f"n = {n}") and i in of), None
        )
        said = actions[column] if (column, tau) in numbers else "s"
        if _best_action(tau, i, n) != said:
            wrong.append((tau, i, n))
    found = "two dice in hand, and " + ", ".join(
        f"{tau} chips after {list(i)}" for tau, i, _ in sorted(wrong)
    )
    return exceptions(
        [state not in wrong for state in states], "states that a turn can reach", found
    )


def _gain(tau, n):
    """What a roll adds to stopping, on average, if one stops after it."""
    return roll_value(n, lambda k: Fraction(tau + score(k))) - tau


def _most_dice():
    """Section 4: the minimum is attained in a state with five dice."""
    firsts = [next(tau for tau in range(1, FAR) if _gain(tau, n) <= 0) for n in COUNTS]
    states = [(tau, i, n) for tau in range(THRESHOLD) for i in CONFIGURATIONS for n in HANDS[i]]
    last = {n for tau, i, n in states if _value(tau, i, n) > tau and tau == THRESHOLD - 1}
    found = (
        "with 1 to 5 dice a single roll stops to pay at " + ", ".join(map(str, firsts)) + " chips"
    )
    return verdict_of(firsts.index(max(firsts)) == 4 and last == {5}, found)


@cache
def _iterates(start=0.0):
    """W1, W2, …, the iterates of U in float64 from a constant, below the threshold, until they do not change.

    From the threshold on, W0 is the constant and all others are τ (Lemma 4.3).
    """
    states = _states()
    rolls = [(tau, n) for tau in range(THRESHOLD) for n in COUNTS]
    place = {state: k for k, state in enumerate(states)}
    now, history = np.full(len(states), start), []
    while len(history) < 400 and (len(history) < 2 or not np.array_equal(history[-1], history[-2])):

        def value(tau, k, n):
            return now[place[tau, k, n]] if tau < THRESHOLD else float(tau) if history else start

        rolled = {
            (tau, n): sum(
                m / 6**n * value(tau + score(k), k, in_hand(n, k))
                for k, m in COUNTS[n].items()
                if k != NO_SCORE
            )
            for tau, n in rolls
        }
        after = [
            max(
                float(tau),
                rolled[tau, n],
                *(value(*_moved(tau, i, n, j)) for j in _smaller(tau, i, n)),
            )
            for tau, i, n in states
        ]
        history.append(now := np.array(after))
    return history


def _induction():
    """Lemma 4.3: below 56 chips all Wk are below 56: the iterates in float64, with Wk = τ from 56 chips on."""
    history = _iterates()
    most = max(iterate.max() for iterate in history)
    return exceptions(
        [iterate.max() < THRESHOLD for iterate in history],
        "iterates",
        f"they are at most {most:.3f}",
    )


def _limit():
    """Section 4: V* is the limit of the iterates Wk: in float64."""
    history = _iterates()
    exact = np.array([float(_value(*state)) for state in _states()])
    steps = next(
        (k for k, iterate in enumerate(history, 1) if np.abs(iterate - exact).max() < 1e-12), None
    )
    rising = all((later >= before - 1e-14).all() for before, later in pairwise(history))
    found = f"they rise, and after {steps} steps equal V* to 1e-12 in all {len(exact):,} states"
    return verdict_of(rising and steps is not None, found)


def _unique_with_boundary():
    """Section 4, proof: under the boundary condition the solution is unique: iteration from 0 and from 1,000."""
    low, high = _iterates()[-1], _iterates(1000.0)[-1]
    gap = np.abs(low - high).max()
    return verdict_of(
        gap < 1e-12, "from 0 and from 1,000 chips everywhere the same values, to 1e-12"
    )


@cache
def _modes():
    return ten_thousand().modes


def _rolled(x, u):
    """What a roll of n dice is worth at 0 chips, if to roll n dice with τ chips is worth u[n]·x^τ: a dict by n."""
    values = {}
    for mode in _modes():
        after = [
            max((x**c.points * u[int(c.mode[0])] for c in o.choices), default=0.0)
            for o in mode.outcomes
        ]
        values[mode.dice] = sum(
            float(o.probability) * v for o, v in zip(mode.outcomes, after, strict=True)
        )
    return values


@cache
def _other_solution():
    """Solutions of (3*) in float64: x, u and the least c, if to roll n dice with τ chips is worth c·u[n]·x^τ."""

    @cache
    def grown(x):
        u = dict.fromkeys(COUNTS, 1.0)
        for _ in range(60):
            after = _rolled(x, u)
            u = {n: value / after[5] for n, value in after.items()}
        return _rolled(x, u)[5], u

    x = brentq(lambda x: grown(x)[0] - 1, 1.001, 1.2, xtol=1e-14)
    u = grown(x)[1]
    return x, u, max(tau / (x**tau * u[n]) for tau, n in product(range(1, 400), u))


def _not_unique():
    """Introduction, section 6: uniqueness is not assured: one more solution of (3*) for every c, in float64."""
    x, u, least = _other_solution()
    residual = max(abs(value / u[n] - 1) for n, value in _rolled(x, u).items())
    found = (
        f"c·u(n)·{x:.6f}^τ for rolling n dice solves (3*) for every c ≥ {least:.1f}, where u(5) "
    )
    found += f"= 1, u(1) = {u[1]:.3f}"
    return verdict_of(residual < 1e-9, found)


def _smallest():
    """Sections 4, 6: the value function is the smallest solution: iterates from 0, and the other solutions."""
    x, u, least = _other_solution()
    states = [(tau, n) for tau in range(1, FAR) for n in COUNTS]
    above = [least * u[n] * x**tau >= _v0(tau, n) for tau, n in states]
    found = f"at the start of a turn the other solutions have {least * u[5]:.1f} chips or more"
    return exceptions([*above, _limit().verdict == "holds"], "totals and numbers of dice", found)


def _below_56():
    """Lemma 4.3: below 56 chips every action has a value below 56."""
    values = [max(_action_values(*state).values()) for state in _states()]
    return exceptions(
        [value < THRESHOLD for value in values],
        "states",
        f"the largest is {float(max(values)):.3f}",
    )


def _chain_to_56():
    """Lemma 4.3: the chain of inequalities ends at a roll from 56 chips, which has a value of at most 56."""
    rolled = [THRESHOLD + _gain(THRESHOLD, n) for n in COUNTS]
    found = "with 1 to 5 dice " + ", ".join(f"{float(value):.3f}" for value in rolled)
    return verdict_of(max(rolled) <= THRESHOLD, found)


def _finite_and_exact():
    """Abstract: finitely many states do not stop, and the algorithm is finite and exact."""
    states = [state for state in _reached() if state[0] < FAR]
    going = [state for state in states if _best_action(*state) != "s"]
    digits = len(str(_roll(0, 5).denominator))
    found = f"{len(going):,} states that a turn can reach do not stop; the value is a fraction with a denominator of"
    return verdict_of(max(tau for tau, _, _ in going) < THRESHOLD, f"{found} {digits} digits")


# Section 5: other games


def _six_actions_suffice():
    """Table 4: six actions have the value of all fifteen."""
    *_, five, six, all_actions = RECIPES["ten-thousand", "table-4"]().values()
    found = f"the two fractions are {'equal' if six == all_actions else 'different'}; with five they differ by"
    return verdict_of(six == all_actions, f"{found} {float(all_actions - five):.6f}")


def _table_4_values():
    """Table 4, in which a listed move may be taken once after a roll: equation (3*) with these moves only."""
    moves = TABLE_3[:4]
    printed = published("ten-thousand", "table-4").set_index("actions")["printed"]
    values = {2 + k: _restricted_value(moves[:k]) for k in range(5)} | {
        15: _restricted_value(TABLE_3)
    }
    agree = [abs(values[k] - as_number(text)) <= half_unit(text) for k, text in printed.items()]
    wrong = ", ".join(
        f"{float(values[k]):.10f} for the printed {text}"
        for (k, text), right in zip(printed.items(), agree, strict=True)
        if not right
    )
    return exceptions(agree, "values", wrong)


def _restricted_value(allowed):
    """The value of the game in which only some moves are allowed, one after each roll."""
    rolls = {}

    def value(tau, i, n):
        moved = [_moved(tau, i, n, j)[::2] for j in SMALLER[i] if n < 5 and _move(i, j) in allowed]
        return max(Fraction(tau), *(rolls.get(state, 0) for state in ((tau, n), *moved)))

    for tau, n in product(range(THRESHOLD - 1, -1, -1), range(5, 0, -1)):
        rolls[tau, n] = roll_value(n, lambda k: value(tau + score(k), k, in_hand(n, k)))  # noqa: B023
    return rolls[0, 5]


def _pig_rolled(values, tau):
    """The right-hand side of the difference equation of solitaire Pig."""
    return sum(values(tau + face) for face in range(2, 7)) / 6


def _pig_solutions():
    """Section 5.2: the difference equation has infinitely many solutions with V(τ) ≥ τ."""
    x = brentq(lambda x: sum(x**face for face in range(2, 7)) / 6 - 1, 1, 2, xtol=1e-15)
    least = max(tau / x**tau for tau in range(1, 400))
    worst = max(abs(_pig_rolled(lambda tau: x**tau, tau) / x**tau - 1) for tau in range(400))
    return verdict_of(worst < 1e-12, f"V(0)·{x:.6f}^τ for every V(0) ≥ {least:.2f}")


def _pig_growth():
    """Section 5.2: V(0)·1.0646^τ is a solution."""
    times = _pig_rolled(lambda tau: 1.0646**tau, 0)
    return verdict_of(abs(times - 1) < 1e-3, f"the right side is {times:.4f} times the left side")


def _pig_minimal():
    """Section 5.2: the value is the minimal solution, and V(τ) = τ from 20 on: value iteration from 0, in float64."""
    best = solved(pig(), "score", exact=True)
    values, iterates = np.zeros(200), [np.zeros(200)]
    while len(iterates) < 300:
        rolled = (
            sum(np.append(values[face:], np.arange(200, 200 + face)) for face in range(2, 7)) / 6
        )
        values = np.maximum(np.arange(200), rolled)
        iterates.append(values)
    exact = [float(value) for value in best.values[:, 0]]
    same = (
        np.abs(values[: len(exact)] - exact).max() < 1e-12
        and (values[20:] == np.arange(20, 200)).all()
    )
    rising = all((b >= a).all() for a, b in pairwise(iterates))
    found = f"iteration from 0, below every solution, rises to it; V(19) = {values[19]:.4f}, V(20) = {values[20]:g}"
    return verdict_of(bool(same and rising), found)


# Appendix: the equations


def _right_hand_sides():
    """Appendix: every right-hand side is a maximum between τ and values of a roll: Vr after giving up scores."""
    states = [(tau, i, n) for tau, i, n in _states() if tau >= score(i)]
    rolls = [
        _rolls(tau, n, *((tau - t, m - n) for t, m in _given_up(tau, i, n))) for tau, i, n in states
    ]
    return exceptions(
        [_value(*state) == best for state, best in zip(states, rolls, strict=True)], "states"
    )


def _given_up(tau, i, n):
    """The chips and dice in hand after every move of a state."""
    return [_moved(tau, i, n, j)[::2] for j in _smaller(tau, i, n)]


def _four_dice():
    """Appendix: with four dice in hand the configuration has one scoring die."""
    numbers = {dice(i) for i in CONFIGURATIONS if 4 in HANDS[i]}
    return verdict_of(
        numbers == {1}, f"{sum(4 in HANDS[i] for i in CONFIGURATIONS)} configurations, one die each"
    )


def _five_rather_than_one():
    """Appendix: with a five and a one, to give up the one is worse than to give up the five."""
    states = [(tau, n) for tau in range(3, THRESHOLD) for n in (1, 2, 3)]
    return exceptions([_v0(tau - 2, n + 1) < _v0(tau - 1, n + 1) for tau, n in states], "states")


def _rolls(tau, n, *given_up):
    """The maximum of τ, a roll, and rolls after giving up (chips, dice)."""
    return max(
        Fraction(tau), _roll(tau, n), *(_roll(tau - chips, n + more) for chips, more in given_up)
    )


def _other_configurations():
    """Appendix: in all other configurations the best action is to stop or to roll."""
    others = [i for i in CONFIGURATIONS if i not in LABEL_OF]
    states = [(tau, i, n) for i in others for n in HANDS[i] for tau in range(score(i), THRESHOLD)]
    return exceptions([_value(*state) == _v0(state[0], state[2]) for state in states], "states")


APPENDIX = (  # lines 10 to 21: line, label, chips and dice given up, dice in hand after the move, the action as printed
    (11, "5", 1, 1, (2, 3, 4), "m5"),
    (13, "1", 2, 1, (2, 3, 4), "m1"),
    (15, "55", 1, 1, (2, 3), "m55"),
    (17, "55", 2, 2, (3, 4), "m55"),
    (19, "51", 1, 1, (2, 3), "m51"),
    (21, "51", 3, 2, (3, 4), "m51"),
)


@cache
def _appendix():
    """The algorithm of the appendix as printed: values, actions by (label, τ, n), and how often they are assigned."""
    values = {}
    actions = {}
    lines = {}
    assigned = Counter()

    def assign(label, tau, n, value, action, line):
        key = label, tau, n
        values[key], actions[key], lines[key] = value, action, line
        assigned[key] += 1

    def after(tau, n):
        def value(k):
            total, hand = tau + score(k), in_hand(n, k)
            label = LABEL_OF.get(k, "0") if hand < 5 else "0"
            return Fraction(total) if total >= THRESHOLD else values[label, total, hand]

        return roll_value(n, value)

    for tau in range(THRESHOLD - 1, -1, -1):  # 1
        assign("0", tau, 5, after(tau, 5), "r", 2)
        for n in range(4, 0, -1):  # 3
            aux = after(tau, n)  # 4
            for label in ("0", *LABELS):  # 5 to 9
                assign(label, tau, n, *((Fraction(tau), "s", 7) if aux <= tau else (aux, "r", 9)))
            for line, label, chips, more, hands, name in APPENDIX:
                key = label, tau + chips, n - more
                if n in hands and tau + chips < THRESHOLD and values[key] < aux:
                    assign(*key, aux, name, line)
    return values, actions, lines, assigned


def _labelled():
    """The states that the labels of the appendix stand for: (label, state)."""
    states = [(LABEL_OF.get(i, "0") if n < 5 else "0", (tau, i, n)) for tau, i, n in _states()]
    return [(label, state) for label, state in states if state[0] >= score(state[1])]


def _appendix_values():
    """Appendix: after the second algorithm V has the optimal value: as printed, against equation (3*)."""
    values, *_ = _appendix()
    agree = [values[label, tau, n] == _value(tau, i, n) for label, (tau, i, n) in _labelled()]
    return exceptions([*agree, values["0", 0, 5] == _roll(0, 5)], "states")


def _appendix_actions():
    """Appendix: after the second algorithm A has the optimal action: as printed."""
    _, actions, *_ = _appendix()
    states = [(label, state) for label, state in _labelled() if state in _reached()]
    agree = [actions[label, tau, n] == _best_action(tau, i, n) for label, (tau, i, n) in states]
    return exceptions(agree, "states that a turn can reach")


def _appendix_cost():
    """Appendix: the second algorithm is more efficient: the number of assignments."""
    first = _as_printed()[2].total()
    second = _appendix()[3].total()
    return verdict_of(second < first, f"{second:,} assignments instead of {first:,}")


# Table 6


def table_6_cells(printed):
    """Every cell of Table 6 up to 55 chips: what is printed, and what it should be.

    Parameters
    ----------
    printed : pandas.DataFrame
        The printed numbers, with columns column and chips.

    Returns
    -------
    list of tuple
        (column, chips, "–", "number" or "empty", whether a turn can reach the cell, whether to stop is not the best).
    """
    numbers = set(zip(printed["column"], printed["chips"], strict=True))
    cells = []
    for column, (configurations, dashes) in CELLS.items():
        hand = COLUMNS[column][0]
        for tau in range(THRESHOLD):
            kind = "number" if (column, tau) in numbers else "–" if tau < dashes else "empty"
            states = [(tau, i, hand) for i in configurations if hand in HANDS[i]]
            reached = any(state in _reached() for state in states) or (tau, hand) == (0, 5)
            possible = [state for state in states if tau >= score(state[1]) or hand == 5]
            cells.append(
                (column, tau, kind, reached, any(_best_action(*state) != "s" for state in possible))
            )
    return cells


@cache
def _cells():
    return table_6_cells(published("ten-thousand", "table-6"))


def _omitted(hand, skipped):
    states = [(tau, i, n) for tau, i, n in _reached_below() if n == hand and i not in skipped]
    wrong = [state for state in states if _best_action(*state) != "s"]
    told = [
        f"{tau} chips after {list(i)}: a roll is worth {float(_roll(tau, n)):.3f}"
        for tau, i, n in wrong
    ]
    return exceptions(
        [state not in wrong for state in states], "states that a turn can reach", "; ".join(told)
    )


def _one_die():
    """Table 6: with one die in hand the best action is always to stop."""
    return _omitted(1, ())


def _two_dice_other():
    """Table 6: with two dice in hand and another configuration the best action is always to stop."""
    return _omitted(2, IN_COLUMN_2)


def _action_by_column():
    """Table 6: the best action depends on the column only, and stands in the last row."""
    said = published("ten-thousand", "table-6-actions").set_index("column")["printed"]
    agree = []
    for column, tau, kind, *_ in _cells():
        states = [
            (tau, i, COLUMNS[column][0]) for i in CELLS[column][0] if COLUMNS[column][0] in HANDS[i]
        ]
        agree += (
            [{_best_action(*s) for s in states if tau >= score(s[1])} <= {said[column]}]
            if kind == "number"
            else []
        )
    return exceptions(
        agree,
        "printed cells",
        "with two dice after two fives, or a five and a one, it is m5, not r",
    )


def _above_tau():
    """Table 6: all printed values are greater than τ."""
    cells = published("ten-thousand", "table-6")
    return exceptions(cells["printed"].astype(float) > cells["chips"], "values")


CHECKS = {
    "remark-2-2": _arbitrary_rolls,
    "remark-3-1": _remark_3_1,
    "equation-3-star": _equation_3_star,
    "finite-and-exact": _finite_and_exact,
    "theorem-4-1-a": _theorem_a,
    "theorem-4-1-b": _theorem_b,
    "theorem-4-1-c": _theorem_c,
    "few-updates": _few_updates,
    "never-best": _never_best,
    "every-state-in-table-6": _every_state_summarized,
    "limit-of-iterates": _limit,
    "most-dice": _most_dice,
    "lemma-4-3-induction": _induction,
    "below-56": _below_56,
    "chain-to-56": _chain_to_56,
    "unique-with-boundary": _unique_with_boundary,
    "table-4-six-actions": _six_actions_suffice,
    "table-4-values": _table_4_values,
    "pig-other-solutions": _pig_solutions,
    "pig-growth": _pig_growth,
    "pig-minimal-solution": _pig_minimal,
    "smallest-solution": _smallest,
    "not-unique": _not_unique,
    "four-dice": _four_dice,
    "five-rather-than-one": _five_rather_than_one,
    "right-hand-sides": _right_hand_sides,
    "other-configurations": _other_configurations,
    "appendix-values": _appendix_values,
    "appendix-actions": _appendix_actions,
    "appendix-cost": _appendix_cost,
    "table-5-all-configurations": _all_configurations,
    "table-6-one-die": _one_die,
    "table-6-two-dice": _two_dice_other,
    "table-6-action-by-column": _action_by_column,
    "table-6-above-tau": _above_tau,
}
