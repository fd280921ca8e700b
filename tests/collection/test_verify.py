"""`dicelab verify`: what is the same passes; each kind of difference is one line that names it, and exit status 1."""

import csv
import hashlib
import re
import shutil
from functools import partial

import pytest
from click.testing import CliRunner

import collection
import dicelab as dl
from collection import verify
from collection.papers.claims.findings import Finding, checks_of
from collection.papers.published import PAPERS, read_table, write_sums
from dicelab.cli import main
from dicelab.games.catalogue import GAMES
from dicelab_extras.play.situation import parse_situation

GOLDEN = verify.GOLDEN
QUICK = {  # of the rows of each file, in the first column
    "values": r"(pig|piglet|two-dice-pig) (5|10)( finish=.*)?|piglet 4",
    "policies": r"(pig|piglet|double-trouble) 10",
    "situations": r"piglet .*|pig 30: .*",
}
PARTS = "sums", "values", "policies", "situations", "numbers"


def rows_of(name, folder=GOLDEN):
    with (folder / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        _, *rows = csv.reader(file)
    return rows


def write(folder, name, rows):
    """Write a golden file, how many comparisons there are then, and all sums anew."""
    tables = {name: lambda: [verify.COLUMNS[name], *rows], "counts": counted}
    for file, table in tables.items():
        with (folder / f"{file}.csv").open("w", encoding="utf-8", newline="") as opened:
            csv.writer(opened, lineterminator="\n").writerows(table())
    write_sums(folder, ["*"])


def counted():
    parts = verify.PARTS.items()
    return [verify.COUNTS, *([part, len(make(False)), len(make(True))] for part, make in parts)]


@pytest.fixture
def golden(tmp_path, monkeypatch):
    """A copy of the golden files with a few quick rows of each, and only one paper."""
    folder = shutil.copytree(GOLDEN, tmp_path / "golden")
    monkeypatch.setattr(verify, "GOLDEN", folder)
    monkeypatch.setattr(
        verify, "PAPERS", [paper for paper in PAPERS if paper.slug == "minimax-pig"]
    )
    for name, quick in QUICK.items():
        write(folder, name, [row for row in rows_of(name) if re.fullmatch(quick, row[0])])
    return folder


def change(folder, name, key, column, make):
    """Change an entry of the first row whose first column is `key`."""
    rows = rows_of(name, folder)
    row = next(row for row in rows if row[0] == key)
    place = verify.COLUMNS[name].index(column)
    row[place] = make(row[place])
    write(folder, name, rows)


def run(*parts):
    result = CliRunner().invoke(main, ["verify", *parts])
    assert isinstance(result.exception, SystemExit | None), result.output
    return result.exit_code, [line for line in result.stdout.splitlines() if line]


def differs(*parts):
    """The only line that does not say "same", but for one that there are more or less comparisons."""
    status, (*lines, last) = run(*parts)
    line, *more = [line for line in lines if not line.startswith("same ")]
    assert all(line.startswith("differs  the number of comparisons of ") for line in more)
    assert status == 1 and len(more) <= 1 and last.endswith(f" same, {1 + len(more)} differs")
    return line


def test_what_is_the_same_passes(golden):
    status, (*lines, last) = run(*PARTS)
    assert status == 0 and all(line.startswith("same     ") for line in lines)
    assert last == f"{len(lines)} comparisons: {len(lines)} same"
    assert "same     the bytes of golden/values.csv, with golden/SHA256SUMS" in lines
    assert "same     value of pig 10, win, with golden/values.csv" in lines


PIGLET = "piglet 10: 3-8 +2"
CHANGED = {  # a golden file, a row and a column of it, what becomes of the entry, and what is said
    "a value": ("values", "pig 10", "value", lambda text: f"{float(text) + 1e-9:.17g}", "win, .*: 0.70942432.* now"),
    "a little": ("values", "pig 10", "value", lambda text: f"{float(text) - 2e-12:.17g}", "win, .*: 0.70942432.* now"),
    "a fraction": (
        "values", "pig 10", "exact", lambda text: text.replace("7776/", "7777/"),
        "win, .*7777/10961 there, the fraction 7776/10961 now",
    ),
    "a policy": ("policies", "pig 10", "sha256", lambda text: text[1:] + text[:1], "win, with golden/policies.csv: "),
    "advice": ("situations", PIGLET, "advice", lambda _: "hold", ", with golden/situations.csv: '"),
    "chances": ("situations", PIGLET, "values", lambda text: text.replace("0.", "0.0", 1), ", .*: roll 0."),
}  # fmt: skip


@pytest.mark.parametrize(("name", "key", "column", "make", "said"), CHANGED.values(), ids=CHANGED)
def test_a_difference_is_named(golden, name, key, column, make, said):
    change(golden, name, key, column, make)
    kind = {"values": "value of", "policies": "policy of", "situations": "advice in"}[name]
    line = differs("sums", name)
    assert re.match(rf"differs  {kind} {re.escape(key)},? ?{said}", line), line


def test_a_number_is_another(golden, monkeypatch):
    wrong = {"smallest opponent's score from which on every decision is to roll": 186}
    compare = partial(collection.compare, computed=wrong, strict=False)
    monkeypatch.setattr(verify, "compare", compare)
    said = "differs  text of minimax-pig, with data/published and the ledger of errata: "
    line = differs("numbers")
    assert line.startswith(said) and "187 printed, 186.0 computed" in line


@pytest.mark.parametrize("name", QUICK)
def test_a_changed_byte_is_named(golden, name):
    file = golden / f"{name}.csv"
    data = bytearray(file.read_bytes())
    data[20] ^= 1
    file.write_bytes(data)
    said = f"differs  the bytes of golden/{name}.csv, with golden/SHA256SUMS"
    assert differs("sums").startswith(said)


def test_a_claim_is_found_otherwise(golden, monkeypatch):
    monkeypatch.setattr(verify, "PAPERS", [paper for paper in PAPERS if paper.slug == "literature"])
    found = Finding(verdict="does not hold", found="not fair")
    monkeypatch.setitem(checks_of("literature"), "fair-bet", lambda: found)
    line = differs("claims")
    said = "differs  verdicts on 13 claims of literature, with published/literature/claims.csv: "
    assert line.startswith(f"{said}fair-bet")
    assert line.endswith("fair-bet: does not hold, not fair, now")


def test_certificates_are_given_to_the_checker(golden, tmp_path, monkeypatch):
    """The checker is a program of its own: its exit status counts. Without it nothing is checked."""
    (tmp_path / "witness").mkdir()
    monkeypatch.setattr(verify, "ROOT", tmp_path)
    monkeypatch.setattr(verify, "DATA", tmp_path / "data")
    for name, text in (("bad", "no"), ("good", "yes")):
        (tmp_path / "witness" / f"{name}.cert").write_text(text)
    made = [check for check in verify.checks(["witnesses"]) if ".cert" in check.what]
    assert [str(check()).split(" ")[0] for check in made] == ["skipped"] * 2
    (tmp_path / "witness" / "check.py").write_text(
        "import sys\nif open(sys.argv[1]).read() != 'yes':\n    sys.exit('line 1: not yes')\n"
    )
    bad, good = [check() for check in made]
    assert good.same is True and str(bad) == (
        "differs  certificate bad.cert, by witness/check.py: exit status 1; line 1: not yes"
    )


def test_the_hash_of_a_policy_is_what_it_says():
    """Piglet to 2: the one free decision is at own score 0 and turn total 1, a bit for each opponent's score."""
    for n, bits in ((1, b"\x00"), (2, b"\xc0")):
        found = verify.policy_hash(dl.piglet(2), dl.hold_at(n))
        assert found == hashlib.sha256(b"piglet 2\n" + bits).hexdigest()


def test_the_golden_files_are_whole():
    assert all(check().same for check in verify.checks(["sums"]))
    tables = {name: read_table(GOLDEN / f"{name}.csv", verify.COLUMNS[name]) for name in QUICK}
    for name in ("values", "policies"):
        assert not tables[name].duplicated(verify.COLUMNS[name][:2]).any()
        assert {text.split()[0] for text in tables[name]["game"]} == {*GAMES}
        assert {*tables[name]["run"]} <= {"default", "full"}
    situations = tables["situations"]["situation"]
    assert situations.is_unique and all(str(parse_situation(text)) == text for text in situations)


@pytest.mark.slow
def test_all_golden_values_policies_and_situations():
    lines = [check() for check in verify.checks(["values", "policies", "situations"])]
    assert [str(line) for line in lines if not line.same] == []
