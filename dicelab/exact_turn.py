"""One turn in rational arithmetic: what it decides, and how it ends.

A turn played by known decisions ends in a hold with r points missing, at the finish, in a reset or in a bust, with
probabilities that are small fractions, as no value enters them (:class:`Ends`).

**Which decisions.** The compiled turn operator proposes them, fed with values rounded to float64 (to within a unit in
the last place). A step of it rounds at most K + 9 times, K being the outcomes of a roll, a number of at most the
largest worth, or, where nothing is worth less than 0, of at most the result and the bust value; so its values are
within ``missing``·(K + 9)·2⁻⁵³ of that. An advantage larger than twice this is certain. Smaller ones are settled by
comparing the two fractions, from the target backwards, so that all decisions further on are settled already. Of
actions whose values are equal the one is taken that a second opinion prefers, if there is one (:mod:`dicelab.race`).

gmpy2 is used for the fractions if it is installed (``pip install dicelab[exact]``), and Python's own otherwise.
"""

from collections import defaultdict
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from .finish import beyond_target
from .games import BUST, RESET
from .pairs import scratch
from .turn import rules_of, walk

try:
    from gmpy2 import mpq as Number
except ImportError:
    Number = Fraction

__all__ = ["Ends", "Number", "Numbers", "Turn", "Worths"]


class Worths(NamedTuple):
    """What the ends of a turn are worth."""

    hold: list  # by points missing; hold[0] is not used
    bust: Number
    reset: Number
    finish: Number
    over: Number  # a point beyond the target


class Ends(NamedTuple):
    """How a turn ends: probabilities, those of a hold by points missing, and the expected points beyond the target."""

    holds: dict
    bust: Number
    reset: Number
    finish: Number
    over: Number

    def worth(self, worths):
        """The expected worth of the turn."""
        held = sum(q * worths.hold[r] for r, q in self.holds.items())
        rest = zip(self[1:], worths[1:], strict=True)
        return held + sum(q * worth for q, worth in rest if q)


class Numbers:
    """The rules of a game in Numbers, and what else every turn needs of them; `kernel` and `ways` may be given.

    Attributes
    ----------
    modes : list
        By mode: the chances to bust and to reset, and for each outcome with choices (chance, choices, number of the
        branch or None), a choice being (index of the next mode, points).
    branches : list
        The choices of every outcome with more than one; in the order of :func:`dicelab.policies.branching`.
    ways : list
        How a turn ends beyond the target; see :func:`dicelab.finish.beyond_target`.
    forced : list of bool
        The modes without a hold.
    width : int
        The most points of a roll.
    kernel : Rules
        The same for :func:`dicelab.turn.walk`.
    """

    def __init__(self, game, kernel=None, ways=None):
        self.modes, self.branches = [], []
        for mode in game.modes:
            moves = []
            for outcome in (outcome for outcome in mode.outcomes if outcome.choices):
                choices = [(game.mode(choice.mode), choice.points) for choice in outcome.choices]
                moves.append((Number(outcome.probability), choices, len(self.branches) if choices[1:] else None))
                self.branches += [choices] if choices[1:] else []
            self.modes.append((Number(mode.chance(BUST)), Number(mode.chance(RESET)), moves))
        self.ways = [[[tuple(map(Number, e)) for e in ends] for ends in way] for way in ways or beyond_target(game)]
        self.forced = [not mode.may_hold for mode in game.modes]
        self.width, self.kernel = game.most_points, kernel or rules_of(game)
        self.roundings = max(len(mode.outcomes) for mode in game.modes) + 9  # in a step of the walk, at most


