"""The objective "deadline": against the textbook's recursion, its own policy followed and simulated, and by hand."""

import pickle
import random
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import mode_games
from hypothesis import given, settings

import dicelab as dl
from collection import textbook
from dicelab.cli import main
from dicelab.evaluation.studies import reachable, turn_points, turns_needed
from dicelab.evaluation.turn_outcomes import turn_outcomes
from dicelab.games.model import Choice, Mode, Outcome
from dicelab.policies import FinishesAtOnce, branch_index
from dicelab_extras import learning
from dicelab_extras.learning.decisions import RaceModel
from dicelab_extras.play.session import GameSession

GAMES = [dl.pig(14), dl.piglet(6), dl.two_dice_pig(24), dl.double_trouble(20), dl.ten_thousand(7)]
GAMES += [
    dl.pig(14, "exact"),
    dl.two_dice_pig(24, "exact"),
    dl.double_trouble(20, "exact"),
    dl.ten_thousand(7, "exact"),
]
TURNS = 4


def named(game):
    return f"{game.name} {game.finish}"


def test_two_turns_of_piglet_to_2_by_hand():
    """At 0 points with two turns left, after heads: a hold is worth 1/2, a roll 1/2 + 1/2 · 1/4."""
    solution = dl.solve(dl.piglet(2), "deadline", turns=2, exact=True)
    chances = [[0, 0], [Fraction(1, 4), Fraction(1, 2)], [Fraction(7, 16), Fraction(3, 4)]]
    assert solution.values.tolist() == chances and solution.value == Fraction(7, 16)
    assert [solution.policy.rolls(0, 0, 1, turns_left=left) for left in (1, 2)] == [True, True]


def check_against_the_textbook(game):
    expected = textbook.deadline_chances(game, TURNS)
    exact, fast = (dl.solve(game, "deadline", turns=TURNS, exact=exact) for exact in (True, False))
    assert {state: exact.values[state] for state in expected} == expected
    assert abs(exact.values.astype(float) - fast.values).max() < 1e-13
    return exact, fast


@pytest.mark.parametrize("game", GAMES, ids=named)
def test_values_are_the_textbooks(game):
    exact, fast = check_against_the_textbook(game)
    assert (exact.error, exact.exact, fast.exact) == (0, True, False) and 0 < fast.error < 1e-13
    assert exact.values.shape == (TURNS + 1, game.target) and not exact.values[0].any()
    for left in range(1, TURNS + 1):
        rolls, choices = exact.policy.when(turns_left=left).actions_at(game, 0)
        others, taken = fast.policy.when(turns_left=left).actions_at(game, 0)
        assert np.array_equal(rolls, others) and np.array_equal(choices, taken)


@settings(deadline=None, max_examples=30)
@given(mode_games(most_target=8))
def test_values_of_random_games_are_the_textbooks(game):
    check_against_the_textbook(game)


def one_more_turn(game, policy, before):
    """The chances to reach the target by own score, if a turn is played by a policy and `before` are those after it."""
    ends, after = turn_outcomes(game, policy), []
    for own in range(game.target):
        first, last = ends.window[own, 0]
        held = ends.hold[ends.start[own, 0] :][: last - first] @ before[first:last]
        after.append(
            ends.finish[own, 0]
            + held
            + ends.bust[own, 0] * before[own]
            + ends.reset[own, 0] * before[0]
        )
    return np.array(after)


@pytest.mark.parametrize("game", [*GAMES, dl.pig(), dl.two_dice_pig(), dl.farkle(30)], ids=named)
def test_the_policy_attains_the_values(game):
    """Its turns, followed by another solver, end as often as the values say."""
    solution = dl.solve(game, "deadline", turns=TURNS)
    for left in range(1, TURNS + 1):
        reached = one_more_turn(
            game, solution.policy.when(turns_left=left), solution.values[left - 1]
        )
        assert abs(reached - solution.values[left]).max() < 1e-13


