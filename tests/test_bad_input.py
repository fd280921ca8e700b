"""Bad input at every door: for each function and argument, the bad values of its kind."""

import itertools
import re
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from dicelab import (
    catalogue,
    doors,
    ends,
    match,
    page,
    play,
    plots,
    reproduce,
    solitaire,
    studies,
    style,
    tables,
    textbook,
)
from dicelab.published import as_number, exact_value
from dicelab.textbook import ten_thousand

PIG = dl.pig(8)
SOLVED, FEWEST, MOST = dl.solve(PIG), dl.solve(PIG, "turns"), dl.solve(PIG, "score")
RESPONSE, EXACT = dl.best_response(PIG, dl.hold_at(3)), dl.solve(dl.piglet(3), exact=True)
HALF = (dl.Outcome("1/2", "bust"), dl.Outcome("1/2", dl.Choice(1, "roll")))
F, G = textbook.curves(EXACT, 1, 1)
LEARNED = textbook.learn(dl.piglet(3), games=100, checkpoints=[10])
PROCESS, STAGES = textbook.turns_process(dl.piglet(3)), textbook.as_stochastic_game(dl.piglet(2))
WORDS = ("", "pig", "3")


class Odd:
    """None of what is asked for."""

    def __repr__(self):
        return "Odd"


def kind(*values, without=()):
    """Bad values by what they look like."""
    return {
        f"{type(value).__name__}-{doors.shown(value)[:24]}": value
        for value in values
        if not any(value is left for left in without)
    }


NUMBERS_NOT_WHOLE = (
    3.0,
    0.5,
    float("nan"),
    float("inf"),
    Fraction(3),
    Decimal(3),
    3 + 0j,
    np.float64(3),
    np.float32(3),
)
NOT_WHOLE = (True, False, np.True_, None, *WORDS, "1e3", b"3", [3], (3,), {3}, {3: 3}, np.array([1, 2]), Odd(), int)
NOT_WHOLE += NUMBERS_NOT_WHOLE
HUGE = (10**100, 10**5000)


def whole(least, most=None, without=()):
    above = () if most is None else (most + 1, np.int64(most + 1))
    return kind(*NOT_WHOLE, least - 1, np.int64(least - 1), -(10**50), -(10**5000), *HUGE, *above, without=without)


def optional(least, most=None):
    return whole(least, most, without=(None,))


def missing(*values):
    """Everything but what is given, and None if that is left out."""
    return kind(*NOT_WHOLE, 0, 3, -1, Odd(), PIG, SOLVED, without=values)


NAMES = kind(*(value for value in NOT_WHOLE if value not in ("pig", "3")) if False else (), "pigs", "", "REACH", " reach", None, True, 3, 3.0, b"reach", ["reach"], ("win",), Odd(), np.array(["a", "b"]), "x" * 5000)  # fmt: skip
FLAGS = kind(0, 1, "True", "yes", "", None, np.True_, 1.0, [], [True], Odd())
GAMES = kind(None, "pig", 3, True, dl.pig, dl.Game, {}, [PIG], SOLVED, PIG.modes[0], Odd(), np.arange(3), 2.5)
POLICIES = kind(None, 20, "hold at 20", True, PIG, SOLVED, dl.hold_at, dl.Policy, [dl.hold_at(3)], Odd(), 2.5, {})
ANY = kind(None, "pig", 3, True, PIG, dl.solve, dl.Solution, [SOLVED], {}, Odd(), np.arange(3))
SOLUTIONS = ANY | {"turns": FEWEST, "score": MOST}
TEXTS = kind("", None, 3, 3.0, True, b"name", ["name"], ("name",), {"name"}, Odd(), np.array(["a"]))
CALLABLES = kind(None, 3, "abs", True, [abs], {}, Odd(), 2.5)
SEQUENCES = kind(
    None, 3, 2.5, True, "123", b"123", {1: 2}, {1, 2}, Odd(), iter([1]), itertools.count(), np.array(3), int
)
JOBS = whole(1, 1000, without=(None,)) | kind(None, 0, -2, -1000)
JOBS = {name: value for name, value in JOBS.items() if not (type(value) is int and value == -1)}
FILES = kind(None, "", 3, 2.5, True, b"x.csv", ["x.csv"], Odd(), "x\0.csv", "/no/such/folder/x.csv", "/")
NOT_PROBABILITIES = kind(
    True, np.True_, None, "", "x", "1/0", "1/6/2", "0x1", "nan", "inf", "-1/6", "7/6", "1e999999999", "1e-999999999",
    "9" * 5000, "0." + "1" * 1001, "1e-1001", -1, 2, 1.5, -0.5, float("nan"), float("inf"), -float("inf"), 1j,
    Decimal("nan"), Decimal("sNaN"), Decimal("inf"), Decimal("-0.1"), Decimal("1e-999999"), Decimal("1e999999"),
    Fraction(1, 10**1001), Fraction(-1, 6), Fraction(7, 6), np.float32(0.5), np.float16(0.5), np.int64(2), 10**5000,
    b"1/6", ["1/6"], ("1/6",), {"1/6"}, Odd(), np.array([0.5, 0.5]),
)  # fmt: skip
SHARES = kind(
    True, None, "", "0.5", b"0.5", 1.5, -0.1, float("nan"), float("inf"), 2, -1, 1j, Decimal("0.5"), [0.5], Odd()
)


