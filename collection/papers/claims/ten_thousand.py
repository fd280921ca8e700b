"""How the claims of ten-thousand (Crocce and Mordecki 2014) are checked: `CHECKS`, a function for every claim.

A state (τ, i, n) has τ chips in the turn, the last configuration i = [f, o, t] and n dice in hand. All arithmetic is in
fractions, unless a function says otherwise. :func:`_value` solves equation (3*) with all moves, from a boundary far
above the critical threshold, so that it takes neither Lemma 4.3 nor either algorithm for granted.
"""

from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache, partial
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
from ...course.textbook.two_player import value_iteration
from ..published import published
from ..recipes import COLUMNS, RECIPES
from .findings import Finding, exceptions, misprint, solved, taste, verdict_of

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


def _combinations(i):
    """c(i)."""
    return i[0] + i[1] + (i[2] > 0)


def _moved(tau, i, n, j):
    """The state after a move to the configuration j."""
    return tau - score(i) + score(j), j, n + dice(i) - dice(j)


def _move(i, j):
    """The name of a move, as in Table 3."""
    given_up = "5" * (i[0] - j[0]) + "1" * (i[1] - j[1])
    triples = {"555": "t5", "111": "t1"}
    return "m" + (f"t{i[2]}" if i[2] != j[2] else triples.get(given_up, given_up))


def _states(totals=range(THRESHOLD)):
    """All states with these chips; by default those below the threshold, as Algorithm 4.2 goes through them."""
    return [(tau, i, n) for tau in totals for i in CONFIGURATIONS for n in HANDS[i]]


def _with_score():
    """Those of the states whose chips include the score of their configuration."""
    return [state for state in _states() if state[0] >= score(state[1])]


def _smaller(tau, i, n):
    """The configurations to which one may move from a state."""
    return [j for j in SMALLER[i] if n < 5 and _moved(tau, i, n, j)[0] >= 0]


@cache
def _value(tau, i, n):
    """The solution V(τ, i, n) of equation (3*), with V = τ from FAR chips on."""
    if tau >= FAR:
        return Fraction(tau)
    after = [_value(*_moved(tau, i, n, j)) for j in _smaller(tau, i, n)]
    return max(Fraction(tau), _roll(tau, n), *after)


@cache
def _roll(tau, n):
    """Vr(τ, n) of equation (4)."""
    return roll_value(n, lambda k: _value(tau + score(k), k, in_hand(n, k)))


def _v0(tau, n):
    """V0, the value where one may only stop or roll."""
    return max(Fraction(tau), _roll(tau, n))


def _action_values(tau, i, n):
    """The right-hand side of (3) for every action, a dict; a state after a move may be left by another move."""
    moves = {_move(i, j): _value(*_moved(tau, i, n, j)) for j in _smaller(tau, i, n)}
    return {"s": Fraction(tau), "r": _roll(tau, n)} | moves


def _rolls(tau, i, n):
    """The value of a roll, and of a roll after every move, a dict by action."""
    moves = {_move(i, j): _roll(*_moved(tau, i, n, j)[::2]) for j in _smaller(tau, i, n)}
    return {"r": _roll(tau, n)} | moves


def _best_action(tau, i, n):
    """The best action: stop if nothing is better, otherwise the move after which one rolls."""
    rolls = _rolls(tau, i, n)
    best = max(rolls, key=rolls.get)
    return best if rolls[best] > tau else "s"


@cache
def _reached(most=400):
    """The states that some strategy reaches with positive probability, as far as rolls from `most` chips lead."""
    seen, hands = set(), {(0, 5)}
    for tau, n in product(range(most + 1), COUNTS):  # every roll adds a chip or more
        counts = COUNTS[n] if (tau, n) in hands else ()
        rolled = {(tau + score(k), k, in_hand(n, k)) for k in counts if k != NO_SCORE}
        after = rolled | {_moved(*state, j) for state in rolled for j in _smaller(*state)}
        seen |= after
        hands |= {state[::2] for state in after}
    return seen


def _reached_below():
    return [state for state in _states() if state in _reached()]


def _slip(printed, meant, found):
    """A Finding about a formula, case by case: a misprint if it is not right, but what is meant is, in every case."""
    if all(printed) or not all(meant):
        return verdict_of(all(printed), found)
    return Finding(verdict="a misprint", found=found)


# Sections 1 and 2: the rules


@cache
def _table_5():
    """The printed numbers of Table 5, a dict by (configuration, quantity)."""
    table = published("ten-thousand", "table-5").set_index(["configuration", "quantity"])["printed"]
    return {(tuple(map(int, i.split(", "))), of): int(text) for (i, of), text in table.items()}


def _scoring_formulas():
    """Section 2.1: the formulas for s(i), d(i) and c(i), against the columns of Table 5."""
    formulas = {"score": score, "scoring dice": dice, "scoring combinations": _combinations}
    right = [formulas[of](i) == k for (i, of), k in _table_5().items() if of in formulas]
    return exceptions(right, "numbers of these columns")


