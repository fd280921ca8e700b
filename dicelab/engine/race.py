"""A race with its values: who sits in which seat, what is asked for, and what resets and penalties lead back to."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache, partial
from itertools import pairwise, repeat
from math import prod

import numpy as np

from .._accuracy import CLOSE, SETTLED, TIE, UNLIKELY
from .._compile import plain
from .._numbers import Number
from ..games.absorption import never_risks
from ..games.model import LAST_TURN, RESULTS, plain_finish
from ..games.registers import PLAIN
from ..solution import ALONE, POINTS_COUNT
from . import turn as compiled
from .fast import knows, pairs
from .fixed_points import growth_of, settle, solve_linear
from .positions import (
    BEYOND,
    BUST,
    ENDS,
    LOW,
    NEED,
    ONWARD,
    RESET,
    ROW,
    Positions,
)
from .seats import followed, remembering, together

FOREVER = 10**300  # turns that never end: finite, so that 0 times it is 0
FAR = -(10**6)  # a first guess of minus the number of turns, too low: every turn leaves its bust
FARTHEST = 2**40  # columns: nobody rolled
ENDLESS_TURN = "a roll is best however far above the target, so that a turn may have no best end"
FARTHEST_LEAD = 100  # rolls above the target, behind which all hold in a game that has a best turn
ROUNDS = 50  # of Newton's method in fractions
SLICES, MANY = 8, 32  # for several threads, where so many groups do not depend on each other


@dataclass(frozen=True)
class Payoffs:
    """What is asked for: components of a value, what terminals pay, and what passes from turn to turn."""

    terminals: np.ndarray  # (rows, components)
    onward: np.ndarray  # (components, 1 + components) [shift | turned]
    endless: np.ndarray  # (components,) what play is worth that never ends
    guess: np.ndarray  # (components,)


def payoffs_of(positions, match=False):
    """The components: the shares of all seats, from the mover on; in a match also the turns and their square.

    The share of one player alone is the probability to finish.
    For two one share tells the other. In fractions all arrays are of objects.
    """
    n, objective, half = positions.players, positions.objective, Fraction(1, 2)
    rows, game = range(positions.terminals), positions.game
    if objective == "never":  # to finish: for one player who avoids the target
        return _payoffs([[0], [-1]], [[0, 1]], [0], [0])
    if objective in ("turns", *POINTS_COUNT) and not match:
        counts, least = objective == "turns", game.lowest * positions.sums
        pays = [[0 if counts else least + row] for row in rows]
        return _payoffs(pays, [[-1 * counts, 1]], [-FOREVER * counts], [FAR * counts])
    needs = [game.target - int(score) for score in game.scores]
    if n == 2 and not match:
        total = int(objective != "margin")
        pays = [0, 1, 0, total * half]
        if objective == "margin":
            pays += [-need - more for need in needs for more in range(positions.lead + 1)]
        return _payoffs([[x] for x in pays], [[total, -1]], [total * half], [total * half])
    masks = [[row >> k & 1 for k in range(n)] for row in rows[: 2**n]]
    pays = [[Fraction(bit, max(1, sum(mask))) for bit in mask] for mask in masks]
    endless = [Fraction(n > 1, n)] * n
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
    branch = np.append(np.where(several, several.cumsum() - 1, several.sum()), several.sum())
    begin = np.cumsum([0, *map(len, scoring)])
    holds = [(mode.may_hold, mode.must_hold) for mode in game.modes] + [(False, False)]
    forced = [m for m, mode in enumerate(game.modes) if not mode.may_hold]
    past = [m for m in forced if game.modes[m].name in game.reached_with_points]
    number = Number if exact else float
    dtype, index = (object, np.int64) if exact else (float, np.uint32)
    return compiled.Rules(
        modes=np.array([(b, *hold) for b, hold in zip(begin, holds, strict=True)], dtype=index),
        outcomes=np.stack([first, branch], axis=1).astype(index),
        choices=np.array(
            [(game.mode(c.mode), c.points) for o in flat for c in o.choices], dtype=index
        ),
        chance=np.array([number(o.probability) for o in flat], dtype=dtype),
        early=np.array(
            [[number(mode.chance(end)) for end in RESULTS] for mode in game.modes], dtype=dtype
        ),
        order=np.array(game.order, dtype=index),
        past=np.array(past, dtype=index),
        most=int(game.most_points),
        told=int(game.finish in LAST_TURN),
        unit=0.0,
    )


class Race:
    """A game whose positions have values: solved, evaluated, or a best response, as its seats say.

    Parameters
    ----------
    positions : Positions
    seats : sequence, optional
        By phase "best", or what is followed: a policy, or the decisions of a solved race. By default all are "best".
    game : Game, optional
        In which policies are asked, if those of the positions remember something.
    match : bool
        Whether turns are counted, too.
    near : Race, optional
        With values to begin with, of positions that differ in last turns alone. For fractions it must be given, and be
        of the same positions.
    exact : bool

    Attributes
    ----------
    values : ndarray (rows, components)
    residual : float
        The largest change in the last sweep.
    unsettled : int
        The number of cycles on which policy iteration did not settle.
    """

    exact = match = False
    seats = ("best",)
    ties = ()  # rows that are read before they are solved, and that a sweep changes
    far = 0.0  # the chance of the farthest lead
    unsettled = 0
    nearest = FARTHEST  # how near to the farthest lead somebody rolled

    def __init__(self, positions, seats=None, match=False, near=None, exact=False, game=None):
        self.positions, self.exact, self.match = positions, exact, match
        self.game, self.objective = game or positions.game, positions.objective
        self.seats = seats or ["best"] * positions.phases
        pays = self.payoffs
        self.values = np.empty((positions.size, len(pays.guess)), dtype=object if exact else float)
        self.values[:] = pays.guess
        if exact:
            self.values[:] = self.numbers(near.values)
        elif near is not None and positions.last:
            for phase in range(positions.phases):
                self.starts(phase)[:] = near.starts(phase)
        self.values[: positions.terminals] = pays.terminals
        # Where a player may wait for ever, equations may have several solutions, and a guess may lead to a wrong one.
        self.fresh = (
            near is None
            and self.chooses
            and positions.players > 1
            and not positions.clock
            and not may_be_endless(positions.game)
        )
        self.residual, self.unsettled = self._settle()

    @cached_property
    def rules(self):
        """The rules of a turn."""
        return rules_of(self.positions.game, self.exact)

    @cached_property
    def payoffs(self):
        """As numbers of the race."""
        return Payoffs(*map(self.numbers, vars(payoffs_of(self.positions, self.match)).values()))

    def numbers(self, array):
        """An array as numbers of the race: float64, or fractions."""
        return np.vectorize(Number, otypes=[object])(array) if self.exact else array.astype(float)

    @property
    def _kernels(self):
        return plain(compiled.__name__) if self.exact else compiled

    @cached_property
    def _given(self):
        """Values, and who decides, by phase."""
        follows = np.array([not isinstance(seat, str) for seat in self.seats])
        return compiled.Given(
            self.values,
            self.payoffs.onward,
            self.positions.after,
            follows,
            *followed(self, self.game, self.seats),
        )

    @property
    def chooses(self):
        """Whether somebody does what is best."""
        return any(isinstance(seat, str) for seat in self.seats)

    @cached_property
    def longest(self):
        """The length of the longest group."""
        return int(np.diff(self.positions.groups).max())

    @cached_property
    def _ending(self):
        pays = self.payoffs
        powers = [np.eye(len(pays.onward), dtype=int) + 0 * pays.onward[:, 1:]]
        for _ in range(self.longest):
            powers.append(powers[-1] @ pays.onward[:, 1:])
        enough = 0 if self.exact else CLOSE * max(1, abs(pays.terminals).max())
        return compiled.Ending(
            np.array(powers), pays.endless, 0 if self.exact else compiled.NOISE, enough
        )

    def _rooms(self, size, turns, longest=1):
        """Workspace for values of so many numbers, at some turns, and for cycles of some length."""
        rules = self.rules
        totals = int((turns[:, NEED] - turns[:, LOW]).max()) + 1
        modes, past, number = len(rules.early), len(rules.past), self.values.dtype
        work = compiled.Work(
            np.zeros((modes, totals), dtype=np.uint8),
            np.zeros((int(rules.outcomes[-1, 1]) + 1, totals), dtype=np.uint8),
            np.zeros((modes, totals + 1, size + 1), dtype=number),
            np.ones((ENDS + totals, size + 1), dtype=number),
            np.zeros((past, past + ENDS + 1), dtype=number),
            np.zeros((past, ENDS + 1), dtype=number),
            np.array([FARTHEST]),
        )
        shapes = (longest, size + 1), (longest, size + 1), (2, size)
        return work, compiled.Room(*(np.zeros(shape, dtype=number) for shape in shapes))

    def _sweep(self, given=None, turns=None):
        given, groups = given or self._given, self.positions.groups
        turns = self.positions.turns if turns is None else turns
        size, worst, unsettled = given.values.shape[1], 0.0, 0
        rooms = [self._rooms(size, turns, self.longest) for _ in range(SLICES)]
        if not self.chooses:
            self._kernels.chain(turns, groups, given, self._ending, rooms[0][1])
            return worst, unsettled
        kernel, rules, ending = self._kernels.sweep, repeat(self.rules), repeat(self._ending)
        with ThreadPoolExecutor() as pool:
            for first, last in pairwise(self.positions.parts):
                if self.fresh:
                    self._guess(turns[groups[first] : groups[last], ROW])
                slices, run = (SLICES, pool.map) if last - first >= MANY else (1, map)
                ends = pairwise(np.linspace(first, last, slices + 1, dtype=int))
                some = [groups[a : b + 1] for a, b in ends]
                for found in run(kernel, rules, repeat(turns), some, repeat(given), ending, rooms):
                    worst, unsettled = max(worst, found[0]), unsettled + found[1]
        self.fresh, self.nearest = False, min(int(work.nearest[0]) for work, _ in rooms)
        return worst, unsettled

    def _guess(self, rows):
        """Extrapolate values, from positions at which the mover has a point more, the next player, or both."""
        known = self.positions
        own, other = (known.registers * known.scores ** max(0, known.players - k) for k in (1, 2))
        rows = rows[rows + own + other < len(self.values)]
        more = self.values[rows + own] + self.values[rows + other]
        self.values[rows] = more - self.values[rows + own + other]

    def _settle(self):
        """Sweep; what resets and penalties lead back to is iterated, with Anderson's acceleration, or solved."""
        ties = self.positions.ties
        if len(ties) and not self.chooses:  # else there is nothing to settle
            ties = ties[
                (self.sure if self.match or self.objective == "turns" else self.ending)[ties]
            ]
        if not len(ties):
            return self._sweep()
        if self.exact:
            return self._solve_ties(ties)
        self.ties = ties
        change = settle(self._once, self.values[ties].ravel())
        return max(change, self._worst[0]), self._worst[1]

    def _once(self, z):
        """The values at the ties after a sweep."""
        self.values[self.ties] = z.reshape(len(self.ties), -1)
        self._worst = self._sweep()
        return self.values[self.ties].ravel()

    @cached_property
    def growth(self):
        """How errors grow from sweep to sweep."""
        if not len(self.ties):
            return 1.0
        kept = self.values.copy()
        found = growth_of(self._once, kept[self.ties].ravel())
        self.values[:] = kept
        return found

    def _solve_ties(self, ties):
        """Newton's method in fractions: behind each value stand its derivatives by those at the ties."""
        n, size, turns = len(ties), len(self.values), self.positions.turns.copy()
        alias, one = np.arange(size), np.eye(n, dtype=int) * Number(1)
        alias[ties] = size + np.arange(n)
        turns[:, [BUST, RESET]] = alias[turns[:, [BUST, RESET]]]
        values = np.zeros((size + n, 1 + n), dtype=int) * Number(1)
        values[:size, :1], z = self.values, self.values[ties, 0]
        for _ in range(ROUNDS):
            before = values[:size, 0].copy()
            values[size:] = np.column_stack([z, one])
            _, unsettled = self._sweep(self._given._replace(values=values), turns)
            found, slopes = values[ties, 0], values[ties, 1:]
            left = abs(slopes).sum(axis=1) < 1
            for _ in range(n):  # that lead to an end
                left = left | (slopes[:, left] != 0).any(axis=1)
            z[~left] = self.payoffs.endless[0]
            more = (found - z)[left]
            if not more.any() and (values[:size, 0] == before).all():
                break
            z[left] += solve_linear((one - slopes)[left][:, left], more)
        self.values[:] = values[:size, :1]
        self.values[ties, 0] = z
        return 0, unsettled + bool(more.any())

    def ends_of(self, turns, rolls, picks, work=None):
        """The chances of the ends of turns by tables, whose rows they name; see :func:`dicelab.engine.turn.follow`."""
        work = work or self._rooms(1, turns)[0]
        ends = np.zeros((len(turns), ENDS + 1 + work.rolls.shape[1]), dtype=self.values.dtype)
        wide = work.rolls.shape[1]
        if min(rolls.shape[2], picks.shape[2]) < wide or rolls.dtype == bool:
            rolls, picks = together([rolls], False, wide), together([picks], True, wide)
        forced = np.zeros((len(turns), *work.ends.shape), dtype=self.values.dtype)
        if len(self.rules.past):
            self._kernels.force(self.rules, turns, picks, self._ending.tie, work, forced)
        self._kernels.follow(self.rules, turns, rolls, picks, forced, work.state, ends)
        return ends

    def met(self, turns, rolls, picks):
        """The chances of the states of turns, (turns, modes, totals), by tables, one for each; the last total is 0."""
        work, _ = self._rooms(1, turns)
        found, wide = np.zeros((len(turns), *work.rolls.shape)), work.rolls.shape[1]
        rolls, picks = together([rolls], False, wide), together([picks], True, wide)
        for turn, states, *tables in zip(turns, found, rolls, picks, strict=True):
            self.ends_of(turn[None], *(table[None] for table in tables), work)
            last = turn[NEED] - turn[LOW]
            states[:, :last] = work.state[:, last:0:-1, 0]
        return found

    def __getstate__(self):
        return {name: part for name, part in vars(self).items() if name != "_given"}

    # questions

    @property
    def rolled(self):
        """Where others answer, the points above the target from which on all hold who may, and may anywhere."""
        least = max(register.least_hold for register in self.positions.game.registers or (PLAIN,))
        return max(self.positions.lead - self.nearest + 1, least) * self.positions.last

    @property
    def value(self):
        """The components at the start."""
        return self.values[self.positions.start]

    @property
    def memory(self):
        """The number of states of what policies remember, at each score."""
        return self.positions.registers // (len(self.game.registers) or 1)

    @cached_property
    def steps(self):
        """The chances to pass from row to row by one turn, where all follow policies: a sparse matrix (rows, rows)."""
        from scipy.sparse import csr_array

        given, turns = self._given, self.positions.turns
        once = self.positions.where[self.positions.terminals :]
        once = np.isin(np.arange(len(turns)), once[once >= 0])  # a position may stand there twice
        place = np.repeat(np.arange(len(turns)), np.diff(given.first))
        leave = np.bincount(place, given.chances, len(turns))
        at = np.concatenate([turns[place[once[place]], ROW], turns[once, ROW]])
        to = np.concatenate([given.rows[once[place]], turns[once, BUST]])
        chances = np.concatenate([given.chances[once[place]], (1 - leave[once]).clip(0)])
        chances[len(chances) - once.sum() :][leave[once] > 1 - CLOSE] = 0
        found = csr_array((chances, (at, to)), (self.positions.size,) * 2)
        found.eliminate_zeros()
        return found

    @cached_property
    def ending(self):
        """Whether an end can be reached from a row, bool by row."""
        return led_to(self.steps.T, np.arange(self.positions.terminals))

    @cached_property
    def sure(self):
        """Whether an end is reached from a row with probability 1, bool by row."""
        return ~led_to(self.steps.T, np.flatnonzero(~self.ending))

    def starts(self, phase=0):
        """The values at the start of a turn by the places of all scores, (S, …, S), or with their components."""
        positions = self.positions
        start = positions.offset[phase, 0]
        values = self.values[start : start + prod(positions.shape)]
        return (
            values.reshape(*positions.shape, -1)
            if values.shape[1] > 1
            else values.reshape(positions.shape)
        )

    def fill(self, places, rolls, choices, role=0, turns_left=None):
        """Fill in decisions as :class:`dicelab.solution.OptimalPolicy` wants them, at some places of scores."""
        phase = role if turns_left is None else self.positions.phases - turns_left
        turns = self.positions.at(places[:, : self.positions.players], phase)
        once, which = np.unique(turns, axis=0, return_inverse=True)  # opponents may not matter
        found, taken = (part[which] for part in self.decisions(once))
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
        work, _ = self._rooms(self.values.shape[1], turns)
        rolls = np.zeros((len(turns), *work.rolls.shape), dtype=np.uint8)
        picks = np.zeros((len(turns), *work.picks.shape), dtype=np.uint8)
        # Values of a race are differences, and those near 0 have no more digits than the others.
        most = {"win": 1.0, "rounds": 1.0, "margin": float(self.positions.game.target)}
        rules = self.rules._replace(unit=most.get(self.positions.objective, 0.0))
        self._kernels.decide(
            rules, turns, self._given, 0 if self.exact else TIE, work, rolls, picks
        )
        return rolls.astype(bool), picks

    def actions(self, turn, nudge=0):
        """What actions are worth, by turn total: a hold (totals, components + 1), a roll and the best (modes, …).

        Behind the components is the chance not to bust any more; last comes what a bust is worth. Decisions are those
        where that is larger by `nudge` to the next player.
        """
        work, _ = self._rooms(self.values.shape[1], turn[None])
        columns, tie = turn[NEED] - turn[LOW] + 1, 0 if self.exact else compiled.NOISE
        roll, after = np.zeros_like(work.state), self.values[turn[BUST]]
        kept = after[-1]
        after[-1] = kept + nudge
        self._kernels.rolled(self.rules, turn, self._given, tie, work, roll)
        after[-1] = kept
        bust = np.append(self.payoffs.onward[:, 0] + self.payoffs.onward[:, 1:] @ after, 0)
        hold = work.hands[ENDS + columns - 1 : ENDS - 1 : -1]
        worth = [x[:, columns - 1 :: -1] for x in (roll, work.state)]
        return hold, *(x + (1 - x[..., -1:]) * bust for x in worth), bust


