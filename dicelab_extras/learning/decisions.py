"""A race as a Markov decision process, decision by decision: what a player may do, and what can follow.

:class:`Moves` are those of one player, whoever plays against; :class:`RaceModel` has a fixed opponent, too, and numbers
the states. :mod:`dicelab_extras.learning.environments` steps along both.
"""

from bisect import bisect
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from dicelab._accuracy import TIE
from dicelab._recorded import record_policies
from dicelab.evaluation.referee import HOLD, ROLL, Referee
from dicelab.evaluation.turn_outcomes import last_turn_chances, reach_above, turn_outcomes
from dicelab.games.model import BUST, LAST_TURN, RESET, plain_finish, roles_of
from dicelab.games.registers import scores_of
from dicelab.policies import branch_index, branching_outcomes
from dicelab.solvers._kernels import rules_of
from dicelab.solvers.last_turn import above_target, last_turn_of
from dicelab.solvers.turn import (
    last_turn_asked,
    last_turns_of,
    left_of,
    own_chances,
    places_of,
    start_of,
)
from dicelab.strategies import read_policies

__all__ = ["Moves", "RaceModel", "model_of", "optimal_model", "regret_of"]
__all__ += ["BUSTED", "DREW", "HELD", "LED", "LOST", "WAS_RESET", "WON", "WORTH"]

HELD, BUSTED, WAS_RESET, WON = -1, -2, -3, -4  # how a turn ends, in place of a node
LED, LOST, DREW = -5, -6, -7  # at the target or above with a last turn to come; in a last turn
WORTH = {WON: 1.0, DREW: 0.5, LOST: 0.0}  # to the player whose turn ends the game
KEPT_TABLES = 2**16  # tables of the latest situations that are kept


class Distribution(NamedTuple):
    """What can follow an action, or a whole turn of the opponent: a discrete distribution.

    A result is (place of the player's score, turn total, node). Where the turn is over, `node` is `HELD`, `BUSTED`,
    `WAS_RESET`, `WON`, `LED`, `LOST` or `DREW`, and `place` and the total are those after it and before it. The place
    m + k, for m scores, stands for k points above the target.
    """

    bounds: list  # cumulative probabilities, but the last
    results: list
    chances: list

    def draw(self, random):
        """One of the results."""
        return self.results[bisect(self.bounds, random.random())]


def distribution_of(masses):
    """A Distribution of the results with a positive probability, from a dict."""
    masses = {result: mass for result, mass in masses.items() if mass > 0.0}
    chances = list(masses.values())
    return Distribution(list(accumulate(chances[:-1])), list(masses), chances)


class Decision(NamedTuple):
    """Where a player must act: what is allowed, and what can follow."""

    first: int  # the first action that is allowed
    allowed: int  # the number of actions that are allowed
    mask: np.ndarray  # (actions,) int8
    rows: list  # of Distribution by action; those that are not allowed have that of the first one


class Aim(NamedTuple):
    """What a turn is for: to reach the target, or in a last turn to beat a score."""

    beaten: int = -1  # the points above the target to beat; -1 if nobody has reached it
    answered: bool = False  # whether others have a last turn after this one
    above: int = 0  # so many points above the score that it takes every hold is right

    @property
    def decides(self):
        """Whether the game is over after the turn, whatever it brings."""
        return self.beaten >= 0 and not self.answered


