"""Fractions: races of one and two players, "win", "margin", "turns" and "deadline", by strategy iteration.

**One turn.** A turn played by known decisions ends in a hold with r points missing with probability q(r), at the
finish, in a reset, or in a bust with probability β. These probabilities are small fractions, because no value enters
them. The compiled turn operator, fed with values rounded to float64 (to within one unit in the last place), proposes
the decisions. One step of it rounds at most K + 9 times, where a roll has K outcomes. Each time it rounds a number of
at most the largest payoff, or, if no payoff is negative, of at most the result plus the bust value. So its values are
within ``missing``·(K + 9)·2⁻⁵³ of the truth, relative to that number, and an advantage larger than twice this is
certain. For smaller advantages we compare the two fractions, from the target backwards, so that all later decisions
are known already. Ties hold, and of equal choices the first is taken, unless a second opinion prefers the other action
(:mod:`dicelab.solvers.two_player`).

**All positions.** With the decisions given, a turn leads to the next positions with known probabilities. So all values
solve linear equations, V = constant + Σ weight·V(next). A value that passes to the other player is c - V, with c the
sum of both players' values. We solve them by elimination, the shortest equation first
(:func:`dicelab.games.absorption.solve_linear`). That begins near the target, and holds lead to what is known by then.
Without penalties and resets only the cycles of busts are left, of two positions in a game without registers. Positions
from which no decision leads to an end any more are draws, or for one player infinitely many turns.

The float64 solution proposes the first values. Against the exact values of the decisions that follow from these, every
decision is proven by :class:`Turn`. When none changes, the Bellman equation holds exactly.

gmpy2 is used for the fractions if it is installed (``pip install dicelab[exact]``), and Python's own otherwise.
"""

import math
from collections import defaultdict
from fractions import Fraction
from functools import cache, partial
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components

from .._accuracy import ENDLESS, FOREVER, ConvergenceError
from .._exact import as_exact
from .._limits import check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..games.absorption import solve_linear
from ..games.model import closure
from ..games.positions import classes_of
from ..games.registers import scores_of
from ..solution import NAMES, OptimalPolicy, Solution
from ._kernels import Ends, backward_pass, exact_rules, last_turn, new_turn, rules_of
from .last_turn import above_target, hold_values, last_turn_of
from .turn import last_turns_of, led_back, places_of, start_of

__all__ = ["ExactRace", "RationalRules", "Turn", "TurnPayoffs", "solve_exactly"]
__all__ += ["solve_rational", "values_led_back"]

MAX_ROUNDS = 50
MOST_TOGETHER = 1_000  # equations of more players that depend on each other


