"""Policies and solutions, as they are asked."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

import dicelab as dl
from collection import textbook
from dicelab._limits import BoundedCache
from dicelab._recorded import CACHE, record
from dicelab.evaluation.loss import loss
from dicelab.evaluation.studies import reachable, turn_points, turns_needed
from dicelab.evaluation.turn_outcomes import turn_outcomes
from dicelab.games.catalogue import restrict_discards
from dicelab.policies import FinishesAtOnce, branching_outcomes
from dicelab.solution import OptimalPolicy

PIG = dl.solve(dl.pig(100)).policy


def test_hold_at():
    rule = dl.hold_at(25)
    assert rule.rolls(0, 0, 0) is True, "a turn begins with a roll"
    assert rule.rolls(0, 0, 24) is True
    assert rule.rolls(0, 0, 25) is False
    assert rule.rolls(90, 0, 10) is True, "no target is known"
    assert rule.rolls(90, 0, 10, target=100) is False
    assert dl.hold_at(1).rolls(0, 0, 0) is True
    assert rule.decisions(dl.pig(100), 0, 0).tolist() == [[k < 25 for k in range(100)]]
    assert rule.decisions(dl.pig(100), 90, 3).tolist() == [[True] * 10]


def test_hold_at_in_a_mode_without_a_hold():
    forced = dl.Mode(
        "forced",
        [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "free"))],
        may_hold=False,
    )
    free = dl.Mode("free", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "forced"))])
    decisions = dl.hold_at(2).decisions(dl.Game("g", 5, (free, forced)), 0, 0)
    assert decisions.tolist() == [[True, True, False, False, False], [True] * 5]
    policy = dl.solve(dl.Game("g", 5, (free, forced))).policy
    assert policy.rolls(0, 0, 7, "forced") is True
    assert policy.rolls(0, 0, 7, "free") is False


@pytest.mark.parametrize("n", [0, -1, 2.5, "20", None, True])
def test_hold_at_nothing(n):
    with pytest.raises(ValueError, match="n: "):
        dl.hold_at(n)


def test_pigs_policy():
    assert PIG.rolls(0, 0, 20) is True
    # Neller and Presser 2004: hold at 21 at the start of the game.
    assert PIG.rolls(0, 0, 21) is False
    assert PIG.rolls(0, 0, 0) is True
    assert PIG.rolls(99, 99, 1) is False
    assert PIG.rolls(0, 99, 98) is True, "the opponent will win: roll for all"


def test_the_mask_is_the_decisions():
    mask = PIG.roll_mask()
    assert mask.shape == (100, 100, 100)
    assert mask.dtype == bool
    own, total = np.indices((100, 100))
    assert not mask.transpose(1, 0, 2)[:, own + total >= 100].any()
    assert mask[:, :, 0].all()
    rng = np.random.default_rng(1)
    for own, opponent, total in rng.integers(0, 100, (300, 3)).tolist():
        assert mask[own, opponent, total] == PIG.rolls(own, opponent, total) or own + total >= 100
    again = (mask[:, :, 1:] & ~mask[:, :, :-1]).any(axis=2)
    assert again.sum() == 2503, "about a quarter of the pairs of scores roll above a hold"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((100, 0, 0), "own: 100 is not allowed; give a score in 0, …, 99"),
        ((-1, 0, 0), "own: -1"),
        ((0, 100, 0), "opponent: 100"),
        ((0, 1.0, 0), "opponent: 1.0"),
        ((0, 0, -1), "turn_total: -1"),
        ((0, 0, True), "turn_total: True"),
        ((0, 0, 5, "free"), "mode: 'free'"),
    ],
)
def test_bad_questions(arguments, said):
    with pytest.raises(ValueError) as caught:
        PIG.rolls(*arguments)
    assert said in str(caught.value)


def test_a_policy_is_for_its_game():
    with pytest.raises(ValueError, match="this policy is for Pig to 100, not Piglet to 10"):
        PIG.decisions(dl.piglet(), 0, 0)


def test_a_mask_too_large_is_refused():
    with pytest.raises(ValueError, match=r"target: 1100 .*rolls\(own, opponent, turn_total\)"):
        dl.solve(dl.piglet(1100)).policy.roll_mask()


def test_exact_policies_answer_alike():
    game = dl.pig(25)
    exact, fast = dl.solve(game, exact=True), dl.solve(game)
    assert np.array_equal(exact.policy.roll_mask(), fast.policy.roll_mask())
    assert type(exact.policy.rolls(3, 4, 5)) is bool


def test_by_target_needs_a_game_without_resets():
    assert dl.solve(dl.piglet(5)).by_target().index.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(ValueError, match="Two-dice Pig has resets"):
        dl.solve(dl.two_dice_pig(5)).by_target()


# Policies from outside

FORCED = dl.Game(
    "forced",
    6,
    [
        dl.Mode("free", [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "must"))]),
        dl.Mode(
            "must",
            [dl.Outcome("1/3", "bust"), dl.Outcome("2/3", dl.Choice(1, "free"))],
            may_hold=False,
        ),
    ],
)


class HoldAt(dl.Policy):
    """Holds at n, which may be changed."""

    def __init__(self, n, memory=1):
        self.n, self.memory = n, memory

    def decisions(self, game, own, opponent, memory=0):
        rolls = np.tile(np.arange(game.target - own) < self.n, (len(game.modes), 1))
        rolls[:, 0] = True
        rolls[[not mode.may_hold for mode in game.modes]] = True
        return rolls


class Answers(dl.Policy):
    """Answers with what it is given, and may be asked by decisions or by row."""

    def __init__(self, answer, asked, game):
        self.answer, self.asked, self.game = answer, asked, game

    def decisions(self, game, own, opponent, memory=0):
        return self.answer

    def decisions_at(self, game, own, memory=0):
        return (
            self.answer if self.asked == "decisions_at" else super().decisions_at(game, own, memory)
        )


class Lawless(HoldAt):
    """Holds in the mode without a hold; or, if n is 0, at turn total 0."""

    def decisions(self, game, own, opponent, memory=0):
        return np.tile(np.arange(game.target - own) < self.n, (len(game.modes), 1))


ENTRANCES = {  # by the name of the argument
    "first": lambda game, policy: dl.evaluate(game, policy, dl.hold_at(2)),
    "second": lambda game, policy: dl.evaluate(game, dl.hold_at(2), policy),
    "first in simulate": lambda game, policy: dl.simulate(game, policy, dl.hold_at(2), games=10),
    "second in simulate": lambda game, policy: dl.simulate(game, dl.hold_at(2), policy, games=10),
    "second in the textbook": lambda game, policy: textbook.policy_evaluation(
        game, dl.hold_at(2), policy
    ),
    "opponent": dl.best_response,
    "policy in loss": lambda game, policy: loss(dl.solve(game), policy),
    "policy in turn_points": turn_points,
    "policy in turns_needed": turns_needed,
    "policy in reachable": reachable,
}
entrances = pytest.mark.parametrize("entrance", ENTRANCES)


def refused(entrance, game, policy, said):
    with pytest.raises(ValueError) as caught:
        ENTRANCES[entrance](game, policy)
    assert isinstance(caught.value, ValueError) and str(caught.value).startswith(
        entrance.split()[0]
    ), caught.value
    assert said in str(caught.value)


@entrances
def test_policies_are_held_to_the_rules(entrance):
    refused(
        entrance,
        FORCED,
        Lawless(3),
        "holds in mode 'must' at own score 0, opponent's 0 and turn total 3",
    )
    refused(
        entrance,
        dl.pig(6),
        Lawless(0),
        "holds at own score 0 and turn total 0; a turn begins with a roll",
    )
    decide = dl.solve(dl.pig(6)).policy.decide

    def lawless(pairs, rolls, takes):
        decide(pairs, rolls, takes)
        rolls[:, :, 0] = False

    refused(entrance, dl.pig(6), OptimalPolicy(dl.pig(6), lawless), "turn total 0")
    ENTRANCES[entrance](FORCED, HoldAt(3))


@entrances
@pytest.mark.parametrize("asked", ["decisions", "decisions_at"])
def test_decisions_are_arrays_of_bool(entrance, asked):
    game = dl.pig(6)
    shape = (1, 6) if asked == "decisions" else (6, 1, 6)
    wrong = [
        None,
        float("nan"),
        "x",
        True,
        1,
        np.ones(shape),
        np.ones(shape, dtype=object),
        np.ones(6, dtype=bool),
    ]
    wrong += [
        np.full(shape, np.nan),
        [[True] * 6],
        np.ones((2, 6), dtype=bool),
        np.ones(shape, dtype=np.int64),
    ]
    for answer in wrong:
        refused(entrance, game, Answers(answer, asked, game), f"what {asked} of ")


@entrances
@pytest.mark.parametrize(
    "memory", [0, -1, "x", 2.5, True, None, np.float64(1)], ids=lambda value: type(value)
)
def test_a_memory_is_a_count(entrance, memory):
    refused(entrance, dl.pig(6), HoldAt(3, memory), ".memory: ")


def test_a_policy_that_changes_is_asked_again():
    game = dl.pig(12)
    changing = HoldAt(3)
    limit = [3]
    closure = dl.Rule("limited", lambda own, opponent, totals, target: totals >= limit[0])
    for n in (3, 5, 3, 8):
        changing.n = limit[0] = n
        wanted = dl.evaluate(game, dl.hold_at(n), dl.hold_at(4))
        for policy in (changing, closure):
            match = dl.evaluate(game, policy, dl.hold_at(4))
            response = dl.best_response(game, policy)
            changing.n = limit[0] = 1
            assert match.first_wins == wanted.first_wins and match.turns_mean == wanted.turns_mean
            assert match.margin == wanted.margin, "a match is of the policies as they were"
            assert dl.evaluate(game, response.policy, response.against).first_wins == pytest.approx(
                response.value
            )
            changing.n = limit[0] = n
            assert dl.simulate(game, policy, dl.hold_at(4), games=1000).first_wins == (
                dl.simulate(game, dl.hold_at(n), dl.hold_at(4), games=1000).first_wins
            )
            assert (turns_needed(game, policy) == turns_needed(game, dl.hold_at(n))).all()
            assert turn_points(game, policy).equals(turn_points(game, dl.hold_at(n)))


def test_a_record_has_the_decisions_of_the_policy():
    for game in (dl.pig(9), dl.double_trouble(15), dl.ten_thousand(6), dl.piglet(1)):
        for policy in (dl.hold_at(3), dl.scoring_turns(3), dl.solve(game).policy, HoldAt(2)):
            now = record(game, policy)
            for own in range(game.target):
                for memory in range(policy.memory):
                    assert np.array_equal(
                        now.decisions_at(game, own, memory), policy.decisions_at(game, own, memory)
                    )
                    missing = game.target - own
                    takes = (
                        policy.choices(game, own)
                        if policy.memory == 1
                        else policy.choices(game, own, memory)
                    )
                    assert np.array_equal(
                        now.choices(game, own, memory)[:, :, :missing], takes[:, :, :missing]
                    )
    with pytest.raises(ValueError, match="this policy is for Piglet to 1, not Pig to 9"):
        now.decisions_at(dl.pig(9), 0)


def test_a_record_is_for_its_game():
    """Its decisions in another game would be read from beyond the end of the arrays."""
    recorded = dl.evaluate(dl.pig(9), HoldAt(3), dl.hold_at(2)).first
    for ask in (dl.evaluate, dl.simulate):
        with pytest.raises(ValueError, match="this policy is for Pig to 9, not Pig to 8"):
            ask(dl.pig(8), recorded, dl.hold_at(2))
    with pytest.raises(ValueError, match="this policy is for Pig to 9, not Pig to 8"):
        turn_outcomes(dl.pig(8), recorded)


def test_the_cache_is_bounded_by_bytes():
    kept, made = BoundedCache(100), []

    def get(key, size):
        return kept.get(key, lambda: made.append(key) or key, lambda answer: size)

    for key in "abcab":
        assert get(key, 40) == key
    assert made == ["a", "b", "c", "a", "b"] and kept.taken == 80
    assert get("large", 101) == get("large", 101) == "large" and made.count("large") == 2
    assert list(kept.results) == ["a", "b"]
    assert get("a", 40) == "a" and get("d", 40) == "d" and list(kept.results) == ["a", "d"]
    for n in range(1, 30):
        turn_outcomes(dl.pig(150), dl.hold_at(n))
    assert CACHE.taken == sum(taken for _, taken in CACHE.results.values()) <= 64 * 2**20


def test_a_policy_goes_to_games_of_its_kind_alone():
    """Into arrays for fewer choices than there are, it would write beyond them."""
    solved = dl.solve(
        dl.Game(
            "free",
            6,
            [dl.Mode("free", FORCED.modes[0].outcomes), dl.Mode("must", FORCED.modes[1].outcomes)],
        )
    )
    with pytest.raises(
        ValueError, match="forced to 6 has other scores, holds or choices than free"
    ):
        solved.policy.transfer_to(FORCED)
    names = [mode.name for mode in dl.ten_thousand(6).modes]
    plain = dl.Game(
        "plain",
        6,
        [
            dl.Mode(name, [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, name))])
            for name in names
        ],
    )
    with pytest.raises(ValueError, match="plain to 6 has other"):
        dl.solve(dl.ten_thousand(6)).policy.transfer_to(plain)


def test_a_policy_without_choices_takes_the_first():
    game = dl.ten_thousand(6)
    miser = dl.solve(restrict_discards(game, [])).policy.transfer_to(game)
    assert not miser.choices(game, 0).any() and all(
        o.choices[0].aside == o.scoring for o in branching_outcomes(game)
    )
    with pytest.raises(ValueError, match="has other scores, holds or choices"):
        dl.solve(restrict_discards(game, [(5,)])).policy.transfer_to(game)


# Pickles

PICKLED = {
    "game": lambda: dl.ten_thousand(6),
    "hold at": lambda: dl.hold_at(20),
    "scoring turns": lambda: dl.scoring_turns(4),
    "end race": dl.end_race_or_keep_pace,
    **{
        f"{objective}{' exact' * exact}": lambda objective=objective, exact=exact: dl.solve(
            dl.two_dice_pig(4), objective, exact=exact
        )
        for objective in ("win", "margin", "turns", "score")
        for exact in (False, True)
    },
    "choices": lambda: dl.solve(dl.ten_thousand(6)),
    "large fractions": lambda: dl.solve(dl.pig(20), exact=True),
    "best response": lambda: dl.best_response(
        dl.pig(6), dl.Rule("lambda", lambda o, p, totals, t: totals >= 3)
    ),
    "match": lambda: dl.evaluate(
        dl.pig(6), dl.solve(dl.pig(6)).policy, dl.Rule("x", lambda o, p, k, t: k >= 3)
    ),
    "estimate": lambda: dl.simulate(dl.pig(6), HoldAt(2), dl.scoring_turns(2), games=100),
    "certificate": lambda: dl.certify(dl.solve(dl.pig(6))),
    "solved and asked": lambda: asked(dl.solve(dl.pig(12))),
}
READ = """
import pickle, sys
import numpy as np
import dicelab as dl

