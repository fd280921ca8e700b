"""Certificates: proven bounds on every value of a float64 solution, and a verdict on every decision.

We solve the rules once more in interval arithmetic (:mod:`.intervals`). The solution's values serve as a
first guess only, and are then compared with the bounds. This is for the race of two players and for the fewest turns,
without registers, last turns and deadlines. If every mode allows a hold, few totals of a turn are walked for the
bounds, some 45 at a time for Pig to 2000. Verdicts on decisions need all totals, N³ / 2 of them.

**Resets.** The reset values get intervals at the outset. If all the values that follow a reset come out with intervals
inside of these, the box of all values is mapped into itself, and contains the solution by the same argument as for one
pair. Otherwise the intervals are enlarged.

**Decisions.** With bounds of all values known, rolling and holding are compared once more, and so are choices. An
advantage larger than both radii is proven. Otherwise fractions decide, if the game to the points that are missing
there is small enough.

**One player.** The fewest turns are pairs without an opponent. Scores from which no player can be sure to finish have
infinite values. They are found on the graph of the scores, without numbers
(:func:`.rules.cannot_finish`).

**Waiting.** If a player who could finish may wait for ever, the Bellman equation can have many solutions, and bounds of
one of them prove nothing. Such a race of two is refused; fractions have its values.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
import pandas as pd

from dicelab._accuracy import ACCURACY, ENDLESS, FOREVER, ConvergenceError
from dicelab._limits import check_memory, progress
from dicelab._results import Result
from dicelab._shown import title_of
from dicelab._validation import check_int, invalid
from dicelab.engine.race import solve as solve_race
from dicelab.evaluation.action_values import check_solved
from dicelab.games.model import LAST_TURN
from dicelab.policies import branch_index, branching_outcomes
from dicelab.solution import Solution

from .intervals import (
    MOST_OUTCOMES,
    OUTWARD,
    PROVEN,
    REFUTED,
    TIED,
    UNRESOLVED,
    Payoffs,
    Starts,
    classify_decisions,
    enclose_antidiagonal,
)
from .rules import may_stall, rules_of

__all__ = ["Certificate", "bounds", "certify"]

ROUNDS, THREADS = 60, 2
TOTAL = 80 * THREADS  # bytes of a turn, by mode and total
SETTLE = 30  # points missing up to which decisions are classified in fractions


@dataclass(frozen=True, eq=False, kw_only=True)
class Certificate(Result):
    """What is proven about a solution.

    A decision to roll or to hold is (own, opponent, turn total, mode); a choice after a roll has the outcome as fifth.
    In "turns" the opponent is left out.

    Attributes
    ----------
    solution : Solution
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``. They are widened to contain the solution's value
        if that is off by at most 1e-12 (of a target for "margin", relatively for "turns").
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
        return f"<Certificate of {self}>"

    def __str__(self):
        """The certificate in words."""
        game, wrong = self.solution.game, len(self.outside)
        found = (
            f"{self.proven:,} decisions proven optimal, {len(self.ties):,} exact ties,"
            f" {len(self.unresolved):,} unresolved, {len(self.refuted):,} refuted"
        )
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
        With float64 values, of "win" or "margin" for two players or of "turns", in a game without registers that
        finishes with "reach" or "exact"; not a best response.
    settle : int
        Decisions that intervals leave open are classified in fractions if at most this many points are missing there;
        in a game with resets, if the target is at most this. In "turns" the limit is its square.

    Returns
    -------
    Certificate

    Raises
    ------
    ValueError
        If an argument is none of what is allowed, or a mode has more than 8192 outcomes.
    NotImplementedError
        For other objectives, registers and last turns.
    ConvergenceError
        If no finite bounds are found, as for dice that nearly always bust; or if a player who could finish may wait for
        ever.
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
    _check(solution, "certificates", 140)
    payoffs = _enclose_pairs(solution)
    lower, upper = _bounds_of(solution, payoffs)
    outside = _widen(lower, upper, solution)
    proven, verdicts = _classify(solution, payoffs)
    unresolved = [decision for decision, said in verdicts.items() if said == UNRESOLVED]
    verdicts |= _settle(solution, settle, unresolved)
    modes, branches = solution.game.modes, [*map(str, branching_outcomes(solution.game))]

    def named(verdict):
        """The decisions with one verdict, as a :class:`Certificate` gives them, a sorted tuple."""
        found = sorted(decision for decision, said in verdicts.items() if said == verdict)
        return tuple(
            (*scores, total, modes[mode].name, *([] if branch < 0 else [branches[branch]]))
            for scores, total, mode, branch, _ in found
        )

    return Certificate(
        solution=solution,
        lower=lower,
        upper=upper,
        proven=int(proven) + [*verdicts.values()].count(PROVEN),
        ties=named(TIED),
        unresolved=named(UNRESOLVED),
        refuted=named(REFUTED),
        outside=outside,
    )


