"""Bad input is refused by a ValueError that names the argument, shows the value and says what is allowed.

First the checks themselves, each with every kind of wrong value; then every argument of every public function, with one
value of each kind; then the command line, files that were edited by hand, and widgets.
"""

import itertools
import json
import random
import shutil
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import collection
import dicelab as dl
from collection import page, textbook
from collection.course.textbook import ten_thousand
from collection.notebooks import UsageError
from collection.papers import published
from collection.papers.first_move import (
    best_turn,
    chance_slopes,
    compare_law,
    enumerate_dice,
    extrapolate,
    first_player_law,
    late_rolls,
    law_constants,
    near_tie_target,
    risk_curve,
    run_rate,
    summarise_die,
)
from collection.runner import parameters_of, reproduce
from dicelab import _validation
from dicelab.cli import main
from dicelab.evaluation.match import pairs_seen
from dicelab.evaluation.studies import (
    first_player,
    hold_at_n,
    reachable,
    turn_points,
    turns_needed,
)
from dicelab.games.catalogue import restrict_discards
from dicelab.games.set_aside import set_aside_game
from dicelab.solvers.one_turn import threshold
from dicelab.views import plots, style, tables
from dicelab_extras import learning
from dicelab_extras.play import session
from dicelab_extras.play.advice import advice


class Odd:
    """An object that is nothing that any function asks for."""

    def __repr__(self):
        return "Odd"


# The checks