class Moves:
    """One player's turn of a game, action by action. Nodes are the modes, then the outcomes with several choices.

    Where others have a last turn, a player rolls on above the target, or above the score to beat, up to where every
    hold is right, which is `above` points at most; and if that is forced up to `more`.
    """

    def __init__(self, game, players=2, above=None, more=0):
        read_policies(game)
        self.players, self.roles = players, roles_of(game, players)
        if players == 2:
            self.above = above_target(game, last_turn_of(game)) if above is None else above
        else:
            self.race, _, last_turns = last_turns_of(game, players)
            lasts = (last_turns(k, 0) for k in range(players - 1) if game.finish in LAST_TURN)
            self.above = int(max(race.cut.max() for race in (self.race, *lasts)))
            # A copy, to write to.
            self.last_turns = lru_cache(players)(lambda *asked: own_chances(last_turns(*asked)))
        self.more = max(more, reach_above(game, self.above))
        self.game, self.scores, self.size = game, scores_of(game), len(game.scores)
        self.totals, self.modes = game.longest + (players - 1) * self.more, len(game.modes)
        self.beyond = rules_of(plain_finish(game)).beyond
        self.outcomes, self.branch = branching_outcomes(game), branch_index(game.until_change)
        self.nodes = self.modes + len(self.outcomes)
        self.actions = max([2, *(len(outcome.choices) for outcome in self.outcomes)])
        self.rank = {m: rank for rank, m in enumerate(reversed(game.order))}
        self.decision = lru_cache(KEPT_TABLES)(self._decision)
        self.needs = [game.target - int(score) for score in game.scores]

    def __reduce__(self):
        return Moves, (self.game, self.players)  # all else is computed again

    def aim(self, own, others, role):
        """The Aim of a turn, by the places of all scores from the player to move on, and the role of this player."""
        beaten = max(-1, max(others) - self.size)
        if self.game.finish not in LAST_TURN or not left_of(self.game, others, role):
            return Aim(beaten)
        if self.players == 2:
            return Aim(beaten, True, self.above)
        if beaten < 0:
            start = start_of(self.race, places_of(self.game)[[own, *others]], role)
        else:
            asked = own, others, role, np.zeros((2, 2))
            _, start = last_turn_asked(self.game, self.last_turns, *asked)
        return Aim(beaten, True, start.missing + start.edge - self.ahead(own, beaten))

    def points(self, place):
        """The score at a place, an int or a Score."""
        return (
            self.game.scores[place] if place < self.size else self.game.target + place - self.size
        )

    def ahead(self, place, beaten):
        """The turn total that reaches the target, or in a last turn that is ahead of the score to beat."""
        return self.needs[place] + beaten + 1

    def enough(self, place, aim):
        """The turn total with which a player who may hold does so."""
        if aim == Aim():
            return int(self.scores.missing[place])
        return max(self.ahead(place, aim.beaten) + aim.above, int(self.scores.least_hold[place]))

    def least(self, place, aim):
        """The fewest points of a hold; in a last turn of one that does not lose."""
        least = int(self.scores.least_hold[place])
        return (
            max(least, self.ahead(place, aim.beaten) - (self.roles > 1))
            if aim.beaten >= 0
            else least
        )

    def start(self, place):
        """The state at the start of a turn, (place of the score, turn total, node)."""
        mode = int(self.scores.mode[place])
        asks = self.game.modes[mode].asks and (mode, 0) in self.branch
        return place, 0, self.modes + self.branch[mode, 0] if asks else mode

    def may_hold(self, place, total, mode, aim):
        """Whether the player may hold."""
        return self.game.modes[mode].may_hold and total >= self.least(place, aim)

    def _decision(self, place, total, node, aim):
        """The Decision of a state; None where there is no action."""
        forced = aim.answered and (node >= self.modes or not self.game.modes[node].may_hold)
        most = self.ahead(place, aim.beaten) + self.more if forced else self.enough(place, aim)
        if total >= most:
            return None
        if node >= self.modes:
            choices = self.outcomes[node - self.modes].choices
            starts = [(total + choice.points, self.game.mode(choice.mode)) for choice in choices]
            rows = {action: self._follow(place, start, aim) for action, start in enumerate(starts)}
        else:
            hold = self.may_hold(place, total, node, aim)
            rows = {HOLD: distribution_of({self._held(place, total, aim): 1.0})} if hold else {}
            if not self.game.modes[node].must_hold:
                rows[ROLL] = self._follow(place, (total, node), aim, rolls=True)
        if not rows:
            return None
        first = min(rows)
        mask = np.zeros(self.actions, dtype=np.int8)
        mask[list(rows)] = 1
        return Decision(
            first,
            len(rows),
            mask,
            [rows.get(action, rows[first]) for action in range(self.actions)],
        )

    def _ended(self, place, points, aim, after, node):
        """The place and node where a turn ends with its points: `after` and `node`, unless they reach the target."""
        above = points - self.needs[place]
        if aim.decides:
            level = DREW if self.roles > 1 else LOST
            return place, WON if above > aim.beaten else level if above == aim.beaten else LOST
        if above > aim.beaten:
            node = LED if aim.answered else WON
        return self.size + above if above >= 0 else after, node

    def _held(self, place, total, aim):
        """The result of a hold: below the target, or where it is answered by a last turn, or in a last turn."""
        after = int(self.scores.after_hold[place]) + total * self.scores.step
        place, node = self._ended(place, total, aim, after, HELD)
        return place, total, node

    def _follow(self, place, start, aim, rolls=False):
        """What follows a turn total and mode, to the next decision or the end of the turn; `rolls` if it rolls now."""
        game = self.game.until_change
        enough, ends = self.enough(place, aim), {}
        paid = -self.game.register(self.game.scores[place]).penalty
        bust = self._ended(place, paid, aim, int(self.scores.after_bust[place]), BUSTED)
        reset = self.scores.begin, LOST if aim.decides else WAS_RESET
        waiting = {(start[0], self.rank[start[1]], start[1]): 1.0}

        def ends_at(result, mass):
            ends[result] = ends.get(result, 0.0) + mass

        while waiting:
            here = min(waiting)  # no mode comes back at the same total
            (total, _, number), mass = here, waiting.pop(here)
            mode = game.modes[number]
            # the first is a turn that goes on and on, the second one whose rest is forced
            if aim.answered and total >= self.ahead(place, aim.beaten) + self.more:
                ends_at((bust[0], total, bust[1]), mass)
            elif aim.decides and total >= enough:
                ways = self.beyond[:, number, -1]
                left = 1.0 - ways[:, 0] - ways[:, 1]
                best = (ways[:, 0] + left * WORTH[bust[1]]).argmax()
                ends_at((place, total, WON), mass * ways[best, 0])
                ends_at((place, total, LOST), mass * ways[best, 1])
                ends_at((bust[0], total, bust[1]), mass * left[best])
            elif aim == Aim() and total >= enough:
                finishes, resets, _ = self.beyond[0, number, enough - total - 1]
                finishes *= enough >= self.scores.least_hold[place]  # else a hit target is a bust
                ends_at((place, total, WON), mass * finishes)
                ends_at((reset[0], total, reset[1]), mass * resets)
                ends_at((bust[0], total, bust[1]), mass * (1.0 - finishes - resets))
            elif not rolls and (mode.must_hold or (total >= enough and mode.may_hold)):
                held = self.may_hold(place, total, number, aim)
                ends_at(self._held(place, total, aim) if held else (bust[0], total, bust[1]), mass)
            elif not rolls and self.may_hold(place, total, number, aim):
                ends_at((place, total, number), mass)
            else:
                for k, outcome in enumerate(mode.outcomes):
                    chance = mass * float(outcome.probability)
                    if outcome.result in (BUST, RESET):
                        after, end = bust if outcome.result == BUST else reset
                        ends_at((after, total, end), chance)
                    elif len(outcome.choices) > 1:
                        ends_at((place, total, self.modes + self.branch[number, k]), chance)
                    else:
                        choice = outcome.choices[0]
                        onward = game.mode(choice.mode)
                        key = total + choice.points, self.rank[onward], onward
                        waiting[key] = waiting.get(key, 0.0) + chance
            rolls = False
        return distribution_of(ends)


