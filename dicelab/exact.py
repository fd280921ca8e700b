"""The same solutions in rational arithmetic.

A turn played by known decisions ends in a hold with r points missing with probability q(r), at the finish with
probability q(0), and in a bust with the rest, β. These are small fractions that no value enters, so that one pair of
scores (a, b) is

    x = α + β·(1 - y),   α = q(0) + Σ q(r)·(1 - V(b, r)),        and likewise   y = α' + β'·(1 - x),

two linear equations in x = V(a, b) and y = V(b, a), solved in Fractions.

**Which decisions.** The compiled turn operator proposes them. It is fed correctly rounded values, and every step
rounds at most K + 4 times a number in [0, 1], K being the outcomes of a roll; so its values are within
``missing``·(K + 4)·2⁻⁵³ of the exact ones. An advantage larger than twice that is certain. Smaller ones are settled
by comparing the two fractions, from the target backwards, so that all decisions further on are settled already.

**When it stops.** When the decisions that are optimal against (x, y) are those that (x, y) was computed from: then
the Bellman equation holds exactly. Each round is a step of strategy iteration, begun at the float64 solution.
"""

from collections import defaultdict
from fractions import Fraction
from functools import partial
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from .finish import beyond_target, hopeless
from .games import Game
from .policies import OptimalPolicy, Solution, branching
from .race import ConvergenceError, scratch, skip_nothing, solve_race
from .turn import rules_of, walk

__all__ = ["Ends", "solve_race_exactly"]

MAX_ROUNDS = 50


class Ends(NamedTuple):
    """How a turn ends: the probabilities of a hold by points missing (0 is the finish), and of a bust."""

    holds: dict[int, Fraction]
    bust: Fraction

    def worth(self, hold, bust):
        """The expected worth of the turn, given ``hold[r]`` (``hold[0]`` is the finish) and what a bust is worth."""
        return sum((q * hold[r] for r, q in self.holds.items()), self.bust * bust)


class Turn:
    """The exactly optimal decisions of one turn that starts with `missing` points to go.

    Parameters
    ----------
    game : Game
    hold : sequence of Fraction
        ``hold[r]`` is what a hold with r points missing is worth; ``hold[0]`` is what the finish is worth.
    nearest : ndarray
        The same, rounded to float64.
    bust : Fraction
        What a bust is worth.
    missing : int

    Attributes
    ----------
    rolls : ndarray of bool, (modes, missing)
        Whether to roll with r points missing.
    takes : dict
        The choice taken, by (outcome, points missing before the roll), where there is more than one.
    ties : list
        Pairs (points missing, mode index) at which rolling is worth exactly the same as holding.
    """

    def __init__(self, game: Game, hold, nearest, bust, missing):
        self.game, self.hold, self.bust, self.missing = game, hold, bust, missing
        (self.beyond,) = beyond_target(game)
        self.width = game.most_points
        rules = rules_of(game)
        value, _, roll = arrays = scratch(rules, missing)
        walk(rules, nearest, *skip_nothing(missing), float(bust), 0.0, float(hold[0]), 0.0, missing, *arrays)
        outcomes = max(len(mode.outcomes) for mode in game.modes)
        margin = 2 * missing * (outcomes + 4) * 2.0**-53
        advantage = roll[:, self.width : self.width + missing - 1] - nearest[1:missing]
        self.rolls = np.column_stack([np.zeros(len(game.modes), dtype=bool), advantage > 0])
        self.rolls[[not mode.may_hold for mode in game.modes], 1:] = True
        self.takes, self.ties = {}, []
        unsure = {int(r) for r in np.flatnonzero((np.abs(advantage) <= margin).any(axis=0)) + 1}
        branching = any(len(outcome.choices) > 1 for mode in game.modes for outcome in mode.outcomes)
        for r in range(1, missing + 1) if branching else sorted(unsure):
            for index, mode in enumerate(game.modes):
                for outcome in mode.outcomes if branching else ():
                    if len(outcome.choices) > 1:
                        self.takes[outcome, r] = self._best_choice(outcome, r, value, margin)
                if r in unsure and mode.may_hold and abs(advantage[index, r - 1]) <= margin:
                    gain = self.ends(index, r).worth(hold, bust) - hold[r]
                    self.rolls[index, r] = gain > 0
                    if gain == 0:
                        self.ties.append((r, index))

    def _best_choice(self, outcome, r, value, margin):
        """The first of the best choices of `outcome`, rolled with `r` points missing."""
        near = [value[self.game.mode(c.mode), self.width - 1 + r - c.points] for c in outcome.choices]
        candidates = [c for c, worth in zip(outcome.choices, near, strict=True) if worth >= max(near) - margin]
        if len(candidates) == 1:
            return candidates[0]
        return max(candidates, key=lambda c: self.worth(self.game.mode(c.mode), r - c.points))

    def worth(self, mode, r):
        """W(m, r), a Fraction, by the decisions found so far."""
        if r <= 0:
            chance, *_ = self.beyond[mode][r - 1]
            return chance * self.hold[0] + (1 - chance) * self.bust
        return self.ends(mode, r).worth(self.hold, self.bust) if self.rolls[mode, r] else self.hold[r]

    def ends(self, mode=0, r=None):
        """How a turn ends that rolls in `mode` with `r` points missing; by default, a whole turn. See :class:`Ends`."""
        start = self.missing if r is None else r
        going, holds, bust = defaultdict(Fraction, {(start, mode): Fraction(1)}), defaultdict(Fraction), Fraction(0)
        for left in range(start, 0, -1):
            for index, here in enumerate(self.game.modes):
                mass = going.pop((left, index), None)
                for outcome in here.outcomes if mass else ():
                    q = mass * outcome.probability
                    if not outcome.choices:
                        bust += q
                        continue
                    taken = self.takes.get((outcome, left), outcome.choices[0])
                    after, onward = left - taken.points, self.game.mode(taken.mode)
                    if after <= 0:
                        chance, *_ = self.beyond[onward][after - 1]
                        holds[0] += q * chance
                        bust += q * (1 - chance)
                    elif self.rolls[onward, after]:
                        going[after, onward] += q
                    else:
                        holds[after] += q
        return Ends(dict(holds), bust)

    def same_decisions(self, other):
        """Whether `other` decides alike everywhere."""
        return np.array_equal(self.rolls, other.rolls) and self.takes == other.takes


