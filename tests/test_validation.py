"""Bad input is refused by a ValueError that names the argument, shows the value and says what is allowed.

First the checks themselves, each with every kind of wrong value; then every argument of every public function, with one
value of each kind; then the command line, and files that were edited by hand.
"""

import itertools
import re
import shlex
import shutil
from decimal import Decimal
from fractions import Fraction
from functools import partial

import nbformat
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from conftest import notebook_of

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
from dicelab.evaluation.studies import (
    first_player,
    hold_at_n,
    turn_points,
)
from dicelab.games.catalogue import restrict_discards
from dicelab.games.set_aside import set_aside_game
from dicelab.views import plots, style
from dicelab_extras import grading, learning, proofs
from dicelab_extras.learning.checks import check_real
from dicelab_extras.play import session


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
    ("probability", (), FRACTIONS, NOT_PROBABILITIES),
    ("real", (0, 1), [0, 1, 0.5, Fraction(1, 2), np.float32(0.5)], [True, None, "0.5", 1.5, -0.1, float("nan"), 1j]),
    ("real", (0, 1, True), [1, 5e-324], [0, 0.0, -1]),
    ("bool", (), [True, False], [0, 1, "True", None, np.True_, [], Odd()]),
    ("name", (), ["x"], ["", None, 3, b"x", ["x"], Odd()]),
    ("option", (("a", "b"),), ["a", "b"], ["c", "", "A", " a", None, ["a"], np.array(["a", "b"]), "x" * 5000]),
    ("sequence", ("a list",), SEQUENCES, NOT_SEQUENCES),
    ("path", ((".csv",),), ["x.csv"], [None, "", 3, b"x.csv", ["x.csv"], "no/x.csv", "x", "x.csv.gz", "/"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "more", "good", "bad"), CHECKS, ids=[check[0] for check in CHECKS]
)
def test_each_check_reads_what_is_good_and_refuses_all_else(name, more, good, bad):
    check = check_real if name == "real" else getattr(_validation, f"check_{name}")
    for value in good:
        read = check(value, "field", *more)
        assert name != "probability" or read == FRACTIONS[value]
    for value in bad:
        with pytest.raises(ValueError, match=r"^field: .* is not allowed; give ") as caught:
            check(value, "field", *more)
        assert type(caught.value) in REFUSALS and len(str(caught.value)) < 300
        assert _validation.short_repr(value) in str(caught.value)


# Every argument of every function


