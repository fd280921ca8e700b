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

**A last turn.** The same is done for the finishes with a last turn, in each role; :mod:`dicelab.solvers.intervals` has
the turns of a leader. The values are the only solution there, too. In any solution every hold far above the target is
right, by what the other player can do at least (:mod:`dicelab.solvers.last_turn`). Below the target, some turns in
succession reach it with positive probability. There a player who rolls on may gain points, and holds at last, unless
points are sure to be lost. In "equal turns" a loss is never better than a hold, as the chaser, with the turn, has no
less than that last turn. In "last licks" it may be, and we call it waiting if rolls in some mode are sure to be lost.

**Waiting.** If a player who could finish may wait for ever, the Bellman equation can have many solutions, and bounds of
one of them prove nothing. In such a race, if it is small enough, the bounds are those of the exact values.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._accuracy import ACCURACY, ENDLESS, FOREVER, SETTLED, ConvergenceError
from .._limits import check_memory, progress
from .._results import Result
from .._shown import title_of
from .._validation import check_int, invalid
from ..games.absorption import may_be_endless, may_be_stuck
from ..games.model import LAST_TURN
from ..games.positions import classes_of
from ..games.registers import scores_of
from ..policies import branching_outcomes
from ..solution import Solution, check_solution
from ._kernels import rules_of
from .intervals import (
    MOST_OUTCOMES,
    OUTWARD,
    PROVEN,
    REFUTED,
    TIED,
    UNRESOLVED,
    Payoffs,
    Starts,
    U,
    break_even_values,
    classify_decisions,
    enclose_antidiagonal,
    enclose_turns,
)
from .last_turn import LEFT, last_turn_of
from .one_player import banking, one_turn, threshold, turn_rules, turn_values
from .race import above_target
from .rational import rounded, solve_exactly
from .two_player import payoffs_of

__all__ = ["Certificate", "bounds", "certify", "enclose_chasers"]

if TYPE_CHECKING:
    import pandas as pd

