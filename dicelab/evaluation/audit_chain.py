"""For the auditor: a Markov chain of positions, solved class by class.

A *position* is the start of a turn: whose turn it is, and the states of all players. A state is a score with its
register, and what a policy remembers. Against a deadline, the number of turns left says whose turn it is. A *last turn*
is a turn like others; its positions have the states of those who have one yet, the points above the target to beat, and
the *holders*, who have these. Let all decisions be given. From position s, a turn leads to position t with probability
P(s, t), or play ends; both are found by walking the turn (:class:`Turns`). Let r(s) be what the end pays on average,
plus what a turn pays. The expected payoff u solves

    u(s) = r(s) + Σ P(s, t)·u(t),      that is,      u = (I - P)⁻¹·r.                           (1)

Positions that lead to each other are a *class*. Holds lead to larger scores, so that most classes are
small: in Pig a pair of positions, tied by busts. We solve (1) class by class, each after those to
which it leads. (I - P)⁻¹ of a class has the expected numbers of visits. We compute it by an
elimination without subtractions, so that no digits are lost where turns nearly always bust.

Positions from which no end can be reached are found on the graph of P. Endless play is worth 1/n to
each of n players, a margin of 0, and infinitely many turns.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from .._accuracy import ConvergenceError
from .._limits import BoundedCache, check_memory, progress
from .._shown import title_of
from ..games.model import LAST_TURN, Game, roles_of
from ..games.registers import scores_of
from ..policies import branching_outcomes
from .audit_turns import BUSTED, FINISHED, UNSAID, Turns, expected_visits, read_rules

__all__ = ["ALLOWED", "LEAST_TOLD", "ROUNDED", "Race"]

ALLOWED = 1e-12  # of a value, in its unit
ROUNDED = 1e-15  # for each expected turn
LEAST_TOLD = 1e-6  # the coarsest that values, and deviations, are told
BLOCK = 48 * 2**20  # bytes of the values within the turns that are walked at a time
NOTHING = 1e-20  # a probability of turns that can be left out, far above the target
LARGE = 500  # positions of a class, from which on it is eliminated by a sparse solver


@dataclass(frozen=True, eq=False)
class Mover:
    """Whose turn it is in some positions.

    Parameters
    ----------
    player : int
    policy : Policy
    players : tuple of int
        Whose states tell these positions apart, by the axes of `shape`. In a last turn one more axis has the points
        above the target to beat.
    left : tuple of int
        Who has a last turn yet, in order of play, after a turn that reaches the target or that is a last turn.
    first : int
        The number of the first of these positions.
    shape : tuple of int
    following : int
        The number of the first position of the next mover.
    holders : tuple of int
        Who have the score to beat, if this is a last turn.
    """

    player: int
    policy: Any
    players: tuple
    left: tuple
    first: int
    shape: tuple
    following: int = 0
    holders: tuple = ()

    @property
    def positions(self):
        """The numbers of its positions."""
        return self.first + np.arange(int(np.prod(self.shape)))

    def states(self, at):
        """The states of its `players` at positions, and by None the points to beat; a dict of (R,)."""
        states = np.unravel_index(at - self.first, self.shape)
        return dict(zip((*self.players, None), states, strict=False))

    def number(self, *states):
        """The number of a position."""
        return self.first + np.ravel_multi_index(states, self.shape)


def _levels(links):
    """The nodes of a graph without circles, in arrays: each node after all those to which it leads."""
    backwards, left = links.T.tocsr(), np.diff(links.indptr)
    level = np.flatnonzero(left == 0)
    while len(level):
        yield level
        before, links_to = np.unique(backwards[level].indices, return_counts=True)
        left[before] -= links_to
        level = before[left[before] == 0]


def _times(visits, right, transposed):
    """The visits within classes, (B, k, k) or an elimination, times numbers (B, k)."""
    if not isinstance(visits, np.ndarray):
        return visits.solve(right[0], "T" if transposed else "N")[None]
    return np.einsum("bji,bj->bi" if transposed else "bij,bj->bi", visits, right)


class Race:
    """The Markov chain of all positions, with every player's decisions given.

    The first `main` positions are those before anybody has reached the target. An end of play has a number, too, that
    of a position after the last one: `winners` are the ends, and `shares` what they pay to each player.

    Parameters
    ----------
    game : Game
    policies : sequence of Policy
        Of the players in order of play; the first of them begins.
    turns : int
        The turns until a deadline, or 0.
    above : int
        Turns that are answered by a last turn are followed at least so far above the target.
    """

    def __init__(self, game: Game, policies: Sequence[Any], turns: int = 0, above: int = 0):
        self.game, self.rules, self.scores = game, read_rules(game), scores_of(game)
        self.memories = [getattr(policy, "memory", 1) for policy in policies]
        self.players, self.deadline = len(policies), turns
        self.shape = tuple(len(game.scores) * memory for memory in self.memories)
        self.size = int(np.prod(self.shape))  # main positions of one mover
        self.above = self._reach(policies, above) if game.finish in LAST_TURN else 0
        self.longest = game.longest + 2 * self.above  # enough to beat any score that is reached
        # the points that finish, or that are followed at most
        self.need = np.where(self.above, self.longest, self.scores.missing)
        self.answers = BoundedCache(BLOCK)  # of policies
        self.movers: list[Mover] = []
        self.last: dict = {}  # movers of last turns, by those who have one yet, and the holders
        self._add_movers(policies)
        self.winners = [
            some for k in range(self.players + 1) for some in combinations(range(self.players), k)
        ]
        self.shares = np.array(
            [
                [(p in some) / max(len(some), 1) for p in range(self.players)]
                for some in self.winners
            ]
        )
        most = min(self.longest, 2 * game.most_points * len(game.modes))
        size = 2 * 24 * self.count * most + 4 * BLOCK
        check_memory(size, f"an audit of {title_of(game)}", "take a smaller target")

    def _reach(self, policies, above):
        """How far above the target a turn may get: from where nobody rolls who may hold, by what must be rolled."""
        game, rolls = self.game, self.rules.rolls
        forced = {m for m, mode in enumerate(game.modes) if not mode.may_hold}
        onward = (
            sum(roll.probability for roll in rolls[m] if forced & {to for _, to in roll.choices})
            for m in forced
        )
        stays = max([NOTHING, *onward])
        rounds = int(np.ceil(np.log(NOTHING) / np.log(stays))) if stays < 1.0 else 200
        least = max(
            above,
            *(1 + getattr(policy, "above", 0) for policy in policies),
            self.scores.least_hold.max(),
            game.most_paid,
        )
        beaten = max(self.players - 1, 1) * (least + game.most_points)  # by one after the other
        return beaten + rounds * game.most_points

    def _add_movers(self, policies):
        """Number all positions: those of each mover, and then those of last turns."""
        everybody, n = tuple(range(self.players)), self.players
        for turn in range(self.deadline or n):
            player = turn % n
            policy, later = policies[player], everybody[player + 1 :]
            left = {"last licks": later + everybody[:player], "equal turns": later}
            left = left.get(self.game.finish, ())
            role = player if policy.players > 2 else int(not later)
            policy = policy.when(
                role=role if self.game.finish == "equal turns" else None,
                turns_left=self.deadline - turn if self.deadline else None,
            )
            first, next_turn = turn * self.size, (turn + 1) % (self.deadline or n)
            self.movers.append(
                Mover(player, policy, everybody, left, first, self.shape, next_turn * self.size)
            )
        self.main = self.count = len(self.movers) * self.size
        for mover in self.movers:  # it grows by the last turns
            for holders in filter(None, self.holders_after(mover)):
                if mover.left and (mover.left, holders) not in self.last:
                    player, *left = mover.left
                    shape = (*(self.shape[p] for p in mover.left), self.above)
                    policy, first = self.movers[player].policy, self.count
                    new = Mover(player, policy, mover.left, tuple(left), first, shape, 0, holders)
                    self.last[mover.left, holders] = new
                    self.movers.append(new)
                    self.count += len(new.positions)

    def holders_after(self, mover):
        """Who has the score to beat after a turn that beats it, or the target, one that draws, and one that fails."""
        shared = tuple(sorted({mover.player, *mover.holders}))
        return (mover.player,), shared if roles_of(self.game) > 1 else mover.holders, mover.holders

    @property
    def start(self):
        """The number of the position at the beginning, within those of one mover."""
        return self.movers[0].number(*(self.scores.begin * memory for memory in self.memories))

    def position(self, number):
        """The scores of all players at a position, as text, the mover's first; in a last turn of those who are left."""
        mover = next(m for m in reversed(self.movers) if m.first <= number)
        states = mover.states(number)
        order = sorted(mover.players, key=lambda p: (p - mover.player) % self.players)
        said = "-".join(str(self.game.scores[states[p] // self.memories[p]]) for p in order)
        return said + (f", {self.game.target + states[None]} to beat" if mover.holders else "")

    # Turns of many positions

    def blocks(self, movers):
        """All positions of some movers, some at a time.

        Yields
        ------
        mover : Mover
        at : ndarray of int (R,)
            The numbers of positions. Where a policy mixes two turns a position stands here twice.
        turns : Turns
        share : ndarray (R,)
            How often each is played.
        """
        row = 8 * len(self.game.modes) * (self.longest + self.game.most_points)
        for mover in movers:
            order = np.argsort(mover.states(mover.positions)[mover.player], kind="stable")
            numbers = mover.positions[order].reshape(self.shape[mover.player], -1)  # by own state
            together = max(1, BLOCK // (row * numbers.shape[1]))
            ranges = range(0, len(numbers), together)
            for first in progress(ranges, f"auditing {title_of(self.game)}", "block"):
                states = enumerate(numbers[first : first + together], first)
                parts = (part for state, at in states for part in self.ask(mover, state, at))
                at, share, *decisions = map(np.concatenate, zip(*parts, strict=True))
                own = mover.states(at)[mover.player] // self.memories[mover.player]
                by_state = self.need, self.scores.least_hold, self.scores.mode
                need, least, start = (part[own] for part in by_state)
                decisions = (
                    np.ascontiguousarray(part.transpose(1, 2, 0)[:, : need.max()])
                    for part in decisions
                )
                yield mover, at, Turns(self.rules, need, least, start, *decisions), share

    def ask(self, mover, state, at):
        """The turns of one own state at the positions `at`.

        A policy for two players plays against the leader.

        Yields
        ------
        tuple
            Positions; how often the turn is played there; whether to roll, (R, modes, K); choices, (R, branches, K).
        """
        game, policy = self.game, mover.policy
        place, memory = divmod(state, self.memories[mover.player])
        own, missing = game.scores[place], int(self.scores.missing[place])
        states = mover.states(at)
        order = [(mover.player + k) % self.players for k in range(1, self.players)]
        others = [states[p] // self.memories[p] for p in order if p in states]
        if policy.players > 2:
            beaten = [len(game.scores) + states[None] for _ in mover.holders]
            over = [0] * (self.players - 1 - len(others) - len(beaten))  # whose last turn is over
            places = np.stack(np.broadcast_arrays(place, *others, *beaten, *over), axis=1)
            bold = np.array([float(policy.bold_turns.get((*p,), 0)) for p in places.tolist()])
            for which, share in enumerate((1 - bold, bold)):
                rows, now = share > 0, policy.when(bold=bool(which))
                asked = places[rows], len(branching_outcomes(game))
                given = self._kept(now.decide_all, *asked, key=asked[0].tobytes())
                yield at[rows], share[rows], *self._padded(missing, *given)
            return
        if mover.holders:
            row, given = states[None], policy.last_turn_at(game, own, self.above, memory)
        elif not others:
            turn = policy.turn_at(game, own, game.scores[0], memory, choices=True)
            wide = [(0, 0), (0, self.longest - missing)]
            row, given = 0 * at, (np.pad(part, wide)[None] for part in turn)
        else:
            row = np.max(others, axis=0)
            given = self._kept(policy.actions_at, game, own, memory, key=(place, memory))
            if self.above and not getattr(policy, "above", 0):
                given = (part[..., :missing] for part in given)
        rolls, takes = self._padded(missing, *given)
        yield at, np.ones(len(at)), rolls[row], takes[row]

    def _kept(self, question, *asked, key):
        """What a policy answers, which is kept as long as there is room."""
        return self.answers.get(
            (question, key),
            lambda: tuple(question(*asked)),
            lambda given: sum(part.nbytes for part in given),
        )

    def _padded(self, missing, rolls, takes):
        """Decisions up to the last turn total; behind those that are given a player holds who may.

        A choice after a roll that nobody makes, at the target or above it, is not said.
        """
        if rolls.shape[-1] == self.longest:
            return rolls, takes
        takes = takes[..., : max(rolls.shape[-1], 1)]
        wide = [(0, 0), (0, 0), (0, max(self.longest - rolls.shape[-1], 0))]
        rolls = np.pad(rolls.astype(float), wide)[..., : self.longest]
        rolls[:, [m for m, mode in enumerate(self.game.modes) if not mode.may_hold]] = 1.0
        takes = np.pad(takes, wide, mode="edge")[..., : self.longest]
        of_branches = [
            m for m, each in enumerate(self.rules.rolls) for roll in each if roll.branch is not None
        ]
        takes[:, :, missing:][rolls[:, of_branches, missing:] == 0.0] = UNSAID
        return rolls, takes

    # The chain

    def after(self, mover, at, size):
        """Where turns lead: the numbers of positions or ends, and the points above the target; (K + 3, R) by ends.

        The points are negative below the target.
        """
        scores, states, totals = self.scores, mover.states(at), np.arange(size)[:, None]
        memory = self.memories[mover.player]
        place, known = np.divmod(states[mover.player], memory)
        count, step = len(scores.missing) * memory, scores.step * memory
        held = scores.after_hold[place] * memory + np.minimum(known + 1, memory - 1)
        busted = scores.after_bust[place] * memory + known
        begins = np.full(len(at), scores.begin * memory)
        after = np.concatenate(
            [held + totals * step, [held + self.need[place] * step, busted, begins]]
        )
        above, beaten = (after - count) // step, states.get(None, -1)
        if mover.holders:
            _, *unbeaten = self.holders_after(mover)
            draws, fails = (self._answered(mover, states, some, beaten) for some in unbeaten)
            other = np.where(above == beaten, draws, fails)
        elif self.deadline and mover is self.movers[-1]:
            other = self.count + self.winners.index(())
        else:
            moved = states | {mover.player: np.minimum(after, count - 1)}
            other = mover.following - mover.first + mover.number(*moved.values())
        beats = self._answered(mover, states, (mover.player,), above)
        return np.where(above > beaten, beats, other), above

    def _answered(self, mover, states, holders, above):
        """The number of the position or the end where somebody has the score to beat."""
        if not mover.left:
            return self.count + self.winners.index(holders)
        states = [states[p] for p in mover.left]
        return self.last[mover.left, holders].number(*states, np.clip(above, 0, self.above - 1))

    @cached_property
    def chain(self):
        """The chances of all turns.

        Returns
        -------
        moves, ends : csr_array (positions, positions), (positions, ends)
        over : ndarray (positions,)
            The expected points beyond the target of turns that finish.
        total : ndarray (positions,)
            The probability of all ends, 1; more, if a probability is negative.
        """
        from scipy.sparse import coo_array

        entries, (over, total) = [], np.zeros((2, self.count))
        for mover, at, turns, share in self.blocks(self.movers):
            ends, size = turns.walked[0] * share, turns.rolls.shape[1]
            if self.above:  # a turn that goes on and on, to the last total, is a bust
                ends[size + BUSTED] += ends[size + FINISHED]
                ends[size + FINISHED] = 0.0
            after, above = self.after(mover, at, size)
            np.add.at(total, at, abs(ends[:-1]).sum(axis=0))
            beyond = (ends[size:-1] * np.maximum(above[size:], 0)).sum(axis=0)
            np.add.at(over, at, ends[-1] + beyond)
            end, row = np.nonzero(ends[:-1] > 0)
            entries.append((ends[end, row], at[row], after[end, row]))
        chances, rows, columns = map(np.concatenate, zip(*entries, strict=True))
        shape = self.count, self.count + len(self.winners)
        table = coo_array((chances, (rows, columns)), shape=shape).tocsr()
        return table[:, : self.count], table[:, self.count :], over, total

    @cached_property
    def finish(self):
        """By position, the chance that the turn ends play."""
        return self.chain[1].sum(axis=1)

    def leading_to(self, found):
        """From which positions some positions can be reached, (positions,) of bool."""
        more = found | (self.chain[0] @ found.astype(float) > 0)
        while (more != found).any():
            found, more = more, more | (self.chain[0] @ more.astype(float) > 0)
        return found

    @cached_property
    def ending(self):
        """From which positions an end can be reached, (positions,) of bool."""
        return self.leading_to(self.finish > 0)

    @cached_property
    def surely(self):
        """From which positions play ends with probability 1, (positions,) of bool."""
        return self.ending if self.ending.all() else ~self.leading_to(~self.ending)

    @cached_property
    def system(self):
        """The positions that can end, in classes that lead to each other, each after those to which it leads.

        A list of tuples: the positions (B, k) of B classes that do not depend on each other, the expected visits within
        a class (B, k, k), or the elimination of a large class, and the moves that lead out of the class.
        """
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        moves = self.chain[0]
        classes, label = connected_components(moves, connection="strong")
        rows, columns = moves.tocoo().coords
        out = label[rows] != label[columns]
        outside = csr_array((moves.data[out], (rows[out], columns[out])), shape=moves.shape)
        links = csr_array(
            (moves.data[out], (label[rows[out]], label[columns[out]])), shape=(classes, classes)
        )
        leave = self.finish + outside.sum(axis=1)
        sizes = np.bincount(label, minlength=classes)
        members = np.argsort(label, kind="stable")
        first, parts = np.cumsum(sizes) - sizes, []
        for level in _levels(links):
            level = level[self.ending[members[first[level]]]]
            for size in np.unique(sizes[level]).tolist():
                at = members[first[level[sizes[level] == size]][:, None] + np.arange(size)]
                if size > LARGE:
                    parts += [self._eliminated(one, outside) for one in at]
                else:
                    block = moves[at.repeat(size, axis=1), np.tile(at, size)].toarray()
                    visits = expected_visits(block.reshape(-1, size, size), leave[at])
                    parts.append((at, visits, outside[at.ravel()]))
        return parts

    def _eliminated(self, one, outside):
        """A part of the `system` for one large class."""
        from scipy.sparse import eye_array
        from scipy.sparse.linalg import splu

        sums = sum(self.movers[0].states(one % self.size).values())
        one = one[np.argsort(-sums, kind="stable")]  # holds lead to larger sums, penalties do not
        matrix = (eye_array(len(one), format="csr") - self.chain[0][one][:, one]).tocsc()
        order = "COLAMD" if self.game.has_penalties else "NATURAL"
        try:
            eliminated = splu(matrix, order, diag_pivot_thresh=0.0)
        except RuntimeError:
            raise ConvergenceError(
                f"{title_of(self.game)}: turns nearly always bust, and float64 cannot tell how play goes on"
            ) from None
        return one[None], eliminated, outside[one]

    def solve(self, pays, endless=0.0, transposed=False):
        """Solve (1): `pays` is r, by position, and positions without an end have the value `endless`.

        Or the transposed equations: the expected visits of all positions, where play begins with the chances `pays`.
        """
        if transposed:
            found, flow = np.zeros(len(pays)), pays.copy()
            for at, visits, outside in reversed(self.system):
                found[at] = _times(visits, flow[at], True)
                flow += found[at].ravel() @ outside
            return found
        found = np.where(self.ending, 0.0, endless)
        for at, visits, outside in self.system:
            found[at] = _times(visits, pays[at] + (outside @ found).reshape(at.shape), False)
        return found

    # Values

    @cached_property
    def chances(self):
        """Everybody's chance to win, (players, positions)."""
        pays = self.chain[1] @ self.shares
        return np.array([self.solve(won, 1.0 / self.players) for won in pays.T])

    def margins(self, overshoot=False):
        """The expected gain of player 0, by position, in points; the loser pays what the loser still needs."""
        gains = self.finish * self.needs + overshoot * self.chain[2]
        return self.solve(np.where(np.arange(self.count) < self.size, gains, -gains))

    @cached_property
    def needs(self):
        """The points that the other one of two players still needs, by position."""
        missing = (self.game.target - np.array(self.game.scores, dtype=int)).astype(float)
        states = self.movers[0].states(np.arange(self.size))
        return np.concatenate([missing[states[k] // self.memories[k]] for k in (1, 0)])

    @cached_property
    def turns(self):
        """The expected number of turns, by position; infinite where play may be endless."""
        return np.where(self.surely, self.solve(np.ones(self.count)), np.inf)

    def deviation(self):
        """The standard deviation of the number of turns at the start; nan if play may be endless."""
        if not np.isfinite(self.turns[self.start]):
            return np.nan
        means, moves = np.where(self.surely, self.turns, 0.0), self.chain[0].tocoo()
        rows, columns = moves.coords
        spread = self.finish * (1 - means) ** 2  # of the mean after a turn about the mean before
        np.add.at(spread, rows, moves.data * (1 + means[columns] - means[rows]) ** 2)
        return float(self.solve(np.where(self.surely, spread, 0.0))[self.start] ** 0.5)

    @cached_property
    def allowed(self):
        """By how much values may be off: more where a large class of positions is eliminated with subtractions."""
        if all(isinstance(visits, np.ndarray) for _, visits, _ in self.system):
            return ALLOWED
        lasts = float(self.solve(np.ones(self.count)).max())
        if not ROUNDED * lasts <= LEAST_TOLD:
            raise ConvergenceError(
                f"{title_of(self.game)}: play lasts {lasts:.0e} turns, too long for a second opinion in float64"
            )
        return max(ALLOWED, ROUNDED * lasts)

    def judge(
        self, mover, at, turns, values, best=False, ends=None, stakes=1.0, over=0.0, step=0.0
    ):
        """What turns are worth to the mover, and what other decisions would gain, see :meth:`Turns.judge`.

        Parameters
        ----------
        values : ndarray (positions,)
            Of all positions, to this player.
        best : bool
            Whether the turns go on with the best decisions.
        ends : ndarray, optional
            What the `winners` are worth; by default their shares.
        stakes : float or ndarray (positions,)
            What is paid where play ends is this times `ends`.
        over, step : float
            What each point beyond the target is worth, and each turn.
        """
        size = turns.rolls.shape[1]
        after, above = self.after(mover, at, size)
        ends = self.shares[:, mover.player] if ends is None else ends
        pays, stakes = np.append(values, ends)[after], np.broadcast_to(stakes, self.count)[at]
        pays = np.where(after < self.count, pays, pays * stakes) + step
        pays[size:] += over * np.maximum(above[size:], 0)
        pays = np.append(pays, np.full((1, len(at)), over), axis=0)
        return turns.judge(pays, best, self.is_met_again(mover))

    def is_met_again(self, mover):
        """Whether the same decision is met again after a bust."""
        return not (self.deadline or mover.holders)

    def deviations(self, mover, values, relative=False, **stakes):
        """The most that one other decision of a mover gains, by position, and how many decisions there are."""
        gains, count = np.zeros(len(mover.positions)), 0
        for _, at, turns, share in self.blocks([mover]):
            value, gain, compared, _ = self.judge(mover, at, turns, values, **stakes)
            off = abs(value - values[at])  # who mixes two turns must find both best
            gain = np.maximum(gain, np.where(share < 1, 2 * off, 0.0))
            np.maximum.at(gains, at - mover.first, gain / (1 + abs(value)) if relative else gain)
            count += compared
        return gains, count

    def can_stay(self, player, values, endless):
        """How many positions have a smaller value than endless play, although a player can stay among them for ever."""
        moves, paid = self.chain[0], np.full(len(self.winners), -1.0)
        theirs = np.arange(self.count) // self.size != player  # as nobody stays in a last turn
        stay = (values < endless - 1e-9) & (np.arange(self.count) < self.main)
        before = np.zeros_like(stay)
        while (stay != before).any():
            before = stay
            stay = before & ~(theirs & ((self.finish > 0) | (moves @ (~before).astype(float) > 0)))
            kept = np.where(stay, 0.0, -1.0)
            mine = (m for m in self.movers if m.player == player and stay[m.positions].any())
            for mover, at, turns, _ in self.blocks(mine):
                stay[at] &= self.judge(mover, at, turns, kept, True, paid)[0] == 0.0
        return int(stay.sum())
