"""A race with its values: who sits in which seat, what is asked for, and what resets and penalties lead back to."""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from .._accuracy import CLOSE, SETTLED, TIE
from .._compile import plain
from .._numbers import Number
from ..games.model import LAST_TURN
from ..solution import ALONE
from . import turn as compiled
from .positions import BEYOND, LOW, NEED, ONWARD, PHASE, TABLE, Positions

BEST, FIXED = -1, -2  # seats
FOREVER = 10**300  # turns that never end: finite, so that 0 times it is 0
FAR = -(10**6)  # a first guess of minus the number of turns, too low: every turn leaves its bust
FARTHEST = 2**40  # columns: nobody rolled
ENDLESS_TURN = "a roll is best however far above the target, so that a turn may have no best end"
FARTHEST_LEAD = 30  # rolls above the target, behind which all hold in a game that has a best turn
ROUNDS = 300  # of policy iteration on a cycle
NOISE = 1e-15  # an advantage that does not count while values are sought; of decisions, TIE
NUDGE, NUDGES = 1e-6, 8  # to see how errors grow


@dataclass(frozen=True)
class Payoffs:
    """What is asked for: components of a value, what terminals pay, and what passes from turn to turn."""

    terminals: np.ndarray  # (rows, components)
    onward: np.ndarray  # (components, 1 + components) [shift | turned]
    endless: np.ndarray  # (components,) what play is worth that never ends
    guess: np.ndarray  # (components,)


def payoffs_of(positions, match=False):
    """The components: the shares of all seats, from the mover on; in a match also the turns and their square.

    For two one share tells the other. In fractions all arrays are of objects.
    """
    n, objective, half = positions.players, positions.objective, Fraction(1, 2)
    rows, game = range(positions.terminals), positions.game
    if objective in ("turns", "score"):
        counts = objective == "turns"
        pays = [[0 if counts else row] for row in rows]
        return _payoffs(pays, [[-1 * counts, 1]], [-FOREVER * counts], [FAR * counts])
    needs = [game.target - int(score) for score in game.scores]
    if n == 2 and not match:
        total = int(objective == "win")
        pays = [0, 1, 0, total * half]
        if objective == "margin":
            pays += [-need - more for need in needs for more in range(positions.lead + 1)]
        return _payoffs([[x] for x in pays], [[total, -1]], [total * half], [total * half])
    masks = [[row >> k & 1 for k in range(n)] for row in rows[: 2**n]]
    pays = [[Fraction(bit, max(1, sum(mask))) for bit in mask] for mask in masks]
    endless = [Fraction(1, n)] * n
    if objective == "margin":
        pays, endless = pays + [[-need, need] for need in needs], [0, 0]
    turned = [[int((i - 1) % n == j) for j in range(n)] for i in range(n)]
    if not match:
        return _payoffs(pays, [[0, *row] for row in turned], endless, endless)
    onward = [[0, *row, 0, 0] for row in turned] + [[1, *[0] * n, 1, 0], [1, *[0] * n, 2, 1]]
    pays = [[*row, 0, 0] for row in pays]
    return _payoffs(pays, onward, [*endless, FOREVER, FOREVER], [*endless, 10, 100])


def _payoffs(*parts):
    return Payoffs(*(np.array(part, dtype=object) for part in parts))


def rules_of(game, exact=False):
    """The rules of a turn as arrays."""
    game = game.until_change
    scoring = [[o for o in mode.outcomes if o.choices] for mode in game.modes]
    flat = [o for outcomes in scoring for o in outcomes]
    several = np.array([len(o.choices) > 1 for o in flat], dtype=bool)
    first = np.cumsum([0, *(len(o.choices) for o in flat)])
    branch = np.append(np.where(several, several.cumsum() - 1, -1), -1)
    begin = np.cumsum([0, *map(len, scoring)])
    holds = [(mode.may_hold, mode.must_hold) for mode in game.modes] + [(False, False)]
    forced = [m for m, mode in enumerate(game.modes) if not mode.may_hold]
    past = [m for m in forced if game.modes[m].name in game.reached_with_points]
    number = Number if exact else float
    dtype = object if exact else float
    return compiled.Rules(
        modes=np.array([(b, *hold) for b, hold in zip(begin, holds, strict=True)], dtype=np.int64),
        outcomes=np.stack([first, branch], axis=1),
        choices=np.array([(game.mode(c.mode), c.points) for o in flat for c in o.choices]),
        chance=np.array([number(o.probability) for o in flat], dtype=dtype),
        reset=np.array([number(mode.chance("reset")) for mode in game.modes], dtype=dtype),
        order=np.array(game.order),
        past=np.array(past, dtype=np.int64),
        most=int(game.most_points),
    )


