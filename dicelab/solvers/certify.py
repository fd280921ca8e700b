"""Certificates: proven bounds on every value of a float64 solution, and a verdict on every decision.

We solve the rules once more in interval arithmetic (:mod:`dicelab.solvers.intervals`). The solution's values serve as a
first guess only, and are then compared with the bounds. If every mode allows a hold, few totals of a turn are walked,
some 45 at a time for Pig to 2000; and unless the target must be hit exactly, nearly all of the N³ / 2 decisions are
classified by one comparison each.

**Resets.** The reset values get intervals at the outset. If all the values that follow a reset come out with intervals
inside of these, the box of all values is mapped into itself, and contains the solution by the same argument as for one
pair. Otherwise the intervals are enlarged.

**Decisions.** With bounds of all values known, rolling and holding are compared once more, and so are choices. An
advantage larger than both radii is proven. Otherwise fractions decide, if the game to the points that are missing
there is small enough.

**Registers.** All pairs of scores of a game with registers get intervals around their values, at first of width 0. One
application of the turn operator, rounded outwards, gives the intervals that are needed. They become the next ones, now
and then doubled. Once none that is needed is wider, the operator maps the box of all values into itself. So
it has a fixed point there, by Brouwer's theorem. It has only one, the solution, as play ends with probability 1
whatever the players do. That is checked on the graph of the scores, without numbers
(:func:`dicelab.games.absorption.may_be_endless`). The widths are about the roundings of one turn times the expected
number of turns.

**Waiting.** If a player who could finish may wait for ever, the Bellman equation can have many solutions, and bounds of
one of them prove nothing. In such a race, if it is small enough, the bounds are those of the exact values.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from .._accuracy import ACCURACY, ENDLESS, FOREVER, SETTLED, ConvergenceError
from .._limits import check_memory, progress
from .._shown import Shown, title_of
from .._validation import check_int, invalid
from ..games.absorption import may_be_endless, may_be_stuck
from ..games.registers import scores_of
from ..policies import branching_outcomes
from ..solution import Solution, check_solution
from ._kernels import rules_of
from .intervals import (
    MOST_OUTCOMES,
    OUTWARD,
    PROVEN,
    REFUTED,
    UNRESOLVED,
    Payoffs,
    Starts,
    U,
    break_even_values,
    classify_decisions,
    enclose_antidiagonal,
    enclose_turns,
)
from .one_player import banking, one_turn, threshold, turn_rules, turn_values
from .rational import rounded, solve_exactly
from .two_player import payoffs_of

__all__ = ["Certificate", "bounds", "certify"]

ROUNDS, THREADS = 60, 2
PASSES = 2**11  # of the turn operator over all values, with registers
TIED = 0
SETTLE = 30  # points missing up to which decisions are classified in fractions


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate(Shown):
    """What is proven about a solution.

    A decision to roll or to hold is (own, opponent, turn total, mode); a choice after a roll has the outcome as fifth.
    In "turns" the opponent is left out, in "score" both scores.

    Attributes
    ----------
    solution : Solution
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``. They are widened to contain the solution's
        value if that is off by at most 1e-12 (of a target for "margin", relatively for "turns" and "score").
    proven : int
        The number of decisions that are proven to be optimal.
    ties : tuple
        Decisions that are exactly as good as another one, proven in fractions.
    unresolved : tuple
        Decisions for which nothing is proven.
    refuted : tuple
        Decisions that are proven to be wrong.
    outside : tuple
        Indices of values that are proven to be wrong: outside of their bounds by more than 1e-12.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> certificate = certify(solve(pig(20)))
    >>> certificate.optimal, len(certificate.ties)
    (True, 0)
    """

    solution: Solution = field(repr=False)
    lower: np.ndarray = field(repr=False)
    upper: np.ndarray = field(repr=False)
    proven: int
    ties: tuple = field(repr=False)
    unresolved: tuple = field(repr=False)
    refuted: tuple = field(repr=False)
    outside: tuple = field(repr=False)

    @property
    def width(self) -> float:
        """The largest distance of two bounds, in the unit of the values."""
        finite = np.isfinite(self.upper)
        return float((self.upper[finite] - self.lower[finite]).max(initial=0.0))

    @property
    def optimal(self) -> bool:
        """Whether all is proven: every value lies within its bounds, and every decision is optimal."""
        return not (self.unresolved or self.refuted or self.outside)

    def __repr__(self):
        counts = {
            "unresolved": self.unresolved,
            "refuted": self.refuted,
            "values outside": self.outside,
        }
        found = (
            ", ".join(f"{len(listed):,} {name}" for name, listed in counts.items() if listed)
            or "optimal"
        )
        said = f"values within {self.width:.0e}, {self.proven:,} decisions proven"
        return f'<Certificate of {title_of(self.solution.game)}, "{self.solution.objective}": {found}, {said}>'

    def __str__(self):
        """The certificate in words."""
        game, wrong = self.solution.game, len(self.outside)
        found = f"{self.proven:,} decisions proven optimal, {len(self.ties):,} exact ties, "
        found += f"{len(self.unresolved):,} unresolved, {len(self.refuted):,} refuted"
        values = (
            f"{wrong:,} values outside of their bounds"
            if wrong
            else f"values within {self.width:.1e}"
        )
        return f"{game.name} to {game.target}, {self.solution.objective!r}: {values}; {found}"


def certify(solution: Solution, settle: int = SETTLE) -> Certificate:
    """Prove a float64 solution: bounds on every value, and a verdict on every decision.

    Parameters
    ----------
    solution : Solution
        With float64 values, of any game and objective, but not a best response.
    settle : int
        Decisions that intervals leave open are classified in fractions if at most this many points are missing there;
        in a game with resets, if the target is at most this; in a game with registers, if the target is at most this
        far from the lowest score. In "turns" the limit is its square; "score" has none.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or a mode has more than 8192 outcomes.
    ConvergenceError
        If no finite bounds are found, as for dice that nearly always bust; or if a player who could finish may wait for
        ever, and the target is more than `settle`.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> certificate = certify(solve(pig(20)))
    >>> certificate.optimal, certificate.width < 1e-12
    (True, True)
    """
    settle = check_int(settle, "settle", 0)
    _check(solution, "a certificate", 140)
    score = solution.objective == "score"
    if score:
        lower, upper, verdicts = _classify_score(solution)
    elif solution.game.registers:
        lower, upper, verdicts = _classify_registers(solution)
    else:
        payoffs, solved = _enclose(solution, settle)
        lower, upper = _value_bounds(solution, payoffs, solved)
        verdicts = _classify_race(solution, payoffs)
    if unresolved := verdicts.others[UNRESOLVED]:
        if score:
            action_values = _exact_turn(solution, unresolved)
        elif solution.game.registers:
            values, action_values = _exact_registers(solution, settle)
            _narrow(lower, upper, solution, values)
        else:
            values, action_values = _exact_race(solution, unresolved, settle, solved)
            _narrow(lower, upper, solution, values)
        verdicts.settle(action_values)
    outside = _widen(lower, upper, solution)
    return Certificate(
        solution=solution,
        lower=lower,
        upper=upper,
        proven=int(verdicts.proven),
        ties=verdicts.named(TIED),
        unresolved=verdicts.named(UNRESOLVED),
        refuted=verdicts.named(REFUTED),
        outside=outside,
    )


def bounds(solution: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided bounds on every value of a float64 solution, without verdicts on its decisions.

    Parameters
    ----------
    solution : Solution
        With float64 values, of any game, but not a best response, nor of the objective "score".

    Returns
    -------
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``; both are infinite where play never ends.

    Raises
    ------
    ValueError
        If the solution is none of what is allowed, or a mode has more than 8192 outcomes.
    ConvergenceError
        If no finite bounds are found, as for dice that nearly always bust.
    MemoryError
        Beforehand, if that would take more than half of the memory.

    Examples
    --------
    >>> from dicelab import pig, solve
    >>> lower, upper = bounds(solve(pig(200)))
    >>> print((upper - lower).max() < 1e-12)
    True
    """
    _check(solution, "bounds", 80)
    if solution.objective == "score":
        raise invalid(
            "solution", solution, "of the objective 'win', 'margin' or 'turns'; certify takes it"
        )
    if solution.game.registers:
        return _register_bounds(_enclose_registers(solution))
    return _value_bounds(solution, *_enclose(solution, SETTLE))