REFUSALS = ValueError, _validation.WrongTypeError
INTEGERS = [3, np.int8(3), np.uint64(3), np.intp(3)]
NOT_INTEGERS = [
    True,
    np.True_,
    None,
    "3",
    b"3",
    3.0,
    np.float64(3),
    float("nan"),
    Fraction(3),
    Decimal(3),
    3j,
    [3],
    {3},
]
NOT_INTEGERS += [np.array([1, 2]), Odd(), int]
FRACTIONS = {
    "1/6": Fraction(1, 6), " 1/6\n": Fraction(1, 6), 0.1: Fraction(1, 10), np.float64(0.1): Fraction(1, 10),
    5e-324: Fraction(5, 10**324), Decimal("0.10"): Fraction(1, 10), "1e-3": Fraction(1, 1000),
    "0." + "0" * 990 + "1": Fraction(1, 10**991), Fraction(1, 10**999): Fraction(1, 10**999), np.int64(1): Fraction(1),
}  # fmt: skip
NOT_PROBABILITIES = [
    True, None, "", "x", "1/0", "1/6/2", "0x1", "nan", "-1/6", "7/6", "1e999999999", "1e-1001", "9" * 5000, -1, 1.5,
    float("nan"), float("inf"), 1j, Decimal("sNaN"), Decimal("inf"), Decimal("1e-999999"), Fraction(7, 6),
    np.float32(0.5), np.int64(2), b"1/6", ["1/6"], np.array([0.5, 0.5]), Odd(),
]  # fmt: skip
SEQUENCES = [(1, 2), [1, 2], range(1, 3), np.array([1, 2]), pd.Series([1, 2])]
NOT_SEQUENCES = [
    None,
    3,
    "12",
    b"12",
    {1: 2},
    {1, 2},
    Odd(),
    iter([1]),
    itertools.count(),
    np.array(3),
    list,
]
CHECKS = [  # check, its arguments after the field, good values, bad values
    ("int", (3, 3), INTEGERS, [*NOT_INTEGERS, 2, 4, -(10**50)]),
    ("score", (4,), INTEGERS, [*NOT_INTEGERS, -1, 4]),
    ("jobs", (), [1, 1000, -1], [*NOT_INTEGERS, 0, -2, 1001]),
    ("probability", (), FRACTIONS, NOT_PROBABILITIES),
    ("real", (0, 1), [0, 1, 0.5, Fraction(1, 2), np.float32(0.5)], [True, None, "0.5", 1.5, -0.1, float("nan"), 1j]),
    ("real", (0, 1, True), [1, 5e-324], [0, 0.0, -1]),
    ("bool", (), [True, False], [0, 1, "True", None, np.True_, [], Odd()]),
    ("name", (), ["x"], ["", None, 3, b"x", ["x"], Odd()]),
    ("option", (("a", "b"),), ["a", "b"], ["c", "", "A", " a", None, ["a"], np.array(["a", "b"]), "x" * 5000]),
    ("sequence", ("a list",), SEQUENCES, NOT_SEQUENCES),
    ("path", ((".csv",),), ["x.csv"], [None, "", 3, b"x.csv", ["x.csv"], "x\0.csv", "no/x.csv", "x", "x.csv.gz", "/"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "more", "good", "bad"), CHECKS, ids=[check[0] for check in CHECKS]
)
def test_each_check_reads_what_is_good_and_refuses_all_else(name, more, good, bad):
    check = getattr(_validation, f"check_{name}")
    for value in good:
        check(value, "field", *more)
    for value in bad:
        with pytest.raises(ValueError, match=r"^field: .* is not allowed; give ") as caught:
            check(value, "field", *more)
        assert type(caught.value) in REFUSALS and len(str(caught.value)) < 300
        assert _validation.short_repr(value) in str(caught.value)


def test_integers_become_pythons():
    assert all(type(_validation.check_int(n, "n", 0)) is int for n in INTEGERS)
    n = np.int8(100)
    assert dl.pig(n) == dl.pig(100) and type(dl.pig(n).target) is int
    assert dl.farkle(one=n, triples=[n] * 6) == dl.farkle(triples=[100] * 6), "no overflow"
    assert type(dl.Outcome(np.int8(1), "bust").probability.numerator) is int
    assert dl.solve(dl.pig(n)).policy.rolls(np.uint8(3), np.int64(4), n) is False


@pytest.mark.parametrize("value", FRACTIONS, ids=lambda value: repr(value)[:20])
def test_probabilities_as_they_may_be_written(value):
    assert _validation.check_probability(value) == FRACTIONS[value]


# Every argument of every function


PIG = dl.pig(8)
PIGLET = dl.piglet(3)
GREED = dl.ten_thousand(3)
WIN, TURNS, SCORE = (dl.solve(PIG, objective) for objective in ("win", "turns", "score"))
RESPONSE = dl.best_response(PIG, dl.hold_at(3))
EXACT = dl.solve(PIGLET, exact=True)
HOLD = dl.hold_at(3)
LICKS = dl.solve(dl.pig(8, "last licks"))
EQUAL = dl.solve(dl.pig(8, "equal turns"))
HALF = (dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll")))
F, G = textbook.curves(EXACT, 1, 1)
PROCESS = textbook.turns_process(PIGLET)
STAGES = textbook.as_stochastic_game(dl.piglet(2))
LEARNED = learning.learn(PIGLET, games=100, checkpoints=[10])
BY_FEATURES = learning.reinforce(PIGLET, games=100, checkpoints=[10])
EVEN = ["1/2", "1/2"]

GAME = ["pigs"]
POLICY = ["twenty"]
SOLUTION = [None, TURNS, SCORE]
RULES = {"target": [0], "finish": ["pigs"]}
PLAYERS = {"game": GAME, "first": POLICY, "second": POLICY}
MATCH = {"game": PIG, "first": HOLD, "second": HOLD}
SCORES = {"own": [8], "opponent": [-1]}
ASKED = {"mode": ["pigs"], "game": ["pig", dl.pig(9)], "memory": [-1, 1]}
FARKLE = ("one", "five", "four", "five_of_a_kind", "six", "straight", "three_pairs")
ITERATED = {"tolerance": [-1e-9], "max_sweeps": [0]}


TABLE = pd.DataFrame({"a": [1]})
LABELS = {"xlabel": "x", "ylabel": "y"}


def triples(value):
    return dl.farkle(triples=[value, 200, 300, 400, 500, 600])


def panels(opponents):
    return plots.panels(plots.decisions, WIN.policy.roll_mask(), opponents)


FUNCTIONS = [  # function, good arguments, bad values by argument
    (dl.pig, {}, RULES),
    (dl.piglet, {}, RULES),
    (dl.two_dice_pig, {}, RULES),
    (dl.double_trouble, {}, RULES),
    (advice, {"solution": WIN, "own": 1, "opponent": 2, "turn_total": 3}, SCORES | {"solution": SOLUTION}),
    (dl.ten_thousand, {}, RULES | {"opening": [-50, 510, 10_050]}),
    (dl.big_pig, {}, RULES),
    (dl.hog, {}, RULES | {"most_dice": [0, 21]}),
    (dl.toss_up, {}, RULES | {"dice": [0, 21]}),
    (dl.pass_the_pigs, {}, RULES | {"frequencies": [3, [1] * 5, [1] * 5 + [-1], [0] * 6], "touching": [-1, 1]}),
    (dl.facebook_farkle, {}, {"target": [0], "lowest": [1, 0.5], "minimum": [0, 75], "penalty": [0, 75]}),
    (dl.zilch, {}, {"target": [0], "lowest": [1, 0.5], "minimum": [0, 75], "penalty": [0, 75]}),
    (dl.kingdom_come, {}, RULES | {"dice": [3, [], ["Odd"] * 7, ["odd"], [1]]}),
    (dl.farkle, {}, RULES | {name: [-1] for name in FARKLE} | {"unit": [0], "triples": [3], "opening": [-1, 75]}),
    (triples, {}, {"value": [75, -1]}),
    (
        set_aside_game,
        {"scores": {(1,): 100, (5,): 50}},
        RULES
        | {"dice": [0, 9], "unit": [0], "opening": [-1, 75], "name": [""]}
        | {"scores": [3, {(1,): 75}, {(1,): -50}, {(5, 1): 50}, {(7,): 50}, {1: 50}, {(): 50}]},
    ),
    (
        dl.generalized_pig,
        {"probabilities": EVEN, "target": 10},
        RULES | {"dice": [0, 101], "bust": [0, 2], "reset": [0, 2], "name": [""]}
        | {"probabilities": ["twelve dice", ["x", "1/2"], ["1/2", 1.5], ["1/2", "1/3"], [1, 0]]},
    ),
    (restrict_discards, {"game": GREED, "allowed": [(5,)]}, {"game": GAME, "allowed": [5, [(0,)], [(7,)]]}),
    (dl.Choice, {"points": 1, "mode": "roll"}, {"points": [-1], "mode": [""], "aside": [3, [-1]]}),
    (
        dl.Register,
        {"name": "opened"},
        {
            "name": [""],
            "after_hold": [3, ""],
            "after_bust": [3, ""],
            "penalty": [0.5, True],
            "least_hold": [0],
            "mode": [3, ""],
        },
    ),
    (dl.Score, {"points": 3, "register": "opened"}, {"points": ["three", 2.5], "register": ["", None]}),
    (
        dl.Outcome,
        {"probability": "1", "result": "bust"},
        {"probability": ["x", 0], "result": ["hold", None, [], ["bust"], [dl.Choice, 1]], "rolls": [3, [(-1,)]]},
    ),
    (
        dl.Mode,
        {"name": "roll", "outcomes": HALF},
        {"name": [""], "outcomes": [None, [*HALF, 3], HALF[:1]], "may_hold": [1], "dice": [0]},
    ),
    (
        dl.Game,
        {"name": "game", "target": 3, "modes": dl.Mode("roll", HALF)},
        RULES
        | {"name": [None], "modes": [None, [], [HALF[0]]], "chip": [0]}
        | {"registers": [3, [HALF[0]]], "lowest": [1, -1, 0.5]},
    ),
    (PIG.mode, {}, {"name": ["pigs", 3]}),
    (PIG.reached, {}, {"start": ["pigs"]}),
    (GREED.classify_roll, {}, {"roll": [3, [0] * 5, [7] * 5, [1] * 6, [], [1.0] * 5]}),
    (dl.Rule, {"name": "rule", "holds": max}, {"name": [""], "holds": [3], "memory": [0]}),
    (dl.hold_at, {}, {"n": [0]}),
    (dl.scoring_turns, {}, {"n": [0]}),
    (
        HOLD.rolls,
        {"own": 0, "opponent": 0, "turn_total": 1},
        {"own": [-1], "opponent": [-1], "turn_total": [-1], "scored": [-1], "target": [0]},
    ),
    (WIN.policy.rolls, {"own": 0, "opponent": 0, "turn_total": 1}, SCORES | ASKED | {"turn_total": [-1]}),
    (
        dl.solve(GREED).policy.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1]},
        SCORES | {"turn_total": [-1], "roll": [3, [7], [], [1] * 6]},
    ),
    (WIN.policy.roll_mask, {}, ASKED),
    (WIN.policy.hold_thresholds, {}, ASKED),
    (HOLD.roll_mask, {"game": PIG}, ASKED | {"game": [*GAME, None]}),
    (HOLD.hold_thresholds, {"game": PIG}, ASKED | {"game": [*GAME, None]}),
    (
        HOLD.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1], "game": GREED},
        {"own": [3], "opponent": [-1], "turn_total": [-1], "roll": [[7]], "game": [*GAME, None], "memory": [1]},
    ),
    (WIN.policy.decisions, {"game": PIG, "own": 0, "opponent": 0}, SCORES | {"game": ["pig", dl.pig(9)]}),
    (WIN.policy.decisions_at, {"game": PIG, "own": 0}, {"game": GAME, "own": [8]}),
    (WIN.policy.table, {}, {"game": GAME}),
    (WIN.policy.transfer_to, {}, {"game": GAME}),
    (
        dl.Solution,
        {"game": PIG, "objective": "win", "values": WIN.values, "policy": WIN.policy}
        | {"exact": False, "residual": 0.0, "error": 0.0},
        {"game": GAME, "objective": ["luck"], "policy": POLICY, "exact": [1], "overshoot": [1]}
        | {"values": [None, [[1.0]], np.zeros((7, 8))]},
    ),
    (dl.solve, {"game": PIG}, {"game": [*GAME, WIN], "objective": ["luck"], "overshoot": [1], "exact": [1]}),
    (dl.certify, {"solution": WIN}, {"solution": [None, RESPONSE, EXACT], "settle": [-1]}),
    (dl.bounds, {"solution": WIN}, {"solution": [None, RESPONSE, EXACT]}),
    (
        dl.write_certificate,
        {"certificate": dl.certify(WIN), "path": "/tmp/none.cert"},
        {"certificate": [None, WIN], "path": [None, "", "x.txt", "/no/x.cert"]},
    ),
    (
        dl.export,
        {"game": PIG, "file": "/tmp/none.prism"},
        {"game": GAME, "file": ["", "x.txt", "/no/x.prism", "/tmp/.prism"]},
    ),
    (dl.evaluate, MATCH, PLAYERS),
    (
        dl.grade,
        {"game": PIG, "strategy": HOLD},
        {"game": GAME, "strategy": [None, 0, "roll", [[1]], WIN, np.zeros((2, 2)), divmod], "opponent": [0, WIN]},
    ),
    (
        LICKS.policy.rolls,
        {"own": 0, "opponent": 0, "turn_total": 1},
        SCORES | {"turn_total": [-1], "mode": ["pigs"], "role": [2, -1, True]},
    ),
    (LICKS.policy.decisions, {"game": LICKS.game, "own": 0, "opponent": 0}, SCORES | {"game": ["pig", PIG]}),
    (LICKS.policy.hold_threshold, {"own": 0, "opponent": 0}, SCORES | {"mode": ["pigs"]}),
    (LICKS.policy.hold_above, {"own": 0, "opponent": 0}, SCORES | {"mode": ["pigs"]}),
    (
        dl.solve(dl.ten_thousand(3, "equal turns")).policy.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1]},
        {"own": [3], "opponent": [-1], "turn_total": [-1], "roll": [3, [7], [], [1] * 6]},
    ),
    (dl.best_response, {"game": PIG, "opponent": HOLD}, {"game": GAME, "opponent": POLICY}),
    (dl.loss, {"game": WIN, "policy": HOLD}, {"game": GAME, "policy": POLICY}),
    (dl.simulate, MATCH | {"games": 10}, PLAYERS | {"games": [0], "seed": [-1], "n_jobs": [0]}),
    (
        dl.action_values,
        {"solution": WIN, "own": 0, "opponent": 0},
        SCORES | {"solution": [None], "turns_left": [1]},
    ),
    (
        dl.sweep,
        {"function": abs, "grid": {"n": [1]}},
        {"function": [3], "n_jobs": [0], "file": ["", "/"]}
        | {"grid": [3, {"n": 3}, {"n": "12"}, {3: [1]}, {"": [1]}, [3], [{"n": 1}, {}]]},
    ),
    (
        collection.published,
        {"paper": "generalized-pig", "table": "table-1"},
        {"paper": ["pigs"], "table": ["pigs", None]},
    ),
    (
        collection.compare,
        {"paper": "generalized-pig", "table": "table-1"},
        {"paper": ["pigs"], "computed": [3, [0.5], {10: None}, {10: float("nan")}, {10: True}, {}, {11: 0.5}]},
    ),
    (collection.compare, {"paper": "generalized-pig"}, {"table": ["pigs"], "strict": [None, 1, "no"]}),
    (
        collection.compare,
        {"paper": "two-dice-pig", "table": "table-a2"},
        {"computed": [{(10, "first"): value} for value in (0.5, (0.5,), (0.5, -1), (0.5, "x"))]},
    ),
    (
        collection.check,
        {"exercise": "1.1", "answer": 12},
        {"exercise": ["pigs", "1.99", "", "../errata", 1.1, None, ["1.1"]], "seconds": [0, -1, None, "9", 1e9]},
    ),
    (published.exact_value, {}, {"name": ["pigs", None, "../errata", "/etc/passwd", "pig-100.txt"]}),
    (published.as_number, {}, {"printed": ["", "x", "1/0", "1e999999999", "8%%", "nan", None, 0.5]}),
    (tables.write, {"solution": WIN, "file": "/tmp/none.csv"}, {"solution": [None], "file": ["x.txt", "/no/x.csv"]}),
    (tables.to_frame, {"solution": WIN}, {"solution": [None], "progress": [1]}),
    (page.write_page, {"file": "/tmp/play.html"}, {"file": ["", "/"], "home": [None, 3]}),
    (
        style.save,
        {"folder": "/tmp", "name": "x", "data": pd.Series([1.0])},
        {"folder": [3], "name": ["../x", "/x", "", "figures"], "data": [3], "caption": [3], "alternative": [None]},
    ),
    (
        session.GameSession,
        {"solution": WIN},
        {"solution": SOLUTION, "seed": [-1], "names": [3, [], ["a"], ["a", "b", "c"], ["a", ""]]},
    ),
    (session.GameSession(WIN).take, {}, {"name": ["hold", "", None]}),
    (enumerate_dice, {"points": 2, "faces": 2, "parts": 2}, {"points": [0, 101], "faces": [1], "parts": [1]}),
    (summarise_die, {"die": EVEN, "target": 3}, {"die": ["twelve dice", ["x", "1/2"]], "target": [0]}),
    (best_turn, {}, {"game": GAME}),
    (risk_curve, {"game": PIG, "risks": [0.1]}, {"game": GAME, "risks": [3, "0.1", [11], ["x"]]}),
    (first_player_law, {"game": PIG, "targets": [9]}, {"game": GAME, "targets": [3, [0], ["x"]]}),
    (compare_law, {"die": EVEN, "target": 3}, {"die": ["twelve dice", ["x", "1/2"]], "target": [0]}),
    (extrapolate, {}, {"values": [3, [1.0], pd.Series([1.0])]}),
    (late_rolls, {}, {"solution": SOLUTION}),
    (run_rate, {}, {"game": GAME}),
    (near_tie_target, {}, {"game": GAME}),
    (law_constants, {}, {"dice": [3, ["1/2", "1/2"], {}.keys()]}),
    (chance_slopes, {"solution": WIN, "needs": 1}, {"solution": SOLUTION, "needs": [0, 10**6]}),
    (hold_at_n, {"game": PIG}, {"game": GAME, "n": [0, 1.5, [], [0], [1.5]], "against": ["nobody", [0], 1.5]}),
    (first_player, {"game": PIG}, {"game": [3], "targets": [3, [0]]}),
    (reachable, {"game": PIG, "policy": HOLD}, {"game": GAME, "policy": POLICY}),
    (turn_points, {"game": PIG, "policy": HOLD}, {"game": GAME, "policy": POLICY}),
    (turns_needed, {"game": PIG, "policy": HOLD}, {"game": GAME, "policy": POLICY}),
    (threshold, {}, {"game": GAME}),
    (panels, {}, {"opponents": [3, [], [8], [1.0]]}),
    (plots.hold_thresholds, {"thresholds": WIN}, {"middle": [0, 1.5, True, "20"]}),
    (plots.surface, {"thresholds": WIN.values}, {"label": [None]}),
    (plots.values, {}, {"solution": SOLUTION}),
    (plots.lines, {"table": TABLE} | LABELS, {"marks": [3, TABLE.add_suffix("b"), TABLE.set_axis([9])]}),
    (plots.steps, LABELS, {"table": [TABLE.set_axis([0.5])]}),
    (plots.stems, LABELS, {"table": [TABLE.set_axis(["one"])]}),
    (textbook.value_iteration, {"game": PIGLET}, ITERATED | {"game": GAME, "objective": ["luck"], "overshoot": [1]}),
    (pairs_seen, MATCH, PLAYERS),
    (textbook.policy_evaluation, MATCH, PLAYERS),
    (textbook.backward_induction, {"game": dl.piglet(2)}, {"game": GAME, "pair_solver": [3]}),
    (textbook.curves, {"solution": EXACT, "a": 1, "b": 1}, {"solution": [None], "a": [0, 4], "b": [0, 4]}),
    (textbook.by_intersection, {"f": F, "g": G}, {"f": [3], "g": [3]}),
    (textbook.by_linear_program, {"f": F, "g": G}, {"f": [3], "g": [3]}),
    (textbook.by_fixed_point, {"f": F, "g": G}, {"f": [3], "g": [3], "tolerance": [0, 2], "max_steps": [0]}),
    (textbook.turns_process, {}, {"game": GAME}),
    (textbook.deadline_chances, {"game": PIGLET, "turns": 1}, {"game": GAME, "turns": [0, 1.0, None]}),
    (textbook.score_process, {"game": PIGLET, "most": 3}, {"game": GAME, "most": [0]}),
    (textbook.mdp_value_iteration, {"process": PROCESS}, ITERATED | {"process": [None]}),
    (textbook.policy_iteration, {}, {"process": [None]}),
    (textbook.linear_program, {}, {"process": [None]}),
    (textbook.as_stochastic_game, {}, {"game": GAME}),
    (textbook.shapley, {"game": STAGES, "values": dict.fromkeys(STAGES.stages, 0.0)}, {"game": [None], "values": [3]}),
    (textbook.solve_stochastic, {"game": STAGES}, ITERATED | {"game": [None]}),
    (textbook.matrix_game, {}, {"payments": [None, [], [1, 2], [[1], [2, 3]], [["a"]], [[float("nan")]]]}),
    (textbook.simultaneous_hog, {"target": 3}, {"target": [0], "most_dice": [0, 101], "sides": [0, 1001]}),
    (
        learning.learn,
        {"game": PIGLET, "games": 10},
        {"game": GAME, "method": ["luck"], "games": [0], "seed": [-1], "exploring_starts": [1], "behaviour": [20]}
        | {"epsilon": [1.5], "learning_rate": [0], "decay": [-0.1], "initial": [2]}
        | {"checkpoints": [3, [11], [5, 3], [0]]},
    ),
    (LEARNED.action_values, {}, {"games": [11, "10"]}),
    (BY_FEATURES.action_values, {}, {"games": [11, "10"]}),
    (
        learning.semi_gradient,
        {"game": PIGLET, "games": 10},
        {"game": GAME, "method": ["mc"], "games": [0], "seed": [-1], "epsilon": [1.5], "learning_rate": [0, 101]}
        | {"decay": [-0.1], "initial": [2], "tilings": [0, 257], "tile": [0], "checkpoints": [3, [11], [5, 3], [0]]},
    ),
    (
        learning.reinforce,
        {"game": PIGLET, "games": 10},
        {"game": GAME, "games": [0], "seed": [-1], "learning_rate": [0], "decay": [-0.1], "baseline_rate": [-1]}
        | {"tilings": [0], "tile": [0, 1.0], "checkpoints": [3, [11], [5, 3], [0]]},
    ),
    (learning.action_values, {"game": PIGLET}, {"game": GAME, "epsilon": [1.5], "tolerance": [-1e-9]}),
    (ten_thousand.algorithm_4_2, {}, {"threshold": [0]}),
    (ten_thousand.appendix_algorithm, {}, {"threshold": [0]}),
    (ten_thousand.configurations, {}, {"n": [0, 7]}),
    (
        reproduce,
        {"papers": ["generalized-pig"]},
        {"papers": [3, ["x"], [3]], "n_jobs": [0], "timeout": [0, 10**10], "progress": [1]}
        | {"parameters": ["n=3", [("n", 3)]]},
    ),
]  # fmt: skip
FIELDS = {  # arguments that the message names otherwise
    ("mode", "name"): "mode", ("reached", "start"): "mode", ("take", "name"): "option", ("triples", "value"): "triples",
    ("summarise_die", "die"): "(probabilities|die)", ("reproduce", "papers"): "papers?",
    ("generalized_pig", "probabilities"): "(probabilities|die)", ("compare_law", "die"): "(probabilities|die)",
}  # fmt: skip
CASES = [
    pytest.param(
        function,
        good,
        argument,
        value,
        id=f"{function.__name__}-{argument}-{_validation.short_repr(value)[:30]}",
    )
    for function, good, bad in FUNCTIONS
    for argument, values in bad.items()
    for value in values
]