def scores(target=8):
    return whole(0, target - 1)


def modes(value):
    return dl.Game("game", 3, value)


def die(face):
    return lambda value: dl.generalized_pig([value, *["1/6"] * 5] if face == 0 else ["1/6"] * 5 + [value], 5)


FINISH = {"target": whole(1), "finish": NAMES}
MODE = kind("pigs", "", 3, True, 2.5, [], ["roll"], {}, Odd(), np.array(["a", "b"]), b"roll")
PLAYERS = {"game": GAMES, "first": POLICIES, "second": POLICIES}
FARKLE = ("one", "five", "four", "five_of_a_kind", "six", "straight", "three_pairs")
POLYGONS = {"f": POLICIES, "g": POLICIES}
TOLERANCE = kind(True, None, "", "1e-9", -1e-9, float("nan"), float("inf"), 1j, [1e-9], Odd())
HOLD = {"probability": "1", "result": "bust"}
MATCH = {"game": PIG, "first": dl.hold_at(3), "second": dl.hold_at(4)}
DOORS = [  # function, good arguments, bad ones
    (dl.pig, {}, FINISH),
    (dl.piglet, {}, FINISH),
    (dl.two_dice_pig, {}, FINISH),
    (dl.double_trouble, {}, FINISH),
    (dl.ten_thousand, {}, FINISH),
    (dl.farkle, {}, FINISH | dict.fromkeys(FARKLE, whole(0)) | {"unit": whole(1), "triples": SEQUENCES}),
    (
        dl.generalized_pig,
        {"probabilities": ["1/6", 0, *["1/6"] * 5], "target": 10},
        FINISH | {"probabilities": SEQUENCES, "dice": whole(1, 100), "bust": whole(1, 1), "reset": optional(1, 1)}
        | {"name": TEXTS},
    ),
    (catalogue.giving_up, {"game": dl.ten_thousand(3), "allowed": [(5,)]}, {"game": GAMES, "allowed": SEQUENCES}),
    (dl.Choice, {"points": 1, "mode": "roll"}, {"points": whole(1), "mode": TEXTS, "aside": SEQUENCES}),
    (dl.Outcome, HOLD, {"probability": NOT_PROBABILITIES | kind(0, 0.0, "0"), "rolls": SEQUENCES}),
    (dl.Outcome, HOLD, {"result": kind(None, "", "hold", 3, True, [], (), ["bust"], [dl.Choice, 1], PIG, Odd(), {})}),
    (
        dl.Mode,
        {"name": "roll", "outcomes": HALF},
        {"name": TEXTS, "may_hold": FLAGS, "dice": optional(1)}
        | {"outcomes": kind(None, "", 3, [], (), ["bust"], [*HALF, 3], PIG, Odd(), {}, iter(HALF))},
    ),
    (
        dl.Game,
        {"name": "game", "target": 3, "modes": dl.Mode("roll", HALF)},
        FINISH | {"name": TEXTS, "modes": kind(None, "", 3, [], (), ["roll"], [HALF[0]], PIG, Odd(), {})},
    ),
    (PIG.mode, {}, {"name": MODE}),
    (PIG.reached, {}, {"start": MODE}),
    (dl.ten_thousand(3).rolled, {}, {"roll": SEQUENCES | kind([0] * 5, [7] * 5, [1] * 6, [], [1.0] * 5, ["1"] * 5)}),
    (dl.Rule, {"name": "rule", "holds": max}, {"name": TEXTS, "holds": CALLABLES, "memory": whole(1)}),
    (dl.hold_at, {}, {"n": whole(1)}),
    (dl.scoring_turns, {}, {"n": whole(1)}),
    (
        dl.hold_at(3).rolls,
        {"own": 0, "opponent": 0, "turn_total": 1},
        dict.fromkeys(("own", "opponent", "turn_total", "scored"), whole(0)) | {"target": optional(1)},
    ),
    (
        SOLVED.policy.rolls,
        {"own": 0, "opponent": 0, "turn_total": 1},
        {"own": scores(), "opponent": scores(), "turn_total": whole(0), "mode": MODE},
    ),
    (
        dl.solve(dl.ten_thousand(3)).policy.keep,
        {"own": 0, "opponent": 0, "turn_total": 0, "roll": [1]},
        {"own": scores(3), "opponent": scores(3), "turn_total": whole(0), "roll": SEQUENCES | kind([7], [0], [], [1] * 6)},
    ),
    (SOLVED.policy.roll_mask, {}, {"mode": MODE}),
    (SOLVED.policy.lowest_holds, {}, {"mode": MODE}),
    (
        SOLVED.policy.decisions,
        {"game": PIG, "own": 0, "opponent": 0},
        {"game": GAMES | {"other": dl.pig(9)}, "own": scores(), "opponent": scores()},
    ),
    (SOLVED.policy.row, {"game": PIG, "own": 0}, {"game": GAMES, "own": scores()}),
    (SOLVED.policy.table, {}, {"game": GAMES}),
    (SOLVED.policy.played_in, {}, {"game": GAMES}),
    (
        dl.Solution,
        {"game": PIG, "objective": "win", "values": SOLVED.values, "policy": SOLVED.policy}
        | {"exact": False, "residual": 0.0, "error": 0.0},
        {"game": GAMES, "objective": NAMES, "policy": POLICIES, "exact": FLAGS, "overshoot": FLAGS}
        | {"values": kind(None, 3, [[1.0]], "values", np.zeros(8), np.zeros((7, 8)), np.zeros((8, 8, 8)))},
    ),
    (dl.solve, {"game": PIG}, {"game": GAMES, "objective": NAMES, "overshoot": FLAGS, "exact": FLAGS}),
    (dl.certify, {"solution": SOLVED}, {"solution": ANY | {"best response": RESPONSE, "exact": EXACT}, "settle": whole(0)}),
    (dl.evaluate, MATCH, PLAYERS),
    (dl.best_response, {"game": PIG, "opponent": dl.hold_at(3)}, {"game": GAMES, "opponent": POLICIES}),
    (match.loss, {"solution": SOLVED, "policy": dl.hold_at(3)}, {"solution": SOLUTIONS, "policy": POLICIES}),
    (dl.simulate, MATCH | {"games": 10}, PLAYERS | {"games": whole(1), "seed": whole(0), "n_jobs": JOBS}),
    (
        dl.odds,
        {"solution": SOLVED, "own": 0, "opponent": 0},
        {"solution": SOLUTIONS | {"best response": RESPONSE}, "own": scores(), "opponent": scores()},
    ),
    (
        dl.sweep,
        {"function": abs, "grid": {"n": [1]}},
        {"function": CALLABLES, "n_jobs": JOBS, "file": {n: f for n, f in FILES.items() if f is not None}}
        | {"grid": {n: v for n, v in SEQUENCES.items() if v != {1: 2}} | kind({"n": 3}, {3: [1]}, [3], [{"n": 1}, {}], {"": [1]}, {"n": "12"})},
    ),
    (dl.published, {"paper": "generalized-pig", "table": "table-1"}, {"paper": NAMES, "table": NAMES}),
    (
        dl.compare,
        {"paper": "generalized-pig", "table": "table-1"},
        {"paper": NAMES, "computed": kind(3, "0.5", [0.5], 0.5, True, Odd(), {10: None}, {10: float("nan")})
         | kind({10: float("inf")}, {10: True}, {10: [0.5]}, {10: 1j}, {10: Odd()}, {10: Decimal("0.7")}, {10: b"0.7"})},
    ),
    (dl.compare, {"paper": "generalized-pig", "computed": None}, {"table": {n: v for n, v in NAMES.items() if v is not None}}),
    (
        dl.compare,
        {"paper": "two-dice-pig", "table": "table-a2"},
        {"computed": kind(*({(10, "first"): v} for v in (0.5, None, (0.5,), (0.5, -1), (0.5, "1"), ("x", float("nan")), "x")))},
    ),
    (exact_value, {}, {"name": NAMES | kind("../errata", "../exact/pig-100", "/etc/passwd", "pig-100.txt")}),
    (as_number, {}, {"printed": kind("", "x", "1/0", "1e999999999", "8%%", "nan", "%", "0.5 0.5", None, 3, 0.5)}),
    (
        tables.write,
        {"solution": SOLVED, "file": "/tmp/none.csv"},
        {"solution": ANY, "file": FILES | kind("x.txt", "x", ".csv", "x.csv.gz", "/tmp/x.pickle")},
    ),
    (tables.table, {"solution": SOLVED}, {"solution": ANY, "progress": FLAGS}),
    (page.write_page, {}, {"file": FILES}),
    (
        style.save,
        {"folder": "/tmp", "name": "x", "data": pd.Series([1.0])},
        {"folder": {n: f for n, f in FILES.items() if f not in ("", "/") and f is not True}}
        | {"name": TEXTS | kind("../x", "a/b", "/x"), "data": kind(None, 3, [1], {"a": 1}, "1", np.arange(3), Odd())},
    ),
    (
        play.Play,
        {"solution": SOLVED},
        {"solution": SOLUTIONS, "seed": optional(0), "names": SEQUENCES | kind([], ["a"], ["a", "b", "c"], ["a", 3], ["a", ""])},
    ),
    (play.Play(SOLVED).take, {}, {"name": kind("hold", "", None, 3, True, ["roll"], "ROLL", b"roll", Odd(), np.array(["a"]))}),
    (studies.all_dice, {"points": 2, "faces": 2, "parts": 2}, {"points": whole(1, 100), "faces": whole(2), "parts": whole(2)}),
    (studies.portrait, {"die": ["1/2", "1/2"], "target": 3}, {"target": whole(1)}),
    (studies.against_the_optimum, {"game": PIG}, {"game": GAMES, "around": whole(0)}),
    (ends.reachable, {"game": PIG, "policy": dl.hold_at(3)}, {"game": GAMES, "policy": POLICIES}),
    (ends.turn_points, {"game": PIG, "policy": dl.hold_at(3)}, {"game": GAMES, "policy": POLICIES}),
    (solitaire.turns_needed, {"game": PIG, "policy": dl.hold_at(3)}, {"game": GAMES, "policy": POLICIES}),
    (solitaire.threshold, {}, {"game": GAMES}),
    (
        lambda opponents: plots.panels(plots.decisions, SOLVED.policy.roll_mask(), opponents),
        {},
        {"opponents": SEQUENCES | kind([], [8], [-1], [1.0], [True], ["1"], [None], [0, 8])},
    ),
    (
        textbook.value_iteration,
        {"game": dl.piglet(3)},
        {"game": GAMES, "objective": NAMES, "overshoot": FLAGS, "tolerance": TOLERANCE, "max_sweeps": whole(1)},
    ),
    (textbook.policy_evaluation, MATCH, PLAYERS),
    (textbook.backwards, {"game": dl.piglet(2)}, {"game": GAMES, "meet": CALLABLES}),
    (
        textbook.curves,
        {"solution": EXACT, "a": 1, "b": 1},
        {"solution": SOLUTIONS, "a": whole(1, 3), "b": whole(1, 3)},
    ),
    (textbook.by_intersection, {"f": F, "g": G}, POLYGONS),
    (textbook.by_linear_program, {"f": F, "g": G}, POLYGONS),
    (
        textbook.by_fixed_point,
        {"f": F, "g": G},
        POLYGONS | {"tolerance": TOLERANCE | kind(0, 2), "max_steps": whole(1)},
    ),
    (textbook.turns_process, {}, {"game": GAMES}),
    (textbook.score_process, {"game": dl.piglet(3), "most": 3}, {"game": GAMES, "most": whole(1)}),
    (textbook.iterate_values, {"process": PROCESS}, {"process": ANY, "tolerance": TOLERANCE, "max_sweeps": whole(1)}),
    (textbook.iterate_policies, {}, {"process": ANY}),
    (textbook.linear_program, {}, {"process": ANY}),
    (textbook.as_stochastic_game, {}, {"game": GAMES}),
    (textbook.shapley, {"game": STAGES, "values": dict.fromkeys(STAGES.stages, 0.0)}, {"game": ANY, "values": kind(None, 3, [0.5], {1})}),
    (textbook.solve_stochastic, {"game": STAGES}, {"game": ANY, "tolerance": TOLERANCE, "max_sweeps": whole(1)}),
    (
        textbook.matrix_game,
        {},
        {"payments": kind(None, 3, "x", [], [[]], [1, 2], [[1], [2, 3]], [["a"]], [[float("nan")]], [[float("inf")]], Odd())},
    ),
    (
        textbook.simultaneous_hog,
        {"target": 3},
        {"target": whole(1), "most_dice": whole(1, 100), "sides": whole(1, 1000)},
    ),
    (
        textbook.learn,
        {"game": dl.piglet(3), "games": 10},
        {"game": GAMES, "method": NAMES, "games": whole(1, 2**62), "seed": whole(0), "exploring_starts": FLAGS}
        | {"exploration": SHARES, "step": SHARES | kind(0, 0.0), "decay": SHARES, "initial": SHARES}
        | {"follow": {n: p for n, p in POLICIES.items() if p is not None}, "checkpoints": SEQUENCES | kind([0], [11], [5, 3])},
    ),
    (LEARNED.table, {}, {"games": kind(11, 0, "10", [10], Odd(), -1, 2.5)}),
    (textbook.action_values, {"game": dl.piglet(3)}, {"game": GAMES, "exploration": SHARES, "tolerance": TOLERANCE}),
    (ten_thousand.algorithm_4_2, {}, {"threshold": whole(1, 10_000)}),
    (ten_thousand.appendix_algorithm, {}, {"threshold": whole(1, 10_000)}),
    (ten_thousand.configurations, {}, {"n": whole(1, 6)}),
    (
        reproduce.reproduce,
        {"papers": ["generalized-pig"]},
        {"papers": SEQUENCES | kind(["x"], [3], [None], [""], ["generalized-pig", "x"]), "jobs": JOBS}
        | {"timeout": whole(1, 10**9), "progress": FLAGS, "parameters": kind(3, "n=3", [("n", 3)], True, Odd(), {"n"})},
    ),
]  # fmt: skip
ITEMS = [  # what takes one entry of a sequence, what it is called then, bad ones
    (die(0), "probabilities", NOT_PROBABILITIES),
    (die(5), "probabilities", NOT_PROBABILITIES),
    (lambda v: dl.farkle(triples=[v, 200, 300, 400, 500, 600]), "triples", whole(0) | kind(75)),
    (lambda v: dl.Choice(1, "roll", (v,)), "aside", whole(0)),
    (lambda v: dl.Outcome(1, "bust", ((v,),)), "rolls", whole(0)),
    (lambda v: dl.ten_thousand(3).rolled([1, v, 1, 1, 1]), "roll", whole(1)),
    (lambda v: catalogue.giving_up(dl.ten_thousand(3), [(v,)]), "allowed", whole(1, 6)),
    (lambda v: studies.portrait([v, "1/2"], 3), "probabilities", NOT_PROBABILITIES),
    (lambda v: textbook.learn(dl.piglet(3), games=10, checkpoints=[v]), "checkpoints", whole(1)),
]
FIELDS = {"start": "mode"}  # what is called otherwise in the message
FIELDS |= {("mode", "name"): "mode", ("take", "name"): "option", ("appendix_algorithm", "n"): "n"}


