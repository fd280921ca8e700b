"""Environments for learning: one player of a race in Gymnasium, and all of them in PettingZoo.

Importing this module registers an environment of Gymnasium for every game of the catalogue, and one for any other:
``gymnasium.make("dicelab/Pig-v0", target=50)`` or ``gymnasium.make("dicelab/Race-v0", game=my_game)``. Gymnasium
imports it by itself if the id says so: ``gymnasium.make("dicelab_extras.learning.environments:dicelab/Pig-v0")``.

**The agent** is one player, and the opponent, a fixed policy without a memory, is a part of the environment. The reward
is 1 for a win and 0 for everything else but a draw. So a value, without a discount, is a probability to win.

**A step** is one decision, or the roll that begins a turn. Where the rules leave one action, the environment takes it
at once. The roll that begins a turn is a step all the same: it can lose the game before any decision, and a reset must
not return a game that is over. After a hold, a bust or a reset the opponent's turn is played in the same step, by one
draw from its exact outcomes.

**Actions** are 0, hold, and 1, roll; where a roll can be taken in several ways, the number of the choice. An action
that is not allowed counts as the first one that is: at the start of a turn, a hold is a roll. ``info["action_mask"]``
says what is allowed.

**Last turns.** With "equal turns" and "last licks" a turn may go on above the target, and a state has a score to beat
in place of the opponent's, or, in "equal turns", a role. Where every hold is right a player holds who may, and in the
last turn of all one who is ahead; else the table of states would not end. A draw has the reward 1/2.

**Observations** are the numbers of states; see :meth:`Race.decode` and :class:`VectorObservation`.
``P[state][action]`` is the list of (probability, next state, reward, terminated), as in the tabular environments of
Gymnasium. It is computed when it is asked for, from the tables that a step draws from.

**Regret.** ``info["regret"]`` is what the last action gives away: how far the probability to win falls behind that of
the best action, if the agent goes on to play best against this opponent. :mod:`dicelab.evaluation.referee` computes it.
"""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any, ClassVar

import numpy as np

from dicelab._extras import extra
from dicelab._shown import name_of, shorten, title_of
from dicelab._text import choose
from dicelab._validation import check_int, check_option, check_players, check_type, invalid
from dicelab.evaluation.action_values import (
    ActionValues,
    check_solved,
    turn_chances,
    values_at,
)
from dicelab.games.catalogue import GAMES
from dicelab.games.model import LAST_TURN, Game, read_role
from dicelab.games.named import read_game
from dicelab.solution import Solution
from dicelab.strategies import Strategy

from .decisions import (
    BUSTED,
    DREW,
    HELD,
    LED,
    LOST,
    WAS_RESET,
    WON,
    WORTH,
    Moves,
    RaceModel,
    model_of,
    regret_of,
)

with extra("gym"):
    import gymnasium
    import pettingzoo
    from gymnasium import spaces
    from gymnasium.utils.seeding import np_random as new_generator
    from pettingzoo.utils import wrappers
    from PIL import Image, ImageDraw, ImageFont

__all__ = ["Race", "RaceTable", "Transitions", "VectorObservation", "env"]

