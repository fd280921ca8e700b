"""The same solutions in rational arithmetic: strategy iteration that starts at the float64 solution, if there is one.

A turn of known decisions ends in a hold with r points missing with probability q(r), at the finish, in a reset, or in a
bust with probability β (:mod:`dicelab.exact_turn`). So one pair of scores is two linear equations,

    x = α + β·(c - y),   α = q(0)·finish + Σ q(r)·(c - V(b, r)) + …,        and likewise   y = α' + β'·(c - x),

in x = V(a, b) and y = V(b, a), solved in fractions from the target backwards. A player who needs the fewest turns is
alone: x = α - 1 + β·x. If both turns surely bust, play is endless, a draw.

**When it stops.** A pair is solved when the decisions that are optimal against (x, y) are, wherever a turn gets to,
those that (x, y) was computed from. Each round is a step of strategy iteration. With resets, every α also contains what
a reset is worth, c - V(b, N); given all the decisions, the values are linear in these N unknowns, which follow from N
linear equations. With their solution all pairs are solved again. When it does not change any more the Bellman
equation holds exactly everywhere, and the values are those of the decisions. Where no decision leads to an end any
more, these are draws.
"""

import math
from fractions import Fraction
from functools import partial
from numbers import Rational
from typing import NamedTuple

import numpy as np
from tqdm import tqdm

from .ends import ENDLESS, FOREVER
from .exact_turn import Number, Numbers, Turn, Worths
from .finish import hopeless, solve_linear
from .memory import check_memory
from .policies import OptimalPolicy, Solution
from .race import ConvergenceError, solve_race
from .solitaire import solve_turns

__all__ = ["solve_exactly", "sweep_exactly"]

MAX_ROUNDS = 50


class LowestTerms(NamedTuple):
    """What Fraction takes over as it is, instead of looking for a common divisor of twenty thousand digits again."""

    numerator: int
    denominator: int


Rational.register(LowestTerms)


