"""A second opinion: every result evaluated again, from the rules alone, by a Markov chain of positions.

The auditor shares the rules with the rest of the package, and asks policies what they do. All else
is written anew: a loop over the places of a turn, and a sparse linear system over all positions.

Positions
---------
A *position* is the start of a turn: whose turn it is, and the states of all players. A state is a
score with its register, and what a policy remembers. Against a deadline, the number of turns left
says whose turn it is. Let all decisions be given. From position s, a turn leads to position t with
probability P(s, t), or play ends. Both are found by walking the turn forwards, from place to place;
a *place* is a turn total and a mode (:class:`Turns`). Let r(s) be what the end pays on average, plus
what a turn pays. The expected payoff u solves

    u(s) = r(s) + Σ P(s, t)·u(t),      that is,      u = (I - P)⁻¹·r.                           (1)

Positions that lead to each other are a *class*. Holds lead to larger scores, so that most classes are
small: in Pig a pair of positions, tied by busts. We solve (1) class by class, each after those to
which it leads. (I - P)⁻¹ of a class has the expected numbers of visits. We compute it by an
elimination without subtractions, so that no digits are lost where turns nearly always bust.

Positions from which no end can be reached are found on the graph of P. Endless play is worth 1/n to
each of n players, a margin of 0, and infinitely many turns.

Why this is a proof
-------------------
A *deviation* is one other decision of one player, all others staying as they are. Suppose that

1. the policies attain the value u, by (1);
2. no deviation of the player gains anything, at any place of any position;
3. the player cannot make sure to stay for ever in positions where u is less than endless play.

Then no policy of this player gets more than u against the others. *Proof.* Let the player follow any
other policy. By 2 the value of the place does not rise on average from decision to decision, so it is
a bounded supermartingale, and has a limit. If play ends, the limit is what is paid. In endless play
the value is again and again at least what endless play is worth, by 3 and since there are finitely many
positions; so the limit is, too. Hence the expected payoff is at most u at the start. □

In a race of two players in which both have the same policy, u is therefore what each can enforce: the
value of the game. With more players it is an equilibrium. In the objective "turns", 2 says that the
mean T is at most n plus the expected T after n turns, for every policy; the second part vanishes if the
policy ends in a finite mean time. In "score" a turn ends with probability 1; a deadline ends play.

What is assumed is float64. Values may be off by 1e-12; more, where a class has over 500 positions,
if 1e-15 times the expected number of turns is more. A deviation may gain 1e-11: the package counts
decisions within 1e-12 of each other as ties. All this is relative where numbers exceed 1.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .._accuracy import TIE, ConvergenceError
from .._limits import check_memory, progress
from .._results import Result
from .._shown import name_of, title_of
from .._validation import invalid
from ..games.model import BUST, LAST_TURN, RESET, Game, check_game
from ..games.registers import Score
from ..policies import branching_outcomes, hold_at
from ..solution import Solution, turns_in_words
from .grade import Grade
from .match import Match
from .simulation import Estimate

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Audit", "audit"]

ALLOWED = 1e-12  # of a value, in its unit
ROUNDED = 1e-15  # for each expected turn
GAIN = 1e-11  # of a deviation: ten times what counts as a tie
LEAST_TOLD = 1e-6  # the coarsest that values are told
STANDARD_ERRORS = 5
BLOCK = 48 * 2**20  # bytes of the values within the turns that are walked at a time
FAR = 1e30  # turns that count as infinitely many
NOTHING = 1e-20  # a probability of turns that can be left out, far above the target
LARGE = (
    500  # positions that lead to each other, from which on they are eliminated by a sparse solver
)
UNSAID = 255  # a choice that a policy does not tell, since its turns do not get there
MOST_WAYS = 4096  # to choose beyond the target


# Turns


class Roll(NamedTuple):
    """An outcome of a roll: its probability, "bust", "reset" or None, its choices, and its number if it has several."""

    probability: float
    ends: str | None
    choices: list  # of (points, mode)
    branch: int | None


class Rules(NamedTuple):
    """The rules of a turn as numbers, by mode."""

    rolls: list  # of lists of Roll, given that the roll changes something
    may_hold: list
    must_hold: list
    order: tuple  # of the modes, each after those to which it leads with 0 points
    most_points: int
    beyond: np.ndarray  # (4, modes) how a turn ends at the target: finish, reset, bust, points that it then still gains
    exact: bool  # a total beyond the target is a bust


@lru_cache(maxsize=32)
def read_rules(game, free=frozenset()):
    """The :class:`Rules` of a game; the modes in `free` are never left by a hold at the target and beyond it."""
    rolls, branches = [], 0
    for mode in game.until_change.modes:
        rolls.append([])
        for outcome in mode.outcomes:
            choices = [(choice.points, game.mode(choice.mode)) for choice in outcome.choices]
            several = len(choices) > 1
            ends = outcome.result if not choices else None
            rolls[-1].append(
                Roll(float(outcome.probability), ends, choices, branches if several else None)
            )
            branches += several
    may_hold, must_hold = (
        [getattr(mode, name) for mode in game.modes] for name in ("may_hold", "must_hold")
    )
    stops = [may and m not in free for m, may in enumerate(may_hold)]
    exact = game.finish == "exact"
    reached = {game.mode(name) for name in game.reached_with_points}
    beyond = (
        _at_target(rolls, stops, game.order)
        if exact
        else _beyond_target(game, rolls, stops, reached)
    )
    return Rules(rolls, may_hold, must_hold, game.order, game.most_points, beyond, exact)


def _at_target(rolls, stops, order):
    """How a turn ends that has reached the target and may not pass it; see :class:`Rules`."""
    ends = np.zeros((4, len(rolls)))
    for m in order:
        if stops[m]:
            ends[0, m] = 1.0
            continue
        for roll in rolls[m]:
            onward = [ends[:, mode] for points, mode in roll.choices if not points]
            best = max(onward, key=lambda end: end[0], default=np.array([0.0, 0.0, 1.0, 0.0]))
            if len(onward) > 1 and any(end[1] for end in onward):
                raise NotImplementedError(
                    "choices between a finish and a reset at the target are not audited"
                )
            ends[:, m] += roll.probability * (
                np.array([0.0, 1.0, 0.0, 0.0]) if roll.ends == RESET else best
            )
    return ends


def _beyond_target(game, rolls, stops, reached):
    """How a turn ends that has reached the target and rolls on where it must; see :class:`Rules`.

    A player who has a choice there takes the way that finishes most often, and of those the one with the most points.
    """
    forced = [m for m in sorted(reached) if not stops[m]]
    places = [(m, roll) for m in forced for roll in rolls[m] if roll.choices]
    options = [
        {mode: max(p for p, to in roll.choices if to == mode) for _, mode in roll.choices}
        for _, roll in places
    ]
    if np.prod([float(len(option)) for option in options]) > MOST_WAYS:
        raise NotImplementedError(
            f"{game.name} has too many ways to choose beyond the target to be audited"
        )
    ways, row = [], {m: k for k, m in enumerate(forced)}
    for taken in product(*(option.items() for option in options)):
        moves = np.zeros((len(forced), len(forced)))
        ends = np.zeros((len(forced), 3))
        for m in forced:
            ends[row[m], 1:] = [
                sum(r.probability for r in rolls[m] if r.ends == kind) for kind in (RESET, BUST)
            ]
        for (m, roll), (mode, _) in zip(places, taken, strict=True):
            if stops[mode]:
                ends[row[m], 0] += roll.probability
            else:
                moves[row[m], row[mode]] += roll.probability
        with np.errstate(invalid="ignore", divide="ignore"):
            visits = expected_visits(moves[None].copy(), ends.sum(axis=1)[None])[0]
            way = np.zeros((4, len(rolls)))
            gains = np.zeros(len(forced))
            way[0, stops], way[:3, forced] = 1.0, (visits @ ends).T
            for (m, roll), (mode, points) in zip(places, taken, strict=True):
                gains[row[m]] += roll.probability * points * way[0, mode]
            way[3, forced] = visits @ gains
        if np.isfinite(way).all():  # otherwise it goes round for ever
            ways.append(way)
    if len(ways) > 1 and any(way[1].any() for way in ways):
        raise NotImplementedError(
            f"{game.name}: choices between a finish and a reset at the target are not audited"
        )
    ends = np.stack(ways, axis=-1)  # (4, modes, ways)
    best = np.lexsort((ends[3], ends[0].round(12)), axis=-1)[:, -1]
    return ends[:, np.arange(len(rolls)), best]


def expected_visits(moves, ends):
    """How often each of k states is visited, from each of them, in B chains at once: the inverse of I - P.

    By the elimination of Grassmann, Taksar and Heyman (1985), which has no minus sign and loses no digits.

    Parameters
    ----------
    moves : ndarray (B, k, k)
        P. Overwritten.
    ends : ndarray (B, k)
        The probability to leave these states; with the row of P it sums to 1.

    Returns
    -------
    ndarray (B, k, k)
    """
    ends, size = ends.copy(), moves.shape[1]
    visits = np.tile(np.eye(size), (len(moves), 1, 1))
    away = np.empty(ends.shape)
    for n in range(size - 1, -1, -1):
        away[:, n] = ends[:, n] + moves[:, n, :n].sum(axis=1)
        share = moves[:, :n, n] / away[:, n, None]
        moves[:, :n, :n] += share[:, :, None] * moves[:, n, None, :n]
        ends[:, :n] += share * ends[:, n, None]
        visits[:, :n] += share[:, :, None] * visits[:, n, None]
    for n in range(size):
        visits[:, n] = (visits[:, n] + (moves[:, n, None, :n] @ visits[:, :n])[:, 0]) / away[
            :, n, None
        ]
    return visits


class Ends(NamedTuple):
    """How R turns end."""

    hold: np.ndarray  # (K, R) the probability of a hold, by turn total
    finish: np.ndarray  # (R,)
    over: np.ndarray  # (R,) expected points beyond the target of turns that finish
    bust: np.ndarray  # (R,)
    reset: np.ndarray  # (R,)

    def mixed_with(self, other, share):
        """These ends and other ones, which have a `share` (R,)."""
        return Ends(
            *(mine + share * (theirs - mine) for mine, theirs in zip(self, other, strict=True))
        )

    @property
    def total(self):
        """The probability of all ends, 1; more, if a probability is negative."""
        return abs(self.hold).sum(axis=0) + abs(self.finish) + abs(self.bust) + abs(self.reset)


class Payoffs(NamedTuple):
    """What the ends of R turns are worth to the player."""

    hold: np.ndarray  # (K, R)
    finish: Any  # (R,), or a number
    over: float  # for each point beyond the target
    bust: Any
    reset: Any


class Judged(NamedTuple):
    """What R turns are worth, and what their decisions lose."""

    value: np.ndarray  # (R,)
    gain: np.ndarray  # (R,) the most that one other decision gains
    decisions: int  # that were compared with others
    given_away: np.ndarray  # (R,) what decisions lose, times how often they are met


@dataclass(frozen=True, eq=False)
class Turns:
    """R turns with their decisions.

    Parameters
    ----------
    rules : Rules
    need, least, start : ndarray of int (R,)
        The points that finish, the fewest points of a hold, and the mode in which the turn begins.
    rolls : ndarray (modes, K, R)
        Whether to roll, or the probability to roll, by mode and turn total; K is at least every `need`.
    takes : ndarray (branches, K, R)
        The choices taken.
    """

    rules: Rules
    need: np.ndarray
    least: np.ndarray
    start: np.ndarray
    rolls: np.ndarray
    takes: np.ndarray

    @property
    def ends(self) -> Ends:
        """How the turns end."""
        return self.walked[0]

    @property
    def mass(self) -> np.ndarray:
        """How often the turns come to each place, (K + P, modes, R), where P is the most points of a roll."""
        return self.walked[1]

    @cached_property
    def walked(self):
        """The ends and the mass: forwards from the first roll, one turn total after the other."""
        rules, (modes, size, rows) = self.rules, self.rolls.shape
        mass = np.zeros((size + rules.most_points, modes, rows))
        mass[0, self.start, np.arange(rows)] = 1.0
        hold, (finish, over, bust, reset) = np.zeros((size, rows)), np.zeros((4, rows))
        for total in range(len(mass)):
            arrived, excess = total >= self.need, total - self.need
            for m in rules.order[::-1]:  # each before the modes to which it leads with 0 points
                here = mass[total, m]
                if not here.any():
                    continue
                if arrived.any():
                    ends = np.where(arrived, here, 0.0) * self._beyond(m, excess)
                    finish, reset, bust, over = (
                        finish + ends[0],
                        reset + ends[1],
                        bust + ends[2],
                        over + ends[3],
                    )
                    if arrived.all() or total >= size:
                        continue
                    here = np.where(arrived, 0.0, here)
                rolled = here * self.rolls[m, total]
                held = here - rolled
                hold[total] += np.where(total >= self.least, held, 0.0)
                bust += np.where(
                    total >= self.least, 0.0, held
                )  # where one must hold with too few points
                for roll in rules.rolls[m]:
                    share = roll.probability * rolled
                    if roll.ends == BUST:
                        bust += share
                    elif roll.ends == RESET:
                        reset += share
                    for number, (points, mode) in enumerate(roll.choices):
                        taken = (
                            share
                            if roll.branch is None
                            else share * (self.takes[roll.branch, total] == number)
                        )
                        mass[total + points, mode] += taken
        return Ends(hold, finish, over, bust, reset), mass

    def _beyond(self, m, excess):
        """How a turn ends in mode m with some points beyond the target, (4, R): finish, reset, bust, points."""
        ends = self.rules.beyond[:, m, None]
        if self.rules.exact:
            nothing = np.array([0.0, 0.0, 1.0, 0.0])[:, None]
            barred = np.stack([0 * ends[0], ends[1], 1 - ends[1], 0 * ends[3]])  # too few points
            ends = np.where(self.need >= self.least, ends, barred)
            return np.where(excess == 0, ends, nothing)
        return np.concatenate(
            [
                np.broadcast_to(ends[:3], (3, len(excess))),
                ends[3:] + ends[0] * np.maximum(excess, 0),
            ]
        )

    def judge(self, payoffs: Payoffs, best: bool = False, repeated: bool = True) -> Judged:
        """What the turns are worth, and what other decisions would gain: backwards, one turn total after the other.

        Values are counted above the bust value, so that they lose no digits where turns nearly always bust. Beside each
        stands the probability to leave the bust value, that is, to end the turn in any other way. A wrong choice is
        repeated until the bust value is left; so its gain is divided by the larger probability of both choices.

        Parameters
        ----------
        payoffs : Payoffs
        best : bool
            Whether the turn goes on with the best decisions, instead of those that are given.
        repeated : bool
            Whether the same decision is met again after a bust; not so against a deadline.
        """
        rules, (modes, size, rows) = self.rules, self.rolls.shape
        # Of every place the value above the bust value, and the probability to leave that.
        hold, finish, reset = (
            self._pair(end, payoffs.bust) for end in (payoffs.hold, payoffs.finish, payoffs.reset)
        )
        nodes = np.zeros((size + rules.most_points, modes, 2, rows))
        nothing = np.zeros((2, rows))
        may_be = self._may_be()
        gain = np.zeros(rows)
        given = np.zeros(rows)
        compared = 0

        def best_of(options, done, asked, met):
            """The best of some options, or the one that is taken; note what that loses, and how often it is met."""
            nonlocal gain, given, compared
            best_value, leave = np.max(options, axis=0)
            lost = np.where(asked, best_value - done[0], 0.0)
            gain = np.maximum(gain, lost / np.where(repeated & (leave > 0), leave, 1.0))
            compared += int(asked.sum())
            if not best:
                return done
            given += met * lost
            return choose(options, np.argmax(options, axis=0)[0])

        for total in range(len(nodes) - 1, -1, -1):
            arrived, excess = total >= self.need, total - self.need
            enough = (total >= self.least) & ~arrived
            for m in rules.order:
                if total >= size or arrived.any():
                    ends = self._beyond(m, excess)
                    at_end = ends[0] * finish + ends[1] * reset
                    at_end[0] += ends[3] * payoffs.over
                    nodes[total, m] = at_end
                    if total >= size or arrived.all():
                        continue
                asked = may_be[self.start, total, m] & ~arrived
                share = self.rolls[m, total]
                met = self.mass[total, m] if best else 0.0
                rolled = np.zeros((2, rows))
                for roll in rules.rolls[m]:
                    if roll.ends == RESET:
                        rolled += roll.probability * reset
                    if roll.ends:
                        continue
                    options = [nodes[total + points, mode] for points, mode in roll.choices]
                    done = options[0]
                    if roll.branch is not None:
                        done = choose(options, self.takes[roll.branch, total])
                        done = best_of(options, done, asked, met * share * roll.probability)
                    rolled += roll.probability * done
                held = np.where(enough, hold[:, total], nothing)
                done = np.where(
                    share == 1,
                    rolled,
                    np.where(share == 0, held, share * rolled + (1 - share) * held),
                )
                if rules.may_hold[m] and not rules.must_hold[m] and total:
                    done = np.where(
                        enough, best_of([rolled, held], done, asked & enough, met), done
                    )
                nodes[total, m] = np.where(arrived, nodes[total, m], done)
        return Judged(
            payoffs.bust + nodes[0, self.start, 0, np.arange(rows)], gain, compared, given
        )

    def _pair(self, end, bust):
        """The value of an end of turns above the bust value, and the probability 1 to leave that."""
        above = np.broadcast_to(end - bust, (*np.shape(end)[:-1], len(self.need)))
        return np.stack([above, np.ones_like(above)])

    def _may_be(self):
        """Whether a turn can come to each place, (starts, K + P, modes) of bool, whatever is decided."""
        rules, (modes, size, _) = self.rules, self.rolls.shape
        found = np.zeros((modes, size + rules.most_points, modes), dtype=bool)
        for start in set(self.start.tolist()):
            found[start, 0, start] = True
            for total, m in product(range(size), rules.order[::-1]):
                if found[start, total, m]:
                    for roll in rules.rolls[m]:
                        for points, mode in roll.choices:
                            found[start, total + points, mode] = True
        return found


def choose(options, number):
    """Of C arrays (2, R) the one with the given number, (R,); the best one where that is `UNSAID`."""
    number = np.where(
        number == UNSAID, np.argmax([option[0] for option in options], axis=0), number
    )
    return np.take_along_axis(np.array(options), number.astype(int)[None, None], axis=0)[0]


# Positions


class Mover(NamedTuple):
    """Whose turn it is in some positions: the player, the policy, and the number of the mover after this one."""

    player: int
    policy: Any
    following: int | None  # None at the deadline


def _levels(links):
    """The nodes of a graph without circles, in arrays: each node after all those to which it leads."""
    backwards, left = links.T.tocsr(), np.diff(links.indptr)
    level = np.flatnonzero(left == 0)
    while len(level):
        yield level
        before = backwards[level].indices
        np.subtract.at(left, before, 1)
        before = np.unique(before)
        level = before[left[before] == 0]


def _times(visits, right, transposed):
    """The visits within classes, (B, k, k) or an elimination, times numbers (B, k)."""
    if not isinstance(visits, np.ndarray):
        return visits.solve(right[0], "T" if transposed else "N")[None]
    return np.einsum("bji,bj->bi" if transposed else "bij,bj->bi", visits, right)


class Race:
    """The Markov chain of all positions, with every player's decisions given.

    Parameters
    ----------
    game : Game
    movers : sequence of Mover
        The first of them begins.
    memories : sequence of int
        The internal states of the players' policies, by player.
    """

    def __init__(self, game: Game, movers: Sequence[Mover], memories: Sequence[int]):
        self.game, self.movers, self.memories, self.rules = game, movers, memories, read_rules(game)
        scores, places = game.scores, len(game.scores)
        self.players, self.shape = len(memories), tuple(places * memory for memory in memories)
        self.size = int(np.prod(self.shape))  # positions of one mover
        self.count = len(movers) * self.size
        self.strides = [int(np.prod(self.shape[p + 1 :])) for p in range(self.players)]
        self.answers: dict = {}  # of policies, by own state
        self.step = len(game.registers) or 1  # places for one point
        self.begin = game.index(game.after_reset)
        self.missing = np.array([game.missing(score) for score in scores])
        self.least = np.array([game.register(score).least_hold for score in scores])
        self.modes = np.array([game.mode(game.register(score).mode) for score in scores])
        self.after_hold = np.array([game.index(game.after_hold(score, 0)) for score in scores])
        self.paid = np.array([-game.register(score).penalty for score in scores])
        after = [game.place_after_bust(score) for score in scores]
        self.after_bust = np.minimum(after, places - 1)  # beyond them is a finish: see `busted`
        most = min(game.longest, 2 * game.most_points * len(game.modes))
        said = f"an audit of {title_of(game)}"
        check_memory(
            2 * 24 * len(movers) * self.size * most + 4 * BLOCK, said, "take a smaller target"
        )

    @property
    def start(self):
        """The number of the position at the beginning, within those of one mover."""
        return sum(
            self.begin * memory * stride
            for memory, stride in zip(self.memories, self.strides, strict=True)
        )

    @property
    def sums(self):
        """The sums of the players' states, by position."""
        number = np.arange(self.count) % self.size
        return sum(
            number // stride % size for stride, size in zip(self.strides, self.shape, strict=True)
        )

    def position(self, number):
        """The scores of all players at a position, as text, beginning with the mover."""
        player = self.movers[number // self.size].player
        states = [
            number % self.size // stride % size
            for stride, size in zip(self.strides, self.shape, strict=True)
        ]
        scores = [
            self.game.scores[state // memory]
            for state, memory in zip(states, self.memories, strict=True)
        ]
        return "-".join(str(score) for score in scores[player:] + scores[:player])

    # Turns of many positions

    def blocks(self, mover):
        """All positions of a mover, some at a time: the positions, their turns, and perhaps bolder turns and a share.

        Yields
        ------
        at : ndarray of int (R,)
            Positions, within those of one mover.
        turns : Turns
        bold : None, or a pair of Turns and ndarray (R,)
            Turns that are played instead with a probability, by a policy that mixes.
        """
        player, policy, _ = self.movers[mover]
        numbers = np.arange(self.size).reshape(self.shape)
        memory = self.memories[player]
        each = self.size // self.shape[player]
        row = 8 * len(self.game.modes) * (self.longest + self.game.most_points)
        together = max(1, BLOCK // (row * each))
        states = np.arange(self.shape[player])
        said = f"auditing {title_of(self.game)}"
        for first in progress(range(0, len(states), together), said, "block"):
            block = states[first : first + together]
            at = [numbers.take(state, axis=player).ravel() for state in block]
            places = [divmod(int(state), memory) for state in block]
            parts = [self.ask(policy, *place, self.places_of_others(player, these), mover)
                     for place, these in zip(places, at, strict=True)]  # fmt: skip
            at, own = np.concatenate(at), np.repeat([place for place, _ in places], each)
            turns = self._turns(own, [part[:2] for part in parts])
            bold = None
            if any(part[2] is not None for part in parts):
                bold = self._turns(
                    own, [(part[:2] if part[2] is None else part[2][:2]) for part in parts]
                )
                bold = (
                    bold,
                    np.concatenate(
                        [np.zeros(each) if part[2] is None else part[2][2] for part in parts]
                    ),
                )
            yield at, turns, bold

    @property
    def longest(self):
        """The number of turn totals."""
        return int(self.missing.max())

    def _turns(self, own, decisions):
        """Turns by the places of the own score; `decisions` are arrays of rolls (R, modes, K) and choices."""
        rolls, takes = (
            np.concatenate([d[k] for d in decisions]).transpose(1, 2, 0) for k in (0, 1)
        )
        size = int(self.missing[own].max())
        rolls, takes = (np.ascontiguousarray(part[:, :size]) for part in (rolls, takes))
        return Turns(self.rules, self.missing[own], self.least[own], self.modes[own], rolls, takes)

    def places_of_others(self, player, at):
        """The places of the other players' scores in order of play, (n - 1, R)."""
        others = [(player + k) % self.players for k in range(1, self.players)]
        states = [at // self.strides[p] % self.shape[p] // self.memories[p] for p in others]
        return np.array(states, dtype=int).reshape(len(others), len(at))

    def ask(self, policy, place, memory, others, mover):
        """The decisions of a policy at one own state: rolls (R, modes, K), choices (R, branches, K), and bold turns.

        A policy for two players plays against the leader.
        """
        game, own = self.game, self.game.scores[place]
        if policy.players > 2:
            return self._ask_multiplayer(policy, place, others)
        if not len(others):  # one player
            rolls = np.zeros((1, len(game.modes), game.longest))
            row = policy.decisions(game, own, game.scores[0], memory)
            rolls[0, :, : row.shape[1]] = row
            return rolls, policy.choices_against(game, own, game.scores[0], memory)[None], None
        key = (id(policy), place, memory)
        leader = others.max(axis=0)
        rolls, choices = self.answers.get(key) or map(
            np.asarray, policy.actions_at(game, own, memory)
        )
        if (
            key not in self.answers
            and (len(self.answers) + 1) * (rolls.nbytes + choices.nbytes) <= BLOCK
        ):
            self.answers[key] = rolls, choices
        return rolls[leader], choices[leader], None

    def _ask_multiplayer(self, policy, place, others):
        positions = np.insert(others.T, 0, place, axis=1)
        branches = len(branching_outcomes(self.game))
        share = np.array(
            [float(policy.bold_shares.get((place, *places), 0)) for places in others.T.tolist()]
        )
        cautious, bold = (
            policy.when(bold=which).decide_all(positions, branches) for which in (False, True)
        )
        return *cautious, (*bold, share) if share.any() else None

    # The chain

    def after(self, mover, at, kind, total=None):
        """The numbers of the positions after a bust, a reset or a hold below the target, (R,) or (K, R)."""
        player, _, following = self.movers[mover]
        memory, stride = self.memories[player], self.strides[player]
        state = at // stride % self.shape[player]
        place, remembered = state // memory, state % memory
        if kind == BUST:
            new = self.after_bust[place] * memory + remembered
        elif kind == RESET:
            new = np.full(len(at), self.begin * memory)
        else:
            place = np.minimum(
                self.after_hold[place] + total * self.step, len(self.game.scores) - 1
            )
            new = place * memory + np.minimum(remembered + 1, memory - 1)
        return following * self.size + at + (new - state) * stride

    def banked(self, mover, at, total):
        """Whether holds win, (K, R) of the chance to win; nan where the race goes on."""
        return None

    def busted(self, mover, at):
        """The chance to win after a bust that scores what is missing, and the points beyond; nan where play goes on."""
        player = self.movers[mover].player
        own = at // self.strides[player] % self.shape[player] // self.memories[player]
        beyond = np.array(self.game.scores, dtype=int)[own] + self.paid[own] - self.game.target
        won = self.banked(mover, at, self.paid[own])
        won = np.where(beyond >= 0, 1.0 if won is None else won, np.nan)
        return won, np.where(self.game.finish == "exact", 0, np.maximum(beyond, 0))

    def ended(self, ends):
        """How turns end."""
        return ends

    def more_than_missing(self, mover, at):
        """The points beyond the target that a turn banks at least, as the least hold may be more than is missing."""
        player = self.movers[mover].player
        own = at // self.strides[player] % self.shape[player] // self.memories[player]
        return self.missing[own] - (self.game.target - np.array(self.game.scores, dtype=int)[own])

    @cached_property
    def chain(self):
        """The chances of all turns: a sparse matrix between positions, and arrays of finish, of points over, of all.

        `finish` is (players, positions): who wins; in a race with a last turn both can have a part of it.
        """
        from scipy.sparse import coo_array

        entries, count = [], self.count
        finish = np.zeros((self.players, count))
        over = np.zeros(count)
        total = np.ones(count)
        for mover, (player, _, following) in enumerate(self.movers):
            for at, turns, bold in self.blocks(mover):
                ends = self.ended(turns.ends)
                if bold:
                    ends = ends.mixed_with(bold[0].ends, bold[1])
                here = mover * self.size + at
                finish[player, here], total[here] = ends.finish, ends.total
                over[here] = ends.over + ends.finish * self.more_than_missing(mover, at)
                totals = np.arange(len(ends.hold))[:, None]
                hold, won = ends.hold, self.banked(mover, at, totals)
                if won is not None:
                    finish[player, here] += np.where(np.isnan(won), 0.0, hold * won).sum(axis=0)
                    finish[1 - player, here] += np.where(np.isnan(won), 0.0, hold * (1 - won)).sum(
                        axis=0
                    )
                    hold = np.where(np.isnan(won), hold, 0.0)
                won, beyond = self.busted(mover, at)
                ended = np.where(np.isnan(won), 0.0, ends.bust)
                finish[player, here] += np.where(ended > 0, ended * won, 0.0)
                if self.players == 2:
                    finish[1 - player, here] += np.where(ended > 0, ended * (1 - won), 0.0)
                over[here] += ended * beyond
                ends = ends._replace(bust=ends.bust - ended)
                if following is not None:
                    held, row = np.nonzero(hold)
                    parts = [
                        (
                            here[row],
                            self.after(mover, at, "hold", totals)[held, row],
                            hold[held, row],
                        )
                    ]
                    parts += [
                        (here, self.after(mover, at, kind), getattr(ends, kind))
                        for kind in (BUST, RESET)
                    ]
                    entries += [
                        [part[chance > 0] for part in (one, other, chance)]
                        for one, other, chance in parts
                    ]
        rows, columns, chances = (
            map(np.concatenate, zip(*entries, strict=True)) if entries else np.empty((3, 0), int)
        )
        return (
            coo_array((chances, (rows, columns)), shape=(count, count)).tocsr(),
            finish,
            over,
            total,
        )

    def leading_to(self, ends):
        """From which positions some positions can be reached, (positions,) of bool."""
        from scipy.sparse import coo_array, vstack
        from scipy.sparse.csgraph import breadth_first_order

        ends, count = np.flatnonzero(ends), len(ends)
        root = coo_array((np.ones(len(ends)), (0 * ends, ends)), shape=(1, count))
        backwards = vstack([self.chain[0].T.tocsr(), root]).tocsr()
        backwards.resize((count + 1, count + 1))
        found = np.zeros(count + 1, dtype=bool)
        found[breadth_first_order(backwards, count, return_predecessors=False)] = True
        return found[:-1]

    @cached_property
    def ending(self):
        """From which positions an end can be reached, (positions,) of bool."""
        ends = self.chain[1].sum(axis=0) > 0
        return self.leading_to(ends) if self.endless else np.ones(self.count, dtype=bool)

    @property
    def endless(self):
        """Whether there is no deadline."""
        return self.movers[-1].following is not None

    @cached_property
    def system(self):
        """The positions that can end, in classes that lead to each other, each after those to which it leads.

        A list of tuples: the positions (B, k) of B classes that do not depend on each other, the expected visits within
        a class (B, k, k), or the elimination of a large class, and the moves that lead out of the class.
        """
        from scipy.sparse import csr_array, eye_array
        from scipy.sparse.csgraph import connected_components
        from scipy.sparse.linalg import splu

        moves, finish, _, _ = self.chain
        classes, label = connected_components(moves, connection="strong")
        entries = moves.tocoo()
        rows, columns = entries.coords
        out = label[rows] != label[columns]
        outside, within = (
            csr_array((entries.data[part], (rows[part], columns[part])), shape=moves.shape)
            for part in (out, ~out)
        )
        links = csr_array(
            (entries.data[out], (label[rows[out]], label[columns[out]])), shape=(classes, classes)
        )
        leave = finish.sum(axis=0) + outside.sum(axis=1)
        if not self.endless:
            leave[-self.size :] = 1.0  # time is up
        sizes = np.bincount(label, minlength=classes)
        members = np.argsort(label, kind="stable")
        first, parts = np.cumsum(sizes) - sizes, []
        for level in _levels(links):
            level = level[self.ending[members[first[level]]]]
            for size in np.unique(sizes[level]).tolist():
                at = members[first[level[sizes[level] == size]][:, None] + np.arange(size)]
                if size > LARGE:
                    for one in at:
                        one = one[
                            np.argsort(-self.sums[one], kind="stable")
                        ]  # holds lead to larger sums
                        matrix = (eye_array(size, format="csr") - within[one][:, one]).tocsc()
                        order = (
                            "COLAMD" if self.game.has_penalties else "NATURAL"
                        )  # a penalty leads to smaller sums
                        try:
                            eliminated = splu(matrix, order, diag_pivot_thresh=0.0)
                        except RuntimeError:
                            said = f"{title_of(self.game)}: turns nearly always bust"
                            raise ConvergenceError(
                                f"{said}, and float64 cannot tell how play goes on"
                            ) from None
                        parts.append((one[None], eliminated, outside[one]))
                    continue
                column_of = np.zeros(self.count, dtype=int)
                inner = within[at.ravel()].tocoo()
                column_of[at] = np.arange(size)
                row, column = inner.coords
                block = np.zeros((len(at), size, size))
                block[row // size, row % size, column_of[column]] = inner.data
                parts.append((at, expected_visits(block, leave[at]), outside[at.ravel()]))
        return parts

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

    def chances(self):
        """Everybody's chance to win, (players, positions)."""
        return np.array([self.solve(won, 1.0 / self.players) for won in self.chain[1]])

    def margins(self, overshoot=False):
        """The expected gain of player 0, by position, in points; the loser pays what the loser still needs."""
        _, finish, over, _ = self.chain
        return self.solve(self.sign * (finish.sum(axis=0) * self.needs + overshoot * over))

    @cached_property
    def needs(self):
        """The points that the other one of two players still needs, by position."""
        missing = self.game.target - np.array(self.game.scores, dtype=int)
        at = np.arange(self.size)
        others = [self.places_of_others(mover.player, at)[0] for mover in self.movers]
        return missing[np.concatenate(others)].astype(float)

    @property
    def sign(self):
        """1 where player 0 is about to move, and -1 elsewhere."""
        return np.repeat([1 if mover.player == 0 else -1 for mover in self.movers], self.size)

    @cached_property
    def surely(self):
        """From which positions play ends with probability 1, (positions,) of bool."""
        return self.ending if self.ending.all() else ~self.leading_to(~self.ending)

    @cached_property
    def turns(self):
        """The expected number of turns, by position; infinite where play may be endless."""
        return np.where(self.surely, self.solve(1.0 + self.answers_to), np.inf)

    @cached_property
    def answers_to(self):
        """By position, the chance of a finish that the other player answers by a last turn."""
        return np.concatenate(
            [
                self.chain[1].sum(axis=0)[m * self.size : (m + 1) * self.size] * self.answered(m)
                for m in range(len(self.movers))
            ]
        )

    def answered(self, mover):
        """Whether another player has a last turn after a finish."""
        return False

    @cached_property
    def allowed(self):
        """By how much values may be off: more where a large class of positions is eliminated with subtractions."""
        if all(isinstance(visits, np.ndarray) for _, visits, _ in self.system):
            return ALLOWED
        lasts = float(self.solve(np.ones(self.count)).max())
        if not ROUNDED * lasts <= LEAST_TOLD:
            said = f"play lasts {lasts:.0e} turns, too long for a second opinion in float64"
            raise ConvergenceError(f"{title_of(self.game)}: {said}")
        return max(ALLOWED, ROUNDED * lasts)

    def deviation(self):
        """The standard deviation of the number of turns at the start; nan if play may be endless."""
        if not np.isfinite(self.turns[self.start]):
            return np.nan
        moves, finish, _, _ = self.chain
        means, moves = np.where(self.surely, self.turns, 0.0), moves.tocoo()
        rows, columns = moves.coords
        more = np.divide(
            self.answers_to, finish.sum(axis=0), where=finish.sum(axis=0) > 0, out=0 * means
        )
        spread = (
            finish.sum(axis=0) * (1 + more - means) ** 2
        )  # of the mean after a turn about the mean before
        np.add.at(spread, rows, moves.data * (1 + means[columns] - means[rows]) ** 2)
        return float(self.solve(np.where(self.surely, spread, 0.0))[self.start] ** 0.5)

    def payoffs(self, mover, at, values, finish, over=0.0, step=0.0):
        """What the ends of turns are worth, if `values` are those of all positions to the player who moves."""
        totals = np.arange(self.longest)[:, None]
        paid, beyond = self.busted(mover, at)
        if self.movers[mover].following is None:
            bust = np.where(np.isnan(paid), 0.0, finish)
            return Payoffs(np.full((self.longest, len(at)), 0.0), finish, over, bust, 0.0)
        hold = values[self.after(mover, at, "hold", totals)] + step
        won = self.banked(mover, at, totals)
        hold = hold if won is None else np.where(np.isnan(won), hold, won)
        bust, reset = (values[self.after(mover, at, kind)] + step for kind in (BUST, RESET))
        bust = np.where(np.isnan(paid), bust, finish * paid + over * beyond + step)
        finish = finish + over * self.more_than_missing(mover, at) if over else finish
        return Payoffs(hold, finish + step, over, bust, reset)

    def deviations(self, mover, values, finish=1.0, over=0.0, step=0.0, relative=False):
        """The most that one other decision of a mover gains, by position, and how many decisions there are."""
        gains, count = np.zeros(self.size), 0
        for at, turns, bold in self.blocks(mover):
            pays = finish[mover * self.size + at] if isinstance(finish, np.ndarray) else finish
            payoffs = self.payoffs(mover, at, values, pays, over, step)
            judged = turns.judge(payoffs, repeated=self.endless)
            gain = judged.gain
            if bold:
                bolder, share = bold[0].judge(payoffs), bold[1]
                more = np.maximum(
                    bolder.gain, abs(bolder.value - judged.value)
                )  # to mix, both must be best
                gain = np.maximum(gain, np.where(share > 0, more, 0.0))
            gains[at] = gain / (1 + abs(judged.value)) if relative else gain
            count += judged.decisions
        return gains, count

    def can_stay(self, mover, values, endless):
        """How many positions have a smaller value than endless play, although a mover can stay among them for ever."""
        moves, finish, _, _ = self.chain
        player = self.movers[mover].player
        stay = values < endless - 1e-9
        theirs = np.repeat([m.player != player for m in self.movers], self.size)
        ends = finish.sum(axis=0) > 0
        while stay.any():
            left = stay & ~(theirs & (ends | (moves @ (~stay).astype(float) > 0)))
            kept = np.where(left, 0.0, -1.0)
            for number, each in enumerate(self.movers):
                if each.player == player:
                    for at, turns, _ in self.blocks(number):
                        if left[number * self.size + at].any():
                            payoffs = self.payoffs(number, at, kept, -1.0)
                            paid, _ = self.busted(number, at)
                            bust = np.where(np.isnan(paid), payoffs.bust, -1.0)
                            payoffs = payoffs._replace(bust=bust)
                            if (
                                won := self.banked(number, at, np.arange(self.longest)[:, None])
                            ) is not None:
                                payoffs = payoffs._replace(
                                    hold=np.where(np.isnan(won), payoffs.hold, -1.0)
                                )
                            left[number * self.size + at] &= (
                                turns.judge(payoffs, best=True).value == 0.0
                            )
            if (left == stay).all():
                break
            stay = left
        return int(stay.sum())


class LastTurnRace(Race):
    """The positions of a race of two in which the other player has a last turn.

    A hold at the target or above wins with the chance that the last turn of the other player, the chaser, fails. Turns
    are followed at least to `above` points above the target.
    """

    def __init__(self, game, movers, memories, above=0):
        self.equal = game.finish == "equal turns"
        self.draw = 0.5 if self.equal else 0.0
        forced = [m for m, mode in enumerate(game.modes) if not mode.may_hold]
        rules = read_rules(game)
        stays = [
            sum(r.probability for r in rules.rolls[m] if any(to in forced for _, to in r.choices))
            for m in forced
        ]
        stays = max(stays, default=0.0)
        rounds = 1
        if stays:
            rounds = int(np.ceil(np.log(NOTHING) / np.log(stays))) if stays < 1 else 200
        tail = rounds * game.most_points  # totals beyond the last decision
        if self.equal:
            movers = [
                mover._replace(policy=mover.policy.when(role=role))
                for role, mover in enumerate(movers)
            ]
        rolls = [
            mover.policy.actions_at(game, game.scores[0])[0].shape[-1] - game.longest
            for mover in movers
        ]
        least = max(game.register(score).least_hold for score in game.scores)
        self.above = max(above, max(*rolls, least, game.most_paid) + tail + game.most_points)
        self.totals = (
            game.longest + 2 * self.above
        )  # enough to beat any score that a leader comes to
        super().__init__(game, movers, memories)

    @property
    def longest(self):
        """The number of turn totals: as many as a turn may have, above the target, too."""
        return self.totals

    def _padded(self, own, rolls, takes):
        """Decisions up to the last turn total; behind those that are given a player holds who may.

        A choice after a roll that nobody makes, at the target or above it, is not said.
        """
        more = (0, max(self.totals - rolls.shape[-1], 0))
        rolls = np.pad(rolls.astype(float), [(0, 0), (0, 0), more])[..., : self.totals]
        rolls[:, [m for m, mode in enumerate(self.game.modes) if not mode.may_hold]] = 1.0
        missing = self.game.missing(own)
        takes = takes[..., : max(rolls.shape[-1] - more[1], 1)]
        takes = np.pad(takes, [(0, 0), (0, 0), more], mode="edge")[..., : self.totals]
        for m, options in enumerate(self.rules.rolls):
            for branch in (roll.branch for roll in options if roll.branch is not None):
                takes[:, branch, missing:][rolls[:, m, missing:] == 0.0] = UNSAID
        return rolls, takes

    def ask(self, policy, place, memory, others, mover):
        """See :meth:`Race.ask`."""
        own = self.game.scores[place]
        rolls, takes = policy.actions_at(self.game, own, memory)
        if not getattr(policy, "above", 0):  # it decides below the target alone
            missing = self.game.missing(own)
            rolls, takes = rolls[..., :missing], takes[..., :missing]
        rolls, takes = self._padded(own, rolls, takes)
        return rolls[others[0]], takes[others[0]], None

    def _turns(self, own, decisions):
        """See :meth:`Race._turns`: no total below the last one ends a turn, and that one wins."""
        rolls, takes = (
            np.concatenate([d[k] for d in decisions]).transpose(1, 2, 0) for k in (0, 1)
        )
        last = np.full(len(own), self.totals)
        return Turns(self.rules, last, self.least[own], self.modes[own], rolls, takes)

    @cached_property
    def last_turns(self):
        """Of both players a chaser's chance by state and score to beat, what a decision gains, and their number."""
        return [
            self._last_turns(mover.policy, memory)
            for mover, memory in zip(self.movers, self.memories, strict=True)
        ]

    def _last_turns(self, policy, memory, best=False):
        game = self.game
        chance = np.zeros((len(game.scores) * memory, self.above))
        lost = np.zeros_like(chance)
        most, count = 0.0, 0
        totals = np.arange(self.totals)[:, None]
        for state in range(len(chance)):
            own, remembered = divmod(state, memory)
            given = policy.last_turn_at(game, game.scores[own], self.above, remembered)
            rows = self._padded(game.scores[own], *given)
            turns = self._turns(np.full(self.above, own), [rows])
            ahead = game.scores[own] + totals - (game.target + np.arange(self.above))
            hold = np.where(ahead > 0, 1.0, self.draw * (ahead == 0))
            after = game.scores[own] + self.paid[own] - (game.target + np.arange(self.above))
            bust = np.where(after > 0, 1.0, self.draw * (after == 0))
            judged = turns.judge(Payoffs(hold, 1.0, 0.0, bust, 0.0), best, repeated=False)
            chance[state], lost[state] = judged.value, judged.given_away
            most, count = max(most, judged.gain.max()), count + judged.decisions
        return lost if best else (chance, most, count)

    def given_away_last(self, mover, visits):
        """What the decisions of a mover's last turns give away, if all positions have these expected visits."""
        if not self.answered(1 - mover):
            return 0.0
        met = np.zeros((self.shape[mover], self.above))
        for at, turns, _ in self.blocks(1 - mover):
            ends, often = self.ended(turns.ends), visits[(1 - mover) * self.size + at]
            led = at // self.strides[1 - mover] % self.shape[1 - mover] // self.memories[1 - mover]
            above = np.array(self.game.scores, dtype=int)[led] - self.game.target
            held = above + np.arange(len(ends.hold))[:, None]
            for mass, at_end in ((ends.hold, held), (ends.bust, above + self.paid[led])):
                mass = mass * often
                states = np.broadcast_to(at // self.strides[mover] % self.shape[mover], mass.shape)
                leads = (at_end >= 0) & (mass > 0)
                np.add.at(met, (states[leads], at_end[leads]), mass[leads])
        policy, memory = self.movers[mover].policy, self.memories[mover]
        return float((met * self._last_turns(policy, memory, best=True)).sum())

    def ended(self, ends):
        """How turns end: one that goes on and on, so that it gets to the last total, is a bust."""
        nothing = np.zeros_like(ends.finish)
        return Ends(ends.hold, nothing, nothing, ends.bust + ends.finish, ends.reset)

    def answered(self, mover):
        """Whether the other player has a last turn after a finish."""
        return not (self.equal and mover == 1)  # the other one has had as many turns

    def banked(self, mover, at, total):
        """See :meth:`Race.banked`."""
        own = at // self.strides[mover] % self.shape[mover] // self.memories[mover]
        other = at // self.strides[1 - mover] % self.shape[1 - mover]
        above = np.array(self.game.scores, dtype=int)[own] + total - self.game.target
        if not self.answered(mover):
            return np.where(above >= 0, 1.0, np.nan)
        chance, _, _ = self.last_turns[1 - mover]
        return np.where(above >= 0, 1.0 - chance[other, np.clip(above, 0, self.above - 1)], np.nan)


# What is checked


class Findings:
    """The checks that have been made."""

    def __init__(self):
        self.rows = []

    def add(self, what, claimed, found, allowed, off=None):
        """Note a check; the difference is that of both numbers, unless it is given."""
        claimed, found = float(claimed), float(found)
        off = distance(claimed, found) if off is None else off
        verdict = AGREES if off <= allowed else DIFFERS
        self.rows.append((what, claimed, found, float(off), float(allowed), verdict))

    def add_all(self, what, claimed, found, allowed, name):
        """Note a check of many numbers, by the one that is off most; ``name(k)`` says which number k is."""
        claimed, found = (np.asarray(part, dtype=float).ravel() for part in (claimed, found))
        off = distance(claimed, found)
        worst = int(np.argmax(off))
        where = f", off most at {name(worst)}" if off[worst] > allowed else ""
        self.add(
            f"{what} ({len(claimed):,}){where}", claimed[worst], found[worst], allowed, off[worst]
        )

    def at_most(self, what, claimed, found, allowed):
        """Note a check that the number found is at most the one that is claimed."""
        self.add(
            what, claimed, found, allowed, max(0.0, found - claimed) if found == found else np.inf
        )

    def at_least(self, what, claimed, bound, allowed):
        """Note a check that the claimed number is at least a bound that is found."""
        self.add(
            what, claimed, bound, allowed, max(0.0, bound - claimed) if bound == bound else np.inf
        )


def distance(claimed, found):
    """How far numbers are apart, relatively if they exceed 1; infinite if one is no number, or infinite alone."""
    claimed, found = np.asarray(claimed, dtype=float), np.asarray(found, dtype=float)
    with np.errstate(invalid="ignore"):
        off = abs(claimed - found) / np.maximum(1.0, abs(found))
    same = (claimed == found) | (np.isnan(claimed) & np.isnan(found))
    return np.where(same, 0.0, np.where(np.isfinite(off), off, np.inf))


AGREES, DIFFERS = "agrees", "differs"


@dataclass(frozen=True, eq=False, kw_only=True)
class Audit(Result):
    """What was checked of a result, and what was found.

    Attributes
    ----------
    of : str
        The result in words.
    checks : pandas.DataFrame
        A row for each check, with the columns "what", "claimed", "found", "difference", "allowed" and "verdict", which
        is "agrees" or "differs". A check of many numbers shows the one that is off most. Differences are relative where
        the number found exceeds 1. The gain of a decision is claimed to be 0.
    unit : str
        "", or "standard errors" if differences are counted in these.

    Examples
    --------
    >>> from dicelab import audit, piglet, solve
    >>> audit(solve(piglet(4))).checks["verdict"].unique().tolist()
    ['agrees']
    """

    KEYS = ("of", "sound", "unit", "checks")

    of: str
    checks: pd.DataFrame = field(repr=False)
    unit: str = ""

    def to_frame(self) -> pd.DataFrame:
        """The checks, a DataFrame."""
        return self.checks.copy()

    @property
    def sound(self) -> bool:
        """Whether all checks agree."""
        return bool((self.checks["verdict"] == AGREES).all())

    def __repr__(self):
        count = len(self.checks)
        checks = f"{count} check{'s' * (count > 1)}"
        if self.sound:
            most = self.checks["difference"].max()
            within = f"{most:.1f} {self.unit}" if self.unit else f"{most:.0e}" if most else "0"
            return f"<Audit of {self.of}: {checks}, all agree within {within}>"
        wrong = self.checks[self.checks["verdict"] == DIFFERS]
        worst = wrong.loc[(wrong["difference"] / wrong["allowed"]).idxmax()]
        said = f"{worst['what']}: {worst['claimed']:.12g} claimed, {worst['found']:.12g} found"
        return f"<Audit of {self.of}: {len(wrong)} of {checks} differ{'s' * (len(wrong) == 1)}; {said}>"


def audit(result: Any) -> Audit:
    """Check a result by a second evaluation from the rules alone.

    Parameters
    ----------
    result : Solution, Match, Grade, Estimate

    Returns
    -------
    Audit
        Its `checks` are a table, and `sound` says whether all of them agree.

    Raises
    ------
    TypeError
        If `result` is anything else; it is a ValueError, too.
    NotImplementedError
        If a player beyond the target has a choice between a finish and a reset, or too many choices.
    ConvergenceError
        If turns nearly always bust, and over 500 positions lead to each other.
    MemoryError
        Beforehand, if the audit would take more than half of the memory.

    Notes
    -----
    Of a solution we check that its policy attains the value at every position, that no other decision gains anything at
    any turn total, and that nobody would rather play for ever. Together they prove the value, see
    :mod:`dicelab.evaluation.audit`. Of a match all numbers are computed again; of a grade also the best response, and
    the sum of what the decisions give away. The numbers of a simulation must be within five standard errors. Fractions
    are compared as floats.

    Examples
    --------
    >>> from dicelab import audit, evaluate, hold_at, pig, piglet, solve
    >>> audit(solve(piglet(4))).sound
    True
    >>> audit(evaluate(pig(20), hold_at(8), hold_at(5))).checks[["what", "verdict"]].head(2).to_numpy().tolist()
    [['probability out of every position (800)', 'agrees'], ['first_wins', 'agrees']]
    """
    import pandas as pd

    for kind, check in AUDITORS.items():
        if isinstance(result, kind):
            findings = Findings()
            said, unit = check(result, findings)
            columns = ["what", "claimed", "found", "difference", "allowed", "verdict"]
            return Audit(
                of=said, checks=pd.DataFrame(findings.rows, columns=columns), unit=unit or ""
            )
    names = [kind.__name__ for kind in AUDITORS]
    raise invalid(
        "result", result, f"one of {', '.join(names[:-1])} or {names[-1]}", tuple(AUDITORS)
    )


def _check_chain(race, findings):
    total = race.chain[3]
    findings.add_all(
        "probability out of every position", np.ones_like(total), total, ALLOWED, race.position
    )


def _race_of(game, policies, above=0):
    """The race of two or more policies; one with a last turn is followed at least so far above the target."""
    memories = [getattr(policy, "memory", 1) for policy in policies]
    count = len(policies)
    check_game(game, last_turn=count == 2)  # the auditor does not follow the last turns of more
    movers = [Mover(p, policy, (p + 1) % count) for p, policy in enumerate(policies)]
    if game.finish in LAST_TURN:
        return LastTurnRace(game, movers, memories, above)
    return Race(game, movers, memories)


def _check_gain(race, mover, findings, values, endless, **stakes):
    gains, count = race.deviations(mover, values, **stakes)
    unit = 1.0 if "relative" in stakes else max(1.0, float(abs(values).max()))
    most = int(gains.argmax())
    allowed = max(GAIN, 10 * race.allowed) * unit
    where = f", most at {race.position(mover * race.size + most)}" if gains[most] > allowed else ""
    what = f"gain by another decision ({count:,}){where}"
    findings.at_most(what, 0.0, gains.max(), allowed)
    if endless is not None:
        stay = race.can_stay(mover, values, endless)
        findings.at_most("positions with a gain by playing for ever", 0.0, stay, 0.0)


def _check_solution(solution, findings):
    game, objective = solution.game, solution.objective
    if solution.players > 2:
        return _check_players(solution, findings)
    said = f'{title_of(game)}, "{objective}"' + (
        f" against {name_of(solution.against)}" if solution.against else ""
    )
    if objective == "score":
        _check_score(solution, findings)
    elif objective == "deadline":
        return _check_deadline(solution, findings)
    elif objective == "turns":
        race = Race(game, [Mover(0, solution.policy, 0)], [1])
        _check_chain(race, findings)
        findings.add_all("fewest turns", solution.values, race.turns, race.allowed, race.position)
        values = -np.where(np.isfinite(race.turns), race.turns, FAR)
        _check_gain(race, 0, findings, values, None, finish=0.0, step=-1.0, relative=True)
    else:
        _check_race(solution, findings)
    return said, ""


def _check_race(solution, findings):
    """Two players, to win or for the margin."""
    game = solution.game
    other = solution.against or solution.policy
    race = _race_of(game, [solution.policy, other])
    margin = solution.objective == "margin"
    _check_chain(race, findings)
    if margin:
        values = race.margins(solution.overshoot)
        endless = 0.0
        unit = game.target
        stakes = {"finish": race.needs, "over": float(solution.overshoot)}
    else:
        chances = race.chances()
        values = chances[0]
        endless = 0.5
        unit = 1
        stakes = {}
        ones = np.ones_like(values)
        findings.add_all(
            "both chances together", ones, chances.sum(axis=0), race.allowed, race.position
        )
    claimed, found = solution.values.astype(float).ravel(), values[: race.size]
    roles = 2 if game.finish == "equal turns" and not margin else 1
    begins_second = values[race.size + race.start] if not margin else 0.0
    if roles == 2:  # by the scores of the mover and of the other
        other_first = race if solution.against is None else _race_of(game, [other, solution.policy])
        second = other_first.chances()[1]
        begins_second = second[other_first.start]
        found = np.append(found, second[race.size :].reshape(other_first.shape).T.ravel())
    findings.add_all(
        "value attained by the policy",
        claimed,
        found,
        race.allowed * unit,
        lambda k: race.position(k % race.size),
    )
    _check_gain(race, 0, findings, values, endless, **stakes)
    if roles == 2 and solution.against is None:
        _check_gain(race, 1, findings, chances[1], endless)
    if isinstance(race, LastTurnRace):
        _, most, count = race.last_turns[0]
        findings.at_most(f"gain by another decision in a last turn ({count:,})", 0.0, most, GAIN)
    if solution.against is not None:
        _check_bounds(race, findings, claimed[race.start], begins_second, race.allowed)


def _check_bounds(race, findings, first, second, allowed):
    """A best response wins at least half of the games, moving first and second, and no less than the opponent would."""
    opponent = race.movers[1].policy
    mirror = _race_of(race.game, [opponent, opponent]).chances()[0]
    findings.at_least(
        "mean of both seats, of which the maximin is 1/2", (first + second) / 2, 0.5, allowed
    )
    findings.at_least("what the opponent wins against itself", first, mirror[race.start], allowed)


def _check_score(solution, findings):
    """One turn for points; beyond the table of values, modes hold unless they roll in its last row."""
    game, table = solution.game, solution.values.astype(float)
    modes, last = len(game.modes), len(table) - 1
    free = frozenset(
        m
        for m, mode in enumerate(game.modes)
        if mode.may_hold and table[last, m] > last * (1 + 1e-12)
    )
    rules = read_rules(game, free)._replace(exact=False)
    if game.finish == "exact":
        rules = read_rules(_to_reach(game), free)
    begin = game.after_reset
    rolls = solution.policy.decisions_at(game, begin)[0]
    takes = solution.policy.choices(game, begin)[0]
    known = min(game.missing(begin), last + 1)
    need, most = last + 1, game.most_points
    full = np.zeros((modes, need, 1))
    taken = np.zeros((len(takes), need, 1), dtype=int)
    full[:, :known, 0], taken[:, :known, 0] = rolls[:, :known], takes[:, :known]
    values = np.concatenate([table, np.zeros((most, modes))])
    finish, _, bust, more = rules.beyond
    register = game.register(begin)
    paid = max(-register.penalty, 0)
    for total in range(need, need + most):
        values[total] = finish * total + more + bust * paid
    for total, m in product(
        range(known, need), range(modes)
    ):  # what the policy of a short race does not say
        full[m, total] = not game.modes[m].may_hold or (values[total, m] > total * (1 + 1e-12))
        for roll in rules.rolls[m]:
            if roll.branch is not None:
                options = [values[total + points, mode] for points, mode in roll.choices]
                taken[roll.branch, total] = int(np.argmax(options))
    one = np.array([1])
    start = game.mode(register.mode)
    turns = Turns(rules, need * one, register.least_hold * one, start * one, full, taken)
    hold = np.arange(need, dtype=float)[:, None]
    judged = turns.judge(Payoffs(hold, float(need), 1.0, float(paid), 0.0), repeated=False)
    findings.add("probability out of the turn", 1.0, turns.ends.total[0], ALLOWED)
    findings.add("points of a turn of the policy", table[0, start], judged.value[0], ALLOWED)
    unit = max(1.0, float(need))
    findings.at_most(
        f"gain by another decision ({judged.decisions:,})", 0.0, judged.gain[0], GAIN * unit
    )


def _to_reach(game):
    return Game(game.name, game.target, game.modes)


def _check_deadline(solution, findings):
    game, turns = solution.game, solution.turns
    policies = [solution.policy.when(turns_left=left) for left in range(turns, 0, -1)]
    movers = [
        Mover(0, policy, k + 1 if k + 1 < turns else None) for k, policy in enumerate(policies)
    ]
    race = Race(game, movers, [1])
    _check_chain(race, findings)
    values = race.chances()[0]
    claimed = solution.values.astype(float)

    def name(k):
        return f"{race.position(k)}, {turns_in_words(turns - k // race.size)} left"

    findings.add_all("without a turn", np.zeros(race.size), claimed[0], 0.0, str)
    ties = turns * TIE  # within which a decision counts as equal, once a turn
    findings.add_all(
        "chance attained by the policy", claimed[:0:-1], values, race.allowed + ties, name
    )
    gains, count = zip(*(race.deviations(mover, values) for mover in range(turns)), strict=True)
    findings.at_most(f"gain by another decision ({sum(count):,})", 0.0, np.max(gains), GAIN)
    return f"{title_of(game)}, {turns_in_words(turns)}", ""


def _check_players(solution, findings):
    """An equilibrium of n players, or a best response to several."""
    game, n = solution.game, solution.players
    race = _race_of(game, [solution.policy, *(solution.against or [solution.policy] * (n - 1))])
    _check_chain(race, findings)
    chances = race.chances()
    claimed = solution.values.astype(float).reshape(race.size, n)
    ones = np.ones(race.size)
    findings.add_all("all chances together", ones, claimed.sum(axis=1), race.allowed, race.position)

    def name(k):
        return f"{race.position(k // n)}, seat {k % n + 1}"

    findings.add_all("chances by seat", claimed, chances[:, : race.size].T, race.allowed, name)
    _check_gain(race, 0, findings, chances[0], 1.0 / n)
    against = f" against {' and '.join(map(name_of, solution.against))}" if solution.against else ""
    return f"{title_of(game)}, {n} players{against}", ""


def _check_match(match, findings):
    if len(match.policies) > 2:
        return _check_players_match(match, findings)
    race = _race_of(match.game, [match.first, match.second])
    _check_chain(race, findings)
    findings.add("first_wins", match.first_wins, race.chances()[0][race.start], race.allowed)
    findings.add("turns_mean", match.turns_mean, race.turns[race.start], race.allowed)
    deviation, mean = race.deviation(), race.turns[race.start]
    lost = (
        max(1.0, mean / deviation) ** 2 if deviation > 0 else 1.0
    )  # digits of a small deviation of a large mean
    if (
        np.isnan(deviation) or ROUNDED * mean <= LEAST_TOLD
    ):  # of longer play, means after turns differ by rounding alone
        findings.add(
            "turns_sd", match.turns_sd, deviation, 10 * race.allowed * lost + ROUNDED * mean
        )
    if match.game.finish not in LAST_TURN:
        margin = race.margins()[race.start]
        findings.add("margin", match.margin, margin, race.allowed * match.game.target)
    return f"{title_of(match.game)}, {name_of(match.first)} against {name_of(match.second)}", ""


def _check_players_match(match, findings):
    race = _race_of(match.game, match.policies)
    _check_chain(race, findings)
    chances = race.chances()[:, race.start]
    findings.add("all chances together", 1.0, sum(match.wins), race.allowed)
    for p, policy in enumerate(match.policies):
        findings.add(
            f"wins of {name_of(policy)}, seat {p + 1}", match.wins[p], chances[p], race.allowed
        )
    findings.add("turns_mean", match.turns_mean, race.turns[race.start], race.allowed)
    return f"{title_of(match.game)}, {' against '.join(map(name_of, match.policies))}", ""


def _check_estimate(estimate, findings):
    """In standard errors, which are those of the exact values, and for the deviation the one that is claimed."""
    policies = estimate.policies
    race = _race_of(estimate.game, policies)
    wins = estimate.wins if len(policies) > 2 else (estimate.first_wins,)
    for p, (claimed, found) in enumerate(zip(wins, race.chances()[:, race.start], strict=False)):
        error = (max(found * (1 - found), 0.0) / estimate.games) ** 0.5
        _add_estimate(
            findings, f"wins of {name_of(policies[p])}, seat {p + 1}", claimed, found, error
        )
    mean, deviation = race.turns[race.start], race.deviation()
    if np.isfinite(mean):
        _add_estimate(
            findings, "turns_mean", estimate.turns_mean, mean, deviation / estimate.games**0.5
        )
        _add_estimate(findings, "turns_sd", estimate.turns_sd, deviation, estimate.turns_sd_se)
    names = " against ".join(map(name_of, policies))
    return f"{title_of(estimate.game)}, {estimate.games:,} games of {names}", "standard errors"


def _add_estimate(findings, what, claimed, found, error):
    off = abs(claimed - found)
    off = 0.0 if off <= ALLOWED * max(1.0, abs(found)) else off / error if error > 0 else np.inf
    findings.add(what, claimed, found, STANDARD_ERRORS, off if off == off else np.inf)


def _check_grade(grade, findings):
    """What a strategy achieves, what the best response achieves, and what each decision gives away."""
    game = grade.game
    roles = (0, 1) if game.finish == "equal turns" else (None,)
    chances, bests, parts, races, allowed, sums = [], [], [], [], 0.0, 0.0
    for role in roles:
        seat = role or 0
        order = slice(None, None, -1 if seat else 1)
        best = _race_of(game, [grade.best, grade.opponent][order])
        race = _race_of(game, [grade.strategy, grade.opponent][order], getattr(best, "above", 0))
        _check_chain(race, findings)
        mine, most = race.chances()[seat], best.chances()[seat]
        begins = [0] if len(roles) > 1 else [0, 1]
        chances += [mine[mover * race.size + race.start] for mover in begins]
        bests += [most[mover * best.size + best.start] for mover in begins]
        _check_gain(best, seat, findings, most, 0.5)
        races.append(best)
        allowed = max(allowed, race.allowed, best.allowed)
        parts.append(_judge_role(race, best, seat, begins, most))
        sums = max(sums, 10 * allowed + ROUNDED * parts[-1][-1])  # a part for each turn
    endless, given, met, last = (np.array(part) for part in list(zip(*parts, strict=True))[:4])
    for name, found in zip(("first_wins", "second_wins"), chances, strict=True):
        findings.add(name, getattr(grade, name), found, allowed)
    for name, found in zip(("best_first", "best_second"), bests, strict=True):
        findings.add(name, getattr(grade, name), found, allowed)
    _check_bounds(races[0], findings, grade.best_first, grade.best_second, allowed)
    findings.add("loss", grade.loss, (sum(bests) - sum(chances)) / 2, allowed)
    findings.add("endless", grade.endless, endless.sum(), sums)
    findings.add("given away in last turns", grade.last_turns, last.sum(), sums)
    findings.add(
        "what decisions give away, and endless play: the loss",
        grade.loss,
        given.sum() + last.sum() + endless.sum(),
        sums,
    )
    by_scores, of_last = _by_scores(grade)
    findings.add("given away by decisions in last turns", of_last, last.sum(), sums)

    def position(number):
        return best.position(number % best.size)

    findings.add_all(
        "given away by decisions, by pairs of scores", by_scores, given, sums, position
    )
    by_turns = (grade.turn_costs * grade.turns_met).reshape(given.shape)
    findings.add_all("turn_costs times turns_met", by_turns, given, sums, position)
    findings.add_all("turns_met", grade.turns_met.reshape(met.shape), met, sums, position)
    _check_matches(grade, findings)
    return f"{grade.name} in {title_of(game)} against {name_of(grade.opponent)}", ""


def _judge_role(race, best, seat, begins, most):
    """What is given away in a race in one seat: endless play, decisions and turns by scores, last turns; all visits.

    `most` are the chances at all positions if the rest is played best.
    """
    begin = np.zeros(race.count)
    begin[[mover * race.size + race.start for mover in begins]] = 0.5
    visits = race.solve(begin, transposed=True)
    memory = race.memories[seat]
    worth = np.repeat(most.reshape(2, *best.shape), memory, axis=1 + seat).ravel()
    stuck = np.where(race.ending, 0.0, begin + visits @ race.chain[0])
    given, mine = np.zeros(race.size), slice(seat * race.size, (seat + 1) * race.size)
    for at, turns, _ in race.blocks(seat):
        payoffs = race.payoffs(seat, at, worth, 1.0)
        given[at] = visits[mine][at] * turns.judge(payoffs, best=True).given_away
    given, met = (
        np.moveaxis(part.reshape(race.shape), seat, 0)
        .reshape(-1, memory, race.shape[1 - seat])
        .sum(axis=1)
        for part in (given, visits[mine])
    )
    last = race.given_away_last(seat, visits) if isinstance(race, LastTurnRace) else 0.0
    return float((stuck * (worth - 0.5)).sum()), given, met, last, visits.sum()


def _by_scores(grade):
    """What a grade's decisions give away, by role and the places of own and opponent's score; and in last turns."""
    game, rows = grade.game, grade.decisions
    last = rows["opponent"] >= game.target
    of_last, rows = rows.loc[last, "given away"].sum(), rows[~last]
    columns = [rows["own"], rows["opponent"]]
    if game.registers:
        columns = [map(Score, rows[name], rows[f"{name} register"]) for name in ("own", "opponent")]
    places = {score: place for place, score in enumerate(map(repr, game.scores))}
    at = [[places[repr(score)] for score in column] for column in columns]
    roles = rows["role"] if game.finish == "equal turns" else np.zeros(len(rows), dtype=int)
    given = np.zeros((2 if game.finish == "equal turns" else 1, len(places), len(places)))
    np.add.at(given, (np.asarray(roles), *at), rows["given away"].to_numpy())
    return given, float(of_last)


def _check_matches(grade, findings):
    """The matches of a grade: against the opponent, itself and two rules of thumb."""
    game = grade.game
    opponents = {name_of(grade.opponent): grade.opponent, "itself": grade.strategy}
    for n in (20, 25):
        opponents[f"hold at {n if game.chip == 1 else game.with_unit(n)}"] = hold_at(n)
    for name, opponent in opponents.items():
        race = _race_of(game, [grade.strategy, opponent])
        found = race.chances()[0][[race.start, race.size + race.start]]  # whoever moves first
        if game.finish == "equal turns":  # each has a role
            other = _race_of(game, [opponent, grade.strategy])
            found[1] = other.chances()[1][other.start]
        claimed = grade.matches.loc[name, ["first", "second"]]
        findings.add_all(
            f"match against {name}, moving first and second", claimed, found, race.allowed, str
        )


AUDITORS: dict[type, Callable] = {
    Solution: _check_solution,
    Match: _check_match,
    Grade: _check_grade,
    Estimate: _check_estimate,
}