def test_every_public_function_is_in_the_table():
    without_arguments = {"Policy", "end_race_or_keep_pace", "odds"}  # odds is action_values
    returned = {
        "Certificate",
        "ConvergenceError",
        "Estimate",
        "Grade",
        "Match",
        "WrittenCertificate",
    }
    returned |= {
        "WrittenCertificate",
    }
    assert set(dl.__all__) - without_arguments - returned <= {
        function.__name__ for function, _, _ in FUNCTIONS
    }


KNOW_LAST_TURNS = {"solve", "first_player", "restrict_discards", "GameSession.take"}
KNOW_LAST_TURNS |= {"shapley", "solve_stochastic", "Solution", "Policy", "OptimalPolicy", "Rule"}
KNOW_LAST_TURNS |= {"evaluate", "simulate", "best_response", "loss", "hold_at_n", "turn_points"}
KNOW_LAST_TURNS |= {
    "best_turn",
    "near_tie_target",
    "risk_curve",
    "run_rate",
}  # about one turn, far from the target
KNOW_LAST_TURNS |= {"grade", "advice", "GameSession"}
KNOW_LAST_TURNS |= {"to_frame", "write", "reachable", "turns_needed", "threshold", "pairs_seen"}


def knows_last_turns(function):
    """Whether a function takes finishes with a last turn: one of these, or a method of one of these classes."""
    owner = type(getattr(function, "__self__", None)).__name__
    return bool({function.__name__, owner} & KNOW_LAST_TURNS) or function is dl.action_values


