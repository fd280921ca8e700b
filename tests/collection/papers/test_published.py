"""The printed numbers: provenance, verdicts, the ledger of errata; and wrong rules are mismatches."""

import json
import math
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import collection
import dicelab as dl
from collection.papers.comparison import numbers_left
from collection.papers.published import DATA, PAPERS, ROOT, as_number, errata, half_unit, read_table
from collection.papers.recipes import RECIPES
from dicelab._exact import ExactValue

TABLES = [(paper.slug, table) for paper in PAPERS for table in paper.tables]


def test_half_a_unit_of_the_last_printed_digit():
    assert half_unit("0.53059207") == Fraction(5, 10**9)
    assert half_unit("0.50963900") == Fraction(5, 10**9), "printed zeros count"
    assert half_unit("2/9") == half_unit("20") == 0
    assert half_unit("8%") == Fraction(5, 1000), "a percentage is rounded, even without decimals"
    assert half_unit("0.92%") == Fraction(5, 10**5)


@given(
    st.sampled_from(["", " ", "\u00a0", "\u202f"]),
    st.sampled_from(["", "+", "-", "−", "–"]),
    st.integers(0, 10**8),
    st.text("0123456789", max_size=8),
    st.booleans(),
)
def test_the_tolerance_is_that_of_the_number_that_is_read(blank, sign, whole, decimals, percent):
    """Decoration changes neither number nor tolerance, and the tolerance is half a unit of the last digit."""
    text = f"{blank}{sign}{whole}.{decimals}{blank}{'%' * percent}{blank}"
    last = Fraction(1, 10 ** len(decimals) * (100 if percent else 1))
    assert half_unit(text) == last / 2
    assert as_number(text) == int(f"{whole}{decimals}") * last * (-1 if sign in {*"-−–"} else 1)


@pytest.mark.parametrize("text", ["0,5", "", "1/0", "five", "1e", "½"])
def test_both_readers_refuse_the_same(text):
    for read in (as_number, half_unit):
        with pytest.raises(ValueError):
            read(text)


def test_every_table_has_provenance_and_a_recipe():
    package = json.loads((DATA / "datapackage.json").read_text())
    described = {resource["path"] for resource in package["resources"]}
    folders = "published/*", "golden"
    files = {path for folder in folders for path in DATA.glob(f"{folder}/*.csv")}
    assert described == {path.relative_to(DATA).as_posix() for path in files}
    assert set(RECIPES) == set(TABLES)
    for resource in package["resources"]:
        columns = [field["name"] for field in resource["schema"]["fields"]]
        table = read_table(DATA / resource["path"], columns)
        assert len(table) == resource["rows"], resource["name"]
        assert not table.duplicated(resource["schema"]["primaryKey"]).any(), resource["name"]
    for name in ("/".join(table) for table in TABLES):
        (resource,) = [each for each in package["resources"] if each["name"] == name]
        assert ("games" in resource) == (resource["origin"] == "simulated")
        assert resource["sources"][0]["title"]


@pytest.fixture(scope="module")
def compared():
    return pd.concat([collection.compare(paper.slug).assign(paper=paper.slug) for paper in PAPERS])


@pytest.mark.slow
def test_all_numbers_agree_or_are_errata(compared):
    columns = ["table", "item", "printed", "computed", "difference", "tolerance", "verdict"]
    assert compared.columns.tolist() == [*columns, "paper"]
    assert compared.groupby("paper")["verdict"].value_counts().to_dict() == {
        ("generalized-pig", "agree"): 13,
        ("generalized-pig", "erratum"): 6,
        ("literature", "agree"): 10_410,
        ("literature", "erratum"): 1,
        ("literature", "quoted"): 2,
        ("minimax-pig", "agree"): 2,
        ("ten-thousand", "agree"): 366,
        ("ten-thousand", "erratum"): 4,
        ("two-dice-pig", "agree"): 190,
        ("two-dice-pig", "erratum"): 2,
    }
    assert len(compared) == sum(len(collection.published(*table)) for table in TABLES)


@pytest.mark.slow
@pytest.mark.parametrize("paper", [paper.slug for paper in PAPERS])
def test_the_committed_comparison_is_what_is_computed(compared, paper):
    def numbers(table):
        table = table.set_index(["table", "item", "printed", "verdict"]).sort_index()
        # Some are words.
        return table[["computed", "difference", "tolerance"]].apply(pd.to_numeric, errors="coerce")

    committed = pd.read_csv(ROOT / "figures" / paper / "comparison.csv", dtype={"printed": str})
    now = pd.DataFrame(compared[compared["paper"] == paper])
    pd.testing.assert_frame_equal(numbers(committed), numbers(now), rtol=0, atol=2e-12)


