"""The printed numbers: provenance, verdicts, the ledger of errata; and wrong rules are mismatches."""

import json
import math
import sys
from copy import deepcopy
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
from benchmarks.numpy_race import pig_values
from collection.papers.comparison import numbers_left
from collection.papers.published import DATA, PAPERS, ROOT, as_number, errata, half_unit, read_table
from collection.papers.recipes import GOALS, RECIPES
from dicelab._exact import ExactValue

published_module = sys.modules[
    "collection.papers.published"
]  # collection.published is the function

TABLES = [(paper.slug, table) for paper in PAPERS for table in paper.tables]


def test_half_a_unit_of_the_last_printed_digit():
    assert half_unit("0.53059207") == Fraction(5, 10**9)
    assert half_unit("0.50963900") == Fraction(5, 10**9), "printed zeros count"
    assert half_unit("2/9") == half_unit("20") == 0
    assert half_unit("8%") == Fraction(5, 1000), "a percentage is rounded, even without decimals"
    assert half_unit("0.92%") == Fraction(5, 10**5)


blanks = st.text(" \t\n\r\u00a0\u2007\u2009\u202f\u3000\ufeff\u200b", max_size=3)
digits = st.text("0123456789", max_size=8)


@given(blanks, st.sampled_from(["", "+", "-", "−", "–"]), digits, digits, st.booleans(), st.data())
def test_the_tolerance_is_that_of_the_number_that_is_read(
    blank, sign, whole, decimals, percent, data
):
    """Decoration changes neither number nor tolerance, and the tolerance is half a unit of the last digit."""
    digits_there = f"{whole}{decimals}" or "0"
    exponent = data.draw(st.none() | st.integers(-30, 30))
    text = (f"{whole}.{decimals}" if whole or decimals else "0.") + (
        "" if exponent is None else f"e{exponent}"
    )
    for mark in "−–" if exponent and exponent < 0 else "":
        assert half_unit(text) == half_unit(text.replace("-", mark))
    last = Fraction(10) ** ((exponent or 0) - len(decimals)) / (100 if percent else 1)
    end = data.draw(blanks) + "%" * percent
    decorated = f"{blank}{sign}{text}{end}{data.draw(blanks)}"
    assert half_unit(decorated) == last / 2
    assert as_number(decorated) == int(digits_there) * last * (-1 if sign and sign in "-−–" else 1)


@given(blanks, st.integers(0, 10**6), st.integers(1, 10**6), blanks)
def test_fractions_and_integers_have_no_tolerance(before, over, under, after):
    for text in (f"{over}", f"{over:_}", f"{over}/{under}", f"−{over}"):
        assert half_unit(f"{before}{text}{after}") == 0
        assert as_number(f"{before}{text}{after}") == as_number(text)
    assert as_number(f"{over}/{under}") == Fraction(over, under)


@given(st.text("0123456789.,eE+-−_/% \u00a0٣½", max_size=8))
def test_both_readers_accept_the_same(text):
    results = []
    for read in (as_number, half_unit):
        try:
            results.append(read(text) is not None)
        except ValueError:
            results.append(False)
    assert results[0] == results[1]
    if "," in text or not text.strip():
        assert results == [False, False]


def test_every_table_has_provenance_and_a_recipe():
    package = json.loads((DATA / "datapackage.json").read_text())
    described = {resource["path"] for resource in package["resources"]}
    files = {
        path.relative_to(DATA).as_posix()
        for folder in ("published/*", "golden")
        for path in DATA.glob(f"{folder}/*.csv")
    }
    assert described == files
    assert set(RECIPES) == set(TABLES)
    for resource in package["resources"]:
        columns = [field["name"] for field in resource["schema"]["fields"]]
        table = read_table(DATA / resource["path"], columns)
        assert len(table) == resource["rows"], resource["name"]
        assert not table.duplicated(resource["schema"]["primaryKey"]).any(), resource["name"]
    for resource in package["resources"]:
        if resource["name"].endswith(("/claims", "/items", "/copies")) or resource[
            "name"
        ].startswith("golden/"):
            continue  # test_claims.py, test_manifest.py, test_verify.py
        table = collection.published(*resource["name"].split("/"))
        fields = [field["name"] for field in resource["schema"]["fields"]]
        assert table.columns.tolist() == fields
        assert (resource["origin"], "games" in resource) in (
            ("computed", False),
            ("simulated", True),
        )
        assert resource["sources"][0]["title"]
        assert not table.duplicated(resource["schema"]["primaryKey"]).any()
        assert all(isinstance(printed, str) for printed in table["printed"])


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


