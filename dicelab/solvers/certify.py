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

**One player.** Each turn of a deadline depends on the values with one turn fewer alone, so that one application of the
operator to each is a proof. The fewest turns T are pairs without an opponent, or, in a game with registers, a box that
the operator maps into itself. A fixed point in a finite box is the solution: a policy that is best there finishes with
probability 1, as endless play would need infinitely many turns, and no policy needs fewer turns. For the box we take
widths in proportion to T. A turn from a score with T turns to go leads to T - 1 on average, so that widths ε·T leave
room for an error of ε in every turn, however many there are. Scores from which no player can be sure to finish have
infinite T. They are found on the graph of the scores, without numbers (:func:`dicelab.games.absorption.stuck_places`),
which takes rolls that are forced beyond the target for its reaching. The points of a turn ("score") are known from the
critical threshold on (:mod:`dicelab.solvers.one_turn`), so that one walk from there is a proof.

**Waiting.** If a player who could finish may wait for ever, the Bellman equation can have many solutions, and bounds of
one of them prove nothing. In such a race, if it is small enough, the bounds are those of the exact values.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from .._accuracy import ACCURACY, ENDLESS, FOREVER, SETTLED, UNLIKELY, ConvergenceError
from .._limits import check_memory, progress
from .._results import Result
from .._shown import title_of
from .._validation import check_int, invalid
from ..games.absorption import may_be_endless, may_be_stuck, stuck_places
from ..games.model import LAST_TURN
from ..games.positions import classes_of
from ..games.registers import scores_of
from ..policies import branch_index, branching_outcomes
from ..solution import ALONE, Solution, check_solution
from . import solution_of
from ._kernels import last_turn, payoffs_of, rules_of
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
from .last_turn import above_target, chances_of, hold_values, last_turn_of
from .one_player import banking
from .one_turn import held_from, one_turn, score_turn, turn_rules
from .rational import solve_exactly

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
    In "equal turns" the role stands before the scores. In a last turn the opponent's score is the one to beat. In
    "turns" the opponent is left out, and in "deadline" the number of turns left, this one included, stands before the
    own score: (turns left, own, turn total, mode). In "score" there are no scores; in a game with registers there is
    one, the lowest, which stands for all scores in its register.

    Decisions above the target, and about scores above it, are those up to totals at which every hold is right, and with
    which the other player keeps a chance of more than 1e-12; and those in modes that a turn can reach.

    Attributes
    ----------
    solution : Solution
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``; for "deadline" with a row for each number of
        turns left, 0, …, n. They are widened to contain the solution's value if that is off by at most 1e-12 (of a
        target for "margin", relatively for "turns" and "score").
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
        With float64 values, of any game and objective, for one player or two, but not a best response.
    settle : int
        Decisions that intervals leave open are classified in fractions if at most this many points are missing there;
        in a game with resets, if the target is at most this; in a game with registers, if the target is at most this
        far from the lowest score. In "turns" the limit is its square, and in "deadline" for these points times all
        turns; "score" has none.

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

    Against a deadline every number of turns left has decisions of its own:

    >>> print(certify(solve(pig(20), "deadline", turns=3)).proven, 3 * sum(range(20)))
    570 570
    """
    settle = check_int(settle, "settle", 0)
    _check(solution, "a certificate", 140)
    lower, upper, *enclosed, solved = _enclose(solution, settle)
    verdicts = _classify(solution, *enclosed)
    if unresolved := verdicts.others[UNRESOLVED]:
        known, action_values = _exact_actions(solution, settle, solved, unresolved)
        _narrow(lower, upper, solution, known)
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
        With float64 values, of any game and objective, for one player or two, but not a best response.

    Returns
    -------
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``; both are infinite where play never ends, and nan
        where the solution's values are, in modes that no turn is in.

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
    return _enclose(solution, SETTLE)[:2]


def _check(solution, what, each):
    """Refuse anything but a float64 solution, too many outcomes, or a size too large at `each` bytes a value."""
    many = isinstance(solution, Solution) and solution.players > 2
    exact = solution.exact if many else check_solution(solution).exact
    if many or exact or solution.against is not None:
        said = (
            "; best responses are not certified"
            if solution.against is not None
            else "; a solution in fractions is proven already"
            if exact
            else " for two players: of more there may be several equilibria, so that a game has no value to bound;"
            " dicelab.solve(game, players=…, exact=True) finds one in fractions"
        )
        raise invalid("solution", solution, f"what dicelab.solve(game) returns{said}")
    outcomes = max(len(mode.outcomes) for mode in solution.game.modes)
    if outcomes > MOST_OUTCOMES:
        raise ValueError(
            f"solution: {outcomes:,} outcomes of a roll are not allowed; bounds are proven up to {MOST_OUTCOMES:,}"
        )
    check_memory(
        each * max(solution.values.size, solution.game.target),
        f"{what} of {solution.game.name} to {solution.game.target}",
        "take a smaller target",
    )


def _workspace(rules, missing):
    """Arrays `value` and `roll` of the interval kernels, for a turn with at most so many points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((2, modes, width + missing, 5)))


