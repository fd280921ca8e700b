"""The printed numbers: provenance, verdicts, the ledger, how comparisons look; and wrong rules are mismatches."""

import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import collection
import dicelab as dl
from collection.papers.comparison import numbers_left
from collection.papers.published import DATA, PAPERS, ROOT, as_number, errata, half_unit, read_table
from collection.papers.recipes import RECIPES
from collection.papers.tables import laid_out, with_digits
from dicelab._exact import ExactValue

TABLES = [(paper.slug, table) for paper in PAPERS for table in paper.tables]


@pytest.mark.parametrize(
    ("text", "number", "half"),
    [
        ("0.53059207", "0.53059207", "5e-9"),
        ("0.50963900", "0.509639", "5e-9"),  # printed zeros count
        ("2/9", "2/9", 0),
        ("20", 20, 0),
        ("8%", "0.08", "0.005"),  # a percentage is rounded, even without decimals
        ("0.92 %", "0.0092", "0.00005"),
        ("\u00a0+3.\u202f", 3, "0.5"),
        ("−12.50%", "-0.125", "0.00005"),
        ("–7.1 ", "-7.1", "0.05"),
    ],
)
def test_a_printed_number_and_half_a_unit_of_its_last_digit(text, number, half):
    assert (as_number(text), half_unit(text)) == (Fraction(number), Fraction(half))


@pytest.mark.parametrize("text", ["0,5", "", "1/0", "five", "1e", "½"])
def test_both_readers_refuse_the_same(text):
    for read in (as_number, half_unit):
        with pytest.raises(ValueError):
            read(text)


def test_every_table_has_provenance_and_a_recipe():
    package = json.loads((DATA / "datapackage.json").read_text())
    resources = {resource["path"]: resource for resource in package["resources"]}
    files = [*DATA.glob("published/*/*.csv"), *DATA.glob("golden/*.csv")]
    assert {*resources} == {path.relative_to(DATA).as_posix() for path in files}
    assert set(RECIPES) == set(TABLES)
    for path, resource in resources.items():
        columns = [field["name"] for field in resource["schema"]["fields"]]
        table = read_table(DATA / path, columns)
        assert not table.duplicated(resource["schema"]["primaryKey"]).any(), path
    for resource in (resources[f"published/{paper}/{table}.csv"] for paper, table in TABLES):
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


def verdicts_on(paper, table, numbers):
    return collection.compare(paper, table, numbers, strict=False)["verdict"].tolist()


def test_other_rules_are_mismatches():
    """If two ones cost only the turn, if the opponent holds a point later, or if the six busts instead of the one."""
    game = dl.two_dice_pig()
    milder = [*(o for o in game.modes[0].outcomes if o.choices), dl.Outcome("11/36", "bust")]
    value = dl.solve(dl.Game("no resets", 100, dl.Mode("roll", milder))).value
    assert verdicts_on("two-dice-pig", "table-a1", {100: value}) == ["mismatch"]
    first = dl.evaluate(game, dl.solve(game).policy, dl.hold_at(11)).first_wins
    simulated = {(10, "first"): (first, 0.5)}
    assert verdicts_on("two-dice-pig", "table-a2", simulated) == ["mismatch"]
    values = dl.solve(dl.generalized_pig(["1/6", *["1/6"] * 5], 1000)).by_target()
    assert verdicts_on("generalized-pig", "table-1", values) == ["mismatch"] * 6


@pytest.mark.slow
def test_the_ledger_has_no_entry_too_many(compared):
    names = ["paper", "table", "item", "printed"]
    wrong = compared[compared["verdict"].isin(["erratum", "quoted"])][names]
    listed = errata()[names]
    assert sorted(map(tuple, wrong.to_numpy())) == sorted(map(tuple, listed.to_numpy()))
    assert (errata()[["first_proof", "second_proof"]].map(len) > 10).all(axis=None)
    assert {*errata()["proved"]} == {"rational", "certified", "two programs"}


@pytest.mark.parametrize("target", [10, 50])
def test_the_proofs_of_table_1_in_fractions(target):
    entries = errata().query("paper == 'generalized-pig' and table == 'table-1'").set_index("item")
    entry = entries.loc[f"target {target}"]
    exact = dl.solve(dl.pig(target), exact=True).value
    assert abs(exact - Fraction(entry["correct"])) <= half_unit(entry["correct"])
    assert abs(exact - Fraction(entry["printed"])) > 30 * half_unit(entry["printed"])


A1 = "two-dice-pig", "table-a1"


KEYS = [80, "80", " 80\u00a0", "80.0", 80.0, np.int16(80), np.float32(80), Fraction(80), ("80",)]
READ = [0.5245, "0.5245", "52.45 %", Decimal("0.5245"), np.float64(0.5245), "1049/2000"]


@pytest.mark.parametrize(("key", "number"), [*product(KEYS, READ[:1]), *product(KEYS[:1], READ)])
def test_keys_and_numbers_of_any_type_are_compared(key, number):
    compared = collection.compare(*A1, {key: number})
    assert compared[["item", "verdict"]].to_numpy().tolist() == [["goal 80", "agree"]]
    assert collection.compare(*A1, pd.Series({key: number}, dtype=object)).equals(compared)