def _all_configurations():
    """Table 5: the set I of configurations with a score is listed."""
    listed = {i for i, _ in _table_5()} - {NO_SCORE}
    return verdict_of(
        listed == set(CONFIGURATIONS),
        f"{len(listed)} are listed, {len(CONFIGURATIONS)} can be rolled",
    )


def _blank_cells():
    """Table 5: the cells without a frequency are those of configurations that n dice cannot show."""
    cells = product([NO_SCORE, *CONFIGURATIONS], COUNTS)
    printed = {cell: (cell[0], f"frequency among {cell[1]} dice") in _table_5() for cell in cells}
    return exceptions([(i in COUNTS[n]) == there for (i, n), there in printed.items()], "cells")


def _heading():
    """Table 5: the column "Sc. dice" is headed s(i)."""
    column = {i: k for (i, of), k in _table_5().items() if of == "scoring dice"}
    as_score, as_dice = ([of(i) == column[i] for i in column] for of in (score, dice))
    found = f"it is s(i) in {sum(as_score)} rows of {len(column)}, and d(i), the scoring dice, in {sum(as_dice)}"
    return _slip(as_score, as_dice, found)


def _frequencies_add_up():
    """Equation (1): q is a probability distribution."""
    columns = [
        [_table_5().get((i, f"frequency among {n} dice"), 0) for i in COUNTS[5]] for n in COUNTS
    ]
    found = "the printed frequencies add up to " + ", ".join(f"{sum(k):,}" for k in columns)
    return verdict_of(all(sum(k) == 6**n for n, k in enumerate(columns, 1)), found)


def _definition_2_1():
    """Definition 2.1: s, d and c are smaller for a smaller configuration, and c stays positive."""
    pairs = [(j, i) for i in CONFIGURATIONS for j in SMALLER[i]]
    smaller = [all(0 < of(j) < of(i) for of in (score, dice, _combinations)) for j, i in pairs]
    return exceptions(smaller, "pairs of configurations")


@cache
def _outcomes():
    """The rolls of the game as data: pairs of the number of dice and the outcome."""
    return [(mode.dice, outcome) for mode in ten_thousand().modes for outcome in mode.outcomes]


def _table_2():
    """Table 2: what may be done after every roll, against the choices of the game as data."""
    rolls = [(n, i) for n in COUNTS for i in COUNTS[n] if i != NO_SCORE]
    kept = [[i, *(SMALLER[i] if dice(i) < n else ())] for n, i in rolls]
    said = Counter(
        (n, frozenset((score(j), in_hand(n, j)) for j in configurations))
        for (n, _), configurations in zip(rolls, kept, strict=True)
    )
    given = Counter(
        (n, frozenset((choice.points, int(choice.mode[0])) for choice in outcome.choices))
        for n, outcome in _outcomes()
        if outcome.choices
    )
    return verdict_of(given == said, f"the same choices after all {len(rolls)} rolls that score")


def _dice_decrease():
    """Section 2.2: unless all dice score, the number of dice decreases."""
    choices = [(n, choice) for n, outcome in _outcomes() for choice in outcome.choices]
    fewer = [int(choice.mode[0]) < n or len(choice.aside) == n for n, choice in choices]
    return exceptions(fewer, "choices")


def _possible(words, event):
    """Section 2.2: a roll of any number of dice n can have a configuration i with event(i, n)."""
    ways = [sum(m for i, m in COUNTS[n].items() if event(i, n)) for n in COUNTS]
    chances = ", ".join(f"{m / 6**n:.4f}" for n, m in enumerate(ways, 1))
    return verdict_of(all(ways), f"with 1 to 5 dice {words} with probability {chances}")


# Section 3: the model


def _infinite_states():
    """Section 3.1: the state space is countably infinite."""
    totals = {tau for tau, _, n in _reached() if n == 5}
    found = "a turn can have five dice in hand; five single fives lead 5 chips further"
    return exceptions([k in totals for k in range(5, 401)], "totals from 5 to 400 chips", found)


def _table_3():
    """Table 3: the possible moves."""
    moves = {_move(i, j) for i in CONFIGURATIONS for j in SMALLER[i] if dice(i) < 5}
    named = len(moves.intersection(TABLE_3))
    found = (
        f"{len(moves)} moves, with s and r {len(moves) + 2} actions; the table has {named} of them"
    )
    return verdict_of(moves == set(TABLE_3), found)


def _two_actions():
    """Section 3.2: with one scoring combination no move is possible, with more (and fewer than five dice) one is."""
    more = [(_combinations(i) > 1 and n < 5, (tau, i, n)) for tau, i, n in _with_score()]
    return exceptions([bool(_smaller(*state)) == moves for moves, state in more], "states")