def told(thing):
    if isinstance(thing, dl.Solution):
        assert not thing.values.flags.writeable
        policy = [thing.policy.actions_at(thing.game, own) for own in range(thing.game.target)]
        return thing.values.tolist(), [[part.tolist() for part in row] for row in policy]
    if isinstance(thing, dl.Policy):
        return [thing.decisions_at(dl.pig(9), own).tolist() for own in range(9)]
    if hasattr(thing, "turns_distribution"):
        return thing.first_wins, thing.turns_mean, thing.margin, thing.turns_distribution().tolist()
    if hasattr(thing, "proven"):
        return thing.proven, thing.width, thing.lower.tolist(), told(thing.solution)
    if hasattr(thing, "first_wins_se"):
        return thing.first_wins, thing.turns_sd, dl.evaluate(thing.game, thing.first, thing.second).first_wins
    return thing, str(thing), [mode.dice for mode in thing.modes]
"""
NAMES = {}
exec(READ, NAMES)


def asked(solution):
    solution.policy.roll_mask(), dl.evaluate(solution.game, solution.policy, solution.policy)
    return solution


@pytest.mark.slow
def test_all_that_is_public_goes_to_another_process():
    """By plain pickle, in a process that has nothing but the package."""
    things = {name: make() for name, make in PICKLED.items()}
    told = NAMES["told"]
    program = READ + "print(repr({n: told(t) for n, t in pickle.load(sys.stdin.buffer).items()}))"
    result = subprocess.run(
        [sys.executable, "-c", program], input=pickle.dumps(things), capture_output=True
    )
    assert result.returncode == 0, result.stderr.decode()
    assert result.stdout.decode().strip() == repr(
        {name: told(thing) for name, thing in things.items()}
    )
    asked_of = things["solved and asked"].policy
    fresh = dl.solve(dl.pig(12)).policy
    assert len(pickle.dumps(asked_of)) == len(pickle.dumps(fresh)), (
        "what can be computed again is left out"
    )
    rule = pickle.loads(pickle.dumps(dl.Rule("odd", odd)))
    assert rule == dl.Rule("odd", odd) and dl.evaluate(dl.pig(6), rule, rule).first_wins > 0.5


def odd(own, opponent, totals, target):
    return totals % 2 == 1


def test_equal_outcomes_of_two_modes_are_told_apart():
    """The same roll offers the same choices in both modes; what is taken there is another matter."""
    offer = dl.Outcome("1/2", (dl.Choice(1, "a"), dl.Choice(2, "b")))
    modes = [dl.Mode(name, (offer, dl.Outcome("1/2", "bust"))) for name in "ab"]
    game = dl.Game("Twice", 8, modes)

    class Mixed(dl.Policy):
        def decisions(self, game, own, opponent, memory=0):
            return np.ones((2, game.target - own), dtype=bool)

        def choices(self, game, own, memory=0):
            return np.tile(np.array([1, 0], dtype=np.uint8)[:, None], (game.target, 1, game.target))

    from_a, from_b = reachable(game, Mixed())[0, 0]
    assert np.flatnonzero(from_a).tolist() == [0, 3, 6]  # two to b, one to a, and so on
    assert np.flatnonzero(from_b).tolist() == [2, 5]
    found = dl.evaluate(game, Mixed(), Mixed())
    assert (found.first_wins, found.turns_mean) == pytest.approx(
        textbook.policy_evaluation(game, Mixed(), Mixed())
    )


# Finishing at once


@pytest.mark.parametrize("finish", ["reach", "exact"])
def test_finishing_at_once(finish):
    """Three fives with 10 chips missing win, whatever the solitaire policy does; nothing else changes."""
    game = dl.ten_thousand(30, finish)
    alone = dl.solve(game, "score").policy
    finishing = FinishesAtOnce(alone)
    outcomes = branching_outcomes(game)
    for own in range(game.target):
        (rolls, choices), (same, before) = (
            finishing.actions_at(game, own),
            alone.actions_at(game, own),
        )
        assert np.array_equal(rolls, same)
        for branch, outcome in enumerate(outcomes):
            after = (
                np.arange(game.target)[:, None]
                + [choice.points for choice in outcome.choices]
                + own
            )
            wins = after == game.target if finish == "exact" else after >= game.target
            taken = np.take_along_axis(wins, choices[0, branch][:, None].astype(int), axis=1)[:, 0]
            assert (taken == wins.any(axis=1)).all()
            assert np.array_equal(choices[:, branch][:, ~taken], before[:, branch][:, ~taken])
    best = dl.solve(game).policy
    assert dl.evaluate(game, finishing, best).first_wins > dl.evaluate(game, alone, best).first_wins
    with pytest.raises(ValueError, match="policy: "):
        FinishesAtOnce(dl.hold_at(20))


def test_a_hit_with_too_few_points_to_hold_is_no_win():
    """An exact target that is hit with less than the least hold is a bust."""
    game = dl.ten_thousand(12, "exact", opening=500)
    alone = dl.solve(game, "score").policy
    for points in range(game.target):
        own = dl.Score(points, "not opened")
        choices, before = (each.choices(game, own) for each in (FinishesAtOnce(alone), alone))
        assert np.array_equal(choices, before) == (points > 2), points


def test_who_takes_every_win_rolls_on_above_the_target():
    best = dl.solve(dl.pig(20, "last licks")).policy
    above = [best.rolls(15, 18, total) for total in range(6, 30)]
    assert any(above) and not all(above)
    assert [FinishesAtOnce(best).rolls(15, 18, total) for total in range(6, 30)] == above


def test_a_policy_must_hold_where_there_is_no_roll():
    results = dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "stop"))
    game = dl.Game("One", 3, (dl.Mode("roll", results), dl.Mode("stop", ())))
    assert dl.hold_at(3).decisions(game, 0, 0).tolist() == [
        [True, True, True],
        [True, False, False],
    ]
    assert not dl.hold_at(3).rolls(0, 0, 1, "stop", game=game)
    assert (
        dl.evaluate(game, dl.hold_at(3), dl.solve(game).policy).first_wins == dl.solve(game).value
    )

    class Rolls(dl.Policy):
        def decisions(self, game, own, opponent, memory=0):
            return np.ones((len(game.modes), game.target - own), dtype=bool)

    with pytest.raises(
        ValueError, match=r"first: .* rolls in mode 'stop' at own score 0, .* one must hold there"
    ):
        dl.evaluate(game, Rolls(), dl.hold_at(1))


def test_taking_every_win_knows_roles_and_last_turns():
    """A target that the other player answers does not win yet: with it added, the optimum is as it was."""
    game = dl.ten_thousand(8, finish="equal turns")
    best = dl.solve(game).policy
    match = dl.evaluate(game, FinishesAtOnce(best), FinishesAtOnce(best))
    assert match.first_wins == pytest.approx(dl.solve(game).value, abs=1e-13)
    alone = FinishesAtOnce(dl.solve(dl.pig(20), "deadline", turns=3).policy)
    with pytest.raises(ValueError, match="first: this policy asks how many of 3 turns are left"):
        dl.evaluate(dl.pig(20), alone, 5)
    assert alone.when(turns_left=1).turns_left == 1
