"""The checker of certificates: it accepts what is written, and rejects what is changed, checksum or not."""

import ast
import json
import re
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab.cli import main
from dicelab_extras import proofs
from dicelab_extras.proofs import certificate_file

ROOT = Path(__file__).resolve().parents[2]
CHECKER = ROOT / "witness" / "check.py"
PIG = ROOT / "witness" / "pig-20.cert"
GAMES = {
    "pig": dl.pig(20),
    "piglet": dl.piglet(10),
    "two-dice-pig": dl.two_dice_pig(12),
    "double-trouble": dl.double_trouble(10),
    "ten-thousand": dl.ten_thousand(6),
    "hog": dl.hog(6),
    "toss-up": dl.games.toss_up(8),
}


def run(path):
    """Run the checker as a stranger would, without site packages."""
    command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def write(game, path):
    return proofs.write_certificate(proofs.certify(dl.solve(game)), path)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The certificates of `GAMES`, by name."""
    folder = tmp_path_factory.mktemp("certificates")
    for name, game in GAMES.items():
        write(game, folder / f"{name}.cert")
    return {name: folder / f"{name}.cert" for name in GAMES}


def sealed(lines):
    """Lines of a file with the number of lines and the checksum computed anew."""
    body = "".join(f"{line}\n" for line in [*lines[:-2], f"lines {len(lines)}"])
    return f"{body}sha256 {sha256(body.encode()).hexdigest()}\n"


def changed(lines, place, line):
    return [*lines[:place], line, *lines[place + 1 :]]


def rejected(tmp_path, content):
    """What the checker says about a file that it must reject: one line, no traceback."""
    path = tmp_path / "changed.cert"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    result = run(path)
    assert result.returncode == 1 and result.stdout == "", result.stdout
    assert re.fullmatch(r"No: .{3,400}\n", result.stderr), result.stderr
    return result.stderr


def moved(decimal, units):
    """A decimal moved by some units of its last place."""
    digits = len(decimal) - 2
    number = int(decimal.replace(".", "")) + units
    return f"{number // 10**digits}.{number % 10**digits:0{digits}}"


def pairs_of(lines):
    return [place for place, line in enumerate(lines) if re.match(r"\d+ \d+ [01]\.", line)]


@pytest.mark.parametrize("name", GAMES)
def test_what_is_written_is_accepted(files, name):
    """And all its bounds enclose the exact values."""
    game, result = GAMES[name], run(files[name])
    assert (result.returncode, result.stderr) == (0, "")
    found = re.search(r"wins with probability (\S+) to (\S+)\.\n", result.stdout).groups()
    least, most = map(Fraction, found)
    exact = dl.solve(game, exact=True)
    assert least <= exact.value <= most < least + Fraction(1, 10**15)
    lines = files[name].read_text().splitlines()
    listed = [line for line in lines if line.startswith(("mode ", "  "))]
    first, *others = result.stdout.splitlines()
    assert others[: len(listed)] == listed
    assert first.startswith(f'Yes. "{game.name}') and first.endswith(f'" to {game.target}:')
    for place in pairs_of(lines):
        own, opponent, low, high, *_ = lines[place].split()
        assert Fraction(low) <= exact.values[int(own), int(opponent)] <= Fraction(high)


def test_the_committed_certificate_is_the_one_that_the_command_writes(tmp_path):
    path = tmp_path / "pig.cert"
    result = CliRunner().invoke(main, ["certify", "pig", "--target", "20", "-o", str(path)])
    assert "3,800 decisions proved optimal, 0 left open" in result.output
    assert PIG.read_bytes() == path.read_bytes() and run(PIG).returncode == 0


@pytest.mark.parametrize("name", ["pig", "two-dice-pig", "double-trouble", "ten-thousand"])
@pytest.mark.parametrize("which", ["lower", "upper", "both"])
def test_a_value_moved_by_a_billionth_is_rejected(tmp_path, files, which, name):
    """And one moved outwards by a unit of its last place."""
    lines = files[name].read_text().splitlines()
    places = pairs_of(lines)
    for place in (places[0], places[len(places) // 3], places[-1]):
        own, opponent, low, high, *words = lines[place].split()
        for units in 10**9, -1 if which == "lower" else 1:
            lower = low if which == "upper" else moved(low, units)
            upper = high if which == "lower" else moved(high, units)
            line = " ".join([own, opponent, lower, upper, *words])
            rejected(tmp_path, sealed(changed(lines, place, line)))


@pytest.mark.parametrize("name", ["pig", "two-dice-pig", "double-trouble", "ten-thousand"])
def test_a_flipped_decision_is_rejected(tmp_path, files, name):
    lines = files[name].read_text().splitlines()
    random = Random(3)
    for place in random.sample([k for k in pairs_of(lines) if len(lines[k].split()) > 4], 3):
        *head, word = lines[place].split()
        (count, letter), *others = re.findall(r"(\d+)(\D)", word)
        kept = [(int(count) - 1, letter)] if int(count) > 1 else []
        for other in {"h": "r?a", "r": "h?z"}.get(letter, "?z"):
            word = "".join(f"{n}{sign}" for n, sign in [*kept, (1, other), *others])
            said = rejected(tmp_path, sealed(changed(lines, place, " ".join([*head, word]))))
            assert "follows from the bounds" in said


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("pig", "  1/6 bust\n", "  2/6 bust\n", "the sum is not 1"),
        ("pig", '  1/6 +2 "roll"\n', '  1/7 +2 "roll"\n', "not one denominator"),
        # a die without a one
        ("pig", '  1/6 bust\n  1/6 +2 "roll"\n', '  1/6 +2 "roll"\n  1/6 +2 "roll"\n', "follows from the bounds"),
        ("pig", '  1/6 +5 "roll"\n  1/6 +6 "roll"\n', '  2/6 +5 "roll"\n', "follows from the bounds"),
        ("pig", "  1/6 bust\n", "  1/6 reset\n", "follows from the bounds"),
        ("pig", '  1/6 +6 "roll"\n', '  1/6 +7 "roll"\n', "follows from the bounds"),
        ("pig", '  1/6 +6 "roll"\n', '  1/6 +0 "roll"\n', "play may not end"),
        ("pig", '  1/6 +6 "roll"\n', '  1/6 +6 "rolls"\n', "not at all"),
        ("pig", 'mode "roll" hold roll\n', 'mode "roll" roll\n', "play may not end"),
        ("pig", 'mode "roll" hold roll\n', 'mode "roll" hold\n', "play may not end"),
        ("pig", "target 20\n", "target 21\n", "not 21 x 21"),
        ("pig", "proved 3800", "proved 3801", "No: "),
        ("pig", "open 0", "open 1", "No: "),
        ("pig", "width 0.0", "width 0.1", "No: "),
        ("two-dice-pig", '  5/36 +8 "roll"\n', '  4/36 +8 "roll"\n', "the sum is not 1"),
        ("two-dice-pig", '  1/36 reset\n', '  1/36 bust\n', "No: "),
    ],
)  # fmt: skip
def test_other_rules_and_counts_are_rejected(tmp_path, files, name, old, new, said):
    """With the right checksum, and without it."""
    text = files[name].read_text()
    assert text.count(old) == 1
    assert said in rejected(tmp_path, sealed(text.replace(old, new).splitlines()))
    rejected(tmp_path, text.replace(old, new))


def test_a_truncated_file_is_rejected(tmp_path):
    text = PIG.read_text()
    lines = text.splitlines()
    for end in (1, 100, len(text) // 2, len(text) - 80, len(text) - 2, len(text) - 1):
        rejected(tmp_path, text[:end])
    place = pairs_of(lines)[7]
    one, other = lines[place : place + 2]
    for row in ([], [one, one, other], [other, one]):  # a row that is lost, there twice, elsewhere
        rejected(tmp_path, sealed([*lines[:place], *row, *lines[place + 2 :]]))


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\x00\xff\xfe" * 1000,
        b"certificate 2\n",
        PIG.read_bytes().replace(b"target 20", b"target 0"),
        PIG.read_bytes().replace(b"target 20\n", b"target 20\nfinish last licks\n"),
        'certificate 2\ngame "π"\n',
        "9" * 100_000,
        'certificate 2\ngame "g"\ntarget 999999\nwidth 0.0\nmode "m" hold roll\n  1/1 +1 "m"\n'
        "0 0 1.0 1.0\nproved 0\nopen 0\nlines 11\nsha256 0\n",
        f'certificate 2\ngame "g"\ntarget 1\nwidth 0.{"0" * 5000}\nmode "m" hold roll\n',
        f'certificate 2\ngame "g"\ntarget 1\nwidth 0.0\nmode "m" hold roll\n  1/{"9" * 5000} bust\n',
        PIG.read_bytes().replace(b"\n", b"\r"),
        b"\xef\xbb\xbf" * 2 + PIG.read_bytes(),
        PIG.read_bytes() + b"\n",
        PIG.read_bytes() * 2,
        b"\n" + PIG.read_bytes(),
        PIG.read_bytes().replace(b"certificate 2", b"certificate 3"),
    ],
    ids=lambda content: str(content[:20]),
)
def test_other_input_is_rejected_in_one_line(tmp_path, content):
    rejected(tmp_path, content)


def test_line_ends_and_a_mark_of_other_programs_change_nothing(tmp_path):
    path = tmp_path / "changed.cert"
    path.write_bytes(b"\xef\xbb\xbf" + PIG.read_bytes().replace(b"\n", b"\r\n"))
    result = run(path)
    assert result.returncode == 0 and result.stdout == run(PIG).stdout != ""


def test_the_checker_is_short_and_knows_nothing_of_ours():
    text = CHECKER.read_text()
    lines, nodes = text.splitlines(), [*ast.walk(ast.parse(text))]
    assert len(lines) <= 150 and max(map(len, lines)) <= 120
    modules = re.findall(r"^\s*(?:import|from) (\w+)", text, re.M)
    imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
    assert {*modules} <= sys.stdlib_module_names and len(modules) == len(imports) > 2
    names = {node.id for node in nodes if isinstance(node, ast.Name)}
    assert not names & {"float", "eval", "exec", "round", "__import__"}
    for node in nodes:
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float | complex))
        assert not (isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div))


NASTY = [
    "2+3",
    "+1",
    "hold",
    "hold roll",
    "a b",
    "a  b",
    " a",
    "bust",
    '"',
    "\\",
    "|",
    "mode m hold",
    "π",
    "\u202egnol",
]
NASTY += ["x\nYes. Everything is proved.", "sha256 0", "?", "a_b", "1/2 +3", "Yes.", "\t", "\x7f"]


def coins(name, first, second, target=2):
    """Two modes with given names: a coin for one point, and one for two."""
    modes = [
        dl.Mode(
            mode,
            [
                dl.Outcome("1/2", "bust"),
                dl.Outcome("1/2", [dl.Choice(points, first), dl.Choice(1, second)]),
            ],
        )
        for points, mode in ((1, first), (2, second))
    ]
    return dl.Game(name, target, modes)


@given(
    st.lists(
        st.sampled_from(NASTY) | st.text(min_size=1, max_size=9),
        min_size=3,
        max_size=3,
        unique=True,
    )
)
@settings(max_examples=30)
def test_names_mean_nothing(tmp_path_factory, names):
    """Whatever modes and a game are called: the same decisions and values, and one line behind "Yes."."""
    folder, rows = tmp_path_factory.mktemp("names"), []
    for number, called in enumerate((("g", "a", "b"), names)):
        path = folder / f"{number}.cert"
        write(coins(*called), path)
        rows.append([line for line in path.read_text().splitlines() if line[0].isdigit()])
    assert rows[0] == rows[1]
    result = run(path)
    assert (result.returncode, result.stderr) == (0, "")
    first, *others = result.stdout.splitlines()
    listed = [first, *(line for line in others if line.startswith("mode "))]
    title, *modes = (re.search('"[^"]*"', line)[0] for line in listed)
    assert first == f"Yes. {title} to 2:"
    assert [json.loads(name) for name in (title, *modes)] == names


AWAY = dl.Outcome("1/2", [dl.Choice(1, "free"), dl.Choice(1, "forced")])
FREE, FORCED = (
    dl.Mode(name, [dl.Outcome("1/2", "bust"), AWAY], may_hold=name == "free")
    for name in ("free", "forced")
)


@pytest.mark.parametrize(
    ("game", "said"),
    [
        (dl.Game("g", 4, [FREE, FORCED]), "avoid the end"),
        (dl.pig(9, "exact"), "finish='exact': a file is for races without registers"),
        (dl.pig(9, "last licks"), "finish='last licks'"),
        (dl.games.zilch(20), "registers"),
    ],
)
def test_other_games_are_refused_by_name(game, said):
    with pytest.raises(NotImplementedError, match=said):
        certificate_file.check_writable(game)


SOLUTION = dl.solve(dl.pig(12))
CERTIFICATE = proofs.certify(SOLUTION)
LOW = replace(CERTIFICATE, upper=CERTIFICATE.lower - 1e-9, lower=CERTIFICATE.lower - 2e-9)


@pytest.mark.parametrize(
    ("certificate", "name", "error", "said"),
    [
        (replace(CERTIFICATE, refuted=((0, 0, 1, "roll"),)), "x.cert", ValueError, "certificate: "),
        (proofs.certify(dl.solve(dl.pig(12), "margin")), "x.cert", ValueError, "certificate: "),
        (SOLUTION, "x.cert", ValueError, "certificate: "),
        (LOW, "x.cert", dl.ConvergenceError, "contradict"),
        (CERTIFICATE, "x.txt", ValueError, "path: "),
    ],
)
def test_a_wrong_certificate_is_not_written(certificate, name, error, said, tmp_path):
    with pytest.raises(error, match=said):
        proofs.write_certificate(certificate, tmp_path / name)
    assert not list(tmp_path.iterdir())