class Race:
    """A game whose positions have values: solved, evaluated, or a best response, as its seats say.

    Parameters
    ----------
    positions : Positions
    seats : sequence, optional
        By phase "best", a `Race` whose policy is followed, or a table: rolls, picks, and a row by position. By default
        all are "best".
    match : bool
        Whether turns are counted, too.
    near : Race, optional
        Of the same positions, with values to begin with; needed for fractions.
    exact : bool

    Attributes
    ----------
    values : ndarray (rows, components)
    residual : float
        The largest change in the last sweep.
    unsettled : int
        The number of cycles on which policy iteration did not settle.
    sweeps : int
    """

    def __init__(self, positions, seats=None, match=False, near=None, exact=False):
        self.positions, self.exact, self.match = positions, exact, match
        self.seats = seats or ["best"] * positions.phases
        self.rules = rules_of(positions.game, exact)
        self.sweeps, self.growth = 0, 1.0
        pays = self.payoffs
        self.values = np.empty((positions.size, len(pays.guess)), dtype=object if exact else float)
        self.values[:] = pays.guess if near is None else self._numbers(near.values)
        self.values[: positions.terminals] = pays.terminals
        self.residual, self.unsettled = self._settle()

    @cached_property
    def payoffs(self):
        """As numbers of the race."""
        made = payoffs_of(self.positions, self.match)
        return Payoffs(*(self._numbers(part) for part in vars(made).values()))

    def _numbers(self, array):
        if not self.exact:
            return array.astype(float)
        return np.vectorize(Number, otypes=[object])(array)

    @property
    def _kernels(self):
        return plain(compiled.__name__) if self.exact else compiled

    @cached_property
    def _given(self):
        """Who decides, by phase; places of tables are written into the positions."""
        judges, kinds, tables = [], [], []
        for phase, seat in enumerate(self.seats):
            if isinstance(seat, Race):
                kinds.append(len(judges))
                judges.append(seat.values_on(self.positions))
            elif isinstance(seat, str):
                kinds.append(BEST)
            else:
                kinds.append(FIXED)
                mine = self.positions.turns[:, PHASE] == phase
                self.positions.turns[mine, TABLE] = seat[2][mine] + sum(len(t[0]) for t in tables)
                tables.append(seat)
        nothing = np.zeros((1, 1, 1), dtype=np.uint8)
        judged = next((seat.payoffs.onward for seat in self.seats if isinstance(seat, Race)), None)
        return compiled.Given(
            self.values,
            self.payoffs.onward,
            np.array(kinds),
            np.stack(judges) if judges else np.zeros((0, *self.values.shape), self.values.dtype),
            self.payoffs.onward if judged is None else judged,
            np.concatenate([table[0] for table in tables] or [nothing]),
            np.concatenate([table[1] for table in tables] or [nothing]),
        )

    def values_on(self, positions):
        """The values for positions with more phases that are all alike here."""
        parts = self.values[self.positions.terminals :]
        times = (positions.size - positions.terminals) // len(parts)
        return np.concatenate([self.values[: self.positions.terminals], *[parts] * times])

    @cached_property
    def _ending(self):
        pays = self.payoffs
        powers = [np.eye(len(pays.onward), dtype=int) + 0 * pays.onward[:, 1:]]
        for _ in range(int(np.diff(self.positions.groups).max())):
            powers.append(powers[-1] @ pays.onward[:, 1:])
        enough = 0 if self.exact else CLOSE * max(1, abs(pays.terminals).max())
        tie = 0 if self.exact else NOISE
        return compiled.Ending(np.array(powers), pays.endless, tie, enough, ROUNDS)

    def _rooms(self, size, turns):
        """Workspace for values of so many numbers, at some turns."""
        rules = self.rules
        totals = int((turns[:, NEED] - turns[:, LOW]).max()) + 1
        modes, past, number = len(rules.reset), len(rules.past), self.values.dtype
        branches = max(1, int(rules.outcomes[:, 1].max()) + 1)
        rolls = np.zeros((modes, totals), dtype=np.uint8)
        picks = np.zeros((branches, totals), dtype=np.uint8)
        nearest = np.array([FARTHEST])
        works = [
            compiled.Work(
                rolls,
                picks,
                np.zeros((modes, totals, wide + 1), dtype=number),
                np.zeros((2 + totals, wide), dtype=number),
                np.zeros((past, past + 3), dtype=number),
                np.zeros((past, 3), dtype=number),
                nearest,
            )
            for wide in (size, self._given.judges.shape[2])
        ]
        longest = int(np.diff(self.positions.groups).max())
        shapes = (longest, size + 1), (longest, size + 1), (2, size)
        return *works, compiled.Room(*(np.zeros(shape, dtype=number) for shape in shapes))

    def _sweep(self, given=None, ending=None):
        given, positions = given or self._given, self.positions
        rooms = self._rooms(given.values.shape[1], positions.turns)
        self.sweeps += 1
        sweep = self._kernels.sweep
        order = positions.turns, positions.groups
        done = sweep(self.rules, *order, given, ending or self._ending, rooms)
        self.nearest = int(rooms[0].nearest[0])
        return done

    def _settle(self):
        """Sweep; what resets and penalties lead back to is iterated, with Anderson's acceleration, or solved."""
        ties, worst = self.positions.ties, None
        if not len(ties):
            return self._sweep()
        if self.exact:
            return self._solve_ties()

        def once(z):
            nonlocal worst
            self.values[ties] = z.reshape(len(ties), -1)
            worst = self._sweep()
            return self.values[ties].ravel()

        z, change = settle(once, self.values[ties].ravel())
        self.growth = growth_of(once, z)
        once(z)
        return max(change, worst[0]), worst[1]

    def _solve_ties(self):
        """Policy iteration in fractions: values are affine in those of the ties, which solve linear equations."""
        ties, terminals = self.positions.ties, self.positions.terminals
        size = self.values.shape[1]
        unknowns = len(ties) * size
        while True:
            forms = np.zeros((len(self.values), size, 1 + unknowns), dtype=object)
            forms[:terminals, :, 0] = self.values[:terminals]
            for u, (row, part) in enumerate(np.ndindex(len(ties), size)):
                forms[ties[row], part, 1 + u] = 1
            given = self._given._replace(
                values=forms.reshape(len(forms), -1),
                seats=np.where(
                    self._given.seats == BEST, len(self._given.judges), self._given.seats
                ),
                judges=np.concatenate([self._given.judges, self.values[None]]),
                judged=self.payoffs.onward,
            )
            self._sweep(given, self._ending._replace(rounds=1))
            found = forms[ties].reshape(unknowns, 1 + unknowns)
            z = solve_linear(np.eye(unknowns, dtype=int) - found[:, 1:], found[:, 0])
            before = forms[..., 0] + forms[..., 1:] @ z
            self.values[terminals:] = before[terminals:]
            result = self._sweep()
            if (self.values == before).all():
                return result

    # questions

    @property
    def rolled(self):
        """The farthest above the target that somebody rolls on who might hold; at least 1 where others answer."""
        return max(self.positions.lead - self.nearest, int(self.positions.last))

    @property
    def value(self):
        """The components at the start."""
        return self.values[self.positions.start]

    def fill(self, places, rolls, choices, role=0, turns_left=None):
        """Fill in decisions as :class:`dicelab.solution.OptimalPolicy` wants them, at some places of scores."""
        phase = role if turns_left is None else self.positions.phases - turns_left
        turns = self.positions.at(places[:, : self.positions.players], phase)
        found, taken = self.decisions(turns)
        known = turns[:, NEED] + np.where(turns[:, BEYOND] == ONWARD, -turns[:, LOW], 0)
        if self.positions.objective == "score":  # a turn that knows of no target
            known = np.minimum(known, self.positions.missing[places[:, 0]])
        wide = min(rolls.shape[2], found.shape[2])
        here = (np.arange(wide) < known[:, None])[:, None]
        rolls[:, :, :wide] = np.where(here, found[:, :, :wide], rolls[:, :, :wide])
        rolls[:, :, 0] = True
        # Behind the target one chooses as at it.
        at = np.minimum(np.arange(choices.shape[2]), known[:, None])[:, None]
        choices[:] = np.take_along_axis(taken[:, : choices.shape[1]], at, 2)

    def decisions(self, turns):
        """The decisions at some turns: rolls (turns, modes, totals), bool, and picks (turns, branches, totals)."""
        rooms = work, *_ = self._rooms(self.values.shape[1], turns)
        rolls = np.zeros((len(turns), *work.rolls.shape), dtype=np.uint8)
        picks = np.zeros((len(turns), *work.picks.shape), dtype=np.uint8)
        ending = self._ending if self.exact else self._ending._replace(tie=TIE)
        self._kernels.decide(self.rules, turns, self._given, ending, rooms, rolls, picks)
        return rolls.astype(bool), picks

    def actions(self, turn):
        """What actions are worth, by turn total: a hold (totals, components), a roll and the best (modes, …)."""
        rooms = self._rooms(self.values.shape[1], turn[None])
        work, columns = rooms[0], turn[NEED] - turn[LOW] + 1
        roll = np.zeros_like(work.state)
        self._kernels.rolled(self.rules, turn, self._given, self._ending, rooms, roll)
        worth = [x[:, columns - 1 :: -1] for x in (roll, work.state)]
        worth = [x[:, :columns, :-1] + (1 - x[:, :columns, -1:]) * work.hands[0] for x in worth]
        return work.hands[1 + columns : 1 : -1], *worth


