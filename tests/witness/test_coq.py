"""The theorems in witness/coq: files as the generator writes them, accepted by Coq, and refused once corrupted."""

import importlib.util
import re
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import dicelab as dl

FOLDER = Path(__file__).resolve().parents[2] / "witness" / "coq"
SOURCES = sorted(FOLDER.glob("*.v"))
THEOREMS = {
    "pig_10": "7776 # 10961",
    "piglet_10": "5556238701119487884 # 10634368774326171875",
}
UNPROVED = r"\b(Admitted|admit|Axioms?|Parameters?|Conjecture|Unset|bypass_check|native_cast_no_check|Abort)\b"

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="needs coqc, of Coq 8.16 or newer: apt install coq"
)

_spec = importlib.util.spec_from_file_location("generate_coq", FOLDER / "generate.py")
generate = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(generate)


def coqc(folder, name):
    return subprocess.run(
        ["coqc", "-Q", ".", "Witness", f"{name}.v"], cwd=folder, capture_output=True, text=True
    )


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """A folder with the rules and the general proofs, compiled."""
    folder = tmp_path_factory.mktemp("coq")
    for name in ("game", "theory"):
        shutil.copy(FOLDER / f"{name}.v", folder)
        result = coqc(folder, name)
        assert result.returncode == 0, result.stderr
    return folder


def check(folder, name, text):
    (folder / f"{name}.v").write_text(text)
    return coqc(folder, name)


def test_the_files_are_those_of_the_generator(tmp_path):
    """And they state the values."""
    generate.main(tmp_path)
    assert {path.stem for path in tmp_path.iterdir()} == {*THEOREMS}
    for name, value in THEOREMS.items():
        text = (FOLDER / f"{name}.v").read_text()
        assert (tmp_path / f"{name}.v").read_text() == text, "run make proof"
        assert f"Theorem {name}_value : is_value {name} start ({value})." in text


def test_nothing_is_admitted():
    assert {path.stem for path in SOURCES} == {"game", "theory", *THEOREMS}
    for path in SOURCES:
        text = path.read_text()
        assert not re.search(UNPROVED, text), path.name
        if path.stem != "theory":  # there they stand in sections, and become premises
            assert not re.search(r"\b(Variables?|Hypothes[ie]s|Context)\b", text), path.name


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize("name", THEOREMS)
def test_coq_accepts_the_theorems(compiled, name):
    result = check(compiled, name, (FOLDER / f"{name}.v").read_text())
    assert result.returncode == 0, result.stderr
    assert result.stdout.splitlines() == ["Closed under the global context"] * 3


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(("die", "target"), [(["1/5", "1/2", "3/10"], 6), (["1/3", "2/3"], 1)])
def test_coq_accepts_other_dice(compiled, die, target):
    text = generate.theorem("die", dl.generalized_pig(die, target))
    result = check(compiled, "die", text)
    assert result.returncode == 0, result.stderr


@needs_coq
@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("pig_10", "7776 # 10961", "7777 # 10961"),  # the value, in the table and in the statement
        ("pig_10", "start (7776", "start (7777"),  # in the statement alone
        ("pig_10", "(1 # 6, Points 6)", "(1 # 6, Points 5)"),  # a face
        ("pig_10", "Game 10", "Game 11"),
        ("piglet_10", "[2; 2; 2", "[3; 2; 2"),  # a decision
        ("piglet_10", "(1 # 2, Bust)", "(1 # 3, Bust)"),  # a probability
    ],
)
def test_coq_refuses_another_table_or_statement(compiled, name, old, new):
    text = (FOLDER / f"{name}.v").read_text()
    assert old in text
    result = check(compiled, "corrupted", text.replace(old, new))
    assert result.returncode != 0
    said = "Unable to unify" + ' "true" with "false"' * (not old.startswith("start"))
    assert said in " ".join(result.stderr.split())


@needs_coq
@pytest.mark.slow
def test_chance_means_what_evaluate_says(compiled):
    """The chance to win by the n-th decision, of game.v, plus that of an open game, brackets the exact evaluation."""
    game = dl.generalized_pig(["1/10", "9/10"], 2)
    policies = {1: dl.hold_at(1), 2: dl.hold_at(2)}
    cases = [
        (first, second, ending)
        for first in policies
        for second in policies
        for ending in ("Won", "Open")
    ]
    asked = "Definition rule k := play (fun p => turn p <? k)%nat.\n"
    asked += "Definition parts q := (Qnum (Qred q), Qden (Qred q)).\n"
    for first, second, ending in cases:
        chance = f"chance {ending} coin 8 true (rule {first}) (rule {second}) [] start"
        asked += f"Eval vm_compute in parts ({chance}).\n"
    result = check(compiled, "chances", generate.theorem("coin", game) + asked)
    assert result.returncode == 0, result.stderr
    found = re.findall(r"= \((\d+)%Z, (\d+)%positive\)", result.stdout)
    found = [Fraction(int(top), int(bottom)) for top, bottom in found]
    assert len(found) == len(cases)
    for won, left, (first, second, _) in zip(found[::2], found[1::2], cases[::2], strict=True):
        assert 0 < left < 0.05
        assert won <= dl.evaluate(game, policies[first], policies[second]).first_wins <= won + left


@pytest.mark.parametrize(
    "game", [dl.two_dice_pig(4), dl.double_trouble(4), dl.ten_thousand(4), dl.pig(4, "exact")]
)
def test_other_rules_are_refused(game):
    with pytest.raises(ValueError, match="is not a race with one die"):
        generate.theorem("other", game)
