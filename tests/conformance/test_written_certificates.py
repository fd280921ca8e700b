"""Certificates in a file of games with registers, other finishes and last turns: written, checked, tampered with."""

import re
import subprocess
import sys
from collections import namedtuple
from dataclasses import replace
from fractions import Fraction
from functools import cache
from hashlib import sha256
from pathlib import Path
from random import Random

import numpy as np
import pytest
from checks import random_game, random_registers
from matrix import TURNS, game_of

import dicelab as dl
from dicelab.solvers import certificate_file

CHECKER = Path(__file__).resolve().parents[2] / "witness" / "check.py"
DIE = dl.generalized_pig(["2/5", *["1/5"] * 3], 6)
OPENING = [dl.Register("shut", "open", least_hold=3), dl.Register("open")]
BUSTS = [dl.Register(str(n), "0", str((n + 1) % 3), penalty=2 * (n == 2)) for n in range(3)]
PAID = [dl.Register("a", "b", penalty=-1), dl.Register("b", "b", "a", penalty=-4, least_hold=2)]
Points = namedtuple("Points", "points")
GAMES = {
    "opening": replace(DIE, registers=OPENING),
    "busts": replace(DIE, registers=BUSTS, lowest=-2),
    "paid": replace(DIE, registers=PAID),
    "begin": replace(
        game_of("dice set aside", target=5),
        registers=[dl.Register("a", "b"), dl.Register("b", mode="one")],
    ),
    "exact": replace(DIE, finish="exact"),
    "exact opening": replace(DIE, finish="exact", registers=OPENING),
    "exact busts": replace(DIE, finish="exact", registers=BUSTS, lowest=-2),
    "exact paid": replace(DIE, finish="exact", registers=PAID),
    "equal turns": replace(DIE, finish="equal turns"),
    "equal turns busts": replace(DIE, finish="equal turns", registers=BUSTS, lowest=-2),
    "equal turns paid": replace(DIE, finish="equal turns", registers=PAID),
    "last licks": replace(DIE, finish="last licks"),
    "last licks opening": replace(DIE, finish="last licks", registers=OPENING),
    "last licks paid": replace(DIE, finish="last licks", registers=PAID),
    "last licks resets": game_of("resets", "last licks"),
    "hot dice": game_of("hot dice"),
}