ROUNDS, THREADS = 60, 2
PASSES = 2**11  # of the turn operator over all values, with registers
SETTLE = 30  # points missing up to which decisions are classified in fractions


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate(Result):
    """What is proven about a solution.

    A decision to roll or to hold is (own, opponent, turn total, mode); a choice after a roll has the outcome as fifth.
    In "turns" the opponent is left out, in "score" both scores. In "equal turns" the role stands before them. In a last
    turn the opponent's score is the one to beat. Decisions above the target, and about scores above it, are those up to
    totals at which every hold is right, and with which the other player keeps a chance of more than 1e-12; and those in
    modes that a turn can reach.

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

    KEYS = ("solution", "optimal", "width", "proven", "ties", "unresolved", "refuted", "outside")

    solution: Solution = field(repr=False)
    lower: np.ndarray = field(repr=False)
    upper: np.ndarray = field(repr=False)
    proven: int
    ties: tuple = field(repr=False)
    unresolved: tuple = field(repr=False)
    refuted: tuple = field(repr=False)
    outside: tuple = field(repr=False)

    def to_frame(self) -> pd.DataFrame:
        """The bounds of all values, "lower" and "upper", a DataFrame by their places in ``solution.values``."""
        import pandas as pd

        places = pd.MultiIndex.from_product(map(range, self.lower.shape))
        return pd.DataFrame({"lower": self.lower.ravel(), "upper": self.upper.ravel()}, places)

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
    score, solved = solution.objective == "score", None
    if score:
        lower, upper, verdicts = _classify_score(solution)
    elif _has_classes(solution.game):
        lower, upper, verdicts, solved = _classify_positions(solution, settle)
    else:
        payoffs, solved = _enclose(solution, settle)
        lower, upper = _value_bounds(solution, payoffs, solved)
        verdicts = _classify_race(solution, payoffs)
    if unresolved := verdicts.others[UNRESOLVED]:
        if score:
            action_values = _exact_turn(solution, unresolved)
        else:
            exact = _exact_positions if _has_classes(solution.game) else _exact_race
            values, action_values = exact(solution, unresolved, settle, solved)
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
    if _has_classes(solution.game):
        return _position_bounds(solution, *_positions(solution, SETTLE)[1:])
    return _value_bounds(solution, *_enclose(solution, SETTLE))


def _has_classes(game):
    """Whether scores are not all that matters at the start of a turn, or turns go on above the target."""
    return bool(game.registers) or game.finish in LAST_TURN


def _check(solution, what, each):
    """Refuse anything but a float64 solution, too many outcomes, or a size too large at `each` bytes a value."""
    if check_solution(solution).exact:
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
    known = np.empty((rows.stop, 0))
    payoffs = Payoffs(hold, resets, finish, np.zeros(size), float(solution.overshoot), c, known)
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
        self.unreached = set()
        if (
            game.finish in LAST_TURN
        ):  # rolls that are forced above the target are valued where they can happen
            reached = game.reached()
            self.unreached = {m for m, mode in enumerate(game.modes) if mode.name not in reached}
        self.branches = [
            (m, o) for m, mode in enumerate(game.modes) for o in mode.outcomes if len(o.choices) > 1
        ]

    def classify(self, own, rules, payoffs, rolls, takes, workspace, known=None):
        """Classify decisions at totals less than `known`, for each opponent, by intervals; return how many are proven.

        `own` is the empty tuple, the own score in a tuple, or own score and None, which stands for the opponent's.
        Threads may share this.
        """
        rolls, takes, proven = np.ascontiguousarray(rolls), np.ascontiguousarray(takes), 0
        verdicts = np.zeros(rolls.shape, dtype=np.uint8), np.zeros(takes.shape, dtype=np.uint8)
        classify_decisions(rules, payoffs, rolls, takes, *workspace, *verdicts)
        for found, actions in zip(verdicts, (rolls, takes), strict=True):
            modes = [m for m, _ in self.branches] if actions is takes else range(rolls.shape[1])
            found[:, [n for n, m in enumerate(modes) if m in self.unreached]] = 0
            if known is not None:
                unknown = np.arange(found.shape[-1]) >= np.reshape(known, (-1, 1, 1))
                found[np.broadcast_to(unknown, found.shape)] = 0
            proven += np.count_nonzero(found == PROVEN)
            for opponent, number, total in np.argwhere(found > PROVEN).tolist():
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
        size, target = len(scores), self.game.target
        return tuple(
            (
                *places[:-2],
                *(scores[at] if at < size else target + at - size for at in places[-2:]),
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


class _Above(NamedTuple):
    """Intervals of what turns above the target need to know, by the place of the other player's score."""

    points: int  # above the target, where walks begin; 0 without a last turn
    lead: np.ndarray  # (S, points, 3) what a hold is worth so far above the target
    short: np.ndarray  # (S,) the most that the chaser's chance may be at `points` and above
    likely: np.ndarray  # (S,) so far above the target the chaser has a chance of more than 1e-12


def enclose_chasers(game):
    """The :class:`_Above` of a game, from intervals of the chance in the last turn.

    See :mod:`dicelab.solvers.last_turn` for C(g, d), which the walks of two turns give for all d at once.
    """
    last, classes = last_turn_of(game), classes_of(game)
    rules, places = rules_of(game), np.arange(len(game.scores))
    size = 2 * (game.longest + game.most_paid)
    if game.finish not in LAST_TURN:
        nothing = np.zeros((len(places), 1, 3))
        return _Above(0, nothing[:, :0], nothing[:, 0, 0], places)
    width, registers = rules.beyond.shape[2], len(classes.mode)
    forced = any(not mode.may_hold for mode in game.modes if mode.name in game.reached())
    at_least = np.maximum(classes.least_hold, 1)[:, None]
    points = above_target(game, last) + 2 * width  # more by 2 rolls than where the solver begins
    points = max(points, game.most_paid + 1)
    while True:
        levels = []
        for draw in (0.0, last.draw):
            value, roll = _workspace(rules, size)
            payoffs = _last_turn_payoffs(size, draw)
            enclose_turns(rules, payoffs, size, 0, value, roll, np.empty((1, 3)))
            levels.append(roll[classes.mode, width - 1 :, :3])
        gains, draws = (
            levels  # by points to gain; from 1 behind the other player, who is to be beaten
        )
        behind = np.arange(size)[None]
        ahead = np.maximum(behind + 1, at_least).clip(max=size)[..., None]
        chance = np.where(
            (behind >= at_least)[..., None],
            draws[:, 1:],
            np.take_along_axis(gains, ahead, axis=1),
        )
        for f, paid in enumerate(-classes.penalty):
            for to_beat in range(paid + 1):  # a bust wins, or draws
                least = int(at_least[f, 0])
                missing = max(to_beat + 1, least)
                payoffs = _last_turn_payoffs(missing, last.draw, least, to_beat, paid)
                turn = np.empty((1, 3))
                enclose_turns(rules, payoffs, missing, classes.mode[f], value, roll, turn)
                chance[f, to_beat] = turn
        short = OUTWARD * chance[..., [0, 2]].sum(axis=-1)
        if forced:
            points = max(points, int((short.max(axis=0) > LEFT).sum()))
        if points + game.longest < size:
            break
        size *= 2
    which, needs = places % registers, game.longest - places // registers
    at = which[:, None], needs[:, None] + np.arange(points)
    likely = (short[at] > ACCURACY).sum(axis=1)
    return _Above(points, _passed(1.0, chance[at]), short[which, needs + points], likely)


