"""The printed numbers: provenance, verdicts, the ledger of errata; and wrong rules are mismatches."""

import json
from fractions import Fraction

import pandas as pd
import pytest

import dicelab as dl
from benchmarks.numpy_race import pig_values
from dicelab.papers.published import DATA, PAPERS, ROOT, errata, half_unit
from dicelab.papers.recipes import RECIPES

TABLES = [(paper.slug, table) for paper in PAPERS for table in paper.tables]


def test_half_a_unit_of_the_last_printed_digit():
    assert half_unit("0.53059207") == Fraction(5, 10**9)
    assert half_unit("0.50963900") == Fraction(5, 10**9), "printed zeros count"
    assert half_unit("2/9") == half_unit("20") == 0
    assert half_unit("8%") == Fraction(5, 1000), "a percentage is rounded, even without decimals"
    assert half_unit("0.92%") == Fraction(5, 10**5)


def test_every_table_has_provenance_and_a_recipe():
    package = json.loads((DATA / "datapackage.json").read_text())
    described = {resource["path"] for resource in package["resources"]}
    files = {
        path.relative_to(DATA).as_posix()
        for folder in ("published/*", "certificates", "golden")
        for path in DATA.glob(f"{folder}/*.csv")
    }
    assert described == files
    assert set(RECIPES) == set(TABLES)
    for resource in package["resources"]:
        if resource["name"].endswith("/claims") or resource["name"].startswith(("certificates/", "golden/")):
            continue  # sentences: test_claims.py; numbers of our own: solvers/test_more_players.py, test_verify.py
        table = dl.published(*resource["name"].split("/"))
        fields = [field["name"] for field in resource["schema"]["fields"]]
        assert table.columns.tolist() == fields
        assert (resource["origin"], "games" in resource) in (("computed", False), ("simulated", True))
        assert resource["sources"][0]["title"]
        assert not table.duplicated(resource["schema"]["primaryKey"]).any()
        assert all(isinstance(printed, str) for printed in table["printed"])


@pytest.fixture(scope="module")
def compared():
    return pd.concat([dl.compare(paper.slug).assign(paper=paper.slug) for paper in PAPERS])


@pytest.mark.slow
def test_all_numbers_agree_or_are_errata(compared):
    columns = ["table", "item", "printed", "computed", "difference", "tolerance", "verdict"]
    assert compared.columns.tolist() == [*columns, "paper"]
    assert compared.groupby("paper")["verdict"].value_counts().to_dict() == {
        ("generalized-pig", "agree"): 13,
        ("generalized-pig", "erratum"): 6,
        ("literature", "agree"): 272,
        ("literature", "erratum"): 2,
        ("minimax-pig", "agree"): 2,
        ("ten-thousand", "agree"): 321,
        ("ten-thousand", "erratum"): 4,
        ("two-dice-pig", "agree"): 190,
        ("two-dice-pig", "erratum"): 2,
    }
    assert len(compared) == sum(len(dl.published(*table)) for table in TABLES)


@pytest.mark.slow
@pytest.mark.parametrize("paper", [paper.slug for paper in PAPERS])
def test_the_committed_comparison_is_what_is_computed(compared, paper):
    def numbers(table):
        table = table.set_index(["table", "item", "printed", "verdict"]).sort_index()
        return table[["computed", "difference", "tolerance"]].apply(pd.to_numeric, errors="coerce")  # some are words

    committed = pd.read_csv(ROOT / "figures" / paper / "comparison.csv", dtype={"printed": str})
    now = pd.DataFrame(compared[compared["paper"] == paper])
    pd.testing.assert_frame_equal(numbers(committed), numbers(now), rtol=0, atol=2e-12)


@pytest.mark.slow
def test_committed_figures_show_the_compared_numbers(compared):
    """The curves of Figures 5, 6 and 8 of two-dice Pig are those of Tables A1, A2 and A3."""
    numbers = compared[compared["paper"] == "two-dice-pig"].set_index("table")
    for figure, table in (("figure-5", "table-a1"), ("figure-6", "table-a2"), ("figure-8", "table-a3")):
        shown = pd.read_csv(ROOT / "figures" / "two-dice-pig" / f"{figure}.csv", index_col=0).rename_axis(None)
        if figure != "figure-5":
            shown = shown.rename(columns=lambda name: name.removeprefix("optimal ")).stack()
        computed = dict(zip(published_keys(table), numbers.loc[table, "computed"], strict=True))
        assert shown.squeeze().to_dict() == pytest.approx(computed, abs=2e-12)


