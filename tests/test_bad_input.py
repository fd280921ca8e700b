"""Bad input at every door: for each function and argument, the bad values of its kind."""

import itertools
import json
import re
import shutil
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

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
from dicelab.cli import main
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
        re.sub(" at 0x.*", "", f"{type(value).__name__}-{doors.shown(value)}")[:40]: value
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


NAMES = kind("pigs", "", "REACH", " reach", None, True, 3, 3.0, b"reach", ["reach"], ("win",), Odd(), "x" * 5000)
NAMES |= kind(np.array(["a", "b"]))
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
        FINISH
        | {"probabilities": SEQUENCES, "dice": whole(1, 100), "bust": whole(1, 1), "reset": optional(1, 1)}
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
        {
            "own": scores(3),
            "opponent": scores(3),
            "turn_total": whole(0),
            "roll": SEQUENCES | kind([7], [0], [], [1] * 6),
        },
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
    (
        dl.certify,
        {"solution": SOLVED},
        {"solution": ANY | {"best response": RESPONSE, "exact": EXACT}, "settle": whole(0)},
    ),
    (
        dl.bounds,
        {"solution": SOLVED},
        {"solution": ANY | {"best response": RESPONSE, "exact": EXACT, "score": dl.solve(PIG, "score")}},
    ),
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
        | {
            "grid": {n: v for n, v in SEQUENCES.items() if v != {1: 2}}
            | kind({"n": 3}, {3: [1]}, [3], [{"n": 1}, {}], {"": [1]}, {"n": "12"})
        },
    ),
    (dl.published, {"paper": "generalized-pig", "table": "table-1"}, {"paper": NAMES, "table": NAMES}),
    (
        dl.compare,
        {"paper": "generalized-pig", "table": "table-1"},
        {
            "paper": NAMES,
            "computed": kind(3, "0.5", [0.5], 0.5, True, Odd(), {10: None}, {10: float("nan")})
            | kind(
                {10: float("inf")}, {10: True}, {10: [0.5]}, {10: 1j}, {10: Odd()}, {10: Decimal("0.7")}, {10: b"0.7"}
            ),
        },
    ),
    (
        dl.compare,
        {"paper": "generalized-pig", "computed": None},
        {"table": {n: v for n, v in NAMES.items() if v is not None}},
    ),
    (
        dl.compare,
        {"paper": "two-dice-pig", "table": "table-a2"},
        {
            "computed": kind(
                *({(10, "first"): v} for v in (0.5, None, (0.5,), (0.5, -1), (0.5, "1"), ("x", float("nan")), "x"))
            )
        },
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
        {
            "solution": SOLUTIONS,
            "seed": optional(0),
            "names": SEQUENCES | kind([], ["a"], ["a", "b", "c"], ["a", 3], ["a", ""]),
        },
    ),
    (
        play.Play(SOLVED).take,
        {},
        {"name": kind("hold", "", None, 3, True, ["roll"], "ROLL", b"roll", Odd(), np.array(["a"]))},
    ),
    (
        studies.all_dice,
        {"points": 2, "faces": 2, "parts": 2},
        {"points": whole(1, 100), "faces": whole(2), "parts": whole(2)},
    ),
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
    (
        textbook.shapley,
        {"game": STAGES, "values": dict.fromkeys(STAGES.stages, 0.0)},
        {"game": ANY, "values": kind(None, 3, [0.5], {1})},
    ),
    (textbook.solve_stochastic, {"game": STAGES}, {"game": ANY, "tolerance": TOLERANCE, "max_sweeps": whole(1)}),
    (
        textbook.matrix_game,
        {},
        {
            "payments": kind(
                None, 3, "x", [], [[]], [1, 2], [[1], [2, 3]], [["a"]], [[float("nan")]], [[float("inf")]], Odd()
            )
        },
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
        | {
            "follow": {n: p for n, p in POLICIES.items() if p is not None},
            "checkpoints": SEQUENCES | kind([0], [11], [5, 3]),
        },
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
]
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