PIG = dl.pig(8)
PIGLET = dl.piglet(3)
GREED = dl.ten_thousand(3)
WIN, TURNS = (dl.solve(PIG, objective) for objective in ("win", "turns"))
EXACT = dl.solve(PIGLET, exact=True)
HOLD = dl.hold_at(3)
LICKS = dl.solve(dl.pig(8, "last licks"))
HALF = (dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll")))
F, G = textbook.curves(EXACT, 1, 1)
PROCESS = textbook.turns_process(PIGLET)
STAGES = textbook.as_stochastic_game(dl.piglet(2))
LEARNED = learning.learn(PIGLET, games=100, checkpoints=[10])
BY_FEATURES = learning.reinforce(PIGLET, games=100, checkpoints=[10])
EVEN = ["1/2", "1/2"]

GAME = ["pigs"]
POLICY = ["twenty"]
SOLUTION = [TURNS]
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
    (dl.ten_thousand, {}, RULES | {"opening": [-50]}),
    (dl.games.big_pig, {}, RULES),
    (dl.hog, {}, RULES | {"most_dice": [0]}),
    (dl.games.toss_up, {}, RULES | {"dice": [0]}),
    (dl.games.pass_the_pigs, {}, RULES | {"frequencies": [3], "touching": [-1]}),
    (dl.games.facebook_farkle, {}, {"target": [0], "lowest": [1], "minimum": [0], "penalty": [0]}),
    (dl.games.zilch, {}, {"target": [0], "lowest": [1], "minimum": [0], "penalty": [0]}),
    (dl.games.kingdom_come, {}, RULES | {"dice": [3]}),
    (dl.farkle, {}, RULES | {name: [-1] for name in FARKLE} | {"unit": [0], "triples": [3], "opening": [-1]}),
    (triples, {}, {"value": [75]}),
    (
        set_aside_game,
        {"scores": {(1,): 100, (5,): 50}},
        RULES
        | {"dice": [0], "unit": [0], "opening": [-1], "name": [""]}
        | {"scores": [3]},
    ),
    (
        dl.generalized_pig,
        {"probabilities": EVEN, "target": 10},
        RULES | {"dice": [0], "bust": [0], "reset": [0], "name": [""]}
        | {"probabilities": ["twelve dice"]},
    ),
    (restrict_discards, {"game": GREED, "allowed": [(5,)]}, {"game": GAME, "allowed": [5]}),
    (dl.Choice, {"points": 1, "mode": "roll"}, {"points": [-1], "mode": [""], "aside": [3]}),
    (
        dl.Register,
        {"name": "opened"},
        {
            "name": [""],
            "after_hold": [3],
            "after_bust": [3],
            "penalty": [0.5],
            "least_hold": [0],
            "mode": [3],
        },
    ),
    (dl.Score, {"points": 3, "register": "opened"}, {"points": ["three"], "register": [""]}),
    (
        dl.Outcome,
        {"probability": "1", "result": "bust"},
        {"probability": ["x"], "result": ["hold"], "rolls": [3]},
    ),
    (
        dl.Mode,
        {"name": "roll", "outcomes": HALF},
        {"name": [""], "outcomes": [None], "may_hold": [1], "dice": [0]},
    ),
    (
        dl.Game,
        {"name": "game", "target": 3, "modes": dl.Mode("roll", HALF)},
        RULES
        | {"name": [None], "modes": [None], "chip": [0]}
        | {"registers": [3], "lowest": [1]},
    ),
    (PIG.mode, {}, {"name": ["pigs"]}),
    (PIG.reached, {}, {"start": ["pigs"]}),
    (GREED.classify_roll, {}, {"roll": [3]}),
    (dl.Rule, {"name": "rule", "holds": max}, {"name": [""], "holds": [3], "memory": [0]}),
    (dl.hold_at, {}, {"n": [0]}),
    (dl.scoring_turns, {}, {"n": [0]}),
    (
        HOLD.rolls,
        {"own": 0, "opponent": 0, "turn_total": 1, "game": PIG},
        SCORES | {"turn_total": [-1], "memory": [1]},
    ),
    (WIN.policy.rolls, {"own": 0, "opponent": 0, "turn_total": 1}, SCORES | ASKED | {"turn_total": [-1]}),
    (
        dl.solve(GREED).policy.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1]},
        SCORES | {"turn_total": [-1], "roll": [3]},
    ),
    (WIN.policy.roll_mask, {}, ASKED),
    (WIN.policy.hold_thresholds, {}, ASKED),
    (HOLD.roll_mask, {"game": PIG}, ASKED | {"game": GAME}),
    (HOLD.hold_thresholds, {"game": PIG}, ASKED | {"game": GAME}),
    (
        HOLD.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1], "game": GREED},
        {"own": [3], "opponent": [-1], "turn_total": [-1], "roll": [[7]], "game": GAME, "memory": [1]},
    ),
    (WIN.policy.decisions, {"game": PIG, "own": 0, "opponent": 0}, SCORES | {"game": ["pig"]}),
    (WIN.policy.decisions_at, {"game": PIG, "own": 0}, {"game": GAME, "own": [8]}),
    (WIN.policy.table, {}, {"game": GAME}),
    (WIN.policy.transfer_to, {}, {"game": GAME}),
    (dl.solve, {"game": PIG}, {"game": GAME, "objective": ["luck"], "overshoot": [1], "exact": [1]}),
    (proofs.certify, {"solution": WIN}, {"solution": [None], "settle": [-1, 2.5]}),
    (proofs.bounds, {"solution": WIN}, {"solution": [None]}),
    (
        proofs.write_certificate,
        {"certificate": proofs.certify(WIN), "path": "/tmp/none.cert"},
        {"certificate": [None], "path": [None]},
    ),
    (
        proofs.export,
        {"game": PIG, "file": "/tmp/none.prism"},
        {"game": GAME, "file": [""]},
    ),
    (dl.evaluate, MATCH, PLAYERS),
    (
        grading.grade,
        {"game": PIG, "strategy": HOLD},
        {"game": GAME, "strategy": [None], "opponent": [0]},
    ),
    (
        LICKS.policy.rolls,
        {"own": 0, "opponent": 0, "turn_total": 1},
        SCORES | {"turn_total": [-1], "mode": ["pigs"], "role": [2]},
    ),
    (LICKS.policy.decisions, {"game": LICKS.game, "own": 0, "opponent": 0}, SCORES | {"game": ["pig"]}),
    (LICKS.policy.hold_threshold, {"own": 0, "opponent": 0}, SCORES | {"mode": ["pigs"]}),
    (
        dl.solve(dl.ten_thousand(3, "equal turns")).policy.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1]},
        {"own": [3], "opponent": [-1], "turn_total": [-1], "roll": [3]},
    ),
    (dl.best_response, {"game": PIG, "opponent": HOLD}, {"game": GAME, "opponent": POLICY}),
    (dl.loss, {"game": WIN, "policy": HOLD}, {"game": GAME, "policy": POLICY}),
    (dl.simulate, MATCH | {"games": 10}, PLAYERS | {"games": [0], "seed": [-1], "n_jobs": [-2]}),
    (
        dl.action_values,
        {"solution": WIN, "own": 0, "opponent": 0},
        SCORES | {"solution": [None], "turns_left": [1]},
    ),
    (
        dl.sweep,
        {"function": abs, "grid": {"n": [1]}},
        {"grid": [3], "n_jobs": [-2], "file": [""]},
    ),
    (
        collection.published,
        {"paper": "generalized-pig", "table": "table-1"},
        {"paper": ["pigs"], "table": ["pigs"]},
    ),
    (
        collection.compare,
        {"paper": "generalized-pig", "table": "table-1"},
        {"paper": ["pigs"], "computed": [3]},
    ),
    (collection.compare, {"paper": "generalized-pig"}, {"table": ["pigs"], "strict": [None]}),
    (
        collection.compare,
        {"paper": "two-dice-pig", "table": "table-a2"},
        {"computed": [{(10, "first"): value} for value in (0.5, (0.5,), (0.5, -1), (0.5, "x"))]},
    ),
    (
        collection.check,
        {"exercise": "1.1", "answer": 12},
        {"exercise": ["pigs"], "seconds": [0]},
    ),
    (published.exact_value, {}, {"name": ["pigs"]}),
    (published.as_number, {}, {"printed": [""]}),
    (page.write_page, {"file": "/tmp/play.html"}, {"file": [""], "home": [None]}),
    (
        style.save,
        {"folder": "/tmp", "name": "x", "data": pd.Series([1.0])},
        {"folder": [3], "name": ["../x"]},
    ),
    (
        session.GameSession,
        {"solution": WIN},
        {"solution": SOLUTION, "seed": [-1], "names": [3]},
    ),
    (session.GameSession(WIN).take, {}, {"name": ["hold"]}),
    (enumerate_dice, {"points": 2, "faces": 2, "parts": 2}, {"points": [0], "faces": [1], "parts": [1]}),
    (summarise_die, {"die": EVEN, "target": 3}, {"die": ["twelve dice"], "target": [0]}),
    (best_turn, {}, {"game": GAME}),
    (risk_curve, {"game": PIG, "risks": [0.1]}, {"game": GAME, "risks": [3]}),
    (first_player_law, {"game": PIG, "targets": [9]}, {"game": GAME, "targets": [3]}),
    (compare_law, {"die": EVEN, "target": 3}, {"die": ["twelve dice"], "target": [0]}),
    (extrapolate, {}, {"values": [3]}),
    (late_rolls, {}, {"solution": SOLUTION}),
    (run_rate, {}, {"game": GAME}),
    (near_tie_target, {}, {"game": GAME}),
    (law_constants, {}, {"dice": [3]}),
    (chance_slopes, {"solution": WIN, "needs": 1}, {"solution": SOLUTION, "needs": [0]}),
    (hold_at_n, {"game": PIG}, {"game": GAME, "n": [0], "against": ["nobody"]}),
    (first_player, {"game": PIG}, {"game": [3], "targets": ["x"]}),
    (dl.to_mdp, {"game": PIG}, {"game": GAME, "against": ["nobody"]}),
    (turn_points, {"game": PIG, "policy": HOLD}, {"game": GAME, "policy": POLICY}),
    (panels, {}, {"opponents": [3]}),
    (plots.hold_thresholds, {"thresholds": WIN}, {"middle": [0]}),
    (plots.surface, {"thresholds": WIN.values}, {"label": [None]}),
    (plots.lines, {"table": TABLE} | LABELS, {"marks": [3]}),
    (textbook.value_iteration, {"game": PIGLET}, ITERATED | {"game": GAME, "objective": ["luck"], "overshoot": [1]}),
    (textbook.policy_evaluation, MATCH, PLAYERS),
    (textbook.backward_induction, {"game": dl.piglet(2)}, {"game": GAME, "pair_solver": [3]}),
    (textbook.curves, {"solution": EXACT, "a": 1, "b": 1}, {"solution": [None], "a": [0], "b": [0]}),
    (textbook.by_intersection, {"f": F, "g": G}, {"f": [3], "g": [3]}),
    (textbook.by_linear_program, {"f": F, "g": G}, {"f": [3], "g": [3]}),
    (textbook.by_fixed_point, {"f": F, "g": G}, {"f": [3], "g": [3], "tolerance": [0], "max_steps": [0]}),
    (textbook.turns_process, {}, {"game": GAME}),
    (textbook.deadline_chances, {"game": PIGLET, "turns": 1}, {"game": GAME, "turns": [0]}),
    (textbook.score_process, {"game": PIGLET, "most": 3}, {"game": GAME, "most": [0]}),
    (textbook.mdp_value_iteration, {"process": PROCESS}, ITERATED | {"process": [None]}),
    (textbook.policy_iteration, {}, {"process": [None]}),
    (textbook.linear_program, {}, {"process": [None]}),
    (textbook.as_stochastic_game, {}, {"game": GAME}),
    (textbook.shapley, {"game": STAGES, "values": dict.fromkeys(STAGES.stages, 0.0)}, {"game": [None], "values": [3]}),
    (textbook.solve_stochastic, {"game": STAGES}, ITERATED | {"game": [None]}),
    (textbook.matrix_game, {}, {"payments": [None]}),
    (textbook.simultaneous_hog, {"target": 3}, {"target": [0], "most_dice": [0], "sides": [0]}),
    (
        learning.learn,
        {"game": PIGLET, "games": 10},
        {"game": GAME, "method": ["luck"], "games": [0], "seed": [-1], "exploring_starts": [1], "behaviour": [20]}
        | {"epsilon": [1.5], "learning_rate": [0], "decay": [-0.1], "initial": [2]}
        | {"checkpoints": [3]},
    ),
    (LEARNED.action_values, {}, {"games": [11]}),
    (BY_FEATURES.action_values, {}, {"games": [11]}),
    (
        learning.semi_gradient,
        {"game": PIGLET, "games": 10},
        {"game": GAME, "method": ["mc"], "games": [0], "seed": [-1], "epsilon": [1.5], "learning_rate": [0]}
        | {"decay": [-0.1], "initial": [2], "tilings": [0], "tile": [0], "checkpoints": [3]},
    ),
    (
        learning.reinforce,
        {"game": PIGLET, "games": 10},
        {"game": GAME, "games": [0], "seed": [-1], "learning_rate": [0], "decay": [-0.1], "baseline_rate": [-1]}
        | {"tilings": [0], "tile": [0], "checkpoints": [3]},
    ),
    (learning.action_values, {"game": PIGLET}, {"game": GAME, "epsilon": [1.5], "tolerance": [-1e-9]}),
    (ten_thousand.algorithm_4_2, {}, {"threshold": [0]}),
    (ten_thousand.appendix_algorithm, {}, {"threshold": [0]}),
    (ten_thousand.configurations, {}, {"n": [0]}),
    (
        reproduce,
        {"papers": ["generalized-pig"]},
        {"papers": [3], "n_jobs": [-2], "timeout": [0], "progress": [1]}
        | {"parameters": ["n=3"]},
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
    assert set(dl.__all__) - without_arguments - returned <= {
        function.__name__ for function, _, _ in FUNCTIONS
    }


@pytest.mark.parametrize(
    "game", [LICKS.game, dl.pig(8, "equal turns")], ids=lambda game: game.finish
)
def test_a_last_turn_is_for_those_who_play_to_win(game):
    with pytest.raises(ValueError, match=f"finish='{game.finish}' has no margin"):
        dl.solve(game, "margin")
    with pytest.raises(ValueError, match="has no margin"):
        assert dl.evaluate(game, HOLD, HOLD).margin


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


@pytest.mark.parametrize("answer", [1, "stop", [True] * 3], ids=repr)
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

    with pytest.raises(ValueError, match=r"second: what decisions_at of .* returns is no array"):
        dl.evaluate(PIG, HOLD, Strange())


def test_a_policy_that_takes_a_choice_that_does_not_exist():
    class Strange(dl.Rule):
        def choices(self, game, own, memory=0):
            return np.full_like(super().choices(game, own), 200)

    said = r"first: what choices of .* returns must be numbers of choices"
    with pytest.raises(ValueError, match=said):
        dl.simulate(
            GREED, Strange("strange", lambda own, opponent, totals: totals >= 3), HOLD, games=1
        )


# The command line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("solve", "Missing argument"),
        ("solve hogs", "'kingdom-come'; did you mean 'hog'?"),
        ("compare minimax-pigg", "did you mean 'minimax-pig'?"),
        ("play pig --against=hodl-at-20", "a number for n; did you mean 'hold at n'?"),
        ("solve pig more", "unexpected extra argument"),
        ("solve pig --target x", "--target"),
        (f"solve pig --target {10**30}", "of memory, more than half of the"),
        ("solve pig --objective WON", "--objective"),
        ("solve pig -o x.txt", "-o: "),
        ("solve pig -o none/x.csv", "-o: "),
        ("compare pig", "paper: 'pig' is not allowed; give one of"),
        ("compare generalized-pig ../errata", "table: '../errata' is not allowed; give one of"),
        ("reproduce ../../x", "paper: '../../x' is not allowed"),
        ("reproduce --jobs x", "jobs"),
        ("reproduce --timeout 0", "timeout: "),
        ("reproduce -p target 3", "has no parameter 'target'"),
        ("slides x", "lecture: 'x' is not allowed"),
        ("site --timeout 0 --into run", "timeout: "),
        ("sing", "No such command"),
        ("certify zilch -o x.cert", "registers"),
        ("certify pig -o x.csv", "x.csv"),
        ("certify pig -o missing/x.cert", "missing"),
        (
            "advise pig 130 45 22",
            "own: 130 is not allowed; give a score below the target, 100 points",
        ),
        ("advise ten-thousand 30 2500", "a score below the target, 200 chips (10,000 points)"),
        (
            "advise ten-thousand 30 20 --roll 1,x",
            "give the faces of all dice, for example 1,5,5,2,3",
        ),
        ("advise pig 30 x", "'x' is not a valid integer"),
        (
            "advise ten-thousand 3 2 --target 10000",
            "10000 chips are 500,000 points; for 10,000 points give 200",
        ),
        ("evaluate pig 5 optimal 7", "optimal is a rule of two players; 3 are given"),
        ("hold-at-n pig 15-", "is not allowed; give whole numbers"),
        ("hold-at-n pig 20-15", "is not allowed; give whole numbers"),
        ("hold-at-n pig 1-99999999999", "is not allowed; give whole numbers"),
        (
            "play pig --target 9 --against nothing",
            "'nothing' is not a rule; give one of 'hold at n', ",
        ),
        ("play pig --target 9 --against hold-at-0", "n: 0"),
        ("play pig --target 9 --against hold-at-3 --against hold-at-4", "2 rules are not allowed"),
        ("play pig --players 1", "1 is not in the range x>=2"),
        ("solve pig --players 3 --target 9000", "solving Pig to 9000 for 3 players"),
        ("solve pig --players 3 --objective turns", "objective: 'turns'"),
        ("advise 'pig 9: 3-4-9'", "opponent: 9 is not allowed; give a score below the target"),
        ("advise 'pig 100: 130-45'", "own: 130 is not allowed"),
        ("advise 'pig 100: 30-45' 3 --mode roll", "says all; give no OWN, --mode with it"),
        ("advise pig 3", "give the scores OWN and OPPONENT, or a situation, for example"),
        ("advise chess", "'chess' is not one of 'pig', "),
        ("play 'pig 100: 30-45' --target 50", "says all; give no --target with it"),
        ("play 'pig 9: 3-4-5' --players 3", "says all; give no --players with it"),
        (
            "play 'pig 9: 3-4 +6'",
            "start: <Situation of Pig to 9: 3-4 +6> is not allowed; give one in which the turn is ",
        ),
        (
            "play 'ten-thousand 9: 3-4 rolled 2 3'",
            "rolled 2 3> is not allowed; give one in which the turn is not over",
        ),
        ("play 'ten-thousand 20 opening=500: 3-4 rolled 2 3 4 6 6'", "the turn is not over"),
        ("evaluate pig hodl", "is not a rule; give one of"),
        ("evaluate pig hold-at-n 20", "is not a rule; give one of"),
        ("evaluate pig hold-at-−5 20", "n: -5 is not allowed"),
    ],
)
def test_the_command_line_refuses_in_a_sentence(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, shlex.split(arguments))
    assert result.exit_code in (1, 2) and isinstance(result.exception, SystemExit), result.exception
    assert said in " ".join(result.output.split()) and "Traceback" not in result.output
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


