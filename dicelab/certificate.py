"""Certificates: two-sided bounds on every value of a float64 solution, and a verdict on every decision.

The rules are solved once more, with a radius beside every number (:mod:`dicelab.enclosure`). What the solution says is
used as a first guess only, and is then held against the bounds. Where every mode allows a hold, few totals of a turn
are walked, some 45 at a time for Pig to 2000; and unless the target must be hit exactly, the verdict on nearly all of
the N³ / 2 decisions is a comparison.

**Resets.** What they are worth is given a radius at the outset. If all of the values that follow a reset come out
with no larger ones, the box of all values is mapped into itself, and holds the solution by the argument for one pair.
Else the radii are enlarged.

**Decisions.** With the bounds of all values known, rolling and holding are compared once more, as are choices.
An advantage larger than both radii is proven. Where it is not, and the game to the points that are missing there is
small enough to be solved in fractions, these decide.

**Waiting.** Where a player who could finish may wait for ever, the Bellman equation can have many solutions, and bounds
of one of them prove nothing. Such races are held against the exact solution, as far as they are small enough.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from fractions import Fraction

import numpy as np
from tqdm import tqdm

from .doors import as_whole, refusal
from .enclosure import MORE, MOST, PROVEN, REFUTED, UNRESOLVED, enclose_antidiagonal, judge, temptations
from .ends import ENDLESS, FOREVER
from .exact import sweep_exactly
from .exact_turn import Number, Numbers, Turn, Worths
from .memory import check_memory
from .policies import Solution
from .race import ConvergenceError, progress, stakes_of
from .solitaire import far_out, one_turn, threshold, turn_rules
from .turn import rules_of

__all__ = ["Certificate", "bounds", "certify"]

ROUNDS, THREADS = 60, 2
ACCURACY = 1e-12
TIED = 0
SETTLE = 30  # points missing up to which decisions are settled in fractions


@dataclass(frozen=True, eq=False)
class Certificate:
    """What is proven of a solution.

    A decision to roll or to hold is (own, opponent, turn total, mode), a choice after a roll has the outcome as fifth.
    There is no opponent in "turns", and there are no scores in "score".

    Attributes
    ----------
    solution : Solution
    lower, upper : ndarray
        Bounds on the true values, in the shape of ``solution.values``. Widened, where need be, to contain what the
        solution says, if that is off by no more than float64's 1e-12 (of a target for "margin", relatively for "turns"
        and "score").
    proven : int
        How many decisions are proven to be optimal.
    ties : tuple
        Decisions that are exactly as good as another one, proven in fractions.
    unresolved : tuple
        Decisions of which nothing is proven.
    refuted : tuple
        Decisions that are proven to be wrong.
    outside : tuple
        Indices of values that are proven to be wrong: outside of their bounds, by more than 1e-12.
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
    def width(self):
        """The largest distance of two bounds, in the unit of the values."""
        finite = np.isfinite(self.upper)
        return float((self.upper[finite] - self.lower[finite]).max(initial=0.0))

    @property
    def optimal(self):
        """Whether all is proven: every value lies within its bounds, and every decision is optimal."""
        return not (self.unresolved or self.refuted or self.outside)

    def __str__(self):
        """The certificate in words."""
        game, wrong = self.solution.game, len(self.outside)
        found = f"{self.proven:,} decisions proven optimal, {len(self.ties):,} exact ties, "
        found += f"{len(self.unresolved):,} unresolved, {len(self.refuted):,} refuted"
        values = f"{wrong:,} values outside of their bounds" if wrong else f"values within {self.width:.1e}"
        return f"{game.name} to {game.target}, {self.solution.objective!r}: {values}; {found}"


