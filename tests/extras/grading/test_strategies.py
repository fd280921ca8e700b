"""The door for strategies: twenty styles of writing *hold at 20*, each read right or refused with the way to say it."""

import functools
import json
import re

import numpy as np
import pandas as pd
import pytest

import dicelab as dl
from dicelab._parameters import role_of
from dicelab.views import tables
from dicelab_extras import grading

PIG, SIZE = dl.pig(30), 30
AT = 12
EXPECTED = dl.evaluate(PIG, dl.hold_at(AT), dl.hold_at(7)).first_wins
THRESHOLDS = np.full((SIZE, SIZE), AT)


def turn_first(turn_score, op_score, player_score):
    return "roll" if turn_score < AT else "hold"


def camel_case(myScore, opponentScore, turnTotal):
    return "Hold" if turnTotal >= AT else "Roll"


def of_the_literature(i, j, k):
    return "roll" if k < AT else "hold"


def should_hold(turn_total):
    return turn_total >= AT


def roll_again(score, opponent_score, turn_total, limit=AT):
    return np.bool_(turn_total < limit)


def stops(*, turn, other, own):
    return 1 if turn >= AT else 0


def threshold(own, opponent):
    return float(AT)


def should_roll(own, opponent):
    return int(opponent >= own)


class Player:
    def __init__(self, limit):
        self.limit = limit

    def __call__(self, mine, theirs, accumulated, dice):
        return "hold" if accumulated >= self.limit else "roll"

    def decide(self, player, rival, round_score):
        return "hold" if round_score >= self.limit else "roll"


def long_table(**names):
    frame = pd.MultiIndex.from_product([range(SIZE)] * 2, names=["own", "opponent"]).to_frame(
        index=False
    )
    frame["hold at"] = AT
    return frame.rename(columns=names)


def states():
    rows = [
        (own, other, total)
        for own in range(SIZE)
        for other in range(SIZE)
        for total in range(1, SIZE - own)
    ]
    frame = pd.DataFrame(rows, columns=["own", "opponent", "turn total"])
    frame["action"] = np.where(frame["turn total"] < AT, "roll", "hold")
    return frame.sample(frac=1, random_state=1)


def one_more(frame):
    """The table of a language that counts from 1."""
    return frame.assign(own=frame["own"] + 1, opponent=frame["opponent"] + 1)


RAGGED = [[[k < AT for k in range(SIZE - i)] for _ in range(SIZE)] for i in range(SIZE)]
WORTH = (
    states()
    .assign(roll=lambda frame: AT - 0.5 - frame["turn total"], hold=0)
    .drop(columns="action")
)
FIRST_ROLL = WORTH[WORTH["turn total"] == 1].assign(**{"turn total": 0, "hold": ""})


READ = {
    "another order of parameters": turn_first,
    "camel case and capitals": camel_case,
    "i, j, k": of_the_literature,
    "a bool, the name says hold": should_hold,
    "a bool, the name says roll": roll_again,
    "keywords only, 1 and 0": stops,
    "a threshold": threshold,
    "an object that is called": Player(AT),
    "a method": Player(AT).decide,
    "a part of a function": functools.partial(roll_again, limit=AT),
    "numpy.where": lambda turn: np.where(turn < AT, "roll", "hold"),
    "a threshold by the target": lambda target: AT,
    "a rule with an if": dl.Rule("mine", lambda own, opponent, total, target: min(total, AT) == AT),
    "a whole number": AT,
    "a float": float(AT),
    "words": "Hold-at 12",
    "an array of thresholds": THRESHOLDS,
    "an array of text": THRESHOLDS.astype(str),
    "bools": dl.hold_at(AT).roll_mask(game=PIG),
    "words in an array": np.where(dl.hold_at(AT).roll_mask(game=PIG), "roll", "hold"),
    "a dict of pairs": {(i, j): AT for i in range(SIZE) for j in range(SIZE)},
    "a long table of others": long_table(
        own="Your Score", opponent="Opponent's Score", **{"hold at": "Total to Hold"}
    ),
    "records": long_table().to_dict("records"),
    "columns": long_table().to_dict("list"),
    "states": states(),
    "a column that says hold": states()
    .assign(hold=lambda frame: frame["action"] == "hold")
    .drop(columns="action"),
    "ragged lists": RAGGED,
    "ragged lists of words": [
        [["roll" if rolls else "hold" for rolls in row] for row in rows] for rows in RAGGED
    ],
    "two values": WORTH.rename(columns={"roll": "Q_roll", "hold": "Q_hold"}),
    "two values, and none of a hold before the first roll": pd.concat([WORTH, FIRST_ROLL]),
    "scores from 1": one_more(long_table()),
    "states from 1": one_more(states()),
    "states and turn totals from 1": one_more(states()).assign(
        **{"turn total": states()["turn total"] + 1}
    ),
    "pairs from 1": {(i + 1, j + 1): AT for i in range(SIZE) for j in range(SIZE)},
    "wide from 1": pd.DataFrame(THRESHOLDS, range(1, SIZE + 1), range(1, SIZE + 1)),
    "wide": pd.DataFrame(THRESHOLDS),
    "wide, transposed": pd.DataFrame(THRESHOLDS.T)
    .rename_axis("opponent")
    .rename_axis("own", axis=1),
}


