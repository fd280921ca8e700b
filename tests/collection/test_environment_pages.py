"""The pages of the environments say what the environments do."""

import gymnasium
import pytest

from collection.environment_pages import STEPS, Arena, arenas

ARENAS = [Arena(f"dicelab/{name}-v0") for name in ("Piglet", "Hog", "TenThousand")]
NAMES = [arena.name for arena in ARENAS]


def test_every_game_has_a_page():
    ids = {id for id in gymnasium.registry if id.startswith("dicelab/")}
    assert ids - {arena.id for arena in arenas()} == {"dicelab/Race-v0"}


@pytest.mark.parametrize("arena", ARENAS, ids=NAMES)
def test_the_tables_are_those_of_the_environment(arena):
    race, (*scores, (_, nodes)) = arena.race, arena.numbers
    assert f"Discrete({race.observation_space.n})" in arena.code.splitlines()[4]
    names = [part.split(": ")[1] for part in nodes.split("; ")]
    assert names[: len(race.game.modes)] == [mode.name for mode in race.game.modes]
    assert {values for _, values in scores} == {f"0, …, {race.game.target - 1} {race.game.unit}"}
    for node, _, names in arena.choices:
        _, info = race.reset(options={"state": race.encode(0, 0, 0, node)})
        assert len(names) == info["action_mask"].sum() > 1


@pytest.mark.parametrize("arena", ARENAS, ids=NAMES)
def test_an_episode_is_played_as_it_is_shown(arena):
    episode = arena.episode
    env = gymnasium.make(arena.id, target=episode["target"])
    state, _ = env.reset(seed=episode["seed"])
    rewards = []
    for row in episode["rows"]:
        assert env.unwrapped.decode(state) == row["seen"]
        state, reward, over, _, info = env.step(int(row["action"].partition(":")[0]))
        assert f"{info['regret']:.4f}" == row["regret"] and f"{reward:g}" == row["reward"]
        rewards.append(reward)
    assert over and sum(rewards) == rewards[-1] == 1 and len(rewards) in STEPS
