"""A race as a Markov decision process, decision by decision: what a player may do, and what can follow.

:class:`Moves` are those of one player, whoever plays against; :class:`RaceModel` has a fixed opponent, too, and numbers
the states. :mod:`dicelab_extras.learning.environments` steps along both.
"""

from bisect import bisect
from collections import defaultdict
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from dicelab import solve
from dicelab._accuracy import CLOSE, TIE
from dicelab._recorded import record_policies
from dicelab.engine.positions import (
    BEYOND,
    BUST,
    COLUMNS,
    ENDS,
    EXACTLY,
    LEAST,
    LEVEL,
    LOSS,
    LOW,
    MODE,
    NEED,
    ONWARD,
    RESET,
    TABLE,
    Positions,
)
from dicelab.engine.race import Race
from dicelab.engine.seats import answers, hold_rows
from dicelab.evaluation.action_values import race_of
from dicelab.evaluation.referee import HOLD, ROLL, Referee
from dicelab.games.model import LAST_TURN
from dicelab.policies import branch_index, branching_outcomes
from dicelab.strategies import read_policies

__all__ = [
    *("BUSTED", "DREW", "HELD", "LED", "LOST", "WAS_RESET", "WON", "WORTH"),
    *("Moves", "RaceModel", "model_of", "optimal_model", "regret_of"),
]

# How a turn ends, in place of a node: in the order of a reply. `LED` leaves a last turn.
WON, LED, DREW, LOST, HELD, BUSTED, WAS_RESET = range(-7, 0)
WORTH = {WON: 1.0, DREW: 0.5, LOST: 0.0}  # to the player whose turn ends the game
KEPT_TABLES, KEPT_TURNS = 2**16, 2**8  # tables of the latest situations that are kept


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
    """A Distribution of the results with a positive probability, but for rounding, from a dict."""
    masses = {result: mass for result, mass in masses.items() if mass > CLOSE}
    chances = list(masses.values())
    return Distribution(list(accumulate(chances[:-1])), list(masses), chances)


class Decision(NamedTuple):
    """Where a player must act: what is allowed, and what can follow."""

    mask: np.ndarray  # (actions,) int8
    rows: list  # of Distribution by action; those that are not allowed have that of the first one

    def taken(self, action):
        """The action that is taken: if it is not allowed, the first one that is."""
        return action if self.mask[action] else int(self.mask.argmax())


