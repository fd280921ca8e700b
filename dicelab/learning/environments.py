"""Environments for learning: one player of a race in Gymnasium, and all of them in PettingZoo.

Importing this module registers an environment of Gymnasium for every game of the catalogue, and one for any other:
``gymnasium.make("dicelab/Pig-v0", target=50)`` or ``gymnasium.make("dicelab/Race-v0", game=my_game)``. Gymnasium
imports it by itself if the id says so: ``gymnasium.make("dicelab.learning.environments:dicelab/Pig-v0")``.

**The agent** is one player, and the opponent, a fixed policy without a memory, is a part of the environment. The reward
is 1 for a win and 0 for everything else. So a value, without a discount, is a probability to win.

**A step** is one decision, or the roll that begins a turn. Where the rules leave one action, the environment takes it
at once. The roll that begins a turn is a step all the same: it can lose the game before any decision, and a reset must
not return a game that is over. After a hold, a bust or a reset the opponent's turn is played in the same step, by one
draw from its exact outcomes.

**Actions** are 0, hold, and 1, roll; where a roll can be taken in several ways, the number of the choice. An action
that is not allowed counts as the first one that is: at the start of a turn, a hold is a roll. ``info["action_mask"]``
says what is allowed.

**Observations** are the numbers of states; see :meth:`Race.decode` and :class:`VectorObservation`.
``P[state][action]`` is the list of (probability, next state, reward, terminated), as in the tabular environments of
Gymnasium. It is computed when it is asked for, from the tables that a step draws from.

**Regret.** ``info["regret"]`` is what the last action gives away: how far the probability to win falls behind that of
the best action, if the agent goes on to play best against this opponent. :mod:`dicelab.evaluation.referee` computes it.
"""

from bisect import bisect
from collections.abc import Mapping
from functools import lru_cache
from itertools import accumulate
from typing import ClassVar, NamedTuple

import numpy as np

from .._accuracy import TIE
from .._extras import extra
from .._recorded import record_policies
from .._shown import name_of, shorten, title_of
from .._text import choose
from .._validation import check_int, check_option, check_type, invalid
from ..evaluation.action_values import ActionValues, check_race, turn_action_values, turn_chances
from ..evaluation.referee import HOLD, ROLL, Referee
from ..evaluation.turn_outcomes import turn_outcomes
from ..games.catalogue import GAMES
from ..games.model import BUST, RESET, Game
from ..games.registers import scores_of
from ..games.situation import read_game
from ..policies import branch_index, branching_outcomes
from ..solution import check_players
from ..solvers._kernels import rules_of
from ..strategies import read_policies

with extra("gym"):
    import gymnasium
    import pettingzoo
    from gymnasium.utils.seeding import np_random as new_generator
    from pettingzoo.utils import wrappers
    from PIL import Image, ImageDraw, ImageFont

__all__ = ["Race", "RaceTable", "Transitions", "VectorObservation", "env"]

HELD, BUSTED, WAS_RESET, WON = -1, -2, -3, -4  # how a turn ends, in place of a node
KEPT_TABLES = 2**16  # tables of the latest situations that are kept
RENDER_MODES = ["ansi", "rgb_array"]