def reaches_target(game, solution, dice):
    """Play one race against the deadline with the solution's policies; whether the target is reached."""
    own, branches = 0, branch_index(game)
    for left in range(solution.turns, 0, -1):
        policy = solution.policy.when(turns_left=left)
        total = 0
        mode = game.modes[0]
        while total == 0 or policy.rolls(own, 0, total, mode.name):
            outcome = dice.choices(
                mode.outcomes, [float(outcome.probability) for outcome in mode.outcomes]
            )[0]
            if not outcome.choices:
                total, own = 0, own if outcome.result == "bust" else 0
                break
            branch = branches.get((game.mode(mode.name), mode.outcomes.index(outcome)))
            number = 0
            if branch is not None and own + total < game.target:
                number = policy.choices_against(game, own, 0)[branch, total]
            choice = outcome.choices[number]
            total, mode = total + choice.points, game.modes[game.mode(choice.mode)]
            if game.finish == "exact" and own + total > game.target:
                total = 0
                break
        own += total
        if own >= game.target:
            return True
    return False


@pytest.mark.parametrize(
    "game", [dl.pig(30), dl.two_dice_pig(30), dl.double_trouble(30), dl.pig(20, "exact")], ids=named
)
def test_the_policy_simulated(game):
    solution = dl.solve(game, "deadline", turns=3)
    dice = random.Random(28)
    races = 3000
    reached = sum(reaches_target(game, solution, dice) for _ in range(races)) / races
    chance = solution.value
    assert abs(reached - chance) < 4 * (chance * (1 - chance) / races) ** 0.5


def test_the_player_of_the_fewest_turns_is_no_faster():
    """At every deadline; the mean of that player's turns is the sum of the chances to need more than t turns."""
    game, turns = dl.pig(40), 100
    best = dl.solve(game, "deadline", turns=turns).values
    fewest = dl.solve(game, "turns")
    chances = [np.zeros(game.target)]
    for _ in range(turns):
        chances.append(one_more_turn(game, fewest.policy, chances[-1]))
    assert (1 - np.array(chances)).sum(axis=0) == pytest.approx(fewest.values, abs=1e-12)
    assert (best - chances > -1e-14).all() and (best - chances).max() > 0.04


def test_the_rules_of_two_dice_matter():
    """Double ones that lose the turn alone leave more than the printed 75.9 % at 90 points, two turns left."""
    milder = dl.Mode(
        "roll",
        [
            o if o.choices else dl.Outcome(o.probability, "bust")
            for o in dl.two_dice_pig().modes[0].outcomes
        ],
    )
    printed = dl.solve(dl.two_dice_pig(), "deadline", turns=2).values[2, 90]
    other = dl.solve(dl.Game("milder", 100, milder), "deadline", turns=2).values[2, 90]
    assert round(100 * printed, 1) == 75.9 and round(100 * other, 1) == 78.1


def test_tiny_chances_are_not_ties():
    """One turn to 800 points: far below what counts as a tie elsewhere; the player never holds."""
    solution = dl.solve(dl.pig(800), "deadline", turns=1)
    assert 0 < solution.value < 1e-12
    assert (solution.policy.hold_thresholds(turns_left=1)[:, 0] == 800 - np.arange(800)).all()
    exact = dl.solve(dl.pig(800), "deadline", turns=1, exact=True)
    assert solution.value == pytest.approx(float(exact.value), rel=1e-12)


def test_ties_hold():
    """In the last turn, one point short of an exact finish, rolling and holding are both worth 0."""
    solution = dl.solve(dl.pig(9, "exact"), "deadline", turns=1)
    exact = dl.solve(dl.pig(9, "exact"), "deadline", turns=1, exact=True)
    assert solution.values[1, 8] == exact.values[1, 8] == 0
    for each in (solution, exact):
        assert [each.policy.rolls(0, 0, total, turns_left=1) for total in (0, 7, 8)] == [
            True,
            True,
            False,
        ]


