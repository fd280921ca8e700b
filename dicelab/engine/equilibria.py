"""Three players and more: an equilibrium of every cycle of positions, and whether there is one, several, or none.

Everybody maximizes the own probability to win. A strategy looks at the position, not at who sits where; an
*equilibrium* is one from which nobody gains by deviating, in any turn. For two their chances add up to 1, and it is
unique. For more, a decision also changes how the *others* share the rest: there may be several, or none in pure
strategies.

**Pieces.** A turn is worth A + (1 - L)·z to its player, where z is the own chance after a bust. The best decisions
depend on z alone, and f(z) = max A + (1 - L)·z is convex and piecewise linear. A *piece* is (A, L) with the vector A of
all seats. Where two pieces meet the player is indifferent; the others need not be. To list the pieces between two bust
values we take those at both ends: where their lines cross, either nothing is better, or there is a piece between.

**Bounds.** Every chance is in [0, 1], and they add up to 1. From bounds on the chances after a bust one pass over the
turn bounds all chances before it, where either action counts that may be the best (`bound_turn`). Round the cycle this
is repeated until no decision that may come is left open: then the equilibrium is unique, mixed ones included. Of
333,400 cycles of Pig to 100 this fails at 148, where the bounds do not get closer. There all pieces between them are
listed, and all combinations tried. So equilibria in *pure* strategies are counted. Of decisions that are tied on a
whole piece, or several at the same z, one way to break the tie is tried.

**Mixtures.** Otherwise players mix two neighbouring pieces at the z where they meet. By Kakutani's theorem (1941) an
equilibrium exists if that of several is allowed. Whether z of a player is there depends on the shares of the others,
and is linear in each: Newton's method from three starts, of which one step is exact where two mix.

**Several.** `prefer` takes one: "cautious", with the smallest probability Π (1 - Lᵢ) that all bust, or "bold", the
largest; if these are equal, by the first player who differs, counted from the smallest rotation of the needs.
"""

from contextlib import suppress
from functools import cached_property, reduce
from itertools import pairwise, product
from typing import NamedTuple

import numpy as np

from .._accuracy import ConvergenceError
from .._compile import inlined, whole
from .._limits import progress
from .._numbers import Number
from .._shown import title_of
from .fixed_points import solve_linear
from .positions import BEYOND, BUST, ENDS, EXACTLY, LEAST, LOW, MODE, NEED, RESET, ROW
from .race import FARTHEST, Race
from .turn import FIRST, MAY_HOLD, STOPS, absorb, hand_over, look_up

__all__ = ["Equilibrium", "worth"]

EQUAL = 1e-13  # actions, chances and bust values this close are equal
SHRINKS = 0.99  # a factor by which each round must shrink the widest bounds
MOST, STEPS = 10**5, 50  # combinations of pieces that are tried, and steps of Newton's method
NEAR = 2**30  # 1/NEAR beside the bust value where pieces meet the one or the other is played


class Bounds(NamedTuple):
    """Workspace for bounds on the chances of n seats; 2·n + 1 numbers are the least, the largest, and what is open."""

    low: np.ndarray  # (T, n) by turn of some groups
    high: np.ndarray  # (T, n)
    bust: np.ndarray  # (2·n + 1,) after a bust, as the player to move counts
    best: np.ndarray  # (2·n + 1,) of one action
    state: np.ndarray  # (M, totals + 1, 2·n + 1); last a total that is a bust
    found: np.ndarray  # (T,) by group, whether decisions stay open


@inlined
def widen(into, other, alone):
    """Bounds if the player may take one more action, the better one; or, `alone`, only that."""
    n = len(into) // 2
    for q in range(n):
        if alone or (other[q] > into[q]) == (q == 0):
            into[q] = other[q]
        if alone or other[n + q] > into[n + q]:
            into[n + q] = other[n + q]
    into[2 * n] = other[2 * n] if alone else 1


@inlined
def bound_forced(rules, edge, tie, work, room):
    """Bounds at the target of modes in which one must roll on. If the best choices depend on z, they are open."""
    n = len(room.best) // 2
    for side in range(2):
        work.hands[0, 0] = room.bust[side * n]
        absorb(rules, edge, edge - 1, edge > 0, tie, work)
        for m in rules.past:
            node, turn = room.state[m, 0], work.state[m, 0]
            for q in range(n):
                node[side * n + q] = turn[q] + (1 - turn[len(turn) - 1]) * room.bust[side * n + q]
            node[2 * n] = abs(turn[0] - side * node[2 * n])


