"""The public names: complete and picklable; and what is said when one of them is given something else."""

import copy
import pickle

import numpy as np
import pytest

import dicelab as dl
from dicelab_extras import grading, proofs

GAME = dl.pig(12)
SOLUTION = dl.solve(GAME)
RULE = dl.hold_at(3)


def test_dir_has_the_public_names_and_nothing_else():
    assert dir(dl) == sorted([*dl.__all__, *dl.MODULES, "__version__"])
    assert len(dl.__all__) <= 40
    assert all(getattr(dl, name) is not None for name in dir(dl))


@pytest.mark.parametrize(
    ("owner", "name", "meant"),
    [
        (dl, "evalute", "evaluate"),
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


@pytest.mark.parametrize(
    ("place", "name"), [(place, name) for place, names in dl.MOVED.items() for name in names]
)
def test_a_name_that_has_moved_is_where_the_error_says(place, name):
    with pytest.raises(AttributeError, match=f"from {place} import {name}$"):
        getattr(dl, name)
    found = {}
    exec(f"from {place} import {name}", found)
    assert name in found


def test_other_names_are_not_guessed():
    for owner in (dl, dl.games, SOLUTION):
        with pytest.raises(AttributeError, match=r"no attribute 'xyzzy'$"):
            owner.xyzzy  # noqa: B018
    assert not hasattr(SOLUTION, "_rolls") and getattr(GAME, "policy", None) is None


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
    things += [dl.solve(dl.pig(12, "last licks")), grading.grade(GAME, RULE)]
    things += [proofs.certify(SOLUTION), dl.best_response(GAME, RULE), dl.solve(GAME, exact=True)]
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
        (lambda: dl.solve(dl.pig), r"give a Game, for example dicelab\.pig\(\)"),
        (lambda: dl.solve(SOLUTION), r"give a Game, .* or solution\.game"),
        (lambda: dl.evaluate(GAME, SOLUTION, RULE), r"did you mean its \.policy\?"),
        (lambda: dl.simulate(GAME, RULE, RULE, games=1e6), "did you mean 1_000_000?"),
        (lambda: proofs.certify(GAME), "did you mean dicelab.solve of this game?"),
    ],
)
def test_a_wrong_type_is_a_type_error_and_a_value_error(question, said):
    for kind in (TypeError, ValueError):
        with pytest.raises(kind, match=said.replace("_000?", "_000\\?")):
            question()


@pytest.mark.parametrize("game", [GAME, dl.double_trouble(10)])
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