@pytest.mark.parametrize("order", [("once", "twice"), ("twice", "once")])
def test_of_equal_choices_with_tiny_chances_the_first_is_taken(order):
    """0.3·x and 0.1·x + 0.2·x are one number, but not in float64."""
    bust, ask = Outcome("7/10", "bust"), [Choice(1, to) for to in order]
    lone, first, second = (
        Outcome(chance, Choice(1, to))
        for chance, to in (("3/10", "ask"), ("1/10", "ask"), ("1/5", "also"))
    )
    modes = [
        *(Mode(name, [Outcome("1/2", "bust"), Outcome("1/2", ask)]) for name in ("ask", "also")),
        Mode("once", [bust, lone], may_hold=False),
        Mode("twice", [bust, first, second], may_hold=False),
    ]
    solution = dl.solve(dl.Game("equal", 60, modes), "deadline", turns=1)
    assert 0 < solution.value < 1e-20
    _, takes = solution.policy.when(turns_left=1).actions_at(solution.game, 0)
    assert not takes.any()


def test_what_the_solution_offers():
    solution = dl.solve(dl.two_dice_pig(40), "deadline", turns=3)
    assert repr(solution).startswith(
        '<Solution of Two-dice Pig to 40, "deadline" within 3 turns: 0.'
    )
    assert repr(dl.solve(dl.piglet(1), "deadline", turns=1, exact=True)).endswith(
        "within 1 turn: 0.5 to reach the target, exact>"
    )
    assert not solution.values.flags.writeable and solution.objective == "deadline"
    assert isinstance(solution.value, float) and solution.value == solution.values[3, 0]
    chances = solution.by_turns()
    assert chances.shape == (4, 40) and chances.loc[2, 30] == solution.values[2, 30]
    assert (chances.index.name, chances.columns.name) == ("turns left", "own")
    assert solution.at() == solution.value and solution.at(30, turns_left=0) == 0
    assert solution.at(30, turns_left=2) == solution.values[2, 30]
    with pytest.raises(ValueError, match="objective: 'win' has no turns left to look at"):
        dl.solve(dl.piglet(2)).by_turns()
    with pytest.raises(ValueError, match="by_target: ask for 'deadline' at each target"):
        dl.solve(dl.piglet(2), "deadline", turns=2).by_target()


def test_the_policy_is_asked_how_many_turns_are_left():
    """The questions with turns_left= are those of the policy of one turn; without it, nothing is answered."""
    game = dl.ten_thousand(7)
    solution = dl.solve(game, "deadline", turns=3)
    policy = solution.policy
    assert (policy.clock, policy.turns_left) == (3, None)
    assert policy.name == "policy against the deadline"
    assert repr(policy).endswith(
        "of Ten Thousand to 7 chips (350 points): asks how many of 3 turns are left>"
    )
    for left in (1, 2, 3):
        one = policy.when(turns_left=left)
        assert one is policy.when(turns_left=left) and one.turns_left == left and one.when() is one
        asked = {"turns_left": left}
        for mode in game.modes:
            mask = policy.roll_mask(mode.name, **asked)
            assert np.array_equal(mask, one.roll_mask(mode.name))
            lowest = policy.hold_thresholds(mode.name, **asked)
            assert np.array_equal(lowest, one.hold_thresholds(mode.name))
            for own, opponent in product(range(7), (0, 6)):
                assert policy.hold_threshold(own, opponent, mode.name, **asked) == lowest[own, 0]
                for total in range(7 - own):
                    found = policy.rolls(own, opponent, total, mode.name, **asked)
                    assert found == mask[own, 0, total]
        for own, total in ((0, 0), (2, 3)):
            roll = [1, 5, 5, 2, 3]
            assert policy.keep(own, 0, total, roll, **asked) == one.keep(own, 0, total, roll)
    questions = [
        policy.roll_mask,
        policy.hold_thresholds,
        lambda **asked: policy.rolls(0, 0, 3, **asked),
        lambda **asked: policy.keep(0, 0, 0, [1, 5, 5, 2, 3], **asked),
        lambda **asked: policy.hold_threshold(0, 0, **asked),
    ]
    for question in questions:
        with pytest.raises(
            ValueError, match="turns_left: None is not allowed; give the turns left"
        ):
            question()
        with pytest.raises(ValueError, match="role: 0 is not allowed; give None"):
            question(turns_left=1, role=0)
    for left in (0, 4, True, 1.0):
        for question in (*questions, policy.when, policy.when(turns_left=1).when):
            with pytest.raises(
                ValueError, match=r"turns_left: .* whole number of at least 1 and at most 3"
            ):
                question(turns_left=left)
    with pytest.raises(ValueError, match="turns_left: 1 is not allowed; give None; optimal policy"):
        dl.solve(game).policy.rolls(0, 0, 3, turns_left=1)
    last = dl.solve(dl.two_dice_pig(40), "deadline", turns=3).policy.when(turns_left=1)
    assert last.rolls(20, 39, 8) and not last.rolls(20, 39, 20)


