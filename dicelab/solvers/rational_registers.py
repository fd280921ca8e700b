"""Games with registers in fractions: two players to win, by strategy iteration in rational arithmetic.

A turn from the scores (i, j), played by known decisions, ends at the score k with probability q(k), whether by a hold,
a bust or a reset. So all values solve linear equations,

    V(i, j) = finish + Σ q(k)·(1 - V(j, k)),

which we solve by elimination, the scores nearest to the target first. Holds lead to what is eliminated before. Without
penalties and resets only the cycles of busts are left (see :mod:`dicelab.solvers.registers`), otherwise up to as many
unknowns as there are scores to which a penalty or a reset leads.

The float64 solution proposes the decisions. Against the exact values of these, every decision is proven by
:class:`dicelab.solvers.rational.Turn`. When none changes, the Bellman equation holds exactly. It has one solution, as
play ends with probability 1 whatever the players do (:func:`dicelab.games.absorption.may_be_endless`).
"""

from fractions import Fraction
from functools import partial
from itertools import product

import numpy as np

from .._accuracy import ConvergenceError
from .._exact import ExactValue, LowestTerms
from .._limits import check_memory, progress
from .._numbers import Number
from .._shown import title_of
from ..solution import NAMES, OptimalPolicy, Solution
from .rational import MAX_ROUNDS, RationalRules, Turn, TurnPayoffs, denominator_of, fill_decisions
from .registers import solve_registers

__all__ = ["RegisterTurns", "solve_rational_registers", "solve_register_turns"]


class RegisterTurns:
    """The turns of a game with registers in fractions, by the places of both scores in ``game.scores``.

    Parameters
    ----------
    game : Game
    values : dict
        By (own place, opponent's place): the values against which turns are optimal.
    """

    def __init__(self, game, values):
        self.game, self.values, self.rules = game, values, RationalRules(game)
        self.after_bust = [game.index(game.after_bust(score)) for score in game.scores]
        self.after_reset = game.index(game.after_reset)
        self.start = [game.mode(game.register(score).mode) for score in game.scores]

    def after_hold(self, own, r):
        """The place after a hold with r points missing, below the target."""
        game = self.game
        return game.index(game.after_hold(game.scores[own], game.missing(game.scores[own]) - r))

    def turn(self, own, opponent):
        """The optimal :class:`Turn` of a player."""
        score = self.game.scores[own]

        def passed(place):
            return 1 - self.values[opponent, place]

        missing = self.game.missing(score)
        least = self.game.register(score).least_hold
        hold = [
            passed(self.after_hold(own, r)) if 0 < r <= missing - least else None
            for r in range(missing + 1)
        ]
        nearest = np.array([-np.inf if value is None else float(value) for value in hold])
        ends = passed(self.after_bust[own]), passed(self.after_reset), Number(1), Number(0)
        return Turn(self.rules, TurnPayoffs(hold, *ends), nearest, missing)

    def moves(self, own, turn):
        """The probability that a turn finishes, and those of the places to which it leads otherwise, a dict."""
        outcomes = turn.outcomes(self.start[own], turn.missing)
        moves = {}
        ends = [(self.after_hold(own, r), q) for r, q in outcomes.holds.items()]
        for place, q in [
            *ends,
            (self.after_bust[own], outcomes.bust),
            (self.after_reset, outcomes.reset),
        ]:
            if q:
                moves[place] = moves.get(place, 0) + q
        return outcomes.finish, moves


def evaluate_turns(moves):
    """The values V(i, j) of a dict of (finish, moves) by (i, j), eliminated in its order."""
    rows, values = {}, {}  # V = constant + sum of weight·V over states that are eliminated later
    for state, (finish, onward) in moves.items():
        constant = finish + sum(onward.values())
        row = {(state[1], place): -q for place, q in onward.items()}
        while known := [other for other in row if other in rows]:
            for other in known:
                weight, (value, others) = row.pop(other), rows[other]
                constant += weight * value
                for later, q in others.items():
                    row[later] = row.get(later, 0) + weight * q
        stays = 1 - row.pop(state, 0)
        rows[state] = constant / stays, {later: q / stays for later, q in row.items() if q}
    for state, (constant, row) in reversed(rows.items()):
        values[state] = constant + sum(weight * values[later] for later, weight in row.items())
    return values


def registers_bytes(game):
    """About the memory of the elimination: of each pair of scores the turn, the value, and a row of unknowns."""
    scores, modes = len(game.scores), len(game.modes)
    digits = 0.6 * denominator_of(game).bit_length() * game.longest**2  # bytes of the longest value
    back = {(game.index(game.after_bust(s)), s) for s in game.scores if game.register(s).penalty}
    unknowns = (len({place for place, _ in back} | ({-1} if game.resets else set())) or 1) * scores
    turns = 4000 + 20 * modes * (game.longest + game.most_points)
    return int(scores**2 * (turns + digits * (unknowns if back or game.resets else 1)))


def solve_register_turns(game):
    """The :class:`RegisterTurns` at the exact values, and all their turns, a dict; see `solve_rational_registers`."""
    said = f"solving {game.name} to {game.target} in fractions"
    check_memory(registers_bytes(game), said, "take a smaller target, or exact=False")
    scores, near = game.scores, solve_registers(game).values
    states = sorted(
        product(range(len(scores)), repeat=2),
        key=lambda state: -sum(scores[place] for place in state),
    )
    solved = RegisterTurns(game, {state: Number(float(near[state])) for state in states})
    earlier = None
    for _ in range(MAX_ROUNDS):
        turns = {
            state: solved.turn(*state)
            for state in progress(states, f"{title_of(game)}, in fractions", "turn")
        }
        if earlier and all(turn.decides_like(earlier[state]) for state, turn in turns.items()):
            return solved, turns
        moves = {state: solved.moves(state[0], turn) for state, turn in turns.items()}
        earlier, solved.values = turns, evaluate_turns(moves)
    raise ConvergenceError(f"{game.name}: strategy iteration did not settle in {MAX_ROUNDS} rounds")


def solve_rational_registers(game):
    """Solve a game with registers in fractions, "win"; see :func:`dicelab.solve`.

    Parameters
    ----------
    game : Game
        With registers.

    Returns
    -------
    Solution
        With ``exact=True``, residual 0, and the exact ties, whose scores are :class:`dicelab.Score`.

    Raises
    ------
    ConvergenceError
        If strategy iteration does not come to an end.
    NotImplementedError, MemoryError
        As :func:`dicelab.solvers.registers.solve_registers`.
    """
    scores, (solved, turns) = game.scores, solve_register_turns(game)
    values = np.empty((len(scores), len(scores)), dtype=object)
    for state, value in solved.values.items():
        values[state] = ExactValue(LowestTerms(int(value.numerator), int(value.denominator)))
    ties = (
        (scores[own], scores[opponent], turn.missing - r, game.modes[mode].name)
        for (own, opponent), turn in turns.items()
        for r, mode in turn.ties
    )
    return Solution(
        game=game,
        objective="win",
        values=values,
        policy=OptimalPolicy(game, partial(_decide, solved), NAMES["win"]),
        exact=True,
        residual=Fraction(0),
        error=0.0,
        ties=tuple(sorted(ties)),
    )


def _decide(solved, pairs, rolls, takes):
    """Fill in the decisions, as :func:`dicelab.solvers._kernels.greedy_decisions` does."""
    fill_decisions(solved.turn, pairs, rolls, takes)
    rolls[:, [mode.must_hold for mode in solved.game.modes], 1:] = False