def settle(step, z, memory=10, rounds=400):
    """Anderson's acceleration of z ← step(z), until no number changes by more than 4e-15: z and the last change."""
    tried, changes = [], []
    for k in range(rounds):
        change = step(z) - z
        if abs(change).max() <= SETTLED:
            break
        tried, changes = [*tried[-memory:], z], [*changes[-memory:], change]
        z = z + change
        if k and (abs(change) < 0.1 * (1 + abs(z))).all():  # near enough for an extrapolation
            d, e = np.diff(tried, axis=0), np.diff(changes, axis=0)
            z = z - (d + e).T @ np.linalg.lstsq(e.T, change, rcond=None)[0]
    return z, abs(change).max()


def growth_of(step, z):
    """How often an error of z counts where z = step(z): all are moved, and what is left after each step is added up.

    From a step on that leaves at most half of what the one before had left, and from the last one on, the same share is
    taken to be left.
    """
    unit = NUDGE * (1 + abs(z))
    moved, left, growth = z + unit, 1.0, 0.0
    for _ in range(NUDGES):
        growth += left
        moved, before = step(moved), left
        left = (abs(moved - z) / unit).max()
        if left <= before / 2:
            break
    return growth + left / (1 - left / before) if left < before else np.inf


def solve_linear(rows, right):
    """x of rows·x = right, in numbers of any kind, by elimination."""
    room = np.column_stack([rows, right])
    for i in range(len(room)):
        pivot = next(k for k in range(i, len(room)) if room[k, i] != 0)
        room[[i, pivot]] = room[[pivot, i]]
        room[i] = room[i] / room[i, i]
        for k in range(len(room)):
            if k != i and room[k, i] != 0:
                room[k] = room[k] - room[k, i] * room[i]
    return room[:, -1]