@pytest.mark.parametrize(
    ("names", "item", "verdict"),
    [
        (["b", "a"], "a 2, b 1", "agree"),
        (["a", "b"], "a 1, b 2", "mismatch"),
        (["x", "y"], "a 1, b 2", "mismatch"),
        ([None, None], "a 1, b 2", "mismatch"),
    ],
)
def test_levels_of_an_index_are_matched_by_name(names, item, verdict):
    """In Table 2 the value at a 2, b 1 is 2/5, and that at a 1, b 2 is 4/5."""
    series = pd.Series({(1, 2): "2/5"}).rename_axis(names)
    compared = collection.compare("generalized-pig", "table-2", series)
    assert compared[["item", "verdict"]].to_numpy().tolist() == [[item, verdict]]


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
    found = [
        {*verdicts_on("generalized-pig", "table-2", each)} for each in (right, floats, off, near)
    ]
    assert len(near) > 2 and found == [{"agree"}, {"agree"}, {"mismatch"}, {"mismatch"}]


ENTRY = errata().iloc[0]
WORDS = {"1": " never ", 2: "always", 3: "18", 4: 41, 5: "never", 6: 3}
COMPARED = [  # a paper and its table, numbers, and their verdicts
    ("generalized-pig", "table-1", {10: Fraction(ENTRY["correct"])}, ["erratum"]),
    ("generalized-pig", "table-1", {10: Fraction(ENTRY["correct"]) + Fraction(1, 10**11)}, ["mismatch"]),
    ("generalized-pig", "table-1", {10: Fraction(ENTRY["printed"])}, ["agree"]),
    (*A1, {80: 0.52454}, ["agree"]),  # up to half a unit of the last digit
    (*A1, {80: 0.52456}, ["mismatch"]),
    ("literature", "johnson-2012", WORDS, ["agree", "mismatch", "agree", *["mismatch"] * 3]),
]  # fmt: skip


@pytest.mark.parametrize(("paper", "table", "numbers", "verdicts"), COMPARED)
def test_verdicts(paper, table, numbers, verdicts):
    assert verdicts_on(paper, table, numbers) == verdicts


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


def test_a_table_has_the_names_and_cells_of_the_paper():
    """Two numbers in a cell, rows that are named after two players, and an erratum that marks its cell."""
    turns = {
        ("Two-dice Pig", "optimal", "rule", "mean"): (23.376, 11.1),
        ("Two-dice Pig", "optimal", "rule", "sd"): ("11.059404186601", 10),
    }
    cells, verdicts = laid_out(collection.compare("two-dice-pig", "table-1", turns))
    at = "optimal vs. hold at n", "Standard Two-Dice Pig"
    assert cells.loc[at] == "23.38 (10.81)\n23.37600 (11.05940)"
    assert verdicts.loc[at] == "erratum"
    assert cells.index.name == "Strategy"
    allowed, _ = laid_out(collection.compare("ten-thousand", "table-4"))
    assert [*allowed.index.names, *allowed] == [
        "Nr. of actions",
        "Possible actions",
        "Value of the game",
    ]


@pytest.mark.parametrize("dice", range(1, 7))
def test_rolls_that_score_in_farkle(dice):
    """A count of all rolls, for the ledger: ones, fives, three of a kind, a straight, three pairs."""
    scored = 0
    for roll in product(range(1, 7), repeat=dice):
        counts = [roll.count(face) for face in range(1, 7)]
        scored += bool(counts[0] or counts[4] or max(counts) >= 3 or counts.count(2) == 3)
    table = collection.published("literature", "farkle-games").set_index("dice")["printed"]
    assert Fraction(scored, 6**dice) == Fraction("45576/46656" if dice == 6 else table[dice])


@pytest.fixture(scope="module")
def comparison():
    return collection.compare(
        "generalized-pig", "table-1", {10: 0.7, 50: dl.solve(dl.pig(50)).value}
    )


def test_digits_in_the_terminal(comparison):
    for text in (repr(comparison), str(comparison), comparison.to_string(index=False)):
        assert re.search(r"0\.54615051 +0\.54615084417 +\+3\.3e-07 +5e-09 +erratum", text)
        assert re.search(r"0\.70942388 +0\.70000000000 +-9\.4e-03 +5e-09 +mismatch", text)
    assert "..." not in repr(comparison), "all columns"


@pytest.mark.parametrize(
    ("computed", "printed", "shown"),
    [
        (0.123456789, "0.12", "0.12346"),
        (0.5714984, "58.74%", "0.5714984"),
        (0.08123456, "8%", "0.08123"),
        (20.0, "20", "20.000"),
        (-1.5, "-1.50", "-1.50000"),
        (2 / 9, "2/9", "0.222222222222"),
        ("hold", "roll", "hold"),
    ],
)
def test_digits(computed, printed, shown):
    assert with_digits(computed, printed) == shown


def test_a_notebook_shows_digits_and_escapes_names(comparison):
    assert ">0.54615084417<" in comparison._repr_html_()
    nasty = comparison.assign(item="<b>bold</b>")
    assert "<b>" not in nasty._repr_html_() and "&lt;b&gt;" in nasty._repr_html_()