@pytest.mark.parametrize("kind_of_int", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint64, np.intp])
def test_numpys_integers_are_counts(kind_of_int):
    n = kind_of_int(20)
    game = dl.pig(n)
    assert game == dl.pig(20) and type(game.target) is int
    assert dl.hold_at(n).name == "hold at 20" and type(dl.Choice(n, "roll").points) is int
    assert dl.solve(game).policy.rolls(kind_of_int(3), kind_of_int(4), kind_of_int(5)) is True
    assert dl.farkle(one=kind_of_int(100), triples=[kind_of_int(100)] * 6) == dl.farkle(triples=[100] * 6), (
        "no overflow"
    )
    outcome = dl.Outcome(kind_of_int(1), "bust")
    assert type(outcome.probability.numerator) is int


@pytest.mark.parametrize(
    ("value", "probability"),
    [
        ("1/6", Fraction(1, 6)),
        (" 1/6\n", Fraction(1, 6)),
        (0.1, Fraction(1, 10)),
        (np.float64(0.1), Fraction(1, 10)),
        (5e-324, Fraction(5, 10**324)),
        (Decimal("0.10"), Fraction(1, 10)),
        ("1e-3", Fraction(1, 1000)),
        ("0." + "0" * 990 + "1", Fraction(1, 10**991)),
        (Fraction(1, 10**999), Fraction(1, 10**999)),
        (1, Fraction(1)),
    ],
)
def test_probabilities_as_they_may_be_written(value, probability):
    assert doors.as_probability(value) == probability