def _check(solution, what, each):
    """Refuse anything but a float64 solution, too many outcomes, or a size too large at `each` bytes a value."""
    if check_solution(solution, last_turn=False).exact:
        raise invalid(
            "solution",
            solution,
            "what dicelab.solve(game) returns; a solution in fractions is proven already",
        )
    if solution.against is not None:
        raise invalid(
            "solution",
            solution,
            "what dicelab.solve(game) returns; best responses are not certified",
        )
    if solution.game.registers and solution.objective not in ("win", "margin"):
        raise NotImplementedError(
            f"{solution.game.name} has registers, with which 'win' and 'margin' are certified"
        )
    if solution.game.most_paid:
        raise NotImplementedError(
            f"{solution.game.name}: a bust scores, and may finish, which intervals do not know"
        )
    outcomes = max(len(mode.outcomes) for mode in solution.game.modes)
    if outcomes > MOST_OUTCOMES:
        said = f"solution: {outcomes:,} outcomes of a roll are not allowed"
        raise ValueError(f"{said}; bounds are proven up to {MOST_OUTCOMES:,}")
    said = f"{what} of {solution.game.name} to {solution.game.target}"
    check_memory(
        each * max(solution.values.size, solution.game.target), said, "take a smaller target"
    )


def _workspace(rules, target):
    """Arrays `value` and `roll` of the interval kernels, for a turn with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((2, modes, width + target, 5)))


def _enclose(solution, settle):
    """The :class:`Payoffs` of all turns; and the exact solution from which they are taken, if the race may stall."""
    game, target = solution.game, solution.game.target
    alone = solution.objective == "turns"
    c = float(solution.objective == "win")
    rules, size = rules_of(game), target + 1
    if alone:
        rules = rules._replace(cannot_finish=may_be_stuck(game))
    finish = {"win": np.ones, "margin": np.arange, "turns": np.zeros}[solution.objective](
        size
    ).astype(float)
    rows = slice(0, 1) if alone else slice(1, size)
    hold = np.zeros((rows.stop, size, 3))
    resets = np.zeros((size, 3))
    payoffs = Payoffs(hold, resets, finish, float(solution.overshoot), c, np.empty((rows.stop, 0)))
    after, given = (
        hold[rows, target],
        resets[rows],
    )  # reset values as they come out, and as walks take them
    if rules.may_stall and not alone:
        if target > settle:
            said = f"a player may wait for ever, and then only fractions prove anything, up to a target of {settle}"
            raise ConvergenceError(f"{game.name}: {said}")
        solved = solve_exactly(game, solution.objective, solution.overshoot)
        for b in range(1, size):
            passed = [solved.passed((0, 0, target - b), target - r) for r in range(1, size)]
            nearest = np.append(0.0, rounded(passed))
            hold[b] = np.stack([nearest, *[np.spacing(np.abs(nearest))] * 2], axis=1)
        given[:] = after
        return payoffs, solved

    def passed(values):  # hold values from values, and back
        return np.ascontiguousarray(values.T) if alone else c - values

    most = (
        0.0
        if alone
        else payoffs_of(game, solution.objective, solution.overshoot).most * (1 if c else target)
    )
    values, least = (
        (-solution.values[::-1, None], -FOREVER)
        if alone
        else (solution.values[::-1, ::-1], c - most)
    )
    guess = np.zeros((size, rows.stop))
    guess[1:, rows] = np.nan_to_num(np.clip(values, least, most))
    if game.resets:
        given[:, 0] = passed(guess)[rows, target]
    monotonic = bool(c) and game.finish == "reach" and not game.resets
    workspaces = [_workspace(rules, target) for _ in range(THREADS)]

    def enclose(total, part, starts):
        shared = THREADS, guess, alone, monotonic, starts
        enclose_antidiagonal(rules, payoffs, total, part, *shared, *workspaces[part])

    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(ROUNDS):
            starts = Starts(np.ones(size, dtype=np.int64), np.full(size, np.inf))
            for total in progress(
                range(1, size) if alone else range(2, 2 * size - 1), title_of(game), "diagonal"
            ):
                list(threads.map(enclose, [total] * THREADS, range(THREADS), [starts] * THREADS))
            if not np.isfinite(hold).all():
                break
            off = np.abs(after[:, 0] - given[:, 0])
            needed = OUTWARD * (off[:, None] + after[:, 1:])
            if not game.resets or (needed <= given[:, 1:]).all():
                return payoffs, None
            guess = passed(hold[..., 0])
            if off.max() > 1e-13 * max(1.0, np.abs(given[:, 0]).max()):  # first let the mids settle
                given[:, 0], given[:, 1:] = after[:, 0], 0.0
            elif not given[:, 1:].any():
                first = needed.max()
                given[:, 1:] = 1.5 * first
            else:  # enough, if the needed widths grow linearly with the given ones
                grows = min((needed.max() - first) / given[:, 1:].max(), 0.999)
                given[:, 1:] = max(1.2 * first / (1 - grows), 1.5 * given[:, 1:].max())
    raise ConvergenceError(f"{game.name}: no bounds were found")


def _value_bounds(solution, payoffs, solved):
    """The bounds of all values c - hold: from the intervals of hold values, or from an exact solution."""
    alone = solution.objective == "turns"
    c = payoffs.constant_sum
    mid, down, up = np.moveaxis(
        payoffs.hold[0, :0:-1] if alone else payoffs.hold[:0:-1, :0:-1], -1, 0
    )
    lower, upper = np.add(mid, up), np.subtract(mid, down)
    for side, outwards in ((lower, np.inf), (upper, -np.inf)):  # in place, as these may be large
        np.nextafter(side, outwards, out=side)
        np.subtract(c, side, out=side)
        if alone:  # a change of sign is exact
            side[side > ENDLESS] = np.inf
        else:
            np.nextafter(side, -outwards, out=side)
    if solved:
        _narrow(
            lower,
            upper,
            solution,
            {state[1:]: value for state, value in solved.values.items()},
        )
    return lower, upper


def _narrow(lower, upper, solution, values):
    """Replace bounds by the neighbours in float64 of exact values, a dict by scores."""
    for scores, value in values.items():
        near = np.nextafter(
            float(-value if solution.objective == "turns" else value), [-np.inf, np.inf]
        )
        lower[scores], upper[scores] = np.where(near > ENDLESS, np.inf, near)


def _widen(lower, upper, solution):
    """Widen bounds to contain values that are off by no more than 1e-12; return the indices of the others."""
    values = solution.values.astype(float)
    size = np.where(np.isfinite(lower), np.abs(lower), 0.0)
    unit = {"win": 1, "margin": solution.game.target}.get(solution.objective, size)
    with np.errstate(invalid="ignore"):  # infinity minus itself
        off = np.maximum(lower - values, values - upper)
    close = (off <= ACCURACY * unit) | (values == lower) | (np.isnan(lower) & np.isnan(values))
    np.minimum(lower, values, where=close, out=lower)
    np.maximum(upper, values, where=close, out=upper)
    return tuple(map(tuple, np.argwhere(~close).tolist()))


class Decision(NamedTuple):
    """One decision of a policy."""

    scores: tuple  # own and the opponent's; one in "turns", none in "score"
    total: int
    mode: int
    branch: int  # -1 for a decision to roll or to hold; else the number of the outcome with choices
    action: int  # whether to roll, or the number of the choice


class DecisionVerdicts:
    """How many decisions are `proven` to be optimal; the `others`, lists of :class:`Decision` by verdict."""

    def __init__(self, game):
        self.game, self.proven, self.others = game, 0, {TIED: [], UNRESOLVED: [], REFUTED: []}
        self.branches = [
            (m, o) for m, mode in enumerate(game.modes) for o in mode.outcomes if len(o.choices) > 1
        ]

    def classify(self, own, rules, payoffs, rolls, takes, workspace, known=None):
        """Classify decisions at totals less than `known` by intervals; return how many are proven.

        `own` is the empty tuple, the own score in a tuple, or own score and None, which stands for the opponent's.
        Threads may share this.
        """
        rolls, takes, proven = np.ascontiguousarray(rolls), np.ascontiguousarray(takes), 0
        verdicts = np.zeros(rolls.shape, dtype=np.uint8), np.zeros(takes.shape, dtype=np.uint8)
        classify_decisions(rules, payoffs, rolls, takes, *workspace, *verdicts)
        for found, actions in zip(verdicts, (rolls, takes), strict=True):
            proven += np.count_nonzero(found[..., :known] == PROVEN)
            for opponent, number, total in np.argwhere(found[..., :known] > PROVEN).tolist():
                scores = tuple(opponent if score is None else score for score in own)
                mode, branch = (
                    (number, -1) if actions is rolls else (self.branches[number][0], number)
                )
                decision = Decision(
                    scores, total, mode, branch, int(actions[opponent, number, total])
                )
                self.others[int(found[opponent, number, total])].append(decision)
        return proven

    def settle(self, action_values):
        """Classify unresolved decisions by the exact values of their actions, a list, or None if not known."""
        unresolved, self.others[UNRESOLVED] = self.others[UNRESOLVED], []
        for decision in progress(unresolved, f"{self.game.name}, in fractions", "decision"):
            values = action_values(decision)
            if values is None:
                self.others[UNRESOLVED].append(decision)
            elif values[decision.action] < max(values):
                self.others[REFUTED].append(decision)
            elif values.count(max(values)) > 1:
                self.others[TIED].append(decision)
            else:
                self.proven += 1

    def named(self, verdict):
        """The decisions with one verdict, as a :class:`Certificate` gives them, a sorted tuple."""
        scores, modes = self.game.scores, self.game.modes
        return tuple(
            (
                *(scores[at] for at in places),
                total,
                modes[mode].name,
                *([] if branch < 0 else [str(self.branches[branch][1])]),
            )
            for places, total, mode, branch, _ in sorted(self.others[verdict])
        )


def _classify_race(solution, payoffs):
    """The :class:`DecisionVerdicts` of a race by intervals; objectives "win", "margin" and "turns"."""
    game = solution.game
    target = solution.game.target
    alone = solution.objective == "turns"
    rules = rules_of(game)
    verdicts = DecisionVerdicts(game)
    rows = len(payoffs.hold)
    columns = target + 1 if rules.all_hold and rules.skips else 0
    payoffs = payoffs._replace(break_even=np.empty((rows, columns)))

    def find_break_even(row):
        break_even_values(rules, payoffs, row, _workspace(rules, target)[0])

    def classify(own):
        decided = solution.policy.actions_at(game, own)
        rolls, takes = (each[: 1 if alone else target, :, : target - own] for each in decided)
        scores = (own,) if alone else (own, None)
        return verdicts.classify(scores, rules, payoffs, rolls, takes, _workspace(rules, target))

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(find_break_even, range(rows if columns else 0)))
        verdicts.proven = sum(threads.map(classify, range(target)))
    return verdicts


def _register_payoffs(solution, own, values, reverse=False):
    """The :class:`Payoffs` of turns from one own score, given intervals of all values; a row for each opponent.

    `own` is a place in ``game.scores``; ``values[own, opponent]`` is (mid, down, up).
    """
    game, c = solution.game, float(solution.objective == "win")
    score = game.scores[own]
    missing = game.missing(score)
    least = game.register(score).least_hold
    rows, over = len(game.scores), float(solution.overshoot)
    needs = (
        np.ones(rows) if c else game.target - np.array(game.scores[:: -1 if reverse else 1], float)
    )
    ends = [game.index(game.after_hold(score, missing - r)) for r in range(1, missing - least + 1)]
    ends = [*ends, game.index(game.after_bust(score)), game.index(game.after_reset)]
    mid, down, up = np.moveaxis(values[:: -1 if reverse else 1, ends], -1, 0)
    error = U * (1.0 + np.abs(mid))
    passed = np.stack([c - mid, OUTWARD * (up + error), OUTWARD * (down + error)], axis=-1)
    hold = np.zeros((rows, missing + 1, 3))
    hold[:, :, 0] = -np.inf
    hold[:, 1 : len(ends) - 1], hold[:, missing] = passed[:, :-2], passed[:, -2]
    reset = np.ascontiguousarray(passed[:, -1])
    finish = needs + (missing - (game.target - int(score))) * over
    return Payoffs(hold, reset, finish, over, c, np.empty((rows, 0)))


def _enclose_registers(solution):
    """Intervals (mid, down, up) of all values, (S, S, 3), that the turn operator maps into themselves."""
    game, rules = solution.game, rules_of(solution.game)
    if may_be_endless(game):
        raise ConvergenceError(
            f"{game.name}: a player can make sure never to finish, so that bounds prove nothing"
        )
    scores, c = scores_of(game), float(solution.objective == "win")
    most = payoffs_of(game, solution.objective, solution.overshoot).most * (1 if c else game.target)
    values = np.zeros((*solution.values.shape, 3))
    values[..., 0] = np.clip(np.nan_to_num(solution.values), c - most, most)
    starts = [(game.missing(score), game.mode(game.register(score).mode)) for score in game.scores]

    def enclose(own):
        """The intervals of turns from one own score."""
        turns = np.empty((len(starts), 3))
        payoffs = _register_payoffs(solution, own, values)
        workspace = _workspace(rules, game.longest)
        enclose_turns(banking(rules, scores, own), payoffs, *starts[own], *workspace, turns)
        return turns

    with ThreadPoolExecutor(THREADS) as threads:
        wider = 0
        for _ in progress(range(PASSES), title_of(game), "pass"):
            found = np.stack(list(threads.map(enclose, range(len(starts)))))
            off = found[..., 0] - values[..., 0]
            if (
                not values[..., 1:].any() and np.abs(off).max() > SETTLED
            ):  # first let the mids settle
                values[..., 0] = found[..., 0]
                continue
            needed = (
                OUTWARD * (found[..., 1:] + np.stack([-off, off], axis=-1))
                + U * np.abs(off)[..., None]
            )
            if (needed <= values[..., 1:]).all():
                return values
            wider += 1  # pass 1, 2, 4, … doubles: enough if by then the widths have nearly reached a fixed point
            values[..., 1:] = np.maximum(needed, 0.0) * (2.0 if wider.bit_count() == 1 else 1.0)
            if not values.max() < most + ACCURACY**0.5:
                break
    raise ConvergenceError(f"{game.name}: no bounds were found")


def _register_bounds(values):
    """The bounds of all values from their intervals."""
    mid, down, up = np.moveaxis(values, -1, 0)
    return np.nextafter(mid - down, -np.inf), np.nextafter(mid + up, np.inf)


def _classify_registers(solution):
    """The bounds of all values and the :class:`DecisionVerdicts` by intervals, of a game with registers."""
    game = solution.game
    values = _enclose_registers(solution)
    verdicts = DecisionVerdicts(solution.game)
    rules, scores = rules_of(game), scores_of(game)

    def classify(own):
        payoffs = _register_payoffs(solution, own, values, reverse=True)
        score = game.scores[own]
        decided = (
            each[:, :, : game.missing(score)] for each in solution.policy.actions_at(game, score)
        )
        return verdicts.classify(
            (own, None),
            banking(rules, scores, own),
            payoffs,
            *decided,
            _workspace(rules, game.longest),
        )

    with ThreadPoolExecutor(THREADS) as threads:
        verdicts.proven = sum(threads.map(classify, range(len(game.scores))))
    return *_register_bounds(values), verdicts


def _exact_registers(solution, settle):
    """The exact values of a game with registers by places of scores, a dict; and of a decision's actions, a function.

    None are known if the target is more than `settle` points from the lowest score.
    """
    if solution.game.longest > settle:
        return {}, lambda decision: None
    solved = solve_exactly(solution.game, solution.objective, solution.overshoot)

    def action_values(decision):
        turn = solved.turns_found[0, *decision.scores]
        return turn.action_values(turn.missing - decision.total, decision.mode, decision.branch)

    return {state[1:]: value for state, value in solved.values.items()}, action_values


def _classify_score(solution):
    """The bounds of all values and the :class:`DecisionVerdicts` by intervals, for the objective "score"."""
    most = threshold(solution.game) + 1  # decisions at the threshold are classified, too
    game = one_turn(solution.game, most)
    known = min(most, solution.game.target)
    rules = turn_rules(game)
    hold = np.zeros((1, most + 1, 3))
    verdicts = DecisionVerdicts(game)
    hold[0, :, 0] = np.arange(most, -1, -1)
    payoffs = Payoffs(hold, np.zeros((1, 3)), np.full(1, float(most)), 1.0, 0.0, np.empty((1, 0)))
    padding = [
        (0, 0),
        (0, 0),
        (0, most - known),
    ]  # the policy does not decide at totals beyond the target
    rolls, takes = (
        np.pad(each[:1, :, :known], padding)
        for each in solution.policy.actions_at(solution.game, 0)
    )
    workspace = _workspace(rules, most)
    verdicts.proven = verdicts.classify((), rules, payoffs, rolls, takes, workspace, known)
    mid, down, up = workspace[0][:, : game.most_points - 1 : -1, :3].T  # by turn total
    unreached = [m for m, mode in enumerate(game.modes) if mode.name not in game.reached()]
    mid[:, unreached] = np.nan
    for verdict, decisions in verdicts.others.items():
        verdicts.others[verdict] = [
            decision for decision in decisions if decision.mode not in unreached
        ]
    return np.nextafter(mid - down, -np.inf), np.nextafter(mid + up, np.inf), verdicts


def _exact_turn(solution, unresolved):
    """The exact values of a decision's actions, a function; objective "score"."""
    game = solution.game.until_change
    lowest = min(decision.total for decision in unresolved)
    value, _ = turn_values(one_turn(game, threshold(game)), lowest)

    def after(outcome, total):
        return [value[choice.mode, total + choice.points] for choice in outcome.choices]

    def action_values(decision):
        if decision.branch >= 0:
            return after(branching_outcomes(game)[decision.branch], decision.total)
        scoring = [outcome for outcome in game.modes[decision.mode].outcomes if outcome.choices]
        return [
            decision.total,
            sum(outcome.probability * max(after(outcome, decision.total)) for outcome in scoring),
        ]

    return action_values


def _exact_race(solution, unresolved, settle, solved):
    """The exact values at scores of decisions where few points are missing, a dict; and of a decision's actions.

    The latter is a function that returns None for decisions at other scores.
    """
    scores = {decision.scores for decision in unresolved}
    game, target = solution.game, solution.game.target
    limit = settle**2 if solution.objective == "turns" else settle
    missing = {at: target if game.resets else target - min(at) for at in scores}
    near = [at for at in scores if missing[at] <= limit]
    if near and solved is None:
        smaller = replace(game, target=max(missing[at] for at in near))
        solved = solve_exactly(smaller, solution.objective, solution.overshoot)
    offset = target - solved.game.target if near else 0
    states = {at: (*[0] * (len(at) - 1), *(score - offset for score in at)) for at in near}
    turns = {at: solved.turns_found[state] for at, state in states.items()}

    def action_values(decision):
        turn = turns.get(decision.scores)
        return turn and turn.action_values(
            turn.missing - decision.total, decision.mode, decision.branch
        )

    return {at: solved.values[state] for at, state in states.items()}, action_values