@pytest.mark.parametrize("strategy", READ.values(), ids=READ)
def test_twenty_styles_and_more(strategy):
    match = dl.evaluate(PIG, grading.read(PIG, strategy), 7)
    assert match.first_wins == EXPECTED
    assert bool(match.first.read_as) == (match.first != dl.hold_at(AT)), "its name says all"
    assert match.first.read_as in repr(match)


SAID = {
    "another order": (
        turn_first,
        "turn_score is the turn total, op_score is the opponent's score, player_score is the own score",
    ),
    "a name that says hold": (should_hold, "True means hold, by its name"),
    "a constant": (lambda own, opponent, turn_total: "hold" if turn_total else "roll", "by name"),
    "a number": (lambda own, opponent: 7, "it answers the turn total to hold at"),
    "thresholds": (THRESHOLDS, "the lowest turn total to hold at, by [own, opponent]"),
    "decisions": (READ["bools"], "whether to roll, True or 1, by [own, opponent, turn total]"),
    "transposed": (
        READ["wide, transposed"],
        "rows are the opponent's score, columns the own score; hold at is the lowest turn total to hold at",
    ),
    "ragged lists": (RAGGED, "whether to roll, True or 1, by [own, opponent, turn total]"),
    "two values": (
        READ["two values"],
        "the larger of Q_roll and Q_hold (hold, if equal) is what to do",
    ),
    "scores from 1": (READ["scores from 1"], "scores begin at 1"),
    "wide from 1": (READ["wide from 1"], "scores begin at 1"),
    "totals from 1": (
        READ["states and turn totals from 1"],
        "scores begin at 1; turn totals begin at 1",
    ),
    "a dict": (READ["a dict of pairs"], "hold at is the lowest turn total to hold at"),
    "a long table": (
        READ["a long table of others"],
        "Total to Hold is the lowest turn total to hold at",
    ),
    "a column too many": (long_table().assign(value=0.5), "not read: value"),
    "states": (READ["states"], "action is what to do"),
}


@pytest.mark.parametrize(("strategy", "said"), SAID.values(), ids=SAID)
def test_how_a_strategy_was_read_is_said(strategy, said):
    mine = grading.grade(PIG, strategy)
    assert said in mine.strategy.read_as and said in str(mine)


def even(own, opp, turn):
    return "hold" if opp % 2 or turn >= 20 else "roll"


HELD = dl.hold_at(AT).roll_mask(game=PIG) & (np.arange(SIZE) > 0)
PASSES = {  # how many pairs of scores, and the first of them
    "a function": (even, 450, "own=0, opponent=1"),
    "turn totals of a function": (lambda me, them: them - 1, 60, "own=0, opponent=0"),
    "a rule": (
        dl.Rule("x", lambda own, opponent, k, target: k >= 10 - own),
        600,
        "own=10, opponent=0",
    ),
    "thresholds": (np.triu(np.full((SIZE, SIZE), AT)), 435, "own=1, opponent=0"),
    "decisions": (
        np.where(np.arange(SIZE) == 0, np.eye(SIZE)[..., None] == 0, HELD),
        SIZE,
        "own=0, opponent=0",
    ),
    "states": (
        pd.concat([states(), pd.DataFrame([[3, 4, 0, "hold"]], columns=states().columns[:4])]),
        1,
        "own=3, opponent=4",
    ),
}