def test_dice_whose_chances_take_too_long_are_refused_at_once():
    third = Fraction(10**999 // 3, 10**999)
    for die, dice, said in (
        ([third, third, 1 - 2 * third], 60, "common denominator to the power of 60 has more than 1,000 digits"),
        (
            [Fraction(1, 3), Fraction(2, 3)],
            101,
            "dice: 101 is not allowed; give a whole number of at least 1 and at most 100",
        ),
        (["1/9"] * 9, 100, "different rolls; at most 100,000 are allowed"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            dl.generalized_pig(die, 100, dice=dice)
    with pytest.raises(ValueError, match="outcomes: their common denominator has more than 1,000 digits"):
        dl.Mode("roll", [dl.Outcome(Fraction(1, 10**600 + k), "bust") for k in range(3)])
    with pytest.raises(ValueError, match="modes: 101 of them are not allowed; give at most 100"):
        dl.Game("long", 3, [dl.Mode(str(k), [dl.Outcome(1, dl.Choice(1, "0"))]) for k in range(101)])


@pytest.mark.parametrize("answer", [1, np.array([0]), "hold", None, 0.5, np.array([True, False]), [True] * 3])
def test_a_rule_that_answers_with_no_bools(answer):
    rule = dl.Rule("odd", lambda own, opponent, totals, target: answer)
    with pytest.raises(ValueError, match=r"holds: 'odd' answers with .* it must give bools"):
        dl.evaluate(PIG, rule, dl.hold_at(3))


@pytest.mark.parametrize(
    "decided", [None, np.zeros(3, bool), np.zeros((8, 1, 8)), np.zeros((8, 2, 8), bool), [[[True]]]]
)
def test_a_policy_that_decides_nothing(decided):
    class Strange(dl.Policy):
        def row(self, game, own, memory=0):
            return decided

    for ask in (dl.evaluate, dl.simulate):
        with pytest.raises(ValueError, match=r"second: what row of .* returns is no array"):
            ask(PIG, dl.hold_at(3), Strange())


def test_a_policy_that_takes_what_there_is_not():
    class Strange(dl.Policy):
        def decisions(self, game, own, opponent, memory=0):
            return np.ones((len(game.modes), game.target - own), bool)

        def takes(self, game, own, memory=0):
            return np.full_like(super().takes(game, own), 200)

    with pytest.raises(ValueError, match=r"first: what takes of .* are no numbers of choices"):
        dl.simulate(dl.ten_thousand(3), Strange(), dl.hold_at(3), games=1)


# The command line


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve"], "Missing argument"),
        (["solve", "hog"], "'hog' is not one of"),
        (["solve", "pig", "more"], "unexpected extra argument"),
        *(
            (["solve", "pig", "--target", text], "--target")
            for text in ("0", "-1", "x", "1.5", "1e3", "", "nan", "True")
        ),
        (["solve", "pig", "--target", str(10**30)], "of memory, more than half of the"),
        (["solve", "pig", "--target", str(10**100)], "at most 100 digits"),
        (["solve", "pig", "--target", "9" * 5000], "not a valid integer"),
        (["solve", "two-dice-pig", "--exact", "--target", "1000"], "of memory, more than half of the"),
        *((["solve", "pig", "--objective", text], "--objective") for text in ("", "WIN", "luck", "1")),
        *(
            (["solve", "pig", "-o", text], "file: ")
            for text in ("", "x", "x.txt", ".csv", "x.csv.gz", "none/x.csv", "a\0.csv")
        ),
        (["solve", "pig", "--exact", "yes"], "unexpected extra argument"),
        (["play", "pig", "--seed", "-1"], "--seed"),
        (["play", "pig", "--seed", str(10**100)], "seed: "),
        (["play", "pig", "--target", str(10**12)], "of memory, more than half of the"),
        (["compare"], "Missing argument"),
        (["compare", "pig"], "paper: 'pig' is not allowed; give one of"),
        (["compare", "generalized-pig", "../errata"], "table: '../errata' is not allowed; give one of"),
        (["compare", "generalized-pig", "table-1", "x"], "unexpected extra argument"),
        (["reproduce", "../../x"], "paper: '../../x' is not allowed"),
        *((["reproduce", "--jobs", text], "jobs") for text in ("0", "-2", "1001", str(10**100), "x", "1.5", "")),
        *((["reproduce", "--timeout", text], "timeout") for text in ("0", "-1", str(10**10), "x", "inf")),
        (["reproduce", "-p", "", "3"], "has no parameter ''"),
        (["reproduce", "-p", "target", "(" * 5000], "has no parameter 'target'"),
        (["slides", "x"], "lecture: 'x' is not one"),
        *((["slides", "--timeout", text], "timeout") for text in ("0", "-1", "x")),
        (["sing"], "No such command"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_the_command_line_refuses_in_a_sentence(arguments, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code in (1, 2) and isinstance(result.exception, SystemExit), result.exception
    assert said in result.output and "Traceback" not in result.output
    assert not list(tmp_path.iterdir()), "nothing is left behind"


# Files that were edited by hand


@pytest.fixture
def data(tmp_path, monkeypatch):
    """A copy of the data, to be damaged."""
    module = sys.modules["dicelab.published"]
    shutil.copytree(module.DATA, tmp_path / "data")
    monkeypatch.setattr(module, "DATA", tmp_path / "data")
    module.resources.cache_clear()
    yield tmp_path / "data"
    module.resources.cache_clear()


TABLE = "published/generalized-pig/table-1.csv"


@pytest.mark.parametrize(
    "text",
    [
        "", "\n", "target\n10\n", "printed,target\n0.5,10\n", "target,printed,more\n10,0.5,1\n", "target,printed\n10\n",
        "target,printed\n10,0.5,0.6\n", "target,printed\nx,0.5\n", "target,printed\n1.5,0.5\n", "target,printed\n10,\n",
        "target,printed\n,0.5\n", "target,printed\n10,x\n", "target,printed\n10,1/0\n", "target,printed\n10,1e99999\n",
        "target,printed\n10,nan\n", 'target,printed\n10,"0.5\n', "target,printed\n10,0.5%%\n",
        "target,printed\n10,0.5\n\n1\n",
        "target,printed\n1" + "0" * 300 + ",0.5\n", "target;printed\n10;0.5\n", "target,printed\n10,\0\n",
        "target,printed\n10,__import__('os')\n", "target,printed\n٣x,0.5\n", "<html>", "PK\x03\x04",
    ],
)  # fmt: skip
def test_a_damaged_table_is_named(data, text):
    (data / TABLE).write_text(text)
    with pytest.raises(ValueError, match=r"table-1\.csv|printed: "):
        dl.compare("generalized-pig", "table-1", {10: 0.7})


def test_a_table_that_is_no_text_or_is_gone(data):
    (data / TABLE).write_bytes(b"target,printed\n\xff\xfe,0.5\n")
    with pytest.raises(ValueError, match=r"table-1\.csv: not a table that can be read"):
        dl.published("generalized-pig", "table-1")
    (data / TABLE).unlink()
    with pytest.raises(ValueError, match=r"table-1\.csv: not a table that can be read"):
        dl.published("generalized-pig", "table-1")


RESOURCE = {"name": "generalized-pig/table-1", "path": TABLE}
RESOURCE["schema"] = {"fields": [{"name": "target", "type": "integer"}, {"name": "printed", "type": "string"}]}


@pytest.mark.parametrize(
    "text",
    [
        "", "{", "[]", "3", "null", '{"resources": 3}', '{"resources": [3]}', '{"resources": [{}]}', "[" * 100_000,
        *(
            json.dumps({"resources": [RESOURCE | change]})
            for change in (
                {"path": "../x.csv"}, {"path": "/etc/passwd"}, {"path": "https://example.org/x.csv/../../../../x.csv"},
                {"path": "x.pickle"}, {"path": 3}, {"path": "x.csv.gz"}, {"name": 3}, {"name": "x"}, {"schema": 3},
                {"schema": {"fields": [{"name": "target"}]}}, {"schema": {"fields": [{"name": "x", "type": "object"}]}},
                {"games": 0}, {"games": "many"}, {"games": 0.5}, {"games": True},
            )
        ),
    ],
)  # fmt: skip
def test_a_damaged_description_of_the_tables_is_named(data, text):
    (data / "datapackage.json").write_text(text)
    with pytest.raises(ValueError, match=r"datapackage\.json: not what describes the tables"):
        dl.published("generalized-pig", "table-1")


@pytest.mark.parametrize(
    "text", ["", "1", "1/0", "1/2/3", "x/2", "-1/2", "1.5/2", "1e9/2", " 1/2", "1/2\n\n", "/", "0x1/2"]
)
def test_a_damaged_exact_value_is_named(data, text):
    (data / "exact" / "pig-100.txt").write_text(text)
    with pytest.raises(ValueError, match=r"pig-100\.txt: not an exact value"):
        exact_value("pig-100")


@pytest.mark.parametrize("text", ["", "paper\nx\n", "paper,table,item,printed,correct,first_proof\n", "x" * 200_000])
def test_a_damaged_ledger_is_named(data, text):
    (data / "errata.csv").write_text(text)
    with pytest.raises(ValueError, match=r"errata\.csv: "):
        dl.compare("generalized-pig", "table-1", {10: 0.5})


LINES = ["", "x", "3", "[]", "{}", "[1]", "[1, 2]", '["a", 3]', '["a", []]', '[3, {"value": 1}]', '["a", {}, 3]']
LINES += ["[" * 99_999, "null", '"a"', '[[], {"value": 1}]', "nan", "__import__('os')", "[NaN, {}]"]


@pytest.mark.parametrize("line", LINES)
def test_a_file_of_another_kind_is_refused_and_kept(tmp_path, line):
    file = tmp_path / "study.jsonl"
    file.write_text(line + "\n")
    with pytest.raises(ValueError, match=r"file: .* is not allowed; it is no file of an earlier sweep"):
        dl.sweep(abs, {"x": [1]}, n_jobs=1, file=file)
    assert file.read_text() == line + "\n"


# Notebooks, and what is typed into a widget

CELL = {"cell_type": "code", "id": "a", "metadata": {"tags": ["parameters"]}, "outputs": [], "execution_count": None}
NOTEBOOK = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}}
CELLS = [
    "",
    "n = 3",
    'n = m\nfigures = ""',
    'n: int = 3\nfigures = ""',
    'a = b = 3\nfigures = ""',
    'n = [{}][0]\nfigures = ""',
]
CELLS += ["figures = 3", 'n = {[]}\nfigures = ""', 'n = 3 +\nfigures = ""', 'n = open("made", "w")\nfigures = ""', "\0"]
CELLS += ['a, b = 1, 2\nfigures = ""', 'import os\nfigures = ""', "n = " + "(" * 5000, 'a.b = 3\nfigures = ""']


NOTEBOOKS = [{}, {"cells": 3}, {"cells": [3]}, {"cells": []}, {"cells": [CELL | {"metadata": {"tags": None}}]}]
NOTEBOOKS += [{"cells": [CELL | {"source": source}]} for source in CELLS]
NOTEBOOKS += [{"cells": [CELL | {"source": 'figures = ""', "id": name} for name in "ab"]}]
TEXTS_OF_NOTEBOOKS = ["", "{", "3", "[]", "null", "{}", "[" * 100_000, '{"nbformat": "x", "cells": []}']
TEXTS_OF_NOTEBOOKS += [json.dumps(NOTEBOOK | more) for more in NOTEBOOKS]


@pytest.mark.parametrize("text", TEXTS_OF_NOTEBOOKS)
def test_a_notebook_that_is_none_is_refused_and_not_run(tmp_path, monkeypatch, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.ipynb").write_text(text)
    with pytest.raises(reproduce.UsageError, match=r"x\.ipynb: "):
        reproduce.parameters_of(tmp_path / "x.ipynb")
    assert [path.name for path in tmp_path.iterdir()] == ["x.ipynb"]


@pytest.mark.parametrize(
    "faces",
    ["1/2 x", "1e999999999 0", "nan 1", "-1/2 3/2", "1/0 1", "9" * 5000, "__import__('os')", "0 " * 500, "½ ½", "\0"],
)
def test_a_die_typed_into_a_widget(faces):
    widgets = pytest.importorskip("dicelab.widgets")
    whole = widgets.design_a_die(target=5)
    typed = whole.children[0].children[0]
    typed.value = faces
    assert "probabilities" in whole.children[-2].value and whole.children[-1].layout.display == "none"
    assert len(whole.children[-2].value) < 500


@pytest.mark.parametrize("seed", ["x", "-1", "1.5", "1e3", "9" * 101, "9" * 5000, "True", "0x3", "²"])
def test_a_seed_typed_into_a_widget(seed):
    widgets = pytest.importorskip("dicelab.widgets")
    table = widgets.play_table("Pig", target=10)
    before, (seeds, again, _) = table.play, table.children[1].children
    seeds.value = seed
    again.click()
    assert "seed: " in table.children[2].value and "is not allowed" in table.children[2].value
    assert table.play is before


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        *(({"game": game}, "game") for game in ("Hog", "", None, 3)),
        *(({"target": target}, "target") for target in (0, "10", True, 1.5)),
        *(({"seed": seed}, "seed") for seed in (-1, 1.5, "1", True)),
    ],
)
def test_bad_arguments_of_a_widget(arguments, field):
    widgets = pytest.importorskip("dicelab.widgets")
    with pytest.raises(ValueError, match=rf"{field}: .* is not allowed; give"):
        widgets.play_table(**arguments)
    with pytest.raises(ValueError, match=r"dice: 11 is not allowed"):
        widgets.design_a_die(dice=11)
    with pytest.raises(ValueError, match=r"probabilities: 3 is not allowed"):
        widgets.design_a_die(3)
