"""Rules, probabilities, files and arguments at random: what is wrong is refused, by errors of its own."""

import ast
import json
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import dice, mode_games
from hypothesis import given, settings
from hypothesis import strategies as st

import dicelab as dl
from dicelab import doors, reproduce, studies
from dicelab.catalogue import GAMES
from dicelab.cli import main
from dicelab.race import ConvergenceError

published = sys.modules["dicelab.published"]
REFUSED = ValueError, NotImplementedError, ConvergenceError, MemoryError
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.binary(max_size=4)
    | st.decimals() | st.fractions() | st.complex_numbers() | st.integers(10**90, 10**120)
    | st.sampled_from(["bust", "reset", "roll", "reach", "exact", "win", np.int8(3), np.float32(0.5), np.arange(3)]),
    lambda v: st.lists(v, max_size=4) | st.tuples(v) | st.dictionaries(st.text(max_size=4), v, max_size=2),
    max_leaves=6,
)  # fmt: skip
numerals = st.text("0123456789eE+-./_ %nainf١½", max_size=12)
chances = st.sampled_from(
    ["1/2", "1/3", "1/6", 0.5, 0.25, Fraction(1, 4), 1, 0, "0.1", Decimal("0.5"), "1e-12", "1e-300"]
)


def result_or_refusal(function, *arguments, **options):
    """What the function returns, or None where it refuses by an error of the package's own kinds."""
    try:
        return function(*arguments, **options)
    except REFUSED as error:
        assert type(error) in REFUSED and 5 < len(str(error)) < 2000
        return None


@settings(max_examples=400)
@given(anything)
def test_anything_at_the_door(value):
    for door in (
        lambda: doors.as_whole(value, "n", 0),
        lambda: doors.as_probability(value),
        lambda: doors.as_items(value, "n", "a sequence"),
        lambda: doors.as_one_of(value, "n", ["a"]),
        lambda: doors.as_file(value, "n", (".csv",)),
        lambda: doors.as_jobs(value, "n"),
        lambda: doors.as_real(value, "n", 0, 1),
        lambda: dl.Choice(value, value, value),
        lambda: dl.Outcome(value, value),
        lambda: dl.Mode(value, value),
        lambda: dl.Game(value, value, value, value),
    ):
        result_or_refusal(door)


@settings(max_examples=300)
@given(anything, st.sampled_from(["target", "finish", "probabilities", "dice", "bust", "reset", "name"]))
def test_anything_as_an_argument_of_a_game(value, argument):
    game = result_or_refusal(dl.generalized_pig, **({"probabilities": ["1/2", "1/2"], "target": 5} | {argument: value}))
    assert game is None or (isinstance(game, dl.Game) and type(game.target) is int)


@settings(max_examples=500)
@given(numerals)
def test_numerals(text):
    """Whatever is read as a number is the number that Python reads."""
    found = result_or_refusal(doors.as_probability, text)
    if found is not None:
        assert 0 <= found <= 1 and found == Fraction(text)
    result_or_refusal(published.as_number, text)


@settings(max_examples=300)
@given(st.floats(0, 1))
def test_floats_are_the_decimals_they_print_as(value):
    assert doors.as_probability(value) == Fraction(str(Decimal(repr(value))))


@settings(max_examples=150)
@given(st.lists(chances, max_size=5), st.integers(-1, 12), st.integers(0, 4), st.integers(0, 3), st.integers(0, 3))
def test_dice_of_any_kind_are_solved_or_refused(faces, target, number, bust, reset):
    game = result_or_refusal(dl.generalized_pig, faces, target, dice=number, bust=bust, reset=reset or None)
    solution = game and result_or_refusal(dl.solve, game)
    if solution:
        assert np.isfinite(solution.values).all() and solution.values.min() >= 0 and solution.values.max() <= 1
        if not game.resets and target <= 5:
            exact = dl.solve(game, exact=True)
            assert np.abs(exact.values.astype(float) - solution.values).max() <= 1e-12
    if game:
        for objective in ("margin", "turns", "score"):
            result_or_refusal(dl.solve, game, objective)