def run(text, folder):
    """What the checker says about a text."""
    path = folder / "game.cert"
    path.write_text(text, encoding="ascii", newline="\n")
    command = [sys.executable, "-I", "-S", str(CHECKER), str(path)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


@cache
def written(name):
    """The certificate of one of the `GAMES`, a text."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "game.cert"
        dl.write_certificate(dl.certify(dl.solve(GAMES[name])), path)
        return path.read_text()


def rows_of(text, last=False):
    """The rows of positions, or of last turns: (label, lower, upper, words)."""
    found = re.findall(
        r"^((?:last )?-?\d+(?: -?\d+)*) ([01]\.\d+) ([01]\.\d+)(.*)$", text, re.MULTILINE
    )
    return [row for row in found if row[0].startswith("last") == last]


def sealed(text):
    """A text with the checksum computed anew."""
    body = text[: text.rindex("sha256 ")]
    return f"{body}sha256 {sha256(body.encode()).hexdigest()}\n"


def moved(decimal, units):
    """A decimal moved by some units of its last place."""
    number = int(decimal.replace(".", "")) + units
    return f"{number // 10**18}.{number % 10**18:018}"


def enclosed(text, game):
    """Whether all rows of positions enclose the exact values, and the bounds of dicelab overlap with them."""
    solution = dl.solve(game)
    lower, upper = (bound.ravel() for bound in dl.bounds(solution))
    exact = dl.solve(game, exact=True).values.ravel()
    rows = rows_of(text)
    assert len(rows) == len(exact)
    for place, (label, low, up, _) in enumerate(rows):
        assert Fraction(low) <= exact[place] <= Fraction(up), label
        assert lower[place] <= np.nextafter(float(up), 2) and float(low) <= np.nextafter(
            upper[place], 2
        )
    return True


@pytest.mark.parametrize("name", GAMES)
def test_what_is_written_is_accepted_and_encloses_the_exact_values(tmp_path, name):
    game, text = GAMES[name], written(name)
    result = run(text, tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    assert enclosed(text, game)
    start = dl.solve(game, exact=True).value
    least, most = map(Fraction, re.search(r"probability (\S+) to (\S+)\.", result.stdout).groups())
    assert least <= start <= most < least + Fraction(1, 10**14)
    assert ("A draw counts as half a win" in result.stdout) == (game.finish == "equal turns")
    head = text[text.index("width") :].splitlines()[1:]
    assert "".join(f"{line}\n" for line in head if line[:2] in ("re", "mo", "  ")) in result.stdout
    assert text.startswith(f"certificate {2 if name == 'hot dice' else 3}\n")


def chance(game, behind, draw):
    """The best chance, a Fraction, of a player of `DIE` to end more than `behind` points higher."""

    @cache
    def at(total):
        if total > behind:
            return Fraction(1)
        outcomes = game.modes[0].outcomes
        rolled = sum(o.probability * at(total + o.choices[0].points) for o in outcomes if o.choices)
        return max(rolled, draw) if total == behind else rolled

    return at(0)


@pytest.mark.parametrize(
    ("name", "draw"), [("equal turns", Fraction(1, 2)), ("last licks", Fraction(0))]
)
def test_last_turns_enclose_the_exact_chances(name, draw):
    rows = rows_of(written(name), last=True)
    assert len(rows) > 15
    for behind, (label, low, up, _) in enumerate(rows, start=1):
        assert label == f"last {behind}"
        assert Fraction(low) <= chance(DIE, behind, draw) <= Fraction(up), behind


@pytest.mark.parametrize("name", ["equal turns", "last licks", "busts", "exact busts"])
def test_decisions_are_those_of_the_exact_solution(name):
    game = GAMES[name]
    policy, seen = dl.solve(game, exact=True).policy, 0
    for label, *_, words in rows_of(written(name)):
        *role, own, opponent = [int(x) for x in label.split()] if not game.registers else (0, 0)
        if game.registers:
            own, f, opponent, g = map(int, label.split())
            own, opponent = (
                dl.Score(points, str(register)) for points, register in ((own, f), (opponent, g))
            )
        now = policy.when(role=role[0]) if role else policy
        letters = "".join(int(n) * letter for n, letter in re.findall(r"(\d+)(\D)", words))
        for total, letter in enumerate(letters[: game.target - own - 1], start=1):
            assert letter == "?" or letter == "hr"[now.rolls(own, opponent, total)], (label, total)
            seen += letter != "?"
    assert seen > 60


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("last", [False, True], ids=["position", "last turn"])
def test_a_moved_value_and_another_decision_are_rejected(tmp_path, name, last):
    text, random = written(name), Random(7)
    rows = rows_of(text, last)
    if not rows:
        assert last and GAMES[name].finish not in ("equal turns", "last licks")
        return
    for label, low, up, words in random.sample(rows, 3):
        old = f"\n{label} {low} {up}{words}\n"
        assert text.count(old) == 1
        other = moved(low, 10**9 if low < "0.5" else -(10**9))
        changes = [
            f"\n{label} {other} {up}{words}\n",
            f"\n{label} {low} {low if low != up else other}{words}\n",
        ]
        if words:
            flipped = words[:-1] + {"h": "r", "r": "h", "?": "a", "a": "b"}.get(words[-1], "a")
            changes.append(f"\n{label} {low} {up}{flipped}\n")
        for new in changes:
            result = run(sealed(text.replace(old, new)), tmp_path)
            assert result.returncode == 1 and re.fullmatch(r"No: .{3,400}\n", result.stderr), (
                result.stdout
            )


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("last licks", "finish last licks\n", "finish equal turns\n", "positions, not"),
        ("last licks", "finish last licks\n", "finish exact\n", "positions, not"),
        ("exact", "finish exact\n", "", "follows from the bounds"),
        ("exact paid", "finish exact\n", "", "follows from the bounds"),
        ("equal turns busts", "lowest -2\n", "", "positions, not"),
        ("busts", "lowest -2\n", "lowest -3\n", "positions, not"),
        ("opening", "hold 3 ", "hold 2 ", "follows from the bounds"),
        ("opening", "hold 3 ", "hold 7 ", "more than the target"),
        ("last licks opening", "hold 3 ", "hold 4 ", "follows from the bounds"),
        ("busts", "bust -2 ", "bust -1 ", "follows from the bounds"),
        ("exact paid", "bust +4 ", "bust +3 ", "follows from the bounds"),
        ("paid", "bust +4 ", "bust -4 ", "follows from the bounds"),
        ("last licks paid", "bust +4 ", "bust +3 ", "follows from the bounds"),
        ("busts", 'bust +0 "1"', 'bust +0 "2"', "follows from the bounds"),
        ("busts", 'bust +0 "1"', 'bust +0 "3"', "not listed"),
        ("busts", 'register "1"', 'register "0"', "not listed"),
        ("busts", 'hold 1 "0" bust +0 "1"', 'hold 1 "1" bust +0 "1"', "follows from the bounds"),
        ("begin", 'begin "one"', 'begin "two"', "follows from the bounds"),
        ("begin", 'begin "one"', 'begin "three"', "not listed"),
        ("opening", 'register "open" ', 'registers "open" ', "not in the format"),
        ("opening", "certificate 3", "certificate 2", "follows from the bounds"),
    ],
)
def test_other_rules_are_rejected(tmp_path, name, old, new, said):
    text = written(name)
    assert text.count(old) == 1
    result = run(sealed(text.replace(old, new)), tmp_path)
    assert result.returncode == 1 and result.stdout == ""
    assert said in result.stderr


@pytest.mark.parametrize("change", [-1, 1, 1000])
def test_where_the_list_ends_is_what_the_rows_are_for(tmp_path, change):
    text = written("last licks")
    above = int(re.search(r"\nabove (\d+)\n", text)[1])
    other = text.replace(f"\nabove {above}\n", f"\nabove {above + change}\n")
    assert "positions, not" in run(sealed(other), tmp_path).stderr
    assert (
        "too early"
        in run(sealed(text.replace(f"\nabove {above}\n", "\nabove 0\n")), tmp_path).stderr
    )


@pytest.mark.parametrize(
    ("name", "above"),
    [
        ("equal turns busts", 1),
        ("last licks", 1),
        ("last licks opening", 3),
        ("last licks paid", 5),
    ],
)
def test_a_list_that_ends_early_leaves_the_bounds_wide_and_right(
    tmp_path, monkeypatch, name, above
):
    game = GAMES[name]
    certificate, nearest = dl.certify(dl.solve(game)), above - 2 * game.most_points
    monkeypatch.setattr(certificate_file, "above_target", lambda *_: nearest)
    monkeypatch.setattr(certificate_file, "enclose_chasers", lambda _: Points(1))
    dl.write_certificate(certificate, tmp_path / "early.cert")
    text = (tmp_path / "early.cert").read_text()
    assert f"\nabove {above}\n" in text and run(text, tmp_path).returncode == 0
    assert enclosed(text, game)
    assert max(Fraction(up) - Fraction(low) for _, low, up, _ in rows_of(text)) > Fraction(1, 100)


@pytest.mark.parametrize("name", ["last licks", "exact", "opening", "equal turns paid"])
@pytest.mark.parametrize("on", ['+1 "loop"', '+1 "loop" | +2 "loop"', '+0 "loop"'])
def test_a_mode_without_an_end_is_rejected(tmp_path, name, on):
    text = written(name)
    where = text.index('  1/5 +1 "roll"\n')
    other = text[:where] + '  1/5 +1 "loop"\n' + text[where:].replace('  1/5 +1 "roll"\n', "", 1)
    place = re.search(r'(mode "roll" hold roll\n(?:  .*\n)+)', other).end()
    other = f'{other[:place]}mode "loop" roll\n  1/1 {on}\n{other[place:]}'
    result = run(sealed(other), tmp_path)
    assert result.returncode == 1
    assert "play may not end" in result.stderr


def test_a_game_in_which_a_player_can_wait_is_refused(tmp_path):
    """Pig to 9 exactly: at 8 no face hits the target. The checker refuses the rules, too."""
    with pytest.raises(NotImplementedError, match="avoid the end"):
        dl.write_certificate(dl.certify(dl.solve(dl.pig(9, "exact"))), tmp_path / "pig.cert")
    changed = written("exact").replace('+1 "roll"', '+2 "roll"')
    assert "a player can make sure never to finish" in run(sealed(changed), tmp_path).stderr


def test_a_win_that_is_taken_ends_the_game(tmp_path):
    """Hot dice beyond the target: to roll on until a bust is a choice, but another one wins."""
    turn = dict.fromkeys(TURNS["hot dice"][2].outcomes[1].choices)
    assert len(turn) == 2
    text = written("hot dice")
    assert run(text, tmp_path).returncode == 0
    changed = text.replace('+2 "hot" | +1 "one"', '+2 "hot" | +1 "hot"')
    assert "never to finish" in run(sealed(changed), tmp_path).stderr


@pytest.mark.slow
@pytest.mark.parametrize("finish", ["reach", "exact", "equal turns", "last licks"])
def test_random_games(tmp_path, finish):
    """What is written is accepted, and encloses the exact values."""
    found = 0
    for seed in range(40):
        rng = Random(seed)
        make = random_game if seed % 4 == 0 else random_registers
        try:
            game = replace(make(rng), finish=finish)
            game = replace(game, target=min(game.target, 5))
            if any(not mode.may_hold for mode in game.modes) and finish in (
                "equal turns",
                "last licks",
            ):
                continue  # lists of some thousand totals
            exact = dl.solve(game, exact=True)
            certificate = dl.certify(dl.solve(game))
            dl.write_certificate(certificate, tmp_path / "random.cert")
        except (ValueError, NotImplementedError, dl.ConvergenceError):
            continue
        text = (tmp_path / "random.cert").read_text()
        assert run(text, tmp_path).returncode == 0, seed
        assert enclosed(text, exact.game), seed
        found += 1
    assert found > 10