class Table:
    """V in Fractions as far as known, by points missing: row b is for turns against an opponent who needs b."""

    def __init__(self, game):
        self.game, self.hopeless = game, hopeless(game)
        self.hold = [[Fraction(1)] + [None] * game.target for _ in range(game.target + 1)]
        self.nearest = np.ones((game.target + 1, game.target + 1))

    def record(self, a, b, value):
        """V(a, b) = `value`: a hold by the opponent with a points missing, against b, is worth 1 - V(a, b)."""
        self.hold[a][b] = 1 - value
        self.nearest[a, b] = float(1 - value)

    def turn(self, a, b, bust):
        """The optimal turn of a player who needs a against one who needs b, a bust being worth `bust`."""
        return Turn(self.game, self.hold[b], self.nearest[b], bust, a)

    def solve_pair(self, a, b, x, y):
        """V(a, b) and V(b, a), Fractions, from the guesses x and y, and the two optimal turns."""
        if self.hopeless[a] and self.hopeless[b]:
            draw = Fraction(1, 2)
            return draw, draw, self.turn(a, b, draw), self.turn(b, a, draw)
        first = second = None
        for _ in range(MAX_ROUNDS):
            mine, theirs = self.turn(a, b, 1 - y), self.turn(b, a, 1 - x)
            if first is not None and mine.same_decisions(first) and theirs.same_decisions(second):
                return x, y, mine, theirs
            first, second = mine, theirs
            my_ends, their_ends = mine.ends(), theirs.ends()
            alpha, beta = my_ends.worth(mine.hold, 0), my_ends.bust
            alpha_other, beta_other = their_ends.worth(theirs.hold, 0), their_ends.bust
            x = (alpha + beta * (1 - alpha_other - beta_other)) / (1 - beta * beta_other)
            y = alpha_other + beta_other * (1 - x)
        raise ConvergenceError(f"{self.game.name}: strategy iteration did not settle the pair {a}, {b}")


def solve_race_exactly(game):
    """Maximise the probability of winning the race, in Fractions; see :func:`dicelab.solve`.

    Returns
    -------
    Solution
        With ``exact=True``, residual 0, and the exact ties.

    Raises
    ------
    ConvergenceError
        If the decisions of a pair do not settle.
    NotImplementedError
        If the game has resets.
    """
    if game.resets:
        raise NotImplementedError(f"{game.name} has resets; in fractions only games without are solved")
    start, target, table = solve_race(game), game.target, Table(game)
    values = np.empty((target, target), dtype=object)
    ties = []
    pairs = [
        (a, total - a) for total in range(2, 2 * target + 1) for a in range(max(1, total - target), total // 2 + 1)
    ]
    for a, b in tqdm(pairs, desc=f"{game.name} to {target}, exactly", unit="pair", delay=2, leave=False):
        guess = (Fraction(start.values[target - own, target - other]) for own, other in ((a, b), (b, a)))
        x, y, mine, theirs = table.solve_pair(a, b, *guess)
        for own, other, value, turn in [(a, b, x, mine), (b, a, y, theirs)][: 1 + (a != b)]:
            table.record(own, other, value)
            values[target - own, target - other] = value
            ties += [(target - own, target - other, own - r, game.modes[mode].name) for r, mode in turn.ties]
    policy = OptimalPolicy(game, partial(_decide, table))
    return Solution(game, "win", values, policy, True, Fraction(0), 0.0, tuple(sorted(ties)))


def _decide(table, pairs, rolls, takes):
    """Fill in the decisions, exactly; see :func:`dicelab.race.decide`."""
    target, outcomes = table.game.target, branching(table.game)
    rolls[:, :, 0] = True
    for decided, taken, (own, opponent) in zip(rolls, takes, pairs.tolist(), strict=True):
        a, b = target - own, target - opponent
        turn = table.turn(a, b, table.hold[b][a])
        decided[:, 1:a] = turn.rolls[:, :0:-1]
        for number, outcome in enumerate(outcomes[: len(taken)]):
            taken[number, :a] = [outcome.choices.index(turn.takes[outcome, r]) for r in range(a, 0, -1)]