def test_a_run_refuses_printed_numbers_that_were_changed(data, tmp_path):
    published.check_printed()
    (data / TABLE).write_text((data / TABLE).read_text().replace("0.70942388", "0.70942389"))
    command = ["reproduce", "generalized-pig", "--into", str(tmp_path / "run")]
    result = CliRunner().invoke(main, command)
    said = (
        f"{TABLE}: compared with SHA256SUMS, its sum is another; get it back with `git checkout -- "
    )
    assert result.exit_code == 1 and said in result.output and not (tmp_path / "run").exists()
    published.write_sums(data, published.PRINTED)
    published.check_printed()


DESCRIPTION, CLAIMS = "datapackage.json", "published/minimax-pig/claims.csv"
PUBLISHED = partial(collection.published, "generalized-pig", "table-1")
LEDGER = partial(collection.compare, "generalized-pig", "table-1", {10: 0.5})
EXACT_VALUE = partial(published.exact_value, "pig-100")
PRINTED_CLAIMS = partial(published.printed_claims, "minimax-pig")


ROWS = "10,0.5,0.6", "x,0.5", "10,", "10,nan", '10,"0.5'
NO_DESCRIPTION = r"datapackage\.json: not a valid description of the tables"
ROW_TWICE = r"(\n[^\n]+)\n\Z", r"\1\1\n"
DAMAGED = [  # a file; a pattern in it and what takes its place, or another text, or None; who reads it; what is said
    *((TABLE, (r"\n[^\n]+", f"\n{row}"), PUBLISHED, r"table-1\.csv") for row in ROWS),
    (TABLE, ROW_TWICE, PUBLISHED, r"table-1\.csv, line 8: there is another row with target 1000 above it"),
    (TABLE, b"printed,target\n0.5,10\n", PUBLISHED, r"table-1\.csv: "),
    (TABLE, b"target,printed\n\xff\xfe,0.5\n", PUBLISHED, r"table-1\.csv: "),
    (TABLE, None, PUBLISHED, r"table-1\.csv: "),
    (CLAIMS, ROW_TWICE, PRINTED_CLAIMS, r"minimax-pig/claims\.csv.*another row with claim "),
    *((DESCRIPTION, text, PUBLISHED, NO_DESCRIPTION) for text in (b"", b"{}", b"[" * 100_000)),
    *(("exact/pig-100.txt", text, EXACT_VALUE, r"pig-100\.txt: not an exact value") for text in (b"", b"1/0", b"-1/2")),
    *(("errata.csv", text, LEDGER, r"errata\.csv: ") for text in (b"", b"paper\nx\n")),
    ("errata.csv", ("table-1,target 10,", "table-1,target 11,"), LEDGER, r"errata\.csv, line [23]: "),
    ("errata.csv", ("target 10,0.70942388,", "target 10,0.709424,"), LEDGER, r"errata\.csv, line [23]: "),
    ("errata.csv", ("target 50,0.54615051,", "target 10,0.70942388,"), LEDGER, r"errata\.csv, line [23]: "),
]  # fmt: skip


