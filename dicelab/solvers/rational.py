"""The same solvers in fractions: two players and fewest turns, by strategy iteration in rational arithmetic.

**One turn.** A turn played by known decisions ends in a hold with r points missing with probability q(r), at the
finish, in a reset, or in a bust with probability β. These probabilities are small fractions, because no value enters
them. The compiled turn operator, fed with values rounded to float64 (to within one unit in the last place), proposes
the decisions. One step of it rounds at most K + 9 times, where a roll has K outcomes. Each time it rounds a number of
at most the largest payoff, or, if no payoff is negative, of at most the result plus the bust value. So its values are
within ``missing``·(K + 9)·2⁻⁵³ of the truth, relative to that number, and an advantage larger than twice this is
certain. For smaller advantages we compare the two fractions, from the target backwards, so that all later decisions
are known already. Ties hold, and of equal choices the first is taken, unless a second opinion prefers the other action
(:mod:`dicelab.solvers.two_player`).

**One pair of scores** is two linear equations in x = V(a, b) and y = V(b, a), with c the sum of both players' values:

    x = α + β·(c - y),   α = q(0)·finish + Σ q(r)·(c - V(b, r)) + …,        and likewise   y = α' + β'·(c - x).

A single player who needs the fewest turns has x = α - 1 + β·x. If both turns surely bust, play is endless: a draw.
A pair is solved when the optimal decisions against (x, y) are those from which (x, y) was computed, wherever the turns
get to. Each round is a step of strategy iteration. Pairs are solved backwards from the target.

**Resets.** With resets, every α also contains the reset value c - V(b, N). Given all decisions, all values are affine
functions of these N unknowns, which follow from N linear equations. All pairs are then solved again with the new reset
values. When these no longer change, the Bellman equation holds exactly everywhere, and the values are those of the
decisions. Scores from which no decision leads to an end any more are draws.

gmpy2 is used for the fractions if it is installed (``pip install dicelab[exact]``), and Python's own otherwise.
"""

import math
from collections import defaultdict
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np

from .._accuracy import ENDLESS, FOREVER, ConvergenceError
from .._exact import ExactValue, LowestTerms
from .._limits import check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..games.absorption import beyond_target, cannot_finish, may_be_stuck, solve_linear
from ..games.model import BUST, RESET
from ..solution import NAMES, OptimalPolicy, Solution
from ._kernels import Ends, backward_pass, new_turn, rules_of
from .one_player import solve_turns
from .two_player import solve_race

__all__ = [
    "RationalRules",
    "Turn",
    "TurnPayoffs",
    "denominator_of",
    "fill_decisions",
    "solve_pairs",
    "solve_rational",
]

MAX_ROUNDS = 50


class TurnPayoffs(NamedTuple):
    """The value of every end of a turn."""

    hold: list  # by points missing, None where no hold is allowed; hold[0] is not used
    bust: Number
    reset: Number
    finish: Number
    overshoot: Number  # of one point beyond the target


class TurnOutcomes(NamedTuple):
    """The probability of every end of a turn, and the expected points beyond the target."""

    holds: dict  # by points missing
    bust: Number
    reset: Number
    finish: Number
    overshoot: Number

    def value(self, payoffs):
        """The expected payoff of the turn."""
        held = sum(q * payoffs.hold[r] for r, q in self.holds.items())
        return held + sum(q * payoff for q, payoff in zip(self[1:], payoffs[1:], strict=True) if q)