def test_other_two_dice_rules_are_mismatches():
    """If two ones cost only the turn, or the opponent holds a point later, the numbers do not agree."""
    game = dl.two_dice_pig()
    milder = [*(o for o in game.modes[0].outcomes if o.choices), dl.Outcome("11/36", "bust")]
    value = dl.solve(dl.Game("no resets", 100, dl.Mode("roll", milder))).value
    assert collection.compare("two-dice-pig", "table-a1", {100: value})["verdict"].tolist() == [
        "mismatch"
    ]
    first = dl.evaluate(game, dl.solve(game).policy, dl.hold_at(11)).first_wins
    assert collection.compare("two-dice-pig", "table-a2", {(10, "first"): (first, 0.5)})[
        "verdict"
    ].tolist() == ["mismatch"]


@pytest.mark.slow
def test_the_ledger_has_no_entry_too_many(compared):
    wrong = compared[compared["verdict"].isin(["erratum", "quoted"])][
        ["paper", "table", "item", "printed"]
    ]
    assert sorted(map(tuple, wrong.to_numpy())) == sorted(
        map(tuple, errata()[wrong.columns].to_numpy())
    )
    assert (errata()[["first_proof", "second_proof"]].map(len) > 10).all(axis=None)


@pytest.mark.parametrize("target", [10, 50])
def test_the_proofs_of_table_1_in_fractions(target):
    entry = (
        errata()
        .query("paper == 'generalized-pig'")
        .set_index(["table", "item"])
        .loc[("table-1", f"target {target}")]
    )
    exact = dl.solve(dl.pig(target), exact=True).value
    assert abs(exact - Fraction(entry["correct"])) <= half_unit(entry["correct"])
    assert abs(exact - Fraction(entry["printed"])) > 30 * half_unit(entry["printed"])


def test_a_wrong_rule_is_a_mismatch():
    """A die that busts on its six instead of its one is a different game, and every number of Table 1 shows it."""
    wrong = dl.generalized_pig(["1/6", *["1/6"] * 5], 1000)
    compared = collection.compare(
        "generalized-pig", "table-1", dl.solve(wrong).by_target(), strict=False
    )
    assert compared["verdict"].tolist() == ["mismatch"] * 6
    assert (compared["difference"].abs() > 50 * compared["tolerance"]).all()


def test_an_erratum_must_agree_with_the_corrected_value():
    entry = errata().iloc[0]
    right = Fraction(entry["correct"])
    off = Fraction(entry["correct"]) + Fraction(1, 10**11)
    for number, verdict in (
        (right, "erratum"),
        (off, "mismatch"),
        (Fraction(entry["printed"]), "agree"),
    ):
        assert collection.compare("generalized-pig", "table-1", {10: number})[
            "verdict"
        ].tolist() == [verdict]


A1 = "two-dice-pig", "table-a1"


KEYS = [80, "80", " 80\u00a0", "80.0", 80.0, np.int16(80), np.float32(80), Fraction(80), ("80",)]
READ = [0.5245, "0.5245", "52.45 %", Decimal("0.5245"), np.float64(0.5245), "1049/2000"]


@pytest.mark.parametrize(("key", "number"), [*product(KEYS, READ[:1]), *product(KEYS[:1], READ)])
def test_keys_and_numbers_of_any_type_are_compared(key, number):
    compared = collection.compare(*A1, {key: number})
    assert compared[["item", "verdict"]].to_numpy().tolist() == [["goal 80", "agree"]]
    assert collection.compare(*A1, pd.Series({key: number}, dtype=object)).equals(compared)


@pytest.mark.parametrize(("number", "verdict"), [(0.52454, "agree"), (0.52456, "mismatch")])
def test_a_number_agrees_up_to_half_a_unit_of_its_last_digit(number, verdict):
    assert collection.compare(*A1, {80: number})["verdict"].tolist() == [verdict]


def test_levels_of_an_index_are_matched_by_name():
    """In Table 2 the value at a 2, b 1 is 2/5, and that at a 1, b 2 is 4/5."""
    for names, item in (
        (["b", "a"], "a 2, b 1"),
        (["a", "b"], "a 1, b 2"),
        (["x", "y"], "a 1, b 2"),
        ([None] * 2, "a 1, b 2"),
    ):
        series = pd.Series({(1, 2): "2/5"}).rename_axis(names)
        compared = collection.compare("generalized-pig", "table-2", series)
        assert compared["item"].tolist() == [item]
        assert compared["verdict"].tolist() == ["agree" if item == "a 2, b 1" else "mismatch"]