def _has_classes(solution):
    """Whether scores are not all that matters at the start of a turn, or turns go on above the target."""
    game, clock = solution.game, solution.turns is not None
    return bool(game.registers) or game.finish in LAST_TURN or clock


def _seats(solution):
    """How many scores a position has."""
    return 1 if solution.objective in ALONE else 2


def _enclose(solution, settle):
    """Bounds of all values, and what they come from.

    Returns
    -------
    lower, upper : ndarray
    payoffs : Payoffs or None
        Of all turns of a race, where scores are all that matters.
    above : _Above or None
        Otherwise; also, if a player may wait for ever.
    after : ndarray, list or None
        Otherwise, what :func:`_after_turn` returns; for "score" what :func:`_turn_for_points` does, by register.
    solved : ExactRace or None
        If the intervals are those of exact values.
    """
    game, alone = solution.game, _seats(solution) == 1
    if solution.objective == "score":
        turns = [_turn_for_points(game, f) for f in range(scores_of(game).step)]
        return *_bounds_of(solution, _enclose_turn(game, *turns[0])), None, None, turns, None
    if not _has_classes(solution) and (alone or not rules_of(game).may_stall):
        payoffs = _enclose_pairs(solution)
        if alone:
            return *_bounds_of(solution, payoffs.hold[0, :0:-1]), payoffs, None, None, None
        upper, lower = (payoffs.constant_sum - end for end in _ends(payoffs.hold[:0:-1, :0:-1]))
        return *_outwards(lower, upper), payoffs, None, None, None
    above, solved = enclose_chasers(game), None
    if alone or (_has_classes(solution) and not _may_wait(game)):
        enclose = _enclose_deadline if solution.turns else _enclose_positions
        with ThreadPoolExecutor(THREADS) as threads:
            values = enclose(solution, partial(_enclose_turns_of, solution, above, threads))
    else:
        solved = _solve_exactly(solution, game) if game.longest <= settle else None
        if solved is None:
            why = (
                f", up to a target of {settle}"
                if game.longest > settle
                else "; but what a roll that is forced above the target is worth is a sum without end"
            )
            said = "a player may wait for ever, and then only fractions prove anything"
            raise ConvergenceError(f"{game.name}: {said}{why}")
        values = np.zeros((*_by_role(solution).shape, 3))
        for state, value in solved.values.items():
            values[(*state, 0)] = float(value)
        values[..., 1:] = np.spacing(np.abs(values[..., :1]))
    lower, upper = _bounds_of(solution, values)
    if solved:
        _narrow(lower, upper, solution, _exact_turns(solution, solved))
    return lower, upper, None, above, _after_turn(solution, values), solved


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
        asked, turns = (game, solution.objective, solution.overshoot), solution.turns
        return solve_exactly(partial(solution_of, *asked, turns=turns), *asked, turns)
    except ValueError:  # a roll that is forced above the target
        return None