def _last_turn_payoffs(missing, draw, least=1, behind=None, paid=0):
    """The :class:`Payoffs` of a last turn that wins with `missing` points, and draws level with `behind` points.

    These are `missing` - 1 by default. A bust scores `paid` points.
    """
    hold = np.zeros((1, missing + 1, 3))
    hold[0, max(missing - least + 1, 1) : missing, 0] = -np.inf
    level = 1 if behind is None else missing - behind
    if hold[0, level, 0] == 0.0:
        hold[0, level, 0] = draw
    hold[0, [0, missing]] = 0.0
    if behind is not None and paid >= behind:
        hold[0, missing, 0] = 1.0 if paid > behind else draw
    nothing = np.zeros((1, 3))
    return Payoffs(hold, nothing, np.ones(1), np.zeros(1), 0.0, 1.0, np.empty((1, 0)))


def _passed(constant_sum, values):
    """The intervals of c - v."""
    mid, down, up = np.moveaxis(values, -1, 0)
    error = U * (1.0 + np.abs(mid))
    return np.stack([constant_sum - mid, OUTWARD * (up + error), OUTWARD * (down + error)], axis=-1)


def _position_payoffs(solution, above, at, values, reverse=False):
    """The :class:`Payoffs` of turns from one own score in one role, given intervals of all values; a row an opponent.

    `at` are the role and the place in ``game.scores``; ``values[role, own, opponent]`` is (mid, down, up).
    """
    game, c = solution.game, float(solution.objective == "win")
    classes = classes_of(game)
    role, own = at
    score, backwards = game.scores[own], slice(None, None, -1 if reverse else 1)
    need, least = int(game.target - score), game.register(score).least_hold
    missing, rows, over = game.missing(score), len(game.scores), float(solution.overshoot)
    needs = np.ones(rows) if c else game.target - np.array(game.scores[backwards], float)
    ends = [game.index(game.after_hold(score, need - r)) for r in range(1, need - least + 1)]
    busted = scores_of(game).after_bust[own]
    ends = [*ends, min(busted, rows - 1), scores_of(game).begin]
    passed = _passed(c, values[classes.next_role[role]][backwards, ends])
    beyond = missing - need  # totals beyond the target
    short = np.zeros(rows)
    if classes.answered[role]:
        beyond, short = above.points, above.short[backwards]
    hold = np.zeros((rows, need + beyond + 1, 3))
    hold[:, :, 0] = -np.inf
    hold[:, beyond + 1 : beyond + len(ends) - 1], hold[:, -1] = passed[:, :-2], passed[:, -2]
    if classes.answered[role]:
        lowest = max(least - need, 0)
        hold[:, 1 : beyond - lowest + 1] = above.lead[backwards, lowest:][:, ::-1]
    reset = np.ascontiguousarray(passed[:, -1])
    if busted >= rows:  # it finishes
        ahead = (busted - rows) // scores_of(game).step
        hold[:, -1] = 0.0
        hold[:, -1, 0] = needs + ahead * over
        if classes.answered[role]:
            hold[:, -1] = above.lead[backwards, ahead]
    finish = needs + (missing - need) * over
    return Payoffs(hold, reset, finish, short, over, c, np.empty((rows, 0)))