LAST_TURNS = [
    pytest.param(
        function, good, {argument: value}, id=f"{function.__name__}-{argument}-{value.game.finish}"
    )
    for function, good, bad in FUNCTIONS
    if not knows_last_turns(function)
    for argument in ("game", "solution")
    if argument in good or argument in bad
    for value in (LICKS, EQUAL)
]


@pytest.mark.parametrize(("function", "good", "changed"), LAST_TURNS)
def test_a_finish_with_a_last_turn_is_refused(function, good, changed):
    """By every function that takes a game or a solution, but those that know such games."""
    ((argument, value),) = changed.items()
    given = value.game if argument == "game" else value
    with pytest.raises(NotImplementedError, match=f"finish='{value.game.finish}'") as caught:
        function(**good | {argument: given})
    assert "\n" not in str(caught.value) and str(caught.value).count(". ") == 0


def test_who_still_refuses_a_last_turn():
    refuse = {case.values[0].__name__ for case in LAST_TURNS}
    assert {"bounds", "certify", "export"} <= refuse


@pytest.mark.parametrize("solution", [LICKS, EQUAL], ids=lambda solution: solution.game.finish)
def test_a_last_turn_is_played(solution):
    """The optimum against itself and as the best response to itself, and what it says of the start of the game."""
    game, policy = solution.game, solution.policy
    assert dl.evaluate(game, policy, policy).first_wins == pytest.approx(solution.value, abs=1e-14)
    response = dl.best_response(game, policy)
    assert response.values == pytest.approx(solution.values, abs=1e-13)
    for of in (game, solution):
        assert dl.loss(of, policy) == pytest.approx(0, abs=1e-14) and dl.loss(of, HOLD) > 0
    assert dl.evaluate(game, HOLD, policy).first_wins < solution.value
    estimate = dl.simulate(game, HOLD, policy, games=100_000)
    match = dl.evaluate(game, HOLD, policy)
    assert abs(estimate.first_wins - match.first_wins) <= 4 * estimate.first_wins_se
    table = dl.action_values(solution, 0, 0)
    assert table["roll"][0] == pytest.approx(solution.value, abs=1e-14)
    assert set(dl.to_frame(solution)["value"]) == set(solution.values.ravel())
    mean = (
        dl.evaluate(game, HOLD, policy).first_wins + 1 - dl.evaluate(game, policy, HOLD).first_wins
    ) / 2
    assert 1 / 2 - mean == pytest.approx(dl.loss(game, HOLD), abs=1e-13)


