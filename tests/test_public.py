"""The public names: complete, annotated, picklable; and what is said when one of them is given something else."""

import copy
import inspect
import pickle
import subprocess
import sys
from functools import cached_property
from pathlib import Path

import numpy as np
import pytest

import dicelab as dl
from dicelab import _validation

HERE = Path(__file__).resolve().parent
GAME = dl.pig(12)
SOLUTION = dl.solve(GAME)
RULE = dl.hold_at(3)


def test_dir_has_the_public_names_and_nothing_else():
    assert dir(dl) == sorted([*dl.__all__, *dl.MODULES, "__version__"])
    assert len(dl.__all__) <= 40
    assert all(getattr(dl, name) is not None for name in (*dir(dl), *dl.UNLISTED))
    assert dl.odds is dl.action_values


@pytest.mark.parametrize(
    ("owner", "name", "meant"),
    [
        (dl, "evalute", "evaluate"),
        (dl, "pigg", "pig"),
        (dl, "plot", "plots"),
        (dl, "Solutions", "Solution"),
        (dl.games, "pigg", "pig"),
        (dl.plots, "hold_treshold", "hold_thresholds"),
        (SOLUTION, "rolls", "policy.rolls"),
        (SOLUTION, "valeu", "value"),
        (SOLUTION.policy, "hold_thresold", "hold_threshold"),
        (GAME, "targt", "target"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_name_that_is_nearly_right_is_answered_with_the_right_one(owner, name, meant):
    with pytest.raises(AttributeError) as error:
        getattr(owner, name)
    assert str(error.value).endswith(f" has no attribute {name!r}; did you mean {meant!r}?")


def test_other_names_are_not_guessed():
    for owner in (dl, dl.games, SOLUTION):
        with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'$"):
            owner.xyzzy  # noqa: B018
    assert not hasattr(SOLUTION, "_rolls") and getattr(GAME, "policy", None) is None


def test_whether_there_is_an_attribute_is_told_without_a_search(monkeypatch):
    monkeypatch.setattr(_validation, "did_you_mean", None)
    assert not hasattr(SOLUTION, "rolls") and not hasattr(dl.games, "pigg")


def test_a_property_that_fails_says_how():
    class Broken(dl.Policy):
        @property
        def total(self):
            return self.turn_totals

    with pytest.raises(AttributeError, match="'Broken' object has no attribute 'turn_totals'"):
        Broken().total  # noqa: B018


def functions():
    """All public functions, and the public methods and properties of all public classes."""
    for name in dl.__all__:
        value = getattr(dl, name)
        if inspect.isclass(value):
            for part, member in inspect.getmembers(value):
                if isinstance(member, property | cached_property):
                    member = getattr(member, "fget", None) or member.func
                if not part.startswith("_") and inspect.isfunction(member):
                    yield f"{name}.{part}", member
        else:
            yield name, value


@pytest.mark.parametrize(
    ("name", "function"),
    list(functions()),
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_public_signatures_are_annotated(name, function):
    signature = inspect.signature(function)
    bare = [
        p.name
        for p in signature.parameters.values()
        if p.name != "self" and p.annotation is p.empty
    ]
    assert not bare and signature.return_annotation is not signature.empty


@pytest.mark.slow
def test_the_public_surface_is_typed():
    result = subprocess.run(
        [sys.executable, "-m", "mypy"], cwd=HERE.parent, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


def test_everything_public_pickles_and_copies():
    match = dl.evaluate(GAME, SOLUTION.policy, RULE)
    estimate = dl.simulate(GAME, RULE, SOLUTION.policy, games=100)
    things = [
        GAME,
        SOLUTION,
        SOLUTION.policy,
        RULE,
        dl.scoring_turns(4),
        dl.end_race_or_keep_pace(),
        match,
        estimate,
    ]
    things += [dl.solve(dl.pig(12, "last licks")), dl.grade(GAME, RULE)]
    things += [dl.certify(SOLUTION), dl.best_response(GAME, RULE), dl.solve(GAME, exact=True)]
    things += [dl.solve(dl.pig(5), players=3).policy, dl.best_response(GAME, RULE, RULE)]
    things += [dl.evaluate(GAME, RULE, RULE, RULE), dl.simulate(GAME, RULE, RULE, RULE, games=10)]
    for thing in things:
        for again in (pickle.loads(pickle.dumps(thing)), copy.deepcopy(thing)):
            assert type(again) is type(thing)
            assert getattr(again, "value", None) == getattr(thing, "value", None)
            assert getattr(again, "first_wins", None) == getattr(thing, "first_wins", None)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        (lambda: dl.solve(dl.pig), r"did you mean dicelab\.pig\(\)\?"),
        (lambda: dl.solve(SOLUTION), r"did you mean its \.game\?"),
        (lambda: dl.evaluate(GAME, SOLUTION, RULE), r"did you mean its \.policy\?"),
        (lambda: dl.simulate(GAME, RULE, RULE, games=1e6), "did you mean 1_000_000?"),
        (lambda: dl.certify(GAME), "did you mean dicelab.solve of this game?"),
        (lambda: dl.pig("100"), "target: '100'"),
        (lambda: dl.hold_at(2.5), "n: 2.5"),
        (lambda: dl.solve(GAME, exact="yes"), "exact: 'yes'"),
        (lambda: dl.solve(GAME, objective=1), "objective: 1"),
        (lambda: dl.generalized_pig([None], 10), r"probabilities\[0\]: None"),
        (lambda: dl.generalized_pig(3, 10), "probabilities: 3"),
    ],
)
def test_a_wrong_type_is_a_type_error_and_a_value_error(question, said):
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match=said.replace("_000?", "_000\\?")):
            question()


def test_a_wrong_value_is_a_value_error_alone():
    for question in (
        lambda: dl.pig(0),
        lambda: dl.solve(GAME, "points"),
        lambda: SOLUTION.policy.rolls(12, 0, 3),
    ):
        with pytest.raises(ValueError) as caught:
            question()
        assert not isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    "game", [GAME, dl.double_trouble(10), dl.ten_thousand(10), dl.pig(9, "exact")]
)
def test_all_policies_answer_the_same_questions(game):
    solution = dl.solve(game)
    recorded = dl.evaluate(game, solution.policy, solution.policy).first
    for policy in (RULE, dl.scoring_turns(2), solution.policy, recorded):
        for mode in game.modes:
            mask = policy.roll_mask(mode.name, game=game)
            lowest = policy.hold_thresholds(mode.name, game=game)
            assert mask.shape == (game.target,) * 3 and lowest.shape == mask.shape[:2]
            for own, opponent, total in [(0, 0, 0), (1, 4, 3), (game.target - 2, 3, 1)]:
                assert (
                    policy.rolls(own, opponent, total, mode.name, game=game)
                    == mask[own, opponent, total]
                )
    if game == GAME:
        assert np.array_equal(
            RULE.hold_thresholds(game=game)[:, 0], np.minimum(3, 12 - np.arange(12))
        )


def test_a_rule_keeps_the_dice_with_the_most_points():
    game = dl.ten_thousand(40)
    assert dl.hold_at(7).keep(0, 0, 0, [5, 5, 2, 3, 6], game=game) == ((5, 5), True)
    assert dl.hold_at(2).keep(0, 0, 0, [5, 5, 2, 3, 6], game=game) == ((5, 5), False)
    assert dl.hold_at(7).keep(0, 0, 0, [2, 3, 4, 6, 2], game=game) == ((), False)


def test_a_rule_without_a_game_asks_for_one():
    for question in (
        RULE.roll_mask,
        RULE.hold_thresholds,
        lambda: RULE.keep(0, 0, 0, [5, 5, 2, 3, 6]),
    ):
        with pytest.raises(
            ValueError, match=r"game: None is not allowed; give one that .*hold at 3.* is to play"
        ):
            question()
    with pytest.raises(ValueError, match="this policy is for Pig to 12, not Piglet to 10"):
        SOLUTION.policy.roll_mask(game=dl.piglet())


def test_the_loss_of_a_game_is_that_of_its_solution():
    assert dl.loss(GAME, RULE) == dl.loss(SOLUTION, RULE) > 0
    assert dl.loss(GAME, SOLUTION.policy) == pytest.approx(0, abs=1e-14)


def test_action_values_say_what_is_best():
    found = dl.action_values(SOLUTION, 2, 5)
    assert list(found.columns) == ["hold", "roll", "best"]
    assert (found["best"] == found[["hold", "roll"]].max(axis=1)).all()
    two = dl.action_values(dl.solve(dl.double_trouble(10)), 0, 0)
    assert list(two.columns) == ["hold", "free", "forced", "best, free", "best, forced"]
    assert (two["best, forced"] == two["forced"]).all()


def test_no_column_of_action_values_hides_another():
    first, again = (
        dl.Mode(name, [dl.Outcome("1/2", "bust"), dl.Outcome("1/2", [dl.Choice(1, other)])])
        for name, other in (("hold", "again"), ("again", "hold"))
    )
    solution = dl.solve(dl.Game("coins", 3, [first, again]))
    with pytest.raises(
        ValueError, match="coins: two columns would have one name, of hold, hold, again"
    ):
        dl.action_values(solution, 0, 0)


def test_values_by_target_of_every_objective():
    turns = dl.solve(GAME, "turns")
    assert turns.by_target()[5] == pytest.approx(dl.solve(dl.pig(5), "turns").value)
    with pytest.raises(ValueError, match="objective: 'score' is about one turn"):
        dl.solve(GAME, "score").by_target()


def test_policies_say_what_they_are_best_at():
    assert dl.best_response(GAME, RULE).policy.name == "best response to hold at 3"
    assert (
        dl.solve(GAME, "turns").policy.name
        == dl.solve(GAME, "turns", exact=True).policy.name
        != SOLUTION.policy.name
    )


def test_a_game_in_the_place_of_a_mode_is_a_slip():
    for question in (RULE.roll_mask, RULE.hold_thresholds, SOLUTION.policy.roll_mask):
        with pytest.raises(ValueError, match=r"mode: .*; did you mean game=…"):
            question(GAME)
