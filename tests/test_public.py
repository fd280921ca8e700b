"""The public names: complete; and what is said when one of them is given something else."""

from itertools import product

import numpy as np
import pytest

import dicelab as dl
from dicelab_extras import proofs

GAME = dl.pig(12)
SOLUTION = dl.solve(GAME)
RULE = dl.hold_at(3)


def test_dir_has_the_public_names_and_nothing_else():
    assert dir(dl) == sorted([*dl.__all__, *dl.MODULES, "__version__"])
    assert len(dl.__all__) <= 40
    assert all(getattr(dl, name) is not None for name in dir(dl))


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
    best = dl.solve(game).policy
    recorded = dl.evaluate(game, best, best).first
    for policy, mode in product((RULE, dl.scoring_turns(2), best, recorded), game.modes):
        mask = policy.roll_mask(mode.name, game=game)
        lowest = policy.hold_thresholds(mode.name, game=game)
        assert mask.shape == (game.target,) * 3 and lowest.shape == mask.shape[:2]
        for at in [(0, 0, 0), (1, 4, 3), (game.target - 2, 3, 1)]:
            assert policy.rolls(*at, mode.name, game=game) == mask[at]


def test_the_thresholds_of_a_rule_end_at_the_target():
    lowest = RULE.hold_thresholds(game=GAME)
    assert np.array_equal(lowest[:, 0], np.minimum(3, 12 - np.arange(12)))


@pytest.mark.parametrize(
    ("hold", "roll", "kept", "rolls"),
    [
        (7, [5, 5, 2, 3, 6], (5, 5), True),
        (2, [5, 5, 2, 3, 6], (5, 5), False),
        (7, [2, 3, 4, 6, 2], (), False),
    ],
)
def test_a_rule_keeps_the_dice_with_the_most_points(hold, roll, kept, rolls):
    assert dl.hold_at(hold).keep(0, 0, 0, roll, game=dl.ten_thousand(40)) == (kept, rolls)