class RationalRules:
    """The rules of a game in fractions; a choice is (index of the next mode, points)."""

    def __init__(self, game):
        game = game.until_change
        self.modes = []  # (probability to bust, to reset, moves); a move is (probability, choices, branch or None)
        self.branches = []  # the choices of outcomes with more than one, as in dicelab.policies.branching
        self.branches_of = []  # their numbers, by mode
        for mode in game.modes:
            moves, first = [], len(self.branches)
            for outcome in (outcome for outcome in mode.outcomes if outcome.choices):
                choices = [(game.mode(choice.mode), choice.points) for choice in outcome.choices]
                moves.append(
                    (
                        Number(outcome.probability),
                        choices,
                        len(self.branches) if choices[1:] else None,
                    )
                )
                self.branches += [choices] if choices[1:] else []
            bust = mode.chance(BUST) if mode.outcomes else 1  # where one must hold and may not
            self.modes.append((Number(bust), Number(mode.chance(RESET)), moves))
            self.branches_of.append(range(first, len(self.branches)))
        self.beyond = [
            [[tuple(map(Number, end)) for end in ends] for ends in way]
            for way in beyond_target(game)
        ]
        self.forced, self.order = [not mode.may_hold for mode in game.modes], game.order
        self.width, self.kernel = game.most_points, rules_of(game)
        self.roundings = (
            max(len(mode.outcomes) for mode in game.modes) + 9
        )  # at most, in one step of the walk


