"""Solutions as tables and files."""

from dataclasses import replace
from fractions import Fraction

import pandas as pd
import pytest

import dicelab as dl
from dicelab._exact import ExactValue
from dicelab.views import tables


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "objective"),
    [
        (dl.pig(12), "win"),
        (dl.double_trouble(25), "margin"),
        (dl.ten_thousand(6), "win"),
        (dl.ten_thousand(20), "turns"),
        (dl.pig(25), "score"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_table_has_every_decision(game, objective):
    """Each decision is the policy's, and each range ends where the next begins."""
    solution = dl.solve(game, objective)
    found = tables.to_frame(solution)
    titles = {
        " ".join(map(str, o.scoring)): o
        for mode in game.modes
        for o in mode.outcomes
        if len(o.choices) > 1
    }
    keys = [key for key in ("own", "opponent", "mode", "dice") if key in found]
    for key, rows in found.groupby(keys, observed=True, sort=False):
        at = dict(zip(keys, key, strict=True))
        own, opponent = at.get("own", 0), at.get("opponent", 0)
        assert rows["first"].tolist() == [0, *(rows["last"][:-1] + 1)]
        assert rows["last"].iloc[-1] == game.target - own - 1
        assert (rows["action"].to_numpy()[1:] != rows["action"].to_numpy()[:-1]).all()
        ends = [(row, k) for row in rows.itertuples() for k in {row.first, row.last}]
        for row, total in ends:
            if not at["dice"]:
                rolls = solution.policy.rolls(own, opponent, total, at["mode"]) or total == 0
                assert row.action == ("roll" if rolls else "hold")
            else:
                aside = tuple(map(int, row.action.removeprefix("keep ").split()))
                assert aside in [choice.aside for choice in titles[at["dice"]].choices]
                scoring = [*map(int, at["dice"].split())]
                roll = [*scoring, *(2, 2, 3, 4)[: int(at["mode"][0]) - len(scoring)]]
                assert solution.policy.keep(own, opponent, total, roll)[0] == aside
        alone = {"turns": (own,), "score": (0, 0)}
        assert {*rows["value"]} == {solution.values[alone.get(objective, (own, opponent))]}


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_written_files_can_be_read(tmp_path, ending):
    file = tmp_path / f"pig{ending}"
    solution = dl.solve(dl.pig(12), exact=True)
    tables.write(solution, file)
    read = read_csv(file) if ending == ".csv" else pd.read_parquet(file)
    assert read["value"].map(Fraction).tolist() == tables.to_frame(solution)["value"].tolist()
    assert read["action"].tolist() == tables.to_frame(solution)["action"].tolist()
    before = file.read_bytes()
    tables.write(solution, file)
    assert file.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == [file.name]


def read_csv(file):
    """As the first line of the file says."""
    return pd.read_csv(file, comment="#", keep_default_na=False)


@pytest.mark.parametrize(
    ("game", "objective", "said"),
    [
        (dl.pig(5), "win", {"game": "Pig to 5", "own": "in points", "value": "the probability"}),
        (
            dl.ten_thousand(5),
            "margin",
            {"game": "to 5 chips (250 points)", "value": "in chips of 50 points"},
        ),
        (
            dl.ten_thousand(5),
            "turns",
            {"last": "in chips of 50 points", "value": "the mean number of turns"},
        ),
        (
            dl.pig(5),
            "score",
            {"first": "in points", "value": "the mean score of a turn, in points"},
        ),
    ],
)
def test_a_file_explains_its_columns_and_units(tmp_path, game, objective, said):
    solution = dl.solve(game, objective)
    for name in ("x.csv", "x.parquet"):
        tables.write(solution, tmp_path / name)
    about = pd.read_parquet(tmp_path / "x.parquet").attrs
    assert about == tables.to_frame(solution).attrs and about["objective"] == objective
    assert list(about) == ["game", "objective", *read_csv(tmp_path / "x.csv").columns]
    assert all(text in about[name] for name, text in said.items())
    lines = (tmp_path / "x.csv").read_text().splitlines()
    assert lines[1 : len(about) + 1] == [f"# {name}: {text}" for name, text in about.items()]
    assert 'pandas.read_csv(file, comment="#", keep_default_na=False)' in lines[0]


def test_an_exact_value_in_full(tmp_path, monkeypatch):
    """Of more digits than Python's `str` allows; a file with something else is not replaced unless it is named."""
    monkeypatch.chdir(tmp_path)
    solution = dl.solve(dl.pig(3), exact=True)
    values = solution.values.copy()
    values[0, 0] = ExactValue(10**5000 + 1, 10**5000 + 7)
    solution = replace(solution, values=values)
    for _ in range(2):
        tables.write(solution, tables.new_text_file(solution, "pig-3"))
    text = (tmp_path / "pig-3.txt").read_text()
    assert text == f"1{'0' * 4999}1/1{'0' * 4999}7\n"
    tables.write(solution, "x.csv")
    assert read_csv("x.csv")["value"][0] == text.strip()
    (tmp_path / "pig-3.txt").write_text("notes")
    with pytest.raises(ValueError, match=r"pig-3\.txt: there is such a file"):
        tables.new_text_file(solution, "pig-3")
    with pytest.raises(ValueError, match="txt is for an exact value"):
        tables.write(dl.solve(dl.pig(3)), "y.txt")


def test_parquet_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="needs pyarrow"):
        tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())


def test_choices_without_dice_are_told_apart():
    heads = dl.Outcome("1/2", [dl.Choice(1, "free"), dl.Choice(2, "bound")])
    game = dl.Game(
        "Coin",
        6,
        [
            dl.Mode("free", [heads, dl.Outcome("1/2", "bust")]),
            dl.Mode("bound", [heads, dl.Outcome("1/2", "bust")], may_hold=False),
        ],
    )
    found = dl.to_frame(dl.solve(game))
    assert set(found["dice"]) == {"", "+1 to free or +2 to bound"}


def test_turns_that_begin_in_another_mode():
    """The value of a turn's points is that of the mode in which the first register's turns begin."""
    bold, safe = (
        dl.Mode(name, [dl.Outcome(p, "bust"), dl.Outcome(1 - p, dl.Choice(1, name))])
        for name, p in (("bold", Fraction(1, 2)), ("safe", Fraction(1, 4)))
    )
    game = dl.Game("two modes", 5, [bold, safe], registers=dl.Register("any", mode="safe"))
    solution = dl.solve(game, "score", exact=True)
    assert set(tables.to_frame(solution)["value"]) == {solution.value} == {Fraction(81, 64)}
    assert "the first roll busts with probability 1/4" in repr(game)


@pytest.mark.parametrize(
    ("objective", "finish", "turns"), [("deadline", "reach", 3), ("win", "equal turns", None)]
)
def test_turns_left_and_roles_are_numbers_in_games_with_registers(objective, finish, turns):
    """And not places in ``game.scores``, as the scores of the table are."""
    game = dl.ten_thousand(4, finish, opening=100)
    solution = dl.solve(game, objective, turns=turns)
    frame = dl.to_frame(solution)
    assert {*frame.columns} == {*frame.attrs} - {"game", "objective"}
    moment = "role" if turns is None else "turns_left"
    assert {*frame[moment]} == ({0, 1} if turns is None else {1, 2, 3})
    for row in frame[:: len(frame) // 9].to_dict("records"):
        scores = [
            dl.Score(row[seat], row[f"{seat}_register"])
            for seat in ("own", "opponent")
            if seat in row
        ]
        assert row["value"] == solution.at(*scores, **{moment: row[moment]})