@inlined
def bound_roll(rules, place, exactly, tie, work, room):
    """Bounds of a roll at `place`, a mode and a column; `exactly` is the column beyond the target."""
    (m, c), best, n = place, room.best, len(room.best) // 2
    node, bust = room.state[m, c], 1 - rules.early[m, 1]
    for q in range(n):
        node[q] = node[n + q] = rules.early[m, 1] * work.hands[1, q]
    node[2 * n] = 0
    for o in range(rules.modes[m, FIRST], rules.modes[m + 1, FIRST]):
        first, end = rules.outcomes[o, FIRST], rules.outcomes[o + 1, FIRST]
        bust -= rules.chance[o]
        for option in range(first, end):
            to, at = rules.choices[option, 0], c - rules.choices[option, 1]
            after = room.state[to, at if at >= 0 else exactly]
            if end - first > 1 and (option == first or after[n] >= best[0] - tie):
                widen(best, after, option == first or after[0] > best[n] + tie)
        found = best if end - first > 1 else after
        for k in range(2 * n + 1):
            node[k] += rules.chance[o] * found[k]
    for k in range(2 * n):
        node[k] += max(bust, 0.0) * room.bust[k]


@inlined
def bound_turn(rules, turn, tie, work, room):
    """Bounds of every state of a turn, from those after a bust; a decision is open if either action may be best."""
    best, n, last = room.best, len(room.best) // 2, room.state.shape[1] - 1
    columns, edge = turn[NEED] - turn[LOW] + 1, 1 * (turn[BEYOND] != EXACTLY)
    for m in rules.order:
        widen(room.state[m, last], room.bust, True)
    if edge:
        bound_forced(rules, edge, tie, work, room)
    for c in range(columns):
        for m in rules.order:
            node, may = room.state[m, c], rules.modes[m, MAY_HOLD] == 1
            stops = rules.modes[m, STOPS] == 1 or (c == 0 and may)
            may = may and (c < edge or columns - 1 - c >= turn[LEAST])
            if stops and not may:
                widen(node, room.bust, stops)
            elif not stops and c >= edge:
                bound_roll(rules, (m, c), last * (1 - edge), tie, work, room)
            if may:
                for q in range(n):
                    best[q] = best[n + q] = work.hands[ENDS + c, q]
                best[2 * n] = 0
                alone = stops or node[n] < best[0] - tie
                if alone or node[0] <= best[0] + tie:
                    widen(node, best, alone)


@whole
def bound(rules, turns, groups, given, tie, work, room):
    """Bound the chances on the cycles of some groups, whose turns these are; elsewhere they are in [0, 1]."""
    n, slack = len(room.best) // 2, tie / 10
    for g in range(len(groups) - 1):
        group = turns[groups[g] : groups[g + 1]]
        low, high = room.low[groups[g] : groups[g + 1]], room.high[groups[g] : groups[g + 1]]
        width, before, undecided = np.inf, np.inf, group[len(group) - 1, BUST] == group[0, ROW]
        low[:], high[:] = 0, 1
        while undecided and tie < width <= SHRINKS * before:
            width, before, undecided = 0.0, width, False
            for i in range(len(group) - 1, -1, -1):
                turn, after, lows, highs = group[i], (i + 1) % len(group), 0.0, 0.0
                look_up(turn, given.after, given.values, given.onward, work.hands)
                hand_over(given.onward, low[after], 1, room.bust[:n])
                hand_over(given.onward, high[after], 1, room.bust[n : 2 * n])
                bound_turn(rules, turn, tie, work, room)
                found = room.state[turn[MODE], turn[NEED] - turn[LOW]]
                undecided = undecided or found[2 * n] > 0
                for s in range(n):
                    low[i, s] = max(low[i, s], found[s] - slack)
                    high[i, s] = min(high[i, s], found[n + s] + slack)
                    lows, highs = lows + low[i, s], highs + high[i, s]
                for s in range(n):  # all chances add up to 1
                    least, most = 1 - (highs - high[i, s]) - slack, 1 - (lows - low[i, s]) + slack
                    low[i, s], high[i, s] = max(low[i, s], least), min(high[i, s], most)
                    width = max(width, high[i, s] - low[i, s])
        room.found[g] = undecided and width > tie