class Turn:
    """The optimal decisions of one turn that starts with `missing` points to go, proven in fractions.

    Parameters
    ----------
    rules : RationalRules
    payoffs : TurnPayoffs
    nearest : ndarray
        ``payoffs.hold``, rounded to float64; minus infinity where no hold is allowed.
    missing : int
    prefer : tuple of ndarray, optional
        The second opinion on ties: whether to roll, (modes, missing), and the numbers of the choices,
        (branches, missing), both by turn total.

    Attributes
    ----------
    rolls : ndarray of bool, (modes, missing)
        Whether to roll with r points missing.
    choices : dict
        The number of the choice taken, by (number of the branch, points missing before the roll).
    ties : list
        Pairs (points missing, mode index) at which rolling and holding have the same value.
    """

    def __init__(self, rules, payoffs, nearest, missing, prefer=None):
        self.rules, self.payoffs, self.missing = rules, payoffs, missing
        self.beyond, width = self._best_beyond(), rules.width
        turn = new_turn(rules.kernel, missing)
        backward_pass(rules.kernel, nearest, Ends(*map(float, payoffs[1:])), missing, 1, turn)
        self.near, roll = turn.value, turn.roll
        self.bust = float(payoffs.bust)  # the float64 values are in excess of it
        held = nearest[1:missing] - self.bust
        rolled = roll[:, width : width + missing - 1]
        barred = held == -np.inf
        held, rolled = (
            np.where(barred, 0.0, held),
            np.where(barred, 1.0, rolled),
        )  # any that say to roll
        self.accuracy = 2 * missing * rules.roundings * 2.0**-53
        least, *_, most = sorted([*map(float, payoffs[1:4]), *held])
        over = float(payoffs.overshoot)
        self.most = None if least >= 0 and not over else 2 * max(-least, most) + width * over
        self.rolls = np.column_stack([np.zeros(len(rolled), dtype=bool), rolled > held])
        self.rolls[rules.forced, 1:] = True
        self.choices, self.ties, self.known = {}, [], {}
        unsure = np.abs(rolled - held) <= self._error(np.maximum(rolled, held))
        unsure[rules.forced] = False
        for r in (
            range(1, missing + 1) if rules.branches else 1 + np.flatnonzero(unsure.any(axis=0))
        ):
            for mode in rules.order:
                for branch in rules.branches_of[mode]:
                    preferred = int(prefer[1][branch, missing - r]) if prefer else None
                    self.choices[branch, r] = self._best_choice(branch, r, preferred)
                if r == missing or not unsure[mode, r - 1]:
                    continue
                hold, rolling = self.action_values(r, mode)
                tie = rolling == hold
                self.rolls[mode, r] = (
                    prefer[0][mode, missing - r] if tie and prefer else rolling > hold
                )
                self.ties += [(int(r), int(mode))] if tie else []

    def _error(self, above):
        """The error bound of a difference of two of the walk's values, the larger `above` the bust value."""
        return self.accuracy * (self.most or above + 2 * self.bust)

    def _best_beyond(self):
        """How a turn ends beyond the target, [mode][r - 1]: the best of several ways to choose there."""
        _, bust, reset, finish, overshoot = self.payoffs

        def value(end):
            f, z, points = end
            return f * finish + points * overshoot + z * reset + (1 - f - z) * bust, f + z

        first, *others = ways = self.rules.beyond
        if not others:
            return first
        return [
            [max(ends, key=value) for ends in zip(*modes, strict=True)]
            for modes in zip(*ways, strict=True)
        ]

    def _best_choice(self, branch, r, preferred):
        """The number of the preferred or else the first of the best choices, after a roll with `r` points missing."""
        choices = self.rules.branches[branch]
        near = [self.near[mode, self.rules.width - 1 + r - points] for mode, points in choices]
        enough = max(near) - self._error(max(near))
        close = [k for k, value in enumerate(near) if value >= enough]
        if not close[1:]:
            return close[0]
        values = {k: self._value(*choices[k], r) for k in close}
        best = [k for k in close if values[k] == max(values.values())]
        return preferred if preferred in best else best[0]

    def action_values(self, r, mode, branch=-1):
        """The exact values of a hold and a roll with `r` points missing; of the choices of a branch, if it is given."""
        if branch < 0:
            return [self.payoffs.hold[r], self.outcomes(mode, r).value(self.payoffs)]
        return [self._value(*choice, r) for choice in self.rules.branches[branch]]

    def _value(self, mode, points, before):
        """W(m, r) with r = before - points, by the decisions known so far."""
        r = before - points
        if 0 < r < self.missing and not self.rolls[mode, r]:
            return self.payoffs.hold[r]
        if (mode, r) not in self.known:
            self.known[mode, r] = self.outcomes(mode, r).value(self.payoffs)
        return self.known[mode, r]

    def outcomes(self, mode=0, r=None):
        """How a turn ends that is in `mode` with `r` points missing, and rolls if r > 0; by default, a whole turn."""
        start = self.missing if r is None else r
        reached = defaultdict(Number, {(start, mode): Number(1)})
        holds = defaultdict(Number)
        bust, reset, finish, overshoot = (Number(0) for _ in range(4))
        for left in range(start, -self.rules.width, -1):
            for index in reversed(
                self.rules.order
            ):  # each before the modes to which it leads with 0 points
                may_bust, may_reset, moves = self.rules.modes[index]
                mass = reached.pop((left, index), None)
                if not mass:
                    continue
                if left <= 0:
                    f, z, points = self.beyond[index][left - 1]
                    finish, reset, overshoot = (
                        finish + mass * f,
                        reset + mass * z,
                        overshoot + mass * points,
                    )
                    bust += mass * (1 - f - z)
                elif (
                    left < self.missing
                    and (left, index) != (start, mode)
                    and not self.rolls[index, left]
                ):
                    holds[left] += mass
                else:
                    bust, reset = bust + mass * may_bust, reset + mass * may_reset
                    for chance, choices, branch in moves:
                        onward, points = choices[
                            0 if branch is None else self.choices[branch, left]
                        ]
                        reached[left - points, onward] += mass * chance
        return TurnOutcomes(dict(holds), bust, reset, finish, overshoot)

    def decides_like(self, other):
        """Whether `other` makes the same decisions everywhere."""
        alike = np.array_equal(self.rolls, other.rolls) and self.choices == other.choices
        return alike and self.beyond == other.beyond