choice = st.builds(dl.Choice, st.integers(1, 4), st.sampled_from("abc"))
outcome = st.builds(dl.Outcome, st.sampled_from(["1/2", "1/3", "1/6", 1]), st.sampled_from(["bust", "reset"]) | choice)
mode = st.tuples(st.sampled_from("abc"), st.lists(outcome, max_size=3), st.booleans())


@settings(max_examples=400)
@given(st.lists(mode, max_size=3), st.integers(0, 6), st.sampled_from(["reach", "exact", "both"]))
def test_rules_of_any_kind_are_solved_or_refused(parts, target, finish):
    modes = [result_or_refusal(dl.Mode, *part) for part in parts]
    game = result_or_refusal(dl.Game, "any", target, modes, finish)
    solution = game and result_or_refusal(dl.solve, game)
    if solution:
        assert (
            np.isfinite(solution.values).all() and -1e-12 <= solution.values.min() <= solution.values.max() <= 1 + 1e-12
        )


@settings(max_examples=60)
@given(mode_games(most_target=5, resets=True, finishes=("reach", "exact")) | dice(most_target=6), st.data())
def test_games_are_never_answered_wrongly(game, data):
    """Float and fraction agree wherever both answer."""
    objective = data.draw(st.sampled_from(["win", "margin", "turns", "score"]))
    fast, exact = (result_or_refusal(dl.solve, game, objective, exact=kind) for kind in (False, True))
    if fast and exact:
        np.testing.assert_allclose(exact.values.astype(float), fast.values, rtol=1e-11, atol=1e-12 * game.target)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz") / "x.csv"


@settings(max_examples=400)
@given(text=st.text('target,printed\n0123456789.e"/%- x\0', max_size=40) | st.binary(max_size=30))
def test_tables_of_any_kind_are_read_or_refused(file, text):
    file.write_bytes(text if isinstance(text, bytes) else ("target,printed\n" + text).encode())
    found = result_or_refusal(published._read, file, ["target", "printed"])
    for printed in found["printed"] if found is not None else []:
        number = result_or_refusal(published.as_number, printed)
        assert number is None or isinstance(number, Fraction)


json_values = st.recursive(
    st.none() | st.integers() | st.text(max_size=5), lambda v: st.lists(v) | st.dictionaries(st.text(), v)
)


@settings(max_examples=300)
@given(lines=st.lists(json_values.map(json.dumps) | st.text(max_size=20), max_size=3))
def test_files_of_sweeps_of_any_kind_are_read_or_refused(file, lines):
    file.write_text("\n".join([*lines, ""]), newline="\n")
    before = file.read_bytes()
    done = result_or_refusal(studies._read, file)
    assert done is None or all(isinstance(found, dict) for found in done.values())
    assert file.read_bytes() in (before, before[: before.rfind(b"\n") + 1])


@settings(max_examples=300)
@given(text=st.text('{}[]":, abcells0', max_size=40) | json_values.map(json.dumps))
def test_notebooks_of_any_kind_are_read_or_refused(file, text):
    file.with_suffix(".ipynb").write_text(text)
    result_or_refusal(lambda: reproduce_parameters(file.with_suffix(".ipynb")))


def reproduce_parameters(path):
    try:
        return reproduce.parameters_of(path)
    except reproduce.UsageError as error:
        raise ValueError(str(error)) from None


@settings(max_examples=400)
@given(st.text(max_size=30) | st.text("[](){}'\"0123456789,-+ejxTrueNone.", max_size=30))
def test_parameters_of_any_kind_are_literals_or_texts(text):
    value = reproduce.read_value(text)
    try:
        expected = ast.literal_eval(text)
    except Exception:
        expected = text
    assert repr(value) == repr(expected)


words = st.sampled_from(
    [*GAMES, "solve", "compare", "--target", "--objective", "-o", "--exact", "win", "turns", "3", "0", "-1"]
)


@settings(max_examples=120)
@given(st.lists(words | st.text(max_size=6).filter(lambda text: "--target" not in text), max_size=5))
def test_command_lines_of_any_kind_end_in_a_sentence(arguments):
    result = CliRunner().invoke(main, ["solve", *arguments, "--target", "3"])
    assert result.exit_code in (0, 1, 2) and (result.exception is None or isinstance(result.exception, SystemExit))
    result = CliRunner().invoke(main, ["compare", *arguments[:1], "no-table"])
    assert result.exit_code == 2 or "--help" in arguments