def bounds(solution: Solution) -> tuple[np.ndarray, np.ndarray]:
    """Two-sided bounds on every value of a float64 solution, without verdicts on its decisions.

    Parameters
    ----------
    solution : Solution
        With float64 values, of "win" or "margin" for two players or of "turns", in a game without registers that
        finishes with "reach" or "exact"; not a best response.

    Returns
    -------
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``; both are infinite where play never ends.

    Raises
    ------
    ValueError
        If the solution is none of what is allowed, or a mode has more than 8192 outcomes.
    NotImplementedError, ConvergenceError
        As :func:`certify`.
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
    return _bounds_of(solution, _enclose_pairs(solution))


def _check(solution, what, each):
    """Refuse solutions that have no bounds, too many outcomes, or a size too large at `each` bytes a value."""
    check_solved(solution)
    if solution.players > 2 or solution.exact or solution.against is not None:
        said = (
            "; best responses are not certified"
            if solution.against is not None
            else "; a solution in fractions is proven already"
            if solution.exact
            else " for two players: of more there may be several equilibria, so that a game has no value to bound;"
            " dicelab.solve(game, players=…, exact=True) finds one in fractions"
        )
        raise invalid("solution", solution, f"what dicelab.solve(game) returns{said}")
    game = solution.game
    others = {
        f"objective {solution.objective!r}": solution.objective not in ("win", "margin", "turns"),
        "registers": game.registers,
        f"finish={game.finish!r}": game.finish in LAST_TURN,
        "rolls that lose": game.loses,
        "points that depend on the scores": game.points,
    }
    if refused := [name for name, found in others.items() if found]:
        raise NotImplementedError(
            f"{game.name} with {refused[-1]}: {what} are for 'win', 'margin' and 'turns' without registers and last"
            " turns; dicelab.solve(game, …, exact=True) answers in fractions"
        )
    if solution.objective != "turns" and may_stall(game):
        raise ConvergenceError(
            f"{game.name}: a player may wait for ever, and then only fractions prove anything:"
            " dicelab.solve(game, exact=True)"
        )
    outcomes = max(len(mode.outcomes) for mode in game.modes)
    if outcomes > MOST_OUTCOMES:
        raise ValueError(
            f"solution: {outcomes:,} outcomes of a roll are not allowed; bounds are proven up to {MOST_OUTCOMES:,}"
        )
    check_memory(
        each * max(solution.values.size, game.target)
        + TOTAL * len(game.modes) * (game.target + game.most_points),
        f"{what} of {title_of(game)}",
        "take a smaller target",
    )


def _workspace(rules, missing):
    """Arrays `value` and `roll` of the interval kernels, for a turn with at most so many points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((2, modes, width + missing, 5)))


def _guess(solution):
    """Values to begin with, whatever is in the solution, to a player who wants more."""
    alone, c = solution.objective == "turns", float(solution.objective == "win")
    beyond = solution.overshoot * rules_of(solution.game).beyond[..., 2].max()
    most = 0.0 if alone else c or solution.game.target + beyond
    values = -solution.values if alone else solution.values
    return np.nan_to_num(np.clip(values, -FOREVER if alone else c - most, most))


def _ends(intervals):
    """The lower and the upper ends of intervals (mid, down, up)."""
    mid, down, up = np.moveaxis(intervals, -1, 0)
    return _outwards(mid - down, mid + up)


def _outwards(lower, upper):
    """Bounds that are one unit in the last place wider."""
    return np.nextafter(lower, -np.inf), np.nextafter(upper, np.inf)


def _enclose_pairs(solution):
    """The :class:`Payoffs` of all turns."""
    game, target = solution.game, solution.game.target
    alone, c = solution.objective == "turns", float(solution.objective == "win")
    rules, size = rules_of(game, surely=alone), target + 1
    ends = {"win": np.ones(size), "margin": np.arange(float(size)), "turns": np.zeros(size)}
    rows = slice(0, 1) if alone else slice(1, size)
    hold, resets = np.zeros((rows.stop, size, 3)), np.zeros((size, 3))
    payoffs = Payoffs(hold, resets, ends[solution.objective], float(solution.overshoot), c)
    after, given = hold[rows, target], resets[rows]  # reset values: as they come out, as given

    def passed(values):  # hold values from values, and back
        return np.ascontiguousarray(values.T) if alone else c - values

    values = _guess(solution)
    guess = np.zeros((size, rows.stop))
    guess[1:, rows] = values[::-1, None] if alone else values[::-1, ::-1]
    if game.resets:
        given[:, 0] = passed(guess)[rows, target]
    monotonic = bool(c) and game.finish == "reach" and not game.resets
    workspaces = [_workspace(rules, target) for _ in range(THREADS)]

    def enclose(total, part, starts):
        enclose_antidiagonal(
            rules, payoffs, total, part, THREADS, guess, alone, monotonic, starts, *workspaces[part]
        )

    totals = range(1, size) if alone else range(2, 2 * size - 1)
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(ROUNDS):
            starts = Starts(np.ones(size, dtype=np.int64), np.full(size, np.inf))
            for total in progress(totals, title_of(game), "diagonal"):
                list(threads.map(enclose, [total] * THREADS, range(THREADS), [starts] * THREADS))
            if not np.isfinite(hold).all():
                break
            off = np.abs(after[:, 0] - given[:, 0])
            needed = OUTWARD * (off[:, None] + after[:, 1:])
            if not game.resets or (needed <= given[:, 1:]).all():
                return payoffs
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