def _remark_3_1():
    """Remark 3.1: two moves in a row are one, and every move is made of moves that give up one combination.

    The second by induction: there is a configuration between those of a move that gives up more than one combination.
    """
    moves = [(k, i) for i in CONFIGURATIONS for k in SMALLER[i]]
    between = {(k, i): [j for j in SMALLER[i] if k in SMALLER[j]] for k, i in moves}
    chains = [(k, j, i, n) for (k, i), js in between.items() for j in js for n in HANDS[i] if n < 5]
    same = [_moved(*_moved(60, i, n, j), k) == _moved(60, i, n, k) for k, j, i, n in chains]
    made = [_combinations(i) - _combinations(k) == 1 or between[k, i] for k, i in moves]
    found = f"cases ({len(same):,} pairs of moves, {len(made)} moves)"
    return exceptions([*same, *map(bool, made)], found)


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


@cache
def _algorithm_4_2(moves=True):
    """Algorithm 4.2 as printed, or without its lines 11 to 13.

    Returns the value of the game; what was assigned to each state, a list; and, after each step of line 1, whether (A1)
    and (A2) hold in the states they speak of.
    """
    values = defaultdict(list)
    a1 = []
    a2 = []

    def value(tau, k, n):  # V = τ from the threshold on
        return values[tau, k, n][-1] if tau < THRESHOLD else Fraction(tau)

    def after(tau, n):  # Vr of equation (4)
        return roll_value(n, lambda k: value(tau + score(k), k, in_hand(n, k)))

    for tau in range(THRESHOLD - 1, -1, -1):  # 1
        rolls = {5: after(tau, 5)}
        for i in CONFIGURATIONS:  # 2
            values[tau, i, 5].append(rolls[5])  # 3
        for n in range(4, 0, -1):  # 4
            rolls[n] = after(tau, n)  # 5
            for i in (i for i in CONFIGURATIONS if n in HANDS[i]):  # 6
                values[tau, i, n].append(max(Fraction(tau), rolls[n]))  # 7 to 10
                larger = [j for j in CONFIGURATIONS if i in SMALLER[j]] if moves else []
                for j in (j for j in larger if dice(j) < dice(i) + n):  # 11
                    origin = tau - score(i) + score(j), j, n - dice(j) + dice(i)
                    if value(*origin) < rolls[n]:  # 12
                        values[origin].append(rolls[n])  # 13
        pairs = [(i, n) for i in CONFIGURATIONS for n in HANDS[i]]
        a1 += [value(tau, i, n) == max(Fraction(tau), rolls[n]) for i, n in pairs]
        done = [(tau - 1 + score(i), i, n) for i, n in pairs]
        a2 += [value(*state) == _value(*state) for state in done if state[0] < THRESHOLD]
    return after(0, 5), values, a1, a2


def _theorem_a():
    """Theorem 4.1(a): a pure stationary strategy is optimal: the package's, evaluated as a Markov chain in float64."""
    # A roll brings at most 24 chips: no turn gets to the target.
    best = solved(ten_thousand(THRESHOLD + 24), "score")
    points = turn_points(best.game, best.policy)
    mean = points @ points.index
    return verdict_of(
        abs(mean - _roll(0, 5)) < 1e-12, f"one decision a state yields {mean:.6f} chips a turn"
    )


def _theorem_b():
    """Theorem 4.1(b): from 56 chips on the value is τ and the best action to stop."""
    falls = all(_gain(THRESHOLD + 1, n) < _gain(THRESHOLD, n) < 0 for n in COUNTS)
    stop = [_value(*state) == state[0] and falls for state in _states(range(THRESHOLD, FAR))]
    found = "states from 56 to 119 chips, and a roll loses more with every further chip"
    return exceptions(stop, found)


def _theorem_c():
    """Theorem 4.1(c): Algorithm 4.2 is exact: run as printed, against equation (3*)."""
    start, values, *_ = _algorithm_4_2()
    exact = [values[state][-1] == _value(*state) for state in _states()]
    return exceptions([*exact, start == _roll(0, 5)], "states")


def _one_shot():
    """Theorem 4.1(c): most states get their value in one shot."""
    once = [len(assigned) == 1 for assigned in _algorithm_4_2()[1].values()]
    found = f"{sum(once):,} of {len(once):,} states are assigned once"
    return verdict_of(2 * sum(once) > len(once), found)


def _few_updates():
    """Theorem 4.1(c): for the other states just a few updates are needed."""
    times = [len(assigned) for assigned in _algorithm_4_2()[1].values() if len(assigned) > 1]
    found = f"{len(times)} states are assigned more than once, none more than {max(times)} times"
    return taste(found)


def _affirmation(number, things):
    """Proof of Theorem 4.1(c): (A1) or (A2), which stand at places 2 and 3 of what `_algorithm_4_2` returns."""
    return exceptions(_algorithm_4_2()[number], things)


def _never_best():
    """Theorem 4.1: nine moves are never optimal, in any configuration that allows them."""
    cases = [(i, _action_values(tau, i, n)) for tau, i, n in _with_score()]
    among = [(i, values, move) for i, values in cases for move in values if move in NEVER]
    behind = [max(values.values()) - values[move] for _, values, move in among]
    found = f"{len({i for i, *_ in among})} configurations allow one of them; "
    found += f"they are behind by {float(min(behind)):.3f} chips or more"
    stay = [loss > 0 for loss in behind]
    return exceptions(stay, f"pairs of a state and one of the {len(NEVER)} moves", found)