class Known(Race):
    """A plain race of two with its values. Nothing more is made before it is asked for."""

    rolled = 0
    growth = 1.0

    def __init__(self, game, objective, found, residual):
        self.game, self.objective = game, objective
        self.found, self.residual = found, residual

    @cached_property
    def positions(self):
        """See `Race`."""
        return Positions(self.game, 2, self.objective)

    @cached_property
    def values(self):
        """See `Race`."""
        return np.concatenate([self.payoffs.terminals, self.found.reshape(-1, 1)])


@lru_cache(maxsize=64)
def may_be_endless(game):
    """Whether a player can make sure never to finish. Of a finish with a last turn the same as of "reach".

    If not, every way to play finishes within some number of turns with some positive probability. Then play ends with
    probability 1 whatever the players do, and the values are the only solution of the Bellman equation.
    """
    return bool((Race(Positions(plain_finish(game), 1, "never")).starts() == 0).any())


def led_to(steps, rows):
    """Whether some rows lead to a row by steps, bool by row."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import breadth_first_order

    size = steps.shape[0]  # a node more leads to all of these
    here = csr_array((np.ones(len(rows)), (np.full(len(rows), size), rows)), (size + 1,) * 2)
    wide = steps.copy()
    wide.resize((size + 1, size + 1))
    found = np.zeros(size + 1, dtype=bool)
    found[breadth_first_order(wide + here, size, return_predecessors=False)] = True
    return found[:size]


def seated(game, seats, objective="win", match=False, turns=None):
    """The race whose seats are "best", or a policy; against a deadline there is one for each turn."""
    memory = max(getattr(seat, "memory", 1) for seat in seats)
    n, equal = len(seats), game.finish == "equal turns" and objective not in ALONE
    if equal:  # a policy for two has the second role in the last seat
        roles = [
            int(k == n - 1) if getattr(s, "players", 2) == 2 else k for k, s in enumerate(seats)
        ]
        seats = [
            s if isinstance(s, str) else s.when(role=k) for s, k in zip(seats, roles, strict=True)
        ]
    return solve(
        remembering(game, memory),
        objective,
        n,
        turns or n,
        kind=partial(Race, seats=seats, match=match, game=game),
    )


def solve(game, objective="win", players=2, turns=None, exact=False, overshoot=False, kind=Race):
    """Solve a game.

    Where all must hold, far above the target, is found by trial: nobody may roll within a roll of it.
    """
    plain = kind is Race and players == 2 and not (exact or overshoot)
    if plain and knows(game, objective):
        values, residual = pairs(game, objective)
        if residual <= 10 * SETTLED * max(1, abs(values).max()):  # else a pair went round
            return Known(game, objective, values, residual)
    if objective in ALONE:
        players = 1
        game = plain_finish(game)
    counts = objective in (*POINTS_COUNT, "rounds")
    open_ended = counts or game.finish in LAST_TURN
    most, where = max(game.most_points, 4), f"{game.name} with finish={game.finish!r}"
    held = max((max(r.pays, r.least_hold) for r in game.registers), default=0)
    lead, race, before = (2 * most + held) * open_ended + (most + held) * overshoot, None, np.inf
    if objective == "score":
        lead += game.longest
    safe = open_ended and never_risks(game)
    if exact:  # numbers with some 2·N² bytes, as those of Pig to 100
        Positions(game, players, objective, turns or 1).check(2 * game.longest**2, " in fractions")
    # The farthest total is doubled while somebody rolls within a roll of it, or gets there and the value changes.
    while True:
        race = kind(Positions(game, players, objective, turns or 1, lead), near=race)
        forced = not counts and game.finish in LAST_TURN and len(race.rules.past)
        if forced and exact:
            raise ValueError(
                f"{where}: what rolls are worth that are forced above the target is a sum without end; solve without"
                " exact=True"
            )
        settled, near = abs(race.value - before).max() <= SETTLED, race.nearest <= game.most_points
        safe, near = safe and race.chooses, near or (race.far > UNLIKELY and not settled)
        # A first roll that never busts is best however far above, but ever more seldom.
        near = near and not (counts and settled)
        if not open_ended or not (safe or near or (forced and not settled)):
            break
        if safe or lead > FARTHEST_LEAD * most + game.longest:
            if counts:
                raise ValueError(
                    f"{game.name} has no best turn, as one can roll on for ever and lose nothing"
                )
            raise ValueError(f"{where}: {ENDLESS_TURN}")
        lead, before = lead * 2, race.value
    if not exact:
        return race
    if race.positions.last and players < 3 and not len(race.rules.past):
        lead = race.rolled + game.most_points + 1 + held
        race = kind(Positions(game, players, objective, turns or 1, lead))
    near = race
    if players < 3 and not len(race.positions.ties):  # what the decisions found are worth
        near = Race(race.positions, [race] * race.positions.phases, near=race, exact=True)
    exactly = kind(race.positions, near=near, exact=True)
    exactly.near = race
    if open_ended and exactly.nearest <= game.most_points:
        raise ValueError(f"{where}: {ENDLESS_TURN}; solve without exact=True")
    return exactly
