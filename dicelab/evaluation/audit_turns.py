"""For the auditor: a turn with its decisions given, read from the rules alone.

The turn is walked from place to place; a *place* is a turn total and a mode. Forwards we find how the turn ends,
backwards what it is worth and what other decisions would gain. R turns are walked side by side.

An array by *ends* has a row for the hold at each turn total, 0, …, K - 1, and four more: `FINISHED`, `BUSTED`,
`RETURNED` (a reset), and `OVER`, which is no end: it counts the points beyond the target of turns that finish.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count, product
from typing import NamedTuple

import numpy as np

from ..games.model import BUST, RESET, Game

__all__ = ["BUSTED", "FINISHED", "Rules", "Turns", "expected_visits", "read_rules"]

FINISHED, BUSTED, RETURNED, OVER = range(4)
ROW_OF = {BUST: BUSTED, RESET: RETURNED}
UNSAID = 255  # a choice that a policy does not tell, since its turns do not get there
MOST_WAYS = 4096  # to choose beyond the target


class Roll(NamedTuple):
    """An outcome of a roll: its probability, the end or None, its choices, and its number if it has several."""

    probability: float
    ends: int | None
    choices: list  # of (points, mode)
    branch: int | None


class Rules(NamedTuple):
    """The rules of a turn as numbers."""

    game: Game
    rolls: list  # by mode, of lists of Roll, given that the roll changes something
    beyond: np.ndarray  # (modes, 4) how a turn ends at the target, by mode and ends


@lru_cache(maxsize=32)
def read_rules(game, free=frozenset()):
    """The :class:`Rules` of a game; the modes in `free` are never left by a hold at the target and beyond it."""
    branches = count()

    def read(outcome):
        choices = [(choice.points, game.mode(choice.mode)) for choice in outcome.choices]
        branch = next(branches) if len(choices) > 1 else None
        return Roll(float(outcome.probability), ROW_OF.get(outcome.result), choices, branch)

    rolls = [list(map(read, mode.outcomes)) for mode in game.until_change.modes]
    return Rules(game, rolls, _beyond_target(game, rolls, free))


def _beyond_target(game, rolls, free):
    """How a turn ends that has reached the target and rolls on where it must; see :class:`Rules`.

    A player who has a choice there takes the way that finishes most often, and of those the one with the most points.
    """
    reached = {game.mode(name) for name in game.reached_with_points}
    forced = [m for m in sorted(reached) if m in free or not game.modes[m].may_hold]
    rolled, options, modes = [], [], len(rolls)
    for m, roll in ((mode, roll) for mode in forced for roll in rolls[mode]):
        kept = [(p, to) for p, to in roll.choices if not (p and game.finish == "exact")]
        most = {to: max(p for p, other in kept if other == to) for _, to in kept}
        rolled.append((m, roll.probability))
        options.append(most or {modes + (roll.ends or BUSTED): 0})  # all choices overshoot
    if np.prod([float(len(option)) for option in options]) > MOST_WAYS:
        raise NotImplementedError(
            f"{game.name} has too many ways to choose beyond the target to be audited"
        )
    ways, holds = [], [m for m in range(modes) if m not in forced]
    for taken in product(*(option.items() for option in options)):
        moves = np.zeros((modes, modes + 4))  # to the modes, and to the ends
        moves[holds, modes + FINISHED] = 1.0
        for (m, chance), (to, _) in zip(rolled, taken, strict=True):
            moves[m, to] += chance
        inner, way = np.split(moves, [modes], axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            visits = expected_visits(inner[None], way.sum(axis=1)[None])[0]
            way = visits @ way
            for (m, chance), (to, points) in zip(rolled, taken, strict=True):
                way[:, OVER] += visits[:, m] * chance * points * way[to % modes, FINISHED]
        if np.isfinite(way).all():  # otherwise it goes round for ever
            ways.append(way)
    ways = np.stack(ways)
    if np.ptp(ways[..., RETURNED], axis=0).max() > 1e-12:
        raise NotImplementedError(
            f"{game.name}: choices between a finish and a reset at the target are not audited"
        )
    best = np.lexsort((ways[..., OVER], ways[..., FINISHED].round(12)), axis=0)[-1]
    return ways[best, np.arange(len(rolls))]


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

    @cached_property
    def walked(self):
        """How the turns end, (K + 4, R) by ends, and how often they come to each place, (totals, modes, R)."""
        game, (modes, size, rows) = self.rules.game, self.rolls.shape
        mass, ends = np.zeros((size + game.most_points, modes, rows)), np.zeros((size + 4, rows))
        mass[0, self.start, np.arange(rows)] = 1.0
        for total in range(len(mass)):
            arrived, enough = total >= self.need, total >= self.least
            for m in game.order[::-1]:  # each before the modes to which it leads with 0 points
                here = mass[total, m]
                if not here.any():
                    continue
                if arrived.any():
                    ends[size:] += np.where(arrived, here, 0.0) * self._beyond(m, total)
                    if arrived.all():
                        continue
                    here = np.where(arrived, 0.0, here)
                rolled = here * self.rolls[m, total]
                held = here - rolled
                ends[total] += np.where(enough, held, 0.0)
                ends[size + BUSTED] += np.where(enough, 0.0, held)  # one must, with too few points
                for roll in self.rules.rolls[m]:
                    share = roll.probability * rolled
                    if roll.ends is not None:
                        ends[size + roll.ends] += share
                    for number, (points, mode) in enumerate(roll.choices):
                        several = roll.branch is not None
                        taken = self.takes[roll.branch, total] == number if several else 1.0
                        mass[total + points, mode] += share * taken
        return ends, mass

    def _beyond(self, m, total):
        """How a turn ends in mode m at a total, where that is the target or beyond it, (4, R)."""
        excess = total - self.need
        ends = self.rules.beyond[m, :, None].repeat(len(excess), axis=1)
        if self.rules.game.finish == "exact":
            few = self.need < self.least
            ends[FINISHED, few], ends[BUSTED, few] = 0.0, 1 - ends[RETURNED, few]
            ends[:, excess != 0] = np.eye(4)[:, BUSTED, None]
        else:
            ends[OVER] += ends[FINISHED] * np.maximum(excess, 0)
        return ends

    def judge(self, pays: np.ndarray, best: bool = False, repeated: bool = True):
        """What the turns are worth, and what other decisions would gain: backwards, one turn total after the other.

        Values are counted above the bust value, so that they lose no digits where turns nearly always bust. Beside each
        stands the probability to leave the bust value, that is, to end the turn in any other way. A wrong choice is
        repeated until the bust value is left; so its gain is divided by the larger probability of both choices.

        Parameters
        ----------
        pays : ndarray (K + 4, R)
            What each end is worth to the player, and each point beyond the target.
        best : bool
            Whether the turn goes on with the best decisions, instead of those that are given.
        repeated : bool
            Whether the same decision is met again after a bust; not so against a deadline.

        Returns
        -------
        value : ndarray (R,)
        gain : ndarray (R,)
            The most that one other decision gains.
        compared : int
            The decisions that were compared with others.
        given : ndarray (R,)
            If `best`, what decisions give away, times how often they are met.
        """
        game, (modes, size, rows) = self.rules.game, self.rolls.shape
        bust, each = pays[size + BUSTED], np.arange(rows)
        pairs = np.stack([pays - bust, np.ones_like(pays)], axis=1)
        pairs[size + BUSTED] = pairs[size + OVER] = 0.0
        pairs[size + OVER, 0] = pays[size + OVER]
        nodes = np.zeros((size + game.most_points, modes, 2, rows))  # these pairs by place
        may_be, (gain, given), compared = self._may_be(), np.zeros((2, rows)), 0

        def decided(options, shares, asked, met):
            """The pair where options are taken with some shares, or the best; note what is lost, and how often."""
            nonlocal gain, given, compared
            options, said = np.array(options), sum(shares) > 0  # one that is not said is the best
            done = sum(share * option for share, option in zip(shares, options, strict=True))
            top, leave = options.max(axis=0)
            if best or not said.all():
                first = options[options[:, 0].argmax(axis=0), :, each].T
                done = np.where(said, done, first)
            lost = np.where(asked, top - done[0], 0.0)
            gain = np.maximum(gain, lost / np.where(repeated & (leave > 0), leave, 1.0))
            compared += int(asked.sum())
            given += met * lost
            return first if best else done

        for total in reversed(range(len(nodes))):
            arrived = total >= self.need
            enough = (total >= self.least) & ~arrived
            for m in game.order:
                if arrived.any():
                    nodes[total, m] = (self._beyond(m, total)[:, None] * pairs[size:]).sum(axis=0)
                    if arrived.all():
                        continue
                asked, share = may_be[total, m, self.start] & ~arrived, self.rolls[m, total]
                met = self.walked[1][total, m] if best else 0.0
                rolled = np.zeros((2, rows))
                for roll in self.rules.rolls[m]:
                    after = [nodes[total + points, mode] for points, mode in roll.choices]
                    if roll.branch is not None:
                        taken = self.takes[roll.branch, total] == np.arange(len(after))[:, None]
                        after = [decided(after, taken, asked, met * share * roll.probability)]
                    rolled += roll.probability * (after[0] if after else pairs[size + roll.ends])
                held = np.where(enough, pairs[total], 0.0)
                done = share * rolled + (1 - share) * held
                if game.modes[m].may_hold and not game.modes[m].must_hold and total:
                    better = decided([rolled, held], (share, 1 - share), asked & enough, met)
                    done = np.where(enough, better, done)
                nodes[total, m] = np.where(arrived, nodes[total, m], done)
        return bust + nodes[0, self.start, 0, each], gain, compared, given

    def _may_be(self):
        """Whether a turn can come to each place, (totals, modes, starts) of bool, whatever is decided."""
        game, (modes, size, _) = self.rules.game, self.rolls.shape
        found = np.zeros((size + game.most_points, modes, modes), dtype=bool)
        found[0] = np.eye(modes)
        onward = [
            {choice for roll in rolls for choice in roll.choices} for rolls in self.rules.rolls
        ]
        for total, m in product(range(size), game.order[::-1]):
            for points, mode in onward[m]:
                found[total + points, mode] |= found[total, m]
        return found