def _every_state_summarized():
    """Theorem 4.1: Table 6 summarizes value and action for every state: which are missing, or have another action."""
    actions = published("ten-thousand", "table-6-actions").set_index("column")["printed"]
    cells = [cell[:2] for cell in _cells() if cell[2] == "number"]
    said = {state: actions[cell[0]] for cell in cells for state in _in_cell(*cell)}
    right = {state: _best_action(*state) == said.get(state, "s") for state in _reached_below()}
    wrong = [f"{tau} chips after {list(i)}" for tau, i, n in sorted(right) if not right[tau, i, n]]
    found = f"two dice in hand, and {', '.join(wrong)}"
    return exceptions([*right.values()], "states that a turn can reach", found)


def _sets_of_the_algorithm():
    """Section 4: I(i, n) has the configurations from which a move leads to i with n dice in hand."""
    pairs = [(j, i) for j in CONFIGURATIONS for i in SMALLER[j]]
    moves = {(j, i, _moved(0, j, n, i)[2]) for j, i in pairs for n in HANDS[j] if n < 5}
    sets = {(j, i, n) for j, i in pairs for n in HANDS[i] if n < 5 and dice(j) < dice(i) + n}
    found = f"{len(moves)} moves; {len(moves & sets)} of them are in the sets, which have {len(sets)} members"
    return verdict_of(sets == moves, found)


def _gain(tau, n):
    """What a roll adds to stopping, on average, if one stops after it."""
    return roll_value(n, lambda k: Fraction(tau + score(k))) - tau


def _second_form(tau, n):
    """The same, as in (7) and in the second form of (6): the points of a roll, less what is lost on average."""
    return roll_value(n, lambda k: Fraction(score(k))) - tau * Fraction(COUNTS[n][NO_SCORE], 6**n)


def _equation_6():
    """Equation (6) and its second form are the same."""
    agree = [(_gain(tau, 5) <= 0) == (_second_form(tau, 5) <= 0) for tau in range(1, 201)]
    return exceptions(agree, "totals from 1 to 200")


def _equation_7():
    """Equation (7): the value of a roll if V = τ afterwards, less than τ."""
    pairs = product(range(THRESHOLD, FAR), COUNTS)
    return exceptions([_gain(*pair) == _second_form(*pair) < 0 for pair in pairs], "pairs (τ, n)")


def _at_the_threshold(added, words, digits):
    """Lemma 4.3: (8), by which a roll from 56 chips loses, and the chain of inequalities, which ends at its value."""
    changes = [_second_form(THRESHOLD, n) for n in COUNTS]
    numbers = ", ".join(f"{float(added + change):.{digits}f}" for change in changes)
    return verdict_of(max(changes) < 0, f"{words} {numbers}")


def _most_dice():
    """Section 4: the minimum is attained in a state with five dice."""
    firsts = [next(tau for tau in range(1, FAR) if _gain(tau, n) <= 0) for n in COUNTS]
    last = {n for tau, i, n in _states() if tau == THRESHOLD - 1 and _value(tau, i, n) > tau}
    found = f"with 1 to 5 dice a single roll stops to pay at {', '.join(map(str, firsts))} chips"
    return verdict_of(firsts.index(max(firsts)) == 4 and last == {5}, found)


@cache
def _iterates(start=0.0):
    """W1, W2, …, the iterates of U in float64 from a constant, below the threshold, until they do not change.

    From the threshold on, W0 is the constant and all others are τ (Lemma 4.3).
    """
    far = {state: float(state[0]) for state in _states(range(THRESHOLD, THRESHOLD + 24))}
    now, history = dict.fromkeys([*_states(), *far], start), []
    while len(history) < 400 and (len(history) < 2 or not np.array_equal(history[-1], history[-2])):
        rolled = {
            (tau, n): sum(
                m / 6**n * now[tau + score(k), k, in_hand(n, k)]
                for k, m in COUNTS[n].items()
                if k != NO_SCORE
            )
            for tau, n in product(range(THRESHOLD), COUNTS)
        }
        below = {
            (tau, i, n): max(
                float(tau),
                rolled[tau, n],
                *(now[_moved(tau, i, n, j)] for j in _smaller(tau, i, n)),
            )
            for tau, i, n in _states()
        }
        now = far | below
        history.append(np.array([*below.values()]))
    return history


def _w1():
    """Lemma 4.3: U applied to the null function is attained by stopping, so W1 = τ."""
    return exceptions(_iterates()[0] == [t for t, *_ in _states()], "states", "so W1(x) = τ")