@pytest.mark.slow
def test_committed_figures_show_the_compared_numbers(compared):
    """The curves of Figures 5, 6 and 8 of two-dice Pig are those of Tables A1, A2 and A3."""
    numbers = compared[compared["paper"] == "two-dice-pig"].set_index("table")
    for figure, table in (
        ("figure-5", "table-a1"),
        ("figure-6", "table-a2"),
        ("figure-8", "table-a3"),
    ):
        shown = pd.read_csv(
            ROOT / "figures" / "two-dice-pig" / f"{figure}.csv", index_col=0
        ).rename_axis(None)
        if figure != "figure-5":
            shown = shown.rename(columns=lambda name: name.removeprefix("optimal ")).stack()
        computed = dict(zip(published_keys(table), numbers.loc[table, "computed"], strict=True))
        assert shown.squeeze().to_dict() == pytest.approx(computed, abs=2e-12)


def published_keys(table):
    """The keys of the rows of a table of two-dice Pig, a list."""
    keys = collection.published("two-dice-pig", table).drop(columns="printed")
    return (
        keys.squeeze().tolist() if keys.shape[1] == 1 else [*map(tuple, keys.to_numpy().tolist())]
    )


@pytest.mark.slow
def test_simulated_numbers_are_allowed_4_standard_errors(compared):
    """Of 10,000,000 games. The deviation in the ledger is off by over 50; our own simulation confirms this."""
    numbers = compared[compared["paper"] == "two-dice-pig"].set_index(["table", "item"])
    row = numbers.loc[("table-a2", "n 23, optimal first")]
    assert row["tolerance"] == pytest.approx(
        4 * (row["computed"] * (1 - row["computed"]) / 1e7) ** 0.5, rel=1e-9
    )
    wrong = numbers.loc[("table-1", "game Two-dice Pig, first optimal, second rule, quantity sd")]
    assert wrong["difference"] > 50 * wrong["tolerance"] / 4
    game = dl.two_dice_pig()
    estimate = dl.simulate(game, dl.solve(game).policy, dl.hold_at(23), games=1_000_000, seed=2)
    assert abs(estimate.turns_sd - wrong["computed"]) < 4 * estimate.turns_sd_se
    assert abs(estimate.turns_sd - float(wrong["printed"])) > 10 * estimate.turns_sd_se


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


@pytest.mark.slow
@pytest.mark.parametrize("target", [10, 50, 100, 200])
def test_the_proofs_of_table_1_in_plain_numpy(target):
    entry = (
        errata()
        .query("paper == 'generalized-pig'")
        .set_index(["table", "item"])
        .loc[("table-1", f"target {target}")]
    )
    assert abs(
        Fraction(pig_values(target)[target, target]) - Fraction(entry["correct"])
    ) <= half_unit(entry["correct"])


def test_a_wrong_rule_is_a_mismatch():
    """A die that busts on its six instead of its one is a different game, and every number of Table 1 shows it."""
    wrong = dl.generalized_pig(["1/6", *["1/6"] * 5], 1000)
    compared = collection.compare(
        "generalized-pig", "table-1", dl.solve(wrong).by_target(), strict=False
    )
    assert compared["verdict"].tolist() == ["mismatch"] * 6
    assert (compared["difference"].abs() > 50 * compared["tolerance"]).all()


def test_a_loaded_coin_is_a_mismatch():
    wrong = dl.solve(dl.generalized_pig(["0.501", "0.499"], 3), exact=True).values
    numbers = {(a, b): wrong[3 - a, 3 - b] for a in (1, 2, 3) for b in (1, 2, 3)}
    assert (
        collection.compare("generalized-pig", "table-2", numbers)["verdict"] == "mismatch"
    ).all()


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


@pytest.mark.parametrize(
    "key",
    [80, "80", " 80\u00a0", "80.0", 80.0, np.int16(80), np.float32(80), Fraction(80), ("80",)],
)
@pytest.mark.parametrize(
    "number", [0.5245, "0.5245", "52.45 %", Decimal("0.5245"), np.float64(0.5245), "1049/2000"]
)
def test_keys_and_numbers_of_any_type_are_compared(key, number):
    compared = collection.compare(*A1, {key: number})
    assert compared[["item", "verdict"]].to_numpy().tolist() == [["goal 80", "agree"]]
    assert collection.compare(*A1, pd.Series({key: number}, dtype=object)).equals(compared)