@pytest.mark.parametrize(
    ("numbers", "said"),
    [
        (
            {85: 0.5, 80: 0.5245},
            r"^computed: 85 is not allowed; two-dice-pig/table-a1 has 11 rows, .* \(goal\) are \[80, 90",
        ),
        ({None: 0.5, "x": 0.5, True: 1}, r"^computed: None, 'x', True are not allowed; "),
        (
            {80: 0.5, "80": 0.5},
            r"^computed: '80' and 80 name the same row, goal 80; give one of them$",
        ),
        (pd.Series([0.5, 0.5], index=[80, 80]), r"^computed: 80 and 80 name the same row"),
        ({}, r"^computed: \{\} is not allowed: it is empty; two-dice-pig/table-a1 has 11 rows"),
        (pd.DataFrame({80: [0.5]}), r"^computed: a DataFrame is not allowed; give one of its col"),
        ({80: math.nan}, r"^computed\[80\]: nan is not allowed"),
        ({80: "hold"}, r"^computed\[80\]: 'hold' is not allowed"),
        ({80: (0.5245, 0.5)}, r"^computed\[80\]: \(0\.5245, 0\.5\) is not allowed"),
    ],
)
def test_what_matches_no_row_or_is_no_number_is_refused(numbers, said):
    with pytest.raises(ValueError, match=said):
        collection.compare(*A1, numbers)


@pytest.mark.parametrize(
    "entry", [0.6117, "0.6117", {0.6117, 0.5}, {0: 0.6117, 1: 0.5}, (0.6117, None), (1, 1, 1)]
)
def test_simulated_numbers_need_their_standard_error(entry):
    with pytest.raises(ValueError, match=r"^computed\[\(10, 'first'\)\]: "):
        collection.compare("two-dice-pig", "table-a2", {(10, "first"): entry})


def test_a_float_is_not_compared_exactly():
    """Table 2 prints fractions, like 2/9. A float has rounding errors; a fraction has none, and must be the same."""
    table = collection.published("generalized-pig", "table-2")
    right = {(row.a, row.b): Fraction(row.printed) for row in table.itertuples()}
    floats = {key: float(value) for key, value in right.items()}
    off = {key: x + 1e-14 for key, x in floats.items()}
    near = {key: Fraction(floats[key]) for key, x in right.items() if Fraction(floats[key]) != x}
    for numbers, verdict in (
        (right, "agree"),
        (floats, "agree"),
        (off, "mismatch"),
        (near, "mismatch"),
    ):
        compared = collection.compare("generalized-pig", "table-2", numbers)
        assert len(compared) > 2 and {*compared["verdict"]} == {verdict}


def test_numbers_that_are_left_are_compared_again_as_they_were(tmp_path):
    """Floats, fractions with more digits than are displayed, words, pairs with a standard error."""
    exact = ExactValue(2**200, 3**150)
    given = {
        ("generalized-pig", "table-1"): {10: exact, 50: Decimal("0.5461"), 100: np.float64(1 / 3)},
        ("two-dice-pig", "table-a2"): {(10, "first"): (Fraction(1, 3), 0.5)},
        ("literature", "johnson-2012"): {1: " never ", 3: 18},
    }
    for (paper, table), numbers in given.items():
        at_once = collection.compare(paper, table, numbers, leave=str(tmp_path))
        again = numbers_left(tmp_path, paper)
        pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(at_once), obj=table)
        (tmp_path / "numbers" / f"{table}.json").unlink()


def test_a_comparison_says_how_much_was_compared():
    some = collection.compare(*A1, {80: 0.5245, 81: 0.5, 82: 0.5}, strict=False)
    assert repr(some).endswith("\n1 of 11 rows compared, keys without a row: 2")
    assert "1 of 11 rows compared" in some._repr_html_()


def test_words_are_compared_with_words_and_numbers_with_numbers():
    compared = collection.compare(
        "literature",
        "johnson-2012",
        {"1": " never ", 2: "always", 3: "18", 4: 41, 5: "never", 6: 3},
    )
    assert compared["verdict"].tolist() == [
        "agree",
        "mismatch",
        "agree",
        "mismatch",
        "mismatch",
        "mismatch",
    ]
    assert compared["difference"].isna().tolist() == [True, True, False, False, True, True]


def test_rolls_that_score_in_farkle():
    """A count of all rolls, for the ledger: ones, fives, three of a kind, a straight, three pairs."""

    def scores(roll):
        counts = [roll.count(face) for face in range(1, 7)]
        return bool(counts[0] or counts[4] or max(counts) >= 3 or counts.count(2) == 3)

    for dice in range(1, 7):
        scored = sum(scores(roll) for roll in product(range(1, 7), repeat=dice))
        printed = collection.published("literature", "farkle-games").set_index("dice")["printed"][
            dice
        ]
        assert Fraction(scored, 6**dice) == Fraction("45576/46656" if dice == 6 else printed)