def _induction():
    """Lemma 4.3: below 56 chips all Wk are below 56: the iterates in float64, with Wk = τ from 56 chips on."""
    most = np.array([iterate.max() for iterate in _iterates()])
    return exceptions(most < THRESHOLD, "iterates", f"they are at most {most.max():.3f}")


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
    gap = np.abs(_iterates()[-1] - _iterates(1000.0)[-1]).max()
    found = "from 0 and from 1,000 chips everywhere the same values, to 1e-12"
    return verdict_of(gap < 1e-12, found)


def _rolled(x, u):
    """What a roll of n dice is worth at 0 chips, if to roll n dice with τ chips is worth u[n]·x^τ: a dict by n."""
    values = dict.fromkeys(COUNTS, 0.0)
    for n, outcome in _outcomes():
        after = [x**choice.points * u[int(choice.mode[0])] for choice in outcome.choices]
        values[n] += float(outcome.probability) * max(after, default=0.0)
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
    solution = f"c·u(n)·{x:.6f}^τ for rolling n dice solves (3*) for every c ≥ {least:.1f}"
    return verdict_of(residual < 1e-9, f"{solution}, where u(5) = 1, u(1) = {u[1]:.3f}")


def _smallest():
    """Sections 4, 6: the value function is the smallest solution: iterates from 0, and the other solutions."""
    x, u, least = _other_solution()
    above = [least * u[n] * x**tau >= _v0(tau, n) for tau, n in product(range(1, FAR), COUNTS)]
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


def _first_step_of_the_proof():
    """Proof of Theorem 4.1, τ = 55: with a score of 1 there is one combination, with more the boundary is reached."""
    right = [_combinations(i) == 1 or 54 + score(i) >= THRESHOLD for i in CONFIGURATIONS]
    return exceptions(right, "configurations")


def _states_in_the_proof():
    """Proof of Theorem 4.1: a roll leads to states with n - d(j) dice in hand."""
    rolls = [(n, j) for n in COUNTS for j in COUNTS[n] if j != NO_SCORE]
    printed = [n - dice(j) == in_hand(n, j) for n, j in rolls]
    meant = [n - dice(j) + 5 * (n == dice(j)) == in_hand(n, j) for n, j in rolls]
    found = f"right after {sum(printed)} of {len(rolls)} rolls; after the others five are in hand, as (4) has it"
    return _slip(printed, meant, found)


def _sign_in_the_proof():
    """Proof of Theorem 4.1: a move leads to n - d(i) + d(j) dice in hand, against the moves of section 3.2."""
    moves = [(i, j, n) for i in CONFIGURATIONS for n in HANDS[i] if n < 5 for j in SMALLER[i]]
    printed, meant = (
        [n + sign * (dice(i) - dice(j)) == _moved(0, i, n, j)[2] for i, j, n in moves]
        for sign in (-1, 1)
    )
    found = f"right for {sum(printed)} of {len(moves)} moves; the dice given up add to those in hand, n + d(i) - d(j)"
    return _slip(printed, meant, found)


def _finite_and_exact():
    """Abstract: finitely many states do not stop, and the algorithm is finite and exact."""
    going = [tau for tau, i, n in _reached() if tau < FAR and _best_action(tau, i, n) != "s"]
    found = f"{len(going):,} states that a turn can reach do not stop; the value is a fraction with a denominator of "
    found += f"{len(str(_roll(0, 5).denominator))} digits"
    return verdict_of(max(going) < THRESHOLD, found)


# Section 5: other games


def _lines_without_moves():
    """Section 5.1: the game without moves is solved by Algorithm 4.2 without the lines 9, 10 and 11."""
    value, values, *_ = _algorithm_4_2(moves=False)
    rolled = sum(n < 5 and assigned[0] > tau for (tau, _, n), assigned in values.items())
    found = f"lines 9 and 10 give {rolled} states the value of a roll; without 11 to 13 the value is {float(value):.6f}"
    return _slip([not rolled], [round(float(value), 6) == 5.576326], found)


def _six_actions_suffice():
    """Table 4: six actions have the value of all fifteen."""
    *_, five, six, every = RECIPES["ten-thousand", "table-4"]().values()
    found = f"the two fractions are {'equal' if six == every else 'different'}; with five they differ by"
    return verdict_of(six == every, f"{found} {float(every - five):.6f}")


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
    found = f"the right side is {times:.4f} times the left side; with 1.0461 it is a solution, as the paper says"
    return misprint(
        abs(times - 1) < 1e-3, abs(_pig_rolled(lambda tau: 1.0461**tau, 0) - 1) < 1e-3, found
    )


def _pig_minimal():
    """Section 5.2: the value is the minimal solution, and V(τ) = τ from 20 on: value iteration from 0, in float64."""
    values, rising = np.zeros(200), []
    for _ in range(300):
        longer = np.append(values, np.arange(200, 206))
        rolled = sum(longer[face : face + 200] for face in range(2, 7)) / 6
        before, values = values, np.maximum(np.arange(200), rolled)
        rising.append((values >= before).all())
    exact = solved(pig(), "score", exact=True).values[:, 0].astype(float)
    same = np.allclose(values, [*exact, *range(len(exact), 200)], rtol=0, atol=1e-12)
    found = f"iteration from 0, below every solution, rises to it; V(19) = {values[19]:.4f}, V(20) = {values[20]:g}"
    return verdict_of(same and all(rising), found)