@pytest.mark.parametrize(("name", "damage", "read", "said"), DAMAGED)
def test_a_damaged_file_is_named(data, name, damage, read, said):
    file = data / name
    if damage is None:
        file.unlink()
    elif isinstance(damage, bytes):
        file.write_bytes(damage)
    else:
        text, times = re.subn(*damage, file.read_text(), count=1)
        assert times == 1
        file.write_text(text)
    with pytest.raises(ValueError, match=said):
        read()


CALLS = 'n = open("made", "w")', "n = [open('made', 'w') for _ in '1']", "n = 'a' * 10**10"
NOT_NOTEBOOKS = {  # by what is said: the text, or a cell with its tag
    "": [
        "",
        "[]",
        "[" * 100_000,
        "{",
        '{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 3}',
    ],
    "needs exactly one cell tagged 'parameters', has 0": [('figures = ""', "other")],
    'needs the line figures = ""': [("n = 3", "parameters")],
    "may hold only lines like name = literal": [
        (f'figures = ""\nn = 2\n{line}', "parameters")
        for line in ("n = (", "double = 2 * n", "import os", "a, b = 1, 2", *CALLS)
    ],
}


@pytest.mark.parametrize(
    ("content", "said"),
    [(content, said) for said, contents in NOT_NOTEBOOKS.items() for content in contents],
)
def test_what_is_not_a_notebook_with_parameters_is_refused_and_not_run(
    tmp_path, monkeypatch, content, said
):
    monkeypatch.chdir(tmp_path)
    if isinstance(content, tuple):
        cell, tag = content
        content = nbformat.writes(notebook_of(cell, tag=tag))
    (tmp_path / "x.ipynb").write_text(content)
    with pytest.raises(UsageError, match=rf"x\.ipynb: .*{said}"):
        parameters_of(tmp_path / "x.ipynb")
    assert [path.name for path in tmp_path.iterdir()] == ["x.ipynb"]
