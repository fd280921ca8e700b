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
from dicelab._accuracy import TIE
from dicelab._recorded import record_policies
from dicelab.engine.positions import (
    BEYOND,
    COLUMNS,
    EXACTLY,
    LEVEL,
    LOW,
    MODE,
    NEED,
    TABLE,
    TO_TARGET,
    Positions,
)
from dicelab.engine.race import Race
from dicelab.engine.seats import answers
from dicelab.evaluation.action_values import race_of
from dicelab.evaluation.referee import HOLD, ROLL, Referee
from dicelab.games.model import BUST, LAST_TURN, RESET, roles_of
from dicelab.policies import branch_index, branching_outcomes
from dicelab.strategies import read_policies

__all__ = ["Moves", "RaceModel", "model_of", "optimal_model", "regret_of"]
__all__ += ["BUSTED", "DREW", "HELD", "LED", "LOST", "WAS_RESET", "WON", "WORTH"]

HELD, BUSTED, WAS_RESET, WON = -1, -2, -3, -4  # how a turn ends, in place of a node
LED, LOST, DREW = -5, -6, -7  # at the target or above with a last turn to come; in a last turn
WORTH = {WON: 1.0, DREW: 0.5, LOST: 0.0}  # to the player whose turn ends the game
ENDS = WON, LED, DREW, LOST, HELD, BUSTED, WAS_RESET  # in the order of a reply
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
    answered: bool = False  # whether the other player has a last turn after this one

    @property
    def decides(self):
        """Whether the game is over after the turn, whatever it brings."""
        return self.beaten >= 0 and not self.answered