class Found(NamedTuple):
    """An equilibrium of a cycle."""

    chances: np.ndarray  # (C, n) by position and seat
    onward: np.ndarray  # (C,) 1 - L
    share: np.ndarray  # (C,) how often the upper of two pieces is played; 1 also where it begins
    mixing: int  # in how many positions players mix

    def apart(self, other):
        """The largest difference of a chance."""
        return abs(self.chances - other.chances).max()

    def is_better(self, other, bold, tie):
        """Whether fewer players mix, or else it is the one to prefer."""
        mine, others = (np.array([one.onward.prod(), *one.onward]) for one in (self, other))
        ahead = next((x for x in mine - others if abs(x) > tie), 0)
        return (self.mixing, -ahead if bold else ahead) < (other.mixing, 0)


class Cycle:
    """A cycle of positions, the pieces of its turns, and its equilibria.

    Parameters
    ----------
    race : Equilibrium
    turns : ndarray (C, 17)
    low, high : ndarray (C,)
        Bounds on the bust value.
    """

    def __init__(self, race, turns, low, high):
        self.race, self.turns, self.tie, size = race, turns, race.tie, len(turns)
        rows = turns[:, ROW].tolist()
        # After so many positions they are the same again.
        self.period = next(d for d in range(1, size + 1) if rows[d:] == rows[: size - d])
        self.mixing = range(1 + (self.period == size), self.period + 1)  # one alone would need luck
        self.pieces, self.ends, self.before = [], [], np.arange(race.positions.players) - 1
        for i in range(self.period):
            ends = low[i :: self.period].max() - self.tie, high[i :: self.period].min() + self.tie
            pieces = self._between(turns[i], *(race.turn_at(turns[i], z)[0] for z in ends))
            self.pieces.append(np.array([*pieces, pieces[-1]]))
            self.ends.append([-np.inf, *(crossing(*two) for two in pairwise(pieces)), np.inf])

    def _between(self, turn, left, right):
        """The pieces from one to another, with rising 1 - L."""
        if left[-1] - right[-1] <= self.tie:
            return [left]
        z = crossing(left, right)
        middle = self.race.turn_at(turn, z)[0]
        if worth(middle, z) <= worth(left, z) + self.tie:
            return [left, right]
        return self._between(turn, left, middle)[:-1] + self._between(turn, middle, right)

    def play(self, number, share):
        """What is played by position, if pieces are mixed with the next ones; everybody's chances; and how far it ends.

        That is 1 - Π (1 - L).
        """
        mixed = [
            p[k] + x * (p[k + 1] - p[k]) for p, k, x in zip(self.pieces, number, share, strict=True)
        ]
        played, constant, leave = mixed * (len(self.turns) // self.period), 0 * mixed[0][:-1], 0
        for piece in reversed(played):
            constant = piece[:-1] + (1 - piece[-1]) * constant[self.before]
            leave = piece[-1] + leave - piece[-1] * leave
        chances = [constant / leave if leave > 0 else self.race.payoffs.endless]
        for piece in played[:0:-1]:
            chances.append(piece[:-1] + (1 - piece[-1]) * chances[-1][self.before])
        return np.array(played), np.array([chances[0], *chances[:0:-1]]), leave

    def equilibria(self, numbers, every=True):
        """Equilibria in which so many players of a period mix; or, not `every`, those with the fewest."""
        options, found = [range(2 * len(ends) - 3) for ends in self.ends], []
        for mixing in numbers if np.prod([*map(len, options)], dtype=float) <= MOST else ():
            for option in product(*options[::-1]):
                if sum(k % 2 for k in option) == mixing:
                    self._add(found, *np.divmod(option[::-1], 2))
            if found and not every:
                break
        return found

    def _add(self, found, number, mixed):
        """Add the equilibria in which these pieces are played, or mixed with the next ones."""
        linear = sum(mixed) * len(self.turns) <= 2 * self.period
        for start in (10,) if linear else (10, 1, 19):
            share = self._shares(number, mixed, self.race.number(start) / 20)
            if share is None or (share < -self.tie).any() or (share > 1 + self.tie).any():
                continue
            played, chances, _ = self.play(number, share)
            after, times = np.roll(chances[:, -1], -1), len(chances) // self.period
            known = [*zip(self.ends, number, mixed, np.clip(share, 0, 1), after, strict=False)]
            upper = [
                x if mix else 0 * x + (z <= ends[k] + self.tie) for ends, k, mix, x, z in known
            ]
            best = all(
                ends[k + mix] - self.tie <= z <= ends[k + 1] + self.tie
                for ends, k, mix, _, z in known
            )
            one = Found(chances, 1 - played[:, -1], np.array(upper * times), times * sum(mixed))
            if best and all(one.apart(other) > self.tie for other in found):
                found.append(one)

    def _shares(self, number, mixed, start):
        """Shares at which all who mix are indifferent: by Newton's method, z - t times 1 - Π (1 - L) being linear."""
        unknown, share = np.flatnonzero(mixed), mixed * start

        def off(share):
            _, chances, leave = self.play(number, share)
            return np.array(
                [
                    (chances[(i + 1) % len(chances), -1] - self.ends[i][number[i] + 1]) * leave
                    for i in unknown
                ]
            )

        steps = np.eye(self.period, dtype=int)[unknown] * self.race.number(1) / 64
        with suppress(StopIteration):  # no share changes anything
            for _ in range(STEPS if self.tie else 3):
                now = off(share)
                if (abs(now) <= self.tie / 100).all():
                    return share
                slopes = np.array([32 * (off(share + step) - off(share - step)) for step in steps])
                share[unknown] -= solve_linear(slopes.T, now)
        return None


def worth(piece, z):
    """A + (1 - L)·z."""
    return piece[0] + (1 - piece[-1]) * z


def crossing(left, right):
    """The bust value at which two pieces are worth the same."""
    return (left[0] - right[0]) / (left[-1] - right[-1])


class Equilibrium(Race):
    """The race of three and more, with an equilibrium at every position; see :class:`Race`.

    Parameters
    ----------
    positions : Positions
    near : Equilibrium, optional
        The same in float64; needed for fractions.
    exact : bool
    bold : bool
        Which of several equilibria of a cycle is taken.

    Attributes
    ----------
    searched : dict
        By the number of the group, where the bounds left decisions open: the rows; the :class:`Found` that is taken;
        how many there are in pure strategies; and the largest difference of a chance between two of these.
    """

    def __init__(self, positions, near=None, exact=False, bold=False):
        self.near, self.bold, self.side = near if exact else None, bold, 0
        self.tie, self.number = (0, Number) if exact else (EQUAL, float)
        super().__init__(positions, near=near, exact=exact)

    @cached_property
    def _ending(self):
        known, once = super()._ending, not self.exact and not len(self.positions.ties)
        # If decisions are known, one step is enough.
        return known._replace(tie=self.tie, enough=np.inf if once else known.enough)

    @cached_property
    def _workspace(self):
        known, n = self.positions, self.positions.players
        rooms = self._rooms(n, known.turns, self.longest)
        most, vector = np.diff(known.groups[known.parts]).max(), (2 * n + 1,)
        shapes = (most, n), (most, n), vector, vector, rooms[0].state.shape[:2] + vector
        return rooms, Bounds(*map(np.zeros, shapes), np.zeros(most, dtype=bool))

    def _sweep(self, given=None):
        known, (rooms, room), worst, left = self.positions, self._workspace, 0, 0
        self.searched, self.led, rooms[0].nearest[0] = {}, self.values[known.ties], FARTHEST
        with progress(None, title_of(known.game), "cycle", len(known.groups) - 1) as bar:
            for first, last in pairwise(known.parts):
                _, turns, groups, _ = part = self._part(first, last)
                rows, low, high = turns[:, ROW], room.low[: len(turns)], room.high[: len(turns)]
                unsettled = [g for g in getattr(self.near, "searched", ()) if first <= g < last]
                if not self.exact:  # if no decision is open, the best are those in the middle
                    bound(*part, self.tie, rooms[0], room)
                    unsettled = first + np.flatnonzero(room.found[: last - first])
                    middle = (low + high) / 2
                    self.values[rows], self.values[known.ties] = middle, self.values[known.ties]
                _, still = self._kernels.sweep(*part, self._ending, rooms)
                left += max(0, still - len(unsettled))
                if not self.exact:
                    off = np.maximum(low - self.values[rows], self.values[rows] - high).max(axis=1)
                    off *= ~room.found[: last - first].repeat(np.diff(groups))
                    worst = max(worst, off.max())
                for g in unsettled:
                    worst = max(worst, self._search(g))
                bar.update(last - first)
        self.nearest = int(rooms[0].nearest[0])
        return worst, left

    def _part(self, first, last):
        """What kernels take for some groups."""
        groups = self.positions.groups[first : last + 1]
        turns = self.positions.turns[groups[0] : groups[-1]]
        return self.rules, turns, groups - groups[0], self._given

    def turn_at(self, turn, z, side=0):
        """The best turn at a bust value, or a little beside it: its piece, and the decisions by mode and by branch."""
        work = self._workspace[0][0]
        rolls, picks = (np.zeros((1, *part.shape), np.uint8) for part in work[:2])
        after, known = self.values[turn[BUST]], self.values[0].copy()
        if turn[RESET] == turn[BUST]:  # at 0 points: a reset leads to the guess, and not to z
            turn = np.append(turn[:RESET], [0, *turn[RESET + 1 :]])
            self.values[0] = after
        kept, after[-1] = after[-1], z + side * self.number(1) / NEAR
        self._kernels.decide(
            self.rules, turn[None], self._given, self.tie / (100 if side else 1), work, rolls, picks
        )
        after[-1], self.values[0] = kept, known
        at = turn[MODE], turn[NEED] - turn[LOW]
        return work.state[at].copy(), rolls[0].astype(bool), picks[0]

    def cycle(self, g, row=None):
        """The cycle of a group, from a row on, by default from the smallest rotation of the needs."""
        near, known = self.near or self, self.positions
        (rooms, room), part = near._workspace, near._part(g, g + 1)
        rows = part[1][:, ROW]
        here = np.isin(known.ties, rows)
        self.values[known.ties[here]] = self.led[here]
        bound(*part, near.tie, rooms[0], room)
        first = int(known.equal) if row is None else rows.tolist().index(row)
        sides = [np.roll(x[: len(rows), -1], -first - 1) for x in (room.low, room.high)]
        sides = [np.clip(x + side / NEAR, 0, 1) for x, side in zip(sides, (-1, 1), strict=True)]
        return Cycle(self, np.roll(part[1], -first, axis=0), *map(self.numbers, sides))

    def _search(self, g):
        """Search a cycle, and take an equilibrium; the most that another turn gains, up to rounding 0."""
        cycle = self.cycle(g)
        pure = cycle.equilibria([0])
        found = pure or cycle.equilibria(cycle.mixing, every=False)
        if not found:
            known = self.positions
            needs = known.game.longest - known.places(cycle.turns[:1])[0] // known.registers
            raise (NotImplementedError if self.exact else ConvergenceError)(
                f"{known.game.name}, with {needs.tolist()} points missing in order of play: no equilibrium was found"
                + " in fractions, it may be irrational; solve without exact=True" * self.exact
            )
        taken = reduce(lambda x, y: y if y.is_better(x, self.bold, self.tie) else x, found)
        self.values[cycle.turns[:, ROW]] = taken.chances
        apart = max((one.apart(other) for one in pure for other in pure), default=0)
        self.searched[g] = cycle.turns[:, ROW], taken, len(pure), apart
        after = np.roll(taken.chances[:, -1], -1)
        best = [worth(self.turn_at(*at)[0], at[1]) for at in zip(cycle.turns, after, strict=True)]
        return abs(best - taken.chances[:, 0]).max()

    # questions

    @cached_property
    def shares(self):
        """How often the bold of two turns is played, by row, where it is."""
        return {
            int(row): share
            for rows, taken, *_ in self.searched.values()
            for row, share in zip(rows, taken.share, strict=True)
            if share > 0
        }

    def fill(self, places, rolls, choices, bold, role=0):
        """See :meth:`Race.fill`; the cautious turn or the bold one, by position."""
        for now in (False, True):
            if (here := bold == now).any():
                self.side, parts = 2 * now - 1, (rolls[here], choices[here])
                super().fill(places[here], *parts, role)
                rolls[here], choices[here] = parts

    def decisions(self, turns):
        """See :meth:`Race.decisions`. Of two turns the bold one is best at a larger bust value."""
        rolls, picks = super().decisions(turns)
        for t, turn in enumerate(turns):
            if turn[ROW] in self.shares:
                _, *found = self.turn_at(turn, self.values[turn[BUST], -1], self.side)
                rolls[t], picks[t] = (part[:, : rolls.shape[2]] for part in found)
        return rolls, picks

    def actions(self, turn, bold=False):
        """See :meth:`Race.actions`; with the cautious turn or the bold one."""
        side = 1 if bold else -(int(turn[ROW]) in self.shares)
        return super().actions(turn, side * self.number(1) / NEAR)