def certify(solution, settle=SETTLE):
    """Prove a float64 solution: bounds on every value, and a verdict on every decision.

    Parameters
    ----------
    solution : Solution
        With float64 values, of any game and objective, but not a best response.
    settle : int
        Decisions that bounds cannot tell apart are settled in fractions if no more points than this are missing there;
        in a game with resets, if the target is no larger. In "turns", where there is no opponent, the square of it
        counts; in "score" they always are settled.

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
    settle = as_whole(settle, "settle", 0)
    _check(solution, "a certificate", 140)
    if solution.objective == "score":
        lower, upper, found = _judge_turn(solution)
    elif _may_stall(solution):
        lower, upper, found = _in_fractions(solution, settle)
    else:
        worths = _enclose(solution)
        (lower, upper), found = _sides(solution, worths[0]), _judge_race(solution, *worths)
    found.settle(solution, settle)
    for scores, value in found.values.items():
        value = float(-value if solution.objective == "turns" else value)
        lower[scores], upper[scores] = _or_endless(np.nextafter(value, [-np.inf, np.inf]))
    size = np.where(np.isfinite(lower), np.abs(lower), 0.0)
    unit = {"win": 1, "margin": solution.game.target}.get(solution.objective, size)
    with np.errstate(invalid="ignore"):  # infinity minus itself
        off = np.maximum(lower - solution.values, solution.values - upper)
    close = (
        (off <= ACCURACY * unit)
        | (solution.values == lower)
        | (np.isnan(lower) & np.isnan(solution.values.astype(float)))
    )
    np.minimum(lower, solution.values, where=close, out=lower)
    np.maximum(upper, solution.values, where=close, out=upper)
    outside = np.argwhere(~close).tolist()
    lists = (found.named(verdict) for verdict in (TIED, UNRESOLVED, REFUTED))
    return Certificate(solution, lower, upper, found.proven, *lists, tuple(map(tuple, outside)))


def bounds(solution):
    """Two-sided bounds on every value of a float64 solution; of its decisions nothing is said.

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
        raise refusal("solution", solution, "of the objective 'win', 'margin' or 'turns'; certify takes it")
    if _may_stall(solution):
        lower, upper, _ = _in_fractions(solution, SETTLE)
        return lower, upper
    return _sides(solution, _enclose(solution)[0])


def _check(solution, what, each):
    """Refuse what is no float64 solution, has too many outcomes, or is too large at `each` bytes a value."""
    if not isinstance(solution, Solution) or solution.exact or solution.against is not None:
        raise refusal("solution", solution, "what solve returns with exact=False")
    outcomes = max(len(mode.outcomes) for mode in solution.game.modes)
    if outcomes > MOST:
        raise ValueError(f"solution: {outcomes:,} outcomes of a roll are not allowed; bounds are proven up to {MOST:,}")
    said = f"{what} of {solution.game.name} to {solution.game.target}"
    check_memory(each * max(solution.values.size, solution.game.target), said, "take a smaller target")


def _stakes(solution):
    """What both players' values sum to, what the finish is worth, by the opponent's needs, and a point beyond."""
    needs = np.arange(solution.game.target + 1)
    finish = {"win": np.ones, "margin": np.arange, "turns": np.zeros}[solution.objective](len(needs)).astype(float)
    return float(solution.objective == "win"), finish, float(solution.overshoot)


def _or_endless(turns):
    """Infinity for what stands for it."""
    return np.where(turns > ENDLESS, np.inf, turns)


def _sides(solution, hold):
    """The bounds of all values, from the intervals of what passing the die is worth."""
    if solution.objective == "turns":  # minus what is worth most: FOREVER, if the play never ends
        mid, down, up = hold[0, :0:-1].T
        return _or_endless(np.nextafter(-mid - up, -np.inf)), _or_endless(np.nextafter(-mid + down, np.inf))
    both, (mid, down, up) = _stakes(solution)[0], np.moveaxis(hold[:0:-1, :0:-1], 2, 0)
    sides = np.add(mid, up), np.subtract(mid, down)
    for side, outwards in zip(sides, (np.inf, -np.inf), strict=True):  # in place, as these may be large
        np.nextafter(side, outwards, out=side)
        np.subtract(both, side, out=side)
        np.nextafter(side, -outwards, out=side)
    return sides


