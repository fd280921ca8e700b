"""The pages of the environments on the site: what an agent sees and does, made from Gymnasium's registry."""

from dataclasses import dataclass
from functools import cached_property
from itertools import count, islice

from dicelab._extras import extra
from dicelab.evaluation.solving import solve
from dicelab.policies import branching_outcomes
from dicelab_extras.learning import environments

from .game_pages import console

with extra("gym"):
    import gymnasium

__all__ = ["Arena", "arenas"]

SMALLER = {  # arguments of the game for its page, where its own takes long to solve
    "ten-thousand": {"target": 40},
    "farkle": {"target": 40},
    "kingdom-come": {"target": 40},
    "facebook-farkle": {"target": 15, "lowest": -5},
    "zilch": {"target": 15, "lowest": -5},
}
NAMED = 3  # rolls of which the choices are listed
STEPS = range(5, 16)  # of the episode
SHORT = {"points": 30}  # the target of the episode, at most, by unit; else `FEW`
FEW = 15


@dataclass(frozen=True)
class Arena:
    """An environment that has a page: its id in the registry."""

    id: str

    @property
    def name(self):
        """The name of the game on the command line, which is that of the page."""
        return gymnasium.spec(self.id).kwargs["game"]

    @property
    def smaller(self):
        """Arguments of `make` for the page."""
        return SMALLER.get(self.name, {})

    @cached_property
    def race(self):
        """The environment."""
        return gymnasium.make(self.id, **self.smaller).unwrapped

    @property
    def code(self):
        """A console session that makes it."""
        given = "".join(f", {name}={value}" for name, value in self.smaller.items())
        return console(
            "import gymnasium",
            "from dicelab_extras.learning import environments",
            f'env = gymnasium.make("{self.id}"{given})',
            "env.observation_space, env.action_space",
            "state, info = env.reset(seed=1)",
            "env.unwrapped.decode(state), info['action_mask'].tolist()",
        )

    @property
    def numbers(self):
        """The parts of a state: pairs of a name and the values that it takes."""
        game = self.race.game
        banked, points = (f"{low}, …, {game.target - 1} {game.unit}" for low in (game.lowest, 0))
        scores = "; ".join([banked, *(register.name for register in game.registers)])
        modes = "; ".join(f"{k}: {mode.name}" for k, mode in enumerate(game.modes))
        rolls = len(branching_outcomes(game))
        first, last = len(game.modes), len(game.modes) + rolls - 1
        span = f"{first} to {last}: rolls" if rolls > 1 else f"{first}: before the roll"
        more = f"; {span} that leave a choice" if rolls > 1 else f"; {span}" if rolls else ""
        return [
            ("own score", scores),
            ("opponent's score", scores),
            ("turn total", points),
            ("node", f"{modes}{more}"),
        ]

    @property
    def choices(self):
        """Triples of a node, its first roll, and what the actions 0, 1, … are there: the last nodes with a choice."""
        first = len(self.race.game.modes)
        nodes = list(enumerate(branching_outcomes(self.race.game), first))[-NAMED:]
        for node, outcome in nodes:
            roll = " ".join(map(str, outcome.rolls[0])) if outcome.rolls else "before the roll"
            yield node, roll, self.race.action_names(self.race.encode(0, 0, 0, node))

    @cached_property
    def value(self):
        """The probability of the optimal agent to win against the optimal opponent, moving first."""
        return solve(self.race.game).value

    @property
    def episode(self):
        """A short game that the agent wins, acting at random: its target, its seed, and its steps."""
        target = min(self.race.game.target, SHORT.get(self.race.game.unit, FEW))
        env = gymnasium.make(self.id, **self.smaller | {"target": target}, render_mode="ansi")
        for seed in count(1):
            rows = list(islice(play(env, seed), STEPS.stop))
            if len(rows) in STEPS and rows[-1]["reward"] == "1":
                return {"target": target, "seed": seed, "rows": rows}


def play(env, seed):
    """The steps of a game in which the agent acts at random: a dict for each."""
    race, over = env.unwrapped, False
    state, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    while not over:
        action = env.action_space.sample(info["action_mask"])
        row = {
            "seen": race.decode(state),
            "action": f"{action}: {race.action_names(state)[action]}",
        }
        state, reward, over, _, info = env.step(action)
        said = env.render().strip().splitlines()[-1]
        yield row | {"said": said, "reward": f"{reward:g}", "regret": f"{info['regret']:.4f}"}


def arenas():
    """The environments that have pages, in the order of the registry: one for each game."""
    return [Arena(id) for id in environments.IDS]
