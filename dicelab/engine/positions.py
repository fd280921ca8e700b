"""Positions of a race, and where the turns from them lead: the only file that knows how a turn's end is answered.

Everything that a turn can end in is a row of *one* table of values: positions, and before them the *terminals*. So a
turn is described by numbers of rows: those of a bust, a reset and a loss, and that of a hold with r points missing,

    r > split:  below + slope·r,        r = split:  level,        r < split:  above + climb·(split - r).            (1)

Registers, opening minimums, exact finishes, equal turns, last licks, deadlines, margins and penalties are nothing but
numbers in these arrays. Where the points of a hold depend on both scores, (1) is a table, `Positions.after`, in which
`below` is where the row for r = 0 stands.

A position is (o; q; x₀, …; e, mask). Its *phase* o says whose turn it is where that matters: the seat in a match of
policies, the place in the round with "equal turns", or how many turns are gone. q players still have a last turn, 0
before anybody has finished. x₀ is the place in ``game.scores`` of the player to move, then come the others in order of
play. In last turns e is by how much the best score is above the target, and `mask` says who has it, by seat as the
player to move counts, who is seat 0. The terminals are the masks of those who share the win, 0 for nobody.

**The order of the work.** Holds lead to higher sums of scores, so that positions are solved by *rank*, the highest
first. A bust keeps the scores, and leads to a position of the same rank: each has at most one edge to another one, so
that they form cycles, and chains that lead there. A *group* is a cycle, or one position whose bust leads to an earlier
group or, by a penalty, to a lower rank. A cycle is gone round until the same player moves. What leads to rows that are
not solved yet, resets and penalties, are the *ties*.
"""

import math
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from .._limits import BoundedCache, check_memory
from ..games.model import LAST_TURN, RESULTS

CACHE = BoundedCache(64 * 2**20)  # the latest orders of work
TO_TARGET, EXACTLY, ONWARD, POINTS = range(4)  # where a walk ends: see `dicelab.engine.turn.walk`
# The columns of a position, all int:
#   ROW, PHASE         its row, and whose turn it is where that matters
#   MODE               in which the turn begins
#   NEED, LOW          the points missing then, and where the walk ends, at most 0
#   BEYOND             one of the above
#   LEAST              the fewest points of a hold
#   SPLIT, …, CLIMB    the six numbers of (1)
#   BUST, RESET, LOSS  the rows of these ends
#   TABLE              the rank at first, then the place in the order; in `seats` a row of decisions
COLUMNS = 17
ROW_BYTES, VALUE_BYTES = 500, 40  # at the peak, of a position in order, and of its values
SMALLER = "take a smaller target, or fewer players"
ROW, PHASE, MODE, NEED, LOW, BEYOND, LEAST = range(7)
SPLIT, BELOW, SLOPE, LEVEL, ABOVE, CLIMB, BUST, RESET, LOSS, TABLE = range(7, COLUMNS)
ENDS = len(RESULTS)  # columns from BUST on, in this order: where a turn ends without a hold


class Order(NamedTuple):
    """The order of the work."""

    # (n, 17) see the columns above; on a cycle shorter than once round the table a position stands there twice
    turns: np.ndarray
    groups: np.ndarray  # turns[groups[g]:groups[g + 1]] is the group g
    where: np.ndarray  # by row, a place in `turns`; -1 for terminals
    parts: np.ndarray  # the groups parts[p], … before parts[p + 1] do not depend on each other
    ties: np.ndarray  # rows that are read before they are solved


