"""What is asked of a race, as results: its solution."""

from fractions import Fraction
from functools import partial

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from .._accuracy import ACCURACY, ENDLESS, ROUNDING, ConvergenceError
from .._exact import as_exact
from ..games.model import LAST_TURN
from ..solution import NAMES, OptimalPolicy, Solution
from .equilibria import Equilibrium, worth
from .positions import BUST, LEAST, PHASE, ROW
from .race import Known, Race, may_be_endless, solve

__all__ = ["accuracy_of", "check_ends", "check_error", "solved"]


def solved(game, objective, exact=False, turns=None, overshoot=False, players=2, prefer=None):
    """The solution of a race, or of one turn. For more than two players one says which equilibrium to `prefer`.

    Raises
    ------
    ValueError
        If a match need not end, or a turn above the target.
    NotImplementedError
        With more than two players in fractions, with resets or penalties or if no rational equilibrium is found.
    ConvergenceError
        If no equilibrium of a tuple is found, or the solver cannot vouch for its answer.
    MemoryError
        Beforehand, if the solution would take more than half of the memory.
    """
    check_ends(game, objective, players)
    if exact and prefer and (game.resets or game.has_penalties):
        raise NotImplementedError(
            f"{game.name}: with resets or penalties more than two are not solved in fractions; solve without exact=True"
        )
    kind = partial(Listing, bold=prefer == "bold") if prefer else Race
    race = solve(game, objective, players, turns, exact, overshoot, kind)
    if objective == "turns" and race.growth == np.inf:  # a reset may lead to where nobody arrives
        race = solve(game, objective, exact=True)
    if objective == "score":
        values, ties = one_turn(race)
    else:
        values = race.found if isinstance(race, Known) else values_of(race)
        ties = ties_of(race) if exact and not turns and not prefer else None
    values = values if exact else values.astype(float, copy=False)
    game = race.game
    units = {"turns": abs(values.flat[0]), "score": 10 * len(values), "margin": game.target}
    unit = units.get(objective, abs(race.value[0]) if objective == "total" else 1)
    residual, error = accuracy_of(race, unit)
    return Solution(
        game=game,
        objective=objective,
        values=values,
        policy=OptimalPolicy(
            game,
            race.fill,
            f"{prefer} equilibrium" if prefer else NAMES[objective],
            race.rolled,
            clock=turns,
            players=players,
            bold_shares=shares_of(race) if prefer else {},
        ),
        exact=exact,
        residual=Fraction(0) if exact else residual / float(unit if objective == "turns" else 1),
        error=0.0 if exact else error,
        ties=ties,
        turns=turns,
        overshoot=overshoot,
        players=players,
        prefer=prefer,
        race=race,
    )


def accuracy_of(race, unit=1):
    """The residual of a race, and an estimate of its error where values count in units."""
    game = race.game
    if race.unsettled:
        raise ConvergenceError(f"{game.name}: decisions on {race.unsettled:,} cycles do not settle")
    spread = (2 * game.longest) ** 0.5 if race.objective != "score" else 1
    error = race.growth * (race.residual + ROUNDING * spread * unit)
    return race.residual if race.exact else float(race.residual), float(error)


def check_error(game, error, unit=1.0, said=", as resets are nearly certain"):
    """Raise ConvergenceError if an estimated error is more than 1e-12 of `unit`, or nan."""
    if not 0 <= error <= ACCURACY * unit:
        raise ConvergenceError(f"{game.name}: float64 may be off by {error:.0e}{said}")


def check_ends(game, objective="win", players=2):
    """Raise ValueError if a player can wait for ever where a match can go back; for more than two, in registers."""
    goes_back = game.has_penalties or (game.resets and (game.registers or game.finish in LAST_TURN))
    if players > 2:
        goes_back = game.registers
    if objective in ("win", "margin") and goes_back and may_be_endless(game):
        raise ValueError(
            f"{game.name}: a player can make sure never to finish, so that a match need not end, and its equations may"
            " have many solutions"
        )


def values_of(race):
    """The values at the start of all turns, by phase where there are several, and by the places of scores."""
    positions, objective = race.positions, race.objective
    values = np.stack([race.starts(phase) for phase in range(positions.phases)])
    if positions.clock:
        over = positions.row(positions.phases, positions.grid).reshape(1, *positions.shape)
        values = np.concatenate([race.values[over, 0], values[::-1]])
    values = as_exact(-values if objective == "turns" else values)
    if objective == "turns":
        values = np.where(values <= ENDLESS, values, np.inf)
    for turn in range(positions.phases) if positions.rounds else ():
        values[-1 - turn].flat[~positions.met(turn)] = np.nan
    if positions.by_difference:  # a view, by the places of both scores
        return sliding_window_view(values, positions.scores, axis=1)[:, :, ::-1]
    return values if len(values) > 1 else values[0]


def shares_of(race):
    """How often the bold turn is played, by places of scores and, where there are roles, the role; where it is."""
    positions = race.positions
    turns = positions.turns[positions.where[list(map(int, race.shares))]]
    at = np.column_stack([positions.places(turns), turns[:, [PHASE] * positions.equal]])
    shares = as_exact(np.array([*race.shares.values()]))
    return dict(zip(map(tuple, at.tolist()), shares.tolist(), strict=True))