@pytest.mark.parametrize(("strategy", "pairs", "first"), PASSES.values(), ids=PASSES)
def test_a_hold_before_the_first_roll_is_refused(strategy, pairs, first):
    """It means a pass, and would win less than the roll that was read in its place."""
    said = f"holds before the first roll at {pairs} of 900 pairs of scores, first at {first};"
    with pytest.raises(ValueError, match=re.escape(said)):
        dl.evaluate(PIG, grading.read(PIG, strategy), 5)


FILES = {
    "mine.csv": long_table().to_csv(index=False),
    "excel.csv": "\ufeff" + long_table().to_csv(index=False, sep=";", lineterminator="\r\n"),
    "wide.csv": pd.DataFrame(THRESHOLDS).to_csv(),
    "wide from 1.csv": READ["wide from 1"].to_csv(),
    "values.csv": READ["two values"].to_csv(index=False),
    "ragged.json": json.dumps(RAGGED),
    "numbers.csv": pd.DataFrame(THRESHOLDS).to_csv(index=False, header=False),
    "decimal comma.csv": pd.DataFrame(THRESHOLDS.astype(float)).to_csv(sep=";", decimal=","),
    "comments.csv": "# from my simulation\n\n" + long_table().to_csv(index=False) + "\n\n",
    "turned.csv": "opponent\\own" + pd.DataFrame(THRESHOLDS).to_csv(),
    "blanks.txt": "\n".join(" ".join(["12"] * SIZE) for _ in range(SIZE)),
    "mine.json": json.dumps(THRESHOLDS.tolist()),
    "pairs.json": json.dumps({f"{i},{j}": AT for i in range(SIZE) for j in range(SIZE)}),
    "records.json": long_table().to_json(orient="records"),
    "columns.json": long_table().to_json(),
    "one number.json": str(AT),
    "a rule.json": f'"hold at {AT}"',
    "a lambda.py": f"should_roll = lambda own, opponent, turn_total: turn_total < {AT}\n",
    "mine.py": f"def strategy(pending):\n    return 'roll' if pending < {AT} else 'hold'\n",
}


@pytest.mark.parametrize("name", FILES)
def test_files(name, tmp_path):
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8", newline="")
    for given_as in (path, str(path)):
        assert dl.evaluate(PIG, grading.read(PIG, given_as), 7).first_wins == EXPECTED


@pytest.mark.parametrize("game", [dl.pig(12), dl.double_trouble(10)], ids=lambda game: game.name)
def test_our_own_tables_are_read(game, tmp_path):
    solution, path = dl.solve(game), tmp_path / "values.csv"
    tables.write_csv(solution, path)
    for table in (path, solution.to_frame()):
        graded = grading.grade(game, table)
        assert graded.loss == pytest.approx(0, abs=1e-15) and not len(graded.decisions)
    with pytest.raises(
        ValueError, match="which dice to set aside, too, which is not read from a table"
    ):
        grading.grade(dl.ten_thousand(4), dl.solve(dl.ten_thousand(4)).to_frame())


def test_a_function_in_a_file_by_its_name(tmp_path):
    path = tmp_path / "several.py"
    path.write_text(
        f"def a(k): return 'hold'\ndef b(own, opponent): return {AT}\nTABLE = [[{AT}] * 30] * 30\n"
    )
    for name in ("b", "TABLE"):
        assert dl.evaluate(PIG, grading.read(PIG, f"{path}:{name}"), 7).first_wins == EXPECTED
    with pytest.raises(ValueError, match="there is no 'c'; it defines a and b"):
        grading.read(PIG, f"{path}:c")


def changed(at, value):
    frame = long_table().astype(object)
    frame.loc[at, "hold at"] = value
    return frame