# Section 6


def _open_question():
    """Section 6: an algorithm of this kind for two players: in fractions, and by value iteration."""
    short, race = solved(ten_thousand(12), exact=True), solved(ten_thousand())
    gap = abs(value_iteration(ten_thousand(12))[0] - short.values.astype(float)).max()
    found = (
        "yes: the pairs of scores backwards, each by finitely many linear equations; the first player wins"
        f" {float(short.value):.6f} to 12 chips, a fraction, as by value iteration, and"
        f" {race.value:.6f} to 200 chips, in float64"
    )
    return verdict_of(isinstance(short.value, Fraction) and gap < 1e-12, found)


# Appendix: the equations


def _equation_10():
    """Equation (10): the value does not decrease with τ."""
    states = [(t, i, n) for i in CONFIGURATIONS for n in HANDS[i] for t in range(score(i), FAR - 1)]
    return exceptions([_value(t, i, n) <= _value(t + 1, i, n) for t, i, n in states], "states")


# V(τ, i, n) = V0(τ, n) ∨ …: the configuration i, the n for which it is said, and the other terms. (1, 2, j) is
# V(τ − 1, j, n + 2), or Vr(τ − 1, n + 2) after a move to j. In (E′5) to (E′51) V0 is written out.
EQUATIONS = {
    "e0": [(i, HANDS[i] if _combinations(i) == 1 else [5]) for i in CONFIGURATIONS],
    "e5": [((2, 0, 0), (1, 2, 3), (1, 1, (1, 0, 0))), ((1, 1, 0), (1, 2, 3), (1, 1, (0, 1, 0)))],
    "e1": [((0, 2, 0), (1, 2, 3), (2, 1, (0, 1, 0)))],
    "e55": [((2, 1, 0), (1, 2), (1, 1, (1, 1, 0)))],
    "e51": [((1, 2, 0), (1, 2), (1, 1, (0, 2, 0)))],
    "et5": [((3, 0, 0), (1, 2), (8, 1, (2, 0, 0)))],
    "et1": [((0, 3, 0), (1, 2), (16, 1, (0, 2, 0)))],
    "e551": [((2, 2, 0), (1,), (1, 1, (1, 2, 0)))],
    "e5t1": [((1, 3, 0), (1,), (1, 1, (0, 3, 0)))],
    "e5t": [((1, 0, t), (1,), (1, 1, (0, 0, t)), (2 * t, 3, (1, 0, 0))) for t in (2, 3, 4, 6)],
    "e5t5": [((4, 0, 0), (1,), (1, 1, (3, 0, 0)))],
    "e1t5": [((3, 1, 0), (1,), (2, 1, (3, 0, 0)), (8, 1, (2, 1, 0)))],
    "e1t1": [((0, 4, 0), (1,), (2, 1, (0, 3, 0)))],
    "e1t": [((0, 1, t), (1,), (2, 1, (0, 0, t)), (2 * t, 3, (0, 1, 0))) for t in (2, 3, 4, 6)],
    "e55-prime": [((2, 1, 0), (1, 2), (1, 1, (1, 1, 0)), (2, 2, (0, 1, 0)))],
    "e51-prime": [((1, 2, 0), (1, 2), (1, 1, (0, 2, 0)), (3, 2, (0, 1, 0)))],
}
EQUATIONS |= {f"{name}-prime": EQUATIONS[name] for name in ("e5", "e1")}
WITH_ROLLS = "e5", "e1", "e5-prime", "e1-prime", "e55-prime", "e51-prime"


def _equation(name):
    """An equation of the appendix, at all totals from s(i) to 55: its terms are those after moves, both sides equal."""
    agree = []
    for i, hands, *moves in EQUATIONS[name]:
        for tau, n in product(range(score(i), THRESHOLD), hands):
            after = [(tau - chips, j, n + more) for chips, more, j in moves]
            rolls = [_roll(*state[::2]) for state in after]
            values = rolls if name in WITH_ROLLS else [_value(*state) for state in after]
            equal = _value(tau, i, n) == max([_v0(tau, n), *values])
            agree.append(equal and after == [_moved(tau, i, n, j) for *_, j in moves])
    return exceptions(agree, "states")


def _right_hand_sides():
    """Appendix: every right-hand side is a maximum between τ and values of a roll: Vr after giving up scores."""
    sides = {state: max(Fraction(state[0]), *_rolls(*state).values()) for state in _with_score()}
    return exceptions([_value(*state) == side for state, side in sides.items()], "states")


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


def _other_configurations():
    """Appendix: in all other configurations the best action is to stop or to roll."""
    states = [state for state in _with_score() if state[1] not in LABEL_OF]
    return exceptions([_value(*state) == _v0(*state[::2]) for state in states], "states")