def solve(game, objective="win", players=2, turns=None, exact=False, overshoot=False):
    """Solve a game.

    Where all must hold, far above the target, is found by trial: nobody may roll within a roll of it.
    """
    if objective in ALONE:
        players = 1
        game = replace(game, finish="reach") if game.finish in LAST_TURN else game
    open_ended = objective == "score" or game.finish in LAST_TURN
    most, where = max(game.most_points, 4), f"{game.name} with finish={game.finish!r}"
    held = max([game.most_paid, *(register.least_hold for register in game.registers)])
    lead, before = (2 * most + held) * open_ended + (most + held) * overshoot, np.inf
    if objective == "score":
        lead += game.longest
    while True:
        race = Race(Positions(game, players, objective, turns or 1, lead))
        forced = objective != "score" and game.finish in LAST_TURN and len(race.rules.past)
        if forced and exact:
            said = "what rolls are worth that are forced above the target is a sum without end"
            raise ValueError(f"{where}: {said}; solve without exact=True")
        settled = not forced or abs(race.value - before).max() <= SETTLED
        if not open_ended or (race.nearest > game.most_points and settled):
            break
        if lead > FARTHEST_LEAD * most + game.longest:
            if objective == "score":
                said = "one can roll on for ever and lose nothing"
                raise ValueError(f"{game.name} has no best turn, as {said}")
            raise ValueError(f"{where}: {ENDLESS_TURN}")
        lead, before = lead * 2, race.value
    if not exact:
        return race
    if open_ended and not len(race.rules.past):
        lead = race.rolled + game.most_points + 1 + held
        race = Race(Positions(game, players, objective, turns or 1, lead))
    exactly = Race(race.positions, near=race, exact=True)
    if open_ended and exactly.nearest <= game.most_points:
        raise ValueError(f"{where}: {ENDLESS_TURN}; solve without exact=True")
    return exactly