def _may_stall(solution):
    """Whether there may be other solutions of the Bellman equation than the value."""
    return solution.objective in ("win", "margin") and rules_of(solution.game).may_stall


def _in_fractions(solution, most):
    """The bounds of all values, from the exact ones, and a race's decisions, all of them still to be settled."""
    game, target = solution.game, solution.game.target
    if target > most:
        said = f"a player may wait for ever, and then only fractions prove anything, up to a target of {most}"
        raise ConvergenceError(f"{game.name}: {said}")
    sweep, found = sweep_exactly(game, solution.objective, solution.overshoot), Found(game)
    exact = np.empty((2, target, target))
    for (a, b), value in sweep.values.items():
        exact[:, target - a, target - b] = np.nextafter(float(value), [-np.inf, np.inf])
    for own in range(target):
        rolls, takes = solution.policy.both(game, own)
        for opponent, m, total in np.ndindex(target, len(game.modes), target - own):
            if total and game.modes[m].may_hold:
                decision = bool(rolls[opponent, m, total])
                found.entries.append((UNRESOLVED, (own, opponent), total, m, None, decision))
        for opponent, number, total in np.ndindex(target, len(found.branches), target - own):
            decision, mode = int(takes[opponent, number, total]), found.branches[number][0]
            found.entries.append((UNRESOLVED, (own, opponent), total, mode, number, decision))
    return *exact, found


def _judge_race(solution, hold, resets):
    """What is known of the decisions; objectives "win", "margin" and "turns"."""
    game, target, alone = solution.game, solution.game.target, solution.objective == "turns"
    rules, found, (_, finish, over) = rules_of(game), Found(game), _stakes(solution)
    tempting = np.empty(hold.shape[:2] if rules.all_hold and rules.skips else (len(hold), 0))

    def tempted(b):
        temptations(rules, hold[b], resets[b], finish[b], over, scratch(rules, target)[0], tempting[b])

    def judged(own):
        decided, one = solution.policy.both(game, own), Found(game)
        opponents = slice(1 if alone else target)
        rolls, takes = (each[opponents, :, : target - own] for each in decided)
        one.add((own,), not alone, (rules, hold, resets, finish, over), rolls, takes, tempting, scratch(rules, target))
        return one

    with ThreadPoolExecutor(THREADS) as threads:
        list(threads.map(tempted, range(len(hold)) if tempting.size else ()))
        for one in threads.map(judged, range(target)):
            found.proven += one.proven
            found.entries += one.entries
    return found


def _judge_turn(solution):
    """The bounds of all values, and what is known of the decisions, for the objective "score"."""
    most = threshold(solution.game) + 1  # the threshold itself is judged, too
    game, known = one_turn(solution.game, most), min(most, solution.game.target)
    rules, hold, found = turn_rules(game), np.zeros((most + 1, 3)), Found(solution.game)
    hold[:, 0] = most - np.arange(most + 1)
    rolls = np.ones((len(game.modes), most), dtype=bool)
    takes = np.zeros((len(found.branches), most), dtype=np.uint8)
    decided = solution.policy.both(solution.game, 0)
    rolls[:, :known], takes[:, :known] = decided[0][0, :, :known], decided[1][0, :, :known]
    arrays = scratch(rules, most)
    worths = rules, hold[None], np.zeros((1, 3)), np.full(1, float(most)), 1.0
    found.add((), False, worths, rolls[None], takes[None], np.empty((1, 0)), arrays, known)
    by_total = slice(game.most_points - 1 + most, game.most_points - 2 if game.most_points > 1 else None, -1)
    mid, down, up = np.moveaxis(arrays[0][:, by_total, :3].swapaxes(0, 1)[:-1], 2, 0)
    reached = {game.mode(name) for name in game.reached()}  # of others nothing is said
    found.entries = [entry for entry in found.entries if entry[3] in reached]
    mid[:, [m for m in range(len(game.modes)) if m not in reached]] = np.nan
    return np.nextafter(mid - down, -np.inf), np.nextafter(mid + up, np.inf), found