class Moves:
    """One player's turn of a game, action by action. Nodes are the modes, then the outcomes with several choices.

    Where the other player has a last turn, a player rolls on up to where every hold is right, which is `above` points
    above the target at most; and if that is forced up to `more`. The `races` of the game know both.
    """

    def __init__(self, game, players=2, races=()):
        read_policies(game)
        self.game, self.players, self.roles = game, players, roles_of(game, players)
        self.above = self.more = 0
        if game.finish in LAST_TURN:
            if players > 2:
                said = "there are no environments for three and more players with a last turn"
                raise NotImplementedError(f"{game.name} with finish={game.finish!r}: {said}")
            races = races or [solve(game).race]
            self.above = max(race.rolled for race in races)
            self.more = max(race.positions.lead for race in races) + 1
        self.size, self.totals, self.modes = (
            len(game.scores),
            game.longest + self.more,
            len(game.modes),
        )
        self.outcomes, self.branch = branching_outcomes(game), branch_index(game.until_change)
        self.nodes = self.modes + len(self.outcomes)
        self.actions = max([2, *(len(outcome.choices) for outcome in self.outcomes)])
        self.rank = {m: rank for rank, m in enumerate(reversed(game.order))}
        self.decision = lru_cache(KEPT_TABLES)(self._decision)
        self.registers = [game.register(score) for score in game.scores]
        self.needs = [game.target - int(score) for score in game.scores]
        self.begin, self.exact = game.index(game.after_reset), game.finish == "exact"
        # By mode the chances of a bust, a reset and a hold at the target, where the best choice leads to most holds.
        turns = np.zeros((self.modes, COLUMNS), dtype=int)
        turns[:, MODE] = turns[:, TABLE] = np.arange(self.modes)
        turns[:, BEYOND], turns[:, LEVEL] = EXACTLY if self.exact else TO_TARGET, 1
        race = Race(Positions(game, 1, "score", lead=game.most_points))  # row 1 has the value 1
        self.past = race.ends_of(turns, *race.decisions(turns))[:, :3].tolist()

    def __reduce__(self):
        return Moves, (self.game, self.players)  # all else is computed again

    def aim(self, others, role):
        """The Aim of a turn, by the places of the others' scores, and the role of the player to move."""
        beaten = max(-1, max(others) - self.size)
        return Aim(beaten, self.more > 0 and beaten < 0 and role == 0)

    def points(self, place):
        """The score at a place, an int or a Score."""
        return (
            self.game.scores[place] if place < self.size else self.game.target + place - self.size
        )

    def enough(self, place, aim):
        """The turn total with which a player who may hold does so."""
        enough = self.needs[place] + (self.above if aim.answered else aim.beaten + 1)
        return enough if self.exact else max(enough, self.registers[place].least_hold)

    def least(self, place, aim):
        """The fewest points of a hold; in a last turn of one that does not lose."""
        least = self.registers[place].least_hold
        draws = self.needs[place] + aim.beaten + (self.roles == 1)
        return max(least, draws) if aim.decides else least

    def start(self, place):
        """The state at the start of a turn, (place of the score, turn total, node)."""
        mode = self.game.mode(self.registers[place].mode)
        asks = self.game.modes[mode].asks and (mode, 0) in self.branch
        return place, 0, self.modes + self.branch[mode, 0] if asks else mode

    def may_hold(self, place, total, mode, aim):
        """Whether the player may hold."""
        return self.game.modes[mode].may_hold and total >= self.least(place, aim)

    def _decision(self, place, total, node, aim):
        """The Decision of a state; None where there is no action."""
        forced = aim.answered and (node >= self.modes or not self.game.modes[node].may_hold)
        most = self.needs[place] + self.more if forced else self.enough(place, aim)
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
        game, after = self.game, place
        if total < self.needs[place]:
            after = game.index(game.after_hold(game.scores[place], total))
        place, node = self._ended(place, total, aim, after, HELD)
        return place, total, node

    def _failed(self, place, aim):
        """The place and node after a bust, and those after a reset."""
        game, paid, after = self.game, -self.registers[place].penalty, place
        if paid < self.needs[place]:
            after = game.index(game.after_bust(game.scores[place]))
        reset = self.begin, LOST if aim.decides else WAS_RESET
        return self._ended(place, paid, aim, after, BUSTED), reset

    def _follow(self, place, start, aim, rolls=False):
        """What follows a turn total and mode, to the next decision or the end of the turn; `rolls` if it rolls now."""
        game = self.game.until_change
        enough, ends = self.enough(place, aim), {}
        bust, reset = self._failed(place, aim)
        waiting = {(start[0], self.rank[start[1]], start[1]): 1.0}

        def ends_at(result, mass):
            ends[result] = ends.get(result, 0.0) + mass

        while waiting:
            here = min(waiting)  # no mode comes back at the same total
            (total, _, number), mass = here, waiting.pop(here)
            mode = game.modes[number]
            if aim.answered and total >= self.needs[place] + self.more:
                ends_at((bust[0], total, bust[1]), mass)  # a turn that goes on and on
            elif not aim.answered and total >= enough:  # the rest is forced
                _, resets, holds = self.past[number]
                if (
                    self.exact
                ):  # to pass the target is a bust, and so are fewer points than a hold takes
                    resets *= total == enough
                    holds *= total == enough >= self.registers[place].least_hold
                ends_at((place, total, WON), mass * holds)
                ends_at((reset[0], total, reset[1]), mass * resets)
                ends_at((bust[0], total, bust[1]), mass * (1.0 - holds - resets))
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
    total = min(total, len(hold) - 1)
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
        races = [race_of(self.referee.best, role) for role in self.referee.roles]
        super().__init__(game, 2, races)
        self.race = max(races, key=lambda race: race.positions.lead)
        self.opponent = self.referee.opponent
        self.in_roles = [self.opponent.when(role=role) for role in reversed(self.referee.roles)]
        self.turns = lru_cache(KEPT_TURNS)(self._turns)
        self.reply = lru_cache(KEPT_TABLES)(self._reply)
        self.opening_node, self.end_node = self.nodes, self.nodes + 1
        # by column: the place of the opponent's score, and the role of the player to move
        self.seen = [divmod(column, self.size)[::-1] for column in range(self.roles * self.size)]
        self.seen += [(self.size + beaten, self.roles - 1) for beaten in range(self.more)]
        self.aims = [self.aim([at], role) for at, role in self.seen]
        self.columns = len(self.seen)
        self.states = self.size * self.columns * self.totals * self.nodes + 2

    def __reduce__(self):
        return model_of, (self.game, self.given_opponent)  # all else is computed again

    def _turns(self, opponent, role):
        """The opponent's turns against all scores of an agent in a role: the most points, and the chances of ends."""
        positions = self.race.positions
        asked = np.stack(np.broadcast_arrays(opponent, np.arange(self.size + self.more)), axis=1)
        turns = positions.at(asked, self.roles - 1 - role)
        ((_, *tables, index, _),) = answers(positions, self.game, self.in_roles[role], asked)
        turns[:, TABLE] = index
        return turns[:, NEED] - turns[:, LOW], self.race.ends_of(turns, *tables)[:, :-1]

    def _reply(self, column, own):
        """The Distribution of a whole turn of the opponent, with columns in place of the opponent's score."""
        opponent, role = self.seen[column]
        aim = self.aim([own], self.roles - 1 - role)
        most, chances = (part[own] for part in self.turns(opponent, role))
        failed, masses = self._failed(opponent, aim), defaultdict(float)
        for k in np.flatnonzero(
            chances
        ).tolist():  # a bust, a reset, and holds from the most points on
            if k < 2:
                (after, end), total = failed[k], self.registers[opponent].pays
            else:
                after, total, end = self._held(opponent, int(most) + 2 - k, aim)
            result = role * self.size + after, 0 if end in WORTH else total, end
            masses[result] += float(chances[k])
        order = sorted(masses, key=lambda result: (ENDS.index(result[2]), result[1]))
        return distribution_of({result: masses[result] for result in order})

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
            column = (self.roles - 1) * self.size + self.begin
            return self.begin, column, 0, self.opening_node + special
        rest, node = divmod(state, self.nodes)
        rest, total = divmod(rest, self.totals)
        return *divmod(rest, self.columns), total, node

    def follows(self, state):
        """What can follow by action: a list of lists of (probability, next state, reward, terminated)."""
        own, column, total, node = self.decode(state)
        if node == self.opening_node:
            return [list(self._replied(1.0, own, column))] * self.actions
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
            else:
                yield from self._replied(chance, place, column)

    def _replied(self, chance, own, column):
        """The transitions of a turn of the opponent."""
        reply = self.reply(column, own)
        for mass, (after, _, end) in zip(reply.chances, reply.results, strict=True):
            if end in WORTH:
                yield chance * mass, self.states - 1, 1.0 - WORTH[end], True
            else:
                place, total, node = self.start(own)
                yield chance * mass, self.encode(place, after, total, node), 0.0, False


@lru_cache(8)
def optimal_model(game):
    """The RaceModel against the optimal policy, shared by all environments of a game."""
    return RaceModel(game)


def model_of(game, opponent):
    """The RaceModel of a game against a policy, or the optimal one."""
    return optimal_model(game) if opponent is None else RaceModel(game, opponent)