class TurnPayoffs(NamedTuple):
    """The value of every end of a turn."""

    hold: np.ndarray  # by points missing; -inf where no hold is allowed, and hold[0] is not used
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
        exact, self.kernel, modes = exact_rules(game), rules_of(game), game.until_change.modes
        flat = [*zip(exact.mode.tolist(), exact.points.tolist(), strict=True)]
        choices = [flat[first:last] for first, last in pairwise(exact.choices)]  # by outcome
        rolled = [*zip(exact.probability, choices, exact.branch.tolist(), strict=True)]
        moves = [rolled[first:last] for first, last in pairwise(exact.outcomes)]  # by mode
        # Probabilities to bust and to reset, and moves: probability, choices, number of the branch or -1.
        self.modes = [*zip(exact.bust, exact.reset, moves, strict=True)]
        self.branches = [several for several in choices if several[1:]]
        self.branches_of = [[branch for *_, branch in each if branch >= 0] for each in moves]
        self.beyond, self.order = exact.beyond.tolist(), exact.order.tolist()
        self.forced, self.width = ~exact.may_hold, game.most_points
        # At most so many in one step of the walk.
        self.roundings = max(len(mode.outcomes) for mode in modes) + 9


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
    start : int
        With 0 < r < start every mode is known to hold.

    Attributes
    ----------
    rolls : ndarray of bool, (modes, missing)
        Whether to roll with r points missing.
    choices : dict
        The number of the choice taken, by (number of the branch, points missing before the roll).
    ties : list
        Pairs (points missing, mode index) at which rolling and holding have the same value.
    """

    def __init__(self, rules, payoffs, nearest, missing, prefer=None, start=1):
        self.rules, self.payoffs, self.missing, self.start = rules, payoffs, missing, start
        self.beyond, width = self._best_beyond(), rules.width
        turn = new_turn(rules.kernel, missing)
        ends = Ends(*map(float, payoffs[1:]))
        backward_pass(rules.kernel, nearest, ends, missing, start, turn)
        self.near, roll = turn.value, turn.roll
        self.bust = float(payoffs.bust)  # the float64 values are in excess of it
        held = nearest[1:missing] - self.bust
        rolled = roll[:, width : width + missing - 1]
        barred = held == -np.inf
        # Where no hold is allowed, any numbers that say to roll.
        held, rolled = np.where(barred, 0.0, held), np.where(barred, 1.0, rolled)
        self.accuracy = 2 * missing * rules.roundings * 2.0**-53
        least, *_, most = sorted([*map(float, payoffs[1:4]), *held])
        over = float(payoffs.overshoot)
        self.most = None if least >= 0 and not over else 2 * max(-least, most) + width * over
        self.rolls = np.column_stack([np.zeros(len(rolled), dtype=bool), rolled > held])
        self.rolls[rules.forced, 1:] = True
        self.choices, self.ties, self.known = {}, [], {}
        unsure = np.abs(rolled - held) <= self._error(np.maximum(rolled, held))
        unsure[rules.forced] = unsure[barred | np.zeros_like(unsure)] = False
        self.rolls[:, 1:start] = unsure[:, : start - 1] = False
        for r in (
            range(start, missing + 1) if rules.branches else 1 + np.flatnonzero(unsure.any(axis=0))
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
            # Each before the modes to which it leads with 0 points.
            for index in reversed(self.rules.order):
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
                        onward, points = choices[0 if branch < 0 else self.choices[branch, left]]
                        reached[left - points, onward] += mass * chance
        return TurnOutcomes(dict(holds), bust, reset, finish, overshoot)

    def decides_like(self, other):
        """Whether `other` makes the same decisions everywhere."""
        alike = np.array_equal(self.rolls, other.rolls) and self.choices == other.choices
        return alike and self.beyond == other.beyond


class ExactRace:
    """The turns of a race in fractions. A state is a position by places in ``game.scores``.

    For two players it is (role, own, opponent), for "turns" (own,), and for "deadline" (turns left, own).

    Parameters
    ----------
    game : Game
    objective : {"win", "margin", "turns", "deadline"}
    overshoot : bool
    turns : int, optional
        For "deadline".

    Attributes
    ----------
    values : dict
        By state: the values against which turns are optimal.
    turns_found : dict
        By state, the :class:`Turn` at these values.
    """

    def __init__(self, game, objective, overshoot=False, turns=None):
        self.game, self.objective, self.turns = game, objective, turns
        self.alone = objective in ("turns", "deadline")
        self.mover = -1 if self.alone else 1  # where a state has the place of the player to move
        self.rules, self.last = RationalRules(game), last_turn_of(game, True)
        self.classes, self.scores = classes_of(game), scores_of(game)
        self.constant_sum, self.over = Number(objective == "win"), Number(overshoot)
        self.draw = Number(-int(FOREVER)) if objective == "turns" else self.constant_sum / 2
        self.values, self.rows, self.turns_found, self.prefer = {}, {}, {}, None

    def states(self):
        """All states, those nearest to the target first, a list."""
        places = range(len(self.game.scores))
        if self.alone:
            left = [()] if self.turns is None else [(k,) for k in range(1, self.turns + 1)]
            return [(*clock, own) for clock in left for own in reversed(places)]
        roles = range(len(self.classes.next_role))
        ordered = sorted(product(places, places), key=lambda at: sum(map(self.need, at)))
        return [(role, *at) for at in ordered for role in roles]

    def need(self, place):
        """The points that a player at a place needs to reach the target."""
        return self.game.longest - place // self.scores.step

    def onward(self, state, place):
        """The state after a turn that leaves the player who has moved at a place; None if no turn is left."""
        if self.alone:
            clock = tuple(left - 1 for left in state[:-1])  # () in "turns"
            return None if clock == (0,) else (*clock, place)
        return int(self.classes.next_role[state[0]]), state[2], place

    def after(self, state):
        """What a turn leaves to the player who has moved, by the place to which it leads, an array."""
        others = self.onward(state, None)
        if others not in self.rows:
            led = (self.onward(state, place) for place in range(len(self.game.scores)))
            values = [Number(0) if to is None else self.values[to] for to in led]
            values = np.array(values, dtype=object)
            self.rows[others] = values if self.alone else self.constant_sum - values
        return self.rows[others]

    def turn(self, state):
        """The optimal :class:`Turn` of the player to move."""
        own, scores, start = state[self.mover], self.scores, 1
        least, missing, need = int(scores.least_hold[own]), int(scores.missing[own]), self.need(own)
        answered = not self.alone and self.classes.answered[state[0]]
        if answered:
            start = self.rules.width + 1  # below, every hold is right
            missing = max(need + int(self.last.cut[state[2]]), least) + self.rules.width
        above = missing - need
        pays = {"win": 1, "deadline": 1, "margin": self.need(state[-1]), "turns": 0}
        finish = Number(pays[self.objective])
        more = range(max(above, self.game.most_paid) + 1)
        wins = (
            1 - self.last.chance[state[2]] if answered else [finish + k * self.over for k in more]
        )
        after = self.after(state)
        hold = hold_values(scores, own, above, after, wins)
        payoffs = TurnPayoffs(
            hold[:-1],
            hold[-1],
            after[scores.begin],
            finish + above * self.over if missing >= least else hold[-1],
            self.over,
        )
        return Turn(
            self.rules,
            payoffs,
            payoffs.hold.astype(float),
            missing,
            self.prefer and self.prefer(state, missing),
            start,
        )

    def last_turn(self, own, beyond):
        """The optimal :class:`Turn` of a last turn, with `beyond` points more than the target to beat."""
        least, behind = int(self.scores.least_hold[own]), self.need(own) + beyond
        hold = np.empty(max(behind + 1, least) + 1, dtype=object)
        paid, one = -int(self.classes.penalty[own % self.scores.step]), Number(1)
        missing = last_turn(hold, least, paid, behind, self.last.draw, one)
        payoffs = TurnPayoffs(hold[:missing], hold[missing], 0 * one, one, 0 * one)
        return Turn(self.rules, payoffs, payoffs.hold.astype(float), missing)

    def equation(self, state, turn):
        """V = constant + Σ weight·V(next) of a turn that is played like this: the constant, and a dict of weights."""
        own, scores, payoffs, most = (
            state[self.mover],
            self.scores,
            turn.payoffs,
            len(self.game.scores),
        )
        found, busted = turn.outcomes(int(scores.mode[own]), turn.missing), scores.after_bust[own]
        banks = scores.missing[own] >= scores.least_hold[own]
        ends = [  # the place to which an end leads, its probability, and its value if that is the target or above
            (most if banks else busted, found.finish, payoffs.finish),
            (busted, found.bust, payoffs.bust),
            (scores.begin, found.reset, payoffs.reset),
        ]
        ends += [
            (scores.after_hold[own] + (turn.missing - r) * scores.step, q, payoffs.hold[r])
            for r, q in found.holds.items()
        ]
        constant, weights = found.overshoot * self.over - (self.objective == "turns"), {}
        for place, q, value in ends:
            if place >= most:
                constant += q * value
            elif q and (to := self.onward(state, int(place))) is not None:
                weights[to] = weights.get(to, 0) + (q if self.alone else -q)
                constant += 0 if self.alone else q * self.constant_sum
        return constant, weights

    def solve(self, guess):
        """Fill :attr:`values` and :attr:`turns_found`, from values by state."""
        self.values = guess
        for _ in range(MAX_ROUNDS):
            self.rows = {}
            states = progress(self.states(), f"{title_of(self.game)}, in fractions", "turn")
            turns = {state: self.turn(state) for state in states}
            before, self.turns_found = self.turns_found, turns
            if before and all(turn.decides_like(before[at]) for at, turn in turns.items()):
                return self
            equations = {state: self.equation(state, turn) for state, turn in turns.items()}
            self.values = solve_equations(equations, self.draw, self.objective == "turns")
        raise ConvergenceError(
            f"{self.game.name}: strategy iteration did not settle in {MAX_ROUNDS} rounds"
        )


def solve_equations(equations, draw, surely=False):
    """The values V = constant + Σ weight·V(next) of all states, a dict.

    The weights of a state sum to 1, or to -1, unless it may be the last one. States from which no end can be reached
    have the value `draw`; if `surely`, also all that may lead there.
    """
    before = defaultdict(list)
    for state, (_, weights) in equations.items():
        for to in weights:
            before[to].append(state)
    last = {state for state, (_, weights) in equations.items() if abs(sum(weights.values())) < 1}
    ending = closure(last, before)
    if surely:
        ending -= closure(equations.keys() - ending, before)
    number = {state: k for k, state in enumerate(equations)}
    rows, right = [], []
    for state, (constant, weights) in equations.items():
        row = {number[state]: Number(1)}
        for to, q in weights.items() if state in ending else ():
            row[number[to]] = row.get(number[to], 0) - q
        rows.append(row)
        right.append([constant if state in ending else draw])
    solved = solve_linear(rows, right)
    return {state: value for state, (value,) in zip(equations, solved, strict=True)}


def rational_bytes(game, objective, turns):
    """About the memory of exact values: a·b·d digits at a and b points missing, where probabilities have d; 3 times."""
    most, size = game.longest, len(game.scores)
    outcomes = [outcome for mode in game.until_change.modes for outcome in mode.outcomes]
    common = math.lcm(*(outcome.probability.denominator for outcome in outcomes))
    alone = objective in ("turns", "deadline")
    others = (turns or 1) if alone else size * len(classes_of(game).next_role)
    digits = 0.6 * common.bit_length() * most * ((turns or 1) if alone else most)
    back = game.resets + int(size * (classes_of(game).penalty > 0).mean())  # scores led back to
    unknowns = back * size if back and not alone else 1
    walked = 6000 + 30 * len(game.modes) * (most + game.most_points)
    return int(size * others * (walked + digits * unknowns))


def solve_exactly(near_solution, game, objective, overshoot=False, turns=None):
    """The solved :class:`ExactRace`; see :func:`solve_rational`."""
    check_memory(
        rational_bytes(game, objective, turns),
        f"solving {game.name} to {game.target} in fractions",
        "take a smaller target, or exact=False",
    )
    race = ExactRace(game, objective, overshoot, turns)
    states = race.states()
    try:
        near = near_solution()
    except ConvergenceError:  # any start leads to the solution, in more steps
        return race.solve(dict.fromkeys(states, Number(-1) if objective == "turns" else race.draw))
    values = np.maximum(-near.values, -FOREVER) if objective == "turns" else near.values
    roles = values.ndim == 3 or race.alone
    if not race.alone and rules_of(game).may_stall:
        race.prefer = partial(preferred, near.policy, len(race.rules.branches))
    return race.solve({s: Number(float(values[s if roles else s[1:]])) for s in states})


def preferred(policy, branches, state, missing):
    """The decisions of a policy at a state, as :class:`Turn` takes them."""
    role, *places = state
    policy = policy.when(role=role) if policy.game.finish == "equal turns" else policy
    return tuple(part[0][..., :missing] for part in policy.decide_all([places], branches))


def solve_rational(near_solution, game, objective="win", overshoot=False, turns=None):
    """Solve a game in fractions; see :func:`dicelab.solve`.

    Parameters
    ----------
    near_solution : callable
        Returns the solution in float64.
    game : Game
    objective : {"win", "margin", "turns", "deadline"}
    overshoot : bool
        Whether points beyond the target count in the margin.
    turns : int, optional
        For "deadline".

    Returns
    -------
    Solution
        With ``exact=True``, residual 0, and the exact ties, whose scores are :class:`dicelab.Score` in a game with
        registers.

    Raises
    ------
    ConvergenceError
        If strategy iteration does not come to an end.
    ValueError, NotImplementedError, MemoryError
        As the solvers in float64, and for turns whose values are sums without end
        (:func:`dicelab.solvers.last_turn.last_turn_of`).
    """
    race = solve_exactly(near_solution, game, objective, overshoot, turns)
    scores = game.scores
    alone, roles = race.alone, len(race.classes.next_role)
    shape = {"turns": (len(scores),), "deadline": ((turns or 0) + 1, len(scores))}
    values = np.full(shape.get(objective, (roles, len(scores), len(scores))), Number(0), object)
    for state, value in race.values.items():
        values[state] = -value if objective == "turns" else value
    values = np.where(values <= ENDLESS, as_exact(values), np.inf)
    ties = [
        (
            *state[: roles - 1],
            *(scores[place] for place in (state if alone else state[1:])),
            turn.missing - r,
            game.modes[mode].name,
        )
        for state, turn in race.turns_found.items()
        for r, mode in (turn.ties if objective != "deadline" else ())
    ]
    return Solution(
        game=game,
        objective=objective,
        values=values if alone or roles > 1 else values[0],
        policy=OptimalPolicy(
            game,
            partial(decide, race),
            NAMES[objective],
            above=0 if alone else above_target(game, race.last),
            clock=turns,
        ),
        exact=True,
        residual=Fraction(0),
        error=0.0,
        ties=None if objective == "deadline" else tuple(sorted(ties)),
        overshoot=overshoot,
        turns=turns,
    )


# More players, where resets or penalties lead back


class GivenTurn(Turn):
    """A turn with given decisions: whether to roll, (modes, totals), and choices, (branches, totals), by turn total."""

    def __init__(self, rules, missing, rolls, choices):
        self.rules, self.missing = rules, missing
        self.beyond = [  # the way that finishes most often
            [max(ends, key=lambda end: end[0]) for ends in zip(*modes, strict=True)]
            for modes in zip(*rules.beyond, strict=True)
        ]
        known, totals = rolls.shape[1], np.arange(missing, -1, -1)  # by points missing
        self.rolls = np.where(
            totals < known, rolls[:, totals.clip(max=known - 1)], rules.forced[:, None]
        )
        self.choices = {
            (branch, missing - total): int(taken[min(total, known - 1)])
            for branch, taken in enumerate(choices)
            for total in range(missing)
        }


def equations_of_players(game, policy):
    """V = constant + Σ weight·V(next) for every seat at every position, all players playing a policy, a dict.

    A state is the role, the places of a :class:`dicelab.solvers.turn.Race` in order of play, and the seat.
    """
    n, rules, places = policy.players, RationalRules(game), places_of(game)
    race, begin = last_turns_of(game, n, True)[0], int(places[scores_of(game).begin])
    found, roles = {}, len(race.ends)
    for role in range(roles):
        now = policy.when(role=role) if roles > 1 else policy
        for scores in product(range(race.places), repeat=n):
            own, *others = places[list(scores)].tolist()
            rolls, choices = now.decide_all([scores], len(rules.branches))
            start = start_of(race, (own, *others), role)
            above = start.edge + rules.width * (start.climb > 0)
            turn = GivenTurn(rules, start.missing + above, rolls[0], choices[0])
            ends = turn.outcomes(int(race.mode[own % race.registers]), turn.missing)
            after = defaultdict(Number)  # by the place; -1 - k for k points above the target
            for r, q in ends.holds.items():
                onward = (r - above - 1) * race.registers + race.after_hold[own % race.registers]
                after[int(onward) if r > above else r - above - 1] += q
            busted = int(race.after_bust[own])
            after[-1 - above if start.finish else busted] += ends.finish
            after[busted] += ends.bust
            after[begin] += ends.reset
            for seat in range(n):
                to = (seat - 1) % n
                weights = {
                    ((role + 1) % roles, *others, place, to): q
                    for place, q in after.items()
                    if place >= 0 and q
                }
                won = (
                    q * race.lead[start.lead - (1 + place) * start.climb, to]
                    for place, q in after.items()
                    if place < 0
                )
                found[role, own, *others, seat] = sum(won, Number(0)), weights
    return found


def values_led_back(game, policy):
    """What resets and penalties are worth where all play a policy, as :func:`dicelab.solvers.turn.led_back` gives it.

    An exact sweep that is given them, and finds them again, has an equilibrium.
    """
    players = policy.players
    if any(0 < share < 1 for share in policy.bold_shares.values()):
        raise NotImplementedError(
            f"{game.name}: in the equilibrium that is found players mix, and its chances may be irrational; solve"
            " without exact=True"
        )
    equations = equations_of_players(game, policy)
    number = {state: k for k, state in enumerate(equations)}
    pairs = [(number[s], number[to]) for s, (_, row) in equations.items() for to in row]
    graph = csr_matrix((np.ones(len(pairs)), np.transpose(pairs)), shape=(len(number),) * 2)
    together = np.bincount(connected_components(graph, connection="strong")[1]).max()
    if together > MOST_TOGETHER:
        raise MemoryError(
            f"solving {game.name} to {game.target} for {players} players in fractions: {together:,} equations depend"
            f" on each other, more than {MOST_TOGETHER:,}; take a smaller target, or exact=False"
        )
    race, back, _ = last_turns_of(game, players, True)
    values = solve_equations(equations, Number(1) / players)
    table = np.array([values[state] for state in sorted(values)], dtype=object).reshape(-1, players)
    return led_back(table, race, places_of(game)[back]).ravel()


def decide(race, pairs, rolls, takes, role=0, turns_left=None):
    """Fill in the decisions, as :func:`dicelab.solvers._kernels.decide_positions` does."""
    first = {"turns": (), "deadline": (turns_left,)}.get(race.objective, (role,))

    @cache
    def turn_at(*state):
        beyond = state[-1] - len(race.game.scores)
        return race.turn(state) if beyond < 0 else race.last_turn(state[1], beyond)

    rolls[:, :, 0] = True
    for decided, taken, pair in zip(rolls, takes, pairs.tolist(), strict=True):
        turn = turn_at(*first, *pair[: 1 if race.alone else 2])
        known = range(turn.missing, turn.start - 1, -1)
        decided[:, 1 : len(known)] = turn.rolls[:, known[1:]]
        for branch in range(len(taken)):
            taken[branch, : len(known)] = [turn.choices[branch, r] for r in known]
    rolls[:, [mode.must_hold for mode in race.game.modes], 1:] = False