REFUSED = {
    "a name that says both": (grading.read, "it cannot be told what"),
    "letters": (
        lambda a, b, c: "roll",
        "name the parameters own, opponent and turn_total, in any order",
    ),
    "two own scores": (lambda mine, your_score, k: "roll", "would both be the own score"),
    "a missing pair": (
        long_table().drop(index=[31]),
        "own=1, opponent=1 is missing; give each of them once",
    ),
    "a pair twice": (
        pd.concat([long_table(), long_table().head(1)]),
        "own=0, opponent=0 is there more than once",
    ),
    "a score too many": (
        long_table().replace({"own": {29: 30}}),
        "30 in the row 871 of 'own' is not allowed",
    ),
    "no whole number": (changed(3, 12.5), "12.5 in the row 4 of 'hold at' is not allowed"),
    "columns without names": (
        long_table(own="a", opponent="b"),
        "columns are not labelled by scores",
    ),
    "no answer": (long_table(**{"hold at": "x"}), "none says what to do"),
    "two answers": (long_table().assign(threshold=AT), "more than one says what to do"),
    "states without a total": (long_table(**{"hold at": "action"}), "no column is the turn total"),
    "the wrong shape": (
        np.full((29, 30), AT),
        r"of shape \(29, 30\) is not allowed; give one of shape \(30, 30\)",
    ),
    "ragged lists": ([[AT] * 30] * 29 + [[AT] * 29], "the lists have different lengths"),
    "a mask of holds": (
        ~dl.hold_at(AT).roll_mask(game=PIG),
        "the table holds before the first roll at",
    ),
    "a probability": (
        np.where(np.arange(SIZE) == 3, 0.5, np.ones((SIZE,) * 3)),
        "0.5 is not allowed at own=0, opponent=0, turn_total=3; give 0 or False for hold, 1 or True for roll",
    ),
    "probabilities to hold": (
        states().drop(columns="action").assign(hold="0.25"),
        "'0.25' in the row 1 of 'hold' is not a decision; give .* 0 or False for roll, 1 or True for hold",
    ),
    "a negative threshold": (THRESHOLDS - 20, "a whole number of at least 0"),
    "a dict of dicts": ({0: {0: 20}}, "a dict with the key 0 is not allowed"),
    "bool": (True, "True is not allowed; give a policy, a whole number to hold at"),
    "a name": ("optimal play", "give a rule, 'hold at n', .* or a file that ends in .py, .csv"),
    "yes and no": (should_roll, "answers 0 and 1 only, and asks for no turn total"),
    "yes and no in a table": (pd.DataFrame(THRESHOLDS > 20), "give a whole number of at least 0"),
    "own scores alone from 1": (
        long_table().assign(own=one_more(long_table())["own"]),
        "30 in the row 871 of 'own' is not allowed",
    ),
    "no value": (WORTH.assign(roll="", hold=""), "'' in the row 1 of 'the larger of roll and hold"),
    "two columns that say roll": (
        WORTH.rename(columns={"hold": "roll again"}),
        "more than one says what to do",
    ),
    "a decision and a threshold": (
        WORTH.rename(columns={"hold": "hold at"}),
        "more than one says what to do",
    ),
    "lists too long": (
        [[[True, *row] for row in rows] for rows in RAGGED],
        "the lists have different lengths",
    ),
    "yes and no in lists": ((THRESHOLDS > 20).tolist(), "decision|bools"),
    "0 and 1 as turn totals": (
        np.arange(SIZE**2).reshape(SIZE, SIZE) % 2,
        "0 and 1 only, which would be turn totals to hold at; g",
    ),
    "no file": ("none.csv", "there is no file 'none.csv'"),
}


@pytest.mark.parametrize(("strategy", "said"), REFUSED.values(), ids=REFUSED)
def test_what_is_refused(strategy, said):
    with pytest.raises(ValueError, match=said):
        grading.grade(PIG, strategy)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("three.csv", "0,0,20\n0,1,20\n1,0,20\n1,1,20\n", "it cannot be told which is which"),
        ("empty.csv", "\n\n", "empty.csv is empty"),
        ("short.csv", "own,opponent,hold at\n0,0\n", "'0,0' has 2 entries, the first line 3"),
        (
            "open.csv",
            'own,opponent,hold at\n0,0,"1\n0,1,2\n',
            "opens a quotation mark that it does not close",
        ),
        (
            "dots.csv",
            "own,opponent,hold at\n0,0,20…\n",
            r"the character '…' \(U\+2026\) is not read",
        ),
        ("broken.json", "[[20,", "broken.json, line 1: .* it is not JSON"),
        ("one.json", "3.5", r"one\.json holds|3\.5 is not allowed"),
        (
            "class.py",
            "class A:\n    def __call__(self, turn): 1\n",
            r"a class A; add strategy = A\(\)",
        ),
        ("words.csv", "when,what\nnow,roll\n", "begins with the line 'when,what'"),
    ],
)
def test_files_that_are_refused(name, text, said, tmp_path):
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=said):
        grading.grade(PIG, tmp_path / name)