def ties_of(race):
    """Where rolling and holding have the same value in fractions: tuples of scores, turn total and mode."""
    positions, game = race.positions, race.positions.game
    places = np.indices((positions.scores,) * positions.players).reshape(positions.players, -1).T
    found = []
    for phase in range(positions.phases):
        for at, turn in zip(places.tolist(), positions.at(places, phase), strict=True):
            scores = [phase] * (positions.phases > 1) + [game.scores[place] for place in at]
            hold, roll, *_ = race.near.actions(turn)  # floats tell where to look
            if (abs(roll - hold) <= 1e-9 * np.maximum(1, abs(hold)))[..., 0].any():
                hold, roll, *_ = race.actions(turn)
            found += [
                (*scores, total, mode.name)
                for m, mode in enumerate(game.modes)
                if mode.may_hold and not mode.must_hold
                for total in range(
                    game.register(game.scores[at[0]]).least_hold, game.missing(game.scores[at[0]])
                )
                if roll[m, total, 0] == hold[total, 0]
            ]
    return tuple(sorted(found))


def one_turn(race):
    """The values of one turn by total, up to the threshold from which on all hold who may, and by mode; exact ties."""
    game, turns = race.positions.game, race.positions.turns
    rolls, picks = race.decisions(turns)
    may_hold = np.array([mode.may_hold and not mode.must_hold for mode in game.modes])
    reached = [mode.name in game.reached() for mode in game.modes]
    width = rolls.shape[2] - game.most_points - 1
    rolled = rolls[:, may_hold & reached, 1:width].any(axis=(0, 1))
    changes = (picks[:, :, 1:width] != picks[:, :, width : width + 1]).any(axis=(0, 1))
    known = 2 + max(np.flatnonzero(rolled | changes), default=-1)
    known = max(known, *(int(turn[LEAST]) for turn in turns), 1)
    hold, roll, best = (part[..., : known + 1, 0] for part in race.actions(turns[0])[:3])
    values = as_exact(best.T.copy())
    values[:, np.logical_not(reached)] = np.nan
    least = int(turns[0, LEAST])
    ties = sorted(
        (k, game.modes[m].name) for m, k in np.argwhere(roll == hold) if may_hold[m] and k >= least
    )
    return values, tuple(ties) if race.exact else None


class Listing(Equilibrium):
    """The equilibria of a race, with its verdicts and lists."""

    def verdicts(self):
        """A row for every cycle, from its smallest rotation on, by the sum of needs: a dict of columns."""
        known, turns = self.positions, self.positions.turns
        groups = np.flatnonzero(turns[known.groups[1:] - 1, BUST] == turns[known.groups[:-1], ROW])
        heads = turns[known.groups[groups] + known.equal]
        places = known.places(heads)
        needs = known.game.longest - places // known.registers
        found = np.zeros((4, len(known.groups)), dtype=self.values.dtype)
        found[0] = 1
        for g, (rows, taken, several, apart) in self.searched.items():
            found[:, g] = several, apart, max(map(self.kingmaking, rows)), taken.mixing
        columns = {
            "needs": needs,
            "registers": places % known.registers,
            "equilibria": found[0, groups].astype(int),
            "mixing": found[3, groups].astype(int),
            "chances": as_exact(self.values[heads[:, ROW]]),
            "spread": as_exact(found[1, groups]),
            "kingmaking": as_exact(found[2, groups]),
        }
        order = np.lexsort([*needs.T[::-1], needs.sum(axis=1)])
        return {name: part[order] for name, part in columns.items()}

    def kingmaking(self, row):
        """The largest effect on another one's chance of the player to move, if indifferent between two turns."""
        turn = self.positions.turns[self.positions.where[row]]
        after = self.values[turn[BUST]].copy()
        first, *others = (self.turn_at(turn, after[-1], side)[0] for side in (0, -1, 1))
        effects = [0 * after[0]]
        for other in others:
            if abs(worth(first, after[-1]) - worth(other, after[-1])) <= 10 * self.tie:
                change = (first - other)[1:-1] + (other - first)[-1] * after[:-1]
                effects.append(abs(change).max())
        return max(effects)

    def equilibria(self, needs):
        """All equilibria of the cycle of some needs, in order of play, of a game without registers: a list of dict.

        By position the `chances`, (n, n), the probability that the turn `busts`, the share of the bold turn, and the
        lowest turn totals at which the cautious turn and the bold one hold; and whether it is the one that is `taken`.
        """
        known = self.positions
        row = known.row(0, [*(known.game.target - np.array(needs))])
        g = int(np.searchsorted(known.groups, known.where[row], "right")) - 1
        cycle, found = self.cycle(g, row), []
        for one in cycle.equilibria([0, *cycle.mixing]):
            if all(one.apart(other) > self.tie for other in found):
                found.append(one)
        off = [abs(one.chances - self.values[cycle.turns[:, ROW]]).max() for one in found]
        return [self._listed(cycle, one, k == np.argmin(off)) for k, one in enumerate(found)]

    def _listed(self, cycle, one, taken):
        at, holds = [*zip(cycle.turns, np.roll(one.chances[:, -1], -1), strict=True)], []
        for side in (-1, 1):
            rolls = [self.turn_at(turn, z, side)[1][0] for turn, z in at]
            holds.append([int(np.append(row, False).argmin()) for row in rolls])
        shares, busts, chances = map(as_exact, (one.share, one.onward, one.chances))
        listed = {"hold_at": holds[0], "bold_hold_at": holds[1], "bold_share": shares}
        return listed | {"busts": busts, "chances": chances, "taken": taken}