def scratch(rules, target):
    """Arrays for :func:`enclose_turn`: value and roll for a turn with at most `target` points missing."""
    _, modes, width, _ = rules.beyond.shape
    return tuple(np.empty((2, modes, width + target, 5)))


def _enclose(solution):
    """The intervals of what passing the die is worth (alone, of what the states are), and of what a reset is worth."""
    game, target, alone, stakes = solution.game, solution.game.target, solution.objective == "turns", _stakes(solution)
    rules, size = rules_of(game), target + 1
    others = 1 if alone else size
    guess, hold, resets = np.zeros((size, others)), np.zeros((others, size, 3)), np.zeros((size, 3))
    if alone:
        guess[1:, 0] = np.nan_to_num(np.clip(-solution.values[::-1], -FOREVER, 0.0))
    else:
        most = stakes_of(game, solution.objective, solution.overshoot).most * (1 if stakes[0] else target)
        guess[1:, 1:] = np.nan_to_num(np.clip(solution.values[::-1, ::-1], stakes[0] - most, most))
    start = (slice(0, 1), target) if alone else (slice(1, None), target)  # what follows a reset, by b
    if game.resets:
        resets[start[0], 0] = guess[target, :1] if alone else stakes[0] - guess[start]
    decided = solution.objective == "win" and game.finish == "reach" and not game.resets
    scratches = [scratch(rules, target) for _ in range(THREADS)]
    totals = range(1, size) if alone else range(2, 2 * target + 1)
    with ThreadPoolExecutor(THREADS) as threads:
        for _ in range(ROUNDS):
            walks = np.ones(size, dtype=np.int64), np.full(size, np.inf)
            for total in progress(totals, game, "diagonal"):
                shared = THREADS, guess, (hold, resets), stakes, alone, decided, walks
                parts = [
                    threads.submit(enclose_antidiagonal, rules, total, k, *shared, *s) for k, s in enumerate(scratches)
                ]
                for part in parts:
                    part.result()
            if not np.isfinite(hold).all():
                break
            off, given = np.abs(hold[start][:, 0] - resets[start[0], 0]), resets[start[0], 1:]
            needed = MORE * (off[:, None] + hold[start][:, 1:])
            if not game.resets or (needed <= given).all():
                return hold, resets
            guess = hold[..., 0].T.copy() if alone else stakes[0] - hold[..., 0]
            if off.max() > 1e-13 * max(1.0, np.abs(resets[:, 0]).max()):
                resets[start[0]] = 0.0
                resets[start[0], 0] = hold[start][:, 0]
            elif not given.any():
                least = needed.max()
                resets[start[0], 1:] = 1.5 * least
            else:
                grows = min((needed.max() - least) / given.max(), 0.999)
                resets[start[0], 1:] = max(1.2 * least / (1 - grows), 1.5 * given.max())
    raise ConvergenceError(f"{game.name}: no bounds were found")