NAMES = {
    "own": ["own", "own_score", "my_total", "mine", "me", "playerScore", "player_points"],
    "opponent": ["opponent", "opp_score", "other", "them", "opTotal", "theirs", "rival_score"],
    "turn_total": ["turn_total", "turnScore", "pending", "k", "my_turn_points", "round_total", "total", "turntotal"],
    None: ["x", "opponent_turn_total", "current", "rng", "my_opponent", "score2"],
}  # fmt: skip


@pytest.mark.parametrize(("role", "name"), [(role, name) for role in NAMES for name in NAMES[role]])
def test_what_names_of_parameters_say(role, name):
    assert role_of(name) == role


def test_every_verb_takes_every_strategy():
    game, mine = dl.pig(20), turn_first
    plain = dl.hold_at(AT)
    assert dl.best_response(game, mine).value == dl.best_response(game, plain).value
    assert dl.loss(game, mine) == dl.loss(game, plain)
    assert dl.turn_points(game, mine).equals(dl.turn_points(game, plain))
    assert (
        dl.evaluate(game, mine, 7, 9).wins
        == dl.evaluate(game, plain, dl.hold_at(7), dl.hold_at(9)).wins
    )
    one, other = (dl.simulate(game, policy, 7, games=1000) for policy in (mine, plain))
    assert one.first_wins == other.first_wins


def test_games_by_name():
    assert dl.solve("pig 20").value == dl.solve(dl.pig(20)).value
    assert (
        dl.evaluate("two-dice-pig", 20, 25).first_wins
        == dl.evaluate(dl.two_dice_pig(), dl.hold_at(20), dl.hold_at(25)).first_wins
    )
    with pytest.raises(ValueError, match=r"game: 'pigs' is not allowed; give one of 'pig'"):
        dl.solve("pigs")


PAIRS = [(own, opponent) for own in range(SIZE) for opponent in range(SIZE)]
BEHIND = {(own, opponent): "roll" if opponent > own else AT for own, opponent in PAIRS}
TURNED_ROUND = "don't roll", "not hold", "hold above"
BADLY_NAMED = "shouldnt_roll", "cannot_hold", "done_rolling"


def test_roll_in_a_table_of_totals_is_never_hold():
    """A word in a table of turn totals to hold at: the same in a dict, a frame, lists and a function."""

    def same(own, opponent):
        return "roll" if opponent > own else AT

    wide = pd.DataFrame(
        [[BEHIND[own, opponent] for opponent in range(SIZE)] for own in range(SIZE)]
    )
    long = pd.DataFrame(
        [(*pair, total) for pair, total in BEHIND.items()], columns=["own", "opponent", "hold at"]
    )
    wins = {
        dl.evaluate(PIG, grading.read(PIG, given), 7).first_wins
        for given in (BEHIND, wide, long, wide.to_numpy().tolist(), same)
    }
    assert len(wins) == 1


@pytest.mark.parametrize("name", TURNED_ROUND)
def test_columns_that_turn_the_meaning_round_are_refused(name):
    states = [(*pair, total, total < AT) for pair in PAIRS for total in range(SIZE)]
    by_state = pd.DataFrame(states, columns=["own", "opponent", "turn total", name])
    by_pair = pd.DataFrame([(*pair, AT) for pair in PAIRS], columns=["own", "opponent", name])
    for table in (by_state, by_pair):
        with pytest.raises(ValueError, match=r"the column .* is not understood, because of"):
            grading.grade(PIG, table)


@pytest.mark.parametrize("name", BADLY_NAMED)
def test_functions_whose_names_turn_the_meaning_round_are_refused(name):
    def function(own, opponent, turn_total):
        return turn_total < AT

    function.__name__ = name
    with pytest.raises(ValueError, match="it is not said whether that means roll or hold"):
        grading.grade(PIG, function)