def published_keys(table):
    """The keys of the rows of a table of two-dice Pig, a list."""
    keys = dl.published("two-dice-pig", table).drop(columns="printed")
    return keys.squeeze().tolist() if keys.shape[1] == 1 else [*map(tuple, keys.to_numpy().tolist())]


@pytest.mark.slow
def test_simulated_numbers_are_allowed_4_standard_errors(compared):
    """Of 10,000,000 games. The deviation in the ledger is off by over 50; our own simulation confirms this."""
    numbers = compared[compared["paper"] == "two-dice-pig"].set_index(["table", "item"])
    row = numbers.loc[("table-a2", "n 23, optimal first")]
    assert row["tolerance"] == pytest.approx(4 * (row["computed"] * (1 - row["computed"]) / 1e7) ** 0.5, rel=1e-9)
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
    assert dl.compare("two-dice-pig", "table-a1", {100: value})["verdict"].tolist() == ["mismatch"]
    first = dl.evaluate(game, dl.solve(game).policy, dl.hold_at(11)).first_wins
    assert dl.compare("two-dice-pig", "table-a2", {(10, "first"): (first, 0.5)})["verdict"].tolist() == ["mismatch"]


@pytest.mark.slow
def test_the_ledger_has_no_entry_too_many(compared):
    wrong = compared[compared["verdict"] == "erratum"][["paper", "table", "item", "printed"]]
    assert sorted(map(tuple, wrong.to_numpy())) == sorted(map(tuple, errata()[wrong.columns].to_numpy()))
    assert (errata()[["first_proof", "second_proof"]].map(len) > 10).all(axis=None)


@pytest.mark.parametrize("target", [10, 50])
def test_the_proofs_of_table_1_in_fractions(target):
    entry = (
        errata().query("paper == 'generalized-pig'").set_index(["table", "item"]).loc[("table-1", f"target {target}")]
    )
    exact = dl.solve(dl.pig(target), exact=True).value
    assert abs(exact - Fraction(entry["correct"])) <= half_unit(entry["correct"])
    assert abs(exact - Fraction(entry["printed"])) > 30 * half_unit(entry["printed"])


@pytest.mark.slow
@pytest.mark.parametrize("target", [10, 50, 100, 200])
def test_the_proofs_of_table_1_in_plain_numpy(target):
    entry = (
        errata().query("paper == 'generalized-pig'").set_index(["table", "item"]).loc[("table-1", f"target {target}")]
    )
    assert abs(Fraction(pig_values(target)[target, target]) - Fraction(entry["correct"])) <= half_unit(entry["correct"])


def test_a_wrong_rule_is_a_mismatch():
    """A die that busts on its six instead of its one is a different game, and every number of Table 1 shows it."""
    wrong = dl.generalized_pig(["1/6", *["1/6"] * 5], 1000)
    compared = dl.compare("generalized-pig", "table-1", dl.solve(wrong).by_target())
    assert compared["verdict"].tolist() == ["mismatch"] * 6
    assert (compared["difference"].abs() > 50 * compared["tolerance"]).all()


def test_a_loaded_coin_is_a_mismatch():
    wrong = dl.solve(dl.generalized_pig(["0.501", "0.499"], 3), exact=True).values
    numbers = {(a, b): wrong[3 - a, 3 - b] for a in (1, 2, 3) for b in (1, 2, 3)}
    assert (dl.compare("generalized-pig", "table-2", numbers)["verdict"] == "mismatch").all()


def test_an_erratum_must_agree_with_the_corrected_value():
    entry = errata().iloc[0]
    right, off = Fraction(entry["correct"]), Fraction(entry["correct"]) + Fraction(1, 10**11)
    for number, verdict in ((right, "erratum"), (off, "mismatch"), (Fraction(entry["printed"]), "agree")):
        assert dl.compare("generalized-pig", "table-1", {10: number})["verdict"].tolist() == [verdict]


def test_only_what_was_computed_is_compared():
    assert dl.compare("generalized-pig", "table-1", {10: 0.7, 11: 0.7})["item"].tolist() == ["target 10"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("pig",), "paper: 'pig' is not allowed; give one of 'generalized-pig'"),
        (("generalized-pig", "table-9"), "table: 'table-9' is not allowed; give one of 'table-1', 'table-2'"),
        (("generalized-pig", None, {}), "table: None"),
    ],
)
def test_unknown_tables(arguments, said):
    with pytest.raises(ValueError, match=said):
        dl.compare(*arguments)