class Found:
    """What is known of decisions, collected turn by turn.

    Attributes
    ----------
    proven : int
        How many are proven to be optimal.
    entries : list of (verdict, scores, turn total, mode, branch, decision)
        The others. Of a decision to roll or to hold the branch is None and the decision a bool; of a choice after a
        roll it is the number of the outcome, and the decision is the number of the choice.
    values : dict
        Exact values, by scores, that settling has found.
    """

    def __init__(self, game):
        self.game, self.proven, self.entries, self.values = game, 0, [], {}
        self.branches = [(m, o) for m, mode in enumerate(game.modes) for o in mode.outcomes if len(o.choices) > 1]

    def add(self, scores, opponents, worths, rolls, takes, tempting, arrays, known=None):
        """Judge decisions at totals less than `known`, at `scores` and, if there are `opponents`, at each of theirs."""
        rolls, takes = np.ascontiguousarray(rolls), np.ascontiguousarray(takes)
        said, chosen = np.zeros(rolls.shape, dtype=np.uint8), np.zeros(takes.shape, dtype=np.uint8)
        judge(*worths, rolls, takes, tempting, *arrays, said, chosen)
        for verdicts, decisions in ((said[..., :known], rolls), (chosen[..., :known], takes)):
            self.proven += np.count_nonzero(verdicts == PROVEN)
            found = np.nonzero(verdicts > PROVEN)
            told = zip(*(each.tolist() for each in (verdicts[found], *found, decisions[found])), strict=True)
            for verdict, opponent, number, total, decision in told:
                where = (*scores, opponent) if opponents else scores
                mode, branch = (number, None) if decisions is rolls else (self.branches[number][0], number)
                self.entries.append((verdict, where, total, mode, branch, decision))

    def named(self, verdict):
        """The decisions with one verdict, as a :class:`Certificate` gives them, a sorted tuple."""
        return tuple(
            (*scores, total, self.game.modes[mode].name, *([] if branch is None else [str(self.branches[branch][1])]))
            for _, scores, total, mode, branch, _ in sorted(
                (entry for entry in self.entries if entry[0] == verdict), key=lambda entry: entry[1:4]
            )
        )

    def settle(self, solution, limit):
        """Settle what is unresolved in fractions, as far as `limit` allows."""
        unresolved = {entry[1] for entry in self.entries if entry[0] == UNRESOLVED}
        turns, self.values = exact_turns(solution, unresolved, limit) if unresolved else ({}, {})
        entries, self.entries = self.entries, []
        said = f"{solution.game.name}, decisions in fractions"
        for verdict, scores, total, *decision in tqdm(entries, said, leave=False, delay=2):
            if verdict == UNRESOLVED and scores in turns:
                verdict = exact_verdict(turns[scores], turns[scores].missing - total, *decision)
            if verdict == PROVEN:
                self.proven += 1
            else:
                self.entries.append((verdict, scores, total, *decision))


def exact_turns(solution, scores, limit):
    """The exact turns, and values, at those of the scores where few enough points are missing: two dicts."""
    game, target = solution.game, solution.game.target
    if solution.objective == "score":
        most = threshold(game) + 1
        worths = Worths([Number(most - r) for r in range(most + 1)], *map(Number, (0, 0, most, 1)))
        turn = one_turn(game, most)
        numbers = Numbers(turn, turn_rules(turn), [[_past(*line, turn.most_points) for line in far_out(turn).lines]])
        return {(): Turn(numbers, worths, most - np.arange(most + 1.0), most)}, {}
    missing = {at: target if game.resets else target - min(at) for at in scores}
    limit = limit**2 if solution.objective == "turns" else limit
    size = max((needs for needs in missing.values() if needs <= limit), default=0)
    if size == 0:
        return {}, {}
    sweep = sweep_exactly(replace(game, target=size), solution.objective, solution.overshoot)
    needs = {at: (target - at[0], target - at[1] if at[1:] else 0) for at in scores if missing[at] <= limit}
    turns = {at: sweep.turn(a, b, sweep.rows[b][a]) for at, (a, b) in needs.items()}
    return turns, {at: sweep.values[need] for at, need in needs.items()}


def _past(slope, start, width):
    """How a turn ends beyond the threshold, by points missing; see :func:`dicelab.finish.beyond_target`."""
    return [(slope, Fraction(0), start - r * slope) for r in range(1 - width, 1)]


def exact_verdict(turn, r, mode, branch, decision):
    """PROVEN, TIED or REFUTED, in fractions, for a decision with `r` points missing."""
    if branch is None:
        gain = turn.ends(mode, r).worth(turn.worths) - turn.worths.hold[r]
        return TIED if gain == 0 else PROVEN if (gain > 0) == decision else REFUTED
    worths = [turn.worth(onward, r - points) for onward, points in turn.rules.branches[branch]]
    if worths[decision] < max(worths):
        return REFUTED
    return TIED if worths.count(max(worths)) > 1 else PROVEN