class Turn:
    """The exactly optimal decisions of one turn that starts with `missing` points to go.

    Parameters
    ----------
    rules : Numbers
    worths : Worths
    nearest : ndarray
        ``worths.hold``, rounded to float64.
    missing : int
    prefer : tuple of ndarray, optional
        Decisions to follow where actions have the same value: to roll, (modes, missing), and the numbers of choices,
        (branches, missing), both by turn total. By default ties hold, and of equal choices the first is taken.

    Attributes
    ----------
    rolls : ndarray of bool, (modes, missing)
        Whether to roll with r points missing.
    takes : dict
        The number of the choice taken, by (number of the branch, points missing before the roll).
    ties : list
        Pairs (points missing, mode index) at which rolling is worth exactly the same as holding.
    """

    def __init__(self, rules, worths, nearest, missing, prefer=None):
        self.rules, self.worths, self.missing, self.prefer = rules, worths, missing, prefer
        self.beyond, width = self._best_ways(), rules.width
        self.value, _, roll = arrays = scratch(rules.kernel, missing)
        walk(rules.kernel, nearest, *map(float, worths[1:]), missing, 1, *arrays)
        self.bust = float(worths.bust)  # of which the walk's values are in excess
        held, rolled = nearest[1:missing] - self.bust, roll[:, width : width + missing - 1]
        self.margin = 2 * missing * rules.roundings * 2.0**-53
        least, *_, most = sorted([*map(float, worths[1:4]), *held])
        self.most = None if least >= 0 and not worths.over else 2 * max(-least, most) + width * float(worths.over)
        self.rolls = np.column_stack([np.zeros(len(rolled), dtype=bool), rolled > held])
        self.rolls[rules.forced, 1:] = True
        self.takes, self.ties, self.known = {}, [], {}
        unsure = np.abs(rolled - held) <= self.margin * self._size(np.maximum(rolled, held))
        for r in range(1, missing + 1) if rules.branches else 1 + np.flatnonzero(unsure.any(axis=0)):
            for number, choices in enumerate(rules.branches):
                preferred = int(prefer[1][number, missing - r]) if prefer else None
                self.takes[number, r] = self._best_choice(choices, r, preferred)
            for index in np.flatnonzero(unsure[:, r - 1]) if r < missing else ():
                if not rules.forced[index]:
                    gain = self.ends(index, r).worth(worths) - worths.hold[r]
                    self.rolls[index, r] = gain > 0 or (gain == 0 and prefer and prefer[0][index, missing - r])
                    if gain == 0:
                        self.ties.append((int(r), int(index)))

    def _size(self, above):
        """To what the walk's errors are relative where its larger value is `above` that of a bust."""
        return self.most or above + 2 * self.bust

    def _best_ways(self):
        """How a turn ends beyond the target, [mode][r - 1]: of several ways to choose there, the best."""
        ways = self.rules.ways
        if len(ways) == 1:
            return ways[0]
        _, bust, reset, finish, over = self.worths

        def worth(way):
            f, z, points = way
            return f * finish + points * over + z * reset + (1 - f - z) * bust, f + z

        return [[max(ends, key=worth) for ends in zip(*modes, strict=True)] for modes in zip(*ways, strict=True)]

    def _best_choice(self, choices, r, preferred=None):
        """The number of the preferred or else the first of the best of `choices`, after a roll with `r` missing."""
        near = [self.value[mode, self.rules.width - 1 + r - points] for mode, points in choices]
        enough = max(near) - self.margin * self._size(max(near))
        close = [k for k, worth in enumerate(near) if worth >= enough]
        if not close[1:]:
            return close[0]
        worths = {k: self.worth(choices[k][0], r - choices[k][1]) for k in close}
        best = [k for k in close if worths[k] == max(worths.values())]
        return preferred if preferred in best else best[0]

    def worth(self, mode, r):
        """W(m, r), exactly, by the decisions found so far."""
        if r > 0 and not self.rolls[mode, r]:
            return self.worths.hold[r]
        if (mode, r) not in self.known:
            self.known[mode, r] = self.ends(mode, r).worth(self.worths)
        return self.known[mode, r]

    def ends(self, mode=0, r=None):
        """How a turn ends that is in `mode` with `r` points missing, and rolls if r > 0; by default, a whole turn."""
        start = self.missing if r is None else r
        going, holds = defaultdict(Number, {(start, mode): Number(1)}), defaultdict(Number)
        bust, reset, finish, over = (Number(0) for _ in range(4))
        for left in range(start, -self.rules.width, -1):
            for index, (may_bust, may_reset, moves) in enumerate(self.rules.modes):
                mass = going.pop((left, index), None)
                if not mass:
                    continue
                if left <= 0:
                    f, z, points = self.beyond[index][left - 1]
                    finish, reset, over = finish + mass * f, reset + mass * z, over + mass * points
                    bust += mass * (1 - f - z)
                elif left < start and not self.rolls[index, left]:
                    holds[left] += mass
                else:
                    bust, reset = bust + mass * may_bust, reset + mass * may_reset
                    for chance, choices, number in moves:
                        onward, points = choices[0 if number is None else self.takes[number, left]]
                        going[left - points, onward] += mass * chance
        return Ends(dict(holds), bust, reset, finish, over)

    def decides_like(self, other):
        """Whether `other` decides alike everywhere."""
        alike = np.array_equal(self.rolls, other.rolls) and self.takes == other.takes
        return alike and self.beyond == other.beyond