def _positions(solution, settle):
    """What the intervals of a game with registers or a last turn need: :class:`_Above`, those of all values, and more.

    Returns
    -------
    above : _Above
    values : ndarray (roles, S, S, 3)
        Intervals (mid, down, up).
    solved : ExactRace or None
        If the intervals are those of exact values.
    """
    game = solution.game
    above = enclose_chasers(game)
    if not _may_wait(game):
        return above, _enclose_positions(solution, above), None
    solved = _solve_exactly(solution, game) if game.longest <= settle else None
    if solved is None:
        proves = "a player may wait for ever, and then only fractions prove anything"
        if game.longest > settle:
            raise ConvergenceError(f"{game.name}: {proves}, up to a target of {settle}")
        raise ConvergenceError(
            f"{game.name}: {proves}; but what a roll that is forced above the target is worth is a sum without end"
        )
    nearest = np.zeros((*_by_role(solution).shape, 3))
    for state, value in solved.values.items():
        nearest[(*state, 0)] = float(value)
    nearest[..., 1:] = np.spacing(np.abs(nearest[..., :1]))
    return above, nearest, solved


def _by_role(solution):
    """The values of a race of two as (roles, S, S)."""
    return solution.values.reshape(-1, *solution.values.shape[-2:])


def _may_wait(game):
    """Whether a player may wait for ever; with "last licks" also, whether a leader may give up a turn for certain.

    If rolls are sure to be lost at or above the target in some mode, nobody may want to be the first to bank it.
    """
    if may_be_endless(game):
        return True
    game = game.until_change
    lost = set()
    for _ in game.modes if game.finish == "last licks" else ():
        lost = {
            mode.name
            for mode in game.modes
            if mode.outcomes
            and all(
                not o.choices or any(choice.mode in lost for choice in o.choices)
                for o in mode.outcomes
            )
        }
    return bool(lost)


def _solve_exactly(solution, game):
    """The solved :class:`dicelab.solvers.rational.ExactRace` of a game; None if it has no solution in fractions."""
    try:
        return solve_exactly(game, solution.objective, solution.overshoot)
    except ValueError:  # a roll that is forced above the target
        return None


def _enclose_positions(solution, above):
    """Intervals (mid, down, up) of all values, (roles, S, S, 3), that the turn operator maps into themselves."""
    game, rules = solution.game, rules_of(solution.game)
    scores, c = scores_of(game), float(solution.objective == "win")
    most = payoffs_of(game, solution.objective, solution.overshoot).most * (1 if c else game.target)
    given = np.nan_to_num(_by_role(solution))
    values = np.zeros((*given.shape, 3))
    values[..., 0] = np.clip(given, c - most, most)
    turns = [(role, own) for role in range(len(values)) for own in range(len(game.scores))]

    def enclose(at):
        """The intervals of turns from one own score in one role."""
        found = np.empty((len(game.scores), 3))
        payoffs = _position_payoffs(solution, above, at, values)
        mode, missing = game.mode(game.register(game.scores[at[1]]).mode), payoffs.hold.shape[1] - 1
        workspace = _workspace(rules, missing)
        enclose_turns(banking(rules, scores, at[1]), payoffs, missing, mode, *workspace, found)
        return found

    with ThreadPoolExecutor(THREADS) as threads:
        wider = 0
        for _ in progress(range(PASSES), title_of(game), "pass"):
            found = np.stack(list(threads.map(enclose, turns))).reshape(values.shape)
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


def _position_bounds(solution, values, solved):
    """The bounds of all values from their intervals, or from an exact solution."""
    mid, down, up = np.moveaxis(values, -1, 0)
    lower = np.nextafter(mid - down, -np.inf).reshape(solution.values.shape)
    upper = np.nextafter(mid + up, np.inf).reshape(solution.values.shape)
    if solved:
        _narrow(lower, upper, solution, _placed(solution, solved.values))
    return lower, upper


def _placed(solution, values):
    """Exact values by state as a dict by places in ``solution.values``."""
    roles = solution.values.ndim == 3
    return {state if roles else state[1:]: value for state, value in values.items()}


