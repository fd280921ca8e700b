"""Games in which dice are set aside: the paper's two algorithms, and races by all solvers and evaluations."""

import pytest

import dicelab as dl
from collection.course.textbook import ten_thousand as paper
from collection.papers.recipes import COLUMNS, turn_state

GAME = dl.ten_thousand(14)
TURN, RACE = dl.solve(GAME, "score", exact=True), dl.solve(GAME).policy


def test_the_papers_two_algorithms_and_solve_agree_in_every_state():
    values, actions = paper.algorithm_4_2()
    short, short_actions = paper.appendix_algorithm()
    assert TURN.value == values[0, (0, 0, 0), 5] == short["0", 0, 5]
    assert round(float(TURN.value), 6) == 5.872019, "Theorem 4.1"
    assert len(TURN.values) - 1 == 56
    names = {(0, 1, 0): "m5", (1, 0, 0): "m5"}
    for column, (hand, scoring, fewest) in COLUMNS.items():
        config = (
            (scoring.count(5), scoring.count(1), 0)
            if scoring
            else (0, 0, 6)
            if hand < 3
            else (1, 0, 0)
        )
        for tau in range(max(1, fewest), 56):
            state = tau, config, hand
            if state not in values or (not scoring and hand == 2):
                continue
            value, action = turn_state(TURN, column, tau)
            assert value == values[state], (column, tau)
            assert (action in "sr") == (actions[state] in ("s", "r")), (column, tau)
            label = {(5, 5): "5", (1, 1): "1", (1, 5, 5): "55", (1, 1, 5): "51"}.get(scoring, "0")
            assert short[label if hand < 5 else "0", tau, hand] == value
            if hand == 2 and scoring == (5, 5) and action not in "sr":
                assert action == names[actions[state]] == short_actions["5", tau, 2] == "m5", (
                    "the paper prints r"
                )


def test_two_dice_and_three_chips_are_rolled():
    """The paper does not print this state: it says that the player always stops ("always s")."""
    two = GAME.mode("2 dice")
    roll_value = sum(
        o.probability * max(TURN.values[3 + c.points, GAME.mode(c.mode)] for c in o.choices)
        for o in GAME.modes[two].outcomes
        if o.choices
    )
    assert roll_value == TURN.values[3, two] > 3
    assert TURN.policy.rolls(0, 0, 3, "2 dice")
    values, actions = paper.algorithm_4_2()
    assert values[3, (1, 0, 0), 2] == roll_value and actions[3, (1, 0, 0), 2] == "r"


@pytest.mark.parametrize(
    ("policy", "total", "roll", "kept"),
    [
        (RACE, 0, [2, 3, 4, 6, 2], ((), False)),  # nothing scores
        (RACE, 0, [5, 2, 5, 3, 6], ((5,), True)),  # a five is given up for a fourth die
        (RACE, 0, [1, 1, 1, 5, 5], ((1, 1, 1, 5, 5), False)),  # all score, and win
        (TURN.policy, 2, [1, 1, 3, 4], ((1, 1), False)),
    ],
)
def test_keep(policy, total, roll, kept):
    assert policy.keep(0, 0, total, roll) == kept


@pytest.mark.parametrize(
    ("total", "roll", "said"),
    [
        (0, [1] * 6, "numbers of dice that are rolled in Ten Thousand: 5, 4, 3, 2, 1"),
        (14, [1], "turn_total: 14 reaches the target"),
    ],
)
def test_rolls_that_there_are_not(total, roll, said):
    with pytest.raises(ValueError, match=said):
        RACE.keep(0, 0, total, roll)