@pytest.mark.parametrize("game", [LICKS.game, EQUAL.game], ids=lambda game: game.finish)
def test_a_last_turn_is_for_those_who_play_to_win(game):
    for overshoot in (False, True):
        with pytest.raises(ValueError, match=f"finish='{game.finish}' has no margin"):
            dl.solve(game, "margin", overshoot=overshoot)
    with pytest.raises(ValueError, match="has no margin"):
        assert dl.evaluate(game, HOLD, HOLD).margin
    with pytest.raises(ValueError, match="this policy is for Pig to 8"):
        dl.evaluate(PIG, LICKS.policy, HOLD)


@pytest.mark.parametrize(("function", "good", "argument", "value"), CASES)
def test_bad_arguments_are_refused(function, good, argument, value):
    field = FIELDS.get((function.__name__, argument), argument)
    with pytest.raises(ValueError, match=rf"^{field}(\[.*?\])*: ") as caught:
        function(**good | {argument: value})
    assert type(caught.value) in (*REFUSALS, UsageError) and len(str(caught.value)) < 900
    phrases = (
        "not allowed",
        "not a mode of",
        "no parameter",
        "policy is for",
        "sum to",
        "no way to",
        "is needed",
        "not one of",
    )
    assert any(phrase in str(caught.value) for phrase in phrases), str(caught.value)