def named(function):
    return getattr(function, "__name__", type(function).__name__)


CASES = [
    pytest.param(function, good, argument, value, id=f"{named(function)}-{argument}-{name}")
    for function, good, arguments in DOORS
    for argument, values in arguments.items()
    for name, value in values.items()
]


def test_the_table_is_as_large_as_it_is_meant_to_be():
    assert len(CASES) + len(ITEM_CASES) > 2500
    doors_known = {named(function) for function, _, _ in DOORS}
    without_arguments = {"Policy", "end_race_or_keep_pace"}
    assert set(dl.__all__) - without_arguments <= doors_known


PHRASES = "not allowed", "is not a mode of", "has no parameter", "this policy is for", "nothing is said", "is needed"


def check(said, field, values):
    """The message names the argument first, shows the value, shortened, and says what is allowed."""
    assert re.match(rf"{re.escape(field)}(\[.*?\])*:", said), said
    assert any(phrase in said for phrase in PHRASES), said
    assert len(said) < 900, said
    plain = [value.item() for value in values if isinstance(value, np.integer)]
    plain += [str(value) for value in values if isinstance(value, Path | str)]
    assert any(doors.shown(value) in said for value in [*values, *plain]), said


def parts_of(value):
    """The value, and if it is a sequence or a dict what is in it: what the message may show."""
    yield value
    if isinstance(value, dl.Solution):
        yield value.objective
    if isinstance(value, dl.Game):
        yield value.target
    if isinstance(value, np.ndarray):
        yield value.shape
    if isinstance(value, dict):
        for key, part in value.items():
            yield key
            yield from parts_of(part)
    elif isinstance(value, list | tuple | set):
        for part in value:
            yield from parts_of(part)


@pytest.mark.parametrize(("function", "good", "argument", "value"), CASES)
def test_bad_arguments_are_refused(function, good, argument, value):
    with pytest.raises(ValueError) as caught:
        function(**good | {argument: value})
    assert type(caught.value) in (ValueError, reproduce.UsageError)
    field = FIELDS.get((named(function), argument), FIELDS.get(argument, argument))
    said = str(caught.value)
    if argument == "papers" and said.startswith("paper: "):
        field = "paper"
    check(said, field, [*parts_of(value)])


ITEM_CASES = [
    pytest.param(function, field, value, id=f"{k}-{field}-{name}")
    for k, (function, field, values) in enumerate(ITEMS)
    for name, value in values.items()
]


@pytest.mark.parametrize(("function", "field", "value"), ITEM_CASES)
def test_bad_entries_are_refused(function, field, value):
    with pytest.raises(ValueError) as caught:
        function(value)
    assert type(caught.value) is ValueError
    check(str(caught.value), field, [*parts_of(value), *parts_of([value])])