APPENDIX = (  # lines 10 to 21: line, label, chips and dice given up, dice in hand after the move, the action as printed
    (11, "5", 1, 1, (2, 3, 4), "m5"),
    (13, "1", 2, 1, (2, 3, 4), "m1"),
    (15, "55", 1, 1, (2, 3), "m55"),
    (17, "55", 2, 2, (3, 4), "m55"),
    (19, "51", 1, 1, (2, 3), "m51"),
    (21, "51", 3, 2, (3, 4), "m51"),
)


def _label(i, n):
    return LABEL_OF.get(i, "0") if n < 5 else "0"


@cache
def _appendix():
    """The algorithm of the appendix as printed: a dict by (label, τ, n) of what is assigned: value, action and line."""
    assigned = defaultdict(list)

    def value(tau, k, n):  # V = τ from the threshold on
        return assigned[_label(k, n), tau, n][-1][0] if tau < THRESHOLD else Fraction(tau)

    def after(tau, n):
        return roll_value(n, lambda k: value(tau + score(k), k, in_hand(n, k)))

    for tau in range(THRESHOLD - 1, -1, -1):  # 1
        assigned["0", tau, 5].append((after(tau, 5), "r", 2))
        for n in range(4, 0, -1):  # 3
            aux = after(tau, n)  # 4
            for label in ("0", *LABELS):  # 5 to 9
                stop_or_roll = (Fraction(tau), "s", 7) if aux <= tau else (aux, "r", 9)
                assigned[label, tau, n].append(stop_or_roll)
            for line, label, chips, more, hands, name in APPENDIX:
                key = label, tau + chips, n - more
                if n in hands and tau + chips < THRESHOLD and assigned[key][-1][0] < aux:
                    assigned[key].append((aux, name, line))
    return assigned


def _last_assigned():
    """What the algorithm of the appendix ends with: pairs of a state and (value, action, line)."""
    keys = [(state, (_label(*state[1:]), *state[::2])) for state in _with_score()]
    return [(state, _appendix()[key][-1]) for state, key in keys]


def _appendix_values():
    """Appendix: after the second algorithm V has the optimal value: as printed, against equation (3*)."""
    agree = [value == _value(*state) for state, (value, *_) in _last_assigned()]
    return exceptions([*agree, _appendix()["0", 0, 5][-1][0] == _roll(0, 5)], "states")


def _appendix_actions():
    """Appendix: after the second algorithm A has the optimal action: as printed."""
    reached = [(state, last[1]) for state, last in _last_assigned() if state in _reached()]
    agree = [action == _best_action(*state) for state, action in reached]
    return exceptions(agree, "states that a turn can reach")


def _lines_15_and_19():
    """Appendix, lines 11 to 21: the actions' names give up as many dice as the lines do."""
    wrong = [line for line, _, _, more, _, name in APPENDIX if len(name) != 1 + more]
    kept = [last[2] in wrong for state, last in _last_assigned() if state in _reached()]
    found = f"the name gives up two dice, the line one, in lines {' and '.join(map(str, wrong))}; {sum(kept)} states"
    return _slip([not wrong], [not any(kept)], f"{found} that a turn can reach keep it to the end")


def _appendix_cost():
    """Appendix: the second algorithm is more efficient: the number of assignments."""
    first, second = (sum(map(len, of.values())) for of in (_algorithm_4_2()[1], _appendix()))
    return verdict_of(second < first, f"{second:,} assignments instead of {first:,}")


# Table 6


def _in_cell(column, tau):
    """The states of a cell of Table 6; with five dice in hand the last configuration does not matter."""
    hand = COLUMNS[column][0]
    states = [(tau, i, hand) for i in CELLS[column][0] if hand in HANDS[i]]
    return [state for state in states if tau >= score(state[1]) or hand == 5]


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
    for column, tau in product(CELLS, range(THRESHOLD)):
        unreachable = "–" if tau < CELLS[column][1] else "empty"
        kind = "number" if (column, tau) in numbers else unreachable
        states = _in_cell(column, tau)
        reached = (column, tau) == ("n = 5", 0) or any(state in _reached() for state in states)
        going = any(_best_action(*state) != "s" for state in states)
        cells.append((column, tau, kind, reached, going))
    return cells


@cache
def _cells():
    return table_6_cells(published("ten-thousand", "table-6"))


def _cells_of(kind, place, things):
    """Table 6: cells of a kind cannot be reached (place 3 of a cell), or the best action there is to stop (place 4)."""
    cells = [cell for cell in _cells() if cell[2] == kind]
    return exceptions([not cell[place] for cell in cells], things)


def _no_cell_missing():
    """Table 6: a number stands in every cell of its columns where to stop is not the best, and in no other."""
    cells = [cell for cell in _cells() if cell[2] != "–"]
    right = [(kind == "number") == going for _, _, kind, _, going in cells]
    return exceptions(right, "cells from 0 to 55 chips")


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