def test_games_that_are_too_long_to_write_down():
    with pytest.raises(ValueError, match=r"different rolls; at most 100,000 are allowed"):
        dl.generalized_pig(["1/9"] * 9, 100, dice=100)


@pytest.mark.parametrize("answer", [1, "stop", None, np.array([0]), [True] * 3], ids=repr)
def test_a_rule_that_does_not_answer_with_bools(answer):
    rule = dl.Rule("odd", lambda own, opponent, totals, target: answer)
    with pytest.raises(ValueError, match=r"holds: 'odd' answers with .* it must give bools"):
        dl.evaluate(PIG, rule, HOLD)


@pytest.mark.parametrize(
    "decided", [None, np.zeros((8, 1, 8)), np.zeros((8, 2, 8), bool)], ids=["None", "kind", "shape"]
)
def test_a_policy_that_does_not_answer_with_decisions(decided):
    class Strange(dl.Policy):
        def decisions_at(self, game, own, memory=0):
            return decided

    for ask in (dl.evaluate, dl.simulate):
        with pytest.raises(
            ValueError, match=r"second: what decisions_at of .* returns is no array"
        ):
            ask(PIG, HOLD, Strange())


def test_a_policy_that_takes_a_choice_that_does_not_exist():
    class Strange(dl.Policy):
        def decisions(self, game, own, opponent, memory=0):
            return np.ones((len(game.modes), game.target - own), bool)

        def choices(self, game, own, memory=0):
            return np.full_like(super().choices(game, own), 200)

    with pytest.raises(
        ValueError, match=r"first: what choices of .* returns must be numbers of choices"
    ):
        dl.simulate(GREED, Strange(), HOLD, games=1)


# The command line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("solve", "Missing argument"),
        ("solve hogs", "'kingdom-come'; did you mean 'hog'?"),
        ("solve pig --objective wim", "'deadline'; did you mean 'win'?"),
        ("compare minimax-pigg", "did you mean 'minimax-pig'?"),
        ("play pig --against=hodl-at-20", "a strategy; did you mean 'hold at n'?"),
        ("solve pig more", "unexpected extra argument"),
        ("solve pig --target 0", "--target"),
        ("solve pig --target x", "--target"),
        (f"solve pig --target {10**30}", "of memory, more than half of the"),
        ("solve two-dice-pig --exact --target 1000", "of memory, more than half of the"),
        ("solve pig --objective WON", "--objective"),
        ("solve pig -o x.txt", "file: "),
        ("solve pig -o none/x.csv", "file: "),
        ("play pig --seed -1", "--seed"),
        (f"play pig --target {10**12}", "of memory, more than half of the"),
        ("compare", "Missing argument"),
        ("compare pig", "paper: 'pig' is not allowed; give one of"),
        ("compare generalized-pig ../errata", "table: '../errata' is not allowed; give one of"),
        ("reproduce ../../x", "paper: '../../x' is not allowed"),
        ("reproduce --n-jobs 0", "n_jobs: "),
        ("reproduce --jobs x", "jobs"),
        ("reproduce --timeout 0", "timeout: "),
        ("reproduce -p target 3", "has no parameter 'target'"),
        ("slides x", "lecture: 'x' is not allowed"),
        ("slides --timeout 0", "timeout: "),
        ("site --timeout 0 --into run", "timeout: "),
        ("sing", "No such command"),
    ],
)
def test_the_command_line_refuses_in_a_sentence(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments.split())
    assert result.exit_code in (1, 2) and isinstance(result.exception, SystemExit), result.exception
    assert said in result.output and "Traceback" not in result.output
    assert not list(tmp_path.iterdir()), "nothing is left behind"