class Distribution(NamedTuple):
    """What can follow an action, or a whole turn of the opponent: a discrete distribution.

    A result is (place of the player's score, turn total, node). Where the turn is over, `node` is `HELD`, `BUSTED`,
    `WAS_RESET` or `WON`, and `place` and the total are those after it and before it.
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


class Moves:
    """One player's turn of a game, action by action. Nodes are the modes, then the outcomes with several choices."""

    def __init__(self, game):
        read_policies(game, last_turn=False)
        self.game, self.scores, rules = game, scores_of(game), rules_of(game)
        self.modes, self.beyond = len(game.modes), rules.beyond[0]
        self.outcomes = branching_outcomes(game)
        self.nodes = self.modes + len(self.outcomes)
        self.actions = max([2, *(len(outcome.choices) for outcome in self.outcomes)])
        self.branch = branch_index(game.until_change)
        self.rank = {m: rank for rank, m in enumerate(reversed(game.order))}
        self.decision, self.missing = (
            lru_cache(KEPT_TABLES)(self._decision),
            self.scores.missing.tolist(),
        )

    def __reduce__(self):
        return Moves, (self.game,)  # all else is computed again

    def start(self, place):
        """The state at the start of a turn, (place of the score, turn total, node)."""
        mode = int(self.scores.mode[place])
        asks = self.game.modes[mode].asks and (mode, 0) in self.branch
        return place, 0, self.modes + self.branch[mode, 0] if asks else mode

    def may_hold(self, place, total, mode):
        """Whether the player may hold."""
        return self.game.modes[mode].may_hold and total >= self.scores.least_hold[place]

    def _decision(self, place, total, node):
        """The Decision of a state; None where there is no action."""
        if total >= self.missing[place]:
            return None
        if node >= self.modes:
            choices = self.outcomes[node - self.modes].choices
            starts = [(total + choice.points, self.game.mode(choice.mode)) for choice in choices]
            rows = {action: self._follow(place, start) for action, start in enumerate(starts)}
        else:
            hold = self.may_hold(place, total, node)
            rows = {HOLD: distribution_of({self._held(place, total): 1.0})} if hold else {}
            if not self.game.modes[node].must_hold:
                rows[ROLL] = self._follow(place, (total, node), rolls=True)
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

    def _held(self, place, total):
        """The result of a hold below the target."""
        return int(self.scores.after_hold[place]) + total * self.scores.step, total, HELD

    def _follow(self, place, start, rolls=False):
        """What follows a turn total and mode, to the next decision or the end of the turn; `rolls` if it rolls now."""
        game = self.game.until_change
        missing = self.missing[place]
        ends = {}
        after = int(self.scores.after_bust[place])
        bust = (after, BUSTED) if after < len(game.scores) else (place, WON)  # it scores the rest
        reset = (self.scores.begin, WAS_RESET)
        waiting = {(start[0], self.rank[start[1]], start[1]): 1.0}

        def ends_at(result, mass):
            ends[result] = ends.get(result, 0.0) + mass

        while waiting:
            here = min(waiting)  # no mode comes back at the same total
            (total, _, number), mass = here, waiting.pop(here)
            mode = game.modes[number]
            if total >= missing:  # what is left of the turn is forced
                finishes, resets, _ = self.beyond[number, missing - total - 1]
                finishes *= missing >= self.scores.least_hold[place]  # else a hit target is a bust
                ends_at((place, total, WON), mass * finishes)
                ends_at((reset[0], total, reset[1]), mass * resets)
                ends_at((bust[0], total, bust[1]), mass * (1.0 - finishes - resets))
            elif not rolls and mode.must_hold:
                held = self.may_hold(place, total, number)
                ends_at(self._held(place, total) if held else (bust[0], total, bust[1]), mass)
            elif not rolls and self.may_hold(place, total, number):
                ends_at((place, total, number), mass)
            else:
                for k, outcome in enumerate(mode.outcomes):
                    chance = mass * float(outcome.probability)
                    if outcome.result in (BUST, RESET):
                        after, kind = bust if outcome.result == BUST else reset
                        ends_at((after, total, kind), chance)
                    elif len(outcome.choices) > 1:
                        ends_at((place, total, self.modes + self.branch[number, k]), chance)
                    else:
                        choice = outcome.choices[0]
                        onward = game.mode(choice.mode)
                        key = total + choice.points, self.rank[onward], onward
                        waiting[key] = waiting.get(key, 0.0) + chance
            rolls = False
        return distribution_of(ends)


def regret_of(moves, values, total, node, action, allowed):
    """What an action gives away of the own chance, of the first few that are allowed; `values` as ActionValues."""
    hold, roll, best = values
    if node < moves.modes:
        chances = [float(hold[total]), float(roll[node, total])]
    else:
        choices = moves.outcomes[node - moves.modes].choices[:allowed]
        last = best.shape[1] - 1
        chances = [
            float(best[moves.game.mode(c.mode), min(total + c.points, last)]) for c in choices
        ]
    regret = max(chances) - chances[action]
    return regret if regret > TIE else 0.0


