"""A race on the page: played by the rules, and judged as by `action_values`."""

import pytest

import dicelab as dl
from collection.page import PLAYED, game_data
from dicelab.evaluation.action_values import turn_action_values
from dicelab.games.catalogue import GAMES


def test_dice_fall_by_the_rules(machinery, watched):
    """60,000 rolls of two dice, both orders of each."""
    counts = watched(machinery).evaluate(
        """(game) => {
            const { Race } = modules["race.js"], { seeded } = modules["random.js"], { solve } = modules["solver.js"]
            const values = solve(game), random = seeded(1), counts = {}
            for (let k = 0; k < 60000; k++) {
                const race = new Race(game, values, random)
                race.take("roll")
                counts[race.dice] = (counts[race.dice] ?? 0) + 1
            }
            return counts
        }""",
        game_data("two-dice-pig") | {"target": 5},
    )
    expected = 60000 / 36
    assert len(counts) == 36
    # 35 ± 8.4, if they do.
    assert sum((count - expected) ** 2 / expected for count in counts.values()) < 75


THROW = """([game, throws]) => {
    const { Race, outcomeOf } = modules["race.js"], { seeded } = modules["random.js"], { solve } = modules["solver.js"]
    const race = new Race(game, solve(game), seeded(1)), mode = game.modes[0]
    race.take("roll", throws[0])
    return [throws.map((faces) => outcomeOf(mode, faces)), race.total]
}"""


def test_dice_are_thrown_at_the_table(machinery, watched):
    """Faces in any order, a bust and what is no throw."""
    game = game_data("two-dice-pig") | {"target": 9}
    throws = [[5, 2], [2, 5], [3, 1], [1, 1], [7, 1], [4], []]
    (seven, same, bust, reset, *wrong), total = watched(machinery).evaluate(THROW, [game, throws])
    results = [result for _, result in game["modes"][0]["outcomes"]]
    assert seven == same and total == results[seven][0][0] == 7 and wrong == [-1] * 3
    assert (results[bust], results[reset]) == ("bust", "reset")


PLAY = """([game, number]) => {
    const { Race } = modules["race.js"], { seeded } = modules["random.js"], { solve } = modules["solver.js"]
    const { optimalPolicy, rulePolicy, holdAt } = modules["policies.js"]
    const values = solve(game), optimum = optimalPolicy(game, values), rule = rulePolicy(game, holdAt(5)), races = []
    for (let seed = 0; seed < number; seed++) {
        const race = new Race(game, values, seeded(seed), seed % 2), states = []
        while (race.winner === null) {
            const { player, own, opponent, total, options } = race, mode = game.modes[race.mode].name
            const state = { player, own, opponent, total, options, mode, pending: race.pending?.choices }
            const taken = race.played(player === 0 ? optimum : rule).name
            if (player === 0 && race.options.length > 1 && taken !== race.best.name) state.differs = taken
            state.events = race.take(taken)
            states.push(state)
        }
        races.push({ states, scores: race.scores, winner: race.winner, chances: race.chances, decisions: race.decisions,
            loss: [race.loss(0), race.loss(1)], mistakes: race.mistakes(1, 3) })
    }
    return races
}"""


@pytest.mark.parametrize("slug", PLAYED)
def test_races_are_played_by_the_rules(machinery, watched, slug):
    """Every event follows from the state before; options have the values of `action_values`."""
    game = GAMES[slug](30)
    solution = dl.solve(game)
    races = watched(machinery).evaluate(PLAY, [game_data(slug) | {"target": 30}, 12])
    for race in races:
        scores = [0, 0]
        for state in race["states"]:
            player = state["player"]
            assert [state["own"], state["opponent"]] == [scores[player], scores[1 - player]]
            assert "differs" not in state
            check_options(solution, state)
            for event in state["events"]:
                follow(game, state, event, scores)
        assert scores == race["scores"] and scores[race["winner"]] >= 30
        assert race["chances"][-1] == (race["winner"] == 0)
        assert all(0 <= chance <= 1 for chance in race["chances"])
        losses = [made["loss"] for made in race["decisions"] if made["player"] == 1]
        assert race["loss"] == [0, pytest.approx(sum(losses))]
        worst = [loss for loss in sorted(losses, reverse=True) if loss > 0][:3]
        assert [made["loss"] for made in race["mistakes"]] == worst
    assert sum(race["loss"][1] for race in races) > 0 or slug == "piglet"


def check_options(solution, state):
    game = solution.game
    odds = turn_action_values(solution, state["own"], state["opponent"])
    mode, total = game.mode(state["mode"]), state["total"]

    def entry(values, at):
        return values[min(at, len(values) - 1)]

    for option in state["options"]:
        if option["name"] in ("roll", "hold"):
            values = odds.roll[mode] if option["name"] == "roll" else odds.hold
            assert option["value"] == pytest.approx(entry(values, total), abs=1e-11)
    if state.get("pending"):
        expected = [entry(odds.best[choice[1]], total + choice[0]) for choice in state["pending"]]
        assert [option["value"] for option in state["options"]] == pytest.approx(
            expected, abs=1e-11
        )


def outcome_of(game, mode, dice):
    """The outcome that lists these dice."""
    (outcome,) = (o for o in game.modes[game.mode(mode)].outcomes if tuple(sorted(dice)) in o.rolls)
    return outcome


def follow(game, state, event, scores):
    """Follow one event; `state` has the mode's name and the turn total."""
    kind, player = event["kind"], event["player"]
    if kind == "rolled" and event["dice"]:
        outcome = outcome_of(game, state["mode"], event["dice"])
        if "choices" in event:
            assert event["choices"] == [choice.name for choice in outcome.choices]
        else:
            assert [choice.points for choice in outcome.choices] == [event["points"]]
    if kind in ("rolled", "kept", "chose") and "points" in event:
        state["total"] += event["points"]
        assert event["total"] == state["total"]
    if kind in ("bust", "reset"):
        assert event["lost"] == state["total"]
        if event["dice"]:
            assert outcome_of(game, state["mode"], event["dice"]).result == kind
        if kind == "reset":
            scores[player] = 0
    if kind in ("held", "won"):
        scores[player] += event["total"]
        assert event["score"] == scores[player] and (kind == "won") == (
            scores[player] >= game.target
        )
        assert event["total"] == state["total"]


def test_ties_hold(machinery, watched):
    """If every state is worth one half, rolling is worth as much as holding, far from the target."""
    best, decided = watched(machinery).evaluate(
        """() => {
            const { pigOf } = modules["game.js"], { Race } = modules["race.js"]
            const { optimalPolicy } = modules["policies.js"]
            const game = pigOf([1, 1], 100), values = new Float64Array(10000).fill(0.5)
            const race = new Race(game, values, () => 0.9)
            race.take("roll")
            const { rolls } = optimalPolicy(game, values).decide(0, 0)
            return [race.best.name, Array.from(rolls.slice(0, 3))]
        }"""
    )
    assert best == "hold" and decided == [1, 0, 0]