class Board:
    """The equations between the scores of a game, for one objective; all of it by points missing.

    The player to move needs a points, the opponent b. One player alone has b = 0.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin", "turns"}
    overshoot : bool
    """

    def __init__(self, game, objective, overshoot):
        self.game, self.objective, self.alone = game, objective, objective == "turns"
        self.both, self.over = Number(objective == "win"), Number(overshoot)
        self.sign = 1 if self.alone else -1  # what is worth v to whoever moves next is worth both + sign·v to the mover
        self.stuck, self.rules = hopeless(game), Numbers(game)
        needs, target = range(1, game.target + 1), game.target
        self.opponents = [0] if self.alone else list(needs)
        across = [[(a, s - a) for a in range(max(1, s - target), s // 2 + 1)] for s in range(2, 2 * target + 1)]
        self.pairs = [[(a, 0)] for a in needs] if self.alone else [[(a, b), (b, a)] for row in across for a, b in row]

    def finish(self, b):
        """What the finish is worth."""
        return Number({"win": 1, "margin": b, "turns": 0}[self.objective])

    def pair(self, ends, rows, resets, pair, one, never=()):
        """The values of a pair of scores, a list, if turns end like `ends`, by (a, b); draws for those in `never`.

        Values may be Numbers or, if `one` is an array that means 1, affine functions of some unknowns.
        """
        values, slopes = [], []
        for (a, b), turn in zip(pair, ends, strict=True):
            worths = Worths(rows[b], self.both * one, resets[b], self.finish(b) * one, self.over * one)
            drawn = (a, b) in never
            values.append(self.draw * one if drawn else turn.worth(worths) - self.alone * one)
            slopes.append(Number(0) if drawn else self.sign * turn.bust)
        if self.alone:
            (x,), (p,) = values, slopes
            return [x / (1 - p)] if p != 1 else [self.draw * one]
        (x, y), (p, q) = values, slopes
        if p * q == 1:
            return [self.draw * one] * 2
        return [(x + p * y) / (1 - p * q), (y + q * x) / (1 - p * q)]

    @property
    def draw(self):
        """The value of endless play."""
        return Number(-int(FOREVER)) if self.alone else self.both / 2

    def rows(self):
        """By opponent's b, a list for what holds are worth, by points missing, as yet unknown."""
        return {b: [None] * (self.game.target + 1) for b in self.opponents}

    def record(self, rows, pair, values, one):
        """Enter the values of a pair: what it is worth to have passed the die so that they are what follows."""
        for (a, b), value in zip(pair, values, strict=True):
            row, r = (b, a) if self.alone else (a, b)
            rows[row][r] = self.both * one + self.sign * value

    def endless(self, pair):
        """The values of a pair of scores from which the target is out of reach, whatever is rolled; else None."""
        if all(self.stuck[a] for a, _ in pair):
            return [self.draw] * len(pair)
        return None


class Sweep:
    """All pairs of scores solved, backwards from the target, given what resets are worth.

    Parameters
    ----------
    board : Board
    resets : dict
        By opponent's b, a Number.
    guess : callable
        ``guess(a, b)`` is about the value.
    prefer : callable or None
        ``prefer(a, b)`` is what :class:`Turn` takes.

    Attributes
    ----------
    values, ends, turns : dict
        By (a, b): the exact value, and of the optimal turn the :class:`Ends` and the :class:`Turn`.
    """

    def __init__(self, board, resets, guess, prefer):
        self.board, self.resets, self.rows, self.prefer = board, resets, board.rows(), prefer
        self.nearest = {b: np.zeros(board.game.target + 1) for b in board.opponents}
        self.values, self.ends, self.turns = {}, {}, {}
        said = f"{board.game.name} to {board.game.target}, exactly"
        for pair in tqdm(board.pairs, desc=said, unit="pair", delay=2, leave=False):
            values = board.endless(pair) or self.settle(pair, [guess(a, b) for a, b in pair])
            self.values.update(zip(pair, values, strict=True))
            board.record(self.rows, pair, values, 1)
            for a, b in pair:
                row, r = (b, a) if board.alone else (a, b)
                self.nearest[row][r] = float(self.rows[row][r])

    def turn(self, a, b, bust):
        """The optimal turn of a player who needs a against one who needs b, a bust being worth `bust`."""
        worths = Worths(self.rows[b], bust, self.resets[b], self.board.finish(b), self.board.over)
        return Turn(self.board.rules, worths, self.nearest[b], a, self.prefer and self.prefer(a, b))

    def settle(self, pair, values):
        """The values of a pair of scores, by strategy iteration from the guesses `values`."""
        board, ends, turns = self.board, None, None
        for _ in range(MAX_ROUNDS):
            busts = [board.both + board.sign * value for value in reversed(values)]
            now = [self.turn(a, b, bust) for (a, b), bust in zip(pair, busts, strict=True)]
            if turns and all(turn.decides_like(known) for turn, known in zip(now, turns, strict=True)):
                break
            turns, known = now, ends
            ends = [turn.ends() for turn in turns]
            if ends == known:
                break
            values = board.pair(ends, self.rows, self.resets, pair, 1)
        else:
            raise ConvergenceError(f"{board.game.name}: strategy iteration did not settle the pair {pair[0]}")
        self.turns.update(zip(pair, now, strict=True))
        self.ends.update(zip(pair, ends, strict=True))
        return values


def never_ending(board, ends):
    """The scores (a, b) from which turns that end like `ends` never lead to the finish, a set."""
    never, target = set(ends), board.game.target
    while True:
        lasting = set()
        for a, b in never:
            turn, other = ends[a, b], (lambda a, b: (a, 0) if board.alone else (b, a))
            onward = [other(r, b) for r, chance in turn.holds.items() if chance]
            onward += [other(a, b)] * (turn.bust > 0) + [other(target, b)] * (turn.reset > 0)
            if not turn.finish and all(state in never for state in onward if state in ends):
                lasting.add((a, b))
        if lasting == never:
            return never
        never = lasting


def after_resets(board, ends):
    """What resets are worth, by opponent's b, if turns end like `ends`: the solution of linear equations, in Numbers.

    With the worth of the resets as unknowns every value is an affine function of them, an array of its constant and
    its coefficients; for the scores that follow a reset these are the equations.
    """
    size, never = range(1 + len(board.opponents)), never_ending(board, ends)
    identity = np.array([[Number(i == k) for k in size] for i in size], dtype=object)
    one, resets, rows = identity[0], dict(zip(board.opponents, identity[1:], strict=True)), board.rows()
    for pair in board.pairs:
        endless = board.endless(pair)
        if endless:
            values = [value * one for value in endless]
        else:
            values = board.pair([ends[state] for state in pair], rows, resets, pair, one, never)
        board.record(rows, pair, values, one)
    system = [[*(unit - rows[b][-1])[1:]] for b, unit in resets.items()]
    solved = solve_linear(system, [[rows[b][-1][0]] for b in board.opponents])
    if solved is None:
        raise ConvergenceError(f"{board.game.name}: a proposed policy never ends the game")
    return dict(zip(board.opponents, (row[0] for row in solved), strict=True))


def exact_bytes(game, alone):
    """About what exact values take: at a and b points missing they have a·b times so many digits, held three times."""
    denominator = math.lcm(*(outcome.probability.denominator for mode in game.modes for outcome in mode.outcomes))
    target, others, modes = game.target, 1 if alone else game.target, len(game.modes)
    digits = 0.6 * denominator.bit_length() * (target + 1) * (others + 1)  # bytes of the longest value
    turns = target * others * (4000 + 20 * modes * (target + game.most_points))
    return int(target * others * digits * (others if game.resets else 1)) + turns


def sweep_exactly(game, objective, overshoot):
    """The last :class:`Sweep` over all pairs of scores, whose values are the solution; see :func:`solve_exactly`."""
    said = f"solving {game.name} to {game.target} in fractions"
    check_memory(exact_bytes(game, objective == "turns"), said, "take a smaller target, or exact=False")
    board, target = Board(game, objective, overshoot), game.target
    try:
        near = solve_turns(game) if board.alone else solve_race(game, objective, overshoot)
        start = np.maximum(-near.values, -FOREVER)[:, None] if board.alone else near.values
    except ConvergenceError:  # it only takes longer, begun anywhere
        near, start = None, np.full((target, 1 if board.alone else target), float(board.both) / 2 - board.alone)
    from_start = start[0] if board.alone else start[::-1, 0]
    resets = {b: board.both + board.sign * Number(v) for b, v in zip(board.opponents, from_start, strict=True)}
    stalls = near is not None and not board.alone and board.rules.kernel.may_stall
    prefer = partial(_preferred, near.policy, len(board.rules.branches)) if stalls else None
    sweep = Sweep(board, resets, lambda a, b: Number(start[target - a, b and target - b]), prefer)
    for _ in range(MAX_ROUNDS if game.resets else 0):
        resets = after_resets(board, sweep.ends)
        if resets == sweep.resets:
            break
        known = sweep.values
        sweep = Sweep(board, resets, lambda a, b, known=known: known[a, b], prefer)
    else:
        if game.resets:
            raise ConvergenceError(f"{game.name}: strategy iteration did not settle in {MAX_ROUNDS} rounds")
    return sweep


def _preferred(policy, branches, a, b):
    """The decisions of a policy with a and b points missing, as :class:`Turn` takes them."""
    target = policy.game.target
    return tuple(decided[0][..., :a] for decided in policy.decide_all([[target - a, target - b]], branches))


def solve_exactly(game, objective, overshoot):
    """Solve a game in Fractions; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
    objective : {"win", "margin", "turns"}
    overshoot : bool
        Whether points beyond the target count in the margin.

    Returns
    -------
    Solution
        With ``exact=True``, residual 0, and the exact ties.

    Raises
    ------
    ConvergenceError
        If the decisions do not settle.
    NotImplementedError, MemoryError
        As :func:`dicelab.race.solve_race`.
    """
    sweep, target, alone = sweep_exactly(game, objective, overshoot), game.target, objective == "turns"
    values = np.empty((target,) if alone else (target, target), dtype=object)
    for (a, b), value in sweep.values.items():
        fraction = Fraction(LowestTerms(int(value.numerator), int(value.denominator)))
        if alone:
            values[target - a] = -fraction if -fraction <= ENDLESS else np.inf
        else:
            values[target - a, target - b] = fraction
    ties = {
        (target - a, *([] if alone else [target - b]), a - r, game.modes[mode].name)
        for (a, b), turn in sweep.turns.items()
        for r, mode in turn.ties
    }
    policy = OptimalPolicy(game, partial(_decide, sweep))
    found = values, policy, True, Fraction(0), 0.0, tuple(sorted(ties))
    return Solution(game, objective, *found, overshoot=overshoot, radius=0.0)


def _decide(sweep, pairs, rolls, takes):
    """Fill in the decisions, exactly; see :func:`dicelab.race.decide`."""
    board, target = sweep.board, sweep.board.game.target
    rolls[:, :, 0] = True
    for decided, taken, (own, opponent) in zip(rolls, takes, pairs.tolist(), strict=True):
        a, b = target - own, 0 if board.alone else target - opponent
        turn = sweep.turn(a, b, sweep.rows[b][a])
        decided[:, 1:a] = turn.rolls[:, :0:-1]
        for number in range(len(taken)):
            taken[number, :a] = [turn.takes[number, r] for r in range(a, 0, -1)]