def regret_of(moves, values, total, node, action):
    """What an action gives away of the own chance, where several are allowed; `values` as ActionValues."""
    hold, roll, best = values
    if node < moves.modes:
        chances = [float(hold[total]), float(roll[node, total])]
    else:
        choices, last = moves.outcomes[node - moves.modes].choices, best.shape[1] - 1
        chances = [
            float(best[moves.game.mode(c.mode), min(total + c.points, last)]) for c in choices
        ]
    regret = max(chances) - chances[action]
    return regret if regret > TIE else 0.0


class RaceModel(Moves):
    """A game against a fixed opponent: the moves, the opponent's turns, and the referee."""

    def __init__(self, game, opponent=None):
        read_policies(game)
        if opponent is not None:
            (opponent,) = record_policies(game, opponent=read_policies(game, opponent=opponent)[0])
        self.given_opponent = opponent
        self.referee = Referee(game, opponent)
        super().__init__(game, 2, self.referee.best.policy.above, self.referee.more)
        self.opponent = self.referee.opponent
        in_roles = [self.opponent.when(role=role) for role in reversed(self.referee.roles)]
        self.in_last_turns = in_roles[0]
        self.outcomes_of_turns = [turn_outcomes(game, player, self.more) for player in in_roles]
        self.reply, self.answer = map(lru_cache(KEPT_TABLES), (self._reply, self._answer))
        self.opening_node, self.end_node = self.nodes, self.nodes + 1
        # by column: the place of the opponent's score, and the role of the player to move
        self.seen = [divmod(column, self.size)[::-1] for column in range(self.roles * self.size)]
        self.seen += [(self.size + beaten, self.roles - 1) for beaten in range(self.more)]
        self.aims, self.columns = (
            [self.aim(0, [at], role) for at, role in self.seen],
            len(self.seen),
        )
        self.states = self.size * self.columns * self.totals * self.nodes + 2

    def __reduce__(self):
        return model_of, (self.game, self.given_opponent)  # all else is computed again

    def _reply(self, column, own):
        """The Distribution of a whole turn of the opponent, with columns in place of the opponent's score."""
        opponent, role = self.seen[column]
        turns, first_column = self.outcomes_of_turns[role], role * self.size
        at, points = (opponent, own), int(self.game.scores[opponent])
        (first, last), start = turns.window[at].tolist(), int(turns.start[at])
        masses = {(column, self.game.target - points, WON): float(turns.finish[at])}
        if self.roles == 1 + role and self.game.finish in LAST_TURN:  # the agent has a last turn
            masses = {
                (self.roles * self.size + k, self.game.target + k - points, LED): mass
                for k, mass in enumerate(turns.lead[at].tolist())
            }
        for held, mass in zip(
            range(first, min(last, self.game.longest)),
            turns.hold[start : start + last - first].tolist(),
            strict=False,
        ):
            after = held * turns.step + int(turns.after_hold[opponent])
            masses[first_column + after, held + self.game.lowest - points, HELD] = mass
        masses[first_column + int(turns.after_bust[opponent]), 0, BUSTED] = float(turns.bust[at])
        masses[first_column + turns.begin, 0, WAS_RESET] = float(turns.reset[at])
        return distribution_of(masses)

    def _answer(self, opponent, beaten):
        """The Distribution of the opponent's last turn, with so many points above the target to beat."""
        given = self.in_last_turns, self.game.scores[opponent], 0, self.more
        won, drawn = (float(part[beaten]) for part in last_turn_chances(self.game, *given))
        ends = ((WON, won), (DREW, drawn), (LOST, 1.0 - won - drawn))
        return distribution_of({(opponent, 0, end): chance for end, chance in ends})

    def decide(self, own, column, total, node):
        """The Decision of a state."""
        return self.decision(own, total, node, self.aims[column])

    def values(self, own, column):
        """The action values of a turn, by the referee."""
        opponent, role = self.seen[column]
        return self.referee.values(own, opponent, role if self.roles == 2 else None)

    def encode(self, own, column, total, node):
        """The number of a state, by the place of the own score and the column."""
        if node >= self.opening_node:
            return self.states - 2 + node - self.opening_node
        return ((own * self.columns + column) * self.totals + total) * self.nodes + node

    def decode(self, state):
        """The inverse of :meth:`encode`, a tuple."""
        special = state - (self.states - 2)
        if special >= 0:
            column = (self.roles - 1) * self.size + self.scores.begin
            return self.scores.begin, column, 0, self.opening_node + special
        rest, node = divmod(state, self.nodes)
        rest, total = divmod(rest, self.totals)
        return *divmod(rest, self.columns), total, node

    def follows(self, state):
        """What can follow by action: a list of lists of (probability, next state, reward, terminated)."""
        own, column, total, node = self.decode(state)
        if node == self.opening_node:
            return [self._replied(1.0, own, column)] * self.actions
        decision = None if node == self.end_node else self.decide(own, column, total, node)
        if decision is None:
            return [[(1.0, state, 0.0, True)]] * self.actions
        by_row = {id(row): list(self._transitions(row, own, column)) for row in decision.rows}
        return [by_row[id(row)] for row in decision.rows]

    def _transitions(self, row, own, column):
        for chance, (place, total, node) in zip(row.chances, row.results, strict=True):
            if node >= 0:
                yield chance, self.encode(place, column, total, node), 0.0, False
            elif node in WORTH:
                yield chance, self.states - 1, WORTH[node], True
            elif node == LED:
                answer = self.answer(column % self.size, place - self.size)
                for mass, (_, _, end) in zip(answer.chances, answer.results, strict=True):
                    yield chance * mass, self.states - 1, 1.0 - WORTH[end], True
            else:
                yield from self._replied(chance, place, column)

    def _replied(self, chance, own, column):
        """The transitions of a turn of the opponent."""
        place, total, node = self.start(own)
        reply = self.reply(column, own)
        return [
            (chance * mass, self.states - 1, 0.0, True)
            if kind == WON
            else (chance * mass, self.encode(place, after, total, node), 0.0, False)
            for mass, (after, _, kind) in zip(reply.chances, reply.results, strict=True)
        ]


@lru_cache(8)
def optimal_model(game):
    """The RaceModel against the optimal policy, shared by all environments of a game."""
    return RaceModel(game)


def model_of(game, opponent):
    """The RaceModel of a game against a policy, or the optimal one."""
    return optimal_model(game) if opponent is None else RaceModel(game, opponent)