def _classify_positions(solution, settle):
    """The bounds of all values and the :class:`DecisionVerdicts` by intervals, with registers or a last turn."""
    game = solution.game
    above, values, solved = _positions(solution, settle)
    verdicts = DecisionVerdicts(game)
    rules, scores, classes = rules_of(game), scores_of(game), classes_of(game)
    last, width = last_turn_of(game), rules.beyond.shape[2]
    roles = len(values)

    def classify(at):
        payoffs = _position_payoffs(solution, above, at, values, reverse=True)
        role, own = at
        policy = solution.policy.when(role=role) if roles > 1 else solution.policy
        missing = payoffs.hold.shape[1] - 1
        decided = policy.actions_at(game, game.scores[own])
        need, least = (
            int(game.target - game.scores[own]),
            game.register(game.scores[own]).least_hold,
        )
        known = np.maximum(need + np.minimum(last.cut, above.likely), least)
        return verdicts.classify(
            (role, own, None) if roles > 1 else (own, None),
            banking(rules, scores, own),
            payoffs,
            *(_fitted(each, missing) for each in decided),
            _workspace(rules, missing),
            known=known if classes.answered[role] else None,
        )

    def classify_last(own):
        proven, score = 0, game.scores[own]
        register, role = game.register(score), (1,) if roles > 1 else ()
        least = register.least_hold
        beaten = min(above_target(game, last) + width, int(above.likely[own]))
        check_memory(
            beaten * (beaten + game.longest) * (len(game.modes) + len(verdicts.branches)),
            f"the last turns of {game.name} to {game.target}",
            "take another finish",
        )
        decided = solution.policy.last_turn_at(game, score, beaten)
        for more in range(beaten):
            behind = int(game.target - score) + more
            missing = max(behind + 1, least)
            proven += verdicts.classify(
                (*role, own, len(game.scores) + more),
                rules,
                _last_turn_payoffs(missing, last.draw, least, behind, register.pays),
                *(_fitted(each[more : more + 1], missing) for each in decided),
                _workspace(rules, missing),
            )
        return proven

    turns = [(role, own) for role in range(roles) for own in range(len(game.scores))]
    with ThreadPoolExecutor(THREADS) as threads:
        verdicts.proven = sum(threads.map(classify, turns))
        if game.finish in LAST_TURN:
            verdicts.proven += sum(threads.map(classify_last, range(len(game.scores))))
    return *_position_bounds(solution, values, solved), verdicts, solved


def _fitted(decisions, size):
    """Decisions by turn total, cut off, or filled up with zeros."""
    decisions = decisions[..., :size]
    return np.pad(decisions, [(0, 0), (0, 0), (0, size - decisions.shape[-1])])


def _exact_positions(solution, unresolved, settle, solved):
    """The exact values of a game with registers or a last turn, a dict; and of a decision's actions, a function.

    Where turns never lead back to lower scores, a smaller target is enough for scores near to it.
    """
    game = solution.game
    size, places = len(game.registers) or 1, len(game.scores)
    missing = {}
    back = game.resets or game.lowest < 0 or game.has_penalties
    for decision in unresolved:
        own = [at for at in decision.scores[-2:] if at < places]
        missing[decision.scores] = game.longest - (0 if back else min(own) // size)
    near = [at for at, points in missing.items() if points <= settle]
    if near and solved is None:
        least = max((register.least_hold for register in game.registers), default=1)
        nearest = max(least, *(missing[at] for at in near))
        smaller = game if back else replace(game, target=nearest)
        solved = _solve_exactly(solution, smaller)
    if not near or solved is None:
        return {}, lambda decision: None
    offset = places - len(solved.game.scores)

    @cache
    def turn_at(at):
        *role, own, opponent = at
        if opponent >= places:
            return solved.last_turn(own - offset, opponent - places)
        return solved.turns_found[*(role or [0]), own - offset, opponent - offset]

    def action_values(decision):
        if missing[decision.scores] > settle:
            return None
        turn = turn_at(decision.scores)
        r = turn.missing - decision.total
        return turn.action_values(r, decision.mode, decision.branch) if r >= turn.start else None

    values = {
        (*state[:1], *(place + offset for place in state[1:])): value
        for state, value in solved.values.items()
    }
    return _placed(solution, values), action_values


def _classify_score(solution):
    """The bounds of all values and the :class:`DecisionVerdicts` by intervals, for the objective "score"."""
    most = threshold(solution.game) + 1  # decisions at the threshold are classified, too
    game = one_turn(solution.game, most)
    known = min(most, solution.game.target)
    rules = turn_rules(game)
    hold = np.zeros((1, most + 1, 3))
    verdicts = DecisionVerdicts(game)
    hold[0, :, 0] = np.arange(most, -1, -1)
    payoffs = Payoffs(
        hold,
        np.zeros((1, 3)),
        np.full(1, float(most)),
        np.zeros(1),
        1.0,
        0.0,
        np.empty((1, 0)),
    )
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