# Files that were edited by hand


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A copy of the data, to be damaged."""
    shutil.copytree(published.DATA, tmp_path / "data")
    monkeypatch.setattr(published, "DATA", tmp_path / "data")
    published.resources.cache_clear()
    yield tmp_path / "data"
    published.resources.cache_clear()


TABLE = "published/generalized-pig/table-1.csv"


ROWS = [
    "",
    "10",
    "10,0.5,0.6",
    "x,0.5",
    "1.5,0.5",
    "10,",
    ",0.5",
    "10,x",
    "10,1e99999",
    "10,nan",
    '10,"0.5',
    "10;0.5",
]
ROWS += ["10,0.5\n\n1", "10,\0", "10,__import__('os')", "1" + "0" * 300 + ",0.5"]


def damaged(data, rng):
    """Bytes with a random damage: a bit, a digit, a line, or all from some byte on."""
    place, bit = rng.randrange(len(data)), 1 << rng.randrange(8)
    digits = [k for k, byte in enumerate(data) if byte in b"0123456789"]
    digit = rng.choice(digits or [place])
    other = b"%d" % ((data[digit] + rng.randrange(1, 10)) % 10)
    lines = data.splitlines(keepends=True)
    line = rng.randrange(len(lines))
    return rng.choice(
        [
            data[:place] + bytes([data[place] ^ bit]) + data[place + 1 :],
            data[:digit] + other + data[digit + 1 :],
            b"".join(lines[:line] + lines[line + 1 :]),
            b"".join(lines[:line] + lines[line:][::-1]),
            b"".join([*lines[:line], lines[line], *lines[line:]]),
            data[:place],
            data.replace(b"\n", b"\r\n"),
        ]
    )


def test_a_run_refuses_printed_numbers_that_were_changed(data, tmp_path):
    rng, refused = random.Random(1), 0
    files = sorted(
        [*data.glob("published/*/*.csv"), data / "errata.csv", data / "datapackage.json"]
    )
    for _ in range(300):
        file = rng.choice(files)
        whole = file.read_bytes()
        file.write_bytes(damaged(whole, rng))
        if file.read_bytes() != whole:
            refused += 1
            with pytest.raises(OSError, match=r"git checkout.*make sums"):
                published.check_printed()
        file.write_bytes(whole)
    published.check_printed()
    assert refused > 250
    (data / TABLE).write_text((data / TABLE).read_text().replace("0.70942388", "0.70942389"))
    command = ["reproduce", "generalized-pig", "--into", str(tmp_path / "run")]
    result = CliRunner().invoke(main, command)
    said = (
        f"{TABLE}: compared with SHA256SUMS, its sum is another; get it back with `git checkout -- "
    )
    assert result.exit_code == 1 and said in result.output and not (tmp_path / "run").exists()
    published.write_sums(data, published.PRINTED)
    published.check_printed()


@pytest.mark.parametrize("rows", ROWS)
def test_a_damaged_table_is_named(data, rows):
    """What stands in place of the first row is refused for itself, not for the number of rows."""
    lines = (data / TABLE).read_text().splitlines()
    (data / TABLE).write_text("\n".join([lines[0], rows, *lines[2:], ""]))
    with pytest.raises(ValueError, match=r"table-1\.csv(?!: 5 rows)"):
        collection.compare("generalized-pig", "table-1", {100: 0.7})


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda lines: lines[:-1], r"table-1\.csv: 5 rows are not allowed; .* says that it has 6"),
        (
            lambda lines: [*lines, "2000,0.5"],
            r"table-1\.csv: 7 rows are not allowed; .* says that it has 6",
        ),
        (
            lambda lines: [*lines, lines[-1]],
            r"table-1\.csv, line 8: there is another row with target 1000 above it",
        ),
        (
            lambda lines: [*lines[:-1], "+0010,0.5"],
            r"line 7: there is another row with target 10 above it",
        ),
    ],
)
def test_a_lost_or_doubled_row_is_refused(data, change, said):
    (data / TABLE).write_text("\n".join([*change((data / TABLE).read_text().splitlines()), ""]))
    with pytest.raises(ValueError, match=said):
        collection.published("generalized-pig", "table-1")


def test_a_lost_or_doubled_claim_is_refused(data):
    file = data / "published" / "minimax-pig" / "claims.csv"
    lines = file.read_text().splitlines(keepends=True)
    for damaged in (lines[:-1], [*lines, lines[-1]]):
        file.write_text("".join(damaged))
        with pytest.raises(
            ValueError, match=r"minimax-pig/claims\.csv.*(25 rows|another row with claim )"
        ):
            published.printed_claims("minimax-pig")


@pytest.mark.parametrize(
    "content",
    [b"", b"printed,target\n0.5,10\n", b"<html>", b"target,printed\n\xff\xfe,0.5\n", None],
)
def test_a_file_that_is_not_the_table_is_named(data, content):
    (data / TABLE).unlink()
    if content is not None:
        (data / TABLE).write_bytes(content)
    with pytest.raises(ValueError, match=r"table-1\.csv: "):
        collection.published("generalized-pig", "table-1")


RESOURCE = {"name": "generalized-pig/table-1", "path": TABLE, "rows": 6}
COLUMNS = [{"name": "target", "type": "integer"}, {"name": "printed", "type": "string"}]
RESOURCE["schema"] = {"fields": COLUMNS, "primaryKey": ["target"]}
CHANGES = [
    {"path": path}
    for path in (
        "../x.csv",
        "/etc/passwd",
        "https://example.org/x.csv/../../../../x.csv",
        "x.pickle",
        3,
    )
]
CHANGES += [
    {"name": "x"},
    {"schema": 3},
    {"schema": {"fields": [{"name": "x", "type": "object"}]}},
    {"games": 0.5},
]
CHANGES += [{"rows": rows} for rows in (None, 0, 6.0, "6")] + [{"words": 3}, {"words": [0]}]
CHANGES += [{"schema": {"fields": COLUMNS}}, {"schema": {"fields": COLUMNS, "primaryKey": ["n"]}}]
DESCRIPTIONS = ["", "[]", "null", '{"resources": 3}', '{"resources": [{}]}', "[" * 100_000]


@pytest.mark.parametrize(
    "text", DESCRIPTIONS + [json.dumps({"resources": [RESOURCE | change]}) for change in CHANGES]
)
def test_a_damaged_description_of_the_tables_is_named(data, text):
    (data / "datapackage.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"datapackage\.json: not a valid description of the tables"
    ):
        collection.published("generalized-pig", "table-1")


def test_a_table_that_is_described_twice_is_named(data):
    for count, resources in ((2, [RESOURCE, RESOURCE]), (1, [RESOURCE])):
        (data / "datapackage.json").write_text(json.dumps({"resources": resources}))
        published.resources.cache_clear()
        if count == 1:
            assert len(collection.published("generalized-pig", "table-1")) == 6
        else:
            with pytest.raises(ValueError, match=r"'generalized-pig/table-1' is described 2 times"):
                collection.published("generalized-pig", "table-1")


@pytest.mark.parametrize("text", ["", "1", "1/0", "1/2/3", "x/2", "-1/2", "1.5/2", " 1/2", "0x1/2"])
def test_a_damaged_exact_value_is_named(data, text):
    (data / "exact" / "pig-100.txt").write_text(text)
    with pytest.raises(ValueError, match=r"pig-100\.txt: not an exact value"):
        published.exact_value("pig-100")


@pytest.mark.parametrize(
    "text", ["", "paper\nx\n", "paper,table,item,printed,correct,first_proof\n"]
)
def test_a_damaged_ledger_is_named(data, text):
    (data / "errata.csv").write_text(text)
    with pytest.raises(ValueError, match=r"errata\.csv: "):
        collection.compare("generalized-pig", "table-1", {10: 0.5})


@pytest.mark.parametrize(
    "change",
    [
        ("table-1,target 10,", "table-1,target 11,"),
        ("table-1,target 10,", "table-1,target  10,"),
        ("target 10,0.70942388,", "target 10,0.709424,"),
        ("target 50,0.54615051,", "target 10,0.70942388,"),
        ("generalized-pig,table-1,target 10,", "generalized-pig,table-9,target 10,"),
        ("generalized-pig,table-1,target 10,", "pig,table-1,target 10,"),
    ],
)
def test_an_erratum_of_no_row_is_named(data, change):
    text = (data / "errata.csv").read_text()
    assert text.count(change[0]) == 1
    (data / "errata.csv").write_text(text.replace(*change))
    with pytest.raises(ValueError, match=r"errata\.csv, line [23]: "):
        collection.compare("two-dice-pig", "table-a1", {80: 0.5245})


CELL = {
    "cell_type": "code",
    "id": "a",
    "metadata": {"tags": ["parameters"]},
    "outputs": [],
    "execution_count": None,
}
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
SOURCES = [
    "",
    "n = 3",
    "figures = 3",
    "n = 3 +",
    "\0",
    "n = " + "(" * 5000,
    'n = open("made", "w")\nfigures = ""',
]
SOURCES += [
    f'{line}\nfigures = ""'
    for line in ("n = m", "n: int = 3", "a = b = 3", "a, b = 1, 2", "import os", "a.b = 3")
]
CELLS = [
    3,
    [3],
    [],
    [CELL | {"metadata": {"tags": None}}],
    [CELL | {"source": 'figures = ""', "id": i} for i in "ab"],
]
CELLS += [[CELL | {"source": source}] for source in SOURCES]


@pytest.mark.parametrize(
    "text",
    ["", "3", "[]", "{}", "[" * 100_000]
    + [json.dumps(NOTEBOOK | {"cells": cells}) for cells in CELLS],
)
def test_what_is_not_a_notebook_with_parameters_is_refused_and_not_run(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.ipynb").write_text(text)
    with pytest.raises(UsageError, match=r"x\.ipynb: "):
        parameters_of(tmp_path / "x.ipynb")
    assert [path.name for path in tmp_path.iterdir()] == ["x.ipynb"]


# Widgets


@pytest.mark.parametrize(
    "faces",
    [
        "1/2 x",
        "1e999999999 0",
        "nan 1",
        "-1 3",
        "1:1/0 1",
        "0 " * 500,
        "½ ½",
        "\0",
        "",
        " ",
        "²",
        "1:1e999999999 2",
    ],
)
def test_a_die_typed_into_a_widget(faces):
    widgets = pytest.importorskip("dicelab_extras.play.widgets")
    whole = widgets.design_a_die(target=5)
    problem = whole.children[2].children[0]
    before = whole.children[-1].value
    results = whole.children[-1]
    whole.children[1].children[0].value = faces
    assert "die: " in problem.value and len(problem.value) < 500 and results.value == before


@pytest.mark.parametrize("seed", ["x", "-1", "1.5", "True", "²"])
def test_a_seed_typed_into_a_widget(seed):
    widgets = pytest.importorskip("dicelab_extras.play.widgets")
    table = widgets.play_table("Pig", target=10)
    before = table.session
    seeds = table.children[1].children[3]
    again = table.children[3].children[0]
    seeds.value = seed
    again.click()
    assert "seed: " in table.children[2].value and "is not allowed" in table.children[2].value
    assert table.session is before


def test_bad_arguments_of_a_widget():
    widgets = pytest.importorskip("dicelab_extras.play.widgets")
    for field, value in (("game", "Hogg"), ("target", 0), ("seed", -1)):
        with pytest.raises(ValueError, match=rf"{field}: .* is not allowed; give"):
            widgets.play_table(**{field: value})
    for field, value in (("dice", 11), ("target", 201)):
        with pytest.raises(ValueError, match=rf"{field}: {value} is not allowed"):
            widgets.design_a_die(**{field: value})
    with pytest.raises(ValueError, match=r"die: 3 is not allowed"):
        widgets.design_a_die(3)