def _bounds_of(solution, payoffs):
    """The bounds of all values, lower and upper, from the intervals of hold values."""
    if solution.objective == "turns":
        lower, upper = _ends(payoffs.hold[0, :0:-1])
        return tuple(np.where(-side > ENDLESS, np.inf, -side) for side in (upper, lower))
    upper, lower = (payoffs.constant_sum - end for end in _ends(payoffs.hold[:0:-1, :0:-1]))
    return _outwards(lower, upper)


def _widen(lower, upper, solution):
    """Widen bounds to contain values that are off by no more than 1e-12; return the indices of the others."""
    values = solution.values.astype(float)
    size = np.where(np.isfinite(lower), np.abs(lower), 0.0)
    unit = {"turns": size, "margin": solution.game.target}.get(solution.objective, 1)
    with np.errstate(invalid="ignore"):  # infinity minus itself
        off = np.maximum(lower - values, values - upper)
    close = (off <= ACCURACY * unit) | (values == lower)
    np.minimum(lower, values, where=close, out=lower)
    np.maximum(upper, values, where=close, out=upper)
    return tuple(map(tuple, np.argwhere(~close).tolist()))


class Decision(NamedTuple):
    """One decision of a policy."""

    scores: tuple  # (own, opponent), or (own,) in "turns"
    total: int
    mode: int
    branch: int  # -1 for a decision to roll or to hold; else the number of the outcome with choices
    action: int  # whether to roll, or the number of the choice


def _classify(solution, payoffs):
    """How many decisions are proven optimal by intervals, and the verdicts on the others, by :class:`Decision`."""
    game, alone, rules = solution.game, solution.objective == "turns", rules_of(solution.game)
    asked = [(m, -1) for m in range(len(game.modes))]  # mode and branch of all decisions
    asked += [(m, branch) for (m, _), branch in branch_index(game).items()]
    others = {}

    def classify(own):
        """Classify the decisions at an own score; return how many are proven."""
        missing = game.target - own
        decided = solution.policy.actions_at(game, own)  # to roll, and choices
        taken = np.concatenate([each[: len(payoffs.hold), :, :missing] for each in decided], axis=1)
        actions = np.zeros((len(taken), len(asked), missing), dtype=np.uint8)
        actions[:, :, : taken.shape[2]] = taken
        found = np.zeros_like(actions)
        classify_decisions(rules, payoffs, actions, *_workspace(rules, missing), found)
        for opponent, number, total in np.argwhere(found > PROVEN).tolist():
            at, scores = (opponent, number, total), (own,) if alone else (own, opponent)
            decision = Decision(scores, total, *asked[number], int(actions[at]))
            others[decision] = int(found[at])
        return np.count_nonzero(found == PROVEN)

    with ThreadPoolExecutor(THREADS) as threads:
        return sum(threads.map(classify, range(game.target))), others


def _settle(solution, settle, decisions):
    """The verdicts in fractions on those decisions that are near enough to the target, by decision.

    Where no reset leads back to lower scores, a smaller target is enough.
    """
    game, most = solution.game, settle ** (2 if solution.objective == "turns" else 1)
    missing = {each: game.target - (0 if game.resets else min(each.scores)) for each in decisions}
    near = {each: points for each, points in missing.items() if points <= most}
    if not near:
        return {}
    small = replace(game, target=max(near.values()))
    race = solve_race(small, solution.objective, overshoot=solution.overshoot, exact=True)
    scores = [*{decision.scores for decision in near}]
    turns = race.positions.at(np.array(scores) - (game.target - small.target))
    actions = {at: race.actions(turn)[:3] for at, turn in zip(scores, turns, strict=True)}
    verdicts = {}
    for decision in progress(near, f"{game.name}, in fractions", "decision"):
        total, (hold, roll, best) = decision.total, actions[decision.scores]
        values = [hold[total, 0], roll[decision.mode, total, 0]]
        if decision.branch >= 0:
            outcome, last = branching_outcomes(game)[decision.branch], len(hold) - 1
            reached = [(game.mode(c.mode), total + c.points) for c in outcome.choices]
            values = [best[m, min(points, last), 0] for m, points in reached]
        verdicts[decision] = TIED if values.count(max(values)) > 1 else PROVEN
        if values[decision.action] < max(values):
            verdicts[decision] = REFUTED
    return verdicts