class RaceModel(Moves):
    """A game against a fixed opponent: the moves, the opponent's turns, and the referee."""

    def __init__(self, game, opponent=None):
        super().__init__(game)
        if opponent is not None:
            (opponent,) = record_policies(game, opponent=read_policies(game, opponent=opponent)[0])
        self.given_opponent = opponent
        self.referee = Referee(game, opponent)
        self.opponent = self.referee.opponent
        self.outcomes_of_turns = turn_outcomes(game, self.opponent)
        self.reply, self.size = lru_cache(KEPT_TABLES)(self._reply), len(game.scores)
        self.opening_node, self.end_node = self.nodes, self.nodes + 1
        self.states = self.size**2 * game.longest * self.nodes + 2

    def __reduce__(self):
        return model_of, (self.game, self.given_opponent)  # all else is computed again

    def _reply(self, opponent, own):
        """The Distribution of a whole turn of the opponent."""
        turns = self.outcomes_of_turns
        lowest = self.game.lowest
        at = (opponent, own)
        (first, last), start = turns.window[at].tolist(), int(turns.start[at])
        points = int(self.game.scores[opponent])
        masses = {(opponent, self.game.target - points, WON): float(turns.finish[at])}
        for held, mass in zip(
            range(first, last), turns.hold[start : start + last - first].tolist(), strict=True
        ):
            masses[
                held * turns.step + int(turns.after_hold[opponent]), held + lowest - points, HELD
            ] = mass
        masses[int(turns.after_bust[opponent]), 0, BUSTED] = float(turns.bust[at])
        masses[turns.begin, 0, WAS_RESET] = float(turns.reset[at])
        return distribution_of(masses)

    def encode(self, own, opponent, total, node):
        """The number of a state, by the places of both scores."""
        if node >= self.opening_node:
            return self.states - 2 + node - self.opening_node
        return ((own * self.size + opponent) * self.game.longest + total) * self.nodes + node

    def decode(self, state):
        """The inverse of :meth:`encode`, a tuple."""
        special = state - (self.states - 2)
        if special >= 0:
            return self.scores.begin, self.scores.begin, 0, self.opening_node + special
        rest, node = divmod(state, self.nodes)
        rest, total = divmod(rest, self.game.longest)
        return *divmod(rest, self.size), total, node

    def follows(self, state):
        """What can follow by action: a list of lists of (probability, next state, reward, terminated)."""
        own, opponent, total, node = self.decode(state)
        over = self.encode(0, 0, 0, self.end_node)
        if node == self.opening_node:
            return [self._replied(1.0, own, opponent, over)] * self.actions
        decision = None if node == self.end_node else self.decision(own, total, node)
        if decision is None:
            return [[(1.0, state, 0.0, True)]] * self.actions
        by_row = {id(row): list(self._transitions(row, opponent, over)) for row in decision.rows}
        return [by_row[id(row)] for row in decision.rows]

    def _transitions(self, row, opponent, over):
        for chance, (place, total, node) in zip(row.chances, row.results, strict=True):
            if node >= 0:
                yield chance, self.encode(place, opponent, total, node), 0.0, False
            elif node == WON:
                yield chance, over, 1.0, True
            else:
                yield from self._replied(chance, place, opponent, over)

    def _replied(self, chance, own, opponent, over):
        """The transitions of a turn of the opponent."""
        place, total, node = self.start(own)
        reply = self.reply(opponent, own)
        return [
            (chance * mass, over, 0.0, True)
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


def game_of(game, rules):
    """The game of an environment: a Game, or the text of one of the catalogue, a name with its arguments."""
    if not rules:
        return read_game(game)
    if isinstance(game, Game):
        raise TypeError(
            f"{', '.join(rules)}: only a game that is given by its name takes arguments"
        )
    return GAMES[check_option(choose(game, [*GAMES]), "game", [*GAMES])](**rules)


class Transitions(Mapping):
    """``P[state][action]``: the transitions of an environment, computed when they are asked for.

    Examples
    --------
    >>> P = Race("piglet", target=2).P
    >>> len(P), P[0][1]
    (10, [(0.125, 9, 0.0, True), (0.375, 0, 0.0, False), (0.5, 1, 0.0, False)])
    """

    def __init__(self, model):
        self._model = model

    def __getitem__(self, state):
        if not isinstance(state, int | np.integer) or not 0 <= state < len(self):
            raise KeyError(state)
        return dict(enumerate(self._model.follows(int(state))))

    def __len__(self):
        return self._model.states

    def __iter__(self):
        return iter(range(len(self)))

    def __repr__(self):
        return f"<Transitions of {title_of(self._model.game)}: {len(self):,} states, {self._model.actions} actions>"


class Race(gymnasium.Env):
    """A race against a fixed opponent, for one agent; see the page of this module.

    Parameters
    ----------
    game : Game or str
        Rules, or the name of a game of the catalogue, as "pig" or "two-dice-pig".
    opponent : strategy, optional
        Without a memory: a policy, or whatever else plays, see :func:`dicelab.grade`; by default the optimal policy.
    seat : {1, 2, None}
        Whether the agent moves first or second; None draws it at each reset. In seat 2 an episode begins with a step in
        which the opponent plays the first turn, whatever the action.
    render_mode : {"ansi", "rgb_array"}, optional
    **rules
        Arguments of a game that is given by its name: ``target=50``.

    Attributes
    ----------
    game : Game
    opponent : Policy
    P : Transitions
        ``P[state][action]`` is a list of (probability, next state, reward, terminated).

    Raises
    ------
    ValueError, NotImplementedError, ConvergenceError, MemoryError
        As :func:`dicelab.solve` and :func:`dicelab.best_response`, which the referee calls.

    Notes
    -----
    ``reset(options={"state": state})`` begins in any state, for methods that explore by their starts.

    Examples
    --------
    >>> race = Race("pig", target=20)
    >>> observation, info = race.reset(seed=1)
    >>> race.decode(observation), info["action_mask"].tolist(), info["regret"]
    ((0, 0, 0, 0), [0, 1], 0.0)
    >>> state, _ = race.reset(options={"state": race.encode(own=10, opponent=5, turn_total=2)})
    >>> state, round(race.step(0)[4]["regret"], 4)
    (4102, 0.3661)
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}  # noqa: RUF012

    def __init__(self, game, *, opponent=None, seat=1, render_mode=None, **rules):
        if seat not in (1, 2, None) or isinstance(seat, (bool, float)):
            raise invalid("seat", seat, "1, 2 or None", int)
        self.render_mode = check_render_mode(render_mode)
        self.seat, self._model = seat, model_of(game_of(game, rules), opponent)
        self.game, self.opponent, self.P = (
            self._model.game,
            self._model.opponent,
            Transitions(self._model),
        )
        self.observation_space = gymnasium.spaces.Discrete(self._model.states)
        self.action_space = gymnasium.spaces.Discrete(self._model.actions)
        self._state, self._values, self._said = (
            self._model.decode(self._model.states - 1),
            None,
            "No game has begun.",
        )

    def encode(self, own, opponent, turn_total=0, node=None):
        """The number of a state.

        Parameters
        ----------
        own, opponent : int
            Banked scores; in a game with registers each may be a :class:`dicelab.Score`.
        turn_total : int
        node : int, optional
            The number of the mode; or, after a roll that can be taken in several ways, the number of modes plus that of
            the outcome among all such. By default the node in which a turn begins.

        Returns
        -------
        int
        """
        model = self._model
        own, opponent = self.game.index(own), self.game.index(opponent, "opponent")
        total = check_int(turn_total, "turn_total", 0, self.game.longest - 1)
        if node is None:
            _, _, node = model.start(own)
        return model.encode(own, opponent, total, check_int(node, "node", 0, model.end_node))

    def decode(self, state):
        """The own score, the opponent's, the turn total and the node of a state, a tuple; see :meth:`encode`.

        The last two states have nodes of their own: in one the opponent plays the first turn, the other is the end.
        """
        own, opponent, total, node = self._model.decode(
            check_int(state, "state", 0, self._model.states - 1)
        )
        return self.game.scores[own], self.game.scores[opponent], total, node

    def reset(self, *, seed=None, options=None):
        """Begin a game; see :meth:`gymnasium.Env.reset`."""
        options = {} if options is None else options
        if not isinstance(options, dict) or not set(options) <= {"state"}:
            raise invalid("options", options, 'a dict with no key but "state"')
        super().reset(seed=seed)
        model = self._model
        self._values, self._said = None, "A new game."
        if "state" in options:
            state = check_int(options["state"], "state", 0, model.states - 1)
            own, opponent, total, node = model.decode(state)
            if node == model.end_node or (
                node < model.opening_node and model.decision(own, total, node) is None
            ):
                raise invalid("state", state, "one in which there is an action")
            self._state = own, opponent, total, node
        else:
            seat = self.seat or (1 if self.np_random.random() < 0.5 else 2)
            own, total, node = model.start(model.scores.begin)
            self._state = own, model.scores.begin, total, node if seat == 1 else model.opening_node
        return model.encode(*self._state), {"action_mask": self._mask(), "regret": 0.0}

    def action_masks(self):
        """The actions that are allowed now, ndarray of bool; Stable-Baselines3's MaskablePPO asks for it."""
        return self._mask().astype(bool)

    def action_names(self, state):
        """What the actions are in a state, a list of str; fewer than the action space where there are fewer choices.

        Examples
        --------
        >>> race = Race("ten-thousand", target=20)
        >>> state = race.encode(own=0, opponent=0, turn_total=0, node=8)
        >>> race.action_names(0), race.action_names(state)
        (['hold', 'roll'], ['keep 1 1', 'keep 1'])
        """
        _, _, _, node = self._model.decode(check_int(state, "state", 0, self._model.states - 1))
        if self._model.modes <= node < self._model.nodes:
            return [
                choice.name for choice in self._model.outcomes[node - self._model.modes].choices
            ]
        return ["hold", "roll"]

    def _mask(self):
        own, _, total, node = self._state
        if node < self._model.opening_node:
            return self._model.decision(own, total, node).mask.copy()
        return np.array([node == self._model.opening_node] * self._model.actions, dtype=np.int8)

    def step(self, action):
        """Take an action, and play to the agent's next one; see :meth:`gymnasium.Env.step`."""
        model = self._model
        reward = 0.0
        regret = 0.0
        action = check_int(action, "action", 0, model.actions - 1)
        own, opponent, total, node = self._state
        if node == model.end_node:
            gymnasium.logger.warn(
                "step() was called although the game is over, or none has begun; call reset()"
            )
            self._said = "The game is over."
            return (
                model.encode(*self._state),
                reward,
                True,
                False,
                {"action_mask": self._mask(), "regret": regret},
            )
        result, reply, after = (
            None,
            None,
            HELD,
        )  # at the opening node the opponent plays first, as after a hold
        if node != model.opening_node:
            decision = model.decision(own, total, node)
            if decision.allowed > 1:
                if self._values is None:
                    self._values = model.referee.values(own, opponent)
                taken = action if decision.mask[action] else decision.first
                regret = regret_of(model, self._values, total, node, taken, decision.allowed)
            own, total, after = result = decision.rows[action].draw(self.np_random)
        if after >= 0:
            self._state = own, opponent, total, after
        else:
            self._values = None
            if after == WON:
                reward = 1.0
            else:
                opponent, _, after = reply = model.reply(opponent, own).draw(self.np_random)
            if after == WON:
                self._state = own, opponent, total if reply is None else 0, model.end_node
            else:
                own, total, start = model.start(own)
                self._state = own, opponent, total, start
        self._said = node, action, result, reply
        info = {"action_mask": self._mask(), "regret": regret}
        return model.encode(*self._state), reward, after == WON, False, info

    def render(self):
        """The table as a text or as an image, ndarray of uint8 (height, width, 3)."""
        model = self._model
        own, opponent, total, _ = self._state
        scores = [("You", model.game.scores[own]), ("Opponent", model.game.scores[opponent])]
        title = f"{title_of(model.game)} against {name_of(model.opponent)}"
        return show(self, title, scores, 0, total, self._words())

    def _words(self):
        """What happened last, in sentences."""
        if isinstance(self._said, str):
            return self._said
        (node, action, result, reply), model = self._said, self._model
        said = [] if result is None else [words_of("You", result, model, node, action)]
        said += [] if reply is None else [words_of("The opponent", reply, model)]
        return " ".join(said)


def words_of(who, result, model, node=None, action=None):
    """A sentence on the result of an action, or of a whole turn."""
    _, total, after = result
    chosen = ""
    if node is not None and node >= model.modes:
        choices = model.outcomes[node - model.modes].choices
        chosen = f" {choices[action if action < len(choices) else 0].name};"
    if after >= model.modes:
        names = " or ".join(choice.name for choice in model.outcomes[after - model.modes].choices)
        return f"{who}:{chosen} now {shorten(names, 60)}."
    if after >= 0:
        return f"{who}:{chosen} turn total {total}."
    ends = {
        HELD: f"banked {total}",
        BUSTED: "busted",
        WAS_RESET: "lost all banked points",
        WON: "won",
    }
    return f"{who}:{chosen} {ends[after]}."


def check_render_mode(value):
    """Read `value` as a render mode, or None."""
    return value if value is None else check_option(value, "render_mode", RENDER_MODES)


def show(environment, title, scores, moving, total, said):
    """The rendered table of an environment; None, with a warning of Gymnasium, without a render mode."""
    if environment.render_mode is None:
        gymnasium.logger.warn(
            "render() was called without a render_mode; make the environment with one"
        )
        return None
    if environment.render_mode == "ansi":
        lines = [
            f"{'>' if k == moving else ' '} {name:<10} {score}"
            for k, (name, score) in enumerate(scores)
        ]
        return "\n".join([title, *lines, f"  turn total {total}", said, ""])
    return draw_table(environment.game, title, scores, moving, total, said)


FELT = (24, 92, 60)
LINE = (12, 60, 38)
BANKED = (240, 228, 200)
TURN = (236, 168, 60)
PALE = (168, 200, 182)


def draw_table(game, title, scores, moving, total, said):
    """A picture of the table: a bar to the target for each player, with the turn total; uint8 (height, 640, 3)."""
    width = 640
    left = 150
    right = 560
    top = 70
    step = 54
    height = top + step * len(scores) + 62
    image = Image.new("RGB", (width, height), FELT)
    draw = ImageDraw.Draw(image)
    large = ImageFont.load_default(20)
    small = ImageFont.load_default(15)

    def at(points):
        share = (points - game.lowest) / (game.target - game.lowest)
        return left + round((right - left) * min(max(share, 0.0), 1.0))

    draw.text((20, 20), shorten(title, 72), PALE, font=ImageFont.load_default(17))
    for k, (name, score) in enumerate(scores):
        y = top + step * k
        draw.rounded_rectangle((left - 3, y, right + 3, y + 32), 5, LINE)
        draw.rectangle((left, y + 3, at(score), y + 29), BANKED)
        draw.text(
            (20, y + 5), f"{'> ' if k == moving else ''}{shorten(name, 14)}", PALE, font=small
        )
        draw.text((right + 16, y + 4), str(int(score)), BANKED, font=large)
        if k == moving and total:
            draw.rectangle((at(score), y + 3, at(score + total), y + 29), TURN)
            draw.text((right + 16, y + 26), f"+{total}", TURN, font=small)
    draw.text((20, height - 42), shorten(said, 84), PALE, font=small)
    return np.array(image)


def vector_space(moves, players, more):
    """The space of vectors with the entries of :func:`vector_of`, and `more` in [0, 1]; a Box of float32."""
    game = moves.game
    low = np.zeros(players * (1 + len(game.registers)) + 1 + moves.nodes + more, dtype=np.float32)
    low[:players] = game.lowest / game.target
    return gymnasium.spaces.Box(low, np.ones_like(low))


def vector_of(moves, places, total, node, vector):
    """Fill a vector of zeros: scores and turn total as shares of the target, registers and the node as one-hot."""
    game = moves.game
    players = len(places)
    registers = len(moves.game.registers)
    for seat, place in enumerate(places):
        vector[seat] = (place // moves.scores.step + game.lowest) / game.target
        if registers:
            vector[players + seat * registers + place % registers] = 1.0
    at = players * (1 + registers)
    vector[at] = min(total / game.target, 1.0)
    vector[at + 1 + node] = 1.0
    return vector


class VectorObservation(gymnasium.ObservationWrapper, gymnasium.utils.RecordConstructorArgs):
    """The observation of a :class:`Race` as a vector, for function approximation.

    It has these entries:

    - the own score and the opponent's as shares of the target;
    - in a game with registers those of both players, one-hot;
    - the turn total as a share of the target, and the node, one-hot; the last two nodes are as in :meth:`Race.decode`.

    Parameters
    ----------
    env : Env
        A Race, maybe wrapped.

    Examples
    --------
    >>> vectors = VectorObservation(Race("pig", target=20))
    >>> vectors.reset(options={"state": vectors.unwrapped.encode(own=10, opponent=5, turn_total=8)})[0].tolist()
    [0.5, 0.25, 0.4000000059604645, 1.0, 0.0, 0.0]
    """

    def __init__(self, env):
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.ObservationWrapper.__init__(self, env)
        self._model = check_type(env.unwrapped, "env", Race, "an environment of dicelab")._model
        self.observation_space = vector_space(self._model, players=2, more=2)

    def observation(self, observation):
        """The vector of a state, ndarray of float32."""
        own, opponent, total, node = self._model.decode(int(observation))
        vector = np.zeros(self.observation_space.shape, dtype=np.float32)
        return vector_of(self._model, (own, opponent), total, node, vector)


class RaceTable(pettingzoo.AECEnv):
    """A race of two or more agents, in turn, as an AEC environment of PettingZoo.

    The winner's reward is 1, and that of each of the n - 1 others -1 / (n - 1). An agent sees a dict. Its "observation"
    is a vector with these entries:

    - the scores as shares of the target, the agent's own first, then in order of play;
    - in a game with registers those of all players, one-hot;
    - the turn total of the player to move, as a share of the target, and the node of this player, one-hot;
    - the seat of the player to move, counted from the agent, one-hot.

    The "action_mask" is 0 for all who are not to move. Steps and actions are those of :class:`Race`.

    Parameters
    ----------
    game : Game or str
        As for :class:`Race`.
    players : int
        At least 2.
    solution : Solution, optional
        Of this game and as many players, as :func:`dicelab.solve` returns it. Then ``infos[agent]["regret"]`` is what
        the agent's last action gives away of its own chance, if all go on by the solution. Nothing is solved here.
    render_mode : {"ansi", "rgb_array"}, optional
    **rules
        Arguments of a game that is given by its name.

    Raises
    ------
    ValueError
        If an argument is not allowed.

    Examples
    --------
    >>> table = RaceTable("pig", players=3, target=20)
    >>> table.reset(seed=1)
    >>> table.agent_selection, table.observe("player_0")["action_mask"].tolist()
    ('player_0', [0, 1])
    """

    metadata: ClassVar = {
        "render_modes": RENDER_MODES,
        "name": "dicelab_v0",
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(self, game="pig", *, players=2, solution=None, render_mode=None, **rules):
        super().__init__()
        self.render_mode, players = check_render_mode(render_mode), check_players(players)
        self._moves = moves = Moves(game_of(game, rules))
        self.game, self.solution = moves.game, solution
        if solution is not None:
            check_race(solution, last_turn=False)
            if solution.game != self.game or getattr(solution, "players", 2) != players:
                raise invalid(
                    "solution", solution, f"one of {title_of(self.game)} for {players} players"
                )
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self.agents, self._random = [], None
        self.observation_spaces, self.action_spaces = {}, {}
        for agent in self.possible_agents:
            mask = gymnasium.spaces.Box(0, 1, (moves.actions,), np.int8)
            seen = {"observation": vector_space(moves, players, more=players), "action_mask": mask}
            self.observation_spaces[agent] = gymnasium.spaces.Dict(seen)
            self.action_spaces[agent] = gymnasium.spaces.Discrete(moves.actions)

    def observation_space(self, agent):
        """See :meth:`pettingzoo.AECEnv.observation_space`."""
        return self.observation_spaces[agent]

    def action_space(self, agent):
        """See :meth:`pettingzoo.AECEnv.action_space`."""
        return self.action_spaces[agent]

    def reset(self, seed=None, options=None):
        """Begin a game; see :meth:`pettingzoo.AECEnv.reset`."""
        if seed is not None or self._random is None:
            self._random, _ = new_generator(seed)
        self.agents = self.possible_agents[:]
        self.rewards, self._cumulative_rewards = (
            dict.fromkeys(self.agents, 0.0),
            dict.fromkeys(self.agents, 0.0),
        )
        self.terminations, self.truncations = (
            dict.fromkeys(self.agents, False),
            dict.fromkeys(self.agents, False),
        )
        judged = {} if self.solution is None else {"regret": 0.0}
        self.infos = {agent: dict(judged) for agent in self.agents}
        self._places, self._seat, self._said = (
            [self._moves.scores.begin] * len(self.agents),
            0,
            "A new game.",
        )
        self._begin_turn()

    def _begin_turn(self):
        self._values = None
        _, self._total, self._node = self._moves.start(self._places[self._seat])
        self.agent_selection = self.possible_agents[self._seat]

    def observe(self, agent):
        """What an agent sees, a dict with "observation" and "action_mask"."""
        seat = self.possible_agents.index(agent)
        space = self.observation_spaces[agent]
        players = len(self._places)
        vector = np.zeros(space["observation"].shape, dtype=np.float32)
        vector_of(self._moves, self._from(seat), self._total, self._node, vector)
        vector[(self._seat - seat) % players - players] = 1.0
        mask = np.zeros(self._moves.actions, dtype=np.int8)
        if seat == self._seat and agent in self.agents and not self.terminations[agent]:
            mask[:] = self._decision().mask
        return {"observation": vector, "action_mask": mask}

    def _from(self, seat):
        """The places of all scores in order of play, from a seat on."""
        return [*self._places[seat:], *self._places[:seat]]

    def _decision(self):
        return self._moves.decision(self._places[self._seat], self._total, self._node)

    def step(self, action):
        """Take an action of the agent who is to move; see :meth:`pettingzoo.AECEnv.step`."""
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        action, decision, node = (
            check_int(action, "action", 0, self._moves.actions - 1),
            self._decision(),
            self._node,
        )
        taken = action if decision.mask[action] else decision.first
        self._cumulative_rewards[agent] = 0.0
        if self.solution is not None:
            if self._values is None:
                self._values = self._action_values()
            given = (self._moves, self._values, self._total, node, taken, decision.allowed)
            self.infos[agent] = {"regret": regret_of(*given) if decision.allowed > 1 else 0.0}
        place, total, after = result = decision.rows[taken].draw(self._random)
        self._said = words_of(agent, result, self._moves, node, taken)
        if after == WON:
            lost = -1.0 / (len(self.agents) - 1)
            self.rewards = {other: 1.0 if other == agent else lost for other in self.agents}
            self.terminations = dict.fromkeys(self.agents, True)
            self._accumulate_rewards()
            self.agent_selection = self.possible_agents[(self._seat + 1) % len(self._places)]
        elif after >= 0:
            self._total, self._node = total, after
        else:
            self._places[self._seat], self._seat = place, (self._seat + 1) % len(self._places)
            self._begin_turn()
        return None

    def _action_values(self):
        """The own chances by action in this turn, as ActionValues."""
        own, *others = (self.game.scores[place] for place in self._from(self._seat))
        if len(others) == 1:
            return turn_action_values(self.solution, own, *others)
        return ActionValues(
            *(chances[..., 0] for chances in turn_chances(self.solution, own, others))
        )

    def render(self):
        """The table as a text or as an image, ndarray of uint8 (height, width, 3)."""
        scores = zip(
            self.possible_agents, (self.game.scores[place] for place in self._places), strict=True
        )
        return show(self, title_of(self.game), list(scores), self._seat, self._total, self._said)

    def close(self):
        """There is nothing to close."""


raw_env = RaceTable


def env(game="pig", **options):
    """A :class:`RaceTable` in the usual wrappers of PettingZoo: an action that is not allowed ends the game.

    Parameters
    ----------
    game : Game or str
    **options
        All other arguments of :class:`RaceTable`.

    Returns
    -------
    pettingzoo.utils.wrappers.BaseWrapper
        The agent who takes an action that is not allowed gets -1, and all others 0.

    Examples
    --------
    >>> table = env("hog", players=2, target=30)
    >>> table.reset(seed=1)
    >>> for agent in table.agent_iter():
    ...     seen, reward, over, _, _ = table.last()
    ...     table.step(None if over else table.action_space(agent).sample(seen["action_mask"]))
    """
    table = wrappers.TerminateIllegalWrapper(RaceTable(game, **options), illegal_reward=-1)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(table))


def id_of(name):
    """The id of a game of the catalogue: "dicelab/TwoDicePig-v0"."""
    return f"dicelab/{''.join(map(str.capitalize, name.split('-')))}-v0"


IDS = {id_of(name): name for name in GAMES}
for _id, _name in IDS.items():
    gymnasium.register(_id, f"{__name__}:Race", kwargs={"game": _name})
gymnasium.register("dicelab/Race-v0", f"{__name__}:Race")