PLAYED = {  # whatever plays games, with the name of the argument
    "evaluate": (lambda game, policy: dl.evaluate(game, policy, dl.hold_at(3)), "first"),
    "simulate": (lambda game, policy: dl.simulate(game, dl.hold_at(3), policy, games=10), "second"),
    "of three": (
        lambda game, policy: dl.evaluate(game, dl.hold_at(3), dl.hold_at(3), policy),
        r"more\[0\]",
    ),
    "best_response": (dl.best_response, "opponent"),
    "loss": (lambda game, policy: dl.loss(dl.solve(game), policy), "policy"),
    "grade": (dl.grade, "strategy"),
    "grade against": (lambda game, policy: dl.grade(game, dl.hold_at(3), policy), "opponent"),
    "model": (lambda game, policy: RaceModel(game, policy), "opponent"),
    "turns_needed": (turns_needed, "policy"),
    "session": (
        lambda game, policy: GameSession(dl.solve(game), policies={1: policy}),
        r"policies\[1\]",
    ),
    "learn": (lambda game, policy: learning.learn(game, "q", 10, behaviour=policy), "behaviour"),
}


@pytest.mark.parametrize("name", PLAYED)
def test_a_policy_for_one_turn_plays_no_game(name):
    play, argument = PLAYED[name]
    game = dl.piglet(4)
    solution = dl.solve(game, "deadline", turns=3)
    play(game, dl.hold_at(2))
    policies = {left: solution.policy.when(turns_left=left) for left in (1, 3)}
    for policy in (
        policies[3],
        FinishesAtOnce(policies[3]),
        policies[3].transfer_to(game),
        pickled(policies[3]),
    ):
        with pytest.raises(
            ValueError, match=f"^{argument}: this policy is for one turn, with 3 turns left; a game"
        ):
            play(game, policy)
    with pytest.raises(ValueError, match="with 1 turn left; a game has many turns"):
        play(game, policies[1])
    with pytest.raises(
        ValueError, match=f"^{argument}: this policy asks how many of 3 turns are left; give .when"
    ):
        play(game, solution.policy)


def test_one_turn_of_it_is_followed():
    game = dl.piglet(4)
    policy = dl.solve(game, "deadline", turns=3).policy.when(turns_left=1)
    assert turn_points(game, policy)[game.target] == pytest.approx(1 / 16)
    assert reachable(game, policy)[0, 0, 0, 3]


def pickled(value):
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("exact", [False, True])
def test_pickled(exact):
    solution = dl.solve(dl.double_trouble(12), "deadline", turns=2, exact=exact)
    again = pickled(solution)
    assert np.array_equal(again.values, solution.values) and not again.values.flags.writeable
    assert np.array_equal(
        again.policy.when(turns_left=2).roll_mask(), solution.policy.when(turns_left=2).roll_mask()
    )