RENDER_MODES = ["ansi", "rgb_array"]


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

    def __init__(self, model: RaceModel) -> None:
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
        Without a memory: whatever plays, see :mod:`dicelab.strategies`; by default the optimal policy.
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

    def __init__(
        self,
        game: Game | str,
        *,
        opponent: Strategy | None = None,
        seat: int | None = 1,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        if seat not in (1, 2, None) or isinstance(seat, (bool, float)):
            raise invalid("seat", seat, "1, 2 or None", int)
        self.render_mode = check_render_mode(render_mode)
        self.seat = seat
        self._model = model = model_of(game_of(game, rules), opponent)
        self.game, self.opponent, self.P = model.game, model.opponent, Transitions(model)
        self.observation_space = spaces.Discrete(model.states)
        self.action_space = spaces.Discrete(model.actions)
        self._values = None
        self._go_to(*model.decode(model.states - 1))
        self._said = "No game has begun."

    def encode(
        self,
        own: int,
        opponent: int,
        turn_total: int = 0,
        node: int | None = None,
        role: int | None = None,
    ) -> int:
        """The number of a state.

        Parameters
        ----------
        own, opponent : int
            Banked scores; in a game with registers each may be a :class:`dicelab.Score`. In a last turn `opponent` is
            the score to beat.
        turn_total : int
        node : int, optional
            The number of the mode; or, after a roll that can be taken in several ways, the number of modes plus that of
            the outcome among all such. By default the node in which a turn begins.
        role : {0, 1}, optional
            In "equal turns": 0 for an agent who is first in the round, as by default, 1 for one who is second.

        Returns
        -------
        int
        """
        model = self._model
        own, role = self.game.index(own), read_role(self.game, role, (opponent,))
        if self.game.finish not in LAST_TURN or check_int(opponent, "opponent") < self.game.target:
            column = (role or 0) * model.size + self.game.index(opponent, "opponent")
        else:
            most = self.game.target + model.more - 1
            beaten = check_int(opponent, "opponent", self.game.target, most)
            column = model.roles * model.size + beaten - self.game.target
        total = check_int(turn_total, "turn_total", 0, model.totals - 1)
        if node is None:
            node = model.start(own)
        return model.encode(own, column, total, check_int(node, "node", 0, model.end_node))

    def decode(self, state: int) -> tuple[int, ...]:
        """The own score, the opponent's, the turn total and the node of a state, a tuple; see :meth:`encode`.

        In "equal turns" the role comes last. In a last turn the opponent's score is the one to beat. The last two
        states have nodes of their own: in one the opponent plays the first turn, the other is the end.
        """
        model = self._model
        own, column, total, node = model.decode(check_int(state, "state", 0, model.states - 1))
        opponent, *role = model.seen[column][: model.roles]
        return self.game.scores[own], model.points(opponent), total, node, *role

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[int, dict[str, Any]]:
        """Begin a game; see :meth:`gymnasium.Env.reset`."""
        options = {} if options is None else options
        if not isinstance(options, dict) or not set(options) <= {"state"}:
            raise invalid("options", options, 'a dict with no key but "state"')
        super().reset(seed=seed)
        model = self._model
        self._values, self._said = None, "A new game."
        if "state" in options:
            state = check_int(options["state"], "state", 0, model.states - 1)
            self._go_to(*model.decode(state))
            if self._decision is None and self._state[-1] != model.opening_node:
                raise invalid("state", state, "one in which there is an action")
        else:
            seat = self.seat or (1 if self.np_random.random() < 0.5 else 2)
            first = model.begin, model.begin, 0, model.start(model.begin)
            self._go_to(*(first if seat == 1 else model.decode(model.states - 2)))
        return model.encode(*self._state), self._info(0.0)

    def action_masks(self) -> np.ndarray:
        """The actions that are allowed now, ndarray of bool; Stable-Baselines3's MaskablePPO asks for it."""
        return self._mask().astype(bool)

    def action_names(self, state: int) -> list[str]:
        """What the actions are in a state, a list of str; fewer than the action space where there are fewer choices.

        Examples
        --------
        >>> race = Race("ten-thousand", target=20)
        >>> state = race.encode(own=0, opponent=0, turn_total=0, node=8)
        >>> race.action_names(0), race.action_names(state)
        (['hold', 'roll'], ['keep 1 1', 'keep 1'])
        """
        model = self._model
        *_, node = model.decode(check_int(state, "state", 0, model.states - 1))
        if model.modes <= node < model.nodes:
            return [choice.name for choice in model.outcomes[node - model.modes].choices]
        return ["hold", "roll"]

    def _info(self, regret):
        return {"action_mask": self._mask(), "regret": regret}

    def _go_to(self, *state):
        """Go to a state, and keep its Decision; None where the game is over or the opponent opens it."""
        *_, node = self._state = state
        within = node < self._model.opening_node
        self._decision = self._model.decide(*state) if within else None

    def _mask(self):
        if self._decision:
            return self._decision.mask.copy()
        opens = self._state[-1] == self._model.opening_node
        return np.full(self._model.actions, opens, dtype=np.int8)

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        """Take an action, and play to the agent's next one; see :meth:`gymnasium.Env.step`."""
        model, regret = self._model, 0.0
        reward = None  # as long as the game goes on
        action = check_int(action, "action", 0, model.actions - 1)
        own, column, total, node = self._state
        if node == model.end_node:
            gymnasium.logger.warn(
                "step() was called although the game is over, or none has begun; call reset()"
            )
            self._said = "The game is over."
            return model.encode(*self._state), 0.0, True, False, self._info(regret)
        said = []
        after = HELD  # at the opening node the opponent plays first, as after a hold
        if node != model.opening_node:
            decision = self._decision
            if decision.mask.sum() > 1:
                if self._values is None:
                    self._values = model.values(own, column)
                taken = decision.taken(action)
                regret = regret_of(model, self._values, total, node, taken)
            own, total, after = result = decision.rows[action].draw(self.np_random)
            said.append(words_of("You", result, model, node, action))
        if after < 0:
            self._values, reward = None, WORTH.get(after)
        if after < 0 and reward is None:  # the opponent's turn
            place, _, end = reply = model.reply(column, own).draw(self.np_random)
            said.append(words_of("The opponent", reply, model))
            if end in WORTH:
                reward, total = 1.0 - WORTH[end], 0
            else:
                column, total, after = place, 0, model.start(own)
        over = reward is not None
        self._go_to(own, column, total, model.end_node if over else after)
        self._said = " ".join(said)
        return model.encode(*self._state), reward or 0.0, over, False, self._info(regret)

    def render(self) -> Any:
        """The table as a text or as an image, ndarray of uint8 (height, width, 3)."""
        model = self._model
        own, column, total, _ = self._state
        opponent, _ = model.seen[column]
        scores = [("You", model.points(own)), ("Opponent", model.points(opponent))]
        title = f"{title_of(model.game)} against {name_of(model.opponent)}"
        return show(self, title, scores, 0, total, self._said)


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
        LED: f"banked {total}, and leaves a last turn",
        LOST: "lost in the last turn",
        DREW: "drew in the last turn",
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
    left, right = 150, 560  # of the bars, in pixels
    top, step = 70, 54
    height = top + step * len(scores) + 62
    image = Image.new("RGB", (640, height), FELT)
    draw = ImageDraw.Draw(image)
    small, medium, large = map(ImageFont.load_default, (15, 17, 20))

    def at(points):
        share = (points - game.lowest) / (game.target - game.lowest)
        return left + round((right - left) * min(max(share, 0.0), 1.0))

    draw.text((20, 20), shorten(title, 72), PALE, font=medium)
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
    high = np.ones_like(low)
    if moves.more:  # scores and turn totals may be above the target
        high[:players] = (game.target + moves.totals - game.longest) / game.target
        high[players * (1 + len(game.registers))] = moves.totals / game.target
    return spaces.Box(low, high)


def vector_of(moves, places, total, node, space):
    """A vector of a space: scores and turn total as shares of the target, registers and the node as one-hot."""
    game, vector = moves.game, np.zeros(space.shape, space.dtype)
    players = len(places)
    registers = len(moves.game.registers)
    for seat, place in enumerate(places):
        vector[seat] = int(moves.points(place)) / game.target
        if registers and place < moves.size:
            vector[players + seat * registers + place % registers] = 1.0
    at = players * (1 + registers)
    vector[at] = total / game.target if moves.more else min(total / game.target, 1.0)
    vector[at + 1 + node] = 1.0
    return vector


class VectorObservation(gymnasium.ObservationWrapper, gymnasium.utils.RecordConstructorArgs):
    """The observation of a :class:`Race` as a vector, for function approximation.

    It has these entries:

    - the own score and the opponent's as shares of the target;
    - in a game with registers those of both players, one-hot;
    - the turn total as a share of the target, and the node, one-hot; the last two nodes are as in :meth:`Race.decode`;
    - in "equal turns" the role.

    In a last turn the opponent's score is the one to beat, at least the target.

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

    def __init__(self, env: gymnasium.Env) -> None:
        gymnasium.utils.RecordConstructorArgs.__init__(self)
        gymnasium.ObservationWrapper.__init__(self, env)
        self._model = check_type(env.unwrapped, "env", Race, "an environment of dicelab")._model
        more = 1 + self._model.roles  # two nodes, and the role
        self.observation_space = vector_space(self._model, players=2, more=more)

    def observation(self, observation: int) -> np.ndarray:
        """The vector of a state, ndarray of float32."""
        own, column, total, node = self._model.decode(int(observation))
        opponent, role = self._model.seen[column]
        vector = vector_of(self._model, (own, opponent), total, node, self.observation_space)
        vector[-1] += role  # without roles 0, and an entry of the node
        return vector


class RaceTable(pettingzoo.AECEnv):
    """A race of two or more agents, in turn, as an AEC environment of PettingZoo.

    The winner's reward is 1, and that of each of the n - 1 others -1 / (n - 1). In a draw of two both are 0. An agent
    sees a dict. Its "observation" is a vector with these entries:

    - the scores as shares of the target, the agent's own first, then in order of play;
    - in a game with registers those of all players, one-hot;
    - the turn total of the player to move, as a share of the target, and the node of this player, one-hot;
    - the seat of the player to move, counted from the agent, one-hot;
    - in "equal turns" the role of the agent: 0 for the player who moves first in the game, 1 for the other.

    The "action_mask" is 0 for all who are not to move. Steps and actions are those of :class:`Race`.

    Parameters
    ----------
    game : Game or str
        As for :class:`Race`.
    players : int
        At least 2; 2 where players have a last turn.
    solution : Solution, optional
        Of this game and as many players, as :func:`dicelab.solve` returns it. Then ``infos[agent]["regret"]`` is what
        the agent's last action gives away of its own chance, if all go on by the solution. Nothing is solved here, but
        for last turns, to know how far above the target a turn goes on.
    render_mode : {"ansi", "rgb_array"}, optional
    **rules
        Arguments of a game that is given by its name.

    Raises
    ------
    ValueError
        If an argument is not allowed.
    NotImplementedError
        For three and more players with a last turn.

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

    def __init__(
        self,
        game: Game | str = "pig",
        *,
        players: int = 2,
        solution: Solution | None = None,
        render_mode: str | None = None,
        **rules: Any,
    ) -> None:
        super().__init__()
        self.render_mode, players = check_render_mode(render_mode), check_players(players)
        self.game, self.solution = game_of(game, rules), solution
        if solution is not None:
            best = check_solved(solution, ("win",)).against is None
            if not best or solution.game != self.game or solution.players != players:
                raise invalid(
                    "solution", solution, f"one of {title_of(self.game)} for {players} players"
                )
        self.possible_agents = [f"player_{seat}" for seat in range(players)]
        self._moves = moves = Moves(self.game, players, [solution.race] if solution else ())
        self.agents, self._random = [], None
        vectors = vector_space(moves, players, more=players + (moves.roles > 1))
        mask = spaces.Box(0, 1, (moves.actions,), np.int8)
        seen = spaces.Dict({"observation": vectors, "action_mask": mask})
        self.observation_spaces = {agent: deepcopy(seen) for agent in self.possible_agents}
        self.action_spaces = {a: spaces.Discrete(moves.actions) for a in self.possible_agents}

    def observation_space(self, agent: str) -> spaces.Dict:
        """See :meth:`pettingzoo.AECEnv.observation_space`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """See :meth:`pettingzoo.AECEnv.action_space`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game; see :meth:`pettingzoo.AECEnv.reset`."""
        if seed is not None or self._random is None:
            self._random, _ = new_generator(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {
            agent: {} if self.solution is None else {"regret": 0.0} for agent in self.agents
        }
        self._places, self._seat = [self._moves.begin] * len(self.agents), 0
        self._said = "A new game."
        self._begin_turn()

    def _begin_turn(self):
        own, *others = self._from(self._seat)
        self._role = self._seat if self._moves.roles > 1 else None
        self._turn, self._values = self._moves.turn(own, max(others), self._role or 0), None
        self._total, self._node = 0, self._moves.start(own)
        self.agent_selection = self.possible_agents[self._seat]

    def observe(self, agent: str) -> dict[str, np.ndarray]:
        """What an agent sees, a dict with "observation" and "action_mask"."""
        seat = self.possible_agents.index(agent)
        players, space = len(self._places), self.observation_spaces[agent]["observation"]
        vector = vector_of(self._moves, self._from(seat), self._total, self._node, space)
        first = len(vector) - players - (self._moves.roles > 1)
        vector[first + players :] = seat / (players - 1)
        vector[first + (self._seat - seat) % players] = 1.0
        mask = np.zeros(self._moves.actions, dtype=np.int8)
        if seat == self._seat and agent in self.agents and not self.terminations[agent]:
            mask[:] = self._decision().mask
        return {"observation": vector, "action_mask": mask}

    def _from(self, seat):
        """The places of all scores in order of play, from a seat on."""
        return [*self._places[seat:], *self._places[:seat]]

    def _decision(self):
        return self._moves.decision(self._places[self._seat], self._total, self._node, self._turn)

    def step(self, action: int | None) -> None:
        """Take an action of the agent who is to move; see :meth:`pettingzoo.AECEnv.step`."""
        agent = self.agent_selection
        if self.terminations[agent]:
            return self._was_dead_step(action)
        action = check_int(action, "action", 0, self._moves.actions - 1)
        decision, at = self._decision(), (self._total, self._node)
        taken = decision.taken(action)
        self._cumulative_rewards[agent] = 0.0
        if self.solution is not None:
            if self._values is None:
                self._values = self._action_values()
            several = decision.mask.sum() > 1
            lost = regret_of(self._moves, self._values, *at, taken) if several else 0.0
            self.infos[agent] = {"regret": lost}
        place, total, after = result = decision.rows[taken].draw(self._random)
        self._said = words_of(agent, result, self._moves, self._node, taken)
        if after in WORTH:
            winners = {WON: [self._seat], DREW: [0, 1], LOST: [1 - self._seat]}[after]
            others = len(self.agents) - 1
            won = (1.0 - (len(winners) - 1) / others) / len(winners)
            for seat, other in enumerate(self.agents):
                self.rewards[other] = won if seat in winners else -1 / others
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
        own, *others = places = self._from(self._seat)
        if len(others) == 1:
            found = values_at(self.solution.race, places, self._role or 0)
        else:
            own, *others = map(self._moves.points, places)
            found = turn_chances(self.solution, own, others)
        return ActionValues(*(chances[..., 0] for chances in found))

    def render(self) -> Any:
        """The table as a text or as an image, ndarray of uint8 (height, width, 3)."""
        scores = zip(self.possible_agents, map(self._moves.points, self._places), strict=True)
        return show(self, title_of(self.game), list(scores), self._seat, self._total, self._said)

    def close(self) -> None:
        """There is nothing to close; PettingZoo wants this method beside `render`."""


raw_env = RaceTable


def env(game: Game | str = "pig", **options: Any) -> wrappers.BaseWrapper:
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


IDS = {f"dicelab/{name.title().replace('-', '')}-v0": name for name in GAMES}
for _id, _name in IDS.items():
    gymnasium.register(_id, f"{__name__}:Race", kwargs={"game": _name})
gymnasium.register("dicelab/Race-v0", f"{__name__}:Race")