def test_text_keys_match_blanks_aside():
    numbers = {("10", "first"): ("0.6117", "0.5"), (10.0, " second"): (0.5726, 0.5)}
    assert (
        collection.compare("two-dice-pig", "table-a2", numbers)["verdict"].tolist() == ["agree"] * 2
    )


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
            {float("nan"): 0.5, 80.5: 1, (80, 1): 1, "80,0": 1},
            r"^computed: nan, 80\.5, \(80, 1\), '80,0' are not",
        ),
        (
            {80: 0.5, "80": 0.5},
            r"^computed: '80' and 80 name the same row, goal 80; give one of them$",
        ),
        (pd.Series([0.5, 0.5], index=[80, 80]), r"^computed: 80 and 80 name the same row"),
        ({}, r"^computed: \{\} is not allowed: it is empty; two-dice-pig/table-a1 has 11 rows"),
        (
            pd.DataFrame({80: [0.5]}),
            r"^computed: a DataFrame is not allowed; give one of its columns, or frame\.stack",
        ),
        ({80: None}, r"^computed\[80\]: None is not allowed; give a finite number"),
        ({80: math.nan}, r"^computed\[80\]: nan is not allowed"),
        ({80: Decimal("nan")}, r"^computed\[80\]: Decimal\('NaN'\) is not allowed"),
        ({80: 10**400}, r"^computed\[80\]: 1000"),
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
    assert any(Fraction(floats[key]) != value for key, value in right.items())
    for numbers in (right, floats, {key: np.nextafter(x, 1) for key, x in floats.items()}):
        compared = collection.compare("generalized-pig", "table-2", numbers)
        assert compared["verdict"].tolist() == ["agree"] * 9
    for off in (
        {key: x + 1e-14 for key, x in floats.items()},
        dict.fromkeys(right, Fraction(1, 7)),
    ):
        assert (
            collection.compare("generalized-pig", "table-2", off)["verdict"] == "mismatch"
        ).all()
    near = {key: Fraction(floats[key]) for key, x in right.items() if Fraction(floats[key]) != x}
    assert (collection.compare("generalized-pig", "table-2", near)["verdict"] == "mismatch").all()


def test_numbers_that_are_left_are_compared_again_as_they_were(tmp_path):
    """Floats, fractions with more digits than are displayed, words, pairs with a standard error."""
    exact = ExactValue(2**200, 3**150)
    assert "…" in str(exact)
    given = {
        ("generalized-pig", "table-1"): {10: exact, 50: Decimal("0.5461"), 100: np.float64(1 / 3)},
        ("generalized-pig", "table-2"): {(1, 1): 2, (2, 1): "2/5"},
        ("two-dice-pig", "table-a2"): {(10, "first"): (Fraction(1, 3), 0.5)},
        ("literature", "johnson-2012"): {1: " never ", 3: 18},
    }
    for (paper, table), numbers in given.items():
        at_once = collection.compare(paper, table, numbers, leave=str(tmp_path))
        again = numbers_left(tmp_path, paper)
        pd.testing.assert_frame_equal(pd.DataFrame(again), pd.DataFrame(at_once), obj=table)
        (tmp_path / "numbers" / f"{table}.json").unlink()
    (row,) = json.loads(leave_one(tmp_path, exact))
    assert Fraction(row[1]) == exact


def leave_one(folder, number):
    collection.compare("generalized-pig", "table-1", {10: number}, leave=str(folder))
    return (folder / "numbers" / "table-1.json").read_text()


@pytest.mark.parametrize(
    ("computed", "verdict"),
    [
        (0.51362019, "agree"),
        (0.5136201999, "agree"),
        ("0.513620199999", "agree"),
        (0.5136202, "agree"),  # but for its last place
        ("0.5136202", "mismatch"),
        ("0.513620189", "mismatch"),
    ],
)
def test_a_number_may_be_cut_not_rounded(computed, verdict, monkeypatch):
    tables = deepcopy(published_module.resources())
    (table,) = (each for each in tables if each["name"] == "generalized-pig/table-1")
    monkeypatch.setattr(published_module, "resources", lambda: tables)
    table["cut"] = ["target 500"]
    compared = collection.compare("generalized-pig", "table-1", {500: computed})
    assert compared["verdict"].tolist() == [verdict]
    table["cut"] = ["target 5000"]
    with pytest.raises(ValueError, match="target 5000"):
        collection.compare("generalized-pig", "table-1", {500: computed})


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


def test_a_comparison_says_how_much_was_compared():
    numbers = {80: 0.5245, 81: 0.5, 82: 0.5}
    some = collection.compare(*A1, numbers, strict=False)
    none = collection.compare(*A1, {}, strict=False)
    assert some.attrs == {"compared": 1, "rows": 11, "left_out": 2}
    assert repr(some).endswith("\n1 of 11 rows compared, keys without a row: 2")
    assert "1 of 11 rows compared" in some._repr_html_() and repr(none).endswith(
        "\n0 of 11 rows compared"
    )
    whole = collection.compare("minimax-pig")
    assert repr(whole).endswith("\n2 of 2 rows compared")
    assert "rows compared" not in repr(whole.head(1)) + whole.head(1)._repr_html_() + repr(
        pd.concat([whole, some])
    )


def test_a_recipe_that_leaves_a_row_out_is_noticed(monkeypatch):
    monkeypatch.setitem(RECIPES, A1, lambda: dict.fromkeys(GOALS[1:], 0.5) | {1: 0.5})
    with pytest.raises(
        ValueError, match=r"^two-dice-pig/table-a1: nothing is computed for the row goal 80$"
    ):
        collection.compare(*A1)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pig",), "paper: 'pig' is not allowed; give one of 'generalized-pig'"),
        (
            ("generalized-pig", "table-9"),
            "table: 'table-9' is not allowed; give one of 'table-1', 'table-2'",
        ),
        (("generalized-pig", None, {}), "table: None"),
    ],
)
def test_unknown_tables(arguments, said):
    with pytest.raises(ValueError, match=said):
        collection.compare(*arguments)


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