class Moves:
    """One player's turn of a game, action by action. Nodes are the modes, then the outcomes with several choices.

    A turn is a row of :class:`dicelab.engine.positions.Positions`, a tuple. Where the other player has a last turn, a
    player rolls on up to where every hold is right, as the `races` of the game say.
    """

    def __init__(self, game, players=2, races=()):
        read_policies(game)
        self.game, self.players, self.spare, lead = game, players, 0, 0
        if game.finish in LAST_TURN:
            if players > 2:
                raise NotImplementedError(
                    f"{game.name} with finish={game.finish!r}: there are no environments for more than two players with"
                    " a last turn"
                )
            races = races or [solve(game).race]
            lead = max(race.positions.lead for race in races)
            self.spare = lead - max(race.rolled for race in races)
        self.positions = Positions(game, lead=lead)
        self.more = (lead + 1) * self.positions.last
        self.roles, self.size = self.positions.phases, self.positions.scores
        self.first_led = self.positions.offset.get((self.roles - 1, 1), self.positions.size)
        self.totals, self.modes = game.longest + self.more, len(game.modes)
        self.outcomes, self.branch = branching_outcomes(game), branch_index(game.until_change)
        self.nodes = self.modes + len(self.outcomes)
        self.choices = [[(c.points, game.mode(c.mode)) for c in o.choices] for o in self.outcomes]
        self.actions = max([2, *map(len, self.choices)])
        self.rank = {m: rank for rank, m in enumerate(reversed(game.order))}
        self.turn_at, self.ends, self.decision = map(
            lru_cache(KEPT_TABLES), (self._turn_at, self._ends, self._decision)
        )
        self.begin = game.index(game.after_reset)
        # By mode the chances of a hold and of a reset at the target, where the best choice leads to most holds.
        turns = np.zeros((self.modes, COLUMNS), dtype=int)
        turns[:, MODE] = turns[:, TABLE] = np.arange(self.modes)
        turns[:, BEYOND], turns[:, LEVEL] = EXACTLY * (game.finish == "exact"), 1
        self.race = Race(Positions(game, 1, "score", lead=game.most_points))  # row 1 is worth 1
        self.past = self.race.ends_of(turns, *self.race.decisions(turns))[:, [ENDS, RESET - BUST]]

    def __reduce__(self):
        return Moves, (self.game, self.players)  # all else is computed again

    def turn(self, place, best, role):
        """The turn at the place of a score, by the best place of the others, and the role of the player to move."""
        # A score below the target makes no difference within the turn.
        return self.turn_at(place, best if best >= self.size else 0, role=role)

    def _turn_at(self, *places, role):
        return tuple(self.positions.at(np.array([places]), role)[0].tolist())

    def _ends(self, turn):
        """The places and nodes after a bust, a reset, a loss, and holds from the most points on."""
        holds = hold_rows(np.array([turn]), np.arange(turn[LOW], turn[NEED] + 1)).tolist()
        rows = {BUSTED: [turn[BUST]], WAS_RESET: [turn[RESET]], LOST: [turn[LOSS]], HELD: holds}
        return [self._ended(row, node) for node, found in rows.items() for row in found]

    def _ended(self, row, node):
        """The place and node after a turn that leads to a row, with a node if the game goes on as ever."""
        over, led = row - self.positions.terminals, row - self.first_led
        if over < 0:
            return 0, (None, LOST, WON, DREW)[row]
        return (
            (over % self.size, node)
            if led < 0
            else (self.size + led // self.positions.terminals % self.more, LED)
        )

    def points(self, place):
        """The score at a place, an int or a Score."""
        return (
            self.game.scores[place] if place < self.size else self.game.target + place - self.size
        )

    def start(self, place):
        """The node in which a turn begins."""
        mode = self.turn(place, 0, 0)[MODE]
        asks = self.game.modes[mode].asks and (mode, 0) in self.branch
        return self.modes + self.branch[mode, 0] if asks else mode

    def held(self, turn, total):
        """The result of a hold."""
        place, node = self.ends(turn)[ENDS + turn[NEED] - turn[LOW] - total]
        return place, total, node

    def may_hold(self, turn, total, mode):
        """Whether the player may hold; never if that loses the game."""
        may = self.game.modes[mode].may_hold and total >= turn[LEAST]
        return may and self.held(turn, total)[2] != LOST

    def enough(self, turn):
        """The turn totals with which all hold who may, and behind which the rest is forced."""
        edge, onward = turn[NEED] - turn[LOW], turn[BEYOND] == ONWARD
        return edge - self.spare * onward, edge

    def _decision(self, place, total, node, turn):
        """The Decision of a state; None where there is no action."""
        forced = node >= self.modes or not self.game.modes[node].may_hold
        rows, mask = {}, np.zeros(self.actions, dtype=np.int8)
        if total >= self.enough(turn)[forced]:
            return None
        if node >= self.modes:
            for action, (points, mode) in enumerate(self.choices[node - self.modes]):
                rows[action] = self._follow(place, (total + points, mode), turn)
        else:
            if self.may_hold(turn, total, node):
                rows[HOLD] = distribution_of({self.held(turn, total): 1.0})
            if not self.game.modes[node].must_hold:
                rows[ROLL] = self._follow(place, (total, node), turn, (total, node))
        mask[list(rows)] = 1
        by_action = [rows.get(action, rows.get(mask.argmax())) for action in range(self.actions)]
        return Decision(mask, by_action) if rows else None

    def _follow(self, place, start, turn, rolled=None):
        """What follows a turn total and mode, to the next decision or the end; where it has `rolled` one rolls."""
        game, ends, waiting = self.game.until_change, defaultdict(float), defaultdict(float)
        (enough, edge), (bust, reset, _, most, *_) = self.enough(turn), self.ends(turn)
        failed = {"bust": bust, "reset": reset}
        waiting[start[0], self.rank[start[1]], start[1]] = 1.0
        while waiting:
            total, rank, number = min(waiting)  # no mode comes back at the same total
            mass, mode = waiting.pop((total, rank, number)), game.modes[number]
            if total >= edge:
                # To pass an exact target is a bust, and so is a hold of too few points.
                counts = total == edge or turn[BEYOND] != EXACTLY
                holds, resets = self.past[number] * (counts and total >= turn[LEAST], counts)
                for (after, end), chance in (
                    (most, holds),
                    (reset, resets),
                    (bust, 1.0 - holds - resets),
                ):
                    ends[after, total, end] += mass * float(chance)
            elif (total, number) != rolled and self.may_hold(turn, total, number):
                holds = mode.must_hold or total >= enough
                ends[self.held(turn, total) if holds else (place, total, number)] += mass
            elif mode.must_hold:
                ends[bust[0], total, bust[1]] += mass
            else:
                for k, outcome in enumerate(mode.outcomes):
                    chance = mass * float(outcome.probability)
                    if outcome.result in failed:
                        after, end = failed[outcome.result]
                        ends[after, total, end] += chance
                    elif len(outcome.choices) > 1:
                        ends[place, total, self.modes + self.branch[number, k]] += chance
                    else:
                        (choice,) = outcome.choices
                        onward = game.mode(choice.mode)
                        waiting[total + choice.points, self.rank[onward], onward] += chance
        return distribution_of(ends)


def regret_of(moves, values, total, node, action):
    """What an action gives away of the own chance, where several are allowed; `values` as ActionValues."""
    last = len(values.hold) - 1
    if node < moves.modes:
        chances = [part[min(total, last)] for part in (values.hold, values.roll[node])]
    else:
        choices = moves.choices[node - moves.modes]
        chances = [values.best[mode, min(total + points, last)] for points, mode in choices]
    regret = float(max(chances) - chances[action])
    return regret if regret > TIE else 0.0


class RaceModel(Moves):
    """A game against a fixed opponent: the moves, the opponent's turns, and the referee."""

    def __init__(self, game, opponent=None):
        if opponent is not None:
            (opponent,) = record_policies(game, opponent=read_policies(game, opponent=opponent)[0])
        self.given_opponent = opponent
        self.referee = Referee(game, opponent)
        self.opponent, roles = self.referee.opponent, self.referee.roles
        super().__init__(game, 2, [race_of(self.referee.best, role) for role in roles])
        self.in_roles = [self.opponent.when(role=role) for role in reversed(roles)]
        self.replies = lru_cache(KEPT_TURNS)(self._replies)
        self.reply = lru_cache(KEPT_TABLES)(self._reply)
        self.opening_node, self.end_node = self.nodes, self.nodes + 1
        # by column: the place of the opponent's score, and the role of the player to move
        self.seen = [
            *(
                (column % self.size, column // self.size)
                for column in range(self.roles * self.size)
            ),
            *((self.size + beaten, self.roles - 1) for beaten in range(self.more)),
        ]
        self.columns = len(self.seen)
        self.states = self.size * self.columns * self.totals * self.nodes + 2

    def __reduce__(self):
        return model_of, (self.game, self.given_opponent)  # all else is computed again

    def _replies(self, opponent, role):
        """The chances of the ends of the opponent's turns, by the scores of an agent in a role."""
        asked = np.stack(np.broadcast_arrays(opponent, np.arange(self.size + self.more)), axis=1)
        turns, policy = self.positions.at(asked, self.roles - 1 - role), self.in_roles[role]
        _, *tables, index, _ = answers(self.positions, self.game, policy, asked)
        turns[:, TABLE] = index
        return self.race.ends_of(turns, *tables)[:, :-1]

    def _reply(self, column, own):
        """The Distribution of a whole turn of the opponent, with columns in place of the opponent's score."""
        opponent, role = self.seen[column]
        turn, masses = self.turn(opponent, own, self.roles - 1 - role), defaultdict(float)
        register, chances = (
            self.game.register(self.points(opponent)),
            self.replies(opponent, role)[own],
        )
        totals = register.pays, 0, 0, *range(turn[NEED] - turn[LOW], -1, -1)
        for (after, end), total, chance in zip(
            self.ends(turn), totals, chances.tolist(), strict=False
        ):
            masses[role * self.size + after, 0 if end in WORTH else total, end] += chance
        order = sorted(masses, key=lambda result: (result[2], result[1]))
        return distribution_of({result: masses[result] for result in order})

    def decide(self, own, column, total, node):
        """The Decision of a state."""
        return self.decision(own, total, node, self.turn(own, *self.seen[column]))

    def values(self, own, column):
        """The action values of a turn, by the referee."""
        return self.referee.values(own, *self.seen[column])

    def encode(self, own, column, total, node):
        """The number of a state, by the place of the own score and the column."""
        if node >= self.opening_node:
            return self.states - 2 + node - self.opening_node
        return ((own * self.columns + column) * self.totals + total) * self.nodes + node

    def decode(self, state):
        """The inverse of :meth:`encode`, a tuple."""
        if state >= self.states - 2:
            column, node = (self.roles - 1) * self.size + self.begin, state - self.states + 2
            return self.begin, column, 0, self.opening_node + node
        rest, node = divmod(state, self.nodes)
        rest, total = divmod(rest, self.totals)
        return *divmod(rest, self.columns), total, node

    def follows(self, state):
        """What can follow by action: a list of lists of (probability, next state, reward, terminated)."""
        own, column, total, node = self.decode(state)
        decision = self.decide(own, column, total, node) if node < self.opening_node else None
        rows = decision.rows if decision else [distribution_of({(own, total, HELD): 1.0})]
        if not decision and node != self.opening_node:
            return [[(1.0, state, 0.0, True)]] * self.actions
        by_row = {id(row): list(self._transitions(row, column)) for row in rows}
        return [by_row[id(row)] for row in rows * (1 if decision else self.actions)]

    def _transitions(self, row, column):
        for chance, (place, total, node) in zip(row.chances, row.results, strict=True):
            if node >= 0 or node in WORTH:
                state = self.encode(place, column, total, self.end_node if node < 0 else node)
                yield chance, state, WORTH.get(node, 0.0), node < 0
            else:
                reply = self.reply(column, place)
                for mass, (after, _, end) in zip(reply.chances, reply.results, strict=True):
                    state = self.encode(
                        place, after, 0, self.end_node if end in WORTH else self.start(place)
                    )
                    yield chance * mass, state, 1.0 - WORTH.get(end, 1.0), end in WORTH


optimal_model = lru_cache(8)(RaceModel)  # shared by all environments of a game


def model_of(game, opponent):
    """The RaceModel of a game against a policy, or the optimal one."""
    return optimal_model(game) if opponent is None else RaceModel(game, opponent)