class PairEquations:
    """The equations between the values of a game: the player to move needs a points, the opponent b (alone, b = 0)."""

    def __init__(self, game, objective, overshoot):
        self.game, self.alone = game, objective == "turns"
        self.constant_sum, self.overshoot = Number(objective == "win"), Number(overshoot)
        self.sign = 1 if self.alone else -1
        self.draw = (
            Number(-int(FOREVER)) if self.alone else self.constant_sum / 2
        )  # the value of endless play
        self.stuck, self.rules = (
            (may_be_stuck if self.alone else cannot_finish)(game),
            RationalRules(game),
        )
        needs, target = range(1, game.target + 1), game.target
        self.opponents = [0] if self.alone else list(needs)
        self.finish = {
            b: Number({"win": 1, "margin": b, "turns": 0}[objective]) for b in self.opponents
        }
        sums = [
            [(a, s - a) for a in range(max(1, s - target), s // 2 + 1)]
            for s in range(2, 2 * target + 1)
        ]
        self.pairs = (
            [[(a, 0)] for a in needs]
            if self.alone
            else [[(a, b), (b, a)] for row in sums for a, b in row]
        )

    def new_rows(self):
        """Hold values, by the opponent's b and the points missing, not yet filled in."""
        return {b: [None] * (self.game.target + 1) for b in self.opponents}

    def store(self, rows, state, value, one=1):
        """Store the hold value that V(a, b) determines; return it, its row and its place there."""
        b, r = reversed(state) if self.alone else state
        rows[b][r] = self.passed(value, one)
        return rows[b][r], b, r

    def passed(self, value, one=1):
        """The value, to the player who has moved, of a next state with this value to the player who moves there."""
        return self.constant_sum * one + self.sign * value

    def payoffs(self, b, rows, resets, bust, one=1):
        """The :class:`TurnPayoffs` of a turn against an opponent who needs b."""
        return TurnPayoffs(rows[b], bust, resets[b], self.finish[b] * one, self.overshoot * one)

    def solve(self, outcomes, rows, resets, pair, one=1):
        """The values of a pair of scores whose turns have these outcomes; None stands for endless play.

        Values may be Numbers or, if `one` is an array that means 1, affine functions of some unknowns.
        """
        values, slopes = [], []
        for (_, b), turn in zip(pair, outcomes, strict=True):
            values.append(self.draw * one)
            slopes.append(self.sign * turn.bust if turn else Number(0))
            if turn:
                payoffs = self.payoffs(b, rows, resets, self.constant_sum * one, one)
                values[-1] = turn.value(payoffs) - self.alone * one
        (x, y), (p, q) = (
            (values, slopes) if len(pair) == 2 else (values * 2, slopes * 2)
        )  # alone: x = y
        if p * q == 1:
            return [self.draw * one] * len(pair)
        return [(x + p * y) / (1 - p * q), (y + q * x) / (1 - p * q)][: len(pair)]


class SolvedPairs:
    """All pairs of scores solved, backwards from the target, given the reset values.

    Parameters
    ----------
    equations : PairEquations
    resets : dict
        The reset value against an opponent who needs b, by b.
    guess : dict
        About the values, by (a, b).
    prefer : callable or None
        ``prefer(a, b)`` is the second opinion that :class:`Turn` takes.
    """

    def __init__(self, equations, resets, guess, prefer):
        self.equations, self.resets, self.prefer, game = equations, resets, prefer, equations.game
        self.values, self.turns, self.outcomes = (
            {},
            {},
            {},
        )  # by (a, b); no turns where nobody can ever finish
        self.rows = equations.new_rows()  # hold values, by the opponent's b and the points missing,
        self.nearest = {
            b: np.zeros(game.target + 1) for b in equations.opponents
        }  # and rounded to float64
        for pair in progress(equations.pairs, f"{title_of(game)}, in fractions", "pair"):
            if all(equations.stuck[a] for a, _ in pair):
                values = [equations.draw] * len(pair)
            else:
                values = self._iterate(pair, [guess[state] for state in pair])
            for state, value in zip(pair, values, strict=True):
                hold, b, r = equations.store(self.rows, state, value)
                self.values[state], self.nearest[b][r] = value, float(hold)

    def turn(self, a, b, bust=None):
        """The optimal turn of a player who needs a against one who needs b, at the bust value of these scores."""
        bust = self.rows[b][a] if bust is None else bust
        payoffs = self.equations.payoffs(b, self.rows, self.resets, bust)
        return Turn(
            self.equations.rules, payoffs, self.nearest[b], a, self.prefer and self.prefer(a, b)
        )

    def _iterate(self, pair, values):
        """The values of a pair of scores, by strategy iteration from the guesses `values`."""
        turns = None
        outcomes = None
        game = self.equations.game
        for _ in range(MAX_ROUNDS):
            busts = [self.equations.passed(value) for value in reversed(values)]
            now = [self.turn(*state, bust) for state, bust in zip(pair, busts, strict=True)]
            if turns and all(
                turn.decides_like(known) for turn, known in zip(now, turns, strict=True)
            ):
                self.turns.update(zip(pair, now, strict=True))
                self.outcomes.update(zip(pair, outcomes, strict=True))
                return values
            turns, outcomes = now, [turn.outcomes() for turn in now]
            values = self.equations.solve(outcomes, self.rows, self.resets, pair)
        raise ConvergenceError(
            f"{game.name}: strategy iteration did not settle at {pair[0]} points missing"
        )


def endless_states(equations, outcomes):
    """The scores (a, b) from which turns with these outcomes never lead to the finish, a set."""
    endless, target = set(outcomes), equations.game.target

    def after(a, b):
        return (a, 0) if equations.alone else (b, a)

    while True:
        remaining = set()
        for a, b in endless:
            turn = outcomes[a, b]
            onward = [after(r, b) for r, chance in turn.holds.items() if chance]
            onward += [after(a, b)] * (turn.bust > 0) + [after(target, b)] * (turn.reset > 0)
            if not turn.finish and all(state in endless for state in onward if state in outcomes):
                remaining.add((a, b))
        if remaining == endless:
            return endless
        endless = remaining


def reset_values(equations, outcomes):
    """The reset values, by the opponent's b, if turns have these outcomes: the solution of linear equations.

    With the reset values as unknowns, every value is an affine function of them, an array of its constant and its
    coefficients. At the scores that follow a reset these functions are the equations.
    """
    opponents = equations.opponents
    endless = endless_states(equations, outcomes)
    size = range(1 + len(opponents))
    identity = np.array([[Number(i == k) for k in size] for i in size], dtype=object)
    one = identity[0]
    resets = dict(zip(opponents, identity[1:], strict=True))
    rows = equations.new_rows()
    for pair in equations.pairs:
        ends = [outcomes.get(state) if state not in endless else None for state in pair]
        for state, value in zip(pair, equations.solve(ends, rows, resets, pair, one), strict=True):
            equations.store(rows, state, value, one)
    system = [dict(enumerate((unit - rows[b][-1])[1:])) for b, unit in resets.items()]
    solved = solve_linear(system, [[rows[b][-1][0]] for b in opponents])
    if solved is None:
        raise ConvergenceError(f"{equations.game.name}: a proposed policy never ends the game")
    return dict(zip(opponents, (row[0] for row in solved), strict=True))


def denominator_of(game):
    """The least common denominator of all probabilities of a game."""
    modes = game.until_change.modes
    return math.lcm(
        *(outcome.probability.denominator for mode in modes for outcome in mode.outcomes)
    )


def rational_bytes(game, alone):
    """About the memory of exact values: a·b·d digits at a and b points missing, where probabilities have d; 3 times."""
    target = game.target
    others = 1 if alone else game.target
    modes = len(game.modes)
    digits = (
        0.6 * denominator_of(game).bit_length() * (target + 1) * (others + 1)
    )  # bytes of the longest value
    turns = target * others * (4000 + 20 * modes * (target + game.most_points))
    return int(target * others * digits * (others if game.resets else 1)) + turns


def solve_pairs(game, objective, overshoot):
    """All pairs of scores with the reset values that belong to them, :class:`SolvedPairs`; see `solve_rational`."""
    said = f"solving {game.name} to {game.target} in fractions"
    check_memory(
        rational_bytes(game, objective == "turns"), said, "take a smaller target, or exact=False"
    )
    equations = PairEquations(game, objective, overshoot)
    target = game.target
    alone = equations.alone
    try:
        near = solve_turns(game) if alone else solve_race(game, objective, overshoot)
        start = np.maximum(-near.values, -FOREVER)[:, None] if alone else near.values
    except ConvergenceError:  # any start leads to the solution, in more steps
        near = None
        start = np.full((target, target), -1.0 if alone else float(equations.draw))
    guess = {
        (a, b): Number(start[target - a, b and target - b])
        for pair in equations.pairs
        for a, b in pair
    }
    resets = {
        b: equations.passed(guess[(target, 0) if alone else (b, target)])
        for b in equations.opponents
    }
    stalls = near is not None and not alone and equations.rules.kernel.may_stall
    prefer = partial(_preferred, near.policy, len(equations.rules.branches)) if stalls else None
    for _ in range(MAX_ROUNDS):
        solved = SolvedPairs(equations, resets, guess, prefer)
        if not game.resets or (resets := reset_values(equations, solved.outcomes)) == solved.resets:
            return solved
        guess = solved.values
    raise ConvergenceError(f"{game.name}: strategy iteration did not settle in {MAX_ROUNDS} rounds")


def _preferred(policy, branches, a, b):
    """The decisions of a policy with a and b points missing, as :class:`Turn` takes them."""
    target = policy.game.target
    return tuple(
        decided[0][..., :a] for decided in policy.decide_all([[target - a, target - b]], branches)
    )


def solve_rational(game, objective, overshoot):
    """Solve a game in fractions; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin", "turns"}
    overshoot : bool
        Whether points beyond the target count in the margin.

    Returns
    -------
    Solution
        With ``exact=True``, residual 0, and the exact ties.

    Raises
    ------
    ConvergenceError
        If strategy iteration does not come to an end.
    NotImplementedError, MemoryError
        As :func:`dicelab.solvers.two_player.solve_race`.
    """
    solved = solve_pairs(game, objective, overshoot)
    target = game.target
    alone = objective == "turns"
    values = np.empty((target,) if alone else (target, target), dtype=object)
    for (a, b), value in solved.values.items():
        exact = ExactValue(LowestTerms(int(value.numerator), int(value.denominator)))
        if alone:
            values[target - a] = ExactValue(-exact) if -exact <= ENDLESS else np.inf
        else:
            values[target - a, target - b] = exact
    ties = {
        (target - a, *([] if alone else [target - b]), a - r, game.modes[mode].name)
        for (a, b), turn in solved.turns.items()
        for r, mode in turn.ties
    }
    return Solution(
        game=game,
        objective=objective,
        values=values,
        policy=OptimalPolicy(game, partial(_decide, solved), NAMES[objective]),
        exact=True,
        residual=Fraction(0),
        error=0.0,
        ties=tuple(sorted(ties)),
        overshoot=overshoot,
    )


def _decide(solved, pairs, rolls, takes):
    """Fill in the decisions, as :func:`dicelab.solvers._kernels.greedy_decisions` does."""
    alone = solved.equations.alone
    target = solved.equations.game.target

    def turn_at(own, opponent):
        return solved.turn(target - own, 0 if alone else target - opponent)

    fill_decisions(turn_at, pairs, rolls, takes)


def fill_decisions(turn_at, pairs, rolls, takes):
    """Fill in the decisions of turns; ``turn_at(own, opponent)`` is the :class:`Turn` at a pair of scores."""
    rolls[:, :, 0] = True
    for decided, taken, (own, opponent) in zip(rolls, takes, pairs.tolist(), strict=True):
        turn = turn_at(own, opponent)
        a = turn.missing
        decided[:, 1:a] = turn.rolls[:, :0:-1]
        for branch in range(len(taken)):
            taken[branch, :a] = [turn.choices[branch, r] for r in range(a, 0, -1)]