def test_as_a_table():
    solution = dl.solve(dl.two_dice_pig(20), "deadline", turns=3)
    table = dl.to_frame(solution)
    assert set(table["turns_left"]) == {1, 2, 3} and set(table["own"]) == set(range(20))
    assert (table["value"] == solution.values[table["turns_left"], table["own"]]).all()
    for row in table.itertuples():
        asked = {"turns_left": row.turns_left}
        answers = {solution.policy.rolls(row.own, 0, k, **asked) for k in (row.first, row.last)}
        assert answers == {row.action == "roll"}
    assert table.attrs["turns_left"] and table.attrs["objective"] == "deadline"
    assert table.attrs["value"].startswith("the probability to reach the target")


def test_its_card():
    html = dl.solve(dl.pig(20), "deadline", turns=12)._repr_html_()
    assert "Pig to 20, &quot;deadline&quot;" in html and "<th>within</th><td>12 turns</td>" in html
    assert "within 1, 2, 3, 6 and 12 turns, by own score" in html
    assert (
        "<th>within</th><td>1 turn</td>"
        in dl.solve(dl.pig(20), "deadline", turns=1, exact=True)._repr_html_()
    )


def test_on_the_command_line(tmp_path):
    file = tmp_path / "chances.csv"
    asked = ["solve", "pig", "--objective", "deadline"]
    result = CliRunner().invoke(main, [*asked, "--target", "9", "--turns", "2", "-o", str(file)])
    chance = dl.solve(dl.pig(9), "deadline", turns=2).value
    assert (
        f"Pig to 9: the target is reached within 2 turns with probability {chance:.12f}"
        in result.output
    )
    assert file.read_text().count("\n") > 20
    result = CliRunner().invoke(main, asked)
    assert (
        result.exit_code == 1
        and "turns: None is not allowed; give the number of turns" in result.output
    )


@pytest.mark.parametrize("turns", [0, -1, True, 2.0, "3", Fraction(4)])
def test_turns_must_be_a_positive_integer(turns):
    with pytest.raises(
        ValueError, match=r"turns: .* is not allowed; give a whole number of at least 1"
    ):
        dl.solve(dl.pig(9), "deadline", turns=turns)


REFUSED = [
    (ValueError, r"turns: None is not allowed; give the number of turns before the deadline", {}),
    (ValueError, r"turns: 3 is not allowed; give None with objective 'win'", {"objective": "win"}),
    (
        ValueError,
        r"turns: 3 is not allowed; give None with objective 'turns'",
        {"objective": "turns"},
    ),
    (ValueError, r"overshoot: True is not allowed with objective 'deadline'", {"overshoot": True}),
    (ValueError, r"objective: 'deadline' is for fewer players", {"players": 3}),
    (ValueError, r"prefer: 'bold' is not allowed", {"prefer": "bold"}),
    (MemoryError, r"Pig to 9 within .* turns needs about .*; take fewer turns", {"turns": 10**12}),
    (
        MemoryError,
        r"solving Pig to 9 in fractions needs about .*; take a smaller target, or exact=False",
        {"turns": 10**6, "exact": True},
    ),
]


@pytest.mark.parametrize(("error", "said", "options"), REFUSED)
def test_refusals(error, said, options):
    with pytest.raises(error, match=said):
        dl.solve(
            dl.pig(9), **({"objective": "deadline"} | ({"turns": 3} | options if options else {}))
        )


@pytest.mark.parametrize("finish", ["last licks", "equal turns"])
def test_alone_nobody_is_answered_by_a_last_turn(finish):
    """The game is as to be reached, and the solution says so."""
    for objective, more in (("deadline", {"turns": 3}), ("turns", {}), ("score", {})):
        alone = dl.solve(dl.pig(9, finish), objective, **more)
        assert alone.game == dl.pig(9)
        assert alone.value == dl.solve(dl.pig(9), objective, **more).value


def test_other_functions_refuse_it_by_name():
    solution = dl.solve(dl.pig(9), "deadline", turns=2)
    with pytest.raises(ValueError, match='first: <Solution of Pig to 9, "deadline" with'):
        dl.evaluate(dl.pig(9), solution, dl.hold_at(3))