def _exact_turns(solution, race):
    """The values and turns of an exact race, to the same target or a smaller one, by place in ``solution.values``."""
    offset, size = len(solution.game.scores) - len(race.game.scores), solution.values.ndim
    places, seats = {state: state[-size:] for state in race.values}, _seats(solution)
    return {
        (*at[:-seats], *(place + offset for place in at[-seats:])): (
            race.values[s],
            race.turns_found[s],
        )
        for s, at in places.items()
    }


def _guess(solution):
    """Values to begin with, whatever is in the solution, to a player who wants more; and the most that they can be."""
    alone, c = solution.objective == "turns", float(solution.objective == "win")
    most = payoffs_of(solution.game, solution.objective, solution.overshoot).most
    most = 0.0 if alone else most * (1 if c else solution.game.target)
    values = -solution.values if alone else _by_role(solution)
    return np.nan_to_num(np.clip(values, -FOREVER if alone else c - most, most)), most


def _ends(intervals):
    """The lower and the upper ends of intervals (mid, down, up)."""
    mid, down, up = np.moveaxis(intervals, -1, 0)
    return _outwards(mid - down, mid + up)


def _outwards(lower, upper):
    """Bounds that are one unit in the last place wider."""
    return np.nextafter(lower, -np.inf), np.nextafter(upper, np.inf)


def _enclose_pairs(solution):
    """The :class:`Payoffs` of all turns, where scores are all that matters."""
    game, target = solution.game, solution.game.target
    alone, c = solution.objective == "turns", float(solution.objective == "win")
    rules, size = rules_of(game), target + 1
    rules = rules._replace(cannot_finish=may_be_stuck(game)) if alone else rules
    finish = {"win": np.ones, "margin": np.arange, "turns": np.zeros}[solution.objective](size)
    rows = slice(0, 1) if alone else slice(1, size)
    hold, resets = np.zeros((rows.stop, size, 3)), np.zeros((size, 3))
    finish = finish.astype(float)
    payoffs = Payoffs(hold, resets, finish, np.zeros(size), float(solution.overshoot), c)
    after, given = hold[rows, target], resets[rows]  # reset values: as they come out, as given

    def passed(values):  # hold values from values, and back
        return np.ascontiguousarray(values.T) if alone else c - values

    values, _ = _guess(solution)
    guess = np.zeros((size, rows.stop))
    guess[1:, rows] = values[::-1, None] if alone else values[0, ::-1, ::-1]
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


def _bounds_of(solution, values):
    """The bounds of all values, from intervals of what the player wants more of."""
    lower, upper = (side.reshape(solution.values.shape) for side in _ends(values))
    if solution.objective != "turns":
        return lower, upper
    return tuple(np.where(-side > ENDLESS, np.inf, -side) for side in (upper, lower))


def _narrow(lower, upper, solution, values):
    """Replace bounds by the neighbours in float64 of exact values, those of :func:`_exact_turns`."""
    for at, (value, _) in values.items():
        near = np.nextafter(
            float(-value if solution.objective == "turns" else value), [-np.inf, np.inf]
        )
        lower[at], upper[at] = np.where(near > ENDLESS, np.inf, near)


def _widen(lower, upper, solution):
    """Widen bounds to contain values that are off by no more than 1e-12; return the indices of the others."""
    values = solution.values.astype(float)
    size = np.where(np.isfinite(lower), np.abs(lower), 0.0)
    unit = {"turns": size, "score": size, "margin": solution.game.target}.get(solution.objective, 1)
    with np.errstate(invalid="ignore"):  # infinity minus itself
        off = np.maximum(lower - values, values - upper)
    close = (off <= ACCURACY * unit) | (values == lower) | (np.isnan(lower) & np.isnan(values))
    np.minimum(lower, values, where=close, out=lower)
    np.maximum(upper, values, where=close, out=upper)
    return tuple(map(tuple, np.argwhere(~close).tolist()))


class Decision(NamedTuple):
    """One decision of a policy."""

    scores: tuple  # as in Certificate, by place in ``game.scores``
    total: int
    mode: int
    branch: int  # -1 for a decision to roll or to hold; else the number of the outcome with choices
    action: int  # whether to roll, or the number of the choice


