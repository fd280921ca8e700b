"""Solutions as tables and files."""

import os
import re
import stat
from fractions import Fraction

import pandas as pd
import pytest
from click.testing import CliRunner

import dicelab as dl
from dicelab import _files
from dicelab.cli import main
from dicelab.views import tables


@pytest.mark.slow
@pytest.mark.parametrize(
    ("game", "objective"),
    [
        (dl.pig(25), "win"),
        (dl.double_trouble(25), "margin"),
        (dl.ten_thousand(12), "win"),
        (dl.ten_thousand(20), "turns"),
        (dl.pig(25), "score"),
    ],
    ids=lambda value: getattr(value, "name", value),
)
def test_a_table_has_every_decision(game, objective):
    """Each decision is the policy's, and each range ends where the next begins."""
    solution = dl.solve(game, objective)
    found = tables.to_frame(solution)
    titles = {" ".join(map(str, o.scoring)): o for mode in game.modes for o in mode.outcomes if len(o.choices) > 1}
    keys = [key for key in ("own", "opponent", "mode", "dice") if key in found]
    count = 0
    for key, rows in found.groupby(keys, observed=True, sort=False):
        at = dict(zip(keys, key, strict=True))
        own, opponent = at.get("own", 0), at.get("opponent", 0)
        assert (
            rows["first"].tolist() == [0, *(rows["last"][:-1] + 1)] and rows["last"].iloc[-1] == game.target - own - 1
        )
        assert (rows["action"].to_numpy()[1:] != rows["action"].to_numpy()[:-1]).all()
        for row in rows.itertuples():
            for total in {row.first, row.last}:
                if not at["dice"]:
                    rolls = solution.policy.rolls(own, opponent, total, at["mode"]) or total == 0
                    assert row.action == ("roll" if rolls else "hold")
                else:
                    aside = tuple(map(int, row.action.removeprefix("keep ").split()))
                    assert aside in [choice.aside for choice in titles[at["dice"]].choices]
                    filled = (
                        *map(int, at["dice"].split()),
                        *(2, 2, 3, 4)[: int(at["mode"][0]) - len(at["dice"].split())],
                    )
                    assert solution.policy.keep(own, opponent, total, filled)[0] == aside
                count += 1
        place = {"win": (own, opponent), "margin": (own, opponent), "turns": (own,), "score": (0, 0)}[objective]
        assert set(rows["value"]) == {solution.values[place]}
    assert count == sum(1 + (row.first < row.last) for row in found.itertuples()) > 3


@pytest.mark.parametrize("ending", tables.ENDINGS)
def test_written_files_can_be_read(tmp_path, ending):
    file = tmp_path / f"pig{ending}"
    solution = dl.solve(dl.pig(12), exact=True)
    tables.write(solution, file)
    read = pd.read_csv(file, keep_default_na=False) if ending == ".csv" else pd.read_parquet(file)
    assert read["value"].map(Fraction).tolist() == tables.to_frame(solution)["value"].tolist()
    assert read["action"].tolist() == tables.to_frame(solution)["action"].tolist()
    before = file.read_bytes()
    tables.write(solution, file)
    assert file.read_bytes() == before and [path.name for path in tmp_path.iterdir()] == [file.name]


def test_solve_from_the_command_line(tmp_path):
    def solve(*arguments):
        return CliRunner().invoke(main, ["solve", *arguments])

    assert solve("piglet", "--target", "5", "--exact").output == "1026/1925\n"
    assert float(solve("pig", "--objective", "turns").output) == dl.solve(dl.pig(), "turns").value
    done = solve("two-dice-pig", "--target", "20", "-o", str(tmp_path / "x.csv"))
    assert done.exit_code == 0 and len(pd.read_csv(tmp_path / "x.csv")) == 400
    for arguments, said in {
        ("pig", "-o", "x.txt"): "'x.txt' is not allowed; give a name that ends in .csv or .parquet",
        ("pig", "-o", str(tmp_path / "none" / "x.csv")): "there is no folder",
        ("pig", "--objective", "luck"): "'luck' is not one of",
        ("ludo",): "'ludo' is not one of",
    }.items():
        failed = solve(*arguments)
        assert failed.exit_code != 0 and said in failed.output
    assert [path.name for path in tmp_path.iterdir()] == ["x.csv"]


def test_parquet_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setattr(tables, "find_spec", lambda name: None)
    with pytest.raises(ValueError, match="needs pyarrow"):
        tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())


def test_the_file_on_the_way_is_new_and_its_name_a_secret(tmp_path, monkeypatch):
    """Links under all earlier temporary names stay, and so do their targets."""
    names, bystander = [], tmp_path / "bystander"
    bystander.write_text("mine")
    for _ in range(2):
        with _files.atomic_write(tmp_path / "x.csv") as part:
            names.append(part)
            part.write_text("whole")
    assert names[0] != names[1] and not any(str(os.getpid()) in part.name for part in names)
    for part in (*names, tmp_path / f".x.csv.{os.getpid()}"):
        part.symlink_to(bystander)
    tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.csv")
    monkeypatch.setattr(_files.secrets, "token_hex", lambda size: names[0].name[1:-5])
    with pytest.raises(FileExistsError, match=r"x\.csv"):
        tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.csv")
    assert bystander.read_text() == "mine" and names[0].is_symlink()


def test_a_link_is_replaced_and_its_target_is_left_alone(tmp_path):
    (tmp_path / "bystander").write_text("mine")
    (tmp_path / "x.csv").symlink_to(tmp_path / "bystander")
    tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.csv")
    assert (tmp_path / "bystander").read_text() == "mine" and not (tmp_path / "x.csv").is_symlink()


def test_permissions_are_the_users(tmp_path):
    def mode():
        tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.csv")
        return stat.S_IMODE((tmp_path / "x.csv").stat().st_mode)

    before = os.umask(0o027)
    try:
        assert mode() == 0o640
        (tmp_path / "x.csv").chmod(0o604)
        assert mode() == 0o604, "a file that is replaced passes them on"
    finally:
        os.umask(before)


@pytest.mark.parametrize("numbered", [True, False])
def test_errors_name_the_file_that_was_asked_for(tmp_path, monkeypatch, numbered):
    def fails(self, part, **options):
        raise OSError(28, "No space left on device", str(part)) if numbered else OSError(f"cannot open {part}")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fails)
    file = tmp_path / "x.csv"
    with pytest.raises(OSError, match=re.escape(str(file))) as caught:
        tables.write(dl.solve(dl.piglet(3)), file)
    assert ".part" not in str(caught.value) and not list(tmp_path.iterdir())


def test_a_device_is_refused(tmp_path):
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(ValueError, match=r"file: .* is not allowed; give a file; this is a device"):
        tables.write(dl.solve(dl.piglet(3)), tmp_path / "x.csv")