class Positions:
    """The positions of a game.

    Parameters
    ----------
    game : Game
    players : int
    objective : {"win", "margin", "turns", "deadline", "score", "total", "rounds"}
        "margin": a finish leads to a terminal for what the other player still needs. "turns", "deadline", "total": for
        one player. "score": one turn; holds lead to terminals by its points. "total": so do banks after the last turn;
        the target is beyond what all turns can bring. "rounds": so is it, and who has more points then has won.
    phases : int
        How many there are, as the positions would not tell: the turns of a deadline, or the seats of a match.
    lead : int
        How far turns are walked. In last turns that is the farthest above the target; for "margin" the most points
        beyond it that count. For "score" and "total" all hold with so many points in a turn. For "rounds" all hold who
        are ahead by so many, and who were ahead before with so many in a turn.

    Attributes
    ----------
    order : Order
    start, terminals, size : int
        The row of the start, and the numbers of terminals and of all rows.
    """

    def __init__(self, game, players=2, objective="win", phases=1, lead=0):
        self.sums, self.rounds = objective == "total", objective == "rounds"
        if self.sums or self.rounds:
            game = replace(game, target=phases * lead + 1)
        self.game, self.players, self.objective, self.lead = game, players, objective, lead
        # Then one row is for all scores with the same difference.
        self.by_difference = self.rounds and game.counts_needs
        if game.points and (players > 2 or objective in ("score", "total", "rounds")):
            raise NotImplementedError(
                f"{game.name}: points that depend on the scores are for one or two players, and for a target"
            )
        if game.loses and (players, objective) not in ((2, "win"), (1, "never"), (1, "total")):
            raise NotImplementedError(
                f"{game.name}: a game that a roll can lose at once is for two players and the objective 'win', or for"
                " one and 'total'"
            )
        self.last = game.finish in LAST_TURN
        self.equal = game.finish == "equal turns"
        self.clock = objective == "deadline" or self.sums or self.rounds
        self.phases = players if self.equal else phases
        self.scores = (game.target - game.lowest) * (len(game.registers) or 1)
        self.shape = (2 * self.scores - 1,) if self.by_difference else (self.scores,) * players
        self.size = self.phases * math.prod(self.shape)
        self.check(VALUE_BYTES)
        self.key = game, players, objective, self.phases, lead
        registers = [game.register(score) for score in game.scores]
        number = {r.name: k for k, r in enumerate(registers[: len(game.registers) or 1])}
        self.registers = len(number)
        self._points = np.array([int(score) for score in game.scores])
        self.missing = np.array([game.missing(score) for score in game.scores])
        self._least = np.array([r.least_hold for r in registers])
        self._mode = np.array([game.mode(r.mode) for r in registers])
        self._held = np.array([number[r.after_hold] for r in registers])
        self._busted = np.array([number[r.after_bust] for r in registers])
        self._after = np.array([int(game.after_bust(score)) for score in game.scores])
        self._begin = game.index(game.after_reset)
        self.terminals = 2**players + self.scores * (lead + 1) * (objective == "margin")
        if self.sums:
            self.terminals = game.longest
        if objective == "score":
            return self._one_turn(registers[: self.registers])
        self.offset, self.size = {}, self.terminals
        stages = [(o, q) for o in range(self.phases) for q in self._left(o)]
        for o, q in stages:
            self.offset[o, q] = self.size
            self.size += self.scores**q * (lead + 1) * 2**players if q else math.prod(self.shape)
        self.start = int(self.row(0, [np.array(self._begin)] * players))

    def check(self, each, how=""):
        """Refuse so many positions if they take so many bytes each."""
        how += f" for {self.players} players" * (self.players > 2)
        said = f"solving {self.game.name} to {self.game.target}{how} ({self.size:,} positions)"
        check_memory(each * self.size, said, "take fewer turns" if self.clock else SMALLER)

    def __getstate__(self):
        return {name: part for name, part in vars(self).items() if name != "order"}

    def _left(self, o):
        """How many may still have a last turn in the phase o."""
        if not self.last:
            return [0]
        if self.equal:
            return [0, self.players - o] if o else [0]
        return range(self.players)

    # rows

    def row(self, o, places):
        """The row without a last turn, by the places of all scores; with the time up, that of the end."""
        if o == self.phases:
            own, other = (places[k] // self.registers for k in (0, -1))
            return (own >= other) + 2 * (other >= own) if self.rounds else own * self.sums
        if self.by_difference:
            return self.offset[o, 0] + self.scores - 1 + places[0] - places[1]
        number = 0
        for place in places:
            number = number * self.scores + place
        return self.offset[o, 0] + number

    @property
    def grid(self):
        """The places of all scores without a last turn, by row of a phase; by difference, one of them is the first."""
        if self.by_difference:
            ahead = np.arange(1 - self.scores, self.scores)
            return [ahead.clip(0), (-ahead).clip(0)]
        return [place.ravel() for place in np.indices(self.shape)]

    def met(self, o):
        """Which rows of a phase can be met, bool: after some rounds a player has some points at most."""
        most = o * self.lead if self.rounds and not self.by_difference else self.game.target
        return self._points[np.array(self.grid)].max(axis=0) <= most

    def at(self, places, phase=0):
        """The turns at the places of all scores, (T, players); S + k stands for a score k above the target.

        Such a score of another player is to be beaten, in a last turn of the player to move.
        """
        if self.objective == "score":
            return self.turns[places[:, 0] % self.registers]
        best = places[:, 1:].max(axis=1, initial=0)
        found = self._turns(phase, 0, [*places.clip(max=self.scores - 1).T])
        for left in range(self.players - 1):  # so many others have a last turn after this one
            last = (best >= self.scores) & (places[:, 1 : left + 1] < self.scores).all(axis=1)
            last &= places[:, left + 1] >= self.scores
            if last.any():
                now = self.players - 1 - left if self.equal else phase % self.phases
                having = places[last, 1:] == best[last, None]
                if not self.equal:  # the first of them
                    having &= having.cumsum(axis=1) == 1
                mask = having @ 2 ** np.arange(1, self.players)
                lead = np.minimum(best[last] - self.scores, self.lead)
                found[last] = self._turns(now, left + 1, [*places[last, : left + 1].T], lead, mask)
                # The last player of all needs more if the best score is higher than any here.
                found[last, NEED] += best[last] - self.scores - lead
        return found

    def places(self, turns):
        """The places of all players, (T, players), at turns of which none is a last one."""
        starts = np.array([self.offset[o, 0] for o in range(self.phases)])
        number = turns[:, ROW] - starts[turns[:, PHASE]]
        return number[:, None] // self.scores ** np.arange(self.players)[::-1] % self.scores

    @cached_property
    def asked(self):
        """The places of all players by turn, (n, players), S + k for k points above the target, as `at` takes them."""
        if self.objective == "score":
            return (self._begin - self._begin % self.registers + np.arange(self.registers))[:, None]
        rows, wide = self.turns[:, ROW], (self.lead + 1) * 2**self.players
        found = np.zeros((len(rows), self.players), dtype=np.int64)
        for (_, q), first in self.offset.items():
            left = q or self.players
            mine = (rows >= first) & (rows < first + self.scores**left * (wide if q else 1))
            number = rows[mine] - first
            if q:  # next come those who have the best score, and then those whose turn was in vain
                holders = np.array([m.bit_count() for m in range(2**self.players)])
                number, lead = number // wide, number % wide
                best = np.arange(q, self.players) < q + holders[lead % 2**self.players, None]
                found[mine, q:] = best * (self.scores + (lead >> self.players))[:, None]
            for k in range(left):
                found[mine, left - 1 - k] = number // self.scores**k % self.scores
        return found

    def last_row(self, o, q, places, lead, mask):
        """The row in which q players have a last turn; without any, the terminal for those in `mask`."""
        if q == 0:
            return mask + 0 * lead
        number = 0
        for place in places[:q]:
            number = number * self.scores + place
        lead = np.clip(lead, 0, self.lead)
        return self.offset[o, q] + (number * (self.lead + 1) + lead) * 2**self.players + mask

    def _next(self, o):
        return o + 1 if self.clock else (o + 1) % self.phases

    def _finish(self, o, places, lead):
        """Where a player leads to who banks `lead` points beyond the target."""
        if self.objective == "margin":
            return 2**self.players + places[1] * (self.lead + 1) + np.clip(lead, 0, self.lead)
        left = (self.players - 1 - o if self.equal else self.players - 1) * self.last
        # As the next player counts, the one who moves now is the last.
        return self.last_row(self._next(o), left, places[1:], lead, 1 << (self.players - 1))

    def _end(self, o, q, places, best, points, register):
        """Where a turn leads that ends with this score of the mover; `best` tells the best score, and whose."""
        (lead, mask), target, later = best, self.game.target, self._next(o)
        if q == 0:
            place = np.clip(points, self.game.lowest, target - 1) - self.game.lowest
            on = self.row(later, [*places[1:], place * self.registers + register])
            return np.where(points < target, on, self._finish(o, places, points - target))
        ahead, ties = points > target + lead, points == target + lead
        who = np.where(ahead, 1, np.where(ties & self.equal, mask | 1, mask))
        who = (who >> 1) | ((who & 1) << (self.players - 1))  # as the next player counts
        lead = np.where(ahead, points - target, lead)
        return self.last_row(later, q - 1, places[1:], lead, who)

    # turns

    def _block(self, o, q):
        """All positions of a phase with q last turns left, as rows of `turns`, and their ranks in the last column."""
        players = self.players
        if q:  # who may have the best score: some who have played, but one where ties do not count
            masks = [m << q for m in range(1, 2 ** (players - q))]
            masks = [m for m in masks if self.equal or m.bit_count() == 1]
            shape = (self.scores,) * q + (self.lead + 1, len(masks))
            *places, lead, mask = (part.ravel() for part in np.indices(shape))
            found = self._turns(o, q, places, lead, np.array(masks)[mask])
            rank = (players * self.game.target + 1) * (players + 1 - q)
        else:
            places = np.array(self.grid)[:, self.met(o)]
            found = self._turns(o, 0, places)
            rank = sum(self._points[place] for place in places)
        found[:, TABLE] = o if self.clock else rank
        return found

    def _turns(self, o, q, places, lead=0, mask=0):
        """The turns at some positions of a phase with q last turns left, by the places of scores that count."""
        target, players, game = self.game.target, self.players, self.game
        x, later = places[0], self._next(o)
        own, least, held, climb = self._points[x], self._least[x], self._held[x], 2**players

        def ends(points, register):
            return self._end(o, q, places, (lead, mask), points, register)

        if q == 0:
            row = self.row(o, places)
            need, split, low, beyond = self.missing[x], 0, 0, TO_TARGET
            further = need - (target - own)  # beyond the target, at an opening minimum
            top = (target - game.lowest) * self.registers + held
            below = self.row(later, [*places[1:], top])
            slope = -self.registers if later < self.phases else -1 * self.sums
            level = above = self._finish(o, places, further)
            if game.finish == "exact":
                beyond = EXACTLY
            elif self.objective == "margin" and self.lead:
                low, beyond, climb = -game.most_points, POINTS, 1
            elif self.last and (o < players - 1 or not self.equal):
                low, beyond = further - self.lead, ONWARD
            climb *= beyond != TO_TARGET
            if self.sums or self.rounds:
                # A bank beyond what turns so far can bring stays below the target.
                behind = self._points[places[-1]] - own
                need, beyond, climb = self.lead + behind.clip(0), POINTS, 0
                split = own + need - target
                below = self.row(later, [*places[1:], top + split * self.registers])
                level = above = self.row(later, [*places[1:], top - self.registers])
                if self.rounds and later == self.phases:
                    split, below, slope, level, above = need - behind, 1, 0, 3, 2
                slope *= 1 - 2 * self.by_difference
        else:
            row = self.last_row(o, q, places, lead, mask)
            gap, onward = target + lead - own, q > 1  # the gap to draw level
            need = gap if onward else np.maximum(gap + 1, least)
            split, low, beyond = need - gap, (lead - self.lead) * onward, ONWARD * onward
            below, slope, level = ends(own, held), 0, ends(own + gap, held)
            above = ends(target + lead + 1, held) - climb * onward
            climb *= onward
        if game.points:
            below = (row - self.terminals) * (game.longest + 1)
        bust = ends(self._after[x], self._busted[x])
        reset = ends(np.full_like(x, game.after_reset), self._begin % self.registers)
        columns = row, o, self._mode[x], need, low, beyond, least
        # After a loss, 1, the next player has won; of one player alone the race is over, and no point counts.
        lost = -game.lowest if self.sums else 1
        columns += split, below, slope, level, above, climb, bust, reset, lost, 0
        return np.stack(np.broadcast_arrays(*columns), axis=1)

    @cached_property
    def after(self):
        """The rows of holds where their points depend on the scores, by position and points missing; else empty."""
        game = self.game
        if game.points is None:
            return np.zeros(0, dtype=np.int64)
        # Of some twelve arrays, a number for each position and total.
        self.check(ROW_BYTES * game.longest / 5)
        *places, missing = np.indices((self.scores,) * self.players + (game.longest + 1,))
        own, *others = self._points[np.array(places)]
        opponent, banked = others[0] if others else 0 * own, game.target - missing
        asked = (missing > 0) & (banked > own) & (banked <= own + game.most_points)
        told = own[asked], opponent[asked], (banked - own)[asked]
        points = np.vectorize(game.points, otypes=[int])(*told)
        if (points < 1).any():
            x, y, rolled = np.array(told)[:, np.argmin(points)].tolist()
            raise ValueError(
                f"points: {points.min()} is not allowed, at own={x}, opponent={y}, rolled={rolled}; a turn that ends"
                " without a bust banks at least 1"
            )
        banked[asked] = told[0] + points
        return np.concatenate(
            [self._end(o, 0, places, (0, 0), banked, 0).ravel() for o in range(self.phases)]
        )

    def _one_turn(self, registers):
        """A position for the turn of each register. Terminals are its points, up to `lead`, at which all hold."""
        lead, self.terminals = self.lead, self.lead + 1
        self.start, self.size = self.terminals, self.terminals + self.registers
        self.offset, found = {(0, 0): self.start}, []
        for row, register in enumerate(registers, self.start):
            begin = row, 0, self.game.mode(register.mode), lead, 0, POINTS, register.least_hold
            found.append([*begin, -1, lead, -1, 0, 0, 0, min(register.pays, lead), 0, 0, 0])
        self._found = np.array(found)

    # the order of the work

    turns = property(lambda self: self.order.turns)
    groups = property(lambda self: self.order.groups)
    parts = property(lambda self: self.order.parts)
    where = property(lambda self: self.order.where)
    ties = property(lambda self: self.order.ties)

    @cached_property
    def order(self):
        """The order of the work; found when it is needed."""
        return CACHE.get(self.key, self._order, lambda made: sum(part.nbytes for part in made))

    def _order(self):
        self.check(ROW_BYTES)
        if self.objective == "score":
            found = self._found
        else:
            found = np.concatenate([self._block(*stage) for stage in self.offset])
        n, rank = len(found), found[:, TABLE]
        where = np.full(self.size, -1)
        where[found[:, ROW]] = np.arange(n)
        after = where[found[:, BUST]]
        after = np.append(
            np.where((after < 0) | (rank[after] != rank), n, after), n
        )  # n: elsewhere
        ring, length, last = cycles(after)
        depth, at = np.where(ring, 0, 1), after.copy()
        while (ahead := (at < n) & ~ring[at] & ~ring).any():
            depth, at = depth + ahead, np.where(ahead, after[at], n)
        heads = np.flatnonzero(~ring[:n] | (last[:n] == np.arange(n)))
        keys = np.stack([length[heads], depth[heads], -rank[heads]])
        order = np.lexsort(keys)
        heads, keys = heads[order], keys[:, order]
        rows, sizes, parts = [], [], [0]
        for part in np.split(heads, np.flatnonzero(np.diff(keys).any(axis=0)) + 1):
            round_ = [part]
            for _ in range(math.lcm(length[part[0]], self.players) - 1 if ring[part[0]] else 0):
                round_.append(after[round_[-1]])
            rows.append(np.stack(round_, axis=1).ravel())
            sizes.append(np.full(len(part), len(round_)))
            parts.append(parts[-1] + len(part))
        groups = np.cumsum(np.concatenate([[0], *sizes]))
        turns = found[np.concatenate(rows)]
        turns[:, TABLE] = np.arange(len(turns))
        where = np.full(self.size, -1)
        where[turns[:, ROW]] = np.arange(len(turns))
        step = np.full(self.size, -1)  # the group in which a row is solved; terminals are known
        step[turns[:, ROW]] = np.repeat(np.arange(len(groups) - 1), np.diff(groups))
        own, bust, reset = (step[turns[:, k]] for k in (ROW, BUST, RESET))
        back = turns[bust > own, BUST], turns[(reset >= own) & self.game.resets, RESET]
        return Order(turns, groups, where, np.array(parts), np.unique(np.concatenate(back)))


def cycles(after):
    """Of a graph in which node k leads to ``after[k]``, the last one to itself: what is on cycles, and which.

    Returns
    -------
    ring : ndarray of bool
        Whether a node is on a cycle; the last one is not counted.
    length, last : ndarray of int
        The length of the cycle and its last node; elsewhere 1 and any.
    """
    nodes, far, before = np.arange(len(after)), after, 0
    while (left := np.count_nonzero(np.bincount(far))) != before:
        far, before = far[far], left
    ring = np.zeros(len(after), dtype=bool)
    ring[far] = True
    ring[-1] = False
    length, last, at = np.where(ring, 0, 1), nodes, after
    for k in range(1, len(after) + 1):
        if length.all():
            break
        length[(length == 0) & (at == nodes)] = k
        last, at = np.maximum(last, at), after[at]
    return ring, length, last