class DecisionVerdicts:
    """How many decisions are `proven` to be optimal; the `others`, lists of :class:`Decision` by verdict."""

    def __init__(self, solution):
        self.solution, self.game, self.proven = solution, solution.game, 0
        self.others, game = {TIED: [], UNRESOLVED: [], REFUTED: []}, self.game
        self.branches = branching_outcomes(game)
        self.asked = [(m, -1) for m in range(len(game.modes))]  # mode and branch of all decisions
        self.asked += [(m, branch) for (m, _), branch in branch_index(game).items()]
        reached = game.reached()
        self.unreached = [m for m, mode in enumerate(game.modes) if mode.name not in reached]

    def classify(self, own, rules, payoffs, missing, decided, known):
        """Classify decisions at totals less than `known`, for each opponent, by intervals; return how many are proven.

        Parameters
        ----------
        own : tuple
            The own score and what stands before it, and None for the opponent's.
        rules, payoffs, missing
            Of a turn.
        decided : tuple of ndarray
            Decisions to roll, and choices.
        known : ndarray or float
        """
        taken = np.concatenate([each[: len(payoffs.hold), :, :missing] for each in decided], axis=1)
        actions = np.zeros((len(taken), len(self.asked), missing), dtype=np.uint8)
        actions[:, :, : taken.shape[2]] = taken
        found = np.zeros_like(actions)
        classify_decisions(rules, payoffs, actions, *_workspace(rules, missing), found)
        # Forced rolls above the target have values if they occur, and so have turns without a target.
        if self.game.finish in LAST_TURN or self.solution.objective == "score":
            found[:, [n for n, (m, _) in enumerate(self.asked) if m in self.unreached]] = 0
        found *= np.arange(missing) < np.reshape(known, (-1, 1, 1))
        for opponent, number, total in np.argwhere(found > PROVEN).tolist():
            at, action = (opponent, number, total), int(actions[opponent, number, total])
            scores = tuple(opponent if score is None else score for score in own)
            self.others[int(found[at])].append(Decision(scores, total, *self.asked[number], action))
        return np.count_nonzero(found == PROVEN)

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
        size, target, seats = len(scores), self.game.target, _seats(self.solution)
        return tuple(
            (
                *places[:-seats],
                *(scores[at] if at < size else target + at - size for at in places[-seats:]),
                total,
                modes[mode].name,
                *([] if branch < 0 else [str(self.branches[branch])]),
            )
            for places, total, mode, branch, _ in sorted(self.others[verdict])
        )


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
    if game.finish not in LAST_TURN:
        return _Above(0, np.zeros((len(places), 0, 3)), np.zeros(len(places)), places)
    width, registers = rules.beyond.shape[2], len(classes.mode)
    size = 2 * (game.longest + game.most_paid)
    forced = any(not mode.may_hold for mode in game.modes if mode.name in game.reached())
    beyond = above_target(game, last) + 2 * width  # by 2 rolls more than where the solver begins
    points = max(beyond, game.most_paid + 1)

    def walk(*of_last_turn):
        payoffs = _last_turn_payoffs(*of_last_turn)
        value, roll = _workspace(rules, payoffs.hold.shape[1] - 1)
        enclose_turns(rules, payoffs, 0, value, roll, np.empty((1, 3)))
        return roll[:, width - 1 :, :3]

    while True:
        chance, _ = chances_of(classes, size, last.draw, walk)
        short = OUTWARD * chance[..., [0, 2]].sum(axis=-1)
        if forced:
            points = max(points, int((short.max(axis=0) > UNLIKELY).sum()))
        if points + game.longest < size:
            break
        size *= 2
    which, needs = places % registers, game.longest - places // registers
    at = which[:, None], needs[:, None] + np.arange(points)
    likely = (short[at] > ACCURACY).sum(axis=1)
    return _Above(points, _passed(1.0, chance[at]), short[which, needs + points], likely)


def _last_turn_payoffs(draw, least, paid, behind):
    """The :class:`Payoffs` of a last turn; the arguments are those of :func:`dicelab.solvers._kernels.last_turn`."""
    hold = np.zeros((1, max(behind + 1, least) + 1, 3))
    last_turn(hold[0, :, 0], least, paid, behind, draw, 1.0)
    return Payoffs(hold, np.zeros((1, 3)), np.ones(1), np.zeros(1), 0.0, 1.0)