def _action_by_column():
    """Table 6: the best action depends on the column only, and stands in the last row."""
    said = published("ten-thousand", "table-6-actions").set_index("column")["printed"]
    cells = [cell[:2] for cell in _cells() if cell[2] == "number"]
    best = [{said[cell[0]], *(_best_action(*state) for state in _in_cell(*cell))} for cell in cells]
    found = "with two dice after two fives, or a five and a one, it is m5, not r"
    return exceptions([len(actions) == 1 for actions in best], "printed cells", found)


def _above_tau():
    """Table 6: all printed values are greater than τ."""
    cells = published("ten-thousand", "table-6")
    return exceptions(cells["printed"].astype(float) > cells["chips"], "values")


def _also_in_other_columns():
    """Table 6: the values of a move stand in the column that it leads to."""
    cells = published("ten-thousand", "table-6").set_index(["column", "chips"])["printed"]
    leads = {  # column: the column after the move, and the chips given up
        "n = 3, [2, 0, 0] or [1, 1, 0]": ("n = 4", 1),
        "n = 3, [0, 2, 0]": ("n = 4", 2),
        "n = 2, [2, 1, 0]": ("n = 4", 2),
        "n = 2, [1, 2, 0]": ("n = 4", 3),
        "n = 2, [2, 0, 0] or [1, 1, 0]": ("n = 3, other", 1),
    }
    moves = [
        (*leads[column], tau, text) for (column, tau), text in cells.items() if column in leads
    ]
    same = [cells.get((to, tau - chips)) == text for to, chips, tau, text in moves]
    return exceptions(same, "values of moves")


CHECKS = {
    "not-unique": _not_unique,
    "scoring-formulas": _scoring_formulas,
    "definition-2-1": _definition_2_1,
    "table-2": _table_2,
    "dice-decrease": _dice_decrease,
    "every-roll-risks": partial(_possible, "nothing scores", lambda i, n: i == NO_SCORE),
    "remark-2-2": partial(_possible, "all of them score", lambda i, n: dice(i) == n),
    "infinite-states": _infinite_states,
    "equation-1": _frequencies_add_up,
    "two-actions": _two_actions,
    "table-3": _table_3,
    "remark-3-1": _remark_3_1,
    "equation-3-star": _equation_3_star,
    "finite-and-exact": _finite_and_exact,
    "theorem-4-1-a": _theorem_a,
    "theorem-4-1-b": _theorem_b,
    "theorem-4-1-c": _theorem_c,
    "one-shot": _one_shot,
    "few-updates": _few_updates,
    "every-state-in-table-6": _every_state_summarized,
    "never-best": _never_best,
    "sets-of-algorithm": _sets_of_the_algorithm,
    "limit-of-iterates": _limit,
    "smallest-solution": _smallest,
    "most-dice": _most_dice,
    "equation-6": _equation_6,
    "w1-by-stopping": _w1,
    "lemma-4-3-induction": _induction,
    "equation-7": _equation_7,
    "equation-8": partial(
        _at_the_threshold, 0, "at 56 chips a roll of 1 to 5 dice changes the turn by", 4
    ),
    "below-56": _below_56,
    "chain-to-56": partial(_at_the_threshold, THRESHOLD, "with 1 to 5 dice", 3),
    "unique-with-boundary": _unique_with_boundary,
    "first-step-of-proof": _first_step_of_the_proof,
    "a1": partial(_affirmation, 2, "states, each right after its step"),
    "a2": partial(_affirmation, 3, "states and steps"),
    "states-in-proof": _states_in_the_proof,
    "sign-in-proof": _sign_in_the_proof,
    "lines-without-moves": _lines_without_moves,
    "table-4-six-actions": _six_actions_suffice,
    "pig-other-solutions": _pig_solutions,
    "pig-growth": _pig_growth,
    "pig-minimal-solution": _pig_minimal,
    "open-question": _open_question,
    "equation-10": _equation_10,
    "four-dice": _four_dice,
    "five-rather-than-one": _five_rather_than_one,
    "right-hand-sides": _right_hand_sides,
    "other-configurations": _other_configurations,
    "appendix-values": _appendix_values,
    "appendix-actions": _appendix_actions,
    "lines-15-and-19": _lines_15_and_19,
    "appendix-cost": _appendix_cost,
    "table-5-all-configurations": _all_configurations,
    "table-5-blank-cells": _blank_cells,
    "table-5-sc-dice": _heading,
    "table-6-dashes": partial(_cells_of, "–", 3, "cells with a dash"),
    "table-6-empty-cells": partial(_cells_of, "empty", 4, "cells without a number, to 55 chips"),
    "table-6-no-cell-missing": _no_cell_missing,
    "table-6-one-die": partial(_omitted, 1, ()),
    "table-6-two-dice": partial(_omitted, 2, {*LABEL_OF} - {(0, 2, 0)}),
    "table-6-action-by-column": _action_by_column,
    "table-6-above-tau": _above_tau,
    "table-6-other-columns": _also_in_other_columns,
} | {f"equation-{name}": partial(_equation, name) for name in EQUATIONS}