def _passed(constant_sum, values):
    """The intervals of c - v."""
    mid, down, up = np.moveaxis(values, -1, 0)
    error = U * (1.0 + np.abs(mid))
    return np.stack([constant_sum - mid, OUTWARD * (up + error), OUTWARD * (down + error)], axis=-1)


def _after_turn(solution, values):
    """Intervals of what a turn leaves to the player who has moved, an array (roles, rows, S, 3), from those of values.

    By the role, or the turns left, of this turn; the opponent's score, the highest first, or one row; and the place to
    which the turn has led.
    """
    if _seats(solution) == 1:
        return np.roll(values.reshape(-1, 1, *values.shape[-2:]), 1, axis=0)
    next_role = classes_of(solution.game).next_role
    return _passed(float(solution.objective == "win"), values)[next_role, ::-1]


def _position_payoffs(solution, above, after, role, own):
    """The :class:`Payoffs` of turns from one own score in one role; the rows are those of ``after[role]``."""
    game, over, after = solution.game, float(solution.overshoot), after[role]
    scores, rows, lead = scores_of(game), len(after), above.lead[::-1]
    answered = game.finish in LAST_TURN and classes_of(game).answered[role]
    finish = game.target - np.array(game.scores[::-1], float)
    if solution.objective != "margin":
        finish = np.full(rows, float(solution.objective != "turns"))
    more = int(scores.missing[own]) - (game.longest - own // scores.step)
    beyond, short, wins = above.points, above.short[::-1].copy(), lead.swapaxes(0, 1)
    if not answered:  # a hold must bank so many points beyond the target; a bust may score them
        beyond, short = more, np.zeros(rows)
        wins = np.zeros((max(more, game.most_paid) + 1, rows, 3))
        wins[..., 0] = finish + np.arange(len(wins))[:, None] * over
    barred = np.array([-np.inf, 0.0, 0.0])
    hold = hold_values(scores, own, beyond, after.swapaxes(0, 1), wins, barred).swapaxes(0, 1)
    hold, reset = map(np.ascontiguousarray, (hold, after[:, scores.begin]))
    return Payoffs(hold, reset, finish + more * over, short, over, 0.0)


def _enclose_turns_of(solution, above, threads, values, roles):
    """Intervals of turns in some roles that are followed by `values`, (roles·S, opponent's scores or 1, 3)."""
    rules, scores = rules_of(solution.game), scores_of(solution.game)
    after = _after_turn(solution, values)

    def enclose(turn):
        role, own = turn
        payoffs = _position_payoffs(solution, above, after, role, own)
        workspace = _workspace(rules, payoffs.hold.shape[1] - 1)
        found = np.empty((len(payoffs.hold), 3))
        enclose_turns(banking(rules, scores, own), payoffs, scores.mode[own], *workspace, found)
        return found[::-1]

    found = np.stack(list(threads.map(enclose, product(roles, range(values.shape[-2])))))
    if solution.objective == "turns":  # the turn is counted
        found[..., 0] -= 1.0
        found[..., 1:] = OUTWARD * (found[..., 1:] + U * (1.0 + np.abs(found[..., :1])))
    return found


def _enclose_deadline(solution, enclose):
    """Intervals of all values, (turns + 1, S, 3): those with one turn fewer are all that a turn depends on."""
    values = np.zeros((*solution.values.shape, 3))
    for left in progress(range(1, solution.turns + 1), title_of(solution.game), "turn"):
        values[left] = enclose(values[left - 1 : left + 1], [1])[:, 0]
    return values


def _enclose_positions(solution, enclose):
    """Intervals (mid, down, up) of all values, (roles, …, S, 3), that the turn operator maps into themselves."""
    game, roles = solution.game, range(len(classes_of(solution.game).next_role))
    guess, most = _guess(solution)
    values, alone, wider = np.zeros((*guess.shape, 3)), _seats(solution) == 1, 0
    stuck = stuck_places(game) if alone else np.zeros(guess.shape, dtype=bool)
    values[..., 0] = np.where(stuck, -FOREVER, guess)
    most = -guess[~stuck].min(initial=0.0) if alone else most + ACCURACY**0.5
    for _ in progress(range(PASSES), title_of(game), "pass"):
        found = enclose(values, roles).reshape(values.shape)
        found[stuck] = values[stuck]
        off = found[..., 0] - values[..., 0]
        size = -values[..., 0] if alone else 1.0
        # First let the mids settle.
        if not values[..., 1:].any() and (np.abs(off) > SETTLED * size).any():
            values[..., 0] = found[..., 0]
            continue
        needed = (
            OUTWARD * (found[..., 1:] + np.stack([-off, off], axis=-1)) + U * np.abs(off)[..., None]
        )
        if (needed <= values[..., 1:]).all():
            return values
        if alone:  # widths ε·T leave room for errors of ε in every turn
            wider = 2.0 * (wider + (needed - values[..., 1:]).max())
            values[..., 1:] = np.where(stuck, 0.0, wider * size)[..., None]
        else:  # pass 1, 2, 4, … doubles: enough if by then the widths have nearly reached a fixed point
            wider += 1
            values[..., 1:] = np.maximum(needed, 0.0) * (2.0 if wider.bit_count() == 1 else 1.0)
        if not (values.max() < most and wider < ENDLESS):
            break
    raise ConvergenceError(f"{game.name}: no bounds were found")


def _classify(solution, payoffs, above, after):
    """The :class:`DecisionVerdicts` by intervals; the arguments are what :func:`_enclose` returns."""
    game, scores, verdicts = solution.game, scores_of(solution.game), DecisionVerdicts(solution)
    for_points = solution.objective == "score"
    rules = None if for_points else rules_of(game)
    classes, last, clock = classes_of(game), last_turn_of(game), solution.turns
    roles = range(1, clock + 1) if clock else range(len(classes.next_role))
    places = range(scores.step if for_points else len(game.scores))

    def find_break_even(row):
        break_even_values(rules, payoffs, row, _workspace(rules, game.target)[0])

    def classify(role, own):
        known, missing = np.inf, int(scores.missing[own])
        if for_points:  # beyond the target the policy does not decide
            known, (turn, now) = game.longest, after[own]
        else:
            turn = banking(rules, scores, own)
            now = payoffs or _position_payoffs(solution, above, after, role, own)
        if not payoffs:
            missing = now.hold.shape[1] - 1
        if game.finish in LAST_TURN and classes.answered[role]:
            need = game.longest - own // scores.step
            known = np.maximum(need + np.minimum(last.cut, above.likely), scores.least_hold[own])
        policy, several = solution.policy, clock or roles[1:]
        if several:
            policy = policy.when(**{"turns_left" if clock else "role": role})
        at = () if for_points and not game.registers else (own,)
        return verdicts.classify(
            (*[role] * bool(several), *at, *[None] * (_seats(solution) - 1)),
            turn,
            now,
            missing,
            policy.actions_at(game, game.scores[own]),
            known,
        )

    def classify_last(own):
        proven, score, least = 0, game.scores[own], int(scores.least_hold[own])
        beaten = min(above_target(game, last) + rules.beyond.shape[2], int(above.likely[own]))
        check_memory(
            beaten * (beaten + game.longest) * (len(game.modes) + len(verdicts.branches)),
            f"the last turns of {game.name} to {game.target}",
            "take another finish",
        )
        decided = solution.policy.last_turn_at(game, score, beaten)
        for more in range(beaten):
            behind, paid = int(game.target - score) + more, game.register(score).pays
            now = _last_turn_payoffs(last.draw, least, paid, behind)
            proven += verdicts.classify(
                (*roles[1:], own, len(places) + more),
                rules,
                now,
                now.hold.shape[1] - 1,
                [each[more : more + 1] for each in decided],
                np.inf,
            )
        return proven

    with ThreadPoolExecutor(THREADS) as threads:
        if payoffs and rules.all_hold and rules.skips:
            payoffs = payoffs._replace(break_even=np.empty(payoffs.hold.shape[:2]))
            list(threads.map(find_break_even, range(len(payoffs.hold))))
        for role in roles:
            verdicts.proven += sum(threads.map(partial(classify, role), places))
        if game.finish in LAST_TURN:
            verdicts.proven += sum(threads.map(classify_last, places))
    return verdicts


def _exact_actions(solution, settle, solved, unresolved):
    """:func:`_exact_turns`; and the exact values of a decision's actions, a function, which may return None.

    Where turns never lead back to lower scores, a smaller target is enough for scores near to it. The turns are all
    that are known with registers, a last turn or a deadline, and otherwise those at the scores of the decisions.
    """
    if solution.objective == "score":
        return {}, _exact_points(solution.game.until_change, min(d.total for d in unresolved))
    game, places, seats = solution.game, len(solution.game.scores), _seats(solution)
    limit = settle if seats == 2 else settle**2
    back = game.resets or game.lowest < 0 or game.has_penalties
    missing = {
        at: game.longest - (0 if back else min(at[-seats:]) // scores_of(game).step)
        for at in {decision.scores for decision in unresolved}
    }
    near = {at for at, points in missing.items() if points * (solution.turns or 1) <= limit}
    if near and solved is None:
        least = max((register.least_hold for register in game.registers), default=1)
        nearest = max(least, *(missing[at] for at in near))
        solved = _solve_exactly(solution, game if back else replace(game, target=nearest))
    if not near or solved is None:
        return {}, lambda decision: None
    found = _exact_turns(solution, solved)

    @cache
    def turn_at(at):
        if at[-1] >= places:
            return solved.last_turn(at[-2] - places + len(solved.game.scores), at[-1] - places)
        return found[at][1]

    def action_values(decision):
        if decision.scores not in near:
            return None
        turn = turn_at(decision.scores)
        r = turn.missing - decision.total
        return turn.action_values(r, decision.mode, decision.branch) if r >= turn.start else None

    known = found if _has_classes(solution) else near
    return {at: found[at] for at in known}, action_values


def _turn_for_points(game, f):
    """The rules and the :class:`Payoffs` of a turn for its points, of a player in a register, for "score".

    It ends a point behind the threshold, so that decisions there are classified, too.
    """
    registers, most = held_from(game)
    pays, least, missing = registers[f].pays, registers[f].least_hold, most + 1
    hold = np.zeros((1, missing + 1, 3))
    hold[0, :, 0] = np.arange(missing, -1, -1)
    hold[0, missing + 1 - least :, 0] = -np.inf
    hold[0, missing, 0] = pays
    payoffs = Payoffs(hold, np.zeros((1, 3)), np.full(1, float(missing)), np.zeros(1), 1.0, 0.0)
    return turn_rules(one_turn(game, missing), pays), payoffs


def _enclose_turn(game, rules, payoffs):
    """Intervals of the values of "score", (K + 1, M, 3), from what :func:`_turn_for_points` returns."""
    value, roll = _workspace(rules, payoffs.hold.shape[1] - 1)
    enclose_turns(rules, payoffs, 0, value, roll, np.empty((1, 3)))
    by_total = value[:, : rules.beyond.shape[2] - 1 : -1, :3].transpose(1, 0, 2)
    by_total[:, [mode.name not in game.reached() for mode in game.modes]] = np.nan
    return by_total


def _exact_points(game, lowest):
    """The exact values of a decision's actions in "score", a function, at totals from `lowest` on."""
    registers, most = held_from(game)

    @cache
    def turn_of(f=0):
        each = registers[f]
        bounded = one_turn(game, most)
        return score_turn(bounded, each.least_hold, each.pays, exact=True, lowest=lowest)[-2:]

    def action_values(decision):
        value, rolled = turn_of(*decision.scores)
        if decision.branch < 0:
            return [decision.total, rolled[decision.mode, decision.total - lowest]]
        choices = branching_outcomes(game)[decision.branch].choices
        return [value[game.mode(c.mode), decision.total - lowest + c.points] for c in choices]

    return action_values
